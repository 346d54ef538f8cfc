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
  c.warp = __shfl_sync(STX_FULL_WARP, (int)threadIdx.x / LANES, 0);
  c.lane = threadIdx.x % LANES;
  c.has_ground = a->has_ground;
  c.terms = (StxSatdpTerms *)(shared + at->terms);
  c.partial = (StxSatdpPartial *)(shared + at->partial);
  c.counts = (StxSatdpCounts *)(shared + at->counts);
  c.lists = (uint16_t *)(shared + at->lists);
  c.row = row;
  c.slant = slant;
  size_t classes = (size_t)(a->cells + 1) * a->quad[KINDS];
  c.classes = a->classes == NULL ? (int4 *)(shared + at->classes)
                                 : (int4 *)a->classes + classes * blockIdx.x;
  c.prior = stx_ground_prior(c.tables);
  c.pair = pair_rule(c.tables);
  c.stixel_cost = (int)c.tables->stixel_cost;
  c.residual_energy = c.tables->residual_energy;
  return c;
}

STX_DEVICE void solve_columns(
    const StxSatdpColumnsArgs *a, char *shared, StxSatdpRow *row, StxSatdpSlant *slant)
{
  Column c = new_column(a, shared, row, slant);
  for (c.column = blockIdx.x; c.column < a->column_count; c.column += gridDim.x) {
    uint32_t evaluated = 0;
    build_tables(&c);
    __syncthreads();
    if (a->starts != NULL)
      c.rows = c.counts->rows;
    solve_column(&c, &evaluated);
    backtrack(&c, evaluated);
    __syncthreads(); /* before the next column takes the memory */
  }
}

/* Four blocks of eight warps to a multiprocessor leave 64 registers per thread, which is what
 * bounds of 1024 threads make the compiler keep to. */
enum { COLUMN_THREADS = WARPS * LANES, COLUMN_BOUNDS = 1024 };

/* With the rows in shared memory, and in scratch. */
STX_DEVICE void solve_in_shared(const StxSatdpColumnsArgs *a, char *shared)
{
  solve_columns(a, shared, (StxSatdpRow *)(shared + a->layout.rows),
      (StxSatdpSlant *)(shared + a->layout.slants));
}

STX_DEVICE void solve_in_scratch(const StxSatdpColumnsArgs *a, char *shared)
{
  size_t first = (stx_grid_rows(&a->params.grid) + 1) * (size_t)blockIdx.x;
  solve_columns(a, shared, a->rows + first, a->slants + first);
}

#endif
