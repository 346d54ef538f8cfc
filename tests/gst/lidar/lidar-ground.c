/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lidar-ground: labels equal the reference called directly, on the points or in a stream of their
 * own; odd scans, statistics, refusals. Files: lidar-ground-stream.c; what each property does:
 * tests/frames/records.txt and playing.c.
 */
#include <math.h>
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define POINTS 5000
#define LABELS " ! capsfilter caps=application/x-point-labels"

static const StxGroundParams defaults = STX_GROUND_DEFAULTS;

static Stage begin(const char *properties, const char *behind)
{
  g_autofree gchar *line = g_strdup_printf("lidar-ground %s%s", properties, behind);
  Stage fixture = stx_test_stage("lidar-ground", line, SCAN_CAPS);

  return fixture;
}

/* Checks the labels on a buffer of points, or the buffer if it is labels; takes it. */
static void expect_labels(
    GstBuffer *buffer, const gfloat *points, gsize count, guint32 *expected, const char *what)
{
  GstStxPointLabelsMeta *meta = gst_buffer_get_stx_point_labels_meta(buffer);

  if (meta != NULL)
    stx_test_expect_bytes(buffer, points, 16 * count, what);
  stx_test_expect_bytes(meta != NULL ? meta->labels : buffer, expected, 4 * count, what);
  gst_buffer_unref(buffer);
  g_free(expected);
}

/* ---- Equal to the reference ---------------------------------------------------------------- */

STX_TEST(labels_equal_the_reference_for_any_number_of_points)
{
  static const gsize counts[] = {POINTS, 0, 1, 3, 17, POINTS - 1, 0, 4096};
  g_autofree gfloat *points = g_new(gfloat, 4 * POINTS);

  for (guint mode = 0; mode < 2; mode++) {
    g_auto(Stage) fixture = begin("threads=3", mode ? LABELS : "");

    for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
      scan_points(points, counts[i], i);
      expect_labels(scan_run(&fixture, points, counts[i]), points, counts[i],
          scan_reference(&defaults, points, counts[i], NULL), mode ? "labels" : "points");
    }
    stx_test_expect_silence(fixture.bus);
  }
}

/* ---- What travels -------------------------------------------------------------------------- */

STX_TEST(points_pass_untouched)
{
  g_auto(Stage) fixture = begin("", "");
  g_autofree gfloat *points = g_new(gfloat, 4 * POINTS);
  g_autoptr(GstBuffer) input = NULL;
  GstBuffer *output;
  g_autoptr(GstBuffer) copy = NULL;
  g_autoptr(GstBuffer) region = NULL;
  GstStxPointLabelsMeta *meta;

  scan_points(points, POINTS, 1);
  input = scan_buffer(points, POINTS, SCAN_TIME);
  output = gst_harness_push_and_pull(fixture.harness, gst_buffer_ref(input));
  meta = gst_buffer_get_stx_point_labels_meta(output);
  ck_assert(meta != NULL && output != input);
  ck_assert(gst_buffer_get_stx_point_labels_meta(input) == NULL);
  ck_assert_ptr_eq(gst_buffer_peek_memory(output, 0), gst_buffer_peek_memory(input, 0));
  ck_assert_uint_eq(gst_buffer_n_memory(output), 1);

  copy = gst_buffer_copy_deep(output);
  region = gst_buffer_copy_region(output, GST_BUFFER_COPY_ALL, 0, 16 * POINTS - 16);
  ck_assert_ptr_eq(gst_buffer_get_stx_point_labels_meta(copy)->labels, meta->labels);
  ck_assert(gst_buffer_get_stx_point_labels_meta(region) == NULL);
  expect_labels(output, points, POINTS, scan_reference(&defaults, points, POINTS, NULL), "labels");
}

STX_TEST(the_meta_wants_a_label_per_point)
{
  g_autoptr(GstBuffer) scan = gst_buffer_new_allocate(NULL, 160, NULL);
  g_autoptr(GstBuffer) labels = gst_buffer_new_allocate(NULL, 36, NULL);

  ASSERT_CRITICAL(gst_buffer_add_stx_point_labels_meta(scan, labels));
  ck_assert(gst_buffer_get_stx_point_labels_meta(scan) == NULL);
}

