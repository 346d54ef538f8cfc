/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The least energy of a column: the recurrence over stixels (kind, first cell, last cell) instead
 * of one best stixel per kind and last cell, so that every pair cost sees the true plane below.
 */
#include "common/satdp/satdp_explain.h"

#include <math.h>

enum { KINDS = 3 };

/* A stixel on top of the cheapest of what can lie below it. */
typedef struct {
  double energy; /* of the column up to its last cell */
  double top;    /* as in StxSatdpTerms */
  int below_kind, below_first;
} State;

/* [kind][last][first], so that what may lie below a cut are KINDS rows of states. */
static State *states_of(void *scratch, int rows, int kind, int last)
{
  return (State *)scratch + ((size_t)kind * rows + last) * rows;
}

size_t stx_satdp_least_scratch(const StxGrid *grid)
{
  size_t rows = (size_t)stx_grid_rows(grid);
  return KINDS * rows * rows * sizeof(State);
}

/* Sets energy and link, without what the stixel itself costs. */
static void stand(
    const StxSatdpTables *tables, void *scratch, const StxSatdpPiece *piece, double foot, State *s)
{
  s->energy = piece->first == 0 ? 0 : INFINITY;
  for (int kind = 0; kind < KINDS && piece->first > 0; kind++) {
    const State *below = states_of(scratch, tables->rows, kind, piece->first - 1);
    for (int first = 0; first < piece->first; first++) {
      if (below[first].energy >= s->energy)
        continue; /* pair costs are at least 0 */
      double energy =
          below[first].energy + stx_satdp_pair(tables, (StxKind)(STX_KIND_GROUND + kind),
                                    below[first].top, piece->kind, foot);
      if (energy < s->energy) {
        s->energy = energy;
        s->below_kind = kind;
        s->below_first = first;
      }
    }
  }
}

static int trace(void *scratch, int rows, int kind, int first, StxSatdpPiece *pieces)
{
  int count = 0;
  for (int last = rows - 1; last >= 0; count++) {
    const State *s = &states_of(scratch, rows, kind, last)[first];
    pieces[count] = (StxSatdpPiece){first, last, (StxKind)(STX_KIND_GROUND + kind)};
    last = first - 1;
    kind = s->below_kind;
    first = s->below_first;
  }
  for (int i = 0; i < count / 2; i++) {
    StxSatdpPiece lower = pieces[count - 1 - i];
    pieces[count - 1 - i] = pieces[i];
    pieces[i] = lower;
  }
  return count;
}

double stx_satdp_least(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column, StxSatdpPiece *pieces, int *count, void *scratch)
{
  int rows = tables->rows, best_kind = 0, best_first = 0;
  double least = INFINITY;
  for (int last = 0; last < rows; last++)
    for (int kind = 0; kind < KINDS; kind++)
      for (int first = 0; first <= last; first++) {
        StxSatdpPiece piece = {first, last, (StxKind)(STX_KIND_GROUND + kind)};
        State *s = &states_of(scratch, rows, kind, last)[first];
        StxSatdpTerms terms = stx_satdp_terms(params, tables, columns, column, &piece);
        stand(tables, scratch, &piece, terms.foot, s);
        s->energy += stx_satdp_sum(&terms);
        s->top = terms.top;
        if (last == rows - 1 && s->energy < least) {
          least = s->energy;
          best_kind = kind;
          best_first = first;
        }
      }
  *count = trace(scratch, rows, best_kind, best_first, pieces);
  return least;
}
