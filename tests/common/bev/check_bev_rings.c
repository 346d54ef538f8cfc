/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is drawn over scans from above: rings, distances, the bar of scale, the sensor. */
#include "tests/common/bev/bev_case.h"

#include <stdlib.h>

/* 1 pixel per metre: rings every 100 m. Ink of 45 and of 230 in 255 over the background. */
START_TEST(rings_bar_and_sensor)
{
  static const int thin[3] = {53, 55, 56}, full[3] = {213, 214, 205};
  StxBevParams params = bev_plain(400, 420);
  params.extent = 200;
  params.rings = true;
  BevPicture p = bev_picture_of(params, NULL, NULL, 0);
  int letters = 0;
  bev_expect_pixel(&p, 299, 210, thin, "ring");
  bev_expect_pixel(&p, 200, 309, thin, "ring behind");
  bev_expect_pixel(&p, 297, 210, bev_background, "inside of the ring");
  bev_expect_pixel(&p, 302, 210, bev_background, "outside of the ring");
  bev_expect_pixel(&p, 112, 408, full, "end of the bar");
  bev_expect_pixel(&p, 112, 404, full, "foot of the bar");
  bev_expect_pixel(&p, 200, 210, full, "sensor");
  bev_expect_pixel(&p, 200, 202, full, "tip of the sensor");
  bev_expect_pixel(&p, 200, 201, bev_background, "ahead of the sensor");
  bev_expect_pixel(&p, 200, 213, bev_background, "notch of the sensor");
  for (int y = 96; y < 107; y++)
    for (int x = 204; x < 225; x++)
      letters += bev_pixel(&p, x, y)[0] > 180;
  ck_assert_msg(letters > 20, "%d pixels of letters at the first ring", letters);
  bev_picture_free(&p);
}
END_TEST

/* The middle of the arrow is nine pixels wide; of it, each edge shows its own row or column. */
START_TEST(edges_cut_the_sensor)
{
  static const int full[3] = {213, 214, 205};
  static const struct {
    double center_x, center_y;
    int row, column; /* of the sensor */
  } cases[] = {{-30, 0, 0, 30}, {29, 0, 59, 30}, {-15, -30, 15, 0}, {-15, 29, 15, 59}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxBevParams params = bev_plain(60, 60);
    params.center_x = cases[i].center_x;
    params.center_y = cases[i].center_y;
    params.rings = true;
    BevPicture p = bev_picture_of(params, NULL, NULL, 0);
    for (int x = cases[i].column - 5; x <= cases[i].column + 5; x++)
      if (x >= 0 && x < 60)
        bev_expect_pixel(
            &p, x, cases[i].row, abs(x - cases[i].column) < 5 ? full : bev_background, "sensor");
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
    {&extremes_harm_nobody},
};
STX_TESTING_MAIN("bev_rings", tests)
