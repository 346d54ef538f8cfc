/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calibration files, of a camera (common/camera.h) and of stereo cameras
 * (common/calibration/calibration.h): whatever the bytes are, a camera of finite numbers that make
 * sense, and a calibration that can be worked with, or an error and untouched outputs. What can be
 * worked with becomes views and maps (common/rectify/rectify.h) that stay within the pictures. Text
 * up to the first zero byte is the first file of a pair, the rest, if any, the second.
 */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/rectify/rectify.h"
#include "tests/common/calibration/calibration_case.h"

/* ---- A camera ------------------------------------------------------------------------------ */

static void check_camera(const StxCamera *camera)
{
  stx_fuzz_expect(stx_camera_has_ground(camera), "a camera without a road");
  stx_fuzz_expect(isfinite(camera->focal) && isfinite(camera->baseline) &&
                      isfinite(camera->height) && isfinite(camera->cx) && isfinite(camera->cy),
      "a camera that is not finite");
  stx_fuzz_expect(fabs(camera->pitch) < 0.7854, "a pitch of %g", camera->pitch);
}

static bool is_side(int pixels)
{
  return pixels >= 1 && pixels <= 32768;
}

static void check_size(StxCamera camera)
{
  StxCamera before = camera;
  StxError note = {""};
  bool is_usual = camera.focal < 1e9 && fabs(camera.cx) < 1e9 && fabs(camera.cy) < 1e9;
  bool is_known = camera.image_width != 0 || camera.image_height != 0;
  stx_fuzz_expect(!is_known || (is_side(camera.image_width) && is_side(camera.image_height)),
      "a size of %dx%d", camera.image_width, camera.image_height);
  if (stx_camera_fit(&camera, 640, 192, &note))
    stx_fuzz_expect(!is_usual || (isfinite(camera.focal) && isfinite(camera.cx) &&
                                     isfinite(camera.cy) && camera.image_width == 640),
        "a scaled camera that makes no sense");
  else
    stx_fuzz_expect(stx_camera_is_same(&camera, &before), "touched by a refusal");
  if (note.text[0] != '\0')
    stx_fuzz_expect_text(note.text);
}

static void load_camera(const char *path, int pair)
{
  StxCamera untouched, camera;
  StxError error = {""};
  memset(&untouched, 0xA5, sizeof untouched);
  camera = untouched;
  if (stx_camera_load(path, pair, &camera, &error)) {
    check_camera(&camera);
    check_size(camera);
  } else {
    stx_fuzz_expect_text(error.text);
    stx_fuzz_expect(memcmp(&camera, &untouched, sizeof camera) == 0, "touched on an error");
  }
}

/* ---- A pair -------------------------------------------------------------------------------- */

static void expect_finite(const double *numbers, int count)
{
  for (int i = 0; i < count; i++)
    stx_fuzz_expect(isfinite(numbers[i]), "a number that is not finite");
}

static void check_calibration(const StxCalibration *c)
{
  for (int i = 0; i < 2; i++) {
    const StxCalibratedCamera *camera = &c->camera[i];
    stx_fuzz_expect(camera->lens.fx > 0 && camera->lens.fy > 0, "no focal length");
    expect_finite(&camera->lens.fx, 4);
    expect_finite(camera->lens.d, STX_LENS_COEFFICIENTS);
    expect_finite(camera->r, 9);
    expect_finite(camera->p, 12);
    stx_fuzz_expect(camera->width >= 0 && camera->height >= 0, "a negative size");
  }
  expect_finite(c->r, 9);
  expect_finite(c->t, 3);
  stx_fuzz_expect(
      c->rectified ? c->camera[1].p[3] < c->camera[0].p[3] : c->t[0] != 0, "cameras in one place");
}

#define WIDTH 32 /* of the rectified pictures, for speed */

static void check_map(const StxRectifyView *view)
{
  void *memory = aligned_alloc(STX_ALIGN, stx_rectify_map_bytes(view, 0, 0));
  stx_rectify_map_fill(view, 0, 0, memory, 1);
  StxRectifyMap map = stx_rectify_map_in(view, 0, 0, memory);
  for (int i = 0; i < map.width * map.height; i++)
    stx_fuzz_expect(map.place[i] == STX_RECTIFY_OUTSIDE ||
                        ((int)(map.place[i] & 0xFFFF) <= map.source_width - 2 &&
                            (int)(map.place[i] >> 16) <= map.source_height - 2 &&
                            (map.fraction[i] & 0xFF) <= 64 && map.fraction[i] >> 8 <= 64),
        "sample %d comes from (%d, %d)", i, (int)(map.place[i] & 0xFFFF),
        (int)(map.place[i] >> 16));
  free(memory);
}

