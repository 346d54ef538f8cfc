/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the things of the street are made of. A model stands in its own frame: origin on the
 * ground, y up, z the way it looks. Sizes are metres; colours linear light.
 */
#include "common/scene/scene_parts_private.h"

static const float PALETTE_CAR[][3] = {{.62f, .62f, .62f}, {.30f, .31f, .33f}, {.05f, .05f, .06f},
    {.45f, .03f, .03f}, {.04f, .09f, .28f}, {.75f, .74f, .70f}, {.06f, .17f, .12f},
    {.30f, .24f, .16f}, {.14f, .15f, .17f}};
static const float PALETTE_CLOTH[][3] = {{.03f, .04f, .10f}, {.40f, .06f, .05f}, {.09f, .18f, .10f},
    {.55f, .52f, .46f}, {.06f, .06f, .06f}, {.50f, .34f, .06f}, {.07f, .17f, .34f},
    {.30f, .10f, .22f}};
static const float SKIN[3] = {.48f, .29f, .20f}, DARK[3] = {.025f, .025f, .028f},
                   METAL[3] = {.23f, .24f, .24f}, WHITE[3] = {.7f, .7f, .7f},
                   BARK[3] = {.13f, .09f, .06f}, LEAVES[3] = {.085f, .16f, .03f};

#define PICK(palette, key)                                                                         \
  palette[(int)(scene_uniform(key) * (sizeof(palette) / sizeof(palette)[0]))]

/* ---- Vehicles ------------------------------------------------------------------------------ */

void stx_scene_car(StxScene *scene, const ScenePlace *place)
{
  if (!stx_scene_begin_on_slope(scene, place))
    return;
  uint64_t key = place->key;
  const float *colour = PICK(PALETTE_CAR, &key);
  double l = scene_between(&key, 1.95, 2.4), h = scene_between(&key, 1.42, 1.68);
  double tail = scene_uniform(&key) < .55 ? .45 : 1.05, axle = .6 * l, waist = .52 * h + .12;
  const double body[][2] = {{l - .08, .2}, {l, .42}, {l - .05, .68}, {l - .95, waist + .02},
      {-l + .3, waist + .05}, {-l + .02, waist - .06}, {-l, .45}, {-l + .1, .2}};
  const double cabin[][2] = {{l - .95, waist - .02}, {l - 1.7, h - .05}, {l - 2.2, h},
      {-l + tail + .35, h - .02}, {-l + tail, h - .08}, {-l + .12, waist}};
  Brush paint = {scene, MATERIAL_PAINT, STX_SCENE_CAR, 0, colour}, glass = paint, tyre = paint;
  stx_scene_prism(&paint, body, 8, .87, .04)->r = axle;
  glass.material = MATERIAL_GLASS;
  stx_scene_prism(&glass, cabin, 6, .84, .24);
  tyre.material = MATERIAL_WHEEL;
  tyre.colour = DARK;
  stx_scene_wheels(&tyre, axle, .32, .6, .875);
  stx_scene_wheels(&tyre, -axle, .32, .6, .875);
  paint.material = MATERIAL_PLAIN;
  stx_scene_box(&paint, -1.0, -.8, waist + .04, waist + .17, l - 1.5, l - 1.36);
  stx_scene_box(&paint, .8, 1.0, waist + .04, waist + .17, l - 1.5, l - 1.36);
  stx_scene_add_shadow(scene, 0, .8, l - .1, .16, .82f, false);
  stx_scene_add_shadow(scene, .75, .8, l - .3, .35, .55f, false);
}

