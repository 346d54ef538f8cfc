/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground: the reference on scans whose answer is known, and in the situations in which other
 * programs are known to fail; then every implementation against the reference.
 */
#include "tests/common/ground/ground_case.h"

#include "common/ground/ground_plane_math.h"
#include "tests/common/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const StxGroundParams defaults = STX_GROUND_DEFAULTS;

static const StxGroundImpl *reference(void)
{
  return oracle(&stx_ground_impls);
}

/* ---- Scans whose answer is known ---------------------------------------------------------- */

/* The share of points whose label is not what their intensity says. */
static double mislabelled(const GroundCase *c, const GroundRun *run)
{
  size_t wrong = 0, all = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (run->labels[i] == STX_POINT_NONE)
      continue;
    wrong += (run->labels[i] == STX_POINT_GROUND) != (c->points[4 * i + 3] != 0);
    all++;
  }
  return (double)wrong / (double)all;
}

STX_TEST(a_flat_scan_is_ground)
{
  STX_AUTO(GroundCase) *c = ground_case_new(defaults, GROUND_FLAT, 30000, 1);
  STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "flat");
  ck_assert_uint_eq(run.result.obstacles, 0);
  ck_assert_uint_gt(run.result.ground, 25000);
  ck_assert_uint_eq(run.result.clusters, 0);
  ck_assert(run.result.measured);
  ck_assert_float_eq_tol(run.result.height, 1.73f, 0.02f);
}

STX_TEST(streets_are_told_apart_whatever_the_tilt)
{
  for (int scan = GROUND_STREET; scan <= GROUND_TILTED; scan++)
    for (int seed = 1; seed <= 10; seed++) {
      STX_AUTO(GroundCase) *c = ground_case_new(defaults, (GroundScan)scan, 40000, (uint64_t)seed);
      STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "street");
      double wrong = mislabelled(c, &run);
      ck_assert_msg(wrong < 0.015, "scan %d, seed %d: %.2f %% wrong", scan, seed, 100 * wrong);
      ck_assert_uint_ge(run.result.clusters, 5);
    }
}

/* A tilt, a height and a turn of the sensor by 30 degrees come out as they went in. */
STX_TEST(the_plane_is_measured)
{
  StxRandom random = {4};
  for (int i = 0; i < 50; i++) {
    double a = stx_random_below(&random, 700) / 1000.0 - 0.35;
    double b = stx_random_below(&random, 700) / 1000.0 - 0.35;
    double h = 0.5 + stx_random_below(&random, 2500) / 1000.0;
    STX_AUTO(GroundCase) *c = ground_case_new(defaults, GROUND_CLOUD, 20000, (uint64_t)i);
    for (size_t k = 0; k < c->count; k++) { /* a third is ground, the rest stands on it */
      float *p = c->points + 4 * k;
      p[2] = (float)(a * p[0] + b * p[1] - h + (k % 3 == 0 ? 0 : fabs(p[2])));
    }
    STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "plane");
    ck_assert_float_eq_tol(run.result.slope_x, a, 0.003);
    ck_assert_float_eq_tol(run.result.slope_y, b, 0.003);
    ck_assert_float_eq_tol(run.result.height, h / sqrt(1 + a * a + b * b), 0.02);
  }
}

STX_TEST(the_azimuth_is_that_of_atan2)
{
  StxRandom random = {9};
  for (int i = 0; i < 200000; i++) {
    float x = (float)((int)stx_random(&random) * 1e-8),
          y = (float)((int)stx_random(&random) * 1e-8);
    double turns = atan2(y, x) / (2 * M_PI);
    turns -= floor(turns);
    double off = fabs(turns - stx_ground_turns(x, y));
    ck_assert_msg(fmin(off, 1 - off) < 1e-6, "%.9g, %.9g: off by %g turns", x, y, off);
  }
  ck_assert_float_eq(stx_ground_turns(0, 0), 0);
  ck_assert_float_eq(stx_ground_turns(1, 0), 0);
  ck_assert_float_eq(stx_ground_turns(0, 1), 0.25f);
  ck_assert_float_eq(stx_ground_turns(-1, 0), 0.5f);
  ck_assert_float_eq(stx_ground_turns(0, -1), 0.75f);
}

