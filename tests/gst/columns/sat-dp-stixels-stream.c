/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sat-dp-stixels as part of a stream: caps, refusals, changes, statistics, states. */
#include "tests/gst/fixtures/columns_fixture.h"

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

STX_TEST(caps_and_times_pass)
{
  g_autoptr(Harness) harness = small_harness("sat-dp-stixels");
  GstBuffer *stixels = run(harness, SMALL_BYTES, 7 * FRAME);

  ck_assert_uint_eq(GST_BUFFER_PTS(stixels), 7 * FRAME);
  ck_assert_uint_eq(GST_BUFFER_DURATION(stixels), FRAME);
  stx_test_expect_caps(harness,
      "application/x-stixels,width=16,height=16,stixel-width=8,columns=2,framerate=10/1,"
      "camera-focal=500.0,camera-cy=8.0,camera-baseline=0.6,camera-height=1.5,"
      "camera-image-width=16,camera-image-height=16");
  gst_buffer_unref(stixels);
  stixels = run(harness, SMALL_BYTES, GST_CLOCK_TIME_NONE);
  ck_assert(!GST_BUFFER_PTS_IS_VALID(stixels));
  gst_buffer_unref(stixels);
}

STX_TEST(size_may_change_in_mid_stream)
{
  g_autoptr(Harness) harness = small_harness("sat-dp-stixels");
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
}

static const struct {
  const char *line, *caps;
  gsize bytes;
  const char *words[4];
} refusals[] = {
    {"", COLUMNS "width=8,height=2160,stixel-width=8,stixel-height=1,columns=1,rows=2160,classes=0",
        1, {"2160", "1024", "stixel-height=3"}},
    {"", COLUMNS "width=16,height=16,stixel-width=8,stixel-height=8,columns=2,rows=2,classes=33", 1,
        {"33", "32"}},
    {"ground=calibration", SMALL, 1, {"ground=calibration", "focal length", "ground=estimate"}},
    {"ground=calibration", SMALL ",camera-focal=500.0,camera-baseline=0.5", 1,
        {"camera height", "camera-height"}},
    {"class-kinds=\"ground=0,1;sky=10,1\"", SMALL, 1,
        {"class 1 (sidewalk)", "ground and sky", "class_kinds"}},
    {"class-kinds=grass", SMALL, 1, {"class_kinds", "not understood", "ground=road"}},
    {"carrier=bonnet", SMALL, SMALL_BYTES, {"carrier=bonnet", "PGM", "rows from 0 to"}},
    {"carrier=9999", SMALL, SMALL_BYTES, {"carrier=9999", "PGM", "rows from 0 to"}},
    {"carrier=/etc/passwd", SMALL, SMALL_BYTES, {"/etc/passwd", "no binary PGM", "mask"}},
    {"", SMALL ",camera-focal=500.0,camera-baseline=5.0,camera-height=0.02", SMALL_BYTES,
        {"baseline, 5 m", "250 times the camera's height above the road, 0.02 m", "metres"}},
    {"", SMALL ",camera-focal=500.0,camera-baseline=540.0", SMALL_BYTES,
        {"baseline is 540 m", "540 mm are 0.54", "fields camera-"}},
};

STX_TEST_LOOP(refuses_with_a_reason, G_N_ELEMENTS(refusals))
{
  g_autofree gchar *line = g_strdup_printf("sat-dp-stixels %s", refusals[_i].line);

  stx_test_refuses(line, refusals[_i].caps, refusals[_i].bytes, refusals[_i].words);
}

STX_TEST(statistics_on_request)
{
  g_autoptr(Harness) harness = small_harness("sat-dp-stixels post-messages=true");
  g_autoptr(GstElement) element = gst_harness_find_element(harness, "sat-dp-stixels");
  g_autoptr(Watch) bus = stx_test_watch(element);
  GstBuffer *stixels = run(harness, SMALL_BYTES, FRAME);
  g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT);
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
  gst_buffer_unref(stixels);

  g_object_set(element, "post-messages", FALSE, NULL);
  gst_buffer_unref(run(harness, SMALL_BYTES, FRAME));
  ck_assert(gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT) == NULL);
}