static void check_views(const StxCalibration *c, double alpha)
{
  const StxRectifyParams params = {.width = WIDTH, .alpha = alpha};
  for (int i = 0; i < 2; i++) {
    int width = c->camera[i].width > 0 ? c->camera[i].width : 640;
    int height = c->camera[i].height > 0 ? c->camera[i].height : 480;
    StxRectifyView view;
    StxCamera camera;
    StxError error = {""};
    if (!stx_rectify_view(c, &params, i, width, height, &view, &camera, &error)) {
      stx_fuzz_expect_text(error.text);
      continue;
    }
    expect_finite(&camera.focal, 1);
    stx_fuzz_expect(stx_camera_is_metric(&camera), "a camera without metres");
    if (view.height <= 4 * WIDTH)
      check_map(&view);
  }
}

static void load_pair(const StxCalibrationFiles *files, int width, int height)
{
  StxCalibration untouched, calibration;
  StxError error = {""};
  memset(&untouched, 0xA5, sizeof untouched);
  calibration = untouched;
  if (stx_calibration_load(files, width, height, &calibration, &error)) {
    check_calibration(&calibration);
    check_views(&calibration, 0);
    check_views(&calibration, -1);
  } else {
    stx_fuzz_expect_text(error.text);
    stx_fuzz_expect(
        memcmp(&calibration, &untouched, sizeof calibration) == 0, "touched on an error");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *camera = stx_fuzz_file(0, data, size);
  load_camera(camera, -1);
  load_camera(camera, 0);
  load_camera(camera, 2);
  size_t first = strnlen((const char *)data, size);
  StxCalibrationFiles files = {stx_fuzz_file(0, data, first), NULL, -1, 0};
  if (first < size)
    files.second = stx_fuzz_file(1, data + first + 1, size - first - 1);
  load_pair(&files, 0, 0);
  files.pair = 0;
  load_pair(&files, 1280, 720);
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

#define NUMBERS(x) "721.5 0 609.5 " x " 0 721.5 172.8 0.2 0 0 1 0.003\n"
#define CITYSCAPES                                                                                 \
  "{\"extrinsic\": {\"baseline\": 0.209313, \"pitch\": 0.038, \"roll\": 0.0, \"x\": 1.7, "         \
  "\"y\": 0.1, \"yaw\": -0.0195, \"z\": 1.22},\n"                                                  \
  "\"intrinsic\": {\"fx\": 2262.52, \"fy\": 2265.3, \"u0\": 1096.98, \"v0\": 513.137}}\n"

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const char *const files[][2] = {{"", NULL}, {CASE_INTRINSICS CASE_POSE, NULL},
      {CASE_INTRINSICS, CASE_EXTRINSICS}, {CASE_INTRINSICS CASE_RECTIFIED, NULL},
      {CASE_ROS_LEFT, CASE_ROS_RIGHT}, {CASE_KALIBR, NULL}, {CASE_KITTI, NULL}, {CASE_ZED, NULL},
      {CASE_OAK("-7.5", "2", "0"), NULL}, {CASE_OAK("-3.75", "0", "1"), NULL},
      {"P0: " NUMBERS("0") "P1: " NUMBERS("-387.6") "P2: " NUMBERS("44.9") "P3: " NUMBERS(
          "-339.5")},
      {"P0: " NUMBERS("0") "P1: " NUMBERS("-387.6") "R0_rect: 1 0 0 0 1 0 0 0 1\n"},
      {"calib_time: 09-Jan-2012 13:57:47\r\nP_rect_02: " NUMBERS("44.9") "\rP_rect_03: " NUMBERS(
          "-339.5e0")},
      {CITYSCAPES}, {"\xEF\xBB\xBF \t" CITYSCAPES}};
  if (number >= sizeof files / sizeof files[0])
    return false;
  stx_bytes_put(seed, files[number][0], strlen(files[number][0]) + (files[number][1] != NULL));
  if (files[number][1] != NULL)
    stx_bytes_put(seed, files[number][1], strlen(files[number][1]));
  return true;
}

static const char *const words[] = {"0", "-1", "1e308", "-1e-308", "nan", "inf", "0x1p-1074",
    "P0:", "P1:", "P2:", "P3:", "P_rect_00:", "P_rect_03:", ":", "\n", "\r", "{", "}", "[", "\"",
    "\\u0000", "\"intrinsic\":", "\"extrinsic\":", "\"fx\":", "\"pitch\":", "\"z\":", "null",
    "true", "1e999", "[[[[[[[[[[[[[[[[", "\xEF\xBB\xBF", "\xC3\xA4", "\xF0\x9F\x98\x80", "\xFF",
    ".nan", ".inf", "%YAML:1.0", "!!opencv-matrix", "data: [", "&a", "*a", "<<:", "- ", "]", "|",
    ">", "---", "...", "?", "M1:", "R:", "T:", "cam0:", "K_00:", "[STEREO]", "[LEFT_CAM_HD]",
    "Baseline=", "\"cameraData\":", "toCameraSocket", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 600};
