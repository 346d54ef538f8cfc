/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in tint.cu, filled by tint_launch.c. */
#ifndef STX_TINT_ARGS_H
#define STX_TINT_ARGS_H

#include "common/tint/tint.h"

enum { STX_TINT_LANES = 32, STX_TINT_ROWS = 8 }; /* of a block: a warp for each row */

typedef struct {
  StxTintInput input;
  const StxTintTable *table;
  StxTintPicture picture; /* of the histogram only its size */
  StxTintCount *count;
  StxTintHistogram *histogram;
} StxTintArgs;

#endif
