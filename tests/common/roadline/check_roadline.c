/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/common/roadline/roadline_case.h"

#include <math.h>
#include <string.h>

/* ---- From calibration --------------------------------------------------------------------- */

STX_TEST(calibration_gives_the_plane)
{
  StxCamera camera = {.focal = 700, .cx = 600, .cy = 180, .baseline = .54, .height = 1.62};
  StxRoadLine line = {.bends = 7};
  ck_assert(stx_roadline_from_camera(&camera, &line));
  ck_assert_int_eq(line.bends, 0);
  ck_assert_double_eq_tol(line.slope, 1 / 3.0, 1e-12);
  ck_assert_double_eq_tol(line.horizon, 180, 1e-12);
  ck_assert_double_eq(line.support, 1);
}

/* A point of the road, projected: at depth z (along the axis of a camera that looks down by
 * pitch) the road lies y = (height − z·sin pitch) / cos pitch below the axis. */
STX_TEST(calibration_agrees_with_projected_points)
{
  StxCamera camera = {
      .focal = 2262.5, .cx = 1096, .cy = 513, .baseline = .21, .height = 1.22, .pitch = .038};
  StxRoadLine line;
  ck_assert(stx_roadline_from_camera(&camera, &line));
  ck_assert_double_eq_tol(line.horizon, 427, .1); /* above the middle: it looks down */
  for (double z = 3; z < 30; z += 1.5) {
    double y = (camera.height - z * sin(camera.pitch)) / cos(camera.pitch);
    double row = camera.cy + camera.focal * y / z;
    double disparity = camera.focal * camera.baseline / z;
    ck_assert_double_eq_tol(line.slope * (row - line.horizon), disparity, 1e-9);
  }
}

STX_TEST(an_unknown_camera_has_no_road)
{
  StxRoadLine line = {1, 2, 3};
  StxCamera camera = {.focal = 700, .baseline = .54};
  ck_assert(!stx_roadline_from_camera(&camera, &line));
  camera = (StxCamera){.focal = 700, .height = 1.6};
  ck_assert(!stx_roadline_from_camera(&camera, &line));
  ck_assert(line.slope == 1 && line.horizon == 2 && line.support == 3);
}

/* ---- Synthetic columns -------------------------------------------------------------------- */

static void expect_line(
    const RoadScene *scene, const StxRoadLine *prior, double slope, double horizon)
{
  StxRoadLine line;
  ck_assert_msg(
      road_estimate(scene, prior, &line), "no line; expected %g · (row − %g)", slope, horizon);
  ck_assert_msg(fabs(line.slope - slope) <= .03 * slope &&
                    fabs(line.horizon - horizon) <= .02 * scene->grid.height,
      "%g · (row − %g), expected %g · (row − %g)", line.slope, line.horizon, slope, horizon);
  ck_assert(line.support >= .15 && line.support <= 1);
}

STX_TEST(a_road_is_found_exactly_with_its_noise)
{
  StxRandom random = {1};
  STX_AUTO(RoadScene) scene = road_scene(1242, 375, 4);
  StxRoadLine line;
  road_paint(&scene, &(StxRoadLine){1 / 3.0, 172.5, 1}, 0, 0, &random);
  ck_assert(road_estimate(&scene, NULL, &line));
  ck_assert_double_eq_tol(line.slope, 1 / 3.0, .002);
  ck_assert_double_eq_tol(line.horizon, 172.5, 1);
  ck_assert_double_gt(line.support, .95);
  ck_assert_double_lt(line.noise, .05);
  /* Evenly between -.9 and .9 px: .52. */
  road_paint(&scene, &(StxRoadLine){1 / 3.0, 172.5, 1}, .9, 0, &random);
  ck_assert(road_estimate(&scene, NULL, &line));
  ck_assert_double_eq_tol(line.noise, .52, .03);
}

/* The same cells with a quarter of the steps in a pixel. */
STX_TEST(coarse_steps_are_another_unit)
{
  StxRandom random = {1};
  STX_AUTO(RoadScene) scene = road_scene(1242, 375, 4);
  StxRoadLine fine, near, line, prior = {1.3, 172, 1};
  road_paint(&scene, &(StxRoadLine){1 / 3.0, 172.5, 1}, .3, 4, &random);
  ck_assert(road_estimate(&scene, NULL, &fine));
  scene.grid.coarse = 2;
  ck_assert(road_estimate(&scene, NULL, &line));
  ck_assert(line.slope == 4 * fine.slope && line.horizon == fine.horizon);
  ck_assert(road_estimate(&scene, &prior, &near));
  ck_assert(near.slope == line.slope && near.horizon == line.horizon);
  prior.slope /= 4;
  ck_assert(!road_estimate(&scene, &prior, &near));
}

