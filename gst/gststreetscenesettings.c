/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststreetscenesettings.h"

#include "gst/gststxutil.h"

#define DEFAULT_SPEED 10.0
#define DEFAULT_NOISE 1.2
#define DEFAULT_BEAMS 64

enum {
  PROP_VIEW = GST_STX_PROP_OWN,
  PROP_SEED,
  PROP_FIRST_FRAME,
  PROP_SPEED,
  PROP_NOISE,
  PROP_BEAMS,
  PROP_AZIMUTH_STEPS,
  PROP_LIDAR_HEIGHT,
  PROP_LIDAR_NOISE,
  PROP_LIDAR_DROPOUT,
  PROP_LIDAR_ROLL,
  PROP_LIDAR_PITCH
};

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
      {GST_STREET_SCENE_LIDAR, "Scan of a LiDAR on the car's roof: x, y, z, intensity", "lidar"},
      {GST_STREET_SCENE_LIDAR_LABELS, "Labels of the scan's points, SemanticKITTI's encoding",
          "lidar-labels"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStreetSceneSrcView", values));
  return type;
}

static void install_double(GObjectClass *klass, guint id, const char *name, const char *nick,
    const char *blurb, gdouble low, gdouble high, gdouble usual)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  g_object_class_install_property(
      klass, id, g_param_spec_double(name, nick, blurb, low, high, usual, flags));
}

static void install_lidar_properties(GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
  const StxSceneLidar usual = stx_scene_lidar(DEFAULT_BEAMS);

  g_object_class_install_property(klass, PROP_BEAMS,
      g_param_spec_int("beams", "Beams",
          "Beams of the LiDAR; they say its field of view, too: to 16 as a VLP-16, to 32 HDL-32E, "
          "to 64 HDL-64E, above VLS-128",
          1, STX_SCENE_MAX_BEAMS, usual.beams, flags));
  g_object_class_install_property(klass, PROP_AZIMUTH_STEPS,
      g_param_spec_int("azimuth-steps", "Azimuth steps", "Azimuths in one turn of the LiDAR", 1,
          STX_SCENE_MAX_STEPS, usual.steps, flags));
  install_double(klass, PROP_LIDAR_HEIGHT, "lidar-height", "LiDAR height",
      "Height of the LiDAR above the road, metres", .3, 10, usual.height);
  install_double(klass, PROP_LIDAR_NOISE, "lidar-noise", "LiDAR noise",
      "Standard deviation of the LiDAR's range, metres", 0, 1, usual.noise);
  install_double(klass, PROP_LIDAR_DROPOUT, "lidar-dropout", "LiDAR drop-outs",
      "Share of the LiDAR's returns that are lost", 0, 1, usual.dropout);
  install_double(klass, PROP_LIDAR_ROLL, "lidar-roll", "LiDAR roll",
      "Tilt of the LiDAR to the right, degrees", -45, 45, usual.roll);
  install_double(klass, PROP_LIDAR_PITCH, "lidar-pitch", "LiDAR pitch",
      "Tilt of the LiDAR forward and down, degrees", -45, 45, usual.pitch);
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
  install_double(klass, PROP_SPEED, "speed", "Speed",
      "Speed of the car that carries the camera, m/s", 0, 100, DEFAULT_SPEED);
  install_double(klass, PROP_NOISE, "noise", "Sensor noise",
      "Standard deviation of the noise in the pictures, grey levels; independent in left and "
      "right",
      0, 32, DEFAULT_NOISE);
  g_object_class_install_property(klass, GST_STX_PROP_THREADS,
      g_param_spec_int(
          "threads", "Threads", "Threads that render, 0 = one per core", 0, 256, 0, flags));
  gst_stx_camera_install_properties(klass);
  install_lidar_properties(klass);
  gst_type_mark_as_plugin_api(TYPE_VIEW, 0);
}

void gst_street_scene_settings_init(GstStreetSceneSettings *settings)
{
  *settings = (GstStreetSceneSettings){.params = {.speed = DEFAULT_SPEED, .noise = DEFAULT_NOISE},
      .lidar = stx_scene_lidar(DEFAULT_BEAMS)};
  gst_stx_camera_settings_init(&settings->camera);
}

void gst_street_scene_settings_clear(GstStreetSceneSettings *settings)
{
  gst_stx_camera_settings_clear(&settings->camera);
}

/* The number of beams says the field of view, too. */
static void set_beams(StxSceneLidar *lidar, gint beams)
{
  StxSceneLidar usual = stx_scene_lidar(beams);

  lidar->beams = beams;
  lidar->top = usual.top;
  lidar->bottom = usual.bottom;
}

/* Where a property of type double lives; NULL: it is none of ours. */
static gdouble *number_of(GstStreetSceneSettings *settings, guint id)
{
  switch (id) {
  case PROP_SPEED:
    return &settings->params.speed;
  case PROP_NOISE:
    return &settings->params.noise;
  case PROP_LIDAR_HEIGHT:
    return &settings->lidar.height;
  case PROP_LIDAR_NOISE:
    return &settings->lidar.noise;
  case PROP_LIDAR_DROPOUT:
    return &settings->lidar.dropout;
  case PROP_LIDAR_ROLL:
    return &settings->lidar.roll;
  case PROP_LIDAR_PITCH:
    return &settings->lidar.pitch;
  default:
    return NULL;
  }
}

gboolean gst_street_scene_set_property(
    GstStreetSceneSettings *settings, guint id, const GValue *value)
{
  gdouble *number = number_of(settings, id);

  if (number != NULL) {
    *number = g_value_get_double(value);
    return TRUE;
  }
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
  case PROP_BEAMS:
    set_beams(&settings->lidar, g_value_get_int(value));
    break;
  case PROP_AZIMUTH_STEPS:
    settings->lidar.steps = g_value_get_int(value);
    break;
  case GST_STX_PROP_THREADS:
    settings->params.threads = g_value_get_int(value);
    break;
  default:
    return gst_stx_camera_set_property(&settings->camera, id, value);
  }
  return TRUE;
}

gboolean gst_street_scene_get_property(GstStreetSceneSettings *settings, guint id, GValue *value)
{
  const gdouble *number = number_of(settings, id);

  if (number != NULL) {
    g_value_set_double(value, *number);
    return TRUE;
  }
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
  case PROP_BEAMS:
    g_value_set_int(value, settings->lidar.beams);
    break;
  case PROP_AZIMUTH_STEPS:
    g_value_set_int(value, settings->lidar.steps);
    break;
  case GST_STX_PROP_THREADS:
    g_value_set_int(value, settings->params.threads);
    break;
  default:
    return gst_stx_camera_get_property(&settings->camera, id, value);
  }
  return TRUE;
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
