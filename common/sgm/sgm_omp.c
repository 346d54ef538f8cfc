/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semi-global matching, the fast one; compiled once per instruction set. See sgm.h for the
 * recurrence and docs/algorithms/sgm.md for the reasons.
 *
 *   for all rows                      census of both images, in planes of bits (sgm_planes.inc.h)
 *   both sweeps up to the middle      half sums into the volume (sgm_paths.inc.h)
 *   both sweeps from the middle on    other half sums, S, winners of both views (sgm_winner.inc.h)
 *   for all rows                      left-right check, texture check
 *   for all rows                      median, output (sgm_finish.inc.h)
 *
 * The sweep from the top left and the one from the bottom right start together and meet in the
 * middle: no pixel's half sums are written twice, and S never is: it goes from registers through
 * the level-1 cache into the winner.
 *
 * A sweep is cut into tiles of TILE_ROWS × TILE_COLUMNS pixels, each of which is swept once the
 * tile to the left and the tile above and to the right are done. Each row of a tile begins one
 * pixel further left than the row above, so that the path from the upper right finds its
 * predecessor in the same tile or in one of these two.
 */
#include "common/parallel.h"
#include "common/sgm/sgm_finish.inc.h"
#include "common/sgm/sgm_private.h"
#include "common/sgm/sgm_planes.inc.h"
#include "common/sgm/sgm_sky.h"
#include "common/sgm/sgm_winner.inc.h"

#define CHUNK_ROWS 8 /* rows that a thread takes at a time where rows are independent */
#define TILE_ROWS 16
#define TILE_COLUMNS 128 /* >= TILE_ROWS, or the skew would reach beyond the next tile */

/* ---- Scratch ------------------------------------------------------------------------------ */

static int tiles(int length, int tile)
{
  return (length + tile - 1) / tile;
}

static void take_sweep(Sweep *sweep, const StxSgmParams *params, StxLayout *at)
{
  size_t count = (size_t)params->max_disparity, width = (size_t)params->width;
  size_t height = (size_t)params->height;
  sweep->left = stx_take(at, height * count);
  sweep->up = stx_take(at, width * count);
  sweep->up_left = stx_take(at, params->paths == 8 ? (width + height) * count : 0);
  sweep->up_right = stx_take(at, params->paths == 8 ? (width + height) * count : 0);
}

/* Lays everything out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Fast *f, const StxSgmParams *params, int workers, void *base)
{
  StxLayout at = {.memory = base};
  size_t width = (size_t)params->width, height = (size_t)params->height;
  size_t count = (size_t)params->max_disparity, area = width * height;
  f->params = params;
  f->vectors = params->max_disparity / LANES;
  f->gray_stride = stx_align(width + PIECE + WINDOW - 1); /* check_texture reads whole pieces */
  f->residue_stride = (count + width) / (size_t)f->vectors + 1;
  f->line_stride = stx_align(f->residue_stride * (size_t)f->vectors);
  f->sweeps[0].direction = 1;
  f->sweeps[1].direction = -1;
  take_sweep(&f->sweeps[0], params, &at);
  take_sweep(&f->sweeps[1], params, &at);
  f->states_size = at.size;
  f->gray[0] = stx_take(&at, f->gray_stride * height);
  f->gray[1] = stx_take(&at, f->gray_stride * height);
  f->line = stx_take(&at, f->line_stride * (size_t)workers);
  f->left_planes = stx_take(&at, PLANES * area);
  f->right_planes = stx_take(&at, PLANES * plane_stride(f) * height + WORDS);
  f->volume = stx_take(&at, area * count);
  f->right_keys = stx_take(&at, 2 * count * height);
  f->value = stx_take(&at, area * sizeof(uint16_t));
  f->winner = stx_take(&at, area);
  f->right_winner = stx_take(&at, area);
  f->margin = stx_take(&at, area);
  STX_TAKE(&at, f->strips, 2 * tiles(params->height, TILE_ROWS));
  f->sky = stx_take(&at, stx_sgm_sky_scratch(params));
  return at.size;
}

