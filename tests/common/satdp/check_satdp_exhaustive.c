/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The distance of the recurrences of satdp and fulldp from the least energy. Small columns: every
 * segmentation is tried, with the energies of satdp.h, with those of the model, in plain double and
 * with weights that nothing rounds, and with those of fulldp.h. Prints what docs/evaluation.md says
 * of it, as CSV.
 */
#include "common/fulldp/fulldp_math.h"
#include "common/satdp/satdp_explain.h"
#include "tests/common/fulldp/fulldp_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 8, KINDS = 3, CASES = 1600, COLUMNS = 3 };
#define OBJECT_BIN_SHARE 0.005 /* of an object's weight, for case_camera */

/* A stixel by itself: its energy, of that its data term, and its plane's values at both cuts. */
typedef struct {
  double energy, data, foot, top;
} Part;

typedef double PairOf(const Case *c, int below, double top, int above, double foot);

/* All stixels of a column, and what they cost each other; energies in 1/1024 nat. */
typedef struct {
  const Case *c;
  Part part[KINDS][ROWS][ROWS]; /* kind, first, last */
  PairOf *pair;
} Model;

/* A segmentation: of each stixel its last cell and kind. */
typedef struct {
  int count, last[ROWS], kind[ROWS];
  double energy;
} Segmentation;

/* Tries every segmentation that begins like this one. */
static void try_all(const Model *m, Segmentation *tried, Segmentation *least)
{
  int count = tried->count, first = count > 0 ? tried->last[count - 1] + 1 : 0;
  double so_far = tried->energy;
  if (first == m->c->tables.rows && tried->energy < least->energy)
    *least = *tried;
  for (int kind = 0; kind < KINDS; kind++)
    for (int last = first; last < m->c->tables.rows; last++) {
      const Part *part = &m->part[kind][first][last];
      int below = count > 0 ? tried->kind[count - 1] : 0;
      int begin = count > 1 ? tried->last[count - 2] + 1 : 0;
      tried->energy = so_far + part->energy;
      if (first > 0)
        tried->energy +=
            m->pair(m->c, below, m->part[below][begin][first - 1].top, kind, part->foot);
      tried->last[count] = last;
      tried->kind[count] = kind;
      tried->count = count + 1;
      if (tried->energy < STX_SATDP_IMPOSSIBLE)
        try_all(m, tried, least);
      tried->count = count;
    }
  tried->energy = so_far;
}

static Segmentation least_of(const Model *m)
{
  Segmentation tried = {0}, least = {.energy = INFINITY};
  try_all(m, &tried, &least);
  return least;
}

/* ---- As it is implemented -------------------------------------------------------------------- */

static double pair_as_implemented(const Case *c, int below, double top, int above, double foot)
{
  return stx_satdp_pair(&c->tables, (StxKind)(STX_KIND_GROUND + below), top,
      (StxKind)(STX_KIND_GROUND + above), foot);
}

/* A data term in place of the implemented one. */
typedef double DataTerm(
    const Case *c, int column, const StxSatdpPiece *piece, const StxSatdpTerms *terms);

/* data: NULL for the implemented one */
static void fill_parts(
    Model *m, const Case *c, const StxSatdpParams *params, int column, DataTerm *data)
{
  m->c = c;
  m->pair = pair_as_implemented;
  for (int kind = 0; kind < KINDS; kind++)
    for (int first = 0; first < c->tables.rows; first++)
      for (int last = first; last < c->tables.rows; last++) {
        StxSatdpPiece piece = {first, last, (StxKind)(STX_KIND_GROUND + kind)};
        StxSatdpTerms terms = stx_satdp_terms(params, &c->tables, c->columns, column, &piece);
        if (data != NULL)
          terms.data = data(c, column, &piece, &terms);
        m->part[kind][first][last] =
            (Part){stx_satdp_sum(&terms), terms.data, terms.foot, terms.top};
      }
}

static void fill_as_implemented(Model *m, const Case *c, int column)
{
  fill_parts(m, c, &c->params, column, NULL);
}

/* ---- With weights that nothing rounds -------------------------------------------------------- */

/* A known cell: image row, disparity and 1/variance, pixels; the last as it is and as it is folded,
 * and by how much these may differ. */
typedef struct {
  double y, d, w, folded, slack;
} Cell;

static double square(double x)
{
  return x * x;
}

/* Confidence over sigma, squared. */
static double weight_of(const Case *c, int kind, double y, double d, double confidence)
{
  const StxSatdpParams *p = &c->params;
  double slope = stx_roadline_slope(&c->line, y), own = square(p->sigma_disparity[kind]);
  double height = stx_roadline_at(&c->line, y) * p->sigma_height / case_camera.height;
  double depth = d * d * p->sigma_depth / (case_camera.focal * case_camera.baseline);
  if (kind == 0)
    own +=
        square(height * slope / c->line.slope) + square(case_camera.focal * slope * p->sigma_angle);
  if (kind == 0 && c->line.slope <= 3 * p->object_sigma_slope)
    own = fmax(own, square(p->sigma_disparity[1]));
  return confidence / (kind == 1 ? own + square(depth) : own);
}

