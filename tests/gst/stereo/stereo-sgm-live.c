/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stereo-sgm in a live pipeline: how long one view is waited for that the other one has, beyond
 * the latency that it reports, which is a frame.
 */
#include "tests/gst/fixtures/stereo_pair.h"

#include <string.h>

#define WIDTH 32
#define HEIGHT 8

static StereoPair begin(const char *properties)
{
  StereoPair pair = stereo_pair(properties, WIDTH, HEIGHT);

  gst_harness_use_testclock(pair.left);
  gst_harness_play(pair.left);
  return pair;
}

static void push(StereoPair *pair, gboolean right, int number)
{
  GstBuffer *view = stereo_view("GRAY8", WIDTH, HEIGHT, right, number, 3, number);

  ck_assert_int_eq(gst_harness_push(right ? pair->right : pair->left, view), GST_FLOW_OK);
}

/* The next GAP event is for this frame, and no buffer came before. */
static void expect_gap(StereoPair *pair, guint number, guint before)
{
  GstClockTime time = GST_CLOCK_TIME_NONE, duration;
  GstEvent *event = NULL;

  while (!GST_CLOCK_TIME_IS_VALID(time)) {
    event = gst_harness_pull_event(pair->left);
    fail_unless(event != NULL, "no gap for frame %u", number);
    if (GST_EVENT_TYPE(event) == GST_EVENT_GAP)
      gst_event_parse_gap(event, &time, &duration);
    gst_event_unref(event);
  }
  ck_assert_uint_eq(time, number * FRAME);
  ck_assert_uint_eq(duration, FRAME);
  ck_assert_uint_eq(gst_harness_buffers_received(pair->left), before);
}

/* Whatever the element waits for meanwhile is over already. */
static void wait_for_unpaired(StereoPair *pair, guint64 count)
{
  g_autoptr(GstTestClock) clock = gst_harness_get_testclock(pair->left);

  for (guint i = 0; i < 10000 && stx_test_count(pair->element, "unpaired") < count; i++) {
    if (gst_test_clock_peek_id_count(clock) > 0)
      fail_unless(gst_harness_crank_single_clock_wait(pair->left));
    g_usleep(1000);
  }
  ck_assert_uint_eq(stx_test_count(pair->element, "unpaired"), count);
}

STX_TEST(a_right_view_that_stalls_holds_up_one_frame)
{
  g_auto(StereoPair) pair = begin("timeout=250");

  push(&pair, FALSE, 0);
  push(&pair, TRUE, 0);
  stereo_expect_frame(&pair, 0);
  push(&pair, FALSE, 1);
  stx_test_crank(pair.left, FRAME + FRAME + 250 * GST_MSECOND);
  expect_gap(&pair, 1, 1);
  for (guint i = 2; i < 5; i++) {
    push(&pair, FALSE, (int)i);
    stx_test_crank(pair.left, i * FRAME + FRAME);
    expect_gap(&pair, i, 1);
  }
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 4);
  /* It comes back, and is waited for again. */
  push(&pair, TRUE, 5);
  push(&pair, FALSE, 5);
  stereo_expect_frame(&pair, 5);
  push(&pair, FALSE, 6);
  stx_test_crank(pair.left, 6 * FRAME + FRAME + 250 * GST_MSECOND);
  expect_gap(&pair, 6, 2);
}

/* The tee of a preview above would not go on, either. */
STX_TEST(a_left_view_that_stalls_does_not_block_the_right_one)
{
  g_auto(StereoPair) pair = begin("timeout=250");

  push(&pair, TRUE, 0);
  stx_test_crank(pair.left, FRAME + 250 * GST_MSECOND);
  push(&pair, TRUE, 1); /* would block for ever */
  stx_test_crank(pair.left, FRAME + FRAME);
  push(&pair, TRUE, 2);
  push(&pair, FALSE, 2);
  stereo_expect_frame(&pair, 2);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
}

/* The right view of this frame comes so late, and is dropped. */
static void push_late(StereoPair *pair, int number, GstClockTime late, guint64 unpaired)
{
  gst_harness_set_time(pair->left, (GstClockTime)number * FRAME + FRAME + late);
  push(pair, TRUE, number);
  wait_for_unpaired(pair, unpaired);
}

/* A camera that is late by more than the timeout loses little; no frame waits for longer than the
 * one before by more than 300 ms. */
