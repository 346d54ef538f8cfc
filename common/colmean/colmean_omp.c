/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: blocks, threads and the transposition.
 *
 * One parallel loop; its pieces are (block, pass) pairs, where pass −1 is the disparity and weight
 * and the others are class costs. Blocks write to different places of the columns, so nothing is
 * shared. The dearest pieces come first. Holes are filled afterwards.
 */
#include "common/colmean/colmean_omp_private.h"
#include "common/parallel.h"

/* ---- Transposition ------------------------------------------------------------------------ */

typedef uint16_t V8 __attribute__((vector_size(16), aligned(2), may_alias));

/* Interleaves the low or high halves of a and b, as the punpck instructions do. */
static inline V8 low(V8 a, V8 b)
{
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline V8 high(V8 a, V8 b)
{
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/* One step: rows i and i + 4 become rows 2i and 2i + 1. Three of them transpose 8×8. */
static inline void interleave(const V8 in[8], V8 out[8])
{
  for (int i = 0; i < 4; i++) {
    out[2 * i] = low(in[i], in[i + 4]);
    out[2 * i + 1] = high(in[i], in[i + 4]);
  }
}

static inline void transpose8(
    const uint16_t *in, size_t in_stride, uint16_t *out, size_t out_stride)
{
  V8 a[8], b[8];
  for (int i = 0; i < 8; i++)
    a[i] = *(const V8 *)(in + i * in_stride);
  interleave(a, b);
  interleave(b, a);
  interleave(a, b);
  for (int i = 0; i < 8; i++)
    *(V8 *)(out + i * out_stride) = b[i];
}

void STX_VARIANT(stx_colmean_transpose)(
    const uint16_t *in, size_t in_stride, int rows, int columns, uint16_t *out, size_t out_stride)
{
  int whole_rows = rows & ~7, whole_columns = columns & ~7;
  for (int c = 0; c < whole_columns; c += 8) {
    for (int i = c + 8; i < c + 16 && i < columns; i++)
      __builtin_prefetch(out + i * out_stride, 1);
    for (int r = 0; r < whole_rows; r += 8)
      transpose8(in + r * in_stride + c, in_stride, out + c * out_stride + r, out_stride);
  }
  for (int c = 0; c < columns; c++)
    for (int r = c < whole_columns ? whole_rows : 0; r < rows; r++)
      out[c * out_stride + r] = in[r * in_stride + c];
}

void STX_VARIANT(stx_colmean_store)(
    const Job *job, const Block *block, int channel, const Tile *tile)
{
  const StxGrid *grid = &job->params->grid;
  uint16_t *out = stx_column(grid, job->columns, channel, block->column) + block->row;
  STX_VARIANT(stx_colmean_transpose)
  ((*tile)[0], BLOCK_COLUMNS, block->rows, block->columns, out, stx_grid_rows(grid));
}

/* ---- Blocks ------------------------------------------------------------------------------- */

static int blocks_along(int cells, int block)
{
  return (cells + block - 1) / block;
}

static Block block_at(const StxGrid *grid, int column, int row)
{
  Block block = {.column = column, .row = row};
  int columns = stx_grid_columns(grid) - column, rows = stx_grid_rows(grid) - row;
  block.columns = columns < BLOCK_COLUMNS ? columns : BLOCK_COLUMNS;
  block.rows = rows < BLOCK_ROWS ? rows : BLOCK_ROWS;
  block.x0 = column * grid->cell_width;
  block.x1 = (column + block.columns) * grid->cell_width;
  if (block.x1 > grid->width)
    block.x1 = grid->width;
  return block;
}

/* ---- Entry points ------------------------------------------------------------------------- */

static size_t thread_scratch(const StxColmeanParams *params)
{
  size_t depth = STX_VARIANT(stx_colmean_depth_scratch)(params);
  size_t class = STX_VARIANT(stx_colmean_class_scratch)(params);
  return stx_align(depth > class ? depth : class);
}

size_t STX_VARIANT(stx_colmean_scratch)(const StxColmeanParams *params, int threads)
{
  return thread_scratch(params) * threads;
}

/* A frame; its pieces are (block, pass) pairs. */
typedef struct {
  Job job;
  int blocks;
  char *scratch; /* of all threads */
  size_t size;   /* of one thread's */
} Frame;

static void run_piece(void *data, int piece, int worker)
{
  const Frame *frame = data;
  const Job *job = &frame->job;
  void *scratch = frame->scratch + (size_t)worker * frame->size;
  const StxGrid *grid = &job->params->grid;
  int along = blocks_along(stx_grid_columns(grid), BLOCK_COLUMNS);
  int index = piece % frame->blocks, pass = piece / frame->blocks - 1;
  Block block = block_at(grid, index % along * BLOCK_COLUMNS, index / along * BLOCK_ROWS);
  if (pass < 0)
    STX_VARIANT(stx_colmean_depth)(job, &block, scratch);
  else
    STX_VARIANT(stx_colmean_class)(job, &block, pass, scratch);
}

bool STX_VARIANT(stx_colmean_run)(const StxColmeanParams *params, const StxColmeanTables *tables,
    const StxColmeanInput *input, void *columns, void *scratch, const StxPlace *place,
    StxError *error)
{
  Frame frame = {{params, tables, input, columns}, 0, scratch, thread_scratch(params)};
  frame.blocks = blocks_along(stx_grid_columns(&params->grid), BLOCK_COLUMNS) *
                 blocks_along(stx_grid_rows(&params->grid), BLOCK_ROWS);
  int pieces = frame.blocks * (1 + STX_VARIANT(stx_colmean_class_passes)(&frame.job));
  stx_parallel(place->threads, pieces, run_piece, &frame);
  stx_colmean_fill(params, columns, place->threads);
  return true;
}
