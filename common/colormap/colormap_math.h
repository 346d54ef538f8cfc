/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arithmetic of colormap.h, for all implementations. */
#pragma once

#include "common/colormap/colormap.h"

#define STX_COLORMAP_BIN_SHIFT 4   /* of a number of 16 bits to its bin */
#define STX_COLORMAP_SPREAD_ROWS 4 /* one of so many is looked at */

/* Is it that of a value, neither unknown nor sky? */
STX_INLINE bool stx_colormap_is_value(unsigned level)
{
  return level - 1 < STX_COLORMAP_MOST;
}

/* Returns the level of a confidence: how sure the map's number is or, where that is unknown, how
 * sure the sky is. */
STX_INLINE unsigned stx_colormap_sure_level(
    const StxColormapTable *table, unsigned confidence, unsigned number)
{
  bool known = number >= table->known[0] && number <= table->known[1];
  unsigned nothing = confidence >= 128 ? STX_COLORMAP_SKY : 0;
  return known ? table->level[confidence] : nothing;
}

/* 1 in the odd squares. */
STX_INLINE int stx_colormap_square(int x, int y, int square)
{
  return (x >> square ^ y >> square) & 1;
}

/* The level of a pixel. */
static inline unsigned stx_colormap_map_level(
    const StxColormapInput *input, const StxColormapTable *table, int x, int y)
{
  if (input->bytes.data == NULL)
    return table->level[stx_row16(&input->map, y)[x]];
  unsigned confidence = stx_row8(&input->bytes, y)[x];
  if (input->map.data == NULL)
    return table->level[confidence];
  return stx_colormap_sure_level(table, confidence, stx_row16(&input->map, y)[x]);
}
