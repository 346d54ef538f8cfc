/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors of rdp_simd.inc.h with AVX-512: 16 lanes. */
#ifndef STX_RDP_SIMD_AVX512_INC_H
#define STX_RDP_SIMD_AVX512_INC_H

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

INLINE Ints ri_flip(Ints a)
{
  return _mm512_xor_si512(a, _mm512_set1_epi16(INT16_MIN));
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

/* A mask as a number. Through a general register: gcc 12.2 at -O1 else stores 16 bits of a number
 * in a mask register, and loads 32. */
INLINE unsigned ri_bits(__mmask16 mask)
{
  unsigned bits = mask;
  __asm__("" : "+r"(bits));
  return bits;
}

INLINE unsigned ri_equal_bits(Ints a, Ints b)
{
  return ri_bits(_mm512_cmpeq_epi32_mask(a, b));
}

INLINE unsigned ri_above_bits(Ints a, Ints b)
{
  return ri_bits(_mm512_cmpgt_epi32_mask(a, b));
}

INLINE Ints ri_times(Ints a, Ints b)
{
  return _mm512_mullo_epi32(a, b);
}

INLINE Ints ri_low(Ints a)
{
  return _mm512_and_si512(a, ri_set(0xFFFF));
}

INLINE Ints ri_high(Ints a)
{
  return _mm512_srai_epi32(a, 16);
}

INLINE Ints ri_half(Ints a)
{
  return _mm512_srai_epi32(a, 1);
}

INLINE Ints ri_join(Ints low, Ints high)
{
  return _mm512_mask_blend_epi16(0xAAAAAAAA, low, _mm512_slli_epi32(high, 16));
}

INLINE Ints ri_where_equal(Ints a, Ints b, Ints c, Ints d)
{
  return _mm512_mask_mov_epi32(d, _mm512_cmpeq_epi32_mask(a, b), c);
}

INLINE Ints ri_where_above(Ints a, Ints b, Ints c, Ints d)
{
  return _mm512_mask_mov_epi32(d, _mm512_cmpgt_epi32_mask(a, b), c);
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

INLINE bool ri_known(const uint16_t *cells)
{
  Ints least = _mm512_min_epu16(ri_load(cells), ri_load(cells + 2 * LANES));
  return _mm512_cmpeq_epi16_mask(least, _mm512_setzero_si512()) == 0;
}

/* The fours of 32 numbers in the order in which two interleavings leave them ascending. */
INLINE Ints in_fours(Ints a)
{
  return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), a);
}

INLINE Ints ri_halves(void)
{
  Ints even = _mm512_slli_epi32(ri_ascending(), 1); /* 0, 2 … 30: each with the next one above */
  return in_fours(_mm512_or_si512(even, _mm512_slli_epi32(_mm512_add_epi32(even, ri_set(1)), 16)));
}

INLINE void ri_points_of_two(const uint16_t *cells, Ints halves, Ints *points)
{
  Ints values = ri_flip(in_fours(ri_load(cells)));
  points[0] = _mm512_unpacklo_epi16(halves, values);
  points[1] = _mm512_unpackhi_epi16(halves, values);
}

INLINE Ints ri_wide(const uint16_t *numbers)
{
  return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)numbers));
}

INLINE Ints ri_last(Ints a)
{
  return _mm512_permutexvar_epi32(ri_set(15), a);
}

INLINE Ints ri_running(const uint16_t *numbers)
{
  Ints a = ri_wide(numbers);
  Ints none = _mm512_setzero_si512();
  a = _mm512_add_epi32(a, _mm512_alignr_epi32(a, none, 15));
  a = _mm512_add_epi32(a, _mm512_alignr_epi32(a, none, 14));
  a = _mm512_add_epi32(a, _mm512_alignr_epi32(a, none, 12));
  return _mm512_add_epi32(a, _mm512_alignr_epi32(a, none, 8));
}

INLINE void ri_pack(uint32_t *to, Ints a, unsigned bits)
{
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, a));
}

INLINE void ri_pack_two(uint32_t *to, Ints a, uint32_t *to2, Ints b, unsigned bits)
{
  ri_pack(to, a, bits);
  ri_pack(to2, b, bits);
}

