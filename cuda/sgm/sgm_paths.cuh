/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of common/sgm/sgm.h: L_r of whole lines of pixels, and their sums.
 *
 * A warp follows two lines, A and B, side by side in one direction, stretch by stretch
 * (below). B is the next row, or the line four columns to the right. The lines of a block
 * along columns are four columns apart, so all need the same copy of the right words (sgm_args.h),
 * and all but a few of the same words: those come from the level-1 cache for three of four lines.
 *
 * Lines end where the image ends. A diagonal that leaves on the left or right comes in again on the
 * other side as a new line, so each line has exactly `height` pixels, and each pixel has its turn.
 * Volumes have a multiple of eight columns, and so both lines of a warp exist, and a line that
 * comes in again needs the same copy of the right words as its neighbour. What is computed beyond
 * the image's columns, and in a last row that it does not have, may be anything. Where a line
 * leaves or comes in, a stretch ends.
 *
 * Rejected: 16 lanes for a line, two lines in the halves of a warp. Neighbours would then be halves
 * of words, a permutation each, and the minimum of half a warp four shuffles in the chain from step
 * to step, where two lines in the halves of a word have two reductions by one instruction each.
 */
#ifndef STX_SGM_PATHS_CUH
#define STX_SGM_PATHS_CUH

#include "cuda/driver/threads.cuh"
#include "cuda/sgm/sgm_args.h"
#include "cuda/sgm/sgm_two.cuh"

/*
 * A stretch of the two lines that a warp follows: steps between which nothing happens but steps.
 * Lane l has the K = D / 32 candidates l·K … l·K + K − 1 of both lines' current pixels in
 * registers, two costs to a value (sgm_two.cuh). One step:
 *
 *   L(p,d) = C(p,d) + min(L(q,d), L(q,d − 1) + P1, L(q,d + 1) + P1, m + P2) − m,  m = min_i L(q,i)
 *
 * which is sgm.h with N = L − m written out: the neighbours' shuffles do not wait for m, and the
 * chain from pixel to pixel is: minimum in the lane, minimum in the warp, + P2, min, + C − m. Where
 * there is no neighbour, at d = 0 and D − 1, its P1 is so large that it never wins.
 *
 * C is computed where it is needed, from census words: a lane's K words of the right image are
 * adjacent and aligned (sgm_args.h), so a warp loads them with one or two instructions, a few steps
 * ahead. All addresses are linear in the step's number.
 */

enum { NO_NEIGHBOUR = 255 }; /* more than L(q,d) + P1 can be */

/* What one pixel of each line needs: a word of the left image and the lane's of the right one;
 * right[k]: of the lane's candidate k. */
template <int K> struct CensusWords {
  uint32_t left, right[K];
};

template <int K, typename Two> struct Path {
  Two costs[K]; /* L(q,·); 0 if q is outside the image */
  Two least;    /* over all lanes; 0 if q is outside the image: then nothing else counts */
  Two p1, p1_first, p1_last, p2;
  uint32_t half; /* 65536, see set */
};

/* Steps of both lines between two events. Where it begins, for the lane; and by how many elements
 * each step is further, for both lines. */
struct Stretch {
  int length, last;                   /* last = length - 1, but as a number of its own: see kept */
  const uint32_t *left[2], *right[2]; /* right: in the copy 0 */
  uint8_t *cells[2];
  int left_step, right_step, cells_step;
  unsigned copy, copy_move, copy_step;
};

STX_DEVICE void load_words(const uint32_t *from, CensusWords<2> *to)
{
  const uint2 v = *(const uint2 *)from;
  to->right[1] = v.x, to->right[0] = v.y;
}

STX_DEVICE void load_words(const uint32_t *from, CensusWords<4> *to)
{
  const uint4 v = *(const uint4 *)from;
  to->right[3] = v.x, to->right[2] = v.y, to->right[1] = v.z, to->right[0] = v.w;
}

STX_DEVICE void load_words(const uint32_t *from, CensusWords<8> *to)
{
  const uint4 far = *(const uint4 *)from, near = *((const uint4 *)from + 1);
  to->right[7] = far.x, to->right[6] = far.y, to->right[5] = far.z, to->right[4] = far.w;
  to->right[3] = near.x, to->right[2] = near.y, to->right[1] = near.z, to->right[0] = near.w;
}

