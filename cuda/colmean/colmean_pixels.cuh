/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: the pixels of a cell.
 *
 * With a cell's width of RUN pixels a thread's rows are read with one load of up to 16 bytes each,
 * so that a warp reads whole rows of 128 to 256 bytes, four to eight loads under way at a time;
 * otherwise pixel by pixel, from the level-1 cache, except for the first.
 */
#ifndef STX_COLMEAN_PIXELS_CUH
#define STX_COLMEAN_PIXELS_CUH

#include "cuda/colmean/colmean_cell.cuh"

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

#endif
