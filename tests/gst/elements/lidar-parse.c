/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lidar-parse: files into scans, whole or in pieces, with times; and what happens to bad ones. */
#include "tests/gst/fixtures/util.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/lidar_file/lidar_file_case.h"

#define POINTS 50
#define TENTH (GST_SECOND / 10)

/* ---- Helpers -------------------------------------------------------------------------------- */

static const StxLidarKind *kind_named(const char *name)
{
  for (gsize i = 0; i < stx_lidar_kind_count; i++)
    if (g_str_equal(stx_lidar_kinds[i].name, name))
      return &stx_lidar_kinds[i];
  ck_abort_msg("no kind %s", name);
  return NULL;
}

/* `count` points and a file of them. */
static StxBytes make_file(const StxLidarKind *kind, gsize count, guint32 seed, gfloat *points)
{
  StxBytes bytes = {0};

  stx_lidar_case_points(points, count, seed);
  for (gsize i = 0; i < count && stx_lidar_case_is_flat(kind); i++)
    points[4 * i + 3] = 0;
  stx_lidar_case_write(&bytes, kind, points, count);
  return bytes;
}

static GstBuffer *buffer_of(const void *bytes, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate(NULL, size, NULL);

  gst_buffer_fill(buffer, 0, bytes, size);
  return buffer;
}

/* A whole file of `count` points without a header. */
static GstBuffer *scan_buffer(gsize count, guint32 seed, GstClockTime pts)
{
  gfloat points[4 * POINTS];
  StxBytes bytes = make_file(kind_named("kitti"), count, seed, points);
  GstBuffer *buffer = buffer_of(bytes.data, bytes.size);

  GST_BUFFER_PTS(buffer) = pts;
  free(bytes.data);
  return buffer;
}

/* Pulls one scan, which must have this time. */
static GstBuffer *pull_at(GstHarness *harness, GstClockTime pts, GstClockTime duration)
{
  GstBuffer *buffer = gst_harness_pull(harness);

  fail_unless(buffer != NULL);
  ck_assert_uint_eq(GST_BUFFER_PTS(buffer), pts);
  ck_assert_uint_eq(GST_BUFFER_DURATION(buffer), duration);
  return buffer;
}

static void expect_caps(GstHarness *harness, const char *text)
{
  GstCaps *caps = gst_pad_get_current_caps(harness->sinkpad),
          *expected = gst_caps_from_string(text);
  gchar *actual = gst_caps_to_string(caps);

  fail_unless(gst_caps_is_equal(caps, expected), "caps are %s", actual);
  g_free(actual);
  gst_caps_unref(caps);
  gst_caps_unref(expected);
}

/* ---- Files ---------------------------------------------------------------------------------- */

GST_START_TEST(every_kind_of_file)
{
  const StxLidarKind *kind = &stx_lidar_kinds[__i__];
  GstHarness *harness = gst_harness_new("lidar-parse");
  gfloat points[4 * POINTS];

  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  for (guint32 scan = 0; scan < 3; scan++) {
    gsize count = POINTS - 7 * scan;
    StxBytes bytes = make_file(kind, count, scan, points);
    GstBuffer *buffer;

    ck_assert_int_eq(gst_harness_push(harness, buffer_of(bytes.data, bytes.size)), GST_FLOW_OK);
    buffer = pull_at(harness, scan * TENTH, TENTH);
    stx_test_expect_bytes(buffer, points, 16 * count, kind->name);
    ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), scan);
    gst_buffer_unref(buffer);
    free(bytes.data);
  }
  expect_caps(harness, "application/x-lidar, framerate=(fraction)10/1");
  gst_harness_teardown(harness);
}
GST_END_TEST

/* Pieces of every size; nothing comes before the end. */
GST_START_TEST(a_file_in_pieces)
{
  static const gsize pieces[] = {1, 100, 10000};
  gfloat points[4 * POINTS];
  StxBytes bytes = make_file(kind_named("pcd-lzf-mixed"), POINTS, 1, points);

  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
    GstHarness *harness = gst_harness_new_parse("lidar-parse framing=stream");
    GstBuffer *buffer;

    gst_harness_set_src_caps_str(harness, "application/octet-stream");
    for (gsize at = 0; at < bytes.size; at += pieces[i])
      gst_harness_push(harness, buffer_of(bytes.data + at, MIN(pieces[i], bytes.size - at)));
    ck_assert_uint_eq(gst_harness_buffers_received(harness), 0);
    gst_harness_push_event(harness, gst_event_new_eos());
    buffer = pull_at(harness, 0, TENTH);
    stx_test_expect_bytes(buffer, points, sizeof points, "in pieces");
    gst_buffer_unref(buffer);
    gst_harness_teardown(harness);
  }
  free(bytes.data);
}
GST_END_TEST

