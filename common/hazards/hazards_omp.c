/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hazards: costs and tests, the fast ones; compiled once per instruction set. All levels of a cell
 * lie side by side and are worked on together:
 *
 *   costs  a step of a level is two of the right row's fine positions, so that its even and odd
 *          ones, in rows of their own, have the levels of a pixel as neighbours. Windows of cells
 *          are sums of cells that grow on one side and shrink on the other
 *   tests  a patch of one row more is one sum more: all patches that begin in a row cost as much as
 *          the highest
 */
#include "common/hazards/hazards_private.h"

#include <string.h>

#define GROUNDS (2 * GROUND_REACH + 1)
#define FACES (FACE_NEAR + FACE_FAR + 1)
#define LANES 8 /* levels that are summed together: GROUNDS, and one more */

/* ---- Costs ----------------------------------------------------------------------------------- */

/* Position 2n + q of the fine row is fine[q][n + LEFT_PAD / 2]. */
static void make_fine(
    const int16_t *restrict row, int width, int16_t *restrict even, int16_t *restrict odd)
{
  int n = LEFT_PAD / 2;
  for (int i = 0; i < LEFT_PAD / 2; i++)
    even[i] = odd[i] = row[0];
  for (int x = 0; x < width; x++) {
    int a = row[x], b = row[x + 1 < width ? x + 1 : x];
    for (int f = 0; f < FINE; f += 2, n++) {
      even[n] = (int16_t)(((FINE - f) * a + f * b + FINE / 2) >> 3);
      odd[n] = (int16_t)(((FINE - f - 1) * a + (f + 1) * b + FINE / 2) >> 3);
    }
  }
  for (int i = 0; i < RIGHT_PAD / 2; i++, n++)
    even[n] = odd[n] = row[width - 1];
}

/* Adds what a pixel differs by at all levels. */
static inline void add_pixel(int left, const int16_t *restrict right, uint16_t *restrict sum)
{
  int16_t l = (int16_t)left;
#pragma omp simd
  for (int i = 0; i < LEVELS; i++) {
    int16_t d = (int16_t)(l - right[i]);
    d = (int16_t)(d < 0 ? -d : d);
    sum[i] = (uint16_t)(sum[i] + (d < MOST_DIFFERENCE ? d : MOST_DIFFERENCE));
  }
}

static inline void add_cell(const uint16_t *restrict cell, uint16_t *restrict sum)
{
#pragma omp simd
  for (int i = 0; i < LEVELS; i++)
    sum[i] = (uint16_t)(sum[i] + cell[i]);
}

static inline void take_cell(const uint16_t *restrict cell, uint16_t *restrict sum)
{
#pragma omp simd
  for (int i = 0; i < LEVELS; i++)
    sum[i] = (uint16_t)(sum[i] - cell[i]);
}

/* Sums over cells become sums over windows. */
static void widen(const StxHazardsWork *work, int row, const uint16_t *cells)
{
  int half = work->half[row - work->top], count = work->cells;
  uint16_t sum[LEVELS] = {0};
  for (int c = 0; c < half && c < count; c++)
    add_cell(cells + (size_t)c * LEVELS, sum);
  for (int c = 0; c < count; c++) {
    if (c + half < count)
      add_cell(cells + (size_t)(c + half) * LEVELS, sum);
    if (c - half > 0)
      take_cell(cells + (size_t)(c - half - 1) * LEVELS, sum);
    memcpy(work->costs + hazards_at(work, row, c) * LEVELS, sum, sizeof sum);
  }
}

void STX_VARIANT(stx_hazards_costs)(const StxHazardsWork *work, int row, int worker)
{
  int width = work->width;
  size_t fine = ((size_t)width * FINE + LEFT_PAD + RIGHT_PAD) / 2;
  uint16_t *cells = (uint16_t *)work->scratch[worker];
  int16_t *left = (int16_t *)cells + (size_t)work->cells * LEVELS;
  int16_t *right = left + width, *positions[2] = {right + width, right + width + fine};
  uint8_t *blended = (uint8_t *)(positions[1] + fine);
  const int16_t *ground = work->ground + (size_t)(row - work->top) * (size_t)width;
  stx_hazards_flatten(stx_row8(&work->frame->left, row), width, left);
  stx_hazards_blend(&work->frame->right, row, work->lower[row - work->top], blended);
  stx_hazards_flatten(blended, width, right);
  make_fine(right, width, positions[0], positions[1]);
  memset(cells, 0, (size_t)work->cells * LEVELS * sizeof *cells);
  for (int x = 0; x < work->cells * CELL; x++) {
    int at = LEFT_PAD + FINE * x - ground[x] - 2 * ON_GROUND;
    add_pixel(left[x], positions[at & 1] + (at >> 1), cells + (size_t)(x / CELL) * LEVELS);
  }
  widen(work, row, cells);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Sums of a patch that grows: on ground of each tilt, and upright; some lanes are of no use. */
typedef struct {
  uint32_t ground[TILTS][LANES], face[LANES];
} Sums;

static inline void add_levels(const uint16_t *restrict costs, uint32_t *restrict sum)
{
#pragma omp simd
  for (int i = 0; i < LANES; i++)
    sum[i] += costs[i];
}

static inline uint32_t least_of(const uint32_t *sum, int count)
{
  uint32_t best = sum[0];
  for (int i = 1; i < count; i++)
    best = sum[i] < best ? sum[i] : best;
  return best;
}

static inline Patch test(const StxHazardsWork *work, int row, int way, int cell)
{
  Patch best = {0, 0};
  Sums sums = {{{0}}, {0}};
  int low = way < 0 ? -FACE_NEAR : -FACE_FAR, least = work->least[row - work->top];
  if (work->nearer[hazards_at(work, row, cell)] > HIDDEN)
    return best;
  for (int j = 0; j < work->faces; j++) {
    int far = row + way * j;
    if (far < work->top || far >= work->height)
      break;
    const uint16_t *costs = work->costs + hazards_at(work, far, cell) * LEVELS + ON_GROUND;
    for (int t = 0; t < TILTS; t++)
      add_levels(costs + work->tilt[t][j] - GROUND_REACH, sums.ground[t]);
    add_levels(costs + way * work->face[j] + low, sums.face);
    if (j + 1 < LEAST || j + 1 < least)
      continue;
    uint32_t ground = UINT32_MAX;
    for (int t = 0; t < TILTS; t++) {
      uint32_t tilted = least_of(sums.ground[t], GROUNDS);
      ground = tilted < ground ? tilted : ground;
    }
    uint16_t evidence = hazards_evidence(ground, least_of(sums.face, FACES), work->noise);
    if (evidence > best.evidence && hazards_seen(work, row, cell, far, j + 1))
      best = (Patch){evidence, (uint8_t)(j + 1)};
  }
  return best;
}

void STX_VARIANT(stx_hazards_tests)(const StxHazardsWork *work, int row, int worker)
{
  for (int cell = 0; cell < work->cells; cell++) {
    work->up[hazards_at(work, row, cell)] = test(work, row, -1, cell);
    work->down[hazards_at(work, row, cell)] = test(work, row, 1, cell);
  }
}
