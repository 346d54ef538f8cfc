/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The velocity over ground of points of the image that were matched with the previous frame: of an
 * obstacle together, and of every stixel with its neighbours.
 *
 * The camera's motion puts a point that stood to X, Y, Z. With a velocity x, z across and ahead it
 * is seen at u, v and d, from the principal point, if
 *   u · (Z + z·dt) = f · (X + x·dt)
 *   v · (Z + z·dt) = f · Y
 *   d · (Z + z·dt) = f · b
 * These are three equations for two unknowns; the sums of all points of a thing are solved, with
 * weights by Huber so that a point of something else counts little. Each of the three may be off by
 * a shift that all points of the thing share: it is a third unknown of that equation, with a
 * deviation, and is eliminated. The filter over time is that of C. Rabe, T. Müller, A. Wedel,
 * U. Franke, "Dense, Robust, and Accurate Motion Field Estimation from Stereo Image Sequences in
 * Real-Time", ECCV 2010, of the velocity alone.
 */
#include "common/obstacles/obstacles_private.h"

#include <math.h>
#include <string.h>

#define PIXEL .4       /* px, standard deviation: of a point's matched place */
#define DISPARITY .3   /* px, standard deviation: of the change of its disparity */
#define DEPTH .8       /* px, standard deviation: of a disparity alone, for its depth */
#define SHIFT .1       /* px, standard deviation: common to all points of a thing */
#define SLOPE .05      /* of its speed: things go up or down so fast, as their road does */
#define ENOUGH 5.0     /* points: errors of more are no longer those of each alone */
#define ROBUST 1.5     /* standard deviations: from there on a point counts less */
#define ROUNDS 5       /* of weights */
#define LEAST_POINTS 2 /* of an obstacle, and of a stixel with its neighbours */
#define AROUND 2       /* columns to either side whose points are a stixel's, too */
#define FLOOR_X .1     /* m/s: what is wrong of all points of a thing together */
#define FLOOR_Z .25
#define FIRST_SPEED 10.0
#define SAME_DISPARITY .1   /* of it, and a pixel: it is the same thing in the frame before */
#define POINT_DISPARITY .03 /* of it, and half a pixel: a point lies on a stixel */
#define FORGET 3            /* frames: velocities of stixels that no point confirmed */

/* ---- Points --------------------------------------------------------------------------------- */

static double disparity_at(const StxStixel *s, double row)
{
  double part = s->bottom > s->top ? (s->bottom - row) / (s->bottom - s->top) : 0;
  return (double)s->disparity_bottom +
         part * ((double)s->disparity_top - (double)s->disparity_bottom);
}

/* The object stixel in which a point lies, at its distance; OBSTACLES_NONE: there is none. */
static uint32_t stixel_of(
    const StxObstacles *state, const StxObstaclesFrame *frame, const StxMotionPoint *p)
{
  bool inside = (double)p->u >= -.5 && (double)p->u < frame->width;
  int column = inside ? (int)floor(((double)p->u + .5) / frame->stixel_width) : -1;
  double row = floor((double)p->v + .5), d = (double)p->disparity;
  const uint32_t *first = state->first[state->turn];
  if (!(d > 0 && p->before_disparity > 0 && isfinite(row)) || column < 0 ||
      column >= state->columns)
    return OBSTACLES_NONE;
  for (uint32_t i = first[column]; i < first[column + 1]; i++) {
    const StxStixel *s = &frame->stixels[i];
    if (row < s->top || row > s->bottom)
      continue;
    bool same = fabs(disparity_at(s, row) - d) <= .5 + POINT_DISPARITY * d;
    return s->kind == STX_KIND_OBJECT && same ? i : OBSTACLES_NONE;
  }
  return OBSTACLES_NONE;
}

/* The error of the place of a point that went so many pixels: also that of its distance. */
static double pixel_of(double way, double disparity)
{
  return hypot(PIXEL, DEPTH * way / disparity);
}

