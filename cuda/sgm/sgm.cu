/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Semi-global matching on the GPU, see common/sgm/sgm.h. Kernels, each explained in its file:
 *
 *   census   words of both images, the texture check
 *   paths    L_r along all lines, summed up in volumes of one byte per pixel and candidate: all of
 *            four paths in one launch, eight in two
 *   winner   S, the winners of both views, checks, vertex, confidence
 *   finish   left-right check, median, output
 *   border   what the right camera does not see
 *   depth    millimetres in place of disparities, if they are wanted
 *
 * What comes before the border, the sky, is in sgm_sky.cu.
 *
 * paths and winner exist for 64, 128 and 256 disparities.
 *
 * What it has to cost, at 1242 × 375 × 128 on an H200 (132 multiprocessors at 1.98 GHz, 4.8 TB/s,
 * of which 4.2 can be had); counted in the machine code of sm_90 and not measured. V is a volume,
 * 60 MB.
 *
 *                                        four paths                  eight paths
 *   paths    instructions of warps       1.87 million steps · 37     3.74 million steps · 37
 *            at 4 per cycle              66 µs                       133 µs
 *            counts of ones, 16 a cycle  57 µs                       114 µs
 *            bytes, meanwhile            6 V: 86 µs                  12 V: 172 µs
 *   winner   instructions                466 000 pixels · 36: 16 µs  · 49: 22 µs
 *            bytes, meanwhile            2 V: 29 µs                  4 V: 57 µs
 *   census, finish                       15 µs                       15 µs
 *   together, with launches              140 µs                      255 µs
 *
 * A volume is written once and added to once, and read by the winner, 4 V for each; the same as if
 * each path had a volume of its own, in half the memory. The bytes are the bound now.
 *
 * Rejected, on paper
 *   - The last path and the winner in one kernel: saves 2 V, but only lines along the rows see the
 *     right view's diagonals, and 375 warps do not hide their latency. Better where the memory is
 *     slow and the processors few.
 *   - Costs in a volume of their own: 1 V written and 4 or 8 V read, where the bytes are the bound.
 *   - Four costs to a word: a minimum of bytes takes six instructions. Two take one from sm_90 on.
 */
#include "cuda/driver/gpu.cuh"

#include "cuda/driver/sums.cuh"
#include "cuda/sgm/sgm_border.cuh"
#include "cuda/sgm/sgm_census.cuh"
#include "cuda/sgm/sgm_depth.cuh"
#include "cuda/sgm/sgm_finish.cuh"
#include "cuda/sgm/sgm_paths.cuh"
#include "cuda/sgm/sgm_winner.cuh"

STX_KERNEL(stx_sgm_census, StxSgmCensusArgs, STX_SGM_LANES *STX_SGM_CENSUS_ROWS)
{
  STX_SHARED_2D(uint32_t, tile, TILE_ROWS, TILE_COLUMNS / 4);
  STX_SHARED_2D(uint4, words, STX_SGM_CENSUS_ROWS, STX_SGM_LANES);
  census_tile(&a, tile, words);
}

STX_KERNEL(stx_sgm_paths_64, StxSgmPathsArgs, 2 * STX_SGM_BLOCK_PAIRS * STX_SGM_LANES)
{
  STX_SHARED(int, task, 1);
  follow<2>(&a, task);
}

STX_KERNEL(stx_sgm_paths_128, StxSgmPathsArgs, 2 * STX_SGM_BLOCK_PAIRS * STX_SGM_LANES)
{
  STX_SHARED(int, task, 1);
  follow<4>(&a, task);
}

STX_KERNEL(stx_sgm_paths_256, StxSgmPathsArgs, 2 * STX_SGM_BLOCK_PAIRS * STX_SGM_LANES)
{
  STX_SHARED(int, task, 1);
  follow<8>(&a, task);
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

STX_KERNEL(stx_sgm_border, StxSgmBorderArgs, STX_SGM_BORDER_ROWS *STX_SGM_LANES)
{
  clear_border(&a);
}

STX_KERNEL(stx_sgm_depth, StxSgmDepthArgs, STX_SGM_FINISH_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int y = blockIdx.y * STX_SGM_FINISH_ROWS + threadIdx.y;
  if (x < a.width && y < a.height)
    convert_pixel(&a, x, y);
}
