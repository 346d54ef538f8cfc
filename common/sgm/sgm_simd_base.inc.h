/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The vectors of sgm_simd.inc.h with the compiler's generic vectors: 16 lanes of one byte, any
 * machine. Only the unsigned minimum is spelt out for SSE2, which has it for bytes but not the
 * comparison that the generic form needs; and for NEON all that sgm_simd_neon.inc.h has.
 */
#ifndef STX_SGM_SIMD_BASE_INC_H
#define STX_SGM_SIMD_BASE_INC_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LANES 16
#define PLANES 4
#define PLANE_BITS 8
#define LEFT_SHIFT 0
typedef uint8_t LeftBits;
#define LEFT_REPEAT 1u

typedef uint8_t VBytes __attribute__((vector_size(16)));
typedef uint16_t VWords __attribute__((vector_size(16)));
typedef struct {
  VBytes d;
} KeyIndex;

INLINE VBytes vb_load(const uint8_t *p)
{
  VBytes v;
  memcpy(&v, p, sizeof v);
  return v;
}

INLINE void vb_store(uint8_t *p, VBytes v)
{
  memcpy(p, &v, sizeof v);
}

INLINE VBytes vb_set(int value)
{
  return (uint8_t)value - (VBytes){0};
}

typedef struct {
  VBytes p2;
} CostTable;

INLINE void cost_table(CostTable *table, int p2)
{
  table->p2 = vb_set(p2);
}

#ifdef __aarch64__
#include "common/sgm/sgm_simd_neon.inc.h"
#elif defined __SSE2__
INLINE void vb_stream(uint8_t *p, VBytes v)
{
  _mm_stream_si128((__m128i *)p, (__m128i)v);
}

INLINE void vb_streamed(void)
{
  _mm_sfence();
}

INLINE VBytes vb_min(VBytes a, VBytes b)
{
  return (VBytes)_mm_min_epu8((__m128i)a, (__m128i)b);
}

INLINE VBytes vb_max(VBytes a, VBytes b)
{
  return (VBytes)_mm_max_epu8((__m128i)a, (__m128i)b);
}

INLINE VBytes vb_rest(VBytes a, VBytes b)
{
  return (VBytes)_mm_subs_epu8((__m128i)a, (__m128i)b);
}

INLINE VWords vw_min(VWords a, VWords b)
{
  return a - (VWords)_mm_subs_epu16((__m128i)a, (__m128i)b);
}

INLINE VBytes vb_average(VBytes a, VBytes b)
{
  return (VBytes)_mm_avg_epu8((__m128i)a, (__m128i)b);
}
#else
INLINE void vb_stream(uint8_t *p, VBytes v)
{
  vb_store(p, v);
}

INLINE void vb_streamed(void)
{
}

INLINE VBytes vb_min(VBytes a, VBytes b)
{
  VBytes less = (VBytes)(a < b);
  return (a & less) | (b & ~less);
}

INLINE VBytes vb_max(VBytes a, VBytes b)
{
  VBytes less = (VBytes)(a < b);
  return (b & less) | (a & ~less);
}

INLINE VBytes vb_rest(VBytes a, VBytes b)
{
  return vb_max(a, b) - b;
}

INLINE VWords vw_min(VWords a, VWords b)
{
  VWords less = (VWords)(a < b);
  return (a & less) | (b & ~less);
}

INLINE VBytes vb_average(VBytes a, VBytes b)
{
  return (a | b) - ((a ^ b) >> 1);
}
#endif

INLINE VBytes vb_add(VBytes a, VBytes b)
{
  return a + b;
}

INLINE VBytes vb_sub(VBytes a, VBytes b)
{
  return a - b;
}

#ifdef __SSE2__
/* Of bytes in another order GCC makes 16 loads and stores. */
INLINE VBytes vb_up(VBytes v, VBytes free)
{
  return (VBytes)_mm_or_si128(_mm_slli_si128((__m128i)v, 1), _mm_srli_si128((__m128i)free, 15));
}

INLINE VBytes vb_down(VBytes v, VBytes free)
{
  return (VBytes)_mm_or_si128(_mm_srli_si128((__m128i)v, 1), _mm_slli_si128((__m128i)free, 15));
}

/* In lane 0. */
INLINE __m128i least_lane(VBytes v)
{
  __m128i least = _mm_min_epu8((__m128i)v, _mm_srli_si128((__m128i)v, 8));
  least = _mm_min_epu8(least, _mm_srli_si128(least, 4));
  least = _mm_min_epu8(least, _mm_srli_si128(least, 2));
  return _mm_min_epu8(least, _mm_srli_si128(least, 1));
}

INLINE VBytes vb_least(VBytes v)
{
  __m128i least = least_lane(v);
  return (VBytes)_mm_shuffle_epi32(_mm_shufflelo_epi16(_mm_unpacklo_epi8(least, least), 0), 0);
}

