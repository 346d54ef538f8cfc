/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground on the GPU against the reference, bit for bit: labels, counts, the plane, lines and
 * clusters; what it was not given stays untouched.
 */
#include "tests/common/oracle.h"
#include "tests/cuda/cuda_case.h"
#include "tests/common/ground/ground_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const StxGroundParams defaults = STX_GROUND_DEFAULTS;

static const StxGroundImpl *reference(void)
{
  return oracle(&stx_ground_impls);
}

static const StxGroundImpl *device_impl(void)
{
  return (const void *)stx_impl_at(&stx_ground_cuda_impls, 0);
}

/* ---- A run on the device ------------------------------------------------------------------- */

/* `shift`: words by which the points are off from an aligned address. */
static GroundRun run_cuda(const GroundCase *c, size_t shift, const char *what)
{
  const StxGroundImpl *impl = device_impl();
  size_t bytes = c->count * 4 * sizeof(float), words = c->count * sizeof(uint32_t);
  GroundRun run = {.labels = stx_guarded_alloc(words)};
  StxError error = {""};
  STX_ON_DEVICE float *points = stx_device_alloc(bytes + shift * sizeof(float));
  STX_ON_DEVICE void *labels = stx_device_alloc(words), *out = stx_device_alloc(sizeof run.result);
  STX_ON_DEVICE void *scratch = stx_device_alloc(impl->scratch_size(&c->params, c->count, 1));
  stx_device_upload(points + shift, c->points, bytes);
  bool ok = impl->run(&c->params, c->count == 0 ? NULL : points + shift, c->count,
      c->count == 0 ? NULL : labels, out, scratch, stx_case_place(), &error);
  stx_case_ok(ok, &error, what);
  stx_case_wait(what);
  stx_device_download(&run.result, out, sizeof run.result);
  stx_device_download(run.labels, labels, words);
  STX_GUARDED void *after = stx_guarded_alloc(bytes);
  stx_device_download(after, points + shift, bytes);
  stx_expect_same(c->points, after, bytes, what);
  return run;
}

/* Frees the case. Returns the reference's result. */
static StxGroundResult expect_equal(GroundCase *c, size_t shift, const char *what)
{
  GroundRun expected = ground_run(reference(), c, 1, what), run = run_cuda(c, shift, what);
  const StxGroundResult result = expected.result, *r = &run.result;
  ck_assert_msg(result.ground == r->ground && result.obstacles == r->obstacles &&
                    result.outside == r->outside,
      "%s: %u + %u + %u points instead of %u + %u + %u", what, r->ground, r->obstacles, r->outside,
      result.ground, result.obstacles, result.outside);
  ground_expect_same(c, &expected, &run, what);
  ground_run_free(&run);
  ground_run_free(&expected);
  ground_case_free(c);
  return result;
}

static StxGroundResult expect_agreement(
    StxGroundParams params, GroundScan scan, size_t count, uint64_t seed)
{
  char what[160];
  snprintf(what, sizeof what, "scan %d of %zu points, seed %llu, %dx%d bins", (int)scan, count,
      (unsigned long long)seed, params.sectors, params.bins);
  return expect_equal(ground_case_new(params, scan, count, seed), seed % 4, what);
}

/* Few threads, for the thread sanitizer. */
static StxGroundParams tiny(void)
{
  StxGroundParams params = defaults;
  params.sectors = 6;
  params.bins = 40;
  params.r_max = 20;
  params.cluster_cell = 2;
  return params;
}

/* ---- Scans --------------------------------------------------------------------------------- */

STX_TEST(agrees_on_every_scan)
{
  static const size_t counts[] = {0, 1, 100, 255, 257, 25000};
  size_t most = stx_test_small() ? 3 : sizeof counts / sizeof counts[0];
  for (int scan = 0; scan < GROUND_SCANS; scan++)
    for (size_t i = stx_test_small() ? 2 : 0; i < most; i++) {
      StxGroundParams params = stx_test_small() ? tiny() : defaults;
      if (stx_test_small() && scan > 0) { /* the plane is what takes time */
        params.level = false;
        params.sensor_height = 1.7;
      }
      expect_agreement(params, (GroundScan)scan, counts[i], i);
    }
}

/* More points than are looked at for the plane, so that some are passed over. */
STX_TEST(agrees_on_a_large_scan)
{
  expect_agreement(defaults, GROUND_TILTED, stx_test_small() ? 3000 : 140000, 3);
}

/* A bin without a line searches many sectors. */
STX_TEST(agrees_where_lines_are_far)
{
  StxGroundParams params = tiny();
  params.sectors = 60;
  params.line_search_angle = 3;
  for (int scan = 0; scan < GROUND_SCANS; scan++)
    expect_agreement(params, (GroundScan)scan, 400, 4);
}

