/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rectification: common/rectify/rectify.h on a GPU, with the arithmetic of
 * common/rectify/rectify_math.h.
 *
 * A thread owns four samples of a row, a warp 128, a block eight rows of them. It loads its four
 * entries of the map at once, 24 bytes, and stores four samples at once, so that both go in whole
 * lines of 128 bytes. What it gathers, the four samples around each place, comes from the level-1
 * cache: neighbours of the target are neighbours of the source, but for the little that a lens
 * bends, and a block's samples lie in some ten rows. Every byte of the source is asked for four
 * times, and comes from memory once. No shared memory, no branches on where a sample comes from: of
 * what the camera does not see, the first samples of the source are loaded and thrown away, so that
 * all loads of a thread are on their way together.
 *
 * Rejected on paper: textures, which interpolate with 8 bits of fraction and round their own way;
 * a tile of the source in shared memory, whose size depends on the lens.
 */
#include "cuda/rectify/rectify_packed.cuh"

#define RECTIFY(bytes)                                                                             \
  STX_KERNEL(stx_rectify_##bytes, StxRectifyArgs, STX_RECTIFY_X *STX_RECTIFY_Y)                    \
  {                                                                                                \
    const int x = (int)(blockIdx.x * STX_RECTIFY_X + threadIdx.x) * STX_RECTIFY_SAMPLES;           \
    const int y = (int)(blockIdx.y * STX_RECTIFY_Y + threadIdx.y);                                 \
    if (x < a.width && y < a.height)                                                               \
      rectify_samples<bytes>(a, x, y);                                                             \
  }

RECTIFY(1)
RECTIFY(2)
RECTIFY(3)
RECTIFY(4)

/* Two pairs, whose eight bytes are stored at once. */
STX_KERNEL(stx_rectify_packed, StxRectifyPackedArgs, STX_RECTIFY_X *STX_RECTIFY_Y)
{
  const int pair = (int)(blockIdx.x * STX_RECTIFY_X + threadIdx.x) * STX_RECTIFY_PAIRS;
  const int y = (int)(blockIdx.y * STX_RECTIFY_Y + threadIdx.y);
  if (pair < a.colours.width && y < a.colours.height)
    rectify_pairs(a, pair, y);
}