/* False if the motion puts it behind the camera. */
static bool set_equations(
    const StxObstaclesFrame *frame, double dt, const StxMotionPoint *p, Equation *equation)
{
  const StxCamera *c = &frame->camera;
  const double *r = frame->motion->rotation, *t = frame->motion->translation;
  double cy = obstacles_centre_row(frame);
  double z = c->focal * c->baseline / (double)p->before_disparity, at[3];
  double before[3] = {
      ((double)p->before_u - c->cx) * z / c->focal, ((double)p->before_v - cy) * z / c->focal, z};
  for (int i = 0; i < 3; i++)
    at[i] = r[3 * i] * before[0] + r[3 * i + 1] * before[1] + r[3 * i + 2] * before[2] + t[i];
  if (!(at[2] > .5))
    return false;
  double metre = c->focal * c->baseline, now = metre / (double)p->disparity, step = dt / now;
  double u = (double)p->u - c->cx, v = (double)p->v - cy, d = (double)p->disparity;
  double pixel_u = pixel_of(u - c->focal * (at[0] - t[0]) / (at[2] - t[2]), d);
  double pixel_v = pixel_of(v - c->focal * (at[1] - t[1]) / (at[2] - t[2]), d);
  double off_u = u * at[2] - c->focal * at[0], off_v = v * at[2] - c->focal * at[1];
  equation[0] = (Equation){step * c->focal / pixel_u, -step * u / pixel_u, off_u / now / pixel_u};
  equation[1] = (Equation){0, -step * v / pixel_v, off_v / now / pixel_v};
  equation[2] = (Equation){0, -step * d / DISPARITY, (d * at[2] - metre) / now / DISPARITY};
  return true;
}

/* ---- Sums ----------------------------------------------------------------------------------- */

static void add_point(Sums *sums, const ObstaclesPoint *point, const double *speed)
{
  for (int k = 0; k < 3; k++) {
    const Equation *e = &point->equation[k];
    double left = fabs(e->off - e->across * speed[0] - e->ahead * speed[1]);
    double weight = left > ROBUST ? ROBUST / left : 1;
    sums->xx += weight * e->across * e->across;
    sums->xz += weight * e->across * e->ahead;
    sums->zz += weight * e->ahead * e->ahead;
    sums->x += weight * e->across * e->off;
    sums->z += weight * e->ahead * e->off;
    sums->square += weight * left * left;
    sums->of[k].weight += weight;
    sums->of[k].across += weight * e->across;
    sums->of[k].ahead += weight * e->ahead;
    sums->of[k].off += weight * e->off;
  }
  sums->points++;
}

static void add_sums(Sums *sums, const Sums *more)
{
  sums->xx += more->xx;
  sums->xz += more->xz;
  sums->zz += more->zz;
  sums->x += more->x;
  sums->z += more->z;
  sums->square += more->square;
  for (int k = 0; k < 3; k++) {
    sums->of[k].weight += more->of[k].weight;
    sums->of[k].across += more->of[k].across;
    sums->of[k].ahead += more->of[k].ahead;
    sums->of[k].off += more->of[k].off;
  }
  sums->points += more->points;
}

/* The velocity of a thing with these sums, and its covariance, which grows with the residuals. All
 * points may be off by the same: `down` is the standard deviation of that for v, in pixels. False
 * if they do not say. */
static bool solve(const Sums *sums, double down, Observed *observed)
{
  const double shift[3] = {SHIFT / PIXEL, down / PIXEL, SHIFT / DISPARITY};
  double xx = sums->xx, xz = sums->xz, zz = sums->zz, x = sums->x, z = sums->z;
  for (int k = 0; k < 3; k++) {
    double across = sums->of[k].across, ahead = sums->of[k].ahead, off = sums->of[k].off;
    double weight = sums->of[k].weight + 1 / (shift[k] * shift[k]);
    xx -= across * across / weight;
    xz -= across * ahead / weight;
    zz -= ahead * ahead / weight;
    x -= across * off / weight;
    z -= ahead * off / weight;
  }
  double whole = xx * zz - xz * xz;
  if (!(whole > 1e-9 * sums->xx * sums->zz))
    return false;
  double spread = fmax(1, sums->square / (3 * sums->points - 2)) * fmax(1, sums->points / ENOUGH);
  observed->x = (zz * x - xz * z) / whole;
  observed->z = (xx * z - xz * x) / whole;
  observed->xx = spread * zz / whole + FLOOR_X * FLOOR_X;
  observed->xz = -spread * xz / whole;
  observed->zz = spread * xx / whole + FLOOR_Z * FLOOR_Z;
  observed->points = sums->points;
  return true;
}

