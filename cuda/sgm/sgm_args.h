/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in sgm.cu, filled by sgm_launch.c, and the sizes that both must know.
 * Pixel (x, y) has number y · width + x < 2^28. */
#pragma once

#include "common/sgm/sgm_sky_math.h"
#include "common/stx.h"

enum {
  STX_SGM_LANES = 32,
  STX_SGM_CENSUS_COLUMNS = 4 * STX_SGM_LANES, /* of a block: four pixels per thread */
  STX_SGM_CENSUS_ROWS = 8,                    /* of a block: one warp each */
  STX_SGM_SHIFTS = 4,                         /* copies of the right census words: see below */
  STX_SGM_COLUMNS = 4,                        /* whose bytes the winner loads together */
  STX_SGM_PATHS_LAUNCHES = 2,                 /* at most */
  STX_SGM_BLOCK_LINES = 2,                    /* each followed in both directions */
  STX_SGM_SEGMENT = 64, /* pixels of a row that one warp of the winner walks */
  STX_SGM_WINNER_WARPS = 4,
  STX_SGM_FINISH_ROWS = 8, /* of a block, 32 columns wide; depth, too */
  STX_SGM_BORDER_ROWS = 4, /* of a block, one warp each */
};

/*
 * The right census words, laid out for loads of 16 bytes: each row has `before` = D copies of its
 * first word, its words, and is there four times, shifted by 0 … 3 words to the left:
 *
 *   words[(4y + c) · pitch + q] = T_right(max(q + c − before, 0), y),   c = 0 … 3
 *
 * So the words that a lane needs at x, of disparities d … d + 3, are adjacent and begin, for d a
 * multiple of 4, at a multiple of 4 in the copy c = (x + 1) mod 4.
 */
typedef struct {
  uint32_t *words;
  uint32_t pitch; /* words, a multiple of 32, at least before + width */
  uint32_t before;
} StxSgmRightWords;

typedef struct {
  const uint8_t *image[2]; /* left, right */
  int64_t stride[2];
  int32_t width, height;
  uint32_t *left; /* census words, width · height */
  StxSgmRightWords right;
  uint8_t *textured; /* 255 where the window is not flat, else 0; NULL: not wanted */
  uint32_t textured_pitch;
  int32_t texture;
  uint32_t *right_best; /* set to "none": all bits; NULL: not wanted */
  uint32_t *taken;      /* set to 0: for STX_SGM_PATHS_LAUNCHES launches of the paths */
} StxSgmCensusArgs;

/*
 * Lines in the direction (dx, 1), or (1, 0) if horizontal, followed from both of their ends. Their
 * L go to volumes of a byte for each pixel and candidate: `forward` from the ends with the smaller
 * y or x. A volume has a multiple of four columns, which the winner reads together; what lies
 * outside the image may be anything.
 */
typedef struct {
  int32_t horizontal, dx;
  uint8_t *forward, *backward;
} StxSgmAxis;

/* The use of L: put it into a volume, or add it to what is there. */
typedef enum {
  STX_SGM_PUT,
  STX_SGM_ADD,
  STX_SGM_MEET, /* a line's first half is put, the second added: forward = backward; dx = 0 */
} StxSgmStore;

typedef struct {
  const uint32_t *left;
  StxSgmRightWords right;
  int32_t width, height, columns, p1[2], p2; /* columns: of a volume; p1: P1_r of each axis */
  StxSgmAxis axes[2];
  int32_t tasks, first_tasks; /* of a block: a few lines; those of axes[0] come first */
  uint32_t *taken;            /* tasks, 0 at first */
  int32_t store;              /* StxSgmStore */
} StxSgmPathsArgs;

typedef struct {
  const uint8_t *volumes[4]; /* four paths: 0 and 1, S is their mean; eight: see sgm_winner.cuh */
  const uint8_t *textured;
  uint32_t textured_pitch;
  int32_t width, columns, paths, uniqueness; /* columns: of a volume */
  uint32_t *right_best; /* least 256·S + d by right pixel; NULL: no left-right check */
  uint32_t *records;    /* by left pixel: value, d* << 16, confidence << 24; 0: unknown */
} StxSgmWinnerArgs;

/* The outputs; strides in bytes. */
typedef struct {
  uint16_t *disparity;
  int64_t disparity_stride;
  uint8_t *confidence; /* NULL: not wanted */
  int64_t confidence_stride;
} StxSgmMaps;

STX_INLINE uint16_t *stx_sgm_disparity_at(const StxSgmMaps *maps, int x, int y)
{
  return (uint16_t *)(void *)((uint8_t *)maps->disparity + y * maps->disparity_stride) + x;
}

