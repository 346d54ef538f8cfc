/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the colours mean: a bar with numbers, or the names of what was drawn. */
#include "common/overlay/overlay_private.h"

#include <stdio.h>

enum { MOST_NAMES = STX_LABEL_CLASSES + 1, TEXT_SIZE = 32 };

typedef struct {
  StxName name[MOST_NAMES];
  size_t count;
} Names;

static void add(Names *names, StxOverlayMode mode, const char *name, int colour)
{
  names->name[names->count++] = (StxName){.name = name, .colour = stx_overlay_colour(mode, colour)};
}

static void list_kinds(Names *names, unsigned seen)
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
      add(names, STX_OVERLAY_KIND, kinds[i].name, STX_COLOUR_KIND + (int)kinds[i].kind);
}

static void list_classes(Names *names, unsigned seen)
{
  for (int k = 0; k < STX_LABEL_CLASSES; k++)
    if (seen >> k & 1)
      add(names, STX_OVERLAY_CLASS, stx_label_name(k), STX_COLOUR_CLASS + k);
  if (seen >> STX_LABEL_CLASSES & 1)
    add(names, STX_OVERLAY_CLASS, "no label", STX_COLOUR_UNKNOWN);
}

/* Verdicts with their shares of a frame are always all there, so that the panel does not jump. */
static void list_verdicts(
    Names *names, unsigned seen, const StxVerdicts *verdicts, char (*text)[TEXT_SIZE])
{
  static const char *const words[STX_VERDICTS] = {[STX_VERDICT_FOUND] = "found",
      [STX_VERDICT_FALSE] = "false",
      [STX_VERDICT_MISSED] = "missed",
      [STX_VERDICT_MISPLACED] = "misplaced"};
  double all = 0;
  for (int k = 0; k < STX_VERDICTS && verdicts != NULL; k++)
    all += (double)verdicts->pixels[k];
  for (int k = 0; k < STX_VERDICTS; k++) {
    if (verdicts == NULL && !(seen >> k & 1))
      continue;
    snprintf(text[k], TEXT_SIZE, "%s", words[k]);
    if (all > 0)
      snprintf(text[k], TEXT_SIZE, "%s %.1f %%", words[k], 100 * (double)verdicts->pixels[k] / all);
    add(names, STX_OVERLAY_TRUTH, text[k], STX_COLOUR_VERDICT + k);
  }
}

/* What has a colour beside the scale, by what is shown and not by what was seen: to know that, a
 * frame on a GPU would have to be waited for. */
static void list_beside(Names *names, const StxOverlayParams *params)
{
  bool has_unknown = params->mode == STX_OVERLAY_DISTANCE || params->mode == STX_OVERLAY_HEIGHT;
  if (params->show >> STX_KIND_SKY & 1)
    add(names, params->mode, "sky", STX_COLOUR_KIND + STX_KIND_SKY);
  if (has_unknown)
    add(names, params->mode, "unknown", STX_COLOUR_UNKNOWN);
}

static StxBar scale_of(const StxOverlayParams *params)
{
  bool depth = stx_overlay_scale(params) == STX_SCALE_DEPTH;
  StxBar bar = {.palette = stx_overlay_palette(params->mode)};
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

void stx_overlay_draw_legend(
    const StxOverlay *overlay, const StxVerdicts *verdicts, StxSheet *sheet)
{
  static const char *const titles[STX_OVERLAY_MODES] = {[STX_OVERLAY_KIND] = "kind of stixel",
      [STX_OVERLAY_CLASS] = "class",
      [STX_OVERLAY_TRUTH] = "against the truth"};
  char text[STX_VERDICTS][TEXT_SIZE];
  const StxOverlayParams *params = &overlay->params;
  Names names = {.count = 0};
  if (stx_overlay_has_scale(params->mode)) {
    StxBar bar = scale_of(params);
    list_beside(&names, params);
    bar.names = names.name;
    bar.count = names.count;
    stx_sheet_bar(sheet, params->legend, &bar);
    return;
  }
  if (params->mode == STX_OVERLAY_KIND)
    list_kinds(&names, overlay->seen);
  else if (params->mode == STX_OVERLAY_CLASS)
    list_classes(&names, overlay->seen);
  else
    list_verdicts(&names, overlay->seen, verdicts, text);
  stx_sheet_names(sheet, params->legend, titles[params->mode], names.name, names.count);
}
