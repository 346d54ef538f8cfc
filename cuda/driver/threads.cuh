/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of a launch's threads this one is, and which of its blocks ends last. */
#ifndef STX_THREADS_CUH
#define STX_THREADS_CUH

#include <stdint.h>

/* The lanes of the warp that come before this one. */
STX_DEVICE uint32_t lanes_before(void)
{
  return (1u << threadIdx.x % 32) - 1;
}

/* Index of the thread among all of the launch. */
STX_DEVICE uint32_t thread_number(void)
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Is this the last block of the launch that comes here? It then sees what the others wrote. Ends
 * with a barrier. `done` begins with all bits set, `last` is shared. */
STX_DEVICE bool is_last_block(uint32_t *done, uint32_t *last)
{
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    *last = atomicAdd(done, 1u) + 2 == gridDim.x;
    __threadfence();
  }
  __syncthreads();
  return *last != 0;
}

#endif
