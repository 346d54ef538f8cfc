/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours by meaning, and their conversion into a frame's channels.
 *
 *   Y = Kr·R + (1 − Kr − Kb)·G + Kb·B,  U = (B − Y) / (2 − 2Kb),  V = (R − Y) / (2 − 2Kr)
 *
 * with Kr, Kb of ITU-R BT.601, BT.709 or BT.2020, then scaled to the range. Once per colour, so
 * in floating point; what the pixels see is the rounded byte.
 */
#include "common/colour/colour.h"

#include <math.h>

const StxFieldChoice stx_matrix_choices[] = {
    {STX_MATRIX_BT601, "bt601", "ITU-R BT.601"},
    {STX_MATRIX_BT709, "bt709", "ITU-R BT.709"},
    {STX_MATRIX_BT2020, "bt2020", "ITU-R BT.2020"},
    {0},
};

static const StxRgb kinds[4] = {
    [STX_KIND_SEGMENT] = {232, 176, 60},
    [STX_KIND_GROUND] = {150, 90, 200},
    [STX_KIND_OBJECT] = {232, 64, 56},
    [STX_KIND_SKY] = {80, 170, 240},
};

/* The palette that Cityscapes publishes with its labels. */
static const StxRgb classes[STX_LABEL_CLASSES] = {
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

/* What was right, wrong and missed also differs for the colour-blind: in lightness, and along the
 * axis from blue to yellow. */
static const StxRgb meanings[STX_MEANINGS] = {
    [STX_MEANS_UNKNOWN] = {150, 150, 150},
    [STX_MEANS_GROUND] = {52, 104, 88},
    [STX_MEANS_OBSTACLE] = {232, 72, 56},
    [STX_MEANS_NO_CLUSTER] = {206, 208, 212},
    [STX_MEANS_UNCLASSIFIED] = {72, 74, 84},
    [STX_MEANS_TRUE_POSITIVE] = {30, 190, 140},
    [STX_MEANS_FALSE_POSITIVE] = {235, 90, 30},
    [STX_MEANS_FALSE_NEGATIVE] = {90, 130, 255},
    [STX_MEANS_MISPLACED] = {240, 220, 70},
    [STX_MEANS_IGNORED] = {96, 98, 106},
    [STX_MEANS_TRUTH] = {255, 255, 255},
    [STX_MEANS_CORRIDOR] = {90, 210, 255},
    [STX_MEANS_FREE_SPACE] = {70, 220, 130},
    [STX_MEANS_WARNING] = {255, 52, 40},
    [STX_MEANS_SENSOR] = {235, 235, 225},
    [STX_MEANS_PANEL] = {14, 16, 22},
    [STX_MEANS_INK] = {245, 246, 248},
    [STX_MEANS_HALO] = {8, 9, 12},
    [STX_MEANS_BACKGROUND] = {14, 16, 20},
    [STX_MEANS_GRID] = {235, 235, 225},
};

/* ---- By meaning --------------------------------------------------------------------------- */

StxRgb stx_colour(StxMeaning meaning)
{
  return meanings[meaning];
}

StxRgb stx_colour_kind(StxKind kind)
{
  return kinds[kind];
}

StxRgb stx_colour_class(int train_id)
{
  bool known = train_id >= 0 && train_id < STX_LABEL_CLASSES;
  return known ? classes[train_id] : meanings[STX_MEANS_UNKNOWN];
}

/* hue 0…1: red, yellow, green, cyan, blue, magenta, red. */
static uint8_t hue_channel(double hue, double light, int first)
{
  double away = fabs(fmod(hue * 6 + first, 6) - 3) - 1;
  return (uint8_t)(255 * light * (.25 + .75 * fmin(fmax(away, 0), 1)) + .5);
}

/* Steps of the golden ratio, greens left out. */
StxRgb stx_colour_cluster(unsigned cluster)
{
  unsigned i = cluster % 64;
  double hue = fmod(.45 + .8 * fmod(i * .61803398875, 1), 1), light = i % 2 ? 1 : .85;
  return (StxRgb){
      hue_channel(hue, light, 0), hue_channel(hue, light, 4), hue_channel(hue, light, 2)};
}

/* ---- Channels ----------------------------------------------------------------------------- */

static uint8_t to_byte(double value)
{
  double rounded = floor(value + .5);
  return (uint8_t)(rounded < 0 ? 0 : rounded > 255 ? 255 : rounded);
}

static void to_yuv(StxMatrix matrix, bool full_range, StxRgb colour, uint8_t yuv[3])
{
  static const double weights[][2] = {
      [STX_MATRIX_BT601] = {.299, .114},
      [STX_MATRIX_BT709] = {.2126, .0722},
      [STX_MATRIX_BT2020] = {.2627, .0593},
  };
  double kr = weights[matrix][0], kb = weights[matrix][1];
  double y = kr * colour.r + (1 - kr - kb) * colour.g + kb * colour.b;
  double u = (colour.b - y) / (2 - 2 * kb), v = (colour.r - y) / (2 - 2 * kr);
  double luma = full_range ? 1 : 219. / 255, chroma = full_range ? 1 : 224. / 255;
  yuv[0] = to_byte(y * luma + (full_range ? 0 : 16));
  yuv[1] = to_byte(u * chroma + 128);
  yuv[2] = to_byte(v * chroma + 128);
}

void stx_colour_channels(const StxPixelFormat *format, StxMatrix matrix, bool full_range,
    StxRgb colour, uint8_t channel[3])
{
  channel[0] = colour.r;
  channel[1] = colour.g;
  channel[2] = colour.b;
  if (format != NULL && format->yuv)
    to_yuv(matrix, full_range, colour, channel);
}
