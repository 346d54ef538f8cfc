/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Columns of depth as line segments: Ramer-Douglas-Peucker on every column at once.
 *
 * Source: P. Cebrian and J. C. Moure, "GPU-accelerated RDP Algorithm for Data Segmentation",
 * Algorithm 1; U. Ramer 1972; D. Douglas and T. Peucker 1973. The distance is the vertical one, so
 * all arithmetic is in integers; map libraries use the perpendicular distance.
 *
 * A column is its cells' disparities d_0 … d_{n−1}, the top of the image first. First comes the
 * median, if there is one; then, from the segment (0, n−1) on:
 *
 *   x_i = | (d_i − d_f)·(l − f) − (d_l − d_f)·(i − f) |     f < i < l
 *   (f, l) is split at the smallest i with the largest x_i, if x_i > epsilon·(l − f)
 *
 * x_i is the vertical distance of cell i from the chord, times (l − f): below 2^30 for up to
 * STX_RDP_MAX_ROWS cells. Cells 0 and n−1 and those where a segment is split are *kept*.
 *
 * Unknown disparities (0): such a cell's x is 0, so that it is never split at. If cell 0 or n−1 is
 * unknown, it takes the value of the nearest known cell (0: the first, n−1: the last known one).
 * A column with nothing known is one segment of unknown disparity.
 *
 * Median of `median` cells around each: of the known ones among them; if their number is even,
 * the smaller of the two in the middle. Cells beyond the ends do not count. Unknown cells stay
 * unknown.
 *
 * Records: one per segment, of kind STX_KIND_SEGMENT, without a label. Segment (f, l) owns the
 * cells f … l−1, the lowest of a column l as well, so that every cell has one owner; its values lie
 * on the chord through the centres of the cells f and l. A segment of two cells is a step: the
 * cells it owns keep their own disparities. Its cost is the largest distance of its cells from the
 * chord, in pixels, at most epsilon; its confidence the root of its cells' mean weight over
 * STX_WEIGHT_ONE (of unknown cells: how surely they are sky), and at most 1, even if weights are
 * out of range.
 */
#ifndef STX_RDP_H
#define STX_RDP_H

#include "common/columns.h"
#include "common/stixel.h"

#define STX_RDP_MAX_ROWS 16384
#define STX_RDP_MAX_EPSILON 65535

/* Ranges, units and texts of these: stx_rdp_fields. */
typedef struct {
  StxGrid grid; /* rows of cells: 1…STX_RDP_MAX_ROWS; classes are not looked at */
  int epsilon;  /* 1/256 px, rounded down to steps of the grid; users see pixels */
  int median;   /* cells; 0: none */
} StxRdpParams;

#define STX_RDP_DEFAULTS                                                                           \
  {                                                                                                \
    .epsilon = 2 * STX_DISPARITY_ONE, .median = 0                                                  \
  }

/* Returns epsilon in steps of the disparity. */
STX_INLINE int32_t stx_rdp_epsilon(const StxRdpParams *params)
{
  return params->epsilon >> params->grid.coarse;
}

/* The result of a frame: the same from every implementation. Levels of a column: how often all its
 * segments are looked at if those of a level are looked at together, the last time without a split;
 * 1 if it is never split, n−1 at most (n > 1). */
typedef struct {
  uint64_t unknown;        /* cells of unknown disparity */
  uint64_t levels;         /* sum over the columns */
  uint64_t levels_squared; /* sum of their squares */
  uint32_t deepest;        /* the most levels of a column */
  uint32_t count;          /* segments */
} StxRdpResult;

typedef struct {
  StxImplInfo info;
  size_t (*scratch_size)(const StxRdpParams *params, int threads);
  /*
   * Segments every column. Any cell values are allowed.
   *
   * columns   stx_grid_bytes(&params->grid) bytes, 2-byte aligned; disparity and weight are read
   * segments  columns · rows records; the first result->count are written, contiguous and
   *           sorted; what follows them is left undefined. NULL: none are written
   * kept      columns · rows bytes in the order of a channel: 1 where a cell is kept, else 0; may
   *           be NULL
   *
   * For the rest see StxPlace.
   */
  bool (*run)(const StxRdpParams *params, const void *columns, StxStixel *segments, uint8_t *kept,
      StxRdpResult *result, void *scratch, const StxPlace *place, StxError *error);
} StxRdpImpl;

/* Host implementations, best first. */
STX_API const StxImplTable stx_rdp_impls;

/* Every field of StxRdpParams but the grid's (stx_grid_fields). */
STX_API const StxFields stx_rdp_fields;

/* Refuses what the tables do not allow, and too many rows; the text names the field, its value and
 * range. */
STX_API bool stx_rdp_check(const StxRdpParams *params, StxError *error);

#endif
