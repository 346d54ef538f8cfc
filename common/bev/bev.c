/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters, colours, and what a pixel becomes that its layers have given a key. */
#include "common/bev/bev_private.h"
#include "common/parallel.h"

#include <string.h>

/* ---- Fields ------------------------------------------------------------------------------- */

static const StxFieldChoice modes[] = {
    {STX_BEV_CLUSTERS, "clusters", "Ground, and a colour per cluster"},
    {STX_BEV_LABELS, "labels", "Ground and obstacles"},
    {STX_BEV_HEIGHT, "height", "Height, from 2 m below the sensor to 2 m above"},
    {STX_BEV_INTENSITY, "intensity", "Intensity"},
    {STX_BEV_PLAIN, "plain", "Ground, and obstacles in white"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxBevParams, member)

static const StxField mode_fields[] = {
    {"mode", "Mode", "What the colours of the points show", FIELD(CHOICE, mode), .choices = modes},
};
static const StxField fields[] = {
    {FIELD(INT, width), .low = 16, .high = STX_BEV_MAX_SIDE, .unit = "pixels"},
    {FIELD(INT, height), .low = 16, .high = STX_BEV_MAX_SIDE, .unit = "pixels"},
    {"extent", "Extent", "From the centre of the picture to its nearer edge, metres",
        FIELD(DOUBLE, extent), .low = STX_BEV_MIN_EXTENT, .high = STX_BEV_MAX_EXTENT, .unit = "m"},
    {"zoom", "Zoom",
        "Magnification: extent / zoom is shown, but never less than 1 or more than 500 metres",
        FIELD(DOUBLE, zoom), .low = 0.1, .high = 100},
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
    {"legend", "Legend", "Where the meaning of the colours is told", FIELD(CHOICE, legend),
        .choices = stx_legend_choices},
};
static const StxBevParams defaults = STX_BEV_DEFAULTS, ahead = STX_BEV_AHEAD_DEFAULTS;
const StxFields stx_bev_fields = {STX_FIELDS_OF(fields), &defaults};
const StxFields stx_bev_ahead_fields = {STX_FIELDS_OF(fields), &ahead};
const StxFields stx_bev_mode_fields = {STX_FIELDS_OF(mode_fields), &defaults};

bool stx_bev_check(const StxBevParams *p, StxError *error)
{
  if (p->format == NULL || p->format->planes != 1 || p->format->yuv)
    return stx_fail(error, "format is %s, must be RGB, BGR, or one of these with a fourth byte",
        p->format == NULL ? "unknown" : p->format->name);
  return stx_fields_check(&stx_bev_fields, p, error) &&
         stx_fields_check(&stx_bev_mode_fields, p, error);
}

bool stx_bev_is_same(const StxBevParams *a, const StxBevParams *b)
{
  return a->mode == b->mode && a->width == b->width && a->height == b->height &&
         a->format == b->format && a->extent == b->extent && a->zoom == b->zoom &&
         a->center_x == b->center_x && a->center_y == b->center_y &&
         a->point_size == b->point_size && a->rings == b->rings && a->legend == b->legend;
}

/* ---- Colours ------------------------------------------------------------------------------ */

StxRgb stx_bev_class_colour(int class)
{
  return stx_colour_mix(stx_colour_class(class), stx_colour(STX_MEANS_INK), 64, 256);
}

/* `part` of 256 of a colour, on the background. */
static StxRgb dim(StxRgb colour, int part)
{
  return stx_colour_mix(stx_colour(STX_MEANS_BACKGROUND), colour, part, 256);
}

/* Areas stay in the background, brighter where it is free. */
static void make_area_colours(StxBev *bev)
{
  bev->colour[STX_BEV_FREE] = dim(stx_colour(STX_MEANS_FREE_SPACE), 64);
  for (int i = 0; i < STX_BEV_AREAS; i++) {
    StxRgb colour = i == STX_BEV_AS_GROUND    ? stx_colour_kind(STX_KIND_GROUND)
                    : i == STX_BEV_AS_SEGMENT ? stx_colour_kind(STX_KIND_SEGMENT)
                    : i == STX_BEV_NO_CLASS   ? stx_colour(STX_MEANS_GROUND)
                                              : stx_colour_class(i);
    bev->colour[STX_BEV_ROAD + 2 * i] = dim(colour, 90);
    bev->colour[STX_BEV_ROAD + 2 * i + 1] = dim(colour, 190);
  }
}

static void make_colours(StxBev *bev)
{
  bev->colour[STX_BEV_BACKGROUND] = stx_colour(STX_MEANS_BACKGROUND);
  bev->colour[STX_BEV_NONE] = stx_colour(STX_MEANS_UNCLASSIFIED);
  bev->colour[STX_BEV_GROUND] = stx_colour(STX_MEANS_GROUND);
  bev->colour[STX_BEV_OBSTACLE] = stx_colour(STX_MEANS_OBSTACLE);
  bev->colour[STX_BEV_NO_CLUSTER] = stx_colour(STX_MEANS_NO_CLUSTER);
  bev->colour[STX_BEV_INK] = stx_colour(STX_MEANS_INK);
  for (int i = 0; i < STX_BEV_HUES; i++)
    bev->colour[STX_BEV_CLUSTER + i] = stx_colour_cluster((unsigned)i);
  for (int i = 0; i < STX_BEV_RAMP; i++)
    bev->colour[STX_BEV_RAMPS + i] = stx_palette_colour(STX_PALETTE_DISTANCE, i);
  for (int i = 0; i < 4; i++)
    bev->colour[STX_BEV_KIND + i] = stx_colour_kind((StxKind)i);
  for (int i = 0; i < STX_BEV_CLASSES; i++)
    bev->colour[STX_BEV_CLASS + i] = stx_bev_class_colour(i);
  make_area_colours(bev);
}

/* ---- Bytes of a pixel --------------------------------------------------------------------- */

static void make_bytes(StxBev *bev)
{
  const StxPlane *plane = &bev->params.format->plane[0];
  for (int i = 0; i < STX_BEV_COLOURS; i++) {
    const uint8_t channels[3] = {bev->colour[i].r, bev->colour[i].g, bev->colour[i].b};
    for (int byte = 0; byte < plane->pixel_stride; byte++)
      bev->bytes[i][byte] = plane->channel[byte] < 0 ? 255 : channels[plane->channel[byte]];
  }
}

/* ---- Prepared state ----------------------------------------------------------------------- */

static size_t pixels(const StxBevParams *params)
{
  return (size_t)params->width * (size_t)params->height;
}

static StxSheetParams sheet_params(const StxBevParams *params)
{
  return (StxSheetParams){
      .width = params->width, .height = params->height, .format = params->format};
}

static size_t lay_out(const StxBevParams *params, StxBev *bev, void *memory)
{
  StxSheetParams sheet = sheet_params(params);
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof *bev);
  STX_TAKE(&at, bev->key, pixels(params));
  bev->rings = stx_take(&at, stx_sheet_size(&sheet));
  bev->sheet = stx_take(&at, stx_sheet_size(&sheet));
  bev->legend = stx_take(&at, stx_sheet_size(&sheet));
  return at.size;
}

