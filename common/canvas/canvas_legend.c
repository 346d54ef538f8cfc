/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Legends: a dark translucent panel in a corner with either a bar of colours and its ticks, or
 * names.
 */
#include "common/lettering.h"
#include "common/canvas/canvas_private.h"

#include <math.h>
#include <stdio.h>

#define PANEL_OPACITY .72
#define SMALLEST 6 /* pixels of text: below, a legend that does not fit is left out */

/* Parts of the frame's width that a panel may have: names that are too many for the first one get
 * the second. */
static const double shares[] = {.25, .4};

/* Lengths in heights of a digit. */
#define MARGIN .8        /* between the frame and a panel, and between two panels */
#define PAD .8           /* between the panel's border and its content */
#define CORNER .6        /* radius of the panel's corners */
#define TITLE 1.9        /* from the top of the title to what stands below it */
#define LONGEST_BAR 26.  /* of colours; in a narrow frame it is shorter, */
#define SHORTEST_BAR 10. /* down to this */
#define BAR_HEIGHT .9
#define NOTCH .35         /* length of a tick */
#define TICK_LABEL 2.7    /* from the top of the bar to the baseline of its labels */
#define BAR_TO_NAMES .7   /* from there to the names below */
#define LINE 1.9          /* from one line of names to the next */
#define SWATCH 1.3        /* side of the coloured square before a name */
#define SWATCH_GAP .6     /* and its distance from the name */
#define ENTRY_GAP 1.6     /* from a name to the next square */
#define SWATCH_COLOURS 4u /* of a square that stands for many */

const StxFieldChoice stx_legend_choices[] = {
    {STX_LEGEND_NONE, "none", "None"},
    {STX_LEGEND_TOP_LEFT, "top-left", "Top left"},
    {STX_LEGEND_TOP_RIGHT, "top-right", "Top right"},
    {STX_LEGEND_BOTTOM_LEFT, "bottom-left", "Bottom left"},
    {STX_LEGEND_BOTTOM_RIGHT, "bottom-right", "Bottom right"},
    {0},
};

/* ---- What fits ----------------------------------------------------------------------------- */

/* The contents of a panel: a bar, names, or both. */
typedef struct {
  char title[64];
  const StxBar *bar; /* NULL: none */
  const StxName *names;
  size_t count;
} Content;

/* Its layout, in pixels from the upper left corner of the content. */
typedef struct {
  double text;           /* size */
  double limit;          /* of a line's length */
  double bar;            /* length of the colours */
  double bar_y, names_y; /* where they begin */
  double width, height;  /* of all */
} Fit;

/* Names from left to right, line after line. */
typedef struct {
  double text, limit; /* as in Fit */
  double x, longest;  /* so far; x: where the next entry begins */
  int line;
} Flow;

static double swatch_length(const StxName *name, double text)
{
  return name->swatch == STX_SWATCH_NONE ? 0 : (SWATCH + SWATCH_GAP) * text;
}

/* The start of the entry. */
static double next_entry(Flow *flow, const StxName *name)
{
  double length = swatch_length(name, flow->text) + stx_text_width(name->name, flow->text), x;
  if (flow->x > 0 && flow->x + length > flow->limit) {
    flow->x = 0;
    flow->line++;
  }
  x = flow->x;
  flow->longest = fmax(flow->longest, x + length);
  flow->x += length + ENTRY_GAP * flow->text;
  return x;
}

/* Returns the legend's box, in whole pixels. */
static StxBox panel_of(const Fit *fit)
{
  double pads = 2 * ceil(PAD * fit->text);
  return (StxBox){.width = ceil(fit->width) + pads, .height = ceil(fit->height) + pads};
}

