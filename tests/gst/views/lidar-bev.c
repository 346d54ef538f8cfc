/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lidar-bev: caps, properties in mid-stream, labels on scans, refusals. What is drawn: tests/frames
 * and tests/common/bev. Formats, sizes and states: stixel-bev.c.
 */
#include <gst/video/video.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define POINTS 3000
#define VIDEO " ! capsfilter caps=video/x-raw,"
#define SMALL "format=RGB,width=64,height=48"
#define STREET "street-scene-src view=lidar num-buffers=3 "

static Stage begin(const char *properties, const char *behind)
{
  g_autofree gchar *line = g_strdup_printf("lidar-bev %s%s", properties, behind);
  Stage fixture = stx_test_stage("lidar-bev", line, SCAN_CAPS);

  return fixture;
}

/* ---- Pictures ------------------------------------------------------------------------------ */

STX_TEST(points_and_labels_may_begin_at_an_odd_address)
{
  g_auto(Stage) fixture = begin("", VIDEO SMALL);
  gfloat points[4 * POINTS];
  g_autoptr(GstBuffer) scan = NULL, labels = NULL, expected = NULL, picture = NULL;
  GstBuffer *moved;

  scan_points(points, POINTS, 1);
  scan = scan_labelled(points, POINTS, SCAN_TIME, NULL);
  moved = stx_test_at_odd_address(scan);
  labels = stx_test_at_odd_address(gst_buffer_get_stx_point_labels_meta(scan)->labels);
  gst_buffer_add_stx_point_labels_meta(moved, labels);
  expected = gst_harness_push_and_pull(fixture.harness, gst_buffer_ref(scan));
  picture = gst_harness_push_and_pull(fixture.harness, moved);
  stx_test_expect_same(picture, expected, "odd addresses");
}

STX_TEST(pictures_carry_times_but_no_labels)
{
  g_auto(Stage) fixture = begin("", VIDEO SMALL);
  gfloat points[4 * POINTS];
  GstBuffer *scan, *picture;

  scan_points(points, POINTS, 1);
  scan = scan_labelled(points, POINTS, SCAN_TIME, NULL);
  GST_BUFFER_OFFSET(scan) = 5;
  picture = gst_harness_push_and_pull(fixture.harness, scan);
  ck_assert(gst_buffer_get_stx_point_labels_meta(picture) == NULL);
  ck_assert_uint_eq(GST_BUFFER_PTS(picture), SCAN_TIME);
  ck_assert_uint_eq(GST_BUFFER_DURATION(picture), SCAN_TIME);
  gst_buffer_unref(picture);
  /* 64·48·3 bytes of points: a scan as large as its picture */
  scan = scan_labelled(points, 64 * 48 * 3 / 16, SCAN_TIME, NULL);
  picture = gst_harness_push_and_pull(fixture.harness, scan);
  ck_assert(gst_buffer_get_stx_point_labels_meta(picture) == NULL);
  gst_buffer_unref(picture);
}

/* ---- Caps ---------------------------------------------------------------------------------- */

static const struct {
  const char *behind, *input;
  gint width, height, rate;
} caps_cases[] = {
    {"", SCAN_CAPS, 800, 800, 10},
    {"", "application/x-lidar", 800, 800, 0},
    {"", "application/x-lidar,framerate=-10/1", 800, 800, 0},
    {"", "application/x-lidar,framerate=(int)10", 800, 800, 0},
    {VIDEO "width=640", SCAN_CAPS, 640, 800, 10},
    {VIDEO "height=[16,480]", SCAN_CAPS, 800, 480, 10},
    {VIDEO "format=BGR,width=16,height=16", SCAN_CAPS, 16, 16, 10},
    {VIDEO "format=RGBA,width=8192,height=16", SCAN_CAPS, 8192, 16, 10},
    {VIDEO "framerate=30/1", "application/x-lidar", 800, 800, 30},
};

STX_TEST_LOOP(caps_are_fixed_at_800, G_N_ELEMENTS(caps_cases))
{
  g_auto(Stage) fixture = begin("", caps_cases[_i].behind);
  gfloat points[4 * POINTS];
  g_autoptr(GstCaps) caps = NULL;
  GstVideoInfo info;
  g_autoptr(GstBuffer) picture = NULL;

  gst_harness_set_src_caps_str(fixture.harness, caps_cases[_i].input);
  scan_points(points, POINTS, 1);
  picture = scan_run(&fixture, points, POINTS);
  caps = gst_pad_get_current_caps(fixture.harness->sinkpad);
  ck_assert(gst_video_info_from_caps(&info, caps));
  ck_assert_int_eq(info.width, caps_cases[_i].width);
  ck_assert_int_eq(info.height, caps_cases[_i].height);
  ck_assert_int_eq(info.fps_n, caps_cases[_i].rate);
  ck_assert_int_eq(info.par_n, info.par_d);
  ck_assert_uint_eq(gst_buffer_get_size(picture), info.size);
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static const Refusal refusals[] = {
    {"application/octet-stream", 16,
        {"application/x-lidar", "application/octet-stream", "put lidar-parse before lidar-bev"}},
    {NULL, 16, {"application/x-lidar", "without caps", "put lidar-parse before lidar-bev"}},
    {SCAN_CAPS, 24, {"24 bytes", "16", "whole number"}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  stx_test_refuses("lidar-bev", refusals[_i].caps, refusals[_i].bytes, refusals[_i].words);
}
