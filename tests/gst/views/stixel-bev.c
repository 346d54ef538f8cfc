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
#include "common/extrinsics/extrinsics.h"
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
  g_autofree gchar *line = g_strdup_printf("stixel-bev %s%s", properties, behind);
  Fixture f = {.stixels = gst_harness_new_parse(line)};

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

/* The picture of the fixture's stixels, and of points seen from `extrinsics`. */
static GByteArray *drawn(StxBevParams params, const StxBevStixelsParams *stixels,
    const gfloat *points, const StxExtrinsics *extrinsics)
{
  gint stride = (params.width * params.format->plane[0].pixel_stride + 3) / 4 * 4;
  gpointer memory = g_aligned_alloc(1, stx_bev_size(&params), STX_ALIGN);
  g_autoptr(GstBuffer) records = obstacles_stixels(DISTANCE, 13, 0);
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
    stx_extrinsics_matrix(extrinsics, matrix);
    stx_extrinsics_to_scan_axes(matrix, ahead);
    stx_bev_put_points(bev, points, NULL, POINTS, ahead);
  }
  stx_bev_finish(bev, &picture, 1);
  gst_buffer_unmap(records, &map);
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
  g_autoptr(GByteArray) expected = drawn(params, stixels, NULL, NULL);

  stx_test_expect_bytes(picture, expected->data, expected->len, what);
  gst_buffer_unref(picture);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

static const char *const formats[] = {
    "RGBA", "RGBx", "BGRA", "BGRx", "ARGB", "xRGB", "ABGR", "xBGR", "RGB", "BGR"};

/* An odd width: rows of three bytes per pixel are padded, and the padding is 0. */
STX_TEST_LOOP(every_format, G_N_ELEMENTS(formats))
{
  g_autofree gchar *behind = g_strdup_printf(VIDEO "format=%s,width=121,height=97", formats[_i]);
  Fixture f = begin("", behind, OBSTACLES_CAPS);

  expect_picture(run(&f, obstacles_stixels(DISTANCE, 13, 0)), params_of(formats[_i], 121, 97),
      &defaults, formats[_i]);
  stx_test_expect_silence(f.bus);
  end(&f);
}

STX_TEST(video_is_as_good_as_stixels)
{
  static const char *const cameras[] = {"", "," OBSTACLES_CAMERA};

  for (guint i = 0; i < G_N_ELEMENTS(cameras); i++) {
    g_autofree gchar *caps = g_strdup_printf("%s%s", OBSTACLES_VIDEO_CAPS(64, 48), cameras[i]);
    Fixture f = begin("", VIDEO SMALL, caps);

    expect_picture(run(&f, obstacles_picture(64, 48, DISTANCE, 0)), params_of("RGB", 200, 160),
        &defaults, cameras[i]);
    end(&f);
  }
}

/* Each makes another picture than the one before. */
static const char *const changes[] = {"mode=class", "mode=kind", "mode=height", "mode=obstacle",
    "mode=distance", "max-distance=9", "uncertainty=4", "show=ground", "show=objects",
    "show=free-space", "show=cone", "extent=12", "zoom=2", "center-x=5", "center-y=3",
    "rings=false"};

STX_TEST(properties_count_from_the_next_frame)
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

/* Those that stixel-obstacles attaches to stixels or to video. */
STX_TEST(obstacles_and_free_space_are_shown)
{
  GstHarness *h[2];
  GstBuffer *picture[3];
  g_autoptr(GstElement) bev = NULL;
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
  picture[2] = gst_harness_push_and_pull(h[0], obstacles_stixels(DISTANCE, 13, OBSTACLES_FRAME));
  ck_assert(gst_buffer_memcmp(picture[2], 0, map.data, map.size) != 0);
  gst_buffer_unmap(picture[1], &map);
  for (guint i = 0; i < 3; i++)
    gst_buffer_unref(picture[i]);
  gst_harness_teardown(h[0]);
  gst_harness_teardown(h[1]);
}

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

static void expect_scan(const char *properties, const StxExtrinsics *extrinsics)
{
  Fixture f = begin_with_points(properties);
  gfloat points[4 * POINTS];
  g_autoptr(GByteArray) expected = NULL;
  g_autoptr(GstBuffer) picture = NULL;

  scan_points(points, POINTS, 1);
  expected = drawn(params_of("RGB", 200, 160), &defaults, points, extrinsics);
  picture = run_both(&f, points);
  stx_test_expect_bytes(picture, expected->data, expected->len, properties);
  stx_test_expect_silence(f.bus);
  end_both(&f);
}

