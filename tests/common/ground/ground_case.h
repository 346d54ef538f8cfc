/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the check programs of ground: scans in guarded memory, made in some ways, and a run
 * with exactly the memory that the contract asks for.
 */
#pragma once

#include "common/ground/ground.h"
#include "tests/testing.h"

typedef struct {
  StxGroundParams params;
  float *points; /* guarded, count · 4 */
  size_t count;
} GroundCase;

/*
 * The kinds of scans; intensity is 1 for what is ground.
 *   FLAT     rings on a plane 1.73 m below, unevenness of 1 cm
 *   STREET   the same with boxes 0.5 to 3 m high and a kerb, in a random order
 *   TILTED   a street, seen by a sensor that is tilted by up to 10 degrees
 *   CLOUD    anywhere within 60 m
 *   WILD     a cloud with NaN, infinities, zeros, huge and tiny numbers, and doubles
 *   SPOT     all in one bin
 */
typedef enum {
  GROUND_FLAT,
  GROUND_STREET,
  GROUND_TILTED,
  GROUND_CLOUD,
  GROUND_WILD,
  GROUND_SPOT,
  GROUND_SCANS
} GroundScan;

/* Random parameters; some seeds have one sector, one bin, or the most bins. */
StxGroundParams ground_any_params(int seed);

/* A scan of about `count` points (exactly, but for streets). */
GroundCase *ground_case_new(StxGroundParams params, GroundScan scan, size_t count, uint64_t seed);
void ground_case_free(GroundCase *c);

/* The result of a run; labels are guarded and the caller's. */
typedef struct {
  uint32_t *labels;
  StxGroundResult result;
} GroundRun;

/* Runs the implementation, checks all guards, and that the counts add up to the labels. */
GroundRun ground_run(const StxGroundImpl *impl, const GroundCase *c, int threads, const char *what);
void ground_run_free(GroundRun *run);
STX_AUTO_POINTER(GroundCase, ground_case_free)
STX_AUTO_VALUE(GroundRun, ground_run_free)

/* Fails the test where the two differ, naming `what`. */
void ground_expect_same(
    const GroundCase *c, const GroundRun *expected, const GroundRun *actual, const char *what);
