/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The contents of satdp's tables, and refused parameters. satdp's closed fits against a plain
 * solver, and what they are without cells. Which classes are ground and sky, as users write it:
 * read, written and refused.
 */
#include "tests/common/satdp/satdp_case.h"
#include "common/satdp/satdp.h"

#include <math.h>
#include <string.h>

STX_TEST(tables_stay_within_their_bounds)
{
  StxRandom random = {12};
  for (int round = 0; round < 200; round++) {
    StxSatdpParams params = random_params(&random);
    STX_AUTO(Case) *c = new_case(params, &case_camera, &(StxRoadLine){0.3, 20, 1});
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
  }
}

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
STX_TEST(tables_weigh_by_the_noise)
{
  const StxRoadLine line = {0.3, 20, 1};
  StxSatdpParams params = case_params(1, 40, 4, 0);
  params.sigma_disparity[0] = 0.75, params.sigma_disparity[1] = 1, params.sigma_disparity[2] = 0.5;
  params.sigma_weight = 1.5;
  STX_AUTO(Case) *c = new_case(params, &case_camera, &line);
  double depth = params.sigma_depth / (case_camera.focal * case_camera.baseline);
  double angle = case_camera.focal * line.slope * params.sigma_angle;
  for (int bin = 0; bin < 1024; bin++) {
    double d = (bin + 0.5) / 4;
    expect_weight_and_noise(c, c->tables.object_scale[bin], c->tables.noise_object[bin],
        1 + square(d * fmin(d * depth, 0.1)), 0.25);
  }
  for (int u = 0; u < 40; u++) {
    double d = line.slope * (159 - 4 * u - 1.5 - line.horizon);
    double height = d * params.sigma_height / case_camera.height;
    expect_weight_and_noise(c, c->tables.ground_scale[u], c->tables.noise_ground[u],
        square(0.75) + square(height) + square(angle), 0.25);
  }
  expect_weight_and_noise(c, c->tables.sky_scale, c->tables.noise_sky, 0.25, 0.25);
}

/* The noise of the road line counts beyond a quarter of a pixel; and a ground that is
 * hardly steeper than objects has theirs at least. */
STX_TEST(tables_weigh_by_the_frame)
{
  static const struct {
    double slope, noise, variance;
  } cases[] = {
      {0.3, 0.25, 0.5625}, {0.3, 0.65, 0.5625 + 6.25 * 0.36}, {0.06, 0, 1}, {0.07, 0, 0.5625}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const StxRoadLine line = {cases[i].slope, 20, 1, .noise = cases[i].noise};
    StxSatdpParams params = case_params(1, 40, 4, 0);
    params.sigma_disparity[0] = 0.75, params.sigma_disparity[1] = 1,
    params.sigma_disparity[2] = 0.5;
    params.sigma_angle = params.sigma_height = params.sigma_weight = 0;
    params.object_sigma_slope = 0.02;
    STX_AUTO(Case) *c = new_case(params, &case_camera, &line);
    for (int u = 0; u < 40; u++)
      expect_weight_and_noise(
          c, c->tables.ground_scale[u], c->tables.noise_ground[u], cases[i].variance, 0.25);
  }
}

/* The slope of the road near a cell, not that near the camera, says what a pitch does there. */
STX_TEST(tables_weigh_a_bent_road_by_its_slope)
{
  const StxRoadLine line = {0.3, 20, 1, 1, {{80, 0.1}}};
  StxSatdpParams params = case_params(1, 40, 4, 0);
  params.sigma_disparity[0] = 0.75, params.sigma_disparity[1] = params.sigma_disparity[2] = 0.5;
  STX_AUTO(Case) *c = new_case(params, &case_camera, &line);
  double one = (double)STX_FOLDED_MAX * 65536 / STX_WEIGHT_ONE * square(0.5);
  for (int u = 0; u < 40; u++) {
    double row = 159 - 4 * u - 1.5, slope = row < 80 ? 0.1 : 0.3;
    double d = row < 80 ? 18 + 0.1 * (row - 80) : 0.3 * (row - 20);
    double height = d * params.sigma_height / case_camera.height * slope / 0.3;
    double angle = case_camera.focal * slope * params.sigma_angle;
    ck_assert_double_eq_tol(
        c->tables.ground_scale[u], one / (square(0.75) + square(height) + square(angle)), 0.501);
  }
}

