/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* egomotion: the corners of the frame before, found in this one. */
#include "common/egomotion/egomotion_private.h"
#include "common/parallel.h"

#include <math.h>
#include <stdlib.h>

#define SCOUTS 200          /* corners that say what to expect */
#define LEAST_SCOUTS 12     /* … of which so many must agree */
#define PIECE 16            /* corners at a time */
#define ROUNDS 8            /* of the regression */
#define NEAR_PLACE 2        /* rows and columns around a place that do not compete with it */
#define UNIQUE 1.15         /* how much worse all others must be */
#define STEPS_AWAY 3.0      /* px: by how much the regression may move a place */
#define STEADY .03          /* px: when it ends */
#define FIT .7              /* share of the patch's variance that it must explain */
#define AGREE_DISPARITY 1.5 /* px: between neighbours of one surface */
#define LEAST_DISPARITY .25 /* px */
#define PLACE_NOISE .25     /* px, a standard deviation, … */
#define FLOW_NOISE .01      /*   what is added for each pixel of displacement, */
#define LENS_NOISE .05      /*   and more where the view is so steep: times its tangent squared */

/* The reach of a window to either side, pixels of the half picture. */
typedef struct {
  int across, down;
} Reach;

static const Reach expected = {12, 8}, first = {EGO_REACH, 10}, wide = {EGO_REACH, 6};

/* ---- Disparities ----------------------------------------------------------------------------- */

static double value_at(const StxEgomotionFrame *frame, int x, int y)
{
  uint16_t value = stx_row16(&frame->disparity, y)[x];
  if (value == 0)
    return -1;
  return frame->depth > 0 ? frame->depth / (256.0 * value) : value / 256.0;
}

/* The mean over 3 × 3 pixels around the place; between pixels, of what these means are there. */
float ego_disparity(const StxEgomotionFrame *frame, double u, double v)
{
  const int x = (int)floor(u), y = (int)floor(v);
  const double a = u - x, b = v - y;
  const double across[4] = {1 - a, 1, 1, a}, down[4] = {1 - b, 1, 1, b};
  double sum = 0, least = 1e9, most = -1;
  if (x < 1 || y < 1 || x + 2 >= frame->disparity.width || y + 2 >= frame->disparity.height)
    return -1;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) {
      double weight = across[i] * down[j], value = value_at(frame, x + i - 1, y + j - 1);
      if (weight == 0)
        continue;
      least = value < least ? value : least;
      most = value > most ? value : most;
      sum += weight * value;
    }
  return least > 0 && most - least < AGREE_DISPARITY ? (float)(sum / 9) : -1;
}

/* ---- Search ---------------------------------------------------------------------------------- */

typedef struct {
  int least, second, x, y; /* second: of those that are not near */
  bool inside;             /* no place at the window's edge */
} Found;

typedef struct {
  uint16_t at[2 * EGO_REACH + 1][EGO_COSTS], least[2 * EGO_REACH + 1];
} Costs;

/* The least of a row that is not near a column of it. */
static int least_beside(const uint16_t *row, int columns, int x)
{
  int least = INT32_MAX;
  for (int i = 0; i < columns; i++)
    if (abs(i - x) > NEAR_PLACE && row[i] < least)
      least = row[i];
  return least;
}

static void find_least(const EgoWindow *w, const Costs *costs, Found *found)
{
  int x = 0, y = 0;
  for (int j = 1; j < w->rows; j++)
    if (costs->least[j] < costs->least[y])
      y = j;
  while (costs->at[y][x] != costs->least[y])
    x++;
  found->least = costs->least[y];
  found->second = INT32_MAX;
  for (int j = 0; j < w->rows; j++) {
    int least =
        abs(j - y) > NEAR_PLACE ? costs->least[j] : least_beside(costs->at[j], w->columns, x);
    found->second = least < found->second ? least : found->second;
  }
  found->x = w->x + x;
  found->y = w->y + y;
  found->inside = x > 0 && y > 0 && x < w->columns - 1 && y < w->rows - 1;
}

/* The part of the window around (x, y) where patches fit. */
static EgoWindow window_at(const StxImage8 *image, double x, double y, Reach reach)
{
  EgoWindow w = {0};
  const double most_x = image->width - EGO_BORDER, most_y = image->height - EGO_BORDER;
  if (!(x > -1e6 && x < 1e6 && y > -1e6 && y < 1e6))
    return w;
  int left = (int)floor(x + .5) - reach.across, right = left + 2 * reach.across + 1;
  int top = (int)floor(y + .5) - reach.down, bottom = top + 2 * reach.down + 1;
  left = left < EGO_BORDER ? EGO_BORDER : left;
  top = top < EGO_BORDER ? EGO_BORDER : top;
  right = right < most_x ? right : (int)most_x;
  bottom = bottom < most_y ? bottom : (int)most_y;
  if (left < right && top < bottom)
    w = (EgoWindow){left, top, right - left, bottom - top};
  return w;
}

