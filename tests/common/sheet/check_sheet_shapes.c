/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shapes on the sheet: which pixels they cover, and that nothing outside of the frame matters. */
#include "tests/common/sheet/sheet_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A picture of digits: '#' covered wholly, '.' not at all, '?' in part. */
static void expect_picture(const StxSheet *sheet, const char *const *rows)
{
  const StxSheetParams *params = stx_sheet_params(sheet);
  for (int y = 0; y < params->height; y++)
    for (int x = 0; x < params->width; x++) {
      int cover = sheet_cover(sheet, x, y);
      char is = cover == 0 ? '.' : cover == 255 ? '#' : '?';
      ck_assert_msg(is == rows[y][x], "pixel %d, %d is covered by %d", x, y, cover);
    }
}

static StxSheet *small_sheet(int width, int height)
{
  StxSheetParams params = sheet_params("RGB", width, height);
  return sheet_new(&params);
}

START_TEST(boxes_cover_whole_pixels)
{
  static const char *const rows[] = {"........", ".####...", ".####...", "........"};
  static const char *const outline[] = {"........", ".#####..", ".#...#..", ".#####.."};
  StxSheet *sheet = small_sheet(8, 4);
  stx_sheet_box(sheet, (StxBox){1, 1, 4, 2}, 0, sheet_white);
  expect_picture(sheet, rows);
  stx_sheet_clear(sheet);
  stx_sheet_outline(sheet, (StxBox){1, 1, 5, 3}, 0, 1, sheet_white);
  expect_picture(sheet, outline);
  stx_sheet_clear(sheet);
  stx_sheet_box(sheet, (StxBox){1.5, 1, 4, 2}, 0, sheet_white);
  ck_assert_int_eq(sheet_cover(sheet, 1, 1), 128);
  ck_assert_int_eq(sheet_cover(sheet, 2, 1), 255);
  sheet_free(sheet);
}
END_TEST

START_TEST(round_corners_are_cut)
{
  StxSheet *sheet = small_sheet(20, 20);
  stx_sheet_box(sheet, (StxBox){0, 0, 20, 20}, 99, sheet_white); /* at most a circle */
  ck_assert_int_eq(sheet_cover(sheet, 1, 1), 0);
  ck_assert_int_gt(sheet_cover(sheet, 10, 0), 240);
  ck_assert_int_eq(sheet_cover(sheet, 10, 10), 255);
  sheet_free(sheet);
}
END_TEST

START_TEST(lines_have_their_width)
{
  static const char *const rows[] = {"..........", "...######.", "...######.", ".........."};
  StxSheet *sheet = small_sheet(10, 4);
  StxSpot ends[] = {{3, 2}, {9, 2}};
  stx_sheet_line(sheet, ends, 2, 2, sheet_white);
  for (int x = 3; x < 9; x++)
    for (int y = 0; y < 4; y++)
      ck_assert_int_eq(sheet_cover(sheet, x, y), rows[y][x] == '#' ? 255 : 0);
  sheet_free(sheet);
}
END_TEST

/* A line that crosses itself and turns back, at half the opacity: alike wherever it is. */
START_TEST(a_line_does_not_lie_over_itself)
{
  StxSheet *sheet = small_sheet(40, 40);
  StxSpot path[] = {{4, 20}, {36, 20}, {20, 4}, {20, 36}, {20, 4}};
  stx_sheet_line(sheet, path, 5, 4, (StxInk){{255, 255, 255}, .5});
  ck_assert_int_eq(sheet_cover(sheet, 20, 20), 128);
  ck_assert_int_eq(sheet_cover(sheet, 8, 20), 128);
  ck_assert_int_eq(sheet_cover(sheet, 20, 30), 128);
  sheet_free(sheet);
}
END_TEST

