/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Semi-global matching on the GPU: scratch, and the launches of the kernels in sgm.cu. */
#include "common/sgm/coarse/sgm_coarse.h"
#include "common/sgm/sgm_range.h"
#include "cuda/driver/launch.h"
#include "cuda/sgm/sgm_args.h"
#include "cuda/sgm/sgm_parts.h"

STX_CUDA_MODULE(sgm);

#define PATHS_BLOCKS 8 /* fit on a multiprocessor, at most */

static const StxCudaKernel census_kernel = {&module, "stx_sgm_census"};
static const StxCudaKernel paths_kernels[] = {
    {&module, "stx_sgm_paths_64"}, {&module, "stx_sgm_paths_128"}, {&module, "stx_sgm_paths_256"}};
static const StxCudaKernel winner_kernels[] = {{&module, "stx_sgm_winner_64"},
    {&module, "stx_sgm_winner_128"}, {&module, "stx_sgm_winner_256"}};
static const StxCudaKernel finish_kernel = {&module, "stx_sgm_finish"};
static const StxCudaKernel border_kernel = {&module, "stx_sgm_border"};
static const StxCudaKernel depth_kernel = {&module, "stx_sgm_depth"};

typedef struct {
  const StxPlace *place;
  StxError *error;
  const StxSgmParams *params;
  const StxImage8 *left;
  StxSgmMaps maps;
  int variant;      /* of the kernels: 0, 1, 2 for 64, 128, 256 disparities */
  uint32_t columns; /* of a volume */
  uint32_t *words;  /* of the left image */
  StxSgmRightWords right;
  uint8_t *textured; /* NULL: not wanted */
  uint32_t textured_pitch;
  uint32_t *right_best; /* NULL: not wanted */
  uint32_t *records;
  uint32_t *taken;     /* see StxSgmPathsArgs, by launch */
  uint8_t *volumes[4]; /* two with four paths; of full search */
  void *coarse;        /* what the other search needs */
  StxImage16 lines;    /* and its result before there are all rows */
  StxImage8 sure;
  void *sky;
} Job;

/* ---- Scratch ------------------------------------------------------------------------------ */

static size_t round_up(size_t size, size_t multiple)
{
  return (size + multiple - 1) / multiple * multiple;
}

/* Lays the arrays out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Job *job, const StxSgmParams *params, void *base)
{
  StxLayout at = {.memory = base};
  size_t width = (size_t)params->width, height = (size_t)params->height, pixels = width * height;
  size_t count = (size_t)params->max_disparity;
  size_t columns = round_up(width, STX_SGM_COLUMNS), cells = columns * height;
  job->params = params;
  job->variant = params->max_disparity / 128; /* 64, 128, 256: 0, 1, 2 */
  job->columns = (uint32_t)columns;
  job->right.pitch = (uint32_t)round_up(width + count, 32);
  job->right.before = (uint32_t)count;
  job->textured_pitch = (uint32_t)round_up(width, STX_SGM_CENSUS_COLUMNS);
  if (params->search == STX_SGM_COARSE_TO_FINE) {
    int lines = stx_sgm_coarse_lines(params->height);
    size_t matched = width * (size_t)lines;
    job->coarse = stx_take(&at, stx_sgm_coarse_cuda_scratch(params));
    job->lines = (StxImage16){NULL, 2 * (ptrdiff_t)width, params->width, lines};
    job->sure = (StxImage8){NULL, (ptrdiff_t)width, params->width, lines};
    STX_TAKE(&at, job->lines.data, matched);
    STX_TAKE(&at, job->sure.data, matched);
  } else {
    for (int i = 0; i < params->paths / 2; i++)
      STX_TAKE(&at, job->volumes[i], cells * count);
  }
  STX_TAKE(&at, job->words, pixels);
  STX_TAKE(&at, job->right.words, STX_SGM_SHIFTS * job->right.pitch * height);
  STX_TAKE(&at, job->records, pixels);
  STX_TAKE(&at, job->taken, STX_SGM_PATHS_LAUNCHES);
  if (params->texture >= 0)
    STX_TAKE(&at, job->textured, job->textured_pitch * height);
  if (params->lr_max_diff >= 0)
    STX_TAKE(&at, job->right_best, pixels);
  job->sky = stx_take(&at, params->sky ? stx_sgm_sky_cuda_scratch(params) : 0);
  return at.size;
}

