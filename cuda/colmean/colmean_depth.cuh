/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: disparity and weight of cells of up to 256 pixels. A group of 1, 4 or
 * 16 neighbouring threads of a warp owns a cell, each of them VALUES of its pixels, in registers.
 * The number of threads is an argument, so that one piece of code serves two of them where that
 * number is known only when it runs.
 */
#pragma once

#include "cuda/driver/gpu.cuh"

#include "common/colmean/colmean_math.h"
#include "cuda/colmean/colmean_args.h"

/* Cell reduction on the GPU: what its kernels share. */

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

/*
 * Cell reduction on the GPU: the pixels of a cell.
 *
 * With a cell's width of RUN pixels a thread's rows are read with one load of up to 16 bytes each,
 * so that a warp reads whole rows of 128 to 256 bytes, four to eight loads under way at a time;
 * otherwise pixel by pixel, from the level-1 cache, except for the first.
 */

STX_DEVICE uint32_t confidence_at(const StxColmeanDepthArgs &a, int x, int y)
{
  return a.confidence.data == nullptr ? 255 : __ldg(stx_row8(&a.confidence, y) + x);
}

/* BYTES consecutive bytes, a multiple of their number from address 0; only the low ones of a word
 * if there are fewer than 4. */
template <int BYTES> STX_DEVICE void load_bytes(const void *at, uint32_t *words)
{
  if constexpr (BYTES == 2) {
    words[0] = __ldg((const uint16_t *)at);
  } else if constexpr (BYTES == 4) {
    words[0] = __ldg((const uint32_t *)at);
  } else if constexpr (BYTES == 8) {
    const uint2 v = __ldg((const uint2 *)at);
    words[0] = v.x, words[1] = v.y;
  } else {
#pragma unroll
    for (int i = 0; i < BYTES / 16; i++) {
      const uint4 v = __ldg((const uint4 *)at + i);
      words[4 * i] = v.x, words[4 * i + 1] = v.y, words[4 * i + 2] = v.z, words[4 * i + 3] = v.w;
    }
  }
}

/* A thread's share of a cell. Both are packed, which takes half the registers of one value to a
 * register: how many of them the widest kernel has decides how many blocks share a multiprocessor.
 */
template <int VALUES> struct Share {
  uint32_t pair[VALUES / 2];       /* disparities, two to a word; 0: not valid */
  uint32_t confidence[VALUES / 4]; /* four to a word */
};

template <int VALUES> STX_DEVICE uint32_t share_d(const Share<VALUES> &share, int i)
{
  return i % 2 ? share.pair[i / 2] >> 16 : share.pair[i / 2] & 65535;
}

template <int VALUES> STX_DEVICE uint32_t share_confidence(const Share<VALUES> &share, int i)
{
  return share.confidence[i / 4] >> 8 * (i % 4) & 255;
}

/* Two disparities, 0 where not valid; the confidences are the low bytes. */
STX_DEVICE uint32_t valid_pair(uint32_t pair, uint32_t confidences)
{
  pair &= (confidences & 255) != 0 ? UINT32_MAX : 0xffff0000u;
  return pair & ((confidences & 0xff00) != 0 ? UINT32_MAX : 65535u);
}

/* Rows `first` … of a cell that is RUN pixels wide. All loads are on their way before one is used:
 * rows beyond the cell read its last one again, and count as unknown. */
