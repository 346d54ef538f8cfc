/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Occupancy grid: which squares of the road's plane are free, occupied or unknown, by stixels and
 * by LiDAR scans, over time where the sensor's motion is known. The bytes of a grid are ROS's
 * (docs/formats.md). The page docs/elements/occupancy-grid.md is for users.
 *
 *   StxOccupancy *state = stx_occupancy_new();
 *   each frame:
 *     stx_occupancy_prepare(state, &params, stixels, columns, &error)
 *     stx_occupancy_update(state, &frame, &result, &error)
 *   stx_occupancy_free(state);
 *
 * Method: H. Moravec, A. Elfes, "High Resolution Maps from Wide Angle Sonar", ICRA 1985, with the
 * sum of log-odds of A. Elfes, "Using Occupancy Grids for Mobile Robot Perception", 1989. What a
 * frame says of a cell is found cell by cell, from the middle of the cell and the width that it has
 * as seen from the sensor:
 *
 *   by stixels   The columns of the image that a cell touches. The things of a column are its
 *                object stixels whose top is min_height or more above the ground and whose foot is
 *                not above clearance. A thing at distance z is as long as it is uncertain: with
 *                s = max(.75 cells, what `uncertainty` pixels of disparity are at z), cells up to s
 *                from z are occupied, and less and less up to 2·s. From where the image first shows
 *                ground to 2·s before the nearest thing it is free; without a thing, to where the
 *                column's ground ends. What lies behind that, beyond max_distance or outside of the
 *                image is not said. Nor is anything said by sky and by what has no disparity
 *   by a scan    Cells with a point of an obstacle, from min_height to clearance above the ground,
 *                are occupied; others with a point of the ground are free; and so are those without
 *                a point that lie, in their sector of the turn, between the nearest and the
 *                farthest ground and nearer than the nearest obstacle
 *   by both      The sum of the two
 *
 *   Over time    log-odds are halved in `memory` seconds; what a frame says is added to them, and
 *                they stay within ±3.9. The grid keeps its axes and follows the sensor by whole
 *                cells, so that no cell is ever resampled
 *
 * Log-odds are integers, thousandths. Height and pitch of the camera are not needed: the ground is
 * what stixels and labels say it is. Axes tilt with the sensor, as everywhere in metres (metres.h).
 *
 * Everything is done by the caller's thread; the same input gives the same bytes.
 */
#ifndef STX_OCCUPANCY_H
#define STX_OCCUPANCY_H

#include "common/camera.h"
#include "common/egomotion/motion.h"
#include "common/fields.h"
#include "common/stixel.h"

#define STX_OCCUPANCY_MAX_SIDE 2048         /* cells */
#define STX_OCCUPANCY_MAX_COLUMNS 32768     /* of stixels */
#define STX_OCCUPANCY_MAX_RECORDS (1 << 26) /* stixels or points of a frame */
#define STX_OCCUPANCY_NO_TIME UINT64_MAX
#define STX_OCCUPANCY_UNKNOWN (-1)

typedef enum {
  STX_OCCUPANCY_GIVEN, /* as frames say; those that say nothing are alone */
  STX_OCCUPANCY_NONE,  /* the sensor stands still */
  STX_OCCUPANCY_ALONE  /* nothing is kept from one frame to the next */
} StxOccupancyMotion;

/* Ranges, units and texts of these: stx_occupancy_fields. */
typedef struct {
  double resolution;   /* side of a cell, m */
  double size;         /* side of the grid, m; up to _MAX_SIDE cells */
  double lead;         /* how far ahead of the sensor the grid's middle lies, m */
  double max_distance; /* m */
  double uncertainty;  /* standard deviation of a thing's disparity, px */
  double min_height;   /* of what is in the way, above the ground, m */
  double clearance;    /* above the ground: what hangs higher is not in the way, m */
  StxOccupancyMotion motion;
  double memory; /* s; 0: nothing is forgotten */
} StxOccupancyParams;

#define STX_OCCUPANCY_DEFAULTS                                                                     \
  {                                                                                                \
    .resolution = .2, .size = 60, .lead = 20, .max_distance = 50, .uncertainty = .35,              \
    .min_height = .2, .clearance = 2, .motion = STX_OCCUPANCY_GIVEN, .memory = 5                   \
  }

/* Every field of StxOccupancyParams. */
STX_API const StxFields stx_occupancy_fields;

