/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DL Streamer's LidarMeta on scans: attached by what makes them, kept by what copies them, where
 * DL Streamer is in the process, here as a stub; and obstacles as its boxes. Each test has a
 * process of its own.
 */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "tests/gst/fixtures/scan_fixture.h"
#include "tests/gst/lidar/dlstreamer_stub.h"

#define POINTS 700
#define MANY 20000

/* An element of DL Streamer was made: its library is loaded, and nothing is registered yet. */
static void load_library(void)
{
  fail_unless(dlopen(DLSTREAMER_STUB, RTLD_LAZY | RTLD_LOCAL) != NULL, "%s", dlerror());
  ck_assert(gst_meta_get_info(STUB_NAME) == NULL);
}

static gboolean begin(GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  memset(meta + 1, 0, meta->info->size - sizeof *meta);
  return TRUE;
}

static const GstMetaInfo *register_meta(gsize size)
{
  static const gchar *tags[] = {"lidar", NULL};

  return gst_meta_register(
      gst_meta_api_type_register(STUB_API, tags), STUB_NAME, size, begin, NULL, NULL);
}

/* NULL: it has none. */
static gpointer meta_of(GstBuffer *scan)
{
  const GstMetaInfo *info = gst_meta_get_info(STUB_NAME);

  return info != NULL ? gst_buffer_get_meta(scan, info->api) : NULL;
}

static GstBuffer *run(Stage *fixture, GstClockTime pts)
{
  gfloat points[4 * POINTS];
  GstBuffer *scan;

  scan_points(points, POINTS, 1);
  scan = scan_buffer(points, POINTS, pts);
  gst_harness_push(fixture->harness, scan);
  scan = gst_harness_pull(fixture->harness);
  fail_unless(scan != NULL, "no scan came out");
  return scan;
}

static void expect_counted(Stage *fixture, guint number)
{
  g_autoptr(GstBuffer) scan = run(fixture, number * SCAN_TIME);
  const StubLidarMeta *meta = meta_of(scan);

  fail_unless(meta != NULL, "no LidarMeta");
  ck_assert_uint_eq(meta->lidar_point_count, POINTS);
  ck_assert_uint_eq(meta->frame_id, number);
  ck_assert_uint_eq(meta->exit_source_timestamp, GST_BUFFER_PTS(scan));
  ck_assert_uint_eq(meta->exit_g3dinference_timestamp, GST_CLOCK_TIME_NONE);
  ck_assert_uint_eq(meta->stream_id, 77);
}

static void push_stream_start(Stage *fixture)
{
  GstEvent *start = gst_event_new_stream_start("scans");

  gst_event_set_group_id(start, 77);
  gst_harness_push_event(fixture->harness, start);
  gst_harness_set_src_caps_str(fixture->harness, "application/octet-stream,framerate=10/1");
}

/* Through everything that passes scans on, also where another branch holds them. */
STX_TEST(scans_are_counted)
{
  g_auto(Stage) fixture = stx_test_stage("lidar-parse",
      "lidar-parse format=kitti ! lidar-ground ! tee name=t ! queue ! stixel-obstacles "
      "t. ! queue ! fakesink async=false",
      "application/octet-stream,framerate=10/1");

  load_library();
  push_stream_start(&fixture);
  for (guint i = 0; i < 3; i++)
    expect_counted(&fixture, i);
}

/* As an element of DL Streamer before ours has left it: its numbers, and not ours. */
STX_TEST_LOOP(what_came_is_kept, 2)
{
  gsize size = _i ? sizeof(StubLidarMeta) : sizeof(StubOldLidarMeta);
  const GstMetaInfo *info = register_meta(size);
  g_auto(Stage) fixture = stx_test_stage("lidar-ground", "lidar-ground", "application/x-lidar");
  gfloat points[4 * POINTS];
  g_autoptr(GstBuffer) scan = NULL;
  StubOldLidarMeta *meta;
  guint8 expected[sizeof(StubLidarMeta)];

  scan_points(points, POINTS, 1);
  scan = scan_buffer(points, POINTS, 0);
  meta = (StubOldLidarMeta *)gst_buffer_add_meta(scan, info, NULL);
  memset(&meta->meta + 1, 0xa5, size - sizeof(GstMeta));
  memcpy(expected, &meta->meta + 1, size - sizeof(GstMeta));
  gst_harness_push(fixture.harness, g_steal_pointer(&scan));
  scan = gst_harness_pull(fixture.harness);
  meta = meta_of(scan);
  fail_unless(meta != NULL, "no LidarMeta");
  ck_assert_int_eq(memcmp(&meta->meta + 1, expected, size - sizeof(GstMeta)), 0);
}

