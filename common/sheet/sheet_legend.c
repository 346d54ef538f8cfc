/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Legends: a dark translucent panel in a corner with either a bar of colours and its ticks, or
 * names.
 */
#include "common/lettering.h"
#include "common/sheet/sheet_private.h"

#include <math.h>
#include <stdio.h>

#define PANEL_OPACITY .66

/* Lengths in heights of a digit. */
#define MARGIN .8        /* between the frame and a panel, and between two panels */
#define PAD 1.           /* between the panel's border and its content */
#define CORNER .6        /* radius of the panel's corners */
#define LONGEST_BAR 26.  /* of colours; in a narrow frame it is shorter, */
#define SHORTEST_BAR 10. /* down to this */
#define BAR_HEIGHT .9
#define NOTCH .35      /* length of a tick */
#define TICK_LABEL 2.7 /* from the top of the bar to the baseline of its labels */
#define TITLE_GAP 1.   /* from the title to the bar */
#define LINE 1.9       /* from one line of names to the next */
#define SWATCH 1.3     /* side of the coloured square before a name */
#define SWATCH_GAP .6  /* and its distance from the name */
#define ENTRY_GAP 1.6  /* from a name to the next square */

const StxFieldChoice stx_legend_choices[] = {
    {STX_LEGEND_NONE, "none", "No legend"},
    {STX_LEGEND_TOP_LEFT, "top-left", "In the top left corner"},
    {STX_LEGEND_TOP_RIGHT, "top-right", "In the top right corner"},
    {STX_LEGEND_BOTTOM_LEFT, "bottom-left", "In the bottom left corner"},
    {STX_LEGEND_BOTTOM_RIGHT, "bottom-right", "In the bottom right corner"},
    {0},
};

/* ---- Panels ------------------------------------------------------------------------------- */

static double text_size(const StxSheet *sheet)
{
  return stx_sheet_unit(sheet->params.width, sheet->params.height).text;
}

/* Draws a panel around content of that size, in whole pixels. Width 0: it does not fit. */
static StxBox draw_panel(StxSheet *sheet, StxLegend where, double width, double height)
{
  double text = text_size(sheet), margin = ceil(MARGIN * text), *used = &sheet->legends[where];
  StxBox box = {.width = ceil(width + 2 * PAD * text), .height = ceil(height + 2 * PAD * text)};
  bool right = where == STX_LEGEND_TOP_RIGHT || where == STX_LEGEND_BOTTOM_RIGHT;
  bool low = where == STX_LEGEND_BOTTOM_LEFT || where == STX_LEGEND_BOTTOM_RIGHT;
  if (box.width + 2 * margin > sheet->params.width ||
      *used + box.height + 2 * margin > sheet->params.height / 2.)
    return (StxBox){0};
  box.x = right ? sheet->params.width - box.width - margin : margin;
  box.y = low ? sheet->params.height - box.height - margin - *used : margin + *used;
  if (!stx_sheet_claim(sheet, box))
    return (StxBox){0};
  *used += box.height + margin;
  stx_sheet_box(sheet, box, CORNER * text, (StxInk){stx_colour(STX_MEANS_PANEL), PANEL_OPACITY});
  return box;
}

