/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Obstacles from frame to frame: ids, speeds, the corridor; and the assignment by brute force. */
#include "tests/common/obstacles/obstacles_case.h"
#include "tests/testing.h"

#include <math.h>

#include "common/obstacles/obstacles_private.h"

static const StxObstaclesParams defaults = STX_OBSTACLES_DEFAULTS;

/* A car at z in the lane ahead, and one at `other` in the lane beside it; 0: it is not there. */
static StxObstaclesResult cars(StxObstacles *state, double z, double other, double seconds)
{
  Board boards[3] = {{0}};
  int count = 0;
  StxCamera camera = board_camera();
  if (z > 0)
    boards[count++] = (Board){z, -.9, .9, 0, 1.5, STX_LABEL_NONE};
  if (other > 0)
    boards[count++] = (Board){other, -4.5, -2.7, 0, 1.5, STX_LABEL_NONE};
  StxObstaclesFrame frame =
      board_frame(&camera, boards, (uint64_t)llround(seconds * (double)CASE_SECOND));
  return board_run(state, &frame);
}

static const StxObstacle *nearest_to(const StxObstaclesResult *result, double x)
{
  const StxObstacle *best = NULL;
  for (size_t i = 0; i < result->count; i++)
    if (best == NULL || fabs((double)result->obstacles[i].x - x) < fabs((double)best->x - x))
      best = &result->obstacles[i];
  ck_assert_ptr_nonnull(best);
  return best;
}

/* ---- Ids and speeds ------------------------------------------------------------------------- */

START_TEST(ids_and_speeds_follow_cars_in_two_lanes)
{
  StxObstacles *state = board_state(&defaults);
  StxObstaclesResult result = {0};
  for (int i = 0; i < 15; i++) {
    result = cars(state, 30 - .4 * i, 38 - 1.7 * i, .1 * i);
    ck_assert_uint_eq(result.count, 2);
    ck_assert_uint_eq(nearest_to(&result, 0)->id, 1);
    ck_assert_uint_eq(nearest_to(&result, -3.6)->id, 2);
    ck_assert_uint_eq(nearest_to(&result, 0)->age, i);
    ck_assert(result.restarted == (i == 0));
    ck_assert(isnan(result.obstacles[0].closing_speed) == (i == 0));
  }
  ck_assert_double_eq_tol((double)nearest_to(&result, 0)->closing_speed, 4, .3);
  ck_assert_double_eq_tol((double)nearest_to(&result, -3.6)->closing_speed, 17, .5);
  ck_assert_double_eq_tol((double)nearest_to(&result, 0)->lateral_speed, 0, .3);
  stx_obstacles_free(state);
}
END_TEST

/* Of every three frames one is lost; what the time stamps say is what counts. */
START_TEST(speeds_are_those_of_the_time_stamps)
{
  StxObstacles *state = board_state(&defaults);
  StxObstaclesResult result = {0};
  for (int i = 0; i < 40; i++)
    if (i % 3 != 1)
      result = cars(state, 40 - .8 * i, 0, .1 * i);
  ck_assert_uint_eq(result.obstacles[0].id, 1);
  ck_assert_double_eq_tol((double)result.obstacles[0].closing_speed, 8, .3);
  stx_obstacles_free(state);
}
END_TEST

START_TEST(a_frame_at_the_same_time_or_at_none_changes_no_speed)
{
  StxObstacles *state = board_state(&defaults);
  StxObstaclesResult result = {0};
  StxCamera camera = board_camera();
  const Board board[] = {{19, -.9, .9, 0, 1.5, STX_LABEL_NONE}, {0}};
  for (int i = 0; i < 20; i++)
    result = cars(state, 30 - .5 * i, 0, .1 * i);
  double speed = (double)result.obstacles[0].closing_speed;
  result = cars(state, 30 - .5 * 19, 0, .1 * 19);
  ck_assert_double_eq_tol((double)result.obstacles[0].closing_speed, speed, .5);
  StxObstaclesFrame frame = board_frame(&camera, board, STX_OBSTACLES_NO_TIME);
  result = board_run(state, &frame);
  ck_assert(!result.restarted);
  ck_assert_uint_eq(result.obstacles[0].id, 1);
  ck_assert_double_eq_tol((double)result.obstacles[0].closing_speed, speed, 2);
  stx_obstacles_free(state);
}
END_TEST

