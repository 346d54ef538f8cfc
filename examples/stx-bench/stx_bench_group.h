/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A group: one stage with one set of parameters, its implementations and the memory they share.
 * Private to stx_bench_group.c (set-up, runs), stx_bench_cuda_group.c (the same on the GPU) and
 * stx_bench_measure.c (checks, times, rows).
 */
#ifndef STX_BENCH_GROUP_H
#define STX_BENCH_GROUP_H

#include "common/egomotion/egomotion.h"
#include "common/fulldp/fulldp.h"
#include "common/hazards/hazards.h"
#include "common/obstacles/obstacles.h"
#include "common/overlay/overlay.h"
#include "common/rectify/rectify.h"
#include "common/scene/scene.h"
#include "common/sgm/coarse/sgm_coarse.h"
#include "examples/stx-bench/stx_bench.h"

#define MAX_RUNS 101

/* On the GPU a run goes once through all input sets: kernel by kernel, or as a graph. */
typedef enum { ON_CPU, ON_STREAM, ON_GRAPH } Where;

typedef struct CudaGroup CudaGroup; /* a group's memory on the GPU */

/* An implementation, on the CPU with a number of threads. Stages without a table have no record. */
typedef struct {
  const void *record;
  const char *name;
  Where where;
  bool reference;              /* gives the bytes that all others must give */
  bool timed;                  /* else it only serves for checking */
  int threads, limits;         /* limits: index in the machine's */
  LidarStepsRun *steps;        /* of ground: runs in place of the implementation */
  double step_ms[LIDAR_STEPS]; /* of its fastest run */
  StxCudaGraph graph;          /* ON_GRAPH, from its first run on */
  double first;                /* ms of the checking run */
  int wanted, runs;
  double least, spent; /* the least of ms, and their sum */
  double ms[MAX_RUNS];
  bool differs;
} Entry;

typedef struct {
  const BenchContext *context;
  const BenchCase *what;
  Entry entries[BENCH_MAX_ROWS];
  int count;

  StxSgmParams sgm;
  StxColmeanParams colmean;
  StxColmeanTables colmean_tables;
  StxSatdpParams satdp;
  StxSatdpTables satdp_tables;
  StxRdpParams rdp;
  StxOverlayParams overlay_params;
  const StxColmeanImpl *best_colmean;
  const StxSatdpImpl *best_satdp;
  StxPipeline *pipelines[2],
      *reference;          /* BENCH_PIPELINE: one per thread count, and the reference */
  StxPipelineOutput frame; /* its last run's */
  StxScene *scenes[2];     /* BENCH_SCENE: the same without reference */
  StxOverlay *overlay;     /* BENCH_OVERLAY */
  StxObstacles *obstacles; /* BENCH_OBSTACLES, _VELOCITIES, and the time of its last frame */
  uint64_t obstacles_time;
  StxMotionPoint *matched;  /* of _VELOCITIES, */
  size_t matched_count;     /*   so many */
  StxHazards *hazards;      /* BENCH_HAZARDS */
  StxEgomotion *motions[2]; /* BENCH_MOTION: one per thread count, */
  int motion_frames[2];     /*   and how many frames it had */
  StxRectifyView view;      /* BENCH_RECTIFY, and its map, of so many bytes */
  void *map;
  size_t map_size;
  CudaGroup *cuda; /* NULL: no entry is on the GPU */

  StxImage16 disparity;
  StxImage8 confidence;
  void *columns, *scratch;
  StxStixel *stixels;
  size_t stixel_count;
  StxSatdpResult satdp_result;
  StxImage8 picture; /* four bytes per pixel, drawn on */
  uint32_t *labels;  /* BENCH_GROUND: of the points, what the run says beside them, and its times */
  StxGroundResult ground_result;
  double ground_numbers[9], step_ms[LIDAR_STEPS];

  /* The bytes that a run leaves, and a copy of the reference's. */
  struct {
    void *data, *expected;
    size_t size, expected_size;
  } output[2];
} Group;

/* Group with all entries listed, memory allocated, inputs prepared; NULL on failure. */
Group *group_open(const BenchContext *context, const BenchCase *what, StxError *error);
void group_close(Group *group);

/* Runs an entry once; *ms are the milliseconds that it took, per input set on the GPU. Results are
 * in the group's memory, those of the GPU once they have been fetched. Only the GPU and a pipeline
 * may fail. */
bool group_run(Group *group, Entry *entry, double *ms, StxError *error);

/* Of motion: a part of the picture moves over it, every eighth frame begins anew. The frame with
 * this number, of images that lie anywhere. */
int group_motion_width(const BenchInput *input);
StxEgomotionFrame group_motion_frame(
    const BenchInput *input, int number, StxImage8 left, StxImage16 disparity, StxEgomotion *state);

/* ---- On the GPU (stx_bench_cuda_group.c) --------------------------------------------------- */

/* The implementations of a stage, best first: `*record` is the i-th one's, NULL for stages without
 * a table. False if there are no more, or a stage's code is missing. */
bool cuda_group_impl(BenchStage stage, size_t i, const void **record, const char **name);

/* Memory for all sets, inputs in place, for a group that is otherwise open; NULL on failure. */
CudaGroup *cuda_group_open(Group *group, StxError *error);
void cuda_group_close(Group *group);

/* Results on the device overwritten with `value`; this is also what an overlay is drawn on. */
bool cuda_group_wipe(Group *group, int value, StxError *error);
bool cuda_group_run(Group *group, Entry *entry, double *ms, StxError *error);

/* The results of a set to where the CPU's entries leave theirs. */
bool cuda_group_fetch(Group *group, int set, StxError *error);

int cuda_group_sets(const Group *group);

/* Bytes that one run must at least move: what goes in and what comes out, each once. */
double cuda_group_bytes(const Group *group);

#endif
