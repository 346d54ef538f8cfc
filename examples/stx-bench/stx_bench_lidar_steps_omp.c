/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The implementation's source is included for its steps, so that it needs no hooks for the clock
 * and what is timed is what runs. Unlike there, all threads wait for each other after every step.
 */
#include "examples/stx-bench/stx_bench_lidar_steps.h"

#include "examples/shared/clock.h"

#define stx_ground_scratch bench_ground_scratch
#define stx_ground_run bench_ground_run
#include "common/ground/ground_omp.c"

/* The first thread looks at the clock, while all others wait for it. */
static void look(double *at)
{
#pragma omp barrier
#pragma omp master
  *at = now_ms();
#pragma omp barrier
}

/* work() with a look at the clock after every step. */
static void timed_work(Scan *s, double at[LIDAR_STEPS + 1])
{
  Worker *w = s->worker[stx_thread_index()];
  w->lines = 0;
  look(at);
  if (needs_plane(s->params))
    find_lowest(s, w);
#pragma omp barrier
#pragma omp single
  level_scan(s);
  look(++at);
  fill_bins(s, w);
  look(++at);
#pragma omp for schedule(static)
  for (int sector = 0; sector < s->params->sectors; sector++) {
    merge_sector(s, sector);
    fit_sector(s, w, sector);
  }
  look(++at);
#pragma omp for schedule(static)
  for (int sector = 0; sector < s->params->sectors; sector++)
    level_sector(s, sector);
  look(++at);
  label_points(s, w);
  look(++at);
  if (s->clusters.side > 0) {
#pragma omp single
    find_clusters(s);
    number_points(s);
  }
  look(++at);
}

void STX_VARIANT(bench_ground_steps)(const StxGroundParams *params, const float *points,
    size_t count, uint32_t *labels, StxGroundResult *result, void *scratch, int threads,
    double ms[LIDAR_STEPS])
{
  double at[LIDAR_STEPS + 1];
  Scan *s = open_scan(params, points, count, labels, scratch, threads);
#pragma omp parallel num_threads(s->room)
  timed_work(s, at);
  add_up(s);
  *result = s->result;
  for (int step = 0; step < LIDAR_STEPS; step++)
    ms[step] = at[step + 1] - at[step];
}
