/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The splitting of rdp_omp.c: the points of a few columns lie one after another, and all their
 * segments are worked off from queues, the longest first, without recursion.
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
#pragma once

#include "common/rdp/rdp.h"
#include "common/simd/simd.h"

#define BLOCK 64 /* points; a set of them is a word */
#define VECTORS (BLOCK / LANES_32)
#define TOGETHER (LANES_32 < 8 ? 8 : LANES_32) /* longer segments that take a step together */
#define LINES 3                                /* that are asked for with each long segment */

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
  uint32_t size;        /* points */
  uint32_t spare;       /* the first of SPARE points that belong to no segment */
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

INLINE void append(Queue *q, VecI32 first, VecI32 steps, unsigned bits)
{
  compress_store_i32(q->first + q->count, first, bits);
  compress_store_i32(q->steps + q->count, steps, bits);
  q->count += (uint32_t)__builtin_popcount(bits);
}

/* Four lanes, which no instruction packs, are pushed one by one. */
INLINE void push_all(Splitter *s, VecI32 first, VecI32 steps, VecI32 length)
{
  uint32_t firsts[LANES_32], all_steps[LANES_32];
  int32_t lengths[LANES_32];
  store_i32(firsts, first);
  store_i32(all_steps, steps);
  store_i32(lengths, length);
  for (int l = 0; l < LANES_32; l++)
    push(s, firsts[l], all_steps[l], lengths[l]);
}

/* Appends the segments of these lengths to their queues, which are no later than the given one. */
INLINE void append_all(Splitter *s, int queue, VecI32 first, VecI32 steps, VecI32 length)
{
  if (LANES_32 == 4) {
    push_all(s, first, steps, length);
    return;
  }
  unsigned longer = mask_bits(gt_i32(length, set1_i32(1)));
  for (int i = UP_TO_4; i < queue; i++) {
    unsigned longest = mask_bits(gt_i32(length, set1_i32((2 << i) - 1)));
    append(&s->queues[i], first, steps, longer ^ longest);
    longer = longest;
  }
  append(&s->queues[queue], first, steps, longer);
}

/* A lane's halves: without sign, and with it. */
STX_UNARY(VecI32, low_half, VecI32, a & 0xFFFF)
STX_UNARY(VecI32, high_half, VecI32, a >> 16)
STX_EACH(VecI32, join_halves, (a & 0xFFFF) | (b << 16))

/* The chord of every lane, as Chord in rdp_split.inc.h. */
typedef struct {
  VecI32 height, first, second, origin;
} Chords;

INLINE Chords chords_of(VecI32 from, VecI32 to)
{
  VecI32 fall = sub_i32(high_half(from), high_half(to)), half = fall >> 1;
  VecI32 height = sub_i32(low_half(to), low_half(from));
  Chords c = {height, join_halves(half, height), low_half(sub_i32(fall, half)), set1_i32(0)};
  c.origin = add_i32(madd_i16(from, c.first), madd_i16(from, c.second));
  return c;
}

INLINE VecI32 distances_of(VecI32 point, const Chords *c)
{
  return abs_i32(
      sub_i32(add_i32(madd_i16(point, c->first), madd_i16(point, c->second)), c->origin));
}

/* point[i], i < 8: for every lane the point i after its first one. */
INLINE void columns_of(const uint32_t *points, const uint32_t *first, VecI32 *point)
{
  gather4_i32(points, first, sizeof *points, point);
  gather4_i32(points + 4, first, sizeof *points, point + 4);
}

INLINE VecI32 bounds_of(const Splitter *s, const Chords *c)
{
  return c->height * s->epsilon;
}

/* Keeps a point in each lane, or what is kept already once more. */
INLINE void keep(Splitter *s, VecI32 at, VecI32 level)
{
  uint32_t places[LANES_32], levels[LANES_32];
  store_i32(places, at);
  store_i32(levels, level);
  for (int l = 0; l < LANES_32; l++)
    s->levels[places[l]] = (uint16_t)levels[l];
}

