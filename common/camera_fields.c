/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Refuses impossible numbers of a camera, almost always in another unit than is asked for, and
 * scales a camera to another image. */
#include "common/camera_fields.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- Units ---------------------------------------------------------------------------------- */

#define MOST_PITCH 0.7854 /* 45 degrees */
#define LEAST_FOCAL .05   /* of the image's width: a view of 169 degrees, which no plane shows */
#define MOST_SLOPE 64.    /* baseline over height: px of disparity per row of the road (satdp) */

/* Endoscopes have baselines of a millimetre, aerial and research rigs of several metres; small
 * robots have cameras a few centimetres above the road, gantries and drones tens of metres. */
static const struct {
  const char *what, *unit;
  size_t offset; /* into StxCamera */
  double low, high;
  struct {
    const char *name;
    double factor;
  } other[2]; /* units that may be meant where the number is too large, in ours */
} limits[] = {
    {"baseline", "m", offsetof(StxCamera, baseline), STX_CAMERA_LEAST_BASELINE,
        STX_CAMERA_MOST_BASELINE, {{"cm", .01}, {"mm", .001}}},
    {"camera height", "m", offsetof(StxCamera, height), .02, 100, {{"cm", .01}, {"mm", .001}}},
    {"camera pitch", "rad", offsetof(StxCamera, pitch), -MOST_PITCH, MOST_PITCH,
        {{"degrees", 0.017453292519943295}}},
    {"focal length", "px", offsetof(StxCamera, focal), 0, 1e6, {{NULL, 0}}},
};

