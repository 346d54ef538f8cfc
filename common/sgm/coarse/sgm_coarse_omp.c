/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Coarse-to-fine search, the fast one; compiled once per instruction set. See sgm_coarse.h for what
 * it computes.
 *
 *   for some rows of all levels       pictures with repeated borders
 *   for all levels, coarsest first
 *     for all lines                   census words, and the windows of their blocks
 *     both sweeps up to the middle    half sums and costs into the volume
 *     both from the middle on         other half sums, S, winners (sgm_coarse_sweep.inc.h)
 *   or, for the top level of 64       full search
 *   for all lines                     left-right check, texture check
 *   for all lines                     median
 *   for all rows                      output
 *
 * As in full search the two sweeps meet in the middle, and are cut into tiles, here of a row of
 * blocks × TILE_COLUMNS, skewed by a block per line. Levels come one after the other and share what
 * they do not leave behind: census words, volume and paths.
 */
#include "common/parallel.h"
#include "common/sgm/coarse/sgm_coarse_sweep.inc.h"
#include "common/sgm/sgm_private.h"
#include "common/sgm/sgm_sky.h"

#define MAX_LEVELS STX_SGM_COARSE_LEVELS

typedef struct {
  Level levels[MAX_LEVELS];
  StxSgmParams line_params; /* the finest level's lines as a picture */
  Fast lines;
  StxImage16 median; /* their values and confidences in the end */
  StxImage8 sure;
  int count, level; /* of the levels; the one that is matched */
  bool second;      /* half of both sweeps */
  uint8_t *volume;
  atomic_int *done; /* tiles of each strip of both sweeps, in turns */
  uint16_t *keys;   /* a row for each worker */
  size_t states_size;
  StxSgmParams full_params; /* of a top level that is searched in full, */
  StxImage16 full;          /* its values, and what that needs, both in the volume's place */
  void *full_scratch;
  void *sky;
  const StxImage8 *left, *right;
  const StxImage16 *disparity;
  const StxImage8 *confidence;
} Coarse;

/* ---- Scratch ------------------------------------------------------------------------------ */

static int parts(int length, int part)
{
  return (length + part - 1) / part;
}

static void size_level(Level *level, const StxSgmParams *params, int k)
{
  level->params = *params;
  level->params.width = stx_sgm_coarse_size(params->width, k);
  level->params.height = stx_sgm_coarse_size(params->height, k);
  level->params.max_disparity >>= k;
  level->params.p2 = stx_sgm_coarse_p2(params->p2);
  level->top = level->params.max_disparity == STX_SGM_COARSE_TOP;
  level->lines = stx_sgm_coarse_lines(level->params.height);
  level->columns = stx_sgm_coarse_blocks(level->params.width);
  level->rows = stx_sgm_coarse_blocks(level->params.height);
  level->left_stride = stx_align((size_t)level->params.width);
  level->right_stride = stx_align(
      (size_t)level->params.max_disparity + stx_align((size_t)level->params.width) + LANES);
}

/* The result of a level. The census of the finest is made of smoothed pictures. */
static void take_level(Level *level, bool finest, StxLayout *at)
{
  size_t width = (size_t)level->params.width, height = (size_t)level->params.height;
  Fast *f = &level->f;
  f->params = &level->params;
  f->gray_stride = stx_align(width + PIECE + WINDOW - 1);
  for (int side = 0; side < 2; side++) {
    f->gray[side] = stx_take(at, f->gray_stride * height);
    level->seen[side] = finest ? stx_take(at, f->gray_stride * height) : f->gray[side];
  }
  f->winner = stx_take(at, width * (size_t)level->lines);
  level->starts = stx_take(at, 2 * (size_t)level->columns * (size_t)level->rows);
}

static void take_sweep(Sweep *sweep, const Level *level, StxLayout *at)
{
  size_t width = (size_t)level->params.width, lines = (size_t)level->lines;
  size_t diagonals = level->params.paths == 8 ? width + lines : 0;
  sweep->left = stx_take(at, lines * CELL);
  sweep->up = stx_take(at, width * CELL);
  sweep->up_left = stx_take(at, diagonals * CELL);
  sweep->up_right = stx_take(at, diagonals * CELL);
}

/* Lays out what full search of the top level leaves and needs; returns the bytes used. */
static size_t take_full(Coarse *c, int workers, void *base)
{
  StxLayout at = {.memory = base};
  const StxSgmParams *full = &c->full_params;
  if (c->levels[c->count - 1].top)
    return 0;
  c->full = (StxImage16){NULL, 2 * full->width, full->width, full->height};
  STX_TAKE(&at, c->full.data, full->width * full->height);
  c->full_scratch = stx_take(&at, STX_VARIANT(stx_sgm_scratch_size)(full, workers));
  return at.size;
}

