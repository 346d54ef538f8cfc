/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many small dots: scans. How much a dot covers is made once for each eighth of a pixel that its
 * centre may lie off a pixel's, and then stamped.
 */
#include <math.h>

#include "common/sheet/sheet_private.h"

#define STEPS 8                                  /* of a pixel */
#define MOST_SIDE (2 * (int)STX_SHEET_SMALL + 3) /* pixels that a dot touches */

typedef struct {
  int side, before; /* pixels of a stamp, and how many of them lie before the centre's */
  uint16_t weight[STEPS][STEPS][MOST_SIDE * MOST_SIDE]; /* 0…256, by phase, down and across */
} Stamps;

/* Channels of colours that came lately: scans have few. */
#define KNOWN 256
typedef struct {
  StxRgb colour;
  bool known;
  uint8_t channel[3];
} Known;

typedef struct {
  StxSheet *sheet;
  const Stamps *stamps;
  Known known[KNOWN];
} Job;

static void make_stamp(double radius, int most, double x, double y, int side, uint16_t *weight)
{
  for (int row = 0; row < side; row++)
    for (int column = 0; column < side; column++) {
      double dx = column + .5 - x, dy = row + .5 - y;
      int cover = stx_sheet_share(radius + .5 - sqrt(dx * dx + dy * dy));
      weight[row * side + column] = (uint16_t)((most * cover + 127) / 255);
    }
}

/* `most`: weight of what is wholly covered. */
static void make_stamps(double radius, int most, Stamps *stamps)
{
  stamps->before = (int)ceil(radius);
  stamps->side = 2 * stamps->before + 1;
  for (int down = 0; down < STEPS; down++)
    for (int across = 0; across < STEPS; across++)
      make_stamp(radius, most, stamps->before + (across + .5) / STEPS,
          stamps->before + (down + .5) / STEPS, stamps->side, stamps->weight[down][across]);
}

static const uint8_t *channels_of(Job *job, StxRgb colour)
{
  const StxSheetParams *params = &job->sheet->params;
  Known *known = &job->known[(colour.r + 3 * colour.g + 7 * colour.b) % KNOWN];
  if (!known->known || known->colour.r != colour.r || known->colour.g != colour.g ||
      known->colour.b != colour.b)
    stx_colour_channels(params->format, params->matrix, params->full_range, colour, known->channel);
  known->colour = colour;
  known->known = true;
  return known->channel;
}

static int clamp(int value, int low, int high)
{
  return value < low ? low : value > high ? high : value;
}

/* The part of a row of a stamp that lies in one tile. */
static void stamp_row(
    const Job *job, const uint8_t channel[3], const uint16_t *weight, int y, int x, int end)
{
  uint32_t slot =
      stx_sheet_slot(job->sheet, y / STX_SHEET_TILE * job->sheet->across + x / STX_SHEET_TILE);
  StxPaint *row = job->sheet->tile[slot].paint + y % STX_SHEET_TILE * STX_SHEET_TILE -
                  x / STX_SHEET_TILE * STX_SHEET_TILE;
  for (; x < end; x++, weight++)
    if (*weight != 0)
      row[x] = stx_sheet_over(row[x], stx_paint(channel, *weight));
}

/* `left`, `top`: of the stamp, which may lie outside. */
static void stamp(
    const Job *job, const uint8_t channel[3], const uint16_t *weight, int left, int top)
{
  const StxSheetParams *params = &job->sheet->params;
  int side = job->stamps->side, first = clamp(left, 0, params->width);
  int end = clamp(left + side, 0, params->width), bottom = clamp(top + side, 0, params->height);
  for (int y = clamp(top, 0, params->height); y < bottom; y++) {
    const uint16_t *row = weight + (y - top) * side - left;
    for (int x = first; x < end;) {
      int border = (x / STX_SHEET_TILE + 1) * STX_SHEET_TILE, stop = border < end ? border : end;
      stamp_row(job, channel, row + x, y, x, stop);
      x = stop;
    }
  }
}

static void stamp_dot(Job *job, const StxSheetDot *dot)
{
  const StxSheetParams *params = &job->sheet->params;
  double x = floor((double)dot->x * STEPS), y = floor((double)dot->y * STEPS);
  double margin = STEPS * MOST_SIDE; /* farther out nothing is seen */
  if (!(x > -margin && x < params->width * STEPS + margin && y > -margin &&
          y < params->height * STEPS + margin))
    return;
  int phase_x = (int)x & (STEPS - 1), phase_y = (int)y & (STEPS - 1);
  stamp(job, channels_of(job, dot->colour), job->stamps->weight[phase_y][phase_x],
      ((int)x - phase_x) / STEPS - job->stamps->before,
      ((int)y - phase_y) / STEPS - job->stamps->before);
}

void stx_sheet_dots(
    StxSheet *sheet, const StxSheetDot *dots, size_t count, double radius, double opacity)
{
  Stamps stamps;
  Job job = {.sheet = sheet, .stamps = &stamps};
  int most = (int)(fmin(fmax(opacity, 0), 1) * 256 + .5); /* NaN: 0 */
  if (!(radius > 0) || most == 0)
    return;
  if (radius > STX_SHEET_SMALL) {
    for (size_t i = 0; i < count; i++)
      stx_sheet_dot(sheet, (StxSpot){(double)dots[i].x, (double)dots[i].y}, radius,
          (StxInk){dots[i].colour, opacity});
    return;
  }
  make_stamps(radius, most, &stamps);
  for (size_t i = 0; i < count; i++)
    stamp_dot(&job, &dots[i]);
  sheet->changes += count > 0;
}
