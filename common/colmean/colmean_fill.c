/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: filling of holes (colmean.h). One pass from left to right
 * over strips of rows, as wide as a cache line; a cell that is none closes the hole on its left.
 */
#include "common/colmean/colmean_private.h"
#include "common/parallel.h"

#if defined __SSE2__
#include <emmintrin.h>
#endif

#define STRIP 32 /* rows; a bit of a word each */

typedef struct {
  const StxGrid *grid;
  void *columns;
  int longest;     /* cells of a hole that is still filled, in the middle */
  int top, rows;   /* of the image */
  int hole[STRIP]; /* column where the row's last hole begins */
} Strip;

/* Closes the hole that ends before column `end` in row `row` of the strip. */
static void close_hole(const Strip *strip, int row, int end, uint16_t right)
{
  const StxGrid *grid = strip->grid;
  int first = strip->hole[row], at = strip->top + row;
  bool has_right = end < stx_grid_columns(grid);
  if (end - first > stx_longest_hole(strip->longest, grid, first > 0, has_right, right))
    return;
  uint16_t left = first > 0 ? stx_column(grid, strip->columns, 0, first - 1)[at] : UINT16_MAX;
  for (int column = first; column < end; column++) {
    stx_column(grid, strip->columns, 0, column)[at] = left < right ? left : right;
    stx_column(grid, strip->columns, 1, column)[at] = STX_FILL_WEIGHT;
  }
}

/* The rows of a column that are neither known nor sky. */
static uint32_t find_holes(const uint16_t *d, const uint16_t *w, int rows)
{
  uint32_t holes = 0;
  int row = 0;
#if defined __SSE2__
  for (; row + 16 <= rows; row += 16) {
    __m128i is_hole[2];
    for (int i = 0; i < 2; i++) {
      __m128i a = _mm_loadu_si128((const __m128i *)(d + row + 8 * i));
      __m128i b = _mm_loadu_si128((const __m128i *)(w + row + 8 * i));
      is_hole[i] = _mm_cmpeq_epi16(_mm_or_si128(a, b), _mm_setzero_si128());
    }
    holes |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(is_hole[0], is_hole[1])) << row;
  }
#endif
  for (; row < rows; row++)
    holes |= (uint32_t)(d[row] == STX_DISPARITY_UNKNOWN && w[row] == 0) << row;
  return holes;
}

static void fill_strip(Strip *strip)
{
  int columns = stx_grid_columns(strip->grid);
  uint32_t open = 0;
  for (int column = 0; column < columns; column++) {
    const uint16_t *d = stx_column(strip->grid, strip->columns, 0, column) + strip->top;
    const uint16_t *w = stx_column(strip->grid, strip->columns, 1, column) + strip->top;
    uint32_t holes = find_holes(d, w, strip->rows);
    for (uint32_t end = open & ~holes; end != 0; end &= end - 1)
      close_hole(strip, __builtin_ctz(end), column, d[__builtin_ctz(end)]);
    for (uint32_t begin = holes & ~open; begin != 0; begin &= begin - 1)
      strip->hole[__builtin_ctz(begin)] = column;
    open = holes;
  }
  for (; open != 0; open &= open - 1)
    if (strip->hole[__builtin_ctz(open)] > 0)
      close_hole(strip, __builtin_ctz(open), columns, UINT16_MAX);
}

static void fill_piece(void *data, int i, int worker)
{
  Strip strip = *(const Strip *)data;
  strip.top = i * STRIP;
  int left = stx_grid_rows(strip.grid) - strip.top;
  strip.rows = left < STRIP ? left : STRIP;
  fill_strip(&strip);
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
