/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: disparity and weight.
 *
 * A group of LANES neighbouring threads of a warp owns a cell, each of them VALUES of its pixels,
 * in registers. Unknown pixels, and slots without a pixel, are 0. The lower median m is
 *
 *   LANES == 1  taken from an odd-even merge sort (63 comparators for 16 values, of which the
 *               compiler drops what only concerns ranks that cannot be asked for)
 *   otherwise   the largest m with #{d < m} <= rank, found bit by bit from above; bits that all
 *               pixels of a cell share need no counting, the upper half where a surface is smooth
 *
 * With a cell's width of RUN pixels a thread's rows are read with one load of up to 16 bytes each,
 * so that a warp reads whole rows of 128 to 256 bytes; otherwise pixel by pixel, from the level-1
 * cache, except for the first.
 */
#ifndef STX_COLMEAN_DEPTH_CUH
#define STX_COLMEAN_DEPTH_CUH

#include "cuda/colmean/colmean_cell.cuh"

/* ---- Pixels -------------------------------------------------------------------------------- */

/* A valid pixel's disparity, else 0. */
STX_DEVICE uint32_t valid_disparity(const StxColmeanDepthArgs &a, uint32_t d, uint32_t confidence)
{
  d -= a.cityscapes && d > 0;
  return confidence > 0 ? d : 0;
}

STX_DEVICE uint32_t confidence_at(const StxColmeanDepthArgs &a, int x, int y)
{
  return a.confidence.data == nullptr ? 255 : stx_row8(&a.confidence, y)[x];
}

/* BYTES consecutive bytes, a multiple of their number from address 0; only the low ones of a word
 * if there are fewer than 4. */
template <int BYTES> STX_DEVICE void load_bytes(const void *at, uint32_t *words)
{
  if constexpr (BYTES == 2) {
    words[0] = *(const uint16_t *)at;
  } else if constexpr (BYTES == 4) {
    words[0] = *(const uint32_t *)at;
  } else if constexpr (BYTES == 8) {
    const uint2 v = *(const uint2 *)at;
    words[0] = v.x, words[1] = v.y;
  } else {
#pragma unroll
    for (int i = 0; i < BYTES / 16; i++) {
      const uint4 v = ((const uint4 *)at)[i];
      words[4 * i] = v.x, words[4 * i + 1] = v.y, words[4 * i + 2] = v.z, words[4 * i + 3] = v.w;
    }
  }
}

/* A thread's share of a cell. */
template <int VALUES> struct Share {
  uint32_t d[VALUES];
  uint32_t confidence[VALUES / 4]; /* four to a word */
};

template <int VALUES> STX_DEVICE uint32_t share_confidence(const Share<VALUES> &share, int i)
{
  return share.confidence[i / 4] >> 8 * (i % 4) & 255;
}

/* Rows `first` … of a cell that is RUN pixels wide. */
template <int VALUES, int RUN>
STX_DEVICE void load_rows(
    const StxColmeanDepthArgs &a, const Cell &cell, int first, Share<VALUES> &share)
{
  constexpr int ROWS = VALUES / RUN;
  uint32_t d[VALUES / 2] = {}, c[ROWS][RUN > 4 ? RUN / 4 : 1] = {};
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const int y = cell.y + first + r;
    if (first + r >= cell.height)
      continue;
    load_bytes<2 * RUN>(stx_row16(&a.disparity, y) + cell.x, d + r * RUN / 2);
    if (a.confidence.data != nullptr)
      load_bytes<RUN>(stx_row8(&a.confidence, y) + cell.x, c[r]);
    else
      for (uint32_t &word : c[r])
        word = UINT32_MAX;
  }
#pragma unroll
  for (int i = 0; i < VALUES; i++) {
    const uint32_t confidence = c[i / RUN][i % RUN / 4] >> 8 * (i % RUN % 4) & 255;
    share.d[i] = valid_disparity(a, d[i / 2] >> 16 * (i % 2) & 65535, confidence);
    share.confidence[i / 4] = (i % 4 ? share.confidence[i / 4] : 0) | confidence << 8 * (i % 4);
  }
}

