/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The obstacles of a scan: its clusters are the groups.
 *
 * Clusters of a scan join what stands within a cell or two of lidar-ground, half a metre each. Here
 * people are cut off them: from trees, from walls, and from each other.
 *
 * In finer cells, below LAYER and above it, points of one cluster are parts: cells that touch, and
 * of two layers where the gap between is small, so that a crown is no part of a person below it. A
 * part that stands on the ground, is narrow, and as tall as a person becomes a group of its own;
 * all others stay together. Once in cells of COARSE, then what is as small as two people in FINE.
 *
 * Numbers were chosen on streets 1 to 4 of the synthetic street.
 */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

#include "common/ground/ground.h"

#define COARSE .25      /* m: cells of the first pass */
#define FINE .1         /* m: cells of the second pass */
#define SMALL 1.8f      /* m: groups of this size are looked at in fine cells */
#define LAYER 2.1f      /* m above the ground: people end below it */
#define LINK .4f        /* m: the gap between two layers of one thing at most */
#define LEAST_POINTS 25 /* points of a part that is cut off, at least */
#define NARROW 1.2f     /* m: its width, at most */
#define TALL 1.2f       /* m: its height, at least */
#define FOOT .4f        /* m: its lowest point above the ground, at most */
#define SEEN 64         /* points of a sector that are looked at, for whether it is seen at all */

/* ---- What groups and parts span -------------------------------------------------------------- */

static void clear_spans(StxObstacles *state)
{
  for (size_t i = 0; i < state->room_for_spans; i++)
    state->spans[i] =
        (Span){INFINITY, -INFINITY, INFINITY, -INFINITY, -INFINITY, INFINITY, 0, OBSTACLES_NONE};
}

static void add_to_span(Span *span, const Piece *p, uint32_t index)
{
  span->left = fminf(span->left, p->left);
  span->right = fmaxf(span->right, p->left);
  span->near = fminf(span->near, p->z);
  span->far = fmaxf(span->far, p->z);
  span->high = fmaxf(span->high, p->ground - p->top);
  span->foot = fminf(span->foot, p->ground - p->bottom);
  span->first = span->points++ == 0 ? index : span->first;
}

static float size_of(const Span *span)
{
  return hypotf(span->right - span->left, span->far - span->near);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *part, uint32_t i)
{
  for (; part[i] != i; i = part[i])
    part[i] = part[part[i]];
  return i;
}

/* Parts of one group only; the first point names them. */
static void unite(StxObstacles *state, uint32_t a, uint32_t b)
{
  if (a == OBSTACLES_NONE || b == OBSTACLES_NONE ||
      state->pieces[a].group != state->pieces[b].group)
    return;
  a = root_of(state->part, a);
  b = root_of(state->part, b);
  state->part[a < b ? b : a] = a < b ? a : b;
}

/* Two numbers for each cell, of its lower layer and its upper one. OBSTACLES_NONE beyond the grid.
 */
static uint32_t place_of(const StxObstacles *state, const Piece *p, double cell)
{
  double half = fmin(state->params.max_distance, .5 * OBSTACLES_FINE * cell);
  double x = ((double)p->left + half) / cell, z = ((double)p->z + half) / cell;
  if (!(x >= 0 && x < OBSTACLES_FINE && z >= 0 && z < OBSTACLES_FINE))
    return OBSTACLES_NONE;
  return 2 * ((uint32_t)z * OBSTACLES_FINE + (uint32_t)x) + (p->ground - p->top > LAYER);
}

/* Into its cell; a group that is too large, and what lies beyond the grid, stays one part. */
static void place(StxObstacles *state, uint32_t i, double cell, float most)
{
  const Piece *p = &state->pieces[i];
  const Span *group = &state->spans[p->group];
  uint32_t at = size_of(group) <= most ? place_of(state, p, cell) : OBSTACLES_NONE;
  float high = p->ground - p->top;
  state->cells[i] = at;
  if (at == OBSTACLES_NONE) {
    unite(state, group->first, i);
    return;
  }
  bool begins = state->fine[at] == OBSTACLES_NONE;
  float *edge = &state->edges[at];
  *edge = begins ? high : at & 1 ? fminf(*edge, high) : fmaxf(*edge, high);
  state->fine[at] = begins ? i : state->fine[at];
  unite(state, state->fine[at], i);
}

