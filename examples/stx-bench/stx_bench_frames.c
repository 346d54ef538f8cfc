/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One run of a whole pipeline, end to end: pictures that are in memory already in, results out.
 */
#include <gst/gst.h>
#include <sys/resource.h>

#include "examples/stx-bench/stx_bench.h"

#define WARM_UP 20 /* frames before the measurement */
#define FRAME (GST_SECOND / 30)
#define ON_THE_WAY 256 /* more than are ever inside */

typedef struct {
  GPtrArray *frames;
  GstCaps *caps;
} View;

typedef struct {
  GstElement *source;
  const View *view;
  struct Measurement *measurement;
} Feed;

typedef struct Measurement {
  Feed feed[2];
  gint64 pushed[ON_THE_WAY]; /* µs: when the left view of a frame was taken */
  gint stop;                 /* atomic */
  gint64 seconds;            /* µs */
  double rate;               /* frames per second; 0: any */
  guint64 count;             /* frames since the warm-up; the rest is of the sink's thread, too */
  gint64 begin, end;
  double latency;
  struct rusage before, after;
} Measurement;

/* ---- What is fed --------------------------------------------------------------------------- */

static void keep(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  View *view = data;

  g_ptr_array_add(view->frames, gst_buffer_ref(buffer));
  if (view->caps == NULL)
    view->caps = gst_pad_get_current_caps(pad);
}

static gboolean tell(GstMessage *message)
{
  GError *error = NULL;
  gboolean ended = message != NULL && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;

  if (message != NULL && !ended) {
    gst_message_parse_error(message, &error, NULL);
    g_printerr("%s\n", error->message);
    g_clear_error(&error);
  }
  gst_clear_message(&message);
  return ended;
}

static GstElement *make_pipeline(const char *line)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch(line, &error);

  if (error != NULL)
    g_printerr("%s: %s\n", line, error->message);
  if (error != NULL)
    gst_clear_object(&pipeline);
  g_clear_error(&error);
  return pipeline;
}

static GstMessage *wait_for_end(GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message =
      gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  gst_object_unref(bus);
  return message;
}

static gboolean load(const char *line, int frames, View *view)
{
  gchar *whole = g_strdup_printf(
      "%s ! identity eos-after=%d ! fakesink name=out sync=false signal-handoffs=true", line,
      frames + 1);
  GstElement *pipeline = make_pipeline(whole), *out;
  gboolean loaded = FALSE;

  g_free(whole);
  if (pipeline == NULL)
    return FALSE;
  view->frames = g_ptr_array_new_with_free_func((GDestroyNotify)gst_buffer_unref);
  out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  g_signal_connect(out, "handoff", G_CALLBACK(keep), view);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  loaded = tell(wait_for_end(pipeline)) && view->frames->len > 0;
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(out);
  gst_object_unref(pipeline);
  return loaded;
}

static void unload(View *view)
{
  if (view->frames != NULL)
    g_ptr_array_unref(view->frames);
  gst_clear_caps(&view->caps);
}

/* ---- A run --------------------------------------------------------------------------------- */

/* When a camera of this rate would have frame i. */
static void wait_for_turn(double rate, gint64 begin, guint i)
{
  gint64 wait = rate > 0 ? begin + (gint64)(i * G_USEC_PER_SEC / rate) - g_get_monotonic_time() : 0;

  if (wait > 0)
    g_usleep((gulong)wait);
}