static size_t scratch_size(const StxSgmParams *params, int threads)
{
  Job job = {0};
  return lay_out(&job, params, NULL);
}

/* ---- Launches ----------------------------------------------------------------------------- */

static bool launch(
    const Job *job, const StxCudaKernel *kernel, StxCudaSize grid, unsigned warps, const void *args)
{
  StxCudaSize block = {STX_SGM_LANES, warps, 1};
  return stx_cuda_launch(job->place, kernel, grid, block, 0, args, job->error);
}

static StxSgmCensusArgs census_args(const Job *job, const StxImage8 *right)
{
  const StxSgmParams *params = job->params;
  return (StxSgmCensusArgs){
      .image = {job->left->data, right->data},
      .stride = {job->left->stride, right->stride},
      .width = params->width,
      .height = params->height,
      .left = job->words,
      .right = job->right,
      .textured = job->textured,
      .textured_pitch = job->textured_pitch,
      .texture = params->texture,
      .right_best = job->right_best,
      .taken = job->taken,
  };
}

/* Returns the tasks of all lines along an axis: see first_pixel in sgm_paths.cuh. */
static unsigned axis_tasks(const Job *job, const StxSgmAxis *axis)
{
  const unsigned lines = STX_SGM_BLOCK_LINES;
  if (axis->horizontal)
    return stx_cuda_blocks((size_t)job->params->height, lines);
  return STX_SGM_SHIFTS * stx_cuda_blocks((size_t)job->params->width, STX_SGM_SHIFTS * lines);
}

/* As many for each multiprocessor, so that all begin alike, but no more than fit; the tasks that
 * are then left over go to those that are done first. */
static unsigned paths_blocks(const Job *job, unsigned tasks)
{
  const int count = stx_cuda_info(job->place->device)->processors;
  const unsigned processors = count > 0 ? (unsigned)count : 1, each = tasks / processors;
  return each == 0 ? tasks : processors * (each < PATHS_BLOCKS ? each : PATHS_BLOCKS);
}

static bool paths(const Job *job, const StxSgmPaths *which, uint32_t *taken)
{
  const unsigned first_tasks = axis_tasks(job, &which->axes[0]);
  const unsigned tasks = first_tasks + axis_tasks(job, &which->axes[1]);
  StxSgmPathsArgs args = {
      .left = job->words,
      .right = job->right,
      .width = job->params->width,
      .height = job->params->height,
      .columns = (int32_t)job->columns,
      .p2 = job->params->p2,
      .axes = {which->axes[0], which->axes[1]},
      .tasks = (int32_t)tasks,
      .first_tasks = (int32_t)first_tasks,
      .taken = taken,
      .store = which->store,
  };
  stx_sgm_axes_p1(job->params->p1, which->axes, 1, args.p1);
  return launch(job, &paths_kernels[job->variant], (StxCudaSize){paths_blocks(job, tasks), 1, 1},
      2 * STX_SGM_BLOCK_LINES, &args);
}

static bool all_paths(const Job *job)
{
  StxSgmPaths launches[STX_SGM_PATHS_LAUNCHES];
  int count = stx_sgm_all_paths(job->params->paths, job->volumes, launches);
  bool ok = true;
  for (int i = 0; i < count && ok; i++)
    ok = paths(job, &launches[i], job->taken + i);
  return ok;
}

static bool winner(const Job *job)
{
  const StxSgmParams *params = job->params;
  StxSgmWinnerArgs args = {
      .textured = job->textured,
      .textured_pitch = job->textured_pitch,
      .width = params->width,
      .columns = (int32_t)job->columns,
      .paths = params->paths,
      .uniqueness = params->uniqueness,
      .right_best = job->right_best,
      .records = job->records,
  };
  for (int i = 0; i < params->paths / 2; i++)
    args.volumes[i] = job->volumes[i];
  StxCudaSize grid =
      stx_cuda_grid(params->width, STX_SGM_SEGMENT * STX_SGM_WINNER_WARPS, params->height, 1, 1);
  return launch(job, &winner_kernels[job->variant], grid, STX_SGM_WINNER_WARPS, &args);
}

/* A thread for each pixel. */
static bool launch_pixels(
    const Job *job, const StxCudaKernel *kernel, int width, int height, const void *args)
{
  StxCudaSize grid = stx_cuda_grid(width, STX_SGM_LANES, height, STX_SGM_FINISH_ROWS, 1);
  return launch(job, kernel, grid, STX_SGM_FINISH_ROWS, args);
}

