/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-bench: times every stage and implementation. See docs/benchmarks.md. */
#include "examples/stx-bench/stx_bench.h"

#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "examples/shared/options.h"

#define MAX_SIZES 8

typedef struct {
  BenchOptions common;
  bool stages[BENCH_STAGES];
  int sizes, width[MAX_SIZES], height[MAX_SIZES];
  char **size_texts, **lefts, **rights, *labels, *calibration;
  gboolean unchecked;
  int warm_up;
} Options;

typedef struct {
  const Options *options;
  BenchFormat format;
  BenchMachine machine;
  BenchDevice device;
  BenchContext context;
  GArray *rows; /* BenchRow */
  bool differs;
} Bench;

/* ---- The groups of one input -------------------------------------------------------------- */

static bool bench(Bench *b, const BenchCase *what, double *reference, StxError *error)
{
  BenchRow rows[BENCH_MAX_ROWS];
  int count;
  const bool on_cpu = what->stage >= BENCH_OBSTACLES && what->stage != BENCH_MOTION; /* alone */
  if (!b->options->stages[what->stage] || (on_cpu && !b->options->common.cpu))
    return true;
  const bool metric = what->stage >= BENCH_OBSTACLES && what->stage <= BENCH_MOTION;
  if (metric && !stx_camera_is_metric(&b->context.input->camera)) {
    fprintf(stderr, "%s of %s: left out, there are no metres without --calibration\n",
        bench_stage_name(what->stage), b->context.input->name);
    return true;
  }
  if (!bench_group(&b->context, what, rows, &count, reference, error))
    return false;
  g_array_append_vals(b->rows, rows, (guint)count);
  for (int i = 0; i < count; i++)
    b->differs |= rows[i].differs;
  if (b->format != BENCH_JSON)
    bench_print_rows(stdout, b->format, rows, count);
  return true;
}

/* Reduction, stixels, and both together, for one cell size and kind of input. */
static bool bench_cells(Bench *b, int cell, StxSemantics semantics, StxError *error)
{
  double colmean = 0, satdp = 0;
  BenchCase what = {.stage = BENCH_COLMEAN, .cell = cell, .semantics = semantics};
  if (!bench(b, &what, &colmean, error))
    return false;
  what.stage = BENCH_SATDP;
  if (!bench(b, &what, &satdp, error))
    return false;
  what.stage = BENCH_FULLDP;
  if (semantics != STX_SEMANTICS_SCORES_U8 && !bench(b, &what, NULL, error))
    return false;
  what.stage = BENCH_BOTH;
  what.reference = colmean > 0 && satdp > 0 ? colmean + satdp : 0;
  return bench(b, &what, NULL, error);
}

/* Columns of several lengths and kinds; the quick choice is one of each of two kinds. */
static bool bench_rdp(Bench *b, StxError *error)
{
  static const int rows[] = {256, 512, 1024, 4096};
  const bool quick = b->options->common.quick;
  for (size_t n = 0; n < (quick ? 1 : G_N_ELEMENTS(rows)); n++)
    for (BenchColumns kind = 0; kind < BENCH_COLUMNS_COUNT; kind++) {
      BenchCase what = {.stage = BENCH_RDP, .cell = 1, .rows = rows[n], .columns = kind};
      bool wanted = !quick || kind == BENCH_COLUMNS_AVERAGE || kind == BENCH_COLUMNS_NOISE;
      if (wanted && !bench(b, &what, NULL, error))
        return false;
    }
  return true;
}

