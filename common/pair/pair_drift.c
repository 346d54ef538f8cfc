/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/pair/pair_drift.h"

#include <math.h>
#include <string.h>

#define TERMS STX_DRIFT_TERMS
#define RADIANS (3.14159265358979323846 / 180)

/* Standard deviations at the beginning, and of a second's random walk. */
static const double prior[TERMS] = {1 * RADIANS, .5 * RADIANS, 1 * RADIANS, .02, .01, .1};
static const double walk[TERMS] = {1e-4, 1e-4, 1e-4, 1e-4, 1e-5, 1e-5};
static const struct {
  double noise;        /* rows, of a match */
  double share;        /* of a match that counts */
  double near;         /* rows, of the matches that are taken */
  double start;        /* … at first */
  int least, agreeing; /* matches, per cent of them: evidence */
  int odd, predicted;  /* pairs; per cent of the matches that the state has to predict */
  int pairs;           /* before anything is corrected */
  double deviations;   /* of an error, before it is corrected */
  double advance;      /* of the baseline: no rig's */
  double angle, ratio; /* most that is corrected */
} limits = {
    .noise = .35,
    .share = .25,
    .near = 1.2,
    .start = 2,
    .least = 20,
    .agreeing = 60,
    .odd = 3,
    .predicted = 75,
    .pairs = 3,
    .deviations = 5,
    .advance = .1,
    .angle = 1 * RADIANS,
    .ratio = .03,
};

/* ---- Rows ----------------------------------------------------------------------------------- */

static void terms_of(const StxDriftPair *pair, const StxPairMatch *match, double terms[TERMS])
{
  double x = (match->x - match->disparity - pair->cx) / pair->fx;
  double y = (match->y - pair->cy) / pair->fy, d = match->disparity;
  const double values[TERMS] = {
      pair->fy * (1 + y * y), -pair->fy * x * y, -pair->fy * x, pair->fy * y, d, d * y};
  memcpy(terms, values, sizeof values);
}

static double rows_of(const double terms[TERMS], const double state[TERMS])
{
  double rows = 0;
  for (int i = 0; i < TERMS; i++)
    rows += terms[i] * state[i];
  return rows;
}

/* A correction as a state. */
static void state_of(const StxRectifyTurn *turn, double state[TERMS])
{
  memset(state, 0, TERMS * sizeof *state);
  memcpy(state, turn->angle, sizeof turn->angle);
  state[STX_DRIFT_RATIO] = turn->ratio;
}

/* Returns a match's row offset by the model, or the geometry, that the evidence has found. */
static double rows_by_evidence(const StxPairFinding *finding, const StxPairMatch *match)
{
  const StxPairEvidence *evidence = &finding->evidence;
  const StxPairGeometry *g = &evidence->geometry;
  double x = match->x - finding->width / 2.0, y = match->y - finding->height / 2.0;
  if (g->fitted > evidence->fitted)
    return g->shift + g->roll * x + g->scale * y + g->yaw * x * y + g->pitch * y * y +
           g->tilt * match->disparity;
  return evidence->model.shift + 2 * evidence->model.lean * x / finding->width +
         2 * evidence->model.stretch * y / finding->height;
}

/* ---- The filter ------------------------------------------------------------------------------ */

/* Inverts a symmetric, positive definite matrix in place by Gauss-Jordan elimination. */
static void invert(double a[TERMS][TERMS])
{
  for (int k = 0; k < TERMS; k++) {
    double pivot = a[k][k];
    a[k][k] = 1;
    for (int j = 0; j < TERMS; j++)
      a[k][j] /= pivot;
    for (int i = 0; i < TERMS; i++) {
      double factor = a[i][k];
      if (i == k)
        continue;
      a[i][k] = 0;
      for (int j = 0; j < TERMS; j++)
        a[i][j] -= factor * a[k][j];
    }
  }
}

/* Which matches lie within `near` rows of a state, if there is one, or of the pair's evidence. */
static int choose(
    const StxDriftPair *pair, const double state[TERMS], double near, bool chosen[STX_PAIR_CELLS])
{
  double terms[TERMS], applied[TERMS];
  int count = 0;
  state_of(&pair->applied, applied);
  for (int i = 0; i < pair->count; i++) {
    const StxPairMatch *match = &pair->matches[i];
    terms_of(pair, match, terms);
    double rows = state != NULL ? rows_of(terms, state) - rows_of(terms, applied)
                                : rows_by_evidence(&pair->finding, match);
    chosen[i] = fabs(match->rows - rows) <= near;
    count += chosen[i];
  }
  return count;
}

/* Least squares over the chosen matches; the drift is the prior. */
static void solve(const StxDrift *drift, const StxDriftPair *pair,
    const bool chosen[STX_PAIR_CELLS], StxDrift *solved)
{
  double weight = limits.share / (limits.noise * limits.noise);
  double terms[TERMS], applied[TERMS], right[TERMS] = {0};
  *solved = *drift;
  invert(solved->covariance);
  state_of(&pair->applied, applied);
  for (int i = 0; i < pair->count; i++) {
    if (!chosen[i])
      continue;
    terms_of(pair, &pair->matches[i], terms);
    double off = pair->matches[i].rows + rows_of(terms, applied) - rows_of(terms, drift->state);
    for (int j = 0; j < TERMS; j++) {
      right[j] += weight * terms[j] * off;
      for (int k = 0; k < TERMS; k++)
        solved->covariance[j][k] += weight * terms[j] * terms[k];
    }
  }
  invert(solved->covariance);
  for (int j = 0; j < TERMS; j++)
    for (int k = 0; k < TERMS; k++)
      solved->state[j] += solved->covariance[j][k] * right[k];
}

