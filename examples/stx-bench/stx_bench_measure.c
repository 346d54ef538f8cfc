/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every usable implementation runs once and must give the bytes of the reference; those that do
 * are then timed in turns, round after round, so that whatever else the machine does hits all of
 * them alike. Slow ones take part in fewer rounds, evenly spread. The GPU's take turns among
 * themselves: while the CPU computes for a second, a GPU lowers its clocks.
 */
#include "examples/stx-bench/stx_bench_group.h"

#include <stdlib.h>
#include <string.h>

#define MIN_RUNS 3
#define SLOW_MS 1000 /* one run of this length is enough */
#define LONGER 3     /* than the budget at most, where later runs take longer than the first */
#define WIPED 0xA5   /* what old results are overwritten with */

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
    [BENCH_FULLDP] = "fulldp",
    [BENCH_RDP] = "rdp",
    [BENCH_BOTH] = "colmean+satdp",
    [BENCH_PIPELINE] = "pipeline",
    [BENCH_RECTIFY] = "rectify",
    [BENCH_OVERLAY] = "overlay",
    [BENCH_OBSTACLES] = "obstacles",
    [BENCH_VELOCITIES] = "velocities",
    [BENCH_MOTION] = "motion",
    [BENCH_HAZARDS] = "hazards",
    [BENCH_SCENE] = "scene",
    [BENCH_GROUND] = "ground",
};

const char *bench_stage_name(BenchStage stage)
{
  return names[stage];
}

/* Without what lies between the fields. */
static void list_numbers(Group *g)
{
  const StxGroundResult *r = &g->ground_result;
  const double numbers[] = {r->ground, r->obstacles, r->outside, r->lines, r->clusters, r->measured,
      (double)r->height, (double)r->slope_x, (double)r->slope_y};
  _Static_assert(sizeof numbers == sizeof g->ground_numbers, "one for each field");
  memcpy(g->ground_numbers, numbers, sizeof numbers);
}

static double pixels_of(const Group *g)
{
  return (double)g->context->input->width * g->context->input->height;
}

/* The outputs to compare after a run: nothing for stages that have no reference. */
static void set_outputs(Group *g)
{
  size_t pixels = g->context->input != NULL ? (size_t)pixels_of(g) : 0;
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
  case BENCH_FULLDP:
  case BENCH_RDP:
  case BENCH_BOTH:
  case BENCH_PIPELINE:
    g->output[0].data = g->stixels;
    g->output[0].size = g->stixel_count * sizeof *g->stixels;
    break;
  case BENCH_RECTIFY:
    g->output[0].data = g->confidence.data;
    g->output[0].size = pixels;
    break;
  case BENCH_OVERLAY:
    g->output[0].data = g->picture.data;
    g->output[0].size = 4 * pixels;
    break;
  case BENCH_GROUND:
    list_numbers(g);
    g->output[0].data = g->labels;
    g->output[0].size = g->what->scan->count * sizeof *g->labels;
    g->output[1].data = g->ground_numbers;
    g->output[1].size = sizeof g->ground_numbers;
    break;
  default:
    break;
  }
}

/* ---- Checking ----------------------------------------------------------------------------- */

/* The reference is the last entry, where there is one. */
static bool has_reference(const Group *g)
{
  return g->count > 0 && g->entries[g->count - 1].reference;
}

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

/* Old results are wiped, so that an implementation that writes nothing is found out, and all draw
 * on the same background. */
static void wipe(Group *g)
{
  for (int k = 0; k < 2; k++)
    if (g->output[k].data != NULL)
      memset(g->output[k].data, WIPED, g->output[k].size);
  memset(&g->ground_result, WIPED, sizeof g->ground_result);
}

