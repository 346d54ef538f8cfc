/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststreetscenesettings.h"

#include "gst/gststxutil.h"

#define DEFAULT_SPEED 10.0
#define DEFAULT_NOISE 1.2

enum { PROP_VIEW = GST_STX_PROP_OWN, PROP_SEED, PROP_FIRST_FRAME, PROP_SPEED, PROP_NOISE };

#define TYPE_VIEW (view_get_type())
static GType view_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {GST_STREET_SCENE_LEFT, "Picture of the left camera", "left"},
      {GST_STREET_SCENE_RIGHT, "Picture of the right camera", "right"},
      {GST_STREET_SCENE_DISPARITY, "Disparity of the left picture, 1/256 pixels, 0 = sky",
          "disparity"},
      {GST_STREET_SCENE_SEMANTICS, "Classes of the left picture, Cityscapes train ids",
          "semantics"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStreetSceneSrcView", values));
  return type;
}

void gst_street_scene_install_properties(GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property(klass, PROP_VIEW,
      g_param_spec_enum(
          "view", "View", "What to produce", TYPE_VIEW, GST_STREET_SCENE_LEFT, flags));
  g_object_class_install_property(
      klass, PROP_SEED, g_param_spec_uint("seed", "Seed", "Which street", 0, G_MAXUINT, 0, flags));
  g_object_class_install_property(klass, PROP_FIRST_FRAME,
      g_param_spec_uint("first-frame", "First frame",
          "Frame of the drive that is shown at stream time 0", 0, G_MAXUINT, 0, flags));
  g_object_class_install_property(klass, PROP_SPEED,
      g_param_spec_double("speed", "Speed", "Speed of the car that carries the camera, m/s", 0, 100,
          DEFAULT_SPEED, flags));
  g_object_class_install_property(klass, PROP_NOISE,
      g_param_spec_double("noise", "Sensor noise",
          "Standard deviation of the noise in the pictures, grey levels; independent in left and "
          "right",
          0, 32, DEFAULT_NOISE, flags));
  g_object_class_install_property(klass, GST_STX_PROP_THREADS,
      g_param_spec_int(
          "threads", "Threads", "Threads that render, 0 = one per core", 0, 256, 0, flags));
  gst_stx_camera_install_properties(klass);
  gst_type_mark_as_plugin_api(TYPE_VIEW, 0);
}

void gst_street_scene_settings_init(GstStreetSceneSettings *settings)
{
  *settings = (GstStreetSceneSettings){.params = {.speed = DEFAULT_SPEED, .noise = DEFAULT_NOISE}};
  gst_stx_camera_settings_init(&settings->camera);
}

void gst_street_scene_settings_clear(GstStreetSceneSettings *settings)
{
  gst_stx_camera_settings_clear(&settings->camera);
}

gboolean gst_street_scene_set_property(
    GstStreetSceneSettings *settings, guint id, const GValue *value)
{
  switch (id) {
  case PROP_VIEW:
    settings->view = (GstStreetSceneView)g_value_get_enum(value);
    break;
  case PROP_SEED:
    settings->params.seed = g_value_get_uint(value);
    break;
  case PROP_FIRST_FRAME:
    settings->first_frame = g_value_get_uint(value);
    break;
  case PROP_SPEED:
    settings->params.speed = g_value_get_double(value);
    break;
  case PROP_NOISE:
    settings->params.noise = g_value_get_double(value);
    break;
  case GST_STX_PROP_THREADS:
    settings->params.threads = g_value_get_int(value);
    break;
  default:
    return gst_stx_camera_set_property(&settings->camera, id, value);
  }
  return TRUE;
}

gboolean gst_street_scene_get_property(
    const GstStreetSceneSettings *settings, guint id, GValue *value)
{
  switch (id) {
  case PROP_VIEW:
    g_value_set_enum(value, (gint)settings->view);
    break;
  case PROP_SEED:
    g_value_set_uint(value, (guint)settings->params.seed);
    break;
  case PROP_FIRST_FRAME:
    g_value_set_uint(value, settings->first_frame);
    break;
  case PROP_SPEED:
    g_value_set_double(value, settings->params.speed);
    break;
  case PROP_NOISE:
    g_value_set_double(value, settings->params.noise);
    break;
  case GST_STX_PROP_THREADS:
    g_value_set_int(value, settings->params.threads);
    break;
  default:
    return gst_stx_camera_get_property(&settings->camera, id, value);
  }
  return TRUE;
}

GstCaps *gst_street_scene_view_caps(GstStreetSceneView view, const GstCaps *template)
{
  static const char *const formats[][2] = {
      [GST_STREET_SCENE_LEFT] = {"RGB", "GRAY8"},
      [GST_STREET_SCENE_RIGHT] = {"RGB", "GRAY8"},
      [GST_STREET_SCENE_DISPARITY] = {"GRAY16_LE", NULL},
      [GST_STREET_SCENE_SEMANTICS] = {"GRAY8", NULL},
  };
  GstCaps *caps = gst_caps_copy(template);
  GValue list = G_VALUE_INIT, format = G_VALUE_INIT;

  gst_value_list_init(&list, 2);
  g_value_init(&format, G_TYPE_STRING);
  for (gsize i = 0; i < 2 && formats[view][i] != NULL; i++) {
    g_value_set_static_string(&format, formats[view][i]);
    gst_value_list_append_value(&list, &format);
  }
  gst_caps_set_value(caps, "format", &list);
  g_value_unset(&list);
  g_value_unset(&format);
  return caps;
}

StxCamera gst_street_scene_camera(
    const GstStreetSceneSettings *settings, const GstCaps *caps, gint width, gint height)
{
  StxCamera usual = stx_scene_camera(width, height);
  StxCamera camera = gst_stx_camera_settings_apply(&settings->camera, caps);

  camera.focal = camera.focal != 0 ? camera.focal : usual.focal;
  camera.cx = camera.cx != 0 ? camera.cx : usual.cx;
  camera.cy = camera.cy != 0 ? camera.cy : usual.cy;
  camera.baseline = camera.baseline != 0 ? camera.baseline : usual.baseline;
  camera.height = camera.height != 0 ? camera.height : usual.height;
  return camera;
}
