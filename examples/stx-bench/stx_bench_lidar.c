/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "examples/stx-bench/stx_bench_lidar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "examples/shared/options.h"
#include "examples/shared/table.h"

#define SEED 1
#define MAX_KINDS 8

typedef struct {
  char *folder, *backend, *figures;
  int beams, frames, threads, milliseconds, sets;
  gboolean packets, quick, markdown, json;
  bool cpu, gpu;
  BenchFormat format;
} Options;

typedef struct {
  const Options *options;
  BenchMachine machine;
  BenchDevice device;
  BenchContext context;
  LidarScans kinds[MAX_KINDS];
  int kind_count;
  GArray *rows; /* LidarRow */
  bool differs;
} Bench;

/* ---- Scans --------------------------------------------------------------------------------- */

static bool load(LidarSet *set, size_t count, LidarScans *scans, StxError *error)
{
  scans->scans = g_new0(LidarScan, count);
  for (; scans->count < count; scans->count++)
    if (!lidar_set_load(set, scans->count, &scans->scans[scans->count], error))
      return false;
  return true;
}

static bool load_folder(Bench *b, StxError *error)
{
  LidarScans *scans = &b->kinds[b->kind_count];
  size_t most = (size_t)b->options->frames;
  LidarSet set;
  if (!lidar_set_open(&set, b->options->folder, error))
    return false;
  b->kind_count++;
  bool good = load(&set, most > 0 && most < set.count ? most : set.count, scans, error);
  g_snprintf(
      scans->name, sizeof scans->name, "%zu scan%s", scans->count, scans->count == 1 ? "" : "s");
  lidar_set_close(&set);
  return good;
}

static bool load_street(Bench *b, int beams, StxError *error)
{
  LidarScans *scans = &b->kinds[b->kind_count];
  size_t count = b->options->frames > 0 ? (size_t)b->options->frames : 1;
  LidarSet set;
  if (!lidar_set_open_street(&set, SEED, beams, count, error))
    return false;
  b->kind_count++;
  g_snprintf(scans->name, sizeof scans->name, "street, %d beams", beams);
  bool good = load(&set, count, scans, error);
  lidar_set_close(&set);
  return good;
}

/* The folder's, or the synthetic street as sensors of several kinds see it. */
static bool load_kinds(Bench *b, StxError *error)
{
  static const int beams[] = {16, 32, 64, 128};
  const Options *o = b->options;
  const bool one = o->beams > 0 || o->quick || o->figures != NULL;
  if (o->folder != NULL)
    return load_folder(b, error);
  if (one)
    return load_street(b, o->beams > 0 ? o->beams : 64, error);
  for (size_t i = 0; i < G_N_ELEMENTS(beams); i++)
    if (!load_street(b, beams[i], error))
      return false;
  return true;
}

static void free_kinds(Bench *b)
{
  for (int i = 0; i < b->kind_count; i++) {
    for (size_t k = 0; k < b->kinds[i].count; k++)
      lidar_scan_free(&b->kinds[i].scans[k]);
    g_free(b->kinds[i].scans);
  }
}

/* ---- Report -------------------------------------------------------------------------------- */

static void print_head(const Bench *b)
{
  const BenchMachine shown = {.device = b->machine.device}; /* there are no limits of the CPU */
  bench_print_machine(stdout, b->options->format, &shown);
  if (b->options->format == BENCH_MARKDOWN)
    printf("| scans | points | clusters | code | threads | median ms | min ms | x omp | Mpoints/s "
           "|\n|---|--:|---|---|--:|--:|--:|--:|--:|\n");
  else
    printf("%-22s %8s %-8s %-11s %7s %9s %9s %7s %9s\n", "scans", "points", "clusters", "code",
        "threads", "median ms", "min ms", "x omp", "Mpoints/s");
}

