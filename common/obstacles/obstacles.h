/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Obstacles and free space of a frame of stixels, or of a LiDAR scan, and the same obstacles from
 * frame to frame. Records: common/obstacle.h. The page docs/algorithms/obstacles.md has the method.
 *
 *   StxObstacles *state = stx_obstacles_new();
 *   each frame:
 *     stx_obstacles_prepare(state, &params, count, directions, &error)
 *     stx_obstacles_of_stixels(state, &frame, &result, &error)
 *   stx_obstacles_free(state);
 *
 * From stixels
 *   1. Ground   the height of the road by distance, from the stixels of kind ground; without
 *               them, from the camera's height and pitch; else the height of feet is unknown
 *   2. Pieces   object stixels whose top is half of min_height or more above that ground
 *   3. Groups   neighbours, across up to `gap` metres, whose depths differ by no more than
 *               depth_step and what disparity_step is there, or than the side of a car recedes;
 *               which are about as high, and of one class where they have any. What is lower than
 *               2.2 m is not longer than max_length
 *   4. Choice   groups that are large enough, stand low enough, have too many cells to be an error
 *               of stereo, and are not the outline of something nearer. Others still end the free
 *               space
 * A scan's groups are the clusters of lidar-ground; points without a cluster are none.
 *
 * Following, over frames: a filter of constant velocity for each obstacle in x and z, and the
 * assignment of obstacles to what was expected whose cost is least, to a thousandth of `gate` each.
 * Speeds are relative to the sensor. With the camera's motion (egomotion/motion.h), each obstacle
 * is followed by two hypotheses, standing and moving; matched points also give velocities, and
 * obstacles and stixels have velocities over ground (velocity.h). Speeds that are not known to
 * within 1 m/s are then unknown.
 *
 * Results do not depend on the machine or on threads; all work is done in the caller's thread. Sums
 * are of doubles, in the order of the records: the same input gives the same bytes.
 */
#ifndef STX_OBSTACLES_H
#define STX_OBSTACLES_H

#include "common/camera.h"
#include "common/egomotion/motion.h"
#include "common/fields.h"
#include "common/obstacle.h"
#include "common/stixel.h"
#include "common/velocity.h"

#define STX_OBSTACLES_MAX 65534     /* in a frame; of more the farthest are left out */
#define STX_OBSTACLES_MAX_RANGE 250 /* m */
#define STX_OBSTACLES_MAX_SECTORS 3600
#define STX_OBSTACLES_MAX_COLUMNS 32768
#define STX_OBSTACLES_MAX_RECORDS (1 << 26) /* stixels or points of a frame */
#define STX_OBSTACLES_NO_TIME UINT64_MAX

/* Metres, frames, pixels. Ranges, units and texts of these: stx_obstacles_fields. */
typedef struct {
  double max_distance;   /* farther things are no obstacles; z, of a scan the range */
  double min_height;     /* of an obstacle above the ground */
  double min_width;      /* of an obstacle */
  double clearance;      /* above the ground: what hangs higher is not in the way */
  double depth_step;     /* metres: neighbours within this are one thing */
  double disparity_step; /* pixels of disparity: their metres are added to depth_step */
  double max_length;     /* of what is lower than 2.2 m, along the line of sight */
  double gap;            /* across which neighbours are one thing */
  int min_count;         /* stixels, or points, of an obstacle */
  int max_obstacles;     /* of a frame, the nearest */
  int sectors;           /* of a scan's free space */
  double corridor_width, corridor_length; /* straight ahead; width 0: no corridor */
  double corridor_offset;                 /* of its middle, to the right of the sensor */
  bool follow;                            /* else all ids are 0, and all speeds unknown */
  int max_unseen;  /* frames in a row without it, after which an id is given up */
  double gate;     /* how far from where it was expected an obstacle is still the same */
  double speed;    /* of the sensor along its axis, m/s, where a frame of stixels does not say how
                      the camera moved; < 0: not known */
  double yaw_rate; /* likewise, rad/s, to the right */
} StxObstaclesParams;

#define STX_OBSTACLES_DEFAULTS                                                                     \
  {                                                                                                \
    .max_distance = 60, .min_height = 0.4, .min_width = 0.1, .clearance = 2, .depth_step = 0.3,    \
    .disparity_step = 0.3, .max_length = 5, .gap = 0.3, .min_count = 1, .max_obstacles = 1000,     \
    .sectors = 360, .corridor_width = 2.4, .corridor_length = 30, .corridor_offset = 0,            \
    .follow = true, .max_unseen = 5, .gate = 3, .speed = -1                                        \
  }

/* Every field of StxObstaclesParams. */
STX_API const StxFields stx_obstacles_fields;

/* Refuses what the table does not allow; the text names the field, its value and range. */
STX_API bool stx_obstacles_check(const StxObstaclesParams *params, StxError *error);

/* ---- State --------------------------------------------------------------------------------- */

/* Tracks, parameters and memory. Opaque; serves one thread at a time. */
typedef struct StxObstacles StxObstacles;

