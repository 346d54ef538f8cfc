/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arithmetic of overlay_draw.c and cuda/overlay/overlay.cu, written once. Private to the files
 * overlay*.
 */
#pragma once

#include <math.h>

#include "common/colour/colour_math.h"
#include "common/overlay/overlay_private.h"

/* ---- Records ------------------------------------------------------------------------------ */

/* True if a record is valid by itself; it must also lie above its column's previous one. */
STX_INLINE bool stx_overlay_is_valid(const StxOverlayParams *params, const StxStixel *stixel)
{
  return stixel->column < params->columns && stixel->top <= stixel->bottom &&
         stixel->bottom < params->height && stixel->kind <= STX_KIND_CARRIER &&
         isfinite(stixel->disparity_top) && isfinite(stixel->disparity_bottom);
}

STX_INLINE bool stx_overlay_is_shown(const StxOverlayParams *params, const StxStixel *stixel)
{
  return params->show >> stixel->kind & 1;
}

/* The bit of a drawn record for stx_overlay_see, the legend's list, or 0. */
STX_INLINE unsigned stx_overlay_legend_bit(const StxOverlayParams *params, const StxStixel *stixel)
{
  if (!stx_overlay_is_shown(params, stixel) || stx_overlay_has_scale(params->mode))
    return 0;
  if (params->mode == STX_OVERLAY_KIND)
    return 1u << stixel->kind;
  return 1u << (stixel->label < STX_LABEL_CLASSES ? stixel->label : STX_LABEL_CLASSES);
}

/* ---- Bodies ------------------------------------------------------------------------------- */

/* Tables of the prepared state for a frame's rows and numbers of records: the host's, or copies on
 * a device. */
typedef struct {
  const int *row;          /* as in StxOverlay */
  const int *row_edge;     /* likewise */
  const uint8_t *nearness; /* likewise */
  StxOverlayLevels levels;
  int edge;
} StxOverlayTables;

/* Colours that follow the disparity from row to row. */
#define STX_COLOUR_BY_NEARNESS (-1)
#define STX_COLOUR_BY_HEIGHT (-2)

#define STX_HATCH 8 /* frame rows of a stripe, and of a gap */

/* A valid record as it lies on the frame. */
typedef struct {
  int top, bottom; /* frame rows [top, bottom) */
  int first;       /* image row of its top */
  int colour;      /* of all its rows, or STX_COLOUR_BY_…: from the disparity */
  int faint;       /* 0 … STX_FAINT − 1: how much fainter it is drawn */
  StxLayer layer;
  int hatch; /* of the carrier: frame rows that its stripes are moved up; −1: it has none */
  int64_t disparity; /* at the image row `first`, in 1/65536 of a step of the table … */
  int64_t slope;     /* … and its growth per image row */
} StxOverlayBody;

/* Returns 1/65536 steps of the table; below 0, beyond a plane's horizon, counts as 0. */
STX_INLINE int64_t stx_overlay_steps(float disparity)
{
  double steps = fmin(fmax((double)disparity, 0.), (double)STX_OVERLAY_MAX_DISPARITY) *
                 STX_STEPS_PER_PIXEL * 65536;
  return (int64_t)(steps + .5);
}

/* A number of 0…1 as one of 0 … most; what is not a number as -1. */
STX_INLINE int stx_overlay_step(double value, int most)
{
  if (!(value > 0))
    return value <= 0 ? 0 : -1;
  return value < 1 ? (int)(value * most + .5) : most;
}

/* The number that the mode shows, in shares of what has the highest colour. */
STX_INLINE double stx_overlay_level(
    StxOverlayMode mode, const StxOverlayLevels *levels, const StxStixel *stixel)
{
  return (double)(mode == STX_OVERLAY_COST ? stixel->cost : stixel->confidence) / levels->most;
}

