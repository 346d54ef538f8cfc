/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Coarse-to-fine search on the GPU, see common/sgm/coarse/sgm_coarse.h: what takes the place of
 * census, paths and winner of sgm.cu. The pictures are halved and smoothed first; then, level by
 * level from the top, census, windows, paths and winners, each explained in its file. The winners
 * of a level are the votes of the next; those of level 0 are records, as full search has them, of
 * its lines. From these sgm.cu goes on as if there were no other rows, which the last kernel adds.
 * What all that costs beside full search, on paper: docs/algorithms/sgm.md.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/sgm/sgm_census.cuh"
#include "cuda/sgm/sgm_coarse_paths.cuh"
#include "cuda/sgm/sgm_coarse_windows.cuh"
#include "cuda/sgm/sgm_coarse_winner.cuh"

STX_KERNEL(stx_sgm_coarse_halve, StxSgmPictureArgs, STX_SGM_COARSE_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int y = blockIdx.y * STX_SGM_COARSE_ROWS + threadIdx.y;
  if (2 * x < a.width && 2 * y < a.height)
    halve_pixel(&a, blockIdx.z, x, y);
}

STX_KERNEL(stx_sgm_coarse_smooth, StxSgmPictureArgs, STX_SGM_COARSE_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int y = blockIdx.y * STX_SGM_COARSE_ROWS + threadIdx.y;
  if (x < a.width && y < a.height)
    smooth_pixel(&a, blockIdx.z, x, y);
}

STX_KERNEL(stx_sgm_coarse_census, StxSgmCensusArgs, STX_SGM_LANES *STX_SGM_CENSUS_ROWS)
{
  STX_SHARED_2D(uint32_t, tile, TILE_ROWS, TILE_COLUMNS / 4);
  STX_SHARED_2D(uint4, words, STX_SGM_CENSUS_ROWS, STX_SGM_LANES);
  census_tile(&a, tile, words);
}

STX_KERNEL(stx_sgm_coarse_windows, StxSgmWindowsArgs, STX_SGM_COARSE_WARPS *STX_SGM_LANES)
{
  STX_SHARED_2D(uint32_t, votes, STX_SGM_COARSE_WARPS, VOTE_BINS);
  STX_SHARED_2D(uint32_t, sums, STX_SGM_COARSE_WARPS, STX_SGM_COARSE_VOTES);
  find_windows(&a, votes[threadIdx.y], sums[threadIdx.y]);
}

STX_KERNEL(stx_sgm_coarse_paths, StxSgmCoarsePathsArgs, 2 * STX_SGM_COARSE_PATHS * STX_SGM_LANES)
{
  follow_paths(&a);
}

STX_KERNEL(stx_sgm_coarse_winner, StxSgmCoarseWinnerArgs, STX_SGM_COARSE_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int line = blockIdx.y * STX_SGM_COARSE_ROWS + threadIdx.y;
  if (x >= a.pair.width || line >= a.lines)
    return;
  if (a.pair.paths == 4)
    find_winner<4>(&a, x, line);
  else
    find_winner<8>(&a, x, line);
}

STX_KERNEL(stx_sgm_coarse_rows, StxSgmRowsArgs, STX_SGM_COARSE_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int y = blockIdx.y * STX_SGM_COARSE_ROWS + threadIdx.y;
  if (x < a.width && y < a.height)
    write_row_pixel(&a, x, y);
}
