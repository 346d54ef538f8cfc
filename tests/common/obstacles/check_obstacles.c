/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Obstacles and free space of single frames, by literal scenes. Obstacles from frame to frame:
 * ids, speeds, the corridor; and the assignment by brute force.
 */
#include "tests/common/obstacles/obstacles_case.h"
#include "common/obstacles/obstacles_private.h"

#include <math.h>

static const StxObstaclesParams defaults = STX_OBSTACLES_DEFAULTS;

static StxObstaclesResult one_frame(StxObstacles *state, StxCamera camera, const Board *boards)
{
  StxObstaclesFrame frame = board_frame(&camera, boards, 0);
  stx_obstacles_reset(state);
  return board_run(state, &frame);
}

/* ---- What is found -------------------------------------------------------------------------- */

static const Board two[] = {
    {20, -3, -1, 0, 1.5, STX_LABEL_NONE}, {10, .5, 2, 0, 1.8, STX_LABEL_NONE}, {0}};

static void expect_board(const StxObstacle *o, const Board *b)
{
  double cell = b->z * CASE_CELL / 720;
  ck_assert_double_eq_tol((double)o->z, b->z, 1e-3);
  ck_assert_double_eq_tol((double)o->x, .5 * (b->left + b->right), cell);
  ck_assert_double_eq_tol((double)o->width, b->right - b->left, 2 * cell);
  ck_assert_double_eq_tol((double)o->height, b->top, .1);
  ck_assert_double_eq_tol((double)o->depth, 0, 1e-3);
  ck_assert_uint_eq(o->source, STX_OBSTACLE_STEREO);
}

STX_TEST(two_boards_are_two_obstacles_the_nearest_first)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxObstaclesResult result = one_frame(state, board_camera(), two);
  ck_assert_uint_eq(result.count, 2);
  expect_board(&result.obstacles[0], &two[1]);
  expect_board(&result.obstacles[1], &two[0]);
  ck_assert_double_eq_tol((double)result.obstacles[0].y, 1.65, .05);
}

/* Tilted 5 degrees down and up, which the camera does not say: the ground says where feet are. */
STX_TEST(a_tilted_camera_changes_no_distance_and_no_height)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  for (int tilt = -1; tilt <= 1; tilt++) {
    StxCamera camera = board_camera();
    camera.pitch = tilt * .087;
    StxObstaclesFrame frame = board_frame(&camera, two, 0);
    frame.camera.pitch = 0;
    StxObstaclesResult result = board_run(state, &frame);
    ck_assert_uint_eq(result.count, 2);
    expect_board(&result.obstacles[0], &two[1]);
    expect_board(&result.obstacles[1], &two[0]);
  }
}

/* A camera that is rolled by up to 15 degrees: each thing stands on the ground where it is. */
STX_TEST(ground_that_leans_changes_no_height)
{
  static const Board boards[] = {{10, -3.5, -2, 0, .5, STX_LABEL_NONE},
      {10, 2, 3.5, 0, 1.8, STX_LABEL_NONE}, {20, -1, 1, 0, 1.5, STX_LABEL_NONE}, {0}};
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxCamera camera = board_camera();
  for (int lean = -2; lean <= 2; lean++) {
    StxObstaclesFrame frame = leaning_frame(&camera, .13 * lean, boards, 0);
    StxObstaclesResult result = board_run(state, &frame);
    ck_assert_uint_eq(result.count, 3);
    for (int k = 0; k < 3; k++) {
      expect_board(&result.obstacles[k], &boards[k]);
      ck_assert_double_eq_tol(
          (double)result.obstacles[k].y, 1.65 + .13 * lean * (double)result.obstacles[k].x, .06);
    }
  }
}

