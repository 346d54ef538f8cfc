/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions behind stx_colormap_impls; see StxColormapImpl for what they promise. */
#pragma once

#include "common/cpu.h"
#include "common/colormap/colormap.h"

bool stx_colormap_spread(const StxColormapInput *input, const StxColormapTable *table,
    StxColormapHistogram *histogram, const StxPlace *place, StxError *error);

#define STX_COLORMAP_DECLARE(suffix)                                                               \
  bool stx_colormap_paint_##suffix(const StxColormapInput *input, const StxColormapTable *table,   \
      const StxColormapPicture *picture, StxColormapCount *count, const StxPlace *place,           \
      StxError *error);

STX_COLORMAP_DECLARE(base)
#if STX_BUILD_X86
STX_COLORMAP_DECLARE(avx2)
STX_COLORMAP_DECLARE(avx512)
#endif

#undef STX_COLORMAP_DECLARE
