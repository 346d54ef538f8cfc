/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every usable implementation runs once and must give the bytes of the reference; those that do
 * are then timed in turns, round after round, so that whatever else the machine does hits all of
 * them alike. Slow ones take part in fewer rounds, evenly spread.
 */
#include "examples/stx_bench_group.h"

#include <stdlib.h>
#include <string.h>

#define MIN_RUNS 3
#define SLOW_MS 1000 /* one run of this length is enough */

/*
 * Nominal operations of the tables' Gop/s; implementations may do fewer or more.
 *   sgm    per pixel and candidate: 8 for each path (a difference, two sums, three minima, the
 *          running minimum, the sum over the paths) and 8 for costs and both views' winners
 *   satdp  per evaluated pair: 20 (mean of the three kinds), and 2 per class, of which each
 *          belongs to one kind of three
 */
#define SGM_PATH_OPS 8
#define SGM_OTHER_OPS 8
#define SATDP_OPS 20
#define SATDP_CLASS_OPS (2.0 / 3)

static const char *const names[] = {
    [BENCH_SGM] = "sgm",
    [BENCH_COLMEAN] = "colmean",
    [BENCH_SATDP] = "satdp",
    [BENCH_BOTH] = "colmean+satdp",
    [BENCH_PIPELINE] = "pipeline",
    [BENCH_OVERLAY] = "overlay",
    [BENCH_SCENE] = "scene",
};

const char *bench_stage_name(BenchStage stage)
{
  return names[stage];
}

static double pixels_of(const Group *g)
{
  return (double)g->context->input->width * g->context->input->height;
}

/* What there is to compare after a run: nothing for stages that have no reference. */
static void set_outputs(Group *g)
{
  size_t pixels = (size_t)pixels_of(g);
  switch (g->what->stage) {
  case BENCH_SGM:
    g->output[0].data = g->disparity.data;
    g->output[0].size = 2 * pixels;
    g->output[1].data = g->confidence.data;
    g->output[1].size = pixels;
    break;
  case BENCH_COLMEAN:
    g->output[0].data = g->columns;
    g->output[0].size = stx_grid_bytes(&g->colmean.grid);
    break;
  case BENCH_SATDP:
    g->output[0].data = g->stixels;
    g->output[0].size = g->stixel_count * sizeof *g->stixels;
    break;
  case BENCH_OVERLAY:
    g->output[0].data = g->picture.data;
    g->output[0].size = 4 * pixels;
    break;
  default:
    break;
  }
}

/* ---- Checking ----------------------------------------------------------------------------- */

static bool keep_expected(Group *g, StxError *error)
{
  for (int i = 0; i < 2; i++) {
    g->output[i].expected = malloc(g->output[i].size + 1);
    if (g->output[i].expected == NULL)
      return stx_fail(error, "not enough memory to keep the reference's result");
    g->output[i].expected_size = g->output[i].size;
    if (g->output[i].size > 0)
      memcpy(g->output[i].expected, g->output[i].data, g->output[i].size);
  }
  return true;
}

static bool equals_expected(const Group *g)
{
  for (int i = 0; i < 2; i++)
    if (g->output[i].size != g->output[i].expected_size ||
        (g->output[i].size > 0 &&
            memcmp(g->output[i].expected, g->output[i].data, g->output[i].size) != 0))
      return false;
  return true;
}

/* Runs every entry once, the reference first; this warms up, too. Old results are wiped, so that
 * an implementation that writes nothing is found out, and all draw on the same background. */
static bool check_all(Group *g, StxError *error)
{
  set_outputs(g);
  for (int i = g->count - 1; i >= 0; i--) {
    for (int k = 0; k < 2; k++)
      if (g->output[k].data != NULL)
        memset(g->output[k].data, 0xA5, g->output[k].size);
    g->entries[i].first = group_run(g, &g->entries[i]);
    set_outputs(g);
    if (i == g->count - 1 && !keep_expected(g, error))
      return false;
    g->entries[i].differs = !equals_expected(g);
  }
  return true;
}

/* ---- Timing ------------------------------------------------------------------------------- */

static void plan(Group *g)
{
  for (int i = 0; i < g->count; i++) {
    Entry *entry = &g->entries[i];
    double runs = g->context->budget / (entry->first > 1e-3 ? entry->first : 1e-3);
    int least = entry->first > SLOW_MS ? 1 : MIN_RUNS;
    entry->wanted = entry->differs    ? 0
                    : runs > MAX_RUNS ? MAX_RUNS
                    : runs < least    ? least
                                      : (int)runs;
  }
}

