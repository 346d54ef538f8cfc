/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters, and the tables made from them before the first frame. */
#include "common/overlay_pixel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Opacity of the bodies relative to the parameter alpha: ground and sky stay in the background. */
static const double body_opacity[STX_LAYERS] = {
    [STX_LAYER_OBJECT] = 1, [STX_LAYER_GROUND] = .6, [STX_LAYER_SKY] = .5};

/* Opacity of outlines in 1/256: the edge towards what lies behind matters more than the grid of
 * columns. */
static const int edge_opacity[STX_LAYERS] = {[STX_LAYER_TOP] = 150, [STX_LAYER_SIDE] = 90};

/* ---- Parameters --------------------------------------------------------------------------- */

StxOverlayScale stx_overlay_scale(const StxOverlayParams *params)
{
  if (params->scale != STX_SCALE_AUTO)
    return params->scale;
  return stx_camera_is_metric(&params->camera) ? STX_SCALE_DEPTH : STX_SCALE_DISPARITY;
}

static bool check_size(const char *name, int value, StxError *error)
{
  return (value >= 1 && value <= 32768) ||
         stx_fail(error, "%s is %d; it must be 1 to 32768 pixels", name, value);
}

static bool check_number(const char *name, double value, double low, double high, StxError *error)
{
  return (value >= low && value <= high) ||
         stx_fail(error, "%s is %g; it must be %g to %g", name, value, low, high);
}

static bool check_aspect(const StxOverlayParams *p, StxError *error)
{
  int64_t across = (int64_t)p->frame_width * p->height, down = (int64_t)p->frame_height * p->width;
  int64_t slack = across / 50 + 2 * (int64_t)(p->width > p->height ? p->width : p->height);
  return llabs(across - down) <= slack ||
         stx_fail(error,
             "the stixels are of an image of %dx%d pixels, which is not the shape of the frame of "
             "%dx%d: scale both alike, or draw before cropping",
             p->width, p->height, p->frame_width, p->frame_height);
}

bool stx_overlay_check(const StxOverlayParams *p, StxError *error)
{
  if (p->format == NULL)
    return stx_fail(error, "no pixel format given");
  if ((unsigned)p->mode > STX_OVERLAY_CLASS || (unsigned)p->scale > STX_SCALE_DEPTH ||
      (unsigned)p->legend > STX_LEGEND_BOTTOM_RIGHT || (unsigned)p->matrix > STX_MATRIX_BT2020)
    return stx_fail(error, "mode %d, scale %d, legend %d or matrix %d is none of the choices",
        p->mode, p->scale, p->legend, p->matrix);
  if (p->scale == STX_SCALE_DEPTH && !stx_camera_is_metric(&p->camera))
    return stx_fail(error,
        "scale=depth needs the camera, but its focal length is %g pixels and its baseline %g m",
        p->camera.focal, p->camera.baseline);
  return check_size("width", p->width, error) && check_size("height", p->height, error) &&
         check_size("stixel-width", p->stixel_width, error) &&
         check_size("columns", p->columns, error) &&
         check_size("frame width", p->frame_width, error) &&
         check_size("frame height", p->frame_height, error) &&
         check_number("alpha", p->alpha, 0, 1, error) &&
         check_number("max-disparity", p->max_disparity, 1, STX_OVERLAY_MAX_DISPARITY, error) &&
         check_number("max-distance", p->max_distance, 1, 1000, error) && check_aspect(p, error);
}

/* ---- Preparation -------------------------------------------------------------------------- */

static void fill_nearness(StxOverlay *overlay)
{
  const StxOverlayParams *params = &overlay->params;
  bool depth = stx_overlay_scale(params) == STX_SCALE_DEPTH;
  double metres = params->camera.focal * params->camera.baseline * STX_STEPS_PER_PIXEL;
  for (int i = 0; i <= STX_OVERLAY_MAX_DISPARITY * STX_STEPS_PER_PIXEL; i++) {
    double far = 0;
    if (depth)
      far = i == 0 ? 1 : fmin(metres / i / params->max_distance, 1);
    else
      far = 1 - fmin(i / (params->max_disparity * STX_STEPS_PER_PIXEL), 1);
    overlay->nearness[i] = (uint8_t)(255 * (1 - far) + .5);
  }
}

/* Outlines are the body's colour in the dark. */
static StxRgb darken(StxRgb body)
{
  return (StxRgb){body.r / 4, body.g / 4, body.b / 4};
}

static void fill_paints(StxOverlay *overlay)
{
  const StxOverlayParams *params = &overlay->params;
  for (int layer = 0; layer < STX_LAYERS; layer++) {
    bool edge = edge_opacity[layer] > 0;
    double opacity = params->mode == STX_OVERLAY_CLASS ? 1 : body_opacity[layer];
    int a = edge ? edge_opacity[layer] : (int)(256 * params->alpha * opacity + .5);
    for (int k = 0; k < STX_COLOURS; k++) {
      StxRgb colour = stx_overlay_colour(k);
      overlay->paints[layer * STX_COLOURS + k] =
          stx_overlay_paint(params, edge ? darken(colour) : colour, a);
    }
  }
}

static size_t legend_offset(const StxOverlayParams *params)
{
  return stx_align(sizeof(StxOverlay)) + stx_align((params->columns + 1) * sizeof(int));
}

size_t stx_overlay_size(const StxOverlayParams *params)
{
  return legend_offset(params) + stx_overlay_legend_pixels(params) * sizeof(StxPaint);
}

StxOverlay *stx_overlay_init(void *memory, const StxOverlayParams *params)
{
  StxOverlay *overlay = memory;
  memset(overlay, 0, sizeof *overlay);
  overlay->params = *params;
  overlay->left = (int *)((char *)memory + stx_align(sizeof *overlay));
  for (int c = 0; c <= params->columns; c++)
    overlay->left[c] = stx_overlay_frame_edge(
        (int64_t)c * params->stixel_width, params->width, params->frame_width);
  if (params->outlines)
    overlay->edge = (params->frame_height + 360) / 720 > 1 ? (params->frame_height + 360) / 720 : 1;
  fill_nearness(overlay);
  fill_paints(overlay);
  overlay->legend.paint = (StxPaint *)((char *)memory + legend_offset(params));
  stx_overlay_legend(params, 0, &overlay->legend);
  return overlay;
}

bool stx_overlay_see(StxOverlay *overlay, unsigned seen)
{
  seen |= overlay->seen;
  if (seen == overlay->seen)
    return false;
  overlay->seen = seen;
  stx_overlay_legend(&overlay->params, seen, &overlay->legend);
  return overlay->params.legend != STX_LEGEND_NONE;
}
