/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the compiler had better know, or had better not. */
#ifndef STX_SGM_HINTS_CUH
#define STX_SGM_HINTS_CUH

#include "cuda/driver/gpu.cuh"

/* threadIdx.y, in a way that tells the compiler that a warp has but one. */
STX_DEVICE int warp_of_block()
{
  return __shfl_sync(STX_FULL_WARP, (int)threadIdx.y, 0);
}

/* A value that is kept: of one that it can calculate anew, with other instructions, in each step,
 * the compiler does not think that it is worth a register. */
template <typename T> STX_DEVICE T kept(T value)
{
  return __shfl_sync(STX_FULL_WARP, value, (int)threadIdx.x);
}

/* Of an address, it remains known that it lies in global memory: only there a sum that nobody waits
 * for is an instruction of its own. */
template <typename T> STX_DEVICE T *kept(T *global)
{
  return (T *)__cvta_global_to_generic(kept(__cvta_generic_to_global(global)));
}

#endif
