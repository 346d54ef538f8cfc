/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ROS: sensor_msgs/CameraInfo of each camera, as camera_calibration_parsers write it or as the
 * message itself is printed (K, D, R, P; small letters with ROS 2); a file per camera, or both in
 * one, as in ost.txt. The projection of the right camera holds the baseline.
 *
 * REP 104: K and P are for the whole picture of width × height, of which the camera delivers the
 * part `roi`, `binning` pixels across and down as one. Many drivers write those of the pictures
 * that they deliver: then the principal point is near the middle of these.
 */
#include "common/calibration/calibration_private.h"

#include <math.h>

#include "common/camera.h"

static const StxCameraKeys camera_keys = {.model = "distortion_model",
    .otherwise = "plumb_bob",
    .matrix = "camera_matrix|K|k",
    .coefficients = "distortion_coefficients|D|d",
    .width = "image_width|width",
    .height = "image_height|height",
    .r = "rectification_matrix|R|r",
    .p = "projection_matrix|P|p"};

/* The delivered part along one side: where it begins, and how many pixels are one. */
typedef struct {
  double begin, binning, length;
} Side;

static bool read_side(const StxCalibrationPart *camera, bool across, double whole, Side *side)
{
  StxCalibrationPart roi;
  *side = (Side){0, 1, whole};
  if (!stx_calibration_number(camera, across ? "binning_x" : "binning_y", 1, &side->binning))
    return false;
  if (side->binning == 0)
    side->binning = 1;
  if (stx_calibration_find(camera, "roi") == NULL)
    return true;
  double length;
  if (!stx_calibration_part(camera, "roi", &roi) ||
      !stx_calibration_number(&roi, across ? "x_offset" : "y_offset", 0, &side->begin) ||
      !stx_calibration_number(&roi, across ? "width" : "height", 0, &length))
    return false;
  if (length > 0)
    side->length = length;
  return true;
}

/* The distance of a principal point from the middle of a picture, as a ratio's logarithm. */
static double off_middle(const StxLens *lens, double width, double height)
{
  return fabs(log((2 * lens->cx + 1) / width)) + fabs(log((2 * lens->cy + 1) / height));
}

static bool apply(
    const StxCalibrationPart *part, StxCalibratedCamera *camera, int width, int height)
{
  Side x, y;
  if (!read_side(part, true, camera->width, &x) || !read_side(part, false, camera->height, &y))
    return false;
  if (!(x.binning >= 1 && y.binning >= 1 && x.begin >= 0 && y.begin >= 0 &&
          x.begin + x.length <= camera->width && y.begin + y.length <= camera->height))
    return stx_fail(part->error,
        "%s: roi takes %gx%g pixels from (%g, %g) on, %g by %g as one, which %dx%d does not have: "
        "%s",
        part->file, x.length, y.length, x.begin, y.begin, x.binning, y.binning, camera->width,
        camera->height, part->cure);
  StxLens *lens = &camera->lens;
  double whole[2] = {camera->width, camera->height};
  if ((width == camera->width && height == camera->height) || (int)(x.length / x.binning) < 1 ||
      (int)(y.length / y.binning) < 1)
    return true;
  camera->width = (int)(x.length / x.binning);
  camera->height = (int)(y.length / y.binning);
  if (off_middle(lens, camera->width, camera->height) < off_middle(lens, whole[0], whole[1]))
    return true;
  double *p = camera->p;
  lens->fx /= x.binning;
  lens->fy /= y.binning;
  lens->cx = stx_scaled_centre(lens->cx - x.begin, 1 / x.binning);
  lens->cy = stx_scaled_centre(lens->cy - y.begin, 1 / y.binning);
  p[2] = stx_scaled_centre(p[2] - x.begin, 1 / x.binning);
  p[6] = stx_scaled_centre(p[6] - y.begin, 1 / y.binning);
  p[0] /= x.binning;
  p[3] /= x.binning;
  p[5] /= y.binning;
  return true;
}

static bool read_camera(
    StxCalibrationInput *input, const StxCalibrationPart *part, int side, StxCalibration *c)
{
  StxCalibratedCamera *camera = &c->camera[side];
  if (!stx_calibration_camera(input, part, &camera_keys, side, c) ||
      (camera->width > 0 && !apply(part, camera, input->width, input->height)))
    return false;
  bool none = true; /* simulators leave R at zeros where they have no lens */
  for (int i = 0; i < 9; i++)
    none = none && camera->r[i] == 0;
  for (int i = 0; i < 3 && none; i++)
    camera->r[4 * i] = 1;
  return true;
}

static bool read(StxCalibrationInput *input, StxCalibration *c)
{
  StxCalibrationPart both[2] = {input->first, input->second};
  c->rectified = true;
  if (stx_calibration_find(&input->first, "left") != NULL &&
      (!stx_calibration_part(&input->first, "left", &both[0]) ||
          !stx_calibration_part(&input->first, "right", &both[1])))
    return false;
  if (both[1].tree == NULL)
    return stx_fail(input->first.error,
        "%s is of one camera: give the file of the right one, too, as calibration-right",
        input->first.file);
  return read_camera(input, &both[0], 0, c) && read_camera(input, &both[1], 1, c);
}

const StxCalibrationFormat stx_calibration_ros = {"ROS", "camera_matrix|K|k|left", read, 1,
    "correct it, or calibrate both cameras together again"};
