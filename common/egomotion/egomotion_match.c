/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* egomotion: the corners of the frame before, found in this one. */
#include "common/egomotion/egomotion_private.h"
#include "common/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCOUTS 200      /* corners that say what to expect */
#define LEAST_SCOUTS 12 /* … of which so many must agree */
#define PIECE 16        /* corners at a time */
#define PLACE_NOISE .25 /* px, the standard deviation of a place */
#define FLOW_NOISE .01  /* added to it for each pixel of displacement */
#define LENS_NOISE .05  /* added to it, times the squared tangent of the view's angle */

static const EgoReach expected = {12, 8}, first = {EGO_REACH, EGO_DOWN}, wide = {EGO_REACH, 6};

/* ---- Search ---------------------------------------------------------------------------------- */

typedef struct {
  uint16_t at[2 * EGO_REACH + 1][EGO_COSTS], least[2 * EGO_REACH + 1];
} Costs;

/* The least of a row that is not near a column of it. */
static int least_beside(const uint16_t *row, int columns, int x)
{
  int least = INT32_MAX;
  for (int i = 0; i < columns; i++)
    if (abs(i - x) > EGO_NEAR_PLACE && row[i] < least)
      least = row[i];
  return least;
}

static void find_least(const EgoWindow *w, const Costs *costs, EgoFound *found)
{
  int x = 0, y = 0;
  for (int j = 1; j < w->rows; j++)
    if (costs->least[j] < costs->least[y])
      y = j;
  while (costs->at[y][x] != costs->least[y])
    x++;
  found->least = costs->least[y];
  found->x = w->x + x;
  found->y = w->y + y;
  found->inside = x > 0 && y > 0 && x < w->columns - 1 && y < w->rows - 1;
}

/* Finds what competes with the least, if anything does: other rows need no second look. */
static void find_second(const EgoWindow *w, const Costs *costs, EgoFound *found)
{
  const int beyond = ego_beyond(found->least), x = found->x - w->x, y = found->y - w->y;
  found->second = INT32_MAX;
  for (int j = 0; j < w->rows; j++) {
    int least = costs->least[j];
    if (least < beyond && abs(j - y) <= EGO_NEAR_PLACE)
      least = least_beside(costs->at[j], w->columns, x);
    found->second = least < found->second ? least : found->second;
  }
}

/* Searches the patch at `c` of one picture in the other, around (x, y), for less than `limit`. */
static bool search(const StxEgomotion *s, int from, const EgoFound *c, double x, double y,
    EgoReach reach, int limit, EgoFound *found)
{
  Costs costs;
  const StxImage8 *before = &s->relief[from], *now = &s->relief[!from];
  EgoWindow window = ego_window_at(now->width, now->height, x, y, reach);
  if (window.columns == 0)
    return false;
  s->impl->costs(before, c->x, c->y, now, &window, limit, costs.at, costs.least);
  find_least(&window, &costs, found);
  find_second(&window, &costs, found);
  return found->least < limit;
}

/* A match explains more than half of the patch's contrast: the sum from which on it does not. */
static int limit_of(const StxImage8 *relief, const EgoFound *c)
{
  int texture = 0;
  for (int j = 0; j < EGO_SIDE; j++) {
    const uint8_t *row = stx_row8(relief, c->y + j - EGO_BEFORE) + c->x - EGO_BEFORE;
    for (int i = 0; i < EGO_SIDE; i++)
      texture += abs(row[i] - 128);
  }
  return (texture + 1) / 2;
}

/* Searches a corner whose place is not expected: its match must be unique, and lead back. What is
 * no match of the corner's surroundings need not be looked at farther away. */
static bool search_wide(
    const StxEgomotion *s, const EgoCorner *c, double x, double y, EgoReach reach, EgoFound *found)
{
  static const EgoReach around = {1, 1};
  const EgoFound corner = {.x = c->x, .y = c->y};
  const int limit = limit_of(&s->relief[!s->now], &corner);
  EgoFound back;
  if (!search(s, !s->now, &corner, x, y, reach, ego_beyond(limit), found) ||
      found->least >= limit || !ego_is_unique(found))
    return false;
  return search(s, s->now, found, c->x, c->y, around, limit_of(&s->relief[s->now], found), &back) &&
         search(s, s->now, found, c->x, c->y, reach, back.least + 1, &back) &&
         abs(back.x - c->x) <= 1 && abs(back.y - c->y) <= 1;
}

/* ---- Places between pixels ------------------------------------------------------------------- */

/* Makes (u, v) exact. */
static bool settle(const StxEgomotion *s, const EgoCorner *c, double *u, double *v)
{
  const StxImage8 *now = &s->full[s->now];
  EgoPlace place = {*u, *v, *u, *v, 0, 0};
  EgoStep step = EGO_GOES_ON;
  EgoPatch patch;
  s->impl->patch(&s->full[!s->now], 2 * c->x, 2 * c->y, &patch);
  for (int round = 0; round < EGO_ROUNDS && step == EGO_GOES_ON; round++) {
    EgoSums sums;
    double move[2];
    if (!ego_round_begin(&place, now->width, now->height))
      return false;
    s->impl->sums(&patch, now, place.x, place.y, &sums);
    if (!ego_regress(&patch.of, &sums, move))
      return false;
    step = ego_round_end(&place, move);
  }
  *u = place.u;
  *v = place.v;
  return step == EGO_SETTLED;
}

