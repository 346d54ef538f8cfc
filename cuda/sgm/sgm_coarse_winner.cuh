/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The winner of each pixel among its 32 candidates, and on level 0 the checks that need no other
 * pixel, and the right view. A thread has a pixel, whose sums are eight words in registers: neither
 * needs other lanes. And, at the very end, the rows between lines.
 */
#ifndef STX_SGM_COARSE_WINNER_CUH
#define STX_SGM_COARSE_WINNER_CUH

#include "common/sgm/coarse/sgm_coarse.h"
#include "common/sgm/sgm_math.h"
#include "cuda/sgm/sgm_coarse_args.h"
#include "cuda/sgm/sgm_sums.cuh"

enum {
  CANDIDATES = 2 * STX_SGM_COARSE_WINDOW,
  SUM_WORDS = CANDIDATES / 4,
};

/* S of all candidates of a pixel, in bytes; at: its first byte. */
template <int PATHS>
STX_DEVICE void load_all_sums(const StxSgmWinnerArgs *a, size_t at, uint32_t (&sums)[SUM_WORDS])
{
#pragma unroll
  for (int half = 0; half < 2; half++) {
    uint32_t parts[4][PATHS / 2];
#pragma unroll
    for (int i = 0; i < PATHS / 2; i++) {
      const uint4 v = *((const uint4 *)(a->volumes[i] + at) + half);
      parts[0][i] = v.x, parts[1][i] = v.y, parts[2][i] = v.z, parts[3][i] = v.w;
    }
#pragma unroll
    for (int w = 0; w < 4; w++)
      sums[4 * half + w] = mean_of(parts[w]);
  }
}

STX_DEVICE uint32_t sum_of(const uint32_t (&sums)[SUM_WORDS], int i)
{
  return sums[i / 4] >> 8 * (i % 4) & 255;
}

/* The least of S << 8 | candidate: ties go to the first one. */
STX_DEVICE uint32_t least_key(const uint32_t (&sums)[SUM_WORDS])
{
  uint32_t least = ~0u;
#pragma unroll
  for (int i = 0; i < CANDIDATES; i++)
    least = min(least, sum_of(sums, i) << 8 | (uint32_t)i);
  return least;
}

/* S2. Below the top level windows do not touch, so candidates are neighbours within a window. */
STX_DEVICE uint32_t second_sum(const uint32_t (&sums)[SUM_WORDS], int best)
{
  uint32_t least = 255;
#pragma unroll
  for (int i = 0; i < CANDIDATES; i++)
    if (abs(i - best) > 1 || i / STX_SGM_COARSE_WINDOW != best / STX_SGM_COARSE_WINDOW)
      least = min(least, sum_of(sums, i));
  return least;
}

/* A pixel's record, but for the left-right check. best: the candidate d; at: its byte. */
template <int PATHS>
STX_DEVICE uint32_t record_of(
    const StxSgmWinnerArgs *a, int x, int y, size_t at, int best, int d, int s1, int s2)
{
  const int within = best % STX_SGM_COARSE_WINDOW;
  int vertex = 0;
  if (x < d || !stx_sgm_unique(s1, s2, a->uniqueness))
    return 0;
  if (a->textured != NULL && a->textured[(size_t)y * a->textured_pitch + x] == 0)
    return 0;
  if (within > 0 && within < STX_SGM_COARSE_WINDOW - 1)
    vertex = stx_sgm_vertex(sum_at<PATHS>(a, at - 1), s1, sum_at<PATHS>(a, at + 1));
  return (uint32_t)stx_sgm_value(d, vertex) | (uint32_t)d << 16 |
         (uint32_t)stx_sgm_confidence(s1, s2) << 24;
}

/* Of pixel x of line j. */
template <int PATHS> STX_DEVICE void find_winner(const StxSgmCoarseWinnerArgs *a, int x, int j)
{
  const size_t pixel = (size_t)j * a->pair.width + x, at = pixel * CANDIDATES;
  uint32_t sums[SUM_WORDS];
  load_all_sums<PATHS>(&a->pair, at, sums);
  const uint32_t key = least_key(sums);
  const int best = (int)(key & 255), s1 = (int)(key >> 8);
  const int y = j * STX_SGM_COARSE_STEP;
  const int block = y / STX_SGM_COARSE_BLOCK * a->columns + x / STX_SGM_COARSE_BLOCK;
  const int starts = a->starts[block], window = best / STX_SGM_COARSE_WINDOW;
  const int d = (starts >> 8 * window & 255) + best % STX_SGM_COARSE_WINDOW;
  if (a->winner != NULL) {
    a->winner[pixel] = (uint8_t)d;
    return;
  }
  const int s2 = (int)second_sum(sums, best);
  a->pair.records[pixel] = record_of<PATHS>(&a->pair, x, y, at + best, best, d, s1, s2);
  if (a->pair.right_best != NULL && x >= d)
    atomicMin(&a->pair.right_best[pixel - d], (uint32_t)(s1 << 8 | d));
}

/* ---- Between the lines --------------------------------------------------------------------- */

STX_DEVICE void write_row_pixel(const StxSgmRowsArgs *a, int x, int y)
{
  const int last = (a->height - 1) / STX_SGM_COARSE_STEP;
  const size_t above = (size_t)(y / STX_SGM_COARSE_STEP) * a->width + x;
  const size_t below =
      (size_t)min((y + STX_SGM_COARSE_STEP - 1) / STX_SGM_COARSE_STEP, last) * a->width + x;
  const int p = a->lines[above], q = a->lines[below];
  const bool known = p != STX_DISPARITY_UNKNOWN && q != STX_DISPARITY_UNKNOWN &&
                     abs(p - q) <= STX_SGM_COARSE_AGREE;
  *((uint16_t *)((uint8_t *)a->disparity + y * a->disparity_stride) + x) =
      known ? (uint16_t)((p + q + 1) >> 1) : STX_DISPARITY_UNKNOWN;
  if (a->confidence != NULL)
    a->confidence[y * a->confidence_stride + x] = known ? min(a->sure[above], a->sure[below]) : 0;
}

#endif
