/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_coarse_omp.c: what a sweep makes of a tile: costs and path costs, from the sums of
 * both sweeps winners, and on the last level values; then the left-right check among winners.
 *
 * Within a block a step is that of full search with one vector. Where a path comes from another
 * block its costs change places.
 */
#pragma once

#include "common/sgm/coarse/sgm_coarse_level.inc.h"

#define LINES (2 * PAIRS) /* that are followed together */
#define PIXELS_AHEAD 16   /* that the volume is asked for before it is read */

/* A piece of a row of blocks; each line begins a block earlier in the sweep than the one before. */
typedef struct {
  const Level *level;
  const Sweep *sweep;
  uint8_t *volume; /* of the level */
  uint8_t *sums;   /* SUMS bytes for each line: S, in the order of the image; NULL: half sums are
                      stored */
  int row, lines;  /* of blocks; of that row, from where the sweep comes from */
  int begin;       /* block of the first line, in the order of the sweep */
} Tile;
#define SUMS ((TILE_COLUMNS + 2) * CELL) /* with one in front and one behind, see find_around */

static int line_of(const Tile *tile, int r)
{
  int top = tile->row * BLOCK_LINES;
  return tile->sweep->direction > 0 ? top + r : top + tile->lines - 1 - r;
}

/* The column of the image in which a block of the sweep is. */
static int column_of(const Tile *tile, int block)
{
  return tile->sweep->direction > 0 ? block : tile->level->columns - 1 - block;
}

/* Blocks of line r in a tile: from the first up to the one behind the last. */
static int first_block(const Tile *tile, int r)
{
  return within(tile->begin - r, 0, tile->level->columns);
}

static int end_block(const Tile *tile, int r)
{
  return within(tile->begin - r + TILE_BLOCKS, 0, tile->level->columns);
}

/* Pixels of a column of blocks. */
static int pixels_of(const Level *level, int column)
{
  return within(level->params.width - column * BLOCK, 0, BLOCK);
}

/* The first pixel of line r in a tile, in the order of the image. */
static int first_pixel(const Tile *tile, int r)
{
  int first = column_of(tile, first_block(tile, r)), last = column_of(tile, end_block(tile, r) - 1);
  return BLOCK * (first < last ? first : last);
}

/* S of pixel 0 of line r, which need not be in the tile. */
static uint8_t *sums_of(const Tile *tile, int r)
{
  return tile->sums + (ptrdiff_t)r * SUMS + CELL - (ptrdiff_t)first_pixel(tile, r) * CELL;
}

/* min(N(d), N(d ± 1) + P1) within the same windows. */
INLINE VRows reach(VRows n, VRows p1)
{
  return vr_min(n, vr_add(vr_min(vr_up(n), vr_down(n)), p1));
}

/* The predecessors of paths: whether the windows of any differ from those here. */
typedef struct {
  bool moves;
  RowsMotion motion;
} Origin;

INLINE VRows reach_from(Origin *origin, VRows n, VRows p1)
{
  return origin->moves ? vr_move(&origin->motion, n, p1) : reach(n, p1);
}

/* Streams that a line of a tile reads and writes: states of paths, the volume, sums. */
enum { ALONG, UP, UP_LEFT, UP_RIGHT, HALF, SUM, STREAMS };

/*
 * Paths of PAIRS lines of a tile, each one block behind the one before; or of one line, then as
 * often: the same is done and stored twice. Along a line each pixel waits for the last, so `along`
 * is L(q,·) as it is, and its minimum comes in at the end.
 */
typedef struct {
  int direction, columns;                    /* of blocks in the level */
  int column[PAIRS], line[PAIRS];            /* the block of each line */
  const uint8_t *own[PAIRS], *above[PAIRS];  /* its windows and those above; NULL: outside */
  const uint8_t *left[PAIRS], *right[PAIRS]; /* words of its first pixel */
  uint8_t *at[STREAMS];                      /* of the next pixel of the first line … */
  ptrdiff_t next[STREAMS];                   /* … and how far the second's are */
  Costs costs;
  Origin up_origin;
  VRows along, least, reached;
  VRows p1, p1_up, p1_diagonal, p2; /* P1_r along the line, from above, from beside that */
} Run;

/* Finds the origin of paths from blocks dx columns further right, in this line or above. */
INLINE void find_origin(Origin *origin, const Run *run, int dx, bool above)
{
  const uint8_t *from[PAIRS];
  bool moves = false;
  for (int k = 0; k < PAIRS; k++) {
    int column = run->column[k] + dx;
    const uint8_t *row = above ? run->above[k] : run->own[k];
    bool inside = column >= 0 && column < run->columns && row != NULL; /* else all N are 0 */
    from[k] = inside ? row + 2 * dx : run->own[k];
    moves |= from[k][0] != run->own[k][0] || from[k][1] != run->own[k][1];
  }
  origin->moves = moves;
  if (moves)
    vr_motion(&origin->motion, from, run->own);
}

