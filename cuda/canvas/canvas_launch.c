/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches canvas's kernel. */
#include "cuda/driver/launch.h"
#include "cuda/canvas/canvas_args.h"

STX_CUDA_MODULE(canvas);

static const StxCudaKernel lay_kernel = {&module, "stx_canvas_lay"};

static bool lay(const StxCanvas *canvas, const void *tiles, const StxFrame *frame,
    const StxPlace *place, StxError *error)
{
  const StxPixelFormat *format = canvas->params.format;
  StxCanvasLayArgs args = {.tiles = tiles,
      .across = canvas->across,
      .width = canvas->params.width,
      .height = canvas->params.height};
  StxCudaSize grid = {canvas->count, format->planes, 1}, block = {STX_TILE_PIXELS, 1, 1};
  for (int p = 0; p < format->planes; p++) {
    int memory = format->shared ? 0 : p;
    args.plane[p].data = frame->data[memory];
    args.plane[p].stride = frame->stride[memory];
    args.plane[p].plane = format->plane[p];
  }
  return stx_cuda_launch(place, &lay_kernel, grid, block, 0, &args, error);
}

static const StxCanvasImpl impls[] = {{{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, lay}};
const StxImplTable stx_canvas_cuda_impls = {impls, 1, sizeof impls[0]};
