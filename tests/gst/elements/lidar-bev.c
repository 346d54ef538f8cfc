/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lidar-bev: what is drawn equals the stem called directly (tests/common/bev/check_bev.c proves
 * that one), in every format; caps, properties in mid-stream, labels on scans, refusals, states.
 */
#include <gst/video/video.h>
#include <string.h>

#include "common/bev/bev.h"
#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define POINTS 3000
#define VIDEO " ! capsfilter caps=video/x-raw,"
#define SMALL "format=RGB,width=64,height=48"
#define STREET "street-scene-src view=lidar num-buffers=3 "

static const StxGroundParams ground = STX_GROUND_DEFAULTS;

static ScanFixture begin(const char *properties, const char *behind)
{
  gchar *line = g_strdup_printf("lidar-bev %s%s", properties, behind);
  ScanFixture fixture = scan_begin("lidar-bev", line, SCAN_CAPS);

  g_free(line);
  return fixture;
}

static GstBuffer *labelled_scan(const gfloat *points, gsize count)
{
  GstBuffer *scan = scan_buffer(points, count, SCAN_TIME);
  guint32 *words = scan_reference(&ground, points, count, NULL);
  GstBuffer *labels = gst_buffer_new_wrapped(words, 4 * count);

  ck_assert(gst_buffer_add_stx_point_labels_meta(scan, labels) != NULL);
  gst_buffer_unref(labels);
  return scan;
}

/* ---- What the stem says -------------------------------------------------------------------- */

static GByteArray *drawn(const StxBevParams *params, const gfloat *points, const guint32 *labels,
    gsize count, gint stride)
{
  gpointer memory = g_aligned_alloc(1, stx_bev_size(params), STX_ALIGN);
  GByteArray *bytes = g_byte_array_new();
  StxFrame frame;

  g_byte_array_set_size(bytes, (guint)(stride * params->height));
  memset(bytes->data, 0, bytes->len);
  frame = (StxFrame){{bytes->data}, {stride}};
  stx_bev_draw(stx_bev_init(memory, params), points, labels, count, &frame);
  g_aligned_free(memory);
  return bytes;
}

static StxBevParams small_params(const char *format, gint width, gint height)
{
  StxBevParams params = STX_BEV_DEFAULTS;

  params.format = stx_pixel_format(format);
  params.width = width;
  params.height = height;
  return params;
}

