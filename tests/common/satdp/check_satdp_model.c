/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp's reference, proven without another implementation: the dynamic programme against all
 * segmentations, also with restricted start rows; and the exact one of satdp_explain.h, whose
 * energy may be less. The fits: check_satdp_tables.c; literal columns: check_satdp_literal.c.
 */
#include "common/satdp/satdp_explain.h"
#include "tests/common/satdp/satdp_case.h"

#include <math.h>

/* ---- Brute force --------------------------------------------------------------------------- */

/* The energy of a segment by itself, cell by cell, and its values at both ends. */
typedef struct {
  double energy, foot, top;
} Part;

static double part_semantics(const Case *c, int column, int kind, int vb, int vt)
{
  const StxSatdpParams *p = &c->params;
  double least = INFINITY;
  for (int k = 0; k < p->grid.classes; k++) {
    int own = p->ground_classes >> k & 1 ? 1 : p->sky_classes >> k & 1 ? 3 : 2;
    double sum = 0;
    const uint16_t *cost = stx_column(&p->grid, c->columns, 2 + k, column);
    for (int u = vb; u <= vt; u++)
      sum += floor(cost[c->tables.rows - 1 - u] * floor(p->semantic_weight * 256 + .5) / 256 + .5);
    if (own == kind && sum < least)
      least = sum;
  }
  return isinf(least) ? 0 : least;
}

/* The disparity of a case's road at an image row, px: a line, and a ramp from each bend up. */
static double road_at(const StxRoadLine *line, double row)
{
  double d = line->slope * (row - line->horizon);
  for (int i = 0; i < line->bends; i++) {
    double before = i == 0 ? line->slope : line->bend[i - 1].slope;
    d += (line->bend[i].slope - before) * fmin(row - line->bend[i].row, 0);
  }
  return d;
}

/* The increase of the disparity per row of pixels. */
static double slope_at(const StxRoadLine *line, double row)
{
  double slope = line->slope;
  for (int i = 0; i < line->bends; i++)
    slope = row < line->bend[i].row ? line->bend[i].slope : slope;
  return slope;
}

/* Ground: 1 px and a tenth from a road that is less than half as steep as near. */
static bool is_off_road(const Case *c, double row, double disparity)
{
  double road = fmax(road_at(&c->line, row), 0) * 256, off = 256 + road / 10;
  return slope_at(&c->line, row) < c->line.slope / 2 && disparity > 0 &&
         (disparity < floor(fmax(road - off, 0)) || disparity > floor(road + off));
}

static double part_horizon(const Case *c, int column, int kind, int vb, int vt)
{
  double cost = 0;
  for (int u = vb; u <= vt && c->tables.has_ground; u++) {
    double row = c->tables.x[case_road_cell(c, column, u)] / 2.0, d = road_at(&c->line, row);
    double near = c->line.slope * (row - c->line.horizon);
    int cell = stx_column(&c->params.grid, c->columns, 0, column)[c->tables.rows - 1 - u];
    if (kind == STX_KIND_GROUND)
      cost += (d < 0) + is_off_road(c, row, cell);
    else if (kind == STX_KIND_SKY)
      cost += d > 0 || near > 0;
  }
  return cost * floor(c->params.horizon_cost * 1024 + .5);
}

/* The next known disparity above, or 0. */
static double next_above(const Case *c, int column, int row)
{
  const uint16_t *disparity = stx_column(&c->params.grid, c->columns, 0, column);
  while (--row >= 0)
    if (disparity[row] != 0)
      return disparity[row];
  return 0;
}

/* Units of 2^-16 per unit of weight, rounded, are how exact the evidence for sky is. */
static double part_unknown(const Case *c, int column, int kind, int vb, int vt)
{
  double sum = 0, scale = floor(c->params.sky_cost * 1024 / STX_WEIGHT_ONE * 65536 + .5);
  for (int u = vb; u <= vt && kind != STX_KIND_SKY; u++) {
    int row = c->tables.rows - 1 - u;
    if (stx_column(&c->params.grid, c->columns, 0, column)[row] != 0)
      continue;
    sum += floor(stx_column(&c->params.grid, c->columns, 1, column)[row] * scale / 65536 + .5);
    double y = c->tables.x[case_road_cell(c, column, u)] / 2.0;
    if (c->tables.has_ground && road_at(&c->line, y) < 0 && y < c->line.horizon)
      sum += floor(c->params.unknown_cost * 1024 + .5);
    if (c->tables.has_ground && kind == STX_KIND_OBJECT &&
        next_above(c, column, row) < floor(256 * road_at(&c->line, y) + .5))
      sum += floor(STX_SATDP_HIDDEN * 1024 + .5);
  }
  return sum;
}

