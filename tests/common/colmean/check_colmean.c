/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cell reduction: hand-worked cells, and every implementation against the reference. */
#include "tests/common/colmean/colmean_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Literal vectors ---------------------------------------------------------------------- */

/* One 4×2 cell with these disparities and confidences, reduced; `sky`: those of unknown pixels say
 * that they are sky. */
static void expect_cell_or_sky(StxReduction reduction, const uint16_t d[8], const uint8_t c[8],
    bool sky, int disparity, int weight)
{
  ColmeanCase cell = {.params = {.grid = {4, 2, 4, 2, 0}, .reduction = reduction}};
  cell.input.confidence_is_sky = sky;
  cell.input.disparity = (StxImage16){(uint16_t *)d, 8, 4, 2};
  if (c != NULL)
    cell.input.confidence = (StxImage8){(uint8_t *)c, 4, 4, 2};
  STX_GUARDED uint16_t *columns = colmean_run(colmean_reference(), &cell, 1);
  ck_assert_int_eq(columns[0], disparity);
  ck_assert_int_eq(columns[1], weight);
  colmean_expect_all_same(&cell, 2, "literal cell");
}

static void expect_cell(
    StxReduction reduction, const uint16_t d[8], const uint8_t c[8], int disparity, int weight)
{
  expect_cell_or_sky(reduction, d, c, false, disparity, weight);
}

