/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Frames per second through whole pipelines, end to end: pictures that are in memory already in,
 * results out. Several builds of the plugin, and several pipelines, take turns, each time in a
 * process of its own, so that other load hits all of them alike.
 *
 *   stx-frames                                       this machine
 *   stx-frames --plugin OLD/gst --plugin NEW/gst     one build against another
 *   taskset -c 0 stx-frames 'appsrc name=left ! … fakesink name=out'
 */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/stx-frames/stx_frames.h"

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

/* ---- Options ------------------------------------------------------------------------------- */

static gchar *size, *left, *right, **plugins, **lines;
static gint turns = 5, frames = 4;
static gdouble seconds = 1.5;
static gboolean once;

static const GOptionEntry options[] = {
    {"plugin", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &plugins,
        "Folder of the plugin, for GST_PLUGIN_PATH; several are compared", "FOLDER"},
    {"size", 's', 0, G_OPTION_ARG_STRING, &size, "Of the synthetic street; 1242x375", "WxH"},
    {"left", 'l', 0, G_OPTION_ARG_STRING, &left, "In place of the street: a gst-launch line",
        "LINE"},
    {"right", 'r', 0, G_OPTION_ARG_STRING, &right, "The same of the right view", "LINE"},
    {"frames", 'f', 0, G_OPTION_ARG_INT, &frames, "That are kept, and fed in turn; 4", "N"},
    {"turns", 't', 0, G_OPTION_ARG_INT, &turns, "5", "N"},
    {"seconds", 'S', 0, G_OPTION_ARG_DOUBLE, &seconds, "Of each run, after the warm-up; 1.5", "S"},
    {"once", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &once, "One run, in this process", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &lines, NULL, "[NAME|PIPELINE…]"},
    {NULL},
};

static gboolean parse(int *argc, char ***argv)
{
  GOptionContext *context = g_option_context_new(NULL);
  GError *error = NULL;
  gboolean parsed;

  g_option_context_set_summary(context,
      "Frames per second of pipelines with appsrc name=left, appsrc name=right and fakesink "
      "name=out, or of these: overlay json hand window sgm.");
  g_option_context_add_main_entries(context, options, NULL);
  g_option_context_add_group(context, gst_init_get_option_group());
  parsed = g_option_context_parse(context, argc, argv, &error);
  if (!parsed)
    g_printerr("%s\n", error->message);
  else if (turns < 1 || turns > TURNS_MAX || frames < 1 || seconds <= 0)
    g_printerr("turns must be 1 to %d, frames 1 or more, seconds more than 0\n", TURNS_MAX);
  parsed = parsed && turns >= 1 && turns <= TURNS_MAX && frames >= 1 && seconds > 0;
  g_clear_error(&error);
  g_option_context_free(context);
  return parsed;
}

/* To be freed. */
static gchar *view_line(const char *given, const char *view)
{
  int width = 1242, height = 375;

  if (given != NULL)
    return g_strdup(given);
  if (size != NULL && sscanf(size, "%dx%d", &width, &height) != 2)
    g_printerr("size is %s; it must be like 1242x375\n", size);
  return g_strdup_printf("street-scene-src view=%s num-buffers=%d ! "
                         "video/x-raw,width=%d,height=%d",
      view, frames, width, height);
}

static const char *line_of(const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS(known); i++)
    if (strcmp(known[i].name, word) == 0)
      return known[i].line;
  return word;
}

/* ---- A process of its own ------------------------------------------------------------------ */