/* The words of step t, or of the last one of the stretch. */
template <int K> STX_DEVICE void fetch(const Stretch *at, int t, CensusWords<K> (&words)[2])
{
  t = min(t, at->last);
  const unsigned copy = (at->copy + at->copy_move * (unsigned)t) % STX_SGM_SHIFTS;
  const int left = t * at->left_step, right = t * at->right_step + (int)(copy * at->copy_step);
#pragma unroll
  for (int side = 0; side < 2; side++) {
    words[side].left = at->left[side][left];
    load_words(at->right[side] + right, &words[side]);
  }
}

/* C of both pixels. */
template <int K, typename Two>
STX_DEVICE void match(const Path<K, Two> *path, const CensusWords<K> (&words)[2], Two (&costs)[K])
{
#pragma unroll
  for (int k = 0; k < K; k++)
    set(&costs[k], __popc(words[0].left ^ words[0].right[k]),
        __popc(words[1].left ^ words[1].right[k]), path->half);
}

/* From the predecessors' costs to the pixels'. */
template <int K, typename Two> STX_DEVICE void move_on(Path<K, Two> *path, const Two (&match)[K])
{
  const Two below = from_below(path->costs[K - 1]), above = from_above(path->costs[0]);
  Two next[K], least;
#pragma unroll
  for (int k = 0; k < K; k++) {
    Two best = k > 0 ? reach(path->costs[k - 1], path->p1, path->costs[k])
                     : reach(below, path->p1_first, path->costs[k]);
    best =
        k + 1 < K ? reach(path->costs[k + 1], path->p1, best) : reach(above, path->p1_last, best);
    best = reach(path->least, path->p2, best);
    next[k] = arrive(best, path->least, match[k]);
    least = k > 0 ? lesser(least, next[k]) : next[k];
  }
#pragma unroll
  for (int k = 0; k < K; k++)
    path->costs[k] = next[k];
  path->least = least_of_warp(least);
}

/* A word of bytes goes into a volume. Sums stay below 255: no byte carries into the next. */
template <bool ADD, typename Word> STX_DEVICE void put(uint8_t *cell, Word word)
{
  if (ADD)
    atomicAdd((Word *)cell, word); /* its result is not used: nothing waits for the memory */
  else
    *(Word *)cell = word;
}

/* Costs of the lane's candidates go to their place in the volume. Memory adds no less than four
 * bytes: of two candidates, even lanes put line A's and their neighbour's, odd lanes line B's. */
template <bool ADD, typename Two>
STX_DEVICE void store(const Stretch *at, int pixel, const Two (&costs)[2])
{
  const uint32_t own = bytes_of(costs[0], costs[1]);
  const uint32_t other = __shfl_xor_sync(STX_FULL_WARP, own, 1);
  put<ADD>(at->cells[0] + (int64_t)pixel * (2 * STX_SGM_LANES),
      __byte_perm(own, other, threadIdx.x % 2 == 0 ? 0x5410 : 0x3276));
}

template <bool ADD, typename Two>
STX_DEVICE void store(const Stretch *at, int pixel, const Two (&costs)[4])
{
  uint32_t word[2];
  words_of(costs, &word[0], &word[1]);
#pragma unroll
  for (int side = 0; side < 2; side++)
    put<ADD>(at->cells[side] + (int64_t)pixel * (4 * STX_SGM_LANES), word[side]);
}

template <bool ADD, typename Two>
STX_DEVICE void store(const Stretch *at, int pixel, const Two (&costs)[8])
{
  uint32_t low[2], high[2];
  words_of(costs, &low[0], &low[1]);
  words_of(costs + 4, &high[0], &high[1]);
#pragma unroll
  for (int side = 0; side < 2; side++)
    put<ADD>(at->cells[side] + (int64_t)pixel * (8 * STX_SGM_LANES),
        (unsigned long long)high[side] << 32 | low[side]);
}

/* Words are loaded `ahead` steps before they are used, in each step for one that comes later. Every
 * step begins behind a jump: within a stretch of code without jumps the compiler moves loads for
 * which nothing in it waits to its end, and that would be just before the words are used. Behind a
 * jump it moves them, too, if they are __ldg; others it keeps before the next store. */