/* The contrast of a patch. */
static int texture_of(const StxImage8 *relief, int x, int y)
{
  int sum = 0;
  for (int j = 0; j < EGO_SIDE; j++) {
    const uint8_t *row = stx_row8(relief, y + j - EGO_BEFORE) + x - EGO_BEFORE;
    for (int i = 0; i < EGO_SIDE; i++)
      sum += abs(row[i] - 128);
  }
  return sum;
}

/* Searches the patch of one picture in the other. */
static bool search(const StxEgomotion *s, int from, int from_x, int from_y, double x, double y,
    Reach reach, Found *found)
{
  Costs costs;
  const StxImage8 *before = &s->relief[from], *now = &s->relief[!from];
  EgoWindow window = window_at(now, x, y, reach);
  if (window.columns == 0)
    return false;
  s->impl->costs(before, from_x, from_y, now, &window, costs.at, costs.least);
  find_least(&window, &costs, found);
  return 2 * found->least < texture_of(before, from_x, from_y);
}

/* Of what may be anywhere: it must be unlike all else, and lead back. */
static bool search_wide(
    const StxEgomotion *s, const EgoCorner *c, double x, double y, Reach reach, Found *found)
{
  Found back;
  return search(s, !s->now, c->x, c->y, x, y, reach, found) && found->inside &&
         found->second > UNIQUE * found->least &&
         search(s, s->now, found->x, found->y, c->x, c->y, reach, &back) &&
         abs(back.x - c->x) <= 1 && abs(back.y - c->y) <= 1;
}

/* ---- Places between pixels ------------------------------------------------------------------- */

/* Solves four unknowns by elimination; the matrix is that of sums of products. */
static bool solve4(double a[4][5])
{
  for (int k = 0; k < 4; k++) {
    if (!(a[k][k] > 1e-6))
      return false;
    for (int i = 0; i < 4; i++) {
      double factor = i == k ? 0 : a[i][k] / a[k][k];
      for (int j = k; j < 5 && i != k; j++)
        a[i][j] -= factor * a[k][j];
    }
  }
  for (int k = 0; k < 4; k++)
    a[k][4] /= a[k][k];
  return true;
}

/* J ≈ gain · T + across · ∂T/∂x + down · ∂T/∂y + offset; a displacement of −across / gain. */
static bool regress(const EgoPatch *p, const EgoSums *j, double move[2])
{
  const double n = (2 * EGO_RADIUS + 1) * (2 * EGO_RADIUS + 1);
  double a[4][5] = {{n, p->sum_t, p->sum_x, p->sum_y, j->sum_j},
      {p->sum_t, p->tt, p->tx, p->ty, j->tj}, {p->sum_x, p->tx, p->xx, p->xy, j->xj},
      {p->sum_y, p->ty, p->xy, p->yy, j->yj}};
  double sums[4] = {j->sum_j, j->tj, j->xj, j->yj};
  if (!solve4(a))
    return false;
  double gain = a[1][4], explained = 0, mean = j->sum_j / n;
  for (int k = 0; k < 4; k++)
    explained += a[k][4] * sums[k];
  explained -= n * mean * mean;
  if (!(gain > EGO_PIXELS * .25 && gain < EGO_PIXELS * 4) ||
      !(explained > FIT * (j->jj - n * mean * mean)))
    return false;
  move[0] = -2 * a[2][4] / gain;
  move[1] = -2 * a[3][4] / gain;
  return fabs(move[0]) < STEPS_AWAY && fabs(move[1]) < STEPS_AWAY;
}

/* Makes (u, v) exact. */
static bool settle(const StxEgomotion *s, const EgoCorner *c, double *u, double *v)
{
  const StxImage8 *now = &s->full[s->now];
  const double from_u = *u, from_v = *v;
  EgoPatch patch;
  s->impl->patch(&s->full[!s->now], 2 * c->x, 2 * c->y, &patch);
  for (int round = 0; round < ROUNDS; round++) {
    EgoSums sums;
    double move[2];
    int x = (int)floor(*u * EGO_STEPS + .5), y = (int)floor(*v * EGO_STEPS + .5);
    if (x < EGO_RADIUS * EGO_STEPS || y < EGO_RADIUS * EGO_STEPS ||
        x >= (now->width - EGO_RADIUS - 1) * EGO_STEPS ||
        y >= (now->height - EGO_RADIUS - 1) * EGO_STEPS)
      return false;
    s->impl->sums(&patch, now, x, y, &sums);
    if (!regress(&patch, &sums, move))
      return false;
    *u = (double)x / EGO_STEPS + move[0];
    *v = (double)y / EGO_STEPS + move[1];
    if (fabs(*u - from_u) > STEPS_AWAY || fabs(*v - from_v) > STEPS_AWAY)
      return false;
    if (fabs(move[0]) < STEADY && fabs(move[1]) < STEADY)
      return true;
  }
  return false;
}

/* ---- Corners --------------------------------------------------------------------------------- */

typedef struct {
  StxEgomotion *state;
  EgoCamera camera;
  EgoPose pose;
  Reach reach;
  bool surmise; /* the pose is not made up */
  int stride;   /* every so many corners */
  int threads;
} Job;

static double column_of(const EgoCamera *camera, double u)
{
  return (u - camera->cx) / camera->focal;
}

