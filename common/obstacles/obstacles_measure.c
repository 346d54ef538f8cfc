/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which groups of pieces are obstacles, in which order, and their records. */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

/* Obstacles of stixels, in cells of the stixels' width: the least that is seen of a thing, and of
 * one whose foot is hidden; the columns of a small obstacle, and how sure that must be. */
#define LEAST_CELLS 6
#define LEAST_CELLS_HIDDEN 18
#define HIDDEN_FOOT .3f /* m above the ground */
#define SMALL_COLUMNS 3
#define SMALL_CONFIDENCE .4

#define SAME .3   /* least intersection over union of a thing's expected and seen rows */
#define STAYS 1.1 /* it may be so many times as far away, or above the ground */

#define NEAR_SHARE .3   /* quantile of a thing's pixels that is its nearest face, for the noise */
#define NEAR_POINTS .05 /* the same of its points */
#define FAR_SHARE .95   /* nearer than its far end, but for what is wrong of it */

/* ---- Sorting -------------------------------------------------------------------------------- */

/* Radix sort by one byte of the keys; false if that is the same in all. */
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

/* ---- A group ------------------------------------------------------------------------------- */

/* The pieces of a group, the nearest first. */
typedef struct {
  const StxObstacles *state;
  const SortItem *items;
  size_t count;
} Group;

static const Piece *piece_at(const Group *group, size_t i)
{
  return &group->state->pieces[group->items[i].index];
}

/* The nearest face of a group: mean z and range of what is nearest of it. */
typedef struct {
  float z, range;
} Face;

/* The piece that a share of the group's weight is nearer than. */
static size_t piece_behind(const Group *group, double weight)
{
  size_t i = 0;
  for (double sum = 0; i + 1 < group->count; i++) {
    sum += (double)piece_at(group, i)->weight;
    if (sum > weight)
      break;
  }
  return i;
}

static Face face_of(const Group *group)
{
  bool of_scan = group->state->of_scan;
  double weight = 0, sum = 0, z = 0, range = 0;
  for (size_t i = 0; i < group->count; i++)
    weight += (double)piece_at(group, i)->weight;
  size_t last = piece_behind(group, (of_scan ? NEAR_POINTS : NEAR_SHARE) * weight);
  for (size_t i = 0; i <= last; i++) {
    const Piece *p = piece_at(group, i);
    z += (double)(p->weight * p->z);
    range += (double)(p->weight * p->range);
    sum += (double)p->weight;
  }
  return (Face){(float)(z / sum), (float)(range / sum)};
}

/* ---- Which count ----------------------------------------------------------------------------- */

/* Sums over a group. */
typedef struct {
  float left, right, top, bottom; /* metres */
  float high, foot;               /* heights of its ends above the ground; foot: or not a number */
  double area, confidence;        /* confidence: its sum over the area */
  int first_column, last_column;
} Looks;

static Looks look_at(const Group *group)
{
  const Piece *first = piece_at(group, 0);
  Looks looks = {first->left, first->right, first->top, first->bottom, NAN, NAN, 0, 0,
      first->column, first->column};
  for (size_t i = 0; i < group->count; i++) {
    const Piece *p = piece_at(group, i);
    looks.left = fminf(looks.left, p->left);
    looks.right = fmaxf(looks.right, p->right);
    looks.top = fminf(looks.top, p->top);
    looks.bottom = fmaxf(looks.bottom, p->bottom);
    looks.high = fmaxf(looks.high, p->ground - p->top);
    looks.foot = fminf(looks.foot, p->ground - p->bottom);
    looks.area += (double)p->weight;
    looks.confidence += (double)(p->weight * p->confidence);
    looks.first_column = p->column < looks.first_column ? p->column : looks.first_column;
    looks.last_column = p->column > looks.last_column ? p->column : looks.last_column;
  }
  if (isnan(looks.high))
    looks.high = looks.bottom - looks.top;
  return looks;
}

static bool is_beside(const StxObstacles *state, const Piece *piece, int column)
{
  bool beside = false;
  if (column < 0 || column >= state->columns)
    return false;
  for (uint32_t i = state->starts[column]; i < state->starts[column + 1]; i++) {
    const Piece *p = &state->pieces[i];
    beside = beside || (p->z < piece->z && p->bottom > piece->top && p->top < piece->bottom);
  }
  return beside;
}

