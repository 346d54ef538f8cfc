/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The data of satdp's vector code: LANES neighbouring columns, a group, with one lane each. Private
 * to satdp*_omp.c, which are compiled once per instruction set.
 *
 * Where start rows are given, a row of the recurrence is not a row of cells but a *piece*: the
 * cells from one allowed start to below the next, of every lane its own. Tables and states then
 * have an entry per boundary between pieces, and nothing else of the recurrence changes. A lane
 * with fewer pieces than the longest is done before it, and asks for no work in the rows after.
 */
#pragma once

#include "common/cpu.h"
#include "common/satdp/satdp_cost_math.h"
#include "common/simd/simd_f64.h"

enum { LANES = LANES_64 };

#ifdef _OPENMP
#define EACH_LANE _Pragma("omp simd") for (int l = 0; l < LANES; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)
#endif

typedef double Lanes[LANES] __attribute__((aligned(8 * LANES))); /* a whole vector */
typedef int32_t Ints[LANES] __attribute__((aligned(4 * LANES)));
typedef uint16_t Cells[LANES] __attribute__((aligned(2 * LANES)));

enum { GROUND, OBJECT, SKY, KINDS };
enum {
  OPEN_ROWS = 8, /* start rows that are looked at together */
  AHEAD = 4,     /* cells that a limit looks at */
};

/* Sums over the cells below a boundary. */
typedef struct {
  Lanes ground_w, ground_x, ground_xx, ground_d, ground_xd, ground_dd;
  Lanes object_w, object_d, object_dd;
  Lanes sky_dd;
  Lanes placed[KINDS]; /* energy of horizon, cells (stx_cell_energy) and, in the first, First */
  Lanes lower[KINDS];  /* the same, and of what no class undercuts */
} SumRow;

/* More sums, of objects that may be slanted. */
typedef struct {
  Lanes x, xx, xd;
} SlantRow;

/* T_P and plane values below a cut, the links that led there. Entry 0, below the image, is an
 * object of unknown disparity and energy −C: nothing is paid for standing on it. */
typedef struct {
  Lanes energy[KINDS], link[KINDS], value[2];
} State;

/* Constants of all pairs, copied from StxSatdpTables. */
typedef struct {
  HalfF32 ground_slope, horizon_x, lambda_intercept, lambda_slope, lambda_object, residual_energy;
  Lanes pair_cost, pair_slope, pair_tolerance, stixel_cost;
  Lanes unsure; /* energy by which a data term may be off per Σ folded weight · (1/256 px)² */
  Lanes slack, wide; /* of limits, satdp_rows.inc.h: what they always add, and sometimes */
} LaneTables;

typedef struct {
  const StxSatdpParams *params;
  const StxSatdpTables *tables;
  LaneTables terms;
  const void *columns;
  const uint8_t *starts; /* NULL: rows are rows of cells */
  int column[LANES];     /* of each lane */
  int drop;              /* of all lanes, by stx_drop_cells */

  Ints *boundary; /* rows + 1: the cell above each boundary between pieces */
  Ints pieces;    /* how many: the rows that the recurrence has in each lane */
  int longest;    /* a lane that has the most */

  SumRow *rows;      /* rows + 1 */
  SlantRow *slants;  /* rows + 1; NULL: objects are upright */
  HalfF32 *cut;      /* rows + 1: where each boundary lies */
  Lanes *rest;       /* rows + 1: the largest disparity from a cell up */
  Cells *near, *far; /* rows + 1: the largest and the smallest of AHEAD cells from a cell up; of
                        the last few rows of themselves */
  Ints *sums; /* (rows + 2) × classes[KINDS]: summed energies of the classes that compete: */
  int classes[KINDS + 1]; /* sums[u · classes[KINDS] + classes[K] … classes[K + 1] − 1], kind K */
  Cells *raw;             /* channels × rows, and one: the columns as they came, by u */
  Cells *above;           /* rows: the next known disparity above a cell */

  State *states; /* rows + 1; [k + 1] holds T_K(k) */
  bool limited;  /* see satdp_rows.inc.h; */
  int loose;     /* the start row that loose states name: no row */
  HalfF32
      *bound[KINDS];    /* rows + OPEN_ROWS + 1, by vb; see satdp_omp.c. Infinite: nothing to try */
  Lanes *base[KINDS];   /* rows: C + the least that the cut below vb can cost − STX_ROUNDING −
                         placed there, and twice its `unsure`; of fulldp its bound, unrounded */
  HalfF32 *free[2];     /* rows: the bounds of ground and slanted objects, their priors left out */
  int *visited[KINDS];  /* rows + OPEN_ROWS + 1: the last k at which the start row was among the
                          winners */
  int16_t *list[KINDS]; /* rows + OPEN_ROWS: start rows to be computed */
  int listed[KINDS];    /* number of start rows in `list` */
  int16_t won[KINDS][LANES + 1]; /* the same of those that won the row before, */
  int wins[KINDS];
  HalfF32 held[KINDS][LANES]; /* bounds of those in `won` while they are hidden */
  int first[KINDS];           /* see satdp_omp.c */
  Lanes cost, worst; /* C, and what a best begins with; of lanes that are done: no start row's
                        bound, and no limit */
  Lanes best[KINDS], link[KINDS], value[KINDS]; /* of the row k under way */
  Lanes placed[KINDS];                          /* likewise: C and SumRow.placed above the row */
  Lanes spare[KINDS];                           /* `placed` less SumRow.lower, its `unsure` and C */
  uint64_t evaluated;
} Group;

/*
 * A frame, group by group, for satdp and for fulldp. lay_out: a Group is the first thing in
 * `memory`, its arrays follow; returns their size, without memory only that. solve: fills the
 * states of the group from its columns.
 */
typedef struct {
  size_t (*lay_out)(const StxSatdpParams *params, char *memory);
  void (*solve)(Group *g);
} GroupWork;

size_t STX_VARIANT(stx_satdp_groups_scratch)(
    const GroupWork *work, const StxSatdpParams *params, int threads);

/* As StxSatdpImpl.run; of `model` parameters, tables, columns and starts. */
void STX_VARIANT(stx_satdp_run_groups)(const GroupWork *work, const Group *model,
    StxStixel *stixels, StxSatdpResult *result, void *scratch, int workers);

/* Takes a group's arrays. */
void STX_VARIANT(stx_satdp_take)(StxLayout *at, const StxSatdpParams *params, Group *g);

/* Fills rows, rest, sums and classes from the columns of the group, for every row of cells. */
void STX_VARIANT(stx_satdp_build)(Group *g);

/* Finds the pieces. With start rows given, of rows, rest and sums only the boundaries between
 * pieces stay. */
void STX_VARIANT(stx_satdp_compress)(Group *g);

/* With start rows given, moves energies and links of the states back to rows of cells, where
 * pieces end; the states in between are left undefined. */
void STX_VARIANT(stx_satdp_expand)(Group *g);
