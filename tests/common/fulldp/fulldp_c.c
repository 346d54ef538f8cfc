/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp, reference: satdp's recurrence with a data term that looks at every cell of every stixel.
 */
#include "common/fulldp/fulldp_math.h"
#include "common/fulldp/fulldp.h"
#include "tests/common/satdp/satdp_c.h"

/* The cells of a column. */
typedef struct {
  const StxSatdpTables *tables;
  StxGroundPrior prior;
  float disparity[STX_MAX_ROWS];
  StxCell cell[3][STX_MAX_ROWS]; /* of ground, object, sky */
} Cells;

static void begin(void *data, const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column)
{
  Cells *cells = data;
  const uint16_t *disparity = stx_column(&params->grid, (void *)columns, 0, column);
  const uint16_t *weight = stx_column(&params->grid, (void *)columns, 1, column);
  cells->tables = tables;
  cells->prior = stx_ground_prior(tables, column);
  for (int u = 0, drop = stx_drop_cells(tables, column); u < tables->rows; u++) {
    int row = tables->rows - 1 - u, v = stx_road_cell(tables, drop, u);
    cells->disparity[u] = disparity[row];
    for (int kind = 0; kind < 3; kind++)
      cells->cell[kind][u] =
          stx_cell(tables, (StxKind)(STX_KIND_GROUND + kind), v, weight[row], disparity[row]);
  }
}

static double energy(const void *data, int kind, int vb, int k, const StxGroundFit *plane)
{
  const Cells *cells = data;
  const StxSatdpTables *t = cells->tables;
  StxCellLine line =
      stx_cell_line(*plane, cells->prior.horizon_x, (float)t->x[vb], t->mixture.steepest);
  double sum = 0;
  if (kind == STX_BELOW_GROUND)
    sum = stx_data_energy(stx_plane_residual(cells->prior, *plane), t->residual_energy);
  for (int u = vb; u <= k; u++) {
    const StxCell *cell = &cells->cell[kind][u];
    float value = stx_line_value(line, (float)(t->x[u] - t->x[vb]));
    sum += cell->flat +
           (double)stx_mixture_energy(cells->disparity[u], value, cell->precision, cell->cap);
  }
  return sum;
}

static size_t stx_fulldp_scratch_c(const StxSatdpParams *params, int threads)
{
  return stx_satdp_scratch_c(params, threads) + stx_align(sizeof(Cells));
}

static bool stx_fulldp_run_c(const StxSatdpParams *params, const StxSatdpTables *tables,
    bool has_ground, const void *columns, const uint8_t *starts, StxStixel *stixels,
    StxSatdpResult *result, void *scratch, const StxPlace *place, StxError *error)
{
  StxSatdpParams upright = stx_fulldp_upright(params);
  StxSatdpTerm term = {begin, energy, (char *)scratch + stx_satdp_scratch_c(params, 1)};
  stx_satdp_solve_c(&upright, tables, columns, starts, stixels, result, scratch, &term);
  return true;
}

const StxSatdpImpl oracle_fulldp = {
    {"c", STX_BACKEND_OMP, STX_MEMORY_HOST, 0}, stx_fulldp_scratch_c, stx_fulldp_run_c};