template <int VALUES, int RUN>
STX_DEVICE void load_rows(
    const StxColmeanDepthArgs &a, const Cell &cell, int first, Share<VALUES> &share)
{
  constexpr int ROWS = VALUES / RUN, WORDS = RUN > 4 ? RUN / 4 : 1;
  uint32_t c[ROWS][WORDS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const int y = cell.y + min(first + r, cell.height - 1);
    load_bytes<2 * RUN>(stx_row16(&a.disparity, y) + cell.x, share.pair + r * RUN / 2);
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const int y = cell.y + min(first + r, cell.height - 1);
    for (uint32_t &word : c[r])
      word = UINT32_MAX;
    if (a.confidence.data != nullptr)
      load_bytes<RUN>(stx_row8(&a.confidence, y) + cell.x, c[r]);
  }
#pragma unroll
  for (int i = 0; i < VALUES / 4; i++) {
    constexpr int PER_ROW = RUN >= 4 ? RUN / 4 : 1;
    uint32_t word = first + i / PER_ROW < cell.height ? c[i / PER_ROW % ROWS][i % PER_ROW] : 0;
    if (RUN == 2)
      word = (first < cell.height ? c[0][0] & 65535 : 0) |
             (first + 1 < cell.height ? c[ROWS - 1][0] << 16 : 0);
    share.confidence[i] = word;
    share.pair[2 * i] = valid_pair(share.pair[2 * i], word);
    share.pair[2 * i + 1] = valid_pair(share.pair[2 * i + 1], word >> 16);
  }
}

/* Puts four pixels from (x, y) of a cell on behind the others of a share, counted row by row as if
 * the cell were whole. */
template <int VALUES>
STX_DEVICE void add_pixels(
    const StxColmeanDepthArgs &a, const Cell &cell, int &x, int &y, Share<VALUES> &share)
{
  uint32_t d[4] = {}, confidence[4] = {};
#pragma unroll
  for (int i = 0; i < VALUES / 2 - 2; i++)
    share.pair[i] = share.pair[i + 2];
#pragma unroll
  for (int i = 0; i < VALUES / 4 - 1; i++)
    share.confidence[i] = share.confidence[i + 1];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (x < cell.width && y < cell.height) {
      d[i] = __ldg(stx_row16(&a.disparity, cell.y + y) + cell.x + x);
      confidence[i] = confidence_at(a, cell.x + x, cell.y + y);
    }
    const bool last = ++x == a.target.grid.cell_width;
    x = last ? 0 : x;
    y += last;
  }
  const uint32_t low = confidence[0] | confidence[1] << 8,
                 high = confidence[2] | confidence[3] << 8;
  share.pair[VALUES / 2 - 2] = valid_pair(d[0] | d[1] << 16, low);
  share.pair[VALUES / 2 - 1] = valid_pair(d[2] | d[3] << 16, high);
  share.confidence[VALUES / 4 - 1] = low | high << 16;
}

/* Pixels `first` … of a cell of any size. A loop in little code, for this is for the picture's
 * edges and odd sizes: registers have no index, hence the moving on. */
template <int VALUES>
STX_DEVICE void load_pixels(
    const StxColmeanDepthArgs &a, const Cell &cell, int first, Share<VALUES> &share)
{
  int y = divide(first, a.width_reciprocal), x = first - y * a.target.grid.cell_width;
  share = {};
#pragma unroll 1
  for (int i = 0; i < VALUES; i += 4)
    add_pixels(a, cell, x, y, share);
}

/*
 * Cell reduction on the GPU: the lower median m of a cell's disparities, of which unknown ones, and
 * slots without a pixel, are 0.
 *
 *   one thread   taken from an odd-even merge sort (63 comparators for 16 values, of which the
 *                compiler drops what only concerns ranks that cannot be asked for)
 *   several      the largest m with #{d < m} <= rank, found bit by bit from above; bits that all
 *                pixels of a cell share need no counting, the upper half where a surface is smooth
 *
 * The weighted mean takes what is within 4 px of the median, at least. Where all valid values of a
 * cell agree but for their lowest ten bits (fewer, where steps are coarse), any of them, and their
 * common part, stands for it: all enter. Where that is so for all cells of a warp, on smooth
 * surfaces, nothing is sorted or searched.
 */

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
    v[i] = share_d(share, i);
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

/* Bits that a search has to look at, from the highest that differs among the valid values of any of
 * the warp's cells; and m, a cell's bits above them. A cell without a valid pixel gets anything. */
