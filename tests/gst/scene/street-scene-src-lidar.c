/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The LiDAR in the synthetic street: caps, times, odd scans. Bytes: tests/frames/records.txt. */
#include "tests/gst/fixtures/util.h"

#include <math.h>

#define SMALL "threads=1 azimuth-steps=90"

static const struct {
  const char *view, *media_type;
} views[] = {
    {"lidar", "application/x-lidar"},
    {"lidar-labels", "application/x-point-labels"},
};

/* ---- Helpers -------------------------------------------------------------------------------- */

/* A harness keeps all frames of the source, so each test asks for as many as it pulls. */
static GstHarness *harness_new(const char *view, const char *properties, const char *caps)
{
  g_autofree gchar *line = g_strdup_printf("street-scene-src view=%s %s", view, properties);

  return stx_test_source(line, caps);
}

/* ---- Views ---------------------------------------------------------------------------------- */

/* Two elements with equal properties: a label for every point. */
STX_TEST(points_and_labels_belong_together)
{
  const char *properties = "num-buffers=4 seed=9 lidar-dropout=0.1 " SMALL;
  g_autoptr(Harness) points = harness_new("lidar", properties, NULL);
  g_autoptr(Harness) labels = harness_new("lidar-labels", properties, NULL);

  for (gint i = 0; i < 4; i++) {
    g_autoptr(GstBuffer) a = gst_harness_pull(points);
    g_autoptr(GstBuffer) b = gst_harness_pull(labels);

    ck_assert_uint_gt(gst_buffer_get_size(a), 0);
    ck_assert_uint_eq(gst_buffer_get_size(a), 4 * gst_buffer_get_size(b));
    ck_assert_uint_eq(GST_BUFFER_PTS(a), GST_BUFFER_PTS(b));
  }
}

/* An empty scan is a buffer, too: no element waits for it in vain. */
STX_TEST_LOOP(empty_scans_are_buffers, G_N_ELEMENTS(views))
{
  g_autoptr(Harness) harness =
      harness_new(views[_i].view, "num-buffers=3 lidar-dropout=1 " SMALL, NULL);

  for (gint i = 0; i < 3; i++) {
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);

    ck_assert_uint_eq(gst_buffer_get_size(buffer), 0);
    ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), i);
  }
}

/* ---- Caps, time ----------------------------------------------------------------------------- */

/* Points say where their sensor stands, too: 1.73 m above the road, the camera 1.65 m. */
static void expect_place(GstStructure *structure)
{
  const char *const fields[] = {
      "sensor-x", "sensor-y", "sensor-z", "sensor-roll", "sensor-pitch", "sensor-yaw"};

  for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
    gdouble value = NAN;

    ck_assert(gst_structure_get_double(structure, fields[i], &value));
    ck_assert(fabs(value - (i == 2 ? .08 : 0)) < 1e-9);
    gst_structure_remove_field(structure, fields[i]);
  }
}

static void expect_caps(GstHarness *harness, const char *text)
{
  g_autoptr(GstCaps) caps = gst_caps_make_writable(gst_pad_get_current_caps(harness->sinkpad));
  g_autoptr(GstCaps) expected = gst_caps_from_string(text);

  if (g_str_has_prefix(text, "application/x-lidar"))
    expect_place(gst_caps_get_structure(caps, 0));
  fail_unless(gst_caps_is_strictly_equal(caps, expected), "%" GST_PTR_FORMAT, caps);
}

/* 12.5 scans a second; without a wish 10. */
STX_TEST_LOOP(the_rate_is_that_of_the_caps, G_N_ELEMENTS(views))
{
  g_autofree gchar *wish = g_strdup_printf("%s,framerate=25/2", views[_i].media_type);
  g_autofree gchar *usual = g_strdup_printf("%s,framerate=10/1", views[_i].media_type);
  GstHarness *harness = harness_new(views[_i].view, "num-buffers=4 " SMALL, wish);

  for (guint64 i = 0; i < 4; i++) {
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);

    ck_assert_uint_eq(GST_BUFFER_PTS(buffer), i * 80 * GST_MSECOND);
    ck_assert_uint_eq(GST_BUFFER_DURATION(buffer), 80 * GST_MSECOND);
    ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), i);
  }
  expect_caps(harness, wish);
  gst_harness_teardown(harness);
  harness = harness_new(views[_i].view, "num-buffers=1 " SMALL, views[_i].media_type);
  gst_buffer_unref(gst_harness_pull(harness));
  expect_caps(harness, usual);
  gst_harness_teardown(harness);
}

STX_TEST(wrong_caps_are_named)
{
  g_autoptr(Harness) harness = gst_harness_new_parse("street-scene-src view=lidar");
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  gst_harness_set_sink_caps_str(harness, "application/x-point-labels");
  gst_harness_play(harness);
  stx_test_expect_error(bus, "application/x-lidar", "application/x-point-labels", NULL);
}
