/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp's and fulldp's variants against their references, bit for bit, also from restricted start
 * rows. The references are proven in check_satdp_model.c and check_fulldp_model.c. Near things are
 * found by both, whatever the camera.
 */
#include "tests/common/fulldp/fulldp_case.h"
#include "tests/common/oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SATDP, FULLDP, ALGORITHMS };

static const struct {
  const StxImplTable *impls;
  Case *(*make)(StxSatdpParams params, const StxCamera *camera, const StxRoadLine *line);
  StxSatdpParams (*any)(StxRandom *random);
} algorithms[] = {{&stx_satdp_impls, new_case, random_params},
    {&stx_fulldp_impls, new_full_case, random_full_params}};

/* The rows at which stixels may begin. SOME: a density of 1 to 99 percent. UNEVEN: a density per
 * column, so that neighbours have none and all. TOP, LOWEST: one row of cells. RDP: as a line
 * simplification cuts. */
typedef enum { UNMASKED, NOWHERE, EVERYWHERE, SOME, UNEVEN, TOP, LOWEST, RDP, MASKS } Mask;

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

/* A case of algorithm `a`, filled and masked. */
static void expect_agreement(int a, Mask mask, StxSatdpParams params, const StxCamera *camera,
    const StxRoadLine *line, Filling filling, uint64_t seed)
{
  char what[160];
  StxRandom random = {seed};
  STX_AUTO(Case) *c = algorithms[a].make(params, camera, line);
  fill_case(c, filling, &random);
  if (mask != UNMASKED)
    allow(c, mask, &random);
  snprintf(what, sizeof what, "mask %d, %dx%d cells, %d classes, filling %d, seed %llu, %s", mask,
      stx_grid_columns(&params.grid), stx_grid_rows(&params.grid), params.grid.classes, filling,
      (unsigned long long)seed, line ? "ground" : "no ground");
  case_variants_agree(algorithms[a].impls, oracle(algorithms[a].impls), c, what);
}

/* Upright objects, and slanted ones where the algorithm has them. */
static void expect_agreements(int a, Mask mask, StxSatdpParams params, const StxRoadLine *line,
    Filling filling, uint64_t seed)
{
  expect_agreement(a, mask, params, &case_camera, line, filling, seed);
  params.object_sigma_slope = 0.3;
  if (a == SATDP)
    expect_agreement(a, mask, params, &case_camera, line, filling, seed);
}

STX_TEST_LOOP(variants_agree_on_every_filling_class_count_and_mask, ALGORITHMS)
{
  static const int classes[] = {0, 1, 19, 32};
  StxRoadLine line = {0.3, 40, 1};
  for (int mask = UNMASKED; mask < MASKS; mask += _i == SATDP ? 1 : 3)
    for (int filling = 0; filling < FILLINGS; filling++)
      for (int i = (mask + filling) % 3; i < 8;
           i += stx_test_small() ? 8 : 3) { /* others with each filling and mask */
        StxSatdpParams params = case_params(11, 45, 4, classes[i / 2]);
        params.grid.width -= 3;
        params.grid.height -= 1;
        params.grid.coarse = filling % 5;
        expect_agreements(
            _i, (Mask)mask, params, i % 2 ? &line : NULL, (Filling)filling, 10u + filling);
      }
}

STX_TEST_LOOP(variants_agree_on_every_number_of_columns_and_rows, ALGORITHMS)
{
  StxRoadLine line = {0.3, 20, 1};
  for (int mask = UNMASKED; mask < MASKS; mask += _i == SATDP ? 1 : 3)
    for (int n = 1; n <= 26; n += stx_test_small() ? 5 : 1) {
      StxSatdpParams wide = case_params(n, 30, 4, 3), high = case_params(7, n, 4, n % 2 ? 19 : 0);
      expect_agreements(_i, (Mask)mask, wide, &line, STREET, (uint64_t)n);
      expect_agreements(_i, (Mask)mask, high, &line, n % 3 ? STREET : HOLES, (uint64_t)n);
    }
}

