/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares stixels with the points of a labelled scan, and with the sky. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "examples/shared/png_io.h"
#include "examples/stx-eval/stx_eval.h"

const double eval_ranges[EVAL_RANGES] = {0, 10, 20, 30, 50};

#define EVAL_NEAR 100.0             /* m */
#define EVAL_FAR_OFF 0.10           /* share of the distance that is an error */
#define STEPS (EVAL_ERROR_BINS - 1) /* of 100 % */
#define CENTIMETRES 100.0           /* of a metre */

#define SKY_LABEL 10   /* Cityscapes' train id */
#define SKY_BRIGHT 150 /* gray level that a sky without labels has at least … */
#define SKY_RANGE 16   /* … and the gray levels that it spans at most within 5 × 5 pixels */
#define SKY_RADIUS 2

/* ---- Points ------------------------------------------------------------------------------- */

int eval_range_of(double depth)
{
  int i = EVAL_RANGES - 1;
  while (i > 0 && depth < eval_ranges[i])
    i--;
  return i;
}

/* |distance / true distance − 1|; what is unknown or in the sky is infinitely wrong. */
static double distance_error(const EvalPoint *p, uint16_t disparity)
{
  if (disparity == STX_DISPARITY_UNKNOWN)
    return INFINITY;
  return fabs((double)p->disparity * STX_DISPARITY_ONE / disparity - 1);
}

static int bin_of(double steps)
{
  return steps < EVAL_ERROR_BINS - 1 ? (int)steps : EVAL_ERROR_BINS - 1;
}

static void add_point(EvalSeen *seen, const EvalPoint *p, StxKind kind, uint16_t disparity)
{
  int range = eval_range_of(p->depth), group = p->kind == STX_KIND_OBJECT;
  double error = distance_error(p, disparity);
  seen->points[group][kind][range]++;
  seen->errors[range][bin_of(error * STEPS)]++;
  seen->lengths[range][bin_of(error * p->depth * CENTIMETRES)]++;
}

/* ---- Sky ---------------------------------------------------------------------------------- */

static bool looks_like_sky(const StxImage8 *image, int x, int y)
{
  int least = 255, greatest = 0;
  if (stx_row8(image, y)[x] < SKY_BRIGHT)
    return false;
  for (int v = MAX(y - SKY_RADIUS, 0); v <= MIN(y + SKY_RADIUS, image->height - 1); v++)
    for (int u = MAX(x - SKY_RADIUS, 0); u <= MIN(x + SKY_RADIUS, image->width - 1); u++) {
      least = MIN(least, stx_row8(image, v)[u]);
      greatest = MAX(greatest, stx_row8(image, v)[u]);
    }
  return greatest - least <= SKY_RANGE;
}

/* Marks (x, y) if it is sky and not yet marked, and remembers it. */
static void reach(const StxImage8 *image, GArray *open, bool *sky, int x, int y)
{
  size_t at = (size_t)y * (size_t)image->width + (size_t)x;
  if (sky[at] || !looks_like_sky(image, x, y))
    return;
  sky[at] = true;
  g_array_append_val(open, at);
}

static void spread(const StxImage8 *image, bool *sky)
{
  int width = image->width;
  GArray *open = g_array_new(FALSE, FALSE, sizeof(size_t));
  for (int x = 0; x < width; x++)
    reach(image, open, sky, x, 0);
  while (open->len > 0) {
    size_t at = g_array_index(open, size_t, open->len - 1);
    int x = (int)(at % (size_t)width), y = (int)(at / (size_t)width);
    g_array_set_size(open, open->len - 1);
    reach(image, open, sky, MAX(x - 1, 0), y);
    reach(image, open, sky, MIN(x + 1, width - 1), y);
    reach(image, open, sky, x, MAX(y - 1, 0));
    reach(image, open, sky, x, MIN(y + 1, image->height - 1));
  }
  g_array_free(open, TRUE);
}

/* width · height flags, to be freed. */
static bool *find_sky(const EvalFrame *frame)
{
  int width = frame->left.width;
  bool *sky = g_new0(bool, (size_t)width *(size_t)frame->left.height);
  bool known = frame->masks != NULL || frame->labels.data != NULL;
  if (!known)
    spread(&frame->left, sky);
  for (int y = 0; known && y < frame->left.height; y++)
    for (int x = 0; x < width; x++) {
      size_t at = (size_t)y * (size_t)width + (size_t)x;
      sky[at] = frame->masks != NULL ? frame->masks[at] == EVAL_SKY
                                     : stx_row8(&frame->labels, y)[x] == SKY_LABEL;
    }
  return sky;
}

typedef enum { SKY_IS_SKY, SKY_IS_NEAR, SKY_IS_FAR } SkySeen;

static SkySeen sky_seen_as(const StxCamera *camera, StxKind kind, uint16_t disparity)
{
  double near = camera->focal * camera->baseline / EVAL_NEAR * STX_DISPARITY_ONE;
  return kind == STX_KIND_SKY                             ? SKY_IS_SKY
         : disparity > 0 && near > 0 && disparity >= near ? SKY_IS_NEAR
                                                          : SKY_IS_FAR;
}

