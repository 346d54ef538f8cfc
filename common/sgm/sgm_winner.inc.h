/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_omp.c: winners of both views for a stretch of one row.
 *
 * Key 256·S + d: its minimum is the winner with the right tie rule. The right view needs the
 * minimum over the diagonal S((x + d, y), d): the running minima of the right pixels x − d sit in
 * the lanes of their d and move on by one disparity with every pixel, so a right pixel is done when
 * it falls out at the end.
 */
#pragma once

#include <string.h>

#include "common/sgm/sgm_paths.inc.h"

/* Input of the pixels of a stretch, in the order of the image. */
typedef struct {
  uint16_t key[STRETCH_PIXELS]; /* 256·S1 + d* */
  uint8_t below[STRETCH_PIXELS], above[STRETCH_PIXELS], second[STRETCH_PIXELS];
} Winners;

typedef struct {
  VecU16 a[MAX_VECTORS], b[MAX_VECTORS];
} RightKeys;

INLINE void load_keys(RightKeys *keys, const uint8_t *from, int n)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++) {
    keys->a[k] = (VecU16)load_u8(from + 2 * k * LANES);
    keys->b[k] = (VecU16)load_u8(from + (2 * k + 1) * LANES);
  }
}

INLINE void store_keys(uint8_t *to, const RightKeys *keys, int n)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++) {
    store_u8(to + 2 * k * LANES, (VecU8)keys->a[k]);
    store_u8(to + (2 * k + 1) * LANES, (VecU8)keys->b[k]);
  }
}

/* Takes the key of the right pixel that is complete, and moves the others on. */
INLINE int right_step(RightKeys *keys, int n, int direction)
{
  if (direction > 0) {
    VecU16 a = keys->a[n - 1], b = keys->b[n - 1];
    int done = key_first(a);
    key_down(&a, &b);
#pragma GCC unroll 16
    for (int k = n - 1; k > 0; k--) {
      keys->a[k] = keys->a[k - 1];
      keys->b[k] = keys->b[k - 1];
    }
    keys->a[0] = a;
    keys->b[0] = b;
    return done;
  }
  VecU16 a = keys->a[0], b = keys->b[0];
  int done = key_last(b);
  key_up(&a, &b);
#pragma GCC unroll 16
  for (int k = 0; k + 1 < n; k++) {
    keys->a[k] = keys->a[k + 1];
    keys->b[k] = keys->b[k + 1];
  }
  keys->a[n - 1] = a;
  keys->b[n - 1] = b;
  return done;
}

/* Enters the sums of one pixel into both views; returns the left winner's key. */
INLINE int enter(RightKeys *right, const uint8_t *sums, const KeyIndex *index, int n)
{
  VecU16 least = set1_u16(UINT16_MAX);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++) {
    VecU16 a, b;
    key_make(load_u8(sums + k * LANES), &index[k], &a, &b);
    right->a[k] = min_u16(right->a[k], a);
    right->b[k] = min_u16(right->b[k], b);
    least = min_u16(least, min_u16(a, b));
  }
  return least_u16(least);
}

INLINE void make_index(KeyIndex *index, int n)
{
  for (int k = 0; k < n; k++) {
    uint8_t d[LANES] __attribute__((aligned(64)));
    for (int i = 0; i < LANES; i++)
      d[i] = (uint8_t)((LANES - 1 - i) * n + k);
    index[k] = key_index(d);
  }
}

/* Left winners into `w`, right winners into the row's list. */
INLINE void find_winners(const Stretch *s, const uint8_t *sums, Winners *w, int n, int direction)
{
  const Fast *f = s->f;
  int count = n * LANES, pixels = s->end - s->begin, width = f->params->width;
  int last = direction > 0 ? count - 1 : 0; /* the disparity with which a right pixel is done */
  uint8_t *state = f->right_keys + (size_t)s->y * 2 * (size_t)count;
  uint8_t *right_winner = f->right_winner + (size_t)s->y * (size_t)width;
  KeyIndex index[MAX_VECTORS];
  RightKeys keys;
  make_index(index, n);
  load_keys(&keys, state, n);
  int x = image_x(s, s->begin) - last;
  for (int t = 0; t < pixels; t++, x += direction) {
    int at = direction > 0 ? t : pixels - 1 - t;
    w->key[at] = (uint16_t)enter(&keys, sums + (size_t)at * (size_t)count, index, n);
    int done = right_step(&keys, n, direction);
    if (x >= 0)
      right_winner[x] = (uint8_t)done;
  }
  if (direction > 0 && s->end == width) /* the right pixels that no later left pixel can reach */
    for (; x < width; x++) {
      int done = right_step(&keys, n, direction);
      if (x >= 0)
        right_winner[x] = (uint8_t)done;
    }
  store_keys(state, &keys, n);
}

