/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The winner of each pixel, in both views, and the checks that need no other pixel.
 *
 * A warp walks from left to right over a segment of a row; lane l has the K = D / 32 candidates
 * l·K … of a pixel. A candidate's key 256·S + d is the winner with ties to the smallest d wherever
 * it is least, so minima may be taken in any order; it has 16 bits, and two of them are one value
 *. Every 32 pixels the lanes turn from candidates to pixels: each finishes one of
 * them, and they are written together.
 *
 * The second best sum is a minimum of bytes, of which those of the winner and its neighbours are
 * covered by ones, four at a time.
 *
 * The right view: the candidates d of the pixels x that match the right pixel r = x − d lie on a
 * diagonal. A lane keeps the least key so far of the right pixels x − l·K, x − l·K − 1, …; one
 * pixel on, each of them is another disparity's, so the keys move by one, through a shuffle from
 * lane to lane. What leaves at d = D − 1, or is left at the end of the segment, is combined with
 * what other segments know by an atomic minimum: three for each pixel. With shared memory instead
 * it would be D of them, or a volume of sums that is read again along the diagonals.
 *
 * Bytes of the volumes are loaded for GROUP pixels at a time, two groups ahead of their use, and
 * behind a jump each, as the words of sgm_paths.cuh are and for the same reason.
 */
#pragma once

#include "common/sgm/sgm_math.h"
#include "cuda/driver/threads.cuh"
#include "cuda/sgm/sgm_sums.cuh"
#include "cuda/sgm/sgm_two.cuh"

/*
 * Keys 256·S + d of candidates, two to a value of sgm_two.cuh: what sgm_winner.cuh calculates with.
 * The key is where it decides comparisons: Packed, in either half of a word; Apart, in the upper
 * halves of two words, and below it is nothing but d once more. What combines the two of a value,
 * or the lanes of a warp, has the key in its upper half.
 */

/* Makes two keys of bytes of `sums` and `candidates`: the first two bytes, or the last two. */
STX_DEVICE void set_keys(Packed *to, uint32_t sums, uint32_t candidates, bool last)
{
  to->both = __byte_perm(sums, candidates, last ? 0x3726 : 0x1504);
}

STX_DEVICE void set_keys(Apart *to, uint32_t sums, uint32_t candidates, bool last)
{
  to->a = __byte_perm(sums, candidates, last ? 0x2666 : 0x0444);
  to->b = __byte_perm(sums, candidates, last ? 0x3777 : 0x1555);
}

/* No key is as large. */
STX_DEVICE void set_none(Packed *to)
{
  to->both = ~0u;
}

STX_DEVICE void set_none(Apart *to)
{
  to->a = to->b = ~0u;
}

STX_DEVICE uint32_t lesser_of_both(Packed keys)
{
  return __vminu2(keys.both, keys.both << 16);
}

STX_DEVICE uint32_t lesser_of_both(Apart keys)
{
  return min(keys.a, keys.b);
}

/* The later key of two. */
STX_DEVICE uint32_t later_of_both(Packed keys)
{
  return keys.both;
}

STX_DEVICE uint32_t later_of_both(Apart keys)
{
  return keys.b;
}

/* Each key moves on by one: that of `before` comes in, the later one goes out. */
STX_DEVICE Packed moved_on(uint32_t before, Packed keys)
{
  return {__byte_perm(before, keys.both, 0x5432)};
}

STX_DEVICE Apart moved_on(uint32_t before, Apart keys)
{
  return {before, keys.a};
}

/* The least of a word's bytes, in the uppermost of the result. */
STX_DEVICE uint32_t least_byte(Packed *, uint32_t word)
{
  const uint32_t halves = __vminu2(word, word << 8);
  return __vminu2(halves, halves << 16);
}

STX_DEVICE uint32_t least_byte(Apart *, uint32_t word)
{
  return min(min(word, word << 8), min(word << 16, word << 24));
}

/* Four of the lane's candidates, in bytes. */
template <int K> STX_DEVICE uint32_t candidates(int word)
{
  return 0x03020100u + 0x01010101u * (threadIdx.x * K + 4 * word);
}

/* The keys of the lane's candidates. */
template <int K, typename Two> STX_DEVICE void keys_of(const Sums<K> *sums, Two (&keys)[K / 2])
{
#pragma unroll
  for (int k = 0; k < K; k += 2)
    set_keys(&keys[k / 2], sums->words[k / 4], candidates<K>(k / 4), k % 4 != 0);
}