STX_TEST(agrees_on_every_parameter)
{
  for (int seed = 0; seed < (stx_test_small() ? 3 : 18); seed++)
    expect_agreement(ground_any_params(seed), (GroundScan)(seed % GROUND_SCANS),
        stx_test_small() ? 90 : 3000, (uint64_t)seed);
}

/* Few cells near the sensor: no plane, or one of few; samples that are equally good. */
STX_TEST(agrees_on_the_plane_of_few_cells)
{
  for (size_t count = 20; count < (stx_test_small() ? 21 : 400); count += 12) {
    StxGroundParams params = tiny();
    expect_agreement(params, count % 8 ? GROUND_CLOUD : GROUND_WILD, 8 * count, count);
    expect_agreement(params, GROUND_TILTED, 2 * count, count);
  }
}

/* ---- Lines --------------------------------------------------------------------------------- */

static GroundCase *empty_case(StxGroundParams params, size_t most)
{
  GroundCase *c = calloc(1, sizeof *c);
  c->params = params;
  c->points = stx_guarded_alloc(most * 4 * sizeof(float));
  return c;
}

static void add_point(GroundCase *c, double x, double y, double z)
{
  float point[4] = {(float)x, (float)y, (float)z, 0};
  memcpy(c->points + 4 * c->count++, point, sizeof point);
}

/* The height of the road goes on from bin to bin: now level, now up or down, with noise about as
 * large as the error of a line may be, with steps and gaps. */
static void add_profile(GroundCase *c, int sector, StxRandom *random)
{
  const StxGroundParams *p = &c->params;
  double width = (p->r_max - p->r_min) / p->bins, angle = 2 * M_PI * (sector + 0.5) / p->sectors;
  double z = -1.7, slope = 0, noise = stx_random_below(random, 60) / 400.0;
  int keep = 20 + stx_random_below(random, 80), change = 2 + stx_random_below(random, 80);
  for (int bin = 0; bin < p->bins; bin++) {
    double range = p->r_min + (bin + 0.5) * width;
    if (stx_random_below(random, change) == 0)
      slope = (stx_random_below(random, 100) - 50) / 150.0;
    if (stx_random_below(random, 4 * change) == 0)
      z += (stx_random_below(random, 100) - 50) / 70.0;
    z += slope * width;
    if (stx_random_below(random, 100) < keep)
      add_point(c, range * cos(angle), range * sin(angle),
          z + noise * (stx_random_below(random, 1000) / 1000.0 - 0.5));
    else if (stx_random_below(random, 10) == 0)
      bin += stx_random_below(random, 20);
  }
}

static StxGroundParams line_params(StxRandom *random)
{
  static const int bins[] = {2, 3, 31, 32, 33, 63, 64, 65, 120, 300, 1024};
  StxGroundParams p = defaults;
  p.sectors = stx_test_small() ? 2 : 1 + stx_random_below(random, 30);
  p.bins = bins[stx_random_below(random, stx_test_small() ? 8 : 11)];
  p.r_max = 10 + stx_random_below(random, 200);
  p.level = false;
  p.sensor_height = 1.7;
  p.cluster_cell = 0;
  p.max_fit_error = stx_random_below(random, 3) * 0.0025;
  p.max_slope = stx_random_below(random, 4) * 0.1;
  p.max_start_height = stx_random_below(random, 2) ? 0.5 : 10;
  p.long_threshold = stx_random_below(random, 3);
  p.max_long_height = stx_random_below(random, 3) * 0.1;
  return p;
}

STX_TEST(agrees_on_lines)
{
  uint32_t lines = 0;
  for (int seed = 0; seed < (stx_test_small() ? 8 : 100); seed++) {
    StxRandom random = {(uint64_t)seed};
    StxGroundParams p = line_params(&random);
    GroundCase *c = empty_case(p, (size_t)p.sectors * (size_t)p.bins);
    char what[80];
    for (int sector = 0; sector < p.sectors; sector++)
      add_profile(c, sector, &random);
    snprintf(what, sizeof what, "lines, seed %d, %dx%d bins", seed, p.sectors, p.bins);
    lines += expect_equal(c, 0, what).lines;
  }
  ck_assert_uint_gt(lines, stx_test_small() ? 5 : 1500);
}

/* A line through all bins, whatever their number. */
STX_TEST(agrees_on_the_longest_lines)
{
  for (int bins = 3; bins <= 1024; bins += stx_test_small() ? 500 : bins < 70 ? 1 : 53) {
    StxGroundParams p = defaults;
    p.bins = bins;
    p.sectors = 1;
    p.level = false;
    p.sensor_height = 1.7;
    p.cluster_cell = 0;
    p.long_threshold = 250;
    GroundCase *c = empty_case(p, (size_t)bins);
    for (int bin = 0; bin < bins; bin++)
      add_point(c, p.r_min + (bin + 0.5) * (p.r_max - p.r_min) / bins, 0, -1.7);
    ck_assert_uint_eq(expect_equal(c, 0, "one line").lines, 1);
  }
}

/* ---- Clusters ------------------------------------------------------------------------------ */

