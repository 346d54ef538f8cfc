/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which groups of pieces are obstacles, and in which order. */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

/* Of stixels, in cells of the stixels' width: what is seen of a thing at least; of one whose foot
 * is hidden; up to how many columns an obstacle is small, and how sure it must be then. */
#define LEAST_CELLS 6
#define LEAST_CELLS_HIDDEN 18
#define HIDDEN_FOOT .3f /* m above the ground */
#define SMALL_COLUMNS 3
#define SMALL_CONFIDENCE .4

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

/* ---- Which count ----------------------------------------------------------------------------- */

/* What a group looks like, in sums. */
typedef struct {
  float left, right, high, foot; /* metres; height of its ends, or not a number */
  double area, confidence;       /* confidence: its sum over the area */
  int first_column, last_column;
} Looks;

static Looks look_at(const Group *group)
{
  const Piece *first = stx_obstacles_piece(group, 0);
  Looks looks = {first->left, first->right, NAN, NAN, 0, 0, first->column, first->column};
  float top = first->top, bottom = first->bottom;
  for (size_t i = 0; i < group->count; i++) {
    const Piece *p = stx_obstacles_piece(group, i);
    looks.left = fminf(looks.left, p->left);
    looks.right = fmaxf(looks.right, p->right);
    looks.high = fmaxf(looks.high, p->ground - p->top);
    looks.foot = fminf(looks.foot, p->ground - p->bottom);
    top = fminf(top, p->top);
    bottom = fmaxf(bottom, p->bottom);
    looks.area += (double)p->weight;
    looks.confidence += (double)(p->weight * p->confidence);
    looks.first_column = p->column < looks.first_column ? p->column : looks.first_column;
    looks.last_column = p->column > looks.last_column ? p->column : looks.last_column;
  }
  if (isnan(looks.high))
    looks.high = bottom - top;
  return looks;
}

/* Where two depths meet in one column of stixels, what is measured is something between them; such
 * mistakes are one or two columns wide, and lie beside what is nearer. */
static bool is_outline(const Group *group, const Looks *looks)
{
  bool all = looks->last_column - looks->first_column < 2;
  if (looks->first_column == looks->last_column)
    return stx_obstacles_is_outline(
        group->state, stx_obstacles_piece(group, 0), looks->first_column, looks->last_column);
  for (size_t i = 0; all && i < group->count; i++)
    all = stx_obstacles_is_outline(
        group->state, stx_obstacles_piece(group, i), looks->first_column, looks->last_column);
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

static bool counts(const Group *group, float range)
{
  const StxObstaclesParams *params = &group->state->params;
  Looks looks = look_at(group);
  return !(looks.foot > (float)params->clearance) && group->count >= (size_t)params->min_count &&
         (double)range <= params->max_distance && (double)looks.high >= params->min_height &&
         (double)(looks.right - looks.left) >= params->min_width &&
         (group->state->of_scan || is_sure(group, &looks));
}

/* ---- All of them ----------------------------------------------------------------------------- */

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

Group stx_obstacles_group_at(const StxObstacles *state, size_t first, size_t items)
{
  size_t end = first;
  uint32_t group = (uint32_t)(state->items[first].key >> 32);
  while (end < items && state->items[end].key >> 32 == group)
    end++;
  return (Group){state, state->items + first, end - first};
}

size_t stx_obstacles_choose(StxObstacles *state, size_t *items)
{
  size_t groups = 0;
  *items = sort_pieces(state);
  for (size_t i = 0; i < *items;) {
    Group group = stx_obstacles_group_at(state, i, *items);
    float range = stx_obstacles_face(&group).range;
    if (counts(&group, range))
      state->groups[groups++] = (SortItem){(uint64_t)bits_of(range), (uint32_t)i};
    i += group.count;
  }
  stx_obstacles_sort(state->groups, state->spare, groups);
  return groups;
}
