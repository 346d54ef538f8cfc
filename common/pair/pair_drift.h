/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The drift of the right camera of a rectified pair from its calibration: a Kalman filter over the
 * row offsets of the matches of pair.h.
 *
 * A right camera that is turned by small angles (pitch, yaw, roll: radians) and whose focal length
 * is `ratio` too large shows a point of the rectified view at (x, y), in focal lengths from the
 * principal point, and with disparity d in pixels, lower than the left camera does by
 *
 *   rows = f·(pitch·(1 + y²) − yaw·x·y − roll·x + ratio·y) + tilt·d + advance·y·d
 *
 * to first order. The last two are the direction of the baseline: across the rows, and along the
 * view; pictures of two moments look like the latter while the camera moves ahead.
 *
 *   state     these six numbers; a random walk
 *   start     the matches that agree with what the state predicts or, if these are much fewer,
 *             with the model of the pair (StxPairEvidence)
 *   update    least squares with the state and its covariance as prior, over the matches within
 *             1.2 rows, three times. The errors of the matches of a picture are alike: each counts
 *             as a quarter of one
 *   knock     the state predicts too few of three pairs in turn, or they do not agree with what
 *             comes of it: its covariance becomes that of the beginning
 *
 * A pair without evidence changes nothing: dark, covered, with fewer than 20 matches that agree, or
 * fewer than 60 % of them. What cannot be told apart, such as a pitch from a tilt before a wall,
 * stays uncertain.
 *
 * Yaw moves all disparities, but hardly any row. It is estimated so that the others are right, and
 * is no measure of where infinity lies.
 */
#pragma once

#include "common/pair/pair_watch.h"
#include "common/rectify/rectify.h"

typedef enum {
  STX_DRIFT_PITCH,
  STX_DRIFT_YAW,
  STX_DRIFT_ROLL,
  STX_DRIFT_RATIO,
  STX_DRIFT_TILT,
  STX_DRIFT_ADVANCE,
  STX_DRIFT_TERMS
} StxDriftTerm;

/* {0} to begin with. */
typedef struct {
  double state[STX_DRIFT_TERMS], covariance[STX_DRIFT_TERMS][STX_DRIFT_TERMS];
  int used;              /* pairs that have changed it */
  int odd;               /* pairs in turn that it has not predicted */
  int agreeing, matched; /* matches of the last pair */
  StxPairVerdict verdict;
  bool follows[STX_DRIFT_TERMS]; /* it has been large enough to be corrected */
} StxDrift;

/* A pair, and what was already corrected in it. */
typedef struct {
  StxPairFinding finding;
  StxPairMatch matches[STX_PAIR_CELLS];
  int count;
  StxRectifyTurn applied;
  double fx, fy, cx, cy; /* of the rectified view, pixels */
} StxDriftPair;

/* `seconds` since the last pair. False: without evidence. */
bool stx_drift_update(StxDrift *drift, const StxDriftPair *pair, double seconds);

/* The farthest that a correction moves a pixel of the picture, pixels. */
double stx_drift_reach(const StxDriftPair *pair, const StxRectifyTurn *turn);

/* The correction to aim at, from pair->applied on: pitch, roll and ratio, each from when it was
 * once beyond STX_DRIFT_LEAST pixels and five deviations, after three pairs; within one degree, and
 * 3 % of the focal length. Nothing new while the advance is that of two moments. The yaw stays 0.
 */
#define STX_DRIFT_LEAST .75
StxRectifyTurn stx_drift_target(StxDrift *drift, const StxDriftPair *pair);

/* From one correction towards another, by STX_DRIFT_STEP pixels at most, unless less than that is
 * missing: false. */
#define STX_DRIFT_STEP .1
bool stx_drift_step(const StxDriftPair *pair, const StxRectifyTurn *target, StxRectifyTurn *turn);
