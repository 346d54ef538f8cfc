/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-bench lidar: how fast a scan becomes ground and obstacles.
 *
 *   stx_bench_lidar.c           command line, scans, tables
 *   stx_bench_lidar_time.c      compares implementations with the reference, times them in turns
 *   stx_bench_lidar_cuda.c      the same on the GPU
 *   stx_bench_lidar_steps_omp.c the steps of the fast code, one by one
 *   stx_bench_lidar_figures.c   what docs/benchmarks/lidar.md shows, as CSV
 */
#ifndef STX_BENCH_LIDAR_H
#define STX_BENCH_LIDAR_H

#include "examples/shared/lidar_scans.h"
#include "examples/stx-bench/stx_bench.h"
#include "examples/stx-bench/stx_bench_lidar_steps.h"

#define LIDAR_MAX_ROWS 160

/* Scans of one kind, all owned. */
typedef struct {
  char name[64];
  size_t count;
  LidarScan *scans;
} LidarScans;

typedef struct {
  const BenchDevice *device; /* NULL: nothing is timed on the GPU */
  bool cpu;                  /* time what runs on the CPU */
  int threads;               /* at most */
  double budget;             /* ms of timing per implementation */
  int sets;                  /* of each scan on the GPU; 0: as its cache asks for */
} LidarContext;

/*
 * TABLE: every implementation, with one thread and with all.
 * STEPS: the reference with one thread; the best of the CPU as a whole and step by step, with 1 to
 * all threads.
 */
typedef enum { LIDAR_TABLE, LIDAR_STEPWISE } LidarChoice;

/* One line of the result. Times are per scan: means over the scans of each one's median or
 * minimum. */
typedef struct {
  char scans[64];
  size_t points; /* of a scan, mean */
  bool clusters;
  const char *impl;
  bool graph, stepwise; /* GPU: replayed as a graph. CPU: with a clock between the steps */
  int threads;          /* 0: on the GPU */
  bool differs;         /* from the reference: not timed */
  int runs;
  double median, minimum;    /* ms */
  double ratio;              /* reference's minimum (one thread) over this one's; 0: unknown */
  double steps[LIDAR_STEPS]; /* ms, of the fastest run; 0 unless stepwise */
} LidarRow;

/* Runs, checks and times; writes up to LIDAR_MAX_ROWS rows and their number. Fails only for lack of
 * memory or what the GPU's driver reports. */
bool lidar_time(const LidarContext *context, const LidarScans *scans, const StxGroundParams *params,
    LidarChoice choice, LidarRow *rows, int *count, StxError *error);

/* Shares of the points, numbers of sectors and of bins: CSV, a line per step. Sets *differs if
 * something differs from the reference. */
bool lidar_write_steps(FILE *out, const LidarContext *context, const LidarScans *scans,
    bool *differs, StxError *error);

/* `stx-bench lidar` without its first two words. */
bool bench_lidar(int argc, char **argv, StxError *error);

/* ---- Between stx_bench_lidar_time.c and stx_bench_lidar_cuda.c ------------------------------ */

/* One scan in device memory, several times. */
typedef struct LidarCuda LidarCuda;

LidarCuda *lidar_cuda_open(const LidarContext *context, const StxGroundParams *params,
    const LidarScan *scan, StxError *error);
void lidar_cuda_close(LidarCuda *cuda);

/* Runs once through all sets; *ms are the milliseconds per set. As a graph: *graph, which the first
 * run records (NULL before), and the caller frees. */
bool lidar_cuda_run(LidarCuda *cuda, const StxGroundImpl *impl, bool as_graph, StxCudaGraph *graph,
    double *ms, StxError *error);

int lidar_cuda_sets(const LidarCuda *cuda);

/* All results overwritten; the result of a set on the host. */
bool lidar_cuda_wipe(LidarCuda *cuda, int value, StxError *error);
bool lidar_cuda_fetch(
    LidarCuda *cuda, int set, uint32_t *labels, StxGroundResult *result, StxError *error);

#endif
