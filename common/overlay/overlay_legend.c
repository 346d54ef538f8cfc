/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The legend: a dark translucent panel in a corner with either a bar of colours and its ticks, or
 * the names of what was drawn. Rendered once per set of parameters (and again when a new name
 * joins), so in floating point and without haste.
 */
#include "common/overlay/overlay_math.h"

#include <math.h>
#include <stdio.h>

#define ENTRIES (STX_LABEL_CLASSES + 1)
#define PANEL_ALPHA .66

/* Lengths in heights of a digit. */
#define PAD 1.         /* between the panel's border and its content */
#define BAR_LENGTH 26. /* of the bar of colours */
#define BAR_HEIGHT .9
#define NOTCH .35      /* length of a tick */
#define TICK_LABEL 2.7 /* from the top of the bar to the baseline of its labels */
#define LINE 1.9       /* from one line of names to the next */
#define SWATCH 1.3     /* side of the coloured square before a name */
#define SWATCH_GAP .6  /* and its distance from the name */
#define ENTRY_GAP 1.6  /* from a name to the next square */

static const StxRgb panel_colour = {14, 16, 22};
static const StxRgb text_colour = {245, 246, 248};

typedef struct {
  const char *name;
  int colour;
  double x; /* of the square, pixels from the panel's left */
  int line;
} Entry;

typedef struct {
  const StxOverlayParams *params;
  double text; /* height of a digit, pixels */
  int lines, entries;
  Entry entry[ENTRIES];
  StxLegendImage image;
} Layout;

/* ---- Layout ------------------------------------------------------------------------------- */

static int even_above(double value)
{
  return (int)ceil(value / 2) * 2;
}

static double text_height(const StxOverlayParams *params)
{
  double height = floor(params->frame_height / 40.);
  return height < 9 ? 9 : height > 40 ? 40 : height;
}

/* Names may fill lines of this many pixels, the panel's padding not included. */
static double line_length(const Layout *layout)
{
  return .6 * layout->params->frame_width - 2 * PAD * layout->text;
}

static void list_kinds(Layout *layout, unsigned seen)
{
  static const struct {
    StxKind kind;
    const char *name;
  } kinds[] = {
      {STX_KIND_OBJECT, "object"},
      {STX_KIND_SEGMENT, "segment"},
      {STX_KIND_GROUND, "ground"},
      {STX_KIND_SKY, "sky"},
  };
  for (int i = 0; i < 4; i++)
    if (seen >> kinds[i].kind & 1)
      layout->entry[layout->entries++] =
          (Entry){.name = kinds[i].name, .colour = STX_COLOUR_KIND + (int)kinds[i].kind};
}

static void list_classes(Layout *layout, unsigned seen)
{
  for (int k = 0; k < STX_LABEL_CLASSES; k++)
    if (seen >> k & 1)
      layout->entry[layout->entries++] =
          (Entry){.name = stx_label_name(k), .colour = STX_COLOUR_CLASS + k};
  if (seen >> STX_LABEL_CLASSES & 1)
    layout->entry[layout->entries++] = (Entry){.name = "no label", .colour = STX_COLOUR_UNKNOWN};
}

static void list_verdicts(Layout *layout, unsigned seen)
{
  static const char *const names[STX_VERDICTS] = {[STX_VERDICT_FOUND] = "found",
      [STX_VERDICT_FALSE] = "false",
      [STX_VERDICT_MISSED] = "missed",
      [STX_VERDICT_MISPLACED] = "misplaced"};
  for (int k = 0; k < STX_VERDICTS; k++)
    if (seen >> k & 1)
      layout->entry[layout->entries++] =
          (Entry){.name = names[k], .colour = STX_COLOUR_VERDICT + k};
}

static void list_names(Layout *layout, unsigned seen)
{
  StxOverlayMode mode = layout->params->mode;
  (mode == STX_OVERLAY_KIND       ? list_kinds
      : mode == STX_OVERLAY_CLASS ? list_classes
                                  : list_verdicts)(layout, seen);
}

/* Names from left to right, line after line. Returns the longest line in pixels. */
static double flow_entries(Layout *layout)
{
  double x = 0, longest = 0;
  layout->lines = 1;
  for (int i = 0; i < layout->entries; i++) {
    Entry *entry = &layout->entry[i];
    double length =
        (SWATCH + SWATCH_GAP) * layout->text + stx_text_width(entry->name, layout->text);
    if (x > 0 && x + length > line_length(layout)) {
      x = 0;
      layout->lines++;
    }
    entry->x = x;
    entry->line = layout->lines - 1;
    longest = x + length > longest ? x + length : longest;
    x += length + ENTRY_GAP * layout->text;
  }
  return longest;
}

