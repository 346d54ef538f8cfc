/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of street-scene-src: which street, which view, which camera or LiDAR. */
#ifndef GST_STREET_SCENE_SETTINGS_H
#define GST_STREET_SCENE_SETTINGS_H

#include <gst/gst.h>

#include "common/scene.h"
#include "gst/gststxcamera.h"

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
  StxSceneParams params; /* seed, speed, noise, threads; the rest comes with the caps */
  guint first_frame;
  StxSceneLidar lidar;
  GstStxCameraSettings camera;
} GstStreetSceneSettings;

void gst_street_scene_settings_init(GstStreetSceneSettings *settings);
void gst_street_scene_settings_clear(GstStreetSceneSettings *settings); /* in finalize */

/* In class_init: adds the properties. */
void gst_street_scene_install_properties(GObjectClass *klass);

/* TRUE if `id` was one of them. The caller holds the object lock. */
gboolean gst_street_scene_set_property(
    GstStreetSceneSettings *settings, guint id, const GValue *value);
gboolean gst_street_scene_get_property(GstStreetSceneSettings *settings, guint id, GValue *value);

/* What the properties, then the caps, say of the camera; the rest as stx_scene_camera() has it for
 * this size. The caller holds the object lock. */
StxCamera gst_street_scene_camera(
    const GstStreetSceneSettings *settings, const GstCaps *caps, gint width, gint height);

G_END_DECLS

#endif
