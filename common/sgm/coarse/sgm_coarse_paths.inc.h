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
#define SLOT (2 * CELL) /* a pixel in the volume: half sums, and costs for the other sweep */
#define PIXELS_AHEAD 16 /* that the volume is asked for before it is read */

/* A piece of a line, in sweep coordinates. */
typedef struct {
  const Level *level;
  const Sweep *sweep;
  uint8_t *volume; /* of the level */
  uint8_t *sums;   /* of the piece: S, in the order of the image; NULL: half sums are stored */
  int j, y;        /* line in the sweep and in the image */
  int begin, end;  /* i; at most TILE_COLUMNS */
} Piece;

/* Census words of a piece, in the order of the image: planes at distances that the compiler knows,
 * so that one address does for all. Those of the right image begin D pixels further left. */
#define RIGHT_COLUMNS (TILE_COLUMNS + MAX_DISPARITY)
typedef struct {
  LeftBits left[PAIR_PLANES][TILE_COLUMNS];
  uint8_t right[PAIR_PLANES][RIGHT_COLUMNS];
} Words;

/* What the inner loop reads, copied out of the shared structures, so that the compiler need not
 * assume that storing a path changes it. */
typedef struct {
  const LeftBits *left;             /* of x = 0 */
  const uint8_t *right;             /* likewise */
  uint8_t *up, *up_left, *up_right; /* states of i = 0 */
  uint8_t *volume;                  /* of x = 0 */
  uint8_t *sums;                    /* S, likewise */
  int direction;
  VPair p1, p2;
} Row;

INLINE void copy_words(Words *to, const Level *level, size_t y, size_t first, size_t pixels)
{
  const Fast *f = &level->f;
  size_t border = (size_t)level->params.max_disparity;
  for (size_t p = 0; p < PAIR_PLANES; p++) {
    const uint8_t *left = f->left_planes + (y * PAIR_PLANES + p) * level->left_stride + first;
    const uint8_t *right = f->right_planes + (y * PAIR_PLANES + p) * level->right_stride + first;
    for (size_t t = 0; t < pixels; t++)
      to->left[p][t] = (LeftBits)(left[t] * LEFT_REPEAT);
    memcpy(to->right[p], right, border + pixels);
  }
}

