/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels from above: every pixel by itself, as bev_stixels.h has it, and what is left out. Modes,
 * free space and obstacles: tests/frames.
 */
#include "tests/common/bev/bev_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Places ------------------------------------------------------------------------------- */

static void expect_nothing(const BevPicture *p)
{
  STX_EACH_PIXEL (x, y, p->params.width, p->params.height)
    bev_expect_colour(p, x, y, stx_colour(STX_MEANS_BACKGROUND), "nothing is there");
}

/* ---- What is left out --------------------------------------------------------------------- */

STX_TEST(what_has_no_place_is_left_out)
{
  StxStixel records[] = {bev_object(5, 0), bev_object(5, (double)NAN),
      bev_object(5, (double)INFINITY), bev_object(5, -4), bev_object(10, 10), bev_object(65535, 10),
      bev_object(5, 10), bev_object(5, 10), bev_object(5, 10), bev_object(5, 10)};
  StxBevStixelsParams params = bev_plain_stixels();
  StxBevStixels frame = bev_frame_of(records, 10);
  records[6].kind = STX_KIND_SKY;
  records[7].kind = 4;
  records[8].top = 50;
  records[9].disparity_top = NAN;
  BevPicture p = bev_stixel_picture(bev_ahead(), &params, &frame);
  expect_nothing(&p);
  bev_picture_free(&p);
  frame = bev_frame_of(NULL, 0);
  p = bev_stixel_picture(bev_ahead(), &params, &frame);
  expect_nothing(&p);
  bev_picture_free(&p);
}

/* Infinite ground, one column, the last one narrow, everything far outside: no pixel is written
 * where none is. */
STX_TEST(extremes_harm_nobody)
{
  static const double values[] = {1e-30, .001, 1, 1e5, 1e30};
  for (int i = 0; i < 5 * 5 * 4; i++) {
    StxStixel records[] = {
        bev_ground(0, values[i % 5] < 1e-9 ? 0 : values[i % 5], values[i / 5 % 5]),
        bev_object(0, values[i % 5]), bev_object(BEV_WIDTH / BEV_COLUMN - 1, values[i / 5 % 5])};
    StxObstacle obstacle = {.x = NAN,
        .z = (float)values[i % 5],
        .width = INFINITY,
        .id = 3,
        .depth = NAN,
        .closing_speed = (float)values[i / 5 % 5],
        .lateral_speed = 1e30f};
    StxBevParams params = bev_ahead();
    StxBevStixelsParams stixels = STX_BEV_STIXELS_DEFAULTS;
    StxBevStixels frame = bev_frame_of(records, 3);
    params.center_x = i / 25 == 1 ? 500 : i / 25 == 2 ? -500 : 3;
    params.center_y = i / 25 == 3 ? 500 : 0;
    params.rings = true;
    frame.stixel_width = i % 2 ? BEV_COLUMN : BEV_WIDTH;
    frame.width = BEV_WIDTH - 3;
    frame.obstacles = &obstacle;
    frame.obstacle_count = 1;
    STX_AUTO(BevPicture) p = bev_stixel_picture(params, &stixels, &frame);
  }
}

/* ---- Over the layers ---------------------------------------------------------------------- */

static int count_changes(const StxBevStixels *frame, unsigned show, bool rings)
{
  StxBevParams params = bev_plain(200, 200);
  StxBevStixelsParams with = bev_plain_stixels();
  params.center_x = 100;
  with.show = 0;
  STX_AUTO(BevPicture) p = bev_stixel_picture(params, &with, frame);
  with.show = show;
  params.rings = rings;
  STX_AUTO(BevPicture) q = bev_stixel_picture(params, &with, frame);
  int count = 0;
  STX_EACH_PIXEL (x, y, 200, 200)
    count += memcmp(bev_pixel(&p, x, y), bev_pixel(&q, x, y), 3) != 0;
  return count;
}

/* Over ground what moves has an arrow, whatever it does relative to the sensor; so have stixels. */
STX_TEST(velocities_over_ground_go_first)
{
  StxObstacle obstacle = {.x = 10, .z = 50, .width = 20, .depth = 10, .closing_speed = 15};
  StxVelocity velocity = {.moves = STX_MOVES_NOT};
  StxStixel record = bev_object(5, 2);
  StxBevStixels frame = bev_frame_of(&record, 1);
  frame.obstacles = &obstacle;
  frame.obstacle_count = 1;
  frame.velocities = &velocity;
  int still = count_changes(&frame, STX_BEV_SHOW_OBSTACLES, false);
  velocity = (StxVelocity){.x = 20, .moves = STX_MOVES_ON};
  int moving = count_changes(&frame, STX_BEV_SHOW_OBSTACLES, false);
  ck_assert_int_gt(moving, still);
  frame.stixel_velocities = &velocity;
  ck_assert_int_gt(count_changes(&frame, STX_BEV_SHOW_OBSTACLES, false), moving);
  frame.velocities = frame.stixel_velocities = NULL;
  ck_assert_int_gt(count_changes(&frame, STX_BEV_SHOW_OBSTACLES, false), still);
}

/* A picture without stixels shows nothing of the one before. */
STX_TEST(rings_alone_again)
{
  StxBevParams params = bev_plain(100, 100);
  StxBevStixelsParams stixels = STX_BEV_STIXELS_DEFAULTS;
  StxStixel record = bev_object(5, 10);
  StxBevStixels frame = bev_frame_of(&record, 1);
  params.rings = true;
  STX_AUTO(BevPicture) p = bev_stixel_picture(params, &stixels, &frame),
                       q = bev_picture_of(params, NULL, NULL, 0);
  stx_bev_draw(p.bev, NULL, NULL, 0, &p.frame);
  for (int y = 0; y < 100; y++)
    ck_assert_mem_eq(bev_pixel(&p, 0, y), bev_pixel(&q, 0, y), 300);
}

