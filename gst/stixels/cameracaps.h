/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The camera in caps. Fields, each present only where known: camera-focal, camera-cx, camera-cy
 * (pixels), camera-baseline, camera-height (metres), camera-pitch (radians), all double;
 * camera-image-width and camera-image-height, int: the image for which the pixels hold. Scalers and
 * croppers copy all of them as they are, so elements compare that size with the
 * stream's.
 */
#ifndef GST_STX_CAMERA_CAPS_H
#define GST_STX_CAMERA_CAPS_H

#include "gst/stixels/api.h"

#include "common/camera.h"

G_BEGIN_DECLS

/**
 * gst_stx_camera_from_caps:
 * @caps: caps that are not empty
 * @camera: (out caller-allocates): where to put it
 *
 * Reads the fields of the first structure. What is missing there, or out of its range, is 0, and
 * `missing`; of a size of which one side only is known, neither is.
 */
GST_STX_API void gst_stx_camera_from_caps(const GstCaps *caps, StxCamera *camera);

/**
 * gst_stx_camera_to_structure:
 * @camera: a camera
 * @structure: a structure of writable caps
 *
 * Sets the fields that are known and removes the others.
 */
GST_STX_API void gst_stx_camera_to_structure(const StxCamera *camera, GstStructure *structure);

G_END_DECLS

#endif
