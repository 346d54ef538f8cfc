/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours, their meanings, and how they are blended into frames of any format. All colours of the
 * views are defined here.
 *
 * A colour is laid on a frame as a paint: per 8-bit channel, with a = round(256·opacity) in 0…256
 * and rounding half up:
 *
 *   out = (in·(256 − a) + colour·a + 128) >> 8
 *
 * which fits 16 bits, keeps the picture at a = 0 and replaces it at a = 256. A sample of a
 * subsampled plane stands for the 2 or 4 pixels of its block, each perhaps with another paint: it
 * is blended with the means of (256 − a) and of (colour·a + 128) over the block, rounded down,
 * first across, then down; pixels beyond the frame count as their neighbours. The arithmetic is in
 * colour_math.h.
 *
 * Threads: nothing here has state.
 */
#ifndef STX_COLOUR_H
#define STX_COLOUR_H

#include "common/fields.h"
#include "common/labels.h"
#include "common/stixel.h"

/* ---- Pixel formats ------------------------------------------------------------------------ */

/* One plane: samples `pixel_stride` bytes apart; byte i of a sample carries channel[i], 0…2 for
 * R, G, B or Y, U, V, or -1: never touched (alpha, padding). A plane has
 * ceil(width / 2^shift_x) × ceil(height / 2^shift_y) samples. */
typedef struct {
  uint8_t pixel_stride;
  int8_t channel[4];
  uint8_t shift_x, shift_y; /* 0 or 1; shift_y only together with shift_x */
} StxPlane;

typedef struct {
  const char *name; /* as GStreamer spells it */
  bool yuv;
  uint8_t planes;
  StxPlane plane[3];
  bool shared; /* the planes have the same bytes, those of a frame's first one, and what one of them
                  leaves alone is the others': packed 4:2:2 */
} StxPixelFormat;

/* RGB, BGR and their four-byte forms with alpha or padding at either end; I420, YV12, Y42B, Y444,
 * NV12, NV21, NV16, NV61, NV24, AYUV, YUY2, YVYU, UYVY, VYUY. NULL for any other name, also of gray
 * formats: the colours are the message. */
STX_API const StxPixelFormat *stx_pixel_format(const char *name);

/* A view of a frame that it does not own. Strides in bytes, at least the bytes of one row. */
typedef struct {
  uint8_t *data[3];
  ptrdiff_t stride[3];
} StxFrame;

/* The relation of Y, U, V to R, G, B. `full_range`: 0…255, else 16…235 and 16…240. */
typedef enum { STX_MATRIX_BT601, STX_MATRIX_BT709, STX_MATRIX_BT2020 } StxMatrix;

STX_API const StxFieldChoice stx_matrix_choices[];

/* Kr and Kb of each. */
extern const double stx_matrix_weights[][2];

/* ---- Colours and paints ------------------------------------------------------------------- */

typedef struct {
  uint8_t r, g, b;
} StxRgb;

/* The colour's bytes in the channels of such frames. `format` may be NULL: R, G, B. */
void stx_colour_channels(const StxPixelFormat *format, StxMatrix matrix, bool full_range,
    StxRgb colour, uint8_t channel[3]);

/* A colour ready for blending: out = (in·keep + add[channel]) >> 8. */
typedef struct {
  uint16_t keep;   /* 256 − a */
  uint16_t add[3]; /* colour·a + 128 */
} StxPaint;

/* Channels laid on with weight a/256, 0 <= a <= 256. */
static inline StxPaint stx_paint(const uint8_t channel[3], int a)
{
  StxPaint paint = {(uint16_t)(256 - a), {0, 0, 0}};
  for (int k = 0; k < 3; k++)
    paint.add[k] = (uint16_t)(channel[k] * a + 128);
  return paint;
}

/* Between two colours: `from` at part 0, `to` at part `whole`. */
StxRgb stx_colour_mix(StxRgb from, StxRgb to, int part, int whole);

/* ---- Palettes ----------------------------------------------------------------------------- */

/*
 * Colours of numbers. For the published ones every 15th entry of the published table is kept and
 * joined by straight lines; no channel is farther than 11 of 255 from the whole table.
 *
 *   DISTANCE  far blue, over green and yellow, to near red; ours
 *   TURBO     dark blue to dark red: A. Mikhailov, "Turbo, An Improved Rainbow Colormap for
 *             Visualization", Google AI Blog, 2019
 *   VIRIDIS   dark violet to yellow: S. van der Walt, N. Smith, "A Better Default Colormap for
 *             Matplotlib", SciPy 2015
 *   CIVIDIS   dark blue to yellow, the same to the colour-blind: J. Nuñez, C. Anderton, R. Renslow,
 *             "Optimizing colormaps with consideration for color vision deficiency", PLOS ONE 2018
 *   GRAY      black to white
 */
typedef enum {
  STX_PALETTE_DISTANCE,
  STX_PALETTE_TURBO,
  STX_PALETTE_VIRIDIS,
  STX_PALETTE_CIVIDIS,
  STX_PALETTE_GRAY,
  STX_PALETTES
} StxPalette;

/* Colour `index`, 0…255; beyond, that of the nearer end. DISTANCE: 255 is near. */
StxRgb stx_palette_colour(StxPalette palette, int index);

/* ---- Colours by meaning ------------------------------------------------------------------- */

/* Colours of a scene, of results, and of a view itself. */
typedef enum {
  STX_MEANS_UNKNOWN,        /* no value, no label */
  STX_MEANS_GROUND,         /* points of a scan */
  STX_MEANS_OBSTACLE,       /* …, where clusters have no colours, */
  STX_MEANS_NO_CLUSTER,     /* … and where they have: of none; no cluster looks like it */
  STX_MEANS_UNCLASSIFIED,   /* … that are neither */
  STX_MEANS_TRUE_POSITIVE,  /* found and there */
  STX_MEANS_FALSE_POSITIVE, /* found and not there */
  STX_MEANS_FALSE_NEGATIVE, /* there and not found */
  STX_MEANS_IGNORED,        /* not counted */
  STX_MEANS_TRUTH,
  STX_MEANS_CORRIDOR,   /* where the vehicle will drive */
  STX_MEANS_FREE_SPACE, /* where it could */
  STX_MEANS_WARNING,
  STX_MEANS_SENSOR,
  STX_MEANS_PANEL,      /* under a legend */
  STX_MEANS_INK,        /* letters and lines on it or on a picture */
  STX_MEANS_HALO,       /* around those on a picture */
  STX_MEANS_BACKGROUND, /* of a view without a picture below */
  STX_MEANS_GRID,       /* rings and scales on it */
  STX_MEANINGS
} StxMeaning;

STX_API StxRgb stx_colour(StxMeaning meaning);
StxRgb stx_colour_kind(StxKind kind);
/* Cityscapes' colours; UNKNOWN for what is no train id, STX_LABEL_NONE too. */
StxRgb stx_colour_class(int train_id);
/* One of 64, by the number of the cluster; neighbours in number are far apart. Not like ground. */
StxRgb stx_colour_cluster(unsigned cluster);

#endif
