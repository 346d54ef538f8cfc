/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lidar-overlay: where points are drawn on frames (what is drawn: tests/frames), whence camera and
 * place of the sensor come, scans that are held, and what is refused.
 */
#include <gst/video/video.h>

#include "tests/gst/fixtures/scan_fixture.h"

#define WIDTH 64
#define HEIGHT 32
#define FRAME (GST_SECOND / 10)
#define PIXELS "video/x-raw,format=RGB,width=64,height=32,framerate=10/1"
#define CAMERA ",camera-focal=40.,camera-cx=31.5,camera-cy=15.5"
#define SCANS "application/x-lidar,framerate=10/1"
#define PLAIN "lidar-overlay legend=none alpha=1 point-size=3 "

static Stage begin(const char *line, const char *video, const char *scans)
{
  return stx_test_stage_with("lidar-overlay", line, video, "points", scans);
}

static void push_frame(Stage *rig, GstClockTime pts)
{
  GstBuffer *frame = stx_test_buffer(3 * WIDTH * HEIGHT, 100, pts, FRAME);

  gst_harness_push(rig->harness, frame);
}

/* One obstacle of no cluster at (x, y, z). */
static GstBuffer *scan_at(GstClockTime pts, gfloat x, gfloat y, gfloat z)
{
  return scan_labelled((const gfloat[4]){x, y, z, 0}, 1, pts, &(const guint32){99});
}

/* The drawing on the next frame: how many pixels, and the middle of them. */
typedef struct {
  gint count;
  gdouble x, y;
  guint8 red; /* of the reddest pixel */
} Spot;

static Spot pull(Stage *rig)
{
  g_autoptr(GstBuffer) frame = gst_harness_pull(rig->harness);
  guint8 bytes[HEIGHT][WIDTH][3];
  Spot spot = {0};

  fail_unless(frame != NULL);
  ck_assert_uint_eq(gst_buffer_extract(frame, 0, bytes, sizeof bytes), sizeof bytes);
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++)
      if (bytes[y][x][0] != 100) {
        spot.count++;
        spot.x += x;
        spot.y += y;
        spot.red = MAX(spot.red, bytes[y][x][0]);
      }
  spot.x /= MAX(spot.count, 1);
  spot.y /= MAX(spot.count, 1);
  return spot;
}

static void expect_spot(Stage *rig, gdouble x, gdouble y)
{
  Spot spot = pull(rig);

  ck_assert_int_ge(spot.count, 5);
  ck_assert_int_le(spot.count, 21);
  ck_assert_msg(ABS(spot.x - x) < .7 && ABS(spot.y - y) < .7,
      "drawn around (%g, %g) in place of (%g, %g)", spot.x, spot.y, x, y);
}

/* A point 10 m ahead, 2.5 m to the left and 1 m up is drawn 10 px to the left, 4 px up. */
static void expect_drawn(
    const char *line, const char *video, const char *scans, gdouble x, gdouble y)
{
  g_auto(Stage) rig = begin(line, video, scans);

  push_frame(&rig, 0);
  gst_harness_push(rig.side, scan_at(0, 10, 2.5, 1));
  expect_spot(&rig, x, y);
  stx_test_expect_silence(rig.bus);
}

/* ---- Camera and sensor ---------------------------------------------------------------------- */

#define PROJECTIONS "P2: 40 0 31.5 40 0 40 15.5 0 0 0 1 0\nP3: 40 0 31.5 20 0 40 15.5 0 0 0 1 0\n"
#define AXES "Tr: 0 -1 0 0 0 0 -1 0 1 0 0 0\n"

STX_TEST(camera_and_sensor_come_from_caps_properties_or_a_file)
{
  stx_test_write("calib.txt", PROJECTIONS AXES);
  expect_drawn(PLAIN "sensor-x=0.000001", PIXELS CAMERA, SCANS, 21.5, 11.5);
  expect_drawn(PLAIN, PIXELS CAMERA, SCANS ",sensor-z=-1.", 21.5, 15.5);
  expect_drawn(PLAIN, PIXELS CAMERA, SCANS ",sensor-y=-3,sensor-z=0", 33.5, 11.5);
  expect_drawn(PLAIN "sensor-y=-2.5", PIXELS CAMERA, SCANS ",sensor-z=5.", 31.5, 11.5);
  expect_drawn(PLAIN "sensor-yaw=-0.244979", PIXELS CAMERA, SCANS, 31.5, 11.6);
  expect_drawn(PLAIN "focal=20 cx=31.5 cy=15.5 sensor-z=0.00001", PIXELS, SCANS, 26.5, 13.5);
  /* Camera 2 is 1 m to the left of camera 0. */
  expect_drawn(PLAIN "calibration=calib.txt", PIXELS, SCANS, 25.5, 11.5);
  expect_drawn(PLAIN "calibration=calib.txt sensor-z=1", PIXELS, SCANS, 21.5, 7.5);
}

/* Frames of another size than the camera's. */
STX_TEST(the_camera_is_scaled_to_the_frame)
{
  const char *large = PIXELS ",camera-focal=80.,camera-cx=63.5,camera-cy=31.5,"
                             "camera-image-width=128,camera-image-height=64";

  expect_drawn(PLAIN, large, SCANS ",sensor-z=0.", 21.5, 11.5);
}

