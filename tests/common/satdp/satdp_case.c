/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/oracle.h"
#include "tests/common/satdp/satdp_case.h"

#include "common/rdp/rdp.h"
#include "common/satdp/satdp_explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const StxCamera case_camera = {.focal = 700, .baseline = 0.5, .height = 1.6};

StxSatdpParams case_params(int columns, int rows, int cell, int classes)
{
  StxSatdpParams params = STX_SATDP_DEFAULTS;
  params.grid = (StxGrid){columns * cell, rows * cell, cell, cell, classes};
  params.stixel_cost = classes > 0 ? 10 : 6;
  params.sigma_disparity[0] = 1;
  params.sigma_disparity[1] = 1.2;
  params.sigma_disparity[2] = 3;
  params.sigma_height = 0.05;
  params.sigma_angle = 0.005;
  params.ground_sigma_intercept = 10;
  params.ground_sigma_slope = 0.5;
  params.object_sigma_slope = 0;
  params.first_object_cost = params.first_sky_cost = 0;
  params.pair_cost = 0.5;
  params.pair_tolerance = 1;
  params.horizon_cost = 2;
  params.unknown_cost = 0.5;
  return params;
}

static double pick(StxRandom *random, double low, double usual, double high)
{
  int choice = stx_random_below(random, 8);
  return choice == 0   ? low
         : choice == 1 ? high
                       : usual * (0.25 + stx_random_below(random, 8) / 4.0);
}

StxSatdpParams random_params(StxRandom *random)
{
  static const int classes[] = {0, 0, 2, 19};
  StxSatdpParams p = case_params(1 + stx_random_below(random, 20), 1 + stx_random_below(random, 64),
      1 + stx_random_below(random, 9), classes[stx_random_below(random, 4)]);
  p.stixel_cost = pick(random, 0, 6, 1000);
  p.semantic_weight = pick(random, 0, 1, 16);
  for (int i = 0; i < 3; i++)
    p.sigma_disparity[i] = pick(random, 0.0625, 1, 64);
  p.sigma_weight = pick(random, 0, 1, 16);
  p.sigma_height = pick(random, 0, 0.05, 10);
  p.sigma_angle = pick(random, 0, 0.005, 1);
  p.sigma_depth = pick(random, 0, 0.05, 100);
  p.ground_sigma_intercept = pick(random, 0.01, 10, 10000);
  p.ground_sigma_slope = pick(random, 0.01, 0.5, 100);
  p.object_sigma_slope = stx_random_below(random, 2) ? pick(random, 1e-300, 0.3, 100) : 0;
  p.pair_cost = pick(random, 0, 0.5, 1000);
  p.pair_slope = pick(random, 0, 0.1, 100);
  p.pair_tolerance = pick(random, 0, 1, 255);
  p.horizon_cost = pick(random, 0, 2, 1000);
  p.unknown_cost = pick(random, 0, 0.5, 1000);
  p.first_object_cost = pick(random, 0, 2, 1000);
  p.first_sky_cost = pick(random, 0, 2, 1000);
  p.sky_cost = pick(random, 0, 1.5, 32);
  p.change_cost = pick(random, 0, 1, 4);
  p.raised_cost = pick(random, 0, 4, 32);
  return p;
}

StxRoadLine random_road(StxRandom *random, int height)
{
  StxRoadLine line = {
      0.02 + stx_random_below(random, 60) / 100.0, stx_random_below(random, height + 1) - 9, 1};
  double row = height - 1, slope = line.slope;
  for (int i = 0; i < STX_ROAD_BENDS && stx_random_below(random, 2); i++) {
    double end = stx_roadline_end(&line);
    row -= (row - fmax(end, -height)) * (1 + stx_random_below(random, 8)) / 10;
    slope *= 0.1 + stx_random_below(random, 30) / 10.0;
    if (!(stx_roadline_at(&line, row) > 0))
      break;
    line.bend[line.bends++] = (StxRoadBend){row, slope};
  }
  return line;
}

StxRoadLine tilted_road(StxRandom *random, int height)
{
  StxRoadLine line = random_road(random, height);
  line.tilt = (stx_random_below(random, 61) - 30) / 100.0;
  line.centre = stx_random_below(random, 100) - 20;
  return line;
}

