/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_omp.c: costs and path costs of a stretch of one row. Costs are computed again in
 * each sweep: a few instructions per vector, where storing and loading them would move as many
 * bytes as the half sums do.
 */
#ifndef STX_SGM_PATHS_INC_H
#define STX_SGM_PATHS_INC_H

#include "common/sgm/sgm_fast.inc.h"

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

/* Bytes that a stretch needs of a residue's words: a vector that moves on by one byte every n
 * pixels. Being a power of two, no vector lies across two cache lines of 64 bytes. */
#define REACH (2 * LANES)
_Static_assert(LANES + STRETCH_PIXELS / (64 / LANES) + 1 <= REACH, "of the fewest vectors");

#define AHEAD 16 /* pixels: 2 KiB of the volume for 128 disparities */

/* What the inner loop reads, copied out of the shared structures, so that the compiler need not
 * assume that storing a path changes it, and can address all planes from a few registers. */
typedef struct {
  uint8_t right[PLANES * MAX_VECTORS * REACH] __attribute__((aligned(64))); /* [plane][residue][] */
  LeftBits left[PLANES][STRETCH_PIXELS]; /* of the stretch, in the order of the image */
  unsigned from;                         /* the first of the residues' words in `right` */
  uint8_t *up, *up_left, *up_right;      /* states of i = 0 */
  VBytes p1, p2;
} Row;

/* first, pixels: the stretch in the order of the image */
INLINE void open_row(Row *row, const Stretch *s, int first, int pixels, int n)
{
  const Fast *f = s->f;
  const Sweep *sweep = s->sweep;
  size_t width = (size_t)f->params->width, planes = (size_t)n * f->residue_stride;
  size_t count = (size_t)n * LANES, y = (size_t)s->y;
  for (size_t p = 0; p < PLANES; p++) {
    const uint8_t *left = f->left_planes + (y * PLANES + p) * width + (size_t)first;
    for (int t = 0; t < pixels; t++)
      row->left[p][t] = (LeftBits)(left[t] * LEFT_REPEAT);
  }
  row->from = (unsigned)(first + 1) / (unsigned)n;
  const uint8_t *right = f->right_planes + y * PLANES * planes + row->from;
  for (int r = 0; r < PLANES * n; r++)
    for (int half = 0; half < REACH; half += LANES)
      vb_store(
          row->right + r * REACH + half, vb_load(right + (size_t)r * f->residue_stride + half));
  row->up = sweep->up;
  row->up_left = sweep->up_left + (size_t)(f->params->height - 1 - s->j) * count;
  row->up_right = sweep->up_right + (size_t)s->j * count;
  row->p1 = vb_set(f->params->p1);
  row->p2 = vb_set(f->params->p2);
}

/* C((x, y),·); `at` counts from the stretch's first pixel. Lane 0 of vector k is d = (LANES − 1)·n
 * + k, behind a border of LANES·n words. */
INLINE void pixel_costs(const Row *row, int at, int x, int n, VBytes *cost)
{
  const uint8_t *words[MAX_VECTORS];
#pragma GCC unroll 16
  for (int k = 0; k < n; k++) {
    unsigned z = (unsigned)(x + n - k);
    words[k] = row->right + z % (unsigned)n * REACH + (z / (unsigned)n - row->from);
  }
  cost_vectors(&row->left[0][at], STRETCH_PIXELS, words, (size_t)n * REACH, n, cost);
}

INLINE void load_vectors(VBytes *to, const uint8_t *from, int n)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    to[k] = vb_load(from + k * LANES);
}

INLINE void store_vectors(uint8_t *to, const VBytes *from, int n)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    vb_store(to + k * LANES, from[k]);
}

/* min(L(d), L(d ± 1) + P1) for all d of a path's last pixel. */
INLINE void reach(const VBytes *last, VBytes *reached, int n, VBytes p1)
{
  VBytes below = vb_down(last[n - 1]), above = vb_up(last[0]);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++) {
    VBytes near = vb_min(k > 0 ? last[k - 1] : below, k + 1 < n ? last[k + 1] : above);
    reached[k] = vb_min(last[k], vb_add(near, p1));
  }
}

