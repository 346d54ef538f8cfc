/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gstlidarparsesettings.h"

#include "gst/gststxutil.h"

enum { PROP_FORMAT = GST_STX_PROP_OWN, PROP_FRAMING, PROP_FRAME_RATE, PROP_SKIP_BAD };

static const GstLidarParseSettings defaults = {
    STX_LIDAR_AUTO, GST_LIDAR_FRAMING_AUTO, 10, 1, FALSE};

void gst_lidar_parse_settings_init(GstLidarParseSettings *settings)
{
  *settings = defaults;
}

static GType format_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {STX_LIDAR_AUTO, "What the content looks like", "auto"},
      {STX_LIDAR_KITTI, "Four float32 per point, without a header", "kitti"},
      {STX_LIDAR_NUSCENES, "Five float32 per point, without a header", "nuscenes"},
      {STX_LIDAR_PCD, "The Point Cloud Library's .pcd", "pcd"},
      {STX_LIDAR_PLY, "Polygon files, .ply", "ply"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstLidarParseFormat", values));
  return type;
}

static GType framing_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {GST_LIDAR_FRAMING_AUTO, "stream if upstream knows the number of bytes, else buffer", "auto"},
      {GST_LIDAR_FRAMING_BUFFER, "Every buffer is a file", "buffer"},
      {GST_LIDAR_FRAMING_STREAM, "All bytes until the end of the stream are one file", "stream"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstLidarParseFraming", values));
  return type;
}

gboolean gst_lidar_parse_set_property(
    GstLidarParseSettings *settings, guint id, const GValue *value)
{
  switch (id) {
  case PROP_FORMAT:
    settings->format = g_value_get_enum(value);
    return TRUE;
  case PROP_FRAMING:
    settings->framing = g_value_get_enum(value);
    return TRUE;
  case PROP_FRAME_RATE:
    settings->rate = gst_value_get_fraction_numerator(value);
    settings->per = gst_value_get_fraction_denominator(value);
    return TRUE;
  case PROP_SKIP_BAD:
    settings->skip_bad = g_value_get_boolean(value);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean gst_lidar_parse_get_property(
    const GstLidarParseSettings *settings, guint id, GValue *value)
{
  switch (id) {
  case PROP_FORMAT:
    g_value_set_enum(value, settings->format);
    return TRUE;
  case PROP_FRAMING:
    g_value_set_enum(value, settings->framing);
    return TRUE;
  case PROP_FRAME_RATE:
    gst_value_set_fraction(value, settings->rate, settings->per);
    return TRUE;
  case PROP_SKIP_BAD:
    g_value_set_boolean(value, settings->skip_bad);
    return TRUE;
  default:
    return FALSE;
  }
}

void gst_lidar_parse_install_properties(GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  g_object_class_install_property(klass, PROP_FORMAT,
      g_param_spec_enum("format", "Format", "What the files are", format_get_type(),
          defaults.format, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property(klass, PROP_FRAMING,
      g_param_spec_enum("framing", "Framing", "Where a file ends", framing_get_type(),
          defaults.framing, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property(klass, PROP_FRAME_RATE,
      gst_param_spec_fraction("frame-rate", "Frame rate",
          "Scans per second, for time stamps where neither buffers nor caps of the input have any; "
          "0/1: none",
          0, 1, G_MAXINT, 1, defaults.rate, defaults.per, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property(klass, PROP_SKIP_BAD,
      g_param_spec_boolean("skip-bad", "Skip bad files",
          "Drop files that cannot be read, with a warning, instead of ending in an error",
          defaults.skip_bad, flags | GST_PARAM_MUTABLE_PLAYING));
  gst_type_mark_as_plugin_api(format_get_type(), 0);
  gst_type_mark_as_plugin_api(framing_get_type(), 0);
}