/* If two depths meet in one column of stixels, the measured depth is between them; such mistakes
 * are one or two columns wide, and lie right beside what is nearer: all pieces of two columns, the
 * nearest of one. */
static bool is_outline(const Group *group, const Looks *looks)
{
  int columns = looks->last_column - looks->first_column + 1;
  bool all = columns <= 2;
  for (size_t i = 0; all && i < (columns == 1 ? 1 : group->count); i++) {
    const Piece *piece = piece_at(group, i);
    all = is_beside(group->state, piece, looks->first_column - 1) ||
          is_beside(group->state, piece, looks->last_column + 1);
  }
  return all;
}

/* Is enough seen of it that it is no mistake of stereo? */
static bool is_sure(const Group *group, const Looks *looks)
{
  double cell = (double)group->state->stixel_width * group->state->stixel_width;
  double least = looks->foot > HIDDEN_FOOT ? LEAST_CELLS_HIDDEN : LEAST_CELLS;
  bool is_small = looks->last_column - looks->first_column < SMALL_COLUMNS;
  if (looks->area < least * cell)
    return false;
  return !(is_small && looks->confidence < SMALL_CONFIDENCE * looks->area) &&
         !is_outline(group, looks);
}

/* Is it enough of a thing that is followed: of the owner of its largest piece? Then neither size
 * nor confidence must be those of a new one. */
static bool is_expected(const Group *group, const Looks *looks)
{
  const StxObstacles *state = group->state;
  const Piece *most = piece_at(group, 0);
  double rows = 0;
  if (state->of_scan)
    return false;
  for (size_t i = 1; i < group->count; i++)
    most = piece_at(group, i)->owned > most->owned ? piece_at(group, i) : most;
  if (most->owner == OBSTACLES_NONE)
    return false;
  for (size_t i = 0; i < group->count; i++)
    rows += piece_at(group, i)->owner == most->owner ? (double)piece_at(group, i)->owned : 0;
  return rows > 0 && stx_obstacles_overlap((double)state->expected[most->owner],
                         looks->area / state->stixel_width, rows) > SAME;
}

static bool counts(const Group *group, float range)
{
  const StxObstaclesParams *params = &group->state->params;
  Looks looks = look_at(group);
  if (is_expected(group, &looks))
    return !((double)looks.foot > STAYS * params->clearance) &&
           (double)range <= STAYS * params->max_distance &&
           (double)looks.high >= .7 * params->min_height;
  return !(looks.foot > (float)params->clearance) && group->count >= (size_t)params->min_count &&
         (double)range <= params->max_distance && (double)looks.high >= params->min_height &&
         (double)(looks.right - looks.left) >= params->min_width &&
         (group->state->of_scan || is_sure(group, &looks));
}

/* ---- All of them ----------------------------------------------------------------------------- */

static Group group_at(const StxObstacles *state, size_t first, size_t items)
{
  size_t end = first;
  uint32_t group = (uint32_t)(state->items[first].key >> 32);
  while (end < items && state->items[end].key >> 32 == group)
    end++;
  return (Group){state, state->items + first, end - first};
}

/* Which groups are obstacles: their places in state->items, the nearest first, in state->groups;
 * returns their number, and that of the items. */
static size_t choose(StxObstacles *state, size_t *items)
{
  size_t groups = 0;
  *items = 0;
  for (size_t i = 0; i < state->count; i++) { /* a scan's cluster 0 is in no group */
    const Piece *p = &state->pieces[i];
    if (!state->of_scan || p->group > 0)
      state->items[(*items)++] =
          (SortItem){(uint64_t)p->group << 32 | bits_of(p->range), (uint32_t)i};
  }
  stx_obstacles_sort(state->items, state->spare, *items);
  for (size_t i = 0; i < *items;) {
    Group group = group_at(state, i, *items);
    float range = face_of(&group).range;
    if (counts(&group, range))
      state->groups[groups++] = (SortItem){(uint64_t)bits_of(range), (uint32_t)i};
    i += group.count;
  }
  stx_obstacles_sort(state->groups, state->spare, groups);
  return groups;
}

/* ---- Records -------------------------------------------------------------------------------- */

