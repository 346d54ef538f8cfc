/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground on the GPU: clusters of occupied cells. Cells are joined with their runs of 32 and the row
 * before by union-find without locks (D. Playne and K. Hawick, "A New Algorithm for Parallel
 * Connected-Component Labelling on GPUs", TPDS 29(6), 2018): a parent is never after its cell, so
 * that a root is the first cell of its cluster.
 */
#ifndef STX_GROUND_CELLS_CUH
#define STX_GROUND_CELLS_CUH

#include "cuda/ground/ground_point.cuh"

enum { RANK_WARPS = STX_GROUND_RANK_THREADS / LANES };

#define CELL_EMPTY UINT32_MAX
#define CELL_FLAG 0x80000000u /* in a label: the rest is the cell of an obstacle */

STX_DEVICE bool is_occupied(const StxGroundArgs *a, uint32_t cell)
{
  return STX_PEEK(&a->parent[cell]) != CELL_EMPTY;
}

/* ---- Union -------------------------------------------------------------------------------- */

STX_DEVICE uint32_t find_root(const uint32_t *parent, uint32_t cell)
{
  for (;;) {
    uint32_t next = STX_PEEK(&parent[cell]);
    if (next == cell)
      return cell;
    cell = next;
  }
}

/* Parents may change meanwhile, but only to what is connected with them. Whoever finds that the
 * root was none any more goes on with what had become its parent. */
STX_DEVICE void unite(uint32_t *parent, uint32_t a, uint32_t b)
{
  for (;;) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a == b)
      return;
    uint32_t later = max(a, b), earlier = min(a, b);
    uint32_t old = atomicMin(&parent[later], earlier);
    if (old == later)
      return;
    a = old;
    b = earlier;
  }
}

/* The first lane of the run of occupied cells that the lane is in. */
STX_DEVICE uint32_t run_start(uint32_t occupied, bool row_begins)
{
  bool mine = occupied >> threadIdx.x % LANES & 1;
  bool goes_on = !row_begins && (occupied & lanes_before()) >> (threadIdx.x - 1) % LANES & 1;
  uint32_t starts = __ballot_sync(STX_FULL_WARP, mine && !goes_on);
  return 31 - __clz((int)(starts & (lanes_before() << 1 | 1)));
}

/* By all lanes; `cell` may be beyond the last. */
STX_DEVICE void join_cell(const StxGroundArgs *a, uint32_t cell)
{
  uint32_t side = a->side, column = cell % side, lane = threadIdx.x % LANES;
  bool occupied = cell < (uint32_t)a->cells && is_occupied(a, cell);
  uint32_t mask = __ballot_sync(STX_FULL_WARP, occupied);
  uint32_t start = run_start(mask, column == 0);
  if (!occupied)
    return;
  bool left = column > 0 && is_occupied(a, cell - 1);
  bool up = cell >= side && is_occupied(a, cell - side);
  if (start != lane)
    unite(a->parent, cell, cell - (lane - start));
  else if (left)
    unite(a->parent, cell, cell - 1);
  if (up && !(left && is_occupied(a, cell - side - 1))) /* else the left ones are joined */
    unite(a->parent, cell, cell - side);
}

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
  uint32_t root = CELL_EMPTY, roots;
  if (cell < (uint32_t)a->cells && is_occupied(a, cell))
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