void stx_scene_van(StxScene *scene, const ScenePlace *place)
{
  if (!stx_scene_begin_on_slope(scene, place))
    return;
  uint64_t key = place->key;
  const double cab[][2] = {
      {3.4, .35}, {3.45, 1.2}, {3.2, 1.5}, {2.75, 2.4}, {1.7, 2.5}, {1.7, .35}};
  Brush brush = {scene, MATERIAL_GLASS, STX_SCENE_TRUCK, 0, PICK(PALETTE_CAR, &key)};
  stx_scene_prism(&brush, cab, 6, 1.05, .03);
  brush.material = MATERIAL_PLAIN;
  brush.colour = scene_uniform(&key) < .6 ? WHITE : PICK(PALETTE_CAR, &key);
  stx_scene_box(&brush, -1.15, 1.15, .75, scene_between(&key, 2.8, 3.3), -3.3, 1.6);
  brush.colour = DARK;
  stx_scene_box(&brush, -1, 1, .45, .75, -3.2, 1.7);
  brush.material = MATERIAL_WHEEL;
  stx_scene_wheels(&brush, 2.5, .42, .75, 1.08);
  stx_scene_wheels(&brush, -1.9, .42, .6, 1.08);
  stx_scene_add_shadow(scene, 0, 1.1, 3.3, .2, .85f, false);
  stx_scene_add_shadow(scene, 1.3, 1.1, 3.2, .5, .6f, false);
}

void stx_scene_bus(StxScene *scene, const ScenePlace *place)
{
  if (!stx_scene_begin_on_slope(scene, place))
    return;
  static const float LIVERY[][3] = {{.50f, .33f, .03f}, {.42f, .05f, .04f}, {.05f, .16f, .38f}};
  uint64_t key = place->key;
  const double hull[][2] = {
      {5.8, .3}, {5.9, 1.0}, {5.7, 2.9}, {5.4, 3.05}, {-5.6, 3.05}, {-5.8, 2.8}, {-5.8, .3}};
  Brush brush = {scene, MATERIAL_BUS, STX_SCENE_BUS, 0, PICK(LIVERY, &key)};
  stx_scene_prism(&brush, hull, 7, 1.26, .01)->r = 3;
  brush.material = MATERIAL_WHEEL;
  brush.colour = DARK;
  stx_scene_wheels(&brush, 3.3, .48, .9, 1.27);
  stx_scene_wheels(&brush, -2.9, .48, .9, 1.27);
  stx_scene_add_shadow(scene, 0, 1.2, 5.8, .2, .85f, false);
  stx_scene_add_shadow(scene, 1.4, 1.2, 5.7, .5, .6f, false);
}

/* ---- People -------------------------------------------------------------------------------- */

void stx_scene_person(StxScene *scene, const ScenePlace *place, double stride)
{
  if (!stx_scene_begin(scene, place))
    return;
  uint64_t key = place->key;
  double h = scene_between(&key, 1.55, 1.86), hip = .5 * h, shoulder = .8 * h, step = .3 * stride;
  int weave = (int)(scene_uniform(&key) * 64);
  Brush top = {scene, MATERIAL_CLOTH, STX_SCENE_PERSON, weave, PICK(PALETTE_CLOTH, &key)};
  Brush trousers = top, skin = top, hair = top;
  trousers.colour = PICK(PALETTE_CLOTH, &key);
  skin.colour = SKIN;
  hair.colour = scene_uniform(&key) < .7 ? BARK : DARK;
  for (int side = -1; side <= 1; side += 2) {
    double foot = side * step;
    stx_scene_capsule(&trousers, .075, side * .09, hip, 0, side * .09, .28 * h, .6 * foot + .04);
    stx_scene_capsule(&trousers, .06, side * .09, .28 * h, .6 * foot + .04, side * .09, .07, foot);
    stx_scene_capsule(&hair, .05, side * .09, .05, foot - .04, side * .09, .05, foot + .14);
    stx_scene_capsule(&top, .125, side * .075, hip + .08, 0, side * .085, shoulder - .1, 0);
    stx_scene_capsule(&top, .055, side * .21, shoulder - .06, 0, side * .25, .6 * h, -.45 * foot);
    stx_scene_capsule(
        &top, .045, side * .25, .6 * h, -.45 * foot, side * .23, .47 * h, -.7 * foot + .08);
    stx_scene_ellipsoid(&skin, side * .23, .45 * h, -.75 * foot + .09, .045, .06, .05);
  }
  stx_scene_capsule(&skin, .055, 0, shoulder - .02, 0, 0, .9 * h, .01);
  stx_scene_ellipsoid(&skin, 0, .93 * h, .02, .085, .12, .1);
  stx_scene_ellipsoid(&hair, 0, .945 * h, -.015, .094, .118, .1);
  stx_scene_add_shadow(scene, 0, .2, .25, .15, .55f, true);
  stx_scene_add_shadow(scene, .55, .16, .2, .3, .4f, true);
}

