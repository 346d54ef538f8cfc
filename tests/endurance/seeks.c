/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Seeks to anywhere, at any moment, flushing and not: frames go on coming, and behind the last one
 * there are exactly those that should be. Two sources can only be sought with a flush: without,
 * each goes on from the running time that it happens to have reached.
 */

#include "gst/stixels/stixels.h"
#include "tests/endurance/gauge.h"
#include "tests/endurance/lines.h"
#include "tests/gst/fixtures/util.h"

#define FRAMES 1000
/* Frames per second: what is played in the time of a test ends before the stream does. */
#define RATE 200
#define SIZE "width=64,height=48,framerate=200/1"
#define SECONDS 20 /* until a frame must have come */
#define FILE_OF(format, width, height)                                                             \
  "filesrc location=video.raw ! rawvideoparse format=" format " width=" width " height=" height    \
  " framerate=200/1 ! "

typedef struct {
  const gchar *name;
  const gchar *recording; /* makes video.raw; NULL: not needed */
  const gchar *line;
  gboolean drawn, flushing; /* frames are pictures with stixels; all seeks must flush */
} Seeks;

static const Seeks cases[] = {
    {"two cameras", NULL, ENDURANCE_OBSTACLES ENDURANCE_STREET("num-buffers=1000", SIZE), TRUE,
        TRUE},
    {"side by side in a file",
        "street-scene-src num-buffers=1000 ! video/x-raw,format=RGB," SIZE " ! tee name=tee ! "
        "queue ! videobox right=-64 ! videoconvert ! video/x-raw,format=I420 ! "
        "filesink location=video.raw tee. ! fakesink",
        FILE_OF("i420", "128", "48") "tee name=tee ! queue ! stereo-sgm layout=side-by-side "
                                     "max-disparity=64 ! downsample-transpose ! sat-dp-stixels ! "
                                     "overlay.stixels tee. ! queue ! videocrop right=64 ! "
                                     "stixel-overlay name=overlay ! fakesink name=out sync=true",
        TRUE, FALSE},
    {"disparity in a file",
        "street-scene-src view=disparity num-buffers=1000 ! video/x-raw," SIZE
        " ! filesink location=video.raw",
        FILE_OF("gray16-le", "64", "48") "downsample-transpose ! queue ! rdp-columns ! "
                                         "fakesink name=out sync=true",
        FALSE, FALSE},
    {"scans", NULL,
        "street-scene-src view=lidar beams=8 azimuth-steps=100 num-buffers=1000 ! "
        "application/x-lidar,framerate=200/1 ! lidar-ground ! stixel-obstacles ! queue ! lidar-bev "
        "! "
        "video/x-raw,width=96,height=96 ! fakesink name=out sync=true",
        FALSE, FALSE},
};

/* ---- What comes out ------------------------------------------------------------------------ */

typedef struct {
  gint frames, drawn;
  GstClockTime first;
} Outcome;

static GstPadProbeReturn look(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  Outcome *outcome = data;

  if (outcome->frames == 0)
    outcome->first = GST_BUFFER_PTS(buffer);
  outcome->drawn += gst_buffer_get_stx_stixel_meta(buffer) != NULL;
  g_atomic_int_inc(&outcome->frames);
  return GST_PAD_PROBE_OK;
}

static void expect_frame(Outcome *outcome, const gchar *name, guint seek)
{
  gint before = g_atomic_int_get(&outcome->frames);

  for (gint i = 0; i < SECONDS * 1000 && g_atomic_int_get(&outcome->frames) == before; i++)
    g_usleep(G_USEC_PER_SEC / 1000);
  fail_unless(g_atomic_int_get(&outcome->frames) > before, "%s: seek %u hangs", name, seek);
}

/* ---- Seeking ------------------------------------------------------------------------------- */

static void wait_for_state(GstElement *pipeline, GstState state)
{
  gst_element_set_state(pipeline, state);
  fail_unless_equals_int(
      gst_element_get_state(pipeline, NULL, NULL, SECONDS * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
}

/* Without a flush a seek waits for frames on their way, which a pipeline must play to let go. */
static void seek(GstElement *pipeline, gboolean flush, gint frame)
{
  GstSeekFlags flags = GST_SEEK_FLAG_ACCURATE | (flush ? GST_SEEK_FLAG_FLUSH : 0);

  if (!flush)
    wait_for_state(pipeline, GST_STATE_PLAYING);
  fail_unless(gst_element_seek_simple(
      pipeline, GST_FORMAT_TIME, flags, gst_util_uint64_scale((guint64)frame, GST_SECOND, RATE)));
}

/* Into the first half: so the end is far. */
static void seek_anywhere(GstElement *pipeline, const Seeks *seeks, Outcome *outcome, GaugeRun *run)
{
  g_autoptr(GRand) chance = g_rand_new_with_seed(1);
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);

  while (run->done < run->length) {
    gboolean flush = seeks->flushing || g_rand_boolean(chance);

    seek(pipeline, flush, g_rand_int_range(chance, 0, FRAMES / 2));
    if (g_rand_int_range(chance, 0, 4) > 0)
      g_usleep((gulong)g_rand_int_range(chance, 0, 10000));
    else
      expect_frame(outcome, seeks->name, run->done);
    fail_unless(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR) == NULL); /* forgets the others */
    gauge_step(run);
  }
}

/* A last one, and all that is behind it. */
static void play_rest(GstElement *pipeline, Outcome *outcome, gint rest)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  g_autoptr(GstMessage) end = NULL;

  wait_for_state(pipeline, GST_STATE_PAUSED);
  fail_unless((end = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR)) == NULL);
  gst_bus_set_flushing(bus, TRUE);
  gst_bus_set_flushing(bus, FALSE);
  outcome->frames = outcome->drawn = 0;
  seek(pipeline, TRUE, FRAMES - rest);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  end = gst_bus_timed_pop_filtered(bus, SECONDS * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless(end != NULL, "no end after %d frames", outcome->frames);
  fail_unless_equals_int(GST_MESSAGE_TYPE(end), GST_MESSAGE_EOS);
}

STX_TEST_LOOP(anywhere_at_any_moment, G_N_ELEMENTS(cases))
{
  const Seeks *seeks = &cases[_i];
  GaugeRun run = {seeks->name, endurance_rounds(100, 10000), 0, {{0}}};
  g_autoptr(GstElement) pipeline = NULL;
  Outcome outcome = {0};
  gint rest = 30;

  stx_test_folder();
  if (seeks->recording != NULL)
    stx_test_runs(seeks->recording);
  pipeline = stx_test_parse(seeks->line);
  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, look, &outcome);
  wait_for_state(pipeline, GST_STATE_PAUSED);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  seek_anywhere(pipeline, seeks, &outcome, &run);
  play_rest(pipeline, &outcome, rest);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  fail_unless_equals_int(outcome.frames, rest);
  fail_unless_equals_int(outcome.drawn, seeks->drawn ? rest : 0);
  fail_unless_equals_uint64(
      outcome.first, gst_util_uint64_scale((guint64)(FRAMES - rest), GST_SECOND, RATE));
  gauge_judge(&run);
}

double stx_test_prepare(void)
{
  return endurance_length(120, 3600);
}
