/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/testing.h"

#include "common/camera.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Made by hand: focal 700, gray baseline 378 / 700 = .54, colour (42 + 336) / 700 = .54. */
#define P0 "P0: 7.0e+02 0 6.0e+02 0 0 700 1.8e2 0 0 0 1 0\n"
#define P1 "P1: 7.0e+02 0 6.0e+02 -3.78e+02 0 700 1.8e2 0 0 0 1 0\n"
#define P2 "P2: 7.0e+02 0 6.1e+02 4.2e+01 0 700 1.9e2 0.2 0 0 1 0.003\n"
#define P3 "P3: 7.0e+02 0 6.1e+02 -3.36e+02 0 700 1.9e2 2 0 0 1 0.003\n"
#define ZEROS "0 0 0 0 0 0 0 0 0 0 0 0\n"

#define JSON                                                                                       \
  "{ \"extrinsic\": {\"baseline\": 0.21, \"pitch\": 0.04, \"roll\": 0.0, \"x\": 1.7,\n"            \
  "  \"y\": 0.1, \"yaw\": -0.02, \"z\": 1.22},\n"                                                  \
  "  \"intrinsic\": {\"fx\": 2260, \"fy\": 2265.5, \"u0\": 1096.5, \"v0\": 513.25}}"

static const StxCamera untouched = {1, 2, 3, 4, 5, 6};

/* Loads a temporary file of these bytes. */
static bool load_bytes(const void *bytes, size_t size, int pair, StxCamera *camera, StxError *error)
{
  char name[] = "/tmp/stx-camera-XXXXXX";
  int fd = mkstemp(name);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
  close(fd);
  *camera = untouched;
  error->text[0] = 0;
  bool good = stx_camera_load(name, pair, camera, error);
  unlink(name);
  return good;
}

static StxCamera expect_loads(const char *text, int pair)
{
  StxCamera camera;
  StxError error;
  ck_assert_msg(load_bytes(text, strlen(text), pair, &camera, &error), "%s", error.text);
  return camera;
}

/* The text must be refused, for a reason that mentions `reason`, and leave the camera alone. */
static void expect_refusal(const char *text, int pair, const char *reason)
{
  StxCamera camera;
  StxError error;
  ck_assert_msg(!load_bytes(text, strlen(text), pair, &camera, &error), "accepted: %s", text);
  stx_expect_words(&error, reason);
  stx_expect_words(&error, "stx-camera-");
  for (const char *at = error.text; *at != 0; at++)
    ck_assert_msg(*at >= ' ' && *at < 127, "byte %d in \"%s\"", *at, error.text);
  ck_assert_int_eq(memcmp(&camera, &untouched, sizeof camera), 0);
}

static void expect_camera(StxCamera camera, double focal, double cx, double cy, double baseline,
    double height, double pitch)
{
  ck_assert_double_eq_tol(camera.focal, focal, 1e-9);
  ck_assert_double_eq_tol(camera.cx, cx, 1e-9);
  ck_assert_double_eq_tol(camera.cy, cy, 1e-9);
  ck_assert_double_eq_tol(camera.baseline, baseline, 1e-9);
  ck_assert_double_eq_tol(camera.height, height, 1e-9);
  ck_assert_double_eq_tol(camera.pitch, pitch, 1e-9);
}

#define MIDDLEBURY(doffs)                                                                          \
  "cam0=[999.5 0 320.5; 0 999.5 240; 0 0 1]\ncam1=[999.5 0 340.5; 0 999.5 240; 0 0 "               \
  "1]\ndoffs=" doffs "\nbaseline=160.5\nwidth=640\nheight=480\nndisp=280\n"

STX_TEST(middlebury)
{
  const char *text = MIDDLEBURY("0");
  StxCamera camera;
  StxError error = {""};
  ck_assert_msg(load_bytes(text, strlen(text), -1, &camera, &error), "%s", error.text);
  expect_camera(camera, 999.5, 320.5, 240, .1605, 0, 0);
  ck_assert_int_eq(camera.image_width, 640);
  expect_refusal(MIDDLEBURY("20"), -1, "disparity-at-infinity=-20 focal=999.5 cx=320.5 cy=240");
}

