/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks whether a map of 16 bits can have the assumed encoding: disparities, or depths in
 * millimetres. Four criteria, independent of the scene:
 *
 *   bits     a map of 8 bits as one of 16: all numbers are multiples of 257, as videoconvert makes
 *            them (a map of one number says nothing), or, of disparities in 1/256 pixel, all are
 *            below 256, and not all below 16, as those of one picture given twice are
 *   jumps    neighbours in a row differ little on surfaces, by more than 257 at edges only.
 *            Pictures have texture; of the wrong byte order nearly all neighbours differ, and few
 *            once the bytes are swapped
 *   order    in the lower half of an image things come nearer from top to bottom: disparities
 *            grow, depths fall
 *   range    nothing has a disparity of half the image's width
 *
 * Counted in a grid of samples that is the same for any size, and judged over the frames that were
 * added up. Measured: on KITTI's ground truth, which is sparse, and the maps of stereo-sgm 0 to 4 %
 * of the neighbours are jumps, on those of swapped views 19 %, on pictures 60 % and more; of the
 * pairs that show an order less than a fifth show the wrong one. Pictures with little texture are
 * not detected.
 */
#pragma once

#include "common/colmean/colmean_disparity.h"

typedef struct {
  int pairs, jumps, swapped_jumps; /* neighbours that are both known */
  int over, above, below;          /* pairs one over the other, of which the upper or the lower one
                                      has the larger number by a 16th */
  int steps;                       /* pairs of both kinds that differ */
  int known, beyond;       /* samples that are not 0; as disparities beyond half the width */
  int spread, small, tiny; /* multiples of 257; below 256; below 16 */
} StxDoubtCounts;

typedef enum {
  STX_DOUBT_NONE,
  STX_DOUBT_SWAPPED,   /* its bytes are in the other order */
  STX_DOUBT_PICTURE,   /* colours */
  STX_DOUBT_DEPTH,     /* depths, read as disparities */
  STX_DOUBT_DISPARITY, /* disparities, read as depths */
  STX_DOUBT_RANGE,     /* disparities of another scale */
  STX_DOUBT_SPREAD,    /* 8 bits, each number twice */
  STX_DOUBT_SMALL      /* 8 bits */
} StxDoubt;

/* Adds a map of 16 bits in `encoding`, of any size, to the counts. */
void stx_doubt_count(const StxImage16 *map, StxDisparityEncoding encoding, StxDoubtCounts *counts);

StxDoubt stx_doubt_judge(const StxDoubtCounts *counts, StxDisparityEncoding encoding);

/* The probable cause, and the cure. */
const char *stx_doubt_text(StxDoubt doubt);
