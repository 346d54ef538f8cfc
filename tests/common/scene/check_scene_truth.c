/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Geometry of the synthetic street: truth against rays cast without the pictures' tables and
 * against a brute-force walk along the ray; the right picture against what the disparity of the
 * left one promises.
 */
#include "tests/testing.h"

#include "common/scene/scene.h"

#include <math.h>
#include <stdlib.h>

static StxScene *scene_of(uint64_t seed, int width, int height, int threads)
{
  StxSceneParams params = {
      .seed = seed, .width = width, .height = height, .speed = 10, .threads = threads};
  StxError error = {""};
  StxScene *scene = stx_scene_new(&params, &error);
  ck_assert_msg(scene != NULL, "%s", error.text);
  return scene;
}

/* ---- Truth ---------------------------------------------------------------------------------- */

static unsigned expected_disparity(const StxScene *scene, double t)
{
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  double value = floor(camera->focal * camera->baseline / t * 256 + .5);
  return value < 65536 ? (unsigned)value : 0;
}

/* stx_scene_cast() asks every object; the pictures ask those that their tiles and covers list. */
START_TEST(truth_equals_rays_cast_one_by_one)
{
  for (unsigned i = 0; i < 6; i++) {
    StxScene *scene = scene_of(i, 411, 143, 0);
    StxImage16 disparity = stx_test_image16(411, 143, 0);
    StxImage8 labels = stx_test_image8(411, 143, 0);
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
    stx_test_image16_free(&disparity);
    stx_test_image8_free(&labels);
    stx_scene_free(scene);
  }
}
END_TEST

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

START_TEST(road_is_where_a_walk_along_the_ray_meets_it)
{
  int checked = 0;
  for (unsigned i = 0; i < 4; i++) {
    StxScene *scene = scene_of(20 + i, 320, 120, 1);
    stx_scene_move(scene, 55 * i);
    for (int y = 48; y < 120; y += 3) {
      StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, 159.5, y);
      StxSceneHit hit = stx_scene_cast(scene, &ray);
      if (hit.label != STX_SCENE_ROAD)
        continue;
      ck_assert_double_eq_tol(walk_to_road(scene, &ray, hit.t + 1), hit.t, 1e-6);
      checked++;
    }
    stx_scene_free(scene);
  }
  ck_assert_int_gt(checked, 25);
}
END_TEST

START_TEST(the_road_has_a_slope)
{
  double steepest = 0, lowest = 0, highest = 0;
  StxScene *scene = scene_of(0, 64, 32, 1);
  for (double z = -70; z < 590; z += 1) {
    double rise = stx_scene_road(scene, z + .5) - stx_scene_road(scene, z - .5);
    double next = stx_scene_road(scene, z + 1.5) - stx_scene_road(scene, z + .5);
    steepest = fmax(steepest, fabs(rise));
    lowest = fmin(lowest, stx_scene_road(scene, z));
    highest = fmax(highest, stx_scene_road(scene, z));
    ck_assert_double_le(fabs(next - rise), .002); /* no creases */
  }
  ck_assert_double_eq_tol(stx_scene_road(scene, 0), 0, 1e-9);
  ck_assert_double_ge(steepest, .018);
  ck_assert_double_le(steepest, .06);
  ck_assert_double_ge(highest - lowest, 1.5);
  stx_scene_free(scene);
}
END_TEST

/* ---- The pair ------------------------------------------------------------------------------- */

/* Grey value between two pixels of a row. */
static double between(const StxImage8 *grey, double x, int y)
{
  int i = (int)x;
  return (1 - (x - i)) * stx_row8(grey, y)[i] + (x - i) * stx_row8(grey, y)[i + 1];
}

typedef struct {
  long seen, hidden;
  double sum; /* of absolute differences of grey values */
  long bad;   /* differ by more than 12 */
  long textured;
} Agreement;

/* Follows pixel (x, y) of the left picture into the right one. */
static void follow(const StxScene *scene, const StxImage8 *left, const StxImage8 *right, int x,
    int y, Agreement *sum)
{
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, x, y);
  StxSceneHit hit = stx_scene_cast(scene, &ray), there;
  double u = x - camera->focal * camera->baseline / hit.t;
  if (hit.label == STX_SCENE_SKY || u < 1 || u > left->width - 3)
    return;
  ray = stx_scene_ray(scene, STX_SCENE_RIGHT, u, y);
  there = stx_scene_cast(scene, &ray);
  ck_assert_msg(there.t <= hit.t * (1 + 1e-6), "(%d, %d): depth %g, right eye sees through to %g",
      x, y, hit.t, there.t);
  if (there.t < hit.t * (1 - 1e-6)) {
    sum->hidden++;
    return;
  }
  double value = stx_row8(left, y)[x], difference = fabs(value - between(right, u, y));
  sum->seen++;
  sum->sum += difference;
  sum->bad += difference > 12;
  sum->textured += abs(stx_row8(left, y)[x + 1] - stx_row8(left, y)[x - 1]) >= 2;
}

START_TEST(the_right_eye_sees_points_where_disparity_says)
{
  for (unsigned i = 0; i < 3; i++) {
    StxScene *scene = scene_of(i, 1242, 375, 0);
    StxImage8 left = stx_test_image8(1242, 375, 0), right = stx_test_image8(1242, 375, 0);
    Agreement sum = {0};
    stx_scene_move(scene, 13 * i);
    stx_scene_render(scene, STX_SCENE_LEFT, 1, &left);
    stx_scene_render(scene, STX_SCENE_RIGHT, 1, &right);
    for (int y = 3; y < 374; y += 11)
      for (int x = 2; x < 1240; x += 7)
        follow(scene, &left, &right, x, y, &sum);
    ck_assert_int_gt(sum.seen, 3000);
    ck_assert_int_lt(sum.hidden, sum.seen / 5);
    ck_assert_double_lt(sum.sum / (double)sum.seen, 2.5);
    ck_assert_double_lt((double)sum.bad / (double)sum.seen, .04); /* outlines */
    ck_assert_double_gt((double)sum.textured / (double)sum.seen, .4);
    stx_test_image8_free(&left);
    stx_test_image8_free(&right);
    stx_scene_free(scene);
  }
}
END_TEST

/* ---- Rays of any other sensor --------------------------------------------------------------- */

START_TEST(rays_go_anywhere)
{
  StxScene *scene = scene_of(4, 64, 32, 1);
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
  stx_scene_free(scene);
}
END_TEST

/* A car parked ahead keeps its number while we drive 3 m towards it. */
START_TEST(instances_last)
{
  int same = 0, cars = 0;
  StxScene *scene = scene_of(0, 1242, 375, 1);
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
  stx_scene_free(scene);
}
END_TEST

static const StxTest tests[] = {
    {&truth_equals_rays_cast_one_by_one},
    {&road_is_where_a_walk_along_the_ray_meets_it},
    {&the_road_has_a_slope},
    {&the_right_eye_sees_points_where_disparity_says},
    {&rays_go_anywhere},
    {&instances_last},
};
STX_TESTING_MAIN("scene-truth", tests)
