/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The places of things. The street is cut into cells of equal length per kind of thing; a hash of
 * (seed, kind, cell) says whether the cell holds one and how it looks. Cell k begins at k·length
 * metres from the street's beginning, wherever the camera is, so things stay put from frame to
 * frame. Traffic and walkers live in cells that move at the speed of their lane, so that they never
 * meet on the same lane.
 *
 * Every draw from a key is a statement of its own: C leaves open in which order arguments are
 * evaluated, and the street must be the same whatever compiler built it.
 */
#include "common/scene/scene_private.h"

#include <math.h>

enum {
  KIND_LOT = 10,
  KIND_GARDEN,
  KIND_PARKED,
  KIND_TREE,
  KIND_LAMP,
  KIND_SIGN,
  KIND_CROSSING,
  KIND_LANE,
  KIND_WALKER,
  KIND_HAZARD = 30,
  KIND_CROSSER
};

enum { LEFT_SIDE, RIGHT_SIDE };

#define EARLY .5 /* s: so long before us the traffic ahead brakes */

/* One row of cells and how the camera stands to it. */
typedef struct {
  unsigned kind;
  double length, speed; /* of a cell, of the row along z */
  double from, to;      /* z of interest relative to the camera */
  double way;           /* that the row went beyond what it would have at that speed, metres */
} Row;

/* Fills one cell that begins at z. */
typedef void Placer(
    StxScene *scene, const Row *row, int side, int64_t cell, double z, uint64_t key);
#define PLACER(name)                                                                               \
  static void name(StxScene *scene, const Row *row, int side, int64_t cell, double z, uint64_t key)

static unsigned instance_of(unsigned kind, int side, int64_t cell)
{
  return 1 + (unsigned)(scene_key((uint64_t)side, kind, cell) % 65535);
}

/* The distance of the row's cells from where they were at first. */
static double shift_of(const StxScene *scene, const Row *row)
{
  return row->speed * scene->time + row->way - scene->travelled;
}

static void walk_row(StxScene *scene, const Row *row, int side, Placer *place)
{
  double shift = shift_of(scene, row);
  int64_t first = scene_floor((row->from - shift) / row->length),
          last = scene_floor((row->to - shift) / row->length);
  for (int64_t cell = first; cell <= last; cell++)
    place(scene, row, side, cell, (double)cell * row->length + shift,
        scene_key(scene->params.seed, row->kind + 100 * (unsigned)side, cell));
}

/* `out` metres from the kerb, away from the road. */
static double beside(int side, double out)
{
  return side == LEFT_SIDE ? SCENE_KERB_LEFT - out : SCENE_KERB_RIGHT + out;
}

static ScenePlace on_walk(int side, double out, double z, uint64_t key, unsigned instance)
{
  return (ScenePlace){.x = beside(side, out),
      .z = z,
      .face_z = -1,
      .level = SCENE_KERB_HEIGHT,
      .key = key,
      .instance = instance};
}

/* ---- Buildings and gardens ------------------------------------------------------------------ */

/* The start of lot `cell`: jittered, shared by both neighbours. */
static double lot_edge(const StxScene *scene, int side, int64_t cell, double z)
{
  uint64_t key = scene_key(scene->params.seed, KIND_GARDEN + 200 + (unsigned)side, cell);
  return z + scene_between(&key, -3, 3);
}

static void garden(StxScene *scene, int side, const ScenePlace *place, double z0, double z1)
{
  uint64_t key = scene_mix(place->key);
  ScenePlace hedge = *place;
  hedge.key = scene_mix(key);
  hedge.x = beside(side, SCENE_WALK + .1);
  stx_scene_barrier(scene, &hedge, z1 - z0 - .4);
  for (int i = 0; i < 3; i++) {
    uint64_t own = key;
    double at = scene_between(&key, z0 + 2, z1 - 2);
    double out = scene_between(&key, SCENE_WALK + 2.6, SCENE_WALK + 11);
    ScenePlace tree = on_walk(side, out, at, own, place->instance);
    stx_scene_tree(scene, &tree);
  }
}

