/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The synthetic street: the same bytes for any number of threads, on any machine; what is to be
 * seen, noise, limits. check_scene_truth.c has the geometry.
 */
#include "tests/testing.h"

#include "common/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
  StxError error = {""};
  StxScene *scene = stx_scene_new(&params, &error);
  ck_assert_msg(scene != NULL, "%s", error.text);
  return scene;
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

static bool same_pixels(const StxImage8 *a, const StxImage8 *b)
{
  for (int y = 0; y < a->height; y++)
    if (memcmp(stx_row8(a, y), stx_row8(b, y), (size_t)a->width) != 0)
      return false;
  return true;
}

/* ---- The same bytes ------------------------------------------------------------------------- */

START_TEST(threads_do_not_matter)
{
  static const int sizes[][2] = {{1, 1}, {1, 61}, {67, 1}, {2, 3}, {333, 97}, {640, 192}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    int width = sizes[i][0], height = sizes[i][1];
    Views one = views_new(width, height), many = views_new(width, height);
    for (int threads = 2; threads <= 7; threads += 5) {
      StxScene *a = scene_of(i, width, height, 2, 1), *b = scene_of(i, width, height, 2, threads);
      char what[80];
      snprintf(what, sizeof what, "%dx%d, %d threads", width, height, threads);
      views_render(&one, a, 3 * i);
      views_render(&many, b, 3 * i);
      expect_same_views(&one, &many, what);
      stx_scene_free(a);
      stx_scene_free(b);
    }
    views_free(&one);
    views_free(&many);
  }
}
END_TEST

START_TEST(frames_come_in_any_order)
{
  StxScene *a = scene_of(5, 200, 60, 1, 0), *b = scene_of(5, 200, 60, 1, 0);
  Views there = views_new(200, 60), back = views_new(200, 60);
  views_render(&there, a, 11);
  views_render(&back, b, 400);
  views_render(&back, b, 0);
  views_render(&back, b, 11);
  expect_same_views(&there, &back, "frame 11 after others");
  views_free(&there);
  views_free(&back);
  stx_scene_free(a);
  stx_scene_free(b);
}
END_TEST

/* The literal was made on x86-64 (GCC 12, -O2) and must come out of every machine. A deliberate
 * change of the street's looks changes it. */
START_TEST(every_machine_draws_the_same)
{
  StxScene *scene = scene_of(7, 320, 96, 1.5, 0);
  Views views = views_new(320, 96);
  views_render(&views, scene, 3);
  uint64_t hash = hash_rows(STX_HASH_BEGIN, views.left.data, views.left.stride, 960, 96);
  hash = hash_rows(hash, views.right.data, views.right.stride, 960, 96);
  hash = hash_rows(hash, views.grey.data, views.grey.stride, 320, 96);
  hash = hash_rows(hash, views.labels.data, views.labels.stride, 320, 96);
  hash = hash_rows(hash, views.disparity.data, views.disparity.stride, 640, 96);
  ck_assert_msg(hash == LITERAL_HASH, "hash is 0x%016llx", (unsigned long long)hash);
  views_free(&views);
  stx_scene_free(scene);
}
END_TEST

/* A street is long: in a hundred metres there is one of everything, near and far. */
START_TEST(every_machine_drives_the_same_way)
{
  uint64_t hash = STX_HASH_BEGIN;
  for (int seed = 1; seed <= 2; seed++) {
    StxScene *scene = scene_of((uint64_t)seed, 160, 60, 0, 0);
    Views views = views_new(160, 60);
    StxImage8 left = as_rgb(&views, &views.left);
    for (int frame = 0; frame < 100; frame += 2) {
      stx_scene_move(scene, (uint64_t)frame);
      stx_scene_render(scene, STX_SCENE_LEFT, 3, &left);
      stx_scene_truth(scene, &views.disparity, &views.labels);
      hash = hash_rows(hash, left.data, left.stride, 3 * 160, 60);
      hash = hash_rows(hash, views.labels.data, views.labels.stride, 160, 60);
      hash = hash_rows(hash, views.disparity.data, views.disparity.stride, 2 * 160, 60);
    }
    views_free(&views);
    stx_scene_free(scene);
  }
  ck_assert_msg(hash == DRIVE_HASH, "hash is 0x%016llx", (unsigned long long)hash);
}
END_TEST

START_TEST(seeds_frames_and_eyes_differ)
{
  StxScene *a = scene_of(1, 200, 60, 0, 0), *b = scene_of(2, 200, 60, 0, 0);
  Views first = views_new(200, 60), next = views_new(200, 60), other = views_new(200, 60);
  views_render(&first, a, 0);
  views_render(&next, a, 1);
  views_render(&other, b, 0);
  ck_assert(!same_pixels(&first.left, &next.left));
  ck_assert(!same_pixels(&first.left, &other.left));
  ck_assert(!same_pixels(&first.left, &first.right));
  views_free(&first);
  views_free(&next);
  views_free(&other);
  stx_scene_free(a);
  stx_scene_free(b);
}
END_TEST