template <int K, bool ADD, typename Two>
STX_DEVICE void follow_stretch(const Stretch *at, Path<K, Two> *path)
{
  const int ahead = sizeof path->costs <= 16 ? 4 : 2;
  CensusWords<K> words[ahead][2];
#pragma unroll
  for (int i = 0; i < ahead; i++)
    fetch(at, i, words[i]);
  for (int t = 0;; t += ahead)
#pragma unroll
    for (int i = 0; i < ahead; i++) {
      if (t + i >= at->length)
        return;
      Two costs[K];
      match(path, words[i], costs);
      fetch(at, t + i + ahead, words[i]);
      move_on(path, costs);
      store<ADD>(at, (t + i) * at->cells_step, path->costs);
    }
}

/* Where both lines are. */
struct Lines {
  int dx, dy, columns; /* columns: of the volumes */
  int x[2], y[2];
};

/* The lines of a warp at the ends from which they are followed; x[0] or y[0] is too large if there
 * are none. */
STX_DEVICE Lines first_pixels(
    const StxSgmPathsArgs *a, const StxSgmAxis *axis, int task, int pair, bool backward)
{
  const int sign = backward ? -1 : 1;
  Lines lines = {
      axis->horizontal ? sign : sign * axis->dx, axis->horizontal ? 0 : sign, (int)a->columns};
  if (axis->horizontal) {
    lines.x[0] = lines.x[1] = backward ? a->width - 1 : 0;
    lines.y[0] = (task * STX_SGM_BLOCK_PAIRS + pair) * 2;
    lines.y[1] = lines.y[0] + 1;
  } else {
    lines.x[0] = (task / STX_SGM_SHIFTS * STX_SGM_BLOCK_PAIRS + pair) * 2 * STX_SGM_SHIFTS +
                 task % STX_SGM_SHIFTS;
    lines.x[1] = lines.x[0] + STX_SGM_SHIFTS;
    lines.y[0] = lines.y[1] = backward ? a->height - 1 : 0;
  }
  return lines;
}

/* Steps until the line leaves the image or comes in. */
STX_DEVICE int steps_to_border(const Lines *lines, int x, int width)
{
  if (lines->dx == 0)
    return STX_SGM_MAX_SIZE;
  if (lines->dx > 0)
    return (x < width ? width : lines->columns) - x;
  return x < width ? x + 1 : x + 1 - width;
}

template <int K>
STX_DEVICE Stretch stretch_of(
    const StxSgmPathsArgs *a, const Lines *lines, uint8_t *volume, int most)
{
  const int pitch = (int)a->right.pitch, lane = threadIdx.x, count = K * STX_SGM_LANES;
  const int row = STX_SGM_SHIFTS * pitch, first = (int)a->right.before - lane * K - (K - 1);
  Stretch at;
  at.length = min(min(most, steps_to_border(lines, lines->x[0], a->width)),
      steps_to_border(lines, lines->x[1], a->width));
  at.last = kept(at.length - 1);
  at.left_step = lines->dy * a->width + lines->dx;
  at.right_step = lines->dy * row + lines->dx;
  at.cells_step = lines->dy * lines->columns + lines->dx;
  at.copy = kept((unsigned)lines->x[0] + 1);
  at.copy_move = (unsigned)lines->dx;
  at.copy_step = (unsigned)pitch - 1;
#pragma unroll
  for (int side = 0; side < 2; side++) {
    const int x = lines->x[side], y = min(lines->y[side], a->height - 1);
    const int64_t cell = (int64_t)lines->y[side] * lines->columns + x;
    at.left[side] = kept(a->left + (int64_t)y * a->width + x);
    at.right[side] = kept(a->right.words + (int64_t)y * row + x + first);
    at.cells[side] = kept(volume + cell * count + lane * K);
  }
  if (K == 2 && lane % 2 != 0) /* see store */
    at.cells[0] = at.cells[1] - K;
  return at;
}

