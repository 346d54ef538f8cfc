/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stx-eval column: why a column's stixels are what they are. column.c reads pictures and runs the
 * pipeline, column_why.c asks what other stixels would cost, column_text.c tells;
 * column_count.c counts in how many columns others would cost less.
 * docs/measure/plot_column.py draws the JSON.
 */
#ifndef EVAL_COLUMN_H
#define EVAL_COLUMN_H

#include <stdio.h>

#include "common/pipeline/pipeline.h"
#include "common/satdp/satdp_explain.h"

#define COLUMN_KINDS 3 /* ground, object, sky */

/* Energies in 1/1024 nat. */
typedef struct {
  StxStixel record;
  StxSatdpPiece piece;
  StxSatdpTerms terms;
  double
      as[COLUMN_KINDS]; /* what the column costs more with this one of another kind; 0: its own */
  double merged; /* … if it were one with that below it, of the kind that then costs least; of the
                    lowest one not a number */
  StxKind merged_kind;
} ColumnStixel;

typedef struct {
  const char *name; /* of the frame */
  StxGrid grid;
  StxCamera camera;
  const StxRoadLine *line; /* NULL: none */
  int column;
  const uint16_t *disparity, *weight; /* of its cells, from the top */
  ColumnStixel *stixels;              /* the lowest first; of segments only `record` counts */
  int count;
  bool is_segments;   /* of rdp: nothing is known of energies */
  double energy;      /* of the column */
  double least;       /* of all segmentations */
  int sky, least_sky; /* stixels of sky that end below the horizon, here and where the energy is
                         least */
} ColumnStory;

/* The road of that column, where there is one. */
static inline StxRoadLine column_road(const ColumnStory *s)
{
  return stx_roadline_in_column(s->line, (s->column + .5) * s->grid.cell_width - .5);
}

/* Fills in energies, terms and alternatives of stixels whose records are there; `params` and
 * `columns` are those of satdp. */
bool column_ask(
    ColumnStory *story, const StxSatdpParams *params, const void *columns, StxError *error);

bool column_is_possible(double energy);

/* By how much a single change would make the column cheaper, 0: none would. */
double column_gain(const ColumnStory *story);

/* Columns that could cost less, and the one that could most. */
typedef struct {
  int count, column;
  double most;
  char frame[64];
} ColumnWorst;

/* All columns of some frames. */
typedef struct {
  int frames, columns, stixels;
  double energy;             /* the sum */
  double excess;             /* of that what is above the least */
  ColumnWorst change, least; /* by a single change, by any */
  int sky, least_sky;        /* as in ColumnStory */
} ColumnCount;

void column_count(ColumnCount *count, const ColumnStory *story);
void column_count_print(FILE *out, const ColumnCount *count);
void column_count_print_json(FILE *out, const ColumnCount *count);

/* "object". */
const char *column_kind(StxKind kind);

/* The names of the terms and where they stand, ends with NULL. */
typedef struct {
  const char *name, *text;
  size_t offset; /* in StxSatdpTerms */
} ColumnTerm;
extern const ColumnTerm column_terms[];
double column_term(const ColumnStixel *stixel, const ColumnTerm *term); /* nats */

/* Pixels of disparity of a cell, 0: unknown; and the image row of its centre. */
double column_disparity(const ColumnStory *story, int row);
double column_row(const ColumnStory *story, int row);

void column_print(FILE *out, const ColumnStory *story);
void column_print_json(FILE *out, const ColumnStory *story);

#endif