/* Grey is BT.601 luma of the colours; both are rounded once. */
START_TEST(grey_is_the_luma_of_the_colours)
{
  StxScene *scene = scene_of(3, 160, 50, 3, 0);
  Views views = views_new(160, 50);
  views_render(&views, scene, 2);
  for (int y = 0; y < 50; y++)
    for (int x = 0; x < 160; x++) {
      const uint8_t *rgb = stx_row8(&views.left, y) + 3 * x;
      double luma = .299 * rgb[0] + .587 * rgb[1] + .114 * rgb[2];
      ck_assert_double_le(fabs(luma - stx_row8(&views.grey, y)[x]), 1.6);
    }
  views_free(&views);
  stx_scene_free(scene);
}
END_TEST

/* ---- What is to be seen --------------------------------------------------------------------- */

static void count_classes(const StxImage8 *labels, long count[19])
{
  for (int y = 0; y < labels->height; y++)
    for (int x = 0; x < labels->width; x++) {
      ck_assert_int_lt(stx_row8(labels, y)[x], 19);
      count[stx_row8(labels, y)[x]]++;
    }
}

static void expect_share(const long count[19], int label, long pixels, double low, double high)
{
  double share = (double)count[label] / (double)pixels;
  ck_assert_msg(share >= low && share <= high,
      "class %d covers %g of the pictures, expected %g to %g", label, share, low, high);
}

START_TEST(it_is_a_street)
{
  static const int expected[] = {STX_SCENE_WALL, STX_SCENE_FENCE, STX_SCENE_POLE, STX_SCENE_LIGHT,
      STX_SCENE_SIGN, STX_SCENE_TERRAIN, STX_SCENE_PERSON, STX_SCENE_TRUCK, STX_SCENE_BUS};
  long count[19] = {0}, pixels = 0;
  for (unsigned seed = 0; seed < 8; seed++) {
    StxScene *scene = scene_of(seed, 414, 125, 0, 0);
    StxImage8 labels = stx_test_image8(414, 125, 0);
    for (int frame = 0; frame < 120; frame += 20) {
      stx_scene_move(scene, (uint64_t)frame);
      stx_scene_truth(scene, NULL, &labels);
      count_classes(&labels, count);
      pixels += 414 * 125;
    }
    stx_test_image8_free(&labels);
    stx_scene_free(scene);
  }
  expect_share(count, STX_SCENE_ROAD, pixels, .15, .5);
  expect_share(count, STX_SCENE_SIDEWALK, pixels, .01, .15);
  expect_share(count, STX_SCENE_BUILDING, pixels, .15, .6);
  expect_share(count, STX_SCENE_VEGETATION, pixels, .03, .3);
  expect_share(count, STX_SCENE_SKY, pixels, .02, .3);
  expect_share(count, STX_SCENE_CAR, pixels, .03, .3);
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    expect_share(count, expected[i], pixels, 1e-4, .1);
}
END_TEST