/* The least key, in the upper half. */
template <int K, typename Two> STX_DEVICE uint32_t least_of(const Two (&keys)[K / 2])
{
  Two least = keys[0];
#pragma unroll
  for (int k = 1; k < K / 2; k++)
    least = lesser(least, keys[k]);
  return warp_min(lesser_of_both(least));
}

/* 255 in the bytes of candidates that are next to the winner's, or the winner's itself. */
template <int K> STX_DEVICE uint32_t beside(uint32_t candidates, uint32_t winners)
{
  const uint32_t distance = __vabsdiffu4(candidates, winners);
  const uint32_t far = K < 8 ? distance + 0x7e7e7e7eu /* distances are below 128 */
                             : (distance >> 1 & 0x7f7f7f7fu) + 0x7f7f7f7fu;
  return ~((far >> 7 & 0x01010101u) * 255); /* the uppermost bit all over each byte */
}

/* S2: the least sum that is not next to the winner's disparity, in the uppermost byte. */
template <int K, typename Two>
STX_DEVICE uint32_t second_of(const Sums<K> *sums, uint32_t winning_key)
{
  const uint32_t winners = __byte_perm(winning_key, 0, 0x2222);
  uint32_t least = ~0u;
#pragma unroll
  for (int w = 0; w < (K + 3) / 4; w++) {
    const uint32_t covered = beside<K>(candidates<K>(w), winners) | (K == 2 ? ~0xffffu : 0);
    const uint32_t part = least_byte((Two *)NULL, sums->words[w] | covered);
    least = w == 0 ? part : min(least, part);
  }
  return warp_min(least);
}

/* ---- The right view ------------------------------------------------------------------------ */

/* best: of the right pixels x − l·K − k. Adds pixel x and moves on to the next one. Returns what
 * is known of the right pixel x − (D − 1), in the upper half, in all lanes. */
template <int K, typename Two>
STX_DEVICE uint32_t right_step(const Two (&keys)[K / 2], Two (&best)[K / 2])
{
#pragma unroll
  for (int k = 0; k < K / 2; k++)
    best[k] = lesser(best[k], keys[k]);
  const uint32_t last = later_of_both(best[K / 2 - 1]);
  const uint32_t before = __shfl_up_sync(STX_FULL_WARP, last, 1);
  const uint32_t leaving = __shfl_sync(STX_FULL_WARP, last, STX_SGM_LANES - 1);
#pragma unroll
  for (int k = K / 2 - 1; k > 0; k--)
    best[k] = moved_on(later_of_both(best[k - 1]), best[k]);
  best[0] = moved_on(threadIdx.x == 0 ? ~0u : before, best[0]);
  return leaving;
}

