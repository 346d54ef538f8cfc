/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/cameras/lines.h"

#include <string.h>

#include "tests/cameras/folder.h"
#include "tests/cameras/page.h"
#include "tests/cameras/rtsp.h"
#include "tests/gst/fixtures/util.h"

#define FRAMES 12 /* at least; of stixels SETS */
#define SETS 6
#define DRAWN 1      /* pictures with stixels */
#define OBJECTS 100  /* at least */
#define MOST_OFF .05 /* a distance */
#define SECONDS 150  /* of a line; on an idle machine it takes two */

/* The additional delay of one camera in the network. */
#define SLOWER (120 * GST_MSECOND)

typedef struct {
  gchar *text;
  /* Parts of the line; the end of a file is waited for. */
  gboolean stixels, stereo, overlay, file, network;
  guint frames; /* at least */
} Line;

static gboolean has(const Line *line, const gchar *word)
{
  return strstr(line->text, word) != NULL;
}

/* Frames are lost on purpose: an element that misses them says once that it counts them; on a busy
 * machine, that a pad is silent or that the machine is too slow, and when the stream is ended, that
 * one camera ended a frame before the other. Wrong pairs make no road. Nothing else may be said. */
static void expect_nothing_worse(const Line *line, GstMessage *message)
{
  g_autofree gchar *debug = NULL;
  g_autoptr(GError) error = stx_test_read(message, &debug);

  ck_assert_msg(GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING &&
                    (strstr(debug, " counts") != NULL || strstr(debug, "may come back") != NULL ||
                        strstr(error->message, "machine is too slow") != NULL ||
                        (has(line, "-e ") && strstr(error->message, "has ended") != NULL) ||
                        (line->network && strstr(error->message, "no road") != NULL)),
      "%s\n%s: %s (%s)", line->text, GST_MESSAGE_SRC_NAME(message), error->message, debug);
}

static gboolean is_enough(const Line *line, const WatchCounts *counts)
{
  return !line->file && counts->frames >= line->frames &&
         (!line->stixels || counts->sets >= SETS) && (!line->stereo || counts->in_a_row >= SETS) &&
         (!line->overlay || counts->pictures >= DRAWN);
}

/* Until the end, or until it is enough; then, with -e, to the end of the stream. */
static void play(const Line *line, GstElement *pipeline, Watch *watch, gboolean ends_stream)
{
  gint64 last = g_get_monotonic_time() + SECONDS * G_USEC_PER_SEC;
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  gboolean ended = FALSE, ending = FALSE;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  while (!ended && g_get_monotonic_time() < last) {
    GstMessage *message = gst_bus_timed_pop_filtered(
        bus, 20 * GST_MSECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    WatchCounts counts = watch_counts(watch);

    if (message != NULL && GST_MESSAGE_TYPE(message) != GST_MESSAGE_EOS)
      expect_nothing_worse(line, message);
    ended = message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
    gst_clear_message(&message);
    if (ending || !is_enough(line, &counts))
      continue;
    ending = ends_stream;
    ended = ended || !ends_stream;
    if (ending)
      gst_element_send_event(pipeline, gst_event_new_eos());
  }
  ck_assert_msg(ended, "%s\nhas not ended after %d s, and %u frames", line->text, SECONDS,
      watch_counts(watch).frames);
}

static void judge(const Line *line, const WatchCounts *counts)
{
  g_print("  %u frames, %u with stixels; %u sets, %u pairs, %u wrong; %u objects, off by %.4f\n",
      counts->frames, counts->pictures, counts->sets, counts->pairs, counts->wrong_pairs,
      counts->objects, counts->off);
  ck_assert_uint_ge(counts->frames, line->frames);
  /* In the network the first pairs may be wrong, until both cameras have told their time. */
  if (!line->network)
    ck_assert_uint_eq(counts->wrong_pairs, 0);
  if (line->overlay)
    ck_assert_uint_ge(counts->pictures, DRAWN);
  if (line->stereo)
    ck_assert_uint_ge(counts->pairs, SETS);
  if (!line->stixels)
    return;
  ck_assert_uint_ge(counts->objects, OBJECTS);
  ck_assert(counts->off < MOST_OFF);
}

Watch *line_run(gchar **words)
{
  Line line = {.text = g_strjoinv(" ", words)};
  RtspPair *network = NULL;
  g_autoptr(GstElement) pipeline = NULL;
  WatchCounts counts;
  Watch *watch;

  line.stixels = has(&line, "stixels ");
  line.stereo = has(&line, "stereo-s");
  line.overlay =
      has(&line, "stixel-overlay") || (has(&line, "stereo-stixels") && !has(&line, "output="));
  line.network = has(&line, "rtspsrc");
  line.file = has(&line, "filesrc");
  /* A muxer makes several buffers of a frame. */
  line.frames = has(&line, "matroskamux") ? 8 * FRAMES : FRAMES;
  g_print("%s\n", line.text);
  folder_fill(words);
  pipeline = page_parse(words);
  if (line.network) {
    network = rtsp_start(has(&line, "rtpjpegdepay"), SLOWER, TRUE);
    rtsp_redirect(network, pipeline);
  }
  watch = watch_new(pipeline);
  play(&line, pipeline, watch, page_ends_stream(words));
  gst_element_set_state(pipeline, GST_STATE_NULL);
  g_clear_pointer(&network, rtsp_stop);
  counts = watch_counts(watch);
  judge(&line, &counts);
  g_free(line.text);
  return watch;
}
