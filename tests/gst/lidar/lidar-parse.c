/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lidar-parse: files into scans, whole or in pieces, with times; and what happens to bad ones. */
#include "tests/gst/fixtures/util.h"

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

/* ---- Files ---------------------------------------------------------------------------------- */

STX_TEST_LOOP(every_kind_of_file, stx_lidar_kind_count)
{
  const StxLidarKind *kind = &stx_lidar_kinds[_i];
  g_autoptr(Harness) harness = gst_harness_new("lidar-parse");
  gfloat points[4 * POINTS];

  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  for (guint32 scan = 0; scan < 3; scan++) {
    gsize count = POINTS - 7 * scan;
    StxBytes bytes = make_file(kind, count, scan, points);
    g_autoptr(GstBuffer) buffer = NULL;

    ck_assert_int_eq(gst_harness_push(harness, buffer_of(bytes.data, bytes.size)), GST_FLOW_OK);
    buffer = pull_at(harness, scan * TENTH, TENTH);
    stx_test_expect_bytes(buffer, points, 16 * count, kind->name);
    ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), scan);
    free(bytes.data);
  }
  stx_test_expect_caps(harness, "application/x-lidar, framerate=(fraction)10/1");
}

/* Pieces of every size; nothing comes before the end. */
STX_TEST(a_file_in_pieces)
{
  static const gsize pieces[] = {1, 100, 10000};
  gfloat points[4 * POINTS];
  StxBytes bytes = make_file(kind_named("pcd-lzf-mixed"), POINTS, 1, points);

  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
    g_autoptr(Harness) harness = gst_harness_new_parse("lidar-parse framing=stream");
    g_autoptr(GstBuffer) buffer = NULL;

    gst_harness_set_src_caps_str(harness, "application/octet-stream");
    for (gsize at = 0; at < bytes.size; at += pieces[i])
      gst_harness_push(harness, buffer_of(bytes.data + at, MIN(pieces[i], bytes.size - at)));
    ck_assert_uint_eq(gst_harness_buffers_received(harness), 0);
    gst_harness_push_event(harness, gst_event_new_eos());
    buffer = pull_at(harness, 0, TENTH);
    stx_test_expect_bytes(buffer, points, sizeof points, "in pieces");
  }
  free(bytes.data);
}

/* Data before a flush do not belong to anything after it. */
STX_TEST(flush_forgets)
{
  g_autoptr(Harness) harness = gst_harness_new_parse("lidar-parse framing=stream");
  gfloat points[4 * POINTS];
  StxBytes bytes = make_file(kind_named("pcd-ascii-flat"), POINTS, 1, points);
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
}

STX_TEST(no_points_are_a_scan)
{
  g_autoptr(Harness) harness = gst_harness_new("lidar-parse");
  g_autoptr(GstBuffer) buffer = NULL;

  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  gst_harness_push(harness, scan_buffer(0, 0, GST_CLOCK_TIME_NONE));
  buffer = pull_at(harness, 0, TENTH);
  ck_assert_uint_eq(gst_buffer_get_size(buffer), 0);
}

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

STX_TEST_LOOP(times_are_the_inputs_or_the_rates, G_N_ELEMENTS(times))
{
  g_autoptr(Harness) harness = gst_harness_new_parse(times[_i].line);

  gst_harness_set_src_caps_str(harness, times[_i].caps);
  gst_harness_push(harness, scan_buffer(1, 1, GST_CLOCK_TIME_NONE));
  gst_harness_push(harness, scan_buffer(1, 1, times[_i].input));
  gst_buffer_unref(gst_harness_pull(harness));
  gst_buffer_unref(pull_at(harness, times[_i].second, times[_i].duration));
}

/* Where the input counts in time, scans begin with its segment; another rate begins with its caps.
 */
STX_TEST(times_begin_with_the_segment)
{
  g_autoptr(Harness) harness = gst_harness_new("lidar-parse");
  g_autoptr(GstCaps) caps = gst_caps_from_string("a/b,framerate=5/1");
  GstBuffer *buffer;

  gst_harness_set_src_caps_str(harness, "a/b");
  gst_harness_push_event(harness, stx_test_segment(5 * GST_SECOND));
  gst_harness_push(harness, scan_buffer(1, 1, GST_CLOCK_TIME_NONE));
  gst_buffer_unref(pull_at(harness, 5 * GST_SECOND, TENTH));
  stx_test_expect_caps(harness, "application/x-lidar, framerate=(fraction)10/1");
  gst_harness_push_event(harness, gst_event_new_caps(caps));
  gst_harness_push(harness, scan_buffer(1, 1, 6 * GST_SECOND));
  gst_buffer_unref(pull_at(harness, 6 * GST_SECOND, 2 * TENTH));
  stx_test_expect_caps(harness, "application/x-lidar, framerate=(fraction)5/1");
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
}

