/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The synthetic street: the same bytes for any number of threads, on any machine; what is to be
 * seen, noise, limits. check_scene_truth.c has the geometry. The chessboard: where it is held,
 * that it is flat and whole, and that nothing stands before it. Its corners in pictures:
 * check_scene_real.c.
 */
#include "tests/common/ground/scan_case.h"
#include "common/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LITERAL_HASH 0x04589bfc59aec69cu
#define DRIVE_HASH 0xa37397b8ef6c475bu

/* One frame in all its views. Pictures are guarded, three bytes per pixel. */
typedef struct {
  StxImage8 left, right, grey, labels;
  StxImage16 disparity;
  int width;
} Views;

static StxScene *scene_of(uint64_t seed, int width, int height, double noise, int threads)
{
  StxSceneParams params = {.seed = seed,
      .width = width,
      .height = height,
      .speed = 10,
      .noise = noise,
      .threads = threads};
  return stx_scan_scene(params);
}

static Views views_new(int width, int height)
{
  return (Views){stx_test_image8(3 * width, height, 5), stx_test_image8(3 * width, height, 0),
      stx_test_image8(width, height, 3), stx_test_image8(width, height, 1),
      stx_test_image16(width, height, 6), width};
}

static void views_free(Views *views)
{
  stx_test_image8_free(&views->left);
  stx_test_image8_free(&views->right);
  stx_test_image8_free(&views->grey);
  stx_test_image8_free(&views->labels);
  stx_test_image16_free(&views->disparity);
}

STX_AUTO_VALUE(Views, views_free)

/* A guarded image of 3 × width bytes seen as one of width pixels. */
static StxImage8 as_rgb(const Views *views, const StxImage8 *image)
{
  return (StxImage8){image->data, image->stride, views->width, image->height};
}

static void views_render(const Views *views, StxScene *scene, uint64_t frame)
{
  StxImage8 left = as_rgb(views, &views->left), right = as_rgb(views, &views->right);
  stx_scene_move(scene, frame);
  stx_scene_render(scene, STX_SCENE_LEFT, 3, &left);
  stx_scene_render(scene, STX_SCENE_RIGHT, 3, &right);
  stx_scene_render(scene, STX_SCENE_LEFT, 1, &views->grey);
  stx_scene_truth(scene, &views->disparity, &views->labels);
}

static void expect_same_views(const Views *a, const Views *b, const char *what)
{
  stx_expect_same_image8(&a->left, &b->left, what);
  stx_expect_same_image8(&a->right, &b->right, what);
  stx_expect_same_image8(&a->grey, &b->grey, what);
  stx_expect_same_image8(&a->labels, &b->labels, what);
  stx_expect_same_image16(&a->disparity, &b->disparity, what);
}

static uint64_t hash_rows(
    uint64_t hash, const void *data, ptrdiff_t stride, size_t bytes, int height)
{
  for (int y = 0; y < height; y++)
    hash = stx_hash(hash, (const uint8_t *)data + y * stride, bytes);
  return hash;
}

/* ---- The same bytes ------------------------------------------------------------------------- */

STX_TEST(threads_do_not_matter)
{
  static const int sizes[][2] = {{1, 1}, {1, 61}, {67, 1}, {2, 3}, {333, 97}, {640, 192}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    int width = sizes[i][0], height = sizes[i][1];
    STX_AUTO(Views) one = views_new(width, height), many = views_new(width, height);
    for (int threads = 2; threads <= 7; threads += 5) {
      STX_AUTO(StxScene) *a = scene_of(i, width, height, 2, 1),
                         *b = scene_of(i, width, height, 2, threads);
      char what[80];
      snprintf(what, sizeof what, "%dx%d, %d threads", width, height, threads);
      views_render(&one, a, 3 * i);
      views_render(&many, b, 3 * i);
      expect_same_views(&one, &many, what);
    }
  }
}

STX_TEST(frames_come_in_any_order)
{
  STX_AUTO(StxScene) *a = scene_of(5, 200, 60, 1, 0), *b = scene_of(5, 200, 60, 1, 0);
  STX_AUTO(Views) there = views_new(200, 60), back = views_new(200, 60);
  views_render(&there, a, 11);
  views_render(&back, b, 400);
  views_render(&back, b, 0);
  views_render(&back, b, 11);
  expect_same_views(&there, &back, "frame 11 after others");
}

/* The literal was made on x86-64 (GCC 12, -O2) and must come out of every machine. A deliberate
 * change of the street's looks changes it. */
