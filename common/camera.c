/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calibration files.
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
 * Middlebury  D. Scharstein et al., "High-resolution stereo datasets with subpixel-accurate ground
 *          truth", GCPR 2014: cam0=[f 0 cx; 0 f cy; 0 0 1], baseline in millimetres, width, height,
 *          and doffs, by how much cx of the right view is larger.
 */
#include "common/camera.h"
#include "common/text_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECTED "KITTI's or Middlebury's calib.txt or Cityscapes' camera.json"
#define KITTI_HEIGHT 1.65   /* metres, from the description of the recording car */
#define MAX_SIDE 32768      /* of an image, pixels */
#define DAY_TOLERANCE 1e-3  /* pixels: files have more digits, people round */
#define PIXEL_TOLERANCE 0.5 /* by which two "equal" entries of a rectified pair may differ */

static bool check_positive(
    const StxKeyedText *source, const char *what, double value, const char *unit)
{
  if (isfinite(value) && value > 0)
    return true;
  return stx_fail(
      source->error, "%s: %s is %g; it must be greater than 0 %s", source->name, what, value, unit);
}

/* ---- KITTI -------------------------------------------------------------------------------- */

#define ENTRIES 12

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

typedef struct {
  char text[24];
} Key;

/* The key under which the file has the projection of a camera; empty: it has none. */
static Key projection_key(const StxKeyedText *source, int camera)
{
  static const char *const forms[] = {"P%d", "P_rect_%02d"};
  Key key;
  int line;
  for (int i = 0; i < 2; i++) {
    snprintf(key.text, sizeof key.text, forms[i], camera);
    if (stx_keyed_find(source, key.text, &line) != NULL)
      return key;
  }
  return (Key){""};
}

static bool read_projection(const StxKeyedText *source, int camera, double p[ENTRIES])
{
  Key key = projection_key(source, camera);
  int first, again;
  if (key.text[0] == 0)
    return stx_fail(source->error,
        "%s has no line \"P%d:\" or \"P_rect_%02d:\"; expected " EXPECTED, source->name, camera,
        camera);
  StxKeyedText rest = *source;
  rest.text = stx_keyed_find(source, key.text, &first);
  if (stx_keyed_find(&rest, key.text, &again) != NULL)
    return stx_fail(source->error, "%s:%d: \"%s:\" a second time (first in line %d)", source->name,
        first + again - 1, key.text, first);
  return stx_keyed_numbers(source, key.text, ENTRIES, p);
}

static bool check_rectified(
    const StxKeyedText *source, const char *entry, double left, double right)
{
  if (fabs(left - right) <= PIXEL_TOLERANCE)
    return true;
  return stx_fail(source->error,
      "%s: %s of the left camera is %g, of the right one %g; expected "
      "the same, the projections of a rectified pair",
      source->name, entry, left, right);
}

static bool pair_to_camera(const double left[ENTRIES], const double right[ENTRIES],
    StxCamera *camera, const StxKeyedText *source)
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

/* The last of several sizes counts; one that says nothing usable is passed over. */
static void find_size(const StxKeyedText *source, int left, StxCamera *camera)
{
  StxKeyedText rest = {source->name, source->text, NULL};
  char key[24];
  double size[2];
  for (size_t i = 0; i < sizeof kitti_days / sizeof kitti_days[0]; i++)
    if (fabs(camera->focal - kitti_days[i].focal) < DAY_TOLERANCE &&
        fabs(camera->cx - kitti_days[i].cx) < DAY_TOLERANCE) {
      camera->image_width = kitti_days[i].width;
      camera->image_height = kitti_days[i].height;
    }
  snprintf(key, sizeof key, "S_rect_%02d", left);
  for (int line; stx_keyed_find(&rest, key, &line) != NULL;
       rest.text = stx_keyed_find(&rest, key, &line))
    if (stx_keyed_numbers(&rest, key, 2, size) && size[0] >= 1 && size[0] <= MAX_SIDE &&
        size[1] >= 1 && size[1] <= MAX_SIDE) {
      camera->image_width = (int)size[0];
      camera->image_height = (int)size[1];
    }
}

/* Without a pair that is asked for, half a colour pair still means that one: using the gray pair of
 * a file that was cut short would hide the damage. */
static bool load_kitti(int pair, StxCamera *camera, const StxKeyedText *source)
{
  double p[2][ENTRIES];
  int left = pair;
  if (pair < 0)
    left = projection_key(source, 2).text[0] != 0 || projection_key(source, 3).text[0] != 0 ? 2 : 0;
  for (int i = 0; i < 2; i++)
    if (!read_projection(source, left + i, p[i]))
      return false;
  if (!pair_to_camera(p[0], p[1], camera, source))
    return false;
  find_size(source, left, camera);
  return true;
}

/* ---- Middlebury ---------------------------------------------------------------------------- */

