/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scenes in which more moves: the truth of motion is that of the pictures.
 */
#include "tests/common/ground/scan_case.h"

#include <math.h>

#define FRAMES 80 /* ten a second */
#define MOVES_HASH 0xf0e40370d6b42cadu

static const StxSceneKind kinds[] = {STX_SCENE_TURNS, STX_SCENE_BRAKING, STX_SCENE_ONCOMING,
    STX_SCENE_CROSSING, STX_SCENE_OCCLUSIONS, STX_SCENE_RAIN};
#define KINDS (sizeof kinds / sizeof kinds[0])

static StxScene *scene_of(StxSceneKind kind, uint64_t seed, int width, int height)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  params.kind = kind;
  params.seed = seed;
  params.width = width;
  params.height = height;
  return stx_scan_scene(params);
}

static StxSceneHit hit_at(const StxScene *scene, double u, double v, StxSceneRay *ray)
{
  *ray = stx_scene_ray(scene, STX_SCENE_LEFT, u, v);
  return stx_scene_cast(scene, ray);
}

static double speed_of(const StxSceneHit *hit)
{
  return hypot(hit->speed[0], hit->speed[1]);
}

/* ---- The truth ------------------------------------------------------------------------------ */

/* The thing at a pixel, in the axes of the camera. */
typedef struct {
  double at[3];
  StxSceneHit hit;
} Seen;
#define MOST_SEEN 4096

static size_t look(const StxScene *scene, Seen *seen)
{
  const StxCamera *c = &stx_scene_params(scene)->camera;
  size_t count = 0;
  for (int v = 30; v < 188; v += 11)
    for (int u = 30; u < 590; u += 7) {
      StxSceneRay ray;
      StxSceneHit hit = hit_at(scene, u, v, &ray);
      if (hit.instance == 0 || hit.t > 30 || hit.t < 6 || count == MOST_SEEN)
        continue;
      seen[count++] =
          (Seen){{(u - c->cx) / c->focal * hit.t, (v - c->cy) / c->focal * hit.t, hit.t}, hit};
    }
  return count;
}

/* Is it, a tenth of a second later, where its speed and the camera's motion say? */
static bool is_there(const StxScene *scene, const StxMotion *motion, const Seen *seen)
{
  const StxCamera *c = &stx_scene_params(scene)->camera;
  double at[3] = {seen->at[0] + seen->hit.speed[0] / 10, seen->at[1],
      seen->at[2] + seen->hit.speed[1] / 10},
         now[3];
  StxSceneRay ray;
  for (int i = 0; i < 3; i++) {
    now[i] = motion->translation[i];
    for (int k = 0; k < 3; k++)
      now[i] += motion->rotation[3 * i + k] * at[k];
  }
  StxSceneHit there =
      hit_at(scene, c->cx + c->focal * now[0] / now[2], c->cy + c->focal * now[1] / now[2], &ray);
  return there.instance == seen->hit.instance && fabs(there.t - now[2]) < .05 + .01 * now[2];
}

/* Legs and arms swing, and leaves have holes: not all of it. */
STX_TEST_LOOP(what_is_seen_goes_by_its_speed_and_the_motion, (int)KINDS)
{
  static Seen seen[MOST_SEEN];
  int all[2] = {0}, right[2] = {0};
  STX_AUTO(StxScene) *scene = scene_of(kinds[_i], 3, 621, 188);
  for (uint64_t frame = 3; frame < FRAMES; frame += 13) {
    stx_scene_move(scene, frame);
    size_t count = look(scene, seen);
    stx_scene_move(scene, frame + 1);
    StxMotion motion = stx_scene_motion(scene);
    ck_assert_int_eq(motion.state, STX_MOTION_KNOWN);
    for (size_t i = 0; i < count; i++) {
      bool moves = speed_of(&seen[i].hit) > 0;
      all[moves]++;
      right[moves] += is_there(scene, &motion, &seen[i]);
    }
  }
  ck_assert(all[0] > 500 && all[1] > 20);
  ck_assert_msg(right[0] > .9 * all[0], "%d of %d that stand", right[0], all[0]);
  ck_assert_msg(right[1] > .6 * all[1], "%d of %d that move", right[1], all[1]);
}

