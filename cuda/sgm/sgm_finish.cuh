/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The left-right check, the median, and the output.
 *
 * A thread owns a pixel of a tile of 32 × 8. The tile's values and those of a margin of one pixel,
 * after the left-right check, lie in shared memory; a warp reads a row of adjacent 16-bit values:
 * no bank conflicts.
 */
#ifndef STX_SGM_FINISH_CUH
#define STX_SGM_FINISH_CUH

#include "common/sgm/sgm_math.h"
#include "cuda/sgm/sgm_args.h"

enum {
  VALUES_ROWS = STX_SGM_FINISH_ROWS + 2,
  VALUES_COLUMNS = STX_SGM_LANES + 2,
};

/* The value of a pixel inside the image before the median. */
STX_DEVICE uint16_t checked_value(const StxSgmFinishArgs *a, int x, int y)
{
  const uint32_t *row = a->records + (size_t)y * a->width;
  const uint32_t record = row[x];
  if (record == 0 || a->lr_max_diff < 0)
    return (uint16_t)record;
  const int d = (int)(record >> 16 & 255);
  const int other = (int)(a->right_best[(size_t)y * a->width + x - d] & 255);
  return abs(d - other) <= a->lr_max_diff ? (uint16_t)record : STX_DISPARITY_UNKNOWN;
}

STX_DEVICE void load_values(
    const StxSgmFinishArgs *a, int left, int top, uint16_t (*values)[VALUES_COLUMNS])
{
  const int thread = threadIdx.y * STX_SGM_LANES + threadIdx.x;
  for (int i = thread; i < VALUES_ROWS * VALUES_COLUMNS; i += STX_SGM_LANES * STX_SGM_FINISH_ROWS) {
    const int column = i % VALUES_COLUMNS, row = i / VALUES_COLUMNS;
    const int x = min(max(left + column - 1, 0), a->width - 1);
    const int y = min(max(top + row - 1, 0), a->height - 1);
    values[row][column] = checked_value(a, x, y);
  }
}

STX_DEVICE void finish_tile(const StxSgmFinishArgs *a, uint16_t (*values)[VALUES_COLUMNS])
{
  const int left = blockIdx.x * STX_SGM_LANES, x = left + (int)threadIdx.x;
  const int top = blockIdx.y * STX_SGM_FINISH_ROWS, y = top + (int)threadIdx.y;
  load_values(a, left, top, values);
  __syncthreads();
  if (x >= a->width || y >= a->height)
    return;

  const uint16_t *p = &values[threadIdx.y][threadIdx.x], *q = p + VALUES_COLUMNS;
  const uint16_t *r = q + VALUES_COLUMNS, own = q[1];
  uint16_t value = own;
  if (a->median)
    value = stx_sgm_median9(p[0], p[1], p[2], q[0], own, q[2], r[0], r[1], r[2]);
  *((uint16_t *)((uint8_t *)a->disparity + y * a->disparity_stride) + x) = value;
  if (a->confidence == NULL)
    return;
  const bool known = own != STX_DISPARITY_UNKNOWN && value != STX_DISPARITY_UNKNOWN;
  const uint32_t record = a->records[(size_t)y * a->width + x];
  a->confidence[y * a->confidence_stride + x] = known ? (uint8_t)(record >> 24) : 0;
}

#endif
