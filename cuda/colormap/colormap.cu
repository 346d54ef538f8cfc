/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colormap on the GPU, common/colormap/colormap.h: a warp walks along a row.
 *
 *   spread   the histogram of every fourth row
 *   paint    the picture
 *
 * The 64 KiB of levels stay in the cache, of which a frame needs a part.
 */
#include "cuda/driver/gpu.cuh"

#include "common/colormap/colormap_math.h"
#include "cuda/colormap/colormap_args.h"

STX_DEVICE unsigned number_at(const StxColormapInput *input, int x, int y)
{
  return input->bytes.data != NULL ? stx_row8(&input->bytes, y)[x] : stx_row16(&input->map, y)[x];
}

STX_DEVICE unsigned level_at(const StxColormapArgs *a, unsigned number, int x, int y)
{
  if (a->input.bytes.data == NULL || a->input.map.data == NULL)
    return a->table->level[number];
  return stx_colormap_sure_level(a->table, number, stx_row16(&a->input.map, y)[x]);
}

STX_KERNEL(stx_colormap_spread, StxColormapArgs, STX_COLORMAP_LANES *STX_COLORMAP_ROWS)
{
  const int y = (blockIdx.x * STX_COLORMAP_ROWS + threadIdx.y) * STX_COLORMAP_SPREAD_ROWS;
  if (y >= a.picture.height)
    return;
  const int shift = a.input.bytes.data != NULL ? 0 : STX_COLORMAP_BIN_SHIFT;
  for (int x = threadIdx.x; x < a.picture.width; x += STX_COLORMAP_LANES) {
    const unsigned number = number_at(&a.input, x, y);
    if (stx_colormap_is_value(level_at(&a, number, x, y)))
      atomicAdd(&a.histogram->count[number >> shift], 1u);
  }
}

STX_DEVICE void put(const StxColormapPicture *picture, int x, int y, unsigned pixel)
{
  uint8_t *row = picture->data + y * picture->stride;
  if (picture->pixel == 4) {
    ((uint32_t *)row)[x] = pixel;
    return;
  }
  row[3 * x] = (uint8_t)pixel;
  row[3 * x + 1] = (uint8_t)(pixel >> 8);
  row[3 * x + 2] = (uint8_t)(pixel >> 16);
}

STX_KERNEL(stx_colormap_paint, StxColormapArgs, STX_COLORMAP_LANES *STX_COLORMAP_ROWS)
{
  const int y = blockIdx.x * STX_COLORMAP_ROWS + threadIdx.y;
  if (y >= a.picture.height)
    return;
#pragma unroll 1
  for (int x = threadIdx.x; x < a.picture.width; x += STX_COLORMAP_LANES) {
    const unsigned level = level_at(&a, number_at(&a.input, x, y), x, y);
    put(&a.picture, x, y, a.table->paint[stx_colormap_square(x, y, a.picture.square)][level]);
  }
}