STX_TEST(a_view_that_is_always_late_is_waited_for)
{
  g_auto(StereoPair) pair = begin("timeout=50");

  push(&pair, FALSE, 0);
  stx_test_crank(pair.left, FRAME + 50 * GST_MSECOND);
  expect_gap(&pair, 0, 0);
  push(&pair, FALSE, 1);
  stx_test_crank(pair.left, 2 * FRAME);
  expect_gap(&pair, 1, 0);
  push_late(&pair, 1, 300 * GST_MSECOND, 3);
  push(&pair, FALSE, 5);
  stx_test_crank(pair.left, 6 * FRAME + 300 * GST_MSECOND); /* the one before did not wait */
  expect_gap(&pair, 5, 0);
  push_late(&pair, 2, 600 * GST_MSECOND, 5);
  push(&pair, FALSE, 9);
  gst_harness_wait_for_clock_id_waits(pair.left, 1, 60);
  gst_harness_set_time(pair.left, 10 * FRAME + 590 * GST_MSECOND);
  push(&pair, TRUE, 9); /* within 300 + 300 */
  stereo_expect_frame(&pair, 9);
  push(&pair, FALSE, 10);
  stx_test_crank(pair.left, 11 * FRAME + 890 * GST_MSECOND);
  expect_gap(&pair, 10, 1);
  push(&pair, FALSE, 11); /* the delay stays */
  stx_test_crank(pair.left, 12 * FRAME + 890 * GST_MSECOND);
  expect_gap(&pair, 11, 1);
}

/* Twice as late as it was, but not more. */
STX_TEST(a_view_that_is_a_little_late_is_waited_for_a_little)
{
  g_auto(StereoPair) pair = begin("timeout=50");

  push(&pair, FALSE, 0);
  stx_test_crank(pair.left, FRAME + 50 * GST_MSECOND);
  expect_gap(&pair, 0, 0);
  push_late(&pair, 0, 80 * GST_MSECOND, 2);
  push(&pair, FALSE, 4);
  stx_test_crank(pair.left, 5 * FRAME + (50 + 2 * 80) * GST_MSECOND);
  expect_gap(&pair, 4, 0);
}

/* ---- What the user is told ----------------------------------------------------------------- */

static void expect_message(StereoPair *pair, GstMessageType type, const char *words)
{
  g_autoptr(GstMessage) message = gst_bus_timed_pop_filtered(pair->bus, 10 * GST_SECOND, type);
  g_autoptr(GError) error = NULL;

  fail_unless(message != NULL, "nobody says \"%s\"", words);
  error = stx_test_read(message, NULL);
  fail_unless(strstr(error->message, words) != NULL, "%s", error->message);
}

/* Frames 1 … 12 of the other view, more than a second of silence. */
static void stall(StereoPair *pair, gboolean right)
{
  push(pair, !right, 0);
  push(pair, right, 0);
  stereo_expect_frame(pair, 0);
  push(pair, !right, 1);
  stx_test_crank(pair->left, 2 * FRAME + 50 * GST_MSECOND);
  for (int i = 2; i <= 12; i++) {
    push(pair, !right, i);
    stx_test_crank(pair->left, (GstClockTime)(i + 1) * FRAME);
  }
}

static void come_back(StereoPair *pair)
{
  push(pair, FALSE, 13);
  push(pair, TRUE, 13);
  stereo_expect_frame(pair, 13);
}

STX_TEST_LOOP(a_message_names_the_pad_that_stalls, 2)
{
  const char *names[] = {"sink_left", "sink_right"};
  g_auto(StereoPair) pair = begin("timeout=50");

  stall(&pair, _i);
  expect_message(&pair, GST_MESSAGE_WARNING, names[!_i]); /* whose frames are dropped */
  expect_message(&pair, GST_MESSAGE_WARNING, names[_i]);
  come_back(&pair);
  expect_message(&pair, GST_MESSAGE_INFO, names[_i]);
  stx_test_expect_silence(pair.bus);
}

STX_TEST(a_message_names_the_pad_that_ends)
{
  g_auto(StereoPair) pair = begin("timeout=50");

  push(&pair, FALSE, 0);
  push(&pair, TRUE, 0);
  stereo_expect_frame(&pair, 0);
  fail_unless(gst_harness_push_event(pair.right, gst_event_new_eos()));
  push(&pair, FALSE, 1);
  expect_message(&pair, GST_MESSAGE_WARNING, "Pad sink_right has ended");
  push(&pair, FALSE, 2);
  push(&pair, FALSE, 3);
  stx_test_expect_silence(pair.bus);
}

/* Cameras that both leave out most frames, each others. */
STX_TEST(a_message_tells_that_the_machine_is_too_slow)
{
  g_auto(StereoPair) pair = begin("");

  for (int number = 0; number < 32; number += 4) {
    push(&pair, FALSE, number);
    push(&pair, TRUE, number + 2);
  }
  expect_message(&pair, GST_MESSAGE_WARNING, "have none of its time");
  expect_message(&pair, GST_MESSAGE_WARNING, "too slow");
  wait_for_unpaired(&pair, 15);
  stx_test_expect_silence(pair.bus);
}

static void set_size(GstHarness *harness, int width)
{
  g_autofree char *caps = stereo_caps("GRAY8", width, HEIGHT);

  gst_harness_set_src_caps_str(harness, caps);
}

