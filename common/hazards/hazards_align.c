/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The vertical offset of the right picture. Rectification is right to some tenths of a pixel, and
 * an edge that is nearly level moves sideways by several times that: a shadow's edge would stand up
 * from the road. In each of BANDS bands of rows the offset whose pictures differ least on the
 * ground, of offsets in steps of 1/8 pixel; a line through these, over the rows.
 */
#include "common/hazards/hazards_private.h"

#include <math.h>
#include <stdlib.h>

#include "common/parallel.h"

#define BANDS 4
#define SHIFTS 6 /* eighths of a pixel, either way */
#define OFFSETS (2 * SHIFTS + 1)
#define ROW_STEP 3
#define ENOUGH 300 /* pixels of a band */

typedef struct {
  uint64_t cost[OFFSETS];
  int pixels;
} Band;

void stx_hazards_blend(const StxImage8 *picture, int row, int eighths, uint8_t *blended)
{
  int above = row + (eighths >= 0 ? eighths / 8 : -((7 - eighths) / 8)), share = eighths & 7;
  int last = picture->height - 1, below = above + 1;
  const uint8_t *a = stx_row8(picture, above < 0 ? 0 : above > last ? last : above);
  const uint8_t *b = stx_row8(picture, below < 0 ? 0 : below > last ? last : below);
  for (int x = 0; x < picture->width; x++)
    blended[x] = (uint8_t)(((8 - share) * a[x] + share * b[x] + 4) >> 3);
}

/* Does the map say that the ground is seen there? */
static bool is_ground(const uint16_t *map, const int16_t *ground, int x)
{
  int off = map[x] - ground[x] * (STX_DISPARITY_ONE / FINE);
  return map[x] != STX_DISPARITY_UNKNOWN && abs(off) < STX_DISPARITY_ONE &&
         x * FINE > ground[x] + FINE;
}

static void add_row(const StxHazardsWork *work, int row, int16_t *scratch, Band *band)
{
  int width = work->width, count = 0;
  int16_t *left = scratch, *right = left + width, *columns = right + 2 * width;
  uint8_t *blended = (uint8_t *)(right + width);
  const uint16_t *map = stx_row16(&work->frame->disparity, row);
  const int16_t *ground = work->ground + (size_t)(row - work->top) * (size_t)width;
  for (int x = 0; x < width; x++)
    if (is_ground(map, ground, x))
      columns[count++] = (int16_t)x;
  stx_hazards_flatten(stx_row8(&work->frame->left, row), width, left);
  for (int i = 0; i < OFFSETS; i++) {
    stx_hazards_blend(&work->frame->right, row, i - SHIFTS, blended);
    stx_hazards_flatten(blended, width, right);
    for (int k = 0; k < count; k++) {
      int x = columns[k], at = x * FINE - ground[x], from = at >> 3, share = at & (FINE - 1);
      int value = ((FINE - share) * right[from] +
                      share * right[from + 1 < width ? from + 1 : from] + FINE / 2) >>
                  3;
      int d = abs(left[x] - value);
      band->cost[i] += (uint64_t)(d < MOST_DIFFERENCE ? d : MOST_DIFFERENCE);
    }
  }
  band->pixels += count;
}

/* The lowest point of a parabola through the least and those beside it, eighths of a pixel. */
static double best_of(const Band *band)
{
  int best = SHIFTS;
  for (int i = 0; i < OFFSETS; i++)
    if (band->cost[i] < band->cost[best])
      best = i;
  if (best == 0 || best == OFFSETS - 1)
    return best - SHIFTS;
  double a = (double)band->cost[best - 1], b = (double)band->cost[best],
         c = (double)band->cost[best + 1];
  return best - SHIFTS + (a - 2 * b + c > 0 ? .5 * (a - c) / (a - 2 * b + c) : 0);
}

typedef struct {
  const StxHazardsWork *work;
  Band bands[BANDS];
} Loop;

static int begin_of(const StxHazardsWork *work, int band)
{
  return work->first + (work->height - work->first) * band / BANDS;
}

static void band_piece(void *data, int i, int worker)
{
  Loop *loop = data;
  for (int row = begin_of(loop->work, i); row < begin_of(loop->work, i + 1); row += ROW_STEP)
    add_row(loop->work, row, loop->work->scratch[worker], &loop->bands[i]);
}

void stx_hazards_align(StxHazardsWork *work, int threads)
{
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  Loop loop = {.work = work};
  stx_parallel(threads, BANDS, band_piece, &loop);
  for (int i = 0; i < BANDS; i++) {
    if (loop.bands[i].pixels < ENOUGH)
      continue;
    double x = .5 * (begin_of(work, i) + begin_of(work, i + 1)), y = best_of(&loop.bands[i]);
    n++;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  double spread = n * sum_xx - sum_x * sum_x;
  double slope = n > 1 ? (n * sum_xy - sum_x * sum_y) / spread : 0;
  double begin = n > 0 ? (sum_y - slope * sum_x) / n : 0;
  for (int row = work->top; row < work->height; row++)
    work->lower[row - work->top] =
        (int8_t)lrint(fmin(fmax(begin + slope * row, -SHIFTS - 2), SHIFTS + 2));
}
