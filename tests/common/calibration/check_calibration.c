/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The numbers that the readers of each format find, and the messages about calibrations that cannot
 * be used. Refusals: check_calibration_refusals.c.
 */
#include "tests/common/calibration/calibration_case.h"
#include "tests/testing.h"
#include "tests/common/calibration/calibration_faults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

STX_TEST(opencv_in_one_file_and_in_two)
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

STX_TEST(opencv_with_rectification)
{
  StxCalibration c = load(CASE_INTRINSICS CASE_POSE CASE_RECTIFIED, NULL, -1, 0, 0);
  expect_opencv_lenses(&c);
  ck_assert(c.rectified);
  EXPECT(c.camera[1].r, .8, -.6, 0, .6, .8, 0, 0, 0, 1);
  EXPECT(c.camera[0].p, 480, 0, 310, 0, 0, 480, 230, 0, 0, 0, 1, 0);
  EXPECT(c.camera[1].p, 480, 0, 310, -57.6, 0, 480, 230, 0, 0, 0, 1, 0);
}

/* A calibration that is written and read again has every digit; the file's format is OpenCV's. */
STX_TEST(saved_and_loaded)
{
  const char *texts[] = {CASE_INTRINSICS CASE_POSE, CASE_INTRINSICS CASE_POSE CASE_RECTIFIED,
      CASE_KALIBR, CASE_KITTI, CASE_ZED};
  for (int i = 0; i < 5; i++) {
    StxCalibration c = load(texts[i], NULL, -1, 1280 * (i == 4), 720 * (i == 4)), again;
    char path[] = "/tmp/calibration-XXXXXX";
    StxError error = {""};
    close(mkstemp(path));
    ck_assert_msg(stx_calibration_save(&c, path, &error), "%s", error.text);
    StxCalibrationFiles files = {.path = path, .pair = -1};
    ck_assert_msg(stx_calibration_load(&files, 0, 0, &again, &error), "%s", error.text);
    unlink(path);
    ck_assert_str_eq(again.format, "OpenCV");
    ck_assert_int_eq(again.rectified, c.rectified);
    for (int k = 0; k < 2; k++) {
      ck_assert_mem_eq(&again.camera[k].lens, &c.camera[k].lens, sizeof(StxLens));
      ck_assert_int_eq(again.camera[k].width, c.camera[k].width);
      if (c.rectified)
        expect_numbers(again.camera[k].p, c.camera[k].p, 12);
    }
    if (!c.rectified)
      expect_numbers(again.t, c.t, 3);
  }
}

STX_TEST(what_is_not_saved)
{
  StxCalibration c = load(CASE_KALIBR, NULL, -1, 0, 0);
  StxError error = {""};
  ck_assert(!stx_calibration_save(&c, "/nowhere/calibration.json", &error));
  ck_assert_str_eq(error.text, "/nowhere/calibration.json cannot be written");
  c.t[0] = NAN;
  ck_assert(!stx_calibration_save(&c, "/dev/null", &error));
  ck_assert_str_eq(error.text, "R or T has numbers that are not finite");
  c.camera[1].width = 10;
  ck_assert(!stx_calibration_save(&c, "/dev/null", &error));
  ck_assert_ptr_nonnull(strstr(error.text, "640 × 480 pixels and the right one 10 × 480"));
  c.camera[0].lens.fx = 0;
  ck_assert(!stx_calibration_save(&c, "/dev/null", &error));
  ck_assert_ptr_nonnull(strstr(error.text, "the left lens has fx 0"));
}

STX_TEST(opencv_by_other_names_as_json)
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

STX_TEST(ros_files_and_printed_messages)
{
  StxCalibration c = load(CASE_ROS_LEFT, CASE_ROS_RIGHT, -1, 0, 0);
  expect_ros(&c);
  c = load(MESSAGE("0.0"), MESSAGE("-57.6"), -1, 0, 0);
  expect_ros(&c);
}

STX_TEST(ros_models)
{
  StxCalibration c = load(CASE_ROS("l", "rational_polynomial", "1, 2, 3, 4, 5, 6, 7, 8", "0"),
      CASE_ROS("r", "equidistant", "1, 2, 3, 4", "-48"), -1, 0, 0);
  EXPECT(c.camera[0].lens.d, 1, 2, 3, 4, 5, 6, 7, 8, 0);
  ck_assert_int_eq(c.camera[0].lens.model, STX_LENS_BROWN);
  EXPECT(c.camera[1].lens.d, 1, 2, 3, 4, 0);
  ck_assert_int_eq(c.camera[1].lens.model, STX_LENS_FISHEYE);
}

STX_TEST(kalibr)
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

STX_TEST(kitti_pairs)
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

