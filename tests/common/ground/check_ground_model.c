/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ground: the reference against a model of its own, written once more after the header: double
 * precision, every line fitted afresh, clusters by spreading numbers. Random sensors stand level;
 * those of the street and of recorded scans are levelled, by the plane that the reference measured.
 */
#include "tests/common/ground/ground_case.h"
#include "tests/common/ground/scan_case.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
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
  double range[STX_GROUND_MAX_BINS], z[STX_GROUND_MAX_BINS];
  int bin[STX_GROUND_MAX_BINS], count;
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
  long double rise = fabsl(line[1]) * (t->range[last] - t->range[first]) / 1024;
  return (fabsl(line[1]) <= p->max_slope || rise * rise <= p->max_fit_error) &&
         worst / (1024 * 1024) <= p->max_fit_error;
}

/* Writes for every bin the line that is valid there (NAN: none); returns the number of lines. */
static int model_lines(
    const StxGroundParams *p, double height, const Track *t, long double (*own)[2])
{
  long double ground = -height * 1024, line[2], worst;
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
  int sector, bin;                /* bin < 0: none */
  double z, range;                /* levelled */
  double sector_place, bin_place; /* where in its sector and bin, 0 to 1 */
} Place;

typedef struct {
  const GroundCase *c;
  const StxGroundResult *measured;
  bool exact; /* prototypes are not rounded to 1/1024 m, as the contract wants it */
  /* By sector and bin. */
  double *low, *near, *top; /* low INFINITY: empty */
  long double (*own)[2];
  int lines;
} Model;

/* Turns the point by the angle between the plane's normal and the vertical, about their common
 * perpendicular (Rodrigues). */
static void model_level(const Model *m, const float *point, double level[3])
{
  double a = m->measured->slope_x, b = m->measured->slope_y, tilt = atan(hypot(a, b));
  double x = point[0], y = point[1], z = point[2];
  if (!m->c->params.level || tilt == 0) {
    memcpy(level, (double[]){x, y, z}, 3 * sizeof *level);
    return;
  }
  double kx = -b / hypot(a, b), ky = a / hypot(a, b), along = kx * x + ky * y;
  level[0] = x * cos(tilt) + ky * z * sin(tilt) + kx * along * (1 - cos(tilt));
  level[1] = y * cos(tilt) - kx * z * sin(tilt) + ky * along * (1 - cos(tilt));
  level[2] = z * cos(tilt) + (kx * y - ky * x) * sin(tilt);
}

static Place model_place(const Model *m, const float *point)
{
  const StxGroundParams *p = &m->c->params;
  double at[3];
  model_level(m, point, at);
  double range = hypot(at[0], at[1]), turns = atan2(at[1], at[0]) / (2 * M_PI);
  double sector = (turns - floor(turns)) * p->sectors;
  double bin = (range - p->r_min) / (p->r_max - p->r_min) * p->bins;
  Place place = {(int)sector, (int)bin, at[2], range, sector - floor(sector), bin - floor(bin)};
  if (!(range >= p->r_min && range < p->r_max))
    place.bin = -1;
  return place;
}

static double model_units(const Model *m, double metres)
{
  return m->exact ? metres * 1024 : rint(metres * 1024);
}

static void model_bins(Model *m)
{
  for (size_t i = 0; i < m->c->count; i++) {
    Place place = model_place(m, m->c->points + 4 * i);
    double z = model_units(m, place.z), range = model_units(m, place.range);
    int at = place.sector * m->c->params.bins + place.bin;
    if (place.bin < 0)
      continue;
    m->top[at] = isinf(m->low[at]) || z > m->top[at] ? z : m->top[at];
    if (z < m->low[at] || (z == m->low[at] && range < m->near[at])) {
      m->low[at] = z;
      m->near[at] = range;
    }
  }
}

/* The prototypes of a sector: lowest points but for feet, which stand out over what is before them,
 * and over which something stands. */
static Track model_track(const Model *m, int sector)
{
  const StxGroundParams *p = &m->c->params;
  Track track = {.count = 0};
  double flat = INFINITY;
  for (int bin = 0, at = sector * p->bins; bin < p->bins; bin++, at++) {
    bool stands = m->top[at] - m->low[at] > 1024 * p->obstacle_height;
    if (isinf(m->low[at]) || (stands && m->low[at] - flat > 1024 * p->max_foot_height))
      continue;
    track.range[track.count] = m->near[at];
    track.z[track.count] = m->low[at];
    track.bin[track.count++] = bin;
    flat = stands ? flat : m->low[at];
  }
  return track;
}

