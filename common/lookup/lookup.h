/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finding one record among those of a frame: the stixel at a position, the nearest one of a column,
 * the obstacle at a position.
 *
 * Records are those of one buffer, in the order that stixel.h and obstacle.h promise. In another
 * order some records are not found; nothing else happens. Nothing is written but the results.
 */
#pragma once

#include "common/lookup/placement.h"
#include "common/obstacle.h"
#include "common/stixel.h"

/* The columns of the image: its size, and the width of its columns, pixels. */
typedef struct {
  int width, height, stixel_width;
} StxCut;

/* The part of the image that a stixel covers. */
StxRectangle stx_stixel_area(const StxCut *cut, const StxStixel *stixel);

/* The stixel at a position of the image (placement.h), or false. */
bool stx_stixel_at(
    const StxCut *cut, const StxStixel *stixels, size_t count, double u, double v, size_t *index);

/* The object of the largest known disparity at its foot in a column; of several the lowest. False
 * if the column shows none. */
bool stx_stixel_nearest(const StxStixel *stixels, size_t count, int column, size_t *index);

/* The part of the image that an obstacle covers; of one of a scan nothing. */
StxRectangle stx_obstacle_area(const StxObstacle *obstacle);

/* The nearest obstacle whose rectangle holds a position of the image, or false. */
bool stx_obstacle_at(const StxObstacle *obstacles, size_t count, double u, double v, size_t *index);
