/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * occupancy-grid: what leaves equals the stem called directly (check_occupancy.c proves that one),
 * of stixels, of video that carries them, of scans and of both, as records and as pictures; over
 * time; changes in mid-stream, what is missing, refusals.
 */
#include <string.h>

#include "common/extrinsics/extrinsics.h"
#include "common/occupancy/occupancy.h"
#include "tests/gst/fixtures/obstacles_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define POINTS 500
#define DISTANCE 8
#define SIDE 80
#define SMALL "size=16 lead=6 " /* cells of .2 m */
#define PICTURE " ! capsfilter caps=video/x-raw"
#define STREET                                                                                     \
  "street-scene-src view=disparity num-buffers=3 ! video/x-raw,width=320,height=120 ! "            \
  "downsample-transpose ! sat-dp-stixels ! "

typedef Stage Fixture;

static Fixture begin(const char *properties, const char *behind, const char *caps)
{
  g_autofree gchar *line = g_strdup_printf("occupancy-grid %s%s", properties, behind);

  return stx_test_stage("occupancy-grid", line, caps);
}

static void end(Fixture *f)
{
  stx_test_expect_silence(f->bus);
  stx_test_stage_end(f);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, end)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StxOccupancy, stx_occupancy_free)

/* ---- What the stem says -------------------------------------------------------------------- */

static StxOccupancyParams small_params(void)
{
  StxOccupancyParams params = STX_OCCUPANCY_DEFAULTS;

  params.size = 16;
  params.lead = 6;
  return params;
}

static void expect(StxOccupancy *state, const StxOccupancyParams *params, GstBuffer *stixels,
    StxOccupancyFrame frame, StxOccupancyResult *grid)
{
  GstMapInfo map = GST_MAP_INFO_INIT;
  StxError error = {""};

  frame.time = frame.interval = STX_OCCUPANCY_NO_TIME;
  if (stixels != NULL) {
    ck_assert(gst_buffer_map(stixels, &map, GST_MAP_READ));
    frame.stixels = (const StxStixel *)(gpointer)map.data;
    frame.count = map.size / sizeof(StxStixel);
    frame.width = 64;
    frame.height = 48;
    frame.stixel_width = 4;
    frame.camera = obstacles_info.camera;
  }
  ck_assert_msg(stx_occupancy_prepare(state, params, 100, 16, &error) &&
                    stx_occupancy_update(state, &frame, grid, &error),
      "%s", error.text);
  if (stixels != NULL)
    gst_buffer_unmap(stixels, &map);
}

/* Takes both. */
static void expect_cells(StxOccupancy *state, const StxOccupancyParams *params, GstBuffer *stixels,
    StxOccupancyFrame frame, GstBuffer *out)
{
  GstStxOccupancyMeta *meta = gst_buffer_get_stx_occupancy_meta(out);
  StxOccupancyResult grid;

  expect(state, params, stixels, frame, &grid);
  stx_test_expect_bytes(out, grid.cells, (gsize)(grid.width * grid.height), "cells");
  fail_unless(meta != NULL);
  stx_test_expect_bytes(
      meta->cells, grid.cells, (gsize)(grid.width * grid.height), "cells of the meta");
  ck_assert_uint_eq(meta->width, (guint)grid.width);
  ck_assert_uint_eq(meta->height, (guint)grid.height);
  ck_assert_uint_eq(meta->epoch, grid.epoch);
  ck_assert_int_eq(meta->fixed, grid.fixed);
  ck_assert(meta->resolution == grid.resolution && meta->origin_x == grid.origin_x &&
            meta->origin_y == grid.origin_y && meta->x == grid.x && meta->y == grid.y &&
            meta->yaw == grid.yaw);
  gst_clear_buffer(&stixels);
  gst_buffer_unref(out);
}

/* ---- Inputs -------------------------------------------------------------------------------- */

STX_TEST(stixels_become_cells)
{
  const StxOccupancyParams params = small_params();
  g_autoptr(StxOccupancy) state = stx_occupancy_new();
  g_auto(Fixture) f = begin(SMALL, "", OBSTACLES_CAPS);
  GstBuffer *out = obstacles_run(&f, obstacles_stixels(DISTANCE, 13, 0));

  stx_test_expect_caps(
      f.harness, "application/x-occupancy-grid,width=80,height=80,resolution=0.2,framerate=10/1");
  ck_assert_uint_eq(GST_BUFFER_PTS(out), 0);
  ck_assert_uint_eq(GST_BUFFER_DURATION(out), OBSTACLES_FRAME);
  expect_cells(
      state, &params, obstacles_stixels(DISTANCE, 13, 0), (StxOccupancyFrame){.count = 0}, out);
}

STX_TEST(stixels_may_come_on_video)
{
  const StxOccupancyParams params = small_params();
  g_autoptr(StxOccupancy) state = stx_occupancy_new();
  g_auto(Fixture) f = begin(SMALL, "", OBSTACLES_VIDEO_CAPS(64, 48));

  expect_cells(state, &params, obstacles_stixels(DISTANCE, 255, 0), (StxOccupancyFrame){.count = 0},
      obstacles_run(&f, obstacles_picture(64, 48, DISTANCE, 0)));
  stx_test_expect_warning(f.bus, "principal point"); /* the fixture's, of an image so small */
}

/* With labels, as lidar-ground hangs them on. */
static GstBuffer *labelled_scan(gfloat points[4 * POINTS], guint32 **labels)
{
  const StxGroundParams ground = STX_GROUND_DEFAULTS;

  scan_points(points, POINTS, 1);
  *labels = scan_reference(&ground, points, POINTS, NULL);
  return scan_labelled(points, POINTS, 0, *labels);
}

