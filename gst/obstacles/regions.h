/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Obstacles as what programs for video analytics already read:
 *
 *   GstVideoRegionOfInterestMeta  one per obstacle, in pixels of the frame. roi_type is the class
 *                                 ("car"; "obstacle" without one). Parameters, as DL Streamer's
 *                                 elements expect them: detection (x_min, y_min, x_max, y_max in
 *                                 parts of the frame, confidence, label_id) and object_id (id);
 *                                 and stx-obstacle with what is in metres, and as its label the
 *                                 distance, which DL Streamer's gvawatermark writes on the box
 *   GstAnalyticsRelationMeta      in a build with GStreamer 1.24 or newer: one per frame, with a
 *                                 detection for each of them. A detection relates to a
 *                                 classification, "car 8.3 m", which GStreamer's
 *                                 objectdetectionoverlay writes on the box, to a second one if its
 *                                 state is known, "standing", "moving" or "oncoming", and, if it
 *                                 is followed, to what is tracked. The id of a region is then that
 *                                 of its detection, as DL Streamer has it; else that of the
 *                                 obstacle
 *   GstAnalytics3DODMtd           of DL Streamer, if it is loaded in the process: a box in metres
 *                                 for each obstacle of a scan, in such a build
 *
 * docs/elements/stixel-obstacles.md has the fields.
 */
#pragma once

#include "common/obstacles/obstacles.h"
#include "gst/stixels/stixels.h"

/* A frame that gets them. */
typedef struct {
  GstBuffer *buffer;           /* writable */
  gint width, height;          /* pixels */
  StxCamera camera;            /* of the obstacles; set by gst_stx_regions_attach */
  GstClockTime time, duration; /* running time of the frame and how long it lasts; NONE: unknown */
} GstStxRegionsFrame;

/* An obstacle as a structure of this name: `stx-obstacle` above, and messages. Transfer full. */
GstStructure *gst_stx_obstacle_structure(const gchar *name, const StxObstacle *obstacle);

/* Boxes around the points of each obstacle of a scan, of which `frame` needs no size. */
void gst_stx_boxes_attach(const GstStxRegionsFrame *frame, const StxObstaclesResult *result);

/* Attaches them for the obstacles that the frame, of these caps, carries as a meta, in place of
 * what an element before has attached so. Obstacles outside of the frame get none. FALSE, and no
 * obstacle gets any: `error` says why it is unknown where in the frame they are. */
gboolean gst_stx_regions_attach(
    const GstStxRegionsFrame *frame, const GstCaps *caps, GError **error);
