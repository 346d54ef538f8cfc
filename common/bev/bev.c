/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bird's-eye picture. A pixel keeps a key of 32 bits: rank, height, colour, from the top bit
 * down; the largest is what is seen, and 0 is nothing.
 */
#include "common/bev/bev.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/ground/ground.h"
#include "common/lettering.h"

typedef struct {
  uint8_t channel[3];
} Colour;

/* Numbers of colours. */
enum {
  HUES = 64,
  RAMP = 256,
  COLOUR_BACKGROUND = 0, /* of a pixel without a key */
  COLOUR_NONE,
  COLOUR_GROUND,
  COLOUR_OBSTACLE,
  COLOUR_CLUSTER,
  COLOUR_RAMP = COLOUR_CLUSTER + HUES,
  COLOURS = COLOUR_RAMP + RAMP
};

enum { RANK_NONE = 1, RANK_GROUND, RANK_OBSTACLE };
#define RANK_SHIFT 30
#define HEIGHT_SHIFT 16
#define COLOUR_MASK 0xFFFFu
#define HEIGHT_STEPS (1 << (RANK_SHIFT - HEIGHT_SHIFT))

#define RING_INK 90 /* of 255 */
#define LETTER_INK 230
#define LETTER_SIZE 11.0 /* pixels */
#define RING_GAP 60.0    /* pixels between rings, at least */

struct StxBev {
  StxBevParams params;
  double scale; /* pixels per metre */
  Colour colour[COLOURS];
  uint8_t bytes[COLOURS][4]; /* of a pixel of that colour */
  uint32_t *key;             /* by pixel */
  uint8_t *ink;              /* by pixel: how much of it is ring or letter */
};

static const Colour ink_colour = {{235, 235, 225}};

/* ---- Fields ------------------------------------------------------------------------------- */

