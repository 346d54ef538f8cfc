/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rdp: the tables of fields and of implementations. */
#include "common/rdp/rdp.h"
#include "common/cpu.h"

/* ---- Fields ------------------------------------------------------------------------------- */

static const StxFieldChoice medians[] = {
    {0, "0", "None", .called = "none"},
    {3, "3", "3"},
    {5, "5", "5"},
    {7, "7", "7"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxRdpParams, member)

static const StxField fields[] = {
    {"epsilon", "Epsilon", "Largest distance of a cell from its segment, pixels of disparity",
        FIELD(INT, epsilon), .high = STX_RDP_MAX_EPSILON, .unit = "px", .scale = STX_DISPARITY_ONE},
    {"median", "Median", "Median filter along a column, cells", FIELD(CHOICE, median),
        .unit = "cells", .choices = medians},
};
static const StxRdpParams defaults = STX_RDP_DEFAULTS;
const StxFields stx_rdp_fields = {STX_FIELDS_OF(fields), &defaults};

bool stx_rdp_check(const StxRdpParams *params, StxError *error)
{
  if (!stx_grid_check(&params->grid, error))
    return false;
  int cells = stx_grid_rows(&params->grid);
  if (cells > STX_RDP_MAX_ROWS)
    return stx_fail(error,
        "%d rows of cells (image height %d, cell_height %d), must be 1 to %d: use larger cells",
        cells, params->grid.height, params->grid.cell_height, STX_RDP_MAX_ROWS);
  return stx_fields_check(&stx_rdp_fields, params, error);
}

/* ---- Implementations ---------------------------------------------------------------------- */

STX_DECLARE(StxRdpImpl, stx_rdp, scratch_size);
STX_DECLARE(StxRdpImpl, stx_rdp, run);
#define FUNCTIONS(isa) stx_rdp_scratch_size_##isa, stx_rdp_run_##isa
STX_HOST_TABLE(StxRdpImpl, stx_rdp, FUNCTIONS);