/* True if the legend fits into `share` of the frame's width and half of its height. */
static bool fits(const StxCanvas *canvas, StxLegend where, const Content *content, double share,
    double text, Fit *fit)
{
  double margins = 2 * ceil(MARGIN * text), pads = 2 * ceil(PAD * text);
  *fit = (Fit){.text = text, .limit = floor(share * canvas->params.width) - pads};
  if (content->title[0] != '\0') {
    fit->width = stx_text_width(content->title, text);
    fit->height = TITLE * text;
  }
  if (content->bar != NULL) {
    fit->bar = floor(fmin(fit->limit - text, LONGEST_BAR * text));
    fit->bar_y = fit->height;
    fit->width = fmax(fit->width, fit->bar + text);
    fit->height += TICK_LABEL * text;
  }
  if (content->count > 0) {
    Flow flow = {.text = text, .limit = fit->limit};
    for (size_t i = 0; i < content->count; i++)
      next_entry(&flow, &content->names[i]);
    fit->names_y = fit->height + (content->bar != NULL ? BAR_TO_NAMES * text : 0);
    fit->width = fmax(fit->width, flow.longest);
    fit->height = fit->names_y + (LINE * flow.line + SWATCH) * text;
  }
  StxBox panel = panel_of(fit);
  return fit->width <= fit->limit && (content->bar == NULL || fit->bar >= SHORTEST_BAR * text) &&
         panel.width + margins <= canvas->params.width &&
         canvas->legends[where] + panel.height + margins <= canvas->params.height / 2.;
}

/* The largest text in the smallest part of the width; more of it would not help a bar. */
static bool find_fit(const StxCanvas *canvas, StxLegend where, const Content *content, Fit *fit)
{
  double suits = stx_canvas_unit(canvas->params.width, canvas->params.height).text;
  int count = content->bar != NULL ? 1 : 2;
  for (int i = 0; i < count; i++)
    for (double text = suits; text >= SMALLEST; text--)
      if (fits(canvas, where, content, shares[i], text, fit))
        return true;
  return false;
}

/* ---- Panels ------------------------------------------------------------------------------- */

/* Width 0: its place is taken. */
static StxBox draw_panel(StxCanvas *canvas, StxLegend where, const Fit *fit)
{
  double margin = ceil(MARGIN * fit->text), *used = &canvas->legends[where];
  StxBox box = panel_of(fit);
  bool right = where == STX_LEGEND_TOP_RIGHT || where == STX_LEGEND_BOTTOM_RIGHT;
  bool low = where == STX_LEGEND_BOTTOM_LEFT || where == STX_LEGEND_BOTTOM_RIGHT;
  box.x = right ? canvas->params.width - box.width - margin : margin;
  box.y = low ? canvas->params.height - box.height - margin - *used : margin + *used;
  if (!stx_canvas_claim(canvas, box))
    return (StxBox){0};
  *used += box.height + margin;
  stx_canvas_box(
      canvas, box, CORNER * fit->text, (StxInk){stx_colour(STX_MEANS_PANEL), PANEL_OPACITY});
  return box;
}

static void write_on_panel(
    StxCanvas *canvas, const char *words, double text, double x, double baseline, StxAnchor anchor)
{
  stx_canvas_text(canvas, words, text, (StxSpot){x, baseline}, anchor,
      (StxInk){stx_colour(STX_MEANS_INK), 1}, (StxInk){.opacity = 0});
}

/* ---- Bars --------------------------------------------------------------------------------- */

/* The smallest of 1, 2, 5 times a power of ten that gives `most` steps or fewer. */
static double tick_step(double range, int most)
{
  static const double factors[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(range / most)));
  for (int i = 0; i < 4; i++)
    if (range / (power * factors[i]) <= most * 1.0001)
      return power * factors[i];
  return 20 * power;
}

/* Draws a tick at `x`; its label stays within half a digit of the bar's ends. */
static void draw_tick(
    StxCanvas *canvas, const StxBox *box, double text, double x, const char *label)
{
  double width = stx_text_width(label, text);
  double left = box->x - text / 2, right = box->x + box->width + text / 2;
  StxBox notch = {floor(x), box->y + box->height, fmax(1, floor(text / 12)), ceil(NOTCH * text)};
  stx_canvas_box(canvas, notch, 0, (StxInk){stx_colour(STX_MEANS_INK), .8});
  double middle = fmin(fmax(x, left + width / 2), right - width / 2);
  write_on_panel(canvas, label, text, middle, box->y + TICK_LABEL * text, STX_ANCHOR_CENTRE_BASE);
}

static void draw_ticks(StxCanvas *canvas, const StxBar *bar, StxBox box, double text)
{
  double range = bar->high - bar->low;
  double step = tick_step(range, box.width < 16 * text ? 3 : 6);
  double first = ceil(bar->low / step - 1e-6), last = floor(bar->high / step + 1e-6);
  for (double tick = first; tick <= last; tick++) {
    char label[48];
    double value = tick == 0 ? 0 : tick * step; /* no -0 */
    snprintf(label, sizeof label, "%g", value);
    draw_tick(canvas, &box, text, box.x + (box.width - 1) * (value - bar->low) / range, label);
  }
}

