/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours of surfaces, and the light that reaches the eye from them:
 *
 *   L = albedo · (ambient · a + sun · max(0, n·s) · v) · (1 − h) + haze · h,   h = t/(t + 1400)
 *
 * v: share of the sun that is not hidden (stx_scene_light); a: ambient light, less from below and
 * in deep shade. A pixel's footprint on the surface, per axis of the object: a step e of the
 * viewing direction moves the point by t·(e − d·(n·e)/(n·d)).
 *
 * Nothing here may flicker or differ between the eyes, so every pattern is band limited by what a
 * pixel covers (`foot`): noise is faded out octave by octave, and stripes are integrated exactly:
 * the share of [x − w/2, x + w/2] inside a periodic pulse is a difference of its integral. Where a
 * pixel sees the road under a flat angle it is long and narrow; so are some of the grains (tyre
 * wear along the lanes), which leaves texture up to the horizon. Patterns of objects live in the
 * object's frame.
 */
#include "common/scene/scene_private.h"

#include <math.h>

/* ---- Mixing, and patterns over what a pixel covers ----------------------------------------- */

#define COLOUR(r, g, b) ((SceneColour){(float)(r), (float)(g), (float)(b), 0})

static SceneColour blend(SceneColour a, SceneColour b, double share)
{
  return a + (float)share * (b - a);
}

static SceneColour times(SceneColour a, double factor)
{
  return a * (float)factor;
}

/* Integral of the pulse that is 1 on [low, high] of every period. */
static double pulse_integral(double x, double period, double low, double high)
{
  double n = (double)scene_floor(x / period);
  return n * (high - low) + scene_clamp(x - n * period - low, 0, high - low);
}

/* Share of a pixel (foot wide, around x) within the pulse. */
static double stripes(double x, double foot, double period, double low, double high)
{
  double w = scene_max(foot, 1e-3);
  return (pulse_integral(x + .5 * w, period, low, high) -
             pulse_integral(x - .5 * w, period, low, high)) /
         w;
}

/* Fades a pattern with a finest structure of `size`: 1 while pixels are smaller, then 0. */
static double sharp(double foot, double size)
{
  return scene_clamp(2 - 2 * foot / size, 0, 1);
}

float stx_scene_noise(const StxScene *scene, double x, double y, double coarse)
{
  int64_t ix = scene_floor(x), iy = scene_floor(y);
  float u = (float)(x - (double)ix), v = (float)(y - (double)iy);
  u = u * u * (3 - 2 * u);
  v = v * v * (3 - 2 * v);
  const unsigned mask = SCENE_NOISE - 1;
  const float *row0 = scene->noise + ((unsigned)iy & mask) * SCENE_NOISE;
  const float *row1 = scene->noise + ((unsigned)(iy + 1) & mask) * SCENE_NOISE;
  unsigned x0 = (unsigned)ix & mask, x1 = (unsigned)(ix + 1) & mask;
  float low = row0[x0] + u * (row0[x1] - row0[x0]), high = row1[x0] + u * (row1[x1] - row1[x0]);
  float fade = coarse < .5 ? 1 : (float)(2 - 2 * coarse);
  return fade * (low + v * (high - low));
}

/* ---- Ground -------------------------------------------------------------------------------- */

/* Ever longer grains: each looks round at one distance, where the road is seen that flat. */
static double along_street(const StxScene *scene, double x, double s, double fx, double fz)
{
  return .20 * scene_grain(scene, x, s, .022, .08, fx, fz) +
         .18 * scene_grain(scene, x, s, .045, .32, fx, fz) +
         .15 * scene_grain(scene, x, s, .09, 1.2, fx, fz) +
         .13 * scene_grain(scene, x, s, .18, 4.5, fx, fz) +
         .11 * scene_grain(scene, x, s, .36, 17, fx, fz) +
         .09 * scene_grain(scene, x, s, .8, 43, fx, fz);
}

/* x of the painted lines. */
#define MIDDLE_LINE (.5 * SCENE_LANE_LEFT)
#define CYCLE_LANE 1.78
#define PARKING_RIGHT 3.22
#define PARKING_LEFT (-5.5)

