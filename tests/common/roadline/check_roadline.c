/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/testing.h"

#include "common/roadline/roadline_track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- From calibration --------------------------------------------------------------------- */

START_TEST(calibration_gives_the_plane)
{
  StxCamera camera = {.focal = 700, .cx = 600, .cy = 180, .baseline = .54, .height = 1.62};
  StxRoadLine line;
  ck_assert(stx_roadline_from_camera(&camera, &line));
  ck_assert_double_eq_tol(line.slope, 1 / 3.0, 1e-12);
  ck_assert_double_eq_tol(line.horizon, 180, 1e-12);
  ck_assert_double_eq(line.support, 1);
}
END_TEST

/* A point of the road, projected: at depth z (along the axis of a camera that looks down by
 * pitch) the road lies y = (height − z·sin pitch) / cos pitch below the axis. */
START_TEST(calibration_agrees_with_projected_points)
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
END_TEST

START_TEST(an_unknown_camera_has_no_road)
{
  StxRoadLine line = {1, 2, 3};
  StxCamera camera = {.focal = 700, .baseline = .54};
  ck_assert(!stx_roadline_from_camera(&camera, &line));
  camera = (StxCamera){.focal = 700, .height = 1.6};
  ck_assert(!stx_roadline_from_camera(&camera, &line));
  ck_assert(line.slope == 1 && line.horizon == 2 && line.support == 3);
}
END_TEST

/* ---- Synthetic columns -------------------------------------------------------------------- */

typedef struct {
  StxGrid grid;
  uint16_t *columns;
} Scene;

static Scene make_scene(int width, int height, int cell)
{
  Scene scene = {.grid = {width, height, cell, cell, 0}};
  scene.columns = stx_guarded_alloc(stx_grid_bytes(&scene.grid));
  memset(scene.columns, 0, stx_grid_bytes(&scene.grid));
  return scene;
}

static void put(const Scene *scene, int column, int row, double disparity)
{
  bool known = disparity >= 1 / 256.0 && disparity < 255;
  stx_column(&scene->grid, scene->columns, 0, column)[row] =
      known ? (uint16_t)lround(disparity * 256) : 0;
  stx_column(&scene->grid, scene->columns, 1, column)[row] = known ? STX_WEIGHT_ONE : 0;
}

static double centre(const StxGrid *grid, int row)
{
  return 0.5 * (stx_grid_top(grid, row) + stx_grid_top(grid, row + 1) - 1);
}

/* A road with sky above; in `objects` of 16 columns something stands in front of it. Disparities
 * scatter by `noise` px, and every eighth cell is unknown. */
static void paint_road(
    const Scene *scene, double slope, double horizon, double noise, int objects, StxRandom *random)
{
  int rows = stx_grid_rows(&scene->grid);
  for (int c = 0; c < stx_grid_columns(&scene->grid); c++) {
    bool blocked = c % 16 < objects;
    double front = 4 + c / 16 * 7 % 40;
    for (int r = 0; r < rows; r++) {
      double d = slope * (centre(&scene->grid, r) - horizon);
      if (blocked && d < front)
        d = r > rows / 8 ? front : 0;
      d += noise * (stx_random_below(random, 2001) - 1000) / 1000.0;
      put(scene, c, r, stx_random_below(random, 8) == 0 ? 0 : d);
    }
  }
}

static bool estimate(const Scene *scene, const StxRoadLine *prior, StxRoadLine *line)
{
  void *scratch = stx_guarded_alloc(stx_roadline_scratch(&scene->grid));
  bool found = stx_roadline_estimate(&scene->grid, scene->columns, prior, line, scratch);
  stx_guarded_check(scene->columns);
  stx_guarded_free(scratch);
  return found;
}

static void expect_line(const Scene *scene, const StxRoadLine *prior, double slope, double horizon)
{
  StxRoadLine line;
  ck_assert_msg(estimate(scene, prior, &line), "no line; expected %g · (row − %g)", slope, horizon);
  ck_assert_msg(fabs(line.slope - slope) <= .03 * slope &&
                    fabs(line.horizon - horizon) <= .02 * scene->grid.height,
      "%g · (row − %g), expected %g · (row − %g)", line.slope, line.horizon, slope, horizon);
  ck_assert(line.support >= .15 && line.support <= 1);
}

START_TEST(a_clean_road_is_found_exactly)
{
  StxRandom random = {1};
  Scene scene = make_scene(1242, 375, 4);
  StxRoadLine line;
  paint_road(&scene, 1 / 3.0, 172.5, 0, 0, &random);
  ck_assert(estimate(&scene, NULL, &line));
  ck_assert_double_eq_tol(line.slope, 1 / 3.0, .002);
  ck_assert_double_eq_tol(line.horizon, 172.5, 1);
  ck_assert_double_gt(line.support, .95);
  stx_guarded_free(scene.columns);
}
END_TEST