/* The logarithm of the noise of every known cell; check_satdp.c has the tables. */
static double part_noise(const Case *c, int column, int kind, int vb, int vt)
{
  double sum = 0;
  for (int u = vb; u <= vt; u++) {
    uint32_t d = stx_column(&c->params.grid, c->columns, 0, column)[c->tables.rows - 1 - u];
    int32_t noise = kind == STX_KIND_GROUND   ? c->tables.noise_ground[case_road_cell(c, column, u)]
                    : kind == STX_KIND_OBJECT ? c->tables.noise_object[d / 64]
                                              : c->tables.noise_sky;
    sum += d > 0 ? noise : 0;
  }
  return sum;
}

/* The cost of being the lowest stixel, in whole nats of the parameters. */
static double part_first(const Case *c, int column, int kind, int vb)
{
  uint32_t d = stx_column(&c->params.grid, c->columns, 0, column)[c->tables.rows - 1];
  double hidden = c->tables.has_ground && d == 0;
  const double cost[] = {0, c->params.first_object_cost + hidden, c->params.first_sky_cost};
  return vb == 0 ? cost[kind - STX_KIND_GROUND] * 1024 : 0;
}

static double largest_above(const Case *c, int column, int vb)
{
  double largest = 0;
  for (int u = vb; u < c->tables.rows; u++)
    largest =
        fmax(largest, stx_column(&c->params.grid, c->columns, 0, column)[c->tables.rows - 1 - u]);
  return largest;
}

static double slanted_end(const StxObjectFit *fit, double x, double largest)
{
  double value = (double)fit->slope * (x - (double)fit->centre) + (double)fit->mean;
  return fmin(fmax(nearbyint(value), 1), largest);
}

static Part slanted_part(const Case *c, const StxSegmentSums *s, int vb, int vt, double largest)
{
  double one = 2047 * pow(fmin(fmin(c->params.sigma_disparity[0], c->params.sigma_disparity[1]),
                              c->params.sigma_disparity[2]),
                          2);
  double lambda = fmin(one / pow(c->params.object_sigma_slope / 2, 2), pow(2, 60));
  StxObjectFit fit = stx_fit_object((float)lambda, stx_moments(s, true));
  return (Part){(double)fit.residual, slanted_end(&fit, c->tables.cut[vb], largest),
      slanted_end(&fit, c->tables.cut[vt + 1], largest)};
}

static Part part_of(const Case *c, int column, int kind, int vb, int vt)
{
  const StxSatdpTables *t = &c->tables;
  CaseCell cells[16];
  for (int u = vb; u <= vt; u++) {
    uint32_t d = stx_column(&c->params.grid, c->columns, 0, column)[t->rows - 1 - u];
    uint32_t w = stx_column(&c->params.grid, c->columns, 1, column)[t->rows - 1 - u];
    uint32_t scale = kind == STX_KIND_GROUND   ? t->ground_scale[case_road_cell(c, column, u)]
                     : kind == STX_KIND_OBJECT ? t->object_scale[d / 64]
                                               : t->sky_scale;
    uint32_t folded = (w * scale + 32768) / 65536;
    int off = (int)d;
    if (kind == STX_KIND_GROUND && d > 0)
      off = stx_deviation(t->ground_slope, stx_column_horizon(t, column), t->x[u], d);
    cells[u - vb] = (CaseCell){!d ? 0 : w > 0 && folded == 0 ? 1 : folded, t->x[u], off};
  }
  StxSegmentSums s = case_sum_cells(cells, vt - vb + 1);
  Part part = {(double)s.dd, 0, 0};
  if (kind == STX_KIND_GROUND) {
    StxGroundFit fit = case_fit_ground(&s, stx_ground_prior(t, column));
    double horizon = case_horizon(c, column);
    double slope = (double)fit.slope, at = (double)fit.intercept;
    part = (Part){(double)fit.residual, nearbyint(slope * (t->cut[vb] - horizon) + at),
        nearbyint(slope * (t->cut[vt + 1] - horizon) + at)};
  } else if (kind == STX_KIND_OBJECT && s.w > 0 && c->params.object_sigma_slope > 0) {
    part = slanted_part(c, &s, vb, vt, largest_above(c, column, vb));
  } else if (kind == STX_KIND_OBJECT && s.w > 0) {
    part.foot = part.top = nearbyint((double)s.d / (double)s.w);
    part.energy = (double)stx_squares(stx_moments(&s, true));
  }
  part.energy = nearbyint((double)((float)part.energy * t->residual_energy)) +
                part_horizon(c, column, kind, vb, vt) + part_unknown(c, column, kind, vb, vt) +
                part_first(c, column, kind, vb) + part_noise(c, column, kind, vb, vt) +
                part_semantics(c, column, kind, vb, vt);
  return part;
}

