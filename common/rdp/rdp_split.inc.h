/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How rdp_omp.c splits: the points of a few columns lie one after another, and all their segments
 * are worked off from queues, the longest first, without recursion.
 *
 * A point is a known cell, or an end of its column: index in the low 16 bits, disparity − 32768 in
 * the high ones. With v_i = (l − f)·d_i − rise·i, one dot product of two, is x_i = |v_i − v_f|.
 * Unknown cells are not among the points: they cost nothing and cannot be split at.
 *
 * Short segments have queues of their own, worked off without a branch that depends on data; what
 * is pushed is never longer than what it comes from. Noise consists of segments of a few points:
 * those of at most 32 are worked off one per lane, of them those of at most four to the end, longer
 * ones one after another.
 */
#ifndef STX_RDP_SPLIT_INC_H
#define STX_RDP_SPLIT_INC_H

#include "common/rdp/rdp_lanes.inc.h"

#define BLOCK 64 /* points; a set of them is a word */
#define VECTORS (BLOCK / LANES)
#define TOGETHER (LANES < 8 ? 8 : LANES) /* longer segments that take a step together */
#define LINES 3                          /* that are asked for with each long segment */

/* ---- Chords ------------------------------------------------------------------------------- */

typedef struct {
  int32_t height;     /* l − f, in cells */
  Ints first, second; /* v = point · first + point · second; the rise may exceed 16 bits */
  Ints origin;        /* v_f */
  bool flat;          /* second is not needed: first has all of the rise */
} Chord;

INLINE Chord chord_of(int32_t from, int32_t to, bool halves)
{
  int32_t height = (to & 0xFFFF) - (from & 0xFFFF), fall = (from >> 16) - (to >> 16);
  bool flat = !halves && fall == (int16_t)fall;
  int32_t half = flat ? fall : fall >> 1;
  Chord chord = {height, ri_set((int32_t)((uint32_t)height << 16 | (uint16_t)half)),
      ri_set((uint16_t)(fall - half)), ri_set(height * (from >> 16) + fall * (from & 0xFFFF)),
      flat};
  return chord;
}

INLINE Ints distances(const uint32_t *points, const Chord *chord)
{
  Ints p = ri_load(points);
  Ints v = ri_add(ri_dot(p, chord->first), ri_dot(p, chord->second));
  return ri_abs(ri_sub(v, chord->origin));
}

/* ---- One segment after another ------------------------------------------------------------ */

/* Segments of a queue that are split together: of each its first point and steps, and place and x
 * of its furthest point. Where there are fewer, they have no points. */
typedef struct {
  uint32_t first[TOGETHER], steps[TOGETHER];
  int32_t at[TOGETHER], largest[TOGETHER], height[TOGETHER];
  uint32_t count;
} Group;

INLINE Group take_group(const Splitter *s, const Queue *q, uint32_t from)
{
  Group g = {.count = q->count - from < TOGETHER ? q->count - from : TOGETHER};
  for (int i = 0; i < TOGETHER; i += LANES)
    ri_store(g.first + i, ri_set((int32_t)s->spare));
  memcpy(g.first, q->first + from, g.count * sizeof *g.first);
  memcpy(g.steps, q->steps + from, g.count * sizeof *g.steps);
  return g;
}

INLINE void split_group(Splitter *s, int queue, const Group *g)
{
  for (uint32_t i = 0; i < g->count; i += LANES)
    finish_lanes(s, queue, g->first + i, ri_load(g->steps + i), ri_load(g->height + i),
        ri_load(g->largest + i), ri_load(g->at + i));
}

/* Looks at a segment of BLOCK / 2 + 1 points to BLOCK; the later vectors end with it, so that
 * nothing is masked. */
INLINE void look_block(const Splitter *s, Group *g, uint32_t lane)
{
  int length = (int)(g->steps[lane] & 0xFFFF), later = length + 1 - BLOCK;
  const uint32_t *points = s->points + g->first[lane];
  Chord chord = chord_of((int32_t)points[0], (int32_t)points[length], true);
  Ints x[VECTORS], most = ri_set(0);
  uint64_t bits = 0;
  for (int i = 0; i < VECTORS; i++) {
    x[i] = distances(points + i * LANES + (i < VECTORS / 2 ? 0 : later), &chord);
    most = ri_max(most, x[i]);
  }
  most = ri_largest(most);
  for (int i = 0; i < VECTORS; i++)
    bits |= (uint64_t)ri_equal_bits(x[i], most) << (i * LANES + (i < VECTORS / 2 ? 0 : later));
  g->at[lane] = __builtin_ctzll(bits);
  g->largest[lane] = ri_lane0(most);
  g->height[lane] = chord.height;
}

static void split_blocks(Splitter *s)
{
  const Queue *q = &s->queues[UP_TO_64];
  for (uint32_t from = 0; from < q->count;) {
    Group g = take_group(s, q, from);
    for (uint32_t i = 0; i < g.count; i++)
      look_block(s, &g, i);
    from += g.count;
    split_group(s, UP_TO_64, &g);
  }
}

