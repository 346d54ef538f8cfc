/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments of the kernels in satdp.cu, filled by satdp_launch.c, and what a block keeps of its
 * column, because the launcher has to know how much that is. */
#pragma once

#include "common/satdp/satdp_cost_math.h"
#include "cuda/driver/ordered.h"
#include "cuda/stxcuda.h"

enum {
  STX_SATDP_TILE = 8, /* end rows that are worked on together; a divisor of 32 */
  STX_SATDP_PAIRS = STX_SATDP_TILE * (STX_SATDP_TILE - 1) / 2, /* that begin and end in it */
  STX_SATDP_WARPS = 8,               /* of a block: satdp_dp.cuh says who does what */
  STX_SATDP_PARTS = STX_SATDP_WARPS, /* partial results of a kind, at most */
  STX_SATDP_BLOCKS = 1024,           /* at most: more columns take turns */
};

/* ---- A column's memory --------------------------------------------------------------------- */

/* A boundary between two rows of cells. Kinds: 0 ground, 1 object, 2 sky. */
typedef struct {
  /* Sums over the cells below the boundary. */
  int64_t ground_x, ground_xx, ground_d, ground_xd, ground_dd, object_d, object_dd, sky_dd;
  int64_t key[3];   /* T_K of the row below the boundary and its link, see satdp_column.cuh; */
  int32_t value[2]; /* its plane's value at the boundary: ground, object */
  float bound[3];   /* bound_K of the start row above the boundary; see satdp_dp.cuh */
  /* More sums. fixed: energy of horizon, cells and First, < 2^31; lower: with the cheapest
   * class of the kind in each cell, < 2^32. */
  int32_t ground_w, object_w, weight;
  uint32_t fixed[3], lower[3];
  int32_t cut;       /* where the boundary lies, in units of x */
  uint16_t boundary; /* how many cells lie below it */
  uint16_t rest;     /* the largest disparity above it */
} StxSatdpRow;

/* More sums, of objects that may be slanted. Three words: an odd number, too. */
typedef struct {
  int64_t x, xx, xd;
} StxSatdpSlant;

/* The part of a pair that does not depend on the recurrence: its own share of a key, and its
 * plane's values at the cuts, which are 0 for sky. */
typedef struct {
  int64_t key;
  int32_t foot, top;
} StxSatdpTerm;

/* The pairs that end in the tile in which they begin: 1 … 1, 1 … 2, up to 7 … 7; those of start row
 * i follow those of i − 1. One place before them is read, and what is there does not count. */
typedef struct {
  StxSatdpTerm term[3][1 + STX_SATDP_PAIRS];
} StxSatdpTerms;

/* The best of some start rows, by end row of a tile. */
typedef struct {
  int64_t key[STX_SATDP_TILE];
  int32_t value[STX_SATDP_TILE];
} StxSatdpPartial;

/* A kind's constants of what lies below a cut, see satdp_column.cuh: in memory because a lane that
 * picks its own from a few loads keeps fewer registers than one that computes them. */
typedef struct {
  uint64_t ground_cost, object_cost; /* · 2^32 + 2^31 */
  uint32_t tolerance, window, slope;
  int32_t unknown, over;
  uint32_t meeting, otherwise, ground_times, object_times, sky, kind;
} StxSatdpRule;

/* Copies of the tables for the recurrence: shared memory is faster, and four words of it are one
 * load. */
typedef struct {
  StxGroundPrior prior;
  float residual_energy, unsure; /* unsure: of stx_data_energy, per unit of the sum of squares */
  uint32_t pair_cost, pair_tolerance, pair_slope; /* StxPairCost, see satdp_column.cuh */
  int32_t stixel_cost;
} __attribute__((aligned(16))) StxSatdpConstants;

typedef struct {
  StxSatdpConstants constants;
  StxSatdpRule rule[3];
  int32_t rows;     /* that the recurrence sees: see satdp_column.cuh */
  int32_t live[3];  /* lengths of the lists of start rows */
  uint8_t pair[32]; /* i · STX_SATDP_TILE + j of StxSatdpTerms' pair i … j; then zeros */
  uint32_t evaluated, records, column, first;
} StxSatdpCounts;

/* The beginning of a block's shared memory, so that its addresses are constants; rows follow if
 * they are there. */
typedef struct {
  StxSatdpTerms terms[2]; /* of even and of odd tiles */
  StxSatdpPartial partial[3 * STX_SATDP_PARTS];
  StxSatdpCounts counts;
} StxSatdpShared;

/* Offsets of the rest, in bytes from the start. */
typedef struct {
  uint32_t slants;  /* behind the rows, if objects may be slanted */
  uint32_t classes; /* 16-byte aligned, if they are there */
  uint32_t lists;   /* uint16_t, 2 · 3 of a column's rows: start rows */
  uint32_t size;
} StxSatdpLayout;

/* A cell for fulldp: x, disparity, and its cost in a ground and in an object. */
typedef struct {
  float x, disparity, precision[2], cap[2];
} StxFulldpCell;

/* ---- Kernels ------------------------------------------------------------------------------- */

/* Memory shared by all columns; all bits are 0 in front of a launch. */
typedef struct {
  unsigned long long sums; /* see add_to_result */
  StxOrder order;          /* with a word per column behind it */
} StxSatdpTurns;

typedef struct {
  StxSatdpParams params;
  StxSatdpLayout layout;
  const StxSatdpTables *tables;
  const uint16_t *columns;
  const uint8_t *starts; /* NULL: stixels may begin everywhere */
  StxStixel *stixels;
  StxSatdpResult *result;
  StxSatdpTurns *turns;
  StxSatdpRow *rows;     /* of the kernel that keeps them in scratch: rows + 1 per block */
  StxSatdpSlant *slants; /* likewise, of objects that may be slanted */
  int32_t *classes; /* NULL: class sums in shared memory; else (rows + 1) · quads · 4 per block */
  StxFulldpCell *full;         /* of fulldp alone: a column's cells per block */
  int32_t column_count, cells; /* of the grid, of a column */
  int32_t has_ground;
  uint32_t processors; /* multiprocessors of the device, at least 1 */
  /* Classes, ordered by kind: K has classes class_begin[K] … class_begin[K + 1] − 1. If it has two
   * or more, their sums stand in a table, as quads of four, each of which is one load. One class
   * needs none: its sum is what `lower` has and `fixed` has not. */
  int32_t class_begin[4], quads[3];
  int32_t table[3], table_size; /* where a kind's table begins, all together; in quads */
  uint8_t class_id[STX_MAX_CLASSES];
} StxSatdpColumnsArgs;
