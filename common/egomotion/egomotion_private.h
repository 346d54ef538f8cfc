/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files egomotion*.c only. */
#pragma once

#include "common/cpu.h"
#include "common/egomotion/egomotion_math.h"

#define EGO_WIDE 16  /* numbers in a patch's row: 2 · EGO_RADIUS + 1, then zeros */
#define EGO_ROWS 12  /* rows of a patch, the last one zeros: whole vectors */
#define EGO_COSTS 64 /* numbers in a row of costs: 2 · EGO_REACH + 1, whole vectors */

/* 11 × 11 pixels: gray levels, central differences across and down. */
typedef struct {
  int16_t t[EGO_ROWS][EGO_WIDE], x[EGO_ROWS][EGO_WIDE], y[EGO_ROWS][EGO_WIDE];
  EgoProducts of;
} EgoPatch;

/* ---- Poses --------------------------------------------------------------------------------- */

#define EGO_UNKNOWNS (6 + EGO_BENDS) /* turn, shift, what disparities are off by */

/* The offset of disparities: offset[0] + offset[1] · x + offset[2] · x² pixels at the column cx +
 * focal · x; and the inverse of its covariance. */
typedef struct {
  double offset[EGO_BENDS], certainty[EGO_BENDS][EGO_BENDS];
} EgoBend;

/* A point before, in metres, where it is seen now, and what is known of that. */
typedef struct {
  double p[3];    /* of the frame before */
  double before;  /* its disparity there */
  double u, v, d; /* now; d < 0: unknown */
  double spread;  /* standard deviation of u and v, pixels */
} EgoPoint;

#define EGO_NOISE_BEFORE .2 /* px: standard deviation of disparities */
#define EGO_NOISE_NOW .2
#define EGO_NUDGE .25 /* px, for slopes */
#define EGO_SOFT 4.0  /* squared error, in variances, that quarters a weight */
#define EGO_FAR 11.34 /* … beyond which a point does not agree: 1 % of three normal errors */
#define EGO_LANES 8   /* sums of points, of every eighth point each */

/* The unknowns, and the points. */
typedef struct {
  const EgoCamera *camera;
  const EgoPoint *points;
  int count;
  EgoPose pose;
  double bend[EGO_BENDS]; /* more than what the points have been freed of */
} EgoFit;

/* The normal equations of weighted errors: of `a` the upper half. */
typedef struct {
  double a[EGO_UNKNOWNS][EGO_UNKNOWNS], b[EGO_UNKNOWNS];
  double weight, error; /* sums of weights, and of squared errors so weighted */
  int agree;            /* points whose errors are not large */
} EgoEquations;

/* The parts that look at pixels, or at all points. */
typedef struct StxEgomotionImpl {
  StxImplInfo info;
  /* Takes the picture, unless it is the one before, makes those that come of it, and finds the
   * corners in its cells; meanwhile `search`, if it is not NULL, as the next one does. */
  bool (*look)(StxEgomotion *, const StxEgomotionFrame *, const EgoSearch *search, StxError *);
  /* Searches corners of the frame before, which fills as many matches. */
  bool (*match)(StxEgomotion *, const StxEgomotionFrame *, const EgoSearch *, StxError *);

  size_t (*device_bytes)(int width, int height); /* NULL on the host, */

  /* … where these do the work. */
  void (*half)(const StxImage8 *full, const StxImage8 *half, int row, int end);
  void (*relief)(const StxImage8 *half, const StxImage8 *relief, int k, int row, int end);
  /* A row of cells: the score (0: no corner) and the place in each. */
  void (*corners)(const StxImage8 *half, int row, int32_t *scores, int16_t (*places)[2]);
  /* Sums of absolute differences for each place of a window, and the least of each of its rows.
   * Sums that reach `limit`, or ego_beyond of the least of all, may be left unfinished, but do not
   * fall below it. What stands behind the columns of a row is nothing. */
  void (*costs)(const StxImage8 *before, int x, int y, const StxImage8 *now,
      const EgoWindow *window, int limit, uint16_t (*costs)[EGO_COSTS], uint16_t *least);
  void (*patch)(const StxImage8 *before, int x, int y, EgoPatch *patch);
  /* At (x, y) / EGO_STEPS: EGO_RADIUS or more from the first pixel, more from the last. */
  void (*sums)(const EgoPatch *patch, const StxImage8 *now, int x, int y, EgoSums *sums);

  /* The equations of points first … end − 1: the n-th adds to sum n % EGO_LANES, and these are
   * added in their order. */
  void (*equations)(const EgoFit *, int first, int end, EgoEquations *);
} EgoImpl;

