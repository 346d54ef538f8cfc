/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filled polygons. A pixel is covered by the part of it that lies inside: along the row exactly,
 * across it in eighths.
 */
#include "common/canvas/canvas_private.h"

#include <math.h>

enum { PARTS = 8, FULL = 256 / PARTS }; /* of a row; what a pixel gets from one of them */

typedef struct {
  StxCanvas *canvas;
  const StxSpot *points;
  size_t count;
  double crossing[STX_CANVAS_POLYGON]; /* of its edges with one height, from the left */
  int left, right;                     /* pixels of `row` that were written: [left, right) */
} Fill;

/* Crossings of the edges with the height, in order. An edge owns its upper end. */
static size_t find_crossings(Fill *fill, double y)
{
  size_t found = 0;
  for (size_t i = 0; i < fill->count; i++) {
    StxSpot a = fill->points[i], b = fill->points[i + 1 < fill->count ? i + 1 : 0];
    if ((a.y <= y) == (b.y <= y))
      continue;
    double x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
    size_t at = found++;
    for (; at > 0 && fill->crossing[at - 1] > x; at--)
      fill->crossing[at] = fill->crossing[at - 1];
    fill->crossing[at] = x;
  }
  return found;
}

/* Adds the part of a row between two crossings. */
static void add_span(Fill *fill, double left, double right)
{
  uint16_t *row = fill->canvas->row;
  double width = fill->canvas->params.width;
  left = fmin(fmax(left, 0), width);
  right = fmin(fmax(right, 0), width);
  int first = (int)left, last = (int)right; /* the pixels in which it begins and ends */
  if (!(right > left))
    return;
  fill->left = first < fill->left ? first : fill->left;
  fill->right = (int)ceil(right) > fill->right ? (int)ceil(right) : fill->right;
  if (first == last) {
    row[first] = (uint16_t)(row[first] + (int)((right - left) * FULL + .5));
    return;
  }
  row[first] = (uint16_t)(row[first] + (int)((first + 1 - left) * FULL + .5));
  for (int x = first + 1; x < last; x++)
    row[x] = (uint16_t)(row[x] + FULL);
  if (right > last)
    row[last] = (uint16_t)(row[last] + (int)((right - last) * FULL + .5));
}

/* Draws the collected edges into the shape, and forgets them. */
static void cover_row(Fill *fill, int y)
{
  uint16_t *added = fill->canvas->row;
  for (int x = fill->left; x < fill->right;) {
    int first = x / STX_CANVAS_TILE * STX_CANVAS_TILE, stop = first + STX_CANVAS_TILE;
    uint8_t *row = stx_canvas_cover_row(fill->canvas, x / STX_CANVAS_TILE, y) - first;
    for (; x < stop && x < fill->right; x++) {
      row[x] = (uint8_t)(added[x] < 255 ? added[x] : 255);
      added[x] = 0;
    }
  }
}

static bool find_rows(const Fill *fill, int *first, int *end)
{
  int height = fill->canvas->params.height;
  double top = height, bottom = 0;
  for (size_t i = 0; i < fill->count; i++) {
    if (!stx_canvas_is_sane(fill->points[i].x) || !stx_canvas_is_sane(fill->points[i].y))
      return false;
    top = fmin(top, fill->points[i].y);
    bottom = fmax(bottom, fill->points[i].y);
  }
  *first = top > 0 ? (int)top : 0;
  *end = bottom < height ? (int)ceil(bottom) : height;
  return true;
}

void stx_canvas_polygon(StxCanvas *canvas, const StxSpot *points, size_t count, StxInk ink)
{
  Fill fill = {.canvas = canvas, .points = points, .count = count};
  int first, end;
  if (count < 3 || count > STX_CANVAS_POLYGON || !find_rows(&fill, &first, &end))
    return;
  for (int y = first; y < end; y++) {
    fill.left = canvas->params.width;
    fill.right = 0;
    for (int part = 0; part < PARTS; part++) {
      size_t found = find_crossings(&fill, y + (part + .5) / PARTS);
      for (size_t i = 0; i + 1 < found; i += 2)
        add_span(&fill, fill.crossing[i], fill.crossing[i + 1]);
    }
    cover_row(&fill, y);
  }
  stx_canvas_ink(canvas, ink);
}
