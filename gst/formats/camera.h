/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The camera on its way through a pipeline: as fields of the caps, as a file, as properties.
 *
 * Caps fields, all double and present only where known: camera-focal, camera-cx, camera-cy
 * (pixels of the image), camera-baseline, camera-height (metres), camera-pitch (radians).
 *
 * Properties of an element that needs the camera: calibration (a file), calibration-pair, focal,
 * cx, cy, baseline, camera-height, camera-pitch. What counts, from the strongest: a single
 * property that is not 0, the file, the caps.
 */
#ifndef GST_STX_CAMERA_H
#define GST_STX_CAMERA_H

#include "common/camera.h"
#include "gst/shared/properties.h"

G_BEGIN_DECLS

/* ---- Caps ---------------------------------------------------------------------------------- */

/* Reads the fields of the first structure; what is missing is 0. TRUE if there was any. */
gboolean gst_stx_camera_from_caps(const GstCaps *caps, StxCamera *camera);

/* Sets the fields that are not 0 and removes the others. */
void gst_stx_camera_to_structure(const StxCamera *camera, GstStructure *structure);

/* ---- Properties ---------------------------------------------------------------------------- */

/* Embedded in an element, guarded by its object lock. Zero it, then _init. */
typedef struct {
  gchar *calibration; /* file name, owned; NULL: none */
  gint pair;          /* -1, 0 or 2: which cameras of a KITTI file, see stx_camera_load */
  StxCamera single;   /* single properties; 0: not given */
  StxCamera file;     /* what `calibration` said; valid after _load */
} GstStxCameraSettings;

void gst_stx_camera_settings_init(GstStxCameraSettings *settings);
void gst_stx_camera_settings_clear(GstStxCameraSettings *settings); /* in finalize */

/* The two groups (properties.h) of an element whose GstStxCameraSettings are `member`. */
extern const StxFields gst_stx_calibration_fields, gst_stx_camera_fields;
#define GST_STX_CAMERA_PROPERTIES(Element, member)                                                 \
  {&gst_stx_calibration_fields, offsetof(Element, member), GST_PARAM_MUTABLE_READY, NULL},         \
  {                                                                                                \
    &gst_stx_camera_fields, offsetof(Element, member.single), GST_PARAM_MUTABLE_READY, NULL        \
  }

/*
 * In start: reads the file, if one is given. FALSE after it posted an element error that names
 * the file and what is wrong with it. Takes the element's object lock itself.
 */
gboolean gst_stx_camera_settings_load(GstStxCameraSettings *settings, GstElement *element);

/* The camera that counts for a stream of these caps (may be NULL); all 0: unknown. */
StxCamera gst_stx_camera_settings_apply(const GstStxCameraSettings *settings, const GstCaps *caps);

G_END_DECLS

#endif