/* Pixels `first` … of a cell of any size, counted row by row as if it were whole. */
template <int VALUES>
STX_DEVICE void load_pixels(
    const StxColmeanDepthArgs &a, const Cell &cell, int first, Share<VALUES> &share)
{
#pragma unroll
  for (int i = 0; i < VALUES; i++) {
    const int y = divide(first + i, a.width_reciprocal);
    const int x = first + i - y * a.target.grid.cell_width;
    uint32_t d = 0, confidence = 0;
    if (x < cell.width && y < cell.height) {
      d = stx_row16(&a.disparity, cell.y + y)[cell.x + x];
      confidence = confidence_at(a, cell.x + x, cell.y + y);
    }
    share.d[i] = valid_disparity(a, d, confidence);
    share.confidence[i / 4] = (i % 4 ? share.confidence[i / 4] : 0) | confidence << 8 * (i % 4);
  }
}

/* ---- Median -------------------------------------------------------------------------------- */

STX_DEVICE void order(uint32_t &a, uint32_t &b)
{
  const uint32_t low = min(a, b);
  b = max(a, b);
  a = low;
}

/* Merges the two sorted halves of the COUNT values from FROM on; in recursion, every STEP-th. */
template <int FROM, int COUNT, int STEP> STX_DEVICE void merge(uint32_t *v)
{
  if constexpr (2 * STEP < COUNT) {
    merge<FROM, COUNT, 2 * STEP>(v);
    merge<FROM + STEP, COUNT, 2 * STEP>(v);
#pragma unroll
    for (int i = FROM + STEP; i + STEP < FROM + COUNT; i += 2 * STEP)
      order(v[i], v[i + STEP]);
  } else {
    order(v[FROM], v[FROM + STEP]);
  }
}

template <int FROM, int COUNT> STX_DEVICE void sort(uint32_t *v)
{
  if constexpr (COUNT > 1) {
    sort<FROM, COUNT / 2>(v);
    sort<FROM + COUNT / 2, COUNT / 2>(v);
    merge<FROM, COUNT, 1>(v);
  }
}

