/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors of ground_simd.inc.h with AVX-512. */
#ifndef STX_GROUND_SIMD_AVX512_INC_H
#define STX_GROUND_SIMD_AVX512_INC_H

#include <immintrin.h>

#define GSIMD 16
typedef __m512 Floats;
typedef __m512i Ints;
typedef struct {
  Floats x, y, z, w;
} Planes;

INLINE Floats gs_all(float a)
{
  return _mm512_set1_ps(a);
}
INLINE Ints gs_all_ints(int a)
{
  return _mm512_set1_epi32(a);
}
INLINE Floats gs_min(Floats a, Floats b)
{
  return _mm512_min_ps(a, b);
}
INLINE Floats gs_max(Floats a, Floats b)
{
  return _mm512_max_ps(a, b);
}
INLINE Floats gs_root(Floats a)
{
  return _mm512_sqrt_ps(a);
}
INLINE Floats gs_abs(Floats a)
{
  return _mm512_abs_ps(a);
}
INLINE Ints gs_whole(Floats a)
{
  return _mm512_cvttps_epi32(a);
}
INLINE Ints gs_bits(Floats a)
{
  return _mm512_castps_si512(a);
}
INLINE Ints gs_add(Ints a, Ints b)
{
  return _mm512_add_epi32(a, b);
}
INLINE Ints gs_less(Ints a, Ints b)
{
  return _mm512_sub_epi32(a, b);
}
INLINE Ints gs_times(Ints a, Ints b)
{
  return _mm512_madd_epi16(a, b);
}
/* 0, step, 2 · step, … */
INLINE Ints gs_ramp(int step)
{
  return _mm512_mullo_epi32(
      gs_all_ints(step), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}
INLINE Ints gs_load(const void *from)
{
  return _mm512_loadu_si512(from);
}
INLINE Floats gs_load_floats(const float *from)
{
  return _mm512_loadu_ps(from);
}
INLINE void gs_store(void *to, Ints a)
{
  _mm512_storeu_si512(to, a);
}
INLINE void gs_store_floats(float *to, Floats a)
{
  _mm512_storeu_ps(to, a);
}

/* Where least < a < most: yes, else no; *count: lanes where it is so, as many times as -1. */
INLINE Ints gs_between(Floats a, Floats least, Floats most, Ints yes, Ints no, Ints *count)
{
  __mmask16 is = _mm512_cmp_ps_mask(a, least, _CMP_GT_OQ);
  is = _mm512_mask_cmp_ps_mask(is, a, most, _CMP_LT_OQ);
  *count = _mm512_mask_sub_epi32(*count, is, *count, gs_all_ints(1));
  return _mm512_mask_mov_epi32(no, is, yes);
}

INLINE int gs_total(Ints a)
{
  return _mm512_reduce_add_epi32(a);
}

INLINE Floats gs_back(float whole, Floats a, Floats b, Floats p)
{
  return _mm512_mask_sub_ps(p, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), _mm512_set1_ps(whole), p);
}

INLINE Ints gs_inside(
    Ints index, Ints none, Floats range, Floats least, Floats most, Floats z, Floats far)
{
  __mmask16 in = _mm512_cmp_ps_mask(range, least, _CMP_GE_OQ);
  in = _mm512_mask_cmp_ps_mask(in, range, most, _CMP_LT_OQ);
  in = _mm512_mask_cmp_ps_mask(in, gs_abs(z), far, _CMP_LT_OQ);
  return _mm512_mask_mov_epi32(none, in, index);
}

INLINE Floats gs_quarters(const float *a, const float *b, const float *c, const float *d)
{
  Floats all = _mm512_castps128_ps512(_mm_loadu_ps(a));
  all = _mm512_insertf32x4(all, _mm_loadu_ps(b), 1);
  all = _mm512_insertf32x4(all, _mm_loadu_ps(c), 2);
  return _mm512_insertf32x4(all, _mm_loadu_ps(d), 3);
}

/* Of vectors of four points each. */
INLINE Planes gs_planes(Floats a, Floats b, Floats c, Floats d)
{
  const __m512i xy = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  const __m512i zw = _mm512_add_epi32(xy, _mm512_set1_epi32(2));
  Floats low = _mm512_permutex2var_ps(a, xy, b), high = _mm512_permutex2var_ps(c, xy, d);
  Floats z_low = _mm512_permutex2var_ps(a, zw, b), z_high = _mm512_permutex2var_ps(c, zw, d);
  Planes planes = {_mm512_shuffle_f32x4(low, high, 0x44), _mm512_shuffle_f32x4(low, high, 0xEE),
      _mm512_shuffle_f32x4(z_low, z_high, 0x44), _mm512_shuffle_f32x4(z_low, z_high, 0xEE)};
  return planes;
}

INLINE Floats gs_four(const float *point, size_t stride)
{
  return stride == 4 ? _mm512_loadu_ps(point)
                     : gs_quarters(point, point + stride, point + 2 * stride, point + 3 * stride);
}

INLINE Planes gs_points(const float *points, size_t stride)
{
  return gs_planes(gs_four(points, stride), gs_four(points + 4 * stride, stride),
      gs_four(points + 8 * stride, stride), gs_four(points + 12 * stride, stride));
}

INLINE Floats gs_four_at(const float *fours, const uint32_t *at)
{
  return gs_quarters(fours + 4 * (size_t)at[0], fours + 4 * (size_t)at[1],
      fours + 4 * (size_t)at[2], fours + 4 * (size_t)at[3]);
}

INLINE Planes gs_points_at(const float *fours, const uint32_t *at)
{
  return gs_planes(gs_four_at(fours, at), gs_four_at(fours, at + 4), gs_four_at(fours, at + 8),
      gs_four_at(fours, at + 12));
}

/* Lanes 0, 4, 8 and 12 of what gs_quads() makes, one to each of four quads. */
INLINE void gs_store_quarters(__m128i *to, Ints a)
{
  _mm_storeu_si128(to, _mm512_castsi512_si128(a));
  _mm_storeu_si128(to + 4, _mm512_extracti32x4_epi32(a, 1));
  _mm_storeu_si128(to + 8, _mm512_extracti32x4_epi32(a, 2));
  _mm_storeu_si128(to + 12, _mm512_extracti32x4_epi32(a, 3));
}

INLINE void gs_quads(void *to, Ints a, Ints b, Ints c, Ints d)
{
  Ints ab = _mm512_unpacklo_epi32(a, b), cd = _mm512_unpacklo_epi32(c, d);
  Ints ab_high = _mm512_unpackhi_epi32(a, b), cd_high = _mm512_unpackhi_epi32(c, d);
  gs_store_quarters((__m128i *)to, _mm512_unpacklo_epi64(ab, cd));
  gs_store_quarters((__m128i *)to + 1, _mm512_unpackhi_epi64(ab, cd));
  gs_store_quarters((__m128i *)to + 2, _mm512_unpacklo_epi64(ab_high, cd_high));
  gs_store_quarters((__m128i *)to + 3, _mm512_unpackhi_epi64(ab_high, cd_high));
}

INLINE void gs_keys(void *to, Ints low, Ints high)
{
  Ints a = _mm512_unpacklo_epi32(low, high), b = _mm512_unpackhi_epi32(low, high);
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  gs_store(to, _mm512_permutex2var_epi64(a, first, b));
  gs_store((char *)to + 64, _mm512_permutex2var_epi64(a, second, b));
}

#endif
