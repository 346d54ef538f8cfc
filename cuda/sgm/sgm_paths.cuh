/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of common/sgm/sgm.h: L_r of whole lines of pixels, and their sums.
 *
 * A warp follows one line in one direction, stretch by stretch (below). Another follows it in the
 * other direction, in the same block. The lines of a block along columns are four columns apart, so
 * all need the same copy of the right words (sgm_args.h), and all but a few of the same words:
 * these come from the level-1 cache for all but one line.
 *
 * Lines end where the image ends. A diagonal that leaves on the left or right comes in again on the
 * other side as a new line, so each line has exactly `height` pixels, and each pixel has its turn.
 * Where a line leaves, a stretch ends.
 *
 * Rejected: two lines side by side in the halves of a word. They share the loop, a sixth of the
 * instructions, but then a step is twice as long, and the rows are too few to fill the time. 16
 * lanes for a line, two lines in the halves of a warp: the minimum of half a warp is four shuffles
 * in the chain from step to step, that of a whole one a single instruction.
 */
#pragma once

#include "cuda/driver/threads.cuh"
#include "cuda/sgm/sgm_args.h"
#include "cuda/sgm/sgm_two.cuh"

/*
 * A stretch of the line that a warp follows: steps between which nothing happens but steps. Lane l
 * has the K = D / 32 candidates l·K … l·K + K − 1 of the current pixel in registers, two costs to a
 * value (sgm_two.cuh). One step:
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

/* The census words of a pixel: a word of the left image and the lane's of the right one; right[k]:
 * of the lane's candidate k. */
template <int K> struct CensusWords {
  uint32_t left, right[K];
};

template <int K, typename Two> struct Path {
  Two costs[K / 2]; /* L(q,·), candidates k and k + K / 2; 0 if q is outside the image */
  Two least;        /* over all lanes; 0 if q is outside the image: then nothing else counts */
  Two p1, p1_first, p1_last, p2;
  uint32_t half; /* 65536, see set */
};

/* Steps between two events. Where it begins, for the lane; and by how many elements, of the volume
 * by how many bytes, each step is further. right: of four steps, whose copies differ. */