/* S(d* ± 1), after which the three sums around the winner are wiped out. */
INLINE void find_neighbours(uint8_t *sums, Winners *w, int pixels, unsigned n)
{
  unsigned count = n * LANES;
  for (int t = 0; t < pixels; t++) {
    uint8_t *sum = sums + (size_t)t * count;
    unsigned d = w->key[t] & 255;
    unsigned below = place(d > 0 ? d - 1 : d, n), above = place(d + 1 < count ? d + 1 : d, n);
    w->below[t] = sum[below];
    w->above[t] = sum[above];
    sum[below] = sum[above] = sum[place(d, n)] = UINT8_MAX;
  }
}

/* S2, the least of what find_neighbours left. */
INLINE void find_second(const uint8_t *sums, Winners *w, int pixels, unsigned n)
{
  unsigned count = n * LANES;
  for (int t = 0; t < pixels; t++) {
    const uint8_t *sum = sums + (size_t)t * count;
    VecU8 least = load_u8(sum);
#pragma GCC unroll 16
    for (unsigned k = 1; k < n; k++)
      least = min_u8(least, load_u8(sum + k * LANES));
    w->second[t] = (uint8_t)least_u8(least);
  }
}

#define WINNERS(disparities)                                                                       \
  static void winners_##disparities(const Stretch *s, uint8_t *sums, Winners *w)                   \
  {                                                                                                \
    if (s->sweep->direction > 0)                                                                   \
      find_winners(s, sums, w, disparities / LANES, 1);                                            \
    else                                                                                           \
      find_winners(s, sums, w, disparities / LANES, -1);                                           \
    find_neighbours(sums, w, s->end - s->begin, disparities / LANES);                              \
    if (s->f->margins)                                                                             \
      find_second(sums, w, s->end - s->begin, disparities / LANES);                                \
  }
WINNERS(64)
WINNERS(128)
WINNERS(256)
#undef WINNERS

/* Values and margins of a stretch, all checks but the left-right check applied. */
static void finish_stretch(const Stretch *s, const Winners *w)
{
  const Fast *f = s->f;
  int pixels = s->end - s->begin, last = f->params->max_disparity - 1;
  int uniqueness = f->params->uniqueness;
  int first = image_x(s, s->sweep->direction > 0 ? s->begin : s->end - 1);
  size_t at = (size_t)s->y * (size_t)f->params->width + (size_t)first;
  uint16_t *restrict value = f->value + at;
  uint8_t *restrict winner = f->winner + at, *restrict margin = f->margin + at;
  for (int t = 0; t < pixels; t++) {
    int d = w->key[t] & 255, s1 = w->key[t] >> 8, s2 = w->second[t];
    int vertex = stx_sgm_vertex(w->below[t], s1, w->above[t]);
    int known = (d <= first + t) & stx_sgm_unique(s1, s2, uniqueness);
    vertex = ((d > 0) & (d < last)) ? vertex : 0;
    value[t] = (uint16_t)(known ? stx_sgm_value(d, vertex) : STX_DISPARITY_UNKNOWN);
    margin[t] = (uint8_t)(known ? stx_sgm_confidence(s1, s2) : 0);
    winner[t] = (uint8_t)d;
  }
}

static void pick_winners(const Stretch *s, uint8_t *sums)
{
  static void (*const functions[3])(const Stretch *, uint8_t *, Winners *) = {
      winners_64, winners_128, winners_256};
  Winners w;
  if (!s->f->margins)
    memset(w.second, UINT8_MAX, sizeof w.second); /* everything is unique */
  functions[s->f->params->max_disparity / 128](s, sums, &w);
  finish_stretch(s, &w);
}
