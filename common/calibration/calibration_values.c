/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads values of a tree, with messages for missing ones. */
#define _GNU_SOURCE /* strtod_l: see calibration_tree.c */
#include "common/calibration/calibration_private.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_file.h"

/* ---- Keys --------------------------------------------------------------------------------- */

#define KEY_ROOM 48

/* Copies the first key of the list, and returns the rest of it, or NULL. */
static const char *next_key(const char *keys, char key[KEY_ROOM])
{
  size_t length = strcspn(keys, "|");
  snprintf(key, KEY_ROOM, "%.*s", (int)length, keys);
  return keys[length] == '|' ? keys + length + 1 : NULL;
}

/* `shown`: the key that is there, else the first of them. */
static const json_t *find(const StxCalibrationPart *part, const char *keys, char shown[KEY_ROOM])
{
  char key[KEY_ROOM];
  next_key(keys, shown);
  while (keys != NULL) {
    keys = next_key(keys, key);
    const json_t *value = json_object_get(part->tree, key);
    if (value == NULL)
      continue;
    memcpy(shown, key, KEY_ROOM);
    return value;
  }
  return NULL;
}

const json_t *stx_calibration_find(const StxCalibrationPart *part, const char *keys)
{
  char shown[KEY_ROOM];
  return find(part, keys, shown);
}

/* ---- Places ------------------------------------------------------------------------------- */

static int line_of(const StxCalibrationPart *part, const char *key)
{
  const json_t *lines = json_object_get(part->tree, STX_CALIBRATION_LINES);
  return (int)json_integer_value(json_object_get(lines, key));
}

StxCalibrationPlace stx_calibration_place(const StxCalibrationPart *part, const char *keys)
{
  char key[KEY_ROOM], line[16] = "";
  int number = keys != NULL && find(part, keys, key) != NULL ? line_of(part, key) : part->line;
  StxCalibrationPlace place;
  if (number > 0)
    snprintf(line, sizeof line, ":%d", number);
  snprintf(place.text, sizeof place.text, "%s%s%s%s", part->file, line,
      part->group[0] != 0 ? ": " : "", part->group);
  return place;
}

StxCalibrationPlace stx_calibration_place_of(const StxCalibrationPart *part, const char *keys)
{
  char key[KEY_ROOM];
  StxCalibrationPlace place = stx_calibration_place(part, keys);
  size_t length = strlen(place.text);
  find(part, keys, key);
  snprintf(place.text + length, sizeof place.text - length, ": \"%.40s\"", key);
  return place;
}

static bool refuse_missing(const StxCalibrationPart *part, const char *key)
{
  return stx_fail(
      part->error, "%s: no \"%s\": %s", stx_calibration_place(part, NULL).text, key, part->cure);
}

bool stx_calibration_part(
    const StxCalibrationPart *part, const char *keys, StxCalibrationPart *found)
{
  char key[KEY_ROOM];
  const json_t *value = find(part, keys, key);
  if (value == NULL)
    return refuse_missing(part, key);
  if (!json_is_object(value))
    return stx_fail(part->error, "%s is no group of keys: %s",
        stx_calibration_place_of(part, keys).text, part->cure);
  int line = line_of(part, key);
  *found = *part;
  found->tree = value;
  found->line = line > 0 ? line : part->line;
  snprintf(found->group, sizeof found->group, "%.30s", key);
  return true;
}

