/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-overlay: which stixels come to which frame. */
#include "tests/gst/fixtures/overlay_fixture.h"

#include <gst/video/video.h>

/* ---- Pairing ------------------------------------------------------------------------------- */

STX_TEST(draws_and_attaches_the_stixels_of_the_moment)
{
  g_auto(Stage) f = overlay_setup();

  for (guint i = 0; i < 5; i++) {
    if (i % 2 == 0)
      overlay_push_frame(&f, i * OVERLAY_FRAME);
    overlay_push_stixels(&f, i * OVERLAY_FRAME + GST_MSECOND);
    if (i % 2 != 0)
      overlay_push_frame(&f, i * OVERLAY_FRAME);
    overlay_expect_frame(&f, i * OVERLAY_FRAME, TRUE);
  }
  ck_assert_uint_eq(stx_test_count(f.element, "frames-without-stixels"), 0);
  stx_test_expect_silence(f.bus);
}

STX_TEST(a_frame_without_stixels_goes_on_undrawn)
{
  g_auto(Stage) f = overlay_setup();

  overlay_push_frame(&f, 0);
  overlay_push_stixels(&f, 0);
  overlay_expect_frame(&f, 0, TRUE);
  overlay_push_stixels(&f, 3 * OVERLAY_FRAME);
  for (guint i = 1; i <= 3; i++) {
    overlay_push_frame(&f, i * OVERLAY_FRAME);
    overlay_expect_frame(&f, i * OVERLAY_FRAME, i == 3);
  }
  ck_assert_uint_eq(stx_test_count(f.element, "frames-without-stixels"), 2);
  stx_test_expect_warning(f.bus, "0:00:00.100000000");
}

STX_TEST(stixels_without_a_frame_are_dropped)
{
  g_auto(Stage) f = overlay_setup();

  overlay_push_frame(&f, 2 * OVERLAY_FRAME);
  for (guint i = 0; i <= 2; i++)
    overlay_push_stixels(&f, i * OVERLAY_FRAME);
  overlay_expect_frame(&f, 2 * OVERLAY_FRAME, TRUE);
  overlay_push_frame(&f, 3 * OVERLAY_FRAME);
  overlay_push_stixels(&f, 1 * OVERLAY_FRAME); /* late, and out of order */
  overlay_push_stixels(&f, 3 * OVERLAY_FRAME);
  overlay_expect_frame(&f, 3 * OVERLAY_FRAME, TRUE);
  ck_assert_uint_eq(stx_test_count(f.element, "unpaired"), 3);
  ck_assert_uint_eq(stx_test_count(f.element, "frames-without-stixels"), 0);
}

STX_TEST(frames_outlive_the_stixels_but_not_the_other_way_round)
{
  Stage f = overlay_setup();

  overlay_push_frame(&f, 0);
  overlay_push_stixels(&f, 0);
  fail_unless(gst_harness_push_event(f.side, gst_event_new_eos()));
  overlay_push_frame(&f, OVERLAY_FRAME);
  overlay_expect_frame(&f, 0, TRUE);
  overlay_expect_frame(&f, OVERLAY_FRAME, FALSE);
  fail_unless(gst_harness_push_event(f.harness, gst_event_new_eos()));
  stx_test_expect_event(f.harness, GST_EVENT_EOS);
  stx_test_stage_end(&f);

  f = overlay_setup();
  overlay_push_stixels(&f, 0);
  fail_unless(gst_harness_push_event(f.harness, gst_event_new_eos()));
  stx_test_expect_event(f.harness, GST_EVENT_EOS);
  ck_assert_uint_eq(gst_harness_buffers_received(f.harness), 0);
  stx_test_stage_end(&f);
}