INLINE void open_row(Row *row, const Piece *s, Words *words)
{
  const Level *level = s->level;
  int width = level->params.width;
  size_t y = (size_t)s->y, j = (size_t)s->j;
  row->direction = s->sweep->direction;
  int first = row->direction > 0 ? s->begin : width - s->end;
  row->volume = s->volume + y * (size_t)width * SLOT;
  if (s->sums != NULL)
    row->sums = s->sums - (ptrdiff_t)first * CELL;
  else
    copy_words(words, level, y, (size_t)first, (size_t)(s->end - s->begin));
  row->left = words->left[0] - first;
  row->right = words->right[0] + level->params.max_disparity - first;
  row->up = s->sweep->up;
  row->up_left = s->sweep->up_left + ((size_t)level->lines - 1 - j) * CELL;
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
  bool inside = x + dx >= 0 && x + dx < level->params.width && y + dy >= 0 && y + dy < level->lines;
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

/*
 * Pixels of one row in one block, and the path along the row up to where it is. Each pixel waits
 * for the last, so `along` is L(q,·) as it is, and its minimum comes in at the end; see step_along
 * of full search.
 */
typedef struct {
  const Piece *s;
  Row row;
  const uint8_t *own; /* windows */
  const uint8_t *right[2];
  int x, i, pixels; /* the next one, and how many there are in this block */
  Origin up;
  VPair along, least, reached;
} Run;

/* Pixels in a row of one block, in the order of the sweep. */
INLINE int run_length(int x, int left, int direction)
{
  int room = direction > 0 ? BLOCK - x % BLOCK : x % BLOCK + 1;
  return room < left ? room : left;
}

/* The next run; false: the piece is at its end. */
INLINE bool next_run(Run *run)
{
  const Piece *s = run->s;
  const Level *level = s->level;
  const int direction = run->row.direction;
  if (run->i >= s->end)
    return false;
  Origin before;
  run->own = starts_of(level, run->x, s->y);
  run->pixels = run_length(run->x, s->end - run->i, direction);
  run->right[0] = run->row.right - (SPAN - 1) - run->own[0];
  run->right[1] = run->row.right - (SPAN - 1) - run->own[1];
  find_origin(&before, level, run->own, run->x, s->y, -direction, 0);
  find_origin(&run->up, level, run->own, run->x, s->y, 0, -direction);
  run->reached = reach_from(&before, vp_sub(run->along, run->least), run->row.p1);
  run->least = vp_set(0);
  return true;
}

INLINE uint8_t *along_state(const Piece *s)
{
  return s->sweep->left + (size_t)s->j * CELL;
}

INLINE void begin_row(Run *run, const Piece *s, Words *words)
{
  *run = (Run){.s = s, .i = s->begin};
  open_row(&run->row, s, words);
  run->x = run->row.direction > 0 ? s->begin : s->level->params.width - 1 - s->begin;
  run->along = vp_load(along_state(s));
  run->least = vp_set(0);
}

INLINE void end_row(const Run *run)
{
  vp_store(along_state(run->s), vp_sub(run->along, run->least));
}

/* L of the paths from the upper left and right, averaged. */
INLINE VPair diagonals(const Run *run, VPair cost)
{
  const Row *row = &run->row;
  const Piece *s = run->s;
  Origin left, right;
  find_origin(&left, s->level, run->own, run->x, s->y, -row->direction, -row->direction);
  find_origin(&right, s->level, run->own, run->x, s->y, row->direction, -row->direction);
  size_t at = (size_t)run->i * CELL;
  VPair a = step_across(row->up_left + at, &left, cost, row->p1, row->p2);
  VPair b = step_across(row->up_right + at, &right, cost, row->p1, row->p2);
  return vp_average(a, b);
}

/* One pixel: its half sum and costs go to the volume, or, where the other sweep has left its own
 * there, S to the sums. */
INLINE void step(Run *run, int eight, int second)
{
  Row *row = &run->row;
  const int x = run->x;
  uint8_t *slot = row->volume + (ptrdiff_t)x * SLOT;
  const uint8_t *words[2] = {run->right[0] + x, run->right[1] + x};
  if (second)
    __builtin_prefetch(slot + PIXELS_AHEAD * row->direction * SLOT);
  VPair cost =
      second ? vp_load(slot + CELL) : vp_costs(row->left + x, TILE_COLUMNS, words, RIGHT_COLUMNS);
  VPair jump = vp_add(run->least, row->p2);
  VPair along = vp_add(vp_sub(cost, run->least), vp_min(run->reached, jump));
  run->along = along;
  run->least = vp_least(along);
  run->reached = reach(along, row->p1);
  VPair sum, up = step_across(row->up + (size_t)run->i * CELL, &run->up, cost, row->p1, row->p2);
  if (eight)
    sum = vp_add(vp_average(along, up), diagonals(run, cost));
  else
    sum = vp_add(along, up);
  if (second) {
    vp_store(row->sums + (ptrdiff_t)x * CELL, vp_average(vp_load(slot), sum));
  } else {
    vp_stream(slot, sum);
    vp_stream(slot + CELL, cost);
  }
  run->i++;
  run->x += row->direction;
}

INLINE void steps(Run *run, int pixels, int eight, int second)
{
  for (int t = 0; t < pixels; t++)
    step(run, eight, second);
}

/*
 * A piece, and that of the next row, `below`, if there is one. That follows a block behind, so that
 * what its paths come from is done. Steps of both rows take turns: along a row each waits for the
 * minimum of the last, and meanwhile the other row goes on.
 */
INLINE void pieces_of(const Piece *s, const Piece *below, int eight, int second)
{
  Words words[2];
  Run run, other;
  begin_row(&run, s, &words[0]);
  bool more = next_run(&run), also;
  if (below == NULL) {
    for (; more; more = next_run(&run))
      steps(&run, run.pixels, eight, second);
    end_row(&run);
    return;
  }
  steps(&run, run.pixels, eight, second);
  begin_row(&other, below, &words[1]);
  more = next_run(&run);
  also = next_run(&other);
  while (more && also) {
    int common = run.pixels < other.pixels ? run.pixels : other.pixels;
    for (int t = 0; t < common; t++) {
      step(&run, eight, second);
      step(&other, eight, second);
    }
    steps(&run, run.pixels - common, eight, second);
    steps(&other, other.pixels - common, eight, second);
    more = next_run(&run);
    also = next_run(&other);
  }
  for (; more; more = next_run(&run))
    steps(&run, run.pixels, eight, second);
  for (; also; also = next_run(&other))
    steps(&other, other.pixels, eight, second);
  end_row(&run);
  end_row(&other);
}

#define PIECES(eight, second)                                                                      \
  static void pieces_##eight##_##second(const Piece *s, const Piece *below)                        \
  {                                                                                                \
    pieces_of(s, below, eight, second);                                                            \
  }
PIECES(0, 0)
PIECES(0, 1)
PIECES(1, 0)
PIECES(1, 1)
#undef PIECES

/* below: NULL, or of the next line, beginning and ending a pixel earlier, as far as there are any.
 * Neither is empty. */
static void follow_paths(const Piece *s, const Piece *below)
{
  static void (*const functions[2][2])(const Piece *, const Piece *) = {
      {pieces_0_0, pieces_0_1}, {pieces_1_0, pieces_1_1}};
  functions[s->level->params.paths == 8][s->sums != NULL](s, below);
}

#endif
