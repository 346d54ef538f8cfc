/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: class costs of labels.
 *
 * Most cells have one label: 8 words compared with the first show that. In any other cell a label
 * that is still there is taken, compared with all 64 pixels, counted and taken out, until none is
 * left; only then it is asked which class that was. Most classes are in no pixel of a cell, so all
 * costs of a block are first set to that of such a class, where they belong in the columns, and
 * then those of the few others written one by one: there is nothing to transpose.
 *
 * The index is that of colmean_class_omp.c.
 */
#include "common/colmean/colmean_omp_private.h"

#include <string.h>

#define SIDE 8 /* rows, and pixels of a row, that are looked at together */
#define ONES 0x0101010101010101u
#define TOPS (0x80 * ONES)
#define UNLABELLED 32
#define FEW 4

/* Pixels as bytes of words; `left`: the top bits of those not counted yet. */
typedef struct {
  uint64_t word[SIDE], left[SIDE];
} Patch;

/* Pixels of each class in a cell. */
typedef struct {
  int32_t count[UNLABELLED + 1];
  uint32_t present; /* a bit per class */
} Shares;

/* Costs of a block: `out` is that of class 0 of its first cell. */
typedef struct {
  const uint8_t *map;
  const uint16_t *cost;
  uint16_t *out;
  size_t class_stride, column_stride; /* costs */
  int classes;
} Costs;

/* ---- Patches -------------------------------------------------------------------------------- */

/* `width` <= 8 pixels of each row; in cells 4 wide, two rows to a word. Returns the words. */
INLINE int load_patch(const uint8_t *at, ptrdiff_t stride, int width, int rows, Patch *patch)
{
  int words = width == 4 ? (rows + 1) / 2 : rows;
  uint64_t used = 0;
  memset(&used, 0x80, width);
  for (int i = 0; i < words; i++) {
    patch->word[i] = 0;
    patch->left[i] = used;
    memcpy(&patch->word[i], at, width);
    at += stride;
    if (width != 4 || 2 * i + 1 == rows)
      continue;
    memcpy((char *)&patch->word[i] + 4, at, 4);
    patch->left[i] = TOPS;
    at += stride;
  }
  return words;
}

INLINE bool is_one(const Patch *patch, int words, uint8_t label)
{
  uint64_t other = 0;
  for (int i = 0; i < words; i++)
    other |= (patch->word[i] ^ label * ONES) & (patch->left[i] >> 7) * 0xFF;
  return other == 0;
}

/* Counts the remaining pixels that have the label; they are taken out. A byte has its top bit, or
 * gets it by adding 127 to the rest, unless it is 0. */
INLINE int take_label(Patch *patch, int words, uint8_t label)
{
  uint64_t sum = 0, low = ~TOPS;
  for (int i = 0; i < words; i++) {
    uint64_t other = patch->word[i] ^ label * ONES;
    uint64_t same = ~(((other & low) + low) | other) & patch->left[i];
    patch->left[i] ^= same;
    sum += same >> 7;
  }
  return (int)(sum * ONES >> 56);
}

static inline void add_pixels(const Costs *costs, uint8_t label, int count, Shares *shares)
{
  int class = costs->map[label] == 255 ? UNLABELLED : costs->map[label];
  shares->count[class] += count;
  shares->present |= class == UNLABELLED ? 0 : 1u << class;
}

/* A label that is left in word i. */
static inline uint8_t label_left(const Patch *patch, int i)
{
  return (uint8_t)(patch->word[i] >> (__builtin_ctzll(patch->left[i]) - 7));
}

/* Beyond FEW labels pixels are counted one by one. */
INLINE void count_patch(const Costs *costs, Patch *patch, int words, Shares *shares)
{
  int i = 0;
  for (int taken = 0; taken < FEW && i < words; taken++) {
    uint8_t label = label_left(patch, i);
    add_pixels(costs, label, take_label(patch, words, label), shares);
    while (i < words && patch->left[i] == 0)
      i++;
  }
  for (; i < words; i++)
    for (; patch->left[i] != 0; patch->left[i] &= patch->left[i] - 1)
      add_pixels(costs, label_left(patch, i), 1, shares);
}

/* ---- Cells ---------------------------------------------------------------------------------- */

/* A cell without labels costs nothing in any class. */
static void write_nothing(const Costs *costs, uint16_t *out)
{
  for (int k = 0; k < costs->classes; k++)
    out[k * costs->class_stride] = 0;
}

static inline void write_one(const Costs *costs, uint8_t label, uint16_t *out)
{
  int class = costs->map[label];
  if (class == 255)
    write_nothing(costs, out);
  else
    out[class * costs->class_stride] = costs->cost[4095];
}

static void write_shares(const Costs *costs, const Shares *shares, int pixels, uint16_t *out)
{
  double den = pixels - shares->count[UNLABELLED];
  if (den == 0) {
    write_nothing(costs, out);
    return;
  }
  double scale = 4095 / den, offset = 0.5 + 0.25 / den;
  for (uint32_t present = shares->present; present != 0; present &= present - 1) {
    int class = __builtin_ctz(present);
    out[class * costs->class_stride] =
        costs->cost[(int32_t)(shares->count[class] * scale + offset)];
  }
}

/* A cell that is one patch; `width` and `rows` are constants. */
INLINE void small_cell(
    const Costs *costs, const uint8_t *at, ptrdiff_t stride, int width, int rows, uint16_t *out)
{
  Patch patch;
  int words = load_patch(at, stride, width, rows, &patch);
  if (is_one(&patch, words, *at)) {
    write_one(costs, *at, out);
    return;
  }
  Shares shares = {0};
  count_patch(costs, &patch, words, &shares);
  write_shares(costs, &shares, width * rows, out);
}

static void any_cell(
    const Costs *costs, const uint8_t *at, ptrdiff_t stride, int width, int rows, uint16_t *out)
{
  Shares shares = {0};
  for (int y = 0; y < rows; y += SIDE)
    for (int x = 0; x < width; x += SIDE) {
      const uint8_t *corner = at + y * stride + x;
      int across = width - x < SIDE ? width - x : SIDE, down = rows - y < SIDE ? rows - y : SIDE;
      Patch patch;
      int words = load_patch(corner, stride, across, down, &patch);
      if (is_one(&patch, words, *corner))
        add_pixels(costs, *corner, across * down, &shares);
      else
        count_patch(costs, &patch, words, &shares);
    }
  write_shares(costs, &shares, width * rows, out);
}

static void cell_row(const Costs *costs, const uint8_t *at, ptrdiff_t stride, int width, int rows,
    int cells, uint16_t *out)
{
  for (int c = 0; c < cells; c++, at += width, out += costs->column_stride)
    if (width == 8 && rows == 8)
      small_cell(costs, at, stride, 8, 8, out);
    else if (width == 4 && rows == 4)
      small_cell(costs, at, stride, 4, 4, out);
    else if (width == 2 && rows <= SIDE)
      small_cell(costs, at, stride, 2, rows, out);
    else if (width <= SIDE && rows <= SIDE)
      small_cell(costs, at, stride, width, rows, out);
    else
      any_cell(costs, at, stride, width, rows, out);
}

/* ---- Blocks --------------------------------------------------------------------------------- */

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
