/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files egomotion*.c only. */
#ifndef STX_EGOMOTION_PRIVATE_H
#define STX_EGOMOTION_PRIVATE_H

#include "common/cpu.h"
#include "common/egomotion/egomotion.h"

#define EGO_CELL 8    /* pixels of the half picture, a side of a cell */
#define EGO_SIDE 8    /* of a patch of the relief, … */
#define EGO_BEFORE 4  /*   of which so many pixels lie before its place, across and down */
#define EGO_BORDER 7  /* pixels of the half picture without corners and places: patches fit in */
#define EGO_RADIUS 5  /* of a patch of the full picture */
#define EGO_WIDE 16   /* its rows in memory: 2 · EGO_RADIUS + 1 numbers, then zeros */
#define EGO_REACH 31  /* most columns or rows of a window to either side */
#define EGO_COSTS 64  /* numbers in a row of costs: 2 · EGO_REACH + 1, whole vectors */
#define EGO_STEPS 64  /* of a pixel: where patches are taken between pixels */
#define EGO_PIXELS 8  /* of a gray level: of the values there */
#define EGO_SPACE 192 /* bytes behind the last row of a picture that may be read */

/* Places in the relief where a patch is searched: those from (x, y) on. */
typedef struct {
  int x, y, columns, rows;
} EgoWindow;

/* 11 × 11 pixels: gray levels, central differences across and down, and sums of their products. */
typedef struct {
  int16_t t[2 * EGO_RADIUS + 1][EGO_WIDE], x[2 * EGO_RADIUS + 1][EGO_WIDE],
      y[2 * EGO_RADIUS + 1][EGO_WIDE];
  int32_t sum_t, sum_x, sum_y, tt, tx, ty, xx, xy, yy;
} EgoPatch;

/* The same with the values J now, EGO_PIXELS for a gray level. */
typedef struct {
  int32_t sum_j, jj, tj, xj, yj;
} EgoSums;

/* The parts that look at pixels. */
typedef struct {
  StxImplInfo info;
  void (*half)(const StxImage8 *full, const StxImage8 *half, int row, int end);
  void (*relief)(const StxImage8 *half, const StxImage8 *relief, int k, int row, int end);
  /* A row of cells: the score (0: no corner) and the place in each. */
  void (*corners)(const StxImage8 *half, int row, int32_t *scores, int16_t (*places)[2]);
  /* Sums of absolute differences for each place of a window, and the least of each of its rows.
   * What stands behind the columns of a row is nothing. */
  void (*costs)(const StxImage8 *before, int x, int y, const StxImage8 *now,
      const EgoWindow *window, uint16_t (*costs)[EGO_COSTS], uint16_t *least);
  void (*patch)(const StxImage8 *before, int x, int y, EgoPatch *patch);
  /* At (x, y) / EGO_STEPS: EGO_RADIUS or more from the first pixel, more from the last. */
  void (*sums)(const EgoPatch *patch, const StxImage8 *now, int x, int y, EgoSums *sums);
} EgoImpl;

extern const StxImplTable stx_egomotion_impls;

#define STX_EGOMOTION_DECLARE(suffix)                                                              \
  void stx_egomotion_half_##suffix(const StxImage8 *, const StxImage8 *, int, int);                \
  void stx_egomotion_relief_##suffix(const StxImage8 *, const StxImage8 *, int, int, int);         \
  void stx_egomotion_corners_##suffix(const StxImage8 *, int, int32_t *, int16_t(*)[2]);           \
  void stx_egomotion_costs_##suffix(const StxImage8 *, int, int, const StxImage8 *,                \
      const EgoWindow *, uint16_t(*)[EGO_COSTS], uint16_t *);                                      \
  void stx_egomotion_patch_##suffix(const StxImage8 *, int, int, EgoPatch *);                      \
  void stx_egomotion_sums_##suffix(const EgoPatch *, const StxImage8 *, int, int, EgoSums *);
STX_EGOMOTION_DECLARE(c)
STX_EGOMOTION_DECLARE(base)
#if STX_BUILD_X86
STX_EGOMOTION_DECLARE(avx2)
STX_EGOMOTION_DECLARE(avx512)
#endif
#undef STX_EGOMOTION_DECLARE

/* Arithmetic that all of them compile. */

