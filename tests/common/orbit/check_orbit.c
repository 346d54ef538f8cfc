/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The orbiting view: every implementation equals the reference; what is refused. Looks:
 * tests/frames.
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
