/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Columns: the image reduced to cells and transposed, the input of the segmentations.
 *
 * An image of width × height pixels is cut into cells of cell_width × cell_height pixels; the
 * last column and the last row of cells are smaller where the image is not a multiple. Cell row
 * 0 is the top of the image.
 *
 * Memory: 2 + classes channels of uint16_t, one after another without padding: disparity, weight,
 * then one channel per class. In each channel the columns follow one another and one column's
 * cells are contiguous: value = data[(channel · columns + column) · rows + row].
 *
 *   disparity   steps of 1/256 pixel of the full image, or of 1/128 … 1/16 (`coarse`); 0: unknown
 *   weight      mean squared confidence of the cell's pixels, 0…65025 (= 255²); where the disparity
 *               is unknown, how surely the cell is sky
 *   class cost  −ln p(class) in 1/1024 nat, 0…STX_CLASS_COST_MAX (p is bounded below by 1e-3)
 */
#ifndef STX_COLUMNS_H
#define STX_COLUMNS_H

#include "common/fields.h"

#define STX_WEIGHT_ONE 65025    /* weight of a cell whose pixels are all certain */
#define STX_CLASS_COST_ONE 1024 /* one nat */
#define STX_CLASS_COST_MAX 7074 /* round(1024 · −ln 1e-3) */
#define STX_MAX_ROWS 1024       /* cells in a column, at most */
#define STX_GRID_MAX_SIDE 32768 /* of the image, pixels */
#define STX_GRID_MAX_CELL 128   /* width and height of a cell, pixels */

/* Ranges and texts of these: stx_grid_fields. */
typedef struct {
  int width, height;           /* image, pixels */
  int cell_width, cell_height; /* pixels */
  int classes;
  int coarse; /* disparities come in steps of 2^coarse / 256 pixel: below 256 · 2^coarse pixels */
} StxGrid;

#define STX_GRID_MAX_COARSE 4

#define STX_GRID_DEFAULTS                                                                          \
  {                                                                                                \
    .cell_width = 8, .cell_height = 8                                                              \
  }

STX_INLINE int stx_grid_columns(const StxGrid *grid)
{
  return (grid->width + grid->cell_width - 1) / grid->cell_width;
}

STX_INLINE int stx_grid_rows(const StxGrid *grid)
{
  return (grid->height + grid->cell_height - 1) / grid->cell_height;
}

/* First image row of cell row `row`; of row == rows: the image height. */
STX_INLINE int stx_grid_top(const StxGrid *grid, int row)
{
  int top = row * grid->cell_height;
  return top < grid->height ? top : grid->height;
}

/* Steps of disparity in a pixel. */
STX_INLINE int stx_grid_steps(const StxGrid *grid)
{
  return STX_DISPARITY_ONE >> grid->coarse;
}

/* Pixels of 256 steps, the unit of algorithms on columns: their inputs in pixels of disparity are
 * divided by it, and their outputs multiplied. */
STX_INLINE double stx_grid_pixel(const StxGrid *grid)
{
  return 1 << grid->coarse;
}

/* Bytes of a whole buffer of columns. */
STX_INLINE size_t stx_grid_bytes(const StxGrid *grid)
{
  return (size_t)stx_grid_columns(grid) * stx_grid_rows(grid) * (2 + grid->classes) * 2;
}

/* The column `column` of channel `channel`: `rows` contiguous cells, the top one first. */
STX_INLINE uint16_t *stx_column(const StxGrid *grid, void *data, int channel, int column)
{
  size_t rows = stx_grid_rows(grid);
  return (uint16_t *)data + ((size_t)channel * stx_grid_columns(grid) + column) * rows;
}

/* Every field of StxGrid. */
STX_API const StxFields stx_grid_fields;

/* Sets `coarse` from the steps in a pixel; refuses what is not 256, 128, 64, 32 or 16. */
bool stx_grid_set_steps(StxGrid *grid, int steps, StxError *error);

/* Refuses what the table does not allow, and names the field. Rows are not limited here. */
STX_API bool stx_grid_check(const StxGrid *grid, StxError *error);

#endif
