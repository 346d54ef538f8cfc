/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rectify: fields, views, maps, and the table of implementations.
 *
 * Two cameras to a pair: J.-Y. Bouguet's rotations. With X_right = R·X_left + T and v the vector of
 * R, the right camera turns by exp(−v/2), the left one by exp(v/2): both then look the same way,
 * and neither has turned more than it had to. A last rotation W, the shortest, brings the baseline
 * onto the x axis:
 *
 *   R_left = W·exp(v/2)    R_right = W·exp(−v/2)
 *
 * The principal point, the same for both, puts the mean of the pictures' corners into the middle.
 * The focal length is the cameras', or follows from the rectangles, upright in the rectified view,
 * that lie wholly within both pictures (alpha = 0), or hold them wholly (alpha = 1).
 */
#include "common/calibration/calibration_lens.h"
#include "common/rectify/rectify_private.h"
#include "common/rectify/rectify.h"

#include <math.h>
#include <string.h>

#include "common/parallel.h"
#include "common/rotation.h"

#define EDGE 256       /* places at which each edge of a picture is looked at */
#define NOWHERE 1e9    /* normalized coordinates of what is not seen */
#define LEAST_DEPTH .1 /* of a direction, z: what lies farther out than 84 degrees is left out */

/* ---- Rotations ---------------------------------------------------------------------------- */

/* Rotations and the common projection of a pair. */
typedef struct {
  double r[2][9];
  double f, cx, cy; /* of pictures of the wanted size */
  double baseline;  /* metres */
} RectifiedPair;

static void find_rotations(const StxCalibration *c, RectifiedPair *pair)
{
  double v[3], half[2][9], towards[3], last[9];
  stx_rotation_to_vector(c->r, v);
  for (int i = 0; i < 3; i++)
    v[i] /= 2;
  stx_rotation_from_vector(v, half[0]);
  stx_matrix_transpose(half[0], half[1]);
  stx_matrix_apply(half[1], c->t, towards);
  for (int i = 0; i < 3; i++)
    towards[i] = -towards[i];
  /* The shortest turn that brings the baseline onto the x axis. */
  double length = sqrt(towards[1] * towards[1] + towards[2] * towards[2]);
  double angle = atan2(length, towards[0]);
  const double axis[3] = {0, length > 0 ? towards[2] / length * angle : 0,
      length > 0 ? -towards[1] / length * angle : 0};
  stx_rotation_from_vector(axis, last);
  for (int i = 0; i < 2; i++)
    stx_matrix_product(last, half[i], pair->r[i]);
  pair->baseline = sqrt(c->t[0] * c->t[0] + c->t[1] * c->t[1] + c->t[2] * c->t[2]);
}

/* ---- What is seen ------------------------------------------------------------------------- */

/* In normalized coordinates of the rectified view. */
typedef struct {
  double inner[4], outer[4]; /* left, top, right, bottom */
  double corners[2];         /* their sum */
  int count;                 /* of corners that can be seen */
} Seen;

/* The place of a camera's pixel. */
static bool rectified_place(
    const StxPreparedLens *lens, const double r[9], double x, double y, double place[2])
{
  const double pixel[2] = {x, y};
  double ray[3], turned[3];
  if (!stx_lens_unproject(lens, pixel, ray))
    return false;
  stx_matrix_apply(r, ray, turned);
  if (!(turned[2] > LEAST_DEPTH))
    return false;
  place[0] = turned[0] / turned[2];
  place[1] = turned[1] / turned[2];
  return true;
}

/* A place on edge `side` (0 left, 1 top, 2 right, 3 bottom). */
static void add_place(Seen *seen, int side, const double place[2])
{
  double at = place[side % 2];
  if (side < 2 ? at > seen->inner[side] : at < seen->inner[side])
    seen->inner[side] = at;
  for (int i = 0; i < 2; i++) {
    seen->outer[i] = fmin(seen->outer[i], place[i]);
    seen->outer[2 + i] = fmax(seen->outer[2 + i], place[i]);
  }
}

static void look_along(const StxCalibratedCamera *camera, const StxPreparedLens *lens,
    const double r[9], int side, Seen *seen)
{
  double far_x = camera->width - 1, far_y = camera->height - 1, place[2];
  for (int i = 0; i <= EDGE; i++) {
    double along = (double)i / EDGE;
    double x = side % 2 == 1 ? along * far_x : side == 0 ? 0 : far_x;
    double y = side % 2 == 0 ? along * far_y : side == 1 ? 0 : far_y;
    if (!rectified_place(lens, r, x, y, place))
      continue;
    add_place(seen, side, place);
    if (side % 2 == 0 && (i == 0 || i == EDGE)) {
      seen->corners[0] += place[0];
      seen->corners[1] += place[1];
      seen->count++;
    }
  }
}

static Seen look(const StxCalibratedCamera *camera, const double r[9])
{
  StxPreparedLens lens = stx_lens_prepare(&camera->lens);
  Seen seen = {.inner = {-NOWHERE, -NOWHERE, NOWHERE, NOWHERE},
      .outer = {NOWHERE, NOWHERE, -NOWHERE, -NOWHERE}};
  for (int side = 0; side < 4; side++)
    look_along(camera, &lens, r, side, &seen);
  return seen;
}

/* ---- Projection --------------------------------------------------------------------------- */

/* The focal length with which `rectangle` just fills the picture: the largest, or smallest, that
 * its four sides ask for. */