static double deviation(const StxImage8 *a, const StxImage8 *b, const StxImage8 *clean)
{
  double sum = 0, square = 0;
  long n = 0;
  for (int y = 0; y < a->height; y++)
    for (int x = 0; x < a->width; x++) {
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
START_TEST(noise_has_the_deviation_asked_for)
{
  StxScene *noisy = scene_of(2, 300, 90, 6, 0), *clean = scene_of(2, 300, 90, 0, 0);
  Views a = views_new(300, 90), b = views_new(300, 90);
  views_render(&a, noisy, 0);
  views_render(&b, clean, 0);
  double left = deviation(&a.left, &b.left, &b.left),
         right = deviation(&a.right, &b.right, &b.right);
  ck_assert_double_eq_tol(left, 6, .3);
  ck_assert_double_eq_tol(right, 6, .3);
  stx_expect_same_image16(&b.disparity, &a.disparity, "truth has no noise");
  views_free(&a);
  views_free(&b);
  stx_scene_free(noisy);
  stx_scene_free(clean);
}
END_TEST

static bool is_sky(const StxScene *scene, StxSceneEye eye, int x, int y)
{
  StxSceneRay ray = stx_scene_ray(scene, eye, x, y);
  return stx_scene_cast(scene, &ray).label == STX_SCENE_SKY;
}

/* True if both eyes see nothing but sky around (x, y). */
static bool all_sky(const StxScene *scene, int x, int y)
{
  bool sky = true;
  for (int eye = 0; eye < 2; eye++)
    for (int dx = -2; dx <= 2; dx += 4)
      sky = sky && is_sky(scene, (StxSceneEye)eye, x + dx, y) &&
            is_sky(scene, (StxSceneEye)eye, x, y + 2);
  return sky;
}

/* Sky looks the same to both eyes, so that what differs there is noise: √2 times as much. */
START_TEST(noise_is_independent_in_both_eyes)
{
  StxScene *scene = scene_of(2, 300, 90, 4, 0);
  StxImage8 left = stx_test_image8(300, 90, 0), right = stx_test_image8(300, 90, 0);
  double square = 0;
  long n = 0;
  stx_scene_render(scene, STX_SCENE_LEFT, 1, &left);
  stx_scene_render(scene, STX_SCENE_RIGHT, 1, &right);
  for (int y = 0; y < 25; y++)
    for (int x = 110; x < 190; x++)
      if (all_sky(scene, x, y)) {
        double d = stx_row8(&left, y)[x] - stx_row8(&right, y)[x];
        square += d * d;
        n++;
      }
  ck_assert_int_gt(n, 200);
  /* Luma of three independent channels: 4·√(.299² + .587² + .114²) = 2.67 each. */
  ck_assert_double_eq_tol(sqrt(square / (double)n), 2.67 * 1.414, .5);
  stx_test_image8_free(&left);
  stx_test_image8_free(&right);
  stx_scene_free(scene);
}
END_TEST

/* ---- Limits --------------------------------------------------------------------------------- */

START_TEST(the_largest_pictures_work)
{
  static const int sizes[][2] = {{STX_SCENE_MAX_SIZE, 3}, {3, STX_SCENE_MAX_SIZE}};
  for (int i = 0; i < 2; i++) {
    StxScene *scene = scene_of(1, sizes[i][0], sizes[i][1], 1, 0);
    Views views = views_new(sizes[i][0], sizes[i][1]);
    views_render(&views, scene, 1000000000);
    views_free(&views);
    stx_scene_free(scene);
  }
}
END_TEST

START_TEST(too_near_for_16_bits_is_unknown)
{
  StxSceneParams params = {.width = 64, .height = 64, .camera = stx_scene_camera(64, 64)};
  params.camera.focal = 2000;
  params.camera.baseline = 2;
  params.camera.pitch = .5;
  StxScene *scene = stx_scene_new(&params, NULL);
  StxImage16 disparity = stx_test_image16(64, 64, 0);
  StxSceneRay ray = stx_scene_ray(scene, STX_SCENE_LEFT, 32, 63);
  ck_assert_double_gt(2000 * 2 / stx_scene_cast(scene, &ray).t, 256);
  stx_scene_truth(scene, &disparity, NULL);
  ck_assert_uint_eq(stx_row16(&disparity, 63)[32], STX_DISPARITY_UNKNOWN);
  stx_test_image16_free(&disparity);
  stx_scene_free(scene);
}
END_TEST

static void expect_refusal(StxSceneParams params, const char *culprit, const char *value)
{
  StxError error = {""};
  ck_assert_ptr_null(stx_scene_new(&params, &error));
  ck_assert_msg(strstr(error.text, culprit) != NULL && strstr(error.text, value) != NULL,
      "'%s' should name %s and %s", error.text, culprit, value);
}

START_TEST(bad_parameters_are_named)
{
  const StxSceneParams good = {.width = 64, .height = 32, .camera = stx_scene_camera(64, 32)};
  StxSceneParams p = good;
#define REFUSE(field, bad, culprit, value)                                                         \
  p = good;                                                                                        \
  p.field = bad;                                                                                   \
  expect_refusal(p, culprit, value)
  REFUSE(width, 0, "width", "0");
  REFUSE(height, 9000, "height", "9000");
  REFUSE(fps_n, -3, "frame rate", "-3");
  REFUSE(speed, -1, "speed", "-1");
  REFUSE(speed, NAN, "speed", "nan");
  REFUSE(noise, 99, "noise", "99");
  REFUSE(threads, 1000, "threads", "1000");
  REFUSE(camera.focal, -5, "focal", "-5");
  REFUSE(camera.baseline, 0, "baseline", "0");
  REFUSE(camera.height, 50, "height", "50");
  REFUSE(camera.pitch, 1, "pitch", "1");
  stx_scene_free(NULL);
}
END_TEST

static const StxTest tests[] = {
    {&threads_do_not_matter},
    {&frames_come_in_any_order},
    {&every_machine_draws_the_same},
    {&every_machine_drives_the_same_way},
    {&seeds_frames_and_eyes_differ},
    {&grey_is_the_luma_of_the_colours},
    {&it_is_a_street},
    {&noise_has_the_deviation_asked_for},
    {&noise_is_independent_in_both_eyes},
    {&the_largest_pictures_work},
    {&too_near_for_16_bits_is_unknown},
    {&bad_parameters_are_named},
};
STX_TESTING_MAIN("scene", tests)
