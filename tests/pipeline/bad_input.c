/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole pipelines that are fed, linked or steered badly. Each says what is wrong and what would be
 * right, or goes on with all that is good; none hangs.
 */
#include <string.h>

#include "gst/stixels/stixels.h"
#include "tests/gst/fixtures/util.h"

#define SMALL "video/x-raw,width=96,height=48,framerate=10/1"
#define SMALLER "video/x-raw,width=64,height=30,framerate=10/1"
#define VIEW(view, frames, caps)                                                                   \
  "street-scene-src view=" view " num-buffers=" frames " ! " caps " ! "

/* From the views to the picture; what feeds the tee `left` and the pad sgm.sink_right is added. */
#define WHOLE                                                                                      \
  "stereo-sgm name=sgm ! downsample-transpose ! sat-dp-stixels ! queue ! overlay.stixels "         \
  "stixel-overlay name=overlay ! fakesink name=out "                                               \
  "tee name=left ! queue max-size-bytes=0 ! videoconvert ! sgm.sink_left "                         \
  "left. ! queue max-size-bytes=0 ! videoconvert ! video/x-raw,format=RGB ! overlay.sink "

#define WHOLE_OF(left_frames, left_caps, right_frames, right_caps)                                 \
  WHOLE VIEW("left", left_frames, left_caps) "left. " VIEW(                                        \
      "right", right_frames, right_caps) "videoconvert ! queue ! sgm.sink_right "

/* ---- What comes out ------------------------------------------------------------------------ */

typedef struct {
  guint frames, drawn, sizes; /* sizes: how often the width changed, the first one included */
  gint width;
  GstClockTime first; /* PTS since the last flush */
  guint warnings[2];  /* of sgm, of overlay */
  gboolean ended;     /* by EOS */
} Outcome;

static GstPadProbeReturn look(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Outcome *outcome = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  gint width = 0;

  gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &width);
  outcome->sizes += width != outcome->width;
  outcome->width = width;
  outcome->frames++;
  outcome->drawn += gst_buffer_get_stx_stixel_meta(buffer) != NULL;
  if (!GST_CLOCK_TIME_IS_VALID(outcome->first))
    outcome->first = GST_BUFFER_PTS(buffer);
  return GST_PAD_PROBE_OK;
}

static GstElement *launch(const gchar *line, Outcome *outcome)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(line, &error);
  g_autoptr(GstElement) sink = NULL;
  g_autoptr(GstPad) pad = NULL;

  fail_unless(error == NULL, "%s: %s", line, error ? error->message : "");
  *outcome = (Outcome){.first = GST_CLOCK_TIME_NONE};
  sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  pad = gst_element_get_static_pad(sink, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, look, outcome, NULL);
  return pipeline;
}

/* Until EOS; an error fails the test, and so does an end that does not come. */
static void wait_for_eos(GstElement *pipeline, Outcome *outcome)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  GstMessage *message;

  while (!outcome->ended) {
    message = gst_bus_timed_pop_filtered(
        bus, 30 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
    fail_unless(message != NULL, "neither EOS nor an error");
    fail_if(
        GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR, "%s failed", GST_MESSAGE_SRC_NAME(message));
    outcome->ended = GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
    if (!outcome->ended) {
      outcome->warnings[0] += g_str_equal(GST_MESSAGE_SRC_NAME(message), "sgm");
      outcome->warnings[1] += g_str_equal(GST_MESSAGE_SRC_NAME(message), "overlay");
    }
    gst_message_unref(message);
  }
}

/* Drops earlier messages, the end of a stream above all. */
static void forget_messages(GstElement *pipeline)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);

  gst_bus_set_flushing(bus, TRUE);
  gst_bus_set_flushing(bus, FALSE);
}

static void stop(GstElement *pipeline)
{
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
}

static Outcome run(const gchar *line)
{
  Outcome outcome;
  GstElement *pipeline = launch(line, &outcome);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait_for_eos(pipeline, &outcome);
  stop(pipeline);
  return outcome;
}

/* ---- Sizes --------------------------------------------------------------------------------- */

STX_TEST(tiny_frames)
{
  static const gint sizes[][2] = {{1, 1}, {2, 1}, {1, 2}, {17, 9}, {64, 1}, {1, 64}};

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autofree gchar *caps =
        g_strdup_printf("video/x-raw,width=%d,height=%d", sizes[i][0], sizes[i][1]);
    g_autofree gchar *line = g_strdup_printf(WHOLE
        "street-scene-src num-buffers=2 ! %s ! left. "
        "street-scene-src view=right num-buffers=2 ! %s ! videoconvert ! queue ! sgm.sink_right ",
        caps, caps);
    Outcome outcome = run(line);

    fail_unless_equals_int(outcome.frames, 2);
    fail_unless_equals_int(outcome.drawn, 2);
  }
}

#define CONCAT(view, first, second)                                                                \
  VIEW(view, first, SMALL)                                                                         \
  view "s. " VIEW(view, second, SMALLER) view "s. concat name=" view "s ! "