/* NULL if there is no memory. Free with stx_obstacles_free(), which accepts NULL. */
STX_API StxObstacles *stx_obstacles_new(void);
STX_API void stx_obstacles_free(StxObstacles *state);

/*
 * Takes parameters, and makes room for frames of up to `records` stixels or points and `directions`
 * columns (of a scan 0: params->sectors counts). To be called before the first frame and whenever
 * one of these grew or changed; allocates only if there is not room enough, and keeps what is
 * followed. False with an error that names a parameter that is not allowed, too large a number, or
 * memory that there is not; the state is then as before.
 */
STX_API bool stx_obstacles_prepare(StxObstacles *state, const StxObstaclesParams *params,
    size_t records, size_t directions, StxError *error);

/* The next frame begins a new stream: nothing is followed from before. Ids go on: none is given
 * twice in the life of a state, before 2^32 of them were. */
STX_API void stx_obstacles_reset(StxObstacles *state);

/* ---- A frame ------------------------------------------------------------------------------- */

/* Stixels of a frame, sorted by column, then from the bottom up (stixel.h). Their camera is that of
 * the image of width × height pixels; focal length, baseline and cx must be known. */
typedef struct {
  const StxStixel *stixels;
  size_t count;
  int width, height, stixel_width; /* pixels; ⌈width / stixel_width⌉ columns */
  StxCamera camera;
  uint64_t time;                /* ns of any clock, or STX_OBSTACLES_NO_TIME */
  const StxMotion *motion;      /* of the camera, from the frame before to this; NULL:
                                    unknown, and nothing has a velocity */
  const StxMotionPoint *points; /* matched with the frame before, with `motion` */
  size_t point_count;
  uint64_t interval; /* ns that the motion took; 0 or STX_OBSTACLES_NO_TIME: since the last frame */
} StxObstaclesFrame;

/* Points and labels of a scan as in ground.h: clusters from 1 in the high 16 bits. */
typedef struct {
  const float *points; /* count · 4 */
  const uint32_t *labels;
  size_t count;
  uint64_t time;
} StxObstaclesScan;

/* The memory behind the pointers belongs to the state until its next frame, preparation or end. */
typedef struct {
  const StxObstacle *obstacles; /* the nearest first: by z, of a scan by the range. Equally near
                                   ones by what comes first in the frame */
  size_t count;
  const StxFreeSpace *free_space; /* one per column or sector */
  size_t directions;
  const uint16_t *members; /* of every stixel or point: its obstacle's place, or
                              STX_FREE_NO_OBSTACLE */
  size_t left_out;         /* obstacles beyond params->max_obstacles */

  /* With the camera's motion, else NULL: of every obstacle; of every stixel. */
  const StxVelocity *velocities, *stixel_velocities;
  size_t stixels;

  /* The corridor. `entered` are places of obstacles that are in it and were not in the last frames
   * (max_unseen of them); of those that are not followed only the nearest, in the first frame in
   * which something is. */
  const uint16_t *entered;
  size_t entered_count;
  bool corridor_occupied; /* something is in it, or was in one of the last max_unseen frames, not
                             counting those of which no direction is known */
  bool corridor_cleared;  /* it was occupied a frame ago, and is not any more */

  bool restarted; /* nothing is followed from before: the first frame, after a reset, of another
                     camera, image, sensor or scene, earlier than the last, or a second or more
                     after it */

  /* The motion that the parameters' speed and yaw rate make, where it stood in for that of the
   * frame, else NULL: points and agree are 0. And the ns that it took, or STX_OBSTACLES_NO_TIME. */
  const StxMotion *given;
  uint64_t given_interval;
} StxObstaclesResult;

/*
 * One frame; the next of a stream. Speeds come from the frames' times: of frames without one, or
 * with that of the last frame, positions are followed and speeds stay as they were (unknown, if
 * they were). So they do in a frame with the stixels of the last one, up to twice in a row, and in
 * one whose motion says that it is the same frame (STX_MOTION_STILL): nothing goes on in it. The
 * first step after frames of one time counts as one without.
 *
 * A frame of stixels that shows another scene begins anew: less of what is followed is seen in it
 * than in others. Not one whose points were matched, nor one of less than three things, or in which
 * almost nothing is seen.
 *
 * Motion: with STX_MOTION_FIRST everything begins anew. While it is not known for another reason,
 * the last one is taken to go on for up to five frames, and nothing has a velocity; then everything
 * begins anew. The first 4096 points count.
 *
 * On failure *result is all zero, and the state may go on with the next frame. Fails if the frame
 * exceeds what was prepared; if the camera lacks a number; if a stixel lies outside of the image or
 * the order, or is a segment (rdp-columns), which knows no ground; if a motion that is known has a
 * number that is not finite or a rotation that is none; if there are points without a motion; if
 * points or labels are NULL though there are some. Any values of disparities and points are
 * allowed.
 */
STX_API bool stx_obstacles_of_stixels(StxObstacles *state, const StxObstaclesFrame *frame,
    StxObstaclesResult *result, StxError *error);
STX_API bool stx_obstacles_of_scan(
    StxObstacles *state, const StxObstaclesScan *scan, StxObstaclesResult *result, StxError *error);

#endif
