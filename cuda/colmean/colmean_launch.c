/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches colmean's kernels and chooses their tiles. */
#include "common/colmean/colmean_private.h"
#include "cuda/colmean/colmean_args.h"
#include "cuda/driver/launch.h"

STX_CUDA_MODULE(colmean);

#define THREADS STX_COLMEAN_THREADS
#define SHARED_EVERYWHERE (48 * 1024) /* bytes that a block has on every device */
#define CHUNK 16                      /* bytes of scores that a thread reads at once */

static const StxCudaSize block_size = {THREADS, 1, 1};

/* Everything run() was given. */
typedef struct {
  const StxPlace *place;
  const StxColmeanParams *params;
  const StxColmeanTables *tables;
  const StxColmeanInput *input;
  StxImage16 steps; /* disparities in 1/256 pixel */
  StxColmeanTarget target;
  StxColmeanRows rows;
} Job;

static StxColmeanTarget target_of(const StxColmeanParams *params, void *columns)
{
  const StxGrid *grid = &params->grid;
  return (StxColmeanTarget){*grid, stx_grid_columns(grid), stx_grid_rows(grid), columns};
}

static int longest_hole(const StxColmeanParams *params)
{
  return params->fill_width / params->grid.cell_width;
}

/* ---- Disparity and weight ------------------------------------------------------------------ */

#define ROW_SHARED (40 * 1024) /* bytes of a row of cells that a block may hold */

static size_t row_shared(const StxColmeanTarget *target, int lanes)
{
  size_t words = (target->columns + 31) / 32 + (lanes > 0 ? target->columns : 0);
  return words * sizeof(uint32_t);
}

/* Threads that own a cell in the blocks that own rows of them; 0: those cells have a launch of
 * their own. */
static int row_lanes(const StxColmeanTarget *target)
{
  int pixels = target->grid.cell_width * target->grid.cell_height;
  int lanes = pixels <= 16 ? 1 : 4;
  bool suits = pixels > 4 && pixels <= 64 && row_shared(target, lanes) <= ROW_SHARED;
  return suits ? lanes : 0;
}

static size_t raw_size(const StxColmeanParams *params)
{
  StxColmeanTarget target = target_of(params, NULL);
  bool needed = longest_hole(params) > 0 && row_lanes(&target) == 0;
  return needed ? stx_align((size_t)target.columns * target.rows * sizeof(uint32_t)) : 0;
}

/* Returns the bytes of a row of steps, aligned for the widest loads. */
static size_t steps_stride(const StxColmeanParams *params)
{
  return stx_align((size_t)params->grid.width * sizeof(uint16_t));
}

static size_t scratch_size(const StxColmeanParams *params, int threads)
{
  bool plain = stx_disparity_is_plain(params);
  return raw_size(params) + (plain ? 0 : steps_stride(params) * (size_t)params->grid.height);
}

static bool is_aligned(const void *data, ptrdiff_t stride, size_t to)
{
  return ((uintptr_t)data | (size_t)stride) % to == 0;
}

/* Whether the rows of whole cells, `run` pixels, may be read at once. */
static bool have_vectors(const StxColmeanDepthArgs *args, int run)
{
  const StxImage16 *disparity = &args->disparity;
  const StxImage8 *confidence = &args->confidence;
  size_t bytes = 2 * (size_t)run;
  return args->target.grid.cell_width == run &&
         is_aligned(disparity->data, disparity->stride, bytes < CHUNK ? bytes : CHUNK) &&
         (confidence->data == NULL || is_aligned(confidence->data, confidence->stride, run));
}

static int near_bits(const StxColmeanParams *params)
{
  int bits = 0;
  while (2 << bits <= stx_colmean_near(&params->grid))
    bits++;
  return bits;
}

