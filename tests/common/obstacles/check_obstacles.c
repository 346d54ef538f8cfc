/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Obstacles and free space of single frames, by literal scenes. */
#include "tests/common/obstacles/obstacles_case.h"
#include "tests/testing.h"

#include <math.h>
#include <string.h>

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

START_TEST(two_boards_are_two_obstacles_the_nearest_first)
{
  StxObstacles *state = board_state(&defaults);
  StxObstaclesResult result = one_frame(state, board_camera(), two);
  ck_assert_uint_eq(result.count, 2);
  expect_board(&result.obstacles[0], &two[1]);
  expect_board(&result.obstacles[1], &two[0]);
  ck_assert_double_eq_tol((double)result.obstacles[0].y, 1.65, .05);
  stx_obstacles_free(state);
}
END_TEST

/* 5 degrees down and up, and without a word about it: the ground says where feet are. */
START_TEST(a_tilted_camera_changes_no_distance_and_no_height)
{
  StxObstacles *state = board_state(&defaults);
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
  stx_obstacles_free(state);
}
END_TEST

START_TEST(members_and_free_space_name_their_obstacle)
{
  StxObstacles *state = board_state(&defaults);
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
  stx_obstacles_free(state);
}
END_TEST

START_TEST(nothing_gives_nothing)
{
  StxObstacles *state = board_state(&defaults);
  StxObstaclesFrame frame = {
      .width = CASE_WIDTH, .height = CASE_HEIGHT, .stixel_width = 8, .camera = board_camera()};
  StxObstaclesResult result = board_run(state, &frame);
  ck_assert_uint_eq(result.count, 0);
  for (size_t i = 0; i < result.directions; i++)
    ck_assert(isnan(result.free_space[i].z));
  stx_obstacles_free(state);
}
END_TEST

/* ---- What is refused ------------------------------------------------------------------------ */

static void expect_refused(StxObstacles *state, const StxObstaclesFrame *frame, const char *reason)
{
  StxObstaclesResult result;
  StxError error = {""};
  ck_assert(!stx_obstacles_of_stixels(state, frame, &result, &error));
  ck_assert_msg(strstr(error.text, reason) != NULL, "\"%s\" not in \"%s\"", reason, error.text);
  ck_assert_uint_eq(result.count, 0);
}

START_TEST(a_camera_without_metres_is_refused)
{
  StxObstacles *state = board_state(&defaults);
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
  stx_obstacles_free(state);
}
END_TEST

START_TEST(segments_and_disorder_are_refused)
{
  StxObstacles *state = board_state(&defaults);
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
  expect_refused(state, &frame, "room was made for 2048");
  stx_obstacles_free(state);
}
END_TEST

static const StxTest tests[] = {{&two_boards_are_two_obstacles_the_nearest_first},
    {&a_tilted_camera_changes_no_distance_and_no_height},
    {&members_and_free_space_name_their_obstacle}, {&nothing_gives_nothing},
    {&a_camera_without_metres_is_refused}, {&segments_and_disorder_are_refused}};
STX_TESTING_MAIN("obstacles", tests)
