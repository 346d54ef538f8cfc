/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Semi-global matching on the GPU: scratch, and the launches of the kernels in sgm.cu. */
#include "common/sgm/coarse/sgm_coarse.h"
#include "cuda/driver/launch.h"
#include "cuda/sgm/sgm_args.h"
#include "cuda/sgm/sgm_parts.h"

STX_CUDA_MODULE(sgm);

#define ALIGN ((size_t)256)
#define PATHS_BLOCKS 8 /* have room on a multiprocessor, at most */

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
  const StxSgmParams *params;
  int variant;      /* of the kernels: 0, 1, 2 for 64, 128, 256 disparities */
  uint32_t columns; /* of a volume */
  uint32_t *left;
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

/* The next `size` bytes of a block of which *used are taken. */
static void *take(void *block, size_t *used, size_t size)
{
  void *part = (uint8_t *)block + *used;
  *used += round_up(size, ALIGN);
  return part;
}

/* Lays the arrays out from `base` (NULL: only to measure); returns the bytes used. */
static size_t lay_out(Job *job, const StxSgmParams *params, void *base)
{
  size_t used = 0, width = (size_t)params->width, height = (size_t)params->height;
  size_t pixels = width * height, count = (size_t)params->max_disparity;
  size_t columns = round_up(width, 2 * STX_SGM_SHIFTS), cells = columns * round_up(height, 2);
  size_t right_pitch = round_up(width + count, 32);
  size_t textured_pitch = round_up(width, STX_SGM_CENSUS_COLUMNS);
  job->params = params;
  job->variant = params->max_disparity / 128; /* 64, 128, 256: 0, 1, 2 */
  job->columns = (uint32_t)columns;
  if (params->search == STX_SGM_COARSE_TO_FINE) {
    int lines = stx_sgm_coarse_lines(params->height);
    size_t matched = width * (size_t)lines;
    job->coarse = take(base, &used, stx_sgm_coarse_cuda_scratch(params));
    job->lines =
        (StxImage16){take(base, &used, 2 * matched), 2 * (ptrdiff_t)width, params->width, lines};
    job->sure = (StxImage8){take(base, &used, matched), (ptrdiff_t)width, params->width, lines};
  } else {
    for (int i = 0; i < params->paths / 2; i++)
      job->volumes[i] = take(base, &used, cells * count);
  }
  job->left = take(base, &used, (pixels + columns - width) * sizeof *job->left);
  job->right = (StxSgmRightWords){
      .words = take(base, &used, STX_SGM_SHIFTS * right_pitch * height * sizeof *job->left),
      .pitch = (uint32_t)right_pitch,
      .before = (uint32_t)count,
  };
  job->records = take(base, &used, pixels * sizeof *job->records);
  job->taken = take(base, &used, STX_SGM_PATHS_LAUNCHES * sizeof *job->taken);
  if (params->texture >= 0) {
    job->textured = take(base, &used, textured_pitch * height);
    job->textured_pitch = (uint32_t)textured_pitch;
  }
  if (params->lr_max_diff >= 0)
    job->right_best = take(base, &used, pixels * sizeof *job->right_best);
  job->sky = take(base, &used, params->sky ? stx_sgm_sky_cuda_scratch(params) : 0);
  return used;
}

static size_t scratch_size(const StxSgmParams *params, int threads)
{
  Job job = {0};
  return lay_out(&job, params, NULL);
}

/* ---- Launches ----------------------------------------------------------------------------- */

static bool launch(const Job *job, const StxCudaKernel *kernel, StxCudaSize grid, StxCudaSize block,
    const void *args, StxError *error)
{
  return stx_cuda_launch(
      job->place->device, kernel, grid, block, 0, args, job->place->stream, error);
}

