/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Coarse-to-fine search on the GPU, see common/sgm/coarse/sgm_coarse.h: what takes the place of
 * census, paths and winner of sgm.cu. The pictures are halved and smoothed first; then, level by
 * level from the top, census, windows, paths and winners, each explained where it is. The winners
 * of a level are the votes of the next; those of level 0 are records, as full search has them, of
 * its lines. From these sgm.cu goes on as if there were no other rows, which the last kernel adds.
 */
#include "cuda/driver/gpu.cuh"

#include "common/sgm/coarse/sgm_coarse.h"
#include "common/sgm/sgm_math.h"
#include "cuda/driver/threads.cuh"
#include "cuda/sgm/sgm_census.cuh"
#include "cuda/sgm/sgm_args.h"
#include "cuda/sgm/sgm_sums.cuh"

/*
 * Pictures of half the size, smoothed ones, and the windows of candidates that a level's blocks get
 * from the winners of the coarser level: common/sgm/coarse/sgm_coarse.h.
 *
 * A warp has a block. Votes are counted in shared memory; then a lane has every 32nd window.
 */

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

/* The start of the window in the middle of the first run with the most votes; −1 if there are no
 * votes. `sums` holds those of all windows. By the whole warp. */
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

/*
 * The paths of coarse-to-fine search: common/sgm/coarse/sgm_coarse.h. A warp follows a path, a lane
 * has one of its pixel's 32 candidates. What sgm_paths.cuh says of a step holds here:
 *
 *   L(p,d) = C(p,d) + min(L(q,d), L(q,d − 1) + P1, L(q,d + 1) + P1, m + P2) − m,  m = min_i L(q,i)
 *
 * where a candidate that q does not have never wins. A stretch is what a path has in one block of
 * pixels, at most eight of them: their windows are the same, so neighbours are those of the lane,
 * and addresses are linear. Into a block with other windows costs come from wherever the last block
 * had them: three shuffles. While a warp follows a stretch, all loads of the next one are under
 * way, and that of the windows of the one after it: nothing else hides them from the chain of a
 * line along the rows, of which a multiprocessor has but a few.
 *
 * Paths end where the image ends. A diagonal that leaves on the left or right comes in again on the
 * other side as a new path, so each has a pixel in every line.
 *
 * The limit is the chain of the rows, level after level: at 1242 × 375 × 128 there are 2174 steps
 * of 78 cycles on sm_90, read out of the machine code and not measured: 86 µs at 1.98 GHz. The
 * minimum of all lanes is 44 cycles of each step, as others measured it: 48 µs together.
 *
 * Rejected, on paper: two paths in the halves of a word. Each needs shuffles and addresses of its
 * own; what remains shared is the minimum.
 */

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

/* The last pixel. cost: L of the lane's candidate; below, above: of the lanes beside it; least:
 * over all lanes; starts: its windows. */
struct Walk {
  uint32_t cost, below, above, least, starts;
};

/* The position and penalties of a path. left, right, cells: of the level, at the lane's place;
 * p1_below and p1_above: P1_r, or too much where the lane's window has no such neighbour. */
struct Guide {
  const uint32_t *left, *right;
  uint8_t *cells;
  uint32_t p1, p1_below, p1_above, p2;
};

/* Pixels of a path with the same windows: the first one, and how many; 0 behind the end. */
struct Stretch {
  Spot at;
  int length;
  uint32_t starts;
};

/* The lane's inputs for the pixels of a stretch; sums: the contents of the volume, where L is added
 * to it. */
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

/* The stretch that begins here, of a path that goes on for `most` pixels. */
STX_DEVICE Stretch stretch_at(const StxSgmCoarsePathsArgs *a, Spot at, int most)
{
  if (most <= 0)
    return {at, 0, 0};
  return {at, length_of(a, at, most), a->starts[at.y * STEP / MOST * a->columns + at.x / MOST]};
}

