/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxcells.h"

#include "common/labels.h"

enum { STIXEL_WIDTH, STIXEL_HEIGHT, REDUCTION, FILL_WIDTH, DISPARITY_ENCODING, LABEL_ENCODING };

/* ---- Enums --------------------------------------------------------------------------------- */

#define GST_TYPE_STX_REDUCTION (reduction_get_type())
static GType reduction_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {STX_REDUCE_MEAN, "Mean of the known disparities", "mean"},
      {STX_REDUCE_WEIGHTED, "Confidence-weighted mean of what is near the median", "weighted"},
      {STX_REDUCE_MEDIAN, "Median of the known disparities", "median"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStxReduction", values));
  return type;
}

#define GST_TYPE_STX_DISPARITY_ENCODING (disparity_encoding_get_type())
static GType disparity_encoding_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {GST_STX_DISPARITY_KITTI, "A value p means p/256 pixels, 0 unknown", "kitti"},
      {GST_STX_DISPARITY_CITYSCAPES, "A value p means (p - 1)/256 pixels, 0 unknown", "cityscapes"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStxDisparityEncoding", values));
  return type;
}

#define GST_TYPE_STX_LABEL_ENCODING (label_encoding_get_type())
static GType label_encoding_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {GST_STX_LABELS_TRAIN_IDS, "Cityscapes train ids, 0 ... 18", "train-ids"},
      {GST_STX_LABELS_CITYSCAPES_IDS,
          "Cityscapes label ids, 0 ... 33, as in KITTI's semantic folder", "cityscapes-ids"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStxLabelEncoding", values));
  return type;
}

/* ---- Properties ---------------------------------------------------------------------------- */

void gst_stx_cells_install_properties(GObjectClass *klass, guint first)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
  const GstStxCells defaults = GST_STX_CELLS_DEFAULTS;

  g_object_class_install_property(klass, first + STIXEL_WIDTH,
      g_param_spec_int("stixel-width", "Stixel width",
          "Width of a cell, and so of a stixel, pixels", 1, 128, defaults.stixel_width, flags));
  g_object_class_install_property(klass, first + STIXEL_HEIGHT,
      g_param_spec_int("stixel-height", "Stixel height",
          "Height of a cell, the step in which stixels grow, pixels", 1, 128,
          defaults.stixel_height, flags));
  g_object_class_install_property(klass, first + REDUCTION,
      g_param_spec_enum("reduction", "Reduction", "How the disparities of a cell become one",
          GST_TYPE_STX_REDUCTION, defaults.reduction, flags));
  g_object_class_install_property(klass, first + FILL_WIDTH,
      g_param_spec_int("fill-width", "Fill width",
          "Holes up to this width take the farther neighbour's disparity with little weight, "
          "pixels (0 = no filling)",
          0, STX_FILL_WIDTH_MAX, defaults.fill_width, flags));
  g_object_class_install_property(klass, first + DISPARITY_ENCODING,
      g_param_spec_enum("disparity-encoding", "Disparity encoding", "What a disparity value means",
          GST_TYPE_STX_DISPARITY_ENCODING, defaults.disparity_encoding, flags));
  g_object_class_install_property(klass, first + LABEL_ENCODING,
      g_param_spec_enum("label-encoding", "Label encoding", "What a value of a label image means",
          GST_TYPE_STX_LABEL_ENCODING, defaults.label_encoding, flags));
  gst_type_mark_as_plugin_api(GST_TYPE_STX_REDUCTION, 0);
  gst_type_mark_as_plugin_api(GST_TYPE_STX_DISPARITY_ENCODING, 0);
  gst_type_mark_as_plugin_api(GST_TYPE_STX_LABEL_ENCODING, 0);
}

gboolean gst_stx_cells_set_property(GstStxCells *cells, guint first, guint id, const GValue *value)
{
  if (id == first + STIXEL_WIDTH)
    cells->stixel_width = g_value_get_int(value);
  else if (id == first + STIXEL_HEIGHT)
    cells->stixel_height = g_value_get_int(value);
  else if (id == first + REDUCTION)
    cells->reduction = g_value_get_enum(value);
  else if (id == first + FILL_WIDTH)
    cells->fill_width = g_value_get_int(value);
  else if (id == first + DISPARITY_ENCODING)
    cells->disparity_encoding = g_value_get_enum(value);
  else if (id == first + LABEL_ENCODING)
    cells->label_encoding = g_value_get_enum(value);
  else
    return FALSE;
  return TRUE;
}

gboolean gst_stx_cells_get_property(const GstStxCells *cells, guint first, guint id, GValue *value)
{
  if (id == first + STIXEL_WIDTH)
    g_value_set_int(value, cells->stixel_width);
  else if (id == first + STIXEL_HEIGHT)
    g_value_set_int(value, cells->stixel_height);
  else if (id == first + REDUCTION)
    g_value_set_enum(value, cells->reduction);
  else if (id == first + FILL_WIDTH)
    g_value_set_int(value, cells->fill_width);
  else if (id == first + DISPARITY_ENCODING)
    g_value_set_enum(value, cells->disparity_encoding);
  else if (id == first + LABEL_ENCODING)
    g_value_set_enum(value, cells->label_encoding);
  else
    return FALSE;
  return TRUE;
}

void gst_stx_cells_apply(const GstStxCells *cells, StxColmeanParams *params)
{
  params->grid.cell_width = cells->stixel_width;
  params->grid.cell_height = cells->stixel_height;
  params->reduction = cells->reduction;
  params->fill_width = cells->fill_width;
  params->cityscapes_disparity = cells->disparity_encoding == GST_STX_DISPARITY_CITYSCAPES;
  if (cells->label_encoding == GST_STX_LABELS_CITYSCAPES_IDS)
    stx_labels_from_cityscapes(params->label_map);
  else
    stx_labels_identity(params->label_map);
}
