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
  const char *cure; /* of the format */
  const StxCalibration *c;
  double unit; /* metres, of the file's lengths; 0: it is no file */
  StxError *error;
} Read;

static StxCalibrationPlace place_of(const Read *read, StxCalibrationThing thing, int side)
{
  return read->input->places[thing][side];
}

static bool check_camera(const Read *read, int side)
{
  const StxCalibratedCamera *camera = &read->c->camera[side];
  const StxLens *lens = &camera->lens;
  if (!(lens->fx > 0 && lens->fy > 0))
    return stx_fail(read->error,
        "%s: the %s camera's focal lengths are %g and %g; expected more than 0: %s",
        place_of(read, STX_CALIBRATION_MATRIX, side).text, sides[side], lens->fx, lens->fy,
        read->cure);
  if (camera->width > 0 &&
      !(lens->cx > 0 && lens->cx < camera->width && lens->cy > 0 && lens->cy < camera->height))
    return stx_fail(read->error,
        "%s: the %s camera's principal point (%g, %g) lies outside of its %dx%d pixels: %s",
        camera->place, sides[side], lens->cx, lens->cy, camera->width, camera->height, read->cure);
  if (!stx_camera_check(&(StxCamera){.focal = lens->fx, .image_width = camera->width},
          camera->place, read->cure, read->error))
    return false;
  return !read->c->rectified || stx_is_rotation(camera->r) ||
         stx_fail(read->error, "%s: the %s camera's rectifying matrix is no rotation: %s",
             place_of(read, STX_CALIBRATION_RECTIFICATION, side).text, sides[side], read->cure);
}

/* Metres as people say them. */
static int say_length(char *text, size_t room, double metres)
{
  return metres < .05 ? snprintf(text, room, "%.3g mm", metres * 1000)
         : metres < 1 ? snprintf(text, room, "%.3g cm", metres * 100)
                      : snprintf(text, room, "%.3g m", metres);
}

/* Refuses an impossible baseline, with what it would be in other units. */
static bool check_unit(const Read *read, const char *place, double length)
{
  static const double units[] = {1, .01, .001};
  char cure[120] = "", said[24];
  if (stx_camera_check(&(StxCamera){.baseline = length}, place, "", NULL))
    return true;
  for (size_t i = 0; i < sizeof units / sizeof units[0] && read->unit > 0; i++) {
    double metres = length / read->unit * units[i];
    size_t used = strlen(cure);
    if (metres < STX_CAMERA_LEAST_BASELINE || metres > STX_CAMERA_MOST_BASELINE)
      continue;
    say_length(said, sizeof said, metres);
    snprintf(cure + used, sizeof cure - used,
        used == 0 ? "with unit=%g it is %s" : ", with unit=%g %s", units[i], said);
  }
  say_length(said, sizeof said, length);
  return stx_fail(read->error, "%s: %s between the cameras; expected %g to %g m: %s", place, said,
      STX_CAMERA_LEAST_BASELINE, STX_CAMERA_MOST_BASELINE,
      cure[0] != 0     ? cure
      : read->unit > 0 ? "set another unit"
                       : "give metres");
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
        place.text, x, y, z, read->cure);
  if (x < 0)
    return stx_fail(read->error,
        "%s: left and right are swapped: the right camera stands %.4g m to the left; exchange the "
        "files, or the cameras in the file",
        place.text, -x);
  return check_unit(read, place.text, length);
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
          p[5], p[6], read->cure);
  }
  if (!(fabs(left[0] - right[0]) <= FOCAL_TOLERANCE * left[0]))
    return stx_fail(read->error,
        "%s: the focal length of the left projection is %g, of the right one %g; expected the "
        "same, those of one pair: %s",
        place_of(read, STX_CALIBRATION_PROJECTION, 1).text, left[0], right[0], read->cure);
  return check_baseline(read, STX_CALIBRATION_PROJECTION, (left[3] - right[3]) / left[0], 0, 0);
}

/* The right camera seen from the left one: -R'T. */
static bool check_pose(const Read *read)
{
  const StxCalibration *c = read->c;
  double back[9], place[3];
  if (!stx_is_rotation(c->r))
    return stx_fail(read->error, "%s: R, between the cameras, is no rotation: %s",
        place_of(read, STX_CALIBRATION_POSE, 0).text, read->cure);
  stx_matrix_transpose(c->r, back);
  stx_matrix_apply(back, c->t, place);
  return check_baseline(read, STX_CALIBRATION_POSE, -place[0], -place[1], -place[2]);
}

static bool check_all(const Read *read)
{
  return check_camera(read, 0) && check_camera(read, 1) &&
         (read->c->rectified ? check_projections(read) : check_pose(read));
}

/* ---- Entry -------------------------------------------------------------------------------- */

bool stx_calibration_check(const StxCalibration *calibration, StxError *error)
{
  static const StxCalibrationInput given = {
      .places = {{{"calibration: K1"}, {"calibration: K2"}},
          {{"calibration: size"}, {"calibration: size"}},
          {{"calibration: R1"}, {"calibration: R2"}}, {{"calibration: P1"}, {"calibration: P2"}},
          {{"calibration: R"}, {"calibration: T"}}}};
  StxCalibration named = *calibration;
  const Read read = {&given, "correct it, or calibrate again", &named, 0, error};
  for (int i = 0; i < 2; i++)
    memcpy(named.camera[i].place, place_of(&read, STX_CALIBRATION_MATRIX, i).text,
        sizeof named.camera[i].place);
  return check_all(&read);
}