/* Shared by the levels, in the sizes of the finest, which has the most lines. */
static void take_shared(Coarse *c, int workers, StxLayout *at)
{
  Level *finest = &c->levels[0];
  Fast *f = &finest->f;
  size_t width = (size_t)finest->params.width, lines = (size_t)finest->lines;
  f->left_planes = stx_take(at, PAIR_PLANES * finest->left_stride * lines);
  f->right_planes = stx_take(at, PAIR_PLANES * finest->right_stride * lines);
  size_t volume = width * lines * SLOT, full = take_full(c, workers, NULL);
  c->volume = stx_take(at, volume > full ? volume : full);
  take_full(c, workers, c->volume);
  size_t before = at->size;
  take_sweep(&f->sweeps[0], finest, at);
  take_sweep(&f->sweeps[1], finest, at);
  c->states_size = at->size - before;
  f->sweeps[0].direction = 1;
  f->sweeps[1].direction = -1;
  for (int k = 1; k < c->count; k++) {
    c->levels[k].f.left_planes = f->left_planes;
    c->levels[k].f.right_planes = f->right_planes;
    memcpy(c->levels[k].f.sweeps, f->sweeps, sizeof f->sweeps);
  }
  STX_TAKE(at, c->done, 2 * finest->rows);
  STX_TAKE(at, c->keys, (size_t)workers * width);
}

/* Results by line: before the median, and after it. */
static void take_results(Coarse *c, StxLayout *at)
{
  Level *finest = &c->levels[0];
  int width = finest->params.width;
  size_t pixels = (size_t)width * (size_t)finest->lines;
  finest->f.value = stx_take(at, pixels * sizeof(uint16_t));
  finest->f.margin = stx_take(at, pixels);
  finest->f.right_winner = stx_take(at, pixels);
  c->line_params = finest->params;
  c->line_params.height = finest->lines;
  c->lines = finest->f;
  c->lines.params = &c->line_params;
  c->median = (StxImage16){NULL, 2 * width, width, finest->lines};
  c->sure = (StxImage8){NULL, width, width, finest->lines};
  STX_TAKE(at, c->median.data, pixels);
  STX_TAKE(at, c->sure.data, pixels);
}

/* Lays everything out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Coarse *c, const StxSgmParams *params, int workers, void *base)
{
  StxLayout at = {.memory = base};
  c->count = stx_sgm_coarse_levels(params->max_disparity);
  c->full_params = stx_sgm_coarse_full(params, c->count - 1);
  for (int k = 0; k < c->count; k++) {
    size_level(&c->levels[k], params, k);
    take_level(&c->levels[k], k == 0, &at);
  }
  take_shared(c, workers, &at);
  take_results(c, &at);
  c->sky = stx_take(&at, stx_sgm_sky_scratch(params));
  return at.size;
}

size_t STX_VARIANT(stx_sgm_coarse_scratch_size)(const StxSgmParams *params, int threads)
{
  Coarse c;
  return lay_out(&c, params, threads, NULL);
}

/* ---- Sweeps ------------------------------------------------------------------------------- */

/* The line behind the last one of a row of blocks. */
static int lines_end(const Level *level, int block)
{
  return within((block + 1) * BLOCK_LINES, 0, level->lines);
}

static void sweep_tile(const Coarse *c, const Sweep *sweep, int block, int column)
{
  uint8_t sums[BLOCK_LINES * SUMS] __attribute__((aligned(64)));
  const Level *level = &c->levels[c->level];
  Tile tile = {level, sweep, c->volume, c->second ? sums : NULL, block,
      lines_end(level, block) - block * BLOCK_LINES, column * TILE_BLOCKS};
  for (int r = 0; r < tile.lines; r += LINES) {
    follow_paths(&tile, r);
    for (int k = r; c->second && k < within(r + LINES, 0, tile.lines); k++)
      pick_winners(&tile, k, c->level == 0);
  }
  if (!c->second)
    stream_fence();
}

/* The row of blocks of a strip, or −1: the other sweep has the longer half. */
static int block_of(const Coarse *c, int strip)
{
  const Level *level = &c->levels[c->level];
  int middle = level->rows / 2, forward = strip % 2 == 0, k = strip / 2;
  int mine = forward ? middle : level->rows - middle; /* rows of blocks before the middle */
  if (c->second)
    k += mine;
  if (k >= (c->second ? level->rows : mine))
    return -1;
  return forward ? k : level->rows - 1 - k;
}

/* A tile begins when the one before it and two above are done. */
static void sweep_strip(void *data, int strip, int worker)
{
  Coarse *c = data;
  const Level *level = &c->levels[c->level];
  int block = block_of(c, strip), columns = parts(level->columns + BLOCK_LINES - 1, TILE_BLOCKS);
  for (int column = 0; column < columns && block >= 0; column++) {
    int needed = within(column + 2, 0, columns);
    StxBackoff backoff = {0};
    while (strip >= 2 && atomic_load_explicit(&c->done[strip - 2], memory_order_acquire) < needed)
      stx_parallel_wait(&backoff);
    sweep_tile(c, &level->f.sweeps[strip % 2], block, column);
    atomic_store_explicit(&c->done[strip], column + 1, memory_order_release);
  }
}

static void sweep_half(Coarse *c, bool second, int workers)
{
  int strips = 2 * parts(c->levels[c->level].rows, 2);
  c->second = second;
  for (int strip = 0; strip < strips; strip++)
    atomic_init(&c->done[strip], 0);
  stx_parallel(workers, strips, sweep_strip, c);
}

