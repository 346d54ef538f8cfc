/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters, the tables made from them before the first frame, and the legend. */
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
    {STX_OVERLAY_DISTANCE, "distance", "Near red to far blue"},
    {STX_OVERLAY_KIND, "kind", "Ground, object, sky, segment, carrier"},
    {STX_OVERLAY_CLASS, "class", "Semantic class, Cityscapes' colours"},
    {STX_OVERLAY_HEIGHT, "height", "Above the road, else above the camera"},
    {STX_OVERLAY_CONFIDENCE, "confidence", "0 … 1"},
    {STX_OVERLAY_COST, "cost",
        "Share of the column's energy, nats; for segments the error, pixels"},
    {0},
};
static const StxFieldChoice scales[] = {
    {STX_SCALE_AUTO, "auto", "depth if the camera is known, else disparity; fits what is seen"},
    {STX_SCALE_DISPARITY, "disparity", "Linear to max-disparity"},
    {STX_SCALE_DEPTH, "depth", "Linear to max-distance"},
    {0},
};
static const StxFieldChoice labels[] = {
    {STX_OVERLAY_LABEL_DISTANCE, "distance", "Metres"},
    {STX_OVERLAY_LABEL_CLASS, "class", "Semantic class"},
    {STX_OVERLAY_LABEL_ID, "id", "Track number"},
    {STX_OVERLAY_LABEL_SPEED, "speed", "Speed over ground"},
    {STX_OVERLAY_LABEL_BOX, "box", "Frame, red in the corridor"},
    {0},
};
static const StxFieldChoice kinds[] = {
    {1 << STX_KIND_SEGMENT, "segment", "Segments"},
    {1 << STX_KIND_GROUND, "ground", "Ground"},
    {1 << STX_KIND_OBJECT, "object", "Objects"},
    {1 << STX_KIND_SKY, "sky", "Sky"},
    {1 << STX_KIND_CARRIER, "carrier", "What carries the camera"},
    {0},
};

#define STORED(kind, member) STX_STORED(kind, StxOverlayParams, member)
#define SIDE(member) STORED(INT, member), .low = 1, .high = STX_OVERLAY_MAX_SIDE, .unit = "pixels"

