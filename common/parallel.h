/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loops whose pieces several threads take, one after the other, until none is left.
 *
 * The caller works, too, and waits only for threads that have taken a piece: a thread that
 * gets no core costs nothing. That is what makes short loops safe on a machine that is busy with
 * other work, where threads that all wait for each other may wait for many milliseconds. A caller
 * that a helper has kept waiting for longer than it saved works alone for a while.
 *
 * The helpers belong to the process and to no caller: as many as there are cores besides the one of
 * a caller, or as one caller asks for, if that is more. They are started when a loop wants them,
 * look for the next one for some microseconds, then sleep, and end after a second without work.
 * Where the system grants fewer, or other loops have them, callers do more of the pieces
 * themselves. A child process starts without any.
 *
 * With STX_THREADING=openmp in the environment the threads are OpenMP's instead: a parallel region
 * per loop. The results are the same bytes. All threads of a region wait for each other, so that a
 * short loop beside other work may take a hundred times as long (docs/benchmarks.md), and a child
 * process of one that has used them may hang (GNU libgomp).
 */
#pragma once

#include "common/stx.h"

#define STX_THREADING "STX_THREADING" /* the environment's variable: pool (default) or openmp */

/* False, with a text in `error`, where the variable has a value that this build does not know; the
 * pool is used then. */
bool stx_parallel_check(StxError *error);

/* Does piece `i` of a loop. `worker` is less than the loop's number of workers, and pieces that are
 * done at the same time have different ones: it chooses scratch and tables. Which worker gets which
 * pieces differs from run to run. */
typedef void StxPiece(void *data, int i, int worker);

/*
 * Does the pieces 0 … pieces − 1 of a loop with up to `workers` threads, begun in this order, and
 * returns when all are done. Pieces see what the caller wrote before, and the caller what they
 * wrote. The caller is worker 0.
 *
 * Within a piece the caller does all of them itself, in order.
 */
void stx_parallel(int workers, int pieces, StxPiece *piece, void *data);

/* The waiting time of a piece: {0} at first. */
typedef struct {
  long long since; /* ns */
} StxBackoff;

/* For a piece that waits for what another one does: to be called until that is done. Takes moments
 * at first; later it sleeps, and leaves the core to others. What it waits for must have begun. */
void stx_parallel_wait(StxBackoff *backoff);
