/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: filling of holes (colmean.h). One pass from left to right
 * over strips of rows, as wide as a cache line; a cell that is none closes the hole on its left.
 */
#include "common/colmean/colmean_private.h"
#include "common/parallel.h"

#define STRIP 32 /* rows */

typedef struct {
  const StxGrid *grid;
  void *columns;
  int longest;               /* cells of a hole that is still filled, in the middle */
  int known[STRIP];          /* column of the last known cell; -1: none yet */
  uint16_t disparity[STRIP]; /* its disparity; the largest: none yet */
} Strip;

/* Closes the hole that ends before column `end` in row `row` of the strip at `top`. */
static void close_hole(Strip *strip, int top, int row, int end, uint16_t disparity)
{
  int first = strip->known[row] + 1;
  bool has_right = end < stx_grid_columns(strip->grid);
  if (end - first > stx_longest_hole(strip->longest, strip->grid, first > 0, has_right, disparity))
    return;
  uint16_t left = strip->disparity[row], fill = left < disparity ? left : disparity;
  for (int column = first; column < end; column++) {
    stx_column(strip->grid, strip->columns, 0, column)[top + row] = fill;
    stx_column(strip->grid, strip->columns, 1, column)[top + row] = STX_FILL_WEIGHT;
  }
}

static void fill_strip(Strip *strip, int top, int rows)
{
  int columns = stx_grid_columns(strip->grid);
  for (int row = 0; row < rows; row++) {
    strip->known[row] = -1;
    strip->disparity[row] = UINT16_MAX;
  }
  for (int column = 0; column < columns; column++) {
    const uint16_t *d = stx_column(strip->grid, strip->columns, 0, column) + top;
    const uint16_t *w = stx_column(strip->grid, strip->columns, 1, column) + top;
    for (int row = 0; row < rows; row++) {
      if (d[row] == STX_DISPARITY_UNKNOWN && w[row] == 0)
        continue;
      if (strip->known[row] + 1 < column)
        close_hole(strip, top, row, column, d[row]);
      strip->known[row] = column;
      strip->disparity[row] = d[row];
    }
  }
  for (int row = 0; row < rows; row++)
    if (strip->known[row] >= 0)
      close_hole(strip, top, row, columns, UINT16_MAX);
}

static void fill_piece(void *data, int i, int worker)
{
  Strip strip = *(const Strip *)data;
  int top = i * STRIP, left = stx_grid_rows(strip.grid) - top;
  fill_strip(&strip, top, left < STRIP ? left : STRIP);
}

void stx_colmean_fill(const StxColmeanParams *params, void *columns, int threads)
{
  const StxGrid *grid = &params->grid;
  int rows = stx_grid_rows(grid);
  Strip strip = {grid, columns, .longest = params->fill_width / grid->cell_width};
  if (strip.longest == 0)
    return;
  stx_parallel(threads, (rows + STRIP - 1) / STRIP, fill_piece, &strip);
}
