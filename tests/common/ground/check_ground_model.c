/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground: the reference against a model of its own, written once more after the header: double
 * precision, every line fitted afresh, clusters by spreading numbers. Sensors that stand level.
 */
#include "tests/common/ground/ground_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const StxGroundParams defaults = STX_GROUND_DEFAULTS;

static const StxGroundImpl *reference(void)
{
  return stx_impl_named(&stx_ground_impls, "c");
}

/* ---- Lines and labels --------------------------------------------------------------------- */

/* Prototypes of one sector, metres in 1/1024. */
typedef struct {
  long range[64], z[64];
  int bin[64], count;
} Track;

/* Fresh least squares in long double over the prototypes first … last; the largest error too. */
static void model_fit(const Track *t, int first, int last, long double line[2], long double *worst)
{
  long double n = last - first + 1, mr = 0, mz = 0, rr = 0, rz = 0;
  for (int i = first; i <= last; i++) {
    mr += t->range[i] / n;
    mz += t->z[i] / n;
  }
  for (int i = first; i <= last; i++) {
    rr += (t->range[i] - mr) * (t->range[i] - mr);
    rz += (t->range[i] - mr) * (t->z[i] - mz);
  }
  line[1] = rr > 0.5L ? rz / rr : 0;
  line[0] = mz - line[1] * mr;
  *worst = 0;
  for (int i = first; i <= last; i++) {
    long double off = t->z[i] - (line[0] + line[1] * t->range[i]);
    *worst = off * off > *worst ? off * off : *worst;
  }
}

/* May prototypes first … last be a line, given that first … last − 1 are one? */
static bool model_joins(const StxGroundParams *p, const Track *t, int first, int last)
{
  long double before[2], line[2], worst;
  long double gap = t->range[last] - t->range[last - 1];
  model_fit(t, first, last - 1, before, &worst);
  long double step = t->z[last] - (before[0] + before[1] * t->range[last]);
  if (gap / 1024 > p->long_threshold + 0.1L * t->range[last] / 1024 &&
      fabsl(step) / 1024 > p->max_long_height)
    return false;
  model_fit(t, first, last, line, &worst);
  return fabsl(line[1]) <= p->max_slope && worst / (1024 * 1024) <= p->max_fit_error;
}

/* Writes for every bin the line that is valid there (NAN: none); returns the number of lines. */
static int model_lines(const StxGroundParams *p, const Track *t, long double (*own)[2])
{
  long double ground = -p->sensor_height * 1024, line[2], worst;
  int lines = 0;
  for (int bin = 0; bin < p->bins; bin++)
    own[bin][0] = NAN;
  for (int first = 0, carried = 0; first < t->count;) {
    int last = first;
    if (!carried && fabsl(t->z[first] - ground) / 1024 > p->max_start_height) {
      first++;
      continue;
    }
    while (last + 1 < t->count && model_joins(p, t, first, last + 1))
      last++;
    if (last - first + 1 < 3) { /* what did not join is asked whether it begins a line */
      first = last + 1;
      carried = 0;
      continue;
    }
    model_fit(t, first, last, line, &worst);
    for (int bin = t->bin[first]; bin <= t->bin[last]; bin++)
      if (isnan(own[bin][0]))
        memcpy(own[bin], line, sizeof line);
    ground = line[0] + line[1] * t->range[last];
    lines++;
    if (last + 1 == t->count)
      break;
    first = last;
    carried = 1;
  }
  return lines;
}

typedef struct {
  int sector, bin;
  double range;
} Place;

static Place model_place(const StxGroundParams *p, const float *point)
{
  double range = hypot(point[0], point[1]), turns = atan2(point[1], point[0]) / (2 * M_PI);
  Place place = {(int)((turns - floor(turns)) * p->sectors),
      (int)((range - p->r_min) / (p->r_max - p->r_min) * p->bins), range};
  if (!(range >= p->r_min && range < p->r_max))
    place.bin = -1;
  return place;
}

typedef struct {
  const GroundCase *c;
  long low[64][64], near[64][64], top[64][64]; /* by sector and bin; low LONG_MAX: empty */
  long double own[64][64][2];
  int lines;
} Model;

