/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records found by brute force, placements by literal vectors and by their own inverse. */
#include "tests/testing.h"

#include "common/lookup/lookup.h"

#include <math.h>

/* ---- Records ------------------------------------------------------------------------------- */

enum { WIDTH = 61, HEIGHT = 37, CELL = 8, COLUMNS = 8, MOST = COLUMNS * 40 };
static const StxCut cut = {WIDTH, HEIGHT, CELL};

/* Every column cut at random from the bottom up; returns the number of records. */
static size_t cut_columns(StxRandom *random, StxStixel stixels[MOST])
{
  size_t count = 0;

  for (int column = 0; column < COLUMNS; column++)
    for (int bottom = HEIGHT - 1; bottom >= 0;) {
      int rows = 1 + stx_random_below(random, 9), top = bottom + 1 > rows ? bottom + 1 - rows : 0;
      float disparity = (float)stx_random_below(random, 5);
      stixels[count++] = (StxStixel){.column = column,
          .top = top,
          .bottom = bottom,
          .kind = 1 + stx_random_below(random, 3),
          .disparity_top = disparity,
          .disparity_bottom = disparity};
      bottom = top - 1;
    }
  return count;
}

static bool covers(const StxStixel *stixel, double u, double v)
{
  StxRectangle area = stx_stixel_area(&cut, stixel);

  return u >= area.x && u < area.x + area.width && v >= area.y && v < area.y + area.height;
}

STX_TEST(every_position_has_its_stixel)
{
  StxRandom random = {1};
  StxStixel stixels[MOST];
  size_t count = cut_columns(&random, stixels), index;

  for (double v = .25; v < HEIGHT; v += .5)
    for (double u = .25; u < WIDTH; u += .5) {
      ck_assert(stx_stixel_at(&cut, stixels, count, u, v, &index));
      ck_assert(covers(&stixels[index], u, v));
    }
}

STX_TEST(outside_there_is_none)
{
  StxRandom random = {2};
  StxStixel stixels[MOST];
  size_t count = cut_columns(&random, stixels), index;
  const double outside[][2] = {{-.1, 5}, {5, -.1}, {WIDTH, 5}, {5, HEIGHT}, {NAN, 5}, {5, NAN},
      {INFINITY, 5}, {5, -INFINITY}, {1e300, 1e300}};

  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
    ck_assert(!stx_stixel_at(&cut, stixels, count, outside[i][0], outside[i][1], &index));
  ck_assert(!stx_stixel_at(&cut, stixels, 0, 5, 5, &index));
  ck_assert(!stx_stixel_at(&(StxCut){WIDTH, HEIGHT, 0}, stixels, count, 5, 5, &index));
}

STX_TEST(the_last_column_is_narrower)
{
  const StxStixel last = {.column = 7, .top = 3, .bottom = 3};
  StxRectangle area = stx_stixel_area(&cut, &last);

  ck_assert(area.x == 56 && area.width == 5 && area.y == 3 && area.height == 1);
}

STX_TEST(the_nearest_is_that_of_a_search)
{
  StxRandom random = {3};
  StxStixel stixels[MOST];

  for (int turn = 0; turn < 100; turn++) {
    size_t count = cut_columns(&random, stixels), index = 0;
    for (int column = 0; column <= COLUMNS; column++) {
      const StxStixel *best = NULL;
      for (size_t i = 0; i < count; i++)
        if (stixels[i].column == column && stixels[i].kind == STX_KIND_OBJECT &&
            stixels[i].disparity_bottom > (best != NULL ? best->disparity_bottom : 0))
          best = &stixels[i];
      ck_assert(stx_stixel_nearest(stixels, count, column, &index) == (best != NULL));
      ck_assert(best == NULL || best == &stixels[index]);
    }
  }
}

STX_TEST(an_infinite_disparity_is_not_near)
{
  const StxStixel stixels[] = {
      {.kind = STX_KIND_OBJECT, .top = 4, .bottom = 7, .disparity_bottom = INFINITY},
      {.kind = STX_KIND_OBJECT, .bottom = 3, .disparity_bottom = NAN}};
  size_t index;

  ck_assert(!stx_stixel_nearest(stixels, 2, 0, &index));
}

