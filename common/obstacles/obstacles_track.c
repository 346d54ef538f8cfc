/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tracks from frame to frame: prediction by Kalman filters, and an optimal assignment of obstacles
 * to tracks, that of the largest total benefit, by the auction algorithm.
 *
 * Source: D. P. Bertsekas, "The auction algorithm: a distributed relaxation method for the
 * assignment problem", Annals of Operations Research 14, 1988. A track without an obstacle bids for
 * the one that is worth most to it, benefit less price, and outbids the second best, or nothing at
 * all, by STEP: it gets it, and its former owner bids again. In the end no track is worse off than
 * by STEP, obstacles without an owner are free, and so no assignment is better by more than STEP
 * for each track. Prices rise by STEP or more and never above 1 + STEP: it ends.
 */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

#define STEP 0.001f
#define SHAPE .7    /* of what speaks for an obstacle, how much its parts say */
#define GUIDED 1.5  /* times the gate: with the camera's motion more of it is sure */
#define UNTIMED 1.0 /* m: how far things went in a step whose time is not known */
#define LATELY .3   /* of the innovations, what counts of the last frame */
#define RELATIVE_WORTH                                                                             \
  .6                     /* m/s: the largest standard deviation of a speed that is told though the
                             motion of the sensor is unknown: 1.5 m/s are 2.5 of them */
#define FIRST_SPEED 15.0 /* m/s: standard deviation of an unknown speed */

/* The obstacle that is worth most to a track; `margin`: over the second best or over none. */
static uint32_t best_of(const StxObstacles *state, const Choices *choices, float *margin)
{
  float best = 0, second = 0;
  uint32_t at = OBSTACLES_NONE;
  for (int i = 0; i < choices->count; i++) {
    const Candidate *candidate = &choices->candidate[i];
    float worth = candidate->benefit - state->prices[candidate->obstacle];
    if (worth > best) {
      second = best;
      best = worth;
      at = candidate->obstacle;
    } else if (worth > second) {
      second = worth;
    }
  }
  *margin = best - second;
  return at;
}

void stx_obstacles_auction(StxObstacles *state, size_t obstacles)
{
  size_t waiting = 0;
  for (size_t i = 0; i < obstacles; i++) {
    state->prices[i] = 0;
    state->owner[i] = OBSTACLES_NONE;
  }
  for (size_t i = state->tracked; i-- > 0;) {
    state->choices[i].assigned = OBSTACLES_NONE;
    state->waiting[waiting++] = (uint32_t)i;
  }
  while (waiting > 0) {
    uint32_t bidder = state->waiting[--waiting];
    float margin;
    uint32_t obstacle = best_of(state, &state->choices[bidder], &margin);
    if (obstacle == OBSTACLES_NONE)
      continue;
    uint32_t before = state->owner[obstacle];
    state->prices[obstacle] += margin + STEP;
    state->owner[obstacle] = bidder;
    state->choices[bidder].assigned = obstacle;
    if (before != OBSTACLES_NONE) {
      state->choices[before].assigned = OBSTACLES_NONE;
      state->waiting[waiting++] = before;
    }
  }
}

/* ---- One axis: a Kalman filter of constant velocity ------------------------------------------ */

void stx_obstacles_kalman_predict(Axis *axis, double dt)
{
  double noise = OBSTACLES_ACCELERATION * OBSTACLES_ACCELERATION * dt;
  axis->at += axis->speed * dt;
  axis->p00 += dt * (2 * axis->p01 + dt * axis->p11) + noise * dt * dt * dt / 4;
  axis->p01 += dt * axis->p11 + noise * dt * dt / 2;
  axis->p11 += noise * dt;
}

void stx_obstacles_kalman_correct(Axis *axis, double at, double noise)
{
  double sum = axis->p00 + noise * noise, k0 = axis->p00 / sum, k1 = axis->p01 / sum;
  double off = at - axis->at;
  axis->at += k0 * off;
  axis->speed += k1 * off;
  axis->p11 -= k1 * axis->p01;
  axis->p01 -= k0 * axis->p01;
  axis->p00 -= k0 * axis->p00;
}

