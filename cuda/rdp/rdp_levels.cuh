/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp on the GPU, the fast way: the open segments of a level stand in two lists, and only their
 * cells are looked at. A long segment is looked at by a warp, a short one by four lanes, eight of
 * them at a time. Their halves go to the lists of the next level. One barrier per level.
 *
 * Nothing depends on the order in which segments get into a list: what is found of a segment
 * depends on its two ends only.
 */
#pragma once

#include "cuda/driver/threads.cuh"
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

/* The chord of a segment at cell i, times its length. It is stepped along; with what is added
 * beyond l it stays below 2^30 + 2^24. */
typedef struct {
  int f, l, length, rise, from; /* from: cells[f] · length */
} Chord;

STX_DEVICE Chord chord_of(const uint16_t *cells, uint32_t segment)
{
  Chord c;
  c.f = segment & 0xffff;
  c.l = segment >> 16;
  c.length = c.l - c.f;
  c.rise = cells[c.l] - cells[c.f];
  c.from = cells[c.f] * c.length;
  return c;
}

/* The largest x between f and l, and its smallest cell, for all lanes of a warp. Four cells at a
 * time: those beyond l are read and do not count, which is cheaper than a loop for the rest. */
STX_DEVICE Furthest furthest_of_long(const uint16_t *cells, const Chord *c)
{
  int part = threadIdx.x % LANES, chord = c->from + c->rise * (part + 1);
  int largest = 0, at = c->l;
#pragma unroll 1
  for (int first = c->f + 1 + part; first < c->l; first += CELLS_AT_ONCE * LANES)
#pragma unroll
    for (int k = 0; k < CELLS_AT_ONCE; k++, chord += c->rise * LANES) {
      int i = first + k * LANES, disparity = cells[i], x = abs(disparity * c->length - chord);
      if (i < c->l && disparity != STX_DISPARITY_UNKNOWN && x > largest) {
        largest = x;
        at = i;
      }
    }
  Furthest best = {(int)warp_max((uint32_t)largest), 0};
  best.at = (int)warp_min((uint32_t)(largest == best.largest ? at : c->l));
  return best;
}

/* The same of a short segment, for all lanes of its group. x is below 2^16 · 64 = 2^22, and cells
 * are counted from the end of 64, so that the larger x and then the smaller cell is the larger key:
 * 28 bits, of which one maximum is enough. */
STX_DEVICE Furthest furthest_of_short(const uint16_t *cells, const Chord *c)
{
  int part = threadIdx.x % SHORT_LANES, chord = c->from + c->rise * (part + 1), best = 0;
  int left = c->length - 1 - part; /* cells up to l */
  int place = SHORT_LENGTH - 1 - (CELLS_AT_ONCE - 1) * SHORT_LANES - part;
  const uint16_t *cell = cells + c->f + 1 + part;
#pragma unroll 1
  for (; left > 0; left -= CELLS_AT_ONCE * SHORT_LANES, place -= CELLS_AT_ONCE * SHORT_LANES,
       cell += CELLS_AT_ONCE * SHORT_LANES) {
    int most = 0;
#pragma unroll
    for (int k = 0; k < CELLS_AT_ONCE; k++, chord += c->rise * SHORT_LANES) {
      int disparity = cell[k * SHORT_LANES], x = abs(disparity * c->length - chord);
      int key = x * SHORT_LENGTH + (CELLS_AT_ONCE - 1 - k) * SHORT_LANES;
      if (k * SHORT_LANES < left && disparity != STX_DISPARITY_UNKNOWN && key > most)
        most = key;
    }
    best = max(best, most + place);
  }
#pragma unroll
  for (int step = SHORT_LANES / 2; step > 0; step /= 2)
    best = max(best, __shfl_xor_sync(STX_FULL_WARP, best, step));
  uint32_t key = (uint32_t)best;
  Furthest found = {(int)(key / SHORT_LENGTH), c->f + SHORT_LENGTH - (int)(key % SHORT_LENGTH)};
  return found;
}

/* ---- Lists --------------------------------------------------------------------------------- */

/* Short segments fill a list from its beginning, long ones from its end: every open segment has a
 * cell between its ends, so they never meet. */
