/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The strip at the left border that the right camera does not see. A surface of disparity d begins
 * there at column d; left of that nothing can be matched, and what seems to match is wrong.
 *
 * Row by row, on the final disparities: x0 is the first column below max_disparity from which on,
 * STX_SGM_BORDER_WINDOW columns, at least STX_SGM_BORDER_KNOWN are known, and x1 the first known
 * column from there on. Left of x1, and of its disparity rounded to pixels, all becomes unknown
 * with confidence 0. In a row without such a column nothing bears out what is known in the first
 * window: all of that becomes unknown. Rows shorter than the window stay as they are.
 */
#pragma once

#include "common/sgm/sgm.h"

#define STX_SGM_BORDER_WINDOW 32 /* columns; as many as a warp has lanes */
#define STX_SGM_BORDER_KNOWN 24

/* Works on images on the host; confidence as in StxSgmImpl. */
void stx_sgm_border(const StxSgmParams *params, const StxImage16 *disparity,
    const StxImage8 *confidence, int threads);
