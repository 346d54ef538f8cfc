/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The vectors of ground_simd.inc.h with the compiler's generic ones, of four lanes, any machine. */
#ifndef STX_GROUND_SIMD_BASE_INC_H
#define STX_GROUND_SIMD_BASE_INC_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define GSIMD 4
typedef float Floats __attribute__((vector_size(16)));
typedef int32_t Ints __attribute__((vector_size(16)));
typedef uint32_t Words __attribute__((vector_size(16))); /* they may wrap */
typedef struct {
  Floats x, y, z, w;
} Planes;

INLINE Floats gs_all(float a)
{
  return (Floats){a, a, a, a};
}
INLINE Ints gs_all_ints(int a)
{
  return (Ints){a, a, a, a};
}
INLINE Ints gs_choose(Ints which, Ints yes, Ints no)
{
  return (which & yes) | (no & ~which);
}

#ifdef __SSE2__
INLINE Floats gs_min(Floats a, Floats b)
{
  return _mm_min_ps(a, b);
}
INLINE Floats gs_max(Floats a, Floats b)
{
  return _mm_max_ps(a, b);
}
INLINE Floats gs_root(Floats a)
{
  return _mm_sqrt_ps(a);
}
INLINE Ints gs_whole(Floats a)
{
  return (Ints)_mm_cvttps_epi32(a);
}
INLINE Ints gs_times(Ints a, Ints b)
{
  return (Ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
}
#else
INLINE Floats gs_min(Floats a, Floats b)
{
  return (Floats)gs_choose(a < b, (Ints)a, (Ints)b);
}
INLINE Floats gs_max(Floats a, Floats b)
{
  return (Floats)gs_choose(a > b, (Ints)a, (Ints)b);
}
INLINE Floats gs_root(Floats a)
{
  return (Floats){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}
INLINE Ints gs_whole(Floats a)
{
  return __builtin_convertvector(a, Ints);
}
INLINE Ints gs_times(Ints a, Ints b)
{
  return (Ints)((Words)a * (Words)b);
}
#endif

INLINE Floats gs_abs(Floats a)
{
  return (Floats)((Ints)a & gs_all_ints(INT32_MAX));
}
INLINE Ints gs_bits(Floats a)
{
  return (Ints)a;
}
INLINE Ints gs_add(Ints a, Ints b)
{
  return (Ints)((Words)a + (Words)b);
}
INLINE Ints gs_less(Ints a, Ints b)
{
  return (Ints)((Words)a - (Words)b);
}
/* 0, step, 2 · step, … */
INLINE Ints gs_ramp(int step)
{
  return (Ints){0, step, 2 * step, 3 * step};
}
INLINE Ints gs_load(const void *from)
{
  Ints a;
  memcpy(&a, from, sizeof a);
  return a;
}
INLINE Floats gs_load_floats(const float *from)
{
  return (Floats)gs_load(from);
}
INLINE void gs_store(void *to, Ints a)
{
  memcpy(to, &a, sizeof a);
}
INLINE void gs_store_floats(float *to, Floats a)
{
  memcpy(to, &a, sizeof a);
}

INLINE Ints gs_between(Floats a, Floats least, Floats most, Ints yes, Ints no, Ints *count)
{
  Ints is = (a > least) & (a < most);
  *count = gs_add(*count, is);
  return gs_choose(is, yes, no);
}

INLINE int gs_total(Ints a)
{
  return a[0] + a[1] + a[2] + a[3];
}

/* |0 − p| is p. */
INLINE Floats gs_back(float whole, Floats a, Floats b, Floats p)
{
  return gs_abs((Floats)((a < b) & (Ints)gs_all(whole)) - p);
}

INLINE Ints gs_inside(
    Ints index, Ints none, Floats range, Floats least, Floats most, Floats z, Floats far)
{
  return gs_choose((range >= least) & (range < most) & (gs_abs(z) < far), index, none);
}

/* Rows become columns. */
INLINE Planes gs_planes(Floats a, Floats b, Floats c, Floats d)
{
  Floats xy = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  Floats xy_high = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  Floats zw = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  Floats zw_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  Planes planes = {__builtin_shufflevector(xy, xy_high, 0, 1, 4, 5),
      __builtin_shufflevector(xy, xy_high, 2, 3, 6, 7),
      __builtin_shufflevector(zw, zw_high, 0, 1, 4, 5),
      __builtin_shufflevector(zw, zw_high, 2, 3, 6, 7)};
  return planes;
}

INLINE Planes gs_points(const float *points, size_t stride)
{
  return gs_planes(gs_load_floats(points), gs_load_floats(points + stride),
      gs_load_floats(points + 2 * stride), gs_load_floats(points + 3 * stride));
}

INLINE Planes gs_points_at(const float *fours, const uint32_t *at)
{
  return gs_planes(gs_load_floats(fours + 4 * (size_t)at[0]),
      gs_load_floats(fours + 4 * (size_t)at[1]), gs_load_floats(fours + 4 * (size_t)at[2]),
      gs_load_floats(fours + 4 * (size_t)at[3]));
}

INLINE void gs_quads(void *to, Ints a, Ints b, Ints c, Ints d)
{
  Planes quads = gs_planes((Floats)a, (Floats)b, (Floats)c, (Floats)d);
  memcpy(to, &quads, sizeof quads);
}

INLINE void gs_keys(void *to, Ints low, Ints high)
{
  gs_store(to, __builtin_shufflevector(low, high, 0, 4, 1, 5));
  gs_store((char *)to + 16, __builtin_shufflevector(low, high, 2, 6, 3, 7));
}

#endif
