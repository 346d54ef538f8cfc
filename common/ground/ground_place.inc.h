/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Points into bins, a block at a time: first all arithmetic in vectors, then, one by one, what
 * scatters. Where a point went is kept: its bin as its label, its height and range beside.
 *
 * A bin's lowest and highest point are one vector of two doubles, of which there is a minimum: of
 * positive doubles, the order is that of their bits. So the height is in the middle of what the
 * high word of a positive double can be, and the highest has the least of the negative heights.
 */
#pragma once

#include "common/ground/ground_scan.inc.h"
#include "common/simd/simd.h"

#ifdef _OPENMP
#define EACH_POINT _Pragma("omp simd")
#else
#define EACH_POINT _Pragma("GCC ivdep")
#endif

enum { AHEAD = 1024 }; /* floats: points on their way to the caches */

/* The points without a bin go to one behind the others. */
INLINE void place_point(const Scan *s, const StxGroundFrame *frame, const StxGroundGrid *grid,
    size_t at, Extremes *extremes)
{
  StxGroundPoint p = stx_ground_place(frame, s->points + 4 * at);
  uint32_t z = (uint32_t)stx_ground_units(p.z);
  s->labels[at] = p.bin < 0 ? (uint32_t)s->bins : (uint32_t)p.bin;
  s->z[at] = p.z;
  s->range[at] = p.range;
  if (grid != NULL)
    s->cell[at] = stx_ground_grid_cell(grid, p.x, p.y);
  extremes->low = extreme(z, (uint32_t)stx_ground_units(p.range));
  extremes->top = extreme(0u - z, 0u - z + EXTREME_MIDDLE);
}

/* Points of four floats, or a word of each. */
typedef struct {
  VecF32 x, y, z, w;
} Planes;

/* LANES_32 points, `stride` floats apart. */
INLINE Planes planes_of(const float *points, size_t stride)
{
  VecI32 v[4];
  load4_i32(points, stride * sizeof *points, v);
  return (Planes){(VecF32)v[0], (VecF32)v[1], (VecF32)v[2], (VecF32)v[3]};
}

/* Loads likewise the planes of points at[0] … */
INLINE Planes planes_at(const void *fours, const uint32_t *at)
{
  VecI32 v[4];
  gather4_i32(fours, at, 16, v);
  return (Planes){(VecF32)v[0], (VecF32)v[1], (VecF32)v[2], (VecF32)v[3]};
}

/* The index where least <= range < most and |z| < far, else `none`. */
INLINE VecI32 index_within(
    VecI32 index, VecI32 none, VecF32 range, VecF32 least, VecF32 most, VecF32 z, VecF32 far)
{
  Mask32 in = ge_f32(range, least) & lt_f32(range, most) & lt_f32(abs_f32(z), far);
  return blend_i32(in, index, none);
}

INLINE VecF32 level_row(const float *row, Planes p)
{
  return row[0] * p.x + row[1] * p.y + row[2] * p.z;
}

INLINE VecF32 turns_of(VecF32 x, VecF32 y)
{
  VecF32 a = abs_f32(x), b = abs_f32(y), none = set1_f32(0);
  VecF32 t = min_f32(a, b) / max_f32(max_f32(a, b), set1_f32(STX_GROUND_TINY));
  VecF32 s = t * t, ss = s * s;
  VecF32 p = reflect_f32(lt_f32(a, b), 0.25f, STX_GROUND_ARC(t, s, ss));
  return reflect_f32(lt_f32(y, none), 1.0f, reflect_f32(lt_f32(x, none), 0.5f, p));
}

/* Not a number becomes `last`, as may any other index that is not read. */
INLINE VecI32 index_of(VecF32 value, float last)
{
  return cvtt_f32(min_f32(value, set1_f32(last)));
}

INLINE VecI32 cells_of(const StxGroundGrid *grid, VecF32 x, VecF32 y)
{
  VecF32 row = (x + grid->r_max) * grid->cells_per_metre, none = set1_f32(0);
  VecF32 column = (y + grid->r_max) * grid->cells_per_metre;
  VecI32 rows = index_of(max_f32(row, none), grid->last);
  return add_i32(
      mul_u15(rows, set1_i32(grid->stride)), index_of(max_f32(column, none), grid->last));
}

