/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Confirmation over time. What stands on the road is at the same place in the next frame, moved by
 * the camera; a shadow's edge or noise that looks upright once mostly is not. So a place is
 * followed: each frame moves it by the camera's motion, and a record within reach has its history.
 * If several places are in reach, the nearest counts; of several records there the first, which is
 * the nearest to the camera, keeps its number.
 *
 *   reported   a record of this frame whose place has been seen in `confirm` of the last
 *              `confirm` + 1 frames, this one included, with `confirm` times `evidence` in all
 *   alone      a frame whose motion is unknown has none before it: `confirm` times `evidence`
 *   holes      need none: one frame with `evidence` is enough for what has passed their tests
 *   repeated   the same frame again (STX_MOTION_STILL) counts once
 */
#include "common/hazards/hazards_private.h"

#include <math.h>

#define REACH_X .2  /* m across between a place and a record of it, at most */
#define REACH_Z .4  /* m ahead between them, at most */
#define REACH_PX 1. /* px of disparity that are added to REACH_Z */
#define LATE .25    /* share of a step by which a motion may take another time */

/* ---- Motion ---------------------------------------------------------------------------------- */

static bool is_of_another_time(const StxHazardsPlaces *places, const StxHazardsFrame *frame)
{
  if (frame->interval == STX_HAZARDS_NO_TIME || frame->interval == 0 ||
      frame->time == STX_HAZARDS_NO_TIME || places->time == STX_HAZARDS_NO_TIME)
    return false;
  double step = (double)frame->time - (double)places->time;
  return fabs((double)frame->interval - step) > LATE * step;
}

/* Moves the places on to this frame; they go once no frame that counts has seen them. */
static void expect(StxHazardsPlaces *places, const StxMotion *motion, int confirm)
{
  const double *r = motion->rotation, *t = motion->translation;
  size_t kept = 0;
  for (size_t i = 0; i < places->count; i++) {
    HazardsPlace *place = &places->place[i];
    int last = 0;
    double x = place->x, y = place->y, z = place->z;
    place->x = r[0] * x + r[1] * y + r[2] * z + t[0];
    place->y = r[3] * x + r[4] * y + r[5] * z + t[1];
    place->z = r[6] * x + r[7] * y + r[8] * z + t[2];
    place->near += place->z - z;
    place->far += place->z - z;
    for (int k = confirm; k > 0; k--)
      last |= place->evidence[k] = place->evidence[k - 1];
    place->evidence[0] = 0;
    place->age++;
    if (last != 0)
      places->place[kept++] = *place;
  }
  places->count = kept;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* The distance between a record and a place, for the nearest one; infinite: out of reach. */
static double distance(const HazardsPlace *place, const StxHazardsSeen *seen, double per_pixel)
{
  const StxObstacle *record = &seen->record;
  double apart = fabs(record->x - place->x) - .5 * (record->width + place->width);
  double off = fmax(place->near - seen->far, seen->near - place->far);
  double reach = REACH_Z + REACH_PX * place->z * place->z * per_pixel;
  bool hole = (record->flags & STX_OBSTACLE_HOLE) != 0;
  if (place->hole != hole || apart > REACH_X || off > reach)
    return INFINITY;
  return fabs(record->x - place->x) + fabs(record->z - place->z);
}

/* Returns the nearest of the places before this frame; NULL: none is within reach. */
static HazardsPlace *nearest(
    StxHazardsPlaces *places, size_t known, const StxHazardsSeen *seen, double per_pixel)
{
  HazardsPlace *best = NULL;
  double least = INFINITY;
  for (size_t i = 0; i < known; i++) {
    double off = distance(&places->place[i], seen, per_pixel);
    if (off < least) {
      least = off;
      best = &places->place[i];
    }
  }
  return best;
}

/* The record's place, with the history of the one before. */
static HazardsPlace place_of(const StxHazardsSeen *seen, HazardsPlace *before)
{
  const StxObstacle *record = &seen->record;
  HazardsPlace place = {.id = 0};
  if (before != NULL) {
    place = *before;
    place.id = before->seen ? 0 : before->id;
    before->seen = true;
  }
  place.seen = false;
  place.x = record->x;
  place.y = isnan(record->y) ? 0 : record->y;
  place.z = record->z;
  place.width = record->width;
  place.near = seen->near;
  place.far = seen->far;
  place.hole = (record->flags & STX_OBSTACLE_HOLE) != 0;
  place.evidence[0] = seen->evidence;
  return place;
}

/* Its evidence over what is needed; less than 1: it is not confirmed. */
static double confirmed(const HazardsPlace *place, const StxHazardsParams *params, bool alone)
{
  double one = HAZARDS_UNITS * params->evidence;
  uint32_t sum = 0;
  int frames = 0;
  for (int k = 0; k <= params->confirm; k++) {
    frames += place->evidence[k] > 0;
    sum += place->evidence[k];
  }
  double all = alone || frames >= params->confirm ? sum / (params->confirm * one) : 0;
  return fmax(all, place->hole ? place->evidence[0] / one : 0);
}

uint32_t stx_hazards_least(const StxHazardsParams *params, const StxHazardsFrame *frame)
{
  double share = frame->motion != NULL && params->confirm > 1 ? HAZARDS_WEAK : 1;
  return (uint32_t)(HAZARDS_UNITS * share * params->evidence);
}

/* Moves the places on, or forgets them. */
static void begin(
    StxHazardsPlaces *places, const StxHazardsParams *params, const StxHazardsFrame *frame)
{
  StxMotionState state = frame->motion->state;
  bool same = places->confirm == params->confirm;
  bool late = is_of_another_time(places, frame);
  places->time = frame->time;
  if (same && state == STX_MOTION_STILL)
    return;
  places->alone = !same || state != STX_MOTION_KNOWN || late;
  if (places->alone)
    places->count = 0;
  else
    expect(places, frame->motion, params->confirm);
  places->confirm = params->confirm;
}

size_t stx_hazards_follow(StxHazardsPlaces *places, const StxHazardsParams *params,
    const StxHazardsFrame *frame, const StxHazardsSeen *seen, size_t count, StxObstacle *hazards)
{
  double per_pixel = 1 / (frame->camera.focal * frame->camera.baseline);
  size_t told = 0, known;
  begin(places, params, frame);
  known = places->count;
  for (size_t i = 0; i < count && places->count < HAZARDS_PLACES; i++) {
    HazardsPlace *place = &places->place[places->count++];
    *place = place_of(&seen[i], nearest(places, known, &seen[i], per_pixel));
    double share = confirmed(place, params, places->alone);
    if (share < 1 || !(seen[i].record.z <= params->max_distance))
      continue;
    if (place->id == 0)
      place->id = ++places->ids > 0 ? places->ids : ++places->ids;
    hazards[told] = seen[i].record;
    hazards[told].id = place->id;
    hazards[told].age = place->age;
    hazards[told++].confidence = (float)(1 - .5 / share);
  }
  size_t kept = 0;
  for (size_t i = 0; i < places->count; i++)
    if (!places->place[i].seen)
      places->place[kept++] = places->place[i];
  places->count = kept;
  return told;
}
