/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of common/sgm/sgm.h: L_r of whole lines of pixels, and their sums.
 *
 * A warp follows two lines, A and B, side by side in one direction, stretch by stretch
 * (sgm_stretch.cuh). B is the next row, or the line four columns to the right. The lines of a block
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

#include "cuda/sgm/sgm_stretch.cuh"

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

template <int K, typename Two> STX_DEVICE Path<K, Two> new_path(const StxSgmPathsArgs *a)
{
  const uint32_t p1 = kept((uint32_t)a->p1), p2 = kept((uint32_t)a->p2), none = NO_NEIGHBOUR;
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

  Path<K, Two> path = new_path<K, Two>(a);
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
