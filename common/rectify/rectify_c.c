/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference: sample by sample. */
#include "common/rectify/rectify_math.h"
#include "common/rectify/rectify_private.h"

bool stx_rectify_run_c(const StxRectifyMap *map, const StxRectifySample *sample,
    const StxImage8 *source, const StxImage8 *target, const StxPlace *place, StxError *error)
{
  for (int y = 0; y < map->height; y++)
    for (int x = 0; x < map->width; x++) {
      size_t i = (size_t)y * (size_t)map->width + (size_t)x;
      stx_rectify_sample(source->data, source->stride, map->place[i], map->fraction[i],
          sample->bytes, sample->border, stx_row8(target, y) + x * sample->bytes);
    }
  return true;
}
