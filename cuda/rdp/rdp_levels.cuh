/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp on the GPU, the fast way: the open segments of a level stand in two lists, and only their
 * cells are looked at. A long segment is looked at by a warp, a short one by four lanes, eight of
 * them at a time. Their halves go to the lists of the next level. One barrier per level.
 *
 * Nothing depends on the order in which segments get into a list: what is found of a segment
 * depends on its two ends only.
 */
#ifndef STX_RDP_LEVELS_CUH
#define STX_RDP_LEVELS_CUH

#include "cuda/rdp/rdp_column.cuh"

enum {
  CELLS_AT_ONCE = 4,
  SHORT_LENGTH = 64, /* at most, of what four lanes look at */
  SHORT_LANES = 4,
  SHORT_SEGMENTS = LANES / SHORT_LANES, /* that a warp looks at together */
  LEAST_LENGTH = 2,                     /* of a segment with a cell between its ends */
  SHORT = 0,
  LONG = 1, /* lists */
};

typedef struct {
  int largest, at;
} Furthest;

/* The largest x between f and l, and its smallest cell, for all lanes of a group. The chord is
 * stepped along, times its length; with what is added beyond l it stays below 2^30 + 2^24. Four
 * cells at a time: what lies beyond l counts as unknown, which is cheaper than a loop for the
 * rest. */
template <int lanes> STX_DEVICE Furthest furthest(const uint16_t *cells, int f, int l)
{
  int part = threadIdx.x % lanes, length = l - f, rise = cells[l] - cells[f];
  int chord = cells[f] * length + rise * (part + 1);
  Furthest best = {0, l};
#pragma unroll 1
  for (int first = f + 1 + part; first < l; first += CELLS_AT_ONCE * lanes)
#pragma unroll
    for (int k = 0; k < CELLS_AT_ONCE; k++, chord += rise * lanes) {
      int i = first + k * lanes, disparity = i < l ? cells[i] : STX_DISPARITY_UNKNOWN;
      int x = abs(disparity * length - chord);
      if (disparity != STX_DISPARITY_UNKNOWN && x > best.largest) {
        best.largest = x;
        best.at = i;
      }
    }
  int mine = best.largest;
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2)
    best.largest = max(best.largest, __shfl_xor_sync(STX_FULL_WARP, best.largest, step));
  if (mine != best.largest)
    best.at = l;
#pragma unroll
  for (int step = lanes / 2; step > 0; step /= 2)
    best.at = min(best.at, __shfl_xor_sync(STX_FULL_WARP, best.at, step));
  return best;
}

/* Short segments fill a list from its beginning, long ones from its end: every open segment has a
 * cell between its ends, so they never meet. */
STX_DEVICE uint32_t *list_of(const Column *c, int level, int list, uint32_t place)
{
  uint32_t room = c->rows / 2;
  return c->lists + room * (level % 2) + (list == SHORT ? place : room - 1 - place);
}

/* A segment to be looked at in this level, or one without a cell to look at. */
STX_DEVICE void add_segment(const Column *c, int level, int f, int l)
{
  if (l - f < LEAST_LENGTH) {
    c->largest[f] = 0;
    return;
  }
  int list = l - f > SHORT_LENGTH ? LONG : SHORT;
  uint32_t place = atomicAdd(&c->shared->open[level % 3][list], 1u);
  *list_of(c, level, list, place) = f | (uint32_t)l << 16;
}

/* A group of lanes looks at a segment of the level; 0 is none. Returns whether it is split. */
template <int lanes> STX_DEVICE bool look_at(const Column *c, int level, uint32_t segment)
{
  int part = threadIdx.x % lanes, f = segment & 0xffff, l = segment >> 16;
  Furthest found = furthest<lanes>(c->cells, f, l);
  bool split = found.largest > c->epsilon * (l - f);
  if (split && part < 2)
    add_segment(c, level + 1, part == 0 ? f : found.at, part == 0 ? found.at : l);
  if (split && part == 2)
    keep(c, found.at);
  if (!split && part == 0 && segment != 0)
    c->largest[f] = found.largest;
  return split;
}

/* All open segments of a level, the warps in turn; the first warp after the last long segment
 * takes the first short ones. */
STX_DEVICE bool look_at_level(const Column *c, int level)
{
  int warps = blockDim.x / LANES, warp = threadIdx.x / LANES;
  int group = threadIdx.x % LANES / SHORT_LANES;
  int shorts = c->shared->open[level % 3][SHORT], longs = c->shared->open[level % 3][LONG];
  bool split = false;
  int i = warp;
  for (; i < longs; i += warps)
    split |= look_at<LANES>(c, level, *list_of(c, level, LONG, i));
  for (i = (i - longs) * SHORT_SEGMENTS; i < shorts; i += warps * SHORT_SEGMENTS) {
    uint32_t segment = i + group < shorts ? *list_of(c, level, SHORT, i + group) : 0;
    split |= look_at<SHORT_LANES>(c, level, segment);
  }
  return split;
}

/* Fills bits and largest; returns the number of levels. Ends with a barrier. The lengths of the
 * lists are those of this level, of the next, and one to be emptied: the level before was the last
 * to read it, the next one is the first to add to it. */
STX_DEVICE int split_levels(const Column *c)
{
  int level = 0, levels = 1;
  if (threadIdx.x == 0)
    add_segment(c, level, 0, c->rows - 1);
  __syncthreads();
  while (c->shared->open[level % 3][SHORT] + c->shared->open[level % 3][LONG] > 0) {
    if (threadIdx.x < 2)
      c->shared->open[(level + 2) % 3][threadIdx.x] = 0;
    bool split = look_at_level(c, level++);
    if (__syncthreads_or(split))
      levels = level + 1;
  }
  return levels;
}

#endif
