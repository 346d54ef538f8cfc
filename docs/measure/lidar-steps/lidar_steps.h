/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The steps of ground's fast code with a clock between them. Compiled once per instruction set,
 * from the very source of the implementation (see common/cpu.h).
 */
#ifndef STX_BENCH_LIDAR_STEPS_H
#define STX_BENCH_LIDAR_STEPS_H

#include "common/cpu.h"
#include "common/ground/ground.h"

typedef enum {
  LIDAR_STEP_LEVEL,    /* 0. */
  LIDAR_STEP_BINS,     /* 1. and 2., in tables of each thread */
  LIDAR_STEP_LINES,    /* 3., merging those tables first */
  LIDAR_STEP_LEVELS,   /* 4. and 5. */
  LIDAR_STEP_LABELS,   /* 6., marking the obstacles' cells */
  LIDAR_STEP_CLUSTERS, /* 7. */
  LIDAR_STEPS
} LidarStep;

/* As StxGroundImpl's run; `ms` are the times of its steps. */
typedef void LidarStepsRun(const StxGroundParams *params, const float *points, size_t count,
    uint32_t *labels, StxGroundResult *result, void *scratch, int threads, double ms[LIDAR_STEPS]);

/* bench_ground_scratch and bench_ground_run are the implementation's own functions under other
 * names. */
#define STX_BENCH_DECLARE(isa)                                                                     \
  size_t bench_ground_scratch_##isa(const StxGroundParams *params, size_t count, int threads);     \
  bool bench_ground_run_##isa(const StxGroundParams *params, const float *points, size_t count,    \
      uint32_t *labels, StxGroundResult *result, void *scratch, const StxPlace *place,             \
      StxError *error);                                                                            \
  LidarStepsRun bench_ground_steps_##isa;

STX_BENCH_DECLARE(base)
#if STX_BUILD_X86
STX_BENCH_DECLARE(avx2)
STX_BENCH_DECLARE(avx512)
#endif

#undef STX_BENCH_DECLARE

#endif
