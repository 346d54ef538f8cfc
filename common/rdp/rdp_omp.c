/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp, the fast CPU code: batches of columns are split (rdp_split.inc.h); when it is known how many
 * segments a batch and those before it have, its kept points are listed and its records written.
 * docs/benchmarks/tried.md lists rejected ideas.
 */
#include <stdatomic.h>

#include "common/cpu.h"
#include "common/rdp/rdp_cells.inc.h"
#include "common/parallel.h"
#include "common/rdp/rdp.h"
#include "common/rdp/rdp_records.inc.h"

STX_DECLARE(StxRdpImpl, stx_rdp, scratch_size);
STX_DECLARE(StxRdpImpl, stx_rdp, run);

#define MOST 32    /* columns that are split together, at most */
#define LEAST 8    /* columns that are split together, at least */
#define CELLS 8192 /* cells that are split together, between these limits */
#define WORDS 16   /* in STX_ALIGN bytes: what begins one word before them is stored faster */

typedef struct {
  uint64_t unknown, levels, levels_squared;
  uint32_t deepest;
} Counts;

/* Memory of a thread. */
typedef struct {
  const StxRdpParams *params;
  const void *columns;
  uint8_t *kept;
  int rows, threads;
  Splitter splitter;
  Column batch[MOST];
  List list;
  Records records;
  uint16_t *cells[2]; /* a column with unknown cells around, and its medians */
  Counts counts;
} Worker;

/* Columns of a batch. */
static int batch_of(int rows)
{
  int columns = CELLS / rows;
  return columns < LEAST ? LEAST : columns < MOST ? columns : MOST;
}

/* ---- A batch of columns ------------------------------------------------------------------- */

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

/* Lays a column's points out from `to` on; returns where those of the next one may be. */
static uint32_t *open_column(Worker *w, int index, Column *column, uint32_t *to)
{
  Splitter *s = &w->splitter;
  const uint16_t *cells = stx_column(&w->params->grid, (void *)w->columns, 0, index);
  int known;
  to = s->points + ((size_t)(to - s->points) + WORDS) / WORDS * WORDS - 1;
  column->points = write_points(filtered(w, cells), w->rows, &to, &known);
  column->begin = (uint32_t)(to - s->points);
  s->levels[column->begin] = s->levels[column->begin + (uint32_t)column->points - 1] = 1;
  push(s, column->begin, steps_of(column->points - 1, 1), column->points - 1);
  w->counts.unknown += (uint64_t)(w->rows - known);
  return to + blocks_of(column->points) * BLOCK;
}

/* The batch's weights and the cells of the one that this thread probably gets next. */
static Soon read_soon(const Worker *w, int first, int end)
{
  const StxGrid *grid = &w->params->grid;
  int next = first + w->threads * (end - first), columns = stx_grid_columns(grid);
  size_t bytes = (size_t)(end - first) * (size_t)w->rows * sizeof(uint16_t);
  const char *weights = (const char *)stx_column(grid, (void *)w->columns, 1, first);
  const char *cells = (const char *)stx_column(grid, (void *)w->columns, 0, next);
  return (Soon){weights, next + end - first <= columns ? cells : weights, (int)(bytes / STX_ALIGN)};
}

/* Splits the columns first … end − 1; returns how many segments they have. */
static size_t split_columns(Worker *w, int first, int end)
{
  Splitter *s = &w->splitter;
  uint32_t *to = s->points;
  size_t segments = 0;
  for (int queue = 0; queue < QUEUES; queue++)
    s->queues[queue].count = 0;
  for (int i = first; i < end; i++)
    to = open_column(w, i, &w->batch[i - first], to);
  s->soon = read_soon(w, first, end);
  split_all(s);
  for (int i = first; i < end; i++) {
    uint32_t levels = find_kept(s, &w->batch[i - first]);
    w->counts.levels += levels;
    w->counts.levels_squared += (uint64_t)levels * levels;
    w->counts.deepest = levels > w->counts.deepest ? levels : w->counts.deepest;
    segments += (size_t)w->batch[i - first].segments;
  }
  return segments;
}

/* Writes what is wanted of the columns first … end − 1, the records of all from `segments` on. */
static void write_columns(Worker *w, int first, int end, StxStixel *segments)
{
  for (int i = first; i < end; i++) {
    const Column *column = &w->batch[i - first];
    list_kept(&w->splitter, column, &w->list);
    uint8_t *kept = w->kept != NULL ? w->kept + (size_t)i * (size_t)w->rows : NULL;
    if (kept != NULL)
      memset(kept, 0, (size_t)w->rows);
    for (int k = 0; kept != NULL && k <= column->segments; k++)
      kept[w->list.points[k] & 0xFFFF] = 1;
    if (segments == NULL)
      continue;
    const uint16_t *weights = stx_column(&w->params->grid, (void *)w->columns, 1, i);
    write_records(&w->records, i, weights, &w->list, column->segments, segments);
    segments += column->segments;
  }
}

/* ---- Memory ------------------------------------------------------------------------------- */

/*
 * `w` is the first thing in the memory. A queue holds the segments that are not split and those
 * that are: fewer than half, and fewer than all of the points. Where the last ones do not fill a
 * vector it is filled up, which happens no more often than segments of a queue beget each other:
 * 16 times.
 */
