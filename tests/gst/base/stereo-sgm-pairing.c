/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which frames belong together: GstStxPairing, seen through stereo-sgm. Every frame has a texture
 * of its own, so that a pair of different frames does not match, and a disparity of its own, so
 * that the output says which frames it was made of.
 */
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 64
#define HEIGHT 24

static GstBuffer *left(int frame)
{
  return stereo_view("GRAY8", WIDTH, HEIGHT, FALSE, frame, 4 + frame, frame);
}

static GstBuffer *right(int frame)
{
  return stereo_view("GRAY8", WIDTH, HEIGHT, TRUE, frame, 4 + frame, frame);
}

static GstBuffer *without_pts(GstBuffer *buffer)
{
  GST_BUFFER_PTS(buffer) = GST_BUFFER_DURATION(buffer) = GST_CLOCK_TIME_NONE;
  return buffer;
}

/* Both views of a frame. */
static void push(StereoPair *pair, int frame)
{
  stereo_push_left(pair, left(frame));
  stereo_push_right(pair, right(frame));
}

static StereoPair new_pair(const char *properties)
{
  return stereo_pair(properties, WIDTH, HEIGHT);
}

/* Disparity of an output in whole pixels. */
static guint shift_of(GstBuffer *buffer)
{
  return (stereo_at(buffer, WIDTH, HEIGHT, 40, 12) + 128) / 256;
}

/* The next output must be that of both views of `frame`. */
static void expect_frame_at(StereoPair *pair, int frame, GstClockTime pts)
{
  g_autoptr(GstBuffer) buffer = gst_harness_pull(pair->left);

  fail_unless(buffer != NULL, "no output for frame %d", frame);
  ck_assert_uint_eq(shift_of(buffer), 4 + frame);
  ck_assert_uint_eq(GST_BUFFER_PTS(buffer), pts);
}

static void expect_frame(StereoPair *pair, int frame)
{
  expect_frame_at(pair, frame, frame * FRAME);
}

STX_TEST(a_lost_frame_costs_one_frame)
{
  g_auto(StereoPair) pair = new_pair("");

  push(&pair, 0);
  expect_frame(&pair, 0);
  stereo_push_left(&pair, left(1)); /* right 1 was lost */
  stereo_push_right(&pair, right(2));
  stereo_push_left(&pair, left(2));
  expect_frame(&pair, 2);
  stereo_push_right(&pair, right(3)); /* left 3 was lost */
  push(&pair, 4);
  expect_frame(&pair, 4);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
  stx_test_expect_warning(pair.bus, "sink_left at 0:00:00.100000000 is dropped");
}

STX_TEST(reordered_frames_are_never_mispaired)
{
  g_auto(StereoPair) pair = new_pair("");

  stereo_push_left(&pair, left(2));
  stereo_push_right(&pair, right(1)); /* left 1 comes too late */
  stereo_push_right(&pair, right(2));
  expect_frame(&pair, 2);
  stereo_push_left(&pair, left(1));
  stereo_push_right(&pair, right(3));
  stereo_push_left(&pair, left(3));
  expect_frame(&pair, 3);
  push(&pair, 5); /* both in the same wrong order: both pairs are whole */
  expect_frame(&pair, 5);
  push(&pair, 4);
  expect_frame(&pair, 4);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
}

static const gint64 jumps[] = {-3600, -1, 0, 1, 3600}; /* seconds, and 5 frames */

static gint64 off(int jump)
{
  return jumps[jump] * (gint64)GST_SECOND + (jumps[jump] < 0 ? -5 : 5) * (gint64)FRAME;
}

static GstBuffer *later(GstBuffer *buffer, gint64 time)
{
  GST_BUFFER_PTS(buffer) += 7200 * GST_SECOND + time;
  return buffer;
}

/* Both views, the left one with a time that is off by so much. */
static void push_later(StereoPair *pair, int frame, gint64 time)
{
  stereo_push_left(pair, later(left(frame), time));
  stereo_push_right(pair, later(right(frame), 0));
}

static void expect_later(StereoPair *pair, int frame, gint64 time)
{
  expect_frame_at(pair, frame, frame * FRAME + 7200 * GST_SECOND + time);
}

