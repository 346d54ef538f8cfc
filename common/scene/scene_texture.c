/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours of surfaces before light falls on them.
 *
 * Nothing here may flicker or differ between the eyes, so every pattern is band limited by what a
 * pixel covers (`foot`): noise is faded out octave by octave, and stripes are integrated exactly:
 * the share of [x − w/2, x + w/2] inside a periodic pulse is a difference of its integral. Where a
 * pixel sees the road under a flat angle it is long and narrow; so are some of the grains (tyre
 * wear along the lanes), which leaves texture up to the horizon.
 */
#include "common/scene/scene_paint_private.h"

#include <math.h>

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

static double asphalt(const StxScene *scene, double x, double s, double fx, double fz)
{
  double tone =
      1 + along_street(scene, x, s, fx, fz) + .14 * scene_grain(scene, x, s, 2.3, 5.9, fx, fz);
  double lane = scene_min(scene_abs(x), scene_abs(x - SCENE_LANE_LEFT));
  double wear = scene_step(.3, .65, lane) * (1 - scene_step(.95, 1.3, lane));
  return tone - .13 * wear;
}

/* Where lines are painted, x. */
#define MIDDLE_LINE (.5 * SCENE_LANE_LEFT)
#define CYCLE_LANE 1.78
#define PARKING_RIGHT 3.22
#define PARKING_LEFT (-5.5)

/* Share of white paint: a broken middle line, the cycle lane, parking bays, zebra crossings. */
static double markings(const StxScene *scene, double x, double z, double fx, double fz)
{
  double s = z + scene->travelled;
  double paint = band(x, fx, MIDDLE_LINE - .06, MIDDLE_LINE + .06) * stripes(s, fz, 9, 0, 4.5);
  paint += band(x, fx, CYCLE_LANE - .07, CYCLE_LANE + .07);
  paint += (band(x, fx, PARKING_RIGHT - .05, PARKING_RIGHT + .05) +
               band(x, fx, PARKING_LEFT - .05, PARKING_LEFT + .05)) *
           stripes(s, fz, 6.3, 0, 5.6);
  double zebra = band(z - stx_scene_crossing(scene, z), fz, -1.6, 1.6) *
                 band(x, fx, PARKING_LEFT, PARKING_RIGHT);
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
  double tone = asphalt(scene, x, z + scene->travelled, fx, fz);
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

static SceneColour grass(const StxScene *scene, const SceneSpot *spot)
{
  double x = spot->p[0], s = spot->p[2] + scene->travelled, fx = spot->foot[0], fz = spot->foot[2];
  double tone =
      1 + 1.5 * along_street(scene, x, s, fx, fz) + .25 * scene_grain(scene, x, s, 2.7, 7, fx, fz);
  return times(COLOUR(.10, .17, .045), tone);
}

SceneColour stx_scene_ground_colour(const StxScene *scene, int kind, const SceneSpot *spot)
{
  double x = spot->p[0], out = x < 0 ? SCENE_KERB_LEFT - x : x - SCENE_KERB_RIGHT;
  switch (kind) {
  case HIT_ROAD:
    return road_colour(scene, spot);
  case HIT_KERB:
    return times(paving(scene, 0, spot), .85);
  case HIT_WALK:
    return out < SCENE_WALK ? paving(scene, out, spot) : grass(scene, spot);
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

SceneColour stx_scene_sky_colour(const StxScene *scene, const double direction[3])
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