/* Share of white paint: a broken middle line, the cycle lane, parking bays, zebra crossings. */
static double markings(const StxScene *scene, double x, double z, double fx, double fz)
{
  double s = z + scene->travelled;
  double paint =
      scene_band(x, fx, MIDDLE_LINE - .06, MIDDLE_LINE + .06) * stripes(s, fz, 9, 0, 4.5);
  paint += scene_band(x, fx, CYCLE_LANE - .07, CYCLE_LANE + .07);
  paint += (scene_band(x, fx, PARKING_RIGHT - .05, PARKING_RIGHT + .05) +
               scene_band(x, fx, PARKING_LEFT - .05, PARKING_LEFT + .05)) *
           stripes(s, fz, 6.3, 0, 5.6);
  double zebra = scene_band(z - stx_scene_crossing(scene, z), fz, -1.6, 1.6) *
                 scene_band(x, fx, PARKING_LEFT, PARKING_RIGHT);
  if (zebra > 0)
    paint = scene_max(paint * (1 - zebra), zebra * stripes(x, fx, 1, .2, .7));
  if (!(paint > 0))
    return 0;
  return paint * (.78 + .2 * scene_grain(scene, x, s, .07, .11, fx, fz) +
                     .16 * scene_grain(scene, x, s, .4, 1.3, fx, fz));
}

static SceneColour road_colour(const StxScene *scene, const SceneSpot *spot)
{
  double x = spot->p[0], z = spot->p[2], fx = spot->foot[0], fz = spot->foot[2];
  double s = z + scene->travelled, lane = scene_min(scene_abs(x), scene_abs(x - SCENE_LANE_LEFT));
  double wear = scene_step(.3, .65, lane) * (1 - scene_step(.95, 1.3, lane));
  double tone = 1 + along_street(scene, x, s, fx, fz) +
                .14 * scene_grain(scene, x, s, 2.3, 5.9, fx, fz) - .13 * wear;
  double gutter = scene_min(x - SCENE_KERB_LEFT, SCENE_KERB_RIGHT - x);
  tone *= 1 - .3 * (1 - scene_step(.1, .45, gutter));
  SceneColour surface = COLOUR(.108, .107, .108);
  if (x > PARKING_RIGHT || x < PARKING_LEFT)
    surface = COLOUR(.135, .126, .118);
  else if (x > CYCLE_LANE)
    surface = COLOUR(.155, .085, .07);
  return blend(times(surface, tone), COLOUR(.62, .62, .60), markings(scene, x, z, fx, fz));
}

static SceneColour paving(const StxScene *scene, double out, const SceneSpot *spot)
{
  double s = spot->p[2] + scene->travelled, fx = spot->foot[0], fz = spot->foot[2];
  double tone = 1 + .75 * along_street(scene, out, s, fx, fz) +
                .12 * scene_grain(scene, out, s, 1.9, 3.1, fx, fz);
  if (out < .16)
    return times(COLOUR(.34, .335, .32), tone * (1 - .35 * stripes(s, fz, 1, 0, .02)));
  double column = (double)scene_floor(out / .5), row = (double)scene_floor(s / .5);
  tone += .13 * scene_grain(scene, column * 3.7, row * 5.3, 1, 1, 2 * fx, 2 * fz);
  double joint = scene_max(stripes(out, fx, .5, 0, .018), stripes(s, fz, .5, 0, .018));
  return times(COLOUR(.255, .245, .23), tone * (1 - .45 * joint));
}

/* Broken ground: grains along each axis that the wall or floor has. */
static SceneColour pit_colour(const StxScene *scene, const SceneSpot *spot)
{
  double s = spot->p[2] + scene->travelled, fx = spot->foot[0], fy = spot->foot[1],
         fz = spot->foot[2];
  double u = spot->p[0] + .7 * s, v = spot->p[1] + .4 * s, fu = fx + .7 * fz, fv = fy + .4 * fz;
  double tone = 1 + .25 * scene_grain(scene, u, v, .03, .02, fu, fv) +
                .2 * scene_grain(scene, u, v, .09, .05, fu, fv) +
                .2 * scene_grain(scene, u, v, .3, .11, fu, fv) +
                .8 * along_street(scene, spot->p[0], s, fx, fz);
  return times(COLOUR(.115, .095, .075), tone);
}

static SceneColour ground_colour(const StxScene *scene, int kind, const SceneSpot *spot)
{
  double x = spot->p[0], out = x < 0 ? SCENE_KERB_LEFT - x : x - SCENE_KERB_RIGHT;
  double s = spot->p[2] + scene->travelled, fx = spot->foot[0], fz = spot->foot[2];
  switch (kind) {
  case HIT_ROAD:
    return road_colour(scene, spot);
  case HIT_KERB:
    return times(paving(scene, 0, spot), .85);
  case HIT_PIT:
    return pit_colour(scene, spot);
  case HIT_WALK:
    if (out < SCENE_WALK)
      return paving(scene, out, spot);
    return times(COLOUR(.10, .17, .045), /* grass */
        1 + 1.5 * along_street(scene, x, s, fx, fz) +
            .25 * scene_grain(scene, x, s, 2.7, 7, fx, fz));
  default: { /* hills */
    double tone = 1 + .35 * scene_grain(scene, x, spot->p[1], 9, 4, spot->foot[0], spot->foot[1]);
    return times(
        COLOUR(.07, .115, .055), tone + .3 * scene_grain(scene, x, spot->p[1], 41, 12, 0, 0));
  }
  }
}