/* The effect of the motion's uncertainty on all velocities. */
static void doubt(Observed *o, const StxMotion *motion, double dt, double x, double z)
{
  const double *off = motion->deviation;
  o->xx += (off[3] * off[3] + off[1] * off[1] * z * z) / (dt * dt);
  o->zz += (off[5] * off[5] + off[1] * off[1] * x * x) / (dt * dt);
}

/* The pixels by which a thing of this speed may have gone down with its road. */
static double down_of(
    const StxObstaclesFrame *frame, double tilt, double dt, double z, double speed)
{
  return hypot(tilt, SLOPE * speed * dt * frame->camera.focal / z);
}

/* The squared Mahalanobis distance of the points' velocity from 0, for a thing that stands. */
static double still_of(
    const StxObstacles *state, const StxObstaclesFrame *frame, double dt, size_t i)
{
  const StxObstacle *at = &state->obstacle[i];
  Observed o;
  if (!solve(&state->sums[i], state->tilt, &o))
    return 0;
  doubt(&o, frame->motion, dt, (double)at->x, (double)at->z);
  return (o.zz * o.x * o.x - 2 * o.xz * o.x * o.z + o.xx * o.z * o.z) / (o.xx * o.zz - o.xz * o.xz);
}

/* Velocities of obstacles: from standing on, the weights are made anew. */
static void observe_obstacles(StxObstacles *state, const StxObstaclesFrame *frame, double dt)
{
  memset(state->observed, 0, state->obstacles * sizeof *state->observed);
  for (int round = 0; round < ROUNDS; round++) {
    memset(state->sums, 0, state->obstacles * sizeof *state->sums);
    for (size_t i = 0; i < state->point_count; i++) {
      uint16_t member = state->members[state->points[i].record];
      if (member == STX_FREE_NO_OBSTACLE)
        continue;
      const Observed *o = &state->observed[member];
      add_point(&state->sums[member], &state->points[i], (const double[]){o->x, o->z});
    }
    for (size_t i = 0; i < state->obstacles; i++) {
      Observed *o = &state->observed[i];
      double z = (double)state->obstacle[i].z, speed = hypot(o->x, o->z);
      if (state->sums[i].points < LEAST_POINTS ||
          !solve(&state->sums[i], down_of(frame, state->tilt, dt, z, speed), o))
        *o = (Observed){.points = 0};
    }
  }
  for (size_t i = 0; i < state->obstacles; i++) {
    const StxObstacle *at = &state->obstacle[i];
    if (state->observed[i].points == 0)
      continue;
    state->observed[i].still = still_of(state, frame, dt, i);
    doubt(&state->observed[i], frame->motion, dt, (double)at->x, (double)at->z);
  }
}

/* ---- Stixels -------------------------------------------------------------------------------- */

/* The points of a stixel and of its neighbours in the same obstacle; its own, if it is in none. */
static Sums sums_around(const StxObstacles *state, const StxObstaclesFrame *frame, size_t i)
{
  Sums sums = {0};
  int column = frame->stixels[i].column, last = column + AROUND;
  uint16_t member = state->members[i];
  const uint32_t *of_column = state->first[state->turn];
  if (member == STX_FREE_NO_OBSTACLE)
    return state->stixel_sums[i];
  last = last < state->columns ? last : state->columns - 1;
  for (uint32_t k = of_column[column > AROUND ? column - AROUND : 0]; k < of_column[last + 1]; k++)
    if (state->members[k] == member && state->stixel_sums[k].points > 0)
      add_sums(&sums, &state->stixel_sums[k]);
  return sums;
}

/* A stixel's measured velocity: by its points, else by those of its obstacle. */
static Observed observe_stixel(
    const StxObstacles *state, const StxObstaclesFrame *frame, double dt, size_t i)
{
  Observed observed = {.points = 0};
  Sums sums = sums_around(state, frame, i);
  uint16_t member = state->members[i];
  const Flow *flow = &state->flow[state->turn][i];
  double speed = hypot(flow->speed_x, flow->speed_z);
  if (sums.points >= LEAST_POINTS &&
      solve(&sums, down_of(frame, state->tilt, dt, flow->z, speed), &observed))
    doubt(&observed, frame->motion, dt, flow->x, flow->z);
  else if (member != STX_FREE_NO_OBSTACLE)
    observed = state->observed[member];
  return observed;
}