INLINE void note_largest(Splitter *s, const uint32_t *first, VecI32 largest)
{
  int32_t values[LANES_32];
  store_i32(values, largest);
  for (int l = 0; l < LANES_32; l++)
    s->largest[first[l]] = values[l];
}

/* Splits LANES_32 segments of a queue where the largest x is above the bound. */
INLINE void finish_lanes(Splitter *s, int queue, const uint32_t *firsts, VecI32 steps,
    VecI32 height, VecI32 largest, VecI32 furthest)
{
  VecI32 first = load_i32(firsts), length = low_half(steps), none = set1_i32(0);
  VecI32 bound = height * s->epsilon;
  VecI32 splits = blend_i32(gt_i32(largest, bound), set1_i32(1), none);
  VecI32 at = blend_i32(gt_i32(largest, bound), furthest, none), rest = sub_i32(length, at);
  VecI32 level = add_i32(high_half(steps), splits), middle = add_i32(first, at);
  keep(s, middle, level);
  note_largest(s, firsts, largest);
  append_all(s, queue, first, join_halves(at, level), at);
  append_all(
      s, queue, middle, join_halves(rest, level), blend_i32(gt_i32(splits, none), rest, none));
}

/* Splits the LANES_32 segments of at most `longest` + 1 points at `index` of a queue. */
INLINE void split_lanes(Splitter *s, int queue, uint32_t index)
{
  const Queue *q = &s->queues[queue];
  const uint32_t *firsts = q->first + index;
  VecI32 first = load_i32(firsts), steps = load_i32(q->steps + index), length = low_half(steps);
  VecI32 none = set1_i32(0), largest = none, furthest = none, point[8];
  int longest = (2 << queue) - 1;
  columns_of(s->points, firsts, point);
  Chords chords = chords_of(point[0], gather_i32(s->points, add_i32(first, length)));
  for (int block = 0; block < longest; block += 8) {
    if (block > 0)
      columns_of(s->points + block, firsts, point);
    for (int i = block == 0 ? 1 : 0; i < 8 && block + i < longest; i++) {
      VecI32 now = set1_i32(block + i);
      VecI32 x = blend_i32(gt_i32(length, now), distances_of(point[i], &chords), none);
      furthest = blend_i32(gt_i32(x, largest), now, furthest);
      largest = max_i32(largest, x);
    }
  }
  finish_lanes(s, queue, firsts, steps, chords.height, largest, furthest);
}

/* Splits the LANES_32 segments of three or four points at `index` to the end: of four, what is left
 * after the first cut has three, two of them and the one between known by then. */
INLINE void split_fours(Splitter *s, uint32_t index)
{
  const Queue *q = &s->queues[UP_TO_4];
  VecI32 first = load_i32(q->first + index), steps = load_i32(q->steps + index);
  VecI32 length = low_half(steps), level = high_half(steps), none = set1_i32(0), one = set1_i32(1),
         two = set1_i32(2);
  VecI32 p[4];
  gather4_i32(s->points, q->first + index, sizeof *s->points, p);
  p[3] = blend_i32(gt_i32(length, two), p[3], p[2]);
  Chords chords = chords_of(p[0], p[3]);
  VecI32 x1 = distances_of(p[1], &chords);
  VecI32 x2 = blend_i32(gt_i32(length, two), distances_of(p[2], &chords), none);
  VecI32 largest = max_i32(x1, x2), bound = bounds_of(s, &chords);
  VecI32 splits = blend_i32(gt_i32(largest, bound), one, none);
  chords = chords_of(blend_i32(gt_i32(x2, x1), p[0], p[1]), blend_i32(gt_i32(x2, x1), p[2], p[3]));
  VecI32 left = distances_of(blend_i32(gt_i32(x2, x1), p[1], p[2]), &chords);
  VecI32 again = blend_i32(gt_i32(left, bounds_of(s, &chords)), splits, none);
  again = blend_i32(gt_i32(length, two), again, none);
  VecI32 later = blend_i32(gt_i32(x2, x1), one, none);
  /* Without a cut, the first point, which is kept already. */
  VecI32 cut = add_i32(first, blend_i32(gt_i32(splits, none), add_i32(one, later), none));
  VecI32 second = add_i32(first, blend_i32(gt_i32(again, none), sub_i32(two, later), none));
  level = add_i32(level, splits);
  keep(s, cut, level);
  keep(s, second, add_i32(level, again));
  uint32_t begin[LANES_32];
  store_i32(begin, add_i32(first, blend_i32(gt_i32(splits, later), one, none)));
  note_largest(s, begin, blend_i32(gt_i32(splits, none), left, largest));
}

