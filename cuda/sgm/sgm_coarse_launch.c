/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coarse-to-fine search on the GPU: scratch, and the launches of the kernels in sgm_coarse.cu. */
#include "common/sgm/coarse/sgm_coarse.h"
#include "cuda/driver/launch.h"
#include "cuda/sgm/sgm_args.h"
#include "cuda/sgm/sgm_parts.h"

STX_CUDA_MODULE(sgm_coarse);

static const StxCudaKernel halve_kernel = {&module, "stx_sgm_coarse_halve"};
static const StxCudaKernel smooth_kernel = {&module, "stx_sgm_coarse_smooth"};
static const StxCudaKernel census_kernel = {&module, "stx_sgm_coarse_census"};
static const StxCudaKernel windows_kernel = {&module, "stx_sgm_coarse_windows"};
static const StxCudaKernel paths_kernel = {&module, "stx_sgm_coarse_paths"};
static const StxCudaKernel winner_kernel = {&module, "stx_sgm_coarse_winner"};
static const StxCudaKernel top_kernel = {&module, "stx_sgm_coarse_top"};
static const StxCudaKernel rows_kernel = {&module, "stx_sgm_coarse_rows"};

typedef struct {
  StxSgmCensusArgs census; /* of the pictures below; the words of all levels lie in one place */
  uint8_t *image[2];       /* smoothed on level 0 */
  uint8_t *winner;         /* of level 1 and above */
  int disparities, lines;
  int columns, rows; /* of blocks */
  uint16_t *starts;
} Level;

typedef struct {
  const StxSgmParams *params;
  const StxPlace *place;
  StxError *error;
  const StxSgmCensusArgs *pair;
  int count;
  Level levels[STX_SGM_COARSE_LEVELS];
  uint8_t *volumes[4]; /* two with four paths; of one level after the other */
  StxSgmParams full;   /* of a top level that is searched in full, its values, what that needs */
  StxImage16 values;
  void *full_scratch;
  uint32_t *records;
} Job;

/* ---- Scratch ------------------------------------------------------------------------------ */

static void take_level(Job *job, int k, StxLayout *at)
{
  Level *level = &job->levels[k];
  int width = stx_sgm_coarse_size(job->params->width, k);
  int height = stx_sgm_coarse_size(job->params->height, k);
  size_t pixels = (size_t)width * (size_t)height;
  level->census.width = width;
  level->census.height = height;
  level->disparities = job->params->max_disparity >> k;
  level->lines = stx_sgm_coarse_lines(height);
  level->columns = stx_sgm_coarse_blocks(width);
  level->rows = stx_sgm_coarse_blocks(height);
  STX_TAKE(at, level->image[0], pixels);
  STX_TAKE(at, level->image[1], pixels);
  if (k > 0)
    STX_TAKE(at, level->winner, (size_t)width * (size_t)level->lines);
  STX_TAKE(at, level->starts, (size_t)level->columns * (size_t)level->rows);
}

static const StxSgmImpl *full_search(void)
{
  return stx_sgm_cuda_impls.records;
}

static bool is_searched_in_full(const Job *job)
{
  return job->levels[job->count - 1].disparities > STX_SGM_COARSE_TOP;
}

static void take_full(Job *job, StxLayout *at)
{
  job->full = stx_sgm_coarse_full(job->params, job->count - 1);
  int width = job->full.width, height = job->full.height;
  job->values = (StxImage16){NULL, 2 * (ptrdiff_t)width, width, height};
  STX_TAKE(at, job->values.data, (size_t)width * (size_t)height);
  job->full_scratch = stx_take(at, full_search()->scratch_size(&job->full, 0));
}

