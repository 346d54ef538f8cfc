/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * egomotion: the motion with which points agree. A small turn w and shift s change a point q of the
 * camera into q + w × q + s; turns are put together by Cayley's formula, which needs no sine and
 * gives a rotation whatever w is.
 */
#include "common/egomotion/egomotion_private.h"

#include <math.h>
#include <string.h>

#define LEAST_Z 0.1     /* m: what is nearer is not seen */
#define VOTES 256       /* points at most that judge a motion */
#define TRIES 200       /* motions of three points at most */
#define STEPS 5         /* towards one of them */
#define AGREES 3.0      /* standard deviations */
#define TOLERANCE 2.0   /* px: of disparity, in a vote */
#define NOISE_BEFORE .2 /* px: standard deviation of disparities */
#define NOISE_NOW .2
#define ROUNDS 12
#define OPTIMISM 2.0     /* by which errors exceed what independent points make one expect */
#define LEAST_TURN 1e-4  /* rad: standard deviation that is there in any case */
#define LEAST_SHIFT 1e-3 /* m */
#define LENS .01         /* of the translation: what is left of a lens after rectification */
#define SOFT 4.0         /* squared error, in variances, that halves a weight */
#define FAR 11.34        /* … beyond which a point does not agree: 1 % of three normal errors */

bool ego_project(const EgoCamera *c, const EgoPose *pose, const double p[3], double seen[3])
{
  const double *r = pose->r, *t = pose->t;
  double x = r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + t[0];
  double y = r[3] * p[0] + r[4] * p[1] + r[5] * p[2] + t[1];
  double z = r[6] * p[0] + r[7] * p[1] + r[8] * p[2] + t[2];
  if (!(z > LEAST_Z))
    return false;
  seen[0] = c->focal * x / z + c->cx;
  seen[1] = c->focal * y / z + c->cy;
  seen[2] = c->scale / z;
  return true;
}

/* ---- Small matrices -------------------------------------------------------------------------- */

/* Solves a · x = b of six unknowns, with the largest pivot of each column. */
static bool solve6(double a[6][7])
{
  for (int k = 0; k < 6; k++) {
    int best = k;
    for (int i = k + 1; i < 6; i++)
      if (fabs(a[i][k]) > fabs(a[best][k]))
        best = i;
    if (!(fabs(a[best][k]) > 1e-9))
      return false;
    for (int j = k; j < 7; j++) {
      double swap = a[k][j];
      a[k][j] = a[best][j];
      a[best][j] = swap;
    }
    for (int i = 0; i < 6; i++) {
      double factor = i == k ? 0 : a[i][k] / a[k][k];
      for (int j = k; j < 7 && i != k; j++)
        a[i][j] -= factor * a[k][j];
    }
  }
  for (int k = 0; k < 6; k++)
    a[k][6] /= a[k][k];
  return true;
}

/* The diagonal of the inverse; solves for one column of the identity after the other. */
static bool invert_diagonal(const double a[6][6], double diagonal[6])
{
  for (int k = 0; k < 6; k++) {
    double work[6][7];
    for (int i = 0; i < 6; i++) {
      memcpy(work[i], a[i], sizeof a[i]);
      work[i][6] = i == k;
    }
    if (!solve6(work))
      return false;
    diagonal[k] = work[k][6];
  }
  return true;
}

/* pose = (turn and shift of `step`) after pose. */
static void move_by(EgoPose *pose, const double step[6])
{
  const double a = step[0] / 2, b = step[1] / 2, c = step[2] / 2;
  const double n = 1 / (1 + a * a + b * b + c * c);
  const double m[9] = {1 - 2 * n * (b * b + c * c), 2 * n * (a * b - c), 2 * n * (a * c + b),
      2 * n * (a * b + c), 1 - 2 * n * (a * a + c * c), 2 * n * (b * c - a), 2 * n * (a * c - b),
      2 * n * (b * c + a), 1 - 2 * n * (a * a + b * b)};
  EgoPose was = *pose;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      pose->r[3 * i + j] =
          m[3 * i] * was.r[j] + m[3 * i + 1] * was.r[3 + j] + m[3 * i + 2] * was.r[6 + j];
    pose->t[i] =
        m[3 * i] * was.t[0] + m[3 * i + 1] * was.t[1] + m[3 * i + 2] * was.t[2] + step[3 + i];
  }
}