INLINE void split_queue(Splitter *s, int queue)
{
  Queue *q = &s->queues[queue];
  for (uint32_t i = 0; i < q->count; i += LANES_32) {
    store_i32(
        q->first + q->count, set1_i32((int32_t)s->spare)); /* for lanes beyond the last segment */
    store_i32(q->steps + q->count, set1_i32(0));
    if (q->count - i < LANES_32)
      q->count = i + LANES_32;
    if (queue == UP_TO_4)
      split_fours(s, i);
    else
      split_lanes(s, queue, i);
  }
}

/* ---- Chords ------------------------------------------------------------------------------- */

typedef struct {
  int32_t height;       /* l − f, in cells */
  VecI32 first, second; /* v = point · first + point · second; the rise may exceed 16 bits */
  VecI32 origin;        /* v_f */
  bool flat;            /* second is not needed: first has all of the rise */
} Chord;

INLINE Chord chord_of(int32_t from, int32_t to, bool halves)
{
  int32_t height = (to & 0xFFFF) - (from & 0xFFFF), fall = (from >> 16) - (to >> 16);
  bool flat = !halves && fall == (int16_t)fall;
  int32_t half = flat ? fall : fall >> 1;
  Chord chord = {height, set1_i32((int32_t)((uint32_t)height << 16 | (uint16_t)half)),
      set1_i32((uint16_t)(fall - half)), set1_i32(height * (from >> 16) + fall * (from & 0xFFFF)),
      flat};
  return chord;
}

INLINE VecI32 distances(const uint32_t *points, const Chord *chord)
{
  VecI32 p = load_i32(points);
  VecI32 v = add_i32(madd_i16(p, chord->first), madd_i16(p, chord->second));
  return abs_i32(sub_i32(v, chord->origin));
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
  for (int i = 0; i < TOGETHER; i += LANES_32)
    store_i32(g.first + i, set1_i32((int32_t)s->spare));
  memcpy(g.first, q->first + from, g.count * sizeof *g.first);
  memcpy(g.steps, q->steps + from, g.count * sizeof *g.steps);
  return g;
}

INLINE void split_group(Splitter *s, int queue, const Group *g)
{
  for (uint32_t i = 0; i < g->count; i += LANES_32)
    finish_lanes(s, queue, g->first + i, load_i32(g->steps + i), load_i32(g->height + i),
        load_i32(g->largest + i), load_i32(g->at + i));
}

/* Looks at a segment of BLOCK / 2 + 1 points to BLOCK; the later vectors end with it, so that
 * nothing is masked. */
