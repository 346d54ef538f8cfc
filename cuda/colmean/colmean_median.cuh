/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: the lower median m of a cell's disparities, of which unknown ones, and
 * slots without a pixel, are 0.
 *
 *   one thread   taken from an odd-even merge sort (63 comparators for 16 values, of which the
 *                compiler drops what only concerns ranks that cannot be asked for)
 *   several      the largest m with #{d < m} <= rank, found bit by bit from above; bits that all
 *                pixels of a cell share need no counting, the upper half where a surface is smooth
 *
 * The weighted mean takes what is within 4 px of the median, at least. Where all valid values of a
 * cell agree but for their lowest ten bits (fewer, where steps are coarse), any of them, and their
 * common part, stands for it: all enter. Where that is so for all cells of a warp, on smooth
 * surfaces, nothing is sorted or searched.
 */
#ifndef STX_COLMEAN_MEDIAN_CUH
#define STX_COLMEAN_MEDIAN_CUH

#include "cuda/colmean/colmean_pixels.cuh"

STX_DEVICE void order(uint32_t &a, uint32_t &b)
{
  const uint32_t low = min(a, b);
  b = max(a, b);
  a = low;
}

/* Merges the two sorted halves of the COUNT values from FROM on; in recursion, every STEP-th. */
template <int FROM, int COUNT, int STEP> STX_DEVICE void merge(uint32_t *v)
{
  if constexpr (2 * STEP < COUNT) {
    merge<FROM, COUNT, 2 * STEP>(v);
    merge<FROM + STEP, COUNT, 2 * STEP>(v);
#pragma unroll
    for (int i = FROM + STEP; i + STEP < FROM + COUNT; i += 2 * STEP)
      order(v[i], v[i + STEP]);
  } else {
    order(v[FROM], v[FROM + STEP]);
  }
}

template <int FROM, int COUNT> STX_DEVICE void sort(uint32_t *v)
{
  if constexpr (COUNT > 1) {
    sort<FROM, COUNT / 2>(v);
    sort<FROM + COUNT / 2, COUNT / 2>(v);
    merge<FROM, COUNT, 1>(v);
  }
}

