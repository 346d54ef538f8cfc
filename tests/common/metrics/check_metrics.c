/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Literal vectors only: every expected number below was worked out by hand. */
#include "tests/testing.h"

#include <string.h>

#include "common/metrics/metrics.h"

#define PX STX_DISPARITY_ONE

static StxImage16 image16(uint16_t *data, int width, int height)
{
  return (StxImage16){data, width * (ptrdiff_t)sizeof *data, width, height};
}

static StxImage8 image8(uint8_t *data, int width, int height)
{
  return (StxImage8){data, width, width, height};
}

static void expect16(const uint16_t *actual, const uint16_t *expected, int count)
{
  stx_expect_same(expected, actual, 2 * (size_t)count, "values");
}

static void expect8(const uint8_t *actual, const uint8_t *expected, int count)
{
  stx_expect_same(expected, actual, (size_t)count, "values");
}

static void expect_score(const StxDisparityScore *actual, StxDisparityScore expected)
{
  stx_expect_same(&expected, actual, sizeof expected, "score");
}

/* ---- Disparity ---------------------------------------------------------------------------- */

STX_TEST(outliers_need_more_than_three_pixels_and_five_percent)
{
  /* truth 100 px: 5 % is 5 px; truth 40 px: 5 % is 2 px. */
  uint16_t truth[] = {100 * PX, 100 * PX, 100 * PX, 40 * PX, 40 * PX, 40 * PX, 0};
  uint16_t estimate[] = {
      105 * PX,     /* exactly 5 %, more than 3 px: or only */
      105 * PX + 1, /* both */
      97 * PX,      /* exactly 3 px, less than 5 %: neither */
      43 * PX,      /* exactly 3 px, more than 5 %: or only */
      37 * PX - 1,  /* both */
      42 * PX,      /* exactly 5 %: neither */
      9 * PX,       /* no truth: not counted */
  };
  StxImage16 t = image16(truth, 7, 1), e = image16(estimate, 7, 1);
  StxDisparityScore score = {0};
  stx_disparity_score_add(&score, &t, &e);
  expect_score(&score, (StxDisparityScore){.truth = 6, .known = 6, .bad_and = 2, .bad_or = 4});
}

STX_TEST(a_hole_is_an_error_even_where_zero_is_close)
{
  uint16_t truth[] = {2 * PX, 50 * PX}, estimate[] = {0, 0};
  StxImage16 t = image16(truth, 2, 1), e = image16(estimate, 2, 1);
  StxDisparityScore score = {0};
  stx_disparity_score_add(&score, &t, &e);
  expect_score(&score, (StxDisparityScore){.truth = 2, .bad_and = 2, .bad_or = 2});
}

STX_TEST(holes_are_filled_in_the_order_of_the_kitti_kit)
{
  STX_AUTO(StxImage16) map = stx_test_image16(6, 5, 6);
  const uint16_t holes[5][6] = {
      {0, 0, 0, 0, 0, 0},                     /* above the first known pixel of every column */
      {0, 9, 0, 0, 5, 0},                     /* ends, and a hole between 9 and 5: the smaller */
      {0, 0, 0, 0, 0, 0},                     /* an empty row between two others stays empty */
      {7, 0, 8, 0, 0, 6}, {0, 0, 0, 0, 0, 0}, /* below */
  };
  const uint16_t filled[5][6] = {
      {9, 9, 5, 5, 5, 5},
      {9, 9, 5, 5, 5, 5},
      {0, 0, 0, 0, 0, 0},
      {7, 7, 8, 6, 6, 6},
      {7, 7, 8, 6, 6, 6},
  };
  for (int y = 0; y < 5; y++)
    memcpy(stx_row16(&map, y), holes[y], sizeof holes[y]);
  stx_disparity_fill(&map);
  for (int y = 0; y < 5; y++)
    expect16(stx_row16(&map, y), filled[y], 6);
}

STX_TEST(filling_copes_with_nothing_and_with_one_pixel)
{
  uint16_t nothing[6] = {0}, single[6] = {0, 0, 0, 0, 3, 0};
  StxImage16 map = image16(nothing, 3, 2);
  stx_disparity_fill(&map);
  expect16(nothing, (uint16_t[]){0, 0, 0, 0, 0, 0}, 6);
  map = image16(single, 3, 2);
  stx_disparity_fill(&map);
  expect16(single, (uint16_t[]){3, 3, 3, 3, 3, 3}, 6);
  map = image16(single, 1, 1);
  stx_disparity_fill(&map);
  ck_assert_uint_eq(single[0], 3);
}

/* ---- Stixels ------------------------------------------------------------------------------ */

/* Two columns of 2 and, cut by the image's border, 1 pixels; 5 rows. */
static const StxStixel street[] = {
    {0, 2, 4, STX_KIND_GROUND, 0, 2, 4, 0, 1},
    {0, 1, 1, STX_KIND_OBJECT, 13, 10, 10, 0, 1},
    {0, 0, 0, STX_KIND_SKY, 10, 0, 0, 0, 1},
    {1, 3, 9, STX_KIND_GROUND, 1, -1, 5, 0, 1}, /* reaches below the image and below zero */
    {1, 0, 2, STX_KIND_OBJECT, STX_LABEL_NONE, 0, 0, 0, 0},
};

