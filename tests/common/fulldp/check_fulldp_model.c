/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp's reference, proven without another implementation: what a cell costs against Eq. 6, the
 * dynamic programme against all segmentations, and a column that a person can work out. What it
 * shares with satdp is proven there.
 */
#include "tests/common/fulldp/fulldp_case.h"

#include "common/fulldp/fulldp_math.h"

#include <math.h>
#include <stdlib.h>

/* ---- What a cell costs ---------------------------------------------------------------------- */

/* Sigma of a cell in pixels, as satdp.c states it, for case_camera. */
static double sigma_of(
    const StxSatdpParams *p, const StxRoadLine *line, int kind, double row, double disparity)
{
  double depth =
      disparity * disparity * p->sigma_depth / (case_camera.focal * case_camera.baseline);
  double height = line->slope * (row - line->horizon) * p->sigma_height / case_camera.height;
  double angle = case_camera.focal * line->slope * p->sigma_angle;
  double own = p->sigma_disparity[kind - 1];
  return kind == STX_KIND_GROUND   ? sqrt(own * own + height * height + angle * angle)
         : kind == STX_KIND_OBJECT ? sqrt(own * own + depth * depth)
                                   : own;
}

/* The cheaper branch of Eq. 6, in nats: an outlier, or c·r/sigma off. */
static double branch_of(const StxSatdpParams *p, int kind, double sigma, double square)
{
  double share = p->outlier_share[kind - 1], inside = kind == STX_KIND_SKY ? 0.5 : 1;
  double outlier = log(p->outlier_range / share);
  return fmin(outlier, log(inside * sigma * sqrt(M_PI) / (1 - share)) + square);
}

/* Within what folding rounds: weights to 1/2047 of the largest, disparities to bins. */
STX_TEST(a_cell_costs_what_the_mixture_says)
{
  StxRandom random = {1};
  for (int round = 0; round < 3000; round++) {
    StxRoadLine line = {0.3, 5, 1};
    StxSatdpParams p = case_params(1, 20, 8, 0);
    for (int kind = 0; kind < 3; kind++)
      p.outlier_share[kind] = 0.02 + stx_random_below(&random, 80) / 100.0;
    p.outlier_range = 16 + stx_random_below(&random, 200);
    STX_AUTO(Case) *c = new_full_case(p, &case_camera, &line);
    int kind = 1 + stx_random_below(&random, 3), u = stx_random_below(&random, 20);
    double d = 100 + stx_random_below(&random, kind == STX_KIND_SKY ? 800 : 20000), share = 0.5;
    double off = stx_random_below(&random, 1200), weight = floor(STX_WEIGHT_ONE * share);
    StxCell cell = stx_cell(&c->tables, (StxKind)kind, u, (uint32_t)weight, (uint32_t)d);
    double got = cell.flat +
                 (double)stx_mixture_energy((float)d, (float)(d - off), cell.precision, cell.cap);
    double sigma = sigma_of(&p, &line, kind, c->tables.x[u] / 2.0, d / 256);
    double wanted = branch_of(&p, kind, sigma, share * off * off / 65536 / sigma / sigma);
    ck_assert_msg(fabs(got / 1024 - wanted) < 0.03 + 0.02 * fabs(wanted),
        "kind %d, %g off at %g: %g, not %g", kind, off / 256, d / 256, got / 1024, wanted);
  }
}

STX_TEST(energies_stay_within_their_bounds)
{
  StxRandom random = {2};
  for (int round = 0; round < 200; round++) {
    STX_AUTO(Case) *c =
        new_full_case(random_full_params(&random), &case_camera, &(StxRoadLine){0.3, 20, 1});
    const StxMixture *m = &c->tables.mixture;
    for (int bin = 0; bin < 1024; bin++) {
      ck_assert(m->object_cap[bin] >= 0 && m->object_cap[bin] < 1 << 14);
      ck_assert(abs(m->object_flat[bin]) < 1 << 14);
    }
    for (int u = 0; u < c->tables.rows; u++) {
      ck_assert(m->ground_cap[u] >= 0 && m->ground_cap[u] < 1 << 14);
      ck_assert(abs(m->ground_flat[u]) < 1 << 14);
    }
    ck_assert(m->sky_cap >= 0 && m->sky_cap < 1 << 14 && abs(m->sky_flat) < 1 << 14);
  }
}

