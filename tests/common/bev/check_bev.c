/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scans from above, pixel by pixel: literal places and colours, what lies over what, odd points.
 * What is drawn over scans from above: rings, distances, the bar of scale, the sensor.
 */
#include "tests/common/bev/bev_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int obstacle[3] = {206, 208, 212}, red[3] = {232, 72, 56};
static const int ground[3] = {52, 104, 88}, unknown[3] = {72, 74, 84};

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

STX_TEST(x_is_up_and_y_is_left)
{
  StxBevParams params = bev_plain(20, 20), zoomed = bev_plain(20, 20);
  expect_place(params, 3.5f, 2.5f, 7, 6, 7, 6);
  expect_place(params, -3.5f, -2.5f, 12, 13, 12, 13);
  expect_place(params, 0.1f, -0.1f, 10, 9, 10, 9);
  params.center_x = 5;
  params.center_y = -6;
  expect_place(params, 5.5f, -5.5f, 9, 9, 9, 9);
  expect_place(params, 0.5f, 0.5f, 3, 14, 3, 14);
  zoomed.extent = 5; /* 2 pixels per metre */
  expect_place(zoomed, 1.25f, 1.25f, 7, 7, 7, 7);
  expect_place(bev_plain(33, 17), 0, 0, 16, 8, 16, 8); /* the middle of a pixel */
  expect_place(bev_plain(17, 33), 0, 0, 8, 16, 8, 16);
  expect_place(bev_plain(33, 17), 8.25f, -16.25f, 32, 0, 32, 0);
  expect_place(bev_plain(33, 17), -8.25f, 16.25f, 0, 16, 0, 16);
}

STX_TEST(points_are_squares)
{
  for (int size = 1; size <= 9; size++) {
    StxBevParams params = bev_plain(20, 20);
    int before = (size - 1) / 2, after = size / 2;
    params.point_size = size;
    expect_place(params, -0.5f, -0.5f, 10 - before, 10 - before, 10 + after, 10 + after);
    expect_place(params, 9.5f, 9.5f, 0, 0, after, after);
    expect_place(params, -9.5f, -9.5f, 19 - before, 19 - before, 19, 19);
  }
}

/* Of a point outside, what reaches in. */
STX_TEST(edges_cut_squares)
{
  StxBevParams params = bev_plain(20, 20);
  params.point_size = 5;
  expect_place(params, 11.5f, 0.5f, 7, 0, 11, 0); /* row −2 */
  expect_place(params, 12.5f, 0.5f, 1, 1, 0, 0);  /* row −3: nothing */
  expect_place(params, -11.5f, 0.5f, 7, 19, 11, 19);
  expect_place(params, -12.5f, 0.5f, 1, 1, 0, 0);
  expect_place(params, 0.5f, 11.5f, 0, 7, 0, 11);
  expect_place(params, 0.5f, -11.5f, 19, 7, 19, 11);
  expect_place(params, 0.5f, -12.5f, 1, 1, 0, 0);
}

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

/* ---- Legend ------------------------------------------------------------------------------- */

/* ---- Colours ------------------------------------------------------------------------------ */

/* The colour of one point in the middle. */
static void colour_of(StxBevMode mode, const float point[4], const uint32_t *label, int rgb[3])
{
  StxBevParams params = bev_plain(16, 16);
  params.mode = mode;
  STX_AUTO(BevPicture) p = bev_picture_of(params, (const float(*)[4])(const void *)point, label, 1);
  for (int c = 0; c < 3; c++)
    rgb[c] = bev_pixel(&p, 7, 7)[c];
}

static void expect_colour(
    StxBevMode mode, float z, float intensity, const uint32_t *label, const int expected[3])
{
  const float point[4] = {0.5f, 0.5f, z, intensity};
  int rgb[3];
  colour_of(mode, point, label, rgb);
  ck_assert_msg(memcmp(rgb, expected, sizeof rgb) == 0,
      "mode %d, height %g, intensity %g, label %x: %d %d %d instead of %d %d %d", mode, z,
      intensity, label == NULL ? 0 : *label, rgb[0], rgb[1], rgb[2], expected[0], expected[1],
      expected[2]);
}

