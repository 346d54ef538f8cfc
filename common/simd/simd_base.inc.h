/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of simd.h: 16 bytes, any machine. Spelt out for SSE2 is what it has and the compiler's
 * generic vectors would not find; for NEON that is in simd_neon.inc.h.
 */
#pragma once

INLINE VecI32 blend_i32(Mask32 mask, VecI32 yes, VecI32 no)
{
  return (mask & yes) | (~mask & no);
}

INLINE VecI32 widen_u16(const uint16_t *from)
{
  return (VecI32){from[0], from[1], from[2], from[3]};
}

INLINE VecU16 widen_u8(const uint8_t *from)
{
  typedef uint8_t Bytes __attribute__((vector_size(8), aligned(1), may_alias));
  return __builtin_convertvector(*(const Bytes *)from, VecU16);
}

#ifdef __aarch64__
#include "common/simd/simd_neon.inc.h"
#else
STX_EACH(VecI32, max_i32, blend_i32(a > b, a, b))
STX_EACH(VecI32, min_i32, blend_i32(a > b, b, a))

INLINE VecI32 abs_i32(VecI32 a)
{
  VecI32 sign = a >> 31;
  return (a ^ sign) - sign;
}
#endif

#ifdef __SSE2__
/* Written with intrinsics: a shuffle of bytes is 16 loads and stores with GCC. */
INLINE VecU8 up_u8(VecU8 v, VecU8 free)
{
  return (VecU8)_mm_or_si128(_mm_slli_si128((__m128i)v, 1), _mm_srli_si128((__m128i)free, 15));
}

INLINE VecU8 down_u8(VecU8 v, VecU8 free)
{
  return (VecU8)_mm_or_si128(_mm_srli_si128((__m128i)v, 1), _mm_slli_si128((__m128i)free, 15));
}

/* Returns the least byte in lane 0. */
INLINE __m128i least_lane_u8(VecU8 v)
{
  __m128i least = _mm_min_epu8((__m128i)v, _mm_srli_si128((__m128i)v, 8));
  least = _mm_min_epu8(least, _mm_srli_si128(least, 4));
  least = _mm_min_epu8(least, _mm_srli_si128(least, 2));
  return _mm_min_epu8(least, _mm_srli_si128(least, 1));
}

INLINE VecU8 reduce_min_u8(VecU8 v)
{
  __m128i least = least_lane_u8(v);
  return (VecU8)_mm_shuffle_epi32(_mm_shufflelo_epi16(_mm_unpacklo_epi8(least, least), 0), 0);
}

STX_UNARY(int, least_u8, VecU8, _mm_cvtsi128_si32(least_lane_u8(a)) & 0xff)
STX_UNARY(unsigned, mask_bits, Mask32, (unsigned)_mm_movemask_ps((__m128)a))
STX_UNARY(bool, any_zero_u16, VecU16, _mm_movemask_epi8((__m128i)(a == 0)) != 0)

INLINE uint64_t nonzero_bits_u16(VecU16 a, VecU16 b)
{
  __m128i zero = _mm_packs_epi16((__m128i)(a == 0), (__m128i)(b == 0));
  return ~(unsigned)_mm_movemask_epi8(zero) & 0xFFFF;
}
#elif !defined __aarch64__
STX_EACH(VecU8, min_u8, a ^ ((a ^ b) & (VecU8)(b < a)))
STX_EACH(VecU8, max_u8, a ^ ((a ^ b) & (VecU8)(a < b)))
STX_EACH(VecU8, subs_u8, (a - b) & (VecU8)(a > b))
STX_EACH(VecU8, avg_u8, (a | b) - ((a ^ b) >> 1))
STX_EACH(VecU16, subs_u16, (a - b) & (VecU16)(a > b))
STX_EACH(VecI32, madd_i16, (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16))

