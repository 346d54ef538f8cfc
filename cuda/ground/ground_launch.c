/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launches ground's kernels, one after the other; the host learns nothing in between. */
#include "cuda/ground/ground_args.h"
#include "cuda/driver/launch.h"

#include <string.h>

STX_CUDA_MODULE(ground);

static const StxCudaKernel lows_kernel = {&module, "stx_ground_lows"};
static const StxCudaKernel plane_kernel = {&module, "stx_ground_plane"};
static const StxCudaKernel bins_kernel = {&module, "stx_ground_bins"};
static const StxCudaKernel lines_kernel = {&module, "stx_ground_sector_lines"};
static const StxCudaKernel labels_kernel = {&module, "stx_ground_labels"};
static const StxCudaKernel merge_kernel = {&module, "stx_ground_merge"};
static const StxCudaKernel rank_kernel = {&module, "stx_ground_rank"};
static const StxCudaKernel number_kernel = {&module, "stx_ground_number"};

#define LANES 32

/* ---- Scratch ------------------------------------------------------------------------------- */

/* Places the arrays; returns the size of all. Those that begin with all bits set come first;
 * *minima is their size. */
static size_t lay_out(const StxGroundParams *params, char *memory, StxGroundArgs *a, size_t *minima)
{
  size_t bins = (size_t)params->sectors * (size_t)params->bins;
  size_t side = (size_t)stx_ground_side(params), cells = side * side;
  StxLayout at = {.memory = memory};
  STX_TAKE(&at, a->minima, 1);
  STX_TAKE(&at, a->key, bins);
  STX_TAKE(&at, a->top, bins);
  STX_TAKE(&at, a->parent, cells);
  *minima = at.size;
  STX_TAKE(&at, a->pose, 1);
  STX_TAKE(&at, a->own, bins);
  STX_TAKE(&at, a->bank, bins);
  STX_TAKE(&at, a->root, cells);
  STX_TAKE(&at, a->rank, cells);
  STX_TAKE(&at, a->before, stx_cuda_blocks(cells, STX_GROUND_RANK_THREADS));
  return at.size;
}

static size_t scratch_size(const StxGroundParams *params, size_t count, int threads)
{
  StxGroundArgs layout;
  size_t minima;
  return lay_out(params, NULL, &layout, &minima);
}

/* ---- Run ----------------------------------------------------------------------------------- */

/* A run as far as it is enqueued. */
typedef struct {
  const StxPlace *place;
  const StxGroundArgs *args;
  StxError *error;
} Run;

static bool launch_with(
    const Run *r, const StxCudaKernel *kernel, size_t items, unsigned threads, size_t shared)
{
  return stx_cuda_launch(r->place, kernel, (StxCudaSize){stx_cuda_blocks(items, threads), 1, 1},
      (StxCudaSize){threads, 1, 1}, shared, r->args, r->error);
}

static bool launch(const Run *r, const StxCudaKernel *kernel, size_t items, unsigned threads)
{
  return launch_with(r, kernel, items, threads, 0);
}

static bool find_plane(const Run *r)
{
  const StxGroundArgs *a = r->args;
  size_t looked = a->wants_plane ? (a->count + a->stride - 1) / a->stride : 0;
  size_t blocks = a->wants_plane ? STX_GROUND_PLANE_BLOCKS : 1;
  return launch(r, &lows_kernel, looked, STX_GROUND_POINT_THREADS) &&
         launch(r, &plane_kernel, blocks * STX_GROUND_PLANE_THREADS, STX_GROUND_PLANE_THREADS);
}

/* Without what lies between the fields: the pretended driver of the tests takes all that looks like
 * an address of the host for a mistake. */
static void copy_params(const StxGroundParams *params, StxGroundParams *copy)
{
  memcpy(copy, params, offsetof(StxGroundParams, level));
  copy->level = params->level;
  copy->cluster_cell = params->cluster_cell;
}

/* All but where to write; returns how many bytes of scratch begin with all bits set. */
static size_t fill_args(const StxGroundParams *params, const float *points, size_t count,
    char *scratch, StxGroundArgs *a)
{
  size_t minima;
  memset(a, 0, sizeof *a);
  copy_params(params, &a->params);
  a->side = stx_ground_side(params);
  a->cells = a->side * a->side;
  a->grid = stx_ground_grid(params, a->side);
  a->count = (uint32_t)count;
  a->stride = (uint32_t)stx_ground_stride(count);
  a->wants_plane = params->level || params->sensor_height == 0;
  a->aligned = (uintptr_t)points % 16 == 0;
  a->search = stx_ground_search(params);
  a->bank_bins = stx_ground_bank(params);
  a->points = points;
  lay_out(params, scratch, a, &minima);
  return minima;
}

static bool run(const StxGroundParams *params, const float *points, size_t count, uint32_t *labels,
    StxGroundResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  StxGroundArgs args;
  size_t minima = fill_args(params, points, count, scratch, &args);
  Run r = {place, &args, error};
  args.labels = labels;
  args.result = result;
  const size_t cells = (size_t)args.cells, lanes = (size_t)params->sectors * LANES;
  return stx_cuda_fill_bytes(place->device, scratch, 0xFF, minima, place->stream, error) &&
         find_plane(&r) && launch(&r, &bins_kernel, count, STX_GROUND_POINT_THREADS) &&
         launch_with(&r, &lines_kernel, lanes, LANES, stx_ground_sector(params->bins).bytes) &&
         launch(&r, &labels_kernel, count, STX_GROUND_POINT_THREADS) &&
         launch(&r, &merge_kernel, cells, STX_GROUND_POINT_THREADS) &&
         launch(&r, &rank_kernel, cells, STX_GROUND_RANK_THREADS) &&
         launch(&r, &number_kernel, cells > 0 ? count : 0, STX_GROUND_POINT_THREADS);
}

static const StxGroundImpl impls[] = {
    {{"cuda", STX_BACKEND_CUDA, STX_MEMORY_CUDA, 0}, scratch_size, run}};
const StxImplTable stx_ground_cuda_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