STX_TEST(members_and_free_space_name_their_obstacle)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxCamera camera = board_camera();
  StxObstaclesFrame frame = board_frame(&camera, two, 0);
  StxObstaclesResult result = board_run(state, &frame);
  ck_assert_uint_eq(result.directions, CASE_COLUMNS);
  for (size_t i = 0; i < frame.count; i++) {
    const StxStixel *s = &frame.stixels[i];
    const StxFreeSpace *space = &result.free_space[s->column];
    if (s->kind == STX_KIND_OBJECT) {
      bool near = s->disparity_bottom > 30;
      ck_assert_uint_eq(result.members[i], near ? 0 : 1);
      ck_assert_uint_eq(space->obstacle, near ? 0 : 1);
      ck_assert_double_eq_tol((double)space->z, near ? 10 : 20, 1e-3);
      ck_assert_uint_eq(space->row, s->bottom);
    } else {
      ck_assert_uint_eq(result.members[i], STX_FREE_NO_OBSTACLE);
    }
  }
  ck_assert(isinf(result.free_space[0].z));
  ck_assert_uint_eq(result.free_space[0].obstacle, STX_FREE_NO_OBSTACLE);
}

STX_TEST(nothing_gives_nothing)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxObstaclesFrame frame = {
      .width = CASE_WIDTH, .height = CASE_HEIGHT, .stixel_width = 8, .camera = board_camera()};
  StxObstaclesResult result = board_run(state, &frame);
  ck_assert_uint_eq(result.count, 0);
  for (size_t i = 0; i < result.directions; i++)
    ck_assert(isnan(result.free_space[i].z));
}

/* ---- What is one thing ---------------------------------------------------------------------- */

#define SIDE 64 /* boards of a side */

/* A box with its front and the side towards the middle of the image, `length` metres long. */
static void add_box(
    Board *boards, int *count, double x, double z, double width, double length, double height)
{
  boards[(*count)++] = (Board){z, x, x + width, 0, height, STX_LABEL_NONE};
  for (int i = 0; i < SIDE; i++) {
    double at = z + length * i / SIDE, wide = .03 * at; /* more than a column */
    boards[(*count)++] = (Board){
        at, x > 0 ? x : x + width - wide, x > 0 ? x + wide : x + width, 0, height, STX_LABEL_NONE};
  }
  boards[*count] = (Board){0};
}

static void expect_count(const Board *boards, size_t count)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxObstaclesResult result = one_frame(state, board_camera(), boards);
  ck_assert_uint_eq(result.count, count);
}

STX_TEST(a_bus_beside_us_is_one_obstacle_with_its_side)
{
  Board boards[2 * SIDE + 4];
  int count = 0;
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  add_box(boards, &count, -4.5, 12, 2.5, 11, 3);
  StxObstaclesResult result = one_frame(state, board_camera(), boards);
  ck_assert_uint_eq(result.count, 1);
  ck_assert_double_eq_tol((double)result.obstacles[0].z, 12, .03 * 12);
  ck_assert_double_gt((double)result.obstacles[0].depth, 5);
}

STX_TEST(parked_cars_in_a_row_are_as_many_obstacles)
{
  Board boards[2 * SIDE + 4];
  int count = 0;
  add_box(boards, &count, 2.5, 9, 1.8, 4.3, 1.5);
  add_box(boards, &count, 2.5, 15, 1.8, 4.3, 1.5);
  expect_count(boards, 2);
}

STX_TEST(what_a_post_hides_a_part_of_is_one)
{
  expect_count((Board[]){{20, -1, 1, 0, 1.5, 255}, {6, -.1, .1, 0, 4, 255}, {0}}, 2);
}

STX_TEST(a_car_before_a_wall_is_not_the_wall)
{
  expect_count((Board[]){{20, -1, 1, 0, 1.5, 255}, {20.5, -5, 6, 0, 9, 255}, {0}}, 2);
}

STX_TEST(classes_part_what_stands_side_by_side)
{
  expect_count((Board[]){{20, -1, 0, 0, 1.7, 13}, {20, 0, 1, 0, 1.7, 11}, {0}}, 2);
  expect_count((Board[]){{20, -1, 0, 0, 1.7, 13}, {20, 0, 1, 0, 1.7, 14}, {0}}, 1);
  expect_count((Board[]){{20, -1, 0, 0, 1.7, 13}, {20, 0, 1, 0, 1.7, 255}, {0}}, 1);
}

STX_TEST(a_hole_parts_what_is_low_and_not_what_is_high)
{
  expect_count((Board[]){{20, -1, 0, 0, 1.5, 255}, {20, .45, 1.5, 0, 1.5, 255}, {0}}, 2);
  expect_count((Board[]){{20, -1, 0, 0, 3, 255}, {20, .45, 1.5, 0, 3, 255}, {0}}, 1);
}

