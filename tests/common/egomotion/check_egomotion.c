/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of the street and of worse: what is said of them, and that it is the same for all. */
#include "common/egomotion/egomotion.h"
#include "common/scene/scene.h"
#include "common/sgm/sgm_depth.h"
#include "tests/common/oracle.h"
#include "tests/testing.h"

#include <math.h>

#define WIDTH 640
#define HEIGHT 192
#define STEP UINT64_C(100000000) /* ns */
#define SPEED 10

/* A street with its truth, and a state that looks at it. */
typedef struct {
  StxScene *scene;
  StxEgomotion *state;
  StxImage8 left;
  StxImage16 disparity;
  StxEgomotionFrame frame;
} Drive;

static StxScene *new_street(uint64_t seed, int width, int height)
{
  StxSceneParams params = STX_SCENE_DEFAULTS;
  StxError error;
  params.seed = seed;
  params.width = width;
  params.height = height;
  params.speed = SPEED;
  StxScene *scene = stx_scene_new(&params, &error);
  ck_assert_msg(scene != NULL, "%s", error.text);
  return scene;
}

static Drive new_drive(int width, int height, StxBackend backend)
{
  Drive d = {.state = stx_egomotion_new(),
      .left = stx_test_image8(width, height, 5),
      .disparity = stx_test_image16(width, height, 6)};
  StxError error;
  ck_assert_msg(stx_egomotion_prepare(d.state, backend, width, height, &error), "%s", error.text);
  d.frame = (StxEgomotionFrame){d.left, d.disparity, 0, stx_scene_camera(width, height), 0, 2};
  return d;
}

static void free_drive(Drive *d)
{
  stx_scene_free(d->scene);
  stx_egomotion_free(d->state);
  stx_test_image8_free(&d->left);
  stx_test_image16_free(&d->disparity);
}
STX_AUTO_VALUE(Drive, free_drive)

static Drive street_drive(uint64_t seed, StxBackend backend)
{
  Drive d = new_drive(WIDTH, HEIGHT, backend);
  d.scene = new_street(seed, WIDTH, HEIGHT);
  d.frame.camera = stx_scene_params(d.scene)->camera;
  return d;
}

static void draw(Drive *d, uint64_t frame)
{
  stx_scene_move(d->scene, frame);
  stx_scene_render(d->scene, STX_SCENE_LEFT, 1, &d->left);
  stx_scene_truth(d->scene, &d->disparity, NULL);
  d->frame.time = frame * STEP;
}

static StxEgomotionResult look(Drive *d)
{
  StxEgomotionResult result;
  StxError error = {""};
  ck_assert_msg(stx_egomotion_frame(d->state, &d->frame, &result, &error), "%s", error.text);
  return result;
}

static StxEgomotionResult go_to(Drive *d, uint64_t frame)
{
  draw(d, frame);
  return look(d);
}

static void expect_ahead(const StxEgomotionResult *r, double metres, double tolerance)
{
  const double *t = r->motion.translation;
  ck_assert_int_eq(r->motion.state, STX_MOTION_KNOWN);
  ck_assert_msg(fabs(t[0]) < tolerance && fabs(t[1]) < tolerance && fabs(t[2] + metres) < tolerance,
      "%g %g %g, not %g m ahead", t[0], t[1], t[2], metres);
  ck_assert(fabs(r->motion.rotation[2]) < 2e-3 && fabs(r->motion.rotation[1]) < 2e-3);
  ck_assert_uint_ge(r->motion.agree, 20);
  ck_assert_uint_eq(r->motion.points, r->count);
}

/* ---- Right ----------------------------------------------------------------------------------- */

STX_TEST(a_street_is_driven_along)
{
  STX_AUTO(Drive) d = street_drive(1, STX_BACKEND_AUTO);
  StxEgomotionResult r = go_to(&d, 0);
  ck_assert_int_eq(r.motion.state, STX_MOTION_FIRST);
  ck_assert_uint_eq(r.count, 0);
  ck_assert(r.interval == STX_EGOMOTION_NO_TIME);
  for (uint64_t i = 1; i < 6; i++) {
    r = go_to(&d, i);
    expect_ahead(&r, SPEED * .1, .04);
    ck_assert(r.interval == STEP);
  }
}