double stx_scene_hill_top(const StxScene *scene, double x)
{
  return 26 + 17 * scene_grain(scene, x, 3.5, 160, 1, 0, 0) +
         6 * scene_grain(scene, x, 9.5, 45, 1, 0, 0) +
         2.2 * scene_grain(scene, x, 17.5, 9, 1, 0, 0);
}

static SceneColour sky_colour(const StxScene *scene, const double direction[3])
{
  double length = sqrt(scene_dot(direction, direction)), up = scene_max(direction[1] / length, 0);
  double t = up * (2.1 - 1.1 * up);
  SceneColour sky = blend(COLOUR(.70, .82, .95), COLOUR(.10, .27, .74), t < 1 ? t : 1);
  double reach = 1 / (up * length + .16 * length), x = direction[0] * reach,
         z = direction[2] * reach + scene->time * .004;
  double cloud = .55 * scene_grain(scene, x, z, 1.3, .9, 0, 0) +
                 .28 * scene_grain(scene, x, z, .5, .37, 0, 0) +
                 .16 * scene_grain(scene, x, z, .21, .16, 0, 0) +
                 .09 * scene_grain(scene, x, z, .08, .07, 0, 0);
  double cover = scene_step(-.02, .42, cloud);
  return blend(sky,
      blend(COLOUR(1.35, 1.33, 1.3), COLOUR(.86, .88, .92), scene_step(.15, .7, cloud)),
      .85 * cover);
}

/* A function that says what colour a spot of a part's face has. */
#define PAINTER(name)                                                                              \
  static SceneColour name(                                                                         \
      const StxScene *scene, const ScenePart *part, int face, const SceneSpot *spot)

static SceneColour own(const ScenePart *part)
{
  return COLOUR(part->colour[0], part->colour[1], part->colour[2]);
}

/* Grains that suit any wall; u, v along it. The long ones are for walls seen at a flat angle. */
static double plaster(const StxScene *scene, double u, double v, double fu, double fv)
{
  return 1 + .10 * scene_grain(scene, u, v, .05, .05, fu, fv) +
         .10 * scene_grain(scene, u, v, .21, .17, fu, fv) +
         .08 * scene_grain(scene, u, v, .7, .2, fu, fv) +
         .08 * scene_grain(scene, u, v, 1.9, .6, fu, fv) +
         .08 * scene_grain(scene, u, v, 3.7, 2.9, fu, fv);
}

/* ---- Facades ------------------------------------------------------------------------------- */

#define GROUND_FLOOR 3.7
#define STOREY 3.1

/* Layout of one facade: period of its windows, their left and right edge within a period. */
typedef struct {
  double period, left, right;
  unsigned variant;
} Windows;

static double pane_shine(
    const StxScene *scene, const Windows *w, double u, double v, double fu, double fv)
{
  double i = (double)scene_floor(u / w->period),
         j = (double)scene_floor((v - GROUND_FLOOR) / STOREY);
  double dv = v - GROUND_FLOOR - j * STOREY;
  double lit = scene_grain(scene, i * 3.3 + w->variant, j * 7.7, 1, 1, fu / w->period, fv / STOREY);
  double curtain = lit > .05 ? scene_step(1.2, 1.25, dv + .5 * lit) : 0;
  double cloud = .5 + .5 * scene_grain(scene, u + 3 * w->variant, v, .8, .5, fu, fv);
  return .35 + .5 * cloud + .15 * dv + 2.6 * curtain * sharp(scene_max(fu, fv), .8) + .35 * lit;
}

/* A window of the upper floors: frame, bars, glass, the shadow of the lintel; y above the floor. */
static SceneColour window(
    const StxScene *scene, const Windows *w, double u, double v, const double f[2])
{
  double y = v - GROUND_FLOOR, middle = .5 * (w->left + w->right);
  double pane = stripes(u, f[0], w->period, w->left + .08, w->right - .08) *
                stripes(y, f[1], STOREY, .9, 2.37);
  double bars = scene_max(stripes(u, f[0], w->period, middle - .035, middle + .035),
      stripes(y, f[1], STOREY, 1.85, 1.91));
  double shade = 1 - .6 * stripes(y, f[1], STOREY, 2.2, 2.45);
  SceneColour glass =
      times(COLOUR(.055, .075, .095), pane_shine(scene, w, u, v, f[0], f[1]) * shade);
  SceneColour frame = w->variant & 4 ? COLOUR(.5, .49, .46) : COLOUR(.16, .09, .05);
  return blend(frame, glass, pane * (1 - bars));
}