STX_TEST(of_obstacles_the_first_is_found)
{
  const StxObstacle obstacles[] = {{.left = 10, .right = 19, .top = 5, .bottom = 5},
      {.left = 15, .right = 29, .bottom = 9},
      {.source = STX_OBSTACLE_LIDAR, .right = 100, .bottom = 100}};
  size_t index;

  ck_assert(stx_obstacle_at(obstacles, 3, 15, 5, &index) && index == 0);
  ck_assert(stx_obstacle_at(obstacles, 3, 15, 6, &index) && index == 1);
  ck_assert(stx_obstacle_at(obstacles, 3, 29.9, 9.9, &index) && index == 1);
  ck_assert(!stx_obstacle_at(obstacles, 3, 30, 9, &index));
  ck_assert(!stx_obstacle_at(obstacles, 3, NAN, 9, &index));
}

/* ---- Placements ---------------------------------------------------------------------------- */

static void expect_point(const StxPlacement *placement, double u, double v, double x, double y)
{
  double found_x, found_y, back_u, back_v;

  stx_placement_point(placement, u, v, &found_x, &found_y);
  ck_assert_double_eq_tol(found_x, x, 1e-9);
  ck_assert_double_eq_tol(found_y, y, 1e-9);
  ck_assert(stx_placement_back(placement, x, y, &back_u, &back_v));
  ck_assert_double_eq_tol(back_u, u, 1e-9);
  ck_assert_double_eq_tol(back_v, v, 1e-9);
}

/* Turned by 90° to the right, in a frame that is as wide as the image is high. */
static const StxPlacement on_side = {.xy = -1, .x0 = 40, .yx = 1, .width = 40, .height = 100};
static const StxPlacement mirrored = {.xx = -1, .x0 = 100, .yy = 1, .width = 100, .height = 40};

STX_TEST(steps_add_up)
{
  StxPlacement half = stx_placement_fill(100, 40, 50, 20);
  StxPlacement cut_off = {.xx = 1, .yy = 1, .x0 = -10, .y0 = -4, .width = 30, .height = 12};
  StxPlacement both = stx_placement_then(&half, &cut_off);

  expect_point(&half, 100, 40, 50, 20);
  expect_point(&both, 20, 8, 0, 0);
  expect_point(&both, 30, 10, 5, 1);
  ck_assert(both.width == 30 && both.height == 12);
  expect_point(&on_side, 0, 0, 40, 0);
  expect_point(&on_side, 100, 40, 0, 100);
  both = stx_placement_then(&mirrored, &on_side);
  expect_point(&both, 0, 0, 40, 100);
}

STX_TEST(three_corners_are_a_placement)
{
  const double corners[3][2] = {{40, 5}, {48, 105}, {0, 7}};
  StxPlacement at = stx_placement_of_corners(100, 40, corners, 60, 120);

  expect_point(&at, 0, 0, 40, 5);
  expect_point(&at, 100, 0, 48, 105);
  expect_point(&at, 0, 40, 0, 7);
  expect_point(&at, 50, 20, 24, 56);
  ck_assert(at.width == 60 && at.height == 120);
}

STX_TEST(a_rectangle_is_cut_at_the_frame)
{
  StxPlacement shifted = {.xx = 2, .yy = 1, .x0 = -10, .width = 30, .height = 20};
  StxRectangle frame;

  ck_assert(stx_placement_rectangle(&shifted, &(StxRectangle){4, 3, 2, 5}, &frame));
  ck_assert(frame.x == 0 && frame.width == 2 && frame.y == 3 && frame.height == 5);
  ck_assert(stx_placement_rectangle(&on_side, &(StxRectangle){10, 5, 20, 8}, &frame));
  ck_assert(frame.x == 27 && frame.width == 8 && frame.y == 10 && frame.height == 20);
  ck_assert(!stx_placement_rectangle(&shifted, &(StxRectangle){0, 3, 5, 5}, &frame));
  ck_assert(frame.width == 0 && frame.height == 0);
  ck_assert(!stx_placement_rectangle(&shifted, &(StxRectangle){0, 3, NAN, 5}, &frame));
}

STX_TEST(a_placement_that_crushes_has_no_way_back)
{
  const StxPlacement crushed = {.xx = 1, .xy = 2, .yx = 2, .yy = 4, .width = 9, .height = 9};
  const StxPlacement none = {0};
  double u, v;

  ck_assert(!stx_placement_back(&crushed, 1, 1, &u, &v));
  ck_assert(!stx_placement_back(&none, 1, 1, &u, &v));
}

