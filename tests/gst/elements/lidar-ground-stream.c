/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lidar-ground in streams: refusals, flushes and restarts, states, leaks, files of labels. */
#include <glib/gstdio.h>
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define POINTS 1000
#define STREET "street-scene-src view=lidar num-buffers=3 "

static const StxGroundParams defaults = STX_GROUND_DEFAULTS;

/* ---- Refusals ------------------------------------------------------------------------------ */

static const struct {
  const char *line, *caps;
  gsize bytes;
  const char *words[3];
} refusals[] = {
    {"lidar-ground", "application/octet-stream", 16,
        {"application/x-lidar", "application/octet-stream", "put lidar-parse before lidar-ground"}},
    {"lidar-ground ! capsfilter caps=application/x-lidar",
        "video/x-raw,format=RGB,width=16,height=16", 768,
        {"application/x-lidar", "video/x-raw", "lidar-parse"}},
    {"lidar-ground", NULL, 16,
        {"application/x-lidar", "without caps", "put lidar-parse before lidar-ground"}},
    {"lidar-ground", SCAN_CAPS, 24, {"24 bytes", "16", "whole number"}},
    {"lidar-ground", SCAN_CAPS, 1, {"1 bytes", "16", "whole number"}},
    {"lidar-ground r-min=20 r-max=20", SCAN_CAPS, 16, {"r_max is 20", "r_min 20", "0.1"}},
    {"lidar-ground cluster-cell=0.01 r-max=100", SCAN_CAPS, 16,
        {"cluster_cell is 0.01", "0.0976562", "r_max"}},
};

GST_START_TEST(refuses_with_a_reason)
{
  ScanFixture fixture = scan_begin("lidar-ground", refusals[__i__].line, NULL);
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(fixture.harness, gst_event_new_stream_start("scans"));
  if (refusals[__i__].caps != NULL) {
    GstCaps *caps = gst_caps_from_string(refusals[__i__].caps);

    gst_harness_push_event(fixture.harness, gst_event_new_caps(caps));
    gst_caps_unref(caps);
  }
  gst_harness_push_event(fixture.harness, gst_event_new_segment(&segment));
  ck_assert_int_ne(
      gst_harness_push(fixture.harness, stx_test_buffer(refusals[__i__].bytes, 0, 0, SCAN_TIME)),
      GST_FLOW_OK);
  stx_test_expect_error(fixture.bus, refusals[__i__].words[0], refusals[__i__].words[1],
      refusals[__i__].words[2], NULL);
  ck_assert_uint_eq(gst_harness_buffers_received(fixture.harness), 0);
  scan_end(&fixture);
}
GST_END_TEST

/* Combinations that become impossible while scans pass. */
GST_START_TEST(refuses_in_mid_stream)
{
  ScanFixture fixture = scan_begin("lidar-ground", "lidar-ground", SCAN_CAPS);
  gfloat points[4 * POINTS];

  scan_points(points, POINTS, 1);
  gst_buffer_unref(scan_run(&fixture, points, POINTS));
  g_object_set(fixture.element, "r-max", 0.5, NULL);
  ck_assert_int_eq(
      gst_harness_push(fixture.harness, scan_buffer(points, POINTS, 0)), GST_FLOW_ERROR);
  stx_test_expect_error(fixture.bus, "r_max is 0.5", "r_min 0.5", NULL);
  scan_end(&fixture);
}
GST_END_TEST

GST_START_TEST(a_file_without_lidar_parse)
{
  gchar *path = g_build_filename(g_get_tmp_dir(), "stx-lidar-XXXXXX", NULL), *line;
  gint file = g_mkstemp(path);

  ck_assert_int_ge(file, 0);
  ck_assert(g_close(file, NULL) && g_file_set_contents(path, "0123456789abcdef", 16, NULL));
  line = g_strdup_printf("filesrc location=%s ! lidar-ground ! fakesink", path);
  stx_test_breaks(line, "put lidar-parse before lidar-ground", NULL);
  g_unlink(path);
  g_free(line);
  g_free(path);
}
GST_END_TEST

/* What follows takes another frame rate: the element that cannot make it says so. */
static const char *const rates[] = {
    "street-scene-src view=lidar num-buffers=1 ! lidar-parse ! lidar-bev ! "
    "video/x-raw,framerate=7/1 ! fakesink",
    "street-scene-src view=lidar num-buffers=1 ! lidar-parse ! lidar-ground ! "
    "application/x-lidar,framerate=7/1 ! fakesink",
    "street-scene-src view=lidar num-buffers=1 ! lidar-parse ! stixel-obstacles ! "
    "application/x-obstacles,framerate=7/1 ! fakesink",
    "street-scene-src view=lidar num-buffers=1 ! lidar-parse ! "
    "application/x-lidar,framerate=7/1 ! fakesink",
};

GST_START_TEST(another_rate_is_refused_by_name)
{
  stx_test_breaks(rates[__i__], "The next element takes", "(fraction)7/1", NULL);
}
GST_END_TEST

/* ---- Streams ------------------------------------------------------------------------------- */