STX_TEST(literal_disparities)
{
  static const uint16_t near[8] = {2560, 2560, 2564, 2570, 2560, 2561, 2562, 2563};
  expect_cell(STX_REDUCE_MEAN, near, NULL, 2563, 65025); /* 20500 / 8 = 2562.5, half goes up */
  expect_cell(STX_REDUCE_WEIGHTED, near, NULL, 2563, 65025);
  expect_cell(STX_REDUCE_MEDIAN, near, NULL, 2561, 65025); /* rank 3 of 0…7 */

  /* Four of eight valid are just enough; three are not. The median is the lower of the middle two;
   * 1024 away is still near, and nothing beyond. */
  static const uint16_t four[8] = {0, 0, 1000, 1000, 0, 2024, 2024, 0};
  expect_cell(STX_REDUCE_MEAN, four, NULL, 1512, 32513); /* 4·65025 / 8 = 32512.5 */
  expect_cell(STX_REDUCE_WEIGHTED, four, NULL, 1512, 32513);
  expect_cell(STX_REDUCE_MEDIAN, four, NULL, 1000, 32513);
  static const uint16_t apart[8] = {0, 0, 1000, 1000, 0, 2025, 2025, 0};
  expect_cell(STX_REDUCE_MEAN, apart, NULL, 1513, 32513); /* 1512.5 */
  expect_cell(STX_REDUCE_WEIGHTED, apart, NULL, 1000, 16256);
  static const uint16_t three[8] = {0, 0, 1000, 1000, 0, 1000, 0, 0};
  expect_cell(STX_REDUCE_MEAN, three, NULL, 0, 0);

  /* 5 %: 40000 / 20 = 2000 is the tolerance of large disparities. */
  static const uint16_t large[8] = {40000, 40000, 40000, 40000, 40000, 42000, 38000, 42001};
  expect_cell(STX_REDUCE_WEIGHTED, large, NULL, 40000, 56897); /* 7·65025 / 8 = 56896.875 */
  static const uint16_t full[8] = {65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535};
  expect_cell(STX_REDUCE_MEAN, full, NULL, 65535, 65025);
  expect_cell(STX_REDUCE_WEIGHTED, full, NULL, 65535, 65025);
  static const uint16_t small[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  expect_cell(STX_REDUCE_WEIGHTED, small, NULL, 1, 65025);
}

STX_TEST(literal_confidences)
{
  static const uint16_t d[8] = {1000, 1000, 1000, 1000, 1100, 1100, 9000, 0};
  static const uint8_t c[8] = {10, 10, 10, 0, 20, 20, 255, 255};
  /* valid: 3 × 1000 with 100, 2 × 1100 with 400, 9000 with 65025; the median (rank 2 of 0…5) is
   * 1000. WEIGHTED: (300·1000 + 800·1100) / 1100 = 1072.7; weight 1100 / 8 = 137.5 */
  expect_cell(STX_REDUCE_WEIGHTED, d, c, 1073, 138);
  expect_cell(STX_REDUCE_MEDIAN, d, c, 1000, 138);
  /* MEAN: 14200 / 6 = 2366.7; weight 66125 / 8 = 8265.6 */
  expect_cell(STX_REDUCE_MEAN, d, c, 2367, 8266);
  /* Confidence 1: known, of no weight, since three of the four enter (3 / 8). Confidence 0:
   * unknown. */
  static const uint16_t four[8] = {0, 0, 1000, 1000, 0, 1000, 9000, 0};
  static const uint8_t least[8] = {0, 0, 1, 1, 0, 1, 1, 0}, none[8] = {9, 9, 0, 1, 9, 1, 1, 9};
  expect_cell(STX_REDUCE_WEIGHTED, four, least, 1000, 0);
  expect_cell(STX_REDUCE_WEIGHTED, four, none, 0, 0);
}

STX_TEST(literal_sky)
{
  for (int reduction = STX_REDUCE_MEAN; reduction <= STX_REDUCE_MEDIAN; reduction++) {
    StxReduction rule = (StxReduction)reduction;
    /* Three of sky, two valid: (100 + 400 + 65025) / 8 = 8190.6. Two of sky: neither. */
    static const uint16_t d[8] = {0, 0, 0, 0, 0, 1000, 1000, 0};
    static const uint8_t three[8] = {10, 20, 255, 0, 0, 30, 30, 0};
    static const uint8_t two[8] = {10, 20, 0, 0, 0, 30, 30, 0};
    expect_cell_or_sky(rule, d, three, true, 0, 8191);
    expect_cell_or_sky(rule, d, three, false, 0, 0);
    expect_cell_or_sky(rule, d, two, true, 0, 0);
    /* Four of sky, four valid: known. */
    static const uint16_t half[8] = {0, 0, 0, 1000, 1000, 1000, 1000, 0};
    static const uint8_t all[8] = {10, 20, 255, 30, 30, 30, 30, 255};
    expect_cell_or_sky(rule, half, all, true, 1000, 450);
    /* One of sky and one valid, which are too few: neither. */
    static const uint16_t one[8] = {0, 0, 0, 0, 0, 0, 1000, 0};
    static const uint8_t few[8] = {255, 0, 0, 0, 0, 0, 255, 0}, more[8] = {2, 0, 0, 0, 0, 0, 0, 0};
    expect_cell_or_sky(rule, one, few, true, 0, 0);
    expect_cell_or_sky(rule, one, more, true, 0, 1); /* one of sky is enough: 4 / 8, up */
    /* Valid pixels have to have a confidence; without any, nothing is sky. */
    static const uint8_t doubtful[8] = {1, 1, 255, 0, 0, 0, 0, 0};
    expect_cell_or_sky(rule, d, doubtful, true, 0, 8128); /* 65027 / 8 = 8128.4 */
    expect_cell_or_sky(rule, half, NULL, true, 1000, 32513);
  }
  static const uint16_t none[8] = {0};
  static const uint8_t sure[8] = {255, 255, 255, 255, 255, 255, 255, 255};
  expect_cell_or_sky(STX_REDUCE_WEIGHTED, none, sure, true, 0, 65025);
  expect_cell_or_sky(STX_REDUCE_WEIGHTED, none, sure, false, 0, 0);
}

STX_TEST(cells_are_transposed_and_may_be_partial)
{
  /* 5×3 pixels in 2×2 cells: 3 columns of 2 rows; the last ones have 2, 2 and 1 pixels. */
  static const uint16_t d[15] = {1, 3, 10, 12, 100, /**/ 1, 3, 10, 12, 300, /**/ 5, 6, 7, 8, 9};
  static const uint16_t expected[12] = {2, 6, 11, 8, 200, 9, /* 5.5 and 7.5, halves go up */
      65025, 65025, 65025, 65025, 65025, 65025};
  ColmeanCase c = {.params = {.grid = {5, 3, 2, 2, 0}, .reduction = STX_REDUCE_WEIGHTED}};
  c.input.disparity = (StxImage16){(uint16_t *)d, 10, 5, 3};
  STX_GUARDED uint16_t *columns = colmean_run(colmean_reference(), &c, 1);
  stx_expect_same(expected, columns, sizeof expected, "5×3 pixels");
  colmean_expect_all_same(&c, 2, "5×3 pixels");
}

STX_TEST(cityscapes_disparity_counts_from_one)
{
  static const uint16_t d[4] = {0, 1, 2, 513};
  static const uint16_t expected[8] = {0, 0, 1, 512, 0, 0, 65025, 65025};
  ColmeanCase c = {.params = {.grid = {4, 1, 1, 1, 0}, .disparity = {STX_DISPARITY_CITYSCAPES}}};
  c.input.disparity = (StxImage16){(uint16_t *)d, 8, 4, 1};
  STX_GUARDED uint16_t *columns = colmean_run(colmean_reference(), &c, 1);
  stx_expect_same(expected, columns, sizeof expected, "Cityscapes' encoding");
  colmean_expect_all_same(&c, 2, "Cityscapes' encoding");
}

static void expect_costs(
    const ColmeanCase *c, const uint16_t *expected, int count, const char *what)
{
  STX_GUARDED uint16_t *columns = colmean_run(colmean_reference(), c, 1);
  const uint16_t *costs = stx_column(&c->params.grid, columns, 2, 0);
  for (int i = 0; i < count; i++)
    ck_assert_msg(
        costs[i] == expected[i], "%s: cost %d is %d, expected %d", what, i, costs[i], expected[i]);
  colmean_expect_all_same(c, 2, what);
}

/* −1024·ln p: p = 1: 0; ¾: 294.59; ½: 709.78; ¼: 1419.57; 0: 7073.5. In 1/4095: ¾ is 3071.25,
 * ½ is 2047.5 → 2048 (709.53), ¼ is 1023.75 → 1024 (1419.3). */
STX_TEST(literal_labels)
{
  uint16_t d[4] = {0};
  /* Pixel value 7 is class 0, 8 and 9 class 1, all others no label: cells of 4 pixels. */
  static uint8_t mixed[4] = {7, 7, 8, 9}, some[4] = {7, 0, 0, 255}, nothing[4] = {1, 2, 3, 255};
  static uint8_t three[4] = {8, 7, 9, 8};
  ColmeanCase c = {.params = {.grid = {4, 1, 4, 1, 2}, .semantics = STX_SEMANTICS_LABELS}};
  memset(c.params.label_map, 255, sizeof c.params.label_map);
  c.params.label_map[7] = 0;
  c.params.label_map[8] = c.params.label_map[9] = 1;
  c.input.disparity = (StxImage16){d, 8, 4, 1};
  c.input.labels = (StxImage8){mixed, 4, 4, 1};
  expect_costs(&c, (const uint16_t[]){710, 710}, 2, "half and half");
  c.input.labels.data = some;
  expect_costs(&c, (const uint16_t[]){0, 7074}, 2, "one labelled pixel decides");
  c.input.labels.data = nothing;
  expect_costs(&c, (const uint16_t[]){0, 0}, 2, "no label");
  c.input.labels.data = three;
  expect_costs(&c, (const uint16_t[]){1419, 295}, 2, "one of four");
}

/* Halves are 1, NaN, 7, ∞ as floats; what is not finite counts as 0 and more than 1 as 1. ¼, ¼, −3,
 * −∞. The smallest, 2^-24, is 1/256 of q's unit: it counts as 0; 2^-16 is 65535/65536. */
STX_TEST(literal_scores)
{
  static const uint8_t bytes[4] = {255, 0, 0, 255}; /* (1 + 0)/2 and (0 + 1)/2 */
  static const uint8_t sure[4] = {255, 255, 0, 0};
  static const int8_t signs[4] = {127, -128, -64, -128}; /* of 255: 255, 0, 64, 0 */
  static const float floats[4] = {1, NAN, 7, INFINITY}, quarter[4] = {0.25f, 0.25f, -3, -INFINITY};
  static const uint16_t halves[4] = {0x3c00, 0x7e00, 0x4700, 0x7c00};
  static const uint16_t fourths[4] = {0x3400, 0x3400, 0xc200, 0xfc00};
  static const uint16_t tiny[4] = {0x0001, 0x0001, 0x3bff, 0x3c00};
  static const struct {
    StxSemantics semantics;
    const void *scores;
    int class_stride, pixel_stride;
    uint16_t costs[2];
    const char *what;
  } cases[] = {
      {STX_SEMANTICS_SCORES_U8, bytes, 2, 1, {710, 710}, "bytes"},
      {STX_SEMANTICS_SCORES_U8, sure, 2, 1, {0, 7074}, "bytes, planar"},
      {STX_SEMANTICS_SCORES_U8, sure, 1, 2, {710, 710}, "bytes, interleaved"},
      {STX_SEMANTICS_SCORES_I8, signs, 1, 2, {481, 7074}, "bytes with a sign, interleaved"},
      {STX_SEMANTICS_SCORES_I8, signs, 2, 1, {710, 2125}, "bytes with a sign, planar"},
      {STX_SEMANTICS_SCORES_F32, floats, 8, 4, {710, 710}, "floats, not finite counts as 0"},
      {STX_SEMANTICS_SCORES_F32, quarter, 8, 4, {1419, 7074}, "floats, negative counts as 0"},
      {STX_SEMANTICS_SCORES_F16, halves, 4, 2, {710, 710}, "halves, not finite counts as 0"},
      {STX_SEMANTICS_SCORES_F16, fourths, 4, 2, {1419, 7074}, "halves, negative counts as 0"},
      {STX_SEMANTICS_SCORES_F16, tiny, 4, 2, {7074, 0}, "halves, the smallest and the largest"},
  };
  uint16_t d[2] = {0};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ColmeanCase c = {.params = {.grid = {2, 1, 2, 1, 2}, .semantics = cases[i].semantics}};
    c.input = (StxColmeanInput){.disparity = {d, 4, 2, 1},
        .scores = cases[i].scores,
        .class_stride = cases[i].class_stride,
        .row_stride = 2 * cases[i].pixel_stride,
        .pixel_stride = cases[i].pixel_stride};
    expect_costs(&c, cases[i].costs, 2, cases[i].what);
  }
}

