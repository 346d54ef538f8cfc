/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stereo-rectify refine=report and apply: a right view that lies lower, what is said of it and what
 * becomes of it. How drift is found: tests/common/pair/check_pair_drift.c. */
#include <math.h>

#include "tests/gst/fixtures/rectify_rig.h"

#define WIDE 320
#define HIGH 200
#define SHORT (GST_SECOND / 30)
#define LOWER 3 /* rows: at this focal length .57 degrees */
#define CAMERA_OF(n) "K" n ": [300, 0, 160, 0, 300, 100, 0, 0, 1]\nD" n ": [0, 0, 0, 0, 0]\n"
#define PAIR                                                                                       \
  "image_size: [320, 200]\n" CAMERA_OF("1") CAMERA_OF("2") "R: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n"      \
                                                           "T: [-0.2, 0, 0]\n"

/* Smooth blobs, so that rows have parts. */
static guint8 texture(gint x, gint y)
{
  gdouble value = 0;

  for (gint i = 1; i <= 6; i++)
    value += sin(x * .09 * i + 5 * sin(y * .05 * i) + i * i) * cos(y * .11 * i + 2 * sin(x * .03));
  return (guint8)(128 + 18 * value);
}

/* Bands of rows at several distances; the right view lies lower. */
static void draw(gboolean right, guint8 *data)
{
  static const gint disparity[] = {4, 24, 8, 30, 14, 20, 6, 10};

  for (gint y = 0; y < HIGH; y++)
    for (gint x = 0; x < WIDE; x++) {
      gint row = right ? y - LOWER : y, band = (row + 40) / 16;

      data[y * WIDE + x] = texture(right ? x + disparity[band % 8] : x, row + 1000 * band);
    }
}

static guint8 drawn[2][WIDE * HIGH];

double stx_test_prepare(void)
{
  for (gint right = 0; right < 2; right++)
    draw(right, drawn[right]);
  return 0;
}

static GstBuffer *view_of(gboolean right, GstClockTime time)
{
  GstBuffer *buffer = stx_test_buffer(WIDE * HIGH, 0, time, SHORT);

  gst_buffer_fill(buffer, 0, drawn[right], WIDE * HIGH);
  return buffer;
}

static StereoPair rig_with(const char *refine)
{
  StereoPair rig = rectify_rig_of_two_pads(PAIR);

  gst_harness_use_systemclock(rig.left);
  gst_element_set_state(rig.element, GST_STATE_READY);
  gst_util_set_object_arg(G_OBJECT(rig.element), "refine", refine);
  gst_element_set_state(rig.element, GST_STATE_PLAYING);
  rectify_set_caps(rig.left, "GRAY8", WIDE, HIGH);
  rectify_set_caps(rig.right, "GRAY8", WIDE, HIGH);
  return rig;
}

/* A pair of frames; the right one that comes out is added to the sum, if there is one. */
static void push(StereoPair *rig, GstBuffer *left, GstBuffer *right, GChecksum *sum)
{
  g_autoptr(GstBuffer) out = NULL;
  GstMapInfo map;

  fail_unless_equals_int(gst_harness_push(rig->left, left), GST_FLOW_OK);
  fail_unless_equals_int(gst_harness_push(rig->right, right), GST_FLOW_OK);
  gst_buffer_unref(gst_harness_pull(rig->left));
  out = gst_harness_pull(rig->right);
  gst_buffer_map(out, &map, GST_MAP_READ);
  if (sum != NULL)
    g_checksum_update(sum, map.data, (gssize)map.size);
  gst_buffer_unmap(out, &map);
}

static void push_frames(StereoPair *rig, guint first, guint end, GChecksum *sum)
{
  for (guint i = first; i < end; i++)
    push(rig, view_of(FALSE, i * SHORT), view_of(TRUE, i * SHORT), sum);
}

/* Returns a number of `stats`. */
static gdouble number(const StereoPair *rig, const char *name)
{
  g_autoptr(GstStructure) stats = NULL;
  const GValue *drift;
  gdouble value = NAN;

  g_object_get(rig->element, "stats", &stats, NULL);
  drift = gst_structure_get_value(stats, "drift");
  fail_unless(drift != NULL);
  fail_unless(gst_structure_get_double(gst_value_get_structure(drift), name, &value), "%s", name);
  return value;
}