/* Lays the arrays out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Job *job, const StxSgmParams *params, void *base)
{
  StxLayout at = {.memory = base};
  size_t matched = (size_t)params->width * (size_t)stx_sgm_coarse_lines(params->height);
  job->params = params;
  job->count = stx_sgm_coarse_levels(params->max_disparity);
  for (int i = 0; i < params->paths / 2; i++)
    STX_TAKE(&at, job->volumes[i], matched * 2 * STX_SGM_COARSE_WINDOW);
  for (int k = 0; k < job->count; k++)
    take_level(job, k, &at);
  if (is_searched_in_full(job))
    take_full(job, &at);
  return at.size;
}

size_t stx_sgm_coarse_cuda_scratch(const StxSgmParams *params)
{
  Job job = {0};
  return lay_out(&job, params, NULL);
}

/* The words of levels lie where those of the pair will lie in the end. */
static void fill_census(Job *job)
{
  for (int k = 0; k < job->count; k++) {
    Level *level = &job->levels[k];
    StxSgmCensusArgs *census = &level->census;
    for (int side = 0; side < 2; side++) {
      census->image[side] = level->image[side];
      census->stride[side] = census->width;
    }
    census->left = job->pair->left;
    census->right = job->pair->right;
    census->right.before = (uint32_t)level->disparities;
    census->taken = job->pair->taken;
  }
}

/* ---- Launches ----------------------------------------------------------------------------- */

static bool launch(
    const Job *job, const StxCudaKernel *kernel, StxCudaSize grid, unsigned warps, const void *args)
{
  StxCudaSize block = {STX_SGM_LANES, warps, 1};
  return stx_cuda_launch(job->place, kernel, grid, block, 0, args, job->error);
}

/* A thread for each pixel. */
static bool launch_pixels(const Job *job, const StxCudaKernel *kernel, int width, int height,
    unsigned sides, const void *args)
{
  StxCudaSize grid = stx_cuda_grid(width, STX_SGM_LANES, height, STX_SGM_COARSE_ROWS, sides);
  return launch(job, kernel, grid, STX_SGM_COARSE_ROWS, args);
}

/* Makes the pictures of level k from those of the pair, k = 0, or of the level below. */
static bool picture(const Job *job, int k)
{
  const StxSgmCensusArgs *from = k > 1 ? &job->levels[k - 1].census : job->pair;
  const Level *to = &job->levels[k];
  StxSgmPictureArgs args = {
      .from = {from->image[0], from->image[1]},
      .stride = {from->stride[0], from->stride[1]},
      .to = {to->image[0], to->image[1]},
      .width = from->width,
      .height = from->height,
  };
  return launch_pixels(
      job, k > 0 ? &halve_kernel : &smooth_kernel, to->census.width, to->census.height, 2, &args);
}

static bool census(const Job *job, const StxSgmCensusArgs *args)
{
  StxCudaSize grid =
      stx_cuda_grid(args->width, STX_SGM_CENSUS_COLUMNS, args->height, STX_SGM_CENSUS_ROWS, 2);
  return launch(job, &census_kernel, grid, STX_SGM_CENSUS_ROWS, args);
}

static bool windows(const Job *job, const Level *level, const Level *coarser)
{
  StxSgmWindowsArgs args = {
      .starts = (uint8_t *)level->starts,
      .columns = level->columns,
      .rows = level->rows,
  };
  if (coarser != NULL) {
    args.winner = coarser->winner;
    args.width = coarser->census.width;
    args.lines = coarser->lines;
    args.disparities = coarser->disparities;
  }
  StxCudaSize grid = stx_cuda_grid(level->columns * level->rows, STX_SGM_COARSE_WARPS, 1, 1, 1);
  return launch(job, &windows_kernel, grid, STX_SGM_COARSE_WARPS, &args);
}

static unsigned axis_tasks(const Level *level, const StxSgmAxis *axis)
{
  int count = axis->horizontal ? level->lines : level->census.width;
  return stx_cuda_blocks((size_t)count, STX_SGM_COARSE_PATHS);
}

