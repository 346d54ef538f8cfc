/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of points by their first bytes: typefind, decodebin, and what is something else. */
#include "tests/gst/fixtures/util.h"

#include <glib/gstdio.h>
#include <gst/base/gsttypefindhelper.h>
#include <string.h>

#include "tests/common/lidar_file/lidar_file_case.h"

#define POINTS 5

/* "application/x-pcd"; NULL: unknown, or too few bytes to say. To be freed. */
static gchar *type_of(gconstpointer bytes, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_memdup(bytes, size);
  GstTypeFindProbability probability;
  GstCaps *caps = gst_type_find_helper_for_buffer(NULL, buffer, &probability);
  gchar *name = NULL;

  if (caps != NULL)
    name = g_strdup(gst_structure_get_name(gst_caps_get_structure(caps, 0)));
  gst_clear_caps(&caps);
  gst_buffer_unref(buffer);
  return name;
}

static gboolean is_ours(const gchar *name)
{
  return g_strcmp0(name, "application/x-pcd") == 0 || g_strcmp0(name, "application/x-ply") == 0;
}

static StxBytes file_of(const StxLidarKind *kind)
{
  gfloat points[4 * POINTS];
  StxBytes bytes = {0};

  stx_lidar_case_points(points, POINTS, 9);
  stx_lidar_case_write(&bytes, kind, points, POINTS);
  return bytes;
}

GST_START_TEST(every_kind_of_file)
{
  for (gsize i = 0; i < stx_lidar_kind_count; i++) {
    const StxLidarKind *kind = &stx_lidar_kinds[i];
    StxBytes bytes = file_of(kind);
    gchar *name = type_of(bytes.data, bytes.size);

    if (kind->format == STX_LIDAR_PCD)
      ck_assert_str_eq(name, "application/x-pcd");
    else if (kind->format == STX_LIDAR_PLY)
      ck_assert_str_eq(name, "application/x-ply");
    else
      fail_if(is_ours(name), "%s is %s", kind->name, name);
    g_free(name);
    free(bytes.data);
  }
}
GST_END_TEST

GST_START_TEST(others_are_left_alone)
{
  static const struct {
    const char *bytes, *type; /* NULL: too little of it for somebody else to know it */
  } others[] = {
      {"Data of three years, and what became of the fields.\nThe fields x y z are planted.\n",
          NULL},
      {"version 0.7\nfields of wheat and barley, as far as the eye can see\n", NULL},
      {"ply\nwood, the other one, is not known by its format ascii 1.0\n", NULL},
      {"# .PCD v0.7 - Point Cloud Data file format\nand nothing else, to the end\n", NULL},
      {"\xff\xd8\xff\xe0 \x10JFIF, and some more bytes so that somebody can say", "image/jpeg"},
      {"\x89PNG\r\n\x1a\n, and some more bytes so that somebody can say something", NULL},
  };

  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    gchar *name = type_of(others[i].bytes, strlen(others[i].bytes));

    fail_if(is_ours(name), "\"%s\" is %s", others[i].bytes, name);
    if (others[i].type != NULL)
      fail_unless(g_strcmp0(name, others[i].type) == 0, "a %s is %s", others[i].type, name);
    g_free(name);
  }
}
GST_END_TEST

/* ---- Pipelines ----------------------------------------------------------------------------- */

static const StxLidarKind *kind_of(StxLidarFormat format)
{
  gsize i = 0;

  while (stx_lidar_kinds[i].format != format)
    i++;
  return &stx_lidar_kinds[i];
}

/* The bytes that a line makes of a file, read from `out` in the folder; to be freed. */
static gchar *points_of(const gchar *folder, const char *line, gsize *size)
{
  gchar *path = g_build_filename(folder, "out", NULL), *bytes;
  gchar *whole = g_strdup_printf(line, folder, path);

  stx_test_runs(whole);
  fail_unless(g_file_get_contents(path, &bytes, size, NULL));
  g_remove(path);
  g_free(whole);
  g_free(path);
  return bytes;
}

/* However the file comes to lidar-parse, its points are the same. */
GST_START_TEST(points_come_out)
{
  static const StxLidarFormat formats[] = {STX_LIDAR_PCD, STX_LIDAR_PLY};
  static const char *const lines[] = {
      "filesrc location=%s/in ! typefind ! lidar-parse ! filesink location=%s",
      "filesrc location=%s/in ! decodebin caps=application/x-lidar ! filesink location=%s",
      "uridecodebin uri=file://%s/in caps=application/x-lidar ! filesink location=%s",
  };
  StxBytes file = file_of(kind_of(formats[__i__]));
  gchar *folder = g_dir_make_tmp("typefind-XXXXXX", NULL);
  gchar *path = g_build_filename(folder, "in", NULL), *expected;
  gsize expected_size, size;

  fail_unless(g_file_set_contents(path, (const gchar *)file.data, (gssize)file.size, NULL));
  expected = points_of(
      folder, "filesrc location=%s/in ! lidar-parse ! filesink location=%s", &expected_size);
  ck_assert_uint_eq(expected_size, POINTS * 16);
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    gchar *bytes = points_of(folder, lines[i], &size);

    fail_unless(size == expected_size && memcmp(bytes, expected, size) == 0, "%s", lines[i]);
    g_free(bytes);
  }
  g_free(expected);
  g_remove(path);
  g_rmdir(folder);
  g_free(path);
  g_free(folder);
  free(file.data);
}
GST_END_TEST

/* What somebody says of a file before lidar-parse does not keep it out. */
GST_START_TEST(any_caps_may_stand_in_front)
{
  static const char *const caps[] = {"application/octet-stream", "text/plain", "application/x-pcd",
      "application/x-something,framerate=5/1"};
  StxBytes file = file_of(kind_of(STX_LIDAR_PCD));

  for (guint i = 0; i < G_N_ELEMENTS(caps); i++) {
    GstHarness *harness = gst_harness_new("lidar-parse");
    GstBuffer *points;

    gst_harness_set_src_caps_str(harness, caps[i]);
    points = gst_harness_push_and_pull(harness, gst_buffer_new_memdup(file.data, file.size));
    ck_assert_uint_eq(gst_buffer_get_size(points), POINTS * 16);
    gst_buffer_unref(points);
    gst_harness_teardown(harness);
  }
  stx_test_runs("fakesrc num-buffers=0 ! application/octet-stream ! lidar-parse ! fakesink");
  free(file.data);
}
GST_END_TEST

static Suite *typefind_suite(void)
{
  Suite *suite = suite_create("typefind");
  TCase *tests = tcase_create("typefind");

  suite_add_tcase(suite, tests);
  tcase_add_test(tests, every_kind_of_file);
  tcase_add_test(tests, others_are_left_alone);
  tcase_add_loop_test(tests, points_come_out, 0, 2);
  tcase_add_test(tests, any_caps_may_stand_in_front);
  return suite;
}

GST_CHECK_MAIN(typefind)
