/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* egomotion, the reference of the equations for the motion of all points: one after another. */
#include "common/egomotion/egomotion_private.h"

#include <math.h>

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
static bool see(const EgoFit *s, const EgoPoint *p, double seen[3], double by_depth[3])
{
  double q[3], nearer[3];
  const double offset = ego_offset_at(s->bend, p->p[0] / p->p[2]);
  if (!(move_in_depth(p, offset - EGO_NUDGE, q) > EGO_LEAST_DISPARITY) ||
      !ego_project(s->camera, &s->pose, q, nearer) ||
      !(move_in_depth(p, offset, q) > EGO_LEAST_DISPARITY) ||
      !ego_project(s->camera, &s->pose, q, seen))
    return false;
  for (int i = 0; i < 3; i++)
    by_depth[i] = (nearer[i] - seen[i]) / EGO_NUDGE;
  return true;
}

static void fill_slopes(
    const EgoFit *s, const EgoPoint *p, const double seen[3], const double by_depth[3], Errors *e)
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

static void find_errors(const EgoFit *s, const EgoPoint *p, Errors *e)
{
  const double own[3] = {1 / p->spread, 1 / p->spread, 1 / EGO_NOISE_NOW};
  const double x_now = (p->u - s->camera->cx) / s->camera->focal;
  const double measured[3] = {p->u, p->v, p->d - ego_offset_at(s->bend, x_now)};
  double seen[3], by_depth[3], from[3], square = 0;
  e->count = 0;
  if (!see(s, p, seen, by_depth))
    return;
  e->count = p->d < 0 ? 2 : 3;
  fill_slopes(s, p, seen, by_depth, e);
  for (int i = 0; i < e->count; i++) {
    from[i] = by_depth[i] * EGO_NOISE_BEFORE * own[i];
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

/* The sum over the errors of a point of two slopes, or of a slope and the error: j = −1. */
static double product(const Errors *e, int i, int j)
{
  double sum = 0;
  for (int row = 0; row < e->count; row++)
    sum += e->slope[row][i] * (j < 0 ? e->error[row] : e->slope[row][j]);
  return sum;
}

static void add_point(EgoEquations *sums, const Errors *e)
{
  const double square = square_of(e), soft = EGO_SOFT / (EGO_SOFT + square), weight = soft * soft;
  for (int i = 0; i < EGO_UNKNOWNS; i++) {
    sums->b[i] += weight * product(e, i, -1);
    for (int j = i; j < EGO_UNKNOWNS; j++)
      sums->a[i][j] += weight * product(e, i, j);
  }
  sums->weight += weight * e->count;
  sums->error += weight * square;
  sums->agree += e->count > 0 && square < EGO_FAR;
}

static void add_lane(EgoEquations *sums, const EgoEquations *lane)
{
  for (int i = 0; i < EGO_UNKNOWNS; i++) {
    sums->b[i] += lane->b[i];
    for (int j = i; j < EGO_UNKNOWNS; j++)
      sums->a[i][j] += lane->a[i][j];
  }
  sums->weight += lane->weight;
  sums->error += lane->error;
  sums->agree += lane->agree;
}

void stx_egomotion_equations_c(const EgoFit *fit, int first, int end, EgoEquations *sums)
{
  EgoEquations lanes[EGO_LANES] = {0};
  Errors errors;
  for (int i = first; i < end; i++) {
    find_errors(fit, &fit->points[i], &errors);
    add_point(&lanes[(i - first) % EGO_LANES], &errors);
  }
  *sums = (EgoEquations){0};
  for (int lane = 0; lane < EGO_LANES; lane++)
    add_lane(sums, &lanes[lane]);
}
