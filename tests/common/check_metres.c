/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The camera of another image, and stixels in metres. */
#include "tests/testing.h"

#include "common/metres.h"

#include <math.h>
#include <string.h>

static const StxCamera known = {.focal = 721.5377,
    .cx = 609.5593,
    .cy = 172.854,
    .baseline = .54,
    .height = 1.65,
    .pitch = .01,
    .image_width = 1242,
    .image_height = 375};

static StxCamera expect_fits(StxCamera camera, int width, int height, const char *note)
{
  StxError error = {"not touched"};
  ck_assert_msg(stx_camera_fit(&camera, width, height, &error), "%s", error.text);
  ck_assert_msg(note == NULL ? error.text[0] == 0 : strstr(error.text, note) != NULL,
      "%dx%d: \"%s\"", width, height, error.text);
  ck_assert_int_eq(camera.image_width, width);
  ck_assert_int_eq(camera.image_height, height);
  return camera;
}

static void expect_refused(StxCamera camera, int width, int height, const char *reason)
{
  StxCamera before = camera;
  StxError error;
  ck_assert_msg(
      !stx_camera_fit(&camera, width, height, &error), "%dx%d is accepted", width, height);
  stx_expect_words(&error, reason);
  ck_assert(stx_camera_is_same(&camera, &before));
}

/* ---- Another image ------------------------------------------------------------------------- */

STX_TEST(the_same_image_changes_nothing)
{
  StxCamera camera = expect_fits(known, 1242, 375, NULL);
  ck_assert(stx_camera_is_same(&camera, &known));
}

/* The left edge of the image stays the left edge, half a pixel left of the first one's centre. */
STX_TEST(a_scaled_image_scales_pixels_and_nothing_else)
{
  StxCamera half = expect_fits(known, 621, 188, "of an image of 1242x375 was scaled by 0.5");
  ck_assert_double_eq_tol(half.focal, 721.5377 / 2, 1e-9);
  ck_assert_double_eq_tol(half.cx, (609.5593 + .5) / 2 - .5, 1e-9);
  ck_assert_double_eq_tol(half.cy, (172.854 + .5) * 188 / 375 - .5, 1e-9);
  ck_assert(half.baseline == .54 && half.height == 1.65 && half.pitch == .01);
  StxCamera again = expect_fits(half, 1242, 375, "621x188 was scaled by 2");
  ck_assert_double_eq_tol(again.focal, 721.5377, 1e-9);
  ck_assert_double_eq_tol(again.cx, 609.5593, 1e-9);
  ck_assert_double_eq_tol(again.cy, 172.854, 1e-9);
}

STX_TEST(a_camera_is_completed_where_it_is_unknown_and_fits)
{
  StxCamera camera = known, other = known, none = {0};
  other.focal = 9;
  stx_camera_complete(&camera, &other, 1242, 375);
  ck_assert(stx_camera_is_same(&camera, &known));
  stx_camera_complete(&none, &known, 300, 300);
  ck_assert(none.focal == 0);
  stx_camera_complete(&none, &known, 621, 188);
  StxCamera half = expect_fits(known, 621, 188, "scaled");
  ck_assert(stx_camera_is_same(&none, &half));
}

STX_TEST(rounding_to_whole_pixels_is_no_other_shape)
{
  StxCamera odd = known;
  odd.image_width = 1241;
  odd.image_height = 376;
  expect_fits(odd, 620, 188, "scaled");
  expect_fits(odd, 413, 125, "scaled");
  expect_fits(odd, 2482, 752, "scaled by 2");
  expect_fits(known, 156, 47, "scaled");
  expect_fits(known, 640, 192, "scaled");
}

/* A camera with a principal point may get the focal length from elsewhere. */
STX_TEST(a_principal_point_alone_is_scaled)
{
  StxCamera camera = known;
  camera.focal = 0;
  camera = expect_fits(camera, 621, 188, "scaled by 0.5");
  ck_assert_double_eq_tol(camera.cx, (609.5593 + .5) / 2 - .5, 1e-9);
  ck_assert_double_eq(camera.focal, 0);
  camera = known;
  camera.focal = 0;
  expect_refused(camera, 1242, 275, "1242x275");
  camera.image_width = camera.image_height = 0;
  expect_fits(camera, 621, 188, NULL);
}

