/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scans alone, by lidar-bev and stixel-bev: what is drawn equals the stem called directly
 * (tests/common/bev/check_bev.c proves that one); caps, properties in mid-stream, labels on scans,
 * refusals. Formats, sizes and states: stixel-bev.c.
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
  g_autofree gchar *line = g_strdup_printf("lidar-bev %s%s", properties, behind);
  ScanFixture fixture = scan_begin("lidar-bev", line, SCAN_CAPS);

  return fixture;
}

static GstBuffer *labelled_scan(const gfloat *points, gsize count)
{
  GstBuffer *scan = scan_buffer(points, count, SCAN_TIME);
  guint32 *words = scan_reference(&ground, points, count, NULL);
  g_autoptr(GstBuffer) labels = gst_buffer_new_wrapped(words, 4 * count);

  ck_assert(gst_buffer_add_stx_point_labels_meta(scan, labels) != NULL);
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
  g_autoptr(GByteArray) expected = drawn(params, points, labels, count, stride);

  ck_assert_msg(picture != NULL, "%s: nothing came out", what);
  stx_test_expect_bytes(picture, expected->data, expected->len, what);
  g_free(labels);
  gst_buffer_unref(picture);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

/* Without labels, and with labels of fewer points. */
STX_TEST(heights_where_there_are_no_labels)
{
  g_auto(ScanFixture) fixture = begin("", VIDEO SMALL);
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
}

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

STX_TEST(points_and_labels_may_begin_at_an_odd_address)
{
  g_auto(ScanFixture) fixture = begin("", VIDEO SMALL);
  StxBevParams params = small_params("RGB", 64, 48);
  gfloat points[4 * POINTS];
  g_autoptr(GstBuffer) scan = NULL;
  GstBuffer *moved;
  g_autoptr(GstBuffer) labels = NULL;

  scan_points(points, POINTS, 1);
  scan = labelled_scan(points, POINTS);
  moved = move_by_one(scan);
  labels = move_by_one(gst_buffer_get_stx_point_labels_meta(scan)->labels);
  gst_buffer_add_stx_point_labels_meta(moved, labels);
  expect_picture(gst_harness_push_and_pull(fixture.harness, moved), &params, points, POINTS, TRUE,
      "odd addresses");
}

STX_TEST(pictures_carry_times_but_no_labels)
{
  g_auto(ScanFixture) fixture = begin("", VIDEO SMALL);
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
}

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

STX_TEST(properties_count_from_the_next_scan)
{
  static const StxBevParams defaults = STX_BEV_DEFAULTS;
  g_auto(ScanFixture) fixture = begin("", VIDEO SMALL);
  gfloat points[4 * POINTS];
  gdouble zoom;
  StxBevParams params = params_of(fixture.element, &zoom);
  g_autoptr(GByteArray) last = NULL;

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
  stx_test_expect_silence(fixture.bus);
}

/* With its own defaults: what a camera would see. */
STX_TEST(stixel_bev_draws_them_too)
{
  static const char *const modes[] = {"auto", "clusters", "labels", "height", "intensity", "plain"};

  for (guint i = 0; i < G_N_ELEMENTS(modes); i++) {
    g_autofree gchar *line = g_strdup_printf("stixel-bev points=%s" VIDEO SMALL, modes[i]);
    g_auto(ScanFixture) fixture = scan_begin("stixel-bev", line, SCAN_CAPS);
    StxBevParams params = STX_BEV_AHEAD_DEFAULTS;
    gfloat points[4 * POINTS];

    params.mode = i == 0 ? STX_BEV_CLUSTERS : (StxBevMode)(i - 1);
    params.format = stx_pixel_format("RGB");
    params.width = 64;
    params.height = 48;
    scan_points(points, POINTS, 1);
    expect_picture(gst_harness_push_and_pull(fixture.harness, labelled_scan(points, POINTS)),
        &params, points, POINTS, TRUE, modes[i]);
    stx_test_expect_silence(fixture.bus);
  }
}

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

STX_TEST_LOOP(caps_are_fixed_at_800, G_N_ELEMENTS(caps_cases))
{
  g_auto(ScanFixture) fixture = begin("", caps_cases[_i].behind);
  gfloat points[4 * POINTS];
  g_autoptr(GstCaps) caps = NULL;
  GstVideoInfo info;
  g_autoptr(GstBuffer) picture = NULL;

  gst_harness_set_src_caps_str(fixture.harness, caps_cases[_i].input);
  scan_points(points, POINTS, 1);
  picture = scan_run(&fixture, points, POINTS);
  caps = gst_pad_get_current_caps(fixture.harness->sinkpad);
  ck_assert(gst_video_info_from_caps(&info, caps));
  ck_assert_int_eq(info.width, caps_cases[_i].width);
  ck_assert_int_eq(info.height, caps_cases[_i].height);
  ck_assert_int_eq(info.fps_n, caps_cases[_i].rate);
  ck_assert_int_eq(info.par_n, info.par_d);
  ck_assert_uint_eq(gst_buffer_get_size(picture), info.size);
}

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

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  g_auto(ScanFixture) fixture = scan_begin("lidar-bev", "lidar-bev", NULL);
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(fixture.harness, gst_event_new_stream_start("scans"));
  if (refusals[_i].caps != NULL) {
    g_autoptr(GstCaps) caps = gst_caps_from_string(refusals[_i].caps);

    gst_harness_push_event(fixture.harness, gst_event_new_caps(caps));
  }
  gst_harness_push_event(fixture.harness, gst_event_new_segment(&segment));
  gst_harness_push(fixture.harness, stx_test_buffer(refusals[_i].bytes, 0, 0, SCAN_TIME));
  stx_test_expect_error(
      fixture.bus, refusals[_i].words[0], refusals[_i].words[1], refusals[_i].words[2], NULL);
}
