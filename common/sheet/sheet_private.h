/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files sheet*.c and the launcher share; nobody else includes it. */
#ifndef STX_SHEET_PRIVATE_H
#define STX_SHEET_PRIVATE_H

#include "common/colour/colour_math.h"
#include "common/sheet/sheet.h"

#define STX_TILE_PIXELS (STX_SHEET_TILE * STX_SHEET_TILE)

/* The pixels of a tile, row by row, and where it lies. */
typedef struct {
  StxPaint paint[STX_TILE_PIXELS];
  uint32_t number; /* of the tile: row · across + column */
  uint32_t reserved;
} StxTile;

static_assert(sizeof(StxTile) % sizeof(uint64_t) == 0, "kernels read paints as words");

/* How much of each pixel the shape covers that is being drawn, 0…255. */
typedef struct {
  uint8_t cover[STX_TILE_PIXELS];
} StxTileCover;

/* Tiles get a slot when they are first drawn on; those in use are the first `count`. */
struct StxSheet {
  StxSheetParams params;
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
  StxBox claim[STX_SHEET_CLAIMS];
};

/* ---- Shapes: covered pixel by pixel, then inked -----------------------------------------------
 */

/* The slot of a tile, which it gets if it has none. */
uint32_t stx_sheet_slot(StxSheet *sheet, int number);

/* Covers pixel (x, y) of the frame: the most that a shape's pieces cover it by. */
uint8_t *stx_sheet_cover_row(StxSheet *sheet, int tile_x, int y);

/* Lays the ink where the shape covers, and forgets the shape. */
void stx_sheet_ink(StxSheet *sheet, StxInk ink);

/* The same with a colour for each of the frame's columns from `left` on, `count` of them. */
void stx_sheet_ink_columns(StxSheet *sheet, int left, int count, const StxRgb *colours);

/* A coordinate or a length that can be drawn. */
STX_INLINE bool stx_sheet_is_sane(double value)
{
  return value > -1e9 && value < 1e9;
}

STX_INLINE int stx_sheet_share(double coverage)
{
  return coverage <= 0 ? 0 : coverage >= 1 ? 255 : (int)(coverage * 255 + .5);
}

/* Adds a box with such corners to the shape. */
void stx_sheet_cover_box(StxSheet *sheet, StxBox box, double radius);

/* Adds a piece of a line with that radius, half its width, to the shape. */
void stx_sheet_cover_line(StxSheet *sheet, StxSpot from, StxSpot to, double radius);

/* `upper` seen over `lower`, as one paint: rounded, and never so much that a pixel overflows. */
STX_INLINE StxPaint stx_sheet_over(StxPaint lower, StxPaint upper)
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

STX_INLINE StxTilePlace stx_sheet_place(uint32_t number, int across, int width, int height)
{
  StxTilePlace place;
  place.x = (int)(number % (uint32_t)across) * STX_SHEET_TILE;
  place.y = (int)(number / (uint32_t)across) * STX_SHEET_TILE;
  place.width = width - place.x < STX_SHEET_TILE ? width - place.x : STX_SHEET_TILE;
  place.height = height - place.y < STX_SHEET_TILE ? height - place.y : STX_SHEET_TILE;
  return place;
}

/* The implementations' `lay`. */
bool stx_sheet_lay_c(const StxSheet *sheet, const void *tiles, const StxFrame *frame,
    const StxPlace *place, StxError *error);
bool stx_sheet_lay_omp(const StxSheet *sheet, const void *tiles, const StxFrame *frame,
    const StxPlace *place, StxError *error);

#endif
