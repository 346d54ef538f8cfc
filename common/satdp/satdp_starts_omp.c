/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp, restricted start rows: the summed tables of a group reduced to the boundaries between
 * pieces, every lane to its own, and the recurrence's answers brought back to rows of cells.
 */
#include "common/satdp/satdp_lanes_private.h"

/* Finds the pieces of a lane, the lowest first. */
static void find_pieces(Group *g, int lane)
{
  int rows = g->tables->rows, count = 0;
  const uint8_t *start = g->starts + (size_t)g->column[lane] * rows;
  g->boundary[0][lane] = 0;
  for (int u = 1; u <= rows; u++) { /* without branches, which would be unpredictable */
    g->boundary[count + 1][lane] = u;
    count += u == rows || start[rows - 1 - u] != 0;
  }
  g->pieces[lane] = count;
  if (count > g->pieces[g->longest])
    g->longest = lane;
}

/* Every lane's values of its boundary `at` move there. Those between are no longer needed: a lane's
 * boundaries are at least as high as their number. */
static void move_boundary(const Group *g, int at)
{
  enum { SUMS = sizeof(SumRow) / sizeof(Lanes), SLANTS = sizeof(SlantRow) / sizeof(Lanes) };
  int stride = g->classes[KINDS];
  Lanes *to = (Lanes *)&g->rows[at];
  Ints *sums = g->sums + (size_t)at * stride;
  for (int l = 0; l < LANES; l++) {
    int u = g->boundary[at][l];
    const Lanes *from = (const Lanes *)&g->rows[u];
    const Ints *from_sums = g->sums + (size_t)u * stride;
    for (int i = 0; i < SUMS; i++)
      to[i][l] = from[i][l];
    for (int i = 0; i < stride; i++)
      sums[i][l] = from_sums[i][l];
    for (int i = 0; i < SLANTS && g->slants != NULL; i++)
      ((Lanes *)&g->slants[at])[i][l] = ((const Lanes *)&g->slants[u])[i][l];
    g->cut[at][l] = g->cut[u][l];
    g->rest[at][l] = g->rest[u][l];
    g->near[at][l] = g->near[u][l];
    g->far[at][l] = g->far[u][l];
  }
}

void STX_VARIANT(stx_satdp_compress)(Group *g)
{
  int rows = g->tables->rows;
  g->longest = 0;
  for (int l = 0; l < LANES; l++)
    g->pieces[l] = rows;
  if (g->starts == NULL)
    return;
  for (int l = 0; l < LANES; l++)
    find_pieces(g, l);
  int most = g->pieces[g->longest];
  for (int l = 0; l < LANES; l++) /* empty pieces at the top of the shorter lanes */
    for (int at = g->pieces[l] + 1; at <= most; at++)
      g->boundary[at][l] = rows;
  for (int at = 1; at <= most; at++)
    move_boundary(g, at);
}

void STX_VARIANT(stx_satdp_expand)(Group *g)
{
  if (g->starts == NULL)
    return;
  for (int l = 0; l < LANES; l++)
    for (int at = g->pieces[l]; at > 0; at--) {
      const State *from = &g->states[at];
      State *to = &g->states[g->boundary[at][l]];
      for (int kind = 0; kind < KINDS; kind++) {
        to->energy[kind][l] = from->energy[kind][l];
        int packed = (int)from->link[kind][l]; /* in pieces; becomes rows of cells */
        to->link[kind][l] = stx_link(g->boundary[packed / 4][l], packed % 4);
      }
    }
}
