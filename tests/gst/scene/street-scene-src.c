/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The synthetic street as a source: frames, caps, seeks. Its pictures: tests/frames. */
#include "tests/gst/fixtures/util.h"

#include <gst/video/video.h>

#include "common/scene/scene.h"

#define FRAME_AT_10 (GST_SECOND / 10)

/* ---- Helpers -------------------------------------------------------------------------------- */

/* The bytes of frame `number` of a drive that begins there. */
static GBytes *frame_at(guint number, const char *caps)
{
  g_autofree gchar *line = g_strdup_printf("street-scene-src first-frame=%u", number);
  g_autoptr(Harness) harness = stx_test_source(line, caps);
  g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);
  gpointer bytes;
  gsize size;

  gst_buffer_extract_dup(buffer, 0, gst_buffer_get_size(buffer), &bytes, &size);
  return g_bytes_new_take(bytes, size);
}

static void expect_bytes(GstBuffer *buffer, GBytes *expected, const char *what)
{
  gsize size;
  gconstpointer bytes = g_bytes_get_data(expected, &size);

  stx_test_expect_bytes(buffer, bytes, size, what);
}

STX_TEST(first_frame_shifts_the_drive)
{
  static const char caps[] = "video/x-raw,format=RGB,width=64,height=20";
  g_autoptr(Harness) harness = stx_test_source("street-scene-src first-frame=10", caps);

  for (guint i = 0; i < 3; i++) {
    g_autoptr(GBytes) expected = frame_at(10 + i, caps);
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);

    ck_assert_uint_eq(GST_BUFFER_PTS(buffer), i * FRAME_AT_10);
    expect_bytes(buffer, expected, "a later frame");
  }
}

/* ---- Caps and camera ------------------------------------------------------------------------ */

static GstStructure *negotiated(GstHarness *harness)
{
  g_autoptr(GstCaps) caps = NULL;
  GstStructure *structure;

  gst_buffer_unref(gst_harness_pull(harness));
  caps = gst_pad_get_current_caps(harness->sinkpad);
  structure = gst_structure_copy(gst_caps_get_structure(caps, 0));
  return structure;
}

static void expect_double(const GstStructure *structure, const char *field, gdouble expected)
{
  gdouble value;

  fail_unless(gst_structure_get_double(structure, field, &value), "no %s", field);
  fail_unless(ABS(value - expected) < 1e-9, "%s is %g, not %g", field, value, expected);
}

STX_TEST(open_caps_become_kitti)
{
  g_autoptr(Harness) harness = stx_test_source("street-scene-src", "video/x-raw");
  g_autoptr(GstStructure) structure = negotiated(harness);
  StxCamera camera = stx_scene_camera(1242, 375);
  gint n, d;

  ck_assert_str_eq(gst_structure_get_string(structure, "format"), "RGB");
  fail_unless(gst_structure_get_int(structure, "width", &n) && n == 1242);
  fail_unless(gst_structure_get_int(structure, "height", &n) && n == 375);
  fail_unless(gst_structure_get_fraction(structure, "framerate", &n, &d) && n == 10 && d == 1);
  expect_double(structure, "camera-focal", camera.focal);
  expect_double(structure, "camera-cx", camera.cx);
  expect_double(structure, "camera-cy", camera.cy);
  expect_double(structure, "camera-baseline", .54);
  expect_double(structure, "camera-height", 1.65);
}

/* Caps with one side give the other: the picture keeps its shape where it can. */
static const struct {
  const char *caps;
  gint width, height;
} shapes[] = {
    {"video/x-raw,height=125", 414, 125},
    {"video/x-raw,width=414", 414, 125},
    {"video/x-raw,width=1", 1, 1},
    {"video/x-raw,height=1", 3, 1},
    {"video/x-raw,width=[16,64],height=[16,64]", 64, 19},
};

STX_TEST_LOOP(one_side_gives_the_other, G_N_ELEMENTS(shapes))
{
  g_autoptr(Harness) harness = stx_test_source("street-scene-src", shapes[_i].caps);
  g_autoptr(GstStructure) structure = negotiated(harness);
  gint width = 0, height = 0;

  gst_structure_get(structure, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, NULL);
  ck_assert_int_eq(width, shapes[_i].width);
  ck_assert_int_eq(height, shapes[_i].height);
}