STX_TEST(zed_by_size)
{
  StxCalibration c = load(CASE_ZED, NULL, -1, 1280, 720);
  ck_assert_str_eq(c.format, "ZED");
  expect_lens(&c.camera[0].lens, 700, 700, 640.5, 360.5);
  expect_lens(&c.camera[1].lens, 701, 701, 641.5, 360.5);
  EXPECT(c.camera[1].lens.d, -.17, .025, .001, -.002, .003, 0);
  EXPECT(c.t, -.1199, .0001, -.0002);
  EXPECT(c.r, cos(.01), 0, sin(.01), 0, 1, 0, -sin(.01), 0, cos(.01));
  ck_assert_int_eq(c.camera[0].width, 1280);
  c = load(CASE_ZED, NULL, -1, 2208, 1242);
  ck_assert_int_eq(c.camera[0].width, 2208);
  EXPECT(c.t, -.1199, .0001, .009);
  c = load(CASE_ZED, NULL, -1, 640, 360); /* of that shape, the first */
  ck_assert_int_eq(c.camera[0].width, 2208);
  c = load(CASE_ZED, NULL, -1, 640, 480);
  ck_assert_int_eq(c.camera[0].width, 2208);
}

STX_TEST(depthai_ways_from_left_to_right)
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

/* Refused for reasons that mention all the words; the calibration stays as it was. */
static void expect_refusal(
    const char *first, const char *second, double unit, const char *words, const char *more)
{
  StxCalibration c, untouched;
  StxError error = {""};
  memset(&untouched, 0xA5, sizeof untouched);
  c = untouched;
  ck_assert_msg(
      !calibration_case_load(first, second, -1, unit, 0, 0, &c, &error), "accepted: %s", first);
  stx_expect_words(&error, words);
  stx_expect_words(&error, more);
  ck_assert_int_eq(memcmp(&c, &untouched, sizeof c), 0);
}

/* The text with the first `from` in it replaced; good until the next call. */
static const char *with(const char *text, const char *from, const char *to)
{
  static char changed[16384];
  const char *at = strstr(text, from);
  ck_assert_ptr_nonnull(at);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return changed;
}

/* ---- Files as they are found --------------------------------------------------------------- */

#define POSE(x, y) "[1, 0, 0, " x ", 0, 1, 0, " y ", 0, 0, 1, 0.002, 0, 0, 0, 1]"
#define KALIBR(camera, pose, x)                                                                    \
  "  " camera "\n  intrinsics: [" x "]\n  resolution: [640, 480]\n  " pose "\n"
#define KALIBR_PINHOLE                                                                             \
  "camera_model: pinhole\n  distortion_model: radtan\n"                                            \
  "  distortion_coeffs: [-0.3, 0.1, 0.001, -0.002]"
#define CHAIN(camera, left, right, x)                                                              \
  "cam0:\n" KALIBR(camera, left, x) "cam1:\n" KALIBR(camera, right, x)
#define SENSOR(x)                                                                                  \
  "%YAML:1.0\nT_BS:\n  cols: 4\n  rows: 4\n  data: [0, -1, 0, 0.02, 1, 0, 0, " x                   \
  ", 0, 0, 1, 0, 0, 0, 0, 1]\nrate_hz: 20\nresolution: [640, 480]\ncamera_model: pinhole\n"        \
  "intrinsics: [500, 501, 320, 240] #fu\ndistortion_model: radial-tangential\n"                    \
  "distortion_coefficients: [-0.3, 0.1, 0.001, -0.002]\n"
#define ORB3(type, right)                                                                          \
  "%YAML 1.0\n---\nFile.version: \"1.0\"\nCamera.type: \"" type                                    \
  "\"\nCamera1.fx: 500\nCamera1.fy: 501\nCamera1.cx: 320\nCamera1.cy: 240\nCamera1.k1: -0.3\n"     \
  "Camera1.k2: 0.1\nCamera2.fx: 500\nCamera2.fy: 501\nCamera2.cx: 320\nCamera2.cy: 240\n"          \
  "Camera2.k1: -0.3\nCamera2.k2: 0.1\nCamera.width: 640\nCamera.height: 480\n" right
#define ORB2_SIDE(side, p3)                                                                        \
  side ".height: 480\n" side ".width: 640\n" CASE_MATRIX(side ".D", 1, 5, "-0.3, 0.1, 0, 0, 0")    \
      CASE_MATRIX(side ".K", 3, 3, "500, 0, 320, 0, 501, 240, 0, 0, 1")                            \
          CASE_MATRIX(side ".R", 3, 3, "1, 0, 0, 0, 1, 0, 0, 0, 1")                                \
              CASE_MATRIX(side ".P", 3, 4, "480, 0, 310, " p3 ", 0, 480, 230, 0, 0, 0, 1, 0")
#define ORB2                                                                                       \
  "%YAML:1.0\nCamera.fx: 480\nCamera.bf: 57.6\n" ORB2_SIDE("LEFT", "0") ORB2_SIDE("RIGHT", "-57."  \
                                                                                           "6")
#define BASALT_POSE(x)                                                                             \
  "{\"px\": " x ", \"py\": 0.5, \"pz\": 0, \"qx\": 0, \"qy\": 0, \"qz\": 0.6, \"qw\": 0.8}"
