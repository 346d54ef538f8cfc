/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/clusters/clusters_look.h"

#include "common/ground/ground.h"

StxRgb stx_scan_colour(uint32_t label, bool clusters)
{
  if ((label & 0xFFFF) == STX_POINT_NONE)
    return stx_colour(STX_MEANS_UNCLASSIFIED);
  if (stx_point_is_ground(label))
    return stx_colour(STX_MEANS_GROUND);
  if (!clusters)
    return stx_colour(STX_MEANS_OBSTACLE);
  return label >> 16 == 0 ? stx_colour(STX_MEANS_NO_CLUSTER) : stx_colour_cluster(label >> 16);
}

float stx_scan_full_intensity(const float *points, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (points[4 * i + 3] > 1)
      return 255;
  return 1;
}

StxBox stx_scan_names(StxCanvas *canvas, StxLegend where, bool clusters, const StxRgb *obstacle)
{
  const StxName ground = {.name = "ground", .colour = stx_colour(STX_MEANS_GROUND)};
  const StxName none = {.name = "not classified", .colour = stx_colour(STX_MEANS_UNCLASSIFIED)};
  const StxName one = {
      .name = "obstacle", .colour = obstacle != NULL ? *obstacle : stx_colour(STX_MEANS_OBSTACLE)};
  const StxName each = {.name = "cluster", .swatch = STX_SWATCH_CLUSTERS};
  const StxName alone = {.name = "in no cluster", .colour = stx_colour(STX_MEANS_NO_CLUSTER)};
  const StxName labels[] = {ground, one, none}, groups[] = {ground, each, alone, none};
  return clusters ? stx_canvas_names(canvas, where, "points", groups, 4)
                  : stx_canvas_names(canvas, where, "points", labels, 3);
}