static StxColmeanRows make_rows(const Job *job, void *scratch)
{
  const StxColmeanParams *params = job->params;
  StxColmeanRows rows = {
      .depth = {.target = job->target,
          .disparity = job->steps,
          .confidence = job->input->confidence,
          .reduction = params->reduction,
          .near = (uint32_t)stx_colmean_near(&params->grid),
          .near_bits = params->reduction == STX_REDUCE_WEIGHTED ? near_bits(params) : -1,
          .sky = job->input->confidence_is_sky && job->input->confidence.data != NULL,
          .width_reciprocal = stx_colmean_reciprocal(params->grid.cell_width)},
      .lanes = row_lanes(&job->target),
      .longest = longest_hole(params)};
  rows.depth.vectors = have_vectors(&rows.depth, rows.lanes == 1 ? 4 : 8);
  rows.depth.raw = rows.lanes == 0 && rows.longest > 0 ? scratch : NULL;
  rows.unseen = stx_longest_hole(rows.longest, &params->grid, false, true, UINT16_MAX);
  return rows;
}

/* ---- Steps --------------------------------------------------------------------------------- */

static const StxCudaKernel steps_kernel = {&module, "stx_colmean_steps"};

/* Makes the map's numbers steps, which lie in `scratch`, unless they are. */
static bool run_steps(Job *job, void *scratch, StxError *error)
{
  const StxColmeanParams *params = job->params;
  int width = params->grid.width, height = params->grid.height;
  job->steps = job->input->disparity;
  if (stx_disparity_is_plain(params))
    return true;
  StxColmeanStepsArgs args = {.formula = stx_disparity_formula(params),
      .map = job->input->disparity,
      .width = width,
      .pitch = (uint32_t)(steps_stride(params) / sizeof(uint32_t)),
      .steps = scratch};
  if (stx_disparity_is_float(params->disparity.encoding))
    args.floats = job->input->floats;
  job->steps = (StxImage16){scratch, (ptrdiff_t)steps_stride(params), width, height};
  StxCudaSize blocks = {stx_cuda_blocks(width, 2 * THREADS), height, 1};
  return stx_cuda_launch(job->place, &steps_kernel, blocks, block_size, 0, &args, error);
}

/* ---- Rows of cells ------------------------------------------------------------------------- */

/* Blocks that own rows of cells; none where nothing is left to do. */
static unsigned row_blocks(const Job *job)
{
  return job->rows.lanes > 0 || job->rows.longest > 0 ? job->target.rows : 0;
}

/* ---- Cells that have a launch of their own -------------------------------------------------- */

/* A kernel for cells of at most `pixels` pixels, `side` × `side` of them in a block; it has wide
 * loads for cells `run` pixels wide. */
typedef struct {
  StxCudaKernel kernel;
  int pixels, side, run;
} DepthKernel;

static const DepthKernel depth_kernels[] = {
    {{&module, "stx_colmean_depth_4"}, 4, 16, 2},
    {{&module, "stx_colmean_depth_256"}, 256, 4, 16},
};
static const StxCudaKernel depth_large_kernel = {&module, "stx_colmean_depth_large"};

/* Every warp of a block has a cell's disparities in shared memory, as many as fit. */
static bool run_large_depth(const Job *job, StxColmeanDepthArgs *args, StxError *error)
{
  const StxGrid *grid = &job->params->grid;
  args->slots = (grid->cell_width * grid->cell_height + 7) / 8 * 8;
  size_t bytes = (size_t)args->slots * sizeof(uint16_t);
  unsigned warps = SHARED_EVERYWHERE / bytes, most = THREADS / STX_COLMEAN_WARP;
  warps = warps < most ? warps : most;
  StxCudaSize blocks = {args->target.columns, stx_cuda_blocks(args->target.rows, warps), 1};
  StxCudaSize block = {warps * STX_COLMEAN_WARP, 1, 1};
  return stx_cuda_launch(
      job->place, &depth_large_kernel, blocks, block, warps * bytes, args, error);
}