STX_TEST(roads_are_found_among_objects)
{
  static const struct {
    int width, height, cell;
    double slope, horizon;
  } cases[] = {{1242, 375, 4, .33, 173}, {1242, 375, 8, .33, 173}, {2048, 1024, 4, .17, 427},
      {2048, 1024, 8, .17, 427}, {1241, 376, 5, .4, 120}, {640, 480, 4, .1, 250},
      {320, 240, 1, .5, 100}, {4096, 2048, 4, .1, 1000}, {1242, 375, 4, .5, -60},
      {500, 1000, 1, .2, 600}};
  StxRandom random = {2};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int objects = 0; objects <= 9; objects += 3) {
      STX_AUTO(RoadScene) scene = road_scene(cases[i].width, cases[i].height, cases[i].cell);
      road_paint(&scene, &(StxRoadLine){cases[i].slope, cases[i].horizon, 1}, .7, objects, &random);
      expect_line(&scene, NULL, cases[i].slope, cases[i].horizon);
    }
}

/* Cameras that roll, look from high or low, down, or over a bonnet: `hidden` of 16 columns show
 * something else, and what is above `from` or below `to`, shares of the height, is unknown. */
STX_TEST(the_ground_is_found_as_a_plane)
{
  static const struct {
    const char *name;
    int width, height;
    double slope, horizon, tilt, from, to;
    int hidden, noise; /* px, below `to` */
  } cases[] = {{"level", 640, 480, .3, 200, 0, 0, 1, 4},
      {"rolled", 640, 480, .3, 180, .268, 0, 1, 4},
      {"rolled back", 752, 480, .2, 150, -.27, 0, 1, 4},
      {"slightly rolled", 1242, 375, .33, 173, .05, 0, 1, 8},
      {"low", 640, 480, .9, 220, .02, 0, 1, 4}, {"high", 1280, 720, .03, 300, -.03, 0, 1, 4},
      {"from above", 640, 480, .1, -500, .1, 0, 1, 4},
      {"a table", 1280, 960, .057, -3200, .01, 0, 1, 4},
      {"from right above", 640, 480, .04, -5000, .01, 0, 1, 4},
      {"behind furniture", 640, 480, .25, 180, .03, 0, 1, 13},
      {"over a bonnet", 1280, 720, .1, 350, .02, 0, .75, 2},
      {"a strip", 640, 480, .3, 200, .02, .6, .8, 2},
      {"a short strip", 640, 480, .3, 370, .02, .91, 1, 2},
      {"nearer than can be measured", 640, 480, .6, 150, .02, 0, .6, 2, 15}};
  StxRandom random = {7};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    STX_AUTO(RoadScene) scene = road_scene(cases[i].width, cases[i].height, 8);
    StxRoadLine road = {cases[i].slope, cases[i].horizon, 1}, line;
    road.tilt = cases[i].tilt;
    road.centre = (cases[i].width - 1) / 2.0;
    road_paint(&scene, &road, .3, cases[i].hidden, &random);
    for (int c = 0; c < stx_grid_columns(&scene.grid); c++)
      for (int r = 0, rows = stx_grid_rows(&scene.grid); r < rows; r++)
        if (r < cases[i].from * rows || r >= cases[i].to * rows)
          road_put(&scene, c, r, cases[i].noise * stx_random_below(&random, 100) / 100.0);
    ck_assert_msg(road_estimate(&scene, NULL, &line), "%s: no line", cases[i].name);
    for (int corner = 0; corner < 4; corner++) {
      double column = corner % 2 ? cases[i].width - 1 : 0, row = corner / 2 ? 1 : .7;
      StxRoadLine found = stx_roadline_in_column(&line, column);
      StxRoadLine wanted = stx_roadline_in_column(&road, column);
      double d = stx_roadline_at(&wanted, row * cases[i].height);
      ck_assert_msg(fabs(stx_roadline_at(&found, row * cases[i].height) - d) < .5 + .02 * fabs(d),
          "%s, corner %d: %g px, expected %g", cases[i].name, corner,
          stx_roadline_at(&found, row * cases[i].height), d);
    }
    ck_assert(road_estimate(&scene, &line, &road)); /* near itself */
    ck_assert_double_eq_tol(road.tilt, line.tilt, .02);
  }
}

