/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tracks with the camera's motion taken out: velocities over ground.
 *
 * A track is a static multiple model of two Kalman filters: one assumes that the thing moves with a
 * nearly constant velocity, the other that it stands. Both predict each frame; Bayes' rule turns
 * their likelihoods into the probability that it stands (Y. Bar-Shalom, X. R. Li, T. Kirubarajan,
 * "Estimation with Applications to Tracking and Navigation", 2001, chapter 11). The output is the
 * mean of both, with its standard deviation.
 *
 * The moving thing's filter has one state for both axes: points tell the speed across the line of
 * sight far better than that along it, and only the covariance of both (the Mahalanobis distance)
 * says how sure it is that the thing moves.
 */
#include "common/obstacles/obstacles_private.h"

#include <math.h>

/* Priors and process noise */
#define STANDS_AT_FIRST .8 /* prior probability that a new thing stands */
#define CHANGES .02        /* probability that it starts or stops, per frame */
#define FIRST_SPEED 10.0   /* m/s: standard deviation of a moving thing's first speed */
#define CREEPS .05         /* m per frame: process noise of a standing thing's place */

/* Measurement noise */
#define JUMP_ACROSS .5 /* of its width: added across where no part is as predicted */
#define JUMP_AHEAD 1   /* m: added ahead there */
#define ALIKE                                                                                      \
  .25 /* factor of the places' log-odds for moving where points were matched: errors
                          of places repeat from frame to frame, and so count a quarter */
#define WRONG                                                                                      \
  .05               /* share of the points' velocities that are outliers, uniformly distributed
                          over what a new thing's speed may be */
#define FAR_OFF 3.0 /* standard deviations: a larger innovation counts as one of this size */
#define LATELY .3   /* weight of the last frame in the mean of the normalized innovations */

/* Decisions */
#define WALKS .7          /* m/s: a slower obstacle does not begin to move */
#define STANDS 1.0        /* m/s: a slower stixel stands */
#define MOVES 1.5         /* m/s: a faster stixel moves if it passes SURE, too */
#define SURE 9.0          /* squared Mahalanobis distance from standing */
#define SURE_OF_PART 36.0 /* the same if its obstacle stands */
#define ONCOMING 1.0      /* m/s towards the sensor */
#define WORTH 1.0         /* m/s: the largest standard deviation of a speed that is told */
#define STILL_SPEED .1    /* m/s: the smallest standard deviation of a standing thing's speed */

/* ---- Both axes together ---------------------------------------------------------------------- */

enum { X, SPEED_X, Z, SPEED_Z, STATES };

/* Place and speed of a moving thing across, then ahead, with their covariance. */
typedef struct {
  double at[STATES], cov[STATES][STATES];
} Joint;

static Joint joint_of(const Track *track)
{
  const Axis *x = &track->x, *z = &track->z;
  const double(*c)[2] = track->cross;
  return (Joint){{x->at, x->speed, z->at, z->speed},
      {{x->p00, x->p01, c[0][0], c[0][1]}, {x->p01, x->p11, c[1][0], c[1][1]},
          {c[0][0], c[1][0], z->p00, z->p01}, {c[0][1], c[1][1], z->p01, z->p11}}};
}

static void keep_joint(Track *track, const Joint *joint)
{
  const double(*p)[STATES] = joint->cov;
  track->x = (Axis){joint->at[X], joint->at[SPEED_X], p[X][X], p[X][SPEED_X], p[SPEED_X][SPEED_X]};
  track->z = (Axis){joint->at[Z], joint->at[SPEED_Z], p[Z][Z], p[Z][SPEED_Z], p[SPEED_Z][SPEED_Z]};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      track->cross[i][k] = p[X + i][Z + k];
}

/* The state times a matrix. */
static void transform(Joint *joint, const double by[STATES][STATES])
{
  Joint was = *joint;
  double half[STATES][STATES] = {{0}};
  *joint = (Joint){{0}, {{0}}};
  for (int i = 0; i < STATES; i++)
    for (int k = 0; k < STATES; k++) {
      joint->at[i] += by[i][k] * was.at[k];
      for (int m = 0; m < STATES; m++)
        half[i][m] += by[i][k] * was.cov[k][m];
    }
  for (int i = 0; i < STATES; i++)
    for (int k = 0; k < STATES; k++)
      for (int m = 0; m < STATES; m++)
        joint->cov[i][k] += half[i][m] * by[k][m];
}

/* ---- The camera's motion -------------------------------------------------------------------- */

