/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Obstacles and free space of scans, by literal points. */
#include "tests/testing.h"

#include <math.h>
#include <string.h>

#include "common/ground/ground.h"
#include "common/obstacles/obstacles.h"

#define MOST 4096

static float points[MOST][4];
static uint32_t labels[MOST];

static void add(StxObstaclesScan *scan, double x, double y, double z, uint32_t label)
{
  ck_assert_uint_lt(scan->count, MOST);
  float *p = points[scan->count];
  p[0] = (float)x;
  p[1] = (float)y;
  p[2] = (float)z;
  labels[scan->count++] = label;
}

static StxObstaclesScan new_scan(uint64_t time)
{
  StxObstaclesScan scan = {.points = points[0], .labels = labels, .time = time};
  for (int x = -20; x <= 20; x++)
    for (int y = -20; y <= 20; y++)
      add(&scan, x, y, -1.7, STX_POINT_GROUND);
  return scan;
}

/* A box of 10 x 10 x 5 points, its nearest corner at x, y; of 1.5 m height from `foot` on. */
static void add_box(StxObstaclesScan *scan, double x, double y, double foot, uint32_t cluster)
{
  for (int i = 0; i < 10; i++)
    for (int k = 0; k < 10; k++)
      for (int h = 0; h < 5; h++)
        add(scan, x + .2 * i, y + .2 * k, -1.7 + foot + .1 + 1.4 * h / 4,
            cluster << 16 | STX_POINT_OBSTACLE);
}

static StxObstaclesResult run(StxObstacles *state, const StxObstaclesScan *scan)
{
  static const StxObstaclesParams params = STX_OBSTACLES_DEFAULTS;
  StxObstaclesResult result;
  StxError error = {""};
  ck_assert_msg(stx_obstacles_prepare(state, &params, MOST, 0, &error), "%s", error.text);
  ck_assert_msg(stx_obstacles_of_scan(state, scan, &result, &error), "%s", error.text);
  return result;
}

/* x forward and y to the left become z, and x to the right. */
START_TEST(clusters_are_obstacles_by_range)
{
  StxObstacles *state = stx_obstacles_new();
  StxObstaclesScan scan = new_scan(0);
  add_box(&scan, 10, 2, 0, 1);
  add_box(&scan, -8, -1, 0, 2);
  StxObstaclesResult result = run(state, &scan);
  ck_assert_uint_eq(result.count, 2);
  const StxObstacle *behind = &result.obstacles[0], *ahead = &result.obstacles[1];
  ck_assert_double_eq_tol((double)ahead->z, 10, .2);
  ck_assert_double_eq_tol((double)ahead->x, -2.9, .01);
  ck_assert_double_eq_tol((double)ahead->y, 1.7, .01);
  ck_assert_double_eq_tol((double)ahead->width, 1.8, .01);
  ck_assert_double_eq_tol((double)ahead->height, 1.5, .01);
  ck_assert_double_eq_tol((double)ahead->depth, 1.8, .25);
  ck_assert_double_eq_tol((double)behind->z, -6.2, .2);
  ck_assert_uint_eq(ahead->count, 500);
  ck_assert_uint_eq(ahead->source, STX_OBSTACLE_LIDAR);
  ck_assert_uint_eq(ahead->right, 0);
  ck_assert_uint_eq(ahead->label, 255);
  for (size_t i = 0; i < scan.count; i++)
    ck_assert_uint_eq(result.members[i], labels[i] >> 16 == 1   ? 1
                                         : labels[i] >> 16 == 2 ? 0
                                                                : STX_FREE_NO_OBSTACLE);
  stx_obstacles_free(state);
}
END_TEST

