/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibrations that cannot be worked with: what is said of them. */
#include "tests/common/calibration/calibration_case.h"
#include "tests/common/calibration/calibration_faults.h"
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  ck_assert_msg(strstr(error.text, words) != NULL, "\"%s\" not in \"%s\"", words, error.text);
  ck_assert_msg(strstr(error.text, more) != NULL, "\"%s\" not in \"%s\"", more, error.text);
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

static const char opencv[] = CASE_INTRINSICS CASE_POSE;
static const char rectified[] = CASE_INTRINSICS CASE_POSE CASE_RECTIFIED;

START_TEST(no_calibration_at_all)
{
  expect_refusal("", NULL, 0, "stx-first-", "is empty");
  expect_refusal("# nothing\n", NULL, 0, "stx-first-", "holds nothing");
  expect_refusal("some words\n", NULL, 0, "stx-first-", "has no keys");
  expect_refusal("a: 1\n", NULL, 0, "stx-first-", "K1 or M1 (OpenCV)");
  expect_refusal("{\"a\": 1", NULL, 0, "stx-first-", "not valid JSON");
  expect_refusal("a: [1, 2\nb: 3\n", NULL, 0, "stx-first-", "not valid YAML");
  expect_refusal("<?xml version=\"1.0\"?>", NULL, 0, "stx-first-", "is XML");
  expect_refusal("a: 1\na: 2\n", NULL, 0, ":2: ", "a key a second time");
  expect_refusal("[1, 2]: 3\n", NULL, 0, ":1: ", "a key that is no plain text");
  expect_refusal("a: &a [*a]\n", NULL, 0, "stx-first-", "nested or repeated");
  expect_refusal("M1: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n", NULL, 0, ":1: ", "nested");
}
END_TEST

static void expect_too_much(const char *piece, size_t count, const char *words)
{
  size_t length = strlen(piece);
  char *text = malloc(count * length + 1);
  for (size_t i = 0; i < count; i++)
    memcpy(text + i * length, piece, length);
  text[count * length] = 0;
  expect_refusal(text, NULL, 0, "stx-first-", words);
  free(text);
}

/* Refused where it is too much, before libyaml has read to the end: the files go on to be wrong in
 * other ways, or right, and took up to minutes. */
START_TEST(too_much_of_anything)
{
  expect_too_much("[", 40000, "nested or repeated");
  expect_too_much("a: {", 40000, "nested or repeated");
  expect_too_much("- ", 40000, "nested or repeated");
  expect_too_much("? ", 40000, "nested or repeated");
  expect_too_much("- &a b\n", 300, "nested or repeated");
  expect_too_much("- &a b\n", 40000, "nested or repeated");
  expect_too_much("%TAG !a! b\n", 40000, "more directives");
  expect_too_much("-\n", 200000, "nested or repeated");
}
END_TEST

/* A matrix whose size is not that of its numbers. */
START_TEST(sizes_of_matrices)
{
  static const char *const sizes[] = {"rows: 2000000000\n   cols: 3", "rows: -3\n   cols: -3",
      "rows: 3\n   cols: 0", "rows: 1e300\n   cols: 1e300", "rows: 3", "rows: [3]\n   cols: 3",
      "rows: .nan\n   cols: 3"};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    expect_refusal(with(opencv, "rows: 3\n   cols: 3", sizes[i]), NULL, 0, "\"M1\" has ",
        "but 9 numbers in \"data\"");
}
END_TEST

