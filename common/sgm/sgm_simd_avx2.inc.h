/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The vectors of sgm_simd.inc.h with AVX2: 32 lanes of one byte. The census words come in eight
 * planes of 4 bits: for each left nibble a table of its distance to every right nibble is looked up
 * with PSHUFB, which costs one shuffle and one addition and no exclusive-or.
 */
#ifndef STX_SGM_SIMD_AVX2_INC_H
#define STX_SGM_SIMD_AVX2_INC_H

#include <immintrin.h>

#define LANES 32
#define PLANES 8
#define PLANE_BITS 4
#define LEFT_SHIFT 4 /* left nibbles are kept times 16: offsets into the table */
typedef uint8_t LeftBits;
#define LEFT_REPEAT 1u

typedef __m256i VBytes;
typedef __m256i VWords;
typedef struct {
  __m256i d;
} KeyIndex;

INLINE VBytes vb_load(const uint8_t *p)
{
  return _mm256_loadu_si256((const __m256i *)p);
}

INLINE void vb_store(uint8_t *p, VBytes v)
{
  _mm256_storeu_si256((__m256i *)p, v);
}

INLINE void vb_stream(uint8_t *p, VBytes v)
{
  _mm256_stream_si256((__m256i *)p, v);
}

INLINE void vb_streamed(void)
{
  _mm_sfence();
}

INLINE VBytes vb_set(int value)
{
  return _mm256_set1_epi8((char)value);
}

INLINE VBytes vb_min(VBytes a, VBytes b)
{
  return _mm256_min_epu8(a, b);
}

INLINE VBytes vb_max(VBytes a, VBytes b)
{
  return _mm256_max_epu8(a, b);
}

INLINE VBytes vb_rest(VBytes a, VBytes b)
{
  return _mm256_subs_epu8(a, b);
}

INLINE VBytes vb_add(VBytes a, VBytes b)
{
  return _mm256_add_epi8(a, b);
}

INLINE VBytes vb_sub(VBytes a, VBytes b)
{
  return _mm256_sub_epi8(a, b);
}

INLINE VBytes vb_average(VBytes a, VBytes b)
{
  return _mm256_avg_epu8(a, b);
}

INLINE VBytes vb_up(VBytes v, VBytes free)
{
  return _mm256_alignr_epi8(v, _mm256_permute2x128_si256(free, v, 0x20), 15);
}

INLINE VBytes vb_down(VBytes v, VBytes free)
{
  return _mm256_alignr_epi8(_mm256_permute2x128_si256(v, free, 0x21), v, 1);
}

INLINE __m128i least_word(VBytes v)
{
  __m128i lane = _mm_min_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  return _mm_minpos_epu16(_mm_min_epu8(lane, _mm_srli_epi16(lane, 8)));
}

INLINE VBytes vb_least(VBytes v)
{
  return _mm256_broadcastb_epi8(least_word(v));
}

INLINE int vb_least_value(VBytes v)
{
  return _mm_cvtsi128_si32(least_word(v)) & 0xff;
}

/* ---- Keys: words of the lower and of the upper lanes of each 128-bit half ----------------- */

INLINE VWords vw_ones(void)
{
  return _mm256_set1_epi16(-1);
}

INLINE VWords vw_min(VWords a, VWords b)
{
  return _mm256_min_epu16(a, b);
}

INLINE int vw_least_value(VWords v)
{
  __m128i lane = _mm_min_epu16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  return _mm_cvtsi128_si32(_mm_minpos_epu16(lane)) & 0xffff;
}

INLINE KeyIndex key_index(const uint8_t *disparities)
{
  return (KeyIndex){vb_load(disparities)};
}

INLINE void key_make(VBytes sums, const KeyIndex *index, VWords *a, VWords *b)
{
  *a = _mm256_unpacklo_epi8(index->d, sums);
  *b = _mm256_unpackhi_epi8(index->d, sums);
}

INLINE void key_down(VWords *a, VWords *b)
{
  VWords next = _mm256_permute2x128_si256(*a, vw_ones(), 0x21);
  *a = _mm256_alignr_epi8(*b, *a, 2);
  *b = _mm256_alignr_epi8(next, *b, 2);
}

INLINE void key_up(VWords *a, VWords *b)
{
  VWords previous = _mm256_permute2x128_si256(vw_ones(), *b, 0x20);
  *b = _mm256_alignr_epi8(*b, *a, 14);
  *a = _mm256_alignr_epi8(*a, previous, 14);
}

INLINE int key_first(VWords a)
{
  return _mm_cvtsi128_si32(_mm256_castsi256_si128(a)) & 0xffff;
}

INLINE int key_last(VWords b)
{
  return _mm256_extract_epi16(b, 15);
}

/* ---- Cost --------------------------------------------------------------------------------- */

/* Row a, entry b: the number of bits in which the nibbles a and b differ. */
static const uint8_t nibble_distance[256] __attribute__((aligned(64))) = {
#define ROW(a)                                                                                     \
  BITS((a) ^ 0), BITS((a) ^ 1), BITS((a) ^ 2), BITS((a) ^ 3), BITS((a) ^ 4), BITS((a) ^ 5),        \
      BITS((a) ^ 6), BITS((a) ^ 7), BITS((a) ^ 8), BITS((a) ^ 9), BITS((a) ^ 10), BITS((a) ^ 11),  \
      BITS((a) ^ 12), BITS((a) ^ 13), BITS((a) ^ 14), BITS((a) ^ 15)
#define BITS(v) (((v)&1) + ((v) >> 1 & 1) + ((v) >> 2 & 1) + ((v) >> 3))
    ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7), ROW(8), ROW(9), ROW(10),
    ROW(11), ROW(12), ROW(13), ROW(14), ROW(15)
#undef BITS
#undef ROW
};

/* The rows for the first plane have P2 in them. */
typedef struct {
  uint8_t first[256] __attribute__((aligned(64)));
} CostTable;

INLINE void cost_table(CostTable *table, int p2)
{
  for (int i = 0; i < 256; i += LANES)
    vb_store(table->first + i, vb_add(vb_load(nibble_distance + i), vb_set(p2)));
}

INLINE void cost_vectors(const CostTable *first, const LeftBits *left, size_t left_stride,
    const uint8_t *const *right, size_t plane_stride, int n, VBytes *cost)
{
#pragma GCC unroll 8
  for (int p = 0; p < PLANES; p++) {
    const uint8_t *rows = p == 0 ? first->first : nibble_distance;
    const uint8_t *row = rows + left[(size_t)p * left_stride];
    VBytes table = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)row));
#pragma GCC unroll 16
    for (int k = 0; k < n; k++) {
      VBytes count = _mm256_shuffle_epi8(table, vb_load(right[k] + (size_t)p * plane_stride));
      cost[k] = p == 0 ? count : vb_add(cost[k], count);
      __asm__("" : "+x"(cost[k])); /* or the compiler makes trees of the sums, and spills them */
    }
  }
}

#endif
