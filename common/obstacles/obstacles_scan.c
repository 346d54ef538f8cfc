/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands in a scan: its clusters are the groups. */
#include "common/obstacles/obstacles_private.h"

#include "common/ground/ground.h"

#include <math.h>

#define TURN (2 * STX_GROUND_MAX_ANGLE)

/* Cell of the square grid of OBSTACLES_GRID × OBSTACLES_GRID cells in which a point lies, or -1. */
static int cell_of(const StxObstacles *state, const float *point)
{
  double scale = OBSTACLES_GRID / (2 * state->params.max_distance);
  double x = ((double)point[0] + state->params.max_distance) * scale;
  double y = ((double)point[1] + state->params.max_distance) * scale;
  if (!(x >= 0 && x < OBSTACLES_GRID && y >= 0 && y < OBSTACLES_GRID))
    return -1;
  return (int)y * OBSTACLES_GRID + (int)x;
}

/* Mean height of the ground in every cell, in y. */
static void find_ground(StxObstacles *state, const StxObstaclesScan *scan)
{
  for (int i = 0; i < OBSTACLES_GRID * OBSTACLES_GRID; i++)
    state->ground[i] = state->weights[i] = 0;
  for (size_t i = 0; i < scan->count; i++) {
    int cell = stx_point_is_ground(scan->labels[i]) ? cell_of(state, scan->points + 4 * i) : -1;
    if (cell >= 0 && isfinite(scan->points[4 * i + 2])) {
      state->ground[cell] -= scan->points[4 * i + 2];
      state->weights[cell] += 1;
    }
  }
}

/* Of the cell and those around it; not a number if none of them has any. */
static float ground_around(const StxObstacles *state, int cell)
{
  float sum = 0, weight = 0;
  int x = cell % OBSTACLES_GRID, y = cell / OBSTACLES_GRID;
  for (int j = y > 0 ? y - 1 : 0; cell >= 0 && j <= y + 1 && j < OBSTACLES_GRID; j++)
    for (int i = x > 0 ? x - 1 : 0; i <= x + 1 && i < OBSTACLES_GRID; i++) {
      sum += state->ground[j * OBSTACLES_GRID + i];
      weight += state->weights[j * OBSTACLES_GRID + i];
    }
  return weight > 0 ? sum / weight : NAN;
}

static bool make_piece(
    const StxObstacles *state, const StxObstaclesScan *scan, size_t i, Piece *piece)
{
  const float *p = scan->points + 4 * i;
  uint32_t label = scan->labels[i];
  float range = sqrtf(p[0] * p[0] + p[1] * p[1]);
  if ((label & 0xFFFF) == STX_POINT_NONE || stx_point_is_ground(label) || !isfinite(p[2]) ||
      !(range > 0 && isfinite(range)))
    return false;
  *piece = (Piece){.record = (uint32_t)i,
      .group = label >> 16,
      .left = -p[1],
      .right = -p[1],
      .z = p[0],
      .range = range,
      .top = -p[2],
      .bottom = -p[2],
      .ground = ground_around(state, cell_of(state, p)),
      .weight = 1,
      .confidence = 1,
      .label = STX_LABEL_NONE};
  return true;
}

/* The first point seen of the least range counts. */
static void end_free_space(StxObstacles *state, uint32_t index)
{
  const Piece *piece = &state->pieces[index];
  double turn = atan2((double)piece->left, (double)piece->z) / TURN;
  int sector = (int)((turn < 0 ? turn + 1 : turn) * state->params.sectors);
  uint32_t *nearest = &state->nearest[sector < state->params.sectors ? sector : 0];
  if (!stx_obstacles_is_low(state, piece) ||
      (*nearest != OBSTACLES_NONE && state->pieces[*nearest].range <= piece->range))
    return;
  *nearest = index;
}

void stx_obstacles_cluster(StxObstacles *state, const StxObstaclesScan *scan)
{
  find_ground(state, scan);
  state->count = 0;
  for (int s = 0; s < state->params.sectors; s++)
    state->nearest[s] = OBSTACLES_NONE;
  for (size_t i = 0; i < scan->count; i++)
    if (make_piece(state, scan, i, &state->pieces[state->count]))
      end_free_space(state, (uint32_t)state->count++);
  stx_obstacles_split(state);
  for (int s = 0; s < state->params.sectors; s++) {
    const Piece *piece =
        state->nearest[s] != OBSTACLES_NONE ? &state->pieces[state->nearest[s]] : NULL;
    state->free_space[s] = (StxFreeSpace){piece != NULL ? piece->left : NAN,
        piece != NULL ? piece->z : INFINITY, 0, STX_FREE_NO_OBSTACLE};
  }
}
