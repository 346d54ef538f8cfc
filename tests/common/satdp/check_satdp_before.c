/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of the frame before as a prior: what it costs, when there is one, and what it does. */
#include "common/satdp/satdp_before.h"

#include <string.h>

#include "common/satdp/satdp_explain.h"
#include "tests/common/satdp/satdp_case.h"

/* ---- What it costs --------------------------------------------------------------------------- */

/* An unknown column: four cells that were an object, two of which nothing is known. */
STX_TEST(a_cell_of_another_kind_than_before_costs_a_nat)
{
  static const uint8_t was[] = {0, 0, STX_KIND_OBJECT, STX_KIND_OBJECT, 2, 2};
  StxSatdpParams params = case_params(1, 6, 8, 0);
  STX_AUTO(Case) *c = new_case(params, &case_camera, NULL);
  StxSatdpTerms terms[2];
  memset(c->columns, 0, stx_grid_bytes(&params.grid));
  const StxSatdpPiece list[] = {{0, 0, STX_KIND_OBJECT}, {1, 5, STX_KIND_SKY}};
  double free = stx_satdp_explain(&c->params, &c->tables, c->columns, 0, list, 2, terms);
  c->params.before = was;
  double bound = stx_satdp_explain(&c->params, &c->tables, c->columns, 0, list, 2, terms);
  ck_assert_double_eq(bound - free, 3 * STX_ENERGY_ONE);
  ck_assert_double_eq(terms[1].noise, 3 * STX_ENERGY_ONE);
}

static void expect_costs(const Case *c, const StxStixel *stixels, const StxSatdpResult *result)
{
  StxSatdpTerms terms[STX_MAX_ROWS];
  StxSatdpPiece pieces[STX_MAX_ROWS];
  for (uint32_t i = 0, count = 0; i < result->count; i += count) {
    for (count = 0; i + count < result->count && stixels[i + count].column == stixels[i].column;
         count++)
      pieces[count] = stx_satdp_piece(&c->params.grid, &stixels[i + count]);
    stx_satdp_explain(
        &c->params, &c->tables, c->columns, stixels[i].column, pieces, (int)count, terms);
    for (uint32_t k = 0; k < count; k++)
      ck_assert_float_eq((float)(stx_satdp_sum(&terms[k]) / STX_ENERGY_ONE), stixels[i + k].cost);
  }
}

STX_TEST(all_implementations_agree_on_a_frame_before)
{
  StxRandom random = {31};
  for (int round = 0; round < stx_rounds(120); round++) {
    StxSatdpParams params = random_params(&random);
    StxRoadLine line = tilted_road(&random, params.grid.height);
    STX_AUTO(Case) *c = new_case(params, &case_camera, round % 5 ? &line : NULL);
    fill_case(c, round % FILLINGS, &random);
    case_before(c, &random);
    if (round % 3 == 0)
      case_starts(c, 40, &random);
    StxSatdpResult wanted, result;
    STX_GUARDED StxStixel *expected = run_case(satdp_reference(), c, 1, &wanted);
    expect_costs(c, expected, &wanted);
    STX_EACH_IMPL (StxSatdpImpl, impl, &stx_satdp_impls) {
      STX_GUARDED StxStixel *actual = run_case(impl, c, 1 + round % 3, &result);
      ck_assert_uint_eq(result.count, wanted.count);
      stx_expect_same(expected, actual, result.count * sizeof *actual, impl->info.name);
    }
  }
}

/* ---- When there is one ----------------------------------------------------------------------- */

enum { COLUMNS = 8, ROWS = 6, CELLS = COLUMNS * ROWS };

typedef struct {
  StxGrid grid;
  uint16_t columns[2 * CELLS]; /* disparities, weights */
  uint16_t memory[5 * CELLS];
  StxSatdpBefore before;
} Stream;

/* A frame in which everything is known, and its stixels: ground under objects. */
static Stream new_stream(void)
{
  static const StxStixel records[] = {
      {.column = 0, .top = 24, .bottom = 47, .kind = STX_KIND_GROUND},
      {.column = 0, .top = 0, .bottom = 23, .kind = STX_KIND_OBJECT},
      {.column = 1, .top = 0, .bottom = 47, .kind = STX_KIND_SKY}};
  Stream s = {.grid = {64, 48, 8, 8, 0, 0}};
  s.before.memory = s.memory;
  ck_assert_uint_eq(stx_satdp_before_size(&s.grid), sizeof s.memory);
  for (int i = 0; i < CELLS; i++) {
    s.columns[i] = 2560;
    s.columns[CELLS + i] = STX_WEIGHT_ONE;
  }
  ck_assert_ptr_null(stx_satdp_before(&s.before, &s.grid, s.columns));
  stx_satdp_remember(&s.before, &s.grid, records, 3);
  return s;
}

static const uint8_t *next(Stream *s)
{
  s->before.memory = s->memory;
  return stx_satdp_before(&s->before, &s->grid, s->columns);
}

STX_TEST(what_stayed_keeps_its_kind)
{
  Stream s = new_stream();
  s.columns[0] += 64 + 2560 / 64;
  s.columns[1] = STX_DISPARITY_UNKNOWN;
  const uint8_t *kinds = next(&s);
  ck_assert_ptr_nonnull(kinds);
  for (int i = 0; i < 2 * ROWS; i++)
    ck_assert_uint_eq(kinds[i], i >= ROWS ? STX_KIND_SKY
                                : i < 3   ? STX_KIND_OBJECT
                                          : STX_KIND_GROUND);
}

STX_TEST(what_surely_moved_has_no_kind)
{
  Stream s = new_stream();
  s.columns[0] += 64 + 2560 / 64 + 2;
  s.columns[1] -= 300;
  s.columns[2] -= 300; /* in doubt */
  s.columns[CELLS + 2] = STX_WEIGHT_ONE * 9 / 10;
  const uint8_t *kinds = next(&s);
  ck_assert_ptr_nonnull(kinds);
  ck_assert_uint_eq(kinds[0], 0);
  ck_assert_uint_eq(kinds[1], 0);
  ck_assert_uint_eq(kinds[2], STX_KIND_OBJECT);
}

STX_TEST(a_camera_that_moves_has_no_frame_before)
{
  Stream s = new_stream();
  for (int i = 0; i < CELLS / 16; i++)
    s.columns[i] = 5120;
  ck_assert_ptr_nonnull(next(&s));
  s.columns[CELLS - 1] = 5120;
  ck_assert_ptr_null(next(&s));
}

STX_TEST(a_frame_that_is_tried_twice_has_the_same_prior)
{
  Stream s = new_stream();
  s.columns[0] += 300;
  uint8_t first[CELLS];
  memcpy(first, next(&s), CELLS);
  stx_expect_same(first, next(&s), CELLS, "once more");
}
