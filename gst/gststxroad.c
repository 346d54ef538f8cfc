/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/gststxroad.h"

#define SMOOTHING 0.5 /* share of a new estimate in the line */
#define MISSES_MAX 10 /* frames without a road near the line before it is searched everywhere */

GType gst_stx_ground_get_type(void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {GST_STX_GROUND_AUTO, "From calibration if the camera height is known, else estimated",
          "auto"},
      {GST_STX_GROUND_CALIBRATION, "From focal length, baseline, camera height and pitch",
          "calibration"},
      {GST_STX_GROUND_ESTIMATE, "Estimated from every frame, smoothed over frames", "estimate"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter(&type))
    g_once_init_leave(&type, g_enum_register_static("GstStxGround", values));
  return type;
}

static gboolean fail_unknown(const StxCamera *camera, StxError *error)
{
  const char *missing = camera->focal <= 0      ? "focal length"
                        : camera->baseline <= 0 ? "baseline"
                                                : "camera height";

  return stx_fail(error,
      "ground=calibration, but the %s is unknown: set calibration=FILE or the properties focal, "
      "baseline and camera-height, or choose ground=estimate",
      missing);
}

gboolean gst_stx_road_reset(
    GstStxRoad *road, GstStxGround ground, const StxCamera *camera, StxError *error)
{
  *road = (GstStxRoad){0};
  road->known = stx_roadline_from_camera(camera, &road->line);
  road->estimate =
      ground == GST_STX_GROUND_ESTIMATE || (ground == GST_STX_GROUND_AUTO && !road->known);
  if (!road->known && !road->estimate)
    return fail_unknown(camera, error);
  return TRUE;
}

static void move_towards(StxRoadLine *line, const StxRoadLine *found)
{
  line->slope += SMOOTHING * (found->slope - line->slope);
  line->horizon += SMOOTHING * (found->horizon - line->horizon);
  line->support = found->support;
}

const StxRoadLine *gst_stx_road_follow(
    GstStxRoad *road, const StxGrid *grid, const void *columns, void *scratch)
{
  const StxRoadLine *prior = road->known && road->misses < MISSES_MAX ? &road->line : NULL;
  StxRoadLine found;

  if (!road->estimate)
    return &road->line;
  if (!stx_roadline_estimate(grid, columns, prior, &found, scratch)) {
    road->misses++;
    return road->known ? &road->line : NULL;
  }
  if (prior != NULL && road->seen)
    move_towards(&road->line, &found);
  else
    road->line = found;
  road->known = road->seen = TRUE;
  road->misses = 0;
  return &road->line;
}