static bool run_depth(const Job *job, StxError *error)
{
  const StxGrid *grid = &job->params->grid;
  StxColmeanDepthArgs args = job->rows.depth;
  for (size_t i = 0; i < sizeof depth_kernels / sizeof depth_kernels[0]; i++) {
    const DepthKernel *depth = &depth_kernels[i];
    if (grid->cell_width * grid->cell_height > depth->pixels)
      continue;
    args.vectors = have_vectors(&args, depth->run);
    StxCudaSize blocks =
        stx_cuda_grid(job->target.columns, depth->side, job->target.rows, depth->side, 1);
    return stx_cuda_launch(job->place, &depth->kernel, blocks, block_size, 0, &args, error);
  }
  return run_large_depth(job, &args, error);
}

/* ---- Rows and classes ------------------------------------------------------------------------ */

static const StxCudaKernel rows_kernel = {&module, "stx_colmean_rows"};

/* Launches a kernel with blocks for rows beside its own work, `passes` slices of one block per
 * tile. `rows` lies in `args`. */
static bool run_classes(const Job *job, const StxCudaKernel *kernel, const StxColmeanTile *tile,
    StxColmeanRows *rows, int passes, size_t shared, const void *args, StxError *error)
{
  StxCudaSize blocks = stx_cuda_grid(
      job->target.columns, tile->columns, job->target.rows, 1u << tile->row_shift, passes);
  size_t rows_shared = row_shared(&job->target, rows->lanes);
  rows->slices = stx_cuda_blocks(row_blocks(job), blocks.x * blocks.y);
  blocks.z += rows->slices;
  return stx_cuda_launch(job->place, kernel, blocks, block_size,
      shared > rows_shared ? shared : rows_shared, args, error);
}

/* ---- Labels -------------------------------------------------------------------------------- */

static const StxCudaKernel labels_kernel = {&module, "stx_colmean_labels"};

#define LABEL_PIXELS 64    /* that a thread counts, about */
#define LABEL_ROW_SHIFT 4  /* 16 rows of cells: 32 bytes of a column */
#define LABEL_TILE_SHIFT 8 /* 256 cells or parts of cells: one per thread */

/* A cell's rows in parts of `rows` at most, as a power of two of them. */
static void divide_rows(StxColmeanTile *tile, int cell_height, int rows)
{
  tile->part_shift = 0;
  while (rows << tile->part_shift < cell_height)
    tile->part_shift++;
  tile->part_rows = (cell_height + (1 << tile->part_shift) - 1) >> tile->part_shift;
}

static bool run_labels(const Job *job, StxError *error)
{
  const StxImage8 *labels = &job->input->labels;
  StxColmeanLabelsArgs args = {.target = job->target,
      .rows = job->rows,
      .labels = *labels,
      .words = job->params->grid.cell_width % 4 == 0 && is_aligned(labels->data, labels->stride, 4),
      .tables = job->tables};
  for (int i = 0; i < 256; i++)
    args.label_map[i] = job->params->label_map[i];
  /* Tiles of as many cells as there are threads, or fewer large ones. */
  int rows = LABEL_PIXELS / args.target.grid.cell_width;
  divide_rows(&args.tile, args.target.grid.cell_height, rows > 0 ? rows : 1);
  int cells_shift = LABEL_TILE_SHIFT - args.tile.part_shift;
  args.tile.row_shift = cells_shift < LABEL_ROW_SHIFT ? cells_shift : LABEL_ROW_SHIFT;
  args.column_shift = cells_shift - args.tile.row_shift;
  args.tile.columns = 1 << args.column_shift;
  size_t counters = (size_t)(job->params->grid.classes + 1) * args.tile.columns *
                    ((1 << args.tile.row_shift) + 1);
  return run_classes(job, &labels_kernel, &args.tile, &args.rows, 1,
      counters * sizeof(uint32_t) + sizeof args.label_map, &args, error);
}

