/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of coarse-to-fine search: common/sgm/coarse/sgm_coarse.h. A warp follows a path, a lane
 * has one of its pixel's 32 candidates. What sgm_stretch.cuh says of a step holds here:
 *
 *   L(p,d) = C(p,d) + min(L(q,d), L(q,d − 1) + P1, L(q,d + 1) + P1, m + P2) − m,  m = min_i L(q,i)
 *
 * where a candidate that q does not have never wins. A stretch is what a path has in one block of
 * pixels, at most eight of them: their windows are the same, so neighbours are those of the lane,
 * and addresses are linear. Into a block with other windows costs come from wherever the last block
 * had them: three shuffles. All loads of a stretch come before its first step; other warps hide
 * that, of which a multiprocessor has some two dozen in a picture of 1242 × 375 on 132 of them.
 *
 * Paths end where the image ends. A diagonal that leaves on the left or right comes in again on the
 * other side as a new path, so each has a pixel in every line.
 *
 * Rejected, on paper: two paths in the halves of a word, as in full search. Each needs shuffles and
 * addresses of its own; what remains shared is the minimum.
 */
#ifndef STX_SGM_COARSE_PATHS_CUH
#define STX_SGM_COARSE_PATHS_CUH

#include "common/sgm/coarse/sgm_coarse.h"
#include "cuda/driver/sums.cuh"
#include "cuda/sgm/sgm_coarse_args.h"
#include "cuda/sgm/sgm_hints.cuh"

enum {
  STEP = STX_SGM_COARSE_STEP,
  MOST = STX_SGM_COARSE_BLOCK, /* pixels of a stretch */
  NO_CANDIDATE = 1024,         /* more than L(q,d) + P1 can be */
  HALF_WARP = STX_SGM_COARSE_WINDOW,
};

/* A pixel of a path, and how the path goes on; y and dy in lines of the level. */
struct Spot {
  int x, y, dx, dy;
};

/* The last pixel. cost: L of the lane's candidate; least: over all lanes; starts: its windows. */
struct Walk {
  uint32_t cost, least, starts;
};

/* What the lane needs for the pixels of a stretch; sums: what the volume has, where something is
 * added to it. */
struct Words {
  uint32_t left[MOST], right[MOST], sums[MOST];
};

STX_DEVICE int disparity_of(uint32_t starts)
{
  const int lane = threadIdx.x;
  return (int)(starts >> lane / HALF_WARP * 8 & 255) + lane % HALF_WARP;
}

/* ---- A path -------------------------------------------------------------------------------- */

STX_DEVICE Spot first_spot(
    const StxSgmCoarsePathsArgs *a, const StxSgmAxis *axis, int number, bool backward)
{
  const int sign = backward ? -1 : 1;
  if (axis->horizontal)
    return {backward ? a->width - 1 : 0, number, sign, 0};
  return {number, backward ? a->lines - 1 : 0, sign * axis->dx, sign};
}

/* Steps until a coordinate leaves its block of so many. */
STX_DEVICE int steps_within(int at, int step, int block)
{
  const int within = at % block;
  return step > 0 ? block - within : step < 0 ? within + 1 : MOST;
}

/* Pixels of the stretch that begins here. */
STX_DEVICE int length_of(const StxSgmCoarsePathsArgs *a, Spot at, int most)
{
  const int across = steps_within(at.x, at.dx, MOST), down = steps_within(at.y, at.dy, MOST / STEP);
  const int length = min(most, min(across, down));
  return at.dx > 0 ? min(length, a->width - at.x) : length;
}

STX_DEVICE Spot behind(const StxSgmCoarsePathsArgs *a, Spot at, int length)
{
  at.x += length * at.dx;
  at.y += length * at.dy;
  at.x = at.x < 0 ? a->width - 1 : at.x == a->width ? 0 : at.x;
  return at;
}

/* Does the pixel have no predecessor? */
STX_DEVICE bool begins(const StxSgmCoarsePathsArgs *a, Spot at)
{
  return (at.dx != 0 && at.x == (at.dx > 0 ? 0 : a->width - 1)) ||
         (at.dy != 0 && at.y == (at.dy > 0 ? 0 : a->lines - 1));
}

template <bool ADD>
STX_DEVICE Words load_words(const StxSgmCoarsePathsArgs *a, Spot at, int length, int d,
    const uint8_t *cells, int64_t cells_step)
{
  const int left_row = a->width * STEP;
  const int right_row = (int)a->right.pitch * STX_SGM_SHIFTS * STEP;
  const uint32_t *left = a->left + (at.y * left_row + at.x);
  const uint32_t *right = a->right.words + (at.y * right_row + at.x + (int)a->right.before - d);
  const int left_step = at.dy * left_row + at.dx, right_step = at.dy * right_row + at.dx;
  Words words;
#pragma unroll
  for (int i = 0; i < MOST; i++)
    if (i < length) {
      words.left[i] = left[i * left_step];
      words.right[i] = right[i * right_step];
      words.sums[i] = ADD ? cells[i * cells_step] : 0;
    }
  return words;
}

