/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a column of stixels costs, term by term, and what another one would: the answer to "why is
 * there a stixel here?".
 *
 * The energies are those of satdp.h, by the same arithmetic: of the stixels that satdp found, the
 * terms of each add up to its cost, and all of them to the energy that its recurrence found. That
 * keeps one plane per kind and end row, while pair costs depend on the plane: now and then another
 * segmentation costs less.
 */
#ifndef STX_SATDP_EXPLAIN_H
#define STX_SATDP_EXPLAIN_H

#include "common/satdp/satdp.h"

/* A stixel without its record: cells first … last, counted from the image bottom up. */
typedef struct {
  int first, last;
  StxKind kind; /* ground, object or sky */
} StxSatdpPiece;

/* Energies in 1/1024 nat, whole numbers. Names as in satdp.h. */
typedef struct {
  double data, semantic, horizon, unknown, noise;
  double first;     /* of the lowest stixel of the column, … */
  double cut;       /* … and C of every other one */
  double pair;      /* 2^50: these two cannot lie so, or there can be no ground */
  double foot, top; /* values of its plane at the cuts below and above it, 1/256 px: not energies */
} StxSatdpTerms;

/* Their sum. */
double stx_satdp_sum(const StxSatdpTerms *terms);

/* The cells of a record. */
StxSatdpPiece stx_satdp_piece(const StxGrid *grid, const StxStixel *stixel);

/*
 * The terms of `count` pieces of a column: the lowest first, each begins behind the one before, and
 * the last one ends at the top of the image. Parameters, tables and columns as stx_satdp_prepare
 * and StxSatdpImpl.run have them. Returns the energy of the whole column; no less than
 * STX_SATDP_IMPOSSIBLE if it cannot be.
 */
double stx_satdp_explain(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column, const StxSatdpPiece *pieces, int count, StxSatdpTerms *terms);

#define STX_SATDP_IMPOSSIBLE 562949953421312.0 /* 2^49: far above any sum of what can be */

#endif
