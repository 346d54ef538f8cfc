/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-eval lidar --pictures: where ground was found and missed. */
#include "examples/stx-eval/stx_eval_lidar.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "common/colour/colour.h"
#include "common/ground/ground.h"
#include "examples/shared/png_io.h"

#define SIDE 1000
#define PIXELS_PER_M 10.0

/* In the order in which they lie over each other. */
typedef enum { IGNORED, TRUE_OTHER, TRUE_GROUND, MISSED, FALSE_GROUND, OUTCOMES } Outcome;

static const StxMeaning meanings[OUTCOMES] = {[IGNORED] = STX_MEANS_IGNORED,
    [TRUE_OTHER] = STX_MEANS_TRUTH,
    [TRUE_GROUND] = STX_MEANS_TRUE_POSITIVE,
    [MISSED] = STX_MEANS_FALSE_NEGATIVE,
    [FALSE_GROUND] = STX_MEANS_FALSE_POSITIVE};

static Outcome outcome_of(PointTruth truth, bool ground)
{
  if (truth == TRUTH_IGNORED)
    return IGNORED;
  if (truth == TRUTH_GROUND)
    return ground ? TRUE_GROUND : MISSED;
  return ground ? FALSE_GROUND : TRUE_OTHER;
}

/* The pixel where a point lies; false: outside. */
static bool pixel_of(const float *point, size_t *pixel)
{
  double row = SIDE / 2 - floor((double)point[0] * PIXELS_PER_M) - 1;
  double column = SIDE / 2 - floor((double)point[1] * PIXELS_PER_M) - 1;
  if (!(row >= 0 && row < SIDE && column >= 0 && column < SIDE))
    return false;
  *pixel = (size_t)row * SIDE + (size_t)column;
  return true;
}

bool lidar_save_picture(const char *path, const LidarScan *scan, const PointTruth *truth,
    const uint32_t *labels, StxError *error)
{
  uint8_t *rgb = g_new0(uint8_t, 3 * SIDE * SIDE), *highest = g_new0(uint8_t, SIDE * SIDE);
  for (size_t i = 0; i < scan->count; i++) {
    size_t pixel;
    Outcome outcome = outcome_of(truth[i], labels[i] == STX_POINT_GROUND);
    if (!pixel_of(scan->points + 4 * i, &pixel) || highest[pixel] > outcome)
      continue;
    highest[pixel] = (uint8_t)outcome;
    StxRgb colour = stx_colour(meanings[outcome]);
    memcpy(rgb + 3 * pixel, &colour, 3);
  }
  bool good = png_save_rgb(path, rgb, SIDE, SIDE, error);
  g_free(highest);
  g_free(rgb);
  return good;
}