static void expect_near(gdouble value, gdouble expected, gdouble tolerance)
{
  fail_unless(fabs(value - expected) <= tolerance, "%g, not %g", value, expected);
}

static gchar *digest(const char *refine)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  g_auto(StereoPair) rig = rig_with(refine);

  push_frames(&rig, 0, 45, sum);
  return g_strdup(g_checksum_get_string(sum));
}

static const gdouble pitch = LOWER / 300.0 * 180 / G_PI;

/* ---- What is said ---------------------------------------------------------------------------- */

STX_TEST_LOOP(report_says_how_far_the_right_view_lies, STX_TEST_SOME(0, 1))
{
  g_auto(StereoPair) rig = rig_with("report");
  guint messages = 0;
  GstMessage *message;

  push_frames(&rig, 0, 100, NULL);
  while ((message = gst_bus_pop_filtered(rig.bus, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *said = gst_message_get_structure(message);
    gdouble value;

    fail_unless(gst_structure_has_name(said, "stereo-rectify-drift"));
    fail_unless(gst_structure_get_double(said, "pitch", &value));
    expect_near(value, pitch, .05);
    messages++;
    gst_message_unref(message);
  }
  fail_unless_equals_int(messages, 3); /* of 0, 1.07 and 2.13 s */
  expect_near(number(&rig, "pitch"), pitch, .03);
  expect_near(number(&rig, "roll"), 0, .05);
  fail_unless(number(&rig, "pitch-deviation") < .05);
  fail_unless(number(&rig, "applied-pitch") == 0);
}

/* A look costs a small share of what frames cost. */
STX_TEST(slow_streams_are_looked_at_every_eighth_frame)
{
  g_auto(StereoPair) rig = rig_with("report");
  g_autoptr(GstStructure) stats = NULL;
  g_autoptr(GstStructure) drift = NULL;
  gint pairs;

  for (guint i = 0; i < 40; i++) {
    GstClockTime time = i * 100 * GST_MSECOND;

    push(&rig, view_of(FALSE, time), view_of(TRUE, time), NULL);
  }
  g_object_get(rig.element, "stats", &stats, NULL);
  fail_unless(gst_structure_get(stats, "drift", GST_TYPE_STRUCTURE, &drift, NULL));
  fail_unless(gst_structure_get_int(drift, "pairs", &pairs));
  fail_unless_equals_int(pairs, 6); /* of 0, .3, 1.1, 1.9, 2.7 and 3.5 s */
}

/* Streams that begin at other times, as behind a concat. */
STX_TEST(timestamps_count_from_their_segments)
{
  g_auto(StereoPair) rig = rig_with("report");
  GstSegment segment;

  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 10 * GST_SECOND;
  gst_harness_push_event(rig.right, gst_event_new_segment(&segment));
  for (guint i = 0; i < 30; i++)
    push(&rig, view_of(FALSE, i * SHORT), view_of(TRUE, segment.start + i * SHORT), NULL);
  expect_near(number(&rig, "pitch"), pitch, .05);
}

STX_TEST(without_refine_nothing_is_said)
{
  g_auto(StereoPair) rig = rig_with("off");
  g_autoptr(GstStructure) stats = NULL;

  push_frames(&rig, 0, 20, NULL);
  g_object_get(rig.element, "stats", &stats, NULL);
  fail_unless(!gst_structure_has_field(stats, "drift"));
  stx_test_expect_silence(rig.bus);
}

/* ---- What is done ---------------------------------------------------------------------------- */

STX_TEST_LOOP(the_same_input_gives_the_same_bytes, STX_TEST_SOME(0, 1))
{
  g_autofree gchar *off = digest("off"), *report = digest("report");
  g_autofree gchar *apply = digest("apply"), *again = digest("apply");

  ck_assert_str_eq(off, report);
  ck_assert_str_eq(apply, again);
  ck_assert_str_ne(off, apply);
}

STX_TEST_LOOP(apply_levels_the_view_by_a_tenth_of_a_pixel_per_frame, STX_TEST_SOME(0, 1))
{
  g_auto(StereoPair) rig = rig_with("apply");
  gdouble before = 0, most = .1 / 300 * 180 / G_PI;

  for (guint i = 0; i < 90; i++) { /* 3 s */
    push_frames(&rig, i, i + 1, NULL);
    fail_unless(fabs(number(&rig, "applied-pitch") - before) <= most * 1.001);
    before = number(&rig, "applied-pitch");
  }
  expect_near(before, pitch, .05);
  push_frames(&rig, 90, 130, NULL); /* and it stays there */
  expect_near(number(&rig, "applied-pitch"), pitch, .05);
  fail_unless(number(&rig, "applied-focal-ratio") == 1);
}

STX_TEST(flushes_and_caps_keep_what_was_learnt_and_a_start_does_not)
{
  g_auto(StereoPair) rig = rig_with("apply");
  GstHarness *sides[] = {rig.left, rig.right};
  gdouble learnt;

  push_frames(&rig, 0, 90, NULL);
  learnt = number(&rig, "applied-pitch");
  expect_near(learnt, pitch, .05);
  for (guint i = 0; i < 2; i++)
    stx_test_flush(sides[i]);
  push_frames(&rig, 0, 1, NULL);
  fail_unless(number(&rig, "applied-pitch") == learnt);
  for (guint i = 0; i < 2; i++)
    gst_harness_set_src_caps_str(
        sides[i], "video/x-raw,format=GRAY8,width=320,height=200,framerate=30/1");
  push_frames(&rig, 1, 2, NULL);
  fail_unless(number(&rig, "applied-pitch") == learnt);
  push_frames(&rig, 2, 40, NULL); /* moments of before are forgotten, new ones are looked at */
  expect_near(number(&rig, "applied-pitch"), pitch, .05);
  gst_element_set_state(rig.element, GST_STATE_READY);
  gst_element_set_state(rig.element, GST_STATE_PLAYING);
  fail_unless(number(&rig, "applied-pitch") == 0);
  fail_unless(number(&rig, "pitch") == 0);
}

/* A dark right view, and two dark ones. */
STX_TEST_LOOP(without_evidence_nothing_is_done, STX_TEST_SOME(1, 2))
{
  g_auto(StereoPair) rig = rig_with("apply");

  for (guint i = 0; i < 60; i++) {
    GstBuffer *left = view_of(FALSE, i * SHORT), *right = view_of(TRUE, i * SHORT);

    gst_buffer_memset(right, 0, 3, WIDE * HIGH);
    if (_i == 1)
      gst_buffer_memset(left, 0, 3, WIDE * HIGH);
    push(&rig, left, right, NULL);
  }
  fail_unless(number(&rig, "applied-pitch") == 0);
  fail_unless(number(&rig, "pitch") == 0);
}

STX_TEST(one_camera_alone_goes_on)
{
  g_auto(StereoPair) rig = rig_with("apply");

  for (guint i = 0; i < 60; i++) {
    gst_harness_push(rig.right, view_of(TRUE, i * SHORT));
    gst_buffer_unref(gst_harness_pull(rig.right));
  }
  fail_unless(number(&rig, "applied-pitch") == 0);
  stx_test_expect_silence(rig.bus);
}

/* ---- A rectified pair's file ----------------------------------------------------------------- */

#define KITTI "P0: 300 0 160 0 0 300 100 0 0 0 1 0\nP1: 300 0 160 -60 0 300 100 0 0 0 1 0\n"

STX_TEST(files_of_rectified_pairs_are_taken_to_look_for_drift)
{
  g_auto(StereoPair) rig = rig_with("report");

  gst_element_set_state(rig.element, GST_STATE_NULL);
  stx_test_write("calib.txt", KITTI);
  g_object_set(rig.element, "calibration", "calib.txt", NULL);
  gst_element_set_state(rig.element, GST_STATE_PLAYING);
  rectify_set_caps(rig.left, "GRAY8", WIDE, HIGH);
  rectify_set_caps(rig.right, "GRAY8", WIDE, HIGH);
  push_frames(&rig, 0, 30, NULL);
  expect_near(number(&rig, "pitch"), pitch, .05);
  ck_assert(stx_test_caps_number(rig.left, "camera-baseline") == .2);
  ck_assert(stx_test_caps_number(rig.left, "camera-focal") == 300);
}
