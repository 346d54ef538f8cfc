/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cell reduction, fast implementation: pixels of cells into vectors. A piece of
 * colmean_depth_omp.c. */
#ifndef STX_COLMEAN_LOAD_INC_H
#define STX_COLMEAN_LOAD_INC_H

#include "common/colmean/colmean_lanes_private.h"

#include <string.h>

/* ---- Dealing out -------------------------------------------------------------------------- */

/* `row` holds LANES cells of `width` pixels; pixel i of the cells goes to out[i]. */
static inline __attribute__((always_inline)) void deal_row(const uint16_t *row, int width, V16 *out)
{
  uint16_t *to = (uint16_t *)out;
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < width; i++)
      to[i * LANES + lane] = row[lane * width + i];
}

static void deal(const uint16_t *row, int width, V16 *out)
{
  switch (width) {
  case 1:
    deal_row(row, 1, out);
    break;
  case 2:
    deal_row(row, 2, out);
    break;
  case 4:
    deal_row(row, 4, out);
    break;
  case 8:
    deal_row(row, 8, out);
    break;
  default:
    deal_row(row, width, out);
  }
}

static void convert_16(
    const StxDisparityFormula *f, const uint16_t *restrict in, int count, uint16_t *restrict d)
{
  const StxDisparityFormula formula = *f;
  for (int i = 0; i < count; i++)
    d[i] = (uint16_t)stx_disparity_steps(&formula, stx_disparity_from_16(&formula, in[i]));
}

static void convert_floats(
    const StxDisparityFormula *f, const float *restrict in, int count, uint16_t *restrict d)
{
  const StxDisparityFormula formula = *f;
  for (int i = 0; i < count; i++)
    d[i] = (uint16_t)stx_disparity_steps(&formula, in[i]);
}

/* The steps of `count` pixels from (x, y) on: where they lie, or in `room`. */
static const uint16_t *steps_of(const Job *job, int x, int y, int count, uint16_t *room)
{
  const StxColmeanInput *input = job->input;
  if (stx_disparity_is_plain(job->params))
    return stx_row16(&input->disparity, y) + x;
  const StxDisparityFormula formula = stx_disparity_formula(job->params);
  if (stx_disparity_is_float(job->params->disparity.encoding))
    convert_floats(&formula, stx_row_float(&input->floats, y) + x, count, room);
  else
    convert_16(&formula, stx_row16(&input->disparity, y) + x, count, room);
  return room;
}

/* Disparities of `count` pixels with those of no confidence 0, and their c². Unknown pixels keep
 * theirs, which may say that they are sky. */
static void mask_confident(const uint16_t *in, const uint8_t *confidence, int count,
    uint16_t *restrict d, uint16_t *restrict w)
{
  for (int i = 0; i < count; i++) {
    uint16_t c = confidence[i];
    d[i] = in[i] & (uint16_t)(c > 0 ? UINT16_MAX : 0); /* not a load that depends on c */
    w[i] = (uint16_t)(c * c);
  }
}

/* Pixels [x, x + width · LANES) of the image rows of `span`; what lies beyond the image is
 * unknown. */
static void load(const Job *job, int x, Span span, Pixels *pixels)
{
  uint16_t d[LANES * 128], w[LANES * 128], steps[LANES * 128];
  const StxColmeanInput *input = job->input;
  int width = job->params->grid.cell_width, room = width * LANES;
  int count = job->params->grid.width - x < room ? job->params->grid.width - x : room;
  memset(d + count, 0, (room - count) * sizeof *d);
  memset(w + count, 0, (room - count) * sizeof *w);
  pixels->count = 0;
  for (int y = span.top; y < span.bottom; y++, pixels->count += width) {
    const uint16_t *row = steps_of(job, x, y, count, steps);
    if (pixels->weight == NULL) {
      memcpy(d, row, count * sizeof *d);
    } else {
      mask_confident(row, stx_row8(&input->confidence, y) + x, count, d, w);
      deal(w, width, pixels->weight + pixels->count);
    }
    deal(d, width, pixels->disparity + pixels->count);
  }
}

#endif
