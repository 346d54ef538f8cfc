/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property `stats` of all elements that compute: counts, times and skews. */
#include "tests/gst/fixtures/stereo_pair.h"

#define WIDTH 32
#define HEIGHT 8

#define SMALL "num-buffers=7 ! video/x-raw,width=64,height=48"
#define CAMERA                                                                                     \
  "image_size: [64, 48]\n"                                                                         \
  "K1: [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD1: [0, 0, 0, 0, 0]\n"                                     \
  "K2: [50, 0, 31, 0, 50, 23, 0, 0, 1]\nD2: [0, 0, 0, 0, 0]\n"                                     \
  "R1: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nR2: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"                             \
  "P1: [50, 0, 31, 0, 0, 50, 23, 0, 0, 0, 1, 0]\n"                                                 \
  "P2: [50, 0, 31, -10, 0, 50, 23, 0, 0, 0, 1, 0]\n"

/* ---- Reading ------------------------------------------------------------------------------- */

static GstStructure *stats_of(gpointer element)
{
  GstStructure *stats = NULL;

  g_object_get(element, "stats", &stats, NULL);
  fail_unless(stats != NULL);
  return stats;
}

static void expect_count(const GstStructure *stats, const char *field, guint64 expected)
{
  guint64 count = G_MAXUINT64;

  fail_unless(gst_structure_get_uint64(stats, field, &count), "no %s", field);
  fail_unless(count == expected, "%s is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, field,
      count, expected);
}

static gint64 time_of(const GstStructure *stats, const char *field)
{
  gint64 time = G_MININT64;

  fail_unless(gst_structure_get_int64(stats, field, &time), "no %s", field);
  return time;
}

static void expect_times(const GstStructure *stats)
{
  gint64 longest = time_of(stats, "processing-time-max");

  ck_assert_int_gt(time_of(stats, "processing-time-last"), 0);
  ck_assert_int_gt(time_of(stats, "processing-time-mean"), 0);
  ck_assert_int_ge(longest, time_of(stats, "processing-time-last"));
  ck_assert_int_ge(longest, time_of(stats, "processing-time-mean"));
  ck_assert_int_lt(longest, 60 * GST_SECOND);
}

/* ---- Tests --------------------------------------------------------------------------------- */

static void push(StereoPair *pair, gboolean right, int number, gint64 late)
{
  GstBuffer *view = stereo_view("GRAY8", WIDTH, HEIGHT, right, number, 3, number);

  GST_BUFFER_PTS(view) += (GstClockTime)late;
  ck_assert_int_eq(gst_harness_push(right ? pair->right : pair->left, view), GST_FLOW_OK);
}

STX_TEST(pairs_skews_and_what_has_no_partner)
{
  g_auto(StereoPair) pair = stereo_pair("", WIDTH, HEIGHT);
  GstStructure *stats = stats_of(pair.element);

  expect_count(stats, "frames", 0);
  ck_assert_int_eq(time_of(stats, "skew-mean"), 0);
  gst_structure_free(stats);
  push(&pair, FALSE, 1, 0);
  push(&pair, TRUE, 1, 6000000);
  gst_buffer_unref(gst_harness_pull(pair.left));
  push(&pair, FALSE, 2, 0); /* right 2 and 3 are lost, left 4 and 5 */
  push(&pair, TRUE, 4, 0);
  push(&pair, FALSE, 3, 0);
  push(&pair, FALSE, 6, 0);
  push(&pair, TRUE, 5, 0);
  push(&pair, TRUE, 6, -2000000);
  gst_buffer_unref(gst_harness_pull(pair.left));
  stats = stats_of(pair.element);
  expect_count(stats, "frames", 2);
  expect_count(stats, "unpaired", 4);
  expect_count(stats, "unpaired-sink_left", 2);
  expect_count(stats, "unpaired-sink_right", 2);
  expect_count(stats, "gaps", 2);
  expect_count(stats, "dropped-qos", 0);
  expect_count(stats, "slips", 0);
  expect_times(stats);
  ck_assert_int_eq(time_of(stats, "skew-last"), -2000000);
  ck_assert_int_eq(time_of(stats, "skew-mean"), 2000000);
  ck_assert_int_eq(time_of(stats, "skew-max"), 6000000);
  gst_structure_free(stats);
}

/* Plays the line to its end; the pipeline is in NULL then. */
static GstElement *play(const char *line)
{
  GstElement *pipeline = stx_test_parse(line);

  stx_test_play(pipeline);
  return pipeline;
}

static GstStructure *stats_in(GstElement *pipeline, const char *name)
{
  g_autoptr(GstElement) element = gst_bin_get_by_name(GST_BIN(pipeline), name);
  GstStructure *stats = stats_of(element);

  return stats;
}

STX_TEST(every_stage_counts_its_frames)
{
  static const char *const names[] = {"sgm", "cells", "stixels", "segments", "overlay"};
  g_autoptr(GstElement) pipeline =
      play("stereo-sgm name=sgm ! downsample-transpose name=cells ! tee name=columns "
           "columns. ! queue ! rdp-columns name=segments ! fakesink "
           "columns. ! queue ! sat-dp-stixels name=stixels ! overlay.stixels "
           "stixel-overlay name=overlay ! fakesink "
           "street-scene-src view=left " SMALL ",format=GRAY8 ! tee name=left "
           "left. ! queue ! sgm.sink_left left. ! queue ! videoconvert ! overlay.sink "
           "street-scene-src view=right " SMALL ",format=GRAY8 ! queue ! sgm.sink_right");

  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GstStructure) stats = stats_in(pipeline, names[i]);

    expect_count(stats, "frames", 7);
    expect_count(stats, "gaps", 0);
    expect_times(stats);
  }
}

STX_TEST(each_lane_counts_its_own)
{
  static const char line[] =
      "stereo-rectify name=rectify calibration=pair.yml rectify.src_left ! fakesink "
      "rectify.src_right ! fakesink async=false "
      "street-scene-src view=left " SMALL ",format=GRAY8 ! rectify.sink_left "
      "street-scene-src view=right num-buffers=3 ! video/x-raw,width=64,height=48,format=GRAY8 "
      "! rectify.sink_right";
  g_autoptr(GstStructure) stats = NULL;
  GstStructure *lane;
  g_autoptr(GstElement) pipeline = NULL;

  stx_test_write("pair.yml", CAMERA);
  pipeline = play(line);
  stats = stats_in(pipeline, "rectify");
  for (int right = 0; right < 2; right++) {
    fail_unless(
        gst_structure_get(stats, right ? "right" : "left", GST_TYPE_STRUCTURE, &lane, NULL));
    expect_count(lane, "frames", right ? 3 : 7);
    expect_times(lane);
    gst_structure_free(lane);
  }
}
