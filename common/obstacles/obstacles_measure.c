/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of pieces to records, the nearest first. */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

#define NEAR_SHARE 0.1   /* of what is seen of a thing: nearer than its face */
#define NEAR_NOISE 0.02f /* of the range: what is so far behind is as near */
#define FAR_SHARE 0.95   /* behind: what is wrong of it */

/* ---- Sorting -------------------------------------------------------------------------------- */

/* By one byte of the keys; false if it is the same in all of them. */
static bool sort_by_byte(const SortItem *from, SortItem *to, size_t count, int shift)
{
  size_t start[257] = {0};
  for (size_t i = 0; i < count; i++)
    start[(from[i].key >> shift & 255) + 1]++;
  for (int b = 0; b < 256; b++)
    if (start[b + 1] == count)
      return false;
  for (int b = 0; b < 256; b++)
    start[b + 1] += start[b];
  for (size_t i = 0; i < count; i++)
    to[start[from[i].key >> shift & 255]++] = from[i];
  return true;
}

void stx_obstacles_sort(SortItem *items, SortItem *spare, size_t count)
{
  SortItem *from = items, *to = spare;
  for (int shift = 0; shift < 64 && count > 1; shift += 8)
    if (sort_by_byte(from, to, count, shift)) {
      SortItem *other = from;
      from = to;
      to = other;
    }
  if (from != items && count > 0)
    memcpy(items, from, count * sizeof *items);
}

/* Ranges sort as their bits do: none is negative. */
static uint32_t bits_of(float range)
{
  uint32_t bits;
  memcpy(&bits, &range, sizeof bits);
  return bits;
}

/* ---- One group ------------------------------------------------------------------------------ */

/* The pieces of a group, the nearest first. */
typedef struct {
  const StxObstacles *state;
  const SortItem *items;
  size_t count;
} Group;

static const Piece *piece_of(const Group *group, size_t i)
{
  return &group->state->pieces[group->items[i].index];
}

static double weight_of(const Group *group)
{
  double weight = 0;
  for (size_t i = 0; i < group->count; i++)
    weight += (double)piece_of(group, i)->weight;
  return weight;
}

/* The piece that a share of the group's weight is nearer than. */
static size_t piece_behind(const Group *group, double weight)
{
  size_t i = 0;
  for (double sum = 0; i + 1 < group->count; i++) {
    sum += (double)piece_of(group, i)->weight;
    if (sum > weight)
      break;
  }
  return i;
}

/* The nearest face: the mean of what is as near as its nearest tenth, but for noise. */
typedef struct {
  float z, range;
} Face;

static Face face_of(const Group *group)
{
  double sum = 0, z = 0, range = 0;
  const Piece *first = piece_of(group, piece_behind(group, NEAR_SHARE * weight_of(group)));
  float reach = first->range * (1 + NEAR_NOISE);
  for (size_t i = 0; i < group->count && piece_of(group, i)->range <= reach; i++) {
    const Piece *p = piece_of(group, i);
    z += (double)(p->weight * p->z);
    range += (double)(p->weight * p->range);
    sum += (double)p->weight;
  }
  return (Face){(float)(z / sum), (float)(range / sum)};
}

/* Edges, in metres, and what their middle stands on. */
static void find_extent(const Group *group, size_t far, StxObstacle *o)
{
  const Piece *first = piece_of(group, 0);
  float left = first->left, right = first->right, top = first->top, bottom = first->bottom;
  float height = -INFINITY, back = o->z;
  double ground = 0, weight = 0;
  for (size_t i = 0; i < group->count; i++) {
    const Piece *p = piece_of(group, i);
    left = fminf(left, p->left);
    right = fmaxf(right, p->right);
    top = fminf(top, p->top);
    bottom = fmaxf(bottom, p->bottom);
    height = fmaxf(height, p->ground - p->top);
    if (i <= far && fabsf(p->z) > fabsf(back))
      back = p->z;
    if (!isnan(p->ground)) {
      ground += (double)(p->weight * p->ground);
      weight += (double)p->weight;
    }
  }
  o->x = .5f * (left + right);
  o->width = right - left;
  o->y = weight > 0 ? (float)(ground / weight) : bottom;
  o->height = weight > 0 ? height : bottom - top;
  o->depth = fabsf(back - o->z);
}

