/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of common/sgm/sgm.h: L_r of whole lines of pixels, and their sums.
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

#include "cuda/sgm/sgm_args.h"

enum { NO_NEIGHBOUR = 255 }; /* more than L(q,d) + P1 can be */

/*
 * Where a warp is, and what leads from one pixel to the next. Unsigned numbers, because the steps
 * may be negative, and what lies behind the end of a line on either side is then beyond `last`.
 */
typedef struct {
  int x, dx, width;
  int wrap;                               /* moves x from behind one border to the other */
  uint32_t pixel, pixel_step, last_pixel; /* y · width + x */
  uint32_t row, row_step, last_row;       /* of the right words: y · SHIFTS · pitch */
} Walk;

template <int K> struct CensusWords {
  uint32_t left, right[K]; /* right[k]: of the lane's candidate k */
};

template <int K> struct Path {
  int costs[K]; /* L(q,·) */
  int least;    /* over all lanes; 0 if q is outside the image */
  int jump;     /* least + P2; 0 if q is outside the image: then nothing else counts */
  int p1, p1_first, p1_last, p2;
};

/* threadIdx.y, in a way that tells the compiler that a warp has but one. */
STX_DEVICE int warp_of_block()
{
  return __shfl_sync(STX_FULL_WARP, (int)threadIdx.y, 0);
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

/* left: the words of the image; right: where the lane's begin for x = 0 and the copy 0. */
typedef struct {
  const uint32_t *left, *right;
  uint32_t copy_step; /* from a copy to the next, which begins a word earlier */
} Source;

/* Behind the end of a line, where the words do not matter, those of a pixel that exists. */
template <int K> STX_DEVICE void fetch(const Source *from, const Walk *at, CensusWords<K> *words)
{
  const uint32_t copy = (uint32_t)(at->x + 1) % STX_SGM_SHIFTS;
  words->left = __ldg(from->left + min(at->pixel, at->last_pixel));
  const uint32_t row = min(at->row, at->last_row);
  load_words(from->right + (row + (uint32_t)at->x + copy * from->copy_step), words);
}

/* To the next pixel; true if a new line begins there. */
STX_DEVICE bool advance(Walk *at)
{
  at->x += at->dx;
  at->pixel += at->pixel_step;
  at->row += at->row_step;
  const bool leaves = (unsigned)at->x >= (unsigned)at->width;
  if (leaves) {
    at->x += at->wrap;
    at->pixel += (uint32_t)at->wrap;
  }
  return leaves;
}

/* From the predecessor's costs to the pixel's. */
template <int K> STX_DEVICE void step(Path<K> *path, const CensusWords<K> *words)
{
  const int below = __shfl_up_sync(STX_FULL_WARP, path->costs[K - 1], 1);
  const int above = __shfl_down_sync(STX_FULL_WARP, path->costs[0], 1);
  int next[K], least = 255;
#pragma unroll
  for (int k = 0; k < K; k++) {
    const int lower = k > 0 ? path->costs[k - 1] + path->p1 : below + path->p1_first;
    const int upper = k + 1 < K ? path->costs[k + 1] + path->p1 : above + path->p1_last;
    const int reach = min(min(min(path->costs[k], lower), upper), path->jump);
    next[k] = __popc(words->left ^ words->right[k]) - path->least + reach;
    least = min(least, next[k]);
  }
#pragma unroll
  for (int k = 0; k < K; k++)
    path->costs[k] = next[k];
  path->least = (int)warp_min((unsigned)least);
  path->jump = path->least + path->p2;
}

/* A word of bytes goes into a volume. Sums stay below 255: no byte carries into the next. */
template <typename Word> STX_DEVICE void put(void *cell, Word word, bool add)
{
  if (add)
    atomicAdd((Word *)cell, word); /* its result is not used: nothing waits for the memory */
  else
    *(Word *)cell = word;
}

/* Costs of the lane's candidates go to its place in the volume. */
STX_DEVICE void store(uint8_t *cells, const int (&costs)[2], bool add)
{
  const unsigned pair = (unsigned)(costs[0] | costs[1] << 8);
  const unsigned next = __shfl_down_sync(STX_FULL_WARP, pair, 1);
  if (threadIdx.x % 2 == 0) /* memory adds no less than four bytes */
    put(cells, pair | next << 16, add);
}

STX_DEVICE unsigned packed(const int *costs)
{
  return (unsigned)(costs[0] + (costs[1] << 8) + (costs[2] << 16) + (costs[3] << 24));
}

STX_DEVICE void store(uint8_t *cells, const int (&costs)[4], bool add)
{
  put(cells, packed(costs), add);
}

STX_DEVICE void store(uint8_t *cells, const int (&costs)[8], bool add)
{
  const unsigned long long low = packed(costs), high = packed(costs + 4);
  put(cells, low | high << 32, add);
}

/* At the end of line `line` of an axis from which it is followed. */
STX_DEVICE Walk line_end(const StxSgmPathsArgs *a, const StxSgmAxis *axis, int line, bool backward)
{
  const int sign = backward ? -1 : 1, dx = axis->horizontal ? sign : sign * axis->dx;
  const int dy = axis->horizontal ? 0 : sign, pitch = STX_SGM_SHIFTS * (int)a->right.pitch;
  const int far_x = backward ? a->width - 1 : 0, far_y = backward ? a->height - 1 : 0;
  const int x = axis->horizontal ? far_x : line, y = axis->horizontal ? line : far_y;
  Walk at = {.x = x, .dx = dx, .width = a->width, .wrap = dx > 0 ? -a->width : a->width};
  at.pixel = (uint32_t)(y * a->width + x);
  at.pixel_step = (uint32_t)(dy * a->width + dx);
  at.last_pixel = (uint32_t)(a->height * a->width - 1);
  at.row = (uint32_t)(y * pitch);
  at.row_step = (uint32_t)(dy * pitch);
  at.last_row = (uint32_t)((a->height - 1) * pitch);
  return at;
}

template <int K> STX_DEVICE Path<K> new_path(const StxSgmPathsArgs *a)
{
  Path<K> path;
#pragma unroll
  for (int k = 0; k < K; k++)
    path.costs[k] = 0;
  path.least = path.jump = 0;
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
  const int warp = warp_of_block();
  const bool second = blockIdx.x >= a->first_blocks, backward = warp % 2 != 0;
  const StxSgmAxis *axis = &a->axes[second];
  const int block = (int)(blockIdx.x - (second ? a->first_blocks : 0));
  const int line = block * STX_SGM_BLOCK_LINES + warp / 2;
  const int lines = axis->horizontal ? a->height : a->width;
  const int count = line >= lines ? 0 : axis->horizontal ? a->width : a->height;
  const int middle = backward ? count - count / 2 : count / 2;
  const int turn = a->store == STX_SGM_MEET ? middle : a->store == STX_SGM_PUT ? count : 0;
  uint8_t *volume = (backward ? axis->backward : axis->forward) + threadIdx.x * K;

  const int lane = threadIdx.x;
  const Source source = {
      a->left, a->right.words + (a->right.before - lane * K - (K - 1)), a->right.pitch - 1};
  Walk at = line_end(a, axis, min(line, lines - 1), backward);
  Path<K> path = new_path<K>(a);
  CensusWords<K> words;
  fetch(&source, &at, &words);
  for (int part = 0, i = 0; part < 2; part++) {
    for (const int end = part == 0 ? turn : count; i < end; i++) {
      uint8_t *cells = volume + (size_t)at.pixel * (K * STX_SGM_LANES);
      const bool new_line = advance(&at);
      CensusWords<K> ahead;
      fetch(&source, &at, &ahead);
      step(&path, &words);
      store(cells, path.costs, part == 1);
      if (new_line)
        path.least = path.jump = 0;
      words = ahead;
    }
    __syncthreads();
  }
}

#endif