/* False: the state has not predicted the pair, and it is not known yet whether it should have. */
static bool begin(StxDrift *drift, const StxDriftPair *pair, bool chosen[STX_PAIR_CELLS])
{
  bool predicted[STX_PAIR_CELLS];
  int by_evidence = choose(pair, NULL, limits.start, chosen);
  if (drift->used > 0 && drift->odd < limits.odd) {
    int count = choose(pair, drift->state, limits.start, predicted);
    if (100 * count >= limits.predicted * by_evidence) {
      memcpy(chosen, predicted, sizeof predicted);
      return true;
    }
    if (++drift->odd < limits.odd)
      return false;
  }
  memset(drift->covariance, 0, sizeof drift->covariance);
  for (int i = 0; i < TERMS; i++)
    drift->covariance[i][i] = prior[i] * prior[i];
  return true;
}

bool stx_drift_update(StxDrift *drift, const StxDriftPair *pair, double seconds)
{
  bool chosen[STX_PAIR_CELLS];
  drift->verdict = pair->finding.verdict;
  drift->matched = pair->count;
  drift->agreeing = 0;
  for (int i = 0; i < TERMS && drift->used > 0; i++)
    drift->covariance[i][i] =
        fmin(drift->covariance[i][i] + walk[i] * walk[i] * seconds, prior[i] * prior[i]);
  if (drift->verdict == STX_PAIR_SWAPPED || drift->verdict >= STX_PAIR_DARK_LEFT ||
      pair->count < limits.least)
    return false;
  StxDrift base = *drift, solved;
  bool begins = begin(&base, pair, chosen);
  drift->odd = base.odd;
  if (!begins)
    return false;
  for (int i = 0; i < 3; i++) {
    solve(&base, pair, chosen, &solved);
    solved.agreeing = choose(pair, solved.state, limits.near, chosen);
  }
  drift->agreeing = solved.agreeing;
  if (solved.agreeing < limits.least || 100 * solved.agreeing < limits.agreeing * pair->count) {
    drift->odd++;
    return false;
  }
  solved.odd = 0;
  solved.used++;
  *drift = solved;
  return true;
}

/* ---- What to correct ------------------------------------------------------------------------- */

/* Pixels that a number of the state, or its standard deviation, means at the border of a picture,
 * and of 64 px of disparity. */
static double pixels_of(const StxDriftPair *pair, StxDriftTerm term, double value)
{
  double x = pair->finding.width / 2.0, y = pair->finding.height / 2.0;
  const double pixels[TERMS] = {pair->fy, x * y / pair->fx, x, y, 64, 64 * y / pair->fy};
  return fabs(value) * pixels[term];
}

double stx_drift_reach(const StxDriftPair *pair, const StxRectifyTurn *turn)
{
  double x = fmax(pair->cx, pair->finding.width - pair->cx);
  double y = fmax(pair->cy, pair->finding.height - pair->cy);
  double bent = pair->fy + (x * y + y * y) / pair->fy;
  return fabs(turn->angle[STX_DRIFT_PITCH]) * bent +
         (fabs(turn->angle[STX_DRIFT_ROLL]) + fabs(turn->ratio)) * hypot(x, y);
}

/* Returns where a term that is corrected one by one stands; NULL: this one is not. */
static double *part_of(StxRectifyTurn *turn, StxDriftTerm term)
{
  if (term == STX_DRIFT_RATIO)
    return &turn->ratio;
  return term == STX_DRIFT_PITCH || term == STX_DRIFT_ROLL ? &turn->angle[term] : NULL;
}

StxRectifyTurn stx_drift_target(StxDrift *drift, const StxDriftPair *pair)
{
  StxRectifyTurn target = pair->applied;
  if (fabs(drift->state[STX_DRIFT_ADVANCE]) > limits.advance)
    return target;
  for (StxDriftTerm term = 0; term < TERMS; term++) {
    double *part = part_of(&target, term), value = drift->state[term];
    double error = pixels_of(pair, term, value);
    double deviation = pixels_of(pair, term, sqrt(drift->covariance[term][term]));
    drift->follows[term] |= drift->used >= limits.pairs && error > STX_DRIFT_LEAST &&
                            error > limits.deviations * deviation;
    double most = term == STX_DRIFT_RATIO ? limits.ratio : limits.angle;
    if (part != NULL && drift->follows[term])
      *part = fmax(-most, fmin(value, most));
  }
  return target;
}

bool stx_drift_step(const StxDriftPair *pair, const StxRectifyTurn *target, StxRectifyTurn *turn)
{
  StxRectifyTurn off = {.ratio = target->ratio - turn->ratio};
  for (int i = 0; i < 3; i++)
    off.angle[i] = target->angle[i] - turn->angle[i];
  double reach = stx_drift_reach(pair, &off);
  if (!(reach >= STX_DRIFT_STEP)) /* also before the first pair */
    return false;
  for (int i = 0; i < 3; i++)
    turn->angle[i] += off.angle[i] * STX_DRIFT_STEP / reach;
  turn->ratio += off.ratio * STX_DRIFT_STEP / reach;
  return true;
}
