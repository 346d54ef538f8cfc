/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-bench lidar: how fast a scan becomes ground and obstacles. */
#include "examples/stx-bench/stx_bench.h"

#include <stdlib.h>
#include <string.h>

#include "examples/shared/options.h"

#define SEED 1
#define MAX_KINDS 8

/* Scans of one kind, all owned. */
typedef struct {
  char name[64];
  size_t count;
  LidarScan *scans;
} LidarScans;

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
  GArray *rows; /* BenchRow; times are per scan */
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

/* ---- Run ----------------------------------------------------------------------------------- */

/* Adds a scan's row to the means over all scans. */
static void add_row(BenchRow *sum, const BenchRow *row, size_t scans)
{
  const double share = 1 / (double)scans;
  bool differs = sum->differs || row->differs;
  int runs = sum->runs + row->runs;
  double median = sum->median + share * row->median, minimum = sum->minimum + share * row->minimum;
  *sum = *row;
  sum->differs = differs;
  sum->runs = runs;
  sum->median = median;
  sum->minimum = minimum;
}

/* All implementations on every scan of a kind, with or without clusters. Ratio and rate are those
 * of the minima. */
static bool run_kind(Bench *b, const LidarScans *scans, bool clusters, StxError *error)
{
  static BenchRow found[BENCH_MAX_ROWS], rows[BENCH_MAX_ROWS];
  BenchContext each = b->context;
  BenchCase what = {
      .stage = clusters ? BENCH_CLUSTERS : BENCH_GROUND, .ground = STX_GROUND_DEFAULTS};
  size_t points = 0;
  int count = 0;
  what.ground.cluster_cell = clusters ? what.ground.cluster_cell : 0;
  each.budget /= (double)scans->count;
  memset(rows, 0, sizeof rows);
  for (size_t i = 0; i < scans->count; i++) {
    what.scan = &scans->scans[i];
    if (!bench_group(&each, &what, found, &count, NULL, error))
      return false;
    points += scans->scans[i].count;
    for (int k = 0; k < count; k++)
      add_row(&rows[k], &found[k], scans->count);
  }
  const BenchRow *last = &rows[count - 1]; /* the reference, if it was timed */
  double reference = strcmp(last->impl, "omp") == 0 && last->threads == 1 ? last->minimum : 0;
  points = (points + scans->count / 2) / scans->count;
  for (int k = 0; k < count; k++) {
    rows[k].input = scans->name;
    rows[k].width = (int)points;
    rows[k].ratio = rows[k].minimum > 0 ? reference / rows[k].minimum : 0;
    rows[k].rate = rows[k].minimum > 0 ? (double)points / rows[k].minimum / 1e3 : 0;
    rows[k].unit = "Mpoints/s";
    b->differs |= rows[k].differs;
  }
  g_array_append_vals(b->rows, rows, (guint)count);
  if (b->options->common.format != BENCH_JSON)
    bench_print_rows(stdout, b->options->common.format, rows, count);
  return true;
}

static bool run_table(Bench *b, StxError *error)
{
  const BenchMachine shown = {.device = b->machine.device}; /* there are no limits of the CPU */
  if (b->options->common.format != BENCH_JSON)
    bench_print_head(stdout, b->options->common.format, &shown);
  for (int i = 0; i < b->kind_count; i++)
    for (int clusters = 0; clusters < 2; clusters++)
      if (!run_kind(b, &b->kinds[i], clusters, error))
        return false;
  if (b->options->common.format == BENCH_JSON)
    bench_print_json(stdout, &shown, (const BenchRow *)(void *)b->rows->data, (int)b->rows->len);
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
  Bench b = {.options = o, .rows = g_array_new(FALSE, FALSE, sizeof(BenchRow))};
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
