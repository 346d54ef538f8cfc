/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp, the fast CPU code: batches of columns are split (rdp_split.inc.h) into lists of kept points;
 * when all are, the records of all columns have their places and are written there.
 * docs/algorithms/rdp.md tells what was tried.
 */
#include "common/rdp/rdp_cells.inc.h"
#include "common/parallel.h"
#include "common/rdp/rdp_private.h"
#include "common/rdp/rdp_math.h"
#include "common/rdp/rdp_split.inc.h"

#define BATCH 8       /* columns that are split together */
#define WRITE_BATCH 8 /* columns whose records are written without asking for more */
#define GROUP 16      /* records that are made together */
#define MOST_FEW 48   /* segments of a column whose weights are summed up one by one */
#define WORDS 16      /* in STX_ALIGN bytes: what begins one word before them is stored faster */

/* The kept points of a column, the lowest first, and for each the largest x of the segment that
 * begins there and goes down. Lists end where their room ends, but for zeros for a group. */
typedef struct {
  uint32_t *points;
  int32_t *largest;
} Cuts;

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

/* Words of a list. */
static inline size_t list_size(int rows)
{
  return (size_t)rows + 1 + GROUP;
}

/* Where the list of a column ends. */
static inline Cuts list_end(Cuts cuts, int rows, int column)
{
  size_t end = (size_t)(column + 1) * list_size(rows) - 1 - GROUP;
  Cuts list = {cuts.points + end, cuts.largest + end};
  return list;
}

/* Columns whose segments are followed at once: a step waits for the last one. */
#define TOGETHER 4

/* Lists the kept points of the columns `column` … + count − 1, from the ends of the lists on. */
static void list_some(Worker *w, int column, int count, const uint32_t *first, const uint32_t *last,
    Cuts cuts, int *counts)
{
  const Splitter *s = &w->splitter;
  uint32_t at[TOGETHER], stop[TOGETHER], levels[TOGETHER], open = 1;
  Cuts lists[TOGETHER];
  int segments[TOGETHER] = {0};
  for (int c = 0; c < TOGETHER; c++) {
    int used = c < count ? c : count - 1; /* the last one again if there are fewer */
    at[c] = first[used];
    stop[c] = last[used];
    s->marks[stop[c]] = 0;
    levels[c] = 1;
    lists[c] = list_end(cuts, w->rows, column + used);
  }
  for (int i = 0; open != 0; i--) {
    open = 0;
    for (int c = 0; c < TOGETHER; c++) {
      uint64_t mark = s->marks[at[c]];
      uint32_t steps = (uint32_t)mark;
      lists[c].points[i] = s->points[at[c]];
      lists[c].largest[i] = (int32_t)(mark >> 32);
      levels[c] = steps >> 16 > levels[c] ? steps >> 16 : levels[c];
      segments[c] += at[c] != stop[c];
      open |= at[c] ^ stop[c];
      at[c] += steps & 0xFFFF;
    }
  }
  for (int c = 0; c < count; c++) {
    for (int i = 1; i <= GROUP; i += LANES) {
      ri_store(lists[c].points + i, ri_set(0));
      ri_store(lists[c].largest + i, ri_set(0));
    }
    counts[column + c] = segments[c];
    w->counts.levels += levels[c];
    w->counts.levels_squared += (uint64_t)levels[c] * levels[c];
    w->counts.deepest = levels[c] > w->counts.deepest ? levels[c] : w->counts.deepest;
  }
}

static void mark_kept(const Worker *w, int column, const uint32_t *points, int count)
{
  uint8_t *kept = w->kept + (size_t)column * (size_t)w->rows;
  memset(kept, 0, (size_t)w->rows);
  for (int i = 0; i <= count; i++)
    kept[points[-i] & 0xFFFF] = 1;
}