/* What came before a flush belongs to nothing that comes after it. */
GST_START_TEST(flush_forgets)
{
  GstHarness *harness = gst_harness_new_parse("lidar-parse framing=stream");
  gfloat points[4 * POINTS];
  StxBytes bytes = make_file(kind_named("ply-big"), POINTS, 1, points);
  GstSegment segment;
  GstBuffer *buffer;

  gst_segment_init(&segment, GST_FORMAT_BYTES);
  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  for (guint turn = 0; turn < 2; turn++) {
    gst_harness_push(harness, buffer_of(bytes.data, 70));
    gst_harness_push_event(harness, gst_event_new_flush_start());
    gst_harness_push_event(harness, gst_event_new_flush_stop(TRUE));
    gst_harness_push_event(harness, gst_event_new_segment(&segment));
    gst_harness_push(harness, buffer_of(bytes.data, bytes.size));
    gst_harness_push_event(harness, gst_event_new_segment(&segment)); /* the next file */
    buffer = pull_at(harness, 0, TENTH);
    stx_test_expect_bytes(buffer, points, sizeof points, "after a flush");
    gst_buffer_unref(buffer);
  }
  free(bytes.data);
  gst_harness_teardown(harness);
}
GST_END_TEST

GST_START_TEST(no_points_are_a_scan)
{
  GstHarness *harness = gst_harness_new("lidar-parse");
  GstBuffer *buffer;

  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  gst_harness_push(harness, scan_buffer(0, 0, GST_CLOCK_TIME_NONE));
  buffer = pull_at(harness, 0, TENTH);
  ck_assert_uint_eq(gst_buffer_get_size(buffer), 0);
  gst_buffer_unref(buffer);
  gst_harness_teardown(harness);
}
GST_END_TEST

/* ---- Times ---------------------------------------------------------------------------------- */

static const struct {
  const char *line, *caps;
  GstClockTime input, second, duration;
} times[] = {
    {"lidar-parse", "a/b", GST_CLOCK_TIME_NONE, TENTH, TENTH},
    {"lidar-parse frame-rate=25/2", "a/b", GST_CLOCK_TIME_NONE, 80 * GST_MSECOND, 80 * GST_MSECOND},
    {"lidar-parse frame-rate=3/1", "a/b", GST_CLOCK_TIME_NONE, 333333333, 333333333},
    {"lidar-parse frame-rate=0/1", "a/b", GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE,
        GST_CLOCK_TIME_NONE},
    {"lidar-parse", "a/b,framerate=20/1", GST_CLOCK_TIME_NONE, TENTH / 2, TENTH / 2},
    {"lidar-parse", "a/b,framerate=0/1", GST_CLOCK_TIME_NONE, TENTH, TENTH},
    {"lidar-parse", "a/b", 7 * GST_SECOND, 7 * GST_SECOND, TENTH},
    {"lidar-parse frame-rate=0/1", "a/b", 7, 7, GST_CLOCK_TIME_NONE},
};

GST_START_TEST(times_are_the_inputs_or_the_rates)
{
  GstHarness *harness = gst_harness_new_parse(times[__i__].line);

  gst_harness_set_src_caps_str(harness, times[__i__].caps);
  gst_harness_push(harness, scan_buffer(1, 1, GST_CLOCK_TIME_NONE));
  gst_harness_push(harness, scan_buffer(1, 1, times[__i__].input));
  gst_buffer_unref(gst_harness_pull(harness));
  gst_buffer_unref(pull_at(harness, times[__i__].second, times[__i__].duration));
  gst_harness_teardown(harness);
}
GST_END_TEST

/* Where the input counts in time, scans begin with its segment; another rate begins with its caps.
 */
GST_START_TEST(times_begin_with_the_segment)
{
  GstHarness *harness = gst_harness_new("lidar-parse");
  GstCaps *caps = gst_caps_from_string("a/b,framerate=5/1");
  GstBuffer *buffer;
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.position = 5 * GST_SECOND;
  gst_harness_set_src_caps_str(harness, "a/b");
  gst_harness_push_event(harness, gst_event_new_segment(&segment));
  gst_harness_push(harness, scan_buffer(1, 1, GST_CLOCK_TIME_NONE));
  gst_buffer_unref(pull_at(harness, 5 * GST_SECOND, TENTH));
  expect_caps(harness, "application/x-lidar, framerate=(fraction)10/1");
  gst_harness_push_event(harness, gst_event_new_caps(caps));
  gst_caps_unref(caps);
  gst_harness_push(harness, scan_buffer(1, 1, 6 * GST_SECOND));
  gst_buffer_unref(pull_at(harness, 6 * GST_SECOND, 2 * TENTH));
  expect_caps(harness, "application/x-lidar, framerate=(fraction)5/1");
  gst_harness_set_src_caps_str(harness, "a/b");
  buffer = scan_buffer(1, 1, 7 * GST_SECOND);
  GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push(harness, buffer);
  buffer = pull_at(harness, 7 * GST_SECOND, TENTH);
  fail_unless(GST_BUFFER_IS_DISCONT(buffer));
  gst_buffer_unref(buffer);
  gst_harness_push(harness, scan_buffer(1, 1, 8 * GST_SECOND));
  buffer = pull_at(harness, 8 * GST_SECOND, TENTH);
  fail_if(GST_BUFFER_IS_DISCONT(buffer));
  gst_buffer_unref(buffer);
  gst_harness_teardown(harness);
}
GST_END_TEST