/* ---- Bad files ------------------------------------------------------------------------------ */

#define BAD "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n1 two 3\n"

STX_TEST(a_bad_file_is_an_error_that_names_it)
{
  g_autoptr(Harness) harness = gst_harness_new("lidar-parse");
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  gst_harness_push(harness, scan_buffer(3, 1, GST_CLOCK_TIME_NONE));
  ck_assert_int_eq(gst_harness_push(harness, buffer_of(BAD, strlen(BAD))), GST_FLOW_ERROR);
  stx_test_expect_error(bus, "Scan 1", "line 6: y is \"two\"; expected a number", NULL);
}

STX_TEST(skip_bad_drops_and_counts)
{
  g_autoptr(Harness) harness = gst_harness_new_parse("lidar-parse skip-bad=true format=pcd");
  g_autoptr(GstElement) parse = gst_harness_find_element(harness, "lidar-parse");
  g_autoptr(Watch) bus = stx_test_watch(harness->element);
  gfloat points[4 * POINTS];
  StxBytes bytes = make_file(kind_named("pcd-binary"), POINTS, 1, points);
  GstBuffer *buffer;
  g_autoptr(GstMessage) message = NULL;

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
  ck_assert_uint_eq(stx_test_count(parse, "skipped"), 2);
  message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless(message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING);
  free(bytes.data);
}

STX_TEST(a_stream_of_nothing_is_warned_of)
{
  g_autoptr(Harness) harness = gst_harness_new("lidar-parse");
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  gst_harness_set_src_caps_str(harness, "application/octet-stream");
  gst_harness_push_event(harness, gst_event_new_eos());
  stx_test_expect_warning(bus, "Not one byte");
}

/* ---- Sources -------------------------------------------------------------------------------- */

/* Files of `count` scans, "%06d.bin". */
static void write_scans(guint count)
{
  gfloat points[4 * POINTS];

  stx_test_folder();
  for (guint i = 0; i < count; i++) {
    StxBytes bytes = make_file(kind_named("kitti"), POINTS - i, i, points);
    g_autofree gchar *path = g_strdup_printf("%06u.bin", i);

    fail_unless(g_file_set_contents(path, (const gchar *)bytes.data, (gssize)bytes.size, NULL));
    free(bytes.data);
  }
}

static void expect_same_files(const char *first, const char *second)
{
  const char *paths[2] = {first, second};
  gchar *bytes[2];
  gsize sizes[2];

  for (guint i = 0; i < 2; i++)
    fail_unless(g_file_get_contents(paths[i], &bytes[i], &sizes[i], NULL), "no %s", paths[i]);
  fail_unless(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0, "%s is not %s",
      second, first);
  g_free(bytes[0]);
  g_free(bytes[1]);
}

/* A buffer is a file of multifilesrc, whatever its size. */
STX_TEST(a_sequence_of_files)
{
  write_scans(4);
  stx_test_runs("multifilesrc location=%06d.bin ! queue ! lidar-parse ! "
                "multifilesink location=out-%d");
  expect_same_files("000000.bin", "out-0");
  expect_same_files("000001.bin", "out-1");
  expect_same_files("000002.bin", "out-2");
  expect_same_files("000003.bin", "out-3");
}

/* filesrc cuts its file into blocks, which fit no point. */
STX_TEST(one_file_in_blocks)
{
  write_scans(1);
  stx_test_runs("filesrc location=000000.bin blocksize=37 ! queue ! lidar-parse ! "
                "multifilesink location=out-%d");
  expect_same_files("000000.bin", "out-0");
}

STX_TEST(errors_name_the_files)
{
  write_scans(2);
  stx_test_write("000001.bin", "seventeen bytes..");
  stx_test_breaks("multifilesrc location=%06d.bin ! lidar-parse format=kitti ! fakesink",
      "Scan 1 of %06d.bin: 17 bytes", NULL);
  stx_test_breaks("filesrc location=000001.bin ! lidar-parse ! fakesink", "Scan 0 of /",
      "000001.bin: no header", "do not look like", NULL);
}
