/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of simd.h: AVX-512 with all of Ice Lake's extensions. */
#pragma once

STX_BINARY(VecU16, min_u16, _mm512_min_epu16, __m512i)
STX_BINARY(VecU16, max_u16, _mm512_max_epu16, __m512i)
STX_BINARY(VecI32, min_i32, _mm512_min_epi32, __m512i)
STX_BINARY(VecI32, max_i32, _mm512_max_epi32, __m512i)
STX_UNARY(VecI32, abs_i32, VecI32, (VecI32)_mm512_abs_epi32((__m512i)a))

/* ---- Masks -------------------------------------------------------------------------------- */

typedef __mmask16 Mask32;

#define STX_COMPARE(Vector, name, type, Register, comparison)                                      \
  INLINE Mask32 name(Vector a, Vector b)                                                           \
  {                                                                                                \
    return _mm512_cmp_##type##_mask((Register)a, (Register)b, comparison);                         \
  }
STX_COMPARE(VecI32, eq_i32, epi32, __m512i, _MM_CMPINT_EQ)
STX_COMPARE(VecI32, gt_i32, epi32, __m512i, _MM_CMPINT_NLE)
STX_COMPARE(VecF32, lt_f32, ps, __m512, _CMP_LT_OQ)
STX_COMPARE(VecF32, gt_f32, ps, __m512, _CMP_GT_OQ)
STX_COMPARE(VecF32, ge_f32, ps, __m512, _CMP_GE_OQ)

INLINE VecI32 blend_i32(Mask32 mask, VecI32 yes, VecI32 no)
{
  return (VecI32)_mm512_mask_mov_epi32((__m512i)no, mask, (__m512i)yes);
}

INLINE VecI32 keep_i32(Mask32 mask, VecI32 a)
{
  return (VecI32)_mm512_maskz_mov_epi32(mask, (__m512i)a);
}

INLINE VecF32 reflect_f32(Mask32 mask, float whole, VecF32 p)
{
  return (VecF32)_mm512_mask_sub_ps((__m512)p, mask, _mm512_set1_ps(whole), (__m512)p);
}

/* Through a general register: gcc 12.2 at -O1 else stores 16 bits of a number in a mask register,
 * and loads 32. */
INLINE unsigned mask_bits(Mask32 mask)
{
  unsigned bits = mask;
  __asm__("" : "+r"(bits));
  return bits;
}

STX_UNARY(Mask32, mask_of_bits, unsigned, (Mask32)a)

INLINE VecI32 count_i32(VecI32 count, Mask32 mask)
{
  return (VecI32)_mm512_mask_sub_epi32((__m512i)count, mask, (__m512i)count, _mm512_set1_epi32(-1));
}

/* ---- Bytes -------------------------------------------------------------------------------- */

/* Indices 1, 2, … 64 less `back`: what a shift by one lane reads. */
INLINE __m512i shifted_lanes(int back)
{
  static const uint8_t ascending[66] __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
      33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55,
      56, 57, 58, 59, 60, 61, 62, 63, 64, 65};
  return _mm512_sub_epi8(_mm512_loadu_si512(ascending + 1), _mm512_set1_epi8((char)back));
}

INLINE VecU8 up_u8(VecU8 v, VecU8 free)
{
  return (VecU8)_mm512_mask_permutexvar_epi8((__m512i)free, ~1ull, shifted_lanes(2), (__m512i)v);
}

INLINE VecU8 down_u8(VecU8 v, VecU8 free)
{
  return (VecU8)_mm512_mask_permutexvar_epi8(
      (__m512i)free, ~0ull >> 1, shifted_lanes(0), (__m512i)v);
}

#define STX_HALVES(instruction, v)                                                                 \
  instruction(_mm512_castsi512_si256((__m512i)v), _mm512_extracti64x4_epi64((__m512i)v, 1))

/* The least of quarters. */
INLINE __m128i least_quarter_u8(VecU8 v)
{
  __m256i half = STX_HALVES(_mm256_min_epu8, v);
  return _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

INLINE __m128i least_quarter_u16(VecU16 v)
{
  __m256i half = STX_HALVES(_mm256_min_epu16, v);
  return _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

STX_UNARY(VecU8, broadcast_u8, __m128i, (VecU8)_mm512_broadcastb_epi8(a))

/* ---- Words of 16 bits --------------------------------------------------------------------- */

STX_UNARY(__mmask32, nonzero_mask, VecU16, _mm512_test_epi16_mask((__m512i)a, (__m512i)a))
STX_UNARY(bool, any_zero_u16, VecU16, _mm512_testn_epi16_mask((__m512i)a, (__m512i)a) != 0)

INLINE uint64_t nonzero_bits_u16(VecU16 a, VecU16 b)
{
  return _cvtmask64_u64(_mm512_kunpackd(nonzero_mask(b), nonzero_mask(a)));
}

STX_EACH(VecU16, keep_nonzero_u16, (VecU16)_mm512_maskz_mov_epi16(nonzero_mask(b), (__m512i)a))

INLINE VecU16 count_mask_u16(VecU16 count, __mmask32 mask)
{
  return (VecU16)_mm512_mask_sub_epi16((__m512i)count, mask, (__m512i)count, _mm512_set1_epi16(-1));
}

STX_EACH(VecU16, count_nonzero_u16, count_mask_u16(a, nonzero_mask(b)))

INLINE VecI32 widen_u16(const uint16_t *from)
{
  return (VecI32)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)from));
}

INLINE VecU16 widen_u8(const uint8_t *from)
{
  return (VecU16)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)from));
}

