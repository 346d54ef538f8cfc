/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lidar-ground: labels equal the reference called directly with what the properties ask for, on the
 * points or in a stream of their own; odd scans, changes in mid-stream, statistics, refusals.
 * States, leaks and files: lidar-ground-stream.c.
 */
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/scan_fixture.h"

#define POINTS 5000
#define LABELS " ! capsfilter caps=application/x-point-labels"

static const StxGroundParams defaults = STX_GROUND_DEFAULTS;

static ScanFixture begin(const char *properties, const char *behind)
{
  gchar *line = g_strdup_printf("lidar-ground %s%s", properties, behind);
  ScanFixture fixture = scan_begin("lidar-ground", line, SCAN_CAPS);

  g_free(line);
  return fixture;
}

/* Of a buffer of points the labels on it, of another the buffer; takes it. */
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

static void run_and_expect(ScanFixture *fixture, const StxGroundParams *params,
    const gfloat *points, gsize count, const char *what)
{
  expect_labels(scan_run(fixture, points, count), points, count,
      scan_reference(params, points, count, NULL), what);
}

/* ---- Equal to the reference ---------------------------------------------------------------- */

static const gsize counts[] = {POINTS, 0, 1, 3, 17, POINTS - 1, 0, 4096};

GST_START_TEST(every_backend_equals_reference)
{
  static const char *const properties[] = {"backend=c", "backend=omp threads=1",
      "backend=omp threads=2", "backend=omp threads=7", "backend=auto"};
  gfloat *points = g_new(gfloat, 4 * POINTS);

  for (guint mode = 0; mode < 2; mode++) {
    ScanFixture fixture = begin(properties[__i__], mode ? LABELS : "");

    for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
      scan_points(points, counts[i], i);
      run_and_expect(&fixture, &defaults, points, counts[i], properties[__i__]);
    }
    stx_test_expect_silence(fixture.bus);
    scan_end(&fixture);
  }
  g_free(points);
}
GST_END_TEST

/* The scans above hold everything that can be told apart. */
GST_START_TEST(scans_have_ground_and_clusters)
{
  gfloat *points = g_new(gfloat, 4 * POINTS);
  StxGroundResult result;

  scan_points(points, POINTS, 1);
  g_free(scan_reference(&defaults, points, POINTS, &result));
  ck_assert_uint_gt(result.ground, POINTS / 4);
  ck_assert_uint_gt(result.obstacles, POINTS / 10);
  ck_assert_uint_gt(result.outside, POINTS / 20);
  ck_assert_uint_ge(result.clusters, 8);
  g_free(points);
}
GST_END_TEST

/* ---- What travels -------------------------------------------------------------------------- */

GST_START_TEST(points_pass_untouched)
{
  ScanFixture fixture = begin("", "");
  gfloat *points = g_new(gfloat, 4 * POINTS);
  GstBuffer *input, *output, *copy, *region;
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
  gst_buffer_unref(region);
  gst_buffer_unref(copy);
  gst_buffer_unref(input);
  expect_labels(output, points, POINTS, scan_reference(&defaults, points, POINTS, NULL), "labels");
  g_free(points);
  scan_end(&fixture);
}
GST_END_TEST

GST_START_TEST(the_meta_wants_a_label_per_point)
{
  GstBuffer *scan = gst_buffer_new_allocate(NULL, 160, NULL);
  GstBuffer *labels = gst_buffer_new_allocate(NULL, 36, NULL);

  ASSERT_CRITICAL(gst_buffer_add_stx_point_labels_meta(scan, labels));
  ck_assert(gst_buffer_get_stx_point_labels_meta(scan) == NULL);
  gst_buffer_unref(labels);
  gst_buffer_unref(scan);
}
GST_END_TEST