static Model *solve_model(const GroundCase *c, const StxGroundResult *measured, bool exact)
{
  const StxGroundParams *p = &c->params;
  int bins = p->sectors * p->bins;
  Model *m = calloc(1, sizeof *m);
  *m = (Model){c, measured, exact, malloc((size_t)bins * sizeof *m->low),
      malloc((size_t)bins * sizeof *m->near), malloc((size_t)bins * sizeof *m->top),
      malloc((size_t)bins * sizeof *m->own), 0};
  for (int i = 0; i < bins; i++)
    m->low[i] = INFINITY;
  model_bins(m);
  for (int sector = 0; sector < p->sectors; sector++) {
    Track track = model_track(m, sector);
    m->lines += model_lines(p, measured->height, &track, m->own + sector * p->bins);
  }
  return m;
}

static void free_model(Model *m)
{
  free(m->low), free(m->near), free(m->top), free(m->own), free(m);
}

/* The ground at the middle of a bin by that line, metres. */
static double model_middle(const Model *m, const long double *line, int bin)
{
  const StxGroundParams *p = &m->c->params;
  double width = (p->r_max - p->r_min) / p->bins, middle = p->r_min + (bin + 0.5) * width;
  return (double)(line[0] / 1024 + line[1] * middle);
}

/* The height of the highest ground nearby in the sector above the ground of this height. */
static double model_bank(const Model *m, const Place *at, double ground)
{
  const StxGroundParams *p = &m->c->params;
  int reach = (int)(p->bank_reach / ((p->r_max - p->r_min) / p->bins) + 0.5);
  double most = ground;
  for (int bin = 0; bin < p->bins; bin++) {
    const long double *line = m->own[at->sector * p->bins + bin];
    if (abs(bin - at->bin) <= reach && !isnan(line[0]))
      most = fmax(most, model_middle(m, line, bin));
  }
  return most - ground;
}

/* The distance above its line at which ground may be, by how high the bin's highest point is;
 * *margin: how far that is from another case. */
static double model_limit(const Model *m, const Place *at, double top, double rise, double *margin)
{
  const StxGroundParams *p = &m->c->params;
  double width = (p->r_max - p->r_min) / p->bins, middle = p->r_min + (at->bin + 0.5) * width;
  double share = p->obstacle_height / top, beside = p->max_dist_to_line * share * share;
  *margin = fmin(*margin, fabs(top - rise - p->obstacle_height));
  if (top - rise <= p->obstacle_height)
    return p->max_dist_to_line + rise;
  return fmin(p->max_dist_to_line, fmax(0.03 + 0.002 * middle, beside));
}

/* The label of a point, clusters apart; *margin: how far it is from another one, in metres of
 * height, or in the width of a sector or bin. */
static uint32_t model_label(const Model *m, const float *point, double *margin)
{
  const StxGroundParams *p = &m->c->params;
  Place at = model_place(m, point);
  const long double *line = NULL;
  *margin = fmin(fmin(at.sector_place, 1 - at.sector_place), fmin(at.bin_place, 1 - at.bin_place));
  if (at.bin < 0)
    return STX_POINT_NONE;
  int reach = (int)(p->line_search_angle * p->sectors / (2 * M_PI) + 0.5);
  for (int away = 0; away <= reach && line == NULL; away++) {
    const long double *left = m->own[(at.sector + away) % p->sectors * p->bins + at.bin];
    const long double *right =
        m->own[(at.sector - away + p->sectors) % p->sectors * p->bins + at.bin];
    line = !isnan(left[0]) ? left : !isnan(right[0]) ? right : NULL;
  }
  if (line == NULL)
    return STX_POINT_OBSTACLE;
  double ground = model_middle(m, line, at.bin);
  double top = m->top[at.sector * p->bins + at.bin] / 1024 - ground;
  double up = model_limit(m, &at, top, model_bank(m, &at, ground), margin);
  double above = at.z - (double)(line[0] / 1024 + line[1] * at.range);
  *margin = fmin(*margin, fmin(fabs(above - up), fabs(above + p->max_dist_below)));
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
    p.max_foot_height = stx_random_below(&random, 3) * 0.1;
    p.bank_reach = stx_random_below(&random, 10);
    GroundScan scan = seed % 3 == 0 ? GROUND_CLOUD : GROUND_STREET;
    STX_AUTO(GroundCase) *c =
        ground_case_new(p, scan, 50 + (size_t)stx_random_below(&random, 5000), seed);
    STX_AUTO(GroundRun) run = ground_run(reference(), c, 1, "model");
    Model *m = solve_model(c, &run.result, false);
    size_t differ = 0;
    double margin;
    for (size_t i = 0; i < c->count; i++)
      differ += (run.labels[i] & 0xFFFF) != model_label(m, c->points + 4 * i, &margin);
    ck_assert_msg(differ == 0, "seed %d: %zu of %zu labels differ", seed, differ, c->count);
    ck_assert_int_eq((int)run.result.lines, m->lines);
    free_model(m);
  }
}