const char *stx_calibration_text(
    const StxCalibrationPart *part, const char *keys, const char *otherwise)
{
  const json_t *value = stx_calibration_find(part, keys);
  return json_is_string(value) ? json_string_value(value) : otherwise;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

typedef struct {
  const StxCalibrationPart *part;
  const char *key;
  double *numbers;
  int room, count;
} Numbers;

static bool refuse_number(const Numbers *to, const json_t *value)
{
  char shown[24];
  snprintf(shown, sizeof shown, "%s", json_is_array(value) ? "a list" : "a group");
  if (json_is_string(value))
    snprintf(shown, sizeof shown, "\"%.16s\"", json_string_value(value));
  stx_text_file_plain(shown);
  return stx_fail(to->part->error, "%s: number %d of \"%s\" is %s; expected a finite number: %s",
      stx_calibration_place(to->part, to->key).text, to->count + 1, to->key, shown, to->part->cure);
}

static bool add(Numbers *to, double value)
{
  if (!isfinite(value))
    return stx_fail(to->part->error, "%s: number %d of \"%s\" is %g; expected a finite number: %s",
        stx_calibration_place(to->part, to->key).text, to->count + 1, to->key, value,
        to->part->cure);
  if (to->count == to->room)
    return stx_fail(to->part->error, "%s: \"%s\" has more than %d numbers: %s",
        stx_calibration_place(to->part, to->key).text, to->key, to->room, to->part->cure);
  to->numbers[to->count++] = value;
  return true;
}

/* KITTI's way: a text with blanks between. */
static bool add_text(Numbers *to, const json_t *all)
{
  const char *text = json_string_value(all);
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  bool good = c_locale != (locale_t)0;
  text += strspn(text, " \t");
  while (good && *text != 0) {
    char *end;
    double value = strtod_l(text, &end, c_locale);
    good = end != text && strchr(" \t", *end) != NULL ? add(to, value) : refuse_number(to, all);
    text = end + strspn(end, " \t");
  }
  if (c_locale != (locale_t)0)
    freelocale(c_locale);
  return good;
}

static bool add_value(Numbers *to, const json_t *value)
{
  if (json_is_number(value))
    return add(to, json_number_value(value));
  if (json_is_string(value) && to->count == 0)
    return add_text(to, value);
  return refuse_number(to, value);
}

static bool add_array(Numbers *to, const json_t *array)
{
  bool good = true;
  for (size_t i = 0; good && i < json_array_size(array); i++) {
    const json_t *value = json_array_get(array, i);
    if (!json_is_array(value))
      good = json_is_string(value) ? refuse_number(to, value) : add_value(to, value);
    for (size_t j = 0; good && json_is_array(value) && j < json_array_size(value); j++) {
      const json_t *inner = json_array_get(value, j);
      good = json_is_number(inner) ? add_value(to, inner) : refuse_number(to, inner);
    }
  }
  return good;
}

/* A matrix of OpenCV or ROS says what shape it has. Fewer places than numbers are let through:
 * tools have been seen to write "1 x 5" before eight coefficients. */
static bool has_possible_shape(const Numbers *to, const json_t *matrix)
{
  const json_t *rows = json_object_get(matrix, "rows"), *cols = json_object_get(matrix, "cols");
  double r = json_number_value(rows), c = json_number_value(cols);
  if ((rows == NULL && cols == NULL) || (r >= 1 && c >= 1 && r * c <= to->room))
    return true;
  return stx_fail(to->part->error,
      "%s: \"%s\" has %g rows and %g cols, but %d numbers in \"data\": %s",
      stx_calibration_place(to->part, to->key).text, to->key, r, c, to->count, to->part->cure);
}

int stx_calibration_numbers(
    const StxCalibrationPart *part, const char *keys, double *numbers, int room)
{
  char key[KEY_ROOM];
  const json_t *value = find(part, keys, key);
  Numbers to = {part, key, numbers, room, 0};
  if (value == NULL) {
    refuse_missing(part, key);
    return -1;
  }
  const json_t *matrix = json_is_object(value) ? value : NULL;
  if (matrix != NULL)
    value = json_object_get(value, "data");
  bool good = json_is_array(value) ? add_array(&to, value) : add_value(&to, value);
  return good && has_possible_shape(&to, matrix) ? to.count : -1;
}

bool stx_calibration_exactly(
    const StxCalibrationPart *part, const char *keys, double *numbers, int count)
{
  char key[KEY_ROOM];
  int found = stx_calibration_numbers(part, keys, numbers, count);
  if (found < 0 || found == count)
    return found == count;
  find(part, keys, key);
  return stx_fail(part->error, "%s: \"%s\" has %d numbers; expected %d: %s",
      stx_calibration_place(part, keys).text, key, found, count, part->cure);
}

bool stx_calibration_number(
    const StxCalibrationPart *part, const char *keys, double otherwise, double *number)
{
  *number = otherwise;
  return (!isnan(otherwise) && stx_calibration_find(part, keys) == NULL) ||
         stx_calibration_exactly(part, keys, number, 1);
}

static bool whole_side(const StxCalibrationPart *part, const char *keys, double side)
{
  return (side >= 0 && side <= STX_CALIBRATION_MAX_SIDE && side == floor(side)) ||
         stx_fail(part->error, "%s: an image size of %g; expected 1 to %d pixels: %s",
             stx_calibration_place(part, keys).text, side, STX_CALIBRATION_MAX_SIDE, part->cure);
}

bool stx_calibration_size(const StxCalibrationPart *part, const char *both, const char *width,
    const char *height, int size[2])
{
  double sides[2] = {0, 0};
  const char *keys[2] = {width, height};
  if (both != NULL && stx_calibration_find(part, both) != NULL) {
    if (!stx_calibration_exactly(part, both, sides, 2))
      return false;
    keys[0] = keys[1] = both;
  } else if (width != NULL && (!stx_calibration_number(part, width, 0, &sides[0]) ||
                                  !stx_calibration_number(part, height, 0, &sides[1]))) {
    return false;
  }
  if (!whole_side(part, keys[0], sides[0]) || !whole_side(part, keys[1], sides[1]))
    return false;
  for (int i = 0; i < 2; i++)
    size[i] = sides[0] > 0 && sides[1] > 0 ? (int)sides[i] : 0;
  return true;
}

/* ---- Lenses ------------------------------------------------------------------------------- */

bool stx_calibration_matrix(const StxCalibrationPart *part, const char *keys, StxLens *lens)
{
  double k[9];
  char key[KEY_ROOM];
  if (!stx_calibration_exactly(part, keys, k, 9))
    return false;
  find(part, keys, key);
  if (!(k[0] > 0 && k[4] > 0 && k[3] == 0 && k[6] == 0 && k[7] == 0 && k[8] == 1))
    return stx_fail(part->error,
        "%s: \"%s\" is no camera matrix: %.5g %.5g %.5g %.5g %.5g %.5g %.5g %.5g %.5g; expected fx "
        "0 cx 0 fy cy 0 0 1 with fx and fy > 0: %s",
        stx_calibration_place(part, keys).text, key, k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7],
        k[8], part->cure);
  lens->fx = k[0];
  lens->fy = k[4];
  lens->cx = k[2];
  lens->cy = k[5];
  return true;
}

