/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: class costs from a label image.
 *
 * A block owns a tile of cells, typically 16 × 16, and counts the labels of each in shared memory,
 * all classes in one pass over the image: a thread owns a cell, or some rows of a large one, and
 * adds a run of equal labels at a time. The counters of a class lie side by side, columns an odd
 * number of words apart, so that the neighbouring cells that a warp counts have different banks.
 * Then a thread owns a cell's classes, which have one divisor; neighbouring threads have
 * neighbouring rows of cells, so that costs are written down the columns as they come.
 */
#pragma once

#include "cuda/colmean/colmean_rows.cuh"

/* Words of the image that are read at once: hides the memory's latency. */
#define LABEL_WORDS 4

/* A run of equal labels that a thread has seen and not yet counted. */
struct Run {
  const uint8_t *map;
  uint32_t *counts; /* of the cell; of the class k at k · pitch */
  int pitch, none;  /* none: the class of pixels without a label */
  uint32_t label, length;
};

STX_DEVICE void count_run(Run &run)
{
  const uint32_t id = run.map[run.label];
  if (run.length > 0)
    atomicAdd(run.counts + (id == 255 ? run.none : id) * run.pitch, run.length);
  run.length = 0;
}

STX_DEVICE void add_to_run(Run &run, uint32_t label, uint32_t length)
{
  if (label != run.label)
    count_run(run);
  run.label = label;
  run.length += length;
}

STX_DEVICE void add_word(Run &run, uint32_t word)
{
  if (word == (word & 255) * 0x01010101u) {
    add_to_run(run, word & 255, 4);
  } else {
#pragma unroll
    for (int i = 0; i < 4; i++)
      add_to_run(run, word >> 8 * i & 255, 1);
  }
}

/* `rows` rows of `words` words. */
STX_DEVICE void count_words(Run &run, const uint8_t *labels, size_t stride, int words, int rows)
{
  int x = 0, left = words * rows;
  for (; left > 0; left -= LABEL_WORDS) {
    uint32_t word[LABEL_WORDS];
#pragma unroll
    for (int i = 0; i < LABEL_WORDS; i++) {
      word[i] = i < left ? ((const uint32_t *)labels)[x] : 0;
      if (++x == words) {
        x = 0;
        labels += stride;
      }
    }
#pragma unroll
    for (int i = 0; i < LABEL_WORDS; i++)
      if (i < left)
        add_word(run, word[i]);
  }
}

STX_DEVICE void count_pixels(Run &run, const uint8_t *labels, size_t stride, int width, int rows)
{
  for (int y = 0; y < rows; y++, labels += stride)
    for (int x = 0; x < width; x++)
      add_to_run(run, labels[x], 1);
}

/* Counts this thread's part of a cell. */
STX_DEVICE void count_part(const StxColmeanLabelsArgs &a, const Cell &cell, int part, Run &run)
{
  const int first = part * a.tile.part_rows;
  const int rows = min(a.tile.part_rows, cell.height - first);
  if (rows <= 0)
    return;
  const uint8_t *labels = stx_row8(&a.labels, cell.y + first) + cell.x;
  if (a.words && cell.width == a.target.grid.cell_width)
    count_words(run, labels, a.labels.stride, cell.width / 4, rows);
  else
    count_pixels(run, labels, a.labels.stride, cell.width, rows);
  count_run(run);
}

/* A thread owns a cell, and of its classes every `step`-th. */
STX_DEVICE void label_costs(
    const StxColmeanLabelsArgs &a, int first_column, int first_row, const uint32_t *counts)
{
  const int rows = 1 << a.tile.row_shift, pitch = a.tile.columns * (rows + 1);
  const int cells_shift = a.column_shift + a.tile.row_shift;
  const int r = threadIdx.x & (rows - 1);
  const int c = threadIdx.x >> a.tile.row_shift & (a.tile.columns - 1);
  const int step = STX_COLMEAN_THREADS >> cells_shift, classes = a.target.grid.classes;
  const Cell cell = cell_at(a.target, first_column + c, first_row + r);
  if (cell.width == 0)
    return;
  const uint32_t *count = counts + c * (rows + 1) + r;
  const uint32_t den = cell.width * cell.height - count[classes * pitch];
  const uint32_t share = stx_colmean_label_share(max(den, 1u));
  const size_t class_cells = (size_t)a.target.columns * a.target.rows;
  int k = threadIdx.x >> cells_shift;
  uint16_t *to = a.target.cells + cell_index(a.target, 2 + k, first_column + c, first_row + r);
#pragma unroll 4
  for (; k < classes; k += step, to += step * class_cells) {
    const uint32_t index = stx_colmean_label_index(count[k * pitch], den, share);
    *to = den == 0 ? 0 : __ldg(a.tables->class_cost + min(index, 4095u));
  }
}

/* `shared`: the counters of all classes and of "none", then the label map. */
STX_DEVICE void reduce_labels(const StxColmeanLabelsArgs &a, uint32_t *shared)
{
  if (row_slice(a.rows, shared))
    return;
  const int rows = 1 << a.tile.row_shift, pitch = a.tile.columns * (rows + 1);
  const int counters = (a.target.grid.classes + 1) * pitch, t = threadIdx.x;
  uint8_t *map = (uint8_t *)(shared + counters);
  for (int i = t; i < counters; i += STX_COLMEAN_THREADS)
    shared[i] = 0;
  for (int i = t; i < 256; i += STX_COLMEAN_THREADS)
    map[i] = a.label_map[i];
  __syncthreads();
  const int first_column = blockIdx.x * a.tile.columns, first_row = blockIdx.y << a.tile.row_shift;
  const int c = t & (a.tile.columns - 1), r = t >> a.column_shift & (rows - 1);
  const Cell cell = cell_at(a.target, first_column + c, first_row + r);
  Run run = {map, shared + c * (rows + 1) + r, pitch, a.target.grid.classes, 0, 0};
  count_part(a, cell, t >> (a.column_shift + a.tile.row_shift), run);
  __syncthreads();
  label_costs(a, first_column, first_row, shared);
}
