/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A transparent canvas over a frame: the host draws lines, boxes and text on it, and then it is
 * blended onto the frame, in main or GPU memory.
 *
 * A canvas is made of tiles of 16 × 16 pixels. Only tiles that were drawn on are kept, cleared,
 * uploaded and blended, so the cost of a view depends on what it draws, not on the size of its
 * frame. A pixel of a tile is a paint (common/colour/colour.h): what is drawn later lies over what
 * was drawn before, and the whole is blended into the frame as colour.h says. A tile holds whole
 * blocks of subsampled planes, so tiles do not depend on each other.
 *
 * Coordinates are pixels of the frame, from its top left corner: the centre of the first pixel is
 * (0.5, 0.5), y grows downwards. Shapes are smooth at their edges: a pixel is covered by as much as
 * its centre lies inside, within half a pixel of the edge. They are clipped at the frame, whatever
 * their coordinates. A shape with a coordinate that is not finite, or beyond ±1e9, is not drawn (of
 * a line, only the pieces that end there are omitted), nor is a shape of width 0 or less. The parts
 * of one shape (pieces of a line, letters of a text, their halos) are blended once where they
 * overlap.
 *
 * Memory: prepared state belongs to the caller, see stx_canvas_size. Much of it is never touched,
 * if little is drawn. Threads: one StxCanvas per thread.
 */
#ifndef STX_CANVAS_H
#define STX_CANVAS_H

#include "common/colour/colour.h"

#define STX_CANVAS_MAX_SIDE 32768 /* pixels */
#define STX_CANVAS_TILE 16
#define STX_CANVAS_POLYGON 256 /* points of a polygon */
#define STX_CANVAS_CLAIMS 1024 /* boxes that can be claimed between two calls of stx_canvas_clear */

typedef struct {
  int width, height; /* of the frame, 1 … STX_CANVAS_MAX_SIDE */
  const StxPixelFormat *format;
  StxMatrix matrix; /* of YUV formats */
  bool full_range;
} StxCanvasParams;

/* False, with a text that names the field, its value and the range. */
STX_API bool stx_canvas_check(const StxCanvasParams *params, StxError *error);

typedef struct StxCanvas StxCanvas;

/* Bytes of the block that stx_canvas_init needs; params have passed the check. */
STX_API size_t stx_canvas_size(const StxCanvasParams *params);

/* Prepares `memory` (aligned to STX_ALIGN) and returns it as an empty StxCanvas. */
STX_API StxCanvas *stx_canvas_init(void *memory, const StxCanvasParams *params);

/* Wipes off everything that was drawn or claimed. */
STX_API void stx_canvas_clear(StxCanvas *canvas);

const StxCanvasParams *stx_canvas_params(const StxCanvas *canvas);
STX_API bool stx_canvas_is_empty(const StxCanvas *canvas);

/* ---- Shapes ------------------------------------------------------------------------------- */

typedef struct {
  double x, y;
} StxSpot;

typedef struct {
  double x, y, width, height; /* of the left upper corner */
} StxBox;

typedef struct {
  StxRgb colour;
  double opacity; /* 0…1; 0: nothing is drawn */
} StxInk;

/* A box with corners of that radius, 0: square; at most half a side. */
void stx_canvas_box(StxCanvas *canvas, StxBox box, double radius, StxInk ink);

/* Its border, which lies inside the box. */
void stx_canvas_outline(StxCanvas *canvas, StxBox box, double radius, double width, StxInk ink);

/* From point to point, with round ends. One point alone is a dot. */
void stx_canvas_line(
    StxCanvas *canvas, const StxSpot *points, size_t count, double width, StxInk ink);

/* A line with a head of that length at the end of it. */
void stx_canvas_arrow(
    StxCanvas *canvas, StxSpot from, StxSpot tip, double head, double width, StxInk ink);

/* A circle, along the middle of a line of that width. */
void stx_canvas_circle(StxCanvas *canvas, StxSpot centre, double radius, double width, StxInk ink);

/* A filled circle. */
void stx_canvas_dot(StxCanvas *canvas, StxSpot centre, double radius, StxInk ink);

typedef struct {
  float x, y;
  StxRgb colour;
} StxCanvasDot;

/* Many filled circles of one size, each over those before it: scans. Their centres are moved to the
 * middle of an eighth of a pixel; what is not finite is passed over. Those with a radius above
 * STX_CANVAS_SMALL are drawn one by one. Up to `threads` work on it, in bands of rows. */
#define STX_CANVAS_SMALL 7.5
void stx_canvas_dots(StxCanvas *canvas, const StxCanvasDot *dots, size_t count, double radius,
    double opacity, int threads);

/* A filled polygon of any shape, in either direction; what its edges enclose twice is outside.
 * 3 … STX_CANVAS_POLYGON points: otherwise nothing. */
void stx_canvas_polygon(StxCanvas *canvas, const StxSpot *points, size_t count, StxInk ink);

/* ---- Text --------------------------------------------------------------------------------- */