/* ---- Bad files ------------------------------------------------------------------------------ */

#define BAD "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n1 two 3\n"

GST_START_TEST(a_bad_file_is_an_error_that_names_it)
{
  GstHarness *harness = gst_harness_new("lidar-parse");
  GstBus *bus = stx_test_watch(harness->element);

  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  gst_harness_push(harness, scan_buffer(3, 1, GST_CLOCK_TIME_NONE));
  ck_assert_int_eq(gst_harness_push(harness, buffer_of(BAD, strlen(BAD))), GST_FLOW_ERROR);
  stx_test_expect_error(bus, "Scan 1", "line 6: y is \"two\"; expected a number", NULL);
  gst_element_set_bus(harness->element, NULL);
  gst_object_unref(bus);
  gst_harness_teardown(harness);
}
GST_END_TEST

GST_START_TEST(skip_bad_drops_and_counts)
{
  GstHarness *harness = gst_harness_new_parse("lidar-parse skip-bad=true format=pcd");
  GstElement *parse = gst_harness_find_element(harness, "lidar-parse");
  GstBus *bus = stx_test_watch(harness->element);
  gfloat points[4 * POINTS];
  StxBytes bytes = make_file(kind_named("pcd-binary"), POINTS, 1, points);
  GstBuffer *buffer;
  GstMessage *message;
  guint64 skipped;

  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  gst_harness_push(harness, buffer_of(bytes.data, bytes.size));
  ck_assert_int_eq(gst_harness_push(harness, buffer_of(BAD, strlen(BAD))), GST_FLOW_OK);
  gst_harness_push(harness, scan_buffer(3, 1, GST_CLOCK_TIME_NONE)); /* no pcd */
  gst_harness_push(harness, buffer_of(bytes.data, bytes.size));
  gst_buffer_unref(pull_at(harness, 0, TENTH));
  buffer = pull_at(harness, 3 * TENTH, TENTH); /* where it would have been */
  fail_unless(GST_BUFFER_IS_DISCONT(buffer));
  stx_test_expect_bytes(buffer, points, sizeof points, "after bad ones");
  gst_buffer_unref(buffer);
  gst_harness_push(harness, buffer_of(bytes.data, bytes.size));
  buffer = pull_at(harness, 4 * TENTH, TENTH);
  fail_if(GST_BUFFER_IS_DISCONT(buffer));
  gst_buffer_unref(buffer);
  ck_assert_uint_eq(gst_harness_buffers_in_queue(harness), 0);
  g_object_get(parse, "skipped", &skipped, NULL);
  ck_assert_uint_eq(skipped, 2);
  message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless(message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING);
  gst_message_unref(message);
  gst_element_set_bus(harness->element, NULL);
  gst_object_unref(bus);
  gst_object_unref(parse);
  free(bytes.data);
  gst_harness_teardown(harness);
}
GST_END_TEST

/* ---- Sources -------------------------------------------------------------------------------- */

/* Files of `count` scans in a new folder, "%06d.bin"; to be removed and freed. */
static gchar *write_scans(guint count)
{
  gchar *folder = g_dir_make_tmp("stx-lidar-XXXXXX", NULL);
  gfloat points[4 * POINTS];

  fail_unless(folder != NULL);
  for (guint i = 0; i < count; i++) {
    StxBytes bytes = make_file(kind_named("kitti"), POINTS - i, i, points);
    gchar *path = g_strdup_printf("%s/%06u.bin", folder, i);

    fail_unless(g_file_set_contents(path, (const gchar *)bytes.data, (gssize)bytes.size, NULL));
    g_free(path);
    free(bytes.data);
  }
  return folder;
}

static void remove_folder(gchar *folder)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name(dir)) != NULL) {
    gchar *path = g_build_filename(folder, name, NULL);

    g_unlink(path);
    g_free(path);
  }
  g_dir_close(dir);
  g_rmdir(folder);
  g_free(folder);
}

