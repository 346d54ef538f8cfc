/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in sgm.cu, filled by sgm_launch.c, and the sizes that both must know.
 * Pixel (x, y) has number y · width + x < 2^28. */
#ifndef STX_SGM_ARGS_H
#define STX_SGM_ARGS_H

#include "common/stx.h"

enum {
  STX_SGM_LANES = 32,
  STX_SGM_CENSUS_COLUMNS = 4 * STX_SGM_LANES, /* of a block: four pixels per thread */
  STX_SGM_CENSUS_ROWS = 8,                    /* of a block: one warp each */
  STX_SGM_SHIFTS = 4,                         /* copies of the right census words: see below */
  STX_SGM_PATHS_LAUNCHES = 2,                 /* at most */
  STX_SGM_BLOCK_PAIRS = 2,                    /* of lines, each followed in both directions */
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
 * y or x. Lines are followed by twos, so a volume has a multiple of 2 rows and of `columns` = 2 ·
 * SHIFTS columns; what lies outside the image may be anything.
 */
typedef struct {
  int32_t horizontal, dx;
  uint8_t *forward, *backward;
} StxSgmAxis;

/* What is to be done with L: put it into a volume, or add it to what is there. */
typedef enum {
  STX_SGM_PUT,
  STX_SGM_ADD,
  STX_SGM_MEET, /* a line's first half is put, the second added: forward = backward; dx = 0 */
} StxSgmStore;

typedef struct {
  const uint32_t *left;
  StxSgmRightWords right;
  int32_t width, height, columns, p1, p2; /* columns: of a volume */
  StxSgmAxis axes[2];
  int32_t tasks, first_tasks; /* of a block: pairs of lines; those of axes[0] come first */
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

typedef struct {
  const uint32_t *records, *right_best;
  int32_t width, height, lr_max_diff, median;
  uint16_t *disparity;
  int64_t disparity_stride; /* bytes */
  uint8_t *confidence;      /* NULL: not wanted */
  int64_t confidence_stride;
} StxSgmFinishArgs;

typedef struct {
  int32_t width, height, max_disparity;
  uint16_t *disparity;
  int64_t disparity_stride; /* bytes */
  uint8_t *confidence;      /* NULL: not wanted */
  int64_t confidence_stride;
} StxSgmBorderArgs;

typedef struct {
  int32_t width, height;
  int32_t scale, reserved; /* no padding behind a large number: all bytes are passed on */
  uint16_t *map;           /* disparities, then depths */
  int64_t map_stride;      /* bytes */
  uint8_t *confidence;     /* NULL: not wanted */
  int64_t confidence_stride;
} StxSgmDepthArgs;

#endif
