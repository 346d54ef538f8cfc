/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/formats/camera.h"

#include "gst/shared/element.h"

#include <math.h>

/* ---- Fields -------------------------------------------------------------------------------- */

static const StxField calibration_fields[] = {
    {"calibration", "Calibration file",
        "KITTI calib.txt or Cityscapes camera.json of the stereo pair",
        STX_FIELD(TEXT, GstStxCameraSettings, calibration)},
    {"calibration-pair", "Calibration pair",
        "Left camera of the pair in a KITTI file: 0 = gray pair, 2 = colour pair, -1 = colour "
        "pair if the file has one",
        STX_FIELD(INT, GstStxCameraSettings, pair), .low = -1, .high = 2},
};
static const GstStxCameraSettings calibration_defaults = {.pair = -1};
const StxFields gst_stx_calibration_fields = {
    STX_FIELDS_OF(calibration_fields), &calibration_defaults};

#define NUMBER(member, least, most) STX_FIELD(DOUBLE, StxCamera, member), .low = least, .high = most

static const StxField fields[] = {
    {"focal", "Focal length", "Focal length in pixels (0 = from calibration or caps)",
        NUMBER(focal, 0, 1e6), .unit = "px"},
    {"cx", "Principal point x",
        "Principal point in pixels from the centre of the top left pixel (0 = from calibration or "
        "caps)",
        NUMBER(cx, -1e6, 1e6), .unit = "px"},
    {"cy", "Principal point y",
        "Principal point in pixels from the centre of the top left pixel (0 = from calibration or "
        "caps)",
        NUMBER(cy, -1e6, 1e6), .unit = "px"},
    {"baseline", "Baseline", "Distance of the two cameras in metres (0 = from calibration or caps)",
        NUMBER(baseline, 0, 1e3), .unit = "m"},
    {"camera-height", "Camera height",
        "Height of the camera above the road in metres (0 = from calibration or caps)",
        NUMBER(height, 0, 1e3), .unit = "m"},
    {"camera-pitch", "Camera pitch",
        "Pitch in radians, positive looks down (0 = from calibration or caps)",
        NUMBER(pitch, -G_PI / 2, G_PI / 2), .unit = "rad"},
};
static const StxCamera defaults = {0};
const StxFields gst_stx_camera_fields = {STX_FIELDS_OF(fields), &defaults};

/* The same in caps. */
static const gchar *const caps_fields[G_N_ELEMENTS(fields)] = {
    "camera-focal", "camera-cx", "camera-cy", "camera-baseline", "camera-height", "camera-pitch"};

/* Where `from` has a number, it replaces that of `camera`. */
static void override(StxCamera *camera, const StxCamera *from)
{
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
    if (stx_field_get(&fields[i], from) != 0)
      stx_field_set(&fields[i], camera, stx_field_get(&fields[i], from));
}

/* ---- Caps ---------------------------------------------------------------------------------- */

gboolean gst_stx_camera_from_caps(const GstCaps *caps, StxCamera *camera)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  gboolean any = FALSE;

  *camera = (StxCamera){0};
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    gdouble value;

    if (!gst_structure_get_double(structure, caps_fields[i], &value))
      continue;
    /* Somebody else's caps: a number outside of the range says nothing. */
    if (!isfinite(value) || value < fields[i].low || value > fields[i].high)
      continue;
    stx_field_set(&fields[i], camera, value);
    any = TRUE;
  }
  return any;
}

void gst_stx_camera_to_structure(const StxCamera *camera, GstStructure *structure)
{
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    gdouble value = stx_field_get(&fields[i], camera);

    if (value != 0)
      gst_structure_set(structure, caps_fields[i], G_TYPE_DOUBLE, value, NULL);
    else
      gst_structure_remove_field(structure, caps_fields[i]);
  }
}

/* ---- Properties ---------------------------------------------------------------------------- */

void gst_stx_camera_settings_init(GstStxCameraSettings *settings)
{
  *settings = calibration_defaults;
}

void gst_stx_camera_settings_clear(GstStxCameraSettings *settings)
{
  g_clear_pointer(&settings->calibration, g_free);
}

gboolean gst_stx_camera_settings_load(GstStxCameraSettings *settings, GstElement *element)
{
  StxCamera camera = {0};
  StxError error = {""};
  gboolean loaded = TRUE;
  gchar *path;
  gint pair;

  GST_OBJECT_LOCK(element);
  path = g_strdup(settings->calibration);
  pair = settings->pair;
  GST_OBJECT_UNLOCK(element);

  if (path != NULL && path[0] != '\0')
    loaded = stx_camera_load(path, pair, &camera, &error);
  g_free(path);
  if (!loaded) {
    GST_STX_ELEMENT_ERROR(element, RESOURCE, OPEN_READ, &error);
    return FALSE;
  }
  GST_OBJECT_LOCK(element);
  settings->file = camera;
  GST_OBJECT_UNLOCK(element);
  return TRUE;
}

StxCamera gst_stx_camera_settings_apply(const GstStxCameraSettings *settings, const GstCaps *caps)
{
  StxCamera camera = {0};

  if (caps != NULL)
    gst_stx_camera_from_caps(caps, &camera);
  override(&camera, &settings->file);
  override(&camera, &settings->single);
  return camera;
}
