/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Part of sgm_omp.c: census words of both images, cut into planes of PLANE_BITS bits, one byte per
 * pixel and plane. Comparing bytes instead of building 32-bit words keeps all lanes busy.
 */
#pragma once

#include <stdatomic.h>
#include <string.h>

#include "common/sgm/sgm.h"
#include "common/sgm/sgm_math.h"
#include "common/sgm/sgm_simd.inc.h"

/* ---- What the parts of sgm_omp.c share: the scratch block and where things lie in it ----- */

#define STRETCH_PIXELS 32 /* pixels of a row that are handled together, S of all in cache */

/*
 * The state of one sweep, K(q,·) with D bytes each, P2 before the first use, so that paths begin at
 * the border by themselves. Sweep coordinates: i and j count from the corner where the sweep
 * starts. A path that leaves the image never comes back, so each has a place of its own that is
 * updated in place:
 *   left      by j              up_left    by i − j + height − 1
 *   up        by i              up_right   by i + j
 */
typedef struct {
  int direction; /* 1: from the top left; −1: from the bottom right, everything mirrored */
  uint8_t *left, *up, *up_left, *up_right;
} Sweep;

/* A row of tiles, which are swept one after the other, though by any thread. */
typedef struct {
  atomic_int done; /* tiles */
  atomic_bool taken;
} Strip;

typedef struct {
  const StxSgmParams *params;
  bool margins;    /* the confidence or the uniqueness check needs S2 */
  int vectors;     /* n of sgm_simd.inc.h */
  Sweep sweeps[2]; /* contiguous: `states_size` bytes from sweeps[0].left */
  size_t states_size;
  uint8_t *gray[2]; /* left and right image with a border of STX_SGM_WINDOW_X columns */
  size_t gray_stride;
  uint8_t *line; /* one row of a plane, D bytes of border in front; one per worker */
  size_t line_stride;
  uint8_t *left_planes;  /* per row PLANES × width */
  uint8_t *right_planes; /* per row PLANES × n × residue_stride; see deal() */
  size_t residue_stride;
  uint8_t *volume;     /* per pixel D half sums, in the order of the vectors */
  uint8_t *right_keys; /* per row the unfinished right view, 2·D bytes */
  uint16_t *value;     /* results before the median, width × height each */
  uint8_t *winner, *right_winner, *margin;
  Strip *strips; /* of both sweeps in turn, each from where it starts */
  void *sky;     /* scratch of stx_sgm_sky */
} Fast;

static inline size_t row_bytes(const Fast *f)
{
  return (size_t)f->params->width * (size_t)f->params->max_disparity;
}

static inline size_t plane_stride(const Fast *f)
{
  return (size_t)f->vectors * f->residue_stride;
}

/* The place of disparity d among the D bytes of a pixel. */
static inline unsigned place(unsigned d, unsigned n)
{
  return (d & (n - 1)) * LANES + LANES - 1 - d / n;
}

/* ---- Planes ------------------------------------------------------------------------------- */

/* Copies a row and repeats its ends, so that the window needs no test. */
static void pad_row(const Fast *f, int side, const StxImage8 *image, int y)
{
  int width = image->width;
  uint8_t *to = f->gray[side] + (size_t)y * f->gray_stride;
  const uint8_t *from = stx_row8(image, y);
  memset(to, from[0], STX_SGM_WINDOW_X);
  memcpy(to + STX_SGM_WINDOW_X, from, (size_t)width);
  memset(to + STX_SGM_WINDOW_X + width, from[width - 1], STX_SGM_WINDOW_X);
}

/* The start of row y in a picture with borders; above and below it the border repeats. */
static size_t padded_place(const Fast *f, int y)
{
  int height = f->params->height;
  y = y < 0 ? 0 : y >= height ? height - 1 : y;
  return (size_t)y * f->gray_stride + STX_SGM_WINDOW_X;
}

static const uint8_t *padded_row(const Fast *f, int side, int y)
{
  return f->gray[side] + padded_place(f, y);
}

/* A bit for each of PLANE_BITS pairs of rows, where the first is the greater; all << shift. */
INLINE void compare_plane(
    const uint8_t *const *a, const uint8_t *const *b, int width, int shift, uint8_t *restrict out)
{
  for (int x = 0; x < width; x++) {
    uint8_t word = 0;
#pragma GCC unroll 8
    for (int bit = 0; bit < PLANE_BITS; bit++)
      word |= a[bit][x] > b[bit][x] ? (uint8_t)(1u << bit) : 0;
    out[x] = (uint8_t)(word << shift);
  }
}

/* Bits plane·PLANE_BITS … of the census words of row y, shifted left by `shift`. */
static void census_plane(
    const Fast *f, int side, int y, int plane, int shift, uint8_t *restrict out)
{
  const uint8_t *a[PLANE_BITS], *b[PLANE_BITS];
  for (int bit = 0; bit < PLANE_BITS; bit++) {
    int k = plane * PLANE_BITS + bit;
    int dx = k % (2 * STX_SGM_WINDOW_X + 1) - STX_SGM_WINDOW_X;
    int dy = k / (2 * STX_SGM_WINDOW_X + 1) - STX_SGM_WINDOW_Y;
    /* Bit 31 does not exist: k = 31 is the centre, which is never greater than itself. */
    a[bit] = padded_row(f, side, y + dy) + dx;
    b[bit] = padded_row(f, side, y - dy) - dx;
  }
  compare_plane(a, b, f->params->width, shift, out);
}

/*
 * Deals the words of a row out to n rows by the residue of their place: to[r][q] = line[q·n + r].
 * So the words that the lanes of one vector need, n pixels apart, come to lie side by side.
 */
INLINE void deal_n(const uint8_t *restrict line, size_t count, uint8_t *restrict to, size_t n)
{
  for (size_t r = 0; r < n; r++)
    for (size_t q = 0; q < count; q++)
      to[r * count + q] = line[q * n + r];
}

static inline void deal(const uint8_t *line, size_t count, uint8_t *to, int n)
{
  switch (n) {
  case 1:
    memcpy(to, line, count);
    break;
  case 2:
    deal_n(line, count, to, 2);
    break;
  case 4:
    deal_n(line, count, to, 4);
    break;
  case 8:
    deal_n(line, count, to, 8);
    break;
  default:
    deal_n(line, count, to, 16);
  }
}

/* All planes of row y of both images. Left of the right image its border repeats for D pixels. */
static inline void census_row(const Fast *f, int y, uint8_t *line)
{
  size_t width = (size_t)f->params->width, border = (size_t)f->params->max_disparity;
  uint8_t *left = f->left_planes + (size_t)y * PLANES * width;
  uint8_t *right = f->right_planes + (size_t)y * PLANES * plane_stride(f);
  for (int p = 0; p < PLANES; p++) {
    census_plane(f, 0, y, p, LEFT_SHIFT, left + (size_t)p * width);
    census_plane(f, 1, y, p, 0, line + border);
    memset(line, line[border], border);
    deal(line, f->residue_stride, right + (size_t)p * plane_stride(f), f->vectors);
  }
}
