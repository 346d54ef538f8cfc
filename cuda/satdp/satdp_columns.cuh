/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU: a block works off its columns, one after the other; see satdp.cu. fulldp.cu has
 * a recurrence of its own in it.
 */
#ifndef STX_SATDP_COLUMNS_CUH
#define STX_SATDP_COLUMNS_CUH

#include "cuda/satdp/satdp_backtrack.cuh"
#include "cuda/satdp/satdp_tables.cuh"

/* The recurrence, from the tables to energies and links; adds to `evaluated`. */
STX_DEVICE void solve_column(const Column *c, uint32_t *evaluated);

/* Warps have other parts in every block, so that the recurrences of the blocks of a multiprocessor
 * are not all in the same quarter of it: it does not matter whether the blocks that share one have
 * neighbouring numbers or numbers that differ by the number of multiprocessors. The shuffle tells
 * the compiler that a warp's lanes agree. */
STX_DEVICE int warp_number(const StxSatdpColumnsArgs *a)
{
  int turn = (int)(blockIdx.x / a->processors + blockIdx.x % a->processors);
  return __shfl_sync(STX_FULL_WARP, ((int)threadIdx.x / LANES + turn) & (WARPS - 1), 0);
}

/* `slant` is not looked at unless SLANTED. */
STX_DEVICE Column new_column(
    const StxSatdpColumnsArgs *a, char *shared, StxSatdpRow *row, StxSatdpSlant *slant)
{
  Column c;
  const StxSatdpLayout *at = &a->layout;
  c.args = a;
  c.tables = a->tables;
  c.column = 0;
  c.rows = a->cells;
  c.warp = warp_number(a);
  c.lane = threadIdx.x % LANES;
  c.has_ground = a->has_ground;
  StxSatdpShared *first = (StxSatdpShared *)shared;
  c.terms = first->terms;
  c.partial = first->partial;
  c.counts = &first->counts;
  c.constants = &first->counts.constants;
  c.lists = (uint16_t *)(shared + at->lists);
  c.row = row;
  c.slant = slant;
  size_t classes = (size_t)a->table_size;
  c.classes = a->classes == NULL ? (int4 *)(shared + at->classes)
                                 : (int4 *)a->classes + classes * blockIdx.x;
  return c;
}

/* The pair of a lane that computes the terms of a tile: satdp_prune.cuh. */
STX_DEVICE void store_pair(const Column *c, int lane)
{
  int i = 1, left = lane;
#pragma unroll 1
  for (; i < TILE && left >= TILE - i; i++)
    left -= TILE - i;
  c->counts->pair[lane] = (uint8_t)(i < TILE ? i * TILE + i + left : 0);
}

/* Constants by the thread that reads them first, in clear_bottom. */
STX_DEVICE void store_constants(const Column *c)
{
  if (threadIdx.x < LANES)
    store_pair(c, threadIdx.x);
  if (threadIdx.x != 0)
    return;
  *c->constants = constants_of(c->tables);
#pragma unroll 1
  for (int kind = 0; kind < KINDS; kind++)
    c->counts->rule[kind] = rule_of(c->constants, kind);
}

/* Columns are taken in the order in which blocks get to it, whatever their numbers are: backtrack
 * waits for the columns before, which must have begun. False: there is none left. Until take_turn's
 * barrier nothing of the last column's is written but its turn, at which all have looked before
 * backtrack's last barrier. */
STX_DEVICE bool take_column(Column *c)
{
  int turn = (int)take_turn(&c->args->turns->order, &c->counts->column);
  c->column = __shfl_sync(STX_FULL_WARP, turn, 0); /* as in warp_number */
  return c->column < c->args->column_count;
}

STX_DEVICE void solve_columns(
    const StxSatdpColumnsArgs *a, char *shared, StxSatdpRow *row, StxSatdpSlant *slant)
{
  Column c = new_column(a, shared, row, slant);
  store_constants(&c);
#pragma unroll 1
  while (take_column(&c)) {
    uint32_t evaluated = 0;
    build_tables(&c);
    __syncthreads();
    if (a->starts != NULL)
      c.rows = c.counts->rows;
    solve_column(&c, &evaluated);
    backtrack(&c, evaluated);
    if (gridDim.x >= (unsigned)a->column_count)
      return; /* every block has a column */
  }
}

/* Four blocks of eight warps to a multiprocessor leave 64 registers per thread, which is what
 * bounds of 1024 threads make the compiler keep to. */
enum { COLUMN_THREADS = WARPS * LANES, COLUMN_BOUNDS = 1024 };

/* With the rows in shared memory, and in scratch. */
STX_DEVICE void solve_in_shared(const StxSatdpColumnsArgs *a, char *shared)
{
  solve_columns(a, shared, (StxSatdpRow *)(shared + sizeof(StxSatdpShared)),
      (StxSatdpSlant *)(shared + a->layout.slants));
}

STX_DEVICE void solve_in_scratch(const StxSatdpColumnsArgs *a, char *shared)
{
  size_t first = (stx_grid_rows(&a->params.grid) + 1) * (size_t)blockIdx.x;
  solve_columns(a, shared, a->rows + first, a->slants + first);
}

#endif