/* Anchor of a text. BASE: on its baseline, CAP: at the top of its capitals. */
typedef enum {
  STX_ANCHOR_LEFT_BASE,
  STX_ANCHOR_CENTRE_BASE,
  STX_ANCHOR_RIGHT_BASE,
  STX_ANCHOR_LEFT_MIDDLE,
  STX_ANCHOR_CENTRE_MIDDLE,
  STX_ANCHOR_RIGHT_MIDDLE,
  STX_ANCHOR_LEFT_CAP,
  STX_ANCHOR_CENTRE_CAP,
  STX_ANCHOR_RIGHT_CAP
} StxAnchor;

/* `size` is the height of a digit and of a capital, pixels. `text` is UTF-8; common/lettering.h
 * says which characters there are. The halo lies under all letters, and makes them legible on any
 * picture; with an opacity of 0 there is none. */
void stx_canvas_text(StxCanvas *canvas, const char *text, double size, StxSpot at, StxAnchor anchor,
    StxInk ink, StxInk halo);

/* Its bounds, halo included. Width 0 for an empty text. */
StxBox stx_canvas_text_box(const char *text, double size, StxSpot at, StxAnchor anchor);

/* Claims a box for a label. False, and nothing is claimed, if it does not lie inside the frame as
 * a whole, if it meets one that was claimed before, or after STX_CANVAS_CLAIMS. */
bool stx_canvas_claim(StxCanvas *canvas, StxBox box);

/* Text in `colour` on a dark translucent plate, if its box could be claimed. False: nothing was
 * drawn. */
bool stx_canvas_label(
    StxCanvas *canvas, const char *text, double size, StxSpot at, StxAnchor anchor, StxRgb colour);

/* ---- Sizes -------------------------------------------------------------------------------- */

/* Sizes for a frame, from thumbnails to 4K. */
#define STX_CANVAS_TEXT 40 /* the largest size of text */
typedef struct {
  double text; /* size of text: a 40th of the shorter side, in whole pixels, 9 … 40 */
  double line; /* width of a line that matters, from 1.5 pixels on */
} StxCanvasUnit;

StxCanvasUnit stx_canvas_unit(int width, int height);

/* ---- Legends ------------------------------------------------------------------------------ */

typedef enum {
  STX_LEGEND_NONE,
  STX_LEGEND_TOP_LEFT,
  STX_LEGEND_TOP_RIGHT,
  STX_LEGEND_BOTTOM_LEFT,
  STX_LEGEND_BOTTOM_RIGHT
} StxLegend;

extern const StxFieldChoice stx_legend_choices[];

/*
 * A dark translucent panel in a corner, with a title over a bar of colours and its ticks, over
 * names, or over both. Its box is claimed, so draw it before labels; where another legend has the
 * corner, it is placed beside that, towards the middle of the frame. It has a quarter of the
 * frame's width at most, where there are many names two fifths: text is smaller than the frame's
 * (stx_canvas_unit) where it must be, down to 6 pixels. One that does not fit even so, or is higher
 * than half of the frame, goes without the names beside its bar, or without the title over its
 * names; if that does not help, it is left out. Returns the panel's box; width 0: nothing was
 * drawn.
 */
typedef enum {
  STX_SWATCH_COLOUR,
  STX_SWATCH_CLUSTERS, /* several of stx_colour_cluster, in place of the colour */
  STX_SWATCH_NONE      /* a name alone */
} StxSwatch;

typedef struct {
  const char *name;
  StxRgb colour;
  StxSwatch swatch;
} StxName;

typedef struct {
  StxPalette palette;
  bool reversed;        /* `low` has colour 255, `high` colour 0 */
  double low, high;     /* values at the ends, low < high, finite */
  const char *title;    /* what the numbers are; NULL: no title */
  const char *unit;     /* behind the title, in brackets; NULL: none */
  const StxName *names; /* of colours beside the scale */
  size_t count;
} StxBar;

StxBox stx_canvas_bar(StxCanvas *canvas, StxLegend where, const StxBar *bar);

/* Empty lists have no panel. `title` may be NULL. */
StxBox stx_canvas_names(
    StxCanvas *canvas, StxLegend where, const char *title, const StxName *names, size_t count);

/* ---- Laying it on a frame ----------------------------------------------------------------- */

/* The drawn tiles, as bytes without addresses: to be copied to where they are laid on a frame. On
 * the host they can stay where they are. */
const void *stx_canvas_tiles(const StxCanvas *canvas);
size_t stx_canvas_tiles_size(const StxCanvas *canvas); /* 0: nothing is */

/* Grows whenever something is drawn or wiped off: while it does not, the bytes stay the same. */
uint64_t stx_canvas_changes(const StxCanvas *canvas);

/*
 * canvas  always on the host
 * tiles  those bytes, in the implementation's memory, aligned to 8; on the host may be NULL
 * frame  pixels of tiles without drawing are not touched; strides of a device's are positive
 *
 * For the rest see StxPlace.
 */
typedef struct {
  StxImplInfo info;
  bool (*lay)(const StxCanvas *canvas, const void *tiles, const StxFrame *frame,
      const StxPlace *place, StxError *error);
} StxCanvasImpl;

/* "omp": threads and vectors. */
STX_API const StxImplTable stx_canvas_impls;

#endif
