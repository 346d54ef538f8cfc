/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_coarse_omp.c: from the sums of a piece of a row to winners, and on the last level to
 * values; then the left-right check among winners.
 */
#ifndef STX_SGM_COARSE_WINNER_INC_H
#define STX_SGM_COARSE_WINNER_INC_H

#include "common/sgm/coarse/sgm_coarse_paths.inc.h"

/* What the pixels of a piece need for their value, in the order of the image. */
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

/* What the windows of a piece's blocks add to a rank. */
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

/* What pixels from x on say of those that they match: 256·S1 + d, of which the least counts. */
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
