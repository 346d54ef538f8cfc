/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/core/extrinsics.h"

#include <math.h>
#include <string.h>

#include "gst/stixels/number_private.h"

/* ---- Caps ---------------------------------------------------------------------------------- */

void gst_stx_extrinsics_to_structure(const StxExtrinsics *extrinsics, GstStructure *structure)
{
  for (gsize i = 0; i < stx_extrinsics_fields.count; i++)
    gst_structure_set(structure, stx_extrinsics_fields.fields[i].name, G_TYPE_DOUBLE,
        stx_field_get(&stx_extrinsics_fields.fields[i], extrinsics), NULL);
}

gboolean gst_stx_extrinsics_from_caps(const GstCaps *caps, StxExtrinsics *extrinsics)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  gboolean any = FALSE;

  *extrinsics = (StxExtrinsics){0};
  for (gsize i = 0; i < stx_extrinsics_fields.count; i++) {
    const StxField *field = &stx_extrinsics_fields.fields[i];
    gdouble value;

    if (!gst_stx_get_number(structure, field->name, &value) || !isfinite(value) ||
        value < field->low || value > field->high)
      continue;
    stx_field_set(field, extrinsics, value);
    any = TRUE;
  }
  return any;
}

/* ---- Properties ---------------------------------------------------------------------------- */

gboolean gst_stx_extrinsics_settings_load(
    GstStxExtrinsicsSettings *settings, const gchar *path, gint pair, StxError *error)
{
  StxExtrinsicsFile found = stx_extrinsics_load(path, pair, settings->file, error);

  settings->has_file = found == STX_EXTRINSICS_FOUND;
  return found != STX_EXTRINSICS_FAILED;
}

static gboolean is_given(const StxExtrinsics *extrinsics)
{
  static const StxExtrinsics nowhere;

  return memcmp(extrinsics, &nowhere, sizeof(nowhere)) != 0;
}

gboolean gst_stx_extrinsics_settings_apply(const GstStxExtrinsicsSettings *settings,
    const GstCaps *caps, gdouble matrix[12], StxError *error)
{
  StxExtrinsics extrinsics = settings->single;

  if (!is_given(&extrinsics) && settings->has_file) {
    memcpy(matrix, settings->file, sizeof(settings->file));
    return TRUE;
  }
  if (!is_given(&extrinsics) && (caps == NULL || !gst_stx_extrinsics_from_caps(caps, &extrinsics)))
    return stx_fail(error,
        "where the LiDAR stands is not known: set calibration=FILE (KITTI's calib.txt with a line "
        "Tr:), or sensor-x, sensor-y, sensor-z, sensor-roll, sensor-pitch, sensor-yaw here or in "
        "the caps of the scan");
  if (!stx_extrinsics_check(&extrinsics, error))
    return FALSE;
  stx_extrinsics_matrix(&extrinsics, matrix);
  return TRUE;
}