/* Extra energy of `above` standing on `below`, as the table in satdp.h; < 0: forbidden. */
static double pair_of(const Case *c, int kind_below, double below, int kind_above, double above)
{
  double alpha = floor(c->params.pair_cost * 1024 + .5), beta = c->params.pair_slope * 1024 / 256;
  double tolerance = floor(c->params.pair_tolerance * 256 + .5), gap = above - below;
  bool meet = fabs(gap) <= tolerance;
  switch (10 * kind_below + kind_above) {
  case 11:
    return meet ? 0 : alpha;
  case 12:
    return meet || above == 0 ? 0 : alpha + nearbyint(beta * fabs(gap));
  case 13:
    return below <= tolerance ? alpha : -1;
  case 21:
    return below != 0 && gap > tolerance ? -1 : 0;
  case 22:
    return below != 0 && gap > 0 ? alpha + nearbyint(beta * gap) : 0;
  case 23:
  case 32:
    return 0;
  default:
    return -1;
  }
}

/* The least energy over all segmentations of cells vb … rows − 1 on top of a given stixel. */
static double cheapest(
    const Case *c, int column, int vb, int kind_below, double below, double so_far, double best)
{
  if (vb == c->tables.rows)
    return so_far < best ? so_far : best;
  for (int kind = c->tables.has_ground ? 1 : 2; kind <= 3; kind++)
    for (int vt = vb; vt < c->tables.rows; vt++) {
      if (vt + 1 < c->tables.rows && !case_may_begin(c, column, vt + 1))
        continue;
      Part part = part_of(c, column, kind, vb, vt);
      double pair = vb == 0 ? 0 : pair_of(c, kind_below, below, kind, part.foot);
      double more = part.energy + pair + (vb > 0 ? c->tables.stixel_cost : 0);
      if (pair >= 0 && so_far + more < best)
        best = cheapest(c, column, vt + 1, kind, part.top, so_far + more, best);
    }
  return best;
}

static const Filling fillings[] = {STREET, SPARSE, HOLES, SLOPES};
enum { MOST_ROWS = 16 };

/* Energy of each column as the records tell it, which is exact: energies are far below 2^24. Where
 * pairs look at planes the records' may be above the least. Returns for how many columns it is. */
static int compare_with_all(const Case *c, bool exact, const char *what)
{
  size_t i = 0;
  int above = 0;
  StxSatdpResult result;
  StxSatdpPiece pieces[MOST_ROWS];
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_satdp_least_scratch(&c->params.grid));
  STX_GUARDED StxStixel *stixels = run_case(satdp_reference(), c, 1, &result);
  for (int column = 0; column < stx_grid_columns(&c->params.grid); column++) {
    int count;
    double energy = 0, least = cheapest(c, column, 0, 0, 0, 0, INFINITY);
    for (; i < result.count && stixels[i].column == column; i++)
      energy += stixels[i].cost * 1024.0;
    above += energy > least;
    ck_assert_msg(exact ? energy >= least : energy == least,
        "%s, column %d: energy %.0f, least %.0f", what, column, energy, least);
    if (exact)
      ck_assert_double_eq(
          stx_satdp_least(&c->params, &c->tables, c->columns, column, pieces, &count, scratch),
          least);
  }
  return above;
}