/* The place of a stixel, without a velocity. */
static Flow place_of(const StxObstaclesFrame *frame, const StxStixel *s)
{
  const StxCamera *c = &frame->camera;
  double d = .5 * ((double)s->disparity_bottom + (double)s->disparity_top);
  double cy = obstacles_centre_row(frame);
  Flow flow = {.disparity = d, .column = s->column, .top = s->top, .bottom = s->bottom};
  flow.known = s->kind == STX_KIND_OBJECT && isfinite(d) && d > 0;
  if (!flow.known)
    return flow;
  flow.z = c->focal * c->baseline / d;
  flow.x = ((s->column + .5) * frame->stixel_width - .5 - c->cx) * flow.z / c->focal;
  flow.y = (.5 * (s->top + s->bottom) - cy) * flow.z / c->focal;
  flow.xx = flow.zz = FIRST_SPEED * FIRST_SPEED;
  return flow;
}

/* The stixel of the frame before that this one was, if it went with a velocity; NULL: none. */
static const Flow *flow_before(
    const StxObstacles *state, const StxObstaclesFrame *frame, const Flow *flow, const double *step)
{
  const StxCamera *c = &frame->camera;
  const double *r = frame->motion->rotation, *t = frame->motion->translation;
  double cy = obstacles_centre_row(frame);
  double now[3] = {flow->x - t[0] - step[0], flow->y - t[1], flow->z - t[2] - step[1]};
  double at[3] = {0}, least = INFINITY;
  const Flow *best = NULL;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      at[i] += r[3 * k + i] * now[k];
  if (!(at[2] > .5))
    return NULL;
  double column = (c->focal * at[0] / at[2] + c->cx + .5) / frame->stixel_width - .5;
  double row = c->focal * at[1] / at[2] + cy, d = c->focal * c->baseline / at[2];
  int first = column > 1 ? (int)(column - .5) : 0, last = first + 2;
  if (!(column < state->columns))
    return NULL;
  last = last < state->columns ? last : state->columns - 1;
  for (uint32_t i = state->first[!state->turn][first]; i < state->first[!state->turn][last + 1];
       i++) {
    const Flow *f = &state->flow[!state->turn][i];
    double off = fabs(f->disparity - d) / (1 + SAME_DISPARITY * d);
    double far = off + fabs(f->column - column) * .5;
    if (!f->known || off > 1 || row < f->top - frame->stixel_width ||
        row > f->bottom + frame->stixel_width || far >= least)
      continue;
    least = far;
    best = f;
  }
  return best;
}

/* Velocity and covariance of before, in the axes of now. */
static void inherit(Flow *flow, const Flow *before, const StxMotion *motion, double dt)
{
  const double *r = motion->rotation;
  double change = OBSTACLES_ACCELERATION * dt;
  flow->speed_x = r[0] * before->speed_x + r[2] * before->speed_z;
  flow->speed_z = r[6] * before->speed_x + r[8] * before->speed_z;
  flow->xx = fmin(before->xx + change * change, FIRST_SPEED * FIRST_SPEED);
  flow->zz = fmin(before->zz + change * change, FIRST_SPEED * FIRST_SPEED);
  flow->xz = before->xz;
  flow->moves = before->moves;
  flow->unseen = before->unseen + 1;
}

/* The filter over time, of both at once; what is far off counts less. */
static void filter(Flow *flow, const Observed *o)
{
  double xx = flow->xx + o->xx, xz = flow->xz + o->xz, zz = flow->zz + o->zz;
  double off_x = o->x - flow->speed_x, off_z = o->z - flow->speed_z, whole = xx * zz - xz * xz;
  double square = (zz * off_x * off_x - 2 * xz * off_x * off_z + xx * off_z * off_z) / whole;
  double less = fmax(1, square / 9);
  if (!(whole > 0))
    return;
  whole *= less;
  double kxx = (flow->xx * zz - flow->xz * xz) / whole,
         kxz = (flow->xz * xx - flow->xx * xz) / whole;
  double kzx = (flow->xz * zz - flow->zz * xz) / whole,
         kzz = (flow->zz * xx - flow->xz * xz) / whole;
  Flow was = *flow;
  flow->speed_x += kxx * off_x + kxz * off_z;
  flow->speed_z += kzx * off_x + kzz * off_z;
  flow->xx = (1 - kxx) * was.xx - kxz * was.xz;
  flow->xz = (1 - kxx) * was.xz - kxz * was.zz;
  flow->zz = (1 - kzz) * was.zz - kzx * was.xz;
  flow->unseen = 0;
}

