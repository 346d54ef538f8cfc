/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_coarse_omp.c: costs and path costs of a piece of one row. Within a block a step is
 * that of full search with one vector. Where a path comes from another block it is written down by
 * disparity and read again at the new windows.
 */
#ifndef STX_SGM_COARSE_PATHS_INC_H
#define STX_SGM_COARSE_PATHS_INC_H

#include "common/sgm/coarse/sgm_coarse_level.inc.h"

#define TILE_COLUMNS 128

/* A piece of a row, in sweep coordinates. */
typedef struct {
  const Level *level;
  const Sweep *sweep;
  uint8_t *volume; /* per pixel CELL half sums */
  int j, y;        /* row in the sweep and in the image */
  int begin, end;  /* i; at most TILE_COLUMNS */
} Piece;

/* What the inner loop reads, copied out of the shared structures, so that the compiler need not
 * assume that storing a path changes it. */
typedef struct {
  LeftBits left[PLANES][TILE_COLUMNS]; /* in the order of the image */
  const uint8_t *right;                /* plane 0 of x = 0 */
  size_t right_stride;
  uint8_t *up, *up_left, *up_right; /* states of i = 0 */
  int first;                        /* x of left[·][0] */
  int direction;
  VPair p1, p2;
} Row;

INLINE void open_row(Row *row, const Piece *s)
{
  const Level *level = s->level;
  const Fast *f = &level->f;
  int width = level->params.width, pixels = s->end - s->begin;
  size_t y = (size_t)s->y, j = (size_t)s->j;
  row->direction = s->sweep->direction;
  row->first = row->direction > 0 ? s->begin : width - s->end;
  for (size_t p = 0; p < PLANES; p++) {
    const uint8_t *left = f->left_planes + (y * PLANES + p) * (size_t)width + (size_t)row->first;
    for (int t = 0; t < pixels; t++)
      row->left[p][t] = (LeftBits)(left[t] * LEFT_REPEAT);
  }
  row->right = f->right_planes + y * PLANES * level->right_stride + level->params.max_disparity;
  row->right_stride = level->right_stride;
  row->up = s->sweep->up;
  row->up_left = s->sweep->up_left + ((size_t)level->params.height - 1 - j) * CELL;
  row->up_right = s->sweep->up_right + j * CELL;
  row->p1 = vp_set(level->params.p1);
  row->p2 = vp_set(level->params.p2);
}

/* min(N(d), N(d ± 1) + P1) within the same windows. */
INLINE VPair reach(VPair n, VPair p1)
{
  return vp_min(n, vp_add(vp_min(vp_up(n), vp_down(n)), p1));
}

/* Where a path comes from: the windows there, and whether they are others than here. */
typedef struct {
  bool moves;
  Motion motion;
} Origin;

/* For the pixel at (x, y), whose windows are `own`, and a path from (x + dx, y + dy). If that is
 * outside all N are 0. */
INLINE void find_origin(
    Origin *origin, const Level *level, const uint8_t *own, int x, int y, int dx, int dy)
{
  bool inside =
      x + dx >= 0 && x + dx < level->params.width && y + dy >= 0 && y + dy < level->params.height;
  const uint8_t *from = inside ? starts_of(level, x + dx, y + dy) : own;
  origin->moves = from[0] != own[0] || from[1] != own[1];
  if (origin->moves)
    vp_motion(&origin->motion, from, own);
}

INLINE VPair reach_from(Origin *origin, VPair n, VPair p1)
{
  return origin->moves ? vp_move(&origin->motion, n, p1) : reach(n, p1);
}

/* One step of a path that does not run along the row: state holds N(q,·) and becomes N(p,·); what
 * comes back is L(p,·). */
INLINE VPair step_across(uint8_t *state, Origin *origin, VPair cost, VPair p1, VPair p2)
{
  VPair path = vp_add(cost, vp_min(reach_from(origin, vp_load(state), p1), p2));
  vp_store(state, vp_sub(path, vp_least(path)));
  return path;
}

/* A run of pixels of one row in one block. */
typedef struct {
  const uint8_t *own; /* windows */
  int x, i, pixels;   /* the first one in the order of the sweep */
  Origin up;
} Run;

/* L of the paths from the upper left and right, averaged. */
INLINE VPair diagonals(const Piece *s, const Row *row, const Run *run, int x, int i, VPair cost)
{
  Origin left, right;
  find_origin(&left, s->level, run->own, x, s->y, -row->direction, -row->direction);
  find_origin(&right, s->level, run->own, x, s->y, row->direction, -row->direction);
  VPair a = step_across(row->up_left + (size_t)i * CELL, &left, cost, row->p1, row->p2);
  VPair b = step_across(row->up_right + (size_t)i * CELL, &right, cost, row->p1, row->p2);
  return vp_average(a, b);
}

