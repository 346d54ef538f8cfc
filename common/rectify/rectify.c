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
 * The principal point, the same for both, is OpenCV's: stereoRectify puts the mean of the pictures'
 * corners into the middle, fisheye::stereoRectify that of the middles of their edges. The focal
 * length is the cameras', or follows from the rectangles, upright in the rectified view, that lie
 * wholly within both pictures (alpha = 0), or hold them wholly (1), or from a field of view.
 *
 * Near a right angle to the axis a pixel's place in a plane goes to infinity, and a lens that is
 * changed by a percent moves it by thousands of pixels. What lies farther out than MOST_ANGLE
 * counts as being there, and so does what the lens's model does not reach.
 */
#include "common/cpu.h"
#include "common/calibration/calibration_lens.h"
#include "common/rectify/rectify.h"

#include <math.h>
#include <string.h>

#include "common/parallel.h"
#include "common/rotation.h"

#define EDGE 256                       /* places at which each edge of a picture is looked at */
#define NOWHERE 1e9                    /* normalized coordinates of what is not seen */
#define MOST_TANGENT 5.671281819617709 /* of the angle to the axis: 80 degrees */
#define CORNER_STEPS 5                 /* with which OpenCV looks for the ray of a corner */
#define RADIANS (3.14159265358979323846 / 180)

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

/* Inner and outer bounds of the picture, in normalized coordinates of the rectified view. */
typedef struct {
  double inner[4], outer[4]; /* left, top, right, bottom */
} Seen;

/* Where a direction meets the rectified view's plane, at most MOST_TANGENT from its middle. */
static void place_of_ray(const double r[9], const double ray[3], double place[2])
{
  double turned[3];
  stx_matrix_apply(r, ray, turned);
  double away = sqrt(turned[0] * turned[0] + turned[1] * turned[1]);
  double scale = away < MOST_TANGENT * turned[2] ? 1 / turned[2] : MOST_TANGENT / away;
  place[0] = turned[0] * scale;
  place[1] = turned[1] * scale;
}

/* The place of a camera's pixel, or of the last one that the lens reaches on the way there. */
static void rectified_place(
    const StxPreparedLens *lens, const double r[9], double x, double y, double place[2])
{
  double ray[3] = {0, 0, 1}, share = 1, step = 1;
  for (int i = 0; i < 24; i++) {
    const double pixel[2] = {
        lens->lens.cx + share * (x - lens->lens.cx), lens->lens.cy + share * (y - lens->lens.cy)};
    double found[3];
    bool reached = stx_lens_unproject(lens, pixel, found);
    if (reached)
      memcpy(ray, found, sizeof ray);
    if (reached && share == 1)
      break;
    step /= 2;
    share += reached ? step : -step;
  }
  place_of_ray(r, ray, place);
}

static void look_along(const StxCalibratedCamera *camera, const StxPreparedLens *lens,
    const double r[9], int side, Seen *seen)
{
  double far_x = camera->width - 1, far_y = camera->height - 1, place[2];
  for (int i = 0; i <= EDGE; i++) {
    double along = (double)i / EDGE;
    double x = side % 2 == 1 ? along * far_x : side == 0 ? 0 : far_x;
    double y = side % 2 == 0 ? along * far_y : side == 1 ? 0 : far_y;
    rectified_place(lens, r, x, y, place);
    double at = place[side % 2]; /* side: 0 left, 1 top, 2 right, 3 bottom */
    if (side < 2 ? at > seen->inner[side] : at < seen->inner[side])
      seen->inner[side] = at;
    for (int k = 0; k < 2; k++) {
      seen->outer[k] = fmin(seen->outer[k], place[k]);
      seen->outer[2 + k] = fmax(seen->outer[2 + k], place[k]);
    }
  }
}

/* ---- The middle --------------------------------------------------------------------------- */

/* OpenCV's ray of a corner, five steps towards it: of lenses up to 100 degrees or so the exact one,
 * and of wider ones a ray that changes as little as the lens does. */
static void corner_ray(const StxPreparedLens *lens, double x, double y, double ray[3])
{
  const double bent[2] = {(x - lens->lens.cx) / lens->lens.fx, (y - lens->lens.cy) / lens->lens.fy};
  ray[0] = bent[0];
  ray[1] = bent[1];
  ray[2] = 1;
  for (int i = 0; i < CORNER_STEPS; i++)
    stx_lens_approach(lens, bent, ray);
}

/* OpenCV's corners are pixels here, and below half the width and height. */
static void middle_of_corners(
    const StxCalibratedCamera *camera, const double r[9], double f, double middle[2])
{
  StxPreparedLens lens = stx_lens_prepare(&camera->lens);
  for (int i = 0; i < 4; i++) {
    double x = i % 2 * (camera->width - 1), y = i / 2 * (camera->height - 1), ray[3], place[2];
    corner_ray(&lens, x, y, ray);
    if (lens.lens.d[12] != 0 || lens.lens.d[13] != 0) /* a tilted sensor has no such steps */
      rectified_place(&lens, r, x, y, place);
    else
      place_of_ray(r, ray, place);
    middle[0] -= f * place[0] / 4;
    middle[1] -= f * place[1] / 4;
  }
}