STX_TEST_LOOP(an_odd_time_costs_one_frame, G_N_ELEMENTS(jumps))
{
  g_auto(StereoPair) pair = new_pair("");

  for (int frame = 0; frame < 10; frame++) {
    push_later(&pair, frame, frame == 4 ? off(_i) : 0);
    if (frame != 4)
      expect_later(&pair, frame, 0);
  }
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
  ck_assert_uint_eq(stx_test_count(pair.element, "odd-times"), 1);
}

static GstPadQueryFunction answer_of_harness;

static gint64 lengths[2]; /* that files say, of the left view and of the right; 0: they do not */

static gboolean answer_as_file(GstPad *pad, GstObject *parent, GstQuery *query)
{
  gboolean right = g_object_get_data(G_OBJECT(pad), "right") != NULL;

  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY)
    gst_query_set_latency(query, FALSE, 0, GST_CLOCK_TIME_NONE);
  else if (GST_QUERY_TYPE(query) == GST_QUERY_DURATION && lengths[right] > 0)
    gst_query_set_duration(query, GST_FORMAT_TIME, lengths[right]);
  else
    return answer_of_harness(pad, parent, query);
  return TRUE;
}

/* Harnesses are live, and this pair is not. */
static StereoPair recorded_pair(void)
{
  StereoPair pair = new_pair("");
  g_autoptr(GstQuery) query = gst_query_new_latency();

  answer_of_harness = GST_PAD_QUERYFUNC(pair.left->srcpad);
  gst_pad_set_query_function(pair.left->srcpad, answer_as_file);
  gst_pad_set_query_function(pair.right->srcpad, answer_as_file);
  g_object_set_data(G_OBJECT(pair.right->srcpad), "right", pair.right);
  lengths[0] = lengths[1] = 0;
  fail_unless(gst_element_query(pair.element, query));
  return pair;
}

/* The fifth frame, or the first. One thread brings both views. */
STX_TEST_LOOP(an_odd_time_of_a_recording_costs_one_frame, 2 * G_N_ELEMENTS(jumps))
{
  g_auto(StereoPair) pair = recorded_pair();
  int jump = _i / 2, odd = _i % 2 ? 4 : 0;

  for (int frame = 0; frame < 10; frame++) {
    push_later(&pair, frame, frame == odd ? off(jump) : 0);
    if (frame != odd)
      expect_later(&pair, frame, 0);
  }
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
  if (odd > 0 || jumps[jump] >= 0)
    ck_assert_uint_eq(stx_test_count(pair.element, "odd-times"), 1);
}

/* A recording whose clock goes back by more than a second, and is right again later. */
STX_TEST_LOOP(a_clock_that_was_set_back, 2)
{
  g_auto(StereoPair) pair = recorded_pair();

  for (int frame = 0; frame < 20; frame++) {
    gint64 time = frame >= 5 && frame < 15 ? off(_i) : 0;

    push_later(&pair, frame, time);
    if (frame != 5)
      expect_later(&pair, frame, time);
  }
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
  ck_assert_uint_eq(stx_test_count(pair.element, "clock-steps"), 2);
}

/* It goes ahead, and the file is longer for it than that of the other view: there is no hole. With
 * another length, as of one that was stopped later, there is. */
STX_TEST_LOOP(a_clock_that_was_set_ahead, 3)
{
  g_auto(StereoPair) pair = recorded_pair();
  gint64 step = jumps[3 + _i % 2] * (gint64)GST_SECOND;
  guint frames = _i < 2 ? 20 : 7, pairs = _i < 2 ? 20 : 5;

  lengths[1] = 120 * (gint64)FRAME;
  lengths[0] = lengths[1] + (_i < 2 ? step : 2 * step);
  for (int frame = 0; frame < (int)frames; frame++)
    push_later(&pair, frame, frame >= 5 ? step : 0);
  stereo_push_event(&pair, gst_event_new_eos());
  stx_test_expect_event(pair.left, GST_EVENT_EOS);
  ck_assert_uint_eq(gst_harness_buffers_received(pair.left), pairs);
  ck_assert_uint_eq(stx_test_count(pair.element, "clock-steps"), 1);
}