/* A sigma as large as the range of the outliers: every disparity is a wrong one. */
STX_TEST(without_bounds_every_cell_is_wrong)
{
  StxSatdpParams params = case_params(1, 20, 8, 0);
  params.outlier_range = 2;
  params.sigma_depth = 100;
  STX_AUTO(Case) *c = new_full_case(params, &case_camera, &(StxRoadLine){0.3, 20, 1});
  ck_assert_int_eq(c->tables.mixture.object_flat[1023], (int)(log(2 / 0.15) * 1024 + 0.5));
  ck_assert_int_eq(c->tables.mixture.object_cap[1023], 0);
  ck_assert_int_gt(c->tables.mixture.object_cap[0], 0);
}

STX_TEST(lines_are_rounded_and_limited)
{
  STX_AUTO(Case) *c = new_full_case(case_params(1, 9, 8, 0), &case_camera, NULL);
  ck_assert_float_eq_tol(c->tables.mixture.steepest, 1048576.0 / (2 * 64 + 1), 0.01f);
  StxCellLine line = stx_cell_line((StxGroundFit){2, 10, 0}, 100, 400, 50);
  ck_assert_float_eq(stx_line_value(line, 0), 610);
  ck_assert_float_eq(stx_line_value(line, -100), 410);
  line = stx_cell_line((StxGroundFit){-1e7f, 1e9f, 0}, 0, 1, 50);
  ck_assert_float_eq(line.slope, -50);
  ck_assert_float_eq(line.start, 262144);
  ck_assert_float_eq(stx_round_float(2.5f), 2);
  ck_assert_float_eq(stx_round_float(3.5f), 4);
  ck_assert_float_eq(stx_mixture_energy(1000, 1010, 0.5f, 70), 50);
  ck_assert_float_eq(stx_mixture_energy(1000, 990, 0.5f, 40), 40);
}

/* The cost of the prior is the least sum of squares less the cost of the cells. */
STX_TEST(the_prior_is_charged_for_the_plane)
{
  StxRandom random = {3};
  for (int round = 0; round < 300; round++) {
    StxGroundPrior prior = {12, 100, 400, 90000};
    StxSegmentSums s = {0};
    double cells = 0;
    int n = 1 + stx_random_below(&random, 9), d[9];
    for (int i = 0; i < n; i++) {
      int x = 200 + 8 * i;
      d[i] = 1000 + stx_random_below(&random, 2000);
      int off = stx_deviation(prior.slope, prior.horizon_x, x, (uint32_t)d[i]);
      s.w += 100, s.x += 100 * x, s.xx += 100 * x * x, s.d += 100 * off;
      s.xd += 100LL * x * off, s.dd += 100LL * off * off;
    }
    StxGroundFit fit = stx_fit_ground(prior, stx_moments(&s, false));
    for (int i = 0; i < n; i++)
      cells += 100 * pow(d[i] - fit.slope * (200 + 8 * i - 100) - fit.intercept, 2);
    ck_assert_double_eq_tol((double)stx_plane_residual(prior, fit) * 0.01 + cells * 0.01,
        (double)fit.residual * 0.01, 1);
  }
}

/* ---- All segmentations ---------------------------------------------------------------------- */

/* The energy of cells vb … vt as one stixel, one after the other. */
static double part_of(const Case *c, int column, int kind, int vb, int vt)
{
  const StxSatdpTables *t = &c->tables;
  StxSegment segment = {vb, vt, (StxKind)kind, 0};
  StxSegmentSums s = stx_segment_sums(&c->params.grid, t, c->columns, column, &segment);
  StxGroundFit fit = {
      0, kind == STX_KIND_OBJECT && s.w > 0 ? nearbyintf((float)s.d / (float)s.w) : 0, 0};
  uint32_t lowest = stx_column(&c->params.grid, c->columns, 0, column)[t->rows - 1];
  double sum = vb == 0 && kind == STX_KIND_OBJECT ? stx_first_object(t, lowest) : 0;
  if (kind == STX_KIND_GROUND) {
    fit = stx_fit_ground(stx_ground_prior(t, 0), stx_moments(&s, false));
    sum = stx_data_energy(stx_plane_residual(stx_ground_prior(t, 0), fit), t->residual_energy);
  }
  for (int u = vb; u <= vt; u++) {
    uint32_t d = stx_column(&c->params.grid, c->columns, 0, column)[t->rows - 1 - u];
    uint32_t w = stx_column(&c->params.grid, c->columns, 1, column)[t->rows - 1 - u];
    StxCell cell = stx_cell(t, (StxKind)kind, u, w, d);
    double off = d - (double)fit.slope * (t->x[u] - t->horizon_x) - (double)fit.intercept;
    sum += cell.flat + (d > 0 ? fmin(cell.cap, nearbyint(off * off * (double)cell.precision)) : 0);
    if (d == 0 && kind != STX_KIND_SKY) /* and surely sky */
      sum += floor(w * floor(c->params.sky_cost * 1024 / STX_WEIGHT_ONE * 65536 + .5) / 65536 + .5);
    uint32_t above = 0;
    for (int k = u + 1; k < t->rows && above == 0; k++)
      above = stx_column(&c->params.grid, c->columns, 0, column)[t->rows - 1 - k];
    sum += d == 0 && kind == STX_KIND_OBJECT && above < t->road[u] ? t->hidden : 0;
  }
  return sum;
}

