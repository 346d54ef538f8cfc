/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stixel-bev: what is drawn equals the stem called directly (tests/common/bev/check_bev_stixels.c
 * proves that one), of stixels, of video that carries them, and with a scan over them; caps, sizes
 * in mid-stream, what is missing, refusals, states.
 */
#include <glib/gstdio.h>
#include <gst/video/video.h>
#include <string.h>
#include <unistd.h>

#include "common/bev/bev_stixels.h"
#include "common/mount/mount.h"
#include "tests/gst/fixtures/obstacles_fixture.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define VIDEO " ! capsfilter caps=video/x-raw,"
#define SMALL "format=RGB,width=200,height=160"
#define POINTS 500
#define DISTANCE 8
#define STREET                                                                                     \
  "street-scene-src view=disparity num-buffers=3 ! video/x-raw,width=320,height=120 ! "            \
  "downsample-transpose ! sat-dp-stixels ! "

typedef struct {
  GstElement *element;
  GstHarness *stixels, *points; /* points NULL: no such pad */
  GstBus *bus;
} Fixture;

static Fixture begin(const char *properties, const char *behind, const char *caps)
{
  gchar *line = g_strdup_printf("stixel-bev %s%s", properties, behind);
  Fixture f = {.stixels = gst_harness_new_parse(line)};

  g_free(line);
  f.element = gst_harness_find_element(f.stixels, "stixel-bev");
  f.bus = stx_test_watch(f.stixels->element);
  gst_harness_set_src_caps_str(f.stixels, caps);
  return f;
}

static void end(Fixture *f)
{
  gst_element_set_bus(f->stixels->element, NULL);
  gst_object_unref(f->bus);
  gst_object_unref(f->element);
  gst_harness_teardown(f->stixels);
}

static GstBuffer *run(Fixture *f, GstBuffer *buffer)
{
  GstBuffer *picture = gst_harness_push_and_pull(f->stixels, buffer);

  ck_assert_msg(picture != NULL, "nothing came out");
  return picture;
}

/* ---- What the stem says -------------------------------------------------------------------- */

/* The picture of the fixture's stixels, and of points seen from `mount`. */
static GByteArray *drawn(StxBevParams params, const StxBevStixelsParams *stixels,
    const gfloat *points, const StxMount *mount)
{
  gint stride = (params.width * params.format->plane[0].pixel_stride + 3) / 4 * 4;
  gpointer memory = g_aligned_alloc(1, stx_bev_size(&params), STX_ALIGN);
  GstBuffer *records = obstacles_stixels(DISTANCE, 13, 0);
  StxBev *bev = stx_bev_init(memory, &params);
  GByteArray *bytes = g_byte_array_new();
  gdouble matrix[12], ahead[12];
  StxBevStixels frame = {.width = 64, .height = 48, .stixel_width = 4};
  StxFrame picture;
  GstMapInfo map;

  g_byte_array_set_size(bytes, (guint)(stride * params.height));
  memset(bytes->data, 0, bytes->len);
  picture = (StxFrame){{bytes->data}, {stride}};
  ck_assert(gst_buffer_map(records, &map, GST_MAP_READ));
  frame.stixels = (const StxStixel *)(const void *)map.data;
  frame.count = map.size / sizeof(StxStixel);
  frame.camera = obstacles_info.camera;
  stx_bev_begin(bev);
  stx_bev_put_stixels(bev, stixels, &frame);
  if (points != NULL) {
    stx_mount_matrix(mount, matrix);
    stx_mount_to_scan_axes(matrix, ahead);
    stx_bev_put_points(bev, points, NULL, POINTS, ahead);
  }
  stx_bev_finish(bev, &picture, 1);
  gst_buffer_unmap(records, &map);
  gst_buffer_unref(records);
  g_aligned_free(memory);
  return bytes;
}

static StxBevParams params_of(const char *format, gint width, gint height)
{
  StxBevParams params = STX_BEV_AHEAD_DEFAULTS;

  params.mode = STX_BEV_PLAIN;
  params.format = stx_pixel_format(format);
  params.width = width;
  params.height = height;
  return params;
}

static const StxBevStixelsParams defaults = STX_BEV_STIXELS_DEFAULTS;

