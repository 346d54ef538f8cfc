/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * occupancy-grid: caps, times and the meta; over time; what is missing, refusals. Cells of stixels,
 * of video that carries them, of scans and of both: tests/frames/records.txt.
 */
#include <string.h>

#include "tests/gst/fixtures/obstacles_fixture.h"

#define DISTANCE 8
#define SIDE 80
#define SMALL "size=16 lead=6 " /* cells of .2 m */
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

STX_TEST(stixels_become_cells)
{
  g_auto(Fixture) f = begin(SMALL, "", OBSTACLES_CAPS);
  g_autoptr(GstBuffer) out = obstacles_run(&f, obstacles_stixels(DISTANCE, 13, 0));
  GstStxOccupancyMeta *meta = gst_buffer_get_stx_occupancy_meta(out);

  stx_test_expect_caps(
      f.harness, "application/x-occupancy-grid,width=80,height=80,resolution=0.2,framerate=10/1");
  ck_assert_uint_eq(GST_BUFFER_PTS(out), 0);
  ck_assert_uint_eq(GST_BUFFER_DURATION(out), OBSTACLES_FRAME);
  ck_assert_uint_eq(gst_buffer_get_size(out), SIDE * SIDE);
  fail_unless(meta != NULL);
  stx_test_expect_same(meta->cells, out, "cells of the meta");
  ck_assert(meta->width == SIDE && meta->height == SIDE && meta->resolution == .2 && !meta->fixed &&
            meta->origin_x == 6 - 8 && meta->origin_y == -8);
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
