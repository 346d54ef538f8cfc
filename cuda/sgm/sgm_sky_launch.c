/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sky on the GPU: scratch, and the launches of the kernels in sgm_sky.cu. */
#include "cuda/sgm/sgm_parts.h"
#include "cuda/driver/launch.h"

STX_CUDA_MODULE(sgm_sky);

/* Kernels with a thread per tile, in their order. */
static const StxCudaKernel tile_kernels[] = {{&module, "stx_sgm_sky_tiles"},
    {&module, "stx_sgm_sky_samples"}, {&module, "stx_sgm_sky_candidates"},
    {&module, "stx_sgm_sky_inner"}, {&module, "stx_sgm_sky_join"}, {&module, "stx_sgm_sky_edge"},
    {&module, "stx_sgm_sky_patches"}};
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
  STX_TAKE(&at, a->samples, count);
  STX_TAKE(&at, a->candidates, count);
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

bool stx_sgm_sky_cuda(const StxSgmParams *params, StxSgmSkyArgs *args, void *scratch,
    const StxPlace *place, StxError *error)
{
  lay_out(args, params, scratch);
  StxCudaSize tiles = stx_cuda_grid(args->columns * args->rows, STX_SGM_SKY_THREADS, 1, 1, 1);
  StxCudaSize threads = {STX_SGM_SKY_THREADS, 1, 1};
  StxCudaSize rows =
      stx_cuda_grid(args->columns, STX_SGM_LANES, args->rows, STX_SGM_SKY_MARK_ROWS, 1);
  StxCudaSize warps = {STX_SGM_LANES, STX_SGM_SKY_MARK_ROWS, 1};
  bool ok = stx_cuda_clear(place, args->total, sizeof *args->total, error);
  for (size_t i = 0; i < sizeof tile_kernels / sizeof tile_kernels[0] && ok; i++)
    ok = stx_cuda_launch(place, &tile_kernels[i], tiles, threads, 0, args, error);
  return ok && stx_cuda_launch(place, &mark_kernel, rows, warps, 0, args, error);
}
