/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines over the picture: how far it is free, and the corridor. */
#include "common/overlay/overlay_marks_private.h"

#include <math.h>

#define BORDER .6 /* opacity of what is darker around a line, */
#define WIDER 2.  /*   which is so much wider */

StxSpot stx_overlay_spot(const StxOverlayMarks *marks, double u, double v)
{
  StxSpot spot;
  stx_placement_point(&marks->at, u, v, &spot.x, &spot.y);
  return spot;
}

void stx_overlay_stroke(
    const StxOverlayMarks *marks, const StxSpot *points, size_t count, StxMeaning meaning)
{
  StxInk border = {stx_colour(STX_MEANS_HALO), BORDER}, ink = {stx_colour(meaning), 1};
  stx_sheet_line(marks->sheet, points, count, marks->line * WIDER, border);
  stx_sheet_line(marks->sheet, points, count, marks->line, ink);
}

/* ---- Free space --------------------------------------------------------------------------- */

/* The row below the lowest object of a column whose records begin at *next, or -1; *next goes on to
 * the next column. */
static int lowest_object(const StxOverlayFacts *facts, int column, size_t *next)
{
  int row = -1;
  for (; *next < facts->stixel_count && facts->stixels[*next].column <= column; ++*next) {
    const StxStixel *stixel = &facts->stixels[*next];
    if (row < 0 && stixel->column == column && stixel->kind == STX_KIND_OBJECT)
      row = stixel->bottom + 1;
  }
  return row;
}

static int free_row(const StxOverlayFacts *facts, int column, size_t *next)
{
  if (facts->free_space == NULL)
    return lowest_object(facts, column, next);
  if ((size_t)column >= facts->free_count)
    return -1;
  const StxFreeSpace *space = &facts->free_space[column];
  return isfinite(space->z) ? space->row + 1 : -1;
}

/* Steps over the columns [first, end), whose rows are in `rows`. */
static void draw_edge(const StxOverlayMarks *marks, StxSpot *steps, size_t count)
{
  if (count > 0)
    stx_overlay_stroke(marks, steps, count, STX_MEANS_FREE_SPACE);
}

static void draw_free_space(const StxOverlayMarks *marks, StxSpot *steps)
{
  const StxOverlayParams *params = marks->params;
  size_t next = 0, count = 0;
  for (int c = 0; c < params->columns; c++) {
    int row = free_row(marks->facts, c, &next);
    double left = (double)c * params->stixel_width, right = left + params->stixel_width;
    if (row < 0 || row > params->height || left >= params->width) {
      draw_edge(marks, steps, count);
      count = 0;
      continue;
    }
    steps[count++] = stx_overlay_spot(marks, left, row);
    steps[count++] = stx_overlay_spot(marks, fmin(right, params->width), row);
  }
  draw_edge(marks, steps, count);
}

/* ---- Corridor ----------------------------------------------------------------------------- */

/* A point of the road at x metres to the right, where things have that disparity. */
static StxSpot road_spot(
    const StxOverlayMarks *marks, const StxOverlayRoad *road, double x, double disparity)
{
  const StxCamera *camera = &marks->params->camera;
  double cx = camera->missing & STX_CAMERA_CX ? (marks->params->width - 1) / 2. : camera->cx;
  return stx_overlay_spot(marks, cx + .5 + x * disparity / camera->baseline,
      road->horizon + .5 + road->slope * disparity);
}

/* The sides of the corridor are straight lines in the image: places and rows are linear in
 * disparity. They begin at the image's lower edge. */
static void draw_corridor(const StxOverlayMarks *marks)
{
  const StxOverlayParams *params = marks->params;
  double half = params->corridor_width / 2, offset = params->corridor_offset;
  StxOverlayRoad road;
  if (!stx_camera_is_metric(&params->camera) ||
      !stx_overlay_find_road(&params->camera, marks->facts, &road))
    return;
  double far = params->camera.focal * params->camera.baseline / params->corridor_length;
  double near = (params->height - .5 - road.horizon) / road.slope;
  if (!(near > far))
    return;
  StxSpot line[] = {road_spot(marks, &road, offset - half, near),
      road_spot(marks, &road, offset - half, far), road_spot(marks, &road, offset + half, far),
      road_spot(marks, &road, offset + half, near)};
  stx_overlay_stroke(marks, line, 4, STX_MEANS_CORRIDOR);
}

/* ---- All of it ---------------------------------------------------------------------------- */

bool stx_overlay_has_marks(const StxOverlayParams *params)
{
  return params->labels != 0 || params->free_space || params->corridor_width > 0;
}

/* Steps and labels are drawn one after the other. */
size_t stx_overlay_mark_scratch(const StxOverlayParams *params)
{
  size_t steps = 2 * (size_t)params->columns * sizeof(StxSpot);
  size_t labels = stx_overlay_label_scratch(params);
  return steps > labels ? steps : labels;
}

static StxOverlayMarks begin(
    StxSheet *sheet, const StxOverlayParams *params, const StxOverlayFacts *facts)
{
  StxSheetUnit unit = stx_sheet_unit(params->frame_width, params->frame_height);
  return (StxOverlayMarks){.sheet = sheet,
      .params = params,
      .facts = facts,
      .at = stx_overlay_placement(params),
      .text = params->text_size > 0 ? params->text_size : unit.text,
      .line = params->line_width > 0 ? params->line_width : unit.line};
}

void stx_overlay_draw_lines(
    StxSheet *sheet, const StxOverlayParams *params, const StxOverlayFacts *facts, void *scratch)
{
  StxOverlayMarks marks = begin(sheet, params, facts);
  if (params->corridor_width > 0)
    draw_corridor(&marks);
  if (params->free_space)
    draw_free_space(&marks, scratch);
}

void stx_overlay_draw_labels(
    StxSheet *sheet, const StxOverlayParams *params, const StxOverlayFacts *facts, void *scratch)
{
  StxOverlayMarks marks = begin(sheet, params, facts);
  if (params->labels != 0)
    stx_overlay_label(&marks, scratch);
}
