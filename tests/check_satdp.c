/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp's variants against its reference, bit for bit, and what is refused. The reference is
 * proven in check_satdp_model.c.
 */
#include "tests/satdp_case.h"

#include "common/stixel_cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect_partition(const Case *c, const StxStixel *stixels, size_t count)
{
  const StxGrid *grid = &c->params.grid;
  int column = -1, bottom = -1;
  for (size_t i = 0; i < count; i++) {
    if (bottom < 0) {
      column++;
      bottom = grid->height - 1;
    }
    ck_assert_int_eq(stixels[i].column, column);
    ck_assert_int_eq(stixels[i].bottom, bottom);
    ck_assert_int_le(stixels[i].top, stixels[i].bottom);
    ck_assert(stixels[i].kind >= STX_KIND_GROUND && stixels[i].kind <= STX_KIND_SKY);
    ck_assert(stixels[i].confidence >= 0);
    ck_assert(isfinite(stixels[i].disparity_top) && isfinite(stixels[i].disparity_bottom));
    bottom = stixels[i].top - 1;
  }
  ck_assert_int_eq(bottom, -1);
  ck_assert_int_eq(column, stx_grid_columns(grid) - 1);
}

/* Every usable variant gives the reference's records, whatever the number of threads. */
static void expect_variants_agree(const Case *c, const char *what)
{
  static const int threads[] = {1, 2, 7};
  size_t expected_count;
  StxStixel *expected = run_case(satdp_reference(), c, 1, &expected_count, NULL);
  expect_partition(c, expected, expected_count);
  for (size_t i = 0; i < stx_satdp_impls.count; i++) {
    const StxSatdpImpl *impl = (const void *)stx_impl_at(&stx_satdp_impls, i);
    if (impl == satdp_reference() || !stx_impl_usable(&impl->info))
      continue;
    for (int t = 0; t < 3; t++) {
      char text[256];
      size_t count;
      snprintf(text, sizeof text, "%s, %d threads: %s", impl->info.name, threads[t], what);
      StxStixel *actual = run_case(impl, c, threads[t], &count, NULL);
      ck_assert_msg(
          count == expected_count, "%s: %zu stixels, not %zu", text, count, expected_count);
      stx_expect_same(expected, actual, count * sizeof *actual, text);
      stx_guarded_free(actual);
    }
  }
  stx_guarded_free(expected);
}

static void expect_agreement(StxSatdpParams params, const StxCamera *cam, const StxRoadLine *line,
    Filling filling, uint64_t seed)
{
  check_case(params, cam, line, filling, seed, expect_variants_agree);
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
        expect_agreement(params, &case_camera, ground ? &line : NULL, filling, 10u + filling);
      }
}
END_TEST

START_TEST(variants_agree_on_every_number_of_columns_and_rows)
{
  StxRoadLine line = {0.3, 20, 1};
  for (int columns = 1; columns <= 17; columns++)
    expect_agreement(
        case_params(columns, 30, 4, 3), &case_camera, &line, STREET, (uint64_t)columns);
  for (int rows = 1; rows <= 18; rows++)
    expect_agreement(case_params(3, rows, 4, 19), &case_camera, &line, STREET, (uint64_t)rows);
}
END_TEST

START_TEST(variants_agree_on_1024_rows)
{
  StxRoadLine line = {0.2, 400, 1};
  expect_agreement(case_params(9, 1024, 1, 0), &case_camera, &line, STREET, 5);
  expect_agreement(case_params(2, 1024, 1, 19), &case_camera, &line, STREET, 6);
  expect_agreement(case_params(9, 1024, 1, 0), &case_camera, &line, HOLES, 9);
  expect_agreement(case_params(2, 1024, 32, 0), &case_camera, &line, EXTREME, 7);
  expect_agreement(case_params(1, 1024, 1, 0), NULL, NULL, CONSTANT, 8);
}
END_TEST

