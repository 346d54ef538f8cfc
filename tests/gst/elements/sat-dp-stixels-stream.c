/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sat-dp-stixels as part of a stream: caps, refusals, changes, statistics, states. */
#include "tests/gst/fixtures/columns_fixture.h"

#include <string.h>

#include "common/stixel.h"

#define FRAME COLUMNS_FRAME
#define COLUMNS "application/x-stixel-columns,framerate=10/1,"
#define CAMERA ",camera-focal=500.0,camera-cy=8.0,camera-baseline=0.6,camera-height=1.5"
#define SMALL COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=2,classes=0"
#define SMALL_BYTES (2 * 2 * 2 * 2)

static GstHarness *small_harness(const char *line)
{
  GstHarness *harness = gst_harness_new_parse(line);

  gst_harness_set_src_caps_str(harness, SMALL CAMERA);
  return harness;
}

static GstBuffer *run(GstHarness *harness, gsize bytes, GstClockTime pts)
{
  GstBuffer *stixels = gst_harness_push_and_pull(harness, stx_test_buffer(bytes, 1, pts, FRAME));

  ck_assert_msg(stixels != NULL, "no stixels came out");
  return stixels;
}

GST_START_TEST(caps_and_times_pass)
{
  GstHarness *harness = small_harness("sat-dp-stixels focal=700");
  GstBuffer *stixels = run(harness, SMALL_BYTES, 7 * FRAME);

  ck_assert_uint_eq(GST_BUFFER_PTS(stixels), 7 * FRAME);
  ck_assert_uint_eq(GST_BUFFER_DURATION(stixels), FRAME);
  columns_expect_caps(harness,
      "application/x-stixels,width=16,height=16,stixel-width=8,columns=2,framerate=10/1,"
      "camera-focal=700.0,camera-cy=8.0,camera-baseline=0.6,camera-height=1.5,"
      "camera-image-width=16,camera-image-height=16");
  gst_buffer_unref(stixels);
  stixels = run(harness, SMALL_BYTES, GST_CLOCK_TIME_NONE);
  ck_assert(!GST_BUFFER_PTS_IS_VALID(stixels));
  gst_buffer_unref(stixels);
  gst_harness_teardown(harness);
}
GST_END_TEST

/* The camera that is asked for behind the element is its own: before it, there may be another. */
GST_START_TEST(another_camera_may_be_asked_for)
{
  GstHarness *harness = gst_harness_new_parse("sat-dp-stixels focal=700 ! capsfilter "
                                              "caps=application/x-stixels,camera-focal=700.0");
  GstPad *pad = gst_pad_get_peer(harness->srcpad);
  GstCaps *caps = gst_caps_from_string(SMALL CAMERA), *possible = gst_pad_query_caps(pad, NULL);

  ck_assert(gst_caps_can_intersect(caps, possible));
  gst_caps_unref(possible);
  gst_caps_unref(caps);
  gst_object_unref(pad);
  gst_harness_set_src_caps_str(harness, SMALL CAMERA);
  gst_buffer_unref(run(harness, SMALL_BYTES, 0));
  gst_harness_teardown(harness);
}
GST_END_TEST

GST_START_TEST(size_may_change_in_mid_stream)
{
  GstHarness *harness = small_harness("sat-dp-stixels");
  GstBuffer *stixels = run(harness, SMALL_BYTES, 0);
  StxStixel last;

  gst_buffer_unref(stixels);
  gst_harness_set_src_caps_str(harness, COLUMNS
      "width=600,height=400,stixel-width=4,stixel-height=4,columns=150,rows=100,classes=19" CAMERA);
  stixels = run(harness, 150 * 100 * 21 * 2, FRAME);
  gst_buffer_extract(stixels, gst_buffer_get_size(stixels) - sizeof last, &last, sizeof last);
  ck_assert_int_eq(last.column, 149);
  ck_assert_int_eq(last.top, 0);
  gst_buffer_unref(stixels);
  gst_harness_teardown(harness);
}
GST_END_TEST

static const struct {
  const char *line, *caps;
  gsize bytes;
  const char *words[3];
} refusals[] = {
    {"", COLUMNS "width=8,height=2160,stixel-width=8,stixel-height=1,columns=1,rows=2160,classes=0",
        1, {"2160", "1024", "stixel-height=3"}},
    {"", COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=2", 1,
        {"classes", "lack", ""}},
    {"", COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=3,rows=2,classes=0", 1,
        {"columns=3", "2", ""}},
    {"", COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=2,classes=33", 1,
        {"33", "32", ""}},
    {"", COLUMNS "width=0,height=16,stixel-width=8,stixel-height=8,columns=0,rows=2,classes=0", 1,
        {"width", "32768", ""}},
    {"", "video/x-raw,format=GRAY16_LE,width=16,height=16", 1,
        {"video/x-raw", "application/x-stixel-columns", ""}},
    {"", SMALL, SMALL_BYTES - 1, {"15 bytes", "16", ""}},
    {"ground=calibration", SMALL, 1, {"ground=calibration", "focal length", "ground=estimate"}},
    {"ground=calibration focal=500 baseline=0.5", SMALL, 1, {"camera height", "camera-height", ""}},
    {"class-kinds=\"ground=0,1;sky=10,1\"", SMALL, 1,
        {"class 1 (sidewalk)", "ground and sky", "class_kinds"}},
    {"class-kinds=grass", SMALL, 1, {"class_kinds", "not understood", "ground=road"}},
    {"camera-height=0.001", SMALL CAMERA, SMALL_BYTES,
        {"camera height is 0.001 m", "0.02 to 100", "properties"}},
    {"camera-height=0.02 baseline=5", SMALL CAMERA, SMALL_BYTES,
        {"baseline, 5 m", "250 times the camera's height above the road, 0.02 m", "metres"}},
    {"", SMALL ",camera-focal=500.0,camera-baseline=540.0", SMALL_BYTES,
        {"baseline is 540 m", "540 mm are 0.54", "fields camera-"}},
};

