/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of sgm_omp.c and sgm_coarse_omp.c that differ by instruction set: costs, and keys.
 *
 * The D disparities of a pixel lie in n = D / LANES vectors, dealt out like cards: lane i of vector
 * k belongs to d = (LANES − 1 − i)·n + k. The neighbours d ± 1 of nearly all candidates are then
 * the same lane of another vector, and one lane shift per path, direction and pixel does the rest
 * (M. Farrar, "Striped Smith-Waterman", Bioinformatics 23(2), 2007, for another recurrence).
 * Lanes descend so that the right census words x − d of a vector ascend in memory.
 *
 *   key_make           256·sum + d of all lanes of a vector, in two VecU16 whose order differs by
 *                      instruction set; key_index prepares d
 *   key_up, key_down   the lane shift for such a pair; the free lane becomes 0xffff
 *   key_first, key_last   the key of lane 0 / of the last lane
 *   cost_table         what cost_vectors wants of P2
 *   cost_vectors       C(p,·) + P2: left: the pixel's bits, planes left_stride bytes apart;
 *                      right[k]: the words of lane 0 … of vector k, planes plane_stride bytes apart
 *   PLANES, PLANE_BITS how a census word is cut into bytes; left ones are kept << LEFT_SHIFT
 */
#pragma once

#include "common/simd/simd.h"

#define LANES LANES_8
#define FAR 128 /* N(−1) and N(D): more than any penalty, and FAR + P1 fits a byte */
#define MAX_DISPARITY 256
#define MAX_VECTORS (MAX_DISPARITY / LANES)

#ifndef STX_SIMD_AVX2
typedef struct {
  VecU8 p2;
} CostTable;

INLINE void cost_table(CostTable *table, int p2)
{
  table->p2 = set1_u8((uint8_t)p2);
}
#endif

#ifndef STX_SIMD_AVX512
typedef struct {
  VecU8 d;
} KeyIndex;

INLINE KeyIndex key_index(const uint8_t *disparities)
{
  return (KeyIndex){load_u8(disparities)};
}
#endif

#if defined STX_SIMD_AVX512
/* ---- AVX-512: census words in four planes of 8 bits, which VPOPCNTB counts directly --------- */

#define PLANES 4
#define PLANE_BITS 8
#define LEFT_SHIFT 0
/* A byte four times: VPBROADCASTD takes it from memory without a shuffle, VPBROADCASTB does not. */
typedef uint32_t LeftBits;
#define LEFT_REPEAT 0x01010101u

/* Keys: words of the even and of the odd lanes. */
typedef struct {
  VecU16 even, odd;
} KeyIndex;

INLINE KeyIndex key_index(const uint8_t *disparities)
{
  VecU16 d = load_u16(disparities);
  return (KeyIndex){d << 8, d >> 8};
}

INLINE void key_make(VecU8 sums, const KeyIndex *index, VecU16 *a, VecU16 *b)
{
  *a = (VecU16)_mm512_shldi_epi16((__m512i)sums, (__m512i)index->even, 8);
  *b = ((VecU16)sums & 0xff00) | index->odd;
}

INLINE void key_down(VecU16 *a, VecU16 *b)
{
  static const uint16_t next[32] __attribute__((aligned(64))) = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
      12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 31};
  VecU16 first = *a;
  *a = *b;
  *b = (VecU16)_mm512_mask_permutexvar_epi16(
      (__m512i)set1_u16(UINT16_MAX), ~0u >> 1, _mm512_load_si512(next), (__m512i)first);
}

INLINE void key_up(VecU16 *a, VecU16 *b)
{
  static const uint16_t previous[32] __attribute__((aligned(64))) = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
      9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
  VecU16 second = *b;
  *b = *a;
  *a = (VecU16)_mm512_mask_permutexvar_epi16(
      (__m512i)set1_u16(UINT16_MAX), ~1u, _mm512_load_si512(previous), (__m512i)second);
}

