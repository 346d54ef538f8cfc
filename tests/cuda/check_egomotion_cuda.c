/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Egomotion on the GPU against the reference: streams as they are, and searches of any kind. */
#include "common/egomotion/egomotion_private.h"
#include "common/scene/scene.h"
#include "common/sgm/sgm_depth.h"
#include "tests/common/oracle.h"
#include "tests/cuda/cuda_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEP UINT64_C(100000000) /* ns */

/* The same stream on the host and on the device. */
typedef struct {
  StxEgomotion *host, *device;
  StxImage8 left, left_there;
  StxImage16 disparity, disparity_there;
  StxEgomotionFrame frame;
  StxEgomotionDevice place;
  StxCudaRing ring;
} Pair;

static const StxEgomotionImpl *cuda_impl(void)
{
  return stx_impl_named(&stx_egomotion_cuda_impls, "cuda");
}

static Pair *new_pair(int width, int height, int padding)
{
  Pair *p = stx_guarded_alloc(sizeof *p);
  StxError error;
  *p = (Pair){.host = stx_egomotion_new(),
      .device = stx_egomotion_new(),
      .left = stx_test_image8(width, height, 3),
      .disparity = stx_test_image16(width, height, 2),
      .left_there = stx_device_image8(width, height, padding),
      .disparity_there = stx_device_image16(width, height, 2 * padding)};
  ck_assert_msg(stx_egomotion_prepare_for(p->host, oracle_egomotion(), width, height, &error) &&
                    stx_egomotion_prepare_for(p->device, cuda_impl(), width, height, &error),
      "%s", error.text);
  p->frame = (StxEgomotionFrame){.camera = stx_scene_camera(width, height), .threads = 1};
  p->place = (StxEgomotionDevice){*stx_case_place(),
      stx_device_alloc(stx_egomotion_device_bytes(cuda_impl(), width, height)), &p->ring};
  return p;
}

static void free_pair(Pair *p)
{
  stx_case_wait("the end");
  stx_egomotion_free(p->host);
  stx_egomotion_free(p->device);
  stx_test_image8_free(&p->left);
  stx_test_image16_free(&p->disparity);
  stx_device_free8(&p->left_there);
  stx_device_free16(&p->disparity_there);
  stx_device_free(p->place.memory);
  stx_cuda_ring_free(stx_case_cuda(), &p->ring);
  stx_guarded_free(p);
}

STX_AUTO_POINTER(Pair, free_pair)

static StxEgomotionFrame frame_on_host(const Pair *p)
{
  StxEgomotionFrame frame = p->frame;
  frame.left = p->left;
  frame.disparity = p->disparity;
  return frame;
}

static StxEgomotionFrame frame_on_device(const Pair *p)
{
  StxEgomotionFrame frame = p->frame;
  stx_device_upload8(&p->left_there, &p->left);
  stx_device_upload16(&p->disparity_there, &p->disparity);
  frame.left = p->left_there;
  frame.disparity = p->disparity_there;
  frame.device = &p->place;
  return frame;
}

static void expect_same_result(
    const StxEgomotionResult *expected, const StxEgomotionResult *actual, const char *what)
{
  ck_assert_msg(expected->motion.state == actual->motion.state, "%s: state %d, not %d", what,
      actual->motion.state, expected->motion.state);
  ck_assert_uint_eq(expected->count, actual->count);
  ck_assert(expected->interval == actual->interval);
  stx_expect_same(expected->motion.rotation, actual->motion.rotation,
      sizeof expected->motion - offsetof(StxMotion, rotation), what);
  stx_expect_same(
      expected->points, actual->points, expected->count * sizeof *expected->points, what);
}

/* The frame on both; returns the result. */
static StxEgomotionResult expect_same_frame(Pair *p, const char *what)
{
  const StxEgomotionFrame on_host = frame_on_host(p), on_device = frame_on_device(p);
  StxEgomotionResult expected, actual;
  StxError error = {""};
  stx_case_ok(stx_egomotion_frame(p->host, &on_host, &expected, &error), &error, what);
  stx_case_ok(stx_egomotion_frame(p->device, &on_device, &actual, &error), &error, what);
  ck_assert_msg(p->host->corner_count == p->device->corner_count, "%s: %d corners, not %d", what,
      p->device->corner_count, p->host->corner_count);
  stx_expect_same(p->host->corners, p->device->corners,
      (size_t)p->host->corner_count * sizeof *p->host->corners, what);
  expect_same_result(&expected, &actual, what);
  return actual;
}

