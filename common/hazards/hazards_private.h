/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inside of hazards: what its files share. Nothing else includes this.
 *
 *   hazards.c         parameters, memory, what a frame goes through
 *   hazards_ground.c  where the ground is, and where it cannot be seen
 *   hazards_align.c   how far the right picture is too high
 *   hazards_omp.c     the same, fast
 *   hazards_groups.c  patches to records
 *   hazards_follow.c  records that earlier frames confirm
 */
#pragma once

#include "common/cpu.h"
#include "common/hazards/hazards.h"

#define CELL 4    /* columns of a cell */
#define BLOCK 16  /* cells whose costs lie side by side */
#define LEVELS 64 /* offsets r from the ground, from the largest down in steps of 1/4 pixel … */
#define ON_GROUND 31 /* … of which this one is 0 */
#define ROWS 20      /* of a patch, at most */
#define LEAST 2      /* … and at least */
#define TILTS 3 /* of a ground that is not where the tiles say it is: −1/12, 0, 1/12 px a row */
#define GROUND_REACH 3 /* levels by which it may lie off, either way */
#define FACE_NEAR 2    /* levels by which the foot of a face may lie nearer than the ground */
#define FACE_FAR 1     /* levels by which it may lie farther */
#define MEAN_HALF 15   /* columns to each side, over which the pictures lose their means … */
#define MEAN (2 * MEAN_HALF + 1) /* … and whose number is the unit of differences: 1/31 level */
#define MOST_DIFFERENCE (25 * MEAN)
#define CLIPPED 250     /* gray level from which on a pixel says nothing … */
#define CLIPPED_REACH 2 /* … nor do those so many columns beside it: gains move the patch's edge */
#define HIDDEN 2        /* pixels of disparity: what is nearer by more hides */
#define MOST_HALF 9     /* cells of a window to each side */
#define STX_HAZARDS_WORKERS 64
#define FINE 8                             /* positions of the right picture per pixel */
#define LEFT_PAD (256 * FINE + 2 * LEVELS) /* of a row of them: disparities below 256 pixels */
#define RIGHT_PAD (2 * LEVELS)
#define HAZARDS_UNITS 16 /* of evidence per nat */
#define HAZARDS_WEAK .5  /* of the evidence is what a record of several frames has at least */
#define HAZARDS_PLACES (4 * STX_HAZARDS_MAX)

/* The evidence of a patch, and its number of rows. */
typedef struct {
  uint16_t evidence; /* units */
  uint8_t rows;
} Patch;

/* The road's distance from its plane by tiles of the image, about 3.7 degrees wide and one high. */
typedef struct {
  int width, height, across, down;
  int16_t *offset; /* 1/256 pixel from the plane, smoothed; UNKNOWN_OFFSET */
} Tiles;
#define UNKNOWN_OFFSET INT16_MIN

/* Disparity of the ground: across · (x − cx) + down · (y − cy) + ahead, pixels, and the tiles'. */
typedef struct {
  double across, down, ahead, cx, cy;
} Plane;

struct StxHazardsWork {
  const StxHazardsParams *params;
  const StxHazardsFrame *frame;
  int width, height, cells;
  int first; /* row that is tested, the uppermost one; the last is that of the picture */
  int top;   /* row that has costs, likewise */
  Plane plane;
  Tiles tiles;

  /* By row and cell. */
  uint16_t *costs;  /* rows from `top`: hazards_costs(), 1/31 gray level */
  uint8_t *nearer;  /* pixels of disparity by which what may hide it is nearer; 255: the ground is
                        not known */
  Patch *up, *down; /* upright from that row on; a hole's wall from that row down */
  int16_t *ground;  /* by row and column: 1/FINE pixel, 0 … 2047 */
  uint8_t *half;    /* by row: cells of a window to each side */
  int8_t *lower;    /* by row: eighths of a pixel by which the right picture is too low */
  uint8_t *least;   /* by row: rows of a patch that stands there, at least */

  int face[ROWS];        /* levels by which an upright face is off the ground, by row of it */
  int tilt[TILTS][ROWS]; /* likewise a tilted ground */
  uint32_t noise;        /* 1/31 gray level, at least 1 */
  int faces;             /* rows whose faces have levels: ROWS, less where the ground is steep */
  int16_t *scratch[STX_HAZARDS_WORKERS]; /* of each worker: hazards_scratch() bytes */
};

/* Scratch of a worker: sums of cells; the left row, the right one, before and after its mean is
 * taken, and between its pads, twice; what is clipped in either. */
static inline size_t hazards_scratch(int width, int cells)
{
  size_t row = (size_t)width + MEAN, fine = (size_t)width * FINE + LEFT_PAD + RIGHT_PAD;
  return sizeof(int16_t) * (4 * row + 2 * fine + (size_t)cells * LEVELS + 256);
}

static inline size_t hazards_at(const StxHazardsWork *work, int row, int cell)
{
  return (size_t)(row - work->top) * (size_t)work->cells + (size_t)cell;
}

