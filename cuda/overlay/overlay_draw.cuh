/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drawing stixels on the GPU: four samples of a row, which a thread owns.
 *
 * Only blending depends on the bytes of a sample; the rest is there once. Tried and rejected: all
 * of it once per bytes of a sample, and a paint looked up only where a pixel's column is not its
 * neighbour's (94 KiB of code instead of 20, and loads one after the other instead of together).
 */
#ifndef STX_OVERLAY_DRAW_CUH
#define STX_OVERLAY_DRAW_CUH

#include "cuda/driver/gpu.cuh"

#include "cuda/overlay/overlay_args.h"

STX_DEVICE uint64_t clear_word()
{
  const uint64_t add = STX_CLEAR_ADD;
  return STX_CLEAR_KEEP | add << 16 | add << 32 | add << 48;
}

/* Which columns n neighbouring pixels from x on belong to. */
template <int N>
STX_DEVICE void pixel_columns(const StxOverlayDrawArgs &a, int x, unsigned (&pixel)[N])
{
#pragma unroll
  for (int i = 0; i < N; i += 4) {
    const ushort4 four = __ldg((const ushort4 *)(a.pixel + x + i));
    pixel[i] = four.x, pixel[i + 1] = four.y, pixel[i + 2] = four.z, pixel[i + 3] = four.w;
  }
}

/* The paints of these pixels in frame row y. No branches, though most share a column and its paint:
 * all numbers are on their way together, then all paints, and they come from few lines of the
 * cache. */
template <int N>
STX_DEVICE void row_paints(
    const StxOverlayDrawArgs &a, const unsigned (&pixel)[N], int y, uint64_t (&paint)[N])
{
  const unsigned row = (unsigned)y * a.visible; /* below 2^30 */
  unsigned number[N];
#pragma unroll
  for (int i = 0; i < N; i++) {
    number[i] = STX_OVERLAY_CLEAR;
    if (pixel[i] != STX_OVERLAY_NOBODY)
      number[i] = __ldg(a.paint + (row + (pixel[i] & STX_OVERLAY_COLUMN)));
  }
#pragma unroll
  for (int i = 0; i < N; i++) {
    const int side = stx_overlay_side_paint((int)number[i]);
    paint[i] = clear_word();
    if (number[i] != STX_OVERLAY_CLEAR)
      paint[i] = __ldg(a.paints + (pixel[i] & STX_OVERLAY_SIDE ? side : (int)number[i]));
  }
}

/* Of the samples x … x + 3 of row y. */
STX_DEVICE void sample_paints(const StxOverlayDrawArgs &a, const StxOverlayPlaneArgs &plane, int x,
    int y, uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
  if (plane.shift_x == 0) {
    unsigned pixel[STX_OVERLAY_SAMPLES];
    pixel_columns(a, x, pixel);
    row_paints(a, pixel, y, paint);
    return;
  }
  unsigned pixel[STX_OVERLAY_PIXELS];
  uint64_t upper[STX_OVERLAY_PIXELS], lower[STX_OVERLAY_PIXELS];
  const int top = y << plane.shift_y, below = top + plane.shift_y;
  pixel_columns(a, 2 * x, pixel);
  row_paints(a, pixel, top, upper);
  row_paints(a, pixel, below < a.frame_height ? below : top, lower);
#pragma unroll
  for (int j = 0; j < STX_OVERLAY_SAMPLES; j++)
    paint[j] = stx_paint_block_mean(upper[2 * j], upper[2 * j + 1], lower[2 * j], lower[2 * j + 1]);
}

/* Four samples of S bytes in S words, sample j's first byte being byte j·S. */
template <int S>
STX_DEVICE void blend_samples(uint32_t (&word)[STX_OVERLAY_SAMPLES],
    const StxOverlayPlaneArgs &plane, const uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
#pragma unroll
  for (int k = 0; k < S; k++) {
    const int channel = plane.channel[k];
    if (channel < 0)
      continue;
#pragma unroll
    for (int j = 0; j < STX_OVERLAY_SAMPLES; j++) {
      const int at = j * S + k, shift = at % 4 * 8;
      const uint8_t in = (uint8_t)(word[at / 4] >> shift);
      const uint16_t keep = (uint16_t)paint[j], add = (uint16_t)(paint[j] >> (16 + 16 * channel));
      const uint32_t out = stx_paint_blend(in, keep, add);
      word[at / 4] = (word[at / 4] & ~(0xffu << shift)) | out << shift;
    }
  }
}

