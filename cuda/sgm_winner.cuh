/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The winner of each pixel, in both views, and the checks that need no other pixel.
 *
 * A warp walks from left to right over a segment of a row; lane l has the K = D / 32 candidates
 * l·K … of a pixel. A candidate's key 256·S + d is the winner with ties to the smallest d wherever
 * it is least, so minima may be taken in any order. Every 32 pixels the lanes turn from candidates
 * to pixels: each finishes one of them, and they are written together.
 *
 * The right view: the candidates d of the pixels x that match the right pixel r = x − d lie on a
 * diagonal. A lane keeps the least key so far of the right pixels x − l·K, x − l·K − 1, …; one
 * pixel on, each of them is another disparity's, so the keys move by one, through a shuffle from
 * lane to lane. What leaves at d = D − 1, or is left at the end of the segment, is combined with
 * what other segments know by an atomic minimum: three for each pixel. With shared memory instead
 * it would be D of them, or a volume of sums that is read again along the diagonals.
 */
#ifndef STX_SGM_WINNER_CUH
#define STX_SGM_WINNER_CUH

#include "common/sgm_pixel.h"
#include "cuda/sgm_paths.cuh"

enum {
  AHEAD = 4, /* pixels whose sums are loaded at once: what hides the memory's latency */
};

/* The sums of a lane's candidates, in bytes; of two candidates in the lower half. */
template <int K> struct Sums {
  uint32_t words[(K + 3) / 4];
};

STX_DEVICE void load_sums(const uint8_t *from, Sums<2> *to)
{
  to->words[0] = __ldg((const unsigned short *)from);
}

STX_DEVICE void load_sums(const uint8_t *from, Sums<4> *to)
{
  to->words[0] = __ldg((const unsigned *)from);
}

STX_DEVICE void load_sums(const uint8_t *from, Sums<8> *to)
{
  const uint2 v = __ldg((const uint2 *)from);
  to->words[0] = v.x, to->words[1] = v.y;
}

/*
 * S of sgm.h, byte by byte, from the volumes. Four paths: L_left + L_right and L_up + L_down.
 * Eight: L_left + L_up and L_up-left + L_up-right, and the same two of B. None is above 254.
 */
STX_DEVICE uint32_t mean_of(uint32_t v0, uint32_t v1)
{
  return __vavgu4(v0, v1);
}

STX_DEVICE uint32_t mean_of(uint32_t v0, uint32_t v1, uint32_t v2, uint32_t v3)
{
  return __vavgu4(__vavgu4(v0, 0) + __vavgu4(v1, 0), __vavgu4(v2, 0) + __vavgu4(v3, 0));
}

/* S of the lane's candidates; `at`: pixel number · D + first candidate. */
template <int K> STX_DEVICE Sums<K> sums_at(const StxSgmWinnerArgs *a, size_t at)
{
  const bool eight = a->paths == 8;
  Sums<K> v0, v1, v2, v3, sums;
  load_sums(a->volumes[0] + at, &v0);
  load_sums(a->volumes[1] + at, &v1);
  if (eight) {
    load_sums(a->volumes[2] + at, &v2);
    load_sums(a->volumes[3] + at, &v3);
  }
#pragma unroll
  for (int w = 0; w < (K + 3) / 4; w++)
    sums.words[w] = eight ? mean_of(v0.words[w], v1.words[w], v2.words[w], v3.words[w])
                          : mean_of(v0.words[w], v1.words[w]);
  return sums;
}

STX_DEVICE int sum_at(const StxSgmWinnerArgs *a, size_t at)
{
  const uint32_t v0 = __ldg(a->volumes[0] + at), v1 = __ldg(a->volumes[1] + at);
  if (a->paths == 4)
    return (int)mean_of(v0, v1);
  return (int)mean_of(v0, v1, __ldg(a->volumes[2] + at), __ldg(a->volumes[3] + at));
}

/* The keys of the lane's candidates. */
template <int K> STX_DEVICE void keys_of(const Sums<K> *sums, unsigned (&keys)[K])
{
#pragma unroll
  for (int k = 0; k < K; k++)
    keys[k] = (sums->words[k / 4] >> (8 * (k % 4)) & 255) << 8 | (threadIdx.x * K + k);
}

template <int K> STX_DEVICE unsigned least_of(const unsigned (&keys)[K])
{
  unsigned least = keys[0];
#pragma unroll
  for (int k = 1; k < K; k++)
    least = min(least, keys[k]);
  return warp_min(least);
}

/* S2: the least sum that is not next to the winner's disparity. */
template <int K> STX_DEVICE unsigned second_of(const unsigned (&keys)[K], unsigned winner)
{
  const int first = (int)(threadIdx.x * K) - (int)winner;
  unsigned second = 0xffff;
#pragma unroll
  for (int k = 0; k < K; k++)
    second = min(second, (unsigned)(first + k + 1) > 2 ? keys[k] : 0xffff);
  return warp_min(second) >> 8;
}

