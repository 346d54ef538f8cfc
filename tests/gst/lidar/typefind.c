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
  g_autoptr(GstBuffer) buffer = gst_buffer_new_memdup(bytes, size);
  GstTypeFindProbability probability;
  g_autoptr(GstCaps) caps = gst_type_find_helper_for_buffer(NULL, buffer, &probability);
  gchar *name = NULL;

  if (caps != NULL)
    name = g_strdup(gst_structure_get_name(gst_caps_get_structure(caps, 0)));
  return name;
}

static gboolean is_ours(const gchar *name)
{
  gboolean ours = FALSE;

  for (gint f = STX_LIDAR_AUTO + 1; f < STX_LIDAR_FORMAT_COUNT; f++) {
    const gchar *type = stx_lidar_format_info((StxLidarFormat)f)->media_type;

    ours |= type != NULL && g_strcmp0(name, type) == 0;
  }
  return ours;
}

static StxBytes file_of(const StxLidarKind *kind)
{
  gfloat points[4 * POINTS];
  StxBytes bytes = {0};

  stx_lidar_case_points(points, POINTS, 9);
  stx_lidar_case_write(&bytes, kind, points, POINTS);
  return bytes;
}

STX_TEST(every_kind_of_file)
{
  for (gsize i = 0; i < stx_lidar_kind_count; i++) {
    const StxLidarKind *kind = &stx_lidar_kinds[i];
    StxBytes bytes = file_of(kind);
    const gchar *type = stx_lidar_format_info(kind->format)->media_type;
    g_autofree gchar *name = type_of(bytes.data, bytes.size);

    if (type != NULL)
      ck_assert_str_eq(name, type);
    else
      fail_if(is_ours(name), "%s is %s", kind->name, name);
    free(bytes.data);
  }
}

STX_TEST(others_are_left_alone)
{
  static const struct {
    const char *bytes, *type; /* NULL: too little of it for somebody else to know it */
  } others[] = {
      {"Data of three years, and what became of the fields.\nThe fields x y z are planted.\n",
          NULL},
      {"version 0.7\nfields of wheat and barley, as far as the eye can see\n", NULL},
      {"# .PCD v0.7 - Point Cloud Data file format\nand nothing else, to the end\n", NULL},
      {"\xff\xd8\xff\xe0 \x10JFIF, and some more bytes so that somebody can say", "image/jpeg"},
      {"\x89PNG\r\n\x1a\n, and some more bytes so that somebody can say something", NULL},
  };

  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    g_autofree gchar *name = type_of(others[i].bytes, strlen(others[i].bytes));

    fail_if(is_ours(name), "\"%s\" is %s", others[i].bytes, name);
    if (others[i].type != NULL)
      fail_unless(g_strcmp0(name, others[i].type) == 0, "a %s is %s", others[i].type, name);
  }
}

/* ---- Pipelines ----------------------------------------------------------------------------- */

static const StxLidarKind *kind_of(StxLidarFormat format)
{
  gsize i = 0;

  while (stx_lidar_kinds[i].format != format)
    i++;
  return &stx_lidar_kinds[i];
}

/* The bytes that a line makes of the file `in`, read from `out`; to be freed. */
static gchar *points_of(const gchar *line, gsize *size)
{
  gchar *bytes;

  stx_test_runs(line);
  fail_unless(g_file_get_contents("out", &bytes, size, NULL));
  g_remove("out");
  return bytes;
}

/* However the file comes to lidar-parse, its points are the same. */
STX_TEST(points_come_out)
{
  static const char *const lines[] = {
      "filesrc location=in ! typefind ! lidar-parse ! filesink location=out",
      "filesrc location=in ! decodebin caps=application/x-lidar ! filesink location=out",
      NULL,
  };
  StxBytes file = file_of(kind_of(STX_LIDAR_PCD));
  g_autofree gchar *expected = NULL, *folder = NULL, *by_uri = NULL;
  gsize expected_size, size;

  stx_test_folder();
  folder = g_get_current_dir();
  by_uri = g_strdup_printf(
      "uridecodebin uri=file://%s/in caps=application/x-lidar ! filesink location=out", folder);
  fail_unless(g_file_set_contents("in", (const gchar *)file.data, (gssize)file.size, NULL));
  expected = points_of("filesrc location=in ! lidar-parse ! filesink location=out", &expected_size);
  ck_assert_uint_eq(expected_size, POINTS * 16);
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    const char *line = lines[i] != NULL ? lines[i] : by_uri;
    g_autofree gchar *bytes = points_of(line, &size);

    fail_unless(size == expected_size && memcmp(bytes, expected, size) == 0, "%s", line);
  }
  free(file.data);
}

/* Caps of a file before lidar-parse do not keep it out. */
STX_TEST(any_caps_may_stand_in_front)
{
  static const char *const caps[] = {"application/octet-stream", "text/plain", "application/x-pcd",
      "application/x-something,framerate=5/1"};
  StxBytes file = file_of(kind_of(STX_LIDAR_PCD));

  for (guint i = 0; i < G_N_ELEMENTS(caps); i++) {
    g_autoptr(Harness) harness = gst_harness_new("lidar-parse");
    g_autoptr(GstBuffer) points = NULL;

    gst_harness_set_src_caps_str(harness, caps[i]);
    points = gst_harness_push_and_pull(harness, gst_buffer_new_memdup(file.data, file.size));
    ck_assert_uint_eq(gst_buffer_get_size(points), POINTS * 16);
  }
  stx_test_runs("fakesrc num-buffers=0 ! application/octet-stream ! lidar-parse ! fakesink");
  free(file.data);
}
