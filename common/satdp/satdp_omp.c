/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp, fast: a vector lane is a column. LANES neighbouring columns form a group; their summed
 * tables are interleaved, so that every load is a whole vector, and no step needs a reduction.
 *
 *   T_K(k) = min over vb of  Data + Sem + Horizon + C + min over P of  T_P(vb−1) + Pair
 *
 * Exact pruning; proofs in docs/algorithms/satdp.md:
 *   bounds   bound_K(vb) + lower_K(k+1) never exceeds what start row vb costs at k, for any k from
 *            the one it was computed at. Where that is above the best so far in all lanes, the
 *            pair is passed over. Last row's winners go first: the best is small at once.
 *   limits   satdp_rows.inc.h: a kind that the path will hardly take is not computed.
 *   prefix   from first_K on start rows live. The one at first_K dies when, in all lanes, it is
 *            cheaper to end here and begin anew, whatever comes.
 *
 * A row is worked off in lists of start rows, not one by one, so that the processor can overlap
 * the long chains of the fits; a list is made without branches.
 *
 * Where start rows are given, k and vb count pieces instead of rows of cells:
 * satdp_lanes_private.h.
 *
 * Tried and rejected: see docs/benchmarks/tried.md.
 */
#include "common/satdp/satdp_private.h"
#include "common/satdp/satdp_fit.inc.h"
#include "common/satdp/satdp_rows.inc.h"

#include <string.h>

enum { RENEWAL = 8 }; /* rows between two looks at the prefix */

/* ---- Pairs --------------------------------------------------------------------------------- */

/* Computes a start row at row k, and offers it to the best; returns its bound. */
INLINE HalfF32 try_pair(const Group *g, int kind, int vb, int k, bool slanted, Best *best)
{
  const LaneTables *terms = &g->terms;
  const SumRow *hi = &g->rows[k + 1], *lo = &g->rows[vb];
  const HalfF32 *cut[2] = {&g->cut[vb], &g->cut[k + 1]};
  Fit fit;
  if (slanted) {
    LanesMoments moments = moments_of_slanted(hi, lo, &g->slants[k + 1], &g->slants[vb]);
    fit = fit_slanted(terms, moments, cut, g->rest[vb]);
  } else {
    fit = fit_kind(terms, kind, hi, lo, cut);
  }
  LanesChoice choice =
      choose_below(lanes_pair_cost(terms), kind, cut_below(&g->states[vb]), fit.foot);
  VecF64 own = fit.energy + class_energy(g, kind, vb, k);
  VecF64 placed = load_f64(g->placed[kind]) - load_f64(lo->placed[kind]);
  offer(best, own + placed + choice.energy, link_of(vb, choice), fit.top);
  return narrow_f64(own + load_f64(g->spare[kind]) + load_f64(g->base[kind][vb]));
}

/* First the last row's winners, whose bounds stay hidden, or the list. */
INLINE void try_kind(Group *g, int kind, int k, bool slanted, bool first)
{
  const int16_t *list = first ? g->won[kind] : g->list[kind];
  int count = first ? g->wins[kind] : g->listed[kind];
  if (count == 0)
    return;
  Best best = load_best(g, kind);
  for (int i = 0; i < count; i++) {
    HalfF32 *bound = first ? &g->held[kind][i] : &g->bound[kind][list[i]];
    *bound = try_pair(g, kind, list[i], k, slanted, &best);
    STAY_IN_MEMORY;
  }
  store_best(g, kind, best);
  g->evaluated += (uint64_t)count;
}

/* Apart, so that they do not stand in each other's way. */
static __attribute__((noinline)) void try_ground(Group *g, int k, bool first)
{
  try_kind(g, GROUND, k, false, first);
}

static __attribute__((noinline)) void try_upright(Group *g, int k, bool first)
{
  try_kind(g, OBJECT, k, false, first);
}

static __attribute__((noinline)) void try_slanted(Group *g, int k, bool first)
{
  try_kind(g, OBJECT, k, true, first);
}

static __attribute__((noinline)) void try_sky(Group *g, int k, bool first)
{
  try_kind(g, SKY, k, false, first);
}

