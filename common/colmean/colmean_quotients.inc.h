/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: from sums to disparities and weights. A piece of
 * colmean_depth_omp.c.
 *
 * In double numerators stay below 2^48 and denominators below 2^32, so two different quotients
 * differ by more than the rounding error, and the integer part is exact. Most small cells are
 * divided in single precision, which takes a third of the time, and what is left after multiplying
 * back says what the quotient is.
 */
#ifndef STX_COLMEAN_QUOTIENTS_INC_H
#define STX_COLMEAN_QUOTIENTS_INC_H

#include "common/colmean/colmean_smooth_private.h"

/* The rounded quotients of every lane. `n` is the number of pixels of each cell. */
static void finish(const Sums *sums, double unit, StxReduction reduction, bool certain,
    const int32_t n[LANES], uint16_t *disparity, uint16_t *weight)
{
  bool by_weight = !certain && reduction == STX_REDUCE_WEIGHTED;
  for (int lane = 0; lane < LANES; lane++) {
    int32_t entered = sums->entered[lane];
    int32_t total = certain ? STX_WEIGHT_ONE * entered : sums->weight[lane];
    int32_t share = by_weight ? total : entered;
    double den = share > 0 ? share : 1;
    double num = sums->moment_high[lane] * unit + sums->moment_low[lane];
    int32_t mean = sums->low[lane] + (int32_t)((2 * num + den) / (2 * den));
    int32_t w = (int32_t)((2.0 * total + n[lane]) / (2.0 * n[lane]));
    int32_t known = 4 * sums->valid[lane] >= n[lane] ? -1 : 0;
    int32_t d = reduction == STX_REDUCE_MEDIAN ? sums->median[lane] : mean;
    disparity[lane] = (uint16_t)(d & known);
    weight[lane] = (uint16_t)(w & known);
  }
}

/* Cells with more sky than anything else. */
static void finish_sky(
    const Sums *sums, const int32_t n[LANES], uint16_t *disparity, uint16_t *weight)
{
  for (int lane = 0; lane < LANES; lane++) {
    int32_t w = (int32_t)((2.0 * sums->sky_weight[lane] + n[lane]) / (2.0 * n[lane]));
    bool sky = sums->sky[lane] > sums->valid[lane];
    disparity[lane] = sky ? STX_DISPARITY_UNKNOWN : disparity[lane];
    weight[lane] = sky ? (uint16_t)w : weight[lane];
  }
}

/*
 * The quotients of cells of 2^shift pixels whose valid ones enter all, as stx_colmean_smooth() adds
 * them. num is below 2^32, so it is right although its parts may overflow. It is halved to have a
 * sign; what that loses and two roundings are less than 1 together, so the quotient is right, or
 * one too small or too large, and what is left of num says which. In other lanes anything may
 * result.
 */
static void finish_small(
    const Sums *sums, bool sky, int shift, uint16_t *disparity, uint16_t *weight)
{
  int32_t n = 1 << shift;
  for (int lane = 0; lane < LANES; lane++) {
    int32_t total = sums->weight[lane], den = total > 0 ? total : 1;
    uint32_t num = (uint32_t)sums->moment_low[lane] + ((uint32_t)sums->moment_high[lane] << 15);
    float half = (float)(int32_t)(num >> 1) / (float)den;
    int32_t mean = (int32_t)(2 * (half < SMOOTH_RANGE ? half : SMOOTH_RANGE) + 0.5f);
    int32_t left = (int32_t)(2 * num + (uint32_t)den - 2 * (uint32_t)den * (uint32_t)mean);
    mean += (left >= 2 * den) - (left < 0);
    int32_t known = 4 * sums->valid[lane] >= n ? -1 : 0;
    int32_t d = (sums->low[lane] + mean) & known, w = ((total + n / 2) >> shift) & known;
    if (sky) {
      bool is_sky = sums->sky[lane] > sums->valid[lane];
      d = is_sky ? STX_DISPARITY_UNKNOWN : d;
      w = is_sky ? (sums->sky_weight[lane] + n / 2) >> shift : w;
    }
    disparity[lane] = (uint16_t)d;
    weight[lane] = (uint16_t)w;
  }
}

static void cell_sizes(const StxGrid *grid, int x, int height, int32_t n[LANES])
{
  for (int lane = 0; lane < LANES; lane++) {
    int left = grid->width - (x + lane * grid->cell_width);
    int width = left < grid->cell_width ? left : grid->cell_width;
    n[lane] = (width > 0 ? width : 1) * height;
  }
}

#endif
