/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of sgm_omp.c share: the scratch block and where things lie in it.
 */
#ifndef STX_SGM_FAST_INC_H
#define STX_SGM_FAST_INC_H

#include "common/sgm/sgm.h"
#include "common/sgm/sgm_math.h"
#include "common/sgm/sgm_simd.inc.h"

#include <stdatomic.h>

#define STRETCH_PIXELS 32 /* pixels of a row that are handled together, S of all in cache */

/*
 * What one sweep has to remember, K(q,·) with D bytes each, P2 before the first use, so that
 * paths begin at the border by themselves. Sweep coordinates: i and j count from the corner where
 * the sweep starts. A path that leaves the image never comes back, so each has a place of its own
 * that is updated in place:
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
  bool margins;    /* somebody asks for S2: the confidence or the uniqueness check */
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

/* Where disparity d lies among the D bytes of a pixel. */
static inline unsigned place(unsigned d, unsigned n)
{
  return (d & (n - 1)) * LANES + LANES - 1 - d / n;
}

#endif
