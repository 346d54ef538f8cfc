/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the emulator's test kernels. */
#pragma once

#include "cuda/driver/ordered.h"

#define SELFTEST_THREADS 64 /* per block: two warps */
#define SELFTEST_BLOCKS 3

/* A kernel copies: out[i] = in[right neighbour of i in its block, and of its last thread the
 * first]. Both arrays have one word per thread. */
typedef struct {
  const uint32_t *in;
  uint32_t *out;
  uint32_t *count; /* one word, 0 */
} SelftestArgs;

/* result[0]: line of the first wrong value, 0: none; [1], [2]: the value and what was expected. */
typedef struct {
  uint32_t *result;
} SelftestIntrinsicsArgs;

/* One block of two warps. Turn `turn` has `count` records; turn t before it has t % 7, and knows
 * its sum if t is a multiple of `sums`. */
typedef struct {
  StxOrder *order; /* all bits 0 */
  uint32_t turn, count, sums;
  uint32_t *before; /* what a lane was told */
} SelftestOrderArgs;
