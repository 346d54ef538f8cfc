/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* downsample-transpose as part of a stream: caps and changes. */
#include "tests/gst/fixtures/util.h"

#define FRAME (100 * GST_MSECOND)
#define DISPARITY "video/x-raw,format=GRAY16_LE,framerate=10/1"
#define GRAY8 "video/x-raw,format=GRAY8,framerate=10/1"

/* `harness` with a second one on the pad `confidence`, both 16 × 16. */
static GstHarness *with_confidence(GstHarness **confidence)
{
  GstHarness *harness = gst_harness_new_with_padnames("downsample-transpose", "sink", "src");

  *confidence = gst_harness_new_with_element(harness->element, "confidence", NULL);
  gst_harness_set_src_caps_str(harness, DISPARITY ",width=16,height=16");
  gst_harness_set_src_caps_str(*confidence, GRAY8 ",width=16,height=16");
  return harness;
}

static void push_disparity(GstHarness *harness, GstClockTime pts)
{
  gst_harness_push(harness, stx_test_buffer(16 * 16 * 2, 7, pts, FRAME));
}

static void push_confidence(GstHarness *harness, GstClockTime pts)
{
  gst_harness_push(harness, stx_test_buffer(16 * 16, 255, pts, FRAME));
}

static void expect_pts(GstHarness *harness, GstClockTime pts)
{
  g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);

  ck_assert_msg(buffer != NULL, "nothing came out");
  ck_assert_uint_eq(GST_BUFFER_PTS(buffer), pts);
}

STX_TEST(caps_say_grid_and_camera)
{
  g_autoptr(Harness) harness = gst_harness_new_parse(
      "downsample-transpose stixel-width=5 stixel-height=3 focal=720 camera-height=1.5");

  gst_harness_set_src_caps_str(
      harness, DISPARITY ",width=16,height=16,camera-focal=500.0,camera-baseline=0.5");
  push_disparity(harness, FRAME);
  expect_pts(harness, FRAME);
  stx_test_expect_caps(harness,
      "application/x-stixel-columns,width=16,height=16,stixel-width=5,stixel-height=3,columns=4,"
      "rows=6,classes=0,framerate=10/1,camera-focal=720.0,camera-baseline=0.5,camera-height=1.5,"
      "camera-image-width=16,camera-image-height=16");
}

/* Some files do not say how many frames they have per second. */
STX_TEST(no_rate_is_rate_0)
{
  g_autoptr(Harness) harness = gst_harness_new("downsample-transpose");

  gst_harness_set_src_caps_str(harness, "video/x-raw,format=GRAY16_LE,width=16,height=16");
  push_disparity(harness, 0);
  expect_pts(harness, 0);
  stx_test_expect_caps(harness,
      "application/x-stixel-columns,width=16,height=16,stixel-width=8,stixel-height=8,columns=2,"
      "rows=2,classes=0,framerate=0/1");
}

STX_TEST(size_may_change_in_mid_stream)
{
  g_autoptr(Harness) harness = gst_harness_new("downsample-transpose");

  gst_harness_set_src_caps_str(harness, DISPARITY ",width=16,height=16");
  push_disparity(harness, 0);
  expect_pts(harness, 0);
  gst_harness_set_src_caps_str(harness, DISPARITY ",width=40,height=8");
  gst_harness_push(harness, stx_test_buffer(40 * 8 * 2, 1, FRAME, FRAME));
  expect_pts(harness, FRAME);
  stx_test_expect_caps(harness,
      "application/x-stixel-columns,width=40,height=8,stixel-width=8,stixel-height=8,columns=5,"
      "rows=1,classes=0,framerate=10/1");
}

/* Buffers of the old and the new size must not be mixed, even if one pad is ahead. */
STX_TEST(size_may_change_on_two_pads)
{
  g_autoptr(Harness) confidence = NULL;
  g_autoptr(Harness) harness = with_confidence(&confidence);
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  push_disparity(harness, 0);
  push_confidence(confidence, 0);
  expect_pts(harness, 0);
  gst_harness_set_src_caps_str(confidence, GRAY8 ",width=40,height=8");
  gst_harness_push(confidence, stx_test_buffer(40 * 8, 255, FRAME, FRAME));
  gst_harness_set_src_caps_str(harness, DISPARITY ",width=40,height=8");
  gst_harness_push(harness, stx_test_buffer(40 * 8 * 2, 1, FRAME, FRAME));
  expect_pts(harness, FRAME);
  stx_test_expect_silence(bus);
}