INLINE void open_blocks(Run *run, int second)
{
  Origin before;
  for (int k = 0; k < PAIRS && !second; k++)
    vr_open_costs(&run->costs, k, run->left[k],
        (const uint8_t *const[]){run->right[k] - run->own[k][0], run->right[k] - run->own[k][1]});
  find_origin(&before, run, -run->direction, false);
  find_origin(&run->up_origin, run, 0, true);
  run->reached = reach_from(&before, vr_sub(run->along, run->least), run->p1);
  run->least = vr_set(0);
}

INLINE void close_blocks(Run *run)
{
  const int direction = run->direction;
  for (int k = 0; k < PAIRS; k++) {
    run->column[k] += direction;
    run->own[k] += 2 * direction;
    run->above[k] = run->above[k] != NULL ? run->above[k] + 2 * direction : NULL;
    run->left[k] += direction * BLOCK;
    run->right[k] += direction * BLOCK;
  }
}

INLINE VRows load_stream(const Run *run, int stream)
{
  return vr_load(run->at[stream], run->next[stream]);
}

INLINE void store_stream(const Run *run, int stream, VRows v)
{
  vr_store(run->at[stream], run->next[stream], v);
}

/* A step of a path that does not run along the line: from N(q,·) to L(p,·). */
INLINE VRows step_across(const Run *run, int stream, Origin *origin, VRows cost, VRows p1)
{
  return vr_add(cost, vr_min(reach_from(origin, load_stream(run, stream), p1), run->p2));
}

/* L of the paths from the upper left and right, averaged. t: the pixel's number in its block, of so
 * many pixels */
INLINE VRows diagonals(Run *run, VRows cost, int t, int pixels)
{
  const int before = run->direction > 0 ? t == 0 : t == pixels - 1;
  const int behind = run->direction > 0 ? t == pixels - 1 : t == 0;
  Origin left, right;
  VRows least_a, least_b;
  find_origin(&left, run, before ? -run->direction : 0, true);
  find_origin(&right, run, behind ? run->direction : 0, true);
  VRows a = step_across(run, UP_LEFT, &left, cost, run->p1_diagonal);
  VRows b = step_across(run, UP_RIGHT, &right, cost, run->p1_diagonal);
  vr_least(a, b, &least_a, &least_b);
  store_stream(run, UP_LEFT, vr_sub(a, least_a));
  store_stream(run, UP_RIGHT, vr_sub(b, least_b));
  run->at[UP_LEFT] += CELL;
  run->at[UP_RIGHT] += CELL;
  return vr_average(a, b);
}

/* Pixel t of the block of each line: half sums and costs go to the volume, or, where the other
 * sweep has left its own there, S to the sums. */
INLINE void step(Run *run, int t, int pixels, int eight, int second)
{
  const int direction = run->direction;
  uint8_t *half = run->at[HALF];
  VRows cost, other, least;
  if (second) {
    for (int k = 0; k < PAIRS; k++)
      __builtin_prefetch(half + k * run->next[HALF] + PIXELS_AHEAD * direction * SLOT);
    vr_fetch(half, run->next[HALF], &other, &cost);
  } else {
    cost = vr_costs(&run->costs, t);
  }
  VRows up = step_across(run, UP, &run->up_origin, cost, run->p1_up);
  VRows jump = vr_add(run->least, run->p2);
  VRows along = vr_add(vr_sub(cost, run->least), vr_min(run->reached, jump));
  run->along = along;
  run->reached = reach(along, run->p1);
  vr_least(along, up, &run->least, &least);
  store_stream(run, UP, vr_sub(up, least));
  VRows sum =
      eight ? vr_add(vr_average(along, up), diagonals(run, cost, t, pixels)) : vr_add(along, up);
  if (second)
    store_stream(run, SUM, vr_average(other, sum));
  else
    vr_stream(half, run->next[HALF], sum, cost);
  run->at[UP] += CELL;
  run->at[HALF] += direction * SLOT;
  run->at[SUM] += direction * CELL;
}

INLINE void copy_vectors(uint8_t *restrict to, const uint8_t *restrict from, int count)
{
  for (int t = 0; t < count; t += LANES) {
    store_u8(to + t, load_u8(from + t));
    __asm__ volatile(""); /* or the compiler calls memcpy, which takes longer for so little */
  }
}

