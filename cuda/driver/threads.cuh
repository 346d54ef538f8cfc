/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The place of a thread in its launch: its number, the last block; and reductions of warps and
 * blocks: minimum, maximum, sum. */
#pragma once

#include "cuda/driver/gpu.cuh"

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
  if (threadIdx.x == 0)
    *last = stx_add_in_order(done, 1) + 2 == gridDim.x;
  __syncthreads();
  return *last != 0;
}

/* ---- What the compiler had better know, or had better not ----------------------------------- */

/* threadIdx.y, in a way that tells the compiler that a warp has but one. */
STX_DEVICE int warp_of_block()
{
  return __shfl_sync(STX_FULL_WARP, (int)threadIdx.y, 0);
}

/* Returns the value from a shuffle, so that the compiler keeps it in a register: what it can
 * compute again in each step, with other instructions, it does not keep. */
template <typename T> STX_DEVICE T kept(T value)
{
  return __shfl_sync(STX_FULL_WARP, value, (int)threadIdx.x);
}

/* Keeps an address and that it lies in global memory: only there an atomic addition whose result is
 * not used is an instruction of its own. */
template <typename T> STX_DEVICE T *kept(T *global)
{
  return (T *)__cvta_global_to_generic(kept(__cvta_generic_to_global(global)));
}

/* ---- Warps and blocks ------------------------------------------------------------------------ */

/* The least, the most and sums of any integers. Without atomics: one of 64 bits on shared memory is
 * no instruction but a loop of compare and swap, which every thread has to win in turn. */

STX_DEVICE unsigned warp_min_by_shuffles(unsigned value)
{
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = min(value, __shfl_xor_sync(STX_FULL_WARP, value, step));
  return value;
}

/* Warp reductions: all lanes call these, and all get the result. */
STX_DEVICE unsigned warp_min(unsigned value)
{
  return STX_REDUCE(min, value, warp_min_by_shuffles(value));
}

STX_DEVICE unsigned warp_max_by_shuffles(unsigned value)
{
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = max(value, __shfl_xor_sync(STX_FULL_WARP, value, step));
  return value;
}

STX_DEVICE unsigned warp_max(unsigned value)
{
  return STX_REDUCE(max, value, warp_max_by_shuffles(value));
}

template <typename T> STX_DEVICE T warp_sum(T value)
{
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(STX_FULL_WARP, value, step);
  return value;
}

/* The sum of the lane's value and those of the lanes before it; `lane`: threadIdx.x modulo 32. */
template <typename T> STX_DEVICE T warp_scan(T value, unsigned lane)
{
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    T before = __shfl_up_sync(STX_FULL_WARP, value, step);
    value += lane >= step ? before : 0;
  }
  return value;
}

/* warp_sum of words. */
STX_DEVICE unsigned warp_sum_of_words(unsigned value)
{
  return STX_REDUCE(add, value, warp_sum(value));
}

/* The same of 64 bits, of which the least 52 count with their sign: two sums of words, whose halves
 * of 26 bits leave 5 bits for 32 lanes. */
STX_DEVICE long long warp_sum_of_halves(long long value)
{
  unsigned low = warp_sum_of_words((unsigned)value & 0x3ffffffu);
  unsigned high = warp_sum_of_words((unsigned)(value >> 26));
  return (long long)(int)high * (1ll << 26) + low;
}

/* By all threads of a block of one dimension, whole warps, to all of them. `shared` holds a
 * value per warp; the caller has a barrier between the last look at it and this. */
template <typename T> STX_DEVICE T block_sum(T value, T *shared)
{
  T sum = 0;
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0)
    shared[threadIdx.x / 32] = value;
  __syncthreads();
  for (unsigned warp = 0; warp < blockDim.x / 32; warp++)
    sum += shared[warp];
  return sum;
}
