/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the threads of ground_omp.c share: a scan's scratch, how points and sectors are cut into
 * pieces, and the tables that each worker has of its own.
 */
#ifndef STX_GROUND_SCAN_INC_H
#define STX_GROUND_SCAN_INC_H

#include "common/ground/ground_clusters.inc.h"
#include "common/ground/ground_lines_math.h"
#include "common/ground/ground_plane_math.h"

#include <string.h>

enum {
  BLOCK = 256,
  PIECE = 32 * BLOCK, /* points that a thread takes at a time; */
  SECTORS = 24        /* sectors: the search for lines begins beside them */
};

/* A worker's tables, as a set. */
enum { LOWEST = 1, BINS = 2, OCCUPIED = 4 };

/* A worker's own. */
typedef struct {
  unsigned made; /* tables */
  uint64_t lowest[STX_GROUND_CELLS];
  int32_t range[STX_GROUND_MAX_BINS], z[STX_GROUND_MAX_BINS]; /* prototypes of a sector */
  int bin[STX_GROUND_MAX_BINS];
  StxGroundSpan spans[STX_GROUND_MAX_BINS];
  uint64_t *key; /* by bin of the scan; behind them one for points without a bin, arbitrary */
  int32_t *top;
  int32_t *away, *ahead; /* steps to the nearest line, by bin; of the sectors of a piece */
  uint64_t *occupied;    /* cells of the clusters' grid, a bit each */
  uint32_t ground, obstacles, lines;
} Worker;

typedef struct {
  const StxGroundParams *params;
  const float *points;
  size_t count, bins;
  int workers;
  uint32_t *labels;
  StxGroundResult result;
  StxGroundFrame frame;
  StxGroundRules rules;
  StxGroundLows lows;
  Worker **worker;
  Worker **came; /* those that have made the table in question; the first one's is merged into */
  int came_count;

  float *intercept, *slope; /* of the sectors' own lines, by bin of the scan */
  StxGroundLevel *level;    /* with those of their neighbours, likewise */
  uint8_t *has;             /* likewise: has the sector a line there? */

  int32_t *bin; /* by point, kept for the labels */
  float *z, *range;
  uint32_t *cell; /* of the clusters' grid */
  StxGroundClusters clusters;
} Scan;

/* ---- Pieces ------------------------------------------------------------------------------- */

static int pieces_of(size_t count, size_t piece)
{
  return (int)((count + piece - 1) / piece);
}

static size_t piece_end(size_t count, size_t piece, int i)
{
  size_t end = (size_t)(i + 1) * piece;
  return end < count ? end : count;
}

/* The points of the block that begins at `first`. */
static inline int block_size(const Scan *s, size_t first)
{
  return s->count - first < BLOCK ? (int)(s->count - first) : BLOCK;
}

/* ---- Tables ------------------------------------------------------------------------------- */

static void clear_table(const Scan *s, Worker *w, unsigned table)
{
  if (table == LOWEST)
    memset(w->lowest, 0xFF, sizeof w->lowest);
  if (table == OCCUPIED)
    memset(w->occupied, 0, stx_ground_occupied_bytes(s->clusters.side));
  if (table == BINS) {
    memset(w->key, 0xFF, s->bins * sizeof *w->key);
    for (size_t i = 0; i < s->bins; i++)
      w->top[i] = INT32_MIN;
  }
  w->made |= table;
}

/* The worker, whose table is empty when it comes for the first time. */
static Worker *worker_with(const Scan *s, int worker, unsigned table)
{
  Worker *w = s->worker[worker];
  if (!(w->made & table))
    clear_table(s, w, table);
  return w;
}

/* Lists the workers with that table, at least one. */
static void gather(Scan *s, unsigned table)
{
  s->came_count = 0;
  for (int t = 0; t < s->workers; t++)
    if (s->worker[t]->made & table)
      s->came[s->came_count++] = s->worker[t];
  if (s->came_count == 0)
    s->came[s->came_count++] = worker_with(s, 0, table);
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* A worker, first thing in its memory, and its tables. */
static void take_worker(const StxGroundParams *params, Worker **worker, StxLayout *at)
{
  size_t bins = (size_t)params->sectors * (size_t)params->bins;
  Worker layout, *w = stx_take(at, sizeof(Worker));
  if (w != NULL)
    *worker = w;
  else
    w = &layout;
  STX_TAKE(at, w->key, bins + 1);
  STX_TAKE(at, w->top, bins + 1);
  STX_TAKE(at, w->away, params->bins);
  STX_TAKE(at, w->ahead, (size_t)SECTORS * (size_t)params->bins);
  w->occupied = stx_take(at, stx_ground_occupied_bytes(stx_ground_side(params)));
}

/* `s` is the first thing in the memory. */
static size_t lay_out(
    const StxGroundParams *params, size_t count, int workers, Scan *s, char *memory)
{
  size_t bins = (size_t)params->sectors * (size_t)params->bins;
  StxLayout at = {.memory = memory};
  Worker *none;
  stx_take(&at, sizeof(Scan));
  STX_TAKE(&at, s->worker, workers);
  STX_TAKE(&at, s->came, workers);
  STX_TAKE(&at, s->intercept, bins);
  STX_TAKE(&at, s->slope, bins);
  STX_TAKE(&at, s->level, bins);
  STX_TAKE(&at, s->has, bins);
  STX_TAKE(&at, s->bin, count);
  STX_TAKE(&at, s->z, count);
  STX_TAKE(&at, s->range, count);
  STX_TAKE(&at, s->cell, count);
  stx_ground_clusters_take(&at, params, &s->clusters);
  for (int t = 0; t < workers; t++)
    take_worker(params, memory != NULL ? &s->worker[t] : &none, &at);
  return at.size;
}

/* Memory laid out, nothing done yet. */
static Scan *open_scan(const StxGroundParams *params, const float *points, size_t count,
    uint32_t *labels, void *scratch, int threads)
{
  Scan *s = scratch;
  s->workers = threads;
  lay_out(params, count, s->workers, s, scratch);
  s->params = params;
  s->points = points;
  s->count = count;
  s->bins = (size_t)params->sectors * (size_t)params->bins;
  s->labels = labels;
  s->result = (StxGroundResult){0};
  for (int t = 0; t < s->workers; t++) {
    Worker *w = s->worker[t];
    w->made = w->ground = w->obstacles = w->lines = 0;
  }
  return s;
}

#endif