static SceneColour upper_floor(const StxScene *scene, const Windows *w, SceneColour wall, double u,
    double v, const double f[2])
{
  double y = v - GROUND_FLOOR, sill = stripes(y, f[1], STOREY, .72, .82);
  if (sill > 0)
    wall = blend(wall, COLOUR(.42, .41, .38),
        sill * stripes(u, f[0], w->period, w->left - .1, w->right + .1));
  double share = stripes(y, f[1], STOREY, .82, 2.45);
  share *= share > 0 ? stripes(u, f[0], w->period, w->left, w->right) : 0;
  return share > 0 ? blend(wall, window(scene, w, u, v, f), share) : wall;
}

static SceneColour dark_glass(
    const StxScene *scene, const Windows *w, double u, double v, const double f[2])
{
  double shine = scene_grain(scene, u + w->variant, v, .6, .9, f[0], f[1]);
  return times(COLOUR(.05, .062, .07), 1.05 + .45 * shine);
}

/* A wide window below a coloured board with something like letters. */
static SceneColour shop(const StxScene *scene, const Windows *w, SceneColour wall, double u,
    double v, const double f[2])
{
  double board = scene_band(v, f[1], 2.75, 3.38), open = scene_band(v, f[1], .6, 2.6);
  if (board > 0) {
    double i = (double)scene_floor(u / (2 * w->period));
    double hue = scene_grain(scene, 5.3 * i + w->variant, 1.5, 1, 1, 0, 0);
    double blue = scene_grain(scene, 3.1 * i, 2.5 + w->variant, 1, 1, 0, 0);
    SceneColour sign = COLOUR(.28 + .25 * hue, .17 + .12 * blue, .16 - .14 * hue + .1 * blue);
    double letters = scene_band(v, f[1], 2.92, 3.2) * sharp(f[0], .4) *
                     (scene_grain(scene, u, 7.5, .16, 1, f[0], 0) > .1f);
    wall = blend(wall, blend(sign, COLOUR(.7, .68, .6), letters), board);
  }
  open *= open > 0 ? stripes(u, f[0], 2 * w->period, .3, 2 * w->period - .3) : 0;
  if (!(open > 0))
    return wall;
  double bars = stripes(u, f[0], w->period, 0, .07);
  return blend(wall, blend(dark_glass(scene, w, u, v, f), COLOUR(.1, .09, .08), bars), open);
}

/* Every third window is a door. */
static SceneColour homes(const StxScene *scene, const Windows *w, SceneColour wall, double u,
    double v, const double f[2])
{
  double door =
      stripes(u, f[0], 3 * w->period, w->period + w->left - .05, w->period + w->right + .05);
  double share =
      stripes(u, f[0], w->period, w->left, w->right) * (1 - door) * scene_band(v, f[1], 1.1, 2.7);
  if (share > 0) {
    double inner = stripes(u, f[0], w->period, w->left + .08, w->right - .08) *
                   scene_band(v, f[1], 1.18, 2.62);
    wall = blend(wall, blend(COLOUR(.4, .39, .36), dark_glass(scene, w, u, v, f), inner), share);
  }
  door *= scene_band(v, f[1], -.2, 2.4);
  if (!(door > 0))
    return wall;
  SceneColour wood = w->variant & 8 ? COLOUR(.10, .05, .025) : COLOUR(.03, .07, .05);
  return blend(wall, times(wood, 1 + .2 * scene_grain(scene, u, v, .07, .6, f[0], f[1])), door);
}