/* Takes the picture. `labelled`: with the labels of the reference. */
static void expect_picture(GstBuffer *picture, const StxBevParams *params, const gfloat *points,
    gsize count, gboolean labelled, const char *what)
{
  guint32 *labels = labelled ? scan_reference(&ground, points, count, NULL) : NULL;
  gint stride = (params->width * params->format->plane[0].pixel_stride + 3) / 4 * 4;
  GByteArray *expected = drawn(params, points, labels, count, stride);

  ck_assert_msg(picture != NULL, "%s: nothing came out", what);
  stx_test_expect_bytes(picture, expected->data, expected->len, what);
  g_byte_array_unref(expected);
  g_free(labels);
  gst_buffer_unref(picture);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

static const char *const formats[] = {
    "RGBA", "RGBx", "BGRA", "BGRx", "ARGB", "xRGB", "ABGR", "xBGR", "RGB", "BGR"};

/* An odd width: rows of three bytes per pixel are padded, and the padding is 0. */
GST_START_TEST(every_format)
{
  gchar *behind = g_strdup_printf(VIDEO "format=%s,width=61,height=47", formats[__i__]);
  ScanFixture fixture = begin("", behind);
  StxBevParams params = small_params(formats[__i__], 61, 47);
  gfloat points[4 * POINTS];

  scan_points(points, POINTS, 1);
  expect_picture(gst_harness_push_and_pull(fixture.harness, labelled_scan(points, POINTS)), &params,
      points, POINTS, TRUE, formats[__i__]);
  stx_test_expect_silence(fixture.bus);
  scan_end(&fixture);
  g_free(behind);
}
GST_END_TEST

/* Without labels, and with labels of fewer points. */
GST_START_TEST(heights_where_there_are_no_labels)
{
  ScanFixture fixture = begin("", VIDEO SMALL);
  StxBevParams params = small_params("RGB", 64, 48);
  gfloat points[4 * POINTS];
  GstBuffer *scan;

  scan_points(points, POINTS, 1);
  expect_picture(scan_run(&fixture, points, POINTS), &params, points, POINTS, FALSE, "none");
  scan = labelled_scan(points, POINTS);
  gst_buffer_resize(scan, 0, 16 * (POINTS - 1));
  expect_picture(gst_harness_push_and_pull(fixture.harness, scan), &params, points, POINTS - 1,
      FALSE, "too many");
  expect_picture(gst_harness_push_and_pull(fixture.harness, labelled_scan(points, POINTS)), &params,
      points, POINTS, TRUE, "labelled");
  expect_picture(scan_run(&fixture, points, 0), &params, points, 0, FALSE, "no points");
  expect_picture(gst_harness_push_and_pull(fixture.harness, labelled_scan(points, 0)), &params,
      points, 0, TRUE, "no points, no labels");
  stx_test_expect_silence(fixture.bus);
  scan_end(&fixture);
}
GST_END_TEST

/* The same bytes, from an odd address on. */
static GstBuffer *move_by_one(GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size(buffer);
  guint8 *bytes = g_malloc(size + 1);
  GstBuffer *moved = gst_buffer_new_wrapped_full(0, bytes, size + 1, 1, size, bytes, g_free);

  gst_buffer_extract(buffer, 0, bytes + 1, size);
  gst_buffer_copy_into(moved, buffer, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  return moved;
}

GST_START_TEST(points_and_labels_may_begin_at_an_odd_address)
{
  ScanFixture fixture = begin("", VIDEO SMALL);
  StxBevParams params = small_params("RGB", 64, 48);
  gfloat points[4 * POINTS];
  GstBuffer *scan, *moved, *labels;

  scan_points(points, POINTS, 1);
  scan = labelled_scan(points, POINTS);
  moved = move_by_one(scan);
  labels = move_by_one(gst_buffer_get_stx_point_labels_meta(scan)->labels);
  gst_buffer_add_stx_point_labels_meta(moved, labels);
  gst_buffer_unref(labels);
  gst_buffer_unref(scan);
  expect_picture(gst_harness_push_and_pull(fixture.harness, moved), &params, points, POINTS, TRUE,
      "odd addresses");
  scan_end(&fixture);
}
GST_END_TEST

GST_START_TEST(pictures_carry_times_but_no_labels)
{
  ScanFixture fixture = begin("", VIDEO SMALL);
  gfloat points[4 * POINTS];
  GstBuffer *scan, *picture;

  scan_points(points, POINTS, 1);
  scan = labelled_scan(points, POINTS);
  GST_BUFFER_OFFSET(scan) = 5;
  picture = gst_harness_push_and_pull(fixture.harness, scan);
  ck_assert(gst_buffer_get_stx_point_labels_meta(picture) == NULL);
  ck_assert_uint_eq(GST_BUFFER_PTS(picture), SCAN_TIME);
  ck_assert_uint_eq(GST_BUFFER_DURATION(picture), SCAN_TIME);
  gst_buffer_unref(picture);
  /* 64·48·3 bytes of points: a scan as large as its picture */
  scan = labelled_scan(points, 64 * 48 * 3 / 16);
  picture = gst_harness_push_and_pull(fixture.harness, scan);
  ck_assert(gst_buffer_get_stx_point_labels_meta(picture) == NULL);
  gst_buffer_unref(picture);
  scan_end(&fixture);
}
GST_END_TEST

/* ---- Properties ---------------------------------------------------------------------------- */

/* Applied one after another in one stream; each picture differs from the one before. */
static const struct {
  const char *name, *value;
} changes[] = {{"mode", "labels"}, {"mode", "height"}, {"mode", "intensity"}, {"mode", "clusters"},
    {"extent", "20"}, {"zoom", "2"}, {"center-x", "3.5"}, {"center-y", "-2"}, {"point-size", "5"},
    {"rings", "false"}, {"zoom", "100"}, {"extent", "500"}, {"zoom", "0.1"}};

static StxBevParams params_of(GstElement *element, gdouble *zoom)
{
  StxBevParams params = small_params("RGB", 64, 48);
  gboolean rings;
  gint mode;

  g_object_get(element, "mode", &mode, "extent", &params.extent, "zoom", zoom, "center-x",
      &params.center_x, "center-y", &params.center_y, "point-size", &params.point_size, "rings",
      &rings, NULL);
  params.mode = (StxBevMode)mode;
  params.rings = rings;
  return params;
}

GST_START_TEST(properties_count_from_the_next_scan)
{
  static const StxBevParams defaults = STX_BEV_DEFAULTS;
  ScanFixture fixture = begin("", VIDEO SMALL);
  gfloat points[4 * POINTS];
  gdouble zoom;
  StxBevParams params = params_of(fixture.element, &zoom);
  GByteArray *last;

  scan_points(points, POINTS, 1);
  ck_assert(params.mode == defaults.mode && params.extent == defaults.extent && zoom == 1);
  ck_assert(params.center_x == 0 && params.center_y == 0 && params.rings == defaults.rings);
  ck_assert_int_eq(params.point_size, defaults.point_size);
  last = drawn(&params, points, NULL, 0, 192);
  for (guint i = 0; i < G_N_ELEMENTS(changes); i++) {
    GstBuffer *picture;

    gst_util_set_object_arg(G_OBJECT(fixture.element), changes[i].name, changes[i].value);
    params = params_of(fixture.element, &zoom);
    params.extent = CLAMP(params.extent / zoom, 1, 500); /* where zoom would leave the range */
    picture = gst_harness_push_and_pull(fixture.harness, labelled_scan(points, POINTS));
    ck_assert_msg(gst_buffer_memcmp(picture, 0, last->data, last->len) != 0,
        "%s=%s changes nothing", changes[i].name, changes[i].value);
    gst_buffer_extract(picture, 0, last->data, last->len);
    expect_picture(picture, &params, points, POINTS, TRUE, changes[i].name);
  }
  g_byte_array_unref(last);
  stx_test_expect_silence(fixture.bus);
  scan_end(&fixture);
}
GST_END_TEST

/* ---- Caps ---------------------------------------------------------------------------------- */

static const struct {
  const char *behind, *input;
  gint width, height, rate;
} caps_cases[] = {
    {"", SCAN_CAPS, 800, 800, 10},
    {"", "application/x-lidar", 800, 800, 0},
    {"", "application/x-lidar,framerate=-10/1", 800, 800, 0},
    {"", "application/x-lidar,framerate=(int)10", 800, 800, 0},
    {VIDEO "width=640", SCAN_CAPS, 640, 800, 10},
    {VIDEO "height=[16,480]", SCAN_CAPS, 800, 480, 10},
    {VIDEO "format=BGR,width=16,height=16", SCAN_CAPS, 16, 16, 10},
    {VIDEO "format=RGBA,width=8192,height=16", SCAN_CAPS, 8192, 16, 10},
    {VIDEO "framerate=30/1", "application/x-lidar", 800, 800, 30},
};

GST_START_TEST(caps_are_fixed_at_800)
{
  ScanFixture fixture = begin("", caps_cases[__i__].behind);
  gfloat points[4 * POINTS];
  GstCaps *caps;
  GstVideoInfo info;
  GstBuffer *picture;

  gst_harness_set_src_caps_str(fixture.harness, caps_cases[__i__].input);
  scan_points(points, POINTS, 1);
  picture = scan_run(&fixture, points, POINTS);
  caps = gst_pad_get_current_caps(fixture.harness->sinkpad);
  ck_assert(gst_video_info_from_caps(&info, caps));
  ck_assert_int_eq(info.width, caps_cases[__i__].width);
  ck_assert_int_eq(info.height, caps_cases[__i__].height);
  ck_assert_int_eq(info.fps_n, caps_cases[__i__].rate);
  ck_assert_int_eq(info.par_n, info.par_d);
  ck_assert_uint_eq(gst_buffer_get_size(picture), info.size);
  gst_buffer_unref(picture);
  gst_caps_unref(caps);
  scan_end(&fixture);
}
GST_END_TEST

/* Another size in mid-stream, as when a window is resized. */
GST_START_TEST(sizes_may_change_in_mid_stream)
{
  ScanFixture fixture = begin("", VIDEO SMALL " name=filter");
  GstElement *filter = gst_bin_get_by_name(GST_BIN(fixture.harness->element), "filter");
  gfloat points[4 * POINTS];

  scan_points(points, POINTS, 1);
  for (gint i = 0; i < 4; i++) {
    gint width = 64 + 40 * (i % 3);
    StxBevParams params = small_params("RGB", width, 48);
    gchar *text = g_strdup_printf("video/x-raw,format=RGB,width=%d,height=48", width);

    gst_util_set_object_arg(G_OBJECT(filter), "caps", text);
    expect_picture(scan_run(&fixture, points, POINTS), &params, points, POINTS, FALSE, text);
    scan_flush(&fixture);
    expect_picture(
        scan_run(&fixture, points, POINTS), &params, points, POINTS, FALSE, "after a flush");
    g_free(text);
  }
  gst_object_unref(filter);
  scan_end(&fixture);
}
GST_END_TEST

/* ---- Refusals ------------------------------------------------------------------------------ */

static const struct {
  const char *caps;
  gsize bytes;
  const char *words[3];
} refusals[] = {
    {"application/octet-stream", 16,
        {"application/x-lidar", "application/octet-stream", "put lidar-parse before lidar-bev"}},
    {NULL, 16, {"application/x-lidar", "without caps", "put lidar-parse before lidar-bev"}},
    {SCAN_CAPS, 24, {"24 bytes", "16", "whole number"}},
};

GST_START_TEST(refuses_with_a_reason)
{
  ScanFixture fixture = scan_begin("lidar-bev", "lidar-bev", NULL);
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(fixture.harness, gst_event_new_stream_start("scans"));
  if (refusals[__i__].caps != NULL) {
    GstCaps *caps = gst_caps_from_string(refusals[__i__].caps);

    gst_harness_push_event(fixture.harness, gst_event_new_caps(caps));
    gst_caps_unref(caps);
  }
  gst_harness_push_event(fixture.harness, gst_event_new_segment(&segment));
  ck_assert_int_ne(
      gst_harness_push(fixture.harness, stx_test_buffer(refusals[__i__].bytes, 0, 0, SCAN_TIME)),
      GST_FLOW_OK);
  stx_test_expect_error(fixture.bus, refusals[__i__].words[0], refusals[__i__].words[1],
      refusals[__i__].words[2], NULL);
  scan_end(&fixture);
}
GST_END_TEST

/* ---- Pipelines ----------------------------------------------------------------------------- */

GST_START_TEST(survives_state_changes)
{
  stx_test_state_cycles(STREET "! lidar-ground ! lidar-bev ! fakesink");
}
GST_END_TEST

static void run_line(void)
{
  stx_test_runs(STREET "! lidar-ground ! lidar-bev zoom=2 ! videoconvert ! "
                       "video/x-raw,format=I420,width=320,height=200 ! fakesink");
}

GST_START_TEST(leaks_nothing)
{
  stx_test_no_leaks(run_line);
}
GST_END_TEST

static Suite *lidar_bev_suite(void)
{
  Suite *suite = suite_create("lidar-bev");
  TCase *tests = tcase_create("lidar-bev");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, every_format, 0, G_N_ELEMENTS(formats));
  tcase_add_test(tests, heights_where_there_are_no_labels);
  tcase_add_test(tests, points_and_labels_may_begin_at_an_odd_address);
  tcase_add_test(tests, pictures_carry_times_but_no_labels);
  tcase_add_test(tests, properties_count_from_the_next_scan);
  tcase_add_loop_test(tests, caps_are_fixed_at_800, 0, G_N_ELEMENTS(caps_cases));
  tcase_add_test(tests, sizes_may_change_in_mid_stream);
  tcase_add_loop_test(tests, refuses_with_a_reason, 0, G_N_ELEMENTS(refusals));
  tcase_add_test(tests, survives_state_changes);
  tcase_add_test(tests, leaks_nothing);
  return suite;
}
GST_CHECK_MAIN(lidar_bev)
