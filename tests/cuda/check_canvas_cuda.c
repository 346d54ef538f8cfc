/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laying canvases on the GPU against the reference, byte for byte, on frames of every format. */
#include "tests/common/oracle.h"
#include "tests/common/overlay/overlay_frames.h"
#include "tests/common/canvas/canvas_case.h"
#include "tests/cuda/cuda_case.h"

#include <stdio.h>

static const StxCanvasImpl *gpu(void)
{
  return (const void *)stx_impl_at(&stx_canvas_cuda_impls, 0);
}

/* Two copies of a random frame, one of them on the device. */
static void expect_agreement(const StxCanvas *canvas, int padding, uint64_t seed)
{
  const StxCanvasParams *params = stx_canvas_params(canvas);
  const StxCanvasImpl *reference = oracle(&stx_canvas_impls);
  StxOverlayParams like = overlay_plain(params->format->name, params->width, params->height, 8);
  StxImage8 expected[3], actual[3], device[3];
  StxFrame frame, on_device = {0};
  StxRandom random = {seed};
  StxPlace host = {.threads = 1};
  StxError error = {""};
  char what[120];
  snprintf(what, sizeof what, "%s %dx%d, padding %d, seed %llu", params->format->name,
      params->width, params->height, padding, (unsigned long long)seed);
  overlay_frame_new(&like, padding, expected, &frame);
  overlay_frame_new(&like, padding, actual, &(StxFrame){0});
  STX_ON_DEVICE void *tiles =
      stx_device_copy_of(stx_canvas_tiles(canvas), stx_canvas_tiles_size(canvas));
  for (int p = 0; p < overlay_frame_planes(&like); p++) {
    stx_fill8(&expected[p], STX_FILL_NOISE, &random);
    device[p] = stx_device_image8(expected[p].width, expected[p].height, padding);
    stx_device_upload8(&device[p], &expected[p]);
    on_device.data[p] = device[p].data;
    on_device.stride[p] = device[p].stride;
  }
  reference->lay(canvas, stx_canvas_tiles(canvas), &frame, &host, NULL);
  stx_case_ok(gpu()->lay(canvas, tiles, &on_device, stx_case_place(), &error), &error, what);
  stx_case_wait(what);
  for (int p = 0; p < overlay_frame_planes(&like); p++) {
    stx_device_download8(&actual[p], &device[p]);
    stx_expect_same_image8(&expected[p], &actual[p], what);
    stx_device_free8(&device[p]);
  }
  overlay_frame_free(&like, expected);
  overlay_frame_free(&like, actual);
}

STX_TEST(equals_the_reference_on_every_format)
{
  static const int sizes[][2] = {{1, 1}, {17, 1}, {1, 33}, {48, 32}, {67, 45}, {159, 97}};
  StxRandom random = {21};
  for (int f = 0; f < OVERLAY_FORMATS; f++)
    for (int s = 0; s < (stx_test_small() ? 4 : 6); s++) {
      StxCanvasParams params = canvas_params(overlay_format_names[f], sizes[s][0], sizes[s][1]);
      STX_AUTO(StxCanvas) *canvas = canvas_new(&params);
      for (int i = 0; i < 8; i++)
        canvas_draw_any(canvas, &random);
      expect_agreement(canvas, (f + s) % 3, (uint64_t)(10 * f + s));
    }
}

STX_TEST(an_empty_canvas_changes_nothing)
{
  StxCanvasParams params = canvas_params("NV12", 50, 30);
  STX_AUTO(StxCanvas) *canvas = canvas_new(&params);
  expect_agreement(canvas, 0, 1);
  stx_canvas_box(canvas, (StxBox){1, 1, 48, 20}, 3, canvas_white);
  stx_canvas_clear(canvas);
  expect_agreement(canvas, 0, 2);
}
