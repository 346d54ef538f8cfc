/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Luma on the GPU, common/luma/luma.h: a warp walks along a row.
 *
 *   most   the largest word of the picture, if the number of a word's bits is unknown
 *   luma   the gray picture
 *
 * Everything is read and written once, a byte per lane; neighbouring lanes share their lines of the
 * cache. At the sizes of cameras both are launches of a few microseconds.
 */
#include "cuda/driver/gpu.cuh"

#include "common/luma/luma_math.h"
#include "cuda/driver/threads.cuh"
#include "cuda/luma/luma_args.h"

STX_KERNEL(stx_luma_most, StxLumaArgs, STX_LUMA_LANES *STX_LUMA_ROWS)
{
  const int lane = threadIdx.x, y = blockIdx.x * STX_LUMA_ROWS + threadIdx.y;
  if (y >= a.height)
    return;
  const uint8_t *row = a.picture + y * a.picture_stride;
  unsigned most = 0;
  for (int x = lane; x < a.width; x += STX_LUMA_LANES)
    most = max(most, stx_luma_word(row + 2 * x, a.at[0], a.at[1]));
  most = warp_max(most);
  if (lane == 0)
    atomicMax(a.most, most);
}

STX_DEVICE uint8_t luma_of(const StxLumaArgs *a, const uint8_t *pixel, int shift)
{
  if (a->kind == STX_LUMA_BYTES)
    return pixel[a->at[0]];
  if (a->kind == STX_LUMA_WORDS)
    return stx_luma_of_word(stx_luma_word(pixel, a->at[0], a->at[1]), shift);
  return stx_luma_of_colours(pixel[a->at[0]], pixel[a->at[1]], pixel[a->at[2]]);
}

STX_KERNEL(stx_luma, StxLumaArgs, STX_LUMA_LANES *STX_LUMA_ROWS)
{
  const int y = blockIdx.x * STX_LUMA_ROWS + threadIdx.y;
  if (y >= a.height)
    return;
  const int shift = a.most != NULL ? stx_luma_shift_for(*a.most) : a.shift;
  const uint8_t *row = a.picture + y * a.picture_stride;
  uint8_t *gray = a.gray + y * a.gray_stride;
  for (int x = threadIdx.x; x < a.width; x += STX_LUMA_LANES)
    gray[x] = luma_of(&a, row + (size_t)x * a.pixel, shift);
}