/* ---- A step -------------------------------------------------------------------------------- */

/* L(q,d) from the lane that has it. */
STX_DEVICE uint32_t cost_of(const Walk *walk, int d)
{
  const int low = d - (int)(walk->starts & 255), high = d - (int)(walk->starts >> 8);
  const bool first = low >= 0 && low < HALF_WARP, second = high >= 0 && high < HALF_WARP;
  const uint32_t cost = __shfl_sync(STX_FULL_WARP, walk->cost, first ? low : high + HALF_WARP);
  return first || second ? cost : (uint32_t)NO_CANDIDATE;
}

/* min(L(q,d), L(q,d − 1) + P1, L(q,d + 1) + P1) where the windows are the same */
STX_DEVICE uint32_t reach_within(const Walk *walk, uint32_t p1)
{
  const int lane = threadIdx.x % HALF_WARP;
  const uint32_t below = __shfl_up_sync(STX_FULL_WARP, walk->cost, 1);
  const uint32_t above = __shfl_down_sync(STX_FULL_WARP, walk->cost, 1);
  return min(walk->cost, min(lane == 0 ? (uint32_t)NO_CANDIDATE : below,
                             lane == HALF_WARP - 1 ? (uint32_t)NO_CANDIDATE : above) +
                             p1);
}

STX_DEVICE uint32_t reach(const Walk *walk, uint32_t starts, uint32_t p1)
{
  const int d = disparity_of(starts);
  if (walk->starts == starts)
    return reach_within(walk, p1);
  return min(cost_of(walk, d), min(cost_of(walk, d - 1), cost_of(walk, d + 1)) + p1);
}

/* From the predecessor's costs, of which `reached` is the least that is near, to the pixel's. */
STX_DEVICE void arrive(Walk *walk, uint32_t reached, uint32_t p2, uint32_t match)
{
  walk->cost = min(reached, walk->least + p2) - walk->least + match;
  walk->least = warp_min(walk->cost);
}

/* The stretch that begins at *at. cells: the lane's byte of the volume's first pixel. Returns its
 * length. */
template <bool ADD>
STX_DEVICE int follow_stretch(
    const StxSgmCoarsePathsArgs *a, uint8_t *cells, Spot at, int most, Walk *walk)
{
  const int length = length_of(a, at, most);
  const uint32_t starts = a->starts[at.y * STEP / MOST * a->columns + at.x / MOST];
  const int64_t cells_step = (int64_t)(at.dy * a->width + at.dx) * STX_SGM_LANES;
  cells += (int64_t)(at.y * a->width + at.x) * STX_SGM_LANES;
  const Words words = load_words<ADD>(a, at, length, disparity_of(starts), cells, cells_step);
  if (begins(a, at))
    *walk = {0, 0, starts};
#pragma unroll
  for (int i = 0; i < MOST; i++)
    if (i < length) {
      const uint32_t reached = i == 0 ? reach(walk, starts, a->p1) : reach_within(walk, a->p1);
      arrive(
          walk, reached, a->p2, __popc((words.left[i] ^ words.right[i]) & STX_SGM_COARSE_CENSUS));
      cells[i * cells_step] = (uint8_t)(words.sums[i] + walk->cost);
    }
  walk->starts = starts;
  return length;
}

/* `count` pixels, of which *at is the first; afterwards it is the one behind the last. */
template <bool ADD>
STX_DEVICE void follow_part(
    const StxSgmCoarsePathsArgs *a, uint8_t *cells, Spot *at, int count, Walk *walk)
{
  while (count > 0) {
    const int length = follow_stretch<ADD>(a, cells, *at, count, walk);
    *at = behind(a, *at, length);
    count -= length;
  }
}

/*
 * A few paths of one axis, two warps for each, in two parts. STX_SGM_MEET: up to the middle both
 * put their costs into the volume, from there on each adds to what the other left; the barrier is
 * between. Else one part is empty.
 */
STX_DEVICE void follow_paths(const StxSgmCoarsePathsArgs *a)
{
  const int warp = warp_of_block(), task = blockIdx.x;
  const bool second = task >= a->first_tasks, backward = warp % 2 != 0;
  const StxSgmAxis *axis = &a->axes[second];
  const int number = (task - (second ? a->first_tasks : 0)) * STX_SGM_COARSE_PATHS + warp / 2;
  const bool exists = number < (axis->horizontal ? a->lines : a->width);
  const int count = !exists ? 0 : axis->horizontal ? a->width : a->lines;
  const int middle = backward ? count - count / 2 : count / 2;
  const int turn = a->store == STX_SGM_MEET ? middle : a->store == STX_SGM_PUT ? count : 0;
  uint8_t *cells = (backward ? axis->backward : axis->forward) + threadIdx.x;

  Spot at = first_spot(a, axis, number, backward);
  Walk walk = {0, 0, 0};
  follow_part<false>(a, cells, &at, turn, &walk);
  __syncthreads();
  follow_part<true>(a, cells, &at, count - turn, &walk);
}

#endif
