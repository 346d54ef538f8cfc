/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* roadline: the line of a stream, frame by frame. */
#include "tests/common/roadline/roadline_case.h"

#include <stdio.h>
#include <string.h>

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
static RoadScene make_frame(double slope, double horizon)
{
  RoadScene scene = road_scene(640, 375, 8);
  for (int c = 0; c < stx_grid_columns(&scene.grid); c++)
    for (int r = 0; r < stx_grid_rows(&scene.grid); r++)
      road_put(&scene, c, r, slope > 0 ? slope * (road_centre(&scene.grid, r) - horizon) : 20);
  return scene;
}

/* The line after a frame of this road; support 0: none. */
static StxRoadLine follow(StxRoadTrack *track, double slope, double horizon)
{
  STX_AUTO(RoadScene) scene = make_frame(slope, horizon);
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_roadline_scratch(&scene.grid));
  const StxRoadLine *line = stx_road_track_follow(track, &scene.grid, scene.columns, scratch);
  return line != NULL ? *line : (StxRoadLine){0};
}

static StxRoadLine estimate_of(double slope, double horizon, const StxRoadLine *prior)
{
  STX_AUTO(RoadScene) scene = make_frame(slope, horizon);
  StxRoadLine line;
  ck_assert(road_estimate(&scene, prior, &line));
  return line;
}

static void expect_same_line(StxRoadLine actual, StxRoadLine expected)
{
  ck_assert_msg(actual.slope == expected.slope && actual.horizon == expected.horizon &&
                    actual.support == expected.support,
      "%.17g · (row − %.17g), %g; expected %.17g · (row − %.17g), %g", actual.slope, actual.horizon,
      actual.support, expected.slope, expected.horizon, expected.support);
}

STX_TEST(the_first_estimate_counts_later_ones_by_half)
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

STX_TEST(frames_without_a_road_keep_the_line)
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

STX_TEST(a_long_drought_is_survived)
{
  StxRoadTrack track = begin(STX_ROAD_ESTIMATE, &known_camera);
  for (int i = 0; i < 30; i++)
    expect_same_line(follow(&track, 0, 0), (StxRoadLine){1 / 3.0, 170, 1});
  expect_same_line(follow(&track, .2, 100), estimate_of(.2, 100, NULL));
}

/* The camera's line guides the first search, and stands in for it, but is not averaged. */
STX_TEST(the_camera_is_the_first_guess)
{
  StxRoadLine camera;
  ck_assert(stx_roadline_from_camera(&known_camera, &camera));
  StxRoadTrack track = begin(STX_ROAD_ESTIMATE, &known_camera);
  ck_assert(track.estimate);
  expect_same_line(follow(&track, .2, 100), camera);
  expect_same_line(follow(&track, .3, 176), estimate_of(.3, 176, &camera));
}

STX_TEST(a_known_camera_needs_no_frame)
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

/* The line after a frame that shows this road. */
static StxRoadLine follow_bent(StxRoadTrack *track, const StxRoadLine *road)
{
  StxRandom random = {15};
  STX_AUTO(RoadScene) scene = road_scene(640, 375, 8);
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_roadline_scratch(&scene.grid));
  road_paint(&scene, road, .3, 4, &random);
  const StxRoadLine *line = stx_road_track_follow(track, &scene.grid, scene.columns, scratch);
  ck_assert_ptr_nonnull(line);
  return *line;
}

STX_TEST(piecewise_bends_and_moves_half_of_the_way)
{
  StxRoadTrack track = begin(STX_ROAD_PIECEWISE, &known_camera);
  ck_assert(track.estimate);
  StxRoadLine first = follow_bent(&track, &road_valley);
  ck_assert_int_gt(first.bends, 0);
  ck_assert_double_lt(road_distance(&first, &road_valley, 375), 1);
  StxRoadLine alone = {1 / 3.0, 170, 1}, second;
  StxRoadTrack other = begin(STX_ROAD_PIECEWISE, &known_camera);
  alone = follow_bent(&other, &road_rise);
  second = follow_bent(&track, &road_rise);
  ck_assert_int_gt(second.bends, 0);
  double row = second.bend[0].row,
         half = (stx_roadline_at(&first, row) + stx_roadline_at(&road_rise, row)) / 2;
  ck_assert_double_eq_tol(stx_roadline_at(&second, row), half, 1);
  ck_assert_double_eq_tol(stx_roadline_at(&second, 374),
      (stx_roadline_at(&first, 374) + stx_roadline_at(&alone, 374)) / 2, .5);
  ck_assert_double_eq_tol(
      stx_roadline_end(&second), (stx_roadline_end(&first) + stx_roadline_end(&alone)) / 2, 8);
}

