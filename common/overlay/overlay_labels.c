/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances as text: of obstacles, or of the stixels themselves. */
#include "common/overlay/overlay_marks_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/labels.h"

#define NARROWEST 1.5 /* heights of text: narrower things of stixels have no label */
#define STEP .05      /* neighbours whose disparities differ by no more of them, */
#define STEP_PIXELS 1 /*   or by so many pixels, are one thing */

/* Something that gets a label: where it is in the image, pixels from its top left corner. */
typedef struct {
  double left, right, top;
  double disparity; /* of the nearest */
} Thing;

size_t stx_overlay_label_scratch(const StxOverlayParams *params)
{
  return (size_t)params->columns * sizeof(Thing);
}

/* ---- Places ------------------------------------------------------------------------------- */

/* As much to the left or to the right as it takes to be in the frame, and some more, so that
 * rounding does not matter. */
static StxSpot push_inside(const StxOverlayMarks *marks, const char *text, StxSpot at)
{
  StxBox box = stx_sheet_text_box(text, marks->text, at, STX_ANCHOR_CENTRE_BASE);
  double beyond = box.x + box.width - marks->params->frame_width;
  at.x += box.x < 0 ? .5 - box.x : beyond > 0 ? -.5 - beyond : 0;
  return at;
}

/* No line strikes out what is written of something nearer, nor the other way round. */
static void draw_edge(const StxOverlayMarks *marks, double left, double right, double top)
{
  const StxSpot edge[] = {{left, top}, {right, top}};
  double first = fmax(left, 0), above = fmax(top - marks->line / 2, 0);
  double last = fmin(right, marks->params->frame_width);
  if (stx_sheet_claim(marks->sheet, (StxBox){first, above, last - first, marks->line}))
    stx_overlay_stroke(marks, edge, 2, STX_MEANS_INK);
}

/* Above the upper edge from `left` to `right`; else higher, or just below it. */
static void put_label(
    const StxOverlayMarks *marks, const char *text, double left, double right, double top)
{
  static const double lines[] = {0, -1, -2, 1.3};
  StxRgb ink = stx_colour(STX_MEANS_INK);
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    StxSpot at = {(left + right) / 2, top + marks->text * (1.7 * lines[i] - .6)};
    at = push_inside(marks, text, at);
    if (!stx_sheet_label(marks->sheet, text, marks->text, at, STX_ANCHOR_CENTRE_BASE, ink))
      continue;
    draw_edge(marks, left, right, top);
    return;
  }
}

/* ---- Obstacles ---------------------------------------------------------------------------- */

static void spell_metres(double metres, char *text, size_t size)
{
  snprintf(text, size, metres < 9.95 ? "%.1f m" : "%.0f m", metres);
}

/* What the label of an obstacle says: those of its number, class and distance that are wanted. */
static void spell(const StxOverlayParams *params, const StxObstacle *obstacle, char *text, size_t n)
{
  static const char *const dot = " \u00b7 ";
  char number[16] = "", metres[16] = "";
  const char *name = "";
  if (params->labels & STX_OVERLAY_LABEL_ID && obstacle->id > 0)
    snprintf(number, sizeof number, "#%u", obstacle->id);
  if (params->labels & STX_OVERLAY_LABEL_CLASS && obstacle->label < STX_LABEL_CLASSES)
    name = stx_label_name(obstacle->label);
  if (params->labels & STX_OVERLAY_LABEL_DISTANCE)
    spell_metres((double)obstacle->z, metres, sizeof metres);
  bool first = number[0] != '\0' && (name[0] != '\0' || metres[0] != '\0');
  bool second = name[0] != '\0' && metres[0] != '\0';
  snprintf(text, n, "%s%s%s%s%s", number, first ? dot : "", name, second ? dot : "", metres);
}

static void label_obstacles(const StxOverlayMarks *marks)
{
  for (size_t i = 0; i < marks->facts->obstacle_count; i++) {
    const StxObstacle *obstacle = &marks->facts->obstacles[i];
    StxSpot from = stx_overlay_spot(marks, obstacle->left, obstacle->top);
    StxSpot to = stx_overlay_spot(marks, obstacle->right + 1, obstacle->top);
    char text[64];
    spell(marks->params, obstacle, text, sizeof text);
    if (text[0] != '\0')
      put_label(marks, text, from.x, to.x, from.y);
  }
}

/* ---- Stixels ------------------------------------------------------------------------------ */

/* The nearest object of a column, or NULL; *next goes on to the next column. */
static const StxStixel *nearest_object(const StxOverlayFacts *facts, int column, size_t *next)
{
  const StxStixel *nearest = NULL;
  for (; *next < facts->stixel_count && facts->stixels[*next].column <= column; ++*next) {
    const StxStixel *stixel = &facts->stixels[*next];
    if (stixel->column != column || stixel->kind != STX_KIND_OBJECT ||
        !(stixel->disparity_bottom > 0) || !isfinite(stixel->disparity_bottom))
      continue;
    if (nearest == NULL || stixel->disparity_bottom > nearest->disparity_bottom)
      nearest = stixel;
  }
  return nearest;
}

static bool belongs(const Thing *thing, const StxStixel *stixel)
{
  double step = fabs(thing->disparity - (double)stixel->disparity_bottom);
  return step <= fmax(STEP_PIXELS, STEP * thing->disparity);
}

/* Neighbouring columns whose nearest objects are about as near. Returns their number. */
static size_t find_things(const StxOverlayMarks *marks, Thing *things)
{
  const StxOverlayParams *params = marks->params;
  size_t next = 0, count = 0;
  bool open = false;
  for (int c = 0; c < params->columns; c++) {
    const StxStixel *stixel = nearest_object(marks->facts, c, &next);
    double left = (double)c * params->stixel_width, right = left + params->stixel_width;
    if (stixel == NULL) {
      open = false;
      continue;
    }
    if (!open || !belongs(&things[count - 1], stixel))
      things[count++] = (Thing){left, right, stixel->top, 0};
    Thing *thing = &things[count - 1];
    thing->right = right;
    thing->top = fmin(thing->top, stixel->top);
    thing->disparity = fmax(thing->disparity, (double)stixel->disparity_bottom);
    open = true;
  }
  return count;
}

static int nearer(const void *a, const void *b)
{
  const Thing *one = a, *other = b;
  if (one->disparity != other->disparity)
    return one->disparity > other->disparity ? -1 : 1;
  return one->left < other->left ? -1 : 1;
}

static void label_stixels(const StxOverlayMarks *marks, Thing *things)
{
  const StxCamera *camera = &marks->params->camera;
  size_t count = find_things(marks, things);
  qsort(things, count, sizeof *things, nearer);
  for (size_t i = 0; i < count; i++) {
    const Thing *thing = &things[i];
    StxSpot from = stx_overlay_spot(marks, thing->left, thing->top);
    StxSpot to = stx_overlay_spot(marks, thing->right, thing->top);
    char text[32];
    if (to.x - from.x < NARROWEST * marks->text)
      continue;
    snprintf(text, sizeof text, "%.1f px", thing->disparity);
    if (stx_camera_is_metric(camera))
      spell_metres(camera->focal * camera->baseline / thing->disparity, text, sizeof text);
    put_label(marks, text, from.x, to.x, from.y);
  }
}

void stx_overlay_label(const StxOverlayMarks *marks, void *scratch)
{
  if (marks->facts->obstacles != NULL)
    label_obstacles(marks);
  else if (marks->params->labels & STX_OVERLAY_LABEL_DISTANCE)
    label_stixels(marks, scratch);
}
