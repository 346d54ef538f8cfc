/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A look back over turns that say their numbers meanwhile, in any order. On a GPU these are other
 * blocks; here it is another warp, because blocks run one after another. */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/ordered.cuh"
#include "tests/emu/selftest_args.h"

/* A permutation of the turns: 7919 is a prime above all of them. */
STX_DEVICE uint32_t shuffled(uint32_t i, uint32_t turns)
{
  return i * 7919u % turns;
}

STX_DEVICE void publish_others(const SelftestOrderArgs *a)
{
  for (uint32_t i = 0; i < a->turn; i++) {
    uint32_t turn = shuffled(i, a->turn), sum = 0;
    for (uint32_t t = 0; t <= turn; t++)
      sum += t % 7;
    if (threadIdx.x % 32 == 0 && turn % a->sums == 0)
      atomicExch(order_word(a->order, turn), sum << ORDER_SHIFT | ORDER_SUM);
    else if (threadIdx.x % 32 == 0)
      publish_count(a->order, turn, turn % 7);
    __syncwarp();
  }
}

STX_KERNEL(selftest_ordered, SelftestOrderArgs, SELFTEST_THREADS)
{
  if (threadIdx.x >= 32) {
    publish_others(&a);
    return;
  }
  if (threadIdx.x == 0)
    publish_count(a.order, a.turn, a.count);
  a.before[threadIdx.x] = count_before(a.order, a.turn, a.count);
}
