/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxsatdp.h"

/* One row per property, in the order of their ids. The ranges are those of stx_satdp_check. */
typedef struct {
  const char *name, *nick, *blurb;
  gsize offset;
  double min, max;
} Number;

#define NUMBER(field) offsetof(StxSatdpParams, field)

static const Number numbers[] = {
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

static double get_number(const StxSatdpParams *params, guint index)
{
  return *(const double *)((const char *)params + numbers[index].offset);
}

static gboolean find(guint first, guint id, guint *index)
{
  *index = id - first;
  return id >= first && *index < G_N_ELEMENTS(numbers);
}

void gst_stx_satdp_install_properties(GObjectClass *klass, guint first)
{
  static const StxSatdpParams defaults = STX_SATDP_DEFAULTS;

  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    g_object_class_install_property(klass, first + i,
        g_param_spec_double(numbers[i].name, numbers[i].nick, numbers[i].blurb, numbers[i].min,
            numbers[i].max, get_number(&defaults, i),
            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
}

gboolean gst_stx_satdp_set_property(
    StxSatdpParams *params, guint first, guint id, const GValue *value)
{
  guint index;

  if (!find(first, id, &index))
    return FALSE;
  *(double *)((char *)params + numbers[index].offset) = g_value_get_double(value);
  return TRUE;
}

gboolean gst_stx_satdp_get_property(
    const StxSatdpParams *params, guint first, guint id, GValue *value)
{
  guint index;

  if (!find(first, id, &index))
    return FALSE;
  g_value_set_double(value, get_number(params, index));
  return TRUE;
}
