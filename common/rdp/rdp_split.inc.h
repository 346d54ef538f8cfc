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

#include "common/rdp/rdp_simd.inc.h"

/* Segments of at most 2, 4, 8, 16, 32 and 64 points, and of more. */
enum { NONE, UP_TO_4, UP_TO_8, UP_TO_16, UP_TO_32, UP_TO_64, LONG, QUEUES };

#define BLOCK 64 /* points; a set of them is a word */
#define VECTORS (BLOCK / LANES)
#define SEARCHES 8 /* long segments that take a step together */
#define SPARE 32   /* points that one per lane looks at, at most */
#define LINES 3    /* that are asked for with each long segment */

/* Segments still to be looked at: the first point, and the steps: points to the last one in the low
 * 16 bits, level in the high ones. */
typedef struct {
  uint32_t *first, *steps;
  uint32_t count;
} Queue;

/* Two blocks of memory of one size that are read soon, in lines of STX_ALIGN bytes. */
typedef struct {
  const char *first, *second;
  int lines;
} Soon;

typedef struct {
  int32_t epsilon;
  Soon soon;
  uint32_t *points;
  /* By point. The level of a kept one is that of a segment that was looked at and begins or ends
   * here, of others 0. The largest x belongs to the segment from here to the next kept point, if
   * there is one between them; else it is undefined. */
  uint16_t *levels;
  int32_t *largest;
  uint32_t size;        /* points, */
  uint32_t spare;       /*   the first of SPARE points that belong to no segment */
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

/* The limits are powers of two. */
INLINE int queue_of(int length)
{
  int queue = 31 ^ __builtin_clz((unsigned)length | 1);
  return queue < LONG ? queue : LONG;
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
  s->levels[middle] = (uint16_t)level;
  s->largest[first] = largest;
  push(s, first, steps_of(at, level), at);
  push(s, middle, steps_of(length - at, level), split ? length - at : 0);
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
  for (int i = UP_TO_4; i < queue; i++) {
    unsigned longest = ri_above_bits(length, ri_set((2 << i) - 1));
    append(&s->queues[i], first, steps, longer ^ longest);
    longer = longest;
  }
  append(&s->queues[queue], first, steps, longer);
}

/* The chord of every lane, as above. */
typedef struct {
  Ints height, first, second, origin;
} Chords;

INLINE Chords chords_of(Ints from, Ints to)
{
  Ints fall = ri_sub(ri_high(from), ri_high(to)), half = ri_half(fall);
  Ints height = ri_sub(ri_low(to), ri_low(from));
  Chords c = {height, ri_join(half, height), ri_low(ri_sub(fall, half)), ri_set(0)};
  c.origin = ri_add(ri_dot(from, c.first), ri_dot(from, c.second));
  return c;
}

INLINE Ints distances_of(Ints point, const Chords *c)
{
  return ri_abs(ri_sub(ri_add(ri_dot(point, c->first), ri_dot(point, c->second)), c->origin));
}

INLINE Ints bounds_of(const Splitter *s, const Chords *c)
{
  return ri_times(c->height, ri_set(s->epsilon));
}

/* Keeps a point in each lane, or what is kept already once more. */
INLINE void keep(Splitter *s, Ints at, Ints level)
{
  uint32_t places[LANES], levels[LANES];
  ri_store(places, at);
  ri_store(levels, level);
  for (int l = 0; l < LANES; l++)
    s->levels[places[l]] = (uint16_t)levels[l];
}

INLINE void note_largest(Splitter *s, const uint32_t *first, Ints largest)
{
  int32_t values[LANES];
  ri_store(values, largest);
  for (int l = 0; l < LANES; l++)
    s->largest[first[l]] = values[l];
}

/* Splits the LANES segments of at most `longest` + 1 points at `index` of a queue. */
INLINE void split_lanes(Splitter *s, int queue, uint32_t index)
{
  const Queue *q = &s->queues[queue];
  const uint32_t *firsts = q->first + index;
  Ints first = ri_load(firsts), steps = ri_load(q->steps + index), length = ri_low(steps);
  Ints none = ri_set(0), largest = none, furthest = none, point[8];
  int longest = (2 << queue) - 1;
  ri_columns(s->points, firsts, point);
  Chords chords = chords_of(point[0], ri_gather(s->points, ri_add(first, length)));
  for (int block = 0; block < longest; block += 8) {
    if (block > 0)
      ri_columns(s->points + block, firsts, point);
    for (int i = block == 0 ? 1 : 0; i < 8 && block + i < longest; i++) {
      Ints now = ri_set(block + i);
      Ints x = ri_where_above(length, now, distances_of(point[i], &chords), none);
      furthest = ri_where_above(x, largest, now, furthest);
      largest = ri_max(largest, x);
    }
  }
  Ints bound = bounds_of(s, &chords), splits = ri_where_above(largest, bound, ri_set(1), none);
  Ints at = ri_where_above(largest, bound, furthest, none);
  Ints rest = ri_sub(length, at), level = ri_add(ri_high(steps), splits),
       middle = ri_add(first, at);
  keep(s, middle, level);
  note_largest(s, firsts, largest);
  append_all(s, queue, first, ri_join(at, level), at);
  append_all(s, queue, middle, ri_join(rest, level), ri_where_above(splits, none, rest, none));
}

/* Splits the LANES segments of three or four points at `index` to the end: of four, what is left
 * after the first cut has three, two of them and the one between known by then. */
INLINE void split_fours(Splitter *s, uint32_t index)
{
  const Queue *q = &s->queues[UP_TO_4];
  Ints first = ri_load(q->first + index), steps = ri_load(q->steps + index);
  Ints length = ri_low(steps), level = ri_high(steps), none = ri_set(0), one = ri_set(1),
       two = ri_set(2);
  Ints p[4];
  ri_fours(s->points, q->first + index, p);
  p[3] = ri_where_above(length, two, p[3], p[2]);
  Chords chords = chords_of(p[0], p[3]);
  Ints x1 = distances_of(p[1], &chords);
  Ints x2 = ri_where_above(length, two, distances_of(p[2], &chords), none);
  Ints largest = ri_max(x1, x2), bound = bounds_of(s, &chords);
  Ints splits = ri_where_above(largest, bound, one, none);
  chords = chords_of(ri_where_above(x2, x1, p[0], p[1]), ri_where_above(x2, x1, p[2], p[3]));
  Ints left = distances_of(ri_where_above(x2, x1, p[1], p[2]), &chords);
  Ints again = ri_where_above(left, bounds_of(s, &chords), splits, none);
  again = ri_where_above(length, two, again, none);
  Ints later = ri_where_above(x2, x1, one, none);
  /* Where there was no cut, the first point, which is kept already. */
  Ints cut = ri_add(first, ri_where_above(splits, none, ri_add(one, later), none));
  Ints second = ri_add(first, ri_where_above(again, none, ri_sub(two, later), none));
  level = ri_add(level, splits);
  keep(s, cut, level);
  keep(s, second, ri_add(level, again));
  uint32_t begin[LANES];
  ri_store(begin, ri_add(first, ri_where_above(splits, later, one, none)));
  note_largest(s, begin, ri_where_above(splits, none, left, largest));
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
    if (queue == UP_TO_4)
      split_fours(s, i);
    else
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
  Search searches[SEARCHES];
  for (uint32_t from = 0, count; from < q->count; from += count) {
    const uint32_t *first = q->first + from, *steps = q->steps + from;
    count = q->count - from < SEARCHES ? q->count - from : SEARCHES;
    for (uint32_t i = 0; i < count; i++) {
      look_long(s, first[i], steps[i], &searches[i]);
      ask_for_some(&s->soon);
    }
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
  split_queue(s, UP_TO_4);
}

#undef EACH

#endif
