/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Launches overlay's kernels.
 *
 * The prepared block on the device is a copy of the host's, byte for byte, so that a table lies at
 * the same distance from the block's beginning in both; the pointers in the copy are the host's,
 * and are not read.
 */
#include "cuda/driver/launch.h"
#include "cuda/overlay/overlay_args.h"

#include <string.h>

STX_CUDA_MODULE(overlay);

static const StxCudaKernel index_kernel = {&module, "stx_overlay_index"};
static const StxCudaKernel columns_kernel = {&module, "stx_overlay_columns"};
static const StxCudaKernel draw_kernel = {&module, "stx_overlay_draw"};

static_assert(sizeof(StxPaint) == sizeof(uint64_t), "paints are read as words");

/* ---- Prepared block ------------------------------------------------------------------------ */

/* The address of `part` of the host's block on the device. */
static const void *on_device(const StxOverlay *overlay, const void *prepared, const void *part)
{
  return (const char *)prepared + ((const char *)part - (const char *)overlay);
}

static bool upload(
    const StxOverlay *overlay, void *prepared, const StxPlace *place, StxError *error)
{
  size_t size = stx_overlay_size(&overlay->params);
  return stx_cuda_upload_bytes(place->device, prepared, overlay, size, place->stream, error);
}

/* ---- Scratch ------------------------------------------------------------------------------- */

typedef struct {
  StxOverlayRange *range;
  uint16_t *pixel, *paint;
} Scratch;

/* Columns that begin inside the image; others are never drawn. */
static int visible_columns(const StxOverlayParams *params)
{
  int inside = (params->width + params->stixel_width - 1) / params->stixel_width;
  return params->columns < inside ? params->columns : inside;
}

static int padded_width(const StxOverlayParams *params)
{
  return (params->frame_width + STX_OVERLAY_PIXELS - 1) / STX_OVERLAY_PIXELS * STX_OVERLAY_PIXELS;
}

/* Returns the bytes. `memory` NULL: only to measure. */
static size_t lay_out_scratch(const StxOverlayParams *params, void *memory, Scratch *at)
{
  StxLayout layout = {.memory = memory};
  STX_TAKE(&layout, at->range, params->columns);
  STX_TAKE(&layout, at->pixel, padded_width(params));
  STX_TAKE(&layout, at->paint, (size_t)params->frame_height * (size_t)visible_columns(params));
  return layout.size;
}

static size_t scratch_size(const StxOverlayParams *params, size_t count, int threads)
{
  Scratch at;
  return lay_out_scratch(params, NULL, &at);
}

/* ---- Records ------------------------------------------------------------------------------- */

/* `to` is all 0: it gets what a kernel can use, without addresses of the host. */
static void set_params(StxOverlayParams *to, const StxOverlayParams *from)
{
  to->mode = from->mode;
  to->show = from->show;
  to->dim = from->dim;
  to->width = from->width;
  to->height = from->height;
  to->stixel_width = from->stixel_width;
  to->columns = from->columns;
  to->frame_width = from->frame_width;
  to->frame_height = from->frame_height;
}

static bool link_records(const StxOverlay *overlay, const void *prepared, const StxStixel *records,
    size_t count, StxOverlayResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  Scratch at;
  lay_out_scratch(&overlay->params, scratch, &at);
  StxOverlayIndexArgs index = {.left = on_device(overlay, prepared, overlay->left),
      .column = on_device(overlay, prepared, overlay->column),
      .records = records,
      .count = (uint32_t)count,
      .pixels = padded_width(&overlay->params),
      .edge = overlay->edge,
      .range = at.range,
      .pixel = at.pixel,
      .result = result};
  StxOverlayColumnsArgs columns = {.tables = {.row = on_device(overlay, prepared, overlay->row),
                                       .row_edge = on_device(overlay, prepared, overlay->row_edge),
                                       .nearness = on_device(overlay, prepared, overlay->nearness),
                                       .levels = overlay->levels,
                                       .edge = overlay->edge},
      .records = records,
      .range = index.range,
      .paint = at.paint,
      .result = result,
      .count = index.count,
      .visible = visible_columns(&overlay->params)};
  set_params(&index.params, &overlay->params);
  set_params(&columns.params, &overlay->params);
  StxCudaSize grid = {(unsigned)overlay->params.columns, 1, 1};
  StxCudaSize block = {STX_OVERLAY_COLUMN_THREADS, 1, 1};
  const size_t range_bytes = (size_t)overlay->params.columns * sizeof(StxOverlayRange);
  const size_t items = index.count > (uint32_t)index.pixels ? index.count : (uint32_t)index.pixels;
  return stx_cuda_clear(place, index.range, range_bytes, error) &&
         stx_cuda_launch(place, &index_kernel,
             (StxCudaSize){stx_cuda_blocks(items, STX_OVERLAY_INDEX_THREADS), 1, 1},
             (StxCudaSize){STX_OVERLAY_INDEX_THREADS, 1, 1}, 0, &index, error) &&
         stx_cuda_launch(place, &columns_kernel, grid, block, 0, &columns, error);
}

