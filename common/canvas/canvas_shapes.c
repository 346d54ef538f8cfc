/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shapes: how much of each pixel they cover.
 *
 * A shape is walked row by row of the frame. In a row only the pixels that its edge or inside can
 * reach are looked at, so that the work is that of what is drawn, and bounded by the frame. But for
 * polygons coverage comes from the distance between the pixel's centre and the edge.
 */
#include "common/canvas/canvas_private.h"

#include <math.h>
#include <string.h>

/* ---- Rows --------------------------------------------------------------------------------- */

/* Coverage of a pixel, by its centre. */
typedef double Coverage(const void *shape, double x, double y);

/* Always inlined, so that `at` is, too. */
static inline __attribute__((always_inline)) void cover_span(
    StxCanvas *canvas, int y, double left, double right, Coverage *at, const void *shape)
{
  int width = canvas->params.width;
  int x = left > 0 ? left < width ? (int)left : width : 0;
  int end = right < width ? right > 0 ? (int)right + 1 : 0 : width;
  while (x < end) {
    int first = x / STX_CANVAS_TILE * STX_CANVAS_TILE;
    int stop = first + STX_CANVAS_TILE < end ? first + STX_CANVAS_TILE : end;
    uint8_t *row = stx_canvas_cover_row(canvas, x / STX_CANVAS_TILE, y) - first;
    for (; x < stop; x++) {
      int share = stx_canvas_share(at(shape, x + .5, y + .5));
      row[x] = (uint8_t)(share > row[x] ? share : row[x]);
    }
  }
}

/* The frame's rows between two heights. */
static int first_row(double top)
{
  return top > 0 ? top < STX_CANVAS_MAX_SIDE ? (int)top : STX_CANVAS_MAX_SIDE : 0;
}

static int end_row(const StxCanvas *canvas, double bottom)
{
  int height = canvas->params.height;
  return bottom < height ? bottom > 0 ? (int)bottom + 1 : 0 : height;
}

static bool is_spot(StxSpot spot)
{
  return stx_canvas_is_sane(spot.x) && stx_canvas_is_sane(spot.y);
}

static bool is_length(double length)
{
  return length > 0 && stx_canvas_is_sane(length);
}

/* ---- Lines -------------------------------------------------------------------------------- */

typedef struct {
  StxSpot from;
  double dx, dy;          /* to the other end */
  double inverse;         /* of the length squared; 0: it is a dot */
  double radius;          /* half the width */
  double inside, outside; /* squared distances: covered wholly below, not at all above */
} Piece;

static inline double piece_coverage(const void *shape, double x, double y)
{
  const Piece *piece = shape;
  double ex = x - piece->from.x, ey = y - piece->from.y;
  double t = (ex * piece->dx + ey * piece->dy) * piece->inverse;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  ex -= t * piece->dx;
  ey -= t * piece->dy;
  double away2 = ex * ex + ey * ey;
  if (away2 >= piece->outside)
    return 0;
  return away2 <= piece->inside ? 1 : piece->radius + .5 - sqrt(away2);
}

/* Keeps of t0 … t1 what has low <= from + t·d <= high. */
static bool clip(double from, double d, double low, double high, double *t0, double *t1)
{
  if (d == 0)
    return from >= low && from <= high;
  double a = (low - from) / d, b = (high - from) / d, enter = a < b ? a : b, leave = a < b ? b : a;
  *t0 = enter > *t0 ? enter : *t0;
  *t1 = leave < *t1 ? leave : *t1;
  return *t0 <= *t1;
}

/* Cuts off what is too far outside to be seen: where it is cut, the end is not seen either. */
static bool clip_to_frame(const StxCanvas *canvas, StxSpot *from, StxSpot *to, double reach)
{
  double dx = to->x - from->x, dy = to->y - from->y, t0 = 0, t1 = 1;
  if (!clip(from->x, dx, -reach, canvas->params.width + reach, &t0, &t1) ||
      !clip(from->y, dy, -reach, canvas->params.height + reach, &t0, &t1))
    return false;
  if (t1 < 1)
    *to = (StxSpot){from->x + t1 * dx, from->y + t1 * dy};
  if (t0 > 0)
    *from = (StxSpot){from->x + t0 * dx, from->y + t0 * dy};
  return true;
}