INLINE void cost_vectors(const CostTable *table, const LeftBits *left, size_t left_stride,
    const uint8_t *const *right, size_t plane_stride, int n, VecU8 *cost)
{
  for (int p = 0; p < PLANES; p++) {
    VecU8 bits = (VecU8)set1_u32(left[(size_t)p * left_stride]);
#pragma GCC unroll 16
    for (int k = 0; k < n; k++) {
      VecU8 differ = bits ^ load_u8(right[k] + (size_t)p * plane_stride);
      VecU8 count = (VecU8)_mm512_popcnt_epi8((__m512i)differ);
      cost[k] = (p == 0 ? table->p2 : cost[k]) + count;
    }
  }
}

#elif defined STX_SIMD_AVX2
/*
 * ---- AVX2: census words in eight planes of 4 bits: for each left nibble a table of its distance
 * to every right nibble is looked up with PSHUFB, which costs one shuffle and one addition and no
 * exclusive-or.
 */
#define PLANES 8
#define PLANE_BITS 4
#define LEFT_SHIFT 4 /* left nibbles are kept times 16: offsets into the table */
typedef uint8_t LeftBits;
#define LEFT_REPEAT 1u

/* Keys: words of the lower and of the upper lanes of each 128-bit half. */
INLINE void key_make(VecU8 sums, const KeyIndex *index, VecU16 *a, VecU16 *b)
{
  *a = (VecU16)_mm256_unpacklo_epi8((__m256i)index->d, (__m256i)sums);
  *b = (VecU16)_mm256_unpackhi_epi8((__m256i)index->d, (__m256i)sums);
}

INLINE void key_down(VecU16 *a, VecU16 *b)
{
  __m256i low = (__m256i)*a, high = (__m256i)*b;
  __m256i next = _mm256_permute2x128_si256(low, _mm256_set1_epi16(-1), 0x21);
  *a = (VecU16)_mm256_alignr_epi8(high, low, 2);
  *b = (VecU16)_mm256_alignr_epi8(next, high, 2);
}

INLINE void key_up(VecU16 *a, VecU16 *b)
{
  __m256i low = (__m256i)*a, high = (__m256i)*b;
  __m256i previous = _mm256_permute2x128_si256(_mm256_set1_epi16(-1), high, 0x20);
  *b = (VecU16)_mm256_alignr_epi8(high, low, 14);
  *a = (VecU16)_mm256_alignr_epi8(low, previous, 14);
}

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
    store_u8(table->first + i, load_u8(nibble_distance + i) + set1_u8((uint8_t)p2));
}

INLINE void cost_vectors(const CostTable *first, const LeftBits *left, size_t left_stride,
    const uint8_t *const *right, size_t plane_stride, int n, VecU8 *cost)
{
#pragma GCC unroll 8
  for (int p = 0; p < PLANES; p++) {
    const uint8_t *rows = p == 0 ? first->first : nibble_distance;
    const uint8_t *row = rows + left[(size_t)p * left_stride];
    __m256i table = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)row));
#pragma GCC unroll 16
    for (int k = 0; k < n; k++) {
      VecU8 words = load_u8(right[k] + (size_t)p * plane_stride);
      VecU8 count = (VecU8)_mm256_shuffle_epi8(table, (__m256i)words);
      cost[k] = p == 0 ? count : cost[k] + count;
      __asm__("" : "+x"(cost[k])); /* or the compiler makes trees of the sums, and spills them */
    }
  }
}

#else
/* ---- Any machine -------------------------------------------------------------------------- */

#define PLANES 4
#define PLANE_BITS 8
#define LEFT_SHIFT 0
typedef uint8_t LeftBits;
#define LEFT_REPEAT 1u

/* Keys: words of the lower and of the upper lanes. */
/* Byte order: the sum must be the upper half of the word. */
INLINE void key_make(VecU8 sums, const KeyIndex *index, VecU16 *a, VecU16 *b)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  VecU8 even = index->d, odd = sums;
#else
  VecU8 even = sums, odd = index->d;