static void flow_on(StxObstacles *state, const StxObstaclesFrame *frame, double dt, size_t i)
{
  Flow *flow = &state->flow[state->turn][i];
  uint16_t member = state->members[i];
  double step[2] = {0};
  if (member != STX_FREE_NO_OBSTACLE && state->velocity[member].moves >= STX_MOVES_ON) {
    step[0] = (double)state->velocity[member].x * dt;
    step[1] = (double)state->velocity[member].z * dt;
  }
  const Flow *before = state->before > 0 && isfinite(step[0] + step[1])
                           ? flow_before(state, frame, flow, step)
                           : NULL;
  if (before != NULL && before->unseen < FORGET)
    inherit(flow, before, frame->motion, dt);
  Observed observed = observe_stixel(state, frame, dt, i);
  if (observed.points > 0)
    filter(flow, &observed);
}

/* Sums of the points of each stixel, with the weights that they have for their obstacle. */
static void sum_stixels(StxObstacles *state, size_t count)
{
  memset(state->stixel_sums, 0, count * sizeof *state->stixel_sums);
  for (size_t i = 0; i < state->point_count; i++) {
    const ObstaclesPoint *point = &state->points[i];
    uint16_t member = state->members[point->record];
    double speed[2] = {0};
    if (member != STX_FREE_NO_OBSTACLE) {
      speed[0] = state->observed[member].x;
      speed[1] = state->observed[member].z;
    }
    add_point(&state->stixel_sums[point->record], point, speed);
  }
}

/* Its own velocity or, while that is not known, that of its obstacle. */
static StxVelocity say_stixel(StxObstacles *state, size_t i)
{
  uint16_t member = state->members[i];
  bool stands = member != STX_FREE_NO_OBSTACLE && state->velocity[member].moves == STX_MOVES_NOT;
  StxVelocity own = stx_obstacles_say_flow(&state->flow[state->turn][i], stands);
  if (isfinite(own.x + own.z) || member == STX_FREE_NO_OBSTACLE)
    return own;
  StxVelocity whole = state->velocity[member];
  whole.contact = whole.contact_deviation = NAN;
  return isfinite(whole.x + whole.z) ? whole : own;
}

void stx_obstacles_flow(StxObstacles *state, const StxObstaclesFrame *frame, double dt)
{
  bool goes_on = frame->motion->state == STX_MOTION_KNOWN && dt > 0;
  sum_stixels(state, frame->count);
  for (size_t i = 0; i < frame->count; i++) {
    if (state->flow[state->turn][i].known && goes_on)
      flow_on(state, frame, dt, i);
    state->stixel_velocity[i] = say_stixel(state, i);
  }
  state->before = frame->count;
  state->turn = !state->turn;
}

/* ---- A frame -------------------------------------------------------------------------------- */

/* Finds the first stixel of each column, and where stixels are. */
void stx_obstacles_place(StxObstacles *state, const StxObstaclesFrame *frame)
{
  uint32_t i = 0, *first = state->first[state->turn];
  for (int c = 0; c <= state->columns; c++) {
    while (i < frame->count && frame->stixels[i].column < c)
      i++;
    first[c] = i;
  }
  for (i = 0; i < frame->count; i++)
    state->flow[state->turn][i] = place_of(frame, &frame->stixels[i]);
}

void stx_obstacles_observe(StxObstacles *state, const StxObstaclesFrame *frame, double dt)
{
  state->point_count = 0;
  state->tilt = hypot(frame->camera.focal * frame->motion->deviation[0], SHIFT);
  bool known = dt > 0 && frame->motion->state == STX_MOTION_KNOWN;
  for (size_t i = 0; known && i < frame->point_count && state->point_count < OBSTACLES_POINTS;
       i++) {
    ObstaclesPoint *point = &state->points[state->point_count];
    point->record = stixel_of(state, frame, &frame->points[i]);
    if (point->record != OBSTACLES_NONE &&
        set_equations(frame, dt, &frame->points[i], point->equation))
      state->point_count++;
  }
  observe_obstacles(state, frame, dt);
}
