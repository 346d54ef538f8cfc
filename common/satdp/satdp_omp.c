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
 *   prefix   from first_K on start rows live. The one at first_K dies when, in all lanes, it is
 *            cheaper to end here and begin anew, whatever comes.
 *
 * A row is worked off in lists of start rows, not one by one, so that the processor can overlap
 * the long chains of the fits; a list is made without branches.
 *
 * Where start rows are given, k and vb count pieces instead of rows of cells:
 * satdp_lanes_private.h.
 *
 * Tried and rejected: see the page.
 */
#include "common/satdp/satdp_private.h"
#include "common/satdp/satdp_fit.inc.h"
#include "common/satdp/satdp_rows.inc.h"

#include <string.h>

enum { RENEWAL = 4 }; /* rows between two looks at the prefix */

/* ---- Recurrence --------------------------------------------------------------------------- */

/* Computes the pairs of row k and the start rows in the list, and offers them to the best. */
static inline __attribute__((always_inline)) void try_list_of(
    Group *g, int kind, int k, bool slanted)
{
  double *restrict best_of = g->best[kind], *restrict link_of = g->link[kind];
  double *restrict value_of = g->value[kind];
  int count = g->listed[kind];
  const SumRow *hi = &g->rows[k + 1];
  const StxSatdpTables *t = g->tables;
  FitInput in = {stx_ground_prior(t), t->residual_energy};
  StxPairCost pair = stx_pair_cost(t);
  double cost = t->stixel_cost, rounding = t->rounding, lambda = t->lambda_object;
  const SlantRow *slant_hi = slanted ? &g->slants[k + 1] : NULL;
  for (int i = 0; i < count; i++) {
    int vb = g->list[kind][i];
    const SumRow *lo = &g->rows[vb];
    const SlantRow *slant_lo = slanted ? &g->slants[vb] : NULL;
    const State *below = &g->states[vb];
    const double *rest = g->rest[vb];
    const double *least = g->least[kind][vb];
    double *bound = g->bound[kind][vb];
    Lanes semantic;
    class_energy(g, kind, vb, k, semantic);
    EACH_LANE
    {
      Fit fit = slanted ? fit_slanted(lambda, in.unit, hi, lo, slant_hi, slant_lo, rest, l)
                        : fit_kind(in, kind, hi, lo, l);
      StxChoice choice = choose_below(pair, kind, cut_below(below, l), fit.foot);
      double placed = hi->placed[kind][l] - lo->placed[kind][l];
      double above = fit.energy + placed + semantic[l];
      double energy = above + cost + choice.energy, link = stx_link(vb, choice.below);
      double best = best_of[l], best_link = link_of[l];
      int wins = (energy < best) | ((energy == best) & (link < best_link));
      best_of[l] = wins ? energy : best;
      link_of[l] = wins ? link : best_link;
      value_of[l] = wins ? fit.top : value_of[l];
      bound[l] = least[l] + above - hi->lower[kind][l] - rounding;
    }
    g->visited[kind][vb] = k;
  }
  g->evaluated += count;
}

/* Apart, so that it does not stand in the way of the others. */
static __attribute__((noinline)) void try_slanted_list(Group *g, int k)
{
  try_list_of(g, OBJECT, k, true);
}

static inline void try_list(Group *g, int kind, int k)
{
  if (kind == OBJECT && g->slants != NULL)
    try_slanted_list(g, k);
  else
    try_list_of(g, kind, k, false);
}

/* The list of the start rows that may still win. */
static inline void list_open(Group *g, int kind, int k)
{
  int count = 0, *list = g->list[kind];
  const int *visited = g->visited[kind];
  const Lanes *bound = g->bound[kind];
  const double *lower = g->rows[k + 1].lower[kind], *best = g->best[kind];
  Lanes limit;
  EACH_LANE
  limit[l] = best[l] - lower[l];
  for (int vb = g->first[kind]; vb <= k; vb++) {
    list[count] = vb;
    count += any_at_most(bound[vb], limit) & (visited[vb] != k);
  }
  g->listed[kind] = count;
}

/* What a stixel of the kind that begins at row k pays at most, its own energy apart, less
 * lower_K(k). */
static inline void renewal_cost(const Group *g, int kind, int k, double *cost)
{
  const State *below = &g->states[k];
  const double *lower = g->rows[k].lower[kind], *largest = g->rest[k];
  StxPairCost pair = stx_pair_cost(g->tables);
  double one = g->tables->stixel_cost;
  EACH_LANE
  {
    StxCut cut = cut_below(below, l);
    double most = kind == GROUND   ? stx_most_below_ground(pair, cut)
                  : kind == OBJECT ? stx_most_below_object(pair, cut, largest[l])
                                   : stx_least_below_sky(pair, cut);
    cost[l] = one + most - lower[l];
  }
}