/* Links a part with the nine cells around it, and with the layer above in these. */
static void link_around(StxObstacles *state, uint32_t at)
{
  int x = (int)(at / 2 % OBSTACLES_FINE), z = (int)(at / 2 / OBSTACLES_FINE);
  for (int v = z > 0 ? z - 1 : 0; v <= z + 1 && v < OBSTACLES_FINE; v++)
    for (int u = x > 0 ? x - 1 : 0; u <= x + 1 && u < OBSTACLES_FINE; u++) {
      uint32_t other = 2 * (uint32_t)(v * OBSTACLES_FINE + u);
      unite(state, state->fine[at], state->fine[other + (at & 1)]);
      if (!(at & 1) && state->fine[other + 1] != OBSTACLES_NONE &&
          state->edges[other + 1] - state->edges[at] < LINK)
        unite(state, state->fine[at], state->fine[other + 1]);
    }
}

/* ---- New groups ------------------------------------------------------------------------------ */

/* Groups get the numbers of their parts' first points, and one: that of the largest, where a part
 * is not cut off. */
static void number(StxObstacles *state)
{
  uint32_t *largest = state->largest;
  clear_spans(state);
  memset(largest, 0xFF, state->room_for_spans * sizeof *largest);
  for (uint32_t i = 0; i < state->count; i++)
    add_to_span(&state->spans[root_of(state->part, i)], &state->pieces[i], i);
  for (uint32_t i = 0; i < state->count; i++) {
    uint32_t *most = &largest[state->pieces[i].group];
    if (*most == OBSTACLES_NONE || state->spans[i].points > state->spans[*most].points)
      *most = i;
  }
  for (uint32_t i = 0; i < state->count; i++) {
    uint32_t part = root_of(state->part, i), *group = &state->pieces[i].group;
    const Span *span = &state->spans[part];
    bool is_person = span->points >= LEAST_POINTS && size_of(span) < NARROW && span->high > TALL &&
                     span->foot < FOOT; /* without a known ground nothing is separated */
    if (*group > 0)
      *group = 1 + (is_person ? part : largest[*group]);
  }
}

static void split(StxObstacles *state, double cell, float most)
{
  memset(state->fine, 0xFF, 2 * OBSTACLES_FINE * OBSTACLES_FINE * sizeof *state->fine);
  clear_spans(state);
  for (uint32_t i = 0; i < state->count; i++) {
    state->part[i] = i;
    add_to_span(&state->spans[state->pieces[i].group], &state->pieces[i], i);
  }
  for (uint32_t i = 0; i < state->count; i++)
    place(state, i, cell, most);
  for (uint32_t i = 0; i < state->count; i++)
    if (state->cells[i] != OBSTACLES_NONE && state->fine[state->cells[i]] == i)
      link_around(state, state->cells[i]);
  number(state);
}

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

/* The value of the cell and those around it; not a number if none of them has any. */
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

static StxFreeSpace *sector_of(const StxObstacles *state, float left, float z)
{
  double turn = atan2((double)left, (double)z) / TURN;
  int sector = (int)((turn < 0 ? turn + 1 : turn) * state->params.sectors);
  return &state->free_space[sector < state->params.sectors ? sector : 0];
}

/* A direction is free where the ground is seen, or something beyond all obstacles: of one in which
 * nothing is, of lost packets or a covered sensor, nothing is known. Some points tell. */
static void see_free_space(StxObstacles *state, const StxObstaclesScan *scan)
{
  size_t step = 1 + scan->count / (SEEN * (size_t)state->params.sectors);
  for (int s = 0; s < state->params.sectors; s++) {
    state->free_space[s] = (StxFreeSpace){NAN, NAN, 0, STX_FREE_NO_OBSTACLE};
    state->nearest[s] = OBSTACLES_NONE;
  }
  for (size_t i = 0; i < scan->count; i += step) {
    const float *p = scan->points + 4 * i;
    float range = sqrtf(p[0] * p[0] + p[1] * p[1]);
    if (range > 0 && isfinite(range) &&
        (stx_point_is_ground(scan->labels[i]) || range >= (float)state->params.max_distance))
      sector_of(state, -p[1], p[0])->z = INFINITY;
  }
}

/* The first point seen of the least range counts. */
static void end_free_space(StxObstacles *state, uint32_t index)
{
  const Piece *piece = &state->pieces[index];
  StxFreeSpace *space = sector_of(state, piece->left, piece->z);
  uint32_t *nearest = &state->nearest[space - state->free_space];
  if (!stx_obstacles_is_low(state, piece) ||
      (*nearest != OBSTACLES_NONE && state->pieces[*nearest].range <= piece->range))
    return;
  *nearest = index;
  space->x = piece->left;
  space->z = piece->z;
}

void stx_obstacles_cluster(StxObstacles *state, const StxObstaclesScan *scan)
{
  find_ground(state, scan);
  see_free_space(state, scan);
  state->count = 0;
  for (size_t i = 0; i < scan->count; i++)
    if (make_piece(state, scan, i, &state->pieces[state->count]))
      end_free_space(state, (uint32_t)state->count++);
  split(state, COARSE, INFINITY);
  split(state, FINE, SMALL);
}