/* ---- Whole scans -------------------------------------------------------------------------- */

/* Metres: more than what float32 rounds off a height at a range of 50 m. */
#define FLOAT_ERROR 2e-5

typedef struct {
  size_t points, differ, clear, exact; /* clear: differ, and are not within float's error of an
                                          edge; exact: differ if prototypes are not rounded */
} Sums;

static void compare_scan(const char *name, float *points, size_t count, Sums *sums)
{
  GroundCase c = {defaults, points, count};
  STX_AUTO(GroundRun) run = ground_run(reference(), &c, 1, name);
  Model *m = solve_model(&c, &run.result, false), *exact = solve_model(&c, &run.result, true);
  double margin;
  for (size_t i = 0; i < count; i++) {
    uint32_t label = run.labels[i] & 0xFFFF;
    sums->exact += label != model_label(exact, points + 4 * i, &margin);
    bool differs = label != model_label(m, points + 4 * i, &margin);
    sums->differ += differs;
    sums->clear += differs && margin > FLOAT_ERROR;
    if (differs)
      printf("%s, point %zu: label %u, margin %.2g\n", name, i, label, margin);
  }
  sums->points += count;
  free_model(m);
  free_model(exact);
}

static void check_sums(const Sums *sums)
{
  printf("%zu of %zu labels differ, %zu of them not at an edge; %zu without rounding\n",
      sums->differ, sums->points, sums->clear, sums->exact);
  ck_assert_uint_eq(sums->clear, 0);
  ck_assert_uint_le(sums->differ, 1 + sums->points / 100000);
  ck_assert_uint_gt(sums->exact, 10 * sums->differ);
}

STX_TEST(the_street_follows_the_header)
{
  Sums sums = {0};
  StxSceneLidar lidar = stx_scene_lidar(64);
  for (uint64_t seed = 1; seed <= 4; seed++) {
    STX_AUTO(StxScene) *scene = stx_scan_street(seed, 1);
    STX_AUTO(StxTurn) turn = stx_scan_turn(scene, &lidar);
    STX_GUARDED float *points = stx_guarded_alloc(turn.count * sizeof *turn.points);
    memcpy(points, turn.points, turn.count * sizeof *turn.points);
    compare_scan("street", points, turn.count, &sums);
  }
  check_sums(&sums);
}

STX_TEST(recorded_scans_follow_the_header)
{
  const char *data = stx_test_data();
  char pattern[1024];
  Sums sums = {0};
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/semantickitti/sequences/*/velodyne/*.bin",
      data != NULL ? data : "");
  if (data == NULL || glob(pattern, 0, NULL, &found) != 0) {
    puts("skipped: no data");
    return;
  }
  for (size_t i = 0; i < found.gl_pathc; i++) {
    FILE *file = fopen(found.gl_pathv[i], "rb");
    ck_assert(file != NULL && fseek(file, 0, SEEK_END) == 0);
    size_t count = (size_t)ftell(file) / (4 * sizeof(float));
    STX_GUARDED float *points = stx_guarded_alloc(count * 4 * sizeof *points);
    rewind(file);
    ck_assert_uint_eq(fread(points, 4 * sizeof *points, count, file), count);
    fclose(file);
    compare_scan(found.gl_pathv[i], points, count, &sums);
  }
  globfree(&found);
  check_sums(&sums);
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
