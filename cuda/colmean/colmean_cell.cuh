/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction on the GPU: what its kernels share. */
#ifndef STX_COLMEAN_CELL_CUH
#define STX_COLMEAN_CELL_CUH

#include "cuda/driver/gpu.cuh"

#include "common/colmean/colmean_math.h"
#include "cuda/colmean/colmean_args.h"

/* Pixels of a cell: none beyond the grid. */
struct Cell {
  int x, y, width, height;
};

STX_DEVICE Cell cell_at(const StxColmeanTarget &target, int column, int row)
{
  const StxGrid &grid = target.grid;
  Cell cell = {column * grid.cell_width, row * grid.cell_height, 0, 0};
  if (column < target.columns && row < target.rows) {
    cell.width = min(grid.cell_width, grid.width - cell.x);
    cell.height = min(grid.cell_height, grid.height - cell.y);
  }
  return cell;
}

/* All channels' columns are at most 34 · 2^15. */
STX_DEVICE size_t cell_index(const StxColmeanTarget &target, int channel, int column, int row)
{
  const uint32_t line = (uint32_t)(channel * target.columns + column);
  return (uint64_t)line * (uint32_t)target.rows + (uint32_t)row;
}

/* Writes disparity | weight << 16, if there is such a cell. */
STX_DEVICE void write_cell(const StxColmeanTarget &target, int column, int row, uint32_t value)
{
  if (column >= target.columns || row >= target.rows)
    return;
  target.cells[cell_index(target, 0, column, row)] = (uint16_t)value;
  target.cells[cell_index(target, 1, column, row)] = (uint16_t)(value >> 16);
}

/* x / d with stx_colmean_reciprocal(d), for x · d < 2^32: the reciprocal is 2^32 / d rounded up,
 * by less than 1, so that the product is too large by less than x / 2^32 < 1 / d. */
STX_DEVICE uint32_t divide(uint32_t x, uint32_t reciprocal)
{
  return reciprocal == 0 ? x : __umulhi(x, reciprocal);
}

/*
 * num / den rounded half up, for num < 2^47, 0 < den < 2^31 and a quotient of at most 65535.
 * Without an integer division: num, den, 1 / den and the product are each rounded by at most 2^-24
 * of their value, and the sum with ½ by at most 2^-8, so that the estimate is off by less than
 * 4 · 2^16 · 2^-24 + 2^-8 < 1/32 before it is cut to an integer, and by at most one after. The
 * exact remainder corrects that.
 */
STX_DEVICE uint32_t round_half_up_wide(uint64_t num, uint32_t den)
{
  const uint32_t estimate = (uint32_t)((float)num * (1.0f / den) + 0.5f);
  const int64_t twice = 2 * (int64_t)den;
  const int64_t rest = (int64_t)(2 * num + den) - twice * estimate;
  return estimate + (rest >= twice) - (rest < 0);
}

/* The same for den <= 2^28: the remainder lies between −2^29 and 2^30, so that the low 32 bits of
 * all that it is made of suffice. */
template <typename Num> STX_DEVICE uint32_t round_half_up(Num num, uint32_t den)
{
  const uint32_t estimate = (uint32_t)((float)num * (1.0f / den) + 0.5f);
  const int32_t rest = (int32_t)(2 * (uint32_t)num + den - 2 * den * estimate);
  return estimate + (rest >= (int32_t)(2 * den)) - (rest < 0);
}

/* Σ over groups of `lanes` neighbouring threads, 1, 4, 16 or 32, in all of them. */
template <typename T> STX_DEVICE T lanes_sum(T value, int lanes)
{
  if (lanes > 1) {
    value += __shfl_xor_sync(STX_FULL_WARP, value, 1);
    value += __shfl_xor_sync(STX_FULL_WARP, value, 2);
  }
  if (lanes > 4) {
    value += __shfl_xor_sync(STX_FULL_WARP, value, 4);
    value += __shfl_xor_sync(STX_FULL_WARP, value, 8);
  }
  if (lanes > 16)
    value += __shfl_xor_sync(STX_FULL_WARP, value, 16);
  return value;
}

STX_DEVICE uint32_t lanes_or(uint32_t value, int lanes)
{
  if (lanes > 1) {
    value |= __shfl_xor_sync(STX_FULL_WARP, value, 1);
    value |= __shfl_xor_sync(STX_FULL_WARP, value, 2);
  }
  if (lanes > 4) {
    value |= __shfl_xor_sync(STX_FULL_WARP, value, 4);
    value |= __shfl_xor_sync(STX_FULL_WARP, value, 8);
  }
  if (lanes > 16)
    value |= __shfl_xor_sync(STX_FULL_WARP, value, 16);
  return value;
}

#endif