STX_TEST(scans_become_cells)
{
  const StxOccupancyParams params = small_params();
  g_autoptr(StxOccupancy) state = stx_occupancy_new();
  g_auto(Fixture) f = begin(SMALL, "", SCAN_CAPS);
  gfloat points[4 * POINTS];
  g_autofree guint32 *labels = NULL;
  GstBuffer *scan = labelled_scan(points, &labels);

  expect_cells(state, &params, NULL,
      (StxOccupancyFrame){.points = points, .labels = labels, .point_count = POINTS},
      obstacles_run(&f, scan));
}

STX_TEST(a_scan_adds_to_stixels)
{
  const StxOccupancyParams params = small_params();
  const StxExtrinsics sensor = {.x = -1, .z = .2};
  g_autoptr(StxOccupancy) state = stx_occupancy_new();
  g_auto(Fixture) f = begin(SMALL "sensor-x=-1 sensor-z=.2", "", OBSTACLES_CAPS);
  gdouble matrix[12], place[12];
  gfloat points[4 * POINTS];
  g_autofree guint32 *labels = NULL;
  g_autoptr(Harness) scans = gst_harness_new_with_element(f.element, "points", NULL);

  gst_harness_set_src_caps_str(scans, SCAN_CAPS);
  gst_harness_push(scans, labelled_scan(points, &labels));
  stx_extrinsics_matrix(&sensor, matrix);
  stx_extrinsics_to_scan_axes(matrix, place);
  expect_cells(state, &params, obstacles_stixels(DISTANCE, 13, 0),
      (StxOccupancyFrame){
          .points = points, .labels = labels, .point_count = POINTS, .place = place},
      obstacles_run(&f, obstacles_stixels(DISTANCE, 13, 0)));
}

/* ---- Outputs ------------------------------------------------------------------------------- */

STX_TEST(sizes_change_in_mid_stream)
{
  g_auto(Fixture) f = begin(SMALL, "", OBSTACLES_CAPS);
  GstBuffer *out = obstacles_run(&f, obstacles_stixels(DISTANCE, 13, 0));

  ck_assert_uint_eq(gst_buffer_get_size(out), SIDE * SIDE);
  gst_buffer_unref(out);
  g_object_set(f.element, "resolution", .4, NULL);
  out = obstacles_run(&f, obstacles_stixels(DISTANCE, 13, OBSTACLES_FRAME));
  ck_assert_uint_eq(gst_buffer_get_size(out), SIDE * SIDE / 4);
  gst_buffer_unref(out);
}

/* ---- Over time ----------------------------------------------------------------------------- */

static GstBuffer *moved_stixels(StxMotionState state, gdouble ahead, guint frame)
{
  StxMotion motion = {
      .state = state, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .translation = {0, 0, -ahead}};
  GstBuffer *stixels = obstacles_stixels(DISTANCE, 13, frame * OBSTACLES_FRAME);

  gst_buffer_add_stx_motion_meta(stixels, &motion, OBSTACLES_FRAME, NULL, 0, 0);
  return stixels;
}

STX_TEST(the_motion_is_followed)
{
  Fixture f = begin(SMALL, "", OBSTACLES_CAPS);
  GstStxOccupancyMeta *meta;

  for (guint i = 0; i < 3; i++) {
    g_autoptr(GstBuffer) out =
        obstacles_run(&f, moved_stixels(i == 0 ? STX_MOTION_FIRST : STX_MOTION_KNOWN, .5, i));

    meta = gst_buffer_get_stx_occupancy_meta(out);
    fail_unless(meta->fixed && meta->x == .5 * i && meta->epoch == 1);
  }
  gst_buffer_unref(obstacles_run(&f, moved_stixels(STX_MOTION_KNOWN, 17, 3)));
  stx_test_expect_warning(f.bus, "moved by more than the size of the grid");
  gst_buffer_unref(obstacles_run(&f, moved_stixels(STX_MOTION_KNOWN, 17, 4)));
  end(&f); /* said once */
}

/* ---- What is missing, and refused ---------------------------------------------------------- */

STX_TEST(frames_without_stixels_say_nothing)
{
  g_auto(Fixture) f = begin(SMALL, "", OBSTACLES_VIDEO_CAPS(64, 48));

  for (guint i = 0; i < 2; i++) {
    g_autoptr(GstBuffer) out =
        obstacles_run(&f, stx_test_buffer(64 * 48 * 3, 0, i * OBSTACLES_FRAME, OBSTACLES_FRAME));
    guint8 unknown[SIDE * SIDE];

    memset(unknown, -1, sizeof unknown);
    stx_test_expect_bytes(out, unknown, sizeof unknown, "what is unknown");
  }
  stx_test_expect_warning(f.bus, "has no stixels");
  ck_assert_uint_eq(stx_test_count(f.element, "frames-without-stixels"), 2);
}

STX_TEST(what_cannot_be_placed_is_refused)
{
  stx_test_breaks("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY16_LE ! "
                  "downsample-transpose ! sat-dp-stixels ! occupancy-grid ! fakesink",
      "the camera's focal length is unknown", "calibration", NULL);
  stx_test_breaks("street-scene-src view=disparity num-buffers=1 ! downsample-transpose ! "
                  "rdp-columns ! occupancy-grid ! fakesink",
      "a segment", "sat-dp-stixels", NULL);
  stx_test_breaks(STREET "occupancy-grid resolution=0.1 size=300 ! fakesink",
      "3000 cells along a side: 2048 at most", NULL);
  stx_test_breaks(STREET "occupancy-grid min-height=1 clearance=0.5 ! fakesink",
      "above the "
      "clearance",
      NULL);
}