STX_DEVICE int open_bits(Prefix prefix, int lanes, uint32_t &m)
{
  const uint32_t any = lanes_or(prefix.any, lanes);
  const uint32_t all = ~lanes_or(~prefix.all, lanes);
  const int bits = 32 - __clz(lanes_or(any == 0 ? 0 : any ^ all, 32));
  m = any >> bits << bits;
  return bits;
}

/*
 * The largest m with below(m) <= rank, where below(m) is the number of a cell's values < m, summed
 * over the `lanes` threads that own it; its bits from `bits` on are known. All lanes of the warp
 * call this together.
 */
template <typename Below>
STX_DEVICE uint32_t search_median(uint32_t m, int bits, uint32_t rank, int lanes, Below below)
{
#pragma unroll 1
  for (int bit = bits - 1; bit >= 0; bit--) {
    const uint32_t candidate = m | 1u << bit;
    if (lanes_sum(below(candidate), lanes) <= rank)
      m = candidate;
  }
  return m;
}

/* Rank of the lower median when the invalid ones of `slots` values are 0. */
STX_DEVICE uint32_t median_rank(uint32_t slots, uint32_t valid)
{
  return slots - valid + (valid - 1) / 2;
}

/* The number of 15-bit values, two to a word, are >= m: the sign bits of d + (2^15 − m), which are
 * collected four to a word, and added up by a dot product. Five instructions for four values, where
 * comparisons take eight. */
template <int PAIRS> STX_DEVICE uint32_t count_from(const uint32_t pair[PAIRS], uint32_t m)
{
  const uint32_t add = (0x8000 - m) * 0x10001;
  uint32_t count = 0;
#pragma unroll
  for (int i = 0; i < PAIRS; i += 2) {
    const uint32_t signs = __byte_perm(pair[i] + add, pair[i + 1] + add, 0x7531) & 0x80808080;
    count = __dp4a(signs, 0x01010101u, count);
  }
  return count / 128;
}

/* Makes 15-bit values of which as many are below any m < 2^15 as were below `top` | m before. */
template <int PAIRS> STX_DEVICE void drop_top_bit(uint32_t pair[PAIRS], uint32_t top)
{
#pragma unroll
  for (int i = 0; i < PAIRS; i++) {
    const uint32_t with = (pair[i] >> 15 & 0x10001) * 0x7fff; /* all ones where the bit is set */
    pair[i] = top ? pair[i] & with : (pair[i] | with) & 0x7fff7fff;
  }
}

/* The bit-by-bit search, in 15 bits. The values' top bit is looked at first where it matters, which
 * is where a warp sees disparities on both sides of 128 pixels; otherwise the valid ones share it.
 */
template <int VALUES>
STX_DEVICE uint32_t search_share(
    const Share<VALUES> &share, uint32_t rank, int lanes, int near_bits)
{
  constexpr int PAIRS = VALUES / 2;
  uint32_t pair[PAIRS], m;
  Prefix prefix = {65535, 0};
#pragma unroll
  for (int i = 0; i < VALUES; i++)
    add_to_prefix(prefix, share_d(share, i));
  int bits = open_bits(prefix, lanes, m);
  if (bits <= near_bits)
    return m;
#pragma unroll
  for (int i = 0; i < PAIRS; i++)
    pair[i] = share.pair[i];
  if (bits > 15) {
    uint32_t from = 0;
#pragma unroll
    for (int i = 0; i < VALUES; i++)
      from += share_d(share, i) >> 15;
    m = lanes * VALUES - lanes_sum(from, lanes) <= rank ? 0x8000 : 0;
    bits = 15;
  }
  drop_top_bit<PAIRS>(pair, m & 0x8000);
  const uint32_t low = search_median(m & 0x7fff, bits, rank, lanes,
      [&pair](uint32_t candidate) { return VALUES - count_from<PAIRS>(pair, candidate); });
  return (m & 0x8000) | low;
}

