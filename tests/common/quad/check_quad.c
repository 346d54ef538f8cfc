/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stixels as quads: literal corners, agreement with metres.h, planes, what has no quad. */
#include "tests/testing.h"

#include <math.h>
#include <string.h>

#include "common/quad/quad.h"
#include "common/metres.h"

static const StxQuadImage small = {
    .camera = {.focal = 64, .baseline = 1, .cx = 7.5, .cy = 7.5},
    .width = 14,
    .height = 16,
    .stixel_width = 4,
    .reach = 100,
};

static const StxStixel upright = {.column = 1,
    .top = 4,
    .bottom = 11,
    .kind = STX_KIND_OBJECT,
    .disparity_top = 8,
    .disparity_bottom = 8};

static void expect_corner(const StxQuad *quad, int corner, double x, double y, double z)
{
  const double expected[3] = {x, y, z};
  for (int k = 0; k < 3; k++)
    ck_assert_msg(fabs(quad->corner[corner][k] - expected[k]) < 1e-9, "corner %d, axis %d: %g",
        corner, k, quad->corner[corner][k]);
}

STX_TEST(an_upright_one_is_a_rectangle)
{
  StxQuad quad;
  ck_assert(stx_quad(&small, &upright, &quad));
  expect_corner(&quad, STX_LOWER_LEFT, -.5, .5, 8);
  expect_corner(&quad, STX_LOWER_RIGHT, 0, .5, 8);
  expect_corner(&quad, STX_UPPER_RIGHT, 0, -.5, 8);
  expect_corner(&quad, STX_UPPER_LEFT, -.5, -.5, 8);
  ck_assert(quad.left == 3.5 && quad.right == 7.5 && quad.top == 3.5 && quad.bottom == 11.5);
}

STX_TEST(the_last_column_may_be_narrower)
{
  StxStixel last = upright;
  StxQuad quad;
  last.column = 3;
  ck_assert(stx_quad(&small, &last, &quad));
  ck_assert(quad.left == 11.5 && quad.right == 13.5);
  last.column = 4;
  ck_assert(!stx_quad(&small, &last, &quad));
}

STX_TEST(columns_beyond_all_images)
{
  StxQuadImage image = small;
  StxStixel beyond = upright;
  StxQuad quad;
  beyond.column = 2;
  image.stixel_width = 1 << 30;
  ck_assert(!stx_quad(&image, &beyond, &quad));
}

/* A road, from 8 m at the bottom to the horizon: cut at the reach, in the same plane. */
STX_TEST(what_is_too_far_is_cut_off)
{
  StxStixel road = {.column = 1, .top = 8, .bottom = 15, .kind = STX_KIND_GROUND};
  StxQuadImage image = small;
  StxQuad quad;
  road.disparity_bottom = 8;
  image.reach = 16;
  ck_assert(stx_quad(&image, &road, &quad));
  expect_corner(&quad, STX_LOWER_LEFT, -.5, 1, 8);
  expect_corner(&quad, STX_UPPER_LEFT, -1, 1, 16);
  ck_assert(fabs(quad.top - 11.5) < 1e-9 && quad.bottom == 15.5);
  image.reach = 8;
  ck_assert(!stx_quad(&image, &road, &quad));
}

STX_TEST(an_overhang_is_cut_below)
{
  StxStixel roof = {.column = 0, .top = 0, .bottom = 7, .kind = STX_KIND_SEGMENT};
  StxQuadImage image = small;
  StxQuad quad;
  roof.disparity_top = 8;
  image.reach = 16;
  ck_assert(stx_quad(&image, &roof, &quad));
  expect_corner(&quad, STX_LOWER_LEFT, -2, -1, 16);
  expect_corner(&quad, STX_UPPER_LEFT, -1, -1, 8);
}