static Axis begin_axis(double at, double speed, double noise)
{
  return (Axis){at, speed, noise * noise, 0, FIRST_SPEED * FIRST_SPEED};
}

/* ---- What a track may be --------------------------------------------------------------------- */

/* By how far it is off, the nearest of both edges and of the middle: things are often seen in part.
 */
static double off_across(const Track *track, const StxObstacle *o)
{
  double middle = fabs(obstacles_x(track) - (double)o->x),
         half = .5 * (track->width - (double)o->width);
  double left = fabs(obstacles_x(track) - (double)o->x - half),
         right = fabs(obstacles_x(track) - (double)o->x + half);
  return fmin(middle, fmin(left, right));
}

/* With the camera's motion things are where they are expected: how far their extents are apart is
 * what counts, then what they share, and only then where their nearest faces are. */
static double benefit_of_guided(
    const StxObstacles *state, const Track *track, const StxObstacle *o, const Noise *noise)
{
  double gate = GUIDED * state->params.gate, width = (double)o->width, z = obstacles_z(track);
  double left = obstacles_x(track) + track->left, right = obstacles_x(track) + track->right;
  double both = fmin(right, (double)o->x + .5 * width) - fmax(left, (double)o->x - .5 * width);
  double shared = fmax(both, 0) / (right - left + width - fmax(both, 0) + .01);
  double far = fmax((double)o->z - z - track->depth, z - (double)(o->z + o->depth));
  double dz = fmax(far, 0) / (gate + 2 * obstacles_noise(noise, (double)o->z));
  double dx = fmax(-both, 0) / (.5 * gate), cost = dx * dx + dz * dz;
  double off = fabs(z - (double)o->z) / (gate + track->depth + (double)o->depth);
  return cost >= 1 ? 0
                   : 1 - .2 * sqrt(cost) - .5 * (1 - shared) - .3 * fmin(off, 1) -
                         (track->label != o->label ? .1 : 0);
}

static double benefit_of(
    const StxObstacles *state, const Track *track, const StxObstacle *o, const Noise *noise)
{
  if (state->guided)
    return benefit_of_guided(state, track, o, noise);
  double gate = state->params.gate;
  double near = fabs(obstacles_z(track) - (double)o->z);
  double far = fabs(obstacles_z(track) + track->depth - (double)(o->z + o->depth));
  double ahead = o->flags & STX_OBSTACLE_CUT ? fmin(near, far) : near;
  double dz = ahead / (gate + 2 * obstacles_noise(noise, (double)o->z));
  double dx = off_across(track, o) / (.5 * gate);
  double width = fabs(track->width - (double)o->width) / (track->width + (double)o->width + .5);
  double cost = dz * dz + dx * dx;
  return cost >= 1 ? 0 : 1 - sqrt(cost) * .8 - .1 * width - (track->label != o->label ? .1 : 0);
}

/* The best first; of equal ones the nearer. */
static void keep_best(Choices *choices, uint32_t obstacle, double benefit, double shared)
{
  Candidate *list = choices->candidate, added = {obstacle, (float)benefit, (float)shared};
  int at = choices->count;
  if (at == OBSTACLES_CANDIDATES && !(list[--at].benefit < added.benefit))
    return;
  choices->count = at + 1;
  for (; at > 0 && list[at - 1].benefit < added.benefit; at--)
    list[at] = list[at - 1];
  list[at] = added;
}

/* Pieces by whose they were and which obstacle they are now; how much is in obstacles. */
static size_t sort_claims(StxObstacles *state)
{
  size_t claims = 0;
  memset(state->covered, 0, state->obstacles * sizeof *state->covered);
  for (size_t i = 0; i < state->count; i++) {
    const Piece *piece = &state->pieces[i];
    uint16_t member = state->members[piece->record];
    if (member == STX_FREE_NO_OBSTACLE)
      continue;
    state->covered[member] += piece->weight / (float)state->stixel_width;
    if (piece->owner != OBSTACLES_NONE)
      state->items[claims++] = (SortItem){(uint64_t)piece->owner << 32 | member, (uint32_t)i};
  }
  stx_obstacles_sort(state->items, state->spare, claims);
  return claims;
}

