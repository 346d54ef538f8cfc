/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The synthetic street as a source: when its frames come. */
#include "tests/gst/fixtures/util.h"

STX_TEST(time_stamps_do_not_drift)
{
  g_autoptr(Harness) harness = stx_test_source(
      "street-scene-src num-buffers=40", "video/x-raw,width=8,height=4,framerate=30000/1001");

  for (guint64 i = 0; i < 40; i++) {
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);
    GstClockTime begin = gst_util_uint64_scale(i, 1001 * GST_SECOND, 30000);
    GstClockTime end = gst_util_uint64_scale(i + 1, 1001 * GST_SECOND, 30000);

    ck_assert_uint_eq(GST_BUFFER_PTS(buffer), begin);
    ck_assert_uint_eq(GST_BUFFER_DURATION(buffer), end - begin);
    ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), i);
  }
  fail_unless(gst_harness_try_pull(harness) == NULL);
}

STX_TEST(live_frames_come_with_the_clock)
{
  g_autoptr(Harness) harness = stx_test_source(
      "street-scene-src is-live=true", "video/x-raw,width=8,height=4,framerate=25/1");
  g_autoptr(GstQuery) query = gst_query_new_latency();
  GstClockTime min, max;
  gboolean live;

  for (guint i = 0; i < 4; i++) {
    fail_unless(gst_harness_crank_single_clock_wait(harness));
    gst_buffer_unref(gst_harness_pull(harness));
  }
  fail_unless(gst_pad_peer_query(harness->sinkpad, query));
  gst_query_parse_latency(query, &live, &min, &max);
  fail_unless(live);
  ck_assert_uint_eq(min, 40 * GST_MSECOND);
  ck_assert_uint_ge(max, min);
}

static guint64 skipped_of(GstHarness *harness)
{
  g_autoptr(GstElement) source = gst_harness_find_element(harness, "street-scene-src");
  guint64 count;

  g_object_get(source, "skipped-frames", &count, NULL);
  return count;
}

/* The next frame that the clock brings. */
static void expect_live_frame(GstHarness *harness, guint64 number, gboolean discont)
{
  g_autoptr(GstBuffer) buffer = NULL;

  fail_unless(gst_harness_crank_single_clock_wait(harness));
  buffer = gst_harness_pull(harness);
  ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), number);
  ck_assert_uint_eq(GST_BUFFER_PTS(buffer), number * 40 * GST_MSECOND);
  fail_unless(!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT) == !discont);
}

/* No element took frames 4 … 24 in time. */
STX_TEST(a_live_camera_that_is_late_leaves_frames_out)
{
  g_autoptr(Harness) harness = stx_test_source(
      "street-scene-src is-live=true", "video/x-raw,width=8,height=4,framerate=25/1");

  for (guint i = 0; i < 3; i++)
    expect_live_frame(harness, i, i == 0);
  fail_unless(gst_harness_wait_for_clock_id_waits(harness, 1, 60));
  gst_harness_set_time(harness, GST_SECOND);
  expect_live_frame(harness, 3, FALSE);
  expect_live_frame(harness, 25, TRUE);
  expect_live_frame(harness, 26, FALSE);
  ck_assert_uint_eq(skipped_of(harness), 21);
  /* Late by less than two frames: none is lost. */
  fail_unless(gst_harness_wait_for_clock_id_waits(harness, 1, 60));
  gst_harness_set_time(harness, 29 * 40 * GST_MSECOND + 39 * GST_MSECOND);
  expect_live_frame(harness, 27, FALSE);
  expect_live_frame(harness, 28, FALSE);
  ck_assert_uint_eq(skipped_of(harness), 21);
}

static GstPadProbeReturn check_step(GstPad *pad, GstPadProbeInfo *info, gpointer frames)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);

  ck_assert_uint_eq(GST_BUFFER_PTS(buffer), GST_BUFFER_OFFSET(buffer) * 40 * GST_MSECOND);
  ++*(guint *)frames;
  return GST_PAD_PROBE_OK;
}

/* Two cameras that begin at different times: frame n of each is that of the same moment. */
STX_TEST(live_cameras_are_in_step)
{
  static const char caps[] = " ! video/x-raw,width=8,height=4,framerate=25/1 ! ";
  g_autofree gchar *line =
      g_strconcat("street-scene-src is-live=true num-buffers=8", caps, "fakesink name=a ",
          "street-scene-src name=late is-live=true num-buffers=8", caps, "fakesink name=b", NULL);
  g_autoptr(GstElement) pipeline = gst_parse_launch(line, NULL);
  g_autoptr(GstElement) late = gst_bin_get_by_name(GST_BIN(pipeline), "late");
  guint frames[2] = {0};

  stx_test_probe(pipeline, "a", "sink", GST_PAD_PROBE_TYPE_BUFFER, check_step, &frames[0]);
  stx_test_probe(pipeline, "b", "sink", GST_PAD_PROBE_TYPE_BUFFER, check_step, &frames[1]);
  gst_element_set_locked_state(late, TRUE);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_usleep(55000);
  gst_element_set_locked_state(late, FALSE);
  gst_element_sync_state_with_parent(late);
  stx_test_play(pipeline);
  ck_assert_uint_eq(frames[0], 8);
  ck_assert_uint_eq(frames[1], 8);
}

/* A frame that takes minutes does not come before its end, which is not waited for. */
STX_TEST(a_live_camera_of_a_frame_in_years_is_refused)
{
  stx_test_breaks("street-scene-src is-live=true ! "
                  "video/x-raw,width=8,height=4,framerate=1/2147483647 ! fakesink",
      "framerate=1/2147483647", "is-live", "596523 hours", "1/3600", NULL);
}

STX_TEST(a_live_camera_stops_at_once)
{
  g_autoptr(GstElement) pipeline = gst_parse_launch(
      "street-scene-src is-live=true ! video/x-raw,width=8,height=4,framerate=1/600 ! "
      "fakesink name=sink",
      NULL);
  guint frames = 0;

  stx_test_probe(pipeline, "sink", "sink", GST_PAD_PROBE_TYPE_BUFFER, stx_test_count_one, &frames);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  g_usleep(100000);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  ck_assert_uint_eq(frames, 0);
}