/* The place of what stands, in the axes of now. */
static void carry_still(Axis *x, Axis *z, double y, const StxMotion *motion)
{
  const double *r = motion->rotation, *t = motion->translation, *off = motion->deviation;
  double at_x = x->at, at_z = z->at;
  x->at = r[0] * at_x + r[1] * y + r[2] * at_z + t[0];
  z->at = r[6] * at_x + r[7] * y + r[8] * at_z + t[2];
  x->p00 += off[3] * off[3] + at_z * at_z * off[1] * off[1];
  z->p00 += off[5] * off[5] + at_x * at_x * off[1] * off[1];
}

static void carry(Track *track, const StxMotion *motion)
{
  const double *r = motion->rotation, *t = motion->translation, *off = motion->deviation;
  const double turn[STATES][STATES] = {
      {r[0], 0, r[2], 0}, {0, r[0], 0, r[2]}, {r[6], 0, r[8], 0}, {0, r[6], 0, r[8]}};
  double x = track->x.at, z = track->z.at;
  Joint joint = joint_of(track);
  transform(&joint, turn);
  joint.at[X] += r[1] * track->y + t[0];
  joint.at[Z] += r[7] * track->y + t[2];
  joint.cov[X][X] += off[3] * off[3] + z * z * off[1] * off[1];
  joint.cov[Z][Z] += off[5] * off[5] + x * x * off[1] * off[1];
  keep_joint(track, &joint);
}

