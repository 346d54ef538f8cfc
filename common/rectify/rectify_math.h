/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rectify: what becomes of one sample; every implementation compiles it. */
#pragma once

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

/* One byte at a position; `source` is that byte of the upper left sample of the whole plane, and
 * samples are `step` bytes apart. */
STX_INLINE uint8_t stx_rectify_byte(const uint8_t *source, ptrdiff_t stride, int step,
    uint32_t place, uint16_t fraction, uint8_t border)
{
  if (place == STX_RECTIFY_OUTSIDE)
    return border;
  const uint8_t *upper =
      source + (ptrdiff_t)(place >> 16) * stride + (ptrdiff_t)(place & 0xFFFF) * step;
  const uint8_t *lower = upper + stride;
  return stx_rectify_blend(
      upper[0], upper[step], lower[0], lower[step], fraction & 0xFF, fraction >> 8);
}

/* A sample of `bytes` bytes. */
STX_INLINE void stx_rectify_sample(const uint8_t *source, ptrdiff_t stride, uint32_t place,
    uint16_t fraction, int bytes, const uint8_t *border, uint8_t *out)
{
  for (int i = 0; i < bytes; i++)
    out[i] = stx_rectify_byte(source + i, stride, bytes, place, fraction, border[i]);
}

/* A pair of pixels in packed 4:2:2, of which there are `count`, 1 or 2; `place` and `fraction` are
 * theirs, `colours` and `colours_fraction` those of the pair. */
STX_INLINE void stx_rectify_pair_of_pixels(const StxRectifyPacked *packed, const uint8_t *source,
    ptrdiff_t stride, const uint32_t *place, const uint16_t *fraction, int count, uint32_t colours,
    uint16_t colours_fraction, uint8_t *out)
{
  out[packed->luma + 2] = 0;
  for (int i = 0; i < count; i++)
    out[packed->luma + 2 * i] = stx_rectify_byte(
        source + packed->luma, stride, 2, place[i], fraction[i], packed->border[0]);
  for (int i = 1 - packed->luma; i < 4; i += 2)
    out[i] = stx_rectify_byte(source + i, stride, 4, colours, colours_fraction, packed->border[1]);
}