STX_TEST(a_live_frame_waits_for_the_latency_only)
{
  g_auto(Stage) f = overlay_setup_with("stixel-overlay latency=50000000 " OVERLAY_PLAIN, TRUE);

  gst_harness_use_testclock(f.harness);
  gst_harness_play(f.harness);
  overlay_push_frame(&f, 0);
  fail_unless(gst_harness_wait_for_clock_id_waits(f.harness, 1, 10));
  ck_assert_uint_eq(gst_harness_buffers_received(f.harness), 0);
  fail_unless(gst_harness_crank_single_clock_wait(f.harness)); /* on to the deadline */
  overlay_expect_frame(&f, 0, FALSE);
  ck_assert_uint_eq(stx_test_count(f.element, "frames-without-stixels"), 1);
}

/* ---- Stixels on the frame ------------------------------------------------------------------ */

STX_TEST(without_a_stixels_pad_the_attached_ones_are_drawn)
{
  g_auto(Stage) f = overlay_setup_with("stixel-overlay " OVERLAY_PLAIN, FALSE);

  ck_assert_int_eq(
      gst_harness_push(f.harness, overlay_frame_with(overlay_stixels_at(0), &overlay_info)),
      GST_FLOW_OK);
  overlay_expect_frame(&f, 0, TRUE);
  stx_test_expect_silence(f.bus);
  overlay_push_frame(&f, OVERLAY_FRAME);
  overlay_push_frame(&f, 2 * OVERLAY_FRAME);
  overlay_expect_frame(&f, OVERLAY_FRAME, FALSE);
  overlay_expect_frame(&f, 2 * OVERLAY_FRAME, FALSE);
  stx_test_expect_warning(f.bus, "not linked");
}

/* Stixels that fill the upper half of the frame, and then others of another size: the pixel shows
 * that each number of the size counts at once. */
static const struct {
  GstStxStixelInfo then;
  int x, y;
  guint8 before[3], after[3];
} sizes[] = {
    {{15, 8, 8, 2}, 8, 0, {128, 64, 128}, {0, 0, 142}},
    {{16, 7, 8, 2}, 0, 4, {100, 100, 100}, {0, 0, 142}},
    {{16, 8, 4, 2}, 4, 0, {0, 0, 142}, {128, 64, 128}},
    {{16, 8, 8, 1}, 8, 0, {128, 64, 128}, {100, 100, 100}},
};

STX_TEST_LOOP(attached_stixels_may_change_size, G_N_ELEMENTS(sizes))
{
  StxStixel records[] = {overlay_two_columns[0], overlay_two_columns[1]};
  g_auto(Stage) f = overlay_setup_with("stixel-overlay " OVERLAY_PLAIN, FALSE);

  records[0].bottom = records[1].bottom = 3;
  for (guint i = 0; i < 2; i++) {
    GstBuffer *stixels = overlay_records_at(i * OVERLAY_FRAME, records, 2);
    g_autoptr(GstBuffer) frame =
        overlay_frame_with(stixels, i == 0 ? &overlay_info : &sizes[_i].then);
    gsize at = (16 * (gsize)sizes[_i].y + (gsize)sizes[_i].x) * 3;

    gst_stx_stixel_meta_set_frame_size(gst_buffer_get_stx_stixel_meta(frame), 16, 8);
    ck_assert_int_eq(gst_harness_push(f.harness, frame), GST_FLOW_OK);
    frame = gst_harness_pull(f.harness);
    fail_unless(gst_buffer_memcmp(frame, at, i == 0 ? sizes[_i].before : sizes[_i].after, 3) == 0,
        "frame %u", i);
  }
}

STX_TEST(the_pad_replaces_what_was_attached)
{
  const StxStixel sky[] = {{0, 0, 7, STX_KIND_SKY, 10, 0, 0, 0, 1}};
  const GstStxStixelInfo info = {.width = 16, .height = 8, .stixel_width = 16, .columns = 1};
  g_auto(Stage) f = overlay_setup();
  GstBuffer *frame = overlay_frame_with(overlay_records_at(0, sky, 1), &info);

  ck_assert_int_eq(gst_harness_push(f.harness, frame), GST_FLOW_OK);
  overlay_push_stixels(&f, 0);
  overlay_expect_frame(&f, 0, TRUE);
}