START_TEST(roads_are_found_among_objects)
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
      Scene scene = make_scene(cases[i].width, cases[i].height, cases[i].cell);
      paint_road(&scene, cases[i].slope, cases[i].horizon, .7, objects, &random);
      expect_line(&scene, NULL, cases[i].slope, cases[i].horizon);
      stx_guarded_free(scene.columns);
    }
}
END_TEST

/* Two roads share the columns; the prior says which one is meant. */
START_TEST(the_prior_narrows_the_search)
{
  StxRandom random = {3};
  Scene scene = make_scene(1242, 375, 4);
  for (int c = 0; c < stx_grid_columns(&scene.grid); c++)
    for (int r = 0; r < stx_grid_rows(&scene.grid); r++) {
      bool first = stx_random_below(&random, 10) < 6;
      double y = centre(&scene.grid, r);
      put(&scene, c, r, first ? .33 * (y - 170) : .2 * (y - 100));
    }
  expect_line(&scene, &(StxRoadLine){.3, 180, 1}, .33, 170);
  expect_line(&scene, &(StxRoadLine){.22, 110, 1}, .2, 100);
  StxRoadLine line;
  ck_assert(!estimate(&scene, &(StxRoadLine){.33, 260, 1}, &line));
  ck_assert(!estimate(&scene, &(StxRoadLine){.6, 170, 1}, &line));
  ck_assert(!estimate(&scene, &(StxRoadLine){0, 170, 1}, &line));
  ck_assert(!estimate(&scene, &(StxRoadLine){NAN, NAN, 1}, &line));
  ck_assert(!estimate(&scene, &(StxRoadLine){.3, INFINITY, 1}, &line));
  stx_guarded_free(scene.columns);
}
END_TEST

/* ---- What is no road ---------------------------------------------------------------------- */

typedef double (*Painter)(double row, int column, StxRandom *random);

static double paint_nothing(double row, int column, StxRandom *random)
{
  return 0;
}

static double paint_wall(double row, int column, StxRandom *random)
{
  return 20 + stx_random_below(random, 100) / 100.0;
}

static double paint_far_wall(double row, int column, StxRandom *random)
{
  return 3 + stx_random_below(random, 200) / 100.0;
}

static double paint_oblique_wall(double row, int column, StxRandom *random)
{
  return 5 + column * .3 + stx_random_below(random, 100) / 100.0;
}

static double paint_noise(double row, int column, StxRandom *random)
{
  return stx_random_below(random, 255 * 256) / 256.0;
}

static double paint_ceiling(double row, int column, StxRandom *random)
{
  return .3 * (300 - row);
}

static double paint_largest(double row, int column, StxRandom *random)
{
  return 254.9;
}

START_TEST(what_is_no_road_is_rejected)
{
  static const Painter painters[] = {paint_nothing, paint_wall, paint_far_wall, paint_oblique_wall,
      paint_noise, paint_ceiling, paint_largest};
  StxRandom random = {4};
  for (size_t p = 0; p < sizeof painters / sizeof painters[0]; p++)
    for (int cell = 1; cell <= 8; cell *= 2) {
      Scene scene = make_scene(cell == 1 ? 200 : 1242, 375, cell);
      for (int c = 0; c < stx_grid_columns(&scene.grid); c++)
        for (int r = 0; r < stx_grid_rows(&scene.grid); r++)
          put(&scene, c, r, painters[p](centre(&scene.grid, r), c * cell / 4, &random));
      StxRoadLine line = {1, 2, 3};
      ck_assert_msg(!estimate(&scene, NULL, &line), "painter %zu, cell %d: %g · (row − %g), %g", p,
          cell, line.slope, line.horizon, line.support);
      ck_assert(line.slope == 1 && line.horizon == 2 && line.support == 3);
      ck_assert(!estimate(&scene, &(StxRoadLine){.33, 170, 1}, &line));
      stx_guarded_free(scene.columns);
    }
}
END_TEST

START_TEST(cells_without_weight_do_not_count)
{
  StxRandom random = {5};
  Scene scene = make_scene(1242, 375, 8);
  StxRoadLine line;
  paint_road(&scene, .33, 170, .5, 3, &random);
  int cells = stx_grid_columns(&scene.grid) * stx_grid_rows(&scene.grid);
  memset(scene.columns + cells, 0, 2 * cells);
  ck_assert(!estimate(&scene, NULL, &line));
  stx_guarded_free(scene.columns);
}
END_TEST