STX_TEST(every_machine_draws_the_same)
{
  STX_AUTO(StxScene) *scene = scene_of(7, 320, 96, 1.5, 0);
  STX_AUTO(Views) views = views_new(320, 96);
  views_render(&views, scene, 3);
  uint64_t hash = hash_rows(STX_HASH_BEGIN, views.left.data, views.left.stride, 960, 96);
  hash = hash_rows(hash, views.right.data, views.right.stride, 960, 96);
  hash = hash_rows(hash, views.grey.data, views.grey.stride, 320, 96);
  hash = hash_rows(hash, views.labels.data, views.labels.stride, 320, 96);
  hash = hash_rows(hash, views.disparity.data, views.disparity.stride, 640, 96);
  ck_assert_msg(hash == LITERAL_HASH, "hash is 0x%016llx", (unsigned long long)hash);
}

/* A street is long: in a hundred metres there is one of everything, near and far. */
STX_TEST(every_machine_drives_the_same_way)
{
  uint64_t hash = STX_HASH_BEGIN;
  for (int seed = 1; seed <= 2; seed++) {
    STX_AUTO(StxScene) *scene = scene_of((uint64_t)seed, 160, 60, 0, 0);
    STX_AUTO(Views) views = views_new(160, 60);
    StxImage8 left = as_rgb(&views, &views.left);
    for (int frame = 0; frame < 100; frame += 2) {
      stx_scene_move(scene, (uint64_t)frame);
      stx_scene_render(scene, STX_SCENE_LEFT, 3, &left);
      stx_scene_truth(scene, &views.disparity, &views.labels);
      hash = hash_rows(hash, left.data, left.stride, 3 * 160, 60);
      hash = hash_rows(hash, views.labels.data, views.labels.stride, 160, 60);
      hash = hash_rows(hash, views.disparity.data, views.disparity.stride, 2 * 160, 60);
    }
  }
  ck_assert_msg(hash == DRIVE_HASH, "hash is 0x%016llx", (unsigned long long)hash);
}

/* Grey is BT.601 luma of the colours; both are rounded once. */
STX_TEST(grey_is_the_luma_of_the_colours)
{
  STX_AUTO(StxScene) *scene = scene_of(3, 160, 50, 3, 0);
  STX_AUTO(Views) views = views_new(160, 50);
  views_render(&views, scene, 2);
  STX_EACH_PIXEL (x, y, 160, 50) {
    const uint8_t *rgb = stx_row8(&views.left, y) + 3 * x;
    double luma = .299 * rgb[0] + .587 * rgb[1] + .114 * rgb[2];
    ck_assert_double_le(fabs(luma - stx_row8(&views.grey, y)[x]), 1.6);
  }
}

/* ---- What is to be seen --------------------------------------------------------------------- */

static double deviation(const StxImage8 *a, const StxImage8 *b, const StxImage8 *clean)
{
  double sum = 0, square = 0;
  long n = 0;
  STX_EACH_PIXEL (x, y, a->width, a->height) {
    int c = stx_row8(clean, y)[x], d = stx_row8(a, y)[x] - stx_row8(b, y)[x];
    if (c < 30 || c > 225)
      continue; /* clipped */
    sum += d;
    square += (double)d * d;
    n++;
  }
  ck_assert_int_gt(n, 1000);
  return sqrt(square / (double)n - (sum / (double)n) * (sum / (double)n));
}

/* Red only (every third byte would do): all three channels draw from the same distribution. */
STX_TEST(noise_has_the_deviation_asked_for)
{
  STX_AUTO(StxScene) *noisy = scene_of(2, 300, 90, 6, 0), *clean = scene_of(2, 300, 90, 0, 0);
  STX_AUTO(Views) a = views_new(300, 90), b = views_new(300, 90);
  views_render(&a, noisy, 0);
  views_render(&b, clean, 0);
  double left = deviation(&a.left, &b.left, &b.left),
         right = deviation(&a.right, &b.right, &b.right);
  ck_assert_double_eq_tol(left, 6, .3);
  ck_assert_double_eq_tol(right, 6, .3);
  stx_expect_same_image16(&b.disparity, &a.disparity, "truth has no noise");
}

/* ---- Limits --------------------------------------------------------------------------------- */

STX_TEST(the_largest_pictures_work)
{
  static const int sizes[][2] = {{STX_SCENE_MAX_SIZE, 3}, {3, STX_SCENE_MAX_SIZE}};
  for (int i = 0; i < 2; i++) {
    STX_AUTO(StxScene) *scene = scene_of(1, sizes[i][0], sizes[i][1], 1, 0);
    STX_AUTO(Views) views = views_new(sizes[i][0], sizes[i][1]);
    views_render(&views, scene, 1000000000);
  }
}