static gpointer push_right_frames(gpointer pair)
{
  for (int frame = 0; frame < 12; frame++)
    if (frame < 6 || frame > 8)
      stereo_push_right(pair, later(right(frame), 0));
  return NULL;
}

/* Frames that are missing are no jump, and cost no other. */
STX_TEST(holes_of_recordings)
{
  static const int whole[] = {0, 1, 2, 9, 10, 11};
  g_auto(StereoPair) pair = recorded_pair();
  GThread *thread = g_thread_new("right", push_right_frames, &pair);

  for (int frame = 0; frame < 12; frame++)
    if (frame < 3 || frame > 7)
      stereo_push_left(&pair, later(left(frame), 0));
  g_thread_join(thread);
  for (guint i = 0; i < G_N_ELEMENTS(whole); i++)
    expect_later(&pair, whole[i], 0);
  ck_assert_uint_eq(
      stx_test_count(pair.element, "odd-times") + stx_test_count(pair.element, "clock-steps"), 0);
}

/* A frame alone between two holes is not odd: its next one goes on, not back. */
STX_TEST(a_frame_between_two_holes_of_a_recording)
{
  g_auto(StereoPair) pair = recorded_pair();

  for (int frame = 0; frame < 3; frame++) {
    push_later(&pair, frame, 0);
    expect_later(&pair, frame, 0);
  }
  stereo_push_right(&pair, later(right(3), 0));
  stereo_push_left(&pair, later(left(12), 0));
  stereo_push_left(&pair, later(left(90), 0));
  stereo_push_right(&pair, later(right(12), 0));
  expect_later(&pair, 12, 0);
  ck_assert_uint_eq(stx_test_count(pair.element, "odd-times"), 0);
}

/* The times of both views jump, of the left one a frame before. */
STX_TEST_LOOP(two_clocks_that_are_set_cost_little, G_N_ELEMENTS(jumps))
{
  g_auto(StereoPair) pair = new_pair("");
  guint count;

  for (int frame = 0; frame < 12; frame++) {
    stereo_push_left(&pair, later(left(frame), frame >= 5 ? off(_i) : 0));
    stereo_push_right(&pair, later(right(frame), frame >= 6 ? off(_i) : 0));
  }
  stereo_push_event(&pair, gst_event_new_eos());
  stx_test_expect_event(pair.left, GST_EVENT_EOS);
  count = gst_harness_buffers_received(pair.left);
  ck_assert_msg(count >= 9 && count <= 11, "%u pairs", count);
}

STX_TEST(jitter_of_less_than_half_a_frame_is_the_same_moment)
{
  g_auto(StereoPair) pair = new_pair("");
  GstBuffer *late = right(2), *too_late = right(1);

  GST_BUFFER_PTS(too_late) += FRAME / 2;
  stereo_push_left(&pair, left(1));
  stereo_push_right(&pair, too_late);
  stereo_push_left(&pair, left(2)); /* exactly half a frame away matches neither side */
  GST_BUFFER_PTS(late) += FRAME / 2 - 1;
  stereo_push_right(&pair, late);
  expect_frame(&pair, 2); /* with the left view's time */
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 2);
}

/* The pads' clocks may count from different points: what counts is the running time. */
STX_TEST(pairs_by_running_time)
{
  g_auto(StereoPair) pair = new_pair("");
  GstBuffer *shifted = right(1);

  fail_unless(gst_harness_push_event(pair.right, stx_test_segment(3600 * GST_SECOND)));
  GST_BUFFER_PTS(shifted) += 3600 * GST_SECOND;
  stereo_push_left(&pair, left(1));
  stereo_push_right(&pair, shifted);
  expect_frame(&pair, 1);
}

STX_TEST(without_timestamps_pairs_by_arrival_and_warns_once)
{
  g_auto(StereoPair) pair = new_pair("");

  for (int frame = 0; frame < 3; frame++) {
    stereo_push_left(&pair, without_pts(left(frame)));
    stereo_push_right(&pair, without_pts(right(frame)));
    expect_frame_at(&pair, frame, GST_CLOCK_TIME_NONE);
  }
  stx_test_expect_warning(pair.bus, "no timestamps");
}

