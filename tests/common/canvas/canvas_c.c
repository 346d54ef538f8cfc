/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laying a canvas on a frame: the reference, sample by sample. */
#include "common/canvas/canvas_private.h"

#include <string.h>

/* The paint of a pixel in the tile; beyond the frame that of its neighbour. */
static uint64_t pixel_paint(const StxTile *tile, const StxTilePlace *place, int x, int y)
{
  uint64_t word;
  x = x < place->width ? x : place->width - 1;
  y = y < place->height ? y : place->height - 1;
  memcpy(&word, &tile->paint[y * STX_CANVAS_TILE + x], sizeof word);
  return word;
}

/* Returns the paint of the sample that begins at pixel (x, y) of the tile. */
static StxPaint sample_paint(
    const StxTile *tile, const StxTilePlace *place, const StxPlane *plane, int x, int y)
{
  int beside = x + plane->shift_x, below = y + plane->shift_y;
  uint64_t word =
      stx_paint_block_mean(pixel_paint(tile, place, x, y), pixel_paint(tile, place, beside, y),
          pixel_paint(tile, place, x, below), pixel_paint(tile, place, beside, below));
  StxPaint paint;
  memcpy(&paint, &word, sizeof paint);
  return paint;
}

static void lay_tile(const StxCanvas *canvas, const StxTile *tile, const StxPlane *plane,
    uint8_t *data, ptrdiff_t stride)
{
  StxTilePlace place =
      stx_canvas_place(tile->number, canvas->across, canvas->params.width, canvas->params.height);
  for (int y = 0; y < place.height; y += 1 << plane->shift_y)
    for (int x = 0; x < place.width; x += 1 << plane->shift_x) {
      StxPaint paint = sample_paint(tile, &place, plane, x, y);
      uint8_t *sample = data + ((place.y + y) >> plane->shift_y) * stride +
                        (ptrdiff_t)((place.x + x) >> plane->shift_x) * plane->pixel_stride;
      for (int b = 0; b < plane->pixel_stride; b++)
        if (plane->channel[b] >= 0)
          sample[b] = stx_paint_blend(sample[b], paint.keep, paint.add[plane->channel[b]]);
    }
}

static bool stx_canvas_lay_c(const StxCanvas *canvas, const void *tiles, const StxFrame *frame,
    const StxPlace *place, StxError *error)
{
  const StxPixelFormat *format = canvas->params.format;
  const StxTile *tile = tiles != NULL ? tiles : canvas->tile;
  for (int p = 0; p < format->planes; p++) {
    int memory = format->shared ? 0 : p;
    for (uint32_t slot = 0; slot < canvas->count; slot++)
      lay_tile(canvas, &tile[slot], &format->plane[p], frame->data[memory], frame->stride[memory]);
  }
  return true;
}

const StxCanvasImpl oracle_canvas = {{"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_canvas_lay_c};
