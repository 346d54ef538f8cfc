/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of stx-bench that takes times: how fast every stage and implementation is on this
 * machine. A library for stx-bench.py, which has the command line, the input and the tables.
 *
 *   stx_bench_stages.c  the stages: what they run, on the CPU and the GPU
 *   stx_bench_group.c   times the implementations of a stage
 *   stx_bench_cuda.c    the GPU and what it reaches
 */
#pragma once

#include "common/ground/ground.h"
#include "common/labels.h"
#include "common/pipeline/pipeline.h"

/* ---- Input -------------------------------------------------------------------------------- */

/* One stereo frame and what the stages before would make of it. */
typedef struct {
  int width, height;
  StxImage8 left, right, labels; /* labels: train ids */
  StxImage16 disparity;          /* by sgm, with its confidence */
  StxImage8 confidence;
  const uint8_t *scores; /* STX_LABEL_CLASSES planes of width × height probabilities · 255 */
  StxCamera camera;
} BenchInput;

/* ---- Machine ------------------------------------------------------------------------------ */

/* The first GPU, as its driver describes it. */
typedef struct {
  char name[128];
  int major, minor, processors, clock_khz, memory_clock_khz, memory_bus_bits;
  size_t memory, l2_cache; /* bytes */
  double copy;             /* GB/s from device to device, bytes read plus bytes written */
} BenchGpu;

typedef struct BenchDevice BenchDevice;

/* The processor and the GPU, as far as they are timed. */
typedef struct {
  int threads[2];      /* one, all */
  int thread_counts;   /* how many of them count; 0: nothing is timed on the CPU */
  BenchDevice *device; /* NULL: nothing is timed on the GPU */
  BenchGpu gpu;
  const char *compiler;
} BenchMachine;

/* After a failure there is nothing to close. */
STX_API bool bench_machine_open(
    BenchMachine *machine, int threads, bool cpu, bool gpu, StxError *error);
STX_API void bench_machine_close(BenchMachine *machine);

/* ---- Rows --------------------------------------------------------------------------------- */

/* The first seven have a table of implementations with a reference; of the others the best are
 * timed. Obstacles are for the CPU alone. */
typedef enum {
  BENCH_SGM,
  BENCH_COLMEAN,
  BENCH_SATDP,
  BENCH_FULLDP, /* the same columns as satdp's */
  BENCH_RDP,
  BENCH_RECTIFY,   /* the left picture, as from a camera that is bent and turned */
  BENCH_OVERLAY,   /* the stixels drawn on an RGBA frame */
  BENCH_PIPELINE,  /* sgm, colmean, roadline, satdp */
  BENCH_OBSTACLES, /* of the stixels, by one thread */
  BENCH_GROUND,    /* of a scan */
  BENCH_CLUSTERS,  /* ground and clusters of a scan */
  BENCH_STAGES
} BenchStage;

/* One line of the result. */
typedef struct {
  const char *impl;
  bool graph;        /* GPU: replayed as a graph, else launched kernel by kernel */
  int sets;          /* GPU: input sets in rotation */
  int threads;       /* CPU: of the run; 0: on the GPU */
  int width, height; /* of rdp: columns and rows */
  int cell, classes; /* 0: does not apply */
  int runs;
  double median, minimum; /* ms */
  double ratio;           /* reference's median (one thread) over this one's; 0: unknown */
  double rate, limit;     /* GPU: GB/s, from the median; 0: no rate */
  double share; /* of the (vb, k, kind) pairs evaluated, 0…1; negative: does not apply */
} BenchRow;

STX_API const char *bench_stage_name(BenchStage stage);

/* ---- Groups ------------------------------------------------------------------------------- */

typedef struct {
  const BenchInput *input; /* NULL: a scan */
  const BenchMachine *machine;
  double budget;               /* ms of timing per implementation */
  double warm_up, gpu_warm_up; /* ms of untimed runs before that, besides the first */
  int sets;                    /* of inputs on the GPU; 0: as its cache asks for */
  bool vectors;                /* on the CPU: no omp where there are vectors */
} BenchContext;

/* Parameters of a group, as far as its stage looks at them. */
typedef struct {
  BenchStage stage;
  int paths, cell;
  int search;             /* of sgm */
  StxSemantics semantics; /* NONE, LABELS or SCORES_U8 */
  int rows;               /* of rdp */
  const uint16_t *cells;  /* of rdp, one pixel wide: disparities and weights */
  double epsilon;         /* of rdp, 1/256 pixel */
  const float *points;    /* of ground: point_count · 4 */
  size_t point_count;
} BenchCase;

enum { BENCH_MAX_ROWS = 160 }; /* of one group: implementations times thread counts */

/* Runs and times all implementations; writes up to BENCH_MAX_ROWS rows and their number.
 * Fails only for lack of memory, refused parameters or what the GPU's driver reports. */
STX_API bool bench_group(const BenchContext *context, const BenchCase *what, BenchRow *rows,
    int *count, StxError *error);
