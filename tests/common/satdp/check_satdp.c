/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp's variants against its reference, bit for bit. The reference is proven in
 * check_satdp_model.c.
 */
#include "tests/common/satdp/satdp_case.h"

#include <stdio.h>
#include <string.h>

static void expect_variants_agree(const Case *c, const char *what)
{
  case_variants_agree(&stx_satdp_impls, satdp_reference(), c, what);
}

static void expect_agreement(StxSatdpParams params, const StxCamera *cam, const StxRoadLine *line,
    Filling filling, uint64_t seed)
{
  check_case(params, cam, line, filling, seed, expect_variants_agree);
}

/* Upright objects, then slanted ones. */
static void expect_agreements(StxSatdpParams params, const StxCamera *cam, const StxRoadLine *line,
    Filling filling, uint64_t seed)
{
  expect_agreement(params, cam, line, filling, seed);
  params.object_sigma_slope = 0.3;
  expect_agreement(params, cam, line, filling, seed);
}

/* ---- Variants ------------------------------------------------------------------------------ */

START_TEST(variants_agree_on_every_filling_and_class_count)
{
  static const int classes[] = {0, 1, 19, 32};
  StxRoadLine line = {0.3, 40, 1};
  for (int filling = 0; filling < FILLINGS; filling++)
    for (int i = 0; i < 4; i++)
      for (int ground = 0; ground < 2; ground++) {
        StxSatdpParams params = case_params(11, 45, 4, classes[i]);
        params.grid.width -= 3;
        params.grid.height -= 1;
        params.grid.coarse = filling % 5;
        expect_agreements(params, &case_camera, ground ? &line : NULL, filling, 10u + filling);
      }
}
END_TEST

START_TEST(variants_agree_on_every_number_of_columns_and_rows)
{
  StxRoadLine line = {0.3, 20, 1};
  for (int columns = 1; columns <= 17; columns++)
    expect_agreements(
        case_params(columns, 30, 4, 3), &case_camera, &line, STREET, (uint64_t)columns);
  for (int rows = 1; rows <= 18; rows++)
    expect_agreements(case_params(3, rows, 4, 19), &case_camera, &line, STREET, (uint64_t)rows);
}
END_TEST

START_TEST(variants_agree_on_1024_rows)
{
  StxRoadLine line = {0.2, 400, 1};
  expect_agreements(case_params(9, 1024, 1, 0), &case_camera, &line, STREET, 5);
  expect_agreements(case_params(2, 1024, 1, 19), &case_camera, &line, STREET, 6);
  if (stx_test_small())
    return;
  expect_agreements(case_params(9, 1024, 1, 0), &case_camera, &line, HOLES, 9);
  expect_agreements(case_params(2, 1024, 32, 0), &case_camera, &line, EXTREME, 7);
  expect_agreements(case_params(1, 1024, 1, 0), NULL, NULL, CONSTANT, 8);
  StxSatdpParams costly = case_params(9, 1024, 1, 0); /* as much as a column can cost */
  costly.horizon_cost = costly.unknown_cost = 1000;
  costly.sky_cost = 32;
  expect_agreements(costly, &case_camera, &(StxRoadLine){0.2, 1033, 1}, SKY, 10);
}
END_TEST

/* Exact pruning: thousands of columns under parameters from one end of their range to the other. */
START_TEST(pruning_changes_nothing)
{
  StxRandom random = {9};
  for (int round = 0; round < stx_rounds(900); round++) {
    StxSatdpParams params = random_params(&random);
    Filling fillings[] = {(Filling)(round % FILLINGS), STREET, HOLES};
    StxRoadLine line = random_road(&random, params.grid.height);
    if (stx_random_below(&random, 9) == 0)
      line = (StxRoadLine){64, line.horizon, 1};
    expect_agreement(params, stx_random_below(&random, 3) ? &case_camera : NULL,
        stx_random_below(&random, 5) ? &line : NULL, fillings[stx_random_below(&random, 3)],
        (uint64_t)round);
  }
}
END_TEST

/* Columns of a usual height under usual parameters, where holes, sky and objects compete. */
START_TEST(pruning_changes_nothing_around_holes)
{
  StxRandom random = {10};
  for (int round = 0; round < stx_rounds(120); round++) {
    StxSatdpParams params = case_params(24, 40 + stx_random_below(&random, 50), 4, 0);
    StxRoadLine line = {0.3, stx_random_below(&random, params.grid.height), 1};
    params.unknown_cost = stx_random_below(&random, 16) / 4.0;
    params.sky_cost = stx_random_below(&random, 16) / 4.0;
    expect_agreements(params, &case_camera, &line, HOLES, (uint64_t)round);
  }
}
END_TEST