#define BASALT(type, numbers)                                                                      \
  "{\"value0\": {\"T_imu_cam\": [" BASALT_POSE(                                                    \
      "0") ", {\"px\": 0.0336, \"py\": 0.6152, \"pz\": "                                           \
           "0, \"qx\": 0, \"qy\": 0, \"qz\": 0.6, \"qw\": 0.8}], \"intrinsics\": "                 \
           "[{\"camera_type\": "                                                                   \
           "\"" type                                                                               \
           "\", \"intrinsics\": {\"fx\": 500, \"fy\": 501, \"cx\": 320, \"cy\": 240" numbers       \
           "}}, {\"camera_type\": \"" type                                                         \
           "\", \"intrinsics\": {\"fx\": 500, \"fy\": 501, \"cx\": 320, "                          \
           "\"cy\": 240" numbers "}}], \"resolution\": [[640, 480], [640, 480]]}}"
#define OST(side, p3)                                                                              \
  "# oST version 5.0 parameters\n\n\n[image]\n\nwidth\n640\n\nheight\n480\n\n[narrow_stereo/" side \
  "]\n\ncamera matrix\n500 0 320\n0 501 240\n0 0 1\n\ndistortion\n-0.3 0.1 0 0 0\n\n"              \
  "rectification\n1 0 0\n0 1 0\n0 0 1\n\nprojection\n480 0 310 " p3 "\n0 480 230 0\n0 0 1 0\n\n"
#define XML_MATRIX(name, rows, cols, data)                                                         \
  "<" name " type_id=\"opencv-matrix\">\n  <rows>" rows "</rows>\n  <cols>" cols                   \
  "</cols>\n  <dt>d</dt>\n  <data>\n    " data "</data></" name ">\n"
#define XML                                                                                        \
  "<?xml version=\"1.0\"?>\n<!-- made <by> hand -->\n<opencv_storage>\n<image_size>\n  640 "       \
  "480</image_size>\n" XML_MATRIX("K1", "3", "3", "500. 0. 320. 0.\n    501. 240. 0. 0. 1.")       \
      XML_MATRIX("D1", "1", "4", "-0.3 0.1 0. 0.")                                                 \
          XML_MATRIX("K2", "3", "3", "500. 0. 320. 0.\n    501. 240. 0. 0. 1.")                    \
              XML_MATRIX("D2", "1", "4", "-0.3 0.1 0. 0.")                                         \
                  XML_MATRIX("R", "3", "3", "1. 0. 0. 0. 1. 0. 0. 0. 1.")                          \
                      XML_MATRIX("T", "3", "1", "-0.12 0. 0.") "<note/></opencv_storage>\n"
#define INFO(d, more, k, p3)                                                                       \
  "height: 480\nwidth: 640\n" d "\nK: [" k                                                         \
  "]\nR: [0, 0, 0, 0, 0, 0, 0, 0, 0]\nP: [480, 0, 310, " p3 ", 0, 480, 230, 0, 0, 0, 1, 0]\n" more
#define K640 "500, 0, 320, 0, 501, 240, 0, 0, 1"
#define ZED_MODE(side, mode) "[" side "_CAM_" mode "]\nfx = 500\nfy = 501\ncx = 320\ncy = 240\n\n"
#define ZED_NEW(mode, more)                                                                        \
  ZED_MODE("LEFT", mode)                                                                           \
  ZED_MODE("RIGHT", mode)                                                                          \
  "[LEFT_DISTO]\nk1 = -0.3\nk2 = 0.1\n" more "\n[RIGHT_DISTO]\nk1 = -0.3\nk2 = 0.1\n" more         \
  "\n[STEREO]\nBaseline = 120\nTY = 1\nTZ = 2\n"                                                   \
  "RX = 0\nCV = 0\nRZ = 0\n"
#define ZED_OPENCV(d, numbers)                                                                     \
  "%YAML:1.0\n---\nSize: [ 640, 480 ]\nK_LEFT: [" K640 "]\nK_RIGHT: [" K640 "]\n" d                \
  "LEFT" numbers d "RIGHT" numbers "R: [0, 0, 0.3]\nT: [-120, 1, 2]\n"

/* Every one has f 500 and 501, the principal point (320, 240), and its right camera .12 m away. */
typedef struct {
  const char *what, *format, *first, *second;
  StxLensModel model;
  double d[5], t[3];
  int width, height;
} Found;