/* The start of a stretch, and the distance of its pixels: numbers of 32 bits, because then an
 * address is a multiplication and an addition in one instruction. */
struct Places {
  int left, left_step, right, right_step, cell, cell_step;
};

STX_DEVICE Places places_of(const StxSgmCoarsePathsArgs *a, const Stretch *stretch)
{
  const Spot at = stretch->at;
  const int left_row = a->width * STEP, right_row = (int)a->right.pitch * STX_SGM_SHIFTS * STEP;
  const int start = (int)(stretch->starts >> threadIdx.x / HALF_WARP * 8 & 255);
  return {at.y * left_row + at.x, at.dy * left_row + at.dx, at.y * right_row + at.x - start,
      at.dy * right_row + at.dx, at.y * a->width + at.x, at.dy * a->width + at.dx};
}

STX_DEVICE uint8_t *cell_of(const Guide *guide, const Places *at)
{
  return guide->cells + (int64_t)at->cell * STX_SGM_LANES;
}

/* DX: of paths along the rows, else 0; there all addresses of a stretch are one and a constant. */
template <bool ADD, int DX>
STX_DEVICE void load_words(const Guide *guide, const Places *at, int i, Words *words)
{
  const int left = DX != 0 ? DX : at->left_step, right = DX != 0 ? DX : at->right_step;
  const int cell = DX != 0 ? DX : at->cell_step;
  words->left[i] = (guide->left + at->left)[i * left];
  words->right[i] = (guide->right + at->right)[i * right];
  words->sums[i] = ADD ? cell_of(guide, at)[(int64_t)(i * cell) * STX_SGM_LANES] : 0;
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

/* min(L(q,d), L(q,d − 1) + P1, L(q,d + 1) + P1) for other windows than q's */
STX_DEVICE uint32_t reach(const Guide *guide, const Walk *walk, uint32_t starts)
{
  const int d = disparity_of(starts);
  return min(cost_of(walk, d), min(cost_of(walk, d - 1), cost_of(walk, d + 1)) + guide->p1);
}

/* From the predecessor to the pixel with these census bits that differ. The shuffles for its
 * successor begin with the minimum of all lanes: no jump is between. */
STX_DEVICE void arrive(const Guide *guide, Walk *walk, uint32_t differ)
{
  const uint32_t reached =
      min(min(walk->below + guide->p1_below, walk->cost), walk->above + guide->p1_above);
  walk->cost = min(reached, walk->least + guide->p2) + __popc(differ) - walk->least;
  walk->below = __shfl_up_sync(STX_FULL_WARP, walk->cost, 1);
  walk->above = __shfl_down_sync(STX_FULL_WARP, walk->cost, 1);
  walk->least = warp_min(walk->cost);
}

/* Into the first pixel of a stretch. */
STX_DEVICE void enter(
    const StxSgmCoarsePathsArgs *a, const Guide *guide, const Stretch *stretch, Walk *walk)
{
  if (begins(a, stretch->at)) {
    *walk = {0, 0, 0, 0, 0};
  } else if (walk->starts != stretch->starts) {
    walk->cost = reach(guide, walk, stretch->starts);
    walk->below = walk->above = NO_CANDIDATE;
  }
  walk->starts = stretch->starts;
}

/* The loads under way: those of a stretch, the next one, and the pixels behind it. */
struct Ahead {
  Stretch now, next;
  int left;
};

/* Step i of a stretch. */
template <int DX>
STX_DEVICE void follow_step(
    const Guide *guide, const Places *at, int i, const Words *words, Walk *walk)
{
  const int cell = DX != 0 ? DX : at->cell_step;
  arrive(guide, walk, (words->left[i] ^ words->right[i]) & STX_SGM_COARSE_CENSUS);
  cell_of(guide, at)[(int64_t)(i * cell) * STX_SGM_LANES] = (uint8_t)(words->sums[i] + walk->cost);
}

/* Follows *ahead's stretch, whose words are `words`; those of the next one become `other`. Along
 * the rows nearly all stretches are whole ones: nothing is asked for each pixel. */
template <bool ADD, int DX>
STX_DEVICE void follow_next(const StxSgmCoarsePathsArgs *a, const Guide *guide, Ahead *ahead,
    const Words *words, Words *other, Walk *walk)
{
  const Stretch now = ahead->now, next = ahead->next;
  const Places here = places_of(a, &now), there = places_of(a, &next);
  ahead->left -= next.length;
  ahead->now = next;
  ahead->next = stretch_at(a, behind(a, next.at, next.length), ahead->left);
  if (now.length > 0)
    enter(a, guide, &now, walk);
  if (DX != 0 && now.length == MOST && next.length == MOST) {
#pragma unroll
    for (int i = 0; i < MOST; i++)
      load_words<ADD, DX>(guide, &there, i, other);
#pragma unroll
    for (int i = 0; i < MOST; i++)
      follow_step<DX>(guide, &here, i, words, walk);
    return;
  }
#pragma unroll
  for (int i = 0; i < MOST; i++)
    if (i < next.length)
      load_words<ADD, DX>(guide, &there, i, other);
#pragma unroll
  for (int i = 0; i < MOST; i++)
    if (i < now.length)
      follow_step<DX>(guide, &here, i, words, walk);
}

/* `count` pixels, of which *at is the first; afterwards it is the one behind the last. */
template <bool ADD, int DX>
STX_DEVICE void follow_part(
    const StxSgmCoarsePathsArgs *a, const Guide *guide, Spot *at, int count, Walk *walk)
{
  Words even, odd;
  Ahead ahead;
  ahead.now = {*at, 0, 0};
  ahead.next = stretch_at(a, *at, count);
  ahead.left = count;
  follow_next<ADD, DX>(a, guide, &ahead, &odd, &even, walk);
  for (;;) {
    if (ahead.now.length == 0)
      break;
    follow_next<ADD, DX>(a, guide, &ahead, &even, &odd, walk);
    if (ahead.now.length == 0)
      break;
    follow_next<ADD, DX>(a, guide, &ahead, &odd, &even, walk);
  }
  *at = ahead.now.at;
}

/* The same in the direction of the path. */
template <bool ADD>
STX_DEVICE void follow_part(const StxSgmCoarsePathsArgs *a, const Guide *guide, bool horizontal,
    Spot *at, int count, Walk *walk)
{
  if (!horizontal)
    follow_part<ADD, 0>(a, guide, at, count, walk);
  else if (at->dx > 0)
    follow_part<ADD, 1>(a, guide, at, count, walk);
  else
    follow_part<ADD, -1>(a, guide, at, count, walk);
}

STX_DEVICE Guide guide_of(const StxSgmCoarsePathsArgs *a, uint8_t *volume, uint32_t p1)
{
  const int lane = threadIdx.x % HALF_WARP;
  const uint32_t none = NO_CANDIDATE;
  Guide guide;
  guide.left = kept(a->left);
  guide.right = kept((const uint32_t *)a->right.words + ((int)a->right.before - lane));
  guide.cells = kept(volume + threadIdx.x);
  guide.p1 = p1;
  guide.p1_below = kept(lane == 0 ? none : p1);
  guide.p1_above = kept(lane == HALF_WARP - 1 ? none : p1);
  guide.p2 = kept((uint32_t)a->p2);
  return guide;
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
  const Guide guide = guide_of(
      a, backward ? axis->backward : axis->forward, (uint32_t)(second ? a->p1[1] : a->p1[0]));

  Spot at = first_spot(a, axis, number, backward);
  Walk walk = {0, 0, 0, 0};
  follow_part<false>(a, &guide, axis->horizontal != 0, &at, turn, &walk);
  __syncthreads();
  follow_part<true>(a, &guide, axis->horizontal != 0, &at, count - turn, &walk);
}

/*
 * The winner of each pixel among its 32 candidates, and on level 0 the checks that need no other
 * pixel, and the right view. A thread has a pixel, whose sums are eight words in registers: neither
 * needs other lanes. And, at the very end, the rows between lines.
 */

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

/* Finds the winner of pixel x of line j. */
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
  *stx_sgm_disparity_at(&a->maps, x, y) =
      known ? (uint16_t)((p + q + 1) >> 1) : STX_DISPARITY_UNKNOWN;
  if (a->maps.confidence != NULL)
    *stx_sgm_confidence_at(&a->maps, x, y) = known ? min(a->sure[above], a->sure[below]) : 0;
}

