/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of programs that find their way by cameras and an inertial sensor: Kalibr, which calibrates
 * for them, EuRoC's data sets, ORB-SLAM, Basalt, and VINS. Most have the pose of each camera in the
 * frame of a body. The first camera is taken for the left one.
 */
#include "common/calibration/calibration_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/rotation.h"

/* ---- Kalibr, EuRoC ------------------------------------------------------------------------- */

/* `camera_model` is a projection, pinhole with the model of `distortion_model`. */
static bool read_camera(
    StxCalibrationInput *input, const StxCalibrationPart *part, int side, StxCalibration *c)
{
  const char *camera = stx_calibration_text(part, "camera_model", "pinhole");
  const char *bend = stx_calibration_text(part, "distortion_model", "radtan");
  const StxCameraKeys keys = {.otherwise = strcmp(camera, "pinhole") == 0 ? bend : camera,
      .matrix = "intrinsics",
      .coefficients = "distortion_coeffs|distortion_coefficients",
      .both = "resolution"};
  if (keys.otherwise == camera && strcmp(bend, "radtan") != 0 && strcmp(bend, "none") != 0 &&
      strcmp(bend, "radial-tangential") != 0)
    return stx_fail(part->error,
        "%s: the camera_model \"%.20s\" goes with the distortion_model radtan or none, not "
        "\"%.20s\": %s",
        stx_calibration_place(part, "camera_model").text, camera, bend, part->cure);
  return stx_calibration_camera(input, part, &keys, side, c);
}

static bool read_kalibr(StxCalibrationInput *input, StxCalibration *c)
{
  static const char keys[] = "T_cn_cnm1|T_cam_imu|T_imu_cam";
  StxCalibrationPart part[2];
  StxCalibrationPose pose[2] = {stx_calibration_no_turn};
  if (!stx_calibration_part(&input->first, "cam0", &part[0]) ||
      !stx_calibration_part(&input->first, "cam1", &part[1]) ||
      !read_camera(input, &part[0], 0, c) || !read_camera(input, &part[1], 1, c) ||
      !stx_calibration_pose(input, &part[1], keys, 1, &pose[1]))
    return false;
  bool chained = stx_calibration_find(&part[1], "T_cn_cnm1") != NULL;
  bool to_camera = stx_calibration_find(&part[1], "T_cam_imu") != NULL;
  if (!chained &&
      !stx_calibration_pose(input, &part[0], to_camera ? "T_cam_imu" : "T_imu_cam", 0, &pose[0]))
    return false;
  stx_calibration_between(pose, !chained && !to_camera, c);
  return true;
}

const StxCalibrationFormat stx_calibration_kalibr = {"Kalibr", "cam0", read_kalibr, 1,
    "correct it, or run kalibr_calibrate_cameras for both cameras again"};

static bool read_euroc(StxCalibrationInput *input, StxCalibration *c)
{
  const StxCalibrationPart *parts[] = {&input->first, &input->second};
  StxCalibrationPose pose[2];
  if (input->second.tree == NULL)
    return stx_fail(input->first.error,
        "%s is of one camera: give the sensor.yaml of the right one, too, as calibration-right",
        input->first.file);
  for (int i = 0; i < 2; i++)
    if (!read_camera(input, parts[i], i, c) ||
        !stx_calibration_pose(input, parts[i], "T_BS", i, &pose[i]))
      return false;
  stx_calibration_between(pose, true, c);
  return true;
}

const StxCalibrationFormat stx_calibration_euroc = {"EuRoC", "T_BS", read_euroc, 1,
    "correct it, or take the sensor.yaml of cam0 and cam1 as they were downloaded"};

/* ---- ORB-SLAM ------------------------------------------------------------------------------ */

bool stx_calibration_refuse_settings(const StxCalibrationPart *part)
{
  const char *prefix = stx_calibration_find(part, "Camera.fx") != NULL ? "Camera." : "Camera1.";
  double four[4], b;
  StxCalibrationPart quiet = *part;
  quiet.error = NULL;
  if (!stx_calibration_each(&quiet, prefix, "fx fy cx cy", NAN, four) || !(four[0] > 0) ||
      !stx_calibration_number(&quiet, "Stereo.b|Camera.bf", NAN, &b))
    return false;
  if (stx_calibration_find(part, "Stereo.b") == NULL)
    b /= four[0];
  stx_fail(part->error,
      "%s is ORB-SLAM's, of pictures that are rectified: leave stereo-rectify out, and set "
      "stereo-sgm focal=%g cx=%g cy=%g baseline=%.6g",
      part->file, four[0], four[2], four[3], b);
  return true;
}