/* The least energy of cells vb … rows − 1, where pair costs and horizon cost nothing. */
static double cheapest(const Case *c, int column, int vb, int below)
{
  double least = vb == c->tables.rows ? 0 : INFINITY;
  for (int kind = c->tables.has_ground ? 1 : 2; kind <= 3; kind++) {
    if (below == STX_KIND_SKY && kind != STX_KIND_OBJECT)
      continue;
    for (int vt = vb; vt < c->tables.rows; vt++) {
      double own = part_of(c, column, kind, vb, vt) + (vb > 0 ? c->tables.stixel_cost : 0);
      least = fmin(least, own + cheapest(c, column, vt + 1, kind));
    }
  }
  return least;
}

/* A cell's square may round to the other side in float. */
static void expect_least_energy(const Case *c)
{
  size_t i = 0;
  StxSatdpResult result;
  STX_GUARDED StxStixel *stixels = run_case(fulldp_reference(), c, 1, &result);
  for (int column = 0; column < stx_grid_columns(&c->params.grid); column++) {
    double energy = 0, least = cheapest(c, column, 0, 0);
    for (; i < result.count && stixels[i].column == column; i++)
      energy += stixels[i].cost * 1024.0;
    ck_assert_msg(fabs(energy - least) <= c->tables.rows, "column %d: energy %.0f, least %.0f",
        column, energy, least);
  }
}

/* Everything meets. */
STX_TEST(equals_brute_force_over_all_segmentations)
{
  StxRandom random = {4};
  static const Filling fillings[] = {STREET, SPARSE, HOLES, UNKNOWN};
  for (int round = 0; round < 120; round++) {
    int rows = round == 0 ? 10 : 1 + stx_random_below(&random, 7);
    StxSatdpParams params = case_params(3, rows, 4, 0);
    params.pair_cost = params.pair_slope = params.horizon_cost = params.unknown_cost = 0;
    params.pair_tolerance = 255;
    params.stixel_cost = stx_random_below(&random, 12) / 2.0;
    params.outlier_share[1] = (1 + stx_random_below(&random, 80)) / 100.0;
    StxRoadLine line = {0.1 + round % 5 / 10.0, stx_random_below(&random, 20) - 4, 1};
    STX_AUTO(Case) *c = new_full_case(params, &case_camera, round % 3 ? &line : NULL);
    fill_case(c, fillings[round % 4], &random);
    expect_least_energy(c);
  }
}

/* ---- A literal column ------------------------------------------------------------------------ */

/* An object of 10 px with one wrong cell of 50 px. sigma = 1 px, certain cells: ln(√π / 0.85) =
 * 0.7349 for a good one; ln(128 / 0.15) = 6.7491 for a bad one. The plane is the mean, 14 px, and
 * all ten are 4 px or more off: 16 nats each would be, if they were not wrong disparities: 6.7491.
 * Three stixels instead cost 2 · 6 and, the middle one being nearer, 0.5 + 0.1 · 40. */
STX_TEST(literal_object_with_an_outlier)
{
  StxSatdpParams params = case_params(1, 10, 4, 0);
  params.sigma_disparity[0] = params.sigma_disparity[1] = params.sigma_disparity[2] = 1;
  STX_AUTO(Case) *c = new_full_case(params, NULL, NULL);
  StxSatdpResult result;
  for (int row = 0; row < 10; row++) {
    stx_column(&params.grid, c->columns, 0, 0)[row] = row == 4 ? 50 * 256 : 10 * 256;
    stx_column(&params.grid, c->columns, 1, 0)[row] = STX_WEIGHT_ONE;
  }
  STX_GUARDED StxStixel *stixels = run_case(fulldp_reference(), c, 1, &result);
  ck_assert_uint_eq(result.count, 3);
  ck_assert_float_eq_tol(stixels[0].cost, 5 * 0.7349f, 0.01f);
  ck_assert_float_eq_tol(stixels[1].cost, 0.7349f + 6 + 4.5f, 0.01f);
  ck_assert_float_eq_tol(stixels[2].cost, 4 * 0.7349f + 6, 0.01f);
  ck_assert_int_eq(stixels[1].top, 16);
  ck_assert_int_eq(stixels[1].bottom, 19);
}
