/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The vectors of sgm_simd.inc.h with AVX-512: 64 lanes of one byte. The census words come in four
 * planes of 8 bits; VPOPCNTB counts them directly.
 */
#ifndef STX_SGM_SIMD_AVX512_INC_H
#define STX_SGM_SIMD_AVX512_INC_H

#include <immintrin.h>

#define LANES 64
#define PLANES 4
#define PLANE_BITS 8
#define LEFT_SHIFT 0
/* A byte four times: VPBROADCASTD takes it from memory without a shuffle, VPBROADCASTB does not. */
typedef uint32_t LeftBits;
#define LEFT_REPEAT 0x01010101u

typedef __m512i VBytes;
typedef __m512i VWords;
typedef struct {
  __m512i even, odd;
} KeyIndex;

INLINE VBytes vb_load(const uint8_t *p)
{
  return _mm512_loadu_si512(p);
}

INLINE void vb_store(uint8_t *p, VBytes v)
{
  _mm512_storeu_si512(p, v);
}

INLINE void vb_stream(uint8_t *p, VBytes v)
{
  _mm512_stream_si512((void *)p, v);
}

INLINE void vb_streamed(void)
{
  _mm_sfence();
}

INLINE VBytes vb_set(int value)
{
  return _mm512_set1_epi8((char)value);
}

INLINE VBytes vb_min(VBytes a, VBytes b)
{
  return _mm512_min_epu8(a, b);
}

INLINE VBytes vb_max(VBytes a, VBytes b)
{
  return _mm512_max_epu8(a, b);
}

INLINE VBytes vb_rest(VBytes a, VBytes b)
{
  return _mm512_subs_epu8(a, b);
}

INLINE VBytes vb_add(VBytes a, VBytes b)
{
  return _mm512_add_epi8(a, b);
}

INLINE VBytes vb_sub(VBytes a, VBytes b)
{
  return _mm512_sub_epi8(a, b);
}

INLINE VBytes vb_average(VBytes a, VBytes b)
{
  return _mm512_avg_epu8(a, b);
}

/* Indices 1, 2, … 64 less `back`: what a shift by one lane reads. */
INLINE __m512i lane_index(int back)
{
  static const uint8_t ascending[66] __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
      33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55,
      56, 57, 58, 59, 60, 61, 62, 63, 64, 65};
  return _mm512_sub_epi8(_mm512_loadu_si512(ascending + 1), _mm512_set1_epi8((char)back));
}

INLINE VBytes vb_up(VBytes v, VBytes free)
{
  return _mm512_mask_permutexvar_epi8(free, ~1ull, lane_index(2), v);
}

INLINE VBytes vb_down(VBytes v, VBytes free)
{
  return _mm512_mask_permutexvar_epi8(free, ~0ull >> 1, lane_index(0), v);
}

/* The smallest of 16 bytes, in a word whose neighbours are undefined. */
INLINE __m128i least_word(VBytes v)
{
  __m256i half = _mm256_min_epu8(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
  __m128i lane = _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  return _mm_minpos_epu16(_mm_min_epu8(lane, _mm_srli_epi16(lane, 8)));
}

INLINE VBytes vb_least(VBytes v)
{
  return _mm512_broadcastb_epi8(least_word(v));
}

INLINE int vb_least_value(VBytes v)
{
  return _mm_cvtsi128_si32(least_word(v)) & 0xff;
}

/* ---- Keys: words of the even and of the odd lanes ----------------------------------------- */

INLINE VWords vw_ones(void)
{
  return _mm512_set1_epi16(-1);
}

INLINE VWords vw_min(VWords a, VWords b)
{
  return _mm512_min_epu16(a, b);
}

INLINE int vw_least_value(VWords v)
{
  __m256i half = _mm256_min_epu16(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
  __m128i lane = _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  return _mm_cvtsi128_si32(_mm_minpos_epu16(lane)) & 0xffff;
}

INLINE KeyIndex key_index(const uint8_t *disparities)
{
  VBytes d = vb_load(disparities);
  return (KeyIndex){_mm512_slli_epi16(d, 8), _mm512_srli_epi16(d, 8)};
}

INLINE void key_make(VBytes sums, const KeyIndex *index, VWords *a, VWords *b)
{
  *a = _mm512_shldi_epi16(sums, index->even, 8);
  *b = _mm512_ternarylogic_epi64(sums, _mm512_set1_epi16((short)0xff00), index->odd, 0xEA);
}

INLINE void key_down(VWords *a, VWords *b)
{
  static const uint16_t next[32] __attribute__((aligned(64))) = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
      12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 31};
  VWords first = *a;
  *a = *b;
  *b = _mm512_mask_permutexvar_epi16(vw_ones(), ~0u >> 1, _mm512_load_si512(next), first);
}

INLINE void key_up(VWords *a, VWords *b)
{
  static const uint16_t previous[32] __attribute__((aligned(64))) = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
      9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
  VWords second = *b;
  *b = *a;
  *a = _mm512_mask_permutexvar_epi16(vw_ones(), ~1u, _mm512_load_si512(previous), second);
}

INLINE int key_first(VWords a)
{
  return _mm_cvtsi128_si32(_mm512_castsi512_si128(a)) & 0xffff;
}

INLINE int key_last(VWords b)
{
  return _mm_extract_epi16(_mm512_extracti32x4_epi32(b, 3), 7);
}

/* ---- Cost --------------------------------------------------------------------------------- */

typedef struct {
  VBytes p2;
} CostTable;

INLINE void cost_table(CostTable *table, int p2)
{
  table->p2 = vb_set(p2);
}

INLINE void cost_vectors(const CostTable *table, const LeftBits *left, size_t left_stride,
    const uint8_t *const *right, size_t plane_stride, int n, VBytes *cost)
{
  for (int p = 0; p < PLANES; p++) {
    VBytes bits = _mm512_set1_epi32((int)left[(size_t)p * left_stride]);
#pragma GCC unroll 16
    for (int k = 0; k < n; k++) {
      VBytes differ = _mm512_xor_si512(bits, vb_load(right[k] + (size_t)p * plane_stride));
      VBytes count = _mm512_popcnt_epi8(differ);
      cost[k] = vb_add(p == 0 ? table->p2 : cost[k], count);
    }
  }
}

#endif
