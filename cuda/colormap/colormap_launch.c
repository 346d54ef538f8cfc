/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colormap on the GPU: the launches of the kernels in colormap.cu. */
#include "common/colormap/colormap_math.h"
#include "cuda/driver/launch.h"
#include "cuda/colormap/colormap_args.h"

STX_CUDA_MODULE(colormap);

static const StxCudaKernel spread_kernel = {&module, "stx_colormap_spread"};
static const StxCudaKernel paint_kernel = {&module, "stx_colormap_paint"};

static bool launch(const StxCudaKernel *kernel, int rows, const StxColormapArgs *args,
    const StxPlace *place, StxError *error)
{
  StxCudaSize grid = {stx_cuda_blocks((size_t)rows, STX_COLORMAP_ROWS), 1, 1};
  StxCudaSize block = {STX_COLORMAP_LANES, STX_COLORMAP_ROWS, 1};
  return stx_cuda_launch(place, kernel, grid, block, 0, args, error);
}

static bool spread(const StxColormapInput *input, const StxColormapTable *table,
    StxColormapHistogram *histogram, const StxPlace *place, StxError *error)
{
  bool is_bytes = input->bytes.data != NULL;
  StxColormapArgs args = {.input = *input, .table = table, .histogram = histogram};
  args.picture.width = is_bytes ? input->bytes.width : input->map.width;
  args.picture.height = is_bytes ? input->bytes.height : input->map.height;
  int rows = (args.picture.height + STX_COLORMAP_SPREAD_ROWS - 1) / STX_COLORMAP_SPREAD_ROWS;
  return stx_cuda_clear(place, histogram, sizeof *histogram, error) &&
         launch(&spread_kernel, rows, &args, place, error);
}

static bool paint(const StxColormapInput *input, const StxColormapTable *table,
    const StxColormapPicture *picture, const StxPlace *place, StxError *error)
{
  StxColormapArgs args = {.input = *input, .table = table, .picture = *picture};
  return launch(&paint_kernel, picture->height, &args, place, error);
}

static const StxColormapImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, spread, paint}};
const StxImplTable stx_colormap_cuda_impls = {impls, 1, sizeof impls[0]};
