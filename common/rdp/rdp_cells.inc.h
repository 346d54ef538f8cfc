/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the cells of a column to what rdp_omp.c splits: the median, then the known points. */
#pragma once

#include "common/rdp/rdp.h"
#include "common/simd/simd.h"

#define MEDIAN_REACH 3

/* ---- Median ------------------------------------------------------------------------------- */

#define ORDER(a, b)                                                                                \
  do {                                                                                             \
    uint16_t least = a < b ? a : b;                                                                \
    b = a < b ? b : a;                                                                             \
    a = least;                                                                                     \
  } while (0)

/*
 * In the ascending window v of 2·reach + 1 cells, z of them unknown and therefore first, the
 * lower median of the known ones is v[reach + z / 2]; and z is at least k if v[k − 1] is unknown.
 * Sorting networks: D. E. Knuth, The Art of Computer Programming 3, 5.3.4.
 */
INLINE uint16_t median3(const uint16_t *c)
{
  uint16_t v0 = c[-1], v1 = c[0], v2 = c[1];
  ORDER(v0, v1);
  ORDER(v1, v2);
  ORDER(v0, v1);
  uint16_t median = v1 == 0 ? v2 : v1;
  return c[0] == 0 ? 0 : median;
}

INLINE uint16_t median5(const uint16_t *c)
{
  uint16_t v0 = c[-2], v1 = c[-1], v2 = c[0], v3 = c[1], v4 = c[2];
  ORDER(v0, v1);
  ORDER(v3, v4);
  ORDER(v2, v4);
  ORDER(v2, v3);
  ORDER(v1, v4);
  ORDER(v0, v3);
  ORDER(v0, v2);
  ORDER(v1, v3);
  ORDER(v1, v2);
  uint16_t median = v3 == 0 ? v4 : v1 == 0 ? v3 : v2;
  return c[0] == 0 ? 0 : median;
}

INLINE uint16_t median7(const uint16_t *c)
{
  uint16_t v0 = c[-3], v1 = c[-2], v2 = c[-1], v3 = c[0], v4 = c[1], v5 = c[2], v6 = c[3];
  ORDER(v1, v2);
  ORDER(v3, v4);
  ORDER(v5, v6);
  ORDER(v0, v2);
  ORDER(v3, v5);
  ORDER(v4, v6);
  ORDER(v0, v1);
  ORDER(v4, v5);
  ORDER(v2, v6);
  ORDER(v0, v4);
  ORDER(v1, v5);
  ORDER(v0, v3);
  ORDER(v2, v5);
  ORDER(v1, v3);
  ORDER(v2, v4);
  ORDER(v2, v3);
  uint16_t median = v5 == 0 ? v6 : v3 == 0 ? v5 : v1 == 0 ? v4 : v3;
  return c[0] == 0 ? 0 : median;
}

/* Filters `rows` cells; reads as many as the median reaches beyond both ends, which must be 0. */
static void filter(const uint16_t *restrict cells, int rows, int median, uint16_t *restrict to)
{
  if (median == 3)
    for (int i = 0; i < rows; i++)
      to[i] = median3(cells + i);
  else if (median == 5)
    for (int i = 0; i < rows; i++)
      to[i] = median5(cells + i);
  else
    for (int i = 0; i < rows; i++)
      to[i] = median7(cells + i);
}

/* ---- Points ------------------------------------------------------------------------------- */

/* Both halves of every lane, less 32768. */
INLINE VecI32 flip(VecI32 a)
{
  return a ^ (int32_t)0x80008000;
}

/* LANES_32 cells as points; `unknown`: what they are if their disparity is 0. */
INLINE VecI32 points_of(const uint16_t *cells, VecI32 unknown)
{
  return (widen_u16(cells) << 16) ^ unknown;
}

/* True if 4 · LANES_32 cells are all known. */
INLINE bool all_known(const uint16_t *cells)
{
  return !any_zero_u16(min_u16(load_u16(cells), load_u16(cells + LANES_16)));
}

