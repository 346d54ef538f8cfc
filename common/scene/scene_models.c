/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Models of the things of the street, of convex parts, and how they fill the tables of objects,
 * parts, planes and shadows. A model stands in its own frame: origin on the ground, y up, z the way
 * it looks. Sizes are metres; colours linear light.
 */
#include "common/scene/scene_private.h"

#include <math.h>
#include <string.h>

/* ---- Objects and their parts ---------------------------------------------------------------- */

/* Paint of what follows: material, class, pattern, colour. */
typedef struct {
  StxScene *scene;
  Material material;
  int label, variant;
  const float *colour;
} Brush;

/* Begins an object at a place; false when the tables are full. The parts that follow belong to it
 * (at most 64 with 256 planes). */
static bool begin(StxScene *scene, const ScenePlace *place)
{
  if (scene->objects == SCENE_MAX_OBJECTS || scene->parts > SCENE_MAX_PARTS - 64 ||
      scene->planes > SCENE_MAX_PLANES - 256)
    return false;
  scene->object[scene->objects++] =
      (SceneObject){.origin = {place->x, stx_scene_road(scene, place->z) + place->level, place->z},
          .cosine = place->face_z,
          .sine = place->face_x,
          .lo = {INFINITY, INFINITY, INFINITY},
          .hi = {-INFINITY, -INFINITY, -INFINITY},
          .first_part = scene->parts,
          .instance = place->instance,
          .speed = {place->speed[0], place->speed[1]}};
  return true;
}

/* The same, sheared along the slope of the road: for what is long and stands on wheels. */
static bool begin_on_slope(StxScene *scene, const ScenePlace *place)
{
  if (!begin(scene, place))
    return false;
  scene->object[scene->objects - 1].slope = stx_scene_ground_slope(scene, place->z);
  return true;
}

void stx_scene_part_bounds(const ScenePart *part, double lo[3], double hi[3])
{
  const double *a = part->a, *b = part->b, r = part->r;
  for (int i = 0; i < 3; i++) {
    lo[i] = a[i];
    hi[i] = b[i];
    if (part->shape == SHAPE_CAPSULE) {
      lo[i] = scene_min(a[i], b[i]) - r;
      hi[i] = scene_max(a[i], b[i]) + r;
    } else if (part->shape == SHAPE_ELLIPSOID) {
      lo[i] = a[i] - b[i];
      hi[i] = a[i] + b[i];
    } else if (part->shape == SHAPE_WHEELS) {
      lo[i] = i == 0 ? -b[1] : a[i] - r;
      hi[i] = i == 0 ? b[1] : a[i] + r;
    }
  }
}

void stx_scene_corner(
    const SceneObject *object, const double lo[3], const double hi[3], int i, double out[3])
{
  double x = (i & 1 ? hi : lo)[0], y = (i & 2 ? hi : lo)[1], z = (i & 4 ? hi : lo)[2];
  double along = object->cosine * z - object->sine * x;
  out[0] = object->origin[0] + object->cosine * x + object->sine * z;
  out[1] = object->origin[1] + y + object->slope * along;
  out[2] = object->origin[2] + along;
}

void stx_scene_sort(const StxScene *scene, uint16_t *order)
{
  for (int i = 0; i < scene->objects; i++) {
    int k = i;
    for (; k > 0 && scene->object[order[k - 1]].near > scene->object[i].near; k--)
      order[k] = order[k - 1];
    order[k] = (uint16_t)i;
  }
}

/* Adds a part to the newest object. */
static ScenePart *add_part(
    const Brush *brush, Shape shape, const double a[3], const double b[3], double r)
{
  StxScene *scene = brush->scene;
  SceneObject *object = &scene->object[scene->objects - 1];
  ScenePart *part = &scene->part[scene->parts++];
  double lo[3], hi[3];
  *part = (ScenePart){.shape = (uint8_t)shape,
      .material = (uint8_t)brush->material,
      .label = (uint8_t)brush->label,
      .variant = (uint16_t)brush->variant,
      .first_plane = (uint16_t)scene->planes,
      .r = r};
  memcpy(part->colour, brush->colour, sizeof part->colour);
  memcpy(part->a, a, sizeof part->a);
  memcpy(part->b, b, sizeof part->b);
  object->parts++;
  stx_scene_part_bounds(part, lo, hi);
  for (int i = 0; i < 3; i++) {
    object->lo[i] = scene_min(object->lo[i], lo[i]);
    object->hi[i] = scene_max(object->hi[i], hi[i]);
  }
  return part;
}

