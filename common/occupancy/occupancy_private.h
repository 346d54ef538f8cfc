/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations shared by the files of the stem: the state, and a frame's evidence about cells. */
#pragma once

#include "common/occupancy/occupancy.h"

/* Thousandths of log-odds: what one frame says, and what is kept at most. */
#define OCCUPANCY_OCCUPIED 1800
#define OCCUPANCY_FREE (-1100)
#define OCCUPANCY_LIMIT 3900
#define OCCUPANCY_LEAST (-2200)

#define OCCUPANCY_SECTORS 720 /* of a turn */
#define OCCUPANCY_BINS 64     /* of a sector's ground */
#define OCCUPANCY_BIN 2.0     /* m */

/* The evidence of a column of the image: free between two depths, and its things. */
typedef struct {
  double free_from, free_until;
  uint32_t first, count; /* in `things` */
} Column;

typedef struct {
  double z, reach; /* occupied up to `reach` from z, and less and less up to twice that */
} Thing;

/* The evidence of a sector of a scan. Ranges, m. */
typedef struct {
  double obstacle;    /* the nearest; infinite: none */
  double first, last; /* ground; first > last: none */
} Sector;

enum { CELL_GROUND = 1, CELL_OBSTACLE = 2 };

struct StxOccupancy {
  StxOccupancyParams params;
  int side; /* cells; 0: not prepared */
  void *memory, *frame_memory;
  size_t room, columns; /* stixels and columns for which there is room */

  int16_t *odds, *spare; /* side · side each */
  int8_t *values;
  uint8_t *points; /* of each cell: CELL_… of this frame's points */
  Column *column;
  Thing *things;
  Sector sectors[OCCUPANCY_SECTORS];
  float ground[OCCUPANCY_SECTORS][OCCUPANCY_BINS]; /* mean height, m; not a number: none */
  uint32_t counts[OCCUPANCY_SECTORS][OCCUPANCY_BINS];

  /* The position of the grid: `first_x` and `first_y` are its origin, in cells. */
  double first_x, first_y;
  double x, y, yaw;
  bool begun, fixed;
  uint32_t epoch;
  StxMotion motion; /* the last that was known; state FIRST: none */
  int unknown;      /* frames in a row without one */
  uint64_t time;

  int8_t value_of[2 * OCCUPANCY_LIMIT + 1];
};

/* The middle of a cell, as seen from the sensor. */
typedef struct {
  double ahead, left;
} Spot;

/* Reads all columns; then what they say of a cell: its log-odds, thousandths. */
void stx_occupancy_look_at_stixels(StxOccupancy *state, const StxOccupancyFrame *frame);
int stx_occupancy_by_stixels(
    const StxOccupancy *state, const StxOccupancyFrame *frame, const Spot *spot);

/* Reads all sectors and the cells that hold points; then the log-odds of a cell by them. */
void stx_occupancy_look_at_scan(StxOccupancy *state, const StxOccupancyFrame *frame);
int stx_occupancy_by_scan(const StxOccupancy *state, size_t cell, const Spot *spot);
