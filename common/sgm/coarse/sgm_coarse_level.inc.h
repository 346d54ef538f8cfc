/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_coarse_omp.c: what a level is, and all that comes before its paths: the picture of
 * half the size, census words, and the windows of its blocks.
 */
#pragma once

#include "common/sgm/sgm_finish.inc.h"
#include "common/sgm/coarse/sgm_rows.inc.h"

#define STEP STX_SGM_COARSE_STEP
#define BLOCK_LINES (BLOCK / STEP)
#define VOTES STX_SGM_COARSE_VOTES
#define HELD STX_SGM_COARSE_HELD
#define WHOLE 64 /* pixels of the largest vector */

typedef struct {
  StxSgmParams params; /* with this level's size and disparities */
  Fast f; /* gray by row; planes, value, winner, margin by line; `right_winner` begins as S1 */
  bool top;
  int lines;
  int columns, rows; /* of blocks */
  uint8_t *seen[2];  /* what the census compares, laid out like f.gray */
  uint8_t *starts;   /* of the windows, two for each block */
  /* From plane to plane of a line, and for the right image its border as well: so much that whole
   * vectors fit. */
  size_t left_stride, right_stride;
} Level;

/* Returns the window starts of a pixel of line j. */
INLINE const uint8_t *starts_of(const Level *level, int x, int j)
{
  unsigned row = (unsigned)j / BLOCK_LINES, column = (unsigned)x / BLOCK;
  return level->starts + 2 * ((size_t)row * (size_t)level->columns + column);
}

/* ---- Half the size ------------------------------------------------------------------------ */

static void repeat_ends(uint8_t *row, int width)
{
  memset(row - STX_SGM_WINDOW_X, row[0], STX_SGM_WINDOW_X);
  memset(row + width, row[width - 1], STX_SGM_WINDOW_X);
}

/* Row y of a side of level `to` from the rows of the finer one, whose ends are repeated. */
static void halve_row(const Level *from, const Level *to, int side, int y)
{
  const uint8_t *restrict a = padded_row(&from->f, side, 2 * y);
  const uint8_t *restrict b = padded_row(&from->f, side, 2 * y + 1);
  uint8_t *restrict row = to->f.gray[side] + (size_t)y * to->f.gray_stride + STX_SGM_WINDOW_X;
  int width = to->params.width;
  for (int x = 0; x < width; x++)
    row[x] = (uint8_t)((a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1] + 2) >> 2);
  repeat_ends(row, width);
}

/* ---- Smoothed ----------------------------------------------------------------------------- */

/* An instruction of vectors of bytes. */
INLINE uint8_t halfway(uint8_t a, uint8_t b)
{
  return (uint8_t)((a + b + 1) >> 1);
}

/* Row y of a side of the finest level, as its census sees it. The mean of the rows above and below
 * is rounded down: the half that it may lack cannot matter. */
static void smooth_row(const Level *level, int side, const StxImage8 *image, int y)
{
  const uint8_t *restrict above = stx_row8(image, y > 0 ? y - 1 : 0);
  const uint8_t *restrict here = stx_row8(image, y);
  const uint8_t *restrict below = stx_row8(image, y + 1 < image->height ? y + 1 : y);
  uint8_t *restrict row = level->seen[side] + padded_place(&level->f, y);
  const int width = image->width;
  for (int x = 0; x < width; x++)
    row[x] = halfway((uint8_t)(halfway(above[x], below[x]) - ((above[x] ^ below[x]) & 1)), here[x]);
  repeat_ends(row, width);
}

/* ---- Census ------------------------------------------------------------------------------- */

/* Writes the census bits of line j that count, by bit planes. Whole vectors: what is behind the
 * width is behind it in the pictures, too. */
