/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, reference: colmean.h cell by cell, in its own words. Cost O(n log n) per cell
 * for the median, O(n) per class.
 */
#include "common/colmean/colmean_private.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CELL_PIXELS (128 * 128)

static uint64_t round_half_up(uint64_t num, uint64_t den)
{
  return (2 * num + den) / (2 * den);
}

typedef struct {
  int x0, y0, x1, y1; /* pixels [x0, x1) × [y0, y1) */
  int n;
} Cell;

static Cell cell_at(const StxGrid *grid, int column, int row)
{
  Cell cell = {.x0 = column * grid->cell_width,
      .y0 = stx_grid_top(grid, row),
      .y1 = stx_grid_top(grid, row + 1)};
  cell.x1 = cell.x0 + grid->cell_width < grid->width ? cell.x0 + grid->cell_width : grid->width;
  cell.n = (cell.x1 - cell.x0) * (cell.y1 - cell.y0);
  return cell;
}

/* ---- Disparity and weight ----------------------------------------------------------------- */

typedef struct {
  int count, sky;      /* pixels that are valid, and sky */
  uint64_t sky_weight; /* Σc² of these */
  uint16_t disparity[MAX_CELL_PIXELS], sorted[MAX_CELL_PIXELS];
  uint32_t weight[MAX_CELL_PIXELS]; /* c² */
} ValidPixels;

static int disparity_at(const StxColmeanParams *params, const StxColmeanInput *input, int x, int y)
{
  const StxDisparityMeaning *meaning = &params->disparity;
  StxDisparityFormula formula = stx_disparity_formula(params);
  if (stx_disparity_is_float(meaning->encoding))
    return stx_disparity_steps(&formula, stx_row_float(&input->floats, y)[x]);
  uint16_t number = stx_row16(&input->disparity, y)[x];
  return stx_disparity_is_plain(params)
             ? number
             : stx_disparity_steps(&formula, stx_disparity_from_16(&formula, number));
}

static void collect(
    const StxColmeanParams *params, const StxColmeanInput *input, Cell cell, ValidPixels *valid)
{
  bool sky = input->confidence_is_sky && input->confidence.data != NULL;
  valid->count = valid->sky = 0;
  valid->sky_weight = 0;
  for (int y = cell.y0; y < cell.y1; y++)
    for (int x = cell.x0; x < cell.x1; x++) {
      int d = disparity_at(params, input, x, y);
      int c = input->confidence.data ? stx_row8(&input->confidence, y)[x] : 255;
      if (d > 0 && c > 0) {
        valid->disparity[valid->count] = (uint16_t)d;
        valid->weight[valid->count++] = (uint32_t)(c * c);
      } else if (sky && c > 0) {
        valid->sky++;
        valid->sky_weight += (uint64_t)(c * c);
      }
    }
}

static int by_value(const void *a, const void *b)
{
  return *(const uint16_t *)a - *(const uint16_t *)b;
}

static int lower_median(ValidPixels *valid)
{
  memcpy(valid->sorted, valid->disparity, valid->count * sizeof *valid->sorted);
  qsort(valid->sorted, valid->count, sizeof *valid->sorted, by_value);
  return valid->sorted[(valid->count - 1) / 2];
}

static void reduce_cell(const StxColmeanParams *params, ValidPixels *valid, int n,
    uint16_t *disparity, uint16_t *weight)
{
  *disparity = *weight = 0;
  if (valid->sky > valid->count)
    *weight = (uint16_t)round_half_up(valid->sky_weight, n);
  if (2 * valid->count < n)
    return;
  StxReduction reduction = params->reduction;
  bool mean = reduction == STX_REDUCE_MEAN;
  int near = stx_colmean_near(&params->grid), m = mean ? 0 : lower_median(valid);
  int tolerance = mean ? UINT16_MAX : m / 20 > near ? m / 20 : near;
  uint64_t sum_w = 0, sum_wd = 0;
  uint32_t entered = 0, sum_d = 0;
  for (int i = 0; i < valid->count; i++) {
    int d = valid->disparity[i];
    if (abs(d - m) > tolerance)
      continue;
    entered++;
    sum_d += d;
    sum_w += valid->weight[i];
    sum_wd += (uint64_t)valid->weight[i] * d;
  }
  *weight = (uint16_t)round_half_up(sum_w, n);
  *disparity = reduction == STX_REDUCE_MEDIAN ? (uint16_t)m
               : mean                         ? (uint16_t)round_half_up(sum_d, entered)
                                              : (uint16_t)round_half_up(sum_wd, sum_w);
}

static void reduce_disparity(
    const StxColmeanParams *params, const StxColmeanInput *input, void *columns, ValidPixels *valid)
{
  const StxGrid *grid = &params->grid;
  for (int column = 0; column < stx_grid_columns(grid); column++)
    for (int row = 0; row < stx_grid_rows(grid); row++) {
      Cell cell = cell_at(grid, column, row);
      collect(params, input, cell, valid);
      reduce_cell(params, valid, cell.n, stx_column(grid, columns, 0, column) + row,
          stx_column(grid, columns, 1, column) + row);
    }
}

