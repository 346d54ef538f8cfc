/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction on the GPU: disparity and weight of cells of any size, one per warp, whose
 * disparities lie in shared memory. */
#ifndef STX_COLMEAN_LARGE_CUH
#define STX_COLMEAN_LARGE_CUH

#include "cuda/colmean/colmean_depth.cuh"

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

#endif