static bool bench_input(Bench *b, const BenchInput *input, StxError *error)
{
  static const StxSemantics semantics[] = {
      STX_SEMANTICS_NONE, STX_SEMANTICS_LABELS, STX_SEMANTICS_SCORES_U8};
  const int smallest = b->options->common.quick ? 8 : 4;
  b->context.input = input;
  if (!bench(b, &(BenchCase){.stage = BENCH_RECTIFY}, NULL, error))
    return false;
  for (int paths = 4; paths <= (b->options->common.quick ? 4 : 8); paths += 4)
    for (int search = STX_SGM_FULL; search <= STX_SGM_COARSE_TO_FINE; search++)
      if (!bench(
              b, &(BenchCase){.stage = BENCH_SGM, .paths = paths, .search = search}, NULL, error))
        return false;
  for (int cell = 8; cell >= smallest; cell /= 2)
    for (size_t i = 0; i < G_N_ELEMENTS(semantics); i++)
      if (!bench_cells(b, cell, semantics[i], error))
        return false;
  if (!bench_rdp(b, error))
    return false;
  for (int cell = 8; cell >= smallest; cell /= 2)
    if (!bench(b, &(BenchCase){.stage = BENCH_PIPELINE, .cell = cell}, NULL, error))
      return false;
  for (int cell = 8; cell >= smallest; cell /= 2)
    if (!bench(b, &(BenchCase){.stage = BENCH_OVERLAY, .cell = cell}, NULL, error))
      return false;
  for (int cell = 8; cell >= smallest; cell /= 2)
    if (!bench(b, &(BenchCase){.stage = BENCH_OBSTACLES, .cell = cell}, NULL, error) ||
        !bench(b, &(BenchCase){.stage = BENCH_VELOCITIES, .cell = cell}, NULL, error))
      return false;
  return bench(b, &(BenchCase){.stage = BENCH_HAZARDS}, NULL, error) &&
         bench(b, &(BenchCase){.stage = BENCH_MOTION}, NULL, error) &&
         bench(b, &(BenchCase){.stage = BENCH_SCENE}, NULL, error);
}

static bool bench_inputs(Bench *b, StxError *error)
{
  const Options *o = b->options;
  BenchInput input;
  bool good = true;
  for (int i = 0; good && o->lefts != NULL && o->lefts[i] != NULL; i++) {
    if (!bench_input_files(&input, o->lefts[i], o->rights[i], o->labels, o->calibration, error))
      return false;
    good = bench_input(b, &input, error);
    bench_input_free(&input);
  }
  for (int i = 0; good && o->lefts == NULL && i < o->sizes; i++) {
    if (!bench_input_street(&input, o->width[i], o->height[i], error))
      return false;
    good = bench_input(b, &input, error);
    bench_input_free(&input);
  }
  return good;
}

/* Limits of what is to be timed. */
static bool open_machine(Bench *b, StxError *error)
{
  int all = stx_threads(b->options->common.threads);
  b->machine.thread_counts = !b->options->common.cpu ? 0 : all > 1 ? 2 : 1;
  for (int t = 0; t < b->machine.thread_counts; t++)
    b->machine.limits[t] = bench_limits(t == 0 ? 1 : all);
  if (!b->options->common.gpu)
    return true;
  if (!bench_device_open(&b->device, error))
    return false;
  b->machine.device = &b->device;
  return true;
}

static void close_machine(Bench *b)
{
  if (b->machine.device != NULL)
    bench_device_close(b->machine.device);
}

static bool run_groups(Bench *b, StxError *error)
{
  if (b->format != BENCH_JSON)
    bench_print_head(stdout, b->format, &b->machine);
  bool good = bench_inputs(b, error);
  if (good && b->format == BENCH_JSON)
    bench_print_json(
        stdout, &b->machine, (const BenchRow *)(void *)b->rows->data, (int)b->rows->len);
  if (good && b->differs)
    return stx_fail(error, "an implementation differs from the reference and was not timed");
  return good;
}

/* All groups of all inputs; also fails when an implementation differs from the reference. */
static bool run_bench(const Options *o, StxError *error)
{
  Bench b = {.options = o,
      .format = o->common.format,
      .context = {.budget = o->common.milliseconds,
          .warm_up = o->warm_up >= 0 ? o->warm_up : 0,
          .gpu_warm_up = o->warm_up >= 0 ? o->warm_up : BENCH_GPU_WARM_UP_MS,
          .sets = o->common.sets,
          .unchecked = o->unchecked},
      .rows = g_array_new(FALSE, FALSE, sizeof(BenchRow))};
  b.context.machine = &b.machine;
  bool good = open_machine(&b, error) && run_groups(&b, error);
  close_machine(&b);
  g_array_free(b.rows, TRUE);
  return good;
}

