/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* roadline: the bends of a line, found in a frame. */
#include "tests/common/roadline/roadline_case.h"

#include <math.h>

/* ---- Bends -------------------------------------------------------------------------------- */

STX_TEST(bent_lines_are_continuous)
{
  static const struct {
    double row, disparity, slope;
  } expected[] = {{340, 57, .3}, {240, 27, .3}, {230, 25.5, .15}, {190, 19.5, .15}, {90, 13.5, .06},
      {-160, -1.5, .06}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    ck_assert_double_eq_tol(
        stx_roadline_at(&road_valley, expected[i].row), expected[i].disparity, 1e-9);
    ck_assert_double_eq_tol(
        stx_roadline_slope(&road_valley, expected[i].row), expected[i].slope, 1e-9);
  }
  ck_assert_double_eq_tol(stx_roadline_end(&road_valley), -135, 1e-9);
  ck_assert_double_eq_tol(stx_roadline_end(&road_straight), 172, 1e-9);
}

static bool bend(const RoadScene *scene, const StxRoadLine *before, StxRoadLine *line)
{
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_roadline_scratch(&scene->grid));
  bool bends = stx_roadline_bend(&scene->grid, scene->columns, before, line, scratch);
  stx_guarded_check(scene->columns);
  ck_assert_int_eq(bends, line->bends > 0);
  return bends;
}

STX_TEST(bent_roads_are_found_among_objects)
{
  const StxRoadLine *const roads[] = {&road_valley, &road_crest, &road_rise};
  StxRandom random = {11};
  for (int i = 0; i < 3; i++)
    for (int cell = 4; cell <= 8; cell += 4)
      for (int objects = 0; objects <= 8; objects += 4) {
        STX_AUTO(RoadScene) scene = road_scene(1242, 375, cell);
        StxRoadLine line = road_straight;
        road_paint(&scene, roads[i], .5, objects, &random);
        ck_assert_msg(
            bend(&scene, NULL, &line), "road %d, cell %d, objects %d: no bend", i, cell, objects);
        double off = road_distance(&line, roads[i], 375);
        ck_assert_msg(off < 1, "road %d, cell %d, objects %d: %g px off", i, cell, objects, off);
        ck_assert_double_gt(road_distance(&road_straight, roads[i], 375), 2);
      }
}

/* The same cells with half of the steps in a pixel. */
STX_TEST(coarse_steps_are_another_unit)
{
  StxRandom random = {12};
  STX_AUTO(RoadScene) scene = road_scene(1242, 375, 8);
  StxRoadLine fine = road_straight, line = stx_roadline_times(&road_straight, 2), again;
  road_paint(&scene, &road_valley, .5, 4, &random);
  ck_assert(bend(&scene, NULL, &fine));
  scene.grid.coarse = 1;
  ck_assert(bend(&scene, NULL, &line));
  StxRoadLine twice = stx_roadline_times(&fine, 2);
  ck_assert_int_eq(line.bends, twice.bends);
  for (int row = 0; row < 375; row += 5)
    ck_assert(stx_roadline_at(&line, row) == stx_roadline_at(&twice, row));
  again = line;
  ck_assert(bend(&scene, &line, &again));
  ck_assert_int_eq(again.bends, line.bends);
}

static void expect_straight(const RoadScene *scene, StxRoadLine near)
{
  StxRoadLine line = near;
  line.bends = 1; /* which it loses */
  line.bend[0] = (StxRoadBend){300, .1};
  ck_assert(!bend(scene, NULL, &line));
  ck_assert(line.slope == near.slope && line.horizon == near.horizon);
}

STX_TEST(straight_roads_stay_straight)
{
  StxRandom random = {12};
  for (int cell = 4; cell <= 8; cell += 4)
    for (int objects = 0; objects <= 12; objects += 2) {
      STX_AUTO(RoadScene) scene = road_scene(1242, 375, cell);
      road_paint(&scene, &road_straight, .7, objects, &random);
      expect_straight(&scene, road_straight);
    }
}

