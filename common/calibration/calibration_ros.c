/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ROS: sensor_msgs/CameraInfo of each camera, as camera_calibration_parsers write it or as the
 * message itself is printed (K, D, R, P; small letters with ROS 2). The projection of the right
 * camera holds the baseline.
 */
#include "common/calibration/calibration_private.h"

#define MATRIX "camera_matrix|K|k"
#define RECTIFICATION "rectification_matrix|R|r"
#define PROJECTION "projection_matrix|P|p"
#define WIDTH "image_width|width"

static bool read_camera(const StxCalibrationPart *part, StxCalibratedCamera *camera)
{
  const char *model = stx_calibration_text(part, "distortion_model", "plumb_bob");
  int size[2];
  if (!stx_calibration_model(part, model, &camera->lens) ||
      !stx_calibration_matrix(part, MATRIX, &camera->lens) ||
      !stx_calibration_coefficients(part, "distortion_coefficients|D|d", &camera->lens) ||
      !stx_calibration_exactly(part, RECTIFICATION, camera->r, 9) ||
      !stx_calibration_exactly(part, PROJECTION, camera->p, 12) ||
      !stx_calibration_size(part, NULL, WIDTH, "image_height|height", size))
    return false;
  camera->width = size[0];
  camera->height = size[1];
  return true;
}

static bool read(const StxCalibrationInput *input, StxCalibration *c)
{
  c->rectified = true;
  if (input->second.tree == NULL)
    return stx_fail(input->first.error,
        "%s is of one camera: give the file of the right one, too, as calibration-right",
        input->first.file);
  return read_camera(&input->first, &c->camera[0]) && read_camera(&input->second, &c->camera[1]);
}

static StxCalibrationPlace locate(
    const StxCalibrationInput *input, StxCalibrationThing thing, int side)
{
  static const char *const keys[] = {[STX_CALIBRATION_MATRIX] = MATRIX,
      [STX_CALIBRATION_SIZE] = WIDTH,
      [STX_CALIBRATION_RECTIFICATION] = RECTIFICATION,
      [STX_CALIBRATION_PROJECTION] = PROJECTION};
  return stx_calibration_place_of(side == 0 ? &input->first : &input->second, keys[thing]);
}

const StxCalibrationFormat stx_calibration_ros = {
    "ROS", MATRIX, read, 1, "correct it, or calibrate both cameras together again", locate};
