/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The views of street-scene-src: the caps of each, room for a frame of it, and the frame itself. */
#ifndef GST_STX_SCENEVIEWS_H
#define GST_STX_SCENEVIEWS_H

#include <gst/video/video.h>

#include "gst/stixels/mediatypes.h"
#include "gst/settings/scenesettings.h"

G_BEGIN_DECLS

/* What the views give, bare: for the pad template. */
#define GST_STREET_SCENE_CAPS                                                                      \
  "video/x-raw, format = (string) { RGB, GRAY8, GRAY16_LE }, "                                     \
  "width = (int) [ 1, 8192 ], height = (int) [ 1, 8192 ], "                                        \
  "framerate = (fraction) [ 1/2147483647, 2147483647/1 ]; " GST_STX_LIDAR_MEDIA_TYPE               \
  "; " GST_STX_POINT_LABELS_MEDIA_TYPE

gboolean gst_street_scene_view_is_lidar(GstStreetSceneView view);

/* All that the view gives. */
GstCaps *gst_street_scene_view_caps(GstStreetSceneView view);

/* One of the caps (transfer full), which come from gst_street_scene_view_caps(): KITTI's rate and
 * size, or KITTI's shape where one side is given, with the camera. */
GstCaps *gst_street_scene_view_fixate(const GstStreetSceneSettings *settings, GstCaps *caps);

/* Fixed caps as a GstVideoInfo; of scans it has the rate only, and size 0. FALSE if they are not of
 * this view. */
gboolean gst_street_scene_view_info(
    GstStreetSceneView view, const GstCaps *caps, GstVideoInfo *info);

/* In decide_allocation, before the parent's. */
gboolean gst_street_scene_view_decide(
    GstStreetSceneView view, const StxSceneLidar *lidar, GstQuery *query);

/* Writes the scene's frame into a buffer of that pool; a scan shortens it. */
gboolean gst_street_scene_view_write(GstStreetSceneView view, StxScene *scene,
    const GstVideoInfo *info, const StxSceneLidar *lidar, GstBuffer *buffer, StxError *error);

G_END_DECLS

#endif