STX_KERNEL(stx_sgm_coarse_halve, StxSgmPictureArgs, STX_SGM_COARSE_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int y = blockIdx.y * STX_SGM_COARSE_ROWS + threadIdx.y;
  if (2 * x < a.width && 2 * y < a.height)
    halve_pixel(&a, blockIdx.z, x, y);
}

STX_KERNEL(stx_sgm_coarse_smooth, StxSgmPictureArgs, STX_SGM_COARSE_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int y = blockIdx.y * STX_SGM_COARSE_ROWS + threadIdx.y;
  if (x < a.width && y < a.height)
    smooth_pixel(&a, blockIdx.z, x, y);
}

STX_KERNEL(stx_sgm_coarse_census, StxSgmCensusArgs, STX_SGM_LANES *STX_SGM_CENSUS_ROWS)
{
  STX_SHARED_2D(uint32_t, tile, TILE_ROWS, TILE_COLUMNS / 4);
  STX_SHARED_2D(uint4, words, STX_SGM_CENSUS_ROWS, STX_SGM_LANES);
  census_tile(&a, tile, words);
}

STX_KERNEL(stx_sgm_coarse_windows, StxSgmWindowsArgs, STX_SGM_COARSE_WARPS *STX_SGM_LANES)
{
  STX_SHARED_2D(uint32_t, votes, STX_SGM_COARSE_WARPS, VOTE_BINS);
  STX_SHARED_2D(uint32_t, sums, STX_SGM_COARSE_WARPS, STX_SGM_COARSE_VOTES);
  find_windows(&a, votes[threadIdx.y], sums[threadIdx.y]);
}

