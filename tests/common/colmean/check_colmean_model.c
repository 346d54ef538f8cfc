/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cell reduction: scores of every kind and size, and holes, against values worked out by hand
 * or without the code that is tested. */
#include "tests/common/colmean/colmean_case.h"

#include "common/colmean/colmean_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same bytes with the top bit flipped, of every layout and size. */
STX_TEST(signed_scores_give_what_unsigned_ones_do)
{
  StxRandom random = {14};
  for (int trial = 0; trial < 144; trial++) {
    int cell = trial % 4 ? 2 << trial % 4 : 1 + stx_random_below(&random, 20);
    StxColmeanParams params = {.semantics = STX_SEMANTICS_SCORES_U8,
        .grid = {1 + stx_random_below(&random, 300), 1 + stx_random_below(&random, 40), cell, cell,
            1 + stx_random_below(&random, 6)}};
    STX_AUTO(ColmeanCase) c = colmean_make_scaled_case(&params,
        trial / 4 % (STX_SCORE_SHIFT_MAX + 1), (ColmeanLayout)(trial / 16 % COLMEAN_LAYOUTS),
        stx_random_below(&random, 20), false, trial % 5 ? STX_FILL_NOISE : STX_FILL_HIGH, &random);
    STX_GUARDED uint16_t *expected = colmean_run(colmean_reference(), &c, 1);
    for (size_t i = 0; i < c.scores.size; i++)
      c.scores.data[i] ^= 0x80;
    c.params.semantics = STX_SEMANTICS_SCORES_I8;
    STX_GUARDED uint16_t *actual = colmean_run(colmean_reference(), &c, 1);
    stx_expect_same(expected, actual, stx_grid_bytes(&params.grid), "scores with a sign");
    colmean_expect_all_same(&c, 2, "scores with a sign");
  }
}

/* Every binary16 as the standard has it: sign, 5 bits of exponent, 10 of mantissa. */
STX_TEST(halves_are_converted_exactly)
{
  for (int half = 0; half < 0x10000; half++) {
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double value = ldexp(exponent ? 1024 + mantissa : mantissa, (exponent ? exponent : 1) - 25);
    float actual = stx_float_from_half((uint16_t)half);
    if (exponent == 31 && mantissa > 0) {
      ck_assert(isnan(actual));
      continue;
    }
    if (exponent == 31)
      value = INFINITY;
    ck_assert_msg(actual == copysign(value, half & 0x8000 ? -1 : 1), "%#x is %g", half, actual);
    ck_assert_int_eq(signbit(actual) != 0, half >> 15);
  }
}

/* Scores of a fraction of the size, each written down for every pixel of its square. */
static ColmeanCase repeated(const ColmeanCase *c)
{
  const StxGrid *grid = &c->params.grid;
  const StxColmeanInput *in = &c->input;
  ptrdiff_t size = (ptrdiff_t)stx_colmean_score_size(c->params.semantics);
  ColmeanCase full = *c;
  full.input.score_shift = 0;
  full.input.pixel_stride = size;
  full.input.row_stride = size * grid->width;
  full.input.class_stride = size * grid->width * grid->height;
  char *scores = malloc((size_t)full.input.class_stride * (size_t)grid->classes);
  full.input.scores = scores;
  for (int k = 0; k < grid->classes; k++)
    for (int y = 0; y < grid->height; y++)
      for (int x = 0; x < grid->width; x++, scores += size)
        memcpy(scores,
            c->scores.data + k * in->class_stride + y / (1 << in->score_shift) * in->row_stride +
                x / (1 << in->score_shift) * in->pixel_stride,
            (size_t)size);
  return full;
}

STX_TEST(the_reference_repeats_scores_of_a_fraction)
{
  StxRandom random = {13};
  for (int trial = 0; trial < 120; trial++) {
    StxColmeanParams params = {
        .semantics = (StxSemantics)(STX_SEMANTICS_SCORES_U8 + stx_random_below(&random, 4))};
    params.grid = (StxGrid){1 + stx_random_below(&random, 60), 1 + stx_random_below(&random, 40),
        1 + stx_random_below(&random, 20), 1 + stx_random_below(&random, 20), 3};
    STX_AUTO(ColmeanCase) c = colmean_make_scaled_case(&params, 1 + trial % STX_SCORE_SHIFT_MAX,
        (ColmeanLayout)stx_random_below(&random, COLMEAN_LAYOUTS), 3, false, STX_FILL_NOISE,
        &random);
    ColmeanCase full = repeated(&c);
    STX_GUARDED uint16_t *expected = colmean_run(colmean_reference(), &full, 1);
    STX_GUARDED uint16_t *actual = colmean_run(colmean_reference(), &c, 1);
    stx_expect_same(expected, actual, stx_grid_bytes(&params.grid), "scores of a fraction");
    free((void *)full.input.scores);
  }
}