void stx_canvas_cover_line(StxCanvas *canvas, StxSpot from, StxSpot to, double radius)
{
  double reach = radius + .5;
  if (!is_spot(from) || !is_spot(to) || !clip_to_frame(canvas, &from, &to, reach + 1))
    return;
  Piece piece = {.from = from, .dx = to.x - from.x, .dy = to.y - from.y, .radius = radius};
  double length2 = piece.dx * piece.dx + piece.dy * piece.dy, full = radius - .5;
  piece.inverse = length2 > 1e-12 ? 1 / length2 : 0;
  piece.inside = full > 0 ? full * full : -1;
  piece.outside = (radius + .5) * (radius + .5);
  int end = end_row(canvas, fmax(from.y, to.y) + reach);
  for (int y = first_row(fmin(from.y, to.y) - reach); y < end; y++) {
    double t0 = 0, t1 = 1; /* the part of it that this row can see */
    if (!clip(from.y, piece.dy, y + .5 - reach, y + .5 + reach, &t0, &t1))
      continue;
    double a = from.x + t0 * piece.dx, b = from.x + t1 * piece.dx;
    double left = a < b ? a : b, right = a < b ? b : a;
    cover_span(canvas, y, left - reach, right + reach, piece_coverage, &piece);
  }
}

void stx_canvas_line(
    StxCanvas *canvas, const StxSpot *points, size_t count, double width, StxInk ink)
{
  if (!is_length(width))
    return;
  if (count == 1)
    stx_canvas_cover_line(canvas, points[0], points[0], width / 2);
  for (size_t i = 1; i < count; i++)
    stx_canvas_cover_line(canvas, points[i - 1], points[i], width / 2);
  stx_canvas_ink(canvas, ink);
}

void stx_canvas_arrow(
    StxCanvas *canvas, StxSpot from, StxSpot tip, double head, double width, StxInk ink)
{
  double across = tip.x - from.x, down = tip.y - from.y;
  double length = sqrt(across * across + down * down);
  if (!(length > 0))
    return;
  double x = across / length, y = down / length;
  const StxSpot shaft[] = {from, tip};
  const StxSpot barbs[] = {{tip.x - (x - .5 * y) * head, tip.y - (y + .5 * x) * head}, tip,
      {tip.x - (x + .5 * y) * head, tip.y - (y - .5 * x) * head}};
  stx_canvas_line(canvas, shaft, 2, width, ink);
  stx_canvas_line(canvas, barbs, 3, width, ink);
}

void stx_canvas_dot(StxCanvas *canvas, StxSpot centre, double radius, StxInk ink)
{
  stx_canvas_line(canvas, &centre, 1, 2 * radius, ink);
}

/* ---- Boxes -------------------------------------------------------------------------------- */

typedef struct {
  StxSpot middle;
  double half_width, half_height, radius;
  double border; /* 0: filled */
} Panel;

/* Distance from the edge, below 0 inside. */
static inline double panel_distance(const Panel *panel, double x, double y)
{
  double qx = fabs(x - panel->middle.x) - panel->half_width + panel->radius;
  double qy = fabs(y - panel->middle.y) - panel->half_height + panel->radius;
  if (qx <= 0 || qy <= 0)
    return fmax(qx, qy) - panel->radius;
  return sqrt(qx * qx + qy * qy) - panel->radius;
}

static double panel_coverage(const void *shape, double x, double y)
{
  return .5 - panel_distance(shape, x, y);
}

static double border_coverage(const void *shape, double x, double y)
{
  const Panel *panel = shape;
  double distance = panel_distance(panel, x, y);
  return fmin(.5 - distance, .5 + distance + panel->border);
}

static bool make_panel(StxBox box, double radius, Panel *panel)
{
  double most = fmin(box.width, box.height) / 2;
  if (!stx_canvas_is_sane(box.x) || !stx_canvas_is_sane(box.y) || !is_length(box.width) ||
      !is_length(box.height) || !(radius >= 0))
    return false;
  *panel = (Panel){.middle = {box.x + box.width / 2, box.y + box.height / 2},
      .half_width = box.width / 2,
      .half_height = box.height / 2,
      .radius = fmin(radius, most)};
  return true;
}

