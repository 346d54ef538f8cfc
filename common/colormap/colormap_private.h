/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions behind stx_colormap_impls; see StxColormapImpl for what they promise. */
#pragma once

#include "common/cpu.h"
#include "common/colormap/colormap.h"

bool stx_colormap_spread(const StxColormapInput *input, const StxColormapTable *table,
    StxColormapHistogram *histogram, const StxPlace *place, StxError *error);

STX_DECLARE(StxColormapImpl, stx_colormap, paint);
