/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The three experiments of A. Piroli, "Parallel 3D Point Cloud Segmentation", 2025: the time of
 * every step of ground over the number of points, of sectors and of bins, on 1 to all threads. What
 * is not varied has its default. Every line is checked against the labels of the code without
 * vectors. CSV on the standard output; milliseconds per scan, the least of all runs.
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory/memory.h"
#include "docs/measure/lidar-steps/lidar_steps.h"
#include "docs/measure/lidar-steps/clock.h"
#include "docs/measure/lidar-steps/lidar_scans.h"

#define MOST_THREADS 64
#define LEAST_RUNS 3

typedef struct {
  const char *name; /* of what is varied */
  int values[6];    /* ends with 0 */
} Experiment;

static const Experiment experiments[] = {
    {"points", {25, 50, 75, 100}}, /* percent */
    {"sectors", {1, 10, 50, 100, 360}},
    {"bins", {1, 10, 50, 100, 120}},
};

static const char *const step_names[LIDAR_STEPS] = {
    "level", "bins", "lines", "levels", "labels", "clusters"};

typedef struct {
  char *folder;
  int beams, frames, milliseconds, threads;
} Options;

/* A code on a number of threads, as a whole or step by step. */
typedef struct {
  const StxGroundImpl *impl;
  LidarStepsRun *steps; /* NULL: as a whole */
  int threads;
  double least, least_steps[LIDAR_STEPS]; /* of this scan, ms */
  double ms, step_ms[LIDAR_STEPS];        /* sums over the scans */
} Entry;

static LidarStepsRun *steps_of(const StxImplInfo *info)
{
#if STX_BUILD_X86
  if (info->needs == STX_CPU_AVX512)
    return lidar_steps_avx512;
  if (info->needs == STX_CPU_AVX2)
    return lidar_steps_avx2;
#endif
  (void)info;
  return lidar_steps_base;
}

/* Whole and in steps on each number of threads; last the reference. */
static int list_entries(Entry *entries, int threads)
{
  const StxGroundImpl *best = stx_impl_pick(&stx_ground_impls, STX_BACKEND_OMP);
  int count = 0;
  for (int t = 1; t <= threads; t++) {
    entries[count++] = (Entry){.impl = best, .threads = t};
    entries[count++] = (Entry){.impl = best, .steps = steps_of(&best->info), .threads = t};
  }
  entries[count++] = (Entry){.impl = stx_impl_named(&stx_ground_impls, "omp"), .threads = 1};
  return count;
}

/* Evenly chosen points, in place. */
static void thin_out(LidarScan *scan, int percent)
{
  size_t kept = 0;
  for (size_t i = 0; i < scan->count; i++)
    if ((i + 1) * (size_t)percent / 100 > i * (size_t)percent / 100)
      memmove(scan->points + 4 * kept++, scan->points + 4 * i, 4 * sizeof(float));
  scan->count = kept;
}

/* One run; the time of the fastest is kept. */
static void run_once(Entry *entry, const StxGroundParams *params, const LidarScan *scan,
    uint32_t *labels, void *scratch)
{
  double steps[LIDAR_STEPS] = {0}, begin = now_ms();
  StxGroundResult result;
  if (entry->steps != NULL)
    entry->steps(
        params, scan->points, scan->count, labels, &result, scratch, entry->threads, steps);
  else
    entry->impl->run(params, scan->points, scan->count, labels, &result, scratch,
        &(StxPlace){.threads = entry->threads}, NULL);
  double ms = now_ms() - begin;
  if (entry->least > 0 && ms >= entry->least)
    return;
  entry->least = ms;
  memcpy(entry->least_steps, steps, sizeof steps);
}

/* Entries take turns, so that other load hits all of them alike; before each goes an untimed run,
 * which wakes the threads. */
static bool time_scan(Entry *entries, int count, const StxGroundParams *params,
    const LidarScan *scan, double budget, StxError *error)
{
  size_t size = 0, bytes = (scan->count + 1) * sizeof(uint32_t);
  for (int i = 0; i < count; i++)
    size = MAX(size, entries[i].impl->scratch_size(params, scan->count, entries[i].threads));
  void *scratch = stx_allocate(size + 1);
  uint32_t *labels = g_malloc(bytes), *expected = g_malloc0(bytes);
  double begin = now_ms();
  bool same = true;
  for (int i = 0; i < count; i++)
    entries[i].least = 0;
  for (int run = 0; same && (run < LEAST_RUNS || now_ms() - begin < budget * count); run++)
    for (int i = count - 1; i >= 0; i--) {
      Entry ignored = entries[i];
      memset(labels, 0, bytes);
      run_once(&ignored, params, scan, labels, scratch);
      run_once(&entries[i], params, scan, labels, scratch);
      if (run == 0 && i == count - 1)
        memcpy(expected, labels, bytes);
      same &= memcmp(labels, expected, bytes - sizeof *labels) == 0;
    }
  for (int i = 0; i < count; i++) {
    entries[i].ms += entries[i].least;
    for (int step = 0; step < LIDAR_STEPS; step++)
      entries[i].step_ms[step] += entries[i].least_steps[step];
  }
  free(scratch);
  g_free(labels);
  g_free(expected);
  return same || stx_fail(error, "an implementation differs from the reference");
}

