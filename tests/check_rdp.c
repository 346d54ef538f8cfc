/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rdp: the reference against literal vectors and against the definition by brute force, in 128-bit
 * arithmetic and by recursion; then every implementation against the reference.
 */
#include "tests/rdp_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const StxRdpImpl *reference(void)
{
  return stx_impl_named(&stx_rdp_impls, "c");
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
  return sqrt(sum / (end - first) / STX_WEIGHT_ONE);
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

static void expect_record(
    const RdpCase *c, const Model *m, int column, int f, int l, const StxStixel *r, const char *what)
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
  RdpRun run = rdp_run(reference(), c, 1);
  uint64_t levels = 0, squared = 0, unknown = 0;
  uint32_t deepest = 0;
  size_t count = 0;
  for (int column = 0; column < columns; column++) {
    Model *m = solve_model(c, column);
    count += expect_column(c, m, column, run.segments + count, what);
    for (int i = 0; i < rows; i++) {
      ck_assert_msg(run.kept[column * rows + i] == m->kept[i], "%s: kept cell %d", what, i);
      unknown += c->columns[column * rows + i] == 0;
    }
    levels += (uint64_t)m->levels;
    squared += (uint64_t)m->levels * (uint64_t)m->levels;
    deepest = (uint32_t)m->levels > deepest ? (uint32_t)m->levels : deepest;
    free(m);
  }
  ck_assert_msg(run.count == count, "%s: %zu segments instead of %zu", what, run.count, count);
  ck_assert_msg(run.stats.levels == levels && run.stats.levels_squared == squared &&
                    run.stats.deepest == deepest && run.stats.unknown == unknown,
      "%s: statistics", what);
  rdp_run_free(&run);
}

static const int epsilons[] = {0, 1, 300, 1024, 65535};

START_TEST(the_reference_is_the_definition)
{
  char what[160];
  for (int filling = 0; filling < RDP_FILLINGS; filling++)
    for (int rows = 1; rows <= 40; rows += rows < 9 ? 1 : 31)
      for (size_t e = 0; e < sizeof epsilons / sizeof epsilons[0]; e++)
        for (int median = 0; median <= 7; median += median == 0 ? 3 : 2) {
          uint64_t seed = (uint64_t)(rows * 100 + median);
          RdpCase *c = rdp_case_new(
              rdp_params(6, rows, 1 + rows % 4, epsilons[e], median), (RdpFilling)filling, seed);
          rdp_case_name(c, (RdpFilling)filling, seed, what, sizeof what);
          expect_definition(c, what);
          rdp_case_free(c);
        }
}
END_TEST

START_TEST(the_deepest_columns_are_as_deep_as_they_are_long)
{
  RdpCase *c = rdp_case_new(rdp_params(2, STX_RDP_MAX_ROWS, 1, 0, 0), RDP_DEEP, 1);
  RdpRun run = rdp_run(reference(), c, 1);
  ck_assert_uint_eq(run.stats.deepest, STX_RDP_MAX_ROWS - 1);
  ck_assert_uint_eq(run.stats.levels, 2 * (STX_RDP_MAX_ROWS - 1));
  rdp_run_free(&run);
  rdp_case_free(c);
}
END_TEST

static const StxTest tests[] = {
    {&the_reference_is_the_definition}, {&the_deepest_columns_are_as_deep_as_they_are_long}};
STX_TESTING_MAIN("rdp", tests)