STX_TEST(properties_beat_caps_beat_defaults)
{
  g_autoptr(Harness) harness = stx_test_source("street-scene-src baseline=0.3 camera-pitch=0.02",
      "video/x-raw,width=64,height=20,camera-focal=50.0,camera-baseline=0.3");
  g_autoptr(GstStructure) structure = negotiated(harness);

  expect_double(structure, "camera-focal", 50);
  expect_double(structure, "camera-baseline", .3);
  expect_double(structure, "camera-height", 1.65);
  expect_double(structure, "camera-pitch", .02);
}

static void expect_error(const char *line, const char *caps, const char *word, const char *value)
{
  g_autoptr(Harness) harness = gst_harness_new_parse(line);
  g_autoptr(Watch) bus = stx_test_watch(harness->element);

  gst_harness_set_sink_caps_str(harness, caps);
  gst_harness_play(harness);
  stx_test_expect_error(bus, word, value, NULL);
  /* The thread that posted the error may still ask for caps, which the harness drops first. */
  gst_element_set_state(harness->element, GST_STATE_NULL);
}

STX_TEST(errors_name_the_culprit)
{
  expect_error("street-scene-src view=disparity", "video/x-raw,format=RGB", "GRAY16_LE", "RGB");
  expect_error("street-scene-src", "video/x-raw,width=9000", "8192", "9000");
  expect_error(
      "street-scene-src camera-height=60", "video/x-raw,width=16,height=8", "height", "60");
  expect_error("street-scene-src baseline=12", "video/x-raw,width=16,height=8", "baseline", "12");
}

STX_TEST(a_missing_calibration_is_named)
{
  stx_test_breaks("street-scene-src lens-calibration=/nowhere/lenses.yml ! fakesink",
      "/nowhere/lenses.yml", NULL);
  stx_test_breaks(
      "street-scene-src calibration=/nowhere/calib.txt ! fakesink", "/nowhere/calib.txt", NULL);
}

/* ---- Time ----------------------------------------------------------------------------------- */