STX_INLINE uint8_t *stx_sgm_confidence_at(const StxSgmMaps *maps, int x, int y)
{
  return maps->confidence + y * maps->confidence_stride + x;
}

typedef struct {
  const uint32_t *records, *right_best;
  int32_t width, height, lr_max_diff, median;
  StxSgmMaps maps;
} StxSgmFinishArgs;

typedef struct {
  int32_t width, height, max_disparity;
  StxSgmMaps maps;
} StxSgmBorderArgs;

typedef struct {
  int32_t width, height;
  int32_t scale, reserved; /* no padding behind a large number: all bytes are passed on */
  StxSgmMaps maps;         /* disparities, then depths */
} StxSgmDepthArgs;

/* Arguments of the kernels in sgm_sky.cu: all have the same, a pair whose disparities are known.
 * Tile (i, j) has number j · columns + i < 2^24. */

enum {
  STX_SGM_SKY_THREADS = 256, /* of a block, a tile each */
  STX_SGM_SKY_MARK_ROWS = 8, /* of tiles, of a block that marks; one warp each */
};

#define STX_SGM_SKY_NONE 0xffffu /* in place of a patch */

/* Bits of a tile's sample, above its vote + 31 and its cost, 6 and 5 bits. */
#define STX_SGM_SKY_SMOOTH 0x8000u
#define STX_SGM_SKY_SAMPLE 0x4000u

/* Over the frame's tiles; 0 at first. */
typedef struct {
  unsigned long long all, ground; /* of gray values: sum, and above it the number of tiles */
  StxSgmSpans spans;
} StxSgmSkyTotals;

typedef struct {
  /* Filled by sgm_launch.c. */
  int32_t width, height;
  const uint8_t *left;
  int64_t left_stride;
  const uint32_t *left_words; /* census words, width · height */
  StxSgmRightWords right_words;
  StxSgmMaps maps;

  /* Filled by sgm_sky_launch.c. */
  int32_t columns, rows; /* of tiles */
  StxSgmSkyTotals *total;
  uint32_t *done;       /* blocks that are done, less one */
  uint32_t *tiles;      /* by tile: low, high << 8, sum << 16 */
  uint16_t *samples;    /* by tile: the sample at its centre */
  uint8_t *candidates;  /* by tile: 1: yes, 0: no */
  uint32_t *parent;     /* by tile: see cuda/driver/patches.cuh; inner ones are used */
  uint16_t *patch;      /* by tile: its root, if that is in the first row of tiles */
  StxSgmPatch *patches; /* by root: columns, and so is the next */
  uint8_t *is_sky;      /* 1: yes, 0: no */
} StxSgmSkyArgs;

/* Arguments of the kernels in sgm_coarse.cu, filled by sgm_coarse_launch.c. Windows of a block of
 * pixels (common/sgm/coarse/sgm_coarse.h) are two bytes, s_0 before s_1, rows of blocks without
 * gaps. Volumes have 2 · STX_SGM_COARSE_WINDOW bytes for each pixel of a line, without gaps. */

enum {
  STX_SGM_COARSE_PATHS = 2, /* of a block, each followed in both directions */
  STX_SGM_COARSE_WARPS = 4, /* of a block: windows, one warp for each */
  STX_SGM_COARSE_ROWS = 8,  /* of a block, 32 columns wide: a thread for each pixel */
};

/* Makes of a level's pictures those of the next coarser one, or smoothed ones. */
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
  const uint16_t *starts;                   /* both bytes of a block */
  int32_t width, lines, columns, p1[2], p2; /* columns: of blocks; p1: P1_r of each axis */
  int32_t first_tasks, store;               /* blocks of threads for axes[0]; StxSgmStore */
  StxSgmAxis axes[2];
} StxSgmCoarsePathsArgs;

typedef struct {
  StxSgmWinnerArgs pair; /* textured, records: of level 0, else NULL; columns: the width */
  const uint16_t *starts;
  uint8_t *winner;        /* of coarser levels; NULL on level 0 */
  int32_t lines, columns; /* columns: of blocks */
} StxSgmCoarseWinnerArgs;

/* Takes the winners of a level's lines from the values of full search in its pictures. */
typedef struct {
  const uint16_t *values; /* of all rows, without gaps */
  uint8_t *winner;
  int32_t width, lines;
} StxSgmCoarseTopArgs;

/* Makes all rows of lines, which are rows without gaps. */
typedef struct {
  const uint16_t *lines;
  const uint8_t *sure; /* their confidence; NULL, and `confidence`: not wanted */
  int32_t width, height;
  StxSgmMaps maps;
} StxSgmRowsArgs;
