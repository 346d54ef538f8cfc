/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters, colours, and what a pixel becomes that its layers have given a key. */
#include "common/bev/bev_private.h"
#include "common/clusters/clusters_look.h"
#include "common/ground/ground.h"
#include "common/parallel.h"

#include <string.h>

/* ---- Fields ------------------------------------------------------------------------------- */

/* Pictures have one of those behind the first. */
static const StxFieldChoice modes[] = {
    {STX_BEV_AUTO, "auto", "Clusters, or as stixels need"},
    {STX_BEV_CLUSTERS, "clusters", "Ground, one colour per cluster"},
    {STX_BEV_LABELS, "labels", "Ground and obstacles"},
    {STX_BEV_HEIGHT, "height", "2 m below to 2 m above the sensor"},
    {STX_BEV_INTENSITY, "intensity", "Intensity"},
    {STX_BEV_PLAIN, "plain", "Ground, white obstacles"},
    {0},
};

#define FIELD(kind, member) STX_FIELD(kind, StxBevParams, member)

static const StxField mode_fields[] = {
    {"mode", "Mode", "Colours of points", FIELD(CHOICE, mode), .choices = modes + 1},
};
static const StxField points_fields[] = {
    {"points", "Points", "Colours of points", FIELD(CHOICE, mode), .choices = modes},
};
static const StxField fields[] = {
    {FIELD(INT, width), .low = 16, .high = STX_BEV_MAX_SIDE, .unit = "pixels"},
    {FIELD(INT, height), .low = 16, .high = STX_BEV_MAX_SIDE, .unit = "pixels"},
    {"extent", "Extent", "From the centre to the nearer edge, metres", FIELD(DOUBLE, extent),
        .low = STX_BEV_MIN_EXTENT, .high = STX_BEV_MAX_EXTENT, .unit = "m"},
    {"zoom", "Zoom", "Magnification of extent", FIELD(DOUBLE, zoom), .low = 0.1, .high = 100},
    {"center-x", "Centre ahead", "Picture centre ahead of the sensor, metres",
        FIELD(DOUBLE, center_x), .low = -STX_BEV_MAX_EXTENT, .high = STX_BEV_MAX_EXTENT,
        .unit = "m"},
    {"center-y", "Centre to the left", "Picture centre to the left of the sensor, metres",
        FIELD(DOUBLE, center_y), .low = -STX_BEV_MAX_EXTENT, .high = STX_BEV_MAX_EXTENT,
        .unit = "m"},
    {"point-size", "Point size", "Side of a point, pixels", FIELD(INT, point_size), .low = 1,
        .high = 9, .unit = "pixels"},
    {"rings", "Rings", "Draw range rings, scale and sensor", FIELD(BOOL, rings)},
    {"legend", "Legend", "Corner of the legend", FIELD(CHOICE, legend),
        .choices = stx_legend_choices},
};
static const StxBevParams defaults = STX_BEV_DEFAULTS, ahead = STX_BEV_AHEAD_DEFAULTS;
static const StxBevParams automatic = {.mode = STX_BEV_AUTO};
const StxFields stx_bev_fields = {STX_FIELDS_OF(fields), &defaults};
const StxFields stx_bev_ahead_fields = {STX_FIELDS_OF(fields), &ahead};
const StxFields stx_bev_mode_fields = {STX_FIELDS_OF(mode_fields), &defaults};
const StxFields stx_bev_points_fields = {STX_FIELDS_OF(points_fields), &automatic};

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

/* `part` of 256 of a colour, on the background. */
static StxRgb dim(StxRgb colour, int part)
{
  return stx_colour_mix(stx_colour(STX_MEANS_BACKGROUND), colour, part, 256);
}

