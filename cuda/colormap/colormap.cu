/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colormap on the GPU, common/colormap/colormap.h: a warp walks along a row.
 *
 *   spread   the histogram of every fourth row
 *   paint    the picture; where there is a truth, the counts of each warp are added up first
 *
 * The 64 KiB of levels stay in the cache, of which a frame needs a part.
 */
#include "cuda/driver/gpu.cuh"

#include "common/colormap/colormap_math.h"
#include "cuda/driver/threads.cuh"
#include "cuda/colormap/colormap_args.h"

STX_DEVICE unsigned number_at(const StxColormapInput *input, int x, int y)
{
  return input->bytes.data != NULL ? stx_row8(&input->bytes, y)[x] : stx_row16(&input->map, y)[x];
}

/* Without a truth. */
STX_DEVICE unsigned level_at(const StxColormapArgs *a, unsigned number, int x, int y)
{
  if (a->input.bytes.data == NULL || a->input.map.data == NULL)
    return a->table->level[number];
  return stx_colormap_sure_level(a->table, number, stx_row16(&a->input.map, y)[x]);
}

STX_KERNEL(stx_colormap_spread, StxColormapArgs, STX_COLORMAP_LANES *STX_COLORMAP_ROWS)
{
  const int y = (blockIdx.x * STX_COLORMAP_ROWS + threadIdx.y) * STX_COLORMAP_SPREAD_ROWS;
  if (y >= a.picture.height)
    return;
  const int shift = a.input.bytes.data != NULL ? 0 : STX_COLORMAP_BIN_SHIFT;
  for (int x = threadIdx.x; x < a.picture.width; x += STX_COLORMAP_LANES) {
    const unsigned number = number_at(&a.input, x, y);
    if (stx_colormap_is_value(level_at(&a, number, x, y)))
      atomicAdd(&a.histogram->count[number >> shift], 1u);
  }
}

STX_DEVICE unsigned disparity_at(const StxColormapInput *input, int map, int x, int y)
{
  const unsigned number = stx_row16(map == 0 ? &input->map : &input->truth, y)[x];
  return input->disparities != NULL ? input->disparities->disparity[map][number] : number;
}

/* The counts of one lane: at most 2^15 pixels of a row, whose errors stay below 2^32. */
typedef struct {
  unsigned truth, known, bad, sum;
} Counts;

STX_DEVICE unsigned error_at(const StxColormapInput *input, Counts *counts, int x, int y)
{
  const unsigned disparity = disparity_at(input, 0, x, y), truth = disparity_at(input, 1, x, y);
  if (truth == 0)
    return 0;
  counts->truth++;
  if (disparity == 0)
    return STX_COLORMAP_MISSING;
  const unsigned error = stx_colormap_error(disparity, truth);
  const unsigned level = stx_colormap_error_level(error, truth);
  counts->known++;
  counts->sum += error;
  counts->bad += level >= STX_COLORMAP_OUTLIER;
  return level;
}

STX_DEVICE void put(const StxColormapPicture *picture, int x, int y, unsigned pixel)
{
  uint8_t *row = picture->data + y * picture->stride;
  if (picture->pixel == 4) {
    ((uint32_t *)row)[x] = pixel;
    return;
  }
  row[3 * x] = (uint8_t)pixel;
  row[3 * x + 1] = (uint8_t)(pixel >> 8);
  row[3 * x + 2] = (uint8_t)(pixel >> 16);
}

/* Adds a warp's counts; all its lanes call this. */
STX_DEVICE void add(StxColormapCount *count, const Counts *counts)
{
  const unsigned truth = warp_sum_of_words(counts->truth);
  const unsigned known = warp_sum_of_words(counts->known);
  const unsigned bad = warp_sum_of_words(counts->bad);
  const unsigned long long sum = warp_sum((unsigned long long)counts->sum);
  if (threadIdx.x != 0 || truth == 0)
    return;
  atomicAdd((unsigned long long *)&count->truth, (unsigned long long)truth);
  atomicAdd((unsigned long long *)&count->known, (unsigned long long)known);
  atomicAdd((unsigned long long *)&count->bad, (unsigned long long)bad);
  atomicAdd((unsigned long long *)&count->sum, sum);
}

STX_KERNEL(stx_colormap_paint, StxColormapArgs, STX_COLORMAP_LANES *STX_COLORMAP_ROWS)
{
  const int y = blockIdx.x * STX_COLORMAP_ROWS + threadIdx.y;
  if (y >= a.picture.height)
    return;
  const bool has_truth = a.input.truth.data != NULL;
  Counts counts = {0, 0, 0, 0};
  for (int x = threadIdx.x; x < a.picture.width; x += STX_COLORMAP_LANES) {
    const unsigned level = has_truth ? error_at(&a.input, &counts, x, y)
                                     : level_at(&a, number_at(&a.input, x, y), x, y);
    put(&a.picture, x, y, a.table->paint[stx_colormap_square(x, y, a.picture.square)][level]);
  }
  if (has_truth)
    add(a.count, &counts);
}