STX_TEST(stixels_become_disparities)
{
  STX_AUTO(StxImage16) map = stx_test_image16(3, 5, 4);
  stx_render_disparity(street, 5, 2, &map);
  const uint16_t expected[5][3] = {
      {1, 1, 0}, {10 * PX, 10 * PX, 0}, {2 * PX, 2 * PX, 0}, {3 * PX, 3 * PX, 1},
      {4 * PX, 4 * PX, 1}, /* −1 + 1/6 · 6 px = 0: far, not unknown */
  };
  for (int y = 0; y < 5; y++)
    expect16(stx_row16(&map, y), expected[y], 3);
}

STX_TEST(disparities_are_rounded_and_saturate)
{
  StxStixel stixels[] = {
      {0, 0, 2, STX_KIND_GROUND, 0, 1.0f / 512, 300, 0, 1},
      {1, 0, 2, STX_KIND_OBJECT, 0, 1.5f / 256, 1.4f / 256, 0, 1},
  };
  uint16_t data[6];
  StxImage16 map = image16(data, 2, 3);
  stx_render_disparity(stixels, 2, 1, &map);
  /* 0.5 -> 1; (0.5 + 76800) / 2 = 38400.25 -> 38400; 76800 -> 65535. 1.5 -> 2, 1.45, 1.4 -> 1. */
  expect16(data, (uint16_t[]){1, 2, 38400, 1, 65535, 1}, 6);
}

STX_TEST(stixels_become_labels_and_kinds)
{
  STX_AUTO(StxImage8) labels = stx_test_image8(4, 5, 3), kinds = stx_test_image8(4, 5, 1);
  stx_render_labels(street, 3, 2, &labels); /* the second column is missing */
  stx_render_kinds(street, 3, 2, &kinds);
  const uint8_t label[5] = {10, 13, 0, 0, 0}, kind[5] = {3, 2, 1, 1, 1};
  for (int y = 0; y < 5; y++) {
    expect8(stx_row8(&labels, y), (uint8_t[]){label[y], label[y], 255, 255}, 4);
    expect8(stx_row8(&kinds, y), (uint8_t[]){kind[y], kind[y], 0, 0}, 4);
  }
}

/* ---- Classes ------------------------------------------------------------------------------ */

STX_TEST(the_majority_of_a_cell_wins)
{
  /* 5 × 3 pixels in cells of 2 × 2: the last column and row of cells are smaller. */
  uint8_t truth[] = {4, 4, 9, 2, 255, 4, 1, 2, 9, 255, 7, 7, 255, 255, 3};
  /* a tie of 2 and 9: the smaller */
  const uint8_t expected[] = {4, 4, 2, 2, 255, 4, 4, 2, 2, 255, 7, 7, 255, 255, 3};
  StxGrid grid = {.width = 5, .height = 3, .cell_width = 2, .cell_height = 2};
  StxImage8 labels = image8(truth, 5, 3), majority = stx_test_image8(5, 3, 2);
  stx_render_majority(&grid, &labels, &majority);
  for (int y = 0; y < 3; y++)
    expect8(stx_row8(&majority, y), expected + 5 * y, 5);
  stx_test_image8_free(&majority);
}

STX_TEST(label_ids_become_train_ids)
{
  uint8_t map[256], identity[256];
  stx_labels_from_cityscapes(map);
  stx_labels_identity(identity);
  ck_assert_uint_eq(map[7], 0);
  ck_assert_uint_eq(map[26], 13);
  ck_assert_uint_eq(map[33], 18);
  ck_assert_uint_eq(map[0], STX_LABEL_NONE);
  ck_assert_uint_eq(map[9], STX_LABEL_NONE);
  ck_assert_uint_eq(map[255], STX_LABEL_NONE);
  ck_assert_uint_eq(identity[18], 18);
  ck_assert_uint_eq(identity[19], STX_LABEL_NONE);
  ck_assert_str_eq(stx_label_name(10), "sky");
  ck_assert_str_eq(stx_label_name(STX_LABEL_NONE), "none");
  ck_assert_str_eq(stx_label_name(-1), "none");
  for (int k = 0; k < STX_LABEL_CLASSES; k++)
    ck_assert_uint_eq(stx_label_named(stx_label_name(k)), k);
  ck_assert_uint_eq(stx_label_named("Traffic_Light"), 6);
  ck_assert_uint_eq(stx_label_named("traffic-sign"), 7);
  ck_assert_uint_eq(stx_label_named("car "), STX_LABEL_NONE);
  ck_assert_uint_eq(stx_label_named("ca"), STX_LABEL_NONE);
  ck_assert_uint_eq(stx_label_named(""), STX_LABEL_NONE);
}

/* Stretched, cut at the border, see-through where a region has no class. */
STX_TEST(regions_are_drawn_on_labels)
{
  uint8_t regions[] = {7, 8, 9, 7}, labels[] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, map[256];
  StxImage8 from = image8(regions, 2, 2), to = image8(labels, 4, 3);

  stx_labels_identity(map);
  map[7] = STX_LABEL_NONE;
  stx_labels_draw(&from, map, 1, -1, 6, 4, &to);
  expect8(labels, (uint8_t[]){9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, 12);
  map[7] = 1;
  stx_labels_draw(&from, map, 1, -1, 4, 4, &to);
  expect8(labels, (uint8_t[]){9, 1, 1, 8, 9, 9, 9, 1, 9, 9, 9, 1}, 12);
  stx_labels_draw(&from, map, 0, 0, 0, 3, &to);
  stx_labels_draw(&from, map, 50, 50, 3, 3, &to);
  expect8(labels, (uint8_t[]){9, 1, 1, 8, 9, 9, 9, 1, 9, 9, 9, 1}, 12);
}
