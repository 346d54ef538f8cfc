/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colormap, the reference: pixel by pixel, one thread, whatever the place says. */
#include "common/colormap/colormap_math.h"
#include "common/colormap/colormap_private.h"

#include <string.h>

/* Without a truth. */
static unsigned map_level_at(
    const StxColormapInput *input, const StxColormapTable *table, int x, int y)
{
  if (input->bytes.data == NULL)
    return table->level[stx_row16(&input->map, y)[x]];
  unsigned confidence = stx_row8(&input->bytes, y)[x];
  if (input->map.data == NULL)
    return table->level[confidence];
  return stx_colormap_sure_level(table, confidence, stx_row16(&input->map, y)[x]);
}

/* A map's numbers alone. */
static void spread_row(const StxColormapTable *table, const uint16_t *numbers, int width,
    StxColormapHistogram *histogram)
{
  for (int x = 0; x < width; x++)
    if (stx_colormap_is_value(table->level[numbers[x]]))
      histogram->count[numbers[x] >> STX_COLORMAP_BIN_SHIFT]++;
}

bool stx_colormap_spread_c(const StxColormapInput *input, const StxColormapTable *table,
    StxColormapHistogram *histogram, const StxPlace *place, StxError *error)
{
  const bool is_bytes = input->bytes.data != NULL;
  const int width = is_bytes ? input->bytes.width : input->map.width;
  const int height = is_bytes ? input->bytes.height : input->map.height;
  memset(histogram, 0, sizeof *histogram);
  for (int y = 0; y < height; y += STX_COLORMAP_SPREAD_ROWS)
    if (!is_bytes)
      spread_row(table, stx_row16(&input->map, y), width, histogram);
    else
      for (int x = 0; x < width; x++)
        if (stx_colormap_is_value(map_level_at(input, table, x, y)))
          histogram->count[stx_row8(&input->bytes, y)[x]]++;
  return true;
}

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
  return map_level_at(input, table, x, y);
}

bool stx_colormap_paint_c(const StxColormapInput *input, const StxColormapTable *table,
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