STX_TEST(another_shape_is_refused)
{
  expect_refused(known, 1242, 275, "of an image of 1242x375, which cannot be scaled to 1242x275");
  expect_refused(known, 640, 480, "640x480");
  expect_refused(known, 640, 200, "640x200");
}

/* The size is unknown: the principal point lies near the middle, or something is wrong. */
STX_TEST(the_principal_point_betrays_a_scaled_image)
{
  StxCamera camera = known;
  camera.image_width = camera.image_height = 0;
  StxCamera same = expect_fits(camera, 1242, 375, NULL);
  ck_assert_double_eq(same.focal, known.focal);
  expect_fits(camera, 1226, 370, NULL);
  expect_refused(camera, 621, 188, "(609.56, 172.85) is the middle of an image of about 1220x347");
  expect_refused(camera, 2484, 750, "this one has 2484x750");
  expect_refused(camera, 828, 250, "828x250");
  expect_fits(camera, 931, 281, "far from the middle of 931x281"); /* 3/4 of it */
  expect_fits(camera, 1242, 200, "far from the middle of 1242x200");
  expect_fits(camera, 600, 375, "far from the middle of 600x375");
  camera.image_height = 375; /* half a size is none */
  expect_refused(camera, 621, 188, "about 1220x347");
  camera.image_height = 0;
  camera.missing = STX_CAMERA_CX;
  expect_fits(camera, 621, 188, NULL);
  camera.missing = STX_CAMERA_CY;
  expect_fits(camera, 621, 188, NULL);
  camera = (StxCamera){.focal = 700, .baseline = .5}; /* as programs write it that want depths */
  expect_fits(camera, 640, 480, "(0, 0) is far from the middle");
  expect_fits((StxCamera){0}, 640, 480, NULL);
  camera = known;
  ck_assert(stx_camera_fit(&camera, 621, 188, NULL) && !stx_camera_fit(&camera, 1, 500, NULL));
}

STX_TEST(a_cut_image_moves_the_principal_point)
{
  StxCamera camera = known;
  stx_camera_cut(&camera, 100, 75, 1000, 300);
  ck_assert_double_eq_tol(camera.cx, 509.5593, 1e-9);
  ck_assert_double_eq_tol(camera.cy, 97.854, 1e-9);
  ck_assert_double_eq(camera.focal, known.focal);
  ck_assert_int_eq(camera.image_width, 1000);
  ck_assert_int_eq(camera.image_height, 300);
}

STX_TEST(what_is_missing_stays_0)
{
  StxCamera camera = known;
  camera.cx = camera.cy = 0;
  camera.missing = STX_CAMERA_CX | STX_CAMERA_CY;
  camera = expect_fits(camera, 621, 188, "scaled");
  ck_assert(camera.cx == 0 && camera.cy == 0 && camera.focal < 361);
  stx_camera_cut(&camera, 100, 75, 500, 100);
  ck_assert(camera.cx == 0 && camera.cy == 0);
  camera.missing = STX_CAMERA_PITCH;
  stx_camera_cut(&camera, 100, 75, 400, 25);
  ck_assert(camera.cx == -100 && camera.cy == -75);
}

STX_TEST(every_number_makes_another_camera)
{
  StxCamera others[9];
  for (int i = 0; i < 9; i++)
    others[i] = known;
  others[0].focal++;
  others[1].cx++;
  others[2].cy++;
  others[3].baseline++;
  others[4].height++;
  others[5].pitch++;
  others[6].image_width++;
  others[7].image_height++;
  others[8].missing = 1;
  for (int i = 0; i < 9; i++)
    ck_assert(!stx_camera_is_same(&known, &others[i]));
  ck_assert(stx_camera_is_same(&known, &known));
}

/* ---- Metres -------------------------------------------------------------------------------- */

/* One metre is 50 pixels at 10 m. The columns 96 … 103 are as far right of cx as they are wide. */
static const StxCamera simple = {.focal = 500, .cx = 91.5, .cy = 49.5, .baseline = .5};

static StxMetres expect_metres(const StxCamera *camera, StxStixel stixel)
{
  StxMetres metres;
  ck_assert(stx_metres(camera, 102, 8, &stixel, &metres));
  return metres;
}

