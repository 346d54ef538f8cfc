/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/ground/ground_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float between(StxRandom *random, double low, double high)
{
  return (float)(low + (high - low) * stx_random(random) / 4294967296.0);
}

static void add_point(GroundCase *c, float x, float y, float z, float ground)
{
  float *point = c->points + 4 * c->count++;
  point[0] = x;
  point[1] = y;
  point[2] = z;
  point[3] = ground;
}

StxGroundParams ground_any_params(int seed)
{
  const bool small = stx_test_small();
  StxRandom random = {(uint64_t)seed + 77};
  StxGroundParams p = STX_GROUND_DEFAULTS;
  int most = seed % 11 == 1 ? STX_GROUND_MAX_BINS : small ? 70 : 200;
  p.sectors = seed % 5 == 0 ? 1 : 1 + stx_random_below(&random, small ? 9 : 400);
  p.bins = seed % 7 == 0 ? 1 : 1 + stx_random_below(&random, most);
  p.r_max = 1 + stx_random_below(&random, small ? 9 : 100);
  p.r_min = stx_random_below(&random, 50) / 100.0;
  p.level = stx_random_below(&random, 2);
  p.sensor_height = stx_random_below(&random, 2) * 1.7;
  p.line_search_angle = stx_random_below(&random, 315) / 100.0;
  p.cluster_cell = stx_random_below(&random, 3) * (small ? 1 : 0.3);
  p.max_fit_error = stx_random_below(&random, 2) ? 0.0025 : 0.5;
  p.obstacle_height = stx_random_below(&random, 2) ? 0.3 : 100;
  p.max_foot_height = stx_random_below(&random, 3) * 0.1;
  p.bank_reach = stx_random_below(&random, 3) ? stx_random_below(&random, 20) : 250;
  return p;
}

/* ---- Streets ------------------------------------------------------------------------------ */

typedef struct {
  double x, y, reach, height;
} Box;

/* The nearest box that the ray in this direction meets before `range`; it is a cylinder. */
static const Box *box_before(const Box *boxes, int count, double angle, double *range)
{
  const Box *hit = NULL;
  for (int i = 0; i < count; i++) {
    double along = boxes[i].x * cos(angle) + boxes[i].y * sin(angle);
    double aside = boxes[i].y * cos(angle) - boxes[i].x * sin(angle);
    double depth = boxes[i].reach * boxes[i].reach - aside * aside;
    double at = along - sqrt(fmax(depth, 0));
    if (depth > 0 && at > 0 && at < *range) {
      *range = at;
      hit = &boxes[i];
    }
  }
  return hit;
}

static void scan_street(GroundCase *c, size_t most, int box_count, StxRandom *random)
{
  Box boxes[12];
  int rays = (int)fmax(1, sqrt((double)most * 12)), beams = (int)(most / (size_t)rays);
  for (int i = 0; i < box_count; i++) {
    double angle = between(random, -M_PI, M_PI), range = between(random, 6, 30);
    double reach = between(random, 0.5, 2), height = between(random, 0.5, 3);
    boxes[i] = (Box){range * cos(angle), range * sin(angle), reach, height};
  }
  for (int ray = 0; ray < rays; ray++)
    for (int beam = 0; beam < beams; beam++) {
      double angle = 2 * M_PI * (ray + 0.3719) / rays, pitch = 0.44 * (beam + 1) / beams;
      double range = 1.73 / tan(pitch), full = range;
      const Box *box = box_before(boxes, box_count, angle, &range);
      double z = -1.73 * range / full;
      if (box != NULL && z + 1.73 > box->height)
        box = NULL, range = full, z = -1.73;
      if (range > 60)
        continue;
      add_point(c, (float)(range * cos(angle)), (float)(range * sin(angle)),
          (float)z + between(random, -0.01, 0.01), box == NULL);
    }
}

static void shuffle(GroundCase *c, StxRandom *random)
{
  for (size_t i = c->count; i > 1; i--) {
    size_t other = stx_random(random) % i;
    float swap[4];
    memcpy(swap, c->points + 4 * other, sizeof swap);
    memcpy(c->points + 4 * other, c->points + 4 * (i - 1), sizeof swap);
    memcpy(c->points + 4 * (i - 1), swap, sizeof swap);
  }
}

static void tilt(GroundCase *c, double angle)
{
  for (size_t i = 0; i < c->count; i++) {
    float *p = c->points + 4 * i, x = p[0];
    p[0] = (float)(cos(angle) * x - sin(angle) * p[2]);
    p[2] = (float)(sin(angle) * x + cos(angle) * p[2]);
  }
}

/* ---- Clouds ------------------------------------------------------------------------------- */