/* A turned camera shares nothing between the pixels of a row. */
STX_TEST(truth_and_the_right_eye_agree_where_the_camera_turns)
{
  STX_AUTO(StxScene) *scene = scene_of(STX_SCENE_TURNS, 2, 411, 143);
  STX_AUTO(StxImage16) disparity = stx_test_image16(411, 143, 0);
  STX_AUTO(StxImage8) labels = stx_test_image8(411, 143, 0);
  const StxCamera *c = &stx_scene_params(scene)->camera;
  int seen = 0;
  stx_scene_move(scene, 9);
  stx_scene_truth(scene, &disparity, &labels);
  for (int y = 0; y < 143; y += 2)
    for (int x = 60; x < 411; x += 3) {
      StxSceneRay ray;
      StxSceneHit hit = hit_at(scene, x, y, &ray);
      double d = c->focal * c->baseline / hit.t;
      ck_assert_uint_eq(stx_row16(&disparity, y)[x], (unsigned)floor(d * 256 + .5));
      ck_assert_int_eq(stx_row8(&labels, y)[x], hit.label);
      ray = stx_scene_ray(scene, STX_SCENE_RIGHT, x - d, y);
      double there = stx_scene_cast(scene, &ray).t;
      ck_assert(!(there > hit.t * (1 + 1e-6)));
      seen += there > hit.t * (1 - 1e-6);
    }
  ck_assert_int_gt(seen, 5000);
}

/* The car and its LiDAR turn together: both see a point at one place. */
STX_TEST(the_lidar_turns_with_the_car)
{
  STX_AUTO(StxScene) *scene = scene_of(STX_SCENE_TURNS, 2, 411, 143);
  StxSceneLidar lidar = stx_scan_exact(16, 360);
  stx_scene_move(scene, 9);
  StxSceneRay ahead = stx_scene_lidar_ray(scene, &lidar, 180, 8), ray;
  hit_at(scene, stx_scene_params(scene)->camera.cx, 70, &ray);
  ck_assert_double_gt(fabs(ray.direction[0] / ray.direction[2]), .02);
  ck_assert_double_eq_tol(
      ahead.direction[0] / ahead.direction[2], ray.direction[0] / ray.direction[2], 1e-9);
  ck_assert_double_eq(ahead.origin[0], ray.origin[0]);
}

/* ---- What each has -------------------------------------------------------------------------- */

/* People who cross are not run over. */
STX_TEST(nothing_is_in_the_way_of_the_car)
{
  for (size_t k = 0; k < KINDS; k++) {
    STX_AUTO(StxScene) *scene = scene_of(kinds[k], 4, 64, 32);
    for (uint64_t frame = 0; frame < FRAMES; frame += 2) {
      stx_scene_move(scene, frame);
      for (int i = -2; i <= 2; i++) {
        StxSceneRay ray =
            stx_scene_ray(scene, STX_SCENE_LEFT, 32, stx_scene_params(scene)->camera.cy);
        ray.origin[0] += .4 * i;
        ray.origin[1] = .8;
        ck_assert_double_gt(stx_scene_cast(scene, &ray).t, 1.5);
      }
    }
  }
}

/* As in check_scene.c: every machine draws the same. */
STX_TEST(every_machine_moves_the_same_way)
{
  uint64_t hash = STX_HASH_BEGIN;
  for (size_t k = 0; k < KINDS; k++) {
    STX_AUTO(StxScene) *scene = scene_of(kinds[k], 1, 160, 60);
    STX_AUTO(StxImage8) grey = stx_test_image8(160, 60, 0);
    STX_AUTO(StxImage16) disparity = stx_test_image16(160, 60, 0);
    for (uint64_t frame = 0; frame < FRAMES; frame += 13) {
      stx_scene_move(scene, frame);
      stx_scene_render(scene, STX_SCENE_RIGHT, 1, &grey);
      stx_scene_truth(scene, &disparity, NULL);
      for (int y = 0; y < 60; y++) {
        hash = stx_hash(hash, stx_row8(&grey, y), 160);
        hash = stx_hash(hash, stx_row16(&disparity, y), 2 * 160);
      }
    }
  }
  ck_assert_msg(hash == MOVES_HASH, "hash is 0x%016llx", (unsigned long long)hash);
}