#define RAW(camera)                                                                                \
  .model = "Camera.type", .otherwise = "PinHole", .own = camera, .width = "Camera.width",          \
  .height = "Camera.height"
#define OLD(side)                                                                                  \
  .matrix = side "K", .coefficients = side "D", .width = side "width", .height = side "height",    \
  .r = side "R", .p = side "P"

static bool read_orbslam(StxCalibrationInput *input, StxCalibration *c)
{
  static const StxCameraKeys raw[] = {{RAW("Camera1.")}, {RAW("Camera2.")}};
  static const StxCameraKeys old[] = {{OLD("LEFT.")}, {OLD("RIGHT.")}};
  const StxCalibrationPart *part = &input->first;
  StxCalibrationPose pose[2] = {stx_calibration_no_turn};
  if (strcmp(stx_calibration_text(part, "Camera.type", ""), "Rectified") == 0 &&
      stx_calibration_refuse_settings(part))
    return false;
  c->rectified = stx_calibration_find(part, "LEFT.K") != NULL;
  const StxCameraKeys *keys = c->rectified ? old : raw;
  if (!stx_calibration_camera(input, part, &keys[0], 0, c) ||
      !stx_calibration_camera(input, part, &keys[1], 1, c))
    return false;
  if (c->rectified)
    return true;
  if (!stx_calibration_pose(input, part, "Stereo.T_c1_c2|Tlr", 1, &pose[1]))
    return false;
  stx_calibration_between(pose, true, c);
  return true;
}

const StxCalibrationFormat stx_calibration_orbslam = {
    "ORB-SLAM", "LEFT.K|Camera1.fx", read_orbslam, 1, "correct it, or calibrate again"};

/* ---- Basalt -------------------------------------------------------------------------------- */

/* The object number i of a list. */
static bool item(const StxCalibrationPart *part, const char *key, int i, StxCalibrationPart *found)
{
  const json_t *value = json_array_get(stx_calibration_find(part, key), (size_t)i);
  if (!json_is_object(value))
    return stx_fail(part->error, "%s: \"%s\" has no camera %d: %s",
        stx_calibration_place(part, key).text, key, i, part->cure);
  *found = *part;
  found->tree = value;
  found->line = 0;
  snprintf(found->group, sizeof found->group, "%s %d", key, i);
  return true;
}

/* px … are the camera's place in the body, qx … a quaternion. */
static bool read_quaternion(
    StxCalibrationInput *input, const StxCalibrationPart *part, int side, StxCalibrationPose *pose)
{
  double q[4], length;
  stx_calibration_note(input, STX_CALIBRATION_POSE, side, part, "px");
  if (!stx_calibration_each(part, "", "px py pz", NAN, pose->t) ||
      !stx_calibration_each(part, "", "qx qy qz qw", NAN, q))
    return false;
  length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(length - 1) < .01))
    return stx_fail(part->error, "%s: the quaternion has the length %g; expected 1: %s",
        stx_calibration_place(part, "qx").text, length, part->cure);
  double half = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  double angle = half > 0 ? 2 * atan2(half, q[3]) / half : 2;
  stx_rotation_from_vector((const double[]){angle * q[0], angle * q[1], angle * q[2]}, pose->r);
  return true;
}

static bool read_basalt(StxCalibrationInput *input, StxCalibration *c)
{
  StxCalibrationPart all, camera, numbers, place;
  StxCalibrationPose pose[2];
  double sizes[16];
  if (!stx_calibration_part(&input->first, "value0", &all))
    return false;
  int count = stx_calibration_numbers(&all, "resolution", sizes, 16);
  for (int i = 0; i < 2; i++) {
    if (!item(&all, "intrinsics", i, &camera) || !item(&all, "T_imu_cam", i, &place) ||
        !stx_calibration_part(&camera, "intrinsics", &numbers))
      return false;
    const StxCameraKeys keys = {
        .otherwise = stx_calibration_text(&camera, "camera_type", ""), .own = ""};
    if (!stx_calibration_camera(input, &numbers, &keys, i, c) ||
        !read_quaternion(input, &place, i, &pose[i]))
      return false;
    for (int k = 0; k < 2; k++)
      if (count < 4 || !(sizes[2 * i + k] >= 1 && sizes[2 * i + k] <= STX_CALIBRATION_MAX_SIDE))
        return stx_fail(all.error, "%s: expected width and height of each camera: %s",
            stx_calibration_place_of(&all, "resolution").text, all.cure);
    c->camera[i].width = (int)sizes[2 * i];
    c->camera[i].height = (int)sizes[2 * i + 1];
    stx_calibration_note(input, STX_CALIBRATION_SIZE, i, &all, "resolution");
  }
  stx_calibration_between(pose, true, c);
  return true;
}