/* ---- Names -------------------------------------------------------------------------------- */

static void draw_entry(StxCanvas *canvas, const StxName *name, double text, double left, double top)
{
  double side = floor(SWATCH * text);
  StxBox box = {floor(left), floor(top), side, side};
  for (unsigned i = 0; name->swatch == STX_SWATCH_CLUSTERS && i < SWATCH_COLOURS; i++) {
    double from = floor(i * side / SWATCH_COLOURS), to = floor((i + 1) * side / SWATCH_COLOURS);
    stx_canvas_box(canvas, (StxBox){box.x + from, box.y, to - from, side}, 0,
        (StxInk){stx_colour_cluster(1 + i), 1});
  }
  if (name->swatch == STX_SWATCH_COLOUR) { /* a rim keeps dark colours apart from the panel */
    StxRgb rim = stx_colour_mix(name->colour, (StxRgb){255, 255, 255}, 3, 10);
    stx_canvas_box(canvas, box, 0, (StxInk){name->colour, 1});
    stx_canvas_outline(canvas, box, 0, fmax(1, floor(text / 12)), (StxInk){rim, 1});
  }
  write_on_panel(canvas, name->name, text, box.x + swatch_length(name, text),
      box.y + (SWATCH + .92) / 2 * text, STX_ANCHOR_LEFT_BASE);
}

/* ---- Legends ------------------------------------------------------------------------------ */

static StxBox draw(StxCanvas *canvas, StxLegend where, Content *content)
{
  Fit fit;
  if (where == STX_LEGEND_NONE)
    return (StxBox){0};
  if (!find_fit(canvas, where, content, &fit)) {
    if (content->bar != NULL) /* small frames have a bar or names alone */
      content->count = 0;
    else
      content->title[0] = '\0';
    if (!find_fit(canvas, where, content, &fit))
      return (StxBox){0};
  }
  StxBox panel = draw_panel(canvas, where, &fit);
  if (panel.width == 0)
    return panel;
  double left = panel.x + ceil(PAD * fit.text), top = panel.y + ceil(PAD * fit.text);
  write_on_panel(canvas, content->title, fit.text, left, top + fit.text, STX_ANCHOR_LEFT_BASE);
  if (content->bar != NULL) {
    StxBox colours = {
        floor(left + fit.text / 2), floor(top + fit.bar_y), fit.bar, ceil(BAR_HEIGHT * fit.text)};
    StxRgb colour[(int)LONGEST_BAR * STX_CANVAS_TEXT];
    for (int x = 0; x < (int)fit.bar; x++) {
      int index = (int)(255. * x / (fit.bar - 1) + .5);
      colour[x] =
          stx_palette_colour(content->bar->palette, content->bar->reversed ? 255 - index : index);
    }
    stx_canvas_cover_box(canvas, colours, 0);
    stx_canvas_ink_columns(canvas, (int)colours.x, (int)fit.bar, colour);
    draw_ticks(canvas, content->bar, colours, fit.text);
  }
  Flow flow = {.text = fit.text, .limit = fit.limit};
  for (size_t i = 0; i < content->count; i++) {
    double x = next_entry(&flow, &content->names[i]);
    draw_entry(canvas, &content->names[i], fit.text, left + x,
        top + fit.names_y + LINE * flow.line * fit.text);
  }
  return panel;
}

/* "distance (m)" */
static void entitle(Content *content, const char *title, const char *unit)
{
  if (title != NULL)
    snprintf(content->title, sizeof content->title, unit == NULL ? "%s" : "%s (%s)", title, unit);
}

StxBox stx_canvas_bar(StxCanvas *canvas, StxLegend where, const StxBar *bar)
{
  Content content = {.bar = bar, .names = bar->names, .count = bar->count};
  if (!(bar->high > bar->low) || !stx_canvas_is_sane(bar->low) || !stx_canvas_is_sane(bar->high))
    return (StxBox){0};
  entitle(&content, bar->title, bar->unit);
  return draw(canvas, where, &content);
}

StxBox stx_canvas_names(
    StxCanvas *canvas, StxLegend where, const char *title, const StxName *names, size_t count)
{
  Content content = {.names = names, .count = count};
  if (count == 0)
    return (StxBox){0};
  entitle(&content, title, NULL);
  return draw(canvas, where, &content);
}