/* Drives on from frame `from` with disparities that are `pixels` too large. */
static StxEgomotionResult drive_off(Drive *d, uint64_t from, uint64_t to, int pixels)
{
  StxEgomotionResult r = {0};
  for (uint64_t frame = from; frame < to; frame++) {
    draw(d, frame);
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) {
        uint16_t *value = &stx_row16(&d->disparity, y)[x];
        int off = *value + pixels * STX_DISPARITY_ONE;
        *value = *value != STX_DISPARITY_UNKNOWN && off > 0 ? (uint16_t)off : STX_DISPARITY_UNKNOWN;
      }
    r = look(d);
  }
  return r;
}

/* With sanitizers stereo-sgm-motion does the same. */
STX_TEST_LOOP(an_offset_of_disparities_is_found_and_given_up, stx_test_small() ? 0 : 2)
{
  const int pixels = _i == 0 ? 5 : -5;
  STX_AUTO(Drive) d = street_drive(1, STX_BACKEND_AUTO);
  StxEgomotionResult r = drive_off(&d, 0, 10, pixels);
  ck_assert_msg(fabs(r.offset - pixels) < .3 && r.offset_deviation < .2, "%g ± %g", r.offset,
      r.offset_deviation);
  r = drive_off(&d, 10, 18, 0);
  ck_assert_msg(fabs(r.offset) < .3, "%g ± %g", r.offset, r.offset_deviation);
  expect_ahead(&r, SPEED * .1, .06);
}

/* Points lie in the picture, have the disparity of their places, and move with the camera. */
STX_TEST(points_are_where_they_say)
{
  STX_AUTO(Drive) d = street_drive(2, STX_BACKEND_AUTO);
  const double scale = d.frame.camera.focal * d.frame.camera.baseline;
  go_to(&d, 0);
  StxEgomotionResult r = go_to(&d, 1);
  int near = 0;
  for (size_t i = 0; i < r.count; i++) {
    const StxMotionPoint *p = &r.points[i];
    ck_assert(p->u >= 5 && p->u < WIDTH - 5 && p->v >= 5 && p->v < HEIGHT - 5);
    ck_assert(p->before_u >= 5 && p->before_u < WIDTH - 5 && p->before_disparity > 0);
    if (p->disparity < 0)
      continue;
    int x = (int)lrintf(p->u), y = (int)lrintf(p->v);
    double there = stx_row16(&d.disparity, y)[x] / 256.0;
    ck_assert(fabs(there - (double)p->disparity) < 1.5);
    near += fabs(scale / (double)p->before_disparity - scale / (double)p->disparity - 1) < .3;
  }
  ck_assert_uint_gt(r.count, 50);
  ck_assert_int_gt(near, (int)r.count / 4);
}

STX_TEST(depths_do_as_well)
{
  STX_AUTO(Drive) d = street_drive(1, STX_BACKEND_AUTO);
  const StxCamera *c = &d.frame.camera;
  ck_assert(stx_sgm_depth_scale(c->focal, c->baseline, &d.frame.depth, NULL));
  StxEgomotionResult r = {.count = 0};
  for (uint64_t i = 0; i < 3; i++) {
    draw(&d, i);
    STX_EACH_PIXEL (x, y, WIDTH, HEIGHT) {
      uint16_t *value = stx_row16(&d.disparity, y) + x;
      *value = *value == 0 ? 0 : (uint16_t)fmin(65534, d.frame.depth / (double)*value);
    }
    r = look(&d);
  }
  expect_ahead(&r, SPEED * .1, .03);
}

/* A frame of which twice the time has passed since the one before: it has gone twice as far. */
STX_TEST(a_frame_is_missing)
{
  STX_AUTO(Drive) d = street_drive(1, STX_BACKEND_AUTO);
  go_to(&d, 0);
  go_to(&d, 1);
  StxEgomotionResult r = go_to(&d, 3);
  expect_ahead(&r, 2 * SPEED * .1, .04);
  ck_assert(r.interval == 2 * STEP);
}