/* ---- Holes -------------------------------------------------------------------------------- */

/* The nearest column from `column` on in steps of ±1 whose cell is no hole and was not filled; −1
 * or the number of columns if there is none. */
static int known_column(
    const StxGrid *grid, void *columns, const uint8_t *filled, int column, int row, int step)
{
  int count = stx_grid_columns(grid);
  while (column >= 0 && column < count &&
         ((stx_column(grid, columns, 0, column)[row] == STX_DISPARITY_UNKNOWN &&
              stx_column(grid, columns, 1, column)[row] == 0) ||
             filled[column]))
    column += step;
  return column;
}

static void fill_cell(
    const StxColmeanParams *params, void *columns, uint8_t *filled, int column, int row)
{
  const StxGrid *grid = &params->grid;
  int left = known_column(grid, columns, filled, column, row, -1);
  int right = known_column(grid, columns, filled, column, row, 1);
  bool has_left = left >= 0, has_right = right < stx_grid_columns(grid);
  if (left == column || (!has_left && !has_right))
    return;
  uint16_t l = has_left ? stx_column(grid, columns, 0, left)[row] : UINT16_MAX;
  uint16_t r = has_right ? stx_column(grid, columns, 0, right)[row] : UINT16_MAX;
  int longest = params->fill_width / grid->cell_width;
  if (right - left - 1 > stx_longest_hole(longest, grid, has_left, has_right, r))
    return;
  stx_column(grid, columns, 0, column)[row] = l < r ? l : r;
  stx_column(grid, columns, 1, column)[row] = STX_FILL_WEIGHT;
  filled[column] = true;
}

static void fill_holes(const StxColmeanParams *params, void *columns, uint8_t *filled)
{
  for (int row = 0; row < stx_grid_rows(&params->grid); row++) {
    memset(filled, 0, stx_grid_columns(&params->grid));
    for (int column = 0; column < stx_grid_columns(&params->grid); column++)
      fill_cell(params, columns, filled, column, row);
  }
}

/* ---- Class costs -------------------------------------------------------------------------- */

static float float_at(StxSemantics semantics, const char *score)
{
  uint16_t half;
  float p;
  if (semantics == STX_SEMANTICS_SCORES_F16) {
    memcpy(&half, score, sizeof half);
    return stx_float_from_half(half);
  }
  memcpy(&p, score, sizeof p);
  return p;
}

/* A pixel's share of num, and whether it counts in den, as a multiple of `one`. */
typedef struct {
  uint32_t num, den;
} Share;

static Share pixel_share(
    const StxColmeanParams *params, const StxColmeanInput *input, int class, int x, int y)
{
  if (params->semantics == STX_SEMANTICS_LABELS) {
    uint8_t label = params->label_map[stx_row8(&input->labels, y)[x]];
    return (Share){label == class, label != 255};
  }
  const char *score = (const char *)input->scores + class * input->class_stride +
                      (y >> input->score_shift) * input->row_stride +
                      (x >> input->score_shift) * input->pixel_stride;
  if (stx_colmean_score_size(params->semantics) == 1)
    return (Share){*(const uint8_t *)score ^ stx_score_flip(params->semantics), 255};
  return (Share){stx_score_from_float(float_at(params->semantics, score)), 65535};
}

static uint16_t class_cost(const StxColmeanParams *params, const StxColmeanTables *tables,
    const StxColmeanInput *input, Cell cell, int class)
{
  uint64_t num = 0, den = 0;
  for (int y = cell.y0; y < cell.y1; y++)
    for (int x = cell.x0; x < cell.x1; x++) {
      Share share = pixel_share(params, input, class, x, y);
      num += share.num;
      den += share.den;
    }
  return den == 0 ? 0 : tables->class_cost[round_half_up(4095 * num, den)];
}

static void reduce_classes(const StxColmeanParams *params, const StxColmeanTables *tables,
    const StxColmeanInput *input, void *columns)
{
  const StxGrid *grid = &params->grid;
  for (int class = 0; class < grid->classes; class ++)
    for (int column = 0; column < stx_grid_columns(grid); column++)
      for (int row = 0; row < stx_grid_rows(grid); row++)
        stx_column(grid, columns, 2 + class, column)[row] =
            class_cost(params, tables, input, cell_at(grid, column, row), class);
}

/* ---- Entry points ------------------------------------------------------------------------- */

static size_t stx_colmean_scratch_c(const StxColmeanParams *params, int threads)
{
  size_t columns = stx_grid_columns(&params->grid);
  return sizeof(ValidPixels) > columns ? sizeof(ValidPixels) : columns;
}

static bool stx_colmean_run_c(const StxColmeanParams *params, const StxColmeanTables *tables,
    const StxColmeanInput *input, void *columns, void *scratch, const StxPlace *place,
    StxError *error)
{
  reduce_disparity(params, input, columns, scratch);
  fill_holes(params, columns, scratch);
  reduce_classes(params, tables, input, columns);
  return true;
}

const StxColmeanImpl oracle_colmean = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_colmean_scratch_c, stx_colmean_run_c};
