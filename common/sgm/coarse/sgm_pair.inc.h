/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vectors for sgm_coarse_omp.c: the 32 candidates of a pixel, two windows of 16 bytes. Lane i of
 * window w belongs to d = s_w + 15 − i, so that the right census words x − d of a window ascend in
 * memory. Its candidate number, by which ties are decided, is rank = 16·w + 15 − i.
 *
 *   vp_windows           two windows of 16 bytes from two places
 *   vp_up, vp_down       lane i takes lane i − 1 / i + 1 of its window; the free one becomes FAR
 *   vp_least             the smallest lane, in all lanes
 *   vp_key               the least 256·lane + rank
 *   vp_second            the least lane but for those whose rank is `rank` or next to it, in its
 *                        window
 *   vp_costs             C(p,·): see cost_vectors, here with PAIR_PLANES planes
 *   vp_move              min(N(d), N(d ± 1) + P1) for windows `to` from N(·) of windows `from`, FAR
 *                        or more where there is no candidate; vp_motion prepares it
 */
#pragma once

#include "common/sgm/coarse/sgm_coarse.h"
#include "common/sgm/sgm_simd.inc.h"

#define SPAN STX_SGM_COARSE_WINDOW
#define CELL 32 /* bytes of a pixel */
#define PAIR_PLANES (STX_SGM_COARSE_BITS / PLANE_BITS)

static const uint8_t pair_ranks[CELL] __attribute__((aligned(32))) = {15, 14, 13, 12, 11, 10, 9, 8,
    7, 6, 5, 4, 3, 2, 1, 0, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16};

/* Row r: all bits where a lane's rank is r or next to it in its window. */
static const uint8_t pair_near[CELL * CELL] __attribute__((aligned(64))) = {
#define NEAR(r, lane)                                                                              \
  ((r) / 16 == (lane) / 16 && ((lane) ^ 15) - (r) < 2 && (r) - ((lane) ^ 15) < 2) * 255
#define EIGHT(r, lane)                                                                             \
  NEAR(r, lane), NEAR(r, lane + 1), NEAR(r, lane + 2), NEAR(r, lane + 3), NEAR(r, lane + 4),       \
      NEAR(r, lane + 5), NEAR(r, lane + 6), NEAR(r, lane + 7)
#define ROW(r) EIGHT(r, 0), EIGHT(r, 8), EIGHT(r, 16), EIGHT(r, 24)
#define ROWS(r)                                                                                    \
  ROW(r), ROW(r + 1), ROW(r + 2), ROW(r + 3), ROW(r + 4), ROW(r + 5), ROW(r + 6), ROW(r + 7)
    ROWS(0), ROWS(8), ROWS(16), ROWS(24)
#undef ROWS
#undef ROW
#undef EIGHT
#undef NEAR
};

#ifdef __AVX2__

typedef __m256i VPair;

INLINE VPair vp_load(const uint8_t *p)
{
  return _mm256_loadu_si256((const __m256i *)p);
}

INLINE void vp_store(uint8_t *p, VPair v)
{
  _mm256_storeu_si256((__m256i *)p, v);
}

/* Stores to a multiple of CELL, past the caches; see stream_u8. */
INLINE void vp_stream(uint8_t *p, VPair v)
{
  _mm256_stream_si256((__m256i *)p, v);
}

INLINE VPair vp_windows(const uint8_t *a, const uint8_t *b)
{
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)a)),
      _mm_loadu_si128((const __m128i *)b), 1);
}

STX_UNARY(VPair, vp_set, int, _mm256_set1_epi8((char)a))
STX_BINARY(VPair, vp_min, _mm256_min_epu8, __m256i)
STX_BINARY(VPair, vp_add, _mm256_add_epi8, __m256i)
STX_BINARY(VPair, vp_sub, _mm256_sub_epi8, __m256i)
STX_BINARY(VPair, vp_average, _mm256_avg_epu8, __m256i)
STX_UNARY(VPair, vp_up, VPair, _mm256_alignr_epi8(a, vp_set(FAR), 15))
STX_UNARY(VPair, vp_down, VPair, _mm256_alignr_epi8(vp_set(FAR), a, 1))

