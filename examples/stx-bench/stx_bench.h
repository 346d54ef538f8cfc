/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-bench: how fast every stage and implementation is, on this machine, against what the
 * machine can do at most.
 *
 *   stx_bench_input.c   realistic pictures, disparities, labels and scores of a given size
 *   stx_bench_rdp.c     columns for rdp, and what it makes of them over epsilon
 *   stx_bench_stages.c  the stages: what they run, on the CPU and the GPU
 *   stx_bench_group.c   compares a stage's implementations with the reference, then times them
 *   stx_bench_cuda.c    the GPU and what it reaches
 *   stx_bench_limits.c  what the CPU can do: copying, 8-bit additions, multiply-adds
 *   stx_bench_report.c  table, Markdown, JSON
 *   stx_bench.c         command line, list of the groups
 *   stx_bench_lidar.c   scans in place of pictures, with a command line of their own, and
 *   stx_bench_lidar_figures.c  what docs/benchmarks/lidar.md shows, as CSV
 */
#ifndef STX_BENCH_H
#define STX_BENCH_H

#include <stdio.h>

#include "common/labels.h"
#include "common/pipeline/pipeline.h"
#include "cuda/stxcuda.h"
#include "examples/shared/clock.h"
#include "examples/shared/lidar_scans.h"
#include "examples/stx-bench/stx_bench_lidar_steps.h"

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
  BENCH_GROUND = BENCH_STAGES, /* of a scan, with a command line of its own */
  BENCH_ALL_STAGES
} BenchStage;

/* One line of the result. */
typedef struct {
  BenchStage stage;
  const char *impl, *input; /* input: "4 paths", "labels", …: static text */
  char picture[64];         /* the input's name */
  bool graph;               /* GPU: replayed as a graph, else launched kernel by kernel */
  int sets;                 /* GPU: input sets in rotation */
  int threads;              /* CPU: of the run; 0: on the GPU */
  int width, height;        /* of rdp: columns and rows */
  int cell, classes;        /* 0: does not apply */
  bool differs;             /* from the reference: not timed */
  int runs;
  double median, minimum; /* ms */
  double ratio;           /* reference's median (one thread) over this one's; 0: unknown */
  double rate, limit;     /* GB/s or Gop/s, from the median; limit 0: no rate */
  const char *unit;
  double share;  /* of the (vb, k, kind) pairs evaluated, 0…1; negative: does not apply */
  bool stepwise; /* ground: with a clock between the steps */
  double steps[LIDAR_STEPS]; /* ms, of the fastest run; 0 unless stepwise */
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
  int stepwise; /* ground: in place of all implementations the best one, as a whole and step by
                   step, with 1 to so many threads; 0: all of them */
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

/* Writes a line of CSV for every epsilon, median and number of rows: how often segments are split,
 * how many there are and how far they are from the columns. With `head` the titles come first. */
bool bench_rdp_levels(FILE *out, bool head, const BenchInput *input, StxError *error);

#define BENCH_RDP_EPSILON (4 * STX_DISPARITY_ONE) /* of all but the levels: the paper's */

/* The folder for the figures of rdp's paper. */
typedef struct {
  const char *folder;            /* NULL: no figures */
  FILE *levels, *utility, *tree; /* CSV */
} BenchFigures;

/* Of columns of 1024 cells: for every level the columns that have it and the cells of the segments
 * that are looked at in it. Of the first input the titles, the tree of the column in the middle,
 * and the columns of each kind as rdp-KIND.png. Fails, too, where rdp cuts elsewhere. */
bool bench_rdp_tree(const BenchFigures *to, bool first, const BenchInput *input, StxError *error);

/* ---- Report ------------------------------------------------------------------------------- */

typedef enum { BENCH_TEXT, BENCH_MARKDOWN, BENCH_JSON } BenchFormat;

/* Text and Markdown are printed as they come, JSON at the end. The machine is part of the head. */
void bench_print_machine(FILE *out, BenchFormat format, const BenchMachine *machine);
void bench_print_head(FILE *out, BenchFormat format, const BenchMachine *machine);
void bench_print_rows(FILE *out, BenchFormat format, const BenchRow *rows, int count);
void bench_print_json(FILE *out, const BenchMachine *machine, const BenchRow *rows, int count);

/* The times of rdp as CSV. */
void bench_print_rdp(FILE *out, const BenchRow *rows, int count);

#endif
