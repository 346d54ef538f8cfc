/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frames per second through whole pipelines, end to end: pictures that are in memory already in,
 * results out. Several builds of the plugin, and several pipelines, take turns, each time in a
 * process of its own, so that other load hits all of them alike.
 *
 *   stx-bench frames                                       this machine
 *   stx-bench frames --plugin OLD/gst --plugin NEW/gst     one build against another
 *   taskset -c 0 stx-bench frames 'appsrc name=left ! … fakesink name=out'
 */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "examples/shared/options.h"
#include "examples/stx-bench/stx_bench.h"

#define FED "appsrc name=left ! s.sink_left appsrc name=right ! s.sink_right"
#define TURNS_MAX 99

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

/* Of one frame, in the mean. */
typedef struct {
  double ms;         /* from one to the next */
  double cpu_ms;     /* of all threads of the process */
  double latency_ms; /* from its way in to its way out */
} FramesResult;

static const struct {
  const char *name, *line;
} known[] = {
    {"overlay", "stereo-stixels name=s ! fakesink name=out " FED},
    {"json", "stereo-stixels name=s output=json ! fakesink name=out " FED},
    {"hand", "appsrc name=left ! tee name=l l. ! queue ! s.sink_left "
             "appsrc name=right ! queue ! s.sink_right stereo-sgm name=s ! "
             "downsample-transpose ! sat-dp-stixels ! overlay.stixels "
             "l. ! queue ! stixel-overlay name=overlay ! fakesink name=out"},
    {"window", "stereo-stixels name=s ! videoconvert ! video/x-raw,format=BGRx ! "
               "fakesink name=out " FED},
    {"sgm", "stereo-sgm name=s ! fakesink name=out " FED},
};

typedef struct {
  const char *program;
  char **given; /* the command line as it came, for the processes of the runs */
  char *size, *left, *right, **plugins, **lines;
  int width, height, turns, frames;
  double seconds, rate;
  gboolean once;
} Options;

static bool parse(Options *o, int argc, char **argv, StxError *error)
{
  const GOptionEntry entries[] = {
      {"plugin", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &o->plugins,
          "Folder of the plugin, for GST_PLUGIN_PATH; several are compared", "FOLDER"},
      {"size", 's', 0, G_OPTION_ARG_STRING, &o->size, "Of the synthetic street; 1242x375", "WxH"},
      {"left", 'l', 0, G_OPTION_ARG_STRING, &o->left, "In place of the street: a gst-launch line",
          "LINE"},
      {"right", 'r', 0, G_OPTION_ARG_STRING, &o->right, "The same of the right view", "LINE"},
      {"frames", 'f', 0, G_OPTION_ARG_INT, &o->frames, "That are kept, and fed in turn; 4", "N"},
      {"turns", 't', 0, G_OPTION_ARG_INT, &o->turns, "5", "N"},
      {"seconds", 'S', 0, G_OPTION_ARG_DOUBLE, &o->seconds, "Of each run, after the warm-up; 1.5",
          "S"},
      {"rate", 'R', 0, G_OPTION_ARG_DOUBLE, &o->rate,
          "Frames per second that are fed, as by cameras; as many as the pipeline takes", "N"},
      {"once", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &o->once, "One run, in this process",
          NULL},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->lines, NULL, "[NAME|PIPELINE…]"},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("- times whole pipelines");
  g_option_context_set_summary(context,
      "Frames per second of pipelines with appsrc name=left, appsrc name=right and fakesink "
      "name=out, or of these: overlay json hand window sgm.");
  g_option_context_add_main_entries(context, entries, NULL);
  g_option_context_add_group(context, gst_init_get_option_group());
  if (!options_parse(context, &argc, &argv, error))
    return false;
  if (o->turns < 1 || o->turns > TURNS_MAX || o->frames < 1 || o->seconds <= 0 || o->rate < 0)
    return stx_fail(error,
        "turns must be 1 to %d, frames 1 or more, seconds more than 0, rate 0 or more", TURNS_MAX);
  return o->size == NULL || options_size("size", o->size, false, &o->width, &o->height, error);
}

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

/* Runs the pipeline once, in this process, and prints what came of it. */
static bool run_once(const Options *o, const char *word, StxError *error)
{
  Measurement *self = g_new0(Measurement, 1);
  View views[2] = {{NULL}};
  const char *pipeline = word;
  gboolean done = TRUE;

  for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
    if (strcmp(known[i].name, word) == 0)
      pipeline = known[i].line;
  self->seconds = (gint64)(o->seconds * G_USEC_PER_SEC);
  self->rate = o->rate;
  for (int i = 0; done && i < 2; i++) {
    char *given = i == 0 ? o->left : o->right;
    char *line = given != NULL ? g_strdup(given)
                               : g_strdup_printf("street-scene-src view=%s num-buffers=%d ! "
                                                 "video/x-raw,width=%d,height=%d",
                                     i == 0 ? "left" : "right", o->frames, o->width, o->height);
    done = load(line, o->frames, &views[i]);
    g_free(line);
  }
  done = done && measure(self, pipeline, views) && self->count > 0;
  if (done)
    printf("%.6f %.6f %.6f\n", (double)(self->end - self->begin) * 1e-3 / (double)self->count,
        (cpu_ms(&self->after) - cpu_ms(&self->before)) / (double)self->count,
        self->latency / (double)self->count);
  for (int i = 0; i < 2; i++)
    unload(&views[i]);
  g_free(self);
  return done || stx_fail(error, "%s: cannot be timed", word);
}