/* The same for S == 4, where a word is a sample: two bytes at a time as 16-bit numbers, which hold
 * in · keep + add, at most 255 · 256 + 128. Bytes without a channel stay. */
STX_DEVICE void blend_words(uint32_t (&word)[STX_OVERLAY_SAMPLES], const StxOverlayPlaneArgs &plane,
    const uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
#pragma unroll
  for (int j = 0; j < STX_OVERLAY_SAMPLES; j++) {
    const uint32_t low = (uint32_t)paint[j], high = (uint32_t)(paint[j] >> 32), keep = low & 65535;
    const uint32_t even = (word[j] & 0x00ff00ff) * keep + __byte_perm(low, high, plane.even);
    const uint32_t odd = (word[j] >> 8 & 0x00ff00ff) * keep + __byte_perm(low, high, plane.odd);
    const uint32_t out = (even >> 8 & 0x00ff00ff) | (odd & 0xff00ff00);
    word[j] = (word[j] & ~plane.mask) | (out & plane.mask);
  }
}

STX_DEVICE void blend(uint32_t (&word)[STX_OVERLAY_SAMPLES], const StxOverlayPlaneArgs &plane,
    const uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
  if (plane.pixel_stride == 1)
    blend_samples<1>(word, plane, paint);
  else if (plane.pixel_stride == 2)
    blend_samples<2>(word, plane, paint);
  else if (plane.pixel_stride == 3)
    blend_samples<3>(word, plane, paint);
  else
    blend_words(word, plane, paint);
}

/* The first `bytes` of four samples; `unit` of them at once if it is > 1: `words` words, or one
 * access of 16 bytes. */
STX_DEVICE void load_samples(
    uint32_t (&word)[STX_OVERLAY_SAMPLES], const uint8_t *from, int bytes, int words, int unit)
{
#pragma unroll
  for (int i = 0; i < STX_OVERLAY_SAMPLES; i++)
    word[i] = 0;
  if (unit == 16) {
    const uint4 four = *(const uint4 *)from;
    word[0] = four.x, word[1] = four.y, word[2] = four.z, word[3] = four.w;
  } else if (unit > 1) {
#pragma unroll
    for (int i = 0; i < STX_OVERLAY_SAMPLES; i++)
      if (i < words)
        word[i] = ((const uint32_t *)from)[i];
  } else {
#pragma unroll
    for (int i = 0; i < 4 * STX_OVERLAY_SAMPLES; i++)
      if (i < bytes)
        word[i / 4] |= (uint32_t)from[i] << i % 4 * 8;
  }
}

STX_DEVICE void store_samples(
    const uint32_t (&word)[STX_OVERLAY_SAMPLES], uint8_t *to, int bytes, int words, int unit)
{
  if (unit == 16) {
    *(uint4 *)to = make_uint4(word[0], word[1], word[2], word[3]);
  } else if (unit > 1) {
#pragma unroll
    for (int i = 0; i < STX_OVERLAY_SAMPLES; i++)
      if (i < words)
        ((uint32_t *)to)[i] = word[i];
  } else {
#pragma unroll
    for (int i = 0; i < 4 * STX_OVERLAY_SAMPLES; i++)
      if (i < bytes)
        to[i] = (uint8_t)(word[i / 4] >> i % 4 * 8);
  }
}

STX_DEVICE bool covers(const uint64_t (&paint)[STX_OVERLAY_SAMPLES])
{
  bool covered = false;
#pragma unroll
  for (int j = 0; j < STX_OVERLAY_SAMPLES; j++)
    covered = covered || paint[j] != clear_word();
  return covered;
}

/* The samples x … x + 3 of row y, or as many as the row has. What nothing covers is not written;
 * where something does, blending with a clear paint changes nothing. The samples are on their way
 * while their paints are looked up. */
STX_DEVICE void draw_samples(
    const StxOverlayDrawArgs &a, const StxOverlayPlaneArgs &plane, int x, int y)
{
  const int samples = min(plane.width - x, (int)STX_OVERLAY_SAMPLES), size = plane.pixel_stride;
  const int unit = samples == STX_OVERLAY_SAMPLES ? plane.unit : 1;
  uint8_t *at = plane.data + y * plane.stride + (size_t)x * size;
  uint32_t word[STX_OVERLAY_SAMPLES];
  uint64_t paint[STX_OVERLAY_SAMPLES];
  load_samples(word, at, samples * size, size, unit);
  sample_paints(a, plane, x, y, paint);
  if (!covers(paint))
    return;
  blend(word, plane, paint);
  store_samples(word, at, samples * size, size, unit);
}

#endif
