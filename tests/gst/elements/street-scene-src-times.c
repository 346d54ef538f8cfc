/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The synthetic street as a source: when its frames come. */
#include "tests/gst/fixtures/util.h"

static GstHarness *harness_new(const char *line, const char *caps)
{
  GstHarness *harness = gst_harness_new_parse(line);

  gst_harness_set_sink_caps_str(harness, caps);
  gst_harness_play(harness);
  return harness;
}

GST_START_TEST(time_stamps_do_not_drift)
{
  GstHarness *harness = harness_new(
      "street-scene-src num-buffers=40", "video/x-raw,width=8,height=4,framerate=30000/1001");

  for (guint64 i = 0; i < 40; i++) {
    GstBuffer *buffer = gst_harness_pull(harness);
    GstClockTime begin = gst_util_uint64_scale(i, 1001 * GST_SECOND, 30000);
    GstClockTime end = gst_util_uint64_scale(i + 1, 1001 * GST_SECOND, 30000);

    ck_assert_uint_eq(GST_BUFFER_PTS(buffer), begin);
    ck_assert_uint_eq(GST_BUFFER_DURATION(buffer), end - begin);
    ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), i);
    gst_buffer_unref(buffer);
  }
  fail_unless(gst_harness_try_pull(harness) == NULL);
  gst_harness_teardown(harness);
}
GST_END_TEST;

GST_START_TEST(live_frames_come_with_the_clock)
{
  GstHarness *harness =
      harness_new("street-scene-src is-live=true", "video/x-raw,width=8,height=4,framerate=25/1");
  GstQuery *query = gst_query_new_latency();
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
  gst_query_unref(query);
  gst_harness_teardown(harness);
}
GST_END_TEST;

static Suite *street_scene_src_times_suite(void)
{
  Suite *suite = suite_create("street-scene-src-times");
  TCase *tests = tcase_create("street-scene-src-times");

  suite_add_tcase(suite, tests);
  tcase_add_test(tests, time_stamps_do_not_drift);
  tcase_add_test(tests, live_frames_come_with_the_clock);
  return suite;
}

GST_CHECK_MAIN(street_scene_src_times)
