/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tracks with the camera's motion taken out: velocities over ground.
 *
 * A track is two filters: of a thing that moves with a velocity that is nearly constant, and of one
 * that stands. Both foretell each frame; Bayes' rule makes of how well they did the probability
 * that it stands (Y. Bar-Shalom, X. R. Li, T. Kirubarajan, "Estimation with Applications to
 * Tracking and Navigation", 2001, chapter 11). What is said is the mean of both and its spread.
 */
#include "common/obstacles/obstacles_private.h"

#include <math.h>

#define STANDS_AT_FIRST .8 /* what is new stands, probably; */
#define CHANGES .02        /*   and what stands may start in each frame, or the other way round */
#define FIRST_SPEED 10.0   /* m/s: a standard deviation of what moves */
#define CREEPS .05         /* m: how the place of what stands seems to change in a frame */
#define JUMP_ACROSS .5 /* of its width, where nothing of it is as expected: noise of its place; */
#define JUMP_AHEAD 1   /*   likewise ahead, m */
#define FAR_OFF 3.0    /* standard deviations: what is farther off is a mistake in part */
#define LATELY .3      /* of how far off it was, what counts of the last frame */
#define STANDS 1.0     /* m/s: what is slower stands; */
#define MOVES 1.5      /*   what is faster moves; */
#define SURE 9.0       /*   by so much, squares of standard deviations; */
#define SURE_OF_PART 36.0 /*   what is part of a thing that stands by so much; */
#define ONCOMING 1.0      /*   and comes on, if so much of it is towards the sensor */
#define WORTH 1.0         /* m/s: the largest standard deviation of a speed that is said */
#define STILL_SPEED .1    /* m/s: how well it is known of what stands, at best */

/* ---- The camera's motion -------------------------------------------------------------------- */

/* Places and speeds of one of the two, in the axes of now. */
static void carry(Axis *x, Axis *z, double y, const StxMotion *motion)
{
  const double *r = motion->rotation, *t = motion->translation, *off = motion->deviation;
  double at_x = x->at, at_z = z->at, speed_x = x->speed, speed_z = z->speed;
  x->at = r[0] * at_x + r[1] * y + r[2] * at_z + t[0];
  z->at = r[6] * at_x + r[7] * y + r[8] * at_z + t[2];
  x->speed = r[0] * speed_x + r[2] * speed_z;
  z->speed = r[6] * speed_x + r[8] * speed_z;
  x->p00 += off[3] * off[3] + at_z * at_z * off[1] * off[1];
  z->p00 += off[5] * off[5] + at_x * at_x * off[1] * off[1];
}

/* The speed relative to the camera of what stands at a place. */
static void standing_speed(const Track *track, const StxMotion *motion, double dt, double *speed)
{
  const double *r = motion->rotation, *t = motion->translation;
  double now[3] = {obstacles_x(track), track->y, obstacles_z(track)}, before[3] = {0};
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
    carry(&track->x, &track->z, track->y, motion);
    carry(&track->still_x, &track->still_z, track->y, motion);
  }
  stx_obstacles_predict(&track->x, dt);
  stx_obstacles_predict(&track->z, dt);
  track->still_x.p00 += CREEPS * CREEPS;
  track->still_z.p00 += CREEPS * CREEPS;
  track->standing += CHANGES * (1 - 2 * track->standing);
}

/* ---- What is seen --------------------------------------------------------------------------- */

/* Corrects one of the two, and returns the logarithm of how well it foretold. What is far off is
 * taken for noisier than it is said to be. */
static double correct(Axis *axis, double at, double noise, double *surprise)
{
  double off = at - axis->at, sum = axis->p00 + noise * noise;
  double square = fmin(off * off / sum, FAR_OFF * FAR_OFF);
  *surprise += LATELY * (square - *surprise);
  if (off * off > FAR_OFF * FAR_OFF * sum)
    noise = sqrt(off * off / (FAR_OFF * FAR_OFF) - axis->p00);
  stx_obstacles_correct(axis, at, noise);
  return -.5 * (square + log(sum));
}

static double see_across(Track *track, double at, double noise)
{
  double none = 0;
  return correct(&track->still_x, at, noise, &none) -
         correct(&track->x, at, noise, &track->surprise_x);
}

static double see_ahead(Track *track, double at, double noise)
{
  double none = 0;
  return correct(&track->still_z, at, noise, &none) -
         correct(&track->z, at, noise, &track->surprise_z);
}