STX_TEST(size_changes_in_mid_stream)
{
  Outcome outcome = run(WHOLE CONCAT("left", "4", "3") "left. " CONCAT(
      "right", "4", "3") "videoconvert ! sgm.sink_right");

  fail_unless_equals_int(outcome.frames, 7);
  fail_unless_equals_int(outcome.drawn, 7);
  fail_unless_equals_int(outcome.sizes, 2);
}

STX_TEST(size_changes_on_one_side_alone)
{
  stx_test_breaks(WHOLE CONCAT("left", "4", "3") "left. " CONCAT(
                      "right", "5", "3") "videoconvert ! sgm.sink_right",
      "sink_left is 64x30", "sink_right is 96x48", NULL);
}

/* ---- Links --------------------------------------------------------------------------------- */

STX_TEST(a_disparity_on_the_wrong_pad)
{
  stx_test_breaks("videotestsrc num-buffers=2 ! video/x-raw,format=RGB,width=8,height=8 ! pngenc ! "
                  "pngdec ! downsample-transpose ! fakesink",
      "confidence: format=RGB", "pad sink, in GRAY16_LE", NULL);
}

STX_TEST(stixels_without_frames)
{
  stx_test_breaks("stixel-overlay name=overlay ! fakesink " VIEW("disparity", "2",
                      SMALL) "downsample-transpose ! sat-dp-stixels ! overlay.stixels",
      "Pad sink is not linked, only stixels", NULL);
}

static void expect_warning(const gchar *line, const gchar *word)
{
  g_autoptr(GError) error = NULL;
  GstElement *pipeline = gst_parse_launch(line, NULL);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstMessage) message = NULL;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered(
      bus, 30 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
  fail_unless(message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING);
  gst_message_parse_warning(message, &error, NULL);
  fail_unless(strstr(error->message, word) != NULL, "no \"%s\" in \"%s\"", word, error->message);
  stop(pipeline);
}

STX_TEST(nothing_is_linked)
{
  expect_warning("downsample-transpose ! fakesink", "No input is linked; expected sink");
}

STX_TEST(stixels_that_never_come)
{
  expect_warning(
      "stixel-overlay name=overlay ! fakesink " VIEW("left", "2",
          SMALL) "overlay.sink appsrc "
                 "caps=application/x-stixels,width=96,height=48,stixel-width=8,columns=12 ! "
                 "overlay.stixels",
      "Pad stixels has brought nothing");
}

/* ---- Time ---------------------------------------------------------------------------------- */

STX_TEST(every_other_frame_has_a_partner)
{
  Outcome outcome = run(WHOLE_OF("10", SMALL, "5", "video/x-raw,width=96,height=48,framerate=5/1"));

  fail_unless_equals_int(outcome.drawn, 5);
  fail_unless_equals_int(outcome.warnings[0], 1);
  fail_unless_equals_int(outcome.warnings[1], 1);
}

STX_TEST(times_that_do_not_agree)
{
  Outcome outcome = run(WHOLE VIEW("left", "5", SMALL) "left. videotestsrc num-buffers=5 "
                                                       "timestamp-offset=3000000000 ! " SMALL
                                                       " ! videoconvert ! queue ! sgm.sink_right");

  fail_unless_equals_int(outcome.frames, 5);
  fail_unless_equals_int(outcome.drawn, 0);
  fail_unless_equals_int(outcome.warnings[0], 1);
  fail_unless_equals_int(outcome.warnings[1], 0); /* what the matcher lost, it has said */
}

STX_TEST(flushing_seek_while_playing)
{
  Outcome outcome;
  GstElement *pipeline = launch(WHOLE_OF("60", SMALL, "60", SMALL), &outcome);

  gst_element_set_state(pipeline, GST_STATE_PAUSED);
  fail_unless_equals_int(
      gst_element_get_state(pipeline, NULL, NULL, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (gint i = 1; i <= 5; i++) {
    fail_unless(gst_element_seek_simple(
        pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, i * GST_SECOND));
    g_usleep(G_USEC_PER_SEC / 50);
  }
  gst_element_get_state(pipeline, NULL, NULL, 20 * GST_SECOND);
  gst_element_set_state(pipeline, GST_STATE_PAUSED);
  gst_element_get_state(pipeline, NULL, NULL, 20 * GST_SECOND);
  forget_messages(pipeline);
  outcome.frames = outcome.drawn = 0;
  outcome.first = GST_CLOCK_TIME_NONE;
  fail_unless(gst_element_seek_simple(
      pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, 5 * GST_SECOND));
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait_for_eos(pipeline, &outcome); /* perhaps that of an earlier seek */
  for (gint i = 0; i < 2000 && g_atomic_int_get(&outcome.frames) < 10; i++)
    g_usleep(G_USEC_PER_SEC / 100);
  fail_unless_equals_uint64(outcome.first, 5 * GST_SECOND);
  fail_unless_equals_int(outcome.frames, 10);
  fail_unless_equals_int(outcome.drawn, 10);
  stop(pipeline);
}
