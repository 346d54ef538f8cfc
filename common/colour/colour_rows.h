/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blending rows of a frame on the host: what stems share that lay paints on pictures.
 *
 * keep and add are kept per byte of a full-size plane's row, whatever its format, so that one loop
 * on 16-bit numbers blends them all and vectorises.
 */
#pragma once

#include <string.h>

#include "common/colour/colour_math.h"

/* ---- Planes of full size ------------------------------------------------------------------- */

/* Always inlined, so that stride and step are constants. */
static inline __attribute__((always_inline)) void stx_rows_expand_by(uint16_t *keep, uint16_t *add,
    const StxPlane *plane, int stride, const StxPaint *paints, int step, int n)
{
  int8_t channel[4];
  memcpy(channel, plane->channel, sizeof channel);
  for (int i = 0; i < n; i++) {
    const StxPaint *paint = &paints[i * step];
    for (int b = 0; b < stride; b++) {
      *keep++ = channel[b] < 0 ? STX_CLEAR_KEEP : paint->keep;
      *add++ = channel[b] < 0 ? STX_CLEAR_ADD : paint->add[channel[b]];
    }
  }
}

/* n pixels of one plane; `step` 0: all in the first paint, 1: each in its own. */
static inline __attribute__((always_inline)) void stx_rows_expand(
    uint16_t *keep, uint16_t *add, const StxPlane *plane, const StxPaint *paints, int step, int n)
{
  switch (plane->pixel_stride) {
  case 1:
    stx_rows_expand_by(keep, add, plane, 1, paints, step, n);
    break;
  case 2:
    stx_rows_expand_by(keep, add, plane, 2, paints, step, n);
    break;
  case 3:
    stx_rows_expand_by(keep, add, plane, 3, paints, step, n);
    break;
  default:
    stx_rows_expand_by(keep, add, plane, 4, paints, step, n);
  }
}

static inline void stx_rows_blend(
    uint8_t *restrict bytes, const uint16_t *restrict keep, const uint16_t *restrict add, size_t n)
{
#pragma omp simd
  for (size_t i = 0; i < n; i++)
    bytes[i] = stx_paint_blend(bytes[i], keep[i], add[i]);
}

/* ---- Subsampled planes --------------------------------------------------------------------- */

static inline uint64_t stx_rows_word(const StxPaint *paint)
{
  uint64_t word;
  memcpy(&word, paint, sizeof word);
  return word;
}

static inline void stx_rows_average_one(
    StxPaint *block, const StxPaint *upper, const StxPaint *lower, int x, int beside)
{
  uint64_t word = stx_paint_block_mean(stx_rows_word(&upper[x]), stx_rows_word(&upper[beside]),
      stx_rows_word(&lower[x]), stx_rows_word(&lower[beside]));
  memcpy(block, &word, sizeof word);
}

/* Paints of the blocks that cover the pixels [x0, x1) of two rows of paint, x0 even. A pixel at x1
 * counts as its neighbour. */
static inline void stx_rows_average(StxPaint *restrict block, const StxPaint *restrict upper,
    const StxPaint *restrict lower, int x0, int x1)
{
  for (int x = x0; x + 1 < x1; x += 2)
    stx_rows_average_one(block++, upper, lower, x, x + 1);
  if (x1 % 2 != 0)
    stx_rows_average_one(block, upper, lower, x1 - 1, x1 - 1);
}

/* Samples of one channel, or of two that lie side by side or with a byte of luma between. */
static inline void stx_rows_blend_samples(
    uint8_t *restrict sample, const StxPlane *plane, const StxPaint *restrict block, int n)
{
  int stride = plane->pixel_stride, at = plane->channel[0] < 0 ? 1 : 0, next = at + stride / 2;
  int first = plane->channel[at], second = plane->channel[next];
  if (stride == 1)
    for (int i = 0; i < n; i++)
      sample[i] = stx_paint_blend(sample[i], block[i].keep, block[i].add[first]);
  else
    for (int i = 0; i < n; i++, sample += stride) {
      sample[at] = stx_paint_blend(sample[at], block[i].keep, block[i].add[first]);
      sample[next] = stx_paint_blend(sample[next], block[i].keep, block[i].add[second]);
    }
}