/* 1/variance of a folded weight of 1. */
static double unit_of(const Case *c)
{
  const double *sigma = c->params.sigma_disparity;
  return 1 / (STX_FOLDED_MAX * square(fmin(fmin(sigma[0], sigma[1]), sigma[2])));
}

static uint32_t scale_of(const Case *c, int kind, int u, uint32_t d)
{
  return kind == 0   ? c->tables.ground_scale[u]
         : kind == 1 ? c->tables.object_scale[d >> STX_OBJECT_BIN]
                     : c->tables.sky_scale;
}

/* Less than a unit is off: half of one for the weight, less than half for the scale. And an
 * object's depth counts as that of its bin's middle. */
static int cells_of(const Case *c, int column, int kind, int first, int last, Cell *cells)
{
  int count = 0;
  double unit = unit_of(c);
  for (int u = first; u <= last; u++) {
    int row = c->tables.rows - 1 - u;
    uint32_t d = stx_column(&c->params.grid, c->columns, 0, column)[row];
    uint32_t weight = stx_column(&c->params.grid, c->columns, 1, column)[row];
    double y = c->tables.x[u] / 2.0, own = d / 256.0;
    if (d == STX_DISPARITY_UNKNOWN)
      continue;
    Cell *cell = &cells[count++];
    *cell = (Cell){y, own, weight_of(c, kind, y, own, weight / (double)STX_WEIGHT_ONE),
        unit * stx_fold(weight, scale_of(c, kind, u, d), d), unit};
    if (kind == 1)
      cell->slack += cell->w * OBJECT_BIN_SHARE;
    ck_assert_double_le(fabs(cell->folded - cell->w), cell->slack);
  }
  return count;
}

/* value(y) = slope · y + intercept. `slack` is Σ slack · r². */
typedef struct {
  double slope, intercept, energy, slack;
} Line;

/*
 * The least of Σ w·r² + (b − slope)²·prior_b + a²·prior_a over lines b·(y − horizon) + a, from the
 * two equations that its derivatives are, of deviations from slope·(y − horizon).
 */
static Line fit(
    const Cell *cells, int n, double slope, double horizon, double prior_a, double prior_b)
{
  double w = prior_a, x = 0, xx = prior_b, r = 0, xr = 0;
  for (int i = 0; i < n; i++) {
    double y = cells[i].y - horizon, off = cells[i].d - slope * y;
    w += cells[i].w;
    x += cells[i].w * y;
    xx += cells[i].w * y * y;
    r += cells[i].w * off;
    xr += cells[i].w * y * off;
  }
  double b = w * xx - x * x > 0 ? (w * xr - x * r) / (w * xx - x * x) : 0;
  double a = w > 0 ? (r - x * b) / w : 0;
  Line line = {slope + b, a - (slope + b) * horizon, b * b * prior_b + a * a * prior_a, 0};
  for (int i = 0; i < n; i++) {
    double off = cells[i].d - line.slope * cells[i].y - line.intercept;
    line.energy += cells[i].w * off * off;
    line.slack += cells[i].slack * off * off;
  }
  return line;
}

/* An upright object has a slope that costs too much; the sky is a line of value 0. */
static Line line_of(const Case *c, int kind, const Cell *cells, int n)
{
  const StxSatdpParams *p = &c->params;
  double mean = 0;
  for (int i = 0; i < n; i++)
    mean += cells[i].y / n; /* far from it the equations lose digits */
  if (kind == 0)
    return fit(cells, n, c->line.slope, c->line.horizon, 1 / square(p->ground_sigma_intercept),
        1 / square(p->ground_sigma_slope * c->line.slope));
  if (kind == 1)
    return fit(
        cells, n, 0, mean, 0, p->object_sigma_slope > 0 ? 1 / square(p->object_sigma_slope) : 1e12);
  return fit(cells, n, 0, mean, 1e12, 1e12);
}

static double value_at(const Case *c, int column, int kind, int first, const Line *line, double y)
{
  double value = line->slope * y + line->intercept, most = 0;
  for (int u = first; u < c->tables.rows; u++)
    most = fmax(
        most, stx_column(&c->params.grid, c->columns, 0, column)[c->tables.rows - 1 - u] / 256.0);
  if (kind == 1 && c->params.object_sigma_slope > 0)
    value = fmin(fmax(value, 1 / 256.0), most);
  return 256 * value;
}

