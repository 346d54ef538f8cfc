/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sky on the GPU: scratch, and the launches of the kernels in sgm_sky.cu. */
#include "cuda/sgm/sgm_parts.h"
#include "cuda/driver/launch.h"

STX_CUDA_MODULE(sgm_sky);

static const StxCudaKernel tiles_kernel = {&module, "stx_sgm_sky_tiles"};
static const StxCudaKernel candidates_kernel = {&module, "stx_sgm_sky_candidates"};
static const StxCudaKernel join_kernel = {&module, "stx_sgm_sky_join"};
static const StxCudaKernel patches_kernel = {&module, "stx_sgm_sky_patches"};
static const StxCudaKernel mark_kernel = {&module, "stx_sgm_sky_mark"};

static size_t lay_out(StxSgmSkyArgs *a, const StxSgmParams *params, void *base)
{
  StxLayout at = {.memory = base};
  a->columns = (int32_t)stx_cuda_blocks((size_t)params->width, STX_SGM_TILE);
  a->rows = (int32_t)stx_cuda_blocks((size_t)params->height, STX_SGM_TILE);
  size_t count = (size_t)a->columns * (size_t)a->rows;
  STX_TAKE(&at, a->total, 1);
  STX_TAKE(&at, a->done, 1);
  STX_TAKE(&at, a->tiles, count);
  STX_TAKE(&at, a->parent, count);
  STX_TAKE(&at, a->patch, count);
  STX_TAKE(&at, a->patches, a->columns);
  STX_TAKE(&at, a->is_sky, a->columns);
  return at.size;
}

size_t stx_sgm_sky_cuda_scratch(const StxSgmParams *params)
{
  StxSgmSkyArgs args;
  return lay_out(&args, params, NULL);
}

typedef struct {
  const StxSgmSkyArgs *args;
  const StxPlace *place;
  StxError *error;
} Launch;

/* A thread per tile. */
static bool launch(const Launch *l, const StxCudaKernel *kernel)
{
  size_t tiles = (size_t)l->args->columns * (size_t)l->args->rows;
  StxCudaSize grid = {stx_cuda_blocks(tiles, STX_SGM_SKY_THREADS), 1, 1};
  StxCudaSize block = {STX_SGM_SKY_THREADS, 1, 1};
  return stx_cuda_launch(
      l->place->device, kernel, grid, block, 0, l->args, l->place->stream, l->error);
}

static bool mark(const Launch *l)
{
  StxCudaSize grid = {stx_cuda_blocks((size_t)l->args->columns, STX_SGM_LANES),
      stx_cuda_blocks((size_t)l->args->rows, STX_SGM_SKY_MARK_ROWS), 1};
  StxCudaSize block = {STX_SGM_LANES, STX_SGM_SKY_MARK_ROWS, 1};
  return stx_cuda_launch(
      l->place->device, &mark_kernel, grid, block, 0, l->args, l->place->stream, l->error);
}

bool stx_sgm_sky_cuda(const StxSgmParams *params, StxSgmSkyArgs *args, void *scratch,
    const StxPlace *place, StxError *error)
{
  Launch l = {args, place, error};
  lay_out(args, params, scratch);
  return stx_cuda_fill_bytes(
             place->device, args->total, 0, sizeof *args->total, place->stream, error) &&
         launch(&l, &tiles_kernel) && launch(&l, &candidates_kernel) && launch(&l, &join_kernel) &&
         launch(&l, &patches_kernel) && mark(&l);
}
