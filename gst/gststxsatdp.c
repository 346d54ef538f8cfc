/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxsatdp.h"

#include "gst/gststxnumbers.h"
#include "gst/gststxroad.h"

enum { MODEL, GROUND, POST_MESSAGES, CANDIDATES, EPSILON, NUMBERS };

#define GST_TYPE_SAT_DP_MODEL (model_get_type())
static GType model_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {GST_STX_SATDP_GAUSSIAN, "Least squares per stixel, quadratic in the rows", "gaussian"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstSatDpStixelsModel", values));
  return type;
}

#define GST_TYPE_SAT_DP_CANDIDATES (candidates_get_type())
static GType candidates_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {GST_STX_CANDIDATES_ALL, "At every cell: the exact optimum", "all"},
      {GST_STX_CANDIDATES_RDP, "Where rdp-columns cuts with the same epsilon: faster", "rdp"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstSatDpStixelsCandidates", values));
  return type;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

/* One row per property, in the order of their ids. The ranges are those of stx_satdp_check. */
#define NUMBER(field) offsetof(StxSatdpParams, field)

static const GstStxNumber numbers[] = {
    {"stixel-cost", "Stixel cost",
        "Cost of every stixel after the first of its column, in nats; more gives fewer stixels "
        "(-1 = automatic, higher with semantics than without)",
        NUMBER(stixel_cost), -1, 1000},
    {"semantic-weight", "Semantic weight", "Weight of the class costs against the disparities",
        NUMBER(semantic_weight), 0, 16},
    {"sigma-disparity-ground", "Disparity noise, ground", "Noise of the ground's disparity, pixels",
        NUMBER(sigma_disparity[0]), 0.0625, 64},
    {"sigma-disparity-object", "Disparity noise, object", "Noise of an object's disparity, pixels",
        NUMBER(sigma_disparity[1]), 0.0625, 64},
    {"sigma-disparity-sky", "Disparity noise, sky", "Noise of the sky's disparity, pixels",
        NUMBER(sigma_disparity[2]), 0.0625, 64},
    {"sigma-height", "Ground unevenness", "Unevenness of the ground, metres", NUMBER(sigma_height),
        0, 10},
    {"sigma-angle", "Ground pitch", "Pitch of the ground against the expected, radians",
        NUMBER(sigma_angle), 0, 1},
    {"sigma-depth", "Object depth", "Depth of an object that counts as upright, metres",
        NUMBER(sigma_depth), 0, 100},
    {"ground-sigma-intercept", "Ground intercept",
        "How far a ground stixel's line may pass from the horizon, pixels of disparity",
        NUMBER(ground_sigma_intercept), 0.01, 10000},
    {"ground-sigma-slope", "Ground slope",
        "How far a ground stixel's slope may be from the road's, as a share of it",
        NUMBER(ground_sigma_slope), 0.01, 100},
    {"pair-cost", "Pair cost", "Cost of an unlikely neighbour, such as a floating object, in nats",
        NUMBER(pair_cost), 0, 1000},
    {"pair-slope", "Pair slope",
        "Further cost of an unlikely neighbour, in nats per pixel of disparity between the two",
        NUMBER(pair_slope), 0, 100},
    {"pair-tolerance", "Pair tolerance",
        "Neighbours that differ by no more than this meet, pixels of disparity",
        NUMBER(pair_tolerance), 0, 255},
    {"horizon-cost", "Horizon cost",
        "Cost of a cell of ground above or of sky below the horizon, in nats", NUMBER(horizon_cost),
        0, 1000},
    {"unknown-cost", "Unknown cost",
        "Cost of a cell of ground or object above the horizon whose disparity is unknown, in nats",
        NUMBER(unknown_cost), 0, 1000},
};

/* ---- Properties ---------------------------------------------------------------------------- */

static void install_choices(GObjectClass *klass, guint first)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  const GstStxSatdpSettings defaults = GST_STX_SATDP_SETTINGS_DEFAULTS;

  g_object_class_install_property(klass, first + MODEL,
      g_param_spec_enum("model", "Model", "Energy of a stixel", GST_TYPE_SAT_DP_MODEL,
          defaults.model, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property(klass, first + GROUND,
      g_param_spec_enum("ground", "Ground", "Where the expected disparity of the road comes from",
          GST_TYPE_STX_ROAD_MODE, defaults.ground, flags | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property(klass, first + POST_MESSAGES,
      g_param_spec_boolean("post-messages", "Post messages",
          "Post an element message stx-stixels-stats for every frame", defaults.post_messages,
          flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property(klass, first + CANDIDATES,
      g_param_spec_enum("cut-candidates", "Candidates of cuts", "Where a stixel may begin",
          GST_TYPE_SAT_DP_CANDIDATES, defaults.candidates, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property(klass, first + EPSILON,
      g_param_spec_double("epsilon", "Epsilon",
          "With cut-candidates=rdp: how far a cell may lie from the line between two candidates, "
          "in pixels of disparity; more gives fewer candidates",
          0, GST_RDP_EPSILON_MAX, defaults.epsilon, flags | GST_PARAM_MUTABLE_PLAYING));
  gst_type_mark_as_plugin_api(GST_TYPE_SAT_DP_MODEL, 0);
  gst_type_mark_as_plugin_api(GST_TYPE_SAT_DP_CANDIDATES, 0);
  gst_type_mark_as_plugin_api(GST_TYPE_STX_ROAD_MODE, 0);
}

void gst_stx_satdp_install_properties(GObjectClass *klass, guint first)
{
  static const StxSatdpParams defaults = STX_SATDP_DEFAULTS;

  install_choices(klass, first);
  gst_stx_numbers_install(klass, first + NUMBERS, numbers, G_N_ELEMENTS(numbers), &defaults);
}

gboolean gst_stx_satdp_set_property(
    GstStxSatdpSettings *settings, guint first, guint id, const GValue *value)
{
  if (id == first + MODEL)
    settings->model = g_value_get_enum(value);
  else if (id == first + GROUND)
    settings->ground = g_value_get_enum(value);
  else if (id == first + POST_MESSAGES)
    settings->post_messages = g_value_get_boolean(value);
  else if (id == first + CANDIDATES)
    settings->candidates = g_value_get_enum(value);
  else if (id == first + EPSILON)
    settings->epsilon = g_value_get_double(value);
  else
    return gst_stx_numbers_set(
        numbers, G_N_ELEMENTS(numbers), first + NUMBERS, id, &settings->params, value);
  return TRUE;
}

gboolean gst_stx_satdp_get_property(
    const GstStxSatdpSettings *settings, guint first, guint id, GValue *value)
{
  if (id == first + MODEL)
    g_value_set_enum(value, settings->model);
  else if (id == first + GROUND)
    g_value_set_enum(value, settings->ground);
  else if (id == first + POST_MESSAGES)
    g_value_set_boolean(value, settings->post_messages);
  else if (id == first + CANDIDATES)
    g_value_set_enum(value, settings->candidates);
  else if (id == first + EPSILON)
    g_value_set_double(value, settings->epsilon);
  else
    return gst_stx_numbers_get(
        numbers, G_N_ELEMENTS(numbers), first + NUMBERS, id, &settings->params, value);
  return TRUE;
}