/* ---- Trees and street furniture ------------------------------------------------------------ */

void stx_scene_tree(StxScene *scene, const ScenePlace *place)
{
  if (!stx_scene_begin(scene, place))
    return;
  uint64_t key = place->key;
  double trunk = scene_between(&key, 2.3, 3.0), crown = scene_between(&key, 1.5, 2.3),
         r = scene_between(&key, .11, .19);
  Brush brush = {scene, MATERIAL_BARK, STX_SCENE_VEGETATION, 0, BARK};
  stx_scene_capsule(&brush, r, 0, -.3, 0, 0, trunk + .5 * crown, 0);
  stx_scene_capsule(&brush, .5 * r, 0, trunk - .2, 0, .5 * crown, trunk + .7 * crown, .2 * crown);
  stx_scene_capsule(&brush, .5 * r, 0, trunk - .1, 0, -.5 * crown, trunk + .8 * crown, -.1 * crown);
  brush.material = MATERIAL_LEAVES;
  float green[3];
  double tone = scene_between(&key, .75, 1.3), yellow = scene_between(&key, .9, 1.5);
  for (int i = 0; i < 3; i++)
    green[i] = (float)(LEAVES[i] * tone * (i == 0 ? yellow : 1));
  brush.colour = green;
  for (int i = 0; i < 14; i++) {
    double x = scene_between(&key, -.7, .7) * crown, z = scene_between(&key, -.7, .7) * crown;
    double y = trunk + scene_between(&key, .3, 1.75) * crown,
           size = scene_between(&key, .34, .56) * crown;
    brush.variant = i;
    stx_scene_ellipsoid(&brush, x, y, z, size, size * .85, size);
  }
  stx_scene_add_shadow(scene, trunk + crown, crown * 1.1, crown * 1.1, .7, .5f, true);
  stx_scene_add_shadow(scene, .5 * trunk, .1, .8, .25, .3f, false);
}

void stx_scene_lamp(StxScene *scene, const ScenePlace *place)
{
  if (!stx_scene_begin(scene, place))
    return;
  Brush brush = {scene, MATERIAL_PLAIN, STX_SCENE_POLE, 0, METAL};
  stx_scene_capsule(&brush, .09, 0, -.3, 0, 0, 1.1, 0);
  stx_scene_capsule(&brush, .06, 0, 1, 0, 0, 6.6, 0);
  stx_scene_capsule(&brush, .04, 0, 6.6, 0, 0, 7.0, 1.5);
  stx_scene_box(&brush, -.13, .13, 6.93, 7.06, 1.3, 2.0);
  stx_scene_add_shadow(scene, 0, .1, .1, .12, .5f, true);
}

void stx_scene_sign(StxScene *scene, const ScenePlace *place)
{
  static const float BLUE[3] = {.02f, .09f, .38f};
  if (!stx_scene_begin(scene, place))
    return;
  uint64_t key = place->key;
  int kind = (int)(scene_uniform(&key) * 3);
  Brush brush = {scene, MATERIAL_PLAIN, STX_SCENE_POLE, 0, METAL};
  stx_scene_capsule(&brush, .032, 0, -.2, 0, 0, 2.75, 0);
  brush.label = STX_SCENE_SIGN;
  brush.colour = kind == 2 ? BLUE : WHITE;
  brush.material = kind == 2   ? MATERIAL_SIGN_BLUE
                   : kind == 1 ? MATERIAL_SIGN_TRIANGLE
                               : MATERIAL_SIGN_ROUND;
  if (kind == 0) {
    stx_scene_ellipsoid(&brush, 0, 2.45, .045, .33, .33, .012);
  } else if (kind == 2) {
    stx_scene_box(&brush, -.31, .31, 2.13, 2.75, .034, .05);
  } else {
    stx_scene_triangle(&brush, 2.15, 2.83, .035, .02);
  }
}

