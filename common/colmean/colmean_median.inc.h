/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction, fast implementation: medians of cells. A piece of colmean_depth_omp.c. */
#ifndef STX_COLMEAN_MEDIAN_INC_H
#define STX_COLMEAN_MEDIAN_INC_H

#include "common/colmean/colmean_lanes_private.h"

#include <string.h>

#define SORTED 16 /* values in the sorting network */

/* count + 1 in the lanes where value < limit; `small`: both are below 2^15. Without AVX-512 numbers
 * that have a sign are compared by one instruction, others by two. */
ALWAYS_INLINE V16 count_below(V16 count, V16 value, V16 limit, bool small)
{
#if defined __AVX512BW__
  __mmask32 below = _mm512_cmplt_epu16_mask((__m512i)value, (__m512i)limit);
  return (V16)_mm512_mask_sub_epi16((__m512i)count, below, (__m512i)count, _mm512_set1_epi16(-1));
#else
  typedef int16_t Signed __attribute__((vector_size(VECTOR_BYTES), may_alias));
  return count - (small ? (V16)((Signed)value < (Signed)limit) : (V16)(value < limit));
#endif
}

/* The highest bit that is set in any lane of any disparity. */
static unsigned highest_bit(const Pixels *pixels)
{
  V16 any = {0};
  for (int i = 0; i < pixels->count; i++)
    any |= pixels->disparity[i];
  unsigned bits = 1;
  for (int lane = 0; lane < LANES; lane++)
    bits |= any[lane];
  return 1u << (31 - __builtin_clz(bits));
}

/* The value of each lane's rank, 0 the smallest, below 2 · bit. */
ALWAYS_INLINE V16 select_below(const Pixels *pixels, V16 rank, unsigned bit, bool small)
{
  V16 value = {0};
  for (; bit > 0; bit >>= 1) {
    V16 candidate = value | (uint16_t)bit, below = {0}, below2 = {0};
    int i = 0;
    for (; i + 1 < pixels->count; i += 2) {
      below = count_below(below, pixels->disparity[i], candidate, small);
      below2 = count_below(below2, pixels->disparity[i + 1], candidate, small);
    }
    if (i < pixels->count)
      below = count_below(below, pixels->disparity[i], candidate, small);
    value |= (V16)(below + below2 <= rank) & (uint16_t)bit;
  }
  return value;
}

static V16 select_by_bits(const Pixels *pixels, V16 rank)
{
  unsigned bit = highest_bit(pixels);
  return bit < 0x8000 ? select_below(pixels, rank, bit, true)
                      : select_below(pixels, rank, bit, false);
}

/* K. Batcher, "Sorting networks and their applications", AFIPS 1968: odd-even merge sort. */
static const uint8_t network[63][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}, {4, 5}, {6, 7},
    {4, 6}, {5, 7}, {5, 6}, {0, 4}, {2, 6}, {2, 4}, {1, 5}, {3, 7}, {3, 5}, {1, 2}, {3, 4}, {5, 6},
    {8, 9}, {10, 11}, {8, 10}, {9, 11}, {9, 10}, {12, 13}, {14, 15}, {12, 14}, {13, 15}, {13, 14},
    {8, 12}, {10, 14}, {10, 12}, {9, 13}, {11, 15}, {11, 13}, {9, 10}, {11, 12}, {13, 14}, {0, 8},
    {4, 12}, {4, 8}, {2, 10}, {6, 14}, {6, 10}, {2, 4}, {6, 8}, {10, 12}, {1, 9}, {5, 13}, {5, 9},
    {3, 11}, {7, 15}, {7, 11}, {3, 5}, {7, 9}, {11, 13}, {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10},
    {11, 12}, {13, 14}};

static inline void order(V16 *a, V16 *b)
{
#if defined __AVX512BW__
  __m512i x = (__m512i)*a, y = (__m512i)*b;
  *a = (V16)_mm512_min_epu16(x, y);
  *b = (V16)_mm512_max_epu16(x, y);
#elif defined __AVX2__
  __m256i x = (__m256i)*a, y = (__m256i)*b;
  *a = (V16)_mm256_min_epu16(x, y);
  *b = (V16)_mm256_max_epu16(x, y);
#else
  V16 swap = (V16)(*a > *b) & (*a ^ *b);
  *a ^= swap;
  *b ^= swap;
#endif
}

/* The same for up to SORTED values. */
static V16 select_by_sorting(const Pixels *pixels, V16 rank)
{
  V16 v[SORTED] = {0}, value = {0};
  memcpy(v, pixels->disparity, pixels->count * sizeof *v);
#pragma GCC unroll 63
  for (int i = 0; i < 63; i++)
    order(&v[network[i][0]], &v[network[i][1]]);
#pragma GCC unroll 16
  for (int i = 0; i < SORTED; i++)
    value |= v[i] & (V16)(rank == (uint16_t)i);
  return value;
}

static V16 lower_median(const Pixels *pixels, V16 valid)
{
  V16 half = (valid - 1) >> 1, unknown = (V16){0} - valid;
  if (pixels->count <= SORTED)
    return select_by_sorting(pixels, half + unknown + SORTED);
  return select_by_bits(pixels, half + unknown + (uint16_t)pixels->count);
}

#endif
