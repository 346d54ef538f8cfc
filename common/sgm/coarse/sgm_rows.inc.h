/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vectors for sgm_coarse_sweep.inc.h: a pixel of each of PAIRS lines, whose bytes lie `next` bytes
 * apart. With AVX-512 these are two, in the halves of a vector; else one, a VPair.
 *
 *   vr_load, vr_store    CELL bytes of each line
 *   vr_stream, vr_fetch  slots: two vectors side by side, past the caches; see stream_u8
 *   vr_least             the smallest lane of each line, in all its lanes, of two vectors
 *   vr_open_costs        what vr_costs needs of a block: `left` leads to the words of its first
 *                        pixel, right[w] to those of lane 0 of window w; part: the line's number
 *   vr_costs             C(p,·) of pixel t of the block
 *   vr_move              vp_move of each line; vr_motion prepares it
 */
#pragma once

#include "common/sgm/coarse/sgm_pair.inc.h"

#define BLOCK STX_SGM_COARSE_BLOCK
#define SLOT (2 * CELL) /* a pixel in the volume: half sums, and costs for the other sweep */

/* Census words of a line in a tile, in the order of the image: planes at distances that the
 * compiler knows, so that one address does for all. Those of the right image begin D pixels further
 * left. Both hold some more than is needed: whole vectors. */
#define TILE_BLOCKS 16
#define TILE_COLUMNS (TILE_BLOCKS * BLOCK)
#define LEFT_WORDS TILE_COLUMNS
#define RIGHT_WORDS (TILE_COLUMNS + MAX_DISPARITY + LANES)
typedef struct {
  uint8_t left[PAIR_PLANES][LEFT_WORDS];
  uint8_t right[PAIR_PLANES][RIGHT_WORDS];
} Words;

#ifdef STX_SIMD_AVX512

#define PAIRS 2
typedef __m512i VRows;

INLINE VRows vr_join(VPair a, VPair b)
{
  return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

INLINE VRows vr_load(const uint8_t *p, ptrdiff_t next)
{
  return vr_join(vp_load(p), vp_load(p + next));
}

INLINE void vr_store(uint8_t *p, ptrdiff_t next, VRows v)
{
  vp_store(p, _mm512_castsi512_si256(v));
  vp_store(p + next, _mm512_extracti64x4_epi64(v, 1));
}

INLINE void vr_stream(uint8_t *slot, ptrdiff_t next, VRows a, VRows b)
{
  _mm512_stream_si512(
      (__m512i *)slot, vr_join(_mm512_castsi512_si256(a), _mm512_castsi512_si256(b)));
  _mm512_stream_si512((__m512i *)(slot + next), _mm512_shuffle_i64x2(a, b, 0xEE));
}

INLINE void vr_fetch(const uint8_t *slot, ptrdiff_t next, VRows *a, VRows *b)
{
  *a = vr_load(slot, next);
  *b = vr_load(slot + CELL, next);
}

STX_UNARY(VRows, vr_set, int, _mm512_set1_epi8((char)a))
STX_BINARY(VRows, vr_min, _mm512_min_epu8, __m512i)
STX_BINARY(VRows, vr_add, _mm512_add_epi8, __m512i)
STX_BINARY(VRows, vr_sub, _mm512_sub_epi8, __m512i)
STX_BINARY(VRows, vr_average, _mm512_avg_epu8, __m512i)
STX_UNARY(VRows, vr_up, VRows, _mm512_alignr_epi8(a, vr_set(FAR), 15))
STX_UNARY(VRows, vr_down, VRows, _mm512_alignr_epi8(vr_set(FAR), a, 1))

/* Both at once, as the bytes of words. */
INLINE void vr_least(VRows a, VRows b, VRows *least_a, VRows *least_b)
{
  VRows v = vr_min(_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b));
  v = vr_min(v, _mm512_shuffle_i64x2(v, v, 0xB1));
  v = vr_min(v, _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4E));
  v = vr_min(v, _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0xB1));
  v = vr_min(v, _mm512_rol_epi32(v, 16));
  *least_a = _mm512_shuffle_epi8(v, vr_set(0));
  *least_b = _mm512_shuffle_epi8(v, vr_set(1));
}

