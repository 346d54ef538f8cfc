/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cell reduction: what the numbers of a map mean, of disparities or of depths.
 *
 * The reduction works on steps of the grid (columns.h), 1/256 pixel of disparity unless that is
 * coarse, 1 … 65535; 0: unknown. What KITTI's maps hold are such steps. Any other number becomes
 * steps pixel by pixel, on its way in:
 *
 *   d = the number as a disparity in pixels; of a depth z: focal · baseline / z
 *   unknown, unless d > 0 and d >= minimum; of disparities with a negative minimum the latter alone
 *   steps = (d · scale + offset) · steps of a pixel, rounded half up; 65535 where it is more; 0,
 *           unknown, where it is less than 1
 *
 * in float32, the arithmetic of stx_disparity_steps() in colmean_math.h, which all implementations
 * share. An error of 2^-22 of the value is the most that it makes.
 */
#ifndef STX_COLMEAN_DISPARITY_H
#define STX_COLMEAN_DISPARITY_H

#include "common/stx.h"

typedef enum {
  STX_DISPARITY_AUTO,       /* not given: KITTI */
  STX_DISPARITY_KITTI,      /* uint16: p / 256 pixels; 0 unknown */
  STX_DISPARITY_CITYSCAPES, /* uint16: (p − 1) / 256 pixels; 0, and so 1: unknown */
  STX_DISPARITY_OPENCV,     /* int16: p / 16 pixels; <= 0 unknown */
  STX_DISPARITY_DEPTH_MM,   /* uint16: p millimetres; 0 and 65535 unknown */
  STX_DISPARITY_PIXELS,     /* float32: pixels; not finite or <= 0: unknown */
  STX_DISPARITY_DEPTH_M     /* float32: metres; likewise */
} StxDisparityEncoding;

typedef struct {
  StxDisparityEncoding encoding;
  double focal_baseline; /* of depths: focal length in pixels · baseline in metres, > 0 */
  double minimum;        /* pixels of the map: less is unknown */
  double scale;          /* pixels of the image to one of the map; 0: not given, 1 */
  double offset;         /* pixels of the image, added to the product */
} StxDisparityMeaning;

#define STX_FOCAL_BASELINE_MAX 1e9 /* px · m */

/* True for maps of float32 (others have 16 bits), and for maps of depths. */
STX_INLINE bool stx_disparity_is_float(StxDisparityEncoding encoding)
{
  return encoding == STX_DISPARITY_PIXELS || encoding == STX_DISPARITY_DEPTH_M;
}

STX_INLINE bool stx_disparity_is_depth(StxDisparityEncoding encoding)
{
  return encoding == STX_DISPARITY_DEPTH_MM || encoding == STX_DISPARITY_DEPTH_M;
}

/* float32 numbers, width × height of them, rows `stride` bytes apart, aligned to 4 bytes. */
typedef struct {
  const float *data;
  ptrdiff_t stride;
  int width, height;
} StxImageFloat;

STX_INLINE const float *stx_row_float(const StxImageFloat *image, int y)
{
  return (const float *)((const uint8_t *)image->data + y * image->stride);
}

#endif
