/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vectors of the instruction set that a *_omp.c file is compiled for, VECTOR_BYTES wide: types and
 * functions are named by their lanes. + − * & | ^ << >> are the compiler's operators, for which
 * lanes with a sign must not overflow. What these files do not name an instruction for, the
 * compiler's generic vectors do, so all of it exists on any machine.
 *
 *   load_T, store_T, set1_T   anywhere in memory; all lanes the same
 *   add_i32, sub_i32          may wrap
 *   madd_i16      for every lane of 32 bits the dot product of its two signed halves
 *   mul_u15       a · b of numbers below 2^15
 *   subs_u8, _u16 a − b, but not below 0; avg_u8: rounded up
 *   lt, le, gt, ge, eq        as Mask32, which takes & and |; blend_T (mask, yes, no);
 *                 keep_T (mask, a): else 0; count_i32 (count, mask): count + 1 there
 *   reflect_f32 (mask, whole, p)   whole − p where mask, else p, which is not negative
 *   mask_bits, mask_of_bits   a bit for each lane
 *   reduce_add, _min, _max    of all lanes, in all lanes; least_T: the smallest as a number
 *   up_u8, down_u8            lane i takes lane i − 1 / i + 1; the free lane becomes `free`'s
 *   nonzero_bits_u16          a bit for each lane of two vectors
 *   prefix_sum_i32            lane i becomes the sum of the lanes 0 … i
 *   last_lane_i32             the last lane in all lanes
 *   compress_store_i32        stores the lanes whose bit is set, one after another; writes a whole
 *                 vector
 *   unpacklo_N, unpackhi_N    lanes of N bits of a and b in turns; even_32, odd_32: those of a,
 *                 then of b. All within each 16 bytes, a *quarter*; of vectors of any type
 *   load_quarters (from, at, unit)   16 bytes from each of from + unit · at[0], at[4], …;
 *                 store_quarters (to, stride, a)   16 bytes to each of to, to + stride, …
 *   gather4_i32 (from, at, unit, v)  lane l of v[i] becomes word i of those from
 *                 from + unit · at[l] on; load4_i32 (from, stride, v): from + stride · l
 *   store2_i32, store4_i32, store6_i32   store, for every lane, the words of these vectors
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined __SSE2__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#if defined __AVX512VL__ && defined __AVX512DQ__ && defined __AVX512VBMI2__ &&                     \
    defined __AVX512VBMI__ && defined __AVX512BITALG__
#define STX_SIMD_AVX512
#define VECTOR_BYTES 64
#elif defined __AVX2__
#define STX_SIMD_AVX2
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

enum { LANES_8 = VECTOR_BYTES, LANES_16 = VECTOR_BYTES / 2, LANES_32 = VECTOR_BYTES / 4 };

