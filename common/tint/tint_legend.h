/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The legend of what tint.h makes. */
#ifndef STX_TINT_LEGEND_H
#define STX_TINT_LEGEND_H

#include "common/sheet/sheet.h"
#include "common/tint/tint.h"

/*
 * Draws a bar with the ticks of the range or, of errors, the names of their steps and in words what
 * `count` comes to: outliers and mean error of the pixels known in map and truth, the share that is
 * missing of those known in the truth. `span` and `count` are looked at where
 * they apply. The sheet is of the picture's size.
 */
void stx_tint_legend(const StxTintParams *params, StxTintSpan span, const StxTintCount *count,
    StxLegend where, StxSheet *sheet);

#endif
