/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/lookup/lookup.h"

#include <math.h>

/* The first record of a column, or the first behind it. */
static size_t begin_of(const StxStixel *stixels, size_t count, int column)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (stixels[middle].column < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

StxRectangle stx_stixel_area(const StxCut *cut, const StxStixel *stixel)
{
  double left = (double)stixel->column * cut->stixel_width;
  double right = fmin(left + cut->stixel_width, cut->width);
  return (StxRectangle){left, stixel->top, right - left, stixel->bottom + 1.0 - stixel->top};
}

bool stx_stixel_at(
    const StxCut *cut, const StxStixel *stixels, size_t count, double u, double v, size_t *index)
{
  if (!(u >= 0 && v >= 0 && u < cut->width && v < cut->height) || cut->stixel_width <= 0)
    return false;
  int column = (int)u / cut->stixel_width, row = (int)v;
  for (size_t i = begin_of(stixels, count, column); i < count && stixels[i].column == column; i++)
    if (stixels[i].top <= row && row <= stixels[i].bottom) {
      *index = i;
      return true;
    }
  return false;
}

bool stx_stixel_nearest(const StxStixel *stixels, size_t count, int column, size_t *index)
{
  float most = 0;
  for (size_t i = begin_of(stixels, count, column); i < count && stixels[i].column == column; i++)
    if (stixels[i].kind == STX_KIND_OBJECT && stixels[i].disparity_bottom > most &&
        isfinite(stixels[i].disparity_bottom)) {
      most = stixels[i].disparity_bottom;
      *index = i;
    }
  return most > 0;
}

StxRectangle stx_obstacle_area(const StxObstacle *obstacle)
{
  if (obstacle->source != STX_OBSTACLE_STEREO)
    return (StxRectangle){0};
  return (StxRectangle){obstacle->left, obstacle->top, obstacle->right + 1.0 - obstacle->left,
      obstacle->bottom + 1.0 - obstacle->top};
}

bool stx_obstacle_at(const StxObstacle *obstacles, size_t count, double u, double v, size_t *index)
{
  for (size_t i = 0; i < count; i++) {
    StxRectangle area = stx_obstacle_area(&obstacles[i]);
    if (u >= area.x && v >= area.y && u < area.x + area.width && v < area.y + area.height) {
      *index = i;
      return true;
    }
  }
  return false;
}
