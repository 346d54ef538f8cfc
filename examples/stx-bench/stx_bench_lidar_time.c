/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scan by scan: everything runs once and must give the reference's labels and counts; what does is
 * timed in turns, round after round, the CPU's and then the GPU's.
 */
#include "examples/stx-bench/stx_bench_lidar.h"

#include <stdlib.h>
#include <string.h>

#define MIN_RUNS 3
#define MAX_RUNS 201
#define WIPED 0xA5
#define GPU_WARM_UP 100 /* ms: long enough for its clocks to rise */

/* An implementation with a number of threads, in one scan. */
typedef struct {
  LidarRow *row; /* what it adds its times to */
  const void *impl;
  LidarStepsRun *steps; /* runs in place of the implementation */
  bool timed;
  StxCudaGraph graph;
  double spent, least; /* ms of timing so far, and of the fastest run */
  int runs;
  double ms[MAX_RUNS], step_ms[LIDAR_STEPS];
} Entry;

typedef struct {
  const LidarContext *context;
  const StxGroundParams *params;
  const LidarScan *scan;
  Entry entries[LIDAR_MAX_ROWS + 1];
  int count;
  uint32_t *labels, *expected;
  StxGroundResult result, expected_result;
  double steps[LIDAR_STEPS]; /* of the last run that had a clock in it */
  void *scratch;
  LidarCuda *cuda;
} Job;

static const StxGroundImpl *host_impl(size_t i)
{
  return (const void *)stx_impl_at(&stx_ground_impls, i);
}

/* ---- What there is ------------------------------------------------------------------------- */

static LidarStepsRun *steps_of(const StxGroundImpl *impl)
{
#if STX_BUILD_X86
  if (impl->info.needs == STX_CPU_AVX512)
    return bench_ground_steps_avx512;
  if (impl->info.needs == STX_CPU_AVX2)
    return bench_ground_steps_avx2;
#endif
  (void)impl;
  return bench_ground_steps_base;
}

static void add(Job *job, LidarRow *rows, const StxImplInfo *impl, int threads, bool graph,
    LidarStepsRun *steps)
{
  Entry *entry = &job->entries[job->count];
  *entry = (Entry){.row = &rows[job->count], .impl = impl, .timed = true, .steps = steps};
  *entry->row =
      (LidarRow){.impl = impl->name, .threads = threads, .graph = graph, .stepwise = steps != NULL};
  job->count++;
}

static void list_table(Job *job, LidarRow *rows)
{
  int all = job->context->threads;
  for (size_t i = 0; job->context->cpu && i + 1 < stx_ground_impls.count; i++)
    for (int threads = 1; threads <= all; threads += all > 1 ? all - 1 : 1)
      if (stx_impl_usable(&host_impl(i)->info))
        add(job, rows, &host_impl(i)->info, threads, false, NULL);
  for (size_t i = 0; job->context->device != NULL && i < stx_ground_cuda_impls.count; i++)
    for (int graph = 0; graph < 2; graph++)
      add(job, rows, stx_impl_at(&stx_ground_cuda_impls, i), 0, graph, NULL);
}

static void list_steps(Job *job, LidarRow *rows)
{
  const StxGroundImpl *best = stx_impl_pick(&stx_ground_impls, STX_BACKEND_OMP);
  for (int threads = 1; threads <= job->context->threads; threads++) {
    add(job, rows, &best->info, threads, false, NULL);
    add(job, rows, &best->info, threads, false, steps_of(best));
  }
}

/* The reference comes last. */
static void list(Job *job, LidarChoice choice, LidarRow *rows)
{
  (choice == LIDAR_TABLE ? list_table : list_steps)(job, rows);
  add(job, rows, &host_impl(stx_ground_impls.count - 1)->info, 1, false, NULL);
  job->entries[job->count - 1].timed = job->context->cpu;
}

/* ---- One scan ------------------------------------------------------------------------------ */

