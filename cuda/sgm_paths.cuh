/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of common/sgm.h: L_r of whole lines of pixels, and their sums.
 *
 * A warp follows one line in one direction; lane l has the K = D / 32 candidates l·K … l·K + K − 1
 * of the current pixel in registers. One step:
 *
 *   L(p,d) = C(p,d) + min(L(q,d), L(q,d − 1) + P1, L(q,d + 1) + P1, m + P2) − m,  m = min_i L(q,i)
 *
 * which is sgm.h with N = L − m written out: the neighbours' shuffles do not wait for m, and the
 * chain from pixel to pixel is: minimum in the lane, minimum in the warp, + P2, min, + C − m. Where
 * there is no neighbour, at d = 0 and D − 1, its P1 is so large that it never wins.
 *
 * C is computed where it is needed, from census words: a lane's K words of the right image are
 * adjacent and aligned (sgm_args.h), so a warp loads them with one or two instructions, a step
 * ahead. Lines next to each other in a block, and the steps of a horizontal line, find most of
 * them in the level-1 cache. No shared memory.
 *
 * Candidates stay one to a register: packed to four bytes a minimum costs four instructions for
 * four of them, packed to two halves it costs four for two before sm_90; a plain minimum takes one
 * (with the addition, too, from sm_90 on), and nothing has to be packed but the result.
 *
 * Lines end where the image ends. A diagonal that leaves on the left or right comes in again on the
 * other side as a new line, so each warp follows exactly `height` pixels, and each pixel has its
 * turn.
 */
#ifndef STX_SGM_PATHS_CUH
#define STX_SGM_PATHS_CUH

#include "cuda/sgm_args.h"

enum { NO_NEIGHBOUR = 255 }; /* more than L(q,d) + P1 can be */

/* Where a warp is. */
typedef struct {
  int x, y, dx, dy;
  bool starts; /* the predecessor is outside the image */
} Place;

template <int K> struct CensusWords {
  uint32_t left, right[K]; /* right[k]: of the lane's candidate k */
};

template <int K> struct Path {
  int costs[K]; /* L(q,·) */
  int least;    /* over all lanes */
  int p1, p1_first, p1_last, p2;
};

STX_DEVICE unsigned warp_min(unsigned value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync(STX_FULL_WARP, value);
#else
  for (int apart = STX_SGM_LANES / 2; apart > 0; apart /= 2)
    value = min(value, __shfl_xor_sync(STX_FULL_WARP, value, apart));
  return value;
#endif
}

STX_DEVICE void load_words(const uint32_t *from, CensusWords<2> *to)
{
  const uint2 v = __ldg((const uint2 *)from);
  to->right[1] = v.x, to->right[0] = v.y;
}

STX_DEVICE void load_words(const uint32_t *from, CensusWords<4> *to)
{
  const uint4 v = __ldg((const uint4 *)from);
  to->right[3] = v.x, to->right[2] = v.y, to->right[1] = v.z, to->right[0] = v.w;
}

STX_DEVICE void load_words(const uint32_t *from, CensusWords<8> *to)
{
  const uint4 far = __ldg((const uint4 *)from), near = __ldg((const uint4 *)from + 1);
  to->right[7] = far.x, to->right[6] = far.y, to->right[5] = far.z, to->right[4] = far.w;
  to->right[3] = near.x, to->right[2] = near.y, to->right[1] = near.z, to->right[0] = near.w;
}

template <int K>
STX_DEVICE void fetch(const StxSgmPathsArgs *a, const Place *at, CensusWords<K> *words)
{
  const int copy = (at->x + 1) % STX_SGM_SHIFTS, lane = threadIdx.x;
  const uint32_t *row = a->right.words + (size_t)(at->y * STX_SGM_SHIFTS + copy) * a->right.pitch;
  words->left = __ldg(&a->left[at->y * a->width + at->x]);
  load_words(row + (at->x - lane * K - (K - 1) + (int)a->right.before - copy), words);
}

/* The next pixel. Behind the last one of a line comes one that exists but does not matter. */
STX_DEVICE void advance(const StxSgmPathsArgs *a, Place *at)
{
  at->x += at->dx;
  at->y += at->dy;
  at->starts = (unsigned)at->x >= (unsigned)a->width;
  if (at->starts)
    at->x = at->dx > 0 ? 0 : a->width - 1;
  if ((unsigned)at->y >= (unsigned)a->height)
    at->y = 0;
}

template <int K> STX_DEVICE void start(Path<K> *path)
{
#pragma unroll
  for (int k = 0; k < K; k++)
    path->costs[k] = 0;
  path->least = 0;
}

