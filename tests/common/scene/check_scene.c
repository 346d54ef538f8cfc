/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The synthetic street: the same bytes for any number of threads, on any machine, and its limits.
 * check_scene_truth.c has the geometry, check_scene_real.c real lenses. What each
 * kind of scene shows: tests/frames.
 */
#include "tests/common/ground/scan_case.h"
#include "common/scene/scene.h"

#include <stdio.h>

#define LITERAL_HASH 0x04589bfc59aec69cu

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