/* By how much u, v and d change with turn and shift, at (u, v, d) from the principal point. */
static void slopes_at(const EgoCamera *c, double u, double v, double d, double rows[3][6])
{
  const double f = c->focal, x = u / f, y = v / f, over_z = d / c->scale;
  const double slopes[3][6] = {{-f * x * y, f + f * x * x, -f * y, f * over_z, 0, -u * over_z},
      {-f - f * y * y, f * x * y, f * x, 0, f * over_z, -v * over_z},
      {-d * y, d * x, 0, 0, 0, -d * over_z}};
  memcpy(rows, slopes, sizeof slopes);
}

/* ---- Three points ---------------------------------------------------------------------------- */

/* From `pose` on, what takes three points to where they are seen. */
static bool pose_of_three(
    const EgoCamera *c, const EgoPoint *points, const int which[3], EgoPose *pose)
{
  double error = 0;
  for (int step = 0; step < STEPS; step++) {
    double a[6][7], rows[3][6], seen[3], by[6];
    error = 0;
    for (int k = 0; k < 3; k++) {
      const EgoPoint *p = &points[which[k]];
      if (!ego_project(c, pose, p->p, seen))
        return false;
      slopes_at(c, seen[0] - c->cx, seen[1] - c->cy, seen[2], rows);
      memcpy(a[2 * k], rows[0], sizeof rows[0]);
      memcpy(a[2 * k + 1], rows[1], sizeof rows[1]);
      a[2 * k][6] = p->u - seen[0];
      a[2 * k + 1][6] = p->v - seen[1];
      error += fabs(a[2 * k][6]) + fabs(a[2 * k + 1][6]);
    }
    if (!solve6(a))
      return false;
    for (int i = 0; i < 6; i++) {
      by[i] = a[i][6];
      if (!(fabs(by[i]) < 10))
        return false;
    }
    move_by(pose, by);
  }
  return error < 1;
}

static bool agrees(const EgoCamera *c, const EgoPose *pose, const EgoPoint *p)
{
  double seen[3], reach = AGREES * p->spread;
  if (!ego_project(c, pose, p->p, seen))
    return false;
  double u = p->u - seen[0], v = p->v - seen[1];
  return u * u + v * v < reach * reach && (p->d < 0 || fabs(p->d - seen[2]) < TOLERANCE);
}

static int count_agreeing(
    const EgoCamera *c, const EgoPose *pose, const EgoPoint *points, int count, int stride)
{
  int agree = 0;
  for (int i = 0; i < count; i += stride)
    agree += agrees(c, pose, &points[i]);
  return agree;
}

/* So many tries that three points that agree are among them, but for once in a hundred times. */
static int tries_for(int agree, int voters)
{
  double good = (double)agree / voters, miss = 1 - good * good * good, all = 1;
  int tries = 0;
  while (all > .01 && tries < TRIES) {
    all *= miss;
    tries++;
  }
  return tries;
}

static int next_index(uint32_t *seed, int count)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (int)(((uint64_t)*seed * (uint64_t)count) >> 32);
}

int ego_vote(const EgoCamera *c, const EgoPoint *points, int count, EgoPose *pose)
{
  const int stride = (count + VOTES - 1) / VOTES;
  const EgoPose from = *pose;
  uint32_t seed = 1;
  if (count < 3)
    return 0;
  int best = count_agreeing(c, pose, points, count, stride);
  int voters = (count + stride - 1) / stride, tries = TRIES;
  for (int i = 0; i < tries; i++) {
    int which[3] = {next_index(&seed, count), next_index(&seed, count), next_index(&seed, count)};
    EgoPose tried = from;
    if (which[0] == which[1] || which[0] == which[2] || which[1] == which[2] ||
        !pose_of_three(c, points, which, &tried))
      continue;
    int agree = count_agreeing(c, &tried, points, count, stride);
    if (agree <= best)
      continue;
    best = agree;
    *pose = tried;
    tries = tries_for(best, voters);
  }
  return count_agreeing(c, pose, points, count, 1);
}

/* ---- All points ------------------------------------------------------------------------------ */

/* The normal equations of weighted errors. */
typedef struct {
  double a[6][6], b[6];
  double weight, error; /* sums of weights, and of squared errors so weighted */
} Sums;

/* Errors of a point and their slopes, each divided by its standard deviation so that they are
 * independent of each other. Returns how many there are: 0, 2 or 3. */
