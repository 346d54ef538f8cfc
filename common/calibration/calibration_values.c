/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads values of a tree, with messages for missing ones. */
#include "common/calibration/calibration_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/calibration/calibration_lens.h"
#include "common/rotation.h"
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

/* `shown`: the key that is there, else the first of them. *part becomes the part that has it. */
static const json_t *find_in(
    const StxCalibrationPart **part, const char *keys, char shown[KEY_ROOM])
{
  char key[KEY_ROOM];
  next_key(keys, shown);
  for (const StxCalibrationPart *in = *part; in != NULL; in = in->more)
    for (const char *rest = keys; rest != NULL;) {
      rest = next_key(rest, key);
      const json_t *value = json_object_get(in->tree, key);
      if (value == NULL)
        continue;
      memcpy(shown, key, KEY_ROOM);
      *part = in;
      return value;
    }
  return NULL;
}

static const json_t *find(const StxCalibrationPart *part, const char *keys, char shown[KEY_ROOM])
{
  return find_in(&part, keys, shown);
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
  int number = keys != NULL && find_in(&part, keys, key) != NULL ? line_of(part, key) : part->line;
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
  find_in(&part, keys, key);
  int line = line_of(part, key);
  *found = *part;
  found->more = NULL;
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

#define BLANKS " \t\r\n"
/* KITTI's way, and XML's: a text with blanks between. */
static bool add_text(Numbers *to, const json_t *all)
{
  const char *text = json_string_value(all);
  bool good = true;
  text += strspn(text, BLANKS);
  while (good && *text != 0) {
    char *end;
    double value = stx_text_number(text, &end);
    good = end != text && strchr(BLANKS, *end) != NULL ? add(to, value) : refuse_number(to, all);
    text = end + strspn(end, BLANKS);
  }
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

bool stx_calibration_each(const StxCalibrationPart *part, const char *prefix, const char *names,
    double otherwise, double *numbers)
{
  for (; *names != 0; otherwise = 0) {
    char key[KEY_ROOM];
    int length = (int)strcspn(names, " ");
    snprintf(key, sizeof key, "%.20s%.*s", prefix, length, names);
    if (!stx_calibration_number(part, key, otherwise, numbers++))
      return false;
    names += length + (names[length] == ' ');
  }
  return true;
}

static bool is_named(const char *names, const char *name)
{
  char key[KEY_ROOM];
  while (names != NULL) {
    names = next_key(names, key);
    if (strcmp(key, name) == 0)
      return true;
  }
  return false;
}

bool stx_calibration_model(const StxCalibrationPart *part, const char *name, StxLens *lens)
{
  for (int i = 0; i < STX_LENS_MODELS; i++)
    if (is_named(stx_lens_kinds[i].names, name)) {
      lens->model = (StxLensModel)i;
      return true;
    }
  return stx_fail(part->error,
      "%s: the lens's model \"%.20s\" is none of plumb_bob, rational_polynomial, radtan, "
      "equidistant, double_sphere, eucm, omni, fov, none: calibrate with one of these",
      part->file, name);
}

/* A camera matrix, or fx fy cx cy behind the coefficients that stand before them, so many. */
static bool read_matrix(const StxCalibrationPart *part, const char *keys, StxLens *lens, int *led)
{
  double k[9];
  char key[KEY_ROOM];
  int leading = stx_lens_kinds[lens->model].leading;
  int count = stx_calibration_numbers(part, keys, k, 9);
  find(part, keys, key);
  if (count < 0)
    return false;
  if (count == 4 + leading) {
    *led = leading;
    memcpy(lens->d, k, (size_t)leading * sizeof *k);
    memcpy(&lens->fx, k + leading, 4 * sizeof *k);
    return true;
  }
  if (count != 9)
    return stx_fail(part->error, "%s: \"%s\" has %d numbers; expected %d: %s",
        stx_calibration_place(part, keys).text, key, count, count < 7 ? 4 + leading : 9,
        part->cure);
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

/* Behind `leading` ones that are there already. Zeros beyond what the model has are let through:
 * drivers write a fifth one for a fisheye lens. */
static bool read_coefficients(
    const StxCalibrationPart *part, const char *keys, bool spare, int leading, StxLens *lens)
{
  const StxLensKind *kind = &stx_lens_kinds[lens->model];
  double read[STX_LENS_COEFFICIENTS + 2];
  char key[KEY_ROOM];
  int count = stx_calibration_numbers(part, keys, read, STX_LENS_COEFFICIENTS - leading), fits;
  find(part, keys, key);
  if (count < 0)
    return false;
  if (spare && lens->model == STX_LENS_FISHEYE && count > 4)
    count = 4;
  for (fits = leading + count;
       fits > 0 && !(kind->counts >> fits & 1) && fits > leading && read[fits - leading - 1] == 0;)
    fits--;
  for (int i = 0; i < count; i++)
    lens->d[leading + i] = read[i];
  return (kind->counts >> fits & 1) ||
         stx_fail(part->error, "%s: \"%s\" has %d coefficients; expected %s: %s",
             stx_calibration_place(part, keys).text, key, leading + count, kind->expected,
             part->cure);
}

/* ---- Cameras ------------------------------------------------------------------------------ */

void stx_calibration_note(StxCalibrationInput *input, StxCalibrationThing thing, int side,
    const StxCalibrationPart *part, const char *keys)
{
  input->places[thing][side] = stx_calibration_place_of(part, keys);
}

static bool read_lens(const StxCalibrationPart *part, const StxCameraKeys *keys, StxLens *lens)
{
  static const char without[] =
      "none|pinhole|PinHole|"; /* names of which no coefficients are one */
  const char *name = keys->otherwise;
  int led = 0;
  if (keys->model != NULL)
    name = stx_calibration_text(part, keys->model, name);
  if (name != NULL && !stx_calibration_model(part, name, lens))
    return false;
  if (keys->matrix != NULL ? !read_matrix(part, keys->matrix, lens, &led)
                           : !stx_calibration_each(part, keys->own, "fx fy cx cy", NAN, &lens->fx))
    return false;
  const StxLensKind *kind = &stx_lens_kinds[lens->model];
  bool bare = name != NULL && is_named(without, name);
  if (keys->coefficients == NULL)
    return stx_calibration_each(part, keys->own, kind->coefficients, bare ? 0 : NAN, lens->d);
  return ((led > 0 || bare) && (kind->counts >> led & 1) &&
             stx_calibration_find(part, keys->coefficients) == NULL) ||
         read_coefficients(part, keys->coefficients, keys->spare, led, lens);
}

bool stx_calibration_camera(StxCalibrationInput *input, const StxCalibrationPart *part,
    const StxCameraKeys *keys, int side, StxCalibration *c)
{
  StxCalibratedCamera *camera = &c->camera[side];
  int size[2];
  char own[KEY_ROOM] = "";
  if (keys->own != NULL)
    snprintf(own, sizeof own, "%.20sfx", keys->own);
  stx_calibration_note(
      input, STX_CALIBRATION_MATRIX, side, part, keys->matrix != NULL ? keys->matrix : own);
  if (!read_lens(part, keys, &camera->lens) ||
      !stx_calibration_size(part, keys->both, keys->width, keys->height, size))
    return false;
  camera->width = size[0];
  camera->height = size[1];
  if (keys->both != NULL && (keys->width == NULL || stx_calibration_find(part, keys->both) != NULL))
    stx_calibration_note(input, STX_CALIBRATION_SIZE, side, part, keys->both);
  else if (keys->width != NULL)
    stx_calibration_note(input, STX_CALIBRATION_SIZE, side, part, keys->width);
  if (!c->rectified)
    return true;
  stx_calibration_note(input, STX_CALIBRATION_RECTIFICATION, side, part, keys->r);
  stx_calibration_note(input, STX_CALIBRATION_PROJECTION, side, part, keys->p);
  return stx_calibration_exactly(part, keys->r, camera->r, 9) &&
         stx_calibration_exactly(part, keys->p, camera->p, 12);
}

/* ---- Poses -------------------------------------------------------------------------------- */

const StxCalibrationPose stx_calibration_no_turn = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

bool stx_calibration_pose(StxCalibrationInput *input, const StxCalibrationPart *part,
    const char *keys, int side, StxCalibrationPose *pose)
{
  double all[16];
  char key[KEY_ROOM];
  int count = stx_calibration_numbers(part, keys, all, 16);
  stx_calibration_note(input, STX_CALIBRATION_POSE, side, part, keys);
  if (count < 0)
    return false;
  find(part, keys, key);
  if (count != 12 && count != 16)
    return stx_fail(part->error, "%s: \"%s\" has %d numbers; expected 12 or 16: %s",
        stx_calibration_place(part, keys).text, key, count, part->cure);
  for (int row = 0; row < 3; row++) {
    memcpy(pose->r + 3 * row, all + 4 * row, 3 * sizeof *all);
    pose->t[row] = all[4 * row + 3];
  }
  return stx_is_rotation(pose->r) || stx_fail(part->error, "%s holds no rotation: %s",
                                         stx_calibration_place_of(part, keys).text, part->cure);
}

void stx_calibration_between(const StxCalibrationPose pose[2], bool from_cameras, StxCalibration *c)
{
  const StxCalibrationPose *left = &pose[0], *right = &pose[1];
  double back[9], turned[3];
  if (from_cameras) { /* Rl·left + tl = Rr·right + tr */
    double between[3] = {
        left->t[0] - right->t[0], left->t[1] - right->t[1], left->t[2] - right->t[2]};
    stx_matrix_transpose(right->r, back);
    stx_matrix_product(back, left->r, c->r);
    stx_matrix_apply(back, between, c->t);
    return;
  }
  stx_matrix_transpose(left->r, back); /* Rr·Rl'·(left − tl) + tr = right */
  stx_matrix_product(right->r, back, c->r);
  stx_matrix_apply(c->r, left->t, turned);
  for (int i = 0; i < 3; i++)
    c->t[i] = right->t[i] - turned[i];
}
