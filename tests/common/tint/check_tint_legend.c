/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The legend of tint: that the colours which it shows are those of the picture, in their order. */
#include "common/tint/tint_legend.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 1242
#define HEIGHT 375

/* A black picture with the legend on it, RGB without padding; to be freed. */
static uint8_t *legend(const StxTintParams *params, const StxTintCount *count, StxLegend where)
{
  const StxSheetParams size = {WIDTH, HEIGHT, stx_pixel_format("RGB"), STX_MATRIX_BT601, false};
  const StxSheetImpl *impl = stx_impl_named(&stx_sheet_impls, "c");
  uint8_t *bytes = calloc(WIDTH * HEIGHT, 3);
  const StxFrame frame = {{bytes}, {3 * WIDTH}};
  const StxPlace place = {.threads = 1};
  void *memory = stx_guarded_alloc(stx_sheet_size(&size));
  StxSheet *sheet = stx_sheet_init(memory, &size);
  stx_tint_legend(params, stx_tint_span(params), count, where, sheet);
  ck_assert(impl->lay(sheet, stx_sheet_tiles(sheet), &frame, &place, NULL));
  stx_guarded_free(memory);
  return bytes;
}

/* Pixels of that colour, and the means of their columns and rows. */
static int find_place(const uint8_t *bytes, StxRgb colour, double *column, double *row)
{
  int count = 0;
  *column = *row = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    if (memcmp(bytes + 3 * i, &colour, 3) == 0) {
      *column += i % WIDTH;
      *row += i / WIDTH;
      count++;
    }
  *column /= count > 0 ? count : 1;
  *row /= count > 0 ? count : 1;
  return count;
}

static int find(const uint8_t *bytes, StxRgb colour, double *column)
{
  double row;
  return find_place(bytes, colour, column, &row);
}

static void expect_bar(StxTintMode mode, int palette, bool near_first)
{
  const StxTintParams params = {
      .mode = mode, .palette = palette, .numbers = STX_TINT_OF_MAP, .focal_baseline = 400};
  const StxTintCount none = {0};
  uint8_t *bytes = legend(&params, &none, STX_LEGEND_TOP_LEFT);
  double first, last;
  ck_assert_int_gt(find(bytes, stx_tint_colour(&params, 1, false), &first), 3);
  ck_assert_int_gt(find(bytes, stx_tint_colour(&params, STX_TINT_MOST, false), &last), 3);
  ck_assert_int_eq(last < first, near_first);
  ck_assert_double_lt(first, WIDTH / 2.);
  ck_assert_double_lt(last, WIDTH / 2.);
  free(bytes);
}

/* Numbers grow to the right: of depths the near ones, whose colour is the palette's last, come
 * first. */
START_TEST(bars_have_the_colours_of_the_picture)
{
  for (int palette = STX_TINT_PALETTE_AUTO; palette < STX_PALETTE_GRAY; palette++) {
    expect_bar(STX_TINT_DISPARITY, palette, false);
    expect_bar(STX_TINT_DEPTH, palette, true);
    expect_bar(STX_TINT_CONFIDENCE, palette, false);
    expect_bar(STX_TINT_COST, palette, false);
  }
}
END_TEST

/* What has no value is told beside the scale, where it can occur. */
START_TEST(unknown_and_sky_have_names)
{
  static const struct {
    StxTintMode mode;
    StxTintNumbers numbers;
    bool unknown, sky;
  } cases[] = {
      {STX_TINT_DISPARITY, STX_TINT_OF_MAP, true, false},
      {STX_TINT_CONFIDENCE, STX_TINT_OF_BYTE, false, false},
      {STX_TINT_CONFIDENCE, STX_TINT_OF_SURE, true, true},
      {STX_TINT_CONFIDENCE, STX_TINT_OF_PART, true, true},
      {STX_TINT_COST, STX_TINT_OF_PART, true, true},
  };
  const StxTintCount none = {0};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const StxTintParams params = {
        .mode = cases[i].mode, .numbers = cases[i].numbers, .palette = STX_TINT_PALETTE_AUTO};
    uint8_t *bytes = legend(&params, &none, STX_LEGEND_TOP_LEFT);
    double column;
    int unknown = find(bytes, stx_tint_colour(&params, 0, true), &column);
    int sky = find(bytes, stx_tint_colour(&params, STX_TINT_SKY, false), &column);
    ck_assert_msg((unknown > 20) == cases[i].unknown, "row %zu: %d", i, unknown);
    ck_assert_msg((sky > 20) == cases[i].sky, "row %zu: %d", i, sky);
    free(bytes);
  }
}
END_TEST

/* In the order of reading. */
START_TEST(errors_have_a_name_for_every_step)
{
  const StxTintParams params = {.mode = STX_TINT_ERROR, .palette = STX_TINT_PALETTE_AUTO};
  const StxTintCount count = {1000, 900, 45, 256 * 900};
  uint8_t *bytes = legend(&params, &count, STX_LEGEND_BOTTOM_RIGHT);
  double before = 0, column, row, line = 0;
  for (int level = 1; level <= STX_TINT_MISSING; level++) {
    ck_assert_int_gt(find_place(bytes, stx_tint_colour(&params, level, false), &column, &row), 20);
    ck_assert(row > line + 9 || (row > line - 2 && column > before));
    before = column;
    line = row;
  }
  free(bytes);
}
END_TEST

/* Rows that differ between the legends of two counts: the first and the last one, or -1. */
static void rows_that_differ(
    const StxTintCount *a, const StxTintCount *b, StxLegend where, int *first, int *last)
{
  const StxTintParams params = {.mode = STX_TINT_ERROR, .palette = STX_TINT_PALETTE_AUTO};
  uint8_t *one = legend(&params, a, where), *other = legend(&params, b, where);
  *first = *last = -1;
  for (int y = 0; y < HEIGHT; y++)
    if (memcmp(one + 3 * WIDTH * y, other + 3 * WIDTH * y, 3 * WIDTH) != 0) {
      *first = *first < 0 ? y : *first;
      *last = y;
    }
  free(one);
  free(other);
}

START_TEST(counts_are_told_beside_the_names)
{
  const StxTintCount none = {0}, few = {1000, 900, 9, 256}, more = {1000, 900, 90, 256},
                     gone = {1000, 500, 5, 256}, far = {1000, 900, 9, 2560};
  int first, last;
  rows_that_differ(&few, &few, STX_LEGEND_TOP_LEFT, &first, &last);
  ck_assert_int_eq(first, -1);
  rows_that_differ(&few, &more, STX_LEGEND_TOP_LEFT, &first, &last);
  ck_assert(first > 20 && last < 120);
  rows_that_differ(&few, &gone, STX_LEGEND_TOP_RIGHT, &first, &last);
  ck_assert(first > 20 && last < 120);
  rows_that_differ(&few, &far, STX_LEGEND_BOTTOM_LEFT, &first, &last);
  ck_assert(first > HEIGHT - 120 && last < HEIGHT - 8);
  rows_that_differ(&few, &none, STX_LEGEND_BOTTOM_RIGHT, &first, &last);
  ck_assert(first > HEIGHT - 120 && last < HEIGHT - 8);
  rows_that_differ(&few, &none, STX_LEGEND_NONE, &first, &last);
  ck_assert_int_eq(first, -1);
}
END_TEST

static const StxTest tests[] = {
    {&bars_have_the_colours_of_the_picture},
    {&unknown_and_sky_have_names},
    {&errors_have_a_name_for_every_step},
    {&counts_are_told_beside_the_names},
};
STX_TESTING_MAIN("tint_legend", tests)