static void print_row(BenchFormat format, const LidarRow *line)
{
  const BenchRow *row = &line->row;
  char code[32], threads[16] = "", times[80] = "DIFFERS";
  const bool markdown = format == BENCH_MARKDOWN;
  g_snprintf(code, sizeof code, "%s%s", row->impl, row->graph ? " graph" : "");
  if (row->threads > 0)
    g_snprintf(threads, sizeof threads, "%d", row->threads);
  if (!row->differs)
    g_snprintf(times, sizeof times,
        markdown ? "%.3f | %.3f | %.2f | %.1f" : "%9.3f %9.3f %7.2f %9.1f", row->median,
        row->minimum, row->ratio, (double)line->points / row->minimum / 1e3);
  printf(markdown ? "| %s | %zu | %s | %s | %s | %s |\n" : "%-22s %8zu %-8s %-11s %7s %s\n",
      line->scans, line->points, line->clusters ? "yes" : "no", code, threads, times);
  fflush(stdout);
}

static json_t *row_json(const LidarRow *line)
{
  const BenchRow *row = &line->row;
  json_t *object = json_pack("{s:s, s:I, s:b, s:s, s:b, s:i, s:b, s:i}", "scans", line->scans,
      "points", (json_int_t)line->points, "clusters", line->clusters, "implementation", row->impl,
      "graph", row->graph, "threads", row->threads, "differs", row->differs, "runs", row->runs);
  if (row->runs == 0)
    return object;
  json_object_set_new(object, "median_ms", json_real(row->median));
  json_object_set_new(object, "minimum_ms", json_real(row->minimum));
  if (row->ratio > 0)
    json_object_set_new(object, "times_reference", json_real(row->ratio));
  return object;
}

static void print_json(const Bench *b)
{
  json_t *list = json_array();
  for (guint i = 0; i < b->rows->len; i++)
    json_array_append_new(list, row_json(&g_array_index(b->rows, LidarRow, i)));
  json_t *root =
      json_pack("{s:s, s:s, s:o}", "version", STX_VERSION, "compiler", __VERSION__, "rows", list);
  table_dump(stdout, root);
}

/* ---- Run ----------------------------------------------------------------------------------- */

/* Adds a scan's row to that of all. */
static void add_row(LidarRow *line, const BenchRow *row, size_t scans)
{
  const double share = 1 / (double)scans;
  BenchRow *sum = &line->row;
  bool differs = sum->differs || row->differs;
  int runs = sum->runs + row->runs;
  double median = sum->median + share * row->median, minimum = sum->minimum + share * row->minimum;
  double steps[LIDAR_STEPS];
  for (int step = 0; step < LIDAR_STEPS; step++)
    steps[step] = sum->steps[step] + share * row->steps[step];
  *sum = *row;
  sum->differs = differs;
  sum->runs = runs;
  sum->median = median;
  sum->minimum = minimum;
  memcpy(sum->steps, steps, sizeof steps);
}

bool lidar_time(const BenchContext *context, const LidarScans *scans, const StxGroundParams *params,
    int stepwise, LidarRow *rows, int *count, StxError *error)
{
  static BenchRow found[BENCH_MAX_ROWS];
  BenchContext each = *context;
  size_t points = 0;
  each.budget /= (double)scans->count;
  memset(rows, 0, BENCH_MAX_ROWS * sizeof *rows);
  for (size_t i = 0; i < scans->count; i++) {
    const BenchCase what = {
        .stage = BENCH_GROUND, .scan = &scans->scans[i], .ground = *params, .stepwise = stepwise};
    if (!bench_group(&each, &what, found, count, NULL, error))
      return false;
    points += scans->scans[i].count;
    for (int k = 0; k < *count; k++)
      add_row(&rows[k], &found[k], scans->count);
  }
  const BenchRow *last = &rows[*count - 1].row; /* the reference, if it was timed */
  double reference = strcmp(last->impl, "omp") == 0 && last->threads == 1 ? last->minimum : 0;
  for (int k = 0; k < *count; k++) {
    g_strlcpy(rows[k].scans, scans->name, sizeof rows[k].scans);
    rows[k].points = (points + scans->count / 2) / scans->count;
    rows[k].clusters = params->cluster_cell > 0;
    rows[k].row.ratio = rows[k].row.minimum > 0 ? reference / rows[k].row.minimum : 0;
  }
  return true;
}