/* The value of rank `rank` >= COUNT / 2 − 1. */
template <int COUNT> STX_DEVICE uint32_t ranked(const Share<COUNT> &share, uint32_t rank)
{
  uint32_t v[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    v[i] = share.d[i];
  sort<0, COUNT>(v);
  uint32_t value = v[COUNT / 2 - 1];
#pragma unroll
  for (int i = COUNT / 2; i < COUNT; i++)
    value = rank == (uint32_t)i ? v[i] : value;
  return value;
}

/* Which bits the median search has to look at, and the ones above them. */
struct Prefix {
  uint32_t all, any; /* of the valid disparities: bits in all, in any of them */
};

STX_DEVICE void add_to_prefix(Prefix &prefix, uint32_t d)
{
  prefix.all &= d > 0 ? d : 65535;
  prefix.any |= d;
}

/*
 * The largest m with below(m) <= rank, where below(m) is the number of a cell's values < m, summed
 * over the LANES threads that own it. All lanes of the warp call this together. A lane whose cell
 * has no valid pixel gets anything.
 */
template <int LANES, typename Below>
STX_DEVICE uint32_t search_median(Prefix prefix, uint32_t rank, Below below)
{
  const uint32_t any = lanes_or<1, LANES>(prefix.any);
  const uint32_t all = ~lanes_or<1, LANES>(~prefix.all);
  const uint32_t open = lanes_or<LANES, 32>(any == 0 ? 0 : any ^ all);
  const int bits = 32 - __clz(open);
  uint32_t m = any >> bits << bits;
  for (int bit = bits - 1; bit >= 0; bit--) {
    const uint32_t candidate = m | 1u << bit;
    if (lanes_sum<LANES>(below(candidate)) <= rank)
      m = candidate;
  }
  return m;
}

/* 1 if d < m, for both below 2^31: the sign of the difference. */
STX_DEVICE uint32_t is_below(uint32_t d, uint32_t m)
{
  return (d - m) >> 31;
}

/* Rank of the lower median when the invalid ones of `slots` values are 0. */
STX_DEVICE uint32_t median_rank(uint32_t slots, uint32_t valid)
{
  return slots - valid + (valid - 1) / 2;
}

template <int LANES, int VALUES>
STX_DEVICE uint32_t share_median(const Share<VALUES> &share, uint32_t valid)
{
  const uint32_t rank = median_rank(LANES * VALUES, valid);
  if constexpr (LANES == 1) {
    return ranked<VALUES>(share, rank);
  } else {
    Prefix prefix = {65535, 0};
#pragma unroll
    for (int i = 0; i < VALUES; i++)
      add_to_prefix(prefix, share.d[i]);
    return search_median<LANES>(prefix, rank, [&share](uint32_t m) {
      uint32_t count = 0;
#pragma unroll
      for (int i = 0; i < VALUES; i++)
        count += is_below(share.d[i], m);
      return count;
    });
  }
}

/* ---- Means --------------------------------------------------------------------------------- */

/* Sums over the pixels that enter: low <= d <= low + span. */
struct Sums {
  uint32_t low, span;
  uint32_t entered, d, weight;
  uint64_t weight_d;
};

STX_DEVICE void add_to_sums(Sums &sums, uint32_t d, uint32_t confidence)
{
  const bool enters = d - sums.low <= sums.span;
  const uint32_t c2 = enters ? confidence * confidence : 0;
  sums.entered += enters;
  sums.d += enters ? d : 0;
  sums.weight += c2;
  sums.weight_d += (uint64_t)c2 * d;
}

STX_DEVICE Sums sums_around(StxReduction reduction, uint32_t m)
{
  const uint32_t tolerance = max(1024u, m / 20);
  Sums sums = {};
  sums.low = reduction == STX_REDUCE_MEAN || m <= tolerance ? 1 : m - tolerance;
  sums.span = reduction == STX_REDUCE_MEAN ? 65534 : m + tolerance - sums.low;
  return sums;
}

/* Disparity, and weight << 16, of a cell with n pixels; for the whole warp. */
template <int LANES>
STX_DEVICE uint32_t reduce_sums(StxReduction reduction, Sums sums, uint32_t m, uint32_t n)
{
  uint64_t num = sums.weight_d;
  uint32_t disparity = m, den = 0;
  const uint32_t weight_sum = lanes_sum<LANES>(sums.weight);
  if (reduction == STX_REDUCE_MEAN) {
    num = lanes_sum<LANES>(sums.d);
    den = lanes_sum<LANES>(sums.entered);
  } else if (reduction == STX_REDUCE_WEIGHTED) {
    num = lanes_sum<LANES>(num);
    den = weight_sum;
  }
  if (den > 0)
    disparity = round_half_up(num, den, 1.0f / den);
  return disparity | round_half_up(weight_sum, n, 1.0f / n) << 16;
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
template <int LANES> STX_DEVICE uint32_t decide(Sky sky, uint32_t value, uint32_t valid, uint32_t n)
{
  const uint32_t count = lanes_sum<LANES>(sky.count), weight = lanes_sum<LANES>(sky.weight);
  if (count > valid)
    return round_half_up(weight, n, 1.0f / n) << 16;
  return valid == 0 || 4 * valid < n ? 0 : value;
}

/* ---- Kernels ------------------------------------------------------------------------------- */

STX_DEVICE void write_cell(const StxColmeanDepthArgs &a, int column, int row, uint32_t value)
{
  if (column >= a.target.columns || row >= a.target.rows)
    return;
  const size_t at = cell_index(a.target, 0, column, row);
  a.target.cells[at] = (uint16_t)value;
  a.target.cells[cell_index(a.target, 1, column, row)] = (uint16_t)(value >> 16);
  if (a.raw != nullptr)
    a.raw[at] = value;
}

/* A block's cells: a square of SIDE × SIDE, whose results take WORDS of shared memory. */
template <int LANES> struct DepthTile {
  static constexpr int SIDE = LANES == 1 ? 16 : LANES == 4 ? 8 : 4;
  static constexpr int WORDS = SIDE * (SIDE + 1);
  static_assert(SIDE * SIDE * LANES == STX_COLMEAN_THREADS, "a thread for every lane of a cell");
};

/* Cells of at most LANES · VALUES pixels. `tile` turns what threads own from along the image's
 * rows to down the columns; its lines are odd, so that hardly a bank is asked for two words. */
template <int LANES, int VALUES, int RUN>
STX_DEVICE void reduce_cells(const StxColmeanDepthArgs &a, uint32_t *tile)
{
  constexpr int SIDE = DepthTile<LANES>::SIDE;
  const int t = threadIdx.x, lane = t % LANES, column = t / LANES % SIDE, row = t / LANES / SIDE;
  const Cell cell = cell_at(a.target, blockIdx.x * SIDE + column, blockIdx.y * SIDE + row);
  const uint32_t n = cell.width * cell.height;
  Share<VALUES> share;
  if (a.vectors && cell.width == RUN)
    load_rows<VALUES, RUN>(a, cell, lane * (VALUES / RUN), share);
  else
    load_pixels<VALUES>(a, cell, lane * VALUES, share);
  uint32_t valid = 0;
#pragma unroll
  for (int i = 0; i < VALUES; i++)
    valid += share.d[i] > 0;
  valid = lanes_sum<LANES>(valid);
  const uint32_t m = a.reduction == STX_REDUCE_MEAN ? 0 : share_median<LANES, VALUES>(share, valid);
  Sums sums = sums_around(a.reduction, m);
#pragma unroll
  for (int i = 0; i < VALUES; i++)
    add_to_sums(sums, share.d[i], share_confidence(share, i));
  Sky sky = {};
  if (a.sky) {
#pragma unroll
    for (int i = 0; i < VALUES; i++)
      add_to_sky(sky, share.d[i], share_confidence(share, i));
  }
  const uint32_t value = reduce_sums<LANES>(a.reduction, sums, m, max(n, 1u));
  const uint32_t decided = decide<LANES>(sky, value, valid, max(n, 1u));
  if (lane == 0)
    tile[column * (SIDE + 1) + row] = decided;
  __syncthreads();
  if (t < SIDE * SIDE)
    write_cell(a, blockIdx.x * SIDE + t / SIDE, blockIdx.y * SIDE + t % SIDE,
        tile[t / SIDE * (SIDE + 1) + t % SIDE]);
}

/* The number of values < m among 8 of 16 bits. */
STX_DEVICE uint32_t count_below(const uint4 &v, uint32_t m)
{
  const uint32_t words[4] = {v.x, v.y, v.z, v.w};
  uint32_t count = 0;
#pragma unroll
  for (uint32_t word : words)
    count += is_below(word & 65535, m) + is_below(word >> 16, m);
  return count;
}

/* A warp's cell of any size, whose disparities it keeps in shared memory, `slots` of them. */
STX_DEVICE void reduce_large_cell(const StxColmeanDepthArgs &a, int column, int row, uint16_t *d)
{
  const Cell cell = cell_at(a.target, column, row);
  const uint32_t lane = threadIdx.x % 32, n = cell.width * cell.height;
  const uint32_t reciprocal = stx_colmean_reciprocal(max(cell.width, 1));
  uint32_t valid = 0;
  Prefix prefix = {65535, 0};
  for (uint32_t i = lane; i < (uint32_t)a.slots; i += 32) {
    uint32_t value = 0;
    if (i < n) {
      const int y = divide(i, reciprocal), x = i - y * cell.width;
      value = valid_disparity(a, stx_row16(&a.disparity, cell.y + y)[cell.x + x],
          confidence_at(a, cell.x + x, cell.y + y));
    }
    valid += value > 0;
    add_to_prefix(prefix, value);
    d[i] = (uint16_t)value;
  }
  __syncwarp();
  valid = lanes_sum<32>(valid);
  uint32_t m = 0;
  if (a.reduction != STX_REDUCE_MEAN)
    m = search_median<32>(prefix, median_rank(a.slots, valid), [&a, d, lane](uint32_t candidate) {
      uint32_t count = 0;
      for (int i = lane; i < a.slots / 8; i += 32)
        count += count_below(((const uint4 *)d)[i], candidate);
      return count;
    });
  Sums sums = sums_around(a.reduction, m);
  Sky sky = {};
  for (uint32_t i = lane; i < n; i += 32) {
    const int y = divide(i, reciprocal), x = i - y * cell.width;
    const uint32_t confidence = confidence_at(a, cell.x + x, cell.y + y);
    add_to_sums(sums, d[i], confidence);
    if (a.sky)
      add_to_sky(sky, d[i], confidence);
  }
  const uint32_t value = reduce_sums<32>(a.reduction, sums, m, max(n, 1u));
  const uint32_t decided = decide<32>(sky, value, valid, max(n, 1u));
  if (lane == 0)
    write_cell(a, column, row, decided);
}

#endif
