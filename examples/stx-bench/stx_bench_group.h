/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A group: one stage with one set of parameters, its implementations and the memory they share.
 * Private to stx_bench_stages.c (the stages: parameters, preparation, runs, work), and
 * stx_bench_group.c (entries, memory, times, rows), which knows no stage.
 */
#pragma once

#include <time.h>

#include "common/fulldp/fulldp.h"
#include "common/obstacles/obstacles.h"
#include "common/overlay/overlay.h"
#include "common/rectify/rectify.h"
#include "common/sgm/coarse/sgm_coarse.h"
#include "cuda/stxcuda.h"
#include "examples/stx-bench/stx_bench.h"

/* The first GPU with a stream of its own. */
struct BenchDevice {
  StxCuda *cuda;
  const StxCudaInfo *info;
  StxCudaStream stream;
  StxCudaEvent begin, end; /* around what is timed */
  double copy;             /* GB/s */
};

/* Opens the GPU and measures its limit. After a failure there is nothing to close. */
bool bench_device_open(BenchDevice *device, StxError *error);
void bench_device_close(BenchDevice *device);

/* Milliseconds of a clock that only goes forward. */
static inline double now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

#define MAX_RUNS 101
#define MOST_STEPS 3

typedef enum {
  LEFT,
  RIGHT,
  DISPARITY,
  CONFIDENCE,
  LABELS,
  SCORES,
  COLUMNS,
  STIXELS,
  POINTS,
  POINT_LABELS,
  RESULT, /* of satdp, rdp, overlay or ground */
  FRAME,  /* four bytes per pixel, drawn on */
  BUFFERS
} Buffer;

/* The memory of the processor or of the GPU. */
typedef struct {
  StxPlace place;
  int sets; /* of buffers, all of the same content; on the CPU one */
  size_t set_size;
  void *at[BUFFERS]; /* of the first set; NULL: the stage has no such buffer */
  void *scratch;     /* shared by the sets, as are the tables */
  void *prepared;    /* the overlay, or the map of rectify */
  const StxColmeanTables *colmean_tables;
  const StxSatdpTables *satdp_tables;
} Memory;

static inline void *buffer_at(const Memory *m, Buffer buffer, int set)
{
  return m->at[buffer] == NULL ? NULL : (char *)m->at[buffer] + (size_t)set * m->set_size;
}

/* On the GPU a run goes once through all input sets: kernel by kernel, or as a graph. */
typedef enum { ON_CPU, ON_STREAM, ON_GRAPH } Where;

/* An implementation, on the CPU with a number of threads. Stages without one table have no record.
 */
typedef struct {
  const void *record;
  const char *name;
  Where where;
  int threads, which; /* which: of the machine's */
  StxCudaGraph graph; /* ON_GRAPH, from its first run on */
  double first;       /* ms of the first run */
  int wanted, runs;
  double spent; /* sum of ms */
  double ms[MAX_RUNS];
} Entry;

typedef struct Stage Stage;

typedef struct {
  const BenchContext *context;
  const BenchCase *what;
  const Stage *stage;
  Entry entries[BENCH_MAX_ROWS];
  int count;
  const StxImplInfo *reference; /* of the last entry; NULL: there is none */
  size_t size[BUFFERS];         /* of a set */
  unsigned in, out, made;       /* what no step makes, what the last one leaves, what all make */
  Memory host, device;
  void *host_memory, *device_memory; /* of all buffers */

  StxSgmParams sgm;
  StxColmeanParams colmean;
  StxColmeanTables colmean_tables;
  StxSatdpParams satdp;
  StxSatdpTables satdp_tables;
  StxRdpParams rdp;
  StxOverlayParams overlay;
  StxGroundParams ground;
  StxRectifyView view;
  StxPipeline *pipelines[2]; /* BENCH_PIPELINE: of each thread count */
  StxObstacles *obstacles;   /* and the time of its last frame */
  uint64_t obstacles_time;
  size_t prepared_size;
  size_t stixel_count;
  uint64_t evaluated; /* pairs, of satdp and fulldp */
} Group;

/* An algorithm with tables of implementations, whose records are the same on both sides. Sets are
 * bits of 1 << Buffer. */
typedef struct {
  const StxImplTable *cpu, *cuda;
  unsigned in, out;
  bool (*run)(Group *, const void *impl, const Memory *, int set, StxError *);
  size_t (*scratch)(const Group *, const void *impl, int threads); /* NULL: none */
} Step;

struct Stage {
  const char *name;
  const Step *steps[MOST_STEPS];                   /* one after another; none: it has no tables */
  bool (*open)(Group *, StxError *);               /* NULL: there is nothing to prepare */
  bool (*run)(Group *, const Entry *, StxError *); /* on the CPU in place of the steps */
  bool alone;                                      /* on one thread */
  bool no_cells;                                   /* cells do not matter */
};

extern const Stage bench_stages[BENCH_STAGES];

/* Parameters, then the sizes of all buffers of a set. */
bool stage_set_up(Group *g, StxError *error);

/* The memory that preparing needs. */
size_t stage_open_scratch(const Group *g);

/* The content of a buffer that is an input; NULL: none. */
const void *stage_source(const Group *g, Buffer buffer);

/* The numbers in the RESULT that a run left on the host. */
void stage_take_result(Group *g);

/* The share of all pairs of rows that a run evaluated; negative: the stage has no pairs. */
double stage_share(const Group *g);

void stage_close(Group *g);