/* Subtracts the mean of the middles of the edges, times the focal length with which they fit. */
static void middle_of_edges(const StxCalibratedCamera *camera, const double r[9], double middle[2])
{
  StxPreparedLens lens = stx_lens_prepare(&camera->lens);
  double width = camera->width, height = camera->height, mean[2] = {0, 0}, f = 0, place[4][2];
  const double at[4][2] = {
      {width / 2, 0}, {width, height / 2}, {width / 2, height}, {0, height / 2}};
  for (int i = 0; i < 4; i++) {
    rectified_place(&lens, r, at[i][0], at[i][1], place[i]);
    mean[0] += place[i][0] / 4;
    mean[1] += place[i][1] / 4;
  }
  for (int i = 0; i < 4; i++) {
    double reach = fabs(place[i][1 - i % 2] - mean[1 - i % 2]);
    f = reach > 0 ? fmax(f, (i % 2 == 1 ? width : height) / 2 / reach) : f;
  }
  middle[0] -= f * mean[0];
  middle[1] -= f * mean[1];
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

/* Does the view hold what lies ahead? */
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
          "not those of two cameras side by side",
          i == 0 ? "left" : "right");
    all = fmax(all, focal_of(seen[i].inner, sides, true));
    most = fmin(most, focal_of(seen[i].outer, sides, false));
  }
  pair->f = all * (1 - alpha) + most * alpha;
  return true;
}

/* Bouguet's rotations, and the focal length that is asked for, of a calibration without R and P
 * whose cameras have sizes; for pictures of width × height. False with an error. */
static bool rectified_pair(const StxCalibration *c, int width, int height,
    const StxRectifyParams *params, RectifiedPair *pair, StxError *error)
{
  const StxCalibratedCamera *left = &c->camera[0], *right = &c->camera[1];
  Seen seen[2];
  double centre[2] = {0, 0};
  find_rotations(c, pair);
  bool corners = left->lens.model == STX_LENS_BROWN && right->lens.model == STX_LENS_BROWN;
  /* Everything in pixels of the left camera, should the right one have others. */
  double scale = (double)left->height / right->height;
  double focal = (left->lens.fy + right->lens.fy * scale) / 2;
  for (int i = 0; i < 2; i++) {
    double unit = i == 0 ? 1 : scale, middle[2] = {0, 0};
    StxPreparedLens lens = stx_lens_prepare(&c->camera[i].lens);
    seen[i] = (Seen){.inner = {-NOWHERE, -NOWHERE, NOWHERE, NOWHERE},
        .outer = {NOWHERE, NOWHERE, -NOWHERE, -NOWHERE}};
    for (int side = 0; side < 4; side++)
      look_along(&c->camera[i], &lens, pair->r[i], side, &seen[i]);
    if (corners)
      middle_of_corners(&c->camera[i], pair->r[i], focal / unit, middle);
    else
      middle_of_edges(&c->camera[i], pair->r[i], middle);
    centre[0] += ((left->width - corners) / 2.0 + middle[0] * unit) / 2;
    centre[1] += ((left->height - corners) / 2.0 + middle[1] * unit) / 2;
  }
  pair->cx = stx_scaled_centre(centre[0], (double)width / left->width);
  pair->cy = stx_scaled_centre(centre[1], (double)height / left->height);
  pair->f = params->fov > 0 ? width / (2 * tan(params->fov * RADIANS / 2))
                            : focal * height / left->height;
  return params->fov > 0 || params->alpha < 0 ||
         fit(seen, width, height, params->alpha, pair, error);
}

#define RUN 8           /* samples of a row, in a map that is filled fast */
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
    {"fov", "Field of view",
        "Horizontal field of view of a calibration without projection, degrees (0 = by alpha)",
        FIELD(DOUBLE, fov), .high = 160},
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
    if (!rectified_pair(&c, view->width, view->height, params, &pair, error))
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

StxRectifyView stx_rectify_turned(const StxRectifyView *view, const StxRectifyTurn *turn)
{
  StxRectifyView turned = *view;
  double rotation[9];
  stx_rotation_from_vector(turn->angle, rotation);
  stx_matrix_product(rotation, view->r, turned.r);
  turned.lens.fx *= 1 + turn->ratio;
  turned.lens.fy *= 1 + turn->ratio;
  return turned;
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
  int run; /* samples of a row that lie in a straight line */
} Filling;