/* ---- Rows of blocks ----------------------------------------------------------------------- */

/* Rows of the finest level of which whole rows of blocks of the coarsest are made. */
static int prepared_rows(const Coarse *c)
{
  return BLOCK << (c->count - 1);
}

/* Some rows of all pictures: coarser ones from those that have just been made. */
static void prepare_rows(void *data, int piece, int worker)
{
  const Coarse *c = data;
  for (int k = 0; k < c->count; k++) {
    const Level *level = &c->levels[k];
    int rows = prepared_rows(c) >> k, end = within((piece + 1) * rows, 0, level->params.height);
    for (int y = piece * rows; y < end; y++)
      for (int side = 0; side < 2; side++)
        if (k == 0) {
          const StxImage8 *image = side == 0 ? c->left : c->right;
          pad_row(&level->f, side, image, y);
          smooth_row(level, side, image, y);
        } else {
          halve_row(level - 1, level, side, y);
        }
  }
}

static void census_lines(void *data, int block, int worker)
{
  const Coarse *c = data;
  const Level *level = &c->levels[c->level];
  choose_windows(level, level->top ? NULL : level + 1, block);
  for (int j = block * BLOCK_LINES, end = lines_end(level, block); j < end; j++)
    census_planes(level, j);
}

static void check_lines(void *data, int block, int worker)
{
  const Coarse *c = data;
  const Level *level = &c->levels[0];
  const Fast *f = &level->f;
  size_t width = (size_t)level->params.width;
  for (int j = block * BLOCK_LINES, end = lines_end(level, block); j < end; j++) {
    if (f->params->lr_max_diff >= 0) {
      right_view(f, j, c->keys + (size_t)worker * width);
      check_row(f, j);
    }
    if (f->params->texture >= 0)
      check_texture(f, j * STEP, (size_t)j * width);
  }
}

static void median_lines(void *data, int block, int worker)
{
  const Coarse *c = data;
  for (int j = block * BLOCK_LINES, end = lines_end(&c->levels[0], block); j < end; j++)
    write_row(&c->lines, j, &c->median, &c->sure);
}

static void write_rows(void *data, int block, int worker)
{
  const Coarse *c = data;
  int end = within((block + 1) * BLOCK, 0, c->levels[0].params.height);
  for (int y = block * BLOCK; y < end; y++)
    take_row(&c->median, &c->sure, y, c->disparity, c->confidence);
}

/* ---- Everything --------------------------------------------------------------------------- */

/* The winners of a top level that is searched in full. */
static bool match_fully(const Coarse *c, const StxPlace *place, StxError *error)
{
  const Level *top = &c->levels[c->count - 1];
  int width = c->full.width, height = c->full.height;
  StxImage8 image[2], unwanted = {NULL, 0, width, height};
  for (int side = 0; side < 2; side++)
    image[side] = (StxImage8){
        top->f.gray[side] + STX_SGM_WINDOW_X, (ptrdiff_t)top->f.gray_stride, width, height};
  bool good = STX_VARIANT(stx_sgm_run)(
      &c->full_params, &image[0], &image[1], &c->full, &unwanted, c->full_scratch, place, error);
  for (int j = 0; j < top->lines; j++)
    for (int x = 0; x < width; x++)
      top->f.winner[(size_t)j * (size_t)width + (size_t)x] =
          (uint8_t)stx_sgm_coarse_nearest(stx_row16(&c->full, STEP * j)[x]);
  return good;
}

static bool match(Coarse *c, const StxPlace *place, StxError *error)
{
  const Level *level = &c->levels[c->level];
  int workers = place->threads;
  if (c->level == c->count - 1 && !level->top)
    return match_fully(c, place, error);
  stx_parallel(workers, level->rows, census_lines, c);
  memset(level->f.sweeps[0].left, 0, c->states_size);
  sweep_half(c, false, workers);
  sweep_half(c, true, workers);
  return true;
}

bool STX_VARIANT(stx_sgm_coarse_run)(const StxSgmParams *params, const StxImage8 *left,
    const StxImage8 *right, const StxImage16 *disparity, const StxImage8 *confidence, void *scratch,
    const StxPlace *place, StxError *error)
{
  Coarse c = {.left = left, .right = right, .disparity = disparity, .confidence = confidence};
  int workers = place->threads;
  lay_out(&c, params, workers, scratch);
  c.levels[0].f.margins = confidence->data != NULL || params->uniqueness > 0;
  stx_parallel(workers, parts(params->height, prepared_rows(&c)), prepare_rows, &c);
  for (c.level = c.count - 1; c.level >= 0; c.level--)
    if (!match(&c, place, error))
      return false;
  stx_parallel(workers, c.levels[0].rows, check_lines, &c);
  stx_parallel(workers, c.levels[0].rows, median_lines, &c);
  stx_parallel(workers, c.levels[0].rows, write_rows, &c);
  stx_sgm_last_steps(params, left, right, disparity, confidence, c.sky, workers);
  return true;
}
