/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What satdp's tables hold, and what is refused. */
#include "tests/common/satdp/satdp_case.h"

#include <math.h>
#include <string.h>

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

static double square(double value)
{
  return value * value;
}

/* The weight of a cell of this variance falls with it; its noise is the logarithm of its root. */
static void expect_weight_and_noise(
    const Case *c, uint32_t scale, int32_t noise, double variance, double least)
{
  double one = (double)STX_FOLDED_MAX * 65536 / STX_WEIGHT_ONE;
  double nats = c->params.sigma_weight * log(sqrt(variance) / sqrt(least));
  ck_assert_double_eq_tol(scale, one * least / variance, 0.501);
  ck_assert_double_eq_tol(noise, nats * STX_ENERGY_ONE, 0.501);
}

/* An object's noise is taken in the middle of a bin of disparities. */
START_TEST(tables_weigh_by_the_noise)
{
  const StxRoadLine line = {0.3, 20, 1};
  StxSatdpParams params = case_params(1, 40, 4, 0);
  params.sigma_disparity[0] = 0.75, params.sigma_disparity[1] = 1, params.sigma_disparity[2] = 0.5;
  params.sigma_weight = 1.5;
  Case *c = new_case(params, &case_camera, &line);
  double depth = params.sigma_depth / (case_camera.focal * case_camera.baseline);
  double angle = case_camera.focal * line.slope * params.sigma_angle;
  for (int bin = 0; bin < 1024; bin++) {
    double d = (bin + 0.5) / 4;
    expect_weight_and_noise(c, c->tables.object_scale[bin], c->tables.noise_object[bin],
        1 + square(d * d * depth), 0.25);
  }
  for (int u = 0; u < 40; u++) {
    double d = line.slope * (159 - 4 * u - 1.5 - line.horizon);
    double height = d * params.sigma_height / case_camera.height;
    expect_weight_and_noise(c, c->tables.ground_scale[u], c->tables.noise_ground[u],
        square(0.75) + square(height) + square(angle), 0.25);
  }
  expect_weight_and_noise(c, c->tables.sky_scale, c->tables.noise_sky, 0.25, 0.25);
  free_case(c);
}
END_TEST

/* The slope of the road near a cell, not that near the camera, says what a pitch does there. */
START_TEST(tables_weigh_a_bent_road_by_its_slope)
{
  const StxRoadLine line = {0.3, 20, 1, 1, {{80, 0.1}}};
  StxSatdpParams params = case_params(1, 40, 4, 0);
  params.sigma_disparity[0] = 0.75, params.sigma_disparity[1] = params.sigma_disparity[2] = 0.5;
  Case *c = new_case(params, &case_camera, &line);
  double one = (double)STX_FOLDED_MAX * 65536 / STX_WEIGHT_ONE * square(0.5);
  for (int u = 0; u < 40; u++) {
    double row = 159 - 4 * u - 1.5, slope = row < 80 ? 0.1 : 0.3;
    double d = row < 80 ? 18 + 0.1 * (row - 80) : 0.3 * (row - 20);
    double height = d * params.sigma_height / case_camera.height * slope / 0.3;
    double angle = case_camera.focal * slope * params.sigma_angle;
    ck_assert_double_eq_tol(
        c->tables.ground_scale[u], one / (square(0.75) + square(height) + square(angle)), 0.501);
  }
  free_case(c);
}
END_TEST

/* Without a weight nobody pays, and nobody more than 16 units of a logarithm. */
START_TEST(noise_is_paid_within_bounds)
{
  const StxRoadLine line = {64, 20, 1};
  const StxCamera low = {.focal = 1e6, .baseline = 1e-6, .height = 1e-300};
  for (int weight = 0; weight <= 16; weight += 16) {
    StxSatdpParams params = case_params(1, 40, 4, 0);
    params.sigma_weight = weight;
    Case *c = new_case(params, &low, &line);
    for (int u = 0; u < 40; u++)
      ck_assert_int_eq(c->tables.noise_ground[u], 16 * weight * STX_ENERGY_ONE);
    for (int bin = 0; bin < 1024; bin++)
      ck_assert_int_le(c->tables.noise_object[bin], 16 * weight * STX_ENERGY_ONE);
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
  bad = good, bad.sky_cost = 33;
  expect_refusal(bad, "sky_cost is 33, must be 0 to 32 nat");
  bad = good, bad.sky_classes |= 2;
  expect_refusal(bad, "class 1 (sidewalk) is ground and sky in class_kinds, may be one of them");
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
  static const struct {
    StxRoadLine line;
    const char *words;
  } bent[] = {
      {{0.3, 10, 1, 4}, "road has 4 bends, must be 0 to 3"},
      {{0.3, 10, 1, -1}, "road has -1 bends"},
      {{0.3, 10, 1, 1, {{40, 0}}}, "road slope above bend 1 is 0, must be above 0"},
      {{0.3, 10, 1, 2, {{40, 0.1}, {30, 65}}}, "road slope above bend 2 is 65"},
      {{0.3, 10, 1, 2, {{40, 0.1}, {40, 0.1}}}, "bend 2 of the road is at row 40, must be above"},
      {{0.3, 10, 1, 1, {{9, 0.1}}}, "bend 1 of the road is at row 9"},
      {{0.3, 10, 1, 1, {{NAN, 0.1}}}, "bend 1 of the road is at row nan"},
  };
  for (size_t i = 0; i < sizeof bent / sizeof bent[0]; i++) {
    ck_assert(!stx_satdp_prepare(&params, NULL, &bent[i].line, &tables, &error));
    ck_assert_msg(strstr(error.text, bent[i].words) != NULL, "%s", error.text);
  }
}
END_TEST

static const StxTest tests[] = {{&tables_stay_within_their_bounds}, {&tables_weigh_by_the_noise},
    {&noise_is_paid_within_bounds}, {&tables_weigh_a_bent_road_by_its_slope},
    {&refuses_bad_parameters_by_name}, {&refuses_lines_that_are_no_road}};
STX_TESTING_MAIN("satdp_tables", tests)