void stx_canvas_cover_box(StxCanvas *canvas, StxBox box, double radius)
{
  Panel panel;
  if (!make_panel(box, radius, &panel))
    return;
  int width = canvas->params.width, end = end_row(canvas, box.y + box.height + .5);
  double right = box.x + box.width, edge = panel.radius + 1; /* beyond it all are covered */
  for (int y = first_row(box.y - .5); y < end; y++) {
    bool through = y < box.y + edge || y + 1 > box.y + box.height - edge;
    if (through || box.x + edge >= right - edge) {
      cover_span(canvas, y, box.x - .5, right + .5, panel_coverage, &panel);
      continue;
    }
    int first = (int)fmin(fmax(box.x + edge, 0), width);
    int last = (int)fmin(fmax(right - edge, 0), width);
    cover_span(canvas, y, box.x - .5, first, panel_coverage, &panel);
    for (int x = first, stop; x < last; x = stop) {
      int begin = x / STX_CANVAS_TILE * STX_CANVAS_TILE;
      stop = begin + STX_CANVAS_TILE < last ? begin + STX_CANVAS_TILE : last;
      uint8_t *row = stx_canvas_cover_row(canvas, x / STX_CANVAS_TILE, y);
      memset(row + (x - begin), 255, (size_t)(stop - x));
    }
    cover_span(canvas, y, last, right + .5, panel_coverage, &panel);
  }
}

void stx_canvas_box(StxCanvas *canvas, StxBox box, double radius, StxInk ink)
{
  stx_canvas_cover_box(canvas, box, radius);
  stx_canvas_ink(canvas, ink);
}

void stx_canvas_outline(StxCanvas *canvas, StxBox box, double radius, double width, StxInk ink)
{
  Panel panel;
  if (!is_length(width) || !make_panel(box, radius, &panel))
    return;
  panel.border = width;
  double side = fmax(width, panel.radius) + 1, right = box.x + box.width;
  int end = end_row(canvas, box.y + box.height + .5);
  for (int y = first_row(box.y - .5); y < end; y++) {
    bool through = y < box.y + side || y + 1 > box.y + box.height - side;
    if (through || box.x + side >= right - side) {
      cover_span(canvas, y, box.x - .5, right + .5, border_coverage, &panel);
    } else {
      cover_span(canvas, y, box.x - .5, box.x + side, border_coverage, &panel);
      cover_span(canvas, y, right - side, right + .5, border_coverage, &panel);
    }
  }
  stx_canvas_ink(canvas, ink);
}

/* ---- Circles ------------------------------------------------------------------------------ */

typedef struct {
  StxSpot centre;
  double radius, half_width;
} Circle;

static double circle_coverage(const void *shape, double x, double y)
{
  const Circle *circle = shape;
  double dx = x - circle->centre.x, dy = y - circle->centre.y;
  double away = fabs(sqrt(dx * dx + dy * dy) - circle->radius);
  return circle->half_width + .5 - away;
}

/* Half of the chord that a circle has at height dy from its centre, or -1. */
static double half_chord(double radius, double dy)
{
  return radius > 0 && fabs(dy) <= radius ? sqrt(radius * radius - dy * dy) : -1;
}

void stx_canvas_circle(StxCanvas *canvas, StxSpot centre, double radius, double width, StxInk ink)
{
  if (!is_spot(centre) || !is_length(radius) || !is_length(width))
    return;
  Circle circle = {centre, radius, width / 2};
  double reach = radius + circle.half_width + .5, middle = centre.x;
  int end = end_row(canvas, centre.y + reach);
  for (int y = first_row(centre.y - reach); y < end; y++) {
    /* Pixels whose centre is not in the row's middle are at most half a row away from it. */
    double dy = y + .5 - centre.y, outer = half_chord(reach + 1, dy);
    double inner = half_chord(radius - circle.half_width - 1.5, dy);
    if (outer < 0)
      continue;
    if (inner < 0) {
      cover_span(canvas, y, middle - outer, middle + outer, circle_coverage, &circle);
    } else {
      cover_span(canvas, y, middle - outer, middle - inner, circle_coverage, &circle);
      cover_span(canvas, y, middle + inner, middle + outer, circle_coverage, &circle);
    }
  }
  stx_canvas_ink(canvas, ink);
}
