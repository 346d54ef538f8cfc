/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Geometry of the synthetic street: truth against rays cast without the pictures' tables and
 * against a brute-force walk along the ray. That the views fit: tests/tools/check_eval.py.
 */
#include "tests/common/ground/scan_case.h"

#include "common/scene/scene.h"

#include <math.h>

static StxScene *scene_on(
    StxSceneTerrain terrain, uint64_t seed, int width, int height, int threads)
{
  StxSceneParams params = {.seed = seed,
      .width = width,
      .height = height,
      .speed = 10,
      .terrain = terrain,
      .threads = threads};
  return stx_scan_scene(params);
}

static StxScene *scene_of(uint64_t seed, int width, int height, int threads)
{
  return scene_on(STX_SCENE_GENTLE, seed, width, height, threads);
}

/* ---- Truth ---------------------------------------------------------------------------------- */

static unsigned expected_disparity(const StxScene *scene, double t)
{
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  double value = floor(camera->focal * camera->baseline / t * 256 + .5);
  return value < 65536 ? (unsigned)value : 0;
}

/* stx_scene_cast() asks every object; the pictures ask those that their tiles and covers list. */
STX_TEST(truth_equals_rays_cast_one_by_one)
{
  for (unsigned i = 0; i < 10; i++) {
    STX_AUTO(StxScene) *scene = scene_on(i < 6 ? STX_SCENE_GENTLE : i - 6, i, 411, 143, 0);
    STX_AUTO(StxImage16) disparity = stx_test_image16(411, 143, 0);
    STX_AUTO(StxImage8) labels = stx_test_image8(411, 143, 0);
    stx_scene_move(scene, 37 * i);
    stx_scene_truth(scene, &disparity, &labels);
    for (int y = 0; y < 143; y += 2)
      for (int x = y % 3; x < 411; x += 3) {
        StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, x, y);
        StxSceneHit hit = stx_scene_cast(scene, &ray);
        ck_assert_uint_eq(stx_row16(&disparity, y)[x], expected_disparity(scene, hit.t));
        ck_assert_int_eq(stx_row8(&labels, y)[x], hit.label);
        ck_assert_int_eq(hit.label == STX_SCENE_SKY, isinf(hit.t) != 0);
      }
  }
}

static double above_road(const StxScene *scene, const StxSceneRay *ray, double t)
{
  double y = ray->origin[1] + t * ray->direction[1], z = ray->origin[2] + t * ray->direction[2];
  return y - stx_scene_road(scene, z);
}

/* Small steps, then bisection. */
static double walk_to_road(const StxScene *scene, const StxSceneRay *ray, double limit)
{
  for (double t = 0; t < limit; t += .02) {
    double low = t, high = t + .02;
    if (above_road(scene, ray, high) > 0)
      continue;
    while (high - low > 1e-11 * high)
      *(above_road(scene, ray, .5 * (low + high)) > 0 ? &low : &high) = .5 * (low + high);
    return high;
  }
  return INFINITY;
}

STX_TEST(road_is_where_a_walk_along_the_ray_meets_it)
{
  int checked = 0;
  for (unsigned i = 0; i < 10; i++) {
    STX_AUTO(StxScene) *scene = scene_on(i < 4 ? STX_SCENE_GENTLE : i & 3, 20 + i, 320, 120, 1);
    stx_scene_move(scene, 55 * i);
    for (int y = 30; y < 120; y += 3) {
      StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, 159.5, y);
      StxSceneHit hit = stx_scene_cast(scene, &ray);
      if (hit.label != STX_SCENE_ROAD)
        continue;
      ck_assert_double_eq_tol(walk_to_road(scene, &ray, hit.t + 1), hit.t, 1e-6);
      checked++;
    }
  }
  ck_assert_int_gt(checked, 90);
}

/* On a road of one slope the camera sees D = B/H · (row − (cy − f·slope)), exactly: it does not
 * tilt with the road. On a flat road that is the line of its calibration. */
static void expect_line(StxSceneTerrain terrain, uint64_t seed)
{
  int checked = 0;
  STX_AUTO(StxScene) *scene = scene_on(terrain, seed, 320, 120, 1);
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  double slope = stx_scene_road(scene, 100) / 100;
  ck_assert(terrain == STX_SCENE_FLAT ? slope == 0 : (slope > 0) == (seed % 2 == 0));
  stx_scene_move(scene, 40);
  for (int y = 30; y < 120; y++) {
    StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, 159.5, y);
    StxSceneHit hit = stx_scene_cast(scene, &ray);
    double line = camera->baseline / camera->height * (y - camera->cy + camera->focal * slope);
    if (hit.label != STX_SCENE_ROAD)
      continue;
    ck_assert_double_eq_tol(camera->focal * camera->baseline / hit.t, line, 1e-9);
    checked++;
  }
  ck_assert_int_gt(checked, 20);
}