STX_INLINE int stx_overlay_body_colour(
    const StxOverlayParams *params, const StxOverlayLevels *levels, const StxStixel *stixel)
{
  if (params->mode == STX_OVERLAY_CLASS)
    return stixel->label < STX_LABEL_CLASSES ? STX_COLOUR_CLASS + stixel->label
                                             : STX_COLOUR_UNKNOWN;
  if (params->mode == STX_OVERLAY_KIND || stixel->kind >= STX_KIND_SKY)
    return STX_COLOUR_KIND + stixel->kind;
  if (params->mode == STX_OVERLAY_CONFIDENCE || params->mode == STX_OVERLAY_COST) {
    int level = stx_overlay_step(stx_overlay_level(params->mode, levels, stixel), STX_COLOUR_NEAR);
    return level < 0 ? STX_COLOUR_UNKNOWN : level;
  }
  bool unknown = !(stixel->disparity_top > 0) && !(stixel->disparity_bottom > 0);
  return unknown                              ? STX_COLOUR_UNKNOWN
         : params->mode == STX_OVERLAY_HEIGHT ? STX_COLOUR_BY_HEIGHT
                                              : STX_COLOUR_BY_NEARNESS;
}

/* Sky and carrier are no less certain for having no disparity. */
STX_INLINE int stx_overlay_faint(const StxOverlayParams *params, const StxStixel *stixel)
{
  if (!(params->dim > 0) || stixel->kind >= STX_KIND_SKY)
    return 0;
  int sure = stx_overlay_step((double)stixel->confidence, STX_FAINT - 1);
  return STX_FAINT - 1 - (sure < 0 ? 0 : sure);
}

STX_INLINE StxOverlayBody stx_overlay_body(
    const StxOverlayParams *params, const StxOverlayTables *tables, const StxStixel *stixel)
{
  StxOverlayBody body;
  int rows = stixel->bottom - stixel->top;
  body.top = tables->row_edge[stixel->top];
  body.bottom = tables->row_edge[stixel->bottom + 1];
  body.first = stixel->top;
  body.colour = stx_overlay_body_colour(params, &tables->levels, stixel);
  body.faint = stx_overlay_faint(params, stixel);
  body.layer = stixel->kind == STX_KIND_GROUND ? STX_LAYER_GROUND
               : stixel->kind >= STX_KIND_SKY  ? STX_LAYER_SKY
                                               : STX_LAYER_OBJECT;
  body.hatch =
      stixel->kind == STX_KIND_CARRIER ? stixel->column * STX_HATCH / 2 % (2 * STX_HATCH) : -1;
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

/* The colour of a row's height above the road, where that is known, or above the camera. `steps` is
 * the disparity of its centre, as in StxOverlayBody. */
STX_INLINE int stx_overlay_height_colour(const StxOverlayLevels *levels, int row, int64_t steps)
{
  double z = levels->metres * (65536. * STX_STEPS_PER_PIXEL) / (double)steps;
  double y = (row - levels->cy) * z / levels->focal;
  double height = levels->height - (y * levels->cosine + z * levels->sine);
  return steps > 0 ? stx_overlay_step(height / levels->most, STX_COLOUR_NEAR) : STX_COLOUR_UNKNOWN;
}

/* Number of the paint of frame row y, which lies in the body. An outline has the colour of the top
 * row throughout. */
STX_INLINE int stx_overlay_row_paint(
    const StxOverlayTables *tables, const StxOverlayBody *body, int y)
{
  bool outline = stx_overlay_in_top_edge(body, tables->edge, y);
  bool stripe = body->hatch >= 0 && (y + body->hatch) % (2 * STX_HATCH) < STX_HATCH;
  int layer = outline || stripe ? STX_LAYER_TOP : body->layer;
  int first = (body->faint * STX_LAYERS + layer) * STX_COLOURS;
  if (body->colour >= 0)
    return first + body->colour;
  int row = tables->row[outline ? body->top : y] - body->first;
  int64_t steps = body->disparity + body->slope * row;
  if (body->colour == STX_COLOUR_BY_HEIGHT)
    return first + stx_overlay_height_colour(&tables->levels, row + body->first, steps);
  return first + tables->nearness[(steps + 32768) >> 16];
}

/* Does a left outline fit into a column of frame pixels [x0, x1)? */
STX_INLINE bool stx_overlay_has_side(int edge, int x0, int x1)
{
  return edge > 0 && x1 - x0 > 3 * edge;
}

/* The paint of the first `edge` pixels of a row, if an outline fits; its others have `paint`: only
 * the bodies of objects and segments have an outline. */
STX_INLINE int stx_overlay_side_paint(int paint)
{
  bool object = paint / STX_COLOURS % STX_LAYERS == STX_LAYER_OBJECT;
  return object ? paint + (STX_LAYER_SIDE - STX_LAYER_OBJECT) * STX_COLOURS : paint;
}
