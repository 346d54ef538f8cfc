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
#include "examples/stx-bench/stx_bench_frames.h"

#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/shared/options.h"

#define FED "appsrc name=left ! s.sink_left appsrc name=right ! s.sink_right"
#define TURNS_MAX 99

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

/* ---- A process of its own ------------------------------------------------------------------ */

static bool run_once(const Options *o, const char *word, StxError *error)
{
  FramesRun run = {.pipeline = word, .frames = o->frames, .seconds = o->seconds, .rate = o->rate};
  char *views[2];
  FramesResult result;
  for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
    if (strcmp(known[i].name, word) == 0)
      run.pipeline = known[i].line;
  for (int i = 0; i < 2; i++) {
    const char *given = i == 0 ? o->left : o->right;
    run.views[i] = views[i] = given != NULL
                                  ? g_strdup(given)
                                  : g_strdup_printf("street-scene-src view=%s num-buffers=%d ! "
                                                    "video/x-raw,width=%d,height=%d",
                                        i == 0 ? "left" : "right", o->frames, o->width, o->height);
  }
  bool done = frames_run(&run, &result) || stx_fail(error, "%s: cannot be timed", word);
  if (done)
    printf("%.6f %.6f %.6f\n", result.ms, result.cpu_ms, result.latency_ms);
  g_free(views[0]);
  g_free(views[1]);
  return done;
}

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
