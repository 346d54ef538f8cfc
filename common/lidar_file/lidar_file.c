/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of formats, and which of them a file is. */
#include "common/lidar_file/lidar_file_private.h"

#include <stdio.h>
#include <string.h>

#define CHOICE(NAME, nick, text) {STX_LIDAR_##NAME, #nick, text},
const StxFieldChoice stx_lidar_formats[] = {
    {STX_LIDAR_AUTO, "auto", "By the content"}, STX_LIDAR_FORMATS(CHOICE){0}};

#define DECLARE(NAME, nick, text) extern const StxLidarFormatInfo stx_lidar_##nick;
STX_LIDAR_FORMATS(DECLARE)

#define RECORD(NAME, nick, text) [STX_LIDAR_##NAME] = &stx_lidar_##nick,
static const StxLidarFormatInfo *const formats[STX_LIDAR_FORMAT_COUNT] = {
    STX_LIDAR_FORMATS(RECORD)};

const StxLidarFormatInfo *stx_lidar_format_info(StxLidarFormat format)
{
  return (unsigned)format < STX_LIDAR_FORMAT_COUNT ? formats[format] : NULL;
}

const char *stx_lidar_format_name(StxLidarFormat format)
{
  const StxFieldChoice *choice = stx_field_choice(stx_lidar_formats, (int)format);
  return choice != NULL ? choice->nick : "unknown";
}

/* Files without a known header, which may fit none or several (bits) of the formats without one. */
static bool refuse(size_t size, unsigned possible, StxError *error)
{
  char headers[64] = "", shapes[128] = "";
  for (int f = STX_LIDAR_AUTO + 1; f < STX_LIDAR_FORMAT_COUNT; f++) {
    size_t at = strlen(headers), used = strlen(shapes);
    if (formats[f]->shape == NULL)
      snprintf(
          headers + at, sizeof headers - at, "%s.%s", at > 0 ? " or " : "", formats[f]->extension);
    else if (possible == 0 || (possible >> f & 1) != 0)
      snprintf(shapes + used, sizeof shapes - used, "%s%s (format=%s)",
          used == 0      ? ""
          : possible > 0 ? " as well as "
                         : " or ",
          formats[f]->shape, stx_lidar_format_name((StxLidarFormat)f));
  }
  return stx_fail(error, "no header of a %s file, and %zu bytes that %s %s: set format", headers,
      size, possible > 0 ? "may be" : "do not look like", shapes);
}

static bool find_format(const uint8_t *bytes, size_t size, StxLidarFormat *format, StxError *error)
{
  unsigned possible = 0; /* of those without a header, a bit each */
  if (size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r'))
    return stx_fail(error, "a PLY file, which is not read: pcl_ply2pcd (PCL) makes a .pcd of it");
  for (int f = STX_LIDAR_FORMAT_COUNT - 1; f > STX_LIDAR_AUTO; f--) {
    if (!formats[f]->matches(bytes, size))
      continue;
    *format = (StxLidarFormat)f;
    if (formats[f]->shape == NULL)
      return true;
    possible |= 1U << f;
  }
  bool one = possible != 0 && (possible & (possible - 1)) == 0;
  return one || size == 0 || refuse(size, possible, error);
}

bool stx_lidar_file_probe(
    const void *bytes, size_t size, StxLidarFormat format, StxLidarFile *file, StxError *error)
{
  static const StxField field = {
      STX_FIELD(CHOICE, StxLidarFile, format), .choices = stx_lidar_formats};
  static const StxFields table = {&field, 1};
  static const uint8_t nothing[1];
  const uint8_t *at = size > 0 ? bytes : nothing;
  *file = (StxLidarFile){.size = size, .format = format};
  if (!stx_fields_check(&table, file, error) ||
      (format == STX_LIDAR_AUTO && !find_format(at, size, &file->format, error)))
    return false;
  return formats[file->format]->probe(at, file, error);
}

bool stx_lidar_file_read(
    const StxLidarFile *file, const void *bytes, float *points, void *scratch, StxError *error)
{
  return file->points == 0 || stx_lidar_read_points(file, bytes, points, scratch, error);
}
