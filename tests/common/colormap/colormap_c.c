/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colormap, the reference: pixel by pixel, one thread, whatever the place says. */
#include "common/colormap/colormap_math.h"
#include "common/colormap/colormap_private.h"

#include <string.h>

static uint32_t disparity_at(const StxColormapInput *input, int map, int x, int y)
{
  unsigned number = stx_row16(map == 0 ? &input->map : &input->truth, y)[x];
  return input->disparities != NULL ? input->disparities->disparity[map][number] : number;
}

static unsigned error_at(const StxColormapInput *input, StxColormapCount *count, int x, int y)
{
  uint32_t disparity = disparity_at(input, 0, x, y), truth = disparity_at(input, 1, x, y);
  if (truth == 0)
    return 0;
  count->truth++;
  if (disparity == 0)
    return STX_COLORMAP_MISSING;
  uint32_t error = stx_colormap_error(disparity, truth);
  unsigned level = stx_colormap_error_level(error, truth);
  count->known++;
  count->sum += error;
  count->bad += level >= STX_COLORMAP_OUTLIER;
  return level;
}

static unsigned level_at(const StxColormapInput *input, const StxColormapTable *table,
    StxColormapCount *count, int x, int y)
{
  if (input->truth.data != NULL)
    return error_at(input, count, x, y);
  return stx_colormap_map_level(input, table, x, y);
}

static bool stx_colormap_paint_c(const StxColormapInput *input, const StxColormapTable *table,
    const StxColormapPicture *picture, StxColormapCount *count, const StxPlace *place,
    StxError *error)
{
  *count = (StxColormapCount){0};
  for (int y = 0; y < picture->height; y++)
    for (int x = 0; x < picture->width; x++) {
      unsigned level = level_at(input, table, count, x, y);
      memcpy(picture->data + y * picture->stride + (ptrdiff_t)x * picture->pixel,
          &table->paint[stx_colormap_square(x, y, picture->square)][level], (size_t)picture->pixel);
    }
  return true;
}

const StxColormapImpl oracle_colormap = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_colormap_spread, stx_colormap_paint_c};
