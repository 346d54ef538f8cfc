/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters, and the tables made from them. */
#include "common/tint/tint_private.h"

#include <math.h>
#include <string.h>

/* ---- Fields -------------------------------------------------------------------------------- */

static const StxFieldChoice modes[] = {
    {STX_TINT_AUTO, "auto",
        "error with pad truth, confidence with pad confidence, else what the map holds: disparity "
        "or depth"},
    {STX_TINT_DISPARITY, "disparity", "Pixels; of depths with the camera"},
    {STX_TINT_DEPTH, "depth", "Metres; of disparities with the camera"},
    {STX_TINT_CONFIDENCE, "confidence", "0 … 1: of pad confidence, of the map's meta, of stixels"},
    {STX_TINT_COST, "cost", "Nats of a stixel for each of its image rows; of segments pixels"},
    {STX_TINT_ERROR, "error", "Difference from the map of pad truth, in steps of a factor of two"},
    {0},
};
static const StxFieldChoice ranges[] = {
    {STX_TINT_FIXED, "fixed", "min … max"},
    {STX_TINT_FRAME, "frame", "98 % of what each frame holds, followed slowly"},
    {0},
};
static const StxFieldChoice palettes[] = {
    {STX_TINT_PALETTE_AUTO, "auto", "distance; of confidence and cost viridis"},
    {STX_PALETTE_DISTANCE, "distance", "Near red, over yellow and green, to far blue"},
    {STX_PALETTE_TURBO, "turbo", "Dark blue to dark red, many colours"},
    {STX_PALETTE_VIRIDIS, "viridis", "Dark violet to yellow, lighter in even steps"},
    {STX_PALETTE_CIVIDIS, "cividis", "Dark blue to yellow, the same to the colour-blind"},
    {STX_PALETTE_GRAY, "gray", "Black to white"},
    {0},
};
static const StxFieldChoice unknowns[] = {
    {STX_TINT_CHECKER, "checker", "Dark squares"},
    {STX_TINT_BLACK, "black", "Black"},
    {STX_TINT_GREY, "grey", "Grey"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxTintParams, member)

static const StxField fields[] = {
    {"mode", "Mode", "What is shown", FIELD(CHOICE, mode), .choices = modes},
    {"range", "Range", "Which values the ends of the palette stand for", FIELD(CHOICE, range),
        .choices = ranges},
    {"palette", "Palette", "Colours from far to near, or from little to much",
        FIELD(CHOICE, palette), .choices = palettes},
    {"unknown", "Unknown", "How pixels without a value look", FIELD(CHOICE, unknown),
        .choices = unknowns},
    {"min", "Minimum", "With range=fixed: the value at the palette's lower end, px, m, 1 or nat",
        FIELD(DOUBLE, min), .high = 65536},
    {"max", "Maximum",
        "With range=fixed: the value at its upper end (0 = by mode: 64 px, 50 m, 1, 0.5 nat)",
        FIELD(DOUBLE, max), .high = 65536},
};

static const StxTintParams defaults = STX_TINT_DEFAULTS;
const StxFields stx_tint_fields = {STX_FIELDS_OF(fields), &defaults};

StxTintSpan stx_tint_span(const StxTintParams *params)
{
  static const double most[] = {[STX_TINT_DISPARITY] = 64,
      [STX_TINT_DEPTH] = 50,
      [STX_TINT_CONFIDENCE] = 1,
      [STX_TINT_COST] = .5};
  double high =
      params->max > 0 || params->mode == STX_TINT_ERROR ? params->max : most[params->mode];
  return (StxTintSpan){params->min, high};
}

/* Is the value not the one that the map holds, but what the camera makes of it? */
static bool is_turned(const StxTintParams *params)
{
  return params->numbers == STX_TINT_OF_MAP &&
         stx_disparity_is_depth(params->encoding) != (params->mode == STX_TINT_DEPTH);
}

bool stx_tint_check(const StxTintParams *params, StxError *error)
{
  StxTintSpan span = stx_tint_span(params);
  const char *mode = stx_field_choice(modes, params->mode)->nick;
  if (!stx_fields_check(&stx_tint_fields, params, error))
    return false;
  if (params->mode != STX_TINT_ERROR && params->range == STX_TINT_FIXED && span.low >= span.high)
    return stx_fail(error, "min is %g, must be below max, which is %g%s", span.low, span.high,
        params->max > 0 ? "" : ": its default in this mode; set both");
  if (is_turned(params) && !(params->focal_baseline > 0))
    return stx_fail(error,
        "mode=%s of a map of %s needs focal length and baseline, and they are not known: set focal "
        "and baseline, or calibration, or choose mode=%s",
        mode, stx_disparity_is_depth(params->encoding) ? "depths" : "disparities",
        stx_disparity_is_depth(params->encoding) ? "depth" : "disparity");
  return true;
}

/* ---- Values -------------------------------------------------------------------------------- */

/* Pixels or metres, as the map has them. */
static double of_map(StxDisparityEncoding encoding, unsigned number)
{
  switch (encoding) {
  case STX_DISPARITY_CITYSCAPES:
    return number > 1 ? (number - 1) / 256. : -1;
  case STX_DISPARITY_OPENCV:
    return number > 0 && number <= INT16_MAX ? number / 16. : -1;
  case STX_DISPARITY_DEPTH_MM:
    return number > 0 && number < UINT16_MAX ? number / 1000. : -1;
  default:
    return number > 0 ? number / 256. : -1;
  }
}

double stx_tint_value(const StxTintParams *params, unsigned number)
{
  if (params->numbers == STX_TINT_OF_BYTE || params->numbers == STX_TINT_OF_SURE)
    return number < 256 ? number / 255. : -1;
  if (params->numbers == STX_TINT_OF_PART)
    return number > 0 && number != STX_TINT_PART_SKY ? (number - 1) / STX_TINT_PART : -1;
  double value = of_map(params->encoding, number);
  return value > 0 && is_turned(params) ? params->focal_baseline / value : value;
}

bool stx_tint_is_plain(const StxTintParams *params)
{
  return params->encoding <= STX_DISPARITY_KITTI;
}

void stx_tint_disparities(const StxTintParams *params, uint16_t *disparity)
{
  StxTintParams as_pixels = *params;
  as_pixels.mode = STX_TINT_DISPARITY;
  for (unsigned number = 0; number < STX_TINT_NUMBERS; number++) {
    double value = stx_tint_value(&as_pixels, number) * STX_DISPARITY_ONE + .5;
    disparity[number] = (uint16_t)(value < 1 ? 0 : value > UINT16_MAX ? UINT16_MAX : value);
  }
}

/* ---- Colours ------------------------------------------------------------------------------- */

StxPalette stx_tint_palette(const StxTintParams *params)
{
  if (params->palette != STX_TINT_PALETTE_AUTO)
    return (StxPalette)params->palette;
  return params->mode == STX_TINT_CONFIDENCE || params->mode == STX_TINT_COST
             ? STX_PALETTE_VIRIDIS
             : STX_PALETTE_DISTANCE;
}

static StxRgb unknown_colour(StxTintUnknown unknown, bool odd)
{
  StxRgb dark = stx_palette_colour(STX_PALETTE_GRAY, 0), grey = stx_colour(STX_MEANS_UNKNOWN);
  if (unknown == STX_TINT_CHECKER)
    return stx_colour_mix(dark, grey, odd ? 3 : 2, 8);
  return unknown == STX_TINT_BLACK ? dark : grey;
}

/* Paler than anything of the palettes. */
static StxRgb sky_colour(void)
{
  static const StxRgb white = {255, 255, 255};
  return stx_colour_mix(stx_colour_kind(STX_KIND_SKY), white, 1, 2);
}

StxRgb stx_tint_colour(const StxTintParams *params, int level, bool odd)
{
  int steps = (params->mode == STX_TINT_ERROR ? STX_TINT_ERRORS : STX_TINT_MOST) - 1;
  if (level == 0)
    return unknown_colour(params->unknown, odd);
  if (params->mode == STX_TINT_ERROR && level >= STX_TINT_MISSING)
    return unknown_colour(params->unknown == STX_TINT_GREY ? STX_TINT_BLACK : STX_TINT_GREY, odd);
  if (level == STX_TINT_SKY)
    return sky_colour();
  return stx_palette_colour(stx_tint_palette(params), ((level - 1) * 255 + steps / 2) / steps);
}

static uint32_t pixel_of(const StxPixelFormat *format, StxRgb colour)
{
  const uint8_t channel[3] = {colour.r, colour.g, colour.b};
  uint8_t bytes[4];
  uint32_t pixel;
  for (int i = 0; i < 4; i++)
    bytes[i] = format->plane[0].channel[i] < 0 ? 255 : channel[format->plane[0].channel[i]];
  memcpy(&pixel, bytes, sizeof pixel);
  return pixel;
}

static uint8_t level_of(const StxTintParams *params, StxTintSpan span, unsigned number)
{
  double value = stx_tint_value(params, number);
  if (params->numbers == STX_TINT_OF_PART && number == STX_TINT_PART_SKY)
    return STX_TINT_SKY;
  if (!(value >= 0))
    return 0;
  double x = fmin(fmax((value - span.low) / (span.high - span.low), 0), 1);
  if (params->mode == STX_TINT_DEPTH)
    x = 1 - x;
  return (uint8_t)(1 + (int)((STX_TINT_MOST - 1) * x + .5));
}

/* What is known of a map in 16 bits is a row of numbers without a gap. */
static void find_known(StxDisparityEncoding encoding, uint32_t known[2])
{
  known[0] = 0;
  known[1] = STX_TINT_NUMBERS - 1;
  while (!(of_map(encoding, known[0]) > 0))
    known[0]++;
  while (!(of_map(encoding, known[1]) > 0))
    known[1]--;
}

void stx_tint_table(const StxTintParams *params, StxTintSpan span, const StxPixelFormat *format,
    StxTintTable *table)
{
  if (params->mode == STX_TINT_ERROR)
    memset(table->level, 0, sizeof table->level);
  else
    for (unsigned number = 0; number < STX_TINT_NUMBERS; number++)
      table->level[number] = level_of(params, span, number);
  find_known(params->encoding, table->known);
  for (int level = 0; level < STX_TINT_LEVELS; level++)
    for (int odd = 0; odd < 2; odd++)
      table->paint[odd][level] = pixel_of(format, stx_tint_colour(params, level, odd));
}

int stx_tint_square_for(int width, int height)
{
  int square = 3;
  for (int side = width < height ? width : height; side >= 720 && square < STX_TINT_SQUARES;
       side /= 2)
    square++;
  return square;
}

/* ---- Implementations ----------------------------------------------------------------------- */

#define IMPL(name, backend, needs, suffix)                                                         \
  {                                                                                                \
    {name, backend, STX_MEMORY_HOST, needs}, stx_tint_spread_##suffix, stx_tint_paint_##suffix     \
  }
static const StxTintImpl impls[] = {STX_HOST_IMPLS(IMPL)};
const StxImplTable stx_tint_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
