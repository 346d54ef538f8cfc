/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * KITTI's raw recordings: calib_cam_to_cam.txt (A. Geiger, P. Lenz, C. Stiller, R. Urtasun, "Vision
 * meets Robotics: The KITTI Dataset", IJRR 2013, and the development kit's readme). Pictures
 * before rectification have S_ pixels, those after it S_rect_.
 */
#include "common/calibration/calibration_private.h"

#include <stdio.h>

typedef struct {
  char text[32];
} Key;

static Key key_of(const char *what, int camera)
{
  Key key;
  snprintf(key.text, sizeof key.text, "%s_%02d", what, camera);
  return key;
}

static bool has(const StxCalibrationInput *input, const char *what, int camera)
{
  return stx_calibration_find(&input->first, key_of(what, camera).text) != NULL;
}

static bool read_camera(
    const StxCalibrationPart *part, int number, StxCalibratedCamera *camera, int rectified[2])
{
  int size[2];
  camera->lens.model = STX_LENS_BROWN;
  if (!stx_calibration_matrix(part, key_of("K", number).text, &camera->lens) ||
      !stx_calibration_coefficients(part, key_of("D", number).text, &camera->lens) ||
      !stx_calibration_exactly(part, key_of("R_rect", number).text, camera->r, 9) ||
      !stx_calibration_exactly(part, key_of("P_rect", number).text, camera->p, 12) ||
      !stx_calibration_size(part, key_of("S", number).text, NULL, NULL, size) ||
      !stx_calibration_size(part, key_of("S_rect", number).text, NULL, NULL, rectified))
    return false;
  camera->width = size[0];
  camera->height = size[1];
  return true;
}

/* The left camera of the pair. */
static int left_of(const StxCalibrationInput *input)
{
  if (input->pair >= 0)
    return input->pair;
  return has(input, "K", 2) || has(input, "K", 3) ? 2 : 0;
}

static bool read(const StxCalibrationInput *input, StxCalibration *c)
{
  int left = left_of(input), size[2][2];
  c->rectified = true;
  for (int i = 0; i < 2; i++)
    if (!read_camera(&input->first, left + i, &c->camera[i], size[i]))
      return false;
  c->width = size[0][0];
  c->height = size[0][1];
  return true;
}

static StxCalibrationPlace locate(
    const StxCalibrationInput *input, StxCalibrationThing thing, int side)
{
  static const char *const keys[] = {[STX_CALIBRATION_MATRIX] = "K",
      [STX_CALIBRATION_SIZE] = "S",
      [STX_CALIBRATION_RECTIFICATION] = "R_rect",
      [STX_CALIBRATION_PROJECTION] = "P_rect"};
  return stx_calibration_place_of(&input->first, key_of(keys[thing], left_of(input) + side).text);
}

const StxCalibrationFormat stx_calibration_kitti = {"KITTI",
    "K_00|K_01|K_02|K_03|P_rect_00|P_rect_01|P_rect_02|P_rect_03", read, 1,
    "take the file of the recording's day, as it was downloaded", locate};