STX_TEST(piecewise_is_straight_where_the_road_is)
{
  StxRoadTrack track = begin(STX_ROAD_PIECEWISE, &unknown_camera);
  StxRoadTrack other = begin(STX_ROAD_ESTIMATE, &unknown_camera);
  for (int i = 0; i < 3; i++)
    expect_same_line(follow(&track, .3, 170 + i), follow(&other, .3, 170 + i));
  StxRoadLine line = follow(&track, .3, 172);
  ck_assert_int_eq(line.bends, 0);
  expect_same_line(follow(&track, 0, 0), line); /* nothing seen */
}

/* A road far from what the camera promises: estimate waits for ten frames, piecewise does not. */
STX_TEST(piecewise_takes_a_clear_road_anywhere)
{
  StxRoadTrack track = begin(STX_ROAD_PIECEWISE, &known_camera);
  StxRoadLine line = follow(&track, .33, 95);
  ck_assert_double_eq_tol(line.horizon, 95, 3);
  track = begin(STX_ROAD_ESTIMATE, &known_camera);
  ck_assert_double_eq(follow(&track, .33, 95).horizon, 170);
}

/* Half of the way, as the rest of the line; and in each column as high as its row says. */
STX_TEST(a_roll_is_followed)
{
  StxRoadTrack track = begin(STX_ROAD_ESTIMATE, &unknown_camera);
  StxRoadLine road = {.3, 170, 1, .centre = 319.5};
  StxRandom random = {18};
  const double tilts[] = {.1, .14, .14, .14, .14}, expected[] = {.1, .12, .13, .135, .1375};
  for (int i = 0; i < 5; i++) {
    STX_AUTO(RoadScene) scene = road_scene(640, 375, 8);
    STX_GUARDED void *scratch = stx_guarded_alloc(stx_roadline_scratch(&scene.grid));
    road.tilt = tilts[i];
    road_paint(&scene, &road, .1, 2, &random);
    const StxRoadLine *line = stx_road_track_follow(&track, &scene.grid, scene.columns, scratch);
    ck_assert_ptr_nonnull(line);
    ck_assert_double_eq_tol(line->tilt, expected[i], .01);
    ck_assert_double_eq(line->centre, 319.5);
  }
}

STX_TEST(a_reset_forgets)
{
  StxRoadTrack track = begin(STX_ROAD_ESTIMATE, &unknown_camera);
  follow(&track, .2, 100);
  ck_assert(stx_road_track_reset(&track, STX_ROAD_ESTIMATE, &unknown_camera, NULL));
  expect_same_line(follow(&track, .3, 170), estimate_of(.3, 170, NULL));
  ck_assert(stx_road_track_reset(&track, STX_ROAD_NONE, &known_camera, NULL));
  ck_assert(!track.estimate);
  ck_assert_ptr_null(stx_road_track_follow(&track, NULL, NULL, NULL));
}

STX_TEST(a_camera_without_ground_is_named)
{
  static const struct {
    StxCamera camera;
    const char *missing;
  } cases[] = {{{0}, "focal length"}, {{.focal = 700}, "baseline"},
      {{.focal = 700, .baseline = .5}, "camera height"},
      {{.focal = 700, .baseline = .5, .height = 1, .missing = STX_CAMERA_CY},
          "principal point's row, cy,"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxRoadTrack track;
    StxError error;
    char text[sizeof error.text];
    ck_assert(!stx_road_track_reset(&track, STX_ROAD_CALIBRATION, &cases[i].camera, &error));
    snprintf(text, sizeof text,
        "ground=calibration, but the %s is unknown: set calibration=FILE or the properties focal, "
        "cy, baseline and camera-height, or choose ground=estimate",
        cases[i].missing);
    ck_assert_str_eq(error.text, text);
    ck_assert_ptr_null(stx_road_track_follow(&track, NULL, NULL, NULL));
  }
}