STX_TEST(a_post_of_one_column_is_an_obstacle)
{
  expect_count((Board[]){{15, 1, 1.15, 0, 3, 255}, {0}}, 1);
}

/* ---- What is none --------------------------------------------------------------------------- */

STX_TEST(what_hangs_above_is_not_in_the_way)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  const Board boards[] = {{20, -3, 3, 2.5, 3.5, 255}, {0}};
  StxObstaclesResult result = one_frame(state, board_camera(), boards);
  ck_assert_uint_eq(result.count, 0);
  for (size_t i = 0; i < result.directions; i++)
    ck_assert(isinf(result.free_space[i].z));
}

STX_TEST(what_is_too_small_ends_the_free_space_all_the_same)
{
  StxObstaclesParams params = defaults;
  params.min_width = 1.7;
  STX_AUTO(StxObstacles) *state = board_state(&params);
  StxObstaclesResult result = one_frame(state, board_camera(), two);
  ck_assert_uint_eq(result.count, 1); /* the board of 2 m, not that of 1.5 m */
  int found = 0;
  for (size_t i = 0; i < result.directions; i++)
    if (result.free_space[i].obstacle == STX_FREE_NO_OBSTACLE && !isinf(result.free_space[i].z)) {
      ck_assert_double_eq_tol((double)result.free_space[i].z, 10, 1e-3);
      found++;
    }
  ck_assert_int_gt(found, 5);
}

STX_TEST(the_nearest_are_kept_and_the_others_counted)
{
  StxObstaclesParams params = defaults;
  params.max_obstacles = 1;
  STX_AUTO(StxObstacles) *state = board_state(&params);
  StxObstaclesResult result = one_frame(state, board_camera(), two);
  ck_assert_uint_eq(result.count, 1);
  ck_assert_uint_eq(result.left_out, 1);
  expect_board(&result.obstacles[0], &two[1]);
}

STX_TEST(what_is_too_far_is_no_obstacle)
{
  StxObstaclesParams params = defaults;
  params.max_distance = 15;
  STX_AUTO(StxObstacles) *state = board_state(&params);
  StxObstaclesResult result = one_frame(state, board_camera(), two);
  ck_assert_uint_eq(result.count, 1);
  ck_assert_uint_eq(result.left_out, 0);
}

/* ---- Any input ------------------------------------------------------------------------------ */

/* Without a road, and without a camera's height, things still have distances and heights. */
STX_TEST(without_any_ground_distances_stay)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxCamera camera = board_camera();
  StxObstaclesFrame frame = board_frame(&camera, two, 0);
  StxStixel *stixels = (StxStixel *)(uintptr_t)frame.stixels;
  for (size_t i = 0; i < frame.count; i++)
    if (stixels[i].kind == STX_KIND_GROUND)
      stixels[i].kind = STX_KIND_SKY;
  frame.camera.height = 0;
  StxObstaclesResult result = board_run(state, &frame);
  ck_assert_uint_eq(result.count, 2);
  expect_board(&result.obstacles[0], &two[1]);
  expect_board(&result.obstacles[1], &two[0]);
}

/* Frames of any records in order, of odd sizes down to one pixel, with any disparities: twice the
 * same bytes, sorted, and nothing touched that was not asked for. */
