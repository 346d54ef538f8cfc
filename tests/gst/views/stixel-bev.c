/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-bev: stixels, video that carries them, a scan over them; caps, sizes in mid-stream, what
 * is missing, refusals, states. What is drawn: tests/frames and tests/common/bev.
 */
#include <gst/video/video.h>

#include "tests/gst/fixtures/obstacles_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define VIDEO " ! capsfilter caps=video/x-raw,"
#define SMALL "format=RGB,width=200,height=160"
#define POINTS 500
#define DISTANCE 8
#define STREET                                                                                     \
  "street-scene-src view=disparity num-buffers=3 ! video/x-raw,width=320,height=120 ! "            \
  "downsample-transpose ! sat-dp-stixels ! "

static Stage begin(const char *properties, const char *behind, const char *caps)
{
  g_autofree gchar *line = g_strdup_printf("stixel-bev %s%s", properties, behind);

  return stx_test_stage("stixel-bev", line, caps);
}

/* Takes the picture, which is that of the fixture's stixels with the element's defaults. */
static void expect_picture(GstBuffer *picture, const char *video, const char *what)
{
  g_auto(Stage) f = begin("", video, OBSTACLES_CAPS);
  g_autoptr(GstBuffer) expected = obstacles_run(&f, obstacles_stixels(DISTANCE, 13, 0));

  stx_test_expect_same(picture, expected, what);
  gst_buffer_unref(picture);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

STX_TEST(video_is_as_good_as_stixels)
{
  static const char *const cameras[] = {"", "," OBSTACLES_CAMERA};

  for (guint i = 0; i < G_N_ELEMENTS(cameras); i++) {
    g_autofree gchar *caps = g_strdup_printf("%s%s", OBSTACLES_VIDEO_CAPS(64, 48), cameras[i]);
    g_auto(Stage) f = begin("", VIDEO SMALL, caps);

    expect_picture(
        obstacles_run(&f, obstacles_picture(64, 48, DISTANCE, 0)), VIDEO SMALL, cameras[i]);
  }
}

/* ---- With a scan --------------------------------------------------------------------------- */

/* A second pad, for a scan. */
static GstHarness *add_scan(Stage *f, const gfloat *points)
{
  GstHarness *scans = gst_harness_new_with_element(f->element, "points", NULL);

  gst_harness_set_src_caps_str(scans, SCAN_CAPS);
  gst_harness_push(scans, scan_buffer(points, POINTS, 0));
  return scans;
}

/* Scans lie at the same place with these properties as with those. */
static void expect_scan(const char *properties, const char *same)
{
  const char *const both[] = {properties, same};
  GstBuffer *picture[2];
  gfloat points[4 * POINTS];

  scan_points(points, POINTS, 1);
  for (guint i = 0; i < 2; i++) {
    g_auto(Stage) f = begin(both[i], VIDEO SMALL, OBSTACLES_CAPS);
    g_autoptr(Harness) scans = add_scan(&f, points);

    picture[i] = obstacles_run(&f, obstacles_stixels(DISTANCE, 13, 0));
    stx_test_expect_silence(f.bus);
  }
  stx_test_expect_same(picture[0], picture[1], properties);
  gst_buffer_unref(picture[0]);
  gst_buffer_unref(picture[1]);
}

#define PROJECTIONS "P0: 64 0 31.5 0 0 64 15.5 0 0 0 1 0\nP1: 64 0 31.5 -32 0 64 15.5 0 0 0 1 0\n"

/* A sensor 2 m ahead of the camera, by KITTI's file; numbers are stronger. */
STX_TEST(scans_lie_where_the_file_says)
{
  const char *file = "calibration=calib.txt camera-image-width=64 camera-image-height=48";
  g_autofree gchar *both = g_strconcat(file, " sensor-x=9", NULL);

  stx_test_write("calib.txt", PROJECTIONS "Tr: 0 -1 0 0 0 0 -1 0 1 0 0 2\n");
  expect_scan(file, "sensor-x=2");
  expect_scan(both, "sensor-x=9");
}

STX_TEST(asks_where_the_sensor_stands)
{
  g_auto(Stage) f = begin("", VIDEO SMALL, OBSTACLES_CAPS);
  g_autoptr(Harness) scans = NULL;
  gfloat points[4 * POINTS];

  scan_points(points, POINTS, 1);
  scans = add_scan(&f, points);
  gst_harness_push(f.harness, obstacles_stixels(DISTANCE, 13, 0));
  stx_test_expect_error(f.bus, "calibration=FILE", "Tr:", "sensor-yaw", NULL);
}

/* ---- Caps ---------------------------------------------------------------------------------- */

STX_TEST(sizes_are_those_of_downstream)
{
  g_auto(Stage) f = begin("", " ! capsfilter name=filter", OBSTACLES_CAPS);
  g_autoptr(GstElement) filter = gst_bin_get_by_name(GST_BIN(f.harness->element), "filter");

  for (gint i = 0; i < 4; i++) {
    gint width = i == 0 ? 800 : 64 + 40 * i, height = i == 0 ? 800 : 48;
    g_autofree gchar *size = g_strdup_printf(",width=%d,height=%d", width, height);
    g_autofree gchar *text = g_strconcat("video/x-raw,format=RGB", i == 0 ? NULL : size, NULL);
    g_autofree gchar *video = g_strconcat(" ! capsfilter caps=", text, NULL);
    g_autoptr(GstCaps) found = NULL;

    gst_util_set_object_arg(G_OBJECT(filter), "caps", text);
    expect_picture(
        obstacles_run(&f, obstacles_stixels(DISTANCE, 13, (GstClockTime)i * OBSTACLES_FRAME)),
        video, text);
    found = gst_pad_get_current_caps(f.harness->sinkpad);
    ck_assert(gst_structure_has_field_typed(
        gst_caps_get_structure(found, 0), "framerate", GST_TYPE_FRACTION));
  }
}

/* ---- What is missing ----------------------------------------------------------------------- */

#define NO_CAMERA "application/x-stixels," OBSTACLES_SIZES ",framerate=10/1"

STX_TEST(a_camera_is_asked_for_and_taken)
{
  Stage f = begin("", VIDEO SMALL, NO_CAMERA);

  gst_harness_push(f.harness, obstacles_stixels(DISTANCE, 13, 0));
  stx_test_expect_error(
      f.bus, "focal length", "baseline", "cx", "calibration=FILE", "stixel-bev", NULL);
  stx_test_stage_end(&f);
  f = begin("focal=64 cx=31.5 cy=15.5 baseline=.5 camera-height=1.5", VIDEO SMALL, NO_CAMERA);
  expect_picture(
      obstacles_run(&f, obstacles_stixels(DISTANCE, 13, 0)), VIDEO SMALL, "camera of properties");
  stx_test_stage_end(&f);
}

STX_TEST(frames_without_stixels_are_counted)
{
  g_auto(Stage) f = begin("", VIDEO SMALL, OBSTACLES_VIDEO_CAPS(64, 48));

  for (gint i = 0; i < 3; i++)
    gst_buffer_unref(
        obstacles_run(&f, stx_test_buffer(64 * 48 * 3, 0, i * OBSTACLES_FRAME, OBSTACLES_FRAME)));
  stx_test_expect_warning(f.bus, "has no stixels");
  ck_assert_uint_eq(stx_test_count(f.element, "frames-without-stixels"), 3);
}

STX_TEST(refuses_with_a_reason)
{
  static const char *const other[4] = {
      "application/x-lidar, not application/x-obstacles", "put stixel-bev behind"};
  static const char *const cut[4] = {"25 bytes", "24"};

  stx_test_refuses("stixel-bev", "application/x-obstacles", 16, other);
  stx_test_refuses("stixel-bev", OBSTACLES_CAPS, 25, cut);
}

STX_TEST(refuses_files)
{
  stx_test_write("calib.txt", PROJECTIONS "Tr: 1 2 3\n");
  stx_test_breaks(STREET "stixel-bev calibration=calib.txt ! fakesink",
      "\"Tr:\" has 3 numbers; expected 12", NULL);
}