INLINE void look_block(const Splitter *s, Group *g, uint32_t lane)
{
  int length = (int)(g->steps[lane] & 0xFFFF), later = length + 1 - BLOCK;
  const uint32_t *points = s->points + g->first[lane];
  Chord chord = chord_of((int32_t)points[0], (int32_t)points[length], true);
  VecI32 x[VECTORS], most = set1_i32(0);
  uint64_t bits = 0;
  for (int i = 0; i < VECTORS; i++) {
    x[i] = distances(points + i * LANES_32 + (i < VECTORS / 2 ? 0 : later), &chord);
    most = max_i32(most, x[i]);
  }
  most = reduce_max_i32(most);
  for (int i = 0; i < VECTORS; i++)
    bits |= (uint64_t)mask_bits(eq_i32(x[i], most))
            << (i * LANES_32 + (i < VECTORS / 2 ? 0 : later));
  g->at[lane] = __builtin_ctzll(bits);
  g->largest[lane] = most[0];
  g->height[lane] = chord.height;
}

/* ---- Long segments ------------------------------------------------------------------------ */

/* The largest x of every lane of a block. */
INLINE VecI32 block_largest(const uint32_t *points, const Chord *chord, bool flat)
{
  VecI32 high = set1_i32(0), low = high;
  for (int i = 0; i < VECTORS; i++) {
    VecI32 p = load_i32(points + i * LANES_32), v = madd_i16(p, chord->first);
    if (!flat)
      v = add_i32(v, madd_i16(p, chord->second));
    high = i == 0 ? v : max_i32(high, v);
    low = i == 0 ? v : min_i32(low, v);
  }
  return max_i32(sub_i32(high, chord->origin), sub_i32(chord->origin, low));
}

/* The points of a block at that distance. */
INLINE uint64_t block_bits(const uint32_t *points, const Chord *chord, bool flat, VecI32 distance)
{
  uint64_t bits = 0;
  for (int i = 0; i < VECTORS; i++) {
    VecI32 p = load_i32(points + i * LANES_32), v = madd_i16(p, chord->first);
    if (!flat)
      v = add_i32(v, madd_i16(p, chord->second));
    VecI32 x = abs_i32(sub_i32(v, chord->origin));
    bits |= (uint64_t)mask_bits(eq_i32(x, distance)) << (i * LANES_32);
  }
  return bits;
}

/* The search for a segment's farthest point. */
typedef struct {
  Chord chord;
  VecI32 most, where;     /* of each lane the largest x, and the first block that has it */
  int32_t largest, block; /* of all lanes */
} Search;

INLINE void look(const uint32_t *points, int length, bool flat, Search *search)
{
  int last = length + 1 - BLOCK, from = 0;
  Chord chord = search->chord;
  VecI32 most = set1_i32(-1), where = set1_i32(0), now = where, step = set1_i32(BLOCK);
  do {
    VecI32 x = block_largest(points + from, &chord, flat);
    where = blend_i32(gt_i32(x, most), now, where);
    most = max_i32(most, x);
    now = add_i32(now, step);
    from += BLOCK;
  } while (from < last);
  VecI32 x = block_largest(points + last, &chord, flat);
  search->where = blend_i32(gt_i32(x, most), set1_i32(last), where);
  search->most = max_i32(most, x);
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
  VecI32 all = reduce_max_i32(search->most);
  VecI32 blocks = blend_i32(gt_i32(all, search->most), set1_i32(INT32_MAX), search->where);
  search->largest = all[0];
  search->block = reduce_min_i32(blocks)[0];
}

/* The place of the farthest point in its segment. */
INLINE int place_of(const Splitter *s, uint32_t first, const Search *search)
{
  const uint32_t *points = s->points + first + search->block;
  const Chord *chord = &search->chord;
  VecI32 distance = set1_i32(search->largest);
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
  const Queue *q = &s->queues[UP_TO_64];
  for (uint32_t from = 0; from < q->count;) {
    Group g = take_group(s, q, from);
    for (uint32_t i = 0; i < g.count; i++)
      look_block(s, &g, i);
    from += g.count;
    split_group(s, UP_TO_64, &g);
  }
  split_queue(s, UP_TO_32);
  split_queue(s, UP_TO_16);
  split_queue(s, UP_TO_8);
  split_queue(s, UP_TO_4);
}
