/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_coarse_omp.c: what a sweep makes of a piece of one line: costs and path costs, from
 * the sums of both sweeps winners, and on the last level values; then the left-right check among
 * winners.
 *
 * Within a block a step is that of full search with one vector. Where a path comes from another
 * block it is written down by disparity and read again at the new windows.
 */
#ifndef STX_SGM_COARSE_SWEEP_INC_H
#define STX_SGM_COARSE_SWEEP_INC_H

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

/* Pointers and constants of the inner loop, copied out of the shared structures, so that the
 * compiler need not assume that storing a path changes it. */
typedef struct {
  const LeftBits *left;             /* of x = 0 */
  const uint8_t *right;             /* likewise */
  uint8_t *up, *up_left, *up_right; /* states of i = 0 */
  uint8_t *volume;                  /* of x = 0 */
  uint8_t *sums;                    /* S, likewise */
  int direction;
  VPair p1, p1_up, p1_diagonal, p2; /* P1_r along the line, from above, from beside that */
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
  row->p1_up = vp_set(stx_sgm_p1(level->params.p1, 0, 1, STX_SGM_COARSE_STEP));
  row->p1_diagonal = vp_set(stx_sgm_p1(level->params.p1, 1, 1, STX_SGM_COARSE_STEP));
  row->p2 = vp_set(level->params.p2);
}

/* min(N(d), N(d ± 1) + P1) within the same windows. */
INLINE VPair reach(VPair n, VPair p1)
{
  return vp_min(n, vp_add(vp_min(vp_up(n), vp_down(n)), p1));
}

/* The predecessor of a path: its windows, and whether they differ from those here. */
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
  VPair a = step_across(row->up_left + at, &left, cost, row->p1_diagonal, row->p2);
  VPair b = step_across(row->up_right + at, &right, cost, row->p1_diagonal, row->p2);
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
  uint8_t *above = row->up + (size_t)run->i * CELL;
  VPair sum, up = step_across(above, &run->up, cost, row->p1_up, row->p2);
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

/* ---- Winners ------------------------------------------------------------------------------ */

/* Input of the pixels of a piece, in the order of the image. */
typedef struct {
  uint16_t key[TILE_COLUMNS];    /* 256·S1 + rank */
  uint32_t around[TILE_COLUMNS]; /* bytes, from the lowest: S(d* + 1), S1, S(d* − 1) */
  uint8_t second[TILE_COLUMNS];
  uint8_t begin[2][TILE_COLUMNS + BLOCK]; /* d − rank in either window */
} Winners;

INLINE size_t first_of(const Piece *s)
{
  int width = s->level->params.width;
  int first = s->sweep->direction > 0 ? s->begin : width - s->end;
  return (size_t)s->y * (size_t)width + (size_t)first;
}

static void find_keys(const uint8_t *restrict sums, uint16_t *restrict keys, int pixels)
{
  for (int t = 0; t < pixels; t++)
    keys[t] = (uint16_t)vp_key(vp_load(sums + (size_t)t * CELL));
}

/* S next to d*, where it is in the window; anything where not. A CELL before and behind the sums
 * may be read. */
INLINE uint32_t find_around(const uint8_t *sums, unsigned rank)
{
  uint32_t around;
  memcpy(&around, sums + (rank ^ (SPAN - 1)) - 1, sizeof around);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
  around = __builtin_bswap32(around);
#endif
  return around;
}

/* All that a value needs. seconds: S2 is wanted. */
INLINE void find_all(const uint8_t *restrict sums, Winners *restrict w, int pixels, int seconds)
{
  for (int t = 0; t < pixels; t++, sums += CELL) {
    VPair s = vp_load(sums);
    int key = vp_key(s), rank = key & (CELL - 1);
    w->key[t] = (uint16_t)key;
    w->around[t] = find_around(sums, (unsigned)rank);
    w->second[t] = seconds ? (uint8_t)vp_second(s, rank) : UINT8_MAX; /* everything is unique */
  }
}

/* The share of the windows of a piece's blocks in a rank. */
static void find_begins(const Piece *s, int x, int pixels, Winners *w)
{
  const uint8_t *starts = starts_of(s->level, x, s->y);
  for (int t = -(x % BLOCK); t < pixels; t += BLOCK, starts += 2) {
    int from = t > 0 ? t : 0; /* of the first block, more than there is: that comes again */
    memset(w->begin[0] + from, starts[0], BLOCK);
    memset(w->begin[1] + from, (uint8_t)(starts[1] - SPAN), BLOCK);
  }
}

/* The winners' disparities from their keys. */
static void name_winners(const Piece *s, Winners *w)
{
  size_t at = first_of(s);
  int x = (int)(at % (size_t)s->level->params.width), pixels = s->end - s->begin;
  uint8_t *restrict winner = s->level->f.winner + at;
  find_begins(s, x, pixels, w);
  for (int t = 0; t < pixels; t++) {
    uint8_t rank = w->key[t] & (CELL - 1);
    winner[t] = (uint8_t)(rank + (rank < SPAN ? w->begin[0][t] : w->begin[1][t]));
  }
}