/* ---- Command line ------------------------------------------------------------------------- */

void bench_options_add(GOptionContext *context, BenchOptions *o, const char *quick)
{
  const GOptionEntry entries[] = {
      {"backend", 0, 0, G_OPTION_ARG_STRING, &o->backend, "cpu (default), cuda or all", "B"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "besides 1 (0: all cores)", "N"},
      {"time", 0, 0, G_OPTION_ARG_INT, &o->milliseconds, "per implementation (600)", "MS"},
      {"sets", 0, 0, G_OPTION_ARG_INT, &o->sets,
          "of inputs in rotation on the GPU (0: more than its cache holds)", "N"},
      {"quick", 0, 0, G_OPTION_ARG_NONE, &o->quick, quick, NULL},
      {"markdown", 0, 0, G_OPTION_ARG_NONE, &o->markdown, "print a Markdown table", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "print JSON", NULL},
      {NULL},
  };
  g_option_context_add_main_entries(context, entries, NULL);
}

bool bench_options_check(BenchOptions *o, StxError *error)
{
  static const char *const backends[] = {"cpu", "cuda", "all", NULL};
  int backend = o->backend == NULL ? 0 : options_choose("backend", o->backend, backends, error);
  if (backend < 0 || !options_check_threads(o->threads, error))
    return false;
  if (o->milliseconds == 0)
    o->milliseconds = o->quick ? 60 : 600;
  if (o->milliseconds < 1)
    return stx_fail(error, "--time=%d: must be at least 1", o->milliseconds);
  if (o->sets < 0 || o->sets > 1000)
    return stx_fail(error, "--sets=%d: must be 0 (as the cache asks for) to 1000", o->sets);
  o->cpu = backend != 1;
  o->gpu = backend > 0;
  o->format = o->json ? BENCH_JSON : o->markdown ? BENCH_MARKDOWN : BENCH_TEXT;
  return true;
}

static bool choose_stages(Options *o, int count, char **words, StxError *error)
{
  const bool all = count == 0;
  for (int i = 0; i < BENCH_STAGES; i++)
    o->stages[i] = all;
  for (int w = 0; w < count; w++) {
    bool known = false;
    for (int i = 0; i < BENCH_STAGES; i++)
      if (strcmp(words[w], "all") == 0 || strcmp(words[w], bench_stage_name(i)) == 0)
        o->stages[i] = known = true;
    if (!known)
      return stx_fail(error,
          "no stage '%s': choose from rectify, sgm, colmean, satdp, fulldp, rdp, colmean+satdp, "
          "pipeline, overlay, obstacles, velocities, hazards, motion, scene, all",
          words[w]);
  }
  return true;
}

static bool choose_sizes(Options *o, StxError *error)
{
  static const char *const standard[] = {"1242x375", "2048x1024", NULL};
  const char *const *texts = o->size_texts != NULL ? (const char *const *)o->size_texts : standard;
  const int most = o->common.quick && o->size_texts == NULL ? 1 : INT_MAX;
  for (; o->sizes < most && texts[o->sizes] != NULL; o->sizes++) {
    if (o->sizes == MAX_SIZES)
      return stx_fail(error, "--size: at most %d sizes", MAX_SIZES);
    if (!options_size(
            "size", texts[o->sizes], false, &o->width[o->sizes], &o->height[o->sizes], error))
      return false;
  }
  return true;
}

