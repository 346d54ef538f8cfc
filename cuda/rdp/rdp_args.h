/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in rdp.cu, filled by rdp_launch.c, and what a block keeps of its column,
 * because the launcher has to know how much that is. */
#pragma once

#include "common/rdp/rdp_math.h"
#include "cuda/driver/ordered.h"
#include "cuda/stxcuda.h"

enum {
  STX_RDP_MAX_WARPS = 16, /* of a block of stx_rdp_columns */
  STX_RDP_PADDING = 96,   /* cells behind a column that may be read: three warps */
};

/* ---- A column's memory --------------------------------------------------------------------- */

/* Shared memory of the threads of a block. */
typedef struct {
  uint32_t open[3][2];        /* lengths of the lists of short and long segments, by level mod 3 */
  uint32_t kept[32], sum[32]; /* of a warp's cells: how many are kept, their weights */
  uint32_t unknown;           /* cells */
  uint32_t turn;              /* the column */
  uint32_t before;            /* records of the columns before */
  int32_t known[2];           /* the first and the last known cell */
} StxRdpShared;

/* A kept cell, and the sum of the weights of the cells above it. */
typedef struct {
  uint32_t cell, above;
} StxRdpMark;

/* Offsets in bytes from the start of the block's shared memory, or of its part of scratch for those
 * from `largest` on if the column is too high for shared memory. */
typedef struct {
  uint32_t bits;    /* uint32_t, one bit per cell: 1 where it is kept */
  uint32_t cells;   /* uint16_t: disparities after the median, both ends known if any cell is;
                       rows up to a multiple of 8, and STX_RDP_PADDING, that are 0 */
  uint32_t sums;    /* uint32_t, one per vector of eight cells: their weights; at last those of all
                       above them */
  uint32_t shared;  /* bytes of shared memory */
  uint32_t largest; /* uint32_t: the largest x of the segment that begins at the cell */
  uint32_t marks;   /* StxRdpMark: the kept cells, ascending, and one behind them. Written last */
  uint32_t lists;   /* stx_rdp_columns: uint32_t, 2 · rows / 2: open segments of two levels */
  uint32_t scratch; /* bytes of scratch per block; 0: all is in shared memory */
} StxRdpLayout;

/* ---- Kernels ------------------------------------------------------------------------------- */

/* Memory shared by all columns; all bits are 0 in front of a launch. */
typedef struct {
  unsigned long long sum[4]; /* of StxRdpResult: count, unknown, levels, levels_squared */
  uint32_t deepest, reserved;
  StxOrder order; /* with a word per column behind it */
} StxRdpTurns;

typedef struct {
  StxRdpRecords grid;
  int32_t columns, rows, epsilon, median;
  StxRdpLayout layout;
  const uint16_t *cells; /* disparities, then weights */
  StxStixel *segments;   /* NULL: not wanted */
  uint8_t *kept;         /* may be NULL */
  StxRdpResult *result;
  StxRdpTurns *turns;
  char *memory; /* layout.scratch bytes per block */
} StxRdpArgs;
