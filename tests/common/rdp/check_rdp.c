/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp: the reference against the definition by brute force, in 128-bit arithmetic and by recursion;
 * then every implementation against the reference.
 */
#include "tests/common/oracle.h"
#include "tests/common/rdp/rdp_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const StxRdpImpl *reference(void)
{
  return oracle(&stx_rdp_impls);
}

/* ---- The definition, by brute force ------------------------------------------------------- */

typedef struct {
  int n, epsilon;
  long long d[4096];
  int kept[4096], levels;
} Model;

/* The distance itself, as a fraction with the denominator l − f. */
static __int128 distance(const Model *m, int f, int l, int i)
{
  __int128 chord = (__int128)m->d[f] * (l - i) + (__int128)m->d[l] * (i - f);
  __int128 x = (__int128)m->d[i] * (l - f) - chord;
  return m->d[i] == 0 ? 0 : x < 0 ? -x : x;
}

static void model_split(Model *m, int f, int l, int level)
{
  m->kept[f] = m->kept[l] = 1;
  m->levels = level > m->levels ? level : m->levels;
  for (int i = f + 1; i < l; i++) {
    int wins = distance(m, f, l, i) > (__int128)m->epsilon * (l - f);
    for (int j = f + 1; j < l && wins; j++)
      wins = distance(m, f, l, j) < distance(m, f, l, i) ||
             (distance(m, f, l, j) == distance(m, f, l, i) && j >= i);
    if (!wins)
      continue;
    model_split(m, f, i, level + 1);
    model_split(m, i, l, level + 1);
    return;
  }
}

/* The median by counting: the smallest known value with at least half of the known at or below. */
static long long model_median(const uint16_t *cells, int n, int i, int width)
{
  long long best = 0;
  if (cells[i] == 0 || width == 0)
    return cells[i];
  for (int j = i - width / 2; j <= i + width / 2; j++) {
    int known = 0, below = 0;
    if (j < 0 || j >= n || cells[j] == 0)
      continue;
    for (int k = i - width / 2; k <= i + width / 2; k++)
      if (k >= 0 && k < n && cells[k] != 0) {
        known++;
        below += cells[k] <= cells[j];
      }
    if (2 * below >= known && (best == 0 || cells[j] < best))
      best = cells[j];
  }
  return best;
}

static Model *solve_model(const RdpCase *c, int column)
{
  const uint16_t *cells = stx_column(&c->params.grid, c->columns, 0, column);
  Model *m = calloc(1, sizeof *m);
  int n = m->n = stx_grid_rows(&c->params.grid);
  m->epsilon = c->params.epsilon;
  for (int i = 0; i < n; i++)
    m->d[i] = model_median(cells, n, i, c->params.median);
  for (int i = 0; i < n && m->d[0] == 0; i++)
    m->d[0] = m->d[i];
  for (int i = n - 1; i >= 0 && m->d[n - 1] == 0; i--)
    m->d[n - 1] = m->d[i];
  model_split(m, 0, n - 1, 1);
  return m;
}

/* ---- Records against the definition ------------------------------------------------------- */

static double weight_of(const RdpCase *c, int column, int first, int end)
{
  const uint16_t *weight = stx_column(&c->params.grid, c->columns, 1, column);
  double sum = 0;
  for (int i = first; i < end; i++)
    sum += weight[i];
  return fmin(1, sqrt(sum / (end - first) / STX_WEIGHT_ONE));
}

static double cost_of(const Model *m, int f, int l)
{
  double largest = 0;
  for (int i = f + 1; i < l; i++)
    largest = fmax(largest, (double)distance(m, f, l, i) / (l - f) / 256);
  return largest;
}

static void expect_near(double expected, double actual, const char *name, const char *what)
{
  ck_assert_msg(fabs(expected - actual) <= 1e-5 * fabs(expected) + 5e-5, "%s: %s is %.9g, not %.9g",
      what, name, actual, expected);
}

/* Disparity of an image row, in pixels, on the chord through the centres of the cells f and l. */
static double chord_at(const Model *m, const StxGrid *grid, int f, int l, int row)
{
  double cell = (row - (grid->cell_height - 1) / 2.0) / grid->cell_height;
  double slope = l > f ? (double)(m->d[l] - m->d[f]) / (l - f) : 0;
  return fmax(0, (m->d[f] + slope * (cell - f)) / 256);
}