STX_TEST(kitti_pair_is_chosen)
{
  expect_camera(expect_loads(P0 P1 P2 P3, 0), 700, 600, 180, .54, 1.65, 0);
  expect_camera(expect_loads(P0 P1 P2 P3, 2), 700, 610, 190, .54, 1.65, 0);
  expect_camera(expect_loads(P0 P1 P2 P3, -1), 700, 610, 190, .54, 1.65, 0);
  expect_camera(expect_loads(P0 P1, -1), 700, 600, 180, .54, 1.65, 0);
  expect_camera(expect_loads(P3 P2, -1), 700, 610, 190, .54, 1.65, 0);
}

STX_TEST(kitti_tolerates_what_files_have)
{
  expect_camera(expect_loads("calib_time: 09-Jan-2012 13:57:47\n" P2 "R0_rect: 1 0 0\n\n" P3
                             "Tr: nonsense\nno colon here",
                    -1),
      700, 610, 190, .54, 1.65, 0);
  expect_camera(
      expect_loads("P0: 700 0 600 0 0 700 180 0 0 0 1 0\r\n\tP1: 700 0 600 -378 0 700 180 0 "
                   "0 0 1 0  \r\n",
          0),
      700, 600, 180, .54, 1.65, 0);
  expect_camera(expect_loads("P0: " ZEROS "P1: broken\n" P2 P3, 2), 700, 610, 190, .54, 1.65, 0);
  expect_camera(expect_loads("S_rect_02: 1242 375\nP_rect_02: 700 0 610 42 0 700 190 0 0 0 1 0\n"
                             "P_rect_03: 700 0 610 -336 0 700 190 0 0 0 1 0",
                    -1),
      700, 610, 190, .54, 1.65, 0);
  expect_camera(expect_loads("\xEF\xBB\xBF" P0 P1, 0), 700, 600, 180, .54, 1.65, 0);
}

static void expect_size(const char *text, int pair, int width, int height)
{
  StxCamera camera = expect_loads(text, pair);
  ck_assert_int_eq(camera.image_width, width);
  ck_assert_int_eq(camera.image_height, height);
}

#define RAW                                                                                        \
  "P_rect_02: 700 0 610 42 0 700 190 0 0 0 1 0\n"                                                  \
  "P_rect_03: 700 0 610 -336 0 700 190 0 0 0 1 0\n"
#define DAY(f, x, y)                                                                               \
  "P0: " f " 0 " x " 0 0 " f " " y " 0 0 0 1 0\nP1: " f " 0 " x " -380 0 " f " " y " 0 0 0 1 0\n"

STX_TEST(kitti_says_the_size)
{
  expect_size(RAW "S_rect_02: 1.242000e+03 3.750000e+02\n", -1, 1242, 375);
  expect_size("S_rect_00: 5 6\nS_rect_02: 1242 375\nS_rect_03: 7 8\n" RAW, -1, 1242, 375);
  expect_size(RAW, -1, 0, 0);
  expect_size(RAW "S_rect_02: 1242\n", -1, 0, 0);
  expect_size(RAW "S_rect_02: wide high\n", -1, 0, 0);
  expect_size(RAW "S_rect_02: nan 1e999\n", -1, 0, 0);
  expect_size(RAW "S_rect_02: -1242 375\n", -1, 0, 0);
  expect_size(RAW "S_rect_02:", -1, 0, 0);
  expect_size(DAY("721.5377", "609.5593", "172.854"), 0, 1242, 375);
  expect_size(DAY("7.070493e+02", "604.0814", "180.5066"), 0, 1224, 370);
  expect_size(DAY("718.3351", "600.3891", "181.5122"), 0, 1238, 374);
  expect_size(DAY("707.0912", "601.8873", "183.1104"), 0, 1226, 370);
  expect_size(DAY("718.856", "607.1928", "185.2157"), 0, 1241, 376);
  expect_size(DAY("718.856", "600", "185.2157"), 0, 0, 0);
  expect_size(DAY("718.9", "607.1928", "185.2157"), 0, 0, 0);
  ck_assert_uint_eq(expect_loads(RAW, -1).missing, STX_CAMERA_PITCH);
}