const StxCalibrationFormat stx_calibration_basalt = {
    "Basalt", "value0", read_basalt, 1, "correct it, or run basalt_calibrate again"};

/* ---- VINS ---------------------------------------------------------------------------------- */

/* A camera's file, of the library camodocal. */
static bool read_camodocal(
    StxCalibrationInput *input, const StxCalibrationPart *part, int side, StxCalibration *c)
{
  StxLens *lens = &c->camera[side].lens;
  StxCalibrationPart to_pixels, bend, mirror;
  int size[2];
  if (!stx_calibration_model(part, stx_calibration_text(part, "model_type", ""), lens) ||
      !stx_calibration_part(part, "projection_parameters", &to_pixels) ||
      !stx_calibration_size(part, NULL, "image_width", "image_height", size))
    return false;
  const char *four = lens->model == STX_LENS_OMNI      ? "gamma1 gamma2 u0 v0"
                     : lens->model == STX_LENS_FISHEYE ? "mu mv u0 v0"
                                                       : "fx fy cx cy";
  c->camera[side].width = size[0];
  c->camera[side].height = size[1];
  stx_calibration_note(input, STX_CALIBRATION_MATRIX, side, part, "projection_parameters");
  stx_calibration_note(input, STX_CALIBRATION_SIZE, side, part, "image_width");
  if (!stx_calibration_each(&to_pixels, "", four, NAN, &lens->fx))
    return false;
  if (lens->model == STX_LENS_FISHEYE)
    return stx_calibration_each(&to_pixels, "", "k2 k3 k4 k5", NAN, lens->d);
  bool omni = lens->model == STX_LENS_OMNI;
  return (!omni || (stx_calibration_part(part, "mirror_parameters", &mirror) &&
                       stx_calibration_each(&mirror, "", "xi", NAN, lens->d))) &&
         stx_calibration_part(part, "distortion_parameters", &bend) &&
         stx_calibration_each(&bend, "", "k1 k2 p1 p2", NAN, lens->d + omni);
}

/* The file of a camera stands beside the configuration. */
static bool read_named(StxCalibrationInput *input, const char *key, int side, StxCalibration *c)
{
  char path[4096];
  const char *slash = strrchr(input->path, '/');
  const char *name = stx_calibration_text(&input->first, key, NULL);
  StxCalibrationPart part = input->first;
  if (name == NULL)
    return stx_fail(
        part.error, "%s: no \"%s\", the name of a camera's file: %s", part.file, key, part.cure);
  snprintf(path, sizeof path, "%.*s%.1000s",
      slash != NULL && *name != '/' ? (int)(slash - input->path + 1) : 0, input->path, name);
  bool good = stx_calibration_open(path, &part) && read_camodocal(input, &part, side, c);
  json_decref((json_t *)part.tree);
  return good;
}

static bool read_vins(StxCalibrationInput *input, StxCalibration *c)
{
  StxCalibrationPose pose[2];
  if (stx_calibration_find(&input->first, "body_T_cam0") == NULL)
    return stx_fail(input->first.error,
        "%s is of one camera: give the configuration that names it in cam0_calib, and has "
        "body_T_cam0 and body_T_cam1",
        input->first.file);
  if (!stx_calibration_pose(input, &input->first, "body_T_cam0", 0, &pose[0]) ||
      !stx_calibration_pose(input, &input->first, "body_T_cam1", 1, &pose[1]) ||
      !read_named(input, "cam0_calib", 0, c) || !read_named(input, "cam1_calib", 1, c))
    return false;
  stx_calibration_between(pose, true, c);
  return true;
}

const StxCalibrationFormat stx_calibration_vins = {
    "VINS", "body_T_cam0|model_type", read_vins, 1, "correct it, or calibrate again"};
