/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: disparity and weight of cells of up to 256 pixels. A group of 1, 4 or
 * 16 neighbouring threads of a warp owns a cell, each of them VALUES of its pixels, in registers.
 * The number of threads is an argument, so that one piece of code serves two of them where that
 * number is known only when it runs.
 */
#ifndef STX_COLMEAN_DEPTH_CUH
#define STX_COLMEAN_DEPTH_CUH

#include "cuda/colmean/colmean_median.cuh"

/* ---- Means --------------------------------------------------------------------------------- */

/* Sums over the pixels that enter: low <= d <= low + span. All valid ones do for the mean. */
struct Sums {
  uint32_t low, span;
  uint32_t weight;
  uint64_t weight_d;
};

STX_DEVICE void add_to_sums(Sums &sums, uint32_t d, uint32_t confidence)
{
  const bool enters = d - sums.low <= sums.span;
  const uint32_t c2 = enters ? confidence * confidence : 0;
  sums.weight += c2;
  sums.weight_d += (uint64_t)c2 * d;
}

STX_DEVICE Sums sums_around(const StxColmeanDepthArgs &a, uint32_t m)
{
  const uint32_t tolerance = max(a.near, m / 20);
  Sums sums = {};
  sums.low = a.reduction == STX_REDUCE_MEAN || m <= tolerance ? 1 : m - tolerance;
  sums.span = a.reduction == STX_REDUCE_MEAN ? 65534 : m + tolerance - sums.low;
  return sums;
}

/* Disparity, and weight << 16, of a cell with n pixels, `valid` of them valid, `d` the sum of a
 * thread's share of these (for the mean); for the whole warp. */
STX_DEVICE uint32_t reduce_sums(StxReduction reduction, const Sums &sums, uint32_t d,
    uint32_t valid, uint32_t m, uint32_t n, int lanes)
{
  const uint32_t weight = lanes_sum(sums.weight, lanes);
  uint32_t disparity = m;
  if (reduction == STX_REDUCE_MEAN)
    disparity = round_half_up(lanes_sum(d, lanes), max(valid, 1u));
  if (reduction == STX_REDUCE_WEIGHTED) {
    const uint64_t num = lanes_sum(sums.weight_d, lanes);
    disparity = lanes <= 16 ? round_half_up(num, max(weight, 1u)) /* 256 pixels: 2^24 */
                            : round_half_up_wide(num, max(weight, 1u));
  }
  return disparity | round_half_up(weight, n) << 16;
}

/* The pixels of a cell that are sky. */
struct Sky {
  uint32_t count, weight; /* of a thread's share */
};

STX_DEVICE void add_to_sky(Sky &sky, uint32_t d, uint32_t confidence)
{
  const uint32_t c2 = d == STX_DISPARITY_UNKNOWN ? confidence * confidence : 0;
  sky.count += c2 > 0;
  sky.weight += c2;
}

/* What a cell of n pixels is at last, `value` if it is known; for the whole warp. */
STX_DEVICE uint32_t decide(Sky sky, uint32_t value, uint32_t valid, uint32_t n, int lanes)
{
  const uint32_t count = lanes_sum(sky.count, lanes), weight = lanes_sum(sky.weight, lanes);
  if (count > valid)
    return round_half_up(weight, n) << 16;
  return valid == 0 || 4 * valid < n ? 0 : value;
}

/* ---- Cells --------------------------------------------------------------------------------- */

/* Disparity | weight << 16 of a cell that `lanes` threads share; for the whole warp. */
template <int VALUES>
STX_DEVICE uint32_t reduce_share(
    const StxColmeanDepthArgs &a, Share<VALUES> &share, const Cell &cell, int lanes)
{
  const uint32_t n = max(cell.width * cell.height, 1);
  uint32_t valid = 0;
#pragma unroll
  for (int i = 0; i < VALUES; i++)
    valid += share_d(share, i) > 0;
  valid = lanes_sum(valid, lanes);
  uint32_t m = 0;
  if (a.reduction != STX_REDUCE_MEAN)
    m = share_median<VALUES>(share, valid, lanes, a.near_bits);
  Sums sums = sums_around(a, m);
#pragma unroll
  for (int i = 0; i < VALUES; i++)
    add_to_sums(sums, share_d(share, i), share_confidence(share, i));
  Sky sky = {};
  if (a.sky) {
#pragma unroll
    for (int i = 0; i < VALUES; i++)
      add_to_sky(sky, share_d(share, i), share_confidence(share, i));
  }
  uint32_t d = 0;
  if (a.reduction == STX_REDUCE_MEAN) {
#pragma unroll
    for (int i = 0; i < VALUES; i++)
      d += share_d(share, i);
  }
  const uint32_t value = reduce_sums(a.reduction, sums, d, valid, m, n, lanes);
  return decide(sky, value, valid, n, lanes);
}

/* ---- Tiles of cells ------------------------------------------------------------------------ */

/* A cell's value as the row's block reads it that fills the holes. */
STX_DEVICE void write_raw(const StxColmeanDepthArgs &a, int column, int row, uint32_t value)
{
  if (a.raw != nullptr && column < a.target.columns && row < a.target.rows)
    a.raw[(size_t)row * a.target.columns + column] = value;
}

/* A block's cells: a square of SIDE × SIDE, whose results take WORDS of shared memory. */
template <int LANES> struct DepthTile {
  static constexpr int SIDE = LANES == 1 ? 16 : 4;
  static constexpr int WORDS = SIDE * (SIDE + 1);
  static_assert(SIDE * SIDE * LANES == STX_COLMEAN_THREADS, "a thread for every lane of a cell");
};

/* Cells of at most LANES · VALUES pixels. `tile` turns what threads own from along the image's
 * rows to down the columns; its lines are odd, so that hardly a bank is asked for two words. */
template <int LANES, int VALUES, int RUN>
STX_DEVICE void reduce_cells(const StxColmeanDepthArgs &a, uint32_t *tile)
{
  constexpr int SIDE = DepthTile<LANES>::SIDE;
  const int t = threadIdx.x, lane = t % LANES, c = t / LANES % SIDE, r = t / LANES / SIDE;
  const int first_column = blockIdx.x * SIDE, first_row = blockIdx.y * SIDE;
  const Cell cell = cell_at(a.target, first_column + c, first_row + r);
  Share<VALUES> share;
  if (a.vectors && cell.width == RUN)
    load_rows<VALUES, RUN>(a, cell, lane * (VALUES / RUN), share);
  else
    load_pixels<VALUES>(a, cell, lane * VALUES, share);
  const uint32_t value = reduce_share<VALUES>(a, share, cell, LANES);
  if (lane == 0) {
    tile[c * (SIDE + 1) + r] = value;
    write_raw(a, first_column + c, first_row + r, value);
  }
  __syncthreads();
  if (t < SIDE * SIDE)
    write_cell(a.target, first_column + t / SIDE, first_row + t % SIDE,
        tile[t / SIDE * (SIDE + 1) + t % SIDE]);
}

#endif
