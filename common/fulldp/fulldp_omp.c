/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp, fast: a vector lane is a column, as in satdp_omp.c. A pair's cells are added up in
 * blocks, from the lowest on, until it is certain in all lanes that the pair cannot win. Exact:
 *
 *   bounds   a pair is passed over if it costs more than the best so far by what no plane can
 *            change, by its cheapest classes, and by what whole blocks cost on any line
 *   cells    so is the rest of a pair once the cells so far, together with what the blocks to come
 *            cost at least, cost too much
 *
 * Last row's winners go first: the best is small at once. Proofs: docs/algorithms/fulldp.md.
 */
#include "common/cpu.h"
#include "common/fulldp/fulldp_lanes_private.h"
#include "common/fulldp/fulldp.h"
#include "common/satdp/satdp_fit.inc.h"
#include "common/satdp/satdp_rows.inc.h"

STX_DECLARE(StxSatdpImpl, stx_fulldp, scratch_size);
STX_DECLARE(StxSatdpImpl, stx_fulldp, run);

#define SUM_MOST 16777216.0 /* 2^24: above every sum of cells */

/* ---- A pair --------------------------------------------------------------------------------- */

static inline HalfF32 floats_of(float value)
{
  return (HalfF32){0} + value;
}

/* A pair before its cells are added: its plane; the cost of the plane, of the terms that no plane
 * changes, and of the classes; and how much the cells may cost if it is to win, 2^24 at most. */
typedef struct {
  VecF64 own, foot, top;
  HalfF32 start, slope, allowance;
} Pair;

/* Its plane, the energy of that, and its values at the ends. */
typedef struct {
  HalfF32 start, slope;
  VecF64 energy, foot, top;
} Plane;

INLINE Plane plane_of(const Full *f, int kind, int vb, int k)
{
  const SumRow *hi = &f->base.rows[k + 1], *lo = &f->base.rows[vb];
  VecF64 zero = set1_f64(0);
  Plane plane = {floats_of(0), floats_of(0), zero, zero, zero};
  if (kind == GROUND) {
    const LaneTables *terms = &f->base.terms;
    LanesGroundPrior prior = lanes_ground_prior(terms);
    HalfF32 horizon = prior.horizon_x, steepest = floats_of(f->base.tables->mixture.steepest);
    LanesGroundFit fit = lanes_fit_ground(prior, moments_of_ground(hi, lo));
    plane.start = lanes_line_start(fit, horizon, floats_of(f->x[vb]));
    plane.slope = lanes_clamp_float(fit.slope, steepest);
    plane.energy = lanes_data_energy(lanes_plane_residual(prior, fit), terms->residual_energy);
    plane.foot = widen_f32(lanes_ground_value(fit, horizon, f->base.cut[vb]));
    plane.top = widen_f32(lanes_ground_value(fit, horizon, f->base.cut[k + 1]));
  } else if (kind == OBJECT) {
    plane.start = moments_of_upright(hi, lo).d0;
    plane.foot = plane.top = widen_f32(plane.start);
  }
  return plane;
}

/* The cost of the cells vb … k that no plane changes, classes included. */
INLINE VecF64 fixed_energy(const Full *f, int kind, int vb, int k)
{
  VecF64 fixed = load_f64(f->fixed[kind][k + 1]) - load_f64(f->fixed[kind][vb]);
  return fixed + class_energy(&f->base, kind, vb, k);
}

INLINE Pair open_pair(const Full *f, int kind, int vb, int k, VecF64 fixed, VecF64 room)
{
  Plane plane = plane_of(f, kind, vb, k);
  VecF64 own = plane.energy + fixed;
  VecF64 left = max_f64(min_f64(room - plane.energy, set1_f64(SUM_MOST)), set1_f64(-1));
  Pair pair = {own, plane.foot, plane.top, plane.start, plane.slope, narrow_f64(left)};
  return pair;
}

/* With what its cells cost. Few pairs come so far, so the stixel below waits for it. */
INLINE void offer_pair(const Full *f, int kind, int vb, Pair pair, HalfF32 cells, Best *best)
{
  const Group *g = &f->base;
  LanesChoice choice =
      choose_below(lanes_pair_cost(&g->terms), kind, cut_below(&g->states[vb]), pair.foot);
  VecF64 below = load_f64(g->terms.stixel_cost) + choice.energy + load_f64(f->barred[vb]);
  offer(best, pair.own + below + widen_f32(cells), link_of(vb, choice), pair.top);
}

/* ---- Its cells ------------------------------------------------------------------------------ */

static inline HalfF32 cell_energy(const Full *f, const Pair *pair, int kind, int u, float distance)
{
  const CellLanes *cell = &f->cell[kind][u];
  const HalfF32 one_and_a_half = floats_of(12582912.0f);
  HalfF32 off = f->disparity[u] -
                (kind == GROUND ? pair->start + pair->slope * floats_of(distance) : pair->start);
  HalfF32 energy = min_half_f32(off * off * cell->precision, cell->cap);
  return (energy + one_and_a_half) - one_and_a_half;
}

/* The cells from u to `end`. Two sums, for the processor to overlap. */
static inline HalfF32 add_cells(const Full *f, const Pair *pair, int kind, float x, int u, int end)
{
  HalfF32 sum = floats_of(0), other = floats_of(0);
  for (; u + 1 < end; u += 2) {
    sum += cell_energy(f, pair, kind, u, f->x[u] - x);
    other += cell_energy(f, pair, kind, u + 1, f->x[u + 1] - x);
  }
  if (u < end)
    sum += cell_energy(f, pair, kind, u, f->x[u] - x);
  return sum + other;
}

