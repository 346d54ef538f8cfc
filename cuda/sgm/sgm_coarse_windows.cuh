/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pictures of half the size, smoothed ones, and the windows of candidates that a level's blocks get
 * from the winners of the coarser level: common/sgm/coarse/sgm_coarse.h.
 *
 * A warp has a block. Votes are counted in shared memory; then a lane has every 32nd window.
 */
#ifndef STX_SGM_COARSE_WINDOWS_CUH
#define STX_SGM_COARSE_WINDOWS_CUH

#include "common/sgm/coarse/sgm_coarse.h"
#include "cuda/driver/sums.cuh"
#include "cuda/sgm/sgm_coarse_args.h"

enum {
  WINDOW = STX_SGM_COARSE_WINDOW,
  VOTER_LINES = STX_SGM_COARSE_VOTERS / STX_SGM_COARSE_STEP,
  VOTE_BINS = STX_SGM_COARSE_VOTES + STX_SGM_COARSE_HELD, /* windows may end behind the last one */
};

/* ---- Pictures ------------------------------------------------------------------------------ */

STX_DEVICE void halve_pixel(const StxSgmPictureArgs *a, int side, int x, int y)
{
  const uint8_t *above = a->from[side] + 2 * y * a->stride[side];
  const uint8_t *below = a->from[side] + min(2 * y + 1, a->height - 1) * a->stride[side];
  const int left = 2 * x, right = min(2 * x + 1, a->width - 1);
  a->to[side][(size_t)y * ((a->width + 1) / 2) + x] =
      (uint8_t)((above[left] + above[right] + below[left] + below[right] + 2) >> 2);
}

STX_DEVICE void smooth_pixel(const StxSgmPictureArgs *a, int side, int x, int y)
{
  const uint8_t *from = a->from[side] + x;
  const int above = from[max(y - 1, 0) * a->stride[side]], own = from[y * a->stride[side]];
  const int below = from[min(y + 1, a->height - 1) * a->stride[side]];
  a->to[side][(size_t)y * a->width + x] = (uint8_t)((above + 2 * own + below + 2) >> 2);
}

/* ---- Windows ------------------------------------------------------------------------------- */

/* h(c) of block (i, j), for all c below VOTE_BINS. */
STX_DEVICE void count_votes(const StxSgmWindowsArgs *a, int i, int j, uint32_t *votes)
{
  const int step = STX_SGM_COARSE_BLOCK / 2, lane = threadIdx.x;
  for (int c = lane; c < VOTE_BINS; c += STX_SGM_LANES)
    votes[c] = 0;
  __syncwarp();
  for (int k = lane; k < VOTER_LINES * STX_SGM_COARSE_VOTERS; k += STX_SGM_LANES) {
    const int x = step * i - STX_SGM_COARSE_AROUND + k % STX_SGM_COARSE_VOTERS;
    const int line =
        (step * j - STX_SGM_COARSE_AROUND) / STX_SGM_COARSE_STEP + k / STX_SGM_COARSE_VOTERS;
    if (x >= 0 && x < a->width && line >= 0 && line < a->lines)
      atomicAdd(&votes[a->winner[(size_t)line * a->width + x]], 1u);
  }
  __syncwarp();
}

/* s(t) */
STX_DEVICE int begin_of(int t, int n)
{
  return max(0, min(2 * t - 2, 2 * n - WINDOW));
}

/* v(t), or 0 if the window begins no more than WINDOW away from `other`. */
STX_DEVICE uint32_t votes_of(const uint32_t *votes, int t, int n, int other)
{
  uint32_t sum = 0;
#pragma unroll
  for (int c = 0; c < STX_SGM_COARSE_HELD; c++)
    sum += votes[t + c];
  return abs(begin_of(t, n) - other) > WINDOW ? sum : 0;
}

/* Where the window begins that is in the middle of the first run with the most votes; −1 if there
 * are no votes. `sums` has room for those of all windows. By the whole warp. */
STX_DEVICE int best_window(const uint32_t *votes, uint32_t *sums, int n, int other)
{
  const int last = n - STX_SGM_COARSE_HELD;
  uint32_t most = 0, first = UINT32_MAX, end = UINT32_MAX;
  for (int t = threadIdx.x; t <= last; t += STX_SGM_LANES) {
    sums[t] = votes_of(votes, t, n, other);
    most = max(most, sums[t]);
  }
  most = warp_max(most);
  __syncwarp();
  for (int t = threadIdx.x; t <= last; t += STX_SGM_LANES)
    if (sums[t] == most) {
      first = min(first, (uint32_t)t);
      if (t == last || sums[t + 1] != most)
        end = min(end, (uint32_t)t); /* of a run; that of the first run is the least */
    }
  first = warp_min(first), end = warp_min(end);
  __syncwarp(); /* all have read the sums */
  return most > 0 ? begin_of((int)(first + end) >> 1, n) : -1;
}

/* Both windows of a block from its votes, which are used up. */
STX_DEVICE void choose_windows(uint32_t *votes, uint32_t *sums, int n, uint8_t *starts)
{
  const int first = best_window(votes, sums, n, -2 * WINDOW), lane = threadIdx.x;
  if (lane < WINDOW / 2 && first / 2 + lane < n) /* `first` is even */
    votes[first / 2 + lane] = 0;
  __syncwarp();
  int second = best_window(votes, sums, n, first);
  if (second < 0)
    second = first + 2 * WINDOW + 1 <= 2 * n ? first + WINDOW + 1 : first - WINDOW - 1;
  if (lane == 0) {
    starts[0] = (uint8_t)min(first, second);
    starts[1] = (uint8_t)max(first, second);
  }
}

STX_DEVICE void find_windows(const StxSgmWindowsArgs *a, uint32_t *votes, uint32_t *sums)
{
  const int block = blockIdx.x * STX_SGM_COARSE_WARPS + threadIdx.y;
  if (block >= a->columns * a->rows)
    return;
  uint8_t *starts = a->starts + 2 * block;
  if (a->winner != NULL) {
    count_votes(a, block % a->columns, block / a->columns, votes);
    choose_windows(votes, sums, a->disparities, starts);
  } else if (threadIdx.x < 2) {
    starts[threadIdx.x] = (uint8_t)(WINDOW * threadIdx.x);
  }
}

#endif