/* Without a weight the cost is 0, and never more than 16 units of a logarithm. */
STX_TEST(noise_is_paid_within_bounds)
{
  const StxRoadLine line = {64, 20, 1};
  const StxCamera low = {.focal = 1e6, .baseline = 1e-6, .height = 1e-300};
  for (int weight = 0; weight <= 16; weight += 16) {
    StxSatdpParams params = case_params(1, 40, 4, 0);
    params.sigma_weight = weight;
    STX_AUTO(Case) *c = new_case(params, &low, &line);
    for (int u = 0; u < 40; u++)
      ck_assert_int_eq(c->tables.noise_ground[u], 16 * weight * STX_ENERGY_ONE);
    for (int bin = 0; bin < 1024; bin++)
      ck_assert_int_le(c->tables.noise_object[bin], 16 * weight * STX_ENERGY_ONE);
  }
}

STX_TEST(refuses_bad_parameters_by_name)
{
  StxSatdpParams good = case_params(4, 8, 8, 19);
#define REFUSES(...) STX_REFUSES(stx_satdp_check, good, __VA_ARGS__)
  ck_assert(stx_satdp_check(&good, NULL));
  REFUSES(grid, ((StxGrid){4, 1025, 1, 1, 0}), "1025 rows of cells");
  REFUSES(stixel_cost, NAN, "stixel_cost is nan, must be 0 to 1000");
  REFUSES(sigma_disparity[2], 0, "sigma_disparity[2] is 0, must be 0.0625 to 64 px");
  REFUSES(sky_classes, good.sky_classes | 2,
      "class 1 (sidewalk) is ground and sky in class_kinds, may be one of them");
}

STX_TEST(refuses_lines_that_are_no_road)
{
  StxSatdpParams params = case_params(4, 8, 8, 0);
  StxSatdpTables tables;
  StxError error;
  static const StxRoadLine flat = {0, 10, 1}, lost = {0.3, NAN, 1};
  ck_assert(!stx_satdp_prepare(&params, NULL, &flat, &tables, &error));
  stx_expect_words(&error, "road slope is 0, must be above 0");
  ck_assert(!stx_satdp_prepare(&params, NULL, &lost, &tables, &error));
  stx_expect_words(&error, "road horizon is at row nan");
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
    stx_expect_words(&error, bent[i].words);
  }
}

/* ---- The fit against a plain solver ------------------------------------------------------- */

/* Least squares of d = a + b·(x − h) over cells and two pseudo-observations, one per prior: QR by
 * Givens rotations, nothing summed or centred. */
static long double solve_line(const CaseCell *cells, int n, const StxGroundPrior *prior,
    bool with_prior, long double *a, long double *b)
{
  long double r[3][3] = {{0}}, rest = 0;
  for (int i = 0; i < n + (with_prior ? 2 : 0); i++) {
    long double root = sqrtl(i < n    ? cells[i].w
                             : i == n ? prior->lambda_intercept
                                      : prior->lambda_slope);
    long double row[3] = {root, 0, 0};
    if (i < n)
      row[1] = root * (cells[i].x - prior->horizon_x), row[2] = root * cells[i].d;
    if (i == n + 1)
      row[0] = 0, row[1] = root, row[2] = root * prior->slope;
    for (int j = 0; j < 2; j++) {
      long double length = hypotl(r[j][j], row[j]);
      if (length == 0)
        continue;
      long double cosine = r[j][j] / length, sine = row[j] / length;
      for (int k = j; k < 3; k++) {
        long double up = r[j][k];
        r[j][k] = cosine * up + sine * row[k];
        row[k] = cosine * row[k] - sine * up;
      }
    }
    rest += row[2] * row[2];
  }
  *b = r[1][1] > 1e-9L ? r[1][2] / r[1][1] : 0;
  *a = r[0][0] > 0 ? (r[0][2] - r[0][1] * *b) / r[0][0] : 0;
  return rest;
}

/* The error of float, at most, as a share of the weighted sum of squares before anything is fitted;
 * likewise that by which a prefix may exceed the whole. */
#define SHARE (STX_UNSURE / 2)

static long double squares_of(const CaseCell *cells, int n)
{
  long double sum = 0;
  for (int i = 0; i < n; i++)
    sum += cells[i].w * cells[i].d * cells[i].d;
  return sum;
}

static void expect_residual(
    int round, const char *what, float residual, long double wanted, long double squares)
{
  ck_assert_msg(fabsl(residual - wanted) <= SHARE * squares + 1, "round %d: %s %g, not %Lg", round,
      what, (double)residual, wanted);
}

static CaseCell cell_of(StxRandom *random, int u, int x, int d)
{
  int w = stx_random_below(random, 3) || u == 0 ? 1 + stx_random_below(random, 2047) : 0;
  return (CaseCell){stx_random_below(random, 9) ? w : w > 0, x, d};
}