static void place(Layout *layout)
{
  const StxOverlayParams *params = layout->params;
  StxLegendImage *image = &layout->image;
  int margin = even_above(.8 * layout->text);
  if (image->width + 2 * margin > params->frame_width ||
      image->height + 2 * margin > params->frame_height / 2) {
    image->width = image->height = 0;
    return;
  }
  bool right = params->legend == STX_LEGEND_TOP_RIGHT || params->legend == STX_LEGEND_BOTTOM_RIGHT;
  bool low = params->legend == STX_LEGEND_BOTTOM_LEFT || params->legend == STX_LEGEND_BOTTOM_RIGHT;
  image->x = right ? (params->frame_width - image->width - margin) / 2 * 2 : margin;
  image->y = low ? (params->frame_height - image->height - margin) / 2 * 2 : margin;
}

/* Everything but the panel's place. */
static void lay_out(const StxOverlayParams *params, unsigned seen, Layout *layout)
{
  *layout = (Layout){.params = params, .text = text_height(params)};
  double text = layout->text, width = (BAR_LENGTH + 1) * text, height = (TICK_LABEL + .1) * text;
  if (!stx_overlay_has_scale(params->mode)) {
    list_names(layout, seen);
    width = flow_entries(layout);
    height = (LINE * (layout->lines - 1) + SWATCH) * text;
  }
  bool empty = !stx_overlay_has_scale(params->mode) && layout->entries == 0;
  if (params->legend == STX_LEGEND_NONE || empty)
    return;
  layout->image.width = even_above(width + 2 * PAD * text);
  layout->image.height = even_above(height + 2 * PAD * text);
}

/* Fewer names never need more lines, nor a line longer than the limit or the widest name. */
size_t stx_overlay_legend_pixels(const StxOverlayParams *params)
{
  Layout layout;
  lay_out(params, ~0u, &layout);
  double widest = layout.image.width, limit = line_length(&layout) + 2 * PAD * layout.text;
  if (!stx_overlay_has_scale(params->mode) && limit > widest)
    widest = limit;
  return (size_t)even_above(widest) * layout.image.height;
}

/* ---- Rendering ---------------------------------------------------------------------------- */

static uint8_t blend(double over, double coverage, double under)
{
  return (uint8_t)(over * coverage + under * (1 - coverage) + .5);
}

/* Sets one pixel to `colour`, covering `coverage` (0…1) of it, over the panel. */
static void set_pixel(Layout *layout, int x, int y, StxRgb colour, double coverage)
{
  StxLegendImage *image = &layout->image;
  if (x < 0 || y < 0 || x >= image->width || y >= image->height)
    return;
  double alpha = coverage + PANEL_ALPHA * (1 - coverage), share = coverage / alpha;
  StxRgb mixed = {blend(colour.r, share, panel_colour.r), blend(colour.g, share, panel_colour.g),
      blend(colour.b, share, panel_colour.b)};
  image->paint[(size_t)y * image->width + x] =
      stx_overlay_paint(layout->params, mixed, (int)(256 * alpha + .5));
}

/* 0…1: how much of the pixel lies inside the panel, whose corners are round. */
static double inside_panel(const Layout *layout, int x, int y)
{
  double radius = .6 * layout->text;
  double dx = fmax(radius - (x + .5), (x + .5) - (layout->image.width - radius));
  double dy = fmax(radius - (y + .5), (y + .5) - (layout->image.height - radius));
  if (dx <= 0 || dy <= 0)
    return 1;
  return fmin(fmax(radius + .5 - sqrt(dx * dx + dy * dy), 0), 1);
}

static void draw_panel(Layout *layout)
{
  StxLegendImage *image = &layout->image;
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      image->paint[(size_t)y * image->width + x] = stx_overlay_paint(
          layout->params, panel_colour, (int)(256 * PANEL_ALPHA * inside_panel(layout, x, y) + .5));
}

static void draw_text(Layout *layout, const char *text, double x, double baseline)
{
  double size = layout->text;
  for (; *text != '\0'; text++) {
    double advance = stx_glyph_advance(*text, size);
    for (int py = (int)(baseline - 1.2 * size); py <= (int)(baseline + .5 * size); py++)
      for (int px = (int)(x - 1); px <= (int)(x + advance); px++) {
        int coverage = stx_glyph_coverage(*text, size, px + .5 - x, py + .5 - baseline);
        if (coverage > 0)
          set_pixel(layout, px, py, text_colour, coverage / 255.);
      }
    x += advance;
  }
}