/* A position of the camera's picture along one side, as sample and fraction; false outside. */
static bool split(double position, int pixels, int samples, int shift, int *at, int *fraction)
{
  double pixel = position * STX_RECTIFY_ONE + .5, margin = shift * STX_RECTIFY_ONE / 2;
  if (!(pixel >= -margin && pixel < (double)(pixels - 1) * STX_RECTIFY_ONE + margin + 1))
    return false;
  if (shift > 0)
    pixel = ((position + .5) / 2 - .5) * STX_RECTIFY_ONE + .5;
  int whole = pixel > 0 ? (int)pixel : 0, most = (samples - 1) * STX_RECTIFY_ONE;
  whole = whole < most ? whole : most;
  *at = whole / STX_RECTIFY_ONE < samples - 2 ? whole / STX_RECTIFY_ONE : samples - 2;
  *fraction = whole - *at * STX_RECTIFY_ONE;
  return true;
}

/* The camera's pixel that a sample shows; false: none. */
static bool find_pixel(const Filling *f, int u, int v, double pixel[2])
{
  const StxRectifyView *view = f->view;
  const double *r = view->r;
  double x = (stx_scaled_centre(u, 1 << f->shift[0]) - view->cx) / view->fx;
  double y = (stx_scaled_centre(v, 1 << f->shift[1]) - view->cy) / view->fy;
  const double ray[3] = {
      r[0] * x + r[3] * y + r[6], r[1] * x + r[4] * y + r[7], r[2] * x + r[5] * y + r[8]};
  return stx_lens_project(&f->lens, ray, pixel);
}

static void put_pixel(const Filling *f, const double pixel[2], size_t i)
{
  int at[2], fraction[2];
  if (!split(pixel[0], f->view->source_width, f->map.source_width, f->shift[0], &at[0],
          &fraction[0]) ||
      !split(pixel[1], f->view->source_height, f->map.source_height, f->shift[1], &at[1],
          &fraction[1]))
    return;
  f->place[i] = (uint32_t)at[0] | (uint32_t)at[1] << 16;
  f->fraction[i] = (uint16_t)(fraction[0] | fraction[1] << 8);
}

/* So many samples from (u, v) on, those between the ends in a straight line; without a pixel at the
 * one after them each by itself. */
static void fill_run(const Filling *f, int u, int v, int count)
{
  size_t i = (size_t)v * (size_t)f->map.width + (size_t)u;
  double begin[2], end[2], pixel[2];
  bool straight = count > 1 && find_pixel(f, u, v, begin) && find_pixel(f, u + count, v, end);
  for (int k = 0; k < count; k++, i++) {
    f->place[i] = STX_RECTIFY_OUTSIDE;
    f->fraction[i] = 0;
    for (int c = 0; c < 2 && straight; c++)
      pixel[c] = begin[c] + (end[c] - begin[c]) * k / count;
    if (straight || find_pixel(f, u + k, v, pixel))
      put_pixel(f, pixel, i);
  }
}

static void fill_rows(void *data, int batch, int worker)
{
  const Filling *f = data;
  for (int y = batch * BATCH; y < (batch + 1) * BATCH && y < f->map.height; y++)
    for (int x = 0; x < f->map.width; x += f->run)
      fill_run(f, x, y, f->run < f->map.width - x ? f->run : f->map.width - x);
}

static void fill(
    const StxRectifyView *view, int shift_x, int shift_y, void *memory, int threads, int run)
{
  Filling f = {view, stx_lens_prepare(&view->lens),
      stx_rectify_map_in(view, shift_x, shift_y, memory), memory, NULL, {shift_x, shift_y}, run};
  f.fraction =
      (uint16_t *)(void *)((char *)memory + ((const char *)f.map.fraction - (char *)memory));
  stx_parallel(threads, (f.map.height + BATCH - 1) / BATCH, fill_rows, &f);
}

void stx_rectify_map_fill(
    const StxRectifyView *view, int shift_x, int shift_y, void *memory, int threads)
{
  fill(view, shift_x, shift_y, memory, threads, 1);
}

void stx_rectify_map_refill(
    const StxRectifyView *view, int shift_x, int shift_y, void *memory, int threads)
{
  fill(view, shift_x, shift_y, memory, threads, RUN);
}

double stx_rectify_black(const StxRectifyMap *map)
{
  size_t count = (size_t)map->width * (size_t)map->height, black = 0;
  for (size_t i = 0; i < count; i++)
    black += map->place[i] == STX_RECTIFY_OUTSIDE;
  return (double)black / (double)count;
}

/* ---- Implementations ---------------------------------------------------------------------- */

STX_DECLARE(StxRectifyImpl, stx_rectify, run);
STX_DECLARE(StxRectifyImpl, stx_rectify, run_packed);
#define FUNCTIONS(isa) stx_rectify_run_##isa, stx_rectify_run_packed_##isa
STX_HOST_TABLE(StxRectifyImpl, stx_rectify, FUNCTIONS);
