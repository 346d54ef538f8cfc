/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-mesh: its files equal those of the stem called directly (tests/common/mesh proves that
 * one); which format, properties, what it takes, refusals. Readers that are not ours:
 * tests/pipeline/check_mesh_readers.py.
 */
#include <string.h>

#include "common/mesh/mesh.h"
#include "tests/gst/fixtures/obstacles_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define PLY " ! capsfilter caps=application/x-ply"
#define POINTS 500

/* ---- Equal to the stem --------------------------------------------------------------------- */

/* Takes the file. */
static void expect_file(GstBuffer *file, const StxMeshParams *params, gdouble reach,
    GstBuffer *stixels, const char *what)
{
  StxFacetImage image = {obstacles_info.camera, 64, 48, 4, reach};
  GstMapInfo map;
  gpointer bytes;
  gsize count, size;

  gst_buffer_map(stixels, &map, GST_MAP_READ);
  count = map.size / sizeof(StxStixel);
  bytes = g_malloc(stx_mesh_stixels_size(count));
  size = stx_mesh_stixels(params, &image, (const StxStixel *)(gpointer)map.data, count, bytes);
  stx_test_expect_bytes(file, bytes, size, what);
  ck_assert_uint_eq(GST_BUFFER_PTS(file), GST_BUFFER_PTS(stixels));
  gst_buffer_unmap(stixels, &map);
  g_free(bytes);
  gst_buffer_unref(file);
}

static const char *const lines[] = {"stixel-mesh", "stixel-mesh" PLY};

GST_START_TEST(stixels_give_what_the_stem_writes)
{
  StxMeshParams params = STX_MESH_DEFAULTS;
  ScanFixture fixture = scan_begin("stixel-mesh", lines[__i__], OBSTACLES_CAPS);

  params.format = __i__ ? STX_MESH_PLY : STX_MESH_GLB;
  for (guint i = 0; i < 3; i++) {
    GstBuffer *stixels = obstacles_stixels(5 + 5 * i, 13, i * OBSTACLES_FRAME);

    gst_harness_push(fixture.harness, gst_buffer_ref(stixels));
    expect_file(gst_harness_pull(fixture.harness), &params, 100, stixels, lines[__i__]);
    gst_buffer_unref(stixels);
  }
  stx_test_expect_silence(fixture.bus);
  scan_end(&fixture);
}
GST_END_TEST

GST_START_TEST(pictures_give_what_their_stixels_give)
{
  StxMeshParams params = STX_MESH_DEFAULTS;
  ScanFixture fixture = scan_begin("stixel-mesh", "stixel-mesh", OBSTACLES_VIDEO_CAPS(128, 48));
  GstBuffer *picture = obstacles_picture(128, 48, 8, 0);
  GstBuffer *stixels = gst_buffer_ref(gst_buffer_get_stx_stixel_meta(picture)->stixels);

  gst_harness_push(fixture.harness, picture);
  stixels = gst_buffer_make_writable(stixels);
  GST_BUFFER_PTS(stixels) = 0;
  expect_file(gst_harness_pull(fixture.harness), &params, 100, stixels, "of a picture");
  gst_buffer_unref(stixels);
  scan_end(&fixture);
}
GST_END_TEST

/* They count from the next frame. */
GST_START_TEST(properties_change_in_mid_stream)
{
  StxMeshParams params = STX_MESH_DEFAULTS;
  ScanFixture fixture = scan_begin("stixel-mesh", "stixel-mesh", OBSTACLES_CAPS);
  GstBuffer *stixels = obstacles_stixels(12, 13, 0);

  gst_util_set_object_arg(G_OBJECT(fixture.element), "mode", "class");
  params.colours.mode = STX_FACET_CLASS;
  gst_harness_push(fixture.harness, gst_buffer_ref(stixels));
  expect_file(gst_harness_pull(fixture.harness), &params, 100, stixels, "classes");
  gst_util_set_object_arg(G_OBJECT(fixture.element), "mode", "distance");
  gst_util_set_object_arg(G_OBJECT(fixture.element), "palette", "cividis");
  g_object_set(fixture.element, "max-distance", 20., "reach", 11., NULL);
  params.colours = (StxFacetColours){STX_FACET_DISTANCE, STX_PALETTE_CIVIDIS, 20};
  gst_harness_push(fixture.harness, gst_buffer_ref(stixels));
  expect_file(gst_harness_pull(fixture.harness), &params, 11, stixels, "near ones");
  gst_buffer_unref(stixels);
  scan_end(&fixture);
}
GST_END_TEST

