/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: filling of holes.
 *
 * A warp owns a strip of 32 rows of cells × a segment of columns, a lane one row of it: lanes read
 * neighbouring cells of a column. It walks from left to right, 32 columns at a time, beginning as
 * many columns before its segment and ending as many after it as the longest hole has that is
 * filled (longer ones at the left edge of the image): a hole that reaches the segment and is cut
 * off by this window is too long. What it reads is a copy of the disparities that nobody writes, so
 * that segments do not see each other's fillings.
 */
#ifndef STX_COLMEAN_FILL_CUH
#define STX_COLMEAN_FILL_CUH

#include "cuda/colmean/colmean_cell.cuh"

/* The part of a row of cells that a lane walks through: columns [first, last), of which [begin,
 * end) are its own to fill. */
struct Walk {
  const uint32_t *raw; /* the row's cell of column 0 */
  int row, first, last, begin, end;
};

/* Fills the hole between the known columns `left` and `right`; the ends of the walk are none. */
STX_DEVICE void fill_hole(const StxColmeanTarget &target, const StxColmeanFill &fill,
    const Walk &walk, int left, int right)
{
  const int begin = max(left + 1, walk.begin), end = min(right, walk.end);
  const bool has_left = left >= walk.first, has_right = right < walk.last;
  const uint16_t before = has_left ? (uint16_t)walk.raw[(size_t)left * target.rows] : UINT16_MAX;
  const uint16_t after = has_right ? (uint16_t)walk.raw[(size_t)right * target.rows] : UINT16_MAX;
  const int longest = stx_longest_hole(
      fill.longest, target.grid.cell_width, has_left || walk.first > 0, has_right, after);
  if (right - left - 1 > longest || begin >= end)
    return;
  const uint16_t disparity = min(before, after);
  for (int column = begin; column < end; column++) {
    target.cells[cell_index(target, 0, column, walk.row)] = disparity;
    target.cells[cell_index(target, 1, column, walk.row)] = STX_FILL_WEIGHT;
  }
}

/* Which of the 32 columns from `column` on are no holes. */
STX_DEVICE uint32_t known_columns(const StxColmeanTarget &target, const Walk &walk, int column)
{
  const uint32_t *raw = walk.raw + (size_t)column * target.rows;
  uint32_t known = 0;
#pragma unroll
  for (int i = 0; i < 32; i++, raw += target.rows)
    if (column + i < walk.last && *raw != 0)
      known |= 1u << i;
  return known;
}

/* Visits the holes by their right ends: known columns that follow an unknown one. */
STX_DEVICE void fill_row(
    const StxColmeanTarget &target, const StxColmeanFill &fill, const Walk &walk)
{
  int left = walk.first - 1;
  for (int column = walk.first; column < walk.last; column += 32) {
    const uint32_t known = known_columns(target, walk, column);
    uint32_t ends = known & ~(known << 1 | (left == column - 1));
    for (; ends != 0; ends &= ends - 1) {
      const int i = __ffs(ends) - 1;
      const uint32_t before = known & ((1u << i) - 1);
      fill_hole(target, fill, walk, before ? column + 31 - __clz(before) : left, column + i);
    }
    if (known != 0)
      left = column + 31 - __clz(known);
  }
  if (walk.last == target.columns && left >= walk.first)
    fill_hole(target, fill, walk, left, walk.last);
}

/* The `block`-th block of those that fill. */
STX_DEVICE void fill_block(
    const StxColmeanTarget &target, const StxColmeanFill &fill, uint32_t block)
{
  const uint32_t warp = block * (blockDim.x / 32) + threadIdx.x / 32;
  Walk walk;
  walk.row = warp % fill.strips * STX_COLMEAN_FILL_STRIP + threadIdx.x % 32;
  if (warp >= fill.warps || walk.row >= target.rows)
    return;
  walk.raw = fill.raw + walk.row;
  walk.begin = warp / fill.strips * fill.segment;
  walk.end = min(walk.begin + fill.segment, target.columns);
  const int reach = walk.begin < fill.unseen ? fill.unseen : fill.longest;
  walk.first = max(walk.begin - reach, 0);
  walk.last = min(walk.end + reach, target.columns);
  fill_row(target, fill, walk);
}

/* True where the block belongs to the slices of a kernel's grid that fill holes, which it then
 * has done. */
STX_DEVICE bool fill_slice(const StxColmeanTarget &target, const StxColmeanFill &fill)
{
  if (blockIdx.z >= fill.slices)
    return false;
  fill_block(target, fill, (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
  return true;
}

#endif
