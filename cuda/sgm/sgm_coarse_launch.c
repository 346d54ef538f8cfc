/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coarse-to-fine search on the GPU: scratch, and the launches of the kernels in sgm_coarse.cu. */
#include "common/sgm/coarse/sgm_coarse.h"
#include "cuda/driver/launch.h"
#include "cuda/sgm/sgm_coarse_args.h"
#include "cuda/sgm/sgm_parts.h"

STX_CUDA_MODULE(sgm_coarse);

static const StxCudaKernel halve_kernel = {&module, "stx_sgm_coarse_halve"};
static const StxCudaKernel census_kernel = {&module, "stx_sgm_coarse_census"};
static const StxCudaKernel windows_kernel = {&module, "stx_sgm_coarse_windows"};
static const StxCudaKernel paths_kernel = {&module, "stx_sgm_coarse_paths"};
static const StxCudaKernel winner_kernel = {&module, "stx_sgm_coarse_winner"};

typedef struct {
  StxSgmCensusArgs census;        /* the words of all levels lie in the same place */
  uint8_t *image[2];              /* of level 1 and above */
  uint8_t *winner;                /* the same */
  int disparities, columns, rows; /* columns and rows of blocks */
  uint16_t *starts;
} Level;

typedef struct {
  const StxSgmParams *params;
  const StxPlace *place;
  StxError *error;
  int count;
  Level levels[STX_SGM_COARSE_LEVELS];
  uint8_t *volumes[4]; /* two with four paths; of one level after the other */
  uint32_t *records;
} Job;

/* ---- Scratch ------------------------------------------------------------------------------ */

static void take_level(Job *job, int k, StxLayout *at)
{
  Level *level = &job->levels[k];
  int width = stx_sgm_coarse_size(job->params->width, k);
  int height = stx_sgm_coarse_size(job->params->height, k);
  size_t pixels = k > 0 ? (size_t)width * (size_t)height : 0;
  level->census.width = width;
  level->census.height = height;
  level->disparities = job->params->max_disparity >> k;
  level->columns = stx_sgm_coarse_blocks(width);
  level->rows = stx_sgm_coarse_blocks(height);
  STX_TAKE(at, level->image[0], pixels);
  STX_TAKE(at, level->image[1], pixels);
  STX_TAKE(at, level->winner, pixels);
  STX_TAKE(at, level->starts, (size_t)level->columns * (size_t)level->rows);
}

/* Lays the arrays out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Job *job, const StxSgmParams *params, void *base)
{
  StxLayout at = {.memory = base};
  size_t pixels = (size_t)params->width * (size_t)params->height;
  job->params = params;
  job->count = stx_sgm_coarse_levels(params->max_disparity);
  for (int i = 0; i < params->paths / 2; i++)
    STX_TAKE(&at, job->volumes[i], pixels * 2 * STX_SGM_COARSE_WINDOW);
  for (int k = 0; k < job->count; k++)
    take_level(job, k, &at);
  return at.size;
}

size_t stx_sgm_coarse_cuda_scratch(const StxSgmParams *params)
{
  Job job = {0};
  return lay_out(&job, params, NULL);
}

/* The words of coarser levels are there before those of the pair, which stay. */
static void fill_census(Job *job, const StxSgmCensusArgs *pair)
{
  job->levels[0].census = *pair;
  for (int k = 1; k < job->count; k++) {
    Level *level = &job->levels[k];
    StxSgmCensusArgs *census = &level->census;
    for (int side = 0; side < 2; side++) {
      census->image[side] = level->image[side];
      census->stride[side] = census->width;
    }
    census->left = pair->left;
    census->right = pair->right;
    census->right.before = (uint32_t)level->disparities;
    census->taken = pair->taken;
  }
}

/* ---- Launches ----------------------------------------------------------------------------- */

static bool launch(const Job *job, const StxCudaKernel *kernel, StxCudaSize grid, StxCudaSize block,
    const void *args)
{
  return stx_cuda_launch(
      job->place->device, kernel, grid, block, 0, args, job->place->stream, job->error);
}

/* A grid of blocks of `columns` × `rows` pixels. */
static StxCudaSize grid_of(const Level *level, unsigned columns, unsigned rows, unsigned sides)
{
  StxCudaSize grid = {stx_cuda_blocks((size_t)level->census.width, columns),
      stx_cuda_blocks((size_t)level->census.height, rows), sides};
  return grid;
}

/* Makes level k. */
static bool halve(const Job *job, int k)
{
  const StxSgmCensusArgs *from = &job->levels[k - 1].census;
  StxSgmHalveArgs args = {
      .from = {from->image[0], from->image[1]},
      .stride = {from->stride[0], from->stride[1]},
      .to = {job->levels[k].image[0], job->levels[k].image[1]},
      .width = from->width,
      .height = from->height,
  };
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_COARSE_ROWS, 1};
  return launch(job, &halve_kernel, grid_of(&job->levels[k], STX_SGM_LANES, STX_SGM_COARSE_ROWS, 2),
      block, &args);
}

