/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scans from above: odd points, their order, extremes. Places, colours, rings and legends:
 * tests/frames.
 */
#include "common/bev/bev.h"
#include "tests/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BEV_FORMATS 10
static const char *const bev_formats[BEV_FORMATS] = {
    "RGB", "BGR", "RGBA", "RGBx", "BGRA", "BGRx", "ARGB", "xRGB", "ABGR", "xBGR"};
/* The colour where nothing is drawn. */
static const int bev_background[3] = {14, 16, 20};

typedef struct {
  StxBevParams params;
  StxBev *bev;
  StxImage8 plane; /* guarded, its rows padded */
  StxFrame frame;
} BevPicture;

/* One pixel per metre, the sensor in the middle, points of one pixel, no rings. */
static StxBevParams bev_plain(int width, int height)
{
  StxBevParams params = STX_BEV_DEFAULTS;
  params.width = width;
  params.height = height;
  params.format = stx_pixel_format("RGB");
  params.extent = (width < height ? width : height) / 2.0;
  params.point_size = 1;
  params.rings = false;
  params.legend = STX_LEGEND_NONE;
  return params;
}

/* One that nothing is drawn on yet, with so many bytes between rows. */
static BevPicture bev_picture_new(StxBevParams params, int padding)
{
  BevPicture p = {.params = params};
  StxError error;
  ck_assert_msg(stx_bev_check(&params, &error), "%s", error.text);
  p.bev = stx_bev_init(stx_guarded_alloc(stx_bev_size(&params)), &params);
  p.plane =
      stx_test_image8(params.width * params.format->plane[0].pixel_stride, params.height, padding);
  p.frame = (StxFrame){{p.plane.data}, {p.plane.stride}};
  return p;
}

static void bev_picture_free(BevPicture *p)
{
  stx_guarded_free(p->bev);
  stx_test_image8_free(&p->plane);
}

STX_AUTO_VALUE(BevPicture, bev_picture_free)

static void bev_draw(BevPicture *p, const float (*points)[4], const uint32_t *labels, size_t count)
{
  stx_bev_begin(p->bev);
  stx_bev_put_points(p->bev, count > 0 ? points[0] : NULL, labels, count, NULL);
  stx_bev_finish(p->bev, &p->frame, 1);
}

/* The picture of some points. */
static BevPicture bev_picture_of(
    StxBevParams params, const float (*points)[4], const uint32_t *labels, size_t count)
{
  BevPicture p = bev_picture_new(params, 5);
  bev_draw(&p, points, labels, count);
  return p;
}

static const uint8_t *bev_pixel(const BevPicture *p, int x, int y)
{
  return stx_row8(&p->plane, y) + x * p->params.format->plane[0].pixel_stride;
}

static void bev_expect_pixel(const BevPicture *p, int x, int y, const int rgb[3], const char *what)
{
  const uint8_t *at = bev_pixel(p, x, y);
  ck_assert_msg(at[0] == rgb[0] && at[1] == rgb[1] && at[2] == rgb[2],
      "%s: pixel (%d, %d) is %d %d %d instead of %d %d %d", what, x, y, at[0], at[1], at[2], rgb[0],
      rgb[1], rgb[2]);
}

static const int obstacle[3] = {206, 208, 212};

/* The square from (left, top) to (right, bottom), inclusive, and nothing else. */
static void expect_square(const BevPicture *p, int left, int top, int right, int bottom,
    const int rgb[3], const char *what)
{
  STX_EACH_PIXEL (x, y, p->params.width, p->params.height) {
    bool inside = x >= left && x <= right && y >= top && y <= bottom;
    bev_expect_pixel(p, x, y, inside ? rgb : bev_background, what);
  }
}

/* One obstacle. */
static void expect_place(
    StxBevParams params, float x, float y, int left, int top, int right, int bottom)
{
  const float point[1][4] = {{x, y, 0, 0}};
  char what[64];
  STX_AUTO(BevPicture) p = bev_picture_of(params, point, (uint32_t[]){99}, 1);
  snprintf(what, sizeof what, "point (%g, %g), size %d", x, y, params.point_size);
  expect_square(&p, left, top, right, bottom, obstacle, what);
}

/* ---- Places ------------------------------------------------------------------------------- */

