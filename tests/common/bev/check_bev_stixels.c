/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stixels from above: literal places, what lies over what, what is left out. Stixels from above:
 * every pixel by itself, as bev_stixels.h has it.
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

/* So many rows from `top` on; in each two pixels from `left` on. */
typedef struct {
  double disparity, uncertainty;
  int column, top, rows, left[6];
} ObjectCase;

static bool covers(const ObjectCase *c, int x, int y)
{
  return y >= c->top && y < c->top + c->rows && x >= c->left[y - c->top] &&
         x < c->left[y - c->top] + 2;
}

/* At 10 m a column is a metre wide: a stroke of two pixels around its middle, which moves to the
 * side with the distance. */
STX_TEST(objects_stand_where_they_are)
{
  static const ObjectCase cases[] = {
      {10, 0, 5, 29, 2, {20, 19}}, /* from 9 to 11 m ahead */
      {10, 0, 4, 29, 2, {18, 19}}, {10, 0, 6, 29, 2, {21, 20}},
      {5, 0, 6, 19, 2, {22, 22}},                               /* 20 m: 2 to 4 m to the right */
      {5, 0, 3, 19, 2, {16, 16}}, {5, .25, 6, 19, 2, {22, 22}}, /* 19.05 … 21.05 m */
      {10, 2.5, 5, 27, 5, {20, 20, 20, 19, 19}},                /* 8 … 13.33 m */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxStixel record = bev_object(cases[i].column, cases[i].disparity);
    StxBevStixels frame = bev_frame_of(&record, 1);
    StxBevStixelsParams params = bev_plain_stixels();
    params.uncertainty = cases[i].uncertainty;
    params.show = STX_BEV_SHOW_THINGS;
    STX_AUTO(BevPicture) p = bev_stixel_picture(bev_ahead(), &params, &frame);
    STX_EACH_PIXEL (x, y, 40, 40)
      bev_expect_colour(&p, x, y,
          covers(&cases[i], x, y) ? stx_colour_kind(STX_KIND_OBJECT)
                                  : stx_colour(STX_MEANS_BACKGROUND),
          "an object");
  }
}

/* Columns 5 to 9 of a road from 5 to 25 m, which are half of the cone. */
STX_TEST(ground_is_an_area)
{
  StxStixel records[5];
  StxBevStixelsParams params = bev_plain_stixels();
  params.show = STX_BEV_SHOW_GROUND;
  for (int i = 0; i < 5; i++)
    records[i] = bev_ground(5 + i, 4, 20);
  StxBevStixels frame = bev_frame_of(records, 5);
  STX_AUTO(BevPicture) p = bev_stixel_picture(bev_ahead(), &params, &frame);
  StxRgb road = bev_on_background(stx_colour_kind(STX_KIND_GROUND), 90);
  STX_EACH_PIXEL (x, y, 40, 40) {
    double right = x + .5 - 20, far = 40 - y - .5;
    bool inside = far >= 5 && far < 25 && right >= 0 && right < far / 2;
    bev_expect_colour(&p, x, y, inside ? road : stx_colour(STX_MEANS_BACKGROUND), "road");
  }
}

/* ---- Free space --------------------------------------------------------------------------- */

/* Column 7 at x/z of .2 to .3; at 20.5 m ahead (row 19) pixels 25 and below 26.15 are its. */
static void expect_free(
    const StxBevStixels *frame, double end, double seen_from, double seen_to, const char *what)
{
  StxBevStixelsParams params = bev_plain_stixels();
  STX_AUTO(BevPicture) p = bev_stixel_picture(bev_ahead(), &params, frame);
  for (int y = 0; y < 38; y++) {
    double far = 40 - y - .5;
    int x = (int)(20 + .25 * far);
    bool free = far < end, seen = far >= seen_from && far < seen_to;
    StxRgb colour = seen   ? bev_on_background(stx_colour_kind(STX_KIND_GROUND), free ? 190 : 90)
                    : free ? bev_on_background(stx_colour_kind(STX_KIND_SKY), 80)
                           : stx_colour(STX_MEANS_BACKGROUND);
    if (x + .5 - 20 >= .2 * far && x + .5 - 20 < .3 * far)
      bev_expect_colour(&p, x, y, colour, what);
  }
}