/* Takes the picture. */
static void expect_picture(
    GstBuffer *picture, StxBevParams params, const StxBevStixelsParams *stixels, const char *what)
{
  GByteArray *expected = drawn(params, stixels, NULL, NULL);

  stx_test_expect_bytes(picture, expected->data, expected->len, what);
  g_byte_array_unref(expected);
  gst_buffer_unref(picture);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

static const char *const formats[] = {
    "RGBA", "RGBx", "BGRA", "BGRx", "ARGB", "xRGB", "ABGR", "xBGR", "RGB", "BGR"};

/* An odd width: rows of three bytes per pixel are padded, and the padding is 0. */
GST_START_TEST(every_format)
{
  gchar *behind = g_strdup_printf(VIDEO "format=%s,width=121,height=97", formats[__i__]);
  Fixture f = begin("", behind, OBSTACLES_CAPS);

  expect_picture(run(&f, obstacles_stixels(DISTANCE, 13, 0)), params_of(formats[__i__], 121, 97),
      &defaults, formats[__i__]);
  stx_test_expect_silence(f.bus);
  g_free(behind);
  end(&f);
}
GST_END_TEST

GST_START_TEST(video_is_as_good_as_stixels)
{
  static const char *const cameras[] = {"", "," OBSTACLES_CAMERA};

  for (guint i = 0; i < G_N_ELEMENTS(cameras); i++) {
    gchar *caps = g_strdup_printf("%s%s", OBSTACLES_VIDEO_CAPS(64, 48), cameras[i]);
    Fixture f = begin("", VIDEO SMALL, caps);

    expect_picture(run(&f, obstacles_picture(64, 48, DISTANCE, 0)), params_of("RGB", 200, 160),
        &defaults, cameras[i]);
    g_free(caps);
    end(&f);
  }
}
GST_END_TEST

/* Each makes another picture than the one before. */
static const char *const changes[] = {"mode=class", "mode=kind", "mode=height", "mode=obstacle",
    "mode=distance", "max-distance=9", "uncertainty=4", "show=ground", "show=objects",
    "show=free-space", "show=cone", "extent=12", "zoom=2", "center-x=5", "center-y=3",
    "rings=false"};

GST_START_TEST(properties_count_from_the_next_frame)
{
  Fixture f = begin("", VIDEO SMALL, OBSTACLES_CAPS);
  GstBuffer *last = run(&f, obstacles_stixels(DISTANCE, 13, 0));

  for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
    gchar **words = g_strsplit(changes[i], "=", 2);
    GstBuffer *next;
    GstMapInfo map;

    gst_util_set_object_arg(G_OBJECT(f.element), words[0], words[1]);
    next = run(&f, obstacles_stixels(DISTANCE, 13, (i + 1) * OBSTACLES_FRAME));
    ck_assert(gst_buffer_map(next, &map, GST_MAP_READ));
    ck_assert_msg(
        gst_buffer_memcmp(last, 0, map.data, map.size) != 0, "%s changes nothing", changes[i]);
    gst_buffer_unmap(next, &map);
    gst_buffer_unref(last);
    last = next;
    g_strfreev(words);
  }
  gst_buffer_unref(last);
  end(&f);
}
GST_END_TEST

/* Those that stixel-obstacles attaches to stixels or to video. */
GST_START_TEST(obstacles_and_free_space_are_shown)
{
  GstHarness *h[2];
  GstBuffer *picture[3];
  GstElement *bev;
  GstMapInfo map;

  h[0] = gst_harness_new_parse("stixel-obstacles ! stixel-bev" VIDEO SMALL);
  h[1] = gst_harness_new_parse("stixel-obstacles ! stixel-bev" VIDEO SMALL);
  gst_harness_set_src_caps_str(h[0], OBSTACLES_CAPS);
  gst_harness_set_src_caps_str(h[1], OBSTACLES_VIDEO_CAPS(64, 48));
  picture[0] = gst_harness_push_and_pull(h[0], obstacles_stixels(DISTANCE, 13, 0));
  picture[1] = gst_harness_push_and_pull(h[1], obstacles_picture(64, 48, DISTANCE, 0));
  ck_assert(picture[0] != NULL && picture[1] != NULL);
  ck_assert(gst_buffer_get_stx_obstacles_meta(picture[0]) == NULL);
  ck_assert(gst_buffer_map(picture[1], &map, GST_MAP_READ));
  stx_test_expect_bytes(picture[0], map.data, map.size, "of video");
  bev = gst_harness_find_element(h[0], "stixel-bev");
  gst_util_set_object_arg(G_OBJECT(bev), "show", "ground+objects");
  gst_object_unref(bev);
  picture[2] = gst_harness_push_and_pull(h[0], obstacles_stixels(DISTANCE, 13, OBSTACLES_FRAME));
  ck_assert(gst_buffer_memcmp(picture[2], 0, map.data, map.size) != 0);
  gst_buffer_unmap(picture[1], &map);
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref(picture[i]);
  gst_harness_teardown(h[0]);
  gst_harness_teardown(h[1]);
}
GST_END_TEST

