/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-bench: how fast every stage and implementation is, on this machine, against what the
 * machine can do at most.
 *
 *   stx_bench_input.c   realistic pictures, disparities, labels and scores of a given size
 *   stx_bench_rdp.c     columns for rdp
 *   stx_bench_stages.c  the stages: what they run, on the CPU and the GPU
 *   stx_bench_group.c   compares a stage's implementations with the reference, then times them
 *   stx_bench_cuda.c    the GPU and what it reaches
 *   stx_bench_limits.c  what the CPU can do: copying, 8-bit additions, multiply-adds
 *   stx_bench_report.c  table, Markdown, JSON
 *   stx_bench.c         command line, list of the groups
 *   stx_bench_lidar.c   scans in place of pictures, with a command line of their own
 */
#pragma once

#include <stdio.h>

#include "common/labels.h"
#include "common/pipeline/pipeline.h"
#include "cuda/stxcuda.h"
#include "examples/shared/clock.h"
#include "examples/shared/lidar_scans.h"
#include "common/ground/ground.h"

/* ---- Command line ------------------------------------------------------------------------- */

typedef enum { BENCH_TEXT, BENCH_MARKDOWN, BENCH_JSON } BenchFormat;

/* Options of pictures and of scans alike; the last three follow from the others. */
typedef struct {
  char *backend;
  int threads, milliseconds, sets;
  gboolean quick, markdown, json;
  bool cpu, gpu;
  BenchFormat format;
} BenchOptions;

/* `quick` says what that option does. */
void bench_options_add(GOptionContext *context, BenchOptions *options, const char *quick);
bool bench_options_check(BenchOptions *options, StxError *error);

/* ---- Input -------------------------------------------------------------------------------- */

/* One stereo frame and what the stages before would make of it. All data owned. */
typedef struct {
  char name[64]; /* "street", or the left picture's file name up to its first dot */
  int width, height;
  StxImage8 left, right, labels; /* labels: train ids */
  StxImage16 disparity;          /* by sgm, with its confidence */
  StxImage8 confidence;
  uint8_t *scores; /* STX_LABEL_CLASSES planes of width × height probabilities · 255 */
  StxCamera camera;
} BenchInput;

/* The synthetic street. */
bool bench_input_street(BenchInput *input, int width, int height, StxError *error);

/* PNG files. `labels` (Cityscapes label ids) and `calibration` may be NULL: then the classes are
 * vertical thirds of sky, building and road, and the camera is unknown. */
bool bench_input_files(BenchInput *input, const char *left, const char *right, const char *labels,
    const char *calibration, StxError *error);

void bench_input_free(BenchInput *input);

/* ---- Machine ------------------------------------------------------------------------------ */

/* The rates that `threads` threads of the CPU reach together. */
typedef struct {
  int threads;
  double copy;    /* GB/s, bytes read plus bytes written, buffers far larger than the caches */
  double add8;    /* 10⁹ additions of 8-bit values per second, in registers */
  double mul_add; /* 10⁹ float64 operations per second, multiplication and addition apart */
} BenchLimits;

BenchLimits bench_limits(int threads);

/* The first GPU with a stream of its own. */
typedef struct {
  StxCuda *cuda;
  const StxCudaInfo *info;
  StxCudaStream stream;
  StxCudaEvent begin, end; /* around what is timed */
  double copy;             /* GB/s from device to device, counted as for the CPU */
} BenchDevice;

#define BENCH_GPU_WARM_UP_MS 100 /* long enough for its clocks to rise */

/* Opens the GPU and measures its limit. After a failure there is nothing to close. */
bool bench_device_open(BenchDevice *device, StxError *error);
void bench_device_close(BenchDevice *device);

/* The work that is timed, and the limits it is compared with. */
typedef struct {
  BenchLimits limits[2]; /* of one thread, of all */
  int thread_counts;     /* how many of them count; 0: nothing is timed on the CPU */
  BenchDevice *device;   /* NULL: nothing is timed on the GPU */
} BenchMachine;

/* ---- Rows --------------------------------------------------------------------------------- */

/* The first seven have a table of implementations with a reference; of the others the best are
 * timed. Obstacles, velocities, hazards, motion and scene are for the CPU alone. */