static bool check_options(const Options *o, StxError *error)
{
  guint lefts = o->lefts != NULL ? g_strv_length(o->lefts) : 0;
  if (lefts != (o->rights != NULL ? g_strv_length(o->rights) : 0))
    return stx_fail(error, "--left and --right belong together");
  if (lefts != 1 && (o->labels != NULL || o->calibration != NULL))
    return stx_fail(error, "--labels and --calibration belong to one --left and --right");
  if (lefts > 0 && o->size_texts != NULL)
    return stx_fail(error, "--size is for the synthetic street; files bring their own");
  if (o->warm_up < -1)
    return stx_fail(error, "--warm-up=%d: must be at least 0", o->warm_up);
  return true;
}

static GOptionContext *make_context(Options *o)
{
  const GOptionEntry entries[] = {
      {"size", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->size_texts,
          "of the synthetic street, may be repeated (1242x375 and 2048x1024)", "WxH"},
      {"left", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->lefts,
          "a picture instead of the street, may be repeated", "PNG"},
      {"right", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->rights, "its right one", "PNG"},
      {"labels", 0, 0, G_OPTION_ARG_FILENAME, &o->labels, "its Cityscapes label ids", "PNG"},
      {"calibration", 0, 0, G_OPTION_ARG_FILENAME, &o->calibration, "its camera", "FILE"},
      {"warm-up", 0, 0, G_OPTION_ARG_INT, &o->warm_up, "before that (CPU: 0; GPU: 100)", "MS"},
      {"unchecked", 0, 0, G_OPTION_ARG_NONE, &o->unchecked,
          "on the CPU without the reference, and without omp beside vectors", NULL},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("[STAGE...] - times stages and implementations");
  g_option_context_set_summary(context,
      "STAGE: rectify, sgm, colmean, satdp, fulldp, rdp, colmean+satdp, pipeline, overlay,\n"
      "obstacles, velocities, hazards, motion, scene, or all (default). Every implementation\n"
      "that this machine can run must first give the bytes of the reference, omp. Then all take\n"
      "turns; printed are median and minimum, the ratio of the reference's median (one thread) to\n"
      "this one, and the rate against the limit that was measured at the start. The first GPU\n"
      "runs every stage twice: launched kernel by kernel, and replayed as a graph\n"
      "(motion, of which the host does a part, once).");
  g_option_context_set_description(context,
      "Examples:\n"
      "  stx-bench --quick\n"
      "  stx-bench satdp colmean --size 2048x1024\n"
      "  stx-bench --backend cuda --markdown\n"
      "  stx-bench frames --help                 whole pipelines\n"
      "  stx-bench lidar --help\n"
      "  stx-bench all --markdown > table.md\n");
  g_option_context_add_main_entries(context, entries, NULL);
  bench_options_add(context, &o->common, "60 ms each: 1242x375, 4 paths and cells of 8x8 only");
  return context;
}

static bool parse(Options *o, int argc, char **argv, StxError *error)
{
  if (!options_parse(make_context(o), &argc, &argv, error))
    return false;
  return choose_stages(o, argc - 1, argv + 1, error) && bench_options_check(&o->common, error) &&
         choose_sizes(o, error) && check_options(o, error);
}

int main(int argc, char **argv)
{
  Options options = {.warm_up = -1};
  StxError error = {""};
  setlocale(LC_CTYPE, "");
  bool lidar = argc > 1 && strcmp(argv[1], "lidar") == 0;
  bool frames = argc > 1 && strcmp(argv[1], "frames") == 0;
  g_set_prgname(lidar    ? "stx-bench lidar" /* as --help calls it */
                : frames ? "stx-bench frames"
                         : "stx-bench");
  bool good = lidar    ? bench_lidar(argc - 1, argv + 1, &error)
              : frames ? bench_frames(argv[0], argc - 1, argv + 1, &error)
                       : parse(&options, argc, argv, &error) && run_bench(&options, &error);
  if (!good)
    fprintf(stderr, "stx-bench: %s\n", error.text);
  g_strfreev(options.size_texts);
  g_strfreev(options.lefts);
  g_strfreev(options.rights);
  g_free(options.labels);
  g_free(options.calibration);
  g_free(options.common.backend);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
