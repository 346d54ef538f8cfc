/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp's variants against its reference, bit for bit. The reference is proven in
 * check_fulldp_model.c.
 */
#include "tests/common/fulldp/fulldp_case.h"

static void expect_variants_agree(const Case *c, const char *what)
{
  case_variants_agree(&stx_fulldp_impls, fulldp_reference(), c, what);
}

static void expect_agreement(
    StxSatdpParams params, const StxRoadLine *line, Filling filling, int percent, uint64_t seed)
{
  check_full_case(params, line, filling, percent, seed, expect_variants_agree);
}

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
        expect_agreement(params, ground ? &line : NULL, filling, -1, 10u + filling);
        expect_agreement(params, ground ? &line : NULL, filling, 20 * filling, 20u + filling);
      }
}
END_TEST

START_TEST(variants_agree_on_every_number_of_columns_and_rows)
{
  StxRoadLine line = {0.3, 20, 1};
  for (int columns = 1; columns <= 17; columns++)
    expect_agreement(case_params(columns, 30, 4, 3), &line, STREET, -1, (uint64_t)columns);
  for (int rows = 1; rows <= 26; rows++) {
    expect_agreement(case_params(3, rows, 4, 0), &line, HOLES, -1, (uint64_t)rows);
    expect_agreement(case_params(7, rows, 4, 19), &line, STREET, 30, (uint64_t)rows);
  }
}
END_TEST

START_TEST(variants_agree_on_high_columns)
{
  StxRoadLine line = {0.2, 150, 1};
  expect_agreement(case_params(9, 300, 1, 0), &line, STREET, -1, 5);
  expect_agreement(case_params(9, 300, 1, 0), &line, HOLES, 15, 6);
  expect_agreement(case_params(1, 1024, 1, 0), &line, STREET, 5, 7);
  expect_agreement(case_params(2, 250, 32, 3), &line, EXTREME, -1, 8);
}
END_TEST

/* Exact pruning: parameters from one end of their range to the other. */
START_TEST(pruning_changes_nothing)
{
  StxRandom random = {9};
  for (int round = 0; round < stx_rounds(900); round++) {
    StxSatdpParams params = random_full_params(&random);
    check_random_full_case(params, round, &random, expect_variants_agree);
  }
}
END_TEST

/* Columns of a usual height under usual parameters, where outliers, sky and objects compete. */
START_TEST(pruning_changes_nothing_around_outliers)
{
  StxRandom random = {10};
  for (int round = 0; round < stx_rounds(100); round++) {
    StxSatdpParams params = case_params(24, 40 + stx_random_below(&random, 50), 4, 0);
    StxRoadLine line = {0.3, stx_random_below(&random, params.grid.height), 1};
    for (int kind = 0; kind < 3; kind++)
      params.outlier_share[kind] = (1 + stx_random_below(&random, 50)) / 100.0;
    expect_agreement(params, &line, round % 2 ? STREET : HOLES, -1, (uint64_t)round);
  }
}
END_TEST

START_TEST(results_count_pairs)
{
  StxRandom random = {11};
  StxSatdpParams params = case_params(24, 100, 4, 0);
  Case *c = new_full_case(params, &case_camera, &(StxRoadLine){0.3, 150, 1});
  fill_case(c, STREET, &random);
  uint64_t pairs = stx_satdp_pairs(&params.grid, true);
  for (size_t i = 0; i < stx_fulldp_impls.count; i++) {
    const StxSatdpImpl *impl = (const void *)stx_impl_at(&stx_fulldp_impls, i);
    if (!stx_impl_usable(&impl->info))
      continue;
    StxSatdpResult result;
    stx_guarded_free(run_case(impl, c, 2, &result));
    ck_assert_uint_eq(result.reserved, 0);
    if (impl == fulldp_reference())
      ck_assert_uint_eq(result.evaluated, pairs);
    else
      ck_assert_msg(result.evaluated > 0 && result.evaluated < pairs,
          "%s: %llu of %llu pairs are left", impl->info.name, (unsigned long long)result.evaluated,
          (unsigned long long)pairs);
  }
  free_case(c);
}
END_TEST

static const StxTest tests[] = {{&variants_agree_on_every_filling_and_class_count},
    {&variants_agree_on_every_number_of_columns_and_rows}, {&variants_agree_on_high_columns},
    {&pruning_changes_nothing}, {&pruning_changes_nothing_around_outliers}, {&results_count_pairs}};
STX_TESTING_MAIN("fulldp", tests)
