/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * egomotion: the camera's pose by RANSAC (M. A. Fischler, R. C. Bolles, 1981) from samples of three
 * points, each solved by Gauss-Newton. A small turn w and shift s change a point q of the camera
 * into q + w × q + s; Cayley's formula composes turns: it needs no sine and gives a rotation for
 * every w.
 */
#include "common/egomotion/egomotion_private.h"

#include <math.h>
#include <string.h>

#define VOTERS 256    /* points at most on which a pose is tested */
#define TRIES 200     /* samples at most */
#define STEPS 5       /* of Gauss-Newton */
#define INLIER 3.0    /* standard deviations: the farthest inlier */
#define TOLERANCE 2.0 /* px: an inlier's largest error of disparity */

/* ---- Small matrices -------------------------------------------------------------------------- */

bool ego_solve(int n, double a[EGO_UNKNOWNS][EGO_UNKNOWNS + 1])
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i][k]) > fabs(a[best][k]))
        best = i;
    if (!(fabs(a[best][k]) > 1e-9))
      return false;
    for (int j = k; j <= n; j++) {
      double swap = a[k][j];
      a[k][j] = a[best][j];
      a[best][j] = swap;
    }
    for (int i = 0; i < n; i++) {
      double factor = i == k ? 0 : a[i][k] / a[k][k];
      for (int j = k; j <= n && i != k; j++)
        a[i][j] -= factor * a[k][j];
    }
  }
  for (int k = 0; k < n; k++)
    a[k][n] /= a[k][k];
  return true;
}

void ego_move(EgoPose *pose, const double step[6])
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

void ego_slopes(const EgoCamera *c, const double seen[3], double rows[3][EGO_UNKNOWNS])
{
  const double u = seen[0] - c->cx, v = seen[1] - c->cy, d = seen[2];
  const double f = c->focal, x = u / f, y = v / f, over_z = d / c->scale;
  const double slopes[3][6] = {{-f * x * y, f + f * x * x, -f * y, f * over_z, 0, -u * over_z},
      {-f - f * y * y, f * x * y, f * x, 0, f * over_z, -v * over_z},
      {-d * y, d * x, 0, 0, 0, -d * over_z}};
  for (int i = 0; i < 3; i++)
    memcpy(rows[i], slopes[i], sizeof slopes[i]);
}

/* ---- Three points ---------------------------------------------------------------------------- */

/* Gauss-Newton from `pose` on: the pose that projects three points to where they are seen. */
static bool pose_of_sample(
    const EgoCamera *c, const EgoPoint *points, const int which[3], EgoPose *pose)
{
  double error = 0;
  for (int step = 0; step < STEPS; step++) {
    double a[EGO_UNKNOWNS][EGO_UNKNOWNS + 1], rows[3][EGO_UNKNOWNS], seen[3], by[6];
    error = 0;
    for (int k = 0; k < 3; k++) {
      const EgoPoint *p = &points[which[k]];
      if (!ego_project(c, pose, p->p, seen))
        return false;
      ego_slopes(c, seen, rows);
      memcpy(a[2 * k], rows[0], 6 * sizeof **rows);
      memcpy(a[2 * k + 1], rows[1], 6 * sizeof **rows);
      a[2 * k][6] = p->u - seen[0];
      a[2 * k + 1][6] = p->v - seen[1];
      error += fabs(a[2 * k][6]) + fabs(a[2 * k + 1][6]);
    }
    if (!ego_solve(6, a))
      return false;
    for (int i = 0; i < 6; i++) {
      by[i] = a[i][6];
      if (!(fabs(by[i]) < 10))
        return false;
    }
    ego_move(pose, by);
  }
  return error < 1;
}

static bool is_inlier(const EgoCamera *c, const EgoPose *pose, const EgoPoint *p)
{
  double seen[3], reach = INLIER * p->spread;
  if (!ego_project(c, pose, p->p, seen))
    return false;
  double u = p->u - seen[0], v = p->v - seen[1];
  return u * u + v * v < reach * reach && (p->d < 0 || fabs(p->d - seen[2]) < TOLERANCE);
}

static int count_inliers(
    const EgoCamera *c, const EgoPose *pose, const EgoPoint *points, int count, int stride)
{
  int agree = 0;
  for (int i = 0; i < count; i += stride)
    agree += is_inlier(c, pose, &points[i]);
  return agree;
}

/* The number of samples with which RANSAC draws three inliers with a probability of 99 %. */
static int ransac_tries(int agree, int voters)
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

int ego_ransac(const EgoCamera *c, const EgoPoint *points, int count, EgoPose *pose)
{
  const int stride = (count + VOTERS - 1) / VOTERS;
  const EgoPose from = *pose;
  uint32_t seed = 1;
  if (count < 3)
    return 0;
  int best = count_inliers(c, pose, points, count, stride);
  int voters = (count + stride - 1) / stride, tries = TRIES;
  for (int i = 0; i < tries; i++) {
    int which[3] = {next_index(&seed, count), next_index(&seed, count), next_index(&seed, count)};
    EgoPose tried = from;
    if (which[0] == which[1] || which[0] == which[2] || which[1] == which[2] ||
        !pose_of_sample(c, points, which, &tried))
      continue;
    int agree = count_inliers(c, &tried, points, count, stride);
    if (agree <= best)
      continue;
    best = agree;
    *pose = tried;
    tries = ransac_tries(best, voters);
  }
  return count_inliers(c, pose, points, count, 1);
}