#define STX_VECTOR(Vector, Lane, name)                                                             \
  typedef Lane Vector __attribute__((vector_size(VECTOR_BYTES)));                                  \
  typedef Vector Vector##Anywhere __attribute__((aligned(1), may_alias));                          \
  INLINE Vector load_##name(const void *from)                                                      \
  {                                                                                                \
    return *(const Vector##Anywhere *)from;                                                        \
  }                                                                                                \
  INLINE void store_##name(void *to, Vector a)                                                     \
  {                                                                                                \
    *(Vector##Anywhere *)to = a;                                                                   \
  }                                                                                                \
  INLINE Vector set1_##name(Lane a)                                                                \
  {                                                                                                \
    return a - (Vector){0};                                                                        \
  }
STX_VECTOR(VecU8, uint8_t, u8)
STX_VECTOR(VecU16, uint16_t, u16)
STX_VECTOR(VecI16, int16_t, i16)
STX_VECTOR(VecI32, int32_t, i32)
STX_VECTOR(VecU32, uint32_t, u32)
STX_VECTOR(VecU64, uint64_t, u64)
STX_VECTOR(VecF32, float, f32)

/* A function of two vectors by an instruction's name, which takes registers of its own type. */
#define STX_BINARY(Vector, name, instruction, Register)                                            \
  INLINE Vector name(Vector a, Vector b)                                                           \
  {                                                                                                \
    return (Vector)instruction((Register)a, (Register)b);                                          \
  }
/* The same by an expression of a and b; and a function of one, a. */
#define STX_EACH(Vector, name, value)                                                              \
  INLINE Vector name(Vector a, Vector b)                                                           \
  {                                                                                                \
    return value;                                                                                  \
  }
#define STX_UNARY(To, name, From, value)                                                           \
  INLINE To name(From a)                                                                           \
  {                                                                                                \
    return value;                                                                                  \
  }

STX_EACH(VecI32, add_i32, (VecI32)((VecU32)a + (VecU32)b))
STX_EACH(VecI32, sub_i32, (VecI32)((VecU32)a - (VecU32)b))

INLINE VecF32 abs_f32(VecF32 a)
{
  return (VecF32)((VecI32)a & INT32_MAX);
}

#if VECTOR_BYTES == 64
#define LANE_NUMBERS ((VecI32){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
#elif VECTOR_BYTES == 32
#define LANE_NUMBERS ((VecI32){0, 1, 2, 3, 4, 5, 6, 7})
#else
#define LANE_NUMBERS ((VecI32){0, 1, 2, 3})
#endif

/* ---- What x86 has for registers of any width ---------------------------------------------- */

#if defined __SSE2__
#if VECTOR_BYTES == 64
#define MM(name) _mm512_##name
#define STX_STREAM _mm512_stream_si512
typedef __m512i Register;
typedef __m512 FloatRegister;
#elif VECTOR_BYTES == 32
#define MM(name) _mm256_##name
#define STX_STREAM _mm256_stream_si256
typedef __m256i Register;
typedef __m256 FloatRegister;
#else
#define MM(name) _mm_##name
#define STX_STREAM _mm_stream_si128
typedef __m128i Register;
typedef __m128 FloatRegister;
#endif

STX_BINARY(VecU8, min_u8, MM(min_epu8), Register)
STX_BINARY(VecU8, max_u8, MM(max_epu8), Register)
STX_BINARY(VecU8, subs_u8, MM(subs_epu8), Register)
STX_BINARY(VecU8, avg_u8, MM(avg_epu8), Register)
STX_BINARY(VecU16, subs_u16, MM(subs_epu16), Register)
STX_BINARY(VecI32, madd_i16, MM(madd_epi16), Register)
STX_BINARY(VecF32, min_f32, MM(min_ps), FloatRegister)
STX_BINARY(VecF32, max_f32, MM(max_ps), FloatRegister)
STX_UNARY(VecF32, sqrt_f32, VecF32, (VecF32)MM(sqrt_ps)((FloatRegister)a))
STX_EACH(VecI32, mul_u15, madd_i16(a, b))

/* Towards 0; not a number becomes INT32_MIN. */
STX_UNARY(VecI32, cvtt_f32, VecF32, (VecI32)MM(cvttps_epi32)((FloatRegister)a))

/* Past the caches; `to` is a multiple of VECTOR_BYTES. stream_fence: before other threads load. */
INLINE void stream_u8(void *to, VecU8 a)
{
  STX_STREAM((Register *)to, (Register)a);
}

INLINE void stream_fence(void)
{
  _mm_sfence();
}

#define STX_SWAP_TWOS(a) (VecI32) MM(shuffle_epi32)((Register)(a), (_MM_PERM_ENUM)0x4E)
#define STX_SWAP_ONES(a) (VecI32) MM(shuffle_epi32)((Register)(a), (_MM_PERM_ENUM)0xB1)

#define STX_SHUFFLE(a, b, instruction)                                                             \
  ((__typeof__(a))MM(instruction)((Register)(a), (Register)(b)))
#define unpacklo_16(a, b) STX_SHUFFLE(a, b, unpacklo_epi16)
#define unpackhi_16(a, b) STX_SHUFFLE(a, b, unpackhi_epi16)
#define unpacklo_32(a, b) STX_SHUFFLE(a, b, unpacklo_epi32)
#define unpackhi_32(a, b) STX_SHUFFLE(a, b, unpackhi_epi32)
#define unpacklo_64(a, b) STX_SHUFFLE(a, b, unpacklo_epi64)
#define unpackhi_64(a, b) STX_SHUFFLE(a, b, unpackhi_epi64)
#define STX_CHOOSE(a, b, which)                                                                    \
  ((__typeof__(a))MM(shuffle_ps)((FloatRegister)(a), (FloatRegister)(b), which))
#define even_32(a, b) STX_CHOOSE(a, b, 0x88)
#define odd_32(a, b) STX_CHOOSE(a, b, 0xDD)
#endif

/* ---- Masks that are vectors: all bits of a lane ------------------------------------------- */

#ifndef STX_SIMD_AVX512
typedef VecI32 Mask32;

#define STX_COMPARE(Vector, name, operator)                                                        \
  INLINE Mask32 name(Vector a, Vector b)                                                           \
  {                                                                                                \
    return (Mask32)(a operator b);                                                                 \
  }
STX_COMPARE(VecI32, eq_i32, ==)
STX_COMPARE(VecI32, gt_i32, >)
STX_COMPARE(VecF32, lt_f32, <)
STX_COMPARE(VecF32, gt_f32, >)
STX_COMPARE(VecF32, ge_f32, >=)

INLINE VecI32 keep_i32(Mask32 mask, VecI32 a)
{
  return a & mask;
}

INLINE VecF32 keep_f32(Mask32 mask, VecF32 a)
{
  return (VecF32)((VecI32)a & mask);
}

/* |0 − p| is p, and a selection takes three times as long. */
INLINE VecF32 reflect_f32(Mask32 mask, float whole, VecF32 p)
{
  return abs_f32(keep_f32(mask, set1_f32(whole)) - p);
}

INLINE Mask32 mask_of_bits(unsigned bits)
{
  const VecI32 bit = 1 << LANE_NUMBERS;
  return (set1_i32((int)bits) & bit) == bit;
}

INLINE VecI32 count_i32(VecI32 count, Mask32 mask)
{
  return count - mask;
}

#endif

#if defined STX_SIMD_AVX512
#include "common/simd/simd_avx512.inc.h"
#elif defined STX_SIMD_AVX2
#include "common/simd/simd_avx2.inc.h"
#else
#include "common/simd/simd_base.inc.h"
#endif

/* ---- Made of these ------------------------------------------------------------------------ */

#if defined STX_SIMD_AVX512 || defined STX_SIMD_AVX2
/* Lane 0 is the smallest byte; its neighbour is undefined. */
INLINE __m128i least_word_u8(VecU8 v)
{
  __m128i least = least_quarter_u8(v);
  return _mm_minpos_epu16(_mm_min_epu8(least, _mm_srli_epi16(least, 8)));
}

STX_UNARY(VecU8, reduce_min_u8, VecU8, broadcast_u8(least_word_u8(a)))
STX_UNARY(int, least_u8, VecU8, _mm_cvtsi128_si32(least_word_u8(a)) & 0xff)

INLINE int least_u16(VecU16 v)
{
  return _mm_cvtsi128_si32(_mm_minpos_epu16(least_quarter_u16(v))) & 0xffff;
}
#endif

#define STX_REDUCE(op, a)                                                                          \
  do {                                                                                             \
    STX_ACROSS_QUARTERS(op, a);                                                                    \
    a = op(a, STX_SWAP_TWOS(a));                                                                   \
    a = op(a, STX_SWAP_ONES(a));                                                                   \
  } while (0)

INLINE VecI32 reduce_add_i32(VecI32 a)
{
  STX_REDUCE(add_i32, a);
  return a;
}

INLINE VecI32 reduce_min_i32(VecI32 a)
{
  STX_REDUCE(min_i32, a);
  return a;
}

INLINE VecI32 reduce_max_i32(VecI32 a)
{
  STX_REDUCE(max_i32, a);
  return a;
}

/* Rows of four words in each quarter become columns. */
INLINE void transpose4_i32(VecI32 v[4])
{
  VecI32 low = unpacklo_32(v[0], v[1]), low2 = unpacklo_32(v[2], v[3]);
  VecI32 high = unpackhi_32(v[0], v[1]), high2 = unpackhi_32(v[2], v[3]);
  v[0] = unpacklo_64(low, low2);
  v[1] = unpackhi_64(low, low2);
  v[2] = unpacklo_64(high, high2);
  v[3] = unpackhi_64(high, high2);
}

INLINE void gather4_i32(const void *from, const uint32_t *at, size_t unit, VecI32 v[4])
{
  for (int i = 0; i < 4; i++)
    v[i] = load_quarters(from, at + i, unit);
  transpose4_i32(v);
}

INLINE void load4_i32(const void *from, size_t stride, VecI32 v[4])
{
#ifdef STX_SIMD_AVX512
  if (stride == 16) {
    load4_row_i32(from, v);
    return;
  }
#endif
  const VecU32 at = (VecU32)LANE_NUMBERS;
  uint32_t numbers[LANES_32];
  store_u32(numbers, at);
  gather4_i32(from, numbers, stride, v);
}

INLINE void store4_i32(void *to, const VecI32 words[4])
{
  VecI32 v[4] = {words[0], words[1], words[2], words[3]};
  transpose4_i32(v);
  for (int i = 0; i < 4; i++)
    store_quarters((char *)to + 16 * i, 64, v[i]);
}

INLINE void store2_i32(void *to, VecI32 a, VecI32 b)
{
  store_quarters(to, 32, unpacklo_32(a, b));
  store_quarters((char *)to + 16, 32, unpackhi_32(a, b));
}
