/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The v-disparity histogram, of all cells or of those on surfaces that lie; its peaks; sums near a
 * line in it.
 */
#include "common/roadline/roadline_private.h"

#include <string.h>

#define MAX_CELLS 32768 /* looked at */

/* ---- StxRoadHistogram
 * ---------------------------------------------------------------------------- */

static int row_shift(int rows)
{
  int shift = 0;
  while (((rows - 1) >> shift) >= STX_ROAD_ROW_BINS)
    shift++;
  return shift;
}

static void add_cell(uint32_t disparity, uint32_t weight, StxRoadBin *bins)
{
  uint32_t w = (weight + 2048u) >> 12;
  StxRoadBin *bin = &bins[disparity >> 8];
  bin->weight += disparity > 0 ? w : 0;
  bin->moment += disparity > 0 ? w * (disparity & 255) : 0;
}

/* A column, and the rows of cells that the bins are of. */
typedef struct {
  const uint16_t *disparity, *weight;
  int rows, shift;
} Column;

static void add_column(const Column *c, StxRoadHistogram *histogram)
{
  for (int r = 0; r < c->rows; r++)
    add_cell(c->disparity[r], c->weight[r], histogram->bin[r >> c->shift]);
}

/* Only those of its cells that lie. */
static void add_lying(
    const Column *c, const StxRoadLying *lying, int cell_height, StxRoadHistogram *histogram)
{
  int reach = lying->reach, span = 2 * reach * cell_height;
  for (int r = reach; r < c->rows - reach; r++) {
    int64_t above = c->disparity[r - reach], below = c->disparity[r + reach];
    int64_t growth = below - above, off = 2 * (int64_t)c->disparity[r] - above - below;
    if (above > 0 && growth >= lying->low * span && growth <= lying->high * span &&
        2 * (off < 0 ? -off : off) <= growth)
      add_cell(c->disparity[r], c->weight[r], histogram->bin[r >> c->shift]);
  }
}

static void prepare_rows(const StxGrid *grid, int shift, StxRoadHistogram *histogram)
{
  int rows = stx_grid_rows(grid);
  histogram->height = grid->height;
  histogram->rows = ((rows - 1) >> shift) + 1;
  memset(histogram->bin, 0, histogram->rows * sizeof histogram->bin[0]);
  for (int r = 0; r < histogram->rows; r++) {
    int last = ((r + 1) << shift) < rows ? (r + 1) << shift : rows;
    histogram->y[r] = stx_grid_top(grid, r << shift) + stx_grid_top(grid, last) - 1;
  }
}

void stx_road_histogram(const StxGrid *grid, const void *columns, const StxRoadLying *lying,
    StxRoadHistogram *histogram)
{
  int rows = stx_grid_rows(grid), count = stx_grid_columns(grid), shift = row_shift(rows);
  int64_t cells = (int64_t)rows * count;
  int step = (int)((cells + MAX_CELLS - 1) / MAX_CELLS);
  prepare_rows(grid, shift, histogram);
  for (int c = step / 2; c < count; c += step) {
    Column column = {stx_column(grid, (void *)columns, 0, c),
        stx_column(grid, (void *)columns, 1, c), rows, shift};
    if (lying == NULL)
      add_column(&column, histogram);
    else
      add_lying(&column, lying, grid->cell_height, histogram);
  }
  for (int r = 0; r < histogram->rows; r++) {
    uint32_t sum = 0;
    for (int b = 0; b < STX_ROAD_BINS; b++) {
      histogram->upto[r][b] = sum;
      sum += histogram->bin[r][b].weight;
    }
    histogram->upto[r][STX_ROAD_BINS] = sum;
  }
}

/* ---- Peaks --------------------------------------------------------------------------- */

/* The highest pair of neighbouring bins of a row that is not beside one already found. */
static int next_peak(
    const StxRoadHistogram *histogram, int row, const StxRoadPoint *found, int count)
{
  uint32_t best = 0;
  int best_bin = -1;
  for (int b = 0; b + 1 < STX_ROAD_BINS; b++) {
    uint32_t weight = stx_road_weight(histogram, row, b, b + 1);
    bool taken = false;
    for (int i = 0; i < count; i++)
      taken |= (found[i].disparity >> 8) >= b - 2 && (found[i].disparity >> 8) <= b + 3;
    if (weight > best && !taken) {
      best = weight;
      best_bin = b;
    }
  }
  return best_bin;
}

/* The mean disparity of two neighbouring bins that are not both empty. */
static int peak_disparity(const StxRoadBin *pair, int bin)
{
  uint64_t weight = (uint64_t)pair[0].weight + pair[1].weight;
  uint64_t moment = (uint64_t)pair[0].moment + pair[1].moment + 256ull * pair[1].weight;
  return bin * 256 + (int)(moment / weight);
}

int stx_road_points(const StxRoadHistogram *histogram, int anchors, StxRoadPoint *points)
{
  int count = 0;
  for (int i = 0; i < anchors; i++) {
    int row = histogram->rows - 1 - i * histogram->rows / anchors;
    int first = count;
    if (count > 0 && points[count - 1].row == row)
      continue;
    for (int k = 0; k < STX_ROAD_PEAKS; k++) {
      int bin = next_peak(histogram, row, points + first, count - first);
      if (bin < 0)
        break;
      points[count++] = (StxRoadPoint){row, peak_disparity(&histogram->bin[row][bin], bin)};
    }
  }
  return count;
}

/* ---- Sums ----------------------------------------------------------------------------------- */

void stx_road_add_row(
    const StxRoadHistogram *histogram, int r, int bin, int near, StxRoadMoments *sums)
{
  int64_t y = histogram->y[r];
  for (int b = bin - near; b <= bin + near; b++) {
    if (b < 0 || b >= STX_ROAD_BINS)
      continue;
    int64_t w = histogram->bin[r][b].weight;
    int64_t d = histogram->bin[r][b].moment + 256 * b * w;
    sums->w += w;
    sums->y += w * y;
    sums->d += d;
    sums->yy += w * y * y;
    sums->yd += d * y;
  }
}
