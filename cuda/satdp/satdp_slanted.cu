/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* satdp.cu's kernels of columns, for objects that may be slanted. */
#define STX_SATDP_SLANTED 1

#include "cuda/driver/gpu.cuh"

#include "cuda/satdp/satdp_columns.cuh"
#include "cuda/satdp/satdp_dp.cuh"

STX_KERNEL(stx_satdp_slanted_columns, StxSatdpColumnsArgs, COLUMN_BOUNDS)
{
  STX_SHARED_DYNAMIC(char, shared);
  solve_in_shared(&a, shared);
}

STX_KERNEL(stx_satdp_slanted_high_columns, StxSatdpColumnsArgs, COLUMN_THREADS)
{
  STX_SHARED_DYNAMIC(char, shared);
  solve_in_scratch(&a, shared);
}