static void time_all(Group *g)
{
  for (int round = 0; round < MAX_RUNS; round++)
    for (int i = 0; i < g->count; i++) {
      Entry *entry = &g->entries[i];
      int due = (round + 1) * entry->wanted / MAX_RUNS;
      if (entry->runs < due)
        entry->ms[entry->runs++] = group_run(g, entry);
    }
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ---- Rows --------------------------------------------------------------------------------- */

static double share(const Group *g)
{
  return g->what->stage == BENCH_SATDP && g->stats.pairs > 0
             ? (double)g->stats.evaluated / (double)g->stats.pairs
             : -1;
}

/* 10⁹ units of work of one run, in the unit that *row then names. */
static double work(const Group *g, const BenchLimits *limits, BenchRow *row)
{
  const StxGrid *grid = &g->colmean.grid;
  switch (g->what->stage) {
  case BENCH_SGM:
    row->unit = "Gop/s";
    row->limit = limits->add8;
    return pixels_of(g) * g->sgm.max_disparity * (SGM_PATH_OPS * g->sgm.paths + SGM_OTHER_OPS) /
           1e9;
  case BENCH_COLMEAN: {
    int semantics = g->what->semantics == STX_SEMANTICS_LABELS ? 1 : grid->classes;
    row->unit = "GB/s";
    row->limit = limits->copy;
    return (pixels_of(g) * (3 + semantics) + (double)stx_grid_bytes(grid)) / 1e9;
  }
  case BENCH_SATDP:
    row->unit = "Gop/s";
    row->limit = limits->mul_add;
    return (double)g->stats.evaluated * (SATDP_OPS + SATDP_CLASS_OPS * grid->classes) / 1e9;
  default:
    return 0;
  }
}

static const char *input_name(const BenchCase *what)
{
  static const char *const semantics[] = {
      [STX_SEMANTICS_NONE] = "depth only",
      [STX_SEMANTICS_LABELS] = "label image",
      [STX_SEMANTICS_SCORES_U8] = "8-bit scores",
  };
  switch (what->stage) {
  case BENCH_SGM:
    return what->paths == 8 ? "8 paths" : "4 paths";
  case BENCH_OVERLAY:
    return "RGBA";
  case BENCH_SCENE:
    return "RGB";
  default:
    return semantics[what->semantics];
  }
}

static BenchRow make_row(const Group *g, Entry *entry, double reference)
{
  bool has_cells = g->what->stage != BENCH_SGM && g->what->stage != BENCH_SCENE;
  BenchRow row = {.stage = g->what->stage,
      .impl =
          g->what->stage == BENCH_PIPELINE || g->what->stage == BENCH_BOTH ? "best" : entry->name,
      .input = input_name(g->what),
      .threads = entry->threads,
      .width = g->context->input->width,
      .height = g->context->input->height,
      .cell = has_cells ? g->colmean.grid.cell_width : 0,
      .classes = g->colmean.grid.classes,
      .differs = entry->differs,
      .runs = entry->runs,
      .unit = "",
      .share = -1};
  if (entry->runs == 0)
    return row;
  qsort(entry->ms, (size_t)entry->runs, sizeof *entry->ms, compare);
  row.median = entry->ms[entry->runs / 2];
  row.minimum = entry->ms[0];
  row.ratio = reference / row.median;
  return row;
}

/* Rates and shares need the statistics of the entry's own run: one more, untimed. */
static void add_rate(Group *g, const Entry *entry, BenchRow *row)
{
  if (row->differs)
    return;
  if (g->what->stage == BENCH_SATDP)
    group_run(g, entry);
  row->share = share(g);
  row->rate = work(g, g->context->limits[entry->limits], row) / (row->median / 1e3);
}

bool bench_group(const BenchContext *context, const BenchCase *what, BenchRow *rows, int *count,
    double *reference, StxError *error)
{
  Group *g = group_open(context, what, error);
  if (g == NULL)
    return false;
  bool good = check_all(g, error);
  if (good) {
    plan(g);
    time_all(g);
    double base = what->reference;
    if (what->stage <= BENCH_OVERLAY) /* the last entry is the reference */
      base = make_row(g, &g->entries[g->count - 1], 0).median;
    for (int i = 0; i < g->count; i++) {
      rows[i] = make_row(g, &g->entries[i], base);
      add_rate(g, &g->entries[i], &rows[i]);
    }
    *count = g->count;
    if (reference != NULL)
      *reference = base;
  }
  group_close(g);
  return good;
}
