/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Depths in place of disparities: the last step of semi-global matching, when StxSgmParams.depth is
 * set. Along the optical axis, in millimetres, as ROS (REP 118) and depth cameras have them in 16
 * bits:
 *
 *   depth = focal · baseline / disparity = (scale + value / 2) / value,   both divisions downwards
 *
 * with the value of sgm.h in 1/256 pixel and `scale` focal · baseline in pixels times 1/256 mm. So
 * it is the exact quotient rounded to nearest, halves up.
 *
 * A depth below 1 or above STX_SGM_MAX_DEPTH does not fit. It becomes unknown (0) with confidence
 * 0, as where nothing was measured: formats in millimetres have no number for "farther", and some
 * readers take 65535 for an invalid depth.
 */
#pragma once

#include "common/sgm/sgm.h"

#define STX_SGM_MAX_DEPTH 65534 /* mm */

/*
 * StxSgmParams.depth for a camera: rounded, at least 1. False, with the values and the bound in
 * `error`, if focal · baseline (pixels, metres) is not positive or too large.
 */
bool stx_sgm_depth_scale(double focal, double baseline, int *scale, StxError *error);

/* Works on images on the host; confidence as in StxSgmImpl. */
void stx_sgm_depth(const StxSgmParams *params, const StxImage16 *disparity,
    const StxImage8 *confidence, int threads);
