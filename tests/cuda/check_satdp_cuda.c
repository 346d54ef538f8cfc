/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU against the reference, bit for bit: records, their number, and the number of
 * data terms; what it was not given stays untouched.
 */
#include "tests/cuda/cuda_case.h"
#include "tests/cuda/satdp_run.h"

#include <stdio.h>
#include <string.h>

static StxSatdpResult expect_case_agrees(const Case *c, const char *what)
{
  return satdp_expect_agreement(&stx_satdp_cuda_impls, satdp_reference(), c, what);
}

static void check_agreement(const Case *c, const char *what)
{
  expect_case_agrees(c, what);
}

static void expect_agreement(StxSatdpParams params, const StxCamera *cam, const StxRoadLine *line,
    Filling filling, uint64_t seed)
{
  check_case(params, cam, line, filling, seed, check_agreement);
}

/* Upright objects, then slanted ones, which have kernels of their own. */
static void expect_agreements(StxSatdpParams params, const StxCamera *cam, const StxRoadLine *line,
    Filling filling, uint64_t seed)
{
  expect_agreement(params, cam, line, filling, seed);
  params.object_sigma_slope = 0.3;
  expect_agreement(params, cam, line, filling, seed);
}

/* ---- Tests --------------------------------------------------------------------------------- */

STX_TEST(agrees_on_every_filling_and_class_count)
{
  static const int classes[] = {0, 1, 19, 32};
  StxRoadLine line = {0.3, 20, 1};
  for (int filling = 0; filling < FILLINGS; filling++)
    for (int i = 0; i < (stx_test_small() ? 1 : 4); i++)
      for (int ground = 0; ground < 2; ground++) {
        StxSatdpParams params = case_params(3, stx_test_small() ? 10 : 45, 4, classes[i]);
        params.grid.width -= 3;
        params.grid.height -= 1;
        params.grid.coarse = filling % 5;
        expect_agreements(params, &case_camera, ground ? &line : NULL, filling, 10u + filling);
      }
}

/* Around the tile of eight rows and the warp of 32 cells. */
STX_TEST(agrees_on_every_number_of_columns_and_rows)
{
  StxRoadLine line = {0.3, 10, 1};
  for (int columns = 1; columns <= (stx_test_small() ? 3 : 18); columns++)
    expect_agreements(case_params(columns, 5, 4, 3), &case_camera, &line, STREET, columns);
  for (int rows = 1; rows <= (stx_test_small() ? 10 : 36); rows++)
    expect_agreements(case_params(2, rows, 4, 19), &case_camera, &line, STREET, rows);
}

/* There are 1024 blocks at most. For the thread sanitizer so many take as long as all else: what a
 * block's turn leaves for its next one is shared memory, of which PTX's machine sees each race. */
#ifndef __SANITIZE_THREAD__
STX_TEST(agrees_when_blocks_take_turns)
{
  StxRoadLine line = {0.3, 1, 1};
  StxSatdpParams params = case_params(1030, stx_test_small() ? 1 : 3, 2, 0);
  expect_agreement(params, &case_camera, &line, STREET, 31);
  if (!stx_test_small())
    params = case_params(2 * 1024 + 1, 2, 2, 3);
  params.object_sigma_slope = 0.3;
  expect_agreement(params, &case_camera, &line, NOISE, 32);
}
#endif

/* Rows that no device of the emulator has the shared memory for. */
enum { LEAST_HIGH = 1024 };

STX_TEST(agrees_on_high_columns)
{
  StxRoadLine line = {0.2, 100, 1};
  int rows = stx_test_small() ? LEAST_HIGH : 1024;
  expect_agreements(case_params(1, rows, 1, 0), &case_camera, &line, HOLES, 5);
  if (stx_test_small())
    return;
  expect_agreements(case_params(1, rows, 1, 32), &case_camera, &line, STREET, 6);
  expect_agreements(case_params(1, rows, 32, 0), &case_camera, &line, EXTREME, 7);
  expect_agreements(case_params(1, 700, 1, 19), NULL, NULL, CONSTANT, 8);
}

/* Something near over a hole of 1, 32, 63 … cells: warps look at 32 cells at a time. */
STX_TEST(agrees_on_long_holes_below_something_near)
{
  enum { NEAR = 20 };
  StxSatdpParams params = case_params(5, 160, 4, 0);
  STX_AUTO(Case) *c = new_case(params, &case_camera, &(StxRoadLine){0.1, 40, 1});
  memset(c->columns, 0, stx_grid_bytes(&params.grid));
  for (int column = 0; column < 5; column++)
    for (int row = 158 - 31 * column; row > 158 - 31 * column - NEAR; row--) {
      stx_column(&params.grid, c->columns, 0, column)[row] = 90 * STX_DISPARITY_ONE;
      stx_column(&params.grid, c->columns, 1, column)[row] = STX_WEIGHT_ONE;
    }
  expect_case_agrees(c, "long holes");
}