STX_TEST(an_object_has_a_place_and_a_size)
{
  StxStixel stixel = {.column = 11,
      .top = 0,
      .bottom = 99,
      .kind = STX_KIND_OBJECT,
      .disparity_top = 25,
      .disparity_bottom = 25};
  StxMetres m = expect_metres(&simple, stixel);
  ck_assert_double_eq_tol(m.z, 10, 1e-12);
  ck_assert_double_eq_tol(m.z_top, 10, 1e-12);
  ck_assert_double_eq_tol(m.x, 0, 1e-12); /* columns 88 … 95 */
  ck_assert_double_eq_tol(m.y, 1, 1e-12); /* its lower edge is 50 rows below cy */
  ck_assert_double_eq_tol(m.width, .16, 1e-12);
  ck_assert_double_eq_tol(m.height, 2, 1e-12);
}

STX_TEST(the_last_column_is_narrower)
{
  StxStixel stixel = {
      .column = 12, .top = 40, .bottom = 49, .disparity_top = 50, .disparity_bottom = 50};
  StxMetres m = expect_metres(&simple, stixel); /* columns 96 … 101 of 102 */
  ck_assert_double_eq_tol(m.width, .06, 1e-12);
  ck_assert_double_eq_tol(m.x, .07, 1e-12);
  ck_assert_double_eq_tol(m.y, 0, 1e-12);
  ck_assert_double_eq_tol(m.height, .1, 1e-12);
}

/* A level road 1.5 m below the camera: disparity is baseline / 1.5 per row below the horizon. */
STX_TEST(level_ground_has_no_height)
{
  StxStixel stixel = {.column = 3,
      .top = 60,
      .bottom = 99,
      .kind = STX_KIND_GROUND,
      .disparity_top = (60 - .5f - 49.5f) / 3,
      .disparity_bottom = (99 + .5f - 49.5f) / 3};
  StxMetres m = expect_metres(&simple, stixel);
  ck_assert_double_eq_tol(m.y, 1.5, 1e-6);
  ck_assert_double_eq_tol(m.height, 0, 1e-5);
  ck_assert_double_eq_tol(m.z, 15, 1e-5);
  ck_assert_double_eq_tol(m.z_top, 75, 1e-4);
}

STX_TEST(what_nobody_measured_is_unknown)
{
  static const float nothing[] = {0, -1, NAN, INFINITY};
  StxCamera without = simple;
  StxMetres m;
  StxStixel stixel = {.top = 10, .bottom = 19, .disparity_top = 10};
  for (int i = 0; i < 4; i++) {
    stixel.disparity_bottom = nothing[i];
    ck_assert(!stx_metres(&simple, 102, 8, &stixel, &m));
    ck_assert(isnan(m.x) && isnan(m.y) && isnan(m.z) && isnan(m.z_top) && isnan(m.width) &&
              isnan(m.height));
  }
  stixel.disparity_bottom = 10;
  for (int i = 0; i < 4; i++) {
    stixel.disparity_top = nothing[i];
    m = expect_metres(&simple, stixel);
    ck_assert(isnan(m.z_top) && isnan(m.height) && m.z == 25 && m.y < 0);
  }
  stixel.disparity_top = 10;
  without.baseline = 0;
  ck_assert(!stx_metres(&without, 102, 8, &stixel, &m) && isnan(m.z));
}

STX_TEST(without_a_principal_point_there_are_sizes)
{
  StxCamera camera = {.focal = 500, .baseline = .5, .missing = STX_CAMERA_CX};
  StxStixel stixel = {.top = 10, .bottom = 59, .disparity_top = 25, .disparity_bottom = 25};
  StxMetres m = expect_metres(&camera, stixel);
  ck_assert(isnan(m.x) && m.y > 0 && m.z == 10);
  camera.missing = STX_CAMERA_CY;
  m = expect_metres(&camera, stixel);
  ck_assert(m.x > 0 && isnan(m.y));
  ck_assert_double_eq_tol(m.height, 1, 1e-12);
  stixel.disparity_top = 20;
  ck_assert(isnan(expect_metres(&camera, stixel).height));
}
