/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in sgm_sky.cu: all have the same, a pair whose disparities are known.
 * Tile (i, j) has number j · columns + i < 2^24. */
#ifndef STX_SGM_SKY_ARGS_H
#define STX_SGM_SKY_ARGS_H

#include "common/sgm/sgm_sky_math.h"
#include "cuda/sgm/sgm_args.h"

enum {
  STX_SGM_SKY_THREADS = 256, /* of a block, a tile each */
  STX_SGM_SKY_MARK_ROWS = 8, /* of tiles, of a block that marks; one warp each */
};

#define STX_SGM_SKY_NONE 0xffffu /* in place of a patch */
#define STX_SGM_SKY_NEAR 0xff    /* in place of the brightness of a patch that is not far */

typedef struct {
  /* Filled by sgm_launch.c. */
  int32_t width, height;
  const uint8_t *left;
  int64_t left_stride;
  const uint32_t *left_words; /* census words, width · height */
  StxSgmRightWords right_words;
  uint16_t *disparity;
  int64_t disparity_stride; /* bytes */
  uint8_t *confidence;      /* NULL: not wanted */
  int64_t confidence_stride;

  /* Filled by sgm_sky_launch.c. */
  int32_t columns, rows;     /* of tiles */
  unsigned long long *total; /* of the frame's gray values, 0 at first */
  uint32_t *done;            /* blocks that are done, less one */
  uint32_t *tiles;           /* by tile: low, high << 8, sum << 16 */
  uint32_t *parent;          /* by tile: see cuda/driver/patches.cuh; candidates are used */
  uint16_t *patch;           /* by tile: its root, if that is in the first row of tiles */
  StxSgmPatch *patches;      /* by root: columns, and so is the next */
  uint8_t *is_sky;           /* its brightness, and at last 1: yes, 0: no */
} StxSgmSkyArgs;

#endif
