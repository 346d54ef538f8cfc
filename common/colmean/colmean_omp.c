/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: blocks, threads and the transposition.
 *
 * One parallel loop; its pieces are the disparity and weight of a block, then the class costs of
 * (pass, block) pairs. Blocks write to different places of the columns, so nothing is
 * shared. The dearest pieces come first. Holes are filled afterwards.
 */
#include "common/colmean/colmean_omp_private.h"
#include "common/parallel.h"

/* ---- Transposition ------------------------------------------------------------------------ */

typedef uint16_t V8 __attribute__((vector_size(16), aligned(2), may_alias));

/* One step: rows i and i + 4 become rows 2i and 2i + 1, interleaved as the punpck instructions do.
 * Three of them transpose 8×8. */
static inline void interleave(const V8 in[8], V8 out[8])
{
  for (int i = 0; i < 4; i++) {
    out[2 * i] = __builtin_shufflevector(in[i], in[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    out[2 * i + 1] = __builtin_shufflevector(in[i], in[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
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

/* The blocks into which cells are cut. */
typedef struct {
  int width, along, count; /* columns of a block; blocks in a row of them, and in all */
} Cut;

static Cut cut_cells(const StxGrid *grid, int width)
{
  int along = blocks_along(stx_grid_columns(grid), width);
  return (Cut){width, along, along * blocks_along(stx_grid_rows(grid), BLOCK_ROWS)};
}

static Block block_at(const StxGrid *grid, const Cut *cut, int index)
{
  Block block = {.column = index % cut->along * cut->width, .row = index / cut->along * BLOCK_ROWS};
  int columns = stx_grid_columns(grid) - block.column, rows = stx_grid_rows(grid) - block.row;
  block.columns = columns < cut->width ? columns : cut->width;
  block.rows = rows < BLOCK_ROWS ? rows : BLOCK_ROWS;
  block.x0 = block.column * grid->cell_width;
  block.x1 = (block.column + block.columns) * grid->cell_width;
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

size_t STX_VARIANT(stx_colmean_scratch_size)(const StxColmeanParams *params, int threads)
{
  return thread_scratch(params) * threads;
}

/* A frame. Its pieces are blocks of disparities, then (pass, block) pairs of classes. */
typedef struct {
  Job job;
  Cut depth, class;
  char *scratch; /* of all threads */
  size_t size;   /* of one thread's */
} Frame;

static void run_piece(void *data, int piece, int worker)
{
  const Frame *frame = data;
  const Job *job = &frame->job;
  void *scratch = frame->scratch + (size_t)worker * frame->size;
  const StxGrid *grid = &job->params->grid;
  if (piece < frame->depth.count) {
    Block block = block_at(grid, &frame->depth, piece);
    STX_VARIANT(stx_colmean_depth)(job, &block, scratch);
    return;
  }
  piece -= frame->depth.count;
  Block block = block_at(grid, &frame->class, piece % frame->class.count);
  STX_VARIANT(stx_colmean_class)(job, &block, piece / frame->class.count, scratch);
}

bool STX_VARIANT(stx_colmean_run)(const StxColmeanParams *params, const StxColmeanTables *tables,
    const StxColmeanInput *input, void *columns, void *scratch, const StxPlace *place,
    StxError *error)
{
  const StxGrid *grid = &params->grid;
  bool narrow = params->semantics == STX_SEMANTICS_LABELS;
  Frame frame = {.job = {params, tables, input, columns},
      .depth = cut_cells(grid, NARROW_COLUMNS),
      .class = cut_cells(grid, narrow ? NARROW_COLUMNS : BLOCK_COLUMNS),
      .scratch = scratch,
      .size = thread_scratch(params)};
  int passes = STX_VARIANT(stx_colmean_class_passes)(&frame.job);
  stx_parallel(place->threads, frame.depth.count + passes * frame.class.count, run_piece, &frame);
  stx_colmean_fill(params, columns, place->threads);
  return true;
}