static const Found found[] = {
    {"body to camera", "Kalibr",
        CHAIN(KALIBR_PINHOLE, "T_cam_imu: " POSE("0.1", "0"), "T_cam_imu: " POSE("-0.02", "0.001"),
            "500, 501, 320, 240"),
        NULL, STX_LENS_BROWN, {-.3, .1, .001, -.002}, {-.12, .001, 0}, 640, 480},
    {"camera to body", "Kalibr",
        CHAIN(KALIBR_PINHOLE, "T_imu_cam: " POSE("0.1", "0"), "T_imu_cam: " POSE("0.22", "0.001"),
            "500, 501, 320, 240"),
        NULL, STX_LENS_BROWN, {-.3, .1, .001, -.002}, {-.12, -.001, 0}, 640, 480},
    {"double sphere", "Kalibr",
        CHAIN("camera_model: ds\n  distortion_model: none\n  distortion_coeffs: []", "x: 1",
            "T_cn_cnm1: " POSE("-0.12", "0"), "-0.2, 0.6, 500, 501, 320, 240"),
        NULL, STX_LENS_DOUBLE_SPHERE, {-.2, .6}, {-.12, 0, .002}, 640, 480},
    {"extended unified", "Kalibr",
        CHAIN("camera_model: eucm\n  distortion_model: none", "x: 1",
            "T_cn_cnm1: " POSE("-0.12", "0"), "0.6, 1.1, 500, 501, 320, 240"),
        NULL, STX_LENS_EXTENDED, {.6, 1.1}, {-.12, 0, .002}, 640, 480},
    {"omnidirectional", "Kalibr",
        CHAIN("camera_model: omni\n  distortion_model: radtan\n"
              "  distortion_coeffs: [-0.3, 0.1, 0.001, -0.002]",
            "x: 1", "T_cn_cnm1: " POSE("-0.12", "0"), "1.5, 500, 501, 320, 240"),
        NULL, STX_LENS_OMNI, {1.5, -.3, .1, .001, -.002}, {-.12, 0, .002}, 640, 480},
    {"fov", "Kalibr",
        CHAIN("camera_model: pinhole\n  distortion_model: fov\n  distortion_coeffs: [0.9]", "x: 1",
            "T_cn_cnm1: " POSE("-0.12", "0"), "500, 501, 320, 240"),
        NULL, STX_LENS_FOV, {.9}, {-.12, 0, .002}, 640, 480},
    {"two sensor.yaml", "EuRoC", SENSOR("0.1"), SENSOR("0.22"), STX_LENS_BROWN,
        {-.3, .1, .001, -.002}, {-.12, 0, 0}, 640, 480},
    {"version 3", "ORB-SLAM", ORB3("PinHole", "Stereo.T_c1_c2: " POSE("0.12", "0") "\n"), NULL,
        STX_LENS_BROWN, {-.3, .1}, {-.12, 0, -.002}, 640, 480},
    {"version 3, fisheye", "ORB-SLAM",
        ORB3("KannalaBrandt8", "Stereo.T_c1_c2: " POSE("0.12", "0") "\n"), NULL, STX_LENS_FISHEYE,
        {-.3, .1}, {-.12, 0, -.002}, 640, 480},
    {"version 2", "ORB-SLAM", ORB2, NULL, STX_LENS_BROWN, {-.3, .1}, {-.12}, 640, 480},
    {"double sphere", "Basalt", BASALT("ds", ", \"xi\": -0.2, \"alpha\": 0.6"), NULL,
        STX_LENS_DOUBLE_SPHERE, {-.2, .6}, {-.12, 0, 0}, 640, 480},
    {"fisheye", "Basalt", BASALT("kb4", ", \"k1\": -0.2, \"k4\": 0.6"), NULL, STX_LENS_FISHEYE,
        {-.2, 0, 0, .6}, {-.12, 0, 0}, 640, 480},
    {"no coefficients", "Basalt", BASALT("pinhole", ""), NULL, STX_LENS_BROWN, {0}, {-.12, 0, 0},
        640, 480},
    {"both in ost.txt", "ROS", OST("left", "0") OST("right", "-57.6"), NULL, STX_LENS_BROWN,
        {-.3, .1}, {-.12}, 640, 480},
    {"two ost.txt", "ROS", OST("left", "0"), OST("right", "-57.6"), STX_LENS_BROWN, {-.3, .1},
        {-.12}, 640, 480},
    {"XML", "OpenCV", XML, NULL, STX_LENS_BROWN, {-.3, .1}, {-.12, 0, 0}, 640, 480},
    {"a fifth zero", "ROS",
        INFO("distortion_model: equidistant\nD: [-0.3, 0.1, 0, 0, 0]", "", K640, "0"),
        INFO("distortion_model: equidistant\nD: [-0.3, 0.1, 0, 0, 0]", "", K640, "-57.6"),
        STX_LENS_FISHEYE, {-.3, .1}, {-.12}, 640, 480},
    {"a simulator's", "ROS", INFO("distortion_model: ''", "", K640, "0"),
        INFO("distortion_model: \"\"\nD: []", "", K640, "-57.6"), STX_LENS_BROWN, {0}, {-.12}, 640,
        480},
    {"all modes", "ZED, [LEFT_DISTO] and [RIGHT_DISTO],", ZED_NEW("4k", "p1 = 0.001\nk6 = 0.2\n"),
        NULL, STX_LENS_BROWN, {-.3, .1, .001, 0, 0}, {-.12, .001, .002}, 3840, 2160},
    {"all modes, fisheye", "ZED, [LEFT_DISTO] and [RIGHT_DISTO],",
        ZED_NEW("QHDPLUS", "k3 = 0.02\nk4 = 0.03\n"), NULL, STX_LENS_FISHEYE, {-.3, .1, .02, .03},
        {-.12, .001, .002}, 3200, 1800},
    {"the calibrator", "ZED's OpenCV", ZED_OPENCV("D_", ": [-0.3, 0.1, 0, 0, 0.2, 0, 0, 0.4]\n"),
        NULL, STX_LENS_BROWN, {-.3, .1, 0, 0, .2}, {-.12, .001, .002}, 640, 480},
    {"the calibrator, fisheye", "ZED's OpenCV",
        ZED_OPENCV("X", ": 1\n") "D_LEFT_FE: [-0.3, 0.1, 0, 0.4]\n"
                                 "D_RIGHT_FE: [-0.3, 0.1, 0, 0.4]\n",
        NULL, STX_LENS_FISHEYE, {-.3, .1, 0, .4}, {-.12, .001, .002}, 640, 480},
};

