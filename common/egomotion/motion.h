/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The motion of a stereo camera from one frame to the next, and the points matched between the two.
 * Coordinates are the left camera's: x to the right, y down, z ahead, in metres.
 */
#ifndef STX_MOTION_H
#define STX_MOTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  STX_MOTION_KNOWN,
  STX_MOTION_FIRST,    /* there is no frame before this one, or a stream began anew */
  STX_MOTION_TOO_FEW,  /* points that could be matched: dark, blocked, or no texture */
  STX_MOTION_DISAGREE, /* points that agree on one motion: all moving, or another scene */
  STX_MOTION_STILL,    /* the same frame again; nothing is said of the camera */
} StxMotionState;

/* A point p of the world that stands has the coordinates rotation · p + translation now, if it had
 * p in the frame before. Only with STX_MOTION_KNOWN is anything but `state` filled in. */
typedef struct {
  StxMotionState state;
  double rotation[9];    /* by rows */
  double translation[3]; /* metres */
  double deviation[6];   /* standard deviations: rotation about x, y, z in radians, then x, y, z in
                            metres */
  uint32_t points;       /* matched */
  uint32_t agree;        /* of these with the motion */
} StxMotion;

/* A point of the image in two frames. Pixels; disparity < 0: not known. */
typedef struct {
  float u, v, disparity;                      /* now */
  float before_u, before_v, before_disparity; /* in the frame before */
} StxMotionPoint;

#endif
