/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Columns for rdp as in the paper's experiments (common/rdp/rdp.h): disparities from sgm, scaled
 * vertically, so that a column has as many cells as is wanted.
 */
#include "examples/stx-bench/stx_bench.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory/memory.h"
#include "common/metrics/metrics.h"

#define TENTH 10

const char *const bench_columns_names[BENCH_COLUMNS_COUNT] = {
    [BENCH_COLUMNS_BEST] = "best",
    [BENCH_COLUMNS_AVERAGE] = "average",
    [BENCH_COLUMNS_WORST] = "worst",
    [BENCH_COLUMNS_NOISE] = "noise",
};

/* Cell `row` of `rows` between the centres of a column's pixels, linear, rounded. */
static uint16_t resample(const StxImage16 *image, int x, int row, int rows)
{
  int64_t place = (2 * (int64_t)row + 1) * image->height - rows, unit = 2 * (int64_t)rows;
  int64_t most = (int64_t)(image->height - 1) * unit;
  place = place < 0 ? 0 : place > most ? most : place;
  int y = (int)(place / unit), below = y + 1 < image->height ? y + 1 : y;
  int64_t part = place % unit;
  int64_t sum = stx_row16(image, y)[x] * (unit - part) + stx_row16(image, below)[x] * part;
  return (uint16_t)((sum + rows) / unit);
}

static bool fill_average(
    const BenchInput *input, const StxGrid *grid, void *columns, StxError *error)
{
  size_t size = 2 * (size_t)input->width * (size_t)input->height;
  StxImage16 filled = {malloc(size), 2 * input->width, input->width, input->height};
  if (filled.data == NULL)
    return stx_fail(error, "not enough memory for a disparity map");
  memcpy(filled.data, input->disparity.data, size);
  stx_disparity_fill(&filled);
  for (int x = 0; x < grid->width; x++) {
    uint16_t *disparity = stx_column(grid, columns, 0, x);
    uint16_t *weight = stx_column(grid, columns, 1, x);
    for (int row = 0; row < grid->height; row++) {
      disparity[row] = resample(&filled, x, row, grid->height);
      weight[row] = STX_WEIGHT_ONE;
    }
  }
  free(filled.data);
  return true;
}

typedef struct {
  int column;
  size_t kept;
} Rank;

static int compare(const void *a, const void *b)
{
  const Rank *x = a, *y = b;
  return x->kept != y->kept ? (x->kept > y->kept) - (x->kept < y->kept)
                            : (x->column > y->column) - (x->column < y->column);
}

/* Sorts the columns by what rdp keeps of them. */
static void rank(const StxGrid *grid, const uint8_t *kept, Rank *ranks)
{
  for (int x = 0; x < grid->width; x++) {
    ranks[x] = (Rank){.column = x};
    for (int row = 0; row < grid->height; row++)
      ranks[x].kept += kept[(size_t)x * (size_t)grid->height + (size_t)row];
  }
  qsort(ranks, (size_t)grid->width, sizeof *ranks, compare);
}

/* Disparities of the tenth of `from` with the fewest or the most cuts, again and again. */
static void choose_tenth(
    const StxGrid *grid, const void *from, const Rank *ranks, bool most, void *columns)
{
  int tenth = grid->width > TENTH ? grid->width / TENTH : 1;
  for (int x = 0; x < grid->width; x++) {
    int place = most ? grid->width - 1 - x % tenth : x % tenth;
    memcpy(stx_column(grid, columns, 0, x), stx_column(grid, (void *)from, 0, ranks[place].column),
        2 * (size_t)grid->height);
  }
}

static bool fill_tenth(const StxRdpParams *params, bool most, void *columns, StxError *error)
{
  const StxGrid *grid = &params->grid;
  const StxRdpImpl *rdp = stx_impl_pick(&stx_rdp_impls, STX_BACKEND_AUTO);
  size_t bytes = stx_grid_bytes(grid);
  void *copy = stx_allocate(bytes), *scratch = stx_allocate(rdp->scratch_size(params, 1));
  uint8_t *kept = stx_allocate((size_t)grid->width * (size_t)grid->height);
  Rank *ranks = stx_allocate((size_t)grid->width * sizeof *ranks);
  bool good = copy != NULL && scratch != NULL && kept != NULL && ranks != NULL;
  if (good) {
    StxRdpResult ignored;
    memcpy(copy, columns, bytes);
    rdp->run(params, copy, NULL, kept, &ignored, scratch, &(StxPlace){.threads = 1}, NULL);
    rank(grid, kept, ranks);
    choose_tenth(grid, copy, ranks, most, columns);
  }
  void *blocks[] = {copy, scratch, kept, ranks};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
    free(blocks[i]);
  return good || stx_fail(error, "not enough memory to choose columns");
}

/* White noise over all 16 bits (xorshift32, G. Marsaglia), never unknown. */
static void fill_noise(const StxGrid *grid, void *columns)
{
  uint32_t state = 1;
  uint16_t *disparity = stx_column(grid, columns, 0, 0);
  for (size_t i = 0; i < (size_t)grid->width * (size_t)grid->height; i++) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    disparity[i] = (uint16_t)(state >> 16 | 1);
  }
}

bool bench_rdp_columns(const BenchInput *input, const StxRdpParams *params, BenchColumns kind,
    void *columns, StxError *error)
{
  if (!fill_average(input, &params->grid, columns, error))
    return false;
  if (kind == BENCH_COLUMNS_NOISE)
    fill_noise(&params->grid, columns);
  return kind == BENCH_COLUMNS_AVERAGE || kind == BENCH_COLUMNS_NOISE ||
         fill_tenth(params, kind == BENCH_COLUMNS_WORST, columns, error);
}