INLINE VBytes least_of(const VBytes *path, int n)
{
  VBytes least = path[0];
#pragma GCC unroll 16
  for (int k = 1; k < n; k++)
    least = vb_min(least, path[k]);
  return vb_least(least);
}

INLINE void subtract(VBytes *from, VBytes value, int n)
{
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    from[k] = vb_sub(from[k], value);
}

/*
 * One step of the path along the row, where each pixel waits for the last. So nothing waits longer
 * than it must: path holds L(q,·) as it is, and its minimum, which takes longest to find, comes in
 * at the end: L(p,d) = (C(p,d) − least) + min(reach(d), least + P2).
 */
INLINE void step_along(VBytes *path, VBytes *least, const VBytes *cost, int n, VBytes p1, VBytes p2)
{
  VBytes reached[MAX_VECTORS], jump = vb_add(*least, p2);
  reach(path, reached, n, p1);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    path[k] = vb_add(vb_sub(cost[k], *least), vb_min(reached[k], jump));
  *least = least_of(path, n);
}

/* One step of another path: state holds N(q,·) and becomes N(p,·); path becomes L(p,·). */
INLINE void step_across(
    uint8_t *state, const VBytes *cost, VBytes *path, int n, VBytes p1, VBytes p2)
{
  VBytes reached[MAX_VECTORS];
  load_vectors(path, state, n);
  reach(path, reached, n, p1);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    path[k] = vb_add(cost[k], vb_min(reached[k], p2));
  VBytes least = least_of(path, n);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    vb_store(state + k * LANES, vb_sub(path[k], least));
}

/* Fetches the half sums of the pixel AHEAD steps further, to be stored or read. What lies beyond
 * the row's end is scratch, too. */
INLINE void fetch(const uint8_t *sums, int direction, size_t count)
{
  const uint8_t *ahead = sums + direction * AHEAD * (ptrdiff_t)count;
#pragma GCC unroll 4
  for (size_t line = 0; line < count; line += 64)
    __builtin_prefetch(ahead + line);
}

/* The half sum of pixel i from its costs and the path along the row, whose step is done. */
INLINE void half_sum(
    const Row *row, int i, const VBytes *cost, const VBytes *along, VBytes *sum, int n, int eight)
{
  size_t at = (size_t)i * (size_t)n * LANES;
  VBytes a[MAX_VECTORS], b[MAX_VECTORS];
  step_across(row->up + at, cost, a, n, row->p1, row->p2);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    sum[k] = eight ? vb_average(along[k], a[k]) : vb_add(along[k], a[k]);
  if (!eight)
    return;
  step_across(row->up_left + at, cost, a, n, row->p1, row->p2);
  step_across(row->up_right + at, cost, b, n, row->p1, row->p2);
#pragma GCC unroll 16
  for (int k = 0; k < n; k++)
    sum[k] = vb_add(sum[k], vb_average(a[k], b[k]));
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
  VBytes along[MAX_VECTORS], least = vb_set(0);
  open_row(&row, s, first, pixels, n);
  load_vectors(along, state, n);
  for (int t = 0; t < pixels; t++, x += direction) {
    VBytes cost[MAX_VECTORS], sum[MAX_VECTORS], other[MAX_VECTORS];
    pixel_costs(&row, x - first, x, n, cost);
    step_along(along, &least, cost, n, row.p1, row.p2);
    uint8_t *half = volume + (size_t)x * count;
    half_sum(&row, s->begin + t, cost, along, sum, n, eight);
    fetch(half, direction, count);
    if (!second) {
      store_vectors(half, sum, n);
      continue;
    }
    load_vectors(other, half, n);
#pragma GCC unroll 16
    for (int k = 0; k < n; k++)
      other[k] = vb_average(other[k], sum[k]);
    store_vectors(sums + (size_t)(x - first) * count, other, n);
  }
  subtract(along, least, n);
  store_vectors(state, along, n);
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

#endif
