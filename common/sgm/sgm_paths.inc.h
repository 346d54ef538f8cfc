/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_omp.c: costs and path costs of a stretch of one row. Costs are computed again in
 * each sweep: a few instructions per vector, where storing and loading them would move as many
 * bytes as the half sums do.
 */
#pragma once

#include "common/sgm/sgm_planes.inc.h"

/* A stretch of pixels of one row, in sweep coordinates. */
typedef struct {
  const Fast *f;
  const Sweep *sweep;
  int j, y;       /* row in the sweep and in the image */
  int begin, end; /* i */
} Stretch;

static inline int image_x(const Stretch *s, int i)
{
  return s->sweep->direction > 0 ? i : s->f->params->width - 1 - i;
}

#define CACHE_LINE 64
#define PIXELS_AHEAD 16   /* that the volume is asked for before it is read */
#define WORDS (2 * LANES) /* of a residue in Row.right, >= LANES + STRETCH_PIXELS / n + 1 */

/*
 * Pointers and constants of the inner loop, copied out of the shared structures, so that the
 * compiler need not assume that storing a path changes it, and so that planes are at constant
 * distances: addresses were a third of all instructions.
 */
typedef struct {
  LeftBits left[PLANES][STRETCH_PIXELS]; /* in the order of the image */
  uint8_t right[MAX_VECTORS * PLANES * WORDS] __attribute__((aligned(64))); /* residue, plane */
  uint16_t offset[STRETCH_PIXELS + 2 * MAX_VECTORS]; /* of the words of a place in `right` */
  uint8_t *up, *up_left, *up_right;                  /* states of i = 0 */
  CostTable table;
  VecU8 p1, p1_diagonal, p2;
} Row;

/* The place in Row.offset of vector 0 of the stretch's first pixel. Lane 0 of vector k is d =
 * (LANES − 1)·n + k, behind a border of LANES·n words. */
static inline size_t first_place(int first, int n)
{
  return (size_t)((first + 1) % n + n - 1);
}

/* Whole vectors, whatever the stretch's length: what is behind it is part of the scratch, too. The
 * words below (or above) are asked for, because too many streams end here for the machine to see
 * where they go on. */
INLINE void copy_words(Row *row, const Stretch *s, int first, int n)
{
  const Fast *f = s->f;
  size_t width = (size_t)f->params->width, stride = f->residue_stride, y = (size_t)s->y;
  const uint8_t *left = f->left_planes + y * PLANES * width + (size_t)first;
  const uint8_t *right = f->right_planes + y * PLANES * plane_stride(f) + (first + 1) / n;
  ptrdiff_t next_left = s->sweep->direction * (ptrdiff_t)(PLANES * width);
  ptrdiff_t next_right = s->sweep->direction * (ptrdiff_t)(PLANES * plane_stride(f));
  for (size_t p = 0; p < PLANES; p++) {
    __builtin_prefetch(left + p * width + next_left);
    for (size_t t = 0; t < STRETCH_PIXELS; t++)
      row->left[p][t] = (LeftBits)(left[p * width + t] * LEFT_REPEAT);
    for (size_t r = 0; r < (size_t)n; r++) {
      const uint8_t *from = right + (p * (size_t)n + r) * stride;
      uint8_t *to = row->right + (r * PLANES + p) * WORDS;
      store_u8(to, load_u8(from));
      store_u8(to + LANES, load_u8(from + LANES));
      __builtin_prefetch(from + next_right);
    }
  }
  for (int z = 0; z < STRETCH_PIXELS + 2 * n; z++)
    row->offset[z] = (uint16_t)(z % n * PLANES * WORDS + z / n);
}

/* first: the leftmost pixel of the stretch */
INLINE void open_row(Row *row, const Stretch *s, int first, int n)
{
  const Sweep *sweep = s->sweep;
  const StxSgmParams *params = s->f->params;
  size_t count = (size_t)n * LANES;
  copy_words(row, s, first, n);
  row->up = sweep->up;
  row->up_left = sweep->up_left + (size_t)(params->height - 1 - s->j) * count;
  row->up_right = sweep->up_right + (size_t)s->j * count;
  row->p1 = set1_u8((uint8_t)params->p1);
  row->p1_diagonal = set1_u8((uint8_t)stx_sgm_p1(params->p1, 1, 1, 1));
  row->p2 = set1_u8((uint8_t)params->p2);
  cost_table(&row->table, params->p2);
}

/* C(p,·) + P2; p is `at` pixels right of the stretch's first, whose place is `place`. */
INLINE void pixel_costs(const Row *row, int at, size_t place, int n, VecU8 *cost)
{
  const uint8_t *words[MAX_VECTORS];
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    words[k] = row->right + row->offset[place + (size_t)at - (size_t)k];
  cost_vectors(&row->table, &row->left[0][at], STRETCH_PIXELS, words, WORDS, n, cost);
}

INLINE void load_vectors(VecU8 *to, const uint8_t *from, int n)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    to[k] = load_u8(from + k * LANES);
}

INLINE void store_vectors(uint8_t *to, const VecU8 *from, int n)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    store_u8(to + k * LANES, from[k]);
}

INLINE VecU8 least_of(const VecU8 *path, int n)
{
  VecU8 least = path[0];
#pragma GCC unroll 16
  for (int k = 1; k < n; k++)
    least = min_u8(least, path[k]);
  return reduce_min_u8(least);
}

/* Stores past the caches: the other sweep comes back to it when they have long forgotten it. */
INLINE void stream_vectors(uint8_t *to, const VecU8 *from, int n)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    stream_u8(to + k * LANES, from[k]);
}

