/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * egomotion: the motion of all points by weighted least squares, and what disparities are off by.
 *
 * A pair whose rectification leaves a fraction of a pixel shows all depths wrong by a share that
 * changes across the picture, and so the way that the camera has gone. How fast points go by says
 * that, too, but for one factor: so an offset of the disparity, a parabola across the picture, is
 * found with the motion, and kept from frame to frame.
 */
#include "common/egomotion/egomotion_private.h"
#include "common/parallel.h"

#include <math.h>
#include <string.h>

#define PIECE 64        /* points of one thread at a time */
#define NOISE_BEFORE .2 /* px: standard deviation of disparities */
#define NOISE_NOW .2
#define LEAST_DISPARITY .25 /* px */
#define NUDGE .25           /* px, for slopes */
#define ROUNDS 12
#define STEADY 1e-3      /* px or so: a step that ends it */
#define SOFT 4.0         /* squared error, in variances, that quarters a weight */
#define FAR 11.34        /* … beyond which a point does not agree: 1 % of three normal errors */
#define OPTIMISM 2.0     /* by which errors exceed what independent points make one expect */
#define LEAST_TURN 1e-4  /* rad: standard deviation that is there in any case */
#define LEAST_SHIFT 1e-3 /* m */
#define LENS .01         /* of the translation: what is left of a lens after rectification */
#define OFFSET .5        /* px: standard deviation of what disparities are off by at first */
#define KEEP .98         /* of what is known of it, from frame to frame */

/* ---- Errors ---------------------------------------------------------------------------------- */

/* The unknowns, and the points. */
typedef struct {
  const EgoCamera *camera;
  const EgoPoint *points;
  int count;
  EgoPose pose;
  double bend[EGO_BENDS]; /* more than what the points have been freed of */
} State;

/* Independent errors of unit variance, and their slopes. */
typedef struct {
  int count; /* 0: nothing is known; 2: without the disparity now */
  double error[3], slope[3][EGO_UNKNOWNS];
} Errors;

/* The place of a point whose disparity is less than it was by the offset. */
static double move_in_depth(const EgoPoint *p, double offset, double q[3])
{
  const double d = p->before - offset;
  for (int i = 0; i < 3; i++)
    q[i] = p->p[i] * p->before / d;
  return d;
}

/* The image of a point, and its derivative by the disparity before. */
static bool see(const State *s, const EgoPoint *p, double seen[3], double by_depth[3])
{
  double q[3], nearer[3];
  const double offset = ego_offset_at(s->bend, p->p[0] / p->p[2]);
  if (!(move_in_depth(p, offset - NUDGE, q) > LEAST_DISPARITY) ||
      !ego_project(s->camera, &s->pose, q, nearer) ||
      !(move_in_depth(p, offset, q) > LEAST_DISPARITY) ||
      !ego_project(s->camera, &s->pose, q, seen))
    return false;
  for (int i = 0; i < 3; i++)
    by_depth[i] = (nearer[i] - seen[i]) / NUDGE;
  return true;
}

static void fill_slopes(
    const State *s, const EgoPoint *p, const double seen[3], const double by_depth[3], Errors *e)
{
  const double x = p->p[0] / p->p[2], x_now = (p->u - s->camera->cx) / s->camera->focal;
  const double before[EGO_BENDS] = {1, x, x * x}, now[EGO_BENDS] = {1, x_now, x_now * x_now};
  ego_slopes(s->camera, seen, e->slope);
  for (int k = 0; k < EGO_BENDS; k++)
    for (int i = 0; i < 3; i++)
      e->slope[i][6 + k] = -by_depth[i] * before[k] + (i == 2 ? now[k] : 0);
}

/* Noise of the disparity before moves all three: the covariance is 1 + from · from', whose inverse
 * is the square of 1 − less · from · from'. */
static void make_independent(Errors *e, const double from[3], double square)
{
  const double less = square > 0 ? (1 - 1 / sqrt(1 + square)) / square : 0;
  for (int k = -1; k < EGO_UNKNOWNS; k++) {
    double along = 0;
    for (int i = 0; i < e->count; i++)
      along += from[i] * (k < 0 ? e->error[i] : e->slope[i][k]);
    for (int i = 0; i < e->count; i++)
      *(k < 0 ? &e->error[i] : &e->slope[i][k]) -= less * along * from[i];
  }
}

