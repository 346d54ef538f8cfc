/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The terms of a column add up to what the dynamic programme says. Other segmentations:
 * check_satdp_model.c.
 */
#include "common/satdp/satdp_explain.h"
#include "tests/common/satdp/satdp_case.h"

#define MOST 1024 /* pieces of a column */

static StxSatdpPiece pieces[MOST];
static StxSatdpTerms terms[MOST];

static double explain(const Case *c, int column, const StxSatdpPiece *list, int count)
{
  return stx_satdp_explain(&c->params, &c->tables, c->columns, column, list, count, terms);
}

/* The pieces of one column's records; *next goes on behind them. */
static int pieces_of(
    const Case *c, const StxStixel *stixels, const StxSatdpResult *result, uint32_t *next)
{
  int count = 0;
  for (uint16_t column = stixels[*next].column;
       *next < result->count && stixels[*next].column == column; ++*next)
    pieces[count++] = stx_satdp_piece(&c->params.grid, &stixels[*next]);
  return count;
}

/* ---- What the programme says ---------------------------------------------------------------- */

static void expect_costs(const StxStixel *stixels, int count, const char *what)
{
  for (int i = 0; i < count; i++) {
    float cost = (float)(stx_satdp_sum(&terms[i]) / STX_ENERGY_ONE);
    ck_assert_msg(cost == stixels[i].cost, "%s: stixel %d of column %d costs %g, its terms %g",
        what, i, stixels[i].column, (double)stixels[i].cost, (double)cost);
  }
}

static void check_sums(const Case *c, const char *what)
{
  StxSatdpResult result;
  STX_GUARDED StxStixel *stixels = run_case(satdp_reference(), c, 1, &result);
  for (uint32_t at = 0, from = 0; at < result.count; from = at) {
    int count = pieces_of(c, stixels, &result, &at);
    explain(c, stixels[from].column, pieces, count);
    expect_costs(stixels + from, count, what);
  }
}

STX_TEST(terms_add_up_to_the_cost)
{
  StxRandom random = {3};
  for (int run = 0; run < 40; run++) {
    StxSatdpParams params = random_params(&random);
    StxRoadLine line = tilted_road(&random, params.grid.height);
    check_case(
        params, &case_camera, run % 5 ? &line : NULL, run % FILLINGS, (uint64_t)run, check_sums);
  }
}

/* ---- Literal -------------------------------------------------------------------------------- */

/* Three cells of 10 px, certain, and three unknown ones: what each term is made of. */
STX_TEST(terms_are_told_apart)
{
  StxSatdpParams params = case_params(1, 6, 8, 0);
  params.stixel_cost = 5;
  params.first_object_cost = 2;
  params.unknown_cost = 0.25;
  params.horizon_cost = 3;
  params.sky_cost = 0;
  StxRoadLine line = {.slope = 1, .horizon = 23.5, .support = 1}; /* below the three upper cells */
  STX_AUTO(Case) *c = new_case(params, &case_camera, &line);
  for (int row = 0; row < 6; row++) {
    c->columns[row] = row < 3 ? 0 : 2560;
    c->columns[6 + row] = row < 3 ? 0 : STX_WEIGHT_ONE;
  }
  const StxSatdpPiece list[] = {{0, 2, STX_KIND_OBJECT}, {3, 5, STX_KIND_SKY}};
  ck_assert_double_eq(explain(c, 0, list, 2), (2 + 5) * 1024);
  ck_assert_double_eq(terms[0].first, 2 * 1024);
  ck_assert_double_eq(terms[0].data, 0);
  ck_assert_double_eq(terms[0].foot, 2560);
  ck_assert_double_eq(terms[0].top, 2560);
  ck_assert_double_eq(terms[1].cut, 5 * 1024);
  ck_assert_double_eq(terms[1].pair, 0);
  const StxSatdpPiece whole[] = {{0, 5, STX_KIND_OBJECT}};
  ck_assert_double_eq(explain(c, 0, whole, 1), (2 + 3 * 0.25) * 1024);
  ck_assert_double_eq(terms[0].unknown, 3 * 256);
  const StxSatdpPiece upside[] = {{0, 2, STX_KIND_SKY}, {3, 5, STX_KIND_GROUND}};
  ck_assert_double_ge(explain(c, 0, upside, 2), STX_SATDP_IMPOSSIBLE);
  ck_assert_double_eq(terms[0].horizon, 3 * 3 * 1024);
  ck_assert_double_eq(terms[1].horizon, 3 * 3 * 1024);
}
