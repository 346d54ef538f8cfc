/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in sgm_coarse.cu, filled by sgm_coarse_launch.c. Windows of a block of
 * pixels (common/sgm/coarse/sgm_coarse.h) are two bytes, s_0 before s_1, rows of blocks without
 * gaps. Volumes have 2 · STX_SGM_COARSE_WINDOW bytes for each pixel, rows without gaps. */
#ifndef STX_SGM_COARSE_ARGS_H
#define STX_SGM_COARSE_ARGS_H

#include "cuda/sgm/sgm_args.h"

enum {
  STX_SGM_COARSE_LINES = 2, /* of a block, each followed in both directions */
  STX_SGM_COARSE_WARPS = 4, /* of a block: windows, one warp for each */
  STX_SGM_COARSE_ROWS = 8,  /* of a block, 32 columns wide: halves and winners */
};

/* From a picture's level to the next coarser one. */
typedef struct {
  const uint8_t *from[2]; /* left, right */
  int64_t stride[2];
  uint8_t *to[2];        /* rows of (width + 1) / 2 without gaps */
  int32_t width, height; /* of `from` */
} StxSgmHalveArgs;

typedef struct {
  const uint8_t *winner; /* of the coarser level; NULL: this is the top level */
  uint8_t *starts;
  int32_t width, height, disparities; /* of the coarser level */
  int32_t columns, rows;              /* of blocks */
} StxSgmWindowsArgs;

typedef struct {
  const uint32_t *left; /* census words, and below */
  StxSgmRightWords right;
  const uint16_t *starts;                 /* both bytes of a block */
  int32_t width, height, columns, p1, p2; /* columns: of blocks */
  int32_t first_tasks, store;             /* blocks of threads for axes[0]; StxSgmStore */
  StxSgmAxis axes[2];
} StxSgmCoarsePathsArgs;

typedef struct {
  StxSgmWinnerArgs pair; /* records: of level 0, else NULL; columns: the width */
  const uint16_t *starts;
  uint8_t *winner;         /* of coarser levels; NULL on level 0 */
  int32_t height, columns; /* columns: of blocks */
} StxSgmCoarseWinnerArgs;

#endif