static void find_choices(StxObstacles *state, const Noise *noise)
{
  const SortItem *claim = state->items;
  const SortItem *end = claim + (state->columns > 0 ? sort_claims(state) : 0);
  double weight = state->columns > 0 ? SHAPE : 0;
  for (size_t t = 0; t < state->tracked; t++) {
    Choices *choices = &state->choices[t];
    choices->count = 0;
    if (state->guided && !(state->expected[t] > 0)) /* it left: what is seen is something else */
      continue;
    for (size_t i = 0; i < state->obstacles; i++) {
      double rows = 0;
      for (; claim < end && claim->key == ((uint64_t)t << 32 | i); claim++)
        rows += (double)state->pieces[claim->index].owned;
      double benefit = benefit_of(state, &state->tracks[t], &state->obstacle[i], noise);
      double expected = (double)state->expected[t], covered = (double)state->covered[i];
      double shared = rows > 0 ? stx_obstacles_overlap(expected, covered, rows) : 0;
      double alike = fmin(expected, covered) / fmax(fmax(expected, covered), 1);
      benefit += weight * (shared - benefit);
      if (benefit > 0)
        keep_best(choices, (uint32_t)i, benefit, alike);
    }
  }
}

/* ---- A frame --------------------------------------------------------------------------------- */

/* Corrects an axis; the mean square of the lately normalized innovations says how far the filter's
 * own covariance can be believed. */
static void correct_relative(Axis *axis, double at, double noise, double *surprise)
{
  double off = at - axis->at;
  *surprise += LATELY * (off * off / (axis->p00 + noise * noise) - *surprise);
  stx_obstacles_kalman_correct(axis, at, noise);
}

static void update_relative(Track *track, const StxObstacle *o, double noise)
{
  correct_relative(&track->x, (double)o->x, .2 + .1 * noise, &track->surprise_x);
  if (!(o->flags & STX_OBSTACLE_CUT)) {
    correct_relative(&track->z, (double)o->z, noise, &track->surprise_z);
    track->depth = fmax(.8 * track->depth, (double)o->depth);
  } else {
    track->depth = fmax(track->depth, (double)o->depth);
    correct_relative(
        &track->z, (double)(o->z + o->depth) - track->depth, .3 + noise, &track->surprise_z);
  }
}

/* A speed relative to the sensor, if its standard deviation makes it worth telling. */
static float relative_speed(const Axis *axis, double sign, double surprise)
{
  return sqrt(axis->p11 * fmax(surprise, 1)) <= RELATIVE_WORTH ? (float)(sign * axis->speed) : NAN;
}

/* A new one; 0 is none. */
static uint32_t next_id(StxObstacles *state)
{
  uint32_t id = state->next_id;
  state->next_id += id < UINT32_MAX ? 1 : 2;
  return id;
}

/* confirmed: where nothing was followed, all of it has an id at once. */
static void begin(StxObstacles *state, uint32_t place, bool confirmed, bool over_ground,
    double speed, double noise)
{
  const StxObstacle *o = &state->obstacle[place];
  if (state->tracked == state->room_for_tracks)
    return;
  Track *track = &state->tracks[state->tracked++];
  *track = (Track){begin_axis((double)o->x, 0, .2 + .1 * noise),
      begin_axis((double)o->z, speed, noise), .depth = (double)o->depth, .width = (double)o->width,
      .surprise_x = 1, .surprise_z = 1, .id = confirmed ? next_id(state) : 0,
      .out = state->params.max_unseen + 1, .label = o->label, .place = place};
  if (over_ground)
    stx_obstacles_begin(track, o);
}

