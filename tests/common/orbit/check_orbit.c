/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The orbiting view: rays that are cast by brute force find the same pixels of the picture; every
 * implementation equals the reference; what is refused. Colours: tests/frames.
 */
#include "tests/common/oracle.h"
#include "tests/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/orbit/orbit.h"

enum { WIDTH = 64, HEIGHT = 48, CELL = 4, COLUMNS = 16 };

static const StxCamera camera = {
    .focal = 64, .baseline = .5, .cx = 31.5, .cy = 15.5, .height = 1.5, .pitch = .02};

static StxOrbitParams params_of(int width, int height)
{
  StxOrbitParams params = STX_ORBIT_DEFAULTS;
  params.width = width;
  params.height = height;
  params.format = stx_pixel_format("RGB");
  params.legend = STX_LEGEND_NONE;
  return params;
}

static StxOrbitScene scene_of(const StxStixel *records, size_t count)
{
  return (StxOrbitScene){.image = {camera, WIDTH, HEIGHT, CELL, 60},
      .records = records,
      .count = count,
      .colours = STX_QUAD_COLOURS_DEFAULTS};
}

/* ---- Drawing ------------------------------------------------------------------------------ */

typedef struct {
  uint8_t *bytes;
  size_t size, stride;
} View;

static void view_free(View *view)
{
  stx_guarded_free(view->bytes);
}
STX_AUTO_VALUE(View, view_free)

static const StxOrbitImpl *reference(void)
{
  return oracle(&stx_orbit_impls);
}

/* Rows are padded by 5 bytes that must not be touched. */
static View draw(
    const StxOrbitImpl *impl, const StxOrbitParams *params, const StxOrbitScene *scene, int threads)
{
  size_t bytes = (size_t)params->width * params->format->plane[0].pixel_stride, stride = bytes + 5;
  View view = {
      stx_guarded_alloc(stride * (size_t)params->height), stride * (size_t)params->height, stride};
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(params, scene->count, threads));
  StxFrame frame = {{view.bytes}, {(ptrdiff_t)stride}};
  StxPlace place = {.threads = threads};
  StxError error;
  ck_assert(stx_orbit_check(params, &error));
  ck_assert(impl->draw(params, scene, &frame, scratch, &place, &error));
  for (int y = 0; y < params->height; y++)
    for (size_t i = bytes; i < stride; i++)
      ck_assert_int_eq(view.bytes[(size_t)y * stride + i], 0xCD);
  return view;
}

/* A street of no sense: any stixels, in order. */
static size_t any_street(StxRandom *random, StxStixel *records)
{
  size_t count = 0;
  for (int column = 0; column < COLUMNS; column++)
    for (int bottom = HEIGHT - 1; bottom >= 0;) {
      int rows = 1 + stx_random_below(random, 20), top = bottom - rows + 1;
      float d = (float)(.5 + stx_random_below(random, 64) / 8.);
      top = top > 0 ? top : 0;
      records[count++] = (StxStixel){.column = (uint16_t)column,
          .top = (uint16_t)top,
          .bottom = (uint16_t)bottom,
          .kind = (uint8_t)stx_random_below(random, 4),
          .label = (uint8_t)stx_random_below(random, 25),
          .disparity_top = d,
          .disparity_bottom = stx_random_below(random, 2) ? d : d + (float)rows / 8};
      bottom = top - 1;
    }
  return count;
}

/* A picture that shows its own columns and rows. */
static uint8_t position_pixels[HEIGHT][WIDTH][3];

static StxOrbitPicture position_picture(void)
{
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT) {
    position_pixels[y][x][0] = (uint8_t)(4 * x);
    position_pixels[y][x][1] = (uint8_t)(5 * y);
    position_pixels[y][x][2] = 77;
  }
  return (StxOrbitPicture){.frame = {{&position_pixels[0][0][0]}, {3 * WIDTH}},
      .format = stx_pixel_format("RGB"),
      .width = WIDTH,
      .height = HEIGHT,
      .placement = stx_placement_fill(WIDTH, HEIGHT, WIDTH, HEIGHT)};
}

/* ---- Brute force -------------------------------------------------------------------------- */

typedef struct {
  double eye[3], direction[3];
} Ray;

