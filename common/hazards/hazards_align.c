/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How far the right picture is too low, place by place. Rectification is right to some tenths of a
 * pixel, and an edge that is nearly level moves sideways by several times that: a shadow's edge
 * would stand up from the road. Of a roll between the cameras and of their lenses the offset is
 * well told by
 *
 *   lower(x, y) = p0 + p1 · x + p2 · y + p3 · x · y
 *
 * which is found on the ground, as the optical flow of Lucas and Kanade is: the least squares of
 * left − right to the gradients of the right picture, with Huber's weights, ROUNDS times. Three
 * more numbers take up by how much the ground's disparity is off, and are not used.
 */
#include "common/hazards/hazards_private.h"

#include <math.h>
#include <stdlib.h>

#include "common/parallel.h"

#define ROUNDS 5
#define BANDS 16 /* sums of their own, so that they add up in one order */
#define ROW_STEP 2
#define COLUMN_STEP 2
#define HUBER (3 * MEAN)            /* 1/31 gray level: errors that count less */
#define FLAT (100. * HUBER * HUBER) /* what a picture without texture is told by: no offset */
#define OFFSETS 4
#define NUMBERS (OFFSETS + 3)
#define PART 32     /* columns of one offset */
#define FARTHEST 10 /* eighths of a pixel, either way */

typedef struct {
  double m[NUMBERS][NUMBERS + 1];
} Sums;

typedef struct {
  const StxHazardsWork *work;
  int reach; /* eighths of a pixel over which rows have their gradient */
  Sums bands[BANDS];
} Loop;

/* Weights of four rows, 1/64: a cubic one through the middle two, with Catmull and Rom's slopes. */
static const int8_t weights[8][4] = {{0, 64, 0, 0}, {-3, 63, 4, 0}, {-5, 58, 12, -1},
    {-5, 50, 22, -3}, {-4, 36, 36, -4}, {-3, 22, 50, -5}, {-1, 12, 58, -5}, {0, 4, 63, -3}};

