/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The road line of a stream, frame by frame (common/roadline.h): predicted from the camera once,
 * or estimated from every frame, smoothed, and carried over frames in which no road is seen.
 */
#ifndef GST_STX_ROAD_H
#define GST_STX_ROAD_H

#include <gst/gst.h>

#include "common/roadline.h"

G_BEGIN_DECLS

typedef enum {
  GST_STX_GROUND_AUTO,        /* calibration if it has the camera's height, else estimate */
  GST_STX_GROUND_CALIBRATION, /* from the camera alone */
  GST_STX_GROUND_ESTIMATE,    /* from each frame; the camera's line, if known, is the first guess */
} GstStxGround;

#define GST_TYPE_STX_GROUND (gst_stx_ground_get_type())
GType gst_stx_ground_get_type(void);

/* Zero it, then _reset for every new stream. */
typedef struct {
  StxRoadLine line;
  gboolean known;    /* `line` holds something, */
  gboolean seen;     /* and that from a frame, not from the camera */
  gboolean estimate; /* it is to be followed from frame to frame */
  guint misses;      /* frames in a row in which nothing was found */
} GstStxRoad;

/*
 * Begins a stream. FALSE when `ground` is CALIBRATION and the camera lacks a number; `error` says
 * which. The line is known at once if the camera predicts it.
 */
gboolean gst_stx_road_reset(
    GstStxRoad *road, GstStxGround ground, const StxCamera *camera, StxError *error);

/*
 * The line of this frame, or NULL if none was ever found. `scratch` has room for
 * stx_roadline_scratch (grid) bytes.
 *
 * An estimate is searched near the line so far, the camera's to begin with, which keeps it from
 * jumping to a wall or a kerb. The first one counts as it is; later ones move the line half of
 * the way: one frame is noisy (few cells, one bump), and the horizon of a driving car swings
 * within a few frames. A frame in which nothing is found keeps the line; ten of them in a row,
 * and the next one is searched everywhere.
 */
const StxRoadLine *gst_stx_road_follow(
    GstStxRoad *road, const StxGrid *grid, const void *columns, void *scratch);

G_END_DECLS

#endif