static const StxField fields[] = {
    {"mode", "Mode", "Colours", "mode", STORED(CHOICE, mode), .choices = modes},
    {"scale", "Scale", "Scale of mode=distance", "scale", STORED(CHOICE, scale), .choices = scales},
    {"alpha", "Alpha", "Opacity of the colours; less for ground and sky", "alpha",
        STORED(DOUBLE, alpha), .high = 1},
    {"dim", "Dim", "Opacity lost at confidence 0, proportionally less above", "dim",
        STORED(DOUBLE, dim), .high = 1},
    {"fill", "Fill", "Fill stixels with their colour, not only outline them", "fill",
        STORED(BOOL, fill)},
    {"outlines", "Outlines", "Draw dark lines above and left of objects and segments", "outlines",
        STORED(BOOL, outlines)},
    {"line-width", "Line width", "Line width, pixels of the frame (0 = by its size)", "line-width",
        STORED(INT, line_width), .high = STX_OVERLAY_MAX_LINE, .unit = "px"},
    {"show", "Show", "Stixels to draw", "show", STORED(FLAGS, show), .choices = kinds},
    {"legend", "Legend", "Corner of the legend", "legend", STORED(CHOICE, legend),
        .choices = stx_legend_choices},
    {"max-distance", "Maximum distance",
        "Distance of the farthest colour, at most with scale=auto, metres", "max-distance",
        STORED(DOUBLE, max_distance), .low = STX_OVERLAY_LEAST_DISTANCE,
        .high = STX_OVERLAY_MAX_DISTANCE, .unit = "m"},
    {"max-disparity", "Maximum disparity",
        "Disparity of the nearest colour, at least with scale=auto, pixels", "max-disparity",
        STORED(DOUBLE, max_disparity), .low = 1, .high = STX_OVERLAY_MAX_DISPARITY, .unit = "px"},
    {"max-height", "Maximum height", "Height of the highest colour with mode=height, metres",
        "max-height", STORED(DOUBLE, max_height), .low = .1, .high = STX_OVERLAY_MAX_HEIGHT,
        .unit = "m"},
    {"max-cost", "Maximum cost", "Cost of the highest colour with mode=cost", "max-cost",
        STORED(DOUBLE, max_cost), .low = .1, .high = STX_OVERLAY_MAX_COST},
    {"labels", "Labels", "Labels of obstacles; without stixel-obstacles, distances of stixels",
        "labels", STORED(FLAGS, labels), .choices = labels},
    {"labels-max", "Maximum of labels",
        "Labels on a frame: those of the nearest, of moving things and in the corridor first",
        "labels-max", STORED(INT, labels_max), .high = STX_LABELS_MOST},
    {"free-space", "Free space", "Draw the lower edge of the nearest obstacles", "free-space",
        STORED(BOOL, free_space)},
    {"velocities", "Velocities", "Draw arrows to where moving things will be in half a second",
        "velocities", STORED(BOOL, velocities)},
    {"corridor-width", "Corridor width", "Width of the drawn corridor, metres (0 = none)",
        "corridor-width", STORED(DOUBLE, corridor_width), .high = 100, .unit = "m"},
    {"corridor-length", "Corridor length", "Length of the corridor, metres", "corridor-length",
        STORED(DOUBLE, corridor_length), .high = 250, .unit = "m"},
    {"corridor-offset", "Corridor offset", "Corridor centre to the right of the camera, metres",
        "corridor-offset", STORED(DOUBLE, corridor_offset), .low = -100, .high = 100, .unit = "m"},
    {"text-size", "Text size", "Text height, pixels of the frame (0 = by its size)", "text-size",
        STORED(INT, text_size), .high = STX_OVERLAY_MAX_TEXT, .unit = "px"},
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

static StxOverlayScale find_scale(const StxOverlayParams *params)
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

static bool is_placed(const StxOverlayParams *params)
{
  return params->placement.width > 0;
}

static bool check_placement(const StxOverlayParams *p, StxError *error)
{
  const StxPlacement *at = &p->placement;
  if (!is_placed(p))
    return check_aspect(p, error);
  return (at->xy == 0 && at->yx == 0 && at->xx > 0 && at->yy > 0 && isfinite(at->xx) &&
             isfinite(at->yy) && isfinite(at->x0) && isfinite(at->y0)) ||
         stx_fail(error,
             "the stixels' image lies turned or mirrored in the frame: draw before it is turned");
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
  if (p->mode == STX_OVERLAY_HEIGHT &&
      (!stx_camera_is_metric(&p->camera) || p->camera.missing & STX_CAMERA_CY))
    return stx_fail(error,
        "mode=height needs the camera, but its focal length is %g pixels, its baseline %g m, and "
        "its cy %s",
        p->camera.focal, p->camera.baseline,
        p->camera.missing & STX_CAMERA_CY ? "unknown" : "known");
  if (p->corridor_width > 0 && !stx_camera_is_metric(&p->camera))
    return stx_fail(error,
        "corridor-width=%g needs the camera, but its focal length is %g pixels and its baseline %g "
        "m",
        p->corridor_width, p->camera.focal, p->camera.baseline);
  return check_placement(p, error);
}

/* ---- Preparation -------------------------------------------------------------------------- */

static void fill_nearness(StxOverlay *overlay)
{
  const StxOverlayParams *params = &overlay->params;
  bool depth = find_scale(params) == STX_SCALE_DEPTH;
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

static StxPalette palette_of(StxOverlayMode mode)
{
  return mode == STX_OVERLAY_DISTANCE ? STX_PALETTE_DISTANCE : STX_PALETTE_VIRIDIS;
}

static StxRgb colour_at(StxOverlayMode mode, int index)
{
  if (index <= STX_COLOUR_NEAR)
    return stx_palette_colour(palette_of(mode), index);
  if (index < STX_COLOUR_CLASS)
    return stx_colour_kind((StxKind)(index - STX_COLOUR_KIND));
  return stx_colour_class(index - STX_COLOUR_CLASS); /* UNKNOWN follows the last class */
}

/* Returns the opacity of a layer, 1/256. */
static double layer_opacity(const StxOverlayParams *params, StxLayer layer)
{
  if (edge_opacity[layer] > 0)
    return params->fill ? edge_opacity[layer] : 256;
  double opacity = params->mode == STX_OVERLAY_CLASS ? 1 : body_opacity[layer];
  return params->fill ? 256 * params->alpha * opacity : 0;
}

static void fill_layer(StxOverlay *overlay, StxLayer layer, double strength, StxPaint *paints)
{
  const StxOverlayParams *params = &overlay->params;
  int a = (int)(layer_opacity(params, layer) * strength + .5);
  bool dark = edge_opacity[layer] > 0 && params->fill;
  uint8_t channel[3];
  for (int k = 0; k < STX_COLOURS; k++) {
    StxRgb colour = colour_at(params->mode, k);
    if (dark) /* outlines are the body's colour in the dark, where there is a body */
      colour = (StxRgb){colour.r / 4, colour.g / 4, colour.b / 4};
    stx_colour_channels(params->format, params->matrix, params->full_range, colour, channel);
    paints[k] = stx_paint(channel, a);
  }
}

static int count_faint(const StxOverlayParams *params)
{
  return params->dim > 0 ? STX_FAINT : 1;
}

static void fill_levels(StxOverlay *overlay)
{
  const StxOverlayParams *params = &overlay->params;
  const StxCamera *camera = &params->camera;
  StxOverlayLevels *levels = &overlay->levels;
  levels->most = params->mode == STX_OVERLAY_HEIGHT ? params->max_height
                 : params->mode == STX_OVERLAY_COST ? params->max_cost
                                                    : 1;
  levels->metres = camera->focal * camera->baseline;
  levels->focal = camera->focal;
  levels->cy = camera->cy;
  levels->height = camera->height;
  levels->cosine = cos(camera->pitch);
  levels->sine = sin(camera->pitch);
}

/* ---- Where columns and rows lie ------------------------------------------------------------ */

/* The image pixel, of n along an axis, that each frame pixel shows: the one under its centre, at (i
 * + 1/2 − offset) / scale. A sum on the border of two may be off by the arithmetic, and the nearest
 * other sums are farther than the margin. */
static void fill_axis(double scale, double offset, int n, int *shown, int count)
{
  for (int i = 0; i < count; i++) {
    double at = floor((i + .5 - offset) / scale + 1e-6);
    shown[i] = at < 0 ? -1 : at < n ? (int)at : n;
  }
}

/* For each multiple of `step` of the image's pixels up to n, the first frame pixel that shows it or
 * one behind. */
static void fill_edges(const int *shown, int count, int n, int step, int *edges, int length)
{
  int i = 0;
  for (int k = 0; k < length; k++) {
    int64_t first = (int64_t)k * step;
    while (i < count && shown[i] < (first < n ? first : n))
      i++;
    edges[k] = i;
  }
}

StxPlacement stx_overlay_placement(const StxOverlayParams *p)
{
  return is_placed(p) ? p->placement
                      : stx_placement_fill(p->width, p->height, p->frame_width, p->frame_height);
}

/* ---- Memory -------------------------------------------------------------------------------- */

static size_t lay_out(const StxOverlayParams *params, StxOverlay *overlay, void *memory)
{
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof *overlay);
  STX_TAKE(&at, overlay->paints, count_faint(params) * STX_PAINTS);
  STX_TAKE(&at, overlay->left, params->columns + 1);
  STX_TAKE(&at, overlay->row_edge, params->height + 1);
  STX_TAKE(&at, overlay->column, params->frame_width);
  STX_TAKE(&at, overlay->row, params->frame_height);
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
  int suits = (params->frame_height + 360) / 720;
  memset(overlay, 0, sizeof *overlay);
  overlay->params = *params;
  lay_out(params, overlay, memory);
  StxPlacement at = stx_overlay_placement(params);
  fill_axis(at.xx, at.x0, params->width, overlay->column, params->frame_width);
  fill_axis(at.yy, at.y0, params->height, overlay->row, params->frame_height);
  fill_edges(overlay->column, params->frame_width, params->width, params->stixel_width,
      overlay->left, params->columns + 1);
  fill_edges(
      overlay->row, params->frame_height, params->height, 1, overlay->row_edge, params->height + 1);
  if (params->outlines)
    overlay->edge = params->line_width > 0 ? params->line_width : suits > 1 ? suits : 1;
  fill_nearness(overlay);
  fill_levels(overlay);
  stx_overlay_fade(overlay, 1);
  return overlay;
}

bool stx_overlay_see(StxOverlay *overlay, unsigned seen)
{
  seen |= overlay->seen;
  if (seen == overlay->seen)
    return false;
  overlay->seen = seen;
  return overlay->params.legend != STX_LEGEND_NONE;
}

bool stx_overlay_fade(StxOverlay *overlay, double strength)
{
  if (strength == overlay->strength)
    return false;
  overlay->strength = strength;
  StxPaint *paints = overlay->paints;
  for (int faint = 0; faint < count_faint(&overlay->params); faint++)
    for (int layer = 0; layer < STX_LAYERS; layer++, paints += STX_COLOURS)
      fill_layer(overlay, (StxLayer)layer,
          strength * (1 - overlay->params.dim * faint / (STX_FAINT - 1)), paints);
  return true;
}

/* ---- The legend: a bar with numbers, or the names of what was drawn ------------------------ */

enum { MOST_NAMES = STX_LABEL_CLASSES + 1 };

typedef struct {
  StxName name[MOST_NAMES];
  size_t count;
} Names;

static void add(Names *names, StxOverlayMode mode, const char *name, int colour)
{
  names->name[names->count++] = (StxName){.name = name, .colour = colour_at(mode, colour)};
}

static void list_kinds(Names *names, unsigned seen)
{
  static const struct {
    StxKind kind;
    const char *name;
  } order[] = {
      {STX_KIND_OBJECT, "object"},
      {STX_KIND_SEGMENT, "segment"},
      {STX_KIND_GROUND, "ground"},
      {STX_KIND_SKY, "sky"},
      {STX_KIND_CARRIER, "carrier"},
  };
  for (int i = 0; i < 5; i++)
    if (seen >> order[i].kind & 1)
      add(names, STX_OVERLAY_KIND, order[i].name, STX_COLOUR_KIND + (int)order[i].kind);
}

static StxBar scale_of(const StxOverlayParams *params)
{
  bool depth = find_scale(params) == STX_SCALE_DEPTH;
  StxBar bar = {.palette = palette_of(params->mode)};
  switch (params->mode) {
  case STX_OVERLAY_HEIGHT:
    bar.high = params->max_height;
    bar.unit = "m";
    bar.title = "height";
    break;
  case STX_OVERLAY_CONFIDENCE:
    bar.high = 1;
    bar.title = "confidence";
    break;
  case STX_OVERLAY_COST:
    bar.high = params->max_cost;
    bar.title = "cost";
    bar.unit = "nat or px";
    break;
  default:
    bar.reversed = depth;
    bar.high = depth ? params->max_distance : params->max_disparity;
    bar.title = depth ? "distance" : "disparity";
    bar.unit = depth ? "m" : "px";
  }
  return bar;
}

void stx_overlay_draw_legend(const StxOverlay *overlay, StxCanvas *canvas)
{
  const StxOverlayParams *params = &overlay->params;
  Names names = {.count = 0};
  if (stx_overlay_has_scale(params->mode)) {
    StxBar bar = scale_of(params);
    /* By the parameters, not by the records: for these the host would have to wait for a GPU. */
    if (params->show >> STX_KIND_SKY & 1)
      add(&names, params->mode, "sky", STX_COLOUR_KIND + STX_KIND_SKY);
    if (params->mode == STX_OVERLAY_DISTANCE || params->mode == STX_OVERLAY_HEIGHT)
      add(&names, params->mode, "unknown", STX_COLOUR_UNKNOWN);
    bar.names = names.name;
    bar.count = names.count;
    stx_canvas_bar(canvas, params->legend, &bar);
    return;
  }
  bool by_kind = params->mode == STX_OVERLAY_KIND;
  if (by_kind)
    list_kinds(&names, overlay->seen);
  for (int k = 0; k < STX_LABEL_CLASSES && !by_kind; k++)
    if (overlay->seen >> k & 1)
      add(&names, STX_OVERLAY_CLASS, stx_label_name(k), STX_COLOUR_CLASS + k);
  if (overlay->seen >> STX_LABEL_CLASSES & 1 && !by_kind)
    add(&names, STX_OVERLAY_CLASS, "no label", STX_COLOUR_UNKNOWN);
  stx_canvas_names(
      canvas, params->legend, by_kind ? "kind of stixel" : "class", names.name, names.count);
}
