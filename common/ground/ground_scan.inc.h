/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data shared by the threads of ground_omp.c: a scan's scratch, how points and sectors are cut into
 * pieces, and the tables that each worker has of its own.
 */
#pragma once

#include "common/ground/ground_clusters.inc.h"
#include "common/ground/ground_lines_math.h"
#include "common/ground/ground_plane_math.h"
#include "common/simd/simd.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
  BLOCK = 512,
  PIECE = 16 * BLOCK, /* points that a thread takes at a time; */
  SECTORS = 45        /* sectors: the search for lines begins beside them */
};

/* A worker's tables, as a set. */
enum { LOWEST = 1, BINS = 2, OCCUPIED = 4 };

/* A bin's lowest point, of those the nearest, and its highest: see extreme(). `top` has the same
 * word twice. */
typedef struct {
  _Alignas(16) uint64_t low;
  uint64_t top;
} Extremes;

/* The ground in a bin; up: −∞ where there is none. `other`: the label of what is not ground. */
typedef struct {
  _Alignas(16) float intercept;
  float slope, up;
  uint32_t other;
} Level;

#define NO_LINE (-1e30f) /* the intercept where a sector has no line */

/* First the one, then, in the same place, the other. */
typedef union {
  Extremes extremes;
  Level level;
} Bin;

/* The nearest line on one side, by bin: steps to its sector, and its ground. */
typedef struct {
  int32_t *away;
  float *intercept, *slope;
} Near;

/* A worker's own. */
typedef struct {
  unsigned made;                                    /* tables */
  uint64_t lowest[STX_GROUND_CELLS + 4 * LANES_32]; /* by cell, see extreme(); the last are none */
  int32_t range[STX_GROUND_MAX_BINS], z[STX_GROUND_MAX_BINS]; /* prototypes of a sector */
  int32_t top[STX_GROUND_MAX_BINS];                           /* highest points; TOP_NONE: none */
  int number[STX_GROUND_MAX_BINS];                            /* bins of prototypes */
  float intercept[STX_GROUND_MAX_BINS], slope[STX_GROUND_MAX_BINS], up[STX_GROUND_MAX_BINS];
  StxGroundSpan spans[STX_GROUND_MAX_BINS];
  Bin *bin;           /* of the scan; behind them one for points without a bin */
  Near back;          /* of a sector; */
  Near ahead;         /* of those of a piece and the one behind them, which are a row each */
  float *bank;        /* the highest ground around a bin, in its sector; likewise, see bank_row() */
  uint64_t *occupied; /* cells of the clusters' grid, a bit each */
  uint32_t ground, obstacles, lines;
} Worker;

typedef struct {
  const StxGroundParams *params;
  const float *points;
  size_t count, bins;
  int row; /* bins of a sector, and some that stay empty: whole vectors */
  int workers;
  uint32_t *labels;
  StxGroundResult result;
  StxGroundFrame frame;
  StxGroundRules rules;
  StxGroundLows lows;
  Worker **worker;
  Worker **came; /* those that have made the table in question; the first one's is merged into */
  int came_count;

  float *intercept, *slope; /* of the sectors' own lines, by bin of the scan; NO_LINE */
  Bin *bin;                 /* the first worker's, which become levels */

  float *z, *range; /* by point, kept for the labels, which are its bin until then */
  uint32_t *cell;   /* of the clusters' grid */
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

/* ---- Lowest and highest points ------------------------------------------------------------ */

enum {
  EXTREME_MIDDLE = 0x50000000, /* height 0 */
  EXTREME_NONE = 0x7F,         /* every byte of a bin without points */
  TOP_NONE = EXTREME_MIDDLE - EXTREME_NONE * 0x01010101
};

/* The lowest height has the least, of those the nearest; as bits of a double it is positive and
 * ordered alike: |z| < 2^21. */
static inline uint64_t extreme(uint32_t z, uint32_t range)
{
  return (uint64_t)(z + EXTREME_MIDDLE) << 32 | range;
}

static inline void take_extremes(Extremes *to, const Extremes *from)
{
#ifdef __SSE2__
  __m128d least = _mm_load_pd((const double *)(const void *)to);
  __m128d other = _mm_load_pd((const double *)(const void *)from);
  _mm_store_pd((double *)(void *)to, _mm_min_pd(least, other));
#else
  to->low = from->low < to->low ? from->low : to->low;
  to->top = from->top < to->top ? from->top : to->top;
#endif
}

/* ---- Tables ------------------------------------------------------------------------------- */

/* The worker, whose table is empty when it comes for the first time. */
static Worker *worker_with(const Scan *s, int worker, unsigned table)
{
  Worker *w = s->worker[worker];
  if (w->made & table)
    return w;
  if (table == LOWEST)
    memset(w->lowest, EXTREME_NONE, sizeof w->lowest);
  if (table == OCCUPIED)
    memset(w->occupied, 0, stx_ground_occupied_bytes(s->clusters.side));
  if (table == BINS)
    memset(w->bin, EXTREME_NONE, (s->bins + 1) * sizeof *w->bin);
  w->made |= table;
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

static void take_near(Near *near, size_t bins, StxLayout *at)
{
  STX_TAKE(at, near->away, bins);
  STX_TAKE(at, near->intercept, bins);
  STX_TAKE(at, near->slope, bins);
}

static int row_of(const StxGroundParams *params)
{
  return (params->bins + LANES_32 - 1) / LANES_32 * LANES_32;
}

/* A worker, first thing in its memory, and its tables. */
static void take_worker(const StxGroundParams *params, Worker **worker, StxLayout *at)
{
  size_t row = (size_t)row_of(params), bins = (size_t)params->sectors * row;
  Worker layout, *w = stx_take(at, sizeof(Worker));
  if (w != NULL)
    *worker = w;
  else
    w = &layout;
  STX_TAKE(at, w->bin, bins + 1);
  take_near(&w->back, row, at);
  take_near(&w->ahead, (size_t)(SECTORS + 1) * row, at);
  STX_TAKE(at, w->bank, SECTORS * (row + 2 * (size_t)stx_ground_bank(params)) + LANES_32);
  w->occupied = stx_take(at, stx_ground_occupied_bytes(stx_ground_side(params)));
}

/* `s` is the first thing in the memory. */
static size_t lay_out(
    const StxGroundParams *params, size_t count, int workers, Scan *s, char *memory)
{
  size_t bins = (size_t)params->sectors * (size_t)row_of(params);
  StxLayout at = {.memory = memory};
  Worker *none;
  stx_take(&at, sizeof(Scan));
  STX_TAKE(&at, s->worker, workers);
  STX_TAKE(&at, s->came, workers);
  STX_TAKE(&at, s->intercept, bins);
  STX_TAKE(&at, s->slope, bins);
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
  s->row = row_of(params);
  s->bins = (size_t)params->sectors * (size_t)s->row;
  s->labels = labels;
  s->result = (StxGroundResult){0};
  for (int t = 0; t < s->workers; t++) {
    Worker *w = s->worker[t];
    w->made = w->ground = w->obstacles = w->lines = 0;
  }
  return s;
}