STX_TEST(any_frame_gives_the_same_twice)
{
  static const float odd[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e-30f, 1e30f, 5, 40};
  StxObstacles *state[2] = {board_state(&defaults), board_state(&defaults)};
  StxRandom random = {7};
  StxStixel stixels[CASE_RECORDS];
  for (int turn = 0; turn < 20; turn++) {
    int width = 1 + stx_random_below(&random, 300), height = 1 + stx_random_below(&random, 90);
    StxObstaclesFrame frame = {.stixels = stixels,
        .width = width,
        .height = height,
        .stixel_width = 1 + stx_random_below(&random, 20),
        .camera = board_camera(),
        .time = (uint64_t)turn * 100000000};
    for (int c = 0; c < (width - 1) / frame.stixel_width + 1 && c < CASE_COLUMNS; c++)
      for (int below = height - 1; below >= 0 && frame.count < CASE_RECORDS;) {
        int top = stx_random_below(&random, below + 1);
        stixels[frame.count++] = (StxStixel){(uint16_t)c, (uint16_t)top, (uint16_t)below,
            (uint8_t)(1 + stx_random_below(&random, 3)), (uint8_t)stx_random_below(&random, 256),
            odd[stx_random_below(&random, 9)], odd[stx_random_below(&random, 9)], 0, 1};
        below = top - 1;
      }
    if ((width - 1) / frame.stixel_width + 1 > CASE_COLUMNS)
      continue;
    StxObstaclesResult a = board_run(state[0], &frame), b = board_run(state[1], &frame);
    ck_assert_uint_eq(a.count, b.count);
    ck_assert_mem_eq(a.obstacles, b.obstacles, a.count * sizeof *a.obstacles);
    ck_assert_mem_eq(a.free_space, b.free_space, a.directions * sizeof *a.free_space);
    ck_assert_mem_eq(a.members, b.members, frame.count * sizeof *a.members);
    for (size_t i = 1; i < a.count; i++)
      ck_assert(a.obstacles[i - 1].z <= a.obstacles[i].z);
  }
  stx_obstacles_free(state[0]);
  stx_obstacles_free(state[1]);
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void expect_refused(StxObstacles *state, const StxObstaclesFrame *frame, const char *reason)
{
  StxObstaclesResult result;
  StxError error = {""};
  ck_assert(!stx_obstacles_of_stixels(state, frame, &result, &error));
  stx_expect_words(&error, reason);
  ck_assert_uint_eq(result.count, 0);
}

STX_TEST(a_camera_without_metres_is_refused)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxCamera camera = board_camera();
  StxObstaclesFrame frame = board_frame(&camera, two, 0);
  frame.camera.focal = 0;
  expect_refused(state, &frame, "focal length is unknown: set calibration=");
  frame.camera = board_camera();
  frame.camera.baseline = 0;
  expect_refused(state, &frame, "baseline is unknown");
  frame.camera = board_camera();
  frame.camera.missing = STX_CAMERA_CX;
  expect_refused(state, &frame, "cx, is unknown");
}

STX_TEST(segments_and_disorder_are_refused)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxObstaclesFrame frame = {
      .width = 16, .height = 16, .stixel_width = 8, .camera = board_camera(), .count = 2};
  StxStixel s[2] = {{.column = 0, .top = 8, .bottom = 15, .kind = STX_KIND_SEGMENT},
      {.column = 0, .top = 0, .bottom = 7, .kind = STX_KIND_SKY}};
  frame.stixels = s;
  expect_refused(state, &frame, "stixel 0 is a segment");
  s[0].kind = STX_KIND_GROUND;
  s[1].column = 2;
  expect_refused(state, &frame, "stixel 1 lies in column 2, rows 0 to 7: outside of 2 columns");
  s[1].column = 0;
  s[1].bottom = 8;
  expect_refused(state, &frame, "stixel 1 comes before its place");
  frame.count = CASE_RECORDS + 1;
  expect_refused(state, &frame, "prepared for 2048");
}

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

STX_TEST(ids_and_speeds_follow_cars_in_two_lanes)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxObstaclesResult result = {0};
  for (int i = 0; i < 40; i++) {
    result = cars(state, 15 - .1 * i, 30 - .5 * i, .025 * i);
    ck_assert_uint_eq(result.count, 2);
    ck_assert_uint_eq(nearest_to(&result, 0)->id, 1);
    ck_assert_uint_eq(nearest_to(&result, -3.6)->id, 2);
    ck_assert_uint_eq(nearest_to(&result, 0)->age, i);
    ck_assert(result.restarted == (i == 0));
    ck_assert(i > 3 || isnan(result.obstacles[0].closing_speed));
  }
  ck_assert_double_eq_tol((double)nearest_to(&result, 0)->closing_speed, 4, .3);
  ck_assert_double_eq_tol((double)nearest_to(&result, -3.6)->closing_speed, 20, .5);
  ck_assert_double_eq_tol((double)nearest_to(&result, 0)->lateral_speed, 0, .3);
}

