/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp, the reference: Algorithm 1 of the paper, with a stack of its own in place of the recursion,
 * which would be as deep as the column is long.
 */
#include "common/rdp/rdp.h"
#include "common/rdp/rdp_math.h"

typedef struct {
  int f, l, level;
} Span;

typedef struct {
  const StxRdpParams *params;
  int rows;
  int32_t disparity[STX_RDP_MAX_ROWS];    /* after the median, both ends known if any cell is */
  Span open[STX_RDP_MAX_ROWS];            /* segments to be looked at, the next one last */
  StxRdpSegment closed[STX_RDP_MAX_ROWS]; /* segments that are not split, from the top down */
  int count;                              /* of them */
  int levels;
} Column;

/* ---- Input -------------------------------------------------------------------------------- */

/* The median of the known cells among first … last. */
static int median_of(const uint16_t *cells, int first, int last)
{
  int sorted[7], count = 0;
  for (int i = first; i <= last; i++) {
    int at = count, value = cells[i];
    if (value == STX_DISPARITY_UNKNOWN)
      continue;
    for (; at > 0 && sorted[at - 1] > value; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = value;
    count++;
  }
  return sorted[(count - 1) / 2];
}

static void load(Column *c, const uint16_t *cells)
{
  int n = c->rows, reach = c->params->median / 2, first = 0, last = n - 1;
  for (int i = 0; i < n; i++) {
    int from = i - reach > 0 ? i - reach : 0, to = i + reach < n ? i + reach : n - 1;
    c->disparity[i] =
        cells[i] == STX_DISPARITY_UNKNOWN ? STX_DISPARITY_UNKNOWN : median_of(cells, from, to);
  }
  while (first < n - 1 && c->disparity[first] == STX_DISPARITY_UNKNOWN)
    first++;
  while (last > 0 && c->disparity[last] == STX_DISPARITY_UNKNOWN)
    last--;
  if (c->disparity[0] == STX_DISPARITY_UNKNOWN)
    c->disparity[0] = c->disparity[first];
  if (c->disparity[n - 1] == STX_DISPARITY_UNKNOWN)
    c->disparity[n - 1] = c->disparity[last];
}

/* ---- Algorithm 1 -------------------------------------------------------------------------- */

/* The smallest cell of the largest x, which goes to *largest; f if all are 0. */
static int furthest(const Column *c, int f, int l, int32_t *largest)
{
  const int32_t *d = c->disparity;
  int at = f;
  *largest = 0;
  for (int i = f + 1; i < l; i++) {
    int32_t x = (int32_t)((int64_t)(d[i] - d[f]) * (l - f) - (int64_t)(d[l] - d[f]) * (i - f));
    x = d[i] == STX_DISPARITY_UNKNOWN ? 0 : x < 0 ? -x : x;
    if (x > *largest) {
      *largest = x;
      at = i;
    }
  }
  return at;
}

static void split(Column *c)
{
  int open = 1;
  c->open[0] = (Span){0, c->rows - 1, 1};
  c->count = 0;
  c->levels = 1;
  while (open > 0) {
    Span span = c->open[--open];
    int32_t largest;
    int at = furthest(c, span.f, span.l, &largest);
    if (span.level > c->levels)
      c->levels = span.level;
    if ((int64_t)largest > (int64_t)stx_rdp_epsilon(c->params) * (span.l - span.f)) {
      c->open[open++] = (Span){at, span.l, span.level + 1};
      c->open[open++] = (Span){span.f, at, span.level + 1};
    } else {
      c->closed[c->count++] = (StxRdpSegment){.f = span.f,
          .l = span.l,
          .disparity_f = (uint32_t)c->disparity[span.f],
          .disparity_l = (uint32_t)c->disparity[span.l],
          .largest = (uint32_t)largest};
    }
  }
}

/* ---- Output ------------------------------------------------------------------------------- */

static void write_records(Column *c, int column, const uint16_t *weight, StxStixel *segments)
{
  StxRdpRecords records = stx_rdp_records(&c->params->grid);
  for (int s = 0; s < c->count; s++) {
    StxRdpSegment *segment = &c->closed[c->count - 1 - s];
    int end = segment->l == c->rows - 1 ? c->rows : segment->l;
    segment->column = column;
    for (int i = segment->f; i < end; i++)
      segment->weight += weight[i];
    segments[s] = stx_rdp_record(&records, segment);
  }
}

static void write_kept(const Column *c, uint8_t *kept)
{
  for (int i = 0; i < c->rows; i++)
    kept[i] = 0;
  for (int s = 0; s < c->count; s++)
    kept[c->closed[s].f] = kept[c->closed[s].l] = 1;
}

static void add_column(const Column *c, const uint16_t *cells, StxRdpResult *result)
{
  uint64_t levels = (uint64_t)c->levels;
  for (int i = 0; i < c->rows; i++)
    result->unknown += cells[i] == STX_DISPARITY_UNKNOWN;
  result->levels += levels;
  result->levels_squared += levels * levels;
  if (result->deepest < levels)
    result->deepest = (uint32_t)levels;
  result->count += (uint32_t)c->count;
}

static size_t stx_rdp_scratch_c(const StxRdpParams *params, int threads)
{
  (void)params, (void)threads;
  return stx_align(sizeof(Column));
}

static bool stx_rdp_run_c(const StxRdpParams *params, const void *columns, StxStixel *segments,
    uint8_t *kept, StxRdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  const StxGrid *grid = &params->grid;
  Column *c = scratch;
  *result = (StxRdpResult){0};
  c->params = params;
  c->rows = stx_grid_rows(grid);
  for (int column = 0; column < stx_grid_columns(grid); column++) {
    const uint16_t *cells = stx_column(grid, (void *)columns, 0, column);
    load(c, cells);
    split(c);
    if (segments != NULL)
      write_records(
          c, column, stx_column(grid, (void *)columns, 1, column), segments + result->count);
    if (kept != NULL)
      write_kept(c, kept + (size_t)column * (size_t)c->rows);
    add_column(c, cells, result);
  }
  return true;
}

const StxRdpImpl oracle_rdp = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_rdp_scratch_c, stx_rdp_run_c};