/* `end`: the pixel behind the segment's last, which itself has no keys yet. */
template <int K, typename Two>
STX_DEVICE void right_finish(uint32_t *row, int end, Two (&best)[K / 2])
{
  Two none;
  set_none(&none);
#pragma unroll
  for (int k = K - 1; k >= 0; k--) {
    const int x = end - (int)threadIdx.x * K - k;
    if (x >= 0 && x < end)
      atomicMin(&row[x], later_of_both(best[K / 2 - 1]) >> 16);
#pragma unroll
    for (int i = K / 2 - 1; i >= 0; i--)
      best[i] = moved_on(later_of_both(i > 0 ? best[i - 1] : none), best[i]);
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

/* A warp's walk. A lane keeps what was found out about the pixel that it will finish. */
template <int K, typename Two> struct Walker {
  int y, x;
  int turn;                /* pixels to the one that the lane will finish */
  uint32_t found, leaving; /* key << 16 | S2; right_step */
  Two best[K / 2];         /* right_step */
  const uint8_t *rows[4];  /* of the volumes, at the lane's first candidate */
};

/* Pixel x + i. */
template <int K, typename Two>
STX_DEVICE void walk_on(Walker<K, Two> *walker, int i, const Sums<K> *sums)
{
  Two keys[K / 2];
  keys_of(sums, keys);
  const uint32_t key = least_of<K>(keys), second = second_of<K, Two>(sums, key);
  const uint32_t leaving = right_step<K>(keys, walker->best);
  if (walker->turn == i) {
    walker->found = __byte_perm(second, key, 0x7633);
    walker->leaving = leaving;
  }
}

/* The bytes of COUNT pixels from x on. */
template <int K, int PATHS, int COUNT, typename Two>
STX_DEVICE void load_group(const Walker<K, Two> *walker, int x, Group<K, PATHS> *group)
{
#pragma unroll
  for (int v = 0; v < PATHS / 2; v++) {
    const uint8_t *from = walker->rows[v] + (int64_t)x * (K * STX_SGM_LANES);
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      load_sums(from + i * K * STX_SGM_LANES, &group->parts[i][v]);
  }
}

/* COUNT pixels. */
template <int K, int PATHS, int COUNT, typename Two>
STX_DEVICE void walk_group(
    const StxSgmWinnerArgs *a, Walker<K, Two> *walker, Group<K, PATHS> *group)
{
  Sums<K> sums[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    sums[i] = sums_of<K, PATHS>(group->parts[i]);
  if (COUNT == GROUP) /* the group after the next takes its place; or the last one of the row */
    load_group<K, PATHS, COUNT>(walker, min(walker->x + 2 * GROUP, a->columns - GROUP), group);
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    walk_on(walker, i, &sums[i]);
  walker->x += COUNT;
  walker->turn -= COUNT;
}

/* Walks to the end of a stretch of 32 pixels, or of the row. */
template <int K, int PATHS, typename Two>
STX_DEVICE void walk_stretch(const StxSgmWinnerArgs *a, Walker<K, Two> *walker,
    Group<K, PATHS> *even, Group<K, PATHS> *odd, int end)
{
  walker->turn = threadIdx.x;
  for (;;) {
    if (walker->x + GROUP > end)
      break;
    walk_group<K, PATHS, GROUP>(a, walker, even);
    if (walker->x + GROUP > end)
      break;
    walk_group<K, PATHS, GROUP>(a, walker, odd);
  }
  while (walker->x < end) { /* then the row ends, and nobody needs the groups any more */
    load_group<K, PATHS, 1>(walker, walker->x, even);
    walk_group<K, PATHS, 1>(a, walker, even);
  }
}

/* The lane's pixel of a stretch. */
template <int K, int PATHS, typename Two>
STX_DEVICE void finish_pixel(const StxSgmWinnerArgs *a, const Walker<K, Two> *walker, int x)
{
  const int count = K * STX_SGM_LANES, right = x - (count - 1);
  const size_t row = (size_t)walker->y * a->width;
  a->records[row + x] =
      record_of<PATHS>(a, x, walker->y, count, walker->found >> 16, walker->found & 255);
  if (a->right_best != NULL && right >= 0)
    atomicMin(&a->right_best[row + right], walker->leaving >> 16);
}

template <int K, int PATHS, typename Two>
STX_DEVICE Walker<K, Two> new_walker(const StxSgmWinnerArgs *a, int x, int y)
{
  Walker<K, Two> walker = {y, x};
#pragma unroll
  for (int k = 0; k < K / 2; k++)
    set_none(&walker.best[k]);
#pragma unroll
  for (int v = 0; v < PATHS / 2; v++)
    walker.rows[v] =
        kept(a->volumes[v] + ((size_t)y * a->columns * STX_SGM_LANES + threadIdx.x) * K);
  return walker;
}

template <int K, int PATHS, typename Two> STX_DEVICE void walk(const StxSgmWinnerArgs *a)
{
  const int begin = (blockIdx.x * blockDim.y + warp_of_block()) * STX_SGM_SEGMENT;
  const int end = min(begin + (int)STX_SGM_SEGMENT, a->width), last = a->columns - GROUP;
  Walker<K, Two> walker = new_walker<K, PATHS, Two>(a, begin, (int)blockIdx.y);
  Group<K, PATHS> even, odd;
  load_group<K, PATHS, GROUP>(&walker, min(begin, last), &even);
  load_group<K, PATHS, GROUP>(&walker, min(begin + GROUP, last), &odd);
  while (walker.x < end) {
    const int x = walker.x + (int)threadIdx.x;
    walk_stretch(a, &walker, &even, &odd, min(walker.x + (int)STX_SGM_LANES, end));
    if (x < end)
      finish_pixel<K, PATHS>(a, &walker, x);
  }
  if (begin < end && a->right_best != NULL)
    right_finish<K>(a->right_best + (size_t)walker.y * a->width, end, walker.best);
}

template <int K, typename Two> STX_DEVICE void find_winners(const StxSgmWinnerArgs *a)
{
  if (a->paths == 4)
    walk<K, 4, Two>(a);
  else
    walk<K, 8, Two>(a);
}

template <int K> STX_DEVICE void find_winners(const StxSgmWinnerArgs *a)
{
  if (STX_PACKS)
    find_winners<K, Packed>(a);
  else
    find_winners<K, Apart>(a);
}