#endif
  *a = (VecU16)__builtin_shufflevector(
      even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  *b = (VecU16)__builtin_shufflevector(
      even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

#ifdef __SSE2__
/* Written with intrinsics: a shuffle of words of two vectors is ten instructions with GCC. */
INLINE void key_down(VecU16 *a, VecU16 *b)
{
  __m128i low = (__m128i)*a, high = (__m128i)*b;
  *a = (VecU16)_mm_or_si128(_mm_srli_si128(low, 2), _mm_slli_si128(high, 14));
  *b = (VecU16)_mm_or_si128(
      _mm_srli_si128(high, 2), _mm_slli_si128((__m128i)set1_u16(UINT16_MAX), 14));
}

INLINE void key_up(VecU16 *a, VecU16 *b)
{
  __m128i low = (__m128i)*a, high = (__m128i)*b;
  *b = (VecU16)_mm_or_si128(_mm_slli_si128(high, 2), _mm_srli_si128(low, 14));
  *a = (VecU16)_mm_or_si128(
      _mm_slli_si128(low, 2), _mm_srli_si128((__m128i)set1_u16(UINT16_MAX), 14));
}
#else
INLINE void key_down(VecU16 *a, VecU16 *b)
{
  *a = __builtin_shufflevector(*a, *b, 1, 2, 3, 4, 5, 6, 7, 8);
  *b = __builtin_shufflevector(*b, set1_u16(UINT16_MAX), 1, 2, 3, 4, 5, 6, 7, 8);
}

INLINE void key_up(VecU16 *a, VecU16 *b)
{
  *b = __builtin_shufflevector(*a, *b, 7, 8, 9, 10, 11, 12, 13, 14);
  *a = __builtin_shufflevector(set1_u16(UINT16_MAX), *a, 7, 8, 9, 10, 11, 12, 13, 14);
}
#endif

#ifdef __aarch64__
/* Bits of three bytes. */
INLINE VecU8 count3(VecU8 a, VecU8 b, VecU8 c)
{
  return (VecU8)vcntq_u8((uint8x16_t)a) + (VecU8)vcntq_u8((uint8x16_t)b) +
         (VecU8)vcntq_u8((uint8x16_t)c);
}

INLINE void cost_vectors(const CostTable *table, const LeftBits *left, size_t left_stride,
    const uint8_t *const *right, size_t plane_stride, int n, VecU8 *cost)
{
#pragma GCC unroll 4
  for (size_t p = 0; p < PLANES; p++) {
    uint8x16_t bits = vld1q_dup_u8(left + p * left_stride);
#pragma GCC unroll 16
    for (int k = 0; k < n; k++) {
      uint8x16_t count = vcntq_u8(veorq_u8(bits, vld1q_u8(right[k] + p * plane_stride)));
      cost[k] = (p == 0 ? table->p2 : cost[k]) + (VecU8)count;
    }
  }
}
#else
/* Shifts whole words: a byte's shift takes a mask of its own before that of the fields. */
INLINE VecU8 fields_above(VecU8 v, int bits, uint8_t mask)
{
  return (VecU8)((VecU16)v >> bits) & mask;
}

STX_UNARY(VecU8, pair_count, VecU8, a - fields_above(a, 1, 0x55))

/* Bits per nibble. A field of four bits holds three of these. */
INLINE VecU8 nibble_count(VecU8 v)
{
  v = pair_count(v);
  return (v & 0x33) + fields_above(v, 2, 0x33);
}

STX_UNARY(VecU8, nibble_sum, VecU8, (a & 0x0f) + fields_above(a, 4, 0x0f))
STX_EACH(VecU8, byte_count, nibble_sum(nibble_count(a) + nibble_count(b)))

/* Bits of three bytes. */
INLINE VecU8 count3(VecU8 a, VecU8 b, VecU8 c)
{
  return nibble_sum(nibble_count(a) + nibble_count(b) + nibble_count(c));
}

INLINE void cost_vectors(const CostTable *table, const LeftBits *left, size_t left_stride,
    const uint8_t *const *right, size_t plane_stride, int n, VecU8 *cost)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++) {
    VecU8 differ[PLANES];
#pragma GCC unroll 4
    for (size_t p = 0; p < PLANES; p++)
      differ[p] = load_u8(right[k] + p * plane_stride) ^ left[p * left_stride];
    cost[k] = table->p2 + byte_count(differ[0], differ[1]) + byte_count(differ[2], differ[3]);
  }
}
#endif
#endif

STX_UNARY(int, key_first, VecU16, a[0])
STX_UNARY(int, key_last, VecU16, a[LANES_16 - 1])