/* True for the whole warp if each thread's values are all valid and near one another, or none is;
 * `common`: bits that they share. */
template <int VALUES>
STX_DEVICE bool all_near(
    const Share<VALUES> &share, uint32_t valid, int near_bits, uint32_t &common)
{
  uint32_t all = share.pair[0], any = share.pair[0];
#pragma unroll
  for (int i = 1; i < VALUES / 2; i++) {
    all &= share.pair[i];
    any |= share.pair[i];
  }
  common = all & all >> 16 & 65535;
  const uint32_t open = ((any | any >> 16) & 65535) ^ common;
  return __all_sync(STX_FULL_WARP, valid == 0 || (valid == VALUES && open >> near_bits == 0));
}

/* The median, or where `near_bits` is not negative a value that makes the same ones enter. */
template <int VALUES>
STX_DEVICE uint32_t share_median(
    const Share<VALUES> &share, uint32_t valid, int lanes, int near_bits)
{
  const uint32_t rank = median_rank(lanes * VALUES, valid);
  uint32_t common;
  if (lanes > 1)
    return search_share<VALUES>(share, rank, lanes, near_bits);
  if (near_bits >= 0 && all_near<VALUES>(share, valid, near_bits, common))
    return common;
  return ranked<VALUES>(share, rank);
}

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

/* The final value of a cell of n pixels, `value` if it is known; for the whole warp. */
STX_DEVICE uint32_t decide(Sky sky, uint32_t value, uint32_t valid, uint32_t n, int lanes)
{
  const uint32_t count = lanes_sum(sky.count, lanes), weight = lanes_sum(sky.weight, lanes);
  if (count > valid)
    return round_half_up(weight, n) << 16;
  return 2 * valid < n ? 0 : value;
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

/* Cell reduction on the GPU: disparity and weight of cells of any size, one per warp, whose
 * disparities lie in shared memory. */

/* 1 if d < m, for both below 2^31: the sign of the difference. */
STX_DEVICE uint32_t is_below(uint32_t d, uint32_t m)
{
  return (d - m) >> 31;
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
      value = __ldg(stx_row16(&a.disparity, cell.y + y) + cell.x + x);
      value = confidence_at(a, cell.x + x, cell.y + y) > 0 ? value : 0;
    }
    valid += value > 0;
    add_to_prefix(prefix, value);
    d[i] = (uint16_t)value;
  }
  __syncwarp();
  valid = lanes_sum(valid, 32);
  uint32_t m = 0;
  if (a.reduction != STX_REDUCE_MEAN) {
    int bits = open_bits(prefix, 32, m);
    if (bits <= a.near_bits)
      bits = 0;
    const uint32_t rank = median_rank(a.slots, valid);
    m = search_median(m, bits, rank, 32, [&a, d, lane](uint32_t candidate) {
      uint32_t count = 0;
      for (int i = lane; i < a.slots / 8; i += 32)
        count += count_below(((const uint4 *)d)[i], candidate);
      return count;
    });
  }
  Sums sums = sums_around(a, m);
  Sky sky = {};
  uint32_t sum = 0;
  for (uint32_t i = lane; i < n; i += 32) {
    const int y = divide(i, reciprocal), x = i - y * cell.width;
    const uint32_t confidence = confidence_at(a, cell.x + x, cell.y + y);
    add_to_sums(sums, d[i], confidence);
    sum += d[i];
    if (a.sky)
      add_to_sky(sky, d[i], confidence);
  }
  const uint32_t value = reduce_sums(a.reduction, sums, sum, valid, m, max(n, 1u), 32);
  const uint32_t decided = decide(sky, value, valid, max(n, 1u), 32);
  if (lane == 0) {
    write_cell(a.target, column, row, decided);
    write_raw(a, column, row, decided);
  }
}