static bool paths(const Job *job, const Level *level, const StxSgmPaths *which)
{
  const unsigned first_tasks = axis_tasks(level, &which->axes[0]);
  StxSgmCoarsePathsArgs args = {
      .left = level->census.left,
      .right = level->census.right,
      .starts = level->starts,
      .width = level->census.width,
      .lines = level->lines,
      .columns = level->columns,
      .p2 = stx_sgm_coarse_p2(job->params->p2),
      .first_tasks = (int32_t)first_tasks,
      .store = which->store,
      .axes = {which->axes[0], which->axes[1]},
  };
  stx_sgm_axes_p1(job->params->p1, which->axes, STX_SGM_COARSE_STEP, args.p1);
  StxCudaSize grid = {first_tasks + axis_tasks(level, &which->axes[1]), 1, 1};
  return launch(job, &paths_kernel, grid, 2 * STX_SGM_COARSE_PATHS, &args);
}

static bool winner(const Job *job, const Level *level)
{
  const bool finest = level == job->levels;
  int width = level->census.width;
  StxSgmCoarseWinnerArgs args = {
      .pair =
          {
              .width = width,
              .columns = width,
              .paths = job->params->paths,
              .uniqueness = job->params->uniqueness,
              .textured = finest ? job->pair->textured : NULL,
              .textured_pitch = job->pair->textured_pitch,
              .right_best = finest ? job->pair->right_best : NULL,
              .records = finest ? job->records : NULL,
          },
      .starts = level->starts,
      .winner = level->winner,
      .lines = level->lines,
      .columns = level->columns,
  };
  for (int i = 0; i < job->params->paths / 2; i++)
    args.pair.volumes[i] = job->volumes[i];
  return launch_pixels(job, &winner_kernel, width, level->lines, 1, &args);
}

static bool match_fully(const Job *job)
{
  const Level *top = &job->levels[job->count - 1];
  int width = job->full.width, height = job->full.height;
  const StxImage8 left = {top->image[0], width, width, height};
  const StxImage8 right = {top->image[1], width, width, height},
                  unwanted = {NULL, 0, width, height};
  StxSgmCoarseTopArgs args = {job->values.data, top->winner, width, top->lines};
  return full_search()->run(&job->full, &left, &right, &job->values, &unwanted, job->full_scratch,
             job->place, job->error) &&
         launch_pixels(job, &top_kernel, width, top->lines, 1, &args);
}

/* The words of the pair itself, which the sky is looked for in, come last. */
static bool match(const Job *job, int k)
{
  const Level *level = &job->levels[k];
  const Level *coarser = k + 1 < job->count ? level + 1 : NULL;
  if (coarser == NULL && is_searched_in_full(job))
    return match_fully(job);
  StxSgmPaths launches[STX_SGM_PATHS_LAUNCHES]; /* volumes as full search has them */
  int count = stx_sgm_all_paths(job->params->paths, job->volumes, launches);
  bool ok = census(job, &level->census) && windows(job, level, coarser);
  for (int i = 0; i < count && ok; i++)
    ok = paths(job, level, &launches[i]);
  return ok && (k > 0 || census(job, job->pair)) && winner(job, level);
}

bool stx_sgm_coarse_cuda(const StxSgmParams *params, const StxSgmCensusArgs *pair,
    uint32_t *records, void *scratch, const StxPlace *place, StxError *error)
{
  Job job = {.place = place, .error = error, .pair = pair, .records = records};
  bool ok = true;
  lay_out(&job, params, scratch);
  fill_census(&job);
  for (int k = 0; ok && k < job.count; k++)
    ok = picture(&job, k);
  for (int k = job.count - 1; ok && k >= 0; k--)
    ok = match(&job, k);
  return ok;
}

bool stx_sgm_coarse_cuda_rows(const StxSgmParams *params, const StxImage16 *lines,
    const StxImage8 *sure, const StxSgmMaps *maps, const StxPlace *place, StxError *error)
{
  Job job = {.place = place, .error = error};
  StxSgmRowsArgs args = {lines->data, sure->data, params->width, params->height, *maps};
  return launch_pixels(&job, &rows_kernel, args.width, args.height, 1, &args);
}