/* Areas stay in the background, brighter where it is free. */
static void make_area_colours(StxBev *bev)
{
  const int road = STX_BEV_ROAD + 2 * STX_BEV_NO_CLASS;
  bev->colour[STX_BEV_FREE] = dim(stx_colour_kind(STX_KIND_SKY), 80);
  for (int i = 0; i < STX_BEV_AREAS; i++) {
    StxRgb colour = i == STX_BEV_AS_GROUND    ? stx_colour_kind(STX_KIND_GROUND)
                    : i == STX_BEV_AS_SEGMENT ? stx_colour_kind(STX_KIND_SEGMENT)
                                              : stx_colour_class(i);
    bev->colour[STX_BEV_ROAD + 2 * i] = dim(colour, 90);
    bev->colour[STX_BEV_ROAD + 2 * i + 1] = dim(colour, 190);
  }
  bev->colour[road] = dim(stx_colour(STX_MEANS_UNCLASSIFIED), 190);
  bev->colour[road + 1] = dim(stx_colour(STX_MEANS_FREE_SPACE), 110);
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
    bev->colour[STX_BEV_CLASS + i] = /* lighter than Cityscapes': some of them are too dark */
        stx_colour_mix(stx_colour_class(i), stx_colour(STX_MEANS_INK), 64, 256);
  make_area_colours(bev);
}

/* ---- Prepared state ----------------------------------------------------------------------- */

static size_t pixels(const StxBevParams *params)
{
  return (size_t)params->width * (size_t)params->height;
}

static StxCanvasParams canvas_params(const StxBevParams *params)
{
  return (StxCanvasParams){
      .width = params->width, .height = params->height, .format = params->format};
}

static size_t lay_out(const StxBevParams *params, StxBev *bev, void *memory)
{
  StxCanvasParams canvas = canvas_params(params);
  StxLayout at = {.memory = memory};
  stx_take(&at, sizeof *bev);
  STX_TAKE(&at, bev->key, pixels(params));
  bev->rings = stx_take(&at, stx_canvas_size(&canvas));
  bev->canvas = stx_take(&at, stx_canvas_size(&canvas));
  bev->legend = stx_take(&at, stx_canvas_size(&canvas));
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
  StxCanvasParams canvas = canvas_params(params);
  StxBev *bev = memory;
  bev->params = *params;
  bev->plan = stx_bev_plan(params);
  lay_out(params, bev, memory);
  bev->rings = stx_canvas_init(bev->rings, &canvas);
  bev->canvas = stx_canvas_init(bev->canvas, &canvas);
  bev->legend = stx_canvas_init(bev->legend, &canvas);
  make_colours(bev);
  const StxPlane *plane = &params->format->plane[0];
  for (int i = 0; i < STX_BEV_COLOURS; i++) {
    const uint8_t channels[3] = {bev->colour[i].r, bev->colour[i].g, bev->colour[i].b};
    for (int byte = 0; byte < plane->pixel_stride; byte++)
      bev->bytes[i][byte] = plane->channel[byte] < 0 ? 255 : channels[plane->channel[byte]];
  }
  StxBevOver over = stx_bev_over(bev, bev->rings);
  stx_bev_draw_rings(&over);
  return bev;
}

void stx_bev_begin(StxBev *bev)
{
  memset(bev->key, 0, pixels(&bev->params) * sizeof *bev->key);
  stx_canvas_clear(bev->canvas);
  stx_canvas_clear(bev->legend);
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
  const StxCanvasImpl *impl = stx_impl_pick(&stx_canvas_impls, STX_BACKEND_AUTO);
  StxPlace place = {.threads = threads};
  Job job = {bev, frame};
  stx_parallel(
      threads, (bev->params.height + ROWS_PER_PIECE - 1) / ROWS_PER_PIECE, write_piece, &job);
  impl->lay(bev->rings, stx_canvas_tiles(bev->rings), frame, &place, NULL);
  impl->lay(bev->canvas, stx_canvas_tiles(bev->canvas), frame, &place, NULL);
  impl->lay(bev->legend, stx_canvas_tiles(bev->legend), frame, &place, NULL);
}

/* ---- Legend ------------------------------------------------------------------------------- */

void stx_bev_tell_bar(StxBev *bev, const StxBar *bar)
{
  stx_canvas_claim(bev->canvas, stx_canvas_bar(bev->legend, bev->params.legend, bar));
}

void stx_bev_tell_names(StxBev *bev, const char *title, const StxName *names, size_t count)
{
  stx_canvas_claim(
      bev->canvas, stx_canvas_names(bev->legend, bev->params.legend, title, names, count));
}

void stx_bev_tell_height(StxBev *bev, const StxName *names, size_t count)
{
  const StxBar bar = {.palette = STX_PALETTE_DISTANCE,
      .low = -2,
      .high = 2,
      .title = "height",
      .unit = "m",
      .names = names,
      .count = count};
  if (bev->tells_height)
    stx_bev_tell_names(bev, NULL, names, count);
  else
    stx_bev_tell_bar(bev, &bar);
  bev->tells_height = true;
}