static void expect_same_files(const gchar *folder, const char *first, const char *second)
{
  gchar *paths[2] = {g_build_filename(folder, first, NULL), g_build_filename(folder, second, NULL)};
  gchar *bytes[2];
  gsize sizes[2];

  for (guint i = 0; i < 2; i++)
    fail_unless(g_file_get_contents(paths[i], &bytes[i], &sizes[i], NULL), "no %s", paths[i]);
  fail_unless(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0, "%s is not %s",
      second, first);
  for (guint i = 0; i < 2; i++) {
    g_free(paths[i]);
    g_free(bytes[i]);
  }
}

/* A buffer is a file of multifilesrc, whatever its size. */
GST_START_TEST(a_sequence_of_files)
{
  gchar *folder = write_scans(4);
  gchar *line = g_strdup_printf("multifilesrc location=%s/%%06d.bin ! queue ! lidar-parse ! "
                                "multifilesink location=%s/out-%%d",
      folder, folder);

  stx_test_runs(line);
  expect_same_files(folder, "000000.bin", "out-0");
  expect_same_files(folder, "000001.bin", "out-1");
  expect_same_files(folder, "000002.bin", "out-2");
  expect_same_files(folder, "000003.bin", "out-3");
  g_free(line);
  remove_folder(folder);
}
GST_END_TEST

/* filesrc cuts its file into blocks, which fit no point. */
GST_START_TEST(one_file_in_blocks)
{
  gchar *folder = write_scans(1);
  gchar *line =
      g_strdup_printf("filesrc location=%s/000000.bin blocksize=37 ! queue ! lidar-parse ! "
                      "multifilesink location=%s/out-%%d",
          folder, folder);

  stx_test_runs(line);
  expect_same_files(folder, "000000.bin", "out-0");
  g_free(line);
  remove_folder(folder);
}
GST_END_TEST

GST_START_TEST(errors_name_the_files)
{
  gchar *folder = write_scans(2), *path = g_strdup_printf("%s/000001.bin", folder), *line;

  fail_unless(g_file_set_contents(path, "seventeen bytes..", 17, NULL));
  line = g_strdup_printf(
      "multifilesrc location=%s/%%06d.bin ! lidar-parse format=kitti ! fakesink", folder);
  stx_test_breaks(line, "Scan 1 of /", "%06d.bin: 17 bytes", NULL);
  g_free(line);
  line = g_strdup_printf("filesrc location=%s ! lidar-parse ! fakesink", path);
  stx_test_breaks(line, "Scan 0 of /", "000001.bin: no header", "do not look like", NULL);
  g_free(line);
  g_free(path);
  remove_folder(folder);
}
GST_END_TEST

GST_START_TEST(survives_state_changes)
{
  gchar *folder = write_scans(3);
  gchar *line =
      g_strdup_printf("multifilesrc location=%s/%%06d.bin ! lidar-parse ! fakesink", folder);

  stx_test_state_cycles(line);
  g_free(line);
  remove_folder(folder);
}
GST_END_TEST

static gchar *leak_folder;

static void run_lines(void)
{
  gchar *line =
      g_strdup_printf("multifilesrc location=%s/%%06d.bin ! lidar-parse ! fakesink", leak_folder);

  stx_test_runs(line);
  g_free(line);
  line = g_strdup_printf(
      "filesrc location=%s/000000.bin blocksize=99 ! lidar-parse ! fakesink", leak_folder);
  stx_test_runs(line);
  g_free(line);
}

GST_START_TEST(leaks_nothing)
{
  leak_folder = write_scans(3);
  stx_test_no_leaks(run_lines);
  remove_folder(leak_folder);
}
GST_END_TEST

static Suite *lidar_parse_suite(void)
{
  Suite *suite = suite_create("lidar-parse");
  TCase *tests = tcase_create("lidar-parse");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, every_kind_of_file, 0, (int)stx_lidar_kind_count);
  tcase_add_test(tests, a_file_in_pieces);
  tcase_add_test(tests, flush_forgets);
  tcase_add_test(tests, no_points_are_a_scan);
  tcase_add_loop_test(tests, times_are_the_inputs_or_the_rates, 0, G_N_ELEMENTS(times));
  tcase_add_test(tests, times_begin_with_the_segment);
  tcase_add_test(tests, a_bad_file_is_an_error_that_names_it);
  tcase_add_test(tests, skip_bad_drops_and_counts);
  tcase_add_test(tests, a_sequence_of_files);
  tcase_add_test(tests, one_file_in_blocks);
  tcase_add_test(tests, errors_name_the_files);
  tcase_add_test(tests, survives_state_changes);
  tcase_add_test(tests, leaks_nothing);
  return suite;
}

GST_CHECK_MAIN(lidar_parse)
