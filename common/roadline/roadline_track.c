/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/roadline/roadline_track.h"

#define SMOOTHING 0.5 /* share of a new estimate in the line */
#define CLEAR 0.3     /* support of a line far from the one so far */

static bool fail_unknown(const StxCamera *camera, StxError *error)
{
  const char *missing = camera->focal <= 0      ? "focal length"
                        : camera->baseline <= 0 ? "baseline"
                        : camera->height <= 0   ? "camera height"
                                                : "principal point's row, cy,";
  return stx_fail(error,
      "ground=calibration, but the %s is unknown: set calibration=FILE or the properties focal, "
      "cy, "
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
  track->bends = mode == STX_ROAD_PIECEWISE;
  track->estimate =
      track->bends || mode == STX_ROAD_ESTIMATE || (mode == STX_ROAD_AUTO && !track->known);
  return track->known || track->estimate || fail_unknown(camera, error);
}

/* Half of the way between the disparities of two bent lines, at the rows where the second bends, at
 * the bottom of the image and at the end. */
static void move_towards_bent(StxRoadLine *line, const StxRoadLine *found, int height)
{
  StxRoadLine to = *found;
  double row = height - 1, end = stx_roadline_end(line);
  double d = stx_roadline_at(line, row);
  d += SMOOTHING * (stx_roadline_at(found, row) - d);
  end += SMOOTHING * (stx_roadline_end(found) - end);
  to.bends = 0;
  to.tilt = line->tilt + SMOOTHING * (found->tilt - line->tilt);
  for (int i = 0; i <= found->bends; i++) {
    bool last = i == found->bends;
    double next = last ? end : found->bend[i].row;
    double there = last ? 0 : stx_roadline_at(line, next);
    if (!last)
      there += SMOOTHING * (stx_roadline_at(found, next) - there);
    if (!last && !(there > 0 && there < d && next > end))
      continue; /* bends no more */
    double slope = (d - there) / (row - next);
    if (to.bends == 0 && row == height - 1) {
      to.slope = slope;
      to.horizon = row - d / slope;
    } else {
      to.bend[to.bends++] = (StxRoadBend){row, slope};
    }
    row = next;
    d = there;
  }
  *line = to;
}

static void take(StxRoadTrack *track, const StxRoadLine *found, bool near, int height)
{
  if (near && track->seen && track->line.bends + found->bends > 0)
    move_towards_bent(&track->line, found, height);
  else if (near && track->seen) {
    StxRoadLine *line = &track->line;
    line->slope += SMOOTHING * (found->slope - line->slope);
    line->horizon += SMOOTHING * (found->horizon - line->horizon);
    line->tilt += SMOOTHING * (found->tilt - line->tilt);
    line->centre = found->centre;
    line->support = found->support;
    line->noise += SMOOTHING * (found->noise - line->noise);
  } else
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
  const StxRoadLine *before = near ? &track->line : NULL;
  bool shown = stx_roadline_estimate(grid, columns, before, &found, scratch);
  /* If it is to bend and nothing is near the one so far, a clear one anywhere: what is far from the
   * expected is what bends are for. */
  if (!shown && track->bends && before != NULL)
    shown = stx_roadline_estimate(grid, columns, NULL, &found, scratch) && found.support >= CLEAR;
  if (track->bends && (shown || before != NULL)) {
    if (!shown)
      found = *before;
    shown = stx_roadline_bend(grid, columns, before, &found, scratch) || shown;
  }
  if (shown)
    take(track, &found, near, grid->height);
  else if (track->misses < STX_ROAD_MISSES_MAX)
    track->misses++;
  return track->known ? &track->line : NULL;
}
