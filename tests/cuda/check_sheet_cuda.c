/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laying sheets on the GPU against the reference, byte for byte, on frames of every format. */
#include "tests/common/overlay/overlay_frames.h"
#include "tests/common/sheet/sheet_case.h"
#include "tests/cuda/cuda_case.h"

#include <stdio.h>

static const StxSheetImpl *gpu(void)
{
  return (const void *)stx_impl_at(&stx_sheet_cuda_impls, 0);
}

/* Two copies of a random frame, one of them on the device. */
static void expect_agreement(const StxSheet *sheet, int padding, uint64_t seed)
{
  const StxSheetParams *params = stx_sheet_params(sheet);
  const StxSheetImpl *reference = stx_impl_named(&stx_sheet_impls, "c");
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
  void *tiles = stx_device_copy_of(stx_sheet_tiles(sheet), stx_sheet_tiles_size(sheet));
  for (int p = 0; p < overlay_frame_planes(&like); p++) {
    stx_fill8(&expected[p], STX_FILL_NOISE, &random);
    device[p] = stx_device_image8(expected[p].width, expected[p].height, padding);
    stx_device_upload8(&device[p], &expected[p]);
    on_device.data[p] = device[p].data;
    on_device.stride[p] = device[p].stride;
  }
  reference->lay(sheet, stx_sheet_tiles(sheet), &frame, &host, NULL);
  stx_case_ok(gpu()->lay(sheet, tiles, &on_device, stx_case_place(), &error), &error, what);
  stx_case_wait(what);
  for (int p = 0; p < overlay_frame_planes(&like); p++) {
    stx_device_download8(&actual[p], &device[p]);
    stx_expect_same_image8(&expected[p], &actual[p], what);
    stx_device_free8(&device[p]);
  }
  stx_device_free(tiles);
  overlay_frame_free(&like, expected);
  overlay_frame_free(&like, actual);
}

START_TEST(equals_the_reference_on_every_format)
{
  static const int sizes[][2] = {{1, 1}, {17, 1}, {1, 33}, {48, 32}, {67, 45}, {159, 97}};
  StxRandom random = {21};
  for (int f = 0; f < OVERLAY_FORMATS; f++)
    for (int s = 0; s < (stx_test_small() ? 4 : 6); s++) {
      StxSheetParams params = sheet_params(overlay_format_names[f], sizes[s][0], sizes[s][1]);
      StxSheet *sheet = sheet_new(&params);
      for (int i = 0; i < 8; i++)
        sheet_draw_any(sheet, &random);
      expect_agreement(sheet, (f + s) % 3, (uint64_t)(10 * f + s));
      sheet_free(sheet);
    }
}
END_TEST

START_TEST(an_empty_sheet_changes_nothing)
{
  StxSheetParams params = sheet_params("NV12", 50, 30);
  StxSheet *sheet = sheet_new(&params);
  expect_agreement(sheet, 0, 1);
  stx_sheet_box(sheet, (StxBox){1, 1, 48, 20}, 3, sheet_white);
  stx_sheet_clear(sheet);
  expect_agreement(sheet, 0, 2);
  sheet_free(sheet);
}
END_TEST

static const StxTest tests[] = {
    {&equals_the_reference_on_every_format}, {&an_empty_sheet_changes_nothing}};
STX_CUDA_TESTING_MAIN("sheet-cuda", tests)