static void find_looks(const Group *group, double weight, StxObstacle *o)
{
  double confidence = 0, of_label[256] = {0};
  int label = STX_LABEL_NONE;
  for (size_t i = 0; i < group->count; i++) {
    const Piece *p = piece_of(group, i);
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
    const Piece *p = piece_of(group, i);
    double x = .5 * ((double)p->left + (double)p->right) - params->corridor_offset;
    if (p->z > 0 && (double)p->z <= params->corridor_length && fabs(x) <= half &&
        !(p->ground - p->bottom > (float)params->clearance))
      return true;
  }
  return false;
}

static void find_pixels(const Group *group, const StxObstaclesFrame *frame, StxObstacle *o)
{
  int columns = (frame->width - 1) / frame->stixel_width + 1;
  o->first_column = o->top = UINT16_MAX;
  for (size_t i = 0; i < group->count; i++) {
    const StxStixel *s = &frame->stixels[piece_of(group, i)->record];
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
  o.z = face_of(group).z;
  find_extent(group, piece_behind(group, FAR_SHARE * weight), &o);
  find_looks(group, weight, &o);
  if (in_corridor(group))
    o.flags |= STX_OBSTACLE_IN_CORRIDOR;
  if (frame != NULL)
    find_pixels(group, frame, &o);
  return o;
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* Does something of it stand low enough, and is it large and near enough? */
static bool counts(const Group *group, float range)
{
  const StxObstaclesParams *params = &group->state->params;
  bool low = false;
  StxObstacle o = {.z = range};
  for (size_t i = 0; i < group->count && !low; i++)
    low = !(piece_of(group, i)->ground - piece_of(group, i)->bottom > (float)params->clearance);
  find_extent(group, group->count, &o);
  return low && group->count >= (size_t)params->min_count &&
         (double)range <= params->max_distance && (double)o.height >= params->min_height &&
         (double)o.width >= params->min_width;
}

/* Sorts the pieces by group and range; those of a scan's cluster 0 are in none. */
static size_t sort_pieces(StxObstacles *state)
{
  size_t count = 0;
  for (size_t i = 0; i < state->count; i++) {
    const Piece *p = &state->pieces[i];
    if (!state->of_scan || p->group > 0)
      state->items[count++] = (SortItem){(uint64_t)p->group << 32 | bits_of(p->range), (uint32_t)i};
  }
  stx_obstacles_sort(state->items, state->spare, count);
  return count;
}

static Group group_at(const StxObstacles *state, size_t first, size_t count)
{
  size_t end = first;
  uint32_t group = (uint32_t)(state->items[first].key >> 32);
  while (end < count && state->items[end].key >> 32 == group)
    end++;
  return (Group){state, state->items + first, end - first};
}

static size_t find_groups(StxObstacles *state, size_t pieces)
{
  size_t groups = 0;
  for (size_t i = 0; i < pieces;) {
    Group group = group_at(state, i, pieces);
    float range = face_of(&group).range;
    if (counts(&group, range))
      state->groups[groups++] = (SortItem){(uint64_t)bits_of(range), (uint32_t)i};
    i += group.count;
  }
  stx_obstacles_sort(state->groups, state->spare, groups);
  return groups;
}

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
  size_t pieces = sort_pieces(state), groups = find_groups(state, pieces);
  size_t most = (size_t)state->params.max_obstacles;
  state->obstacles = groups < most ? groups : most;
  state->left_out = groups - state->obstacles;
  for (size_t i = 0; i < state->obstacles; i++) {
    Group group = group_at(state, state->groups[i].index, pieces);
    state->obstacle[i] = measure(&group, frame);
    for (size_t k = 0; k < group.count; k++)
      state->members[piece_of(&group, k)->record] = (uint16_t)i;
  }
  name_obstacles(state, directions);
}
