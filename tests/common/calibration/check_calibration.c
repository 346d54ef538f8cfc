/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the readers of each format find, number by number. What they refuse:
 * check_calibration_refusals.c. */
#include "tests/common/calibration/calibration_case.h"
#include "tests/testing.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static StxCalibration load(const char *first, const char *second, int pair, int width, int height)
{
  StxCalibration calibration;
  StxError error = {"left from before"};
  ck_assert_msg(calibration_case_load(first, second, pair, 0, width, height, &calibration, &error),
      "%s", error.text);
  ck_assert_str_eq(error.text, "");
  return calibration;
}

static void expect_lens(const StxLens *lens, double fx, double fy, double cx, double cy)
{
  ck_assert_double_eq_tol(lens->fx, fx, 1e-9);
  ck_assert_double_eq_tol(lens->fy, fy, 1e-9);
  ck_assert_double_eq_tol(lens->cx, cx, 1e-9);
  ck_assert_double_eq_tol(lens->cy, cy, 1e-9);
}

static void expect_numbers(const double *actual, const double *expected, int count)
{
  for (int i = 0; i < count; i++)
    ck_assert_msg(fabs(actual[i] - expected[i]) < 1e-9, "number %d is %.12g, expected %.12g", i,
        actual[i], expected[i]);
}
#define EXPECT(actual, ...)                                                                        \
  expect_numbers((actual), (const double[]){__VA_ARGS__},                                          \
      (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

static void expect_opencv_lenses(const StxCalibration *c)
{
  ck_assert_str_eq(c->format, "OpenCV");
  expect_lens(&c->camera[0].lens, 500, 501, 320.5, 240.25);
  expect_lens(&c->camera[1].lens, 510, 511, 318, 242);
  EXPECT(c->camera[0].lens.d, -.3, .1, .001, -.002, .01, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  EXPECT(c->camera[1].lens.d, -.28, .09, 0, 0, .02, .01, .002, .003, 0, 0, 0, 0, 0, 0);
  ck_assert_int_eq(c->camera[0].lens.model, STX_LENS_BROWN);
}

START_TEST(opencv_in_one_file_and_in_two)
{
  const char *ways[][2] = {{CASE_INTRINSICS CASE_POSE, NULL}, {CASE_INTRINSICS, CASE_EXTRINSICS},
      {CASE_EXTRINSICS, CASE_INTRINSICS}};
  for (int i = 0; i < 3; i++) {
    StxCalibration c = load(ways[i][0], ways[i][1], -1, 0, 0);
    expect_opencv_lenses(&c);
    ck_assert(!c.rectified);
    EXPECT(c.r, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    EXPECT(c.t, -.12, .001, .002);
    ck_assert_int_eq(c.camera[0].width, 0);
    ck_assert_int_eq(c.width, 0);
  }
}
END_TEST

START_TEST(opencv_with_rectification)
{
  StxCalibration c = load(CASE_INTRINSICS CASE_POSE CASE_RECTIFIED, NULL, -1, 0, 0);
  expect_opencv_lenses(&c);
  ck_assert(c.rectified);
  EXPECT(c.camera[1].r, .8, -.6, 0, .6, .8, 0, 0, 0, 1);
  EXPECT(c.camera[0].p, 480, 0, 310, 0, 0, 480, 230, 0, 0, 0, 1, 0);
  EXPECT(c.camera[1].p, 480, 0, 310, -57.6, 0, 480, 230, 0, 0, 0, 1, 0);
}
END_TEST

START_TEST(opencv_by_other_names_as_json)
{
  StxCalibration c = load("\xEF\xBB\xBF {\"cameraMatrix1\": [[400,0,300],[0,401,200],[0,0,1]],"
                          "\"distCoeffs1\": [[0.1,0.2,0,0]], \"K2\": {\"type_id\": "
                          "\"opencv-matrix\", \"rows\": 3, \"cols\": 3, \"dt\": \"d\", \"data\": "
                          "[402,0,301,0,403,202,0,0,1]}, \"D2\": [0.1,0.2,0.3,0.4], "
                          "\"fisheye_model\": 1, \"R\": [[1,0,0],[0,1,0],[0,0,1]], \"T\": "
                          "[[-0.2],[0],[0]], \"image_size\": [600, 400]}",
      NULL, -1, 0, 0);
  expect_lens(&c.camera[0].lens, 400, 401, 300, 200);
  expect_lens(&c.camera[1].lens, 402, 403, 301, 202);
  ck_assert_int_eq(c.camera[1].lens.model, STX_LENS_FISHEYE);
  EXPECT(c.camera[1].lens.d, .1, .2, .3, .4, 0);
  EXPECT(c.t, -.2, 0, 0);
  ck_assert_int_eq(c.camera[1].width, 600);
  ck_assert_int_eq(c.camera[1].height, 400);
}
END_TEST

static void expect_ros(const StxCalibration *c)
{
  ck_assert_str_eq(c->format, "ROS");
  ck_assert(c->rectified);
  for (int i = 0; i < 2; i++) {
    expect_lens(&c->camera[i].lens, 500, 501, 320.5, 240.25);
    EXPECT(c->camera[i].lens.d, -.3, .1, .001, -.002, .01, 0);
    EXPECT(c->camera[i].r, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    ck_assert_int_eq(c->camera[i].width, 640);
    ck_assert_int_eq(c->camera[i].height, 480);
  }
  EXPECT(c->camera[1].p, 480, 0, 310, -57.6, 0, 480, 230, 0, 0, 0, 1, 0);
}

#define MESSAGE(p3)                                                                                \
  "header:\n  stamp:\n    sec: 1\n  frame_id: camera\nheight: 480\nwidth: 640\n"                   \
  "distortion_model: plumb_bob\nd:\n- -0.3\n- 0.1\n- 0.001\n- -0.002\n- 0.01\nk:\n- 500.0\n- "     \
  "0.0\n"                                                                                          \
  "- 320.5\n- 0.0\n- 501.0\n- 240.25\n- 0.0\n- 0.0\n- 1.0\nr: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"       \
  "p: [480, 0, 310, " p3 ", 0, 480, 230, 0, 0, 0, 1, 0]\nbinning_x: 0\n---\nheight: 7\n"

START_TEST(ros_files_and_printed_messages)
{
  StxCalibration c = load(CASE_ROS_LEFT, CASE_ROS_RIGHT, -1, 0, 0);
  expect_ros(&c);
  c = load(MESSAGE("0.0"), MESSAGE("-57.6"), -1, 0, 0);
  expect_ros(&c);
}
END_TEST

START_TEST(ros_models)
{
  StxCalibration c = load(CASE_ROS("l", "rational_polynomial", "1, 2, 3, 4, 5, 6, 7, 8", "0"),
      CASE_ROS("r", "equidistant", "1, 2, 3, 4", "-48"), -1, 0, 0);
  EXPECT(c.camera[0].lens.d, 1, 2, 3, 4, 5, 6, 7, 8, 0);
  ck_assert_int_eq(c.camera[0].lens.model, STX_LENS_BROWN);
  EXPECT(c.camera[1].lens.d, 1, 2, 3, 4, 0);
  ck_assert_int_eq(c.camera[1].lens.model, STX_LENS_FISHEYE);
}
END_TEST

START_TEST(kalibr)
{
  StxCalibration c = load(CASE_KALIBR, NULL, -1, 0, 0);
  ck_assert_str_eq(c.format, "Kalibr");
  ck_assert(!c.rectified);
  expect_lens(&c.camera[0].lens, 380, 381, 330, 235);
  expect_lens(&c.camera[1].lens, 382, 383, 331, 236);
  EXPECT(c.camera[1].lens.d, -.011, .021, -.031, .041, 0);
  ck_assert_int_eq(c.camera[0].lens.model, STX_LENS_FISHEYE);
  ck_assert_int_eq(c.camera[1].height, 480);
  EXPECT(c.r, 1, 0, 0, 0, 1, 0, 0, 0, 1);
  EXPECT(c.t, -.11, .001, -.002);
}
END_TEST

START_TEST(kitti_pairs)
{
  const double baselines[] = {(36 + 338.4) / 720, 388.8 / 720, (36 + 338.4) / 720};
  for (int pair = -1; pair <= 2; pair += pair < 0 ? 1 : 2) {
    StxCalibration c = load(CASE_KITTI, NULL, pair, 0, 0);
    ck_assert_str_eq(c.format, "KITTI");
    expect_lens(&c.camera[0].lens, 984.2439, 980.8141, 690, 233.1966);
    EXPECT(c.camera[1].lens.d, -.3728755, .2037299, .002219027, .001383707, -.07233722, 0);
    ck_assert_int_eq(c.camera[0].width, 1392);
    ck_assert_int_eq(c.width, 1242);
    ck_assert_int_eq(c.height, 375);
    ck_assert_double_eq_tol((c.camera[0].p[3] - c.camera[1].p[3]) / 720,
        baselines[pair < 0    ? 0
                  : pair == 0 ? 1
                              : 2],
        1e-9);
  }
}
END_TEST

START_TEST(zed_by_size)
{
  StxCalibration c = load(CASE_ZED, NULL, -1, 1280, 720);
  ck_assert_str_eq(c.format, "ZED");
  expect_lens(&c.camera[0].lens, 700, 700, 640.5, 360.5);
  expect_lens(&c.camera[1].lens, 701, 701, 641.5, 360.5);
  EXPECT(c.camera[1].lens.d, -.17, .025, .001, -.002, .003, 0);
  EXPECT(c.t, -.1199, -.0001, .0002);
  EXPECT(c.r, cos(.01), 0, sin(.01), 0, 1, 0, -sin(.01), 0, cos(.01));
  ck_assert_int_eq(c.camera[0].width, 1280);
  c = load(CASE_ZED, NULL, -1, 2208, 1242);
  ck_assert_int_eq(c.camera[0].width, 2208);
  EXPECT(c.t, -.1199, -.0001, -.009);
  c = load(CASE_ZED, NULL, -1, 640, 360); /* of that shape, the first */
  ck_assert_int_eq(c.camera[0].width, 2208);
  c = load(CASE_ZED, NULL, -1, 640, 480);
  ck_assert_int_eq(c.camera[0].width, 2208);
}
END_TEST

START_TEST(depthai_ways_from_left_to_right)
{
  /* Straight to the right camera, or both to the one between them. */
  StxCalibration c = load(CASE_OAK("-7.5", "2", "0"), NULL, -1, 0, 0);
  ck_assert_str_eq(c.format, "DepthAI");
  expect_lens(&c.camera[0].lens, 799.7, 799.3, 662.9, 382.2);
  EXPECT(c.camera[0].lens.d, .2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0);
  EXPECT(c.camera[1].lens.d, .3, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0);
  EXPECT(c.t, -.075, .0001, .0002);
  ck_assert_int_eq(c.camera[1].width, 1280);
  c = load(CASE_OAK("-3.75", "0", "1"), NULL, -1, 0, 0);
  EXPECT(c.t, -.075, 0, 0);
  ck_assert_int_eq(c.camera[1].lens.model, STX_LENS_FISHEYE);
  EXPECT(c.camera[0].lens.d, .2, 2, 3, 4, 0, 0);
}
END_TEST

START_TEST(units)
{
  StxCalibration c;
  StxError error;
  ck_assert(calibration_case_load(CASE_INTRINSICS CASE_MATRIX("R", 3, 3, "1,0,0,0,1,0,0,0,1")
                                      CASE_MATRIX("T", 3, 1, "-120, 1, 2"),
      NULL, -1, .001, 0, 0, &c, &error));
  EXPECT(c.t, -.12, .001, .002);
  ck_assert(calibration_case_load(CASE_ROS_LEFT, CASE_ROS_RIGHT, -1, 2, 0, 0, &c, &error));
  EXPECT(c.camera[1].p, 480, 0, 310, -115.2);
}
END_TEST

START_TEST(locale_makes_no_difference)
{
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
    return;
  StxCalibration c = load(CASE_INTRINSICS CASE_POSE, NULL, -1, 0, 0);
  expect_opencv_lenses(&c);
  c = load(CASE_KITTI, NULL, -1, 0, 0);
  EXPECT(c.camera[1].lens.d, -.3728755);
}
END_TEST

static const StxTest tests[] = {{&opencv_in_one_file_and_in_two}, {&opencv_with_rectification},
    {&opencv_by_other_names_as_json}, {&ros_files_and_printed_messages}, {&ros_models}, {&kalibr},
    {&kitti_pairs}, {&zed_by_size}, {&depthai_ways_from_left_to_right}, {&units},
    {&locale_makes_no_difference}};
STX_TESTING_MAIN("calibration", tests)
