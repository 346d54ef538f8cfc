/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in luma.cu, filled by luma_launch.c. */
#pragma once

#include "common/luma/luma.h"

enum { STX_LUMA_LANES = 32, STX_LUMA_ROWS = 8 }; /* of a block: a warp for each row */

typedef struct {
  const uint8_t *picture;
  int64_t picture_stride;
  uint8_t *gray;
  int64_t gray_stride;
  int32_t width, height;
  int32_t kind, pixel; /* of StxLumaFormat */
  uint8_t at[3];
  int32_t shift;
  uint32_t *most; /* the largest word: decides in place of `shift`; NULL: not wanted */
} StxLumaArgs;