/* α, β and the tolerance as the parameters have them. */
static double pair_of_model(const Case *c, int below, double top, int above, double foot)
{
  const StxSatdpParams *p = &c->params;
  double gap = (foot - top) / 256, alpha = 1024 * p->pair_cost, beta = 1024 * p->pair_slope;
  bool apart = fabs(gap) > p->pair_tolerance;
  switch (10 * below + above) {
  case 0:
    return apart ? alpha : 0;
  case 1:
    return apart && foot != 0 ? alpha + beta * fabs(gap) : 0;
  case 2:
    return top > 256 * p->pair_tolerance ? STX_FORBIDDEN : alpha;
  case 10:
    return top != 0 && gap > p->pair_tolerance ? STX_FORBIDDEN : 0;
  case 11:
    return top != 0 && gap > 0 ? alpha + beta * gap : 0;
  default:
    return below == 2 && above != 1 ? STX_FORBIDDEN : 0;
  }
}

/* The most that moving each cell by half of 1/256 px adds to the energy of a plane. */
static double moved(int kind, const Cell *cells, int n, double energy)
{
  double most = 0;
  for (int i = 0; i < n && kind == 0; i++)
    most += (cells[i].w + cells[i].slack) * square(0.52 / 256);
  return 2 * sqrt(energy * most) + most;
}

/* On no plane do the weights, and the expected ground that is rounded, make more of a difference
 * than this, so not on the best either. */
static Line expect_bound(const Case *c, int kind, const Cell *cells, int n, double implemented)
{
  Cell folded[ROWS];
  for (int i = 0; i < n; i++) {
    folded[i] = cells[i];
    folded[i].w = cells[i].folded;
  }
  Line wanted = line_of(c, kind, cells, n), line = line_of(c, kind, folded, n);
  wanted.slack += moved(kind, cells, n, wanted.energy + wanted.slack);
  line.slack += moved(kind, cells, n, line.energy + line.slack);
  double off = implemented - 1024 * wanted.energy;
  ck_assert_msg(off <= 1024 * wanted.slack + 1 && -off <= 1024 * line.slack + 1,
      "kind %d, %d cells: data term %.0f, of the model %g, may differ by %g or %g", kind, n,
      implemented, 1024 * wanted.energy, 1024 * wanted.slack, 1024 * line.slack);
  return wanted;
}

/* The same with data terms and values of the model; what no weight is in stays. */
static void fill_of_model(Model *m, const Model *implemented, int column)
{
  const Case *c = implemented->c;
  *m = *implemented;
  m->pair = pair_of_model;
  for (int kind = c->tables.has_ground ? 0 : 1; kind < KINDS; kind++)
    for (int first = 0; first < c->tables.rows; first++)
      for (int last = first; last < c->tables.rows; last++) {
        Cell cells[ROWS];
        Part *part = &m->part[kind][first][last];
        int n = cells_of(c, column, kind, first, last, cells);
        Line line = expect_bound(c, kind, cells, n, part->data);
        part->energy += 1024 * line.energy - part->data;
        part->data = 1024 * line.energy;
        if (n == 0 && kind == 1)
          continue;
        part->foot = value_at(c, column, kind, first, &line, c->tables.cut[first] / 2.0);
        part->top = value_at(c, column, kind, first, &line, c->tables.cut[last + 1] / 2.0);
      }
}

/* ---- With wrong disparities ------------------------------------------------------------------ */

/* fulldp's data term. */
static double data_with_outliers(
    const Case *c, int column, const StxSatdpPiece *piece, const StxSatdpTerms *terms)
{
  const StxSatdpTables *t = &c->tables;
  const uint16_t *disparity = stx_column(&c->params.grid, c->columns, 0, column);
  const uint16_t *weight = stx_column(&c->params.grid, c->columns, 1, column);
  StxSegment segment = {.vb = piece->first, .vt = piece->last, .kind = piece->kind};
  StxSegmentSums sums = stx_segment_sums(&c->params.grid, t, c->columns, column, &segment);
  StxGroundFit fit = {0, piece->kind == STX_KIND_OBJECT ? (float)terms->top : 0, 0};
  double energy = 0;
  if (piece->kind == STX_KIND_GROUND) {
    fit = case_fit_ground(&sums, stx_ground_prior(t, column));
    energy =
        stx_data_energy(stx_plane_residual(stx_ground_prior(t, column), fit), t->residual_energy);
  }
  StxCellLine line =
      stx_cell_line(fit, t->horizon_x, (float)t->x[piece->first], t->mixture.steepest);
  for (int u = piece->first; u <= piece->last; u++) {
    uint16_t d = disparity[t->rows - 1 - u];
    StxCell cell = stx_cell(t, piece->kind, u, weight[t->rows - 1 - u], d);
    float value = stx_line_value(line, (float)(t->x[u] - t->x[piece->first]));
    energy += cell.flat + (double)stx_mixture_energy(d, value, cell.precision, cell.cap);
  }
  return energy;
}