/* Any content and any size: no crash, and what is found is a number. */
START_TEST(any_columns_are_survived)
{
  static const StxGrid grids[] = {{1, 1, 1, 1, 0}, {1, 1024, 1, 1, 0}, {32768, 1, 1, 1, 0},
      {32768, 2, 1, 1, 0}, {3, 32768, 1, 1, 0}, {128, 128, 128, 128, 0}, {130, 259, 1, 128, 0},
      {2, 2, 1, 1, 0}, {640, 480, 7, 3, 0}};
  StxRandom random = {6};
  for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++)
    for (int fill = 0; fill < STX_FILL_COUNT; fill++) {
      StxGrid grid = grids[g];
      int cells = stx_grid_columns(&grid) * stx_grid_rows(&grid);
      StxImage16 all = stx_test_image16(cells, 2, 0);
      stx_fill16(&all, (StxFill)fill, 65535, &random);
      Scene scene = {grid, all.data};
      StxRoadLine line;
      for (int prior = 0; prior < 2; prior++)
        if (estimate(&scene, prior ? &(StxRoadLine){.3, 20, 1} : NULL, &line))
          ck_assert(line.slope > 0 && isfinite(line.horizon) && line.support <= 1);
      stx_test_image16_free(&all);
    }
}
END_TEST

/* ---- Over the frames of a stream ---------------------------------------------------------- */

/* Predicts D(row) = ⅓ · (row − 170). */
static const StxCamera known_camera = {
    .focal = 700, .cx = 600, .cy = 170, .baseline = .54, .height = 1.62};
static const StxCamera unknown_camera;

static StxRoadTrack begin(StxRoadMode mode, const StxCamera *camera)
{
  StxRoadTrack track;
  StxError error;
  memset(&track, 0xAA, sizeof track);
  ck_assert_msg(stx_road_track_reset(&track, mode, camera, &error), "%s", error.text);
  return track;
}

/* A frame whose road has this line; slope 0: without a road. */
static Scene make_frame(double slope, double horizon)
{
  Scene scene = make_scene(640, 375, 8);
  for (int c = 0; c < stx_grid_columns(&scene.grid); c++)
    for (int r = 0; r < stx_grid_rows(&scene.grid); r++)
      put(&scene, c, r, slope > 0 ? slope * (centre(&scene.grid, r) - horizon) : 20);
  return scene;
}

/* The line after a frame of this road; support 0: none. */
static StxRoadLine follow(StxRoadTrack *track, double slope, double horizon)
{
  Scene scene = make_frame(slope, horizon);
  void *scratch = stx_guarded_alloc(stx_roadline_scratch(&scene.grid));
  const StxRoadLine *line = stx_road_track_follow(track, &scene.grid, scene.columns, scratch);
  stx_guarded_free(scratch);
  stx_guarded_free(scene.columns);
  return line != NULL ? *line : (StxRoadLine){0};
}

static StxRoadLine estimate_of(double slope, double horizon, const StxRoadLine *prior)
{
  Scene scene = make_frame(slope, horizon);
  StxRoadLine line;
  ck_assert(estimate(&scene, prior, &line));
  stx_guarded_free(scene.columns);
  return line;
}

static void expect_same_line(StxRoadLine actual, StxRoadLine expected)
{
  ck_assert_msg(actual.slope == expected.slope && actual.horizon == expected.horizon &&
                    actual.support == expected.support,
      "%.17g · (row − %.17g), %g; expected %.17g · (row − %.17g), %g", actual.slope, actual.horizon,
      actual.support, expected.slope, expected.horizon, expected.support);
}

START_TEST(the_first_estimate_counts_later_ones_by_half)
{
  StxRoadTrack track = begin(STX_ROAD_AUTO, &unknown_camera);
  ck_assert(track.estimate);
  StxRoadLine first = estimate_of(.3, 170, NULL), second = estimate_of(.33, 176, &first);
  expect_same_line(follow(&track, .3, 170), first);
  StxRoadLine middle = {first.slope + .5 * (second.slope - first.slope),
      first.horizon + .5 * (second.horizon - first.horizon), second.support};
  expect_same_line(follow(&track, .33, 176), middle);
  ck_assert_double_eq_tol(middle.slope, .315, .001);
  ck_assert_double_eq_tol(middle.horizon, 173, .5);
}
END_TEST

