/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The road as a plane. In an image its rows are linear in disparity: row = horizon + slope · d. */
#include "common/overlay/overlay_marks_private.h"

#include <math.h>

#define FEW 8      /* stixels of the ground say too little of it */
#define OUTLIER 10 /* rows: ground that is no part of the road */

/* Sums of a line by least squares. */
typedef struct {
  double n, d, row, dd, drow;
  size_t stixels;
} Sums;

static void add(Sums *sums, double disparity, double row, double weight)
{
  sums->n += weight;
  sums->d += weight * disparity;
  sums->row += weight * row;
  sums->dd += weight * disparity * disparity;
  sums->drow += weight * disparity * row;
}

static bool is_ground(const StxStixel *stixel)
{
  return stixel->kind == STX_KIND_GROUND && stixel->disparity_top > 0 &&
         stixel->disparity_bottom > stixel->disparity_top && isfinite(stixel->disparity_bottom);
}

static double row_at(const StxOverlayRoad *road, double disparity)
{
  return road->horizon + road->slope * disparity;
}

static bool fits(const StxOverlayRoad *known, const StxStixel *stixel)
{
  return known == NULL ||
         (fabs(row_at(known, (double)stixel->disparity_top) - stixel->top) < OUTLIER &&
             fabs(row_at(known, (double)stixel->disparity_bottom) - stixel->bottom) < OUTLIER);
}

/* Of all stixels of the ground, or of those near what is known. False: they are too few. */
static bool fit(const StxOverlayFacts *facts, const StxOverlayRoad *known, StxOverlayRoad *road)
{
  Sums sums = {0};
  for (size_t i = 0; i < facts->stixel_count; i++) {
    const StxStixel *stixel = &facts->stixels[i];
    if (!is_ground(stixel) || !fits(known, stixel))
      continue;
    add(&sums, (double)stixel->disparity_top, stixel->top, stixel->bottom - stixel->top + 1);
    add(&sums, (double)stixel->disparity_bottom, stixel->bottom, stixel->bottom - stixel->top + 1);
    sums.stixels++;
  }
  double spread = sums.n * sums.dd - sums.d * sums.d;
  if (sums.stixels < FEW || !(spread > 0))
    return false;
  road->slope = (sums.n * sums.drow - sums.d * sums.row) / spread;
  road->horizon = (sums.row - road->slope * sums.d) / sums.n;
  return road->slope > 0;
}

bool stx_overlay_find_road(
    const StxCamera *camera, const StxOverlayFacts *facts, StxOverlayRoad *road)
{
  StxOverlayRoad first;
  if (fit(facts, NULL, &first)) {
    if (!fit(facts, &first, road))
      *road = first;
    return true;
  }
  if (!stx_camera_has_ground(camera))
    return false;
  road->horizon = camera->cy - camera->focal * tan(camera->pitch);
  road->slope = camera->height / (camera->baseline * cos(camera->pitch));
  return true;
}
