/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arithmetic of one pixel after the winner is known, written once for every implementation,
 * CUDA included (sgm.h, "value" and "confidence"). Free of branches, so that loops over it become
 * vector code.
 */
#pragma once

#include "common/stx.h"

/* Large functions whose loops become vector code only if they are inlined. */
#define STX_SGM_ALWAYS_INLINE STX_INLINE __attribute__((always_inline))

#define STX_SGM_CENSUS_BITS 31
#define STX_SGM_WINDOW_X 4 /* half width of the census window */
#define STX_SGM_WINDOW_Y 3

/* P1_r of a path that comes from (dx, dy); `step`: rows from line to line, 1 with full search. */
STX_INLINE int stx_sgm_p1(int p1, int dx, int dy, int step)
{
  if (dx != 0 && dy != 0)
    p1 = (p1 + 1) >> 1;
  return dy != 0 && step > 1 ? (p1 + 1) >> 1 : p1;
}

/*
 * Vertex of the parabola through (−1, below), (0, best), (1, above), in 1/256: the nearest integer
 * to 128·(below − above) / (below − 2·best + above), halves rounded up; −128 … 128. Sums are at
 * most 254, best is the smallest; 0 if all three are equal.
 *
 * The division is a float's because vector units have no other. It is exact: with
 * n = 256·(below − above) + 257·curve and m = 2·curve the quotient n/m is positive and below 258,
 * so a fraction is at least 1/m > 2^-10 away from the next integer, and float rounding moves it by
 * less than 258·2^-24: the truncated value is floor(n/m).
 */
STX_INLINE int stx_sgm_vertex(int below, int best, int above)
{
  int curve = below - 2 * best + above;
  int safe = curve + (curve == 0);
  int n = 256 * (below - above) + 257 * safe;
  return (int)((float)n / (float)(2 * safe)) - 128;
}

/* A disparity of a map in whole pixels, the nearest. */
STX_INLINE int stx_sgm_rounded(int disparity)
{
  return (disparity + STX_DISPARITY_ONE / 2) / STX_DISPARITY_ONE;
}

/* 256·disparity + vertex, but at least 1: zero would mean unknown. */
STX_INLINE int stx_sgm_value(int disparity, int vertex)
{
  int value = 256 * disparity + vertex;
  return value > 1 ? value : 1;
}

/*
 * The probability that the winner is right, 0…255, from the margin 1 − S1/S2 of the best sum over
 * the best non-adjacent one: a step function fitted to measured data (docs/algorithms/sgm.md). S1
 * <= S2; no margin if both are 0.
 */
STX_INLINE int stx_sgm_confidence(int s1, int s2)
{
  int margin = 100 * (s2 - s1); /* compared with percent · S2 */
  s2 += s2 == 0;
  return 184 + 6 * (margin >= 2 * s2) + 11 * (margin >= 5 * s2) + 20 * (margin >= 10 * s2) +
         22 * (margin >= 20 * s2) + 9 * (margin >= 40 * s2) + 2 * (margin >= 70 * s2);
}

/* True if the winner's sum is better than the best non-adjacent one by `uniqueness` percent. */
STX_INLINE int stx_sgm_unique(int s1, int s2, int uniqueness)
{
  return 100 * s1 <= (100 - uniqueness) * s2;
}

/* Puts the smaller one first. */
STX_SGM_ALWAYS_INLINE void stx_sort2(uint16_t *a, uint16_t *b)
{
  uint16_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
  *a = low;
  *b = high;
}

/*
 * Lower median of the known of nine values, unknown if fewer than five are known. Sorted, unknown
 * ones come first: with 9 or 8 known the median has rank 4, with 7 or 6 rank 5, with 5 rank 6. The
 * network of 25 comparisons is the shortest there is for nine; without branches, it is vector code.
 */
STX_SGM_ALWAYS_INLINE uint16_t stx_sgm_median9(uint16_t v0, uint16_t v1, uint16_t v2, uint16_t v3,
    uint16_t v4, uint16_t v5, uint16_t v6, uint16_t v7, uint16_t v8)
{
  uint16_t unknown = (uint16_t)((v0 == 0) + (v1 == 0) + (v2 == 0) + (v3 == 0) + (v4 == 0) +
                                (v5 == 0) + (v6 == 0) + (v7 == 0) + (v8 == 0));
  stx_sort2(&v0, &v3), stx_sort2(&v1, &v7), stx_sort2(&v2, &v5), stx_sort2(&v4, &v8);
  stx_sort2(&v0, &v7), stx_sort2(&v2, &v4), stx_sort2(&v3, &v8), stx_sort2(&v5, &v6);
  stx_sort2(&v0, &v2), stx_sort2(&v1, &v3), stx_sort2(&v4, &v5), stx_sort2(&v7, &v8);
  stx_sort2(&v1, &v4), stx_sort2(&v3, &v6), stx_sort2(&v5, &v7);
  stx_sort2(&v0, &v1), stx_sort2(&v2, &v4), stx_sort2(&v3, &v5), stx_sort2(&v6, &v8);
  stx_sort2(&v2, &v3), stx_sort2(&v4, &v5), stx_sort2(&v6, &v7);
  stx_sort2(&v1, &v2), stx_sort2(&v3, &v4), stx_sort2(&v5, &v6);
  uint16_t median = unknown < 2 ? v4 : unknown < 4 ? v5 : v6;
  return unknown > 4 ? STX_DISPARITY_UNKNOWN : median;
}
