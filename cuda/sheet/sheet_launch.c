/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches sheet's kernel. */
#include "cuda/driver/launch.h"
#include "cuda/sheet/sheet_args.h"

STX_CUDA_MODULE(sheet);

static const StxCudaKernel lay_kernel = {&module, "stx_sheet_lay"};

static bool lay(const StxSheet *sheet, const void *tiles, const StxFrame *frame,
    const StxPlace *place, StxError *error)
{
  const StxPixelFormat *format = sheet->params.format;
  StxSheetLayArgs args = {.tiles = tiles,
      .across = sheet->across,
      .width = sheet->params.width,
      .height = sheet->params.height};
  StxCudaSize grid = {sheet->count, format->planes, 1}, block = {STX_TILE_PIXELS, 1, 1};
  for (int p = 0; p < format->planes; p++) {
    int memory = format->shared ? 0 : p;
    args.plane[p].data = frame->data[memory];
    args.plane[p].stride = frame->stride[memory];
    args.plane[p].plane = format->plane[p];
  }
  return stx_cuda_launch(place->device, &lay_kernel, grid, block, 0, &args, place->stream, error);
}

static const StxSheetImpl impls[] = {{{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, lay}};
const StxImplTable stx_sheet_cuda_impls = {impls, 1, sizeof impls[0]};