static void write_entry(const Entry *entry, const char *begin, size_t scans)
{
  for (int step = -1; step < (entry->steps != NULL ? LIDAR_STEPS : 0); step++)
    printf("%s,%s,%d,%s,%.7g\n", begin, entry->impl->info.name, entry->threads,
        step >= 0              ? step_names[step]
        : entry->steps != NULL ? "all steps"
                               : "whole",
        (step < 0 ? entry->ms : entry->step_ms[step]) / (double)scans);
}

static bool run_value(
    const Options *o, LidarSet *set, const Experiment *experiment, int value, StxError *error)
{
  size_t count = o->frames > 0 ? MIN((size_t)o->frames, set->count) : set->count, points = 0;
  StxGroundParams params = STX_GROUND_DEFAULTS;
  Entry entries[2 * MOST_THREADS + 1];
  int lines = list_entries(entries, o->threads);
  params.sectors = experiment == &experiments[1] ? value : params.sectors;
  params.bins = experiment == &experiments[2] ? value : params.bins;
  for (size_t i = 0; i < count; i++) {
    LidarScan scan;
    if (!lidar_set_load(set, i, &scan, error))
      return false;
    thin_out(&scan, experiment == &experiments[0] ? value : 100);
    points += scan.count;
    bool good = time_scan(entries, lines, &params, &scan, o->milliseconds / (double)count, error);
    lidar_scan_free(&scan);
    if (!good)
      return false;
  }
  char *scans = o->folder == NULL ? g_strdup_printf("street, %d beams", o->beams)
                                  : g_strdup_printf("%zu scan%s", count, count == 1 ? "" : "s");
  char *begin = g_strdup_printf(
      "\"%s\",%s,%d,%zu", scans, experiment->name, value, (points + count / 2) / count);
  for (int i = 0; i < lines; i++)
    write_entry(&entries[i], begin, count);
  g_free(begin);
  g_free(scans);
  return true;
}

static bool run(Options *o, int argc, char **argv, StxError *error)
{
  const GOptionEntry entries[] = {
      {"scans", 0, 0, G_OPTION_ARG_FILENAME, &o->folder, "in place of the street", "FOLDER"},
      {"beams", 0, 0, G_OPTION_ARG_INT, &o->beams, "of the street's sensor (64)", "N"},
      {"frames", 0, 0, G_OPTION_ARG_INT, &o->frames, "at most N (0: all)", "N"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &o->threads, "from 1 to N (0: all cores)", "N"},
      {"time", 0, 0, G_OPTION_ARG_INT, &o->milliseconds, "per line (600)", "MS"},
      {NULL},
  };
  GOptionContext *context = g_option_context_new("- times the steps of ground");
  GError *problem = NULL;
  LidarSet set;
  g_option_context_add_main_entries(context, entries, NULL);
  const bool parsed = g_option_context_parse(context, &argc, &argv, &problem);
  g_option_context_free(context);
  if (!parsed) {
    stx_fail(error, "%s", problem->message);
    g_error_free(problem);
    return false;
  }
  o->threads = MIN(stx_threads(o->threads), MOST_THREADS);
  if (!(o->folder != NULL ? lidar_set_open(&set, o->folder, error)
                          : lidar_set_open_street(&set, 1, o->beams, 1, error)))
    return false;
  puts("scans,experiment,value,points,code,threads,step,minimum_ms");
  bool good = true;
  for (size_t e = 0; e < G_N_ELEMENTS(experiments); e++)
    for (const int *value = experiments[e].values; good && *value > 0; value++)
      good = run_value(o, &set, &experiments[e], *value, error);
  lidar_set_close(&set);
  return good;
}

int main(int argc, char **argv)
{
  Options options = {.beams = 64, .milliseconds = 600};
  StxError error = {""};
  bool good = run(&options, argc, argv, &error);
  if (!good)
    fprintf(stderr, "lidar-steps: %s\n", error.text);
  g_free(options.folder);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
