/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vectors for rdp_omp.c: LANES integers of 32 bits, one set of functions per instruction set. A
 * lane may also hold a point: its cell's index in the low 16 bits, disparity − 32768 in the high
 * ones.
 *
 *   ri_dot           for every lane the dot product of its two signed halves
 *   ri_points        LANES cells as points; unknown: what they are if their disparity is 0
 *   ri_known         whether 4 · LANES cells all are known
 *   ri_points_of_two 2 · LANES known cells as points; halves: their indices, 16 bits each, in the
 *                    order of ri_halves for the first ones
 *   ri_low, ri_high  a lane's low half without sign; its high half with sign; ri_join: from both
 *   ri_half          halved, rounded down
 *   ri_where_above   where a > b: c, else d; ri_where_equal likewise
 *   ri_equal_bits    bit i: lane i is equal; ri_above_bits likewise
 *   ri_columns       point[i], i < 8: for every lane the point i after its first one; ri_fours:
 *                    i < 4
 *   ri_eight         8 words from points[first[0]] on in lanes 0 … 7, from points[first[8]] on in
 *                    lanes 8 … 15 where there are these; ri_four: 4 from points[first[4·i]] on in
 *                    lanes 4·i …
 *   ri_zip           lanes of a and b in turns, those of the lower and of the upper halves;
 *                    ri_zip_twos: two of each in turns. Both within 128 bits. ri_zip_fours: four,
 *                    within 256
 *   ri_largest       the largest lane in all lanes; ri_smallest likewise
 *   ri_flip          both halves of every lane, less 32768; ri_total: the sum of all lanes
 *   ri_running       LANES 16-bit numbers as running sums; ri_last: the last lane in all lanes
 *   ri_pack          stores the lanes whose bit is set, one after another; writes LANES words.
 *                    ri_pack_two: two vectors in the same way
 *   ri_take_kept     bit i: levels[i], i < 64, was not 0; is 0 now; *most: 16-bit lanes, the
 *                    largest of them so far
 *   ri_only          the lanes whose bit is set, else 0
 *   ri_records       stores LANES records of six words from the vectors of the first words, of the
 *                    second ones, …
 */
#ifndef STX_RDP_SIMD_INC_H
#define STX_RDP_SIMD_INC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#if defined __AVX512BW__ && defined __AVX512VL__
#include "common/rdp/rdp_simd_avx512.inc.h"
#elif defined __AVX2__
#include "common/rdp/rdp_simd_avx2.inc.h"
#else
#include "common/rdp/rdp_simd_base.inc.h"
#endif

INLINE Ints ri_largest(Ints a)
{
  RI_REDUCE(ri_max, a);
  return a;
}

INLINE int ri_total(Ints a)
{
  RI_REDUCE(ri_add, a);
  return ri_lane0(a);
}

INLINE Ints ri_smallest(Ints a)
{
  RI_REDUCE(ri_min, a);
  return a;
}

/* Transposes 4 × 4 points. */
INLINE void ri_fours(const uint32_t *points, const uint32_t *first, Ints *point)
{
  Ints a[4], b[4];
  for (int i = 0; i < 4; i++)
    a[i] = ri_four(points, first + i);
  for (int i = 0; i < 4; i += 2)
    ri_zip(a[i], a[i + 1], &b[i], &b[i + 1]);
  for (int i = 0; i < 2; i++)
    ri_zip_twos(b[i], b[i + 2], &point[2 * i], &point[2 * i + 1]);
}

#if LANES >= 8
/* Transposes 8 × 8 points. */
INLINE void ri_columns(const uint32_t *points, const uint32_t *first, Ints *point)
{
  Ints a[8], b[8];
  for (int i = 0; i < 8; i++)
    a[i] = ri_eight(points, first + i);
  for (int i = 0; i < 8; i += 2)
    ri_zip(a[i], a[i + 1], &b[i], &b[i + 1]);
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; j++)
      ri_zip_twos(b[i + j], b[i + 2 + j], &a[i + 2 * j], &a[i + 2 * j + 1]);
  for (int i = 0; i < 4; i++)
    ri_zip_fours(a[i], a[i + 4], &point[i], &point[i + 4]);
}
#endif

#endif
