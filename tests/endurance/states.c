/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pipelines that are started, halted and stopped again and again, at any moment: nothing hangs, and
 * the memory, the descriptors and the threads of the process do not grow.
 */
#include "tests/endurance/gauge.h"
#include "tests/endurance/lines.h"
#include "tests/gst/fixtures/util.h"

#define SIZE "width=64,height=48,framerate=30/1"

/* Threads that stay when nothing plays: those before the first pipeline (the main thread, a
 * sanitizer's, those that plugins of others have started when they were loaded into this process to
 * see what they have), the clock's, the one that starts GLib's threads, and those that GLib keeps
 * for the next task. The helpers that share a loop end after a second without one. */
#define IDLE_THREADS (threads_at_start + 2 + (guint)g_thread_pool_get_max_unused_threads())
static guint threads_at_start;
#define MOST_WAITING 20 /* seconds, for a frame, or for threads to end */

static const struct {
  const gchar *name, *line;
} pipelines[] = {
    {"stereo to obstacles on video", ENDURANCE_OBSTACLES ENDURANCE_STREET("", SIZE)},
    {"live cameras", ENDURANCE_WHOLE ENDURANCE_STREET("is-live=true", SIZE)},
    {"disparity to segments to JSON",
        "street-scene-src view=disparity ! video/x-raw," SIZE " ! downsample-transpose ! "
        "rdp-columns ! stixel-json ! fakesink name=out"},
    {"scans to pictures from above", "street-scene-src view=lidar beams=8 azimuth-steps=100 ! "
                                     "lidar-ground ! stixel-obstacles ! lidar-bev ! "
                                     "video/x-raw,width=96,height=96 ! fakesink name=out"},
};

static void expect_no_error(GstElement *pipeline)
{
  g_autoptr(GstBus) bus = gst_element_get_bus(pipeline);
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR); /* NULL forgets them */
  GError *error = NULL;
  gchar *details = NULL;

  if (message != NULL)
    gst_message_parse_error(message, &error, &details);
  fail_unless(message == NULL, "%s: %s", message != NULL ? error->message : "", details);
}

/* Some state for a while: none, some, or long enough for frames. */
static void stay(GstElement *pipeline, GRand *chance)
{
  static const gint32 longest[] = {1, 4000, 40000}; /* µs */
  GstState state = (GstState)g_rand_int_range(chance, GST_STATE_READY, GST_STATE_PLAYING + 1);

  fail_if(gst_element_set_state(pipeline, state) == GST_STATE_CHANGE_FAILURE);
  g_usleep((gulong)g_rand_int_range(chance, 0, longest[g_rand_int_range(chance, 0, 3)]));
}

/* Until there is a frame, however busy the machine is. */
static void stay_for_a_frame(GstElement *pipeline, gint *frames)
{
  gint before = g_atomic_int_get(frames);

  fail_if(gst_element_set_state(pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
  for (gint i = 0; i < MOST_WAITING * 1000 && g_atomic_int_get(frames) == before; i++)
    g_usleep(G_USEC_PER_SEC / 1000);
  fail_unless(g_atomic_int_get(frames) > before, "no frame in %d s", MOST_WAITING);
}

static void cycle(GstElement *pipeline, GRand *chance)
{
  for (gint i = g_rand_int_range(chance, 1, 5); i > 0; i--)
    stay(pipeline, chance);
  expect_no_error(pipeline);
  fail_unless_equals_int(gst_element_set_state(pipeline, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
}

/* GLib would keep threads for 15 s. How many are left when those that are about to end have ended.
 */
static guint idle_threads(void)
{
  guint threads;

  g_thread_pool_set_max_idle_time(100);
  threads = gauge_read().threads;
  for (gint i = 0; i < MOST_WAITING * 100 && threads > IDLE_THREADS; i++) {
    g_usleep(G_USEC_PER_SEC / 100);
    threads = gauge_read().threads;
  }
  return threads;
}

STX_TEST_LOOP(any_state_at_any_moment, G_N_ELEMENTS(pipelines))
{
  GaugeRun run = {pipelines[_i].name, endurance_rounds(40, 1000), 0, {{0}}};
  g_autoptr(GstElement) pipeline = stx_test_parse(pipelines[_i].line);
  g_autoptr(GRand) chance = g_rand_new_with_seed(_i);
  guint threads = 0;
  gint frames = 0;

  if (threads_at_start == 0)
    threads_at_start = gauge_read().threads;
  stx_test_probe(pipeline, "out", "sink", GST_PAD_PROBE_TYPE_BUFFER, stx_test_count_one, &frames);
  while (run.done < run.length) {
    if (run.done % 4 == 0) /* the first one, too: then all memory is there */
      stay_for_a_frame(pipeline, &frames);
    cycle(pipeline, chance);
    gauge_step(&run);
    threads = MAX(threads, gauge_read().threads);
  }
  g_print("%s: %d frames in %u cycles; in NULL at most %u threads, then %u\n", run.name, frames,
      run.length, threads, idle_threads());
  fail_unless(idle_threads() <= IDLE_THREADS);
  gauge_judge(&run);
}

double stx_test_prepare(void)
{
  return endurance_length(120, 3600);
}
