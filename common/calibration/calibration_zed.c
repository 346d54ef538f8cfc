/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stereolabs' SN….conf. Every mode of the camera has sections of its own. [STEREO] holds T, but for
 * the sign of its x (Baseline, TY, TZ; millimetres), and a rotation vector (RX, CV, RZ), which is
 * that of R. So the maker's Python sample passes (-Baseline, TY, TZ) to OpenCV's stereoRectify, and
 * the maker's calibrator takes x alone with the other sign. The coefficients are in the modes'
 * sections, or, of calibrators since 2024, in [LEFT_DISTO] and [RIGHT_DISTO] for all modes; where
 * both are, the latter, which have more of them, count.
 */
#include "common/calibration/calibration_private.h"

#include <math.h>
#include <stdio.h>

#include "common/camera.h"
#include "common/rotation.h"

typedef struct {
  const char *name;
  int width, height;
} Mode;

static const Mode modes[] = {{"2k", 2208, 1242}, {"fhd", 1920, 1080}, {"hd", 1280, 720},
    {"vga", 672, 376}, {"fhd1200", 1920, 1200}, {"svga", 960, 600}, {"4k", 3840, 2160},
    {"qhdplus", 3200, 1800}};
#define MODES (sizeof modes / sizeof modes[0])

typedef struct {
  char text[48];
} Key;

static Key key_of(const char *format, const Mode *mode)
{
  Key key;
  snprintf(key.text, sizeof key.text, "%s_%s", format, mode->name);
  return key;
}

/* 3: of this size, 2: of this shape, 1: there at all. */
static int rank(const StxCalibrationInput *input, const Mode *mode)
{
  if (stx_calibration_find(&input->first, key_of("left_cam", mode).text) == NULL)
    return 0;
  if (mode->width == input->width && mode->height == input->height)
    return 3;
  bool known = input->width > 0 && input->height > 0;
  return known && stx_same_shape(mode->width, mode->height, input->width, input->height) ? 2 : 1;
}

/* The calibrator calls a lens a fisheye that has no tangential coefficients, but k3 and k4. */
static bool is_fisheye(const double d[8])
{
  return d[2] == 0 && d[3] == 0 && d[4] != 0 && d[5] != 0 && d[6] == 0 && d[7] == 0;
}

static bool read_camera(
    StxCalibrationInput *input, const char *side, const Mode *mode, int i, StxCalibration *c)
{
  static const char *const all_modes[] = {"left_disto", "right_disto"};
  StxCalibratedCamera *camera = &c->camera[i];
  StxLens *lens = &camera->lens;
  StxCalibrationPart part, bend;
  if (!stx_calibration_part(&input->first, key_of(side, mode).text, &part))
    return false;
  stx_calibration_note(input, STX_CALIBRATION_MATRIX, i, &part, "fx");
  stx_calibration_note(input, STX_CALIBRATION_SIZE, i, &part, "cx");
  bend = part;
  if (stx_calibration_find(&input->first, all_modes[i]) != NULL) {
    c->format = "ZED, [LEFT_DISTO] and [RIGHT_DISTO],";
    if (!stx_calibration_part(&input->first, all_modes[i], &bend))
      return false;
  }
  camera->width = mode->width;
  camera->height = mode->height;
  if (!stx_calibration_each(&part, "", "fx fy cx cy", NAN, &lens->fx) ||
      !stx_calibration_each(&bend, "", "k1 k2 p1 p2 k3 k4 k5 k6", NAN, lens->d))
    return false;
  if (is_fisheye(lens->d))
    *lens = (StxLens){lens->fx, lens->fy, lens->cx, lens->cy, STX_LENS_FISHEYE,
        {lens->d[0], lens->d[1], lens->d[4], lens->d[5]}};
  return true;
}

static bool read_pose(StxCalibrationInput *input, const Mode *mode, StxCalibration *c)
{
  static const char *const turns[] = {"rx", "cv", "rz"};
  StxCalibrationPart part;
  double place[3], turn[3];
  if (!stx_calibration_part(&input->first, "stereo", &part) ||
      !stx_calibration_number(&part, "baseline", NAN, &place[0]))
    return false;
  for (int i = 0; i < 3; i++) {
    char keys[64];
    snprintf(keys, sizeof keys, "%s_%s|%s", turns[i], mode->name, turns[i]);
    if (!stx_calibration_number(&part, keys, NAN, &turn[i]))
      return false;
    snprintf(keys, sizeof keys, "t%c_%s|t%c", 'x' + i, mode->name, 'x' + i);
    if (i > 0 && !stx_calibration_number(&part, keys, 0, &place[i]))
      return false;
  }
  stx_calibration_note(input, STX_CALIBRATION_POSE, 0, &part, "baseline");
  stx_calibration_note(input, STX_CALIBRATION_POSE, 1, &part, "baseline");
  stx_rotation_from_vector(turn, c->r);
  c->t[0] = -place[0];
  c->t[1] = place[1];
  c->t[2] = place[2];
  return true;
}

static bool read(StxCalibrationInput *input, StxCalibration *c)
{
  const Mode *mode = &modes[0];
  for (size_t i = 1; i < MODES; i++)
    if (rank(input, &modes[i]) > rank(input, mode))
      mode = &modes[i];
  return read_camera(input, "left_cam", mode, 0, c) &&
         read_camera(input, "right_cam", mode, 1, c) && read_pose(input, mode, c);
}

const StxCalibrationFormat stx_calibration_zed = {"ZED",
    "left_cam_hd|left_cam_2k|left_cam_fhd|left_cam_vga|left_cam_fhd1200|left_cam_svga|left_cam_4k|"
    "left_cam_qhdplus",
    read, .001,
    "correct it, or, of the maker's, download the file of the camera's serial number again"};
