/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxground.h"

#include "gst/gststxnumbers.h"

enum { SECTORS, BINS, LEVEL, POST_MESSAGES, NUMBERS };

/* One row per property, in the order of their ids. The ranges are those of stx_ground_check. */
#define NUMBER(field) offsetof(StxGroundParams, field)

static const GstStxNumber numbers[] = {
    {"r-min", "Nearest range", "Points nearer than this are not classified, metres", NUMBER(r_min),
        0, 250},
    {"r-max", "Farthest range", "Points from here on are not classified, metres", NUMBER(r_max), 0,
        250},
    {"max-dist-to-line", "Distance above the line",
        "How far ground may lie above its line, metres; a quarter of it where something stands",
        NUMBER(max_dist_to_line), 0, 10},
    {"max-dist-below", "Distance below the line", "How far ground may lie below its line, metres",
        NUMBER(max_dist_below), 0, 10},
    {"max-fit-error", "Fit error", "Largest squared residual of a ground line, square metres",
        NUMBER(max_fit_error), 0, 100},
    {"max-slope", "Slope", "Steepest ground line against the road around the sensor, as a ratio",
        NUMBER(max_slope), 0, 10},
    {"long-threshold", "Long gap",
        "A gap in a ground line is long from here on, plus a tenth of the range, metres",
        NUMBER(long_threshold), 0, 250},
    {"max-long-height", "Height across a long gap",
        "How far the height may be off behind a long gap, metres", NUMBER(max_long_height), 0, 10},
    {"max-start-height", "Start height",
        "How far a ground line may begin from the height of the ground before it, metres",
        NUMBER(max_start_height), 0, 10},
    {"line-search-angle", "Line search angle",
        "How far aside a ground line may be taken from where there is none, radians",
        NUMBER(line_search_angle), 0, 3.141592},
    {"obstacle-height", "Obstacle height",
        "Something stands where the highest point of a bin is this far above the ground, metres "
        "(100: nowhere)",
        NUMBER(obstacle_height), 0.01, 100},
    {"sensor-height", "Sensor height", "Height of the sensor above the ground, metres (0 = auto)",
        NUMBER(sensor_height), 0, 100},
    {"cluster-cell", "Cluster cell",
        "Obstacle points in neighbouring cells of this size are one cluster, metres (0 = no "
        "clusters)",
        NUMBER(cluster_cell), 0, 10},
};

/* ---- Properties ---------------------------------------------------------------------------- */

static const GParamFlags flags =
    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

static void install_others(GObjectClass *klass, guint first, const GstStxGroundSettings *defaults)
{
  g_object_class_install_property(klass, first + SECTORS,
      g_param_spec_int("sectors", "Sectors", "Sectors of a turn", 1, STX_GROUND_MAX_SECTORS,
          defaults->params.sectors, flags));
  g_object_class_install_property(klass, first + BINS,
      g_param_spec_int("bins", "Bins", "Bins of the range, in every sector", 1, STX_GROUND_MAX_BINS,
          defaults->params.bins, flags));
  g_object_class_install_property(klass, first + LEVEL,
      g_param_spec_boolean("level", "Level",
          "Level each scan by the plane of the road around the sensor", defaults->params.level,
          flags));
  g_object_class_install_property(klass, first + POST_MESSAGES,
      g_param_spec_boolean("post-messages", "Post messages",
          "Post an element message stx-ground-stats for every scan", defaults->post_messages,
          flags));
}

void gst_stx_ground_install_properties(GObjectClass *klass, guint first)
{
  GstStxGroundSettings defaults = GST_STX_GROUND_SETTINGS_DEFAULTS;

  install_others(klass, first, &defaults);
  gst_stx_numbers_install(klass, first + NUMBERS, numbers, G_N_ELEMENTS(numbers), &defaults.params);
}

gboolean gst_stx_ground_set_property(
    GstStxGroundSettings *settings, guint first, guint id, const GValue *value)
{
  if (id == first + SECTORS)
    settings->params.sectors = g_value_get_int(value);
  else if (id == first + BINS)
    settings->params.bins = g_value_get_int(value);
  else if (id == first + LEVEL)
    settings->params.level = g_value_get_boolean(value);
  else if (id == first + POST_MESSAGES)
    settings->post_messages = g_value_get_boolean(value);
  else
    return gst_stx_numbers_set(
        numbers, G_N_ELEMENTS(numbers), first + NUMBERS, id, &settings->params, value);
  return TRUE;
}

gboolean gst_stx_ground_get_property(
    const GstStxGroundSettings *settings, guint first, guint id, GValue *value)
{
  if (id == first + SECTORS)
    g_value_set_int(value, settings->params.sectors);
  else if (id == first + BINS)
    g_value_set_int(value, settings->params.bins);
  else if (id == first + LEVEL)
    g_value_set_boolean(value, settings->params.level);
  else if (id == first + POST_MESSAGES)
    g_value_set_boolean(value, settings->post_messages);
  else
    return gst_stx_numbers_get(
        numbers, G_N_ELEMENTS(numbers), first + NUMBERS, id, &settings->params, value);
  return TRUE;
}
