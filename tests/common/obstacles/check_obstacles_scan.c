/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Obstacles and free space of scans, by literal points. */
#include "tests/common/obstacles/obstacles_case.h"

#include <math.h>

#include "common/ground/ground.h"
#include "common/obstacles/obstacles.h"

#define MOST 8192

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
STX_TEST(clusters_are_obstacles_by_range)
{
  STX_AUTO(StxObstacles) *state = stx_obstacles_new();
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
}

/* Sector 0 begins straight ahead, sectors go on to the right. */
STX_TEST(free_space_goes_clockwise)
{
  STX_AUTO(StxObstacles) *state = stx_obstacles_new();
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
}

/* Lost packets, a covered sensor: nothing says that it is free there. */
STX_TEST(a_direction_without_points_is_unknown)
{
  STX_AUTO(StxObstacles) *state = stx_obstacles_new();
  StxObstaclesScan scan = {.points = points[0], .labels = labels};
  StxObstaclesResult result = run(state, &scan);
  for (size_t s = 0; s < result.directions; s++)
    ck_assert(isnan(result.free_space[s].z));
  add(&scan, 10, -.05, -1.7, STX_POINT_GROUND);
  add(&scan, -.05, -100, 3, STX_POINT_NONE); /* beyond all obstacles */
  add(&scan, -.3, .001, 0, STX_POINT_NONE);  /* the carrier's roof */
  add(&scan, NAN, 5, -1.7, STX_POINT_GROUND);
  add(&scan, 0, 0, 0, STX_POINT_GROUND);
  result = run(state, &scan);
  for (size_t s = 0; s < result.directions; s++)
    ck_assert(s == 0 || s == 90 ? isinf(result.free_space[s].z) : isnan(result.free_space[s].z));
}

STX_TEST(a_blind_sensor_does_not_free_the_corridor)
{
  STX_AUTO(StxObstacles) *state = stx_obstacles_new();
  int cleared = 0;
  for (int i = 0; i < 40; i++) {
    StxObstaclesScan scan = {.points = points[0], .labels = labels};
    if (i < 3 || i >= 23) /* between them the scans are empty */
      scan = new_scan(0);
    scan.time = (uint64_t)i * 100000000;
    if (i < 3)
      add_box(&scan, 10, -.9, 0, 1);
    StxObstaclesResult result = run(state, &scan);
    ck_assert(i >= 23 || result.corridor_occupied);
    cleared += result.corridor_cleared;
  }
  ck_assert_int_eq(cleared, 1);
}

/* Ground that rises ahead, or to the left: what stands on it is as high as on flat ground. */
STX_TEST(heights_are_above_the_ground_below)
{
  for (int axis = 0; axis < 2; axis++) {
    STX_AUTO(StxObstacles) *state = stx_obstacles_new();
    StxObstaclesScan scan = new_scan(0);
    if (axis == 0)
      add_box(&scan, 14, -1, 0, 1);
    else
      add_box(&scan, -1, 14, 0, 1);
    for (size_t i = 0; i < scan.count; i++)
      points[i][2] += .2f * points[i][axis];
    StxObstaclesResult result = run(state, &scan);
    ck_assert_uint_eq(result.count, 1);
    ck_assert_double_eq_tol((double)result.obstacles[0].height, 1.5, .2);
  }
}

STX_TEST(what_hangs_above_is_not_in_the_way)
{
  STX_AUTO(StxObstacles) *state = stx_obstacles_new();
  StxObstaclesScan scan = new_scan(0);
  add_box(&scan, 10, 2, 2.5, 1);
  StxObstaclesResult result = run(state, &scan);
  ck_assert_uint_eq(result.count, 0);
}

STX_TEST(clusters_keep_their_ids_whatever_their_numbers)
{
  STX_AUTO(StxObstacles) *state = stx_obstacles_new();
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
}

/* A block of points .08 m apart, all of cluster 1: from x, y, above the ground from `foot` on;
 * returns how many. */
static size_t add_block(StxObstaclesScan *scan, double x, double y, double foot, double depth,
    double width, double height)
{
  size_t before = scan->count;
  for (int i = 0; i <= (int)(depth / .08 + .5); i++)
    for (int k = 0; k <= (int)(width / .08 + .5); k++)
      for (int h = 0; h <= (int)(height / .08 + .5); h++)
        add(scan, x + .08 * i, y + .08 * k, -1.7 + foot + .08 * h, 1u << 16 | STX_POINT_OBSTACLE);
  return scan->count - before;
}

