/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rectify: fields, views, maps, and the table of implementations. */
#include "common/rectify/rectify.h"

#include <math.h>
#include <string.h>

#include "common/parallel.h"
#include "common/rectify/rectify_lens.h"
#include "common/rectify/rectify_private.h"
#include "common/rotation.h"

#define BATCH 16        /* rows of a map that a thread fills at a time */
#define MOST_PIXELS 1e6 /* of focal lengths and principal points */

/* ---- Fields ------------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, StxRectifyParams, member)

static const StxField fields[] = {
    {"width", "Width",
        "Width of the rectified pictures in pixels (0 = as the calibration and the pictures have "
        "it)",
        FIELD(INT, width), .high = STX_RECTIFY_MAX_SIDE, .unit = "px"},
    {"height", "Height",
        "Height of the rectified pictures in pixels (0 = as the calibration and the pictures have "
        "it)",
        FIELD(INT, height), .high = STX_RECTIFY_MAX_SIDE, .unit = "px"},
    {"alpha", "Alpha",
        "What is shown where the calibration has no projection: 0 = only what both cameras see, 1 "
        "= all that they see, -1 = their focal length",
        FIELD(DOUBLE, alpha), .low = -1, .high = 1},
};
static const StxRectifyParams defaults = STX_RECTIFY_DEFAULTS;
const StxFields stx_rectify_fields = {STX_FIELDS_OF(fields), &defaults};

/* ---- Views -------------------------------------------------------------------------------- */

static bool check_side(const char *what, int width, int height, StxError *error)
{
  int least = width < height ? width : height, most = width > height ? width : height;
  return (least >= STX_RECTIFY_MIN_SIDE && most <= STX_RECTIFY_MAX_SIDE) ||
         stx_fail(error, "%s are %dx%d pixels; each side must be %d to %d", what, width, height,
             STX_RECTIFY_MIN_SIDE, STX_RECTIFY_MAX_SIDE);
}

/* The camera's own pictures. */
static bool find_source(
    const StxCalibratedCamera *camera, int width, int height, StxRectifyView *view, StxError *error)
{
  if (!check_side("the pictures", width, height, error))
    return false;
  if (!stx_same_shape(width, height, camera->width, camera->height))
    return stx_fail(error,
        "%s%sthe pictures are %dx%d, the calibration is for %dx%d, which is another shape: use the "
        "camera's mode that was calibrated, or calibrate this one",
        camera->place, camera->place[0] != 0 ? ": " : "", width, height, camera->width,
        camera->height);
  double x = (double)width / camera->width, y = (double)height / camera->height;
  view->lens = camera->lens;
  view->lens.fx *= x;
  view->lens.fy *= y;
  view->lens.cx = stx_scaled_centre(camera->lens.cx, x);
  view->lens.cy = stx_scaled_centre(camera->lens.cy, y);
  view->source_width = width;
  view->source_height = height;
  view->scale = x;
  if (view->lens.cx > 0 && view->lens.cx < width && view->lens.cy > 0 && view->lens.cy < height)
    return true;
  return stx_fail(error,
      "%s%sthe calibration's principal point (%g, %g) lies outside of the pictures, which are "
      "%dx%d: it is for larger ones, whose size it does not name: write image_width and "
      "image_height into it",
      camera->place, camera->place[0] != 0 ? ": " : "", view->lens.cx, view->lens.cy, width,
      height);
}

/* The rectified pictures: asked for, or those of the calibration, scaled as the camera's are. */
static bool find_size(
    const StxCalibration *c, const StxRectifyParams *params, StxRectifyView *view, StxError *error)
{
  int width = c->width, height = c->height;
  view->width = params->width;
  view->height = params->height;
  if (params->width == 0 && params->height == 0)
    view->width = (int)lround(width * view->scale);
  if (view->width == 0)
    view->width = (int)lround((double)width * params->height / height);
  if (view->height == 0)
    view->height = (int)lround((double)height * view->width / width);
  if (!check_side("the rectified pictures", view->width, view->height, error))
    return false;
  if (!c->rectified || stx_same_shape(view->width, view->height, width, height))
    return true;
  return stx_fail(error,
      "rectified pictures of %dx%d are wanted, but the calibration's projection is for %dx%d, "
      "which is another shape: leave width or height at 0",
      view->width, view->height, width, height);
}

