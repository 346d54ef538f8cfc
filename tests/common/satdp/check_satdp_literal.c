/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * satdp's reference on columns that a person can work out.
 */
#include "common/satdp/satdp_cost_math.h"
#include "common/satdp/satdp_explain.h"
#include "tests/common/satdp/satdp_case.h"

#include <math.h>
#include <stdlib.h>

static void set_column(const Case *c, const uint16_t *disparity, uint16_t weight)
{
  int rows = stx_grid_rows(&c->params.grid);
  for (int row = 0; row < rows; row++) {
    stx_column(&c->params.grid, c->columns, 0, 0)[row] = disparity[row];
    stx_column(&c->params.grid, c->columns, 1, 0)[row] = disparity[row] ? weight : 0;
  }
}

static void expect_records(const Case *c, const StxStixel *expected, size_t expected_count)
{
  StxSatdpResult result;
  STX_GUARDED StxStixel *stixels = run_case(satdp_reference(), c, 1, &result);
  ck_assert_uint_eq(result.count, expected_count);
  for (size_t i = 0; i < expected_count; i++) {
    const StxStixel *a = &stixels[i], *e = &expected[i];
    ck_assert_int_eq(a->top, e->top);
    ck_assert_int_eq(a->bottom, e->bottom);
    ck_assert_int_eq(a->kind, e->kind);
    ck_assert_int_eq(a->label, e->label);
    ck_assert_float_eq_tol(a->disparity_top, e->disparity_top, 2e-3f);
    ck_assert_float_eq_tol(a->disparity_bottom, e->disparity_bottom, 2e-3f);
    ck_assert_float_eq_tol(a->cost, e->cost, 2e-3f);
    ck_assert_float_eq_tol(a->confidence, e->confidence, 1e-4f);
  }
}

/* The road D = 0.5 · (row − 8), seen in the rows 18 to 29; above it an object of 8 px; nothing
 * above that, in three cells above the horizon. The object costs C and, 8 px against the road's
 * 4.75 at the cut, α + β · 3.25. The cells without disparity cost it as much as the stixel that
 * sky would need, or a quarter of a nat more; be it for the horizon, or because they have a weight:
 * that the matcher takes them for sky. */
static void expect_road_object_and(double unknown_cost, double sky_cost, uint16_t sky_weight,
    const StxStixel *expected, size_t expected_count)
{
  StxSatdpParams params = case_params(1, 10, 3, 0);
  params.unknown_cost = unknown_cost;
  params.sky_cost = sky_cost;
  STX_AUTO(Case) *c = new_case(params, NULL, &(StxRoadLine){0.5, 8, 1});
  static const uint16_t disparity[] = {0, 0, 0, 2048, 2048, 2048, 1408, 1792, 2176, 2560};
  set_column(c, disparity, STX_WEIGHT_ONE);
  for (int row = 0; row < 3; row++)
    stx_column(&params.grid, c->columns, 1, 0)[row] = sky_weight;
  expect_records(c, expected, expected_count);
}

STX_TEST(literal_road_object_and_nothing)
{
  static const StxStixel expected[] = {
      {0, 18, 29, STX_KIND_GROUND, STX_LABEL_NONE, 5.0f, 10.5f, 0.0f, 1.0f},
      {0, 0, 17, STX_KIND_OBJECT, STX_LABEL_NONE, 8.0f, 8.0f, 6.825f + 6, 0.70711f}};
  expect_road_object_and(2, 32, 0, expected, 2);
  expect_road_object_and(0, 2, STX_WEIGHT_ONE, expected, 2);
  expect_road_object_and(0.5, 3, STX_WEIGHT_ONE / 2, expected, 2);
}

/* To the picture's bottom, where the road has 10.75 px: a foot at a quarter of that is three
 * heights of the camera under it. */
STX_TEST(literal_feet_far_under_the_road)
{
  static const float feet[][2] = {{2.625f, 0}, {2.75f, 2.75f}};
  for (int i = 0; i < 2; i++) {
    StxSatdpParams params = case_params(1, 10, 3, 0);
    STX_AUTO(Case) *c = new_case(params, NULL, &(StxRoadLine){0.5, 8, 1});
    uint16_t disparity[10];
    for (int row = 0; row < 10; row++)
      disparity[row] = (uint16_t)(feet[i][0] * 256);
    set_column(c, disparity, STX_WEIGHT_ONE);
    const StxStixel expected = {
        0, 0, 29, STX_KIND_OBJECT, STX_LABEL_NONE, feet[i][1], feet[i][1], 0, 1};
    expect_records(c, &expected, 1);
  }
}

