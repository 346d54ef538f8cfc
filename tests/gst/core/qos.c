/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quality of service: what is dropped, when, and that a set is dropped as a whole. */
#include "gst/core/load.h"
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 32
#define HEIGHT 8

/* ---- Sets ---------------------------------------------------------------------------------- */

static void push(StereoPair *pair, int number)
{
  stereo_push_left(pair, stereo_view("GRAY8", WIDTH, HEIGHT, FALSE, number, 3, number));
  stereo_push_right(pair, stereo_view("GRAY8", WIDTH, HEIGHT, TRUE, number, 3, number));
}

/* The sink showed frame 0 so many frames too late. */
static void report_late(StereoPair *pair, guint frames)
{
  gst_harness_push_upstream_event(
      pair->left, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, frames * FRAME, 0));
}

static StereoPair begin(const char *properties)
{
  StereoPair pair = stereo_pair(properties, WIDTH, HEIGHT);

  push(&pair, 0);
  stereo_expect_frame(&pair, 0);
  return pair;
}

/* Live; when frame 1 comes, 3 is there, too, or not. */
static const struct {
  const char *properties;
  gboolean newer, drops;
} modes[] = {{"", TRUE, TRUE}, {"", FALSE, FALSE}, {"qos=auto", TRUE, TRUE},
    {"qos=true", FALSE, TRUE}, {"qos=false", TRUE, FALSE}};

STX_TEST_LOOP(live_pipelines_drop, G_N_ELEMENTS(modes))
{
  g_auto(StereoPair) pair = stereo_pair(modes[_i].properties, WIDTH, HEIGHT);

  gst_harness_use_testclock(pair.left);
  gst_harness_play(pair.left);
  gst_harness_set_time(pair.left, FRAME);
  push(&pair, 0);
  stereo_expect_frame(&pair, 0);
  report_late(&pair, 2);
  gst_harness_set_time(pair.left, (modes[_i].newer ? 4 : 2) * FRAME);
  push(&pair, 1);
  push(&pair, 3);
  if (!modes[_i].drops)
    stereo_expect_frame(&pair, 1);
  stereo_expect_frame(&pair, 3);
}

/* The matcher has worked for what comes here. */
STX_TEST(what_is_matched_is_not_dropped)
{
  g_autoptr(Harness) harness = gst_harness_new("downsample-transpose");

  gst_harness_set_src_caps_str(
      harness, "video/x-raw,format=GRAY16_LE,width=16,height=16,framerate=10/1");
  for (guint number = 0; number < 4; number++) {
    g_autoptr(GstBuffer) cells = NULL;

    gst_harness_push(harness, stx_test_buffer(16 * 16 * 2, 7, number * FRAME, FRAME));
    cells = gst_harness_pull(harness);
    fail_unless(cells != NULL);
    ck_assert_uint_eq(GST_BUFFER_PTS(cells), number * FRAME);
    gst_harness_push_upstream_event(
        harness, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, 10 * FRAME, 0));
  }
}

/* ---- Load ---------------------------------------------------------------------------------- */

STX_TEST(one_that_keeps_up_is_not_overloaded)
{
  GstStxLoad load = {0};

  gst_stx_load_note(&load, 50 * FRAME); /* makes everything ready */
  for (guint i = 0; i < 100; i++)
    gst_stx_load_note(&load, FRAME); /* a sink that waits for the clock */
  fail_unless(!gst_stx_load_is_over(&load, FRAME));
  for (guint i = 0; i < 10; i++)
    gst_stx_load_note(&load, FRAME + FRAME / 2);
  fail_unless(gst_stx_load_is_over(&load, FRAME));
  fail_unless(!gst_stx_load_is_over(&load, 0));
}

/* However late a camera always is: what counts is whether the next frame is there. */
STX_TEST(a_frame_is_outdated_when_the_next_is_there)
{
  GstStxLoad load = {0};

  fail_unless(!gst_stx_load_is_outdated(&load, 3 * FRAME, FRAME));
  fail_unless(!gst_stx_load_is_outdated(&load, 3 * FRAME + FRAME / 2, FRAME));
  fail_unless(gst_stx_load_is_outdated(&load, 5 * FRAME, FRAME));
  fail_unless(!gst_stx_load_is_outdated(&load, 2 * FRAME, FRAME));
  fail_unless(gst_stx_load_is_outdated(&load, 3 * FRAME + FRAME / 8, FRAME));
  /* The camera is later from now on. */
  for (guint i = 0; i < 100; i++)
    gst_stx_load_is_outdated(&load, 9 * FRAME, FRAME);
  fail_unless(!gst_stx_load_is_outdated(&load, 9 * FRAME, FRAME));
}