/* A scan that was cut has no labels any more, and nobody complains. */
GST_START_TEST(labels_of_a_cut_scan_are_not_copied)
{
  GstBuffer *scan = gst_buffer_new_allocate(NULL, 160, NULL), *copy;
  GstBuffer *labels = gst_buffer_new_allocate(NULL, 40, NULL);

  gst_buffer_add_stx_point_labels_meta(scan, labels);
  copy = gst_buffer_copy(scan);
  ck_assert(gst_buffer_get_stx_point_labels_meta(copy) != NULL);
  gst_buffer_unref(copy);
  gst_buffer_set_size(scan, 96);
  copy = gst_buffer_copy(scan);
  ck_assert(gst_buffer_get_stx_point_labels_meta(copy) == NULL);
  gst_buffer_unref(copy);
  gst_buffer_unref(labels);
  gst_buffer_unref(scan);
}
GST_END_TEST

/* Labels that a scan already has do not stay in front of the new ones. */
GST_START_TEST(older_labels_are_replaced)
{
  ScanFixture fixture = begin("max-dist-to-line=0.01 max-dist-below=0.01", " ! lidar-ground");
  gfloat *points = g_new(gfloat, 4 * POINTS);
  gpointer state = NULL;
  GstBuffer *output;

  scan_points(points, POINTS, 1);
  output = scan_run(&fixture, points, POINTS);
  ck_assert(gst_buffer_iterate_meta(output, &state) != NULL);
  ck_assert(gst_buffer_iterate_meta(output, &state) == NULL);
  expect_labels(output, points, POINTS, scan_reference(&defaults, points, POINTS, NULL), "newer");
  g_free(points);
  scan_end(&fixture);
}
GST_END_TEST

static void expect_caps(GstHarness *harness, const char *text)
{
  GstCaps *actual = gst_pad_get_current_caps(harness->sinkpad);
  GstCaps *expected = gst_caps_from_string(text);
  gchar *shown = gst_caps_to_string(actual);

  ck_assert_msg(gst_caps_is_equal(actual, expected), "%s instead of %s", shown, text);
  g_free(shown);
  gst_caps_unref(expected);
  gst_caps_unref(actual);
}

GST_START_TEST(caps_and_times_pass)
{
  static const struct {
    const char *behind, *input, *output;
  } cases[] = {
      {"", SCAN_CAPS ",beams=64", SCAN_CAPS ",beams=64"},
      {"", "application/x-lidar", "application/x-lidar"},
      {LABELS, SCAN_CAPS ",beams=64", "application/x-point-labels,framerate=10/1"},
      {LABELS, "application/x-lidar", "application/x-point-labels"},
  };
  ScanFixture fixture = begin("", cases[__i__].behind);
  gfloat points[4 * 20];
  GstBuffer *buffer;

  scan_points(points, 20, 1);
  gst_harness_set_src_caps_str(fixture.harness, cases[__i__].input);
  buffer = scan_buffer(points, 20, 7 * SCAN_TIME);
  GST_BUFFER_OFFSET(buffer) = 7;
  GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  buffer = gst_harness_push_and_pull(fixture.harness, buffer);
  expect_caps(fixture.harness, cases[__i__].output);
  ck_assert_uint_eq(GST_BUFFER_PTS(buffer), 7 * SCAN_TIME);
  ck_assert_uint_eq(GST_BUFFER_DURATION(buffer), SCAN_TIME);
  ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), 7);
  ck_assert(GST_BUFFER_IS_DISCONT(buffer));
  gst_buffer_unref(buffer);
  scan_end(&fixture);
}
GST_END_TEST

/* ---- Odd scans ----------------------------------------------------------------------------- */

GST_START_TEST(scans_in_pieces_of_memory)
{
  ScanFixture fixture = begin("", __i__ ? LABELS : "");
  gfloat *points = g_new(gfloat, 4 * POINTS);
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
  g_free(points);
  scan_end(&fixture);
}
GST_END_TEST