static void box(
    const Brush *brush, double x0, double x1, double y0, double y1, double z0, double z1)
{
  add_part(brush, SHAPE_BOX, (double[3]){x0, y0, z0}, (double[3]){x1, y1, z1}, 0);
}

static void capsule(
    const Brush *brush, double r, double ax, double ay, double az, double bx, double by, double bz)
{
  add_part(brush, SHAPE_CAPSULE, (double[3]){ax, ay, az}, (double[3]){bx, by, bz}, r);
}

static void ellipsoid(
    const Brush *brush, double x, double y, double z, double rx, double ry, double rz)
{
  add_part(brush, SHAPE_ELLIPSOID, (double[3]){x, y, z}, (double[3]){rx, ry, rz}, 0);
}

/* Two wheels of radius r on the ground: inner < |x| < outer, axle at z. */
static void wheels(const Brush *brush, double z, double r, double inner, double outer)
{
  add_part(brush, SHAPE_WHEELS, (double[3]){0, r, z}, (double[3]){inner, outer, 0}, r);
}

static void add_plane(StxScene *scene, ScenePart *part, double nx, double ny, double nz, double d)
{
  double length = sqrt(nx * nx + ny * ny + nz * nz);
  scene->plane[scene->planes++] = (ScenePlane){{nx / length, ny / length, nz / length}, d / length};
  part->planes++;
}

/* A convex profile in (z, y), either sense of turn, drawn out to |x| + taper·(y − lowest y) <=
 * half. */
static ScenePart *prism(
    const Brush *brush, const double (*zy)[2], int corners, double half, double taper)
{
  double lo[3] = {-half, INFINITY, INFINITY}, hi[3] = {half, -INFINITY, -INFINITY},
         middle[2] = {0, 0};
  for (int i = 0; i < corners; i++)
    for (int k = 0; k < 2; k++) {
      lo[2 - k] = scene_min(lo[2 - k], zy[i][k]);
      hi[2 - k] = scene_max(hi[2 - k], zy[i][k]);
      middle[k] += zy[i][k] / corners;
    }
  ScenePart *part = add_part(brush, SHAPE_CONVEX, lo, hi, 0);
  for (int i = 0; i < corners; i++) {
    const double *p = zy[i], *q = zy[(i + 1) % corners];
    double nz = q[1] - p[1], ny = p[0] - q[0];
    double sign = nz * (middle[0] - p[0]) + ny * (middle[1] - p[1]) > 0 ? -1 : 1;
    add_plane(brush->scene, part, 0, sign * ny, sign * nz, sign * (nz * p[0] + ny * p[1]));
  }
  for (int side = -1; side <= 1; side += 2)
    add_plane(brush->scene, part, side, taper, 0, half + taper * lo[1]);
  return part;
}

/* A plate in the plane z = const: the triangle with a horizontal base and equal sides of 60°. */
static void triangle(const Brush *brush, double base, double apex, double z, double thickness)
{
  double half = (apex - base) * .5773503;
  ScenePart *part = add_part(
      brush, SHAPE_CONVEX, (double[3]){-half, base, z}, (double[3]){half, apex, z + thickness}, 0);
  add_plane(brush->scene, part, 0, 0, 1, z + thickness);
  add_plane(brush->scene, part, 0, 0, -1, -z);
  add_plane(brush->scene, part, 0, -1, 0, -base);
  add_plane(brush->scene, part, 1.7320508, 1, 0, apex);
  add_plane(brush->scene, part, -1.7320508, 1, 0, apex);
}

/* The shadow of the newest object: its outline as a patch on the ground, away from the sun by the
 * shadow of something `up` metres high; round: an ellipse. */
static void add_shadow(StxScene *scene, double up, double half_x, double half_z, double soft,
    float strength, bool round)
{
  if (scene->shadows == SCENE_MAX_SHADOWS)
    return;
  const SceneObject *object = &scene->object[scene->objects - 1];
  scene->shadow[scene->shadows++] =
      (SceneShadow){.x = object->origin[0] - up * SCENE_SUN_X / SCENE_SUN_Y,
          .z = object->origin[2] - up * SCENE_SUN_Z / SCENE_SUN_Y,
          .cosine = object->cosine,
          .sine = object->sine,
          .half_x = half_x,
          .half_z = half_z,
          .soft = soft,
          .strength = strength,
          .round = round,
          .contact = up == 0};
}

