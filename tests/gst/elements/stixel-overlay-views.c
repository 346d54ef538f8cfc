/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-overlay: where attached stixels are drawn, and what there is to be seen besides. */
#include "tests/gst/fixtures/overlay_fixture.h"

#include <gst/video/video.h>

#include "gst/stixels/stixels.h"

static const GstStxStixelInfo two_columns_info = {
    .width = 16, .height = 8, .stixel_width = 8, .columns = 2};

static GstBuffer *frame_with_meta(const GstStxStixelInfo *info)
{
  GstBuffer *frame = overlay_frame_at(0), *stixels = overlay_stixels_at(0);

  gst_buffer_add_stx_stixel_meta(frame, stixels, info);
  gst_buffer_unref(stixels);
  return frame;
}

/* ---- Where attached stixels lie ------------------------------------------------------------ */

/* GstVideoMetaTransformMatrix of GStreamer 1.28. */
typedef struct {
  const GstVideoInfo *in_info;
  GstVideoRectangle in;
  const GstVideoInfo *out_info;
  GstVideoRectangle out;
  gfloat matrix[3][3];
} Matrix;

/* A frame of 16×8 pixels made of the one whose stixels it carries. */
static GstBuffer *transformed(GstVideoRectangle in, gfloat across, gfloat offset)
{
  GstBuffer *whole = frame_with_meta(&two_columns_info), *frame = overlay_frame_at(0);
  GstMeta *meta = &gst_buffer_get_stx_stixel_meta(whole)->meta;
  GstVideoInfo video;
  Matrix matrix = {&video, in, &video, {0, 0, 16, 8}, {{across, 0, offset}, {0, 1, 0}, {0, 0, 1}}};

  gst_video_info_set_format(&video, GST_VIDEO_FORMAT_RGB, 16, 8);
  ck_assert(meta->info->transform_func(
      frame, meta, whole, g_quark_from_static_string("gst-video-matrix"), &matrix));
  gst_buffer_unref(whole);
  return frame;
}

/* The stixels' border is in column 8 of their image: of the frame in 3 where 5 columns were cut off
 * on the left, in 6 where what is left is as twice as wide. */
GST_START_TEST(attached_stixels_are_drawn_where_they_lie)
{
  static const struct {
    GstVideoRectangle in;
    gfloat across;
    guint border, end;
  } cases[] = {{{5, 0, 11, 8}, 1, 3, 11}, {{5, 0, 8, 8}, 2, 6, 16}};

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    OverlayFixture f = overlay_setup_with("stixel-overlay " OVERLAY_PLAIN, FALSE);
    GstBuffer *out;
    guint8 row[16 * 3];

    ck_assert_int_eq(
        gst_harness_push(f.video, transformed(cases[i].in, cases[i].across, 0)), GST_FLOW_OK);
    out = gst_harness_pull(f.video);
    gst_buffer_extract(out, 0, row, sizeof row);
    for (guint x = 0; x < 16; x++)
      ck_assert_uint_eq(row[3 * x + 2], x < cases[i].border ? 142 : x < cases[i].end ? 128 : 100);
    gst_buffer_unref(out);
    stx_test_expect_silence(f.bus);
    overlay_teardown(&f);
  }
}
GST_END_TEST;

static void expect_refusal(GstBuffer *frame, const char *word)
{
  OverlayFixture f = overlay_setup_with("stixel-overlay " OVERLAY_PLAIN, FALSE);

  gst_harness_push(f.video, frame);
  stx_test_expect_error(f.bus, word, NULL);
  overlay_teardown(&f);
}

GST_START_TEST(what_lies_otherwise_is_refused)
{
  const GstStxStixelInfo tall = {.width = 16, .height = 16, .stixel_width = 8, .columns = 2};

  expect_refusal(frame_with_meta(&tall), "16x16");
  expect_refusal(transformed((GstVideoRectangle){0, 0, 16, 8}, -1, 15), "mirrored");
}
GST_END_TEST;

static Suite *stixel_overlay_views_suite(void)
{
  Suite *suite = suite_create("stixel-overlay-views");
  TCase *tests = tcase_create("stixel-overlay-views");

  suite_add_tcase(suite, tests);
  tcase_add_test(tests, attached_stixels_are_drawn_where_they_lie);
  tcase_add_test(tests, what_lies_otherwise_is_refused);
  return suite;
}

GST_CHECK_MAIN(stixel_overlay_views)
