/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: vectors of 16 and 32 bits of the instruction set that is
 * compiled for, and what is known of the disparities of a vector of cells.
 *
 * Shuffles work within each 16 bytes of a vector, a *quarter*, as the instructions do.
 */
#ifndef STX_COLMEAN_LANES_PRIVATE_H
#define STX_COLMEAN_LANES_PRIVATE_H

#include "common/colmean/colmean_omp_private.h"

#if defined __SSE2__
#include <immintrin.h>
#endif

#define LANES (VECTOR_BYTES / 2)
#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef uint16_t V16 __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef uint32_t V32 __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* The pixels of LANES cells: count vectors each. */
typedef struct {
  V16 *disparity, *weight; /* weight is c²; NULL: every pixel is certain */
  int count;
} Pixels;

/* By lane; signed for the sake of their conversion to double, all below 2^31. */
typedef struct {
  int32_t weight[LANES];      /* Σw */
  int32_t moment_low[LANES];  /* Σw(d − low) = moment_low + unit · moment_high; or */
  int32_t moment_high[LANES]; /*   Σ(d − low) = moment_low */
  int32_t entered[LANES];
  int32_t sky_weight[LANES]; /* Σw of the pixels of sky */
  uint16_t sky[LANES];       /* how many these are */
  uint16_t low[LANES], valid[LANES], median[LANES];
} Sums;

/* ---- Arithmetic ----------------------------------------------------------------------------- */

#if defined __AVX512BW__
#define STX_MM(name) _mm512_##name
typedef __m512i Register;
#elif defined __AVX2__
#define STX_MM(name) _mm256_##name
typedef __m256i Register;
#elif defined __SSE2__
#define STX_MM(name) _mm_##name
typedef __m128i Register;
#endif

/* a − b, or 0 where that is less */
ALWAYS_INLINE V16 minus(V16 a, V16 b)
{
#if defined __SSE2__
  return (V16)STX_MM(subs_epu16)((Register)a, (Register)b);
#else
  return (a - b) & (V16)(a > b);
#endif
}

ALWAYS_INLINE V16 least(V16 a, V16 b)
{
#if defined __AVX2__
  return (V16)STX_MM(min_epu16)((Register)a, (Register)b);
#else
  return a - minus(a, b);
#endif
}

ALWAYS_INLINE V16 most(V16 a, V16 b)
{
#if defined __AVX2__
  return (V16)STX_MM(max_epu16)((Register)a, (Register)b);
#else
  return b + minus(a, b);
#endif
}

/* a where b is not 0, else 0 */
ALWAYS_INLINE V16 where_not_zero(V16 a, V16 b)
{
#if defined __AVX512BW__
  return (V16)_mm512_maskz_mov_epi16(_mm512_test_epi16_mask((Register)b, (Register)b), (Register)a);
#else
  return a & ~(V16)(b == 0);
#endif
}

/* A bit for each lane. */
ALWAYS_INLINE uint32_t lanes_that_are_not_0(V16 v)
{
#if defined __AVX512BW__
  return _mm512_test_epi16_mask((Register)v, (Register)v);
#elif defined __AVX2__
  __m256i bytes = _mm256_packs_epi16((Register)(v != 0), _mm256_setzero_si256());
  uint32_t bits = (uint32_t)_mm256_movemask_epi8(bytes);
  return (bits & 0xFF) | (bits >> 8 & 0xFF00);
#elif defined __SSE2__
  return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((Register)(v != 0), _mm_setzero_si128()));
#else
  uint32_t bits = 0;
  for (int lane = 0; lane < LANES; lane++)
    bits |= (uint32_t)(v[lane] != 0) << lane;
  return bits;
#endif
}

/* count + 1 where v is not 0 */
ALWAYS_INLINE V16 count_not_zero(V16 count, V16 v)
{
#if defined __AVX512BW__
  __mmask32 one = _mm512_test_epi16_mask((Register)v, (Register)v);
  return (V16)_mm512_mask_sub_epi16((Register)count, one, (Register)count, _mm512_set1_epi16(-1));
#else
  return count - (V16)(v != 0);
#endif
}

/* Sums of two neighbours' products; the factors have a sign. */
ALWAYS_INLINE V32 multiply_pairs(V16 a, V16 b)
{
#if defined __SSE2__
  return (V32)STX_MM(madd_epi16)((Register)a, (Register)b);
#else
  typedef int32_t Signed __attribute__((vector_size(VECTOR_BYTES), may_alias));
  Signed even = ((Signed)a << 16 >> 16) * ((Signed)b << 16 >> 16);
  Signed odd = ((Signed)a >> 16) * ((Signed)b >> 16);
  return (V32)even + (V32)odd;
#endif
}

/* ---- Shuffles ------------------------------------------------------------------------------- */

#if defined __SSE2__
#define STX_SHUFFLE(name, instruction)                                                             \
  ALWAYS_INLINE V16 name(V16 a, V16 b)                                                             \
  {                                                                                                \
    return (V16)STX_MM(instruction)((Register)a, (Register)b);                                     \
  }
STX_SHUFFLE(low16, unpacklo_epi16)
STX_SHUFFLE(high16, unpackhi_epi16)
STX_SHUFFLE(low32, unpacklo_epi32)
STX_SHUFFLE(high32, unpackhi_epi32)
STX_SHUFFLE(low64, unpacklo_epi64)
STX_SHUFFLE(high64, unpackhi_epi64)

/* The words of 32 bits with even, and with odd numbers: a's, then b's. */
#if defined __AVX512BW__
typedef __m512 Words;
#elif defined __AVX2__
typedef __m256 Words;
#else
typedef __m128 Words;
#endif
#define STX_CHOOSE(name, which)                                                                    \
  ALWAYS_INLINE V16 name(V16 a, V16 b)                                                             \
  {                                                                                                \
    return (V16)STX_MM(shuffle_ps)((Words)a, (Words)b, which);                                     \
  }
STX_CHOOSE(even32, 0x88)
STX_CHOOSE(odd32, 0xDD)
#else
#define STX_SHUFFLE(name, ...)                                                                     \
  ALWAYS_INLINE V16 name(V16 a, V16 b)                                                             \
  {                                                                                                \
    return __builtin_shufflevector(a, b, __VA_ARGS__);                                             \
  }
STX_SHUFFLE(low16, 0, 8, 1, 9, 2, 10, 3, 11)
STX_SHUFFLE(high16, 4, 12, 5, 13, 6, 14, 7, 15)
STX_SHUFFLE(low32, 0, 1, 8, 9, 2, 3, 10, 11)
STX_SHUFFLE(high32, 4, 5, 12, 13, 6, 7, 14, 15)
STX_SHUFFLE(low64, 0, 1, 2, 3, 8, 9, 10, 11)
STX_SHUFFLE(high64, 4, 5, 6, 7, 12, 13, 14, 15)
STX_SHUFFLE(even32, 0, 1, 4, 5, 8, 9, 12, 13)
STX_SHUFFLE(odd32, 2, 3, 6, 7, 10, 11, 14, 15)
#endif

#endif