static int run_once(const char *word)
{
  gchar *views[2] = {view_line(left, "left"), view_line(right, "right")};
  StxFramesRun run = {line_of(word), {views[0], views[1]}, frames, seconds};
  StxFramesResult result = {0};
  gboolean done = stx_frames_run(&run, &result);

  if (done)
    g_print("%.6f %.6f %.6f %.3f %.3f\n", result.ms, result.cpu_ms, result.latency_ms,
        result.switches, result.faults);
  g_free(views[0]);
  g_free(views[1]);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* This program with these options for one run; to be freed. */
static gchar **command_of(const char *program, const char *word)
{
  GPtrArray *words = g_ptr_array_new();

  g_ptr_array_add(words, g_strdup(program));
  g_ptr_array_add(words, g_strdup("--once"));
  g_ptr_array_add(words, g_strdup_printf("--frames=%d", frames));
  g_ptr_array_add(words, g_strdup_printf("--seconds=%g", seconds));
  if (size != NULL)
    g_ptr_array_add(words, g_strdup_printf("--size=%s", size));
  if (left != NULL)
    g_ptr_array_add(words, g_strdup_printf("--left=%s", left));
  if (right != NULL)
    g_ptr_array_add(words, g_strdup_printf("--right=%s", right));
  g_ptr_array_add(words, g_strdup("--"));
  g_ptr_array_add(words, g_strdup(word));
  g_ptr_array_add(words, NULL);
  return (gchar **)g_ptr_array_free(words, FALSE);
}

static gchar **environment_of(const char *plugin)
{
  gchar **environment = g_get_environ(), *registry;

  if (plugin == NULL)
    return environment;
  registry = g_strdup_printf("%s/stx-frames-%08x.registry", g_get_tmp_dir(), g_str_hash(plugin));
  environment = g_environ_setenv(environment, "GST_PLUGIN_PATH", plugin, TRUE);
  environment = g_environ_setenv(environment, "GST_REGISTRY", registry, TRUE);
  g_free(registry);
  return environment;
}

static gboolean run_apart(
    const char *program, const char *plugin, const char *word, StxFramesResult *result)
{
  gchar **command = command_of(program, word), **environment = environment_of(plugin);
  gchar *text = NULL;
  gboolean done =
      g_spawn_sync(NULL, command, environment, G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN,
          NULL, NULL, &text, NULL, NULL, NULL) &&
      sscanf(text, "%lf %lf %lf %lf %lf", &result->ms, &result->cpu_ms, &result->latency_ms,
          &result->switches, &result->faults) == 5;

  g_free(text);
  g_strfreev(environment);
  g_strfreev(command);
  return done;
}

/* ---- Turns --------------------------------------------------------------------------------- */

static int by_ms(gconstpointer a, gconstpointer b)
{
  double first = ((const StxFramesResult *)a)->ms, second = ((const StxFramesResult *)b)->ms;

  return (first > second) - (first < second);
}

static StxFramesResult median(StxFramesResult *results)
{
  qsort(results, (size_t)turns, sizeof *results, by_ms);
  return results[turns / 2];
}

static void print_row(
    const char *plugin, const char *word, const StxFramesResult *all, double first_ms)
{
  g_print("| %s | %s | %.1f | %.2f | %.2f | %.2f | %.0f | %.2f |\n", plugin, word, 1e3 / all->ms,
      all->ms, all->cpu_ms, all->cpu_ms / all->ms, all->latency_ms, first_ms / all->ms);
}

/* All plugins with one pipeline. */
static gboolean compare(const char *program, const char *word)
{
  guint count = plugins != NULL ? g_strv_length(plugins) : 1;
  StxFramesResult *results = g_new0(StxFramesResult, count * (guint)turns);
  gboolean done = TRUE;

  for (gint turn = 0; done && turn < turns; turn++)
    for (guint i = 0; done && i < count; i++)
      done = run_apart(program, plugins != NULL ? plugins[i] : NULL, word,
          &results[i * (guint)turns + (guint)turn]);
  for (guint i = 0; done && i < count; i++) {
    StxFramesResult all = median(&results[i * (guint)turns]);

    print_row(plugins != NULL ? plugins[i] : "", word, &all, results[turns / 2].ms);
  }
  g_free(results);
  return done;
}

int main(int argc, char **argv)
{
  static const gchar *const usual[] = {"overlay", "json", NULL};
  const gchar *const *words;
  gboolean done = TRUE;

  if (!parse(&argc, &argv))
    return EXIT_FAILURE;
  words = lines != NULL ? (const gchar *const *)lines : usual;
  if (once)
    return run_once(words[0]);
  g_print("| plugin | pipeline | frames/s | ms | processor ms | cores | latency ms | x first |\n"
          "|---|---|--:|--:|--:|--:|--:|--:|\n");
  for (const gchar *const *word = words; done && *word != NULL; word++)
    done = compare(argv[0], *word);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