STX_TEST(free_space_ends_where_records_say)
{
  StxStixel records[] = {bev_ground(7, 4, 20)};
  StxFreeSpace free_space[BEV_WIDTH / BEV_COLUMN] = {{0}};
  StxBevStixels frame = bev_frame_of(records, 1), empty = bev_frame_of(records, 1);
  frame.free_space = free_space;
  frame.directions = BEV_WIDTH / BEV_COLUMN;
  free_space[7].z = 12;
  expect_free(&frame, 12, 5, 25, "12 m");
  free_space[7].z = 60;
  expect_free(&frame, 60, 5, 25, "60 m");
  free_space[7].z = 3;
  expect_free(&frame, 3, 5, 25, "3 m");
  free_space[7].z = INFINITY;
  expect_free(&frame, 25, 5, 25, "as far as was seen");
  free_space[7].z = NAN;
  expect_free(&frame, 0, 5, 25, "unknown");
  frame.directions = 7;
  expect_free(&frame, 0, 5, 25, "no record");
  expect_free(&empty, 25, 5, 25, "no records");
}

STX_TEST(free_space_ends_at_the_nearest_thing)
{
  StxStixel records[] = {bev_ground(7, 4, 20), bev_object(7, 100. / 30), bev_object(7, 2.5)};
  StxBevStixels frame = bev_frame_of(records, 3);
  StxBevStixelsParams params = bev_plain_stixels();
  STX_AUTO(BevPicture) p = bev_stixel_picture(bev_ahead(), &params, &frame);
  bev_expect_colour(&p, 26, 15, bev_on_background(stx_colour_kind(STX_KIND_GROUND), 190), "24.5 m");
  bev_expect_colour(&p, 27, 13, bev_on_background(stx_colour_kind(STX_KIND_SKY), 80), "26.5 m");
  bev_expect_colour(&p, 27, 10, stx_colour_kind(STX_KIND_OBJECT), "30 m");
  bev_expect_colour(&p, 28, 7, stx_colour(STX_MEANS_BACKGROUND), "behind it");
}

/* ---- Colours ------------------------------------------------------------------------------ */

static StxRgb class_colour(int class)
{
  return stx_colour_mix(stx_colour_class(class), stx_colour(STX_MEANS_INK), 64, 256);
}

static void expect_mode(
    StxBevStixelMode mode, const StxBevStixels *frame, StxRgb colour, const char *what)
{
  StxBevStixelsParams params = bev_plain_stixels();
  params.mode = mode;
  STX_AUTO(BevPicture) p = bev_stixel_picture(bev_ahead(), &params, frame);
  bev_expect_colour(&p, 20, 29, colour, what);
}