/* The same of a speed, with the square of its noise: for standing. */
static double correct_speed(Axis *axis, double speed, double noise, double *surprise)
{
  double off = speed - axis->speed, sum = axis->p11 + noise;
  double square = fmin(off * off / sum, FAR_OFF * FAR_OFF);
  double still = fmin(speed * speed / noise, FAR_OFF * FAR_OFF);
  double odds = .5 * (square + log(sum) - still - log(noise));
  *surprise += LATELY * (square - *surprise);
  sum = fmax(sum, off * off / (FAR_OFF * FAR_OFF));
  double k0 = axis->p01 / sum, k1 = axis->p11 / sum;
  axis->at += k0 * off;
  axis->speed += k1 * off;
  axis->p00 -= k0 * axis->p01;
  axis->p01 -= k0 * axis->p11;
  axis->p11 -= k1 * axis->p11;
  return odds;
}

void stx_obstacles_see(Track *track, const StxObstacle *o, const Observed *observed, double noise)
{
  double half = .5 * (double)o->width, middle = (double)o->x;
  double edge = .05 + .005 * (double)o->z, odds = 0;
  double jumps = 1 - track->shared; /* it fell into other pieces: it went nowhere */
  bool cut = o->flags & STX_OBSTACLE_CUT;
  double left = middle - half - track->left - obstacles_x(track);
  double right = middle + half - track->right - obstacles_x(track);
  double off = fabs(left) < fabs(right) ? left : right;
  odds += see_across(track, obstacles_x(track) + off,
      edge + .5 * fabs(left - right) + JUMP_ACROSS * jumps * (double)o->width);
  if (!cut) {
    odds += see_ahead(track, (double)o->z, noise + .15 * (double)o->depth + JUMP_AHEAD * jumps);
    track->depth = fmax(.8 * track->depth, (double)o->depth);
  } else {
    track->depth = fmax(track->depth, (double)o->depth);
    odds += see_ahead(track, (double)(o->z + o->depth) - track->depth, .3 + noise);
  }
  if (observed->points > 0) {
    odds += correct_speed(&track->x, observed->x, observed->xx, &track->surprise_x);
    odds += correct_speed(&track->z, observed->z, observed->zz, &track->surprise_z);
  }
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

/* Squares of how many standard deviations a velocity is more than none. */
static double surely(double x, double z, double deviation_x, double deviation_z)
{
  return x * x / (deviation_x * deviation_x) + z * z / (deviation_z * deviation_z);
}

StxVelocity stx_obstacles_say_flow(Flow *flow, bool of_standing)
{
  double x = flow->speed_x, z = flow->speed_z, speed = hypot(x, z);
  double deviation_x = sqrt(flow->xx), deviation_z = sqrt(flow->zz);
  double least = of_standing ? SURE_OF_PART : SURE;
  if (!flow->known)
    return velocity_of(NAN, NAN, NAN, NAN);
  StxVelocity v = velocity_of(x, z, deviation_x, deviation_z);
  double sure = surely(x, z, deviation_x, deviation_z);
  if (isfinite(v.x + v.z)) {
    bool stands = speed < STANDS || sure<.5 * SURE, moves = speed> MOVES && sure > least;
    flow->moves = moves_of(flow->moves, stands, moves, z);
  } else {
    flow->moves = STX_MOVES_UNKNOWN;
  }
  v.moves = flow->moves;
  return v;
}

/* Seconds until it is at the sensor, and how sure that is; not if it may be twice as many. */
static void say_contact(StxVelocity *v, const StxObstacle *o, double noise)
{
  double closing = (double)o->closing_speed, z = (double)o->z;
  double off = hypot(noise / z, (double)v->deviation_z / closing);
  if (!(closing > 0 && off < 1))
    return;
  v->contact = (float)(z / closing);
  v->contact_deviation = v->contact * (float)off;
}

StxVelocity stx_obstacles_say(
    Track *track, const StxMotion *motion, double dt, double noise, StxObstacle *o)
{
  double deviation_x, deviation_z, ego[2];
  double x = mix(&track->x, track->surprise_x, track->standing, &deviation_x);
  double z = mix(&track->z, track->surprise_z, track->standing, &deviation_z);
  StxVelocity v = velocity_of(x, z, deviation_x, deviation_z);
  if (motion->state == STX_MOTION_KNOWN && dt > 0) {
    standing_speed(track, motion, dt, ego);
    track->lateral_speed = v.x + (float)ego[0];
    track->closing_speed = -(v.z + (float)ego[1]);
  }
  o->lateral_speed = track->lateral_speed;
  o->closing_speed = track->closing_speed;
  bool moves =
      track->standing < .1 && hypot(x, z) > STANDS && surely(x, z, deviation_x, deviation_z) > SURE;
  if (motion->state != STX_MOTION_STILL && motion->state != STX_MOTION_KNOWN)
    v.x = v.z = o->lateral_speed = o->closing_speed = NAN;
  if (isfinite(v.x + v.z))
    track->moves = moves_of(track->moves, track->standing > .9, moves, z);
  v.moves = track->moves;
  say_contact(&v, o, noise);
  return v;
}