/* Slopes from likely to all but impossible: what an object's prior takes part in, and what not. */
START_TEST(pruning_changes_nothing_on_slopes)
{
  static const double sigmas[] = {0.003, 0.01, 0.03, 0.1, 0.5, 100};
  StxRandom random = {12};
  for (int round = 0; round < stx_rounds(120); round++) {
    StxSatdpParams params = case_params(24, 30 + stx_random_below(&random, 60), 4, 0);
    StxRoadLine line = {0.3, stx_random_below(&random, params.grid.height), 1};
    params.object_sigma_slope = sigmas[round % 6];
    params.stixel_cost = stx_random_below(&random, 40) / 4.0;
    params.pair_slope = stx_random_below(&random, 3) / 10.0;
    expect_agreement(params, &case_camera, round % 3 ? &line : NULL, SLOPES, (uint64_t)round);
  }
}
END_TEST

/* ---- Start rows ---------------------------------------------------------------------------- */

/* SOME: a density of 1 to 99 percent. UNEVEN: a density per column, so that neighbours have none
 * and all. TOP, LOWEST: one row of cells. RDP: as a line simplification cuts. */
typedef enum { NOWHERE, EVERYWHERE, SOME, UNEVEN, TOP, LOWEST, RDP, MASKS } Mask;

static void allow_uneven(Case *c, StxRandom *random)
{
  int rows = c->tables.rows;
  for (int column = 0; column < stx_grid_columns(&c->params.grid); column++) {
    int percent = stx_random_below(random, 3) * 25 * stx_random_below(random, 3);
    for (int row = 0; row < rows; row++)
      c->starts[column * rows + row] = stx_random_below(random, 100) < percent;
  }
}

static void allow(Case *c, Mask mask, StxRandom *random)
{
  static const int percents[] = {1, 5, 20, 50, 90, 99};
  int rows = c->tables.rows, percent = percents[stx_random_below(random, 6)];
  case_starts(c, mask == EVERYWHERE ? 100 : mask == SOME ? percent : 0, random);
  if (mask == UNEVEN)
    allow_uneven(c, random);
  for (int column = 0; column < stx_grid_columns(&c->params.grid); column++)
    if (mask == TOP || mask == LOWEST)
      c->starts[column * rows + (mask == TOP ? 0 : rows - 1)] = 1;
  if (mask == RDP)
    case_starts_from_rdp(c, 64 << stx_random_below(random, 5));
}

static void expect_agreement_from(
    Mask mask, StxSatdpParams params, const StxRoadLine *line, Filling filling, uint64_t seed)
{
  char what[160];
  StxRandom random = {seed};
  Case *c = new_case(params, &case_camera, line);
  fill_case(c, filling, &random);
  allow(c, mask, &random);
  snprintf(what, sizeof what, "mask %d, %dx%d cells, %d classes, filling %d, seed %llu, %s", mask,
      stx_grid_columns(&params.grid), stx_grid_rows(&params.grid), params.grid.classes, filling,
      (unsigned long long)seed, line ? "ground" : "no ground");
  expect_variants_agree(c, what);
  free_case(c);
}

START_TEST(variants_agree_from_every_mask)
{
  static const int classes[] = {0, 3, 19};
  StxRoadLine line = {0.3, 40, 1};
  for (int mask = 0; mask < MASKS; mask++)
    for (int filling = 0; filling < FILLINGS; filling++)
      for (int i = 0; i < 6; i++) {
        StxSatdpParams params = case_params(11, 45, 4, classes[i / 2]);
        params.grid.width -= 3;
        params.grid.height -= 1;
        params.object_sigma_slope = filling % 2 ? 0.3 : 0;
        expect_agreement_from((Mask)mask, params, i % 2 ? &line : NULL, filling, 20u + filling);
      }
}
END_TEST

START_TEST(variants_agree_from_starts_at_every_size)
{
  StxRoadLine line = {0.3, 20, 1};
  for (int mask = 0; mask < MASKS; mask++) {
    for (int columns = 1; columns <= 17; columns++)
      expect_agreement_from(
          (Mask)mask, case_params(columns, 30, 4, 3), &line, STREET, (uint64_t)columns);
    for (int rows = 1; rows <= 18; rows++)
      expect_agreement_from((Mask)mask, case_params(7, rows, 4, 19), &line, STREET, (uint64_t)rows);
  }
}
END_TEST

