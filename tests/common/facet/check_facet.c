/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stixels as quads: literal corners, agreement with metres.h, planes, what has no facet. */
#include "tests/testing.h"

#include <math.h>
#include <string.h>

#include "common/facet/facet.h"
#include "common/facet/facet_colour.h"
#include "common/metres.h"

static const StxFacetImage small = {
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

static void expect_corner(const StxFacet *facet, int corner, double x, double y, double z)
{
  const double expected[3] = {x, y, z};
  for (int k = 0; k < 3; k++)
    ck_assert_msg(fabs(facet->corner[corner][k] - expected[k]) < 1e-9, "corner %d, axis %d: %g",
        corner, k, facet->corner[corner][k]);
}

START_TEST(an_upright_one_is_a_rectangle)
{
  StxFacet facet;
  ck_assert(stx_facet(&small, &upright, &facet));
  expect_corner(&facet, STX_LOWER_LEFT, -.5, .5, 8);
  expect_corner(&facet, STX_LOWER_RIGHT, 0, .5, 8);
  expect_corner(&facet, STX_UPPER_RIGHT, 0, -.5, 8);
  expect_corner(&facet, STX_UPPER_LEFT, -.5, -.5, 8);
  ck_assert(facet.left == 3.5 && facet.right == 7.5 && facet.top == 3.5 && facet.bottom == 11.5);
}
END_TEST

START_TEST(the_last_column_may_be_narrower)
{
  StxStixel last = upright;
  StxFacet facet;
  last.column = 3;
  ck_assert(stx_facet(&small, &last, &facet));
  ck_assert(facet.left == 11.5 && facet.right == 13.5);
  last.column = 4;
  ck_assert(!stx_facet(&small, &last, &facet));
}
END_TEST

START_TEST(columns_beyond_all_images)
{
  StxFacetImage image = small;
  StxStixel beyond = upright;
  StxFacet facet;
  beyond.column = 2;
  image.stixel_width = 1 << 30;
  ck_assert(!stx_facet(&image, &beyond, &facet));
}
END_TEST

/* A road, from 8 m at the bottom to the horizon: cut at the reach, in the same plane. */
START_TEST(what_is_too_far_is_cut_off)
{
  StxStixel road = {.column = 1, .top = 8, .bottom = 15, .kind = STX_KIND_GROUND};
  StxFacetImage image = small;
  StxFacet facet;
  road.disparity_bottom = 8;
  image.reach = 16;
  ck_assert(stx_facet(&image, &road, &facet));
  expect_corner(&facet, STX_LOWER_LEFT, -.5, 1, 8);
  expect_corner(&facet, STX_UPPER_LEFT, -1, 1, 16);
  ck_assert(fabs(facet.top - 11.5) < 1e-9 && facet.bottom == 15.5);
  image.reach = 8;
  ck_assert(!stx_facet(&image, &road, &facet));
}
END_TEST

START_TEST(an_overhang_is_cut_below)
{
  StxStixel roof = {.column = 0, .top = 0, .bottom = 7, .kind = STX_KIND_SEGMENT};
  StxFacetImage image = small;
  StxFacet facet;
  roof.disparity_top = 8;
  image.reach = 16;
  ck_assert(stx_facet(&image, &roof, &facet));
  expect_corner(&facet, STX_LOWER_LEFT, -2, -1, 16);
  expect_corner(&facet, STX_UPPER_LEFT, -1, -1, 8);
}
END_TEST

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

/* What the library says of a stixel in metres; and every corner lies in the plane. */
START_TEST(corners_are_those_of_metres)
{
  StxFacetImage image = {.camera = {.focal = 721.5, .baseline = .54, .cx = 609.6, .cy = 172.9},
      .width = 1242,
      .height = 375,
      .stixel_width = 8,
      .reach = 1000};
  StxRandom random = {5};
  for (int turn = 0; turn < 1000; turn++) {
    StxStixel s = any_stixel(&random);
    StxMetres m;
    StxFacet f;
    ck_assert(stx_facet(&image, &s, &f) && stx_metres(&image.camera, 1242, 8, &s, &m));
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
END_TEST

static void expect_none(StxStixel stixel, const char *what)
{
  StxFacet facet;
  ck_assert_msg(!stx_facet(&small, &stixel, &facet), "%s has a facet", what);
}

START_TEST(some_have_none)
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
END_TEST

START_TEST(a_camera_must_be_known)
{
  StxCamera camera = small.camera;
  StxError error;
  ck_assert(stx_facet_check_camera(&camera, "a mesh is", &error));
  camera.baseline = 0;
  camera.missing = STX_CAMERA_CY;
  ck_assert(!stx_facet_check_camera(&camera, "a mesh is", &error));
  ck_assert_msg(strstr(error.text, "a mesh is in metres, and of the camera is unknown: baseline, cy"
                                   ". Set") == error.text,
      "%s", error.text);
  camera = (StxCamera){.missing = STX_CAMERA_ALL};
  ck_assert(!stx_facet_check_camera(&camera, "an orbiting view is", &error));
  ck_assert_msg(strstr(error.text, "focal length, baseline, cx, cy") != NULL, "%s", error.text);
  ck_assert_msg(strstr(error.text, "on stereo-stixels") != NULL, "cut: %s", error.text);
}
END_TEST

static void expect_rgb(StxRgb actual, StxRgb expected)
{
  ck_assert_msg(memcmp(&actual, &expected, sizeof actual) == 0, "%d %d %d, not %d %d %d", actual.r,
      actual.g, actual.b, expected.r, expected.g, expected.b);
}

START_TEST(colours_are_those_of_all_views)
{
  StxFacetColours colours = STX_FACET_COLOURS_DEFAULTS;
  const float point[3] = {3, 4, 12};
  const uint32_t cluster = 7u << 16 | 99, ground = 49, alone = 99, none = 0;
  expect_rgb(stx_facet_colour(&colours, &upright, 0), stx_palette_colour(colours.palette, 255));
  expect_rgb(stx_facet_colour(&colours, &upright, 25), stx_palette_colour(colours.palette, 128));
  expect_rgb(stx_facet_colour(&colours, &upright, 99), stx_palette_colour(colours.palette, 0));
  expect_rgb(stx_facet_point_colour(&colours, point, &cluster),
      stx_palette_colour(colours.palette, 189)); /* 13 of 50 m */
  colours.mode = STX_FACET_KIND;
  expect_rgb(stx_facet_colour(&colours, &upright, 0), stx_colour_kind(STX_KIND_OBJECT));
  expect_rgb(stx_facet_point_colour(&colours, point, &cluster), stx_colour_cluster(7));
  expect_rgb(stx_facet_point_colour(&colours, point, &ground), stx_colour(STX_MEANS_GROUND));
  expect_rgb(stx_facet_point_colour(&colours, point, &alone), stx_colour(STX_MEANS_NO_CLUSTER));
  expect_rgb(stx_facet_point_colour(&colours, point, &none), stx_colour(STX_MEANS_UNCLASSIFIED));
  expect_rgb(stx_facet_point_colour(&colours, point, NULL), stx_palette_colour(0, 189));
  colours.mode = STX_FACET_CLASS;
  expect_rgb(stx_facet_colour(&colours, &upright, 0), stx_colour_class(0));
}
END_TEST

static const StxTest tests[] = {
    {&an_upright_one_is_a_rectangle},
    {&the_last_column_may_be_narrower},
    {&columns_beyond_all_images},
    {&what_is_too_far_is_cut_off},
    {&an_overhang_is_cut_below},
    {&corners_are_those_of_metres},
    {&some_have_none},
    {&a_camera_must_be_known},
    {&colours_are_those_of_all_views},
};
STX_TESTING_MAIN("facet", tests)