/* The fours of LANES_16 numbers in the order in which two interleavings leave them ascending. */
INLINE VecI32 in_fours(VecI32 a)
{
#if VECTOR_BYTES == 64
  return (VecI32)__builtin_shufflevector((VecU64)a, (VecU64)a, 0, 4, 1, 5, 2, 6, 3, 7);
#elif VECTOR_BYTES == 32
  return (VecI32)__builtin_shufflevector((VecU64)a, (VecU64)a, 0, 2, 1, 3);
#else
  return a;
#endif
}

/* The indices of 2 · LANES_32 cells, 16 bits each, as points_of_two() wants them. */
INLINE VecI32 index_halves(void)
{
  uint16_t index[LANES_16];
  for (int i = 0; i < LANES_16; i++)
    index[i] = (uint16_t)i;
  return in_fours(load_i32(index));
}

/* 2 · LANES_32 known cells as points. */
INLINE void points_of_two(const uint16_t *cells, VecI32 halves, VecI32 *points)
{
  VecI32 values = flip(in_fours(load_i32(cells)));
  points[0] = unpacklo_16(halves, values);
  points[1] = unpackhi_16(halves, values);
}

/* Writes the known ones of LANES_32 cells as points, and up to LANES_32 words more; returns their
 * end. */
INLINE uint32_t *write_some(const uint16_t *cells, VecI32 unknown, uint32_t *to)
{
  VecI32 points = points_of(cells, unknown);
  unsigned bits = mask_bits(eq_i32(points, unknown)) ^ ((1u << LANES_32) - 1);
  compress_store_i32(to, points, bits);
  return to + __builtin_popcount(bits);
}

/* The points from cell `index` on if they were unknown. */
INLINE VecI32 unknown_from(int index)
{
  return LANE_NUMBERS + (index + INT32_MIN);
}

/* The same for all cells of a column; four vectors of them are stored as they are if all are known.
 */
INLINE uint32_t *write_known(const uint16_t *cells, int rows, uint32_t *to)
{
  VecI32 halves = index_halves(), step = set1_i32(2 * LANES_32 * 0x10001), points[4];
  uint16_t rest[LANES_32] = {0};
  int i = 0;
  for (; i + 4 * LANES_32 <= rows; i += 4 * LANES_32) {
    VecI32 next = add_i32(halves, step);
    if (all_known(cells + i)) {
      points_of_two(cells + i, halves, points);
      points_of_two(cells + i + 2 * LANES_32, next, points + 2);
      for (int j = 0; j < 4; j++)
        store_i32(to + j * LANES_32, points[j]);
      to += 4 * LANES_32;
    } else {
      for (int j = 0; j < 4 * LANES_32; j += LANES_32)
        to = write_some(cells + i + j, unknown_from(i + j), to);
    }
    halves = add_i32(next, step);
  }
  for (; i + LANES_32 <= rows; i += LANES_32)
    to = write_some(cells + i, unknown_from(i), to);
  if (i == rows)
    return to;
  memcpy(rest, cells + i, (size_t)(rows - i) * sizeof *rest);
  return write_some(rest, unknown_from(i), to);
}

/*
 * Writes the points of a column to *points (rows + LANES_32 + 2 words): its known cells and
 * its ends, and moves *points to the first of them. Two points at least; returns their number.
 */
static int write_points(const uint16_t *cells, int rows, uint32_t **points, int *known)
{
  uint32_t *first = *points + 1, *end = write_known(cells, rows, first);
  uint32_t index = (uint32_t)rows - 1;
  *known = (int)(end - first);
  if (cells[0] == STX_DISPARITY_UNKNOWN) {
    uint32_t disparity = *known > 0 ? *first & 0xFFFF0000 : 0x80000000;
    *--first = disparity;
  }
  if (cells[rows - 1] == STX_DISPARITY_UNKNOWN || rows == 1) {
    *end = (end[-1] & 0xFFFF0000) | index;
    end++;
  }
  *points = first;
  return (int)(end - first);
}