START_TEST(variants_agree_from_starts_in_1024_rows)
{
  StxRoadLine line = {0.2, 400, 1};
  expect_agreement_from(SOME, case_params(9, 1024, 1, 0), &line, STREET, 5);
  expect_agreement_from(UNEVEN, case_params(9, 1024, 1, 0), &line, HOLES, 6);
  expect_agreement_from(RDP, case_params(9, 1024, 1, 0), &line, STREET, 7);
  StxSatdpParams slanted = case_params(9, 1024, 1, 3);
  slanted.object_sigma_slope = 0.3;
  expect_agreement_from(UNEVEN, slanted, &line, HOLES, 10);
  expect_agreement_from(RDP, case_params(2, 1024, 1, 19), &line, STREET, 8);
  expect_agreement_from(UNEVEN, case_params(3, 1024, 32, 0), &line, EXTREME, 9);
}
END_TEST

START_TEST(pruning_changes_nothing_from_starts)
{
  StxRandom random = {13};
  for (int round = 0; round < stx_rounds(600); round++) {
    StxSatdpParams params = random_params(&random);
    Filling fillings[] = {(Filling)(round % FILLINGS), STREET, HOLES};
    Mask masks[] = {SOME, UNEVEN, RDP};
    StxRoadLine line = random_road(&random, params.grid.height);
    expect_agreement_from(masks[stx_random_below(&random, 3)], params,
        stx_random_below(&random, 5) ? &line : NULL, fillings[stx_random_below(&random, 3)],
        (uint64_t)round);
  }
}
END_TEST

/* A mask that allows every row is none. */
START_TEST(all_starts_are_no_restriction)
{
  StxRandom random = {14};
  for (int round = 0; round < stx_rounds(60); round++) {
    StxSatdpParams params = random_params(&random);
    for (size_t i = 0; i < stx_satdp_impls.count; i++) {
      const StxSatdpImpl *impl = (const void *)stx_impl_at(&stx_satdp_impls, i);
      if (!stx_impl_usable(&impl->info))
        continue;
      Case *c = new_case(params, &case_camera, &(StxRoadLine){0.3, 20, 1});
      StxSatdpResult wanted, result;
      fill_case(c, round % 2 ? STREET : HOLES, &random);
      StxStixel *expected = run_case(impl, c, 2, &wanted);
      case_starts(c, 100, &random);
      StxStixel *actual = run_case(impl, c, 2, &result);
      ck_assert_uint_eq(result.count, wanted.count);
      stx_expect_same(expected, actual, result.count * sizeof *actual, impl->info.name);
      stx_guarded_free(expected);
      stx_guarded_free(actual);
      free_case(c);
    }
  }
}
END_TEST

/* How many pairs an implementation computes. */
static uint64_t evaluated_by(const StxSatdpImpl *impl, const Case *c)
{
  StxSatdpResult result;
  stx_guarded_free(run_case(impl, c, 1, &result));
  return result.evaluated;
}

/* With m starts of h rows about m² candidates are left of h², here 1 of 100. */
START_TEST(starts_leave_few_pairs)
{
  StxRandom random = {15};
  Case *c = new_case(case_params(24, 200, 4, 0), &case_camera, &(StxRoadLine){0.3, 150, 1});
  fill_case(c, NOISE, &random);
  case_starts(c, 10, &random);
  for (size_t i = 0; i < stx_satdp_impls.count; i++) {
    const StxSatdpImpl *impl = (const void *)stx_impl_at(&stx_satdp_impls, i);
    if (stx_impl_usable(&impl->info))
      ck_assert_uint_lt(evaluated_by(impl, c) * 50, 24u * 3 * 200 * 201 / 2);
  }
  free_case(c);
}
END_TEST

/* A case of eight columns; one column twice, with every start, its neighbours with none. Whether
 * four or eight lanes work together: no more than the two columns need is computed. */
static Case *new_sparse_case(const Case *one, StxRandom *random)
{
  StxSatdpParams params = one->params;
  int rows = one->tables.rows;
  params.grid.width *= 8;
  Case *c = new_case(params, &case_camera, &(StxRoadLine){0.3, 150, 1});
  fill_case(c, HOLES, random);
  case_starts(c, 0, random);
  for (int column = 1; column < 8; column += 4) {
    for (int channel = 0; channel < 2; channel++)
      memcpy(stx_column(&params.grid, c->columns, channel, column),
          stx_column(&one->params.grid, one->columns, channel, 0), (size_t)rows * 2);
    memset(c->starts + column * rows, 1, (size_t)rows);
  }
  return c;
}

START_TEST(columns_without_starts_cost_nothing)
{
  StxRandom random = {16};
  Case *one = new_case(case_params(1, 200, 4, 0), &case_camera, &(StxRoadLine){0.3, 150, 1});
  fill_case(one, STREET, &random);
  Case *eight = new_sparse_case(one, &random);
  for (size_t i = 0; i < stx_satdp_impls.count; i++) {
    const StxSatdpImpl *impl = (const void *)stx_impl_at(&stx_satdp_impls, i);
    if (stx_impl_usable(&impl->info))
      ck_assert_uint_le(evaluated_by(impl, eight), 8 * evaluated_by(impl, one));
  }
  free_case(one);
  free_case(eight);
}
END_TEST