STX_KERNEL(stx_sgm_coarse_paths, StxSgmCoarsePathsArgs, 2 * STX_SGM_COARSE_PATHS * STX_SGM_LANES)
{
  follow_paths(&a);
}

STX_KERNEL(stx_sgm_coarse_winner, StxSgmCoarseWinnerArgs, STX_SGM_COARSE_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int line = blockIdx.y * STX_SGM_COARSE_ROWS + threadIdx.y;
  if (x >= a.pair.width || line >= a.lines)
    return;
  if (a.pair.paths == 4)
    find_winner<4>(&a, x, line);
  else
    find_winner<8>(&a, x, line);
}

STX_KERNEL(stx_sgm_coarse_top, StxSgmCoarseTopArgs, STX_SGM_COARSE_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int line = blockIdx.y * STX_SGM_COARSE_ROWS + threadIdx.y;
  if (x < a.width && line < a.lines)
    a.winner[line * a.width + x] =
        stx_sgm_coarse_nearest(a.values[STX_SGM_COARSE_STEP * line * a.width + x]);
}

STX_KERNEL(stx_sgm_coarse_rows, StxSgmRowsArgs, STX_SGM_COARSE_ROWS *STX_SGM_LANES)
{
  const int x = blockIdx.x * STX_SGM_LANES + threadIdx.x;
  const int y = blockIdx.y * STX_SGM_COARSE_ROWS + threadIdx.y;
  if (x < a.width && y < a.height)
    write_row_pixel(&a, x, y);
}