START_TEST(an_id_survives_as_many_frames_as_it_may)
{
  StxObstacles *state = board_state(&defaults);
  for (int away = defaults.max_unseen; away <= defaults.max_unseen + 1; away++) {
    double frame = 0;
    stx_obstacles_reset(state);
    for (int i = 0; i < 5; i++)
      cars(state, 20, 0, .1 * frame++);
    uint32_t id = cars(state, 20, 0, .1 * frame++).obstacles[0].id;
    for (int i = 0; i < away; i++)
      ck_assert_uint_eq(cars(state, 0, 0, .1 * frame++).count, 0);
    bool same = cars(state, 20, 0, .1 * frame).obstacles[0].id == id;
    ck_assert(same == (away <= defaults.max_unseen));
  }
  stx_obstacles_free(state);
}
END_TEST

static void expect_restart(StxObstacles *state, const StxObstaclesFrame *frame, bool restart)
{
  static uint32_t last = 0;
  StxObstaclesResult result = board_run(state, frame);
  ck_assert(result.restarted == restart);
  ck_assert((result.obstacles[0].id > last) == restart);
  last = result.obstacles[0].id;
}

START_TEST(jumps_begin_anew_and_ids_go_on)
{
  StxObstacles *state = board_state(&defaults);
  const Board board[] = {{20, -.9, .9, 0, 1.5, STX_LABEL_NONE}, {0}};
  StxCamera camera = board_camera();
  StxObstaclesFrame frame = board_frame(&camera, board, CASE_SECOND);
  expect_restart(state, &frame, true);
  frame.time += CASE_SECOND - 1;
  expect_restart(state, &frame, false);
  frame.time += CASE_SECOND;
  expect_restart(state, &frame, true);
  frame.time -= 1;
  expect_restart(state, &frame, true);
  frame.camera.baseline = .541;
  expect_restart(state, &frame, true);
  stx_obstacles_reset(state);
  expect_restart(state, &frame, true);
  expect_restart(state, &frame, false);
  stx_obstacles_free(state);
}
END_TEST

START_TEST(who_does_not_follow_has_neither_ids_nor_speeds)
{
  StxObstaclesParams params = defaults;
  params.follow = false;
  StxObstacles *state = board_state(&params);
  for (int i = 0; i < 3; i++) {
    StxObstaclesResult result = cars(state, 20 - i, 0, .1 * i);
    ck_assert_uint_eq(result.obstacles[0].id, 0);
    ck_assert(isnan(result.obstacles[0].closing_speed));
    ck_assert_uint_eq(result.entered_count, i == 0);
  }
  stx_obstacles_free(state);
}
END_TEST

/* ---- The corridor --------------------------------------------------------------------------- */

START_TEST(the_corridor_tells_who_enters_once_and_when_it_is_free)
{
  StxObstacles *state = board_state(&defaults);
  int entered = 0, cleared = 0;
  for (int i = 0; i < 40;
       i++) { /* from 35 m to 23 m: into 30 m; gone, but for flicker, from 30 on */
    bool there = i < 30 && i % 4 != 3;
    StxObstaclesResult result = cars(state, there ? 35 - .4 * i : 0, 20, .1 * i);
    for (size_t k = 0; k < result.entered_count; k++) {
      const StxObstacle *o = &result.obstacles[result.entered[k]];
      ck_assert(o->flags & STX_OBSTACLE_IN_CORRIDOR);
      ck_assert_double_le((double)o->z, 30);
      entered++;
    }
    cleared += result.corridor_cleared;
    ck_assert(result.corridor_occupied == (entered > cleared));
    ck_assert(!(nearest_to(&result, -3.6)->flags & STX_OBSTACLE_IN_CORRIDOR));
  }
  ck_assert_int_eq(entered, 1);
  ck_assert_int_eq(cleared, 1);
  stx_obstacles_free(state);
}
END_TEST

