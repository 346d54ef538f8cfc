/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernels with one planted bug each, and good twins of them: see selftest.c. All do the same: out
 * is in moved by one thread within the block, through shared memory where not said otherwise.
 */
#include "cuda/driver/gpu.cuh"

#include "tests/emu/selftest_args.h"

#define N SELFTEST_THREADS
#define BUG(name) STX_KERNEL(selftest_##name, SelftestArgs, SELFTEST_THREADS)

#define FIRST (blockIdx.x * N) /* of this block */
#define ME threadIdx.x
#define RIGHT ((threadIdx.x + 1) % N)
#define OTHER (threadIdx.x ^ 1) /* of a pair within the warp */

/* ---- Barriers ------------------------------------------------------------------------------ */

BUG(good_barrier)
{
  STX_SHARED(uint32_t, kept, N);
  kept[ME] = a.in[FIRST + ME];
  __syncthreads();
  a.out[FIRST + ME] = kept[RIGHT];
}

BUG(lost_barrier)
{
  STX_SHARED(uint32_t, kept, N);
  kept[ME] = a.in[FIRST + ME];
  a.out[FIRST + ME] = kept[RIGHT];
}

/* The second round overwrites what others may still read. */
BUG(lost_second_barrier)
{
  STX_SHARED(uint32_t, kept, N);
  for (int round = 0; round < 2; round++) {
    kept[ME] = a.in[FIRST + ME] + (1 - round);
    __syncthreads();
    a.out[FIRST + ME] = kept[RIGHT];
  }
}

BUG(divergent_barriers)
{
  if (ME % 2 == 0)
    __syncthreads();
  else
    __syncthreads();
  a.out[FIRST + ME] = a.in[FIRST + RIGHT];
}

BUG(left_before_barrier)
{
  if (ME == 5)
    return;
  __syncthreads();
  a.out[FIRST + ME] = a.in[FIRST + RIGHT];
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* Two arrays and the dynamic memory are three memories. */
BUG(good_memory)
{
  STX_SHARED_2D(uint16_t, halves, 2, N);
  STX_SHARED(unsigned char, flags, N);
  STX_SHARED_DYNAMIC(uint32_t, kept);
  halves[0][ME] = (uint16_t)a.in[FIRST + ME];
  halves[1][ME] = (uint16_t)(a.in[FIRST + ME] >> 16);
  flags[ME] = 0;
  kept[ME] = 0;
  __syncthreads();
  bool sizes = sizeof halves == 4 * N && sizeof flags == N && flags[RIGHT] == 0 && kept[RIGHT] == 0;
  a.out[FIRST + ME] = sizes ? (uint32_t)halves[1][RIGHT] << 16 | halves[0][RIGHT] : 0;
}

BUG(beyond_shared)
{
  STX_SHARED(uint32_t, kept, N);
  uint32_t *at = kept;
  at[ME + 1] = a.in[FIRST + ME];
  __syncthreads();
  a.out[FIRST + ME] = a.in[FIRST + RIGHT];
}

BUG(before_shared)
{
  STX_SHARED(uint32_t, kept, N);
  uint32_t *at = kept;
  at[(int)ME - 4] = a.in[FIRST + ME];
  __syncthreads();
  a.out[FIRST + ME] = a.in[FIRST + RIGHT];
}

BUG(beyond_dynamic)
{
  STX_SHARED_DYNAMIC(unsigned char, kept);
  kept[4 * ME + 4] = 0;
  __syncthreads();
  a.out[FIRST + ME] = a.in[FIRST + RIGHT];
}

BUG(beyond_global)
{
  a.out[FIRST + ME] = a.in[FIRST + RIGHT];
  if (FIRST + ME + 1 == N * gridDim.x)
    a.out[FIRST + N] = 0;
}

BUG(beyond_global_read)
{
  a.out[FIRST + ME] = a.in[FIRST + ME + 1];
}

BUG(never_written)
{
  STX_SHARED(uint32_t, kept, N);
  if (ME != 7)
    kept[ME] = a.in[FIRST + ME];
  __syncthreads();
  a.out[FIRST + ME] = kept[RIGHT];
}

BUG(much_shared)
{
  STX_SHARED(uint32_t, kept, N);
  kept[ME] = a.in[FIRST + ME];
  __syncthreads();
  a.out[FIRST + ME] = kept[RIGHT];
}

/* ---- Blocks -------------------------------------------------------------------------------- */

/* Every block counts itself; the last one to arrive sees what the others wrote. */
BUG(good_last_block)
{
  STX_SHARED(unsigned, arrived, 1);
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] - 1;
  __threadfence();
  __syncthreads();
  if (ME == 0)
    arrived[0] = atomicAdd(a.count, 1u);
  __syncthreads();
  if (arrived[0] + 1 != gridDim.x)
    return;
  __threadfence();
  for (unsigned block = 0; block < gridDim.x; block++)
    a.out[block * N + ME] += 1;
}