static bool check_number(
    const StxCamera *camera, size_t i, const char *place, const char *cure, StxError *error)
{
  double value = *(const double *)((const char *)camera + limits[i].offset);
  char meant[96] = "";
  if (value == 0 || (value >= limits[i].low && value <= limits[i].high))
    return true;
  for (size_t k = 0; k < 2 && fabs(value) > limits[i].high && isfinite(value); k++) {
    double length = value * limits[i].other[k].factor;
    size_t used = strlen(meant);
    if (fabs(length) >= limits[i].low && length <= limits[i].high && length != 0)
      snprintf(meant + used, sizeof meant - used - 1, "%s%g %s are %.4g", used == 0 ? " (" : ", ",
          value, limits[i].other[k].name, length);
  }
  if (meant[0] != 0)
    strcat(meant, ")");
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

/* ---- Numbers ------------------------------------------------------------------------------- */

#define PI 3.14159265358979323846
#define NUMBER(member, least, most) STX_FIELD(DOUBLE, StxCamera, member), .low = least, .high = most
#define OR_MISSING(bit, value)                                                                     \
  .missing = bit, .missing_at = offsetof(StxCamera, missing), .unset = value

static const StxField camera_fields[] = {
    {"focal", "Focal length", "Focal length, pixels (0 = unset)", NUMBER(focal, 0, 1e6),
        .unit = "px"},
    {"cx", "Principal point x",
        "Column of the principal point, 0 = centre of the first pixel (-1000000 = unset)",
        NUMBER(cx, -1e6, 1e6), .unit = "px", OR_MISSING(STX_CAMERA_CX, -1e6)},
    {"cy", "Principal point y",
        "Row of the principal point, 0 = centre of the first pixel (-1000000 = unset)",
        NUMBER(cy, -1e6, 1e6), .unit = "px", OR_MISSING(STX_CAMERA_CY, -1e6)},
    {"baseline", "Baseline", "Distance of the two cameras, metres (0 = unset)",
        NUMBER(baseline, 0, 1e3), .unit = "m"},
    {"camera-height", "Camera height", "Height above the road, metres (0 = unset)",
        NUMBER(height, 0, 1e3), .unit = "m"},
    {"camera-pitch", "Camera pitch", "Pitch, radians, positive looks down (-2 = unset)",
        NUMBER(pitch, -PI / 2, PI / 2), .unit = "rad", OR_MISSING(STX_CAMERA_PITCH, -2)},
};
static const StxCamera unknown_camera = {.missing = STX_CAMERA_ALL};
static bool check_camera(const void *camera, StxError *error)
{
  return stx_camera_check(camera, "properties", "set it in these units", error);
}
const StxFields stx_camera_fields = {
    STX_FIELDS_OF(camera_fields), &unknown_camera, .check = check_camera};

/* ---- Another image ------------------------------------------------------------------------- */

/*
 * Limits of a principal point, in halves of the image: 1 is the middle. Rectified pairs have theirs
 * within a tenth of it or so. In an image scaled by 1/2 it seems to be at 2, along both sides;
 * images are not scaled by a tenth: then it was not meant for a principal point.
 */
#define HALVES_DOUBTFUL 1.25
#define HALVES_SCALED 1.33 /* geometric mean of both sides */
#define HALVES_ALIKE 1.25
#define HALVES_ABSURD 10

/* Neither is more than `factor` times the other. */
static bool are_near(double a, double b, double factor)
{
  return a <= b * factor && b <= a * factor;
}

static bool is_scaled(double x, double y)
{
  return are_near(x, y, HALVES_ALIKE) && !are_near(x * y, 1, HALVES_SCALED * HALVES_SCALED) &&
         are_near(x, 1, HALVES_ABSURD);
}

/* Judges an unknown size by the principal point. */
static bool judge(const StxCamera *camera, int width, int height, StxError *note)
{
  if (camera->focal <= 0) /* perhaps an unknown camera, all 0 */
    return true;
  double x = (2 * camera->cx + 1) / width, y = (2 * camera->cy + 1) / height;
  bool is_doubtful = !are_near(x, 1, HALVES_DOUBTFUL) || !are_near(y, 1, HALVES_DOUBTFUL);
  if (camera->missing & (STX_CAMERA_CX | STX_CAMERA_CY) || !is_doubtful)
    return true;
  if (is_scaled(x, y))
    return stx_fail(note,
        "the camera's principal point (%.5g, %.5g) is the middle of an image of about %.0fx%.0f; "
        "this one has %dx%d",
        camera->cx, camera->cy, x * width, y * height, width, height);
  stx_fail(note, "the camera's principal point (%.5g, %.5g) is far from the middle of %dx%d",
      camera->cx, camera->cy, width, height);
  return true;
}

static bool scale(StxCamera *camera, int width, int height, StxError *note)
{
  int from_width = camera->image_width, from_height = camera->image_height;
  double x = (double)width / from_width, y = (double)height / from_height;
  if (!stx_same_shape(width, height, from_width, from_height))
    return stx_fail(note,
        "the camera is that of an image of %dx%d, which cannot be scaled to %dx%d", from_width,
        from_height, width, height);
  /* Disparities are measured along rows: the horizontal factor is the exact one. */
  camera->focal *= x;
  camera->cx = stx_scaled_centre(camera->cx, x);
  camera->cy = stx_scaled_centre(camera->cy, y);
  stx_fail(note, "the camera of an image of %dx%d was scaled by %.4g to this one's %dx%d",
      from_width, from_height, x, width, height);
  return true;
}

static void keep_missing(StxCamera *camera)
{
  if (camera->missing & STX_CAMERA_CX)
    camera->cx = 0;
  if (camera->missing & STX_CAMERA_CY)
    camera->cy = 0;
}

bool stx_camera_fit(StxCamera *camera, int width, int height, StxError *note)
{
  if (note != NULL)
    note->text[0] = '\0';
  bool is_known = camera->image_width > 0 && camera->image_height > 0;
  bool is_same = camera->image_width == width && camera->image_height == height;
  if (is_known ? !is_same && !scale(camera, width, height, note)
               : !judge(camera, width, height, note))
    return false;
  keep_missing(camera);
  camera->image_width = width;
  camera->image_height = height;
  return true;
}

void stx_camera_complete(StxCamera *camera, const StxCamera *known, int width, int height)
{
  StxCamera fitted = *known;
  if (camera->focal <= 0 && fitted.focal > 0 && stx_camera_fit(&fitted, width, height, NULL))
    *camera = fitted;
}

void stx_camera_cut(StxCamera *camera, int left, int top, int width, int height)
{
  camera->cx -= left;
  camera->cy -= top;
  keep_missing(camera);
  camera->image_width = width;
  camera->image_height = height;
}

bool stx_camera_has_pixels(const StxCamera *camera)
{
  return camera->focal > 0 ||
         (camera->missing & (STX_CAMERA_CX | STX_CAMERA_CY)) != (STX_CAMERA_CX | STX_CAMERA_CY);
}

bool stx_camera_expect(const StxCamera *camera, int width, int height, StxError *error)
{
  if (!stx_camera_has_pixels(camera) || camera->image_width == 0 ||
      (camera->image_width == width && camera->image_height == height))
    return true;
  return stx_fail(error,
      "the caps say that this is of an image of %dx%d, but it has %dx%d. Scalers leave disparities "
      "as they are: scale the pictures, before stereo-sgm, or set disparity-scale of "
      "downsample-transpose. If it was cut, set "
      "camera-crop-left, -right, -top, -bottom",
      camera->image_width, camera->image_height, width, height);
}

bool stx_camera_of_data(StxCamera *camera, int width, int height, StxError *error)
{
  if (!stx_camera_expect(camera, width, height, error))
    return false;
  camera->image_width = stx_camera_has_pixels(camera) ? width : 0;
  camera->image_height = stx_camera_has_pixels(camera) ? height : 0;
  return stx_camera_check(
      camera, "caps", "correct the fields camera-… of the caps, or leave them out", error);
}