static size_t lay_out_worker(const StxRdpParams *params, Worker *w, char *memory)
{
  size_t rows = (size_t)stx_grid_rows(&params->grid);
  size_t points = (size_t)batch_of((int)rows) * (rows + 2 + BLOCK + WORDS) + LANES_32 + SPARE;
  size_t room = 3 * points / 2 + 18 * LANES_32, listed = GROUP + rows + 2 + 2 * LANES_32 + AT_ONCE;
  Splitter *s = &w->splitter;
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof(Worker));
  STX_TAKE(&at, s->points, points);
  STX_TAKE(&at, s->levels, points);
  STX_TAKE(&at, s->largest, points);
  for (int queue = 0; queue < QUEUES; queue++) {
    STX_TAKE(&at, s->queues[queue].first, room);
    STX_TAKE(&at, s->queues[queue].steps, room);
  }
  for (int i = 0; i < batch_of((int)rows); i++)
    STX_TAKE(&at, w->batch[i].kept, blocks_of((int)rows + 1));
  STX_TAKE(&at, w->list.points, listed);
  STX_TAKE(&at, w->list.largest, listed);
  STX_TAKE(&at, w->list.index, listed);
  STX_TAKE(&at, w->records.above, listed);
  STX_TAKE(&at, w->cells[0], rows + 2 * MEDIAN_REACH);
  STX_TAKE(&at, w->cells[1], rows);
  STX_TAKE(&at, w->records.sums, rows + 1 + LANES_32 + WORDS);
  s->size = (uint32_t)points;
  s->spare = s->size - SPARE;
  return at.size;
}

size_t STX_VARIANT(stx_rdp_scratch_size)(const StxRdpParams *params, int threads)
{
  Worker worker;
  return (size_t)threads * lay_out_worker(params, &worker, NULL);
}

static void new_worker(
    const StxRdpParams *params, const void *columns, uint8_t *kept, int threads, char *memory)
{
  Worker *w = (Worker *)memory;
  lay_out_worker(params, w, memory);
  w->params = params;
  w->columns = columns;
  w->kept = kept;
  w->rows = stx_grid_rows(&params->grid);
  w->threads = threads;
  w->splitter.epsilon = stx_rdp_epsilon(params);
  memset(w->splitter.levels, 0, w->splitter.size * sizeof *w->splitter.levels);
  memset(w->splitter.points + w->splitter.spare, 0, SPARE * sizeof *w->splitter.points);
  memset(w->list.points, 0, GROUP * sizeof *w->list.points);
  memset(w->list.largest, 0, GROUP * sizeof *w->list.largest);
  memset(w->records.above, 0, GROUP * sizeof *w->records.above);
  w->list.points += GROUP;
  w->list.largest += GROUP;
  w->records.above += GROUP;
  w->records.sums += WORDS - 1;
  w->records.grid = stx_rdp_records(&params->grid);
  w->records.rows = w->rows;
  w->counts = (Counts){0};
}

/* ---- All columns -------------------------------------------------------------------------- */

/* Shared by the threads. */
typedef struct {
  const StxRdpParams *params;
  StxStixel *segments;
  char *workers;
  size_t worker_size;
  size_t count;    /* segments of the batches before `turn` */
  atomic_int turn; /* the first batch whose segments are not counted yet */
} Shared;

static Worker *worker_at(const Shared *shared, int worker)
{
  return (Worker *)(void *)(shared->workers + (size_t)worker * shared->worker_size);
}

static void do_batch(void *data, int i, int worker)
{
  Shared *shared = data;
  Worker *w = worker_at(shared, worker);
  int columns = stx_grid_columns(&shared->params->grid), batch = batch_of(w->rows);
  int first = i * batch, end = first + batch < columns ? first + batch : columns;
  size_t segments = split_columns(w, first, end);
  StxBackoff backoff = {0};
  /* Its records lie behind those of all batches before, which have begun earlier. */
  while (atomic_load_explicit(&shared->turn, memory_order_acquire) != i)
    stx_parallel_wait(&backoff);
  size_t place = shared->count;
  shared->count += segments;
  atomic_store_explicit(&shared->turn, i + 1, memory_order_release);
  if (shared->segments != NULL)
    write_columns(w, first, end, shared->segments + place);
  else if (w->kept != NULL)
    write_columns(w, first, end, NULL);
}

bool STX_VARIANT(stx_rdp_run)(const StxRdpParams *params, const void *columns, StxStixel *segments,
    uint8_t *kept, StxRdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  Worker layout;
  Shared shared = {params, segments, scratch, .worker_size = lay_out_worker(params, &layout, NULL)};
  StxRdpResult sum = {0};
  int columns_count = stx_grid_columns(&params->grid),
      batch = batch_of(stx_grid_rows(&params->grid));
  atomic_init(&shared.turn, 0);
  for (int w = 0; w < place->threads; w++)
    new_worker(
        params, columns, kept, place->threads, shared.workers + (size_t)w * shared.worker_size);
  stx_parallel(place->threads, (columns_count + batch - 1) / batch, do_batch, &shared);
  sum.count = (uint32_t)shared.count;
  for (int w = 0; w < place->threads; w++) {
    const Counts *counts = &worker_at(&shared, w)->counts;
    sum.unknown += counts->unknown;
    sum.levels += counts->levels;
    sum.levels_squared += counts->levels_squared;
    sum.deepest = counts->deepest > sum.deepest ? counts->deepest : sum.deepest;
  }
  *result = sum;
  return true;
}