/* 5 × 3 pixels in cells of 2 × 2, scores of a quarter of the pixels: 3 × 2 of them. */
STX_TEST(literal_scores_of_half_the_size)
{
  uint16_t d[15] = {0};
  static const uint8_t bytes[6] = {255, 0, 255, /**/ 0, 255, 0};
  ColmeanCase c = {.params = {.grid = {5, 3, 2, 2, 1}, .semantics = STX_SEMANTICS_SCORES_U8}};
  c.input = (StxColmeanInput){.disparity = {d, 10, 5, 3},
      .scores = bytes,
      .class_stride = 6,
      .row_stride = 3,
      .pixel_stride = 1,
      .score_shift = 1};
  expect_costs(&c, (const uint16_t[]){0, 7074, 7074, 0, 0, 7074}, 6, "a score per cell");
  /* Cells of 3 × 3 share scores. Rows 0 and 1 of the image have 1 1 0 0 1, row 2 has 0 0 1 1 0:
   * 5 of 9 pixels (2275 of 4095: 601.9), and 3 of 6. */
  c.params.grid.cell_width = c.params.grid.cell_height = 3;
  expect_costs(&c, (const uint16_t[]){602, 710}, 2, "scores of two cells");
}

STX_TEST(the_cost_table_is_the_logarithm)
{
  StxColmeanTables tables;
  stx_colmean_prepare(&tables);
  ck_assert_int_eq(tables.class_cost[0], STX_CLASS_COST_MAX);
  ck_assert_int_eq(tables.class_cost[4], STX_CLASS_COST_MAX);
  ck_assert_int_eq(tables.class_cost[4095], 0);
  for (int i = 5; i < 4096; i++) {
    long double exact = -1024 * logl(i / 4095.0L);
    ck_assert_msg(fabsl(tables.class_cost[i] - exact) <= 0.5L, "entry %d", i);
  }
}

