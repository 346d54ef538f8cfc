/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vectors of LANES_64 doubles, and of as many floats and integers of 32 bits (HalfF32, HalfI32):
 * see simd.h. On any machine they are pairs of vectors of two doubles.
 *
 * Written out, because what GCC 12 makes of loops over lanes depends on trifles: it puts stores
 * behind unpredictable branches, and takes limits of values apart into branches first.
 *
 *   load_f64, store_f64   memory is aligned to the vector
 *   lt, eq, ne_f64        as Mask64, which takes & and |; blend_f64, keep_f64; sqrt_f64
 *   narrow_f64, widen_f32, widen_i32   from doubles to floats, and to doubles
 *   set1_half_f32, min_half_f32, max_half_f32, min_half_i32; any_le_f32: a <= b in any lane
 */
#pragma once

#include <math.h>

#include "common/simd/simd.h"

#ifdef STX_SIMD_AVX512
enum { LANES_64 = 8 };
#else
enum { LANES_64 = 4 };
#endif

typedef double VecF64 __attribute__((vector_size(8 * LANES_64)));
typedef float HalfF32 __attribute__((vector_size(4 * LANES_64)));
typedef int32_t HalfI32 __attribute__((vector_size(4 * LANES_64)));

STX_UNARY(VecF64, set1_f64, double, (VecF64){0} + a)

INLINE VecF64 load_f64(const double *lanes)
{
  return *(const VecF64 *)(const void *)lanes;
}

INLINE void store_f64(double *lanes, VecF64 value)
{
  *(VecF64 *)(void *)lanes = value;
}

STX_UNARY(HalfF32, set1_half_f32, float, (HalfF32){0} + a)

#if defined STX_SIMD_AVX512
typedef __mmask8 Mask64;

STX_BINARY(VecF64, min_f64, _mm512_min_pd, __m512d)
STX_BINARY(VecF64, max_f64, _mm512_max_pd, __m512d)
STX_BINARY(HalfI32, min_half_i32, _mm256_min_epi32, __m256i)
STX_BINARY(HalfF32, min_half_f32, _mm256_min_ps, __m256)
STX_BINARY(HalfF32, max_half_f32, _mm256_max_ps, __m256)

#define STX_COMPARE_F64(name, comparison)                                                          \
  INLINE Mask64 name(VecF64 a, VecF64 b)                                                           \
  {                                                                                                \
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, comparison);                                 \
  }

STX_UNARY(VecF64, abs_f64, VecF64, (VecF64)_mm512_abs_pd((__m512d)a))
STX_UNARY(VecF64, sqrt_f64, VecF64, (VecF64)_mm512_sqrt_pd((__m512d)a))

INLINE VecF64 blend_f64(Mask64 mask, VecF64 a, VecF64 b)
{
  return (VecF64)_mm512_mask_blend_pd(mask, (__m512d)b, (__m512d)a);
}

INLINE VecF64 keep_f64(Mask64 mask, VecF64 a)
{
  return (VecF64)_mm512_maskz_mov_pd(mask, (__m512d)a);
}

STX_UNARY(HalfF32, narrow_f64, VecF64, (HalfF32)_mm512_cvtpd_ps((__m512d)a))
STX_UNARY(VecF64, widen_f32, HalfF32, (VecF64)_mm512_cvtps_pd((__m256)a))
STX_UNARY(VecF64, widen_i32, HalfI32, (VecF64)_mm512_cvtepi32_pd((__m256i)a))

INLINE bool any_le_f32(HalfF32 a, HalfF32 b)
{
  return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LE_OQ) != 0;
}

#elif defined STX_SIMD_AVX2
typedef long long Mask64 __attribute__((vector_size(32)));

STX_BINARY(VecF64, min_f64, _mm256_min_pd, __m256d)
STX_BINARY(VecF64, max_f64, _mm256_max_pd, __m256d)
STX_BINARY(HalfI32, min_half_i32, _mm_min_epi32, __m128i)
STX_BINARY(HalfF32, min_half_f32, _mm_min_ps, __m128)
STX_BINARY(HalfF32, max_half_f32, _mm_max_ps, __m128)

#define STX_COMPARE_F64(name, comparison)                                                          \
  INLINE Mask64 name(VecF64 a, VecF64 b)                                                           \
  {                                                                                                \
    return (Mask64)_mm256_cmp_pd((__m256d)a, (__m256d)b, comparison);                              \
  }

STX_UNARY(VecF64, abs_f64, VecF64, (VecF64)_mm256_andnot_pd(_mm256_set1_pd(-0.0), (__m256d)a))
STX_UNARY(VecF64, sqrt_f64, VecF64, (VecF64)_mm256_sqrt_pd((__m256d)a))

/* GCC 12 would take the intrinsic for a comparison of the mask with 0, and do that. */
INLINE VecF64 blend_f64(Mask64 mask, VecF64 a, VecF64 b)
{
  VecF64 chosen;
  __asm__("vblendvpd %3, %2, %1, %0" : "=x"(chosen) : "x"(b), "x"(a), "x"(mask));
  return chosen;
}

