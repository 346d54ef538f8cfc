/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-overlay: memory, changes in mid-stream, and what is refused. */
#include "tests/gst/fixtures/overlay_fixture.h"

#include <gst/video/video.h>
#include <string.h>

/* ---- Memory -------------------------------------------------------------------------------- */

STX_TEST(draws_in_place_unless_somebody_else_looks)
{
  guint8 grey[OVERLAY_FRAME_SIZE];
  g_auto(Stage) f = overlay_setup();
  GstBuffer *frame = overlay_frame_at(0);
  g_autoptr(GstBuffer) shared = overlay_frame_at(OVERLAY_FRAME);
  g_autoptr(GstBuffer) out = NULL;
  GstMemory *memory = gst_buffer_peek_memory(frame, 0);

  memset(grey, 100, sizeof grey);
  ck_assert_int_eq(gst_harness_push(f.harness, frame), GST_FLOW_OK);
  overlay_push_stixels(&f, 0);
  out = gst_harness_pull(f.harness);
  ck_assert_ptr_eq(gst_buffer_peek_memory(out, 0), memory);

  ck_assert_int_eq(gst_harness_push(f.harness, gst_buffer_ref(shared)), GST_FLOW_OK);
  overlay_push_stixels(&f, OVERLAY_FRAME);
  overlay_expect_frame(&f, OVERLAY_FRAME, TRUE);
  stx_test_expect_bytes(shared, grey, sizeof grey, "shared frame");
}

STX_TEST(records_may_begin_at_an_odd_address)
{
  g_auto(Stage) f = overlay_setup();
  g_autoptr(GstBuffer) stixels = overlay_stixels_at(0);

  overlay_push_frame(&f, 0);
  ck_assert_int_eq(gst_harness_push(f.side, stx_test_at_odd_address(stixels)), GST_FLOW_OK);
  overlay_expect_frame(&f, 0, TRUE);
}

STX_TEST(respects_the_strides_of_a_frame)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = {7};
  gint strides[GST_VIDEO_MAX_PLANES] = {64};
  g_auto(Stage) f = overlay_setup();
  GstBuffer *frame = stx_test_buffer(7 + 64 * 8, 100, 0, OVERLAY_FRAME);
  g_autoptr(GstBuffer) out = NULL;
  guint8 expected[7 + 64 * 8];

  memset(expected, 100, sizeof expected);
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 16; x++)
      memcpy(expected + 7 + 64 * y + 3 * x,
          x < 8 ? (guint8[]){0, 0, 142} : (guint8[]){128, 64, 128}, 3);
  gst_buffer_add_video_meta_full(
      frame, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_RGB, 16, 8, 1, offsets, strides);
  ck_assert_int_eq(gst_harness_push(f.harness, frame), GST_FLOW_OK);
  overlay_push_stixels(&f, 0);
  out = gst_harness_pull(f.harness);
  stx_test_expect_bytes(out, expected, sizeof expected, "padded frame");
}

/* ---- Changes in mid-stream ----------------------------------------------------------------- */

STX_TEST(sizes_may_change)
{
  g_auto(Stage) f = overlay_setup();
  GstBuffer *out;

  overlay_push_frame(&f, 0);
  overlay_push_stixels(&f, 0);
  overlay_expect_frame(&f, 0, TRUE);
  /* Twice the frame, the same stixels: they scale. */
  gst_harness_set_src_caps_str(f.harness, OVERLAY_VIDEO_CAPS("RGB", 32, 16));
  overlay_push_stixels(&f, OVERLAY_FRAME);
  ck_assert_int_eq(gst_harness_push(f.harness,
                       stx_test_buffer(4 * OVERLAY_FRAME_SIZE, 100, OVERLAY_FRAME, OVERLAY_FRAME)),
      GST_FLOW_OK);
  out = gst_harness_pull(f.harness);
  ck_assert_uint_eq(gst_buffer_get_size(out), 4 * OVERLAY_FRAME_SIZE);
  gst_buffer_unref(out);
  /* Back, with stixels of half the image. */
  gst_harness_set_src_caps_str(f.harness, OVERLAY_VIDEO_CAPS("RGB", 16, 8));
  gst_harness_set_src_caps_str(
      f.side, "application/x-stixels,width=8,height=4,stixel-width=4,columns=2,framerate=10/1");
  overlay_push_frame(&f, 2 * OVERLAY_FRAME);
  const StxStixel half[] = {
      {0, 0, 3, STX_KIND_OBJECT, 13, 20, 20, 0, 1}, {1, 0, 3, STX_KIND_GROUND, 0, 5, 30, 0, 1}};
  ck_assert_int_eq(
      gst_harness_push(f.side, overlay_records_at(2 * OVERLAY_FRAME, half, 2)), GST_FLOW_OK);
  out = gst_harness_pull(f.harness);
  gst_buffer_extract(out, 0, &(guint8[3]){0}, 3);
  ck_assert_uint_eq(gst_buffer_get_stx_stixel_meta(out)->info.width, 8);
  fail_unless(gst_buffer_memcmp(out, OVERLAY_FRAME_SIZE - 3, (guint8[]){128, 64, 128}, 3) == 0);
  fail_unless(gst_buffer_memcmp(out, 0, (guint8[]){0, 0, 142}, 3) == 0);
  gst_buffer_unref(out);
  stx_test_expect_silence(f.bus);
}