/* The position of a corner without the offset of its disparity, which is returned. */
static double place_of(const Job *job, const EgoCorner *c, double p[3])
{
  const EgoCamera *camera = &job->camera;
  const double x = column_of(camera, 2 * c->x);
  double d = c->disparity - ego_bend_at(&job->state->bend, x);
  d = d > LEAST_DISPARITY ? d : LEAST_DISPARITY;
  p[2] = camera->scale / d;
  p[0] = x * p[2];
  p[1] = (2 * c->y - camera->cy) * p[2] / camera->focal;
  return d;
}

/* The expected position of a corner in the half picture. */
static bool expect(const Job *job, const EgoCorner *c, double *x, double *y)
{
  double p[3], seen[3];
  place_of(job, c, p);
  if (!ego_project(&job->camera, &job->pose, p, seen))
    return false;
  *x = seen[0] / 2;
  *y = seen[1] / 2;
  return true;
}

/* Around the place that is expected, and where nothing fits there, farther away. */
static void match_one(const Job *job, int i)
{
  StxEgomotion *s = job->state;
  const EgoCorner *c = &s->corners[i];
  EgoMatch *match = &s->matches[i];
  Found found;
  double x = 0, y = 0;
  match->found = expect(job, c, &x, &y);
  match->u = 2 * x;
  match->v = 2 * y;
  if (!match->found || (job->surmise && settle(s, c, &match->u, &match->v)))
    return;
  match->found = search_wide(s, c, x, y, job->reach, &found);
  if (!match->found)
    return;
  match->u = 2 * found.x;
  match->v = 2 * found.y;
  match->found = settle(s, c, &match->u, &match->v);
}

static void match_corners(void *data, int piece, int worker)
{
  const Job *job = data;
  const int step = job->stride, begin = piece * PIECE * step, end = begin + PIECE * step;
  for (int i = begin; i < end && i < job->state->corner_count; i += step)
    match_one(job, i);
}

static void match_all(Job *job)
{
  const int count = (job->state->corner_count + job->stride - 1) / job->stride;
  stx_parallel(job->threads, (count + PIECE - 1) / PIECE, match_corners, job);
}

/* ---- Motion ---------------------------------------------------------------------------------- */

static EgoPoint point_of(const Job *job, const EgoCorner *c, const EgoMatch *m, float d)
{
  EgoPoint point = {.u = m->u, .v = m->v, .d = d};
  double across = m->u - 2 * c->x, down = m->v - 2 * c->y;
  point.before = place_of(job, c, point.p);
  if (d >= 0)
    point.d -= ego_bend_at(&job->state->bend, column_of(&job->camera, m->u));
  double steep = (point.p[0] * point.p[0] + point.p[1] * point.p[1]) / (point.p[2] * point.p[2]);
  point.spread =
      PLACE_NOISE + (FLOW_NOISE + LENS_NOISE * steep) * sqrt(across * across + down * down);
  return point;
}

/* Makes the job's pose what most of some corners agree with. */
static bool find_expected(Job *job)
{
  StxEgomotion *s = job->state;
  int count = 0;
  job->stride = (s->corner_count + SCOUTS - 1) / SCOUTS;
  match_all(job);
  for (int i = 0; i < s->corner_count; i += job->stride)
    if (s->matches[i].found)
      s->seen[count++] = point_of(job, &s->corners[i], &s->matches[i], -1);
  int agree = ego_vote(&job->camera, s->seen, count, &job->pose);
  return agree >= LEAST_SCOUTS && agree * 3 >= count;
}

static void collect(const Job *job, const StxEgomotionFrame *frame)
{
  StxEgomotion *s = job->state;
  for (int i = 0; i < s->corner_count; i++) {
    const EgoCorner *c = &s->corners[i];
    const EgoMatch *m = &s->matches[i];
    if (!m->found)
      continue;
    float d = ego_disparity(frame, m->u, m->v);
    s->points[s->point_count] = (StxMotionPoint){
        (float)m->u, (float)m->v, d, (float)(2 * c->x), (float)(2 * c->y), c->disparity};
    s->seen[s->point_count++] = point_of(job, c, m, d);
  }
}

uint32_t ego_match(StxEgomotion *s, const StxEgomotionFrame *frame, EgoPose *pose, EgoBend *bend,
    double deviation[6])
{
  const StxCamera *c = &frame->camera;
  Job job = {.state = s,
      .threads = frame->threads,
      .camera = {c->focal, c->cx, c->cy, c->focal * c->baseline},
      .pose = *pose,
      .reach = s->known ? expected : first,
      .surmise = s->known};
  s->point_count = 0;
  if (s->corner_count < LEAST_SCOUTS)
    return 0;
  bool found = find_expected(&job);
  if (!found) {
    job.pose = ego_still();
    job.reach = first;
    job.surmise = false;
    found = find_expected(&job);
  }
  job.reach = wide;
  job.surmise = found;
  job.stride = 1;
  match_all(&job);
  collect(&job, frame);
  if (!found)
    return 0;
  *pose = job.pose;
  return (uint32_t)ego_refine(
      &job.camera, s->seen, s->point_count, frame->threads, pose, bend, deviation);
}