/* ---- Where others fail -------------------------------------------------------------------- */

static GroundCase *case_of(StxGroundParams params, const float (*points)[4], size_t count)
{
  GroundCase *c = calloc(1, sizeof *c);
  c->params = params;
  c->count = count;
  c->points = stx_guarded_alloc(count * 4 * sizeof(float));
  memcpy(c->points, points, count * 4 * sizeof(float));
  return c;
}

STX_TEST(few_points_are_labelled)
{
  static const float points[][4] = {{10, 0, -1.73f, 0}, {10, 0.05f, 3, 0}, {10, 0, NAN, 0}};
  for (size_t count = 0; count <= 3; count++) {
    STX_AUTO(GroundCase) *c = case_of(defaults, points, count);
    STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "few");
    ck_assert(!run.result.measured);
    ck_assert_float_eq(run.result.height, (float)STX_GROUND_HEIGHT);
    ck_assert_uint_eq(run.result.obstacles, count < 2 ? count : 2);
    ck_assert_uint_eq(run.result.outside, count == 3);
  }
}

STX_TEST(points_at_the_last_range_are_classified)
{
  float below = nextafterf(50, 0);
  const float points[][4] = {{below, 0, 0, 0}, {50, 0, 0, 0}, {0.5f, 0, 0, 0},
      {nextafterf(0.5f, 0), 0, 0, 0}, {0, -below, 0, 0}, {below, -1e-20f, 0, 0}};
  STX_AUTO(GroundCase) *c = case_of(defaults, points, 6);
  c->params.level = false;
  STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "last range");
  static const bool inside[] = {true, false, true, false, true, true};
  for (int i = 0; i < 6; i++)
    ck_assert_msg((run.labels[i] != STX_POINT_NONE) == inside[i], "point %d", i);
}

/* Points that are no numbers change nothing for the others. */
STX_TEST(what_is_not_finite_touches_nothing)
{
  static const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -5000};
  STX_AUTO(GroundCase) *c = ground_case_new(defaults, GROUND_STREET, 20000, 3);
  STX_AUTO(GroundRun) plain = ground_run(reference(), c, 1, "plain");
  for (int axis = 0; axis < 3; axis++) {
    size_t twice = 2 * c->count;
    STX_AUTO(GroundCase) *spoilt = calloc(1, sizeof *spoilt);
    *spoilt = (GroundCase){defaults, stx_guarded_alloc(twice * 4 * sizeof(float)), twice};
    for (size_t i = 0; i < twice; i++) {
      memcpy(spoilt->points + 4 * i, c->points + 4 * (i / 2), 4 * sizeof(float));
      if (i % 2)
        spoilt->points[4 * i + (size_t)axis] = bad[i / 2 % 5];
    }
    STX_AUTO(GroundRun) run = ground_run(reference(), spoilt, 1, "spoilt");
    for (size_t i = 0; i < c->count; i++) {
      ck_assert_uint_eq(run.labels[2 * i], plain.labels[i]);
      ck_assert_uint_eq(run.labels[2 * i + 1], STX_POINT_NONE);
    }
  }
}

/* Mirror images under a wet road. */
STX_TEST(reflections_do_not_become_ground)
{
  STX_AUTO(GroundCase) *c = ground_case_new(defaults, GROUND_STREET, 40000, 5);
  StxRandom random = {1};
  for (size_t i = 0; i < c->count; i++)
    if (c->points[4 * i + 3] != 0 && stx_random_below(&random, 50) == 0) {
      c->points[4 * i + 2] -= 0.6f + stx_random_below(&random, 200) / 100.0f;
      c->points[4 * i + 3] = 0;
    }
  STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "reflections");
  double wrong = mislabelled(c, &run);
  ck_assert_msg(wrong < 0.02, "%.2f %% wrong", 100 * wrong);
}

/* A level road, in rings that are so many metres apart, the first at 3.1 m; and in a twelfth of the
 * turn, at ring `at`, a wall of that height above `foot`, or, if it is 0, a bank of 0.45 m and
 * level ground behind it. Intensity: is it ground? */
