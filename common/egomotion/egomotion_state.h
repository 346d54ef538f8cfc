/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of egomotion, for its units. */
#ifndef STX_EGOMOTION_STATE_H
#define STX_EGOMOTION_STATE_H

#include "common/egomotion/egomotion_private.h"

/* A corner of the frame before. */
typedef struct {
  int x, y;        /* in the half picture; the full one's is twice that */
  float disparity; /* pixels, > 0 */
} EgoCorner;

/* Where a corner was found. */
typedef struct {
  bool found;
  double x, y; /* by the search: in the half picture now */
  double u, v; /* by regression: in the full one */
} EgoMatch;

struct StxEgomotion {
  const EgoImpl *impl;
  int width, height, cells_across, cells_down;
  void *memory; /* all that follows up to `agrees` */
  StxImage8 full[2], half[2], relief[2];
  int32_t *scores; /* of each cell */
  int16_t (*places)[2];
  EgoCorner *corners;
  EgoMatch *matches; /* of each corner */
  StxMotionPoint *points;
  EgoPoint *seen; /* of each point */
  bool *agrees;

  int now; /* which of two pictures is written; the other one is that before */
  int corner_count, point_count;
  bool begun, known; /* there is a frame before; its motion is known: */
  EgoPose pose;
  EgoBend bend;
  StxCamera camera;
  uint64_t time, last_step; /* of the frame before; since the one before it, 0: unknown */
};

/* The disparity at a place of the full picture, pixels; < 0: unknown. */
float ego_disparity(const StxEgomotionFrame *frame, double u, double v);

/* Finds the corners of the frame before in this one, which fills points, and makes `pose`, at first
 * what is expected, the motion of most of them; `bend` likewise. Returns how many agree. */
uint32_t ego_match(StxEgomotion *state, const StxEgomotionFrame *frame, EgoPose *pose,
    EgoBend *bend, double deviation[6]);

#endif
