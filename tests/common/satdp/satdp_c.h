/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference with another data term than satdp's: between satdp_c.c and fulldp_c.c. */
#pragma once

#include "common/satdp/satdp_cost_math.h"

/*
 * `begin` looks at a column; `energy` is that of its cells vb … k as a stixel of a kind (an
 * StxBelow) on a plane: an object's has the slope 0 and its value as intercept, the sky's both 0.
 * `data` is theirs.
 */
typedef struct {
  void (*begin)(void *data, const StxSatdpParams *params, const StxSatdpTables *tables,
      const void *columns, int column);
  double (*energy)(const void *data, int kind, int vb, int k, const StxGroundFit *plane);
  void *data;
} StxSatdpTerm;

size_t stx_satdp_scratch_c(const StxSatdpParams *params, int threads);

/* The reference; `term` NULL: with satdp's own data term. */
void stx_satdp_solve_c(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, const uint8_t *starts, StxStixel *stixels, StxSatdpResult *result,
    void *scratch, const StxSatdpTerm *term);
