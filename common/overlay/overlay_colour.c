/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours, and their conversion into the frame's channels.
 *
 *   Y = Kr·R + (1 − Kr − Kb)·G + Kb·B,  U = (B − Y) / (2 − 2Kb),  V = (R − Y) / (2 − 2Kr)
 *
 * with Kr, Kb of ITU-R BT.601, BT.709 or BT.2020, then scaled to the range. Once per colour, so
 * in floating point; what the pixels see is the rounded byte.
 *
 * The distances' colours are knots in OKLCh (hue from red to blue in even steps of what the eye
 * tells apart, lightness highest in the middle), converted to sRGB by hand and joined by straight
 * lines. Tried and rejected: a plain red-green ramp (mud in the middle, and the commonest colour
 * blindness sees one colour), a rainbow at full saturation (its cyan and yellow bands look like
 * edges in the scene).
 */
#include "common/overlay/overlay_private.h"

#include <math.h>

static const StxRgb distance_knots[] = {
    {64, 96, 240},
    {36, 144, 248},
    {20, 188, 226},
    {40, 214, 160},
    {128, 224, 84},
    {214, 220, 48},
    {255, 186, 36},
    {255, 122, 32},
    {242, 60, 36},
    {224, 28, 46},
};

static const StxRgb kind_colours[4] = {
    [STX_KIND_SEGMENT] = {232, 176, 60},
    [STX_KIND_GROUND] = {150, 90, 200},
    [STX_KIND_OBJECT] = {232, 64, 56},
    [STX_KIND_SKY] = {80, 170, 240},
};

/* The palette that Cityscapes publishes with its labels. */
static const StxRgb class_colours[STX_LABEL_CLASSES] = {
    {128, 64, 128},
    {244, 35, 232},
    {70, 70, 70},
    {102, 102, 156},
    {190, 153, 153},
    {153, 153, 153},
    {250, 170, 30},
    {220, 220, 0},
    {107, 142, 35},
    {152, 251, 152},
    {70, 130, 180},
    {220, 20, 60},
    {255, 0, 0},
    {0, 0, 142},
    {0, 0, 70},
    {0, 60, 100},
    {0, 80, 100},
    {0, 0, 230},
    {119, 11, 32},
};

static const StxRgb grey = {150, 150, 150};

static uint8_t mix(int from, int to, int part, int whole)
{
  return (uint8_t)((from * (whole - part) + to * part + whole / 2) / whole);
}

static StxRgb distance_colour(int nearness)
{
  enum { SPANS = sizeof distance_knots / sizeof distance_knots[0] - 1 };
  int at = nearness * SPANS, knot = at / 255;
  if (knot == SPANS)
    return distance_knots[SPANS];
  const StxRgb *a = &distance_knots[knot], *b = a + 1;
  int part = at - knot * 255;
  return (StxRgb){
      mix(a->r, b->r, part, 255), mix(a->g, b->g, part, 255), mix(a->b, b->b, part, 255)};
}

StxRgb stx_overlay_colour(int index)
{
  if (index <= STX_COLOUR_NEAR)
    return distance_colour(index);
  if (index < STX_COLOUR_CLASS)
    return kind_colours[index - STX_COLOUR_KIND];
  if (index < STX_COLOUR_UNKNOWN)
    return class_colours[index - STX_COLOUR_CLASS];
  return grey;
}

static int to_byte(double value)
{
  double rounded = floor(value + .5);
  return rounded < 0 ? 0 : rounded > 255 ? 255 : (int)rounded;
}

static void to_yuv(const StxOverlayParams *params, StxRgb colour, int yuv[3])
{
  static const double weights[][2] = {
      [STX_MATRIX_BT601] = {.299, .114},
      [STX_MATRIX_BT709] = {.2126, .0722},
      [STX_MATRIX_BT2020] = {.2627, .0593},
  };
  double kr = weights[params->matrix][0], kb = weights[params->matrix][1];
  double y = kr * colour.r + (1 - kr - kb) * colour.g + kb * colour.b;
  double u = (colour.b - y) / (2 - 2 * kb), v = (colour.r - y) / (2 - 2 * kr);
  double luma = params->full_range ? 1 : 219. / 255, chroma = params->full_range ? 1 : 224. / 255;
  yuv[0] = to_byte(y * luma + (params->full_range ? 0 : 16));
  yuv[1] = to_byte(u * chroma + 128);
  yuv[2] = to_byte(v * chroma + 128);
}

StxPaint stx_overlay_paint(const StxOverlayParams *params, StxRgb colour, int a)
{
  int channel[3] = {colour.r, colour.g, colour.b};
  if (params->format->yuv)
    to_yuv(params, colour, channel);
  StxPaint paint = {.keep = (uint16_t)(256 - a)};
  for (int k = 0; k < 3; k++)
    paint.add[k] = (uint16_t)(channel[k] * a + 128);
  return paint;
}
