/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small things on the road and holes in it, of a rectified pair and its disparity map.
 *
 * Method: tests of hypotheses about patches of the picture, after P. Pinggera, U. Franke,
 * R. Mester, "High-performance long range obstacle detection using stereo vision", IROS 2015, and
 * P. Pinggera et al., "Lost and Found: Detecting Small Road Hazards for Self-Driving Vehicles",
 * IROS 2016. A patch lies on the ground, or stands upright from its lowest row on, or is the wall
 * of a hole from its uppermost row down. Each hypothesis says where the right picture shows the
 * patch; what the two pictures then differ by, in units of what they differ by on the road of the
 * same frame, is its likelihood. Steps:
 *
 *   1. Ground    a plane through the medians of tiles of the disparity map, and what the tiles
 *                around differ from it by. The map is used for nothing else but in 2 and 6
 *   2. Rows      by how many eighths of a pixel the right picture is too high or too low: what
 *                differs least on the ground, a line over the rows
 *   3. Costs     for each row, cell of CELL columns and offset r from the ground's disparity, the
 *                sum of |left(x) − right(x − ground − r)| over a window about `window` wide. The
 *                pictures have lost their means over 31 columns; differences end at 25 gray levels.
 *                What is overexposed in either picture differs by as much on all hypotheses
 *   4. Tests     over patches of up to ROWS rows: ground (r constant or slowly changing, near 0)
 *                against an upright face (the disparity of its foot: r grows from row to row by the
 *                slope of the ground) and against the far wall of a hole (likewise, downwards)
 *   5. Groups    neighbouring patches whose evidence is half of `evidence` or more, of which one
 *                has all of it
 *   6. Choice    what is higher than `max_height` in the disparity map is none, nor what lies where
 *                the right picture sees something nearer. A hole is at least as wide as a window
 *                and as it is seen to be deep, has a nearer edge in the map, and is in it, too
 *   7. Time      where the camera's motion is given: what was seen at the same place of the road in
 *                earlier frames, too (hazards_follow.c)
 *
 * The noise is the median difference between the pictures on the ground, anew in each frame; the
 * evidence is the logarithm of the ratio of the likelihoods (of Laplace's distribution), nats.
 *
 * Everything that is summed and compared in 3 to 5 is an integer, and what is in double is done
 * once: all implementations and numbers of threads give the same bytes. Ties: the lower patch of
 * fewer rows, further left.
 */
#ifndef STX_HAZARDS_H
#define STX_HAZARDS_H

#include "common/camera.h"
#include "common/egomotion/motion.h"
#include "common/fields.h"
#include "common/obstacle.h"

#define STX_HAZARDS_MAX_SIZE 16384 /* largest width and height, pixels */
#define STX_HAZARDS_MAX 1000       /* records of a frame */
#define STX_HAZARDS_MOST_FRAMES 9  /* that confirm, at most */
#define STX_HAZARDS_NO_TIME UINT64_MAX

/* Metres, nats. Ranges, units and texts of these: stx_hazards_fields. */
typedef struct {
  double max_distance; /* farther things are not looked for */
  double min_height;   /* of things above the ground, and depth of holes */
  double max_height;   /* of things: what is higher is for stixel-obstacles */
  double min_width;    /* of either */
  double window;       /* width of a patch on the road */
  double evidence;     /* of the best patch of a thing or a hole */
  int confirm;     /* of the last confirm + 1 frames so many show a thing, if the motion is given */
  int max_hazards; /* of a frame, the nearest */
} StxHazardsParams;

#define STX_HAZARDS_DEFAULTS                                                                       \
  {                                                                                                \
    .max_distance = 20, .min_height = 0.05, .max_height = 0.4, .min_width = 0.15, .window = 0.3,   \
    .evidence = 18, .confirm = 2, .max_hazards = 100                                               \
  }

/* Every field of StxHazardsParams. */
STX_API const StxFields stx_hazards_fields;

/* Refuses what the table does not allow, and a min_height above max_height. */
STX_API bool stx_hazards_check(const StxHazardsParams *params, StxError *error);

/* Pictures and map of one size; disparities in 1/256 pixel, 0 = unknown. The camera is that of this
 * size; focal length, baseline and cx must be known. Its height, cy and pitch help to find the
 * ground where they are. Without `motion` a frame is judged alone, and records have the id 0. */
typedef struct {
  StxImage8 left, right;
  StxImage16 disparity;
  StxCamera camera;
  const StxMotion *motion; /* of the camera, since the frame before; NULL: unknown */
  uint64_t time;           /* ns of any clock, or STX_HAZARDS_NO_TIME */
  uint64_t interval;       /* ns that the motion took, likewise */
} StxHazardsFrame;

/* The memory behind the pointers belongs to the state until its next frame or end. */
typedef struct {
  const StxObstacle *hazards; /* STX_OBSTACLE_SMALL or _HOLE, the nearest first */
  size_t count, left_out;     /* left_out: beyond params->max_hazards */
  bool ground;                /* it was found; else there are no hazards */
  double noise;               /* median difference of the pictures on it, gray levels */
} StxHazardsResult;

/* Memory of frames. Opaque; serves one thread at a time. */
typedef struct StxHazards StxHazards;

typedef struct StxHazardsWork StxHazardsWork; /* hazards_private.h */

/* Steps 3 and 4 of one row. */
typedef struct {
  StxImplInfo info;
  void (*costs)(const StxHazardsWork *work, int row, int worker);
  void (*tests)(const StxHazardsWork *work, int row, int worker);
} StxHazardsImpl;

/* Host implementations, best first. */
STX_API const StxImplTable stx_hazards_impls;

/* NULL if there is no memory. Free with stx_hazards_free(), which accepts NULL. */
STX_API StxHazards *stx_hazards_new(void);
STX_API void stx_hazards_free(StxHazards *state);

/* The next frame begins a new stream: no place of a hazard is known. */
STX_API void stx_hazards_reset(StxHazards *state);

/*
 * Finds the hazards of one frame. If the frame has a motion, their places are kept for the next.
 * Allocates where the frame or the parameters are larger than any before. `params` have passed the
 * check.
 *
 * On failure *result is all zero. Fails if the camera lacks a number, if the images differ in size
 * or exceed STX_HAZARDS_MAX_SIZE, or if there is no memory.
 */
STX_API bool stx_hazards_find(StxHazards *state, const StxHazardsParams *params,
    const StxHazardsFrame *frame, const StxHazardsImpl *impl, int threads, StxHazardsResult *result,
    StxError *error);

#endif