STX_DECLARE(EgoImpl, stx_egomotion, half);
STX_DECLARE(EgoImpl, stx_egomotion, relief);
STX_DECLARE(EgoImpl, stx_egomotion, corners);
STX_DECLARE(EgoImpl, stx_egomotion, costs);
STX_DECLARE(EgoImpl, stx_egomotion, patch);
STX_DECLARE(EgoImpl, stx_egomotion, sums);
STX_DECLARE(EgoImpl, stx_egomotion, equations);

/* The least sum that does not compete with `least`, as ego_is_unique has it. */
static inline int ego_beyond(int least)
{
  return (int)(EGO_UNIQUE * least) + 1;
}

static inline EgoPose ego_still(void)
{
  return (EgoPose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
}

/* Solves n equations whose right side is column n, with the largest pivot of each column. False:
 * they have no solution, or many. */
bool ego_solve(int n, double a[EGO_UNKNOWNS][EGO_UNKNOWNS + 1]);

/* Computes the derivatives (Jacobian) of u, v and d by turn and shift, at a seen point. */
void ego_slopes(const EgoCamera *, const double seen[3], double rows[3][EGO_UNKNOWNS]);

/* pose = (turn and shift of `step`) after pose. */
void ego_move(EgoPose *pose, const double step[6]);

/* Finds the best motion of three points from `pose` on, writes it there, and returns the number of
 * points that agree. */
int ego_ransac(const EgoCamera *, const EgoPoint *points, int count, EgoPose *pose);

/* Makes the pose that of all points, from `pose` on: their weights fall with their error. Returns
 * how many agree, and fills in standard deviations and the offset of disparities, from which the
 * points have been freed as far as it was known. At most STX_EGOMOTION_MAX_POINTS. `impl` is one of
 * the host's. On failure, 0,
 * pose and offset stay. */
int ego_refine(const EgoImpl *, const EgoCamera *, const EgoPoint *points, int count, int threads,
    EgoPose *pose, EgoBend *bend, double deviation[6]);

/* Nothing is known of it, but that it is small. */
void ego_bend_begin(EgoBend *bend);

/* ---- The state ------------------------------------------------------------------------------ */

struct StxEgomotion {
  const EgoImpl *impl;
  int width, height, cells_across, cells_down;
  void *memory;                          /* all that follows up to `seen` */
  void *device_memory;                   /* of the frame before */
  StxImage8 full[2], half[2], relief[2]; /* on the host only */
  int32_t *scores;                       /* of each cell; on the host only */
  int16_t (*places)[2];
  EgoLook *look;  /* this and the next two as ego_take_results has them */
  EgoCell *cells; /* without a disparity on the host */
  EgoMatch *matches;
  EgoCorner *corners;
  StxMotionPoint *points;
  EgoPoint *seen; /* of each point */

  int now; /* which of two pictures is written; the other one is that before */
  int corner_count, point_count;
  bool begun, known; /* there is a frame before; its motion is known: */
  EgoPose pose;
  EgoBend bend;
  int odd; /* frames in turn with which `bend` does not agree; < 0: it was given up so long ago */
  StxCamera camera;
  uint64_t time, last_step; /* of the frame before; since the one before it, 0: unknown */
};

/* Returns how far disparities are off in the mean over the picture's columns, pixels, and the
 * standard deviation of that. */
void ego_bend_mean(
    const EgoBend *bend, const StxCamera *camera, int width, double *offset, double *deviation);

/* The best one of this machine. */
const EgoImpl *ego_host_impl(void);

/* Results of a device, in one block: the look, each cell, and a match for each corner. */
void ego_take_results(
    StxLayout *layout, size_t cells, EgoLook **look, EgoCell **found, EgoMatch **matches);

/* The search for corners of the frame before with which the next frame begins, from the pose that
 * is expected. False: there are too few. */
bool ego_search_begin(
    const StxEgomotion *, const StxEgomotionFrame *, const EgoPose *, EgoSearch *search);

/* Once that has been done: finds the corners of the frame before in this one, which fills points,
 * and makes `pose` the motion of most of them; `bend` likewise. *agree: how many. */
bool ego_match(StxEgomotion *, const StxEgomotionFrame *, EgoSearch *search, EgoPose *pose,
    EgoBend *bend, double deviation[6], uint32_t *agree, StxError *error);

/* StxEgomotionImpl.match on the host. */
bool ego_match_host(
    StxEgomotion *, const StxEgomotionFrame *, const EgoSearch *search, StxError *error);
