/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours of objects: facades, vehicles, leaves, signs. Patterns live in the object's frame. See
 * scene_texture.c for how they are band limited.
 */
#include "common/scene/scene_paint_private.h"

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
  double board = band(v, f[1], 2.75, 3.38), open = band(v, f[1], .6, 2.6);
  if (board > 0) {
    double i = (double)scene_floor(u / (2 * w->period));
    double hue = scene_grain(scene, 5.3 * i + w->variant, 1.5, 1, 1, 0, 0);
    double blue = scene_grain(scene, 3.1 * i, 2.5 + w->variant, 1, 1, 0, 0);
    SceneColour sign = COLOUR(.28 + .25 * hue, .17 + .12 * blue, .16 - .14 * hue + .1 * blue);
    double letters = band(v, f[1], 2.92, 3.2) * sharp(f[0], .4) *
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
      stripes(u, f[0], w->period, w->left, w->right) * (1 - door) * band(v, f[1], 1.1, 2.7);
  if (share > 0) {
    double inner =
        stripes(u, f[0], w->period, w->left + .08, w->right - .08) * band(v, f[1], 1.18, 2.62);
    wall = blend(wall, blend(COLOUR(.4, .39, .36), dark_glass(scene, w, u, v, f), inner), share);
  }
  door *= band(v, f[1], -.2, 2.4);
  if (!(door > 0))
    return wall;
  SceneColour wood = w->variant & 8 ? COLOUR(.10, .05, .025) : COLOUR(.03, .07, .05);
  return blend(wall, times(wood, 1 + .2 * scene_grain(scene, u, v, .07, .6, f[0], f[1])), door);
}

static SceneColour ground_floor(const StxScene *scene, const Windows *w, SceneColour wall, double u,
    double v, const double f[2])
{
  wall = blend(wall, COLOUR(.16, .15, .14), .8 * band(v, f[1], -5, .55));
  return w->variant & 1 ? shop(scene, w, wall, u, v, f) : homes(scene, w, wall, u, v, f);
}

static SceneColour facade(
    const StxScene *scene, const ScenePart *part, int face, const SceneSpot *spot)
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
  SceneColour colour = v < GROUND_FLOOR - .1 ? ground_floor(scene, &w, wall, u, v, f)
                                             : upper_floor(scene, &w, wall, u, v, f);
  double ledge = band(v, f[1], GROUND_FLOOR - .22, GROUND_FLOOR);
  if (part->variant & 16)
    ledge += stripes(v - GROUND_FLOOR, f[1], STOREY, 0, .14);
  if (!(ledge > 0))
    return colour;
  return blend(colour, times(COLOUR(.5, .48, .43), plaster(scene, u, v, f[0], f[1])),
      scene_min(ledge, 1) * .8);
}

static SceneColour roof(const StxScene *scene, const ScenePart *part, const SceneSpot *spot)
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

static SceneColour car_paint(const StxScene *scene, const ScenePart *part, const SceneSpot *spot)
{
  const double *p = spot->p, *n = spot->n, *f = spot->foot;
  double fleck = 1 + .07 * scene_grain(scene, p[2] + p[0], p[1], .12, .1, f[2] + f[0], f[1]) +
                 .07 * scene_grain(scene, p[2], p[0] + p[1], .6, .4, f[2], f[0]);
  SceneColour paint = times(own(part), fleck);
  if (scene_abs(n[0]) < .5)
    return scene_abs(n[2]) > .5 ? bumper(paint, p[0], p[1], n[2] > 0) : paint;
  double wheel = scene_abs(p[2]) - part->r,
         arch = sqrt(wheel * wheel + (p[1] - .32) * (p[1] - .32));
  double seam =
      band(p[2], f[2], .02, .04) + band(p[2], f[2], 1.0, 1.02) + band(p[2], f[2], -1.06, -1.04);
  paint = times(paint, 1 - .55 * scene_min(seam, 1) * inside(p[1], .3, .9));
  paint = blend(paint, COLOUR(.03, .03, .032), 1 - scene_step(.27, .3, p[1]));
  return blend(paint, COLOUR(.012, .012, .013), 1 - scene_step(.37, .4, arch));
}

