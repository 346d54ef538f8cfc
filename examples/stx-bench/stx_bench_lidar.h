/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stx-bench lidar: how fast a scan becomes ground and obstacles. */
#ifndef STX_BENCH_LIDAR_H
#define STX_BENCH_LIDAR_H

#include "examples/stx-bench/stx_bench.h"

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

/* Runs, checks and times, all implementations or `stepwise` as BenchCase has it; writes up to
 * BENCH_MAX_ROWS rows and their number. Fails only for lack of memory or what the GPU's driver
 * reports. */
bool lidar_time(const BenchContext *context, const LidarScans *scans, const StxGroundParams *params,
    int stepwise, LidarRow *rows, int *count, StxError *error);

/* Shares of the points, numbers of sectors and of bins, on 1 to so many threads: CSV, a line per
 * step. Sets *differs if something differs from the reference. */
bool lidar_write_steps(FILE *out, const BenchContext *context, int threads, const LidarScans *scans,
    bool *differs, StxError *error);

/* Packets of a sensor to points. */
typedef struct {
  const char *sensor;
  size_t packets, points; /* of a turn */
  double median, minimum; /* milliseconds of a turn */
  double rate, share;     /* Mpoints/s by the median; percent of a core for 2.4 of them */
} LidarPacketsRow;
bool lidar_time_packets(double budget, LidarPacketsRow rows[2], StxError *error);

/* `stx-bench lidar` without its first two words. */
bool bench_lidar(int argc, char **argv, StxError *error);

#endif