static gpointer feed(gpointer data)
{
  Feed *self = data;
  GPtrArray *frames = self->view->frames;
  GstFlowReturn flow = GST_FLOW_OK;
  gint64 begin = g_get_monotonic_time();

  for (guint i = 0; flow == GST_FLOW_OK && !g_atomic_int_get(&self->measurement->stop); i++) {
    GstBuffer *buffer = gst_buffer_copy(g_ptr_array_index(frames, i % frames->len));

    wait_for_turn(self->measurement->rate, begin, i);
    GST_BUFFER_PTS(buffer) = i * FRAME;
    GST_BUFFER_DURATION(buffer) = FRAME;
    if (self == self->measurement->feed)
      self->measurement->pushed[i % ON_THE_WAY] = g_get_monotonic_time();
    g_signal_emit_by_name(self->source, "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
  }
  g_signal_emit_by_name(self->source, "end-of-stream", &flow);
  return NULL;
}

static void take(GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  Measurement *self = data;
  guint64 number = GST_BUFFER_PTS(buffer) / FRAME;
  gint64 now = g_get_monotonic_time();

  if (g_atomic_int_get(&self->stop) || number < WARM_UP)
    return;
  if (number > WARM_UP) {
    self->count++;
    self->latency += (double)(now - self->pushed[number % ON_THE_WAY]) * 1e-3;
  } else {
    self->begin = now;
    getrusage(RUSAGE_SELF, &self->before);
  }
  self->end = now;
  getrusage(RUSAGE_SELF, &self->after);
  if (now - self->begin > self->seconds)
    g_atomic_int_set(&self->stop, TRUE);
}

static void connect_source(Measurement *self, GstElement *pipeline, int side, const View *view)
{
  GstElement *source = gst_bin_get_by_name(GST_BIN(pipeline), side == 0 ? "left" : "right");

  self->feed[side] = (Feed){source, view, self};
  if (source != NULL)
    g_object_set(source, "caps", view->caps, "format", GST_FORMAT_TIME, "block", TRUE,
        "max-buffers", G_GUINT64_CONSTANT(1), "max-bytes", G_GUINT64_CONSTANT(0), NULL);
}

static gboolean play(Measurement *self, GstElement *pipeline)
{
  GThread *threads[2];
  gboolean ended;

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (int i = 0; i < 2; i++)
    threads[i] = g_thread_new("feed", feed, &self->feed[i]);
  ended = tell(wait_for_end(pipeline));
  g_atomic_int_set(&self->stop, TRUE);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  for (int i = 0; i < 2; i++)
    g_thread_join(threads[i]);
  return ended;
}

static gboolean measure(Measurement *self, const char *line, const View *views)
{
  GstElement *pipeline = make_pipeline(line), *out;
  gboolean ended = FALSE;

  if (pipeline == NULL)
    return FALSE;
  out = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  for (int i = 0; i < 2; i++)
    connect_source(self, pipeline, i, &views[i]);
  if (out != NULL && self->feed[0].source != NULL && self->feed[1].source != NULL) {
    g_object_set(out, "sync", FALSE, "signal-handoffs", TRUE, NULL);
    g_signal_connect(out, "handoff", G_CALLBACK(take), self);
    ended = play(self, pipeline);
  } else {
    g_printerr("%s: it needs appsrc name=left, appsrc name=right and fakesink name=out\n", line);
  }
  for (int i = 0; i < 2; i++)
    gst_clear_object(&self->feed[i].source);
  gst_clear_object(&out);
  gst_object_unref(pipeline);
  return ended;
}

static double cpu_ms(const struct rusage *usage)
{
  return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1e3 +
         (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-3;
}

static bool take_times(const Measurement *self, BenchFrames *result)
{
  const double count = (double)self->count;

  if (self->count == 0)
    return false;
  *result = (BenchFrames){
      .ms = (double)(self->end - self->begin) * 1e-3 / count,
      .cpu_ms = (cpu_ms(&self->after) - cpu_ms(&self->before)) / count,
      .latency_ms = self->latency / count,
  };
  return true;
}

bool bench_frames(const char *line, const char *left, const char *right, int frames, double seconds,
    double rate, BenchFrames *result)
{
  Measurement *self = g_new0(Measurement, 1);
  View views[2] = {{NULL}};

  gst_init(NULL, NULL);
  self->seconds = (gint64)(seconds * G_USEC_PER_SEC);
  self->rate = rate;
  bool done = load(left, frames, &views[0]) && load(right, frames, &views[1]) &&
              measure(self, line, views) && take_times(self, result);
  for (int i = 0; i < 2; i++)
    unload(&views[i]);
  g_free(self);
  return done;
}
