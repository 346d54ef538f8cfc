/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/elements/overlay_fixture.h"

#include <string.h>

#include "gst/stixels/gststxmeta.h"

OverlayFixture overlay_setup_with(const char *line, gboolean with_stixels)
{
  OverlayFixture f = {.element = gst_parse_launch(line, NULL)};

  fail_unless(f.element != NULL);
  f.bus = stx_test_watch(f.element);
  f.video = gst_harness_new_with_element(f.element, "sink", "src");
  if (with_stixels)
    f.stixels = gst_harness_new_with_element(f.element, "stixels", NULL);
  gst_harness_set_src_caps_str(f.video, OVERLAY_VIDEO_CAPS("RGB", 16, 8));
  if (with_stixels)
    gst_harness_set_src_caps_str(f.stixels, OVERLAY_STIXEL_CAPS);
  return f;
}

OverlayFixture overlay_setup(void)
{
  return overlay_setup_with("stixel-overlay " OVERLAY_PLAIN, TRUE);
}

void overlay_teardown(OverlayFixture *f)
{
  if (f->stixels != NULL)
    gst_harness_teardown(f->stixels);
  gst_harness_teardown(f->video);
  gst_element_set_bus(f->element, NULL);
  gst_object_unref(f->bus);
  gst_object_unref(f->element);
}

GstBuffer *overlay_frame_at(GstClockTime pts)
{
  return stx_test_buffer(OVERLAY_FRAME_SIZE, 100, pts, OVERLAY_FRAME);
}

GstBuffer *overlay_records_at(GstClockTime pts, const StxStixel *records, gsize count)
{
  GstBuffer *buffer = stx_test_buffer(count * sizeof *records, 0, pts, OVERLAY_FRAME);

  gst_buffer_fill(buffer, 0, records, count * sizeof *records);
  return buffer;
}

const StxStixel overlay_two_columns[2] = {
    {0, 0, 7, STX_KIND_OBJECT, 13, 20, 20, 0, 1}, {1, 0, 7, STX_KIND_GROUND, 0, 5, 30, 0, 1}};

GstBuffer *overlay_stixels_at(GstClockTime pts)
{
  return overlay_records_at(pts, overlay_two_columns, 2);
}

void overlay_push_frame(OverlayFixture *f, GstClockTime pts)
{
  ck_assert_int_eq(gst_harness_push(f->video, overlay_frame_at(pts)), GST_FLOW_OK);
}

void overlay_push_stixels(OverlayFixture *f, GstClockTime pts)
{
  ck_assert_int_eq(gst_harness_push(f->stixels, overlay_stixels_at(pts)), GST_FLOW_OK);
}

guint64 overlay_counter(OverlayFixture *f, const char *name)
{
  guint64 value;

  g_object_get(f->element, name, &value, NULL);
  return value;
}

void overlay_expect_frame(OverlayFixture *f, GstClockTime pts, gboolean drawn)
{
  GstBuffer *frame = gst_harness_pull(f->video);
  GstStxStixelMeta *meta;
  guint8 bytes[OVERLAY_FRAME_SIZE];

  fail_unless(frame != NULL);
  ck_assert_uint_eq(GST_BUFFER_PTS(frame), pts);
  ck_assert_uint_eq(gst_buffer_extract(frame, 0, bytes, OVERLAY_FRAME_SIZE), OVERLAY_FRAME_SIZE);
  for (gsize i = 0; i < OVERLAY_FRAME_SIZE; i++) {
    const guint8 colours[2][3] = {{0, 0, 142}, {128, 64, 128}};
    int expected = drawn ? colours[i / 3 % 16 / 8][i % 3] : 100;

    ck_assert_msg(
        bytes[i] == expected, "byte %" G_GSIZE_FORMAT " is %d, expected %d", i, bytes[i], expected);
  }
  meta = gst_buffer_get_stx_stixel_meta(frame);
  fail_unless((meta != NULL) == drawn);
  if (drawn) {
    stx_test_expect_bytes(
        meta->stixels, overlay_two_columns, sizeof overlay_two_columns, "stixels");
    ck_assert_uint_eq(meta->info.width, 16);
    ck_assert_uint_eq(meta->info.columns, 2);
  }
  gst_buffer_unref(frame);
}

void overlay_expect_one_warning(OverlayFixture *f, const char *word)
{
  GstMessage *message = gst_bus_timed_pop_filtered(f->bus, 10 * GST_SECOND, GST_MESSAGE_WARNING);
  GError *error = NULL;

  fail_unless(message != NULL, "no warning about %s", word);
  gst_message_parse_warning(message, &error, NULL);
  ck_assert_msg(strstr(error->message, word) != NULL, "\"%s\" lacks %s", error->message, word);
  g_error_free(error);
  gst_message_unref(message);
  stx_test_expect_silence(f->bus);
}
