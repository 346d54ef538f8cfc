/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A second, finer test of the best patch of each group. Three things look upright to the first one
 * that are flat, and are left to the ground here:
 *
 *   rows     both hypotheses may be up to 3/4 pixel lower or higher in the right picture: edges of
 *            shadows and markings are nearly level, and move sideways by several times that
 *   across   the ground may lean sideways, by a level in the outer thirds of the patch
 *   edges    differences count less where the picture changes from pixel to pixel, as there
 *            interpolation is off by a share of that
 */
#include "common/hazards/hazards_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHIFTS 3 /* quarters of a pixel, either way */
#define SHIFT_COUNT (2 * SHIFTS + 1)
#define THIRDS 3
#define UNIT 65536 /* of a weight */
#define SHARE .15  /* of a gradient that counts as noise */
#define REACH 3    /* levels by which either may lie off the ground, either way */
#define MOST_COLUMNS ((2 * MOST_HALF + 1) * CELL)
#define AHEAD (LEVELS / 4 + 1) /* pixels that the levels reach beyond the ground's disparity */

struct StxHazardsVerify {
  uint16_t costs[SHIFT_COUNT][ROWS][THIRDS][LEVELS]; /* 1/31 gray level, weighted */
};

size_t stx_hazards_verify_size(void)
{
  return sizeof(StxHazardsVerify);
}

/* Columns, and rows from the first one upwards or, way 1, downwards. */
typedef struct {
  int left, count, row, way, rows;
} Place;

static int clamped(int at, int count)
{
  return at < 0 ? 0 : at >= count ? count - 1 : at;
}

/* Of each column, UNIT · noise / √(noise² + (SHARE · gradient)²). */
static void weigh(const StxHazardsWork *work, const Place *place, int row, uint16_t *weights)
{
  const StxImage8 *picture = &work->frame->left;
  const uint8_t *here = stx_row8(picture, row);
  const uint8_t *above = stx_row8(picture, clamped(row - 1, picture->height));
  const uint8_t *below = stx_row8(picture, clamped(row + 1, picture->height));
  double share = .5 * SHARE * MEAN / work->noise;
  for (int i = 0; i < place->count; i++) {
    int x = place->left + i;
    double across = share * (here[clamped(x + 1, work->width)] - here[clamped(x - 1, work->width)]);
    double down = share * (below[x] - above[x]);
    weights[i] = (uint16_t)(UNIT / sqrt(1.00002 + across * across + down * down));
  }
}

/* Part of a flat row: where the right picture may show the patch. */
typedef struct {
  int begin, end;
} Part;

static Part part_of(const StxHazardsWork *work, const Place *place, int row)
{
  const int16_t *ground = work->ground + (size_t)(row - work->top) * (size_t)work->width;
  int least = ground[place->left], most = least;
  for (int i = 1; i < place->count; i++) {
    int at = ground[place->left + i];
    least = at < least ? at : least;
    most = at > most ? at : most;
  }
  int begin = place->left - most / FINE - AHEAD - MEAN_HALF;
  int end = place->left + place->count - least / FINE + AHEAD + MEAN_HALF;
  begin = clamped(begin, work->width);
  return (Part){begin, end < begin + 2 ? begin + 2 : end > work->width ? work->width : end};
}

/* Adds what the pixels of a row differ by at all levels. */
static void add_pixels(const StxHazardsWork *work, const Place *place, int row, const Part *part,
    const int16_t *left, const int16_t *right, const uint16_t *weights,
    uint16_t sums[THIRDS][LEVELS])
{
  const int16_t *ground = work->ground + (size_t)(row - work->top) * (size_t)work->width;
  int width = part->end - part->begin, third = (place->count + THIRDS - 1) / THIRDS;
  int16_t values[LEVELS];
  for (int i = 0; i < place->count; i++) {
    int x = place->left + i;
    uint16_t *sum = sums[i / third];
    int at = FINE * (x - part->begin) - ground[x] - ON_GROUND * (FINE / 4);
    for (int level = 0; level < LEVELS; level++, at += FINE / 4) {
      int from = at >> 3, f = at & (FINE - 1);
      values[level] = (int16_t)(((FINE - f) * right[clamped(from, width)] +
                                    f * right[clamped(from + 1, width)] + FINE / 2) >>
                                3);
    }
    for (int level = 0; level < LEVELS; level++) {
      int d = abs(left[i] - values[level]);
      d = d < MOST_DIFFERENCE ? d : MOST_DIFFERENCE;
      sum[level] = (uint16_t)(sum[level] + (((uint32_t)d * weights[i]) >> 16));
    }
  }
}

static void fill(const StxHazardsWork *work, const Place *place, StxHazardsVerify *verify)
{
  int16_t *left = work->scratch[0], *right = left + work->width;
  uint8_t *blended = (uint8_t *)(right + work->width);
  uint16_t weights[MOST_COLUMNS];
  memset(verify->costs, 0, sizeof verify->costs);
  for (int j = 0; j < place->rows; j++) {
    int row = place->row + place->way * j;
    int first = place->left > MEAN_HALF ? place->left - MEAN_HALF : 0;
    int last = place->left + place->count + MEAN_HALF;
    last = last < work->width ? last : work->width;
    Part part = part_of(work, place, row);
    weigh(work, place, row, weights);
    stx_hazards_flatten(stx_row8(&work->frame->left, row) + first, last - first, left);
    for (int s = 0; s < SHIFT_COUNT; s++) {
      stx_hazards_blend(work, row, 2 * (s - SHIFTS), part.begin, part.end, blended);
      stx_hazards_flatten(blended + part.begin, part.end - part.begin, right);
      add_pixels(
          work, place, row, &part, left + place->left - first, right, weights, verify->costs[s][j]);
    }
  }
}

/* Off the ground by `begin` and sign · levels[j] in row j, in the outer thirds by `lean` more. */
static uint32_t cost_of(const StxHazardsVerify *verify, int shift, int rows, int begin,
    const int *levels, int sign, int lean)
{
  uint32_t sum = 0;
  for (int j = 0; j < rows; j++) {
    const uint16_t(*costs)[LEVELS] = verify->costs[shift][j];
    int level = ON_GROUND + begin + sign * levels[j];
    sum += (uint32_t)costs[0][level - lean] + costs[1][level] + costs[2][level + lean];
  }
  return sum;
}

uint16_t stx_hazards_verify(const StxHazardsWork *work, StxHazardsVerify *verify,
    const Patch *patch, int row, int cell, bool hole)
{
  int half = work->half[row - work->top];
  int first = cell > half ? cell - half : 0,
      last = cell + half < work->cells ? cell + half : work->cells - 1;
  Place place = {first * CELL, (last - first + 1) * CELL, row, hole ? 1 : -1, patch->rows};
  uint32_t ground = UINT32_MAX, face = UINT32_MAX;
  fill(work, &place, verify);
  for (int s = 0; s < SHIFT_COUNT; s++)
    for (int begin = -REACH; begin <= REACH; begin++) {
      for (int t = 0; t < TILTS; t++)
        for (int lean = -1; lean <= 1; lean++) {
          uint32_t leaning = cost_of(verify, s, patch->rows, begin, work->tilt[t], 1, lean);
          ground = leaning < ground ? leaning : ground;
        }
      uint32_t upright = cost_of(verify, s, patch->rows, begin, work->face, place.way, 0);
      face = upright < face ? upright : face;
    }
  return hazards_evidence(ground, face, work->noise);
}