typedef struct {
  __m512i right[PAIR_PLANES][PAIRS]; /* of a line: the words of both windows */
  __m128i left[PAIR_PLANES];         /* of all lines, BLOCK each */
} Costs;

INLINE void vr_open_costs(
    Costs *costs, int part, const uint8_t *left, const uint8_t *const right[2])
{
#pragma GCC unroll 4
  for (size_t p = 0; p < PAIR_PLANES; p++) {
    size_t at = p * RIGHT_WORDS;
    __m128i words = _mm_loadl_epi64((const __m128i *)(left + p * LEFT_WORDS));
    costs->left[p] = part == 0 ? words : _mm_unpacklo_epi64(costs->left[p], words);
    costs->right[p][part] = vr_join(vp_load(right[0] + at), vp_load(right[1] + at));
  }
}

#define LANES4(v) v, v + 1, v + 2, v + 3
#define LANES16(v) LANES4(v), LANES4(v + 4), LANES4(v + 8), LANES4(v + 12)
#define SAME16(v) v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v
#define EACH_PIXEL(of) of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)
/* For pixel t: the place of each lane among the right words of two lines, and in the quarter that
 * holds the left words of both. */
static const uint8_t rows_right[BLOCK * 64] __attribute__((aligned(64))) = {
#define OF(t) LANES16(t), LANES16(32 + t), LANES16(64 + t), LANES16(96 + t)
    EACH_PIXEL(OF)
#undef OF
};
static const uint8_t rows_left[BLOCK * 64] __attribute__((aligned(64))) = {
#define OF(t) SAME16(t), SAME16(t), SAME16(BLOCK + t), SAME16(BLOCK + t)
    EACH_PIXEL(OF)
#undef OF
};
#undef EACH_PIXEL
#undef SAME16
#undef LANES16
#undef LANES4

INLINE VRows vr_costs(const Costs *costs, int t)
{
  const __m512i right = _mm512_load_si512(rows_right + 64 * t);
  const __m512i left = _mm512_load_si512(rows_left + 64 * t);
  VRows cost = vr_set(0);
#pragma GCC unroll 4
  for (int p = 0; p < PAIR_PLANES; p++) {
    __m512i words = _mm512_permutex2var_epi8(costs->right[p][0], right, costs->right[p][1]);
    __m512i bits = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(costs->left[p]), left);
    cost = vr_add(cost, _mm512_popcnt_epi8(_mm512_xor_si512(words, bits)));
  }
  return cost;
}

/* The lane, if any, that holds d − 1, d and d + 1 of each lane. */
typedef struct {
  __m512i lane[3];
  __mmask64 known[3];
} RowsMotion;

