/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vectors for rdp_omp.c: LANES integers of 32 bits, one set of functions per instruction set. A
 * lane may also hold a point: its cell's index in the low 16 bits, disparity − 32768 in the high
 * ones.
 *
 *   ri_dot           for every lane the dot product of its two signed halves
 *   ri_points        LANES cells as points; unknown: what they are if their disparity is 0
 *   ri_equal_bits    bit i: lane i is equal
 *   ri_first         lanes 0 … count − 1, zeros in the others
 *   ri_largest       the largest lane in all lanes; ri_smallest likewise
 *   ri_pack          stores the lanes whose bit is set, one after another; writes LANES words
 */
#ifndef STX_RDP_SIMD_H
#define STX_RDP_SIMD_H

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#if defined __AVX512BW__ && defined __AVX512VL__
#include <immintrin.h>

#define LANES 16
typedef __m512i Ints;

INLINE Ints ri_load(const void *p)
{
  return _mm512_loadu_si512(p);
}

INLINE Ints ri_set(int value)
{
  return _mm512_set1_epi32(value);
}

INLINE Ints ri_dot(Ints a, Ints b)
{
  return _mm512_madd_epi16(a, b);
}

INLINE Ints ri_add(Ints a, Ints b)
{
  return _mm512_add_epi32(a, b);
}

INLINE Ints ri_sub(Ints a, Ints b)
{
  return _mm512_sub_epi32(a, b);
}

INLINE Ints ri_abs(Ints a)
{
  return _mm512_abs_epi32(a);
}

INLINE Ints ri_max(Ints a, Ints b)
{
  return _mm512_max_epi32(a, b);
}

INLINE Ints ri_min(Ints a, Ints b)
{
  return _mm512_min_epi32(a, b);
}

INLINE unsigned ri_equal_bits(Ints a, Ints b)
{
  return _mm512_cmpeq_epi32_mask(a, b);
}

/* Lanes of c where a > b, else d. */
INLINE Ints ri_where_above(Ints a, Ints b, Ints c, Ints d)
{
  return _mm512_mask_mov_epi32(d, _mm512_cmpgt_epi32_mask(a, b), c);
}

INLINE Ints ri_first(Ints a, int count)
{
  return _mm512_maskz_mov_epi32((__mmask16)((1u << count) - 1), a);
}

#define RI_REDUCE(op, a)                                                                           \
  do {                                                                                             \
    a = op(a, _mm512_shuffle_i64x2(a, a, 0x4E));                                                   \
    a = op(a, _mm512_shuffle_i64x2(a, a, 0xB1));                                                   \
    a = op(a, _mm512_shuffle_epi32(a, (_MM_PERM_ENUM)0x4E));                                       \
    a = op(a, _mm512_shuffle_epi32(a, (_MM_PERM_ENUM)0xB1));                                       \
  } while (0)

INLINE int ri_lane0(Ints a)
{
  return _mm_cvtsi128_si32(_mm512_castsi512_si128(a));
}

INLINE Ints ri_ascending(void)
{
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

INLINE Ints ri_points(const uint16_t *cells, Ints unknown)
{
  Ints wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)cells));
  return _mm512_xor_si512(_mm512_slli_epi32(wide, 16), unknown);
}

INLINE void ri_pack(uint32_t *to, Ints a, unsigned bits)
{
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, a));
}

INLINE void ri_store(void *to, Ints a)
{
  _mm512_storeu_si512(to, a);
}

#elif defined __AVX2__
#include <immintrin.h>

#define LANES 8
typedef __m256i Ints;

INLINE Ints ri_load(const void *p)
{
  return _mm256_loadu_si256((const __m256i *)p);
}

INLINE Ints ri_set(int value)
{
  return _mm256_set1_epi32(value);
}

INLINE Ints ri_dot(Ints a, Ints b)
{
  return _mm256_madd_epi16(a, b);
}

INLINE Ints ri_add(Ints a, Ints b)
{
  return _mm256_add_epi32(a, b);
}

INLINE Ints ri_sub(Ints a, Ints b)
{
  return _mm256_sub_epi32(a, b);
}

INLINE Ints ri_abs(Ints a)
{
  return _mm256_abs_epi32(a);
}

INLINE Ints ri_max(Ints a, Ints b)
{
  return _mm256_max_epi32(a, b);
}

INLINE Ints ri_min(Ints a, Ints b)
{
  return _mm256_min_epi32(a, b);
}

INLINE unsigned ri_equal_bits(Ints a, Ints b)
{
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)));
}

