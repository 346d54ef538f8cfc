/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which format a calibration is of, and whether what came out can be worked with. */
#include "common/calibration/calibration.h"
#include "common/calibration/calibration_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/camera.h"
#include "common/rotation.h"
#include "common/text_file.h"

#define FOCAL_TOLERANCE 0.01 /* by which the focal lengths of the rectified pair may differ */

#define RECORD(name) &stx_calibration_##name,
static const StxCalibrationFormat *const formats[] = {STX_CALIBRATION_FORMATS(RECORD)};
#define FORMATS (sizeof formats / sizeof formats[0])

static const char *const sides[] = {"left", "right"};

/* ---- Checks ------------------------------------------------------------------------------- */

/* The values read, and their places for messages. */
typedef struct {
  const StxCalibrationInput *input;
  const StxCalibrationFormat *format;
  const StxCalibration *c;
  const char *unit_cure; /* what to do about a baseline in another unit */
  StxError *error;
} Read;

static StxCalibrationPlace place_of(const Read *read, StxCalibrationThing thing, int side)
{
  return read->format->locate(read->input, thing, side);
}

static bool check_camera(const Read *read, int side)
{
  const StxCalibratedCamera *camera = &read->c->camera[side];
  const StxLens *lens = &camera->lens;
  if (camera->width > 0 &&
      !(lens->cx > 0 && lens->cx < camera->width && lens->cy > 0 && lens->cy < camera->height))
    return stx_fail(read->error,
        "%s: the %s camera's principal point (%g, %g) lies outside of its %dx%d pixels: %s",
        camera->place, sides[side], lens->cx, lens->cy, camera->width, camera->height,
        read->format->cure);
  if (!stx_camera_check(&(StxCamera){.focal = lens->fx, .image_width = camera->width},
          camera->place, read->format->cure, read->error))
    return false;
  return !read->c->rectified || stx_is_rotation(camera->r) ||
         stx_fail(read->error, "%s: the %s camera's rectifying matrix is no rotation: %s",
             place_of(read, STX_CALIBRATION_RECTIFICATION, side).text, sides[side],
             read->format->cure);
}

/* The place of the right camera, seen from the left one, which stands at `at`. */
static bool check_baseline(const Read *read, StxCalibrationThing at, double x, double y, double z)
{
  double length = sqrt(x * x + y * y + z * z);
  StxCalibrationPlace place = place_of(read, at, 1);
  if (!(length > 0))
    return stx_fail(read->error,
        "%s: both cameras stand in the same place: these are calibrations of single cameras, "
        "calibrate the pair",
        place.text);
  if (fabs(y) > fabs(x) || fabs(z) > fabs(x))
    return stx_fail(read->error,
        "%s: the right camera stands at (%g, %g, %g) m seen from the left one; expected beside it: "
        "%s",
        place.text, x, y, z, read->format->cure);
  if (x < 0)
    return stx_fail(read->error,
        "%s: left and right are swapped: the right camera stands %g m to the left; exchange the "
        "files, or the cameras in the file",
        place.text, -x);
  return stx_camera_check(
      &(StxCamera){.baseline = length}, place.text, read->unit_cure, read->error);
}

static bool check_projections(const Read *read)
{
  const double *left = read->c->camera[0].p, *right = read->c->camera[1].p;
  for (int i = 0; i < 2; i++) {
    const double *p = read->c->camera[i].p;
    if (!(p[0] > 0 && p[5] > 0 && p[4] == 0 && p[8] == 0 && p[9] == 0 && p[10] == 1))
      return stx_fail(read->error,
          "%s: the %s camera's projection begins %g %g %g %g %g %g; expected f 0 cx and 0 f cy, "
          "with f > 0: %s",
          place_of(read, STX_CALIBRATION_PROJECTION, i).text, sides[i], p[0], p[1], p[2], p[4],
          p[5], p[6], read->format->cure);
  }
  if (!(fabs(left[0] - right[0]) <= FOCAL_TOLERANCE * left[0]))
    return stx_fail(read->error,
        "%s: the focal length of the left projection is %g, of the right one %g; expected the "
        "same, those of one pair: %s",
        place_of(read, STX_CALIBRATION_PROJECTION, 1).text, left[0], right[0], read->format->cure);
  return check_baseline(read, STX_CALIBRATION_PROJECTION, (left[3] - right[3]) / left[0], 0, 0);
}

