/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arithmetic of the mixture's data term, written once: every implementation of fulldp compiles
 * these functions. Cells are worked on in float, + − · alone, rounded alike everywhere; each cell's
 * energy is an integer below 2^14, so that their sums are exact in any order and any type.
 */
#pragma once

#include "common/satdp/satdp_records_math.h"

/* ---- Cells --------------------------------------------------------------------------------- */

/* The cost of a cell in a stixel of some kind: flat + min(cap, precision · (d − plane)²). All 0:
 * its disparity is unknown. */
typedef struct {
  float precision, cap;
  int32_t flat;
} StxCell;

/* `u` by stx_road_cell. */
STX_INLINE StxCell stx_cell(
    const StxSatdpTables *t, StxKind kind, int u, uint32_t weight, uint32_t disparity)
{
  const StxMixture *m = &t->mixture;
  uint32_t bin = disparity >> STX_OBJECT_BIN;
  uint32_t folded = stx_fold(weight, stx_kind_scale(t, kind, u, disparity), disparity);
  int32_t flat = kind == STX_KIND_GROUND   ? m->ground_flat[u]
                 : kind == STX_KIND_OBJECT ? m->object_flat[bin]
                                           : m->sky_flat;
  int32_t cap = kind == STX_KIND_GROUND   ? m->ground_cap[u]
                : kind == STX_KIND_OBJECT ? m->object_cap[bin]
                                          : m->sky_cap;
  StxCell cell = {(float)folded * t->residual_energy, (float)cap, flat};
  StxCell unknown = {0, 0, 0};
  return disparity == STX_DISPARITY_UNKNOWN ? unknown : cell;
}

/* The share of a cell's distance to the plane in its energy. */
STX_INLINE float stx_mixture_energy(float disparity, float value, float precision, float cap)
{
  float distance = disparity - value;
  float energy = distance * distance * precision;
  return stx_round_float(energy < cap ? energy : cap);
}

/* ---- Planes -------------------------------------------------------------------------------- */

/* value(x) = start + slope · (x − the x of the stixel's first cell), 1/256 px; see STX_LINE_START.
 */
typedef struct {
  float start, slope;
} StxCellLine;

STX_INLINE StxCellLine stx_cell_line(StxGroundFit fit, float horizon_x, float x, float steepest)
{
  StxCellLine line = {stx_line_start(fit, horizon_x, x), stx_clamp_float(fit.slope, steepest)};
  return line;
}

STX_INLINE float stx_line_value(StxCellLine line, float distance)
{
  return line.start + line.slope * distance;
}
