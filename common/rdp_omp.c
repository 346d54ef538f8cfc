/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp, the fast CPU code: batches of columns are split (rdp_split.h) into lists of kept points;
 * when all are, the records of all columns have their places and are written there.
 * docs/algorithms/rdp.md tells what was tried.
 */
#include "common/rdp_cells.h"
#include "common/rdp_impls.h"
#include "common/rdp_record.h"
#include "common/rdp_split.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#define BATCH 4       /* columns that are split together */
#define WRITE_BATCH 8 /* columns whose records are written without asking for more */

/* A kept point of a column, and the largest x of the segment that begins there. */
typedef struct {
  uint32_t point;
  int32_t largest;
} Cut;

typedef struct {
  uint64_t unknown, levels, levels_squared;
  uint32_t deepest;
} Counts;

/* What a thread needs. */
typedef struct {
  const StxRdpParams *params;
  const void *columns;
  uint8_t *kept;
  int rows;
  Splitter splitter;
  uint16_t *cells[2]; /* a column with unknown cells around, and its medians */
  uint32_t *sums;     /* of weights above a cell */
  Counts counts;
} Worker;

/* ---- Splitting ---------------------------------------------------------------------------- */

static const uint16_t *filtered(Worker *w, const uint16_t *cells)
{
  if (w->params->median == 0)
    return cells;
  memset(w->cells[0], 0, MEDIAN_REACH * sizeof *cells);
  memcpy(w->cells[0] + MEDIAN_REACH, cells, (size_t)w->rows * sizeof *cells);
  memset(w->cells[0] + MEDIAN_REACH + w->rows, 0, MEDIAN_REACH * sizeof *cells);
  filter(w->cells[0] + MEDIAN_REACH, w->rows, w->params->median, w->cells[1]);
  return w->cells[1];
}

/* Lists the kept points of a column, whose first is given; returns their number. */
static int list_cuts(Worker *w, uint32_t at, uint32_t last, Cut *cuts)
{
  const Splitter *s = &w->splitter;
  int count = 0;
  uint32_t levels = 1;
  for (; at < last; at += s->links[at].length) {
    cuts[count++] = (Cut){s->points[at], s->links[at].largest};
    levels = s->links[at].level > levels ? s->links[at].level : levels;
  }
  cuts[count++] = (Cut){s->points[last], 0};
  w->counts.levels += levels;
  w->counts.levels_squared += (uint64_t)levels * levels;
  w->counts.deepest = levels > w->counts.deepest ? levels : w->counts.deepest;
  return count;
}

static void mark_kept(const Worker *w, int column, const Cut *cuts, int count)
{
  uint8_t *kept = w->kept + (size_t)column * (size_t)w->rows;
  memset(kept, 0, (size_t)w->rows);
  for (int i = 0; i < count; i++)
    kept[cuts[i].point & 0xFFFF] = 1;
}

/* Splits the columns first … end − 1; counts are those of their segments. */
static void split_columns(Worker *w, int first, int end, Cut *cuts, int *counts)
{
  Splitter *s = &w->splitter;
  uint32_t *to = s->points, begin[BATCH], last[BATCH];
  for (int queue = 0; queue < QUEUES; queue++)
    s->end[queue] = s->queue[queue];
  for (int column = first; column < end; column++) {
    const uint16_t *cells = stx_column(&w->params->grid, (void *)w->columns, 0, column);
    int known, count = write_points(filtered(w, cells), w->rows, &to, &known);
    begin[column - first] = (uint32_t)(to - s->points);
    last[column - first] = begin[column - first] + (uint32_t)count - 1;
    s->links[begin[column - first]] = (Link){(uint16_t)(count - 1), 1, 0};
    push(s, queue_of(count - 1), begin[column - first], count - 1, 1);
    w->counts.unknown += (uint64_t)(w->rows - known);
    to += count;
  }
  split_all(s);
  for (int column = first; column < end; column++) {
    Cut *list = cuts + (size_t)column * (size_t)(w->rows + 1);
    int count = list_cuts(w, begin[column - first], last[column - first], list);
    if (w->kept != NULL)
      mark_kept(w, column, list, count);
    counts[column] = count - 1;
  }
}