static bool open_scan(Job *job, const LidarScan *scan, StxError *error)
{
  size_t scratch = 0;
  for (int i = 0; i < job->count; i++) {
    const Entry *entry = &job->entries[i];
    size_t size = entry->row->threads == 0
                      ? 0
                      : ((const StxGroundImpl *)entry->impl)
                            ->scratch_size(job->params, scan->count, entry->row->threads);
    scratch = size > scratch ? size : scratch;
  }
  job->scan = scan;
  job->labels = malloc(scan->count * sizeof *job->labels + 1);
  job->expected = malloc(scan->count * sizeof *job->expected + 1);
  job->scratch = aligned_alloc(STX_ALIGN, stx_align(scratch));
  if (job->labels == NULL || job->expected == NULL || job->scratch == NULL)
    return stx_fail(error, "not enough memory: %zu bytes of scratch", scratch);
  if (job->context->device == NULL)
    return true;
  job->cuda = lidar_cuda_open(job->context, job->params, scan, error);
  return job->cuda != NULL;
}

static void close_scan(Job *job)
{
  for (int i = 0; job->cuda != NULL && i < job->count; i++) {
    stx_cuda_graph_free(job->context->device->cuda, job->entries[i].graph);
    job->entries[i].graph = NULL;
  }
  lidar_cuda_close(job->cuda);
  free(job->labels);
  free(job->expected);
  free(job->scratch);
  job->cuda = NULL;
  job->labels = job->expected = NULL;
  job->scratch = NULL;
}

static bool run(Job *job, Entry *entry, double *ms, StxError *error)
{
  const LidarScan *scan = job->scan;
  int threads = entry->row->threads;
  if (threads == 0)
    return lidar_cuda_run(job->cuda, entry->impl, entry->row->graph, &entry->graph, ms, error);
  double begin = now_ms();
  if (entry->steps != NULL)
    entry->steps(job->params, scan->points, scan->count, job->labels, &job->result, job->scratch,
        threads, job->steps);
  else
    ((const StxGroundImpl *)entry->impl)
        ->run(job->params, scan->points, scan->count, job->labels, &job->result, job->scratch,
            &(StxPlace){.threads = threads}, NULL);
  *ms = now_ms() - begin;
  return true;
}

/* ---- Checking ------------------------------------------------------------------------------ */

static bool equals_expected(const Job *job)
{
  const StxGroundResult *a = &job->result, *b = &job->expected_result;
  return memcmp(job->labels, job->expected, job->scan->count * sizeof *job->labels) == 0 &&
         a->ground == b->ground && a->obstacles == b->obstacles && a->outside == b->outside &&
         a->lines == b->lines && a->clusters == b->clusters && a->measured == b->measured &&
         a->height == b->height && a->slope_x == b->slope_x && a->slope_y == b->slope_y;
}

/* Old results are wiped, so that code that writes nothing is found out. */
static void wipe(Job *job)
{
  memset(job->labels, WIPED, job->scan->count * sizeof *job->labels);
  memset(&job->result, WIPED, sizeof job->result);
}

static bool check_gpu(Job *job, Entry *entry, StxError *error)
{
  double ms;
  if (!run(job, entry, &ms, error) || !lidar_cuda_wipe(job->cuda, WIPED, error) ||
      !run(job, entry, &ms, error))
    return false;
  for (int set = 0; set < lidar_cuda_sets(job->cuda); set++) {
    wipe(job);
    if (!lidar_cuda_fetch(job->cuda, set, job->labels, &job->result, error))
      return false;
    entry->row->differs |= !equals_expected(job);
  }
  return true;
}

static bool check(Job *job, Entry *entry, StxError *error)
{
  if (entry->row->threads == 0)
    return check_gpu(job, entry, error);
  double ms;
  wipe(job);
  if (!run(job, entry, &ms, error))
    return false;
  entry->row->differs |= !equals_expected(job);
  return true;
}

/* The reference first: all others are compared with it. */
static bool check_all(Job *job, StxError *error)
{
  double ms;
  wipe(job);
  if (!run(job, &job->entries[job->count - 1], &ms, error))
    return false;
  memcpy(job->expected, job->labels, job->scan->count * sizeof *job->labels);
  job->expected_result = job->result;
  for (int i = 0; i < job->count - 1; i++)
    if (!check(job, &job->entries[i], error))
      return false;
  return true;
}

/* ---- Timing -------------------------------------------------------------------------------- */