/* The last has as much as a column can cost. */
STX_TEST_LOOP(variants_agree_on_high_columns, ALGORITHMS)
{
  static const struct {
    int algorithm;
    Mask mask;
    int columns, rows, cell, classes;
    Filling filling;
    double horizon, cost;
  } cases[] = {{SATDP, UNMASKED, 9, 1024, 1, 0, STREET, 400},
      {SATDP, SOME, 9, 1024, 1, 0, STREET, 400}, {SATDP, UNEVEN, 9, 1024, 1, 3, HOLES, 400},
      {SATDP, RDP, 9, 1024, 1, 0, STREET, 400}, {SATDP, RDP, 2, 1024, 1, 19, STREET, 400},
      {SATDP, UNEVEN, 3, 1024, 32, 0, EXTREME, 400}, {SATDP, UNMASKED, 2, 1024, 1, 19, STREET, 400},
      {FULLDP, UNMASKED, 9, 300, 1, 0, STREET, 150}, {FULLDP, SOME, 9, 300, 1, 0, HOLES, 150},
      {FULLDP, SOME, 1, 1024, 1, 0, STREET, 150}, {FULLDP, UNMASKED, 2, 250, 32, 3, EXTREME, 150},
      {SATDP, UNMASKED, 9, 1024, 1, 0, HOLES, 400}, {SATDP, UNMASKED, 2, 1024, 32, 0, EXTREME, 400},
      {SATDP, UNMASKED, 1, 1024, 1, 0, CONSTANT, 0},
      {SATDP, UNMASKED, 9, 1024, 1, 0, SKY, 1033, 1000}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0] - (stx_test_small() ? 4 : 0); i++) {
    int rows = stx_test_small() && cases[i].columns == 9 ? 100 : cases[i].rows;
    StxSatdpParams params = case_params(cases[i].columns, rows, cases[i].cell, cases[i].classes);
    StxRoadLine line = {0.2, cases[i].horizon, 1};
    if (cases[i].cost > 0) {
      params.horizon_cost = params.unknown_cost = cases[i].cost;
      params.sky_cost = 32;
    }
    if (cases[i].algorithm == _i)
      expect_agreements(
          _i, cases[i].mask, params, line.horizon > 0 ? &line : NULL, cases[i].filling, 5 + i);
  }
}

/* Exact pruning: thousands of columns under parameters from one end of their range to the other. */
STX_TEST_LOOP(pruning_changes_nothing, ALGORITHMS)
{
  static const Mask masks[] = {UNMASKED, UNMASKED, UNMASKED, SOME, UNEVEN, RDP};
  StxRandom random = {9};
  for (int round = 0; round < stx_rounds(_i == SATDP ? 250 : 150); round++) {
    StxSatdpParams params = algorithms[_i].any(&random);
    Filling fillings[] = {(Filling)(round % FILLINGS), STREET, HOLES};
    StxRoadLine line = tilted_road(&random, params.grid.height);
    if (stx_random_below(&random, 9) == 0)
      line = (StxRoadLine){64, line.horizon, 1};
    expect_agreement(_i, masks[stx_random_below(&random, 6)], params,
        stx_random_below(&random, 3) ? &case_camera : NULL,
        stx_random_below(&random, 5) ? &line : NULL, fillings[stx_random_below(&random, 3)],
        (uint64_t)round);
  }
}

/* Columns of a usual height under usual parameters, where holes, outliers, sky and objects compete.
 */
STX_TEST_LOOP(pruning_changes_nothing_around_holes, ALGORITHMS)
{
  StxRandom random = {10};
  for (int round = 0; round < stx_rounds(30); round++) {
    StxSatdpParams params = case_params(24, 40 + stx_random_below(&random, 50), 4, 0);
    StxRoadLine line = {0.3, stx_random_below(&random, params.grid.height), 1};
    params.unknown_cost = stx_random_below(&random, 16) / 4.0;
    params.sky_cost = stx_random_below(&random, 16) / 4.0;
    for (int kind = 0; kind < 3; kind++)
      params.outlier_share[kind] = (1 + stx_random_below(&random, 50)) / 100.0;
    expect_agreements(
        _i, UNMASKED, params, &line, _i == SATDP || round % 2 ? HOLES : STREET, (uint64_t)round);
  }
}

/* Slopes from likely to all but impossible: what an object's prior takes part in, and what not. */
STX_TEST(pruning_changes_nothing_on_slopes)
{
  static const double sigmas[] = {0.003, 0.01, 0.03, 0.1, 0.5, 100};
  StxRandom random = {12};
  for (int round = 0; round < stx_rounds(60); round++) {
    StxSatdpParams params = case_params(24, 30 + stx_random_below(&random, 60), 4, 0);
    StxRoadLine line = {0.3, stx_random_below(&random, params.grid.height), 1};
    params.object_sigma_slope = sigmas[round % 6];
    params.stixel_cost = stx_random_below(&random, 40) / 4.0;
    params.pair_slope = stx_random_below(&random, 3) / 10.0;
    expect_agreement(
        SATDP, UNMASKED, params, &case_camera, round % 3 ? &line : NULL, SLOPES, (uint64_t)round);
  }
}