/* ---- A process of its own ------------------------------------------------------------------ */

static char **environment_of(const char *plugin)
{
  char **environment = g_get_environ();
  if (plugin == NULL)
    return environment;
  char *registry =
      g_strdup_printf("%s/stx-frames-%08x.registry", g_get_tmp_dir(), g_str_hash(plugin));
  environment = g_environ_setenv(environment, "GST_PLUGIN_PATH", plugin, TRUE);
  environment = g_environ_setenv(environment, "GST_REGISTRY", registry, TRUE);
  g_free(registry);
  return environment;
}

/* This program with the same options for one pipeline: the first word counts. */
static bool run_apart(const Options *o, const char *plugin, const char *word, FramesResult *result)
{
  GPtrArray *command = g_ptr_array_new();
  const char *const first[] = {o->program, "frames", "--once", word};
  for (size_t i = 0; i < G_N_ELEMENTS(first); i++)
    g_ptr_array_add(command, (gpointer)first[i]);
  for (char **given = o->given + 1; *given != NULL; given++)
    g_ptr_array_add(command, *given);
  g_ptr_array_add(command, NULL);
  char **environment = environment_of(plugin), *text = NULL;
  bool done = g_spawn_sync(NULL, (char **)command->pdata, environment,
                  G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, &text, NULL, NULL,
                  NULL) &&
              sscanf(text, "%lf %lf %lf", &result->ms, &result->cpu_ms, &result->latency_ms) == 3;
  g_free(text);
  g_strfreev(environment);
  g_ptr_array_free(command, TRUE);
  return done;
}

/* ---- Turns --------------------------------------------------------------------------------- */

static int by_ms(const void *a, const void *b)
{
  double first = ((const FramesResult *)a)->ms, second = ((const FramesResult *)b)->ms;
  return (first > second) - (first < second);
}

/* All plugins with one pipeline; of each the median counts. */
static bool compare(const Options *o, const char *word, StxError *error)
{
  char *none[] = {NULL}, **plugins = o->plugins != NULL ? o->plugins : none;
  size_t count = o->plugins != NULL ? g_strv_length(o->plugins) : 1, turns = (size_t)o->turns;
  FramesResult *results = g_new0(FramesResult, count * turns);
  bool done = true;
  for (size_t turn = 0; done && turn < turns; turn++)
    for (size_t i = 0; done && i < count; i++)
      done = run_apart(o, plugins[i], word, &results[i * turns + turn]) ||
             stx_fail(error, "a run of %s has failed", word);
  for (size_t i = 0; done && i < count; i++) {
    qsort(&results[i * turns], turns, sizeof *results, by_ms);
    const FramesResult *all = &results[i * turns + turns / 2];
    printf("| %s | %s | %.1f | %.2f | %.2f | %.2f | %.0f | %.2f |\n",
        plugins[i] != NULL ? plugins[i] : "", word, 1e3 / all->ms, all->ms, all->cpu_ms,
        all->cpu_ms / all->ms, all->latency_ms, results[turns / 2].ms / all->ms);
    fflush(stdout);
  }
  g_free(results);
  return done;
}

bool bench_frames(const char *program, int argc, char **argv, StxError *error)
{
  static const char *const usual[] = {"overlay", "json", NULL};
  Options o = {.program = program,
      .given = g_strdupv(argv),
      .width = 1242,
      .height = 375,
      .turns = 5,
      .frames = 4,
      .seconds = 1.5};
  bool done = parse(&o, argc, argv, error);
  const char *const *words = o.lines != NULL ? (const char *const *)o.lines : usual;
  if (done && o.once)
    done = run_once(&o, words[0], error);
  else if (done) {
    printf("| plugin | pipeline | frames/s | ms | processor ms | cores | latency ms | x first |\n"
           "|---|---|--:|--:|--:|--:|--:|--:|\n");
    for (const char *const *word = words; done && *word != NULL; word++)
      done = compare(&o, *word, error);
  }
  char **lists[] = {o.given, o.plugins, o.lines};
  for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
    g_strfreev(lists[i]);
  g_free(o.size);
  g_free(o.left);
  g_free(o.right);
  return done;
}