/* ---- Scores -------------------------------------------------------------------------------- */

/* 1 or 4 neighbours go into one sum, or scores are fewer than pixels. */
typedef enum { SUM_1, SUM_4, SUM_SCALED } ScoreSums;

/* Indexed by the size of a score: 1, 2 or 4 bytes are entry 0, 1, 2. */
static const StxCudaKernel scores_kernels[3][3] = {
    {{&module, "stx_colmean_u8_1"}, {&module, "stx_colmean_u8_4"},
        {&module, "stx_colmean_u8_scaled"}},
    {{&module, "stx_colmean_f16_1"}, {&module, "stx_colmean_f16_4"},
        {&module, "stx_colmean_f16_scaled"}},
    {{&module, "stx_colmean_f32_1"}, {&module, "stx_colmean_f32_4"},
        {&module, "stx_colmean_f32_scaled"}},
};

#define SCORE_ROWS 32     /* rows of cells of a tile, where cells are small: 64 bytes of a column */
#define SCORE_PART_ROWS 8 /* image rows that a thread adds up, about */
#define SCORE_RUN 128     /* bytes of an image row that a tile has, at least */
#define SCORE_SHARED (40 * 1024)

/* The layout of scores: bytes of a score, and the scores in one sum. */
typedef struct {
  int size;
  ScoreSums sums;
} ScoreKind;

static int score_size(const StxColmeanParams *params)
{
  return (int)stx_colmean_score_size(params->semantics);
}

static void lay_out_scores(const Job *job, StxColmeanScoresArgs *args)
{
  const StxGrid *grid = &job->params->grid;
  int elements = stx_colmean_interleaved(job->params, job->input);
  args->scores = job->input->scores;
  args->class_stride = job->input->class_stride;
  args->row_stride = job->input->row_stride;
  args->step = elements > 0 ? score_size(job->params) : job->input->pixel_stride;
  args->elements = elements > 0 ? elements : 1;
  args->classes = elements > 0 ? grid->classes : 1;
  args->shift = job->input->score_shift;
  args->flip = 0x01010101u * stx_score_flip(job->params->semantics);
  args->row_values =
      (stx_score_side(grid->width, args->shift) - 1) * args->elements + args->classes;
}

/* Pixels of the last of a side's cells. */
static int last_cell(int pixels, int cell)
{
  return (pixels - 1) % cell + 1;
}

static int greatest_common_divisor(int a, int b)
{
  return b == 0 ? a : greatest_common_divisor(b, a % b);
}

/* Columns of a tile: as many as make SCORE_RUN bytes, and whole chunks unless that takes too many;
 * or all there are. */
static int score_columns(const StxColmeanTarget *target, int cell_bytes)
{
  int whole = CHUNK / greatest_common_divisor(CHUNK, cell_bytes);
  int columns = (SCORE_RUN + cell_bytes - 1) / cell_bytes;
  int rounded = (columns + whole - 1) / whole * whole;
  if (rounded * cell_bytes <= 4 * SCORE_RUN)
    columns = rounded;
  return columns < target->columns ? columns : target->columns;
}

static size_t score_shared(const StxColmeanScoresArgs *args)
{
  int lines = 1 << (args->tile.row_shift + args->tile.part_shift);
  return (size_t)args->pitch * lines * sizeof(uint32_t);
}

/* Small cells: many rows of them, for long writes. Large ones: their rows in many parts, for
 * enough threads. Both within shared memory. */
