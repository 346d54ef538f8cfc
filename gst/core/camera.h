/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The camera on its way through a pipeline: as fields of the caps (gst/stixels/cameracaps.h), as a
 * file, as properties.
 *
 * Properties of an element that needs the camera: calibration (a file), calibration-pair, focal,
 * cx, cy, baseline, camera-height, camera-pitch, and of what image they speak (camera-image-width,
 * camera-image-height, camera-crop-left …). What counts, from the strongest: a single property
 * that was set, the file, the caps.
 */
#pragma once

#include "common/camera_fields.h"
#include "gst/core/extrinsics.h"
#include "gst/core/properties.h"
#include "gst/stixels/cameracaps.h"

/* ---- Properties ---------------------------------------------------------------------------- */

/* Embedded in an element, guarded by its object lock. Zero it, then _init. */
typedef struct {
  gchar *calibration; /* file name, owned; NULL: none */
  gint pair;          /* -1, 0 or 2: which cameras of a KITTI file, see stx_camera_load */
  StxCamera single;   /* single properties; 0 or missing: not given */
  StxCamera file;     /* what `calibration` said; valid after _load */
  gint image_width, image_height;  /* for which file and single properties hold; 0: not given */
  gint left, right, top, bottom;   /* pixels that were cut off since */
  GstStxExtrinsicsSettings sensor; /* of elements that draw or use scans beside pictures */
} GstStxCameraSettings;

void gst_stx_camera_settings_init(GstStxCameraSettings *settings);
void gst_stx_camera_settings_clear(GstStxCameraSettings *settings); /* in finalize */

/* The groups (properties.h) of an element whose GstStxCameraSettings are `member`; the second for
 * those that get images from elsewhere. */
extern const StxFields gst_stx_calibration_fields, gst_stx_image_fields;
#define GST_STX_CAMERA_PROPERTIES(Element, member)                                                 \
  {&gst_stx_calibration_fields, offsetof(Element, member), GST_PARAM_MUTABLE_READY, NULL},         \
  {                                                                                                \
    &stx_camera_fields, offsetof(Element, member.single), GST_PARAM_MUTABLE_READY, NULL            \
  }
#define GST_STX_CAMERA_IMAGE_PROPERTIES(Element, member)                                           \
  {                                                                                                \
    &gst_stx_image_fields, offsetof(Element, member), GST_PARAM_MUTABLE_READY, NULL                \
  }

/*
 * In start: reads the file, if one is given, and what it says of the sensor of scans, too, if
 * `sensor`. FALSE after it posted an element error that names the file and what is wrong with it.
 * Takes the element's object lock itself.
 */
gboolean gst_stx_camera_settings_load(
    GstStxCameraSettings *settings, gboolean sensor, GstElement *element);

/* The content of a stream: pictures, which may have been scaled since their caps got the camera;
 * what was computed from them, which cannot; or pictures that are made for this camera. */
typedef enum {
  GST_STX_CAMERA_OF_PICTURES,
  GST_STX_CAMERA_OF_DATA,
  GST_STX_CAMERA_OF_SCENE
} GstStxCameraUse;

/*
 * The camera that counts for a stream of these caps (may be NULL) and of width × height pixels, to
 * whose size it is brought. All 0 and missing: unknown. FALSE, with the reason and the cure in
 * `note`, where it is that of another image. Else `note` says what the user should be told
 * (gst_stx_camera_tell), or is empty. The caller holds the object lock of the settings' element.
 */
gboolean gst_stx_camera_settings_apply(const GstStxCameraSettings *settings, const GstCaps *caps,
    GstStxCameraUse use, gint width, gint height, StxCamera *camera, StxError *note);

/* Posts the note, if there is any, as a warning of the element: once in its life, not for every
 * stream. Not under the object lock. */
void gst_stx_camera_tell(GstElement *element, const StxError *note);