STX_TEST(files_as_they_are_found)
{
  for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
    const Found *f = &found[i];
    StxCalibration c;
    StxError error = {""};
    ck_assert_msg(calibration_case_load(f->first, f->second, -1, 0, 0, 0, &c, &error), "%s, %s: %s",
        f->format, f->what, error.text);
    ck_assert_str_eq(c.format, f->format);
    for (int side = 0; side < 2; side++) {
      const StxCalibratedCamera *camera = &c.camera[side];
      expect_lens(&camera->lens, 500, 501, 320, 240);
      ck_assert_msg(camera->lens.model == f->model, "%s, %s", f->format, f->what);
      expect_numbers(camera->lens.d, f->d, 5);
      ck_assert_int_eq(camera->width, f->width);
      ck_assert_int_eq(camera->height, f->height);
    }
    if (c.rectified)
      ck_assert_double_eq_tol((c.camera[1].p[3] - c.camera[0].p[3]) / 480, f->t[0], 1e-9);
    else
      expect_numbers(c.t, f->t, 3);
  }
}

/* The files of the cameras are named by the configuration, and stand beside it. */
STX_TEST(vins_names_the_files_of_its_cameras)
{
  static const char mei[] =
      "%YAML:1.0\n---\nmodel_type: MEI\nimage_width: 640\nimage_height: 480\nmirror_parameters:\n"
      "   xi: 1.5\ndistortion_parameters:\n   k1: -0.3\n   k2: 0.1\n   p1: 0\n   p2: 0\n"
      "projection_parameters:\n   gamma1: 500\n   gamma2: 501\n   u0: 320\n   v0: 240\n";
  char path[] = "/tmp/stx-camera-XXXXXX", text[1024];
  StxCalibration c;
  StxError error;
  int fd = mkstemp(path);
  ck_assert_int_eq(write(fd, mei, sizeof mei - 1), (ssize_t)sizeof mei - 1);
  close(fd);
  snprintf(text, sizeof text,
      "%%YAML:1.0\nbody_T_cam0: " POSE("0", "0") "\nbody_T_cam1: " POSE(
          "0.12", "0") "\ncam0_calib: %s\ncam1_calib: \"%s\"\n",
      strrchr(path, '/') + 1, path);
  bool good = calibration_case_load(text, NULL, -1, 0, 0, 0, &c, &error);
  unlink(path);
  ck_assert_msg(good, "%s", error.text);
  ck_assert_str_eq(c.format, "VINS");
  expect_lens(&c.camera[1].lens, 500, 501, 320, 240);
  ck_assert_int_eq(c.camera[0].lens.model, STX_LENS_OMNI);
  EXPECT(c.camera[0].lens.d, 1.5, -.3, .1, 0);
  EXPECT(c.t, -.12, 0, 0);
  ck_assert(!calibration_case_load(text, NULL, -1, 0, 0, 0, &c, &error));
  stx_expect_words(&error, "stx-camera-");
  ck_assert(!calibration_case_load(mei, NULL, -1, 0, 0, 0, &c, &error));
  stx_expect_words(&error, "body_T_cam0");
}

/* REP 104: the part `roi`, `binning` pixels as one; the middle tells K of what is delivered. */
STX_TEST(ros_roi_and_binning)
{
  static const char half[] = "binning_x: 2\nbinning_y: 2\n";
  static const char part[] = "roi: {x_offset: 160, y_offset: 120, height: 240, width: 320}\n";
  char first[1024], second[1024];
  for (int i = 0; i < 4; i++) {
    const char *more = i % 2 == 0 ? half : part,
               *k = i < 2 ? K640 : "500, 0, 160, 0, 501, 120, 0, 0, 1";
    const char *form = "height: 480\nwidth: 640\nD: []\nK: [%s]\nR: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"
                       "P: [480, 0, 310, %s, 0, 480, 230, 0, 0, 0, 1, 0]\n%s";
    snprintf(first, sizeof first, form, k, "0", more);
    snprintf(second, sizeof second, form, k, "-57.6", more);
    StxCalibration c = load(first, second, -1, 320, 240);
    ck_assert_int_eq(c.camera[0].width, 320);
    ck_assert_int_eq(c.camera[1].height, 240);
    double f = i == 0 ? 250 : 500;
    ck_assert_double_eq_tol(c.camera[0].lens.fx, f, 1e-9);
    ck_assert_double_eq_tol(c.camera[0].lens.cx, i == 0 ? 159.75 : 160, 1e-9);
    ck_assert_double_eq_tol(c.camera[0].p[2], i == 0 ? 154.75 : i == 1 ? 150 : 310, 1e-9);
    ck_assert_double_eq_tol(c.camera[1].p[3] / c.camera[1].p[0], -.12, 1e-9);
    c = load(first, second, -1, 640, 480); /* all of it was delivered after all */
    ck_assert_int_eq(c.camera[0].width, 640);
  }
  expect_refusal(INFO("D: []", "roi: {x_offset: 400, width: 320}\n", K640, "0"),
      INFO("D: []", "", K640, "-57.6"), 0, "roi takes 320x480 pixels from (400, 0)", "640x480");
}

