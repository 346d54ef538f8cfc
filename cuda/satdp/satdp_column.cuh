/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU, first part: a column's memory.
 *
 * A block owns a column. Everything that is known of a boundary between cells stands together in
 * one StxSatdpRow, so that a row needs one address and every field an immediate offset. Its size
 * is an odd number of 8-byte words: 16 lanes that look at the same field of 16 neighbouring rows
 * hit 16 different pairs of banks.
 *
 * Sums are taken over all cells, but only boundaries at which a stixel may begin or end have a row.
 * The recurrence takes what lies between two of them for one cell: it sees m rows instead of h, and
 * all its indices (vb, k, links, lists) count them. Only the records need to know the cells.
 */
#ifndef STX_SATDP_COLUMN_CUH
#define STX_SATDP_COLUMN_CUH

#include "cuda/driver/gpu.cuh"
#include "cuda/satdp/satdp_choice.cuh"

/* Whether objects may be slanted is known when this is compiled: satdp_slanted.cu is all of it once
 * more. It costs sums, registers and time that upright objects need not pay. */
#ifndef STX_SATDP_SLANTED
#define STX_SATDP_SLANTED 0
#endif
enum { SLANTED = STX_SATDP_SLANTED };

enum {
  LANES = 32,
  WARPS = STX_SATDP_WARPS,
  PARTS = STX_SATDP_PARTS,
  TILE = STX_SATDP_TILE,
  STARTS = LANES / TILE /* start rows that a warp tries at once, for a tile's end rows */
};

/* A block's view of its column. */
typedef struct {
  const StxSatdpColumnsArgs *args;
  const StxSatdpTables *tables;
  int column, rows, warp, lane; /* rows: see above */
  bool has_ground;
  StxSatdpTerms *terms;     /* of even and of odd tiles */
  StxSatdpPartial *partial; /* [kind · PARTS + part] */
  StxSatdpCounts *counts;
  StxSatdpConstants *constants;
  uint16_t *lists;      /* start rows; see live_starts */
  StxSatdpRow *row;     /* rows + 1 */
  StxSatdpSlant *slant; /* rows + 1, only if SLANTED */
  int4 *classes;        /* class sums, see quads_at */
} Column;

/* The start rows of a kind that may still win, in rising order. */
STX_DEVICE uint16_t *live_starts(const Column *c, int kind)
{
  return c->lists + kind * c->rows;
}

/* Those of them that the tile under way has to try. */
STX_DEVICE uint16_t *tried_starts(const Column *c, int kind)
{
  return c->lists + (KINDS + kind) * c->rows;
}

/* The sum of a lane's value and those of the lanes below it. */
template <typename T> STX_DEVICE T scan_add(T value, int lane)
{
  for (int step = 1; step < LANES; step *= 2) {
    T below = __shfl_up_sync(STX_FULL_WARP, value, step);
    if (lane >= step)
      value += below;
  }
  return value;
}

/* How many lanes below this one are in the ballot. */
STX_DEVICE int count_below(unsigned ballot, int lane)
{
  return __popc(ballot & ((1u << lane) - 1));
}

/* Adds the scanned values to the sum of all chunks before, and carries that on. A chunk's sum may
 * have fewer bits than all. */
template <typename T, typename Sum> STX_DEVICE Sum scan_on(T value, int lane, Sum *carry)
{
  T scanned = scan_add(value, lane);
  Sum sum = *carry + scanned;
  *carry += __shfl_sync(STX_FULL_WARP, scanned, LANES - 1);
  return sum;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Whether boundary u, below cell u, has a row. */
STX_DEVICE bool has_row(const Column *c, int u)
{
  const uint8_t *starts = c->args->starts;
  if (starts == NULL || u <= 0 || u >= c->args->cells)
    return u >= 0 && u <= c->args->cells;
  return __ldg(starts + (size_t)c->column * c->args->cells + c->args->cells - 1 - u) != 0;
}

/* The row of boundary u, −1 if it has none. The lanes ask for neighbouring boundaries, in rising
 * order; `rows` is the number of rows below these, and carried on. */
STX_DEVICE int row_of(const Column *c, int u, int *rows)
{
  bool has = has_row(c, u);
  if (c->args->starts == NULL)
    return has ? u : -1;
  unsigned all = __ballot_sync(STX_FULL_WARP, has);
  int row = *rows + count_below(all, c->lane);
  *rows += __popc(all);
  return has ? row : -1;
}

STX_DEVICE int count_rows(const Column *c)
{
  int rows = 0;
#pragma unroll 1
  for (int base = 0; base <= c->args->cells; base += LANES)
    rows += __popc(__ballot_sync(STX_FULL_WARP, has_row(c, base + c->lane)));
  return rows;
}

#endif