/* ---- Corners --------------------------------------------------------------------------------- */

/* Around the place that is expected, and where nothing fits there, farther away. */
static bool find_one(
    const StxEgomotion *s, const EgoSearch *search, const EgoCorner *c, double *u, double *v)
{
  double x = 0, y = 0;
  EgoFound found;
  if (!ego_expect(search, c, &x, &y))
    return false;
  *u = 2 * x;
  *v = 2 * y;
  if (search->surmise && settle(s, c, u, v))
    return true;
  if (!search_wide(s, c, x, y, search->reach, &found))
    return false;
  *u = 2 * found.x;
  *v = 2 * found.y;
  return settle(s, c, u, v);
}

typedef struct {
  StxEgomotion *state;
  const StxEgomotionFrame *frame;
  const EgoSearch *search;
} Job;

static void match_corners(void *data, int piece, int worker)
{
  const Job *job = data;
  const EgoSearch *search = job->search;
  const int begin = piece * PIECE, end = begin + PIECE;
  for (int i = begin; i < end && i < search->count; i++) {
    const EgoCorner *corner = &job->state->corners[i * search->stride];
    EgoMatch match = {0, 0, -1, 0};
    match.found = find_one(job->state, search, corner, &match.u, &match.v);
    if (match.found && search->measure)
      match.disparity = ego_disparity(&job->frame->disparity, job->frame->depth, match.u, match.v);
    job->state->matches[i] = match;
  }
}

bool ego_match_host(
    StxEgomotion *s, const StxEgomotionFrame *frame, const EgoSearch *search, StxError *error)
{
  Job job = {s, frame, search};
  stx_parallel(frame->threads, (search->count + PIECE - 1) / PIECE, match_corners, &job);
  return true;
}

/* ---- Motion ---------------------------------------------------------------------------------- */

static EgoPoint point_of(const EgoSearch *search, const EgoCorner *c, const EgoMatch *m)
{
  EgoPoint point = {.u = m->u, .v = m->v, .d = m->disparity};
  double across = m->u - 2 * c->x, down = m->v - 2 * c->y;
  point.before = ego_place_of(search, c, point.p);
  if (point.d >= 0)
    point.d -= ego_offset_at(search->offset, ego_column_of(&search->camera, m->u));
  double steep = (point.p[0] * point.p[0] + point.p[1] * point.p[1]) / (point.p[2] * point.p[2]);
  point.spread =
      PLACE_NOISE + (FLOW_NOISE + LENS_NOISE * steep) * sqrt(across * across + down * down);
  return point;
}

static void search_every(const StxEgomotion *s, EgoSearch *search, int stride)
{
  search->stride = stride;
  search->count = (s->corner_count + stride - 1) / stride;
}

bool ego_search_begin(
    const StxEgomotion *s, const StxEgomotionFrame *frame, const EgoPose *pose, EgoSearch *search)
{
  const StxCamera *c = &frame->camera;
  if (s->corner_count < LEAST_SCOUTS)
    return false;
  *search = (EgoSearch){.camera = {c->focal, c->cx, c->cy, c->focal * c->baseline},
      .pose = *pose,
      .reach = s->known ? expected : first,
      .surmise = s->known};
  memcpy(search->offset, s->bend.offset, sizeof search->offset);
  search_every(s, search, (s->corner_count + SCOUTS - 1) / SCOUTS);
  return true;
}

/* Makes the pose what most of some corners, which have been searched, agree with. */
static bool find_expected(StxEgomotion *s, EgoSearch *search)
{
  int count = 0;
  for (int i = 0; i < search->count; i++)
    if (s->matches[i].found)
      s->seen[count++] = point_of(search, &s->corners[i * search->stride], &s->matches[i]);
  int agree = ego_ransac(&search->camera, s->seen, count, &search->pose);
  return agree >= LEAST_SCOUTS && agree * 3 >= count;
}

static void collect(StxEgomotion *s, const EgoSearch *search)
{
  for (int i = 0; i < s->corner_count; i++) {
    const EgoCorner *c = &s->corners[i];
    const EgoMatch *m = &s->matches[i];
    if (!m->found)
      continue;
    s->points[s->point_count] = (StxMotionPoint){
        (float)m->u, (float)m->v, m->disparity, (float)(2 * c->x), (float)(2 * c->y), c->disparity};
    s->seen[s->point_count++] = point_of(search, c, m);
  }
}

bool ego_match(StxEgomotion *s, const StxEgomotionFrame *frame, EgoSearch *search, EgoPose *pose,
    EgoBend *bend, double deviation[6], uint32_t *agree, StxError *error)
{
  bool found = find_expected(s, search);
  if (!found) {
    search->pose = ego_still();
    search->reach = first;
    search->surmise = false;
    if (!s->impl->match(s, frame, search, error))
      return false;
    found = find_expected(s, search);
  }
  search->reach = wide;
  search->surmise = found;
  search->measure = true;
  search_every(s, search, 1);
  if (!s->impl->match(s, frame, search, error))
    return false;
  collect(s, search);
  if (!found)
    return true;
  *pose = search->pose;
  const EgoImpl *impl = frame->device == NULL ? s->impl : ego_host_impl();
  *agree = (uint32_t)ego_refine(
      impl, &search->camera, s->seen, s->point_count, frame->threads, pose, bend, deviation);
  return true;
}
