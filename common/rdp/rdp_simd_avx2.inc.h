/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors of rdp_simd.inc.h with AVX2: 8 lanes. */
#ifndef STX_RDP_SIMD_AVX2_INC_H
#define STX_RDP_SIMD_AVX2_INC_H

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

INLINE Ints ri_flip(Ints a)
{
  return _mm256_xor_si256(a, _mm256_set1_epi16(INT16_MIN));
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

INLINE unsigned ri_above_bits(Ints a, Ints b)
{
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b)));
}

INLINE Ints ri_times(Ints a, Ints b)
{
  return _mm256_mullo_epi32(a, b);
}

INLINE Ints ri_low(Ints a)
{
  return _mm256_blend_epi16(a, _mm256_setzero_si256(), 0xAA);
}

INLINE Ints ri_high(Ints a)
{
  return _mm256_srai_epi32(a, 16);
}

INLINE Ints ri_half(Ints a)
{
  return _mm256_srai_epi32(a, 1);
}

INLINE Ints ri_join(Ints low, Ints high)
{
  return _mm256_blend_epi16(low, _mm256_slli_epi32(high, 16), 0xAA);
}

INLINE Ints ri_where_equal(Ints a, Ints b, Ints c, Ints d)
{
  return _mm256_blendv_epi8(d, c, _mm256_cmpeq_epi32(a, b));
}

INLINE Ints ri_where_above(Ints a, Ints b, Ints c, Ints d)
{
  return _mm256_blendv_epi8(d, c, _mm256_cmpgt_epi32(a, b));
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

INLINE bool ri_known(const uint16_t *cells)
{
  Ints least = _mm256_min_epu16(ri_load(cells), ri_load(cells + 2 * LANES));
  return _mm256_movemask_epi8(_mm256_cmpeq_epi16(least, _mm256_setzero_si256())) == 0;
}

/* The fours of 16 cells change places, so that two interleavings leave the points in order. */
INLINE Ints ri_halves(void)
{
  return _mm256_setr_epi16(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
}

INLINE void ri_points_of_two(const uint16_t *cells, Ints halves, Ints *points)
{
  Ints values = ri_flip(_mm256_permute4x64_epi64(ri_load(cells), 0xD8));
  points[0] = _mm256_unpacklo_epi16(halves, values);
  points[1] = _mm256_unpackhi_epi16(halves, values);
}

INLINE Ints ri_wide(const uint16_t *numbers)
{
  return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)numbers));
}

INLINE Ints ri_last(Ints a)
{
  return _mm256_permutevar8x32_epi32(a, ri_set(7));
}

INLINE Ints ri_running(const uint16_t *numbers)
{
  Ints a = ri_wide(numbers);
  a = _mm256_add_epi32(a, _mm256_slli_si256(a, 4));
  a = _mm256_add_epi32(a, _mm256_slli_si256(a, 8));
  Ints low = _mm256_permute2x128_si256(a, a, 0x08); /* the low half above zeros */
  return _mm256_add_epi32(a, _mm256_shuffle_epi32(low, 0xFF));
}

INLINE void ri_store(void *to, Ints a)
{
  _mm256_storeu_si256((__m256i *)to, a);
}

/* The numbers of the lanes whose bit is set. */
INLINE Ints set_lanes(unsigned bits)
{
  uint64_t bytes = _pdep_u64(bits, 0x0101010101010101) * 0xFF;
  uint64_t order = _pext_u64(0x0706050403020100, bytes);
  return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)order));
}

INLINE void ri_pack(uint32_t *to, Ints a, unsigned bits)
{
  ri_store(to, _mm256_permutevar8x32_epi32(a, set_lanes(bits)));
}

INLINE void ri_pack_two(uint32_t *to, Ints a, uint32_t *to2, Ints b, unsigned bits)
{
  Ints lanes = set_lanes(bits);
  ri_store(to, _mm256_permutevar8x32_epi32(a, lanes));
  ri_store(to2, _mm256_permutevar8x32_epi32(b, lanes));
}

INLINE Ints ri_gather(const uint32_t *points, Ints at)
{
  return _mm256_i32gather_epi32((const int *)points, at, 4);
}

/* Four records from their thirds, 8 bytes each. */
INLINE void four_records(char *to, Ints a, Ints b, Ints c)
{
  Ints ab = _mm256_unpacklo_epi64(a, b), bc = _mm256_unpackhi_epi64(b, c);
  Ints ca = _mm256_blend_epi32(_mm256_unpacklo_epi64(c, c), a, 0xCC);
  ri_store(to, _mm256_permute2x128_si256(ab, ca, 0x20));
  ri_store(to + 32, _mm256_blend_epi32(bc, ab, 0xF0));
  ri_store(to + 64, _mm256_permute2x128_si256(ca, bc, 0x31));
}

INLINE void ri_records(void *to, const Ints words[6])
{
  Ints low[3], high[3];
  for (int i = 0; i < 3; i++) {
    Ints even = _mm256_permute4x64_epi64(words[2 * i], 0xD8);
    Ints odd = _mm256_permute4x64_epi64(words[2 * i + 1], 0xD8);
    low[i] = _mm256_unpacklo_epi32(even, odd);
    high[i] = _mm256_unpackhi_epi32(even, odd);
  }
  four_records(to, low[0], low[1], low[2]);
  four_records((char *)to + 96, high[0], high[1], high[2]);
}

INLINE Ints ri_eight(const uint32_t *points, const uint32_t *first)
{
  return ri_load(points + first[0]);
}

INLINE Ints ri_four(const uint32_t *points, const uint32_t *first)
{
  Ints a = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(points + first[0])));
  return _mm256_inserti128_si256(a, _mm_loadu_si128((const __m128i *)(points + first[4])), 1);
}

INLINE void ri_zip(Ints a, Ints b, Ints *low, Ints *high)
{
  *low = _mm256_unpacklo_epi32(a, b);
  *high = _mm256_unpackhi_epi32(a, b);
}

INLINE void ri_zip_twos(Ints a, Ints b, Ints *low, Ints *high)
{
  *low = _mm256_unpacklo_epi64(a, b);
  *high = _mm256_unpackhi_epi64(a, b);
}

INLINE void ri_zip_fours(Ints a, Ints b, Ints *low, Ints *high)
{
  *low = _mm256_permute2x128_si256(a, b, 0x20);
  *high = _mm256_permute2x128_si256(a, b, 0x31);
}

/* Of 32 levels. */
INLINE uint32_t half_kept(uint16_t *levels, Ints *most)
{
  Ints a = ri_load(levels), b = ri_load(levels + 16), none = _mm256_setzero_si256();
  ri_store(levels, none);
  ri_store(levels + 16, none);
  *most = _mm256_max_epu16(*most, _mm256_max_epu16(a, b));
  Ints not = _mm256_packs_epi16(_mm256_cmpeq_epi16(a, none), _mm256_cmpeq_epi16(b, none));
  return ~(uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(not, 0xD8));
}

INLINE uint64_t ri_take_kept(uint16_t *levels, Ints *most)
{
  uint64_t low = half_kept(levels, most);
  return low | (uint64_t)half_kept(levels + 32, most) << 32;
}

INLINE Ints ri_only(Ints a, unsigned bits)
{
  Ints bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_and_si256(a, _mm256_cmpeq_epi32(_mm256_and_si256(ri_set((int)bits), bit), bit));
}

#endif
