/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters, and the tables made from them before the first frame. */
#include "common/overlay/overlay_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Opacity of the bodies relative to the parameter alpha: ground and sky stay in the background. */
static const double body_opacity[STX_LAYERS] = {
    [STX_LAYER_OBJECT] = 1, [STX_LAYER_GROUND] = .6, [STX_LAYER_SKY] = .5};

/* Opacity of outlines in 1/256: the edge towards what lies behind matters more than the grid of
 * columns. */
static const int edge_opacity[STX_LAYERS] = {[STX_LAYER_TOP] = 150, [STX_LAYER_SIDE] = 90};

/* ---- Fields ------------------------------------------------------------------------------- */

static const StxFieldChoice modes[] = {
    {STX_OVERLAY_DISTANCE, "distance", "Near red, over yellow and green, to far blue"},
    {STX_OVERLAY_KIND, "kind", "Ground, object, sky or segment"},
    {STX_OVERLAY_CLASS, "class", "Semantic class, in the colours of Cityscapes"},
    {0},
};
static const StxFieldChoice scales[] = {
    {STX_SCALE_AUTO, "auto", "Depth where the caps tell the camera, else disparity"},
    {STX_SCALE_DISPARITY, "disparity", "Linear in disparity, 0 … max-disparity"},
    {STX_SCALE_DEPTH, "depth", "Linear in depth, 0 … max-distance; needs the camera"},
    {0},
};
static const StxFieldChoice kinds[] = {
    {1 << STX_KIND_SEGMENT, "segment", "Segments without a kind (rdp-columns)"},
    {1 << STX_KIND_GROUND, "ground", "Ground"},
    {1 << STX_KIND_OBJECT, "object", "Objects"},
    {1 << STX_KIND_SKY, "sky", "Sky"},
    {0},
};

#define STORED(kind, member) STX_STORED(kind, StxOverlayParams, member)
#define SIDE(member) STORED(INT, member), .low = 1, .high = STX_OVERLAY_MAX_SIDE, .unit = "pixels"

static const StxField fields[] = {
    {"mode", "Mode", "What the colours mean", "mode", STORED(CHOICE, mode), .choices = modes},
    {"scale", "Scale", "What the colours of mode=distance are linear in", "scale",
        STORED(CHOICE, scale), .choices = scales},
    {"alpha", "Alpha",
        "Opacity of the colours; ground and sky are drawn fainter, outlines are not affected",
        "alpha", STORED(DOUBLE, alpha), .high = 1},
    {"outlines", "Outlines",
        "Draw a dark line along the top and the left side of objects and segments", "outlines",
        STORED(BOOL, outlines)},
    {"show", "Show", "Kinds of stixels to draw", "show", STORED(FLAGS, show), .choices = kinds},
    {"legend", "Legend",
        "Where to explain the colours; frames that are too small for it go without", "legend",
        STORED(CHOICE, legend), .choices = stx_legend_choices},
    {"max-distance", "Maximum distance",
        "Metres that have the farthest colour, and all beyond (scale=depth)", "max-distance",
        STORED(DOUBLE, max_distance), .low = 1, .high = STX_OVERLAY_MAX_DISTANCE, .unit = "m"},
    {"max-disparity", "Maximum disparity",
        "Pixels of disparity that have the nearest colour, and all above (scale=disparity)",
        "max-disparity", STORED(DOUBLE, max_disparity), .low = 1, .high = STX_OVERLAY_MAX_DISPARITY,
        .unit = "px"},
    {.field = "width", SIDE(width)},
    {.field = "height", SIDE(height)},
    {.field = "stixel-width", SIDE(stixel_width)},
    {.field = "columns", SIDE(columns)},
    {.field = "frame width", SIDE(frame_width)},
    {.field = "frame height", SIDE(frame_height)},
    {.field = "matrix", STORED(CHOICE, matrix), .choices = stx_matrix_choices},
};
static const StxOverlayParams defaults = STX_OVERLAY_DEFAULTS;
const StxFields stx_overlay_fields = {STX_FIELDS_OF(fields), &defaults};

/* ---- Parameters --------------------------------------------------------------------------- */

StxOverlayScale stx_overlay_scale(const StxOverlayParams *params)
{
  if (params->scale != STX_SCALE_AUTO)
    return params->scale;
  return stx_camera_is_metric(&params->camera) ? STX_SCALE_DEPTH : STX_SCALE_DISPARITY;
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
  if (!stx_fields_check(&stx_overlay_fields, p, error))
    return false;
  if (p->scale == STX_SCALE_DEPTH && !stx_camera_is_metric(&p->camera))
    return stx_fail(error,
        "scale=depth needs the camera, but its focal length is %g pixels and its baseline %g m",
        p->camera.focal, p->camera.baseline);
  return check_aspect(p, error);
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

StxRgb stx_overlay_colour(int index)
{
  if (index <= STX_COLOUR_NEAR)
    return stx_palette_colour(STX_PALETTE_DISTANCE, index);
  if (index < STX_COLOUR_CLASS)
    return stx_colour_kind((StxKind)(index - STX_COLOUR_KIND));
  return stx_colour_class(index - STX_COLOUR_CLASS); /* UNKNOWN follows the last class */
}

StxPaint stx_overlay_paint(const StxOverlayParams *params, StxRgb colour, int a)
{
  uint8_t channel[3];
  stx_colour_channels(params->format, params->matrix, params->full_range, colour, channel);
  return stx_paint(channel, a);
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
    double full = edge ? edge_opacity[layer] : 256 * params->alpha * opacity;
    int a = (int)(full * overlay->strength + .5);
    for (int k = 0; k < STX_COLOURS; k++) {
      StxRgb colour = stx_overlay_colour(k);
      overlay->paints[layer * STX_COLOURS + k] =
          stx_overlay_paint(params, edge ? darken(colour) : colour, a);
    }
  }
}

static size_t lay_out(const StxOverlayParams *params, StxOverlay *overlay, void *memory)
{
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof *overlay);
  STX_TAKE(&at, overlay->left, params->columns + 1);
  STX_TAKE(&at, overlay->legend.paint, stx_overlay_legend_pixels(params));
  return at.size;
}

size_t stx_overlay_size(const StxOverlayParams *params)
{
  StxOverlay layout;
  return lay_out(params, &layout, NULL);
}

StxOverlay *stx_overlay_init(void *memory, const StxOverlayParams *params)
{
  StxOverlay *overlay = memory;
  memset(overlay, 0, sizeof *overlay);
  overlay->params = *params;
  lay_out(params, overlay, memory);
  for (int c = 0; c <= params->columns; c++)
    overlay->left[c] = stx_overlay_frame_edge(
        (int64_t)c * params->stixel_width, params->width, params->frame_width);
  if (params->outlines)
    overlay->edge = (params->frame_height + 360) / 720 > 1 ? (params->frame_height + 360) / 720 : 1;
  fill_nearness(overlay);
  stx_overlay_fade(overlay, 1);
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

bool stx_overlay_fade(StxOverlay *overlay, double strength)
{
  if (strength == overlay->strength)
    return false;
  overlay->strength = strength;
  fill_paints(overlay);
  return true;
}
