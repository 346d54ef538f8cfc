/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in sgm_coarse.cu, filled by sgm_coarse_launch.c. Windows of a block of
 * pixels (common/sgm/coarse/sgm_coarse.h) are two bytes, s_0 before s_1, rows of blocks without
 * gaps. Volumes have 2 · STX_SGM_COARSE_WINDOW bytes for each pixel of a line, without gaps. */
#ifndef STX_SGM_COARSE_ARGS_H
#define STX_SGM_COARSE_ARGS_H

#include "cuda/sgm/sgm_args.h"

enum {
  STX_SGM_COARSE_PATHS = 2, /* of a block, each followed in both directions */
  STX_SGM_COARSE_WARPS = 4, /* of a block: windows, one warp for each */
  STX_SGM_COARSE_ROWS = 8,  /* of a block, 32 columns wide: a thread for each pixel */
};

/* From a level's pictures to those of the next coarser one, or to smoothed ones. */
typedef struct {
  const uint8_t *from[2]; /* left, right */
  int64_t stride[2];
  uint8_t *to[2];        /* rows without gaps; halves: of (width + 1) / 2 */
  int32_t width, height; /* of `from` */
} StxSgmPictureArgs;

typedef struct {
  const uint8_t *winner; /* of the coarser level's lines; NULL: this is the top level */
  uint8_t *starts;
  int32_t width, lines, disparities; /* of the coarser level */
  int32_t columns, rows;             /* of blocks */
} StxSgmWindowsArgs;

typedef struct {
  const uint32_t *left; /* census words, and below */
  StxSgmRightWords right;
  const uint16_t *starts;                /* both bytes of a block */
  int32_t width, lines, columns, p1, p2; /* columns: of blocks */
  int32_t first_tasks, store;            /* blocks of threads for axes[0]; StxSgmStore */
  StxSgmAxis axes[2];
} StxSgmCoarsePathsArgs;

typedef struct {
  StxSgmWinnerArgs pair; /* textured, records: of level 0, else NULL; columns: the width */
  const uint16_t *starts;
  uint8_t *winner;        /* of coarser levels; NULL on level 0 */
  int32_t lines, columns; /* columns: of blocks */
} StxSgmCoarseWinnerArgs;

/* From lines, rows without gaps, to all rows. */
typedef struct {
  const uint16_t *lines;
  const uint8_t *sure; /* their confidence; NULL, and `confidence`: not wanted */
  int32_t width, height;
  uint16_t *disparity;
  int64_t disparity_stride; /* bytes */
  uint8_t *confidence;
  int64_t confidence_stride;
} StxSgmRowsArgs;

#endif
