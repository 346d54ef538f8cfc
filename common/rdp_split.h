/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How rdp_omp.c splits: the points of a few columns lie one after another, and all their segments
 * are worked off from queues, the longest first, without recursion.
 *
 * A point is a known cell, or an end of its column: index in the low 16 bits, disparity − 32768 in
 * the high ones. With v_i = (l − f)·d_i − rise·i, one dot product of two, is x_i = |v_i − v_f|.
 * Unknown cells are not among the points: they cost nothing and cannot be split at.
 *
 * Segments of at most LANES, 2·LANES and 4·LANES points have queues of their own, worked off
 * without a branch that depends on data; what is pushed is never longer than what it comes from.
 */
#ifndef STX_RDP_SPLIT_H
#define STX_RDP_SPLIT_H

#include "common/rdp_simd.h"

enum { NONE, ONE, TWO, FOUR, LONG, QUEUES }; /* vectors that a segment's points fill */

typedef struct {
  uint32_t f;      /* its first point */
  uint16_t length; /* points to its last one */
  uint16_t level;
} Span;

/* What is known of a kept point: the segment that begins there. */
typedef struct {
  uint16_t length, level; /* as above; level: of the deepest segment that was looked at here */
  int32_t largest;        /* x of its cells */
} Link;

typedef struct {
  int32_t epsilon;
  uint32_t *points;
  Link *links;         /* one per point */
  Span *queue[QUEUES]; /* where the queue begins; NONE swallows what needs no look */
  Span *end[QUEUES];
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

INLINE int queue_of(int length)
{
  return (length >= 2) + (length >= LANES) + (length >= 2 * LANES) + (length >= 4 * LANES);
}

INLINE void push(Splitter *s, int queue, uint32_t f, int length, int level)
{
  Span *end = s->end[queue];
  *end = (Span){f, (uint16_t)length, (uint16_t)level};
  s->end[queue] = end + (queue != NONE);
}

/* Splits the segment at point f + at if its largest x says so, in the links and the queues. */
INLINE void finish(Splitter *s, Span span, int at, int32_t largest, int32_t bound)
{
  int length = span.length, split = largest > bound, level = span.level + split;
  at = split ? at : 0;
  s->links[span.f] = (Link){(uint16_t)at, (uint16_t)level, 0};
  s->links[span.f + (uint32_t)at] =
      (Link){(uint16_t)(length - at), (uint16_t)level, split ? 0 : largest};
  push(s, queue_of(at), span.f, at, level);
  push(s, queue_of(split ? length - at : 0), span.f + (uint32_t)at, length - at, level);
}

/* ---- Segments of a few vectors ------------------------------------------------------------ */

/* Where the vectors of a segment begin: the last ones end with it, so that nothing is masked. */
INLINE int vector_at(int vectors, int i, int points)
{
  return i < (vectors + 1) / 2 ? i * LANES : points - (vectors - i) * LANES;
}

INLINE void split_short(Splitter *s, Span span, int vectors)
{
  const uint32_t *points = s->points + span.f;
  Chord chord = chord_of((int32_t)points[0], (int32_t)points[span.length], true);
  Ints x[4], most;
  uint64_t bits = 0;
  for (int i = 0; i < vectors; i++)
    x[i] = distances(points + vector_at(vectors, i, span.length + 1), &chord);
  if (vectors == 1)
    x[0] = ri_first(x[0], span.length);
  most = vectors == 4   ? ri_max(ri_max(x[0], x[1]), ri_max(x[2], x[3]))
         : vectors == 2 ? ri_max(x[0], x[1])
                        : x[0];
  most = ri_largest(most);
  for (int i = 0; i < vectors; i++)
    bits |= (uint64_t)ri_equal_bits(x[i], most) << vector_at(vectors, i, span.length + 1);
  finish(s, span, __builtin_ctzll(bits), ri_lane0(most), s->epsilon * chord.height);
}

/* The same for one vector; what it pushes can only go to its own queue. */
static void split_all_one(Splitter *s)
{
  const uint32_t *all = s->points;
  Link *restrict links = s->links;
  int32_t epsilon = s->epsilon;
  Span *end = s->end[ONE];
  for (Span *span = s->queue[ONE]; span < end; span++) {
    uint32_t f = span->f;
    int length = span->length;
    const uint32_t *points = all + f;
    Chord chord = chord_of((int32_t)points[0], (int32_t)points[length], true);
    Ints x = ri_first(distances(points, &chord), length), most = ri_largest(x);
    int32_t largest = ri_lane0(most);
    int split = largest > epsilon * chord.height, level = span->level + split;
    int at = split ? __builtin_ctz(ri_equal_bits(x, most)) : 0;
    links[f] = (Link){(uint16_t)at, (uint16_t)level, 0};
    links[f + (uint32_t)at] = (Link){(uint16_t)(length - at), (uint16_t)level, split ? 0 : largest};
    *end = (Span){f, (uint16_t)at, (uint16_t)level};
    end += at > 1;
    *end = (Span){f + (uint32_t)at, (uint16_t)(length - at), (uint16_t)level};
    end += split & (length - at > 1);
  }
}

/* ---- Long segments ------------------------------------------------------------------------ */

#define BLOCK (4 * LANES) /* points */

/* x of a block's points, less its absolute value: only the largest of each lane. */
INLINE Ints block_largest(const uint32_t *points, const Chord *chord, bool flat)
{
  Ints v[4];
  for (int i = 0; i < 4; i++) {
    Ints p = ri_load(points + i * LANES);
    v[i] = ri_dot(p, chord->first);
    if (!flat)
      v[i] = ri_add(v[i], ri_dot(p, chord->second));
  }
  Ints high = ri_max(ri_max(v[0], v[1]), ri_max(v[2], v[3]));
  Ints low = ri_min(ri_min(v[0], v[1]), ri_min(v[2], v[3]));
  return ri_max(ri_sub(high, chord->origin), ri_sub(chord->origin, low));
}

/* The first block in which a lane reaches its largest x; *largest is that of all of them. */
INLINE int furthest_block(
    const uint32_t *points, int length, const Chord *chord, bool flat, Ints *largest)
{
  int last = length + 1 - BLOCK, from = 0;
  Ints most = ri_set(-1), where = ri_set(0);
  do {
    Ints x = block_largest(points + from, chord, flat);
    where = ri_where_above(x, most, ri_set(from), where);
    most = ri_max(most, x);
    from += BLOCK;
  } while (from < last);
  Ints x = block_largest(points + last, chord, flat);
  where = ri_where_above(x, most, ri_set(last), where);
  most = ri_max(most, x);
  *largest = ri_largest(most);
  return ri_lane0(ri_smallest(ri_where_above(*largest, most, ri_set(INT32_MAX), where)));
}

static void split_long(Splitter *s, Span span)
{
  const uint32_t *points = s->points + span.f;
  Chord chord = chord_of((int32_t)points[0], (int32_t)points[span.length], false);
  Ints most;
  uint64_t bits = 0;
  int at = chord.flat ? furthest_block(points, span.length, &chord, true, &most)
                      : furthest_block(points, span.length, &chord, false, &most);
  for (int i = 0; i < 4; i++)
    bits |= (uint64_t)ri_equal_bits(distances(points + at + i * LANES, &chord), most)
            << (i * LANES);
  at += __builtin_ctzll(bits);
  finish(s, span, at, ri_lane0(most), s->epsilon * chord.height);
}

/* ---- All of them -------------------------------------------------------------------------- */

static void split_all(Splitter *s)
{
  for (Span *span = s->queue[LONG]; span < s->end[LONG]; span++)
    split_long(s, *span);
  for (Span *span = s->queue[FOUR]; span < s->end[FOUR]; span++)
    split_short(s, *span, 4);
  for (Span *span = s->queue[TWO]; span < s->end[TWO]; span++)
    split_short(s, *span, 2);
  split_all_one(s);
}

#endif
