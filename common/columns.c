/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/columns.h"

#define STORED(kind, member) STX_STORED(kind, StxGrid, member)

static const StxField fields[] = {
    {.field = "image width",
        STORED(INT, width),
        .low = 1,
        .high = STX_GRID_MAX_SIDE,
        .unit = "pixels"},
    {.field = "image height",
        STORED(INT, height),
        .low = 1,
        .high = STX_GRID_MAX_SIDE,
        .unit = "pixels"},
    {"stixel-width", "Stixel width", "Width of a stixel, pixels", "cell width",
        STORED(INT, cell_width), .low = 1, .high = STX_GRID_MAX_CELL, .unit = "pixels"},
    {"stixel-height", "Stixel height", "Height of a cell, pixels", "cell height",
        STORED(INT, cell_height), .low = 1, .high = STX_GRID_MAX_CELL, .unit = "pixels"},
    {.field = "number of classes", STORED(INT, classes), .high = STX_MAX_CLASSES},
    {.field = "coarse", STORED(INT, coarse), .high = STX_GRID_MAX_COARSE},
};
static const StxGrid defaults = STX_GRID_DEFAULTS;
const StxFields stx_grid_fields = {STX_FIELDS_OF(fields), &defaults, .must = "; it must be "};

bool stx_grid_set_steps(StxGrid *grid, int steps, StxError *error)
{
  for (grid->coarse = 0; grid->coarse <= STX_GRID_MAX_COARSE; grid->coarse++)
    if (stx_grid_steps(grid) == steps)
      return true;
  grid->coarse = 0;
  return stx_fail(
      error, "disparity-steps is %d; there are 256, 128, 64, 32 or 16 steps in a pixel", steps);
}

bool stx_grid_check(const StxGrid *grid, StxError *error)
{
  return stx_fields_check(&stx_grid_fields, grid, error);
}
