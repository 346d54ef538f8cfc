/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laying a canvas on a frame: tiles in parallel, rows of a tile in vectors. */
#include "common/colour/colour_rows.h"
#include "common/parallel.h"
#include "common/canvas/canvas_private.h"

enum { TILES_PER_PIECE = 64 }; /* fewer are not worth waking a thread for */

typedef struct {
  const StxCanvas *canvas;
  const StxTile *tiles;
  const StxFrame *frame;
} Job;

static uint8_t *plane_row(const Job *job, int p, int y)
{
  int memory = job->canvas->params.format->shared ? 0 : p;
  return job->frame->data[memory] + y * job->frame->stride[memory];
}

static void lay_pixels(
    const Job *job, int p, const StxPaint *paints, const StxTilePlace *place, int y)
{
  const StxPlane *plane = &job->canvas->params.format->plane[p];
  uint16_t keep[4 * STX_CANVAS_TILE], add[4 * STX_CANVAS_TILE];
  uint8_t *row = plane_row(job, p, place->y + y) + (size_t)place->x * plane->pixel_stride;
  stx_rows_expand(keep, add, plane, paints, 1, STX_CANVAS_TILE);
  stx_rows_blend(row, keep, add, (size_t)place->width * plane->pixel_stride);
}

/* One row of samples, of the pixels' rows y and, if the blocks are two rows high, y + 1. */
static void lay_blocks(const Job *job, int p, const StxTile *tile, const StxTilePlace *place, int y)
{
  const StxPlane *plane = &job->canvas->params.format->plane[p];
  int below = y + plane->shift_y < place->height ? y + plane->shift_y : y;
  StxPaint block[STX_CANVAS_TILE / 2];
  uint8_t *row = plane_row(job, p, (place->y + y) >> plane->shift_y);
  stx_rows_average(block, &tile->paint[y * STX_CANVAS_TILE], &tile->paint[below * STX_CANVAS_TILE],
      0, place->width);
  stx_rows_blend_samples(
      row + (size_t)(place->x / 2) * plane->pixel_stride, plane, block, (place->width + 1) / 2);
}

static void lay_tile(const Job *job, const StxTile *tile)
{
  const StxCanvasParams *params = &job->canvas->params;
  const StxPixelFormat *format = params->format;
  StxTilePlace place =
      stx_canvas_place(tile->number, job->canvas->across, params->width, params->height);
  for (int p = 0; p < format->planes; p++) {
    const StxPlane *plane = &format->plane[p];
    for (int y = 0; y < place.height; y += 1 << plane->shift_y)
      if (plane->shift_x > 0)
        lay_blocks(job, p, tile, &place, y);
      else
        lay_pixels(job, p, &tile->paint[y * STX_CANVAS_TILE], &place, y);
  }
}

static void lay_piece(void *data, int piece, int worker)
{
  const Job *job = data;
  uint32_t first = (uint32_t)piece * TILES_PER_PIECE, end = first + TILES_PER_PIECE;
  for (uint32_t slot = first; slot < end && slot < job->canvas->count; slot++)
    lay_tile(job, &job->tiles[slot]);
}

static bool lay_omp(const StxCanvas *canvas, const void *tiles, const StxFrame *frame,
    const StxPlace *place, StxError *error)
{
  Job job = {canvas, tiles != NULL ? tiles : canvas->tile, frame};
  int pieces = (int)((canvas->count + TILES_PER_PIECE - 1) / TILES_PER_PIECE);
  stx_parallel(place->threads, pieces, lay_piece, &job);
  return true;
}

static const StxCanvasImpl impls[] = {
    {{"omp", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, lay_omp},
};
const StxImplTable stx_canvas_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
