/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp on the GPU: stixels by dynamic programming, see common/satdp/satdp.h. One kernel: tables,
 * recurrence and backtracking of a column per block, which writes its records behind those of the
 * columns before.
 *
 * It exists twice: with the column's rows in shared memory, and in scratch for columns that are too
 * high for the device; and both once more, in satdp_slanted.cu, for slanted objects, under other
 * names.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/satdp/satdp_columns.cuh"
#include "cuda/satdp/satdp_dp.cuh"

#if STX_SATDP_SLANTED
#define stx_satdp_columns stx_satdp_slanted_columns
#define stx_satdp_high_columns stx_satdp_slanted_high_columns
#endif

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