PAINTER(facade)
{
  bool front = face == 4 || face == 5;
  int along = front ? 0 : 2;
  double width = part->b[along] - part->a[along], u = spot->p[along] - part->a[along],
         v = spot->p[1];
  double f[2] = {spot->foot[along], spot->foot[1]}, top = part->b[1];
  Windows w = {.variant = part->variant};
  double want = 2.1 + .3 * (part->variant % 5), n = (double)scene_floor(width / want);
  w.period = width / (n < 1 ? 1 : n);
  w.left = .27 * w.period;
  w.right = w.period - w.left;
  double id = 17.0 * part->variant, bricks = part->variant % 7 == 0 ? .16 : 0;
  SceneColour wall =
      times(own(part), plaster(scene, u + id, v, f[0], f[1]) +
                           bricks * scene_grain(scene, u + id, v, .25, .075, f[0], f[1]));
  wall = times(wall, 1 - .25 * (1 - scene_step(0, 1.4, v)) - .12 * scene_step(-1.5, 0, v - top));
  if (!front)
    return v < GROUND_FLOOR || part->variant & 2 ? wall : upper_floor(scene, &w, wall, u, v, f);
  SceneColour colour, low = blend(wall, COLOUR(.16, .15, .14), .8 * scene_band(v, f[1], -5, .55));
  if (v >= GROUND_FLOOR - .1)
    colour = upper_floor(scene, &w, wall, u, v, f);
  else
    colour = (part->variant & 1 ? shop : homes)(scene, &w, low, u, v, f);
  double ledge = scene_band(v, f[1], GROUND_FLOOR - .22, GROUND_FLOOR);
  if (part->variant & 16)
    ledge += stripes(v - GROUND_FLOOR, f[1], STOREY, 0, .14);
  if (!(ledge > 0))
    return colour;
  return blend(colour, times(COLOUR(.5, .48, .43), plaster(scene, u, v, f[0], f[1])),
      scene_min(ledge, 1) * .8);
}

PAINTER(roof)
{
  double x = spot->p[0], y = spot->p[1], fx = spot->foot[0], fy = spot->foot[1];
  double rows = stripes(y, fy, .22, 0, .05),
         tone = 1 + .2 * scene_grain(scene, x, y, .24, .22, fx, fy);
  tone += .15 * scene_grain(scene, x, y, 1.3, .9, fx, fy) +
          .12 * scene_grain(scene, x, y, 4, 2, fx, fy);
  return times(own(part), tone * (1 - .3 * rows));
}

/* ---- Vehicles ------------------------------------------------------------------------------ */

static double inside(double x, double low, double high)
{
  return x > low && x < high;
}

/* Lights, plate, grille on the front (ahead > 0) or the rear of a body. */
static SceneColour bumper(SceneColour paint, double x, double y, bool ahead)
{
  double side = scene_abs(x);
  if (y < .4)
    paint = COLOUR(.03, .03, .032);
  if (side < .27 && inside(y, .42, .54))
    paint = COLOUR(.62, .62, .58);
  if (ahead) {
    if (side < .45 && inside(y, .54, .66))
      paint = COLOUR(.02, .02, .022);
    if (side > .5 && inside(y, .54, .68))
      paint = COLOUR(.75, .76, .78);
  } else if (side > .48 && inside(y, .62, .8)) {
    paint = side > .62 && y > .72 ? COLOUR(.5, .16, .02) : COLOUR(.50, .012, .012);
  }
  return paint;
}

PAINTER(car_paint)
{
  const double *p = spot->p, *n = spot->n, *f = spot->foot;
  double fleck = 1 + .07 * scene_grain(scene, p[2] + p[0], p[1], .12, .1, f[2] + f[0], f[1]) +
                 .07 * scene_grain(scene, p[2], p[0] + p[1], .6, .4, f[2], f[0]);
  SceneColour paint = times(own(part), fleck);
  if (scene_abs(n[0]) < .5)
    return scene_abs(n[2]) > .5 ? bumper(paint, p[0], p[1], n[2] > 0) : paint;
  double wheel = scene_abs(p[2]) - part->r,
         arch = sqrt(wheel * wheel + (p[1] - .32) * (p[1] - .32));
  double seam = scene_band(p[2], f[2], .02, .04) + scene_band(p[2], f[2], 1.0, 1.02) +
                scene_band(p[2], f[2], -1.06, -1.04);
  paint = times(paint, 1 - .55 * scene_min(seam, 1) * inside(p[1], .3, .9));
  paint = blend(paint, COLOUR(.03, .03, .032), 1 - scene_step(.27, .3, p[1]));
  return blend(paint, COLOUR(.012, .012, .013), 1 - scene_step(.37, .4, arch));
}

/* The cabin: glass within pillars, body colour on the roof. */
PAINTER(cabin)
{
  const double *p = spot->p, *n = spot->n, *f = spot->foot;
  double top = part->b[1], bottom = part->a[1], rise = (p[1] - bottom) / (top - bottom);
  if (n[1] > .93 || rise > .88 || rise < .06)
    return times(own(part), 1 + .06 * scene_grain(scene, p[0], p[2], .4, .4, f[0], f[2]));
  double glass;
  if (scene_abs(n[0]) > .5) {
    double lean = .62 * (p[1] - bottom), front = part->b[2] - .32 - 1.35 * (p[1] - bottom),
           back = part->a[2] + .3 + lean * .6;
    double middle = .5 * (part->a[2] + part->b[2]);
    glass = inside(p[2], back, front) * !inside(p[2], middle - .05, middle + .05);
  } else {
    double half = part->b[0] - .1 - .24 * (p[1] - bottom);
    glass = inside(p[0], -half, half);
  }
  double sky = .5 + .5 * scene_grain(scene, p[0] + p[2], p[1], .5, .25, f[0] + f[2], f[1]);
  SceneColour dark = times(COLOUR(.035, .045, .055), .6 + 1.5 * sky * rise);
  return blend(own(part), dark, glass);
}