void stx_scene_traffic_light(StxScene *scene, const ScenePlace *place)
{
  if (!stx_scene_begin(scene, place))
    return;
  Brush brush = {scene, MATERIAL_PLAIN, STX_SCENE_POLE, 0, METAL};
  stx_scene_capsule(&brush, .06, 0, -.2, 0, 0, 2.5, 0);
  brush = (Brush){scene, MATERIAL_TRAFFIC_LIGHT, STX_SCENE_LIGHT, 0, DARK};
  stx_scene_box(&brush, -.17, .17, 2.35, 3.3, -.12, .14);
  stx_scene_add_shadow(scene, 0, .1, .1, .12, .5f, true);
}

/* ---- Buildings and what closes gardens ------------------------------------------------------ */

static void roof(const Brush *brush, uint64_t *key, double width, double depth, double eaves)
{
  static const float TILES[][3] = {
      {.22f, .07f, .04f}, {.15f, .06f, .045f}, {.07f, .07f, .08f}, {.28f, .11f, .06f}};
  Brush tiles = *brush, brick = *brush;
  double rise = scene_between(key, 2.2, 4);
  const double gable[][2] = {
      {-.35, eaves}, {depth * .4, eaves + rise}, {depth * .6, eaves + rise}, {depth + .35, eaves}};
  tiles.material = MATERIAL_ROOF;
  tiles.colour = PICK(TILES, key);
  stx_scene_prism(&tiles, gable, 4, .5 * width, scene_uniform(key) < .3 ? .7 : 0);
  brick.material = MATERIAL_BRICK;
  brick.colour = TILES[0];
  double x = scene_between(key, -.35, .35) * width;
  stx_scene_box(
      &brick, x - .4, x + .4, eaves + .5 * rise, eaves + rise + .9, depth * .35, depth * .35 + .7);
}

double stx_scene_building(StxScene *scene, const ScenePlace *place, double width, double depth)
{
  static const float WALLS[][3] = {{.56f, .47f, .33f}, {.60f, .56f, .48f}, {.52f, .36f, .20f},
      {.44f, .22f, .14f}, {.42f, .44f, .42f}, {.50f, .46f, .30f}, {.36f, .16f, .10f},
      {.58f, .42f, .34f}, {.34f, .38f, .42f}};
  if (!stx_scene_begin(scene, place))
    return -1e9;
  uint64_t key = place->key;
  Brush brush = {scene, MATERIAL_FACADE, STX_SCENE_BUILDING, (int)(scene_uniform(&key) * 65536),
      PICK(WALLS, &key)};
  int storeys = 2 + (int)(scene_uniform(&key) * 3.6);
  double eaves = 3.7 + 3.1 * (storeys - 1) + .5, half = .5 * width;
  stx_scene_box(&brush, -half, half, -4, eaves, 0, depth);
  brush.material = MATERIAL_PLAIN;
  brush.colour = WHITE;
  stx_scene_box(&brush, -half, half, eaves - .35, eaves, -.25, .1);
  if (scene_uniform(&key) < .7) {
    roof(&brush, &key, width, depth, eaves);
  } else {
    brush.colour = METAL;
    stx_scene_box(&brush, -.3 * half, .2 * half, eaves, eaves + 1.6, .4 * depth, .8 * depth);
  }
  return eaves;
}

void stx_scene_barrier(StxScene *scene, const ScenePlace *place, double width)
{
  static const float STONE[3] = {.32f, .30f, .26f}, WOOD[3] = {.24f, .15f, .08f};
  if (!stx_scene_begin_on_slope(scene, place))
    return;
  uint64_t key = place->key;
  double kind = scene_uniform(&key), h = scene_between(&key, 1.1, 1.9), half = .5 * width;
  Brush brush = {scene, MATERIAL_HEDGE, STX_SCENE_VEGETATION, (int)(kind * 999), LEAVES};
  if (kind < .35) {
    brush = (Brush){scene, MATERIAL_BRICK, STX_SCENE_WALL, 0, STONE};
    stx_scene_box(&brush, -half, half, -.3, h, 0, .3);
    stx_scene_box(&brush, -half, half, h, h + .08, -.05, .35);
  } else if (kind < .7) {
    brush = (Brush){scene, MATERIAL_PLANKS, STX_SCENE_FENCE, 0, WOOD};
    stx_scene_box(&brush, -half, half, .05, h, 0, .06);
  } else {
    stx_scene_box(&brush, -half, half, -.2, h, 0, .8);
  }
}
