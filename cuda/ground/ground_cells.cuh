/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ground on the GPU: clusters are patches of occupied cells, numbered by their roots. */
#ifndef STX_GROUND_CELLS_CUH
#define STX_GROUND_CELLS_CUH

#include "cuda/driver/patches.cuh"
#include "cuda/ground/ground_point.cuh"

enum { RANK_WARPS = STX_GROUND_RANK_THREADS / LANES };

#define CELL_FLAG 0x80000000u /* in a label: the rest is the cell of an obstacle */

/* ---- Numbers ------------------------------------------------------------------------------ */

typedef struct {
  uint32_t count[RANK_WARPS], last;
} RankShared;

/* How many in the threads before this one; *all: in all. Not twice without a barrier
 * between. */
STX_DEVICE uint32_t sum_before(RankShared *shared, uint32_t own, uint32_t *all)
{
  uint32_t sum = own, lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
#pragma unroll
  for (uint32_t step = 1; step < LANES; step *= 2) {
    uint32_t other = __shfl_up_sync(STX_FULL_WARP, sum, step);
    sum += lane >= step ? other : 0;
  }
  if (lane == LANES - 1)
    shared->count[warp] = sum;
  __syncthreads();
  sum -= own;
  *all = 0;
  for (uint32_t w = 0; w < RANK_WARPS; w++) {
    sum += w < warp ? shared->count[w] : 0;
    *all += shared->count[w];
  }
  return sum;
}

/* Finds the root of a cell, and the rank of a root in its block. */
STX_DEVICE void rank_cell(const StxGroundArgs *a, RankShared *shared, uint32_t cell)
{
  uint32_t root = STX_UNUSED_CELL, roots;
  if (cell < (uint32_t)a->cells && is_used(a->parent, cell))
    a->root[cell] = root = find_root(a->parent, cell);
  uint32_t rank = sum_before(shared, root == cell, &roots);
  if (root == cell)
    a->rank[cell] = rank;
  if (threadIdx.x == 0)
    a->before[blockIdx.x] = roots;
}

/* By the last block: from the number of roots in each block to that of all before it. */
STX_DEVICE void sum_blocks(const StxGroundArgs *a, RankShared *shared)
{
  uint32_t each = (gridDim.x + STX_GROUND_RANK_THREADS - 1) / STX_GROUND_RANK_THREADS;
  uint32_t first = min(each * threadIdx.x, gridDim.x), end = min(first + each, gridDim.x);
  uint32_t own = 0, all;
  for (uint32_t i = first; i < end; i++)
    own += a->before[i];
  uint32_t before = sum_before(shared, own, &all);
  for (uint32_t i = first; i < end; i++) {
    uint32_t roots = a->before[i];
    a->before[i] = before;
    before += roots;
  }
  if (threadIdx.x == 0)
    a->result->clusters = all;
}

STX_DEVICE uint32_t cluster_of(const StxGroundArgs *a, uint32_t cell)
{
  uint32_t root = a->root[cell];
  return a->before[root / STX_GROUND_RANK_THREADS] + a->rank[root] + 1;
}

#endif
