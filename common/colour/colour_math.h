/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blending: the arithmetic of colour.h that the reference, the vector code and CUDA all compile. */
#pragma once

#include "common/colour/colour.h"

/* The paint that changes nothing: (in·256 + 128) >> 8 = in. */
#define STX_CLEAR_KEEP 256
#define STX_CLEAR_ADD 128

STX_INLINE uint8_t stx_paint_blend(uint8_t in, uint16_t keep, uint16_t add)
{
  return (uint8_t)((uint16_t)(in * keep + add) >> 8);
}

/* The mean of two paints, rounded down: the four 16-bit numbers of a StxPaint in one word. */
STX_INLINE uint64_t stx_paint_mean(uint64_t a, uint64_t b)
{
  return (a & b) + (((a ^ b) >> 1) & UINT64_C(0x7fff7fff7fff7fff));
}

/* Returns the mean of a block of 2 × 2 pixels, rounded across first, then down. */
STX_INLINE uint64_t stx_paint_block_mean(
    uint64_t upper, uint64_t upper_beside, uint64_t lower, uint64_t lower_beside)
{
  return stx_paint_mean(stx_paint_mean(upper, upper_beside), stx_paint_mean(lower, lower_beside));
}