/* As much as a column can cost: all of it above the horizon, unknown, and surely sky. */
STX_TEST(agrees_on_the_costliest_column)
{
  StxSatdpParams params = case_params(1, stx_test_small() ? 20 : 1024, 1, 0);
  params.horizon_cost = params.unknown_cost = 1000;
  params.sky_cost = 32;
  expect_agreement(params, &case_camera, &(StxRoadLine){0.2, params.grid.height + 9, 1}, SKY, 9);
}

/* Values at cuts beyond what integers keep, under the dearest and the cheapest pairs, where
 * residuals cost most: roads whose horizon is as far away as one may be. */
STX_TEST(agrees_on_the_largest_values)
{
  static const double tolerances[] = {0, 2, 255}, costs[] = {0, 1000}, slopes[] = {0, 1e-7, 100};
  static const int horizons[] = {-(1 << 20), -5000, 5000, 1 << 20};
  static const Filling fillings[] = {EXTREME, NOISE, HOLES, SPARSE};
  StxRandom random = {13};
  for (int round = 0; round < (stx_test_small() ? 2 : 48); round++) {
    StxSatdpParams params = case_params(2, stx_test_small() ? 12 : 30, round % 2 ? 32 : 4, 0);
    StxRoadLine line = {round % 3 ? 64 : 0.01, horizons[round % 4], 1};
    params.pair_tolerance = tolerances[stx_random_below(&random, 3)];
    params.pair_cost = costs[stx_random_below(&random, 2)];
    params.pair_slope = slopes[stx_random_below(&random, 3)];
    params.stixel_cost = round % 5 ? 1 : 1000;
    params.ground_sigma_intercept = params.ground_sigma_slope = round % 7 ? 100 : 0.01;
    params.sigma_disparity[0] = params.sigma_disparity[1] = round % 2 ? 0.0625 : 1;
    expect_agreements(params, NULL, &line, fillings[stx_random_below(&random, 4)], (uint64_t)round);
  }
}

/* Class sums stand in fours: kinds of one to nine classes, none, and what is left of nine. */
STX_TEST(agrees_on_every_number_of_a_kinds_classes)
{
  StxRoadLine line = {0.3, 60, 1};
  int most = stx_test_small() ? 3 : 9;
  for (int classes = 0; classes <= most; classes++)
    for (int sky = 0; sky < 2; sky++) {
      StxSatdpParams params = case_params(2, stx_test_small() ? 10 : 40, 4, most + 1);
      uint32_t mask = (1u << classes) - 1;
      params.ground_classes = sky ? 1u << most : mask;
      params.sky_classes = sky ? mask : 1u << most;
      expect_agreements(params, &case_camera, &line, STREET, 40u + (unsigned)classes);
      expect_agreement(params, &case_camera, &line, NOISE, 60u + (unsigned)classes);
    }
}

/* Every cell as near and as sure as can be, in the tallest image: what 32 of them add up to just
 * fits 32 bits. And all classes as dear as can be. */
STX_TEST(agrees_on_the_largest_sums)
{
  for (int slanted = 0; slanted < 2; slanted++) {
    StxSatdpParams params = case_params(1, 256, STX_GRID_MAX_SIDE / 256, 5);
    params.object_sigma_slope = slanted ? 0.3 : 0;
    params.sigma_height = params.sigma_angle = params.sigma_depth = 0;
    params.semantic_weight = 16;
    STX_AUTO(Case) *c = new_case(params, &case_camera, &(StxRoadLine){1, 100, 1});
    memset(c->columns, 0xFF, stx_grid_bytes(&params.grid));
    expect_case_agrees(c, "the largest sums");
  }
}

/* Exact pruning under parameters from one end of their range to the other. */
STX_TEST(pruning_changes_nothing)
{
  StxRandom random = {9};
  for (int round = 0; round < (stx_test_small() ? 3 : 100); round++) {
    StxSatdpParams params = random_params(&random);
    params.grid.width = (1 + stx_random_below(&random, 3)) * params.grid.cell_width;
    Filling fillings[] = {(Filling)(round % FILLINGS), STREET, HOLES};
    StxRoadLine line = tilted_road(&random, params.grid.height);
    if (stx_random_below(&random, 9) == 0)
      line = (StxRoadLine){64, line.horizon, 1};
    expect_agreement(params, stx_random_below(&random, 3) ? &case_camera : NULL,
        stx_random_below(&random, 5) ? &line : NULL, fillings[stx_random_below(&random, 3)], round);
  }
}

