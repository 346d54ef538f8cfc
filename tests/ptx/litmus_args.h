/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in litmus.cu, which run with LITMUS_BLOCKS of LITMUS_THREADS. */
#pragma once

#include "cuda/driver/ordered.h"

enum {
  LITMUS_BLOCKS = 2,
  LITMUS_THREADS = 2,
  LITMUS_ALL = LITMUS_BLOCKS * LITMUS_THREADS,
  LITMUS_CELLS = 5
};

typedef struct {
  uint32_t written[LITMUS_BLOCKS]; /* by one thread of each block, 1 */
  uint32_t counted;                /* by the other one */
  uint32_t done;                   /* of is_last_block */
  uint32_t seen[LITMUS_THREADS];   /* by the last block or turn: `counted` and what the other one
                                      wrote, or `added` */
  uint32_t added[LITMUS_THREADS];  /* by the threads of that number */
  StxOrder order;                  /* of is_last_turn */
  uint32_t parent[LITMUS_CELLS];   /* of the cells of a union-find */
} LitmusWords;

typedef struct {
  LitmusWords *words;
  uint32_t edge[LITMUS_ALL][2]; /* what each thread joins */
} LitmusArgs;