/* The one of 2026.0 has its stream's number elsewhere. */
STX_TEST(an_older_meta_is_filled_in)
{
  g_auto(Stage) fixture = stx_test_stage(
      "lidar-parse", "lidar-parse format=kitti", "application/octet-stream,framerate=10/1");
  g_autoptr(GstBuffer) scan = NULL;
  const StubOldLidarMeta *meta;

  register_meta(sizeof(StubOldLidarMeta));
  push_stream_start(&fixture);
  scan = run(&fixture, 0);
  meta = meta_of(scan);
  fail_unless(meta != NULL, "no LidarMeta");
  ck_assert_uint_eq(meta->lidar_point_count, POINTS);
  ck_assert_uint_eq(meta->stream_id, 77);
}

#if HAVE_ANALYTICS
static void expect_near(gfloat value, gdouble expected)
{
  ck_assert_msg(fabs((gdouble)value - expected) <= .2, "%g, expected %g", (gdouble)value, expected);
}

/* Around post number `post` of the scan, which is 1 m wide and 1.5 m high. */
static void expect_post(const StubBox *box, guint post)
{
  gdouble angle = post * G_PI / 4, range = 8 + 2 * post;

  expect_near(box->centre[0], range * cos(angle));
  expect_near(box->centre[1], range * sin(angle));
  expect_near(box->centre[2], -.98);
  for (guint i = 0; i < 3; i++) {
    expect_near(box->extent[i], i < 2 ? .9 : 1.35);
    ck_assert(box->turn[i] == 0);
  }
  ck_assert(box->confidence > 0 && box->confidence <= 1);
  ck_assert(box->type == -1 && box->modality == 0);
}

/* In the axes of the scan, all around, the nearest first. */
STX_TEST_LOOP(obstacles_of_scans_are_boxes, 2)
{
  g_auto(Stage) fixture =
      stx_test_stage("stixel-obstacles", "lidar-ground ! stixel-obstacles", SCAN_CAPS);
  g_autofree gfloat *points = g_new(gfloat, 4 * MANY);
  g_autoptr(GstBuffer) scan = NULL;
  GstAnalyticsRelationMeta *relations;
  gpointer state = NULL, track = NULL;
  GstAnalyticsMtd mtd;
  GstAnalyticsMtdType (*type)(void);

  if (_i)
    load_library();
  scan_points(points, MANY, 1);
  scan = scan_run(&fixture, points, MANY);
  relations = gst_buffer_get_analytics_relation_meta(scan);
  ck_assert_int_eq(relations != NULL, _i);
  if (!_i)
    return;
  *(void **)&type =
      dlsym(dlopen(DLSTREAMER_STUB, RTLD_LAZY), "gst_analytics_3d_od_mtd_get_mtd_type");
  for (guint post = 0; post < 8; post++) {
    ck_assert(gst_analytics_relation_meta_iterate(relations, &state, type(), &mtd));
    expect_post(gst_analytics_relation_meta_get_mtd_data(relations, mtd.id), post);
  }
  ck_assert(!gst_analytics_relation_meta_iterate(relations, &state, type(), &mtd));
  ck_assert(gst_analytics_relation_meta_iterate(
      relations, &track, gst_analytics_tracking_mtd_get_mtd_type(), &mtd));
}
#endif

/* A meta of an unknown size is not filled in; and without DL Streamer there is none. */
STX_TEST_LOOP(nothing_is_guessed, 2)
{
  g_auto(Stage) fixture = stx_test_stage("lidar-parse", "lidar-parse format=kitti ! lidar-ground",
      "application/octet-stream,framerate=10/1");
  g_autoptr(GstBuffer) scan = NULL;

  if (_i)
    register_meta(sizeof(StubLidarMeta) + 8);
  scan = run(&fixture, 0);
  ck_assert(meta_of(scan) == NULL);
}
