/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The prior of kinds: what it costs, when there is a frame before, what is raised. */
#include "common/satdp/satdp_prior.h"

#include <stdlib.h>
#include <string.h>

#include "common/satdp/satdp_explain.h"
#include "tests/common/satdp/satdp_case.h"

/* ---- What it costs --------------------------------------------------------------------------- */

/* An unknown column: four cells that were an object, two of which nothing is known. */
STX_TEST(a_cell_of_another_kind_than_before_costs_a_nat_and_raised_ground_four)
{
  static const uint8_t was[] = {0, 0, STX_KIND_OBJECT, STX_KIND_OBJECT, 2, 2};
  StxSatdpParams params = case_params(1, 6, 8, 0);
  STX_AUTO(Case) *c = new_case(params, &case_camera, NULL);
  StxSatdpTerms terms[2];
  memset(c->columns, 0, stx_grid_bytes(&params.grid));
  const StxSatdpPiece list[] = {{0, 0, STX_KIND_OBJECT}, {1, 5, STX_KIND_SKY}};
  double free = stx_satdp_explain(&c->params, &c->tables, c->columns, 0, list, 2, terms);
  c->params.prior = was;
  double bound = stx_satdp_explain(&c->params, &c->tables, c->columns, 0, list, 2, terms);
  ck_assert_double_eq(bound - free, 3 * STX_ENERGY_ONE);
  ck_assert_double_eq(terms[1].noise, 3 * STX_ENERGY_ONE);
  for (StxKind kind = STX_KIND_GROUND; kind <= STX_KIND_SKY; kind++) {
    static const uint8_t raised[6] = {STX_SATDP_RAISED, STX_SATDP_RAISED + STX_KIND_OBJECT};
    const StxSatdpPiece whole = {0, 5, kind};
    c->params.prior = NULL;
    free = stx_satdp_explain(&c->params, &c->tables, c->columns, 0, &whole, 1, terms);
    c->params.prior = raised;
    bound = stx_satdp_explain(&c->params, &c->tables, c->columns, 0, &whole, 1, terms);
    ck_assert_double_eq(bound - free, STX_ENERGY_ONE * (kind == STX_KIND_GROUND      ? 8 + 1
                                                           : kind == STX_KIND_OBJECT ? 0
                                                                                     : 1));
  }
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
    case_prior(c, &random);
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
  StxSatdpParams params;
  uint16_t columns[2 * CELLS]; /* disparities, weights */
  _Alignas(STX_ALIGN) uint8_t memory[1024];
  StxSatdpPrior prior;
} Stream;

static const uint8_t *next(Stream *s)
{
  s->prior.memory = s->memory;
  return stx_satdp_prior(&s->prior, &s->params, s->columns, NULL);
}