static void tile_scores(StxColmeanScoresArgs *args, ScoreKind kind)
{
  const StxGrid *grid = &args->target.grid;
  StxColmeanTile *tile = &args->tile;
  int score_bytes = args->elements * kind.size;
  int across = kind.sums == SUM_4 ? 4 : 1;
  int words = kind.size == 1 && across == 1 ? 8 : CHUNK / kind.size / across;
  int cell_bytes = stx_score_side(grid->cell_width, args->shift) * score_bytes;
  tile->columns = score_columns(&args->target, cell_bytes);
  /* A tile that begins or ends between scores has one more. */
  int scores = stx_score_side(tile->columns * grid->cell_width, args->shift) + (args->shift > 0);
  args->chunks = (scores * score_bytes + CHUNK - 1) / CHUNK;
  args->pitch = (args->chunks * words + args->chunks * words / 32) | 1;
  args->aligned =
      args->step == (size_t)kind.size && is_aligned(args->scores, args->row_stride, CHUNK) &&
      args->class_stride * args->classes % CHUNK == 0 && tile->columns * cell_bytes % CHUNK == 0;
  int rows = SCORE_PART_ROWS;
  divide_rows(tile, grid->cell_height, rows);
  while (2 << (tile->row_shift + tile->part_shift) <= SCORE_ROWS &&
         1 << tile->row_shift < args->target.rows)
    tile->row_shift++;
  while (tile->row_shift > 0 && score_shared(args) > SCORE_SHARED)
    tile->row_shift--;
  while (score_shared(args) > SCORE_SHARED)
    divide_rows(tile, grid->cell_height, rows *= 2);
  args->sums = tile->part_shift == 0 ? grid->cell_width / across : 0;
  args->chunks_reciprocal = stx_colmean_reciprocal(args->chunks);
  args->classes_reciprocal = stx_colmean_reciprocal(args->classes);
}

static bool run_scores(const Job *job, StxError *error)
{
  StxColmeanScoresArgs args = {.target = job->target, .rows = job->rows, .tables = job->tables};
  lay_out_scores(job, &args);
  bool four = args.elements == 1 && job->params->grid.cell_width % 4 == 0;
  ScoreKind kind = {score_size(job->params), args.shift > 0 ? SUM_SCALED : four ? SUM_4 : SUM_1};
  tile_scores(&args, kind);
  const StxGrid *grid = &args.target.grid;
  int widths[2] = {grid->cell_width, last_cell(grid->width, grid->cell_width)};
  int heights[2] = {grid->cell_height, last_cell(grid->height, grid->cell_height)};
  uint32_t one = kind.size == 1 ? 255 : 65535;
  for (int bottom = 0; bottom < 2; bottom++)
    for (int right = 0; right < 2; right++)
      args.share[bottom][right] = stx_colmean_share(
          one * widths[right] * heights[bottom], kind.size == 1 ? STX_COLMEAN_BYTE_SHIFT : 0);
  return run_classes(job, &scores_kernels[kind.size / 2][kind.sums], &args.tile, &args.rows,
      job->params->grid.classes / args.classes, score_shared(&args), &args, error);
}

/* ---- Entry points -------------------------------------------------------------------------- */

static bool run(const StxColmeanParams *params, const StxColmeanTables *tables,
    const StxColmeanInput *input, void *columns, void *scratch, const StxPlace *place,
    StxError *error)
{
  Job job = {.place = place,
      .params = params,
      .tables = tables,
      .input = input,
      .target = target_of(params, columns)};
  if (!run_steps(&job, (char *)scratch + raw_size(params), error))
    return false;
  job.rows = make_rows(&job, scratch);
  if (job.rows.lanes == 0 && !run_depth(&job, error))
    return false;
  switch (params->semantics) {
  case STX_SEMANTICS_NONE:
    return stx_cuda_launch(place, &rows_kernel, (StxCudaSize){row_blocks(&job), 1, 1}, block_size,
        row_shared(&job.target, job.rows.lanes), &job.rows, error);
  case STX_SEMANTICS_LABELS:
    return run_labels(&job, error);
  default:
    return run_scores(&job, error);
  }
}

static const StxColmeanImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size, run}};
const StxImplTable stx_colmean_cuda_impls = {impls, 1, sizeof impls[0]};
