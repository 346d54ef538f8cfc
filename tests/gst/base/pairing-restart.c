/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams that end and begin again, on the pads of an element that pairs them. */
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 32
#define HEIGHT 8

static GstFlowReturn push(GstHarness *harness, gboolean right, int number)
{
  return gst_harness_push(harness, stereo_view("GRAY8", WIDTH, HEIGHT, right, number, 3, number));
}

static void begin_again(GstHarness *harness)
{
  g_autofree char *text = stereo_caps("GRAY8", WIDTH, HEIGHT);
  g_autoptr(GstCaps) caps = gst_caps_from_string(text);

  fail_unless(gst_harness_push_event(harness, gst_event_new_stream_start("again")));
  fail_unless(gst_harness_push_event(harness, gst_event_new_caps(caps)));
  fail_unless(gst_harness_push_event(harness, stx_test_segment(0)));
}

/* Restarts the left view, too, if it has ended. Without a frame before the end, as from a camera
 * that is not there, all is the same. The stream of live cameras goes on meanwhile. */
static void check_restart(gboolean live, gboolean both, gboolean at_once)
{
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);

  gst_harness_set_live(pair.left, live);
  gst_harness_set_live(pair.right, live);
  if (!at_once) {
    push(pair.left, FALSE, 0);
    push(pair.right, TRUE, 0);
    stereo_expect_frame(&pair, 0);
  }
  gst_harness_push_event(pair.right, gst_event_new_eos());
  for (int number = 1; number < 5; number++)
    ck_assert_int_eq(push(pair.left, FALSE, number), GST_FLOW_OK);
  if (both)
    gst_harness_push_event(pair.left, gst_event_new_eos());
  if (!live || both)
    stx_test_expect_event(pair.left, GST_EVENT_EOS);
  if (both)
    begin_again(pair.left);
  begin_again(pair.right);
  push(pair.right, TRUE, 5);
  push(pair.left, FALSE, 5);
  stereo_expect_frame(&pair, 5);
  stereo_push_event(&pair, gst_event_new_eos());
  stx_test_expect_event(pair.left, GST_EVENT_EOS);
}

STX_TEST_LOOP(a_view_ends_and_begins_again, 8)
{
  check_restart(_i & 1, _i & 2, _i & 4);
}

/* The query of a pad that is requested after the end is answered, and its frames find partners. */
STX_TEST(a_pad_is_requested_after_the_end)
{
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);
  g_autoptr(GstQuery) query = gst_query_new_drain();

  push(pair.left, FALSE, 0);
  push(pair.right, TRUE, 0);
  stereo_expect_frame(&pair, 0);
  stereo_push_event(&pair, gst_event_new_eos());
  stx_test_expect_event(pair.left, GST_EVENT_EOS);
  gst_harness_teardown(pair.right); /* releases the pad */
  pair.right = gst_harness_new_with_element(pair.element, "sink_right", NULL);
  begin_again(pair.right);
  gst_pad_peer_query(pair.right->srcpad, query);
  begin_again(pair.left);
  push(pair.right, TRUE, 1);
  push(pair.left, FALSE, 1);
  stereo_expect_frame(&pair, 1);
}

/* ---- Secondary pads ------------------------------------------------------------------------ */

#define FRAMES 10 /* of each source */

#define SOURCE(view) "street-scene-src is-live=true num-buffers=10 view=" view
#define RATE " ! video/x-raw,width=64,height=32,framerate=50/1 ! "

/* The source `second` ends after some frames, and begins again. */
static const char *const lines[] = {
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

STX_TEST_LOOP(a_secondary_pad_ends_and_begins_again, G_N_ELEMENTS(lines))
{
  g_autoptr(GstElement) pipeline = stx_test_parse(lines[_i]);
  GstClockTime last = GST_CLOCK_TIME_NONE;
  guint count = 0;

  stx_test_probe(pipeline, "second", "src", GST_PAD_PROBE_TYPE_BUFFER, end_between, &count);
  stx_test_probe(pipeline, "e", "src", GST_PAD_PROBE_TYPE_BUFFER, see_last, &last);
  stx_test_play(pipeline);
  /* Frames come after the new beginning; live ones, the last too, may be left out. */
  ck_assert_uint_gt(last, FRAMES / 2 * FRAME / 5);
}

double stx_test_prepare(void)
{
  return 30;
}