/* Points that are no numbers keep their place, and are not classified. */
GST_START_TEST(points_that_are_no_numbers)
{
  static const gfloat odd[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 0};
  ScanFixture fixture = begin("", "");
  gfloat *points = g_new(gfloat, 4 * POINTS);
  GstBuffer *output;
  GstMapInfo map;

  scan_points(points, POINTS, 1);
  for (guint i = 0; i < 600; i++)
    points[4 * (7 * i) + i % 3] = odd[i % G_N_ELEMENTS(odd)];
  output = scan_run(&fixture, points, POINTS);
  ck_assert(
      gst_buffer_map(gst_buffer_get_stx_point_labels_meta(output)->labels, &map, GST_MAP_READ));
  for (guint i = 0; i < 600; i += G_N_ELEMENTS(odd)) /* those with a NaN */
    ck_assert_uint_eq(((const guint32 *)(gpointer)map.data)[7 * i], STX_POINT_NONE);
  gst_buffer_unmap(gst_buffer_get_stx_point_labels_meta(output)->labels, &map);
  expect_labels(output, points, POINTS, scan_reference(&defaults, points, POINTS, NULL), "odd");
  g_free(points);
  scan_end(&fixture);
}
GST_END_TEST

/* ---- Properties ---------------------------------------------------------------------------- */

#define FIELD(name, field, value)                                                                  \
  {                                                                                                \
    name, offsetof(StxGroundParams, field), value                                                  \
  }

/* Each with a value that changes the labels of the scan. */
static const struct {
  const char *name;
  gsize offset;
  double value;
} numbers[] = {
    FIELD("r-min", r_min, 9),
    FIELD("r-max", r_max, 20),
    FIELD("max-dist-to-line", max_dist_to_line, 0.01),
    FIELD("max-dist-below", max_dist_below, 0.01),
    FIELD("max-fit-error", max_fit_error, 0),
    FIELD("max-slope", max_slope, 0),
    FIELD("long-threshold", long_threshold, 200),
    FIELD("max-long-height", max_long_height, 0),
    FIELD("max-start-height", max_start_height, 0),
    FIELD("line-search-angle", line_search_angle, 0),
    FIELD("obstacle-height", obstacle_height, 100),
    FIELD("sensor-height", sensor_height, 3),
    FIELD("cluster-cell", cluster_cell, 0),
};

static void expect_effect(const StxGroundParams *params, const gfloat *points, const char *what)
{
  guint32 *before = scan_reference(&defaults, points, POINTS, NULL);
  guint32 *after = scan_reference(params, points, POINTS, NULL);

  ck_assert_msg(memcmp(before, after, 4 * POINTS) != 0, "%s changes nothing here", what);
  g_free(before);
  g_free(after);
}

/* The default, the effect, and back again. */
GST_START_TEST(numbers_count_from_the_next_scan)
{
  ScanFixture fixture = begin("", "");
  gfloat *points = g_new(gfloat, 4 * POINTS);
  StxGroundParams params = defaults;
  double *field = (double *)(gpointer)((char *)&params + numbers[__i__].offset), was = *field, got;

  scan_points(points, POINTS, 1);
  g_object_get(fixture.element, numbers[__i__].name, &got, NULL);
  ck_assert(got == *field);
  run_and_expect(&fixture, &params, points, POINTS, "default");
  *field = numbers[__i__].value;
  expect_effect(&params, points, numbers[__i__].name);
  g_object_set(fixture.element, numbers[__i__].name, *field, NULL);
  g_object_get(fixture.element, numbers[__i__].name, &got, NULL);
  ck_assert(got == *field);
  run_and_expect(&fixture, &params, points, POINTS, numbers[__i__].name);
  *field = was;
  g_object_set(fixture.element, numbers[__i__].name, was, NULL);
  run_and_expect(&fixture, &params, points, POINTS, "back");
  stx_test_expect_silence(fixture.bus);
  g_free(points);
  scan_end(&fixture);
}
GST_END_TEST

