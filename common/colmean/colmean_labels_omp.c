/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: class costs of labels.
 *
 * Most cells have one label, and most classes are in no pixel of a cell. So all costs of a block
 * are first set to that of such a class, where they belong in the columns, and then those of the
 * few others written one by one: there is nothing to transpose.
 *
 * The index is that of colmean_class_omp.c.
 */
#include "common/colmean/colmean_omp_private.h"

#include <string.h>

#define UNLABELLED 32

/* Costs of a block: `out` is that of class 0 of its first cell. */
typedef struct {
  const uint8_t *map;
  const uint16_t *cost;
  uint16_t *out;
  size_t class_stride, column_stride; /* costs */
  int classes;
} Costs;

INLINE void reduce_cell(
    const Costs *costs, const uint8_t *at, ptrdiff_t stride, int width, int rows, uint16_t *out)
{
  bool one = memcmp(at, at + 1, (size_t)width - 1) == 0;
  for (int y = 1; one && y < rows; y++)
    one = memcmp(at + y * stride, at, (size_t)width) == 0;
  if (one && costs->map[*at] != 255) {
    out[costs->map[*at] * costs->class_stride] = costs->cost[4095];
    return;
  }
  int32_t count[UNLABELLED + 1] = {0};
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < width; x++) {
      uint8_t class = costs->map[at[y * stride + x]];
      count[class < UNLABELLED ? class : UNLABELLED]++;
    }
  double den = width * rows - count[UNLABELLED], scale = 4095 / den, offset = 0.5 + 0.25 / den;
  for (int k = 0; k < costs->classes; k++)
    if (den == 0) /* a cell without labels costs nothing in any class */
      out[k * costs->class_stride] = 0;
    else if (count[k] > 0)
      out[k * costs->class_stride] = costs->cost[(int32_t)(count[k] * scale + offset)];
}

static void cell_row(const Costs *costs, const uint8_t *at, ptrdiff_t stride, int width, int rows,
    int cells, uint16_t *out)
{
  for (int c = 0; c < cells; c++, at += width, out += costs->column_stride)
    if (width == 8)
      reduce_cell(costs, at, stride, 8, rows, out);
    else if (width == 4)
      reduce_cell(costs, at, stride, 4, rows, out);
    else
      reduce_cell(costs, at, stride, width, rows, out);
}

static void write_absent(const Costs *costs, const Block *block)
{
  uint16_t absent[BLOCK_ROWS];
  for (int i = 0; i < BLOCK_ROWS; i++)
    absent[i] = costs->cost[0];
  for (int k = 0; k < costs->classes; k++)
    for (int c = 0; c < block->columns; c++) {
      uint16_t *out = costs->out + k * costs->class_stride + c * costs->column_stride;
      if (block->rows == BLOCK_ROWS)
        memcpy(out, absent, sizeof absent);
      else
        memcpy(out, absent, block->rows * sizeof *absent);
    }
}

void STX_VARIANT(stx_colmean_labels)(const Job *job, const Block *block)
{
  const StxGrid *grid = &job->params->grid;
  const StxImage8 *labels = &job->input->labels;
  int last = block->columns - 1, width = grid->cell_width;
  Costs costs = {job->params->label_map, job->tables->class_cost,
      stx_column(grid, job->columns, 2, block->column) + block->row,
      (size_t)stx_grid_columns(grid) * stx_grid_rows(grid), stx_grid_rows(grid), grid->classes};
  write_absent(&costs, block);
  for (int r = 0; r < block->rows; r++) {
    Span span = cell_span(job, block, r);
    int rows = span.bottom - span.top, x = block->x0 + last * width;
    const uint8_t *row = stx_row8(labels, span.top);
    cell_row(&costs, row + block->x0, labels->stride, width, rows, last, costs.out + r);
    cell_row(&costs, row + x, labels->stride, block->x1 - x, rows, 1,
        costs.out + last * costs.column_stride + r);
  }
}