/* From the road's axes (aside, along, up), whose origin is on the road below the camera. */
static void to_camera(const double road[3], bool place, double out[3])
{
  double up = place ? road[2] - camera.height : road[2];
  double c = cos(camera.pitch), s = sin(camera.pitch);
  out[0] = road[0];
  out[1] = -c * up - s * road[1];
  out[2] = -s * up + c * road[1];
}

/* Returns the ray of a pixel by the header's text about the view alone. */
static Ray cast(const StxOrbitParams *p, double x, double y)
{
  double a = p->azimuth, e = p->elevation;
  double focal = p->height / 2. / tan(M_PI / 8);
  double right = (x - p->width / 2.) / focal, up = (p->height / 2. - y) / focal;
  const double forward[3] = {-cos(e) * sin(a), cos(e) * cos(a), -sin(e)};
  const double aside[3] = {cos(a), sin(a), 0};
  const double above[3] = {-sin(e) * sin(a), sin(e) * cos(a), cos(e)};
  double eye[3] = {0, p->ahead, 1}, direction[3];
  for (int k = 0; k < 3; k++) {
    eye[k] -= p->distance * forward[k];
    direction[k] = forward[k] + right * aside[k] + up * above[k];
  }
  Ray ray;
  to_camera(eye, true, ray.eye);
  to_camera(direction, false, ray.direction);
  return ray;
}

#define DET(i, j, k)                                                                               \
  (m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j]) -                                             \
      m[0][j] * (m[1][i] * m[2][k] - m[1][k] * m[2][i]) +                                          \
      m[0][k] * (m[1][i] * m[2][j] - m[1][j] * m[2][i]))

/* The intersection of the ray with a triangle, along it; 0: nowhere. Cramer's rule. */
static double meet(const Ray *ray, const double a[3], const double b[3], const double c[3])
{
  double m[3][4];
  for (int k = 0; k < 3; k++) {
    m[k][0] = b[k] - a[k];
    m[k][1] = c[k] - a[k];
    m[k][2] = -ray->direction[k];
    m[k][3] = ray->eye[k] - a[k];
  }
  double whole = DET(0, 1, 2), u = DET(3, 1, 2) / whole, v = DET(0, 3, 2) / whole;
  return u >= 0 && v >= 0 && u + v <= 1 ? DET(0, 1, 3) / whole : 0;
}

typedef struct {
  int record; /* -1: none */
  double column, row, away;
} Hit;

static Hit nearest(const StxOrbitScene *scene, const Ray *ray)
{
  Hit best = {.record = -1, .away = HUGE_VAL};
  for (size_t i = 0; i < scene->count; i++) {
    StxQuad f;
    double at[3];
    if (!stx_quad(&scene->image, &scene->records[i], &f))
      continue;
    for (int k = 0; k < STX_CORNERS; k++)
      f.corner[k][0] +=
          (k == STX_LOWER_LEFT || k == STX_UPPER_LEFT ? -.5 : .5) * f.corner[k][2] / camera.focal;
    double t = meet(ray, f.corner[0], f.corner[1], f.corner[2]);
    t = t > 0 ? t : meet(ray, f.corner[0], f.corner[2], f.corner[3]);
    if (t <= .1 || t >= best.away)
      continue;
    for (int k = 0; k < 3; k++)
      at[k] = ray->eye[k] + t * ray->direction[k];
    best = (Hit){(int)i, camera.focal * at[0] / at[2] + camera.cx,
        camera.focal * at[1] / at[2] + camera.cy, t};
  }
  return best;
}

/* Whether the surface seen there is certain: no other one is seen close by. */
static bool is_sure(
    const StxOrbitParams *params, const StxOrbitScene *scene, int x, int y, Hit *hit)
{
  static const double beside[][2] = {{.5, .5}, {.4, .4}, {.6, .4}, {.4, .6}, {.6, .6}};
  for (int i = 0; i < 5; i++) {
    Ray ray = cast(params, x + beside[i][0], y + beside[i][1]);
    Hit found = nearest(scene, &ray);
    if (i == 0)
      *hit = found;
    if (found.record != hit->record)
      return false;
  }
  return true;
}