START_TEST(frames_without_a_road_keep_the_line)
{
  StxRoadTrack track = begin(STX_ROAD_ESTIMATE, &unknown_camera);
  for (int i = 0; i < 20; i++)
    expect_same_line(follow(&track, 0, 0), (StxRoadLine){0});
  StxRoadLine line = follow(&track, .3, 170), other = estimate_of(.2, 100, NULL);
  expect_same_line(line, estimate_of(.3, 170, NULL));
  for (int i = 0; i < 5; i++)
    expect_same_line(follow(&track, 0, 0), line);
  expect_same_line(follow(&track, .3, 170), line); /* which begins the count anew */
  for (int i = 0; i < STX_ROAD_MISSES_MAX; i++)    /* too far away, nine times and once more */
    expect_same_line(follow(&track, .2, 100), line);
  expect_same_line(follow(&track, .2, 100), other);
  expect_same_line(follow(&track, .2, 100), other);
}
END_TEST

START_TEST(a_long_drought_is_survived)
{
  StxRoadTrack track = begin(STX_ROAD_ESTIMATE, &known_camera);
  for (int i = 0; i < 30; i++)
    expect_same_line(follow(&track, 0, 0), (StxRoadLine){1 / 3.0, 170, 1});
  expect_same_line(follow(&track, .2, 100), estimate_of(.2, 100, NULL));
}
END_TEST

/* The camera's line guides the first search, and stands in for it, but is not averaged. */
START_TEST(the_camera_is_the_first_guess)
{
  StxRoadLine camera;
  ck_assert(stx_roadline_from_camera(&known_camera, &camera));
  StxRoadTrack track = begin(STX_ROAD_ESTIMATE, &known_camera);
  ck_assert(track.estimate);
  expect_same_line(follow(&track, .2, 100), camera);
  expect_same_line(follow(&track, .3, 176), estimate_of(.3, 176, &camera));
}
END_TEST

START_TEST(a_known_camera_needs_no_frame)
{
  StxRoadLine camera;
  ck_assert(stx_roadline_from_camera(&known_camera, &camera));
  for (StxRoadMode mode = STX_ROAD_AUTO; mode <= STX_ROAD_CALIBRATION; mode++) {
    StxRoadTrack track = begin(mode, &known_camera);
    ck_assert(!track.estimate);
    const StxRoadLine *line = stx_road_track_follow(&track, NULL, NULL, NULL);
    ck_assert_ptr_nonnull(line);
    expect_same_line(*line, camera);
  }
}
END_TEST

START_TEST(a_reset_forgets)
{
  StxRoadTrack track = begin(STX_ROAD_ESTIMATE, &unknown_camera);
  follow(&track, .2, 100);
  ck_assert(stx_road_track_reset(&track, STX_ROAD_ESTIMATE, &unknown_camera, NULL));
  expect_same_line(follow(&track, .3, 170), estimate_of(.3, 170, NULL));
  ck_assert(stx_road_track_reset(&track, STX_ROAD_NONE, &known_camera, NULL));
  ck_assert(!track.estimate);
  ck_assert_ptr_null(stx_road_track_follow(&track, NULL, NULL, NULL));
}
END_TEST

START_TEST(a_camera_without_ground_is_named)
{
  static const struct {
    StxCamera camera;
    const char *missing;
  } cases[] = {{{0}, "focal length"}, {{.focal = 700}, "baseline"},
      {{.focal = 700, .baseline = .5}, "camera height"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxRoadTrack track;
    StxError error;
    char text[sizeof error.text];
    ck_assert(!stx_road_track_reset(&track, STX_ROAD_CALIBRATION, &cases[i].camera, &error));
    snprintf(text, sizeof text,
        "ground=calibration, but the %s is unknown: set calibration=FILE or the properties focal, "
        "baseline and camera-height, or choose ground=estimate",
        cases[i].missing);
    ck_assert_str_eq(error.text, text);
    ck_assert_ptr_null(stx_road_track_follow(&track, NULL, NULL, NULL));
  }
}
END_TEST

static const StxTest tests[] = {
    {&calibration_gives_the_plane},
    {&calibration_agrees_with_projected_points},
    {&an_unknown_camera_has_no_road},
    {&a_clean_road_is_found_exactly},
    {&roads_are_found_among_objects},
    {&the_prior_narrows_the_search},
    {&what_is_no_road_is_rejected},
    {&cells_without_weight_do_not_count},
    {&any_columns_are_survived},
    {&the_first_estimate_counts_later_ones_by_half},
    {&frames_without_a_road_keep_the_line},
    {&a_long_drought_is_survived},
    {&the_camera_is_the_first_guess},
    {&a_known_camera_needs_no_frame},
    {&a_reset_forgets},
    {&a_camera_without_ground_is_named},
};
STX_TESTING_MAIN("roadline", tests)
