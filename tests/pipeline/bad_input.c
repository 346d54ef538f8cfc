/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole pipelines that are fed or linked badly. Each says what is wrong and what would be right, or
 * goes on with all that is good; none hangs. Seeks at any moment: tests/endurance/seeks.c.
 */
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
  guint warnings[2]; /* of sgm, of overlay */
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
  return GST_PAD_PROBE_OK;
}

static Outcome run(const gchar *line)
{
  g_autoptr(GstElement) pipeline = stx_test_parse(line);
  g_auto(GStrv) warnings = NULL;
  Outcome outcome = {0};

  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, look, &outcome);
  warnings = stx_test_warnings(pipeline);
  for (gchar **warning = warnings; *warning != NULL; warning++) {
    outcome.warnings[0] += g_str_has_prefix(*warning, "sgm:");
    outcome.warnings[1] += g_str_has_prefix(*warning, "overlay:");
  }
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

STX_TEST(nothing_is_linked)
{
  stx_test_warns("downsample-transpose ! fakesink", "No input is linked; expected sink", NULL);
}

STX_TEST(a_view_that_ends_early_or_at_once)
{
  stx_test_warns(VIEW("left", "4", SMALL) "sgm.sink_left " VIEW(
                     "right", "2", SMALL) "sgm.sink_right "
                                          "stereo-sgm name=sgm ! fakesink",
      "Pad sink_right has ended", NULL);
  stx_test_warns(VIEW("left", "4", SMALL) "sgm.sink_left " VIEW(
                     "right", "0", SMALL) "sgm.sink_right "
                                          "stereo-sgm name=sgm ! fakesink",
      "No frame came before the end on pad sink_right", NULL);
}

STX_TEST(stixels_that_never_come)
{
  stx_test_warns(
      "stixel-overlay name=overlay ! fakesink " VIEW("left", "2",
          SMALL) "overlay.sink appsrc "
                 "caps=application/x-stixels,width=96,height=48,stixel-width=8,columns=12 ! "
                 "overlay.stixels",
      "Pad stixels has brought nothing", NULL);
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
