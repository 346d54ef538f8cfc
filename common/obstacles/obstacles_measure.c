/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of pieces to records, the nearest first. */
#include "common/obstacles/obstacles_private.h"

#include <math.h>

#define NEAR_SHARE .3   /* of a thing's pixels: its nearest face, with the noise of stereo; */
#define NEAR_POINTS .05 /*   of its points */
#define FAR_SHARE .95   /* nearer than its far end, but for what is wrong of it */

/* ---- One group ------------------------------------------------------------------------------ */

static double weight_of(const Group *group)
{
  double weight = 0;
  for (size_t i = 0; i < group->count; i++)
    weight += (double)stx_obstacles_piece(group, i)->weight;
  return weight;
}

/* The piece that a share of the group's weight is nearer than. */
static size_t piece_behind(const Group *group, double weight)
{
  size_t i = 0;
  for (double sum = 0; i + 1 < group->count; i++) {
    sum += (double)stx_obstacles_piece(group, i)->weight;
    if (sum > weight)
      break;
  }
  return i;
}

Face stx_obstacles_face(const Group *group)
{
  bool of_scan = group->state->of_scan;
  double sum = 0, z = 0, range = 0;
  size_t last = piece_behind(group, (of_scan ? NEAR_POINTS : NEAR_SHARE) * weight_of(group));
  for (size_t i = 0; i <= last; i++) {
    const Piece *p = stx_obstacles_piece(group, i);
    z += (double)(p->weight * p->z);
    range += (double)(p->weight * p->range);
    sum += (double)p->weight;
  }
  return (Face){(float)(z / sum), (float)(range / sum)};
}

/* Edges, in metres, and what its nearest end stands on. */
static void find_extent(const Group *group, size_t far, StxObstacle *o)
{
  const Piece *first = stx_obstacles_piece(group, 0);
  float left = first->left, right = first->right, top = first->top, bottom = first->bottom;
  float height = NAN, back = o->z;
  for (size_t i = 0; i < group->count; i++) {
    const Piece *p = stx_obstacles_piece(group, i);
    left = fminf(left, p->left);
    right = fmaxf(right, p->right);
    top = fminf(top, p->top);
    bottom = fmaxf(bottom, p->bottom);
    height = fmaxf(height, p->ground - p->top);
    if (i <= far && fabsf(p->z) > fabsf(back))
      back = p->z;
  }
  o->x = .5f * (left + right);
  o->width = right - left;
  o->y = isnan(first->ground) ? bottom : first->ground;
  o->height = isnan(height) ? bottom - top : height;
  o->depth = fabsf(back - o->z);
}

static void find_looks(const Group *group, double weight, StxObstacle *o)
{
  double confidence = 0, of_label[256] = {0};
  int label = STX_LABEL_NONE;
  for (size_t i = 0; i < group->count; i++) {
    const Piece *p = stx_obstacles_piece(group, i);
    confidence += (double)(p->weight * p->confidence);
    of_label[p->label] += (double)p->weight;
  }
  for (int i = 254; i >= 0; i--)
    if (of_label[i] > 0 && of_label[i] >= of_label[label])
      label = i;
  o->label = (uint8_t)label;
  o->confidence = (float)(confidence / weight);
}

static bool in_corridor(const Group *group)
{
  const StxObstaclesParams *params = &group->state->params;
  double half = .5 * params->corridor_width;
  for (size_t i = 0; half > 0 && i < group->count; i++) {
    const Piece *p = stx_obstacles_piece(group, i);
    double x = .5 * ((double)p->left + (double)p->right) - params->corridor_offset;
    if (p->z > 0 && (double)p->z <= params->corridor_length && fabs(x) <= half &&
        stx_obstacles_is_low(group->state, p))
      return true;
  }
  return false;
}

static void find_pixels(const Group *group, const StxObstaclesFrame *frame, StxObstacle *o)
{
  int columns = (frame->width - 1) / frame->stixel_width + 1;
  o->first_column = o->top = UINT16_MAX;
  for (size_t i = 0; i < group->count; i++) {
    const StxStixel *s = &frame->stixels[stx_obstacles_piece(group, i)->record];
    o->first_column = s->column < o->first_column ? s->column : o->first_column;
    o->last_column = s->column > o->last_column ? s->column : o->last_column;
    o->top = s->top < o->top ? s->top : o->top;
    o->bottom = s->bottom > o->bottom ? s->bottom : o->bottom;
  }
  int right = (o->last_column + 1) * frame->stixel_width;
  o->left = (uint16_t)(o->first_column * frame->stixel_width);
  o->right = (uint16_t)((right < frame->width ? right : frame->width) - 1);
  if (o->first_column == 0 || o->last_column == columns - 1 || o->top == 0 ||
      o->bottom == frame->height - 1)
    o->flags |= STX_OBSTACLE_CUT;
}

/* frame: NULL of a scan. */
static StxObstacle measure(const Group *group, const StxObstaclesFrame *frame)
{
  double weight = weight_of(group);
  StxObstacle o = {.count = (uint32_t)group->count,
      .source = frame != NULL ? STX_OBSTACLE_STEREO : STX_OBSTACLE_LIDAR,
      .closing_speed = NAN,
      .lateral_speed = NAN};
  o.z = stx_obstacles_face(group).z;
  find_extent(group, piece_behind(group, FAR_SHARE * weight), &o);
  find_looks(group, weight, &o);
  if (in_corridor(group))
    o.flags |= STX_OBSTACLE_IN_CORRIDOR;
  if (frame != NULL)
    find_pixels(group, frame, &o);
  return o;
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* What the free space ends at. */
static void name_obstacles(StxObstacles *state, size_t directions)
{
  for (size_t i = 0; i < directions; i++)
    if (state->nearest[i] != OBSTACLES_NONE)
      state->free_space[i].obstacle = state->members[state->pieces[state->nearest[i]].record];
}

void stx_obstacles_measure(StxObstacles *state, const StxObstaclesFrame *frame)
{
  size_t directions = frame != NULL ? (size_t)((frame->width - 1) / frame->stixel_width + 1)
                                    : (size_t)state->params.sectors;
  size_t items, groups = stx_obstacles_choose(state, &items);
  size_t most = (size_t)state->params.max_obstacles;
  state->obstacles = groups < most ? groups : most;
  state->left_out = groups - state->obstacles;
  for (size_t i = 0; i < state->obstacles; i++) {
    Group group = stx_obstacles_group_at(state, state->groups[i].index, items);
    state->obstacle[i] = measure(&group, frame);
    for (size_t k = 0; k < group.count; k++)
      state->members[stx_obstacles_piece(&group, k)->record] = (uint16_t)i;
  }
  name_obstacles(state, directions);
}