/* Costs of the BLOCK cells from `cell` on: those of a level, then those of the next. */
static inline uint16_t *hazards_costs(const StxHazardsWork *work, int row, int cell)
{
  size_t blocks = (size_t)(work->cells + BLOCK - 1) / BLOCK;
  size_t at = (size_t)(row - work->top) * blocks + (size_t)(cell / BLOCK);
  return work->costs + at * LEVELS * BLOCK;
}

static inline uint16_t *hazards_cost(const StxHazardsWork *work, int row, int cell, int level)
{
  return hazards_costs(work, row, cell) + level * BLOCK + cell % BLOCK;
}

/* ---- hazards_ground.c ------------------------------------------------------------------------ */

/* Room for tiles of the picture. */
void stx_hazards_tile(Tiles *tiles, const StxHazardsFrame *frame);

/* Finds plane and tiles. False: there is no ground. `scratch`: as many numbers as tiles. */
bool stx_hazards_find_ground(StxHazardsWork *work, double *scratch);

/* The plane's disparity at a place, pixels, without the tiles'. */
static inline double hazards_plane(const Plane *plane, double x, double y)
{
  return plane->across * (x - plane->cx) + plane->down * (y - plane->cy) + plane->ahead;
}

/* The row's `ground` and `nearer`. */
void stx_hazards_ground_row(StxHazardsWork *work, int row);

/* ---- hazards_align.c ------------------------------------------------------------------------- */

/* A row of a picture, and so many eighths of a pixel further down. */
void stx_hazards_blend(const StxImage8 *picture, int row, int eighths, uint8_t *blended);

/* Finds `lower`. */
void stx_hazards_align(StxHazardsWork *work, int threads);

/* ---- hazards_omp.c --------------------------------------------------------------------------- */

/* A row that has lost its mean: 1/31 gray level. Columns beyond the border are as the last. */
void stx_hazards_flatten(const uint8_t *row, int width, int16_t *flat);

/* 1 where a row is overexposed, or CLIPPED_REACH columns beside that; else 0. */
void stx_hazards_mark_clipped(const uint8_t *row, int width, uint8_t *clipped);

/* Does a pixel say nothing: it, or what the right row shows of the ground there, is clipped. */
static inline bool hazards_is_clipped(
    const uint8_t *left, const uint8_t *right, const int16_t *ground, int x)
{
  int on = x - (ground[x] + FINE - 1) / FINE;
  return left[x] | right[on < 0 ? 0 : on];
}

/* The evidence of patches of `rows` rows whose hypotheses cost `ground` and `other`, for the
 * other. */
static inline uint16_t hazards_evidence(uint32_t ground, uint32_t other, uint32_t noise)
{
  uint32_t more = ground > other ? (ground - other) * 16 / noise : 0;
  return (uint16_t)(more < UINT16_MAX ? more : UINT16_MAX);
}

/* May a patch be tested: its first row lies on ground that is seen, and so does its last one. */
static inline bool hazards_seen(const StxHazardsWork *work, int row, int cell, int far, int rows)
{
  int near = work->nearer[hazards_at(work, row, cell)];
  int end = work->nearer[hazards_at(work, far, cell)];
  return near <= HIDDEN && end != 255 && end <= HIDDEN + (int)(work->plane.down * rows);
}

/* ---- hazards_groups.c ------------------------------------------------------------------------ */

/* A record of one frame, with its evidence in units. A kerb, which runs along the road, has patches
 * at many distances, and the best one at any of these. */
typedef struct {
  StxObstacle record;
  double near, far; /* m: where the patches stand; of a hole both its edges */
  uint16_t evidence;
} StxHazardsSeen;

/* Records of what the tests say, with `least` units or more; the nearest first, at most
 * STX_HAZARDS_MAX. `stack`: a number for each cell of each row. */
size_t stx_hazards_group(
    const StxHazardsWork *work, uint32_t *stack, uint32_t least, StxHazardsSeen *seen);

/* ---- hazards_follow.c ------------------------------------------------------------------------ */

/* The place where a hazard was seen, in the camera's axes of the last frame. */
typedef struct {
  double x, y, z, width;
  double near, far;
  bool hole, seen; /* seen: there is a place of this frame in its stead */
  uint32_t id, age;
  uint16_t evidence[STX_HAZARDS_MOST_FRAMES + 1]; /* units, of the last frames, the last one first;
                                                     0: not seen */
} HazardsPlace;

/* All zero before the first frame. */
typedef struct {
  HazardsPlace place[HAZARDS_PLACES];
  size_t count;
  uint32_t ids;  /* given so far */
  int confirm;   /* of the last frame */
  bool alone;    /* it had none before it */
  uint64_t time; /* its own */
} StxHazardsPlaces;

/* Units of evidence that the records of a frame need. */
uint32_t stx_hazards_least(const StxHazardsParams *params, const StxHazardsFrame *frame);

/* The records of a frame with a motion that are confirmed; returns their number. */
size_t stx_hazards_follow(StxHazardsPlaces *places, const StxHazardsParams *params,
    const StxHazardsFrame *frame, const StxHazardsSeen *seen, size_t count, StxObstacle *hazards);

STX_DECLARE(StxHazardsImpl, stx_hazards, costs);
STX_DECLARE(StxHazardsImpl, stx_hazards, tests);