INLINE VecI32 units_of(VecF32 metres)
{
  return (VecI32)(metres * STX_GROUND_UNIT + STX_GROUND_WHOLE);
}

/* Stores the extremes of LANES_32 points, in the order that number_of() has. */
INLINE void store_extremes(Extremes *to, VecI32 range, VecI32 z, VecI32 below)
{
  VecI32 low = unpacklo_32(range, z), high = unpackhi_32(range, z);
  VecI32 low_top = unpacklo_32(below, below), high_top = unpackhi_32(below, below);
  store_i32(to, unpacklo_64(low, low_top));
  store_i32(to + LANES_32 / 4, unpackhi_64(low, low_top));
  store_i32(to + LANES_32 / 2, unpacklo_64(high, high_top));
  store_i32(to + LANES_32 / 4 * 3, unpackhi_64(high, high_top));
}

/* The point whose extremes stand at a place in a block. */
INLINE int number_of(int place)
{
  int within = place % LANES_32;
  return place - within + within % (LANES_32 / 4) * 4 + within / (LANES_32 / 4);
}

/* Places LANES_32 points, each as place_point() does. */
INLINE void place_points(const Scan *s, const StxGroundFrame *frame, const StxGroundGrid *grid,
    size_t at, Extremes *extremes)
{
  for (size_t k = 0; k < LANES_32 / 4; k++)
    __builtin_prefetch(s->points + 4 * at + 16 * k + AHEAD);
  Planes p = planes_of(s->points + 4 * at, 4);
  const float *r = frame->rotation;
  VecF32 x = level_row(r, p), y = level_row(r + 3, p), z = level_row(r + 6, p);
  VecF32 range = sqrt_f32(x * x + y * y);
  VecI32 bin = index_of((range - frame->r_min) * frame->bins_per_metre, frame->last_bin);
  VecI32 sector = index_of(turns_of(x, y) * frame->sectors, frame->last_sector);
  VecI32 index = add_i32(mul_u15(sector, set1_i32(frame->bins)), bin);
  store_i32(
      s->labels + at, index_within(index, set1_i32((int)s->bins), range, set1_f32(frame->r_min),
                          set1_f32(frame->r_max), z, set1_f32(STX_GROUND_FAR)));
  store_f32(s->z + at, z);
  store_f32(s->range + at, range);
  if (grid != NULL)
    store_i32(s->cell + at, cells_of(grid, x, y));
  const int whole = (int)STX_GROUND_WHOLE_BITS, middle = EXTREME_MIDDLE;
  VecI32 height = units_of(z), above = sub_i32(height, set1_i32(whole - middle));
  VecI32 below = sub_i32(set1_i32((int)(STX_GROUND_WHOLE_BITS + (uint32_t)middle)), height);
  VecI32 far = sub_i32(units_of(range), set1_i32(whole));
  store_extremes(extremes, far, above, below);
}

INLINE void place_block(const Scan *s, size_t first, int count, Extremes *extremes, bool clusters)
{
  const StxGroundFrame frame = s->frame;
  const StxGroundGrid cells = stx_ground_grid(s->params, s->clusters.words * 64);
  const StxGroundGrid *grid = clusters ? &cells : NULL;
  int i = 0;
  for (; i + LANES_32 <= count; i += LANES_32)
    place_points(s, &frame, grid, first + (size_t)i, extremes + i);
  for (; i < count; i++)
    place_point(s, &frame, grid, first + (size_t)i, extremes + i);
}

/* Neighbours in a scan often share a bin, and a minimum has to wait for the one before: so four
 * quarters of the block take turns. */
static inline void take_block(
    const Scan *s, Worker *w, size_t first, int count, const Extremes *extremes)
{
  const uint32_t *bin = s->labels + first;
  int i = 0, vectors = count / LANES_32 * LANES_32;
  if (count == BLOCK)
    for (; i < BLOCK / 4; i++)
      for (int k = 0; k < BLOCK; k += BLOCK / 4)
        take_extremes(&w->bin[bin[number_of(i) + k]].extremes, &extremes[i + k]);
  for (i *= 4; i < count; i++)
    take_extremes(&w->bin[bin[i < vectors ? number_of(i) : i]].extremes, &extremes[i]);
}