Case *new_case(StxSatdpParams params, const StxCamera *cam, const StxRoadLine *line)
{
  Case *c = calloc(1, sizeof *c);
  StxError error = {""};
  c->params = params;
  if (line != NULL)
    c->line = *line;
  ck_assert_msg(stx_satdp_prepare(&c->params, cam, line, &c->tables, &error), "%s", error.text);
  c->columns = stx_guarded_alloc(stx_grid_bytes(&c->params.grid));
  return c;
}

void free_case(Case *c)
{
  stx_guarded_free(c->columns);
  if (c->starts != NULL)
    stx_guarded_free(c->starts);
  if (c->prior != NULL)
    stx_guarded_free(c->prior);
  free(c);
}

static size_t most_stixels(const Case *c)
{
  return (size_t)stx_grid_columns(&c->params.grid) * stx_grid_rows(&c->params.grid);
}

void case_starts(Case *c, int percent, StxRandom *random)
{
  static const uint8_t allowed[] = {1, 0x80, 0xFF}; /* anything but 0 */
  size_t cells = most_stixels(c);
  if (c->starts == NULL)
    c->starts = stx_guarded_alloc(cells);
  for (size_t i = 0; i < cells; i++)
    c->starts[i] =
        stx_random_below(random, 100) < percent ? allowed[stx_random_below(random, 3)] : 0;
}

void case_prior(Case *c, StxRandom *random)
{
  size_t cells = most_stixels(c);
  c->params.prior = c->prior = stx_guarded_alloc(cells);
  for (size_t i = 0; i < cells; i++) {
    int raised = stx_random_below(random, 2) * STX_SATDP_RAISED;
    c->prior[i] = i > 0 && stx_random_below(random, 5)
                      ? c->prior[i - 1]
                      : (uint8_t)(stx_random_below(random, 4) + raised);
  }
}

void case_starts_from_rdp(Case *c, int epsilon)
{
  const StxRdpImpl *rdp = oracle(&stx_rdp_impls);
  StxRdpParams params = {.grid = c->params.grid, .epsilon = epsilon};
  if (c->starts == NULL)
    c->starts = stx_guarded_alloc(most_stixels(c));
  STX_GUARDED void *scratch = stx_guarded_alloc(rdp->scratch_size(&params, 1));
  StxRdpResult ignored;
  rdp->run(
      &params, c->columns, NULL, c->starts, &ignored, scratch, &(StxPlace){.threads = 1}, NULL);
}

bool case_may_begin(const Case *c, int column, int u)
{
  size_t rows = (size_t)c->tables.rows;
  return u == 0 || c->starts == NULL || c->starts[column * rows + rows - 1 - u] != 0;
}

StxStixel *run_case(const StxSatdpImpl *impl, const Case *c, int threads, StxSatdpResult *result)
{
  StxStixel *stixels = stx_guarded_alloc(most_stixels(c) * sizeof *stixels);
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(&c->params, threads));
  ck_assert(impl->run(&c->params, &c->tables, c->tables.has_ground, c->columns, c->starts, stixels,
      result, scratch, &(StxPlace){.threads = threads}, NULL));
  stx_guarded_check(stixels);
  stx_guarded_check(c->columns);
  if (c->starts != NULL)
    stx_guarded_check(c->starts);
  if (c->prior != NULL)
    stx_guarded_check(c->prior);
  return stixels;
}

void check_case(StxSatdpParams params, const StxCamera *camera, const StxRoadLine *line,
    Filling filling, uint64_t seed, void (*check)(const Case *c, const char *what))
{
  char what[160];
  StxRandom random = {seed};
  STX_AUTO(Case) *c = new_case(params, camera, line);
  fill_case(c, filling, &random);
  snprintf(what, sizeof what, "%dx%d cells, %d classes, filling %d, seed %llu, %s",
      stx_grid_columns(&params.grid), stx_grid_rows(&params.grid), params.grid.classes, filling,
      (unsigned long long)seed, line ? "ground" : "no ground");
  check(c, what);
}