static const StxFieldChoice modes[] = {
    {STX_BEV_CLUSTERS, "clusters", "Ground, and a colour per cluster"},
    {STX_BEV_LABELS, "labels", "Ground and obstacles"},
    {STX_BEV_HEIGHT, "height", "Height, from 2 m below the sensor to 2 m above"},
    {STX_BEV_INTENSITY, "intensity", "Intensity"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxBevParams, member)

static const StxField fields[] = {
    {"mode", "Mode", "What the colours of the points show", FIELD(CHOICE, mode), .choices = modes},
    {FIELD(INT, width), .low = 16, .high = STX_BEV_MAX_SIDE, .unit = "pixels"},
    {FIELD(INT, height), .low = 16, .high = STX_BEV_MAX_SIDE, .unit = "pixels"},
    {"extent", "Extent", "From the centre of the picture to its nearer edge, metres",
        FIELD(DOUBLE, extent), .low = STX_BEV_MIN_EXTENT, .high = STX_BEV_MAX_EXTENT, .unit = "m"},
    {"center-x", "Centre ahead",
        "How far ahead of the sensor the centre of the picture lies, metres",
        FIELD(DOUBLE, center_x), .low = -STX_BEV_MAX_EXTENT, .high = STX_BEV_MAX_EXTENT,
        .unit = "m"},
    {"center-y", "Centre to the left",
        "How far to the left of the sensor the centre of the picture lies, metres",
        FIELD(DOUBLE, center_y), .low = -STX_BEV_MAX_EXTENT, .high = STX_BEV_MAX_EXTENT,
        .unit = "m"},
    {"point-size", "Point size", "Side of the square that a point covers, pixels",
        FIELD(INT, point_size), .low = 1, .high = 9, .unit = "pixels"},
    {"rings", "Rings", "Draw range rings, distances, a scale and the sensor", FIELD(BOOL, rings)},
};
static const StxBevParams defaults = STX_BEV_DEFAULTS;
const StxFields stx_bev_fields = {STX_FIELDS_OF(fields), &defaults};

bool stx_bev_check(const StxBevParams *p, StxError *error)
{
  if (p->format == NULL || p->format->planes != 1 || p->format->yuv)
    return stx_fail(error, "format is %s, must be RGB, BGR, or one of these with a fourth byte",
        p->format == NULL ? "unknown" : p->format->name);
  return stx_fields_check(&stx_bev_fields, p, error);
}

/* ---- Colours ------------------------------------------------------------------------------ */

/* hue 0…1: red, yellow, green, cyan, blue, magenta, red. */
static Colour hue_colour(double hue, double light)
{
  Colour colour;
  for (int c = 0; c < 3; c++) {
    double away = fabs(fmod(hue * 6 + (c == 0 ? 0 : c == 1 ? 4 : 2), 6) - 3) - 1;
    double pure = away < 0 ? 0 : away > 1 ? 1 : away;
    colour.channel[c] = (uint8_t)(255 * light * (0.25 + 0.75 * pure) + 0.5);
  }
  return colour;
}

static void make_colours(StxBev *bev)
{
  bev->colour[COLOUR_BACKGROUND] = (Colour){{14, 16, 20}};
  bev->colour[COLOUR_NONE] = (Colour){{72, 74, 84}};
  bev->colour[COLOUR_GROUND] = (Colour){{52, 104, 88}};
  bev->colour[COLOUR_OBSTACLE] = (Colour){{232, 72, 56}};
  for (int i = 0; i < HUES; i++) /* neighbours in number far apart in hue; greens left out */
    bev->colour[COLOUR_CLUSTER + i] =
        hue_colour(fmod(0.45 + 0.8 * fmod(i * 0.61803398875, 1), 1), i % 2 ? 1 : 0.85);
  for (int i = 0; i < RAMP; i++)
    bev->colour[COLOUR_RAMP + i] = hue_colour(0.66 * (1 - i / 255.0), 1);
}

/* ---- Rings and letters -------------------------------------------------------------------- */

static void put_ink(StxBev *bev, int x, int y, int ink)
{
  uint8_t *at = &bev->ink[(size_t)y * (size_t)bev->params.width + (size_t)x];
  *at = ink > *at ? (uint8_t)ink : *at;
}

/* The pixel in which the sensor is, from the top left of the picture; fractions count. */
static double sensor_column(const StxBev *bev)
{
  return bev->params.width / 2.0 + bev->params.center_y * bev->scale;
}

static double sensor_row(const StxBev *bev)
{
  return bev->params.height / 2.0 + bev->params.center_x * bev->scale;
}

/* Metres between rings: 1, 2 or 5 times a power of ten. */
static double ring_step(const StxBev *bev)
{
  static const double steps[] = {
      0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000};
  size_t i = 0;
  while (i + 1 < sizeof steps / sizeof steps[0] && steps[i] * bev->scale < RING_GAP)
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
  double step = ring_step(bev) * bev->scale;
  for (int y = 0; y < bev->params.height; y++)
    for (int x = 0; x < bev->params.width; x++) {
      double right = x + 0.5 - sensor_column(bev), down = y + 0.5 - sensor_row(bev);
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
  double step = ring_step(bev), gap = step * bev->scale, sensor = sensor_row(bev);
  int below = (int)ceil((sensor - bev->params.height) / gap);
  for (int ring = below > 1 ? below : 1; sensor - ring * gap > LETTER_SIZE; ring++) {
    char text[32];
    write_distance(text, sizeof text, step, ring, ring == 1 ? " m" : "");
    draw_text(bev, text, sensor_column(bev) + 4, sensor - ring * gap - 4);
  }
}

/* A bar as long as the rings are apart, at the bottom left. */
static void draw_bar(StxBev *bev)
{
  char text[32];
  int length = (int)(ring_step(bev) * bev->scale + 0.5), left = 12, row = bev->params.height - 12;
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
      int column = (int)floor(sensor_column(bev)) + x, row = (int)floor(sensor_row(bev)) + y;
      bool inside = 2 * abs(x) <= (y + 8) && y <= 6 && 2 * abs(x) > 2 * y - 6;
      if (inside && column >= 0 && column < bev->params.width && row >= 0 &&
          row < bev->params.height)
        put_ink(bev, column, row, LETTER_INK);
    }
}

/* ---- Bytes of a pixel --------------------------------------------------------------------- */

static void write_pixel(const StxPlane *plane, uint8_t *out, const Colour *colour, int ink)
{
  for (int byte = 0; byte < plane->pixel_stride; byte++) {
    int channel = plane->channel[byte];
    int below = channel < 0 ? 255 : colour->channel[channel];
    int above = channel < 0 ? 255 : ink_colour.channel[channel];
    out[byte] = (uint8_t)((below * (255 - ink) + above * ink + 127) / 255);
  }
}

static void make_bytes(StxBev *bev)
{
  for (int i = 0; i < COLOURS; i++)
    write_pixel(&bev->params.format->plane[0], bev->bytes[i], &bev->colour[i], 0);
}

/* ---- Prepared state ----------------------------------------------------------------------- */

static size_t pixels(const StxBevParams *params)
{
  return (size_t)params->width * (size_t)params->height;
}

static size_t lay_out(const StxBevParams *params, StxBev *bev, void *memory)
{
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof *bev);
  STX_TAKE(&at, bev->key, pixels(params));
  STX_TAKE(&at, bev->ink, pixels(params));
  return at.size;
}

size_t stx_bev_size(const StxBevParams *params)
{
  StxBev layout;
  return lay_out(params, &layout, NULL);
}

StxBev *stx_bev_init(void *memory, const StxBevParams *params)
{
  StxBev *bev = memory;
  int side = params->width < params->height ? params->width : params->height;
  bev->params = *params;
  bev->scale = side / 2.0 / params->extent;
  lay_out(params, bev, memory);
  make_colours(bev);
  make_bytes(bev);
  memset(bev->ink, 0, pixels(params));
  if (params->rings) {
    draw_rings(bev);
    draw_distances(bev);
    draw_bar(bev);
    draw_sensor(bev);
  }
  return bev;
}

