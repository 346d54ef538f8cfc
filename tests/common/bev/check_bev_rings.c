/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is drawn over scans from above: rings, distances, the bar of scale, the sensor. */
#include "tests/common/bev/bev_case.h"

/* The largest red of a box of pixels, edges inclusive. */
static int brightest(const BevPicture *p, int left, int top, int right, int bottom)
{
  int most = 0;
  for (int y = top; y <= bottom; y++)
    for (int x = left; x <= right; x++)
      most = bev_pixel(p, x, y)[0] > most ? bev_pixel(p, x, y)[0] : most;
  return most;
}

static void expect_brightest(
    const BevPicture *p, const int box[4], int low, int high, const char *what)
{
  int found = brightest(p, box[0], box[1], box[2], box[3]);
  ck_assert_msg(found >= low && found <= high, "%s: %d, not %d to %d", what, found, low, high);
}

/* 1 pixel per metre: rings every 50 m. */
START_TEST(rings_bar_and_sensor)
{
  StxBevParams params = bev_plain(400, 420);
  params.extent = 200;
  params.rings = true;
  BevPicture p = bev_picture_of(params, NULL, NULL, 0);
  int letters = 0, dark = bev_background[0];
  expect_brightest(&p, (int[]){299, 210, 300, 210}, 45, 95, "ring");
  expect_brightest(&p, (int[]){200, 309, 200, 310}, 45, 95, "ring behind");
  expect_brightest(&p, (int[]){252, 210, 297, 210}, dark, dark, "inside of the ring");
  expect_brightest(&p, (int[]){302, 210, 347, 210}, dark, dark, "outside of the ring");
  expect_brightest(&p, (int[]){30, 410, 30, 414}, 100, 255, "bar");
  expect_brightest(&p, (int[]){57, 409, 59, 409}, 100, 255, "end of the bar");
  expect_brightest(&p, (int[]){62, 405, 90, 415}, dark, dark, "beyond its end");
  expect_brightest(&p, (int[]){200, 205, 200, 209}, 235, 235, "sensor");
  expect_brightest(&p, (int[]){200, 190, 200, 201}, dark, dark, "ahead of the sensor");
  expect_brightest(&p, (int[]){200, 214, 200, 220}, dark, dark, "notch of the sensor");
  for (int y = 96; y < 109; y++)
    for (int x = 202; x < 225; x++)
      letters += bev_pixel(&p, x, y)[0] > 180;
  ck_assert_msg(letters > 20, "%d pixels of letters at the second ring", letters);
  bev_picture_free(&p);
}
END_TEST

/* Of the arrow each edge shows its own row or column, and nothing comes round the other side. */
START_TEST(edges_cut_the_sensor)
{
  static const struct {
    double center_x, center_y;
    int box[4], opposite[4];
  } cases[] = {{-28, 0, {28, 0, 32, 6}, {28, 55, 32, 59}},
      {29, 0, {28, 53, 32, 59}, {28, 0, 32, 6}}, {-15, -30, {0, 10, 3, 19}, {56, 10, 59, 19}},
      {-15, 29, {56, 10, 59, 19}, {0, 10, 3, 19}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxBevParams params = bev_plain(60, 60);
    params.center_x = cases[i].center_x;
    params.center_y = cases[i].center_y;
    params.rings = true;
    BevPicture p = bev_picture_of(params, NULL, NULL, 0);
    expect_brightest(&p, cases[i].box, 230, 255, "sensor");
    expect_brightest(&p, cases[i].opposite, 0, 229, "the other side");
    bev_picture_free(&p);
  }
}
END_TEST

/* From thumbnails to 4K lines and letters grow with the picture. */
START_TEST(letters_grow_with_the_picture)
{
  static const int sides[] = {160, 400, 800, 2160};
  int last = 0;
  for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
    StxBevParams params = bev_plain(sides[i], sides[i]);
    params.extent = 50;
    int letters = 0;
    params.rings = true;
    BevPicture p = bev_picture_of(params, NULL, NULL, 0);
    for (int y = 0; y < sides[i]; y++)
      for (int x = 0; x < sides[i]; x++)
        letters += bev_pixel(&p, x, y)[0] > 180;
    ck_assert_msg(
        letters > last, "%d pixels: %d of letters, %d of a smaller one", sides[i], letters, last);
    last = letters;
    bev_picture_free(&p);
  }
}
END_TEST

/* The sensor may be anywhere, the picture of any size, the scale whatever. */
START_TEST(extremes_harm_nobody)
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
      BevPicture p = bev_picture_of(params, points, NULL, 2);
      bev_picture_free(&p);
    }
}
END_TEST

static const StxTest tests[] = {
    {&rings_bar_and_sensor},
    {&edges_cut_the_sensor},
    {&letters_grow_with_the_picture},
    {&extremes_harm_nobody},
};
STX_TESTING_MAIN("bev_rings", tests)