/* Borders of 2 pixels or more are told from rounding. */
STX_TEST(borders_are_not_guessed)
{
  StxPlacement step;

  ck_assert(stx_placement_scaled(1242, 375, 621, 188, 1, &step));
  ck_assert(step.xx == .5 && step.x0 == 0 && step.width == 621);
  ck_assert(stx_placement_scaled(64, 32, 128, 32, 2, &step));
  ck_assert(step.xx == 2 && step.yy == 1);
  ck_assert(!stx_placement_scaled(64, 32, 128, 32, 1, &step));
  ck_assert(!stx_placement_scaled(64, 32, 64, 64, 1, &step));
  ck_assert(stx_placement_scaled(64, 32, 64, 33, 1, &step));
  ck_assert(!stx_placement_scaled(64, 32, 64, 34, 1, &step));
}

/* ---- The camera ---------------------------------------------------------------------------- */

static const StxCamera camera = {.focal = 80,
    .cx = 52,
    .cy = 17,
    .baseline = .5,
    .height = 1.5,
    .pitch = .1,
    .image_width = 100,
    .image_height = 40};

/* Through the frame's camera a position of the frame has the place that it has through the image's.
 * `x_from` and `y_from` are the axes of the image that the frame's show, signed. */
static void expect_same_place(const StxPlacement *placement, int x_from, int y_from)
{
  const double u = 70.5, v = 9.5, z = 8;
  double place[3] = {
      0, (u - .5 - camera.cx) * z / camera.focal, (v - .5 - camera.cy) * z / camera.focal};
  StxCamera seen;
  double x, y;

  ck_assert(stx_placement_camera(placement, &camera, &seen));
  stx_placement_point(placement, u, v, &x, &y);
  ck_assert_double_eq_tol(
      (x - .5 - seen.cx) * z / seen.focal, x_from < 0 ? -place[-x_from] : place[x_from], 1e-9);
  ck_assert_double_eq_tol(
      (y - .5 - seen.cy) * z / seen.focal, y_from < 0 ? -place[-y_from] : place[y_from], 1e-9);
  ck_assert(seen.baseline == .5 && seen.image_width == placement->width);
}

STX_TEST(the_camera_goes_with_the_frame)
{
  StxPlacement half = stx_placement_fill(100, 40, 50, 20);
  StxPlacement cut_off = {.xx = 1, .yy = 1, .x0 = -10, .y0 = -4, .width = 30, .height = 12};
  StxPlacement both = stx_placement_then(&half, &cut_off);
  StxPlacement head = {.xx = -1, .x0 = 100, .yy = -1, .y0 = 40, .width = 100, .height = 40};

  expect_same_place(&half, 1, 2);
  expect_same_place(&both, 1, 2);
  expect_same_place(&mirrored, -1, 2);
  expect_same_place(&head, -1, -2);
  expect_same_place(&on_side, -2, 1);
}

STX_TEST(height_and_pitch_are_those_of_an_upright_frame)
{
  StxCamera seen;

  ck_assert(stx_placement_camera(&mirrored, &camera, &seen));
  ck_assert(seen.height == 1.5 && seen.pitch == .1 && seen.missing == 0);
  ck_assert(stx_placement_camera(&on_side, &camera, &seen));
  ck_assert(seen.height == 0 && seen.pitch == 0 && seen.missing == STX_CAMERA_PITCH);
}

STX_TEST(what_is_unknown_stays_unknown)
{
  StxCamera no_cx = camera, seen;

  no_cx.cx = 0;
  no_cx.missing = STX_CAMERA_CX;
  ck_assert(stx_placement_camera(&mirrored, &no_cx, &seen));
  ck_assert(seen.cx == 0 && seen.missing == STX_CAMERA_CX && seen.cy == 17);
  ck_assert(stx_placement_camera(&on_side, &no_cx, &seen));
  ck_assert(seen.cy == 0 && seen.missing == (STX_CAMERA_CY | STX_CAMERA_PITCH));
  ck_assert_double_eq_tol(seen.cx, 40 - 17.5 - .5, 1e-9);
}

STX_TEST(a_stretched_or_skewed_frame_has_no_camera)
{
  StxPlacement stretched = stx_placement_fill(100, 40, 100, 80);
  StxPlacement rounded = stx_placement_fill(101, 41, 50, 21);
  StxPlacement skewed = {.xx = 1, .xy = .1, .yy = 1, .width = 100, .height = 40};
  StxPlacement none = {0};
  StxCamera seen;

  ck_assert(!stx_placement_camera(&stretched, &camera, &seen));
  ck_assert(seen.focal == 0 && seen.missing == STX_CAMERA_ALL);
  ck_assert(!stx_placement_camera(&skewed, &camera, &seen));
  ck_assert(!stx_placement_camera(&none, &camera, &seen));
  ck_assert(stx_placement_camera(&rounded, &camera, &seen));
}