/* The cabin: glass within pillars, body colour on the roof. */
static SceneColour cabin(const StxScene *scene, const ScenePart *part, const SceneSpot *spot)
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

static SceneColour bus(const StxScene *scene, const ScenePart *part, const SceneSpot *spot)
{
  const double *p = spot->p, *f = spot->foot;
  bool side = scene_abs(spot->n[0]) > .5;
  double along = side ? p[2] : p[0] + .7, foot = side ? f[2] : f[0];
  SceneColour paint =
      times(own(part), 1 + .08 * scene_grain(scene, along, p[1], .5, .4, foot, f[1]) +
                           .06 * scene_grain(scene, along, p[1], .12, .1, foot, f[1]));
  double pillars = 1 - stripes(along, foot, 1.4, 0, side ? .09 : .02);
  double glass = band(p[1], f[1], 1.25, 2.45) * pillars;
  SceneColour pane = times(COLOUR(.04, .05, .06),
      .7 + 1.2 * (.5 + .5 * scene_grain(scene, along, p[1], .9, .5, foot, f[1])));
  paint = blend(paint, COLOUR(.55, .55, .52), band(p[1], f[1], 1.02, 1.12));
  if (!side && spot->n[1] < .5)
    paint = bumper(paint, p[0] * .7, p[1] - .2, spot->n[2] > 0);
  return blend(paint, pane, spot->n[1] < .5 ? glass : 0);
}

static SceneColour wheel(const ScenePart *part, int face, const SceneSpot *spot)
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

static SceneColour leaves(const StxScene *scene, const ScenePart *part, const SceneSpot *spot)
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

static SceneColour cloth(const StxScene *scene, const ScenePart *part, const SceneSpot *spot)
{
  const double *p = spot->p, *f = spot->foot;
  double u = p[0] + p[2] + part->variant, foot = f[0] + f[2];
  double tone = 1 + .22 * scene_grain(scene, u, p[1], .05, .09, foot, f[1]) +
                .2 * scene_grain(scene, u, p[1], .17, .3, foot, f[1]);
  return times(own(part), tone);
}

static SceneColour bricks(const StxScene *scene, const ScenePart *part, const SceneSpot *spot)
{
  const double *p = spot->p, *f = spot->foot;
  double u = p[0] + p[2], foot = f[0] + f[2];
  double joint = scene_max(stripes(p[1], f[1], .21, 0, .02),
      stripes(u + .2 * (double)(scene_floor(p[1] / .21) & 1), foot, .4, 0, .02));
  return times(own(part), (plaster(scene, u, p[1], foot, f[1]) +
                              .18 * scene_grain(scene, u, p[1], .4, .21, foot, f[1])) *
                              (1 - .35 * joint));
}

static SceneColour planks(const StxScene *scene, const ScenePart *part, const SceneSpot *spot)
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

static SceneColour sign(const ScenePart *part, const SceneSpot *spot)
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

static SceneColour traffic_light(const ScenePart *part, int face, const SceneSpot *spot)
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

SceneColour stx_scene_object_colour(
    const StxScene *scene, const ScenePart *part, int face, const SceneSpot *spot)
{
  switch (part->material) {
  case MATERIAL_FACADE:
    return facade(scene, part, face, spot);
  case MATERIAL_ROOF:
    return roof(scene, part, spot);
  case MATERIAL_LEAVES:
  case MATERIAL_HEDGE:
    return leaves(scene, part, spot);
  case MATERIAL_PAINT:
    return car_paint(scene, part, spot);
  case MATERIAL_GLASS:
    return cabin(scene, part, spot);
  case MATERIAL_BUS:
    return bus(scene, part, spot);
  case MATERIAL_WHEEL:
    return wheel(part, face, spot);
  case MATERIAL_BRICK:
    return bricks(scene, part, spot);
  case MATERIAL_PLANKS:
    return planks(scene, part, spot);
  case MATERIAL_TRAFFIC_LIGHT:
    return traffic_light(part, face, spot);
  case MATERIAL_SIGN_ROUND:
  case MATERIAL_SIGN_TRIANGLE:
  case MATERIAL_SIGN_BLUE:
    return sign(part, spot);
  default:
    return cloth(scene, part, spot);
  }
}