GST_START_TEST(counts_and_switches_count_from_the_next_scan)
{
  ScanFixture fixture = begin("", "");
  gfloat *points = g_new(gfloat, 4 * POINTS);
  StxGroundParams params = defaults;
  gint sectors, bins;
  gboolean level;

  scan_points(points, POINTS, 1);
  g_object_get(fixture.element, "sectors", &sectors, "bins", &bins, "level", &level, NULL);
  ck_assert(sectors == params.sectors && bins == params.bins && level == params.level);
  params.sectors = 45;
  params.bins = 30;
  params.level = false;
  g_object_set(fixture.element, "sectors", 45, "bins", 30, "level", FALSE, NULL);
  g_object_get(fixture.element, "sectors", &sectors, "bins", &bins, "level", &level, NULL);
  ck_assert(sectors == 45 && bins == 30 && !level);
  run_and_expect(&fixture, &params, points, POINTS, "fewer");
  params.sectors = STX_GROUND_MAX_SECTORS;
  params.bins = STX_GROUND_MAX_BINS;
  g_object_set(fixture.element, "sectors", params.sectors, "bins", params.bins, NULL);
  run_and_expect(&fixture, &params, points, POINTS, "most");
  g_free(points);
  scan_end(&fixture);
}
GST_END_TEST

/* What the properties allow one by one, the stem takes: at both ends of every range. */
GST_START_TEST(ranges_are_those_of_the_stem)
{
  GstElement *element = gst_element_factory_make("lidar-ground", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS(element);

  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
    GParamSpecDouble *spec =
        G_PARAM_SPEC_DOUBLE(g_object_class_find_property(klass, numbers[i].name));

    for (guint end = 0; end < 2; end++) {
      StxGroundParams params = defaults;
      double value = end ? spec->maximum : spec->minimum;
      StxError error = {""};

      memcpy((char *)&params + numbers[i].offset, &value, sizeof value);
      params.r_min = MIN(params.r_min, params.r_max - 1);
      params.r_max = MAX(params.r_max, params.r_min + 1);
      if (!g_str_equal(numbers[i].name, "r-min") && !g_str_equal(numbers[i].name, "r-max"))
        ck_assert_msg(
            stx_ground_check(&params, &error), "%s=%g: %s", numbers[i].name, value, error.text);
    }
  }
  gst_object_unref(element);
}
GST_END_TEST

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

GST_START_TEST(statistics_on_request)
{
  ScanFixture fixture = begin("post-messages=true", __i__ ? LABELS : "");
  gfloat *points = g_new(gfloat, 4 * POINTS);
  StxGroundResult expected;
  GstMessage *message;

  scan_points(points, POINTS, 1);
  gst_buffer_unref(scan_run(&fixture, points, POINTS));
  g_free(scan_reference(&defaults, points, POINTS, &expected));
  message = gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ELEMENT);
  ck_assert(message != NULL);
  expect_stats(gst_message_get_structure(message), &expected);
  gst_message_unref(message);

  g_object_set(fixture.element, "post-messages", FALSE, NULL);
  gst_buffer_unref(scan_run(&fixture, points, POINTS));
  ck_assert(gst_bus_pop_filtered(fixture.bus, GST_MESSAGE_ELEMENT) == NULL);
  g_free(points);
  scan_end(&fixture);
}
GST_END_TEST

static Suite *lidar_ground_suite(void)
{
  Suite *suite = suite_create("lidar-ground");
  TCase *tests = tcase_create("lidar-ground");

  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, every_backend_equals_reference, 0, 5);
  tcase_add_test(tests, scans_have_ground_and_clusters);
  tcase_add_test(tests, points_pass_untouched);
  tcase_add_test(tests, the_meta_wants_a_label_per_point);
  tcase_add_test(tests, labels_of_a_cut_scan_are_not_copied);
  tcase_add_test(tests, older_labels_are_replaced);
  tcase_add_loop_test(tests, caps_and_times_pass, 0, 4);
  tcase_add_loop_test(tests, scans_in_pieces_of_memory, 0, 2);
  tcase_add_test(tests, points_that_are_no_numbers);
  tcase_add_loop_test(tests, numbers_count_from_the_next_scan, 0, G_N_ELEMENTS(numbers));
  tcase_add_test(tests, counts_and_switches_count_from_the_next_scan);
  tcase_add_test(tests, ranges_are_those_of_the_stem);
  tcase_add_loop_test(tests, statistics_on_request, 0, 2);
  return suite;
}
GST_CHECK_MAIN(lidar_ground)
