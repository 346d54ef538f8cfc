/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kalibr's camchain.yaml: intrinsics are fx, fy, cx, cy, and T_cn_cnm1 of cam1 leads from cam0 to
 * cam1. cam0 is taken for the left camera.
 */
#include "common/calibration/calibration_private.h"

#include <string.h>

static bool read_intrinsics(const StxCalibrationPart *part, StxLens *lens)
{
  double four[4];
  if (strcmp(stx_calibration_text(part, "camera_model", "pinhole"), "pinhole") != 0)
    return stx_fail(part->error,
        "%s: the camera_model is none that can be read; expected pinhole: calibrate with "
        "pinhole-radtan or pinhole-equi",
        stx_calibration_place(part, "camera_model").text);
  if (!stx_calibration_exactly(part, "intrinsics", four, 4))
    return false;
  *lens = (StxLens){.fx = four[0], .fy = four[1], .cx = four[2], .cy = four[3]};
  return (four[0] > 0 && four[1] > 0) ||
         stx_fail(part->error,
             "%s: the focal lengths in \"intrinsics\" are %g and %g; expected more than 0: %s",
             stx_calibration_place(part, "intrinsics").text, four[0], four[1], part->cure);
}

static bool read_camera(const StxCalibrationPart *part, StxCalibratedCamera *camera)
{
  const char *model = stx_calibration_text(part, "distortion_model", "radtan");
  int size[2];
  if (!read_intrinsics(part, &camera->lens) || !stx_calibration_model(part, model, &camera->lens) ||
      !stx_calibration_coefficients(part, "distortion_coeffs", &camera->lens) ||
      !stx_calibration_size(part, "resolution", NULL, NULL, size))
    return false;
  camera->width = size[0];
  camera->height = size[1];
  return true;
}

static bool read(const StxCalibrationInput *input, StxCalibration *c)
{
  StxCalibrationPart left, right;
  double pose[16];
  if (!stx_calibration_part(&input->first, "cam0", &left) ||
      !stx_calibration_part(&input->first, "cam1", &right) || !read_camera(&left, &c->camera[0]) ||
      !read_camera(&right, &c->camera[1]) ||
      !stx_calibration_exactly(&right, "T_cn_cnm1", pose, 16))
    return false;
  for (int row = 0; row < 3; row++) {
    memcpy(c->r + 3 * row, pose + 4 * row, 3 * sizeof *pose);
    c->t[row] = pose[4 * row + 3];
  }
  return true;
}

static StxCalibrationPlace locate(
    const StxCalibrationInput *input, StxCalibrationThing thing, int side)
{
  StxCalibrationPart part;
  const char *keys = thing == STX_CALIBRATION_MATRIX ? "intrinsics"
                     : thing == STX_CALIBRATION_SIZE ? "resolution"
                                                     : "T_cn_cnm1";
  stx_calibration_part(&input->first, side == 0 ? "cam0" : "cam1", &part);
  return stx_calibration_place_of(&part, keys);
}

const StxCalibrationFormat stx_calibration_kalibr = {"Kalibr", "cam0", read, 1,
    "correct it, or run kalibr_calibrate_cameras for both cameras again", locate};