/* ---- The picture --------------------------------------------------------------------------- */

typedef struct {
  uint8_t r, g, b;
} Colour;

static const Colour sky_colours[] = {{60, 110, 230}, {230, 50, 40}, {240, 160, 30}};
static const Colour missed_colours[] = {{230, 40, 200}, {250, 230, 40}}; /* ground, object */
static const Colour right_colours[] = {{40, 130, 50}, {90, 200, 220}};
static const Colour far_off_colour = {255, 120, 0};

static void paint(uint8_t *rgb, int width, int height, int x, int y, Colour colour)
{
  for (int v = MAX(y - 1, 0); v <= MIN(y, height - 1); v++)
    for (int u = MAX(x - 1, 0); u <= MIN(x, width - 1); u++)
      memcpy(rgb + 3 * ((size_t)v * (size_t)width + (size_t)u), &colour, 3);
}

static void paint_sky(uint8_t *rgb, const EvalFrame *frame, const bool *sky, const StxImage8 *kinds,
    const StxImage16 *disparity)
{
  for (int y = 0; y < kinds->height; y++)
    for (int x = 0; x < kinds->width; x++) {
      uint8_t *pixel = rgb + 3 * ((size_t)y * (size_t)kinds->width + (size_t)x);
      uint8_t gray = stx_row8(&frame->left, y)[x];
      Colour c = {gray, gray, gray};
      if (sky[(size_t)y * (size_t)kinds->width + (size_t)x])
        c = sky_colours[sky_seen_as(
            &frame->camera, stx_row8(kinds, y)[x], stx_row16(disparity, y)[x])];
      pixel[0] = (uint8_t)((gray + c.r) / 2);
      pixel[1] = (uint8_t)((gray + c.g) / 2);
      pixel[2] = (uint8_t)((gray + c.b) / 2);
    }
}

static bool save_picture(const char *path, const EvalFrame *frame, const bool *sky,
    const StxImage8 *kinds, const StxImage16 *disparity, StxError *error)
{
  int width = kinds->width, height = kinds->height;
  uint8_t *rgb = g_new(uint8_t, 3 * (size_t)width * (size_t)height);
  paint_sky(rgb, frame, sky, kinds, disparity);
  for (size_t i = 0; i < frame->point_count; i++) {
    const EvalPoint *p = &frame->points[i];
    int group = p->kind == STX_KIND_OBJECT;
    bool right = stx_row8(kinds, p->y)[p->x] == p->kind;
    bool far_off = distance_error(p, stx_row16(disparity, p->y)[p->x]) > EVAL_FAR_OFF;
    Colour colour = !right    ? missed_colours[group]
                    : far_off ? far_off_colour
                              : right_colours[group];
    paint(rgb, width, height, p->x, p->y, colour);
  }
  bool good = png_save_rgb(path, rgb, width, height, error);
  g_free(rgb);
  return good;
}

/* ---- All ---------------------------------------------------------------------------------- */

static void add_walls(EvalSeen *seen, const EvalFrame *frame, const StxImage8 *kinds)
{
  for (int y = 0; frame->masks != NULL && y < kinds->height; y++)
    for (int x = 0; x < kinds->width; x++) {
      bool wall = frame->masks[(size_t)y * (size_t)kinds->width + (size_t)x] == EVAL_WALL;
      seen->wall += wall;
      seen->wall_as_sky += wall && stx_row8(kinds, y)[x] == STX_KIND_SKY;
    }
}

bool eval_seen_add(EvalSeen *seen, const EvalFrame *frame, const StxImage8 *kinds,
    const StxImage16 *disparity, const char *picture, StxError *error)
{
  bool *sky = find_sky(frame);
  for (size_t i = 0; i < frame->point_count; i++) {
    const EvalPoint *p = &frame->points[i];
    add_point(seen, p, stx_row8(kinds, p->y)[p->x], stx_row16(disparity, p->y)[p->x]);
  }
  for (int y = 0; y < kinds->height; y++)
    for (int x = 0; x < kinds->width; x++) {
      if (!sky[(size_t)y * (size_t)kinds->width + (size_t)x])
        continue;
      SkySeen as = sky_seen_as(&frame->camera, stx_row8(kinds, y)[x], stx_row16(disparity, y)[x]);
      seen->sky++;
      seen->sky_as_sky += as == SKY_IS_SKY;
      seen->sky_as_near += as == SKY_IS_NEAR;
    }
  add_walls(seen, frame, kinds);
  bool good = picture == NULL || save_picture(picture, frame, sky, kinds, disparity, error);
  g_free(sky);
  return good;
}

void eval_seen_merge(EvalSeen *total, const EvalSeen *part)
{
  uint64_t *to = (uint64_t *)total; /* nothing but counts */
  const uint64_t *from = (const uint64_t *)part;
  for (size_t i = 0; i < sizeof *total / sizeof *to; i++)
    to[i] += from[i];
}

/* ---- Report --------------------------------------------------------------------------------- */

#define EVAL_ALL_RANGES (-1)