STX_TEST(colours_mean_what_the_mode_says)
{
  StxObstacle obstacles[] = {
      {.id = 5, .first_column = 0, .last_column = 4, .top = 0, .bottom = 79, .z = 10},
      {.id = 6, .first_column = 5, .last_column = 5, .top = 0, .bottom = 29, .z = 10},
      {.id = 7, .first_column = 5, .last_column = 5, .top = 0, .bottom = 79, .z = 14},
      {.id = 8, .first_column = 5, .last_column = 5, .top = 0, .bottom = 30, .z = 8, .depth = .6f},
  };
  StxStixel record = bev_object(5, 10);
  StxBevStixels frame = bev_frame_of(&record, 1);
  expect_mode(STX_BEV_BY_DISTANCE, &frame, stx_palette_colour(STX_PALETTE_DISTANCE, 204), "10 m");
  /* Its upper edge is (39.5 − 29.5) / 100 · 10 m = 1 m above the camera. */
  expect_mode(STX_BEV_BY_HEIGHT, &frame, stx_palette_colour(STX_PALETTE_DISTANCE, 191), "1 m high");
  expect_mode(STX_BEV_BY_CLASS, &frame, class_colour(STX_LABEL_NONE), "no class");
  record.label = 13;
  expect_mode(STX_BEV_BY_CLASS, &frame, class_colour(13), "a car");
  expect_mode(STX_BEV_BY_OBSTACLE, &frame, stx_colour(STX_MEANS_UNCLASSIFIED), "of no obstacle");
  frame.obstacles = obstacles;
  frame.obstacle_count = 3;
  expect_mode(STX_BEV_BY_OBSTACLE, &frame, stx_colour(STX_MEANS_UNCLASSIFIED), "of none of three");
  frame.obstacle_count = 4;
  expect_mode(STX_BEV_BY_OBSTACLE, &frame, stx_colour_cluster(8), "of the fourth");
  record.kind = STX_KIND_SEGMENT;
  expect_mode(STX_BEV_BY_KIND, &frame, stx_colour_kind(STX_KIND_SEGMENT), "a segment");
}

STX_TEST(the_higher_lies_over_the_lower_and_points_over_things)
{
  StxStixel records[] = {bev_object(5, 10), bev_object(5, 10)};
  StxBevStixels frame = bev_frame_of(records, 2);
  records[0].label = 13;
  records[1].label = 2;
  for (int i = 0; i < 2; i++) {
    records[i].top = 20;
    records[1 - i].top = 21;
    expect_mode(STX_BEV_BY_CLASS, &frame, class_colour(records[i].label), "the higher");
  }
  const double extrinsics[12] = {0, 1, 0, 9, 1, 0, 0, -.5, 0, 0, 1, 0}; /* ahead: its y and 9 m */
  const float points[3][4] = {{0, 1.5f, -9, 0}, {1, 1.5f, 9, 0}, {-3, 1.5f, 0, 0}};
  const uint32_t labels[3] = {99, 49, 49};
  StxBevParams params = bev_ahead();
  StxBevStixelsParams stixels = bev_plain_stixels();
  params.mode = STX_BEV_PLAIN;
  STX_AUTO(BevPicture) p = bev_picture_new(params, 0);
  stx_bev_begin(p.bev);
  stx_bev_put_points(p.bev, points[0], labels, 3, extrinsics);
  stx_bev_put_stixels(p.bev, &stixels, &frame);
  stx_bev_finish(p.bev, &p.frame, 1);
  bev_expect_colour(&p, 20, 29, stx_colour(STX_MEANS_INK), "a point of an obstacle");
  bev_expect_colour(&p, 23, 29, stx_colour(STX_MEANS_GROUND), "a point of the ground");
}

/* ---- What is left out --------------------------------------------------------------------- */

/* Is the colour in a picture of a frame's legend, and nothing else? */
static bool tells(StxBevStixelMode mode, unsigned show, const StxBevStixels *frame, StxRgb colour)
{
  StxBevParams size = bev_plain(400, 400); /* a metre for each pixel */
  StxBevStixelsParams params = bev_plain_stixels();
  bool found = false;
  size.legend = STX_LEGEND_TOP_LEFT;
  size.center_x = 500; /* all that stands somewhere lies below */
  params.mode = mode;
  params.show = show;
  STX_AUTO(BevPicture) p = bev_stixel_picture(size, &params, frame);
  for (int y = 0; y < 400 && !found; y++)
    for (int x = 0; x < 400 && !found; x++)
      found = memcmp(bev_pixel(&p, x, y), &colour, 3) == 0;
  return found;
}

static int apart(StxRgb a, StxRgb b)
{
  return abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b);
}