static void find_errors(const State *s, const EgoPoint *p, Errors *e)
{
  const double own[3] = {1 / p->spread, 1 / p->spread, 1 / NOISE_NOW};
  const double x_now = (p->u - s->camera->cx) / s->camera->focal;
  const double measured[3] = {p->u, p->v, p->d - ego_offset_at(s->bend, x_now)};
  double seen[3], by_depth[3], from[3], square = 0;
  e->count = 0;
  if (!see(s, p, seen, by_depth))
    return;
  e->count = p->d < 0 ? 2 : 3;
  fill_slopes(s, p, seen, by_depth, e);
  for (int i = 0; i < e->count; i++) {
    from[i] = by_depth[i] * NOISE_BEFORE * own[i];
    square += from[i] * from[i];
    e->error[i] = (measured[i] - seen[i]) * own[i];
    for (int k = 0; k < EGO_UNKNOWNS; k++)
      e->slope[i][k] *= own[i];
  }
  make_independent(e, from, square);
}

static double square_of(const Errors *e)
{
  double square = 0;
  for (int i = 0; i < e->count; i++)
    square += e->error[i] * e->error[i];
  return square;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* The normal equations of weighted errors: of `a` the upper half. */
typedef struct {
  double a[EGO_UNKNOWNS][EGO_UNKNOWNS], b[EGO_UNKNOWNS];
  double weight, error; /* sums of weights, and of squared errors so weighted */
  int agree;            /* points whose errors are not large */
} Sums;

typedef struct {
  const State *state;
  Sums parts[(STX_EGOMOTION_MAX_POINTS + PIECE - 1) / PIECE];
} Job;

static void add_point(Sums *sums, const Errors *e)
{
  const double square = square_of(e), soft = SOFT / (SOFT + square), weight = soft * soft;
  for (int row = 0; row < e->count; row++)
    for (int i = 0; i < EGO_UNKNOWNS; i++) {
      const double w = weight * e->slope[row][i];
      sums->b[i] += w * e->error[row];
      for (int j = i; j < EGO_UNKNOWNS; j++)
        sums->a[i][j] += w * e->slope[row][j];
    }
  sums->weight += weight * e->count;
  sums->error += weight * square;
  sums->agree += e->count > 0 && square < FAR;
}

static void sum_piece(void *data, int piece, int worker)
{
  Job *job = data;
  Errors errors;
  job->parts[piece] = (Sums){0};
  for (int i = piece * PIECE; i < (piece + 1) * PIECE && i < job->state->count; i++) {
    find_errors(job->state, &job->state->points[i], &errors);
    add_point(&job->parts[piece], &errors);
  }
}

/* By pieces, which are the same for any number of threads. */
static void sum_points(const State *state, int threads, Sums *sums)
{
  Job job;
  const int pieces = (state->count + PIECE - 1) / PIECE;
  job.state = state;
  stx_parallel(threads, pieces, sum_piece, &job);
  *sums = (Sums){0};
  for (int k = 0; k < pieces; k++) {
    for (int i = 0; i < EGO_UNKNOWNS; i++) {
      sums->b[i] += job.parts[k].b[i];
      for (int j = i; j < EGO_UNKNOWNS; j++)
        sums->a[i][j] += job.parts[k].a[i][j];
    }
    sums->weight += job.parts[k].weight;
    sums->error += job.parts[k].error;
    sums->agree += job.parts[k].agree;
  }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The equations with what is known of the offset; the right side is column `column` of 1, or the
 * sums'. */
static void fill(const Sums *sums, const State *s, const EgoBend *known, int column,
    double a[EGO_UNKNOWNS][EGO_UNKNOWNS + 1])
{
  for (int i = 0; i < EGO_UNKNOWNS; i++) {
    for (int j = 0; j < EGO_UNKNOWNS; j++)
      a[i][j] = i < j ? sums->a[i][j] : sums->a[j][i];
    a[i][EGO_UNKNOWNS] = column < 0 ? sums->b[i] : i == column;
  }
  for (int i = 0; i < EGO_BENDS; i++)
    for (int j = 0; j < EGO_BENDS; j++) {
      const double certain = OPTIMISM * OPTIMISM * known->certainty[i][j];
      a[6 + i][6 + j] += certain;
      if (column < 0)
        a[6 + i][EGO_UNKNOWNS] -= certain * s->bend[j];
    }
}

/* False: the points do not say. `moved` becomes a measure of the step. */
static bool take_step(const Sums *sums, const EgoBend *known, State *s, double *moved)
{
  double a[EGO_UNKNOWNS][EGO_UNKNOWNS + 1], by[6];
  *moved = 0;
  fill(sums, s, known, -1, a);
  if (!ego_solve(EGO_UNKNOWNS, a))
    return false;
  for (int i = 0; i < EGO_UNKNOWNS; i++) {
    const double step = a[i][EGO_UNKNOWNS];
    *moved += fabs(step) * (i < 3 ? s->camera->focal : i < 6 ? s->camera->focal / 10 : 1);
    if (!(fabs(step) < 10))
      return false;
    if (i < 6)
      by[i] = step;
    else
      s->bend[i - 6] += step;
  }
  ego_move(&s->pose, by);
  return true;
}

static double deviation_of(double variance, const double t[3], bool turn)
{
  const double length = LENS * LENS * (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  const double least = turn ? LEAST_TURN * LEAST_TURN : LEAST_SHIFT * LEAST_SHIFT + length;
  return sqrt(OPTIMISM * OPTIMISM * variance + least);
}

/* Standard deviations, and what is known of the offset now: the inverse of its covariance. */
static bool find_deviations(const Sums *sums, const State *s, EgoBend *bend, double deviation[6])
{
  const double unit = sums->error / sums->weight;
  double a[EGO_UNKNOWNS][EGO_UNKNOWNS + 1], covariance[EGO_BENDS][EGO_BENDS];
  for (int k = 0; k < EGO_UNKNOWNS; k++) {
    fill(sums, s, bend, k, a);
    if (!ego_solve(EGO_UNKNOWNS, a))
      return false;
    if (k < 6)
      deviation[k] = deviation_of(a[k][EGO_UNKNOWNS] * unit, s->pose.t, k < 3);
    for (int i = 0; i < EGO_BENDS && k >= 6; i++)
      covariance[i][k - 6] = OPTIMISM * OPTIMISM * a[6 + i][EGO_UNKNOWNS];
  }
  for (int k = 0; k < EGO_BENDS; k++) {
    for (int i = 0; i < EGO_BENDS; i++) {
      memcpy(a[i], covariance[i], sizeof covariance[i]);
      a[i][EGO_BENDS] = i == k;
    }
    if (!ego_solve(EGO_BENDS, a))
      return false;
    for (int i = 0; i < EGO_BENDS; i++)
      bend->certainty[i][k] =
          KEEP * a[i][EGO_BENDS] + (i == k ? (1 - KEEP) / (OFFSET * OFFSET) : 0);
  }
  for (int k = 0; k < EGO_BENDS; k++)
    bend->offset[k] += s->bend[k];
  return true;
}

void ego_bend_begin(EgoBend *bend)
{
  *bend = (EgoBend){.offset = {0}};
  for (int k = 0; k < EGO_BENDS; k++)
    bend->certainty[k][k] = 1 / (OFFSET * OFFSET);
}

int ego_refine(const EgoCamera *camera, const EgoPoint *points, int count, int threads,
    EgoPose *pose, EgoBend *bend, double deviation[6])
{
  State state = {camera, points, count, *pose, {0}};
  Sums sums;
  double moved = 1;
  for (int round = 0; round < ROUNDS && moved > STEADY; round++) {
    sum_points(&state, threads, &sums);
    if (!take_step(&sums, bend, &state, &moved))
      return 0;
  }
  sum_points(&state, threads, &sums);
  if (!(sums.weight > 6) || !find_deviations(&sums, &state, bend, deviation))
    return 0;
  *pose = state.pose;
  return sums.agree;
}
