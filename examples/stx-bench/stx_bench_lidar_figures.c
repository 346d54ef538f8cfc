/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The three experiments of A. Piroli, "Parallel 3D Point Cloud Segmentation", 2025: the time of
 * every step over the number of points, of sectors and of bins, on 1 to all threads. What is not
 * varied has its default.
 */
#include "examples/stx-bench/stx_bench_lidar.h"

#include <stdlib.h>
#include <string.h>

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
    [LIDAR_STEP_LEVEL] = "level",
    [LIDAR_STEP_BINS] = "bins",
    [LIDAR_STEP_LINES] = "lines",
    [LIDAR_STEP_LEVELS] = "levels",
    [LIDAR_STEP_LABELS] = "labels",
    [LIDAR_STEP_CLUSTERS] = "clusters",
};

/* Evenly chosen points; their labels are not needed. */
static LidarScan thin_out(const LidarScan *scan, int percent)
{
  LidarScan part = {.points = malloc(scan->count * 4 * sizeof(float) + 1)};
  memcpy(part.name, scan->name, sizeof part.name);
  for (size_t i = 0; part.points != NULL && i < scan->count; i++)
    if ((i + 1) * (size_t)percent / 100 > i * (size_t)percent / 100)
      memcpy(part.points + 4 * part.count++, scan->points + 4 * i, 4 * sizeof(float));
  return part;
}

static void free_scans(LidarScans *scans)
{
  for (size_t i = 0; i < scans->count; i++)
    lidar_scan_free(&scans->scans[i]);
  free(scans->scans);
}

static bool thin_out_all(const LidarScans *scans, int percent, LidarScans *thinned, StxError *error)
{
  *thinned = *scans;
  thinned->count = 0;
  thinned->scans = calloc(scans->count, sizeof *thinned->scans);
  bool good = thinned->scans != NULL;
  for (; good && thinned->count < scans->count; thinned->count++) {
    thinned->scans[thinned->count] = thin_out(&scans->scans[thinned->count], percent);
    good = thinned->scans[thinned->count].points != NULL;
  }
  if (good)
    return true;
  free_scans(thinned);
  return stx_fail(error, "not enough memory for a share of the points");
}

static void write_row(FILE *out, const Experiment *experiment, int value, const LidarRow *line)
{
  const BenchRow *row = &line->row;
  for (int step = -1; step < LIDAR_STEPS; step++) {
    if (step >= 0 && !row->stepwise)
      break;
    fprintf(out, "\"%s\",%s,%d,%zu,%s,%d,%s,%.7g\n", line->scans, experiment->name, value,
        line->points, row->impl, row->threads,
        step >= 0       ? step_names[step]
        : row->stepwise ? "all steps"
                        : "whole",
        step < 0 ? row->minimum : row->steps[step]);
  }
}

static bool run_value(FILE *out, const BenchContext *context, int threads, const LidarScans *scans,
    const Experiment *experiment, int value, bool *differs, StxError *error)
{
  StxGroundParams params = STX_GROUND_DEFAULTS;
  static LidarRow rows[BENCH_MAX_ROWS];
  LidarScans used;
  int count, percent = experiment == &experiments[0] ? value : 100;
  params.sectors = experiment == &experiments[1] ? value : params.sectors;
  params.bins = experiment == &experiments[2] ? value : params.bins;
  if (!thin_out_all(scans, percent, &used, error))
    return false;
  bool good = lidar_time(context, &used, &params, threads, rows, &count, error);
  free_scans(&used);
  for (int i = 0; good && i < count; i++) {
    *differs |= rows[i].row.differs;
    write_row(out, experiment, value, &rows[i]);
  }
  return good;
}

bool lidar_write_steps(FILE *out, const BenchContext *context, int threads, const LidarScans *scans,
    bool *differs, StxError *error)
{
  fputs("scans,experiment,value,points,code,threads,step,minimum_ms\n", out);
  for (size_t e = 0; e < sizeof experiments / sizeof experiments[0]; e++)
    for (const int *value = experiments[e].values; *value > 0; value++)
      if (!run_value(out, context, threads, scans, &experiments[e], *value, differs, error))
        return false;
  return true;
}