STX_TEST(brightness_and_contrast_change)
{
  STX_AUTO(Drive) d = street_drive(1, STX_BACKEND_AUTO);
  go_to(&d, 0);
  go_to(&d, 1);
  draw(&d, 2);
  STX_EACH_PIXEL (x, y, WIDTH, HEIGHT) {
    uint8_t *pixel = stx_row8(&d.left, y) + x;
    *pixel = (uint8_t)fmin(255, 30 + *pixel * .6);
  }
  StxEgomotionResult r = look(&d);
  expect_ahead(&r, SPEED * .1, .04);
}

/* ---- Not known ------------------------------------------------------------------------------- */

STX_TEST(the_same_frame_again)
{
  STX_AUTO(Drive) d = street_drive(1, STX_BACKEND_AUTO);
  go_to(&d, 0);
  go_to(&d, 1);
  d.frame.time += STEP;
  StxEgomotionResult r = look(&d);
  ck_assert_int_eq(r.motion.state, STX_MOTION_STILL);
  ck_assert_uint_eq(r.count, 0);
  draw(&d, 2);
  d.frame.time += STEP;
  r = look(&d);
  expect_ahead(&r, SPEED * .1, .04);
}

/* Nothing is said of the cut; the frame after it is compared with it. */
STX_TEST(the_scene_is_cut)
{
  for (uint64_t seed = 1; seed < (stx_test_small() ? 2 : 5); seed++) {
    STX_AUTO(Drive) d = street_drive(seed, STX_BACKEND_AUTO);
    go_to(&d, 0);
    go_to(&d, 1);
    stx_scene_free(d.scene);
    d.scene = new_street(seed + 20, WIDTH, HEIGHT);
    StxEgomotionResult r = go_to(&d, 2);
    ck_assert_msg(r.motion.state == STX_MOTION_DISAGREE || r.motion.state == STX_MOTION_TOO_FEW,
        "seed %d: %d, %u of %u", (int)seed, r.motion.state, r.motion.agree, r.motion.points);
    ck_assert_double_eq(r.motion.translation[2], 0);
    r = go_to(&d, 3);
    expect_ahead(&r, SPEED * .1, .03);
  }
}

STX_TEST(dark_or_without_any_disparity)
{
  STX_AUTO(Drive) d = street_drive(1, STX_BACKEND_AUTO);
  StxRandom random = {1};
  go_to(&d, 0);
  go_to(&d, 1);
  for (int i = 2; i < 4; i++) {
    draw(&d, (uint64_t)i);
    STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
      stx_row8(&d.left, y)[x] = (uint8_t)stx_random_below(&random, 3);
    StxEgomotionResult r = look(&d);
    ck_assert_int_eq(r.motion.state, STX_MOTION_TOO_FEW);
  }
  go_to(&d, 4);
  for (int i = 5; i < 7; i++) {
    draw(&d, (uint64_t)i);
    STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
      stx_row16(&d.disparity, y)[x] = 0;
    StxEgomotionResult r = look(&d);
    if (i == 6)
      ck_assert_int_eq(r.motion.state, STX_MOTION_TOO_FEW);
  }
}

/* Noise with grains of 4 × 4 pixels. */
static uint8_t noise_at(int x, int y)
{
  StxRandom random = {(uint64_t)(x / 4 * 1000 + y / 4)};
  return (uint8_t)stx_random_below(&random, 256);
}

/* Squares of noise that all move to where they please. */
STX_TEST(all_move_by_themselves)
{
  enum { SQUARE = 32 };
  STX_AUTO(Drive) d = new_drive(WIDTH, HEIGHT, STX_BACKEND_AUTO);
  for (int turn = 0; turn < 2; turn++) {
    StxRandom random = {7}, moves = {8};
    stx_fill8(&d.left, STX_FILL_LOW, &random);
    for (int y = 0; y + SQUARE <= HEIGHT; y += SQUARE)
      for (int x = 0; x + SQUARE <= WIDTH; x += SQUARE) {
        int right = stx_random_below(&moves, 17) - 8, down = stx_random_below(&moves, 17) - 8;
        STX_EACH_PIXEL (i, j, SQUARE, SQUARE) {
          int at_x = x + i + turn * right, at_y = y + j + turn * down;
          uint8_t value = noise_at(x + i, y + j);
          if (at_x >= 0 && at_y >= 0 && at_x < WIDTH && at_y < HEIGHT)
            stx_row8(&d.left, at_y)[at_x] = value;
        }
      }
    STX_EACH_PIXEL (x, y, WIDTH, HEIGHT)
      stx_row16(&d.disparity, y)[x] = 20 * 256;
    d.frame.time += STEP;
    StxEgomotionResult r = look(&d);
    ck_assert_int_eq(r.motion.state, turn == 0 ? STX_MOTION_FIRST : STX_MOTION_DISAGREE);
    ck_assert(turn == 0 || r.count > 50);
  }
}

