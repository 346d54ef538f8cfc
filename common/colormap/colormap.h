/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colormap: maps of disparities, depths, confidences or costs as colours. What disparity-colour
 * does to a frame.
 *
 * Every pixel gets a level, and every level a colour:
 *
 *   level 0   unknown: two colours in squares of 2^square pixels, which are the same unless a
 *             checkerboard is wanted
 *   numbers   1 … 254 of value v: 1 + floor(253·x + ½), x = (v − low) / (high − low) clamped to
 *             0 … 1; of depths 1 − x, so that near has the last colour of the palette as it has
 *             with disparities
 *   sky       255, in maps of confidences and costs: stixels of sky, and pixels whose disparity is
 *             unknown and whose confidence, 128 or more, says that there is sky (stereo-sgm writes
 *             255). Pixels of unknown disparity and less confidence have level 0
 *
 * Numbers of 16 bits become levels by a table, which is made in double, once for a range; what
 * implementations do is look up and compare integers.
 *
 * Memory: everything is the caller's. Threads: any number may use one table.
 */
#pragma once

#include "common/colmean/colmean_disparity.h"
#include "common/canvas/canvas.h"
#include "common/colour/colour.h"
#include "common/fields.h"
#include "common/stixel.h"

/* ---- Parameters --------------------------------------------------------------------------- */

typedef enum {
  STX_COLORMAP_AUTO, /* not given; stands for one of the others before anything is made */
  STX_COLORMAP_DISPARITY,
  STX_COLORMAP_DEPTH,
  STX_COLORMAP_CONFIDENCE,
  STX_COLORMAP_COST
} StxColormapMode;

typedef enum { STX_COLORMAP_FIXED, STX_COLORMAP_FRAME } StxColormapRange;

typedef enum { STX_COLORMAP_CHECKER, STX_COLORMAP_BLACK, STX_COLORMAP_GREY } StxColormapUnknown;

#define STX_COLORMAP_PALETTE_AUTO (-1) /* distance, of confidence and cost viridis */

/* The meaning of a map's numbers. */
typedef enum {
  STX_COLORMAP_OF_MAP,  /* 16 bits: a disparity or depth, as `encoding` says */
  STX_COLORMAP_OF_PART, /* 16 bits: (p − 1) / STX_COLORMAP_PART; 0: unknown; …_PART_SKY: sky */
  STX_COLORMAP_OF_BYTE, /* 8 bits: p / 255, always known */
  STX_COLORMAP_OF_SURE  /* 8 bits: p / 255, of a map of 16 bits, where that is known */
} StxColormapNumbers;

#define STX_COLORMAP_PART 4096.
#define STX_COLORMAP_PART_SKY 65535

/* Ranges, units and texts of these: stx_colormap_fields. */
typedef struct {
  StxColormapMode mode;
  StxColormapRange range;
  int palette; /* StxPalette, or STX_COLORMAP_PALETTE_AUTO */
  StxColormapUnknown unknown;
  double min, max; /* px, m, 0 … 1 or nats, by mode; max 0: by mode */

  StxColormapNumbers numbers;
  StxDisparityEncoding encoding; /* of 16 bits */
  double focal_baseline;         /* px m, where disparities become depths or depths disparities */
} StxColormapParams;

#define STX_COLORMAP_DEFAULTS                                                                      \
  {                                                                                                \
    .palette = STX_COLORMAP_PALETTE_AUTO                                                           \
  }

extern const StxFields stx_colormap_fields;

/* Low and high end of a range, in the unit of the mode. */
typedef struct {
  double low, high;
} StxColormapSpan;

/* The range of the parameters, whose mode is not AUTO. */
StxColormapSpan stx_colormap_span(const StxColormapParams *params);

/* False, with a text in `error`, for what the table does not allow, for a range that is empty, and
 * where the mode wants metres or pixels and focal_baseline is not known. */
bool stx_colormap_check(const StxColormapParams *params, StxError *error);

/* ---- Tables -------------------------------------------------------------------------------- */

#define STX_COLORMAP_NUMBERS 65536
#define STX_COLORMAP_LEVELS 256
#define STX_COLORMAP_MOST 254 /* the highest level of a number */
#define STX_COLORMAP_SKY 255
#define STX_COLORMAP_SQUARES 6 /* `square` at most */