/* From the predecessor's costs to the pixel's. */
template <int K> STX_DEVICE void step(Path<K> *path, const CensusWords<K> *words)
{
  const int below = __shfl_up_sync(STX_FULL_WARP, path->costs[K - 1], 1);
  const int above = __shfl_down_sync(STX_FULL_WARP, path->costs[0], 1);
  const int jump = path->least + path->p2;
  int next[K], least = 255;
#pragma unroll
  for (int k = 0; k < K; k++) {
    const int lower = k > 0 ? path->costs[k - 1] + path->p1 : below + path->p1_first;
    const int upper = k + 1 < K ? path->costs[k + 1] + path->p1 : above + path->p1_last;
    const int reach = min(min(min(path->costs[k], lower), upper), jump);
    next[k] = __popc(words->left ^ words->right[k]) - path->least + reach;
    least = min(least, next[k]);
  }
#pragma unroll
  for (int k = 0; k < K; k++)
    path->costs[k] = next[k];
  path->least = (int)warp_min((unsigned)least);
}

/* A word of bytes goes into a volume. Sums stay below 255: no byte carries into the next. */
template <typename Word> STX_DEVICE void put(void *cell, Word word, bool add)
{
  if (add)
    atomicAdd((Word *)cell, word); /* its result is not used: nothing waits for the memory */
  else
    *(Word *)cell = word;
}

STX_DEVICE void store(uint8_t *cells, const int (&costs)[2], bool add)
{
  const unsigned pair = (unsigned)(costs[0] | costs[1] << 8);
  const unsigned next = __shfl_down_sync(STX_FULL_WARP, pair, 1);
  if (threadIdx.x % 2 == 0) /* memory adds no less than four bytes */
    put(cells + threadIdx.x * 2, pair | next << 16, add);
}

STX_DEVICE unsigned packed(const int *costs)
{
  return (unsigned)(costs[0] | costs[1] << 8 | costs[2] << 16 | costs[3] << 24);
}

STX_DEVICE void store(uint8_t *cells, const int (&costs)[4], bool add)
{
  put(cells + threadIdx.x * 4, packed(costs), add);
}

STX_DEVICE void store(uint8_t *cells, const int (&costs)[8], bool add)
{
  const unsigned long long low = packed(costs), high = packed(costs + 4);
  put(cells + threadIdx.x * 8, low | high << 32, add);
}

/* The first pixel of line `line` of an axis. */
STX_DEVICE Place line_end(const StxSgmPathsArgs *a, const StxSgmAxis *axis, int line, bool backward)
{
  const int sign = backward ? -1 : 1;
  Place at = {line, backward ? a->height - 1 : 0, sign * axis->dx, sign, true};
  if (axis->horizontal) {
    at.x = backward ? a->width - 1 : 0;
    at.y = line;
    at.dx = sign;
    at.dy = 0;
  }
  return at;
}

template <int K> STX_DEVICE Path<K> new_path(const StxSgmPathsArgs *a)
{
  Path<K> path;
  start(&path);
  path.p1 = a->p1;
  path.p1_first = threadIdx.x == 0 ? (int)NO_NEIGHBOUR : a->p1;
  path.p1_last = threadIdx.x == STX_SGM_LANES - 1 ? (int)NO_NEIGHBOUR : a->p1;
  path.p2 = a->p2;
  return path;
}

/*
 * A block has a few lines of one axis, two warps for each: y = 2·line + backward. Each follows its
 * line in two parts. STX_SGM_MEET: up to the middle both put their costs into the volume, from
 * there on each adds to what the other left; the barrier is between. Else one part is empty.
 */
template <int K> STX_DEVICE void follow(const StxSgmPathsArgs *a)
{
  const bool second = blockIdx.x >= a->first_blocks, backward = threadIdx.y % 2;
  const StxSgmAxis *axis = &a->axes[second];
  const int block = (int)(blockIdx.x - (second ? a->first_blocks : 0));
  const int line = block * STX_SGM_BLOCK_LINES + (int)threadIdx.y / 2;
  const int lines = axis->horizontal ? a->height : a->width;
  const int count = line >= lines ? 0 : axis->horizontal ? a->width : a->height;
  const int middle = backward ? count - count / 2 : count / 2;
  const int turn = a->store == STX_SGM_MEET ? middle : a->store == STX_SGM_PUT ? count : 0;
  uint8_t *volume = backward ? axis->backward : axis->forward;

  Place at = line_end(a, axis, min(line, lines - 1), backward);
  Path<K> path = new_path<K>(a);
  CensusWords<K> words;
  fetch(a, &at, &words);
  for (int part = 0, i = 0; part < 2; part++) {
    for (const int end = part == 0 ? turn : count; i < end; i++) {
      const size_t pixel = (size_t)at.y * a->width + at.x;
      if (at.starts)
        start(&path);
      CensusWords<K> ahead;
      advance(a, &at);
      fetch(a, &at, &ahead);
      step(&path, &words);
      store(volume + pixel * (K * STX_SGM_LANES), path.costs, part == 1);
      words = ahead;
    }
    __syncthreads();
  }
}

#endif
