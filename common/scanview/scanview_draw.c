/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dots, boxes and the legend on a sheet. */
#include "common/scanview/scanview.h"

#include <math.h>
#include <stdio.h>

#include "common/clusters/clusters_look.h"

#define BOX_NEAREST .1 /* metres */

/* ---- Dots ---------------------------------------------------------------------------------- */

static void draw_legend(const StxScanviewParams *params, const StxScan *scan, StxSheet *sheet)
{
  StxBar bar = {.palette = STX_PALETTE_DISTANCE, .title = "range", .unit = "m"};
  switch (params->mode) {
  case STX_SCANVIEW_HEIGHT:
    bar.title = "height";
    bar.low = -2;
    bar.high = 2;
    break;
  case STX_SCANVIEW_INTENSITY:
    bar.title = "intensity";
    bar.unit = NULL;
    bar.high = (double)stx_scan_full_intensity(scan->points, scan->count);
    break;
  default:
    bar.reversed = true;
    bar.high = params->max_range;
  }
  if (scan->labels != NULL &&
      (params->mode == STX_SCANVIEW_CLUSTERS || params->mode == STX_SCANVIEW_LABELS))
    stx_scan_names(sheet, params->legend, params->mode == STX_SCANVIEW_CLUSTERS, NULL);
  else
    stx_sheet_bar(sheet, params->legend, &bar);
}

size_t stx_scanview_draw(const StxScanviewParams *params, const StxScanviewLens *lens,
    const StxScan *scan, double strength, int threads, void *memory, StxSheet *sheet)
{
  const StxSheetParams *frame = stx_sheet_params(sheet);
  const StxSheetDot *dots;
  size_t count =
      stx_scanview_dots(params, lens, frame->width, frame->height, scan, memory, &dots, NULL);
  double suits = fmin(fmax(frame->width / 500., 1.5), 9); /* neighbours on a car do not touch */
  double size = params->point_size > 0 ? params->point_size : suits;
  stx_sheet_dots(sheet, dots, count, size / 2, params->alpha * strength, threads);
  draw_legend(params, scan, sheet);
  return count;
}

/* ---- Boxes --------------------------------------------------------------------------------- */

/* A corner of an obstacle in the picture. `right`, `up`, `far`: 0 or 1. False: behind the camera,
 * or not a number. */
static bool corner_of(const StxScanviewLens *lens, const StxObstacle *o, int right, int up, int far,
    double *u, double *v)
{
  double depth = o->depth > 0 ? o->depth : 0;
  double x = o->x + (right - .5) * o->width, y = o->y - up * o->height, z = o->z + far * depth;
  const double p[3] = {z, -x, -y}; /* on the axes of the points */
  double q[3];
  for (int i = 0; i < 3; i++) {
    const double *row = lens->mount + 4 * i;
    q[i] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
  }
  *u = lens->camera.focal * q[0] / q[2] + lens->camera.cx;
  *v = lens->camera.focal * q[1] / q[2] + lens->camera.cy;
  return q[2] >= BOX_NEAREST && isfinite(*u) && isfinite(*v);
}

/* What encloses its corners, if the middle of that is in the picture: one that is seen from its
 * side encloses half of it. */
static bool box_of(const StxScanviewLens *lens, const StxSheetParams *frame,
    const StxObstacle *obstacle, StxBox *box)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < 8; i++) {
    double at[2];
    if (!corner_of(lens, obstacle, i & 1, i >> 1 & 1, i >> 2, &at[0], &at[1]))
      return false;
    for (int k = 0; k < 2; k++) {
      low[k] = fmin(low[k], at[k] + .5);
      high[k] = fmax(high[k], at[k] + .5);
    }
  }
  *box = (StxBox){low[0], low[1], high[0] - low[0], high[1] - low[1]};
  double x = box->x + box->width / 2, y = box->y + box->height / 2;
  return x >= 0 && x < frame->width && y >= 0 && y < frame->height;
}

/* Above the box, or not at all where that of something nearer is: below, it would stand within
 * another box, and be taken for its distance. */
static void write_distance(
    const StxBox *box, double distance, double size, StxRgb colour, StxSheet *sheet)
{
  char text[32];
  int tenths = (int)(distance * 10 + .5); /* a decimal point in every locale */
  StxSpot above = {box->x + box->width / 2, box->y - size / 2};
  snprintf(text, sizeof text, "%d.%d m", tenths / 10, tenths % 10);
  stx_sheet_label(sheet, text, size, above, STX_ANCHOR_CENTRE_BASE, colour);
}

/* Whether it is one of a scan that is seen; then its box, and how it is drawn. */
static bool is_seen(const StxScanviewLens *lens, const StxSheet *sheet, const StxObstacle *obstacle,
    StxBox *box, StxRgb *colour)
{
  bool warns = obstacle->flags & STX_OBSTACLE_IN_CORRIDOR;
  *colour = stx_colour(warns ? STX_MEANS_WARNING : STX_MEANS_INK);
  return obstacle->source == STX_OBSTACLE_LIDAR &&
         box_of(lens, stx_sheet_params(sheet), obstacle, box);
}

/* No box lies over a distance, so the distances come last, the nearest first. */
void stx_scanview_boxes(const StxScanviewLens *lens, const StxObstacle *obstacles, size_t count,
    double strength, StxSheet *sheet)
{
  const StxSheetParams *frame = stx_sheet_params(sheet);
  StxSheetUnit unit = stx_sheet_unit(frame->width, frame->height);
  StxBox box;
  StxRgb colour;
  for (size_t i = count; i-- > 0;)
    if (is_seen(lens, sheet, &obstacles[i], &box, &colour))
      stx_sheet_outline(sheet, box, unit.line * 2, unit.line, (StxInk){colour, strength});
  for (size_t i = 0; i < count; i++)
    if (is_seen(lens, sheet, &obstacles[i], &box, &colour))
      write_distance(&box, obstacles[i].z, unit.text, colour, sheet);
}
