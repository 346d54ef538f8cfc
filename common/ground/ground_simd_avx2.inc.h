/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors of ground_simd.inc.h with AVX2. */
#ifndef STX_GROUND_SIMD_AVX2_INC_H
#define STX_GROUND_SIMD_AVX2_INC_H

#include <immintrin.h>

#define GSIMD 8
typedef __m256 Floats;
typedef __m256i Ints;
typedef struct {
  Floats x, y, z, w;
} Planes;

INLINE Floats gs_all(float a)
{
  return _mm256_set1_ps(a);
}
INLINE Ints gs_all_ints(int a)
{
  return _mm256_set1_epi32(a);
}
INLINE Floats gs_min(Floats a, Floats b)
{
  return _mm256_min_ps(a, b);
}
INLINE Floats gs_max(Floats a, Floats b)
{
  return _mm256_max_ps(a, b);
}
INLINE Floats gs_root(Floats a)
{
  return _mm256_sqrt_ps(a);
}
INLINE Floats gs_abs(Floats a)
{
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
INLINE Ints gs_whole(Floats a)
{
  return _mm256_cvttps_epi32(a);
}
INLINE Ints gs_bits(Floats a)
{
  return _mm256_castps_si256(a);
}
INLINE Ints gs_add(Ints a, Ints b)
{
  return _mm256_add_epi32(a, b);
}
INLINE Ints gs_less(Ints a, Ints b)
{
  return _mm256_sub_epi32(a, b);
}
INLINE Ints gs_times(Ints a, Ints b)
{
  return _mm256_madd_epi16(a, b);
}
/* 0, step, 2 · step, … */
INLINE Ints gs_ramp(int step)
{
  return _mm256_mullo_epi32(gs_all_ints(step), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
INLINE Ints gs_load(const void *from)
{
  return _mm256_loadu_si256(from);
}
INLINE Floats gs_load_floats(const float *from)
{
  return _mm256_loadu_ps(from);
}
INLINE void gs_store(void *to, Ints a)
{
  _mm256_storeu_si256(to, a);
}
INLINE void gs_store_floats(float *to, Floats a)
{
  _mm256_storeu_ps(to, a);
}

INLINE Ints gs_between(Floats a, Floats least, Floats most, Ints yes, Ints no, Ints *count)
{
  Floats is =
      _mm256_and_ps(_mm256_cmp_ps(a, least, _CMP_GT_OQ), _mm256_cmp_ps(a, most, _CMP_LT_OQ));
  *count = gs_add(*count, gs_bits(is));
  return _mm256_blendv_epi8(no, yes, gs_bits(is));
}

INLINE int gs_total(Ints a)
{
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}

/* |0 − p| is p: a selection takes three times as long. */
INLINE Floats gs_back(float whole, Floats a, Floats b, Floats p)
{
  Floats back = _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ), _mm256_set1_ps(whole));
  return gs_abs(_mm256_sub_ps(back, p));
}

INLINE Ints gs_inside(
    Ints index, Ints none, Floats range, Floats least, Floats most, Floats z, Floats far)
{
  Floats out = _mm256_cmp_ps(range, least, _CMP_NGE_UQ);
  out = _mm256_or_ps(out, _mm256_cmp_ps(range, most, _CMP_NLT_UQ));
  out = _mm256_or_ps(out, _mm256_cmp_ps(gs_abs(z), far, _CMP_NLT_UQ));
  return _mm256_min_epu32(_mm256_or_si256(index, gs_bits(out)), none);
}

INLINE Floats gs_halves(const float *a, const float *b)
{
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
}

/* Of vectors of two points each, four apart. */
INLINE Planes gs_planes(Floats a, Floats b, Floats c, Floats d)
{
  Floats xy = _mm256_unpacklo_ps(a, b), xy_high = _mm256_unpacklo_ps(c, d);
  Floats zw = _mm256_unpackhi_ps(a, b), zw_high = _mm256_unpackhi_ps(c, d);
  Planes planes = {_mm256_shuffle_ps(xy, xy_high, 0x44), _mm256_shuffle_ps(xy, xy_high, 0xEE),
      _mm256_shuffle_ps(zw, zw_high, 0x44), _mm256_shuffle_ps(zw, zw_high, 0xEE)};
  return planes;
}

INLINE Floats gs_two(const float *point, size_t stride)
{
  return gs_halves(point, point + 4 * stride);
}

INLINE Planes gs_points(const float *points, size_t stride)
{
  return gs_planes(gs_two(points, stride), gs_two(points + stride, stride),
      gs_two(points + 2 * stride, stride), gs_two(points + 3 * stride, stride));
}

INLINE Floats gs_two_at(const float *fours, const uint32_t *at)
{
  return gs_halves(fours + 4 * (size_t)at[0], fours + 4 * (size_t)at[4]);
}

INLINE Planes gs_points_at(const float *fours, const uint32_t *at)
{
  return gs_planes(gs_two_at(fours, at), gs_two_at(fours, at + 1), gs_two_at(fours, at + 2),
      gs_two_at(fours, at + 3));
}

/* The halves, one to each of two quads. */
INLINE void gs_store_halves(__m128i *to, Ints a)
{
  _mm_storeu_si128(to, _mm256_castsi256_si128(a));
  _mm_storeu_si128(to + 4, _mm256_extracti128_si256(a, 1));
}

INLINE void gs_quads(void *to, Ints a, Ints b, Ints c, Ints d)
{
  Ints ab = _mm256_unpacklo_epi32(a, b), cd = _mm256_unpacklo_epi32(c, d);
  Ints ab_high = _mm256_unpackhi_epi32(a, b), cd_high = _mm256_unpackhi_epi32(c, d);
  gs_store_halves((__m128i *)to, _mm256_unpacklo_epi64(ab, cd));
  gs_store_halves((__m128i *)to + 1, _mm256_unpackhi_epi64(ab, cd));
  gs_store_halves((__m128i *)to + 2, _mm256_unpacklo_epi64(ab_high, cd_high));
  gs_store_halves((__m128i *)to + 3, _mm256_unpackhi_epi64(ab_high, cd_high));
}

INLINE void gs_keys(void *to, Ints low, Ints high)
{
  Ints a = _mm256_unpacklo_epi32(low, high), b = _mm256_unpackhi_epi32(low, high);
  gs_store(to, _mm256_permute2x128_si256(a, b, 0x20));
  gs_store((char *)to + 32, _mm256_permute2x128_si256(a, b, 0x31));
}

#endif
