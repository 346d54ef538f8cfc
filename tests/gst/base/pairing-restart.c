/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams that end and begin again, on the pads of an element that pairs them. */
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 32
#define HEIGHT 8

static GstFlowReturn push(GstHarness *harness, gboolean right, int number)
{
  return gst_harness_push(harness, stereo_view("GRAY8", WIDTH, HEIGHT, right, number, 3, number));
}

static void expect_frame(StereoPair *pair, guint number)
{
  GstBuffer *disparity = gst_harness_pull(pair->left);

  fail_unless(disparity != NULL, "no frame %u", number);
  ck_assert_uint_eq(GST_BUFFER_PTS(disparity), number * FRAME);
  gst_buffer_unref(disparity);
}

/* The next event of that type that comes out. */
static void expect_event(StereoPair *pair, GstEventType type)
{
  GstEventType found = GST_EVENT_UNKNOWN;

  while (found != type) {
    GstEvent *event = gst_harness_pull_event(pair->left);

    fail_unless(event != NULL, "no event %s", gst_event_type_get_name(type));
    found = GST_EVENT_TYPE(event);
    gst_event_unref(event);
  }
}

static void end(GstHarness *harness)
{
  fail_unless(gst_harness_push_event(harness, gst_event_new_eos()));
}

static void begin_again(GstHarness *harness)
{
  char *text = stereo_caps("GRAY8", WIDTH, HEIGHT);
  GstCaps *caps = gst_caps_from_string(text);
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  fail_unless(gst_harness_push_event(harness, gst_event_new_stream_start("again")));
  fail_unless(gst_harness_push_event(harness, gst_event_new_caps(caps)));
  fail_unless(gst_harness_push_event(harness, gst_event_new_segment(&segment)));
  gst_caps_unref(caps);
  g_free(text);
}

/* That of the left view, too, if it has ended. Where nothing came before the end, as from a camera
 * that is not there, all is the same. Of live cameras the stream goes on meanwhile. */
static void check_restart(gboolean live, gboolean both, gboolean at_once)
{
  StereoPair pair = stereo_pair("", WIDTH, HEIGHT);

  gst_harness_set_live(pair.left, live);
  gst_harness_set_live(pair.right, live);
  if (!at_once) {
    push(pair.left, FALSE, 0);
    push(pair.right, TRUE, 0);
    expect_frame(&pair, 0);
  }
  end(pair.right);
  for (int number = 1; number < 5; number++)
    ck_assert_int_eq(push(pair.left, FALSE, number), GST_FLOW_OK);
  if (both)
    end(pair.left);
  if (!live || both)
    expect_event(&pair, GST_EVENT_EOS);
  if (both)
    begin_again(pair.left);
  begin_again(pair.right);
  push(pair.right, TRUE, 5);
  push(pair.left, FALSE, 5);
  expect_frame(&pair, 5);
  end(pair.left);
  end(pair.right);
  expect_event(&pair, GST_EVENT_EOS);
  stereo_pair_free(&pair);
}

GST_START_TEST(a_view_ends_and_begins_again)
{
  check_restart(__i__ & 1, __i__ & 2, __i__ & 4);
}
GST_END_TEST

/* The query of a pad that is requested after the end is answered, and its frames find partners. */
GST_START_TEST(a_pad_is_requested_after_the_end)
{
  StereoPair pair = stereo_pair("", WIDTH, HEIGHT);
  GstQuery *query = gst_query_new_drain();

  push(pair.left, FALSE, 0);
  push(pair.right, TRUE, 0);
  expect_frame(&pair, 0);
  end(pair.left);
  end(pair.right);
  expect_event(&pair, GST_EVENT_EOS);
  gst_harness_teardown(pair.right); /* releases the pad */
  pair.right = gst_harness_new_with_element(pair.element, "sink_right", NULL);
  begin_again(pair.right);
  gst_pad_peer_query(pair.right->srcpad, query);
  gst_query_unref(query);
  begin_again(pair.left);
  push(pair.right, TRUE, 1);
  push(pair.left, FALSE, 1);
  expect_frame(&pair, 1);
  stereo_pair_free(&pair);
}
GST_END_TEST

/* ---- Secondary pads ------------------------------------------------------------------------ */

#define FRAMES 10 /* of each source */

#define SOURCE(view) "street-scene-src is-live=true num-buffers=10 view=" view
#define RATE " ! video/x-raw,width=64,height=32,framerate=50/1 ! "

/* The source `second` ends after some frames, and begins again. */
static const char *const lines[] = {
    "disparity-colour name=e ! fakesink " SOURCE("disparity") RATE
    "e.sink " SOURCE("disparity") " name=second" RATE "e.truth",
    "downsample-transpose name=e ! fakesink " SOURCE("disparity") RATE
    "e.sink " SOURCE("semantics") " name=second" RATE "e.semantics",
    "stixel-overlay name=e ! fakesink " SOURCE("left") RATE "e.sink " SOURCE(
        "disparity") " name=second" RATE "downsample-transpose ! sat-dp-stixels ! e.stixels",
};

static GstPadProbeReturn end_between(GstPad *pad, GstPadProbeInfo *info, gpointer count)
{
  static const GstEventType types[] = {GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT};
  GstEvent *events[G_N_ELEMENTS(types)];

  if (++*(guint *)count != FRAMES / 2)
    return GST_PAD_PROBE_OK;
  for (guint i = 0; i < G_N_ELEMENTS(types); i++)
    events[i] = gst_pad_get_sticky_event(pad, types[i], 0);
  gst_pad_push_event(pad, gst_event_new_eos());
  for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
    gst_pad_push_event(pad, gst_event_copy(events[i]));
    gst_event_unref(events[i]);
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn see_last(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  *(GstClockTime *)data = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

GST_START_TEST(a_secondary_pad_ends_and_begins_again)
{
  GstElement *pipeline = stx_test_parse(lines[__i__]);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstClockTime last = GST_CLOCK_TIME_NONE;
  GstMessage *message;
  guint count = 0;

  stx_test_probe(pipeline, "second", "src", GST_PAD_PROBE_TYPE_BUFFER, end_between, &count);
  stx_test_probe(pipeline, "e", "src", GST_PAD_PROBE_TYPE_BUFFER, see_last, &last);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered(bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless(message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  ck_assert_uint_ge(last, (FRAMES - 1) * FRAME / 5); /* live frames may be left out */
  gst_message_unref(message);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
}
GST_END_TEST

static Suite *pairing_restart_suite(void)
{
  Suite *suite = suite_create("pairing-restart");
  TCase *tests = tcase_create("pairing-restart");

  suite_add_tcase(suite, tests);
  tcase_set_timeout(tests, 30);
  tcase_add_loop_test(tests, a_view_ends_and_begins_again, 0, 8);
  tcase_add_test(tests, a_pad_is_requested_after_the_end);
  tcase_add_loop_test(tests, a_secondary_pad_ends_and_begins_again, 0, (int)G_N_ELEMENTS(lines));
  return suite;
}

GST_CHECK_MAIN(pairing_restart)