/* What comes next along the row, in image coordinates: pixels of one block. */
INLINE int run_length(int x, int left, int direction)
{
  int room = direction > 0 ? BLOCK - x % BLOCK : x % BLOCK + 1;
  return room < left ? room : left;
}

/*
 * The half sums of a run, CELL bytes per pixel at `sums`, for x = 0 on; with `others` averaged with
 * what the other sweep stored there.
 *
 * Along the row each pixel waits for the last, so `along` is L(q,·) as it is, and its minimum comes
 * in at the end; see step_along of full search.
 */
INLINE void follow_run(const Piece *s, const Row *row, Run *run, VPair *along_row, VPair *least_row,
    VPair reached, const uint8_t *others, uint8_t *sums, int eight)
{
  const size_t right_stride = row->right_stride;
  const uint8_t *right[2] = {
      row->right - (SPAN - 1) - run->own[0], row->right - (SPAN - 1) - run->own[1]};
  const LeftBits *left = &row->left[0][0] - row->first;
  uint8_t *up = row->up;
  const int direction = row->direction;
  const VPair p1 = row->p1, p2 = row->p2;
  VPair along = *along_row, least = *least_row;
  for (int t = 0, x = run->x, i = run->i; t < run->pixels; t++, i++, x += direction) {
    const uint8_t *words[2] = {right[0] + x, right[1] + x};
    VPair cost = vp_costs(left + x, TILE_COLUMNS, words, right_stride);
    along = vp_add(vp_sub(cost, least), vp_min(reached, vp_add(least, p2)));
    least = vp_least(along);
    reached = reach(along, p1);
    VPair sum, above = step_across(up + (size_t)i * CELL, &run->up, cost, p1, p2);
    if (eight)
      sum = vp_add(vp_average(along, above), diagonals(s, row, run, x, i, cost));
    else
      sum = vp_add(along, above);
    if (others != NULL)
      sum = vp_average(vp_load(others + (ptrdiff_t)x * CELL), sum);
    vp_store(sums + (ptrdiff_t)x * CELL, sum);
  }
  *along_row = along;
  *least_row = least;
}

/* The half sums of a piece. sums NULL: they are stored in the volume; else averaged with what the
 * other sweep stored there, and in `sums`, in the order of the image. */
INLINE void piece_of(const Piece *s, uint8_t *sums, int eight, int second)
{
  const Level *level = s->level;
  uint8_t *state = s->sweep->left + (size_t)s->j * CELL;
  uint8_t *volume = s->volume + (size_t)s->y * (size_t)level->params.width * CELL;
  const int direction = s->sweep->direction;
  Row row;
  open_row(&row, s);
  uint8_t *to = second ? sums - (ptrdiff_t)row.first * CELL : volume;
  VPair along = vp_load(state), least = vp_set(0);
  Run run = {.x = direction > 0 ? s->begin : level->params.width - 1 - s->begin, .i = s->begin};
  for (; run.i < s->end; run.i += run.pixels, run.x += direction * run.pixels) {
    Origin before;
    run.own = starts_of(level, run.x, s->y);
    run.pixels = run_length(run.x, s->end - run.i, direction);
    find_origin(&before, level, run.own, run.x, s->y, -direction, 0);
    find_origin(&run.up, level, run.own, run.x, s->y, 0, -direction);
    VPair reached = reach_from(&before, vp_sub(along, least), row.p1);
    least = vp_set(0);
    follow_run(s, &row, &run, &along, &least, reached, second ? volume : NULL, to, eight);
  }
  vp_store(state, vp_sub(along, least));
}

#define PIECE_OF(eight, second)                                                                    \
  static void piece_##eight##_##second(const Piece *s, uint8_t *sums)                              \
  {                                                                                                \
    piece_of(s, sums, eight, second);                                                              \
  }
PIECE_OF(0, 0)
PIECE_OF(0, 1)
PIECE_OF(1, 0)
PIECE_OF(1, 1)
#undef PIECE_OF

static void follow_paths(const Piece *s, uint8_t *sums)
{
  static void (*const functions[2][2])(const Piece *, uint8_t *) = {
      {piece_0_0, piece_0_1}, {piece_1_0, piece_1_1}};
  functions[s->level->params.paths == 8][sums != NULL](s, sums);
}

#endif
