/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of obstacles and of free space, for applications that do not need the stixels or points
 * themselves.
 *
 * Both sensors use one set of axes, origin in the sensor's centre: x to the right, y down, z
 * forward. For stereo these are the axes of the left camera (metres.h); of a scan, whose x looks
 * forward, y to the left and z up, they are x = −y, y = −z, z = x. They tilt with the sensor.
 *
 * A buffer of either is an array of records without a header, little-endian. See docs/formats.md.
 */
#ifndef STX_OBSTACLE_H
#define STX_OBSTACLE_H

#include <assert.h>
#include <math.h>
#include <stdint.h>

typedef enum {
  STX_OBSTACLE_STEREO = 0, /* of stixels */
  STX_OBSTACLE_LIDAR = 1,  /* of the points of a scan */
} StxObstacleSource;

typedef enum {
  STX_OBSTACLE_IN_CORRIDOR = 1, /* some of it lies in the corridor that was asked for */
  STX_OBSTACLE_CUT = 2,         /* at the border of what the sensor sees: it may be larger */
  STX_OBSTACLE_SMALL = 4,       /* a small thing on the road, found by road-hazards */
  STX_OBSTACLE_HOLE = 8,        /* a hole in the road, likewise: its height is negative */
} StxObstacleFlags;

/* Sorted by z, of a scan by the range, the nearest first. Metres, seconds; not a number: unknown.
 */
typedef struct {
  uint32_t id;                        /* from 1, the same in all frames; 0: not followed, or new */
  uint32_t age;                       /* frames since the first one that showed it, which has 0 */
  uint16_t left, top, right, bottom;  /* pixels of the image, inclusive; of a scan all 0 */
  uint16_t first_column, last_column; /* of stixels, inclusive; of a scan both 0 */
  uint32_t count;                     /* stixels or points */
  uint8_t source;                     /* StxObstacleSource */
  uint8_t label;                      /* Cityscapes train id of most of it; 255: none */
  uint8_t flags;                      /* StxObstacleFlags */
  uint8_t reserved;                   /* 0 */
  float confidence;                   /* 0…1 */
  float x, y, z;       /* middle of its foot, as near as it comes: z is the distance ahead */
  float width;         /* along x */
  float height;        /* from the foot up; of a hole its depth, negative */
  float depth;         /* how far behind z it was seen to reach; 0: only a front was seen */
  float closing_speed; /* positive: z shrinks; relative to the sensor */
  float lateral_speed; /* positive: to the right; relative to the sensor */
} StxObstacle;

static_assert(sizeof(StxObstacle) == 64, "the record is 64 bytes, packed");

/* Is it one of those of road-hazards, in place of what stixels or clusters show? */
static inline int stx_obstacle_is_hazard(const StxObstacle *obstacle)
{
  return (obstacle->flags & (STX_OBSTACLE_SMALL | STX_OBSTACLE_HOLE)) != 0;
}

/* Seconds until it is at the sensor if both go on as they do; not a number if it comes no nearer,
 * or its speed is unknown. */
static inline float stx_obstacle_time_to_contact(const StxObstacle *obstacle)
{
  return obstacle->closing_speed > 0 ? obstacle->z / obstacle->closing_speed : NAN;
}

#define STX_FREE_NO_OBSTACLE 65535

/* The free space in one direction: a column of stixels from the left or, of a scan, a sector of its
 * turn, from straight ahead clockwise seen from above. */
typedef struct {
  float x, z;        /* metres: where the nearest obstacle stands; infinite z: free as far as was
                        seen; not a number: unknown */
  uint16_t row;      /* of the image, where it stands; of a scan, or without an obstacle, 0 */
  uint16_t obstacle; /* its place in the frame's obstacles, or STX_FREE_NO_OBSTACLE: there is none,
                        or too small a thing for one */
} StxFreeSpace;

static_assert(sizeof(StxFreeSpace) == 12, "the record is 12 bytes, packed");

#endif
