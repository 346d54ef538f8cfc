/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Luma on the GPU: the launches of the kernels in luma.cu. */
#include "common/luma/luma_math.h"
#include "cuda/driver/launch.h"
#include "cuda/luma/luma_args.h"

#include <string.h>

STX_CUDA_MODULE(luma);

static const StxCudaKernel most_kernel = {&module, "stx_luma_most"};
static const StxCudaKernel luma_kernel = {&module, "stx_luma"};

static bool launch(
    const StxCudaKernel *kernel, const StxLumaArgs *args, const StxPlace *place, StxError *error)
{
  StxCudaSize grid = {stx_cuda_blocks((size_t)args->height, STX_LUMA_ROWS), 1, 1};
  StxCudaSize block = {STX_LUMA_LANES, STX_LUMA_ROWS, 1};
  return stx_cuda_launch(place, kernel, grid, block, 0, args, error);
}

static bool run(const StxLumaFormat *format, int bits, const StxImage8 *picture,
    const StxImage8 *gray, void *scratch, const StxPlace *place, StxError *error)
{
  StxLumaArgs args = {
      .picture = picture->data,
      .picture_stride = picture->stride,
      .gray = gray->data,
      .gray_stride = gray->stride,
      .width = picture->width,
      .height = picture->height,
      .kind = format->kind,
      .pixel = format->pixel,
      .shift = stx_luma_shift(format, bits),
  };
  memcpy(args.at, format->at, sizeof args.at);
  if (!stx_luma_wants_most(format, bits))
    return launch(&luma_kernel, &args, place, error);
  args.most = scratch;
  return stx_cuda_clear(place, scratch, sizeof *args.most, error) &&
         launch(&most_kernel, &args, place, error) && launch(&luma_kernel, &args, place, error);
}

static const StxLumaImpl impls[] = {{{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, run}};
const StxImplTable stx_luma_cuda_impls = {impls, 1, sizeof impls[0]};
