/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp, fast: a vector lane is a column, as in satdp_omp.c. A pair's cells are added up in
 * blocks, from the lowest on, until it is certain in all lanes that the pair cannot win. Exact:
 *
 *   bounds   a pair that costs more than the best so far by what no plane can change, by its
 * cheapest classes, and by what whole blocks cost on any line, is passed over cells    so is the
 * rest of a pair once the cells so far, together with what the blocks to come cost at least, are
 * too many
 *
 * Last row's winners go first: the best is small at once. Proofs: docs/algorithms/fulldp.md.
 */
#include "common/fulldp/fulldp_lanes_private.h"
#include "common/fulldp/fulldp_private.h"
#include "common/satdp/satdp_fit.inc.h"
#include "common/satdp/satdp_rows.inc.h"

#include <string.h>
#ifdef __SSE__
#include <immintrin.h>
#endif

#define SUM_MOST 16777216.0 /* 2^24: above every sum of cells */

/* ---- Lanes --------------------------------------------------------------------------------- */

static inline Floats floats_of(float value)
{
  return (Floats){0} + value;
}

static inline Floats least_of(Floats a, Floats b)
{
#if defined(__AVX512F__)
  return (Floats)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE__)
  return (Floats)_mm_min_ps((__m128)a, (__m128)b);
#else
  Floats least;
  for (int l = 0; l < LANES; l++)
    least[l] = a[l] < b[l] ? a[l] : b[l];
  return least;
#endif
}

static inline Floats narrow(const double *lanes)
{
#if defined(__AVX512F__)
  return (Floats)_mm512_cvtpd_ps(_mm512_load_pd(lanes));
#elif defined(__AVX__)
  return (Floats)_mm256_cvtpd_ps(_mm256_load_pd(lanes));
#else
  Floats floats;
  for (int l = 0; l < LANES; l++)
    floats[l] = (float)lanes[l];
  return floats;
#endif
}

static inline void widen_floats(Floats floats, double *lanes)
{
#if defined(__AVX512F__)
  _mm512_store_pd(lanes, _mm512_cvtps_pd((__m256)floats));
#elif defined(__AVX__)
  _mm256_store_pd(lanes, _mm256_cvtps_pd((__m128)floats));
#else
  for (int l = 0; l < LANES; l++)
    lanes[l] = floats[l];
#endif
}

/* 1 if a <= b in any lane. */
static inline int any_float_at_most(Floats a, Floats b)
{
#if defined(__AVX512F__)
  return _mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ)) != 0;
#elif defined(__SSE__)
  return _mm_movemask_ps(_mm_cmple_ps((__m128)a, (__m128)b)) != 0;
#else
  int any = 0;
  for (int l = 0; l < LANES; l++)
    any |= a[l] <= b[l];
  return any;
#endif
}

/* ---- A pair --------------------------------------------------------------------------------- */

/* What is known of a pair before its cells: its plane, its energy without them, and how much they
 * may cost if it is to win, 2^24 at most. */
typedef struct {
  Lanes energy, top;
  Floats start, slope, allowance;
} Pair;

typedef struct {
  StxGroundPrior prior;
  StxPairCost pair;
  double cost, unit, steepest;
} Terms;

static inline Terms terms_of(const StxSatdpTables *t)
{
  Terms terms = {stx_ground_prior(t), stx_pair_cost(t), t->stixel_cost, t->residual_energy,
      t->mixture.steepest};
  return terms;
}

/* The plane of one lane, its energy, and its values at the ends. */
typedef struct {
  double start, slope, energy, foot, top;
} Plane;

static inline Plane plane_of(
    const Terms *terms, int kind, const SumRow *hi, const SumRow *lo, double x, int l)
{
  Plane plane = {0, 0, 0, 0, 0};
  if (kind == GROUND) {
    double horizon = terms->prior.horizon_x;
    StxGroundFit fit = fit_ground(terms->prior, hi, lo, l);
    plane.start = stx_line_start(fit.slope, fit.intercept, horizon, x);
    plane.slope = stx_clamp(fit.slope, terms->steepest);
    plane.energy = stx_plane_energy(terms->prior, fit, terms->unit);
    plane.foot = stx_ground_value(fit.slope, fit.intercept, horizon, lo->cut[l]);
    plane.top = stx_ground_value(fit.slope, fit.intercept, horizon, hi->cut[l]);
  } else if (kind == OBJECT) {
    plane.start = plane.foot = plane.top =
        stx_object_value(hi->object_w[l] - lo->object_w[l], hi->object_d[l] - lo->object_d[l]);
  }
  return plane;
}

