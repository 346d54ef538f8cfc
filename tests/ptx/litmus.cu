/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The patterns of our kernels that do without locks, each alone, for check_ptx_litmus.c. */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/ordered.cuh"
#include "cuda/driver/patches.cuh"
#include "tests/ptx/litmus_args.h"

/* The last block sees the stores of the other block, and the counts of both; a block's first thread
 * does one, and its second the other. */
STX_KERNEL(litmus_last_block, LitmusArgs, LITMUS_THREADS)
{
  STX_SHARED(uint32_t, last, 1);
  LitmusWords *words = a.words;
  if (threadIdx.x == 0)
    atomicAdd(&words->counted, 1u);
  else
    words->written[blockIdx.x] = 1;
  if (!is_last_block(&words->done, last))
    return;
  words->seen[threadIdx.x] = threadIdx.x == 0 ? words->counted : words->written[1 - blockIdx.x];
}

/* A block's turn: what each lane has added, to sums over all turns, is seen by one thread of the
 * last one. */
STX_KERNEL(litmus_last_turn, LitmusArgs, LITMUS_THREADS)
{
  LitmusWords *words = a.words;
  atomicAdd(&words->added[threadIdx.x], 1u);
  __syncwarp((1u << LITMUS_THREADS) - 1);
  if (threadIdx.x != 0 || !is_last_turn(&words->order, LITMUS_BLOCKS))
    return;
  words->seen[0] = words->added[0];
  words->seen[1] = words->added[1];
}

STX_KERNEL(litmus_unite, LitmusArgs, LITMUS_THREADS)
{
  uint32_t thread = thread_number();
  unite(a.words->parent, a.edge[thread][0], a.edge[thread][1]);
}
