/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in egomotion.cu, filled by egomotion_launch.c. */
#pragma once

#include "common/egomotion/egomotion_math.h"

enum {
  STX_EGOMOTION_LANES = 32,
  STX_EGOMOTION_ROWS = 8,       /* of a block of `take`: a warp each */
  STX_EGOMOTION_TILE_CELLS = 4, /* across, of a block of `look` */
  STX_EGOMOTION_TILE_THREADS = 256,
  STX_EGOMOTION_WARPS = 4, /* of a block of `match`: a corner each */
};

/* All kernels have the same. Pictures: [0] before, [1] now. */
typedef struct {
  StxImage8 left, full[2], half, relief[2];
  StxImage16 disparity;
  EgoLook *look;
  EgoCell *cells;
  EgoMatch *matches;
  const EgoCorner *corners;
  EgoSearch search;
  int32_t depth, compares; /* the picture before is there */
  int32_t cells_across, reserved;
} StxEgomotionArgs;
