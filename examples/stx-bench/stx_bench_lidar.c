/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-bench lidar: how fast a scan becomes ground and obstacles. */
#include "examples/stx-bench/stx_bench.h"

#include <stdlib.h>
#include <string.h>

#include "examples/shared/options.h"
#include "examples/shared/table.h"

#define SEED 1
#define MAX_KINDS 8

/* Scans of one kind, all owned. */
typedef struct {
  char name[64];
  size_t count;
  LidarScan *scans;
} LidarScans;

/* One line of the result. Times are per scan: means over the scans of each one's median or minimum;
 * the ratio is that of the minima. */
typedef struct {
  BenchRow row;
  char scans[64];
  size_t points; /* of a scan, mean */
  bool clusters;
} LidarRow;

typedef struct {
  BenchOptions common;
  char *folder;
  int beams, frames;
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
  if (o->folder != NULL)
    return load_folder(b, error);
  if (o->beams > 0 || o->common.quick)
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
  bench_print_machine(stdout, b->options->common.format, &shown);
  if (b->options->common.format == BENCH_MARKDOWN)
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
  *sum = *row;
  sum->differs = differs;
  sum->runs = runs;
  sum->median = median;
  sum->minimum = minimum;
}

/* Runs, checks and times all implementations on every scan; writes up to BENCH_MAX_ROWS rows and
 * their number. */
static bool time_scans(const BenchContext *context, const LidarScans *scans,
    const StxGroundParams *params, LidarRow *rows, int *count, StxError *error)
{
  static BenchRow found[BENCH_MAX_ROWS];
  BenchContext each = *context;
  size_t points = 0;
  each.budget /= (double)scans->count;
  memset(rows, 0, BENCH_MAX_ROWS * sizeof *rows);
  for (size_t i = 0; i < scans->count; i++) {
    const BenchCase what = {.stage = BENCH_GROUND, .scan = &scans->scans[i], .ground = *params};
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
  if (!time_scans(&b->context, scans, &params, rows, &count, error))
    return false;
  g_array_append_vals(b->rows, rows, (guint)count);
  for (int i = 0; i < count; i++) {
    b->differs |= rows[i].row.differs;
    if (b->options->common.format != BENCH_JSON)
      print_row(b->options->common.format, &rows[i]);
  }
  return true;
}

static bool run_table(Bench *b, StxError *error)
{
  if (b->options->common.format != BENCH_JSON)
    print_head(b);
  for (int i = 0; i < b->kind_count; i++)
    for (int clusters = 0; clusters < 2; clusters++)
      if (!run_kind(b, &b->kinds[i], clusters, error))
        return false;
  if (b->options->common.format == BENCH_JSON)
    print_json(b);
  return true;
}

static bool run_all(Bench *b, StxError *error)
{
  return run_table(b, error) &&
         (!b->differs ||
             stx_fail(error, "an implementation differs from the reference and was not timed"));
}

static bool run_bench(const Options *o, StxError *error)
{
  Bench b = {.options = o, .rows = g_array_new(FALSE, FALSE, sizeof(LidarRow))};
  bool open = !o->common.gpu || bench_device_open(&b.device, error), good = open;
  b.machine.device = o->common.gpu ? &b.device : NULL;
  b.machine.limits[0].threads = 1;
  b.machine.limits[1].threads = stx_threads(o->common.threads);
  b.machine.thread_counts = !o->common.cpu ? 0 : b.machine.limits[1].threads > 1 ? 2 : 1;
  b.context = (BenchContext){.machine = &b.machine,
      .budget = o->common.milliseconds,
      .gpu_warm_up = BENCH_GPU_WARM_UP_MS,
      .sets = o->common.sets};
  good = good && load_kinds(&b, error) && run_all(&b, error);
  free_kinds(&b);
  if (o->common.gpu && open)
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
      {NULL},
  };
  GOptionContext *context = g_option_context_new("- times the ground segmentation of LiDAR scans");
  g_option_context_set_summary(context,
      "Every implementation that this machine can run must first give the labels of the\n"
      "reference, omp. Then all take turns, with and without clusters; printed are median and\n"
      "minimum, and the ratio of the reference's minimum (one thread) to this one.");
  g_option_context_add_main_entries(context, entries, NULL);
  bench_options_add(context, &o->common, "60 ms each, 64 beams only");
  return context;
}

static bool check_numbers(const Options *o, StxError *error)
{
  if (o->frames < 0 || o->frames > 100000)
    return stx_fail(error, "--frames=%d: must be 0 (all) to 100000", o->frames);
  if (o->beams < 0 || o->beams > STX_SCENE_MAX_BEAMS)
    return stx_fail(error, "--beams=%d: must be 0 (several) to %d", o->beams, STX_SCENE_MAX_BEAMS);
  if (o->folder != NULL && o->beams > 0)
    return stx_fail(error, "--beams is for the synthetic street; files bring their own");
  return true;
}

static bool parse(Options *o, int argc, char **argv, StxError *error)
{
  if (!options_parse(make_context(o), &argc, &argv, error))
    return false;
  if (argc > 1)
    return stx_fail(error, "lidar: what is '%s'? A folder is --scans FOLDER", argv[1]);
  return bench_options_check(&o->common, error) && check_numbers(o, error);
}

bool bench_lidar(int argc, char **argv, StxError *error)
{
  Options options = {0};
  bool good = parse(&options, argc, argv, error) && run_bench(&options, error);
  g_free(options.folder);
  g_free(options.common.backend);
  return good;
}
