/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * OpenCV's FileStorage, with the names of its sample stereo_calib (intrinsics.yml, extrinsics.yml)
 * and of the arguments of stereoCalibrate and stereoRectify. It does not name the pictures' size;
 * with image_width and image_height in the file, sizes are compared.
 */
#include "common/calibration/calibration_private.h"

#define FISHEYE "fisheye_model|fisheye"
#define BOTH "image_size|imageSize|size"
#define WIDTH "image_width|width"

static const char *const matrices[] = {"K1|M1|cameraMatrix1", "K2|M2|cameraMatrix2"};
static const char *const coefficients[] = {"D1|distCoeffs1", "D2|distCoeffs2"};
static const char *const rotations[] = {"R1", "R2"};
static const char *const projections[] = {"P1", "P2"};

/* The file that has the key, or the first one, to say that it is missing there. */
static const StxCalibrationPart *with(const StxCalibrationInput *input, const char *keys)
{
  bool second = stx_calibration_find(&input->first, keys) == NULL &&
                stx_calibration_find(&input->second, keys) != NULL;
  return second ? &input->second : &input->first;
}

static bool has(const StxCalibrationInput *input, const char *keys)
{
  return stx_calibration_find(with(input, keys), keys) != NULL;
}

static bool read_model(const StxCalibrationInput *input, StxLens *lens)
{
  const StxCalibrationPart *part = with(input, "distortion_model");
  const char *name = stx_calibration_text(part, "distortion_model", NULL);
  double fisheye;
  if (name != NULL)
    return stx_calibration_model(part, name, lens);
  if (!stx_calibration_number(with(input, FISHEYE), FISHEYE, 0, &fisheye))
    return false;
  lens->model = fisheye != 0 ? STX_LENS_FISHEYE : STX_LENS_BROWN;
  return true;
}

static bool read_camera(const StxCalibrationInput *input, int i, StxCalibratedCamera *camera)
{
  int size[2];
  const StxCalibrationPart *part = with(input, has(input, BOTH) ? BOTH : WIDTH);
  if (!read_model(input, &camera->lens) ||
      !stx_calibration_matrix(with(input, matrices[i]), matrices[i], &camera->lens) ||
      !stx_calibration_coefficients(with(input, coefficients[i]), coefficients[i], &camera->lens) ||
      !stx_calibration_size(part, BOTH, WIDTH, "image_height|height", size))
    return false;
  camera->width = size[0];
  camera->height = size[1];
  return true;
}

static bool read_rectified(const StxCalibrationInput *input, StxCalibration *c)
{
  for (int i = 0; i < 2; i++)
    if (!stx_calibration_exactly(with(input, rotations[i]), rotations[i], c->camera[i].r, 9) ||
        !stx_calibration_exactly(with(input, projections[i]), projections[i], c->camera[i].p, 12))
      return false;
  c->rectified = true;
  return true;
}

static bool read_pose(const StxCalibrationInput *input, StxCalibration *c)
{
  if (!has(input, "R"))
    return stx_fail(input->first.error,
        "%s: no \"R\" between the cameras: OpenCV's sample writes it to extrinsics.yml, which is "
        "the calibration-right then; else calibrate the pair with stereoCalibrate",
        input->first.file);
  return stx_calibration_exactly(with(input, "R"), "R", c->r, 9) &&
         stx_calibration_exactly(with(input, "T"), "T", c->t, 3);
}

static bool read(const StxCalibrationInput *input, StxCalibration *c)
{
  bool rectified = true;
  for (int i = 0; i < 2; i++) {
    if (!read_camera(input, i, &c->camera[i]))
      return false;
    rectified = rectified && has(input, rotations[i]) && has(input, projections[i]);
  }
  return rectified ? read_rectified(input, c) : read_pose(input, c);
}

static StxCalibrationPlace locate(
    const StxCalibrationInput *input, StxCalibrationThing thing, int side)
{
  const char *const keys[] = {[STX_CALIBRATION_MATRIX] = matrices[side],
      [STX_CALIBRATION_SIZE] = has(input, BOTH) ? BOTH : WIDTH,
      [STX_CALIBRATION_RECTIFICATION] = rotations[side],
      [STX_CALIBRATION_PROJECTION] = projections[side],
      [STX_CALIBRATION_ROTATION] = "R",
      [STX_CALIBRATION_TRANSLATION] = "T"};
  return stx_calibration_place_of(with(input, keys[thing]), keys[thing]);
}

const StxCalibrationFormat stx_calibration_opencv = {"OpenCV",
    "K1|M1|cameraMatrix1|K2|M2|cameraMatrix2", read, 1, "correct it, or calibrate again", locate};