/* It was a boolean once. */
STX_TEST(the_property_takes_a_boolean)
{
  g_auto(StereoPair) pair = stereo_element("");
  gint qos;

  g_object_set(pair.element, "qos", TRUE, NULL);
  g_object_get(pair.element, "qos", &qos, NULL);
  ck_assert_int_eq(qos, TRUE);
  g_object_set(pair.element, "qos", FALSE, NULL);
  g_object_get(pair.element, "qos", &qos, NULL);
  ck_assert_int_eq(qos, FALSE);
}

STX_TEST(a_late_picture_is_better_than_none)
{
  g_auto(StereoPair) pair = begin("qos=true");

  report_late(&pair, 10);
  for (int number = 1; number <= 12; number++)
    push(&pair, number);
  stereo_expect_frame(&pair, 4);
  stereo_expect_frame(&pair, 8);
  stereo_expect_frame(&pair, 11);
  stereo_expect_frame(&pair, 12);
}

/* A converter in front of one view would drop half a pair. */
STX_TEST(the_report_ends_where_partners_meet)
{
  g_auto(StereoPair) pair = begin("");
  GstEvent *event;

  report_late(&pair, 2);
  while ((event = gst_harness_try_pull_upstream_event(pair.left)) != NULL) {
    fail_unless(GST_EVENT_TYPE(event) != GST_EVENT_QOS);
    gst_event_unref(event);
  }
}

/* ---- Whole pipelines ----------------------------------------------------------------------- */

#define FRAMES 60
#define STREET(view, format)                                                                       \
  "street-scene-src num-buffers=60 view=" view                                                     \
  " ! video/x-raw,width=64,height=32,framerate=100/1,format=" format

typedef struct {
  guint pictures;
  gboolean told;
} Seen;

/* With the first picture the sink says that those up to 30 are late. */
static GstPadProbeReturn look(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Seen *seen = data;

  seen->pictures++;
  if (!seen->told)
    gst_pad_push_event(pad, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, 300 * GST_MSECOND, 0));
  seen->told = TRUE;
  return GST_PAD_PROBE_OK;
}

static guint64 count_of(GstElement *pipeline, const char *name, const char *field)
{
  g_autoptr(GstElement) element = gst_bin_get_by_name(GST_BIN(pipeline), name);

  return stx_test_count(element, field);
}

/* Messages of dropped frames, until the end. */
static guint messages_of(GstElement *pipeline, const char *name)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  GstMessage *message;
  guint count = 0;
  gboolean more = TRUE;

  while (more) {
    message = gst_bus_timed_pop_filtered(
        bus, 60 * GST_SECOND, GST_MESSAGE_QOS | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless(message != NULL && GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR);
    more = GST_MESSAGE_TYPE(message) == GST_MESSAGE_QOS;
    count += more && g_str_equal(GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), name);
    gst_message_unref(message);
  }
  return count;
}

static GstElement *new_pipeline(Seen *seen)
{
  GstElement *pipeline = stx_test_parse(
      "stereo-sgm name=sgm ! downsample-transpose name=cells ! sat-dp-stixels name=stixels ! "
      "overlay.stixels stixel-overlay name=overlay ! fakesink name=out sync=false " STREET(
          "left", "GRAY8") " ! tee name=left left. ! queue max-size-buffers=3 ! sgm.sink_left "
                           "left. ! queue ! videoconvert qos=false ! overlay.sink " STREET(
                               "right", "GRAY8") " ! queue max-size-buffers=3 ! sgm.sink_right");

  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, look, seen);
  return pipeline;
}

/* Whichever element drops: the pictures that come have their stixels, and none comes without. */
static const char *const droppers[] = {"sgm", "cells", "stixels", "overlay"};

STX_TEST_LOOP(a_picture_goes_with_its_stixels, G_N_ELEMENTS(droppers))
{
  const char *dropper = droppers[_i];
  Seen seen = {0};
  g_autoptr(GstElement) pipeline = new_pipeline(&seen);
  g_autoptr(GstElement) element = gst_bin_get_by_name(GST_BIN(pipeline), dropper);
  guint messages;

  gst_util_set_object_arg(G_OBJECT(element), "qos", "true");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  messages = messages_of(pipeline, dropper);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  ck_assert_uint_lt(seen.pictures, FRAMES - 10);
  ck_assert_uint_eq(seen.pictures + count_of(pipeline, "overlay", "dropped-qos"), FRAMES);
  ck_assert_uint_eq(count_of(pipeline, dropper, "dropped-qos"), messages);
  ck_assert_uint_eq(messages, FRAMES - seen.pictures);
  ck_assert_uint_eq(count_of(pipeline, "overlay", "frames-without-stixels"), 0);
}

STX_TEST(what_is_not_live_loses_nothing)
{
  Seen seen = {0};
  g_autoptr(GstElement) pipeline = new_pipeline(&seen);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  ck_assert_uint_eq(messages_of(pipeline, "overlay"), 0);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  ck_assert_uint_eq(seen.pictures, FRAMES);
}
