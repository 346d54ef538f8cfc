/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many small dots: scans. How much a dot covers is made once for each eighth of a pixel that its
 * centre may lie off a pixel's, and then stamped.
 */
#include <math.h>

#include "common/parallel.h"
#include "common/canvas/canvas_private.h"

#define STEPS 8                                   /* of a pixel */
#define MOST_SIDE (2 * (int)STX_CANVAS_SMALL + 3) /* pixels that a dot touches */

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

/* A band of the frame's rows: whole rows of tiles. */
typedef struct {
  StxCanvas *canvas;
  const Stamps *stamps;
  int top, bottom;
  Known known[KNOWN];
} Job;

/* Shared by all bands. */
typedef struct {
  StxCanvas *canvas;
  const Stamps *stamps;
  const StxCanvasDot *dots;
  size_t count;
} Bands;

#define BAND (4 * STX_CANVAS_TILE) /* rows */

static void make_stamp(double radius, int most, double x, double y, int side, uint16_t *weight)
{
  for (int row = 0; row < side; row++)
    for (int column = 0; column < side; column++) {
      double dx = column + .5 - x, dy = row + .5 - y;
      int cover = stx_canvas_share(radius + .5 - sqrt(dx * dx + dy * dy));
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
  const StxCanvasParams *params = &job->canvas->params;
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
      stx_canvas_slot(job->canvas, y / STX_CANVAS_TILE * job->canvas->across + x / STX_CANVAS_TILE);
  StxPaint *row = job->canvas->tile[slot].paint + y % STX_CANVAS_TILE * STX_CANVAS_TILE -
                  x / STX_CANVAS_TILE * STX_CANVAS_TILE;
  for (; x < end; x++, weight++)
    if (*weight != 0)
      row[x] = stx_canvas_over(row[x], stx_paint(channel, *weight));
}

/* The place of a stamp, perhaps partly outside, and its number. */
typedef struct {
  int left, top, phase_x, phase_y;
} Spot;

/* Beyond that much of the frame nothing is seen of a dot, in steps; a whole number of pixels. */
#define MARGIN (STEPS * MOST_SIDE)

/* False: nothing of it is seen. Positive numbers are rounded down by conversion alone. */
static bool find_spot(
    const StxCanvas *canvas, const Stamps *stamps, const StxCanvasDot *dot, Spot *at)
{
  double x = (double)dot->x * STEPS + MARGIN, y = (double)dot->y * STEPS + MARGIN;
  if (!(x > 0 && x < canvas->params.width * STEPS + 2 * MARGIN && y > 0 &&
          y < canvas->params.height * STEPS + 2 * MARGIN))
    return false;
  at->phase_x = (int)x % STEPS;
  at->phase_y = (int)y % STEPS;
  at->left = (int)x / STEPS - MOST_SIDE - stamps->before;
  at->top = (int)y / STEPS - MOST_SIDE - stamps->before;
  return true;
}

static void stamp(Job *job, const Spot *at, StxRgb colour)
{
  int side = job->stamps->side, width = job->canvas->params.width;
  int first = clamp(at->left, 0, width), end = clamp(at->left + side, 0, width);
  int bottom = clamp(at->top + side, job->top, job->bottom);
  int y = clamp(at->top, job->top, job->bottom);
  if (y >= bottom || first >= end)
    return;
  const uint8_t *channel = channels_of(job, colour);
  const uint16_t *weight = job->stamps->weight[at->phase_y][at->phase_x];
  for (; y < bottom; y++) {
    const uint16_t *row = weight + (y - at->top) * side - at->left;
    for (int x = first; x < end;) {
      int border = (x / STX_CANVAS_TILE + 1) * STX_CANVAS_TILE, stop = border < end ? border : end;
      stamp_row(job, channel, row + x, y, x, stop);
      x = stop;
    }
  }
}

/* ---- Bands --------------------------------------------------------------------------------- */

/* Tiles get their slots one after another, before threads draw on them. */
static void take_slots(const Bands *bands, const StxCanvasDot *dot)
{
  StxCanvas *canvas = bands->canvas;
  int last = bands->stamps->side - 1;
  Spot at;
  if (!find_spot(canvas, bands->stamps, dot, &at))
    return;
  int left = clamp(at.left, 0, canvas->params.width) / STX_CANVAS_TILE;
  int right = clamp(at.left + last, -1, canvas->params.width - 1);
  int top = clamp(at.top, 0, canvas->params.height) / STX_CANVAS_TILE;
  int bottom = clamp(at.top + last, -1, canvas->params.height - 1);
  for (int y = top; y * STX_CANVAS_TILE <= bottom; y++)
    for (int x = left; x * STX_CANVAS_TILE <= right; x++)
      stx_canvas_slot(canvas, y * canvas->across + x);
}

static void draw_band(void *data, int i, int worker)
{
  const Bands *bands = data;
  int height = bands->canvas->params.height, below = (i + 1) * BAND;
  Job job = {.canvas = bands->canvas,
      .stamps = bands->stamps,
      .top = i * BAND,
      .bottom = below < height ? below : height};
  Spot at;
  (void)worker;
  float top = (float)(job.top - MOST_SIDE), bottom = (float)(job.bottom + MOST_SIDE);
  for (size_t k = 0; k < bands->count; k++)
    if (bands->dots[k].y > top && bands->dots[k].y < bottom &&
        find_spot(bands->canvas, bands->stamps, &bands->dots[k], &at))
      stamp(&job, &at, bands->dots[k].colour);
}

void stx_canvas_dots(StxCanvas *canvas, const StxCanvasDot *dots, size_t count, double radius,
    double opacity, int threads)
{
  Stamps stamps;
  Bands bands = {.canvas = canvas, .stamps = &stamps, .dots = dots, .count = count};
  int most = (int)(fmin(fmax(opacity, 0), 1) * 256 + .5); /* NaN: 0 */
  if (!(radius > 0) || most == 0)
    return;
  if (radius > STX_CANVAS_SMALL) {
    for (size_t i = 0; i < count; i++)
      stx_canvas_dot(canvas, (StxSpot){(double)dots[i].x, (double)dots[i].y}, radius,
          (StxInk){dots[i].colour, opacity});
    return;
  }
  make_stamps(radius, most, &stamps);
  for (size_t i = 0; i < count; i++)
    take_slots(&bands, &dots[i]);
  stx_parallel(threads, (canvas->params.height + BAND - 1) / BAND, draw_band, &bands);
  canvas->changes += count > 0;
}