StxSegmentSums case_sum_cells(const CaseCell *cells, int n)
{
  StxSegmentSums s = {0};
  for (int i = 0; i < n; i++) {
    int64_t w = (int64_t)cells[i].w, x = (int64_t)cells[i].x, d = (int64_t)cells[i].d;
    s.w += w;
    s.x += w * x;
    s.xx += w * x * x;
    s.d += w * d;
    s.xd += w * x * d;
    s.dd += w * d * d;
  }
  return s;
}

StxGroundFit case_fit_ground(const StxSegmentSums *s, StxGroundPrior prior)
{
  return stx_fit_ground(prior, stx_moments(s, false));
}

const StxSatdpImpl *satdp_reference(void)
{
  return oracle(&stx_satdp_impls);
}

/* Twice the image rows by which the road of a column lies lower than that of the middle one. */
static double drop_of(const Case *c, double column)
{
  int width = c->params.grid.cell_width;
  return 2 * c->line.tilt * (column * width + (width - 1) / 2.0 - c->line.centre);
}

double case_horizon(const Case *c, int column)
{
  return 2 * c->line.horizon + drop_of(c, column);
}

int case_road_cell(const Case *c, int column, int u)
{
  double cells = drop_of(c, column - column % 8 + 3.5) / (2 * c->params.grid.cell_height);
  return (int)fmin(fmax(u + nearbyint(cells), 0), c->tables.rows - 1);
}

/* ---- Fillings ----------------------------------------------------------------------------- */

static void fill_street(const Case *c, int column, StxRandom *random)
{
  const StxGrid *grid = &c->params.grid;
  int rows = stx_grid_rows(grid), foot = stx_random_below(random, rows + 1);
  int head = stx_random_below(random, foot + 1), class = stx_random_below(random, 32);
  int noise = 1 + stx_random_below(random, 300);
  double slope = c->tables.ground_slope, horizon = case_horizon(c, column);
  for (int row = 0; row < rows; row++) {
    double x = c->tables.x[rows - 1 - (row < foot ? foot - (foot > 0) : row)];
    double road = c->line.bends > 0 ? 256 * stx_roadline_at(&c->line, (x - drop_of(c, column)) / 2)
                                    : slope * (x - horizon);
    double d = row < head ? stx_random_below(random, 200) : road;
    int label = row < head ? 10 : row < foot ? class : 0;
    d += stx_random_below(random, 2 * noise) - noise;
    if (stx_random_below(random, 12) == 0)
      d = stx_random_below(random, 20000);
    bool known = stx_random_below(random, 8) > 0 && d >= 1;
    stx_column(grid, c->columns, 0, column)[row] = known ? (uint16_t)fmin(d, 65535) : 0;
    stx_column(grid, c->columns, 1, column)[row] =
        known ? (uint16_t)(STX_WEIGHT_ONE - stx_random_below(random, 60000)) : 0;
    for (int k = 0; k < grid->classes; k++)
      stx_column(grid, c->columns, 2 + k, column)[row] =
          (uint16_t)(k == label % grid->classes || stx_random_below(random, 20) == 0
                         ? stx_random_below(random, 400)
                         : STX_CLASS_COST_MAX);
  }
}

/* Makes the cells [from, to) unknown. A weight may stay: so sure it is that they are sky. */
static void punch(const Case *c, int column, int from, int to, StxRandom *random)
{
  for (int row = from; row < to; row++) {
    stx_column(&c->params.grid, c->columns, 0, column)[row] = 0;
    if (stx_random_below(random, 4) > 0)
      stx_column(&c->params.grid, c->columns, 1, column)[row] = 0;
  }
}

static void punch_holes(const Case *c, int column, StxRandom *random)
{
  int rows = stx_grid_rows(&c->params.grid);
  if (stx_random_below(random, 4) > 0)
    punch(c, column, 0, stx_random_below(random, rows / 2 + 1), random);
  for (int hole = stx_random_below(random, 4); hole > 0; hole--) {
    int from = stx_random_below(random, rows), left = rows - from;
    punch(c, column, from, from + stx_random_below(random, left < 16 ? left + 1 : 17), random);
  }
}