/* ---- Records ------------------------------------------------------------------------------ */

/* Sums of the weights above each cell and of all, and below: with many segments that is cheaper
 * than to add up each of them. */
static void sum_weights(const uint16_t *weights, int rows, uint32_t *sums)
{
  uint32_t sum = 0;
  for (int i = 0; i < rows; i++) {
    sums[i] = sum;
    sum += weights[i];
  }
  sums[rows] = sum;
}

static uint32_t add_weights(const uint16_t *weights, int begin, int end)
{
  uint32_t sum = 0;
  for (int i = begin; i < end; i++)
    sum += weights[i];
  return sum;
}

#define GROUP 8

/* Segments, one per lane. */
typedef struct {
  int32_t f[GROUP], l[GROUP];
  uint32_t disparity_f[GROUP], disparity_l[GROUP], largest[GROUP], weight[GROUP];
} Segments;

/* Writes GROUP records, in two halves of a record's 8-byte words. */
static inline void write_group(
    const StxRdpRecords *grid, int column, const Segments *from, StxStixel *records)
{
  uint32_t words[6][GROUP];
  float values[4][GROUP];
  for (int i = 0; i < GROUP; i++) {
    StxRdpSegment segment = {column, from->f[i], from->l[i], from->disparity_f[i],
        from->disparity_l[i], from->largest[i], from->weight[i]};
    StxStixel record = stx_rdp_record(grid, &segment);
    words[0][i] = (uint32_t)record.column | (uint32_t)record.top << 16;
    words[1][i] =
        (uint32_t)record.bottom | (uint32_t)record.kind << 16 | (uint32_t)record.label << 24;
    values[0][i] = record.disparity_top;
    values[1][i] = record.disparity_bottom;
    values[2][i] = record.cost;
    values[3][i] = record.confidence;
  }
  memcpy(words[2], values, sizeof values);
  for (int i = 0; i < GROUP; i++) {
    uint32_t record[6];
    for (int j = 0; j < 6; j++)
      record[j] = words[j][i];
    memcpy(&records[i], record, sizeof record);
  }
}

static void write_column(Worker *w, int column, const Cut *cuts, int count, StxStixel *records)
{
  const StxGrid *grid = &w->params->grid;
  StxRdpRecords common = stx_rdp_records(grid);
  const uint16_t *weights = stx_column(grid, (void *)w->columns, 1, column);
  bool sums = count > w->rows / 16;
  if (sums)
    sum_weights(weights, w->rows, w->sums);
  for (int done = 0; done < count; done += GROUP) {
    int used = count - done < GROUP ? count - done : GROUP;
    Segments s = {0};
    StxStixel rest[GROUP];
    for (int i = 0; i < used; i++) {
      const Cut *cut = &cuts[count - 1 - done - i];
      int f = s.f[i] = (int32_t)(cut[0].point & 0xFFFF);
      int l = s.l[i] = (int32_t)(cut[1].point & 0xFFFF);
      int end = done + i == 0 ? w->rows : l;
      s.disparity_f[i] = cut[0].point >> 16 ^ 0x8000;
      s.disparity_l[i] = cut[1].point >> 16 ^ 0x8000;
      s.largest[i] = (uint32_t)cut[0].largest;
      s.weight[i] = sums ? w->sums[end] - w->sums[f] : add_weights(weights, f, end);
    }
    write_group(&common, column, &s, used == GROUP ? records + done : rest);
    if (used < GROUP)
      memcpy(records + done, rest, (size_t)used * sizeof *rest);
  }
}

/* ---- All columns -------------------------------------------------------------------------- */

