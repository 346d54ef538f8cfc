/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arithmetic of luma.h, for all implementations. */
#pragma once

#include "common/luma/luma.h"

STX_INLINE unsigned stx_luma_word(const uint8_t *pixel, int low, int high)
{
  return pixel[low] | (unsigned)pixel[high] << 8;
}

STX_INLINE uint8_t stx_luma_of_word(unsigned value, int shift)
{
  const unsigned gray = value >> shift;
  return (uint8_t)(gray < 255 ? gray : 255);
}

STX_INLINE uint8_t stx_luma_of_colours(unsigned red, unsigned green, unsigned blue)
{
  return (uint8_t)((77 * red + 150 * green + 29 * blue) >> 8);
}

/* Shift of words of pictures whose largest value is `most`, if their number of bits is unknown. */
STX_INLINE int stx_luma_shift_for(unsigned most)
{
  int shift = 0;
  while (most >> shift > 255)
    shift++;
  return shift;
}

/* Has the largest value to be looked for? */
STX_INLINE bool stx_luma_wants_most(const StxLumaFormat *format, int bits)
{
  return format->kind == STX_LUMA_WORDS && format->bits == 0 && bits == 0;
}

/* The shift that is known before the picture is seen. */
STX_INLINE int stx_luma_shift(const StxLumaFormat *format, int bits)
{
  const int known = format->bits != 0 ? format->bits : bits;
  return known > STX_LUMA_MIN_BITS ? known - STX_LUMA_MIN_BITS : 0;
}