/* A recording ends there; of live cameras the picture goes on. */
STX_TEST(one_view_changes_its_size)
{
  g_auto(StereoPair) pair = begin("timeout=50");

  push(&pair, FALSE, 0);
  push(&pair, TRUE, 0);
  stereo_expect_frame(&pair, 0);
  set_size(pair.right, 2 * WIDTH);
  for (int i = 1; i <= 3; i++) {
    push(&pair, FALSE, i);
    stereo_push_right(&pair, stereo_view("GRAY8", 2 * WIDTH, HEIGHT, TRUE, i, 3, i));
    expect_gap(&pair, (guint)i, 1);
  }
  expect_message(&pair, GST_MESSAGE_WARNING, "sink_left is 32x8, sink_right is 64x8");
  set_size(pair.left, 2 * WIDTH);
  stereo_push_left(&pair, stereo_view("GRAY8", 2 * WIDTH, HEIGHT, FALSE, 4, 3, 4));
  stereo_push_right(&pair, stereo_view("GRAY8", 2 * WIDTH, HEIGHT, TRUE, 4, 3, 4));
  stereo_expect_frame(&pair, 4);
  stx_test_expect_silence(pair.bus);
}

/* If it were taken for one that waits for its partner, each view would give up the other in turn,
 * and there would be no pair ever. */
STX_TEST(a_view_of_a_moment_that_was_given_up_is_late)
{
  g_auto(StereoPair) pair = begin("timeout=50");

  push(&pair, FALSE, 0);
  stx_test_crank(pair.left, FRAME + 50 * GST_MSECOND);
  expect_gap(&pair, 0, 0);
  gst_harness_set_time(pair.left, FRAME + 60 * GST_MSECOND);
  push(&pair, TRUE, 0); /* 60 ms late, and nothing to wait for */
  wait_for_unpaired(&pair, 2);
  push(&pair, FALSE, 1);
  gst_harness_set_time(pair.left, FRAME + FRAME + 60 * GST_MSECOND);
  push(&pair, TRUE, 1);
  stereo_expect_frame(&pair, 1);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
}

static const gint64 jumps[] = {-3600, -1, 1, 3600}; /* seconds */

/* The frame of that number, which is stamped `off` nanoseconds beside its time. */
static void push_off(StereoPair *pair, gboolean right, int number, gint64 off)
{
  GstBuffer *view = stereo_view("GRAY8", WIDTH, HEIGHT, right, number, 3, number);

  GST_BUFFER_PTS(view) += 7200 * GST_SECOND + off;
  gst_harness_push(right ? pair->right : pair->left, view);
}

/* 20 frames; the left ones `from` to `to` are stamped beside their time. */
static void play_off(StereoPair *pair, int from, int to, gint64 off)
{
  for (int i = 0; i < 20; i++) {
    gst_harness_set_time(pair->left, 7200 * GST_SECOND + i * FRAME + FRAME / 10);
    push_off(pair, FALSE, i, i >= from && i < to ? off : 0);
    push_off(pair, TRUE, i, 0);
    g_usleep(10000);
  }
  for (int i = 0; i < 500 && gst_harness_buffers_received(pair->left) < 19; i++)
    g_usleep(2000);
}

STX_TEST_LOOP(an_odd_time_costs_one_frame, G_N_ELEMENTS(jumps))
{
  g_auto(StereoPair) pair = begin("");

  play_off(&pair, 8, 9, jumps[_i] * (gint64)GST_SECOND);
  ck_assert_uint_eq(gst_harness_buffers_received(pair.left), 19);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
  ck_assert_uint_eq(stx_test_count(pair.element, "odd-times"), 1);
  ck_assert_uint_eq(stx_test_count(pair.element, "clock-steps"), 0);
}

STX_TEST_LOOP(a_first_frame_ahead_of_the_clock_costs_one_frame, 3)
{
  g_auto(StereoPair) pair = begin("");

  play_off(&pair, 0, 1, (3 + 3 * _i) * (gint64)GST_SECOND / 10);
  ck_assert_uint_eq(gst_harness_buffers_received(pair.left), 19);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
  ck_assert_uint_eq(stx_test_count(pair.element, "odd-times"), 1);
}

/* It stays so: frames are paired as if it had not been set. It is set back in the end. */
STX_TEST_LOOP(a_clock_that_is_set_costs_a_frame, G_N_ELEMENTS(jumps))
{
  g_auto(StereoPair) pair = begin("");

  play_off(&pair, 8, 15, jumps[_i] * (gint64)GST_SECOND);
  ck_assert_uint_eq(gst_harness_buffers_received(pair.left), 18);
  ck_assert_uint_eq(stx_test_count(pair.element, "clock-steps"), 2);
}

STX_TEST(a_timeout_of_zero_waits_as_long_as_it_takes)
{
  g_auto(StereoPair) pair = begin("timeout=0");

  push(&pair, FALSE, 0);
  gst_harness_set_time(pair.left, 3600 * GST_SECOND);
  push(&pair, TRUE, 0);
  stereo_expect_frame(&pair, 0);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 0);
}

STX_TEST(latency_takes_the_place_of_the_timeout)
{
  g_auto(StereoPair) pair = begin("timeout=250 latency=40000000");

  push(&pair, FALSE, 0);
  stx_test_crank(pair.left, FRAME + 40 * GST_MSECOND);
  expect_gap(&pair, 0, 0);
}