static StxStixel any_stixel(StxRandom *random)
{
  StxStixel s = {.column = (uint16_t)stx_random_below(random, 156),
      .bottom = (uint16_t)stx_random_below(random, 375),
      .kind = (uint8_t)stx_random_below(random, 3)};
  s.top = (uint16_t)stx_random_below(random, s.bottom + 1);
  s.disparity_bottom = (float)(8 + stx_random_below(random, 1000) / 8.);
  s.disparity_top = (float)(8 + stx_random_below(random, 1000) / 8.);
  return s;
}

/* Corners agree with the library's metres of a stixel, and every corner lies in the plane. */
STX_TEST(corners_are_those_of_metres)
{
  StxQuadImage image = {.camera = {.focal = 721.5, .baseline = .54, .cx = 609.6, .cy = 172.9},
      .width = 1242,
      .height = 375,
      .stixel_width = 8,
      .reach = 1000};
  StxRandom random = {5};
  for (int turn = 0; turn < 1000; turn++) {
    StxStixel s = any_stixel(&random);
    StxMetres m;
    StxQuad f;
    ck_assert(stx_quad(&image, &s, &f) && stx_metres(&image.camera, 1242, 8, &s, &m));
    const double *left = f.corner[STX_LOWER_LEFT], *right = f.corner[STX_LOWER_RIGHT];
    const double *high = f.corner[STX_UPPER_LEFT];
    ck_assert_double_eq_tol((left[0] + right[0]) / 2, m.x, 1e-9);
    ck_assert_double_eq_tol(right[0] - left[0], m.width, 1e-9);
    ck_assert_double_eq_tol(left[1], m.y, 1e-9);
    ck_assert_double_eq_tol(left[2], m.z, 1e-9);
    ck_assert_double_eq_tol(high[2], m.z_top, 1e-9);
    ck_assert_double_eq_tol(left[1] - high[1], m.height, 1e-9);
    for (int i = 0; i < STX_CORNERS; i++) {
      double dot = 0;
      for (int k = 0; k < 3; k++)
        dot += f.normal[k] * f.corner[i][k];
      ck_assert_double_eq_tol(dot, f.offset, 1e-6 * f.offset);
    }
  }
}

static void expect_none(StxStixel stixel, const char *what)
{
  StxQuad quad;
  ck_assert_msg(!stx_quad(&small, &stixel, &quad), "%s has a quad", what);
}

STX_TEST(some_have_none)
{
  StxStixel s = upright;
  s.kind = STX_KIND_SKY;
  expect_none(s, "sky");
  s.kind = 4;
  expect_none(s, "an unknown kind");
  s = upright;
  s.top = 12;
  expect_none(s, "a stixel upside down");
  s = upright;
  s.bottom = 16;
  expect_none(s, "a row below the image");
  s = upright;
  s.disparity_top = s.disparity_bottom = 0;
  expect_none(s, "an unknown distance");
  const float odd[] = {NAN, INFINITY, -1, 14.5f};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    s = upright;
    s.disparity_top = odd[i];
    expect_none(s, "an odd upper disparity");
    s = upright;
    s.disparity_bottom = odd[i];
    expect_none(s, "an odd lower disparity");
  }
}

STX_TEST(a_camera_must_be_known)
{
  StxCamera camera = small.camera;
  StxError error;
  ck_assert(stx_quad_check_camera(&camera, &error));
  camera.baseline = 0;
  camera.missing = STX_CAMERA_CY;
  ck_assert(!stx_quad_check_camera(&camera, &error));
  ck_assert_msg(strstr(error.text, "an orbiting view is in metres, and of the camera is unknown: "
                                   "baseline, cy. Set") == error.text,
      "%s", error.text);
  camera = (StxCamera){.missing = STX_CAMERA_ALL};
  ck_assert(!stx_quad_check_camera(&camera, &error));
  stx_expect_words(&error, "focal length, baseline, cx, cy");
  stx_expect_words(&error, "on stereo-stixels");
}