/* Lays a worker's arrays into `memory`; returns their size. Bare sizes with memory NULL. */
static size_t lay_out(const StxRdpParams *params, Worker *w, char *memory)
{
  size_t rows = (size_t)stx_grid_rows(&params->grid), at = stx_align(sizeof(Worker));
  size_t points = BATCH * (rows + 2) + LANES;
#define PLACE(field, count)                                                                        \
  do {                                                                                             \
    w->field = memory == NULL ? NULL : (void *)(memory + at);                                      \
    at += stx_align((count) * sizeof *w->field);                                                   \
  } while (0)
  PLACE(splitter.points, points);
  PLACE(splitter.links, points);
  for (int queue = 0; queue < QUEUES; queue++)
    PLACE(splitter.queue[queue], 2 * points);
  PLACE(cells[0], rows + 2 * MEDIAN_REACH);
  PLACE(cells[1], rows);
  PLACE(sums, rows + 1);
#undef PLACE
  return at;
}

size_t STX_VARIANT(stx_rdp_scratch)(const StxRdpParams *params, int threads)
{
  Worker worker;
  size_t rows = (size_t)stx_grid_rows(&params->grid);
  size_t columns = (size_t)stx_grid_columns(&params->grid);
  return stx_threads(threads) * lay_out(params, &worker, NULL) +
         stx_align(columns * (rows + 1) * sizeof(Cut)) + stx_align(columns * sizeof(int)) +
         stx_align(columns * sizeof(size_t));
}

static Worker *new_worker(
    const StxRdpParams *params, const void *columns, uint8_t *kept, char *memory)
{
  Worker *w = (Worker *)memory;
  lay_out(params, w, memory);
  w->params = params;
  w->columns = columns;
  w->kept = kept;
  w->rows = stx_grid_rows(&params->grid);
  w->splitter.epsilon = params->epsilon;
  w->counts = (Counts){0};
  return w;
}

static inline size_t thread_index(void)
{
#ifdef _OPENMP
  return (size_t)omp_get_thread_num();
#else
  return 0;
#endif
}

static size_t place_columns(const int *counts, int columns, size_t *places)
{
  size_t total = 0;
  for (int i = 0; i < columns; i++) {
    places[i] = total;
    total += (size_t)counts[i];
  }
  return total;
}

static void add_stats(const Counts *counts, StxRdpStats *stats)
{
  stats->unknown += counts->unknown;
  stats->levels += counts->levels;
  stats->levels_squared += counts->levels_squared;
  stats->deepest = counts->deepest > stats->deepest ? counts->deepest : stats->deepest;
}

size_t STX_VARIANT(stx_rdp_run)(const StxRdpParams *params, const void *columns,
    StxStixel *segments, uint8_t *kept, StxRdpStats *stats, void *scratch, int threads)
{
  Worker layout;
  StxRdpStats sum = {0};
  int workers = stx_threads(threads), count = stx_grid_columns(&params->grid);
  size_t room = (size_t)stx_grid_rows(&params->grid) + 1, size = lay_out(params, &layout, NULL);
  size_t total = 0, *places = scratch;
  int *counts = (int *)((char *)scratch + stx_align((size_t)count * sizeof *places));
  Cut *cuts = (Cut *)((char *)counts + stx_align((size_t)count * sizeof *counts));
  char *memory = (char *)cuts + stx_align((size_t)count * room * sizeof *cuts);
#pragma omp parallel num_threads(workers)
  {
    Worker *w = new_worker(params, columns, kept, memory + thread_index() * size);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < count; i += BATCH)
      split_columns(w, i, i + BATCH < count ? i + BATCH : count, cuts, counts);
#pragma omp single
    total = place_columns(counts, count, places);
    if (segments != NULL) {
#pragma omp for schedule(dynamic, WRITE_BATCH) nowait
      for (int i = 0; i < count; i++)
        write_column(w, i, cuts + (size_t)i * room, counts[i], segments + places[i]);
    }
#pragma omp critical
    add_stats(&w->counts, &sum);
  }
  if (stats != NULL)
    *stats = sum;
  return total;
}