/* A rim keeps dark colours apart from the panel. */
static void draw_swatch(Layout *layout, int left, int top, int side, StxRgb colour)
{
  StxRgb lighter = {blend(255, .3, colour.r), blend(255, .3, colour.g), blend(255, .3, colour.b)};
  for (int y = top; y < top + side; y++)
    for (int x = left; x < left + side; x++) {
      bool rim = y == top || x == left || y == top + side - 1 || x == left + side - 1;
      set_pixel(layout, x, y, rim ? lighter : colour, 1);
    }
}

static void draw_names(Layout *layout)
{
  double text = layout->text;
  for (int i = 0; i < layout->entries; i++) {
    const Entry *entry = &layout->entry[i];
    int side = (int)(SWATCH * text), left = (int)(PAD * text + entry->x);
    int top = (int)((PAD + LINE * entry->line) * text);
    draw_swatch(layout, left, top, side, stx_overlay_colour(layout->params->mode, entry->colour));
    draw_text(
        layout, entry->name, left + side + SWATCH_GAP * text, top + (SWATCH + .92) / 2 * text);
  }
}

/* The largest of 1, 2, 5 times a power of ten that gives `most` steps or fewer … */
static double tick_step(double range, int most)
{
  double step = pow(10, floor(log10(range / most)));
  while (range / step > most) /* … at most three rounds: 1 -> 2 -> 5 -> 10 */
    step *= fabs(step / pow(10, floor(log10(step) + .01)) - 2) < .1 ? 2.5 : 2;
  return step;
}

static void draw_tick(Layout *layout, double x, const char *label, bool last)
{
  double text = layout->text, top = PAD * text;
  int first = (int)(top + BAR_HEIGHT * text), end = (int)(top + (BAR_HEIGHT + NOTCH) * text);
  for (int y = first; y < end; y++)
    set_pixel(layout, (int)x, y, text_colour, .8);
  double width = stx_text_width(label, text);
  double left = x - (last ? .62 : .5) * width + .15 * text;
  draw_text(layout, label, left, top + TICK_LABEL * text);
}

/* What the bar goes up to, and what of. */
static double bar_range(const StxOverlayParams *params, const char **unit)
{
  bool depth = stx_overlay_scale(params) == STX_SCALE_DEPTH;
  switch (params->mode) {
  case STX_OVERLAY_HEIGHT:
    *unit = " m high";
    return params->max_height;
  case STX_OVERLAY_CONFIDENCE:
    *unit = " sure";
    return 1;
  case STX_OVERLAY_COST:
    *unit = " cost";
    return params->max_cost;
  default:
    *unit = depth ? " m" : " px";
    return depth ? params->max_distance : params->max_disparity;
  }
}

static void draw_bar(Layout *layout)
{
  const char *unit;
  bool depth = layout->params->mode == STX_OVERLAY_DISTANCE &&
               stx_overlay_scale(layout->params) == STX_SCALE_DEPTH;
  double range = bar_range(layout->params, &unit);
  double text = layout->text, step = tick_step(range, 6);
  int length = (int)(BAR_LENGTH * text), left = (int)(PAD * text), top = (int)(PAD * text);
  for (int x = 0; x < length; x++) {
    int nearness = (int)(255. * x / (length - 1) + .5);
    StxRgb colour = stx_overlay_colour(layout->params->mode, depth ? 255 - nearness : nearness);
    for (int y = top; y < (int)(top + BAR_HEIGHT * text); y++)
      set_pixel(layout, left + x, y, colour, 1);
  }
  for (double value = 0; value <= range * 1.0001; value += step) {
    bool last = value + step > range * 1.0001;
    char label[32];
    snprintf(label, sizeof label, "%g%s", value, last ? unit : "");
    draw_tick(layout, left + (length - 1) * value / range, label, last);
  }
}

void stx_overlay_legend(const StxOverlayParams *params, unsigned seen, StxLegendImage *legend)
{
  Layout layout;
  lay_out(params, seen, &layout);
  place(&layout);
  layout.image.paint = legend->paint;
  *legend = layout.image;
  if (legend->width == 0)
    return;
  draw_panel(&layout);
  if (stx_overlay_has_scale(params->mode))
    draw_bar(&layout);
  else
    draw_names(&layout);
}