/* Recordings that are kept rectified have another size than their cameras. */
STX_TEST(kitti_pictures_that_are_rectified)
{
  StxCalibration c = load(CASE_KITTI, NULL, -1, 1242, 375);
  ck_assert_str_eq(c.format, "KITTI, of pictures that are rectified");
  expect_lens(&c.camera[1].lens, 720, 720, 610, 170);
  EXPECT(c.camera[1].lens.d, 0, 0, 0, 0, 0);
  ck_assert_int_eq(c.camera[1].width, 1242);
}

STX_TEST(oak_sockets_that_are_not_set)
{
  static const char *const unset[] = {"Socket\": 255", "Socket\": -1"};
  for (int i = 0; i < 2; i++) {
    StxCalibration c =
        load(with(CASE_OAK("-7.5", "2", "0"), "leftCameraSocket\": 1", unset[i]), NULL, -1, 0, 0);
    EXPECT(c.t, -.075, .0001, .0002);
  }
}

STX_TEST(files_of_the_other_kind)
{
  expect_refusal("P0: 720 0 610 0 0 720 170 0 0 0 1 0\nP1: 720 0 610 -388.8 0 720 170 0 0 0 1 0\n",
      NULL, 0, "of a rectified pair", "calibration=");
  expect_refusal("Camera.fx: 720\nCamera.fy: 720\nCamera.cx: 610\nCamera.cy: 170\nCamera.bf: 360\n",
      NULL, 0, "ORB-SLAM's", "focal=720 cx=610 cy=170 baseline=0.5");
  expect_refusal(ORB3("Rectified", "Stereo.b: 0.12\n"), NULL, 0, "leave stereo-rectify out",
      "focal=500 cx=320 cy=240 baseline=0.12");
}

/* Where the camera of a rectified pair is asked for. */
STX_TEST(lenses_where_a_rectified_pair_is_expected)
{
  static const char *const texts[][2] = {{CASE_KALIBR, "Kalibr"}, {CASE_ROS_LEFT, "ROS"}};
  StxCamera camera;
  for (int i = 0; i < 2; i++) {
    char path[] = "/tmp/stx-pair-XXXXXX";
    StxError error;
    int fd = mkstemp(path);
    ck_assert_int_gt(write(fd, texts[i][0], strlen(texts[i][0])), 0);
    close(fd);
    ck_assert(!stx_calibration_load_pair(path, -1, &camera, &error));
    unlink(path);
    stx_expect_words(&error, texts[i][1]);
    stx_expect_words(&error, "of stereo-rectify, before stereo-sgm");
  }
}

STX_TEST(units)
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

static const char opencv[] = CASE_INTRINSICS CASE_POSE;
static const char rectified[] = CASE_INTRINSICS CASE_POSE CASE_RECTIFIED;

STX_TEST(no_calibration_at_all)
{
  expect_refusal("", NULL, 0, "stx-first-", "is empty");
  expect_refusal("# nothing\n", NULL, 0, "stx-first-", "holds nothing");
  expect_refusal("some words\n", NULL, 0, "stx-first-", "has no keys");
  expect_refusal("[image]XK\n", NULL, 0, "stx-first-", "a line that cannot be read");
  expect_refusal("a: 1\n", NULL, 0, "stx-first-", "none of the keys of a calibration of");
  expect_refusal("{\"a\": 1", NULL, 0, "stx-first-", "not valid JSON");
  expect_refusal("a: [1, 2\nb: 3\n", NULL, 0, "stx-first-", "not valid YAML");
  expect_refusal("<?xml version=\"1.0\"?>", NULL, 0, "stx-first-", "no <opencv_storage>");
  expect_refusal("<opencv_storage><K1>1</K2", NULL, 0, ":1: ", "not valid XML");
  expect_refusal("<opencv_storage><K\xFA>1</K\xFA>", NULL, 0, ":1: ", "not valid XML");
  expect_refusal("<opencv_storage><K1>\xFA</K1>", NULL, 0, ":1: ", "not valid XML");
  expect_refusal("<a><!-- b", NULL, 0, ":1: ", "not valid XML");
  expect_refusal("a: 1\na: 2\n", NULL, 0, ":2: ", "a key a second time");
  expect_refusal("[1, 2]: 3\n", NULL, 0, ":1: ", "a key that is no plain text");
  expect_refusal("a: &a [*a]\n", NULL, 0, ":1: ", "an alias of nothing, or nested");
  expect_refusal("a: [*b]\n", NULL, 0, ":1: ", "an alias of nothing");
  expect_refusal("a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b, *a, *b, *c]\n", NULL, 0,
      ":3: ", "an alias of nothing");
  expect_refusal("M1: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n", NULL, 0, ":1: ", "nested");
}

