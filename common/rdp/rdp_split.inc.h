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
 * those of at most 32 are worked off one per lane, longer ones one after another.
 */
#ifndef STX_RDP_SPLIT_INC_H
#define STX_RDP_SPLIT_INC_H

#include "common/rdp/rdp_simd.inc.h"

/* Segments of at most 2, 8, 16, 32 and 64 points, and of more. */
enum { NONE, UP_TO_8, UP_TO_16, UP_TO_32, UP_TO_64, LONG, QUEUES };

#define BLOCK 64 /* points; a set of them is a word */
#define VECTORS (BLOCK / LANES)
#define SEARCHES 8 /* long segments that take a step together */
#define SPARE 32   /* points that one per lane looks at, at most */

/* Segments still to be looked at: the first point, and the steps: points to the last one in the low
 * 16 bits, level in the high ones. */
typedef struct {
  uint32_t *first, *steps;
  uint32_t count;
} Queue;

typedef struct {
  int32_t epsilon;
  uint32_t *points;
  /* For a kept point, of the segment that begins there: steps, as above, where the level is that of
   * the deepest segment that was looked at here; and above them the largest x of its cells. In one
   * word, so that lanes have fewer stores. */
  uint64_t *marks;
  uint32_t spare;       /* the first of SPARE points that belong to no segment */
  Queue queues[QUEUES]; /* NONE swallows what needs no look */
} Splitter;

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

/* ---- Queues ------------------------------------------------------------------------------- */

INLINE uint32_t steps_of(int length, int level)
{
  return (uint32_t)length | (uint32_t)level << 16;
}

INLINE uint64_t mark_of(uint32_t steps, int32_t largest)
{
  return (uint64_t)(uint32_t)largest << 32 | steps;
}

INLINE int queue_of(int length)
{
  return (length >= 2) + (length >= 8) + (length >= 16) + (length >= 32) + (length >= 64);
}

INLINE void push(Splitter *s, uint32_t first, uint32_t steps, int length)
{
  int queue = queue_of(length);
  Queue *q = &s->queues[queue];
  uint32_t count = q->count;
  q->first[count] = first;
  q->steps[count] = steps;
  q->count = count + (queue != NONE);
}

/* Splits the segment at point first + at if its largest x is above the bound. */
INLINE void finish(
    Splitter *s, uint32_t first, uint32_t steps, int at, int32_t largest, int32_t bound)
{
  int length = (int)(steps & 0xFFFF), split = largest > bound, level = (int)(steps >> 16) + split;
  at = split ? at : 0;
  uint32_t middle = first + (uint32_t)at;
  uint32_t upper = steps_of(at, level), lower = steps_of(length - at, level);
  s->marks[first] = upper;
  s->marks[middle] = mark_of(lower, split ? 0 : largest);
  push(s, first, upper, at);
  push(s, middle, lower, split ? length - at : 0);
}

/* ---- One segment per lane ----------------------------------------------------------------- */

INLINE void append(Queue *q, Ints first, Ints steps, unsigned bits)
{
  ri_pack_two(q->first + q->count, first, q->steps + q->count, steps, bits);
  q->count += (uint32_t)__builtin_popcount(bits);
}

/* Appends the segments of these lengths to their queues, which are no later than the given one. */
INLINE void append_all(Splitter *s, int queue, Ints first, Ints steps, Ints length)
{
  unsigned longer = ri_above_bits(length, ri_set(1));
  for (int i = UP_TO_8; i < queue; i++) {
    unsigned longest = ri_above_bits(length, ri_set((4 << i) - 1));
    append(&s->queues[i], first, steps, longer ^ longest);
    longer = longest;
  }
  append(&s->queues[queue], first, steps, longer);
}

/* x and places of the furthest point of each lane. */
typedef struct {
  Ints largest, at, height;
} Furthest;

INLINE Furthest furthest_of_lanes(
    const uint32_t *points, const uint32_t *first, Ints length, int longest)
{
  Ints from = ri_gather(points, ri_load(first));
  Ints to = ri_gather(points, ri_add(ri_load(first), length));
  Ints fall = ri_sub(ri_high(from), ri_high(to)), half = ri_half(fall);
  Furthest f = {ri_set(0), ri_set(0), ri_sub(ri_low(to), ri_low(from))};
  Ints one = ri_join(half, f.height), two = ri_low(ri_sub(fall, half));
  Ints origin = ri_add(ri_dot(from, one), ri_dot(from, two));
  for (int block = 0; block < longest; block += 8) {
    Ints point[8];
    ri_columns(points + block, first, point);
    for (int i = block == 0 ? 1 : 0; i < 8 && block + i < longest; i++) {
      Ints now = ri_set(block + i);
      Ints v = ri_add(ri_dot(point[i], one), ri_dot(point[i], two));
      Ints x = ri_where_above(length, now, ri_abs(ri_sub(v, origin)), ri_set(0));
      f.at = ri_where_above(x, f.largest, now, f.at);
      f.largest = ri_max(f.largest, x);
    }
  }
  return f;
}