static void blend_part(
    const StxImage8 *picture, int row, int eighths, int begin, int end, uint8_t *blended)
{
  int above = row + (eighths >= 0 ? eighths / 8 : -((7 - eighths) / 8)), last = picture->height - 1;
  const int8_t *w = weights[eighths & 7];
  const uint8_t *rows[4];
  for (int i = 0; i < 4; i++) {
    int y = above - 1 + i;
    rows[i] = stx_row8(picture, y < 0 ? 0 : y > last ? last : y);
  }
  for (int x = begin; x < end; x++) {
    int value =
        (w[0] * rows[0][x] + w[1] * rows[1][x] + w[2] * rows[2][x] + w[3] * rows[3][x] + 32) >> 6;
    blended[x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
  }
}

static double offset_of(const StxHazardsLower *lower, double x, double y)
{
  return lower->p[0] + lower->p[1] * x + (lower->p[2] + lower->p[3] * x) * y;
}

/* x and y as the fit has them: about −1 … 1 and 0 … 1. */
static double fit_x(const StxHazardsWork *work, int x)
{
  return (x - .5 * work->width) / (.5 * work->width);
}

static double fit_y(const StxHazardsWork *work, int row)
{
  return (double)(row - work->first) / (work->height - work->first);
}

void stx_hazards_blend(
    const StxHazardsWork *work, int row, int more, int begin, int end, uint8_t *blended)
{
  double y = fit_y(work, row);
  for (int next; begin < end; begin = next) {
    int part = begin / PART * PART;
    next = part + PART < end ? part + PART : end;
    double lower = offset_of(&work->lower, fit_x(work, part + PART / 2), y);
    int eighths = (int)lrint(fmin(fmax(lower, -FARTHEST), FARTHEST));
    blend_part(&work->frame->right, row, eighths + more, begin, next, blended);
  }
}

/* Does the map say that the ground is seen there? */
static bool is_ground(const uint16_t *map, const int16_t *ground, int x)
{
  int off = map[x] - ground[x] * (STX_DISPARITY_ONE / FINE);
  return map[x] != STX_DISPARITY_UNKNOWN && abs(off) < STX_DISPARITY_ONE &&
         x * FINE > ground[x] + 2 * FINE;
}

static double between(const int16_t *row, int at)
{
  int x = at >> 3, f = at & (FINE - 1);
  return ((FINE - f) * row[x] + f * row[x + 1]) / (double)FINE;
}

static void add_row(const StxHazardsWork *work, int row, int16_t *scratch, int reach, Sums *sums)
{
  int width = work->width;
  int16_t *left = scratch, *rights[3] = {left + width, left + 2 * width, left + 3 * width};
  uint8_t *blended = (uint8_t *)(left + 4 * width);
  const uint16_t *map = stx_row16(&work->frame->disparity, row);
  const int16_t *ground = work->ground + (size_t)(row - work->top) * (size_t)width;
  double y = fit_y(work, row);
  stx_hazards_flatten(stx_row8(&work->frame->left, row), width, left);
  for (int i = 0; i < 3; i++) {
    stx_hazards_blend(work, row, reach * (i - 1), 0, width, blended);
    stx_hazards_flatten(blended, width, rights[i]);
  }
  for (int k = 1; k < width - 1; k += COLUMN_STEP) {
    if (!is_ground(map, ground, k))
      continue;
    int at = k * FINE - ground[k];
    double x = fit_x(work, at / FINE), off = left[k] - between(rights[1], at);
    double down = 4. / reach * (between(rights[2], at) - between(rights[0], at));
    double across = .5 * (between(rights[1], at + FINE) - between(rights[1], at - FINE));
    double weight = fabs(off) < HUBER ? 1 : HUBER / fabs(off);
    double v[NUMBERS + 1] = {
        down, down * x, down * y, down * x * y, across, across * x, across * y, off};
    for (int i = 0; i < NUMBERS; i++)
      for (int j = 0; j <= NUMBERS; j++)
        sums->m[i][j] += weight * v[i] * v[j];
  }
}

static int begin_of(const StxHazardsWork *work, int band)
{
  return work->first + (work->height - work->first) * band / BANDS;
}

static void band_piece(void *data, int i, int worker)
{
  Loop *loop = data;
  loop->bands[i] = (Sums){{{0}}};
  for (int row = begin_of(loop->work, i); row < begin_of(loop->work, i + 1); row += ROW_STEP)
    add_row(loop->work, row, loop->work->scratch[worker], loop->reach, &loop->bands[i]);
}

/* Gauss. The diagonal is positive: it was made larger. */
static void solve(double m[NUMBERS][NUMBERS + 1])
{
  for (int i = 0; i < NUMBERS; i++)
    for (int k = 0; k < NUMBERS; k++) {
      double share = k == i ? 0 : m[k][i] / m[i][i];
      for (int j = i; k != i && j <= NUMBERS; j++)
        m[k][j] -= share * m[i][j];
    }
  for (int i = 0; i < NUMBERS; i++)
    m[i][NUMBERS] /= m[i][i];
}

void stx_hazards_align(StxHazardsWork *work, int threads)
{
  Loop loop = {.work = work};
  work->lower = (StxHazardsLower){{0}};
  for (int round = 0; round < ROUNDS; round++) {
    Sums all = {{{0}}};
    loop.reach = round < ROUNDS / 2 ? 8 : 4; /* from afar first */
    stx_parallel(threads, BANDS, band_piece, &loop);
    for (int i = 0; i < NUMBERS; i++) {
      for (int j = 0; j <= NUMBERS; j++)
        for (int band = 0; band < BANDS; band++)
          all.m[i][j] += loop.bands[band].m[i][j];
      all.m[i][i] += FLAT;
    }
    solve(all.m);
    for (int i = 0; i < OFFSETS; i++)
      work->lower.p[i] += 8 * all.m[i][NUMBERS];
  }
}