/* Ordered within each block, but not between them. */
BUG(race_of_blocks)
{
  STX_SHARED(uint32_t, kept, N);
  kept[ME] = a.in[FIRST + ME];
  __syncthreads();
  a.out[FIRST + ME] = kept[RIGHT];
  if (ME == 0)
    *a.count = *a.count + 1;
  __syncthreads();
}

/* ---- Warps --------------------------------------------------------------------------------- */

BUG(good_shuffle)
{
  uint32_t value = __shfl_sync(STX_FULL_WARP, a.in[FIRST + ME], ME + 1);
  a.out[FIRST + ME] = ME % 32 == 31 ? a.in[FIRST + RIGHT] : value;
}

/* The halves of a warp synchronise on their own and not equally often. */
BUG(good_syncwarp)
{
  STX_SHARED(uint32_t, kept, N);
  const unsigned half = ME % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
  for (unsigned i = 0; i < 1 + ME % 32 / 16; i++) {
    kept[ME] = 0;
    __syncwarp(half);
    const uint32_t zero = kept[OTHER];
    __syncwarp(half);
    kept[ME] = a.in[FIRST + ME] + zero;
  }
  __syncwarp();
  const uint32_t zero = kept[ME ^ 16] - a.in[FIRST + (ME ^ 16)];
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] + zero;
}

BUG(lost_syncwarp)
{
  STX_SHARED(uint32_t, kept, N);
  kept[ME] = a.in[FIRST + ME];
  const uint32_t zero = kept[OTHER] - a.in[FIRST + OTHER];
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] + zero;
}

/* A vote makes lanes wait, but orders no memory. */
BUG(vote_for_syncwarp)
{
  STX_SHARED(uint32_t, kept, N);
  kept[ME] = a.in[FIRST + ME];
  const bool all = __all_sync(STX_FULL_WARP, 1);
  const uint32_t zero = all ? kept[OTHER] - a.in[FIRST + OTHER] : 1;
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] + zero;
}

BUG(not_in_mask)
{
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] + __shfl_sync(0x0000ffffu, 0u, 0);
}

BUG(mask_of_ended_lanes)
{
  if (ME == 3)
    return;
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] + __shfl_sync(STX_FULL_WARP, 0u, 0);
}

BUG(different_masks)
{
  const unsigned mask = ME % 32 < 16 ? STX_FULL_WARP : 0xffff0001u;
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] + __shfl_sync(mask, 0u, 20);
}

BUG(shuffle_from_outside)
{
  uint32_t zero = 0;
  if (ME % 32 < 16)
    zero = __shfl_down_sync(0x0000ffffu, 0u, 1); /* lane 15 reads from lane 16 */
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] + zero;
}

BUG(different_shuffles)
{
  uint32_t zero;
  if (ME % 2 == 0)
    zero = __shfl_sync(STX_FULL_WARP, 0u, 0);
  else
    zero = __shfl_sync(STX_FULL_WARP, 0u, 1);
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] + zero;
}

BUG(odd_width)
{
  a.out[FIRST + ME] = a.in[FIRST + RIGHT] + __shfl_sync(STX_FULL_WARP, 0u, 0, 12);
}
