/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the check programs of satdp: a case, which is parameters, their tables and columns in
 * guarded memory, its fillings, and a run with exactly the memory that the contract asks for. Every
 * failure inside fails the test.
 */
#pragma once

#include "common/satdp/satdp_cost_math.h"
#include "tests/testing.h"

typedef struct {
  StxSatdpParams params;
  StxSatdpTables tables;
  StxRoadLine line;  /* that the tables were made from; slope 0: none */
  uint16_t *columns; /* guarded, stx_grid_bytes */
  uint8_t *starts;   /* guarded, or NULL: stixels may begin everywhere */
  uint8_t *prior;    /* guarded, or NULL: what params.prior is */
} Case;

/* Metric, with a height: every sigma counts. */
extern const StxCamera case_camera;

/* For columns × rows whole cells of cell × cell pixels: round numbers near the defaults, for which
 * what is expected was worked out by hand, upright objects among them. */
StxSatdpParams case_params(int columns, int rows, int cell, int classes);

/* Small cases, each parameter at its usual size or at one end of its range. */
StxSatdpParams random_params(StxRandom *random);

/* A road for columns of this height, every other one bent. */
StxRoadLine random_road(StxRandom *random, int height);
StxRoadLine tilted_road(StxRandom *random, int height);

/* The horizon of a column with a tilted road, in units of x, and the cell of the tables that says
 * what is true of its cell u. */
double case_horizon(const Case *c, int column);
int case_road_cell(const Case *c, int column, int u);

/* Makes the tables; leaves the columns to be filled. camera and line may be NULL. */
Case *new_case(StxSatdpParams params, const StxCamera *camera, const StxRoadLine *line);
void free_case(Case *c);
STX_AUTO_POINTER(Case, free_case)

/* NOISE: all 16 bits. SPARSE: a third known, small. STREET: road, an object, sky, with noise,
 * outliers and holes, along the case's own line. HOLES: the same with long stretches unknown, the
 * top of most columns among them, and at times surely sky. SKY: all unknown, with the largest
 * weights. EXTREME: 0, 1 and 0xFFFF, weights included. SLOPES: lines one after the other, flat to
 * steep, with little noise and few holes. */
typedef enum {
  NOISE,
  SPARSE,
  STREET,
  HOLES,
  UNKNOWN,
  CONSTANT,
  SKY,
  EXTREME,
  SLOPES,
  FILLINGS
} Filling;
void fill_case(const Case *c, Filling filling, StxRandom *random);

/* Allows each row of each column as a start with this probability; a mask already there is made
 * anew. 0: no row, the columns' lowest cells included; 100: all. */
void case_starts(Case *c, int percent, StxRandom *random);

/* Kinds of the frame before, and what is raised: long runs of one, and of none. */
void case_prior(Case *c, StxRandom *random);

/* Allows the cells that rdp keeps at this epsilon, in 1/256 px, without a median. */
void case_starts_from_rdp(Case *c, int epsilon);

/* True if a stixel may begin at the cell u of a column, counted from the image bottom up. */
bool case_may_begin(const Case *c, int column, int u);

/* Makes and fills a case, hands it to `check` with words that repeat it, and frees it. */
void check_case(StxSatdpParams params, const StxCamera *camera, const StxRoadLine *line,
    Filling filling, uint64_t seed, void (*check)(const Case *c, const char *what));

/* Cells by themselves, whole numbers, and their sums. */
typedef struct {
  long double w, x, d;
} CaseCell;

StxSegmentSums case_sum_cells(const CaseCell *cells, int n);
StxGroundFit case_fit_ground(const StxSegmentSums *s, StxGroundPrior prior);

const StxSatdpImpl *satdp_reference(void);

/* The records, in guarded memory that the caller frees. */
StxStixel *run_case(const StxSatdpImpl *impl, const Case *c, int threads, StxSatdpResult *result);

/* The reference's records cover every column, from allowed starts, and every usable variant gives
 * the same, whatever the number of threads. */
void case_variants_agree(
    const StxImplTable *impls, const StxSatdpImpl *reference, const Case *c, const char *what);