static bool finish(const Job *job, StxSgmMaps maps, int height)
{
  const StxSgmParams *params = job->params;
  StxSgmFinishArgs args = {
      .records = job->records,
      .right_best = job->right_best,
      .width = params->width,
      .height = height,
      .lr_max_diff = params->lr_max_diff,
      .median = params->median,
      .maps = maps,
  };
  return launch_pixels(job, &finish_kernel, params->width, height, &args);
}

/* With coarse-to-fine search all but the last step sees lines alone. */
static bool search(const Job *job, const StxImage8 *right)
{
  const StxSgmCensusArgs args = census_args(job, right);
  const StxSgmParams *params = job->params;
  if (params->search == STX_SGM_FULL) {
    StxCudaSize grid =
        stx_cuda_grid(args.width, STX_SGM_CENSUS_COLUMNS, args.height, STX_SGM_CENSUS_ROWS, 2);
    return launch(job, &census_kernel, grid, STX_SGM_CENSUS_ROWS, &args) && all_paths(job) &&
           winner(job) && finish(job, job->maps, params->height);
  }
  StxImage8 sure = job->sure;
  if (job->maps.confidence == NULL)
    sure.data = NULL;
  return stx_sgm_coarse_cuda(params, &args, job->records, job->coarse, job->place, job->error) &&
         finish(job, stx_sgm_maps(&job->lines, &sure), job->lines.height) &&
         stx_sgm_coarse_cuda_rows(params, &job->lines, &sure, &job->maps, job->place, job->error);
}

static bool sky(const Job *job)
{
  StxSgmSkyArgs args = {
      .width = job->params->width,
      .height = job->params->height,
      .left = job->left->data,
      .left_stride = job->left->stride,
      .left_words = job->words,
      .right_words = job->right,
      .maps = job->maps,
  };
  return stx_sgm_sky_cuda(job->params, &args, job->sky, job->place, job->error);
}

static bool border(const Job *job)
{
  const StxSgmParams *params = job->params;
  StxSgmBorderArgs args = {params->width, params->height, params->max_disparity, job->maps};
  return launch(job, &border_kernel, stx_cuda_grid(params->height, STX_SGM_BORDER_ROWS, 1, 1, 1),
      STX_SGM_BORDER_ROWS, &args);
}

static bool depth(const Job *job)
{
  const StxSgmParams *params = job->params;
  StxSgmDepthArgs args = {params->width, params->height, params->depth, 0, job->maps};
  return launch_pixels(job, &depth_kernel, params->width, params->height, &args);
}

/* Clears rows of `width` bytes: at once where there is nothing between them. */
static bool clear_rows(
    void *data, ptrdiff_t stride, int width, int height, const StxPlace *place, StxError *error)
{
  bool packed = stride == width, good = true;
  size_t size = packed ? (size_t)stride * (size_t)height : (size_t)width;
  for (int y = 0; y < (packed ? 1 : height) && good; y++)
    good = stx_cuda_clear(place, (uint8_t *)data + y * stride, size, error);
  return good;
}

/* Makes all unknown. */
static bool clear(const StxImage16 *disparity, const StxImage8 *confidence, const StxPlace *place,
    StxError *error)
{
  int width = disparity->width, height = disparity->height;
  return clear_rows(disparity->data, disparity->stride, 2 * width, height, place, error) &&
         (confidence->data == NULL ||
             clear_rows(confidence->data, confidence->stride, width, height, place, error));
}

static bool run(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, const StxPlace *place,
    StxError *error)
{
  StxSgmJob pair = {*params, *left, *right, *disparity, *confidence};
  if (params->infinity != 0 && !clear(disparity, confidence, place, error))
    return false;
  if (!stx_sgm_count_from_infinity(&pair))
    return true;
  params = &pair.params;
  Job job = {.place = place,
      .error = error,
      .left = &pair.left,
      .maps = stx_sgm_maps(&pair.disparity, &pair.confidence)};
  lay_out(&job, params, scratch);
  return search(&job, &pair.right) && (!params->sky || sky(&job)) &&
         (params->lr_max_diff < 0 || border(&job)) && (params->depth == 0 || depth(&job));
}

static const StxSgmImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size, run}};
const StxImplTable stx_sgm_cuda_impls = {impls, 1, sizeof impls[0]};