static void fill_slopes(const Case *c, int column, StxRandom *random)
{
  const StxGrid *grid = &c->params.grid;
  int rows = stx_grid_rows(grid), left = 0, noise = 1 + stx_random_below(random, 60);
  double d = 0, step = 0;
  for (int row = 0; row < rows; row++, left--, d += step) {
    if (left == 0) {
      left = 1 + stx_random_below(random, 90);
      d = 300 + stx_random_below(random, 12000);
      step = (stx_random_below(random, 401) - 200) * (stx_random_below(random, 4) / 4.0);
    }
    double cell = d + stx_random_below(random, noise);
    bool known = stx_random_below(random, 20) > 0;
    stx_column(grid, c->columns, 0, column)[row] = known ? (uint16_t)fmin(fmax(cell, 1), 65535) : 0;
    stx_column(grid, c->columns, 1, column)[row] =
        (uint16_t)(STX_WEIGHT_ONE - stx_random_below(random, 9) * 4000);
    for (int k = 0; k < grid->classes; k++)
      stx_column(grid, c->columns, 2 + k, column)[row] = (uint16_t)(k * 100 % STX_CLASS_COST_MAX);
  }
}

static uint16_t filling_value(Filling filling, int channel, StxRandom *random)
{
  switch (filling) {
  case NOISE:
    return (uint16_t)stx_random(random);
  case SPARSE:
    return stx_random_below(random, 3) ? 0 : (uint16_t)stx_random_below(random, 4000);
  case CONSTANT:
    return channel == 0 ? 5120 : channel == 1 ? STX_WEIGHT_ONE : (uint16_t)(channel * 100);
  case SKY:
    return channel == 0   ? 0
           : channel == 1 ? 0xFFFF
                          : (uint16_t)stx_random_below(random, STX_CLASS_COST_MAX + 1);
  case EXTREME:
    return stx_random_below(random, 2) ? 0xFFFF : (uint16_t)stx_random_below(random, 2);
  default:
    return 0;
  }
}

void fill_case(const Case *c, Filling filling, StxRandom *random)
{
  const StxGrid *grid = &c->params.grid;
  int rows = stx_grid_rows(grid);
  for (int column = 0; column < stx_grid_columns(grid); column++) {
    bool street = filling == STREET || filling == HOLES, made = street || filling == SLOPES;
    if (street)
      fill_street(c, column, random);
    if (filling == SLOPES)
      fill_slopes(c, column, random);
    if (filling == HOLES)
      punch_holes(c, column, random);
    for (int channel = 0; channel < 2 + grid->classes && !made; channel++)
      for (int row = 0; row < rows; row++)
        stx_column(grid, c->columns, channel, column)[row] =
            filling_value(filling, channel, random);
  }
}

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
    int u = stx_satdp_piece(grid, &stixels[i]).first;
    ck_assert_msg(case_may_begin(c, column, u), "a stixel of column %d begins at %d", column, u);
    ck_assert(stixels[i].kind >= STX_KIND_GROUND && stixels[i].kind <= STX_KIND_SKY);
    ck_assert(stixels[i].confidence >= 0 && stixels[i].confidence <= 1);
    ck_assert(isfinite(stixels[i].disparity_top) && isfinite(stixels[i].disparity_bottom));
    bottom = stixels[i].top - 1;
  }
  ck_assert_int_eq(bottom, -1);
  ck_assert_int_eq(column, stx_grid_columns(grid) - 1);
}

void case_variants_agree(
    const StxImplTable *impls, const StxSatdpImpl *reference, const Case *c, const char *what)
{
  static const int threads[] = {1, 2, 7};
  StxSatdpResult wanted, result;
  STX_GUARDED StxStixel *expected = run_case(reference, c, 1, &wanted);
  expect_partition(c, expected, wanted.count);
  STX_EACH_IMPL (StxSatdpImpl, impl, impls) {
    if (impl == reference)
      continue;
    for (int t = 0; t < 3; t++) {
      char text[256];
      snprintf(text, sizeof text, "%s, %d threads: %s", impl->info.name, threads[t], what);
      STX_GUARDED StxStixel *actual = run_case(impl, c, threads[t], &result);
      ck_assert_msg(
          result.count == wanted.count, "%s: %u stixels, not %u", text, result.count, wanted.count);
      stx_expect_same(expected, actual, result.count * sizeof *actual, text);
    }
  }
}