STX_TEST(colours_of_labels)
{
  static const uint32_t grounds[] = {40, 44, 48, 49, 60, 72, 49 | 7 << 16};
  for (int mode = STX_BEV_CLUSTERS; mode <= STX_BEV_LABELS; mode++) {
    for (size_t i = 0; i < sizeof grounds / sizeof grounds[0]; i++)
      expect_colour(mode, 0, 0, &grounds[i], ground);
    expect_colour(mode, 0, 0, &(uint32_t){0}, unknown);
    expect_colour(mode, 0, 0, &(uint32_t){5u << 16}, unknown);
    const int *alone = mode == STX_BEV_LABELS ? red : obstacle;
    expect_colour(mode, 0, 0, &(uint32_t){99}, alone);
    expect_colour(mode, 0, 0, &(uint32_t){10}, alone);
    expect_colour(mode, 0, 0, &(uint32_t){0xFFFF}, alone);
  }
  expect_colour(STX_BEV_LABELS, 0, 0, &(uint32_t){99 | 3u << 16}, red);
}

/* Clusters next to each other in number can be told apart, from ground and red, too. */
STX_TEST(colours_of_clusters)
{
  const float point[4] = {0.5f, 0.5f, 0, 0};
  int last[3] = {232, 72, 56}, rgb[3];
  for (uint32_t cluster = 1; cluster <= 130; cluster++) {
    uint32_t label = 99 | cluster << 16;
    colour_of(STX_BEV_CLUSTERS, point, &label, rgb);
    int away = 0, from_ground = 0;
    for (int c = 0; c < 3; c++) {
      away += abs(rgb[c] - last[c]);
      from_ground += abs(rgb[c] - ground[c]);
    }
    ck_assert_msg(away > 60 && from_ground > 60, "cluster %u is %d %d %d after %d %d %d", cluster,
        rgb[0], rgb[1], rgb[2], last[0], last[1], last[2]);
    memcpy(last, rgb, sizeof last);
  }
  for (uint32_t a = 1; a <= 64; a++)
    for (uint32_t b = 1; b < a; b++) {
      colour_of(STX_BEV_CLUSTERS, point, &(uint32_t){99 | a << 16}, rgb);
      colour_of(STX_BEV_CLUSTERS, point, &(uint32_t){99 | b << 16}, last);
      ck_assert_msg(memcmp(rgb, last, sizeof rgb) != 0, "clusters %u and %u look alike", a, b);
    }
  colour_of(STX_BEV_CLUSTERS, point, &(uint32_t){99 | 65535u << 16}, last);
  colour_of(STX_BEV_CLUSTERS, point, &(uint32_t){99 | 63u << 16}, rgb);
  ck_assert_mem_eq(rgb, last, sizeof rgb);
}

STX_TEST(colours_of_heights)
{
  /* Both ends and the middle of the palette of distances. */
  static const int blue[3] = {64, 96, 240}, green[3] = {173, 222, 65}, strong[3] = {224, 28, 46};
  const uint32_t label = 49;
  expect_colour(STX_BEV_HEIGHT, -2, 0, NULL, blue);
  expect_colour(STX_BEV_HEIGHT, -100, 0, NULL, blue);
  expect_colour(STX_BEV_HEIGHT, 2, 0, NULL, strong);
  expect_colour(STX_BEV_HEIGHT, 100, 0, NULL, strong);
  expect_colour(STX_BEV_HEIGHT, 0, 0, &label, green);
  expect_colour(STX_BEV_CLUSTERS, 0, 0, NULL, green);
  expect_colour(STX_BEV_INTENSITY, 0, 0, &label, blue);
  expect_colour(STX_BEV_INTENSITY, 0, 1, &label, strong);
  expect_colour(STX_BEV_INTENSITY, 0, 0.5f, NULL, green);
  expect_colour(STX_BEV_INTENSITY, 0, 127.5f, NULL, green);
  expect_colour(STX_BEV_INTENSITY, 0, 255, NULL, strong);
  expect_colour(STX_BEV_INTENSITY, 0, -1, NULL, blue);
}

STX_TEST(orders_the_bytes_as_the_format_says)
{
  static const int expected[BEV_FORMATS][4] = {{232, 72, 56}, {56, 72, 232}, {232, 72, 56, 255},
      {232, 72, 56, 255}, {56, 72, 232, 255}, {56, 72, 232, 255}, {255, 232, 72, 56},
      {255, 232, 72, 56}, {255, 56, 72, 232}, {255, 56, 72, 232}};
  const float point[1][4] = {{0.5f, 0.5f, 0, 0}};
  for (int f = 0; f < BEV_FORMATS; f++) {
    StxBevParams params = bev_plain(17, 19);
    params.format = stx_pixel_format(bev_formats[f]);
    params.mode = STX_BEV_LABELS;
    STX_AUTO(BevPicture) p = bev_picture_of(params, point, (uint32_t[]){99}, 1);
    for (int byte = 0; byte < params.format->plane[0].pixel_stride; byte++)
      ck_assert_msg(bev_pixel(&p, 8, 9)[byte] == expected[f][byte], "%s: byte %d is %d",
          bev_formats[f], byte, bev_pixel(&p, 8, 9)[byte]);
  }
}

