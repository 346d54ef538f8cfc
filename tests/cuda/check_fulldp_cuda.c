/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fulldp on the GPU against the reference, bit for bit. */
#include "tests/common/fulldp/fulldp_case.h"
#include "tests/cuda/cuda_case.h"
#include "tests/cuda/satdp_run.h"

static StxSatdpResult expect_case_agrees(const Case *c, const char *what)
{
  return satdp_expect_agreement(&stx_fulldp_cuda_impls, fulldp_reference(), c, what);
}

static void check_agreement(const Case *c, const char *what)
{
  expect_case_agrees(c, what);
}

static void expect_agreement(
    StxSatdpParams params, const StxRoadLine *line, Filling filling, int percent, uint64_t seed)
{
  check_full_case(params, line, filling, percent, seed, check_agreement);
}

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
        expect_agreement(params, ground ? &line : NULL, filling, -1, 10u + filling);
        expect_agreement(params, ground ? &line : NULL, filling, 20 * i + 5, 20u + filling);
      }
}

/* Around the tile of eight rows and the warp of 32 cells. */
STX_TEST(agrees_on_every_number_of_columns_and_rows)
{
  StxRoadLine line = {0.3, 10, 1};
  for (int columns = 1; columns <= (stx_test_small() ? 3 : 18); columns++)
    expect_agreement(case_params(columns, 5, 4, 3), &line, STREET, -1, columns);
  for (int rows = 1; rows <= (stx_test_small() ? 10 : 36); rows++) {
    expect_agreement(case_params(2, rows, 4, 19), &line, STREET, -1, rows);
    expect_agreement(case_params(2, rows, 4, 0), &line, HOLES, 40, rows);
  }
}

/* The last two with their rows in scratch on the devices of the emulator. */
STX_TEST(agrees_on_high_columns)
{
  StxRoadLine line = {0.2, 100, 1};
  int rows = stx_test_small() ? 20 : 200;
  expect_agreement(case_params(1, rows, 1, 0), &line, HOLES, -1, 5);
  expect_agreement(case_params(1, rows, 32, 0), &line, EXTREME, -1, 6);
  expect_agreement(case_params(1, 1024, 1, 0), &line, STREET, 8, 7);
  if (stx_test_small())
    return;
  expect_agreement(case_params(1, 1000, 1, 19), &line, STREET, 4, 8);
}

static void expect_kinds(int rows, const StxRoadLine *line, Filling filling, int percent)
{
  StxSatdpParams params = case_params(2, rows, 1, 32);
  params.ground_classes = 0x3;
  params.sky_classes = 0x1f0;
  expect_agreement(params, line, filling, percent, 10);
}

/* Several classes of each kind, in each place where their sums and the rows can lie. */
STX_TEST(agrees_on_every_kinds_classes)
{
  StxRoadLine line = {0.2, 100, 1}, low = {0.2, 10, 1};
  for (int filling = 0; filling < FILLINGS; filling++)
    expect_kinds(40, filling % 2 ? &low : NULL, (Filling)filling, -1);
  expect_kinds(300, &line, STREET, 4);
  expect_kinds(1024, &line, STREET, 4);
  if (stx_test_small())
    return;
  expect_kinds(900, NULL, NOISE, 4);
  expect_kinds(1024, &line, HOLES, 4);
}

/* As in check_satdp_cuda.c. */
#ifndef __SANITIZE_THREAD__
STX_TEST(agrees_when_blocks_take_turns)
{
  expect_agreement(case_params(1030, 1, 2, 0), &(StxRoadLine){0.3, 1, 1}, STREET, -1, 20);
}
#endif

/* Early termination under parameters from one end of their range to the other. */
STX_TEST(stopping_changes_nothing)
{
  StxRandom random = {9};
  for (int round = 0; round < (stx_test_small() ? 3 : 100); round++) {
    StxSatdpParams params = random_full_params(&random);
    params.grid.width = (1 + stx_random_below(&random, 3)) * params.grid.cell_width;
    check_random_full_case(params, round, &random, check_agreement);
  }
}

static void expect_pruning(const Case *c, const char *what)
{
  StxSatdpResult result = expect_case_agrees(c, what);
  ck_assert_uint_lt(result.evaluated, stx_satdp_pairs(&c->params.grid, true));
}

/* Pairs that cost too much whatever their plane are passed over. */
STX_TEST(prunes)
{
  StxSatdpParams params = case_params(3, stx_test_small() ? 20 : 128, 8, 0);
  check_full_case(params, &(StxRoadLine){0.3, 400, 1}, STREET, -1, 11, expect_pruning);
}