/* Exact pruning: thousands of columns under parameters from one end of their range to the other. */
START_TEST(pruning_changes_nothing)
{
  StxRandom random = {9};
  for (int round = 0; round < 900; round++) {
    StxSatdpParams params = random_params(&random);
    Filling fillings[] = {(Filling)(round % FILLINGS), STREET, HOLES};
    StxRoadLine line = {
        stx_random_below(&random, 9) ? 0.02 + stx_random_below(&random, 60) / 100.0 : 64,
        stx_random_below(&random, params.grid.height + 1) - 9, 1};
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
  for (int round = 0; round < 120; round++) {
    StxSatdpParams params = case_params(24, 40 + stx_random_below(&random, 50), 4, 0);
    StxRoadLine line = {0.3, stx_random_below(&random, params.grid.height), 1};
    params.unknown_cost = stx_random_below(&random, 16) / 4.0;
    expect_agreement(params, &case_camera, &line, HOLES, (uint64_t)round);
  }
}
END_TEST

START_TEST(stats_count_pairs)
{
  StxRandom random = {11};
  StxSatdpParams params = case_params(24, 100, 4, 0);
  Case *c = new_case(params, &case_camera, &(StxRoadLine){0.3, 150, 1});
  fill_case(c, STREET, &random);
  for (size_t i = 0; i < stx_satdp_impls.count; i++) {
    const StxSatdpImpl *impl = (const void *)stx_impl_at(&stx_satdp_impls, i);
    if (!stx_impl_usable(&impl->info))
      continue;
    size_t count;
    StxSatdpStats stats = {0, 0};
    stx_guarded_free(run_case(impl, c, 2, &count, &stats));
    ck_assert_uint_eq(stats.pairs, 24u * 3 * 100 * 101 / 2);
    if (impl == satdp_reference())
      ck_assert_uint_eq(stats.evaluated, stats.pairs);
    else
      ck_assert_msg(stats.evaluated > 0 && stats.evaluated * 2 < stats.pairs,
          "%s: pruning left %llu of %llu pairs", impl->info.name,
          (unsigned long long)stats.evaluated, (unsigned long long)stats.pairs);
  }
  free_case(c);
}
END_TEST

/* ---- Tables and refusals -------------------------------------------------------------------- */

START_TEST(tables_stay_within_their_bounds)
{
  StxRandom random = {12};
  for (int round = 0; round < 200; round++) {
    StxSatdpParams params = random_params(&random);
    Case *c = new_case(params, &case_camera, &(StxRoadLine){0.3, 20, 1});
    for (int u = 0; u < c->tables.rows; u++)
      ck_assert_uint_le(
          stx_fold(65535, c->tables.ground_scale[u], 65535), (uint32_t)STX_FOLDED_MAX);
    for (int bin = 0; bin < 1024; bin++)
      ck_assert_uint_le(
          stx_fold(65535, c->tables.object_scale[bin], 65535), (uint32_t)STX_FOLDED_MAX);
    ck_assert_uint_eq(stx_fold(65535, c->tables.sky_scale, 0), 0);
    ck_assert_int_eq(c->tables.cut[c->tables.rows], -1);
    ck_assert_int_eq(c->tables.cut[0], 2 * params.grid.height - 1);
    ck_assert_int_eq(c->tables.x[c->tables.rows - 1], params.grid.cell_height - 1);
    free_case(c);
  }
}
END_TEST

static void expect_refusal(StxSatdpParams params, const char *words)
{
  StxError error = {""};
  ck_assert(!stx_satdp_check(&params, &error));
  ck_assert_msg(strstr(error.text, words) != NULL, "\"%s\" lacks \"%s\"", error.text, words);
}

START_TEST(refuses_bad_parameters_by_name)
{
  StxSatdpParams good = case_params(4, 8, 8, 19), bad = good;
  ck_assert(stx_satdp_check(&good, NULL));
  expect_refusal(case_params(4, 1025, 1, 0), "1025 rows of cells");
  bad.stixel_cost = NAN;
  expect_refusal(bad, "stixel_cost is nan, must be 0 to 1000");
  bad = good, bad.semantic_weight = 17;
  expect_refusal(bad, "semantic_weight is 17, must be 0 to 16");
  bad = good, bad.sigma_disparity[2] = 0;
  expect_refusal(bad, "sigma_disparity[2] is 0, must be 0.0625 to 64 px");
  bad = good, bad.pair_cost = -1;
  expect_refusal(bad, "pair_cost is -1, must be 0 to 1000 nat");
  bad = good, bad.horizon_cost = INFINITY;
  expect_refusal(bad, "horizon_cost is inf");
  bad = good, bad.unknown_cost = -0.5;
  expect_refusal(bad, "unknown_cost is -0.5, must be 0 to 1000 nat");
  bad = good, bad.sky_classes |= 2;
  expect_refusal(bad, "class 1 is in ground_classes and in sky_classes");
  bad = good, bad.grid.cell_width = 0;
  expect_refusal(bad, "0");
}
END_TEST

START_TEST(refuses_lines_that_are_no_road)
{
  StxSatdpParams params = case_params(4, 8, 8, 0);
  StxSatdpTables tables;
  StxError error;
  static const StxRoadLine flat = {0, 10, 1}, lost = {0.3, NAN, 1};
  ck_assert(!stx_satdp_prepare(&params, NULL, &flat, &tables, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "road slope is 0, must be above 0"));
  ck_assert(!stx_satdp_prepare(&params, NULL, &lost, &tables, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "road horizon is at row nan"));
}
END_TEST

static const StxTest tests[] = {{&variants_agree_on_every_filling_and_class_count},
    {&variants_agree_on_every_number_of_columns_and_rows}, {&variants_agree_on_1024_rows},
    {&pruning_changes_nothing}, {&pruning_changes_nothing_around_holes}, {&stats_count_pairs},
    {&tables_stay_within_their_bounds}, {&refuses_bad_parameters_by_name},
    {&refuses_lines_that_are_no_road}};
STX_TESTING_MAIN("satdp", tests)