static StxSgmCensusArgs census_args(const Job *job, const StxImage8 *left, const StxImage8 *right)
{
  const StxSgmParams *params = job->params;
  return (StxSgmCensusArgs){
      .image = {left->data, right->data},
      .stride = {left->stride, right->stride},
      .width = params->width,
      .height = params->height,
      .left = job->left,
      .right = job->right,
      .textured = job->textured,
      .textured_pitch = job->textured_pitch,
      .texture = params->texture,
      .right_best = job->right_best,
      .taken = job->taken,
  };
}

static bool census(const Job *job, const StxSgmCensusArgs *args, StxError *error)
{
  StxCudaSize grid = {stx_cuda_blocks((size_t)args->width, STX_SGM_CENSUS_COLUMNS),
      stx_cuda_blocks((size_t)args->height, STX_SGM_CENSUS_ROWS), 2};
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_CENSUS_ROWS, 1};
  return launch(job, &census_kernel, grid, block, args, error);
}

/* Of lines along an axis: see first_pixels in sgm_paths.cuh. */
static unsigned axis_tasks(const Job *job, const StxSgmAxis *axis)
{
  const unsigned lines = 2 * STX_SGM_BLOCK_PAIRS;
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

/* Horizontal lines, being the longest, had better come first. */
static bool paths(const Job *job, StxSgmAxis first, StxSgmAxis second, StxSgmStore store,
    uint32_t *taken, StxError *error)
{
  const unsigned first_tasks = axis_tasks(job, &first);
  const unsigned tasks = first_tasks + axis_tasks(job, &second);
  StxSgmPathsArgs args = {
      .left = job->left,
      .right = job->right,
      .width = job->params->width,
      .height = job->params->height,
      .columns = (int32_t)job->columns,
      .p1 = job->params->p1,
      .p2 = job->params->p2,
      .axes = {first, second},
      .tasks = (int32_t)tasks,
      .first_tasks = (int32_t)first_tasks,
      .taken = taken,
      .store = store,
  };
  StxCudaSize grid = {paths_blocks(job, tasks), 1, 1};
  StxCudaSize block = {STX_SGM_LANES, 2 * STX_SGM_BLOCK_PAIRS, 1};
  return launch(job, &paths_kernels[job->variant], grid, block, &args, error);
}

/* Four paths: opposite ones share a volume. Eight: those that are rounded together do. There the
 * horizontal lines add: what is added to has to be read as well, so these launches take as long as
 * the memory does, and it does not matter that at the end only the longest lines are left. */
static bool all_paths(const Job *job, StxError *error)
{
  uint8_t *const *v = job->volumes;
  if (job->params->paths == 4)
    return paths(job, (StxSgmAxis){.horizontal = true, .forward = v[0], .backward = v[0]},
        (StxSgmAxis){.dx = 0, .forward = v[1], .backward = v[1]}, STX_SGM_MEET, job->taken, error);
  return paths(job, (StxSgmAxis){.dx = 0, .forward = v[0], .backward = v[2]},
             (StxSgmAxis){.dx = 1, .forward = v[1], .backward = v[3]}, STX_SGM_PUT, job->taken,
             error) &&
         paths(job, (StxSgmAxis){.horizontal = true, .forward = v[0], .backward = v[2]},
             (StxSgmAxis){.dx = -1, .forward = v[1], .backward = v[3]}, STX_SGM_ADD, job->taken + 1,
             error);
}

static bool winner(const Job *job, StxError *error)
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
  StxCudaSize grid = {
      stx_cuda_blocks((size_t)params->width, STX_SGM_SEGMENT * STX_SGM_WINNER_WARPS),
      (unsigned)params->height, 1};
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_WINNER_WARPS, 1};
  return launch(job, &winner_kernels[job->variant], grid, block, &args, error);
}

