/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp on the GPU: columns as line segments, see common/rdp/rdp.h. Two kernels:
 *
 *   columns  one column per block, from its cells to its records, which go to a place of their own
 *            in scratch. Exists twice: the fast way, and the paper's
 *   compact  moves the records together, in the order of the columns, and adds up the statistics
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/sums.cuh"
#include "cuda/rdp/rdp_levels.cuh"
#include "cuda/rdp/rdp_output.cuh"
#include "cuda/rdp/rdp_paper.cuh"

/* ---- Columns ------------------------------------------------------------------------------ */

STX_KERNEL(stx_rdp_columns, StxRdpColumnsArgs, STX_RDP_MAX_WARPS *LANES)
{
  STX_SHARED_DYNAMIC(char, shared);
  Column c = new_column(&a, shared);
  for (c.column = blockIdx.x; c.column < a.columns; c.column += gridDim.x) {
    load_column(&c);
    int levels = split_levels(&c);
    write_column(&c, levels);
    __syncthreads(); /* before the next column takes the memory */
  }
}

STX_KERNEL(stx_rdp_paper, StxRdpColumnsArgs, STX_RDP_PAPER_THREADS)
{
  STX_SHARED_DYNAMIC(char, shared);
  Column c = new_column(&a, shared);
  for (c.column = blockIdx.x; c.column < a.columns; c.column += gridDim.x) {
    load_column(&c);
    int levels = split_as_printed(&c);
    write_column(&c, levels);
    __syncthreads();
  }
}

/* ---- Compaction --------------------------------------------------------------------------- */

enum { COMPACT_THREADS = STX_RDP_COMPACT_THREADS };

/* Segments of the columns before `first`, by all threads of the block. */
STX_DEVICE uint32_t count_before(const StxRdpCompactArgs *a, int first, uint64_t *shared)
{
  uint64_t own = 0;
  for (int i = threadIdx.x; i < first; i += COMPACT_THREADS)
    own += a->summary[i].segments;
  return (uint32_t)block_sum(own, shared);
}

/* Statistics of all columns, by all threads of the last block. */
STX_DEVICE void add_up(const StxRdpCompactArgs *a, uint64_t *shared, uint32_t *deepest)
{
  StxRdpResult own = {0, 0, 0, 0, 0};
  if (threadIdx.x == 0)
    *deepest = 0;
  for (int i = threadIdx.x; i < a->columns; i += COMPACT_THREADS) {
    StxRdpColumn column = a->summary[i];
    own.unknown += column.unknown;
    own.levels += column.levels;
    own.levels_squared += (uint64_t)column.levels * column.levels;
    own.deepest = max(own.deepest, column.levels);
    own.count += column.segments;
  }
  own.unknown = block_sum(own.unknown, shared);
  atomicMax(deepest, own.deepest);
  own.levels = block_sum(own.levels, shared);
  own.levels_squared = block_sum(own.levels_squared, shared);
  own.count = (uint32_t)block_sum((uint64_t)own.count, shared);
  own.deepest = *deepest;
  if (threadIdx.x == 0)
    *a->result = own;
}

/* A warp owns a column. Each block adds up by itself how many segments come before its first one,
 * which needs neither a third kernel nor blocks that wait for each other. */
STX_KERNEL(stx_rdp_compact, StxRdpCompactArgs, COMPACT_THREADS)
{
  STX_SHARED(uint64_t, sums, STX_RDP_COMPACT_COLUMNS);
  STX_SHARED(uint32_t, deepest, 1);
  int first = blockIdx.x * STX_RDP_COMPACT_COLUMNS;
  int column = first + threadIdx.x / LANES, lane = threadIdx.x % LANES;
  if (a.segments != NULL) {
    uint32_t before = count_before(&a, first, sums);
    for (int i = first; i < column && i < a.columns; i++)
      before += a.summary[i].segments;
    if (column < a.columns) {
      const uint32_t *from = (const uint32_t *)(a.records + (size_t)column * a.rows);
      uint32_t *to = (uint32_t *)(a.segments + before);
      uint32_t words = a.summary[column].segments * (sizeof(StxStixel) / sizeof(uint32_t));
      for (uint32_t i = lane; i < words; i += LANES)
        to[i] = from[i];
    }
  }
  if (blockIdx.x + 1 == gridDim.x)
    add_up(&a, sums, deepest);
}