START_TEST(a_corridor_lies_where_it_was_asked_for)
{
  StxObstaclesParams params = defaults;
  params.corridor_offset = -3.6;
  StxObstacles *state = board_state(&params);
  StxObstaclesResult result = cars(state, 20, 25, 0);
  ck_assert_uint_eq(result.entered_count, 1);
  ck_assert_ptr_eq(&result.obstacles[result.entered[0]], nearest_to(&result, -3.6));
  params.corridor_width = 0;
  ck_assert(stx_obstacles_prepare(state, &params, CASE_RECORDS, CASE_COLUMNS, NULL));
  result = cars(state, 20, 25, .1);
  ck_assert_uint_eq(result.entered_count, 0);
  stx_obstacles_free(state);
}
END_TEST

/* ---- Assignment ----------------------------------------------------------------------------- */

#define MOST 5

/* The largest sum of benefits from a track on, by trying everything. */
static double best_sum(const StxObstacles *state, size_t track, unsigned taken)
{
  if (track == state->tracked)
    return 0;
  const Choices *choices = &state->choices[track];
  double best = best_sum(state, track + 1, taken);
  for (int i = 0; i < choices->count; i++) {
    unsigned bit = 1u << choices->candidate[i].obstacle;
    if (!(taken & bit))
      best = fmax(
          best, (double)choices->candidate[i].benefit + best_sum(state, track + 1, taken | bit));
  }
  return best;
}

static double sum_of_assigned(const StxObstacles *state, size_t obstacles)
{
  double sum = 0;
  unsigned taken = 0;
  for (size_t t = 0; t < state->tracked; t++) {
    const Choices *choices = &state->choices[t];
    for (int i = 0; i < choices->count; i++)
      if (choices->candidate[i].obstacle == choices->assigned) {
        ck_assert_uint_lt(choices->assigned, obstacles);
        ck_assert(!(taken & 1u << choices->assigned));
        taken |= 1u << choices->assigned;
        sum += (double)choices->candidate[i].benefit;
      }
  }
  return sum;
}

START_TEST(no_assignment_is_better_than_by_a_thousandth_each)
{
  StxObstacles *state = board_state(&defaults);
  StxRandom random = {3};
  for (int turn = 0; turn < 500; turn++) {
    size_t obstacles = (size_t)stx_random_below(&random, MOST + 1);
    state->tracked = (size_t)stx_random_below(&random, MOST + 1);
    for (size_t t = 0; t < state->tracked; t++) {
      Choices *choices = &state->choices[t];
      choices->count = 0;
      for (uint32_t o = 0; o < obstacles; o++)
        if (stx_random_below(&random, 3) > 0)
          choices->candidate[choices->count++] =
              (Candidate){o, .01f * (float)(1 + stx_random_below(&random, 100))};
    }
    stx_obstacles_assign(state, obstacles);
    ck_assert_double_ge(
        sum_of_assigned(state, obstacles) + .001 * MOST + 1e-6, best_sum(state, 0, 0));
  }
  state->tracked = 0;
  stx_obstacles_free(state);
}
END_TEST

static const StxTest tests[] = {{&ids_and_speeds_follow_cars_in_two_lanes},
    {&speeds_are_those_of_the_time_stamps}, {&a_frame_at_the_same_time_or_at_none_changes_no_speed},
    {&an_id_survives_as_many_frames_as_it_may}, {&jumps_begin_anew_and_ids_go_on},
    {&who_does_not_follow_has_neither_ids_nor_speeds},
    {&the_corridor_tells_who_enters_once_and_when_it_is_free},
    {&a_corridor_lies_where_it_was_asked_for},
    {&no_assignment_is_better_than_by_a_thousandth_each}};
STX_TESTING_MAIN("obstacles_track", tests)
