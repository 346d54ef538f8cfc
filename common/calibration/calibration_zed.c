/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stereolabs' SN….conf. Every mode of the camera has sections of its own. [STEREO] holds the place
 * of the right camera seen from the left one (Baseline, TY, TZ; millimetres) and a rotation vector
 * (RX, CV, RZ), which is that of R; how they are meant shows in what the maker's sample programs
 * pass to OpenCV's stereoRectify, for which the sign of T makes no difference.
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
    {"vga", 672, 376}, {"fhd1200", 1920, 1200}, {"svga", 960, 600}};
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

static bool has(const StxCalibrationInput *input, const Mode *mode)
{
  return stx_calibration_find(&input->first, key_of("left_cam", mode).text) != NULL;
}

/* 3: of this size, 2: of this shape, 1: there at all. */
static int rank(const StxCalibrationInput *input, const Mode *mode)
{
  if (!has(input, mode))
    return 0;
  if (mode->width == input->width && mode->height == input->height)
    return 3;
  bool known = input->width > 0 && input->height > 0;
  return known && stx_same_shape(mode->width, mode->height, input->width, input->height) ? 2 : 1;
}

static const Mode *choose(const StxCalibrationInput *input)
{
  const Mode *best = &modes[0];
  for (size_t i = 1; i < MODES; i++)
    if (rank(input, &modes[i]) > rank(input, best))
      best = &modes[i];
  return best;
}

static bool read_camera(const StxCalibrationInput *input, const char *side, const Mode *mode,
    StxCalibratedCamera *camera)
{
  static const char *const names[] = {"k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"};
  StxLens *lens = &camera->lens;
  StxCalibrationPart part;
  if (!stx_calibration_part(&input->first, key_of(side, mode).text, &part) ||
      !stx_calibration_number(&part, "fx", NAN, &lens->fx) ||
      !stx_calibration_number(&part, "fy", NAN, &lens->fy) ||
      !stx_calibration_number(&part, "cx", NAN, &lens->cx) ||
      !stx_calibration_number(&part, "cy", NAN, &lens->cy))
    return false;
  if (!(lens->fx > 0 && lens->fy > 0))
    return stx_fail(part.error,
        "%s: the focal lengths \"fx\" and \"fy\" are %g and %g; expected more than 0: %s",
        stx_calibration_place(&part, lens->fx > 0 ? "fy" : "fx").text, lens->fx, lens->fy,
        part.cure);
  for (int i = 0; i < 8; i++)
    if (!stx_calibration_number(&part, names[i], i < 2 ? NAN : 0, &lens->d[i]))
      return false;
  camera->width = mode->width;
  camera->height = mode->height;
  return true;
}

static bool read_pose(const StxCalibrationInput *input, const Mode *mode, StxCalibration *c)
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
  stx_rotation_from_vector(turn, c->r);
  for (int i = 0; i < 3; i++)
    c->t[i] = -place[i];
  return true;
}

static bool read(const StxCalibrationInput *input, StxCalibration *c)
{
  const Mode *mode = choose(input);
  return read_camera(input, "left_cam", mode, &c->camera[0]) &&
         read_camera(input, "right_cam", mode, &c->camera[1]) && read_pose(input, mode, c);
}

/* The size of the pictures is that of the mode. */
static StxCalibrationPlace locate(
    const StxCalibrationInput *input, StxCalibrationThing thing, int side)
{
  const Mode *mode = choose(input);
  StxCalibrationPart part;
  Key key = key_of(side == 0 ? "left_cam" : "right_cam", mode);
  bool pose = thing == STX_CALIBRATION_TRANSLATION || thing == STX_CALIBRATION_ROTATION;
  stx_calibration_part(&input->first, pose ? "stereo" : key.text, &part);
  return stx_calibration_place_of(&part, pose ? "baseline" : "cx");
}

const StxCalibrationFormat stx_calibration_zed = {"ZED",
    "left_cam_hd|left_cam_2k|left_cam_fhd|left_cam_vga|left_cam_fhd1200|left_cam_svga", read, 0.001,
    "download the file of the camera's serial number again", locate};
