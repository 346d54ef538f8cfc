/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DepthAI's JSON of an OAK camera (EepromData). cameraData is a list of [socket, camera]; the
 * extrinsics of each lead to the camera in toCameraSocket, in centimetres, so that left and right
 * may meet in a third one. cameraType 0 is perspective, 1 fisheye.
 */
#include "common/calibration/calibration_private.h"

#include <math.h>
#include <stdio.h>

#include "common/rotation.h"

#define MOST_STEPS 8
#define NO_SOCKET 255 /* what is not set is this, or -1 */

/* ---- Cameras ------------------------------------------------------------------------------ */

/* The camera in a socket; false if there is none. */
static bool at_socket(const StxCalibrationInput *input, int socket, StxCalibrationPart *camera)
{
  const json_t *list = stx_calibration_find(&input->first, "cameraData");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *entry = json_array_get(list, i);
    if (json_number_value(json_array_get(entry, 0)) != socket ||
        !json_is_object(json_array_get(entry, 1)))
      continue;
    *camera = input->first;
    camera->tree = json_array_get(entry, 1);
    camera->line = 0;
    snprintf(camera->group, sizeof camera->group, "socket %d", socket);
    return true;
  }
  return false;
}

static bool read_camera(StxCalibrationInput *input, int socket, int side, StxCalibration *c)
{
  static const StxCameraKeys keys = {.matrix = "intrinsicMatrix",
      .coefficients = "distortionCoeff",
      .spare = true,
      .width = "width",
      .height = "height"};
  StxCalibrationPart part;
  double type;
  if (!at_socket(input, socket, &part))
    return stx_fail(input->first.error, "%s: no camera in socket %d, which is one of the pair: %s",
        stx_calibration_place(&input->first, "cameraData").text, socket, input->first.cure);
  if (!stx_calibration_number(&part, "cameraType", 0, &type))
    return false;
  if (type != 0 && type != 1)
    return stx_fail(part.error, "%s: cameraType is %g; expected 0 or 1 (fisheye): %s",
        stx_calibration_place(&part, "cameraType").text, type, part.cure);
  c->camera[side].lens.model = type == 1 ? STX_LENS_FISHEYE : STX_LENS_BROWN;
  return stx_calibration_camera(input, &part, &keys, side, c);
}

/* ---- From the left to the right ----------------------------------------------------------- */

/* The pose from the camera where a path begins to the camera in `socket`. */
typedef struct {
  int socket;
  StxCalibrationPose pose;
} Step;

/* One step on. False with an error, or at the end of the way, where `to` has no socket. */
static bool go_on(const StxCalibrationInput *input, const Step *from, Step *to)
{
  StxCalibrationPart camera, extrinsics, xyz;
  double socket, r[9], t[3];
  to->socket = -1;
  if (!at_socket(input, from->socket, &camera) ||
      stx_calibration_find(&camera, "extrinsics") == NULL)
    return true;
  if (!stx_calibration_part(&camera, "extrinsics", &extrinsics) ||
      !stx_calibration_number(&extrinsics, "toCameraSocket", -1, &socket))
    return false;
  if (!(socket >= 0) || !(socket < NO_SOCKET))
    return true;
  snprintf(extrinsics.group, sizeof extrinsics.group, "extrinsics of socket %d", from->socket);
  if (!stx_calibration_exactly(&extrinsics, "rotationMatrix", r, 9) ||
      !stx_calibration_part(&extrinsics, "translation", &xyz) ||
      !stx_calibration_number(&xyz, "x", NAN, &t[0]) ||
      !stx_calibration_number(&xyz, "y", NAN, &t[1]) ||
      !stx_calibration_number(&xyz, "z", NAN, &t[2]))
    return false;
  to->socket = (int)socket;
  stx_matrix_product(r, from->pose.r, to->pose.r);
  stx_matrix_apply(r, from->pose.t, to->pose.t);
  for (int i = 0; i < 3; i++)
    to->pose.t[i] += t[i];
  return true;
}

/* The steps of a way, their number; 0 with an error. */
static int walk(const StxCalibrationInput *input, int socket, Step steps[MOST_STEPS])
{
  int count = 1;
  steps[0] = (Step){socket, stx_calibration_no_turn};
  for (; count < MOST_STEPS; count++) {
    if (!go_on(input, &steps[count - 1], &steps[count]))
      return 0;
    if (steps[count].socket < 0)
      break;
  }
  return count;
}

static bool read_pose(const StxCalibrationInput *input, const int socket[2], StxCalibration *c)
{
  Step ways[2][MOST_STEPS];
  int counts[2] = {walk(input, socket[0], ways[0]), 0};
  if (counts[0] == 0)
    return false;
  counts[1] = walk(input, socket[1], ways[1]);
  if (counts[1] == 0)
    return false;
  for (int i = 0; i < counts[0]; i++)
    for (int j = 0; j < counts[1]; j++)
      if (ways[0][i].socket == ways[1][j].socket) {
        const StxCalibrationPose met[] = {ways[0][i].pose, ways[1][j].pose};
        stx_calibration_between(met, true, c);
        return true;
      }
  return stx_fail(input->first.error,
      "%s: no extrinsics lead from the camera in socket %d to that in socket %d: %s",
      stx_calibration_place(&input->first, "cameraData").text, socket[0], socket[1],
      input->first.cure);
}

/* The pair is named, or in the sockets CAM_B and CAM_C. */
static bool read_sockets(const StxCalibrationInput *input, int socket[2])
{
  static const char *const names[] = {"leftCameraSocket", "rightCameraSocket"};
  StxCalibrationPart part;
  for (int i = 0; i < 2; i++)
    socket[i] = 1 + i;
  if (!json_is_object(stx_calibration_find(&input->first, "stereoRectificationData")) ||
      !stx_calibration_part(&input->first, "stereoRectificationData", &part))
    return true;
  double found[2];
  for (int i = 0; i < 2; i++)
    if (!stx_calibration_number(&part, names[i], -1, &found[i]))
      return false;
  for (int i = 0; i < 2; i++)
    if (found[0] >= 0 && found[1] >= 0 && found[0] < NO_SOCKET && found[1] < NO_SOCKET)
      socket[i] = (int)found[i];
  return true;
}

/* The way between the cameras begins at the left one. */
static bool read(StxCalibrationInput *input, StxCalibration *c)
{
  StxCalibrationPart left;
  int socket[2];
  if (!read_sockets(input, socket) || !read_camera(input, socket[0], 0, c) ||
      !read_camera(input, socket[1], 1, c))
    return false;
  at_socket(input, socket[0], &left);
  stx_calibration_note(input, STX_CALIBRATION_POSE, 0, &left, "extrinsics");
  stx_calibration_note(input, STX_CALIBRATION_POSE, 1, &left, "extrinsics");
  return read_pose(input, socket, c);
}

const StxCalibrationFormat stx_calibration_depthai = {"DepthAI", "cameraData", read, 0.01,
    "write it again with eepromToJsonFile (), or calibrate again"};