/* With the left camera's P. */
static void take_projection(
    const StxCalibration *c, int camera, StxRectifyView *view, double *baseline)
{
  const double *left = c->camera[0].p, *right = c->camera[1].p;
  double x = (double)view->width / c->width, y = (double)view->height / c->height;
  memcpy(view->r, c->camera[camera].r, sizeof view->r);
  view->fx = left[0] * x;
  view->fy = left[5] * y;
  view->cx = stx_scaled_centre(left[2], x);
  view->cy = stx_scaled_centre(left[6], y);
  *baseline = (left[3] - right[3]) / left[0];
}

static bool make_projection(const StxCalibration *c, const StxRectifyParams *params, int camera,
    StxRectifyView *view, double *baseline, StxError *error)
{
  StxRectifiedPair pair;
  if (!stx_rectify_pair(c, view->width, view->height, params->alpha, &pair, error))
    return false;
  memcpy(view->r, pair.r[camera], sizeof view->r);
  view->fx = view->fy = pair.f;
  view->cx = pair.cx;
  view->cy = pair.cy;
  *baseline = pair.baseline;
  return true;
}

/* Numbers of a file that mean nothing may come this far. */
static bool check_rectified(const StxRectifyView *view, const StxCamera *camera, StxError *error)
{
  if (camera->focal > 0 && camera->focal <= MOST_PIXELS && view->fy <= MOST_PIXELS &&
      fabs(camera->cx) <= MOST_PIXELS && fabs(camera->cy) <= MOST_PIXELS && camera->baseline > 0)
    return true;
  return stx_fail(error,
      "the rectified pair would have focal length %g, principal point (%g, %g) and baseline %g m: "
      "the calibration is of no real cameras",
      camera->focal, camera->cx, camera->cy, camera->baseline);
}

/* Sizes that the file does not have are those of the pictures. */
static StxCalibration with_sizes(const StxCalibration *calibration, int width, int height)
{
  StxCalibration c = *calibration;
  for (int i = 0; i < 2; i++)
    if (c.camera[i].width == 0) {
      c.camera[i].width = width;
      c.camera[i].height = height;
    }
  if (c.width == 0) {
    c.width = c.camera[0].width;
    c.height = c.camera[0].height;
  }
  return c;
}

bool stx_rectify_view(const StxCalibration *calibration, const StxRectifyParams *params, int camera,
    int width, int height, StxRectifyView *view, StxCamera *rectified, StxError *error)
{
  StxCalibration c = with_sizes(calibration, width, height);
  double baseline = 0;
  if (!stx_fields_check(&stx_rectify_fields, params, error) ||
      !find_source(&c.camera[camera], width, height, view, error) ||
      !find_size(&c, params, view, error))
    return false;
  if (c.rectified)
    take_projection(&c, camera, view, &baseline);
  else if (!make_projection(&c, params, camera, view, &baseline, error))
    return false;
  *rectified = (StxCamera){.focal = view->fx,
      .cx = view->cx,
      .cy = view->cy,
      .baseline = baseline,
      .image_width = view->width,
      .image_height = view->height,
      .missing = STX_CAMERA_PITCH};
  return check_rectified(view, rectified, error);
}

/* ---- Maps --------------------------------------------------------------------------------- */

static int halved(int side, int shift)
{
  return (side + (1 << shift) - 1) >> shift;
}

StxRectifyMap stx_rectify_map_in(
    const StxRectifyView *view, int shift_x, int shift_y, const void *memory)
{
  StxRectifyMap map = {halved(view->width, shift_x), halved(view->height, shift_y),
      halved(view->source_width, shift_x), halved(view->source_height, shift_y), NULL, NULL};
  size_t count = (size_t)map.width * (size_t)map.height;
  map.place = memory;
  if (memory != NULL)
    map.fraction = (const uint16_t *)(const void *)((const char *)memory +
                                                    stx_align(count * sizeof *map.place));
  return map;
}

