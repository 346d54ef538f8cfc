/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction on the GPU: a map of other numbers becomes one of steps, a launch before the
 * others. It takes the map's bytes once more through the level-2 cache; in return the kernels that
 * reduce have one kind of pixel, no registers for another, and wide loads whatever the map's are.
 */
#ifndef STX_COLMEAN_STEPS_CUH
#define STX_COLMEAN_STEPS_CUH

#include "cuda/colmean/colmean_cell.cuh"

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

#endif