/* ---- Points ------------------------------------------------------------------------------- */

/* `value` between low and high as a colour of the ramp. */
static uint32_t ramp_colour(float value, float low, float high)
{
  float share = (value - low) / (high - low);
  return COLOUR_RAMP + (uint32_t)(share > 0 ? share < 1 ? share * 255 + 0.5f : 255 : 0);
}

static uint32_t rank_of(const uint32_t *label)
{
  if (label == NULL)
    return RANK_OBSTACLE;
  return (*label & 0xFFFF) == STX_POINT_NONE ? RANK_NONE
         : stx_point_is_ground(*label)       ? RANK_GROUND
                                             : RANK_OBSTACLE;
}

static uint32_t colour_of(
    StxBevMode mode, const float *point, const uint32_t *label, uint32_t rank, float brightest)
{
  if (mode == STX_BEV_INTENSITY)
    return ramp_colour(point[3], 0, brightest);
  if (mode == STX_BEV_HEIGHT || label == NULL)
    return ramp_colour(point[2], -2, 2);
  if (rank != RANK_OBSTACLE)
    return rank == RANK_NONE ? COLOUR_NONE : COLOUR_GROUND;
  uint32_t cluster = *label >> 16;
  return mode == STX_BEV_LABELS || cluster == 0 ? COLOUR_OBSTACLE : COLOUR_CLUSTER + cluster % HUES;
}

static uint32_t height_of(float z)
{
  float steps = (z + HEIGHT_STEPS / 512.0f) * 256;
  return steps > 0 ? steps < HEIGHT_STEPS - 1 ? (uint32_t)steps : HEIGHT_STEPS - 1 : 0;
}

static void put_point(StxBev *bev, double column, double row, uint32_t key)
{
  int width = bev->params.width, height = bev->params.height, size = bev->params.point_size;
  if (!(column > -size && column < width + size && row > -size && row < height + size))
    return;
  int left = (int)floor(column) - (size - 1) / 2, top = (int)floor(row) - (size - 1) / 2;
  for (int y = top < 0 ? 0 : top; y < top + size && y < height; y++)
    for (int x = left < 0 ? 0 : left; x < left + size && x < width; x++) {
      uint32_t *at = &bev->key[(size_t)y * (size_t)width + (size_t)x];
      *at = key > *at ? key : *at;
    }
}

/* What counts as full intensity. */
static float brightest_of(const float *points, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (points[4 * i + 3] > 1)
      return 255;
  return 1;
}

static void put_points(StxBev *bev, const float *points, const uint32_t *labels, size_t count)
{
  StxBevMode mode = bev->params.mode;
  float brightest = mode == STX_BEV_INTENSITY ? brightest_of(points, count) : 1;
  double column = sensor_column(bev), row = sensor_row(bev);
  for (size_t i = 0; i < count; i++) {
    const float *point = points + 4 * i;
    const uint32_t *label = labels == NULL ? NULL : &labels[i];
    if (!isfinite(point[2]))
      continue;
    uint32_t rank = rank_of(label);
    uint32_t key = rank << RANK_SHIFT | height_of(point[2]) << HEIGHT_SHIFT |
                   colour_of(mode, point, label, rank, brightest);
    put_point(
        bev, column - (double)point[1] * bev->scale, row - (double)point[0] * bev->scale, key);
  }
}

/* ---- Frame -------------------------------------------------------------------------------- */

/* A row without ink; `stride` is that of the format, so that the copy is of a known size. */
static inline void write_row(
    const StxBev *bev, const uint32_t *key, uint8_t *out, const size_t stride)
{
  for (int x = 0; x < bev->params.width; x++)
    memcpy(out + (size_t)x * stride, bev->bytes[key[x] & COLOUR_MASK], stride);
}

static void write_ink(const StxBev *bev, const uint32_t *key, const uint8_t *ink, uint8_t *out)
{
  const StxPlane *plane = &bev->params.format->plane[0];
  for (int x = 0; x < bev->params.width; x++)
    if (ink[x] != 0)
      write_pixel(plane, out + x * plane->pixel_stride, &bev->colour[key[x] & COLOUR_MASK], ink[x]);
}

static void write_frame(const StxBev *bev, const StxFrame *frame)
{
  for (int y = 0; y < bev->params.height; y++) {
    size_t first = (size_t)y * (size_t)bev->params.width;
    uint8_t *out = frame->data[0] + y * frame->stride[0];
    if (bev->params.format->plane[0].pixel_stride == 4)
      write_row(bev, bev->key + first, out, 4);
    else
      write_row(bev, bev->key + first, out, 3);
    if (bev->params.rings)
      write_ink(bev, bev->key + first, bev->ink + first, out);
  }
}

void stx_bev_draw(
    StxBev *bev, const float *points, const uint32_t *labels, size_t count, const StxFrame *frame)
{
  memset(bev->key, 0, pixels(&bev->params) * sizeof *bev->key);
  put_points(bev, points, labels, count);
  write_frame(bev, frame);
}
