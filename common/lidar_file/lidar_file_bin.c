/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of float32 without a header. */
#include "common/lidar_file/lidar_file_private.h"

#include <math.h>

#define KITTI_FLOATS 4
#define NUSCENES_FLOATS 5
#define GUESS_POINTS 1000 /* points by which AUTO decides */

static float load_float(const uint8_t *from)
{
  return stx_lidar_value(from, STX_LIDAR_F32);
}

static bool plausible_coordinate(float value)
{
  float magnitude = fabsf(value);
  return isnan(value) || magnitude == 0 || (magnitude >= 1e-7F && magnitude <= 1e6F);
}

/* Zero to `most`, or not a number. */
static bool plausible_count(float value, float most)
{
  return isnan(value) || (value >= 0 && value <= most);
}

static bool plausible(const uint8_t *bytes, size_t size, size_t floats)
{
  size_t record = floats * sizeof(float);
  size_t points = size / record < GUESS_POINTS ? size / record : GUESS_POINTS;
  bool good = size % record == 0;
  for (size_t i = 0; i < points && good; i++, bytes += record) {
    for (size_t c = 0; c < 3; c++)
      good = good && plausible_coordinate(load_float(bytes + 4 * c));
    good = good && plausible_count(load_float(bytes + 12), 65535);
    if (floats == NUSCENES_FLOATS) {
      float ring = load_float(bytes + 16);
      good = good && plausible_count(ring, 1023) && (isnan(ring) || ring == floorf(ring));
    }
  }
  return good;
}

static bool matches_kitti(const uint8_t *bytes, size_t size)
{
  return plausible(bytes, size, KITTI_FLOATS);
}

static bool matches_nuscenes(const uint8_t *bytes, size_t size)
{
  return plausible(bytes, size, NUSCENES_FLOATS);
}

static bool probe(const uint8_t *bytes, StxLidarFile *file, StxError *error)
{
  (void)bytes;
  size_t floats = file->format == STX_LIDAR_KITTI ? KITTI_FLOATS : NUSCENES_FLOATS;
  file->record = floats * sizeof(float);
  file->points = file->size / file->record;
  file->encoding = STX_LIDAR_LITTLE;
  for (size_t c = 0; c < STX_LIDAR_POINT_FLOATS; c++)
    file->fields[c] = (StxLidarField){STX_LIDAR_F32, c * sizeof(float)};
  size_t rest = file->size % file->record;
  if (rest > 0)
    return stx_fail(error,
        "%zu bytes are no whole number of points of %zu bytes (%zu float32, format=%s): %zu bytes "
        "too many from byte %zu on",
        file->size, file->record, floats, stx_lidar_format_name(file->format), rest,
        file->size - rest);
  return true;
}

const StxLidarFormatInfo stx_lidar_kitti = {
    .shape = "points of 4 float32", .matches = matches_kitti, .probe = probe};
const StxLidarFormatInfo stx_lidar_nuscenes = {
    .shape = "points of 5 float32", .matches = matches_nuscenes, .probe = probe};