static double focal_of(const double rectangle[4], const double sides[4], bool largest)
{
  double f = largest ? 0 : NOWHERE;
  for (int i = 0; i < 4; i++) {
    double wanted = sides[i] / rectangle[i];
    f = largest ? fmax(f, wanted) : fmin(f, wanted);
  }
  return f;
}

/* Does the view hold what lies ahead? No edge of a picture may be wholly out of sight. */
static bool sees_ahead(const double inner[4], const double sides[4])
{
  for (int i = 0; i < 4; i++) {
    double sign = i < 2 ? -1 : 1;
    if (!(sign * inner[i] > 0 && sign * inner[i] < NOWHERE && sign * sides[i] > 0))
      return false;
  }
  return true;
}

static bool fit(
    const Seen seen[2], int width, int height, double alpha, RectifiedPair *pair, StxError *error)
{
  const double sides[4] = {-pair->cx, -pair->cy, width - 1 - pair->cx, height - 1 - pair->cy};
  double all = 0, most = NOWHERE;
  for (int i = 0; i < 2; i++) {
    if (!sees_ahead(seen[i].inner, sides))
      return stx_fail(error,
          "the %s camera does not see what lies ahead of the rectified pair: R, T or the lens are "
          "not those of two cameras side by side, or the lens shows half the world: set alpha=-1",
          i == 0 ? "left" : "right");
    all = fmax(all, focal_of(seen[i].inner, sides, true));
    most = fmin(most, focal_of(seen[i].outer, sides, false));
  }
  pair->f = all * (1 - alpha) + most * alpha;
  return true;
}

/* Bouguet's rotations, and the focal length that alpha asks for, of a calibration without R and P
 * whose cameras have sizes; for pictures of width × height. False with an error. */
static bool rectified_pair(const StxCalibration *c, int width, int height, double alpha,
    RectifiedPair *pair, StxError *error)
{
  const StxCalibratedCamera *left = &c->camera[0], *right = &c->camera[1];
  Seen seen[2];
  double centre[2] = {0, 0};
  find_rotations(c, pair);
  /* Everything in pixels of the left camera, should the right one have others. */
  double f = (left->lens.fy + right->lens.fy * left->height / right->height) / 2;
  for (int i = 0; i < 2; i++) {
    seen[i] = look(&c->camera[i], pair->r[i]);
    double share = seen[i].count > 0 ? f / seen[i].count : 0;
    centre[0] += ((left->width - 1) / 2.0 - share * seen[i].corners[0]) / 2;
    centre[1] += ((left->height - 1) / 2.0 - share * seen[i].corners[1]) / 2;
  }
  pair->cx = (centre[0] + .5) * width / left->width - .5;
  pair->cy = (centre[1] + .5) * height / left->height - .5;
  pair->f = f * height / left->height;
  return alpha < 0 || fit(seen, width, height, alpha, pair, error);
}

#define BATCH 16        /* rows of a map that a thread fills at a time */
#define MOST_PIXELS 1e6 /* of focal lengths and principal points */

/* ---- Fields ------------------------------------------------------------------------------- */

#define FIELD(kind, member) STX_FIELD(kind, StxRectifyParams, member)

static const StxField fields[] = {
    {"width", "Width", "Width of rectified pictures, pixels (0 = from calibration and input)",
        FIELD(INT, width), .high = STX_RECTIFY_MAX_SIDE, .unit = "px"},
    {"height", "Height", "Height of rectified pictures, pixels (0 = from calibration and input)",
        FIELD(INT, height), .high = STX_RECTIFY_MAX_SIDE, .unit = "px"},
    {"alpha", "Alpha",
        "View of a calibration without projection: 0 only pixels of both cameras, 1 all pixels, -1 "
        "the cameras' focal length",
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
  if (c.rectified) { /* with the left camera's P */
    const double *left = c.camera[0].p, *right = c.camera[1].p;
    double x = (double)view->width / c.width, y = (double)view->height / c.height;
    memcpy(view->r, c.camera[camera].r, sizeof view->r);
    view->fx = left[0] * x;
    view->fy = left[5] * y;
    view->cx = stx_scaled_centre(left[2], x);
    view->cy = stx_scaled_centre(left[6], y);
    baseline = (left[3] - right[3]) / left[0];
  } else {
    RectifiedPair pair;
    if (!rectified_pair(&c, view->width, view->height, params->alpha, &pair, error))
      return false;
    memcpy(view->r, pair.r[camera], sizeof view->r);
    view->fx = view->fy = pair.f;
    view->cx = pair.cx;
    view->cy = pair.cy;
    baseline = pair.baseline;
  }
  *rectified = (StxCamera){.focal = view->fx,
      .cx = view->cx,
      .cy = view->cy,
      .baseline = baseline,
      .image_width = view->width,
      .image_height = view->height,
      .missing = STX_CAMERA_PITCH};
  /* Numbers of a file that mean nothing may come this far. */
  if (rectified->focal > 0 && rectified->focal <= MOST_PIXELS && view->fy <= MOST_PIXELS &&
      fabs(view->cx) <= MOST_PIXELS && fabs(view->cy) <= MOST_PIXELS && baseline > 0)
    return true;
  return stx_fail(error,
      "the rectified pair would have focal length %g, principal point (%g, %g) and baseline %g m: "
      "the calibration is of no real cameras",
      view->fx, view->cx, view->cy, baseline);
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
