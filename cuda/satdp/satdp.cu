/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU: stixels by dynamic programming, see common/satdp/satdp.h. Two kernels:
 *
 *   columns  tables, recurrence and backtracking of one column per block; its records go to a
 *            place of their own in scratch
 *   compact  moves the records together, in the order of the columns
 *
 * The first exists twice: with the column's rows in shared memory, and in scratch for columns that
 * are too high for the device; and both once more, in satdp_slanted.cu, for slanted objects.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/sums.cuh"
#include "cuda/satdp/satdp_columns.cuh"
#include "cuda/satdp/satdp_dp.cuh"

/* ---- Columns ------------------------------------------------------------------------------ */

STX_KERNEL(stx_satdp_columns, StxSatdpColumnsArgs, COLUMN_BOUNDS)
{
  STX_SHARED_DYNAMIC(char, shared);
  solve_in_shared(&a, shared);
}

/* The same with the rows in scratch. */
STX_KERNEL(stx_satdp_high_columns, StxSatdpColumnsArgs, COLUMN_THREADS)
{
  STX_SHARED_DYNAMIC(char, shared);
  solve_in_scratch(&a, shared);
}

/* ---- Compaction --------------------------------------------------------------------------- */

enum { COMPACT_THREADS = STX_SATDP_COMPACT_COLUMNS * LANES };

/*
 * A warp owns a column. Where its records go is the sum of all counts before: each block adds them
 * up by itself (2 KB of them with 512 columns), which needs neither a third kernel nor blocks that
 * wait for each other. The last block states the totals.
 */
STX_KERNEL(stx_satdp_compact, StxSatdpCompactArgs, COMPACT_THREADS)
{
  STX_SHARED(uint64_t, sums, STX_SATDP_COMPACT_COLUMNS);
  int first = blockIdx.x * STX_SATDP_COMPACT_COLUMNS;
  int column = first + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  uint64_t before = 0, evaluated = 0;
  for (int i = threadIdx.x; i < first; i += COMPACT_THREADS)
    before += a.counts[i];
  before = block_sum(before, sums);
  for (int i = first; i < column && i < a.columns; i++)
    before += a.counts[i];
  if (column < a.columns) {
    const uint32_t *from = (const uint32_t *)(a.records + (size_t)column * a.rows);
    uint32_t *to = (uint32_t *)(a.stixels + before);
    int words = a.counts[column] * (int)(sizeof(StxStixel) / sizeof(uint32_t));
    for (int i = lane; i < words; i += LANES)
      to[i] = from[i];
  }
  if (blockIdx.x + 1 != gridDim.x)
    return;
  for (int i = threadIdx.x; i < a.columns; i += COMPACT_THREADS)
    evaluated += a.evaluated[i];
  evaluated = block_sum(evaluated, sums);
  if (column == a.columns - 1 && lane == 0) {
    StxSatdpResult result = {evaluated, (uint32_t)before + a.counts[column], 0};
    *a.result = result;
  }
}