STX_TEST(what_is_missing_is_named)
{
  static const struct {
    const char *line, *video, *scans, *words[3];
  } cases[] = {
      {PLAIN, PIXELS, SCANS ",sensor-z=0.", {"focal length is not known", "calibration", "caps"}},
      {PLAIN "focal=40", PIXELS, SCANS ",sensor-z=0.", {"cx or cy is not known", "focal, cx", ""}},
      {PLAIN, PIXELS CAMERA, SCANS, {"LiDAR stands is not known", "Tr:", "sensor-yaw"}},
      {PLAIN, "video/x-raw,format=GRAY8,width=64,height=32,framerate=10/1", SCANS,
          {"Cannot draw on", "GRAY8", "videoconvert"}},
      {PLAIN, PIXELS CAMERA, "application/octet-stream",
          {"application/x-lidar", "lidar-parse", ""}},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(Stage) rig = begin(cases[i].line, cases[i].video, cases[i].scans);

    push_frame(&rig, 0);
    gst_harness_push(rig.side, scan_at(0, 10, 0, 0));
    stx_test_expect_error(rig.bus, cases[i].words[0], cases[i].words[1], cases[i].words[2], NULL);
  }
}

STX_TEST(bad_files_and_scans_are_refused)
{
  Stage rig = begin(PLAIN, PIXELS CAMERA, SCANS ",sensor-z=0.");

  push_frame(&rig, 0);
  gst_harness_push(rig.side, stx_test_buffer(20, 0, 0, FRAME));
  stx_test_expect_error(rig.bus, "20 bytes", "16 bytes", NULL);
  stx_test_stage_end(&rig);
  stx_test_write("calib.txt", PROJECTIONS "Tr: 1 2 3\n");
  stx_test_breaks("videotestsrc num-buffers=1 ! lidar-overlay calibration=calib.txt ! fakesink",
      "\"Tr:\" has 3 numbers", NULL);
}

/* ---- Time ----------------------------------------------------------------------------------- */

static guint64 frames_without(Stage *rig)
{
  return stx_test_count(rig->element, "frames-without-scans");
}

/* The video has three frames for each scan. */
STX_TEST(scans_are_held_and_fade)
{
  g_auto(Stage) rig = begin(PLAIN "hold=250", PIXELS CAMERA, SCANS ",sensor-z=0.");
  Spot spot[5];

  push_frame(&rig, 0);
  gst_harness_push(rig.side, scan_at(0, 10, 0, 0));
  gst_harness_push(rig.side, scan_at(4 * FRAME, 10, 0, 0));
  for (guint i = 1; i < 5; i++)
    push_frame(&rig, i * FRAME);
  for (guint i = 0; i < 5; i++)
    spot[i] = pull(&rig);
  ck_assert_uint_gt(spot[0].red, 200);
  ck_assert_uint_lt(spot[1].red, spot[0].red);
  ck_assert_uint_lt(spot[2].red, spot[1].red);
  ck_assert_int_eq(spot[3].count, 0);
  ck_assert_uint_eq(spot[4].red, spot[0].red);
  ck_assert_uint_eq(frames_without(&rig), 3);
  stx_test_expect_silence(rig.bus);
}

/* A scan that is stamped an hour ahead keeps none of those behind it from being drawn. */
STX_TEST(a_scan_with_an_odd_time_costs_one_scan)
{
  g_auto(Stage) rig = begin(PLAIN "hold=0", PIXELS CAMERA, SCANS ",sensor-z=0.");

  for (guint i = 0; i < 20; i++) {
    gst_harness_push(rig.side, scan_at(i * FRAME + (i == 10 ? 3600 * GST_SECOND : 0), 10, 0, 0));
    push_frame(&rig, i * FRAME);
    if (i == 11) /* the one before was waited for */
      ck_assert_int_eq(pull(&rig).count, 0);
    if (i != 10)
      ck_assert_int_gt(pull(&rig).count, 0);
  }
  ck_assert_uint_eq(stx_test_count(rig.element, "odd-times"), 1);
}

/* Nothing tells the second scan from an odd time yet; from the third on the interval is known. */
STX_TEST(scans_that_are_seconds_apart_are_drawn)
{
  g_auto(Stage) rig = begin(PLAIN "hold=0", PIXELS CAMERA, SCANS ",sensor-z=0.");

  gst_harness_push(rig.side, scan_at(0, 10, 0, 0));
  push_frame(&rig, 0);
  ck_assert_int_gt(pull(&rig).count, 0);
  for (guint i = 1; i < 8; i++) {
    GstClockTime time = 2 * i * GST_SECOND;

    gst_harness_push(rig.side, scan_at(time, 10, 0, 0));
    if (i != 2)
      push_frame(&rig, time - 2 * GST_SECOND + FRAME);
    if (i == 1) /* the frame waits for a scan that is believed */
      continue;
    ck_assert_int_eq(pull(&rig).count, 0);
    push_frame(&rig, time);
    ck_assert_int_gt(pull(&rig).count, 0);
  }
}

STX_TEST(frames_before_the_first_scan_go_on_undrawn)
{
  g_auto(Stage) rig = begin(PLAIN, PIXELS CAMERA, SCANS ",sensor-z=0.");

  push_frame(&rig, 0);
  gst_harness_push(rig.side, scan_at(3 * FRAME, 10, 0, 0));
  ck_assert_int_eq(pull(&rig).count, 0);
  stx_test_expect_warning(rig.bus, "no scan");
}
