/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststixeloverlaysettings.h"

#include "gst/gststxutil.h"

enum {
  PROP_MODE = GST_STX_PROP_OWN,
  PROP_SCALE,
  PROP_ALPHA,
  PROP_OUTLINES,
  PROP_SHOW,
  PROP_LEGEND,
  PROP_MAX_DISTANCE,
  PROP_MAX_DISPARITY,
};

#define KIND_FLAG(kind) (1u << (kind))
#define SHOW_ALL                                                                                   \
  (KIND_FLAG(STX_KIND_SEGMENT) | KIND_FLAG(STX_KIND_GROUND) | KIND_FLAG(STX_KIND_OBJECT) |         \
      KIND_FLAG(STX_KIND_SKY))

/* ---- Enumerations -------------------------------------------------------------------------- */

static GType mode_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {STX_OVERLAY_DISTANCE, "Near red, over yellow and green, to far blue", "distance"},
      {STX_OVERLAY_KIND, "Ground, object, sky or segment", "kind"},
      {STX_OVERLAY_CLASS, "Semantic class, in the colours of Cityscapes", "class"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStixelOverlayMode", values));
  return type;
}

static GType scale_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {STX_SCALE_AUTO, "Depth where the caps tell the camera, else disparity", "auto"},
      {STX_SCALE_DISPARITY, "Linear in disparity, 0 … max-disparity", "disparity"},
      {STX_SCALE_DEPTH, "Linear in depth, 0 … max-distance; needs the camera", "depth"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStixelOverlayScale", values));
  return type;
}

static GType legend_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {STX_LEGEND_NONE, "No legend", "none"},
      {STX_LEGEND_TOP_LEFT, "In the top left corner", "top-left"},
      {STX_LEGEND_TOP_RIGHT, "In the top right corner", "top-right"},
      {STX_LEGEND_BOTTOM_LEFT, "In the bottom left corner", "bottom-left"},
      {STX_LEGEND_BOTTOM_RIGHT, "In the bottom right corner", "bottom-right"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStixelOverlayLegend", values));
  return type;
}

static GType show_get_type(void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
      {KIND_FLAG(STX_KIND_SEGMENT), "Segments without a kind (rdp-columns)", "segment"},
      {KIND_FLAG(STX_KIND_GROUND), "Ground", "ground"},
      {KIND_FLAG(STX_KIND_OBJECT), "Objects", "object"},
      {KIND_FLAG(STX_KIND_SKY), "Sky", "sky"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_flags_register_static("GstStixelOverlayShow", values));
  return type;
}

/* ---- Properties ---------------------------------------------------------------------------- */

void gst_stixel_overlay_settings_init(StxOverlayParams *params)
{
  *params = (StxOverlayParams){
      .mode = STX_OVERLAY_DISTANCE,
      .scale = STX_SCALE_AUTO,
      .legend = STX_LEGEND_TOP_LEFT,
      .outlines = TRUE,
      .show = SHOW_ALL,
      .alpha = .5,
      .max_disparity = 64,
      .max_distance = 50,
  };
}

gboolean gst_stixel_overlay_settings_set_property(
    StxOverlayParams *params, guint id, const GValue *value)
{
  switch (id) {
  case PROP_MODE:
    params->mode = g_value_get_enum(value);
    return TRUE;
  case PROP_SCALE:
    params->scale = g_value_get_enum(value);
    return TRUE;
  case PROP_ALPHA:
    params->alpha = g_value_get_double(value);
    return TRUE;
  case PROP_OUTLINES:
    params->outlines = g_value_get_boolean(value);
    return TRUE;
  case PROP_SHOW:
    params->show = g_value_get_flags(value);
    return TRUE;
  case PROP_LEGEND:
    params->legend = g_value_get_enum(value);
    return TRUE;
  case PROP_MAX_DISTANCE:
    params->max_distance = g_value_get_double(value);
    return TRUE;
  case PROP_MAX_DISPARITY:
    params->max_disparity = g_value_get_double(value);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean gst_stixel_overlay_settings_get_property(
    const StxOverlayParams *params, guint id, GValue *value)
{
  switch (id) {
  case PROP_MODE:
    g_value_set_enum(value, params->mode);
    return TRUE;
  case PROP_SCALE:
    g_value_set_enum(value, params->scale);
    return TRUE;
  case PROP_ALPHA:
    g_value_set_double(value, params->alpha);
    return TRUE;
  case PROP_OUTLINES:
    g_value_set_boolean(value, params->outlines);
    return TRUE;
  case PROP_SHOW:
    g_value_set_flags(value, params->show);
    return TRUE;
  case PROP_LEGEND:
    g_value_set_enum(value, params->legend);
    return TRUE;
  case PROP_MAX_DISTANCE:
    g_value_set_double(value, params->max_distance);
    return TRUE;
  case PROP_MAX_DISPARITY:
    g_value_set_double(value, params->max_disparity);
    return TRUE;
  default:
    return FALSE;
  }
}

void gst_stixel_overlay_settings_install_properties(GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  StxOverlayParams d;

  gst_stixel_overlay_settings_init(&d);
  g_object_class_install_property(klass, PROP_MODE,
      g_param_spec_enum("mode", "Mode", "What the colours mean", mode_get_type(), d.mode, flags));
  g_object_class_install_property(klass, PROP_SCALE,
      g_param_spec_enum("scale", "Scale", "What the colours of mode=distance are linear in",
          scale_get_type(), d.scale, flags));
  g_object_class_install_property(klass, PROP_ALPHA,
      g_param_spec_double("alpha", "Alpha",
          "Opacity of the colours; ground and sky are drawn fainter, outlines are not affected", 0,
          1, d.alpha, flags));
  g_object_class_install_property(klass, PROP_OUTLINES,
      g_param_spec_boolean("outlines", "Outlines",
          "Draw a dark line along the top and the left side of objects and segments", d.outlines,
          flags));
  g_object_class_install_property(klass, PROP_SHOW,
      g_param_spec_flags(
          "show", "Show", "Kinds of stixels to draw", show_get_type(), d.show, flags));
  g_object_class_install_property(klass, PROP_LEGEND,
      g_param_spec_enum("legend", "Legend",
          "Where to explain the colours; frames that are too small for it go without",
          legend_get_type(), d.legend, flags));
  g_object_class_install_property(klass, PROP_MAX_DISTANCE,
      g_param_spec_double("max-distance", "Maximum distance",
          "Metres that have the farthest colour, and all beyond (scale=depth)", 1, 1000,
          d.max_distance, flags));
  g_object_class_install_property(klass, PROP_MAX_DISPARITY,
      g_param_spec_double("max-disparity", "Maximum disparity",
          "Pixels of disparity that have the nearest colour, and all above (scale=disparity)", 1,
          1024, d.max_disparity, flags));
}
