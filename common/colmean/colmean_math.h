/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction: the arithmetic that must be the same everywhere; CUDA compiles it, too. */
#pragma once

#include "common/colmean/colmean.h"

#include <float.h>
#include <string.h>

/* q(p) of colmean.h. A comparison with NaN is false, so NaN is 0; the addition is exact for
 * whatever rounds to 65535, the largest possible result. */
STX_INLINE uint32_t stx_score_from_float(float p)
{
  float finite = p > 0 && p <= 3.4028234663852886e38f ? p : 0;
  return (uint32_t)((finite < 1 ? finite : 1) * 65535.0f + 0.5f);
}

/* ---- Disparities ---------------------------------------------------------------------------- */

/* StxDisparityMeaning, made ready for the pixels of a frame. */
typedef struct {
  bool is_signed, is_depth;
  int32_t nothing[2]; /* whole numbers that mean "unknown" */
  float unit, base;   /* of a whole number p: p · unit + base is what a float says */
  float focal_baseline;
  float least, most; /* numbers that are known */
  float gain, shift; /* steps of a pixel, of the offset and half a step */
} StxDisparityFormula;

/* True if the numbers are steps without conversion. */
STX_INLINE bool stx_disparity_is_plain(const StxColmeanParams *params)
{
  const StxDisparityMeaning *meaning = &params->disparity;
  return meaning->encoding <= STX_DISPARITY_KITTI && params->grid.coarse == 0 &&
         meaning->minimum == 0 && meaning->offset == 0 &&
         (meaning->scale == 0 || meaning->scale == 1);
}

STX_INLINE StxDisparityFormula stx_disparity_formula(const StxColmeanParams *params)
{
  const StxDisparityMeaning *meaning = &params->disparity;
  StxDisparityFormula f = {.is_depth = stx_disparity_is_depth(meaning->encoding),
      .unit = 1.0f / STX_DISPARITY_ONE,
      .focal_baseline = (float)meaning->focal_baseline,
      .least = FLT_MIN,
      .most = FLT_MAX};
  double steps = stx_grid_steps(&params->grid), scale = meaning->scale > 0 ? meaning->scale : 1;
  f.gain = (float)(scale * steps);
  f.shift = (float)(meaning->offset * steps + 0.5);
  if (meaning->encoding == STX_DISPARITY_CITYSCAPES)
    f.base = -f.unit;
  if (meaning->encoding == STX_DISPARITY_OPENCV) {
    f.is_signed = true;
    f.nothing[0] = f.nothing[1] = INT16_MIN;
    f.unit = 1.0f / 16;
  }
  if (meaning->encoding == STX_DISPARITY_DEPTH_MM) {
    f.nothing[1] = UINT16_MAX;
    f.unit = 1;
    f.focal_baseline = (float)(1000 * meaning->focal_baseline);
  }
  if (f.is_depth && meaning->minimum > 0)
    f.most = (float)(f.focal_baseline / meaning->minimum);
  if (!f.is_depth && (meaning->minimum < 0 || meaning->minimum > FLT_MIN))
    f.least = (float)meaning->minimum;
  return f;
}

/* A number of 16 bits as a float of the same meaning; what is unknown is below all others. */
STX_INLINE float stx_disparity_from_16(const StxDisparityFormula *f, uint16_t number)
{
  int32_t p = f->is_signed ? (int16_t)number : number;
  return p == f->nothing[0] || p == f->nothing[1] ? -FLT_MAX : (float)p * f->unit + f->base;
}

/* Steps of a number. A comparison with NaN is false, so NaN is unknown, and so are infinity and,
 * unless negative numbers are known, what is not even a normal number: some processors are set to
 * take those for 0. No product is below -2^30: minimum, scale and offset have their ranges. */
STX_INLINE uint32_t stx_disparity_steps(const StxDisparityFormula *f, float number)
{
  bool is_known = number >= f->least && number <= f->most;
  float known = is_known ? number : 1;
  float d = f->is_depth ? f->focal_baseline / known : known;
  float exact = is_known ? d * f->gain + f->shift : 0;
  int32_t steps = (int32_t)(exact < 65535 ? exact : 65535);
  return (uint32_t)(steps > 0 ? steps : 0);
}

/* ---- Cells ---------------------------------------------------------------------------------- */

/* Steps from the median within which pixels enter, at least: 4 pixels, a power of two. */
STX_INLINE int stx_colmean_near(const StxGrid *grid)
{
  return 4 * stx_grid_steps(grid);
}

/* ---- Holes and scores ----------------------------------------------------------------------- */

/* The mask that turns an 8-bit score into one of U8, by exclusive or. */
STX_INLINE uint8_t stx_score_flip(StxSemantics semantics)
{
  return semantics == STX_SEMANTICS_SCORES_I8 ? 0x80 : 0;
}

/* Cells of the longest hole that is filled, where `longest` is that of holes in the middle and
 * `right` the disparity at its right end, which counts where there is nothing on the left. */
STX_INLINE int stx_longest_hole(
    int longest, const StxGrid *grid, bool has_left, bool has_right, uint32_t right)
{
  int unseen = (int)((right << grid->coarse) / STX_DISPARITY_ONE) / grid->cell_width + 1;
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
