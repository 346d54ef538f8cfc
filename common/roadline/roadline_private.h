/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the search for lines and the search for bends: the v-disparity histogram, and integer
 * lines over it. Private.
 */
#pragma once

#include "common/roadline/roadline.h"

#define STX_ROAD_CELLS 32768  /* looked at */
#define STX_ROAD_BINS 256     /* of one pixel */
#define STX_ROAD_ROW_BINS 256 /* beyond, neighbouring rows share one */
#define STX_ROAD_NEAR 1       /* bins beside the line's own that count as on the line */
#define STX_ROAD_FAR 2        /* bins beyond NEAR in which a cell is too far to be the road's */
#define STX_ROAD_PEAKS 3      /* points of a row */

/* Σ w and Σ w·(disparity mod 256) of one bin; w <= 15, so that 32 bits hold 32768 columns. */
typedef struct {
  uint32_t weight, moment;
} StxRoadBin;

typedef struct {
  StxRoadBin bin[STX_ROAD_ROW_BINS][STX_ROAD_BINS];
  uint32_t upto[STX_ROAD_ROW_BINS][STX_ROAD_BINS + 1]; /* Σ weight of the bins before */
  int32_t y[STX_ROAD_ROW_BINS]; /* twice the image row of the row bin's centre */
  int rows, bins;               /* that are used: up to the nearest cell */
  int height;
} StxRoadHistogram;

/* Cells on whose column the disparity grows downwards like that of a surface that lies: by `low` to
 * `high`, 1/256 px per image row. */
typedef struct {
  int64_t low, high;
} StxRoadLying;

/* Whose slope, px per row, is a share of this one. */
STX_INLINE StxRoadLying stx_road_lying(double slope, double least, double most)
{
  return (StxRoadLying){(int64_t)(least * slope * 256), (int64_t)(most * slope * 256) + 1};
}

/* A cell that lies: x and y are twice the distances of its middle from the picture's middle column
 * and from the top row; the disparity grows by `growth` around it. */
typedef struct {
  int32_t x;
  uint16_t y, row, disparity, growth;
  uint32_t weight;
} StxRoadCell;

/* The cells that are looked at: every `step`-th column, and of these those that lie, however steep.
 */
typedef struct {
  const StxGrid *grid;
  const void *columns;
  int step, span, count; /* `span` image rows are what cells grow over */
  int bins;              /* of the histograms */
  bool wide;             /* medians of the column say whether they lie */
  StxRoadCell *cell;
} StxRoadCells;

/* Memory of an estimate or of bends. */
typedef struct {
  StxRoadHistogram all, lying;
  StxRoadCell cell[STX_ROAD_CELLS];
  uint16_t column[STX_GRID_MAX_SIDE]; /* medians */
} StxRoadScratch;

/* wide: as a road of noise or with holes needs it. */
StxRoadCells stx_road_cells(
    const StxGrid *grid, const void *columns, bool wide, StxRoadScratch *scratch);

/* Counts all cells, and the lying ones, whose row r counts as r − tilt · (column − middle). */
void stx_road_histograms(const StxRoadCells *cells, double tilt, const StxRoadLying *lying,
    StxRoadHistogram *all, StxRoadHistogram *those);

typedef struct {
  int row, disparity; /* row bin; 1/256 px */
} StxRoadPoint;

/* The up to PEAKS highest maxima in each of so many rows, from the bottom row of the image up;
 * `points` holds anchors × PEAKS. Returns how many. */
int stx_road_points(const StxRoadHistogram *histogram, int anchors, StxRoadPoint *points);

/* Σ weight of the bins [from, to] of a row. */
STX_INLINE uint32_t stx_road_weight(const StxRoadHistogram *histogram, int row, int from, int to)
{
  from = from < 0 ? 0 : from;
  to = to >= histogram->bins ? histogram->bins - 1 : to;
  return from > to ? 0 : histogram->upto[row][to + 1] - histogram->upto[row][from];
}

STX_INLINE uint32_t stx_road_row(const StxRoadHistogram *histogram, int row)
{
  return histogram->upto[row][histogram->bins];
}

/* D(y) = (offset + slope·y) / 2^16 in 1/256 px, y in half image rows. */
typedef struct {
  int64_t slope, offset;
} StxRoadInt;

/* Returns the line's disparity in row y, 1/256 px; negative above the horizon. */
STX_INLINE int64_t stx_road_int_at(const StxRoadInt *line, int y)
{
  return (line->offset + line->slope * y) >> 16;
}

STX_INLINE StxRoadInt stx_road_through(
    const StxRoadHistogram *histogram, StxRoadPoint a, StxRoadPoint b)
{
  int32_t ya = histogram->y[a.row], yb = histogram->y[b.row];
  StxRoadInt line = {(int64_t)(b.disparity - a.disparity) * 65536 / (yb - ya), 0};
  line.offset = (int64_t)a.disparity * 65536 - line.slope * ya;
  return line;
}

/* Moments of the cells near a line; exact: Σ weight <= 15 · 2^15, y and d < 2^16. */
typedef struct {
  int64_t w, y, d, yy, yd;
} StxRoadMoments;

/* Adds those of one row within `near` bins of bin `bin`. */
void stx_road_add_row(
    const StxRoadHistogram *histogram, int row, int bin, int near, StxRoadMoments *sums);

/* The line that the feet of things stand on, where nothing lies (roadline_feet.c). Returns the
 * share of the columns whose foot is on it; 0: there is none, and *line is anything. */
double stx_road_of_feet(const StxRoadCells *cells, StxRoadInt *line);