PAINTER(bus)
{
  const double *p = spot->p, *f = spot->foot;
  bool side = scene_abs(spot->n[0]) > .5;
  double along = side ? p[2] : p[0] + .7, foot = side ? f[2] : f[0];
  SceneColour paint =
      times(own(part), 1 + .08 * scene_grain(scene, along, p[1], .5, .4, foot, f[1]) +
                           .06 * scene_grain(scene, along, p[1], .12, .1, foot, f[1]));
  double pillars = 1 - stripes(along, foot, 1.4, 0, side ? .09 : .02);
  double glass = scene_band(p[1], f[1], 1.25, 2.45) * pillars;
  SceneColour pane = times(COLOUR(.04, .05, .06),
      .7 + 1.2 * (.5 + .5 * scene_grain(scene, along, p[1], .9, .5, foot, f[1])));
  paint = blend(paint, COLOUR(.55, .55, .52), scene_band(p[1], f[1], 1.02, 1.12));
  if (!side && spot->n[1] < .5)
    paint = bumper(paint, p[0] * .7, p[1] - .2, spot->n[2] > 0);
  return blend(paint, pane, spot->n[1] < .5 ? glass : 0);
}

PAINTER(wheel)
{
  double dy = spot->p[1] - part->a[1], dz = spot->p[2] - part->a[2],
         r = sqrt(dy * dy + dz * dz) / part->r;
  if (face == 0 || r > .68)
    return own(part);
  double cross = scene_abs(dy * dz) / (part->r * part->r * r * r + 1e-9); /* four spokes */
  return r < .2                  ? COLOUR(.25, .25, .26)
         : cross < .22 || r > .6 ? COLOUR(.33, .33, .34)
                                 : COLOUR(.04, .04, .045);
}

/* ---- The rest ------------------------------------------------------------------------------ */

PAINTER(leaves)
{
  const double *p = spot->p, *n = spot->n, *f = spot->foot;
  double nx = scene_abs(n[0]), ny = scene_abs(n[1]), nz = scene_abs(n[2]);
  int a = nx > ny && nx > nz ? 2 : 0,
      b = ny > nx && ny > nz ? 2 : 1; /* axes most along the surface */
  double u = p[a] + part->variant, v = p[b] + .37 * part->variant;
  double tone = 1 + .45 * scene_grain(scene, u, v, .05, .05, f[a], f[b]) +
                .45 * scene_grain(scene, u, v, .13, .12, f[a], f[b]);
  tone += .35 * scene_grain(scene, v, u, .37, .4, f[b], f[a]);
  return times(own(part), tone);
}

PAINTER(cloth)
{
  const double *p = spot->p, *f = spot->foot;
  double u = p[0] + p[2] + part->variant, foot = f[0] + f[2];
  double tone = 1 + .22 * scene_grain(scene, u, p[1], .05, .09, foot, f[1]) +
                .2 * scene_grain(scene, u, p[1], .17, .3, foot, f[1]);
  return times(own(part), tone);
}

PAINTER(bricks)
{
  const double *p = spot->p, *f = spot->foot;
  double u = p[0] + p[2], foot = f[0] + f[2];
  double joint = scene_max(stripes(p[1], f[1], .21, 0, .02),
      stripes(u + .2 * (double)(scene_floor(p[1] / .21) & 1), foot, .4, 0, .02));
  return times(own(part), (plaster(scene, u, p[1], foot, f[1]) +
                              .18 * scene_grain(scene, u, p[1], .4, .21, foot, f[1])) *
                              (1 - .35 * joint));
}

PAINTER(planks)
{
  const double *p = spot->p, *f = spot->foot;
  double tone =
      1 + .25 * scene_grain(scene, p[0], p[1], .05, .7, f[0], f[1]) +
      .25 * scene_grain(scene, (double)scene_floor(p[0] / .16) * 1.7, .5, 1, 1, f[0] / .16, 0);
  tone += .2 * scene_grain(scene, p[0], p[1], 1.1, 1.3, f[0], f[1]);
  return times(own(part), tone * (1 - .6 * stripes(p[0], f[0], .16, 0, .022)));
}

