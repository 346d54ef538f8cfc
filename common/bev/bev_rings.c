/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is drawn over a picture and does not change: rings, distances, a bar of scale, the sensor.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/bev/bev_private.h"
#include "common/lettering.h"

#define RING_INK 90 /* of 255 */
#define LETTER_INK 230
#define LETTER_SIZE 11.0 /* pixels */
#define RING_GAP 60.0    /* pixels between rings, at least */

static void put_ink(StxBev *bev, int x, int y, int ink)
{
  uint8_t *at = &bev->ink[(size_t)y * (size_t)bev->params.width + (size_t)x];
  *at = ink > *at ? (uint8_t)ink : *at;
}

/* Metres between rings: 1, 2 or 5 times a power of ten. */
static double ring_step(const StxBev *bev)
{
  static const double steps[] = {
      0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000};
  size_t i = 0;
  while (i + 1 < sizeof steps / sizeof steps[0] && steps[i] * bev->plan.scale < RING_GAP)
    i++;
  return steps[i];
}

/* How much ink a line of one pixel leaves in a pixel whose centre is `away` from it. */
static int line_ink(double away)
{
  return away < 1 ? (int)((1 - away) * RING_INK + 0.5) : 0;
}

static void draw_rings(StxBev *bev)
{
  double step = ring_step(bev) * bev->plan.scale;
  for (int y = 0; y < bev->params.height; y++)
    for (int x = 0; x < bev->params.width; x++) {
      double right = x + 0.5 - bev->plan.column, down = y + 0.5 - bev->plan.row;
      double range = sqrt(right * right + down * down);
      double ring = floor(range / step + 0.5);
      if (ring > 0)
        put_ink(bev, x, y, line_ink(fabs(range - ring * step)));
    }
}

/* Text whose baseline begins at (left, base); what lies outside is cut off. */
static void draw_text(StxBev *bev, const char *text, double left, double base)
{
  for (; *text != '\0'; left += stx_glyph_advance(*text, LETTER_SIZE), text++) {
    int first = (int)floor(left - 2), top = (int)floor(base - LETTER_SIZE - 4);
    for (int y = top; y < top + 2 * LETTER_SIZE; y++)
      for (int x = first; x < first + 2 * LETTER_SIZE; x++) {
        int cover = stx_glyph_coverage(*text, LETTER_SIZE, x + 0.5 - left, y + 0.5 - base);
        if (x >= 0 && x < bev->params.width && y >= 0 && y < bev->params.height)
          put_ink(bev, x, y, cover * LETTER_INK / 255);
      }
  }
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
static void draw_distances(StxBev *bev)
{
  double step = ring_step(bev), gap = step * bev->plan.scale, sensor = bev->plan.row;
  int below = (int)ceil((sensor - bev->params.height) / gap);
  for (int ring = below > 1 ? below : 1; sensor - ring * gap > LETTER_SIZE; ring++) {
    char text[32];
    write_distance(text, sizeof text, step, ring, ring == 1 ? " m" : "");
    draw_text(bev, text, bev->plan.column + 4, sensor - ring * gap - 4);
  }
}

/* A bar as long as the rings are apart, at the bottom left. */
static void draw_bar(StxBev *bev)
{
  char text[32];
  int length = (int)(ring_step(bev) * bev->plan.scale + 0.5), left = 12,
      row = bev->params.height - 12;
  write_distance(text, sizeof text, ring_step(bev), 1, " m");
  for (int x = left; x <= left + length && x < bev->params.width; x++) {
    put_ink(bev, x, row, LETTER_INK);
    if (x == left || x == left + length)
      for (int y = row - 4; y < row; y++)
        put_ink(bev, x, y, LETTER_INK);
  }
  draw_text(bev, text, left + 6, row - 6);
}

/* An arrow that points where the sensor looks. */
static void draw_sensor(StxBev *bev)
{
  for (int y = -8; y <= 6; y++)
    for (int x = -6; x <= 6; x++) {
      int column = (int)floor(bev->plan.column) + x, row = (int)floor(bev->plan.row) + y;
      bool inside = 2 * abs(x) <= (y + 8) && y <= 6 && 2 * abs(x) > 2 * y - 6;
      if (inside && column >= 0 && column < bev->params.width && row >= 0 &&
          row < bev->params.height)
        put_ink(bev, column, row, LETTER_INK);
    }
}

void stx_bev_draw_rings(StxBev *bev)
{
  draw_rings(bev);
  draw_distances(bev);
  draw_bar(bev);
  draw_sensor(bev);
}