const char *stx_calibration_expected(char text[160])
{
  size_t used = (size_t)snprintf(text, 160, "a calibration of ");
  for (size_t i = 0; i < FORMATS; i++)
    used += (size_t)snprintf(text + used, 160 - used, "%s%s",
        i == 0             ? ""
        : i + 1 == FORMATS ? " or "
                           : ", ",
        formats[i]->name);
  return text;
}

/* The format of the files, or NULL. */
static const StxCalibrationFormat *recognize(StxCalibrationInput *input)
{
  for (size_t i = 0; i < FORMATS; i++) {
    const StxCalibrationFormat *format = formats[i];
    input->first.cure = input->second.cure = format->cure;
    if (stx_calibration_find(&input->first, format->keys) != NULL ||
        stx_calibration_find(&input->second, format->keys) != NULL)
      return format;
  }
  return NULL;
}

static bool refuse_unknown(const StxCalibrationInput *input)
{
  StxCamera camera;
  StxError other;
  const char *file = input->first.file;
  if (input->path != NULL && stx_camera_load(input->path, -1, &camera, &other))
    return stx_fail(input->first.error,
        "%s is of a rectified pair (focal length %g px, baseline %g m): leave stereo-rectify out, "
        "and set calibration=%s of stereo-sgm",
        file, camera.focal, camera.baseline, file);
  if (stx_calibration_refuse_settings(&input->first))
    return false;
  return stx_fail(input->first.error, "%s has none of the keys of %s", file,
      stx_calibration_expected((char[160]){""}));
}

static bool read(StxCalibrationInput *input, double unit, StxCalibration *c)
{
  const StxCalibrationFormat *format = recognize(input);
  if (format == NULL)
    return refuse_unknown(input);
  unit = unit > 0 ? unit : format->unit;
  const Read read = {input, format->cure, c, unit, input->first.error};
  *c = (StxCalibration){.format = format->name};
  if (!format->read(input, c))
    return false;
  for (int i = 0; i < 2; i++) {
    bool sized = c->camera[i].width > 0;
    StxCalibrationPlace place =
        place_of(&read, sized ? STX_CALIBRATION_SIZE : STX_CALIBRATION_MATRIX, i);
    memcpy(c->camera[i].place, place.text, sizeof place.text);
  }
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

bool stx_calibration_open(const char *path, StxCalibrationPart *part)
{
  const char *name = stx_text_file_name(path);
  const size_t most = sizeof part->file - 1, length = strlen(name);
  bool cut = length > most;
  if (cut)
    name += length - most + strlen("…");
  while ((*name & 0xC0) == 0x80) /* not from the middle of a UTF-8 character */
    name++;
  strcpy(part->file, cut ? "…" : "");
  strcat(part->file, name);
  part->tree = stx_calibration_tree(path, part->error);
  return part->tree != NULL;
}

bool stx_calibration_is_known(const char *path, StxError *error)
{
  StxCalibrationInput input = {.first.error = error, .second.error = error};
  bool opened = stx_calibration_open(path, &input.first);
  bool known = opened && recognize(&input) != NULL;
  if (opened && !known)
    refuse_unknown(&input);
  json_decref((json_t *)input.first.tree);
  return known;
}

bool stx_calibration_load_pair(const char *path, int pair, StxCamera *camera, StxError *error)
{
  StxCalibrationInput input = {.first.more = NULL};
  if (stx_camera_load(path, pair, camera, error))
    return true;
  bool opened = path != NULL && *path != 0 && stx_calibration_open(path, &input.first);
  const StxCalibrationFormat *format = opened ? recognize(&input) : NULL;
  if (format != NULL && format != &stx_calibration_kitti) /* which holds both */
    stx_fail(error,
        "%s is %s's, of cameras whose pictures are not rectified: set calibration=%s of "
        "stereo-rectify, before stereo-sgm, or of stereo-stixels, which does both",
        input.first.file, format->name, input.first.file);
  json_decref((json_t *)input.first.tree);
  return false;
}

bool stx_calibration_load(const StxCalibrationFiles *files, int width, int height,
    StxCalibration *calibration, StxError *error)
{
  StxCalibrationInput input = {.first.error = error,
      .second.error = error,
      .path = files->path,
      .pair = files->pair,
      .width = width,
      .height = height};
  StxCalibration loaded;
  if (files->path == NULL || *files->path == 0)
    return stx_fail(error, "the name of the calibration file is empty");
  if (files->pair != -1 && files->pair != 0 && files->pair != 2)
    return stx_fail(
        error, "camera pair is %d; it must be -1 (any), 0 (gray) or 2 (colour)", files->pair);
  bool two = files->second != NULL && *files->second != 0;
  bool good = stx_calibration_open(files->path, &input.first) &&
              (!two || stx_calibration_open(files->second, &input.second)) &&
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