static bool warm_up(Job *job, Entry *entry, StxError *error)
{
  double begin = now_ms(), ms;
  while (entry->row->threads == 0 && now_ms() - begin < GPU_WARM_UP)
    if (!run(job, entry, &ms, error))
      return false;
  return true;
}

/*
 * Threads fall asleep while others take their turns, and on a busy machine it takes long until all
 * are awake: an untimed run goes before. The steps of the fastest run count: their sum is a time
 * that something took.
 */
static bool time_once(Job *job, Entry *entry, StxError *error)
{
  double begin = now_ms(), ms;
  if (entry->row->threads > 0 && !run(job, entry, &ms, error))
    return false;
  if (!run(job, entry, &ms, error))
    return false;
  entry->spent += now_ms() - begin;
  if (entry->steps != NULL && (entry->runs == 0 || ms < entry->least))
    memcpy(entry->step_ms, job->steps, sizeof entry->step_ms);
  entry->least = entry->runs == 0 || ms < entry->least ? ms : entry->least;
  entry->ms[entry->runs++] = ms;
  return true;
}

/* The CPU's entries, or the GPU's; slow ones take part in fewer rounds, evenly spread. */
static bool time_entries(Job *job, double budget, bool gpu, StxError *error)
{
  for (int round = 0; round < MAX_RUNS; round++)
    for (int i = 0; i < job->count; i++) {
      Entry *entry = &job->entries[i];
      if (!entry->timed || entry->row->differs || (entry->row->threads == 0) != gpu)
        continue;
      if (round == 0 && !warm_up(job, entry, error))
        return false;
      bool due = round < MIN_RUNS || entry->spent <= budget * round / MAX_RUNS;
      if (due && !time_once(job, entry, error))
        return false;
    }
  return true;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void add_times(const Job *job, Entry *entry, size_t scans)
{
  LidarRow *row = entry->row;
  if (entry->runs == 0)
    return;
  qsort(entry->ms, (size_t)entry->runs, sizeof *entry->ms, compare);
  row->runs += entry->runs;
  row->median += entry->ms[entry->runs / 2] / (double)scans;
  row->minimum += entry->ms[0] / (double)scans;
  for (int step = 0; step < LIDAR_STEPS; step++)
    row->steps[step] += entry->step_ms[step] / (double)scans;
}

static bool time_scan(Job *job, const LidarScan *scan, size_t scans, StxError *error)
{
  bool good = open_scan(job, scan, error) && check_all(job, error);
  double budget = job->context->budget / (double)scans;
  for (int i = 0; i < job->count; i++) {
    job->entries[i].runs = 0;
    job->entries[i].spent = 0;
  }
  good = good && time_entries(job, budget, false, error) && time_entries(job, budget, true, error);
  for (int i = 0; good && i < job->count; i++)
    add_times(job, &job->entries[i], scans);
  close_scan(job);
  return good;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static void finish_rows(const Job *job, const LidarScans *scans, LidarRow *rows, int *count)
{
  const LidarRow *reference = &rows[job->count - 1];
  size_t points = 0;
  for (size_t i = 0; i < scans->count; i++)
    points += scans->scans[i].count;
  *count = job->context->cpu ? job->count : job->count - 1;
  for (int i = 0; i < *count; i++) {
    LidarRow *row = &rows[i];
    g_strlcpy(row->scans, scans->name, sizeof row->scans);
    row->points = (points + scans->count / 2) / scans->count;
    row->clusters = job->params->cluster_cell > 0;
    row->ratio = row->minimum > 0 ? reference->minimum / row->minimum : 0;
  }
}

bool lidar_time(const LidarContext *context, const LidarScans *scans, const StxGroundParams *params,
    LidarChoice choice, LidarRow *rows, int *count, StxError *error)
{
  Job *job = calloc(1, sizeof *job);
  if (job == NULL)
    return stx_fail(error, "not enough memory");
  job->context = context;
  job->params = params;
  list(job, choice, rows);
  bool good = true;
  for (size_t i = 0; good && i < scans->count; i++)
    good = time_scan(job, &scans->scans[i], scans->count, error);
  if (good)
    finish_rows(job, scans, rows, count);
  free(job);
  return good;
}
