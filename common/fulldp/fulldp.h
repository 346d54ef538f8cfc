/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels by dynamic programming, the O(h³) model ("gaussian-uniform"), with which satdp is
 * compared.
 *
 * Source: D. Hernandez-Juarez et al., "3D Perception with Slanted Stixels on GPU", TPDS 32(10),
 * 2021, Eq. 5–9: a disparity is drawn from a Gaussian around the plane or, with the probability
 * p_out, from a uniform distribution (Eq. 6). As the cost of a wrong disparity is bounded, there is
 * no closed form: a stixel's data term is a loop over its cells.
 *
 *   Data_K(vb,k) = Plane_K + Σ over the known cells u = vb … k of  flat_K(u) + min(cap_K(u), q(u))
 *   q(u)         = w·(d − D(u))²  on the plane D, w the cell's folded weight
 *   flat, cap    of the cheaper of the two branches: with  n = ln A + ln(σ·√π) − ln(1 − p_out)
 *                and  o = ln range − ln p_out:  flat = min(o, n), cap = max(o − n, 0)
 *
 * The plane is satdp's, of weighted least squares (for ground with the prior of Eq. 7, whose energy
 * is Plane_G; else Plane_K is 0). σ is the one folded into the cell's weight; A, the share of the
 * Gaussian within the range of disparities, is 1, for sky ½. q(u) is rounded to an integer; sums
 * are exact. Cells of unknown disparity do not enter. All else is as satdp.h has it: recurrence,
 * class, horizon and unknown terms, pair costs, ties, start rows, records, and the types, which are
 * satdp's: StxSatdpParams with outlier_share and outlier_range, StxSatdpTables with `mixture`.
 */
#ifndef STX_FULLDP_H
#define STX_FULLDP_H

#include "common/satdp/satdp.h"

/* Adds what the mixture needs to tables that stx_satdp_prepare made from `params`; about 40 µs. */
STX_API void stx_fulldp_prepare(const StxSatdpParams *params, StxSatdpTables *tables);

/*
 * Host implementations, best first. Records of the type
 * StxSatdpImpl: what that promises holds for these, too, except that the tables come from
 * stx_fulldp_prepare. evaluated: (vb, k, kind) triples of which at least one cell was looked at.
 */
STX_API const StxImplTable stx_fulldp_impls;

/* The parameters as this model reads them: its objects are upright (object_sigma_slope 0). */
STX_INLINE StxSatdpParams stx_fulldp_upright(const StxSatdpParams *params)
{
  StxSatdpParams upright = *params;
  upright.object_sigma_slope = 0;
  return upright;
}

#endif
