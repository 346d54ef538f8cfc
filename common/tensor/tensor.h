/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between pictures and the tensors of a stereo network: 8-bit pictures in, disparities out.
 *
 * Along each axis a tensor has as many pixels as the network wants, `n`, and the picture `p`:
 *
 *   padded   n >= p: the picture lies at the beginning, and its last pixel is repeated behind it
 *   resized  the centre of pixel i of n lies at (i + 0.5) · p / n − 0.5 of the picture; between
 *            centres values are interpolated linearly, beyond the outermost they are theirs
 *
 * A value of the picture becomes (v / 255 · white − mean) / std, in float32, from a table of all
 * 256; what is resized is interpolated between such values. A tensor of bytes holds them rounded
 * half up: they are to be 0 … 255.
 *
 * Disparities come back as a map of m numbers along each axis, whose edges are those of the n
 * pixels. A pixel of the picture takes that number of the map in which its centre lies, so that no
 * value lies between a near and a far one. In pixels of the picture it is
 *
 *   d = number · factor        unknown where it is not finite, negative or rounds to 0
 *
 * written as in KITTI's maps: d · 256, rounded half up, at most 65535.
 *
 * Confidences come back likewise: 0 … 1 becomes 0 … 255, rounded half up; what is not finite is 0.
 */
#pragma once

#include "common/stx.h"

typedef enum { STX_TENSOR_FLOAT, STX_TENSOR_HALF, STX_TENSOR_BYTE } StxTensorType;

/* Along one axis, pixels. */
typedef struct {
  int picture, network;
  bool resized;
} StxTensorAxis;

/* The layout of a picture's pixel: its bytes, and the offsets of the tensor's channels. */
typedef struct {
  int bytes, at[3];
} StxTensorPixel;

/* One view in a tensor: where values lie, counted in values from the tensor's first. */
typedef struct {
  StxTensorType type;
  int channels; /* 1 or 3 */
  StxTensorAxis x, y;
  size_t first, row, step, plane; /* the first value; from row to row, pixel to pixel, channel to
                                     channel */
} StxTensorView;

/* The tensor's values for the 256 values of a channel. */
typedef struct {
  float value[3][256];
} StxTensorTable;

void stx_tensor_table(
    StxTensorTable *table, double white, const double mean[3], const double std[3]);

/* Writes one view: all its values, padding included. The picture has the size that the axes say.
 * `threads` may work on it. */
void stx_tensor_fill(const StxTensorView *view, void *tensor, const StxTensorTable *table,
    const StxTensorPixel *pixel, const StxImage8 *picture, int threads);

/* A map of numbers, FLOAT or HALF: values from row to row and from one to the next. */
typedef struct {
  StxTensorType type;
  const void *data;
  int width, height;
  size_t row, step;
} StxTensorMap;

/* Pixels of a picture, by what came back for them. */
typedef struct {
  uint64_t known, negative, not_finite;
} StxTensorCounts;

void stx_tensor_disparity(const StxTensorMap *map, const StxTensorAxis *x, const StxTensorAxis *y,
    double factor, const StxImage16 *disparity, StxTensorCounts *counts, int threads);

void stx_tensor_confidence(const StxTensorMap *map, const StxTensorAxis *x, const StxTensorAxis *y,
    const StxImage8 *confidence, int threads);

/* The binary16 that is nearest to a float32, of two the even one. */
uint16_t stx_tensor_half(float value);
