/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lanes of satdp_simd.inc.h with AVX2. */
#ifndef STX_SATDP_SIMD_AVX2_INC_H
#define STX_SATDP_SIMD_AVX2_INC_H

#include <immintrin.h>

typedef long long Mask __attribute__((vector_size(32)));

INLINE Real lanes_min(Real a, Real b)
{
  return (Real)_mm256_min_pd((__m256d)a, (__m256d)b);
}

INLINE Real lanes_max(Real a, Real b)
{
  return (Real)_mm256_max_pd((__m256d)a, (__m256d)b);
}

INLINE Real lanes_absolute(Real a)
{
  return (Real)_mm256_andnot_pd(_mm256_set1_pd(-0.0), (__m256d)a);
}

INLINE Mask lanes_less(Real a, Real b)
{
  return (Mask)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ);
}

INLINE Mask lanes_equal(Real a, Real b)
{
  return (Mask)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_EQ_OQ);
}

INLINE Mask lanes_differ(Real a, Real b)
{
  return (Mask)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_NEQ_UQ);
}

/* GCC 12 would take the intrinsic for a comparison of the mask with 0, and do that. */
INLINE Real lanes_select(Mask mask, Real a, Real b)
{
  Real chosen;
  __asm__("vblendvpd %3, %2, %1, %0" : "=x"(chosen) : "x"(b), "x"(a), "x"(mask));
  return chosen;
}

INLINE Real lanes_keep(Mask mask, Real a)
{
  return (Real)(mask & (Mask)a);
}

INLINE Floats lanes_narrow(Real a)
{
  return (Floats)_mm256_cvtpd_ps((__m256d)a);
}

INLINE Real lanes_widen(Floats a)
{
  return (Real)_mm256_cvtps_pd((__m128)a);
}

INLINE Real lanes_of_integers(Integers a)
{
  return (Real)_mm256_cvtepi32_pd((__m128i)a);
}

INLINE Integers lanes_least(Integers a, Integers b)
{
  return (Integers)_mm_min_epi32((__m128i)a, (__m128i)b);
}

INLINE Floats lanes_smaller(Floats a, Floats b)
{
  return (Floats)_mm_min_ps((__m128)a, (__m128)b);
}

INLINE int lanes_any_at_most(Floats a, Floats b)
{
  return _mm_movemask_ps(_mm_cmple_ps((__m128)a, (__m128)b)) != 0;
}

/* Two start rows: all bits of a lane. */
INLINE __m256i open2(const Floats *bound, __m256 limit)
{
  const float *at = (const float *)(const void *)bound;
  return _mm256_castps_si256(_mm256_cmp_ps(_mm256_loadu_ps(at), limit, _CMP_LE_OQ));
}

/* Packing works on halves: it leaves the even rows in the lower, the odd ones in the upper. */
INLINE unsigned lanes_open8(const Floats *bound, Floats limit)
{
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256 most = _mm256_broadcast_ps((const __m128 *)&limit);
  __m256i low = _mm256_packs_epi32(open2(bound, most), open2(bound + 2, most));
  __m256i high = _mm256_packs_epi32(open2(bound + 4, most), open2(bound + 6, most));
  __m256i rows = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
  __m256i closed = _mm256_cmpeq_epi32(rows, _mm256_setzero_si256());
  return 255u ^ (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(closed));
}

#endif