GST_START_TEST(refuses_with_a_reason)
{
  gchar *line = g_strdup_printf("sat-dp-stixels %s", refusals[__i__].line);

  columns_expect_refusal(line, refusals[__i__].caps, refusals[__i__].bytes, refusals[__i__].words);
  g_free(line);
}
GST_END_TEST

GST_START_TEST(names_the_calibration_file)
{
  stx_test_breaks("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY16_LE ! "
                  "downsample-transpose ! sat-dp-stixels calibration=/no/such.txt ! fakesink",
      "/no/such.txt", NULL);
}
GST_END_TEST

GST_START_TEST(statistics_on_request)
{
  GstHarness *harness = small_harness("sat-dp-stixels post-messages=true");
  GstElement *element = gst_harness_find_element(harness, "sat-dp-stixels");
  GstBus *bus = stx_test_watch(element);
  GstBuffer *stixels = run(harness, SMALL_BYTES, FRAME);
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT);
  const GstStructure *stats = gst_message_get_structure(message);
  guint64 pts, pairs, evaluated;
  double slope, horizon;
  guint count;

  ck_assert(gst_structure_has_name(stats, "stx-stixels-stats"));
  ck_assert(gst_structure_get(stats, "timestamp", G_TYPE_UINT64, &pts, "stixels", G_TYPE_UINT,
      &count, "pairs", G_TYPE_UINT64, &pairs, "evaluated", G_TYPE_UINT64, &evaluated,
      "ground-slope", G_TYPE_DOUBLE, &slope, "horizon", G_TYPE_DOUBLE, &horizon, NULL));
  ck_assert_uint_eq(pts, FRAME);
  ck_assert_uint_eq(count, gst_buffer_get_size(stixels) / sizeof(StxStixel));
  ck_assert_uint_gt(pairs, 0);
  ck_assert_uint_le(evaluated, pairs);
  ck_assert(ABS(slope - 0.4) < 1e-9);
  ck_assert(ABS(horizon - 8) < 1e-9);
  gst_message_unref(message);
  gst_buffer_unref(stixels);

  g_object_set(element, "post-messages", FALSE, NULL);
  gst_buffer_unref(run(harness, SMALL_BYTES, FRAME));
  ck_assert(gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT) == NULL);
  gst_element_set_bus(element, NULL);
  gst_object_unref(bus);
  gst_object_unref(element);
  gst_harness_teardown(harness);
}
GST_END_TEST

#define LINE                                                                                       \
  "videotestsrc num-buffers=3 ! video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=10/1 ! " \
  "downsample-transpose ! sat-dp-stixels ! fakesink"

GST_START_TEST(survives_state_changes)
{
  stx_test_state_cycles(LINE);
}
GST_END_TEST

static void run_line(void)
{
  stx_test_runs(LINE);
}

static void refuse_rows(void)
{
  stx_test_breaks("videotestsrc num-buffers=1 ! "
                  "video/x-raw,format=GRAY16_LE,width=8,height=1025,framerate=10/1 ! "
                  "downsample-transpose stixel-height=1 ! sat-dp-stixels ! fakesink",
      "1025", "stixel-height=2", NULL);
}

GST_START_TEST(leaks_nothing)
{
  stx_test_no_leaks(run_line);
  stx_test_no_leaks(refuse_rows);
}
GST_END_TEST

static Suite *sat_dp_stixels_suite(void)
{
  Suite *suite = suite_create("sat-dp-stixels-stream");
  TCase *tests = tcase_create("sat-dp-stixels-stream");

  suite_add_tcase(suite, tests);
  tcase_add_test(tests, caps_and_times_pass);
  tcase_add_test(tests, another_camera_may_be_asked_for);
  tcase_add_test(tests, size_may_change_in_mid_stream);
  tcase_add_loop_test(tests, refuses_with_a_reason, 0, G_N_ELEMENTS(refusals));
  tcase_add_test(tests, names_the_calibration_file);
  tcase_add_test(tests, statistics_on_request);
  tcase_add_test(tests, survives_state_changes);
  tcase_add_test(tests, leaks_nothing);
  return suite;
}

GST_CHECK_MAIN(sat_dp_stixels)
