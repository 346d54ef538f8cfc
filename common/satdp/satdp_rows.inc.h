/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The recurrence from row to row. Private to satdp_omp.c and fulldp_omp.c.
 */
#pragma once

#include "common/satdp/satdp_simd.inc.h"

/* ---- Limits: which T_K(k) are worth knowing ------------------------------------------------ */

/*
 * Few states lie on the path that is the answer, and those cost little more than what else ends at
 * their row. So a row sets each kind a limit, a guess from the other kinds' energies and the next
 * cells, and start rows above it are passed over as those above the best are. Where nothing is at
 * most the limit the state stays *loose*: T_K(k) is not below the limit, which becomes its energy;
 * its link is g->loose; its value is not a number, which no comparison is true of, so that pairs
 * with it cost the least they ever do.
 *
 * At last the path is walked. If no state on it is loose it is the answer, proof in
 * docs/algorithms/satdp.md; else the group is solved again without limits.
 */

/* A disparity per lane. */
INLINE VecF64 lanes_of_cells(const uint16_t *cells)
{
  typedef uint16_t Narrow __attribute__((vector_size(2 * LANES)));
  Narrow narrow;
  memcpy(&narrow, cells, sizeof narrow);
  return widen_i32(__builtin_convertvector(narrow, HalfI32));
}

/* The most that another kind may cost at row k if this one is not to be better below the next
 * stixel, whose disparity at the cut is assumed to be this far from its own: as much, and α +
 * β·gap. */
INLINE VecF64 limit_over(const Group *g, int kind, VecF64 gap)
{
  const LaneTables *terms = &g->terms;
  return load_f64(g->best[kind]) + load_f64(terms->slack) + load_f64(terms->pair_slope) * gap;
}

INLINE void set_limit(Group *g, int kind, VecF64 guess)
{
  VecF64 best = load_f64(g->best[kind]), limit = lanes_round(guess); /* energies are integers */
  Mask64 loose = lt_f64(limit, best);
  store_f64(g->best[kind], min_f64(limit, best));
  store_f64(g->link[kind], blend_f64(loose, set1_f64(4.0 * g->loose), load_f64(g->link[kind])));
  store_f64(g->value[kind], blend_f64(loose, set1_f64((double)NAN), load_f64(g->value[kind])));
}

/*
 * Once last row's winners have been tried. Only below an object or sky can one kind do for another;
 * ground that is nearer than the object below it has no choice, so where something nearer comes
 * next ground has a wide limit.
 */
INLINE void set_limits(Group *g, int k)
{
  VecF64 near = lanes_of_cells(g->near[k + 1]), far = lanes_of_cells(g->far[k + 1]);
  VecF64 ground = load_f64(g->value[GROUND]), object = load_f64(g->value[OBJECT]);
  VecF64 zero = set1_f64(0), wide = load_f64(g->terms.wide);
  near = blend_f64(lt_f64(zero, near), near, load_f64(g->rest[k + 1]));
  VecF64 nearer = max_f64(near - object, zero);
  Mask64 blocked = lt_f64(load_f64(g->terms.pair_tolerance), nearer);
  VecF64 over_ground = limit_over(g, GROUND, max_f64(near - ground, ground - far));
  VecF64 over_object = limit_over(g, OBJECT, nearer), over_sky = limit_over(g, SKY, zero);
  if (g->tables->has_ground)
    set_limit(g, GROUND, min_f64(over_object + keep_f64(blocked, wide), over_sky + wide));
  set_limit(g, OBJECT, min_f64(over_ground, over_sky));
  set_limit(g, SKY, min_f64(over_object, over_ground));
}

/* True if the previous row left the kind's states loose in all lanes. */
INLINE bool all_loose(const Group *g, int kind)
{
  HalfF32 last = narrow_f64(set1_f64(4.0 * g->loose - 1));
  return !any_le_f32(narrow_f64(load_f64(g->link[kind])), last);
}

