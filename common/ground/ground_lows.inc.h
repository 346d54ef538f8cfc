/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lowest points of the cells that the plane of the road is sought in, a block at a time: as in
 * ground_place.inc.h, and the keys are of the same kind.
 */
#ifndef STX_GROUND_LOWS_INC_H
#define STX_GROUND_LOWS_INC_H

#include "common/ground/ground_place.inc.h"

/* Where the points of a block go: cell and key. */
typedef struct {
  int32_t cell[BLOCK];
  uint64_t key[BLOCK];
} Lows;

static inline void find_cell(const float *points, size_t index, Lows *lows, int i)
{
  const float *point = points + 4 * index;
  int cell = stx_ground_cell(point);
  lows->cell[i] = cell < 0 ? STX_GROUND_CELLS : cell;
  lows->key[i] = extreme((uint32_t)stx_ground_units(point[2]), (uint32_t)index);
}

INLINE Ints cell_along(Floats metres)
{
  return index_of(metres + (float)STX_GROUND_REACH, (float)(STX_GROUND_SIDE - 1));
}

INLINE void find_cells(const float *points, size_t index, size_t stride, Lows *lows, int i)
{
  const float nearest = STX_GROUND_NEAREST, reach = (float)STX_GROUND_REACH;
  for (size_t k = 0; k < GSIMD; k++)
    __builtin_prefetch(points + 4 * (index + stride * k) + AHEAD);
  Planes p = gs_points(points + 4 * index, 4 * stride);
  Ints cell = gs_add(gs_times(cell_along(p.x), gs_all_ints(STX_GROUND_SIDE)), cell_along(p.y));
  gs_store(lows->cell + i,
      gs_inside(cell, gs_all_ints(STX_GROUND_CELLS), p.x * p.x + p.y * p.y,
          gs_all(nearest * nearest), gs_all(reach * reach), p.z, gs_all(STX_GROUND_FAR)));
  gs_keys(lows->key + i, gs_add(gs_all_ints((int)index), gs_ramp((int)stride)),
      gs_less(units_of(p.z), gs_all_ints((int)STX_GROUND_WHOLE_BITS - EXTREME_MIDDLE)));
}

/* `count` points from the one with that index on, one every `stride`. */
static inline void find_lows(
    const float *points, size_t index, size_t stride, int count, Lows *lows)
{
  int i = 0;
  for (; i + GSIMD <= count; i += GSIMD)
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

#endif