typedef struct {
  uint32_t *shorts, *longs; /* of longs the last one */
  uint32_t *lengths;
} List;

/* Those of a level and of the next; and the lengths of a list that is to be emptied: the level
 * before was the last to read them, the next one is the first to add to them. */
typedef struct {
  List now, next;
  uint32_t *empty;
} Lists;

STX_DEVICE Lists first_lists(const Column *c)
{
  uint32_t room = c->rows / 2, (*open)[2] = c->shared->open;
  Lists lists = {{c->lists, c->lists + room - 1, open[0]},
      {c->lists + room, c->lists + 2 * room - 1, open[1]}, open[2]};
  return lists;
}

STX_DEVICE void take_next_lists(Lists *lists)
{
  List now = lists->now;
  lists->now = lists->next;
  lists->next.shorts = now.shorts;
  lists->next.longs = now.longs;
  lists->next.lengths = lists->empty;
  lists->empty = now.lengths;
}

/* A segment to be looked at in the list's level, or one without a cell to look at. */
STX_DEVICE void add_segment(const Column *c, const List *list, int f, int l)
{
  if (l - f < LEAST_LENGTH) {
    c->largest[f] = 0;
    return;
  }
  bool is_long = l - f > SHORT_LENGTH;
  int place = (int)atomicAdd(&list->lengths[is_long ? LONG : SHORT], 1u);
  uint32_t *at = is_long ? list->longs - place : list->shorts + place;
  *at = f | (uint32_t)l << 16;
}

/* Records the largest distance that a group of lanes found in a segment; 0 is none. Returns whether
 * it is split. */
STX_DEVICE bool settle(
    const Column *c, const List *next, uint32_t segment, const Furthest *found, int part)
{
  int f = segment & 0xffff, l = segment >> 16;
  bool split = found->largest > c->epsilon * (l - f);
  if (split && part < 2)
    add_segment(c, next, part == 0 ? f : found->at, part == 0 ? found->at : l);
  if (split && part == 2)
    keep(c, found->at);
  if (!split && part == 0 && segment != 0)
    c->largest[f] = found->largest;
  return split;
}

STX_DEVICE bool look_at_long(const Column *c, const List *next, uint32_t segment)
{
  Chord chord = chord_of(c->cells, segment);
  Furthest found = furthest_of_long(c->cells, &chord);
  return settle(c, next, segment, &found, threadIdx.x % LANES);
}

STX_DEVICE bool look_at_short(const Column *c, const List *next, uint32_t segment)
{
  Chord chord = chord_of(c->cells, segment);
  Furthest found = furthest_of_short(c->cells, &chord);
  return settle(c, next, segment, &found, threadIdx.x % SHORT_LANES);
}

/* All open segments of a level, the warps in turn; the first warp after the last long segment
 * takes the first short ones. */
STX_DEVICE bool look_at_level(const Column *c, const Lists *lists, int shorts, int longs)
{
  int warps = blockDim.x / LANES, warp = threadIdx.x / LANES;
  int group = threadIdx.x % LANES / SHORT_LANES;
  const List *now = &lists->now, *next = &lists->next;
  bool split = false;
  int i = warp;
  for (; i < longs; i += warps)
    split |= look_at_long(c, next, now->longs[-i]);
  for (i = (i - longs) * SHORT_SEGMENTS; i < shorts; i += warps * SHORT_SEGMENTS)
    split |= look_at_short(c, next, i + group < shorts ? now->shorts[i + group] : 0);
  return split;
}

/* Fills bits and largest; returns the number of levels. Ends with a barrier. */
STX_DEVICE int split_levels(const Column *c)
{
  int level = 0, levels = 1;
  Lists lists = first_lists(c);
  if (threadIdx.x == 0)
    add_segment(c, &lists.now, 0, c->rows - 1);
  __syncthreads();
  for (;;) {
    int shorts = (int)lists.now.lengths[SHORT], longs = (int)lists.now.lengths[LONG];
    if (shorts + longs == 0)
      return levels;
    if (threadIdx.x < 2)
      lists.empty[threadIdx.x] = 0;
    bool split = look_at_level(c, &lists, shorts, longs);
    level++;
    if (__syncthreads_or(split))
      levels = level + 1;
    take_next_lists(&lists);
  }
}