PLACER(place_lot)
{
  double z0 = lot_edge(scene, side, cell, z), z1 = lot_edge(scene, side, cell + 1, z + SCENE_LOT);
  double setback = scene_uniform(&key) < .6 ? 0 : scene_between(&key, 0, 1.8);
  ScenePlace place = on_walk(
      side, SCENE_WALK + .02 + setback, .5 * (z0 + z1), key, instance_of(KIND_LOT, side, cell));
  place.face_z = 0;
  place.face_x = side == LEFT_SIDE ? -1 : 1;
  SceneLot lot = {z0, z1, place.x, -1e9};
  if (scene_uniform(&key) < .8)
    lot.top = stx_scene_road(scene, place.z) + place.level +
              stx_scene_building(scene, &place, z1 - z0, scene_between(&key, 9, 13));
  else
    garden(scene, side, &place, z0, z1);
  if (scene->lots[side] < SCENE_MAX_LOTS)
    scene->lot[side][scene->lots[side]++] = lot;
}

/* ---- Zebra crossings ------------------------------------------------------------------------- */

double stx_scene_crossing(const StxScene *scene, double z)
{
  double i = (z + scene->travelled) * (1 / SCENE_CROSSING) - (double)scene->stretch;
  return scene->crossing[(int)scene_clamp(i, 0, SCENE_CROSSINGS - 1)];
}

static bool near_crossing(const StxScene *scene, double z)
{
  return scene_abs(z - stx_scene_crossing(scene, z)) < 6;
}

/* ---- Along the kerb -------------------------------------------------------------------------- */

PLACER(place_parked)
{
  double share = side == LEFT_SIDE ? stx_scene_traits(scene)->parked : .62;
  z += scene_between(&key, 2.8, 3.4);
  if (scene_uniform(&key) > share || near_crossing(scene, z))
    return;
  double turn = scene_between(&key, -.025, .025), forward = side == LEFT_SIDE ? -1 : 1;
  double length = sqrt(1 + turn * turn), inside = scene_between(&key, 1.1, 1.25);
  ScenePlace place = {.x = beside(side, -inside),
      .z = z,
      .face_x = turn / length,
      .face_z = forward / length,
      .key = key,
      .instance = instance_of(KIND_PARKED, side, cell)};
  stx_scene_car(scene, &place);
}

PLACER(place_tree)
{
  z += scene_between(&key, 3, 8);
  ScenePlace place = on_walk(side, .75, z, key, instance_of(KIND_TREE, side, cell));
  if (scene_uniform(&key) < .5 && !near_crossing(scene, z))
    stx_scene_tree(scene, &place);
}

PLACER(place_lamp)
{
  uint64_t own = key;
  z += scene_between(&key, 0, 2);
  ScenePlace place = on_walk(side, .4, z, own, instance_of(KIND_LAMP, side, cell));
  place.face_x = side == LEFT_SIDE ? 1 : -1;
  place.face_z = 0;
  stx_scene_lamp(scene, &place);
}

PLACER(place_sign)
{
  uint64_t own = key;
  z += scene_between(&key, 4, 18);
  ScenePlace place = on_walk(side, .35, z, own, instance_of(KIND_SIGN, side, cell));
  if (scene_uniform(&key) < .75)
    stx_scene_sign(scene, &place);
}

PLACER(place_crossing)
{
  double at = stx_scene_crossing(scene, z + .5 * SCENE_CROSSING);
  ScenePlace light = on_walk(side, .35, at + (side == LEFT_SIDE ? 2.6 : -2.6), key,
      instance_of(KIND_CROSSING, side, cell));
  stx_scene_traffic_light(scene, &light);
  for (int i = 0; i < 2; i++) {
    uint64_t own = key + 77;
    double along = at + scene_between(&key, -1.2, 1.2), out = scene_between(&key, .35, 1);
    ScenePlace person =
        on_walk(side, out, along, own, instance_of(KIND_CROSSING + 50, side, cell * 2 + i));
    person.face_x = side == LEFT_SIDE ? 1 : -1;
    person.face_z = 0;
    if (scene_uniform(&key) < .75)
      stx_scene_person(scene, &person, .25);
  }
}

/* ---- Traffic and walkers --------------------------------------------------------------------- */

static void vehicle(StxScene *scene, ScenePlace *place)
{
  double tall = .84 * stx_scene_traits(scene)->tall;
  double which = tall + (1 - tall) * scene_uniform(&place->key);
  if (which < .84)
    stx_scene_car(scene, place);
  else if (which < .95)
    stx_scene_van(scene, place);
  else
    stx_scene_bus(scene, place);
}