INLINE void prefetch(const uint8_t *from, size_t count)
{
#pragma GCC unroll 4
  for (size_t at = 0; at < count; at += CACHE_LINE)
    __builtin_prefetch(from + at);
}

/*
 * One step of a path. A path remembers how far d is ahead of a jump, K(q,d) = max(0, P2 − (L(q,d) −
 * min L(q,·))). So a subtraction that stops at 0 is the comparison with P2. With cost = C + P2:
 *   L(p,d) = cost(d) − max(K(q,d), K(q,d ± 1) − P1)
 */
INLINE void step(VecU8 *ahead, const VecU8 *cost, VecU8 *path, int n, VecU8 p1, VecU8 p2)
{
  VecU8 none = set1_u8(0);
  VecU8 below = down_u8(ahead[n - 1], none), above = up_u8(ahead[0], none);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++) {
    VecU8 near = max_u8(k > 0 ? ahead[k - 1] : below, k + 1 < n ? ahead[k + 1] : above);
    path[k] = cost[k] - max_u8(ahead[k], subs_u8(near, p1));
  }
  VecU8 limit = least_of(path, n) + p2;
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    ahead[k] = subs_u8(limit, path[k]);
}

/* The same for a path whose state is in memory. */
INLINE void step_across(uint8_t *state, const VecU8 *cost, VecU8 *path, int n, VecU8 p1, VecU8 p2)
{
  VecU8 ahead[MAX_VECTORS];
  load_vectors(ahead, state, n);
  step(ahead, cost, path, n, p1, p2);
  store_vectors(state, ahead, n);
}

/* The half sum of pixel i from its costs and the path along the row, whose step is done. */
INLINE void half_sum(
    const Row *row, int i, const VecU8 *cost, const VecU8 *along, VecU8 *sum, int n, int eight)
{
  size_t at = (size_t)i * (size_t)n * LANES;
  VecU8 a[MAX_VECTORS], b[MAX_VECTORS];
  step_across(row->up + at, cost, a, n, row->p1, row->p2);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    sum[k] = eight ? avg_u8(along[k], a[k]) : along[k] + a[k];
  if (!eight)
    return;
  step_across(row->up_left + at, cost, a, n, row->p1_diagonal, row->p2);
  step_across(row->up_right + at, cost, b, n, row->p1_diagonal, row->p2);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    sum[k] = sum[k] + avg_u8(a[k], b[k]);
}

/*
 * The half sums of a stretch. sums NULL: they are stored in the volume; else averaged with what the
 * other sweep stored there, into D bytes per pixel of `sums`, in the order of the image.
 */
INLINE void stretch_n(const Stretch *s, uint8_t *restrict sums, int n, int eight, int second)
{
  const Fast *f = s->f;
  Row row;
  size_t count = (size_t)n * LANES;
  uint8_t *volume = f->volume + (size_t)s->y * row_bytes(f);
  uint8_t *state = s->sweep->left + (size_t)s->j * count;
  int direction = s->sweep->direction, pixels = s->end - s->begin;
  int x = image_x(s, s->begin), first = direction > 0 ? x : x - pixels + 1;
  size_t place = first_place(first, n);
  VecU8 ahead[MAX_VECTORS];
  open_row(&row, s, first, n);
  load_vectors(ahead, state, n);
  for (int t = 0; t < pixels; t++, x += direction) {
    VecU8 cost[MAX_VECTORS], along[MAX_VECTORS], sum[MAX_VECTORS], other[MAX_VECTORS];
    pixel_costs(&row, x - first, place, n, cost);
    step(ahead, cost, along, n, row.p1, row.p2);
    half_sum(&row, s->begin + t, cost, along, sum, n, eight);
    if (!second) {
      stream_vectors(volume + (size_t)x * count, sum, n);
      continue;
    }
    prefetch(volume + (x + PIXELS_AHEAD * direction) * (ptrdiff_t)count, count);
    load_vectors(other, volume + (size_t)x * count, n);
#pragma GCC unroll 16
    for (int k = 0; k < n; k++)
      other[k] = avg_u8(other[k], sum[k]);
    store_vectors(sums + (size_t)(x - first) * count, other, n);
  }
  store_vectors(state, ahead, n);
}

#define STRETCH(disparities, eight, second)                                                        \
  static void stretch_##disparities##_##eight##_##second(const Stretch *s, uint8_t *sums)          \
  {                                                                                                \
    stretch_n(s, sums, disparities / LANES, eight, second);                                        \
  }
#define STRETCHES(disparities)                                                                     \
  STRETCH(disparities, 0, 0)                                                                       \
  STRETCH(disparities, 0, 1)                                                                       \
  STRETCH(disparities, 1, 0)                                                                       \
  STRETCH(disparities, 1, 1)
STRETCHES(64)
STRETCHES(128)
STRETCHES(256)
#undef STRETCHES
#undef STRETCH

static void follow_paths(const Stretch *s, uint8_t *sums)
{
#define ROW(disparities)                                                                           \
  {                                                                                                \
    {stretch_##disparities##_0_0, stretch_##disparities##_0_1},                                    \
    {                                                                                              \
      stretch_##disparities##_1_0, stretch_##disparities##_1_1                                     \
    }                                                                                              \
  }
  static void (*const functions[3][2][2])(const Stretch *, uint8_t *) = {
      ROW(64), ROW(128), ROW(256)};
#undef ROW
  const StxSgmParams *params = s->f->params;
  functions[params->max_disparity / 128][params->paths == 8][sums != NULL](s, sums);
}
