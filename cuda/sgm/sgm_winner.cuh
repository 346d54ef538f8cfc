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

#include "common/sgm/sgm_math.h"
#include "cuda/sgm/sgm_paths.cuh"

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
STX_DEVICE uint32_t mean_of(const uint32_t (&v)[2])
{
  return __vavgu4(v[0], v[1]);
}

STX_DEVICE uint32_t mean_of(const uint32_t (&v)[4])
{
  return __vavgu4(__vavgu4(v[0], 0) + __vavgu4(v[1], 0), __vavgu4(v[2], 0) + __vavgu4(v[3], 0));
}

/* S of the lane's candidates; `at`: pixel number · D + first candidate. */
template <int K, int PATHS> STX_DEVICE Sums<K> sums_at(const StxSgmWinnerArgs *a, size_t at)
{
  Sums<K> parts[PATHS / 2], sums;
#pragma unroll
  for (int i = 0; i < PATHS / 2; i++)
    load_sums(a->volumes[i] + at, &parts[i]);
#pragma unroll
  for (int w = 0; w < (K + 3) / 4; w++) {
    uint32_t v[PATHS / 2];
#pragma unroll
    for (int i = 0; i < PATHS / 2; i++)
      v[i] = parts[i].words[w];
    sums.words[w] = mean_of(v);
  }
  return sums;
}

template <int PATHS> STX_DEVICE int sum_at(const StxSgmWinnerArgs *a, size_t at)
{
  uint32_t v[PATHS / 2];
#pragma unroll
  for (int i = 0; i < PATHS / 2; i++)
    v[i] = __ldg(a->volumes[i] + at);
  return (int)mean_of(v);
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

/* best: of the right pixels x − l·K − k. Adds pixel x and moves on to the next one. Returns what
 * is known of the right pixel x − (D − 1), in all lanes. */
template <int K> STX_DEVICE unsigned right_step(const unsigned (&keys)[K], unsigned (&best)[K])
{
#pragma unroll
  for (int k = 0; k < K; k++)
    best[k] = min(best[k], keys[k]);
  const unsigned before = __shfl_up_sync(STX_FULL_WARP, best[K - 1], 1);
  const unsigned leaving = __shfl_sync(STX_FULL_WARP, best[K - 1], STX_SGM_LANES - 1);
#pragma unroll
  for (int k = K - 1; k > 0; k--)
    best[k] = best[k - 1];
  best[0] = threadIdx.x == 0 ? ~0u : before;
  return leaving;
}

/* `end`: the pixel behind the segment's last, which itself has no keys yet. */
template <int K> STX_DEVICE void right_finish(uint32_t *row, int end, const unsigned (&best)[K])
{
#pragma unroll
  for (int k = 0; k < K; k++) {
    const int x = end - (int)threadIdx.x * K - k;
    if (x >= 0 && x < end)
      atomicMin(&row[x], best[k]);
  }
}

/* ---- The left view ------------------------------------------------------------------------- */

/* A pixel's record, but for the left-right check: by one lane. `key`: the winner's. */
template <int PATHS>
STX_DEVICE uint32_t record_of(
    const StxSgmWinnerArgs *a, int x, int y, int count, unsigned key, unsigned second)
{
  const int best = (int)(key & 255), s1 = (int)(key >> 8), s2 = (int)second;
  if (x < best || !stx_sgm_unique(s1, s2, a->uniqueness))
    return 0;
  if (a->textured != NULL && a->textured[(size_t)y * a->textured_pitch + x] == 0)
    return 0;
  const size_t at = ((size_t)y * a->columns + x) * count + best;
  int vertex = 0;
  if (best > 0 && best < count - 1)
    vertex = stx_sgm_vertex(sum_at<PATHS>(a, at - 1), s1, sum_at<PATHS>(a, at + 1));
  return (uint32_t)stx_sgm_value(best, vertex) | (uint32_t)best << 16 |
         (uint32_t)stx_sgm_confidence(s1, s2) << 24;
}

/* A warp's walk. A lane keeps what was found out about the pixel that it will finish: the one whose
 * number in the current stretch of 32 is its own. */
template <int K> struct Walker {
  int y, x;
  unsigned key, second, leaving;
  unsigned best[K]; /* right_step */
};

/* The next COUNT pixels. */
template <int K, int PATHS, int COUNT>
STX_DEVICE void walk_on(const StxSgmWinnerArgs *a, Walker<K> *walker)
{
  const size_t pixel = (size_t)walker->y * a->columns + walker->x;
  Sums<K> sums[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    sums[i] = sums_at<K, PATHS>(a, ((pixel + i) * STX_SGM_LANES + threadIdx.x) * K);
#pragma unroll
  for (int i = 0; i < COUNT; i++) {
    unsigned keys[K];
    keys_of(&sums[i], keys);
    const unsigned key = least_of(keys), second = second_of(keys, key & 255);
    const unsigned leaving = right_step(keys, walker->best);
    if ((unsigned)(walker->x + i) % STX_SGM_LANES == threadIdx.x) {
      walker->key = key;
      walker->second = second;
      walker->leaving = leaving;
    }
  }
  walker->x += COUNT;
}

/* The lane's pixel of a stretch. */
template <int K, int PATHS>
STX_DEVICE void finish_pixel(const StxSgmWinnerArgs *a, const Walker<K> *walker, int x)
{
  const int count = K * STX_SGM_LANES, right = x - (count - 1);
  const size_t row = (size_t)walker->y * a->width;
  a->records[row + x] = record_of<PATHS>(a, x, walker->y, count, walker->key, walker->second);
  if (a->right_best != NULL && right >= 0)
    atomicMin(&a->right_best[row + right], walker->leaving);
}

template <int K, int PATHS> STX_DEVICE void walk(const StxSgmWinnerArgs *a)
{
  const int begin = (blockIdx.x * blockDim.y + warp_of_block()) * STX_SGM_SEGMENT;
  const int end = min(begin + (int)STX_SGM_SEGMENT, a->width);
  Walker<K> walker = {(int)blockIdx.y, begin};
#pragma unroll
  for (int k = 0; k < K; k++)
    walker.best[k] = ~0u;
  while (walker.x < end) {
    const int x = walker.x + (int)threadIdx.x, stretch = min(walker.x + (int)STX_SGM_LANES, end);
    while (walker.x + AHEAD <= stretch)
      walk_on<K, PATHS, AHEAD>(a, &walker);
    while (walker.x < stretch)
      walk_on<K, PATHS, 1>(a, &walker);
    if (x < end)
      finish_pixel<K, PATHS>(a, &walker, x);
  }
  if (begin < end && a->right_best != NULL)
    right_finish(a->right_best + (size_t)walker.y * a->width, end, walker.best);
}

template <int K> STX_DEVICE void find_winners(const StxSgmWinnerArgs *a)
{
  if (a->paths == 4)
    walk<K, 4>(a);
  else
    walk<K, 8>(a);
}

#endif