/* ---- Colours ------------------------------------------------------------------------------- */

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
  if (!begin_on_slope(scene, place))
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
  prism(&paint, body, 8, .87, .04)->r = axle;
  glass.material = MATERIAL_GLASS;
  prism(&glass, cabin, 6, .84, .24);
  tyre.material = MATERIAL_WHEEL;
  tyre.colour = DARK;
  wheels(&tyre, axle, .32, .6, .875);
  wheels(&tyre, -axle, .32, .6, .875);
  paint.material = MATERIAL_PLAIN;
  box(&paint, -1.0, -.8, waist + .04, waist + .17, l - 1.5, l - 1.36);
  box(&paint, .8, 1.0, waist + .04, waist + .17, l - 1.5, l - 1.36);
  add_shadow(scene, 0, .8, l - .1, .16, .82f, false);
  add_shadow(scene, .75, .8, l - .3, .35, .55f, false);
}

void stx_scene_van(StxScene *scene, const ScenePlace *place)
{
  if (!begin_on_slope(scene, place))
    return;
  uint64_t key = place->key;
  const double cab[][2] = {
      {3.4, .35}, {3.45, 1.2}, {3.2, 1.5}, {2.75, 2.4}, {1.7, 2.5}, {1.7, .35}};
  Brush brush = {scene, MATERIAL_GLASS, STX_SCENE_TRUCK, 0, PICK(PALETTE_CAR, &key)};
  prism(&brush, cab, 6, 1.05, .03);
  brush.material = MATERIAL_PLAIN;
  brush.colour = scene_uniform(&key) < .6 ? WHITE : PICK(PALETTE_CAR, &key);
  box(&brush, -1.15, 1.15, .75, scene_between(&key, 2.8, 3.3), -3.3, 1.6);
  brush.colour = DARK;
  box(&brush, -1, 1, .45, .75, -3.2, 1.7);
  brush.material = MATERIAL_WHEEL;
  wheels(&brush, 2.5, .42, .75, 1.08);
  wheels(&brush, -1.9, .42, .6, 1.08);
  add_shadow(scene, 0, 1.1, 3.3, .2, .85f, false);
  add_shadow(scene, 1.3, 1.1, 3.2, .5, .6f, false);
}

void stx_scene_bus(StxScene *scene, const ScenePlace *place)
{
  if (!begin_on_slope(scene, place))
    return;
  static const float LIVERY[][3] = {{.50f, .33f, .03f}, {.42f, .05f, .04f}, {.05f, .16f, .38f}};
  uint64_t key = place->key;
  const double hull[][2] = {
      {5.8, .3}, {5.9, 1.0}, {5.7, 2.9}, {5.4, 3.05}, {-5.6, 3.05}, {-5.8, 2.8}, {-5.8, .3}};
  Brush brush = {scene, MATERIAL_BUS, STX_SCENE_BUS, 0, PICK(LIVERY, &key)};
  prism(&brush, hull, 7, 1.26, .01)->r = 3;
  brush.material = MATERIAL_WHEEL;
  brush.colour = DARK;
  wheels(&brush, 3.3, .48, .9, 1.27);
  wheels(&brush, -2.9, .48, .9, 1.27);
  add_shadow(scene, 0, 1.2, 5.8, .2, .85f, false);
  add_shadow(scene, 1.4, 1.2, 5.7, .5, .6f, false);
}

/* ---- People -------------------------------------------------------------------------------- */

void stx_scene_person(StxScene *scene, const ScenePlace *place, double stride)
{
  if (!begin(scene, place))
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
    capsule(&trousers, .075, side * .09, hip, 0, side * .09, .28 * h, .6 * foot + .04);
    capsule(&trousers, .06, side * .09, .28 * h, .6 * foot + .04, side * .09, .07, foot);
    capsule(&hair, .05, side * .09, .05, foot - .04, side * .09, .05, foot + .14);
    capsule(&top, .125, side * .075, hip + .08, 0, side * .085, shoulder - .1, 0);
    capsule(&top, .055, side * .21, shoulder - .06, 0, side * .25, .6 * h, -.45 * foot);
    capsule(&top, .045, side * .25, .6 * h, -.45 * foot, side * .23, .47 * h, -.7 * foot + .08);
    ellipsoid(&skin, side * .23, .45 * h, -.75 * foot + .09, .045, .06, .05);
  }
  capsule(&skin, .055, 0, shoulder - .02, 0, 0, .9 * h, .01);
  ellipsoid(&skin, 0, .93 * h, .02, .085, .12, .1);
  ellipsoid(&hair, 0, .945 * h, -.015, .094, .118, .1);
  add_shadow(scene, 0, .2, .25, .15, .55f, true);
  add_shadow(scene, .55, .16, .2, .3, .4f, true);
}