/* The value of rank `rank` >= COUNT / 2 − 1. */
template <int COUNT> STX_DEVICE uint32_t ranked(const Share<COUNT> &share, uint32_t rank)
{
  uint32_t v[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    v[i] = share_d(share, i);
  sort<0, COUNT>(v);
  uint32_t value = v[COUNT / 2 - 1];
#pragma unroll
  for (int i = COUNT / 2; i < COUNT; i++)
    value = rank == (uint32_t)i ? v[i] : value;
  return value;
}

/* Which bits the median search has to look at, and the ones above them. */
struct Prefix {
  uint32_t all, any; /* of the valid disparities: bits in all, in any of them */
};

STX_DEVICE void add_to_prefix(Prefix &prefix, uint32_t d)
{
  prefix.all &= d > 0 ? d : 65535;
  prefix.any |= d;
}

/* Bits that a search has to look at, from the highest that differs among the valid values of any of
 * the warp's cells; and m, a cell's bits above them. A cell without a valid pixel gets anything. */
STX_DEVICE int open_bits(Prefix prefix, int lanes, uint32_t &m)
{
  const uint32_t any = lanes_or(prefix.any, lanes);
  const uint32_t all = ~lanes_or(~prefix.all, lanes);
  const int bits = 32 - __clz(lanes_or(any == 0 ? 0 : any ^ all, 32));
  m = any >> bits << bits;
  return bits;
}

/*
 * The largest m with below(m) <= rank, where below(m) is the number of a cell's values < m, summed
 * over the `lanes` threads that own it; its bits from `bits` on are known. All lanes of the warp
 * call this together.
 */
template <typename Below>
STX_DEVICE uint32_t search_median(uint32_t m, int bits, uint32_t rank, int lanes, Below below)
{
#pragma unroll 1
  for (int bit = bits - 1; bit >= 0; bit--) {
    const uint32_t candidate = m | 1u << bit;
    if (lanes_sum(below(candidate), lanes) <= rank)
      m = candidate;
  }
  return m;
}

/* Rank of the lower median when the invalid ones of `slots` values are 0. */
STX_DEVICE uint32_t median_rank(uint32_t slots, uint32_t valid)
{
  return slots - valid + (valid - 1) / 2;
}

/* How many of 15-bit values, two to a word, are >= m: the sign bits of d + (2^15 − m), which are
 * collected four to a word, and added up by a dot product. Five instructions for four values, where
 * comparisons take eight. */
template <int PAIRS> STX_DEVICE uint32_t count_from(const uint32_t pair[PAIRS], uint32_t m)
{
  const uint32_t add = (0x8000 - m) * 0x10001;
  uint32_t count = 0;
#pragma unroll
  for (int i = 0; i < PAIRS; i += 2) {
    const uint32_t signs = __byte_perm(pair[i] + add, pair[i + 1] + add, 0x7531) & 0x80808080;
    count = __dp4a(signs, 0x01010101u, count);
  }
  return count / 128;
}

/* Makes 15-bit values of which as many are below any m < 2^15 as were below `top` | m before. */
template <int PAIRS> STX_DEVICE void drop_top_bit(uint32_t pair[PAIRS], uint32_t top)
{
#pragma unroll
  for (int i = 0; i < PAIRS; i++) {
    const uint32_t with = (pair[i] >> 15 & 0x10001) * 0x7fff; /* all ones where the bit is set */
    pair[i] = top ? pair[i] & with : (pair[i] | with) & 0x7fff7fff;
  }
}

/* The bit-by-bit search, in 15 bits. The values' top bit is looked at first where it matters, which
 * is where a warp sees disparities on both sides of 128 pixels; otherwise the valid ones share it.
 */
template <int VALUES>
STX_DEVICE uint32_t search_share(
    const Share<VALUES> &share, uint32_t rank, int lanes, int near_bits)
{
  constexpr int PAIRS = VALUES / 2;
  uint32_t pair[PAIRS], m;
  Prefix prefix = {65535, 0};
#pragma unroll
  for (int i = 0; i < VALUES; i++)
    add_to_prefix(prefix, share_d(share, i));
  int bits = open_bits(prefix, lanes, m);
  if (bits <= near_bits)
    return m;
#pragma unroll
  for (int i = 0; i < PAIRS; i++)
    pair[i] = share.pair[i];
  if (bits > 15) {
    uint32_t from = 0;
#pragma unroll
    for (int i = 0; i < VALUES; i++)
      from += share_d(share, i) >> 15;
    m = lanes * VALUES - lanes_sum(from, lanes) <= rank ? 0x8000 : 0;
    bits = 15;
  }
  drop_top_bit<PAIRS>(pair, m & 0x8000);
  const uint32_t low = search_median(m & 0x7fff, bits, rank, lanes,
      [&pair](uint32_t candidate) { return VALUES - count_from<PAIRS>(pair, candidate); });
  return (m & 0x8000) | low;
}

/* True for the whole warp if each thread's values are all valid and near one another, or none is;
 * `common`: bits that they share. */
template <int VALUES>
STX_DEVICE bool all_near(
    const Share<VALUES> &share, uint32_t valid, int near_bits, uint32_t &common)
{
  uint32_t all = share.pair[0], any = share.pair[0];
#pragma unroll
  for (int i = 1; i < VALUES / 2; i++) {
    all &= share.pair[i];
    any |= share.pair[i];
  }
  common = all & all >> 16 & 65535;
  const uint32_t open = ((any | any >> 16) & 65535) ^ common;
  return __all_sync(STX_FULL_WARP, valid == 0 || (valid == VALUES && open >> near_bits == 0));
}

/* The median, or where `near_bits` is not negative a value that makes the same ones enter. */
template <int VALUES>
STX_DEVICE uint32_t share_median(
    const Share<VALUES> &share, uint32_t valid, int lanes, int near_bits)
{
  const uint32_t rank = median_rank(lanes * VALUES, valid);
  uint32_t common;
  if (lanes > 1)
    return search_share<VALUES>(share, rank, lanes, near_bits);
  if (near_bits >= 0 && all_near<VALUES>(share, valid, near_bits, common))
    return common;
  return ranked<VALUES>(share, rank);
}

#endif
