/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A group: one stage with one set of parameters, its implementations and the memory they share.
 * Private to stx_bench_group.c (set-up, runs) and stx_bench_measure.c (checks, times, rows).
 */
#ifndef STX_BENCH_GROUP_H
#define STX_BENCH_GROUP_H

#include "common/overlay.h"
#include "common/scene.h"
#include "examples/stx_bench.h"

#define MAX_RUNS 101

/* An implementation with a number of threads. Stages without a table have no record. */
typedef struct {
  const void *record;
  const char *name;
  int threads, limits; /* limits: index in the context's */
  double first;        /* ms of the checking run */
  int wanted, runs;
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
  StxOverlayParams overlay_params;
  const StxColmeanImpl *best_colmean;
  const StxSatdpImpl *best_satdp;
  Pipeline pipelines[2]; /* BENCH_PIPELINE: one per thread count */
  StxScene *scenes[2];   /* BENCH_SCENE: the same */
  StxOverlay *overlay;   /* BENCH_OVERLAY */

  StxImage16 disparity;
  StxImage8 confidence;
  void *columns, *scratch;
  StxStixel *stixels;
  size_t stixel_count;
  StxSatdpStats stats;
  StxImage8 picture; /* four bytes per pixel, drawn on */

  /* The bytes that a run leaves, and a copy of the reference's. */
  struct {
    void *data, *expected;
    size_t size, expected_size;
  } output[2];
} Group;

/* Group with all entries listed, memory allocated, inputs prepared; NULL on failure. */
Group *group_open(const BenchContext *context, const BenchCase *what, StxError *error);
void group_close(Group *group);

/* Runs an entry once; returns the milliseconds it took. */
double group_run(Group *group, const Entry *entry);

#endif