/* Values and margins of a piece, all checks but the left-right check applied. */
static void finish_piece(const Piece *s, const Winners *w)
{
  const Fast *f = &s->level->f;
  size_t at = first_of(s);
  int first = (int)(at % (size_t)f->params->width), pixels = s->end - s->begin;
  int uniqueness = f->params->uniqueness;
  const uint8_t *restrict winner = f->winner + at;
  uint16_t *restrict value = f->value + at;
  uint8_t *restrict margin = f->margin + at, *restrict least = f->right_winner + at;
  for (int t = 0; t < pixels; t++) {
    int place = w->key[t] & (SPAN - 1), s1 = w->key[t] >> 8, s2 = w->second[t], d = winner[t];
    int below = w->around[t] >> 16 & 255, above = w->around[t] & 255;
    int vertex = stx_sgm_vertex(below, s1, above);
    vertex = ((place > 0) & (place < SPAN - 1)) ? vertex : 0;
    int known = (d <= first + t) & stx_sgm_unique(s1, s2, uniqueness);
    value[t] = (uint16_t)(known ? stx_sgm_value(d, vertex) : STX_DISPARITY_UNKNOWN);
    margin[t] = (uint8_t)(known ? stx_sgm_confidence(s1, s2) : 0);
  }
  for (int t = 0; t < pixels; t++) /* apart: of so many arrays the compiler makes no vector code */
    least[t] = (uint8_t)(w->key[t] >> 8);
}

/* values: of the last level, otherwise winners alone are wanted. */
static void pick_winners(const Piece *s, bool values)
{
  int pixels = s->end - s->begin;
  Winners w;
  if (!values)
    find_keys(s->sums, w.key, pixels);
  else if (s->level->f.margins)
    find_all(s->sums, &w, pixels, 1);
  else
    find_all(s->sums, &w, pixels, 0);
  name_winners(s, &w);
  if (values)
    finish_piece(s, &w);
}

/* Claims of pixels from x on upon their matches: 256·S1 + d, of which the least counts. */
INLINE void claim_matches(const uint8_t *restrict winner, const uint8_t *restrict least, int x,
    int pixels, uint16_t *restrict keys)
{
  uint16_t match[PIECE], key[PIECE];
  find_matches(winner, x, pixels, match);
  for (int t = 0; t < pixels; t++) /* x < d: unknown already, and matches nothing */
    key[t] = x + t >= winner[t] ? (uint16_t)(256 * least[t] + winner[t]) : UINT16_MAX;
  for (int t = 0; t < pixels; t++) {
    uint16_t old = keys[match[t]];
    keys[match[t]] = key[t] < old ? key[t] : old;
  }
}

/* d_R of line y, in place of its S1. keys: a line of them. */
static void right_view(const Fast *f, int y, uint16_t *keys)
{
  int width = f->params->width;
  const uint8_t *winner = f->winner + (size_t)y * (size_t)width;
  uint8_t *right = f->right_winner + (size_t)y * (size_t)width;
  memset(keys, 0xff, (size_t)width * sizeof *keys);
  for (int x = 0; x < width; x += PIECE)
    claim_matches(winner + x, right + x, x, width - x < PIECE ? width - x : PIECE, keys);
  for (int x = 0; x < width; x++)
    right[x] = (uint8_t)(keys[x] & 255);
}

/* ---- Rows between lines ------------------------------------------------------------------- */

/* Between the values a and b of the lines above and below. */
static void between_values(
    const uint16_t *restrict a, const uint16_t *restrict b, uint16_t *restrict value, int width)
{
  for (int x = 0; x < width; x++) {
    uint16_t low = a[x] < b[x] ? a[x] : b[x], high = a[x] < b[x] ? b[x] : a[x];
    uint16_t apart = (uint16_t)(high - low);
    uint16_t known = (low != STX_DISPARITY_UNKNOWN) & (apart <= STX_SGM_COARSE_AGREE);
    value[x] = (uint16_t)((low + high + 1) >> 1) & (uint16_t)-known;
  }
}

static void between_margins(const uint8_t *restrict a, const uint8_t *restrict b,
    const uint16_t *restrict value, uint8_t *restrict margin, int width)
{
  for (int x = 0; x < width; x++) {
    uint8_t least = a[x] < b[x] ? a[x] : b[x];
    margin[x] = value[x] != STX_DISPARITY_UNKNOWN ? least : 0;
  }
}

/* Row y of the output from the lines, their median taken. */
static void take_row(const StxImage16 *lines, const StxImage8 *sure, int y,
    const StxImage16 *disparity, const StxImage8 *confidence)
{
  int above = y / STEP, below = within((y + STEP - 1) / STEP, 0, lines->height - 1);
  uint16_t *to = stx_row16(disparity, y);
  between_values(stx_row16(lines, above), stx_row16(lines, below), to, disparity->width);
  if (confidence->data != NULL)
    between_margins(stx_row8(sure, above), stx_row8(sure, below), to, stx_row8(confidence, y),
        disparity->width);
}

#endif
