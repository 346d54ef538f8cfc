/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction, fast implementation: what colmean_depth_omp.c and colmean_smooth_omp.c, which
 * takes cells without far values, know of the disparities of a vector of cells. */
#pragma once

#include "common/colmean/colmean_omp_private.h"

#define LANES LANES_16
#define SMOOTH_PIXELS 64 /* of a cell, at most */
#define SMOOTH_UNIT 32768.0
#define SMOOTH_RANGE 1024 /* steps from the least disparity to the greatest, at most */

/* The pixels of LANES cells: count vectors each. */
typedef struct {
  VecU16 *disparity, *weight; /* weight is c²; NULL: every pixel is certain */
  int count;
} Pixels;

/* Sums by lane, all below 2^31; signed because these convert to double faster. */
typedef struct {
  int32_t weight[LANES];      /* Σw */
  int32_t moment_low[LANES];  /* Σw(d − low) = moment_low + unit · moment_high, */
  int32_t moment_high[LANES]; /* or Σ(d − low) = moment_low */
  int32_t entered[LANES];
  int32_t sky_weight[LANES]; /* Σw of the pixels of sky */
  uint16_t sky[LANES];       /* how many these are */
  uint16_t low[LANES], valid[LANES], median[LANES];
} Sums;

/* The pixels of LANES cells where they lie: `count` rows. */
typedef struct {
  const uint16_t *disparity;
  const uint8_t *confidence;
  ptrdiff_t disparity_stride, confidence_stride; /* bytes */
  int count;
} SmoothRows;

/* Cells that were put aside, because they have far values, each with its pixels side by side. */
typedef struct {
  uint16_t disparity[LANES][SMOOTH_PIXELS], weight[LANES][SMOOTH_PIXELS];
  int32_t n[LANES]; /* pixels */
  int at[LANES];    /* place in a tile */
  int count;
} Far;

/* Room for LANES cells at the image's edge, or of steps that are none yet. */
typedef struct {
  uint16_t disparity[LANES * SMOOTH_PIXELS];
  uint8_t confidence[LANES * SMOOTH_PIXELS];
  VecU16 far_disparity[SMOOTH_PIXELS], far_weight[SMOOTH_PIXELS];
  Far far;
} Room;

/*
 * Computes for cells `width` = 4 or 8 wide with at most SMOOTH_PIXELS pixels, as if all valid ones
 * entered: `sums` without a median, whose moments have the unit SMOOTH_UNIT, with the evidence for
 * sky where `sky`; and the range of the valid disparities from `low` on: up to SMOOTH_RANGE the
 * moments are right. `pixels` becomes disparities, 0 without confidence, and c², row by row of
 * LANES · width pixels.
 */
void STX_VARIANT(stx_colmean_smooth)(
    const SmoothRows *rows, int width, bool sky, const Pixels *pixels, Sums *sums, VecU16 *range);
