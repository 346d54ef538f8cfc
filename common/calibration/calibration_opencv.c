/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * OpenCV's FileStorage, with the names of its sample stereo_calib (intrinsics.yml, extrinsics.yml)
 * and of the arguments of stereoCalibrate and stereoRectify; and of the calibrator of the ZED's
 * maker, which writes millimetres and R as a rotation vector. OpenCV does not name the pictures'
 * size; with image_width and image_height in the file, sizes are compared.
 */
#include "common/calibration/calibration_private.h"

#include "common/rotation.h"

#define FISHEYE "fisheye_model|fisheye"

#define KEYS(n, side)                                                                              \
  .model = "distortion_model", .matrix = "K" n "|M" n "|cameraMatrix" n "|K_" side,                \
  .coefficients = "D" n "|distCoeffs" n "|D_" side "|D_" side "_FE",                               \
  .both = "image_size|imageSize|size|Size", .width = "image_width|width",                          \
  .height = "image_height|height", .r = "R" n, .p = "P" n

static const StxCameraKeys cameras[] = {{KEYS("1", "LEFT")}, {KEYS("2", "RIGHT")}};

static bool read_pose(StxCalibrationInput *input, StxCalibration *c)
{
  const StxCalibrationPart *files = &input->first;
  if (stx_calibration_find(files, "R") == NULL)
    return stx_fail(files->error,
        "%s: no \"R\" between the cameras: OpenCV's sample writes it to extrinsics.yml, which is "
        "the calibration-right then; else calibrate the pair with stereoCalibrate",
        files->file);
  stx_calibration_note(input, STX_CALIBRATION_POSE, 0, files, "R");
  stx_calibration_note(input, STX_CALIBRATION_POSE, 1, files, "T");
  int count = stx_calibration_numbers(files, "R", c->r, 9);
  if (count == 3) {
    const double vector[3] = {c->r[0], c->r[1], c->r[2]};
    stx_rotation_from_vector(vector, c->r);
  }
  return count >= 0 && (count == 3 || stx_calibration_exactly(files, "R", c->r, 9)) &&
         stx_calibration_exactly(files, "T", c->t, 3);
}

static bool read(StxCalibrationInput *input, StxCalibration *c)
{
  const StxCalibrationPart *files = &input->first;
  double fisheye;
  input->first.more = &input->second;
  if (!stx_calibration_number(files, FISHEYE, 0, &fisheye))
    return false;
  c->rectified = true;
  for (int i = 0; i < 2; i++) {
    c->rectified = c->rectified && stx_calibration_find(files, cameras[i].r) != NULL &&
                   stx_calibration_find(files, cameras[i].p) != NULL;
    if (fisheye != 0 || stx_calibration_find(files, "D_LEFT_FE") != NULL)
      c->camera[i].lens.model = STX_LENS_FISHEYE;
  }
  return stx_calibration_camera(input, files, &cameras[0], 0, c) &&
         stx_calibration_camera(input, files, &cameras[1], 1, c) &&
         (c->rectified || read_pose(input, c));
}

const StxCalibrationFormat stx_calibration_opencv = {
    "OpenCV", "K1|M1|cameraMatrix1|K2|M2|cameraMatrix2", read, 1, "correct it, or calibrate again"};
const StxCalibrationFormat stx_calibration_zed_opencv = {
    "ZED's OpenCV", "K_LEFT|K_RIGHT", read, .001, "correct it, or calibrate again"};