/* A scan that was cut has no labels any more, and there is no warning. */
STX_TEST(labels_of_a_cut_scan_are_not_copied)
{
  g_autoptr(GstBuffer) scan = gst_buffer_new_allocate(NULL, 160, NULL);
  GstBuffer *copy;
  g_autoptr(GstBuffer) labels = gst_buffer_new_allocate(NULL, 40, NULL);

  gst_buffer_add_stx_point_labels_meta(scan, labels);
  copy = gst_buffer_copy(scan);
  ck_assert(gst_buffer_get_stx_point_labels_meta(copy) != NULL);
  gst_buffer_unref(copy);
  gst_buffer_set_size(scan, 96);
  copy = gst_buffer_copy(scan);
  ck_assert(gst_buffer_get_stx_point_labels_meta(copy) == NULL);
  gst_buffer_unref(copy);
}

/* Labels that a scan already has do not stay in front of the new ones. */
STX_TEST(older_labels_are_replaced)
{
  g_auto(Stage) fixture = begin("max-dist-to-line=0.01 max-dist-below=0.01", " ! lidar-ground");
  g_autofree gfloat *points = g_new(gfloat, 4 * POINTS);
  gpointer state = NULL;
  GstBuffer *output;

  scan_points(points, POINTS, 1);
  output = scan_run(&fixture, points, POINTS);
  ck_assert(gst_buffer_iterate_meta(output, &state) != NULL);
  ck_assert(gst_buffer_iterate_meta(output, &state) == NULL);
  expect_labels(output, points, POINTS, scan_reference(&defaults, points, POINTS, NULL), "newer");
}

STX_TEST_LOOP(caps_and_times_pass, 4)
{
  static const struct {
    const char *behind, *input, *output;
  } cases[] = {
      {"", SCAN_CAPS ",beams=64", SCAN_CAPS ",beams=64"},
      {"", "application/x-lidar", "application/x-lidar"},
      {LABELS, SCAN_CAPS ",beams=64", "application/x-point-labels,framerate=10/1"},
      {LABELS, "application/x-lidar", "application/x-point-labels"},
  };
  g_auto(Stage) fixture = begin("", cases[_i].behind);
  gfloat points[4 * 20];
  g_autoptr(GstBuffer) buffer = NULL;

  scan_points(points, 20, 1);
  gst_harness_set_src_caps_str(fixture.harness, cases[_i].input);
  buffer = scan_buffer(points, 20, 7 * SCAN_TIME);
  GST_BUFFER_OFFSET(buffer) = 7;
  GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  buffer = gst_harness_push_and_pull(fixture.harness, buffer);
  stx_test_expect_caps(fixture.harness, cases[_i].output);
  ck_assert_uint_eq(GST_BUFFER_PTS(buffer), 7 * SCAN_TIME);
  ck_assert_uint_eq(GST_BUFFER_DURATION(buffer), SCAN_TIME);
  ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), 7);
  ck_assert(GST_BUFFER_IS_DISCONT(buffer));
}

/* ---- Odd scans ----------------------------------------------------------------------------- */

STX_TEST_LOOP(scans_in_pieces_of_memory, 2)
{
  g_auto(Stage) fixture = begin("", _i ? LABELS : "");
  g_autofree gfloat *points = g_new(gfloat, 4 * POINTS);
  GstBuffer *input = gst_buffer_new();

  scan_points(points, POINTS, 1);
  for (gsize at = 0; at < 16 * POINTS; at += 10004) { /* pieces that end within points */
    gsize size = MIN((gsize)10004, 16 * POINTS - at);
    GstMemory *memory = gst_allocator_alloc(NULL, size, NULL);
    GstMapInfo map;

    ck_assert(gst_memory_map(memory, &map, GST_MAP_WRITE));
    memcpy(map.data, (const guint8 *)points + at, size);
    gst_memory_unmap(memory, &map);
    gst_buffer_append_memory(input, memory);
  }
  ck_assert_uint_gt(gst_buffer_n_memory(input), 2);
  expect_labels(gst_harness_push_and_pull(fixture.harness, input), points, POINTS,
      scan_reference(&defaults, points, POINTS, NULL), "in pieces");
}