/* ---- Every implementation against the reference ------------------------------------------- */

static void compare(const StxColmeanParams *params, ColmeanLayout layout, int padding,
    bool confidence, StxFill fill, uint64_t seed)
{
  StxRandom random = {seed};
  StxError error;
  char what[160];
  STX_AUTO(ColmeanCase) c = colmean_make_case(params, layout, padding, confidence, fill, &random);
  ck_assert_msg(stx_colmean_check(&c.params, &error), "%s", error.text);
  if (stx_random_below(&random, 2))
    colmean_add_sky(&c, &random);
  snprintf(what, sizeof what,
      "%d×%d in %d×%d, %d classes, reduction %d, semantics %d, layout %d, padding %d, confidence "
      "%d, sky %d, encoding %d, fill %d, seed %d",
      params->grid.width, params->grid.height, params->grid.cell_width, params->grid.cell_height,
      params->grid.classes, params->reduction, params->semantics, layout, padding, confidence,
      c.input.confidence_is_sky, params->disparity.encoding, fill, (int)seed);
  colmean_expect_all_same(&c, seed % 4 ? 2 : 7, what);
}

/* Everything at random; `cell` 0: any size. */
static void compare_random(int cell, int trials, uint64_t seed)
{
  StxRandom random = {seed};
  for (int i = 0; i < trials; i++) {
    StxColmeanParams params = {.reduction = (StxReduction)stx_random_below(&random, 3),
        .semantics = (StxSemantics)stx_random_below(&random, 6),
        .fill_width = stx_random_below(&random, 2) * stx_random_below(&random, 100),
        .disparity = colmean_any_meaning(&random)};
    int most = 1 << stx_random_below(&random, 6);
    params.grid = (StxGrid){1 + stx_random_below(&random, 200), 1 + stx_random_below(&random, 90),
        cell ? cell : 1 + stx_random_below(&random, most),
        cell ? cell : 1 + stx_random_below(&random, most), 0};
    params.grid.coarse = i % 3 ? 0 : i % 5;
    if (params.semantics != STX_SEMANTICS_NONE)
      params.grid.classes = 1 + stx_random_below(&random, i % 2 ? 4 : STX_MAX_CLASSES);
    compare(&params, (ColmeanLayout)stx_random_below(&random, COLMEAN_LAYOUTS),
        stx_random_below(&random, 40), stx_random_below(&random, 4) > 0,
        (StxFill)stx_random_below(&random, STX_FILL_COUNT), seed + i);
  }
}