static bool run_kind(Bench *b, const LidarScans *scans, bool clusters, StxError *error)
{
  StxGroundParams params = STX_GROUND_DEFAULTS;
  static LidarRow rows[BENCH_MAX_ROWS];
  int count;
  params.cluster_cell = clusters ? params.cluster_cell : 0;
  if (!lidar_time(&b->context, scans, &params, 0, rows, &count, error))
    return false;
  g_array_append_vals(b->rows, rows, (guint)count);
  for (int i = 0; i < count; i++) {
    b->differs |= rows[i].row.differs;
    if (b->options->format != BENCH_JSON)
      print_row(b->options->format, &rows[i]);
  }
  return true;
}

static bool run_table(Bench *b, StxError *error)
{
  if (b->options->format != BENCH_JSON)
    print_head(b);
  for (int i = 0; i < b->kind_count; i++)
    for (int clusters = 0; clusters < 2; clusters++)
      if (!run_kind(b, &b->kinds[i], clusters, error))
        return false;
  if (b->options->format == BENCH_JSON)
    print_json(b);
  return true;
}

static bool run_figures(Bench *b, StxError *error)
{
  char *path = g_build_filename(b->options->figures, "lidar-steps.csv", NULL);
  FILE *file = fopen(path, "w");
  bool good = file != NULL ? lidar_write_steps(file, &b->context, stx_threads(b->options->threads),
                                 &b->kinds[0], &b->differs, error)
                           : stx_fail(error, "%s: %s", path, g_strerror(errno));
  if (file != NULL && fclose(file) != 0 && good)
    good = stx_fail(error, "%s: %s", path, g_strerror(errno));
  g_free(path);
  return good;
}

static bool run_packets(Bench *b, StxError *error)
{
  LidarPacketsRow rows[2];
  const bool markdown = b->options->format == BENCH_MARKDOWN;
  if (!lidar_time_packets(b->options->milliseconds, rows, error))
    return false;
  printf(markdown
             ? "| packets of | packets | points | median ms | min ms | Mpoints/s | of a core at "
               "2.4 Mpoints/s |\n|---|--:|--:|--:|--:|--:|--:|\n"
             : "%-12s %8s %8s %10s %9s %10s  of a core at 2.4 Mpoints/s\n",
      "packets of", "packets", "points", "median ms", "min ms", "Mpoints/s");
  for (int i = 0; i < 2; i++)
    printf(markdown ? "| %s | %zu | %zu | %.3f | %.3f | %.1f | %.1f %% |\n"
                    : "%-12s %8zu %8zu %10.3f %9.3f %10.1f  %.1f %%\n",
        rows[i].sensor, rows[i].packets, rows[i].points, rows[i].median, rows[i].minimum,
        rows[i].rate, rows[i].share);
  return true;
}

static bool run_all(Bench *b, StxError *error)
{
  if (b->options->packets)
    return run_packets(b, error);
  return (b->options->figures != NULL ? run_figures : run_table)(b, error) &&
         (!b->differs ||
             stx_fail(error, "an implementation differs from the reference and was not timed"));
}

static bool run_bench(const Options *o, StxError *error)
{
  Bench b = {.options = o, .rows = g_array_new(FALSE, FALSE, sizeof(LidarRow))};
  bool open = !o->gpu || bench_device_open(&b.device, error), good = open;
  b.machine.device = o->gpu ? &b.device : NULL;
  b.machine.limits[0].threads = 1;
  b.machine.limits[1].threads = stx_threads(o->threads);
  b.machine.thread_counts = !o->cpu ? 0 : b.machine.limits[1].threads > 1 ? 2 : 1;
  b.context = (BenchContext){.machine = &b.machine,
      .budget = o->milliseconds,
      .gpu_warm_up = BENCH_GPU_WARM_UP_MS,
      .sets = o->sets};
  good = good && (o->packets || load_kinds(&b, error)) && run_all(&b, error);
  free_kinds(&b);
  if (o->gpu && open)
    bench_device_close(&b.device);
  g_array_free(b.rows, TRUE);
  return good;
}

