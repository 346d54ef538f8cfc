/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which format it is, and which reader that needs. */
#include "common/lidar_file/lidar_file.h"
#include "common/lidar_file/lidar_file_private.h"

#include <string.h>

const StxFieldChoice stx_lidar_formats[] = {
    {STX_LIDAR_AUTO, "auto", "What the content looks like"},
    {STX_LIDAR_KITTI, "kitti", "Four float32 per point, without a header"},
    {STX_LIDAR_NUSCENES, "nuscenes", "Five float32 per point, without a header"},
    {STX_LIDAR_PCD, "pcd", "The Point Cloud Library's .pcd"},
    {STX_LIDAR_PLY, "ply", "Polygon files, .ply"},
    {0},
};

const char *stx_lidar_format_name(StxLidarFormat format)
{
  const StxFieldChoice *choice = stx_field_choice(stx_lidar_formats, (int)format);
  return choice != NULL ? choice->nick : "unknown";
}

static bool find_format(const uint8_t *bytes, size_t size, StxLidarFormat *format, StxError *error)
{
  if (stx_lidar_is_ply(bytes, size))
    *format = STX_LIDAR_PLY;
  else if (stx_lidar_is_pcd(bytes, size))
    *format = STX_LIDAR_PCD;
  else
    return stx_lidar_guess_bin(bytes, size, format, error);
  return true;
}

bool stx_lidar_file_probe(
    const void *bytes, size_t size, StxLidarFormat format, StxLidarFile *file, StxError *error)
{
  static const uint8_t nothing[1];
  const uint8_t *at = size > 0 ? bytes : nothing;

  memset(file, 0, sizeof *file);
  file->size = size;
  file->format = format;
  if (format == STX_LIDAR_AUTO && !find_format(at, size, &file->format, error))
    return false;
  switch (file->format) {
  case STX_LIDAR_KITTI:
  case STX_LIDAR_NUSCENES:
    return stx_lidar_probe_bin(at, file, error);
  case STX_LIDAR_PCD:
    return stx_lidar_probe_pcd(at, file, error);
  case STX_LIDAR_PLY:
    return stx_lidar_probe_ply(at, file, error);
  default:
    return stx_fail(
        error, "format %d; possible are auto, kitti, nuscenes, pcd and ply", (int)format);
  }
}

bool stx_lidar_file_read(
    const StxLidarFile *file, const void *bytes, float *points, void *scratch, StxError *error)
{
  if (file->points == 0)
    return true;
  const uint8_t *data = (const uint8_t *)bytes + file->data;
  switch (file->encoding) {
  case STX_LIDAR_TEXT:
    return stx_lidar_read_text(file, bytes, points, error);
  case STX_LIDAR_LZF:
    if (!stx_lidar_unpack_lzf(data, file->packed, scratch, file->scratch_size, file->data, error))
      return false;
    stx_lidar_read_records(file, scratch, points);
    return true;
  default:
    stx_lidar_read_records(file, data, points);
    return true;
  }
}
