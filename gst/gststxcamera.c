/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxcamera.h"

#include "gst/gststxutil.h"

#include <math.h>

enum { PROP_CALIBRATION = GST_STX_PROP_CAMERA, PROP_PAIR, PROP_FIRST_FIELD };

/* One row per number of the camera: its caps field and its property, in the order of their ids. */
typedef struct {
  const gchar *field, *property, *nick, *blurb;
  gsize offset;
  gdouble min, max;
} CameraField;

static const CameraField fields[] = {
    {"camera-focal", "focal", "Focal length",
        "Focal length in pixels (0 = from calibration or caps)", offsetof(StxCamera, focal), 0,
        1e6},
    {"camera-cx", "cx", "Principal point x",
        "Principal point in pixels from the centre of the top left pixel (0 = from calibration or "
        "caps)",
        offsetof(StxCamera, cx), -1e6, 1e6},
    {"camera-cy", "cy", "Principal point y",
        "Principal point in pixels from the centre of the top left pixel (0 = from calibration or "
        "caps)",
        offsetof(StxCamera, cy), -1e6, 1e6},
    {"camera-baseline", "baseline", "Baseline",
        "Distance of the two cameras in metres (0 = from calibration or caps)",
        offsetof(StxCamera, baseline), 0, 1e3},
    {"camera-height", "camera-height", "Camera height",
        "Height of the camera above the road in metres (0 = from calibration or caps)",
        offsetof(StxCamera, height), 0, 1e3},
    {"camera-pitch", "camera-pitch", "Camera pitch",
        "Pitch in radians, positive looks down (0 = from calibration or caps)",
        offsetof(StxCamera, pitch), -G_PI / 2, G_PI / 2},
};

static gdouble get_number(const StxCamera *camera, const CameraField *field)
{
  return *(const gdouble *)((const gchar *)camera + field->offset);
}

static void set_number(StxCamera *camera, const CameraField *field, gdouble value)
{
  *(gdouble *)((gchar *)camera + field->offset) = value;
}

/* Where `from` has a number, it replaces that of `camera`. */
static void override(StxCamera *camera, const StxCamera *from)
{
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
    if (get_number(from, &fields[i]) != 0)
      set_number(camera, &fields[i], get_number(from, &fields[i]));
}

/* ---- Caps ---------------------------------------------------------------------------------- */

gboolean gst_stx_camera_from_caps(const GstCaps *caps, StxCamera *camera)
{
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  gboolean any = FALSE;

  *camera = (StxCamera){0};
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    gdouble value;

    if (!gst_structure_get_double(structure, fields[i].field, &value))
      continue;
    /* Somebody else's caps: a number outside of the range says nothing. */
    if (!isfinite(value) || value < fields[i].min || value > fields[i].max)
      continue;
    set_number(camera, &fields[i], value);
    any = TRUE;
  }
  return any;
}

void gst_stx_camera_to_structure(const StxCamera *camera, GstStructure *structure)
{
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    gdouble value = get_number(camera, &fields[i]);

    if (value != 0)
      gst_structure_set(structure, fields[i].field, G_TYPE_DOUBLE, value, NULL);
    else
      gst_structure_remove_field(structure, fields[i].field);
  }
}

/* ---- Properties ---------------------------------------------------------------------------- */

void gst_stx_camera_settings_init(GstStxCameraSettings *settings)
{
  *settings = (GstStxCameraSettings){.pair = -1};
}

void gst_stx_camera_settings_clear(GstStxCameraSettings *settings)
{
  g_clear_pointer(&settings->calibration, g_free);
}

void gst_stx_camera_install_properties(GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property(klass, PROP_CALIBRATION,
      g_param_spec_string("calibration", "Calibration file",
          "KITTI calib.txt or Cityscapes camera.json of the stereo pair", NULL, flags));
  g_object_class_install_property(klass, PROP_PAIR,
      g_param_spec_int("calibration-pair", "Calibration pair",
          "Left camera of the pair in a KITTI file: 0 = gray pair, 2 = colour pair, -1 = colour "
          "pair if the file has one",
          -1, 2, -1, flags));
  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
    g_object_class_install_property(klass, PROP_FIRST_FIELD + i,
        g_param_spec_double(fields[i].property, fields[i].nick, fields[i].blurb, fields[i].min,
            fields[i].max, 0, flags));
}

gboolean gst_stx_camera_set_property(GstStxCameraSettings *settings, guint id, const GValue *value)
{
  if (id == PROP_CALIBRATION) {
    g_free(settings->calibration);
    settings->calibration = g_value_dup_string(value);
  } else if (id == PROP_PAIR) {
    settings->pair = g_value_get_int(value);
  } else if (id >= PROP_FIRST_FIELD && id < PROP_FIRST_FIELD + G_N_ELEMENTS(fields)) {
    set_number(&settings->single, &fields[id - PROP_FIRST_FIELD], g_value_get_double(value));
  } else {
    return FALSE;
  }
  return TRUE;
}

gboolean gst_stx_camera_get_property(const GstStxCameraSettings *settings, guint id, GValue *value)
{
  if (id == PROP_CALIBRATION)
    g_value_set_string(value, settings->calibration);
  else if (id == PROP_PAIR)
    g_value_set_int(value, settings->pair);
  else if (id >= PROP_FIRST_FIELD && id < PROP_FIRST_FIELD + G_N_ELEMENTS(fields))
    g_value_set_double(value, get_number(&settings->single, &fields[id - PROP_FIRST_FIELD]));
  else
    return FALSE;
  return TRUE;
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
