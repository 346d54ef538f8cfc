/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The data of fulldp's vector code: satdp's group of neighbouring columns, one to a lane, with
 * their cells. Private to fulldp*_omp.c, which are compiled once per instruction set.
 *
 * Start rows do not make pieces here: a row of the recurrence is a row of cells. A lane in which no
 * stixel may begin at a row has an infinite cost there.
 */
#pragma once

#include "common/fulldp/fulldp_math.h"
#include "common/satdp/satdp_lanes_private.h"

enum { BLOCK_CELLS = 8 };

typedef struct {
  HalfF32 precision, cap;
} CellLanes;

typedef struct {
  Group base;
  float *x;            /* rows */
  HalfF32 *disparity;  /* rows, by u */
  CellLanes *cell[2];  /* likewise, of ground and object */
  Lanes *below[KINDS]; /* rows: C and the least that a start row pays for the cut below it */
  Lanes *barred;       /* rows: infinite where no stixel may begin */
  Lanes *fixed[KINDS]; /* rows + 1: energy of the cells below a boundary that no plane changes; of
                          sky, all but the classes */

  /* By whole blocks of BLOCK_CELLS cells, counted from the lowest: blocks + 1, what the planes of
   * those below cost at least, whatever they are. */
  HalfF32 *least_cells[KINDS];
  Lanes *begin[KINDS], *end[KINDS]; /* rows + 1: what the cells below cost at least: where a stixel
                                       begins there, and where one ends. A stixel from vb to k costs
                                       end[k + 1] − begin[vb] at least */
} Full;

/* The part behind base.raw and the summed tables; after stx_satdp_build. */
void STX_VARIANT(stx_fulldp_build)(Full *f);