STX_TEST(literal_road_object_and_sky)
{
  static const StxStixel expected[] = {
      {0, 18, 29, STX_KIND_GROUND, STX_LABEL_NONE, 5.0f, 10.5f, 0.0f, 1.0f},
      {0, 9, 17, STX_KIND_OBJECT, STX_LABEL_NONE, 8.0f, 8.0f, 6.825f, 1.0f},
      {0, 0, 8, STX_KIND_SKY, STX_LABEL_NONE, 0.0f, 0.0f, 6.0f, 0.0f}};
  expect_road_object_and(2.25, 32, 0, expected, 3);
  expect_road_object_and(0, 2.25, STX_WEIGHT_ONE, expected, 3);
  expect_road_object_and(0.5, 3.5, STX_WEIGHT_ONE / 2, expected, 3);
}

/* 1.5 nats are 1536; their scale is 1548. Weights above STX_WEIGHT_ONE cannot be, and do no harm.
 */
STX_TEST(literal_evidence)
{
  static const struct {
    uint32_t weight, scale, disparity;
    double energy;
  } cases[] = {{STX_WEIGHT_ONE, 1548, 0, 100 + 1536}, {STX_WEIGHT_ONE / 2, 1548, 0, 100 + 768},
      {21, 1548, 0, 100}, {22, 1548, 0, 101}, {0, 1548, 0, 100}, {0xFFFF, 33026, 0, 100 + 33025},
      {STX_WEIGHT_ONE, 1548, 1, 0}, {0, 1548, 1, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxSatdpTables tables = {
        .unknown = {100}, .road = {9}, .hidden = 7, .evidence_scale = cases[i].scale};
    double hidden = cases[i].disparity == 0 ? 7 : 0;
    for (int kind = STX_BELOW_GROUND; kind <= STX_BELOW_SKY; kind++)
      for (uint32_t above = 8; above < 10; above++) {
        uint32_t d = cases[i].disparity, w = cases[i].weight;
        double more = kind == STX_BELOW_OBJECT && above < 9 ? hidden : 0;
        ck_assert_double_eq(stx_cell_energy(&tables, kind, 0, d, w, above),
            kind == STX_BELOW_SKY ? 0 : cases[i].energy + more);
      }
  }
  StxSatdpParams params = case_params(1, 1, 8, 0);
  params.sky_cost = 1.5;
  STX_AUTO(Case) *c = new_case(params, NULL, NULL);
  ck_assert_uint_eq(c->tables.evidence_scale, 1548);
  params.sky_cost = 32;
  ck_assert(stx_satdp_prepare(&params, NULL, NULL, &c->tables, NULL));
  ck_assert_uint_eq(c->tables.evidence_scale, 33026);
}

/* From 2^24 on not every integer is a float. */
STX_TEST(a_bound_is_rounded_down)
{
  StxRandom random = {3};
  for (int round = 0; round < 10000; round++) {
    uint64_t bits = (uint64_t)stx_random(&random) << 32 | stx_random(&random);
    int64_t value = (int64_t)(bits >> (2 + round % 60)) * (round % 2 ? 1 : -1);
    long double below = value - (long double)stx_round_down(value);
    ck_assert_msg(below >= 0 && below <= ldexpl(llabs(value), -22), "%lld", (long long)value);
  }
}

/* Without a road there is no horizon, but what is surely sky is. */
STX_TEST(literal_sky_without_a_horizon)
{
  static const uint16_t disparity[] = {0, 0, 2048, 2048, 2048, 2048};
  static const StxStixel sky[] = {{0, 8, 23, STX_KIND_OBJECT, STX_LABEL_NONE, 8, 8, 0, 1},
      {0, 0, 7, STX_KIND_SKY, STX_LABEL_NONE, 0, 0, 6, 0}};
  static const StxStixel object[] = {
      {0, 0, 23, STX_KIND_OBJECT, STX_LABEL_NONE, 8, 8, 5, 0.81650f}};
  for (int sure = 0; sure < 2; sure++) {
    StxSatdpParams params = case_params(1, 6, 4, 0);
    params.sky_cost = sure ? 3.5 : 2.5;
    params.unknown_cost = 1000;
    STX_AUTO(Case) *c = new_case(params, NULL, NULL);
    set_column(c, disparity, STX_WEIGHT_ONE);
    for (int row = 0; row < 2; row++)
      stx_column(&params.grid, c->columns, 1, 0)[row] = STX_WEIGHT_ONE;
    expect_records(c, sure ? sky : object, sure ? 2 : 1);
  }
}

/* The cost of ground, sky and unknown cells at an image row (cells of one pixel), in nats. */
static void expect_places(
    const Case *c, int row, double ground, double sky, double unknown, int low, int high)
{
  const StxSatdpTables *t = &c->tables;
  int u = t->rows - 1 - row;
  ck_assert_double_eq(t->horizon_ground[u + 1] - t->horizon_ground[u], 1024 * ground);
  ck_assert_double_eq(t->horizon_sky[u + 1] - t->horizon_sky[u], 1024 * sky);
  ck_assert_double_eq(t->unknown[u], 1024 * unknown);
  ck_assert_int_eq(t->road[u] > 0, ground == 0);
  ck_assert_int_eq(t->road_low[u], low);
  ck_assert_int_eq(t->road_high[u], high);
}

/* The road D = 0.5 · (row − 8) up to row 20, where it has 6 px. From there it rises by 0.1 px per
 * row, beyond the image; at row 10 it has 5 px, from which ground may be 1.5 away. */
STX_TEST(literal_rise)
{
  STX_AUTO(Case) *c =
      new_case(case_params(1, 30, 1, 0), NULL, &(StxRoadLine){0.5, 8, 1, 1, {{20, 0.1}}});
  expect_places(c, 25, 0, 2, 0, 0, 65535);
  expect_places(c, 20, 0, 2, 0, 0, 65535);
  expect_places(c, 10, 0, 2, 0, 896, 1664);
  expect_places(c, 0, 0, 2, 0, 4 * 256 - 359, 4 * 256 + 358);
  ck_assert_double_eq(c->tables.off_road, 2 * 1024);
}

/* A matcher that has looked for the sky left out what is not marked. What it marked below the
 * horizon is none. */
STX_TEST(literal_sky_that_was_looked_for)
{
  StxSatdpParams params = case_params(1, 30, 1, 0);
  params.sky_known = true;
  params.sky_cost = 1.5;
  STX_AUTO(Case) *c = new_case(params, NULL, &(StxRoadLine){0.5, 8, 1, 1, {{20, 3}}});
  expect_places(c, 19, 0, 5, 0, 0, 65535);
  expect_places(c, 7, 2, 1.5, 0, 0, 65535);
  ck_assert_uint_eq(c->tables.evidence_scale, 3096); /* of 3 nats */
}

/* The same road falls away: 3 px per row, to its end at row 18. What stands behind the crest may be
 * seen above it, and sky only above the horizon that the near road has. */
STX_TEST(literal_crest)
{
  STX_AUTO(Case) *c =
      new_case(case_params(1, 30, 1, 0), NULL, &(StxRoadLine){0.5, 8, 1, 1, {{20, 3}}});
  expect_places(c, 19, 0, 2, 0, 0, 65535);
  expect_places(c, 17, 2, 2, 0, 0, 65535);
  expect_places(c, 9, 2, 2, 0, 0, 65535);
  expect_places(c, 7, 2, 0, 0.5, 0, 65535);
}

STX_TEST(literal_unknown_column)
{
  STX_AUTO(Case) *c = new_case(case_params(1, 5, 8, 0), &case_camera, NULL);
  static const uint16_t disparity[5] = {0};
  set_column(c, disparity, 0);
  expect_records(c, &(StxStixel){0, 0, 39, STX_KIND_OBJECT, STX_LABEL_NONE, 0, 0, 0, 0}, 1);
}

/* Nothing is known: what comes first is what costs less as such, an object if nothing does. */
STX_TEST(literal_first_without_cells)
{
  static const double costs[][3] = {{0, 0, STX_KIND_OBJECT}, {1, 2, STX_KIND_OBJECT},
      {2, 2, STX_KIND_OBJECT}, {2, 1, STX_KIND_SKY}};
  static const uint16_t disparity[5] = {0};
  for (int i = 0; i < 4; i++) {
    StxSatdpParams params = case_params(1, 5, 8, 0);
    params.first_object_cost = costs[i][0], params.first_sky_cost = costs[i][1];
    STX_AUTO(Case) *c = new_case(params, NULL, NULL);
    StxKind kind = (StxKind)costs[i][2];
    float cost = (float)costs[i][kind - STX_KIND_OBJECT];
    set_column(c, disparity, 0);
    expect_records(c, &(StxStixel){0, 0, 39, kind, STX_LABEL_NONE, 0, 0, cost, 0}, 1);
  }
}

/* Four cells of four rows, 20 px at the foot and a pixel less in each cell above: with a standard
 * deviation of half a pixel per row the slope is 20 / (80 + 4) px per row, and costs 5 − 20² / 84
 * nats together with what the line leaves. Upright, all of the 5 are left. */
STX_TEST(literal_slanted_object)
{
  StxSatdpParams params = case_params(1, 4, 4, 0);
  params.sigma_disparity[1] = 1;
  static const uint16_t disparity[] = {4352, 4608, 4864, 5120};
  static const StxStixel upright = {0, 0, 15, STX_KIND_OBJECT, STX_LABEL_NONE, 18.5f, 18.5f, 5, 1};
  static const StxStixel slanted = {
      0, 0, 15, STX_KIND_OBJECT, STX_LABEL_NONE, 16.7143f, 20.2857f, 0.238095f, 1};
  for (int i = 0; i < 2; i++) {
    params.object_sigma_slope = i / 2.0;
    STX_AUTO(Case) *c = new_case(params, NULL, NULL);
    set_column(c, disparity, STX_WEIGHT_ONE);
    expect_records(c, i == 0 ? &upright : &slanted, 1);
  }
}

/* No depth at all, three classes: 0 road, 11 person, 10 sky; a nat per cell of the wrong one. Two
 * of the person's cells are above the horizon: half a nat each for their missing depth. */
STX_TEST(literal_classes_without_depth)
{
  StxSatdpParams params = case_params(1, 9, 2, 19);
  params.semantic_weight = 4;
  params.pair_tolerance = 3;
  STX_AUTO(Case) *c = new_case(params, NULL, &(StxRoadLine){0.5, 10, 1});
  static const uint16_t disparity[9] = {0};
  static const int label[] = {10, 10, 10, 11, 11, 11, 0, 0, 0};
  set_column(c, disparity, 0);
  for (int k = 0; k < 19; k++)
    for (int row = 0; row < 9; row++)
      stx_column(&params.grid, c->columns, 2 + k, 0)[row] = k == label[row] ? 0 : 1024;
  static const StxStixel expected[] = {{0, 12, 17, STX_KIND_GROUND, 0, 1.0f, 3.5f, 0, 0},
      {0, 6, 11, STX_KIND_OBJECT, 11, 0, 0, 11.4f, 0}, {0, 0, 5, STX_KIND_SKY, 10, 0, 0, 10, 0}};
  expect_records(c, expected, 3);
}

/* Cells of 8 rows: a ground of slope .25 from row 24 on, where it is 4 px near, and an object above
 * that. They meet where the ground is as near as the object's lowest row. */
STX_TEST(literal_feet)
{
  static const struct {
    float near, object_top;
    int top, boundary;
    float ground_end, object_end;
  } cases[] = {
      {4, 4, 8, 24, 4, 4},                                         /* where they are */
      {4.1f, 4.1f, 8, 24, 4, 4.1f},                                /* less than half a row */
      {4.25f, 4.25f, 8, 25, 4.25f, 4.25f}, {9, 9, 8, 26, 4.5f, 9}, /* a quarter of a cell at most */
      {3.5f, 3.5f, 8, 22, 3.5f, 3.5f}, {1, 1, 8, 20, 3, 1},        /* half a cell at most */
      {3, 4.5f, 8, 20, 3, 3.4f}, /* an object that leans keeps its slope of −.1 … */
      {3, 3, 22, 23, 3.75f, 3},  /* … and at least a row */
      {3, 3, 23, 24, 4, 3}, {0, 0, 8, 24, 4, 0}, /* unknown */
  };
  const StxGrid grid = {.width = 8, .height = 32, .cell_width = 8, .cell_height = 8};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxStixel ground = {0, 24, 31, STX_KIND_GROUND, 0, 4, 5.75f, 0, 1}, below = ground;
    StxStixel object = {0, (uint16_t)cases[i].top, 23, STX_KIND_OBJECT, 0, cases[i].object_top,
        cases[i].near, 0, 1};
    stx_settle_foot(&grid, &ground, &object);
    ck_assert_int_eq(ground.top, cases[i].boundary);
    ck_assert_int_eq(object.bottom, cases[i].boundary - 1);
    ck_assert_int_eq(object.top, cases[i].top);
    ck_assert_float_eq_tol(ground.disparity_top, cases[i].ground_end, 1e-6f);
    ck_assert_float_eq_tol(object.disparity_bottom, cases[i].object_end, 1e-6f);
    ck_assert_float_eq(ground.disparity_bottom, 5.75f);
    ck_assert_int_eq(stx_satdp_piece(&grid, &ground).last, 0);
    ck_assert_int_eq(stx_satdp_piece(&grid, &object).first, 1);
    StxStixel other = object;
    stx_settle_foot(&grid, &below, &ground); /* no object */
    stx_settle_foot(&grid, &object, &below); /* no ground below it */
    ck_assert_int_eq(below.top, 24);
    ck_assert_int_eq(object.bottom, other.bottom);
  }
}
