/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The least and the most of a warp, and sums over a warp and over a block, of any integers. Without
 * atomics: one of 64 bits on shared memory is no instruction but a loop of compare and swap, which
 * every thread has to win in turn.
 */
#ifndef STX_SUMS_CUH
#define STX_SUMS_CUH

STX_DEVICE unsigned warp_min_by_shuffles(unsigned value)
{
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = min(value, __shfl_xor_sync(STX_FULL_WARP, value, step));
  return value;
}

/* By all lanes of the warp, to all of them: these and the next. */
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

/* The same of words. */
STX_DEVICE unsigned warp_sum_of_words(unsigned value)
{
  return STX_REDUCE(add, value, warp_sum(value));
}

/* The same of 64 bits, of which the least 52 count with their sign: two sums of words, whose halves
 * of 26 bits leave room for 32 lanes. */
STX_DEVICE long long warp_sum_of_halves(long long value)
{
  unsigned low = warp_sum_of_words((unsigned)value & 0x3ffffffu);
  unsigned high = warp_sum_of_words((unsigned)(value >> 26));
  return (long long)(int)high * (1ll << 26) + low;
}

/* By all threads of a block of one dimension, whole warps, to all of them. `shared` has room for a
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

#endif