/* The speed relative to the camera of what stands where an obstacle is. */
static void standing_speed(const StxObstacle *o, const StxMotion *motion, double dt, double *speed)
{
  const double *r = motion->rotation, *t = motion->translation;
  double now[3] = {(double)o->x, (double)o->y - .5 * (double)o->height, (double)o->z};
  double before[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      before[i] += r[3 * k + i] * (now[k] - t[k]);
  speed[0] = (now[0] - before[0]) / dt;
  speed[1] = (now[2] - before[2]) / dt;
}

void stx_obstacles_expect(Track *track, const StxMotion *motion, double dt)
{
  if (motion->state == STX_MOTION_STILL)
    return;
  if (motion->state != STX_MOTION_FIRST) {
    carry(track, motion);
    carry_still(&track->still_x, &track->still_z, track->y, motion);
  }
  double(*c)[2] = track->cross;
  stx_obstacles_kalman_predict(&track->x, dt);
  stx_obstacles_kalman_predict(&track->z, dt);
  c[0][0] += dt * (c[0][1] + c[1][0] + dt * c[1][1]); /* the covariance of both axes */
  c[0][1] += dt * c[1][1];
  c[1][0] += dt * c[1][1];
  track->still_x.p00 += CREEPS * CREEPS;
  track->still_z.p00 += CREEPS * CREEPS;
  track->standing += CHANGES * (1 - 2 * track->standing);
}

/* ---- What is seen --------------------------------------------------------------------------- */

/* The square of how far off a place is; with the noise that it is then taken to have. What is far
 * off is taken for noisier than it is said to be. */
static double far_off(double off, double variance, double *noise)
{
  double sum = variance + *noise * *noise, square = off * off / sum;
  if (square > FAR_OFF * FAR_OFF)
    *noise = sqrt(off * off / (FAR_OFF * FAR_OFF) - variance);
  return fmin(square, FAR_OFF * FAR_OFF);
}

/* Corrects a place of what moves; returns the logarithm of how well it was foretold. */
static double correct_place(Joint *joint, int axis, double at, double noise, double *surprise)
{
  double off = at - joint->at[axis], sum = joint->cov[axis][axis] + noise * noise, gain[STATES];
  double square = far_off(off, joint->cov[axis][axis], &noise);
  *surprise += LATELY * (square - *surprise);
  double whole = joint->cov[axis][axis] + noise * noise;
  for (int i = 0; i < STATES; i++)
    gain[i] = joint->cov[i][axis];
  for (int i = 0; i < STATES; i++) {
    joint->at[i] += gain[i] / whole * off;
    for (int k = 0; k < STATES; k++)
      joint->cov[i][k] -= gain[i] * gain[k] / whole;
  }
  return -.5 * (square + log(sum));
}

/* The same of what stands. */
static double correct_still(Axis *axis, double at, double noise)
{
  double sum = axis->p00 + noise * noise;
  double square = far_off(at - axis->at, axis->p00, &noise);
  stx_obstacles_kalman_correct(axis, at, noise);
  return -.5 * (square + log(sum));
}

static double see_across(Track *track, Joint *joint, double at, double noise)
{
  return correct_still(&track->still_x, at, noise) -
         correct_place(joint, X, at, noise, &track->surprise_x);
}

static double see_ahead(Track *track, Joint *joint, double at, double noise)
{
  return correct_still(&track->still_z, at, noise) -
         correct_place(joint, Z, at, noise, &track->surprise_z);
}

/* The squared Mahalanobis distance of (x, z) from 0. */
static double mahalanobis_squared(double x, double z, double xx, double xz, double zz)
{
  return (zz * x * x - 2 * xz * x * z + xx * z * z) / (xx * zz - xz * xz);
}

/* Corrects the moving hypothesis by a measured velocity (a Kalman update); returns the log-odds of
 * standing against moving. In either case a few velocities are outliers, of any value. */
static double see_speed(Track *track, Joint *joint, const Observed *o)
{
  double off_x = o->x - joint->at[SPEED_X], off_z = o->z - joint->at[SPEED_Z];
  double(*p)[STATES] = joint->cov;
  double xx = p[SPEED_X][SPEED_X], xz = p[SPEED_X][SPEED_Z], zz = p[SPEED_Z][SPEED_Z];
  double square = mahalanobis_squared(off_x, off_z, xx + o->xx, xz + o->xz, zz + o->zz);
  double own = o->xx * o->zz - o->xz * o->xz;
  double whole = (xx + o->xx) * (zz + o->zz) - (xz + o->xz) * (xz + o->xz);
  double wrong = WRONG * sqrt(own) / (FIRST_SPEED * FIRST_SPEED);
  double stands = exp(-.5 * o->still) + wrong,
         moves = sqrt(own / whole) * exp(-.5 * square) + wrong;
  double most = FAR_OFF * FAR_OFF;
  track->surprise_x += LATELY * (fmin(off_x * off_x / (xx + o->xx), most) - track->surprise_x);
  track->surprise_z += LATELY * (fmin(off_z * off_z / (zz + o->zz), most) - track->surprise_z);
  double less = fmax(1, square / most);
  xx += less * o->xx;
  xz += less * o->xz;
  zz += less * o->zz;
  whole = xx * zz - xz * xz;
  Joint was = *joint;
  for (int i = 0; i < STATES; i++) {
    double across = was.cov[i][SPEED_X], ahead = was.cov[i][SPEED_Z];
    double gain_x = (zz * across - xz * ahead) / whole, gain_z = (xx * ahead - xz * across) / whole;
    joint->at[i] += gain_x * off_x + gain_z * off_z;
    for (int k = 0; k < STATES; k++)
      p[i][k] -= gain_x * was.cov[SPEED_X][k] + gain_z * was.cov[SPEED_Z][k];
  }
  return log(stands / moves);
}

void stx_obstacles_see(
    Track *track, const StxObstacle *o, const Observed *observed, bool matched, double noise)
{
  double half = .5 * (double)o->width, middle = (double)o->x;
  double edge = .05 + .005 * (double)o->z, odds = 0;
  double jumps = 1 - track->shared; /* it fell into other pieces: it went nowhere */
  bool cut = o->flags & STX_OBSTACLE_CUT;
  Joint joint = joint_of(track);
  double left = middle - half - track->left - obstacles_x(track);
  double right = middle + half - track->right - obstacles_x(track);
  double off = fabs(left) < fabs(right) ? left : right;
  odds += see_across(track, &joint, obstacles_x(track) + off,
      edge + .5 * fabs(left - right) + JUMP_ACROSS * jumps * (double)o->width);
  if (!cut) {
    odds +=
        see_ahead(track, &joint, (double)o->z, noise + .15 * (double)o->depth + JUMP_AHEAD * jumps);
    track->depth = fmax(.8 * track->depth, (double)o->depth);
  } else {
    track->depth = fmax(track->depth, (double)o->depth);
    odds += see_ahead(track, &joint, (double)(o->z + o->depth) - track->depth, .3 + noise);
  }
  if (odds < 0 && matched)
    odds *= ALIKE;
  track->matched = observed->points > 0;
  if (track->matched)
    odds += see_speed(track, &joint, observed);
  keep_joint(track, &joint);
  double stands = track->standing * exp(odds);
  track->standing = stands / (stands + 1 - track->standing);
  track->left = middle - half - obstacles_x(track);
  track->right = middle + half - obstacles_x(track);
  track->y = (double)o->y - .5 * (double)o->height;
}

void stx_obstacles_begin(Track *track, const StxObstacle *o)
{
  track->x.speed = track->z.speed = 0;
  track->x.p11 = track->z.p11 = FIRST_SPEED * FIRST_SPEED;
  track->still_x = track->x;
  track->still_z = track->z;
  track->still_x.p11 = track->still_z.p11 = 0;
  track->surprise_x = track->surprise_z = 1;
  track->standing = STANDS_AT_FIRST;
  track->left = -.5 * (double)o->width;
  track->right = .5 * (double)o->width;
  track->y = (double)o->y - .5 * (double)o->height;
  track->closing_speed = track->lateral_speed = NAN;
}

/* ---- What is said --------------------------------------------------------------------------- */

/* Mean and deviation of a speed that is 0 with a probability. */
static double mix(const Axis *moving, double surprise, double standing, double *deviation)
{
  double spread = moving->p11 * fmax(surprise, 1);
  double mean = (1 - standing) * moving->speed;
  double off = moving->speed - mean;
  *deviation = sqrt(
      standing * (STILL_SPEED * STILL_SPEED + mean * mean) + (1 - standing) * (spread + off * off));
  return mean;
}

/* The state of motion, with hysteresis. */
static uint8_t moves_of(uint8_t before, bool stands, bool moves, double z)
{
  double oncoming = before == STX_MOVES_ONCOMING ? .5 * ONCOMING : ONCOMING;
  if (stands || (before == STX_MOVES_NOT && !moves))
    return STX_MOVES_NOT;
  if (!moves && before == STX_MOVES_UNKNOWN)
    return STX_MOVES_UNKNOWN;
  return z < -oncoming ? STX_MOVES_ONCOMING : STX_MOVES_ON;
}

/* Says what is worth saying. */
static StxVelocity velocity_of(double x, double z, double deviation_x, double deviation_z)
{
  return (StxVelocity){.x = deviation_x <= WORTH ? (float)x : NAN,
      .z = deviation_z <= WORTH ? (float)z : NAN,
      .deviation_x = (float)deviation_x,
      .deviation_z = (float)deviation_z,
      .contact = NAN,
      .contact_deviation = NAN};
}

/* Until something is known of them. */
void stx_obstacles_know_nothing(StxObstacles *state)
{
  for (size_t i = 0; i < state->obstacles; i++)
    state->velocity[i] = velocity_of(NAN, NAN, NAN, NAN);
}

StxVelocity stx_obstacles_say_flow(Flow *flow, bool of_standing)
{
  double x = flow->speed_x, z = flow->speed_z, speed = hypot(x, z);
  double deviation_x = sqrt(flow->xx), deviation_z = sqrt(flow->zz);
  double least = of_standing ? SURE_OF_PART : SURE;
  if (!flow->known)
    return velocity_of(NAN, NAN, NAN, NAN);
  StxVelocity v = velocity_of(x, z, deviation_x, deviation_z);
  double sure = mahalanobis_squared(x, z, flow->xx, flow->xz, flow->zz);
  if (isfinite(v.x + v.z)) {
    bool stands = speed < STANDS || sure<.5 * SURE, moves = speed> MOVES && sure > least;
    flow->moves = moves_of(flow->moves, stands, moves, z);
  } else {
    flow->moves = STX_MOVES_UNKNOWN;
  }
  v.moves = flow->moves;
  return v;
}

/* Squares of how many standard deviations it is faster than none, if it moves. */
static double surely(const Track *track)
{
  double x = sqrt(fmax(track->surprise_x, 1)), z = sqrt(fmax(track->surprise_z, 1));
  return mahalanobis_squared(track->x.speed, track->z.speed, x * x * track->x.p11,
      x * z * track->cross[1][1], z * z * track->z.p11);
}

StxVelocity stx_obstacles_say(
    Track *track, const StxMotion *motion, double dt, double noise, StxObstacle *o)
{
  double deviation_x, deviation_z, ego[2];
  double x = mix(&track->x, track->surprise_x, track->standing, &deviation_x);
  double z = mix(&track->z, track->surprise_z, track->standing, &deviation_z);
  StxVelocity v = velocity_of(x, z, deviation_x, deviation_z);
  if (motion->state == STX_MOTION_KNOWN && dt > 0) {
    standing_speed(o, motion, dt, ego);
    track->lateral_speed = v.x + (float)ego[0];
    track->closing_speed = -(v.z + (float)ego[1]);
  }
  o->lateral_speed = track->lateral_speed;
  o->closing_speed = track->closing_speed;
  bool slow = hypot(track->x.speed, track->z.speed) < .5 * WALKS;
  bool stands = track->standing > .9 || (slow && track->moves >= STX_MOVES_ON);
  bool moves = track->standing < .1 && hypot(x, z) > WALKS && surely(track) > SURE;
  if (motion->state != STX_MOTION_STILL && motion->state != STX_MOTION_KNOWN)
    v.x = v.z = o->lateral_speed = o->closing_speed = NAN;
  bool surely_moves =
      moves && track->matched && track->standing < .01 && surely(track) > SURE_OF_PART;
  if (isfinite(v.x + v.z) || surely_moves)
    track->moves = moves_of(track->moves, stands, moves, z);
  v.moves = track->moves;
  /* Seconds until it is at the sensor, and how sure that is; not if it may be twice as many. */
  double closing = (double)o->closing_speed;
  double off = hypot(noise / (double)o->z, (double)v.deviation_z / closing);
  if (!(closing > 0 && off < 1))
    return v;
  v.contact = (float)((double)o->z / closing);
  v.contact_deviation = v.contact * (float)off;
  return v;
}
