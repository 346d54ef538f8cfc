/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colormap, the reference: pixel by pixel, one thread, whatever the place says. */
#include "common/colormap/colormap_math.h"
#include "common/colormap/colormap_private.h"

#include <string.h>

static bool stx_colormap_paint_c(const StxColormapInput *input, const StxColormapTable *table,
    const StxColormapPicture *picture, const StxPlace *place, StxError *error)
{
  for (int y = 0; y < picture->height; y++)
    for (int x = 0; x < picture->width; x++) {
      unsigned level = stx_colormap_map_level(input, table, x, y);
      memcpy(picture->data + y * picture->stride + (ptrdiff_t)x * picture->pixel,
          &table->paint[stx_colormap_square(x, y, picture->square)][level], (size_t)picture->pixel);
    }
  return true;
}

const StxColormapImpl oracle_colormap = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_colormap_spread, stx_colormap_paint_c};
