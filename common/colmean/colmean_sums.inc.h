/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction, fast implementation: sums of scores down the rows of a cell. A piece of
 * colmean_class_omp.c.
 *
 * Scores of an image smaller than the picture are added as often as rows of the picture have them,
 * all of a row at once, and then each sum is copied to the pixels that have it; from there on
 * nothing is different.
 */
#ifndef STX_COLMEAN_SUMS_INC_H
#define STX_COLMEAN_SUMS_INC_H

#include "common/colmean/colmean_omp_private.h"

/* Scores need no alignment. */
typedef float Float __attribute__((aligned(1), may_alias));
typedef uint16_t Half __attribute__((aligned(1), may_alias));

static int score_one(const Job *job)
{
  return stx_colmean_score_size(job->params->semantics) == 1 ? 255 : 65535;
}

/* ---- Rows of contiguous values -------------------------------------------------------------- */

/* `flip` is a constant, so that nothing is spent on one of 0. */
static inline __attribute__((always_inline)) void add_bytes(const uint8_t *restrict row,
    ptrdiff_t stride, int rows, uint8_t flip, int count, uint32_t *restrict sum)
{
  for (; rows >= 4; rows -= 4, row += 4 * stride) {
    const uint8_t *b = row + stride, *c = b + stride, *d = c + stride;
    for (int i = 0; i < count; i++)
      sum[i] += (uint16_t)((row[i] ^ flip) + (b[i] ^ flip) + (c[i] ^ flip) + (d[i] ^ flip));
  }
  for (; rows > 0; rows--, row += stride)
    for (int i = 0; i < count; i++)
      sum[i] += row[i] ^ flip;
}

static void add_floats(
    const uint8_t *restrict row, ptrdiff_t stride, int rows, int count, uint32_t *restrict sum)
{
  for (; rows > 0; rows--, row += stride)
    for (int i = 0; i < count; i++)
      sum[i] += stx_score_from_float(((const Float *)row)[i]);
}

static void add_halves(
    const uint8_t *restrict row, ptrdiff_t stride, int rows, int count, uint32_t *restrict sum)
{
  for (; rows > 0; rows--, row += stride)
    for (int i = 0; i < count; i++)
      sum[i] += stx_score_from_float(stx_float_from_half(((const Half *)row)[i]));
}

/* ---- Rows of any values --------------------------------------------------------------------- */

static uint32_t score_at(StxSemantics semantics, const uint8_t *at)
{
  switch (semantics) {
  case STX_SEMANTICS_SCORES_U8:
  case STX_SEMANTICS_SCORES_I8:
    return *at ^ stx_score_flip(semantics);
  case STX_SEMANTICS_SCORES_F16:
    return stx_score_from_float(stx_float_from_half(*(const Half *)at));
  default:
    return stx_score_from_float(*(const Float *)at);
  }
}

/* sum[i] += Σ over `rows` rows of the value i · step bytes from the row's beginning. */
static void add_rows(StxSemantics semantics, const uint8_t *row, ptrdiff_t stride, int rows,
    ptrdiff_t step, int count, uint32_t *sum)
{
  if (step != (ptrdiff_t)stx_colmean_score_size(semantics)) {
    for (; rows > 0; rows--, row += stride)
      for (int i = 0; i < count; i++)
        sum[i] += score_at(semantics, row + i * step);
  } else if (semantics == STX_SEMANTICS_SCORES_U8) {
    add_bytes(row, stride, rows, 0, count, sum);
  } else if (semantics == STX_SEMANTICS_SCORES_I8) {
    add_bytes(row, stride, rows, 0x80, count, sum);
  } else if (semantics == STX_SEMANTICS_SCORES_F16) {
    add_halves(row, stride, rows, count, sum);
  } else {
    add_floats(row, stride, rows, count, sum);
  }
}

/* ---- Rows of a cell ------------------------------------------------------------------------- */

/* sum[i] = Σ over the image rows of `span` of the i-th of `count` values from (x, class) on. */
static void sum_rows(
    const Job *job, Span span, int x, int class, ptrdiff_t step, int count, uint32_t *sum)
{
  const StxColmeanInput *input = job->input;
  StxSemantics semantics = job->params->semantics;
  int shift = input->score_shift;
  const uint8_t *scores = (const uint8_t *)input->scores + class * input->class_stride +
                          (x >> shift) * input->pixel_stride;
  memset(sum, 0, count * sizeof *sum);
  if (shift == 0) {
    add_rows(semantics, scores + span.top * input->row_stride, input->row_stride,
        span.bottom - span.top, step, count, sum);
    return;
  }
  for (int y = span.top, next; y < span.bottom; y = next) {
    next = ((y >> shift) + 1) << shift;
    next = next < span.bottom ? next : span.bottom;
    add_rows(semantics, scores + (y >> shift) * input->row_stride, 0, next - y, step, count, sum);
  }
}

/* Copies the sums of scores, of which `sum` has as many as `pixels` pixels from x on have squares,
 * to each of these pixels; `elements` sums each. From the right, so that none is overwritten before
 * it is copied. */
static void spread(uint32_t *sum, int x, int pixels, int elements, int shift)
{
  for (int first = x >> shift, s = (x + pixels - 1) >> shift; s >= first; s--) {
    const uint32_t *score = sum + (s - first) * elements, one = *score;
    int from = (s << shift) > x ? (s << shift) - x : 0;
    int to = ((s + 1) << shift) - x < pixels ? ((s + 1) << shift) - x : pixels;
    for (int i = from; i < to; i++)
      if (elements == 1)
        sum[i] = one;
      else
        memmove(sum + i * elements, score, elements * sizeof *sum);
  }
}

/*
 * For each of `pixels` pixels from x on: the sums over the rows of `span` of `values` values, which
 * lie `step` bytes apart; `elements` >= values from pixel to pixel, of which the rest is 0 or
 * another sum of scores. `sum` has pixels · elements entries.
 */
static void sum_pixels(const Job *job, Span span, int x, int class, ptrdiff_t step, int pixels,
    int elements, int values, uint32_t *sum)
{
  int shift = job->input->score_shift;
  int count = (((x + pixels - 1) >> shift) - (x >> shift)) * elements + values;
  sum_rows(job, span, x, class, step, count, sum);
  memset(sum + count, 0, (elements - values) * sizeof *sum);
  if (shift > 0)
    spread(sum, x, pixels, elements, shift);
}

#endif