/* ---- With a scan --------------------------------------------------------------------------- */

static Fixture begin_with_points(const char *properties)
{
  Fixture f = begin(properties, VIDEO SMALL, OBSTACLES_CAPS);

  f.points = gst_harness_new_with_element(f.element, "points", NULL);
  gst_harness_set_src_caps_str(f.points, SCAN_CAPS);
  return f;
}

static GstBuffer *run_both(Fixture *f, const gfloat *points)
{
  gst_harness_push(f->points, scan_buffer(points, POINTS, 0));
  return run(f, obstacles_stixels(DISTANCE, 13, 0));
}

static void end_both(Fixture *f)
{
  gst_harness_teardown(f->points);
  end(f);
}

static void expect_scan(const char *properties, const StxMount *mount)
{
  Fixture f = begin_with_points(properties);
  gfloat points[4 * POINTS];
  GByteArray *expected;
  GstBuffer *picture;

  scan_points(points, POINTS, 1);
  expected = drawn(params_of("RGB", 200, 160), &defaults, points, mount);
  picture = run_both(&f, points);
  stx_test_expect_bytes(picture, expected->data, expected->len, properties);
  stx_test_expect_silence(f.bus);
  gst_buffer_unref(picture);
  g_byte_array_unref(expected);
  end_both(&f);
}

GST_START_TEST(scans_lie_where_the_sensor_stands)
{
  expect_scan("sensor-x=1 sensor-y=-2 sensor-z=.5 sensor-yaw=.3 sensor-pitch=.1 sensor-roll=-.2",
      &(StxMount){1, -2, .5, -.2, .1, .3});
  expect_scan("sensor-x=-3", &(StxMount){.x = -3});
}
GST_END_TEST

static gchar *calibration_file(const char *text)
{
  gchar *path = NULL;
  gint file = g_file_open_tmp("stixel-bev-XXXXXX", &path, NULL);

  ck_assert_int_ge(file, 0);
  close(file);
  ck_assert(g_file_set_contents(path, text, -1, NULL));
  return path;
}

#define PROJECTIONS "P0: 64 0 31.5 0 0 64 15.5 0 0 0 1 0\nP1: 64 0 31.5 -32 0 64 15.5 0 0 0 1 0\n"

/* A sensor 2 m ahead of the camera, by KITTI's file; numbers are stronger. */
GST_START_TEST(scans_lie_where_the_file_says)
{
  gchar *path = calibration_file(PROJECTIONS "Tr: 0 -1 0 0 0 0 -1 0 1 0 0 2\n");
  gchar *file =
      g_strdup_printf("calibration=%s camera-image-width=64 camera-image-height=48", path);
  gchar *both = g_strconcat(file, " sensor-x=9", NULL);

  expect_scan(file, &(StxMount){.x = 2});
  expect_scan(both, &(StxMount){.x = 9});
  g_unlink(path);
  g_free(both);
  g_free(file);
  g_free(path);
}
GST_END_TEST

GST_START_TEST(asks_where_the_sensor_stands)
{
  Fixture f = begin_with_points("");
  gfloat points[4 * POINTS];

  scan_points(points, POINTS, 1);
  gst_harness_push(f.points, scan_buffer(points, POINTS, 0));
  gst_harness_push(f.stixels, obstacles_stixels(DISTANCE, 13, 0));
  stx_test_expect_error(f.bus, "calibration=FILE", "Tr:", "sensor-yaw", NULL);
  end_both(&f);
}
GST_END_TEST

/* ---- Caps ---------------------------------------------------------------------------------- */

GST_START_TEST(sizes_are_those_of_downstream)
{
  Fixture f = begin("", " ! capsfilter name=filter", OBSTACLES_CAPS);
  GstElement *filter = gst_bin_get_by_name(GST_BIN(f.stixels->element), "filter");

  for (gint i = 0; i < 4; i++) {
    gint width = i == 0 ? 800 : 64 + 40 * i, height = i == 0 ? 800 : 48;
    gchar *size = g_strdup_printf(",width=%d,height=%d", width, height);
    gchar *text = g_strconcat("video/x-raw,format=RGB", i == 0 ? NULL : size, NULL);
    GstCaps *found;

    gst_util_set_object_arg(G_OBJECT(filter), "caps", text);
    expect_picture(run(&f, obstacles_stixels(DISTANCE, 13, (GstClockTime)i * OBSTACLES_FRAME)),
        params_of("RGB", width, height), &defaults, text);
    found = gst_pad_get_current_caps(f.stixels->sinkpad);
    ck_assert(gst_structure_has_field_typed(
        gst_caps_get_structure(found, 0), "framerate", GST_TYPE_FRACTION));
    gst_caps_unref(found);
    g_free(text);
    g_free(size);
  }
  gst_object_unref(filter);
  end(&f);
}
GST_END_TEST

