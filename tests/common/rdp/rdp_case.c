/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/rdp/rdp_case.h"

#include <stdio.h>
#include <stdlib.h>

StxRdpParams rdp_params(int columns, int rows, int cell, int epsilon, int median)
{
  StxRdpParams params = {
      .grid = {columns * cell, rows * cell, cell, cell, 0}, .epsilon = epsilon, .median = median};
  return params;
}

/* ---- Fillings ----------------------------------------------------------------------------- */

static int clamp(int value)
{
  return value < 1 ? 1 : value > 65535 ? 65535 : value;
}

static void fill_street(uint16_t *cells, int rows, StxRandom *random)
{
  int value = 0, slope = 0, left = 0, unknown = 0;
  for (int i = 0; i < rows; i++, left--) {
    if (left <= 0) {
      left = 1 + stx_random_below(random, rows / 4 + 2);
      slope = stx_random_below(random, 400) - 200;
      value = 1 + stx_random_below(random, 32768);
      unknown = stx_random_below(random, 4) == 0;
    }
    value += slope;
    cells[i] = unknown ? 0 : (uint16_t)clamp(value + stx_random_below(random, 200) - 100);
  }
}

/* A zigzag that narrows: of the cells of any piece the second lies furthest from the chord. Odd
 * columns are mirrored. */
static void fill_deep(uint16_t *cells, int rows, int column)
{
  for (int i = 0; i < rows; i++) {
    int half = 32767 - i;
    cells[column % 2 ? rows - 1 - i : i] = (uint16_t)(i % 2 ? 32768 - half : 32768 + half);
  }
}

static void fill_line(uint16_t *cells, int rows, RdpFilling filling, StxRandom *random)
{
  static const uint16_t extremes[] = {0, 1, 65535};
  int start = 1 + stx_random_below(random, 65535);
  int slope = filling == RDP_RAMP ? stx_random_below(random, 2001) - 1000 : 0;
  int low = stx_random_below(random, 1000), high = low + 1 + stx_random_below(random, 64000);
  for (int i = 0; i < rows; i++)
    cells[i] =
        filling == RDP_NOISE ? (uint16_t)(1 + stx_random_below(random, 65535))
        : filling == RDP_SPARSE
            ? (uint16_t)(stx_random_below(random, 4) == 0 ? 1 + stx_random_below(random, 65535) : 0)
        : filling == RDP_EXTREME ? extremes[stx_random_below(random, 3)]
        : filling == RDP_COMB    ? (uint16_t)(i % 2 ? high : low)
        : filling == RDP_UNKNOWN ? 0
                                 : (uint16_t)clamp(start + slope * i);
}

static void fill_weights(
    uint16_t *weights, const uint16_t *cells, size_t count, RdpFilling filling, StxRandom *random)
{
  bool any = filling == RDP_NOISE || filling == RDP_EXTREME;
  for (size_t i = 0; i < count; i++)
    weights[i] = any             ? (uint16_t)stx_random(random)
                 : cells[i] == 0 ? 0
                                 : (uint16_t)stx_random_below(random, STX_WEIGHT_ONE + 1);
}

RdpCase *rdp_case_new(StxRdpParams params, RdpFilling filling, uint64_t seed)
{
  const StxGrid *grid = &params.grid;
  int columns = stx_grid_columns(grid), rows = stx_grid_rows(grid);
  StxRandom random = {seed * RDP_FILLINGS + filling};
  RdpCase *c = calloc(1, sizeof *c);
  c->params = params;
  c->columns = stx_guarded_alloc(stx_grid_bytes(grid));
  for (int column = 0; column < columns; column++) {
    uint16_t *cells = stx_column(grid, c->columns, 0, column);
    if (filling == RDP_STREET)
      fill_street(cells, rows, &random);
    else if (filling == RDP_DEEP)
      fill_deep(cells, rows, column);
    else
      fill_line(cells, rows, filling, &random);
  }
  fill_weights(stx_column(grid, c->columns, 1, 0), c->columns, (size_t)columns * (size_t)rows,
      filling, &random);
  return c;
}

void rdp_case_free(RdpCase *c)
{
  stx_guarded_free(c->columns);
  free(c);
}

void rdp_case_name(const RdpCase *c, RdpFilling filling, uint64_t seed, char *text, size_t size)
{
  const StxGrid *grid = &c->params.grid;
  snprintf(text, size, "%dx%d cells of %dx%d, epsilon %d, median %d, filling %d, seed %llu",
      stx_grid_columns(grid), stx_grid_rows(grid), grid->cell_width, grid->cell_height,
      c->params.epsilon, c->params.median, (int)filling, (unsigned long long)seed);
}

/* ---- Runs --------------------------------------------------------------------------------- */

RdpRun rdp_run(const StxRdpImpl *impl, const RdpCase *c, int threads)
{
  size_t cells = (size_t)stx_grid_columns(&c->params.grid) * stx_grid_rows(&c->params.grid);
  RdpRun run = {
      .segments = stx_guarded_alloc(cells * sizeof(StxStixel)), .kept = stx_guarded_alloc(cells)};
  STX_GUARDED void *scratch = stx_guarded_alloc(impl->scratch_size(&c->params, threads));
  ck_assert(impl->run(&c->params, c->columns, run.segments, run.kept, &run.result, scratch,
      &(StxPlace){.threads = threads}, NULL));
  stx_guarded_check(run.segments);
  stx_guarded_check(run.kept);
  stx_guarded_check(c->columns);
  return run;
}

void rdp_run_free(RdpRun *run)
{
  stx_guarded_free(run->segments);
  stx_guarded_free(run->kept);
  *run = (RdpRun){0};
}

void rdp_expect_same(
    const RdpCase *c, const RdpRun *expected, const RdpRun *actual, const char *what)
{
  size_t cells = (size_t)stx_grid_columns(&c->params.grid) * stx_grid_rows(&c->params.grid);
  ck_assert_msg(actual->result.count == expected->result.count, "%s: %u segments instead of %u",
      what, actual->result.count, expected->result.count);
  stx_expect_same(expected->kept, actual->kept, cells, what);
  stx_expect_same(
      expected->segments, actual->segments, expected->result.count * sizeof(StxStixel), what);
  ck_assert_msg(actual->result.unknown == expected->result.unknown, "%s: unknown cells", what);
  ck_assert_msg(actual->result.levels == expected->result.levels &&
                    actual->result.levels_squared == expected->result.levels_squared &&
                    actual->result.deepest == expected->result.deepest,
      "%s: levels", what);
}
