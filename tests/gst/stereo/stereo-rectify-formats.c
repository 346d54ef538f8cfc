/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-rectify: every format goes through, and comes out as it came in where there is nothing to
 * rectify. */
#include "tests/gst/fixtures/rectify_rig.h"

static const char *const formats[] = {"GRAY8", "YUY2", "UYVY", "YVYU", "VYUY", "I420", "YV12",
    "NV12", "NV21", "Y42B", "NV16", "NV61", "Y444", "NV24", "RGB", "BGR", "RGBx", "BGRx", "xRGB",
    "xBGR", "RGBA", "BGRA", "ARGB", "ABGR"};

/* All samples, but not what lies between rows, or is said to mean nothing. */
static void expect_same_samples(GstBuffer *actual, GstBuffer *expected, const GstVideoInfo *info)
{
  GstVideoFrame a, e;

  fail_unless(gst_video_frame_map(&a, info, actual, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&e, info, expected, GST_MAP_READ));
  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(info); c++)
    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&a, c); y++)
      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH(&a, c); x++) {
        gint at = y * GST_VIDEO_FRAME_COMP_STRIDE(&a, c) + x * GST_VIDEO_FRAME_COMP_PSTRIDE(&a, c);
        guint8 is = ((guint8 *)GST_VIDEO_FRAME_COMP_DATA(&a, c))[at];
        guint8 was = ((guint8 *)GST_VIDEO_FRAME_COMP_DATA(&e, c))[at];

        fail_unless(is == was, "%s: component %u at (%d, %d) is %u, expected %u",
            GST_VIDEO_INFO_NAME(info), c, x, y, is, was);
      }
  gst_video_frame_unmap(&e);
  gst_video_frame_unmap(&a);
}

static void goes_through(const char *format, const char *calibration, int width, int height)
{
  g_auto(StereoPair) rig = rectify_rig_of_two_pads(calibration);
  g_autoptr(GstBuffer) picture = rectify_picture(format, width, height, 3);
  g_autoptr(GstBuffer) out = NULL;
  GstVideoInfo info;

  gst_video_info_set_format(
      &info, gst_video_format_from_string(format), (guint)width, (guint)height);
  rectify_set_caps(rig.right, format, width, height);
  fail_unless_equals_int(gst_harness_push(rig.right, gst_buffer_ref(picture)), GST_FLOW_OK);
  out = gst_harness_pull(rig.right);
  expect_same_samples(out, picture, &info);
  fail_unless_equals_uint64(GST_BUFFER_PTS(out), 3 * FRAME);
  fail_unless_equals_uint64(GST_BUFFER_DURATION(out), FRAME);
}

STX_TEST_LOOP(every_format_goes_through, G_N_ELEMENTS(formats))
{
  goes_through(formats[_i], PLAIN, WIDTH, HEIGHT);
}

STX_TEST_LOOP(odd_sizes_go_through, G_N_ELEMENTS(formats))
{
  goes_through(formats[_i], "image_size: [65, 49]\n" CAMERA("1") CAMERA("2") RECTIFIED, 65, 49);
}

/* The byte behind the last pixel of an odd row is made 0, whatever was there. */
STX_TEST(packed_rows_end_with_nothing)
{
  g_auto(StereoPair) rig =
      rectify_rig_of_two_pads("image_size: [65, 49]\n" CAMERA("1") CAMERA("2") RECTIFIED);
  GstMapInfo map;
  g_autoptr(GstBuffer) out = NULL;

  rectify_set_caps(rig.left, "YUY2", 65, 49);
  gst_harness_push(rig.left, rectify_picture("YUY2", 65, 49, 1));
  out = gst_harness_pull(rig.left);
  gst_buffer_map(out, &map, GST_MAP_READ);
  fail_unless_equals_uint64(map.size, 49 * 132);
  for (gsize y = 0; y < 49; y++)
    fail_unless_equals_int(map.data[y * 132 + 130], 0);
  gst_buffer_unmap(out, &map);
}

/* Half a side-by-side frame begins in the middle of a pair. */
STX_TEST_RANGE(halves_of_odd_width_have_no_whole_pairs, 1, 6)
{
  g_auto(StereoPair) rig = rectify_rig_of_one_pad(
      "image_size: [65, 49]\n" CAMERA("1") CAMERA("2") RECTIFIED, "side-by-side");

  rectify_set_caps(rig.left, formats[_i], 130, 49);
  stx_test_expect_error(rig.bus, "65x49", formats[_i], "videoconvert", NULL);
}