/* Splits the columns first … end − 1; counts are those of their segments. */
static void split_columns(Worker *w, int first, int end, Cuts cuts, int *counts)
{
  Splitter *s = &w->splitter;
  uint32_t *to = s->points, begin[BATCH], last[BATCH];
  for (int queue = 0; queue < QUEUES; queue++)
    s->queues[queue].count = 0;
  for (int column = first; column < end; column++) {
    const uint16_t *cells = stx_column(&w->params->grid, (void *)w->columns, 0, column);
    to = s->points + ((size_t)(to - s->points) + WORDS) / WORDS * WORDS - 1;
    int known, count = write_points(filtered(w, cells), w->rows, &to, &known);
    begin[column - first] = (uint32_t)(to - s->points);
    last[column - first] = begin[column - first] + (uint32_t)count - 1;
    uint32_t steps = steps_of(count - 1, 1);
    s->marks[begin[column - first]] = steps;
    push(s, begin[column - first], steps, count - 1);
    w->counts.unknown += (uint64_t)(w->rows - known);
    to += count;
  }
  split_all(s);
  for (int i = 0; i < end - first; i += TOGETHER) {
    int some = end - first - i < TOGETHER ? end - first - i : TOGETHER;
    list_some(w, first + i, some, begin + i, last + i, cuts, counts);
  }
  if (w->kept != NULL)
    for (int column = first; column < end; column++)
      mark_kept(w, column, list_end(cuts, w->rows, column).points, counts[column]);
}

/* ---- Records ------------------------------------------------------------------------------ */

/* The sum of the weights above each cell; returns that of all. */
static uint32_t sum_weights(const uint16_t *weights, int rows, uint32_t *sums)
{
  uint16_t rest[LANES] = {0};
  Ints sum = ri_set(0);
  int i = 0;
  *sums++ = 0;
  for (; i + LANES <= rows; i += LANES) {
    Ints running = ri_running(weights + i);
    ri_store(sums + i, ri_add(running, sum));
    sum = ri_add(sum, ri_last(running));
  }
  memcpy(rest, weights + i, (size_t)(rows - i) * sizeof *rest);
  sum = ri_add(ri_running(rest), sum);
  ri_store(sums + i, sum);
  return (uint32_t)ri_lane0(ri_last(sum));
}

#define PAIRED (2 * LANES)

/* For every lane the sum of two weights, each less 32768, since a product takes them with a sign;
 * only of the first `count` weights. */
INLINE Ints paired(const uint16_t *weights, int count)
{
  static const int16_t ones[64] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  return ri_dot(ri_flip(ri_load(weights)), ri_load(ones + 32 - count));
}

/* The sums of the weights above some points, and first of all: less work per cell, more per point.
 */
static void sum_weights_above(const uint16_t *weights, int rows, const uint32_t *points, int count,
    uint32_t *lanes, uint32_t *sums)
{
  uint16_t rest[PAIRED] = {0};
  Ints sum = ri_set(0);
  uint32_t *to = lanes;
  int i = 0;
  for (; i + PAIRED <= rows; i += PAIRED, to += LANES) {
    ri_store(to, sum);
    sum = ri_add(sum, paired(weights + i, PAIRED));
  }
  ri_store(to, sum);
  memcpy(rest, weights + i, (size_t)(rows - i) * sizeof *rest);
  sums[0] = (uint32_t)ri_total(ri_add(sum, paired(rest, rows - i))) + (uint32_t)rows * 32768;
  for (int j = 1; j <= count; j++) {
    uint32_t at = points[j] & 0xFFFF, inside = at % PAIRED, from = at - inside;
    Ints cells = paired((int)from < i ? weights + from : rest, (int)inside);
    sums[j] = (uint32_t)ri_total(ri_add(ri_load(lanes + from / 2), cells)) + at * 32768;
  }
}

#define WORDS_OF_RECORD (sizeof(StxStixel) / sizeof(uint32_t))

/* Writes GROUP records: of the segments between the points, which have the sums of weights above
 * them; the largest x belongs to the upper point of each. */
