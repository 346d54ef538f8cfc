/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The evidence of a frame of stixels about cells. */
#include <math.h>

#include "common/metres.h"
#include "common/occupancy/occupancy_private.h"

#define NEAREST .1 /* m: nearer than that a cell has no direction */

/* ---- Columns -------------------------------------------------------------------------------- */

/* The distance of a row of that depth below the camera; not a number without cy. */
static double below_camera(const StxCamera *camera, double row, double z)
{
  return camera->missing & STX_CAMERA_CY ? NAN : (row - camera->cy) * z / camera->focal;
}

/* Is it in the way? `ground`: how far below the camera the road is there. What is not known is. */
static bool is_in_the_way(
    const StxOccupancyParams *params, const StxCamera *camera, const StxStixel *s, double ground)
{
  double z = stx_metres_depth(camera, s->disparity_bottom);
  double z_top = stx_metres_depth(camera, s->disparity_top);
  double foot = ground - below_camera(camera, s->bottom + .5, z);
  double top = ground - below_camera(camera, s->top - .5, isnan(z_top) ? z : z_top);
  return !(top < params->min_height) && !(foot > params->clearance);
}

/* One column's stixels, from the bottom up. `seen`: where the frame shows the nearest ground;
 * `road`: how far below the camera that was in the columns before, or not a number. */
static void look_at_column(StxOccupancy *state, const StxOccupancyFrame *frame, Column *column,
    size_t first, size_t end, double seen, double *road)
{
  const StxCamera *camera = &frame->camera;
  double nearest = INFINITY, ground_end = 0;
  column->free_from = seen;
  for (size_t i = first; i < end; i++) {
    const StxStixel *s = &frame->stixels[i];
    double z = stx_metres_depth(camera, s->disparity_bottom);
    if (isnan(z) || s->kind == STX_KIND_SKY)
      continue;
    if (s->kind == STX_KIND_GROUND) {
      double far = stx_metres_depth(camera, s->disparity_top);
      ground_end = fmax(ground_end, isnan(far) ? INFINITY : far);
      *road = isnan(far) ? below_camera(camera, s->bottom + .5, z)
                         : below_camera(camera, s->top - .5, far);
    } else if (is_in_the_way(&state->params, camera, s, *road)) {
      double off = z * z * state->params.uncertainty / (camera->focal * camera->baseline);
      Thing thing = {z, fmax(.75 * state->params.resolution, off)};
      state->things[column->first + column->count++] = thing;
      nearest = fmin(nearest, thing.z - 2 * thing.reach);
    }
  }
  column->free_until = fmin(isinf(nearest) ? ground_end : nearest, state->params.max_distance);
}

void stx_occupancy_look_at_stixels(StxOccupancy *state, const StxOccupancyFrame *frame)
{
  int columns = (frame->width - 1) / frame->stixel_width + 1;
  double seen = INFINITY, road = NAN; /* the depth of the nearest ground that the frame shows */
  for (size_t k = 0; k < frame->count; k++) {
    double z = stx_metres_depth(&frame->camera, frame->stixels[k].disparity_bottom);
    if (frame->stixels[k].kind == STX_KIND_GROUND && z < seen)
      seen = z;
  }
  uint32_t things = 0;
  size_t i = 0;
  for (int c = 0; c < columns; c++) {
    size_t first = i;
    Column *column = &state->column[c];
    *column = (Column){.first = things};
    while (i < frame->count && frame->stixels[i].column == c)
      i++;
    look_at_column(state, frame, column, first, i, seen, &road);
    things += column->count;
  }
}

/* ---- Cells ---------------------------------------------------------------------------------- */

static int occupied_by(const StxOccupancy *state, const Column *column, double z)
{
  double most = 0;
  for (uint32_t i = column->first; i < column->first + column->count; i++) {
    const Thing *thing = &state->things[i];
    double off = fabs(z - thing->z) / thing->reach;
    most = fmax(most, off < 1 ? 1 : 2 - off);
  }
  return (int)(most * OCCUPANCY_OCCUPIED);
}

/* Returns a cell's log-odds: the highest of its columns if one says occupied, else the middle's. */
int stx_occupancy_by_stixels(
    const StxOccupancy *state, const StxOccupancyFrame *frame, const Spot *spot)
{
  double z = spot->ahead, scale = frame->camera.focal / z;
  if (!(z > NEAREST) || z > state->params.max_distance)
    return 0;
  double u = frame->camera.cx - spot->left * scale + .5,
         half = state->params.resolution / 2 * scale;
  if (!(u >= 0) || !(u < frame->width))
    return 0;
  int first = (int)(fmax(u - half, 0) / frame->stixel_width);
  int last = (int)(fmin(u + half, frame->width - 1) / frame->stixel_width);
  int most = 0;
  for (int c = first; c <= last; c++) {
    int occupied = occupied_by(state, &state->column[c], z);
    most = occupied > most ? occupied : most;
  }
  const Column *middle = &state->column[(int)u / frame->stixel_width];
  return most > 0 ? most : z >= middle->free_from && z < middle->free_until ? OCCUPANCY_FREE : 0;
}
