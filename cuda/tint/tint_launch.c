/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tint on the GPU: the launches of the kernels in tint.cu. */
#include "common/tint/tint_math.h"
#include "cuda/driver/launch.h"
#include "cuda/tint/tint_args.h"

STX_CUDA_MODULE(tint);

static const StxCudaKernel spread_kernel = {&module, "stx_tint_spread"};
static const StxCudaKernel paint_kernel = {&module, "stx_tint_paint"};

static bool launch(const StxCudaKernel *kernel, int rows, const StxTintArgs *args,
    const StxPlace *place, StxError *error)
{
  StxCudaSize grid = {stx_cuda_blocks((size_t)rows, STX_TINT_ROWS), 1, 1};
  StxCudaSize block = {STX_TINT_LANES, STX_TINT_ROWS, 1};
  return stx_cuda_launch(place->device, kernel, grid, block, 0, args, place->stream, error);
}

static bool spread(const StxTintInput *input, const StxTintTable *table,
    StxTintHistogram *histogram, const StxPlace *place, StxError *error)
{
  bool is_bytes = input->bytes.data != NULL;
  StxTintArgs args = {.input = *input, .table = table, .histogram = histogram};
  args.picture.width = is_bytes ? input->bytes.width : input->map.width;
  args.picture.height = is_bytes ? input->bytes.height : input->map.height;
  int rows = (args.picture.height + STX_TINT_SPREAD_ROWS - 1) / STX_TINT_SPREAD_ROWS;
  return stx_cuda_fill_bytes(
             place->device, histogram, 0, sizeof *histogram, place->stream, error) &&
         launch(&spread_kernel, rows, &args, place, error);
}

static bool paint(const StxTintInput *input, const StxTintTable *table,
    const StxTintPicture *picture, StxTintCount *count, const StxPlace *place, StxError *error)
{
  StxTintArgs args = {.input = *input, .table = table, .picture = *picture, .count = count};
  return stx_cuda_fill_bytes(place->device, count, 0, sizeof *count, place->stream, error) &&
         launch(&paint_kernel, picture->height, &args, place, error);
}

static const StxTintImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, spread, paint}};
const StxImplTable stx_tint_cuda_impls = {impls, 1, sizeof impls[0]};