/* Sector 0 begins straight ahead, sectors go on to the right. */
START_TEST(free_space_goes_clockwise)
{
  StxObstacles *state = stx_obstacles_new();
  StxObstaclesScan scan = new_scan(0);
  add(&scan, 10, -.05, -1, STX_POINT_OBSTACLE);            /* in no cluster */
  add(&scan, -.05, -5, -1, 3u << 16 | STX_POINT_OBSTACLE); /* to the right */
  add(&scan, 4, .05, -1, 4u << 16 | STX_POINT_OBSTACLE);   /* just left of ahead */
  add(&scan, 2, .01, 2, STX_POINT_OBSTACLE);               /* above our heads */
  StxObstaclesResult result = run(state, &scan);
  ck_assert_uint_eq(result.directions, 360);
  ck_assert_double_eq((double)result.free_space[0].z, 10);
  ck_assert_uint_eq(result.free_space[0].obstacle, STX_FREE_NO_OBSTACLE);
  ck_assert_double_eq((double)result.free_space[90].x, 5);
  ck_assert_double_eq((double)result.free_space[359].z, 4);
  ck_assert(isinf(result.free_space[180].z));
  stx_obstacles_free(state);
}
END_TEST

START_TEST(what_hangs_above_is_not_in_the_way)
{
  StxObstacles *state = stx_obstacles_new();
  StxObstaclesScan scan = new_scan(0);
  add_box(&scan, 10, 2, 2.5, 1);
  StxObstaclesResult result = run(state, &scan);
  ck_assert_uint_eq(result.count, 0);
  stx_obstacles_free(state);
}
END_TEST

START_TEST(clusters_keep_their_ids_whatever_their_numbers)
{
  StxObstacles *state = stx_obstacles_new();
  StxObstaclesResult result;
  for (uint32_t i = 0; i < 10; i++) {
    StxObstaclesScan scan = new_scan(i * UINT64_C(100000000));
    add_box(&scan, 12 - .5 * i, 2, 0, 1 + i);
    add_box(&scan, 8, -5, 0, 2 + i);
    result = run(state, &scan);
    ck_assert_uint_eq(result.count, 2);
    for (size_t k = 0; k < 2; k++)
      ck_assert_uint_eq(result.obstacles[k].id, result.obstacles[k].x > 0 ? 1 : 2);
  }
  for (size_t k = 0; k < 2; k++)
    ck_assert_double_eq_tol(
        (double)result.obstacles[k].closing_speed, result.obstacles[k].id == 1 ? 0 : 5, .3);
  stx_obstacles_free(state);
}
END_TEST

/* Points of any values, and none at all. */
START_TEST(any_points_are_allowed)
{
  static const float odd[] = {NAN, INFINITY, -INFINITY, 0, 1e30f, -1e-30f, 3, -60};
  StxObstacles *state = stx_obstacles_new();
  StxRandom random = {5};
  for (int turn = 0; turn < 20; turn++) {
    StxObstaclesScan scan = {.points = points[0], .labels = labels, .time = (uint64_t)turn};
    for (int i = 0; i < turn * 20; i++)
      add(&scan, (double)odd[stx_random_below(&random, 8)],
          (double)odd[stx_random_below(&random, 8)], (double)odd[stx_random_below(&random, 8)],
          stx_random_below(&random, 2) ? STX_POINT_GROUND : stx_random(&random));
    StxObstaclesResult result = run(state, &scan);
    ck_assert_uint_eq(result.directions, 360);
    for (size_t i = 0; i < result.count; i++)
      ck_assert(isfinite(result.obstacles[i].z));
  }
  stx_obstacles_free(state);
}
END_TEST

START_TEST(too_many_points_and_no_pointer_are_refused)
{
  StxObstacles *state = stx_obstacles_new();
  StxObstaclesScan scan = {.count = MOST + 1, .points = points[0], .labels = labels};
  StxObstaclesResult result = run(state, &(StxObstaclesScan){.points = points[0]});
  StxError error;
  ck_assert(!stx_obstacles_of_scan(state, &scan, &result, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "4097 points: room was made for 4096"));
  scan.count = 1;
  scan.labels = NULL;
  ck_assert(!stx_obstacles_of_scan(state, &scan, &result, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "no pointer to their labels"));
  stx_obstacles_free(state);
}
END_TEST

static const StxTest tests[] = {{&clusters_are_obstacles_by_range}, {&free_space_goes_clockwise},
    {&what_hangs_above_is_not_in_the_way}, {&clusters_keep_their_ids_whatever_their_numbers},
    {&any_points_are_allowed}, {&too_many_points_and_no_pointer_are_refused}};
STX_TESTING_MAIN("obstacles_scan", tests)
