/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in colmean.cu, filled by colmean_launch.c. */
#pragma once

#include "common/colmean/colmean_math.h"
#include "cuda/colmean/colmean_exact.h"

enum {
  STX_COLMEAN_THREADS = 256, /* of every block but the large cells' */
  STX_COLMEAN_WARP = 32,
};

/* x / d for x · d < 2^32, without a division. */
STX_INLINE uint32_t stx_colmean_reciprocal(uint32_t d)
{
  return d == 1 ? 0 : UINT32_MAX / d + 1;
}

/* The outputs. */
typedef struct {
  StxGrid grid;
  int32_t columns, rows; /* of the grid */
  uint16_t *cells;       /* columns.h */
} StxColmeanTarget;

/* ---- Steps --------------------------------------------------------------------------------- */

typedef struct {
  StxDisparityFormula formula;
  StxImage16 map;
  StxImageFloat floats; /* data NULL: `map` counts */
  int32_t width;
  uint32_t pitch;  /* words of a row of `steps` */
  uint32_t *steps; /* two pixels to a word */
} StxColmeanStepsArgs;

/* ---- Disparity and weight ------------------------------------------------------------------ */

typedef struct {
  StxColmeanTarget target;
  StxImage16 disparity;
  StxImage8 confidence;
  uint32_t *raw; /* by rows: disparity | weight << 16 once more, 0 for a hole's cell; NULL: there is
                    none, for rows hold theirs or holes are not filled */
  StxReduction reduction;
  uint32_t near;     /* stx_colmean_near() */
  int32_t near_bits; /* values that agree but for so many of their lowest bits need no median, for
                        all of them enter; -1: it is wanted */
  int32_t sky;       /* true: the confidence of an unknown pixel is that it is sky */
  int32_t vectors;   /* true: rows of whole cells may be read with the widest loads */
  uint32_t width_reciprocal; /* of the cell's width */
  int32_t slots;             /* large cells: pixels of a cell, rounded up to a multiple of 8 */
} StxColmeanDepthArgs;

/* A block owns a row of cells. */
typedef struct {
  StxColmeanDepthArgs depth;
  int32_t lanes; /* threads that own a cell: 1 or 4; 0: cells are reduced, `raw` has them, and only
                    holes are left to fill */
  int32_t longest; /* cells of a hole that is still filled; 0: none is */
  int32_t unseen;  /* of one at the left edge, at most; not less */
  uint32_t slices; /* of a grid along z that own rows; the others do the kernel's own work */
} StxColmeanRows;

/* ---- Class costs --------------------------------------------------------------------------- */

/* A block's cells: `columns` × `rows` of them. A cell's image rows are dealt out to `parts`
 * threads, `part_rows` each. rows and parts are powers of two. */
typedef struct {
  int32_t columns, row_shift, part_shift, part_rows;
} StxColmeanTile;

typedef struct {
  StxColmeanTarget target;
  StxColmeanRows rows;
  StxColmeanTile tile; /* columns: a power of two, 1 << column_shift */
  int32_t column_shift;
  StxImage8 labels;
  int32_t words; /* true: all rows of cells begin at multiples of 4 bytes and are as long */
  uint8_t label_map[256];
  const StxColmeanTables *tables;
} StxColmeanLabelsArgs;

/*
 * A block reads runs: what lies side by side in one row of scores, either one class of consecutive
 * scores (`classes` 1, `elements` 1), or all classes of them. A run is read in chunks of 16 bytes
 * of values. Score (x, y) is that of the pixels from (x << shift, y << shift) on.
 */
typedef struct {
  StxColmeanTarget target;
  StxColmeanRows rows;
  StxColmeanTile tile;
  const uint8_t *scores;
  size_t class_stride, row_stride;
  size_t step; /* bytes from one value of a run to the next */
  StxColmeanShare
      share[2][2]; /* stx_colmean_share() of cells: [in the last row][in the last column] */
  uint32_t chunks_reciprocal, classes_reciprocal;
  int32_t classes;    /* of a run; as many blocks share a tile as it takes to cover all */
  int32_t elements;   /* values of a run from score to score */
  int32_t row_values; /* values of a whole row of scores, counted from the first to the last */
  int32_t chunks;     /* of a run */
  int32_t pitch;      /* 32-bit words of shared memory from one row of sums to the next; odd */
  int32_t shift;
  int32_t aligned;   /* true: values of a run follow one another, chunks at multiples of 16 bytes */
  int32_t sums;      /* that make a cell, if they are all in one line; else 0 */
  uint32_t flip;     /* stx_score_flip() in each of a word's bytes */
  uint32_t reserved; /* no padding: all bytes are passed on */
  const StxColmeanTables *tables;
} StxColmeanScoresArgs;