static void count_planes(
    const Level *level, int side, int j, int shift, uint8_t *restrict out, size_t stride)
{
  const uint8_t *a[STX_SGM_COARSE_BITS], *b[STX_SGM_COARSE_BITS];
  uint32_t bits = STX_SGM_COARSE_CENSUS;
  for (int i = 0; i < STX_SGM_COARSE_BITS; i++, bits &= bits - 1) {
    int k = __builtin_ctz(bits);
    int dx = k % (2 * STX_SGM_WINDOW_X + 1) - STX_SGM_WINDOW_X;
    int dy = k / (2 * STX_SGM_WINDOW_X + 1) - STX_SGM_WINDOW_Y;
    a[i] = level->seen[side] + padded_place(&level->f, j * STEP + dy) + dx;
    b[i] = level->seen[side] + padded_place(&level->f, j * STEP - dy) - dx;
  }
  int whole = (level->params.width + WHOLE - 1) & ~(WHOLE - 1);
  for (int p = 0; p < PAIR_PLANES; p++, out += stride)
    compare_plane(a + p * PLANE_BITS, b + p * PLANE_BITS, whole, shift, out);
}

/* Makes the census planes of line j. Left of the right image its border repeats for D pixels. */
static void census_planes(const Level *level, int j)
{
  const Fast *f = &level->f;
  size_t border = (size_t)level->params.max_disparity;
  uint8_t *left = f->left_planes + (size_t)j * PAIR_PLANES * level->left_stride;
  uint8_t *right = f->right_planes + (size_t)j * PAIR_PLANES * level->right_stride;
  count_planes(level, 0, j, LEFT_SHIFT, left, level->left_stride);
  count_planes(level, 1, j, 0, right + border, level->right_stride);
  for (int p = 0; p < PAIR_PLANES; p++, right += level->right_stride)
    memset(right, right[border], border);
}

/* ---- Windows ------------------------------------------------------------------------------ */

static int within(int value, int low, int high)
{
  return value < low ? low : value > high ? high : value;
}

INLINE int begin_of(int t, int n)
{
  int last = 2 * n - SPAN, begin = 2 * t - 2;
  return begin < 0 ? 0 : begin > last ? last : begin;
}

/* v(t), at most 64, for t = 0 … n − HELD, and none for what begins low … high or does not exist.
 * votes: n + HELD of them. */
INLINE void add_votes(
    const uint8_t *restrict votes, uint8_t *restrict sums, int n, int low, int high)
{
  for (int t = 0; t < n; t++) {
    uint8_t sum = (uint8_t)(votes[t] + votes[t + 1] + votes[t + 2] + votes[t + 3] + votes[t + 4] +
                            votes[t + 5]);
    uint8_t allowed = (uint8_t) - ((t < low) | ((t > high) & (t <= n - HELD)));
    sums[t] = sum & allowed;
  }
}
_Static_assert(HELD == 6, "add_votes");

/* The window with the most votes; −1: none has any. */
INLINE int best_window(const uint8_t *sums, int n)
{
  uint16_t best = 0; /* 256 times the votes, and the sooner, the more */
  for (int t = 0; t < n; t++) {
    uint16_t key = (uint16_t)(256 * sums[t] + (255 - t));
    best = key > best ? key : best;
  }
  int most = best >> 8, first = 255 - (best & 255), last = first;
  if (most == 0)
    return -1;
  while (last < n - HELD && sums[last + 1] == most)
    last++;
  return begin_of((first + last) >> 1, n);
}

/* A few blocks of a row. Their steps take turns: what bytes were written to one by one, no vector
 * can be loaded from at once. */
#define BLOCKS 16
typedef struct {
  uint8_t columns[BLOCKS + 1][BLOCK / 2][VOTES]; /* of halves of blocks, see count_half */
  uint8_t votes[BLOCKS][VOTES + HELD];
  uint8_t sums[BLOCKS][VOTES];
  int first[BLOCKS];
} Ballot;

/* Half a block's voters: of columns 4·i − 2 … 4·i + 1 and these lines, by disparity. A counter for
 * each column, so that hardly any waits for the last addition. */
