/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of street-scene-src: which street, which view, which camera or LiDAR. */
#ifndef GST_STX_SCENESETTINGS_H
#define GST_STX_SCENESETTINGS_H

#include <gst/gst.h>

#include "common/calibration/calibration.h"
#include "common/scene/scene.h"
#include "gst/formats/camera.h"

G_BEGIN_DECLS

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

/* What the properties, then the caps, say of the camera; the rest as stx_scene_camera() has it for
 * this size. Of real cameras it is that of the rectified pair. FALSE and `note`:
 * gst_stx_camera_settings_apply(). The caller holds the object lock, or a copy. */
gboolean gst_street_scene_camera(const GstStreetSceneSettings *settings, const GstCaps *caps,
    gint width, gint height, StxCamera *camera, StxError *note);

G_END_DECLS

#endif