/* ---- Command line -------------------------------------------------------------------------- */

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"scans", 0, 0, G_OPTION_ARG_FILENAME, &o->folder,
          "SemanticKITTI's layout, in place of the synthetic street", "FOLDER"},
      {"beams", 0, 0, G_OPTION_ARG_INT, &o->beams,
          "of the street's sensor (16, 32, 64 and 128, one after the other)", "N"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &o->frames, "at most N (0: all; street: 1)", "N"},
      {"backend", 0, 0, G_OPTION_ARG_STRING, &o->backend, "cpu (default), cuda or all", "B"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "besides 1 (0: all cores)", "N"},
      {"time", 0, 0, G_OPTION_ARG_INT, &o->milliseconds, "per implementation (600)", "MS"},
      {"sets", 0, 0, G_OPTION_ARG_INT, &o->sets,
          "of a scan in rotation on the GPU (0: more than its cache holds)", "N"},
      {"quick", 0, 0, G_OPTION_ARG_NONE, &o->quick, "60 ms each, 64 beams only", NULL},
      {"figures", 0, 0, G_OPTION_ARG_FILENAME, &o->figures,
          "no table, but lidar-steps.csv: experiments over points, sectors and bins", "FOLDER"},
      {"packets", 0, 0, G_OPTION_ARG_NONE, &o->packets,
          "in place of ground: sensors' packets to points, on one thread", NULL},
      {"markdown", 0, 0, G_OPTION_ARG_NONE, &o->markdown, "print a Markdown table", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("- times the ground segmentation of LiDAR scans");
  g_option_context_set_summary(context,
      "Every implementation that this machine can run must first give the labels of the\n"
      "reference, omp. Then all take turns, with and without clusters; printed are median and\n"
      "minimum, and the ratio of the reference's minimum (one thread) to this one.\n"
      "--figures: on 1 to all threads, whole and step by step, over shares of the points, numbers\n"
      "of sectors and of bins.");
  g_option_context_add_main_entries(context, entries, NULL);
  return context;
}

static bool check_numbers(const Options *o, StxError *error)
{
  if (o->threads < 0 || o->threads > 64)
    return stx_fail(error, "--threads=%d: must be 0 (all cores) to 64", o->threads);
  if (o->milliseconds < 1)
    return stx_fail(error, "--time=%d: must be at least 1", o->milliseconds);
  if (o->frames < 0 || o->frames > 100000)
    return stx_fail(error, "--frames=%d: must be 0 (all) to 100000", o->frames);
  if (o->beams < 0 || o->beams > STX_SCENE_MAX_BEAMS)
    return stx_fail(error, "--beams=%d: must be 0 (several) to %d", o->beams, STX_SCENE_MAX_BEAMS);
  if (o->figures != NULL && (o->gpu || o->json || o->markdown))
    return stx_fail(error, "--figures is for the CPU, and neither Markdown nor JSON");
  if (o->packets && (o->gpu || o->json || o->folder != NULL || o->figures != NULL))
    return stx_fail(error, "--packets is for the CPU and the street, as text or Markdown");
  if (o->folder != NULL && o->beams > 0)
    return stx_fail(error, "--beams is for the synthetic street; files bring their own");
  if (o->sets < 0 || o->sets > 1000)
    return stx_fail(error, "--sets=%d: must be 0 (as the cache asks for) to 1000", o->sets);
  return true;
}

static bool parse(Options *o, int argc, char **argv, StxError *error)
{
  static const char *const backends[] = {"cpu", "cuda", "all", NULL};
  if (!options_parse(make_context(o), &argc, &argv, error))
    return false;
  if (argc > 1)
    return stx_fail(error, "lidar: what is '%s'? A folder is --scans FOLDER", argv[1]);
  if (o->milliseconds == 0)
    o->milliseconds = o->quick ? 60 : 600;
  int backend = o->backend == NULL ? 0 : options_choose("backend", o->backend, backends, error);
  o->cpu = backend != 1;
  o->gpu = backend > 0;
  o->format = o->json ? BENCH_JSON : o->markdown ? BENCH_MARKDOWN : BENCH_TEXT;
  return backend >= 0 && check_numbers(o, error);
}

bool bench_lidar(int argc, char **argv, StxError *error)
{
  Options options = {0};
  bool good = parse(&options, argc, argv, error) && run_bench(&options, error);
  g_free(options.folder);
  g_free(options.backend);
  g_free(options.figures);
  return good;
}
