/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fulldp: what the mixture adds to satdp's tables, and the list of implementations. σ comes back
 * out of the scale into which satdp folded it: a residual of one pixel of a certain cell costs
 * 1024/σ² energies, and 65025 · scale · residual_energy.
 */
#include "common/cpu.h"
#include "common/fulldp/fulldp.h"
#include "common/fulldp/fulldp_math.h"

#include <math.h>

typedef struct {
  double outlier;  /* energy of a wrong disparity */
  double gaussian; /* of one that is exact, at σ = 256 steps */
  double unit;     /* 1/σ² of a scale of 1 */
} Branches;

static Branches branches(const StxSatdpParams *params, const StxSatdpTables *tables, int kind)
{
  double range = params->outlier_range / stx_grid_pixel(&params->grid);
  double share = params->outlier_share[kind], inside = kind == STX_BELOW_SKY ? 0.5 : 1;
  Branches b = {(log(range) - log(share)) * STX_ENERGY_ONE,
      (log(inside) + log(M_PI) / 2 - log1p(-share)) * STX_ENERGY_ONE,
      STX_WEIGHT_ONE * tables->residual_energy / STX_ENERGY_ONE};
  return b;
}

static void mix(const Branches *b, uint32_t scale, int32_t *flat, int32_t *cap)
{
  double gaussian = b->gaussian - log(scale * b->unit) / 2 * STX_ENERGY_ONE;
  *flat = (int32_t)floor(fmin(b->outlier, gaussian) + 0.5);
  *cap = (int32_t)floor(b->outlier + 0.5) - *flat;
}

void stx_fulldp_prepare(const StxSatdpParams *params, StxSatdpTables *t)
{
  StxMixture *m = &t->mixture;
  Branches ground = branches(params, t, STX_BELOW_GROUND);
  Branches object = branches(params, t, STX_BELOW_OBJECT);
  Branches sky = branches(params, t, STX_BELOW_SKY);
  for (int u = 0; u < t->rows; u++)
    mix(&ground, t->ground_scale[u], &m->ground_flat[u], &m->ground_cap[u]);
  for (int bin = 0; bin < 65536 >> STX_OBJECT_BIN; bin++)
    mix(&object, t->object_scale[bin], &m->object_flat[bin], &m->object_cap[bin]);
  mix(&sky, t->sky_scale, &m->sky_flat, &m->sky_cap);
  m->steepest = (float)(STX_LINE_REACH / (t->x[0] - t->x[t->rows - 1] + 1));
}

/* ---- Implementations --------------------------------------------------------------------- */

STX_DECLARE(StxSatdpImpl, stx_fulldp, scratch_size);
STX_DECLARE(StxSatdpImpl, stx_fulldp, run);
#define FUNCTIONS(isa) stx_fulldp_scratch_size_##isa, stx_fulldp_run_##isa
STX_HOST_TABLE(StxSatdpImpl, stx_fulldp, FUNCTIONS);