INLINE void count_half(
    const Level *coarse, int i, int y0, int y1, int n, uint8_t (*restrict counts)[VOTES])
{
  const int step = BLOCK / 2;
  int width = coarse->params.width, first = step * i - STX_SGM_COARSE_AROUND;
  int x0 = within(first, 0, width), x1 = within(first + step, 0, width);
  for (int k = 0; k < step; k++)
    memset(counts[k], 0, (size_t)n);
  for (int y = y0; y < y1; y++) {
    const uint8_t *winner = coarse->f.winner + (size_t)y * (size_t)width;
    if (x1 - x0 == step)
      for (int k = 0; k < step; k++)
        counts[k][winner[x0 + k]]++;
    else
      for (int x = x0; x < x1; x++)
        counts[0][winner[x]]++;
  }
}
_Static_assert(BLOCK == 8 && STX_SGM_COARSE_VOTERS == 8, "count_half");

/* h(c) of a block from its halves. */
INLINE void unite_halves(const uint8_t (*restrict a)[VOTES], const uint8_t (*restrict b)[VOTES],
    uint8_t *restrict votes, int n)
{
  for (int c = 0; c < n; c++)
    votes[c] =
        (uint8_t)(a[0][c] + a[1][c] + a[2][c] + a[3][c] + b[0][c] + b[1][c] + b[2][c] + b[3][c]);
  memset(votes + n, 0, HELD);
}

/* Takes what the window at `first` holds out of the votes, and the windows that touch it out of the
 * sums. */
INLINE void forbid(uint8_t *restrict votes, uint8_t *restrict sums, int n, int first)
{
  int low = first <= SPAN ? 0 : first / 2 - 7;
  int high = first + SPAN >= 2 * n - SPAN ? n - HELD : first / 2 + 9;
  memset(votes + first / 2, 0, SPAN / 2);
  add_votes(votes, sums, n, low, high);
}

INLINE void name_windows(int first, int second, int n, uint8_t *starts)
{
  if (second < 0)
    second = first + 2 * SPAN + 1 <= 2 * n ? first + SPAN + 1 : first - SPAN - 1;
  starts[0] = (uint8_t)(first < second ? first : second);
  starts[1] = (uint8_t)(first < second ? second : first);
}

INLINE void pick_windows(Ballot *b, int blocks, int n, uint8_t *starts)
{
  for (int i = 0; i < blocks; i++)
    unite_halves(b->columns[i], b->columns[i + 1], b->votes[i], n);
  for (int i = 0; i < blocks; i++)
    add_votes(b->votes[i], b->sums[i], n, n - HELD + 1, n);
  for (int i = 0; i < blocks; i++)
    b->first[i] = best_window(b->sums[i], n);
  for (int i = 0; i < blocks; i++)
    forbid(b->votes[i], b->sums[i], n, b->first[i]);
  for (int i = 0; i < blocks; i++)
    name_windows(b->first[i], best_window(b->sums[i], n), n, starts + 2 * (size_t)i);
}

/* Picks the windows of a row of blocks; neighbours have half their voters in common. */
INLINE void pick_row(const Level *level, const Level *coarse, int j, int n, uint8_t *starts)
{
  const int step = BLOCK_LINES / 2, around = STX_SGM_COARSE_AROUND / STEP, lines = coarse->lines;
  int y0 = within(step * j - around, 0, lines), y1 = within(step * (j + 1) + around, 0, lines);
  Ballot b;
  for (int i = 0; i < level->columns; i += BLOCKS) {
    int blocks = level->columns - i < BLOCKS ? level->columns - i : BLOCKS;
    for (int k = 0; k <= blocks; k++)
      count_half(coarse, i + k, y0, y1, n, b.columns[k]);
    pick_windows(&b, blocks, n, starts + 2 * (size_t)i);
  }
}

/* Windows of a row of blocks; coarse is NULL on the top level. */
static void choose_windows(const Level *level, const Level *coarse, int j)
{
  uint8_t *starts = level->starts + 2 * (size_t)j * (size_t)level->columns;
  for (int i = 0; i < level->columns && coarse == NULL; i++) {
    starts[2 * i] = 0;
    starts[2 * i + 1] = SPAN;
  }
  if (coarse == NULL)
    return;
  switch (coarse->params.max_disparity) {
  case 32:
    pick_row(level, coarse, j, 32, starts);
    break;
  case 64:
    pick_row(level, coarse, j, 64, starts);
    break;
  default:
    pick_row(level, coarse, j, 128, starts);
  }
}
