/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: whole rows of cells, with their holes filled.
 *
 * A block owns a row of cells, because holes can only be filled when the row is known. A thread
 * owns a cell of up to 16 pixels, four threads one of up to 64; neighbouring threads have
 * neighbouring cells, so that a warp reads stretches of the image's rows. The values wait in shared
 * memory. Larger and smaller cells were reduced by a launch before this one, and wait in memory
 * (`raw`); then only holes are written.
 *
 * A word of `known` has a bit for each of 32 columns. A thread that owns a hole's cell looks for
 * the nearest known ones on either side, at most as far as the longest hole reaches that is filled.
 *
 * A row's results go to as many columns, two bytes each: 2 · columns sectors of 32 bytes, which the
 * level-2 cache merges with what the other rows write there (for 512 × 256 cells 262 144 of them,
 * 2000 per multiprocessor). That is the price of one launch less, and of one copy of the
 * disparities less. These blocks are the first of the grid of the class costs: they take latency
 * rather than bandwidth, and the costs nothing but bandwidth.
 */
#pragma once

#include "cuda/colmean/colmean_depth.cuh"

/* ---- Holes --------------------------------------------------------------------------------- */

/* A row of cells. */
struct Row {
  const uint32_t *values; /* by column: disparity | weight << 16; 0: a hole's cell */
  const uint32_t *known;  /* bits of the cells that are none */
  int columns;
};

/* The nearest known column before `column`; −1 if there is none, or none within reach: the hole is
 * then longer than `reach`, as the row begins farther away. */
STX_DEVICE int known_before(const Row &row, int column, int reach)
{
  int word = column / 32;
  uint32_t bits = row.known[word] & ((1u << column % 32) - 1);
  while (bits == 0 && word > 0 && column - 32 * word < reach)
    bits = row.known[--word];
  return bits == 0 ? -1 : 32 * word + 31 - __clz(bits);
}

/* The nearest behind it, likewise; or the number of columns. */
STX_DEVICE int known_behind(const Row &row, int column, int reach)
{
  int word = column / 32;
  uint32_t bits = row.known[word] & ~((2u << column % 32) - 1);
  while (bits == 0 && 32 * (word + 1) < row.columns && 32 * (word + 1) - column <= reach)
    bits = row.known[++word];
  return bits == 0 ? row.columns : 32 * word + __ffs(bits) - 1;
}

/* The disparity that fills a hole's cell; 0: nothing. */
STX_DEVICE uint32_t filling(const StxColmeanRows &a, const Row &row, int column)
{
  const int left = known_before(row, column, a.unseen);
  const int right = known_behind(row, column, a.unseen);
  const bool has_left = left >= 0, has_right = right < row.columns;
  const uint32_t before = has_left ? row.values[left] & 65535 : 65535;
  const uint32_t after = has_right ? row.values[right] & 65535 : 65535;
  const StxGrid &grid = a.depth.target.grid;
  const int longest = stx_longest_hole(a.longest, &grid, has_left, has_right, after);
  const bool fills = (has_left || has_right) && right - left - 1 <= longest;
  return fills ? min(before, after) | STX_FILL_WEIGHT << 16 : 0;
}

STX_DEVICE void find_known(const uint32_t *values, int columns, uint32_t *known)
{
#pragma unroll 1
  for (int column = threadIdx.x; column < (columns + 31) / 32 * 32; column += STX_COLMEAN_THREADS) {
    const uint32_t bits = __ballot_sync(STX_FULL_WARP, column < columns && values[column] != 0);
    if (threadIdx.x % 32 == 0)
      known[column / 32] = bits;
  }
}

/* Fills holes and writes: what was held here all of it, otherwise only what filled holes. */
template <bool HELD>
STX_DEVICE void finish_row(
    const StxColmeanRows &a, const uint32_t *values, int row, uint32_t *known)
{
  const StxColmeanTarget &target = a.depth.target;
  const Row r = {values, known, target.columns};
  if (a.longest > 0) {
    find_known(values, target.columns, known);
    __syncthreads();
  }
#pragma unroll 1
  for (int column = threadIdx.x; column < target.columns; column += STX_COLMEAN_THREADS) {
    uint32_t value = values[column];
    const bool hole = value == 0;
    if (hole && a.longest > 0)
      value = filling(a, r, column);
    if (HELD || (hole && value != 0))
      write_cell(target, column, row, value);
  }
}

/* ---- Cells --------------------------------------------------------------------------------- */

STX_DEVICE void reduce_row(const StxColmeanRows &a, int row, uint32_t *values)
{
  const int lanes = a.lanes == 1 ? 1 : 4, lane = threadIdx.x & (lanes - 1);
  const int columns = a.depth.target.columns;
  int column = threadIdx.x / lanes;
#pragma unroll 1
  for (int left = columns; left > 0; left -= STX_COLMEAN_THREADS / lanes) {
    const Cell cell = cell_at(a.depth.target, column, row);
    Share<16> share;
    if (!a.depth.vectors || cell.width != a.depth.target.grid.cell_width)
      load_pixels<16>(a.depth, cell, lane * 16, share);
    else if (lanes == 1)
      load_rows<16, 4>(a.depth, cell, 0, share);
    else
      load_rows<16, 8>(a.depth, cell, lane * 2, share);
    const uint32_t value = reduce_share<16>(a.depth, share, cell, lanes);
    if (lane == 0 && column < columns)
      values[column] = value;
    column += STX_COLMEAN_THREADS / lanes;
  }
}

/* ---- Blocks -------------------------------------------------------------------------------- */

/* The `block`-th block of those that own rows of cells. `shared`: bits, then values. */
STX_DEVICE void row_block(const StxColmeanRows &a, uint32_t block, uint32_t *shared)
{
  const StxColmeanTarget &target = a.depth.target;
  if (block >= (uint32_t)target.rows)
    return;
  if (a.lanes == 0) {
    finish_row<false>(a, a.depth.raw + (size_t)block * target.columns, block, shared);
    return;
  }
  uint32_t *values = shared + (target.columns + 31) / 32;
  reduce_row(a, block, values);
  __syncthreads();
  finish_row<true>(a, values, block, shared);
}

/* True where the block belongs to the slices of a kernel's grid that own rows of cells, which then
 * are done. */
STX_DEVICE bool row_slice(const StxColmeanRows &a, uint32_t *shared)
{
  if (blockIdx.z >= a.slices)
    return false;
  row_block(a, (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x, shared);
  return true;
}
