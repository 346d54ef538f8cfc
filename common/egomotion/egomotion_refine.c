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

#define PIECE 64 /* points of one thread at a time */
#define ROUNDS 12
#define STEADY 1e-3      /* px or so: a step that ends it */
#define OPTIMISM 2.0     /* by which errors exceed what independent points make one expect */
#define LEAST_TURN 1e-4  /* rad: standard deviation that is there in any case */
#define LEAST_SHIFT 1e-3 /* m */
#define LENS .01         /* of the translation: what is left of a lens after rectification */
#define OFFSET .5        /* px: standard deviation of what disparities are off by at first */
#define WIDE 4.          /* … once that was wrong */
#define KEEP .98         /* of what is known of it, from frame to frame */

/* ---- Sums ------------------------------------------------------------------------------------ */

typedef struct {
  const EgoImpl *impl;
  const EgoFit *fit;
  EgoEquations parts[(STX_EGOMOTION_MAX_POINTS + PIECE - 1) / PIECE];
} Job;

static void sum_piece(void *data, int piece, int worker)
{
  Job *job = data;
  const int first = piece * PIECE, end = first + PIECE;
  job->impl->equations(
      job->fit, first, end < job->fit->count ? end : job->fit->count, &job->parts[piece]);
}

/* Sums the equations of all points, by pieces that are the same for any number of threads. */
static void sum_points(const EgoImpl *impl, const EgoFit *fit, int threads, EgoEquations *sums)
{
  Job job;
  const int pieces = (fit->count + PIECE - 1) / PIECE;
  job.impl = impl;
  job.fit = fit;
  stx_parallel(threads, pieces, sum_piece, &job);
  *sums = (EgoEquations){0};
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
static void fill(const EgoEquations *sums, const EgoFit *s, const EgoBend *known, int column,
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
static bool take_step(const EgoEquations *sums, const EgoBend *known, EgoFit *s, double *moved)
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
static bool find_deviations(
    const EgoEquations *sums, const EgoFit *s, EgoBend *bend, double deviation[6])
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

static void doubt(EgoBend *bend, double deviation)
{
  memset(bend->certainty, 0, sizeof bend->certainty);
  for (int k = 0; k < EGO_BENDS; k++)
    bend->certainty[k][k] = 1 / (deviation * deviation);
}

void ego_bend_begin(EgoBend *bend)
{
  *bend = (EgoBend){.offset = {0}};
  doubt(bend, OFFSET);
}

void ego_bend_mean(
    const EgoBend *bend, const StxCamera *camera, int width, double *offset, double *deviation)
{
  const double left = -camera->cx / camera->focal, right = left + width / camera->focal;
  const double mean[EGO_BENDS] = {
      1, (left + right) / 2, (left * left + left * right + right * right) / 3};
  double a[EGO_UNKNOWNS][EGO_UNKNOWNS + 1], variance = 0;
  *offset = 0;
  for (int i = 0; i < EGO_BENDS; i++) {
    memcpy(a[i], bend->certainty[i], sizeof bend->certainty[i]);
    a[i][EGO_BENDS] = mean[i];
  }
  if (!ego_solve(EGO_BENDS, a)) {
    *deviation = INFINITY;
    return;
  }
  for (int i = 0; i < EGO_BENDS; i++) {
    *offset += mean[i] * bend->offset[i];
    variance += mean[i] * a[i][EGO_BENDS];
  }
  *deviation = sqrt(variance);
}

int ego_refine(const EgoImpl *impl, const EgoCamera *camera, const EgoPoint *points, int count,
    int threads, EgoPose *pose, EgoBend *bend, double deviation[6])
{
  EgoFit fit = {camera, points, count, *pose, {0}};
  EgoEquations sums;
  double moved = 1;
  for (int round = 0; round < ROUNDS && moved > STEADY; round++) {
    sum_points(impl, &fit, threads, &sums);
    if (!take_step(&sums, bend, &fit, &moved))
      return 0;
  }
  sum_points(impl, &fit, threads, &sums);
  if (!(sums.weight > 6) || !find_deviations(&sums, &fit, bend, deviation))
    return 0;
  /* An offset that was wrong has made the points wrong, too: they say less than they seem to. */
  if (fabs(fit.bend[0]) > OFFSET)
    doubt(bend, WIDE);
  *pose = fit.pose;
  return sums.agree;
}