/* ---- The right view ------------------------------------------------------------------------ */

/* best: of the right pixels x − l·K − k. Adds pixel x and moves on to the next one. */
template <int K>
STX_DEVICE void right_step(uint32_t *row, int x, const unsigned (&keys)[K], unsigned (&best)[K])
{
  const int leaves = x - (K * STX_SGM_LANES - 1);
#pragma unroll
  for (int k = 0; k < K; k++)
    best[k] = min(best[k], keys[k]);
  if (threadIdx.x == STX_SGM_LANES - 1 && leaves >= 0)
    atomicMin(&row[leaves], best[K - 1]);
  const unsigned before = __shfl_up_sync(STX_FULL_WARP, best[K - 1], 1);
#pragma unroll
  for (int k = K - 1; k > 0; k--)
    best[k] = best[k - 1];
  best[0] = threadIdx.x == 0 ? ~0u : before;
}

/* `end`: the pixel behind the segment's last. */
template <int K> STX_DEVICE void right_finish(uint32_t *row, int end, const unsigned (&best)[K])
{
#pragma unroll
  for (int k = 0; k < K; k++) {
    const int x = end - (int)threadIdx.x * K - k;
    if (x >= 0 && x < end) /* `end` itself has no key yet */
      atomicMin(&row[x], best[k]);
  }
}

/* ---- The left view ------------------------------------------------------------------------- */

/* A pixel's record, but for the left-right check: by one lane. `key`: the winner's. */
STX_DEVICE uint32_t record_of(
    const StxSgmWinnerArgs *a, int x, int y, int count, unsigned key, unsigned second)
{
  const int best = (int)(key & 255), s1 = (int)(key >> 8), s2 = (int)second;
  if (x < best || !stx_sgm_unique(s1, s2, a->uniqueness))
    return 0;
  if (a->textured != NULL && a->textured[(size_t)y * a->textured_pitch + x] == 0)
    return 0;
  const size_t at = ((size_t)y * a->width + x) * count + best;
  const bool inner = best > 0 && best < count - 1;
  const int vertex = inner ? stx_sgm_vertex(sum_at(a, at - 1), s1, sum_at(a, at + 1)) : 0;
  return (uint32_t)stx_sgm_value(best, vertex) | (uint32_t)best << 16 |
         (uint32_t)stx_sgm_confidence(s1, s2) << 24;
}

/* What the lanes remember of the pixels that they will finish. */
typedef struct {
  unsigned key, second;
} Won;

/* Pixels from … from + AHEAD − 1, as far as they lie before `end`. */
template <int K>
STX_DEVICE void pixels(
    const StxSgmWinnerArgs *a, int from, int end, int y, unsigned (&best)[K], Won *won)
{
  Sums<K> sums[AHEAD];
#pragma unroll
  for (int i = 0; i < AHEAD; i++) {
    const size_t pixel = (size_t)y * a->width + min(from + i, end - 1);
    sums[i] = sums_at<K>(a, (pixel * STX_SGM_LANES + threadIdx.x) * K);
  }
#pragma unroll
  for (int i = 0; i < AHEAD; i++) {
    const int x = from + i;
    if (x >= end)
      break;
    unsigned keys[K];
    keys_of(&sums[i], keys);
    const unsigned key = least_of(keys), second = second_of(keys, key & 255);
    if (x % STX_SGM_LANES == (int)threadIdx.x) {
      won->key = key;
      won->second = second;
    }
    if (a->right_best != NULL)
      right_step(a->right_best + (size_t)y * a->width, x, keys, best);
  }
}

template <int K> STX_DEVICE void walk(const StxSgmWinnerArgs *a)
{
  const int y = blockIdx.y, begin = (blockIdx.x * blockDim.y + threadIdx.y) * STX_SGM_SEGMENT;
  const int end = min(begin + (int)STX_SGM_SEGMENT, a->width);
  unsigned best[K];
#pragma unroll
  for (int k = 0; k < K; k++)
    best[k] = ~0u;
  for (int from = begin; from < end; from += STX_SGM_LANES) {
    Won won = {0, 0};
    for (int i = 0; i < STX_SGM_LANES && from + i < end; i += AHEAD)
      pixels(a, from + i, end, y, best, &won);
    const int x = from + (int)threadIdx.x;
    if (x < end)
      a->records[(size_t)y * a->width + x] =
          record_of(a, x, y, K * STX_SGM_LANES, won.key, won.second);
  }
  if (begin < end && a->right_best != NULL)
    right_finish(a->right_best + (size_t)y * a->width, end, best);
}

#endif