static const StxKind kinds[] = {STX_KIND_GROUND, STX_KIND_OBJECT, STX_KIND_SKY};
static const char *const kind_names[] = {"ground", "object", "sky"};
enum { POINT_KINDS = 2, SEEN_KINDS = 3 }; /* no point of a scan is sky */

static bool has_range(int i, int range)
{
  return range == EVAL_ALL_RANGES || i == range;
}

static json_t *share(uint64_t part, uint64_t whole)
{
  return whole > 0 ? json_real(stx_rate(part, whole)) : json_null();
}

static uint64_t points_seen(const EvalSeen *seen, StxKind kind, int as, int range)
{
  uint64_t points = 0;
  for (int i = 0; i < EVAL_RANGES; i++)
    points += has_range(i, range) ? seen->points[kind == STX_KIND_OBJECT][as][i] : 0;
  return points;
}

static uint64_t points_of(const EvalSeen *seen, StxKind kind, int range)
{
  uint64_t points = 0;
  for (int as = 0; as <= STX_KIND_SKY; as++)
    points += points_seen(seen, kind, as, range);
  return points;
}

/* Points with an error of at least so many bins. */
static uint64_t points_from(const uint64_t bins[][EVAL_ERROR_BINS], int range, int bin)
{
  uint64_t points = 0;
  for (int i = 0; i < EVAL_RANGES; i++)
    for (int b = bin; has_range(i, range) && b < EVAL_ERROR_BINS; b++)
      points += bins[i][b];
  return points;
}

/* The middle of the bin where a share of the points ends, in bins; the last bin has no middle. */
static double quantile(const uint64_t bins[][EVAL_ERROR_BINS], int range, double share)
{
  double beyond = (1 - share) * (double)points_from(bins, range, 0);
  int bin = 0;
  while (bin < EVAL_ERROR_BINS - 1 && (double)points_from(bins, range, bin + 1) > beyond)
    bin++;
  return bin < EVAL_ERROR_BINS - 1 ? bin + .5 : bin;
}

/* Of the points of one range, or of all. */
static json_t *points_json(const EvalSeen *seen, int range)
{
  uint64_t all = 0;
  json_t *object = json_object();
  for (int k = 0; k < POINT_KINDS; k++)
    all += points_of(seen, kinds[k], range);
  json_object_set_new(object, "points", json_integer((json_int_t)all));
  for (int k = 0; k < POINT_KINDS; k++) {
    char *key = g_strdup_printf("%s_as_%s", kind_names[k], kind_names[k]);
    json_object_set_new(object, key,
        share(points_seen(seen, kinds[k], (int)kinds[k], range), points_of(seen, kinds[k], range)));
    g_free(key);
  }
  const struct {
    const char *key;
    const uint64_t (*bins)[EVAL_ERROR_BINS];
    double share, scale;
  } quantiles[] = {{"distance_median", seen->errors, .5, STEPS},
      {"distance_90", seen->errors, .9, STEPS}, {"metres_median", seen->lengths, .5, CENTIMETRES},
      {"metres_90", seen->lengths, .9, CENTIMETRES}};
  for (size_t i = 0; i < G_N_ELEMENTS(quantiles); i++)
    json_object_set_new(object, quantiles[i].key,
        all > 0
            ? json_real(quantile(quantiles[i].bins, range, quantiles[i].share) / quantiles[i].scale)
            : json_null());
  json_object_set_new(object, "distance_far_off",
      share(points_from(seen->errors, range, (int)(EVAL_FAR_OFF * STEPS)), all));
  return object;
}

/* By what points are, and then by what they are seen as. */
static json_t *kinds_json(const EvalSeen *seen)
{
  json_t *all = json_object();
  for (int k = 0; k < POINT_KINDS; k++) {
    json_t *of_kind = json_object();
    for (int as = 0; as < SEEN_KINDS; as++)
      json_object_set_new(of_kind, kind_names[as],
          share(points_seen(seen, kinds[k], (int)kinds[as], EVAL_ALL_RANGES),
              points_of(seen, kinds[k], EVAL_ALL_RANGES)));
    json_object_set_new(all, kind_names[k], of_kind);
  }
  return all;
}

json_t *eval_seen_json(const EvalSeen *seen)
{
  json_t *object = points_json(seen, EVAL_ALL_RANGES), *ranges = json_array();
  for (int i = 0; i < EVAL_RANGES; i++) {
    json_t *range = points_json(seen, i);
    json_object_set_new(range, "from", json_real(eval_ranges[i]));
    json_array_append_new(ranges, range);
  }
  json_object_set_new(object, "ranges", ranges);
  json_object_set_new(object, "kinds", kinds_json(seen));
  json_object_set_new(object, "sky", json_integer((json_int_t)seen->sky));
  json_object_set_new(object, "sky_as_sky", share(seen->sky_as_sky, seen->sky));
  json_object_set_new(object, "sky_as_near", share(seen->sky_as_near, seen->sky));
  json_object_set_new(object, "wall", json_integer((json_int_t)seen->wall));
  json_object_set_new(object, "wall_as_sky", share(seen->wall_as_sky, seen->wall));
  return object;
}