/* ---- Words of 32 bits --------------------------------------------------------------------- */

#define STX_ACROSS_QUARTERS(op, a)                                                                 \
  do {                                                                                             \
    a = op(a, (VecI32)_mm512_shuffle_i64x2((__m512i)(a), (__m512i)(a), 0x4E));                     \
    a = op(a, (VecI32)_mm512_shuffle_i64x2((__m512i)(a), (__m512i)(a), 0xB1));                     \
  } while (0)

INLINE VecI32 prefix_sum_i32(VecI32 v)
{
  __m512i a = (__m512i)v, none = _mm512_setzero_si512();
  a = _mm512_add_epi32(a, _mm512_alignr_epi32(a, none, 15));
  a = _mm512_add_epi32(a, _mm512_alignr_epi32(a, none, 14));
  a = _mm512_add_epi32(a, _mm512_alignr_epi32(a, none, 12));
  return (VecI32)_mm512_add_epi32(a, _mm512_alignr_epi32(a, none, 8));
}

INLINE VecI32 last_lane_i32(VecI32 a)
{
  return (VecI32)_mm512_permutexvar_epi32(_mm512_set1_epi32(15), (__m512i)a);
}

INLINE void compress_store_i32(void *to, VecI32 a, unsigned bits)
{
  _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, (__m512i)a));
}

INLINE VecI32 gather_i32(const void *from, VecI32 at)
{
  return (VecI32)_mm512_i32gather_epi32((__m512i)at, from, 4);
}

INLINE VecI32 load_quarters(const char *from, const uint32_t *at, size_t unit)
{
#define QUARTER(q) _mm_loadu_si128((const __m128i *)(const void *)(from + unit * at[4 * (q)]))
  __m512i a = _mm512_castsi128_si512(QUARTER(0));
  a = _mm512_inserti32x4(a, QUARTER(1), 1);
  a = _mm512_inserti32x4(a, QUARTER(2), 2);
  return (VecI32)_mm512_inserti32x4(a, QUARTER(3), 3);
#undef QUARTER
}

INLINE void store_quarters(char *to, size_t stride, VecI32 a)
{
#define QUARTER(q) (__m128i *)(void *)(to + stride * (q))
  _mm_storeu_si128(QUARTER(0), _mm512_castsi512_si128((__m512i)a));
  _mm_storeu_si128(QUARTER(1), _mm512_extracti32x4_epi32((__m512i)a, 1));
  _mm_storeu_si128(QUARTER(2), _mm512_extracti32x4_epi32((__m512i)a, 2));
  _mm_storeu_si128(QUARTER(3), _mm512_extracti32x4_epi32((__m512i)a, 3));
#undef QUARTER
}

/* load4_i32 of words without gaps. */
INLINE void load4_row_i32(const char *from, VecI32 v[4])
{
  const __m512i xy = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  const __m512i zw = _mm512_add_epi32(xy, _mm512_set1_epi32(2));
  __m512i a = _mm512_loadu_si512(from), b = _mm512_loadu_si512(from + 64);
  __m512i c = _mm512_loadu_si512(from + 128), d = _mm512_loadu_si512(from + 192);
  __m512i low = _mm512_permutex2var_epi32(a, xy, b), high = _mm512_permutex2var_epi32(c, xy, d);
  v[0] = (VecI32)_mm512_shuffle_i32x4(low, high, 0x44);
  v[1] = (VecI32)_mm512_shuffle_i32x4(low, high, 0xEE);
  low = _mm512_permutex2var_epi32(a, zw, b);
  high = _mm512_permutex2var_epi32(c, zw, d);
  v[2] = (VecI32)_mm512_shuffle_i32x4(low, high, 0x44);
  v[3] = (VecI32)_mm512_shuffle_i32x4(low, high, 0xEE);
}

/* Eight times six words from their thirds, 8 bytes each. */
INLINE void store_thirds(char *to, __m512i a, __m512i b, __m512i c)
{
  __m512i ab0 = _mm512_setr_epi64(0, 8, 0, 1, 9, 0, 2, 10),
          c0 = _mm512_setr_epi64(0, 0, 0, 0, 0, 1, 0, 0);
  __m512i ab1 = _mm512_setr_epi64(0, 3, 11, 0, 4, 12, 0, 5),
          c1 = _mm512_setr_epi64(2, 0, 0, 3, 0, 0, 4, 0);
  __m512i ab2 = _mm512_setr_epi64(13, 0, 6, 14, 0, 7, 15, 0),
          c2 = _mm512_setr_epi64(0, 5, 0, 0, 6, 0, 0, 7);
#define THIRD(n, mask)                                                                             \
  _mm512_storeu_si512(to + 64 * n,                                                                 \
      _mm512_mask_permutexvar_epi64(_mm512_permutex2var_epi64(a, ab##n, b), mask, c##n, c))
  THIRD(0, 0x24);
  THIRD(1, 0x49);
  THIRD(2, 0x92);
#undef THIRD
}

INLINE void store6_i32(char *to, const VecI32 words[6])
{
  const __m512i turns = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  __m512i low[3], high[3];
  for (int i = 0; i < 3; i++) {
    __m512i a = (__m512i)words[2 * i], b = (__m512i)words[2 * i + 1];
    low[i] = _mm512_permutex2var_epi32(a, turns, b);
    high[i] = _mm512_permutex2var_epi32(a, _mm512_add_epi32(turns, _mm512_set1_epi32(8)), b);
  }
  store_thirds(to, low[0], low[1], low[2]);
  store_thirds(to + 192, high[0], high[1], high[2]);
}
