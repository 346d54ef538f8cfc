/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lanes of satdp_simd.inc.h with the compiler's generic vectors, by halves: 4 lanes, any
 * machine. Spelt out for SSE2 is what it has and the generic form would not find. */
#ifndef STX_SATDP_SIMD_BASE_INC_H
#define STX_SATDP_SIMD_BASE_INC_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef double Half __attribute__((vector_size(16)));
typedef __typeof__((Half){0} < (Half){0}) HalfMask;
typedef __typeof__((Real){0} < (Real){0}) Mask;

#define LOW(vector) __builtin_shufflevector(vector, vector, 0, 1)
#define HIGH(vector) __builtin_shufflevector(vector, vector, 2, 3)
#define WHOLE(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3)

INLINE Half half_select(HalfMask mask, Half a, Half b)
{
  return (Half)((mask & (HalfMask)a) | (~mask & (HalfMask)b));
}

INLINE Half half_min(Half a, Half b)
{
#ifdef __SSE2__
  return (Half)_mm_min_pd((__m128d)a, (__m128d)b);
#else
  return half_select(a < b, a, b);
#endif
}

INLINE Half half_max(Half a, Half b)
{
#ifdef __SSE2__
  return (Half)_mm_max_pd((__m128d)a, (__m128d)b);
#else
  return half_select(a > b, a, b);
#endif
}

INLINE Real lanes_min(Real a, Real b)
{
  return WHOLE(half_min(LOW(a), LOW(b)), half_min(HIGH(a), HIGH(b)));
}

INLINE Real lanes_max(Real a, Real b)
{
  return WHOLE(half_max(LOW(a), LOW(b)), half_max(HIGH(a), HIGH(b)));
}

INLINE Real lanes_absolute(Real a)
{
  const HalfMask sign = (HalfMask)((Half){-0.0, -0.0});
  return WHOLE((Half)(~sign & (HalfMask)LOW(a)), (Half)(~sign & (HalfMask)HIGH(a)));
}

INLINE Mask lanes_less(Real a, Real b)
{
  return WHOLE((LOW(a) < LOW(b)), (HIGH(a) < HIGH(b)));
}

INLINE Mask lanes_equal(Real a, Real b)
{
  return WHOLE((LOW(a) == LOW(b)), (HIGH(a) == HIGH(b)));
}

INLINE Mask lanes_differ(Real a, Real b)
{
  return WHOLE((LOW(a) != LOW(b)), (HIGH(a) != HIGH(b)));
}

INLINE Real lanes_select(Mask mask, Real a, Real b)
{
  return WHOLE(half_select(LOW(mask), LOW(a), LOW(b)), half_select(HIGH(mask), HIGH(a), HIGH(b)));
}

INLINE Real lanes_keep(Mask mask, Real a)
{
  return WHOLE((Half)(LOW(mask) & (HalfMask)LOW(a)), (Half)(HIGH(mask) & (HalfMask)HIGH(a)));
}

INLINE Floats lanes_narrow(Real a)
{
  return __builtin_convertvector(a, Floats);
}

INLINE Real lanes_widen(Floats a)
{
  return __builtin_convertvector(a, Real);
}

INLINE Real lanes_of_integers(Integers a)
{
  return __builtin_convertvector(a, Real);
}

INLINE Integers lanes_least(Integers a, Integers b)
{
  Integers less = a < b;
  return (less & a) | (~less & b);
}

INLINE Floats lanes_smaller(Floats a, Floats b)
{
#ifdef __SSE2__
  return (Floats)_mm_min_ps((__m128)a, (__m128)b);
#else
  Integers less = a < b;
  return (Floats)((less & (Integers)a) | (~less & (Integers)b));
#endif
}

INLINE int lanes_any_at_most(Floats a, Floats b)
{
#ifdef __SSE2__
  return _mm_movemask_ps(_mm_cmple_ps((__m128)a, (__m128)b)) != 0;
#else
  int any = 0;
  for (int l = 0; l < LANES; l++)
    any |= a[l] <= b[l];
  return any;
#endif
}

INLINE unsigned lanes_open8(const Floats *bound, Floats limit)
{
  unsigned open = 0;
  for (int i = 0; i < 8; i++)
    open |= (unsigned)lanes_any_at_most(bound[i], limit) << i;
  return open;
}

#endif