/* Prepares the pair; `link` gets what it would leave behind. */
static inline void open_pair(
    const Full *f, const Terms *terms, int kind, int vb, int k, Pair *pair, double *link)
{
  const Group *g = &f->base;
  const SumRow *hi = &g->rows[k + 1], *lo = &g->rows[vb];
  const State *below = &g->states[vb];
  const double *fixed = f->fixed[kind][k + 1], *before = f->fixed[kind][vb];
  const double *best = g->best[kind], *barred = f->barred[vb];
  double x = f->x[vb];
  Lanes classes, start, slope, allowance;
  class_energy(g, kind, vb, k, classes);
  EACH_LANE
  {
    Plane plane = plane_of(terms, kind, hi, lo, x, l);
    StxChoice choice = choose_below(terms->pair, kind, cut_below(below, l), plane.foot);
    double energy = plane.energy + (fixed[l] - before[l]) + classes[l] + barred[l] +
                    (terms->cost + choice.energy);
    pair->energy[l] = energy;
    pair->top[l] = plane.top;
    link[l] = stx_link(vb, choice.below);
    start[l] = plane.start;
    slope[l] = plane.slope;
    allowance[l] = stx_max(stx_min(best[l] - energy, SUM_MOST), -1);
  }
  pair->start = narrow(start);
  pair->slope = narrow(slope);
  pair->allowance = narrow(allowance);
}

/* ---- Its cells ------------------------------------------------------------------------------ */

static inline Floats cell_energy(const Full *f, const Pair *pair, int kind, int u, float distance)
{
  const CellLanes *cell = &f->cell[kind][u];
  const Floats one_and_a_half = floats_of(12582912.0f);
  Floats off = f->disparity[u] -
               (kind == GROUND ? pair->start + pair->slope * floats_of(distance) : pair->start);
  Floats energy = least_of(off * off * cell->precision, cell->cap);
  return (energy + one_and_a_half) - one_and_a_half;
}

/* The cells from u to `end`. Two sums, for the processor to overlap. */
static inline Floats add_cells(const Full *f, const Pair *pair, int kind, float x, int u, int end)
{
  Floats sum = floats_of(0), other = floats_of(0);
  for (; u + 1 < end; u += 2) {
    sum += cell_energy(f, pair, kind, u, f->x[u] - x);
    other += cell_energy(f, pair, kind, u + 1, f->x[u + 1] - x);
  }
  if (u < end)
    sum += cell_energy(f, pair, kind, u, f->x[u] - x);
  return sum + other;
}

/* The cells vb … k, in *sum; 0 as soon as they cost too much in all lanes. */
static inline int sum_cells(const Full *f, const Pair *pair, int kind, int vb, int k, Floats *sum)
{
  const Floats *least = f->least_cells[kind];
  int first = (vb + BLOCK_CELLS - 1) / BLOCK_CELLS, last = (k + 1) / BLOCK_CELLS;
  float x = f->x[vb];
  Floats cells = floats_of(0);
  *sum = cells;
  if (first > last) { /* all within a block */
    *sum = add_cells(f, pair, kind, x, vb, k + 1);
    return 1;
  }
  Floats allowance = pair->allowance - least[last];
  if (!any_float_at_most(cells, allowance + least[first]))
    return 0;
  cells = add_cells(f, pair, kind, x, vb, first * BLOCK_CELLS);
  for (int block = first; block < last; block++) {
    if (!any_float_at_most(cells, allowance + least[block]))
      return 0;
    cells += add_cells(f, pair, kind, x, block * BLOCK_CELLS, (block + 1) * BLOCK_CELLS);
  }
  *sum = cells + add_cells(f, pair, kind, x, last * BLOCK_CELLS, k + 1);
  return 1;
}

/* ---- Recurrence ----------------------------------------------------------------------------- */

static inline void offer(Group *g, int kind, const Pair *pair, Floats cells, const double *link)
{
  double *best = g->best[kind], *best_link = g->link[kind], *value = g->value[kind];
  Lanes sum;
  widen_floats(cells, sum);
  EACH_LANE
  {
    double energy = pair->energy[l] + sum[l];
    int wins = (energy < best[l]) | ((energy == best[l]) & (link[l] < best_link[l]));
    best[l] = wins ? energy : best[l];
    best_link[l] = wins ? link[l] : best_link[l];
    value[l] = wins ? pair->top[l] : value[l];
  }
}

/* Offers the pairs of row k and the start rows in the list to the best. */
static inline void try_pairs(Full *f, int kind, int k)
{
  Group *g = &f->base;
  Terms terms = terms_of(g->tables);
  for (int i = 0; i < g->listed[kind]; i++) {
    int vb = g->list[kind][i];
    Pair pair;
    Lanes link;
    Floats cells = floats_of(0);
    open_pair(f, &terms, kind, vb, k, &pair, link);
    g->visited[kind][vb] = k;
    if (!any_float_at_most(cells, pair.allowance))
      continue;
    g->evaluated++;
    if (kind == SKY || sum_cells(f, &pair, kind, vb, k, &cells))
      offer(g, kind, &pair, cells, link);
  }
}

static inline void try_list(Full *f, int kind, int k)
{
  if (kind == GROUND)
    try_pairs(f, GROUND, k);
  else if (kind == OBJECT)
    try_pairs(f, OBJECT, k);
  else
    try_pairs(f, SKY, k);
}