static void try_all(Group *g, int k, bool first)
{
  if (g->tables->has_ground)
    try_ground(g, k, first);
  if (g->slants != NULL)
    try_slanted(g, k, first);
  else
    try_upright(g, k, first);
  try_sky(g, k, first);
}

/* ---- Pruning ------------------------------------------------------------------------------- */

/* The error of a data term of the cells below a boundary, at most: what is true of them holds for
 * any that end there. */
INLINE VecF64 unsure_at(const Group *g, int kind, int u)
{
  const SumRow *row = &g->rows[u];
  const double *squares = kind == GROUND   ? row->ground_dd
                          : kind == OBJECT ? row->object_dd
                                           : row->sky_dd;
  return load_f64(squares) * load_f64(g->terms.unsure);
}

/* Lists the start rows that may still win. */
INLINE void list_rest(Group *g, int kind, int k)
{
  VecF64 limit = load_f64(g->best[kind]) - load_f64(g->rows[k + 1].lower[kind]);
  limit += unsure_at(g, kind, k + 1);
  list_open(g, kind, g->first[kind], k, limit);
  if (k > 0)
    show_winners(g, kind);
}

/* The most that a stixel of the kind that begins at row k pays, without its own energy, less
 * lower_K(k), and what three data terms of the column may be off. */
INLINE HalfF32 renewal_cost(const Group *g, int kind, int k)
{
  LanesCut cut = cut_below(&g->states[k]);
  LanesPairCost pair = lanes_pair_cost(&g->terms);
  VecF64 most = kind == GROUND   ? lanes_most_below_ground(pair, cut)
                : kind == OBJECT ? lanes_most_below_object(pair, cut, load_f64(g->rest[k]))
                                 : lanes_least_below_sky(pair, cut);
  VecF64 unsure = 2 * unsure_at(g, kind, g->pieces[g->longest]);
  return narrow_f64(
      load_f64(g->terms.stixel_cost) + most - load_f64(g->rows[k].lower[kind]) + unsure);
}

/* The data term that judges the prefix: without the prior of the plane. */
INLINE HalfF32 *free_bounds(const Group *g, int kind)
{
  return kind == GROUND || (kind == OBJECT && g->slants != NULL) ? g->free[kind] : g->bound[kind];
}

/* The energy of the cells vb … k, priors left out. */
static inline VecF64 free_energy(const Group *g, int kind, int vb, int k)
{
  const LaneTables *terms = &g->terms;
  const SumRow *hi = &g->rows[k + 1], *lo = &g->rows[vb];
  const HalfF32 *cut[2] = {&g->cut[vb], &g->cut[k + 1]};
  LanesMoments moments;
  if (kind == GROUND)
    moments = moments_of_ground(hi, lo);
  else if (kind == OBJECT && g->slants != NULL)
    moments = moments_of_slanted(hi, lo, &g->slants[k + 1], &g->slants[vb]);
  else
    return fit_kind(terms, kind, hi, lo, cut).energy;
  return lanes_data_energy(lanes_line_residual(moments), terms->residual_energy);
}

/* Computes the bound that the prefix is judged by afresh. */
static inline void renew_bound(const Group *g, int kind, int vb, int k)
{
  const SumRow *lo = &g->rows[vb];
  HalfF32 *bound = &free_bounds(g, kind)[vb];
  VecF64 floor = load_f64(lo->placed[kind]) - load_f64(lo->lower[kind]);
  VecF64 renewed = load_f64(g->base[kind][vb]) + floor + free_energy(g, kind, vb, k);
  renewed -= unsure_at(g, kind, k + 1);
  *bound = narrow_f64(max_f64(widen_f32(*bound), renewed));
}

/* Moves first_K past the start rows that no row from k on can want. */
static inline void drop_starts(Group *g, int kind, int k)
{
  const HalfF32 *bound = free_bounds(g, kind);
  int first = g->first[kind];
  HalfF32 cost = renewal_cost(g, kind, k);
  while (first < k) {
    if (any_le_f32(bound[first], cost)) {
      renew_bound(g, kind, first, k - 1);
      g->evaluated++;
      if (any_le_f32(bound[first], cost))
        break;
    }
    g->bound[kind][first++] = (HalfF32){0} + INFINITY;
  }
  g->first[kind] = first;
}

