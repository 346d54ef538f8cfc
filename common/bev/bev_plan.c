/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marks over a picture that show its scale: rings, distances, a bar of scale, the sensor. */
#include <stdio.h>

#include "common/bev/bev_private.h"

#define RING_GAP 5.5 /* rings are at least so far apart, in sizes of text */

StxBevOver stx_bev_over(const StxBev *bev, StxCanvas *canvas)
{
  StxCanvasUnit unit = stx_canvas_unit(bev->params.width, bev->params.height);
  return (StxBevOver){&bev->params, bev->plan, canvas, fmax(8, floor(.55 * unit.text + .5)),
      fmax(1, .6 * unit.line)};
}

StxInk stx_bev_ink(StxMeaning meaning, double opacity)
{
  return (StxInk){stx_colour(meaning), opacity};
}

StxSpot stx_bev_spot(const StxBevOver *over, double right, double ahead)
{
  return (StxSpot){
      over->plan.column + right * over->plan.scale, over->plan.row - ahead * over->plan.scale};
}

/* ---- Rings -------------------------------------------------------------------------------- */

/* Metres between rings: 1, 2 or 5 times a power of ten. */
static double ring_step(const StxBevOver *over)
{
  static const double steps[] = {
      0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000};
  double gap = RING_GAP * over->text;
  size_t i = 0;
  while (i + 1 < sizeof steps / sizeof steps[0] && steps[i] * over->plan.scale < gap)
    i++;
  return steps[i];
}

/* Finds the distances along one axis from the sensor to the nearest and farthest of 0 … side. */
static void reach(double sensor, int side, double *near, double *far)
{
  *near = sensor < 0 ? -sensor : sensor > side ? sensor - side : 0;
  *far = fmax(fabs(sensor), fabs(side - sensor));
}

double stx_bev_farthest(const StxBevOver *over)
{
  double near, across, down;
  reach(over->plan.column, over->params->width, &near, &across);
  reach(over->plan.row, over->params->height, &near, &down);
  return sqrt(across * across + down * down);
}

static void draw_circles(const StxBevOver *over)
{
  double gap = ring_step(over) * over->plan.scale, across, down, far;
  StxSpot sensor = {over->plan.column, over->plan.row};
  reach(sensor.x, over->params->width, &across, &far);
  reach(sensor.y, over->params->height, &down, &far);
  int first = (int)ceil(sqrt(across * across + down * down) / gap);
  int last = (int)(stx_bev_farthest(over) / gap);
  for (int ring = first > 1 ? first : 1; ring <= last; ring++)
    stx_canvas_circle(
        over->canvas, sensor, ring * gap, over->line, stx_bev_ink(STX_MEANS_GRID, .35));
}

/* ---- Letters ------------------------------------------------------------------------------ */

typedef void (*Letters)(const StxBevOver *over, const char *text, StxSpot at);

static void draw_text(const StxBevOver *over, const char *text, StxSpot at)
{
  stx_canvas_text(over->canvas, text, over->text, at, STX_ANCHOR_LEFT_BASE,
      stx_bev_ink(STX_MEANS_GRID, .9), stx_bev_ink(STX_MEANS_HALO, .6));
}

static void claim_text(const StxBevOver *over, const char *text, StxSpot at)
{
  stx_canvas_claim(over->canvas, stx_canvas_text_box(text, over->text, at, STX_ANCHOR_LEFT_BASE));
}

/* `ring` steps, in every locale: "0.6" or "20". */
static void write_distance(char *text, size_t size, double step, int ring, const char *unit)
{
  int tenths = (int)(ring * step * 10 + 0.5);
  if (tenths % 10 == 0)
    snprintf(text, size, "%d%s", tenths / 10, unit);
  else
    snprintf(text, size, "%d.%d%s", tenths / 10, tenths % 10, unit);
}

/* Ahead of the sensor, on every ring that is seen there. */
static void put_distances(const StxBevOver *over, Letters letters)
{
  double step = ring_step(over), gap = step * over->plan.scale, pad = over->text / 3;
  double column = over->plan.column, row = over->plan.row;
  int below = (int)ceil((row - over->params->height) / gap);
  for (int ring = below > 1 ? below : 1; row - ring * gap > over->text + pad; ring++) {
    char text[32];
    write_distance(text, sizeof text, step, ring, ring == 1 ? " m" : "");
    letters(over, text, (StxSpot){column + pad, row - ring * gap - pad});
  }
}

/* A bar as long as the rings are apart, at the bottom left. */
static void draw_bar(const StxBevOver *over)
{
  double length = ring_step(over) * over->plan.scale, left = over->text;
  double row = over->params->height - over->text, tick = over->text / 2;
  const StxSpot bar[] = {
      {left, row - tick}, {left, row}, {left + length, row}, {left + length, row - tick}};
  stx_canvas_line(over->canvas, bar, 4, over->line, stx_bev_ink(STX_MEANS_GRID, .9));
}

static void put_length(const StxBevOver *over, Letters letters)
{
  char text[32];
  double tick = over->text / 2;
  write_distance(text, sizeof text, ring_step(over), 1, " m");
  letters(over, text, (StxSpot){over->text + tick, over->params->height - over->text - tick});
}

/* An arrow that points where the sensor looks. */
static void draw_sensor(const StxBevOver *over)
{
  double x = over->plan.column, y = over->plan.row, unit = over->text / 12;
  for (int side = -1; side <= 1; side += 2) {
    const StxSpot half[] = {{x, y - 10 * unit}, {x + side * 7 * unit, y + 7 * unit},
        {x, y + 4 * unit}, {x - side * .5, y}};
    stx_canvas_polygon(over->canvas, half, 4, stx_bev_ink(STX_MEANS_SENSOR, 1));
  }
}

void stx_bev_draw_rings(const StxBevOver *over)
{
  if (!over->params->rings)
    return;
  draw_circles(over);
  draw_sensor(over);
  draw_bar(over);
  put_length(over, draw_text);
  put_distances(over, draw_text);
}

void stx_bev_claim_rings(const StxBevOver *over)
{
  if (!over->params->rings)
    return;
  put_length(over, claim_text);
  put_distances(over, claim_text);
}