PLACER(place_oncoming)
{
  double x = SCENE_LANE_LEFT + scene_between(&key, -.2, .2), at = z + scene_between(&key, 7, 15);
  ScenePlace place = {.x = x,
      .z = at,
      .face_z = -1,
      .instance = instance_of(KIND_LANE, side, cell),
      .speed = {0, row->speed}};
  if (scene_uniform(&key) > stx_scene_traits(scene)->oncoming)
    return;
  place.key = key;
  vehicle(scene, &place);
}

/* Traffic ahead drives as we do. The gap around ourselves stays empty. */
PLACER(place_ahead)
{
  double x = scene_between(&key, -.2, .25), at = z + scene_between(&key, 2, 10);
  double home = at - shift_of(scene, row);
  ScenePlace place = {.x = x,
      .z = at,
      .face_z = 1,
      .instance = instance_of(KIND_LANE, side, cell),
      .speed = {0, row->speed}};
  if (scene_uniform(&key) > stx_scene_traits(scene)->ahead || (home > -14 && home < 14))
    return;
  place.key = key;
  vehicle(scene, &place);
}

/* The distance of the feet, -1 … 1, after so many steps: two are a period. */
static double stride_of(double steps)
{
  double phase = steps - 2 * (double)scene_floor(.5 * steps);
  return phase < 1 ? 1 - 2 * phase : 2 * phase - 3;
}

PLACER(place_walker)
{
  double speed = row->speed;
  key ^= speed < 0 ? 99 : 0;
  double stride = stride_of(2 * (scene->time * scene_abs(speed) / 1.5 + scene_uniform(&key)));
  uint64_t own = key + 5;
  double at = z + scene_between(&key, 1, 5.5), out = scene_between(&key, 1.3, 3.3);
  ScenePlace place =
      on_walk(side, out, at, own, instance_of(KIND_WALKER + (speed > 0), side, cell));
  place.face_z = speed > 0 ? 1 : -1;
  place.speed[1] = speed;
  if (scene_uniform(&key) < stx_scene_traits(scene)->walkers)
    stx_scene_person(scene, &place, stride);
}

/* From kerb to kerb and back, between parked cars. When we come, it has just left our lane. */
PLACER(place_crosser)
{
  const double low = SCENE_KERB_LEFT - 1.2, width = SCENE_KERB_RIGHT + 1.2 - low;
  uint64_t own = key + 5;
  double speed = scene_between(&key, 1, 1.9), beyond = scene_between(&key, 2.2, 5);
  double ours = scene->params.speed > 0 ? (double)cell * row->length / scene->params.speed : 0;
  double went = beyond + speed * (scene->time - ours);
  bool right = scene_uniform(&key) < .5;
  double way = (right ? went : -went) - low; /* back, too, from the far kerb */
  way -= 2 * width * (double)scene_floor(way / (2 * width));
  right = right == (way < width);
  double x = low + (way < width ? way : 2 * width - way);
  ScenePlace place = {.x = x,
      .z = z,
      .face_x = right ? 1 : -1,
      .level = x > SCENE_KERB_LEFT && x < SCENE_KERB_RIGHT ? 0 : SCENE_KERB_HEIGHT,
      .key = own,
      .instance = instance_of(KIND_CROSSER, side, cell),
      .speed = {right ? speed : -speed, 0}};
  stx_scene_person(scene, &place, stride_of(2 * went / 1.5));
}

/* ---- Small things on the road --------------------------------------------------------------- */

/* Width and length of one of each, from … to. */
static const double thing_sizes[][2][2] = {
    [STX_SCENE_BOX] = {{.3, .6}, {.3, .6}},
    [STX_SCENE_PALLET] = {{.8, 1.2}, {.8, 1.2}},
    [STX_SCENE_TYRE] = {{.55, .7}, {0, 0}},
    [STX_SCENE_BAR] = {{1.2, 2.8}, {.12, .3}},
    [STX_SCENE_PIT] = {{.6, 3}, {.8, 4}},
};

