/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The implementation's source is included for its steps, so that it needs no hooks for the clock
 * and what is timed is what runs.
 */
#include "docs/measure/lidar-steps/lidar_steps.h"

#include "docs/measure/lidar-steps/clock.h"

#define stx_ground_scratch_size lidar_steps_scratch
#define stx_ground_run lidar_steps_run
#include "common/ground/ground_omp.c"

void STX_VARIANT(lidar_steps)(const StxGroundParams *params, const float *points, size_t count,
    uint32_t *labels, StxGroundResult *result, void *scratch, int threads, double ms[LIDAR_STEPS])
{
  static void (*const steps[LIDAR_STEPS])(Scan *) = {
      level_scan, fill_bins, fit_lines, level_sectors, label_points, number_clusters};
  Scan *s = open_scan(params, points, count, labels, scratch, threads);
  for (int step = 0; step < LIDAR_STEPS; step++) {
    double begin = now_ms();
    steps[step](s);
    ms[step] = now_ms() - begin;
  }
  add_up(s);
  *result = s->result;
}