static GroundCase *scan_rings(double apart, int at, double wall, double foot)
{
  enum { RAYS = 1440, RINGS = 50, STEPS = 9 };
  GroundCase *c = calloc(1, sizeof *c);
  *c = (GroundCase){defaults, stx_guarded_alloc(RAYS * (RINGS + STEPS) * 4 * sizeof(float)), 0};
  for (int ray = 0; ray < RAYS; ray++)
    for (int ring = 0, aside = ray >= RAYS / 12; ring < (aside || wall == 0 ? RINGS : at + 1);
         ring++)
      for (int step = 0; step < (!aside && ring == at ? STEPS : 1); step++) {
        double angle = 2 * M_PI * (ray + 0.5) / RAYS, share = step / (STEPS - 1.0);
        double range = 3.1 + ring * apart + (wall > 0 ? 0 : 0.2 * share);
        double height = aside      ? 0
                        : wall > 0 ? share * wall
                                   : 0.45 * (ring > at       ? 1
                                                : ring == at ? share
                                                             : 0);
        float point[4] = {(float)(range * cos(angle)), (float)(range * sin(angle)),
            (float)(height + (!aside && ring == at ? foot : 0) - 1.73),
            wall == 0 || aside || ring < at};
        memcpy(c->points + 4 * c->count++, point, sizeof point);
      }
  return c;
}

static double rings_mislabelled(const GroundCase *c)
{
  STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "rings");
  return 100 * mislabelled(c, &run);
}

STX_TEST(banks_are_ground_and_walls_are_not)
{
  static const double walls[] = {0, 0.6, 2};
  for (int i = 0; i < 3; i++) {
    STX_AUTO(GroundCase) *c = scan_rings(0.5, 14, walls[i], walls[i] > 0 ? 0.1 : 0);
    double wrong = rings_mislabelled(c);
    ck_assert_msg(wrong == 0, "wall %g m: %g %% wrong", walls[i], wrong);
    c->params.bank_reach = 0;
    ck_assert((rings_mislabelled(c) > 0) == (walls[i] == 0));
  }
}

/* With few beams, what is lowest of a wall is in line with the little road before it. */
STX_TEST(feet_bear_no_line)
{
  STX_AUTO(GroundCase) *c = scan_rings(2, 2, 2, 0.12);
  c->params.max_foot_height = 0.1;
  double wrong = rings_mislabelled(c);
  ck_assert_msg(wrong == 0, "%g %% wrong", wrong);
  c->params.max_foot_height = 10;
  ck_assert(rings_mislabelled(c) > 0);
}

STX_TEST(a_scan_knows_nothing_of_the_one_before)
{
  STX_AUTO(GroundCase) *c = ground_case_new(defaults, GROUND_TILTED, 20000, 6);
  STX_AUTO(GroundCase) *other = ground_case_new(defaults, GROUND_CLOUD, 9999, 7);
  STX_AUTO(GroundRun) first = ground_run(reference(), c, 1, "first");
  STX_GUARDED void *scratch = stx_guarded_alloc(reference()->scratch_size(&defaults, 20000, 1));
  STX_AUTO(GroundRun) again = {.labels = stx_guarded_alloc(c->count * sizeof(uint32_t))};
  StxPlace place = {.threads = 1};
  reference()->run(
      &defaults, other->points, other->count, again.labels, &again.result, scratch, &place, NULL);
  reference()->run(
      &defaults, c->points, c->count, again.labels, &again.result, scratch, &place, NULL);
  ground_expect_same(c, &first, &again, "again");
}

/* ---- Parameters --------------------------------------------------------------------------- */

STX_TEST(bad_parameters_are_named)
{
  StxGroundParams good = defaults;
  ck_assert(stx_ground_check(&good, NULL));
  STX_REFUSES(stx_ground_check, good, r_max, NAN, "r_max is nan");
  STX_REFUSES(stx_ground_check, good, r_max, 0.55, "r_max");
  STX_REFUSES(stx_ground_check, good, cluster_cell, 0.02, "at least 0.0488");
}

/* ---- Implementations ---------------------------------------------------------------------- */

