/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semi-global matching on the GPU, see common/sgm.h. Four kernels, each explained in its file:
 *
 *   census   words of both images, the texture check
 *   paths    L_r along all lines, summed up in volumes of one byte per pixel and candidate: all of
 *            four paths in one launch, eight in two
 *   winner   S, the winners of both views, checks, vertex, confidence
 *   finish   left-right check, median, output
 *
 * paths and winner exist for 64, 128 and 256 disparities.
 */
#include "cuda/gpu.cuh"

#include "cuda/sgm_census.cuh"
#include "cuda/sgm_finish.cuh"
#include "cuda/sgm_paths.cuh"
#include "cuda/sgm_winner.cuh"

STX_KERNEL(stx_sgm_census, StxSgmCensusArgs, STX_SGM_LANES *STX_SGM_CENSUS_ROWS)
{
  STX_SHARED_2D(uint32_t, tile, TILE_ROWS, TILE_COLUMNS / 4);
  STX_SHARED_2D(uint4, words, STX_SGM_CENSUS_ROWS, STX_SGM_LANES);
  census_tile(&a, tile, words);
}

STX_KERNEL(stx_sgm_paths_64, StxSgmPathsArgs, 2 * STX_SGM_BLOCK_LINES * STX_SGM_LANES)
{
  follow<2>(&a);
}

STX_KERNEL(stx_sgm_paths_128, StxSgmPathsArgs, 2 * STX_SGM_BLOCK_LINES * STX_SGM_LANES)
{
  follow<4>(&a);
}

STX_KERNEL(stx_sgm_paths_256, StxSgmPathsArgs, 2 * STX_SGM_BLOCK_LINES * STX_SGM_LANES)
{
  follow<8>(&a);
}

STX_KERNEL(stx_sgm_winner_64, StxSgmWinnerArgs, STX_SGM_WINNER_WARPS *STX_SGM_LANES)
{
  find_winners<2>(&a);
}

STX_KERNEL(stx_sgm_winner_128, StxSgmWinnerArgs, STX_SGM_WINNER_WARPS *STX_SGM_LANES)
{
  find_winners<4>(&a);
}

STX_KERNEL(stx_sgm_winner_256, StxSgmWinnerArgs, STX_SGM_WINNER_WARPS *STX_SGM_LANES)
{
  find_winners<8>(&a);
}

STX_KERNEL(stx_sgm_finish, StxSgmFinishArgs, STX_SGM_FINISH_ROWS *STX_SGM_LANES)
{
  STX_SHARED_2D(uint16_t, values, VALUES_ROWS, VALUES_COLUMNS);
  finish_tile(&a, values);
}