/* The table that implementations read; it lies on the device where these run there. */
typedef struct {
  uint8_t level[STX_COLORMAP_NUMBERS];
  uint32_t paint[2]
                [STX_COLORMAP_LEVELS]; /* the bytes of a pixel; the second one of the odd squares */
  uint32_t known[2]; /* of the map of OF_SURE: the first and the last known number */
} StxColormapTable;

/* Makes the tables for numbers in that range, and the colours of pictures in `format`, of one plane
 * and RGB. */
void stx_colormap_table(const StxColormapParams *params, StxColormapSpan span,
    const StxPixelFormat *format, StxColormapTable *table);

/* The colour of a level, and of the odd squares' level 0. */
StxRgb stx_colormap_colour(const StxColormapParams *params, int level, bool odd);

/* ---- The range of a frame ------------------------------------------------------------------ */

/* Numbers of 16 bits by their upper 12, of bytes by all 8, in every fourth row from the first. */
#define STX_COLORMAP_BINS 4096

typedef struct {
  uint32_t count[STX_COLORMAP_BINS];
} StxColormapHistogram;

/* Finds the span between the 1st and the 99th percentile; false: nothing is known. */
bool stx_colormap_measure(const StxColormapParams *params, const StxColormapTable *table,
    const StxColormapHistogram *histogram, StxColormapSpan *span);

/* The range to show, from a frame's own and the one shown before (NULL: none): an eighth of the
 * way, or all of it where a quarter of what is shown would be missing; then the ends go outwards to
 * whole steps of about a fiftieth, so that ticks stand still. */
StxColormapSpan stx_colormap_follow(const StxColormapSpan *before, StxColormapSpan now);
StxColormapSpan stx_colormap_round(StxColormapSpan span);

/* ---- Stixels as maps ----------------------------------------------------------------------- */

/*
 * Numbers for a map in which the area of each stixel has its disparity (as stx_render_disparity of
 * metrics.h, STX_COLORMAP_OF_MAP) or its confidence or cost (STX_COLORMAP_OF_PART), where sky has a
 * number of its own. A cost is divided by the image rows of its stixel: the sum grows with the
 * height, and says nothing of how well it fits. A segment's cost is a distance in pixels, and taken
 * as it is. Parts of stixels outside of the map are left out; what is not finite or below 0 is
 * unknown.
 */
void stx_colormap_render(const StxStixel *stixels, size_t count, int cell_width,
    StxColormapMode mode, const StxImage16 *map);

/* ---- Colouring ----------------------------------------------------------------------------- */

/* One of: a map of numbers; of bytes; of bytes with the map that they are of, for OF_SURE. Others
 * have data NULL. All of the picture's size. */
typedef struct {
  StxImage16 map;
  StxImage8 bytes;
} StxColormapInput;

/* width × height pixels of `pixel` bytes, 3 or 4. */
typedef struct {
  uint8_t *data;
  ptrdiff_t stride; /* bytes */
  int width, height, pixel;
  int square; /* 0 … STX_COLORMAP_SQUARES, see above */
} StxColormapPicture;

/* A size for the picture: 3 or, from 720 pixels of the shorter side on, more. */
int stx_colormap_square_for(int width, int height);

/* See StxPlace. */
typedef struct {
  StxImplInfo info;

  bool (*spread)(const StxColormapInput *input, const StxColormapTable *table,
      StxColormapHistogram *histogram, const StxPlace *place, StxError *error);

  /* Bytes between rows are not touched. */
  bool (*paint)(const StxColormapInput *input, const StxColormapTable *table,
      const StxColormapPicture *picture, const StxPlace *place, StxError *error);
} StxColormapImpl;

/* Host implementations, best first. */
extern const StxImplTable stx_colormap_impls;

/* ---- The legend ---------------------------------------------------------------------------- */

/* Draws a bar with the ticks of the range. The canvas is of the picture's size. */
void stx_colormap_legend(
    const StxColormapParams *params, StxColormapSpan span, StxLegend where, StxCanvas *canvas);