/* ---- Statistics ---------------------------------------------------------------------------- */

START_TEST(results_count_pairs)
{
  StxRandom random = {11};
  StxSatdpParams params = case_params(24, 100, 4, 0);
  Case *c = new_case(params, &case_camera, &(StxRoadLine){0.3, 150, 1});
  fill_case(c, STREET, &random);
  uint64_t pairs = stx_satdp_pairs(&params.grid, true);
  ck_assert_uint_eq(pairs, 24u * 3 * 100 * 101 / 2);
  for (size_t i = 0; i < stx_satdp_impls.count; i++) {
    const StxSatdpImpl *impl = (const void *)stx_impl_at(&stx_satdp_impls, i);
    if (!stx_impl_usable(&impl->info))
      continue;
    StxSatdpResult result;
    stx_guarded_free(run_case(impl, c, 2, &result));
    ck_assert_uint_eq(result.reserved, 0);
    if (impl == satdp_reference())
      ck_assert_uint_eq(result.evaluated, pairs);
    else
      ck_assert_msg(result.evaluated > 0 && result.evaluated * 2 < pairs,
          "%s: pruning left %llu of %llu pairs", impl->info.name,
          (unsigned long long)result.evaluated, (unsigned long long)pairs);
  }
  free_case(c);
}
END_TEST

/* ---- Coarse steps --------------------------------------------------------------------------- */

/* What is in pixels of disparity, in pixels of a 2^coarse-th of the steps. */
static StxSatdpParams in_coarse_pixels(StxSatdpParams params, int coarse)
{
  double pixel = 1 << coarse;
  params.grid.coarse = coarse;
  for (int kind = 0; kind < 3; kind++)
    params.sigma_disparity[kind] *= pixel;
  params.ground_sigma_intercept *= pixel;
  params.object_sigma_slope *= pixel;
  params.pair_tolerance *= pixel;
  params.pair_slope /= pixel;
  return params;
}

static void expect_unit(StxSatdpParams params, Filling filling, int coarse)
{
  StxCamera camera = case_camera;
  StxRoadLine line = {0.3, 40, 1}, coarse_line = {0.3 * (1 << coarse), 40, 1};
  StxRandom random = {(uint64_t)coarse};
  StxSatdpResult result[2];
  Case *fine = new_case(params, &camera, &line);
  fill_case(fine, filling, &random);
  camera.baseline *= 1 << coarse;
  Case *c = new_case(in_coarse_pixels(params, coarse), &camera, &coarse_line);
  memcpy(c->columns, fine->columns, stx_grid_bytes(&params.grid));
  StxStixel *expected = run_case(satdp_reference(), fine, 1, &result[0]);
  StxStixel *actual = run_case(satdp_reference(), c, 1, &result[1]);
  ck_assert_int_eq(result[0].count, result[1].count);
  for (uint32_t i = 0; i < result[0].count; i++) {
    expected[i].disparity_top *= (float)(1 << coarse);
    expected[i].disparity_bottom *= (float)(1 << coarse);
  }
  stx_expect_same(expected, actual, result[0].count * sizeof *expected, "coarse steps");
  stx_guarded_free(actual);
  stx_guarded_free(expected);
  free_case(c);
  free_case(fine);
}

/* The same cells in steps of a 2^coarse-th as many pixels. */
START_TEST(coarse_steps_are_another_unit)
{
  for (int filling = 0; filling < FILLINGS; filling++)
    for (int coarse = 1; coarse <= STX_GRID_MAX_COARSE; coarse++) {
      StxSatdpParams params = case_params(11, 45, 4, 0);
      params.sigma_disparity[1] = 0.75;
      params.object_sigma_slope = filling % 2 ? 0.3 : 0;
      expect_unit(params, (Filling)filling, coarse);
    }
}
END_TEST

static const StxTest tests[] = {{&variants_agree_on_every_filling_and_class_count},
    {&variants_agree_on_every_number_of_columns_and_rows}, {&variants_agree_on_1024_rows},
    {&pruning_changes_nothing}, {&pruning_changes_nothing_around_holes},
    {&pruning_changes_nothing_on_slopes}, {&variants_agree_from_every_mask},
    {&variants_agree_from_starts_at_every_size}, {&variants_agree_from_starts_in_1024_rows},
    {&pruning_changes_nothing_from_starts}, {&all_starts_are_no_restriction},
    {&starts_leave_few_pairs}, {&columns_without_starts_cost_nothing}, {&results_count_pairs},
    {&coarse_steps_are_another_unit}};
STX_TESTING_MAIN("satdp", tests)
