/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The street as two real cameras see it: geometry against the numbers of the calibration, pictures
 * against those of the rectified pair. The chessboard: tests/tools/check_calibrate.py.
 */
#include "tests/common/ground/scan_case.h"

#include "common/rectify/rectify.h"
#include "common/calibration/calibration_lens.h"
#include "common/rotation.h"
#include "common/scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 320
#define HEIGHT 180
#define BASELINE .3

/* No distortion and no rotation; P is as the cameras are. */
static StxCalibration straight_pair(void)
{
  StxCalibration c = {.rectified = true, .format = "made"};
  for (int i = 0; i < 2; i++) {
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double p[12] = {200, 0, 150, i * -200 * BASELINE, 0, 200, 80, 0, 0, 0, 1, 0};
    c.camera[i] = (StxCalibratedCamera){
        .lens = {200, 200, 150, 80, STX_LENS_BROWN, {0}}, .width = WIDTH, .height = HEIGHT};
    memcpy(c.camera[i].r, one, sizeof one);
    memcpy(c.camera[i].p, p, sizeof p);
  }
  return c;
}

static StxCalibration askew_pair(void)
{
  const double turn[3] = {-.02, .03, -.025};
  StxCalibration c = {.t = {-BASELINE, .006, -.004}, .format = "made"};
  c.camera[0] = (StxCalibratedCamera){
      .lens = {205, 206, 157, 92, STX_LENS_BROWN, {-.26, .08, .001, -.0007, -.01}},
      .width = WIDTH,
      .height = HEIGHT};
  c.camera[1] = (StxCalibratedCamera){
      .lens = {208, 207, 162, 87, STX_LENS_BROWN, {-.24, .07, -.0008, .0006, -.01}},
      .width = WIDTH,
      .height = HEIGHT};
  stx_rotation_from_vector(turn, c.r);
  return c;
}

/* 150 degrees across. */
static StxCalibration fisheye_pair(void)
{
  StxCalibration c = askew_pair();
  for (int i = 0; i < 2; i++)
    c.camera[i].lens =
        (StxLens){120, 120, 158 + i, 88 + i, STX_LENS_FISHEYE, {-.02, .004, -.001, .0002}};
  return c;
}

static StxScene *try_scene(
    const StxCalibration *calibration, StxSceneKind kind, int threads, StxError *error)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  params.seed = 4;
  params.width = WIDTH;
  params.height = HEIGHT;
  params.kind = kind;
  params.board.hold = 1;
  params.threads = threads;
  params.calibration = calibration;
  if (calibration == NULL)
    params.camera = (StxCamera){200, 150, 80, BASELINE, 1.65, 0};
  return stx_scene_new(&params, error);
}

static StxScene *scene_of(const StxCalibration *calibration, StxSceneKind kind, int threads)
{
  StxError error = {""};
  StxScene *scene = try_scene(calibration, kind, threads, &error);
  ck_assert_msg(scene != NULL, "%s", error.text);
  return scene;
}

static StxImage8 picture(StxScene *scene, StxSceneEye eye)
{
  StxImage8 image = stx_test_image8(WIDTH, HEIGHT, 3);
  stx_scene_render(scene, eye, 1, &image);
  return image;
}

/* ---- The same bytes ------------------------------------------------------------------------- */

STX_TEST(what_is_straight_stays_as_it_is)
{
  const StxCalibration calibration = straight_pair();
  STX_AUTO(StxScene) *ideal = scene_of(NULL, STX_SCENE_CHESSBOARD, 2);
  STX_AUTO(StxScene) *real = scene_of(&calibration, STX_SCENE_CHESSBOARD, 2);
  for (int i = 0; i < 2; i++) {
    STX_AUTO(StxImage8) expected = picture(ideal, (StxSceneEye)i),
                        actual = picture(real, (StxSceneEye)i);
    stx_expect_same_image8(&expected, &actual, i == 0 ? "left" : "right");
  }
}

STX_TEST(threads_do_not_matter)
{
  const StxCalibration calibration = fisheye_pair();
  STX_AUTO(StxScene) *one = scene_of(&calibration, STX_SCENE_CHESSBOARD, 1);
  STX_AUTO(StxScene) *many = scene_of(&calibration, STX_SCENE_CHESSBOARD, 5);
  stx_scene_move(one, 77);
  stx_scene_move(many, 3);
  stx_scene_move(many, 77);
  for (int i = 0; i < 2; i++) {
    STX_AUTO(StxImage8) expected = picture(one, (StxSceneEye)i),
                        actual = picture(many, (StxSceneEye)i);
    stx_expect_same_image8(&expected, &actual, i == 0 ? "left" : "right");
  }
}

/* ---- Geometry ------------------------------------------------------------------------------- */

/* The position of the point in the right camera, by the numbers of the file: from the left pixel
 * and how far away it is. */
static void by_the_file(
    const StxCalibration *calibration, const double left[2], double distance, double right[2])
{
  StxPreparedLens lens[2];
  double ray[3], there[3];
  for (int i = 0; i < 2; i++)
    lens[i] = stx_lens_prepare(&calibration->camera[i].lens);
  ck_assert(stx_lens_unproject(&lens[0], left, ray));
  stx_matrix_apply(calibration->r, ray, there);
  for (int i = 0; i < 3; i++)
    there[i] = there[i] * distance + calibration->t[i];
  ck_assert(stx_lens_project(&lens[1], there, right));
}

