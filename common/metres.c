/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/metres_private.h"

void stx_metres_of_all(const StxCamera *camera, int width, int stixel_width,
    const StxStixel *stixels, size_t count, StxMetres *metres)
{
  for (size_t i = 0; i < count; i++)
    stx_metres(camera, width, stixel_width, &stixels[i], &metres[i]);
}

static bool check_camera(const StxCamera *camera, const char *are, StxError *error)
{
  const char *missing = !(camera->focal > 0)              ? "focal length"
                        : !(camera->baseline > 0)         ? "baseline"
                        : camera->missing & STX_CAMERA_CX ? "principal point's column, cx,"
                                                          : NULL;
  return missing == NULL ||
         stx_fail(error,
             "%s in metres, but the camera's %s is unknown: set calibration=FILE or the "
             "properties focal, cx and baseline where the stixels come from",
             are, missing);
}

bool stx_stixels_check(const StxStixel *stixels, size_t count, const int size[3],
    const StxCamera *camera, const StxStixelsRoom *room, StxError *error)
{
  if (size[0] < 1 || size[1] < 1 || size[2] < 1)
    return stx_fail(error, "image of %d x %d pixels in columns of %d: all must be 1 or more",
        size[0], size[1], size[2]);
  int columns = (size[0] - 1) / size[2] + 1;
  if (count > room->stixels || (size_t)columns > room->columns)
    return stx_fail(error, "%zu stixels in %d columns: the state is prepared for %zu in %zu", count,
        columns, room->stixels, room->columns);
  if (count > 0 && stixels == NULL)
    return stx_fail(error, "there are %zu stixels, but no pointer to them", count);
  if (!check_camera(camera, room->are, error))
    return false;
  for (size_t i = 0; i < count; i++) {
    const StxStixel *s = &stixels[i];
    if (s->kind == STX_KIND_SEGMENT)
      return stx_fail(error,
          "stixel %zu is a segment, which knows neither ground nor objects: %s stixels of "
          "sat-dp-stixels, not of rdp-columns",
          i, room->need);
    if (s->column >= columns || s->top > s->bottom || s->bottom >= size[1])
      return stx_fail(error,
          "stixel %zu lies in column %d, rows %d to %d: outside of %d columns, %d rows", i,
          s->column, s->top, s->bottom, columns, size[1]);
    if (i > 0 && (s[-1].column > s->column ||
                     (room->upwards && s[-1].column == s->column && s[-1].top <= s->bottom)))
      return stx_fail(error, "stixel %zu comes before its place: they must be sorted by column%s",
          i, room->upwards ? ", then from the bottom up" : "");
  }
  return true;
}