STX_TEST(kitti_refusals_name_line_and_expectation)
{
  expect_refusal(P0 P1, 2, "no line \"P2:\"");
  expect_refusal(P0 P1 P2, -1, "no line \"P3:\"");
  expect_refusal(
      "hello\n", -1, "expected KITTI's or Middlebury's calib.txt or Cityscapes' camera.json");
  expect_refusal(
      P0 "P1: 700 0 600 -378 0 700 180 0 0 0 1\n", 0, ":2: \"P1:\" has 11 numbers; expected 12");
  expect_refusal(P0 "P1: 700 0 600 -378 0 700 180 0 0 0 1 0 5\n", 0, "has 13 numbers");
  expect_refusal(P0 "P1:", 0, "has 0 numbers");
  expect_refusal(P0 "P1: 700 0 600 nan 0 700 180 0 0 0 1 0\n", 0, "number 4 of \"P1:\" is \"nan\"");
  expect_refusal(P0 "P1: 700 0 600 inf 0 700 180 0 0 0 1 0\n", 0, "\"inf\"; expected a finite");
  expect_refusal(P0 "P1: 700 0 600 1e999 0 700 180 0 0 0 1 0\n", 0, "\"1e999\"");
  expect_refusal(P0 "P1: 700,0 0 600 1 0 700 180 0 0 0 1 0\n", 0, "\"700,0\"");
  expect_refusal(P0 "P1: 700 \x80\xFFz 600 1 0 700 180 0 0 0 1 0\n", 0, "\"?\?z\"");
  expect_refusal(P0 P1 P1, 0, ":3: \"P1:\" a second time (first in line 2)");
  expect_refusal("P0: " ZEROS P1, 0, "focal length is 0; it must be greater than 0");
  expect_refusal(P0 "P1: 700 0 600 0 0 700 180 0 0 0 1 0\n", 0, "baseline is 0");
  expect_refusal(P0 "P1: 700 0 600 378 0 700 180 0 0 0 1 0\n", 0, "baseline is -0.54");
  expect_refusal(P0 "P1: 710 0 600 -378 0 710 180 0 0 0 1 0\n", 0, "rectified pair");
  expect_refusal(P0 "P1: 700 0 600 -378 0 700 190 0 0 0 1 0\n", 0, "cy of the left camera is 180");
}

STX_TEST(cityscapes_is_read)
{
  expect_camera(expect_loads(JSON, -1), 2260, 1096.5, 513.25, .21, 1.22, .04);
  expect_camera(expect_loads("\r\n " JSON "\r\n", 2), 2260, 1096.5, 513.25, .21, 1.22, .04);
}

#define INTRINSIC "\"intrinsic\": {\"fx\": 9, \"u0\": 1, \"v0\": 1}"
#define EXTRINSIC(baseline, pitch, z)                                                              \
  "\"extrinsic\": {\"baseline\": " baseline ", \"pitch\": " pitch ", \"z\": " z "}"

STX_TEST(cityscapes_refusals_name_the_key)
{
  expect_refusal("{", -1, ":1:1: not valid JSON");
  expect_refusal("{\n\"intrinsic\": {\"fx\": 22", -1, ":2:");
  expect_refusal("{\"intrinsic\": {\"fx\": NaN}}", -1, "not valid JSON");
  expect_refusal("{\x01\x7F", -1, "not valid JSON");
  expect_refusal("{\xC3\xA4", -1, "not valid JSON");
  expect_refusal("{}", -1, "no \"fx\" in \"intrinsic\"");
  expect_refusal("{\"intrinsic\": 7}", -1, "no \"fx\" in \"intrinsic\"");
  expect_refusal("{" INTRINSIC "}", -1, "no \"baseline\" in \"extrinsic\"");
  expect_refusal("{" INTRINSIC "," EXTRINSIC("\"wide\"", "0", "1") "}", -1,
      "\"baseline\" in \"extrinsic\" is not a number");
  expect_refusal("{" INTRINSIC "," EXTRINSIC("0", "0", "1") "}", -1, "baseline is 0");
  expect_refusal("{" INTRINSIC "," EXTRINSIC("-.2", "0", "1") "}", -1, "not valid JSON");
  expect_refusal("{" INTRINSIC "," EXTRINSIC("0.2", "0", "-1") "}", -1, "z is -1");
  expect_refusal(
      "{" INTRINSIC "," EXTRINSIC("0.2", "2.2", "1") "}", -1, "(2.2 degrees are 0.0384)");
  expect_refusal("{" INTRINSIC "," EXTRINSIC("0.2", "1e999", "1") "}", -1, "not valid JSON");
}

#define SIZED(size)                                                                                \
  "{\"intrinsic\": {\"fx\": 900, \"u0\": 640, \"v0\": 360" size "}," EXTRINSIC("0.2", "0", "1") "}"
#define OF_CITYSCAPES(fx, u0, v0, baseline)                                                        \
  "{\"intrinsic\": {\"fx\": " fx ", \"u0\": " u0 ", \"v0\": " v0                                   \
  "}," EXTRINSIC(baseline, "0.038", "1.22") "}"