/* Each area has its name, and each class, that of ground in the colour that it has there. */
STX_TEST(every_mode_has_a_legend)
{
  StxStixel records[] = {bev_ground(7, 4, 20), bev_object(8, 5)};
  const unsigned all = STX_BEV_SHOW_ALL, no_free = all & ~(unsigned)STX_BEV_SHOW_FREE;
  const StxRgb ground = bev_on_background(stx_colour(STX_MEANS_UNCLASSIFIED), 190);
  const StxRgb free_ground = bev_on_background(stx_colour(STX_MEANS_FREE_SPACE), 110);
  const StxRgb unseen = bev_on_background(stx_colour_kind(STX_KIND_SKY), 80);
  records[0].label = 0;
  records[1].label = STX_LABEL_NONE;
  StxBevStixels frame = bev_frame_of(records, 2);
  for (int mode = STX_BEV_BY_DISTANCE; mode <= STX_BEV_BY_HEIGHT; mode++) {
    ck_assert(tells(mode, all, &frame, unseen));
    ck_assert(!tells(mode, no_free, &frame, unseen));
    if (mode == STX_BEV_BY_KIND || mode == STX_BEV_BY_CLASS)
      continue;
    ck_assert(tells(mode, all, &frame, free_ground));
    ck_assert(tells(mode, all, &frame, ground));
  }
  ck_assert(apart(ground, free_ground) > 60 && apart(ground, unseen) > 40 &&
            apart(unseen, free_ground) > 60);
  ck_assert(tells(STX_BEV_BY_DISTANCE, all, &frame, stx_palette_colour(0, 255)));
  ck_assert(tells(STX_BEV_BY_HEIGHT, all, &frame, stx_palette_colour(0, 255)));
  ck_assert(tells(STX_BEV_BY_KIND, all, &frame, stx_colour_kind(STX_KIND_OBJECT)));
  ck_assert(!tells(STX_BEV_BY_KIND, all, &frame, stx_colour_kind(STX_KIND_SEGMENT)));
  ck_assert(tells(STX_BEV_BY_CLASS, all, &frame, bev_on_background(stx_colour_class(0), 190)));
  ck_assert(tells(STX_BEV_BY_CLASS, all, &frame, class_colour(STX_LABEL_NONE)));
  ck_assert(!tells(STX_BEV_BY_CLASS, all, &frame, class_colour(2)));
  ck_assert(!tells(STX_BEV_BY_CLASS, all, &frame, free_ground));
  records[0].label = STX_LABEL_NONE;
  ck_assert(tells(STX_BEV_BY_CLASS, all, &frame, free_ground));
  ck_assert(tells(STX_BEV_BY_OBSTACLE, all, &frame, stx_colour_cluster(1)));
  ck_assert(tells(STX_BEV_BY_OBSTACLE, all, &frame, stx_colour(STX_MEANS_UNCLASSIFIED)));
}

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

STX_TEST(cone_corridor_and_obstacles_are_drawn)
{
  StxObstacle obstacle = {
      .x = 10, .z = 50, .width = 20, .depth = 10, .id = 3, .closing_speed = 15, .lateral_speed = 0};
  StxBevStixels frame = bev_frame_of(NULL, 0);
  ck_assert_int_eq(count_changes(&frame, STX_BEV_SHOW_OBSTACLES | STX_BEV_SHOW_CORRIDOR, false), 0);
  ck_assert_int_gt(count_changes(&frame, STX_BEV_SHOW_CONE, false), 200);
  ck_assert_int_gt(count_changes(&frame, 0, true), 500);
  frame.obstacles = &obstacle;
  frame.obstacle_count = 1;
  ck_assert_int_gt(count_changes(&frame, STX_BEV_SHOW_CORRIDOR, false), 60);
  int still, moving = count_changes(&frame, STX_BEV_SHOW_OBSTACLES, false);
  obstacle.closing_speed = 0;
  still = count_changes(&frame, STX_BEV_SHOW_OBSTACLES, false);
  ck_assert_int_gt(still, 56);
  ck_assert_int_gt(moving, still);
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
