/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction (common/colmean/colmean.h) on the GPU: one launch.
 *
 *   colmean_steps.cuh   numbers of other maps to steps; a launch before that
 *   colmean_rows.cuh    disparity and weight of a row of cells, and its holes
 *   colmean_scores.cuh  class costs of a tile of cells, from scores
 *   colmean_labels.cuh  class costs of a tile of cells, from a label image
 *
 * Rows are the first blocks of the grid: they take latency rather than bandwidth, the others
 * nothing but bandwidth. Cells of 5 to 64 pixels are reduced by the blocks that own rows. Of
 * smaller ones a row is too little for whole segments of memory, of larger ones too few threads
 * work: those have a launch of their own before that, colmean_depth.cuh and colmean_large.cuh, and
 * leave the rows only the holes. Reduction and transposition are one: every byte of the image is
 * read once, and what is written are the columns.
 *
 * Tried on paper and rejected: the last block of a row of tiles filling its holes (needs counters
 * that somebody has to clear, which is a launch as well); a sort of 64 values in registers (543
 * comparators, against 8 to 16 passes of 2 instructions per value).
 */
#include "cuda/colmean/colmean_labels.cuh"
#include "cuda/colmean/colmean_large.cuh"
#include "cuda/colmean/colmean_scores.cuh"
#include "cuda/colmean/colmean_steps.cuh"

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
STX_KERNEL_BLOCKS(stx_colmean_u8_1, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, sums);
  reduce_scores<uint8_t, 1>(a, sums);
}

STX_KERNEL_BLOCKS(stx_colmean_u8_4, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, sums);
  reduce_scores<uint8_t, 4>(a, sums);
}

STX_KERNEL_BLOCKS(stx_colmean_u8_scaled, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, sums);
  reduce_scores<uint8_t, 1, true>(a, sums);
}

STX_KERNEL_BLOCKS(stx_colmean_f16_1, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, sums);
  reduce_scores<Half, 1>(a, sums);
}

STX_KERNEL_BLOCKS(stx_colmean_f16_4, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, sums);
  reduce_scores<Half, 4>(a, sums);
}

STX_KERNEL_BLOCKS(stx_colmean_f16_scaled, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, sums);
  reduce_scores<Half, 1, true>(a, sums);
}

STX_KERNEL_BLOCKS(stx_colmean_f32_1, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, sums);
  reduce_scores<float, 1>(a, sums);
}

STX_KERNEL_BLOCKS(stx_colmean_f32_4, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, sums);
  reduce_scores<float, 4>(a, sums);
}

STX_KERNEL_BLOCKS(stx_colmean_f32_scaled, StxColmeanScoresArgs, STX_COLMEAN_THREADS, BLOCKS)
{
  STX_SHARED_DYNAMIC(uint32_t, sums);
  reduce_scores<float, 1, true>(a, sums);
}