/* The list of the start rows that may still win. */
static inline void list_open(Full *f, int kind, int k)
{
  Group *g = &f->base;
  int count = 0, *list = g->list[kind];
  const int *visited = g->visited[kind];
  const Lanes *bound = g->bound[kind];
  const double *end = f->end[kind][k + 1], *best = g->best[kind];
  Lanes limit;
  EACH_LANE
  limit[l] = best[l] - end[l];
  for (int vb = 0; vb <= k; vb++) {
    list[count] = vb;
    count += any_at_most(bound[vb], limit) & (visited[vb] != k);
  }
  g->listed[kind] = count;
}

/* Whether a stixel may begin at a cell, by lane. */
static inline int may_begin(const Group *g, int u, int l)
{
  int rows = g->tables->rows;
  return u == 0 || g->starts == NULL || g->starts[(size_t)g->column[l] * rows + rows - 1 - u] != 0;
}

/* Start row k becomes possible. */
static void open_start(Full *f, int k)
{
  Group *g = &f->base;
  const State *below = &g->states[k];
  StxPairCost pair = stx_pair_cost(g->tables);
  double one = g->tables->stixel_cost;
  for (int l = 0; l < LANES; l++)
    f->barred[k][l] = may_begin(g, k, l) ? 0 : INFINITY;
  for (int kind = 0; kind < KINDS; kind++) {
    double *bound = g->bound[kind][k];
    const double *begin = f->begin[kind][k], *barred = f->barred[k];
    EACH_LANE
    {
      StxCut cut = cut_below(below, l);
      double least = kind == GROUND   ? stx_least_below_ground(cut)
                     : kind == OBJECT ? stx_least_below_object(cut)
                                      : stx_least_below_sky(pair, cut);
      bound[l] = one + least + barred[l] - begin[l];
    }
    g->visited[kind][k] = -1;
  }
}

/* Whether a stixel may end at row k in any lane. */
static int may_end(const Group *g, int k)
{
  int any = k + 1 == g->tables->rows;
  for (int l = 0; l < LANES && !any; l++)
    any = may_begin(g, k + 1, l);
  return any;
}

/* The winners listed are those of the last row that was solved. */
static void solve_row(Full *f, int k)
{
  Group *g = &f->base;
  for (int kind = 0; kind < KINDS; kind++) {
    if (kind == GROUND && !g->tables->has_ground)
      continue;
    if (k > 0)
      list_winners(g, kind, k);
    begin_row(g, kind);
    if (k > 0)
      try_list(f, kind, k);
    list_open(f, kind, k);
    try_list(f, kind, k);
    end_row(g, kind, k);
  }
}

static void solve_group(Group *g)
{
  Full *f = (Full *)g;
  int rows = g->tables->rows;
  STX_VARIANT(stx_satdp_build)(g);
  STX_VARIANT(stx_fulldp_build)(f);
  g->longest = 0;
  g->pieces[0] = rows;
  begin_group(g);
  memset(g->link, 0, sizeof g->link);
  for (int k = 0; k < rows; k++) {
    open_start(f, k);
    if (may_end(g, k))
      solve_row(f, k);
  }
}

/* ---- All groups ----------------------------------------------------------------------------- */

static size_t lay_out(const StxSatdpParams *params, char *memory)
{
  Full room, *f = memory != NULL ? (Full *)(void *)memory : &room;
  size_t rows = (size_t)stx_grid_rows(&params->grid);
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof(Full));
  STX_VARIANT(stx_satdp_take)(&at, params, &f->base);
  STX_TAKE(&at, f->x, rows);
  STX_TAKE(&at, f->disparity, rows);
  STX_TAKE(&at, f->barred, rows);
  for (int kind = 0; kind < KINDS; kind++) {
    if (kind != SKY)
      STX_TAKE(&at, f->cell[kind], rows);
    STX_TAKE(&at, f->fixed[kind], rows + 1);
    STX_TAKE(&at, f->least_cells[kind], rows / BLOCK_CELLS + 1);
    STX_TAKE(&at, f->begin[kind], rows + 1);
    STX_TAKE(&at, f->end[kind], rows + 1);
  }
  return at.size;
}

static const GroupWork work = {lay_out, solve_group};

size_t STX_VARIANT(stx_fulldp_scratch)(const StxSatdpParams *params, int threads)
{
  StxSatdpParams upright = stx_fulldp_upright(params);
  return STX_VARIANT(stx_satdp_groups_scratch)(&work, &upright, threads);
}

bool STX_VARIANT(stx_fulldp_run)(const StxSatdpParams *params, const StxSatdpTables *tables,
    bool has_ground, const void *columns, const uint8_t *starts, StxStixel *stixels,
    StxSatdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  StxSatdpParams upright = stx_fulldp_upright(params);
  Group model = {.params = &upright, .tables = tables, .columns = columns, .starts = starts};
  STX_VARIANT(stx_satdp_run_groups)(&work, &model, stixels, result, scratch, place->threads);
  return true;
}
