/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp on the GPU: see common/fulldp/fulldp.h. Tables and backtracking are satdp's;
 * data term and recurrence are its own. Like satdp's, the kernel exists twice: with the column's
 * rows in shared memory, and in scratch.
 */
#define STX_FULLDP
#include "cuda/driver/gpu.cuh"

#include "cuda/fulldp/fulldp_dp.cuh"
#include "cuda/satdp/satdp_columns.cuh"

STX_KERNEL(stx_fulldp_columns, StxSatdpColumnsArgs, COLUMN_BOUNDS)
{
  STX_SHARED_DYNAMIC(char, shared);
  solve_in_shared(&a, shared);
}

/* The same with the rows in scratch. */
STX_KERNEL(stx_fulldp_high_columns, StxSatdpColumnsArgs, COLUMN_THREADS)
{
  STX_SHARED_DYNAMIC(char, shared);
  solve_in_scratch(&a, shared);
}
