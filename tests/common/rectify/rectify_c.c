/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference: sample by sample. */
#include "common/rectify/rectify_math.h"
#include "common/rectify/rectify.h"

static bool stx_rectify_run_c(const StxRectifyMap *map, const StxRectifySample *sample,
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

static bool stx_rectify_run_packed_c(const StxRectifyMap *pixels, const StxRectifyMap *colours,
    const StxRectifyPacked *packed, const StxImage8 *source, const StxImage8 *target,
    const StxPlace *place, StxError *error)
{
  for (int y = 0; y < colours->height; y++)
    for (int u = 0; u < colours->width; u++) {
      size_t pair = (size_t)y * (size_t)colours->width + (size_t)u;
      size_t pixel = (size_t)y * (size_t)pixels->width + (size_t)(2 * u);
      stx_rectify_pair_of_pixels(packed, source->data, source->stride, pixels->place + pixel,
          pixels->fraction + pixel, 2 * u + 1 < pixels->width ? 2 : 1, colours->place[pair],
          colours->fraction[pair], stx_row8(target, y) + 4 * u);
    }
  return true;
}

const StxRectifyImpl oracle_rectify = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_rectify_run_c, stx_rectify_run_packed_c};
