/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/formats/obstacles.h"

#include "gst/formats/camera.h"
#include "gst/formats/columns.h"

#define SOURCE "source"
#define STEREO "stereo"
#define LIDAR "lidar"
#define VIDEO "video/x-raw"

/* `name` with the frame rate of `from`, fixed or not. */
static GstStructure *with_rate_of(const GstStructure *from, const gchar *name)
{
  const GValue *rate = gst_structure_get_value(from, "framerate");
  GstStructure *to = gst_structure_new_empty(name);

  if (rate != NULL)
    gst_structure_set_value(to, "framerate", rate);
  return to;
}

static gboolean is_points(const GstStructure *structure)
{
  return gst_structure_has_name(structure, GST_STX_LIDAR_MEDIA_TYPE);
}

/* What obstacles of that are: of one structure of stixels, points or video. */
static GstStructure *records_of(const GstStructure *input)
{
  GstStructure *obstacles = gst_structure_has_name(input, GST_STX_STIXELS_MEDIA_TYPE)
                                ? gst_stx_columns_rename(input, GST_STX_OBSTACLES_MEDIA_TYPE)
                                : with_rate_of(input, GST_STX_OBSTACLES_MEDIA_TYPE);

  gst_structure_set(obstacles, SOURCE, G_TYPE_STRING, is_points(input) ? LIDAR : STEREO, NULL);
  return obstacles;
}

/* Whether that is one of the sources that they may have. */
static gboolean may_be_of(const GstStructure *obstacles, const gchar *source)
{
  GstStructure *other = gst_structure_new("s", SOURCE, G_TYPE_STRING, source, NULL);
  const GValue *named = gst_structure_get_value(obstacles, SOURCE);
  gboolean possible =
      named == NULL || gst_value_can_intersect(named, gst_structure_get_value(other, SOURCE));

  gst_structure_free(other);
  return possible;
}

static void append(GstCaps *caps, GstStructure *structure)
{
  gst_caps_append_structure_full(caps, structure, gst_caps_features_new_any());
}

/* Stixels, video and points of which obstacles of this structure may be. */
static void append_inputs(GstCaps *inputs, const GstStructure *obstacles)
{
  if (may_be_of(obstacles, STEREO)) {
    append(inputs, gst_stx_columns_rename(obstacles, GST_STX_STIXELS_MEDIA_TYPE));
    append(inputs, with_rate_of(obstacles, VIDEO));
  }
  if (may_be_of(obstacles, LIDAR))
    append(inputs, with_rate_of(obstacles, GST_STX_LIDAR_MEDIA_TYPE));
}

/* ---- Both ways ----------------------------------------------------------------------------- */

static gboolean is_known(const GstStructure *structure)
{
  return gst_structure_has_name(structure, GST_STX_STIXELS_MEDIA_TYPE) ||
         gst_structure_has_name(structure, VIDEO) || is_points(structure);
}

static void append_same(GstCaps *same, const GstCaps *caps, guint index)
{
  gst_caps_append_structure_full(same, gst_structure_copy(gst_caps_get_structure(caps, index)),
      gst_caps_features_copy(gst_caps_get_features(caps, index)));
}

GstCaps *gst_stx_obstacles_outputs(const GstCaps *inputs)
{
  GstCaps *same = gst_caps_new_empty(), *records = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(inputs); i++) {
    const GstStructure *structure = gst_caps_get_structure(inputs, i);

    if (is_known(structure))
      append_same(same, inputs, i);
    else
      gst_caps_append(same, gst_caps_from_string(GST_STX_STIXELS_MEDIA_TYPE
                                "; " VIDEO "; " GST_STX_LIDAR_MEDIA_TYPE));
    gst_caps_append_structure(records, records_of(structure));
  }
  return gst_caps_merge(same, records);
}

GstCaps *gst_stx_obstacles_inputs(const GstCaps *outputs)
{
  GstCaps *same = gst_caps_new_empty(), *inputs = gst_caps_new_empty();

  for (guint i = 0; i < gst_caps_get_size(outputs); i++) {
    const GstStructure *structure = gst_caps_get_structure(outputs, i);

    if (is_known(structure))
      append_same(same, outputs, i);
    else if (gst_structure_has_name(structure, GST_STX_OBSTACLES_MEDIA_TYPE))
      append_inputs(inputs, structure);
  }
  return gst_caps_merge(same, inputs);
}

gboolean gst_stx_obstacles_refuse(const GstCaps *caps, StxError *error)
{
  return stx_fail(error,
      "expected " GST_STX_STIXELS_MEDIA_TYPE ", " VIDEO
      " with stixels attached, or " GST_STX_LIDAR_MEDIA_TYPE
      " with labels, not %.60s: put stixel-obstacles behind "
      "sat-dp-stixels, stixel-overlay or lidar-ground",
      gst_structure_get_name(gst_caps_get_structure(caps, 0)));
}

GstCaps *gst_stx_obstacles_caps_new(const GstStxStixelInfo *info, const GstCaps *timing)
{
  GstCaps *caps = gst_caps_new_full(records_of(gst_caps_get_structure(timing, 0)), NULL);

  gst_caps_set_simple(caps, "width", G_TYPE_INT, info->width, "height", G_TYPE_INT, info->height,
      "stixel-width", G_TYPE_INT, info->stixel_width, "columns", G_TYPE_INT, info->columns, NULL);
  gst_stx_camera_to_structure(&info->camera, gst_caps_get_structure(caps, 0));
  return caps;
}