STX_TEST(odd_points_are_left_out)
{
  static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e10f, -1e10f};
  StxBevParams params = bev_plain(20, 20);
  params.point_size = 9;
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    expect_place(params, odd[i], 0, 1, 1, 0, 0);
    expect_place(params, 0, odd[i], 1, 1, 0, 0);
    expect_place(params, odd[i], odd[i], 1, 1, 0, 0);
  }
  params.mode = STX_BEV_INTENSITY;
  for (size_t i = 0; i < 3; i++) { /* as heights and intensities */
    const float points[2][4] = {{0, 0, odd[i], 0}, {-9.5f, -9.5f, 0, odd[i]}};
    STX_AUTO(BevPicture) p = bev_picture_of(params, points, NULL, 2);
    bev_expect_pixel(&p, 10, 10, bev_background, "height");
    bev_expect_pixel(&p, 19, 19, i == 1 ? (int[]){224, 28, 46} : (int[]){64, 96, 240}, "intensity");
  }
}

/* ---- What lies over what ------------------------------------------------------------------ */

/* Points of every kind, many on the same pixels, at different heights. */
static void crowd(StxRandom *random, float (*points)[4], uint32_t *labels, int count, int reach)
{
  static const uint32_t classes[] = {0, 49, 40, 99, 99 | 1 << 16, 99 | 2 << 16, 10 | 70 << 16};
  for (int i = 0; i < count; i++) {
    for (int axis = 0; axis < 2; axis++)
      points[i][axis] = (float)(stx_random_below(random, 20 * reach) - 10 * reach) / 10 + 0.05f;
    points[i][2] = (float)stx_random_below(random, 40) / 10 - 2;
    points[i][3] = (float)stx_random_below(random, 256) / 255;
    labels[i] = classes[stx_random_below(random, 7)];
  }
}

STX_TEST(order_does_not_matter)
{
  enum { COUNT = 3000 };
  static float points[COUNT][4], moved[COUNT][4];
  static uint32_t labels[COUNT], moved_labels[COUNT];
  StxRandom random = {7};
  for (int mode = 0; mode < 4; mode++) {
    StxBevParams params = bev_plain(61, 47);
    params.mode = (StxBevMode)mode;
    params.rings = true;
    params.point_size = 3;
    crowd(&random, points, labels, COUNT, 40);
    STX_AUTO(BevPicture) p = bev_picture_of(params, points, labels, COUNT);
    for (int i = 0; i < COUNT; i++) {
      memcpy(moved[i], points[i * 1009 % COUNT], sizeof moved[i]);
      moved_labels[i] = labels[i * 1009 % COUNT];
    }
    STX_AUTO(BevPicture) shuffled = bev_picture_of(params, moved, moved_labels, COUNT);
    stx_expect_same_image8(&p.plane, &shuffled.plane, "shuffled");
    bev_draw(&p, moved, moved_labels, COUNT); /* nothing stays */
    stx_expect_same_image8(&p.plane, &shuffled.plane, "again");
  }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

STX_TEST(refuses_what_is_out_of_range)
{
  StxBevParams good = bev_plain(20, 20);
  STX_REFUSES(stx_bev_check, good, format, NULL, "format is unknown");
  STX_REFUSES(stx_bev_check, good, format, stx_pixel_format("I420"), "format is I420");
  STX_REFUSES(stx_bev_check, good, extent, NAN, "extent is nan");
}

/* The sensor may be anywhere, the picture of any size, the scale whatever. */
STX_TEST(extremes_harm_nobody)
{
  static const int sizes[][2] = {{16, 16}, {8192, 16}, {16, 8192}, {17, 16}, {301, 64}};
  static const double extents[] = {1, 7.3, 500}, centers[] = {-500, -3, 0, 500};
  const float points[2][4] = {{0, 0, 0, 0}, {499, -499, 1, 1}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (int i = 0; i < 3 * 4 * 4; i++) {
      StxBevParams params = bev_plain(sizes[s][0], sizes[s][1]);
      params.format = stx_pixel_format(bev_formats[i % BEV_FORMATS]);
      params.extent = extents[i / 16];
      params.center_x = centers[i / 4 % 4];
      params.center_y = centers[i % 4];
      params.point_size = 9;
      params.rings = true;
      STX_AUTO(BevPicture) p = bev_picture_of(params, points, NULL, 2);
    }
}
