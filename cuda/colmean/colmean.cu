/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction (common/colmean/colmean.h) on the GPU: one launch.
 *
 *   here                numbers of other maps to steps; a launch before that
 *   colmean_depth.cuh   disparity and weight of a cell
 *   colmean_rows.cuh    disparity and weight of a row of cells, and its holes
 *   colmean_scores.cuh  class costs of a tile of cells, from scores
 *   colmean_labels.cuh  class costs of a tile of cells, from a label image
 *
 * Rows are the first blocks of the grid: they take latency rather than bandwidth, the others
 * nothing but bandwidth. Cells of 5 to 64 pixels are reduced by the blocks that own rows. Of
 * smaller ones a row is too little for whole segments of memory, of larger ones too few threads
 * work: those have a launch of their own before that, and leave the rows only the holes. Reduction
 * and transposition are one: every byte of the image is read once, and what is written are the
 * columns.
 *
 * Tried on paper and rejected: the last block of a row of tiles filling its holes (needs counters
 * that must be cleared by another launch); a sort of 64 values in registers (543 comparators,
 * against 8 to 16 passes of 2 instructions per value).
 */
#include "cuda/colmean/colmean_depth.cuh"
#include "cuda/colmean/colmean_labels.cuh"
#include "cuda/colmean/colmean_scores.cuh"

/*
 * Cell reduction on the GPU: a map of other numbers becomes one of steps, a launch before the
 * others. It takes the map's bytes once more through the level-2 cache; in return the kernels that
 * reduce have one kind of pixel, no registers for another, and wide loads whatever the map's are.
 */

STX_DEVICE uint32_t steps_at(const StxColmeanStepsArgs &a, int x, int y)
{
  if (x >= a.width)
    return 0;
  const float number = a.floats.data != nullptr
                           ? __ldg(stx_row_float(&a.floats, y) + x)
                           : stx_disparity_from_16(&a.formula, __ldg(stx_row16(&a.map, y) + x));
  return stx_disparity_steps(&a.formula, number);
}

/* A thread makes two neighbours. */
STX_DEVICE void make_steps(const StxColmeanStepsArgs &a)
{
  const int pair = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (2 * pair < a.width)
    a.steps[(size_t)y * a.pitch + pair] = steps_at(a, 2 * pair, y) | steps_at(a, 2 * pair + 1, y)
                                                                         << 16;
}

/* Blocks that share a multiprocessor, without spilling: the code for rows takes 48 registers on
 * sm_90, and up to 64 elsewhere. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
#define BLOCKS 5
#else
#define BLOCKS 4
#endif

STX_KERNEL(stx_colmean_steps, StxColmeanStepsArgs, STX_COLMEAN_THREADS)
{
  make_steps(a);
}

/* Cells of at most 4 and 256 pixels; the last number is the width that is read best. */
STX_KERNEL(stx_colmean_depth_4, StxColmeanDepthArgs, STX_COLMEAN_THREADS)
{
  STX_SHARED(uint32_t, tile, DepthTile<1>::WORDS);
  reduce_cells<1, 4, 2>(a, tile);
}

STX_KERNEL(stx_colmean_depth_256, StxColmeanDepthArgs, STX_COLMEAN_THREADS)
{
  STX_SHARED(uint32_t, tile, DepthTile<16>::WORDS);
  reduce_cells<16, 16, 16>(a, tile);
}

/* Any cell: one per warp, the block's below one another. */
STX_KERNEL(stx_colmean_depth_large, StxColmeanDepthArgs, STX_COLMEAN_THREADS)
{
  STX_SHARED_DYNAMIC(uint16_t, disparities);
  const int warp = threadIdx.x / 32;
  reduce_large_cell(
      a, blockIdx.x, blockIdx.y * (blockDim.x / 32) + warp, disparities + warp * a.slots);
}

/* Rows of cells, where there are no classes. */
STX_KERNEL_BLOCKS(stx_colmean_rows, StxColmeanRows, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, shared);
  row_block(a, blockIdx.x, shared);
}

STX_KERNEL_BLOCKS(stx_colmean_labels, StxColmeanLabelsArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, counts);
  reduce_labels(a, counts);
}

/* Scores: 1 or 4 neighbouring values to a sum; scaled: scores of a fraction of the size. */
#define SCORES_KERNEL(name, ...)                                                                   \
  STX_KERNEL_BLOCKS(name, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)                       \
  {                                                                                                \
    STX_SHARED_DYNAMIC(uint32_t, sums);                                                            \
    reduce_scores<__VA_ARGS__>(a, sums);                                                           \
  }
SCORES_KERNEL(stx_colmean_u8_1, uint8_t, 1)
SCORES_KERNEL(stx_colmean_u8_4, uint8_t, 4)
SCORES_KERNEL(stx_colmean_u8_scaled, uint8_t, 1, true)
SCORES_KERNEL(stx_colmean_f16_1, Half, 1)
SCORES_KERNEL(stx_colmean_f16_4, Half, 4)
SCORES_KERNEL(stx_colmean_f16_scaled, Half, 1, true)
SCORES_KERNEL(stx_colmean_f32_1, float, 1)
SCORES_KERNEL(stx_colmean_f32_4, float, 4)
SCORES_KERNEL(stx_colmean_f32_scaled, float, 1, true)