/* ---- Start rows ---------------------------------------------------------------------------- */

/* A mask that allows every row is none. */
STX_TEST(all_starts_are_no_restriction)
{
  StxRandom random = {14};
  for (int round = 0; round < stx_rounds(60); round++) {
    StxSatdpParams params = random_params(&random);
    STX_EACH_IMPL (StxSatdpImpl, impl, &stx_satdp_impls) {
      STX_AUTO(Case) *c = new_case(params, &case_camera, &(StxRoadLine){0.3, 20, 1});
      StxSatdpResult wanted, result;
      fill_case(c, round % 2 ? STREET : HOLES, &random);
      STX_GUARDED StxStixel *expected = run_case(impl, c, 2, &wanted);
      case_starts(c, 100, &random);
      STX_GUARDED StxStixel *actual = run_case(impl, c, 2, &result);
      ck_assert_uint_eq(result.count, wanted.count);
      stx_expect_same(expected, actual, result.count * sizeof *actual, impl->info.name);
    }
  }
}

/* The number of pairs that an implementation computes. */
static uint64_t evaluated_by(const StxSatdpImpl *impl, const Case *c)
{
  StxSatdpResult result;
  stx_guarded_free(run_case(impl, c, 1, &result));
  return result.evaluated;
}

/* With m starts of h rows about m² candidates are left of h², here 1 of 100. */
STX_TEST(starts_leave_few_pairs)
{
  StxRandom random = {15};
  STX_AUTO(Case) *c =
      new_case(case_params(24, 200, 4, 0), &case_camera, &(StxRoadLine){0.3, 150, 1});
  fill_case(c, NOISE, &random);
  case_starts(c, 10, &random);
  STX_EACH_IMPL (StxSatdpImpl, impl, &stx_satdp_impls)
    ck_assert_uint_lt(evaluated_by(impl, c) * 50, 24u * 3 * 200 * 201 / 2);
}

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

STX_TEST(columns_without_starts_cost_nothing)
{
  StxRandom random = {16};
  STX_AUTO(Case) *one =
      new_case(case_params(1, 200, 4, 0), &case_camera, &(StxRoadLine){0.3, 150, 1});
  fill_case(one, STREET, &random);
  STX_AUTO(Case) *eight = new_sparse_case(one, &random);
  STX_EACH_IMPL (StxSatdpImpl, impl, &stx_satdp_impls)
    ck_assert_uint_le(evaluated_by(impl, eight), 8 * evaluated_by(impl, one));
}

/* ---- Statistics ---------------------------------------------------------------------------- */

STX_TEST_LOOP(results_count_pairs, ALGORITHMS)
{
  StxRandom random = {11};
  StxSatdpParams params = case_params(24, 100, 4, 0);
  STX_AUTO(Case) *c = algorithms[_i].make(params, &case_camera, &(StxRoadLine){0.3, 150, 1});
  fill_case(c, STREET, &random);
  uint64_t pairs = stx_satdp_pairs(&params.grid, true);
  ck_assert_uint_eq(pairs, 24u * 3 * 100 * 101 / 2);
  STX_EACH_IMPL (StxSatdpImpl, impl, algorithms[_i].impls) {
    StxSatdpResult result;
    stx_guarded_free(run_case(impl, c, 2, &result));
    ck_assert_uint_eq(result.reserved, 0);
    if (impl == oracle(algorithms[_i].impls))
      ck_assert_uint_eq(result.evaluated, pairs);
    else
      ck_assert_msg(result.evaluated > 0 && result.evaluated * (_i == SATDP ? 2 : 1) < pairs,
          "%s: pruning left %llu of %llu pairs", impl->info.name,
          (unsigned long long)result.evaluated, (unsigned long long)pairs);
  }
}

/* ---- Coarse steps --------------------------------------------------------------------------- */

