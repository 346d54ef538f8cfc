/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp on the GPU: columns as line segments, see common/rdp/rdp.h. One launch: a block owns a
 * column, from its cells to its records, which it writes to their final place; where that is it
 * learns from the columns before it (cuda/driver/ordered.cuh). The kernel exists twice: once more
 * for columns too high for shared memory.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/rdp/rdp_levels.cuh"
#include "cuda/rdp/rdp_output.cuh"

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
