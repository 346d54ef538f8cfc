/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calibrations of stereo cameras (common/calibration/calibration.h): whatever the bytes are, one
 * that can be worked with, or an error and a calibration that nobody touched. What can be worked
 * with becomes views and maps (common/rectify/rectify.h) that stay within the pictures. Text up to
 * the first zero byte is the first file, the rest, if any, the second.
 */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/rectify/rectify.h"
#include "tests/common/calibration/calibration_case.h"

/* The path of file `number` with these bytes, in memory; good until the next call for it. */
static const char *file_of(int number, const uint8_t *bytes, size_t size)
{
  static char paths[2][32];
  static int files[2] = {-1, -1};
  if (files[number] < 0) {
    files[number] = memfd_create("calibration", MFD_CLOEXEC);
    snprintf(paths[number], sizeof paths[number], "/proc/self/fd/%d", files[number]);
  }
  stx_fuzz_expect(
      ftruncate(files[number], 0) == 0 && pwrite(files[number], bytes, size, 0) == (ssize_t)size,
      "no file in memory");
  return paths[number];
}

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

static void load(const StxCalibrationFiles *files, int width, int height)
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
  size_t first = strnlen((const char *)data, size);
  StxCalibrationFiles files = {file_of(0, data, first), NULL, -1, 0};
  if (first < size)
    files.second = file_of(1, data + first + 1, size - first - 1);
  load(&files, 0, 0);
  files.pair = 0;
  load(&files, 1280, 720);
  return 0;
}

/* ---- Seeds --------------------------------------------------------------------------------- */

bool stx_fuzz_seed(size_t number, StxBytes *seed)
{
  static const char *const files[][2] = {{"", NULL}, {CASE_INTRINSICS CASE_POSE, NULL},
      {CASE_INTRINSICS, CASE_EXTRINSICS}, {CASE_INTRINSICS CASE_RECTIFIED, NULL},
      {CASE_ROS_LEFT, CASE_ROS_RIGHT}, {CASE_KALIBR, NULL}, {CASE_KITTI, NULL}, {CASE_ZED, NULL},
      {CASE_OAK("-7.5", "2", "0"), NULL}, {CASE_OAK("-3.75", "0", "1"), NULL}};
  if (number >= sizeof files / sizeof files[0])
    return false;
  stx_bytes_put(seed, files[number][0], strlen(files[number][0]) + (files[number][1] != NULL));
  if (files[number][1] != NULL)
    stx_bytes_put(seed, files[number][1], strlen(files[number][1]));
  return true;
}

static const char *const words[] = {"0", "-1", "1e308", "-1e-308", ".nan", ".inf", "%YAML:1.0",
    "!!opencv-matrix", "data: [", "&a", "*a", "<<:", "- ", "\n", "\r", "{", "}", "[", "]", ":",
    "\"", "\\u0000", "|", ">", "---", "...", "?", "M1:", "R:", "T:", "cam0:", "K_00:", "[STEREO]",
    "[LEFT_CAM_HD]", "Baseline=", "\"cameraData\":", "toCameraSocket", "[[[[[[[[[[[[[[[[",
    "\xEF\xBB\xBF", "\xC3\xA4", "\xF0\x9F\x98\x80", "\xFF", NULL};
const StxFuzzTarget stx_fuzz_target = {words, 4000};