static void expect_record(const RdpCase *c, const Model *m, int column, int f, int l,
    const StxStixel *r, const char *what)
{
  const StxGrid *grid = &c->params.grid;
  bool last = l == m->n - 1, step = l - f < 2;
  int end = last ? m->n : l;
  double top = step ? m->d[f] / 256.0 : chord_at(m, grid, f, l, r->top);
  double bottom = step ? m->d[last ? l : f] / 256.0 : chord_at(m, grid, f, l, r->bottom);
  ck_assert_msg(r->column == column && r->top == f * grid->cell_height &&
                    r->bottom == stx_grid_top(grid, end) - 1 && r->kind == STX_KIND_SEGMENT &&
                    r->label == STX_LABEL_NONE,
      "%s: column %d, cells %d to %d: the record is of column %d, rows %d to %d", what, column, f,
      l, r->column, r->top, r->bottom);
  expect_near(top, r->disparity_top, "disparity_top", what);
  expect_near(bottom, r->disparity_bottom, "disparity_bottom", what);
  expect_near(cost_of(m, f, l), r->cost, "cost", what);
  ck_assert_msg(r->cost <= c->params.epsilon / 256.0 + 5e-5, "%s: cost", what);
  expect_near(weight_of(c, column, f, end), r->confidence, "confidence", what);
}

/* Checks one column's records, the lowest first; returns their number. */
static size_t expect_column(
    const RdpCase *c, const Model *m, int column, const StxStixel *records, const char *what)
{
  size_t count = 0;
  int l = m->n - 1, f = l;
  if (m->n == 1) {
    expect_record(c, m, column, 0, 0, records, what);
    return 1;
  }
  for (; l > 0; l = f, count++) {
    for (f = l - 1; !m->kept[f];)
      f--;
    expect_record(c, m, column, f, l, &records[count], what);
  }
  return count;
}

static void expect_definition(const RdpCase *c, const char *what)
{
  int columns = stx_grid_columns(&c->params.grid), rows = stx_grid_rows(&c->params.grid);
  STX_AUTO(RdpRun) run = rdp_run(reference(), c, 1);
  uint64_t levels = 0, squared = 0, unknown = 0;
  uint32_t deepest = 0;
  size_t count = 0;
  for (int column = 0; column < columns; column++) {
    STX_MALLOCED Model *m = solve_model(c, column);
    count += expect_column(c, m, column, run.segments + count, what);
    for (int i = 0; i < rows; i++) {
      ck_assert_msg(run.kept[column * rows + i] == m->kept[i], "%s: kept cell %d", what, i);
      unknown += c->columns[column * rows + i] == 0;
    }
    levels += (uint64_t)m->levels;
    squared += (uint64_t)m->levels * (uint64_t)m->levels;
    deepest = (uint32_t)m->levels > deepest ? (uint32_t)m->levels : deepest;
  }
  ck_assert_msg(
      run.result.count == count, "%s: %u segments instead of %zu", what, run.result.count, count);
  ck_assert_msg(run.result.levels == levels && run.result.levels_squared == squared &&
                    run.result.deepest == deepest && run.result.unknown == unknown,
      "%s: statistics", what);
}

static const int epsilons[] = {0, 1, 300, 1024, 65535};

STX_TEST(the_reference_is_the_definition)
{
  char what[160];
  for (int filling = 0; filling < RDP_FILLINGS; filling++)
    for (int rows = 1; rows <= 40; rows += rows < 9 ? 1 : 31)
      for (size_t e = 0; e < sizeof epsilons / sizeof epsilons[0]; e++)
        for (int median = 0; median <= 7; median += median == 0 ? 3 : 2) {
          uint64_t seed = (uint64_t)(rows * 100 + median);
          STX_AUTO(RdpCase) *c = rdp_case_new(
              rdp_params(6, rows, 1 + rows % 4, epsilons[e], median), (RdpFilling)filling, seed);
          rdp_case_name(c, (RdpFilling)filling, seed, what, sizeof what);
          expect_definition(c, what);
        }
}