/* Splits the LANES segments at `index` of a queue. */
INLINE void split_lanes(Splitter *s, int queue, uint32_t index)
{
  Queue *q = &s->queues[queue];
  Ints first = ri_load(q->first + index), steps = ri_load(q->steps + index);
  Ints length = ri_low(steps), none = ri_set(0);
  Furthest f = furthest_of_lanes(s->points, q->first + index, length, (4 << queue) - 1);
  Ints bound = ri_times(f.height, ri_set(s->epsilon));
  Ints splits = ri_where_above(f.largest, bound, ri_set(1), none);
  Ints at = ri_where_above(f.largest, bound, f.at, none);
  Ints rest = ri_sub(length, at), level = ri_add(ri_high(steps), splits);
  Ints middle = ri_add(first, at), upper = ri_join(at, level), lower = ri_join(rest, level);
  uint32_t places[2][LANES], uppers[LANES];
  uint64_t lowers[LANES];
  ri_store(places[0], first);
  ri_store(places[1], middle);
  ri_store(uppers, upper);
  ri_store_pairs(lowers, lower, ri_where_above(f.largest, bound, none, f.largest));
  for (int l = 0; l < LANES; l++) {
    s->marks[places[0][l]] = uppers[l];
    s->marks[places[1][l]] = lowers[l];
  }
  append_all(s, queue, first, upper, at);
  append_all(s, queue, middle, lower, ri_where_above(splits, none, rest, none));
}

INLINE void split_queue(Splitter *s, int queue)
{
  Queue *q = &s->queues[queue];
  for (uint32_t i = 0; i < q->count; i += LANES) {
    ri_store(
        q->first + q->count, ri_set((int32_t)s->spare)); /* for lanes beyond the last segment */
    ri_store(q->steps + q->count, ri_set(0));
    if (q->count - i < LANES)
      q->count = i + LANES;
    split_lanes(s, queue, i);
  }
}

/* ---- Segments of a block ------------------------------------------------------------------ */

/* A segment of BLOCK / 2 + 1 points to BLOCK; the later vectors end with it, so that nothing is
 * masked. */
static void split_block(Splitter *s, uint32_t first, uint32_t steps)
{
  int length = (int)(steps & 0xFFFF), later = length + 1 - BLOCK;
  const uint32_t *points = s->points + first;
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
  int at = __builtin_ctzll(bits);
  finish(s, first, steps, at, ri_lane0(most), s->epsilon * chord.height);
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

INLINE void split_long(Splitter *s, uint32_t first, uint32_t steps, const Search *search)
{
  const uint32_t *points = s->points + first + search->block;
  const Chord *chord = &search->chord;
  Ints distance = ri_set(search->largest);
  uint64_t bits = chord->flat ? block_bits(points, chord, true, distance)
                              : block_bits(points, chord, false, distance);
  int at = search->block + __builtin_ctzll(bits);
  finish(s, first, steps, at, search->largest, s->epsilon * chord->height);
}

/* Each step is a chain of dependent instructions, longer than what the processor looks ahead: a
 * few segments take it one after another, so that their chains overlap. */
static void split_longs(Splitter *s)
{
  const Queue *q = &s->queues[LONG];
  Search searches[SEARCHES];
  for (uint32_t from = 0, count; from < q->count; from += count) {
    const uint32_t *first = q->first + from, *steps = q->steps + from;
    count = q->count - from < SEARCHES ? q->count - from : SEARCHES;
    for (uint32_t i = 0; i < count; i++)
      look_long(s, first[i], steps[i], &searches[i]);
    for (uint32_t i = 0; i < count; i++)
      find_block(&searches[i]);
    for (uint32_t i = 0; i < count; i++)
      split_long(s, first[i], steps[i], &searches[i]);
  }
}

/* ---- All of them -------------------------------------------------------------------------- */

#define EACH(queue, call)                                                                          \
  for (uint32_t i = 0; i < s->queues[queue].count; i++)                                            \
  call(s, s->queues[queue].first[i], s->queues[queue].steps[i])

static void split_all(Splitter *s)
{
  split_longs(s);
  EACH(UP_TO_64, split_block);
  split_queue(s, UP_TO_32);
  split_queue(s, UP_TO_16);
  split_queue(s, UP_TO_8);
}

#undef EACH

#endif