/* A pipeline in PAUSED with its sink. */
static GstElement *paused(const char *line, GstElement **sink)
{
  GstElement *pipeline = gst_parse_launch(line, NULL);

  *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PAUSED);
  ck_assert_int_eq(
      gst_element_get_state(pipeline, NULL, NULL, 10 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  return pipeline;
}

static void stopped(GstElement *pipeline, GstElement *sink)
{
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
}

/* Seeks a paused pipeline; the sink must then hold frame `number`. */
static void expect_seek(GstElement *pipeline, GstElement *sink, gdouble rate, GstFormat format,
    gint64 start, gint64 stop, guint64 number)
{
  g_autoptr(GstSample) sample = NULL;
  GstBuffer *buffer;
  g_autoptr(GBytes) expected =
      frame_at((guint)number, "video/x-raw,format=GRAY8,width=64,height=20");

  fail_unless(gst_element_seek(pipeline, rate, format, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
      GST_SEEK_TYPE_SET, start, stop < 0 ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET, stop));
  gst_element_get_state(pipeline, NULL, NULL, 10 * GST_SECOND);
  g_object_get(sink, "last-sample", &sample, NULL);
  buffer = gst_sample_get_buffer(sample);
  ck_assert_uint_eq(GST_BUFFER_OFFSET(buffer), number);
  ck_assert_uint_eq(GST_BUFFER_PTS(buffer), number * FRAME_AT_10);
  expect_bytes(buffer, expected, "after a seek");
}

#define SMALL " ! video/x-raw,format=GRAY8,width=64,height=20 ! fakesink name=sink"

STX_TEST(seeks_to_times_and_frames)
{
  GstElement *sink, *pipeline = paused("street-scene-src" SMALL, &sink);

  expect_seek(pipeline, sink, 1, GST_FORMAT_TIME, 700 * GST_MSECOND, -1, 7);
  expect_seek(pipeline, sink, 1, GST_FORMAT_TIME, 250 * GST_MSECOND, -1, 2);
  expect_seek(pipeline, sink, 1, GST_FORMAT_TIME, 0, -1, 0);
  expect_seek(pipeline, sink, 1, GST_FORMAT_DEFAULT, 31, -1, 31);
  expect_seek(pipeline, sink, -1, GST_FORMAT_TIME, 0, 500 * GST_MSECOND, 4);
  stopped(pipeline, sink);
}

/* They say how long the drive is, not how often it can be looked at. */
STX_TEST(seeks_do_not_use_up_num_buffers)
{
  GstElement *sink, *pipeline = paused("street-scene-src num-buffers=3" SMALL, &sink);

  for (guint i = 0; i < 7; i++)
    expect_seek(pipeline, sink, 1, GST_FORMAT_TIME, i % 3 * FRAME_AT_10, -1, i % 3);
  stopped(pipeline, sink);
}

/* The frames themselves, counted by a probe. */
static GstPadProbeReturn count_buffers(GstPad *pad, GstPadProbeInfo *info, gpointer count)
{
  g_atomic_int_inc((gint *)count);
  return GST_PAD_PROBE_OK;
}

STX_TEST(plays_a_stretch_and_backwards)
{
  GstElement *sink, *pipeline = paused("street-scene-src" SMALL " sync=false", &sink);
  g_autoptr(GstPad) pad = gst_element_get_static_pad(sink, "sink");
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);

  for (gint rate = 1; rate >= -1; rate -= 2) {
    g_autoptr(GstMessage) message = NULL;
    gint count = 0;
    gulong probe;

    gst_element_set_state(pipeline, GST_STATE_PAUSED);
    gst_element_get_state(pipeline, NULL, NULL, 10 * GST_SECOND);
    probe = gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffers, &count, NULL);
    fail_unless(gst_element_seek(pipeline, rate, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
        GST_SEEK_TYPE_SET, FRAME_AT_10 * 2, GST_SEEK_TYPE_SET, FRAME_AT_10 * 6));
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered(bus, 10 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless(message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
    gst_pad_remove_probe(pad, probe);
    ck_assert_int_eq(g_atomic_int_get(&count), 4);
  }
  stopped(pipeline, sink);
}

STX_TEST(knows_its_duration)
{
  GstElement *sink, *pipeline = paused("street-scene-src num-buffers=25" SMALL, &sink);
  gint64 duration;

  fail_unless(gst_element_query_duration(pipeline, GST_FORMAT_TIME, &duration));
  ck_assert_int_eq(duration, 25 * FRAME_AT_10);
  fail_unless(gst_element_query_duration(pipeline, GST_FORMAT_DEFAULT, &duration));
  ck_assert_int_eq(duration, 25);
  stopped(pipeline, sink);
  pipeline = paused("street-scene-src" SMALL, &sink);
  fail_if(gst_element_query_duration(pipeline, GST_FORMAT_TIME, &duration) && duration >= 0);
  stopped(pipeline, sink);
}

/* ---- Changes in mid-stream, life ------------------------------------------------------------ */

/* Pulls until the frames have that width, at most 30; returns the PTS of that frame. */
static GstClockTime pull_until_width(GstHarness *harness, gint width, GstClockTime last)
{
  for (gint i = 0; i < 30; i++) {
    g_autoptr(GstBuffer) buffer = gst_harness_pull(harness);
    GstClockTime pts = GST_BUFFER_PTS(buffer);
    gsize size = gst_buffer_get_size(buffer);

    fail_unless(last == GST_CLOCK_TIME_NONE || pts > last);
    last = pts;
    if (size == (gsize)GST_ROUND_UP_4(width) * 20)
      return last;
  }
  fail("no frame of the new width");
  return last;
}

STX_TEST(size_and_rate_may_change)
{
  g_autoptr(Harness) harness =
      gst_harness_new_parse("street-scene-src ! capsfilter name=filter "
                            "caps=video/x-raw,format=GRAY8,width=64,height=20,framerate=10/1");
  g_autoptr(GstElement) filter = gst_bin_get_by_name(GST_BIN(harness->element), "filter");
  GstClockTime last;

  gst_harness_play(harness);
  last = pull_until_width(harness, 64, GST_CLOCK_TIME_NONE);
  gst_util_set_object_arg(
      G_OBJECT(filter), "caps", "video/x-raw,format=GRAY8,width=101,height=20,framerate=10/1");
  last = pull_until_width(harness, 101, last);
  gst_util_set_object_arg(
      G_OBJECT(filter), "caps", "video/x-raw,format=GRAY8,width=33,height=20,framerate=30/1");
  last = pull_until_width(harness, 33, last);
  ck_assert_uint_eq(last,
      gst_util_uint64_scale(gst_util_uint64_scale_round(last, 30, GST_SECOND), GST_SECOND, 30));
}