/* Costs of a line that comes into the image have no predecessors. */
template <int K, typename Two>
STX_DEVICE void begin_lines(const Lines *lines, int width, Path<K, Two> *path)
{
  const int begin = lines->dx == 0 ? -1 : lines->dx > 0 ? 0 : width - 1;
  const bool a = lines->x[0] != begin, b = lines->x[1] != begin;
#pragma unroll
  for (int k = 0; k < K; k++)
    keep(&path->costs[k], a, b);
  keep(&path->least, a, b);
}

STX_DEVICE void advance(Lines *lines, int length)
{
#pragma unroll
  for (int side = 0; side < 2; side++) {
    const int x = lines->x[side] + length * lines->dx;
    lines->x[side] = x < 0 ? x + lines->columns : x >= lines->columns ? x - lines->columns : x;
    lines->y[side] += length * lines->dy;
  }
}

template <int K, bool ADD, typename Two>
STX_DEVICE void follow_lines(
    const StxSgmPathsArgs *a, uint8_t *volume, Lines *lines, int length, Path<K, Two> *path)
{
  while (length > 0) {
    const Stretch stretch = stretch_of<K>(a, lines, volume, length);
    begin_lines(lines, a->width, path);
    follow_stretch<K, ADD>(&stretch, path);
    advance(lines, stretch.length);
    length -= stretch.length;
  }
}

template <int K, typename Two> STX_DEVICE Path<K, Two> new_path(uint32_t near, uint32_t far)
{
  const uint32_t p1 = kept(near), p2 = kept(far), none = NO_NEIGHBOUR;
  const uint32_t first = kept(threadIdx.x == 0 ? none : p1);
  const uint32_t last = kept(threadIdx.x == STX_SGM_LANES - 1 ? none : p1);
  const uint32_t half = kept(65536u);
  Path<K, Two> path;
#pragma unroll
  for (int k = 0; k < K; k++)
    set(&path.costs[k], 0, 0, half);
  set(&path.least, 0, 0, half);
  set(&path.p1, p1, p1, half);
  set(&path.p1_first, first, first, half);
  set(&path.p1_last, last, last, half);
  set(&path.p2, p2, p2, half);
  path.half = half;
  return path;
}

/*
 * A few pairs of lines of one axis, two warps for each: y = 2·pair + backward. Each follows its
 * lines in two parts. STX_SGM_MEET: up to the middle both put their costs into the volume, from
 * there on each adds to what the other left; the barrier is between. Else one part is empty.
 */
template <int K, typename Two>
STX_DEVICE void follow_task(const StxSgmPathsArgs *a, int task, int warp)
{
  const bool second = task >= a->first_tasks, backward = warp % 2 != 0;
  const StxSgmAxis *axis = &a->axes[second];
  Lines lines = first_pixels(a, axis, task - (second ? a->first_tasks : 0), warp / 2, backward);
  const bool exist = lines.x[0] < lines.columns && lines.y[0] < a->height;
  const int count = !exist ? 0 : axis->horizontal ? a->width : a->height;
  const int middle = backward ? count - count / 2 : count / 2;
  const int turn = a->store == STX_SGM_MEET ? middle : a->store == STX_SGM_PUT ? count : 0;
  uint8_t *volume = backward ? axis->backward : axis->forward;

  Path<K, Two> path = new_path<K, Two>((uint32_t)(second ? a->p1[1] : a->p1[0]), (uint32_t)a->p2);
  follow_lines<K, false>(a, volume, &lines, turn, &path);
  __syncthreads();
  follow_lines<K, true>(a, volume, &lines, count - turn, &path);
}

/* A block takes tasks until there are none: of those that are left when all have one, the blocks
 * that are done first take more, and these have had the short lines. */
template <int K, typename Two> STX_DEVICE void follow(const StxSgmPathsArgs *a, int *task)
{
  const int warp = warp_of_block();
  for (;;) {
    if (warp == 0 && threadIdx.x == 0)
      *task = (int)atomicAdd(a->taken, 1u);
    __syncthreads();
    const int mine = *task;
    if (mine >= a->tasks)
      return;
    follow_task<K, Two>(a, mine, warp); /* all have read *task before its barrier */
  }
}

template <int K> STX_DEVICE void follow(const StxSgmPathsArgs *a, int *task)
{
  if (STX_PACKS)
    follow<K, Packed>(a, task);
  else
    follow<K, Apart>(a, task);
}

#endif