/* The cells vb … k, in *sum; 0 as soon as they cost too much in all lanes. */
static inline int sum_cells(const Full *f, const Pair *pair, int kind, int vb, int k, HalfF32 *sum)
{
  const HalfF32 *least = f->least_cells[kind];
  int first = (vb + BLOCK_CELLS - 1) / BLOCK_CELLS, last = (k + 1) / BLOCK_CELLS;
  float x = f->x[vb];
  HalfF32 cells = floats_of(0);
  *sum = cells;
  if (first > last) { /* all within a block */
    *sum = add_cells(f, pair, kind, x, vb, k + 1);
    return 1;
  }
  HalfF32 allowance = pair->allowance - least[last];
  if (!any_le_f32(cells, allowance + least[first]))
    return 0;
  cells = add_cells(f, pair, kind, x, vb, first * BLOCK_CELLS);
  for (int block = first; block < last; block++) {
    if (!any_le_f32(cells, allowance + least[block]))
      return 0;
    cells += add_cells(f, pair, kind, x, block * BLOCK_CELLS, (block + 1) * BLOCK_CELLS);
  }
  *sum = cells + add_cells(f, pair, kind, x, last * BLOCK_CELLS, k + 1);
  return 1;
}

/* ---- Recurrence ----------------------------------------------------------------------------- */

/* Offers the pairs of row k and the start rows to the best: first the last row's winners, whose
 * bounds stay hidden, or the list. */
INLINE void try_pairs(Full *f, int kind, int k, bool first)
{
  Group *g = &f->base;
  const int16_t *list = first ? g->won[kind] : g->list[kind];
  Best best = load_best(g, kind);
  for (int i = 0, count = first ? g->wins[kind] : g->listed[kind]; i < count; i++) {
    int vb = list[i];
    HalfF32 cells = floats_of(0);
    if (first)
      g->held[kind][i] = narrow_f64(load_f64(g->base[kind][vb]));
    VecF64 fixed = fixed_energy(f, kind, vb, k);
    VecF64 room = best.energy - (fixed + load_f64(f->below[kind][vb]));
    if (!any_le_f32(cells, narrow_f64(room)))
      continue;
    Pair pair = open_pair(f, kind, vb, k, fixed, room);
    if (!any_le_f32(cells, pair.allowance))
      continue;
    g->evaluated++;
    if (kind == SKY || sum_cells(f, &pair, kind, vb, k, &cells))
      offer_pair(f, kind, vb, pair, cells, &best);
  }
  store_best(g, kind, best);
}

static inline void try_list(Full *f, int kind, int k, bool first)
{
  if (kind == GROUND)
    try_pairs(f, GROUND, k, first);
  else if (kind == OBJECT)
    try_pairs(f, OBJECT, k, first);
  else
    try_pairs(f, SKY, k, first);
}

/* Whether a stixel may begin at a cell, by lane. */
static inline int may_begin(const Group *g, int u, int l)
{
  int rows = g->tables->rows;
  return u == 0 || g->starts == NULL || g->starts[(size_t)g->column[l] * rows + rows - 1 - u] != 0;
}

/* Start row k becomes possible. Its bound stays what it is. */
static void open_start(Full *f, int k)
{
  Group *g = &f->base;
  LanesCut cut = cut_below(&g->states[k]);
  LanesPairCost pair = lanes_pair_cost(&g->terms);
  for (int l = 0; l < LANES; l++)
    f->barred[k][l] = may_begin(g, k, l) ? 0 : INFINITY;
  for (int kind = 0; kind < KINDS; kind++) {
    VecF64 least = g->tables->stixel_cost + least_below(pair, kind, cut) + load_f64(f->barred[k]);
    VecF64 bound = least - load_f64(f->begin[kind][k]);
    store_f64(f->below[kind][k], least);
    store_f64(g->base[kind][k], bound);
    g->bound[kind][k] = narrow_f64(bound);
  }
}

/* The winners listed are those of the last row that was solved. */
static void solve_row(Full *f, int k)
{
  Group *g = &f->base;
  int first = g->tables->has_ground ? GROUND : OBJECT;
  for (int kind = first; kind < KINDS; kind++) {
    if (k > 0)
      list_winners(g, kind, k);
    begin_row(g, kind);
    if (k > 0)
      try_list(f, kind, k, true);
  }
  if (g->limited)
    set_limits(g, k);
  for (int kind = first; kind < KINDS; kind++) {
    list_open(g, kind, 0, k, load_f64(g->best[kind]) - load_f64(f->end[kind][k + 1]));
    if (k > 0)
      show_winners(g, kind);
    try_list(f, kind, k, false);
    end_row(g, kind, k);
  }
}

static void solve_rows(Group *g)
{
  Full *f = (Full *)g;
  begin_group(g);
  memset(g->link, 0, sizeof g->link);
  for (int k = 0; k < g->tables->rows; k++) {
    bool may_end = k + 1 == g->tables->rows; /* in any lane */
    open_start(f, k);
    for (int l = 0; l < LANES && !may_end; l++)
      may_end = may_begin(g, k + 1, l);
    if (may_end)
      solve_row(f, k);
  }
}

static void solve_group(Group *g)
{
  STX_VARIANT(stx_satdp_build)(g);
  STX_VARIANT(stx_fulldp_build)((Full *)g);
  g->longest = 0;
  for (int l = 0; l < LANES; l++)
    g->pieces[l] = g->tables->rows;
  solve_limited(g, solve_rows);
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
    STX_TAKE(&at, f->below[kind], rows);
    STX_TAKE(&at, f->end[kind], rows + 1);
  }
  return at.size;
}

static const GroupWork work = {lay_out, solve_group};

size_t STX_VARIANT(stx_fulldp_scratch_size)(const StxSatdpParams *params, int threads)
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
