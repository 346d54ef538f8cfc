/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the recurrence goes from row to row. Private to satdp_omp.c and fulldp_omp.c.
 */
#ifndef STX_SATDP_ROWS_INC_H
#define STX_SATDP_ROWS_INC_H

#include "common/satdp/satdp_lanes_private.h"

#include <string.h>
#ifdef __AVX__
#include <immintrin.h>
#endif

/* 1 if a <= b in any lane. */
static inline int any_at_most(const double *a, const double *b)
{
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask(_mm512_load_pd(a), _mm512_load_pd(b), _CMP_LE_OQ) != 0;
#elif defined(__AVX__)
  return _mm256_movemask_pd(_mm256_cmp_pd(_mm256_load_pd(a), _mm256_load_pd(b), _CMP_LE_OQ)) != 0;
#else
  return (a[0] <= b[0]) | (a[1] <= b[1]) | (a[2] <= b[2]) | (a[3] <= b[3]);
#endif
}

static inline StxCut cut_below(const State *below, int l)
{
  StxCut cut = {below->energy[GROUND][l], below->energy[OBJECT][l], below->energy[SKY][l],
      below->value[GROUND][l], below->value[OBJECT][l]};
  return cut;
}

static inline StxChoice choose_below(StxPairCost pair, int kind, StxCut cut, double foot)
{
  return kind == GROUND   ? stx_below_ground(pair, cut, foot)
         : kind == OBJECT ? stx_below_object(pair, cut, foot)
                          : stx_below_sky(pair, cut);
}

/* The list of the last row's winners. */
static inline void list_winners(Group *g, int kind, int k)
{
  int count = 0;
  int *visited = g->visited[kind], *list = g->list[kind];
  for (int l = 0; l < LANES; l++) {
    int vb = (int)g->link[kind][l] >> 2;
    list[count] = vb;
    count += visited[vb] != k;
    visited[vb] = k;
  }
  g->listed[kind] = count;
}

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
  init_states(g);
  memset(g->first, 0, sizeof g->first);
  for (int l = 0; l < LANES; l++) {
    g->cost[l] = g->tables->stixel_cost;
    g->worst[l] = 2 * STX_FORBIDDEN;
  }
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

#endif