/* With more corners than are used, those used are spread over the picture, which has moved by three
 * pixels. */
STX_TEST(points_are_bounded_and_spread)
{
  enum { SIDE = 1200 };
  STX_AUTO(Drive) d = new_drive(SIDE, SIDE, STX_BACKEND_AUTO);
  size_t quarter[4] = {0};
  StxEgomotionResult r = {.count = 0};
  for (int turn = 0; turn < 2; turn++) {
    STX_EACH_PIXEL (x, y, SIDE, SIDE) {
      stx_row8(&d.left, y)[x] = noise_at(x + 3 * turn, y);
      stx_row16(&d.disparity, y)[x] = 10 * 256;
    }
    r = look(&d);
  }
  ck_assert_int_eq(r.motion.state, STX_MOTION_KNOWN);
  ck_assert_uint_le(r.count, STX_EGOMOTION_MAX_POINTS);
  for (size_t i = 0; i < r.count; i++) {
    const StxMotionPoint *p = &r.points[i];
    quarter[(p->u >= SIDE / 2) + 2 * (p->v >= SIDE / 2)]++;
    ck_assert_float_eq_tol(p->u - p->before_u, -3, .1);
    ck_assert_float_eq_tol(p->v - p->before_v, 0, .1);
  }
  for (int i = 0; i < 4; i++)
    ck_assert_uint_ge(quarter[i], STX_EGOMOTION_MAX_POINTS / 5);
}

/* ---- Streams --------------------------------------------------------------------------------- */

STX_TEST(what_begins_a_stream_anew)
{
  STX_AUTO(Drive) d = street_drive(1, STX_BACKEND_AUTO);
  go_to(&d, 0);
  go_to(&d, 1);
  stx_egomotion_reset(d.state);
  ck_assert_int_eq(go_to(&d, 2).motion.state, STX_MOTION_FIRST);
  ck_assert_int_eq(go_to(&d, 1).motion.state, STX_MOTION_FIRST);  /* earlier */
  ck_assert_int_eq(go_to(&d, 11).motion.state, STX_MOTION_FIRST); /* a second later */
  d.frame.camera.cx += 1;
  ck_assert_int_eq(go_to(&d, 12).motion.state, STX_MOTION_FIRST);
  ck_assert_int_eq(go_to(&d, 13).motion.state, STX_MOTION_KNOWN);
  ck_assert(stx_egomotion_prepare(d.state, STX_BACKEND_AUTO, WIDTH, HEIGHT, NULL));
  ck_assert_int_eq(go_to(&d, 14).motion.state, STX_MOTION_KNOWN);
  ck_assert(stx_egomotion_prepare(d.state, STX_BACKEND_AUTO, WIDTH + 1, HEIGHT, NULL));
  ck_assert(stx_egomotion_prepare(d.state, STX_BACKEND_AUTO, WIDTH, HEIGHT, NULL));
  ck_assert_int_eq(go_to(&d, 15).motion.state, STX_MOTION_FIRST);
}

STX_TEST(time_stamps_stand_still_or_are_missing)
{
  STX_AUTO(Drive) d = street_drive(1, STX_BACKEND_AUTO);
  go_to(&d, 0);
  draw(&d, 1);
  d.frame.time = 0;
  StxEgomotionResult r = look(&d);
  expect_ahead(&r, SPEED * .1, .04);
  ck_assert(r.interval == 0);
  draw(&d, 2);
  d.frame.time = STX_EGOMOTION_NO_TIME;
  r = look(&d);
  expect_ahead(&r, SPEED * .1, .04);
  ck_assert(r.interval == STX_EGOMOTION_NO_TIME);
}