/* Its "key=[numbers]" become KITTI's "key: numbers". */
static bool load_middlebury(char *text, StxCamera *camera, const StxKeyedText *source)
{
  double k[9], doffs, baseline, size[2];
  for (char *at = text; (at = strpbrk(at, "=[;]")) != NULL;)
    *at = *at == '=' ? ':' : ' ';
  if (!stx_keyed_numbers(source, "cam0", 9, k) || !stx_keyed_numbers(source, "doffs", 1, &doffs) ||
      !stx_keyed_numbers(source, "baseline", 1, &baseline) ||
      !stx_keyed_numbers(source, "width", 1, &size[0]) ||
      !stx_keyed_numbers(source, "height", 1, &size[1]) ||
      !check_positive(source, "the focal length", k[0], "pixels") ||
      !check_positive(source, "the baseline", baseline, "millimetres"))
    return false;
  for (int i = 0; i < 2; i++)
    if (!(size[i] >= 1 && size[i] <= MAX_SIDE))
      return stx_fail(source->error, "%s: %s is %g; expected 1 to %d pixels", source->name,
          i == 0 ? "width" : "height", size[i], MAX_SIDE);
  *camera = (StxCamera){.focal = k[0],
      .cx = k[2],
      .cy = k[5],
      .baseline = baseline / 1000,
      .image_width = (int)size[0],
      .image_height = (int)size[1],
      .missing = STX_CAMERA_PITCH};
  if (!(fabs(doffs) <= PIXEL_TOLERANCE))
    return stx_fail(source->error,
        "%s: doffs=%g: infinitely far things have a disparity of %.0f px, which no camera in caps "
        "says: set stereo-sgm disparity-at-infinity=%.0f focal=%g cx=%g cy=%g baseline=%g in place "
        "of the file",
        source->name, doffs, -doffs, -doffs, k[0], k[2], k[5], baseline / 1000);
  return stx_camera_check(
      camera, source->name, "write millimetres for \"baseline\" into the file", source->error);
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
    const json_t *root, const JsonField *field, StxCamera *camera, const StxKeyedText *source)
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

/* Users may write such a file for their own camera: Cityscapes' cameras have all of these
 * numbers. */
static bool is_cityscapes(const StxCamera *camera)
{
  return fabs(camera->focal - 2265) < 60 && fabs(camera->cx - 1060) < 60 &&
         fabs(camera->cy - 515) < 15 && fabs(camera->baseline - .215) < .015;
}

static bool read_side(const json_t *root, const char *key, int *side, const StxKeyedText *source)
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

static bool read_size(const json_t *root, StxCamera *camera, const StxKeyedText *source)
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

static bool load_cityscapes(StxCamera *camera, const StxKeyedText *source)
{
  json_error_t where;
  json_t *root = json_loads(source->text, JSON_REJECT_DUPLICATES, &where);
  if (root == NULL)
    return stx_fail(source->error, "%s:%d:%d: not valid JSON: %.100s", source->name, where.line,
        where.column, stx_text_file_plain(where.text));
  bool good = true;
  for (size_t i = 0; good && i < sizeof json_fields / sizeof json_fields[0]; i++)
    good = read_field(root, &json_fields[i], camera, source);
  good = good && read_size(root, camera, source);
  json_decref(root);
  return good && check_positive(source, "fx", camera->focal, "pixels") &&
         check_positive(source, "baseline", camera->baseline, "metres") &&
         check_positive(source, "z", camera->height, "metres") &&
         stx_camera_check(camera, source->name,
             "write metres for \"baseline\" and \"z\", radians for \"pitch\", into the file",
             source->error);
}

/* ---- Entry -------------------------------------------------------------------------------- */

bool stx_camera_load(const char *path, int pair, StxCamera *camera, StxError *error)
{
  if (pair != -1 && pair != 0 && pair != 2)
    return stx_fail(error, "camera pair is %d; it must be -1 (any), 0 (gray) or 2 (colour)", pair);
  if (path == NULL || *path == 0)
    return stx_fail(error, "the name of the calibration file is empty");
  char *text = stx_text_file_load(path, EXPECTED, error);
  if (text == NULL)
    return false;
  bool marked = strncmp(text, "\xEF\xBB\xBF", 3) == 0;
  StxKeyedText source = {stx_text_file_name(path), text + (marked ? 3 : 0), error};
  StxCamera loaded = {0};
  /* The first character that is not blank tells the formats apart. */
  const char *begin = source.text + strspn(source.text, " \t\r\n");
  bool good = *begin == '{'                     ? load_cityscapes(&loaded, &source)
              : strncmp(begin, "cam0=", 5) == 0 ? load_middlebury(text, &loaded, &source)
                                                : load_kitti(pair, &loaded, &source);
  free(text);
  if (good)
    *camera = loaded;
  return good;
}
