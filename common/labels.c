/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/labels.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct {
  uint8_t label_id;
  const char *name;
} Class;

/* Classes by train id. */
static const Class classes[STX_LABEL_CLASSES] = {
    {7, "road"},
    {8, "sidewalk"},
    {11, "building"},
    {12, "wall"},
    {13, "fence"},
    {17, "pole"},
    {19, "traffic light"},
    {20, "traffic sign"},
    {21, "vegetation"},
    {22, "terrain"},
    {23, "sky"},
    {24, "person"},
    {25, "rider"},
    {26, "car"},
    {27, "truck"},
    {28, "bus"},
    {31, "train"},
    {32, "motorcycle"},
    {33, "bicycle"},
};

void stx_labels_from_cityscapes(uint8_t map[256])
{
  memset(map, STX_LABEL_NONE, 256);
  for (int k = 0; k < STX_LABEL_CLASSES; k++)
    map[classes[k].label_id] = (uint8_t)k;
}

void stx_labels_identity(uint8_t map[256])
{
  memset(map, STX_LABEL_NONE, 256);
  for (int k = 0; k < STX_LABEL_CLASSES; k++)
    map[k] = (uint8_t)k;
}

const char *stx_label_name(int train_id)
{
  return train_id >= 0 && train_id < STX_LABEL_CLASSES ? classes[train_id].name : "none";
}

static bool is_named(const char *name, const char *text)
{
  for (; *name != '\0' && *text != '\0'; name++, text++) {
    int letter = *text == '_' || *text == '-' ? ' ' : tolower((unsigned char)*text);
    if (letter != *name)
      return false;
  }
  return *name == *text;
}

uint8_t stx_label_named(const char *name)
{
  for (int k = 0; k < STX_LABEL_CLASSES; k++)
    if (is_named(classes[k].name, name))
      return (uint8_t)k;
  return STX_LABEL_NONE;
}

/* Which of `count` pieces of [start, start + length) the middle of pixel i lies in; -1: outside. */
static int piece_at(int i, double start, double length, int count)
{
  double piece = floor((i + .5 - start) * count / length);
  return piece >= 0 && piece < count ? (int)piece : -1;
}

#define SEARCHED 4096 /* obstacles of a frame: garbage may have any number of them */

/* A distance by which obstacles compare; not a number: it has none. */
static double rank_of(const StxObstacle *obstacle, const StxVelocity *velocity)
{
  double rank = isfinite(obstacle->z) ? (double)obstacle->z : (double)NAN;
  if (obstacle->flags & STX_OBSTACLE_IN_CORRIDOR || stx_obstacle_is_hazard(obstacle))
    rank /= 2;
  return velocity != NULL && velocity->moves >= STX_MOVES_ON ? rank / 2 : rank;
}

size_t stx_label_next(
    const StxObstacle *obstacles, const StxVelocity *velocities, size_t count, size_t last)
{
  double done = -INFINITY, best = INFINITY;
  size_t found = count, searched = count < SEARCHED ? count : SEARCHED;
  if (last < count)
    done = rank_of(&obstacles[last], velocities != NULL ? &velocities[last] : NULL);
  for (size_t i = 0; i < searched; i++) {
    double rank = rank_of(&obstacles[i], velocities != NULL ? &velocities[i] : NULL);
    bool is_after = rank > done || (rank == done && i > last);
    if (is_after && rank < best) {
      best = rank;
      found = i;
    }
  }
  return found;
}

void stx_labels_draw(const StxImage8 *regions, const uint8_t map[256], double x, double y,
    double width, double height, const StxImage8 *to)
{
  for (int v = 0; v < to->height; v++) {
    int row = piece_at(v, y, height, regions->height);
    for (int u = 0; row >= 0 && u < to->width; u++) {
      int column = piece_at(u, x, width, regions->width);
      uint8_t label = column >= 0 ? map[stx_row8(regions, row)[column]] : STX_LABEL_NONE;
      if (label != STX_LABEL_NONE)
        stx_row8(to, v)[u] = label;
    }
  }
}
