/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/extrinsics/extrinsics.h"

#include <stdlib.h>
#include <string.h>

#include "common/rotation.h"
#include "common/text_file.h"

#define EXPECTED "KITTI's calib.txt"

/* ---- Six numbers -------------------------------------------------------------------------- */

#define SHIFT(member)                                                                              \
  STX_FIELD(DOUBLE, StxExtrinsics, member), .low = -STX_EXTRINSICS_MAX_SHIFT,                      \
                                            .high = STX_EXTRINSICS_MAX_SHIFT, .unit = "m"
#define ANGLE(member)                                                                              \
  STX_FIELD(DOUBLE, StxExtrinsics, member), .low = -STX_EXTRINSICS_MAX_ANGLE,                      \
                                            .high = STX_EXTRINSICS_MAX_ANGLE, .unit = "rad"

static const StxField fields[] = {
    {"sensor-x", "Sensor ahead", "LiDAR ahead of the camera, metres", SHIFT(x)},
    {"sensor-y", "Sensor to the left", "LiDAR to the left of the camera, metres", SHIFT(y)},
    {"sensor-z", "Sensor above", "LiDAR above the camera, metres", SHIFT(z)},
    {"sensor-roll", "Sensor roll", "Roll of the LiDAR, right side down, radians", ANGLE(roll)},
    {"sensor-pitch", "Sensor pitch", "Pitch of the LiDAR, front down, radians", ANGLE(pitch)},
    {"sensor-yaw", "Sensor yaw", "Yaw of the LiDAR, front to the left, radians", ANGLE(yaw)},
};
static const StxExtrinsics defaults;
const StxFields stx_extrinsics_fields = {STX_FIELDS_OF(fields), &defaults};

bool stx_extrinsics_check(const StxExtrinsics *extrinsics, StxError *error)
{
  return stx_fields_check(&stx_extrinsics_fields, extrinsics, error);
}

/* Right, down and ahead are rows −2, −3 and 1 of what looks ahead, to the left and up. */
void stx_extrinsics_matrix(const StxExtrinsics *extrinsics, double matrix[12])
{
  const double angle[3] = {extrinsics->roll, extrinsics->pitch, extrinsics->yaw};
  const double place[3] = {extrinsics->x, extrinsics->y, extrinsics->z};
  static const int from[3] = {1, 2, 0}, sign[3] = {-1, -1, 1};
  double turned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, next[9], product[9];
  for (int axis = 0; axis < 3; axis++) {
    double vector[3] = {0, 0, 0};
    vector[axis] = angle[axis];
    stx_rotation_from_vector(vector, next);
    stx_matrix_product(next, turned, product);
    memcpy(turned, product, sizeof turned);
  }
  for (int row = 0; row < 3; row++) {
    for (int i = 0; i < 3; i++)
      matrix[4 * row + i] = sign[row] * turned[3 * from[row] + i];
    matrix[4 * row + 3] = sign[row] * place[from[row]];
  }
}

void stx_extrinsics_to_scan_axes(const double matrix[12], double scan[12])
{
  for (int i = 0; i < 4; i++) {
    scan[i] = matrix[8 + i];
    scan[4 + i] = -matrix[i];
    scan[8 + i] = -matrix[4 + i];
  }
}

/* ---- Files -------------------------------------------------------------------------------- */

static bool has(const StxKeyedText *file, const char *key)
{
  int line;
  return stx_keyed_find(file, key, &line) != NULL;
}

/* Reads the shift from camera 0 to the one whose projection is K·(1 | shift). */
static bool shift(const StxKeyedText *file, int pair, double matrix[12])
{
  const char *key = pair == 2 || (pair < 0 && has(file, "P2")) ? "P2" : "P0";
  double p[12];
  if (!has(file, key))
    return true;
  if (!stx_keyed_numbers(file, key, 12, p))
    return false;
  if (!(p[0] > 0 && p[5] > 0))
    return stx_fail(
        file->error, "%s: the focal length in \"%s:\" is not greater than 0", file->name, key);
  matrix[3] += (p[3] - p[2] * p[11]) / p[0];
  matrix[7] += (p[7] - p[6] * p[11]) / p[5];
  matrix[11] += p[11];
  return true;
}

static bool rectify(const StxKeyedText *file, double matrix[12])
{
  double turn[9], turned[12];
  if (!has(file, "R0_rect"))
    return true;
  if (!stx_keyed_numbers(file, "R0_rect", 9, turn))
    return false;
  for (int row = 0; row < 3; row++)
    for (int i = 0; i < 4; i++)
      turned[4 * row + i] = turn[3 * row] * matrix[i] + turn[3 * row + 1] * matrix[4 + i] +
                            turn[3 * row + 2] * matrix[8 + i];
  memcpy(matrix, turned, sizeof turned);
  return true;
}

static StxExtrinsicsFile read_file(const StxKeyedText *file, int pair, double matrix[12])
{
  const char *key = has(file, "Tr") ? "Tr" : "Tr_velo_to_cam";
  double found[12];
  if (!has(file, key))
    return STX_EXTRINSICS_MISSING;
  if (!stx_keyed_numbers(file, key, 12, found) || !rectify(file, found) ||
      !shift(file, pair, found))
    return STX_EXTRINSICS_FAILED;
  memcpy(matrix, found, sizeof found);
  return STX_EXTRINSICS_FOUND;
}

StxExtrinsicsFile stx_extrinsics_load(
    const char *path, int pair, double matrix[12], StxError *error)
{
  char *text = stx_text_file_load(path, EXPECTED, error);
  if (text == NULL)
    return STX_EXTRINSICS_FAILED;
  StxKeyedText file = {stx_text_file_name(path), text, error};
  StxExtrinsicsFile result = read_file(&file, pair, matrix);
  free(text);
  return result;
}
