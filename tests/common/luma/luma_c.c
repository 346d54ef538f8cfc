/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma, the reference: pixel by pixel, one thread, whatever the place says. */
#include "common/luma/luma_math.h"
#include "common/luma/luma.h"

static const uint8_t *pixel_at(const StxLumaFormat *format, const StxImage8 *picture, int x, int y)
{
  return stx_row8(picture, y) + (size_t)x * format->pixel;
}

static unsigned word_at(const StxLumaFormat *format, const uint8_t *pixel)
{
  return stx_luma_word(pixel, format->at[0], format->at[1]);
}

static unsigned largest_word(const StxLumaFormat *format, const StxImage8 *picture)
{
  unsigned most = 0;
  for (int y = 0; y < picture->height; y++)
    for (int x = 0; x < picture->width; x++) {
      unsigned word = word_at(format, pixel_at(format, picture, x, y));
      most = word > most ? word : most;
    }
  return most;
}

static uint8_t luma_of(const StxLumaFormat *format, int shift, const uint8_t *pixel)
{
  switch (format->kind) {
  case STX_LUMA_BYTES:
    return pixel[format->at[0]];
  case STX_LUMA_WORDS:
    return stx_luma_of_word(word_at(format, pixel), shift);
  default:
    return stx_luma_of_colours(pixel[format->at[0]], pixel[format->at[1]], pixel[format->at[2]]);
  }
}

static bool stx_luma_run_c(const StxLumaFormat *format, int bits, const StxImage8 *picture,
    const StxImage8 *gray, void *scratch, const StxPlace *place, StxError *error)
{
  int shift = stx_luma_wants_most(format, bits) ? stx_luma_shift_for(largest_word(format, picture))
                                                : stx_luma_shift(format, bits);
  for (int y = 0; y < picture->height; y++)
    for (int x = 0; x < picture->width; x++)
      stx_row8(gray, y)[x] = luma_of(format, shift, pixel_at(format, picture, x, y));
  return true;
}

const StxLumaImpl oracle_luma = {{"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_luma_run_c};