static uint8_t label_of(const Group *group)
{
  double of_label[256] = {0};
  int label = STX_LABEL_NONE;
  for (size_t i = 0; i < group->count; i++)
    of_label[piece_at(group, i)->label] += (double)piece_at(group, i)->weight;
  for (int i = 254; i >= 0; i--)
    if (of_label[i] > 0 && of_label[i] >= of_label[label])
      label = i;
  return (uint8_t)label;
}

static bool in_corridor(const Group *group)
{
  const StxObstaclesParams *params = &group->state->params;
  double half = .5 * params->corridor_width;
  for (size_t i = 0; half > 0 && i < group->count; i++) {
    const Piece *p = piece_at(group, i);
    double x = .5 * ((double)p->left + (double)p->right) - params->corridor_offset;
    if (p->z > 0 && (double)p->z <= params->corridor_length && fabs(x) <= half &&
        stx_obstacles_is_low(group->state, p))
      return true;
  }
  return false;
}

static void find_pixels(
    const Group *group, const Looks *looks, const StxObstaclesFrame *frame, StxObstacle *o)
{
  o->first_column = (uint16_t)looks->first_column;
  o->last_column = (uint16_t)looks->last_column;
  o->top = UINT16_MAX;
  for (size_t i = 0; i < group->count; i++) {
    const StxStixel *s = &frame->stixels[piece_at(group, i)->record];
    o->top = s->top < o->top ? s->top : o->top;
    o->bottom = s->bottom > o->bottom ? s->bottom : o->bottom;
  }
  int right = (o->last_column + 1) * frame->stixel_width;
  o->left = (uint16_t)(o->first_column * frame->stixel_width);
  o->right = (uint16_t)((right < frame->width ? right : frame->width) - 1);
  if (o->first_column == 0 || o->last_column == group->state->columns - 1 || o->top == 0 ||
      o->bottom == frame->height - 1)
    o->flags |= STX_OBSTACLE_CUT;
}

/* frame: NULL of a scan. */
static StxObstacle measure(const Group *group, const StxObstaclesFrame *frame)
{
  Looks looks = look_at(group);
  const Piece *nearest = piece_at(group, 0);
  float x = .5f * (looks.left + looks.right), z = face_of(group).z, back = z;
  float lean = frame != NULL ? (float)group->state->lean : 0;
  float ground = nearest->ground + lean * (x - .5f * (nearest->left + nearest->right));
  size_t far = piece_behind(group, FAR_SHARE * looks.area);
  for (size_t i = 0; i <= far; i++)
    if (fabsf(piece_at(group, i)->z) > fabsf(back))
      back = piece_at(group, i)->z;
  StxObstacle o = {.count = (uint32_t)group->count,
      .source = frame != NULL ? STX_OBSTACLE_STEREO : STX_OBSTACLE_LIDAR,
      .x = x,
      .y = isnan(ground) ? looks.bottom : ground, /* what it stands on at its nearest end */
      .z = z,
      .width = looks.right - looks.left,
      .height = looks.high,
      .depth = fabsf(back - z),
      .label = label_of(group),
      .confidence = (float)(looks.confidence / looks.area),
      .closing_speed = NAN,
      .lateral_speed = NAN};
  if (in_corridor(group))
    o.flags |= STX_OBSTACLE_IN_CORRIDOR;
  if (frame != NULL)
    find_pixels(group, &looks, frame, &o);
  return o;
}

void stx_obstacles_measure(StxObstacles *state, const StxObstaclesFrame *frame)
{
  size_t directions = (size_t)(frame != NULL ? state->columns : state->params.sectors);
  size_t items, groups = choose(state, &items);
  size_t most = (size_t)state->params.max_obstacles;
  state->obstacles = groups < most ? groups : most;
  state->left_out = groups - state->obstacles;
  for (size_t i = 0; i < state->obstacles; i++) {
    Group group = group_at(state, state->groups[i].index, items);
    state->obstacle[i] = measure(&group, frame);
    for (size_t k = 0; k < group.count; k++)
      state->members[piece_at(&group, k)->record] = (uint16_t)i;
  }
  for (size_t i = 0; i < directions; i++) /* what the free space ends at */
    if (state->nearest[i] != OBSTACLES_NONE)
      state->free_space[i].obstacle = state->members[state->pieces[state->nearest[i]].record];
}
