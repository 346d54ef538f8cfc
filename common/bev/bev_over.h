/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is drawn over the layer of stixels and belongs to it. */
#ifndef STX_BEV_OVER_H
#define STX_BEV_OVER_H

#include "common/bev/bev_private.h"
#include "common/bev/bev_stixels.h"

void stx_bev_draw_over(
    StxBev *bev, const StxBevStixelsParams *params, const StxBevStixels *stixels);

#endif