static void expect_least_energy(const Case *c, const char *what)
{
  compare_with_all(c, false, what);
}

/* The defaults but for cheaper stixels and lowest ones, so that a few cells become several. */
STX_TEST(the_exact_recurrence_finds_the_least_energy)
{
  StxRandom random = {31};
  int above = 0;
  for (int round = 0; round < 600; round++) {
    int cell = 4 + stx_random_below(&random, 5);
    StxSatdpParams params = STX_SATDP_DEFAULTS;
    params.first_object_cost = params.first_sky_cost = 0;
    params.grid = (StxGrid){3 * cell, (1 + round % 8) * cell, cell, cell, round % 4 ? 0 : 19};
    params.stixel_cost = 1 + stx_random_below(&random, 12) / 2.0;
    params.object_sigma_slope *= stx_random_below(&random, 2);
    StxRoadLine line = random_road(&random, params.grid.height);
    STX_AUTO(Case) *c = new_case(params, &case_camera, round % 5 ? &line : NULL);
    fill_case(c, fillings[stx_random_below(&random, 4)], &random);
    above += compare_with_all(c, true, "planes that cost");
  }
  ck_assert_int_gt(above, 0);
  ck_assert_int_le(above, 12);
}

/* Pair costs that do not look at planes: everything meets. */
STX_TEST(equals_brute_force_over_all_segmentations)
{
  StxRandom random = {2};
  static const int classes[] = {0, 19, 3};
  for (int round = 0; round < 60; round++) {
    StxSatdpParams params =
        case_params(3, 1 + round % 8, 1 + stx_random_below(&random, 8), classes[round % 3]);
    params.pair_cost = params.pair_slope = 0;
    params.pair_tolerance = 255;
    params.stixel_cost = stx_random_below(&random, 12) / 2.0;
    params.horizon_cost = stx_random_below(&random, 3) / 2.0;
    params.unknown_cost = stx_random_below(&random, 6) / 2.0;
    params.first_object_cost = stx_random_below(&random, 12) / 2.0;
    params.first_sky_cost = stx_random_below(&random, 6) / 2.0;
    params.sigma_weight = stx_random_below(&random, 4) / 2.0;
    params.object_sigma_slope = stx_random_below(&random, 3) / 2.0;
    params.sky_cost = stx_random_below(&random, 7) / 2.0;
    StxRoadLine line = tilted_road(&random, params.grid.height);
    STX_AUTO(Case) *c = new_case(params, &case_camera, round % 5 ? &line : NULL);
    fill_case(c, fillings[round / 3 % 4], &random);
    expect_least_energy(c, "planes apart");
  }
}

/* One more, of ten rows, where every kind occurs. */
STX_TEST(equals_brute_force_on_ten_rows)
{
  StxRandom random = {3};
  StxSatdpParams params = case_params(2, 10, 8, 0);
  params.pair_cost = params.pair_slope = 0;
  params.pair_tolerance = 255;
  STX_AUTO(Case) *c = new_case(params, &case_camera, &(StxRoadLine){0.4, 30, 1});
  fill_case(c, STREET, &random);
  expect_least_energy(c, "ten rows");
}

/* More rows, of which some are allowed: none, few, most, all. */
STX_TEST(equals_brute_force_from_allowed_starts)
{
  StxRandom random = {5};
  static const int classes[] = {0, 19, 3}, percents[] = {0, 15, 30, 60, 100};
  for (int round = 0; round < 150; round++) {
    int percent = percents[round % 5], most = percent < 60 ? 14 : 7;
    StxSatdpParams params = case_params(4, 1 + stx_random_below(&random, most),
        1 + stx_random_below(&random, 8), classes[round % 3]);
    params.pair_cost = params.pair_slope = 0;
    params.pair_tolerance = 255;
    params.stixel_cost = stx_random_below(&random, 12) / 2.0;
    StxRoadLine line = tilted_road(&random, params.grid.height);
    STX_AUTO(Case) *c = new_case(params, &case_camera, round % 4 ? &line : NULL);
    fill_case(c, fillings[round / 5 % 4], &random);
    case_starts(c, percent, &random);
    expect_least_energy(c, "allowed starts");
  }
}