/* ---- What is missing ----------------------------------------------------------------------- */

#define NO_CAMERA "application/x-stixels," OBSTACLES_SIZES ",framerate=10/1"

GST_START_TEST(a_camera_is_asked_for_and_taken)
{
  Fixture f = begin("", VIDEO SMALL, NO_CAMERA);

  gst_harness_push(f.stixels, obstacles_stixels(DISTANCE, 13, 0));
  stx_test_expect_error(
      f.bus, "focal length", "baseline", "cx", "calibration=FILE", "stixel-bev", NULL);
  end(&f);
  f = begin("focal=64 cx=31.5 cy=15.5 baseline=.5 camera-height=1.5", VIDEO SMALL, NO_CAMERA);
  expect_picture(run(&f, obstacles_stixels(DISTANCE, 13, 0)), params_of("RGB", 200, 160), &defaults,
      "camera of properties");
  end(&f);
}
GST_END_TEST

GST_START_TEST(frames_without_stixels_are_counted)
{
  Fixture f = begin("", VIDEO SMALL, OBSTACLES_VIDEO_CAPS(64, 48));
  guint64 count;

  for (gint i = 0; i < 3; i++)
    gst_buffer_unref(
        run(&f, stx_test_buffer(64 * 48 * 3, 0, i * OBSTACLES_FRAME, OBSTACLES_FRAME)));
  stx_test_expect_warning(f.bus, "has no stixels");
  g_object_get(f.element, "frames-without-stixels", &count, NULL);
  ck_assert_uint_eq(count, 3);
  end(&f);
}
GST_END_TEST

GST_START_TEST(refuses_with_a_reason)
{
  Fixture f = begin("", "", "application/x-lidar");

  gst_harness_push(f.stixels, stx_test_buffer(16, 0, 0, OBSTACLES_FRAME));
  stx_test_expect_error(f.bus, "application/x-lidar", "put stixel-bev behind", NULL);
  end(&f);
  f = begin("", "", OBSTACLES_CAPS);
  gst_harness_push(f.stixels, stx_test_buffer(25, 0, 0, OBSTACLES_FRAME));
  stx_test_expect_error(f.bus, "25 bytes", "24", NULL);
  end(&f);
}
GST_END_TEST

GST_START_TEST(refuses_files)
{
  gchar *path = calibration_file(PROJECTIONS "Tr: 1 2 3\n");
  gchar *line = g_strdup_printf(STREET "stixel-bev calibration=%s ! fakesink", path);

  stx_test_breaks(line, "\"Tr:\" has 3 numbers; expected 12", NULL);
  g_unlink(path);
  g_free(line);
  g_free(path);
}
GST_END_TEST

/* ---- Pipelines ----------------------------------------------------------------------------- */

GST_START_TEST(survives_state_changes)
{
  stx_test_state_cycles(STREET "stixel-bev ! fakesink");
}
GST_END_TEST

static void run_line(void)
{
  stx_test_runs(STREET "stixel-obstacles ! bev.sink stixel-bev name=bev ! "
                       "videoconvert ! video/x-raw,format=I420,width=320,height=200 ! fakesink "
                       "street-scene-src view=lidar beams=16 num-buffers=3 ! lidar-ground ! "
                       "bev.points");
}

GST_START_TEST(leaks_nothing)
{
  stx_test_no_leaks(run_line);
}
GST_END_TEST

static Suite *stixel_bev_suite(void)
{
  Suite *suite = suite_create("stixel-bev");
  TCase *tests = tcase_create("stixel-bev");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, every_format, 0, G_N_ELEMENTS(formats));
  tcase_add_test(tests, video_is_as_good_as_stixels);
  tcase_add_test(tests, properties_count_from_the_next_frame);
  tcase_add_test(tests, obstacles_and_free_space_are_shown);
  tcase_add_test(tests, scans_lie_where_the_sensor_stands);
  tcase_add_test(tests, scans_lie_where_the_file_says);
  tcase_add_test(tests, asks_where_the_sensor_stands);
  tcase_add_test(tests, sizes_are_those_of_downstream);
  tcase_add_test(tests, a_camera_is_asked_for_and_taken);
  tcase_add_test(tests, frames_without_stixels_are_counted);
  tcase_add_test(tests, refuses_with_a_reason);
  tcase_add_test(tests, refuses_files);
  tcase_add_test(tests, survives_state_changes);
  tcase_add_test(tests, leaks_nothing);
  return suite;
}
GST_CHECK_MAIN(stixel_bev)
