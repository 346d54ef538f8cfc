/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_omp.c: the checks that follow the winner, and the median on the way to the output.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "common/sgm/sgm_planes.inc.h"

enum { PIECE = 128, WINDOW = 2 * STX_SGM_WINDOW_X + 1 }; /* columns that are checked at a time */

/* The right pixels that those from x on match; 0 where there is none. */
INLINE void find_matches(
    const uint8_t *restrict winner, int x, int pixels, uint16_t *restrict match)
{
  for (int t = 0; t < pixels; t++)
    match[t] = (uint16_t)(x + t >= winner[t] ? x + t - winner[t] : 0);
}

/* The left-right check. Only what the right view says is looked up pixel by pixel. */
static void check_piece(const Fast *f, int y, int x, int pixels)
{
  size_t line = (size_t)y * (size_t)f->params->width, at = line + (size_t)x;
  int limit = f->params->lr_max_diff;
  uint16_t match[PIECE], *restrict value = f->value + at;
  uint8_t found[PIECE], *restrict margin = f->margin + at;
  const uint8_t *restrict winner = f->winner + at, *restrict right = f->right_winner + line;
  find_matches(winner, x, pixels, match);
  for (int t = 0; t < pixels; t++)
    found[t] = right[match[t]];
  for (int t = 0; t < pixels; t++) { /* x < d: unknown already */
    int apart = winner[t] > found[t] ? winner[t] - found[t] : found[t] - winner[t];
    found[t] = (uint8_t) - (apart <= limit); /* all bits or none: no branch */
  }
  for (int t = 0; t < pixels; t++)
    value[t] = found[t] != 0 ? value[t] : 0;
  for (int t = 0; t < pixels; t++)
    margin[t] &= found[t];
}

static void check_row(const Fast *f, int y)
{
  int width = f->params->width;
  for (int x = 0; x < width; x += PIECE)
    check_piece(f, y, x, width - x < PIECE ? width - x : PIECE);
}

/* Smallest and largest gray value of the columns of the windows of a piece of row y. Whole pieces
 * only, so that the compiler knows how long they are. */
static void column_ranges(
    const Fast *f, int y, int from, uint8_t *restrict least, uint8_t *restrict most)
{
  const uint8_t *gray[2 * STX_SGM_WINDOW_Y + 1];
  for (int k = 0; k <= 2 * STX_SGM_WINDOW_Y; k++)
    gray[k] = padded_row(f, 0, y + k - STX_SGM_WINDOW_Y) - STX_SGM_WINDOW_X + from;
  for (int x = 0; x < PIECE + WINDOW - 1; x++) {
    uint8_t low = gray[0][x], high = low;
#pragma GCC unroll 8
    for (int k = 1; k <= 2 * STX_SGM_WINDOW_Y; k++) {
      low = gray[k][x] < low ? gray[k][x] : low;
      high = gray[k][x] > high ? gray[k][x] : high;
    }
    least[x] = low;
    most[x] = high;
  }
}

/* keep[x] = 255 where the range of WINDOW columns exceeds the limit, else 0. */
static void wide_ranges(const uint8_t *restrict least, const uint8_t *restrict most, uint8_t limit,
    uint8_t *restrict keep)
{
  for (int x = 0; x < PIECE; x++) {
    uint8_t low = least[x], high = most[x];
#pragma GCC unroll 8
    for (int i = 1; i < WINDOW; i++) {
      low = least[x + i] < low ? least[x + i] : low;
      high = most[x + i] > high ? most[x + i] : high;
    }
    keep[x] = (uint8_t)(high - low) > limit ? UINT8_MAX : 0;
  }
}

/* Makes unknown what has a flat window: first down the columns, then along the row. The values of
 * row y begin at `at`. */
static void check_texture(const Fast *f, int y, size_t at)
{
  int width = f->params->width;
  for (int from = 0; from < width; from += PIECE) {
    uint8_t least[PIECE + WINDOW - 1], most[PIECE + WINDOW - 1], keep[PIECE];
    int count = width - from < PIECE ? width - from : PIECE;
    uint16_t *restrict value = f->value + at + from;
    uint8_t *restrict margin = f->margin + at + from;
    column_ranges(f, y, from, least, most);
    wide_ranges(least, most, (uint8_t)f->params->texture, keep);
    for (int x = 0; x < count; x++) {
      value[x] &= (uint16_t)(keep[x] * 257);
      margin[x] &= keep[x];
    }
  }
}

INLINE uint16_t median_at(
    const uint16_t *a, const uint16_t *b, const uint16_t *c, int left, int x, int right)
{
  return stx_sgm_median9(a[left], a[x], a[right], b[left], b[x], b[right], c[left], c[x], c[right]);
}

static void median_row(const Fast *f, int y, uint16_t *restrict to)
{
  int width = f->params->width, height = f->params->height;
  const uint16_t *b = f->value + (size_t)y * (size_t)width;
  const uint16_t *a = y > 0 ? b - width : b, *c = y + 1 < height ? b + width : b;
  for (int x = 1; x < width - 1; x++)
    to[x] = median_at(a, b, c, x - 1, x, x + 1);
  int last = width - 1;
  to[0] = median_at(a, b, c, 0, 0, last > 0 ? 1 : 0);
  to[last] = median_at(a, b, c, last > 0 ? last - 1 : 0, last, last);
}

static void write_row(
    const Fast *f, int y, const StxImage16 *disparity, const StxImage8 *confidence)
{
  size_t width = (size_t)f->params->width, at = (size_t)y * width;
  uint16_t *to = stx_row16(disparity, y);
  if (f->params->median)
    median_row(f, y, to);
  else
    memcpy(to, f->value + at, width * sizeof *to);
  if (confidence->data == NULL)
    return;
  const uint8_t *margin = f->margin + at;
  uint8_t *restrict out = stx_row8(confidence, y);
  for (size_t x = 0; x < width; x++)
    out[x] = to[x] != STX_DISPARITY_UNKNOWN ? margin[x] : 0;
}