static inline uint8_t ego_relief(int pixel, int sum, int k)
{
  int value = 128 + (k * (49 * pixel - sum) >> 10);
  return (uint8_t)(value < 1 ? 1 : value > 255 ? 255 : value);
}

/* Exact up to the division: all products are below 2^53. */
static inline int32_t ego_score(double a, double b, double c)
{
  return (int32_t)((a * b - c * c) / (a + b + 1));
}

static inline int ego_between(const int weights[4], int a, int b, int c, int d)
{
  return (weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d + 256) >> 9;
}

static inline void ego_weights(int x, int y, int weights[4])
{
  weights[0] = (EGO_STEPS - x) * (EGO_STEPS - y);
  weights[1] = x * (EGO_STEPS - y);
  weights[2] = (EGO_STEPS - x) * y;
  weights[3] = x * y;
}

/* ---- Poses --------------------------------------------------------------------------------- */

#define EGO_BENDS 3
#define EGO_UNKNOWNS (6 + EGO_BENDS) /* turn, shift, what disparities are off by */

typedef struct {
  double r[9], t[3];
} EgoPose;

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

typedef struct {
  double focal, cx, cy, scale; /* scale: focal · baseline */
} EgoCamera;

static inline EgoPose ego_still(void)
{
  return (EgoPose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};
}

/* Solves n equations whose right side is column n, with the largest pivot of each column. False:
 * they have no solution, or many. */
bool ego_solve(int n, double a[EGO_UNKNOWNS][EGO_UNKNOWNS + 1]);

/* The image now of a point before. False: not in front of the camera. */
bool ego_project(const EgoCamera *, const EgoPose *, const double p[3], double seen[3]);

/* By how much u, v and d change with turn and shift, where a point is seen. */
void ego_slopes(const EgoCamera *, const double seen[3], double rows[3][EGO_UNKNOWNS]);

/* pose = (turn and shift of `step`) after pose. */
void ego_move(EgoPose *pose, const double step[6]);

/* Finds the best motion of three points from `pose` on, writes it there, and returns the number of
 * points that agree. */
int ego_vote(const EgoCamera *, const EgoPoint *points, int count, EgoPose *pose);

/* Makes the pose that of all points, from `pose` on: their weights fall with their error. Returns
 * how many agree, and fills in standard deviations and the offset of disparities, from which the
 * points have been freed as far as it was known. At most STX_EGOMOTION_MAX_POINTS. On failure, 0,
 * pose and offset stay. */
int ego_refine(const EgoCamera *, const EgoPoint *points, int count, int threads, EgoPose *pose,
    EgoBend *bend, double deviation[6]);

/* Nothing is known of it. */
void ego_bend_begin(EgoBend *bend);
double ego_bend_at(const EgoBend *bend, double x);

/* ---- The state ------------------------------------------------------------------------------ */

/* A corner of the frame before. */
typedef struct {
  int x, y;        /* in the half picture; the full one's is twice that */
  float disparity; /* pixels, > 0 */
} EgoCorner;

/* A corner that was found again. */
typedef struct {
  bool found;
  double u, v; /* in the full picture now */
} EgoMatch;

struct StxEgomotion {
  const EgoImpl *impl;
  int width, height, cells_across, cells_down;
  void *memory; /* all that follows up to `seen` */
  StxImage8 full[2], half[2], relief[2];
  int32_t *scores; /* of each cell */
  int16_t (*places)[2];
  EgoCorner *corners;
  EgoMatch *matches; /* of each corner */
  StxMotionPoint *points;
  EgoPoint *seen; /* of each point */

  int now; /* which of two pictures is written; the other one is that before */
  int corner_count, point_count;
  bool begun, known; /* there is a frame before; its motion is known: */
  EgoPose pose;
  EgoBend bend;
  StxCamera camera;
  uint64_t time, last_step; /* of the frame before; since the one before it, 0: unknown */
};

/* The disparity at a place of the full picture, pixels; < 0: unknown. */
float ego_disparity(const StxEgomotionFrame *frame, double u, double v);

/* Finds the corners of the frame before in this one, which fills points, and makes `pose`, at first
 * what is expected, the motion of most of them; `bend` likewise. Returns how many agree. */
uint32_t ego_match(StxEgomotion *state, const StxEgomotionFrame *frame, EgoPose *pose,
    EgoBend *bend, double deviation[6]);

#endif