static __attribute__((noinline)) void write_group(const StxRdpRecords *grid, int column,
    const uint32_t *points, const int32_t *largest, const uint32_t *sums, void *records)
{
  StxRdpRecords common = *grid; /* a copy: loads under a condition would not become vectors */
  const uint32_t kind = (uint32_t)STX_KIND_SEGMENT << 16 | (uint32_t)STX_LABEL_NONE << 24;
  uint32_t places[2][GROUP];
  float values[4][GROUP];
#pragma omp simd
  for (int i = 0; i < GROUP; i++) {
    StxRdpSegment segment = {column, (int)(points[i + 1] & 0xFFFF), (int)(points[i] & 0xFFFF),
        points[i + 1] >> 16 ^ 0x8000, points[i] >> 16 ^ 0x8000, (uint32_t)largest[i + 1],
        sums[i] - sums[i + 1]};
    StxRdpLine line = stx_rdp_line(&common, &segment);
    places[0][i] = (uint32_t)column | (uint32_t)line.top << 16;
    places[1][i] = ((uint32_t)line.bottom & 0xFFFF) | kind;
    values[0][i] = line.disparity_top;
    values[1][i] = line.disparity_bottom;
    values[2][i] = line.cost;
    values[3][i] = line.confidence;
  }
  for (int i = 0; i < GROUP; i += LANES) {
    Ints words[WORDS_OF_RECORD] = {ri_load(places[0] + i), ri_load(places[1] + i)};
    for (int j = 0; j < 4; j++)
      words[2 + j] = ri_load(values[j] + i);
    ri_records((char *)records + (size_t)i * sizeof(StxStixel), words);
  }
}

static void write_column(Worker *w, int column, Cuts list, int count, StxStixel *records)
{
  const StxGrid *grid = &w->params->grid;
  const uint16_t *weights = stx_column(grid, (void *)w->columns, 1, column);
  const uint32_t *points = list.points - count;
  const int32_t *largest = list.largest - count;
  StxRdpRecords common = stx_rdp_records(grid);
  bool few = count <= MOST_FEW;
  uint32_t sums[MOST_FEW + GROUP + 1] = {0}, *above = sums;
  if (few)
    sum_weights_above(weights, w->rows, points, count, w->sums + 1, sums);
  else
    sums[0] = sum_weights(weights, w->rows, w->sums);
  for (int done = 0; done < count; done += GROUP) {
    int left = count - done;
    for (int i = 1; i <= GROUP && !few; i++)
      sums[i] = w->sums[points[done + i] & 0xFFFF];
    StxStixel rest[GROUP];
    write_group(&common, column, points + done, largest + done, above,
        left < GROUP ? rest : records + done);
    if (left < GROUP)
      memcpy(records + done, rest, (size_t)left * sizeof *rest);
    if (few)
      above += GROUP;
    else
      sums[0] = sums[GROUP];
  }
}

/* ---- All columns -------------------------------------------------------------------------- */

/* What the threads share. */
typedef struct {
  const StxRdpParams *params;
  StxStixel *segments;
  size_t *places; /* of the columns' records */
  int *counts;    /* of them */
  Cuts cuts;
  char *workers;
  size_t worker_size;
} Shared;

static size_t lay_out_shared(const StxGrid *grid, Shared *shared, char *memory)
{
  size_t columns = (size_t)stx_grid_columns(grid);
  size_t words = columns * list_size(stx_grid_rows(grid));
  StxLayout at = {.memory = memory};
  STX_TAKE(&at, shared->places, columns);
  STX_TAKE(&at, shared->counts, columns);
  STX_TAKE(&at, shared->cuts.points, words);
  STX_TAKE(&at, shared->cuts.largest, words);
  return at.size;
}

/*
 * `w` is the first thing in the memory. A queue holds the segments that are not split and those
 * that are: fewer than half, and fewer than all of the points. Where the last ones do not fill a
 * vector it is filled up, which happens no more often than segments of a queue beget each other:
 * 16 times.
 */