PLACER(place_hazard)
{
  static const double heights[] = {.05, .1, .2, .3};
  uint64_t own = key;
  StxSceneThing thing = (StxSceneThing)(scene_uniform(&key) * 5);
  bool pit = thing == STX_SCENE_PIT;
  double height =
      pit ? -heights[1 + (int)(scene_uniform(&key) * 3)] : heights[(int)(scene_uniform(&key) * 4)];
  if (thing == STX_SCENE_TYRE)
    height = height < .15 ? .1 : .2; /* there are none as flat, or as high, as boxes */
  double width = scene_between(&key, thing_sizes[thing][0][0], thing_sizes[thing][0][1]);
  double length = scene_between(&key, thing_sizes[thing][1][0], thing_sizes[thing][1][1]);
  double at = z + scene_between(&key, 3, 9), turn = scene_between(&key, -.35, .35);
  double x = scene_between(&key, -1.6 + .5 * width, 2.6 - .5 * width);
  if (thing == STX_SCENE_BAR)
    turn *= .3;
  else if (thing == STX_SCENE_TYRE)
    length = width;
  else if (pit)
    turn = 0;
  if (scene->hazards == SCENE_MAX_HAZARDS)
    return;
  StxSceneHazard hazard = {thing, x, at, width, length, turn, height};
  scene->hazard[scene->hazards++] = hazard;
  ScenePlace place = {.x = x,
      .z = at,
      .face_x = turn,
      .face_z = sqrt(1 - turn * turn),
      .key = own,
      .instance = instance_of(KIND_HAZARD, side, cell)};
  stx_scene_hazard(scene, &place, &hazard);
}

void stx_scene_layout(StxScene *scene)
{
  scene->objects = scene->parts = scene->planes = scene->shadows = scene->lots[0] = scene->lots[1] =
      scene->hazards = 0;
  scene->stretch = scene_floor(scene->travelled / SCENE_CROSSING) - 1; /* behind the camera */
  for (int i = 0; i < SCENE_CROSSINGS; i++) {
    uint64_t key = scene_key(scene->params.seed, KIND_CROSSING, scene->stretch + i);
    scene->crossing[i] = (double)(scene->stretch + i) * SCENE_CROSSING +
                         scene_between(&key, 30, 70) - scene->travelled;
  }
  const double from = -SCENE_BEHIND, to = SCENE_AHEAD;
  const struct {
    Row row;
    Placer *place;
  } rows[] = {
      {{KIND_LOT, SCENE_LOT, 0, from, to}, place_lot},
      {{KIND_PARKED, 6.3, 0, from, 160}, place_parked},
      {{KIND_TREE, 11, 0, from, 180}, place_tree},
      {{KIND_LAMP, 32, 0, from, 180}, place_lamp},
      {{KIND_SIGN, 22, 0, from, 140}, place_sign},
      {{KIND_CROSSING, SCENE_CROSSING, 0, from, 180}, place_crossing},
      {{KIND_WALKER, 6.5, 1.25, -20, 130}, place_walker},
      {{KIND_WALKER + 1, 6.5, -1.35, -20, 130}, place_walker},
  };
  for (int side = LEFT_SIDE; side <= RIGHT_SIDE; side++)
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
      walk_row(scene, &rows[i].row, side, rows[i].place);
  uint64_t lane = scene_key(scene->params.seed, KIND_LANE, 0);
  const SceneTraits *traits = stx_scene_traits(scene);
  double oncoming = -scene_between(&lane, 7, 10) * traits->pace;
  walk_row(scene, &(Row){KIND_LANE, 24, oncoming, from, 200}, LEFT_SIDE, place_oncoming);
  if (traits->hazards)
    walk_row(scene, &(Row){KIND_HAZARD, 12, 0, -20, 120}, RIGHT_SIDE, place_hazard);
  if (traits->cross)
    walk_row(scene, &(Row){KIND_CROSSER, 18.9, 0, -20, 130}, RIGHT_SIDE, place_crosser);
  SceneDrive ours = stx_scene_drive(scene, traits->brakes ? EARLY : 0);
  Row ahead = {KIND_LANE, 22, ours.speed, from, 200, ours.way - ours.speed * scene->time};
  if (traits->ahead > 0)
    walk_row(scene, &ahead, RIGHT_SIDE, place_ahead);
  stx_scene_shadow_index(scene);
}
