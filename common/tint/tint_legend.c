/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the colours mean, on a sheet. */
#include "common/tint/tint_legend.h"

#include <stdio.h>

static const char *const titles[] = {[STX_TINT_DISPARITY] = "disparity",
    [STX_TINT_DEPTH] = "depth",
    [STX_TINT_CONFIDENCE] = "confidence",
    [STX_TINT_COST] = "cost"};
/* A cost may be of stixels, in nats, or of segments. */
static const char *const units[] = {
    [STX_TINT_DISPARITY] = "px", [STX_TINT_DEPTH] = "m", [STX_TINT_COST] = NULL};

static void draw_bar(
    const StxTintParams *params, StxTintSpan span, StxLegend where, StxSheet *sheet)
{
  StxBar bar = {.palette = stx_tint_palette(params),
      .reversed = params->mode == STX_TINT_DEPTH,
      .low = span.low,
      .high = span.high,
      .unit = units[params->mode],
      .title = titles[params->mode]};
  stx_sheet_bar(sheet, where, &bar);
}

static void tell(const StxTintCount *count, char *text, size_t size)
{
  if (count->truth == 0) {
    snprintf(text, size, "no truth");
    return;
  }
  double known = count->known > 0 ? (double)count->known : 1;
  snprintf(text, size, "outliers %.2f %%, missing %.1f %%, mean %.2f px",
      100 * (double)count->bad / known,
      100 * (double)(count->truth - count->known) / (double)count->truth,
      (double)count->sum / known / STX_DISPARITY_ONE);
}

/* Under the panel or, where that is at the bottom, above it, in a panel of its own. */
static void write_beside(StxSheet *sheet, StxBox panel, StxLegend where, const char *text)
{
  const StxSheetParams *params = stx_sheet_params(sheet);
  double size = stx_sheet_unit(params->width, params->height).text;
  bool low = where == STX_LEGEND_BOTTOM_LEFT || where == STX_LEGEND_BOTTOM_RIGHT;
  bool right = where == STX_LEGEND_TOP_RIGHT || where == STX_LEGEND_BOTTOM_RIGHT;
  StxBox words = stx_sheet_text_box(text, size, (StxSpot){0, 0}, STX_ANCHOR_LEFT_MIDDLE);
  StxBox box = {panel.x, panel.y, words.width + size, 2 * size};
  box.y += low ? -2.4 * size : panel.height + .4 * size;
  box.x += right ? panel.width - box.width : 0;
  if (!stx_sheet_claim(sheet, box))
    return;
  stx_sheet_box(sheet, box, .5 * size, (StxInk){stx_colour(STX_MEANS_PANEL), .66});
  stx_sheet_text(sheet, text, size, (StxSpot){box.x + box.width / 2, box.y + size},
      STX_ANCHOR_CENTRE_MIDDLE, (StxInk){stx_colour(STX_MEANS_INK), 1}, (StxInk){{0}, 0});
}

static void draw_errors(
    const StxTintParams *params, const StxTintCount *count, StxLegend where, StxSheet *sheet)
{
  static const char *const steps[STX_TINT_ERRORS] = {
      "0", ".19", ".38", ".75", "1.5", "3", "6", "12", "24", "48 px"};
  StxName names[STX_TINT_ERRORS + 2];
  char text[96];
  for (int i = 0; i < STX_TINT_ERRORS; i++)
    names[i] = (StxName){steps[i], stx_tint_colour(params, 1 + i, false)};
  names[STX_TINT_ERRORS] = (StxName){"missing", stx_tint_colour(params, STX_TINT_MISSING, false)};
  names[STX_TINT_ERRORS + 1] = (StxName){"no truth", stx_tint_colour(params, 0, true)};
  StxBox panel = stx_sheet_names(sheet, where, names, STX_TINT_ERRORS + 2);
  tell(count, text, sizeof text);
  if (panel.width > 0)
    write_beside(sheet, panel, where, text);
}

void stx_tint_legend(const StxTintParams *params, StxTintSpan span, const StxTintCount *count,
    StxLegend where, StxSheet *sheet)
{
  if (params->mode == STX_TINT_ERROR)
    draw_errors(params, count, where, sheet);
  else
    draw_bar(params, span, where, sheet);
}