size_t stx_bev_size(const StxBevParams *params)
{
  StxBev layout;
  return lay_out(params, &layout, NULL);
}

StxBevPlan stx_bev_plan(const StxBevParams *params)
{
  int side = params->width < params->height ? params->width : params->height;
  double extent = params->extent / params->zoom;
  extent = extent < STX_BEV_MIN_EXTENT ? STX_BEV_MIN_EXTENT : extent;
  extent = extent > STX_BEV_MAX_EXTENT ? STX_BEV_MAX_EXTENT : extent;
  double scale = side / 2.0 / extent;
  return (StxBevPlan){scale, params->width / 2.0 + params->center_y * scale,
      params->height / 2.0 + params->center_x * scale};
}

StxBev *stx_bev_init(void *memory, const StxBevParams *params)
{
  StxSheetParams sheet = sheet_params(params);
  StxBev *bev = memory;
  bev->params = *params;
  bev->plan = stx_bev_plan(params);
  lay_out(params, bev, memory);
  bev->rings = stx_sheet_init(bev->rings, &sheet);
  bev->sheet = stx_sheet_init(bev->sheet, &sheet);
  bev->legend = stx_sheet_init(bev->legend, &sheet);
  make_colours(bev);
  make_bytes(bev);
  StxBevOver over = stx_bev_over(bev, bev->rings);
  stx_bev_draw_rings(&over);
  return bev;
}

void stx_bev_begin(StxBev *bev)
{
  memset(bev->key, 0, pixels(&bev->params) * sizeof *bev->key);
  stx_sheet_clear(bev->sheet);
  stx_sheet_clear(bev->legend);
  bev->tells_height = false;
}

/* ---- Frame -------------------------------------------------------------------------------- */

/* `stride` is that of the format, so that the copy is of a known size. */
static inline void write_row(
    const StxBev *bev, const uint32_t *key, uint8_t *out, const size_t stride)
{
  for (int x = 0; x < bev->params.width; x++)
    memcpy(out + (size_t)x * stride, bev->bytes[key[x] & STX_BEV_COLOUR_MASK], stride);
}

#define ROWS_PER_PIECE 32

typedef struct {
  const StxBev *bev;
  const StxFrame *frame;
} Job;

static void write_piece(void *data, int piece, int worker)
{
  const Job *job = data;
  const StxBevParams *params = &job->bev->params;
  int first = piece * ROWS_PER_PIECE, end = first + ROWS_PER_PIECE;
  for (int y = first; y < end && y < params->height; y++) {
    const uint32_t *key = job->bev->key + (size_t)y * (size_t)params->width;
    uint8_t *out = job->frame->data[0] + y * job->frame->stride[0];
    if (params->format->plane[0].pixel_stride == 4)
      write_row(job->bev, key, out, 4);
    else
      write_row(job->bev, key, out, 3);
  }
}

void stx_bev_finish(const StxBev *bev, const StxFrame *frame, int threads)
{
  const StxSheetImpl *impl = stx_impl_pick(&stx_sheet_impls, STX_BACKEND_AUTO);
  StxPlace place = {.threads = threads};
  Job job = {bev, frame};
  stx_parallel(
      threads, (bev->params.height + ROWS_PER_PIECE - 1) / ROWS_PER_PIECE, write_piece, &job);
  impl->lay(bev->rings, stx_sheet_tiles(bev->rings), frame, &place, NULL);
  impl->lay(bev->sheet, stx_sheet_tiles(bev->sheet), frame, &place, NULL);
  impl->lay(bev->legend, stx_sheet_tiles(bev->legend), frame, &place, NULL);
}

void stx_bev_draw(
    StxBev *bev, const float *points, const uint32_t *labels, size_t count, const StxFrame *frame)
{
  stx_bev_begin(bev);
  stx_bev_put_points(bev, points, labels, count, NULL);
  stx_bev_finish(bev, frame, 1);
}
