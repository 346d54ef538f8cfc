/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp on the GPU: columns as line segments, see common/rdp/rdp.h. One launch: a block owns a
 * column, from its cells to its records, which it writes to their final place; where that is it
 * learns from the columns before it (cuda/driver/ordered.cuh). The kernel exists thrice: the fast
 * way, the same for columns too high for shared memory, and the paper's.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/rdp/rdp_levels.cuh"
#include "cuda/rdp/rdp_output.cuh"
#include "cuda/rdp/rdp_paper.cuh"

/* The block's next column; false: there is none. Mostly each block has one, and asks once. Until
 * take_turn's barrier nothing of the last column's is written but its turn, at which all have
 * looked before load_column's barriers. */
STX_DEVICE bool next_column(Column *c, bool first)
{
  if (!first && gridDim.x >= (unsigned)c->args->columns)
    return false;
  c->column = (int)take_turn(&c->args->turns->order, &c->shared->turn);
  return c->column < c->args->columns;
}

STX_DEVICE void segment_columns(Column *c)
{
  for (bool first = true; next_column(c, first); first = false) {
    load_column(c);
    int levels = split_levels(c);
    write_column(c, levels);
  }
}

STX_KERNEL(stx_rdp_columns, StxRdpArgs, STX_RDP_MAX_WARPS *LANES)
{
  STX_SHARED_DYNAMIC(char, shared);
  Column c = new_column(&a, shared, false);
  segment_columns(&c);
}

STX_KERNEL(stx_rdp_high_columns, StxRdpArgs, STX_RDP_MAX_WARPS *LANES)
{
  STX_SHARED_DYNAMIC(char, shared);
  Column c = new_column(&a, shared, true);
  segment_columns(&c);
}

STX_KERNEL(stx_rdp_paper, StxRdpArgs, STX_RDP_PAPER_THREADS)
{
  STX_SHARED_DYNAMIC(char, shared);
  Column c = new_column(&a, shared, a.layout.scratch != 0);
  for (bool first = true; next_column(&c, first); first = false) {
    load_column(&c);
    int levels = split_as_printed(&c);
    write_column(&c, levels);
  }
}
