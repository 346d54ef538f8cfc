/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The road line of a stream, frame by frame (roadline.h): predicted from the camera once, or
 * estimated from every frame, smoothed, and carried over frames in which no road is seen.
 *
 * An estimate is searched near the current line, at first the camera's, so that it does not jump to
 * a wall or a kerb. The first estimate is used as it is; later ones move the line half of the way:
 * one frame is noisy (few cells, one bump), and the horizon of a driving car swings within a few
 * frames. The line is kept in a frame without a road. After STX_ROAD_MISSES_MAX such frames in a
 * row, the road is searched everywhere until a line is found, which is used as it is.
 *
 * PIECEWISE bends the estimate (stx_roadline_bend), or the current line without one; bends, too,
 * move half of the way, in the disparities at the rows where the new line bends. A line far from
 * the current one is taken at once if its support is at least 0.3.
 */
#ifndef STX_ROADLINE_TRACK_H
#define STX_ROADLINE_TRACK_H

#include "common/roadline/roadline.h"

#define STX_ROAD_MISSES_MAX 10

typedef enum {
  STX_ROAD_AUTO,        /* as CALIBRATION where the camera's height is known, else as ESTIMATE */
  STX_ROAD_CALIBRATION, /* from the camera alone */
  STX_ROAD_ESTIMATE,    /* from each frame; the camera's line, if known, is the first guess */
  STX_ROAD_NONE,        /* no line at all */
  STX_ROAD_PIECEWISE,   /* as ESTIMATE, and bent where the road rises or falls ahead */
} StxRoadMode;

/* The state of one stream. Only `estimate` is for others to read: the frames matter. */
typedef struct {
  StxRoadLine line;
  bool known;    /* `line` holds something, */
  bool seen;     /* and that from a frame, not from the camera */
  bool estimate; /* it is to be followed from frame to frame */
  bool bends;    /* likewise, with bends */
  int misses;    /* frames in a row in which nothing was found */
} StxRoadTrack;

/*
 * Begins a stream; what *track held does not matter. False, with an error that names what is
 * missing, if `mode` is CALIBRATION and the camera has no ground (stx_camera_has_ground): *track
 * then has no line and finds none.
 */
STX_API bool stx_road_track_reset(
    StxRoadTrack *track, StxRoadMode mode, const StxCamera *camera, StxError *error);

/*
 * The line of the next frame, or NULL if none was ever found. It lies in *track: valid until the
 * next frame or reset.
 *
 * columns  as of stx_roadline_estimate; not looked at unless track->estimate
 * scratch  stx_roadline_scratch(grid) bytes, likewise
 */
STX_API const StxRoadLine *stx_road_track_follow(
    StxRoadTrack *track, const StxGrid *grid, const void *columns, void *scratch);

#endif
