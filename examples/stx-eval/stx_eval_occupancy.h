/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval occupancy: what its files share. docs/evaluation.md has the protocol. */
#ifndef STX_EVAL_OCCUPANCY_H
#define STX_EVAL_OCCUPANCY_H

#include <stdio.h>

#include "common/occupancy/occupancy.h"

/* A labelled point of a scan, in its axes: metres ahead, to the left and up. */
typedef struct {
  float ahead, left, up;
  uint32_t label;
} OccupancyPoint;

/* Cells of one kind, by what the grid says of them. Everything adds up. */
typedef struct {
  uint64_t cells, free, occupied; /* others are unknown */
} OccupancyCells;

typedef struct {
  uint64_t frames;
  OccupancyCells ground, road, thing; /* road is part of ground */
  double ms;
} OccupancyScore;

/* The area in which cells count: from and to, m, and unless `focal` is 0 within a picture of
 * `width` pixels. */
typedef struct {
  double nearest, farthest, focal, cx;
  int width;
} OccupancyView;

/* Adds a frame. False: there is no memory. */
bool occupancy_judge(const StxOccupancyResult *grid, const StxOccupancyParams *params,
    const OccupancyView *view, const OccupancyPoint *points, size_t count, OccupancyScore *score);

/* As JSON, or the same as a table. */
void occupancy_print(FILE *out, const char *name, const OccupancyScore *score, bool json);

#endif
