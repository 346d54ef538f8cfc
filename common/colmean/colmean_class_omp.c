/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: class costs.
 *
 * Scores: the rows of a cell are added first, whole rows at a time and with contiguous loads
 * whether a row is one class (planar) or all of them (interleaved); only the sums, one in
 * cell_height, are then added across.
 *
 * The index (2·4095·num + den) / (2·den) is the integer part of num·scale + offset in double, with
 * scale = 4095/den and offset = ½ + 1/(4·den): the exact quotient is a multiple of 1/(2·den), half
 * a step is added, and a quarter of a step, at least 2^-32, exceeds the rounding error of 2^-39.
 */
#include "common/colmean/colmean_omp_private.h"

#include <string.h>

/*
 * ---- Sums of scores down the rows of a cell --------------------------------------------------
 *
 * Scores of an image smaller than the picture are added as often as rows of the picture have them,
 * all of a row at once, and then each sum is copied to the pixels that have it; from there on
 * nothing is different.
 */

/* Scores need no alignment. */
typedef float Float __attribute__((aligned(1), may_alias));
typedef uint16_t Half __attribute__((aligned(1), may_alias));

static int score_one(const Job *job)
{
  return stx_colmean_score_size(job->params->semantics) == 1 ? 255 : 65535;
}

/* ---- Rows of contiguous values -------------------------------------------------------------- */

/* `flip` is a constant, so that nothing is spent on one of 0. */
INLINE void add_bytes(const uint8_t *restrict row, ptrdiff_t stride, int rows, uint8_t flip,
    int count, uint32_t *restrict sum)
{
  for (; rows >= 4; rows -= 4, row += 4 * stride) {
    const uint8_t *b = row + stride, *c = b + stride, *d = c + stride;
    for (int i = 0; i < count; i++)
      sum[i] += (uint16_t)((row[i] ^ flip) + (b[i] ^ flip) + (c[i] ^ flip) + (d[i] ^ flip));
  }
  for (; rows > 0; rows--, row += stride)
    for (int i = 0; i < count; i++)
      sum[i] += row[i] ^ flip;
}

static void add_floats(
    const uint8_t *restrict row, ptrdiff_t stride, int rows, int count, uint32_t *restrict sum)
{
  for (; rows > 0; rows--, row += stride)
    for (int i = 0; i < count; i++)
      sum[i] += stx_score_from_float(((const Float *)row)[i]);
}

static void add_halves(
    const uint8_t *restrict row, ptrdiff_t stride, int rows, int count, uint32_t *restrict sum)
{
  for (; rows > 0; rows--, row += stride)
    for (int i = 0; i < count; i++)
      sum[i] += stx_score_from_float(stx_float_from_half(((const Half *)row)[i]));
}

/* ---- Rows of any values --------------------------------------------------------------------- */

static uint32_t score_at(StxSemantics semantics, const uint8_t *at)
{
  switch (semantics) {
  case STX_SEMANTICS_SCORES_U8:
  case STX_SEMANTICS_SCORES_I8:
    return *at ^ stx_score_flip(semantics);
  case STX_SEMANTICS_SCORES_F16:
    return stx_score_from_float(stx_float_from_half(*(const Half *)at));
  default:
    return stx_score_from_float(*(const Float *)at);
  }
}

/* sum[i] += Σ over `rows` rows of the value i · step bytes from the row's beginning. */
static void add_rows(StxSemantics semantics, const uint8_t *row, ptrdiff_t stride, int rows,
    ptrdiff_t step, int count, uint32_t *sum)
{
  if (step != (ptrdiff_t)stx_colmean_score_size(semantics)) {
    for (; rows > 0; rows--, row += stride)
      for (int i = 0; i < count; i++)
        sum[i] += score_at(semantics, row + i * step);
  } else if (semantics == STX_SEMANTICS_SCORES_U8) {
    add_bytes(row, stride, rows, 0, count, sum);
  } else if (semantics == STX_SEMANTICS_SCORES_I8) {
    add_bytes(row, stride, rows, 0x80, count, sum);
  } else if (semantics == STX_SEMANTICS_SCORES_F16) {
    add_halves(row, stride, rows, count, sum);
  } else {
    add_floats(row, stride, rows, count, sum);
  }
}

/* ---- Rows of a cell ------------------------------------------------------------------------- */

/* sum[i] = Σ over the image rows of `span` of the i-th of `count` values from (x, class) on. */
static void sum_rows(
    const Job *job, Span span, int x, int class, ptrdiff_t step, int count, uint32_t *sum)
{
  const StxColmeanInput *input = job->input;
  StxSemantics semantics = job->params->semantics;
  int shift = input->score_shift;
  const uint8_t *scores = (const uint8_t *)input->scores + class * input->class_stride +
                          (x >> shift) * input->pixel_stride;
  memset(sum, 0, count * sizeof *sum);
  if (shift == 0) {
    add_rows(semantics, scores + span.top * input->row_stride, input->row_stride,
        span.bottom - span.top, step, count, sum);
    return;
  }
  for (int y = span.top, next; y < span.bottom; y = next) {
    next = ((y >> shift) + 1) << shift;
    next = next < span.bottom ? next : span.bottom;
    add_rows(semantics, scores + (y >> shift) * input->row_stride, 0, next - y, step, count, sum);
  }
}