static void expect_agreement(StxGroundParams params, GroundScan scan, size_t count, uint64_t seed)
{
  static const int threads[] = {1, 2, 7};
  STX_AUTO(GroundCase) *c = ground_case_new(params, scan, count, seed);
  STX_AUTO(GroundRun) expected = ground_run(reference(), c, 1, "reference");
  STX_EACH_IMPL (StxGroundImpl, impl, &stx_ground_impls) {
    for (int t = 0; t < 3; t++) {
      char what[160];
      snprintf(what, sizeof what, "%s, %d threads, scan %d of %zu points, seed %llu, %dx%d bins",
          impl->info.name, threads[t], (int)scan, c->count, (unsigned long long)seed,
          params.sectors, params.bins);
      STX_AUTO(GroundRun) run = ground_run(impl, c, threads[t], what);
      ground_expect_same(c, &expected, &run, what);
    }
  }
}

STX_TEST(all_agree_on_every_scan)
{
  static const size_t counts[] = {1, 7, 8, 9, 100, 1001, 12345, 40000};
  for (int scan = 0; scan < GROUND_SCANS; scan++)
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
      expect_agreement(defaults, (GroundScan)scan, counts[i], i);
}

STX_TEST(all_agree_on_every_parameter)
{
  for (int seed = 0; seed < 60; seed++)
    expect_agreement(
        ground_any_params(seed), (GroundScan)(seed % GROUND_SCANS), 3000, (uint64_t)seed);
}

/* ---- Clusters ----------------------------------------------------------------------------- */

/* Numbers spread from cell to cell until nothing changes; then they are numbered afresh. */
static void model_clusters(const GroundCase *c, const GroundRun *run, uint32_t *expected)
{
  enum { MOST = 512 };
  static int grid[MOST + 2][MOST + 2], number[(MOST + 2) * (MOST + 2)];
  double cell = c->params.cluster_cell, r_max = c->params.r_max;
  int side = (int)ceil(2 * r_max / cell), next = 0;
  memset(grid, 0, sizeof grid);
  memset(number, 0, sizeof number);
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < c->count; i++) {
      int x = 1 + (int)((c->points[4 * i] + r_max) / cell);
      int y = 1 + (int)((c->points[4 * i + 1] + r_max) / cell);
      if ((run->labels[i] & 0xFFFF) != STX_POINT_OBSTACLE)
        expected[i] = run->labels[i];
      else if (pass == 0)
        grid[x][y] = x * (MOST + 2) + y;
      else
        expected[i] = STX_POINT_OBSTACLE | (uint32_t)number[grid[x][y]] << 16;
      if (pass == 1 || i + 1 < c->count)
        continue;
      for (bool changed = true; changed;) {
        changed = false;
        for (int a = 1; a <= side; a++)
          for (int b = 1; b <= side; b++) {
            int around[] = {grid[a - 1][b], grid[a + 1][b], grid[a][b - 1], grid[a][b + 1]};
            for (int k = 0; k < 4; k++)
              if (grid[a][b] > 0 && around[k] > 0 && around[k] < grid[a][b]) {
                grid[a][b] = around[k];
                changed = true;
              }
          }
      }
      for (int a = 1; a <= side; a++)
        for (int b = 1; b <= side; b++)
          if (grid[a][b] == a * (MOST + 2) + b)
            number[grid[a][b]] = ++next;
    }
}

STX_TEST(clusters_are_connected_cells)
{
  static const double cells[] = {0.25, 0.5, 1.3, 10};
  for (int i = 0; i < 24; i++) {
    StxGroundParams p = defaults;
    p.level = false;
    p.sensor_height = 1.73;
    p.cluster_cell = cells[i % 4];
    STX_AUTO(GroundCase) *c = ground_case_new(
        p, i % 2 ? GROUND_STREET : GROUND_CLOUD, 300 + (size_t)i * 400, (uint64_t)i);
    STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "clusters");
    STX_MALLOCED uint32_t *expected = calloc(c->count + 1, sizeof *expected);
    model_clusters(c, &run, expected);
    stx_expect_same(expected, run.labels, c->count * sizeof *expected, "clusters");
  }
}
