/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hazards: costs and tests as the header has them, one number after the other. */
#include "common/hazards/hazards_private.h"
#include "tests/testing.h"

#include <stdlib.h>

/* ---- Costs ----------------------------------------------------------------------------------- */

/* The right row at a place in 1/FINE pixel. */
static int between(const int16_t *row, int width, int at)
{
  int x = at >> 3, f = at & (FINE - 1);
  return ((FINE - f) * row[brute_clamp(x, width)] + f * row[brute_clamp(x + 1, width)] +
             FINE / 2) >>
         3;
}

static unsigned difference(const int16_t *left, const int16_t *right, int width, int x, int at)
{
  int d = abs(left[x] - between(right, width, at));
  return (unsigned)(d < MOST_DIFFERENCE ? d : MOST_DIFFERENCE);
}

static void stx_hazards_costs_c(const StxHazardsWork *work, int row, int worker)
{
  int width = work->width, half = work->half[row - work->top];
  int16_t *left = work->scratch[worker], *right = left + width;
  uint8_t *blended = (uint8_t *)(right + width);
  uint8_t *clipped[2] = {blended + width, blended + 2 * (size_t)width};
  const int16_t *ground = work->ground + (size_t)(row - work->top) * (size_t)width;
  stx_hazards_flatten(stx_row8(&work->frame->left, row), width, left);
  stx_hazards_blend(&work->frame->right, row, work->lower[row - work->top], blended);
  stx_hazards_flatten(blended, width, right);
  stx_hazards_mark_clipped(stx_row8(&work->frame->left, row), width, clipped[0]);
  stx_hazards_mark_clipped(blended, width, clipped[1]);
  for (int cell = 0; cell < work->cells; cell++)
    for (int level = 0; level < LEVELS; level++) {
      unsigned sum = 0;
      for (int c = cell - half; c <= cell + half; c++)
        for (int x = c * CELL; x < (c + 1) * CELL; x++)
          if (c >= 0 && c < work->cells)
            sum += hazards_is_clipped(clipped[0], clipped[1], ground, x)
                       ? MOST_DIFFERENCE
                       : difference(left, right, width, x,
                             FINE * x - ground[x] + (level - ON_GROUND) * (FINE / 4));
      *hazards_cost(work, row, cell, level) = (uint16_t)sum;
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Returns the least cost of `rows` rows from `row` on, in steps of `way`, over all levels at which
 * a patch may begin that is off the ground by levels[j] in row j. */
static uint32_t least(const StxHazardsWork *work, int row, int way, int cell, int rows,
    const int *levels, int sign, int low, int high)
{
  uint32_t best = UINT32_MAX;
  for (int begin = low; begin <= high; begin++) {
    uint32_t sum = 0;
    for (int j = 0; j < rows; j++)
      sum += *hazards_cost(work, row + way * j, cell, ON_GROUND + begin + sign * levels[j]);
    best = sum < best ? sum : best;
  }
  return best;
}

/* way −1: a face upright from `row` on; 1: a wall down from there. */
static Patch test(const StxHazardsWork *work, int row, int way, int cell)
{
  Patch best = {0, 0};
  for (int rows = LEAST; rows <= work->faces; rows++) {
    int far = row + way * (rows - 1);
    uint32_t ground = UINT32_MAX;
    if (far < work->top || far >= work->height)
      break;
    for (int t = 0; t < TILTS; t++) {
      uint32_t tilted =
          least(work, row, way, cell, rows, work->tilt[t], 1, -GROUND_REACH, GROUND_REACH);
      ground = tilted < ground ? tilted : ground;
    }
    uint32_t face = way < 0
                        ? least(work, row, way, cell, rows, work->face, way, -FACE_NEAR, FACE_FAR)
                        : least(work, row, way, cell, rows, work->face, way, -FACE_FAR, FACE_NEAR);
    uint16_t evidence = hazards_evidence(ground, face, work->noise);
    if (rows >= work->least[row - work->top] && evidence > best.evidence &&
        hazards_seen(work, row, cell, far, rows))
      best = (Patch){evidence, (uint8_t)rows};
  }
  return best;
}

static void stx_hazards_tests_c(const StxHazardsWork *work, int row, int worker)
{
  for (int cell = 0; cell < work->cells; cell++) {
    work->up[hazards_at(work, row, cell)] = test(work, row, -1, cell);
    work->down[hazards_at(work, row, cell)] = test(work, row, 1, cell);
  }
}

const StxHazardsImpl oracle_hazards = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_hazards_costs_c, stx_hazards_tests_c};