/* ---- What lies over what ------------------------------------------------------------------ */

typedef struct {
  float z;
  uint32_t label;
} Thing;

/* Of two on one pixel, in either order, the first is seen. */
static void expect_over(Thing above, Thing below)
{
  StxBevParams params = bev_plain(16, 16);
  int expected[3];
  const float alone[4] = {0.5f, 0.5f, above.z, 0};
  colour_of(STX_BEV_CLUSTERS, alone, &above.label, expected);
  for (int order = 0; order < 2; order++) {
    const Thing *first = order ? &above : &below, *second = order ? &below : &above;
    const float points[2][4] = {{0.5f, 0.5f, first->z, 0}, {0.5f, 0.5f, second->z, 0}};
    STX_AUTO(BevPicture) p =
        bev_picture_of(params, points, (uint32_t[]){first->label, second->label}, 2);
    bev_expect_pixel(&p, 7, 7, expected, "what is above");
  }
}

STX_TEST(obstacles_over_ground_over_nothing)
{
  expect_over((Thing){-5, 99}, (Thing){5, 49});
  expect_over((Thing){-5, 49}, (Thing){5, 0});
  expect_over((Thing){1, 99}, (Thing){0.99f, 99 | 1 << 16});
  expect_over((Thing){1, 99 | 1 << 16}, (Thing){0.99f, 99});
  expect_over((Thing){31.99f, 99}, (Thing){31.9f, 99 | 1 << 16});
  expect_over((Thing){-31.9f, 99}, (Thing){-31.99f, 99 | 1 << 16});
  expect_over((Thing){1, 99 | 1 << 16}, (Thing){1, 99});    /* a tie: the larger number */
  expect_over((Thing){99, 99 | 1 << 16}, (Thing){100, 99}); /* higher than heights are told apart */
}

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

static int rank_of(uint32_t label)
{
  return (label & 0xFFFF) == 0 ? 0 : (label & 0xFFFF) == 49 || (label & 0xFFFF) == 40 ? 1 : 2;
}

/* A picture of many is, pixel for pixel, the picture of the one that lies above. */
STX_TEST(equals_the_pictures_of_single_points)
{
  enum { COUNT = 40 };
  StxRandom random = {5};
  for (int round = 0; round < 40; round++) {
    StxBevParams params =
        bev_plain(16 + stx_random_below(&random, 9), 16 + stx_random_below(&random, 9));
    float points[COUNT][4];
    uint32_t labels[COUNT];
    BevPicture all, one[COUNT];
    params.format = stx_pixel_format(bev_formats[round % BEV_FORMATS]);
    params.point_size = 1 + round % 9;
    params.mode = (StxBevMode)(round % 4);
    params.center_x = round % 3;
    crowd(&random, points, labels, COUNT, 14);
    for (int i = 0; i < COUNT; i++) { /* no two of one height: ties have a test of their own */
      points[i][2] = (float)i * 0.05f - 1;
      one[i] = bev_picture_of(params, &points[i], &labels[i], 1);
    }
    all = bev_picture_of(params, points, labels, COUNT);
    STX_AUTO(BevPicture) empty = bev_picture_of(params, NULL, NULL, 0);
    STX_EACH_PIXEL (x, y, params.width, params.height) {
      int stride = params.format->plane[0].pixel_stride, best = -1;
      for (int i = 0; i < COUNT; i++)
        if (memcmp(bev_pixel(&one[i], x, y), bev_pixel(&empty, x, y), (size_t)stride) != 0 &&
            (best < 0 || rank_of(labels[i]) >= rank_of(labels[best])))
          best = i;
      const BevPicture *expected = best < 0 ? &empty : &one[best];
      ck_assert_msg(memcmp(bev_pixel(&all, x, y), bev_pixel(expected, x, y), (size_t)stride) == 0,
          "round %d: pixel (%d, %d) is not that of point %d", round, x, y, best);
    }
    for (int i = 0; i < COUNT; i++)
      bev_picture_free(&one[i]);
    bev_picture_free(&all);
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
    stx_bev_draw(p.bev, moved[0], moved_labels, COUNT, &p.frame); /* nothing stays */
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
