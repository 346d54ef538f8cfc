/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cells that fast code tells apart: those without far values, and those of few labels. */
#include "tests/common/colmean/colmean_case.h"

#include <stdio.h>
#include <string.h>

static const int cells[][2] = {{8, 8}, {4, 4}, {8, 5}, {4, 16}, {4, 3}, {8, 1}, {8, 9}};

/* Disparities base and base + range, `many` of 16 the latter; unknown ones and doubtful ones. */
static void fill_pixels(ColmeanCase *c, int base, int range, int many, StxRandom *random)
{
  const StxGrid *grid = &c->params.grid;
  for (int y = 0; y < grid->height; y++)
    for (int x = 0; x < grid->width; x++) {
      bool first = x % grid->cell_width == 0 && y % grid->cell_height == 0;
      int d = base + (!first && stx_random_below(random, 16) < many ? range : 0);
      stx_row16(&c->input.disparity, y)[x] = (uint16_t)d;
      if (c->input.confidence.data == NULL)
        continue;
      int kind = many == 16 ? 9 : stx_random_below(random, 12);
      stx_row8(&c->input.confidence, y)[x] = (uint8_t)(kind == 0  ? 0
                                                       : kind < 4 ? stx_random_below(random, 256)
                                                                  : 255);
      if (kind == 4)
        stx_row16(&c->input.disparity, y)[x] = 0;
    }
}

static void compare_range(const StxGrid *grid, int base, int range, int many, StxRandom *random)
{
  StxColmeanParams params = {.grid = *grid, .reduction = STX_REDUCE_WEIGHTED};
  char what[120];
  for (int confidence = 0; confidence < 3; confidence++) {
    ColmeanCase c =
        colmean_make_case(&params, COLMEAN_PLANAR, range % 7, confidence > 0, STX_FILL_LOW, random);
    fill_pixels(&c, base, range, many, random);
    c.input.confidence_is_sky = confidence > 1;
    snprintf(what, sizeof what, "%d×%d in %d×%d, coarse %d, from %d to %d in %d, confidence %d",
        grid->width, grid->height, grid->cell_width, grid->cell_height, grid->coarse, base,
        base + range, many, confidence);
    colmean_expect_all_same(&c, 2, what);
    colmean_free_case(&c);
  }
}

/* Within 4 px of one another, just not, and at both ends of the numbers. */
START_TEST(far_begins_beyond_four_pixels)
{
  StxRandom random = {77};
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
    for (int coarse = 0; coarse <= STX_GRID_MAX_COARSE; coarse += 2) {
      StxGrid grid = {
          67 * cells[i][0] + 1, 2 * cells[i][1] + 1, cells[i][0], cells[i][1], 0, coarse};
      int near = 1024 >> coarse;
      for (int range = near - 1; range <= near + 1; range++)
        for (int many = 1; many <= 16; many += 5) {
          compare_range(&grid, 1, range, many, &random);
          compare_range(&grid, 65535 - range, range, many, &random);
        }
    }
}
END_TEST

/* Few of many cells have far values, so that they are put aside, by one or by many. */
START_TEST(some_cells_have_far_values)
{
  StxRandom random = {78};
  for (int trial = 0; trial < 24; trial++) {
    int side = trial % 2 ? 8 : 4, share = 1 << trial / 2 % 6;
    StxColmeanParams params = {.grid = {90 * side - trial, 36 * side - 1, side, side, 0},
        .reduction = STX_REDUCE_WEIGHTED};
    ColmeanCase c = colmean_make_case(&params, COLMEAN_PLANAR, 3, true, STX_FILL_LOW, &random);
    fill_pixels(&c, 20000, 500, 8, &random);
    c.input.confidence_is_sky = trial % 3 == 0;
    for (int y = 0; y < params.grid.height; y += side)
      for (int x = 0; x < params.grid.width; x += side)
        if (stx_random_below(&random, share) == 0)
          stx_row16(&c.input.disparity, y)[x] = (uint16_t)stx_random_below(&random, 65536);
    colmean_expect_all_same(&c, 2, "some cells have far values");
    colmean_free_case(&c);
  }
}
END_TEST

/* Regions of one label, larger and smaller than cells; pixel values that are no label, and several
 * that are the same class. */
START_TEST(cells_of_few_labels)
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
    ColmeanCase c =
        colmean_make_case(&params, COLMEAN_PLANAR, trial % 5, false, STX_FILL_LOW, &random);
    for (int y = 0; y < params.grid.height; y++)
      for (int x = 0; x < params.grid.width; x++)
        stx_row8(&c.input.labels, y)[x] =
            (uint8_t)((x / side * 7 + y / side * 5 + stx_random_below(&random, 200) / 199) %
                      values * 21);
    char what[80];
    snprintf(
        what, sizeof what, "labels in %d×%d, regions of %d, trial %d", width, height, side, trial);
    colmean_expect_all_same(&c, 2, what);
    colmean_free_case(&c);
  }
}
END_TEST

static const StxTest tests[] = {
    {&far_begins_beyond_four_pixels}, {&some_cells_have_far_values}, {&cells_of_few_labels}};
STX_TESTING_MAIN("colmean, cells", tests)