/* Less than three pixels at its far end: next to nothing of the road's cells. */
STX_TEST(a_slight_bend_is_not_worth_it)
{
  const StxRoadLine slight = {.33, 172, 1, 1, {{200, .25}}};
  StxRandom random = {17};
  STX_AUTO(RoadScene) scene = road_scene(1242, 375, 4);
  road_paint(&scene, &slight, .5, 4, &random);
  expect_straight(&scene, road_straight);
}

/* Behind the road, houses tower up one behind the other: from row to row of roofs they are farther
 * away, as a road would be that rises steeply, but none of them lies. */
STX_TEST(houses_are_no_rise)
{
  for (int cell = 4; cell <= 8; cell += 4) {
    STX_AUTO(RoadScene) scene = road_scene(1242, 375, cell);
    for (int c = 0; c < stx_grid_columns(&scene.grid); c++)
      for (int r = 0; r < stx_grid_rows(&scene.grid); r++) {
        double row = road_centre(&scene.grid, r), d = stx_roadline_at(&road_straight, row);
        double house = 2 * ceil((row + c % 12) / 40);
        road_put(&scene, c, r, fmax(d, house));
      }
    expect_straight(&scene, road_straight);
  }
}

STX_TEST(what_is_no_road_does_not_bend)
{
  StxRandom random = {13};
  for (int painter = 0; painter < ROAD_LARGEST; painter++) {
    STX_AUTO(RoadScene) scene = road_scene(1242, 375, 8);
    road_paint_none(&scene, painter, &random);
    expect_straight(&scene, road_straight);
    expect_straight(&scene, (StxRoadLine){0, 172, 1});
    expect_straight(&scene, (StxRoadLine){.33, -INFINITY, 1});
  }
}

/* Where the frame before has the better bend it stays in its row, between those that are tried. */
STX_TEST(a_good_bend_stays)
{
  StxRandom random = {14};
  STX_AUTO(RoadScene) scene = road_scene(1242, 375, 4);
  StxRoadLine fresh = road_straight, kept = road_straight;
  road_paint(&scene, &road_rise, 0, 0, &random);
  ck_assert(bend(&scene, NULL, &fresh) && bend(&scene, &road_rise, &kept));
  ck_assert_double_ne(fresh.bend[0].row, road_rise.bend[0].row);
  ck_assert_double_eq(kept.bend[0].row, road_rise.bend[0].row);
  ck_assert_double_lt(road_distance(&kept, &road_rise, 375), .1);
}

/* Whatever comes of a line: each bend above the one before, on the road. */
static void expect_sound_bends(const RoadScene *scene, StxRoadLine line)
{
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_roadline_scratch(&scene->grid));
  StxRoadLine before = {.3, 20, 1, 1, {{30, .1}}};
  stx_roadline_bend(&scene->grid, scene->columns, &before, &line, scratch);
  ck_assert(line.bends >= 0 && line.bends <= STX_ROAD_BENDS && line.slope > 0);
  for (int i = 0; i < line.bends; i++) {
    ck_assert(line.bend[i].slope > 0 && stx_roadline_at(&line, line.bend[i].row) > 0);
    ck_assert(i == 0 || line.bend[i].row < line.bend[i - 1].row);
  }
}

/* Any content and any size. */
STX_TEST(any_columns_are_survived)
{
  static const StxGrid grids[] = {{1, 1, 1, 1, 0}, {1, 1024, 1, 1, 0}, {32768, 2, 1, 1, 0},
      {3, 32768, 1, 1, 0}, {130, 259, 1, 128, 0}, {2, 2, 1, 1, 0}, {640, 480, 7, 3, 0}};
  StxRandom random = {16};
  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++)
    for (int fill = 0; fill < STX_FILL_COUNT; fill++) {
      int cells = stx_grid_columns(&grids[g]) * stx_grid_rows(&grids[g]);
      STX_AUTO(StxImage16) all = stx_test_image16(cells, 2, 0);
      stx_fill16(&all, (StxFill)fill, 65535, &random);
      RoadScene scene = {grids[g], all.data};
      expect_sound_bends(&scene, (StxRoadLine){.3, 20, 1});
      expect_sound_bends(&scene, (StxRoadLine){200, -9e5, 1});
    }
}