STX_TEST(too_near_for_16_bits_is_unknown)
{
  StxSceneParams params = {.width = 64, .height = 64, .camera = stx_scene_camera(64, 64)};
  params.camera.focal = 2000;
  params.camera.baseline = 2;
  params.camera.pitch = .5;
  STX_AUTO(StxScene) *scene = stx_scene_new(&params, NULL);
  STX_AUTO(StxImage16) disparity = stx_test_image16(64, 64, 0);
  StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, 32, 63);
  ck_assert_double_gt(2000 * 2 / stx_scene_cast(scene, &ray).t, 256);
  stx_scene_truth(scene, &disparity, NULL);
  ck_assert_uint_eq(stx_row16(&disparity, 63)[32], STX_DISPARITY_UNKNOWN);
}

static bool check_scene(const StxSceneParams *params, StxError *error)
{
  STX_AUTO(StxScene) *scene = stx_scene_new(params, error);
  return scene != NULL;
}

STX_TEST(bad_parameters_are_named)
{
  StxSceneParams good = {.width = 64, .height = 32, .camera = stx_scene_camera(64, 32)};
  STX_REFUSES(check_scene, good, fps_n, -3, "frame rate numerator is -3");
  STX_REFUSES(check_scene, good, camera.pitch, 1, "camera pitch is 1");
  stx_scene_free(NULL);
}

static StxScene *board_of(uint64_t seed, int width, int height, const StxSceneBoard *board)
{
  StxSceneParams params = {
      .seed = seed, .width = width, .height = height, .kind = STX_SCENE_CHESSBOARD};
  if (board != NULL)
    params.board = *board;
  return stx_scan_scene(params);
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

STX_TEST(squares_have_their_size)
{
  const StxSceneBoard board = {7, 5, .04, 1};
  STX_AUTO(StxScene) *scene = board_of(2, 320, 240, &board);
  for (int frame = 0; frame < 20; frame++) {
    double at[4][3];
    stx_scene_move(scene, (uint64_t)frame);
    for (int i = 0; i < 4; i++)
      corner(scene, i & 1 ? 6 : 0, i & 2 ? 4 : 0, at[i]);
    ck_assert_double_eq_tol(distance(at[0], at[1]), 6 * .04, 1e-9);
    ck_assert_double_eq_tol(distance(at[0], at[2]), 4 * .04, 1e-9);
    ck_assert_double_eq_tol(distance(at[0], at[3]), sqrt(52) * .04, 1e-9);
  }
}

/* Whole in both pictures, in all nine parts of the left one, near and far. Of narrow pictures the
 * right one does not show all that the left one does. */
STX_TEST(both_eyes_see_all_of_it)
{
  static const int sizes[][2] = {{640, 480}, {1242, 375}, {300, 500}};
  for (int s = 0; s < 3; s++) {
    int width = sizes[s][0], height = sizes[s][1], parts = 0;
    STX_AUTO(StxScene) *scene = board_of(3, width, height, NULL);
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
  }
}

STX_TEST(nothing_stands_before_it)
{
  STX_AUTO(StxScene) *scene = board_of(5, 411, 143, NULL);
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
}

/* The truth is that of rays, which ask all there is. */
STX_TEST(truth_has_the_board)
{
  STX_AUTO(StxScene) *scene = board_of(6, 201, 120, NULL);
  const StxCamera *camera = &stx_scene_params(scene)->camera;
  STX_AUTO(StxImage16) disparity = stx_test_image16(201, 120, 0);
  STX_AUTO(StxImage8) labels = stx_test_image8(201, 120, 0);
  int on_board = 0;
  stx_scene_truth(scene, &disparity, &labels);
  STX_EACH_PIXEL (x, y, 201, 120) {
    StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, x, y);
    StxSceneHit hit = stx_scene_cast(scene, &ray);
    double value = floor(camera->focal * camera->baseline / hit.t * 256 + .5);
    ck_assert_uint_eq(stx_row16(&disparity, y)[x], value < 65536 ? (unsigned)value : 0);
    ck_assert_int_eq(stx_row8(&labels, y)[x], hit.label);
    on_board += hit.label == STX_SCENE_SIGN;
  }
  ck_assert_int_gt(on_board, 201 * 120 / 20);
}

STX_TEST(a_street_has_none)
{
  StxSceneParams params = {.width = 64, .height = 48};
  STX_AUTO(StxScene) *scene = stx_scene_new(&params, NULL);
  double at[3];
  ck_assert(!stx_scene_board_corner(scene, 0, 0, at));
}