/* Line k of a run is line r of the tile, from `block` up to `end`. */
INLINE void begin_line(
    Run *run, const Tile *tile, int k, int r, int block, int end, Words *words, int second)
{
  const Level *level = tile->level;
  const Sweep *sweep = tile->sweep;
  const int direction = sweep->direction, y = line_of(tile, r), column = column_of(tile, block);
  const int first = BLOCK * (direction > 0 ? column : column_of(tile, end - 1));
  const int x = BLOCK * column,
            pixels = within(level->params.width - first, 0, (end - block) * BLOCK);
  const uint8_t *starts = level->starts + 2 * ((ptrdiff_t)tile->row * level->columns + column);
  const ptrdiff_t rows = r > 0 ? 0 : 2 * (ptrdiff_t)direction * level->columns;
  run->column[k] = column;
  run->line[k] = y;
  run->own[k] = starts;
  run->above[k] = y - direction >= 0 && y - direction < level->lines ? starts - rows : NULL;
  /* The words of the line from its first pixel on, and D before that of the right image. */
  for (size_t p = 0; p < PAIR_PLANES && !second; p++) {
    size_t plane = (size_t)y * PAIR_PLANES + p;
    copy_vectors(words->left[p], level->f.left_planes + plane * level->left_stride + first, pixels);
    copy_vectors(words->right[p], level->f.right_planes + plane * level->right_stride + first,
        level->params.max_disparity + pixels);
  }
  run->left[k] = words->left[0] + (x - first);
  run->right[k] = words->right[0] + level->params.max_disparity + (x - first) - (SPAN - 1);
}

/* The beginnings of the streams of line k, which is line r of the tile. */
INLINE void find_streams(
    const Run *run, const Tile *tile, int k, int r, int second, uint8_t *at[STREAMS])
{
  const Level *level = tile->level;
  const Sweep *sweep = tile->sweep;
  const int forward = run->direction > 0, column = run->column[k], y = run->line[k];
  const int width = level->params.width;
  int x = BLOCK * column + (forward ? 0 : pixels_of(level, column) - 1);
  ptrdiff_t i = forward ? x : width - 1 - x, j = forward ? y : level->lines - 1 - y;
  at[ALONG] = sweep->left + j * CELL;
  at[UP] = sweep->up + i * CELL;
  at[UP_LEFT] = sweep->up_left + (i + level->lines - 1 - j) * CELL;
  at[UP_RIGHT] = sweep->up_right + (i + j) * CELL;
  at[HALF] = tile->volume + ((ptrdiff_t)y * width + x) * SLOT;
  at[SUM] = second ? sums_of(tile, r) + (ptrdiff_t)x * CELL : at[HALF];
}

/* Lines from line r on, from `block` up to `end`, each `lag` blocks behind the one before; 0: they
 * are all the same. */
INLINE void begin_run(
    Run *run, const Tile *tile, int r, int block, int end, int lag, Words *words, int second)
{
  const StxSgmParams *params = &tile->level->params;
  uint8_t *at[PAIRS][STREAMS];
  run->direction = tile->sweep->direction;
  run->columns = tile->level->columns;
  for (int k = 0; k < PAIRS; k++) {
    begin_line(run, tile, k, r + k * lag, block - k * lag, end - k * lag, words + k * lag, second);
    find_streams(run, tile, k, r + k * lag, second, at[k]);
  }
  for (int stream = 0; stream < STREAMS; stream++) {
    run->at[stream] = at[0][stream];
    run->next[stream] = at[PAIRS - 1][stream] - at[0][stream];
  }
  run->p1 = vr_set(params->p1);
  run->p1_up = vr_set(stx_sgm_p1(params->p1, 0, 1, STX_SGM_COARSE_STEP));
  run->p1_diagonal = vr_set(stx_sgm_p1(params->p1, 1, 1, STX_SGM_COARSE_STEP));
  run->p2 = vr_set(params->p2);
  run->along = load_stream(run, ALONG);
  run->least = vr_set(0);
}

INLINE void end_run(const Run *run)
{
  store_stream(run, ALONG, vr_sub(run->along, run->least));
}

/* Blocks of one line. */
INLINE void follow_line(const Tile *tile, int r, int block, int end, int eight, int second)
{
  Words words;
  Run run;
  if (block >= end)
    return;
  begin_run(&run, tile, r, block, end, 0, &words, second);
  const int direction = run.direction;
  for (; block < end; block++) {
    int pixels = pixels_of(tile->level, run.column[0]);
    open_blocks(&run, second);
    for (int t = 0; t < pixels; t++)
      step(&run, direction > 0 ? t : pixels - 1 - t, pixels, eight, second);
    close_blocks(&run);
  }
  end_run(&run);
}

/* Whole blocks of LINES lines from line r on, `block` and `end` being those of the first. What the
 * paths of a line come from is done when it gets there. Steps of all lines take turns: along a line
 * each waits for the minimum of the last, and meanwhile the others go on. */
