/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the check programs of rdp and the element's tests: columns in guarded memory, their
 * fillings, and a run with exactly the memory that the contract asks for.
 */
#pragma once

#include "common/rdp/rdp.h"
#include "tests/testing.h"

typedef struct {
  StxRdpParams params;
  uint16_t *columns; /* guarded, stx_grid_bytes */
} RdpCase;

/*
 * The fillings of the columns. Weights are random, 0 where a disparity is unknown; but NOISE and
 * EXTREME have any weight anywhere.
 *   CONSTANT  one disparity per column
 *   RAMP      a line per column, some steep
 *   STREET    pieces of lines with steps, a little noise, stretches of unknown cells
 *   NOISE     uniform in 1 … 65535
 *   SPARSE    noise, most cells unknown, often both ends
 *   EXTREME   0, 1 and 65535
 *   COMB      two values in turn: the largest x is reached at many cells
 *   DEEP      split one cell from an end, again and again: n − 1 levels at small epsilon
 *   UNKNOWN   nothing known
 */
typedef enum {
  RDP_CONSTANT,
  RDP_RAMP,
  RDP_STREET,
  RDP_NOISE,
  RDP_SPARSE,
  RDP_EXTREME,
  RDP_COMB,
  RDP_DEEP,
  RDP_UNKNOWN,
  RDP_FILLINGS
} RdpFilling;

/* columns × rows whole cells of cell × cell pixels; epsilon in 1/256 px. */
StxRdpParams rdp_params(int columns, int rows, int cell, int epsilon, int median);

/* A filled case; the same for the same arguments. */
RdpCase *rdp_case_new(StxRdpParams params, RdpFilling filling, uint64_t seed);
void rdp_case_free(RdpCase *c);

/* "7x1024 cells of 8x8, epsilon 1024, median 0, filling 3, seed 12" */
void rdp_case_name(const RdpCase *c, RdpFilling filling, uint64_t seed, char *text, size_t size);

/* The result of a run; segments and kept are guarded and the caller's. */
typedef struct {
  StxStixel *segments;
  uint8_t *kept;
  StxRdpResult result;
} RdpRun;

/* Runs the implementation and checks all guards. */
RdpRun rdp_run(const StxRdpImpl *impl, const RdpCase *c, int threads);
void rdp_run_free(RdpRun *run);
STX_AUTO_POINTER(RdpCase, rdp_case_free)
STX_AUTO_VALUE(RdpRun, rdp_run_free)

/* Fails the test where the two differ, naming `what`. */
void rdp_expect_same(
    const RdpCase *c, const RdpRun *expected, const RdpRun *actual, const char *what);
