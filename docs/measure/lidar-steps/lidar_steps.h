/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The steps of ground's fast code with a clock between them. Compiled once per instruction set,
 * from the very source of the implementation (see common/cpu.h).
 */
#ifndef LIDAR_STEPS_H
#define LIDAR_STEPS_H

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

/* lidar_steps_scratch and lidar_steps_run are the implementation's own functions under other
 * names. */
#define LIDAR_STEPS_DECLARE(isa)                                                                   \
  size_t lidar_steps_scratch_##isa(const StxGroundParams *params, size_t count, int threads);      \
  bool lidar_steps_run_##isa(const StxGroundParams *params, const float *points, size_t count,     \
      uint32_t *labels, StxGroundResult *result, void *scratch, const StxPlace *place,             \
      StxError *error);                                                                            \
  LidarStepsRun lidar_steps_##isa;

LIDAR_STEPS_DECLARE(base)
#if STX_BUILD_X86
LIDAR_STEPS_DECLARE(avx2)
LIDAR_STEPS_DECLARE(avx512)
#endif

#undef LIDAR_STEPS_DECLARE

#endif