/* ---- Recurrence ---------------------------------------------------------------------------- */

/* Start row k becomes possible. */
static inline void open_start(Group *g, int kind, int k)
{
  const SumRow *row = &g->rows[k];
  LanesPairCost pair = lanes_pair_cost(&g->terms);
  VecF64 least =
      load_f64(g->cost) + least_below(pair, kind, cut_below(&g->states[k])) - STX_ROUNDING;
  VecF64 unsure = unsure_at(g, kind, k);
  HalfF32 bound = narrow_f64(least - load_f64(row->lower[kind]) + unsure);
  store_f64(g->base[kind][k], least - load_f64(row->placed[kind]) + 2 * unsure);
  g->bound[kind][k] = bound;
  free_bounds(g, kind)[k] = bound;
}

INLINE void begin_kind(Group *g, int kind, int k)
{
  if (k > 0 && k % RENEWAL == 0)
    drop_starts(g, kind, k);
  if (k > 0)
    list_winners(g, kind, k);
  open_start(g, kind, k);
  begin_row(g, kind);
  VecF64 placed = load_f64(g->rows[k + 1].placed[kind]);
  store_f64(g->placed[kind], placed + load_f64(g->terms.stixel_cost));
  VecF64 lower = load_f64(g->rows[k + 1].lower[kind]) + unsure_at(g, kind, k + 1);
  store_f64(g->spare[kind], placed - lower);
}

/* The kinds of a row do not depend on each other: they take each step together, which gives the
 * processor three times as much to overlap. */
#define EACH_KIND(call)                                                                            \
  do {                                                                                             \
    if (has_ground)                                                                                \
      call(g, GROUND, k);                                                                          \
    call(g, OBJECT, k);                                                                            \
    call(g, SKY, k);                                                                               \
  } while (0)

static void solve_row(Group *g, int k)
{
  bool has_ground = g->tables->has_ground;
  EACH_KIND(begin_kind);
  try_all(g, k, true);
  if (g->limited)
    set_limits(g, k);
  EACH_KIND(list_rest);
  try_all(g, k, false);
  EACH_KIND(end_row);
}

/* Before row k: lanes without it open no start row, reach every limit at once, and repeat a winner
 * of the longest. */
static void retire_lanes(Group *g, int k)
{
  for (int l = 0; l < LANES; l++) {
    if (k < g->pieces[l])
      continue;
    g->cost[l] = INFINITY;
    g->worst[l] = -2 * STX_FORBIDDEN;
    for (int kind = 0; kind < KINDS; kind++)
      g->link[kind][l] = g->link[kind][g->longest];
  }
}

static void solve_rows(Group *g)
{
  begin_group(g);
  for (int k = 0; k < g->pieces[g->longest]; k++) {
    if (g->starts != NULL)
      retire_lanes(g, k);
    solve_row(g, k);
  }
}

static void solve_group(Group *g)
{
  STX_VARIANT(stx_satdp_build)(g);
  STX_VARIANT(stx_satdp_compress)(g);
  solve_limited(g, solve_rows);
  STX_VARIANT(stx_satdp_expand)(g);
}

/* ---- All groups --------------------------------------------------------------------------- */

static size_t lay_out(const StxSatdpParams *params, char *memory)
{
  Group room, *g = memory != NULL ? (Group *)(void *)memory : &room;
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof(Group));
  STX_VARIANT(stx_satdp_take)(&at, params, g);
  return at.size;
}

static const GroupWork work = {lay_out, solve_group};

size_t STX_VARIANT(stx_satdp_scratch_size)(const StxSatdpParams *params, int threads)
{
  return STX_VARIANT(stx_satdp_groups_scratch)(&work, params, threads);
}

bool STX_VARIANT(stx_satdp_run)(const StxSatdpParams *params, const StxSatdpTables *tables,
    bool has_ground, const void *columns, const uint8_t *starts, StxStixel *stixels,
    StxSatdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  Group model = {.params = params, .tables = tables, .columns = columns, .starts = starts};
  STX_VARIANT(stx_satdp_run_groups)(&work, &model, stixels, result, scratch, place->threads);
  return true;
}
