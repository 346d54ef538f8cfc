/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is drawn where: the arithmetic of overlay_draw.c and cuda/overlay/overlay.cu, written once.
 * Private to the files overlay*.
 */
#ifndef STX_OVERLAY_MATH_H
#define STX_OVERLAY_MATH_H

#include <math.h>

#include "common/colour/colour_math.h"
#include "common/overlay/overlay_private.h"

/* ---- Between image and frame -------------------------------------------------------------- */

/* The image pixel of n under the centre of frame pixel y of N; both at most 32768, so that
 * (2y + 1)·n < 2^32. */
STX_INLINE int stx_overlay_image_pixel(int y, int n, int N)
{
  return (int)((2 * (uint32_t)y + 1) * (uint32_t)n / (2 * (uint32_t)N));
}

/* First of N frame pixels whose centre lies at or beyond `v` of n image pixels:
 * the least y with (2y + 1)·n >= 2·v·N, or N. */
STX_INLINE int stx_overlay_frame_edge(int64_t v, int n, int N)
{
  int64_t edge = (2 * v * N + n - 1) / (2 * n);
  return edge > N ? N : (int)edge;
}

/* ---- Records ------------------------------------------------------------------------------ */

/* Whether a record is right by itself; it also has to lie above its column's previous one. */
STX_INLINE bool stx_overlay_is_valid(const StxOverlayParams *params, const StxStixel *stixel)
{
  return stixel->column < params->columns && stixel->top <= stixel->bottom &&
         stixel->bottom < params->height && stixel->kind <= STX_KIND_SKY &&
         isfinite(stixel->disparity_top) && isfinite(stixel->disparity_bottom);
}

STX_INLINE bool stx_overlay_is_shown(const StxOverlayParams *params, const StxStixel *stixel)
{
  return params->show >> stixel->kind & 1;
}

/* What a drawn record adds to the legend's list: a bit for stx_overlay_see, or 0. */
STX_INLINE unsigned stx_overlay_legend_bit(const StxOverlayParams *params, const StxStixel *stixel)
{
  if (!stx_overlay_is_shown(params, stixel) || params->mode == STX_OVERLAY_DISTANCE)
    return 0;
  if (params->mode == STX_OVERLAY_KIND)
    return 1u << stixel->kind;
  return 1u << (stixel->label < STX_LABEL_CLASSES ? stixel->label : STX_LABEL_CLASSES);
}

/* ---- Bodies ------------------------------------------------------------------------------- */

#define STX_COLOUR_BY_NEARNESS (-1)

/* A valid record as it lies on the frame. */
typedef struct {
  int top, bottom; /* frame rows [top, bottom) */
  int first;       /* image row of its top */
  int colour;      /* of all its rows, or STX_COLOUR_BY_NEARNESS: from the disparity */
  StxLayer layer;
  int64_t disparity; /* at the image row `first`, in 1/65536 of a step of the table … */
  int64_t slope;     /* … and its growth per image row */
} StxOverlayBody;

/* In 1/65536 of a step of the table; below 0, a plane beyond its horizon, counts as 0. */
STX_INLINE int64_t stx_overlay_steps(float disparity)
{
  double steps = fmin(fmax((double)disparity, 0.), (double)STX_OVERLAY_MAX_DISPARITY) *
                 STX_STEPS_PER_PIXEL * 65536;
  return (int64_t)(steps + .5);
}

STX_INLINE int stx_overlay_body_colour(const StxOverlayParams *params, const StxStixel *stixel)
{
  if (params->mode == STX_OVERLAY_CLASS)
    return stixel->label < STX_LABEL_CLASSES ? STX_COLOUR_CLASS + stixel->label
                                             : STX_COLOUR_UNKNOWN;
  if (params->mode == STX_OVERLAY_KIND || stixel->kind == STX_KIND_SKY)
    return STX_COLOUR_KIND + stixel->kind;
  bool unknown = !(stixel->disparity_top > 0) && !(stixel->disparity_bottom > 0);
  return unknown ? STX_COLOUR_UNKNOWN : STX_COLOUR_BY_NEARNESS;
}

STX_INLINE StxOverlayBody stx_overlay_body(const StxOverlayParams *params, const StxStixel *stixel)
{
  StxOverlayBody body;
  int rows = stixel->bottom - stixel->top;
  body.top = stx_overlay_frame_edge(stixel->top, params->height, params->frame_height);
  body.bottom = stx_overlay_frame_edge(stixel->bottom + 1, params->height, params->frame_height);
  body.first = stixel->top;
  body.colour = stx_overlay_body_colour(params, stixel);
  body.layer = stixel->kind == STX_KIND_GROUND ? STX_LAYER_GROUND
               : stixel->kind == STX_KIND_SKY  ? STX_LAYER_SKY
                                               : STX_LAYER_OBJECT;
  body.disparity = stx_overlay_steps(stixel->disparity_top);
  body.slope = rows > 0 ? (stx_overlay_steps(stixel->disparity_bottom) - body.disparity) / rows : 0;
  return body;
}

/* ---- Paints ------------------------------------------------------------------------------- */

/* The upper `edge` rows of objects and segments are an outline, where three times that is left;
 * edge 0: none. */
STX_INLINE bool stx_overlay_in_top_edge(const StxOverlayBody *body, int edge, int y)
{
  return edge > 0 && body->layer == STX_LAYER_OBJECT && y < body->top + edge &&
         body->bottom - body->top > 3 * edge;
}

/* Number of the paint of frame row y, which lies in the body. An outline has the colour of the top
 * row throughout. */
STX_INLINE int stx_overlay_row_paint(const StxOverlayParams *params, const uint8_t *nearness,
    int edge, const StxOverlayBody *body, int y)
{
  bool outline = stx_overlay_in_top_edge(body, edge, y);
  int layer = (outline ? STX_LAYER_TOP : body->layer) * STX_COLOURS;
  if (body->colour != STX_COLOUR_BY_NEARNESS)
    return layer + body->colour;
  int pixel = outline ? body->top : y;
  int row = stx_overlay_image_pixel(pixel, params->height, params->frame_height) - body->first;
  return layer + nearness[(body->disparity + body->slope * row + 32768) >> 16];
}

/* Is there room for a left outline in a column of frame pixels [x0, x1)? */
STX_INLINE bool stx_overlay_has_side(int edge, int x0, int x1)
{
  return edge > 0 && x1 - x0 > 3 * edge;
}

/* The paint of the first `edge` pixels of a row, if there is room, whose others have `paint`: only
 * the bodies of objects and segments have an outline. */
STX_INLINE int stx_overlay_side_paint(int paint)
{
  bool object = paint / STX_COLOURS == STX_LAYER_OBJECT;
  return object ? paint + (STX_LAYER_SIDE - STX_LAYER_OBJECT) * STX_COLOURS : paint;
}

#endif