static void write_on_panel(
    StxSheet *sheet, const char *words, double x, double baseline, StxAnchor anchor)
{
  stx_sheet_text(sheet, words, text_size(sheet), (StxSpot){x, baseline}, anchor,
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

/* The colour at pixel x of a bar. */
static int bar_index(const StxBar *bar, double length, int x)
{
  int index = (int)(255. * x / (length - 1) + .5);
  return bar->reversed ? 255 - index : index;
}

/* Pixels of one colour at once. */
static void draw_colours(StxSheet *sheet, const StxBar *bar, StxBox box)
{
  for (int x = 0, end; x < (int)box.width; x = end) {
    int index = bar_index(bar, box.width, x);
    for (end = x + 1; end < (int)box.width && bar_index(bar, box.width, end) == index;)
      end++;
    stx_sheet_box(sheet, (StxBox){box.x + x, box.y, end - x, box.height}, 0,
        (StxInk){stx_palette_colour(bar->palette, index), 1});
  }
}

/* At `x`, its label within the panel, which ends at `right`. */
static void draw_tick(
    StxSheet *sheet, const StxBox *box, double x, const char *label, double left, double right)
{
  double text = text_size(sheet), width = stx_text_width(label, text);
  StxBox notch = {floor(x), box->y + box->height, fmax(1, floor(text / 12)), ceil(NOTCH * text)};
  stx_sheet_box(sheet, notch, 0, (StxInk){stx_colour(STX_MEANS_INK), .8});
  double middle = fmin(fmax(x, left + width / 2), right - width / 2);
  write_on_panel(sheet, label, middle, box->y + TICK_LABEL * text, STX_ANCHOR_CENTRE_BASE);
}

static void draw_ticks(StxSheet *sheet, const StxBar *bar, StxBox box, double left, double right)
{
  double range = bar->high - bar->low, text = text_size(sheet);
  double step = tick_step(range, box.width < 16 * text ? 3 : 6);
  double first = ceil(bar->low / step - 1e-6), last = floor(bar->high / step + 1e-6);
  for (double tick = first; tick <= last; tick++) {
    char label[48];
    double value = tick == 0 ? 0 : tick * step; /* no -0 */
    bool unit = tick == last && bar->unit != NULL;
    snprintf(label, sizeof label, "%g%s%s", value, unit ? " " : "", unit ? bar->unit : "");
    double x = box.x + (box.width - 1) * (value - bar->low) / range;
    draw_tick(sheet, &box, x, label, left, right);
  }
}

StxBox stx_sheet_bar(StxSheet *sheet, StxLegend where, const StxBar *bar)
{
  double text = text_size(sheet), range = bar->high - bar->low;
  double title = bar->title == NULL ? 0 : stx_text_width(bar->title, text) + TITLE_GAP * text;
  double room = sheet->params.width - 2 * (ceil(MARGIN * text) + PAD * text) - title - text;
  double length = floor(fmin(room - 1, LONGEST_BAR * text));
  if (where == STX_LEGEND_NONE || !(range > 0) || !stx_sheet_is_sane(bar->low) ||
      !stx_sheet_is_sane(bar->high) || length < SHORTEST_BAR * text)
    return (StxBox){0};
  StxBox panel = draw_panel(sheet, where, title + length + text, (TICK_LABEL + .1) * text);
  if (panel.width == 0)
    return panel;
  double left = panel.x + PAD * text, top = panel.y + PAD * text;
  if (bar->title != NULL)
    write_on_panel(sheet, bar->title, left, top + text, STX_ANCHOR_LEFT_BASE);
  StxBox colours = {floor(left + title), floor(top), length, ceil(BAR_HEIGHT * text)};
  draw_colours(sheet, bar, colours);
  draw_ticks(sheet, bar, colours, panel.x + .4 * text, panel.x + panel.width - .4 * text);
  return panel;
}

/* ---- Names -------------------------------------------------------------------------------- */

/* Names from left to right, line after line. */
typedef struct {
  double text, limit; /* of a line's length */
  double x, longest;  /* so far; x: where the next entry begins */
  int line;
} Flow;

/* Where the entry begins. */
static double next_entry(Flow *flow, const char *name)
{
  double length = (SWATCH + SWATCH_GAP) * flow->text + stx_text_width(name, flow->text), x;
  if (flow->x > 0 && flow->x + length > flow->limit) {
    flow->x = 0;
    flow->line++;
  }
  x = flow->x;
  flow->longest = fmax(flow->longest, x + length);
  flow->x += length + ENTRY_GAP * flow->text;
  return x;
}

/* A rim keeps dark colours apart from the panel. */
static void draw_entry(StxSheet *sheet, const StxName *name, double left, double top)
{
  static const StxRgb white = {255, 255, 255};
  double text = text_size(sheet), side = floor(SWATCH * text);
  StxBox box = {floor(left), floor(top), side, side};
  stx_sheet_box(sheet, box, 0, (StxInk){name->colour, 1});
  stx_sheet_outline(sheet, box, 0, fmax(1, floor(text / 12)),
      (StxInk){stx_colour_mix(name->colour, white, 3, 10), 1});
  write_on_panel(sheet, name->name, box.x + side + SWATCH_GAP * text,
      box.y + (SWATCH + .92) / 2 * text, STX_ANCHOR_LEFT_BASE);
}

StxBox stx_sheet_names(StxSheet *sheet, StxLegend where, const StxName *names, size_t count)
{
  double text = text_size(sheet);
  Flow start = {.text = text, .limit = .6 * sheet->params.width - 2 * PAD * text}, flow = start;
  if (where == STX_LEGEND_NONE || count == 0)
    return (StxBox){0};
  for (size_t i = 0; i < count; i++)
    next_entry(&flow, names[i].name);
  StxBox panel = draw_panel(sheet, where, flow.longest, (LINE * flow.line + SWATCH) * text);
  if (panel.width == 0)
    return panel;
  flow = start;
  for (size_t i = 0; i < count; i++) {
    double x = next_entry(&flow, names[i].name);
    draw_entry(
        sheet, &names[i], panel.x + PAD * text + x, panel.y + (PAD + LINE * flow.line) * text);
  }
  return panel;
}