size_t STX_VARIANT(stx_sgm_scratch_size)(const StxSgmParams *params, int threads)
{
  Fast f;
  return lay_out(&f, params, threads, NULL);
}

/* ---- Sweeps ------------------------------------------------------------------------------- */

/* Rows [from, to) of a sweep, at most TILE_ROWS, in the c-th column of tiles. */
typedef struct {
  int from, to, column;
  bool second; /* the other sweep has been here */
} Tile;

static int limit(int value, int high)
{
  return value < 0 ? 0 : value > high ? high : value;
}

static void sweep_tile(const Fast *f, const Sweep *sweep, Tile tile)
{
  uint8_t sums[STRETCH_PIXELS * MAX_DISPARITY] __attribute__((aligned(64)));
  int width = f->params->width;
  for (int j = tile.from; j < tile.to; j++) {
    int begin = limit(tile.column * TILE_COLUMNS - (j - tile.from), width);
    int end = limit((tile.column + 1) * TILE_COLUMNS - (j - tile.from), width);
    for (int i = begin; i < end; i += STRETCH_PIXELS) {
      int y = sweep->direction > 0 ? j : f->params->height - 1 - j;
      Stretch s = {f, sweep, j, y, i, limit(i + STRETCH_PIXELS, end)};
      follow_paths(&s, tile.second ? sums : NULL);
      if (tile.second)
        pick_winners(&s, sums);
    }
  }
  if (!tile.second)
    stream_fence();
}

/* Shared by the threads that sweep the first or the second half of both sweeps. */
typedef struct {
  const Fast *f;
  bool second;
  int strips, columns; /* strips of both sweeps, tiles of a strip */
  atomic_int left;     /* tiles */
} Half;

/* The rows of a strip; none where the other sweep has the longer half. */
static Tile strip_rows(const Half *half, int strip)
{
  int height = half->f->params->height, sweep = strip % 2, block = strip / 2;
  int middle = sweep == 0 ? height / 2 : height - height / 2;
  int end = half->second ? height : middle;
  int from = (half->second ? middle : 0) + block * TILE_ROWS;
  return (Tile){from, limit(from + TILE_ROWS, end), 0, half->second};
}

/* May the next tile of a strip be swept? */
static bool is_ready(const Half *half, int strip)
{
  Strip *strips = half->f->strips;
  int next = atomic_load_explicit(&strips[strip].done, memory_order_acquire);
  if (next >= half->columns || strip < 2)
    return next < half->columns;
  int above = atomic_load_explicit(&strips[strip - 2].done, memory_order_acquire);
  return above >= limit(next + 2, half->columns);
}

/* A strip whose next tile may be swept, and which is the caller's from now on; or −1. */
static int take_strip(const Half *half)
{
  for (int strip = 0; strip < half->strips; strip++) {
    Strip *s = &half->f->strips[strip];
    if (!is_ready(half, strip) || atomic_exchange_explicit(&s->taken, true, memory_order_acquire))
      continue;
    if (is_ready(half, strip))
      return strip;
    atomic_store_explicit(&s->taken, false, memory_order_release);
  }
  return -1;
}

/* Sweeps tiles of a strip as long as they are ready. */
static void sweep_strip(Half *half, int strip)
{
  Strip *s = &half->f->strips[strip];
  Tile tile = strip_rows(half, strip);
  do {
    tile.column = atomic_load_explicit(&s->done, memory_order_relaxed);
    sweep_tile(half->f, &half->f->sweeps[strip % 2], tile);
    atomic_store_explicit(&s->done, tile.column + 1, memory_order_release);
    atomic_fetch_sub_explicit(&half->left, 1, memory_order_release);
  } while (is_ready(half, strip));
  atomic_store_explicit(&s->taken, false, memory_order_release);
}