/* The range of the nearest of the lowest points, the lowest and the highest height, as planes; of
 * bins without points any, but TOP_NONE. */
static inline void split_extremes(
    const Bin *bin, int count, int32_t *range, int32_t *z, int32_t *top)
{
  for (int i = 0; i < count; i += LANES_32) {
    Planes p = planes_of((const float *)(const void *)(bin + i), 4);
    VecI32 middle = set1_i32(EXTREME_MIDDLE);
    store_i32(range + i, (VecI32)p.x);
    store_i32(z + i, sub_i32((VecI32)p.y, middle));
    store_i32(top + i, sub_i32(middle, (VecI32)p.z));
  }
}

/* ---- The lowest points of the cells that the plane of the road is sought in: likewise ------ */

/* Cell and key of each point of a block. */
typedef struct {
  int32_t cell[BLOCK];
  uint64_t key[BLOCK];
} Lows;

/* The cell of points without one: several, because such points follow one another, and an update
 * would wait for the one before. */
static inline int no_cell(int i)
{
  return STX_GROUND_CELLS + i / (BLOCK / 4) * LANES_32 + i % LANES_32;
}

static inline void find_cell(const float *points, size_t index, Lows *lows, int i)
{
  const float *point = points + 4 * index;
  int cell = stx_ground_cell(point);
  lows->cell[i] = cell < 0 ? no_cell(i) : cell;
  lows->key[i] = extreme((uint32_t)stx_ground_units(point[2]), (uint32_t)index);
}

INLINE VecI32 cell_along(VecF32 metres)
{
  return index_of(metres + (float)STX_GROUND_REACH, (float)(STX_GROUND_SIDE - 1));
}

INLINE void find_cells(const float *points, size_t index, size_t stride, Lows *lows, int i)
{
  const float nearest = STX_GROUND_NEAREST, reach = (float)STX_GROUND_REACH;
  for (size_t k = 0; k < LANES_32; k++)
    __builtin_prefetch(points + 4 * (index + stride * k) + AHEAD);
  Planes p = planes_of(points + 4 * index, 4 * stride);
  VecI32 cell = add_i32(mul_u15(cell_along(p.x), set1_i32(STX_GROUND_SIDE)), cell_along(p.y));
  store_i32(lows->cell + i,
      index_within(cell, add_i32(set1_i32(no_cell(i)), LANE_NUMBERS), p.x * p.x + p.y * p.y,
          set1_f32(nearest * nearest), set1_f32(reach * reach), p.z, set1_f32(STX_GROUND_FAR)));
  VecU32 numbers = (uint32_t)index + (VecU32)LANE_NUMBERS * (uint32_t)stride;
  store2_i32(lows->key + i, (VecI32)numbers,
      sub_i32(units_of(p.z), set1_i32((int)STX_GROUND_WHOLE_BITS - EXTREME_MIDDLE)));
}

/* `count` points from the one with that index on, one every `stride`. */
static inline void find_lows(
    const float *points, size_t index, size_t stride, int count, Lows *lows)
{
  int i = 0;
  for (; i + LANES_32 <= count; i += LANES_32)
    find_cells(points, index + (size_t)i * stride, stride, lows, i);
  for (; i < count; i++)
    find_cell(points, index + (size_t)i * stride, lows, i);
}

static inline void take_low(uint64_t *lowest, uint64_t key)
{
#ifdef __SSE2__
  __m128d least = _mm_load_sd((const double *)(const void *)lowest);
  _mm_store_sd((double *)(void *)lowest,
      _mm_min_sd(least, _mm_castsi128_pd(_mm_cvtsi64_si128((int64_t)key))));
#else
  *lowest = key < *lowest ? key : *lowest;
#endif
}

static inline void take_lows(uint64_t *lowest, const Lows *lows, int count)
{
  int i = 0;
  if (count == BLOCK)
    for (; i < BLOCK / 4; i++)
      for (int k = i; k < BLOCK; k += BLOCK / 4)
        take_low(&lowest[lows->cell[k]], lows->key[k]);
  else
    for (; i < count; i++)
      take_low(&lowest[lows->cell[i]], lows->key[i]);
}
