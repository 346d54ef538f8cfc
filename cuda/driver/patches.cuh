/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patches of a grid: used cells that are connected by their sides. Cells are joined with their runs
 * of 32 and the row before by union-find without locks (D. Playne and K. Hawick, "A New Algorithm
 * for Parallel Connected-Component Labelling on GPUs", TPDS 29(6), 2018): a parent is never after
 * its cell, so that a root is the first cell of its patch.
 *
 * parent[cell] begins as `cell`, or STX_UNUSED_CELL; cells are numbered row by row.
 */
#pragma once

#include "cuda/driver/threads.cuh"

#define STX_UNUSED_CELL UINT32_MAX

STX_DEVICE bool is_used(const uint32_t *parent, uint32_t cell)
{
  return stx_peek(&parent[cell]) != STX_UNUSED_CELL;
}

STX_DEVICE uint32_t find_root(const uint32_t *parent, uint32_t cell)
{
  for (;;) {
    uint32_t next = stx_peek(&parent[cell]);
    if (next == cell)
      return cell;
    cell = next;
  }
}

/* Parents may change meanwhile, but only to what is connected with them. A thread that finds that
 * the root is none any more goes on with its parent. */
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

/* The first lane of the run of used cells that the lane is in. */
STX_DEVICE uint32_t run_start(uint32_t used, bool row_begins)
{
  bool mine = used >> threadIdx.x % 32 & 1;
  bool goes_on = !row_begins && (used & lanes_before()) >> (threadIdx.x - 1) % 32 & 1;
  uint32_t starts = __ballot_sync(STX_FULL_WARP, mine && !goes_on);
  return 31 - __clz((int)(starts & (lanes_before() << 1 | 1)));
}

/* Joins a cell with those to its left and above. By all lanes of a warp, with neighbouring cells;
 * `cell` may be beyond the last. */
STX_DEVICE void join_cell(uint32_t *parent, uint32_t cells, uint32_t columns, uint32_t cell)
{
  uint32_t column = cell % columns, lane = threadIdx.x % 32;
  bool used = cell < cells && is_used(parent, cell);
  uint32_t mask = __ballot_sync(STX_FULL_WARP, used);
  uint32_t start = run_start(mask, column == 0);
  if (!used)
    return;
  bool left = column > 0 && is_used(parent, cell - 1);
  bool up = cell >= columns && is_used(parent, cell - columns);
  if (start != lane)
    unite(parent, cell, cell - (lane - start));
  else if (left)
    unite(parent, cell, cell - 1);
  if (up && !(left && is_used(parent, cell - columns - 1))) /* else the left ones are joined */
    unite(parent, cell, cell - columns);
}