/* True if no state of a lane's path is loose. */
static bool is_sure(const Group *g, int lane)
{
  const State *state = &g->states[g->pieces[lane]];
  int kind = GROUND;
  for (int other = OBJECT; other < KINDS; other++)
    kind = state->energy[other][lane] < state->energy[kind][lane] ? other : kind;
  while (state > g->states) {
    int link = (int)state->link[kind][lane];
    if (link / 4 == g->loose)
      return false;
    state = &g->states[link / 4];
    kind = link % 4;
  }
  return true;
}

/* Solves all rows, with limits if these suffice. */
static void solve_limited(Group *g, void (*solve_rows)(Group *g))
{
  bool sure = true;
  g->limited = true;
  solve_rows(g);
  for (int l = 0; l < LANES; l++)
    sure = sure && is_sure(g, l);
  g->limited = false;
  if (!sure)
    solve_rows(g);
}

/* ---- From row to row ---------------------------------------------------------------------- */

INLINE LanesCut cut_below(const State *below)
{
  LanesCut cut = {load_f64(below->energy[GROUND]), load_f64(below->energy[OBJECT]),
      load_f64(below->energy[SKY]), load_f64(below->value[GROUND]), load_f64(below->value[OBJECT])};
  return cut;
}

INLINE LanesChoice choose_below(LanesPairCost pair, int kind, LanesCut cut, VecF64 foot)
{
  return kind == GROUND   ? lanes_below_ground(pair, cut, foot)
         : kind == OBJECT ? lanes_below_object(pair, cut, foot)
                          : lanes_below_sky(pair, cut);
}

INLINE VecF64 least_below(LanesPairCost pair, int kind, LanesCut cut)
{
  return kind == GROUND   ? lanes_least_below_ground(cut)
         : kind == OBJECT ? lanes_least_below_object(cut)
                          : lanes_least_below_sky(pair, cut);
}

/* ---- The best of a row --------------------------------------------------------------------- */

/* The best so far: its energy, its link, and its plane's value at its upper end. */
typedef struct {
  VecF64 energy, link, value;
} Best;

INLINE Best load_best(const Group *g, int kind)
{
  Best best = {load_f64(g->best[kind]), load_f64(g->link[kind]), load_f64(g->value[kind])};
  return best;
}

INLINE void store_best(Group *g, int kind, Best best)
{
  store_f64(g->best[kind], best.energy);
  store_f64(g->link[kind], best.link);
  store_f64(g->value[kind], best.value);
}

INLINE void offer(Best *best, VecF64 energy, VecF64 link, VecF64 value)
{
  Mask64 wins =
      lt_f64(energy, best->energy) | (eq_f64(energy, best->energy) & lt_f64(link, best->link));
  best->energy = blend_f64(wins, energy, best->energy);
  best->link = blend_f64(wins, link, best->link);
  best->value = blend_f64(wins, value, best->value);
}

INLINE VecF64 link_of(int vb, LanesChoice choice)
{
  return 4.0 * vb + choice.below; /* stx_link */
}

/* ---- Start rows ----------------------------------------------------------------------------- */

/*
 * Lists the last row's winners, and hides them from list_open, for they are computed before.
 * Bounds are rounded, as what they are compared with: both go the same way, so that whatever may
 * win is found.
 */
INLINE void list_winners(Group *g, int kind, int k)
{
  int count = 0;
  int *visited = g->visited[kind];
  if (all_loose(g, kind)) { /* mostly so, or mostly not, for many rows */
    g->wins[kind] = 0;
    return;
  }
  visited[g->loose] = k; /* so that it is not listed */
  for (int l = 0; l < LANES; l++) {
    int vb = (int)g->link[kind][l] >> 2;
    g->won[kind][count] = (int16_t)vb;
    count += visited[vb] != k;
    visited[vb] = k;
    g->bound[kind][vb] = (HalfF32){0} + INFINITY;
  }
  g->wins[kind] = count;
}