static void fill_with_outliers(Model *m, const Case *c, int column)
{
  StxSatdpParams params = stx_fulldp_upright(&c->params);
  fill_parts(m, c, &params, column, data_with_outliers);
}

/* ---- The recurrences against all ------------------------------------------------------------- */

/* The defaults but for cheaper stixels and lowest ones, so that a few cells become several. */
static StxSatdpParams small_params(int number, StxRandom *random)
{
  StxSatdpParams p = STX_SATDP_DEFAULTS;
  int cell = 4 + stx_random_below(random, 5);
  p.first_object_cost = p.first_sky_cost = 0;
  p.grid = (StxGrid){COLUMNS * cell, (1 + number % ROWS) * cell, cell, cell, number % 4 ? 0 : 19};
  p.stixel_cost = 1 + stx_random_below(random, 12) / 2.0;
  p.object_sigma_slope *= stx_random_below(random, 2);
  return p;
}

typedef struct {
  int columns, above;
  double gap; /* the most, in nats */
} Above;

/* `energy` is a recurrence's. */
static void add(Above *above, double energy, double least)
{
  ck_assert_double_ge(energy, least);
  above->columns++;
  above->above += energy > least;
  above->gap = fmax(above->gap, (energy - least) / 1024);
}

typedef struct {
  Above satdp, fulldp;
  int apart;  /* columns of which the least is more than 1 % off the model's … */
  double off; /* … and how far at most, nats */
} Found;

static void compare(const Case *c, int column, double energy, double fulldp, Found *found)
{
  static Model implemented, model;
  static max_align_t scratch[KINDS * ROWS * ROWS * 4];
  StxSatdpPiece pieces[ROWS];
  int count;
  ck_assert_uint_le(stx_satdp_least_scratch(&c->params.grid), sizeof scratch);
  fill_as_implemented(&implemented, c, column);
  fill_of_model(&model, &implemented, column);
  double least = least_of(&implemented).energy, wanted = least_of(&model).energy;
  ck_assert_double_eq(
      stx_satdp_least(&c->params, &c->tables, c->columns, column, pieces, &count, scratch), least);
  add(&found->satdp, energy, least);
  double off = fabs(least - wanted) / 1024;
  found->apart += off > 0.01 && off > 0.01 * wanted / 1024;
  found->off = fmax(found->off, off);
  fill_with_outliers(&model, c, column);
  add(&found->fulldp, fulldp, least_of(&model).energy);
}

/* The costs of the columns, from the records. Exact: energies are far below 2^24. */
static void energies_of(const StxSatdpImpl *impl, const Case *c, double energy[COLUMNS])
{
  StxSatdpResult result;
  STX_GUARDED StxStixel *stixels = run_case(impl, c, 1, &result);
  for (uint32_t i = 0; i < result.count; i++)
    energy[stixels[i].column] += stixels[i].cost * 1024.0;
}

STX_TEST(few_columns_are_above_the_least_energy)
{
  static const Filling fillings[] = {STREET, SPARSE, HOLES, SLOPES};
  StxRandom random = {31};
  Found found = {0};
  for (int number = 0; number < CASES; number++) {
    StxSatdpParams params = small_params(number, &random);
    StxRoadLine line = random_road(&random, params.grid.height);
    STX_AUTO(Case) *c = new_full_case(params, &case_camera, number % 5 ? &line : NULL);
    fill_case(c, fillings[stx_random_below(&random, 4)], &random);
    double satdp[COLUMNS] = {0}, fulldp[COLUMNS] = {0};
    energies_of(satdp_reference(), c, satdp);
    energies_of(fulldp_reference(), c, fulldp);
    for (int column = 0; column < COLUMNS; column++)
      compare(c, column, satdp[column], fulldp[column], &found);
  }
  printf("columns,above_least,largest_gap,fulldp_above_least,fulldp_largest_gap,one_percent_off,"
         "largest_error\n%d,%d,%.3f,%d,%.3f,%d,%.4f\n",
      found.satdp.columns, found.satdp.above, found.satdp.gap, found.fulldp.above, found.fulldp.gap,
      found.apart, found.off);
  ck_assert_int_gt(found.satdp.above, 0); /* or the page is wrong */
  ck_assert_int_le(found.satdp.above, 25);
  ck_assert_int_le(found.fulldp.above, 25);
  ck_assert_double_le(fmax(found.satdp.gap, found.fulldp.gap), 4.5);
  ck_assert_int_le(found.apart, 20);
  ck_assert_double_le(found.off, 0.9); /* a column with one known cell, of next to no weight */
}
