/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rdp: refusing bad parameters, and the list of implementations. */
#include "common/rdp.h"
#include "common/cpu.h"
#include "common/rdp_impls.h"

bool stx_rdp_check(const StxRdpParams *params, StxError *error)
{
  if (!stx_grid_check(&params->grid, error))
    return false;
  int rows = stx_grid_rows(&params->grid), median = params->median;
  if (rows > STX_RDP_MAX_ROWS)
    return stx_fail(error,
        "%d rows of cells (image height %d, cell_height %d), must be 1 to %d: use larger cells",
        rows, params->grid.height, params->grid.cell_height, STX_RDP_MAX_ROWS);
  if (params->epsilon < 0 || params->epsilon > STX_RDP_MAX_EPSILON)
    return stx_fail(error, "epsilon is %d, must be 0 to %d, in 1/%d px", params->epsilon,
        STX_RDP_MAX_EPSILON, STX_DISPARITY_ONE);
  if (median != 0 && median != 3 && median != 5 && median != 7)
    return stx_fail(error, "median is %d cells, must be 0 (none), 3, 5 or 7", median);
  return true;
}

#define IMPL(name, backend, needs, suffix)                                                         \
  {                                                                                                \
    {name, backend, STX_MEMORY_HOST, needs}, stx_rdp_scratch_##suffix, stx_rdp_run_##suffix        \
  }
static const StxRdpImpl impls[] = {STX_HOST_IMPLS(IMPL)};

const StxImplTable stx_rdp_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