START_TEST(polygons_of_any_shape)
{
  static const char *const rows[] = {
      "##......", "##......", "##......", "######..", "######..", "........"};
  StxSheet *sheet = small_sheet(8, 6);
  StxSpot corner[] = {{0, 0}, {2, 0}, {2, 3}, {6, 3}, {6, 5}, {0, 5}};
  stx_sheet_polygon(sheet, corner, 6, sheet_white);
  expect_picture(sheet, rows);
  stx_sheet_clear(sheet);
  for (int i = 0; i < 3; i++) { /* the other way round */
    StxSpot swapped = corner[i];
    corner[i] = corner[5 - i];
    corner[5 - i] = swapped;
  }
  stx_sheet_polygon(sheet, corner, 6, sheet_white);
  expect_picture(sheet, rows);
  stx_sheet_clear(sheet);
  StxSpot half[] = {{.25, 1}, {.5, 1}, {.5, 2}, {.25, 2}};
  stx_sheet_polygon(sheet, half, 4, sheet_white);
  ck_assert_int_eq(sheet_cover(sheet, 0, 1), 64);
  sheet_free(sheet);
}
END_TEST

/* Pixels of a circle, by their angle. */
START_TEST(arcs_cover_their_angles)
{
  static const double turns[][2] = {{0, 1.2}, {-1, 4}, {2, -3}, {0, -5.5}, {1, 7}, {3, 3.14}};
  for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
    StxSheet *sheet = small_sheet(64, 64);
    stx_sheet_arc(sheet, (StxSpot){32, 32}, 24, turns[i][0], turns[i][1], 3, sheet_white);
    for (double angle = 0; angle < 6.28; angle += .05) {
      double begin = turns[i][1] < 0 ? turns[i][0] + turns[i][1] : turns[i][0];
      double beyond = fmod(angle - begin + 20 * 3.14159265358979, 2 * 3.14159265358979);
      double length = fabs(turns[i][1]), from_end = fabs(beyond - length);
      bool inside = beyond < length;
      if (length < 6.28 && (from_end < .12 || beyond < .12 || beyond > 6.16))
        continue;
      int x = (int)(32 + 24 * cos(angle)), y = (int)(32 + 24 * sin(angle));
      ck_assert_msg(inside == (sheet_cover(sheet, x, y) > 200), "arc %d at %g", (int)i, angle);
    }
    ck_assert_int_eq(sheet_cover(sheet, 32, 32), 0);
    sheet_free(sheet);
  }
}
END_TEST

/* ---- Edges of the frame -------------------------------------------------------------------- */

/* The same shapes on a sheet and on a large one of which it is a part. */
START_TEST(shapes_are_cut_off_at_the_frame)
{
  enum { WIDTH = 50, HEIGHT = 37, AROUND = 32 };
  StxSheetParams params = sheet_params("RGB", WIDTH, HEIGHT);
  StxSheetParams large = sheet_params("RGB", WIDTH + 2 * AROUND, HEIGHT + 2 * AROUND);
  StxRandom random = {11};
  for (int round = 0; round < 60; round++) {
    StxSheet *part = sheet_new(&params), *whole = sheet_new(&large);
    StxSpot at[4], moved[4];
    for (int i = 0; i < 4; i++) {
      at[i] = (StxSpot){
          stx_random_below(&random, 1000) / 10. - 25, stx_random_below(&random, 870) / 10. - 25};
      moved[i] = (StxSpot){at[i].x + AROUND, at[i].y + AROUND};
    }
    if (round % 3 == 0) {
      stx_sheet_polygon(part, at, 4, sheet_white);
      stx_sheet_polygon(whole, moved, 4, sheet_white);
    } else if (round % 3 == 1) {
      stx_sheet_line(part, at, 4, 3.3, sheet_white);
      stx_sheet_line(whole, moved, 4, 3.3, sheet_white);
    } else {
      stx_sheet_arc(part, at[0], 20, 0, 4, 2, sheet_white);
      stx_sheet_arc(whole, moved[0], 20, 0, 4, 2, sheet_white);
    }
    for (int i = 0; i < 40; i++) {
      int x = stx_random_below(&random, WIDTH), y = stx_random_below(&random, HEIGHT);
      int cover = sheet_cover(part, x, y), same = sheet_cover(whole, x + AROUND, y + AROUND);
      ck_assert_msg(
          abs(cover - same) <= 1, "round %d, pixel %d, %d: %d, whole %d", round, x, y, cover, same);
    }
    sheet_free(whole);
    sheet_free(part);
  }
}
END_TEST

