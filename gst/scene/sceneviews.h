/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The views of street-scene-src: its properties (which street, which view, which camera or LiDAR),
 * and of each view the caps, the size of a frame, and the frame itself. */
#pragma once

#include <gst/video/video.h>

#include "common/calibration/calibration.h"
#include "common/scene/scene.h"
#include "gst/core/camera.h"
#include "gst/stixels/mediatypes.h"

/* ---- Properties ---------------------------------------------------------------------------- */

typedef enum {
  GST_STREET_SCENE_LEFT,
  GST_STREET_SCENE_RIGHT,
  GST_STREET_SCENE_DISPARITY,
  GST_STREET_SCENE_SEMANTICS,
  GST_STREET_SCENE_LIDAR,
  GST_STREET_SCENE_LIDAR_LABELS,
} GstStreetSceneView;

/* Embedded in the element, guarded by its object lock. */
typedef struct {
  GstStreetSceneView view;
  StxSceneParams params; /* speed, noise, threads; the rest comes with the caps */
  guint seed, first_frame;
  guint64 skipped;     /* frames, since the start */
  StxSceneLidar lidar; /* but its field of view: see gst_street_scene_lidar */
  GstStxCameraSettings camera;
  gchar *lens_calibration; /* file name, owned; NULL: none */
  StxCalibration real;     /* what it said, if is_real: valid after _load */
  gboolean is_real;
} GstStreetSceneSettings;

void gst_street_scene_settings_init(GstStreetSceneSettings *settings);
void gst_street_scene_settings_clear(GstStreetSceneSettings *settings); /* in finalize */

/* The groups (properties.h) of an element whose GstStreetSceneSettings are `member`. */
extern const StxFields gst_street_scene_fields;
#define GST_STREET_SCENE_PROPERTIES(Element, member)                                               \
  GST_STX_CAMERA_PROPERTIES(Element, member.camera),                                               \
      {&stx_scene_fields, offsetof(Element, member.params), GST_PARAM_MUTABLE_READY, NULL},        \
      {&stx_scene_lidar_fields, offsetof(Element, member.lidar), GST_PARAM_MUTABLE_READY, NULL},   \
  {                                                                                                \
    &gst_street_scene_fields, offsetof(Element, member), GST_PARAM_MUTABLE_READY,                  \
        "GstStreetSceneSrc"                                                                        \
  }

/* In start: reads the files. FALSE after it posted an element error. Takes the object lock. */
gboolean gst_street_scene_settings_load(GstStreetSceneSettings *settings, GstElement *element);

/* The LiDAR; its number of beams says the field of view, too. */
StxSceneLidar gst_street_scene_lidar(const GstStreetSceneSettings *settings);

/* Returns the camera by the properties, then by the caps, else by stx_scene_camera() for this size;
 * with real cameras, that of the rectified pair. FALSE and `note`: gst_stx_camera_settings_apply().
 * The caller holds the object lock, or a copy. */
gboolean gst_street_scene_camera(const GstStreetSceneSettings *settings, const GstCaps *caps,
    gint width, gint height, StxCamera *camera, StxError *note);

/* ---- Views --------------------------------------------------------------------------------- */

/* Caps of the views, for the pad template. */
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

/* Decides the allocation; call it in decide_allocation, before the parent's. */
gboolean gst_street_scene_view_decide(
    GstStreetSceneView view, const StxSceneLidar *lidar, GstQuery *query);

/* Writes the scene's frame into a buffer of that pool; a scan shortens it. */
gboolean gst_street_scene_view_write(GstStreetSceneView view, StxScene *scene,
    const GstVideoInfo *info, const StxSceneLidar *lidar, GstBuffer *buffer, StxError *error);