START_TEST(no_file)
{
  StxCalibrationFiles files = {"/nowhere/a.yml", NULL, -1, 0};
  StxCalibration c;
  StxError error;
  ck_assert(!stx_calibration_load(&files, 0, 0, &c, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/a.yml"));
  files.pair = 1;
  ck_assert(!stx_calibration_load(&files, 0, 0, &c, NULL));
  files = (StxCalibrationFiles){"", NULL, -1, 0};
  ck_assert(!stx_calibration_load(&files, 0, 0, &c, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "empty"));
  files = (StxCalibrationFiles){"/tmp", NULL, -1, 0};
  ck_assert(!stx_calibration_load(&files, 0, 0, &c, &error));
  ck_assert_ptr_nonnull(strstr(error.text, "directory"));
}
END_TEST

START_TEST(numbers_and_keys)
{
  expect_refusal(with(opencv, "M1", "X1"), NULL, 0, "no \"K1\"", "stx-first-");
  expect_refusal(with(opencv, "D2", "X2"), NULL, 0, "no \"D2\"", "stx-first-");
  expect_refusal(CASE_INTRINSICS, NULL, 0, "no \"R\"", "extrinsics.yml");
  expect_refusal(with(opencv, "501.", ".Nan"), NULL, 0, "number 5 of \"M1\"", "finite");
  expect_refusal(with(opencv, "501.", "1e999"), NULL, 0, "number 5 of \"M1\"", "finite");
  expect_refusal(with(opencv, "501.", "word"), NULL, 0, "number 5 of \"M1\"", "finite");
  expect_refusal(with(opencv, "501., ", ""), NULL, 0, "\"M1\" has 8 numbers", "expected 9");
  expect_refusal(with(opencv, "501., ", "1, 2, "), NULL, 0, "\"M1\"", "more than 9");
  expect_refusal(with(opencv, "500.", "0."), NULL, 0, "no camera matrix", "fx and fy > 0");
  expect_refusal(with(opencv, "500.", "-500."), NULL, 0, "no camera matrix", "-500");
  expect_refusal(
      with(opencv, "-0.3, 0.1, ", ""), NULL, 0, "\"D1\" has 3 coefficients", "4, 5, 8, 12 or 14");
  expect_refusal(with(opencv, "D1:", "fisheye_model: 1\nD1:"), NULL, 0, "\"D1\" has 5", "fisheye");
  expect_refusal(with(opencv, "M1:", "image_width: -3\nimage_height: 4\nM1:"), NULL, 0,
      "an image size of -3", "pixels");
  expect_refusal(with(opencv, "M1:", "image_size: [300, 480]\nM1:"), NULL, 0,
      "principal point (320.5, 240.25)", "300x480");
}
END_TEST

START_TEST(places_of_the_cameras)
{
  expect_refusal(with(opencv, "-0.12", "0.12"), NULL, 0, "swapped", "0.12 m to the left");
  expect_refusal(with(opencv, "-0.12, 0.001, 0.002", "0, 0, 0"), NULL, 0, "same place", "pair");
  expect_refusal(with(opencv, "-0.12, 0.001", "-0.01, -0.12"), NULL, 0, "beside", "0.12");
  expect_refusal(with(opencv, "-0.12", "-120"), NULL, 0, "the baseline is 120 m",
      "if the file is in millimetres, set unit=0.001");
  expect_refusal(opencv, NULL, .001, "the baseline is 0.00012", "set another unit");
  expect_refusal(
      with(opencv, "M1:", "image_size: [64000, 480]\nM1:"), NULL, 0, "64000 px wide", "");
  expect_refusal(with(opencv, "R: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: [ 1.",
                     "R: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: [ 2."),
      NULL, 0, "R, between the cameras", "no rotation");
  expect_refusal(with(rectified, "0.8, -0.6", "0.8, 0.6"), NULL, 0, "right camera", "no rotation");
  expect_refusal(with(rectified, "-57.6", "57.6"), NULL, 0, "swapped", "0.12 m");
  expect_refusal(with(rectified, "-57.6", "0"), NULL, 0, "same place", "single cameras");
  expect_refusal(with(rectified, "[ 480.", "[ 500."), NULL, 0, "left projection is 500", "480");
  expect_refusal(with(rectified, "[ 480.", "[ 0."), NULL, 0, "left camera's projection", "f > 0");
}
END_TEST

START_TEST(ros)
{
  expect_refusal(CASE_ROS_LEFT, NULL, 0, "one camera", "calibration-right");
  expect_refusal(CASE_ROS_RIGHT, CASE_ROS_LEFT, 0, "swapped", "exchange");
  expect_refusal(CASE_ROS_LEFT, CASE_ROS_LEFT, 0, "same place", "calibrate the pair");
  expect_refusal(
      CASE_ROS("l", "fov", "1", "0"), CASE_ROS_RIGHT, 0, "distortion model", "plumb_bob");
  expect_refusal(CASE_ROS_LEFT, CASE_ROS("r", "plumb_bob", "1, 2, 3", "-48"), 0, "stx-second-",
      "3 coefficients");
  expect_refusal(with(CASE_ROS_LEFT, "rectification_matrix", "other"), CASE_ROS_RIGHT, 0,
      "no \"rectification_matrix\"", "stx-first-");
}
END_TEST

START_TEST(the_others)
{
  expect_refusal(with(CASE_KALIBR, "cam1:", "cam2:"), NULL, 0, "no \"cam1\"", "stx-first-");
  expect_refusal(
      with(CASE_KALIBR, "camera_model: pinhole", "camera_model: omni"), NULL, 0, "cam0", "pinhole");
  expect_refusal(with(CASE_KALIBR, "[380.0", "[0"), NULL, 0, "cam0", "more than 0");
  expect_refusal(with(CASE_KALIBR, "T_cn_cnm1", "T_imu"), NULL, 0, "cam1", "no \"T_cn_cnm1\"");
  expect_refusal(with(CASE_KITTI, "K_03", "X_03"), NULL, 0, "no \"K_03\"", "stx-first-");
  expect_refusal(with(CASE_KITTI, "K_02: 9.842439e+02", "K_02: 9,8"), NULL, 0,
      "number 1 of \"K_02\"", "finite");
  expect_refusal(with(CASE_ZED, "Baseline", "Base"), NULL, 0, "stereo", "no \"baseline\"");
  expect_refusal(with(CASE_ZED, "fx=1400", "fx=0"), NULL, 0, "left_cam_2k", "more than 0");
  expect_refusal(with(CASE_ZED, "k2=", "x2="), NULL, 0, "left_cam_2k", "no \"k2\"");
  expect_refusal(with(CASE_ZED, "[STEREO]", "[OTHER]"), NULL, 0, "no \"stereo\"", "stx-first-");
  expect_refusal(CASE_OAK("-3", "-1", "0"), NULL, 0, "socket 1", "no extrinsics");
  expect_refusal(CASE_OAK("-3", "9", "0"), NULL, 0, "socket 1", "no extrinsics");
  expect_refusal(CASE_OAK("-7.5", "2", "3"), NULL, 0, "cameraType is 3", "fisheye");
  expect_refusal(CASE_OAK("7.5", "2", "0"), NULL, 0, "swapped", "0.075");
  expect_refusal("{\"cameraData\": 3}", NULL, 0, "socket 1", "one of the pair");
}
END_TEST

/* With a longer name of the file, longer messages would lose their end, which is what to do. */
#define MOST_TEXT (sizeof((StxError *)NULL)->text - 48 + sizeof "/tmp/stx-first-XXXXXX")

static void expect_fault(const CalibrationFault *fault)
{
  char *text = calibration_fault_text(fault);
  StxError error = {""};
  StxCalibration c;
  ck_assert_msg(calibration_case_load(fault->first, fault->second, -1, 0, 0, 0, &c, &error) ||
                    strcmp(fault->fault, "swapped") == 0,
      "%s: %s", fault->format, error.text);
  ck_assert(!calibration_case_load(text, fault->second, -1, 0, 0, 0, &c, &error));
  for (const char *const *word = fault->words; *word != NULL; word++)
    ck_assert_msg(strstr(error.text, *word) != NULL, "%s, %s: \"%s\" not in \"%s\"", fault->format,
        fault->fault, *word, error.text);
  ck_assert_ptr_nonnull(strstr(error.text, "/tmp/stx-"));
  ck_assert_uint_lt(strlen(error.text), MOST_TEXT);
  free(text);
}

START_TEST(every_fault_of_every_format)
{
  for (size_t i = 0; i < calibration_fault_count; i++)
    expect_fault(&calibration_faults[i]);
}
END_TEST

static const StxTest tests[] = {{&every_fault_of_every_format}, {&no_calibration_at_all},
    {&too_much_of_anything}, {&sizes_of_matrices}, {&no_file}, {&numbers_and_keys},
    {&places_of_the_cameras}, {&ros}, {&the_others}};
STX_TESTING_MAIN("calibration-refusals", tests)