/* Points at all depths, of which both cameras know. */
static int expect_pose(const StxCalibration *calibration)
{
  STX_AUTO(StxScene) *scene = scene_of(calibration, STX_SCENE_STREET, 1);
  int checked = 0;
  for (int k = 0; k < 300; k++) {
    double depth = 1 + k % 17, expected[2], pixel[2][2], square = 0;
    StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, k * 31 % WIDTH, k * 17 % HEIGHT);
    double point[3];
    for (int i = 0; i < 3; i++) {
      point[i] = ray.origin[i] + depth * ray.direction[i];
      square += depth * depth * ray.direction[i] * ray.direction[i];
    }
    if (!stx_scene_project(scene, STX_SCENE_LEFT, point, pixel[0]) ||
        !stx_scene_project(scene, STX_SCENE_RIGHT, point, pixel[1]))
      continue;
    by_the_file(calibration, pixel[0], sqrt(square), expected);
    for (int i = 0; i < 2; i++)
      ck_assert_double_eq_tol(pixel[1][i], expected[i], 1e-5);
    checked++;
  }
  return checked;
}

STX_TEST(cameras_stand_as_the_file_says)
{
  const StxCalibration askew = askew_pair(), fisheye = fisheye_pair();
  ck_assert_int_gt(expect_pose(&askew), 250);
  ck_assert_int_gt(expect_pose(&fisheye), 250);
}

/* ---- Pictures ------------------------------------------------------------------------------- */

STX_TEST(rectification_gives_the_pair_back)
{
  const StxCalibration calibration = askew_pair();
  const StxRectifyParams params = STX_RECTIFY_DEFAULTS;
  const StxRectifyImpl *impl = stx_impl_pick(&stx_rectify_impls, STX_BACKEND_AUTO);
  const StxPlace place = {.threads = 2};
  STX_AUTO(StxScene) *real = scene_of(&calibration, STX_SCENE_STREET, 0);
  StxSceneParams ideal_params = *stx_scene_params(real);
  ideal_params.calibration = NULL;
  STX_AUTO(StxScene) *ideal = stx_scene_new(&ideal_params, NULL);
  for (int eye = 0; eye < 2; eye++) {
    STX_AUTO(StxImage8) expected = picture(ideal, (StxSceneEye)eye),
                        bent = picture(real, (StxSceneEye)eye);
    STX_AUTO(StxImage8) actual = stx_test_image8(WIDTH, HEIGHT, 0);
    StxRectifyView view;
    StxCamera camera;
    double sum = 0;
    ck_assert(stx_rectify_view(&calibration, &params, eye, WIDTH, HEIGHT, &view, &camera, NULL));
    ck_assert_double_eq(camera.focal, ideal_params.camera.focal);
    STX_GUARDED void *memory = stx_guarded_alloc(stx_rectify_map_bytes(&view, 0, 0));
    stx_rectify_map_fill(&view, 0, 0, memory, 2);
    StxRectifyMap map = stx_rectify_map_in(&view, 0, 0, memory);
    ck_assert(impl->run(&map, &(StxRectifySample){1, {0}}, &bent, &actual, &place, NULL));
    STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
      sum += abs(stx_row8(&actual, y)[x] - stx_row8(&expected, y)[x]);
    ck_assert_msg(sum / (WIDTH * HEIGHT) < 6, "off by %g", sum / (WIDTH * HEIGHT));
  }
}

/* ---- Limits --------------------------------------------------------------------------------- */

STX_TEST(what_no_lens_shows_is_black)
{
  StxCalibration calibration = askew_pair();
  calibration.camera[0].lens =
      (StxLens){235, 235, 158, 88, STX_LENS_BROWN, {-.3}}; /* turns back at 165 pixels */
  StxScene *scene = scene_of(&calibration, STX_SCENE_STREET, 0);
  StxSceneParams params = *stx_scene_params(scene);
  params.noise = 0;
  params.calibration = &calibration;
  stx_scene_free(scene);
  scene = stx_scene_new(&params, NULL);
  STX_AUTO(StxImage8) image = picture(scene, STX_SCENE_LEFT);
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(stx_row8(&image, i & 1 ? HEIGHT - 1 : 0)[i & 2 ? WIDTH - 1 : 0], 0);
  ck_assert_int_gt(stx_row8(&image, 88)[0], 0);
  ck_assert_int_gt(stx_row8(&image, 0)[158], 0);
  stx_scene_free(scene);
}

/* 180 degrees across: the rectified pair shows at most 160 of them. */
STX_TEST(half_the_world_has_a_rectified_pair)
{
  StxCalibration calibration = fisheye_pair();
  StxCamera camera;
  for (int i = 0; i < 2; i++)
    calibration.camera[i].lens.fx = calibration.camera[i].lens.fy = 95;
  STX_AUTO(StxScene) *scene = scene_of(&calibration, STX_SCENE_STREET, 0);
  ck_assert_double_gt(stx_scene_params(scene)->camera.focal, WIDTH / 2 / tan(80 * M_PI / 180));
  ck_assert(stx_scene_rectified(&calibration, WIDTH, HEIGHT, &camera, NULL));
  ck_assert_double_eq(camera.focal, stx_scene_params(scene)->camera.focal);
  ck_assert_double_eq_tol(camera.baseline, BASELINE, .001);
}

STX_TEST(pictures_of_another_shape_are_refused)
{
  StxCalibration calibration = askew_pair();
  StxError error = {""};
  calibration.camera[0].height = 240;
  ck_assert_ptr_null(try_scene(&calibration, STX_SCENE_STREET, 1, &error));
  ck_assert_msg(strstr(error.text, "320x180") != NULL && strstr(error.text, "320x240") != NULL,
      "%s", error.text);
}

STX_TEST(a_baseline_that_no_street_has_is_refused)
{
  StxCalibration calibration = askew_pair();
  StxError error = {""};
  for (int i = 0; i < 3; i++)
    calibration.t[i] *= .01;
  ck_assert_ptr_null(try_scene(&calibration, STX_SCENE_STREET, 1, &error));
  stx_expect_words(&error, "baseline");
}