static bool finish(
    const Job *job, const StxImage16 *disparity, const StxImage8 *confidence, StxError *error)
{
  const StxSgmParams *params = job->params;
  StxSgmFinishArgs args = {
      .records = job->records,
      .right_best = job->right_best,
      .width = params->width,
      .height = disparity->height,
      .lr_max_diff = params->lr_max_diff,
      .median = params->median,
      .disparity = disparity->data,
      .disparity_stride = disparity->stride,
      .confidence = confidence->data,
      .confidence_stride = confidence->stride,
  };
  StxCudaSize grid = {stx_cuda_blocks((size_t)params->width, STX_SGM_LANES),
      stx_cuda_blocks((size_t)disparity->height, STX_SGM_FINISH_ROWS), 1};
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_FINISH_ROWS, 1};
  return launch(job, &finish_kernel, grid, block, &args, error);
}

/* With coarse-to-fine search all but the last step sees lines alone. */
static bool search(const Job *job, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, StxError *error)
{
  const StxSgmCensusArgs args = census_args(job, left, right);
  if (job->params->search == STX_SGM_FULL)
    return census(job, &args, error) && all_paths(job, error) && winner(job, error) &&
           finish(job, disparity, confidence, error);
  StxImage8 sure = job->sure;
  if (confidence->data == NULL)
    sure.data = NULL;
  return stx_sgm_coarse_cuda(job->params, &args, job->records, job->coarse, job->place, error) &&
         finish(job, &job->lines, &sure, error) &&
         stx_sgm_coarse_cuda_rows(&job->lines, &sure, disparity, confidence, job->place, error);
}

static bool sky(const Job *job, const StxImage8 *left, const StxImage16 *disparity,
    const StxImage8 *confidence, StxError *error)
{
  StxSgmSkyArgs args = {
      .width = job->params->width,
      .height = job->params->height,
      .left = left->data,
      .left_stride = left->stride,
      .left_words = job->left,
      .right_words = job->right,
      .disparity = disparity->data,
      .disparity_stride = disparity->stride,
      .confidence = confidence->data,
      .confidence_stride = confidence->stride,
  };
  return stx_sgm_sky_cuda(job->params, &args, job->sky, job->place, error);
}

static bool border(
    const Job *job, const StxImage16 *disparity, const StxImage8 *confidence, StxError *error)
{
  const StxSgmParams *params = job->params;
  StxSgmBorderArgs args = {
      .width = params->width,
      .height = params->height,
      .max_disparity = params->max_disparity,
      .disparity = disparity->data,
      .disparity_stride = disparity->stride,
      .confidence = confidence->data,
      .confidence_stride = confidence->stride,
  };
  StxCudaSize grid = {stx_cuda_blocks((size_t)params->height, STX_SGM_BORDER_ROWS), 1, 1};
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_BORDER_ROWS, 1};
  return launch(job, &border_kernel, grid, block, &args, error);
}

static bool depth(
    const Job *job, const StxImage16 *disparity, const StxImage8 *confidence, StxError *error)
{
  const StxSgmParams *params = job->params;
  StxSgmDepthArgs args = {
      .width = params->width,
      .height = params->height,
      .scale = params->depth,
      .map = disparity->data,
      .map_stride = disparity->stride,
      .confidence = confidence->data,
      .confidence_stride = confidence->stride,
  };
  StxCudaSize grid = {stx_cuda_blocks((size_t)params->width, STX_SGM_LANES),
      stx_cuda_blocks((size_t)params->height, STX_SGM_FINISH_ROWS), 1};
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_FINISH_ROWS, 1};
  return launch(job, &depth_kernel, grid, block, &args, error);
}

static bool run(const StxSgmParams *params, const StxImage8 *left, const StxImage8 *right,
    const StxImage16 *disparity, const StxImage8 *confidence, void *scratch, const StxPlace *place,
    StxError *error)
{
  Job job = {.place = place};
  lay_out(&job, params, scratch);
  return search(&job, left, right, disparity, confidence, error) &&
         (!params->sky || sky(&job, left, disparity, confidence, error)) &&
         (params->lr_max_diff < 0 || border(&job, disparity, confidence, error)) &&
         (params->depth == 0 || depth(&job, disparity, confidence, error));
}

static const StxSgmImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size, run}};
const StxImplTable stx_sgm_cuda_impls = {impls, 1, sizeof impls[0]};