size_t stx_rectify_map_bytes(const StxRectifyView *view, int shift_x, int shift_y)
{
  StxRectifyMap map = stx_rectify_map_in(view, shift_x, shift_y, NULL);
  size_t count = (size_t)map.width * (size_t)map.height;
  return stx_align(count * sizeof *map.place) + stx_align(count * sizeof *map.fraction);
}

/* A map that is being filled. */
typedef struct {
  const StxRectifyView *view;
  StxPreparedLens lens;
  StxRectifyMap map;
  uint32_t *place;
  uint16_t *fraction;
  int shift[2];
} Filling;

/* A position of the camera's picture along one side, as sample and fraction; false outside. */
static bool split(double position, int pixels, int samples, int shift, int *at, int *fraction)
{
  double pixel = floor(position * STX_RECTIFY_ONE + .5), margin = shift * STX_RECTIFY_ONE / 2;
  if (!(pixel >= -margin && pixel <= (double)(pixels - 1) * STX_RECTIFY_ONE + margin))
    return false;
  if (shift > 0)
    pixel = floor(((position + .5) / 2 - .5) * STX_RECTIFY_ONE + .5);
  int whole = pixel > 0 ? (int)pixel : 0, most = (samples - 1) * STX_RECTIFY_ONE;
  whole = whole < most ? whole : most;
  *at = whole / STX_RECTIFY_ONE < samples - 2 ? whole / STX_RECTIFY_ONE : samples - 2;
  *fraction = whole - *at * STX_RECTIFY_ONE;
  return true;
}

static void fill_sample(const Filling *f, int u, int v, size_t i)
{
  const StxRectifyView *view = f->view;
  const double *r = view->r;
  double x = (stx_scaled_centre(u, 1 << f->shift[0]) - view->cx) / view->fx;
  double y = (stx_scaled_centre(v, 1 << f->shift[1]) - view->cy) / view->fy;
  const double ray[3] = {
      r[0] * x + r[3] * y + r[6], r[1] * x + r[4] * y + r[7], r[2] * x + r[5] * y + r[8]};
  double pixel[2];
  int at[2], fraction[2];
  f->place[i] = STX_RECTIFY_OUTSIDE;
  f->fraction[i] = 0;
  if (!stx_lens_project(&f->lens, ray, pixel) ||
      !split(
          pixel[0], view->source_width, f->map.source_width, f->shift[0], &at[0], &fraction[0]) ||
      !split(
          pixel[1], view->source_height, f->map.source_height, f->shift[1], &at[1], &fraction[1]))
    return;
  f->place[i] = (uint32_t)at[0] | (uint32_t)at[1] << 16;
  f->fraction[i] = (uint16_t)(fraction[0] | fraction[1] << 8);
}

static void fill_rows(void *data, int batch, int worker)
{
  const Filling *f = data;
  for (int y = batch * BATCH; y < (batch + 1) * BATCH && y < f->map.height; y++)
    for (int x = 0; x < f->map.width; x++)
      fill_sample(f, x, y, (size_t)y * (size_t)f->map.width + (size_t)x);
}

void stx_rectify_map_fill(
    const StxRectifyView *view, int shift_x, int shift_y, void *memory, int threads)
{
  Filling f = {view, stx_lens_prepare(&view->lens),
      stx_rectify_map_in(view, shift_x, shift_y, memory), memory, NULL, {shift_x, shift_y}};
  f.fraction =
      (uint16_t *)(void *)((char *)memory + ((const char *)f.map.fraction - (char *)memory));
  stx_parallel(threads, (f.map.height + BATCH - 1) / BATCH, fill_rows, &f);
}

/* ---- Implementations ---------------------------------------------------------------------- */

#define IMPL(name, backend, needs, suffix)                                                         \
  {                                                                                                \
    {name, backend, STX_MEMORY_HOST, needs}, stx_rectify_run_##suffix,                             \
        stx_rectify_run_packed_##suffix                                                            \
  }
static const StxRectifyImpl impls[] = {STX_HOST_IMPLS(IMPL)};
const StxImplTable stx_rectify_impls = {impls, sizeof impls / sizeof impls[0], sizeof impls[0]};
