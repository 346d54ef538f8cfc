/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststereosgmsettings.h"

#include "gst/gststxutil.h"

enum {
  PROP_LAYOUT = GST_STX_PROP_OWN,
  PROP_MAX_DISPARITY,
  PROP_PATHS,
  PROP_P1,
  PROP_P2,
  PROP_UNIQUENESS,
  PROP_LR_MAX_DIFF,
  PROP_TEXTURE,
  PROP_MEDIAN,
  PROP_CONFIDENCE,
};

/* ---- Enumerations -------------------------------------------------------------------------- */

static GType layout_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {GST_STEREO_SGM_LAYOUT_AUTO, "As multiview-mode in the caps says", "auto"},
      {GST_STEREO_SGM_LAYOUT_SIDE_BY_SIDE, "Left view in the left half", "side-by-side"},
      {GST_STEREO_SGM_LAYOUT_TOP_BOTTOM, "Left view in the upper half", "top-bottom"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStereoSgmLayout", values));
  return type;
}

static GType max_disparity_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {64, "0 … 63 pixels", "64"},
      {128, "0 … 127 pixels", "128"},
      {256, "0 … 255 pixels", "256"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStereoSgmMaxDisparity", values));
  return type;
}

static GType paths_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {4, "Along rows and columns", "4"},
      {8, "Along rows, columns and diagonals", "8"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStereoSgmPaths", values));
  return type;
}

/* ---- Properties ---------------------------------------------------------------------------- */

void gst_stereo_sgm_settings_init(GstStereoSgmSettings *settings)
{
  *settings = (GstStereoSgmSettings){
      .params = STX_SGM_DEFAULTS, .layout = GST_STEREO_SGM_LAYOUT_AUTO, .confidence = TRUE};
}

gboolean gst_stereo_sgm_settings_set_property(
    GstStereoSgmSettings *settings, guint id, const GValue *value)
{
  switch (id) {
  case PROP_LAYOUT:
    settings->layout = g_value_get_enum(value);
    return TRUE;
  case PROP_MAX_DISPARITY:
    settings->params.max_disparity = g_value_get_enum(value);
    return TRUE;
  case PROP_PATHS:
    settings->params.paths = g_value_get_enum(value);
    return TRUE;
  case PROP_P1:
    settings->params.p1 = g_value_get_int(value);
    return TRUE;
  case PROP_P2:
    settings->params.p2 = g_value_get_int(value);
    return TRUE;
  case PROP_UNIQUENESS:
    settings->params.uniqueness = g_value_get_int(value);
    return TRUE;
  case PROP_LR_MAX_DIFF:
    settings->params.lr_max_diff = g_value_get_int(value);
    return TRUE;
  case PROP_TEXTURE:
    settings->params.texture = g_value_get_int(value);
    return TRUE;
  case PROP_MEDIAN:
    settings->params.median = g_value_get_boolean(value);
    return TRUE;
  case PROP_CONFIDENCE:
    settings->confidence = g_value_get_boolean(value);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean gst_stereo_sgm_settings_get_property(
    const GstStereoSgmSettings *settings, guint id, GValue *value)
{
  switch (id) {
  case PROP_LAYOUT:
    g_value_set_enum(value, settings->layout);
    return TRUE;
  case PROP_MAX_DISPARITY:
    g_value_set_enum(value, settings->params.max_disparity);
    return TRUE;
  case PROP_PATHS:
    g_value_set_enum(value, settings->params.paths);
    return TRUE;
  case PROP_P1:
    g_value_set_int(value, settings->params.p1);
    return TRUE;
  case PROP_P2:
    g_value_set_int(value, settings->params.p2);
    return TRUE;
  case PROP_UNIQUENESS:
    g_value_set_int(value, settings->params.uniqueness);
    return TRUE;
  case PROP_LR_MAX_DIFF:
    g_value_set_int(value, settings->params.lr_max_diff);
    return TRUE;
  case PROP_TEXTURE:
    g_value_set_int(value, settings->params.texture);
    return TRUE;
  case PROP_MEDIAN:
    g_value_set_boolean(value, settings->params.median);
    return TRUE;
  case PROP_CONFIDENCE:
    g_value_set_boolean(value, settings->confidence);
    return TRUE;
  default:
    return FALSE;
  }
}

void gst_stereo_sgm_settings_install_properties(GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const StxSgmParams defaults = STX_SGM_DEFAULTS;

  g_object_class_install_property(klass, PROP_LAYOUT,
      g_param_spec_enum("layout", "Layout", "How a frame of pad sink holds the two views",
          layout_get_type(), GST_STEREO_SGM_LAYOUT_AUTO, flags));
  g_object_class_install_property(klass, PROP_MAX_DISPARITY,
      g_param_spec_enum("max-disparity", "Disparities",
          "Number of candidate disparities in pixels: nearer things are not found",
          max_disparity_get_type(), defaults.max_disparity, flags));
  g_object_class_install_property(klass, PROP_PATHS,
      g_param_spec_enum("paths", "Paths", "Directions along which costs are aggregated",
          paths_get_type(), defaults.paths, flags));
  g_object_class_install_property(klass, PROP_P1,
      g_param_spec_int("p1", "P1", "Penalty for a disparity step of one pixel, in census bits", 0,
          STX_SGM_MAX_PENALTY, defaults.p1, flags));
  g_object_class_install_property(klass, PROP_P2,
      g_param_spec_int("p2", "P2", "Penalty for a larger disparity step, in census bits (>= p1)", 0,
          STX_SGM_MAX_PENALTY, defaults.p2, flags));
  g_object_class_install_property(klass, PROP_UNIQUENESS,
      g_param_spec_int("uniqueness", "Uniqueness",
          "Percent by which the second best candidate must be worse", 0, 50, defaults.uniqueness,
          flags));
  g_object_class_install_property(klass, PROP_LR_MAX_DIFF,
      g_param_spec_int("lr-max-diff", "Left-right check",
          "Pixels by which the views' disparities may differ (-1 = no check)", -1, 255,
          defaults.lr_max_diff, flags));
  g_object_class_install_property(klass, PROP_TEXTURE,
      g_param_spec_int("texture", "Texture",
          "Gray levels that the 9x7 window around a pixel must exceed in range, else the disparity "
          "is unknown (-1 = no check)",
          -1, 254, defaults.texture, flags));
  g_object_class_install_property(klass, PROP_MEDIAN,
      g_param_spec_boolean(
          "median", "Median", "3x3 median of the disparity", defaults.median, flags));
  g_object_class_install_property(klass, PROP_CONFIDENCE,
      g_param_spec_boolean("confidence", "Confidence",
          "Attach a confidence per pixel as GstStxConfidenceMeta", TRUE, flags));
}
