/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lidar-parse: streams that do not end, and the events of streams. */
#include "tests/gst/fixtures/util.h"

static GstBuffer *half_a_mib(void)
{
  return stx_test_buffer(1 << 19, 0, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE);
}

/* A file of KITTI with three points. */
static GstBuffer *a_scan(void)
{
  const gfloat points[] = {1.5f, 2, -1, .25f, 10, -3.5f, 0, .5f, -7, 8, 1, 0};
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, sizeof points, NULL);

  gst_buffer_fill(buffer, 0, points, sizeof points);
  return buffer;
}

/* A pipe of many files, or of no file at all, is refused before it has eaten the memory. */
STX_TEST(a_stream_without_an_end_is_refused)
{
  g_autoptr(Harness) harness = gst_harness_new_parse("lidar-parse framing=stream max-size=1");
  g_autoptr(GstElement) parse = gst_harness_find_element(harness, "lidar-parse");
  g_autoptr(Watch) bus = stx_test_watch(harness->element);
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_BYTES);
  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  ck_assert_int_eq(gst_harness_push(harness, half_a_mib()), GST_FLOW_OK);
  ck_assert_int_eq(gst_harness_push(harness, half_a_mib()), GST_FLOW_ERROR);
  stx_test_expect_error(bus, "1 MiB and no end of the file", "max-size", "framing=buffer", NULL);
  /* skip-bad: the rest of it goes, and the next file is read. */
  g_object_set(parse, "skip-bad", TRUE, NULL);
  for (guint i = 2; i < 5; i++) {
    gst_harness_push_event(harness, gst_event_new_segment(&segment));
    for (guint piece = 0; piece < i; piece++)
      ck_assert_int_eq(gst_harness_push(harness, half_a_mib()), GST_FLOW_OK);
  }
  gst_harness_push_event(harness, gst_event_new_segment(&segment));
  ck_assert_uint_eq(gst_harness_buffers_received(harness), 0);
  ck_assert_int_eq(gst_harness_push(harness, a_scan()), GST_FLOW_OK);
  gst_harness_push_event(harness, gst_event_new_eos());
  gst_buffer_unref(gst_harness_pull(harness));
}

static void expect_seqnum(GstHarness *harness, GstEventType type, guint32 seqnum)
{
  GstEvent *event = gst_harness_pull_event(harness);

  while (event != NULL && GST_EVENT_TYPE(event) != type) {
    gst_event_unref(event);
    event = gst_harness_pull_event(harness);
  }
  fail_unless(event != NULL);
  ck_assert_uint_eq(gst_event_get_seqnum(event), seqnum);
  gst_event_unref(event);
}

/* Events of a seek keep its number, though bytes become time here. */
STX_TEST(segment_and_end_keep_their_numbers)
{
  g_autoptr(Harness) harness = gst_harness_new("lidar-parse");
  GstEvent *event;
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_BYTES);
  event = gst_event_new_segment(&segment);
  gst_event_set_seqnum(event, 4711);
  gst_harness_push_event(harness, event);
  event = gst_event_new_eos();
  gst_event_set_seqnum(event, 4711);
  gst_harness_push_event(harness, event);
  expect_seqnum(harness, GST_EVENT_SEGMENT, 4711);
  expect_seqnum(harness, GST_EVENT_EOS, 4711);
}