/* Those that have been dropped stay hidden. As many steps for few as for many: their number is
 * unpredictable. */
INLINE void show_winners(Group *g, int kind)
{
  if (g->wins[kind] == 0)
    return;
  for (int l = 0; l < LANES; l++) {
    int i = l < g->wins[kind] ? l : 0, vb = g->won[kind][i];
    if (vb >= g->first[kind])
      g->bound[kind][vb] = g->held[kind][i];
  }
}

/* Compaction: for each set of four start rows the rows whose bit is set, first. */
typedef int16_t Four __attribute__((vector_size(8)));
static const Four chosen[16] = {{0}, {0}, {1}, {0, 1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}, {3}, {0, 3},
    {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
static const uint8_t chosen_count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

INLINE int list_four(int16_t *list, int count, unsigned open, int vb)
{
  Four rows = chosen[open] + (int16_t)vb;
  memcpy(list + count, &rows, sizeof rows);
  return count + chosen_count[open];
}

/* Lists the start rows from `first` on whose bound is at most the limit in any lane. Without
 * branches, which would be unpredictable. */
INLINE void list_open(Group *g, int kind, int first, int k, VecF64 limit)
{
  int count = 0;
  int16_t *list = g->list[kind];
  const HalfF32 *bound = g->bound[kind];
  HalfF32 most = narrow_f64(limit);
  for (int vb = first / OPEN_ROWS * OPEN_ROWS; vb <= k; vb += OPEN_ROWS) {
    unsigned open = lanes_open8(bound + vb, most);
    count = list_four(list, count, open & 15, vb);
    count = list_four(list, count, open >> 4, vb + 4);
  }
  g->listed[kind] = count;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void begin_row(Group *g, int kind)
{
  memcpy(g->best[kind], g->worst, sizeof(Lanes));
  memset(g->link[kind], 0, sizeof(Lanes));
  memset(g->value[kind], 0, sizeof(Lanes));
}

static void end_row(const Group *g, int kind, int k)
{
  State *state = &g->states[k + 1];
  memcpy(state->energy[kind], g->best[kind], sizeof(Lanes));
  memcpy(state->link[kind], g->link[kind], sizeof(Lanes));
  if (kind != SKY)
    memcpy(state->value[kind], g->value[kind], sizeof(Lanes));
}

/* Below the image; and everywhere, if there is no ground, its T_K. */
static void init_states(const Group *g)
{
  double cost = g->tables->stixel_cost;
  for (int k = 0; k <= g->pieces[g->longest]; k++) {
    State *state = &g->states[k];
    EACH_LANE
    {
      state->energy[GROUND][l] = STX_FORBIDDEN;
      state->link[GROUND][l] = state->value[GROUND][l] = 0;
    }
  }
  State *bottom = &g->states[0];
  EACH_LANE
  {
    bottom->energy[OBJECT][l] = -cost;
    bottom->energy[SKY][l] = STX_FORBIDDEN;
    bottom->value[OBJECT][l] = 0;
  }
}

static void begin_group(Group *g)
{
  int rows = g->pieces[g->longest];
  init_states(g);
  g->loose = g->tables->rows + OPEN_ROWS;
  memset(g->first, 0, sizeof g->first);
  memset(g->wins, 0, sizeof g->wins);
  for (int kind = 0; kind < KINDS; kind++) {
    for (int vb = 0; vb < rows + OPEN_ROWS; vb++)
      g->bound[kind][vb] = (HalfF32){0} + INFINITY;
    for (int vb = 0; vb < rows; vb++)
      g->visited[kind][vb] = -1;
  }
  for (int l = 0; l < LANES; l++) {
    g->cost[l] = g->tables->stixel_cost;
    g->worst[l] = 2 * STX_FORBIDDEN;
  }
  begin_row(g, GROUND); /* for good, if there is none */
}