/* Sweeps tiles until all are done. If none is ready, another thread is sweeping one. */
static void sweep_tiles(void *data, int i, int worker)
{
  Half *half = data;
  StxBackoff backoff = {0};
  while (atomic_load_explicit(&half->left, memory_order_acquire) > 0) {
    int strip = take_strip(half);
    if (strip >= 0) {
      sweep_strip(half, strip);
      backoff = (StxBackoff){0};
    } else {
      stx_parallel_wait(&backoff);
    }
  }
}

/* The first or the second half of both sweeps. */
static void sweep_half(const Fast *f, bool second, int workers)
{
  int columns = tiles(f->params->width + TILE_ROWS - 1, TILE_COLUMNS);
  int blocks = tiles(f->params->height, TILE_ROWS), left = 0;
  Half half = {.f = f, .second = second, .strips = 2 * blocks, .columns = columns};
  for (int strip = 0; strip < half.strips; strip++) {
    Tile tile = strip_rows(&half, strip);
    bool used = tile.from < tile.to;
    atomic_init(&f->strips[strip].done, used ? 0 : columns);
    atomic_init(&f->strips[strip].taken, false);
    left += used ? columns : 0;
  }
  atomic_init(&half.left, left);
  stx_parallel(workers, workers, sweep_tiles, &half);
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Everything run() was given, for loops over rows. */
typedef struct {
  const Fast *f;
  const StxImage8 *left, *right;
  const StxImage16 *disparity;
  const StxImage8 *confidence;
} Frame;

static int chunk_end(const Fast *f, int chunk)
{
  return limit((chunk + 1) * CHUNK_ROWS, f->params->height);
}

static void pad_rows(void *data, int chunk, int worker)
{
  const Frame *frame = data;
  for (int y = chunk * CHUNK_ROWS, end = chunk_end(frame->f, chunk); y < end; y++) {
    pad_row(frame->f, 0, frame->left, y);
    pad_row(frame->f, 1, frame->right, y);
  }
}

static void census_rows(void *data, int chunk, int worker)
{
  const Fast *f = ((const Frame *)data)->f;
  uint8_t *line = f->line + (size_t)worker * f->line_stride;
  for (int y = chunk * CHUNK_ROWS, end = chunk_end(f, chunk); y < end; y++)
    census_row(f, y, line);
}

static void check_rows(void *data, int chunk, int worker)
{
  const Fast *f = ((const Frame *)data)->f;
  for (int y = chunk * CHUNK_ROWS, end = chunk_end(f, chunk); y < end; y++) {
    if (f->params->lr_max_diff >= 0)
      check_row(f, y);
    if (f->params->texture >= 0)
      check_texture(f, y, (size_t)y * (size_t)f->params->width);
  }
}

static void write_rows(void *data, int chunk, int worker)
{
  const Frame *frame = data;
  for (int y = chunk * CHUNK_ROWS, end = chunk_end(frame->f, chunk); y < end; y++)
    write_row(frame->f, y, frame->disparity, frame->confidence);
}

/* ---- Everything --------------------------------------------------------------------------- */

bool STX_VARIANT(stx_sgm_run)(const StxSgmParams *params, const StxImage8 *left,
    const StxImage8 *right, const StxImage16 *disparity, const StxImage8 *confidence, void *scratch,
    const StxPlace *place, StxError *error)
{
  Fast fast;
  Frame frame = {&fast, left, right, disparity, confidence};
  int workers = place->threads, chunks = tiles(params->height, CHUNK_ROWS);
  lay_out(&fast, params, workers, scratch);
  fast.margins = confidence->data != NULL || params->uniqueness > 0;
  stx_parallel(workers, chunks, pad_rows, &frame);
  memset(fast.sweeps[0].left, params->p2, fast.states_size);
  memset(fast.right_keys, 0xff, 2 * (size_t)params->max_disparity * (size_t)params->height);
  stx_parallel(workers, chunks, census_rows, &frame);
  sweep_half(&fast, false, workers);
  sweep_half(&fast, true, workers);
  stx_parallel(workers, chunks, check_rows, &frame);
  stx_parallel(workers, chunks, write_rows, &frame);
  stx_sgm_last_steps(params, left, right, disparity, confidence, fast.sky, workers);
  return true;
}