/* ---- Streams ------------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  bool depth;
  int width, height, padding, frames;
} Street;

static void draw(Pair *p, StxScene *scene, uint64_t frame, bool depth)
{
  stx_scene_move(scene, frame);
  stx_scene_render(scene, STX_SCENE_LEFT, 1, &p->left);
  stx_scene_truth(scene, &p->disparity, NULL);
  p->frame.time = frame * STEP;
  if (!depth)
    return;
  ck_assert(
      stx_sgm_depth_scale(p->frame.camera.focal, p->frame.camera.baseline, &p->frame.depth, NULL));
  STX_EACH_PIXEL (x, y, p->left.width, p->left.height) {
    uint16_t *value = stx_row16(&p->disparity, y) + x;
    *value = *value == 0 ? 0 : (uint16_t)fmin(65534, p->frame.depth / (double)*value);
  }
}

static void drive(const Street *street)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  STX_AUTO(Pair) *p = new_pair(street->width, street->height, street->padding);
  params.seed = 1;
  params.width = street->width;
  params.height = street->height;
  params.speed = 10;
  StxScene *scene = stx_scene_new(&params, NULL);
  p->frame.camera = stx_scene_params(scene)->camera;
  for (int i = 0; i < street->frames; i++) {
    char what[64];
    snprintf(what, sizeof what, "%s, frame %d", street->name, i);
    draw(p, scene, (uint64_t)i, street->depth);
    StxEgomotionResult r = expect_same_frame(p, what);
    ck_assert_msg(
        r.motion.state == (i == 0 ? STX_MOTION_FIRST : STX_MOTION_KNOWN), "%s: state", what);
  }
  stx_scene_free(scene);
}

STX_TEST(a_street_is_driven_along)
{
  drive(&(Street){"disparities", false, 352, 120, 1, 3});
  if (!stx_test_small())
    drive(&(Street){"depths", true, 401, 131, 0, 4});
}

/* ---- Frames that are out of the ordinary --------------------------------------------------- */

/* Noise with grains of 4 × 4 pixels. */
static uint8_t noise_at(int x, int y)
{
  StxRandom random = {(uint64_t)(x / 4 * 1000 + y / 4)};
  return (uint8_t)stx_random_below(&random, 256);
}

static void draw_noise(Pair *p, int right, int down, uint16_t disparity)
{
  STX_EACH_PIXEL (x, y, p->left.width, p->left.height) {
    stx_row8(&p->left, y)[x] = noise_at(x + 100 - right, y + 100 - down);
    stx_row16(&p->disparity, y)[x] = disparity;
  }
  p->frame.time += STEP;
}

STX_TEST(a_picture_again_and_what_begins_a_stream_anew)
{
  STX_AUTO(Pair) *p = new_pair(200, 96, 0);
  draw_noise(p, 0, 0, 2560);
  expect_same_frame(p, "first");
  draw_noise(p, 3, 1, 2560);
  expect_same_frame(p, "moved");
  for (int i = 0; i < 2; i++) {
    draw_noise(p, 3, 1, 2560);
    ck_assert_int_eq(expect_same_frame(p, "again").motion.state, STX_MOTION_STILL);
  }
  draw_noise(p, 7, 1, 2560);
  expect_same_frame(p, "after it");
  p->frame.camera.cx += 1; /* of a picture that is the one before: all the same looked at */
  ck_assert_int_eq(expect_same_frame(p, "camera").motion.state, STX_MOTION_FIRST);
  draw_noise(p, 9, 1, 2560);
  expect_same_frame(p, "after the camera");
  stx_egomotion_reset(p->host);
  stx_egomotion_reset(p->device);
  ck_assert_int_eq(expect_same_frame(p, "reset").motion.state, STX_MOTION_FIRST);
}

STX_TEST(nothing_to_match)
{
  STX_AUTO(Pair) *p = new_pair(160, 80, 3);
  draw_noise(p, 0, 0, 2560);
  expect_same_frame(p, "first");
  draw_noise(p, 2, 0, 0);
  expect_same_frame(p, "no disparity now");
  draw_noise(p, 4, 0, 2560);
  ck_assert_int_eq(expect_same_frame(p, "no disparity before").motion.state, STX_MOTION_TOO_FEW);
  for (int y = 0; y < 80; y++)
    memset(stx_row8(&p->left, y), 90, 160);
  p->frame.time += STEP;
  ck_assert_int_eq(expect_same_frame(p, "no corners").motion.state, STX_MOTION_TOO_FEW);
  draw_noise(p, 4, 0, 2560);
  ck_assert_int_eq(expect_same_frame(p, "none before").motion.state, STX_MOTION_TOO_FEW);
}

/* The picture has more corners than are used. */
STX_TEST(points_are_bounded)
{
  if (stx_test_small())
    return;
  STX_AUTO(Pair) *p = new_pair(780, 760, 0);
  draw_noise(p, 0, 0, 2560);
  expect_same_frame(p, "first");
  ck_assert_int_gt(p->device->corner_count, STX_EGOMOTION_MAX_POINTS - 200);
  draw_noise(p, 2, 1, 2560);
  ck_assert_int_eq(expect_same_frame(p, "moved").motion.state, STX_MOTION_KNOWN);
}