/* The right camera seen from the left one: -R'T. */
static bool check_pose(const Read *read)
{
  const StxCalibration *c = read->c;
  double back[9], place[3];
  if (!stx_is_rotation(c->r))
    return stx_fail(read->error, "%s: R, between the cameras, is no rotation: %s",
        place_of(read, STX_CALIBRATION_ROTATION, 1).text, read->format->cure);
  stx_matrix_transpose(c->r, back);
  stx_matrix_apply(back, c->t, place);
  return check_baseline(read, STX_CALIBRATION_TRANSLATION, -place[0], -place[1], -place[2]);
}

static bool check_all(const Read *read)
{
  return check_camera(read, 0) && check_camera(read, 1) &&
         (read->c->rectified ? check_projections(read) : check_pose(read));
}

/* ---- Entry -------------------------------------------------------------------------------- */

/* Names of values that are in no file. */
static StxCalibrationPlace locate_given(
    const StxCalibrationInput *input, StxCalibrationThing thing, int side)
{
  static const char *const names[][2] = {
      {"K1", "K2"}, {"size", "size"}, {"R1", "R2"}, {"P1", "P2"}, {"R", "R"}, {"T", "T"}};
  StxCalibrationPlace place;
  (void)input;
  snprintf(place.text, sizeof place.text, "calibration: %s", names[thing][side]);
  return place;
}

bool stx_calibration_check(const StxCalibration *calibration, StxError *error)
{
  static const StxCalibrationFormat given = {
      .cure = "correct it, or calibrate again", .locate = locate_given};
  StxCalibration named = *calibration;
  const Read read = {NULL, &given, &named, "give metres", error};
  for (int i = 0; i < 2; i++)
    memcpy(named.camera[i].place, place_of(&read, STX_CALIBRATION_MATRIX, i).text,
        sizeof named.camera[i].place);
  return check_all(&read);
}

const char *stx_calibration_expected(char text[128])
{
  size_t used = (size_t)snprintf(text, 128, "a calibration of ");
  for (size_t i = 0; i < FORMATS; i++)
    used += (size_t)snprintf(text + used, 128 - used, "%s%s",
        i == 0             ? ""
        : i + 1 == FORMATS ? " or "
                           : ", ",
        formats[i]->name);
  return text;
}

/* The format of the files; NULL with an error. */
static const StxCalibrationFormat *recognize(StxCalibrationInput *input)
{
  char keys[160] = "";
  for (size_t i = 0; i < FORMATS; i++) {
    const StxCalibrationFormat *format = formats[i];
    size_t used = strlen(keys);
    if (stx_calibration_find(&input->first, format->keys) != NULL ||
        stx_calibration_find(&input->second, format->keys) != NULL) {
      input->first.cure = input->second.cure = format->cure;
      return format;
    }
    snprintf(keys + used, sizeof keys - used, "%s%.*s (%s)", i > 0 ? ", " : "",
        (int)strcspn(format->keys, "|"), format->keys, format->name);
  }
  stx_fail(input->first.error, "%s has none of the keys %s", input->first.file, keys);
  return NULL;
}

static bool read(StxCalibrationInput *input, double unit, StxCalibration *c)
{
  const StxCalibrationFormat *format = recognize(input);
  const Read read = {input, format, c,
      unit > 0 ? "set another unit" : "if the file is in millimetres, set unit=0.001",
      input->first.error};
  if (format == NULL)
    return false;
  *c = (StxCalibration){.format = format->name};
  if (!format->read(input, c))
    return false;
  for (int i = 0; i < 2; i++) {
    bool sized = c->camera[i].width > 0;
    StxCalibrationPlace place =
        place_of(&read, sized ? STX_CALIBRATION_SIZE : STX_CALIBRATION_MATRIX, i);
    memcpy(c->camera[i].place, place.text, sizeof place.text);
  }
  unit = unit > 0 ? unit : format->unit;
  for (int i = 0; i < 3; i++) {
    c->t[i] *= unit;
    for (int side = 0; side < 2; side++)
      c->camera[side].p[4 * i + 3] *= unit;
  }
  if (!check_all(&read))
    return false;
  if (!c->rectified)
    stx_rotation_clean(c->r);
  return true;
}

static bool open_part(const char *path, StxCalibrationPart *part)
{
  const char *name = stx_text_file_name(path);
  size_t length = strlen(name);
  if (length >= sizeof part->file)
    name += length - sizeof part->file + 1;
  while ((*name & 0xC0) == 0x80) /* not from the middle of a UTF-8 character */
    name++;
  snprintf(part->file, sizeof part->file, "%s", name);
  part->tree = stx_calibration_tree(path, part->error);
  return part->tree != NULL;
}

bool stx_calibration_is_known(const char *path, StxError *error)
{
  StxCalibrationInput input = {.first.error = error, .second.error = error};
  bool known = open_part(path, &input.first) && recognize(&input) != NULL;
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
