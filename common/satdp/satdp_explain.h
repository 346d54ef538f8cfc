/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cost of a column of stixels, term by term, and that of alternatives: the answer to "why is
 * there a stixel here?".
 *
 * The energies are those of satdp.h, by the same arithmetic: of the stixels that satdp found, the
 * terms of each add up to its cost, and all of them to the energy that its recurrence found. That
 * keeps one plane per kind and end row, while pair costs depend on the plane: now and then another
 * segmentation costs less. stx_satdp_least finds it.
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

/* The pair cost of a stixel, given both planes' values at the cut. */
double stx_satdp_pair(
    const StxSatdpTables *tables, StxKind below, double value, StxKind above, double foot);

/* The terms of a piece wherever it is, without what it pays for the one below it. Parameters,
 * tables and columns as stx_satdp_prepare and StxSatdpImpl.run have them. */
StxSatdpTerms stx_satdp_terms(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column, const StxSatdpPiece *piece);

/* The cells of a record, wherever its foot was settled. */
STX_API StxSatdpPiece stx_satdp_piece(const StxGrid *grid, const StxStixel *stixel);

/*
 * The terms of `count` pieces of a column: the lowest first, each begins behind the one before, and
 * the last one ends at the top of the image. Returns the energy of the whole column; no less than
 * STX_SATDP_IMPOSSIBLE if it cannot be.
 */
STX_API double stx_satdp_explain(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column, const StxSatdpPiece *pieces, int count, StxSatdpTerms *terms);

/*
 * The least energy of all segmentations of a column, and one that has it, of `count` pieces.
 * `pieces` takes as many as the column has rows. In O(rows³), where the recurrence of satdp.h
 * takes O(rows²). `scratch` has stx_satdp_least_scratch bytes, aligned like a double.
 */
STX_API double stx_satdp_least(const StxSatdpParams *params, const StxSatdpTables *tables,
    const void *columns, int column, StxSatdpPiece *pieces, int *count, void *scratch);
STX_API size_t stx_satdp_least_scratch(const StxGrid *grid);

#define STX_SATDP_IMPOSSIBLE 562949953421312.0 /* 2^49: far above any sum of what can be */

#endif