/* A second car is there in the third frame alone, then from the fifth on. */
STX_TEST(an_id_is_given_at_the_second_sight)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  for (int i = 0; i < 8; i++) {
    StxObstaclesResult result = cars(state, 15, i == 2 || i > 3 ? 25 : 0, .1 * i);
    const StxObstacle *second = nearest_to(&result, -3.6);
    ck_assert_uint_eq(nearest_to(&result, 0)->id, 1);
    ck_assert(i < 2 || i == 3 || second->id == (i == 2 ? 0 : 2));
  }
}

/* One of every three frames is lost; speeds follow the time stamps. */
STX_TEST(speeds_are_those_of_the_time_stamps)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxObstaclesResult result = {0};
  for (int i = 0; i < 80; i++)
    if (i % 3 != 1)
      result = cars(state, 20 - .2 * i, 0, .025 * i);
  ck_assert_uint_eq(result.obstacles[0].id, 1);
  ck_assert_double_eq_tol((double)result.obstacles[0].closing_speed, 8, .3);
}

STX_TEST(a_frame_at_the_same_time_or_at_none_changes_no_speed)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxObstaclesResult result = {0};
  StxCamera camera = board_camera();
  const Board board[] = {{10, -.9, .9, 0, 1.5, STX_LABEL_NONE}, {0}};
  for (int i = 0; i < 60; i++)
    result = cars(state, 16 - .1 * i, 0, .02 * i);
  double speed = (double)result.obstacles[0].closing_speed;
  result = cars(state, 16 - .1 * 59, 0, .02 * 59);
  ck_assert_double_eq_tol((double)result.obstacles[0].closing_speed, speed, .5);
  StxObstaclesFrame frame = board_frame(&camera, board, STX_OBSTACLES_NO_TIME);
  result = board_run(state, &frame);
  ck_assert(!result.restarted);
  ck_assert_uint_eq(result.obstacles[0].id, 1);
  ck_assert_double_eq_tol((double)result.obstacles[0].closing_speed, speed, 2);
}

STX_TEST(an_id_survives_as_many_frames_as_it_may)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
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
}

static StxObstaclesResult next_frame(StxObstacles *state, const Board *boards, double *seconds)
{
  StxCamera camera = board_camera();
  StxObstaclesFrame frame = board_frame(&camera, boards, *seconds += .1);
  return board_run(state, &frame);
}

/* For a few frames there is no gap between them: both numbers come back with it. */
STX_TEST(what_was_joined_for_a_while_gets_its_number_back)
{
  static const Board apart[] = {
      {15, -3, -.4, 0, 1.5, STX_LABEL_NONE}, {15, .6, 2.2, 0, 1.5, STX_LABEL_NONE}, {0}};
  static const Board joined[] = {{15, -3, 2.2, 0, 1.5, STX_LABEL_NONE}, {0}};
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  double seconds = 0;
  for (int i = 0; i < 3; i++)
    next_frame(state, apart, &seconds);
  StxObstaclesResult result = next_frame(state, apart, &seconds);
  uint32_t left = nearest_to(&result, -1.7)->id, right = nearest_to(&result, 1.4)->id;
  for (int i = 0; i < defaults.max_unseen; i++) {
    result = next_frame(state, joined, &seconds);
    ck_assert_uint_eq(result.count, 1);
    ck_assert_uint_eq(result.obstacles[0].id, left); /* that of the larger */
  }
  result = next_frame(state, apart, &seconds);
  ck_assert_uint_eq(result.count, 2);
  ck_assert_uint_eq(nearest_to(&result, -1.7)->id, left);
  ck_assert_uint_eq(nearest_to(&result, 1.4)->id, right);
}

/* A crown that was seen behind its trunk stands upon it. */
STX_TEST(a_crown_and_its_trunk_are_one_though_they_were_two)
{
  static const Board apart[] = {{13, -.5, .5, 0, 2.6, 255}, {14.5, -1, 1, 1.9, 6, 255}, {0}};
  static const Board one[] = {{13, -.5, .5, 0, 2.6, 255}, {13.3, -1, 1, 1.9, 6, 255}, {0}};
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  double seconds = 0;
  for (int i = 0; i < 3; i++)
    ck_assert_uint_eq(next_frame(state, apart, &seconds).count, 2);
  ck_assert_uint_eq(next_frame(state, one, &seconds).count, 1);
}

