/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in colormap.cu, filled by colormap_launch.c. */
#pragma once

#include "common/colormap/colormap.h"

enum { STX_COLORMAP_LANES = 32, STX_COLORMAP_ROWS = 8 }; /* of a block: a warp for each row */

typedef struct {
  StxColormapInput input;
  const StxColormapTable *table;
  StxColormapPicture picture; /* of the histogram only its size */
  StxColormapHistogram *histogram;
} StxColormapArgs;