STX_TEST(scans_lie_where_the_sensor_stands)
{
  expect_scan("sensor-x=1 sensor-y=-2 sensor-z=.5 sensor-yaw=.3 sensor-pitch=.1 sensor-roll=-.2",
      &(StxExtrinsics){1, -2, .5, -.2, .1, .3});
  expect_scan("sensor-x=-3", &(StxExtrinsics){.x = -3});
}

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
STX_TEST(scans_lie_where_the_file_says)
{
  g_autofree gchar *path = calibration_file(PROJECTIONS "Tr: 0 -1 0 0 0 0 -1 0 1 0 0 2\n");
  g_autofree gchar *file =
      g_strdup_printf("calibration=%s camera-image-width=64 camera-image-height=48", path);
  g_autofree gchar *both = g_strconcat(file, " sensor-x=9", NULL);

  expect_scan(file, &(StxExtrinsics){.x = 2});
  expect_scan(both, &(StxExtrinsics){.x = 9});
  g_unlink(path);
}

STX_TEST(asks_where_the_sensor_stands)
{
  Fixture f = begin_with_points("");
  gfloat points[4 * POINTS];

  scan_points(points, POINTS, 1);
  gst_harness_push(f.points, scan_buffer(points, POINTS, 0));
  gst_harness_push(f.stixels, obstacles_stixels(DISTANCE, 13, 0));
  stx_test_expect_error(f.bus, "calibration=FILE", "Tr:", "sensor-yaw", NULL);
  end_both(&f);
}

/* ---- Caps ---------------------------------------------------------------------------------- */

STX_TEST(sizes_are_those_of_downstream)
{
  Fixture f = begin("", " ! capsfilter name=filter", OBSTACLES_CAPS);
  g_autoptr(GstElement) filter = gst_bin_get_by_name(GST_BIN(f.stixels->element), "filter");

  for (gint i = 0; i < 4; i++) {
    gint width = i == 0 ? 800 : 64 + 40 * i, height = i == 0 ? 800 : 48;
    g_autofree gchar *size = g_strdup_printf(",width=%d,height=%d", width, height);
    g_autofree gchar *text = g_strconcat("video/x-raw,format=RGB", i == 0 ? NULL : size, NULL);
    g_autoptr(GstCaps) found = NULL;

    gst_util_set_object_arg(G_OBJECT(filter), "caps", text);
    expect_picture(run(&f, obstacles_stixels(DISTANCE, 13, (GstClockTime)i * OBSTACLES_FRAME)),
        params_of("RGB", width, height), &defaults, text);
    found = gst_pad_get_current_caps(f.stixels->sinkpad);
    ck_assert(gst_structure_has_field_typed(
        gst_caps_get_structure(found, 0), "framerate", GST_TYPE_FRACTION));
  }
  end(&f);
}

/* ---- What is missing ----------------------------------------------------------------------- */

#define NO_CAMERA "application/x-stixels," OBSTACLES_SIZES ",framerate=10/1"

STX_TEST(a_camera_is_asked_for_and_taken)
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

STX_TEST(frames_without_stixels_are_counted)
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

STX_TEST(refuses_with_a_reason)
{
  Fixture f = begin("", "", "application/x-obstacles");

  gst_harness_push(f.stixels, stx_test_buffer(16, 0, 0, OBSTACLES_FRAME));
  stx_test_expect_error(
      f.bus, "application/x-lidar, not application/x-obstacles", "put stixel-bev behind", NULL);
  end(&f);
  f = begin("", "", OBSTACLES_CAPS);
  gst_harness_push(f.stixels, stx_test_buffer(25, 0, 0, OBSTACLES_FRAME));
  stx_test_expect_error(f.bus, "25 bytes", "24", NULL);
  end(&f);
}

STX_TEST(refuses_files)
{
  g_autofree gchar *path = calibration_file(PROJECTIONS "Tr: 1 2 3\n");
  g_autofree gchar *line = g_strdup_printf(STREET "stixel-bev calibration=%s ! fakesink", path);

  stx_test_breaks(line, "\"Tr:\" has 3 numbers; expected 12", NULL);
  g_unlink(path);
}
