/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* satdp's closed fits against a plain solver, and what they are without cells. */
#include "tests/common/satdp/satdp_case.h"

#include <math.h>

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

START_TEST(fit_equals_least_squares)
{
  StxRandom random = {1};
  for (int round = 0; round < 5000; round++) {
    CaseCell cells[40];
    int n = 1 + stx_random_below(&random, 40), spacing = 2 + stx_random_below(&random, 16);
    int start = stx_random_below(&random, 2000), steep = stx_random_below(&random, 40);
    StxGroundPrior prior = {steep, start - stx_random_below(&random, 2000),
        0.01 + stx_random_below(&random, 3000), 1.0 + stx_random_below(&random, 1000000)};
    for (int i = 0; i < n; i++) {
      long double line = fmaxl(prior.slope * (start + i * spacing - prior.horizon_x), 0);
      cells[i] = (CaseCell){stx_random_below(&random, 3) ? stx_random_below(&random, 2048) : 0,
          start + i * spacing, fminl(floorl(line) + stx_random_below(&random, 800), 65535)};
    }
    StxSegmentSums s = case_sum_cells(cells, n);
    long double a, b, residual = solve_line(cells, n, &prior, true, &a, &b);
    StxGroundFit fit = case_fit_ground(&s, prior);
    long double tolerance = 1e-7L * residual + 1; /* 1e5 units are one energy */
    ck_assert_msg(fabsl(fit.residual - residual) <= tolerance, "round %d: residual %g, not %Lg",
        round, fit.residual, residual);
    ck_assert_msg(fabsl(fit.slope - b) <= 1e-6L * (fabsl(b) + 1), "round %d: slope", round);
    ck_assert_msg(fabsl(fit.intercept - a) <= 1e-6L * (fabsl(a) + 100), "round %d: %g not %Lg",
        round, fit.intercept, a);
    long double free_residual = solve_line(cells, n, &prior, false, &a, &b);
    double bound = stx_line_residual(
        prior, (double)s.w, (double)s.x, (double)s.xx, (double)s.d, (double)s.xd, (double)s.dd);
    ck_assert_msg(fabsl(bound - free_residual) <= 1e-7L * free_residual + 1,
        "round %d: line %g, not %Lg", round, bound, free_residual);
  }
}
END_TEST

/* A slanted object's intercept is free, and its slope 0 on average. */
START_TEST(slanted_fit_equals_least_squares)
{
  StxRandom random = {7};
  for (int round = 0; round < 5000; round++) {
    CaseCell cells[40];
    int n = 1 + stx_random_below(&random, 40), spacing = 2 + stx_random_below(&random, 16);
    int start = stx_random_below(&random, 2000), far = stx_random_below(&random, 20000);
    int steep = stx_random_below(&random, 80) - 40, noise = 1 + stx_random_below(&random, 800);
    StxGroundPrior prior = {0, 0, 0, 0.01 * (1 + stx_random_below(&random, 100000000))};
    for (int i = 0; i < n; i++) {
      long double line = far + steep * i * spacing + stx_random_below(&random, noise);
      cells[i] = (CaseCell){
          stx_random_below(&random, 3) || i == 0 ? stx_random_below(&random, 2047) + 1 : 0,
          start + i * spacing, fminl(fmaxl(line, 1), 65535)};
    }
    StxSegmentSums s = case_sum_cells(cells, n);
    long double a, b, residual = solve_line(cells, n, &prior, true, &a, &b);
    StxObjectFit fit = stx_fit_object(prior.lambda_slope, (double)s.w, (double)s.x, (double)s.xx,
        (double)s.d, (double)s.xd, (double)s.dd);
    ck_assert_msg(fabsl(fit.residual - residual) <= 1e-7L * residual + 1,
        "round %d: residual %g, not %Lg", round, fit.residual, residual);
    ck_assert_msg(fabsl(fit.slope - b) <= 1e-6L * (fabsl(b) + 1), "round %d: slope", round);
    ck_assert_msg(fabsl(fit.intercept - a) <= 1e-6L * (fabsl(a) + 100), "round %d: %g not %Lg",
        round, fit.intercept, a);
    long double free_residual = solve_line(cells, n, &prior, false, &a, &b);
    double bound = stx_slanted_free_residual(
        (double)s.w, (double)s.x, (double)s.xx, (double)s.d, (double)s.xd, (double)s.dd);
    ck_assert_msg(fabsl(bound - free_residual) <= 1e-7L * free_residual + 1,
        "round %d: line %g, not %Lg", round, bound, free_residual);
  }
}
END_TEST

/* Without cells it has no disparity; with one it has that; and none below 1 or above the rest. */
START_TEST(slanted_values_stay_in_their_range)
{
  StxObjectFit nothing = stx_fit_object(1, 0, 0, 0, 0, 0, 0);
  ck_assert_double_eq(nothing.residual, 0);
  ck_assert_double_eq(stx_slanted_value(nothing, 100, 0, 5000), 0);
  StxObjectFit one = stx_fit_object(1, 7, 7 * 30, 7 * 900, 7 * 640, 7 * 30 * 640, 7 * 640 * 640);
  ck_assert_double_eq(one.slope, 0);
  ck_assert_double_eq(one.residual, 0);
  ck_assert_double_eq(stx_slanted_value(one, 9999, 7, 5000), 640);
  StxObjectFit line = {-2, 1000, 0};
  ck_assert_double_eq(stx_slanted_value(line, 100.2, 1, 5000), 800);
  ck_assert_double_eq(stx_slanted_value(line, 100, 1, 700), 700);
  ck_assert_double_eq(stx_slanted_value(line, 500, 1, 700), 1);
  ck_assert_double_eq(stx_slanted_value(line, 60000, 1, 700), 1);
}
END_TEST

START_TEST(fit_without_cells_is_the_prior)
{
  StxGroundPrior prior = {12.5, 345, 20, 4000};
  StxGroundFit fit = stx_fit_ground(prior, 0, 0, 0, 0, 0, 0);
  ck_assert_double_eq(fit.slope, 12.5);
  ck_assert_double_eq(fit.intercept, 0);
  ck_assert_double_eq(fit.residual, 0);
  ck_assert_double_eq(stx_line_residual(prior, 0, 0, 0, 0, 0, 0), 0);
}
END_TEST

START_TEST(rounds_to_nearest_ties_to_even)
{
  static const double cases[][2] = {{0.5, 0}, {1.5, 2}, {2.5, 2}, {-0.5, 0}, {-1.5, -2},
      {2.4999, 2}, {1e12 + 0.75, 1e12 + 1}, {-7.2, -7}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_double_eq(stx_round(cases[i][0]), cases[i][1]);
}
END_TEST

static const StxTest tests[] = {{&fit_equals_least_squares}, {&slanted_fit_equals_least_squares},
    {&slanted_values_stay_in_their_range}, {&fit_without_cells_is_the_prior},
    {&rounds_to_nearest_ties_to_even}};
STX_TESTING_MAIN("satdp_fit", tests)