static float wild(StxRandom *random)
{
  static const float values[] = {0, -0.0f, NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 1e-30f, 50, -50,
      49.999996f, 0.5f, 0.49999997f, 1024, -1024, 1023.9999f};
  return stx_random_below(random, 3) == 0
             ? values[stx_random_below(random, sizeof values / sizeof values[0])]
             : between(random, -60, 60);
}

/* One number after the other: in which order a call has its arguments drawn depends on the machine,
 * and a scan must not. */
static void add_random_point(GroundCase *c, GroundScan scan, StxRandom *random)
{
  static const double cloud[3][2] = {{-60, 60}, {-60, 60}, {-3, 3}};
  static const double spot[3][2] = {{10, 10.1}, {0.01, 0.02}, {-2, 2}};
  const double(*range)[2] = scan == GROUND_SPOT ? spot : cloud;
  float place[3];
  for (int i = 2; i >= 0; i--)
    place[i] = scan == GROUND_WILD ? wild(random) : between(random, range[i][0], range[i][1]);
  add_point(c, place[0], place[1], place[2], 0);
}

static void scan_cloud(GroundCase *c, GroundScan scan, size_t count, StxRandom *random)
{
  for (size_t i = 0; i < count; i++) {
    const float *last = c->points + 4 * (c->count - (i > 0));
    if (scan == GROUND_WILD && i > 0 && stx_random_below(random, 5) == 0)
      add_point(c, last[0], last[1], last[2], 0);
    else
      add_random_point(c, scan, random);
  }
}

GroundCase *ground_case_new(StxGroundParams params, GroundScan scan, size_t count, uint64_t seed)
{
  StxRandom random = {seed * GROUND_SCANS + scan};
  GroundCase *c = calloc(1, sizeof *c);
  STX_GUARDED float *room = stx_guarded_alloc((count + 1) * 4 * sizeof(float));
  c->params = params;
  c->points = room;
  if (scan <= GROUND_TILTED)
    scan_street(c, count, scan == GROUND_FLAT ? 0 : 12, &random);
  else
    scan_cloud(c, scan, count, &random);
  if (scan != GROUND_FLAT)
    shuffle(c, &random);
  if (scan == GROUND_TILTED)
    tilt(c, between(&random, -10, 10) * M_PI / 180);
  c->points = stx_guarded_alloc(c->count * 4 * sizeof(float));
  memcpy(c->points, room, c->count * 4 * sizeof(float));
  return c;
}

void ground_case_free(GroundCase *c)
{
  stx_guarded_free(c->points);
  free(c);
}

/* ---- Runs --------------------------------------------------------------------------------- */

static void expect_counts(const GroundCase *c, const GroundRun *run, const char *what)
{
  const StxGroundResult *r = &run->result;
  uint32_t ground = 0, obstacles = 0, outside = 0;
  for (size_t i = 0; i < c->count; i++) {
    ground += run->labels[i] == STX_POINT_GROUND;
    obstacles += (run->labels[i] & 0xFFFF) == STX_POINT_OBSTACLE;
    outside += run->labels[i] == STX_POINT_NONE;
  }
  ck_assert_msg(ground == r->ground && obstacles == r->obstacles && outside == r->outside &&
                    (size_t)ground + obstacles + outside == c->count,
      "%s: %zu points, but %u ground + %u obstacles + %u outside, and %u + %u + %u labels", what,
      c->count, r->ground, r->obstacles, r->outside, ground, obstacles, outside);
}

GroundRun ground_run(const StxGroundImpl *impl, const GroundCase *c, int threads, const char *what)
{
  GroundRun run = {.labels = stx_guarded_alloc(c->count * sizeof(uint32_t))};
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(&c->params, c->count, threads));
  ck_assert(impl->run(&c->params, c->points, c->count, run.labels, &run.result, scratch,
      &(StxPlace){.threads = threads}, NULL));
  stx_guarded_check(run.labels);
  stx_guarded_check(c->points);
  expect_counts(c, &run, what);
  return run;
}

void ground_run_free(GroundRun *run)
{
  stx_guarded_free(run->labels);
  *run = (GroundRun){0};
}

void ground_expect_same(
    const GroundCase *c, const GroundRun *expected, const GroundRun *actual, const char *what)
{
  const StxGroundResult *e = &expected->result, *a = &actual->result;
  ck_assert_msg(e->measured == a->measured && e->height == a->height && e->slope_x == a->slope_x &&
                    e->slope_y == a->slope_y,
      "%s: plane %d %.9g %.9g %.9g instead of %d %.9g %.9g %.9g", what, a->measured, a->height,
      a->slope_x, a->slope_y, e->measured, e->height, e->slope_x, e->slope_y);
  ck_assert_msg(e->lines == a->lines && e->clusters == a->clusters,
      "%s: %u lines and %u clusters instead of %u and %u", what, a->lines, a->clusters, e->lines,
      e->clusters);
  stx_expect_same(expected->labels, actual->labels, c->count * sizeof(uint32_t), what);
}