static void expect_reference(ScanFixture *fixture, guint32 seed)
{
  gfloat points[4 * POINTS];
  guint32 *expected;
  GstBuffer *output;

  scan_points(points, POINTS, seed);
  expected = scan_reference(&defaults, points, POINTS, NULL);
  output = scan_run(fixture, points, POINTS);
  stx_test_expect_bytes(gst_buffer_get_stx_point_labels_meta(output)->labels, expected, 4 * POINTS,
      "after a flush or a restart");
  gst_buffer_unref(output);
  g_free(expected);
}

GST_START_TEST(flushes_ends_and_restarts)
{
  ScanFixture fixture = scan_begin("lidar-ground", "lidar-ground", SCAN_CAPS);
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  expect_reference(&fixture, 1);
  scan_flush(&fixture);
  expect_reference(&fixture, 2);
  ck_assert(gst_harness_push_event(fixture.harness, gst_event_new_eos()));
  scan_flush(&fixture);
  expect_reference(&fixture, 3);
  ck_assert_int_eq(
      gst_element_set_state(fixture.element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  g_object_set(fixture.element, "backend", STX_BACKEND_C, "threads", 1, NULL);
  ck_assert_int_eq(
      gst_element_set_state(fixture.element, GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  gst_harness_push_event(fixture.harness, gst_event_new_stream_start("again"));
  gst_harness_set_src_caps_str(fixture.harness, SCAN_CAPS);
  gst_harness_push_event(fixture.harness, gst_event_new_segment(&segment));
  expect_reference(&fixture, 4);
  stx_test_expect_silence(fixture.bus);
  scan_end(&fixture);
}
GST_END_TEST

GST_START_TEST(survives_state_changes)
{
  stx_test_state_cycles(STREET "! lidar-ground ! fakesink");
}
GST_END_TEST

static void run_points(void)
{
  stx_test_runs(STREET "! lidar-ground ! lidar-ground post-messages=true ! fakesink");
}

static void run_labels(void)
{
  stx_test_runs(STREET "! lidar-ground ! application/x-point-labels ! fakesink");
}

static void refuse_numbers(void)
{
  stx_test_breaks(STREET "! lidar-ground r-min=3 r-max=2 ! fakesink", "r_max", NULL);
}

GST_START_TEST(leaks_nothing)
{
  stx_test_no_leaks(run_points);
  stx_test_no_leaks(run_labels);
  stx_test_no_leaks(refuse_numbers);
}
GST_END_TEST

/* ---- Files --------------------------------------------------------------------------------- */

static gchar *read_and_remove(const gchar *folder, const char *format, guint index, gsize *size)
{
  gchar *name = g_strdup_printf(format, index), *path = g_build_filename(folder, name, NULL);
  gchar *bytes = NULL;

  ck_assert_msg(g_file_get_contents(path, &bytes, size, NULL), "no %s", path);
  g_unlink(path);
  g_free(path);
  g_free(name);
  return bytes;
}

/* Files of labels beside files of points: a word per point, in the same order. */
GST_START_TEST(writes_label_files)
{
  gchar *folder = g_dir_make_tmp("stx-labels-XXXXXX", NULL);
  gchar *line = g_strdup_printf(STREET "! tee name=scans ! queue ! multifilesink "
                                       "location=%s/%%06d.bin scans. ! queue ! lidar-ground ! "
                                       "application/x-point-labels ! multifilesink "
                                       "location=%s/%%06d.label",
      folder, folder);

  stx_test_runs(line);
  for (guint i = 0; i < 3; i++) {
    gsize size, label_size;
    gchar *points = read_and_remove(folder, "%06u.bin", i, &size);
    gchar *labels = read_and_remove(folder, "%06u.label", i, &label_size);
    guint32 *expected =
        scan_reference(&defaults, (const gfloat *)(gpointer)points, size / 16, NULL);

    ck_assert_uint_gt(size, 16 * 10000);
    ck_assert_uint_eq(label_size, size / 4);
    ck_assert_int_eq(memcmp(labels, expected, label_size), 0);
    g_free(expected);
    g_free(labels);
    g_free(points);
  }
  g_rmdir(folder);
  g_free(line);
  g_free(folder);
}
GST_END_TEST

static Suite *lidar_ground_stream_suite(void)
{
  Suite *suite = suite_create("lidar-ground-stream");
  TCase *tests = tcase_create("lidar-ground-stream");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, refuses_with_a_reason, 0, G_N_ELEMENTS(refusals));
  tcase_add_test(tests, refuses_in_mid_stream);
  tcase_add_test(tests, a_file_without_lidar_parse);
  tcase_add_loop_test(tests, another_rate_is_refused_by_name, 0, G_N_ELEMENTS(rates));
  tcase_add_test(tests, flushes_ends_and_restarts);
  tcase_add_test(tests, survives_state_changes);
  tcase_add_test(tests, leaks_nothing);
  tcase_add_test(tests, writes_label_files);
  return suite;
}
GST_CHECK_MAIN(lidar_ground_stream)