/* What the prefix is judged by: of kinds that have a prior, without that. */
static inline Lanes *free_bounds(const Group *g, int kind)
{
  return kind == GROUND || (kind == OBJECT && g->slants != NULL) ? g->free[kind] : g->bound[kind];
}

static __attribute__((noinline)) void renew_slanted_bound(const Group *g, int vb, int k)
{
  const SumRow *hi = &g->rows[k + 1], *lo = &g->rows[vb];
  const SlantRow *slant_hi = &g->slants[k + 1], *slant_lo = &g->slants[vb];
  const double *least = g->least[OBJECT][vb];
  double *bound = g->free[OBJECT][vb];
  double rounding = g->tables->rounding, unit = g->tables->residual_energy;
  EACH_LANE
  {
    double residual = slanted_free_residual(hi, lo, slant_hi, slant_lo, l);
    double energy = stx_data_energy(residual, unit);
    bound[l] = stx_max(bound[l], least[l] + energy - lo->lower[OBJECT][l] - rounding);
  }
}

/* Computes that afresh. */
static inline void renew_bound(const Group *g, int kind, int vb, int k)
{
  if (kind == OBJECT && g->slants != NULL) {
    renew_slanted_bound(g, vb, k);
    return;
  }
  const SumRow *hi = &g->rows[k + 1], *lo = &g->rows[vb];
  StxGroundPrior prior = stx_ground_prior(g->tables);
  FitInput in = {prior, g->tables->residual_energy};
  const double *least = g->least[kind][vb];
  double *bound = free_bounds(g, kind)[vb];
  double rounding = g->tables->rounding;
  EACH_LANE
  {
    double energy = kind == GROUND ? stx_data_energy(line_residual(prior, hi, lo, l), in.unit)
                                   : fit_kind(in, kind, hi, lo, l).energy;
    bound[l] = stx_max(bound[l], least[l] + energy - lo->lower[kind][l] - rounding);
  }
}

/* Moves first_K past the start rows that no row from k on can want. */
static inline void drop_starts(Group *g, int kind, int k)
{
  const Lanes *bound = free_bounds(g, kind);
  int first = g->first[kind];
  Lanes cost;
  renewal_cost(g, kind, k, cost);
  while (first < k) {
    if (any_at_most(bound[first], cost)) {
      renew_bound(g, kind, first, k - 1);
      g->evaluated++;
      if (any_at_most(bound[first], cost))
        break;
    }
    first++;
  }
  g->first[kind] = first;
}

/* Start row k becomes possible. */
static void open_start(Group *g, int k)
{
  const State *below = &g->states[k];
  StxPairCost pair = stx_pair_cost(g->tables);
  double rounding = g->tables->rounding;
  const double *cost = g->cost;
  double *ground = g->least[GROUND][k], *object = g->least[OBJECT][k], *sky = g->least[SKY][k];
  EACH_LANE
  {
    StxCut cut = cut_below(below, l);
    ground[l] = cost[l] + stx_least_below_ground(cut);
    object[l] = cost[l] + stx_least_below_object(cut);
    sky[l] = cost[l] + stx_least_below_sky(pair, cut);
  }
  for (int kind = 0; kind < KINDS; kind++) {
    const double *least = g->least[kind][k], *lower = g->rows[k].lower[kind];
    double *bound = g->bound[kind][k];
    EACH_LANE
    bound[l] = least[l] - lower[l] - rounding;
    g->visited[kind][k] = -1;
  }
  memcpy(g->free[GROUND][k], g->bound[GROUND][k], sizeof(Lanes));
  if (g->slants != NULL)
    memcpy(g->free[OBJECT][k], g->bound[OBJECT][k], sizeof(Lanes));
}

static void solve_row(Group *g, int k)
{
  bool has_ground = g->tables->has_ground;
  open_start(g, k);
  if (k > 0) {
    if (k % RENEWAL == 0)
      EACH_KIND(drop_starts);
    EACH_KIND(list_winners);
  }
  for (int kind = 0; kind < KINDS; kind++)
    begin_row(g, kind);
  if (k > 0)
    EACH_KIND(try_list);
  EACH_KIND(list_open);
  EACH_KIND(try_list);
  for (int kind = has_ground ? GROUND : OBJECT; kind < KINDS; kind++)
    end_row(g, kind, k);
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

static void solve_group(Group *g)
{
  STX_VARIANT(stx_satdp_build)(g);
  STX_VARIANT(stx_satdp_compress)(g);
  begin_group(g);
  for (int k = 0; k < g->pieces[g->longest]; k++) {
    if (g->starts != NULL)
      retire_lanes(g, k);
    solve_row(g, k);
  }
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

size_t STX_VARIANT(stx_satdp_scratch)(const StxSatdpParams *params, int threads)
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
