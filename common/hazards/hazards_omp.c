/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hazards: costs and tests, the fast ones; compiled once per instruction set.
 *
 *   costs  a step of a level is two of the right row's fine positions, so that its even and odd
 *          ones, in rows of their own, have the levels of a pixel as neighbours. Windows of cells
 *          are sums of cells that grow on one side and shrink on the other; they are stored so
 *          that cells are neighbours
 *   tests  of BLOCK cells together. A patch of one row more is one sum more: all patches that begin
 *          in a row cost as much as the highest. Evidence is divided by the noise where it exceeds
 *          the best so far
 */
#include "common/hazards/hazards_private.h"

#include <string.h>

#define GROUNDS (2 * GROUND_REACH + 1)
#define FACES (FACE_NEAR + FACE_FAR + 1)

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

/* A pixel that says nothing. */
static inline void add_most(uint16_t *restrict sum)
{
#pragma omp simd
  for (int i = 0; i < LEVELS; i++)
    sum[i] = (uint16_t)(sum[i] + MOST_DIFFERENCE);
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

/* Rows become columns. */
static inline void turn(const uint16_t (*restrict block)[LEVELS], uint16_t *restrict costs)
{
  for (int level = 0; level < LEVELS; level++)
    for (int c = 0; c < BLOCK; c++)
      costs[level * BLOCK + c] = block[c][level];
}

/* Sums over cells become sums over windows. */
static void widen(const StxHazardsWork *work, int row, const uint16_t *cells)
{
  int half = work->half[row - work->top], count = work->cells;
  uint16_t sum[LEVELS] = {0}, block[BLOCK][LEVELS] = {{0}};
  for (int c = 0; c < half && c < count; c++)
    add_cell(cells + (size_t)c * LEVELS, sum);
  for (int c = 0; c < count; c++) {
    if (c + half < count)
      add_cell(cells + (size_t)(c + half) * LEVELS, sum);
    if (c - half > 0)
      take_cell(cells + (size_t)(c - half - 1) * LEVELS, sum);
    memcpy(block[c % BLOCK], sum, sizeof sum);
    if (c % BLOCK == BLOCK - 1 || c == count - 1)
      turn((const uint16_t(*)[LEVELS])block, hazards_costs(work, row, c));
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
  uint8_t *clipped[2] = {blended + width, blended + 2 * (size_t)width};
  const int16_t *ground = work->ground + (size_t)(row - work->top) * (size_t)width;
  stx_hazards_flatten(stx_row8(&work->frame->left, row), width, left);
  stx_hazards_blend(&work->frame->right, row, work->lower[row - work->top], blended);
  stx_hazards_flatten(blended, width, right);
  stx_hazards_mark_clipped(stx_row8(&work->frame->left, row), width, clipped[0]);
  stx_hazards_mark_clipped(blended, width, clipped[1]);
  make_fine(right, width, positions[0], positions[1]);
  memset(cells, 0, (size_t)work->cells * LEVELS * sizeof *cells);
  for (int x = 0; x < work->cells * CELL; x++) {
    int at = LEFT_PAD + FINE * x - ground[x] - 2 * ON_GROUND;
    uint16_t *cell = cells + (size_t)(x / CELL) * LEVELS;
    if (hazards_is_clipped(clipped[0], clipped[1], ground, x))
      add_most(cell);
    else
      add_pixel(left[x], positions[at & 1] + (at >> 1), cell);
  }
  widen(work, row, cells);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* Sums of patches that grow: on ground of each tilt, and upright. */
typedef struct {
  uint32_t ground[TILTS][GROUNDS * BLOCK], face[FACES * BLOCK];
} Sums;

static inline void add_levels(const uint16_t *restrict costs, int count, uint32_t *restrict sum)
{
#pragma omp simd
  for (int i = 0; i < count; i++)
    sum[i] += costs[i];
}

static inline void lower(const uint32_t *restrict sum, int levels, uint32_t *restrict least)
{
  for (int level = 0; level < levels; level++)
#pragma omp simd
    for (int c = 0; c < BLOCK; c++)
      least[c] = least[c] < sum[level * BLOCK + c] ? least[c] : sum[level * BLOCK + c];
}

/* Finds the least costs of ground and of faces; true if 16 times a difference reaches `need`. */
static inline bool compare(
    const Sums *restrict sums, const uint32_t *restrict need, uint32_t ground[], uint32_t face[])
{
  uint32_t hits = 0;
  memset(ground, 255, BLOCK * sizeof *ground);
  memset(face, 255, BLOCK * sizeof *face);
  for (int t = 0; t < TILTS; t++)
    lower(sums->ground[t], GROUNDS, ground);
  lower(sums->face, FACES, face);
#pragma omp simd reduction(| : hits)
  for (int c = 0; c < BLOCK; c++)
    hits |= (ground[c] > face[c] ? (ground[c] - face[c]) << 4 : 0) >= need[c];
  return hits != 0;
}

/* Patches of BLOCK cells from `cell` on. */
static inline void test(const StxHazardsWork *work, int row, int way, int cell, Patch *best)
{
  Sums sums = {{{0}}, {0}};
  uint32_t need[BLOCK], ground[BLOCK], face[BLOCK]; /* need: for more evidence than the best has */
  int low = way < 0 ? -FACE_NEAR : -FACE_FAR, least = work->least[row - work->top], open = 0;
  int cells = work->cells - cell < BLOCK ? work->cells - cell : BLOCK;
  for (int c = 0; c < BLOCK; c++) {
    bool seen = c < cells && work->nearer[hazards_at(work, row, cell + c)] <= HIDDEN;
    need[c] = seen ? work->noise : UINT32_MAX;
    open += seen;
  }
  memset(best, 0, sizeof *best * (size_t)cells);
  for (int j = 0; open > 0 && j < work->faces; j++) {
    int far = row + way * j;
    if (far < work->top || far >= work->height)
      break;
    const uint16_t *costs = hazards_costs(work, far, cell) + ON_GROUND * BLOCK;
    for (int t = 0; t < TILTS; t++)
      add_levels(
          costs + (work->tilt[t][j] - GROUND_REACH) * BLOCK, GROUNDS * BLOCK, sums.ground[t]);
    add_levels(costs + (way * work->face[j] + low) * BLOCK, FACES * BLOCK, sums.face);
    if (j + 1 < LEAST || j + 1 < least || !compare(&sums, need, ground, face))
      continue;
    for (int c = 0; c < cells; c++) {
      if (ground[c] <= face[c] || (ground[c] - face[c]) << 4 < need[c] ||
          !hazards_seen(work, row, cell + c, far, j + 1))
        continue;
      best[c] = (Patch){hazards_evidence(ground[c], face[c], work->noise), (uint8_t)(j + 1)};
      need[c] = (best[c].evidence + 1u) * work->noise;
    }
  }
}

void STX_VARIANT(stx_hazards_tests)(const StxHazardsWork *work, int row, int worker)
{
  for (int cell = 0; cell < work->cells; cell += BLOCK) {
    test(work, row, -1, cell, work->up + hazards_at(work, row, cell));
    test(work, row, 1, cell, work->down + hazards_at(work, row, cell));
  }
}