static void draw_all_at(StxSheet *sheet, StxSpot a, StxSpot b, double length)
{
  StxSpot spots[] = {a, b, a};
  stx_sheet_line(sheet, spots, 2, length, sheet_white);
  stx_sheet_polygon(sheet, spots, 3, sheet_white);
  stx_sheet_arc(sheet, a, length, length, length, length, sheet_white);
  stx_sheet_dot(sheet, b, length, sheet_white);
  stx_sheet_box(sheet, (StxBox){a.x, a.y, length, length}, length, sheet_white);
  stx_sheet_outline(sheet, (StxBox){b.x, b.y, length, length}, 0, length, sheet_white);
  stx_sheet_text(sheet, "8", length, a, STX_ANCHOR_CENTRE_MIDDLE, sheet_white, sheet_white);
  stx_sheet_claim(sheet, stx_sheet_text_box("8", length, b, STX_ANCHOR_LEFT_BASE));
}

/* It ends, stays inside of its memory, and does not draw what is nowhere. */
START_TEST(any_numbers_will_do)
{
  static const double numbers[] = {0, -0., 3.5, 31.9, -7, 1e4, -1e4, 9.9e8, -9.9e8, 1e9, 1e300,
      -1e300, INFINITY, -INFINITY, NAN};
  enum { COUNT = sizeof numbers / sizeof numbers[0] };
  StxSheet *sheet = small_sheet(33, 18);
  for (int i = 0; i < COUNT; i++)
    for (int k = 0; k < COUNT; k++)
      for (int n = 0; n < COUNT; n++) {
        StxSpot a = {numbers[i], numbers[k]}, b = {numbers[k], numbers[(i + 3) % COUNT]};
        draw_all_at(sheet, a, b, numbers[n]);
        stx_sheet_clear(sheet);
      }
  for (int i = 0; i < COUNT; i++)
    draw_all_at(sheet, (StxSpot){NAN, 3}, (StxSpot){3, INFINITY}, numbers[i]);
  ck_assert(stx_sheet_is_empty(sheet));
  draw_all_at(sheet, (StxSpot){3, 3}, (StxSpot){9, 3}, 0);
  draw_all_at(sheet, (StxSpot){3, 3}, (StxSpot){9, 3}, -2);
  StxSpot spots[] = {{1, 1}, {9, 2}, {4, 8}};
  stx_sheet_polygon(sheet, spots, 2, sheet_white);
  stx_sheet_line(sheet, spots, 0, 2, sheet_white);
  bool nothing = stx_sheet_is_empty(sheet);
  stx_sheet_polygon(sheet, spots, 3, (StxInk){{9, 9, 9}, NAN});
  ck_assert_int_eq(sheet_cover(sheet, 4, 4), 0);
  ck_assert_msg(nothing, "what has no width was drawn");
  sheet_free(sheet);
}
END_TEST

/* Of lines the pieces that can be drawn are. */
START_TEST(lines_go_on_after_what_cannot_be_drawn)
{
  StxSheet *sheet = small_sheet(40, 20);
  StxSpot path[] = {{2, 10}, {10, 10}, {NAN, 10}, {20, 10}, {30, 10}};
  stx_sheet_line(sheet, path, 5, 3, sheet_white);
  ck_assert_int_eq(sheet_cover(sheet, 6, 10), 255);
  ck_assert_int_eq(sheet_cover(sheet, 15, 10), 0);
  ck_assert_int_eq(sheet_cover(sheet, 25, 10), 255);
  sheet_free(sheet);
}
END_TEST

static const StxTest tests[] = {
    {&boxes_cover_whole_pixels},
    {&round_corners_are_cut},
    {&lines_have_their_width},
    {&a_line_does_not_lie_over_itself},
    {&polygons_of_any_shape},
    {&arcs_cover_their_angles},
    {&shapes_are_cut_off_at_the_frame},
    {&any_numbers_will_do},
    {&lines_go_on_after_what_cannot_be_drawn},
};
STX_TESTING_MAIN("sheet_shapes", tests)
