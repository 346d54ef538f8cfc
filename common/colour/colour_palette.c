/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours of numbers.
 *
 * DISTANCE's are knots in OKLCh (hue from red to blue in even steps of what the eye tells apart,
 * lightness highest in the middle), converted to sRGB by hand and joined by straight lines. Tried
 * and rejected: a plain red-green ramp (mud in the middle, and the commonest colour blindness sees
 * one colour), a rainbow at full saturation (its cyan and yellow bands look like edges in the
 * scene).
 */
#include "common/colour/colour.h"

const StxFieldChoice stx_palette_choices[] = {
    {STX_PALETTE_DISTANCE, "distance", "Far blue, over green and yellow, to near red"},
    {STX_PALETTE_TURBO, "turbo", "A rainbow without false edges, dark blue to dark red"},
    {STX_PALETTE_VIRIDIS, "viridis", "Dark violet, over green, to yellow"},
    {STX_PALETTE_CIVIDIS, "cividis", "Dark blue to yellow, the same to the colour-blind"},
    {STX_PALETTE_GRAY, "gray", "Black to white"},
    {0},
};

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