/* The speed of most things: they stand, and the sensor moves. */
static double usual_speed(const StxObstacles *state)
{
  double sum = 0, weight = 0;
  for (size_t t = 0; t < state->tracked; t++)
    if (state->tracks[t].seen > 1) {
      double w = 1 / (1 + state->tracks[t].z.p11);
      sum += w * state->tracks[t].z.speed;
      weight += w;
    }
  return weight > 0 ? sum / weight : 0;
}

static void write_out(StxObstacles *state, double dt, const StxMotion *motion, const Noise *noise)
{
  for (size_t t = 0; t < state->tracked; t++) {
    Track *track = &state->tracks[t];
    if (track->place == OBSTACLES_NONE)
      continue;
    StxObstacle *o = &state->obstacle[track->place];
    o->id = track->id;
    o->age = track->age;
    if (motion != NULL) {
      state->velocity[track->place] =
          stx_obstacles_say(track, motion, dt, obstacles_noise(noise, (double)o->z), o);
    } else {
      o->closing_speed = relative_speed(&track->z, -1, track->surprise_z);
      o->lateral_speed = relative_speed(&track->x, 1, track->surprise_x);
    }
  }
}

void stx_obstacles_foretell(StxObstacles *state, double dt, const StxMotion *motion)
{
  for (size_t t = 0; t < state->tracked; t++) {
    Track *track = &state->tracks[t];
    if (motion != NULL) {
      stx_obstacles_expect(track, motion, dt);
    } else {
      stx_obstacles_kalman_predict(&track->x, dt);
      stx_obstacles_kalman_predict(&track->z, dt);
    }
    if (!(dt > 0) && !state->again) {
      track->x.p00 += UNTIMED * UNTIMED;
      track->z.p00 += UNTIMED * UNTIMED;
    }
  }
  stx_obstacles_move_parts(state, dt, motion);
}

void stx_obstacles_follow(
    StxObstacles *state, double dt, const StxMotion *motion, const Noise *noise)
{
  bool first = state->tracked == 0;
  find_choices(state, noise);
  stx_obstacles_auction(state, state->obstacles);
  for (size_t t = 0; t < state->tracked; t++) {
    Track *track = &state->tracks[t];
    uint32_t place = state->choices[t].assigned;
    track->place = place;
    if (place == OBSTACLES_NONE) {
      track->unseen++;
      continue;
    }
    const StxObstacle *o = &state->obstacle[place];
    const Candidate *candidate = state->choices[t].candidate;
    while (candidate->obstacle != place)
      candidate++;
    track->shared = (double)candidate->shared;
    if (!(dt > 0) && !state->again) /* where it is says nothing of how fast it is */
      track->x.p01 = track->z.p01 = track->cross[0][1] = track->cross[1][0] = 0;
    if (motion != NULL && motion->state == STX_MOTION_KNOWN)
      stx_obstacles_see(track, o, &state->observed[place], state->point_count > 0,
          obstacles_noise(noise, (double)o->z));
    else if (motion == NULL && !state->again)
      update_relative(track, o, obstacles_noise(noise, (double)o->z));
    /* A track is confirmed, and has an id, from the second time on: what is seen once is often a
     * piece of something else. */
    track->id = track->id > 0 ? track->id : next_id(state);
    track->width = (double)o->width;
    track->label = o->label;
    track->unseen = 0;
    track->age++;
    track->seen += dt > 0;
  }
  double speed = usual_speed(state);
  size_t kept = 0;
  uint32_t *now = state->waiting; /* of each track its number from here on */
  for (size_t t = 0; t < state->tracked; t++) {
    bool keeps = state->tracks[t].unseen <= state->params.max_unseen;
    now[t] = keeps ? (uint32_t)kept : OBSTACLES_NONE;
    if (keeps)
      state->tracks[kept++] = state->tracks[t];
  }
  stx_obstacles_number_parts(state, now);
  state->tracked = kept;
  for (uint32_t i = 0; i < state->obstacles; i++)
    if (state->owner[i] == OBSTACLES_NONE)
      begin(state, i, first, motion != NULL, speed,
          obstacles_noise(noise, (double)state->obstacle[i].z));
  stx_obstacles_keep_parts(state);
  write_out(state, dt, motion, noise);
}
