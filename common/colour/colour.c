/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours by meaning and of numbers, their conversion into a frame's channels, and the 8-bit pixel
 * formats that can be drawn on.
 *
 *   Y = Kr·R + (1 − Kr − Kb)·G + Kb·B,  U = (B − Y) / (2 − 2Kb),  V = (R − Y) / (2 − 2Kr)
 *
 * with Kr, Kb of ITU-R BT.601, BT.709 or BT.2020, then scaled to the range. Once per colour, so
 * in floating point; what the pixels see is the rounded byte.
 */
#include "common/colour/colour.h"

#include <math.h>
#include <string.h>

const StxFieldChoice stx_matrix_choices[] = {
    {STX_MATRIX_BT601, "bt601", "ITU-R BT.601"},
    {STX_MATRIX_BT709, "bt709", "ITU-R BT.709"},
    {STX_MATRIX_BT2020, "bt2020", "ITU-R BT.2020"},
    {0},
};

static const StxRgb kinds[] = {
    [STX_KIND_SEGMENT] = {232, 176, 60},
    [STX_KIND_GROUND] = {150, 90, 200},
    [STX_KIND_OBJECT] = {232, 64, 56},
    [STX_KIND_SKY] = {80, 170, 240},
    [STX_KIND_CARRIER] = {110, 120, 130},
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

/* Right, wrong and missed also differ for the colour-blind: in lightness, and along the axis from
 * blue to yellow. */
static const StxRgb meanings[STX_MEANINGS] = {
    [STX_MEANS_UNKNOWN] = {150, 150, 150},
    [STX_MEANS_GROUND] = {52, 104, 88},
    [STX_MEANS_OBSTACLE] = {232, 72, 56},
    [STX_MEANS_NO_CLUSTER] = {206, 208, 212},
    [STX_MEANS_UNCLASSIFIED] = {72, 74, 84},
    [STX_MEANS_TRUE_POSITIVE] = {30, 190, 140},
    [STX_MEANS_FALSE_POSITIVE] = {235, 90, 30},
    [STX_MEANS_FALSE_NEGATIVE] = {90, 130, 255},
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

const double stx_matrix_weights[][2] = {
    [STX_MATRIX_BT601] = {.299, .114},
    [STX_MATRIX_BT709] = {.2126, .0722},
    [STX_MATRIX_BT2020] = {.2627, .0593},
};

void stx_colour_channels(const StxPixelFormat *format, StxMatrix matrix, bool full_range,
    StxRgb colour, uint8_t channel[3])
{
  channel[0] = colour.r;
  channel[1] = colour.g;
  channel[2] = colour.b;
  if (format == NULL || !format->yuv)
    return;
  double kr = stx_matrix_weights[matrix][0], kb = stx_matrix_weights[matrix][1];
  double y = kr * colour.r + (1 - kr - kb) * colour.g + kb * colour.b;
  double u = (colour.b - y) / (2 - 2 * kb), v = (colour.r - y) / (2 - 2 * kr);
  double luma = full_range ? 1 : 219. / 255, chroma = full_range ? 1 : 224. / 255;
  channel[0] = to_byte(y * luma + (full_range ? 0 : 16));
  channel[1] = to_byte(u * chroma + 128);
  channel[2] = to_byte(v * chroma + 128);
}

/* ---- Palettes ------------------------------------------------------------------------------ */

/*
 * DISTANCE's are knots in OKLCh (hue from red to blue in even steps of what the eye tells apart,
 * lightness highest in the middle), converted to sRGB by hand and joined by straight lines. Tried
 * and rejected: a plain red-green ramp (mud in the middle, and the commonest colour blindness sees
 * one colour), a rainbow at full saturation (its cyan and yellow bands look like edges in the
 * scene).
 */
static const StxRgb distance[] = {{64, 96, 240}, {36, 144, 248}, {20, 188, 226}, {40, 214, 160},
    {128, 224, 84}, {214, 220, 48}, {255, 186, 36}, {255, 122, 32}, {242, 60, 36}, {224, 28, 46}};
static const StxRgb turbo[] = {{48, 18, 59}, {63, 62, 156}, {70, 102, 221}, {69, 140, 253},
    {47, 178, 244}, {26, 212, 208}, {34, 235, 170}, {82, 250, 122}, {139, 255, 75}, {183, 247, 53},
    {219, 226, 54}, {245, 197, 58}, {254, 161, 48}, {249, 117, 29}, {232, 75, 12}, {206, 45, 4},
    {169, 22, 1}, {122, 4, 3}};
static const StxRgb viridis[] = {{68, 1, 84}, {72, 23, 105}, {71, 42, 122}, {67, 61, 132},
    {61, 78, 138}, {53, 94, 141}, {46, 109, 142}, {41, 123, 142}, {35, 137, 142}, {31, 151, 139},
    {33, 165, 133}, {46, 179, 124}, {70, 192, 111}, {101, 203, 94}, {137, 213, 72}, {176, 221, 47},
    {216, 226, 25}, {253, 231, 37}};
static const StxRgb cividis[] = {{0, 34, 78}, {0, 45, 104}, {22, 55, 112}, {46, 65, 109},
    {63, 76, 108}, {78, 86, 108}, {92, 97, 110}, {105, 107, 113}, {118, 118, 118}, {131, 129, 121},
    {146, 140, 120}, {160, 152, 117}, {175, 164, 113}, {191, 176, 107}, {207, 189, 98},
    {223, 202, 87}, {240, 216, 70}, {254, 232, 56}};
static const StxRgb gray[] = {{0, 0, 0}, {255, 255, 255}};

#define KNOTS(array) array, sizeof array / sizeof array[0] - 1

static const struct {
  const StxRgb *knots;
  int spans; /* between them */
} palettes[STX_PALETTES] = {
    [STX_PALETTE_DISTANCE] = {KNOTS(distance)},
    [STX_PALETTE_TURBO] = {KNOTS(turbo)},
    [STX_PALETTE_VIRIDIS] = {KNOTS(viridis)},
    [STX_PALETTE_CIVIDIS] = {KNOTS(cividis)},
    [STX_PALETTE_GRAY] = {KNOTS(gray)},
};

static uint8_t mix(int from, int to, int part, int whole)
{
  return (uint8_t)((from * (whole - part) + to * part + whole / 2) / whole);
}

StxRgb stx_colour_mix(StxRgb from, StxRgb to, int part, int whole)
{
  return (StxRgb){mix(from.r, to.r, part, whole), mix(from.g, to.g, part, whole),
      mix(from.b, to.b, part, whole)};
}

StxRgb stx_palette_colour(StxPalette palette, int index)
{
  const StxRgb *knots = palettes[palette].knots;
  int spans = palettes[palette].spans;
  int at = (index < 0 ? 0 : index > 255 ? 255 : index) * spans, knot = at / 255;
  if (knot == spans)
    return knots[spans];
  return stx_colour_mix(knots[knot], knots[knot + 1], at - knot * 255, 255);
}

/* ---- Pixel formats ------------------------------------------------------------------------- */

#define LUMA 1, {0, -1, -1, -1}, 0, 0
#define SINGLE(channel, sx, sy) 1, {channel, -1, -1, -1}, sx, sy
#define PAIR(a, b, sx, sy) 2, {a, b, -1, -1}, sx, sy
/* Packed 4:2:2: luma in the even or odd bytes, chroma in the others. */
#define EVEN 2, {0, -1, -1, -1}, 0, 0
#define ODD 2, {-1, 0, -1, -1}, 0, 0
#define EVEN_PAIR(a, b) 4, {a, -1, b, -1}, 1, 0
#define ODD_PAIR(a, b) 4, {-1, a, -1, b}, 1, 0

static const StxPixelFormat formats[] = {
    {"RGB", false, 1, {{3, {0, 1, 2, -1}, 0, 0}}},
    {"BGR", false, 1, {{3, {2, 1, 0, -1}, 0, 0}}},
    {"RGBA", false, 1, {{4, {0, 1, 2, -1}, 0, 0}}},
    {"RGBx", false, 1, {{4, {0, 1, 2, -1}, 0, 0}}},
    {"BGRA", false, 1, {{4, {2, 1, 0, -1}, 0, 0}}},
    {"BGRx", false, 1, {{4, {2, 1, 0, -1}, 0, 0}}},
    {"ARGB", false, 1, {{4, {-1, 0, 1, 2}, 0, 0}}},
    {"xRGB", false, 1, {{4, {-1, 0, 1, 2}, 0, 0}}},
    {"ABGR", false, 1, {{4, {-1, 2, 1, 0}, 0, 0}}},
    {"xBGR", false, 1, {{4, {-1, 2, 1, 0}, 0, 0}}},
    {"I420", true, 3, {{LUMA}, {SINGLE(1, 1, 1)}, {SINGLE(2, 1, 1)}}},
    {"YV12", true, 3, {{LUMA}, {SINGLE(2, 1, 1)}, {SINGLE(1, 1, 1)}}},
    {"Y42B", true, 3, {{LUMA}, {SINGLE(1, 1, 0)}, {SINGLE(2, 1, 0)}}},
    {"Y444", true, 3, {{LUMA}, {SINGLE(1, 0, 0)}, {SINGLE(2, 0, 0)}}},
    {"NV12", true, 2, {{LUMA}, {PAIR(1, 2, 1, 1)}}},
    {"NV21", true, 2, {{LUMA}, {PAIR(2, 1, 1, 1)}}},
    {"NV16", true, 2, {{LUMA}, {PAIR(1, 2, 1, 0)}}},
    {"NV61", true, 2, {{LUMA}, {PAIR(2, 1, 1, 0)}}},
    {"NV24", true, 2, {{LUMA}, {PAIR(1, 2, 0, 0)}}},
    {"AYUV", true, 1, {{4, {-1, 0, 1, 2}, 0, 0}}},
    {"YUY2", true, 2, {{EVEN}, {ODD_PAIR(1, 2)}}, true},
    {"YVYU", true, 2, {{EVEN}, {ODD_PAIR(2, 1)}}, true},
    {"UYVY", true, 2, {{ODD}, {EVEN_PAIR(1, 2)}}, true},
    {"VYUY", true, 2, {{ODD}, {EVEN_PAIR(2, 1)}}, true},
};

const StxPixelFormat *stx_pixel_format(const char *name)
{
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(formats[i].name, name) == 0)
      return &formats[i];
  return NULL;
}
