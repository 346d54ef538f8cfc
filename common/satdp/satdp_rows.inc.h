/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the recurrence goes from row to row. Private to satdp_omp.c and fulldp_omp.c.
 */
#ifndef STX_SATDP_ROWS_INC_H
#define STX_SATDP_ROWS_INC_H

#include "common/satdp/satdp_limits.inc.h"

INLINE LanesCut cut_below(const State *below)
{
  LanesCut cut = {lanes_load(below->energy[GROUND]), lanes_load(below->energy[OBJECT]),
      lanes_load(below->energy[SKY]), lanes_load(below->value[GROUND]),
      lanes_load(below->value[OBJECT])};
  return cut;
}

INLINE LanesChoice choose_below(LanesPairCost pair, int kind, LanesCut cut, Real foot)
{
  return kind == GROUND   ? lanes_below_ground(pair, cut, foot)
         : kind == OBJECT ? lanes_below_object(pair, cut, foot)
                          : lanes_below_sky(pair, cut);
}

INLINE Real least_below(LanesPairCost pair, int kind, LanesCut cut)
{
  return kind == GROUND   ? lanes_least_below_ground(cut)
         : kind == OBJECT ? lanes_least_below_object(cut)
                          : lanes_least_below_sky(pair, cut);
}

/* ---- The best of a row --------------------------------------------------------------------- */

/* The best so far: its energy, its link, and its plane's value at its upper end. */
typedef struct {
  Real energy, link, value;
} Best;

INLINE Best load_best(const Group *g, int kind)
{
  Best best = {lanes_load(g->best[kind]), lanes_load(g->link[kind]), lanes_load(g->value[kind])};
  return best;
}

INLINE void store_best(Group *g, int kind, Best best)
{
  lanes_store(g->best[kind], best.energy);
  lanes_store(g->link[kind], best.link);
  lanes_store(g->value[kind], best.value);
}

INLINE void offer(Best *best, Real energy, Real link, Real value)
{
  Mask wins = lanes_less(energy, best->energy) |
              (lanes_equal(energy, best->energy) & lanes_less(link, best->link));
  best->energy = lanes_select(wins, energy, best->energy);
  best->link = lanes_select(wins, link, best->link);
  best->value = lanes_select(wins, value, best->value);
}

INLINE Real link_of(int vb, LanesChoice choice)
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
    g->bound[kind][vb] = (Floats){0} + INFINITY;
  }
  g->wins[kind] = count;
}

/* Those that have been dropped stay hidden. As many steps for few as for many: how many there are
 * nobody could predict. */
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

/* Of four start rows those whose bit is set, first. */
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
 * branches, which nobody could predict. */
INLINE void list_open(Group *g, int kind, int first, int k, Real limit)
{
  int count = 0;
  int16_t *list = g->list[kind];
  const Floats *bound = g->bound[kind];
  Floats most = lanes_narrow(limit);
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
      g->bound[kind][vb] = (Floats){0} + INFINITY;
    for (int vb = 0; vb < rows; vb++)
      g->visited[kind][vb] = -1;
  }
  for (int l = 0; l < LANES; l++) {
    g->cost[l] = g->tables->stixel_cost;
    g->worst[l] = 2 * STX_FORBIDDEN;
  }
  begin_row(g, GROUND); /* for good, if there is none */
}

#endif