/* ---- Long segments ------------------------------------------------------------------------ */

/* The largest x of every lane of a block. */
INLINE Ints block_largest(const uint32_t *points, const Chord *chord, bool flat)
{
  Ints high = ri_set(0), low = high;
  for (int i = 0; i < VECTORS; i++) {
    Ints p = ri_load(points + i * LANES), v = ri_dot(p, chord->first);
    if (!flat)
      v = ri_add(v, ri_dot(p, chord->second));
    high = i == 0 ? v : ri_max(high, v);
    low = i == 0 ? v : ri_min(low, v);
  }
  return ri_max(ri_sub(high, chord->origin), ri_sub(chord->origin, low));
}

/* Which points of a block are at that distance. */
INLINE uint64_t block_bits(const uint32_t *points, const Chord *chord, bool flat, Ints distance)
{
  uint64_t bits = 0;
  for (int i = 0; i < VECTORS; i++) {
    Ints p = ri_load(points + i * LANES), v = ri_dot(p, chord->first);
    if (!flat)
      v = ri_add(v, ri_dot(p, chord->second));
    Ints x = ri_abs(ri_sub(v, chord->origin));
    bits |= (uint64_t)ri_equal_bits(x, distance) << (i * LANES);
  }
  return bits;
}

/* What a segment's points are searched for. */
typedef struct {
  Chord chord;
  Ints most, where;       /* of each lane the largest x, and the first block that has it */
  int32_t largest, block; /* of all lanes */
} Search;

INLINE void look(const uint32_t *points, int length, bool flat, Search *search)
{
  int last = length + 1 - BLOCK, from = 0;
  Chord chord = search->chord;
  Ints most = ri_set(-1), where = ri_set(0), now = where, step = ri_set(BLOCK);
  do {
    Ints x = block_largest(points + from, &chord, flat);
    where = ri_where_above(x, most, now, where);
    most = ri_max(most, x);
    now = ri_add(now, step);
    from += BLOCK;
  } while (from < last);
  Ints x = block_largest(points + last, &chord, flat);
  search->where = ri_where_above(x, most, ri_set(last), where);
  search->most = ri_max(most, x);
}

INLINE void look_long(const Splitter *s, uint32_t first, uint32_t steps, Search *search)
{
  int length = (int)(steps & 0xFFFF);
  const uint32_t *points = s->points + first;
  search->chord = chord_of((int32_t)points[0], (int32_t)points[length], false);
  if (search->chord.flat)
    look(points, length, true, search);
  else
    look(points, length, false, search);
}

INLINE void find_block(Search *search)
{
  Ints all = ri_largest(search->most);
  Ints blocks = ri_where_above(all, search->most, ri_set(INT32_MAX), search->where);
  search->largest = ri_lane0(all);
  search->block = ri_lane0(ri_smallest(blocks));
}

/* Where in its segment the furthest point is. */
INLINE int place_of(const Splitter *s, uint32_t first, const Search *search)
{
  const uint32_t *points = s->points + first + search->block;
  const Chord *chord = &search->chord;
  Ints distance = ri_set(search->largest);
  uint64_t bits = chord->flat ? block_bits(points, chord, true, distance)
                              : block_bits(points, chord, false, distance);
  return search->block + __builtin_ctzll(bits);
}

/* Memory that is asked for at once is waited for as if it were read: so a little at a time. */
INLINE void ask_for_some(Soon *soon)
{
  if (soon->lines <= 0)
    return;
  for (int i = 0; i < LINES; i++) {
    __builtin_prefetch(soon->first + i * STX_ALIGN, 0, 2);
    __builtin_prefetch(soon->second + i * STX_ALIGN, 0, 2);
  }
  soon->first += LINES * STX_ALIGN;
  soon->second += LINES * STX_ALIGN;
  soon->lines -= LINES;
}

/* Each step is a chain of dependent instructions, longer than what the processor looks ahead: a
 * few segments take it one after another, so that their chains overlap. */
static void split_longs(Splitter *s)
{
  const Queue *q = &s->queues[LONG];
  Search searches[TOGETHER];
  for (uint32_t from = 0; from < q->count;) {
    Group g = take_group(s, q, from);
    for (uint32_t i = 0; i < g.count; i++) {
      look_long(s, g.first[i], g.steps[i], &searches[i]);
      ask_for_some(&s->soon);
    }
    for (uint32_t i = 0; i < g.count; i++)
      find_block(&searches[i]);
    for (uint32_t i = 0; i < g.count; i++) {
      g.at[i] = place_of(s, g.first[i], &searches[i]);
      g.largest[i] = searches[i].largest;
      g.height[i] = searches[i].chord.height;
    }
    from += g.count;
    split_group(s, LONG, &g);
  }
}

/* ---- All of them -------------------------------------------------------------------------- */

static void split_all(Splitter *s)
{
  split_longs(s);
  split_blocks(s);
  split_queue(s, UP_TO_32);
  split_queue(s, UP_TO_16);
  split_queue(s, UP_TO_8);
  split_queue(s, UP_TO_4);
}

#endif
