/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * KITTI's raw recordings: calib_cam_to_cam.txt (A. Geiger, P. Lenz, C. Stiller, R. Urtasun, "Vision
 * meets Robotics: The KITTI Dataset", IJRR 2013, and the development kit's readme). Pictures
 * before rectification have S_ pixels, those after it S_rect_.
 */
#include "common/calibration/calibration_private.h"

#include <stdio.h>
#include <string.h>

#include "common/rotation.h"

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
    StxCalibrationInput *input, int number, int side, StxCalibration *c, int rectified[2])
{
  Key k = key_of("K", number), d = key_of("D", number), s = key_of("S", number);
  Key r = key_of("R_rect", number), p = key_of("P_rect", number);
  const StxCameraKeys keys = {
      .matrix = k.text, .coefficients = d.text, .both = s.text, .r = r.text, .p = p.text};
  return stx_calibration_camera(input, &input->first, &keys, side, c) &&
         stx_calibration_size(&input->first, key_of("S_rect", number).text, NULL, NULL, rectified);
}

static bool read(StxCalibrationInput *input, StxCalibration *c)
{
  int left = input->pair >= 0 ? input->pair : has(input, "K", 2) || has(input, "K", 3) ? 2 : 0;
  int size[2][2];
  c->rectified = true;
  for (int i = 0; i < 2; i++)
    if (!read_camera(input, left + i, i, c, size[i]))
      return false;
  c->width = size[0][0];
  c->height = size[0][1];
  for (int i = 0; i < 2; i++) {
    StxCalibratedCamera *camera = &c->camera[i];
    bool same = camera->width == c->width && camera->height == c->height;
    if (!same && input->width == c->width && input->height == c->height &&
        stx_is_rotation(camera->r)) {
      c->format = "KITTI, of pictures that are rectified";
      /* As recordings often are, "synced", beside the same file: then nothing is to be done. */
      camera->lens =
          (StxLens){.fx = camera->p[0], .fy = camera->p[5], .cx = camera->p[2], .cy = camera->p[6]};
      camera->width = c->width;
      camera->height = c->height;
      memcpy(camera->r, stx_calibration_no_turn.r, sizeof camera->r);
    }
  }
  return true;
}

const StxCalibrationFormat stx_calibration_kitti = {"KITTI",
    "K_00|K_01|K_02|K_03|P_rect_00|P_rect_01|P_rect_02|P_rect_03", read, 1,
    "take the file of the recording's day, as it was downloaded"};