/* A scan, with labels and without. */
static const StxGroundParams ground = STX_GROUND_DEFAULTS;

static void expect_points(GstBuffer *file, const StxMeshParams *params, const gfloat *points,
    const guint32 *labels, gsize count)
{
  gpointer bytes = g_malloc(stx_mesh_points_size(count));
  gsize size = stx_mesh_points(params, points, labels, count, bytes);

  stx_test_expect_bytes(file, bytes, size, "points");
  g_free(bytes);
  gst_buffer_unref(file);
}

GST_START_TEST(scans_give_what_the_stem_writes)
{
  StxMeshParams params = {STX_MESH_PLY, {STX_FACET_KIND, STX_PALETTE_DISTANCE, .max_distance = 50}};
  ScanFixture bare = scan_begin("stixel-mesh", "stixel-mesh mode=kind" PLY, SCAN_CAPS);
  ScanFixture labelled =
      scan_begin("stixel-mesh", "lidar-ground ! stixel-mesh mode=kind" PLY, SCAN_CAPS);
  gfloat points[4 * POINTS];
  guint32 *labels;

  scan_points(points, POINTS, 3);
  labels = scan_reference(&ground, points, POINTS, NULL);
  expect_points(scan_run(&bare, points, POINTS), &params, points, NULL, POINTS);
  expect_points(scan_run(&bare, points, 0), &params, NULL, NULL, 0);
  expect_points(scan_run(&labelled, points, POINTS), &params, points, labels, POINTS);
  stx_test_expect_silence(bare.bus);
  g_free(labels);
  scan_end(&bare);
  scan_end(&labelled);
}
GST_END_TEST

/* ---- Refusals ------------------------------------------------------------------------------ */

GST_START_TEST(what_it_refuses)
{
  stx_test_breaks("street-scene-src view=disparity num-buffers=1 ! downsample-transpose ! "
                  "sat-dp-stixels ! capssetter caps=application/x-stixels,width=640,height=192,"
                  "stixel-width=8,columns=80 replace=true ! stixel-mesh ! fakesink",
      "a mesh is in metres", "focal length, baseline, cx, cy", NULL);
}
GST_END_TEST

/* One warning for all of them, and no file. */
GST_START_TEST(pictures_without_stixels)
{
  ScanFixture fixture = scan_begin("stixel-mesh", "stixel-mesh", OBSTACLES_VIDEO_CAPS(64, 48));

  for (guint i = 0; i < 3; i++)
    gst_harness_push(fixture.harness, gst_buffer_new_and_alloc(64 * 48 * 3));
  ck_assert(gst_harness_try_pull(fixture.harness) == NULL);
  stx_test_expect_warning(fixture.bus, "has no stixels");
  scan_end(&fixture);
}
GST_END_TEST

static void run_and_free(void)
{
  stx_test_runs("street-scene-src view=disparity num-buffers=2 ! downsample-transpose ! "
                "sat-dp-stixels ! stixel-mesh ! fakesink");
}

GST_START_TEST(nothing_leaks)
{
  stx_test_no_leaks(run_and_free);
}
GST_END_TEST

static Suite *stixel_mesh_suite(void)
{
  Suite *suite = suite_create("stixel-mesh");
  TCase *tests = tcase_create("stixel-mesh");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, stixels_give_what_the_stem_writes, 0, G_N_ELEMENTS(lines));
  tcase_add_test(tests, pictures_give_what_their_stixels_give);
  tcase_add_test(tests, properties_change_in_mid_stream);
  tcase_add_test(tests, scans_give_what_the_stem_writes);
  tcase_add_test(tests, what_it_refuses);
  tcase_add_test(tests, pictures_without_stixels);
  tcase_add_test(tests, nothing_leaks);
  return suite;
}

GST_CHECK_MAIN(stixel_mesh)