INLINE __m128i pair_least_word(VPair v)
{
  __m128i half = _mm_min_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  return _mm_minpos_epu16(_mm_min_epu8(half, _mm_srli_epi16(half, 8)));
}

STX_UNARY(VPair, vp_least, VPair, _mm256_broadcastb_epi8(pair_least_word(a)))

INLINE int vp_key(VPair v)
{
  VPair ranks = _mm256_load_si256((const __m256i *)pair_ranks);
  VPair least = _mm256_min_epu16(_mm256_unpacklo_epi8(ranks, v), _mm256_unpackhi_epi8(ranks, v));
  __m128i half = _mm_min_epu16(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
  return _mm_cvtsi128_si32(_mm_minpos_epu16(half)) & 0xffff;
}

INLINE int vp_second(VPair v, int rank)
{
  VPair near = _mm256_load_si256((const __m256i *)(pair_near + rank * CELL));
  return _mm_cvtsi128_si32(pair_least_word(_mm256_or_si256(v, near))) & 0xff;
}

#ifdef STX_SIMD_AVX2
/* right[w]: the words of lane 0 of window w, planes plane_stride bytes apart. */
INLINE VPair vp_costs(
    const uint8_t *left, size_t left_stride, const uint8_t *const right[2], size_t plane_stride)
{
  VPair cost = vp_set(0);
#pragma GCC unroll 8
  for (size_t p = 0; p < PAIR_PLANES; p++) {
    VPair words = vp_windows(right[0] + p * plane_stride, right[1] + p * plane_stride);
    const uint8_t *row = nibble_distance + left[p * left_stride];
    VPair table = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)row));
    cost = vp_add(cost, _mm256_shuffle_epi8(table, words));
  }
  return cost;
}

/* Lanes that a window takes from one that begins delta lower: i − delta, for PSHUFB. */
static const uint8_t pair_shifts[4 * SPAN]
    __attribute__((aligned(64))) = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
        128, 128, 128, 128, 128, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 128, 128,
        128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128};

/* Lanes of d − 1, d and d + 1, from either window of the other pixel. */
typedef struct {
  VPair below[2], same[2], above[2];
} Motion;

INLINE const uint8_t *pair_shift(int to, int from)
{
  int delta = to - from;
  delta = delta < -SPAN - 1 ? -SPAN - 1 : delta > SPAN + 1 ? SPAN + 1 : delta;
  return pair_shifts + SPAN + 2 - delta;
}

INLINE void vp_motion(Motion *motion, const uint8_t *from, const uint8_t *to)
{
#pragma GCC unroll 2
  for (int w = 0; w < 2; w++) {
    const uint8_t *a = pair_shift(to[0], from[w]), *b = pair_shift(to[1], from[w]);
    motion->same[w] = vp_windows(a, b);
    motion->below[w] = vp_windows(a + 1, b + 1);
    motion->above[w] = vp_windows(a - 1, b - 1);
  }
}

INLINE VPair pair_take(VPair first, VPair second, const VPair lanes[2])
{
  return _mm256_or_si256(
      _mm256_shuffle_epi8(first, lanes[0]), _mm256_shuffle_epi8(second, lanes[1]));
}

/* Moves a step, with the complements of N: what is no candidate becomes 0. */
INLINE VPair vp_move(const Motion *motion, VPair n, VPair p1)
{
  VPair turned = _mm256_xor_si256(n, vp_set(-1));
  VPair first = _mm256_permute2x128_si256(turned, turned, 0x00);
  VPair second = _mm256_permute2x128_si256(turned, turned, 0x11);
  VPair near = _mm256_max_epu8(
      pair_take(first, second, motion->below), pair_take(first, second, motion->above));
  VPair same = pair_take(first, second, motion->same);
  return _mm256_xor_si256(_mm256_max_epu8(same, _mm256_subs_epu8(near, p1)), vp_set(-1));
}
#endif

#else /* two vectors of 16 lanes */

typedef struct {
  VecU8 w[2];
} VPair;

INLINE VPair vp_windows(const uint8_t *a, const uint8_t *b)
{
  return (VPair){{load_u8(a), load_u8(b)}};
}

INLINE void vp_spread(uint8_t *a, uint8_t *b, VPair v)
{
  store_u8(a, v.w[0]);
  store_u8(b, v.w[1]);
}