/* The digits 3 and 0 of a speed limit, around the middle of the plate. */
static bool thirty(double x, double y)
{
  double side = scene_abs(scene_abs(x) - .085), high = scene_abs(y);
  if (side > .065 || high > .125)
    return false;
  bool bars = high > .09 || (x < 0 && high < .018);
  bool right = x < 0 ? x > -.055 : x > .115, left = x > 0 && x < .055;
  return bars || right || left;
}

PAINTER(sign)
{
  const SceneColour red = COLOUR(.5, .02, .02), white = COLOUR(.72, .72, .7),
                    black = COLOUR(.02, .02, .02);
  double x = -spot->p[0], y = spot->p[1] - 2.45, r = sqrt(x * x + y * y);
  if (spot->n[2] < .3)
    return COLOUR(.22, .22, .23); /* seen from behind or edgeways */
  if (part->material == MATERIAL_SIGN_ROUND)
    return r > .24 ? red : thirty(x, y) ? black : white;
  if (part->material == MATERIAL_SIGN_TRIANGLE) {
    double edge = scene_min(y + .3, .5 * (.38 - y) - .8660254 * scene_abs(x));
    bool mark = scene_abs(x) < .03 && y > -.2 && y < .1 && !(y > -.14 && y < -.1);
    return edge < .075 ? red : mark ? black : white;
  }
  double diamond = scene_abs(x) + scene_abs(y);
  return diamond < .22 ? white : own(part);
}

PAINTER(traffic_light)
{
  static const float LAMPS[3][3] = {{.05f, .55f, .25f}, {.8f, .45f, .02f}, {.9f, .03f, .02f}};
  if (face != 5)
    return own(part);
  for (int i = 0; i < 3; i++) {
    double y = spot->p[1] - 2.52 - .3 * i, x = spot->p[0];
    if (x * x + y * y < .105 * .105) {
      const float *c = LAMPS[i];
      return times(COLOUR(c[0], c[1], c[2]), i == part->variant ? 1.3 : .12);
    }
  }
  return own(part);
}

/* Returns the colour by material; others are as cloth. */
PAINTER(object_colour)
{
  static SceneColour (*const painters[])(
      const StxScene *, const ScenePart *, int, const SceneSpot *) = {[MATERIAL_FACADE] = facade,
      [MATERIAL_ROOF] = roof,
      [MATERIAL_LEAVES] = leaves,
      [MATERIAL_HEDGE] = leaves,
      [MATERIAL_PAINT] = car_paint,
      [MATERIAL_GLASS] = cabin,
      [MATERIAL_WHEEL] = wheel,
      [MATERIAL_BRICK] = bricks,
      [MATERIAL_PLANKS] = planks,
      [MATERIAL_SIGN_ROUND] = sign,
      [MATERIAL_SIGN_TRIANGLE] = sign,
      [MATERIAL_SIGN_BLUE] = sign,
      [MATERIAL_TRAFFIC_LIGHT] = traffic_light,
      [MATERIAL_BUS] = bus};
  return (painters[part->material] != NULL ? painters[part->material] : cloth)(
      scene, part, face, spot);
}

/* ---- Light ---------------------------------------------------------------------------------- */

static const SceneColour AMBIENT = {.44f, .50f, .60f}, SUN = {1.42f, 1.30f, 1.08f},
                         HAZE = {.78f, .84f, .90f};

static void locate(const StxScene *scene, const SceneContact *contact, const StxSceneRay *ray,
    SceneSpot *spot, double d[3], double right[3], double down[3])
{
  const double *e_right = scene->axis[0], *e_down = scene->axis[1];
  for (int i = 0; i < 3; i++) {
    spot->world[i] = ray->origin[i] + contact->t * ray->direction[i];
    spot->p[i] = spot->world[i];
    d[i] = ray->direction[i];
    right[i] = e_right[i];
    down[i] = e_down[i];
  }
  /* Gentle slopes count as level: the difference is invisible. On steep ones a ray that runs level
   * would seem to graze the road, and its pixel to cover all of it. */
  bool gentle = scene->params.terrain == STX_SCENE_GENTLE;
  double slope = gentle ? 0 : stx_scene_ground_slope(scene, spot->world[2]);
  double length = sqrt(1 + slope * slope);
  spot->n[0] = 0;
  spot->n[1] = 1 / length;
  spot->n[2] = -slope / length;
  if (contact->object < 0) {
    if (contact->object == HIT_KERB)
      spot->n[0] = contact->face ? -1 : 1, spot->n[1] = spot->n[2] = 0;
    else if (contact->object == HIT_HILLS)
      spot->n[2] = -1, spot->n[1] = 0;
    else if (contact->object == HIT_PIT)
      stx_scene_pit_normal(scene, contact, spot->n);
    return;
  }
  const SceneObject *object = &scene->object[contact->object];
  StxSceneRay local;
  scene_to_local(object, ray, &local);
  for (int i = 0; i < 3; i++) {
    spot->p[i] = local.origin[i] + contact->t * local.direction[i];
    d[i] = local.direction[i];
  }
  scene_turn(object, e_right, right);
  scene_turn(object, e_down, down);
  stx_scene_normal(scene, contact, spot->p, spot->n);
}