STX_TEST(equals_reference_4x4)
{
  compare_random(4, 80, 1000);
}

STX_TEST(equals_reference_8x8)
{
  compare_random(8, 80, 2000);
}

STX_TEST(equals_reference_any_cell)
{
  compare_random(0, 160, 3000);
}

STX_TEST(equals_reference_single_pixels)
{
  compare_random(1, 16, 4000);
}

/* More than one block in both directions, and the largest cells there are. */
STX_TEST(equals_reference_many_blocks)
{
  static const StxGrid grids[] = {{1100, 150, 4, 4, 3}, {530, 70, 2, 1, 2}, {300, 40, 1, 1, 3},
      {2100, 300, 8, 8, 2}, {300, 300, 128, 128, 5}, {1, 700, 4, 4, 2}, {700, 1, 4, 4, 2},
      {1, 1, 128, 128, 1}, {129, 257, 128, 1, 2}, {257, 129, 1, 128, 2}, {130, 70, 16, 32, 32}};
  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++)
    for (int semantics = STX_SEMANTICS_NONE; semantics <= STX_SEMANTICS_SCORES_I8; semantics++) {
      StxColmeanParams params = {.grid = grids[g],
          .reduction = STX_REDUCE_WEIGHTED,
          .fill_width = 24,
          .semantics = (StxSemantics)semantics};
      if (semantics == STX_SEMANTICS_NONE)
        params.grid.classes = 0;
      compare(&params, (ColmeanLayout)(semantics % 2), 5, semantics != 1,
          (StxFill)(2 + (g + semantics) % 2), 5000 + g);
      params.reduction = STX_REDUCE_MEDIAN;
      compare(
          &params, (ColmeanLayout)(1 - semantics % 2), 0, semantics != 2, STX_FILL_HIGH, 5000 + g);
    }
}

STX_TEST(equals_reference_on_the_surest_sky)
{
  for (int side = 1; side <= 128; side *= 2) {
    STX_AUTO(ColmeanCase) c = colmean_surest_sky(side);
    STX_GUARDED uint16_t *columns = colmean_run(colmean_reference(), &c, 1);
    ck_assert_int_eq(columns[0], 0);
    ck_assert_int_eq(columns[1], 65025);
    colmean_expect_all_same(&c, 2, "the surest sky");
  }
}

/* Scores of every fraction of the size, in cells that share some of them and in cells that do not.
 */
STX_TEST(equals_reference_scores_of_a_fraction)
{
  StxRandom random = {9};
  for (int i = 0; i < 240; i++) {
    int cell = i % 3 == 0 ? 0 : i % 3 * 4, shift = 1 + i / 3 % 3;
    int most = 1 << stx_random_below(&random, 6);
    StxColmeanParams params = {.reduction = STX_REDUCE_MEAN,
        .grid = {1 + stx_random_below(&random, i % 9 ? 200 : 700),
            1 + stx_random_below(&random, 90), cell ? cell : 1 + stx_random_below(&random, most),
            cell ? cell : 1 + stx_random_below(&random, most),
            1 + stx_random_below(&random, i % 2 ? 4 : STX_MAX_CLASSES)},
        .semantics = (StxSemantics)(STX_SEMANTICS_SCORES_U8 + stx_random_below(&random, 4))};
    char what[120];
    snprintf(what, sizeof what, "%d×%d in %d×%d, %d classes, semantics %d, shift %d, trial %d",
        params.grid.width, params.grid.height, params.grid.cell_width, params.grid.cell_height,
        params.grid.classes, params.semantics, shift, i);
    STX_AUTO(ColmeanCase) c = colmean_make_scaled_case(&params, shift,
        (ColmeanLayout)(i / 9 % COLMEAN_LAYOUTS), stx_random_below(&random, 40), false,
        (StxFill)stx_random_below(&random, STX_FILL_COUNT), &random);
    colmean_expect_all_same(&c, i % 4 ? 2 : 7, what);
  }
}