static Model *solve_model(const GroundCase *c)
{
  const StxGroundParams *p = &c->params;
  Model *m = calloc(1, sizeof *m);
  m->c = c;
  memset(m->low, 0x7F, sizeof m->low);
  for (size_t i = 0; i < c->count; i++) {
    Place at = model_place(p, c->points + 4 * i);
    long z = lrint(c->points[4 * i + 2] * 1024.0), range = lrint(at.range * 1024);
    if (at.bin < 0)
      continue;
    bool empty = m->low[at.sector][at.bin] > 1l << 40;
    if (empty || z > m->top[at.sector][at.bin])
      m->top[at.sector][at.bin] = z;
    if (empty || z < m->low[at.sector][at.bin] ||
        (z == m->low[at.sector][at.bin] && range < m->near[at.sector][at.bin])) {
      m->low[at.sector][at.bin] = z;
      m->near[at.sector][at.bin] = range;
    }
  }
  for (int sector = 0; sector < p->sectors; sector++) {
    Track track = {.count = 0};
    for (int bin = 0; bin < p->bins; bin++)
      if (m->low[sector][bin] < 1l << 40) {
        track.range[track.count] = m->near[sector][bin];
        track.z[track.count] = m->low[sector][bin];
        track.bin[track.count++] = bin;
      }
    m->lines += model_lines(p, &track, m->own[sector]);
  }
  return m;
}

/* The label of a point, clusters apart. */
static uint32_t model_label(const Model *m, const float *point)
{
  const StxGroundParams *p = &m->c->params;
  Place at = model_place(p, point);
  const long double *line = NULL;
  if (at.bin < 0)
    return STX_POINT_NONE;
  int reach = (int)(p->line_search_angle * p->sectors / (2 * M_PI) + 0.5);
  for (int away = 0; away <= reach && line == NULL; away++) {
    const long double *left = m->own[(at.sector + away) % p->sectors][at.bin];
    const long double *right = m->own[(at.sector - away + p->sectors) % p->sectors][at.bin];
    line = !isnan(left[0]) ? left : !isnan(right[0]) ? right : NULL;
  }
  if (line == NULL)
    return STX_POINT_OBSTACLE;
  double width = (p->r_max - p->r_min) / p->bins, middle = p->r_min + (at.bin + 0.5) * width;
  double top = (double)(m->top[at.sector][at.bin] - line[0]) / 1024 - (double)line[1] * middle;
  double above = point[2] - (double)(line[0] / 1024 + line[1] * at.range);
  double up = p->max_dist_to_line * (top > p->obstacle_height ? 0.25 : 1);
  return above < up && above > -p->max_dist_below ? STX_POINT_GROUND : STX_POINT_OBSTACLE;
}

STX_TEST(the_reference_follows_the_header)
{
  for (int seed = 0; seed < 120; seed++) {
    StxRandom random = {(uint64_t)seed};
    StxGroundParams p = defaults;
    p.sectors = 1 + stx_random_below(&random, 40);
    p.bins = 1 + stx_random_below(&random, 60);
    p.level = false;
    p.sensor_height = 1.73;
    p.line_search_angle = stx_random_below(&random, 100) / 100.0;
    p.max_fit_error = stx_random_below(&random, 2) ? 0.0025 : 0.04;
    p.long_threshold = stx_random_below(&random, 3);
    GroundScan scan = seed % 3 == 0 ? GROUND_CLOUD : GROUND_STREET;
    STX_AUTO(GroundCase) *c =
        ground_case_new(p, scan, 50 + (size_t)stx_random_below(&random, 5000), seed);
    STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "model");
    STX_MALLOCED Model *m = solve_model(c);
    size_t differ = 0;
    for (size_t i = 0; i < c->count; i++)
      differ += (run.labels[i] & 0xFFFF) != model_label(m, c->points + 4 * i);
    ck_assert_msg(differ == 0, "seed %d: %zu of %zu labels differ", seed, differ, c->count);
    ck_assert_int_eq((int)run.result.lines, m->lines);
  }
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
