/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pose of a scan's sensor (common/extrinsics/extrinsics.h): as fields of the scan's caps, as a
 * file, as properties. What counts, from the strongest: single properties, if one of them is not 0;
 * the file that the property calibration names, if it says it; the caps.
 */
#pragma once

#include <gst/gst.h>

#include "common/extrinsics/extrinsics.h"

/* Sets sensor-x … sensor-yaw, all double. */
void gst_stx_extrinsics_to_structure(const StxExtrinsics *extrinsics, GstStructure *structure);

/* FALSE: the first structure has none of these fields. What is missing or out of its range is 0. */
gboolean gst_stx_extrinsics_from_caps(const GstCaps *caps, StxExtrinsics *extrinsics);

/* A part of GstStxCameraSettings (camera.h), guarded by the same lock; zero it to begin with. The
 * properties are those of stx_extrinsics_fields for `single`. */
typedef struct {
  StxExtrinsics single;
  gdouble file[12];
  gboolean has_file; /* valid after _load */
} GstStxExtrinsicsSettings;

/* Looks for it in a file with the camera. FALSE with the reason in `error`: it cannot be read. */
gboolean gst_stx_extrinsics_settings_load(
    GstStxExtrinsicsSettings *settings, const gchar *path, gint pair, StxError *error);

/* The matrix for scans of these caps (may be NULL). FALSE, with what is missing and the choices in
 * `error`, if it is unknown. The caller holds the object lock, or a copy. */
gboolean gst_stx_extrinsics_settings_apply(const GstStxExtrinsicsSettings *settings,
    const GstCaps *caps, gdouble matrix[12], StxError *error);