STX_TEST(eos_on_both_loses_no_frame)
{
  g_auto(StereoPair) pair = new_pair("");

  for (int frame = 0; frame < 3; frame++)
    push(&pair, frame);
  stereo_push_event(&pair, gst_event_new_eos());
  for (int frame = 0; frame < 3; frame++)
    expect_frame(&pair, frame);
  stx_test_expect_event(pair.left, GST_EVENT_EOS);
}

STX_TEST(eos_on_one_pad_ahead_finishes_what_can_pair)
{
  g_auto(StereoPair) pair = new_pair("");

  gst_harness_set_live(pair.left, FALSE);
  gst_harness_set_live(pair.right, FALSE);
  stereo_push_left(&pair, left(0));
  fail_unless(gst_harness_push_event(pair.left, gst_event_new_eos()));
  stereo_push_right(&pair, right(0));
  expect_frame(&pair, 0);
  stereo_push_right(&pair, right(1)); /* nobody will ever match this one */
  stx_test_expect_event(pair.left, GST_EVENT_EOS);
  ck_assert_uint_eq(gst_harness_buffers_in_queue(pair.left), 0);
}

STX_TEST(flush_forgets_what_waits)
{
  g_auto(StereoPair) pair = new_pair("");

  push(&pair, 0);
  expect_frame(&pair, 0);
  stereo_push_left(&pair, left(7));
  stereo_push_event(&pair, gst_event_new_flush_start());
  stereo_push_event(&pair, gst_event_new_flush_stop(TRUE));
  stereo_push_event(&pair, stx_test_segment(0));
  push(&pair, 2);
  expect_frame(&pair, 2);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 0);
}

/* Something downstream that is three seconds behind. */
static void report_late(StereoPair *pair, GstClockTime running_time)
{
  gst_harness_push_upstream_event(
      pair->left, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, 3 * FRAME, running_time));
}

STX_TEST(qos_drops_late_frames_if_asked)
{
  g_auto(StereoPair) pair = new_pair("qos=true");
  GstMessage *message;

  push(&pair, 0);
  expect_frame(&pair, 0);
  report_late(&pair, 0);
  for (int frame = 1; frame < 5; frame++)
    push(&pair, frame);
  expect_frame(&pair, 4); /* 1 … 3 were late */
  for (int dropped = 1; dropped <= 3; dropped++) {
    guint64 processed, count;

    message = gst_bus_pop_filtered(pair.bus, GST_MESSAGE_QOS);
    fail_unless(message != NULL, "no message for the frame dropped");
    gst_message_parse_qos_stats(message, NULL, &processed, &count);
    ck_assert_uint_eq(processed, 1);
    ck_assert_uint_eq(count, dropped);
    gst_message_unref(message);
  }
}

STX_TEST(counts_begin_anew_with_the_stream)
{
  g_auto(StereoPair) pair = new_pair("");

  stereo_push_left(&pair, left(0));
  stereo_push_right(&pair, right(1));
  stereo_push_left(&pair, left(1));
  expect_frame(&pair, 1);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 1);
  gst_element_set_state(pair.element, GST_STATE_READY);
  gst_element_set_state(pair.element, GST_STATE_PLAYING);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 0);
}

STX_TEST(a_gap_has_no_disparity)
{
  g_auto(StereoPair) pair = new_pair("");

  fail_unless(gst_harness_push_event(pair.left, gst_event_new_gap(0, FRAME)));
  stereo_push_right(&pair, right(0));
  push(&pair, 1);
  expect_frame(&pair, 1);
  stx_test_expect_silence(pair.bus);
}

STX_TEST(frames_outside_of_the_segment_are_clipped)
{
  g_auto(StereoPair) pair = new_pair("");

  stereo_push_event(&pair, stx_test_segment(2 * FRAME));
  for (int frame = 0; frame < 3; frame++)
    push(&pair, frame);
  expect_frame(&pair, 2);
  ck_assert_uint_eq(stx_test_count(pair.element, "unpaired"), 0);
}
