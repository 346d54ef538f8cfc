/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lanes of satdp_simd.inc.h with AVX-512. */
#ifndef STX_SATDP_SIMD_AVX512_INC_H
#define STX_SATDP_SIMD_AVX512_INC_H

#include <immintrin.h>

typedef __mmask8 Mask;

INLINE Real lanes_min(Real a, Real b)
{
  return (Real)_mm512_min_pd((__m512d)a, (__m512d)b);
}

INLINE Real lanes_max(Real a, Real b)
{
  return (Real)_mm512_max_pd((__m512d)a, (__m512d)b);
}

INLINE Real lanes_absolute(Real a)
{
  return (Real)_mm512_abs_pd((__m512d)a);
}

INLINE Mask lanes_less(Real a, Real b)
{
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
}

INLINE Mask lanes_equal(Real a, Real b)
{
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ);
}

INLINE Mask lanes_differ(Real a, Real b)
{
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NEQ_UQ);
}

INLINE Real lanes_select(Mask mask, Real a, Real b)
{
  return (Real)_mm512_mask_blend_pd(mask, (__m512d)b, (__m512d)a);
}

INLINE Real lanes_keep(Mask mask, Real a)
{
  return (Real)_mm512_maskz_mov_pd(mask, (__m512d)a);
}

INLINE Floats lanes_narrow(Real a)
{
  return (Floats)_mm512_cvtpd_ps((__m512d)a);
}

INLINE Real lanes_widen(Floats a)
{
  return (Real)_mm512_cvtps_pd((__m256)a);
}

INLINE Real lanes_of_integers(Integers a)
{
  return (Real)_mm512_cvtepi32_pd((__m256i)a);
}

INLINE Integers lanes_least(Integers a, Integers b)
{
  return (Integers)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

INLINE Floats lanes_smaller(Floats a, Floats b)
{
  return (Floats)_mm256_min_ps((__m256)a, (__m256)b);
}

INLINE int lanes_any_at_most(Floats a, Floats b)
{
  return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LE_OQ) != 0;
}

INLINE unsigned lanes_open8(const Floats *bound, Floats limit)
{
  const float *at = (const float *)(const void *)bound;
  __m512 most = _mm512_broadcast_f32x8((__m256)limit);
  uint64_t low = _mm512_cmp_ps_mask(_mm512_loadu_ps(at), most, _CMP_LE_OQ) |
                 (uint64_t)_mm512_cmp_ps_mask(_mm512_loadu_ps(at + 16), most, _CMP_LE_OQ) << 16;
  uint64_t high = _mm512_cmp_ps_mask(_mm512_loadu_ps(at + 32), most, _CMP_LE_OQ) |
                  (uint64_t)_mm512_cmp_ps_mask(_mm512_loadu_ps(at + 48), most, _CMP_LE_OQ) << 16;
  __m512i rows = _mm512_movm_epi8(low | high << 32);
  return _mm512_test_epi64_mask(rows, rows);
}

#endif