INLINE Ints ri_where_above(Ints a, Ints b, Ints c, Ints d)
{
  return _mm256_blendv_epi8(d, c, _mm256_cmpgt_epi32(a, b));
}

INLINE Ints ri_first(Ints a, int count)
{
  static const int32_t mask[2 * LANES] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_and_si256(a, ri_load(mask + LANES - count));
}

#define RI_REDUCE(op, a)                                                                           \
  do {                                                                                             \
    a = op(a, _mm256_permute2x128_si256(a, a, 1));                                                 \
    a = op(a, _mm256_shuffle_epi32(a, 0x4E));                                                      \
    a = op(a, _mm256_shuffle_epi32(a, 0xB1));                                                      \
  } while (0)

INLINE int ri_lane0(Ints a)
{
  return _mm256_cvtsi256_si32(a);
}

INLINE Ints ri_ascending(void)
{
  return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}

INLINE Ints ri_points(const uint16_t *cells, Ints unknown)
{
  Ints wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)cells));
  return _mm256_xor_si256(_mm256_slli_epi32(wide, 16), unknown);
}

INLINE void ri_pack(uint32_t *to, Ints a, unsigned bits)
{
  uint64_t bytes = _pdep_u64(bits, 0x0101010101010101) * 0xFF;
  uint64_t order = _pext_u64(0x0706050403020100, bytes);
  Ints lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)order));
  _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(a, lanes));
}

INLINE void ri_store(void *to, Ints a)
{
  _mm256_storeu_si256((__m256i *)to, a);
}

#else
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LANES 4
typedef int32_t Ints __attribute__((vector_size(16)));

INLINE Ints ri_load(const void *p)
{
  Ints a;
  memcpy(&a, p, sizeof a);
  return a;
}

INLINE Ints ri_set(int value)
{
  return (Ints){value, value, value, value};
}

INLINE Ints ri_dot(Ints a, Ints b)
{
#ifdef __SSE2__
  return (Ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  return (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
#endif
}

INLINE Ints ri_add(Ints a, Ints b)
{
  return a + b;
}

INLINE Ints ri_sub(Ints a, Ints b)
{
  return a - b;
}

INLINE Ints ri_abs(Ints a)
{
  Ints sign = a >> 31;
  return (a ^ sign) - sign;
}

INLINE Ints ri_where_above(Ints a, Ints b, Ints c, Ints d)
{
  Ints above = a > b;
  return (above & c) | (~above & d);
}

INLINE Ints ri_max(Ints a, Ints b)
{
  return ri_where_above(a, b, a, b);
}

INLINE Ints ri_min(Ints a, Ints b)
{
  return ri_where_above(a, b, b, a);
}

INLINE unsigned ri_equal_bits(Ints a, Ints b)
{
  Ints equal = a == b;
#ifdef __SSE2__
  return (unsigned)_mm_movemask_ps((__m128)equal);
#else
  return (unsigned)((equal[0] & 1) | (equal[1] & 2) | (equal[2] & 4) | (equal[3] & 8));
#endif
}

INLINE Ints ri_first(Ints a, int count)
{
  static const int32_t mask[2 * LANES] = {-1, -1, -1, -1};
  return a & ri_load(mask + LANES - count);
}

#define RI_REDUCE(op, a)                                                                           \
  do {                                                                                             \
    a = op(a, __builtin_shuffle(a, (Ints){2, 3, 0, 1}));                                           \
    a = op(a, __builtin_shuffle(a, (Ints){1, 0, 3, 2}));                                           \
  } while (0)

INLINE int ri_lane0(Ints a)
{
  return a[0];
}

INLINE Ints ri_ascending(void)
{
  return (Ints){0, 1, 2, 3};
}

INLINE Ints ri_points(const uint16_t *cells, Ints unknown)
{
  Ints wide = {cells[0], cells[1], cells[2], cells[3]};
  return (wide << 16) ^ unknown;
}

INLINE void ri_pack(uint32_t *to, Ints a, unsigned bits)
{
  for (int i = 0, count = 0; i < LANES; i++) {
    to[count] = (uint32_t)a[i];
    count += bits >> i & 1;
  }
}

INLINE void ri_store(void *to, Ints a)
{
  memcpy(to, &a, sizeof a);
}

#endif

INLINE Ints ri_largest(Ints a)
{
  RI_REDUCE(ri_max, a);
  return a;
}

INLINE Ints ri_smallest(Ints a)
{
  RI_REDUCE(ri_min, a);
  return a;
}

#endif