STX_TEST(cityscapes_says_the_size)
{
  expect_size(JSON, -1, 2048, 1024);
  expect_size(OF_CITYSCAPES("2262.52", "1096.98", "513.137", "0.209313"), -1, 2048, 1024);
  expect_size(OF_CITYSCAPES("2268.36", "1048.64", "519.277", "0.222126"), -1, 2048, 1024);
  expect_size(OF_CITYSCAPES("2400", "1048.64", "519.277", "0.222126"), -1, 0, 0);
  expect_size(OF_CITYSCAPES("2268.36", "960", "519.277", "0.222126"), -1, 0, 0);
  expect_size(OF_CITYSCAPES("2268.36", "1048.64", "540", "0.222126"), -1, 0, 0);
  expect_size(OF_CITYSCAPES("2268.36", "1048.64", "519.277", "0.12"), -1, 0, 0);
  expect_size(SIZED(""), -1, 0, 0);
  expect_size(SIZED(", \"width\": 1280, \"height\": 720"), -1, 1280, 720);
  expect_refusal(SIZED(", \"width\": 1280"), -1, "one of \"width\" and \"height\"");
  expect_refusal(SIZED(", \"width\": 1280.5, \"height\": 720"), -1, "\"width\" in \"intrinsic\"");
  expect_refusal(SIZED(", \"width\": 1280, \"height\": \"720\""), -1, "no whole number of pixels");
  expect_refusal(SIZED(", \"width\": 1280, \"height\": 0"), -1, "from 1 to 32768");
  ck_assert_uint_eq(expect_loads(SIZED(""), -1).missing, 0);
}

STX_TEST(what_is_no_calibration_is_refused)
{
  expect_refusal("", -1, "is empty");
  StxCamera camera;
  StxError error;
  static uint8_t noise[4096];
  StxRandom random = {7};
  for (size_t i = 0; i < sizeof noise; i++)
    noise[i] = (uint8_t)stx_random(&random);
  ck_assert(!load_bytes(noise, sizeof noise, -1, &camera, &error));
  stx_expect_words(&error, "binary data");
  size_t size = 3 << 20;
  STX_MALLOCED char *huge = malloc(size);
  memset(huge, '\n', size);
  ck_assert(!load_bytes(huge, size, -1, &camera, &error));
  stx_expect_words(&error, "larger than 1048576 bytes");
}

/* Every way to cut a good file short, and every single damaged byte, must not crash; and
 * whatever is still accepted must be a usable camera. */
static void damage_everywhere(const char *good)
{
  StxCamera camera;
  StxError error;
  char text[1024];
  size_t size = strlen(good);
  for (size_t i = 0; i < size; i++) {
    if (load_bytes(good, i, -1, &camera, &error))
      ck_assert(stx_camera_has_ground(&camera));
    memcpy(text, good, size);
    text[i] = "\0\x80 9-:\n"[i % 7];
    if (load_bytes(text, size, -1, &camera, &error))
      ck_assert(stx_camera_has_ground(&camera));
    else
      ck_assert_uint_gt(strlen(error.text), 20);
  }
}

STX_TEST(damaged_files_never_crash)
{
  damage_everywhere(P0 P1 P2 P3);
  damage_everywhere(JSON);
}

/* In another unit: what is wrong, the range, what is meant and where to write it. */
STX_TEST(other_units_are_named)
{
  static const struct {
    StxCamera camera;
    const char *words;
  } cases[] = {
      {{.baseline = 540},
          "the baseline is 540 m; expected 0.0005 to 10 (540 cm are 5.4, 540 mm are 0.54): "
          "cure"},
      {{.baseline = 10.5}, "(10.5 cm are 0.105, 10.5 mm are 0.0105)"},
      {{.baseline = .0004}, "the baseline is 0.0004 m; expected 0.0005 to 10: cure"},
      {{.baseline = -.5}, "the baseline is -0.5 m"},
      {{.baseline = NAN}, "the baseline is nan m; expected 0.0005 to 10: cure"},
      {{.baseline = INFINITY}, "the baseline is inf m; expected 0.0005 to 10: cure"},
      {{.height = 165},
          "the camera height is 165 m; expected 0.02 to 100 (165 cm are 1.65, 165 mm"},
      {{.height = .001}, "the camera height is 0.001 m"},
      {{.pitch = 2}, "the camera pitch is 2 rad; expected -0.7854 to 0.7854 (2 degrees are 0.0349"},
      {{.focal = 1e7}, "the focal length is 1e+07 px"},
      {{.focal = 4, .image_width = 1280}, "4 px in an image 1280 px wide, a view of 179 degrees"},
      {{.baseline = 5, .height = .05}, "the baseline, 5 m, is 100 times the camera's height"},
  };
  const StxCamera good[] = {{0}, {.baseline = .0005}, {.baseline = 10, .height = 100},
      {.height = .02}, {.baseline = 1.25, .height = .02}, {.focal = 4}, {.pitch = -.78},
      {.focal = 64, .image_width = 1280}};
  StxError error;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_assert(!stx_camera_check(&cases[i].camera, "here", "cure", &error));
    ck_assert_msg(
        strstr(error.text, cases[i].words) != NULL && strncmp(error.text, "here: ", 6) == 0,
        "%zu: %s", i, error.text);
  }
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    ck_assert_msg(stx_camera_check(&good[i], "here", "cure", &error), "%zu: %s", i, error.text);
}