/* Negative strides: images stored bottom up, classes and pixels backwards. */
STX_TEST(images_may_be_stored_upside_down)
{
  StxRandom random = {6};
  for (int trial = 0; trial < 12; trial++) {
    StxColmeanParams params = {.grid = {61, 35, 4, 4, 3},
        .reduction = STX_REDUCE_WEIGHTED,
        .semantics = trial % 2 ? STX_SEMANTICS_SCORES_U8 : STX_SEMANTICS_SCORES_F32};
    STX_AUTO(ColmeanCase) c = colmean_make_case(
        &params, (ColmeanLayout)(trial % COLMEAN_LAYOUTS), 4, true, STX_FILL_NOISE, &random);
    StxColmeanInput *in = &c.input;
    colmean_add_sky(&c, &random);
    in->disparity.data = stx_row16(&in->disparity, 34);
    in->disparity.stride = -in->disparity.stride;
    in->confidence.data = stx_row8(&in->confidence, 34);
    in->confidence.stride = -in->confidence.stride;
    in->scores = (const char *)in->scores + 34 * in->row_stride + 60 * in->pixel_stride +
                 2 * in->class_stride;
    in->row_stride = -in->row_stride;
    in->pixel_stride = -in->pixel_stride;
    in->class_stride = -in->class_stride;
    colmean_expect_all_same(&c, 2, "upside down");
  }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

STX_TEST(wrong_parameters_are_named)
{
  StxColmeanParams good = {.grid = {100, 50, 8, 8, 0}, .reduction = STX_REDUCE_WEIGHTED};
#define REFUSES(...) STX_REFUSES(stx_colmean_check, good, __VA_ARGS__)
  ck_assert(stx_colmean_check(&good, NULL));
  REFUSES(grid.width, 0, "image width is 0; it must be 1 to 32768 pixels");
  REFUSES(grid.classes, 3, "number of classes is 3 without semantics; it must be 0");
  REFUSES(semantics, STX_SEMANTICS_LABELS, "number of classes is 0 with semantics");
  REFUSES(reduction, 3, "reduction is 3; it must be 0 (mean), 1 (weighted) or 2 (median)");
  REFUSES(semantics, 6, "semantics is 6; it must be 0 (none)");
  good.semantics = STX_SEMANTICS_LABELS;
  good.grid.classes = 19;
  memset(good.label_map, 255, sizeof good.label_map);
  good.label_map[3] = 18;
  ck_assert(stx_colmean_check(&good, NULL));
  REFUSES(label_map[4], 19, "pixel value 4 to class 19; it must lead to 0 to 18, or to 255");
}

/* Regions of one label, larger and smaller than cells; pixel values that are no label, and several
 * that are the same class. */
STX_TEST(cells_of_few_labels)
{
  StxRandom random = {79};
  for (int trial = 0; trial < 120; trial++) {
    int width = trial % 3 ? 4 * (trial % 3) : 1 + stx_random_below(&random, 20);
    int height = trial % 3 ? width : 1 + stx_random_below(&random, 20);
    int side = 1 + stx_random_below(&random, 12), values = 1 + stx_random_below(&random, 12);
    StxColmeanParams params = {
        .grid = {1 + stx_random_below(&random, 300), 1 + stx_random_below(&random, 90), width,
            height, 1 + stx_random_below(&random, STX_MAX_CLASSES)},
        .semantics = STX_SEMANTICS_LABELS};
    STX_AUTO(ColmeanCase) c =
        colmean_make_case(&params, COLMEAN_PLANAR, trial % 5, false, STX_FILL_LOW, &random);
    STX_EACH_PIXEL (x, y, params.grid.width, params.grid.height)
      stx_row8(&c.input.labels, y)[x] =
          (uint8_t)((x / side * 7 + y / side * 5 + stx_random_below(&random, 200) / 199) % values *
                    21);
    char what[80];
    snprintf(
        what, sizeof what, "labels in %d×%d, regions of %d, trial %d", width, height, side, trial);
    colmean_expect_all_same(&c, 2, what);
  }
}
