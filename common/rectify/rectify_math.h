/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rectify: what becomes of one sample; every implementation compiles it. */
#ifndef STX_RECTIFY_MATH_H
#define STX_RECTIFY_MATH_H

#include "common/rectify/rectify.h"

/* One byte of the four samples around a position. */
STX_INLINE uint8_t stx_rectify_blend(
    int p00, int p01, int p10, int p11, int fraction_x, int fraction_y)
{
  int upper = p00 * (STX_RECTIFY_ONE - fraction_x) + p01 * fraction_x;
  int lower = p10 * (STX_RECTIFY_ONE - fraction_x) + p11 * fraction_x;
  unsigned sum = (unsigned)(upper * (STX_RECTIFY_ONE - fraction_y) + lower * fraction_y);
  return (
      uint8_t)((sum + STX_RECTIFY_ONE * STX_RECTIFY_ONE / 2) / (STX_RECTIFY_ONE * STX_RECTIFY_ONE));
}

/* A sample of `bytes` bytes; `source` is the upper left one of the whole plane. */
STX_INLINE void stx_rectify_sample(const uint8_t *source, ptrdiff_t stride, uint32_t place,
    uint16_t fraction, int bytes, const uint8_t *border, uint8_t *out)
{
  int fraction_x = fraction & 0xFF, fraction_y = fraction >> 8;
  if (place == STX_RECTIFY_OUTSIDE) {
    for (int i = 0; i < bytes; i++)
      out[i] = border[i];
    return;
  }
  const uint8_t *upper =
      source + (ptrdiff_t)(place >> 16) * stride + (ptrdiff_t)(place & 0xFFFF) * bytes;
  const uint8_t *lower = upper + stride;
  for (int i = 0; i < bytes; i++)
    out[i] = stx_rectify_blend(
        upper[i], upper[i + bytes], lower[i], lower[i + bytes], fraction_x, fraction_y);
}

#endif
