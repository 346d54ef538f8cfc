/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The winner of each pixel among its 32 candidates, and on level 0 the checks that need no other
 * pixel, and the right view. A thread has a pixel, whose sums are eight words in registers: neither
 * needs other lanes. And the rows between the lines of level 0.
 */
#ifndef STX_SGM_COARSE_WINNER_CUH
#define STX_SGM_COARSE_WINNER_CUH

#include "common/sgm/coarse/sgm_coarse.h"
#include "common/sgm/sgm_math.h"
#include "cuda/sgm/sgm_coarse_args.h"
#include "cuda/sgm/sgm_finish.cuh"
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
  uint32_t least = UINT8_MAX;
#pragma unroll
  for (int i = 0; i < CANDIDATES; i++)
    if (abs(i - best) > 1 || i / STX_SGM_COARSE_WINDOW != best / STX_SGM_COARSE_WINDOW)
      least = min(least, sum_of(sums, i));
  return least;
}

/* A pixel's record, but for the left-right check. best: the candidate d; at: its byte. */
template <int PATHS>
STX_DEVICE uint32_t record_of(
    const StxSgmWinnerArgs *a, int x, size_t at, int best, int d, int s1, int s2)
{
  const int within = best % STX_SGM_COARSE_WINDOW;
  int vertex = 0;
  if (x < d || !stx_sgm_unique(s1, s2, a->uniqueness))
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
  const int block =
      j * STX_SGM_COARSE_STEP / STX_SGM_COARSE_BLOCK * a->columns + x / STX_SGM_COARSE_BLOCK;
  const int starts = a->starts[block], window = best / STX_SGM_COARSE_WINDOW;
  const int d = (starts >> 8 * window & 255) + best % STX_SGM_COARSE_WINDOW;
  if (a->winner != NULL) {
    a->winner[pixel] = (uint8_t)d;
    return;
  }
  const int s2 = (int)second_sum(sums, best);
  a->pair.records[pixel] = record_of<PATHS>(&a->pair, x, at + best, best, d, s1, s2);
  if (a->pair.right_best != NULL && x >= d)
    atomicMin(&a->pair.right_best[pixel - d], (uint32_t)(s1 << 8 | d));
}

/* ---- Between the lines --------------------------------------------------------------------- */

/* The record of pixel x of line j after the left-right check; 0: unknown. */
STX_DEVICE uint32_t checked_record(const StxSgmRowsArgs *a, int x, int j)
{
  const uint32_t record = a->pair.records[(size_t)j * a->pair.width + x];
  return checked_value(&a->pair, x, j) == STX_DISPARITY_UNKNOWN ? 0 : record;
}

/* What is known between two lines, of which `a` and `b` are records. */
STX_DEVICE uint32_t between(uint32_t a, uint32_t b)
{
  const int above = (int)(a & UINT16_MAX), below = (int)(b & UINT16_MAX);
  if (a == 0 || b == 0 || abs(above - below) > STX_DISPARITY_ONE)
    return 0;
  return (uint32_t)(above + below + 1) >> 1 | min(a >> 24, b >> 24) << 24;
}

STX_DEVICE void finish_row_pixel(const StxSgmRowsArgs *a, int x, int y)
{
  const int above = y / STX_SGM_COARSE_STEP, below = y + 1 < a->pair.height ? above + 1 : above;
  uint32_t record = checked_record(a, x, above);
  if (y % STX_SGM_COARSE_STEP != 0)
    record = between(record, checked_record(a, x, below));
  if (a->textured != NULL && a->textured[(size_t)y * a->textured_pitch + x] == 0)
    record = 0;
  a->records[(size_t)y * a->pair.width + x] = record;
}

#endif