static void expect_too_much(const char *piece, size_t count, const char *words)
{
  size_t length = strlen(piece);
  STX_MALLOCED char *text = malloc(count * length + 1);
  for (size_t i = 0; i < count; i++)
    memcpy(text + i * length, piece, length);
  text[count * length] = 0;
  expect_refusal(text, NULL, 0, "stx-first-", words);
}

/* Refused where it is too much, before libyaml has read to the end: the files go on to be wrong in
 * other ways, or right, and took up to minutes. */
STX_TEST(too_much_of_anything)
{
  expect_too_much("[", 40000, "nested or repeated");
  expect_too_much("a: {", 40000, "nested or repeated");
  expect_too_much("- ", 40000, "nested or repeated");
  expect_too_much("? ", 40000, "a key that is no plain text");
  expect_too_much("- &a b\n", 300, "nested or repeated");
  expect_too_much("- &a b\n", 40000, "nested or repeated");
  expect_too_much("%TAG !a! b\n", 40000, "more directives");
  expect_too_much("-\n", 200000, "nested or repeated");
#define EIGHT(x) "[" x "," x "," x "," x "," x "," x "," x "," x "]\n"
  expect_refusal("a: &a " EIGHT("1") "b: &b " EIGHT("*a") "c: &c " EIGHT("*b") "d: &d " EIGHT(
                     "*c") "e: &e " EIGHT("*d") "f: " EIGHT("*e"),
      NULL, 0, ":6: ", "nested or repeated");
}

STX_TEST(a_path_that_is_cut_says_so)
{
  char path[] = "/tmp/stx-a-name-that-is-longer-than-what-a-message-repeats-XXXXXX";
  int file = mkstemp(path);
  StxCalibrationFiles files = {path, NULL, -1, 0};
  StxCalibration c;
  StxError error;
  ck_assert(file >= 0 && write(file, "a: 1\n", 5) == 5);
  ck_assert(!stx_calibration_load(&files, 0, 0, &c, &error));
  close(file);
  unlink(path);
  stx_expect_words(&error, "…");
  stx_expect_words(&error, "what-a-message-repeats-");
  stx_expect_words(&error, "none of the keys");
}

/* A matrix whose size is not that of its numbers. */
STX_TEST(sizes_of_matrices)
{
  static const char *const sizes[] = {"rows: 2000000000\n   cols: 3", "rows: -3\n   cols: -3",
      "rows: 3\n   cols: 0", "rows: 1e300\n   cols: 1e300", "rows: 3", "rows: [3]\n   cols: 3",
      "rows: .nan\n   cols: 3"};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    expect_refusal(with(opencv, "rows: 3\n   cols: 3", sizes[i]), NULL, 0, "\"M1\" has ",
        "but 9 numbers in \"data\"");
}

STX_TEST(no_file)
{
  StxCalibrationFiles files = {"/nowhere/a.yml", NULL, -1, 0};
  StxCalibration c;
  StxError error;
  ck_assert(!stx_calibration_load(&files, 0, 0, &c, &error));
  stx_expect_words(&error, "/nowhere/a.yml");
  files.pair = 1;
  ck_assert(!stx_calibration_load(&files, 0, 0, &c, NULL));
  files = (StxCalibrationFiles){"", NULL, -1, 0};
  ck_assert(!stx_calibration_load(&files, 0, 0, &c, &error));
  stx_expect_words(&error, "empty");
  files = (StxCalibrationFiles){"/tmp", NULL, -1, 0};
  ck_assert(!stx_calibration_load(&files, 0, 0, &c, &error));
  stx_expect_words(&error, "directory");
}

STX_TEST(numbers_and_keys)
{
  expect_refusal(with(opencv, "M1", "X1"), NULL, 0, "no \"K1\"", "stx-first-");
  expect_refusal(with(opencv, "D2", "X2"), NULL, 0, "no \"D2\"", "stx-first-");
  expect_refusal(CASE_INTRINSICS, NULL, 0, "no \"R\"", "extrinsics.yml");
  expect_refusal(with(opencv, "501.", "1e999"), NULL, 0, "number 5 of \"M1\"", "finite");
  expect_refusal(with(opencv, "501.", "word"), NULL, 0, "number 5 of \"M1\"", "finite");
  expect_refusal(with(opencv, "501., ", ""), NULL, 0, "\"M1\" has 8 numbers", "expected 9");
  expect_refusal(with(opencv, "501., ", "1, 2, "), NULL, 0, "\"M1\"", "more than 9");
  expect_refusal(with(opencv, "500.", "-500."), NULL, 0, "no camera matrix", "-500");
  expect_refusal(
      with(opencv, "-0.3, 0.1, ", ""), NULL, 0, "\"D1\" has 3 coefficients", "4, 5, 8, 12 or 14");
  expect_refusal(with(opencv, "D1:", "fisheye_model: 1\nD1:"), NULL, 0, "\"D1\" has 5", "fisheye");
  expect_refusal(with(opencv, "M1:", "image_width: -3\nimage_height: 4\nM1:"), NULL, 0,
      "an image size of -3", "pixels");
}

