/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/formats/mount.h"

#include "gst/shared/element.h"

#include <math.h>
#include <string.h>

/* ---- Caps ---------------------------------------------------------------------------------- */

void gst_stx_mount_to_structure(const StxMount *mount, GstStructure *structure)
{
  for (gsize i = 0; i < stx_mount_fields.count; i++)
    gst_structure_set(structure, stx_mount_fields.fields[i].name, G_TYPE_DOUBLE,
        stx_field_get(&stx_mount_fields.fields[i], mount), NULL);
}

/* Written by hand, a double is easily an int. */
static gboolean get_number(const GstStructure *structure, const gchar *name, gdouble *number)
{
  gint whole;

  if (gst_structure_get_double(structure, name, number))
    return TRUE;
  if (!gst_structure_get_int(structure, name, &whole))
    return FALSE;
  *number = whole;
  return TRUE;
}

gboolean gst_stx_mount_from_caps(const GstCaps *caps, StxMount *mount)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  gboolean any = FALSE;

  *mount = (StxMount){0};
  for (gsize i = 0; i < stx_mount_fields.count; i++) {
    const StxField *field = &stx_mount_fields.fields[i];
    gdouble value;

    if (!get_number(structure, field->name, &value) || !isfinite(value) || value < field->low ||
        value > field->high)
      continue;
    stx_field_set(field, mount, value);
    any = TRUE;
  }
  return any;
}

/* ---- Properties ---------------------------------------------------------------------------- */

gboolean gst_stx_mount_settings_load(
    GstStxMountSettings *settings, const GstStxCameraSettings *camera, GstElement *element)
{
  StxMountFile found = STX_MOUNT_MISSING;
  gdouble matrix[12] = {0};
  StxError error;
  gchar *path;
  gint pair;

  GST_OBJECT_LOCK(element);
  path = g_strdup(camera->calibration);
  pair = camera->pair;
  GST_OBJECT_UNLOCK(element);
  if (path != NULL && path[0] != '\0')
    found = stx_mount_load(path, pair, matrix, &error);
  g_free(path);
  GST_OBJECT_LOCK(element);
  settings->has_file = found == STX_MOUNT_FOUND;
  memcpy(settings->file, matrix, sizeof(matrix));
  GST_OBJECT_UNLOCK(element);
  if (found == STX_MOUNT_FAILED)
    GST_STX_ELEMENT_ERROR(element, RESOURCE, OPEN_READ, &error);
  return found != STX_MOUNT_FAILED;
}

static gboolean is_given(const StxMount *mount)
{
  static const StxMount nowhere;

  return memcmp(mount, &nowhere, sizeof(nowhere)) != 0;
}

gboolean gst_stx_mount_settings_apply(
    const GstStxMountSettings *settings, const GstCaps *caps, gdouble matrix[12], StxError *error)
{
  StxMount mount = settings->single;

  if (!is_given(&mount) && settings->has_file) {
    memcpy(matrix, settings->file, sizeof(settings->file));
    return TRUE;
  }
  if (!is_given(&mount) && (caps == NULL || !gst_stx_mount_from_caps(caps, &mount)))
    return stx_fail(error,
        "where the LiDAR stands is not known: set calibration=FILE (KITTI's calib.txt with a line "
        "Tr:), or sensor-x, sensor-y, sensor-z, sensor-roll, sensor-pitch, sensor-yaw here or in "
        "the caps of the scan");
  if (!stx_mount_check(&mount, error))
    return FALSE;
  stx_mount_matrix(&mount, matrix);
  return TRUE;
}