/* ---- Any picture ----------------------------------------------------------------------------- */

static void fill(Drive *d, StxRandom *random)
{
  stx_fill8(&d->left, (StxFill)stx_random_below(random, STX_FILL_COUNT), random);
  stx_fill16(&d->disparity, (StxFill)stx_random_below(random, STX_FILL_COUNT), 65535, random);
}

STX_TEST(pictures_of_any_size)
{
  static const int sizes[][2] = {
      {1, 1}, {1, 200}, {200, 1}, {2, 2}, {31, 29}, {33, 30}, {640, 15}, {17, 640}, {127, 65}};
  StxRandom random = {2};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    STX_AUTO(Drive) d = new_drive(sizes[i][0], sizes[i][1], STX_BACKEND_AUTO);
    for (int turn = 0; turn < 4; turn++) {
      fill(&d, &random);
      d.frame.time += STEP;
      StxEgomotionResult r = look(&d);
      ck_assert(turn > 0 || r.motion.state == STX_MOTION_FIRST);
      ck_assert(r.motion.state != STX_MOTION_KNOWN || sizes[i][1] > 29);
    }
  }
}

STX_TEST(refusals)
{
  STX_AUTO(Drive) d = new_drive(40, 40, STX_BACKEND_AUTO);
  StxEgomotionResult r;
  StxError error;
  StxEgomotionFrame bad = d.frame;
  ck_assert(!stx_egomotion_prepare(d.state, STX_BACKEND_AUTO, 0, 40, &error));
  stx_expect_words(&error, "0 × 40");
  ck_assert(!stx_egomotion_prepare(d.state, STX_BACKEND_AUTO, 40, 16385, &error));
  ck_assert(!stx_egomotion_prepare(d.state, STX_BACKEND_AUTO, 16385, 40, &error));
  stx_expect_words(&error, "1 to 16384");
  ck_assert(!stx_egomotion_prepare(d.state, STX_BACKEND_CUDA, 40, 40, &error));
  stx_expect_words(&error, "auto or omp");
  bad.camera.baseline = 0;
  ck_assert(!stx_egomotion_frame(d.state, &bad, &r, &error));
  stx_expect_words(&error, "baseline");
  bad = d.frame;
  bad.camera.missing = STX_CAMERA_CX;
  ck_assert(!stx_egomotion_frame(d.state, &bad, &r, &error));
  stx_expect_words(&error, "cx");
  bad = d.frame;
  bad.left.width = 39;
  ck_assert(!stx_egomotion_frame(d.state, &bad, &r, &error));
  stx_expect_words(&error, "39 × 40");
  StxEgomotion *fresh = stx_egomotion_new();
  ck_assert(!stx_egomotion_frame(fresh, &d.frame, &r, &error));
  stx_expect_words(&error, "not prepared");
  stx_egomotion_free(fresh);
  stx_egomotion_free(NULL);
}

/* ---- The same for all ------------------------------------------------------------------------ */

static uint64_t hash_drive(const struct StxEgomotionImpl *impl, int threads)
{
  STX_AUTO(Drive) d = street_drive(3, STX_BACKEND_AUTO);
  ck_assert(stx_egomotion_prepare_for(d.state, impl, WIDTH, HEIGHT, NULL));
  uint64_t hash = STX_HASH_BEGIN;
  d.frame.threads = threads;
  for (uint64_t i = 0; i < 3; i++) {
    StxEgomotionResult r = go_to(&d, i);
    hash = stx_hash(hash, &r.motion.state, sizeof r.motion.state);
    hash = stx_hash(hash, r.motion.rotation, sizeof r.motion - offsetof(StxMotion, rotation));
    hash = stx_hash(hash, r.points, r.count * sizeof *r.points);
  }
  return hash;
}

STX_TEST(same_bytes_for_all_implementations_and_threads)
{
  uint64_t expected = hash_drive(oracle_egomotion(), 1);
  for (int threads = 1; threads <= 7; threads += 3)
    ck_assert(
        hash_drive(stx_impl_pick(&stx_egomotion_impls, STX_BACKEND_AUTO), threads) == expected);
}