INLINE VPair vp_load(const uint8_t *p)
{
  return vp_windows(p, p + SPAN);
}

INLINE void vp_store(uint8_t *p, VPair v)
{
  vp_spread(p, p + SPAN, v);
}

INLINE void vp_stream(uint8_t *p, VPair v)
{
  stream_u8(p, v.w[0]);
  stream_u8(p + SPAN, v.w[1]);
}

INLINE VPair vp_set(int value)
{
  return (VPair){{set1_u8((uint8_t)value), set1_u8((uint8_t)value)}};
}

#define STX_PAIR(name, of_one)                                                                     \
  INLINE VPair name(VPair a, VPair b)                                                              \
  {                                                                                                \
    return (VPair){{of_one(a.w[0], b.w[0]), of_one(a.w[1], b.w[1])}};                              \
  }
#define SUM(a, b) ((a) + (b))
#define DIFFERENCE(a, b) ((a) - (b))
STX_PAIR(vp_min, min_u8)
STX_PAIR(vp_add, SUM)
STX_PAIR(vp_sub, DIFFERENCE)
STX_PAIR(vp_average, avg_u8)

INLINE VPair vp_up(VPair v)
{
  return (VPair){{up_u8(v.w[0], set1_u8(FAR)), up_u8(v.w[1], set1_u8(FAR))}};
}

INLINE VPair vp_down(VPair v)
{
  return (VPair){{down_u8(v.w[0], set1_u8(FAR)), down_u8(v.w[1], set1_u8(FAR))}};
}

INLINE VPair vp_least(VPair v)
{
  VecU8 least = reduce_min_u8(min_u8(v.w[0], v.w[1]));
  return (VPair){{least, least}};
}

INLINE int vp_key(VPair v)
{
  VecU16 least = set1_u16(UINT16_MAX);
#pragma GCC unroll 2
  for (int w = 0; w < 2; w++) {
    KeyIndex ranks = key_index(pair_ranks + w * SPAN);
    VecU16 a, b;
    key_make(v.w[w], &ranks, &a, &b);
    least = min_u16(least, min_u16(a, b));
  }
  return least_u16(least);
}

INLINE int vp_second(VPair v, int rank)
{
  VPair near = vp_load(pair_near + rank * CELL);
  return least_u8(min_u8(v.w[0] | near.w[0], v.w[1] | near.w[1]));
}

INLINE VPair vp_costs(
    const uint8_t *left, size_t left_stride, const uint8_t *const right[2], size_t plane_stride)
{
  VPair cost;
#pragma GCC unroll 2
  for (int w = 0; w < 2; w++) {
    VecU8 differ[PAIR_PLANES];
#pragma GCC unroll 4
    for (size_t p = 0; p < PAIR_PLANES; p++)
      differ[p] = load_u8(right[w] + p * plane_stride) ^ left[p * left_stride];
    cost.w[w] = count3(differ[0], differ[1], differ[2]);
  }
  return cost;
}
_Static_assert(PAIR_PLANES == 3, "vp_costs");

/* A place for every disparity: d at of[PAD + MAX_DISPARITY − d], FAR where there is none. */
#define PAD 32
typedef struct {
  uint8_t of[MAX_DISPARITY + 2 * PAD];
  int from[2], to[2]; /* where windows begin in it */
} Motion;

INLINE void vp_motion(Motion *motion, const uint8_t *from, const uint8_t *to)
{
  memset(motion->of, FAR, sizeof motion->of);
  for (int w = 0; w < 2; w++) {
    motion->from[w] = PAD + MAX_DISPARITY - (SPAN - 1) - from[w];
    motion->to[w] = PAD + MAX_DISPARITY - (SPAN - 1) - to[w];
  }
}

INLINE VPair vp_move(Motion *motion, VPair n, VPair p1)
{
  const uint8_t *a = motion->of + motion->to[0], *b = motion->of + motion->to[1];
  vp_spread(motion->of + motion->from[0], motion->of + motion->from[1], n);
  VPair near = vp_min(vp_windows(a - 1, b - 1), vp_windows(a + 1, b + 1));
  return vp_min(vp_windows(a, b), vp_add(near, p1));
}

#endif
