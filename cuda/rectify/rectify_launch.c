/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches rectify's kernels. */
#include "cuda/driver/launch.h"
#include "cuda/rectify/rectify_args.h"

STX_CUDA_MODULE(rectify);

/* By the bytes of a sample. */
static const StxCudaKernel kernels[] = {{&module, "stx_rectify_1"}, {&module, "stx_rectify_2"},
    {&module, "stx_rectify_3"}, {&module, "stx_rectify_4"}};

/* Does every row begin at a multiple of so many bytes? */
static bool is_aligned(const void *first, ptrdiff_t stride, unsigned bytes)
{
  return ((uintptr_t)first | (uintptr_t)stride) % bytes == 0;
}

static StxRectifyArgs args_of(const StxRectifyMap *map, const StxRectifySample *sample,
    const StxImage8 *source, const StxImage8 *target)
{
  unsigned bytes = (unsigned)sample->bytes;
  StxRectifyArgs args = {.place = map->place,
      .fraction = map->fraction,
      .source = source->data,
      .target = target->data,
      .source_stride = source->stride,
      .target_stride = target->stride,
      .width = map->width,
      .height = map->height,
      .map_whole = map->width % STX_RECTIFY_SAMPLES == 0,
      .source_whole = bytes % 2 == 0 && is_aligned(source->data, source->stride, bytes),
      .target_whole = is_aligned(target->data, target->stride, bytes == 3 ? 4 : 4 * bytes)};
  for (unsigned i = 0; i < bytes; i++)
    args.border |= (uint32_t)sample->border[i] << 8 * i;
  return args;
}

static bool run(const StxRectifyMap *map, const StxRectifySample *sample, const StxImage8 *source,
    const StxImage8 *target, const StxPlace *place, StxError *error)
{
  StxRectifyArgs args = args_of(map, sample, source, target);
  StxCudaSize grid = {stx_cuda_blocks((size_t)map->width, STX_RECTIFY_X * STX_RECTIFY_SAMPLES),
      stx_cuda_blocks((size_t)map->height, STX_RECTIFY_Y), 1};
  StxCudaSize block = {STX_RECTIFY_X, STX_RECTIFY_Y, 1};
  return stx_cuda_launch(
      place->device, &kernels[sample->bytes - 1], grid, block, 0, &args, place->stream, error);
}

static const StxRectifyImpl impls[] = {{{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, run}};
const StxImplTable stx_rectify_cuda_impls = {impls, 1, sizeof impls[0]};