INLINE void follow_lines(const Tile *tile, int r, int block, int end, int eight, int second)
{
  Words words[LINES];
  Run a, b;
  if (block >= end)
    return;
  begin_run(&a, tile, r, block, end, 1, words, second);
  begin_run(&b, tile, r + PAIRS, block - PAIRS, end - PAIRS, 1, words + PAIRS, second);
  const int direction = a.direction;
  for (; block < end; block++) {
    open_blocks(&a, second);
    open_blocks(&b, second);
    for (int t = 0; t < BLOCK; t++) {
      step(&a, direction > 0 ? t : BLOCK - 1 - t, BLOCK, eight, second);
      step(&b, direction > 0 ? t : BLOCK - 1 - t, BLOCK, eight, second);
    }
    close_blocks(&a);
    close_blocks(&b);
  }
  end_run(&a);
  end_run(&b);
}

/* LINES lines from line r on, or those that are left: together where all have whole blocks. */
INLINE void paths_of(const Tile *tile, int r, int eight, int second)
{
  const Level *level = tile->level;
  const int partial = level->params.width % BLOCK != 0, forward = tile->sweep->direction > 0;
  const int lines = within(tile->lines - r, 0, LINES);
  const int first = tile->begin - r, end = first + TILE_BLOCKS; /* of line r */
  const int from = within((partial && !forward) + lines - 1, first, end);
  const int to = lines < LINES ? from : within(level->columns - (partial && forward), from, end);
  for (int k = 0; k < lines; k++)
    follow_line(
        tile, r + k, first_block(tile, r + k), within(from - k, 0, level->columns), eight, second);
  if (from < to)
    follow_lines(tile, r, from, to, eight, second);
  for (int k = 0; k < lines; k++)
    follow_line(
        tile, r + k, within(to - k, 0, level->columns), end_block(tile, r + k), eight, second);
}

#define PATHS(eight, second)                                                                       \
  static void paths_##eight##_##second(const Tile *tile, int r)                                    \
  {                                                                                                \
    paths_of(tile, r, eight, second);                                                              \
  }
PATHS(0, 0)
PATHS(0, 1)
PATHS(1, 0)
PATHS(1, 1)
#undef PATHS

/* Lines r … r + LINES − 1 of a tile, as far as there are any. */
static void follow_paths(const Tile *tile, int r)
{
  static void (*const functions[2][2])(const Tile *, int) = {
      {paths_0_0, paths_0_1}, {paths_1_0, paths_1_1}};
  functions[tile->level->params.paths == 8][tile->sums != NULL](tile, r);
}

/* ---- Winners ------------------------------------------------------------------------------ */

/* Input of the pixels of a piece, in the order of the image. */
typedef struct {
  uint16_t key[TILE_COLUMNS];    /* 256·S1 + rank */
  uint32_t around[TILE_COLUMNS]; /* bytes, from the lowest: S(d* + 1), S1, S(d* − 1) */
  uint8_t second[TILE_COLUMNS];
  uint8_t begin[2][TILE_COLUMNS]; /* d − rank in either window */
} Winners;

/* A line in a tile. */
typedef struct {
  const Level *level;
  const uint8_t *sums; /* S, in the order of the image */
  int x, y, pixels;    /* where it begins; at most TILE_COLUMNS */
} Piece;

INLINE size_t first_of(const Piece *s)
{
  return (size_t)s->y * (size_t)s->level->params.width + (size_t)s->x;
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

/* The winners' disparities from their keys. */
static void name_winners(const Piece *s, Winners *w)
{
  int pixels = s->pixels;
  uint8_t *restrict winner = s->level->f.winner + first_of(s);
  const uint8_t *starts = starts_of(s->level, s->x, s->y);
  for (int t = 0; t < pixels; t += BLOCK, starts += 2) { /* the windows' share in a rank */
    memset(w->begin[0] + t, starts[0], BLOCK);
    memset(w->begin[1] + t, (uint8_t)(starts[1] - SPAN), BLOCK);
  }
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
  int first = s->x, pixels = s->pixels;
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

/* Picks the winners of line r. values: disparities, too, as the last level needs them. */
static void pick_winners(const Tile *tile, int r, bool values)
{
  const Level *level = tile->level;
  int first = first_pixel(tile, r), blocks = end_block(tile, r) - first_block(tile, r);
  Piece s = {level, sums_of(tile, r) + (ptrdiff_t)first * CELL, first, line_of(tile, r),
      within(level->params.width - first, 0, blocks * BLOCK)};
  Winners w;
  if (blocks <= 0)
    return;
  if (!values)
    find_keys(s.sums, w.key, s.pixels);
  else if (level->f.margins)
    find_all(s.sums, &w, s.pixels, 1);
  else
    find_all(s.sums, &w, s.pixels, 0);
  name_winners(&s, &w);
  if (values)
    finish_piece(&s, &w);
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
