/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-overlay: frames that have no stixels show the last ones, fading, for a while. */
#include "tests/gst/fixtures/overlay_fixture.h"

#define HOLDING "stixel-overlay mode=class alpha=1 outlines=false legend=none hold=250"
/* The weight of held stixels, of 256, `age` milliseconds after their moment. */
#define STRONG(age) ((int)(256 * (1 - (age) / 250.) + .5))

/* Pulls the frame of that time: `weight`/256 of the stixels' colours on it; and none attached. */
static void expect_faded(Stage *f, GstClockTime pts, int weight)
{
  g_autoptr(GstBuffer) frame = overlay_pull_faded(f, pts, weight);

  fail_unless(gst_buffer_get_stx_stixel_meta(frame) == NULL);
}

/* With stixels at 0 drawn. */
static Stage begin(void)
{
  Stage f = overlay_setup_with(HOLDING, TRUE);

  overlay_push_frame(&f, 0);
  overlay_push_stixels(&f, 0);
  overlay_expect_frame(&f, 0, TRUE);
  return f;
}

STX_TEST(the_last_stixels_fade)
{
  g_auto(Stage) f = begin();

  overlay_push_stixels(&f, 4 * OVERLAY_FRAME);
  for (guint i = 1; i <= 4; i++)
    overlay_push_frame(&f, i * OVERLAY_FRAME);
  expect_faded(&f, OVERLAY_FRAME, STRONG(100));
  expect_faded(&f, 2 * OVERLAY_FRAME, STRONG(200));
  overlay_expect_frame(&f, 3 * OVERLAY_FRAME, FALSE);
  overlay_expect_frame(&f, 4 * OVERLAY_FRAME, TRUE);
  ck_assert_uint_eq(stx_test_count(f.element, "frames-without-stixels"), 3);
  stx_test_expect_warning(f.bus, "property hold");
}

STX_TEST(stixels_that_come_too_late_are_shown_on_later_frames)
{
  g_auto(Stage) f = overlay_setup_with(HOLDING, TRUE);

  overlay_push_frame(&f, 2 * OVERLAY_FRAME);
  overlay_push_stixels(&f, OVERLAY_FRAME);
  overlay_push_stixels(&f, 3 * OVERLAY_FRAME);
  expect_faded(&f, 2 * OVERLAY_FRAME, STRONG(100));
  ck_assert_uint_eq(stx_test_count(f.element, "unpaired"), 1);
}

STX_TEST(attached_stixels_are_held_too)
{
  g_auto(Stage) f = overlay_setup_with(HOLDING, FALSE);
  GstBuffer *frame = overlay_frame_with(overlay_stixels_at(0), &overlay_info);

  ck_assert_int_eq(gst_harness_push(f.harness, frame), GST_FLOW_OK);
  overlay_expect_frame(&f, 0, TRUE);
  overlay_push_frame(&f, OVERLAY_FRAME);
  expect_faded(&f, OVERLAY_FRAME, STRONG(100));
}

/* The next buffer of the pad `stixels` is far ahead, so that the frame goes on without. */
static void expect_undrawn(Stage *f, GstClockTime pts)
{
  overlay_push_frame(f, pts);
  overlay_push_stixels(f, pts + 4 * OVERLAY_FRAME);
  overlay_expect_frame(f, pts, FALSE);
}

STX_TEST(a_flush_forgets_them)
{
  g_auto(Stage) f = begin();

  stx_test_flush(f.side);
  stx_test_flush(f.harness);
  expect_undrawn(&f, OVERLAY_FRAME);
}

/* Stixels of another image need not fit the frames that come now. */
STX_TEST(new_caps_forget_them)
{
  Stage f = begin();

  gst_harness_set_src_caps_str(f.side,
      "application/x-stixels,width=16,height=8,stixel-width=16,columns=1,"
      "framerate=10/1");
  expect_undrawn(&f, OVERLAY_FRAME);
  stx_test_stage_end(&f);

  f = begin();
  gst_harness_set_src_caps_str(f.harness, OVERLAY_VIDEO_CAPS("BGR", 16, 8));
  expect_undrawn(&f, OVERLAY_FRAME);
  stx_test_stage_end(&f);
}

/* ---- Live ---------------------------------------------------------------------------------- */

static Stage begin_live(const char *line)
{
  Stage f = overlay_setup_with(line, TRUE);

  gst_harness_use_testclock(f.harness);
  gst_harness_play(f.harness);
  return f;
}

STX_TEST(a_live_frame_waits_for_the_timeout_once)
{
  g_auto(Stage) f = begin_live(HOLDING " timeout=500");

  overlay_push_frame(&f, 0);
  stx_test_crank(f.harness, 500 * GST_MSECOND);
  overlay_expect_frame(&f, 0, FALSE);
  /* The next ones, for which the pad has nothing either, are not held up: their time is over. */
  for (guint i = 1; i <= 3; i++) {
    overlay_push_frame(&f, i * OVERLAY_FRAME);
    stx_test_crank(f.harness, i * OVERLAY_FRAME);
    overlay_expect_frame(&f, i * OVERLAY_FRAME, FALSE);
  }
  /* It is back, and waited for again. */
  overlay_push_stixels(&f, 4 * OVERLAY_FRAME);
  overlay_push_frame(&f, 4 * OVERLAY_FRAME);
  overlay_expect_frame(&f, 4 * OVERLAY_FRAME, TRUE);
  overlay_push_frame(&f, 5 * OVERLAY_FRAME);
  stx_test_crank(f.harness, 5 * OVERLAY_FRAME + 500 * GST_MSECOND);
  expect_faded(&f, 5 * OVERLAY_FRAME, STRONG(100));
  ck_assert_uint_eq(stx_test_count(f.element, "frames-without-stixels"), 5);
}

/* A machine that is too slow loses the first stixels; for the others, frames wait longer. */
STX_TEST(live_stixels_that_are_always_late_are_waited_for)
{
  g_auto(Stage) f = begin_live(HOLDING " timeout=50");

  overlay_push_frame(&f, 0);
  stx_test_crank(f.harness, 50 * GST_MSECOND);
  overlay_expect_frame(&f, 0, FALSE);
  gst_harness_set_time(f.harness, 300 * GST_MSECOND);
  overlay_push_frame(&f, OVERLAY_FRAME); /* not held up: the pad was given up */
  stx_test_crank(f.harness, OVERLAY_FRAME);
  overlay_expect_frame(&f, OVERLAY_FRAME, FALSE);
  overlay_push_stixels(&f, 0); /* 300 ms late */
  overlay_push_frame(&f, 2 * OVERLAY_FRAME);
  /* No more than 300 ms longer than the one before. */
  stx_test_crank(f.harness, 2 * OVERLAY_FRAME + (200 + 300) * GST_MSECOND);
  expect_faded(&f, 2 * OVERLAY_FRAME, STRONG(200));
}