STX_TEST_LOOP(rays_find_the_same, 4)
{
  /* azimuth, elevation, distance, ahead; the last eye stands among the stixels */
  static const double eyes[][4] = {
      {20, 25, 34, 17}, {-50, 60, 20, 10}, {170, 10, 12, 6}, {0, 2, 3, 8}};
  StxOrbitPicture picture = position_picture();
  StxRandom random = {(uint64_t)_i + 1};
  StxStixel records[COLUMNS * HEIGHT];
  StxOrbitScene scene = scene_of(records, any_street(&random, records));
  StxOrbitParams params = params_of(80, 45);
  int sure = 0, hits = 0;
  scene.picture = &picture;
  params.grid = false;
  params.azimuth = eyes[_i][0] * M_PI / 180, params.elevation = eyes[_i][1] * M_PI / 180;
  params.distance = eyes[_i][2], params.ahead = eyes[_i][3];
  STX_AUTO(View) view = draw(reference(), &params, &scene, 1);
  STX_EACH_PIXEL (x, y, 80, 45) {
    const uint8_t *seen = view.bytes + (size_t)y * view.stride + 3 * (size_t)x;
    Hit hit = {.record = -1};
    if (!is_sure(&params, &scene, x, y, &hit))
      continue;
    sure++;
    ck_assert_msg((seen[2] == 77) == (hit.record >= 0), "(%d, %d)", x, y);
    if (hit.record < 0)
      continue;
    hits++;
    ck_assert_msg(fabs(seen[0] / 4. - hit.column) <= 1.01 && fabs(seen[1] / 5. - hit.row) <= 1.01,
        "(%d, %d) shows %g, %g in place of %g, %g", x, y, seen[0] / 4., seen[1] / 5., hit.column,
        hit.row);
  }
  ck_assert_msg(sure > 1000 && hits > 150, "%d pixels are sure, %d of them hit", sure, hits);
}

/* ---- Equal to the reference --------------------------------------------------------------- */

static void expect_equal(const StxOrbitParams *params, const StxOrbitScene *scene, const char *what)
{
  static const int threads[] = {1, 2, 7};
  STX_AUTO(View) expected = draw(reference(), params, scene, 1);
  STX_EACH_IMPL (StxOrbitImpl, impl, &stx_orbit_impls) {
    for (int k = 0; k < 3; k++) {
      char name[96];
      STX_AUTO(View) view = draw(impl, params, scene, threads[k]);
      snprintf(name, sizeof name, "%s, %s, %d threads", what, impl->info.name, threads[k]);
      stx_expect_same(expected.bytes, view.bytes, view.size, name);
    }
  }
}

STX_TEST_LOOP(every_implementation_equals_the_reference, 5)
{
  static const char *const formats[] = {"RGB", "BGR", "RGBA", "xBGR", "ARGB"};
  static const int sizes[][2] = {{16, 16}, {61, 33}, {17, 90}, {130, 21}, {96, 54}};
  StxOrbitPicture picture = position_picture();
  StxRandom random = {(uint64_t)_i + 7};
  StxStixel records[COLUMNS * HEIGHT];
  StxOrbitScene scene = scene_of(records, any_street(&random, records));
  StxOrbitParams params = params_of(sizes[_i][0], sizes[_i][1]);
  params.format = stx_pixel_format(formats[_i]);
  params.azimuth = -1.4 + .7 * _i;
  params.distance = 3 + 8 * _i;
  for (int mode = 0; mode < 3; mode++) {
    scene.colours.mode = (StxQuadMode)mode;
    expect_equal(&params, &scene, formats[_i]);
  }
  scene.picture = &picture;
  expect_equal(&params, &scene, "picture");
  scene.count = 0;
  expect_equal(&params, &scene, "nothing");
}

/* ---- Literal ------------------------------------------------------------------------------ */

STX_TEST(places_are_projected)
{
  StxOrbitParams params = params_of(800, 450);
  StxCamera level = camera;
  const double place[3] = {0, .5, 17}, behind[3] = {0, 0, -100};
  double x, y;
  level.pitch = 0;
  ck_assert(stx_orbit_project(&params, &level, place, &x, &y));
  ck_assert_double_eq_tol(x, 400, 1e-9); /* 17 m ahead, 1 m above the road: looked at */
  ck_assert_double_eq_tol(y, 225, 1e-9);
  ck_assert(!stx_orbit_project(&params, &level, behind, &x, &y));
}

STX_TEST(what_it_refuses)
{
  StxOrbitParams good = params_of(800, 450);
  STX_REFUSES(stx_orbit_check, good, elevation, 90, "elevation is 90");
  STX_REFUSES(
      stx_orbit_check, good, format, stx_pixel_format("I420"), "format is I420, must be RGB");
}
