/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which format a calibration is of, and whether what came out can be worked with. */
#include "common/calibration/calibration.h"
#include "common/calibration/calibration_private.h"

#include <math.h>
#include <stdio.h>

#include "common/rotation.h"
#include "common/text_file.h"

#define FOCAL_TOLERANCE 0.01 /* by which the focal lengths of the rectified pair may differ */

static const StxCalibrationFormat *const formats[] = {&stx_calibration_depthai,
    &stx_calibration_kalibr, &stx_calibration_zed, &stx_calibration_kitti, &stx_calibration_opencv,
    &stx_calibration_ros};
#define FORMATS (sizeof formats / sizeof formats[0])

static const char *const sides[] = {"left", "right"};

/* ---- Checks ------------------------------------------------------------------------------- */

static bool check_camera(const StxCalibratedCamera *camera, const char *side, const char *name,
    bool rectified, StxError *error)
{
  const StxLens *lens = &camera->lens;
  if (camera->width > 0 &&
      !(lens->cx > 0 && lens->cx < camera->width && lens->cy > 0 && lens->cy < camera->height))
    return stx_fail(error,
        "%s: the %s camera's principal point (%g, %g) lies outside of its %dx%d pixels: the matrix "
        "and the size are not of the same pictures",
        name, side, lens->cx, lens->cy, camera->width, camera->height);
  return !rectified || stx_is_rotation(camera->r) ||
         stx_fail(error, "%s: the %s camera's rectifying matrix is no rotation", name, side);
}

static bool check_baseline(
    double x, double y, double z, const char *name, bool given, StxError *error)
{
  double length = sqrt(x * x + y * y + z * z);
  if (!(length > 0))
    return stx_fail(error,
        "%s: both cameras stand in the same place: these are calibrations of single cameras, "
        "calibrate the pair",
        name);
  if (fabs(y) > fabs(x) || fabs(z) > fabs(x))
    return stx_fail(error,
        "%s: the right camera stands at (%g, %g, %g) m seen from the left one; expected beside it",
        name, x, y, z);
  if (x < 0)
    return stx_fail(error,
        "%s: left and right are swapped: the right camera stands %g m to the left; exchange the "
        "files, or the cameras in the file",
        name, -x);
  return length <= (given ? 100 : 1) * STX_CALIBRATION_MAX_BASELINE ||
         stx_fail(error,
             "%s: the baseline is %g m; expected at most %g: if the file is in millimetres, set "
             "unit=0.001",
             name, length, (given ? 100 : 1) * STX_CALIBRATION_MAX_BASELINE);
}

static bool check_projections(
    const StxCalibration *c, const char *name, bool given, StxError *error)
{
  const double *left = c->camera[0].p, *right = c->camera[1].p;
  for (int i = 0; i < 2; i++) {
    const double *p = c->camera[i].p;
    if (!(p[0] > 0 && p[5] > 0 && p[4] == 0 && p[8] == 0 && p[9] == 0 && p[10] == 1))
      return stx_fail(error,
          "%s: the %s camera's projection begins %g %g %g %g %g %g; expected f 0 cx and 0 f cy, "
          "with f > 0",
          name, sides[i], p[0], p[1], p[2], p[4], p[5], p[6]);
  }
  if (!(fabs(left[0] - right[0]) <= FOCAL_TOLERANCE * left[0]))
    return stx_fail(error,
        "%s: the focal length of the left projection is %g, of the right one %g; expected the "
        "same, those of one pair",
        name, left[0], right[0]);
  return check_baseline((left[3] - right[3]) / left[0], 0, 0, name, given, error);
}

/* The right camera seen from the left one: -R'T. */
static bool check_pose(const StxCalibration *c, const char *name, bool given, StxError *error)
{
  double back[9], place[3];
  if (!stx_is_rotation(c->r))
    return stx_fail(error, "%s: R, between the cameras, is no rotation", name);
  stx_matrix_transpose(c->r, back);
  stx_matrix_apply(back, c->t, place);
  return check_baseline(-place[0], -place[1], -place[2], name, given, error);
}

static bool check(const StxCalibration *c, const char *name, bool given, StxError *error)
{
  for (int i = 0; i < 2; i++)
    if (!check_camera(&c->camera[i], sides[i], name, c->rectified, error))
      return false;
  return c->rectified ? check_projections(c, name, given, error)
                      : check_pose(c, name, given, error);
}

/* ---- Entry -------------------------------------------------------------------------------- */

static void scale_lengths(StxCalibration *c, double unit)
{
  for (int i = 0; i < 3; i++) {
    c->t[i] *= unit;
    for (int side = 0; side < 2; side++)
      c->camera[side].p[4 * i + 3] *= unit;
  }
}

/* NULL with an error: it is of none. */
static const StxCalibrationFormat *format_of(const StxCalibrationInput *input)
{
  for (size_t i = 0; i < FORMATS; i++)
    if (formats[i]->matches(input))
      return formats[i];
  stx_fail(input->first.error,
      "%s has none of the keys cameraData (DepthAI), cam0 (Kalibr), [LEFT_CAM_HD] (ZED), K_00 "
      "(KITTI), K1 or M1 (OpenCV), camera_matrix (ROS)",
      input->first.name);
  return NULL;
}

static bool read(const StxCalibrationInput *input, double unit, StxCalibration *c)
{
  StxError *error = input->first.error;
  const StxCalibrationFormat *format = format_of(input);
  if (format == NULL)
    return false;
  *c = (StxCalibration){.format = format->name};
  if (!format->read(input, c))
    return false;
  scale_lengths(c, unit > 0 ? unit : format->unit);
  if (!check(c, input->first.name, unit > 0, error))
    return false;
  if (!c->rectified)
    stx_rotation_clean(c->r);
  return true;
}

static bool open_part(const char *path, StxCalibrationPart *part)
{
  snprintf(part->name, sizeof part->name, "%.110s", stx_text_file_name(path));
  part->tree = stx_calibration_tree(path, part->error);
  return part->tree != NULL;
}

bool stx_calibration_is_known(const char *path, StxError *error)
{
  StxCalibrationInput input = {.first.error = error, .second.error = error};
  bool known = open_part(path, &input.first) && format_of(&input) != NULL;
  json_decref((json_t *)input.first.tree);
  return known;
}

bool stx_calibration_load(const StxCalibrationFiles *files, int width, int height,
    StxCalibration *calibration, StxError *error)
{
  StxCalibrationInput input = {
      .first.error = error, .second.error = error, files->pair, width, height};
  StxCalibration loaded;
  if (files->path == NULL || *files->path == 0)
    return stx_fail(error, "the name of the calibration file is empty");
  if (files->pair != -1 && files->pair != 0 && files->pair != 2)
    return stx_fail(
        error, "camera pair is %d; it must be -1 (any), 0 (gray) or 2 (colour)", files->pair);
  bool two = files->second != NULL && *files->second != 0;
  bool good = open_part(files->path, &input.first) &&
              (!two || open_part(files->second, &input.second)) &&
              read(&input, files->unit, &loaded);
  json_decref((json_t *)input.first.tree);
  json_decref((json_t *)input.second.tree);
  if (!good)
    return false;
  *calibration = loaded;
  if (error != NULL)
    error->text[0] = 0; /* of ways that led nowhere */
  return true;
}