/* ---- Trees and street furniture ------------------------------------------------------------ */

void stx_scene_tree(StxScene *scene, const ScenePlace *place)
{
  if (!begin(scene, place))
    return;
  uint64_t key = place->key;
  double trunk = scene_between(&key, 2.3, 3.0), crown = scene_between(&key, 1.5, 2.3),
         r = scene_between(&key, .11, .19);
  Brush brush = {scene, MATERIAL_BARK, STX_SCENE_VEGETATION, 0, BARK};
  capsule(&brush, r, 0, -.3, 0, 0, trunk + .5 * crown, 0);
  capsule(&brush, .5 * r, 0, trunk - .2, 0, .5 * crown, trunk + .7 * crown, .2 * crown);
  capsule(&brush, .5 * r, 0, trunk - .1, 0, -.5 * crown, trunk + .8 * crown, -.1 * crown);
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
    ellipsoid(&brush, x, y, z, size, size * .85, size);
  }
  add_shadow(scene, trunk + crown, crown * 1.1, crown * 1.1, .7, .5f, true);
  add_shadow(scene, .5 * trunk, .1, .8, .25, .3f, false);
}

void stx_scene_lamp(StxScene *scene, const ScenePlace *place)
{
  if (!begin(scene, place))
    return;
  Brush brush = {scene, MATERIAL_PLAIN, STX_SCENE_POLE, 0, METAL};
  capsule(&brush, .09, 0, -.3, 0, 0, 1.1, 0);
  capsule(&brush, .06, 0, 1, 0, 0, 6.6, 0);
  capsule(&brush, .04, 0, 6.6, 0, 0, 7.0, 1.5);
  box(&brush, -.13, .13, 6.93, 7.06, 1.3, 2.0);
  add_shadow(scene, 0, .1, .1, .12, .5f, true);
}

void stx_scene_sign(StxScene *scene, const ScenePlace *place)
{
  static const float BLUE[3] = {.02f, .09f, .38f};
  if (!begin(scene, place))
    return;
  uint64_t key = place->key;
  int kind = (int)(scene_uniform(&key) * 3);
  Brush brush = {scene, MATERIAL_PLAIN, STX_SCENE_POLE, 0, METAL};
  capsule(&brush, .032, 0, -.2, 0, 0, 2.75, 0);
  brush.label = STX_SCENE_SIGN;
  brush.colour = kind == 2 ? BLUE : WHITE;
  brush.material = kind == 2   ? MATERIAL_SIGN_BLUE
                   : kind == 1 ? MATERIAL_SIGN_TRIANGLE
                               : MATERIAL_SIGN_ROUND;
  if (kind == 0) {
    ellipsoid(&brush, 0, 2.45, .045, .33, .33, .012);
  } else if (kind == 2) {
    box(&brush, -.31, .31, 2.13, 2.75, .034, .05);
  } else {
    triangle(&brush, 2.15, 2.83, .035, .02);
  }
}

void stx_scene_traffic_light(StxScene *scene, const ScenePlace *place)
{
  if (!begin(scene, place))
    return;
  Brush brush = {scene, MATERIAL_PLAIN, STX_SCENE_POLE, 0, METAL};
  capsule(&brush, .06, 0, -.2, 0, 0, 2.5, 0);
  brush = (Brush){scene, MATERIAL_TRAFFIC_LIGHT, STX_SCENE_LIGHT, 0, DARK};
  box(&brush, -.17, .17, 2.35, 3.3, -.12, .14);
  add_shadow(scene, 0, .1, .1, .12, .5f, true);
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
  prism(&tiles, gable, 4, .5 * width, scene_uniform(key) < .3 ? .7 : 0);
  brick.material = MATERIAL_BRICK;
  brick.colour = TILES[0];
  double x = scene_between(key, -.35, .35) * width;
  box(&brick, x - .4, x + .4, eaves + .5 * rise, eaves + rise + .9, depth * .35, depth * .35 + .7);
}

