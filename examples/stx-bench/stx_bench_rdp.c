/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Columns for rdp as in the paper's experiments (common/rdp/rdp.h): disparities from sgm, scaled
 * vertically, so that a column has as many cells as is wanted. And its Figures 2 and 5: error,
 * compression and levels over epsilon.
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

/* ---- Columns ------------------------------------------------------------------------------ */

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

/* ---- Levels, compression and error -------------------------------------------------------- */

typedef struct {
  const BenchInput *input;
  const StxRdpImpl *rdp;
  StxRdpParams params;
  int threads;
  void *columns, *scratch;
  StxStixel *segments;
  StxImage16 drawn; /* the segments as a map of width × rows */
} Study;

static void study_close(Study *s)
{
  void *blocks[] = {s->columns, s->scratch, s->segments, s->drawn.data};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
    free(blocks[i]);
}

static bool study_open(Study *s, const BenchInput *input, int rows, StxError *error)
{
  size_t cells = (size_t)input->width * (size_t)rows;
  *s = (Study){.input = input,
      .rdp = stx_impl_pick(&stx_rdp_impls, STX_BACKEND_AUTO),
      .params = STX_RDP_DEFAULTS,
      .threads = stx_threads(0)};
  s->params.grid = (StxGrid){input->width, rows, 1, 1, 0};
  s->params.median = 7; /* the largest, for its scratch */
  s->columns = stx_allocate(stx_grid_bytes(&s->params.grid));
  s->scratch = stx_allocate(s->rdp->scratch_size(&s->params, s->threads));
  s->segments = stx_allocate(cells * sizeof *s->segments);
  s->drawn = (StxImage16){stx_allocate(2 * cells), 2 * input->width, input->width, rows};
  if (s->columns == NULL || s->scratch == NULL || s->segments == NULL || s->drawn.data == NULL)
    return stx_fail(error, "not enough memory for columns of %d cells", rows);
  return bench_rdp_columns(input, &s->params, BENCH_COLUMNS_AVERAGE, s->columns, error);
}

/* The mean distance of the drawn segments from the columns, in pixels. */
static double mean_error(const Study *s)
{
  const StxGrid *grid = &s->params.grid;
  uint64_t sum = 0;
  for (int x = 0; x < grid->width; x++) {
    const uint16_t *cells = stx_column(grid, s->columns, 0, x);
    for (int row = 0; row < grid->height; row++) {
      int difference = stx_row16(&s->drawn, row)[x] - cells[row];
      sum += (uint64_t)(difference < 0 ? -difference : difference);
    }
  }
  return (double)sum / ((double)grid->width * grid->height) / STX_DISPARITY_ONE;
}

static void study_line(FILE *out, Study *s)
{
  const StxGrid *grid = &s->params.grid;
  StxRdpResult result;
  s->rdp->run(&s->params, s->columns, s->segments, NULL, &result, s->scratch,
      &(StxPlace){.threads = s->threads}, NULL);
  stx_render_disparity(s->segments, result.count, 1, &s->drawn);
  fprintf(out, "%s,%d,%d,%d,%g,%u,%llu,%llu,%u,%.5f\n", s->input->name, grid->width, grid->height,
      s->params.median, (double)s->params.epsilon / STX_DISPARITY_ONE, result.count,
      (unsigned long long)result.levels, (unsigned long long)result.levels_squared, result.deepest,
      mean_error(s));
}

static void study_run(FILE *out, Study *s)
{
  static const double epsilons[] = {0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32};
  for (int median = 0; median <= 5; median += 5)
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
      s->params.median = median;
      s->params.epsilon = (int)(epsilons[i] * STX_DISPARITY_ONE);
      study_line(out, s);
    }
}

bool bench_rdp_levels(FILE *out, bool head, const BenchInput *input, StxError *error)
{
  static const int rows[] = {256, 512, 1024, 4096};
  if (head)
    fputs("picture,columns,rows,median,epsilon_px,segments,levels,levels_squared,deepest,"
          "mean_error_px\n",
        out);
  bool good = true;
  for (size_t n = 0; good && n < sizeof rows / sizeof rows[0]; n++) {
    Study study;
    good = study_open(&study, input, rows[n], error);
    if (good)
      study_run(out, &study);
    study_close(&study);
  }
  return good;
}
