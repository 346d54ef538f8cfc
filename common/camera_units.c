/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a camera's numbers cannot be: almost always one in another unit than is asked for. */
#include "common/camera_fields.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define MOST_PITCH 0.7854 /* 45 degrees */
#define LEAST_FOCAL .05   /* of the image's width: a view of 169 degrees, which no plane shows */
#define MOST_SLOPE 64.    /* baseline over height: px of disparity per row of the road (satdp) */

/* Endoscopes have baselines of a millimetre, aerial and research rigs of several metres; small
 * robots have cameras a few centimetres above the road, gantries and drones tens of metres. */
static const struct {
  const char *what, *unit;
  size_t offset; /* into StxCamera */
  double low, high;
  const char *other; /* the unit that is meant where the number is too large */
  double factor;     /* of that one, in ours */
} limits[] = {
    {"baseline", "m", offsetof(StxCamera, baseline), STX_CAMERA_LEAST_BASELINE,
        STX_CAMERA_MOST_BASELINE, "mm", .001},
    {"camera height", "m", offsetof(StxCamera, height), .02, 100, "mm", .001},
    {"camera pitch", "rad", offsetof(StxCamera, pitch), -MOST_PITCH, MOST_PITCH, "degrees",
        0.017453292519943295},
    {"focal length", "px", offsetof(StxCamera, focal), 0, 1e6, NULL, 0},
};

static bool check_number(
    const StxCamera *camera, size_t i, const char *place, const char *cure, StxError *error)
{
  double value = *(const double *)((const char *)camera + limits[i].offset);
  char meant[64] = "";
  if (value == 0 || (value >= limits[i].low && value <= limits[i].high))
    return true;
  if (fabs(value) > limits[i].high && isfinite(value) && limits[i].other != NULL)
    snprintf(
        meant, sizeof meant, " (%g %s are %.4g)", value, limits[i].other, value * limits[i].factor);
  return stx_fail(error, "%s: the %s is %g %s; expected %g to %g%s: %s", place, limits[i].what,
      value, limits[i].unit, limits[i].low, limits[i].high, meant, cure);
}

bool stx_camera_check(const StxCamera *camera, const char *place, const char *cure, StxError *error)
{
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
    if (!check_number(camera, i, place, cure, error))
      return false;
  if (camera->focal > 0 && camera->focal < LEAST_FOCAL * camera->image_width)
    return stx_fail(error,
        "%s: the focal length is %g px in an image %d px wide, a view of %.0f degrees; expected "
        "pixels: a lens's millimetres divided by a pixel's",
        place, camera->focal, camera->image_width,
        360 / 3.14159265358979323846 * atan(camera->image_width / (2 * camera->focal)));
  if (camera->height > 0 && camera->baseline > MOST_SLOPE * camera->height)
    return stx_fail(error,
        "%s: the baseline, %g m, is %.3g times the camera's height above the road, %g m; expected "
        "at most %g times, both in metres: %s",
        place, camera->baseline, camera->baseline / camera->height, camera->height, MOST_SLOPE,
        cure);
  return true;
}