static void footprint(const StxScene *scene, double t, const double d[3], const double right[3],
    const double down[3], SceneSpot *spot)
{
  double nd = scene_dot(spot->n, d), per_pixel = t / scene->params.camera.focal;
  if (nd > -.005)
    nd = nd < .005 && nd > 0 ? .005 : nd < 0 ? -.005 : nd;
  double nr = scene_dot(spot->n, right) / nd, nn = scene_dot(spot->n, down) / nd;
  for (int i = 0; i < 3; i++) {
    double along = scene_abs(right[i] - d[i] * nr) + scene_abs(down[i] - d[i] * nn);
    spot->foot[i] = per_pixel * along;
  }
}

/* The board is white and black paper, on which the sun shines if it can. */
static SceneColour board_colour(
    const StxScene *scene, const SceneContact *contact, const StxSceneRay *ray)
{
  const SceneBoard *board = &scene->board;
  const double *right = scene->axis[0], *down = scene->axis[1];
  const double sun[3] = {SCENE_SUN_X, SCENE_SUN_Y, SCENE_SUN_Z}, *n = board->normal;
  const double *axes[2] = {board->across, board->down}, *d = ray->direction;
  double nd = scene_dot(n, d), per_pixel = contact->t / scene->params.camera.focal;
  double nr = scene_dot(n, right) / nd, nn = scene_dot(n, down) / nd, from[3], p[2], foot[2];
  for (int i = 0; i < 3; i++)
    from[i] = ray->origin[i] + contact->t * d[i] - board->centre[i];
  for (int i = 0; i < 2; i++) {
    double da = scene_dot(axes[i], d);
    p[i] = scene_dot(axes[i], from);
    foot[i] = per_pixel * (scene_abs(scene_dot(axes[i], right) - da * nr) +
                              scene_abs(scene_dot(axes[i], down) - da * nn));
  }
  double paint = .05 + .7 * stx_scene_board_white(scene, p, foot);
  return times(times(AMBIENT, .9) + times(SUN, scene_max(scene_dot(n, sun), 0)), paint);
}

SceneColour stx_scene_shade(
    const StxScene *scene, const SceneContact *contact, const StxSceneRay *ray)
{
  if (contact->object == HIT_SKY)
    return sky_colour(scene, ray->direction);
  if (contact->object == HIT_BOARD)
    return board_colour(scene, contact, ray);
  SceneSpot spot;
  double d[3], right[3], down[3];
  locate(scene, contact, ray, &spot, d, right, down);
  footprint(scene, contact->t, d, right, down, &spot);
  bool ground = contact->object < 0;
  const ScenePart *part = ground ? NULL : &scene->part[contact->part];
  double n[3] = {spot.n[0], spot.n[1], spot.n[2]}; /* in the world: slopes are gentle, so that */
  if (!ground) {                                   /* only the turn counts */
    const SceneObject *object = &scene->object[contact->object];
    n[0] = object->cosine * spot.n[0] + object->sine * spot.n[2];
    n[2] = object->cosine * spot.n[2] - object->sine * spot.n[0];
  }
  SceneColour colour = ground ? ground_colour(scene, contact->object, &spot)
                              : object_colour(scene, part, contact->face, &spot);
  double facing = n[0] * SCENE_SUN_X + n[1] * SCENE_SUN_Y + n[2] * SCENE_SUN_Z;
  if (!ground && part->material == MATERIAL_LEAVES)
    facing = .25 + .6 * (.5 + .5 * facing); /* light shines through */
  else
    facing = facing > 0 ? facing : 0;
  SceneLight light = {.7, 1};
  if (contact->object != HIT_HILLS) {
    if (facing > 0 || ground)
      light = stx_scene_light(scene, spot.world, ground);
    light.sun *= facing;
  }
  double ambient = (.72 + .28 * n[1]) * light.sky * (ground ? .7 + .3 * light.sun : 1);
  double h = contact->t / (contact->t + 1400);
  return blend(colour * (times(AMBIENT, ambient) + times(SUN, light.sun)), HAZE, h);
}
