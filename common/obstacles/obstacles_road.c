/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The height of the road by distance, from the stixels that lie on it. */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

#define SLOPE_LENGTH 20 /* m: beyond what is seen the road goes on as its last so many */
#define OUTLIER .3f     /* m, and 2 % of the distance: ground that is no part of the road */
#define FEW .05f        /* of the columns: what no more of them show is as good as unknown */

double stx_obstacles_centre_row(const StxCamera *camera, const StxObstaclesFrame *frame)
{
  return camera->missing & STX_CAMERA_CY ? .5 * (frame->height - 1) : camera->cy;
}

/* Adds the heights of one ground stixel at every whole metre that it covers: those that are not
 * OUTLIER off what is known, if something is. */
static void add_ground(
    StxObstacles *state, const StxObstaclesFrame *frame, const StxStixel *s, const float *known)
{
  const StxCamera *camera = &frame->camera;
  double near = s->disparity_bottom, far = s->disparity_top;
  double scale = camera->focal * camera->baseline, cy = stx_obstacles_centre_row(camera, frame);
  if (!(near > far) || !(far >= 0) || !isfinite(near) || s->bottom == s->top)
    return;
  double reach = far > 0 ? scale / far : INFINITY, rows = (s->bottom - s->top) / (near - far);
  int first = (int)fmin(ceil(scale / near), OBSTACLES_GROUND);
  for (int z = first > 1 ? first : 1; z < OBSTACLES_GROUND && z <= reach; z++) {
    float y = (float)((s->bottom - (near - scale / z) * rows - cy) * z / camera->focal);
    if (known != NULL && !(fabsf(y - known[z]) < OUTLIER + .02f * (float)z))
      continue;
    state->ground[z] += y;
    state->weights[z] += 1;
  }
}

/* A straight line through up to SLOPE_LENGTH metres from `first` on, by least squares: beyond them
 * the road goes on like that. */
static void extend_ground(float *ground, const float *weights, int first, int step)
{
  double n = 0, sz = 0, sy = 0, szz = 0, szy = 0;
  for (int i = 0; i < SLOPE_LENGTH; i++) {
    int z = first - step * i;
    if (z < 1 || z >= OBSTACLES_GROUND)
      break;
    double w = (double)weights[z];
    n += w;
    sz += w * z;
    sy += w * (double)ground[z];
    szz += w * z * z;
    szy += w * z * (double)ground[z];
  }
  double spread = n * szz - sz * sz;
  double slope = spread > n ? (n * szy - sz * sy) / spread : 0, start = (sy - slope * sz) / n;
  for (int z = first + step; z >= 0 && z < OBSTACLES_GROUND; z += step)
    ground[z] = (float)(start + slope * z);
}

/* Means, and what no stixel covers; false if that is all. Metres that few columns show are as
 * good as unknown. */
static bool fill_ground(float *ground, float *weights, float least)
{
  int first = 0, last = 0;
  for (int z = 1; z < OBSTACLES_GROUND; z++) {
    weights[z] = weights[z] < least ? 0 : weights[z];
    if (!(weights[z] > 0))
      continue;
    ground[z] /= weights[z];
    for (int i = last + 1; last > 0 && i < z; i++)
      ground[i] = ground[last] + (ground[z] - ground[last]) * (float)(i - last) / (float)(z - last);
    first = first > 0 ? first : z;
    last = z;
  }
  if (first == 0)
    return false;
  extend_ground(ground, weights, first, -1);
  extend_ground(ground, weights, last, 1);
  return true;
}

static bool sum_ground(StxObstacles *state, const StxObstaclesFrame *frame, const float *known)
{
  int columns = (frame->width - 1) / frame->stixel_width + 1;
  for (int z = 0; z < OBSTACLES_GROUND; z++)
    state->ground[z] = state->weights[z] = 0;
  for (size_t i = 0; i < frame->count; i++)
    if (frame->stixels[i].kind == STX_KIND_GROUND)
      add_ground(state, frame, &frame->stixels[i], known);
  return fill_ground(state->ground, state->weights, (float)columns * FEW);
}

/* The road by whole metres ahead, in y: a mean, and the mean of what is near that. */
void stx_obstacles_find_road(StxObstacles *state, const StxObstaclesFrame *frame)
{
  const StxCamera *camera = &frame->camera;
  float known[OBSTACLES_GROUND];
  if (sum_ground(state, frame, NULL)) {
    memcpy(known, state->ground, sizeof known);
    if (!sum_ground(state, frame, known))
      memcpy(state->ground, known, sizeof known);
    return;
  }
  bool has_ground = stx_camera_has_ground(camera);
  for (int z = 0; z < OBSTACLES_GROUND; z++)
    state->ground[z] =
        has_ground ? (float)(camera->height / cos(camera->pitch) - z * tan(camera->pitch)) : NAN;
}

float stx_obstacles_road_at(const StxObstacles *state, double z)
{
  int i = z < OBSTACLES_GROUND - 1 ? (int)z : OBSTACLES_GROUND - 2;
  double part = fmin(z - i, 1);
  return (float)(state->ground[i] + part * (double)(state->ground[i + 1] - state->ground[i]));
}
