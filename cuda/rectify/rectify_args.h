/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in rectify.cu, filled by rectify_launch.c. All pointers are the
 * device's.
 */
#pragma once

#include "common/rectify/rectify_math.h"
#include "cuda/stxcuda.h"

enum {
  STX_RECTIFY_X = 32,      /* threads of a block across … */
  STX_RECTIFY_Y = 8,       /* … and down */
  STX_RECTIFY_SAMPLES = 4, /* of one row, per thread; packed pixels */
  STX_RECTIFY_PAIRS = 2
};

typedef struct {
  const uint32_t *place; /* as in StxRectifyMap */
  const uint16_t *fraction;
  const uint8_t *source;
  uint8_t *target;
  int64_t source_stride, target_stride; /* bytes */
  int32_t width, height;                /* of the target, samples */
  uint32_t border;                      /* the sample's first byte in the lowest bits */
  uint8_t map_whole;    /* the map's rows begin where a thread's entries can be loaded at once, */
  uint8_t source_whole; /* the source's samples where one can, */
  uint8_t target_whole; /* the target's rows where four samples can be stored */
  uint8_t reserved;
} StxRectifyArgs;

/* A picture in packed 4:2:2: of `pixels` everything but the border, of `colours` the map. */
typedef struct {
  StxRectifyArgs pixels, colours;
  int32_t luma; /* as in StxRectifyPacked */
  uint8_t border[2];
  uint8_t reserved[2];
} StxRectifyPackedArgs;