STX_TEST(places_of_the_cameras)
{
  expect_refusal(with(opencv, "-0.12, 0.001, 0.002", "0, 0, 0"), NULL, 0, "same place", "pair");
  expect_refusal(with(opencv, "-0.12, 0.001", "-0.01, -0.12"), NULL, 0, "beside", "0.12");
  expect_refusal(with(opencv, "-0.12", "-120"), NULL, 0, "120 m between the cameras",
      "with unit=0.01 it is 1.2 m, with unit=0.001 12 cm");
  expect_refusal(with(opencv, "-0.12", "-12"), NULL, 0, "12 m between the cameras",
      "with unit=0.01 it is 12 cm, with unit=0.001 12 mm");
  expect_refusal(opencv, NULL, .001, "0.12 mm between the cameras",
      "with unit=1 it is 12 cm, with unit=0.01 1.2 mm");
  expect_refusal(
      with(opencv, "M1:", "image_size: [64000, 480]\nM1:"), NULL, 0, "64000 px wide", "");
  expect_refusal(with(rectified, "0.8, -0.6", "0.8, 0.6"), NULL, 0, "right camera", "no rotation");
  expect_refusal(with(rectified, "-57.6", "57.6"), NULL, 0, "swapped", "0.12 m");
  expect_refusal(with(rectified, "-57.6", "0"), NULL, 0, "same place", "single cameras");
  expect_refusal(with(rectified, "[ 480.", "[ 500."), NULL, 0, "left projection is 500", "480");
  expect_refusal(with(rectified, "[ 480.", "[ 0."), NULL, 0, "left camera's projection", "f > 0");
}

STX_TEST(ros)
{
  expect_refusal(CASE_ROS_LEFT, NULL, 0, "one camera", "calibration-right");
  expect_refusal(CASE_ROS_LEFT, CASE_ROS_LEFT, 0, "same place", "calibrate the pair");
  expect_refusal(
      CASE_ROS("l", "other", "1", "0"), CASE_ROS_RIGHT, 0, "lens's model \"other\"", "plumb_bob");
  expect_refusal(CASE_ROS_LEFT, CASE_ROS("r", "plumb_bob", "1, 2, 3", "-48"), 0, "stx-second-",
      "3 coefficients");
}

STX_TEST(the_others)
{
  expect_refusal(with(CASE_KALIBR, "cam1:", "cam2:"), NULL, 0, "no \"cam1\"", "stx-first-");
  expect_refusal(
      with(CASE_KALIBR, "camera_model: pinhole", "camera_model: omni"), NULL, 0, "cam0", "radtan");
  expect_refusal(with(CASE_KITTI, "K_03", "X_03"), NULL, 0, "no \"K_03\"", "stx-first-");
  expect_refusal(with(CASE_KITTI, "K_02: 9.842439e+02", "K_02: 9,8"), NULL, 0,
      "number 1 of \"K_02\"", "finite");
  expect_refusal(with(CASE_ZED, "Baseline", "Base"), NULL, 0, "stereo", "no \"baseline\"");
  expect_refusal(with(CASE_ZED, "k1=", "x1="), NULL, 0, "left_cam_2k", "no \"k1\"");
  expect_refusal(with(CASE_ZED, "[STEREO]", "[OTHER]"), NULL, 0, "no \"stereo\"", "stx-first-");
  expect_refusal(CASE_OAK("-3", "-1", "0"), NULL, 0, "socket 1", "no extrinsics");
  expect_refusal(CASE_OAK("-3", "9", "0"), NULL, 0, "socket 1", "no extrinsics");
  expect_refusal(CASE_OAK("-7.5", "2", "3"), NULL, 0, "cameraType is 3", "fisheye");
  expect_refusal("{\"cameraData\": 3}", NULL, 0, "socket 1", "one of the pair");
}

/* With a longer name of the file, longer messages would lose their end, which is what to do. */
#define MOST_TEXT (sizeof((StxError *)NULL)->text - 48 + sizeof "/tmp/stx-first-XXXXXX")

static void expect_fault(const CalibrationFault *fault)
{
  STX_MALLOCED char *text = calibration_fault_text(fault);
  StxError error = {""};
  StxCalibration c;
  ck_assert_msg(calibration_case_load(fault->first, fault->second, -1, 0, 0, 0, &c, &error) ||
                    strcmp(fault->fault, "swapped") == 0,
      "%s: %s", fault->format, error.text);
  ck_assert(!calibration_case_load(text, fault->second, -1, 0, 0, 0, &c, &error));
  for (const char *const *word = fault->words; *word != NULL; word++)
    stx_expect_words(&error, *word);
  stx_expect_words(&error, "/tmp/stx-");
  ck_assert_uint_lt(strlen(error.text), MOST_TEXT);
}

STX_TEST(every_fault_of_every_format)
{
  for (size_t i = 0; i < calibration_fault_count; i++)
    expect_fault(&calibration_faults[i]);
}