STX_TEST(prunes)
{
  StxRandom random = {11};
  STX_AUTO(Case) *c =
      new_case(case_params(3, 128, 8, 0), &case_camera, &(StxRoadLine){0.3, 400, 1});
  fill_case(c, STREET, &random);
  StxSatdpResult result = expect_case_agrees(c, "prunes");
  uint64_t pairs = stx_satdp_pairs(&c->params.grid, true);
  ck_assert_msg(result.evaluated * 4 < pairs, "pruning left %llu of %llu pairs",
      (unsigned long long)result.evaluated, (unsigned long long)pairs);
}

/* ---- Start rows ---------------------------------------------------------------------------- */

static void expect_agreement_of_starts(
    StxSatdpParams params, const StxRoadLine *line, Filling filling, int percent, StxRandom *random)
{
  char what[160];
  STX_AUTO(Case) *c = new_case(params, &case_camera, line);
  fill_case(c, filling, random);
  case_starts(c, percent, random);
  snprintf(what, sizeof what, "%dx%d cells, %d classes, filling %d, starts %d %%, %s",
      stx_grid_columns(&params.grid), stx_grid_rows(&params.grid), params.grid.classes, filling,
      percent, line ? "ground" : "no ground");
  expect_case_agrees(c, what);
}

static const int densities[] = {0, 3, 20, 50, 90, 100};
enum { DENSITIES = sizeof densities / sizeof densities[0] };

STX_TEST(starts_agree_on_every_filling_and_class_count)
{
  static const int classes[] = {0, 3, 19};
  StxRoadLine line = {0.3, 20, 1};
  StxRandom random = {21};
  for (int filling = 0; filling < FILLINGS; filling++)
    for (int i = 0; i < (stx_test_small() ? 1 : DENSITIES); i++)
      for (int ground = 0; ground < 2; ground++) {
        int k = (filling + i + ground) % 3, percent = stx_test_small() ? 40 : densities[i];
        StxSatdpParams params = case_params(3, stx_test_small() ? 20 : 75, 4, classes[k]);
        params.grid.width -= 3;
        params.grid.height -= 1;
        params.object_sigma_slope = i % 2 ? 0.3 : 0;
        expect_agreement_of_starts(params, ground ? &line : NULL, filling, percent, &random);
      }
}

/* Around the warp of 32 boundaries, from whose number the rows' places follow. */
STX_TEST(starts_agree_on_every_number_of_rows)
{
  StxRoadLine line = {0.3, 10, 1};
  StxRandom random = {22};
  for (int rows = 1; rows <= (stx_test_small() ? 3 : 70); rows++)
    expect_agreement_of_starts(case_params(3, rows, 4, rows % 2 ? 0 : 19), rows % 3 ? &line : NULL,
        STREET, 1 + stx_random_below(&random, 99), &random);
}

/* The last with its rows in scratch on the devices of the emulator. */
STX_TEST(starts_agree_on_high_columns)
{
  StxRoadLine line = {0.2, 100, 1};
  StxRandom random = {23};
  int rows = stx_test_small() ? 40 : 1024;
  StxSatdpParams slanted = case_params(2, rows, 1, 0);
  slanted.object_sigma_slope = 0.3;
  expect_agreement_of_starts(case_params(2, rows, 1, 0), &line, HOLES, 10, &random);
  expect_agreement_of_starts(slanted, &line, HOLES, 60, &random);
  if (stx_test_small())
    return;
  expect_agreement_of_starts(case_params(2, rows, 1, 19), &line, STREET, 20, &random);
  expect_agreement_of_starts(case_params(1, rows, 32, 3), &line, EXTREME, 60, &random);
  expect_agreement_of_starts(case_params(1, 700, 1, 19), NULL, CONSTANT, 5, &random);
}

/* Few rows start, so that few pairs are looked at. */
static void expect_sparse_agreements(
    int columns, int rows, const StxRoadLine *line, Filling filling)
{
  StxSatdpParams params = case_params(columns, rows, 1, 32);
  params.ground_classes = 0x3;
  params.sky_classes = 0x1f0;
  for (int slanted = 0; slanted < 2; slanted++) {
    StxRandom random = {90};
    params.object_sigma_slope = slanted ? 0.3 : 0;
    expect_agreement_of_starts(params, line, filling, 4, &random);
  }
}

