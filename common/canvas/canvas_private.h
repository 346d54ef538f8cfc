/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files canvas*.c and the launcher only. */
#pragma once

#include "common/colour/colour_math.h"
#include "common/canvas/canvas.h"

#define STX_TILE_PIXELS (STX_CANVAS_TILE * STX_CANVAS_TILE)

/* The pixels of a tile, row by row, and where it lies. */
typedef struct {
  StxPaint paint[STX_TILE_PIXELS];
  uint32_t number; /* of the tile: row · across + column */
  uint32_t reserved;
} StxTile;

static_assert(sizeof(StxTile) % sizeof(uint64_t) == 0, "kernels read paints as words");

/* The coverage of each pixel by the shape that is being drawn, 0…255. */
typedef struct {
  uint8_t cover[STX_TILE_PIXELS];
} StxTileCover;

/* Tiles get a slot when they are first drawn on; those in use are the first `count`. */
struct StxCanvas {
  StxCanvasParams params;
  int across, down; /* tiles */
  uint64_t changes;
  uint32_t count;
  int32_t *slot;       /* by tile: its slot, or -1 */
  StxTile *tile;       /* by slot */
  StxTileCover *cover; /* by slot; all 0 between shapes */
  bool *covered;       /* by slot: the shape that is being drawn has touched it, */
  uint32_t *shape;     /* and the list of these slots */
  uint32_t shapes;
  uint16_t *row;                               /* per pixel of a row: scratch of polygons */
  double legends[STX_LEGEND_BOTTOM_RIGHT + 1]; /* by corner: the height that is used up */
  size_t claims;
  StxBox claim[STX_CANVAS_CLAIMS];
};

/* ---- Shapes: covered pixel by pixel, then inked -----------------------------------------------
 */

/* The slot of a tile, which it gets if it has none. */
uint32_t stx_canvas_slot(StxCanvas *canvas, int number);

/* Covers pixel (x, y) of the frame: the most that a shape's pieces cover it by. */
uint8_t *stx_canvas_cover_row(StxCanvas *canvas, int tile_x, int y);

/* Lays the ink where the shape covers, and forgets the shape. */
void stx_canvas_ink(StxCanvas *canvas, StxInk ink);

/* The same with a colour for each of the frame's columns from `left` on, `count` of them. */
void stx_canvas_ink_columns(StxCanvas *canvas, int left, int count, const StxRgb *colours);

/* A coordinate or a length that can be drawn. */
STX_INLINE bool stx_canvas_is_sane(double value)
{
  return value > -1e9 && value < 1e9;
}

STX_INLINE int stx_canvas_share(double coverage)
{
  return coverage <= 0 ? 0 : coverage >= 1 ? 255 : (int)(coverage * 255 + .5);
}

/* Adds a box with such corners to the shape. */
void stx_canvas_cover_box(StxCanvas *canvas, StxBox box, double radius);

/* Adds a piece of a line with that radius, half its width, to the shape. */
void stx_canvas_cover_line(StxCanvas *canvas, StxSpot from, StxSpot to, double radius);

/* `upper` seen over `lower`, as one paint: rounded, and never so much that a pixel overflows. */
STX_INLINE StxPaint stx_canvas_over(StxPaint lower, StxPaint upper)
{
  if (lower.keep == STX_CLEAR_KEEP)
    return upper;
  StxPaint both = {.keep = (uint16_t)((lower.keep * upper.keep + 128) >> 8)};
  int most = 65535 - 255 * both.keep;
  for (int k = 0; k < 3; k++) {
    int add = (((lower.add[k] - STX_CLEAR_ADD) * upper.keep + 128) >> 8) + upper.add[k];
    both.add[k] = (uint16_t)(add < most ? add : most);
  }
  return both;
}

/* ---- Tiles ------------------------------------------------------------------------------------
 */

/* First frame pixel of a tile, and how many of its pixels lie inside the frame. */
typedef struct {
  int x, y, width, height;
} StxTilePlace;

STX_INLINE StxTilePlace stx_canvas_place(uint32_t number, int across, int width, int height)
{
  StxTilePlace place;
  place.x = (int)(number % (uint32_t)across) * STX_CANVAS_TILE;
  place.y = (int)(number / (uint32_t)across) * STX_CANVAS_TILE;
  place.width = width - place.x < STX_CANVAS_TILE ? width - place.x : STX_CANVAS_TILE;
  place.height = height - place.y < STX_CANVAS_TILE ? height - place.y : STX_CANVAS_TILE;
  return place;
}
