/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text: the strokes of its glyphs, as one shape; the halo under them is the same, only wider. */
#include "common/lettering.h"
#include "common/canvas/canvas_private.h"

#include <math.h>

#define PLATE_OPACITY .66
#define PLATE_CORNER .35 /* radius, in sizes of text */
#define PLATE_GAP .15    /* between plates, likewise */

/* Width of the halo around a stroke. */
static double halo_width(double size)
{
  return fmax(1.2, .13 * size);
}

/* Bounds of the strokes' middles, from the origin of the text. */
typedef struct {
  double left, right, top, bottom; /* left > right: there are none */
} Extent;

static Extent measure(const char *text, double size)
{
  Extent extent = {.left = 1, .right = 0};
  double x = 0;
  for (uint32_t glyph; (glyph = stx_text_next(&text)) != 0; x += stx_glyph_advance(glyph, size)) {
    StxStroke strokes[STX_GLYPH_STROKES];
    size_t count = stx_glyph_strokes(glyph, size, strokes);
    for (size_t i = 0; i < count; i++) {
      const StxStroke *s = &strokes[i];
      Extent own = {
          x + fmin(s->x0, s->x1), x + fmax(s->x0, s->x1), fmin(s->y0, s->y1), fmax(s->y0, s->y1)};
      bool first = extent.left > extent.right;
      extent.left = first ? own.left : fmin(extent.left, own.left);
      extent.right = first ? own.right : fmax(extent.right, own.right);
      extent.top = first ? own.top : fmin(extent.top, own.top);
      extent.bottom = first ? own.bottom : fmax(extent.bottom, own.bottom);
    }
  }
  return extent;
}

/* The place of the text's origin. */
static StxSpot origin(const Extent *extent, double size, StxSpot at, StxAnchor anchor)
{
  static const double across[] = {0, .5, 1}, down[] = {0, .5, 1};
  double width = extent->right - extent->left;
  return (StxSpot){
      at.x - extent->left - across[anchor % 3] * width, at.y + down[anchor / 3] * size};
}

static bool can_draw(double size, StxSpot at, StxAnchor anchor)
{
  return size > 0 && stx_canvas_is_sane(size) && stx_canvas_is_sane(at.x) &&
         stx_canvas_is_sane(at.y) && (unsigned)anchor <= STX_ANCHOR_RIGHT_CAP;
}

static void cover_text(
    StxCanvas *canvas, const char *text, double size, StxSpot origin, double radius)
{
  double x = origin.x, y = origin.y;
  for (uint32_t glyph; (glyph = stx_text_next(&text)) != 0; x += stx_glyph_advance(glyph, size)) {
    StxStroke strokes[STX_GLYPH_STROKES];
    size_t count = stx_glyph_strokes(glyph, size, strokes);
    for (size_t i = 0; i < count; i++)
      stx_canvas_cover_line(canvas, (StxSpot){x + strokes[i].x0, y + strokes[i].y0},
          (StxSpot){x + strokes[i].x1, y + strokes[i].y1}, radius);
  }
}

void stx_canvas_text(StxCanvas *canvas, const char *text, double size, StxSpot at, StxAnchor anchor,
    StxInk ink, StxInk halo)
{
  Extent extent = measure(text, size);
  if (!can_draw(size, at, anchor) || extent.left > extent.right)
    return;
  StxSpot from = origin(&extent, size, at, anchor);
  double radius = stx_stroke_radius(size);
  if (halo.opacity > 0) {
    cover_text(canvas, text, size, from, radius + halo_width(size));
    stx_canvas_ink(canvas, halo);
  }
  cover_text(canvas, text, size, from, radius);
  stx_canvas_ink(canvas, ink);
}

StxBox stx_canvas_text_box(const char *text, double size, StxSpot at, StxAnchor anchor)
{
  Extent extent = measure(text, size);
  if (!can_draw(size, at, anchor) || extent.left > extent.right)
    return (StxBox){at.x, at.y, 0, 0};
  StxSpot from = origin(&extent, size, at, anchor);
  double around = stx_stroke_radius(size) + halo_width(size) + .5;
  return (StxBox){from.x + extent.left - around, from.y + extent.top - around,
      extent.right - extent.left + 2 * around, extent.bottom - extent.top + 2 * around};
}

/* The plate with a gap around it, which ends at the canvas's edge if the plate lies inside. */
static StxBox room_of(const StxCanvasParams *params, StxBox plate, double gap)
{
  double left = fmin(gap, fmax(plate.x, 0)), above = fmin(gap, fmax(plate.y, 0));
  double right = fmin(gap, fmax(params->width - plate.x - plate.width, 0));
  double below = fmin(gap, fmax(params->height - plate.y - plate.height, 0));
  return (StxBox){
      plate.x - left, plate.y - above, plate.width + left + right, plate.height + above + below};
}

bool stx_canvas_label(
    StxCanvas *canvas, const char *text, double size, StxSpot at, StxAnchor anchor, StxRgb colour)
{
  StxBox plate = stx_canvas_text_box(text, size, at, anchor);
  if (!stx_canvas_claim(canvas, room_of(&canvas->params, plate, PLATE_GAP * size)))
    return false;
  stx_canvas_box(
      canvas, plate, PLATE_CORNER * size, (StxInk){stx_colour(STX_MEANS_HALO), PLATE_OPACITY});
  stx_canvas_text(canvas, text, size, at, anchor, (StxInk){colour, 1}, (StxInk){.opacity = 0});
  return true;
}