/* Copies the sums of scores, of which `sum` has as many as `pixels` pixels from x on have squares,
 * to each of these pixels; `elements` sums each. From the right, so that none is overwritten before
 * it is copied. */
static void spread(uint32_t *sum, int x, int pixels, int elements, int shift)
{
  for (int first = x >> shift, s = (x + pixels - 1) >> shift; s >= first; s--) {
    const uint32_t *score = sum + (s - first) * elements, one = *score;
    int from = (s << shift) > x ? (s << shift) - x : 0;
    int to = ((s + 1) << shift) - x < pixels ? ((s + 1) << shift) - x : pixels;
    for (int i = from; i < to; i++)
      if (elements == 1)
        sum[i] = one;
      else
        memmove(sum + i * elements, score, elements * sizeof *sum);
  }
}

/*
 * For each of `pixels` pixels from x on: the sums over the rows of `span` of `values` values, which
 * lie `step` bytes apart; `elements` >= values from pixel to pixel, of which the rest is 0 or
 * another sum of scores. `sum` has pixels · elements entries.
 */
static void sum_pixels(const Job *job, Span span, int x, int class, ptrdiff_t step, int pixels,
    int elements, int values, uint32_t *sum)
{
  int shift = job->input->score_shift;
  int count = (((x + pixels - 1) >> shift) - (x >> shift)) * elements + values;
  sum_rows(job, span, x, class, step, count, sum);
  memset(sum + count, 0, (elements - values) * sizeof *sum);
  if (shift > 0)
    spread(sum, x, pixels, elements, shift);
}

#define MAX_PIXEL_ELEMENTS 64 /* interleaved scores: values per pixel, padding included */
#define CHUNK_PIXELS 512      /* pixels per step, but at least one cell */
#define CHUNK_CELLS 64        /* cells per step at most */

typedef uint16_t CellColumn[BLOCK_ROWS][32]; /* costs by cell row and class */

/* ---- Costs -------------------------------------------------------------------------------- */

/* out[c] = cost of num[c] / den */
static inline void look_up(
    const StxColmeanTables *tables, const uint32_t *num, int count, double den, uint16_t *out)
{
  int32_t index[BLOCK_COLUMNS];
  double scale = 4095 / den, offset = 0.5 + 0.25 / den;
  for (int c = 0; c < count; c++)
    index[c] = (int32_t)((int32_t)num[c] * scale + offset);
#pragma GCC unroll 8
  for (int c = 0; c < count; c++)
    out[c] = tables->class_cost[index[c]];
}

/* Pixels in a cell of full width, and in the block's last one. */
typedef struct {
  int full, last;
} CellPixels;

static CellPixels cell_pixels(const Job *job, const Block *block, Span span)
{
  int width = job->params->grid.cell_width, height = span.bottom - span.top;
  int last = block->x1 - block->x0 - (block->columns - 1) * width;
  return (CellPixels){width * height, last * height};
}

/* ---- Planar scores: one class ------------------------------------------------------------- */

INLINE void add_across(const uint32_t *sum, int width, int cells, uint32_t *num)
{
  for (int c = 0; c < cells; c++) {
    uint32_t total = 0;
    for (int i = 0; i < width; i++)
      total += sum[c * width + i];
    num[c] = total;
  }
}

static void add_cells(const uint32_t *sum, int width, int cells, uint32_t *num)
{
  switch (width) {
  case 4:
    add_across(sum, 4, cells, num);
    break;
  case 8:
    add_across(sum, 8, cells, num);
    break;
  default:
    add_across(sum, width, cells, num);
  }
}

static void planar_class(const Job *job, const Block *block, int class, void *scratch)
{
  Tile *tile = scratch;
  uint32_t *sum = (uint32_t *)(tile + 1), num[BLOCK_COLUMNS];
  int width = job->params->grid.cell_width, pixels = block->x1 - block->x0;
  int one = score_one(job), last = block->columns - 1;
  memset(sum + pixels, 0, (block->columns * width - pixels) * sizeof *sum);
  for (int r = 0; r < block->rows; r++) {
    Span span = cell_span(job, block, r);
    CellPixels n = cell_pixels(job, block, span);
    sum_pixels(job, span, block->x0, class, job->input->pixel_stride, pixels, 1, 1, sum);
    add_cells(sum, width, block->columns, num);
    look_up(job->tables, num, last, (double)one * n.full, (*tile)[r]);
    look_up(job->tables, num + last, 1, (double)one * n.last, (*tile)[r] + last);
  }
  STX_VARIANT(stx_colmean_store)(job, block, 2 + class, tile);
}