/* Parameters in pixels of disparity, converted to steps that are 2^coarse times as large. */
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
  STX_AUTO(Case) *fine = new_case(params, &camera, &line);
  fill_case(fine, filling, &random);
  camera.baseline *= 1 << coarse;
  STX_AUTO(Case) *c = new_case(in_coarse_pixels(params, coarse), &camera, &coarse_line);
  memcpy(c->columns, fine->columns, stx_grid_bytes(&params.grid));
  STX_GUARDED StxStixel *expected = run_case(satdp_reference(), fine, 1, &result[0]);
  STX_GUARDED StxStixel *actual = run_case(satdp_reference(), c, 1, &result[1]);
  ck_assert_int_eq(result[0].count, result[1].count);
  for (uint32_t i = 0; i < result[0].count; i++) {
    expected[i].disparity_top *= (float)(1 << coarse);
    expected[i].disparity_bottom *= (float)(1 << coarse);
  }
  stx_expect_same(expected, actual, result[0].count * sizeof *expected, "coarse steps");
}

/* The same cells in steps of a 2^coarse-th as many pixels. */
STX_TEST(coarse_steps_are_another_unit)
{
  for (int filling = 0; filling < FILLINGS; filling++)
    for (int coarse = 1; coarse <= STX_GRID_MAX_COARSE; coarse++) {
      StxSatdpParams params = case_params(11, 45, 4, 0);
      params.sigma_disparity[1] = 0.75;
      params.object_sigma_slope = filling % 2 ? 0.3 : 0;
      expect_unit(params, (Filling)filling, coarse);
    }
}

/* ---- Near things --------------------------------------------------------------------------- */

/* A thing of `near` pixels in front of a wall eight times as far: in the lower half of one column,
 * and in the middle third of the next. */
static Case *near_thing(int a, const StxCamera *camera, double near, double share)
{
  StxSatdpParams params = STX_SATDP_DEFAULTS;
  params.grid = (StxGrid){16, 480, 8, 8, 0};
  while (near * 256 / (1 << params.grid.coarse) > 65535)
    params.grid.coarse++;
  Case *c = algorithms[a].make(params, camera, NULL);
  double step = stx_grid_pixel(&params.grid);
  for (int column = 0; column < 2; column++)
    for (int row = 0; row < 60; row++) {
      bool thing = column == 0 ? row >= 30 : row >= 20 && row < 40;
      double d = (thing ? near : near / 8) * 256 / step;
      stx_column(&params.grid, c->columns, 0, column)[row] = (uint16_t)d;
      stx_column(&params.grid, c->columns, 1, column)[row] = (uint16_t)(share * STX_WEIGHT_ONE);
    }
  return c;
}

static void expect_near_thing(int a, const StxCamera *camera, double near, double share)
{
  StxSatdpResult result;
  STX_AUTO(Case) *c = near_thing(a, camera, near, share);
  const StxImplTable *impls = algorithms[a].impls;
  STX_GUARDED StxStixel *stixels = run_case(oracle(impls), c, 1, &result);
  int found[2] = {0, 0};
  for (uint32_t i = 0; i < result.count; i++) {
    const StxStixel *s = &stixels[i];
    bool here = s->kind == STX_KIND_OBJECT && s->top <= 248 && s->bottom >= 304;
    double wrong = fabs((double)s->disparity_top - near) + fabs((double)s->disparity_bottom - near);
    found[s->column] += here && wrong < 0.1 * near;
  }
  ck_assert_msg(found[0] == 1 && found[1] == 1,
      "algorithm %d, f %g px, B %g m: a thing of %g px and confidence %g, below %s, in the middle "
      "%s",
      a, camera->focal, camera->baseline, near, sqrt(share), found[0] ? "found" : "lost",
      found[1] ? "found" : "lost");
}

/* From an endoscope to a rig on a roof, at each distance that has a disparity. Sure cells, and such
 * as are known with a tenth of that weight. */
STX_TEST(a_near_thing_is_found_whatever_the_camera)
{
  static const StxCamera cameras[] = {{.focal = 1000, .baseline = 0.0045},
      {.focal = 385, .baseline = 0.018}, {.focal = 385, .baseline = 0.05},
      {.focal = 700, .baseline = 0.12}, {.focal = 721, .baseline = 0.54},
      {.focal = 2200, .baseline = 0.2}, {.focal = 1000, .baseline = 2}};
  for (size_t i = 0; i < sizeof cameras / sizeof cameras[0]; i++)
    for (int a = 0; a < ALGORITHMS; a++)
      for (double near = 2; near <= 512; near *= 1.25992104989) {
        expect_near_thing(a, &cameras[i], near, 1);
        if (near >= 8)
          expect_near_thing(a, &cameras[i], near, 0.1);
      }
}
