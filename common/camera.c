/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calibration files. The text is read whole and bounded, then parsed in place.
 *
 * KITTI    A. Geiger, P. Lenz, C. Stiller, R. Urtasun, "Vision meets Robotics: The KITTI Dataset",
 *          IJRR 2013. A line is "key: numbers"; P0…P3 (object, stereo, odometry) or P_rect_00…
 *          P_rect_03 (raw recordings) hold the 3×4 projection of a rectified camera,
 *            f 0 cx -f·bx
 *            0 f cy  …
 *            0 0 1   …
 *          with bx the camera's place in metres along the x axis of camera 0.
 * Cityscapes  M. Cordts et al., CVPR 2016, calibration page of its toolbox. The vehicle frame is
 *          ISO 8855 (x forward, y left, z up), so a positive rotation about y, the pitch, turns
 *          the viewing direction towards the road: the sign of StxCamera. Its usual pitch of
 *          0.038 with fx 2262.5 and v0 513 puts the horizon at row 427 of 1024, above the middle,
 *          where a camera that looks slightly down sees it.
 */
#define _GNU_SOURCE /* strtod_l: a calibration file has a decimal point whatever the locale */
#include "common/camera.h"
#include "common/text_file.h"

#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECTED "KITTI's calib.txt or Cityscapes' camera.json"
#define KITTI_HEIGHT 1.65   /* metres, from the description of the recording car */
#define MAX_SIDE 32768      /* of an image, pixels */
#define DAY_TOLERANCE 1e-3  /* pixels: files have more digits, people round */
#define PIXEL_TOLERANCE 0.5 /* by which two "equal" entries of a rectified pair may differ */

/* What every parser needs to speak of the place. */
typedef struct {
  const char *name;
  locale_t c_locale;
  StxError *error;
} Source;

/* ---- What both formats end in ------------------------------------------------------------- */

static bool check_positive(const Source *source, const char *what, double value, const char *unit)
{
  if (isfinite(value) && value > 0)
    return true;
  return stx_fail(
      source->error, "%s: %s is %g; it must be greater than 0 %s", source->name, what, value, unit);
}

/* ---- KITTI -------------------------------------------------------------------------------- */

#define CAMERAS 4
#define ENTRIES 12

typedef struct {
  const char *values; /* what follows "P2:"; NULL: the file has no such line */
  int line;
  const char *size; /* what follows "S_rect_02:", likewise */
} Projection;

/* The rectified images of each day of recording: files of all but the raw data name no size. */
static const struct {
  double focal, cx;
  int width, height;
} kitti_days[] = {
    {721.5377, 609.5593, 1242, 375}, /* 26 September 2011 */
    {707.0493, 604.0814, 1224, 370}, /* 28 */
    {718.3351, 600.3891, 1238, 374}, /* 29 */
    {707.0912, 601.8873, 1226, 370}, /* 30 */
    {718.856, 607.1928, 1241, 376},  /* 3 October */
};

static char *skip_blanks(char *text)
{
  return text + strspn(text, " \t\r\f\v");
}

/* The camera whose projection or size the key names, or -1. */
static int key_camera(const char *key, bool *is_size)
{
  for (int i = 0; i < CAMERAS; i++) {
    char names[3][16];
    snprintf(names[0], sizeof names[0], "P%d", i);
    snprintf(names[1], sizeof names[1], "P_rect_%02d", i);
    snprintf(names[2], sizeof names[2], "S_rect_%02d", i);
    *is_size = strcmp(key, names[2]) == 0;
    if (strcmp(key, names[0]) == 0 || strcmp(key, names[1]) == 0 || *is_size)
      return i;
  }
  return -1;
}

static bool index_line(char *text, int line, Projection projections[CAMERAS], const Source *source)
{
  text = skip_blanks(text);
  char *colon = strchr(text, ':');
  if (colon == NULL)
    return true;
  *colon = 0;
  bool is_size;
  int camera = key_camera(text, &is_size);
  if (camera < 0)
    return true;
  if (is_size) {
    projections[camera].size = colon + 1;
    return true;
  }
  if (projections[camera].values != NULL)
    return stx_fail(source->error, "%s:%d: \"%s:\" a second time (first in line %d)", source->name,
        line, text, projections[camera].line);
  projections[camera].values = colon + 1;
  projections[camera].line = line;
  return true;
}

/* Finds the projections; cuts `text` into lines and keys on the way. */
static bool index_projections(char *text, Projection projections[CAMERAS], const Source *source)
{
  int line = 1;
  for (char *next; text != NULL; text = next, line++) {
    next = strchr(text, '\n');
    if (next != NULL)
      *next++ = 0;
    if (!index_line(text, line, projections, source))
      return false;
  }
  return true;
}