STX_TEST(files_in_millimetres_are_refused)
{
  expect_refusal("P0: 700 0 600 0 0 700 180 0 0 0 1 0\nP1: 700 0 600 -378e3 0 700 180 0 0 0 1 0\n",
      0, "the baseline is 540 m; expected 0.0005 to 10 (540 cm are 5.4, 540 mm are 0.54): correct");
  expect_refusal("{" INTRINSIC "," EXTRINSIC("50", "0", "1.2") "}", -1, "50 mm are 0.05): write");
  expect_refusal("{" INTRINSIC "," EXTRINSIC("0.2", "0", "1220") "}", -1, "1220 mm are 1.22)");
}

static void expect_path_refused(const char *path, int pair, const char *reason)
{
  StxCamera camera = untouched;
  StxError error;
  ck_assert(!stx_camera_load(path, pair, &camera, &error));
  stx_expect_words(&error, reason);
  ck_assert_int_eq(memcmp(&camera, &untouched, sizeof camera), 0);
}

STX_TEST(what_is_no_file_is_refused)
{
  expect_path_refused("/nonexistent/calib.txt", -1, "\"/nonexistent/calib.txt\": No such file");
  expect_path_refused("/", -1, "\"/\" is a directory");
  expect_path_refused("/dev/null", -1, "is a device or pipe");
  expect_path_refused("", -1, "name of the calibration file is empty");
  expect_path_refused(NULL, -1, "name of the calibration file is empty");
  expect_path_refused("calib.txt", 1, "camera pair is 1; it must be -1 (any), 0 (gray)");
  char name[] = "/tmp/stx-fifo-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(name));
  char fifo[64];
  snprintf(fifo, sizeof fifo, "%s/fifo", name);
  ck_assert_int_eq(mkfifo(fifo, 0600), 0);
  expect_path_refused(fifo, -1, "is a device or pipe");
  unlink(fifo);
  rmdir(name);
  char longer[600];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  expect_path_refused(longer, -1, "File name too long");
}

/* A German user's program must read the same numbers. */
STX_TEST(the_locale_does_not_matter)
{
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  bool found = false;
  for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; i++)
    found = setlocale(LC_ALL, names[i]) != NULL;
  if (!found)
    printf("skipped: no locale with a decimal comma\n");
  expect_camera(expect_loads(P2 P3, -1), 700, 610, 190, .54, 1.65, 0);
  expect_camera(expect_loads(JSON, -1), 2260, 1096.5, 513.25, .21, 1.22, .04);
  setlocale(LC_ALL, "C");
}

STX_TEST(errors_may_be_ignored)
{
  StxCamera camera = untouched;
  ck_assert(!stx_camera_load("/nonexistent", -1, &camera, NULL));
}

/* A pixel on either side is what rounding makes; of tiny images not more than a tenth. */
STX_TEST(sizes_of_one_shape)
{
  ck_assert(stx_same_shape(1242, 375, 621, 188));
  ck_assert(stx_same_shape(621, 187, 1242, 375));
  ck_assert(stx_same_shape(2208, 1242, 1280, 720));
  ck_assert(stx_same_shape(640, 480, 320, 241));
  ck_assert(!stx_same_shape(640, 480, 320, 242));
  ck_assert(!stx_same_shape(640, 480, 640, 360));
  ck_assert(!stx_same_shape(480, 640, 640, 480));
  ck_assert(stx_same_shape(12, 11, 12, 12));
  ck_assert(!stx_same_shape(8, 7, 8, 8));
}