/* All input sets hold the same, so all results must. The first run loads kernels, or records. */
static bool check_gpu(Group *g, Entry *entry, StxError *error)
{
  double ms;
  if (!cuda_group_run(g, entry, &ms, error) || !cuda_group_wipe(g, WIPED, error) ||
      !cuda_group_run(g, entry, &ms, error))
    return false;
  entry->first = ms * cuda_group_sets(g);
  for (int set = 0; set < cuda_group_sets(g); set++) {
    wipe(g);
    if (!cuda_group_fetch(g, set, error))
      return false;
    set_outputs(g);
    entry->differs |= !equals_expected(g);
  }
  return true;
}

static bool check_cpu(Group *g, Entry *entry, StxError *error)
{
  wipe(g);
  if (!group_run(g, entry, &entry->first, error))
    return false;
  set_outputs(g);
  if (entry->reference && !keep_expected(g, error))
    return false;
  entry->differs = has_reference(g) && !equals_expected(g);
  return true;
}

/* Runs every entry once, the reference first; this warms up, too. */
static bool check_all(Group *g, StxError *error)
{
  set_outputs(g);
  for (int i = g->count - 1; i >= 0; i--) {
    Entry *entry = &g->entries[i];
    if (!(entry->where == ON_CPU ? check_cpu : check_gpu)(g, entry, error))
      return false;
  }
  return true;
}

/* ---- Timing ------------------------------------------------------------------------------- */

/* Runs an entry for `budget` ms; the last of the runs tells how long one takes. */
static bool warm_up(Group *g, Entry *entry, double budget, StxError *error)
{
  double begin = now_ms(), ms;
  for (double last = begin; last - begin < budget;) {
    if (!group_run(g, entry, &ms, error))
      return false;
    entry->first = now_ms() - last;
    last = now_ms();
  }
  return true;
}

static int runs_within(const Entry *entry, double budget)
{
  double runs = budget / (entry->first > 1e-3 ? entry->first : 1e-3);
  int least = entry->first > SLOW_MS ? 1 : MIN_RUNS;
  return runs > MAX_RUNS ? MAX_RUNS : runs < least ? least : (int)runs;
}

/*
 * Threads fall asleep while others take their turns, and on a busy machine it takes long until all
 * are awake: before a scan, which takes little, goes an untimed run. The steps of the fastest run
 * count: their sum is a time that something took.
 */
static bool time_once(Group *g, Entry *entry, StxError *error)
{
  double *ms = &entry->ms[entry->runs];
  if (g->what->stage == BENCH_GROUND && entry->where == ON_CPU && !group_run(g, entry, ms, error))
    return false;
  if (!group_run(g, entry, ms, error))
    return false;
  if (entry->runs == 0 || *ms < entry->least) {
    entry->least = *ms;
    memcpy(entry->step_ms, g->step_ms, sizeof entry->step_ms);
  }
  entry->runs++;
  entry->spent += *ms;
  return true;
}

/* Is it an entry's turn in a round? */
static bool is_due(const Entry *entry, int round, double budget)
{
  bool enough = entry->spent > LONGER * budget && entry->runs >= MIN_RUNS;
  return entry->runs < (round + 1) * entry->wanted / MAX_RUNS && !enough;
}

static bool time_entries(Group *g, Entry *const *entries, int count, double budget, StxError *error)
{
  for (int i = 0; i < count; i++) {
    if (!warm_up(g, entries[i], budget, error))
      return false;
    entries[i]->wanted = runs_within(entries[i], g->context->budget);
  }
  for (int round = 0; round < MAX_RUNS; round++)
    for (int i = 0; i < count; i++) {
      Entry *entry = entries[i];
      if (is_due(entry, round, g->context->budget) && !time_once(g, entry, error))
        return false;
    }
  return true;
}