INLINE void ri_store(void *to, Ints a)
{
  _mm512_storeu_si512(to, a);
}

INLINE Ints ri_gather(const uint32_t *points, Ints at)
{
  return _mm512_i32gather_epi32(at, points, 4);
}

/* Eight records from their thirds, 8 bytes each. */
INLINE void eight_records(char *to, Ints a, Ints b, Ints c)
{
  Ints ab0 = _mm512_setr_epi64(0, 8, 0, 1, 9, 0, 2, 10),
       c0 = _mm512_setr_epi64(0, 0, 0, 0, 0, 1, 0, 0);
  Ints ab1 = _mm512_setr_epi64(0, 3, 11, 0, 4, 12, 0, 5),
       c1 = _mm512_setr_epi64(2, 0, 0, 3, 0, 0, 4, 0);
  Ints ab2 = _mm512_setr_epi64(13, 0, 6, 14, 0, 7, 15, 0),
       c2 = _mm512_setr_epi64(0, 5, 0, 0, 6, 0, 0, 7);
  ri_store(to, _mm512_mask_permutexvar_epi64(_mm512_permutex2var_epi64(a, ab0, b), 0x24, c0, c));
  ri_store(
      to + 64, _mm512_mask_permutexvar_epi64(_mm512_permutex2var_epi64(a, ab1, b), 0x49, c1, c));
  ri_store(
      to + 128, _mm512_mask_permutexvar_epi64(_mm512_permutex2var_epi64(a, ab2, b), 0x92, c2, c));
}

/* The lanes of both in turns: those of the lower half, of the upper one. */
INLINE void in_turns(Ints a, Ints b, Ints *low, Ints *high)
{
  Ints turns = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  *low = _mm512_permutex2var_epi32(a, turns, b);
  *high = _mm512_permutex2var_epi32(a, _mm512_add_epi32(turns, ri_set(8)), b);
}

INLINE void ri_records(void *to, const Ints words[6])
{
  Ints low[3], high[3];
  for (int i = 0; i < 3; i++)
    in_turns(words[2 * i], words[2 * i + 1], &low[i], &high[i]);
  eight_records(to, low[0], low[1], low[2]);
  eight_records((char *)to + 192, high[0], high[1], high[2]);
}

INLINE Ints ri_eight(const uint32_t *points, const uint32_t *first)
{
  __m512i a = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(points + first[0])));
  return _mm512_inserti64x4(a, _mm256_loadu_si256((const __m256i *)(points + first[8])), 1);
}

INLINE Ints ri_four(const uint32_t *points, const uint32_t *first)
{
  Ints a = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(points + first[0])));
  a = _mm512_inserti32x4(a, _mm_loadu_si128((const __m128i *)(points + first[4])), 1);
  a = _mm512_inserti32x4(a, _mm_loadu_si128((const __m128i *)(points + first[8])), 2);
  return _mm512_inserti32x4(a, _mm_loadu_si128((const __m128i *)(points + first[12])), 3);
}

INLINE void ri_zip(Ints a, Ints b, Ints *low, Ints *high)
{
  *low = _mm512_unpacklo_epi32(a, b);
  *high = _mm512_unpackhi_epi32(a, b);
}

INLINE void ri_zip_twos(Ints a, Ints b, Ints *low, Ints *high)
{
  *low = _mm512_unpacklo_epi64(a, b);
  *high = _mm512_unpackhi_epi64(a, b);
}

INLINE void ri_zip_fours(Ints a, Ints b, Ints *low, Ints *high)
{
  *low = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), b);
  *high = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), b);
}

INLINE uint64_t ri_take_kept(uint16_t *levels, Ints *most)
{
  Ints a = ri_load(levels), b = ri_load(levels + 32);
  ri_store(levels, ri_set(0));
  ri_store(levels + 32, ri_set(0));
  *most = _mm512_max_epu16(*most, _mm512_max_epu16(a, b));
  return _cvtmask64_u64(
      _mm512_kunpackd(_mm512_test_epi16_mask(b, b), _mm512_test_epi16_mask(a, a)));
}

INLINE Ints ri_only(Ints a, unsigned bits)
{
  return _mm512_maskz_mov_epi32((__mmask16)bits, a);
}

#endif
