/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queues of rdp_split.inc.h, and segments that are split one per lane. */
#ifndef STX_RDP_LANES_INC_H
#define STX_RDP_LANES_INC_H

#include "common/rdp/rdp_simd.inc.h"

/* Segments of at most 2, 4, 8, 16, 32 and 64 points, and of more. */
enum { NONE, UP_TO_4, UP_TO_8, UP_TO_16, UP_TO_32, UP_TO_64, LONG, QUEUES };

#define SPARE 32 /* points that one per lane looks at, at most */

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

/* ---- One segment per lane ----------------------------------------------------------------- */

INLINE void append(Queue *q, Ints first, Ints steps, unsigned bits)
{
  ri_pack_two(q->first + q->count, first, q->steps + q->count, steps, bits);
  q->count += (uint32_t)__builtin_popcount(bits);
}

/* Four lanes, which no instruction packs, are pushed one by one. */
INLINE void push_all(Splitter *s, Ints first, Ints steps, Ints length)
{
  uint32_t firsts[LANES], all_steps[LANES];
  int32_t lengths[LANES];
  ri_store(firsts, first);
  ri_store(all_steps, steps);
  ri_store(lengths, length);
  for (int l = 0; l < LANES; l++)
    push(s, firsts[l], all_steps[l], lengths[l]);
}

/* Appends the segments of these lengths to their queues, which are no later than the given one. */
INLINE void append_all(Splitter *s, int queue, Ints first, Ints steps, Ints length)
{
  if (LANES == 4) {
    push_all(s, first, steps, length);
    return;
  }
  unsigned longer = ri_above_bits(length, ri_set(1));
  for (int i = UP_TO_4; i < queue; i++) {
    unsigned longest = ri_above_bits(length, ri_set((2 << i) - 1));
    append(&s->queues[i], first, steps, longer ^ longest);
    longer = longest;
  }
  append(&s->queues[queue], first, steps, longer);
}

/* The chord of every lane, as Chord in rdp_split.inc.h. */
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

/* Splits LANES segments of a queue where the largest x is above the bound. */
INLINE void finish_lanes(Splitter *s, int queue, const uint32_t *firsts, Ints steps, Ints height,
    Ints largest, Ints furthest)
{
  Ints first = ri_load(firsts), length = ri_low(steps), none = ri_set(0);
  Ints bound = ri_times(height, ri_set(s->epsilon));
  Ints splits = ri_where_above(largest, bound, ri_set(1), none);
  Ints at = ri_where_above(largest, bound, furthest, none), rest = ri_sub(length, at);
  Ints level = ri_add(ri_high(steps), splits), middle = ri_add(first, at);
  keep(s, middle, level);
  note_largest(s, firsts, largest);
  append_all(s, queue, first, ri_join(at, level), at);
  append_all(s, queue, middle, ri_join(rest, level), ri_where_above(splits, none, rest, none));
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
  finish_lanes(s, queue, firsts, steps, chords.height, largest, furthest);
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

#endif