bool stx_calibration_model(const StxCalibrationPart *part, const char *name, StxLens *lens)
{
  static const struct {
    const char *name;
    StxLensModel model;
  } models[] = {{"plumb_bob", STX_LENS_BROWN}, {"rational_polynomial", STX_LENS_BROWN},
      {"thin_prism", STX_LENS_BROWN}, {"radtan", STX_LENS_BROWN}, {"none", STX_LENS_BROWN},
      {"equidistant", STX_LENS_FISHEYE}, {"fisheye", STX_LENS_FISHEYE},
      {"kannala_brandt", STX_LENS_FISHEYE}};
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
    if (strcmp(name, models[i].name) == 0) {
      lens->model = models[i].model;
      return true;
    }
  return stx_fail(part->error,
      "%s: the distortion model \"%.20s\" is none of plumb_bob, rational_polynomial, radtan, "
      "equidistant, fisheye, none: calibrate with one of these",
      stx_calibration_place(part, "distortion_model").text, name);
}

bool stx_calibration_coefficients(const StxCalibrationPart *part, const char *keys, StxLens *lens)
{
  char key[KEY_ROOM];
  int count = stx_calibration_numbers(part, keys, lens->d, STX_LENS_COEFFICIENTS);
  if (count < 0)
    return false;
  find(part, keys, key);
  for (int i = count; i < STX_LENS_COEFFICIENTS; i++)
    lens->d[i] = 0;
  /* Counts of coefficients that OpenCV takes and ROS writes; 0: no distortion. */
  bool fisheye = lens->model == STX_LENS_FISHEYE;
  bool fits = count == 4 ||
              (!fisheye && (count == 0 || count == 5 || count == 8 || count == 12 || count == 14));
  return fits || stx_fail(part->error, "%s: \"%s\" has %d coefficients; expected %s: %s",
                     stx_calibration_place(part, keys).text, key, count,
                     fisheye ? "4 of a fisheye lens" : "4, 5, 8, 12 or 14", part->cure);
}