/* Refuses what the table does not allow, more than _MAX_SIDE cells, and a min_height above
 * clearance; the text names the field, its value and range. */
STX_API bool stx_occupancy_check(const StxOccupancyParams *params, StxError *error);

/* Cells along each side. */
int stx_occupancy_side(const StxOccupancyParams *params);

/* ---- State --------------------------------------------------------------------------------- */

/* The grid, parameters and memory. Opaque; serves one thread at a time. */
typedef struct StxOccupancy StxOccupancy;

/* NULL if there is no memory. Free with stx_occupancy_free(), which accepts NULL. */
STX_API StxOccupancy *stx_occupancy_new(void);
STX_API void stx_occupancy_free(StxOccupancy *state);

/*
 * Takes parameters, and allocates for frames of up to `stixels` records in `columns` columns. To
 * be called before the first frame and whenever one of these grew or changed. Another size or
 * resolution empties the grid. False with an error that names a parameter that is not allowed, too
 * large a number, or memory that there is not; the state is then as before.
 */
STX_API bool stx_occupancy_prepare(StxOccupancy *state, const StxOccupancyParams *params,
    size_t stixels, size_t columns, StxError *error);

/* The next frame begins a new stream: the grid is empty, and its axes begin there. */
STX_API void stx_occupancy_reset(StxOccupancy *state);

/* The only one, for what asks which implementations an element has. */
extern const StxImplTable stx_occupancy_impls;

/* ---- A frame ------------------------------------------------------------------------------- */

/* Stixels, a scan, or both, of one moment. Either may be missing: count 0. */
typedef struct {
  const StxStixel *stixels; /* sorted by column (stixel.h) */
  size_t count;
  int width, height, stixel_width; /* of their image, pixels; width 0: there is none */
  StxCamera camera;                /* of that image: focal length, baseline and cx are known */

  const float *points; /* point_count · 4, as in ground.h */
  const uint32_t *labels;
  size_t point_count;
  const double *place; /* 3 rows of 4 that take points to the sensor's place, in axes of a scan
                          (extrinsics.h); NULL: the sensor is the scan's own */

  const StxMotion *motion; /* of the sensor, since the frame before; NULL: unknown */
  uint64_t time;           /* ns of any clock, or STX_OCCUPANCY_NO_TIME */
  uint64_t interval;       /* ns that the motion took, or STX_OCCUPANCY_NO_TIME */
} StxOccupancyFrame;

/* `cells` belong to the state until its next frame, preparation or end. */
typedef struct {
  const int8_t *cells; /* height rows along y of width cells along x: −1 or 0 … 100 */
  int width, height;
  double resolution;
  double origin_x, origin_y; /* m: the corner of the first cell with the smallest x and y */
  bool fixed;                /* the axes stand in the world; else they are the sensor's */
  uint32_t epoch;            /* counted up when they begin anew, from 1 on */
  double x, y, yaw;          /* where the sensor is, m, and how far it is turned to the left, rad */
  const char *lost; /* why the axes began anew in a stream that went on, for a message; or NULL */
} StxOccupancyResult;

/*
 * One frame; the next of a stream. The axes begin anew with a motion that says that it is the
 * first, that is longer than the grid, or that is of another time than between the frames, by a
 * quarter; and after five frames in a row whose motion could not be found, for which the last one
 * is taken to go on. A frame whose motion says that it is the same again changes nothing. Frames
 * without a time are taken for a tenth of a second apart.
 *
 * Fails if the frame exceeds what was prepared; if the camera lacks a number; if a stixel lies
 * outside of the image or the order, or is a segment (rdp-columns), which knows no ground; if a
 * motion that is known has a number that is not finite or a rotation that is none. The grid is then
 * as before. Any values of disparities and points are allowed.
 */
STX_API bool stx_occupancy_update(StxOccupancy *state, const StxOccupancyFrame *frame,
    StxOccupancyResult *result, StxError *error);

/* ---- Pictures ------------------------------------------------------------------------------ */

/* The gray that ROS's map_server takes for free, occupied and unknown. */
#define STX_OCCUPANCY_GRAY_FREE 254
#define STX_OCCUPANCY_GRAY_OCCUPIED 0
#define STX_OCCUPANCY_GRAY_UNKNOWN 205

/* One pixel of each cell into a picture of the grid's size: the top row is the last one of the
 * grid. */
void stx_occupancy_draw(const StxOccupancyResult *grid, const StxImage8 *picture);

#endif
