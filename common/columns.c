/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/columns.h"

#define MAX_SIDE 32768
#define MAX_CELL 128

static bool check_range(
    const char *field, int value, int low, int high, const char *unit, StxError *error)
{
  if (value >= low && value <= high)
    return true;
  return stx_fail(error, "%s is %d; it must be %d to %d%s", field, value, low, high, unit);
}

bool stx_grid_check(const StxGrid *grid, StxError *error)
{
  return check_range("image width", grid->width, 1, MAX_SIDE, " pixels", error) &&
         check_range("image height", grid->height, 1, MAX_SIDE, " pixels", error) &&
         check_range("cell width", grid->cell_width, 1, MAX_CELL, " pixels", error) &&
         check_range("cell height", grid->cell_height, 1, MAX_CELL, " pixels", error) &&
         check_range("number of classes", grid->classes, 0, STX_MAX_CLASSES, "", error);
}
