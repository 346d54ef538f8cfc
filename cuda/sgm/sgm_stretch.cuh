/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
#ifndef STX_SGM_STRETCH_CUH
#define STX_SGM_STRETCH_CUH

#include "cuda/sgm/sgm_args.h"
#include "cuda/sgm/sgm_hints.cuh"
#include "cuda/sgm/sgm_two.cuh"

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

#endif
