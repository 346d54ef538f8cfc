/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction: the arithmetic that must be the same everywhere; CUDA compiles it, too. */
#ifndef STX_COLMEAN_MATH_H
#define STX_COLMEAN_MATH_H

#include "common/colmean/colmean.h"

#include <string.h>

/* num / den rounded half up; num < 2^62, den > 0. */
STX_INLINE uint64_t stx_round_half_up(uint64_t num, uint64_t den)
{
  return (2 * num + den) / (2 * den);
}

/* q(p) of colmean.h. A comparison with NaN is false, so NaN is 0; the addition is exact for
 * whatever rounds to 65535, the largest possible result. */
STX_INLINE uint32_t stx_score_from_float(float p)
{
  float finite = p > 0 && p <= 3.4028234663852886e38f ? p : 0;
  return (uint32_t)((finite < 1 ? finite : 1) * 65535.0f + 0.5f);
}

/* Cells of the longest hole that is filled, where `longest` is that of holes in the middle and
 * `right` the disparity at its right end, which counts where there is nothing on the left. */
STX_INLINE int stx_longest_hole(
    int longest, int cell_width, bool has_left, bool has_right, uint32_t right)
{
  int unseen = (int)(right / STX_DISPARITY_ONE) / cell_width + 1;
  return longest > 0 && !has_left && has_right && unseen > longest ? unseen : longest;
}

/* The float32 with the value of a binary16, exactly; NaN stays NaN. Both are sign, exponent and
 * mantissa, biased by 15 and by 127. No float32 on the way is subnormal: some processors are set to
 * take those for 0. */
STX_INLINE float stx_float_from_half(uint16_t half)
{
  uint32_t magnitude = half & 0x7fffu;
  uint32_t bits = (magnitude << 13) + (112u << 23) + (magnitude >= 0x7c00u ? 112u << 23 : 0);
  float normal, subnormal = (float)(int32_t)magnitude * 5.9604644775390625e-8f; /* 2^-24 */
  memcpy(&normal, &bits, sizeof normal);
  float value = magnitude < 0x400u ? subnormal : normal;
  return half & 0x8000u ? -value : value;
}

#endif