double stx_scene_building(StxScene *scene, const ScenePlace *place, double width, double depth)
{
  static const float WALLS[][3] = {{.56f, .47f, .33f}, {.60f, .56f, .48f}, {.52f, .36f, .20f},
      {.44f, .22f, .14f}, {.42f, .44f, .42f}, {.50f, .46f, .30f}, {.36f, .16f, .10f},
      {.58f, .42f, .34f}, {.34f, .38f, .42f}};
  if (!begin(scene, place))
    return -1e9;
  uint64_t key = place->key;
  Brush brush = {scene, MATERIAL_FACADE, STX_SCENE_BUILDING, (int)(scene_uniform(&key) * 65536),
      PICK(WALLS, &key)};
  int storeys = 2 + (int)(scene_uniform(&key) * 3.6);
  double eaves = 3.7 + 3.1 * (storeys - 1) + .5, half = .5 * width;
  box(&brush, -half, half, -4, eaves, 0, depth);
  brush.material = MATERIAL_PLAIN;
  brush.colour = WHITE;
  box(&brush, -half, half, eaves - .35, eaves, -.25, .1);
  if (scene_uniform(&key) < .7) {
    roof(&brush, &key, width, depth, eaves);
  } else {
    brush.colour = METAL;
    box(&brush, -.3 * half, .2 * half, eaves, eaves + 1.6, .4 * depth, .8 * depth);
  }
  return eaves;
}

void stx_scene_barrier(StxScene *scene, const ScenePlace *place, double width)
{
  static const float STONE[3] = {.32f, .30f, .26f}, WOOD[3] = {.24f, .15f, .08f};
  if (!begin_on_slope(scene, place))
    return;
  uint64_t key = place->key;
  double kind = scene_uniform(&key), h = scene_between(&key, 1.1, 1.9), half = .5 * width;
  Brush brush = {scene, MATERIAL_HEDGE, STX_SCENE_VEGETATION, (int)(kind * 999), LEAVES};
  if (kind < .35) {
    brush = (Brush){scene, MATERIAL_BRICK, STX_SCENE_WALL, 0, STONE};
    box(&brush, -half, half, -.3, h, 0, .3);
    box(&brush, -half, half, h, h + .08, -.05, .35);
  } else if (kind < .7) {
    brush = (Brush){scene, MATERIAL_PLANKS, STX_SCENE_FENCE, 0, WOOD};
    box(&brush, -half, half, .05, h, 0, .06);
  } else {
    box(&brush, -half, half, -.2, h, 0, .8);
  }
}

/* ---- Small things on the road --------------------------------------------------------------- */

void stx_scene_hazard(StxScene *scene, const ScenePlace *place, const StxSceneHazard *hazard)
{
  static const float CARDBOARD[][3] = {{.33f, .22f, .12f}, {.24f, .16f, .09f}, {.45f, .40f, .33f}},
                     PINE[3] = {.33f, .24f, .14f}, RUBBER[3] = {.045f, .045f, .048f},
                     KERB[3] = {.26f, .255f, .245f};
  if (hazard->thing == STX_SCENE_PIT || !begin_on_slope(scene, place))
    return;
  uint64_t key = place->key;
  double half = .5 * hazard->width, deep = .5 * hazard->length, h = hazard->height;
  Brush brush = {scene, MATERIAL_PLAIN, STX_SCENE_VOID, 0, PICK(CARDBOARD, &key)};
  if (hazard->thing == STX_SCENE_TYRE) {
    brush.colour = RUBBER;
    for (int i = 0; i < 8; i++) {
      static const double ring[9][2] = {{1, 0}, {.7071068, .7071068}, {0, 1}, {-.7071068, .7071068},
          {-1, 0}, {-.7071068, -.7071068}, {0, -1}, {.7071068, -.7071068}, {1, 0}};
      double r = half - .5 * h;
      capsule(&brush, .5 * h, r * ring[i][0], .5 * h, r * ring[i][1], r * ring[i + 1][0], .5 * h,
          r * ring[i + 1][1]);
    }
  } else if (hazard->thing == STX_SCENE_PALLET) {
    brush.material = MATERIAL_PLANKS;
    brush.colour = PINE;
    box(&brush, -half, half, .6 * h, h, -deep, deep);
    for (int i = -1; i <= 1; i++)
      box(&brush, i * (half - .06) - .06, i * (half - .06) + .06, -.02, .6 * h, -deep, deep);
  } else {
    if (hazard->thing == STX_SCENE_BAR)
      brush.colour = KERB;
    box(&brush, -half, half, -.02, h, -deep, deep);
  }
  add_shadow(scene, 0, half, deep, .5 * h, .6f, hazard->thing == STX_SCENE_TYRE);
  add_shadow(scene, .5 * h, half, deep, .3 * h, .6f, hazard->thing == STX_SCENE_TYRE);
}
