/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Points into bins, a block at a time: first all arithmetic in vectors, then, one by one, what
 * scatters. Where a point went is kept: its bin as its label, its height and range beside.
 *
 * A bin's lowest and highest point are one vector of two doubles, of which there is a minimum: of
 * positive doubles, the order is that of their bits. So the height is in the middle of what the
 * high word of a positive double can be, and the highest has the least of the negative heights.
 */
#ifndef STX_GROUND_PLACE_INC_H
#define STX_GROUND_PLACE_INC_H

#include "common/ground/ground_scan.inc.h"
#include "common/ground/ground_simd.inc.h"

#ifdef _OPENMP
#define EACH_POINT _Pragma("omp simd")
#else
#define EACH_POINT _Pragma("GCC ivdep")
#endif

enum { AHEAD = 1024 }; /* floats: points on their way to the caches */

/* The points without a bin go to one behind the others. */
static inline __attribute__((always_inline)) void place_point(const Scan *s,
    const StxGroundFrame *frame, const StxGroundGrid *grid, size_t at, Extremes *extremes)
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

INLINE Floats level_row(const float *row, Planes p)
{
  return row[0] * p.x + row[1] * p.y + row[2] * p.z;
}

INLINE Floats turns_of(Floats x, Floats y)
{
  Floats a = gs_abs(x), b = gs_abs(y), none = gs_all(0);
  Floats t = gs_min(a, b) / gs_max(gs_max(a, b), gs_all(STX_GROUND_TINY)), s = t * t, ss = s * s;
  Floats p = gs_back(0.25f, a, b, STX_GROUND_ARC(t, s, ss));
  return gs_back(1.0f, y, none, gs_back(0.5f, x, none, p));
}

/* Not a number becomes `last`, as any other index may that nobody reads. */
INLINE Ints index_of(Floats value, float last)
{
  return gs_whole(gs_min(value, gs_all(last)));
}

INLINE Ints cells_of(const StxGroundGrid *grid, Floats x, Floats y)
{
  Floats row = (x + grid->r_max) * grid->cells_per_metre, none = gs_all(0);
  Floats column = (y + grid->r_max) * grid->cells_per_metre;
  Ints rows = index_of(gs_max(row, none), grid->last);
  return gs_add(
      gs_times(rows, gs_all_ints(grid->stride)), index_of(gs_max(column, none), grid->last));
}

INLINE Ints units_of(Floats metres)
{
  return gs_bits(metres * STX_GROUND_UNIT + STX_GROUND_WHOLE);
}

/* As place_point(), GSIMD of them. */
INLINE void place_points(const Scan *s, const StxGroundFrame *frame, const StxGroundGrid *grid,
    size_t at, Extremes *extremes)
{
  for (size_t k = 0; k < GSIMD / 4; k++)
    __builtin_prefetch(s->points + 4 * at + 16 * k + AHEAD);
  Planes p = gs_points(s->points + 4 * at, 4);
  const float *r = frame->rotation;
  Floats x = level_row(r, p), y = level_row(r + 3, p), z = level_row(r + 6, p);
  Floats range = gs_root(x * x + y * y);
  Ints bin = index_of((range - frame->r_min) * frame->bins_per_metre, frame->last_bin);
  Ints sector = index_of(turns_of(x, y) * frame->sectors, frame->last_sector);
  Ints index = gs_add(gs_times(sector, gs_all_ints(frame->bins)), bin);
  gs_store(s->labels + at, gs_inside(index, gs_all_ints((int)s->bins), range, gs_all(frame->r_min),
                               gs_all(frame->r_max), z, gs_all(STX_GROUND_FAR)));
  gs_store_floats(s->z + at, z);
  gs_store_floats(s->range + at, range);
  if (grid != NULL)
    gs_store(s->cell + at, cells_of(grid, x, y));
  const int whole = (int)STX_GROUND_WHOLE_BITS, middle = EXTREME_MIDDLE;
  Ints height = units_of(z), above = gs_less(height, gs_all_ints(whole - middle));
  Ints below = gs_less(gs_all_ints((int)(STX_GROUND_WHOLE_BITS + (uint32_t)middle)), height);
  gs_quads(extremes, gs_less(units_of(range), gs_all_ints(whole)), above, below, below);
}

static inline __attribute__((always_inline)) void place_block(
    const Scan *s, size_t first, int count, Extremes *extremes, bool clusters)
{
  const StxGroundFrame frame = s->frame;
  const StxGroundGrid cells = stx_ground_grid(s->params, s->clusters.words * 64);
  const StxGroundGrid *grid = clusters ? &cells : NULL;
  int i = 0;
  for (; i + GSIMD <= count; i += GSIMD)
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
  int i = 0;
  if (count == BLOCK)
    for (; i < BLOCK / 4; i++)
      for (int k = i; k < BLOCK; k += BLOCK / 4)
        take_extremes(&w->bin[bin[k]].extremes, &extremes[k]);
  else
    for (; i < count; i++)
      take_extremes(&w->bin[bin[i]].extremes, &extremes[i]);
}

/* The range of the nearest of the lowest points, the lowest and the highest height, as planes; of
 * bins without points any, but TOP_NONE. */
static inline void split_extremes(
    const Bin *bin, int count, int32_t *range, int32_t *z, int32_t *top)
{
  int i = 0;
  for (; i + GSIMD <= count; i += GSIMD) {
    Planes p = gs_points((const float *)(const void *)(bin + i), 4);
    Ints middle = gs_all_ints(EXTREME_MIDDLE);
    gs_store(range + i, gs_bits(p.x));
    gs_store(z + i, gs_less(gs_bits(p.y), middle));
    gs_store(top + i, gs_less(middle, gs_bits(p.z)));
  }
  for (; i < count; i++) {
    range[i] = (int32_t)(uint32_t)bin[i].extremes.low;
    z[i] = extreme_z(bin[i].extremes.low);
    top[i] = -extreme_z(bin[i].extremes.top);
  }
}

#endif