STX_TEST(pictures_of_any_size)
{
  static const int sizes[][2] = {{1, 1}, {1, 100}, {100, 1}, {2, 2}, {3, 3}, {31, 29}, {33, 30},
      {200, 15}, {17, 200}, {127, 65}, {66, 131}};
  StxRandom random = {2};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    STX_AUTO(Pair) *p = new_pair(sizes[i][0], sizes[i][1], (int)i % 4);
    for (int turn = 0; turn < 3; turn++) {
      char what[64];
      snprintf(what, sizeof what, "%d × %d, frame %d", sizes[i][0], sizes[i][1], turn);
      stx_fill8(&p->left, (StxFill)stx_random_below(&random, STX_FILL_COUNT), &random);
      stx_fill16(&p->disparity, (StxFill)stx_random_below(&random, STX_FILL_COUNT), 65535, &random);
      p->frame.time += STEP;
      expect_same_frame(p, what);
    }
  }
}

/* ---- Searches ------------------------------------------------------------------------------ */

static double about(StxRandom *random, double most)
{
  return most * (stx_random_below(random, 2001) - 1000) / 1000;
}

static EgoSearch any_search(const Pair *p, StxRandom *random)
{
  const StxCamera *c = &p->frame.camera;
  EgoSearch search = {.camera = {c->focal, c->cx, c->cy, c->focal * c->baseline},
      .pose = ego_still(),
      .surmise = stx_random_below(random, 2),
      .measure = stx_random_below(random, 2),
      .stride = 1 + stx_random_below(random, 3)};
  for (int i = 0; i < 9; i++)
    search.pose.r[i] += about(random, .01);
  for (int i = 0; i < 3; i++) {
    search.pose.t[i] = about(random, .3);
    search.offset[i] = about(random, .5);
  }
  if (stx_random_below(random, 6) == 0)
    search.pose.t[stx_random_below(random, 3)] = stx_random_below(random, 2) ? NAN : 1e9;
  search.reach.across = stx_random_below(random, EGO_REACH + 1);
  search.reach.down = stx_random_below(random, EGO_DOWN + 1);
  search.count = (p->host->corner_count + search.stride - 1) / search.stride;
  return search;
}

static void expect_same_matches(const Pair *p, const EgoSearch *search, const char *what)
{
  for (int i = 0; i < search->count; i++) {
    const EgoMatch *expected = &p->host->matches[i], *actual = &p->device->matches[i];
    ck_assert_msg(
        expected->found == actual->found, "%s, corner %d: found %d", what, i, actual->found);
    if (expected->found)
      stx_expect_same(expected, actual, sizeof *expected, what);
  }
}

/* A frame of noise that has moved, most of it, and searches from poses near and far. */
static void search_anything(uint64_t seed)
{
  StxRandom random = {seed};
  STX_AUTO(Pair) *p =
      new_pair(100 + stx_random_below(&random, 60), 60 + stx_random_below(&random, 60), 1);
  StxError error = {""};
  char what[64];
  snprintf(what, sizeof what, "seed %d", (int)seed);
  draw_noise(p, 0, 0, 2560);
  expect_same_frame(p, what);
  draw_noise(p, stx_random_below(&random, 25) - 12, stx_random_below(&random, 9) - 4, 2560);
  const StxEgomotionFrame on_host = frame_on_host(p), on_device = frame_on_device(p);
  EgoSearch search = any_search(p, &random);
  p->host->impl->look(p->host, &on_host, &search, NULL);
  stx_case_ok(p->device->impl->look(p->device, &on_device, &search, &error), &error, what);
  expect_same_matches(p, &search, what);
  for (int i = 0; i < 3; i++) {
    search = any_search(p, &random);
    p->host->impl->match(p->host, &on_host, &search, NULL);
    stx_case_ok(p->device->impl->match(p->device, &on_device, &search, &error), &error, what);
    expect_same_matches(p, &search, what);
  }
}

STX_TEST(searches_find_the_same)
{
  for (uint64_t seed = 0; seed < (stx_test_small() ? 2 : 12); seed++)
    search_anything(seed);
}

/* ---- Refusals ------------------------------------------------------------------------------ */

STX_TEST(memory_that_is_not_the_same)
{
  STX_AUTO(Pair) *p = new_pair(120, 80, 0);
  const size_t size = stx_egomotion_device_bytes(cuda_impl(), 120, 80);
  draw_noise(p, 0, 0, 2560);
  expect_same_frame(p, "first");
  void *before = p->place.memory;
  p->place.memory = stx_device_alloc(size);
  stx_egomotion_reset(p->host);
  draw_noise(p, 1, 0, 2560);
  ck_assert_int_eq(expect_same_frame(p, "elsewhere").motion.state, STX_MOTION_FIRST);
  stx_device_free(before);
}

STX_TEST(pictures_where_the_state_is_not)
{
  STX_AUTO(Pair) *p = new_pair(40, 40, 0);
  StxEgomotionFrame on_host = frame_on_host(p), on_device = frame_on_device(p);
  StxEgomotionResult result;
  StxError error;
  ck_assert(!stx_egomotion_frame(p->host, &on_device, &result, &error));
  stx_expect_words(&error, "prepared for the host");
  ck_assert(!stx_egomotion_frame(p->device, &on_host, &result, &error));
  stx_expect_words(&error, "prepared for a device");
  ck_assert(stx_egomotion_prepare(p->device, STX_BACKEND_OMP, 40, 40, NULL));
  ck_assert(stx_egomotion_frame(p->device, &on_host, &result, NULL));
}