static bool census(const Job *job, const Level *level)
{
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_CENSUS_ROWS, 1};
  return launch(job, &census_kernel, grid_of(level, STX_SGM_CENSUS_COLUMNS, STX_SGM_CENSUS_ROWS, 2),
      block, &level->census);
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
    args.height = coarser->census.height;
    args.disparities = coarser->disparities;
  }
  StxCudaSize grid = {
      stx_cuda_blocks((size_t)level->columns * (size_t)level->rows, STX_SGM_COARSE_WARPS), 1, 1};
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_COARSE_WARPS, 1};
  return launch(job, &windows_kernel, grid, block, &args);
}

static unsigned axis_tasks(const Level *level, const StxSgmAxis *axis)
{
  int lines = axis->horizontal ? level->census.height : level->census.width;
  return stx_cuda_blocks((size_t)lines, STX_SGM_COARSE_LINES);
}

static bool paths(
    const Job *job, const Level *level, StxSgmAxis first, StxSgmAxis second, StxSgmStore store)
{
  const unsigned first_tasks = axis_tasks(level, &first);
  StxSgmCoarsePathsArgs args = {
      .left = level->census.left,
      .right = level->census.right,
      .starts = level->starts,
      .width = level->census.width,
      .height = level->census.height,
      .columns = level->columns,
      .p1 = job->params->p1,
      .p2 = job->params->p2,
      .first_tasks = (int32_t)first_tasks,
      .store = store,
      .axes = {first, second},
  };
  StxCudaSize grid = {first_tasks + axis_tasks(level, &second), 1, 1};
  StxCudaSize block = {STX_SGM_LANES, 2 * STX_SGM_COARSE_LINES, 1};
  return launch(job, &paths_kernel, grid, block, &args);
}

/* Volumes as full search has them. */
static bool all_paths(const Job *job, const Level *level)
{
  uint8_t *const *v = job->volumes;
  if (job->params->paths == 4)
    return paths(job, level, (StxSgmAxis){.horizontal = true, .forward = v[0], .backward = v[0]},
        (StxSgmAxis){.dx = 0, .forward = v[1], .backward = v[1]}, STX_SGM_MEET);
  return paths(job, level, (StxSgmAxis){.dx = 0, .forward = v[0], .backward = v[2]},
             (StxSgmAxis){.dx = 1, .forward = v[1], .backward = v[3]}, STX_SGM_PUT) &&
         paths(job, level, (StxSgmAxis){.horizontal = true, .forward = v[0], .backward = v[2]},
             (StxSgmAxis){.dx = -1, .forward = v[1], .backward = v[3]}, STX_SGM_ADD);
}

static bool winner(const Job *job, const Level *level)
{
  const StxSgmCensusArgs *census = &level->census;
  StxSgmCoarseWinnerArgs args = {
      .pair =
          {
              .textured = census->textured,
              .textured_pitch = census->textured_pitch,
              .width = census->width,
              .columns = census->width,
              .paths = job->params->paths,
              .uniqueness = job->params->uniqueness,
              .right_best = census->right_best,
              .records = level->winner == NULL ? job->records : NULL,
          },
      .starts = level->starts,
      .winner = level->winner,
      .height = census->height,
      .columns = level->columns,
  };
  for (int i = 0; i < job->params->paths / 2; i++)
    args.pair.volumes[i] = job->volumes[i];
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_COARSE_ROWS, 1};
  return launch(
      job, &winner_kernel, grid_of(level, STX_SGM_LANES, STX_SGM_COARSE_ROWS, 1), block, &args);
}

static bool match(const Job *job, int k)
{
  const Level *level = &job->levels[k];
  const Level *coarser = k + 1 < job->count ? level + 1 : NULL;
  return census(job, level) && windows(job, level, coarser) && all_paths(job, level) &&
         winner(job, level);
}

bool stx_sgm_coarse_cuda(const StxSgmParams *params, const StxSgmCensusArgs *census,
    uint32_t *records, void *scratch, const StxPlace *place, StxError *error)
{
  Job job = {.place = place, .error = error, .records = records};
  bool ok = true;
  lay_out(&job, params, scratch);
  job.levels[0].winner = NULL; /* its winners are records */
  fill_census(&job, census);
  for (int k = 1; ok && k < job.count; k++)
    ok = halve(&job, k);
  for (int k = job.count - 1; ok && k >= 0; k--)
    ok = match(&job, k);
  return ok;
}
