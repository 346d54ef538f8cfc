/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in overlay.cu, filled by overlay_launch.c. All pointers are the
 * device's. */
#pragma once

#include "common/overlay/overlay_math.h"
#include "cuda/stxcuda.h"

enum {
  STX_OVERLAY_INDEX_THREADS = 256,
  STX_OVERLAY_COLUMN_THREADS = 128,
  STX_OVERLAY_DRAW_X = 32, /* threads of a block across … */
  STX_OVERLAY_DRAW_Y = 8,  /* … and down */
  STX_OVERLAY_SAMPLES = 4, /* of one row, per thread */
  /* The pixels of the widest group of samples, to a multiple of which rows are padded. */
  STX_OVERLAY_PIXELS = 2 * STX_OVERLAY_SAMPLES
};

/* The records of a column are among [count − begin, end); both 0: there are none. */
typedef struct {
  uint32_t begin, end;
} StxOverlayRange;

/*
 * Which column a frame pixel belongs to: its number, and whether the pixel is where a body has its
 * left outline. A column with the greatest number, 32767, is one of 32768 on at most as many
 * pixels and is too narrow for an outline, so that NOBODY says nothing else.
 */
enum {
  STX_OVERLAY_COLUMN = 0x7fff,
  STX_OVERLAY_SIDE = 0x8000,
  STX_OVERLAY_NOBODY = 0xffff /* beyond the last column */
};

/* A paint's number where nothing is drawn. */
enum { STX_OVERLAY_CLEAR = 0xffff };

typedef struct {
  StxOverlayParams params;      /* what kernels look at; the rest is 0 */
  const int32_t *left, *column; /* as in StxOverlay */
  const StxStixel *records;
  uint32_t count;
  int32_t pixels; /* frame width, padded */
  int32_t edge, reserved;
  StxOverlayRange *range; /* per column, zeroed */
  uint16_t *pixel;        /* per frame pixel across: its column */
  StxOverlayResult *result;
} StxOverlayIndexArgs;

typedef struct {
  StxOverlayParams params;
  StxOverlayTables tables;
  const StxStixel *records;
  const StxOverlayRange *range;
  uint16_t *paint; /* by frame row and column: its number */
  StxOverlayResult *result;
  uint32_t count;
  int32_t visible; /* columns that begin inside the image: the length of a row of `paint` */
} StxOverlayColumnsArgs;

typedef struct {
  uint8_t *data;
  int64_t stride;        /* bytes */
  int32_t width, height; /* samples */
  int8_t channel[4];     /* as in StxPlane */
  uint8_t pixel_stride, shift_x, shift_y;
  uint8_t unit; /* bytes that may be loaded at once: 16, 4 or 1 */
  /* For samples of 4 bytes: __byte_perm selectors of the paint's bytes that are added to bytes 0
   * and 2, 1 and 3; and a mask of the bytes that have a channel. */
  uint32_t even, odd, mask;
} StxOverlayPlaneArgs;

/* Paints are StxPaint, read as words of 64 bits. */
typedef struct {
  StxOverlayPlaneArgs plane[3];
  const uint16_t *pixel, *paint;
  const uint64_t *paints;
  int32_t frame_height, visible;
} StxOverlayDrawArgs;
