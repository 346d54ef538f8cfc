/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The chessboard: where it is held, that it is flat and whole, and that nothing stands before it.
 * Its corners in pictures: check_scene_real.c. */
#include "tests/testing.h"

#include "common/scene/scene.h"

#include <math.h>
#include <string.h>

static StxScene *board_of(uint64_t seed, int width, int height, const StxSceneBoard *board)
{
  StxSceneParams params = {
      .seed = seed, .width = width, .height = height, .kind = STX_SCENE_CHESSBOARD};
  StxError error = {""};
  if (board != NULL)
    params.board = *board;
  StxScene *scene = stx_scene_new(&params, &error);
  ck_assert_msg(scene != NULL, "%s", error.text);
  return scene;
}

static double distance(const double a[3], const double b[3])
{
  double square = 0;
  for (int i = 0; i < 3; i++)
    square += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(square);
}

static void corner(StxScene *scene, int column, int row, double out[3])
{
  ck_assert(stx_scene_board_corner(scene, column, row, out));
}

START_TEST(squares_have_their_size)
{
  const StxSceneBoard board = {7, 5, .04, 1};
  StxScene *scene = board_of(2, 320, 240, &board);
  for (int frame = 0; frame < 20; frame++) {
    double at[4][3];
    stx_scene_move(scene, (uint64_t)frame);
    for (int i = 0; i < 4; i++)
      corner(scene, i & 1 ? 6 : 0, i & 2 ? 4 : 0, at[i]);
    ck_assert_double_eq_tol(distance(at[0], at[1]), 6 * .04, 1e-9);
    ck_assert_double_eq_tol(distance(at[0], at[2]), 4 * .04, 1e-9);
    ck_assert_double_eq_tol(distance(at[0], at[3]), sqrt(52) * .04, 1e-9);
  }
  stx_scene_free(scene);
}
END_TEST

START_TEST(it_is_held_and_then_moved)
{
  StxScene *scene = board_of(1, 320, 240, NULL);
  double first[3], at[3];
  for (int frame = 0; frame < 20; frame++) {
    stx_scene_move(scene, (uint64_t)frame);
    corner(scene, 0, 0, at);
    if (frame % 5 == 0)
      ck_assert(frame == 0 || distance(first, at) > .02);
    else
      ck_assert_double_eq(distance(first, at), 0);
    memcpy(first, at, sizeof at);
  }
  stx_scene_free(scene);
}
END_TEST

START_TEST(seeds_differ)
{
  StxScene *a = board_of(1, 320, 240, NULL), *b = board_of(2, 320, 240, NULL);
  double at[3], other[3];
  corner(a, 0, 0, at);
  corner(b, 0, 0, other);
  ck_assert_double_gt(distance(at, other), .01);
  stx_scene_free(a);
  stx_scene_free(b);
}
END_TEST

/* Whole in both pictures, in all nine parts of the left one, near and far. Of narrow pictures the
 * right one does not show all that the left one does. */
START_TEST(both_eyes_see_all_of_it)
{
  static const int sizes[][2] = {{640, 480}, {1242, 375}, {300, 500}};
  for (int s = 0; s < 3; s++) {
    int width = sizes[s][0], height = sizes[s][1], parts = 0;
    StxScene *scene = board_of(3, width, height, NULL);
    double least = 1e9, most = 0;
    for (int pose = 0; pose < 60; pose++) {
      double at[3], other[3], pixel[2];
      stx_scene_move(scene, (uint64_t)(5 * pose));
      for (int i = 0; i < 54; i++) {
        corner(scene, i % 9, i / 9, at);
        for (int eye = 0; eye < 2; eye++) {
          ck_assert(stx_scene_project(scene, (StxSceneEye)eye, at, pixel));
          ck_assert(pixel[0] > 1 && pixel[0] < width - 2 && pixel[1] > 1 && pixel[1] < height - 2);
          if (eye == 0)
            parts |= 1 << ((int)(3 * pixel[1] / height) * 3 + (int)(3 * pixel[0] / width));
        }
      }
      corner(scene, 0, 0, at);
      corner(scene, 8, 5, other);
      least = fmin(least, .5 * (at[2] + other[2]));
      most = fmax(most, .5 * (at[2] + other[2]));
    }
    ck_assert_msg(__builtin_popcount((unsigned)parts) >= (width > height ? 9 : 8),
        "%dx%d: parts %o", width, height, (unsigned)parts);
    ck_assert_double_gt(most, 2 * least);
    stx_scene_free(scene);
  }
}
END_TEST

START_TEST(nothing_stands_before_it)
{
  StxScene *scene = board_of(5, 411, 143, NULL);
  for (int frame = 0; frame < 40; frame += 5) {
    double at[3];
    stx_scene_move(scene, (uint64_t)frame);
    corner(scene, 4, 3, at);
    StxSceneRay ray = {{0, 1.65, 0}, {at[0], at[1] - 1.65, at[2]}};
    StxSceneHit hit = stx_scene_cast(scene, &ray);
    ck_assert_double_eq_tol(hit.t, 1, 1e-9);
    ck_assert_int_eq(hit.label, STX_SCENE_SIGN);
    ck_assert_uint_eq(hit.instance, 0);
  }
  stx_scene_free(scene);
}
END_TEST

/* The truth is that of rays, which ask all there is. */
START_TEST(truth_has_the_board)
{
  StxScene *scene = board_of(6, 201, 120, NULL);
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  StxImage16 disparity = stx_test_image16(201, 120, 0);
  StxImage8 labels = stx_test_image8(201, 120, 0);
  int on_board = 0;
  stx_scene_truth(scene, &disparity, &labels);
  for (int y = 0; y < 120; y++)
    for (int x = 0; x < 201; x++) {
      StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, x, y);
      StxSceneHit hit = stx_scene_cast(scene, &ray);
      double value = floor(camera->focal * camera->baseline / hit.t * 256 + .5);
      ck_assert_uint_eq(stx_row16(&disparity, y)[x], value < 65536 ? (unsigned)value : 0);
      ck_assert_int_eq(stx_row8(&labels, y)[x], hit.label);
      on_board += hit.label == STX_SCENE_SIGN;
    }
  ck_assert_int_gt(on_board, 201 * 120 / 20);
  stx_test_image16_free(&disparity);
  stx_test_image8_free(&labels);
  stx_scene_free(scene);
}
END_TEST

START_TEST(a_street_has_none)
{
  StxSceneParams params = {.width = 64, .height = 48};
  StxScene *scene = stx_scene_new(&params, NULL);
  double at[3];
  ck_assert(!stx_scene_board_corner(scene, 0, 0, at));
  stx_scene_free(scene);
}
END_TEST

static const StxTest tests[] = {{&squares_have_their_size}, {&it_is_held_and_then_moved},
    {&seeds_differ}, {&both_eyes_see_all_of_it}, {&nothing_stands_before_it},
    {&truth_has_the_board}, {&a_street_has_none}};
STX_TESTING_MAIN("scene-board", tests)