/* ---- The layer of points ------------------------------------------------------------------- */

typedef struct {
  StxBevMode mode;
  float brightest;          /* what counts as full intensity */
  const double *extrinsics; /* NULL: none */
} Layer;

/* x ahead, y to the left, z up, from the picture's sensor. */
static void place(const double *extrinsics, const float *point, double to[3])
{
  for (int i = 0; i < 3; i++) {
    const double *m = extrinsics + 4 * i;
    to[i] = m[0] * (double)point[0] + m[1] * (double)point[1] + m[2] * (double)point[2] + m[3];
  }
}

static uint32_t colour_of(
    const Layer *layer, const float *point, float z, const uint32_t *label, uint32_t rank)
{
  StxBevMode mode = layer->mode;
  if (mode == STX_BEV_INTENSITY)
    return STX_BEV_RAMPS + stx_bev_ramp(point[3], 0, layer->brightest);
  if (mode == STX_BEV_HEIGHT || label == NULL)
    return STX_BEV_RAMPS + stx_bev_ramp(z, -2, 2);
  if (rank != STX_BEV_RANK_OBSTACLE)
    return rank == STX_BEV_RANK_NONE ? STX_BEV_NONE : STX_BEV_GROUND;
  if (mode == STX_BEV_PLAIN)
    return STX_BEV_INK;
  uint32_t cluster = *label >> 16;
  if (mode == STX_BEV_LABELS)
    return STX_BEV_OBSTACLE;
  return cluster == 0 ? STX_BEV_NO_CLUSTER : STX_BEV_CLUSTER + cluster % STX_BEV_HUES;
}

static void put_point(StxBev *bev, double column, double row, uint32_t key)
{
  int width = bev->params.width, height = bev->params.height, size = bev->params.point_size;
  if (!(column > -size && column < width + size && row > -size && row < height + size))
    return;
  int left = (int)floor(column) - (size - 1) / 2, top = (int)floor(row) - (size - 1) / 2;
  for (int y = top < 0 ? 0 : top; y < top + size && y < height; y++)
    stx_bev_put_span(bev, y, left, left + size, key);
}

static void put_labelled(StxBev *bev, const Layer *layer, const float *point, const uint32_t *label)
{
  double to[3] = {(double)point[0], (double)point[1], (double)point[2]};
  if (layer->extrinsics != NULL)
    place(layer->extrinsics, point, to);
  float z = (float)to[2];
  if (!isfinite(z))
    return;
  uint32_t rank = label == NULL                         ? STX_BEV_RANK_OBSTACLE
                  : (*label & 0xFFFF) == STX_POINT_NONE ? STX_BEV_RANK_NONE
                  : stx_point_is_ground(*label)         ? STX_BEV_RANK_GROUND
                                                        : STX_BEV_RANK_OBSTACLE;
  uint32_t key = stx_bev_key(rank, stx_bev_height(z), colour_of(layer, point, z, label, rank));
  put_point(bev, bev->plan.column - to[1] * bev->plan.scale,
      bev->plan.row - to[0] * bev->plan.scale, key);
}

void stx_bev_put_points(StxBev *bev, const float *points, const uint32_t *labels, size_t count,
    const double extrinsics[12])
{
  Layer layer = {.mode = bev->params.mode, .brightest = 1, .extrinsics = extrinsics};
  if (layer.mode == STX_BEV_INTENSITY)
    layer.brightest = stx_scan_full_intensity(points, count);
  for (size_t i = 0; i < count; i++)
    put_labelled(bev, &layer, points + 4 * i, labels == NULL ? NULL : &labels[i]);
  StxBar intensity = {
      .palette = STX_PALETTE_DISTANCE, .high = (double)layer.brightest, .title = "intensity"};
  if (layer.mode == STX_BEV_INTENSITY)
    stx_bev_tell_bar(bev, &intensity);
  else if (layer.mode == STX_BEV_HEIGHT || labels == NULL)
    stx_bev_tell_height(bev, NULL, 0);
  else
    stx_canvas_claim(
        bev->canvas, stx_scan_names(bev->legend, bev->params.legend, layer.mode == STX_BEV_CLUSTERS,
                         layer.mode == STX_BEV_PLAIN ? &bev->colour[STX_BEV_INK] : NULL));
}
