/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The evidence of a scan about cells. */
#include <math.h>
#include <string.h>

#include "common/ground/ground.h"
#include "common/occupancy/occupancy_private.h"

#define TURN 6.28318530717958647692
#define OUTLIER 1 /* SemanticKITTI's class of what is nothing */

typedef struct {
  double x, y, z, range;
  bool ground;
} Point;

/* False: it says nothing. */
static bool take_point(const StxOccupancyFrame *frame, size_t i, Point *point)
{
  const float *p = &frame->points[4 * i];
  uint32_t point_class = frame->labels[i] & 0xFFFF;
  double x = (double)p[0], y = (double)p[1], z = (double)p[2];
  if (point_class <= OUTLIER || !isfinite(x) || !isfinite(y) || !isfinite(z))
    return false;
  const double *m = frame->place;
  *point = (Point){x, y, z, 0, stx_point_is_ground(point_class)};
  if (m != NULL) {
    point->x = m[0] * x + m[1] * y + m[2] * z + m[3];
    point->y = m[4] * x + m[5] * y + m[6] * z + m[7];
    point->z = m[8] * x + m[9] * y + m[10] * z + m[11];
  }
  point->range = sqrt(point->x * point->x + point->y * point->y);
  return true;
}

static int sector_of(double ahead, double left)
{
  double turn = atan2(left, ahead) / TURN;
  int sector = (int)((turn < 0 ? turn + 1 : turn) * OCCUPANCY_SECTORS);
  return sector < OCCUPANCY_SECTORS ? sector : 0;
}

static int bin_of(double range)
{
  return range < OCCUPANCY_BINS * OCCUPANCY_BIN ? (int)(range / OCCUPANCY_BIN) : OCCUPANCY_BINS - 1;
}

/* The mark of the cell that a point lies in, or NULL: outside of the grid. */
static uint8_t *cell_of(const StxOccupancy *state, const Point *point)
{
  double c = cos(state->yaw), s = sin(state->yaw), cell = state->params.resolution;
  double column = floor((state->x + c * point->x - s * point->y) / cell) - state->first_x;
  double row = floor((state->y + s * point->x + c * point->y) / cell) - state->first_y;
  if (!(column >= 0 && column < state->side && row >= 0 && row < state->side))
    return NULL;
  return &state->points[(size_t)row * (size_t)state->side + (size_t)column];
}

static void add_ground(StxOccupancy *state, const Point *point)
{
  int sector = sector_of(point->x, point->y), bin = bin_of(point->range);
  Sector *found = &state->sectors[sector];
  uint8_t *cell = cell_of(state, point);
  uint32_t n = ++state->counts[sector][bin];
  float *mean = &state->ground[sector][bin];
  *mean = n == 1 ? (float)point->z : *mean + ((float)point->z - *mean) / (float)n;
  found->first = fmin(found->first, point->range);
  found->last = fmax(found->last, point->range);
  if (cell != NULL)
    *cell |= CELL_GROUND;
}

void stx_occupancy_look_at_scan(StxOccupancy *state, const StxOccupancyFrame *frame)
{
  Point point;
  memset(state->points, 0, (size_t)state->side * (size_t)state->side);
  memset(state->counts, 0, sizeof state->counts);
  for (int s = 0; s < OCCUPANCY_SECTORS; s++) {
    state->sectors[s] = (Sector){INFINITY, INFINITY, 0};
    for (int b = 0; b < OCCUPANCY_BINS; b++)
      state->ground[s][b] = NAN;
  }
  for (size_t i = 0; i < frame->point_count; i++)
    if (take_point(frame, i, &point) && point.ground)
      add_ground(state, &point);
  for (int s = 0; s < OCCUPANCY_SECTORS; s++) {
    float *ground = state->ground[s], last = NAN;
    /* Bins without ground have that of the next nearer one, the first ones that of the first. */
    for (int b = 0; b < OCCUPANCY_BINS && isnan(last); b++)
      last = ground[b];
    for (int b = 0; b < OCCUPANCY_BINS; b++)
      last = ground[b] = isnan(ground[b]) ? last : ground[b];
  }
  for (size_t i = 0; i < frame->point_count; i++)
    if (take_point(frame, i, &point) && !point.ground) {
      int sector = sector_of(point.x, point.y);
      double height = point.z - (double)state->ground[sector][bin_of(point.range)];
      uint8_t *cell = cell_of(state, &point);
      if (height < state->params.min_height || height > state->params.clearance)
        continue; /* points without a known ground count as obstacles */
      state->sectors[sector].obstacle = fmin(state->sectors[sector].obstacle, point.range);
      if (cell != NULL)
        *cell |= CELL_OBSTACLE;
    }
}

int stx_occupancy_by_scan(const StxOccupancy *state, size_t cell, const Spot *spot)
{
  double range = sqrt(spot->ahead * spot->ahead + spot->left * spot->left);
  if (range > state->params.max_distance)
    return 0;
  if (state->points[cell] & CELL_OBSTACLE)
    return OCCUPANCY_OCCUPIED;
  if (state->points[cell] & CELL_GROUND)
    return OCCUPANCY_FREE;
  const Sector *sector = &state->sectors[sector_of(spot->ahead, spot->left)];
  return range >= sector->first && range <= sector->last &&
                 range < sector->obstacle - state->params.resolution
             ? OCCUPANCY_FREE
             : 0;
}