typedef enum { SPARSE, PERCOLATING, DENSE, SPIRAL, COMB, CHESS, FULL, PICTURES } Picture;

static bool is_drawn(Picture picture, int x, int y, int side, StxRandom *random)
{
  int ring = x < y ? x : y, far_ring = side - 1 - (x > y ? x : y);
  ring = ring < far_ring ? ring : far_ring; /* from the edge */
  switch (picture) {
  case SPARSE:
    return stx_random_below(random, 100) < 25;
  case PERCOLATING:
    return stx_random_below(random, 100) < 59;
  case DENSE:
    return stx_random_below(random, 100) < 75;
  case SPIRAL: /* rings that are joined in one place each, here and there */
    return ring % 2 == 0 || (x == y && ring % 4 == 1) || (x == side - 1 - y && ring % 4 == 3);
  case COMB: /* teeth that meet in the last row only */
    return y % 2 == 0 || x == 3 * side / 4;
  case CHESS:
    return (x + y) % 2 == 0;
  default:
    return true;
  }
}

/* Points high above the road are obstacles: one in each drawn cell that lies within r_max. */
static GroundCase *picture_case(Picture picture, int side, double cell, uint64_t seed)
{
  StxGroundParams p = defaults;
  StxRandom random = {seed};
  p.sectors = p.bins = 10;
  p.level = false;
  p.sensor_height = 1.7;
  p.cluster_cell = cell;
  p.r_max = side * cell / 2;
  p.r_min = 0;
  GroundCase *c = empty_case(p, (size_t)side * (size_t)side);
  for (int x = 0; x < side; x++)
    for (int y = 0; y < side; y++)
      if (is_drawn(picture, x, y, side, &random))
        add_point(c, (x + 0.5) * cell - p.r_max, (y + 0.5) * cell - p.r_max, 5);
  return c;
}

STX_TEST(agrees_on_clusters)
{
  static const int sides[] = {1, 2, 3, 16, 22, 23, 31, 32, 33, 64, 100, 200};
  size_t count = stx_test_small() ? 4 : sizeof sides / sizeof sides[0];
  for (int picture = 0; picture < PICTURES; picture++)
    for (size_t i = stx_test_small() ? 3 : 0; i < count; i++) {
      char what[80];
      snprintf(what, sizeof what, "picture %d of %d cells in each direction", picture, sides[i]);
      expect_equal(picture_case((Picture)picture, sides[i], 0.5, i), 0, what);
    }
}

/* So many that not all have a number, and blocks of cells that the last block adds up in turns. */
STX_TEST(agrees_on_many_clusters)
{
  if (stx_test_small())
    return;
  StxGroundResult chess = expect_equal(picture_case(CHESS, 480, 0.25, 0), 0, "chess");
  ck_assert_uint_gt(chess.clusters, 65535);
  expect_equal(picture_case(PERCOLATING, 750, 0.25, 0), 0, "a large picture");
}

STX_TEST(agrees_on_the_largest_grid)
{
  StxGroundParams params = defaults;
  params.r_max = 250;
  params.cluster_cell = 500.0 / STX_GROUND_MAX_GRID;
  if (!stx_test_small())
    expect_agreement(params, GROUND_CLOUD, 3000, 8);
}

/* ---- All ----------------------------------------------------------------------------------- */

/* Scratch that is full of another scan. */
STX_TEST(a_scan_knows_nothing_of_the_one_before)
{
  StxGroundParams params = stx_test_small() ? tiny() : defaults;
  size_t count = stx_test_small() ? 300 : 20000;
  GroundCase *cases[] = {ground_case_new(params, GROUND_CLOUD, count, 7),
      ground_case_new(params, GROUND_TILTED, count, 6)};
  STX_ON_DEVICE void *scratch = stx_device_alloc(device_impl()->scratch_size(&params, count, 1));
  STX_ON_DEVICE StxGroundResult *out = stx_device_alloc(sizeof *out);
  STX_ON_DEVICE uint32_t *labels = stx_device_alloc(count * sizeof *labels);
  for (int i = 0; i < 2; i++) {
    const GroundCase *c = cases[i];
    GroundRun expected = ground_run(reference(), c, 1, "reference");
    GroundRun run = {.labels = stx_guarded_alloc(c->count * sizeof(uint32_t))};
    STX_ON_DEVICE void *points = stx_device_copy_of(c->points, c->count * 4 * sizeof(float));
    StxError error = {""};
    stx_case_ok(device_impl()->run(
                    &params, points, c->count, labels, out, scratch, stx_case_place(), &error),
        &error, "again");
    stx_case_wait("again");
    stx_device_download(run.labels, labels, c->count * sizeof(uint32_t));
    stx_device_download(&run.result, out, sizeof *out);
    ground_expect_same(c, &expected, &run, "again");
    ground_run_free(&run);
    ground_run_free(&expected);
    ground_case_free(cases[i]);
  }
}
