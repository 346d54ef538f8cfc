/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DepthAI's JSON of an OAK camera (EepromData). cameraData is a list of [socket, camera]; the
 * extrinsics of each lead to the camera in toCameraSocket, in centimetres, so that left and right
 * may meet in a third one. cameraType 0 is perspective, 1 fisheye.
 */
#include "common/calibration/calibration_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/rotation.h"

#define MOST_STEPS 8

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

static bool read_camera(const StxCalibrationInput *input, int socket, StxCalibratedCamera *camera)
{
  StxCalibrationPart part;
  double type, all[STX_LENS_COEFFICIENTS];
  int size[2];
  if (!at_socket(input, socket, &part))
    return stx_fail(input->first.error, "%s: no camera in socket %d, which is one of the pair: %s",
        stx_calibration_place(&input->first, "cameraData").text, socket, input->first.cure);
  if (!stx_calibration_number(&part, "cameraType", 0, &type) ||
      !stx_calibration_matrix(&part, "intrinsicMatrix", &camera->lens) ||
      !stx_calibration_size(&part, NULL, "width", "height", size))
    return false;
  if (type != 0 && type != 1)
    return stx_fail(part.error, "%s: cameraType is %g; expected 0 or 1 (fisheye): %s",
        stx_calibration_place(&part, "cameraType").text, type, part.cure);
  camera->lens.model = type == 1 ? STX_LENS_FISHEYE : STX_LENS_BROWN;
  camera->width = size[0];
  camera->height = size[1];
  if (type == 0)
    return stx_calibration_coefficients(&part, "distortionCoeff", &camera->lens);
  int count = stx_calibration_numbers(&part, "distortionCoeff", all, STX_LENS_COEFFICIENTS);
  if (count >= 0 && count < 4)
    return stx_fail(part.error,
        "%s: \"distortionCoeff\" has %d coefficients; expected 4 or more: %s",
        stx_calibration_place(&part, "distortionCoeff").text, count, part.cure);
  memcpy(camera->lens.d, all, 4 * sizeof *all);
  return count >= 0;
}

/* ---- From the left to the right ----------------------------------------------------------- */

/* From the camera where a way begins to the one in `socket`. */
typedef struct {
  int socket;
  double r[9], t[3];
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
  if (!(socket >= 0) || !(socket <= 255))
    return true;
  snprintf(extrinsics.group, sizeof extrinsics.group, "extrinsics of socket %d", from->socket);
  if (!stx_calibration_exactly(&extrinsics, "rotationMatrix", r, 9) ||
      !stx_calibration_part(&extrinsics, "translation", &xyz) ||
      !stx_calibration_number(&xyz, "x", NAN, &t[0]) ||
      !stx_calibration_number(&xyz, "y", NAN, &t[1]) ||
      !stx_calibration_number(&xyz, "z", NAN, &t[2]))
    return false;
  to->socket = (int)socket;
  stx_matrix_product(r, from->r, to->r);
  stx_matrix_apply(r, from->t, to->t);
  for (int i = 0; i < 3; i++)
    to->t[i] += t[i];
  return true;
}

/* The steps of a way, their number; 0 with an error. */
static int walk(const StxCalibrationInput *input, int socket, Step steps[MOST_STEPS])
{
  int count = 1;
  steps[0] = (Step){socket, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
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
        /* Both ways meet here: X = Rl·left + tl = Rr·right + tr. */
        const Step *left = &ways[0][i], *right = &ways[1][j];
        double back[9], between[3];
        stx_matrix_transpose(right->r, back);
        stx_matrix_product(back, left->r, c->r);
        for (int k = 0; k < 3; k++)
          between[k] = left->t[k] - right->t[k];
        stx_matrix_apply(back, between, c->t);
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
  for (int i = 0; i < 2 && found[0] >= 0 && found[1] >= 0; i++)
    socket[i] = found[i] <= 255 ? (int)found[i] : -1;
  return true;
}

static bool read(const StxCalibrationInput *input, StxCalibration *c)
{
  int socket[2];
  return read_sockets(input, socket) && read_camera(input, socket[0], &c->camera[0]) &&
         read_camera(input, socket[1], &c->camera[1]) && read_pose(input, socket, c);
}

/* Between the cameras the way that begins at the left one. */
static StxCalibrationPlace locate(
    const StxCalibrationInput *input, StxCalibrationThing thing, int side)
{
  StxCalibrationPart camera;
  int socket[2];
  bool pose = thing == STX_CALIBRATION_TRANSLATION || thing == STX_CALIBRATION_ROTATION;
  read_sockets(input, socket);
  at_socket(input, socket[pose ? 0 : side], &camera);
  return stx_calibration_place_of(&camera, thing == STX_CALIBRATION_MATRIX ? "intrinsicMatrix"
                                           : thing == STX_CALIBRATION_SIZE ? "width"
                                                                           : "extrinsics");
}

const StxCalibrationFormat stx_calibration_depthai = {"DepthAI", "cameraData", read, 0.01,
    "write it again with eepromToJsonFile (), or calibrate again", locate};