STX_TEST(roads_of_one_slope_are_lines_of_disparity)
{
  for (uint64_t seed = 0; seed < 4; seed++) {
    expect_line(STX_SCENE_FLAT, seed);
    expect_line(STX_SCENE_SLOPED, seed);
  }
}

/* ---- Rays of any other sensor --------------------------------------------------------------- */

STX_TEST(rays_go_anywhere)
{
  STX_AUTO(StxScene) *scene = scene_of(4, 64, 32, 1);
  StxSceneRay down = {{0, 1.65, 0}, {0, -1, 0}}, up = {{0, 1.65, 0}, {0, 2, 0}};
  StxSceneHit hit = stx_scene_cast(scene, &down);
  ck_assert_double_eq_tol(hit.t, 1.65, 1e-9);
  ck_assert_int_eq(hit.label, STX_SCENE_ROAD);
  ck_assert_uint_eq(hit.instance, 0);
  down.direction[1] = -2; /* t counts in lengths of the direction */
  ck_assert_double_eq_tol(stx_scene_cast(scene, &down).t, .825, 1e-9);
  hit = stx_scene_cast(scene, &up);
  ck_assert_int_eq(hit.label, STX_SCENE_SKY);
  ck_assert(isinf(hit.t));
  for (int i = 0; i < 360; i++) {
    double a = i * 3.14159265358979 / 180;
    StxSceneRay ray = {{0, 1.8, 0}, {sin(a), -.1, cos(a)}};
    hit = stx_scene_cast(scene, &ray);
    ck_assert_msg(hit.t > 0 && hit.t < 60, "%d degrees: t is %g", i, hit.t);
  }
}

/* A car parked ahead keeps its number while we drive 3 m towards it. */
STX_TEST(instances_last)
{
  int same = 0, cars = 0;
  STX_AUTO(StxScene) *scene = scene_of(0, 1242, 375, 1);
  for (int x = 700; x < 1240; x += 10) {
    StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, x, 220);
    StxSceneHit before = stx_scene_cast(scene, &ray);
    if (before.label != STX_SCENE_CAR)
      continue;
    cars++;
    ck_assert_uint_ne(before.instance, 0);
    stx_scene_move(scene, 3);
    StxSceneRay nearer = {{0, 1.65, -3}, {ray.direction[0], ray.direction[1], ray.direction[2]}};
    same += stx_scene_cast(scene, &nearer).instance == before.instance;
    stx_scene_move(scene, 0);
  }
  ck_assert_int_ge(cars, 5);
  ck_assert_int_ge(same, cars / 2);
}

/* ---- Small things on the road --------------------------------------------------------------- */

static StxScene *scene_of_hazards(StxSceneKind kind)
{
  StxError error;
  StxSceneParams params = STX_SCENE_DEFAULTS;
  params.width = 64;
  params.height = 20;
  params.kind = kind;
  params.terrain = STX_SCENE_FLAT;
  StxScene *scene = stx_scene_new(&params, &error);
  ck_assert_msg(scene != NULL, "%s", error.text);
  return scene;
}

/* Straight down on the middle of each: it is as high, or as deep, as it says. */
static void expect_height(const StxScene *scene, const StxSceneHazard *hazard)
{
  double x = hazard->x, from = stx_scene_road(scene, hazard->z) + 1;
  if (hazard->thing == STX_SCENE_TYRE) /* which has a hole */
    x += hazard->width / 2 - hazard->height / 2;
  StxSceneHit hit = stx_scene_cast(scene, &(StxSceneRay){{x, from, hazard->z}, {0, -1, 0}});
  ck_assert_msg(fabs(hit.t - (1 - hazard->height)) < .02, "thing %d, %g high: t %g",
      (int)hazard->thing, hazard->height, hit.t);
  ck_assert_int_eq(hit.label, hazard->thing == STX_SCENE_PIT ? STX_SCENE_ROAD : STX_SCENE_VOID);
}

STX_TEST(hazards_are_what_they_say)
{
  STX_AUTO(StxScene) *scene = scene_of_hazards(STX_SCENE_HAZARDS);
  const StxSceneHazard *list;
  unsigned things = 0;
  size_t all = 0;
  for (uint64_t frame = 0; frame < 400; frame += 80) {
    stx_scene_move(scene, frame);
    size_t count = stx_scene_hazards(scene, &list);
    for (size_t i = 0; i < count; i++) {
      expect_height(scene, &list[i]);
      things |= 1u << list[i].thing;
    }
    all += count;
  }
  ck_assert_uint_gt(all, 40);
  ck_assert_uint_eq(things, 31);
}

STX_TEST(the_usual_street_has_none)
{
  STX_AUTO(StxScene) *scene = scene_of_hazards(STX_SCENE_STREET);
  const StxSceneHazard *list;
  ck_assert_uint_eq(stx_scene_hazards(scene, &list), 0);
}
