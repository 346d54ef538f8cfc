/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches rectify's kernels. */
#include "cuda/driver/launch.h"
#include "cuda/rectify/rectify_args.h"

STX_CUDA_MODULE(rectify);

/* Kernels by the bytes of a sample. */
static const StxCudaKernel kernels[] = {{&module, "stx_rectify_1"}, {&module, "stx_rectify_2"},
    {&module, "stx_rectify_3"}, {&module, "stx_rectify_4"}};
static const StxCudaKernel packed_kernel = {&module, "stx_rectify_packed"};

/* Does every row begin at a multiple of so many bytes? */
static bool is_aligned(const void *first, ptrdiff_t stride, unsigned bytes)
{
  return ((uintptr_t)first | (uintptr_t)stride) % bytes == 0;
}

/* Returns the arguments for a map of which a thread loads `entries`. */
static StxRectifyArgs args_of(
    const StxRectifyMap *map, unsigned entries, const StxImage8 *source, const StxImage8 *target)
{
  return (StxRectifyArgs){.place = map->place,
      .fraction = map->fraction,
      .source = source->data,
      .target = target->data,
      .source_stride = source->stride,
      .target_stride = target->stride,
      .width = map->width,
      .height = map->height,
      .map_whole = (unsigned)map->width % entries == 0};
}

static bool launch(const StxCudaKernel *kernel, const StxRectifyMap *map, unsigned entries,
    const void *args, const StxPlace *place, StxError *error)
{
  StxCudaSize grid =
      stx_cuda_grid(map->width, STX_RECTIFY_X * entries, map->height, STX_RECTIFY_Y, 1);
  StxCudaSize block = {STX_RECTIFY_X, STX_RECTIFY_Y, 1};
  return stx_cuda_launch(place, kernel, grid, block, 0, args, error);
}

static bool run(const StxRectifyMap *map, const StxRectifySample *sample, const StxImage8 *source,
    const StxImage8 *target, const StxPlace *place, StxError *error)
{
  unsigned bytes = (unsigned)sample->bytes;
  StxRectifyArgs args = args_of(map, STX_RECTIFY_SAMPLES, source, target);
  args.source_whole = bytes % 2 == 0 && is_aligned(source->data, source->stride, bytes);
  args.target_whole = is_aligned(target->data, target->stride, bytes == 3 ? 4 : 4 * bytes);
  for (unsigned i = 0; i < bytes; i++)
    args.border |= (uint32_t)sample->border[i] << 8 * i;
  return launch(&kernels[bytes - 1], map, STX_RECTIFY_SAMPLES, &args, place, error);
}

static bool run_packed(const StxRectifyMap *pixels, const StxRectifyMap *colours,
    const StxRectifyPacked *packed, const StxImage8 *source, const StxImage8 *target,
    const StxPlace *place, StxError *error)
{
  StxRectifyPackedArgs args = {args_of(pixels, STX_RECTIFY_SAMPLES, source, target),
      args_of(colours, STX_RECTIFY_PAIRS, source, target), packed->luma,
      {packed->border[0], packed->border[1]}, {0}};
  args.pixels.source_whole = is_aligned(source->data, source->stride, 4);
  args.pixels.target_whole = is_aligned(target->data, target->stride, 4 * STX_RECTIFY_PAIRS);
  return launch(&packed_kernel, colours, STX_RECTIFY_PAIRS, &args, place, error);
}

static const StxRectifyImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, run, run_packed}};
const StxImplTable stx_rectify_cuda_impls = {impls, 1, sizeof impls[0]};
