/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The argument of the kernel in sheet.cu, filled by sheet_launch.c. All pointers are the
 * device's. */
#ifndef STX_CUDA_SHEET_ARGS_H
#define STX_CUDA_SHEET_ARGS_H

#include "common/sheet/sheet_private.h"
#include "cuda/stxcuda.h"

typedef struct {
  uint8_t *data;
  int64_t stride; /* bytes */
  StxPlane plane;
  uint8_t reserved[9];
} StxSheetPlaneArgs;

typedef struct {
  StxSheetPlaneArgs plane[3];
  const StxTile *tiles;
  int32_t across; /* tiles of a row of the frame */
  int32_t width, height, reserved;
} StxSheetLayArgs;

#endif