/* Deviations from an expected ground: of lines near and far, with noise. */
STX_TEST(fit_equals_least_squares)
{
  StxRandom random = {1};
  for (int round = 0; round < 20000; round++) {
    CaseCell cells[200];
    int n = 1 + stx_random_below(&random, round % 5 ? 40 : 200);
    int spacing = 2 + stx_random_below(&random, round % 7 ? 16 : 128);
    int start = stx_random_below(&random, 2000), steep = stx_random_below(&random, 60) - 30;
    int far = (stx_random_below(&random, 4001) - 2000) * stx_random_below(&random, 8);
    int noise = 1 + stx_random_below(&random, 800);
    StxGroundPrior prior = {stx_random_below(&random, 40), start - stx_random_below(&random, 2000),
        0.01f + stx_random_below(&random, 3000), 1.0f + stx_random_below(&random, 1000000)};
    for (int i = 0; i < n; i++) {
      long double line = far + steep * i * spacing / 4 + stx_random_below(&random, noise);
      cells[i] = cell_of(&random, i, start + i * spacing,
          (int)fminl(fmaxl(line, -STX_DEVIATION_MOST), STX_DEVIATION_MOST));
    }
    StxSegmentSums s = case_sum_cells(cells, n);
    StxGroundPrior flat = prior;
    flat.slope = 0;
    long double a, b, residual = solve_line(cells, n, &flat, true, &a, &b);
    StxMoments moments = stx_moments(&s, false);
    StxGroundFit fit = stx_fit_ground(prior, moments);
    expect_residual(round, "residual", fit.residual, residual, squares_of(cells, n));
    long double free = solve_line(cells, n, &flat, false, &a, &b);
    expect_residual(round, "line", stx_line_residual(moments), free, squares_of(cells, n));
  }
}

/* A slanted object's mean is free, and its slope 0 on average. */
STX_TEST(slanted_fit_equals_least_squares)
{
  StxRandom random = {7};
  for (int round = 0; round < 20000; round++) {
    CaseCell cells[200], off[200];
    int n = 1 + stx_random_below(&random, round % 5 ? 40 : 200);
    int spacing = 2 + stx_random_below(&random, 16), start = stx_random_below(&random, 2000);
    int far = stx_random_below(&random, 20000), noise = 1 + stx_random_below(&random, 800);
    int steep = stx_random_below(&random, 80) - 40;
    StxGroundPrior prior = {0, 0, 0, 0.01f * (float)(1 + stx_random_below(&random, 100000000))};
    long double mean = 0, weight = 0;
    for (int i = 0; i < n; i++) {
      long double line = far + steep * i * spacing + stx_random_below(&random, noise);
      cells[i] = cell_of(&random, i, start + i * spacing, (int)fminl(fmaxl(line, 1), 65535));
      mean += cells[i].w * cells[i].d, weight += cells[i].w;
    }
    for (int i = 0; i < n; i++)
      off[i] = (CaseCell){cells[i].w, cells[i].x, cells[i].d - mean / weight};
    StxSegmentSums s = case_sum_cells(cells, n);
    long double a, b, residual = solve_line(off, n, &prior, true, &a, &b);
    StxMoments moments = stx_moments(&s, true);
    StxObjectFit fit = stx_fit_object(prior.lambda_slope, moments);
    expect_residual(round, "residual", fit.residual, residual, squares_of(off, n));
    expect_residual(round, "upright", stx_squares(moments), squares_of(off, n), squares_of(off, n));
    ck_assert_msg(fabsl(fit.mean - mean / weight) <= 0.01L, "round %d: mean", round);
    long double free = solve_line(off, n, &prior, false, &a, &b);
    expect_residual(round, "line", stx_line_residual(moments), free, squares_of(off, n));
  }
}

/* Without cells it has no disparity; with one it has that; and none below 1 or above the rest. */
STX_TEST(slanted_values_stay_in_their_range)
{
  StxSegmentSums none = {0}, cell = {7, 7 * 30, 7 * 900, 7 * 640, 7 * 30 * 640, 7 * 640 * 640, 0};
  StxObjectFit nothing = stx_fit_object(1, stx_moments(&none, true));
  ck_assert_float_eq(nothing.residual, 0);
  ck_assert_float_eq(stx_slanted_value(nothing, 100, 0, 5000), 0);
  StxObjectFit one = stx_fit_object(1, stx_moments(&cell, true));
  ck_assert_float_eq(one.slope, 0);
  ck_assert_float_eq(one.residual, 0);
  ck_assert_float_eq(stx_slanted_value(one, 9999, 7, 5000), 640);
  StxObjectFit line = {-2, 100, 800, 0};
  ck_assert_float_eq(stx_slanted_value(line, 100.2f, 1, 5000), 800);
  ck_assert_float_eq(stx_slanted_value(line, 100, 1, 700), 700);
  ck_assert_float_eq(stx_slanted_value(line, 500, 1, 700), 1);
  ck_assert_float_eq(stx_slanted_value(line, 60000, 1, 700), 1);
}