/* Copies the word at `text` for a message, with whatever is not plain ASCII as '?'. */
static const char *quote_word(const char *text, char word[24])
{
  size_t length = strcspn(text, " \t\r\f\v"), i = 0;
  for (; i < length && i < 23; i++)
    word[i] = text[i] > ' ' && text[i] < 127 ? text[i] : '?';
  word[i] = 0;
  return word;
}

static bool parse_projection(
    const Projection *projection, int camera, double p[ENTRIES], const Source *source)
{
  char *text = skip_blanks((char *)projection->values), word[24];
  int count = 0;
  for (; *text != 0; count++) {
    char *end;
    double value = strtod_l(text, &end, source->c_locale);
    if (end == text || !isfinite(value) || strchr(" \t\r\f\v", *end) == NULL)
      return stx_fail(source->error,
          "%s:%d: number %d of camera %d's projection is \"%s\"; "
          "expected a finite number",
          source->name, projection->line, count + 1, camera, quote_word(text, word));
    if (count < ENTRIES)
      p[count] = value;
    text = skip_blanks(end);
  }
  if (count != ENTRIES)
    return stx_fail(source->error,
        "%s:%d: camera %d's projection has %d numbers; expected %d "
        "(a 3x4 matrix)",
        source->name, projection->line, camera, count, ENTRIES);
  return true;
}

static bool check_rectified(const Source *source, const char *entry, double left, double right)
{
  if (fabs(left - right) <= PIXEL_TOLERANCE)
    return true;
  return stx_fail(source->error,
      "%s: %s of the left camera is %g, of the right one %g; expected "
      "the same, the projections of a rectified pair",
      source->name, entry, left, right);
}

static bool pair_to_camera(const double left[ENTRIES], const double right[ENTRIES],
    StxCamera *camera, const Source *source)
{
  *camera = (StxCamera){.focal = left[0],
      .cx = left[2],
      .cy = left[6],
      .height = KITTI_HEIGHT,
      .missing = STX_CAMERA_PITCH};
  camera->baseline = (left[3] - right[3]) / left[0];
  return check_positive(source, "the focal length", camera->focal, "pixels") &&
         check_rectified(source, "the focal length", left[0], right[0]) &&
         check_rectified(source, "cx", left[2], right[2]) &&
         check_rectified(source, "cy", left[6], right[6]) &&
         check_positive(source, "the baseline", camera->baseline, "metres") &&
         stx_camera_check(camera, source->name,
             "correct the fourth numbers of the projections, in px m", source->error);
}

/* A line of sizes that says nothing usable is passed over like any other. */
static void find_size(const char *size, StxCamera *camera, const Source *source)
{
  for (size_t i = 0; i < sizeof kitti_days / sizeof kitti_days[0]; i++)
    if (fabs(camera->focal - kitti_days[i].focal) < DAY_TOLERANCE &&
        fabs(camera->cx - kitti_days[i].cx) < DAY_TOLERANCE) {
      camera->image_width = kitti_days[i].width;
      camera->image_height = kitti_days[i].height;
    }
  if (size == NULL)
    return;
  char *end;
  double width = strtod_l(size, &end, source->c_locale);
  double height = strtod_l(end, &end, source->c_locale);
  if (width >= 1 && width <= MAX_SIDE && height >= 1 && height <= MAX_SIDE) {
    camera->image_width = (int)width;
    camera->image_height = (int)height;
  }
}

/* -1 asks for the best pair. Half a colour pair still means that one: using the gray pair of a
 * file that was cut short would hide the damage. */
static int choose_left(int pair, const Projection projections[CAMERAS])
{
  if (pair >= 0)
    return pair;
  return projections[2].values != NULL || projections[3].values != NULL ? 2 : 0;
}

static bool load_kitti(char *text, int pair, StxCamera *camera, const Source *source)
{
  Projection projections[CAMERAS] = {0};
  double p[2][ENTRIES];
  if (!index_projections(text, projections, source))
    return false;
  int left = choose_left(pair, projections);
  for (int i = 0; i < 2; i++) {
    const Projection *projection = &projections[left + i];
    if (projection->values == NULL)
      return stx_fail(source->error,
          "%s has no line \"P%d:\" or \"P_rect_%02d:\"; expected KITTI's "
          "calib.txt or Cityscapes' camera.json",
          source->name, left + i, left + i);
    if (!parse_projection(projection, left + i, p[i], source))
      return false;
  }
  if (!pair_to_camera(p[0], p[1], camera, source))
    return false;
  find_size(projections[left].size, camera, source);
  return true;
}

/* ---- Cityscapes --------------------------------------------------------------------------- */

typedef struct {
  const char *group, *key;
  size_t offset; /* into StxCamera */
} JsonField;

static const JsonField json_fields[] = {
    {"intrinsic", "fx", offsetof(StxCamera, focal)},
    {"intrinsic", "u0", offsetof(StxCamera, cx)},
    {"intrinsic", "v0", offsetof(StxCamera, cy)},
    {"extrinsic", "baseline", offsetof(StxCamera, baseline)},
    {"extrinsic", "z", offsetof(StxCamera, height)},
    {"extrinsic", "pitch", offsetof(StxCamera, pitch)},
};

