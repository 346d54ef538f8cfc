/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which T_K(k) are worth knowing. Private to satdp_omp.c and fulldp_omp.c.
 *
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
#ifndef STX_SATDP_LIMITS_INC_H
#define STX_SATDP_LIMITS_INC_H

#include "common/satdp/satdp_simd.inc.h"

/* A disparity per lane. */
INLINE Real lanes_of_cells(const uint16_t *cells)
{
  typedef uint16_t Narrow __attribute__((vector_size(2 * LANES)));
  Narrow narrow;
  memcpy(&narrow, cells, sizeof narrow);
  return lanes_of_integers(__builtin_convertvector(narrow, Integers));
}

/* What another kind may cost at row k before this one is better below the next stixel, whose
 * disparity at the cut is taken to be this far from its own: as much, and α + β·gap. */
INLINE Real limit_over(const Group *g, int kind, Real gap)
{
  const LaneTables *terms = &g->terms;
  return lanes_load(g->best[kind]) + lanes_load(terms->slack) + lanes_load(terms->pair_slope) * gap;
}

INLINE void set_limit(Group *g, int kind, Real guess)
{
  Real best = lanes_load(g->best[kind]), limit = lanes_round(guess); /* energies are integers */
  Mask loose = lanes_less(limit, best);
  lanes_store(g->best[kind], lanes_min(limit, best));
  lanes_store(
      g->link[kind], lanes_select(loose, lanes_real(4.0 * g->loose), lanes_load(g->link[kind])));
  lanes_store(
      g->value[kind], lanes_select(loose, lanes_real((double)NAN), lanes_load(g->value[kind])));
}

/*
 * Once last row's winners have been tried. Only below an object or sky can one kind do for another;
 * ground that is nearer than the object below it has no choice, so where something nearer comes
 * next ground has a wide limit.
 */
INLINE void set_limits(Group *g, int k)
{
  Real near = lanes_of_cells(g->near[k + 1]), far = lanes_of_cells(g->far[k + 1]);
  Real ground = lanes_load(g->value[GROUND]), object = lanes_load(g->value[OBJECT]);
  Real zero = lanes_real(0), wide = lanes_load(g->terms.wide);
  near = lanes_select(lanes_less(zero, near), near, lanes_load(g->rest[k + 1]));
  Real nearer = lanes_max(near - object, zero);
  Mask blocked = lanes_less(lanes_load(g->terms.pair_tolerance), nearer);
  Real over_ground = limit_over(g, GROUND, lanes_max(near - ground, ground - far));
  Real over_object = limit_over(g, OBJECT, nearer), over_sky = limit_over(g, SKY, zero);
  if (g->tables->has_ground)
    set_limit(g, GROUND, lanes_min(over_object + lanes_keep(blocked, wide), over_sky + wide));
  set_limit(g, OBJECT, lanes_min(over_ground, over_sky));
  set_limit(g, SKY, lanes_min(over_object, over_ground));
}

/* Whether the row before left the kind's states loose in all lanes. */
INLINE bool all_loose(const Group *g, int kind)
{
  Floats last = lanes_narrow(lanes_real(4.0 * g->loose - 1));
  return !lanes_any_at_most(lanes_narrow(lanes_load(g->link[kind])), last);
}

/* Whether no state of a lane's path is loose. */
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

/* Solves all rows, with limits if that will do. */
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

#endif