/* A wall whose end is seen as a thing of its own, once: the larger part keeps the number. */
STX_TEST(of_two_parts_the_larger_keeps_the_number)
{
  static const Board whole[] = {{15, -4, 3, 0, 3, STX_LABEL_NONE}, {0}};
  static const Board parts[] = {
      {15, -2.5, 3, 0, 3, STX_LABEL_NONE}, {12, -4, -2.6, 0, 3, STX_LABEL_NONE}, {0}};
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  double seconds = 0;
  uint32_t id = next_frame(state, whole, &seconds).obstacles[0].id;
  next_frame(state, whole, &seconds);
  StxObstaclesResult result = next_frame(state, parts, &seconds);
  ck_assert_uint_eq(result.count, 2);
  ck_assert_uint_eq(result.obstacles[1].id, id);
  ck_assert_uint_ne(result.obstacles[0].id, id);
  ck_assert_uint_eq(next_frame(state, whole, &seconds).obstacles[0].id, id);
}

/* The foot at 1.9 m is below the clearance, at 2.1 m above it: what is followed may hang a tenth
 * higher. */
STX_TEST(what_hangs_about_as_high_as_the_clearance_stays)
{
  static const double feet[] = {2.1, 1.9, 2.1, 2.1, 1.9, 2.4};
  static const size_t found[] = {0, 1, 1, 1, 1, 0};
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
  StxCamera camera = board_camera();
  for (int i = 0; i < 6; i++) {
    const Board sign[] = {{20, -2, 2, feet[i], feet[i] + 1.5, STX_LABEL_NONE}, {0}};
    StxObstaclesFrame frame = board_frame(&camera, sign, (uint64_t)(i + 1) * CASE_SECOND / 10);
    StxObstaclesResult result = board_run(state, &frame);
    ck_assert_uint_eq(result.count, found[i]);
    ck_assert(result.count == 0 || result.obstacles[0].id == 1);
  }
}

static void expect_restart(StxObstacles *state, const StxObstaclesFrame *frame, bool restart)
{
  static uint32_t last = 0;
  StxObstaclesResult result = board_run(state, frame);
  ck_assert(result.restarted == restart);
  ck_assert((result.obstacles[0].id > last) == restart);
  last = result.obstacles[0].id;
}

STX_TEST(jumps_begin_anew_and_ids_go_on)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
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
}

STX_TEST(who_does_not_follow_has_neither_ids_nor_speeds)
{
  StxObstaclesParams params = defaults;
  params.follow = false;
  STX_AUTO(StxObstacles) *state = board_state(&params);
  for (int i = 0; i < 3; i++) {
    StxObstaclesResult result = cars(state, 20 - i, 0, .1 * i);
    ck_assert_uint_eq(result.obstacles[0].id, 0);
    ck_assert(isnan(result.obstacles[0].closing_speed));
    ck_assert_uint_eq(result.entered_count, i == 0);
  }
}

/* ---- The corridor --------------------------------------------------------------------------- */

STX_TEST(the_corridor_tells_who_enters_once_and_when_it_is_free)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
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
}

STX_TEST(a_corridor_lies_where_it_was_asked_for)
{
  StxObstaclesParams params = defaults;
  params.corridor_offset = -3.6;
  STX_AUTO(StxObstacles) *state = board_state(&params);
  StxObstaclesResult result = cars(state, 20, 25, 0);
  ck_assert_uint_eq(result.entered_count, 1);
  ck_assert_ptr_eq(&result.obstacles[result.entered[0]], nearest_to(&result, -3.6));
  params.corridor_width = 0;
  ck_assert(stx_obstacles_prepare(state, &params, CASE_RECORDS, CASE_COLUMNS, NULL));
  result = cars(state, 20, 25, .1);
  ck_assert_uint_eq(result.entered_count, 0);
}

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

STX_TEST(no_assignment_is_better_than_by_a_thousandth_each)
{
  STX_AUTO(StxObstacles) *state = board_state(&defaults);
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
    stx_obstacles_auction(state, obstacles);
    ck_assert_double_ge(
        sum_of_assigned(state, obstacles) + .001 * MOST + 1e-6, best_sum(state, 0, 0));
  }
  state->tracked = 0;
}