static bool read_field(
    const json_t *root, const JsonField *field, StxCamera *camera, const Source *source)
{
  const json_t *value = json_object_get(json_object_get(root, field->group), field->key);
  if (value == NULL)
    return stx_fail(source->error, "%s: no \"%s\" in \"%s\"; expected Cityscapes' camera.json",
        source->name, field->key, field->group);
  if (!json_is_number(value))
    return stx_fail(source->error, "%s: \"%s\" in \"%s\" is not a number", source->name, field->key,
        field->group);
  *(double *)((char *)camera + field->offset) = json_number_value(value);
  return true;
}

static bool check_json_camera(const StxCamera *camera, const Source *source)
{
  return check_positive(source, "fx", camera->focal, "pixels") &&
         check_positive(source, "baseline", camera->baseline, "metres") &&
         check_positive(source, "z", camera->height, "metres") &&
         stx_camera_check(camera, source->name,
             "write metres for \"baseline\" and \"z\", radians for \"pitch\", into the file",
             source->error);
}

/* Anybody may write such a file for a camera of their own: Cityscapes' are told by all of these. */
static bool is_cityscapes(const StxCamera *camera)
{
  return fabs(camera->focal - 2265) < 60 && fabs(camera->cx - 1060) < 60 &&
         fabs(camera->cy - 515) < 15 && fabs(camera->baseline - .215) < .015;
}

static bool read_side(const json_t *root, const char *key, int *side, const Source *source)
{
  const json_t *value = json_object_get(json_object_get(root, "intrinsic"), key);
  double pixels = json_number_value(value);
  if (value == NULL)
    return true;
  if (!(pixels >= 1 && pixels <= MAX_SIDE && pixels == floor(pixels)))
    return stx_fail(source->error,
        "%s: \"%s\" in \"intrinsic\" is no whole number of pixels from 1 to %d", source->name, key,
        MAX_SIDE);
  *side = (int)pixels;
  return true;
}

static bool read_size(const json_t *root, StxCamera *camera, const Source *source)
{
  if (!read_side(root, "width", &camera->image_width, source) ||
      !read_side(root, "height", &camera->image_height, source))
    return false;
  if ((camera->image_width > 0) != (camera->image_height > 0))
    return stx_fail(source->error,
        "%s: \"intrinsic\" has one of \"width\" and \"height\"; expected both or none",
        source->name);
  if (camera->image_width == 0 && is_cityscapes(camera)) {
    camera->image_width = 2048;
    camera->image_height = 1024;
  }
  return true;
}

/* What jansson says of a text quotes it, whatever that holds. */
static bool refuse_json(json_error_t *where, const Source *source)
{
  for (char *at = where->text; *at != 0; at++)
    if ((uint8_t)*at < ' ' || (uint8_t)*at >= 127)
      *at = '?';
  return stx_fail(source->error, "%s:%d:%d: not valid JSON: %.100s", source->name, where->line,
      where->column, where->text);
}

static bool load_cityscapes(const char *text, StxCamera *camera, const Source *source)
{
  json_error_t where;
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &where);
  if (root == NULL)
    return refuse_json(&where, source);
  bool good = true;
  for (size_t i = 0; good && i < sizeof json_fields / sizeof json_fields[0]; i++)
    good = read_field(root, &json_fields[i], camera, source);
  good = good && read_size(root, camera, source);
  json_decref(root);
  return good && check_json_camera(camera, source);
}

/* ---- Entry -------------------------------------------------------------------------------- */

/* The first character that is not blank tells the formats apart; a byte order mark is skipped. */
static bool parse(char *text, int pair, StxCamera *camera, const Source *source)
{
  if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
    text += 3;
  if (text[strspn(text, " \t\r\n")] == '{')
    return load_cityscapes(text, camera, source);
  return load_kitti(text, pair, camera, source);
}

bool stx_camera_load(const char *path, int pair, StxCamera *camera, StxError *error)
{
  if (pair != -1 && pair != 0 && pair != 2)
    return stx_fail(error, "camera pair is %d; it must be -1 (any), 0 (gray) or 2 (colour)", pair);
  if (path == NULL || *path == 0)
    return stx_fail(error, "the name of the calibration file is empty");
  Source source = {stx_text_file_name(path), newlocale(LC_ALL_MASK, "C", (locale_t)0), error};
  if (source.c_locale == (locale_t)0)
    return stx_fail(error, "cannot make the C locale: %s", strerror(errno));
  StxCamera loaded = {0};
  char *text = stx_text_file_load(path, EXPECTED, error);
  bool good = text != NULL && parse(text, pair, &loaded, &source);
  free(text);
  freelocale(source.c_locale);
  if (good)
    *camera = loaded;
  return good;
}