/* ---- Holes -------------------------------------------------------------------------------- */

/* One row of `n` cells of one pixel through the reference with this fill_width. */
static void expect_filled(int fill_width, const uint16_t *d, const uint16_t *expected, int n)
{
  StxRandom random = {7};
  StxColmeanParams params = {.grid = {n, 1, 1, 1, 0}, .fill_width = fill_width};
  STX_AUTO(ColmeanCase) c =
      colmean_make_case(&params, COLMEAN_PLANAR, 0, false, STX_FILL_LOW, &random);
  memcpy(stx_row16(&c.input.disparity, 0), d, n * sizeof *d);
  STX_GUARDED uint16_t *columns = colmean_run(colmean_reference(), &c, 1);
  for (int i = 0; i < n; i++) {
    ck_assert_int_eq(columns[i], expected[i]);
    ck_assert_int_eq(columns[n + i], d[i] > 0          ? STX_WEIGHT_ONE
                                     : expected[i] > 0 ? STX_FILL_WEIGHT
                                                       : 0);
  }
}

STX_TEST(holes_take_the_farther_neighbour)
{
  static const uint16_t d[] = {0, 900, 0, 0, 500, 0, 700, 0, 0, 0, 600, 0, 0};
  static const uint16_t two[] = {900, 900, 500, 500, 500, 500, 700, 0, 0, 0, 600, 600, 600};
  static const uint16_t one[] = {900, 900, 0, 0, 500, 500, 700, 0, 0, 0, 600, 0, 0};
  static const uint16_t nothing[3] = {0};
  expect_filled(2, d, two, 13);
  expect_filled(1, d, one, 13);
  expect_filled(0, d, d, 13);
  expect_filled(STX_FILL_WIDTH_MAX, nothing, nothing, 3);
  expect_filled(1, nothing, nothing, 1);
}

/* Cells of sky are no holes, and hide nothing: what is beside them is as far as they are. */
STX_TEST(holes_beside_sky_are_far)
{
  enum { N = 13 };
  static const uint16_t d[N] = {0, 0, 0, 900, 0, 0, 0, 0, 700, 0, 500, 0, 0};
  static const uint8_t c[N] = {0, 16, 0, 255, 0, 255, 16, 0, 255, 0, 255, 0, 16};
  static const uint16_t filled[N] = {0, 0, 0, 900, 0, 0, 0, 0, 700, 500, 500, 0, 0};
  const uint16_t one = STX_WEIGHT_ONE, hole = STX_FILL_WEIGHT;
  const uint16_t weights[N] = {
      hole, 256, hole, one, hole, one, 256, hole, one, hole, one, hole, 256};
  StxRandom random = {9};
  StxColmeanParams params = {.grid = {N, 1, 1, 1, 0}, .fill_width = 1};
  STX_AUTO(ColmeanCase) sky =
      colmean_make_case(&params, COLMEAN_PLANAR, 0, true, STX_FILL_LOW, &random);
  memcpy(stx_row16(&sky.input.disparity, 0), d, sizeof d);
  memcpy(stx_row8(&sky.input.confidence, 0), c, sizeof c);
  sky.input.confidence_is_sky = true;
  STX_GUARDED uint16_t *columns = colmean_run(colmean_reference(), &sky, 1);
  for (int i = 0; i < N; i++) {
    ck_assert_int_eq(columns[i], filled[i]);
    ck_assert_int_eq(columns[N + i], weights[i]);
  }
  colmean_expect_all_same(&sky, 2, "holes beside sky");
}

STX_TEST(holes_are_measured_in_pixels)
{
  StxRandom random = {8};
  StxColmeanParams params = {.grid = {32, 8, 8, 8, 0}, .fill_width = 15};
  for (int pass = 0; pass < 2; pass++, params.fill_width++) {
    STX_AUTO(ColmeanCase) c =
        colmean_make_case(&params, COLMEAN_PLANAR, 0, false, STX_FILL_LOW, &random);
    STX_EACH_PIXEL (x, y, 8, 8)
      stx_row16(&c.input.disparity, y)[x] = stx_row16(&c.input.disparity, y)[24 + x] = 300;
    STX_GUARDED uint16_t *columns = colmean_run(colmean_reference(), &c, 1);
    ck_assert_int_eq(columns[1], pass ? 300 : 0); /* the hole is 16 pixels wide */
    ck_assert_int_eq(columns[2], pass ? 300 : 0);
  }
}
