/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stixels as maps of numbers. */
#include "common/metrics/metrics.h"
#include "common/tint/tint.h"

#include <math.h>
#include <string.h>

/* 0 … 1, or nats for each row, as a number. */
static uint16_t number_of(const StxStixel *stixel, StxTintMode mode)
{
  double value = stixel->confidence;
  if (stixel->kind == STX_KIND_SKY)
    return STX_TINT_PART_SKY;
  if (mode == STX_TINT_COST)
    value = stixel->kind == STX_KIND_SEGMENT
                ? stixel->cost
                : (double)stixel->cost / (stixel->bottom - stixel->top + 1);
  if (!(value >= 0) || !isfinite(value))
    return 0;
  return (uint16_t)(1 + fmin(value * STX_TINT_PART + .5, STX_TINT_PART_SKY - 2));
}

static void fill(const StxStixel *stixel, int cell_width, uint16_t number, const StxImage16 *map)
{
  int left = stixel->column * cell_width, right = left + cell_width;
  for (int y = stixel->top; y <= stixel->bottom && y < map->height; y++)
    for (int x = left; x < right && x < map->width; x++)
      stx_row16(map, y)[x] = number;
}

void stx_tint_render(
    const StxStixel *stixels, size_t count, int cell_width, StxTintMode mode, const StxImage16 *map)
{
  if (mode != STX_TINT_CONFIDENCE && mode != STX_TINT_COST) {
    stx_render_disparity(stixels, count, cell_width, map);
    return;
  }
  for (int y = 0; y < map->height; y++)
    memset(stx_row16(map, y), 0, (size_t)map->width * sizeof(uint16_t));
  for (size_t i = 0; i < count; i++)
    fill(&stixels[i], cell_width, number_of(&stixels[i], mode), map);
}