/* A frame in which everything is known, and its stixels: ground under objects. */
static Stream new_stream(void)
{
  static const StxStixel records[] = {
      {.column = 0, .top = 24, .bottom = 47, .kind = STX_KIND_GROUND},
      {.column = 0, .top = 0, .bottom = 23, .kind = STX_KIND_OBJECT},
      {.column = 1, .top = 0, .bottom = 47, .kind = STX_KIND_SKY}};
  Stream s = {.params = STX_SATDP_DEFAULTS};
  s.params.grid = (StxGrid){64, 48, 8, 8, 0, 0};
  ck_assert_uint_le(stx_satdp_prior_size(&s.params.grid), sizeof s.memory);
  for (int i = 0; i < CELLS; i++) {
    s.columns[i] = 2560;
    s.columns[CELLS + i] = STX_WEIGHT_ONE;
  }
  ck_assert_ptr_null(next(&s));
  stx_satdp_remember(&s.prior, &s.params.grid, records, 3);
  return s;
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

/* ---- What is raised -------------------------------------------------------------------------- */

enum { WIDTH = 24, HEIGHT = 30, ALL = WIDTH * HEIGHT };

/* A stream's first frame: cells of a road of 2 px per row of 8 pixels, its horizon above the image.
 */
typedef struct {
  StxSatdpParams params;
  StxRoadLine line;
  uint16_t columns[2 * ALL]; /* disparities, weights */
  _Alignas(STX_ALIGN) uint8_t memory[17 * ALL];
} Frame;

static int road_at(int row)
{
  return 512 * (row + 10);
}

static void new_frame(Frame *f)
{
  *f = (Frame){
      .params = STX_SATDP_DEFAULTS, .line = {.slope = 0.25, .horizon = -76.5, .noise = 0.1}};
  f->params.grid = (StxGrid){8 * WIDTH, 8 * HEIGHT, 8, 8, 0, 0};
  ck_assert_uint_le(stx_satdp_prior_size(&f->params.grid), sizeof f->memory);
  for (int i = 0; i < ALL; i++) {
    f->columns[i] = (uint16_t)road_at(i % HEIGHT);
    f->columns[ALL + i] = STX_WEIGHT_ONE;
  }
}

/* NULL: nothing is known. */
static const uint8_t *prior_of(Frame *f)
{
  StxSatdpPrior prior = {.memory = f->memory};
  return stx_satdp_prior(&prior, &f->params, f->columns, &f->line);
}

/* Something of `left` to `right` and `top` to `bottom` that is higher by a share of the road's
 * disparity, in 64ths; all else is higher by `around` of them. */
typedef struct {
  int left, right, top, bottom, share, around;
  bool found;
  const char *what;
} Thing;

static const Thing things[] = {
    {8, 15, 12, 18, 8, 0, true, "a rock"},
    {8, 10, 12, 14, 8, 0, true, "of three cells"},
    {8, 9, 12, 18, 8, 0, false, "of two columns"},
    {8, 15, 12, 13, 8, 0, false, "of two rows"},
    {0, 7, 12, 18, 8, 0, true, "at the left side"},
    {16, 23, 12, 18, 8, 0, true, "at the right side"},
    {0, 23, 12, 18, 8, 0, false, "goes on to both sides"},
    {8, 15, 23, 29, 8, 0, false, "goes on below"},
    {8, 15, 2, 25, 8, 0, false, "a pavement"},
    {8, 15, 12, 18, 2, 0, false, "lower than what is looked for"},
    {8, 15, 12, 18, 24, 0, false, "high, an object by itself"},
    {8, 15, 12, 18, 3, 1, true, "on a rise"},
    {8, 15, 12, 18, 3, 2, false, "a crest"},
    {8, 15, 12, 18, 33, 0, true, "a seat"},
    {8, 15, 2, 25, 33, 0, true, "a long table"},
    {0, 23, 12, 18, 33, 0, true, "a wide table"},
    {8, 15, 12, 18, 31, 0, false, "a low seat"},
    {8, 11, 12, 15, 33, 0, true, "of a square"},
    {8, 10, 12, 15, 33, 0, false, "less than a square"},
    {8, 15, 20, 29, 33, 0, false, "has no end below"},
};

static bool is_on(const Thing *t, int column, int row)
{
  return column >= t->left && column <= t->right && row >= t->top && row <= t->bottom;
}

/* With so many columns of unknown cells on each side; below 0 to the left alone. */
static void draw_thing(const Thing *t, int unknown, uint16_t *disparity)
{
  for (int column = 0; column < WIDTH; column++)
    for (int row = 0; row < HEIGHT; row++) {
      int road = road_at(row);
      bool on = is_on(t, column, row);
      int shift = column < t->left ? abs(unknown) : unknown > 0 ? -unknown : 0;
      bool beside = !on && is_on(t, column + shift, row);
      disparity[column * HEIGHT + row] =
          (uint16_t)(beside ? 0 : road + road * (on ? t->share : t->around) / 64);
    }
}

static const uint8_t *find_thing(Frame *f, const Thing *t, int unknown, double noise)
{
  new_frame(f);
  f->params.change_cost = 0;
  f->line.noise = noise;
  draw_thing(t, unknown, f->columns);
  return prior_of(f);
}

STX_TEST_LOOP(what_lies_on_the_road_is_raised, sizeof things / sizeof *things)
{
  const Thing *t = &things[_i];
  Frame f;
  const uint8_t *prior = find_thing(&f, t, 0, 0.1);
  ck_assert_msg((prior != NULL) == t->found, "%s", t->what);
  for (int i = 0; i < ALL && prior != NULL; i++)
    ck_assert_uint_eq(prior[i], is_on(t, i / HEIGHT, i % HEIGHT) ? STX_SATDP_RAISED : 0);
}

/* A rock of 6 px: a road that scatters by 1.1 px can look like that. */
STX_TEST(raised_cells_are_above_the_roads_noise_and_known_around)
{
  Frame f;
  ck_assert_ptr_nonnull(find_thing(&f, &things[0], 0, 0.9));
  ck_assert_ptr_null(find_thing(&f, &things[0], 0, 1.2));
  ck_assert_ptr_null(find_thing(&f, &things[0], 2, 0.1));
  ck_assert_ptr_nonnull(
      find_thing(&f, &things[0], -3, 0.1)); /* where the right camera sees the thing */
}

STX_TEST(a_top_is_no_filled_hole)
{
  Frame f;
  find_thing(&f, &things[13], 0, 0.1);
  for (int i = 0; i < ALL; i++)
    f.columns[ALL + i] = STX_WEIGHT_ONE / 16;
  ck_assert_ptr_null(prior_of(&f));
}

/* Both reach a third of the camera's height: a road that rises, and a wall of as many cells. */
STX_TEST(a_road_that_rises_is_no_top_and_a_front_is)
{
  Frame f;
  for (int front = 0; front < 2; front++) {
    new_frame(&f);
    f.params.change_cost = 0;
    for (int i = 0; i < ALL; i++) {
      int row = i % HEIGHT, road = road_at(row), wall = row < 11 ? road_at(11) : road;
      int slope = road + (row < 20 ? road * 3 * (20 - row) / 100 : 0);
      f.columns[i] = (uint16_t)(front ? wall : slope);
    }
    const uint8_t *prior = prior_of(&f);
    ck_assert(front == (prior != NULL));
    for (int i = 0; i < ALL && front; i++)
      ck_assert_uint_eq(prior[i], i % HEIGHT < 4 ? STX_SATDP_RAISED : 0);
  }
}

/* ---- What is ground -------------------------------------------------------------------------- */

STX_TEST(what_lies_on_the_road_is_ground)
{
  Frame f;
  new_frame(&f);
  uint16_t *column = f.columns + HEIGHT;
  column[5] = STX_DISPARITY_UNKNOWN;  /* tells nothing of itself and its neighbours */
  column[20] += road_at(20) / 16 - 1; /* near, … */
  column[24] += road_at(24) / 16 + 1; /* … and not */
  column[10] = column[11] = column[12] = (uint16_t)road_at(11); /* upright */
  const uint8_t *prior = prior_of(&f);
  ck_assert_ptr_nonnull(prior);
  for (int row = 0; row < HEIGHT; row++) {
    bool end = row == 0 || row == HEIGHT - 1, unknown = row >= 4 && row <= 6;
    /* The disparity grows by too little around 11, 21 and 25, and by too much around 23. */
    bool off = row == 11 || row == 21 || (row >= 23 && row <= 25);
    ck_assert_uint_eq(prior[row], end ? 0 : STX_KIND_GROUND);
    ck_assert_uint_eq(prior[HEIGHT + row], end || unknown || off ? 0 : STX_KIND_GROUND);
  }
}

STX_TEST(a_noisy_road_is_as_wide_as_its_noise)
{
  Frame f;
  new_frame(&f);
  f.line.noise = 1;
  for (int i = 0; i < ALL; i++)
    f.columns[i] = (uint16_t)(f.columns[i] + 6 * 256 - (i < ALL / 2));
  const uint8_t *prior = prior_of(&f);
  ck_assert_ptr_nonnull(prior);
  ck_assert_uint_eq(prior[5], STX_KIND_GROUND);
  ck_assert_uint_eq(prior[ALL / 2 + 5], 0);
}

/* The frame before counts more; and a road that objects may lean as much as tells nothing. */
STX_TEST(a_road_makes_ground_where_nothing_else_is_known)
{
  static const StxStixel before = {.top = 0, .bottom = 8 * HEIGHT - 1, .kind = STX_KIND_OBJECT};
  Frame f;
  new_frame(&f);
  StxSatdpPrior stream = {.memory = f.memory};
  stx_satdp_prior(&stream, &f.params, f.columns, &f.line);
  stx_satdp_remember(&stream, &f.params.grid, &before, 1);
  const uint8_t *prior = stx_satdp_prior(&stream, &f.params, f.columns, &f.line);
  ck_assert_uint_eq(prior[5], STX_KIND_OBJECT);
  f.params.object_sigma_slope = 0.1;
  ck_assert_ptr_null(prior_of(&f));
  f.params.object_sigma_slope = 0.08;
  ck_assert_ptr_nonnull(prior_of(&f));
  f.params.change_cost = 0;
  ck_assert_ptr_null(prior_of(&f));
}

/* {row, steps behind the road, witnesses, ghost} of a cell of column 12. */
STX_TEST_LOOP(what_lies_behind_the_road_is_unknown_unless_the_cells_around_agree, 5)
{
  static const int cases[][4] = {{20, 3100, 15, true}, {20, 3100, 16, false}, {20, 3050, 0, false},
      {20, 15359, 0, true}, {5, 2048, 0, false}};
  const int *own = cases[_i];
  static uint16_t columns[4 * ALL]; /* with two classes */
  static _Alignas(STX_ALIGN) uint8_t memory[21 * ALL];
  Frame f;
  new_frame(&f);
  f.params.grid.classes = 2;
  ck_assert_uint_le(stx_satdp_prior_size(&f.params.grid), sizeof memory);
  for (int i = 0; i < 4 * ALL; i++)
    columns[i] = i < 2 * ALL ? f.columns[i] : (uint16_t)i;
  int at = 12 * HEIGHT + own[0];
  columns[at] = (uint16_t)(columns[at] - own[1]);
  for (int i = 0; i < own[2]; i++)
    columns[at + (i % 5 - 2) * HEIGHT + (i < 10 ? i / 5 - 2 : i / 5 - 1)] =
        (uint16_t)(columns[at] + 512 * (i % 3 - 1));
  StxSatdpPrior stream = {.memory = memory};
  stx_satdp_prior(&stream, &f.params, columns, &f.line);
  const uint16_t *seen = stream.columns;
  ck_assert_uint_eq(seen[at], own[3] ? STX_DISPARITY_UNKNOWN : columns[at]);
  ck_assert_uint_eq(seen[ALL + at], own[3] ? 0 : STX_WEIGHT_ONE);
  stx_expect_same(columns + 2 * ALL, seen + 2 * ALL, 2 * ALL * sizeof *seen, "classes");
}

/* Ghosts, what is raised, and what lies on the road. */
STX_TEST(nothing_is_known_without_a_road_of_the_frame_or_at_no_cost)
{
  Frame f;
  new_frame(&f);
  f.columns[12 * HEIGHT + 20] = 1;
  StxSatdpPrior stream = {.memory = f.memory};
  ck_assert_ptr_nonnull(stx_satdp_prior(&stream, &f.params, f.columns, &f.line));
  ck_assert_ptr_ne(stream.columns, f.columns);
  ck_assert_ptr_null(stx_satdp_prior(&stream, &f.params, f.columns, NULL));
  ck_assert_ptr_eq(stream.columns, f.columns);
  const StxRoadLine calibrated = {.slope = 0.25, .horizon = -76.5};
  ck_assert_ptr_null(stx_satdp_prior(&stream, &f.params, f.columns, &calibrated));
  f.params.raised_cost = f.params.change_cost = 0;
  ck_assert_ptr_null(prior_of(&f));
}