STX_TEST(names_what_the_camera_lacks)
{
  static const struct {
    StxCamera camera;
    const char *word;
  } cases[] = {
      {{.baseline = 1}, "unknown: focal length"},
      {{.focal = 1}, "unknown: baseline"},
      {{.focal = 1, .baseline = 1, .missing = STX_CAMERA_CX}, "unknown: cx"},
      {{.missing = STX_CAMERA_ALL}, "focal length baseline cx"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxError error = {""};
    ck_assert(!stx_bev_stixels_can_place(&cases[i].camera, &error));
    stx_expect_words(&error, cases[i].word);
  }
}

/* The key of a record at a place, by bev_stixels.h; 0: it is not there. */
static int64_t model_key(
    const StxBevStixelsParams *params, const StxStixel *r, double right, double far, double stroke)
{
  double middle =
      (r->column * BEV_COLUMN + BEV_COLUMN / 2. - .5 - bev_camera.cx) / bev_camera.focal;
  double half = BEV_COLUMN / 2. / bev_camera.focal;
  double small = fmin((double)r->disparity_top, (double)r->disparity_bottom);
  double large = fmax((double)r->disparity_top, (double)r->disparity_bottom);
  double off = params->uncertainty, near = 100 / large, end = 100 / small;
  double top = (double)r->disparity_top, bottom = (double)r->disparity_bottom;
  double rise = (r->bottom + .5 - bev_camera.cy) / bottom - (r->top - .5 - bev_camera.cy) / top;
  bool flat = r->kind == STX_KIND_SEGMENT && fabs(rise) < 100 / top - 100 / bottom;
  bool thing = r->kind != STX_KIND_GROUND && !flat;
  if (thing) {
    near = 100 / (large + off);
    end = 100 / fmax(small - off, small / 2);
    double centre = (near + end) / 2;
    near = fmin(near, fmax(centre - stroke / 2, 0));
    end = fmax(end, centre + stroke / 2);
  }
  double reach = half * far;
  if (thing && 2 * reach < stroke)
    reach = stroke / 2;
  if (far < near || far >= end || right < middle * far - reach || right >= middle * far + reach)
    return 0;
  double height = (bev_camera.cy - r->top + .5) / (double)r->disparity_top;
  return thing ? ((int64_t)(floor((height + 32) * 256)) + 1) * 8 + r->kind + 1 : 1 + flat;
}

/* Records of one column each, whose colours are told apart by kind. */
static size_t crowd(StxRandom *random, StxStixel *records)
{
  size_t count = 0;
  for (int column = 0; column < BEV_WIDTH / BEV_COLUMN; column++)
    for (int i = stx_random_below(random, 4); i > 0; i--) {
      StxStixel r = bev_object(column, (200 + stx_random_below(random, 3000)) / 97.3);
      r.kind = (uint8_t)stx_random_below(random, 3);
      r.top = (uint16_t)stx_random_below(random, 40);
      if (r.kind != STX_KIND_OBJECT)
        r.disparity_top = (float)((200 + stx_random_below(random, 3000)) / 103.7);
      records[count++] = r;
    }
  return count;
}

static void expect_pixels(
    const BevPicture *p, const StxBevStixelsParams *params, const StxStixel *records, size_t count)
{
  StxBevPlan plan = stx_bev_plan(&p->params);
  double stroke = stx_bev_stroke(&p->params) / plan.scale;
  STX_EACH_PIXEL (x, y, p->params.width, p->params.height) {
    double right = (x + .5 - plan.column) / plan.scale, far = (plan.row - y - .5) / plan.scale;
    int64_t best = 0;
    for (size_t i = 0; i < count && far > 0; i++) {
      int64_t key = model_key(params, &records[i], right, far, stroke);
      best = key > best ? key : best;
    }
    StxRgb expected = best == 0   ? stx_colour(STX_MEANS_BACKGROUND)
                      : best == 2 ? bev_on_background(stx_colour_kind(STX_KIND_SEGMENT), 90)
                      : best == 1 ? bev_on_background(stx_colour_kind(STX_KIND_GROUND), 90)
                                  : stx_colour_kind((StxKind)(best % 8 - 1));
    bev_expect_colour(p, x, y, expected, "a pixel by itself");
  }
}

STX_TEST(equals_every_pixel_by_itself)
{
  StxRandom random = {11};
  for (int round = 0; round < 60; round++) {
    StxStixel records[3 * BEV_WIDTH / BEV_COLUMN];
    StxBevParams params =
        bev_plain(16 + stx_random_below(&random, 50), 16 + stx_random_below(&random, 50));
    StxBevStixelsParams stixels = bev_plain_stixels();
    stixels.show &= ~(unsigned)STX_BEV_SHOW_FREE;
    stixels.uncertainty = round % 4 * .37;
    params.extent = 3.1 + stx_random_below(&random, 300) / 11.;
    params.center_x = stx_random_below(&random, 300) / 13.;
    params.center_y = stx_random_below(&random, 100) / 17. - 3;
    size_t count = crowd(&random, records);
    StxBevStixels frame = bev_frame_of(records, count);
    STX_AUTO(BevPicture) p = bev_stixel_picture(params, &stixels, &frame);
    expect_pixels(&p, &stixels, records, count);
  }
}
