/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The argument of the kernel in canvas.cu, filled by canvas_launch.c. All pointers are the
 * device's. */
#pragma once

#include "common/canvas/canvas_private.h"
#include "cuda/stxcuda.h"

typedef struct {
  uint8_t *data;
  int64_t stride; /* bytes */
  StxPlane plane;
  uint8_t reserved[9];
} StxCanvasPlaneArgs;

typedef struct {
  StxCanvasPlaneArgs plane[3];
  const StxTile *tiles;
  int32_t across; /* tiles of a row of the frame */
  int32_t width, height, reserved;
} StxCanvasLayArgs;