static int errors_of(
    const EgoCamera *c, const EgoPose *pose, const EgoPoint *p, double errors[3], double rows[3][6])
{
  double seen[3], nearer[3], q[3], from[3];
  for (int i = 0; i < 3; i++)
    q[i] = p->p[i] + p->slope[i];
  if (!ego_project(c, pose, p->p, seen) || !ego_project(c, pose, q, nearer))
    return 0;
  const int count = p->d < 0 ? 2 : 3;
  const double own[3] = {1 / p->spread, 1 / p->spread, 1 / NOISE_NOW};
  double square = 0;
  slopes_at(c, seen[0] - c->cx, seen[1] - c->cy, seen[2], rows);
  errors[0] = p->u - seen[0];
  errors[1] = p->v - seen[1];
  errors[2] = p->d - seen[2];
  for (int i = 0; i < count; i++) {
    from[i] = (nearer[i] - seen[i]) * NOISE_BEFORE * own[i];
    square += from[i] * from[i];
    errors[i] *= own[i];
    for (int k = 0; k < 6; k++)
      rows[i][k] *= own[i];
  }
  /* The covariance is now 1 + from · from'; its inverse is the square of 1 − less · from · from'. */
  const double less = square > 0 ? (1 - 1 / sqrt(1 + square)) / square : 0;
  for (int k = -1; k < 6; k++) {
    double along = 0;
    for (int i = 0; i < count; i++)
      along += from[i] * (k < 0 ? errors[i] : rows[i][k]);
    for (int i = 0; i < count; i++)
      *(k < 0 ? &errors[i] : &rows[i][k]) -= less * along * from[i];
  }
  return count;
}

static double square_of(const double errors[3], int count)
{
  double square = 0;
  for (int i = 0; i < count; i++)
    square += errors[i] * errors[i];
  return square;
}

static void add_point(Sums *sums, const double errors[3], const double rows[3][6], int count)
{
  const double square = square_of(errors, count), soft = SOFT / (SOFT + square);
  const double weight = soft * soft;
  for (int e = 0; e < count; e++)
    for (int i = 0; i < 6; i++) {
      const double w = weight * rows[e][i];
      sums->b[i] += w * errors[e];
      for (int j = i; j < 6; j++)
        sums->a[i][j] += w * rows[e][j];
    }
  sums->weight += weight * count;
  sums->error += weight * square;
}

static void sum_points(
    const EgoCamera *c, const EgoPose *pose, const EgoPoint *points, int count, Sums *sums)
{
  double errors[3], rows[3][6];
  *sums = (Sums){0};
  for (int i = 0; i < count; i++)
    add_point(sums, errors, (const double(*)[6])rows, errors_of(c, pose, &points[i], errors, rows));
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < i; j++)
      sums->a[i][j] = sums->a[j][i];
}

/* False: the points do not say. `moved` becomes a measure of the step, pixels or so. */
static bool step(const EgoCamera *c, const Sums *sums, EgoPose *pose, double *moved)
{
  double a[6][7], by[6];
  *moved = 0;
  for (int i = 0; i < 6; i++) {
    memcpy(a[i], sums->a[i], sizeof sums->a[i]);
    a[i][6] = sums->b[i];
  }
  if (!solve6(a))
    return false;
  for (int i = 0; i < 6; i++) {
    by[i] = a[i][6];
    *moved += fabs(by[i]) * (i < 3 ? c->focal : c->focal / 10);
    if (!(fabs(by[i]) < 10))
      return false;
  }
  move_by(pose, by);
  return true;
}

static double deviation_of(double variance, const double t[3], bool turn)
{
  const double length = LENS * LENS * (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  const double least = turn ? LEAST_TURN * LEAST_TURN : LEAST_SHIFT * LEAST_SHIFT + length;
  return sqrt(OPTIMISM * OPTIMISM * variance + least);
}

int ego_refine(const EgoCamera *c, const EgoPoint *points, int count, EgoPose *pose,
    double deviation[6], bool *mark)
{
  Sums sums;
  double moved = 1, errors[3], rows[3][6], variances[6];
  int agree = 0;
  for (int round = 0; round < ROUNDS && moved > 1e-3; round++) {
    sum_points(c, pose, points, count, &sums);
    if (!step(c, &sums, pose, &moved))
      return 0;
  }
  sum_points(c, pose, points, count, &sums);
  if (!(sums.weight > 6) || !invert_diagonal((const double(*)[6])sums.a, variances))
    return 0;
  for (int i = 0; i < 6; i++)
    deviation[i] = deviation_of(variances[i] * sums.error / sums.weight, pose->t, i < 3);
  for (int i = 0; i < count; i++) {
    int known = errors_of(c, pose, &points[i], errors, rows);
    mark[i] = known > 0 && square_of(errors, known) < FAR;
    agree += mark[i];
  }
  return agree;
}