struct Stretch {
  int length, end; /* end: more than any length, which the compiler does not know */
  const uint32_t *left, *words;
  uint8_t *cells;
  int left_step, right_step, cells_step, right[STX_SGM_SHIFTS];
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

/* Words are loaded a group of steps before they are used, all of a group's together: the hardware
 * has six barriers that a warp can wait at, the compiler gives one to loads, and waiting there
 * means waiting for all that were begun. A group has as many steps as there are copies of the right
 * words, or half as many: two groups, an even one and an odd one, need the same copies again and
 * again. */
template <int K> struct StepGroup {
  enum { STEPS = K <= 4 ? STX_SGM_SHIFTS : STX_SGM_SHIFTS / 2 };
};

/* The words of the group that begins with step t, as far as there are steps. */
template <int K, bool ODD, bool ALL>
STX_DEVICE void fetch(const Stretch *at, int t, CensusWords<K> *words)
{
  const int steps = StepGroup<K>::STEPS, first = ODD ? steps % STX_SGM_SHIFTS : 0;
  const int left = t * at->left_step, right = (t - first) * at->right_step;
#pragma unroll
  for (int i = 0; i < steps; i++)
    if (ALL || t + i < at->length) {
      words[i].left = at->left[left + i * at->left_step];
      load_words(at->words + (right + at->right[first + i]), &words[i]);
    }
}

/* C of the pixel. */
template <int K, typename Two>
STX_DEVICE void match(const Path<K, Two> *path, const CensusWords<K> *words, Two (&costs)[K / 2])
{
#pragma unroll
  for (int k = 0; k < K / 2; k++)
    set(&costs[k], __popc(words->left ^ words->right[k]),
        __popc(words->left ^ words->right[k + K / 2]), path->half);
}

/* Turns the predecessor's costs into the pixel's. */
template <int K, typename Two>
STX_DEVICE void move_on(Path<K, Two> *path, const Two (&match)[K / 2])
{
  enum { VALUES = K / 2 };
  const Two below = from_below(path->costs[VALUES - 1]), above = from_above(path->costs[0]);
  Two next[VALUES], least;
#pragma unroll
  for (int k = 0; k < VALUES; k++) {
    Two best = k > 0 ? reach(path->costs[k - 1], path->p1, path->costs[k])
                     : reach(below, path->p1_first, path->costs[k]);
    best = k + 1 < VALUES ? reach(path->costs[k + 1], path->p1, best)
                          : reach(above, path->p1_last, best);
    best = reach(path->least, path->p2, best);
    next[k] = arrive(best, path->least, match[k]);
    least = k > 0 ? lesser(least, next[k]) : next[k];
  }
#pragma unroll
  for (int k = 0; k < VALUES; k++)
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
 * bytes: of two candidates, even lanes put their neighbour's, too. */
template <bool ADD, typename Two> STX_DEVICE void store(uint8_t *cell, const Two (&costs)[1])
{
  const uint32_t own = bytes_of(costs), other = __shfl_down_sync(STX_FULL_WARP, own, 1);
  if (threadIdx.x % 2 == 0)
    put<ADD>(cell, own | other << 16);
}

template <bool ADD, typename Two> STX_DEVICE void store(uint8_t *cell, const Two (&costs)[2])
{
  put<ADD>(cell, bytes_of(costs));
}

template <bool ADD, typename Two> STX_DEVICE void store(uint8_t *cell, const Two (&costs)[4])
{
  const uint2 bytes = bytes_of(costs);
  put<ADD>(cell, (unsigned long long)bytes.y << 32 | bytes.x);
}

template <int K, bool ADD, typename Two>
STX_DEVICE void step(Stretch *at, Path<K, Two> *path, const CensusWords<K> *words)
{
  Two costs[K / 2];
  match(path, words, costs);
  move_on(path, costs);
  store<ADD>(at->cells, path->costs);
  at->cells += at->cells_step;
}

/* The group that begins with step t, whose words are `now`; those of the next one become `next`.
 * Returns whether there may be one. Loads come behind the first step, which has waited for those
 * before, and between jumps, over which the compiler does not move them: else it moves them down to
 * the next store, and that one to the end. */
template <int K, bool ADD, bool ODD, typename Two>
STX_DEVICE bool follow_group(
    Stretch *at, int t, Path<K, Two> *path, const CensusWords<K> *now, CensusWords<K> *next)
{
  const int steps = StepGroup<K>::STEPS;
  if (t >= at->length)
    return false;
  step<K, ADD>(at, path, &now[0]);
  if (t + 2 * steps <= at->length) {
    fetch<K, !ODD, true>(at, t + steps, next);
    if (t >= at->end) /* never */
      return false;
#pragma unroll
    for (int i = 1; i < steps; i++)
      step<K, ADD>(at, path, &now[i]);
    return true;
  }
  fetch<K, !ODD, false>(at, t + steps, next);
#pragma unroll
  for (int i = 1; i < steps; i++) {
    if (t + i >= at->length)
      return false;
    step<K, ADD>(at, path, &now[i]);
  }
  return true;
}

template <int K, bool ADD, typename Two>
STX_DEVICE void follow_stretch(Stretch *at, Path<K, Two> *path)
{
  const int steps = StepGroup<K>::STEPS;
  CensusWords<K> even[steps], odd[steps];
  fetch<K, false, false>(at, 0, even);
  for (int t = 0;; t += 2 * steps)
    if (!follow_group<K, ADD, false>(at, t, path, even, odd) ||
        !follow_group<K, ADD, true>(at, t + steps, path, odd, even))
      return;
}

/* The position and direction of a line. */
struct Line {
  int dx, dy, x, y;
};

/* A line of a block at the end from which it is followed; x or y is too large if there is none. */
STX_DEVICE Line first_pixel(
    const StxSgmPathsArgs *a, const StxSgmAxis *axis, int task, int number, bool backward)
{
  const int sign = backward ? -1 : 1;
  if (axis->horizontal)
    return {sign, 0, backward ? a->width - 1 : 0, task * STX_SGM_BLOCK_LINES + number};
  const int x = (task / STX_SGM_SHIFTS * STX_SGM_BLOCK_LINES + number) * STX_SGM_SHIFTS +
                task % STX_SGM_SHIFTS;
  return {sign * axis->dx, sign, x, backward ? a->height - 1 : 0};
}

/* Steps until the line leaves the image. */
STX_DEVICE int steps_to_border(const Line *line, int width)
{
  return line->dx == 0 ? STX_SGM_MAX_SIZE : line->dx > 0 ? width - line->x : line->x + 1;
}

template <int K>
STX_DEVICE Stretch stretch_of(const StxSgmPathsArgs *a, const Line *line, uint8_t *volume, int most)
{
  const int pitch = (int)a->right.pitch, lane = threadIdx.x, count = K * STX_SGM_LANES;
  const int row = STX_SGM_SHIFTS * pitch, first = (int)a->right.before - lane * K - (K - 1);
  const int64_t cell = (int64_t)line->y * a->columns + line->x;
  Stretch at;
  at.length = min(most, steps_to_border(line, a->width));
  at.end = a->width + a->height;
  at.left_step = kept(line->dy * a->width + line->dx);
  at.right_step = kept(line->dy * row + line->dx);
  at.cells_step = kept((line->dy * a->columns + line->dx) * count);
#pragma unroll
  for (int i = 0; i < STX_SGM_SHIFTS; i++) {
    const unsigned copy = (unsigned)(line->x + i * line->dx + 1) % STX_SGM_SHIFTS;
    at.right[i] = kept(i * (line->dy * row + line->dx) + (int)copy * (pitch - 1));
  }
  at.left = kept(a->left + (int64_t)line->y * a->width + line->x);
  at.words = kept(a->right.words + (int64_t)line->y * row + line->x + first);
  at.cells = kept(volume + cell * count + lane * K);
  return at;
}

/* Costs of a line that comes into the image have no predecessors. */
template <int K, typename Two>
STX_DEVICE void begin_line(const Line *line, int width, Path<K, Two> *path)
{
  if (line->dx == 0 || line->x != (line->dx > 0 ? 0 : width - 1))
    return;
#pragma unroll
  for (int k = 0; k < K / 2; k++)
    set(&path->costs[k], 0, 0, path->half);
  set(&path->least, 0, 0, path->half);
}

STX_DEVICE void advance(Line *line, int length, int width)
{
  const int x = line->x + length * line->dx;
  line->x = x < 0 ? width - 1 : x == width ? 0 : x;
  line->y += length * line->dy;
}

template <int K, bool ADD, typename Two>
STX_DEVICE void follow_line(
    const StxSgmPathsArgs *a, uint8_t *volume, Line *line, int length, Path<K, Two> *path)
{
  while (length > 0) {
    Stretch stretch = stretch_of<K>(a, line, volume, length);
    begin_line(line, a->width, path);
    follow_stretch<K, ADD>(&stretch, path);
    advance(line, stretch.length, a->width);
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
  for (int k = 0; k < K / 2; k++)
    set(&path.costs[k], 0, 0, half);
  set(&path.least, 0, 0, half);
  set(&path.p1, p1, p1, half);
  set(&path.p1_first, first, p1, half);
  set(&path.p1_last, p1, last, half);
  set(&path.p2, p2, p2, half);
  path.half = half;
  return path;
}

/*
 * A few lines of one axis, two warps for each: y = 2·number + backward. Each follows its line in
 * two parts. STX_SGM_MEET: up to the middle both put their costs into the volume, from there on
 * each adds to what the other left; the barrier is between. Else one part is empty.
 */
template <int K, typename Two>
STX_DEVICE void follow_task(const StxSgmPathsArgs *a, int task, int warp)
{
  const bool second = task >= a->first_tasks, backward = warp % 2 != 0;
  const StxSgmAxis *axis = &a->axes[second];
  Line line = first_pixel(a, axis, task - (second ? a->first_tasks : 0), warp / 2, backward);
  const bool exists = line.x < a->width && line.y < a->height;
  const int count = !exists ? 0 : axis->horizontal ? a->width : a->height;
  const int middle = backward ? count - count / 2 : count / 2;
  const int turn = a->store == STX_SGM_MEET ? middle : a->store == STX_SGM_PUT ? count : 0;
  uint8_t *volume = backward ? axis->backward : axis->forward;

  Path<K, Two> path = new_path<K, Two>((uint32_t)(second ? a->p1[1] : a->p1[0]), (uint32_t)a->p2);
  follow_line<K, false>(a, volume, &line, turn, &path);
  __syncthreads();
  follow_line<K, true>(a, volume, &line, count - turn, &path);
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