INLINE VecF64 keep_f64(Mask64 mask, VecF64 a)
{
  return (VecF64)(mask & (Mask64)a);
}

STX_UNARY(HalfF32, narrow_f64, VecF64, (HalfF32)_mm256_cvtpd_ps((__m256d)a))
STX_UNARY(VecF64, widen_f32, HalfF32, (VecF64)_mm256_cvtps_pd((__m128)a))
STX_UNARY(VecF64, widen_i32, HalfI32, (VecF64)_mm256_cvtepi32_pd((__m128i)a))

INLINE bool any_le_f32(HalfF32 a, HalfF32 b)
{
  return _mm_movemask_ps(_mm_cmple_ps((__m128)a, (__m128)b)) != 0;
}

#else
typedef double PairF64 __attribute__((vector_size(16)));
typedef __typeof__((PairF64){0} < (PairF64){0}) PairMask64;
typedef __typeof__((VecF64){0} < (VecF64){0}) Mask64;

#define STX_LOW(vector) __builtin_shufflevector(vector, vector, 0, 1)
#define STX_HIGH(vector) __builtin_shufflevector(vector, vector, 2, 3)
#define STX_WHOLE(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3)

INLINE PairF64 blend_pair(PairMask64 mask, PairF64 a, PairF64 b)
{
  return (PairF64)((mask & (PairMask64)a) | (~mask & (PairMask64)b));
}

#define STX_PAIRS(Vector, name, of_pair)                                                           \
  INLINE Vector name(VecF64 a, VecF64 b)                                                           \
  {                                                                                                \
    return STX_WHOLE(of_pair(STX_LOW(a), STX_LOW(b)), of_pair(STX_HIGH(a), STX_HIGH(b)));          \
  }
#ifdef __SSE2__
#define STX_MIN_PAIR(a, b) ((PairF64)_mm_min_pd((__m128d)(a), (__m128d)(b)))
#define STX_MAX_PAIR(a, b) ((PairF64)_mm_max_pd((__m128d)(a), (__m128d)(b)))
#else
#define STX_MIN_PAIR(a, b) blend_pair((a) < (b), a, b)
#define STX_MAX_PAIR(a, b) blend_pair((a) > (b), a, b)
#endif
#define STX_LT_PAIR(a, b) ((a) < (b))
#define STX_EQ_PAIR(a, b) ((a) == (b))
#define STX_NE_PAIR(a, b) ((a) != (b))
STX_PAIRS(VecF64, min_f64, STX_MIN_PAIR)
STX_PAIRS(VecF64, max_f64, STX_MAX_PAIR)
STX_PAIRS(Mask64, lt_f64, STX_LT_PAIR)
STX_PAIRS(Mask64, eq_f64, STX_EQ_PAIR)
STX_PAIRS(Mask64, ne_f64, STX_NE_PAIR)

INLINE VecF64 blend_f64(Mask64 mask, VecF64 a, VecF64 b)
{
  return STX_WHOLE(blend_pair(STX_LOW(mask), STX_LOW(a), STX_LOW(b)),
      blend_pair(STX_HIGH(mask), STX_HIGH(a), STX_HIGH(b)));
}

INLINE VecF64 keep_f64(Mask64 mask, VecF64 a)
{
  return STX_WHOLE((PairF64)(STX_LOW(mask) & (PairMask64)STX_LOW(a)),
      (PairF64)(STX_HIGH(mask) & (PairMask64)STX_HIGH(a)));
}

INLINE VecF64 abs_f64(VecF64 a)
{
  const PairMask64 sign = (PairMask64)((PairF64){-0.0, -0.0});
  return STX_WHOLE(
      (PairF64)(~sign & (PairMask64)STX_LOW(a)), (PairF64)(~sign & (PairMask64)STX_HIGH(a)));
}

INLINE VecF64 sqrt_f64(VecF64 a)
{
  for (int l = 0; l < LANES_64; l++)
    a[l] = sqrt(a[l]);
  return a;
}

STX_UNARY(HalfF32, narrow_f64, VecF64, __builtin_convertvector(a, HalfF32))
STX_UNARY(VecF64, widen_f32, HalfF32, __builtin_convertvector(a, VecF64))
STX_UNARY(VecF64, widen_i32, HalfI32, __builtin_convertvector(a, VecF64))
STX_EACH(HalfI32, min_half_i32, min_i32(a, b))
STX_EACH(HalfF32, min_half_f32, min_f32(a, b))
STX_EACH(HalfF32, max_half_f32, max_f32(a, b))

INLINE bool any_le_f32(HalfF32 a, HalfF32 b)
{
  return mask_bits((Mask32)(a <= b)) != 0;
}
#endif

#ifdef STX_COMPARE_F64
STX_COMPARE_F64(lt_f64, _CMP_LT_OQ)
STX_COMPARE_F64(eq_f64, _CMP_EQ_OQ)
STX_COMPARE_F64(ne_f64, _CMP_NEQ_UQ)
#endif
