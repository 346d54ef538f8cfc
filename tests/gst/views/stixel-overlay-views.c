/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stixel-overlay: where attached stixels are drawn, and in which colours. */
#include "tests/gst/fixtures/overlay_fixture.h"

#include <gst/video/video.h>

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
  g_autoptr(GstBuffer) whole = overlay_frame_with(overlay_stixels_at(0), &overlay_info);
  GstBuffer *frame = overlay_frame_at(0);
  GstMeta *meta = &gst_buffer_get_stx_stixel_meta(whole)->meta;
  GstVideoInfo video;
  Matrix matrix = {&video, in, &video, {0, 0, 16, 8}, {{across, 0, offset}, {0, 1, 0}, {0, 0, 1}}};

  gst_video_info_set_format(&video, GST_VIDEO_FORMAT_RGB, 16, 8);
  ck_assert(meta->info->transform_func(
      frame, meta, whole, g_quark_from_static_string("gst-video-matrix"), &matrix));
  return frame;
}

/* The stixels' border is in column 8 of their image: of the frame in 3 where 5 columns were cut off
 * on the left, in 6 where what is left is as twice as wide. */
STX_TEST(attached_stixels_are_drawn_where_they_lie)
{
  static const struct {
    GstVideoRectangle in;
    gfloat across;
    guint border, end;
  } cases[] = {{{5, 0, 11, 8}, 1, 3, 11}, {{5, 0, 8, 8}, 2, 6, 16}};

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(Stage) f = overlay_setup_with("stixel-overlay " OVERLAY_PLAIN, FALSE);
    g_autoptr(GstBuffer) out = NULL;
    guint8 row[16 * 3];

    ck_assert_int_eq(
        gst_harness_push(f.harness, transformed(cases[i].in, cases[i].across, 0)), GST_FLOW_OK);
    out = gst_harness_pull(f.harness);
    gst_buffer_extract(out, 0, row, sizeof row);
    for (guint x = 0; x < 16; x++)
      ck_assert_uint_eq(row[3 * x + 2], x < cases[i].border ? 142 : x < cases[i].end ? 128 : 100);
    stx_test_expect_silence(f.bus);
  }
}

static void expect_refusal(GstBuffer *frame, const char *word)
{
  g_auto(Stage) f = overlay_setup_with("stixel-overlay " OVERLAY_PLAIN, FALSE);

  gst_harness_push(f.harness, frame);
  stx_test_expect_error(f.bus, word, NULL);
}

STX_TEST(what_lies_otherwise_is_refused)
{
  const GstStxStixelInfo tall = {.width = 16, .height = 16, .stixel_width = 8, .columns = 2};

  expect_refusal(overlay_frame_with(overlay_stixels_at(0), &tall), "16x16");
  expect_refusal(transformed((GstVideoRectangle){0, 0, 16, 8}, -1, 15), "mirrored");
}

/* ---- Colours of distances ------------------------------------------------------------------ */

/* Draws an object of that disparity beside one of half of it. */
static GstBuffer *drawn(Stage *f, gfloat disparity, gdouble metres)
{
  StxStixel records[] = {{0, 0, 7, STX_KIND_OBJECT, 13, disparity, disparity, 0, 1},
      {1, 0, 7, STX_KIND_OBJECT, 13, disparity / 2, disparity / 2, 0, 1}};
  GstStxStixelInfo info = overlay_info;

  info.camera = (StxCamera){.focal = metres, .baseline = metres > 0};
  ck_assert_int_eq(
      gst_harness_push(f->harness, overlay_frame_with(overlay_records_at(0, records, 2), &info)),
      GST_FLOW_OK);
  return gst_harness_pull(f->harness);
}

/* The scale fits the first of 16 frames; near and far things keep different colours. */
STX_TEST(colours_fit_what_is_seen)
{
  static const struct {
    gfloat disparity;
    gdouble metres; /* of a pixel of disparity; 0: no camera */
    const char *scale;
  } cases[] = {
      {200, 0, "scale=disparity max-disparity=256"},
      {800, 0, "scale=disparity max-disparity=1024"},
      {200, 500, "scale=depth max-distance=10"},
      {200, 30, "scale=depth max-distance=0.4"},
      {100, 1800, "scale=depth max-distance=50"},
  };
  g_auto(Stage) fitting = overlay_setup_with("stixel-overlay alpha=1 legend=none hold=0", FALSE);

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree gchar *line =
        g_strconcat("stixel-overlay alpha=1 legend=none hold=0 ", cases[i].scale, NULL);
    g_auto(Stage) fixed = overlay_setup_with(line, FALSE);

    for (guint frame = 0; frame < 16; frame++) {
      gfloat disparity = frame == 0 ? cases[i].disparity : 30;
      g_autoptr(GstBuffer) ours = drawn(&fitting, disparity, cases[i].metres);
      g_autoptr(GstBuffer) theirs = drawn(&fixed, disparity, cases[i].metres);
      GstMapInfo map;

      ck_assert(gst_buffer_map(theirs, &map, GST_MAP_READ));
      ck_assert_msg(gst_buffer_memcmp(ours, 0, map.data, map.size) == 0, "%s %u", line, frame);
      ck_assert(frame > 0 || memcmp(map.data, map.data + 24, 3) != 0);
      gst_buffer_unmap(theirs, &map);
    }
  }
}