static bool time_all(Group *g, StxError *error)
{
  Entry *cpu[BENCH_MAX_ROWS], *gpu[BENCH_MAX_ROWS];
  int cpu_count = 0, gpu_count = 0;
  for (int i = 0; i < g->count; i++) {
    Entry *entry = &g->entries[i];
    if (!entry->timed || entry->differs)
      continue;
    if (entry->where == ON_CPU)
      cpu[cpu_count++] = entry;
    else
      gpu[gpu_count++] = entry;
  }
  return time_entries(g, cpu, cpu_count, g->context->warm_up, error) &&
         time_entries(g, gpu, gpu_count, g->context->gpu_warm_up, error);
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ---- Rows --------------------------------------------------------------------------------- */

static bool has_pairs(const Group *g)
{
  return g->what->stage == BENCH_SATDP || g->what->stage == BENCH_FULLDP;
}

static double share(const Group *g)
{
  if (!has_pairs(g))
    return -1;
  return (double)g->satdp_result.evaluated /
         (double)stx_satdp_pairs(&g->satdp.grid, g->satdp_tables.has_ground);
}

/* Of all pixels; or of all levels' lines: every level has a quarter of the pixels of the last. */
static double sgm_candidates(const Group *g)
{
  double pixels = pixels_of(g), all = 0;
  if (g->sgm.search == STX_SGM_FULL)
    return pixels * g->sgm.max_disparity;
  for (int levels = stx_sgm_coarse_levels(g->sgm.max_disparity); levels > 0; levels--, pixels /= 4)
    all += 2 * STX_SGM_COARSE_WINDOW * pixels / STX_SGM_COARSE_STEP;
  return all;
}

/* 10⁹ units of work of one run, in the unit that *row then names. */
static double cpu_work(const Group *g, const BenchLimits *limits, BenchRow *row)
{
  const StxGrid *grid = &g->colmean.grid;
  switch (g->what->stage) {
  case BENCH_SGM:
    row->unit = "Gop/s";
    row->limit = limits->add8;
    return sgm_candidates(g) * (SGM_PATH_OPS * g->sgm.paths + SGM_OTHER_OPS) / 1e9;
  case BENCH_COLMEAN: {
    int semantics = g->what->semantics == STX_SEMANTICS_LABELS ? 1 : grid->classes;
    row->unit = "GB/s";
    row->limit = limits->copy;
    return (pixels_of(g) * (3 + semantics) + (double)stx_grid_bytes(grid)) / 1e9;
  }
  case BENCH_RDP:
    row->unit = "GB/s";
    row->limit = limits->copy;
    return ((double)stx_grid_bytes(grid) + (double)(g->stixel_count * sizeof *g->stixels)) / 1e9;
  case BENCH_RECTIFY:
    row->unit = "GB/s";
    row->limit = limits->copy;
    return (2 * pixels_of(g) + (double)g->map_size) / 1e9;
  case BENCH_SATDP:
    row->unit = "Gop/s";
    row->limit = limits->mul_add;
    return (double)g->satdp_result.evaluated * (SATDP_OPS + SATDP_CLASS_OPS * grid->classes) / 1e9;
  default:
    return 0;
  }
}

/* The GPU's limit is its memory, for all stages; the pipeline's rate is in frames. */
static double gpu_work(const Group *g, BenchRow *row)
{
  if (g->what->stage == BENCH_PIPELINE || g->what->stage == BENCH_GROUND ||
      g->what->stage == BENCH_MOTION)
    return 0;
  row->unit = "GB/s";
  row->limit = g->context->machine->device->copy;
  return cuda_group_bytes(g) / 1e9;
}

static const char *input_name(const BenchCase *what)
{
  static const char *const semantics[] = {
      [STX_SEMANTICS_NONE] = "depth only",
      [STX_SEMANTICS_LABELS] = "label image",
      [STX_SEMANTICS_SCORES_U8] = "8-bit scores",
  };
  static const char *const columns[] = {
      [BENCH_COLUMNS_BEST] = "best",
      [BENCH_COLUMNS_AVERAGE] = "average",
      [BENCH_COLUMNS_WORST] = "worst",
      [BENCH_COLUMNS_NOISE] = "noise",
  };
  switch (what->stage) {
  case BENCH_SGM:
    if (what->search == STX_SGM_COARSE_TO_FINE)
      return what->paths == 8 ? "8 paths, coarse to fine" : "4 paths, coarse to fine";
    return what->paths == 8 ? "8 paths" : "4 paths";
  case BENCH_RDP:
    return columns[what->columns];
  case BENCH_RECTIFY:
    return "GRAY8";
  case BENCH_OVERLAY:
    return "RGBA";
  case BENCH_OBSTACLES:
    return "stixels";
  case BENCH_VELOCITIES:
    return "points";
  case BENCH_MOTION:
    return "GRAY8, disparity";
  case BENCH_HAZARDS:
    return "GRAY8";
  case BENCH_SCENE:
    return "RGB";
  case BENCH_GROUND:
    return "points";
  default:
    return semantics[what->semantics];
  }
}

static BenchRow make_row(const Group *g, Entry *entry, double reference)
{
  BenchStage stage = g->what->stage;
  bool has_cells = stage != BENCH_SGM && stage != BENCH_RECTIFY && stage != BENCH_MOTION &&
                   stage != BENCH_HAZARDS && stage != BENCH_SCENE;
  BenchRow row = {.stage = g->what->stage,
      .impl = entry->name,
      .graph = entry->where == ON_GRAPH,
      .sets = entry->where == ON_CPU ? 0 : cuda_group_sets(g),
      .input = input_name(g->what),
      .threads = entry->threads,
      .width = g->colmean.grid.width,
      .height = g->colmean.grid.height,
      .cell = has_cells ? g->colmean.grid.cell_width : 0,
      .classes = g->colmean.grid.classes,
      .differs = entry->differs,
      .runs = entry->runs,
      .unit = "",
      .share = -1,
      .stepwise = entry->steps != NULL};
  if (g->context->input != NULL)
    memcpy(row.picture, g->context->input->name, sizeof row.picture);
  if (entry->runs == 0)
    return row;
  qsort(entry->ms, (size_t)entry->runs, sizeof *entry->ms, compare);
  row.median = entry->ms[entry->runs / 2];
  row.minimum = entry->ms[0];
  if (row.stepwise)
    memcpy(row.steps, entry->step_ms, sizeof row.steps);
  row.ratio = reference / row.median;
  return row;
}

/* The shares need the statistics of the entry's own run: one more, untimed. */
static bool add_rate(Group *g, Entry *entry, BenchRow *row, StxError *error)
{
  double ms;
  bool gpu = entry->where != ON_CPU;
  if (row->runs == 0)
    return true;
  if (has_pairs(g) && (!group_run(g, entry, &ms, error) || (gpu && !cuda_group_fetch(g, 0, error))))
    return false;
  row->share = share(g);
  row->rate =
      (gpu ? gpu_work(g, row) : cpu_work(g, &g->context->machine->limits[entry->limits], row)) /
      (row->median / 1e3);
  return true;
}

static bool make_rows(Group *g, double base, BenchRow *rows, int *count, StxError *error)
{
  *count = 0;
  for (int i = 0; i < g->count; i++) {
    Entry *entry = &g->entries[i];
    if (!entry->timed)
      continue;
    rows[*count] = make_row(g, entry, base);
    if (!add_rate(g, entry, &rows[(*count)++], error))
      return false;
  }
  return true;
}

bool bench_group(const BenchContext *context, const BenchCase *what, BenchRow *rows, int *count,
    double *reference, StxError *error)
{
  Group *g = group_open(context, what, error);
  if (g == NULL)
    return false;
  bool good = check_all(g, error) && time_all(g, error);
  double base = what->reference;
  if (good && has_reference(g) && g->entries[g->count - 1].timed)
    base = make_row(g, &g->entries[g->count - 1], 0).median;
  good = good && make_rows(g, base, rows, count, error);
  if (good && reference != NULL)
    *reference = base;
  group_close(g);
  return good;
}