/* ---- Interleaved scores: all classes ------------------------------------------------------ */

/* out[k] = Σ over `width` pixels, `elements` apart; `padded` (constant) >= classes. What lies
 * beyond the classes is added as well, and ignored. */
INLINE void add_pixels(const uint32_t *sum, int elements, int width, int padded, uint32_t *out)
{
  uint32_t total[32] = {0};
  for (int i = 0; i < width; i++)
    for (int k = 0; k < padded; k++)
      total[k] += sum[i * elements + k];
  memcpy(out, total, padded * sizeof *out);
}

/* Cells [first, first + cells) of row r of the block into `costs`. Lanes beyond the classes hold
 * sums of other pixels' scores, which are no larger than a class's can be. */
static void interleaved_cells(const Job *job, const Block *block, int r, int first, int cells,
    CellColumn *costs, uint32_t *sum)
{
  int elements = stx_colmean_interleaved(job->params, job->input),
      classes = job->params->grid.classes;
  int width = job->params->grid.cell_width, x = block->x0 + first * width;
  int pixels = block->x1 - x < cells * width ? block->x1 - x : cells * width;
  int used = (pixels - 1) * elements + classes, one = score_one(job);
  Span span = cell_span(job, block, r);
  CellPixels n = cell_pixels(job, block, span);
  sum_pixels(job, span, x, 0, job->input->class_stride, pixels, elements, classes, sum);
  memset(sum + used, 0, ((cells * width - 1) * elements + 32 + classes - used) * sizeof *sum);
  for (int c = 0; c < cells; c++) {
    uint32_t num[32];
    int size = first + c == block->columns - 1 ? n.last : n.full;
    const uint32_t *cell = sum + c * width * elements;
    if (classes <= 8)
      add_pixels(cell, elements, width, 8, num);
    else if (classes <= 16)
      add_pixels(cell, elements, width, 16, num);
    else if (classes <= 24)
      add_pixels(cell, elements, width, 24, num);
    else
      add_pixels(cell, elements, width, 32, num);
    look_up(job->tables, num, (classes + 7) & ~7, (double)one * size, costs[c][r]);
  }
}

static void store_costs(
    const Job *job, const Block *block, int first, int cells, const CellColumn *costs)
{
  const StxGrid *grid = &job->params->grid;
  for (int c = 0; c < cells; c++) {
    uint16_t *out = stx_column(grid, job->columns, 2, block->column + first + c) + block->row;
    STX_VARIANT(stx_colmean_transpose)
    (costs[c][0], 32, block->rows, grid->classes, out,
        (size_t)stx_grid_columns(grid) * stx_grid_rows(grid));
  }
}

static int chunk_cells(int width)
{
  int cells = CHUNK_PIXELS / width;
  return cells < 1 ? 1 : cells > CHUNK_CELLS ? CHUNK_CELLS : cells;
}

/* ---- Entry points ------------------------------------------------------------------------- */

size_t STX_VARIANT(stx_colmean_class_scratch)(const StxColmeanParams *params)
{
  const StxGrid *grid = &params->grid;
  size_t planar = sizeof(Tile) + (size_t)BLOCK_COLUMNS * grid->cell_width * sizeof(uint32_t);
  size_t cells = chunk_cells(grid->cell_width), chunk = cells * grid->cell_width;
  size_t interleaved =
      cells * sizeof(CellColumn) + (chunk + 1) * MAX_PIXEL_ELEMENTS * sizeof(uint32_t);
  switch (params->semantics) {
  case STX_SEMANTICS_NONE:
  case STX_SEMANTICS_LABELS:
    return 0;
  default:
    return planar > interleaved ? planar : interleaved;
  }
}

int STX_VARIANT(stx_colmean_class_passes)(const Job *job)
{
  if (job->params->semantics == STX_SEMANTICS_NONE)
    return 0;
  if (job->params->semantics == STX_SEMANTICS_LABELS ||
      stx_colmean_interleaved(job->params, job->input) > 0)
    return 1;
  return job->params->grid.classes;
}

void STX_VARIANT(stx_colmean_class)(const Job *job, const Block *block, int pass, void *scratch)
{
  CellColumn *costs = scratch;
  int step = chunk_cells(job->params->grid.cell_width);
  if (job->params->semantics == STX_SEMANTICS_LABELS)
    STX_VARIANT(stx_colmean_labels)(job, block);
  else if (stx_colmean_interleaved(job->params, job->input) > 0)
    for (int c = 0; c < block->columns; c += step) {
      int cells = block->columns - c < step ? block->columns - c : step;
      for (int r = 0; r < block->rows; r++)
        interleaved_cells(job, block, r, c, cells, scratch, (uint32_t *)(costs + step));
      store_costs(job, block, c, cells, costs);
    }
  else
    planar_class(job, block, pass, scratch);
}