/* Three pixels of noise, where the road grows by two within 24 rows: cells farther apart tell. */
STX_TEST(a_road_of_noise_is_found)
{
  StxRoadLine road = {.09, 340, 1}, line;
  for (int seed = 1; seed <= 4; seed++)
    for (int cell = 4; cell <= 8; cell *= 2)
      for (int objects = 0; objects <= 6; objects += 3) {
        StxRandom random = {(uint64_t)seed};
        STX_AUTO(RoadScene) scene = road_scene(1056, 784, cell);
        road_paint(&scene, &road, 3, objects, &random);
        ck_assert_msg(road_estimate(&scene, NULL, &line), "cells of %d, %d objects", cell, objects);
        ck_assert_double_lt(road_distance(&line, &road, 784), 1);
        ck_assert_double_gt(line.noise, .8);
        ck_assert(road_estimate(&scene, &line, &line));
      }
}

/* Boxes side by side and one above the other, each farther than the one below: their fronts have
 * the disparities of a floor in the rows where they stand, but do not lie. */
STX_TEST(fronts_of_near_things_are_no_ground)
{
  for (int size = 4; size <= 12; size += 4) {
    STX_AUTO(RoadScene) scene = road_scene(640, 480, 8);
    StxRoadLine line;
    for (int c = 0; c < stx_grid_columns(&scene.grid); c++)
      for (int r = 0; r < stx_grid_rows(&scene.grid); r++)
        road_put(&scene, c, r, 10 + 2.4 * size * ((r + c / size % 3) / size));
    ck_assert_msg(!road_estimate(&scene, NULL, &line), "boxes of %d cells: %g · (row − %g)", size,
        line.slope, line.horizon);
  }
}

/* A surface in three of 16 columns, which a steep view of ground would fill; and one in the lower
 * rows, in half of the columns, below a wall that is too far to stand on it. */
STX_TEST(leaning_and_transparent_planes_are_no_ground)
{
  for (int steep = 0; steep < 2; steep++) {
    STX_AUTO(RoadScene) scene = road_scene(640, 480, 8);
    StxRoadLine line, plane = {.1, steep ? -500 : 40, 1};
    for (int c = 0; c < stx_grid_columns(&scene.grid); c++)
      for (int r = 0; r < stx_grid_rows(&scene.grid); r++) {
        bool shown = steep ? c % 16 < 3 : c % 2 == 0, wall = !steep && r < 36;
        double d = stx_roadline_at(&plane, road_centre(&scene.grid, r));
        road_put(&scene, c, r, wall ? 2 : shown ? d : 120);
      }
    ck_assert_msg(!road_estimate(&scene, NULL, &line), "%s: %g · (row − %g), %g",
        steep ? "leaning" : "transparent", line.slope, line.horizon, line.support);
  }
}

/* Upright things on a floor that is a hole but for `noise` % of the cells: at `things` distances,
 * and, `floating`, each at another height. */
static void paint_things(
    const RoadScene *scene, const StxRoadLine *floor, int things, int noise, bool floating)
{
  StxRandom random = {8};
  for (int c = 0; c < stx_grid_columns(&scene->grid); c++) {
    int thing = c / 5 * 11 % things;
    double d = 40 - 32. * thing / things, foot = floor->horizon + d / floor->slope;
    foot -= floating ? thing * 3 % 7 * 30 : 0;
    for (int r = 0; r < stx_grid_rows(&scene->grid); r++) {
      bool hole = road_centre(&scene->grid, r) > foot;
      double any = stx_random_below(&random, 100) < noise ? stx_random_below(&random, 200) : 0;
      road_put(scene, c, r, hole ? any : d);
    }
  }
}

STX_TEST(a_floor_that_is_a_hole_is_known_by_the_feet_on_it)
{
  StxRoadLine floor = {.12, 60, 1}, line;
  for (int cell = 4; cell <= 8; cell *= 2)
    for (int things = 3; things <= 8; things++)
      for (int noise = 0; noise <= 20; noise += 10) {
        STX_AUTO(RoadScene) scene = road_scene(640, 480, cell);
        paint_things(&scene, &floor, things, noise, false);
        ck_assert_msg(road_estimate(&scene, NULL, &line), "%d things, noise %d", things, noise);
        ck_assert_double_lt(road_distance(&line, &floor, 480), 1.5);
        ck_assert(line.tilt == 0 && line.support > .25);
      }
}