STX_TEST(the_deepest_columns_are_as_deep_as_they_are_long)
{
  STX_AUTO(RdpCase) *c = rdp_case_new(rdp_params(2, STX_RDP_MAX_ROWS, 1, 0, 0), RDP_DEEP, 1);
  STX_AUTO(RdpRun) run = rdp_run(reference(), c, 1);
  ck_assert_uint_eq(run.result.deepest, STX_RDP_MAX_ROWS - 1);
  ck_assert_uint_eq(run.result.levels, 2 * (STX_RDP_MAX_ROWS - 1));
}

/* ---- Every implementation against the reference ------------------------------------------- */

/* One thread more often than several: on a busy machine their barriers take most of the time. */
static const int threads[] = {1, 2, 1, 1, 7};

/* A run in which one of the optional outputs, or both, may be missing. */
static void expect_parts(
    const StxRdpImpl *impl, const RdpCase *c, const RdpRun *all, int parts, const char *what)
{
  size_t cells = (size_t)stx_grid_columns(&c->params.grid) * stx_grid_rows(&c->params.grid);
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(&c->params, 1));
  STX_AUTO(RdpRun) run = {
      .segments = parts & 1 ? stx_guarded_alloc(cells * sizeof(StxStixel)) : NULL,
      .kept = parts & 2 ? stx_guarded_alloc(cells) : NULL};
  ck_assert(impl->run(&c->params, c->columns, run.segments, run.kept, &run.result, scratch,
      &(StxPlace){.threads = 1}, NULL));
  ck_assert_msg(run.result.count == all->result.count, "%s: %u segments", what, run.result.count);
  if (run.segments != NULL)
    stx_expect_same(all->segments, run.segments, run.result.count * sizeof(StxStixel), what);
  if (run.kept != NULL)
    stx_expect_same(all->kept, run.kept, cells, what);
  stx_expect_same(&all->result, &run.result, sizeof run.result, what);
}

/* Runs all implementations on a filled case, with `workers` threads. */
static void expect_all_same(StxRdpParams params, RdpFilling filling, uint64_t seed, int workers)
{
  char what[200], name[160];
  STX_AUTO(RdpCase) *c = rdp_case_new(params, filling, seed);
  STX_AUTO(RdpRun) expected = rdp_run(reference(), c, 1);
  rdp_case_name(c, filling, seed, name, sizeof name);
  STX_EACH_IMPL (StxRdpImpl, impl, &stx_rdp_impls) {
    snprintf(what, sizeof what, "%s, %d threads, %s", impl->info.name, workers, name);
    STX_AUTO(RdpRun) run = rdp_run(impl, c, workers);
    rdp_expect_same(c, &expected, &run, what);
    expect_parts(impl, c, &expected, (int)(seed % 4), what);
  }
}

/* All fillings; epsilons, medians and numbers of threads take turns. */
static void expect_size(int columns, int rows)
{
  static const int medians[] = {0, 3, 5, 7};
  for (int filling = 0; filling < RDP_FILLINGS; filling++)
    for (int e = rows % 2; e < 5; e += 2) {
      int turn = rows / 2 + filling + e / 2;
      StxRdpParams params = rdp_params(columns, rows, 1, epsilons[e], medians[turn % 4]);
      expect_all_same(params, (RdpFilling)filling, (uint64_t)(rows * 5 + e), threads[turn % 5]);
    }
}

STX_TEST(short_columns_are_the_reference)
{
  for (int rows = 1; rows <= 70; rows += stx_test_small() ? 6 : 1)
    expect_size(1 + rows % 6, rows);
}

STX_TEST(long_columns_are_the_reference)
{
  static const int sizes[] = {127, 128, 129, 130, 255, 256, 257, 1023, 1024, 1025};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    expect_size(9, sizes[i]);
}

STX_TEST(the_longest_columns_are_the_reference)
{
  for (int filling = 0; filling < RDP_FILLINGS; filling++)
    for (int rows = 4096; rows <= (stx_test_small() ? 4096 : STX_RDP_MAX_ROWS); rows *= 4)
      expect_all_same(rdp_params(3, rows, 1, filling % 2 ? 1024 : 0, filling % 4 ? 0 : 7),
          (RdpFilling)filling, (uint64_t)rows, threads[filling % 5]);
}