/* ---- What is refused ----------------------------------------------------------------------- */

STX_TEST(another_shape_is_an_error_with_both_sizes)
{
  g_auto(Stage) f = overlay_setup();

  gst_harness_set_src_caps_str(f.harness, OVERLAY_VIDEO_CAPS("RGB", 64, 64));
  gst_harness_push(f.harness, stx_test_buffer(64 * 64 * 3, 0, 0, OVERLAY_FRAME));
  gst_harness_push(f.side, overlay_stixels_at(0));
  stx_test_expect_error(f.bus, "16x8", "64x64", NULL);
}

STX_TEST(stixels_caps_without_a_size_are_refused)
{
  g_auto(Stage) f = overlay_setup();

  gst_harness_set_src_caps_str(f.side, "application/x-stixels,width=16,framerate=10/1");
  overlay_push_frame(&f, 0);
  gst_harness_push(f.side, overlay_stixels_at(0));
  stx_test_expect_error(f.bus, "height", NULL);
}

STX_TEST(video_that_cannot_be_drawn_on_is_refused)
{
  g_auto(Stage) f = overlay_setup();

  gst_harness_set_src_caps_str(f.harness, OVERLAY_VIDEO_CAPS("GRAY8", 16, 8));
  overlay_push_frame(&f, 0);
  gst_harness_push(f.side, overlay_stixels_at(0));
  stx_test_expect_error(f.bus, "GRAY8", "RGB", "videoconvert", NULL);
}

STX_TEST(depth_needs_a_camera)
{
  Stage f = overlay_setup_with("stixel-overlay mode=distance scale=depth", TRUE);

  overlay_push_frame(&f, 0);
  gst_harness_push(f.side, overlay_stixels_at(0));
  stx_test_expect_error(f.bus, "scale=depth", "focal", NULL);
  stx_test_stage_end(&f);

  f = overlay_setup_with("stixel-overlay mode=distance scale=depth", TRUE);
  gst_harness_set_src_caps_str(
      f.side, OVERLAY_STIXEL_CAPS ",camera-focal=(double)700,camera-baseline=(double).5");
  overlay_push_frame(&f, 0);
  overlay_push_stixels(&f, 0);
  gst_buffer_unref(gst_harness_pull(f.harness));
  stx_test_expect_silence(f.bus);
  stx_test_stage_end(&f);
}

STX_TEST(bad_records_are_skipped_and_counted)
{
  StxStixel records[] = {overlay_two_columns[0], overlay_two_columns[1], overlay_two_columns[1],
      overlay_two_columns[1]};
  g_auto(Stage) f = overlay_setup();

  records[2].column = 7;
  for (guint i = 0; i < 2; i++) {
    overlay_push_frame(&f, i * OVERLAY_FRAME);
    ck_assert_int_eq(
        gst_harness_push(f.side, overlay_records_at(i * OVERLAY_FRAME, records, 4)), GST_FLOW_OK);
    gst_buffer_unref(gst_harness_pull(f.harness));
  }
  ck_assert_uint_eq(stx_test_count(f.element, "skipped-stixels"), 4);
  stx_test_expect_warning(f.bus, "2 of 4");
}

STX_TEST(odd_buffers_of_stixels)
{
  g_auto(Stage) f = overlay_setup();

  overlay_push_frame(&f, 0);
  gst_harness_push(f.side, stx_test_buffer(0, 0, 0, OVERLAY_FRAME));
  overlay_expect_frame(&f, 0, FALSE);
  ck_assert_uint_eq(stx_test_count(f.element, "frames-without-stixels"), 1);
  stx_test_expect_warning(f.bus, "no stixels");
  overlay_push_frame(&f, OVERLAY_FRAME);
  gst_harness_push(f.side, stx_test_buffer(25, 0, OVERLAY_FRAME, OVERLAY_FRAME));
  stx_test_expect_error(f.bus, "25", "24", NULL);
}

STX_TEST(frames_that_are_too_small_are_an_error)
{
  g_auto(Stage) f = overlay_setup();

  gst_harness_push(f.harness, stx_test_buffer(OVERLAY_FRAME_SIZE - 1, 0, 0, OVERLAY_FRAME));
  gst_harness_push(f.side, overlay_stixels_at(0));
  stx_test_expect_error(f.bus, "383", "16x8", "RGB", NULL);
}