STX_TEST(fit_without_cells_is_the_prior)
{
  StxSegmentSums none = {0};
  StxGroundPrior prior = {12.5f, 345, 20, 4000};
  StxGroundFit fit = stx_fit_ground(prior, stx_moments(&none, false));
  ck_assert_float_eq(fit.slope, 12.5f);
  ck_assert_float_eq(fit.intercept, 0);
  ck_assert_float_eq(fit.residual, 0);
  ck_assert_float_eq(stx_line_residual(stx_moments(&none, false)), 0);
}

STX_TEST(rounds_to_nearest_ties_to_even)
{
  static const double cases[][2] = {{0.5, 0}, {1.5, 2}, {2.5, 2}, {-0.5, 0}, {-1.5, -2},
      {2.4999, 2}, {1e12 + 0.75, 1e12 + 1}, {-7.2, -7}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_double_eq(stx_round(cases[i][0]), cases[i][1]);
}

static const StxSpelling *spelling(void)
{
  return stx_fields_find(&stx_satdp_fields, "class-kinds")->spelling;
}

static StxSatdpParams good_params(void)
{
  StxSatdpParams params = STX_SATDP_DEFAULTS;
  params.grid = (StxGrid){64, 64, 8, 8, 19};
  return params;
}

STX_TEST(reads_names_and_numbers)
{
  static const struct {
    const char *text;
    uint32_t ground, sky;
    const char *written;
  } cases[] = {
      {"ground=road,1,9;sky=10", 1u << 0 | 1u << 1 | 1u << 9, 1u << 10,
          "ground=road,sidewalk,terrain;sky=sky"},
      {"sky=sky,31;ground=traffic light", 1u << 6, 1u << 10 | 1u << 31,
          "ground=traffic light;sky=sky,31"},
      {"ground=18,18", 1u << 18, 0, "ground=bicycle;sky="},
      {"ground=;sky=", 0, 0, "ground=;sky="},
      {"", 0, 0, "ground=;sky="},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSatdpParams params = good_params(), before = params;
    StxError error = {""};
    char text[STX_SPELLING_SIZE];
    ck_assert_msg(spelling()->read(cases[i].text, &params, &error), "%s", error.text);
    ck_assert_uint_eq(params.ground_classes, cases[i].ground);
    ck_assert_uint_eq(params.sky_classes, cases[i].sky);
    ck_assert(stx_satdp_check(&params, NULL));
    spelling()->write(&params, text);
    ck_assert_str_eq(text, cases[i].written);
    params.ground_classes = before.ground_classes, params.sky_classes = before.sky_classes;
    ck_assert_mem_eq(&params, &before, sizeof params);
  }
}

STX_TEST(writes_the_most_there_can_be)
{
  StxSatdpParams params = good_params();
  char text[STX_SPELLING_SIZE];
  params.ground_classes = params.sky_classes = UINT32_MAX;
  spelling()->write(&params, text);
  const char *sky = strstr(text, ";sky=road,sidewalk,");
  ck_assert_ptr_nonnull(sky);
  ck_assert_str_eq(sky + strlen(sky) - 3, ",31");
}

/* The words of the refusal; and what was read is refused by the check, too. */
STX_TEST(refuses_what_it_does_not_understand)
{
  static const char *const cases[][2] = {
      {"ground=road;sky=0", "class 0 (road) is ground and sky"},
      {"ground=30,31;sky=10,31", "class 31 (none) is ground and sky"},
      {"ground=32", "there is no class 32, must be a name of Cityscapes or 0 to 31"},
      {"ground=01", "there is no class 01"},
      {"ground=-1", "there is no class -1"},
      {"ground=,road", "there is no class ,"},
      {"ground=roads;sky=10", "there is no class roads"},
      {"ground=none", "there is no class none"},
      {"grass=9;sky=10", "class_kinds: grass=9, must be ground=CLASS,... or sky=CLASS,..."},
      {"ground", "class_kinds: ground, must be"},
      {"0,1,9", "class_kinds: 0,1,9, must be"},
      {";", "class_kinds: , must be"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSatdpParams params = good_params();
    StxError error = {""};
    ck_assert_msg(!spelling()->read(cases[i][0], &params, &error), "%s", cases[i][0]);
    stx_expect_words(&error, cases[i][1]);
    ck_assert(!stx_satdp_check(&params, &error));
    stx_expect_words(&error, i < 2 ? cases[i][1] : "class_kinds is not understood");
  }
}