/* ---- Frame --------------------------------------------------------------------------------- */

/* The number of bytes that a thread may load at once: its four samples begin at multiples of four
 * times pixel_stride from the row's beginning. */
static uint8_t load_unit(const StxPlane *plane, const uint8_t *data, ptrdiff_t stride)
{
  uintptr_t both = (uintptr_t)data | (uintptr_t)stride;
  if (plane->pixel_stride == 4 && both % 16 == 0)
    return 16;
  return both % 4 == 0 ? 4 : 1;
}

/* The two bytes of what a paint adds to byte k of a sample, for __byte_perm: those of channel c
 * are bytes 2 + 2c and the next. */
static uint32_t add_selector(const StxPlane *plane, int k)
{
  int channel = plane->channel[k] < 0 ? 0 : plane->channel[k];
  return (uint32_t)(0x32 + 0x22 * channel);
}

static StxOverlayPlaneArgs plane_args(const StxOverlayParams *params, const StxFrame *frame, int p)
{
  const StxPlane *plane = &params->format->plane[p];
  const int memory = params->format->shared ? 0 : p;
  StxOverlayPlaneArgs args = {.data = frame->data[memory],
      .stride = frame->stride[memory],
      .width = (params->frame_width + plane->shift_x) >> plane->shift_x,
      .height = (params->frame_height + plane->shift_y) >> plane->shift_y,
      .pixel_stride = plane->pixel_stride,
      .shift_x = plane->shift_x,
      .shift_y = plane->shift_y,
      .unit = load_unit(plane, frame->data[memory], frame->stride[memory])};
  memcpy(args.channel, plane->channel, sizeof args.channel);
  args.even = add_selector(plane, 0) | add_selector(plane, 2) << 8;
  args.odd = add_selector(plane, 1) | add_selector(plane, 3) << 8;
  for (int k = 0; k < 4; k++)
    args.mask |= plane->channel[k] < 0 ? 0 : 0xffu << 8 * k;
  return args;
}

/* All planes at once; those that share their bytes one after the other, because a thread writes
 * whole words. */
static bool launch_planes(StxOverlayDrawArgs *args, const StxOverlayParams *params,
    const StxFrame *frame, const StxPlace *place, StxError *error)
{
  const int planes = params->format->planes, together = params->format->shared ? 1 : planes;
  const unsigned across = STX_OVERLAY_DRAW_X * STX_OVERLAY_SAMPLES;
  StxCudaSize grid = stx_cuda_grid(
      params->frame_width, across, params->frame_height, STX_OVERLAY_DRAW_Y, (unsigned)together);
  StxCudaSize block = {STX_OVERLAY_DRAW_X, STX_OVERLAY_DRAW_Y, 1};
  bool done = true;
  for (int first = 0; first < planes && done; first += together) {
    for (int p = 0; p < together; p++)
      args->plane[p] = plane_args(params, frame, first + p);
    done = stx_cuda_launch(place, &draw_kernel, grid, block, 0, args, error);
  }
  return done;
}

static bool draw(const StxOverlay *overlay, const void *prepared, const StxFrame *frame,
    const StxStixel *records, size_t count, void *scratch, const StxPlace *place, StxError *error)
{
  const StxOverlayParams *params = &overlay->params;
  Scratch at;
  lay_out_scratch(params, scratch, &at);
  StxOverlayDrawArgs args = {.pixel = at.pixel,
      .paint = at.paint,
      .paints = on_device(overlay, prepared, overlay->paints),
      .frame_height = params->frame_height,
      .visible = visible_columns(params)};
  return launch_planes(&args, params, frame, place, error);
}

static const StxOverlayImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size, upload, link_records, draw}};
const StxImplTable stx_overlay_cuda_impls = {impls, 1, sizeof impls[0]};