/* Class sums that do not fit into shared memory, with rows in shared memory and not. */
STX_TEST(agrees_on_high_columns_of_many_classes)
{
  StxRoadLine line = {0.2, 100, 1};
  expect_sparse_agreements(2, 300, &line, STREET);
  expect_sparse_agreements(2, LEAST_HIGH, &line, STREET);
  expect_sparse_agreements(5, LEAST_HIGH, NULL, NOISE);
}

/* Two rows start in each column, or three. Slanted objects have all the scratch that upright ones
 * have, and more. The emulator's own device has no shared memory for 400 of their rows. */
STX_TEST(agrees_on_high_columns_in_turns)
{
  const int rows = stx_test_small() ? LEAST_HIGH : 400;
  StxSatdpParams params = case_params(stx_test_small() ? 2 : 1026, rows, 1, 0);
  params.object_sigma_slope = 0.3;
  STX_AUTO(Case) *c = new_case(params, &case_camera, &(StxRoadLine){0.2, 100, 1});
  StxRandom random = {91};
  fill_case(c, STREET, &random);
  case_starts(c, 0, &random);
  for (int column = 0; column < stx_grid_columns(&params.grid); column++)
    c->starts[column * rows + column % rows] = 1;
  expect_case_agrees(c, "high columns in turns");
}

STX_TEST(starts_and_pruning_change_nothing)
{
  StxRandom random = {24};
  for (int round = 0; round < (stx_test_small() ? 3 : 100); round++) {
    StxSatdpParams params = random_params(&random);
    params.grid.width = (1 + stx_random_below(&random, 3)) * params.grid.cell_width;
    StxRoadLine line = tilted_road(&random, params.grid.height);
    expect_agreement_of_starts(params, stx_random_below(&random, 5) ? &line : NULL,
        stx_random_below(&random, 2) ? STREET : HOLES, densities[round % DENSITIES], &random);
  }
}

/* Also with starts. */
STX_TEST(kinds_of_the_frame_before_agree)
{
  StxRandom random = {25};
  for (int round = 0; round < (stx_test_small() ? 6 : 60); round++) {
    StxSatdpParams params = random_params(&random);
    params.grid.width = (1 + stx_random_below(&random, 3)) * params.grid.cell_width;
    StxRoadLine line = tilted_road(&random, params.grid.height);
    STX_AUTO(Case) *c = new_case(params, &case_camera, round % 5 ? &line : NULL);
    fill_case(c, round % FILLINGS, &random);
    case_prior(c, &random);
    if (round % 2)
      case_starts(c, 50, &random);
    expect_case_agrees(c, "the frame before");
  }
}

/* Every column has starts of its own: none, all, only the topmost cell, only the lowest, … */
STX_TEST(starts_of_a_column_are_its_own)
{
  enum { COLUMNS = 8 };
  StxRandom random = {25};
  int rows = stx_test_small() ? 20 : 40;
  STX_AUTO(Case) *c =
      new_case(case_params(COLUMNS, rows, 4, 3), &case_camera, &(StxRoadLine){0.3, 20, 1});
  fill_case(c, STREET, &random);
  case_starts(c, 0, &random);
  memset(c->starts + 1 * rows, 1, (size_t)rows);
  c->starts[2 * rows] = c->starts[4 * rows - 1] = c->starts[5 * rows - 2] = 1;
  for (int row = 0; row < rows; row++) {
    c->starts[5 * rows + row] = row % 2;
    c->starts[6 * rows + row] = row < rows / 2;
    c->starts[7 * rows + row] = row >= rows / 2;
  }
  expect_case_agrees(c, "starts of each column");
}

/* All rows as starts: the bytes of no mask at all, and no more data terms. */
STX_TEST(all_starts_are_no_mask)
{
  const StxSatdpImpl *impl = (const void *)stx_impl_at(&stx_satdp_cuda_impls, 0);
  StxRandom random = {26};
  STX_AUTO(Case) *c = new_case(case_params(3, stx_test_small() ? 20 : 100, 4, 19), &case_camera,
      &(StxRoadLine){0.3, 200, 1});
  fill_case(c, STREET, &random);
  SatdpRun free_run = satdp_run_cuda(impl, c, "no mask");
  case_starts(c, 100, &random);
  SatdpRun masked = satdp_run_cuda(impl, c, "all starts");
  stx_expect_same(&free_run.result, &masked.result, sizeof masked.result, "results");
  stx_expect_same(free_run.stixels, masked.stixels, masked.result.count * sizeof *masked.stixels,
      "records of all starts");
  stx_guarded_free(free_run.stixels);
  stx_guarded_free(masked.stixels);
}
