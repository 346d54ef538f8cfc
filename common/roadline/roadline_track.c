/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/roadline/roadline_track.h"

#define SMOOTHING 0.5 /* share of a new estimate in the line */

static bool fail_unknown(const StxCamera *camera, StxError *error)
{
  const char *missing = camera->focal <= 0      ? "focal length"
                        : camera->baseline <= 0 ? "baseline"
                                                : "camera height";
  return stx_fail(error,
      "ground=calibration, but the %s is unknown: set calibration=FILE or the properties focal, "
      "baseline and camera-height, or choose ground=estimate",
      missing);
}

bool stx_road_track_reset(
    StxRoadTrack *track, StxRoadMode mode, const StxCamera *camera, StxError *error)
{
  *track = (StxRoadTrack){0};
  if (mode == STX_ROAD_NONE)
    return true;
  track->known = stx_roadline_from_camera(camera, &track->line);
  track->estimate = mode == STX_ROAD_ESTIMATE || (mode == STX_ROAD_AUTO && !track->known);
  return track->known || track->estimate || fail_unknown(camera, error);
}

static void move_towards(StxRoadLine *line, const StxRoadLine *found)
{
  line->slope += SMOOTHING * (found->slope - line->slope);
  line->horizon += SMOOTHING * (found->horizon - line->horizon);
  line->support = found->support;
}

static void take(StxRoadTrack *track, const StxRoadLine *found, bool near)
{
  if (near && track->seen)
    move_towards(&track->line, found);
  else
    track->line = *found;
  track->known = track->seen = true;
  track->misses = 0;
}

const StxRoadLine *stx_road_track_follow(
    StxRoadTrack *track, const StxGrid *grid, const void *columns, void *scratch)
{
  bool near = track->known && track->misses < STX_ROAD_MISSES_MAX;
  StxRoadLine found;

  if (!track->estimate)
    return track->known ? &track->line : NULL;
  if (stx_roadline_estimate(grid, columns, near ? &track->line : NULL, &found, scratch))
    take(track, &found, near);
  else if (track->misses < STX_ROAD_MISSES_MAX)
    track->misses++;
  return track->known ? &track->line : NULL;
}
