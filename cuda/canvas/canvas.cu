/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Laying a canvas on a frame: common/canvas/canvas.h on a GPU.
 *
 * A block owns a tile of one plane, a thread a sample of it. Tiles are few, and most of the time
 * goes by on the way to the memory and back: a thread reads the four paints of its block of pixels
 * (of a plane of full size four times the same one, from the cache) and changes the bytes of its
 * sample one by one, because those without a channel are not the canvas's.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/canvas/canvas_args.h"

/* The paint of a pixel in the tile; beyond the frame that of its neighbour. */
STX_DEVICE uint64_t pixel_paint(const StxTile &tile, const StxTilePlace &place, int x, int y)
{
  const int inside_x = min(x, place.width - 1), inside_y = min(y, place.height - 1);
  return __ldg((const uint64_t *)&tile.paint[inside_y * STX_CANVAS_TILE + inside_x]);
}

/* Returns the paint of the sample that begins at pixel (x, y) of the tile. */
STX_DEVICE uint64_t sample_paint(
    const StxTile &tile, const StxTilePlace &place, const StxPlane &plane, int x, int y)
{
  const int beside = x + plane.shift_x, below = y + plane.shift_y;
  return stx_paint_block_mean(pixel_paint(tile, place, x, y), pixel_paint(tile, place, beside, y),
      pixel_paint(tile, place, x, below), pixel_paint(tile, place, beside, below));
}

STX_KERNEL(stx_canvas_lay, StxCanvasLayArgs, STX_TILE_PIXELS)
{
  const StxTile &tile = a.tiles[blockIdx.x];
  const StxCanvasPlaneArgs &to = a.plane[blockIdx.y];
  const StxTilePlace place = stx_canvas_place(tile.number, a.across, a.width, a.height);
  const int x = (int)(threadIdx.x % STX_CANVAS_TILE) << to.plane.shift_x;
  const int y = (int)(threadIdx.x / STX_CANVAS_TILE) << to.plane.shift_y;
  if (x >= place.width || y >= place.height)
    return;
  const uint64_t paint = sample_paint(tile, place, to.plane, x, y);
  uint8_t *sample = to.data + (int64_t)((place.y + y) >> to.plane.shift_y) * to.stride +
                    (int64_t)((place.x + x) >> to.plane.shift_x) * to.plane.pixel_stride;
  for (int b = 0; b < to.plane.pixel_stride; b++) {
    const int channel = to.plane.channel[b];
    if (channel >= 0)
      sample[b] =
          stx_paint_blend(sample[b], (uint16_t)paint, (uint16_t)(paint >> (16 + 16 * channel)));
  }
}