static size_t add_person(StxObstaclesScan *scan, double x, double y)
{
  return add_block(scan, x, y, .1, .2, .3, 1.6);
}

/* Points of the obstacles, the nearest first; 0: no more. */
static void expect_counts(const StxObstaclesScan *scan, size_t first, size_t second)
{
  STX_AUTO(StxObstacles) *state = stx_obstacles_new();
  StxObstaclesResult result = run(state, scan);
  ck_assert_uint_eq(result.count, second > 0 ? 2 : 1);
  ck_assert_uint_eq(result.obstacles[0].count, first);
  if (second > 0)
    ck_assert_uint_eq(result.obstacles[1].count, second);
}

STX_TEST(who_stands_before_a_wall_is_cut_off)
{
  StxObstaclesScan scan = new_scan(0);
  size_t person = add_person(&scan, 8, 1), wall = add_block(&scan, 8.8, 0, .1, 0, 3, 2.5);
  expect_counts(&scan, person, wall);
}

/* The trunk goes on in the crown, whose points are above the person. */
STX_TEST(who_walks_below_a_crown_is_cut_off)
{
  StxObstaclesScan scan = new_scan(0);
  size_t person = add_person(&scan, 8, 1), tree = add_block(&scan, 9, 1, .1, .1, .1, 2.9);
  tree += add_block(&scan, 7.5, .5, 3, 1.5, 1.5, .5);
  expect_counts(&scan, tree, person);
}

/* In cells of a quarter of a metre they touch. */
STX_TEST(two_people_side_by_side_are_two)
{
  StxObstaclesScan scan = new_scan(0);
  size_t one = add_person(&scan, 8, 1), two = add_person(&scan, 8.05, 1.6);
  expect_counts(&scan, one, two);
}

/* Too wide, too low, too few points, above the ground; on no ground; and beyond the grid. */
STX_TEST(what_is_no_person_is_not_cut_off)
{
  for (int what = 0; what < 6; what++) {
    StxObstaclesScan scan = new_scan(0);
    double far = what == 5 ? 66 : 8;
    if (what == 4)
      scan.count = 0;
    size_t part = what == 0   ? add_block(&scan, far, 0, .1, .1, 1.4, 1.6)
                  : what == 1 ? add_block(&scan, far, 0, .1, .2, .3, .9)
                  : what == 2 ? add_block(&scan, far, 0, .1, 0, 0, 1.6)
                  : what == 3 ? add_block(&scan, far, 0, .6, .2, .3, 1.3)
                              : add_person(&scan, far, 0);
    size_t wall = add_block(&scan, far + .8, 0, .1, 0, 2, 1.9);
    STX_AUTO(StxObstacles) *state = stx_obstacles_new();
    StxObstaclesParams params = STX_OBSTACLES_DEFAULTS;
    StxObstaclesResult result;
    params.max_distance = 100;
    ck_assert(stx_obstacles_prepare(state, &params, MOST, 0, NULL));
    ck_assert(stx_obstacles_of_scan(state, &scan, &result, NULL));
    ck_assert_msg(result.count == 1, "%d: %zu obstacles", what, result.count);
    ck_assert_uint_eq(result.obstacles[0].count, part + wall);
  }
}

/* Points of any values, and none at all. */
STX_TEST(any_points_are_allowed)
{
  static const float odd[] = {NAN, INFINITY, -INFINITY, 0, 1e30f, -1e-30f, 3, -60};
  STX_AUTO(StxObstacles) *state = stx_obstacles_new();
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
}

STX_TEST(too_many_points_and_no_pointer_are_refused)
{
  STX_AUTO(StxObstacles) *state = stx_obstacles_new();
  StxObstaclesScan scan = {.count = MOST + 1, .points = points[0], .labels = labels};
  StxObstaclesResult result = run(state, &(StxObstaclesScan){.points = points[0]});
  StxError error;
  ck_assert(!stx_obstacles_of_scan(state, &scan, &result, &error));
  stx_expect_words(&error, "8193 points: the state is prepared for 8192");
  scan.count = 1;
  scan.labels = NULL;
  ck_assert(!stx_obstacles_of_scan(state, &scan, &result, &error));
  stx_expect_words(&error, "no pointer to their labels");
}
