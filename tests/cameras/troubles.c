/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests docs/cameras.md about recordings and cameras in the network: a recording plays what was
 * seen live, a file that was cut ends, clocks prevent wrong pairs, and a camera that is gone is
 * reported.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/cameras/folder.h"
#include "tests/cameras/lines.h"
#include "tests/cameras/page.h"
#include "tests/cameras/pictures.h"
#include "tests/cameras/rtsp.h"
#include "tests/cameras/stand_ins.h"
#include "tests/gst/fixtures/util.h"

#define PAGE STX_SOURCE_DIR "/docs/cameras.md"
#define SECONDS 150
#define SLOWER (120 * GST_MSECOND)

/* ---- Playing ------------------------------------------------------------------------------- */

typedef struct {
  GstElement *pipeline;
  GstBus *bus;
  Watch *watch;
  GString *said; /* errors and warnings */
  gboolean ended;
} Show;

static Show begin(GstElement *pipeline)
{
  Show show = {pipeline, gst_element_get_bus(pipeline), watch_new(pipeline), g_string_new(NULL)};

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  return show;
}

static void end(Show *show)
{
  gst_element_set_state(show->pipeline, GST_STATE_NULL);
  gst_object_unref(show->bus);
  gst_object_unref(show->pipeline);
  watch_free(show->watch);
  g_string_free(show->said, TRUE);
}

static void note(Show *show, GstMessage *message)
{
  g_autoptr(GError) error = NULL;

  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) {
    show->ended = TRUE;
    return;
  }
  error = stx_test_read(message, NULL);
  g_string_append_printf(show->said, "%s %s: %s\n", GST_MESSAGE_TYPE_NAME(message),
      GST_MESSAGE_SRC_NAME(message), error->message);
}

/* Until so much was seen, or the end; fails the test after a minute. */
static WatchCounts play_until(
    Show *show, gboolean (*enough)(const Show *show, const WatchCounts *counts))
{
  gint64 last = g_get_monotonic_time() + SECONDS * G_USEC_PER_SEC;
  WatchCounts counts = watch_counts(show->watch);

  while (!show->ended && !enough(show, &counts)) {
    GstMessage *message = gst_bus_timed_pop_filtered(
        show->bus, 20 * GST_MSECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

    if (message != NULL)
      note(show, message);
    gst_clear_message(&message);
    counts = watch_counts(show->watch);
    ck_assert_msg(g_get_monotonic_time() < last, "hangs after %u frames, %u sets; %s",
        counts.frames, counts.sets, show->said->str);
  }
  return counts;
}

/* ---- Recordings ---------------------------------------------------------------------------- */

#define RECORDING "Two videos in one Matroska file"

static gboolean never(const Show *show, const WatchCounts *counts)
{
  return FALSE;
}

static void cut_in_half(const char *name)
{
  GStatBuf status;

  ck_assert(g_stat(name, &status) == 0 && status.st_size > 1000);
  ck_assert(truncate(name, status.st_size / 2) == 0);
}

/* As when the disk is full, or the power gone. */
STX_TEST(a_recording_that_was_cut_plays_to_the_cut)
{
  PageSection *recording = page_find(PAGE, RECORDING);
  gchar *folder = folder_enter();
  WatchCounts counts;
  Show show;

  stand_ins_register();
  watch_free(line_run(g_ptr_array_index(recording->lines, 0)));
  cut_in_half("pair.mkv");
  show = begin(page_parse(g_ptr_array_index(recording->lines, 2)));
  counts = play_until(&show, never);
  g_print("%u pairs, %s", counts.pairs, show.said->str);
  ck_assert_uint_ge(counts.pairs, 3);
  ck_assert_uint_eq(counts.wrong_pairs, 0);
  ck_assert_uint_ge(counts.pictures, 3);
  ck_assert_msg(strstr(show.said->str, "error") == NULL, "%s", show.said->str);
  end(&show);
  page_free_section(recording);
  folder_leave(folder);
}

/* ---- The network --------------------------------------------------------------------------- */

#define NETWORK                                                                                    \
  "rtspsrc name=camera_left location=rtsp://192.168.1.10/stream latency=200 %s ! rtpjpegdepay ! "  \
  "jpegdec ! tee name=left ! queue ! sgm.sink_left "                                               \
  "rtspsrc name=camera_right location=rtsp://192.168.1.11/stream latency=200 %s ! rtpjpegdepay "   \
  "! jpegdec ! queue ! sgm.sink_right "                                                            \
  "stereo-sgm name=sgm max-disparity=64 calibration=calib.txt ! downsample-transpose ! "           \
  "sat-dp-stixels ! overlay.stixels left. ! queue ! stixel-overlay name=overlay ! fakesink"

static Show begin_network(RtspPair *network, const char *properties)
{
  g_autofree gchar *line = g_strdup_printf(NETWORK, properties, properties);
  GstElement *pipeline = stx_test_parse(line);

  rtsp_redirect(network, pipeline);
  return begin(pipeline);
}

static gboolean has_some(const Show *show, const WatchCounts *counts)
{
  return counts->sets >= 10;
}

static gboolean has_pairs(const Show *show, const WatchCounts *counts)
{
  return counts->in_a_row >= 10;
}

/* By their arrival the pictures of a camera that takes longer are those of another moment; by the
 * cameras' clocks they are not. */
STX_TEST_LOOP(clocks_make_the_pairs, 2)
{
  gchar *folder = folder_enter();
  RtspPair *network;
  WatchCounts counts;
  Show show;

  stand_ins_register();
  network = rtsp_start(TRUE, SLOWER, TRUE);
  show = begin_network(network, _i ? "ntp-sync=true" : "");
  counts = play_until(&show, _i ? has_pairs : has_some);
  g_print("%u pairs, %u wrong\n", counts.pairs, counts.wrong_pairs);
  if (_i == 0) {
    ck_assert_uint_eq(counts.pairs, 0);
    ck_assert_uint_ge(counts.wrong_pairs, 10);
  }
  end(&show);
  rtsp_stop(network);
  folder_leave(folder);
}

static guint frames_before;

static gboolean goes_on_alone(const Show *show, const WatchCounts *counts)
{
  return counts->frames >= frames_before + 40;
}

/* One camera is gone: rtspsrc says so, and the pictures of the other go on. */
STX_TEST_LOOP(a_camera_is_unplugged, 2)
{
  gchar *folder = folder_enter();
  RtspPair *network;
  Show show;

  stand_ins_register();
  network = rtsp_start(TRUE, 0, TRUE);
  show = begin_network(network, _i ? "ntp-sync=true protocols=tcp" : "ntp-sync=true");
  play_until(&show, has_pairs);
  ck_assert_msg(strstr(show.said->str, "camera_") == NULL, "%s", show.said->str);
  rtsp_unplug(network);
  frames_before = watch_counts(show.watch).frames;
  play_until(&show, goes_on_alone);
  g_print("%s", show.said->str);
  ck_assert(strstr(show.said->str, "camera_right: Could not read from resource.") != NULL);
  ck_assert(strstr(show.said->str, "camera_left") == NULL);
  ck_assert(!show.ended);
  end(&show);
  rtsp_stop(network);
  folder_leave(folder);
}

double stx_test_prepare(void)
{
  picture_truth(FOLDER_WIDTH, FOLDER_HEIGHT, 0); /* drawn once for all tests */
  return 4 * SECONDS;
}