STX_TEST(a_smaller_last_row_of_cells_is_the_reference)
{
  for (int cell = 2; cell <= 128; cell = cell * 2 + 1)
    for (int missing = 1; missing < cell; missing += 1 + cell / 3)
      for (int filling = 0; filling < RDP_FILLINGS; filling++) {
        StxRdpParams params = rdp_params(13, 100, cell, 300, 3 * (missing % 2));
        params.grid.height -= missing;
        params.grid.width -= missing;
        params.grid.coarse = filling % 5;
        expect_all_same(params, (RdpFilling)filling, (uint64_t)missing, 2);
      }
}

/* ---- Coarse steps --------------------------------------------------------------------------- */

/* The same cells in steps of a 2^coarse-th as many pixels. */
STX_TEST(coarse_steps_are_another_unit)
{
  for (int filling = 0; filling < RDP_FILLINGS; filling++)
    for (int coarse = 1; coarse <= STX_GRID_MAX_COARSE; coarse++) {
      StxRdpParams params = rdp_params(13, 100, 4, 300, 0);
      STX_AUTO(RdpCase) *c = rdp_case_new(params, (RdpFilling)filling, 5);
      STX_AUTO(RdpRun) fine = rdp_run(reference(), c, 1);
      c->params.grid.coarse = coarse;
      c->params.epsilon = 300 << coarse;
      STX_AUTO(RdpRun) run = rdp_run(reference(), c, 1);
      for (uint32_t i = 0; i < fine.result.count; i++) {
        StxStixel *s = &fine.segments[i];
        s->disparity_top *= (float)(1 << coarse);
        s->disparity_bottom *= (float)(1 << coarse);
        s->cost *= (float)(1 << coarse);
      }
      rdp_expect_same(c, &fine, &run, "coarse steps");
    }
}

/* ---- Refusals ----------------------------------------------------------------------------- */

STX_TEST(parameters_out_of_range_are_refused_by_name)
{
  static const struct {
    StxRdpParams params;
    const char *text; /* in the error; NULL: accepted */
  } cases[] = {
      {{{640, 480, 8, 8, 0}, 1024, 0}, NULL},
      {{{640, 480, 8, 8, 0}, 0, 3}, NULL},
      {{{640, 480, 8, 8, 0}, STX_RDP_MAX_EPSILON, 7}, NULL},
      {{{1, STX_RDP_MAX_ROWS, 1, 1, 0}, 0, 5}, NULL},
      {{{0, 480, 8, 8, 0}, 0, 0}, "width"},
      {{{640, 480, 8, 0, 0}, 0, 0}, "cell height"},
      {{{1, STX_RDP_MAX_ROWS + 1, 1, 1, 0}, 0, 0}, "16385 rows of cells"},
      {{{640, 480, 8, 8, 0}, -1, 0}, "epsilon is -1, must be 0 to 65535"},
      {{{640, 480, 8, 8, 0}, STX_RDP_MAX_EPSILON + 1, 0}, "epsilon is 65536, must be 0 to 65535"},
      {{{640, 480, 8, 8, 0}, 0, 1}, "median is 1 cells, must be 0 (none), 3, 5 or 7"},
      {{{640, 480, 8, 8, 0}, 0, 4}, "median is 4 cells, must be 0 (none), 3, 5 or 7"},
      {{{640, 480, 8, 8, 0}, 0, 9}, "median is 9 cells, must be 0 (none), 3, 5 or 7"},
      {{{640, 480, 8, 8, 0}, 0, -3}, "median is -3 cells, must be 0 (none), 3, 5 or 7"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxError error = {""};
    bool good = stx_rdp_check(&cases[i].params, &error);
    ck_assert_msg(good == (cases[i].text == NULL), "case %zu: %s", i, error.text);
    ck_assert_msg(
        good || strstr(error.text, cases[i].text) != NULL, "case %zu: \"%s\"", i, error.text);
    ck_assert(stx_rdp_check(&cases[i].params, NULL) == good);
  }
}