INLINE int vb_least_value(VBytes v)
{
  return _mm_cvtsi128_si32(least_lane(v)) & 0xff;
}
#elif !defined __aarch64__
INLINE VBytes vb_up(VBytes v, VBytes free)
{
  return __builtin_shufflevector(v, free, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
}

INLINE VBytes vb_down(VBytes v, VBytes free)
{
  return __builtin_shufflevector(v, free, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
}

INLINE VBytes vb_least(VBytes v)
{
  v = vb_min(
      v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  v = vb_min(
      v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  v = vb_min(
      v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  return vb_min(
      v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
}

INLINE int vb_least_value(VBytes v)
{
  return vb_least(v)[0];
}
#endif

#ifndef __aarch64__
INLINE int vw_least_value(VWords v)
{
  v = vw_min(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
  v = vw_min(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
  v = vw_min(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
  return v[0];
}
#endif

/* ---- Keys: words of the lower and of the upper lanes -------------------------------------- */

INLINE VWords vw_ones(void)
{
  return ~(VWords){0};
}

INLINE KeyIndex key_index(const uint8_t *disparities)
{
  return (KeyIndex){vb_load(disparities)};
}

/* Byte order: the sum must be the upper half of the word. */
INLINE void key_make(VBytes sums, const KeyIndex *index, VWords *a, VWords *b)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  VBytes even = index->d, odd = sums;
#else
  VBytes even = sums, odd = index->d;
#endif
  *a = (VWords)__builtin_shufflevector(
      even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  *b = (VWords)__builtin_shufflevector(
      even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

#ifdef __SSE2__
/* Of words of two vectors GCC makes ten instructions. */
INLINE void key_down(VWords *a, VWords *b)
{
  __m128i low = (__m128i)*a, high = (__m128i)*b;
  *a = (VWords)_mm_or_si128(_mm_srli_si128(low, 2), _mm_slli_si128(high, 14));
  *b = (VWords)_mm_or_si128(_mm_srli_si128(high, 2), _mm_slli_si128((__m128i)vw_ones(), 14));
}

INLINE void key_up(VWords *a, VWords *b)
{
  __m128i low = (__m128i)*a, high = (__m128i)*b;
  *b = (VWords)_mm_or_si128(_mm_slli_si128(high, 2), _mm_srli_si128(low, 14));
  *a = (VWords)_mm_or_si128(_mm_slli_si128(low, 2), _mm_srli_si128((__m128i)vw_ones(), 14));
}
#else
INLINE void key_down(VWords *a, VWords *b)
{
  *a = __builtin_shufflevector(*a, *b, 1, 2, 3, 4, 5, 6, 7, 8);
  *b = __builtin_shufflevector(*b, vw_ones(), 1, 2, 3, 4, 5, 6, 7, 8);
}

INLINE void key_up(VWords *a, VWords *b)
{
  *b = __builtin_shufflevector(*a, *b, 7, 8, 9, 10, 11, 12, 13, 14);
  *a = __builtin_shufflevector(vw_ones(), *a, 7, 8, 9, 10, 11, 12, 13, 14);
}
#endif

INLINE int key_first(VWords a)
{
  return a[0];
}

INLINE int key_last(VWords b)
{
  return b[7];
}

/* ---- Cost --------------------------------------------------------------------------------- */

#ifndef __aarch64__
/* Shifts whole words: a byte's shift takes a mask of its own before that of the fields. */
INLINE VBytes fields_above(VBytes v, int bits, uint8_t mask)
{
  return (VBytes)((VWords)v >> bits) & mask;
}

INLINE VBytes pair_count(VBytes v)
{
  return v - fields_above(v, 1, 0x55);
}

/* Bits per nibble. A field of four bits has room for three of these. */
INLINE VBytes nibble_count(VBytes v)
{
  v = pair_count(v);
  return (v & 0x33) + fields_above(v, 2, 0x33);
}

INLINE VBytes nibble_sum(VBytes nibbles)
{
  return (nibbles & 0x0f) + fields_above(nibbles, 4, 0x0f);
}

INLINE VBytes byte_count(VBytes a, VBytes b)
{
  return nibble_sum(nibble_count(a) + nibble_count(b));
}

/* Bits of three bytes. */
INLINE VBytes vb_count3(VBytes a, VBytes b, VBytes c)
{
  return nibble_sum(nibble_count(a) + nibble_count(b) + nibble_count(c));
}

INLINE void cost_vectors(const CostTable *table, const LeftBits *left, size_t left_stride,
    const uint8_t *const *right, size_t plane_stride, int n, VBytes *cost)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++) {
    VBytes differ[PLANES];
#pragma GCC unroll 4
    for (size_t p = 0; p < PLANES; p++)
      differ[p] = vb_load(right[k] + p * plane_stride) ^ left[p * left_stride];
    cost[k] = table->p2 + byte_count(differ[0], differ[1]) + byte_count(differ[2], differ[3]);
  }
}
#endif

#endif