INLINE void vr_motion(
    RowsMotion *motion, const uint8_t *const from[PAIRS], const uint8_t *const to[PAIRS])
{
  const __m512i quarters =
      _mm512_set_epi32(0x03030303, 0x03030303, 0x03030303, 0x03030303, 0x02020202, 0x02020202,
          0x02020202, 0x02020202, 0x01010101, 0x01010101, 0x01010101, 0x01010101, 0, 0, 0, 0);
  const __m512i firsts = _mm512_and_si512(quarters, vr_set(2));
  const __m512i ranks = _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)pair_ranks));
  const __m512i last = _mm512_add_epi8(_mm512_slli_epi16(firsts, 4), vr_set(SPAN - 1));
  uint8_t starts[2][2 * PAIRS];
  int words[2];
  memcpy(starts[0], from[0], 2);
  memcpy(starts[0] + 2, from[1], 2);
  memcpy(starts[1], to[0], 2);
  memcpy(starts[1] + 2, to[1], 2);
  memcpy(words, starts, sizeof words);
  __m512i f = _mm512_set1_epi32(words[0]), t = _mm512_set1_epi32(words[1]);
  __m512i first = _mm512_shuffle_epi8(f, firsts);
  __m512i second = _mm512_shuffle_epi8(f, _mm512_or_si512(firsts, vr_set(1)));
  __m512i d = _mm512_add_epi8(_mm512_shuffle_epi8(t, quarters), ranks);
  /* Beyond the range d itself, which does no harm: N(d) + P1 is no less than N(d). */
  const __m512i sought[3] = {_mm512_subs_epu8(d, vr_set(1)), d, _mm512_adds_epu8(d, vr_set(1))};
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++) {
    __m512i a = _mm512_sub_epi8(sought[k], first), b = _mm512_sub_epi8(sought[k], second);
    __mmask64 in_first = _mm512_cmplt_epu8_mask(a, vr_set(SPAN));
    motion->lane[k] = _mm512_mask_sub_epi8(
        _mm512_sub_epi8(_mm512_add_epi8(last, vr_set(SPAN)), b), in_first, last, a);
    motion->known[k] = in_first | _mm512_cmplt_epu8_mask(b, vr_set(SPAN));
  }
}

/* Moves a step, with the complements of N: what is no candidate becomes 0. */
INLINE VRows vr_move(RowsMotion *motion, VRows n, VRows p1)
{
  VRows turned = _mm512_xor_si512(n, vr_set(-1)), taken[3];
#pragma GCC unroll 3
  for (int k = 0; k < 3; k++)
    taken[k] = _mm512_maskz_permutexvar_epi8(motion->known[k], motion->lane[k], turned);
  VRows near = _mm512_subs_epu8(_mm512_max_epu8(taken[0], taken[2]), p1);
  return _mm512_xor_si512(_mm512_max_epu8(taken[1], near), vr_set(-1));
}

#else /* a VPair */

#define PAIRS 1
typedef VPair VRows;
typedef Motion RowsMotion;
#define vr_set vp_set
#define vr_min vp_min
#define vr_add vp_add
#define vr_sub vp_sub
#define vr_average vp_average
#define vr_up vp_up
#define vr_down vp_down
#define vr_move vp_move

INLINE VRows vr_load(const uint8_t *p, ptrdiff_t next)
{
  return vp_load(p);
}

INLINE void vr_store(uint8_t *p, ptrdiff_t next, VRows v)
{
  vp_store(p, v);
}

INLINE void vr_stream(uint8_t *slot, ptrdiff_t next, VRows a, VRows b)
{
  vp_stream(slot, a);
  vp_stream(slot + CELL, b);
}

INLINE void vr_fetch(const uint8_t *slot, ptrdiff_t next, VRows *a, VRows *b)
{
  *a = vp_load(slot);
  *b = vp_load(slot + CELL);
}

INLINE void vr_least(VRows a, VRows b, VRows *least_a, VRows *least_b)
{
  *least_a = vp_least(a);
  *least_b = vp_least(b);
}

typedef struct {
  const uint8_t *left, *right[2];
} Costs;

INLINE void vr_open_costs(
    Costs *costs, int part, const uint8_t *left, const uint8_t *const right[2])
{
  *costs = (Costs){left, {right[0], right[1]}};
}

INLINE VRows vr_costs(const Costs *costs, int t)
{
  const uint8_t *const right[2] = {costs->right[0] + t, costs->right[1] + t};
  return vp_costs(costs->left + t, LEFT_WORDS, right, RIGHT_WORDS);
}

INLINE void vr_motion(
    RowsMotion *motion, const uint8_t *const from[PAIRS], const uint8_t *const to[PAIRS])
{
  vp_motion(motion, from[0], to[0]);
}

#endif
