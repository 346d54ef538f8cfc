/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: what its files share. They are compiled once per
 * instruction set.
 *
 * Work is cut into blocks of up to BLOCK_ROWS × BLOCK_COLUMNS cells, or NARROW_COLUMNS where a
 * block is all the work that there is for its cells, so that also a small image makes enough of
 * them for several threads. A block's cells of one
 * channel are first written as they come, image row by image row, into a tile that stays in the
 * cache, and then transposed into the columns, 16 bytes and more at a time.
 */
#pragma once

#include "common/colmean/colmean_private.h"
#include "common/cpu.h"
#include "common/simd/simd.h"

#define BLOCK_ROWS 32     /* cells; one cache line of a column */
#define BLOCK_COLUMNS 256 /* cells; a multiple of every vector's number of lanes */
#define NARROW_COLUMNS 64 /* likewise */

typedef uint16_t Tile[BLOCK_ROWS][BLOCK_COLUMNS];

/* Everything run() was given. */
typedef struct {
  const StxColmeanParams *params;
  const StxColmeanTables *tables;
  const StxColmeanInput *input;
  uint16_t *columns;
} Job;

/* Cells [column, column + columns) × [row, row + rows), and the image pixels they cover. */
typedef struct {
  int column, columns, row, rows;
  int x0, x1; /* pixels [x0, x1) */
} Block;

/* The image rows [top, bottom) of one row of cells. */
typedef struct {
  int top, bottom;
} Span;

static inline Span cell_span(const Job *job, const Block *block, int r)
{
  const StxGrid *grid = &job->params->grid;
  return (Span){stx_grid_top(grid, block->row + r), stx_grid_top(grid, block->row + r + 1)};
}

/* out[c · out_stride + r] = in[r · in_stride + c]; strides in elements. */
void STX_VARIANT(stx_colmean_transpose)(
    const uint16_t *in, size_t in_stride, int rows, int columns, uint16_t *out, size_t out_stride);

/* Writes a block's tile into channel `channel` of the columns. */
void STX_VARIANT(stx_colmean_store)(
    const Job *job, const Block *block, int channel, const Tile *tile);

/* Disparity and weight of a block. */
size_t STX_VARIANT(stx_colmean_depth_scratch)(const StxColmeanParams *params);
void STX_VARIANT(stx_colmean_depth)(const Job *job, const Block *block, void *scratch);

/* Class costs of a block. Planar scores are worked off one class at a time (`pass` is the class);
 * labels and interleaved scores all at once. */
size_t STX_VARIANT(stx_colmean_class_scratch)(const StxColmeanParams *params);
int STX_VARIANT(stx_colmean_class_passes)(const Job *job);
void STX_VARIANT(stx_colmean_class)(const Job *job, const Block *block, int pass, void *scratch);

/* The same of labels. */
void STX_VARIANT(stx_colmean_labels)(const Job *job, const Block *block);