static size_t lay_out_worker(const StxRdpParams *params, Worker *w, char *memory)
{
  size_t rows = (size_t)stx_grid_rows(&params->grid);
  size_t points = BATCH * (rows + 2 + WORDS) + LANES + SPARE, room = 3 * points / 2 + 18 * LANES;
  Splitter *s = &w->splitter;
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof(Worker));
  STX_TAKE(&at, s->points, points);
  STX_TAKE(&at, s->marks, points);
  for (int queue = 0; queue < QUEUES; queue++) {
    STX_TAKE(&at, s->queues[queue].first, room);
    STX_TAKE(&at, s->queues[queue].steps, room);
  }
  STX_TAKE(&at, w->cells[0], rows + 2 * MEDIAN_REACH);
  STX_TAKE(&at, w->cells[1], rows);
  STX_TAKE(&at, w->sums, rows + 1 + LANES + WORDS);
  if (memory != NULL)
    w->sums += WORDS - 1;
  s->spare = (uint32_t)(points - SPARE);
  return at.size;
}

size_t STX_VARIANT(stx_rdp_scratch)(const StxRdpParams *params, int threads)
{
  Worker worker;
  Shared shared;
  return lay_out_shared(&params->grid, &shared, NULL) +
         threads * lay_out_worker(params, &worker, NULL);
}

static void new_worker(const StxRdpParams *params, const void *columns, uint8_t *kept, char *memory)
{
  Worker *w = (Worker *)memory;
  lay_out_worker(params, w, memory);
  w->params = params;
  w->columns = columns;
  w->kept = kept;
  w->rows = stx_grid_rows(&params->grid);
  w->splitter.epsilon = stx_rdp_epsilon(params);
  w->counts = (Counts){0};
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

static void add_counts(const Counts *counts, StxRdpResult *result)
{
  result->unknown += counts->unknown;
  result->levels += counts->levels;
  result->levels_squared += counts->levels_squared;
  result->deepest = counts->deepest > result->deepest ? counts->deepest : result->deepest;
}

static Worker *worker_at(const Shared *shared, int worker)
{
  return (Worker *)(void *)(shared->workers + (size_t)worker * shared->worker_size);
}

static void split_batch(void *data, int i, int worker)
{
  const Shared *shared = data;
  int columns = stx_grid_columns(&shared->params->grid), end = (i + 1) * BATCH;
  split_columns(worker_at(shared, worker), i * BATCH, end < columns ? end : columns, shared->cuts,
      shared->counts);
}

static void write_batch(void *data, int i, int worker)
{
  const Shared *shared = data;
  int columns = stx_grid_columns(&shared->params->grid), end = (i + 1) * WRITE_BATCH;
  for (int c = i * WRITE_BATCH; c < end && c < columns; c++)
    write_column(worker_at(shared, worker), c,
        list_end(shared->cuts, stx_grid_rows(&shared->params->grid), c), shared->counts[c],
        shared->segments + shared->places[c]);
}

bool STX_VARIANT(stx_rdp_run)(const StxRdpParams *params, const void *columns, StxStixel *segments,
    uint8_t *kept, StxRdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  Worker layout;
  Shared shared = {params, segments, .worker_size = lay_out_worker(params, &layout, NULL)};
  StxRdpResult sum = {0};
  int workers = place->threads, count = stx_grid_columns(&params->grid);
  shared.workers = (char *)scratch + lay_out_shared(&params->grid, &shared, scratch);
  for (int w = 0; w < workers; w++)
    new_worker(params, columns, kept, shared.workers + (size_t)w * shared.worker_size);
  stx_parallel(workers, (count + BATCH - 1) / BATCH, split_batch, &shared);
  sum.count = (uint32_t)place_columns(shared.counts, count, shared.places);
  if (segments != NULL)
    stx_parallel(workers, (count + WRITE_BATCH - 1) / WRITE_BATCH, write_batch, &shared);
  for (int w = 0; w < workers; w++)
    add_counts(&worker_at(&shared, w)->counts, &sum);
  *result = sum;
  return true;
}