STX_TEST(feet_at_two_distances_or_off_a_plane_tell_no_floor)
{
  StxRoadLine floor = {.12, 60, 1}, line;
  for (int things = 1; things <= 2; things++) {
    STX_AUTO(RoadScene) scene = road_scene(640, 480, 8);
    paint_things(&scene, &floor, things, 5, false);
    ck_assert_msg(!road_estimate(&scene, NULL, &line), "%d things", things);
  }
  STX_AUTO(RoadScene) scene = road_scene(640, 480, 8);
  paint_things(&scene, &floor, 7, 5, true);
  ck_assert(!road_estimate(&scene, NULL, &line));
}

/* Two roads, in columns of their own; the prior says which one is meant. */
STX_TEST(the_prior_narrows_the_search)
{
  STX_AUTO(RoadScene) scene = road_scene(1242, 375, 4);
  for (int c = 0; c < stx_grid_columns(&scene.grid); c++)
    for (int r = 0; r < stx_grid_rows(&scene.grid); r++) {
      bool first = c % 5 < 3;
      double y = road_centre(&scene.grid, r);
      road_put(&scene, c, r, first ? .33 * (y - 170) : .2 * (y - 100));
    }
  expect_line(&scene, &(StxRoadLine){.3, 180, 1}, .33, 170);
  expect_line(&scene, &(StxRoadLine){.22, 110, 1}, .2, 100);
  StxRoadLine line;
  ck_assert(!road_estimate(&scene, &(StxRoadLine){.33, 260, 1}, &line));
  ck_assert(!road_estimate(&scene, &(StxRoadLine){.6, 170, 1}, &line));
  ck_assert(!road_estimate(&scene, &(StxRoadLine){0, 170, 1}, &line));
  ck_assert(!road_estimate(&scene, &(StxRoadLine){NAN, NAN, 1}, &line));
  ck_assert(!road_estimate(&scene, &(StxRoadLine){.3, INFINITY, 1}, &line));
}

/* ---- What is no road ---------------------------------------------------------------------- */

STX_TEST(what_is_no_road_is_rejected)
{
  StxRandom random = {4};
  for (int painter = 0; painter < ROAD_PAINTERS; painter++)
    for (int cell = 1; cell <= 8; cell *= 2) {
      STX_AUTO(RoadScene) scene = road_scene(cell == 1 ? 200 : 1242, 375, cell);
      StxRoadLine line = {1, 2, 3};
      road_paint_none(&scene, painter, &random);
      ck_assert_msg(!road_estimate(&scene, NULL, &line), "painter %d, cell %d: %g · (row − %g), %g",
          painter, cell, line.slope, line.horizon, line.support);
      ck_assert(line.slope == 1 && line.horizon == 2 && line.support == 3);
      ck_assert(!road_estimate(&scene, &(StxRoadLine){.33, 170, 1}, &line));
    }
}

STX_TEST(cells_without_weight_do_not_count)
{
  StxRandom random = {5};
  STX_AUTO(RoadScene) scene = road_scene(1242, 375, 8);
  StxRoadLine line;
  road_paint(&scene, &(StxRoadLine){.33, 170, 1}, .5, 3, &random);
  int cells = stx_grid_columns(&scene.grid) * stx_grid_rows(&scene.grid);
  memset(scene.columns + cells, 0, 2 * cells);
  ck_assert(!road_estimate(&scene, NULL, &line));
}

/* Any content and any size: no crash, and what is found is a number. */
STX_TEST(any_columns_are_survived)
{
  static const StxGrid grids[] = {{1, 1, 1, 1, 0}, {1, 1024, 1, 1, 0}, {32768, 1, 1, 1, 0},
      {32768, 2, 1, 1, 0}, {3, 32768, 1, 1, 0}, {128, 128, 128, 128, 0}, {130, 259, 1, 128, 0},
      {2, 2, 1, 1, 0}, {640, 480, 7, 3, 0}};
  StxRandom random = {6};
  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++)
    for (int fill = 0; fill < STX_FILL_COUNT; fill++) {
      StxGrid grid = grids[g];
      int cells = stx_grid_columns(&grid) * stx_grid_rows(&grid);
      STX_AUTO(StxImage16) all = stx_test_image16(cells, 2, 0);
      stx_fill16(&all, (StxFill)fill, 65535, &random);
      RoadScene scene = {grid, all.data};
      StxRoadLine line;
      for (int prior = 0; prior < 2; prior++)
        if (road_estimate(&scene, prior ? &(StxRoadLine){.3, 20, 1} : NULL, &line))
          ck_assert(line.slope > 0 && isfinite(line.horizon) && line.support <= 1);
    }
}
