/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the colours mean, on a sheet. */
#include "common/tint/tint_legend.h"

#include <stdio.h>

static const char *const titles[] = {[STX_TINT_DISPARITY] = "disparity",
    [STX_TINT_DEPTH] = "depth",
    [STX_TINT_CONFIDENCE] = "confidence",
    [STX_TINT_COST] = "cost"};
/* A cost may be of stixels or of segments. */
static const char *const units[] = {
    [STX_TINT_DISPARITY] = "px", [STX_TINT_DEPTH] = "m", [STX_TINT_COST] = "nat/row or px"};

static void draw_bar(
    const StxTintParams *params, StxTintSpan span, StxLegend where, StxSheet *sheet)
{
  const StxName names[] = {{.name = "unknown", .colour = stx_tint_colour(params, 0, true)},
      {.name = "sky", .colour = stx_tint_colour(params, STX_TINT_SKY, false)}};
  const size_t count[] = {[STX_TINT_OF_MAP] = 1,
      [STX_TINT_OF_PART] = 2,
      [STX_TINT_OF_BYTE] = 0,
      [STX_TINT_OF_SURE] = 2};
  StxBar bar = {.palette = stx_tint_palette(params),
      .reversed = params->mode == STX_TINT_DEPTH,
      .low = span.low,
      .high = span.high,
      .title = titles[params->mode],
      .unit = units[params->mode],
      .names = names,
      .count = count[params->numbers]};
  stx_sheet_bar(sheet, where, &bar);
}

enum { TOLD = 3, TEXT_SIZE = 32 };

/* Returns how many texts there are. */
static size_t tell(const StxTintCount *count, char (*text)[TEXT_SIZE])
{
  if (count->truth == 0) {
    snprintf(text[0], TEXT_SIZE, "nothing to compare");
    return 1;
  }
  double known = count->known > 0 ? (double)count->known : 1;
  snprintf(text[0], TEXT_SIZE, "outliers %.2f %%", 100 * (double)count->bad / known);
  snprintf(text[1], TEXT_SIZE, "missing %.1f %%",
      100 * (double)(count->truth - count->known) / (double)count->truth);
  snprintf(text[2], TEXT_SIZE, "mean %.2f px", (double)count->sum / known / STX_DISPARITY_ONE);
  return TOLD;
}

static void draw_errors(
    const StxTintParams *params, const StxTintCount *count, StxLegend where, StxSheet *sheet)
{
  static const char *const steps[STX_TINT_ERRORS] = {
      "0", ".19", ".38", ".75", "1.5", "3", "6", "12", "24", "48"};
  StxName names[STX_TINT_ERRORS + 2 + TOLD];
  char text[TOLD][TEXT_SIZE];
  size_t n = 0, told = tell(count, text);
  for (int i = 0; i < STX_TINT_ERRORS; i++)
    names[n++] = (StxName){.name = steps[i], .colour = stx_tint_colour(params, 1 + i, false)};
  names[n++] =
      (StxName){.name = "missing", .colour = stx_tint_colour(params, STX_TINT_MISSING, false)};
  names[n++] = (StxName){.name = "no truth", .colour = stx_tint_colour(params, 0, true)};
  for (size_t i = 0; i < told; i++)
    names[n++] = (StxName){.name = text[i], .swatch = STX_SWATCH_NONE};
  stx_sheet_names(sheet, where, "error (px)", names, n);
}

void stx_tint_legend(const StxTintParams *params, StxTintSpan span, const StxTintCount *count,
    StxLegend where, StxSheet *sheet)
{
  if (params->mode == STX_TINT_ERROR)
    draw_errors(params, count, where, sheet);
  else
    draw_bar(params, span, where, sheet);
}
