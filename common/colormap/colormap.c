/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters, the tables made from them, the range of a frame, stixels as maps, the legend. */
#include "common/colormap/colormap_math.h"
#include "common/colormap/colormap_private.h"
#include "common/metrics/metrics.h"

#include <math.h>
#include <string.h>

/* ---- Fields -------------------------------------------------------------------------------- */

static const StxFieldChoice modes[] = {
    {STX_COLORMAP_AUTO, "auto", "What the map holds: disparity, depth or confidence"},
    {STX_COLORMAP_DISPARITY, "disparity", "Pixels; depths need the camera"},
    {STX_COLORMAP_DEPTH, "depth", "Metres; disparities need the camera"},
    {STX_COLORMAP_CONFIDENCE, "confidence", "0 … 1 of pad confidence, the meta or stixels"},
    {STX_COLORMAP_COST, "cost", "Nats per row of a stixel; of segments pixels"},
    {0},
};
static const StxFieldChoice ranges[] = {
    {STX_COLORMAP_FIXED, "fixed", "min … max"},
    {STX_COLORMAP_FRAME, "frame", "Follows 98 % of each frame's values"},
    {0},
};
static const StxFieldChoice palettes[] = {
    {STX_COLORMAP_PALETTE_AUTO, "auto", "distance; of confidence and cost viridis"},
    {STX_PALETTE_DISTANCE, "distance", "Near red to far blue"},
    {STX_PALETTE_TURBO, "turbo", "Dark blue to dark red"},
    {STX_PALETTE_VIRIDIS, "viridis", "Dark violet to yellow"},
    {STX_PALETTE_CIVIDIS, "cividis", "Dark blue to yellow, for the colour-blind"},
    {STX_PALETTE_GRAY, "gray", "Black to white"},
    {0},
};
static const StxFieldChoice unknowns[] = {
    {STX_COLORMAP_CHECKER, "checker", "Dark squares"},
    {STX_COLORMAP_BLACK, "black", "Black"},
    {STX_COLORMAP_GREY, "grey", "Grey"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxColormapParams, member)

static const StxField fields[] = {
    {"mode", "Mode", "Quantity", FIELD(CHOICE, mode), .choices = modes},
    {"range", "Range", "Range of the palette", FIELD(CHOICE, range), .choices = ranges},
    {"palette", "Palette", "Palette", FIELD(CHOICE, palette), .choices = palettes},
    {"unknown", "Unknown", "Pixels without a value", FIELD(CHOICE, unknown), .choices = unknowns},
    {"min", "Minimum", "Lower end of range=fixed, in px, m, 1 or nats by mode", FIELD(DOUBLE, min),
        .high = 65536},
    {"max", "Maximum", "Upper end of range=fixed (0 = by mode: 64 px, 50 m, 1, 0.5 nat)",
        FIELD(DOUBLE, max), .high = 65536},
};

static const StxColormapParams defaults = STX_COLORMAP_DEFAULTS;

StxColormapSpan stx_colormap_span(const StxColormapParams *params)
{
  static const double most[] = {[STX_COLORMAP_AUTO] = 50, /* of a disparity or a depth */
      [STX_COLORMAP_DISPARITY] = 64,
      [STX_COLORMAP_DEPTH] = 50,
      [STX_COLORMAP_CONFIDENCE] = 1,
      [STX_COLORMAP_COST] = .5};
  return (StxColormapSpan){params->min, params->max > 0 ? params->max : most[params->mode]};
}

static bool check_span(const StxColormapParams *params, StxError *error)
{
  StxColormapSpan span = stx_colormap_span(params);
  return params->range != STX_COLORMAP_FIXED || span.low < span.high ||
         stx_fail(error, "min is %g, must be below max, which is %g%s", span.low, span.high,
             params->max > 0 ? "" : ": its default in this mode; set both");
}
STX_FIELDS_CHECK(check_span)
const StxFields stx_colormap_fields = {STX_FIELDS_OF(fields), &defaults, .check = check_span_any};

/* Is the value not the one that the map holds, but what the camera makes of it? */
static bool is_turned(const StxColormapParams *params)
{
  return params->numbers == STX_COLORMAP_OF_MAP &&
         stx_disparity_is_depth(params->encoding) != (params->mode == STX_COLORMAP_DEPTH);
}

bool stx_colormap_check(const StxColormapParams *params, StxError *error)
{
  const char *mode = stx_field_choice(modes, params->mode)->nick;
  if (!stx_fields_check(&stx_colormap_fields, params, error))
    return false;
  if (!check_span(params, error))
    return false;
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

/* The value of a number of the parameters' map, in the unit of the mode; negative: it has none. */
static double value_of(const StxColormapParams *params, unsigned number)
{
  if (params->numbers == STX_COLORMAP_OF_BYTE || params->numbers == STX_COLORMAP_OF_SURE)
    return number < 256 ? number / 255. : -1;
  if (params->numbers == STX_COLORMAP_OF_PART)
    return number > 0 && number != STX_COLORMAP_PART_SKY ? (number - 1) / STX_COLORMAP_PART : -1;
  double value = of_map(params->encoding, number);
  return value > 0 && is_turned(params) ? params->focal_baseline / value : value;
}

/* ---- Colours ------------------------------------------------------------------------------- */

/* AUTO resolved by the mode. */
static StxPalette palette_of(const StxColormapParams *params)
{
  if (params->palette != STX_COLORMAP_PALETTE_AUTO)
    return (StxPalette)params->palette;
  return params->mode == STX_COLORMAP_CONFIDENCE || params->mode == STX_COLORMAP_COST
             ? STX_PALETTE_VIRIDIS
             : STX_PALETTE_DISTANCE;
}

StxRgb stx_colormap_colour(const StxColormapParams *params, int level, bool odd)
{
  const int steps = STX_COLORMAP_MOST - 1;
  const StxRgb dark = stx_palette_colour(STX_PALETTE_GRAY, 0), grey = stx_colour(STX_MEANS_UNKNOWN);
  if (level == 0 && params->unknown == STX_COLORMAP_CHECKER)
    return stx_colour_mix(dark, grey, odd ? 3 : 2, 8);
  if (level == 0)
    return params->unknown == STX_COLORMAP_BLACK ? dark : grey;
  if (level == STX_COLORMAP_SKY) /* paler than anything of the palettes */
    return stx_colour_mix(stx_colour_kind(STX_KIND_SKY), (StxRgb){255, 255, 255}, 1, 2);
  return stx_palette_colour(palette_of(params), ((level - 1) * 255 + steps / 2) / steps);
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

static uint8_t level_of(const StxColormapParams *params, StxColormapSpan span, unsigned number)
{
  double value = value_of(params, number);
  if (params->numbers == STX_COLORMAP_OF_PART && number == STX_COLORMAP_PART_SKY)
    return STX_COLORMAP_SKY;
  if (!(value >= 0))
    return 0;
  double x = fmin(fmax((value - span.low) / (span.high - span.low), 0), 1);
  if (params->mode == STX_COLORMAP_DEPTH)
    x = 1 - x;
  return (uint8_t)(1 + (int)((STX_COLORMAP_MOST - 1) * x + .5));
}

void stx_colormap_table(const StxColormapParams *params, StxColormapSpan span,
    const StxPixelFormat *format, StxColormapTable *table)
{
  for (unsigned number = 0; number < STX_COLORMAP_NUMBERS; number++)
    table->level[number] = level_of(params, span, number);
  table->known[0] = 0; /* the known values of a 16-bit map are a range without gaps */
  while (!(of_map(params->encoding, table->known[0]) > 0))
    table->known[0]++;
  table->known[1] = STX_COLORMAP_NUMBERS - 1;
  while (!(of_map(params->encoding, table->known[1]) > 0))
    table->known[1]--;
  for (int level = 0; level < STX_COLORMAP_LEVELS; level++)
    for (int odd = 0; odd < 2; odd++)
      table->paint[odd][level] = pixel_of(format, stx_colormap_colour(params, level, odd));
}

int stx_colormap_square_for(int width, int height)
{
  int square = 3;
  for (int side = width < height ? width : height; side >= 720 && square < STX_COLORMAP_SQUARES;
       side /= 2)
    square++;
  return square;
}

/* ---- The range of a frame ------------------------------------------------------------------ */

#define ASIDE 100   /* one of so many values may lie outside of either end */
#define FOLLOW 8.   /* a part of the way that a new range goes in a frame */
#define STEPS 50    /* of a range, to which its ends are rounded */
#define NARROW 1e-3 /* the narrowest range, in the unit of the mode */

/* The known number of a bin that is nearest to its lower, or upper, end; -1: there is none. */
static int known_of(
    const StxColormapParams *params, const StxColormapTable *table, int bin, bool upper)
{
  int size = params->numbers >= STX_COLORMAP_OF_BYTE ? 1 : 1 << STX_COLORMAP_BIN_SHIFT;
  for (int i = 0; i < size; i++) {
    int number = bin * size + (upper ? size - 1 - i : i);
    if (stx_colormap_is_value(table->level[number]))
      return number;
  }
  return -1;
}

/* The bin in which the value number `rank` lies, from 0, counted from the first bin or the last. */
static int bin_of(const StxColormapHistogram *histogram, uint64_t rank, bool from_last)
{
  for (int i = 0; i < STX_COLORMAP_BINS; i++) {
    int bin = from_last ? STX_COLORMAP_BINS - 1 - i : i;
    if (histogram->count[bin] > rank)
      return bin;
    rank -= histogram->count[bin];
  }
  return 0;
}

bool stx_colormap_measure(const StxColormapParams *params, const StxColormapTable *table,
    const StxColormapHistogram *histogram, StxColormapSpan *span)
{
  uint64_t total = 0;
  for (int bin = 0; bin < STX_COLORMAP_BINS; bin++)
    total += histogram->count[bin];
  if (total == 0)
    return false;
  int first = known_of(params, table, bin_of(histogram, total / ASIDE, false), false);
  int last = known_of(params, table, bin_of(histogram, total / ASIDE, true), true);
  if (first < 0 || last < 0)
    return false;
  double a = value_of(params, (unsigned)first), b = value_of(params, (unsigned)last);
  *span = (StxColormapSpan){fmin(a, b), fmax(a, b)};
  return true;
}

StxColormapSpan stx_colormap_follow(const StxColormapSpan *before, StxColormapSpan now)
{
  if (before == NULL)
    return now;
  double width = before->high - before->low, new_width = now.high - now.low;
  double common = fmin(before->high, now.high) - fmax(before->low, now.low);
  if (common < .75 * new_width || common < .25 * width)
    return now;
  return (StxColormapSpan){before->low + (now.low - before->low) / FOLLOW,
      before->high + (now.high - before->high) / FOLLOW};
}

StxColormapSpan stx_colormap_round(StxColormapSpan span)
{
  double width = fmax(span.high - span.low, NARROW);
  double step = pow(2, ceil(log2(width / STEPS)));
  double low = floor(span.low / step) * step, high = ceil(span.high / step) * step;
  return (StxColormapSpan){fmax(low, 0), high > low ? high : low + step};
}

/* ---- Stixels as maps ----------------------------------------------------------------------- */

/* 0 … 1, or nats for each row, as a number. */
static uint16_t number_of(const StxStixel *stixel, StxColormapMode mode)
{
  double value = stixel->confidence;
  if (stixel->kind == STX_KIND_SKY)
    return STX_COLORMAP_PART_SKY;
  if (mode == STX_COLORMAP_COST)
    value = stixel->kind == STX_KIND_SEGMENT
                ? stixel->cost
                : (double)stixel->cost / (stixel->bottom - stixel->top + 1);
  if (!(value >= 0) || !isfinite(value))
    return 0;
  return (uint16_t)(1 + fmin(value * STX_COLORMAP_PART + .5, STX_COLORMAP_PART_SKY - 2));
}

void stx_colormap_render(const StxStixel *stixels, size_t count, int cell_width,
    StxColormapMode mode, const StxImage16 *map)
{
  if (mode != STX_COLORMAP_CONFIDENCE && mode != STX_COLORMAP_COST) {
    stx_render_disparity(stixels, count, cell_width, map);
    return;
  }
  for (int y = 0; y < map->height; y++)
    memset(stx_row16(map, y), 0, (size_t)map->width * sizeof(uint16_t));
  for (const StxStixel *s = stixels; s < stixels + count; s++) {
    const int left = s->column * cell_width, right = left + cell_width;
    const uint16_t number = number_of(s, mode);
    for (int y = s->top; y <= s->bottom && y < map->height; y++)
      for (int x = left; x < right && x < map->width; x++)
        stx_row16(map, y)[x] = number;
  }
}

/* ---- The legend ---------------------------------------------------------------------------- */

static const char *const titles[] = {[STX_COLORMAP_DISPARITY] = "disparity",
    [STX_COLORMAP_DEPTH] = "depth",
    [STX_COLORMAP_CONFIDENCE] = "confidence",
    [STX_COLORMAP_COST] = "cost"};
/* A cost may be of stixels or of segments. */
static const char *const units[] = {[STX_COLORMAP_DISPARITY] = "px",
    [STX_COLORMAP_DEPTH] = "m",
    [STX_COLORMAP_COST] = "nat/row or px"};

void stx_colormap_legend(
    const StxColormapParams *params, StxColormapSpan span, StxLegend where, StxCanvas *canvas)
{
  const StxName names[] = {{.name = "unknown", .colour = stx_colormap_colour(params, 0, true)},
      {.name = "sky", .colour = stx_colormap_colour(params, STX_COLORMAP_SKY, false)}};
  const size_t count[] = {[STX_COLORMAP_OF_MAP] = 1,
      [STX_COLORMAP_OF_PART] = 2,
      [STX_COLORMAP_OF_BYTE] = 0,
      [STX_COLORMAP_OF_SURE] = 2};
  StxBar bar = {.palette = palette_of(params),
      .reversed = params->mode == STX_COLORMAP_DEPTH,
      .low = span.low,
      .high = span.high,
      .title = titles[params->mode],
      .unit = units[params->mode],
      .names = names,
      .count = count[params->numbers]};
  stx_canvas_bar(canvas, where, &bar);
}

/* ---- Implementations ----------------------------------------------------------------------- */

/* A quarter of the rows, on one thread: less work than tables of several threads to be added up. */
bool stx_colormap_spread(const StxColormapInput *input, const StxColormapTable *table,
    StxColormapHistogram *histogram, const StxPlace *place, StxError *error)
{
  const bool is_bytes = input->bytes.data != NULL;
  const int width = is_bytes ? input->bytes.width : input->map.width;
  const int height = is_bytes ? input->bytes.height : input->map.height;
  memset(histogram, 0, sizeof *histogram);
  for (int y = 0; y < height; y += STX_COLORMAP_SPREAD_ROWS)
    for (int x = 0; x < width; x++) {
      const uint16_t number = is_bytes ? 0 : stx_row16(&input->map, y)[x];
      if (!is_bytes && stx_colormap_is_value(table->level[number]))
        histogram->count[number >> STX_COLORMAP_BIN_SHIFT]++;
      else if (is_bytes && stx_colormap_is_value(stx_colormap_map_level(input, table, x, y)))
        histogram->count[stx_row8(&input->bytes, y)[x]]++;
    }
  return true;
}

#define FUNCTIONS(isa) stx_colormap_spread, stx_colormap_paint_##isa
STX_HOST_TABLE(StxColormapImpl, stx_colormap, FUNCTIONS);