typedef enum {
  BENCH_SGM,
  BENCH_COLMEAN,
  BENCH_SATDP,
  BENCH_FULLDP, /* the same columns as satdp's */
  BENCH_RDP,
  BENCH_RECTIFY,    /* the left picture, as from a camera that is bent and turned */
  BENCH_OVERLAY,    /* the stixels drawn on an RGBA frame */
  BENCH_BOTH,       /* colmean and satdp one after the other */
  BENCH_PIPELINE,   /* sgm, colmean, roadline, satdp */
  BENCH_OBSTACLES,  /* of the stixels, by one thread */
  BENCH_VELOCITIES, /* the same with the camera's motion and a matched point on every object */
  BENCH_HAZARDS,    /* of the pair and its disparities */
  BENCH_MOTION,     /* the camera's own, over the left picture, which is wider */
  BENCH_SCENE,      /* the synthetic street's left picture, RGB */
  BENCH_STAGES,
  BENCH_GROUND = BENCH_STAGES, /* of a scan, with a command line of its own, and */
  BENCH_CLUSTERS,              /*   with clusters */
  BENCH_ALL_STAGES
} BenchStage;

/* One line of the result. */
typedef struct {
  BenchStage stage;
  const char *impl, *input; /* input: "4 paths", "labels", …: static text */
  bool graph;               /* GPU: replayed as a graph, else launched kernel by kernel */
  int sets;                 /* GPU: input sets in rotation */
  int threads;              /* CPU: of the run; 0: on the GPU */
  int width, height;        /* of rdp: columns and rows; of ground: points, and 0 */
  int cell, classes;        /* 0: does not apply */
  bool differs;             /* from the reference: not timed */
  int runs;
  double median, minimum; /* ms */
  double ratio;           /* reference's median (one thread) over this one's; 0: unknown */
  double rate, limit;     /* GB/s or Gop/s, from the median; limit 0: no rate */
  const char *unit;
  double share; /* of the (vb, k, kind) pairs evaluated, 0…1; negative: does not apply */
} BenchRow;

const char *bench_stage_name(BenchStage stage);

/* ---- Groups ------------------------------------------------------------------------------- */

typedef struct {
  const BenchInput *input; /* NULL: a scan */
  const BenchMachine *machine;
  double budget;               /* ms of timing per implementation */
  double warm_up, gpu_warm_up; /* ms of untimed runs before that, besides the one for checking */
  int sets;                    /* of inputs on the GPU; 0: as its cache asks for */
  bool unchecked; /* on the CPU: no reference, and no plain C where there are vectors */
} BenchContext;

/* The columns that rdp is timed with: all of a frame, the tenth of them with the fewest or the most
 * segments over and over, white noise. */
typedef enum {
  BENCH_COLUMNS_BEST,
  BENCH_COLUMNS_AVERAGE,
  BENCH_COLUMNS_WORST,
  BENCH_COLUMNS_NOISE,
  BENCH_COLUMNS_COUNT
} BenchColumns;
extern const char *const bench_columns_names[BENCH_COLUMNS_COUNT];

/* Parameters of a group, as far as its stage looks at them. */
typedef struct {
  BenchStage stage;
  int paths, cell;
  int search;             /* of sgm */
  StxSemantics semantics; /* NONE, LABELS or SCORES_U8 */
  int rows;               /* of rdp */
  BenchColumns columns;
  double reference;      /* ms of the reference, where the group does not time it; 0: unknown */
  const LidarScan *scan; /* of ground */
  StxGroundParams ground;
} BenchCase;

#define BENCH_MAX_ROWS 160 /* of one group: implementations times thread counts */

/* Runs, checks and times all implementations; writes up to BENCH_MAX_ROWS rows and their number.
 * *reference (may be NULL) becomes the reference's median, 0 if it was not timed. Fails only for
 * lack of memory, refused parameters or what the GPU's driver reports. */
bool bench_group(const BenchContext *context, const BenchCase *what, BenchRow *rows, int *count,
    double *reference, StxError *error);

/* ---- Columns for rdp ---------------------------------------------------------------------- */

/* Fills columns of 1 × 1 cells: the input's disparities, holes filled, every column resampled to
 * the grid's height, all certain; then chosen as `kind` says. Fails for lack of memory. */
bool bench_rdp_columns(const BenchInput *input, const StxRdpParams *params, BenchColumns kind,
    void *columns, StxError *error);

#define BENCH_RDP_EPSILON (4 * STX_DISPARITY_ONE) /* the paper's */

/* ---- Report ------------------------------------------------------------------------------- */

/* Text and Markdown are printed as they come, JSON at the end. The machine is part of the head. */
void bench_print_head(FILE *out, BenchFormat format, const BenchMachine *machine);
void bench_print_rows(FILE *out, BenchFormat format, const BenchRow *rows, int count);
void bench_print_json(FILE *out, const BenchMachine *machine, const BenchRow *rows, int count);

/* ---- Scans --------------------------------------------------------------------------------- */

/* `stx-bench lidar` without its first two words. */
bool bench_lidar(int argc, char **argv, StxError *error);

/* ---- Whole pipelines ----------------------------------------------------------------------- */

/* `stx-bench frames …`: argv[0] is "frames"; `program` is what to start for each run. */
bool bench_frames(const char *program, int argc, char **argv, StxError *error);
