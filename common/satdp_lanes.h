/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What satdp's vector code works on: LANES neighbouring columns, a group, with one lane each.
 * Private to satdp_omp.c and satdp_tables_omp.c, which are compiled once per instruction set.
 */
#ifndef STX_SATDP_LANES_H
#define STX_SATDP_LANES_H

#include "common/cpu.h"
#include "common/stixel_cost.h"

#ifdef __AVX512F__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

#ifdef _OPENMP
#define EACH_LANE _Pragma("omp simd") for (int l = 0; l < LANES; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)
#endif

typedef double Lanes[LANES] __attribute__((aligned(8 * LANES))); /* a whole vector */
typedef int32_t Ints[LANES] __attribute__((aligned(4 * LANES)));
typedef uint16_t Cells[LANES] __attribute__((aligned(2 * LANES)));

enum { GROUND, OBJECT, SKY, KINDS };

/* Sums over the cells below a boundary. */
typedef struct {
  Lanes ground_w, ground_x, ground_xx, ground_d, ground_xd, ground_dd;
  Lanes object_w, object_d, object_dd;
  Lanes sky_dd;
  Lanes unknown;      /* what unknown cells cost ground and object */
  Lanes lower[KINDS]; /* energy of horizon and unknown cells, and of what no class undercuts */
} SumRow;

/* T_P and plane values below a cut, the links that led there. Entry 0, below the image, is an
 * object of unknown disparity and energy −C: nothing is paid for standing on it. */
typedef struct {
  Lanes energy[KINDS], link[KINDS], value[2];
} State;

typedef struct {
  const StxSatdpParams *params;
  const StxSatdpTables *tables;
  const void *columns;
  int column[LANES]; /* of each lane */

  SumRow *rows; /* rows + 1 */
  Lanes *rest;  /* rows + 1: the largest disparity from a cell up */
  Ints *sums;   /* (rows + 1) × classes[KINDS]: summed energies of the classes that compete: */
  int classes[KINDS + 1]; /* sums[u · classes[KINDS] + classes[K] … classes[K + 1] − 1], kind K */
  Cells *raw;             /* channels × rows: the columns as they came, by u */

  State *states;       /* rows + 1; [k + 1] holds T_K(k) */
  Lanes *bound[KINDS]; /* rows, by vb; see satdp_omp.c */
  Lanes *least[KINDS]; /* rows: C + the least that the cut below vb can cost */
  Lanes *free;         /* rows: the ground's bound with its prior left out */
  int *visited[KINDS]; /* rows: the last k at which the start row was computed */
  int *list[KINDS];    /* rows: start rows to be computed, */
  int listed[KINDS];   /*   how many */
  int first[KINDS];    /* see satdp_omp.c */
  Lanes best[KINDS], link[KINDS], value[KINDS]; /* of the row k under way */
  uint64_t evaluated;
} Group;

/* Fills rows, rest, sums and classes from the columns of the group. */
void STX_VARIANT(stx_satdp_build)(Group *g);

#endif