INLINE VecU8 up_u8(VecU8 v, VecU8 free)
{
  return __builtin_shufflevector(v, free, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
}

INLINE VecU8 down_u8(VecU8 v, VecU8 free)
{
  return __builtin_shufflevector(v, free, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
}

INLINE int least_u8(VecU8 v)
{
  int least = v[0];
  for (int i = 1; i < LANES_8; i++)
    least = v[i] < least ? v[i] : least;
  return least;
}

STX_UNARY(VecU8, reduce_min_u8, VecU8, set1_u8((uint8_t)least_u8(a)))

INLINE unsigned mask_bits(Mask32 mask)
{
  return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
}

INLINE bool any_zero_u16(VecU16 v)
{
  VecI32 zero = (VecI32)(v == 0);
  return (zero[0] | zero[1] | zero[2] | zero[3]) != 0;
}

INLINE uint64_t nonzero_bits_u16(VecU16 a, VecU16 b)
{
  uint64_t bits = 0;
  for (int i = 0; i < LANES_16; i++)
    bits |= (uint64_t)(a[i] != 0) << i | (uint64_t)(b[i] != 0) << (LANES_16 + i);
  return bits;
}
#endif

#ifndef __aarch64__
STX_EACH(VecU16, min_u16, a - subs_u16(a, b))
STX_EACH(VecU16, max_u16, b + subs_u16(a, b))

INLINE int least_u16(VecU16 v)
{
  v = min_u16(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
  v = min_u16(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
  v = min_u16(v, __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6));
  return v[0];
}
#endif

#ifndef __SSE2__
#include <math.h>

STX_EACH(VecF32, min_f32, (VecF32)blend_i32(a < b, (VecI32)a, (VecI32)b))
STX_EACH(VecF32, max_f32, (VecF32)blend_i32(a > b, (VecI32)a, (VecI32)b))

INLINE VecF32 sqrt_f32(VecF32 a)
{
  return (VecF32){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}

STX_UNARY(VecI32, cvtt_f32, VecF32, __builtin_convertvector(a, VecI32))
STX_EACH(VecI32, mul_u15, (a * b))

INLINE void stream_u8(void *to, VecU8 a)
{
  store_u8(to, a);
}

INLINE void stream_fence(void)
{
}

#define STX_SWAP_TWOS(a) __builtin_shufflevector(a, a, 2, 3, 0, 1)
#define STX_SWAP_ONES(a) __builtin_shufflevector(a, a, 1, 0, 3, 2)

#define STX_SHUFFLE(a, b, Vector, ...)                                                             \
  ((__typeof__(a))__builtin_shufflevector((Vector)(a), (Vector)(b), __VA_ARGS__))
#define unpacklo_16(a, b) STX_SHUFFLE(a, b, VecU16, 0, 8, 1, 9, 2, 10, 3, 11)
#define unpackhi_16(a, b) STX_SHUFFLE(a, b, VecU16, 4, 12, 5, 13, 6, 14, 7, 15)
#define unpacklo_32(a, b) STX_SHUFFLE(a, b, VecU32, 0, 4, 1, 5)
#define unpackhi_32(a, b) STX_SHUFFLE(a, b, VecU32, 2, 6, 3, 7)
#define unpacklo_64(a, b) STX_SHUFFLE(a, b, VecU64, 0, 2)
#define unpackhi_64(a, b) STX_SHUFFLE(a, b, VecU64, 1, 3)
#define even_32(a, b) STX_SHUFFLE(a, b, VecU32, 0, 2, 4, 6)
#define odd_32(a, b) STX_SHUFFLE(a, b, VecU32, 1, 3, 5, 7)
#endif

#define STX_ACROSS_QUARTERS(op, a)

INLINE VecI32 prefix_sum_i32(VecI32 v)
{
  int two = v[0] + v[1], three = two + v[2];
  return (VecI32){v[0], two, three, three + v[3]};
}

STX_UNARY(VecI32, last_lane_i32, VecI32, set1_i32(a[3]))

INLINE void compress_store_i32(void *to, VecI32 a, unsigned bits)
{
  int32_t *words = to;
  for (int i = 0, count = 0; i < LANES_32; i++) {
    words[count] = a[i];
    count += bits >> i & 1;
  }
}

INLINE VecI32 gather_i32(const void *from, VecI32 at)
{
  const int32_t *words = from;
  return (VecI32){words[at[0]], words[at[1]], words[at[2]], words[at[3]]};
}

INLINE VecI32 load_quarters(const char *from, const uint32_t *at, size_t unit)
{
  return load_i32(from + unit * at[0]);
}

INLINE void store_quarters(char *to, size_t stride, VecI32 a)
{
  store_i32(to, a);
}

INLINE void store6_i32(char *to, const VecI32 words[6])
{
  for (int half = 0; half < 2; half++, to += 48) {
    VecI32 v[3];
    for (int i = 0; i < 3; i++)
      v[i] = half == 0 ? unpacklo_32(words[2 * i], words[2 * i + 1])
                       : unpackhi_32(words[2 * i], words[2 * i + 1]);
    store_i32(to, unpacklo_64(v[0], v[1]));
    store_i32(to + 16, __builtin_shufflevector(v[2], v[0], 0, 1, 6, 7));
    store_i32(to + 32, unpackhi_64(v[1], v[2]));
  }
}
