/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Part of simd.h: AVX2. */
#pragma once

STX_BINARY(VecU16, min_u16, _mm256_min_epu16, __m256i)
STX_BINARY(VecU16, max_u16, _mm256_max_epu16, __m256i)
STX_BINARY(VecI32, min_i32, _mm256_min_epi32, __m256i)
STX_BINARY(VecI32, max_i32, _mm256_max_epi32, __m256i)
STX_UNARY(VecI32, abs_i32, VecI32, (VecI32)_mm256_abs_epi32((__m256i)a))

INLINE VecI32 blend_i32(Mask32 mask, VecI32 yes, VecI32 no)
{
  return (VecI32)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)mask);
}

STX_UNARY(unsigned, mask_bits, Mask32, (unsigned)_mm256_movemask_ps((__m256)a))

/* ---- Bytes -------------------------------------------------------------------------------- */

INLINE VecU8 up_u8(VecU8 v, VecU8 free)
{
  __m256i below = _mm256_permute2x128_si256((__m256i)free, (__m256i)v, 0x20);
  return (VecU8)_mm256_alignr_epi8((__m256i)v, below, 15);
}

INLINE VecU8 down_u8(VecU8 v, VecU8 free)
{
  __m256i above = _mm256_permute2x128_si256((__m256i)v, (__m256i)free, 0x21);
  return (VecU8)_mm256_alignr_epi8(above, (__m256i)v, 1);
}

#define STX_QUARTERS(instruction, v)                                                               \
  instruction(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1))

/* The least of quarters. */
STX_UNARY(__m128i, least_quarter_u8, VecU8, STX_QUARTERS(_mm_min_epu8, a))
STX_UNARY(__m128i, least_quarter_u16, VecU16, STX_QUARTERS(_mm_min_epu16, a))
STX_UNARY(VecU8, broadcast_u8, __m128i, (VecU8)_mm256_broadcastb_epi8(a))

/* ---- Words of 16 bits --------------------------------------------------------------------- */

STX_UNARY(bool, any_zero_u16, VecU16, _mm256_movemask_epi8((__m256i)(a == 0)) != 0)

INLINE uint64_t nonzero_bits_u16(VecU16 a, VecU16 b)
{
  __m256i zero = _mm256_packs_epi16((__m256i)(a == 0), (__m256i)(b == 0));
  return ~(uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(zero, 0xD8));
}

INLINE VecI32 widen_u16(const uint16_t *from)
{
  return (VecI32)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
}

INLINE VecU16 widen_u8(const uint8_t *from)
{
  return (VecU16)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)from));
}

/* ---- Words of 32 bits --------------------------------------------------------------------- */

#define STX_ACROSS_QUARTERS(op, a)                                                                 \
  a = op(a, (VecI32)_mm256_permute2x128_si256((__m256i)(a), (__m256i)(a), 1))

INLINE VecI32 prefix_sum_i32(VecI32 v)
{
  __m256i a = (__m256i)v;
  a = _mm256_add_epi32(a, _mm256_slli_si256(a, 4));
  a = _mm256_add_epi32(a, _mm256_slli_si256(a, 8));
  __m256i low = _mm256_permute2x128_si256(a, a, 0x08); /* the low half above zeros */
  return (VecI32)_mm256_add_epi32(a, _mm256_shuffle_epi32(low, 0xFF));
}

INLINE VecI32 last_lane_i32(VecI32 a)
{
  return (VecI32)_mm256_permutevar8x32_epi32((__m256i)a, _mm256_set1_epi32(7));
}

INLINE void compress_store_i32(void *to, VecI32 a, unsigned bits)
{
  uint64_t bytes = _pdep_u64(bits, 0x0101010101010101) * 0xFF;
  uint64_t order = _pext_u64(0x0706050403020100, bytes);
  __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)order));
  store_i32(to, (VecI32)_mm256_permutevar8x32_epi32((__m256i)a, lanes));
}

INLINE VecI32 gather_i32(const void *from, VecI32 at)
{
  return (VecI32)_mm256_i32gather_epi32(from, (__m256i)at, 4);
}

INLINE VecI32 load_quarters(const char *from, const uint32_t *at, size_t unit)
{
  return (VecI32)_mm256_loadu2_m128i((const __m128i *)(const void *)(from + unit * at[4]),
      (const __m128i *)(const void *)(from + unit * at[0]));
}

INLINE void store_quarters(char *to, size_t stride, VecI32 a)
{
  _mm256_storeu2_m128i((__m128i *)(void *)(to + stride), (__m128i *)(void *)to, (__m256i)a);
}

/* Four times six words from their thirds, 8 bytes each. */
INLINE void store_thirds(char *to, __m256i a, __m256i b, __m256i c)
{
  __m256i ab = _mm256_unpacklo_epi64(a, b), bc = _mm256_unpackhi_epi64(b, c);
  __m256i ca = _mm256_blend_epi32(_mm256_unpacklo_epi64(c, c), a, 0xCC);
  store_i32(to, (VecI32)_mm256_permute2x128_si256(ab, ca, 0x20));
  store_i32(to + 32, (VecI32)_mm256_blend_epi32(bc, ab, 0xF0));
  store_i32(to + 64, (VecI32)_mm256_permute2x128_si256(ca, bc, 0x31));
}

INLINE void store6_i32(char *to, const VecI32 words[6])
{
  __m256i low[3], high[3];
  for (int i = 0; i < 3; i++) {
    __m256i even = _mm256_permute4x64_epi64((__m256i)words[2 * i], 0xD8);
    __m256i odd = _mm256_permute4x64_epi64((__m256i)words[2 * i + 1], 0xD8);
    low[i] = _mm256_unpacklo_epi32(even, odd);
    high[i] = _mm256_unpackhi_epi32(even, odd);
  }
  store_thirds(to, low[0], low[1], low[2]);
  store_thirds(to + 96, high[0], high[1], high[2]);
}
