/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calibration files (common/camera.h): whatever the bytes are, a camera of finite numbers that make
 * sense, or an error and a camera that nobody touched.
 */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/camera.h"

/* The path of a file with these bytes, in memory; good until the next call. */
static const char *file_of(const uint8_t *bytes, size_t size)
{
  static char path[32];
  static int file = -1;
  if (file < 0) {
    file = memfd_create("calibration", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  stx_fuzz_expect(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size,
      "no file in memory");
  return path;
}

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

static void load(const char *path, int pair)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *path = file_of(data, size);
  load(path, -1);
  load(path, 0);
  load(path, 2);
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
  static const char *const files[] = {
      "",
      "P0: " NUMBERS("0") "P1: " NUMBERS("-387.6") "P2: " NUMBERS("44.9") "P3: " NUMBERS("-339.5"),
      "P0: " NUMBERS("0") "P1: " NUMBERS("-387.6") "R0_rect: 1 0 0 0 1 0 0 0 1\n",
      "calib_time: 09-Jan-2012 13:57:47\r\nP_rect_02: " NUMBERS("44.9") "\rP_rect_03: " NUMBERS(
          "-339.5e0"),
      CITYSCAPES,
      "\xEF\xBB\xBF \t" CITYSCAPES,
  };
  if (number >= sizeof files / sizeof files[0])
    return false;
  stx_bytes_put(seed, files[number], strlen(files[number]));
  return true;
}

static const char *const words[] = {"0", "-1", "1e308", "-1e-308", "nan", "inf", "0x1p-1074",
    "P0:", "P1:", "P2:", "P3:", "P_rect_00:", "P_rect_03:", ":", "\n", "\r", "{", "}", "[", "\"",
    "\\u0000", "\"intrinsic\":", "\"extrinsic\":", "\"fx\":", "\"pitch\":", "\"z\":", "null",
    "true", "1e999", "[[[[[[[[[[[[[[[[", "\xEF\xBB\xBF", "\xC3\xA4", "\xF0\x9F\x98\x80", "\xFF",
    NULL};
const StxFuzzTarget stx_fuzz_target = {words, 10000};