/* Each a factor of x, y, z. */
static const struct {
  const gchar *words;
  gfloat factor[3];
  guint ahead; /* which of them becomes x, and the next ones y and z */
  gboolean incomplete;
} odd_scans[] = {
    {NULL, {1, 1, 1}},
    {NULL, {-1, 1, 1}},
    {"None of 5000 points lies between r-min and r-max, 0.5 to 50 m", {1000, 1000, 1000}},
    {"None of 5000 points lies between r-min and r-max, 0.5 to 50 m", {NAN, NAN, NAN}},
    {"None of 5000 points lies between r-min and r-max, 0.5 to 50 m", {0, 0, 0}},
    {"upside down? x has to point ahead, y to the left, z up", {1, -1, -1}},
    {"There is no ground among", {1, 1, 1}, .ahead = 2}, /* a camera's axes, nearly */
    {NULL, {1000, 1000, 1000}, .incomplete = TRUE},
};

/* Told of the first scan, and once. */
STX_TEST_LOOP(tells_of_wrong_units_and_axes, G_N_ELEMENTS(odd_scans))
{
  g_auto(Stage) fixture = begin("", "");
  g_autofree gfloat *points = g_new(gfloat, 4 * POINTS);

  scan_points(points, POINTS, 1);
  for (guint i = 0; i < POINTS; i++) {
    gfloat *point = points + 4 * i, from[] = {point[0], point[1], point[2]};

    for (guint k = 0; k < 3; k++)
      point[k] = odd_scans[_i].factor[k] * from[(k + odd_scans[_i].ahead) % 3];
  }
  for (guint scan = 0; scan < 3; scan++) {
    GstBuffer *input = scan_buffer(points, POINTS, scan * SCAN_TIME);

    if (odd_scans[_i].incomplete)
      GST_BUFFER_FLAG_SET(input, GST_BUFFER_FLAG_CORRUPTED);
    gst_buffer_unref(gst_harness_push_and_pull(fixture.harness, input));
    if (scan == 0 && odd_scans[_i].words != NULL)
      stx_test_expect_warning(fixture.bus, odd_scans[_i].words);
  }
  stx_test_expect_silence(fixture.bus);
}

/* ---- Statistics ---------------------------------------------------------------------------- */

static void expect_stats(const GstStructure *stats, const StxGroundResult *expected)
{
  guint ground, obstacles, outside, lines, clusters;
  double height, slope_x, slope_y;
  gboolean measured;
  guint64 pts;

  ck_assert(gst_structure_has_name(stats, "stx-ground-stats"));
  ck_assert(gst_structure_get(stats, "timestamp", G_TYPE_UINT64, &pts, "ground", G_TYPE_UINT,
      &ground, "obstacles", G_TYPE_UINT, &obstacles, "outside", G_TYPE_UINT, &outside, "lines",
      G_TYPE_UINT, &lines, "clusters", G_TYPE_UINT, &clusters, "measured", G_TYPE_BOOLEAN,
      &measured, "height", G_TYPE_DOUBLE, &height, "slope-x", G_TYPE_DOUBLE, &slope_x, "slope-y",
      G_TYPE_DOUBLE, &slope_y, NULL));
  ck_assert_uint_eq(pts, SCAN_TIME);
  ck_assert_uint_eq(ground + obstacles + outside, POINTS);
  ck_assert_uint_eq(ground, expected->ground);
  ck_assert_uint_eq(obstacles, expected->obstacles);
  ck_assert_uint_eq(lines, expected->lines);
  ck_assert_uint_eq(clusters, expected->clusters);
  ck_assert(measured && height > 1.6 && height < 1.9);
  ck_assert(height == (double)expected->height);
  ck_assert(slope_x == (double)expected->slope_x && slope_y == (double)expected->slope_y);
}

STX_TEST_LOOP(statistics_on_request, 2)
{
  g_auto(Stage) fixture = begin("post-messages=true", _i ? LABELS : "");
  g_autofree gfloat *points = g_new(gfloat, 4 * POINTS);
  StxGroundResult expected;
  g_autoptr(GstMessage) message = NULL;

  scan_points(points, POINTS, 1);
  gst_buffer_unref(scan_run(&fixture, points, POINTS));
  g_free(scan_reference(&defaults, points, POINTS, &expected));
  message = gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ELEMENT);
  ck_assert(message != NULL);
  expect_stats(gst_message_get_structure(message), &expected);

  g_object_set(fixture.element, "post-messages", FALSE, NULL);
  gst_buffer_unref(scan_run(&fixture, points, POINTS));
  ck_assert(gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ELEMENT) == NULL);
}
