/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semi-global matching, the fast one; compiled once per instruction set. See sgm.h for the
 * recurrence and docs/algorithms/sgm.md for measurements.
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
 * A sweep is cut into tiles of TILE_ROWS × TILE_COLUMNS pixels that OpenMP runs as tasks once the
 * tile to the left and the tile above and to the right are done. Each row of a tile begins one
 * pixel further left than the row above, so that the path from the upper right finds its
 * predecessor in the same tile or in one of these two.
 */
#include "common/sgm/sgm_finish.inc.h"
#include "common/sgm/sgm_private.h"
#include "common/sgm/sgm_planes.inc.h"
#include "common/sgm/sgm_winner.inc.h"

#define TILE_ROWS 16
#define TILE_COLUMNS 128 /* >= TILE_ROWS, or the skew would reach beyond the next tile */

/* ---- Scratch ------------------------------------------------------------------------------ */

static uint8_t *take(uint8_t **at, size_t size)
{
  uint8_t *block = *at;
  *at += stx_align(size);
  return block;
}

static int tiles(int length, int tile)
{
  return (length + tile - 1) / tile;
}

static int tile_columns(const StxSgmParams *params)
{
  return tiles(params->width + TILE_ROWS - 1, TILE_COLUMNS);
}

static void take_sweep(Sweep *sweep, const StxSgmParams *params, uint8_t **at)
{
  size_t count = (size_t)params->max_disparity, width = (size_t)params->width;
  size_t height = (size_t)params->height;
  sweep->left = take(at, height * count);
  sweep->up = take(at, width * count);
  sweep->up_left = take(at, params->paths == 8 ? (width + height) * count : 0);
  sweep->up_right = take(at, params->paths == 8 ? (width + height) * count : 0);
}

/* Lays everything out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Fast *f, const StxSgmParams *params, int threads, void *base)
{
  uint8_t *at = base;
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
  f->states_size = (size_t)(at - (uint8_t *)base);
  f->gray[0] = take(&at, f->gray_stride * height);
  f->gray[1] = take(&at, f->gray_stride * height);
  f->line = take(&at, f->line_stride * (size_t)threads);
  f->left_planes = take(&at, PLANES * area);
  f->right_planes = take(&at, PLANES * plane_stride(f) * height);
  f->volume = take(&at, area * count);
  f->right_keys = take(&at, 2 * count * height);
  f->value = (uint16_t *)take(&at, area * sizeof(uint16_t));
  f->winner = take(&at, area);
  f->right_winner = take(&at, area);
  f->margin = take(&at, area);
  f->done = (char *)take(
      &at, 2 * (size_t)(tiles(params->height, TILE_ROWS) + 1) * (size_t)tile_columns(params));
  return (size_t)(at - (uint8_t *)base);
}

size_t STX_VARIANT(stx_sgm_scratch)(const StxSgmParams *params, int threads)
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
}

/* Makes the tasks of one row of tiles. done: tokens of this row of tiles, above: of the last. */
static void make_tasks(const Fast *f, const Sweep *sweep, Tile tile, char *above, char *done)
{
  int last = tile_columns(f->params) - 1;
  for (tile.column = 0; tile.column <= last; tile.column++) {
#pragma omp task firstprivate(f, sweep, tile)                                                      \
    depend(in                                                                                      \
           : above[limit(tile.column + 1, last)], done[limit(tile.column - 1, last)])              \
        depend(out                                                                                 \
               : done[tile.column])
    sweep_tile(f, sweep, tile);
  }
}

/* The first or the second half of both sweeps. */
static void sweep_half(const Fast *f, bool second)
{
  int height = f->params->height, columns = tile_columns(f->params);
  int rows = tiles(height, TILE_ROWS) + 1;
  for (int block = 0; block < rows - 1; block++)
    for (int k = 0; k < 2; k++) {
      int middle = k == 0 ? height / 2 : height - height / 2;
      int end = second ? height : middle, from = (second ? middle : 0) + block * TILE_ROWS;
      char *above = f->done + (size_t)(k * rows + block) * (size_t)columns;
      Tile tile = {from, limit(from + TILE_ROWS, end), 0, second};
      if (from < end)
        make_tasks(f, &f->sweeps[k], tile, above, above + columns);
    }
}

/* ---- Everything --------------------------------------------------------------------------- */

static uint8_t *own_line(const Fast *f)
{
  return f->line + (size_t)stx_thread_index() * f->line_stride;
}

bool STX_VARIANT(stx_sgm_run)(const StxSgmParams *params, const StxImage8 *left,
    const StxImage8 *right, const StxImage16 *disparity, const StxImage8 *confidence, void *scratch,
    const StxPlace *place, StxError *error)
{
  Fast fast;
  const Fast *f = &fast;
  int height = params->height, threads = place->threads;
  lay_out(&fast, params, threads, scratch);
  fast.margins = confidence->data != NULL || params->uniqueness > 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int y = 0; y < height; y++) {
      pad_row(f, 0, left, y);
      pad_row(f, 1, right, y);
    }
#pragma omp single nowait
    {
      memset(f->sweeps[0].left, 0, f->states_size);
      memset(f->right_keys, 0xff, 2 * (size_t)params->max_disparity * (size_t)height);
    }
#pragma omp for schedule(dynamic, 8)
    for (int y = 0; y < height; y++)
      census_row(f, y, own_line(f));
#pragma omp single
    sweep_half(f, false);
#pragma omp single
    sweep_half(f, true);
#pragma omp for schedule(static)
    for (int y = 0; y < height; y++) {
      if (params->lr_max_diff >= 0)
        check_row(f, y);
      if (params->texture >= 0)
        check_texture(f, y);
    }
#pragma omp for schedule(static)
    for (int y = 0; y < height; y++)
      write_row(f, y, disparity, confidence);
  }
  return true;
}
