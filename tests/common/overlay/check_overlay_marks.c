/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines and text over stixels: where they are, and where not. */
#include "common/overlay/overlay_marks.h"
#include "tests/common/overlay/overlay_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 200, CELL = 8, COLUMNS = 40 };

static const StxRgb background = {60, 70, 80};

/* f·B = 100 px·m; the horizon is row 80, the camera 1 m high: the road's row is 80 + 2·d. */
static StxOverlayParams street(void)
{
  StxOverlayParams params = overlay_plain("RGB", WIDTH, HEIGHT, CELL);
  params.camera = (StxCamera){.focal = 200, .cx = 159.5, .cy = 79.5, .baseline = .5, .height = 1};
  params.corridor_length = 20;
  params.labels_max = STX_LABELS_MAX;
  params.line_width = 3;
  return params;
}

/* Draws the marks on a frame of the background's colour. */
static StxImage8 draw_marks(const StxOverlayParams *params, const StxOverlayFacts *facts)
{
  const StxCanvasImpl *impl = stx_impl_named(&stx_canvas_impls, "c");
  StxCanvasParams glass = {
      params->frame_width, params->frame_height, params->format, params->matrix, true};
  STX_GUARDED void *memory = stx_guarded_alloc(stx_canvas_size(&glass));
  STX_GUARDED void *scratch = stx_guarded_alloc(stx_overlay_mark_scratch(params));
  StxCanvas *canvas = stx_canvas_init(memory, &glass);
  StxImage8 plane[3];
  StxFrame frame;
  StxPlace place = {.threads = 1};
  StxError error = {""};
  ck_assert_msg(stx_overlay_check(params, &error), "%s", error.text);
  overlay_frame_new(params, 0, plane, &frame);
  STX_EACH_PIXEL (x, y, params->frame_width, params->frame_height)
    memcpy(stx_row8(&plane[0], y) + 3 * x, &background, 3);
  stx_overlay_draw_lines(canvas, params, facts, scratch);
  stx_overlay_draw_labels(canvas, params, facts, scratch);
  if (!stx_canvas_is_empty(canvas))
    ck_assert(impl->lay(canvas, stx_canvas_tiles(canvas), &frame, &place, &error));
  return plane[0];
}

static bool is_touched(const StxImage8 *image, int x, int y)
{
  return memcmp(stx_row8(image, y) + 3 * x, &background, 3) != 0;
}

/* The smallest box around what was drawn; false: nothing was. */
static bool touched_box(const StxImage8 *image, int box[4])
{
  box[0] = box[1] = 9999;
  box[2] = box[3] = -1;
  STX_EACH_PIXEL (x, y, image->width / 3, image->height)
    if (is_touched(image, x, y)) {
      box[0] = x < box[0] ? x : box[0];
      box[1] = y < box[1] ? y : box[1];
      box[2] = x > box[2] ? x : box[2];
      box[3] = y > box[3] ? y : box[3];
    }
  return box[2] >= 0;
}

static void expect_near(const StxImage8 *image, int x, int y, StxMeaning meaning)
{
  StxRgb wanted = stx_colour(meaning);
  int best = 999;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      const uint8_t *pixel = stx_row8(image, y + dy) + 3 * (x + dx);
      int off = abs(pixel[0] - wanted.r) + abs(pixel[1] - wanted.g) + abs(pixel[2] - wanted.b);
      best = off < best ? off : best;
    }
  ck_assert_msg(best < 60, "no line at %d, %d", x, y);
}

/* ---- Lines --------------------------------------------------------------------------------- */

STX_TEST(free_space_ends_at_the_lowest_object)
{
  /* Objects stand on row 120 in columns 2 to 5, on row 100 in 6 to 9; sky hangs in 20. */
  StxOverlayParams params = street();
  StxStixel records[24];
  size_t count = 0;
  for (int c = 2; c < 10; c++) {
    int row = c < 6 ? 120 : 100;
    records[count++] = overlay_stixel(c, row, HEIGHT - 1, STX_KIND_GROUND, 0, 5);
    records[count++] = overlay_stixel(c, 40, row - 1, STX_KIND_OBJECT, 13, 9);
  }
  records[count++] = overlay_stixel(20, 0, HEIGHT - 1, STX_KIND_SKY, 10, 0);
  params.free_space = true;
  STX_AUTO(StxImage8) image =
      draw_marks(&params, &(StxOverlayFacts){.stixels = records, .stixel_count = count});
  for (int c = 2; c < 10; c++)
    expect_near(&image, c * CELL + 4, c < 6 ? 120 : 100, STX_MEANS_FREE_SPACE);
  expect_near(&image, 6 * CELL, 110, STX_MEANS_FREE_SPACE);
  int box[4];
  ck_assert(touched_box(&image, box));
  ck_assert(box[0] >= 2 * CELL - 3 && box[2] <= 10 * CELL + 3 && box[1] >= 96 && box[3] <= 124);
}

STX_TEST(free_space_of_obstacles_goes_first)
{
  StxOverlayParams params = street();
  StxStixel object = overlay_stixel(1, 0, 50, STX_KIND_OBJECT, 13, 9);
  StxFreeSpace space[COLUMNS];
  for (int c = 0; c < COLUMNS; c++)
    space[c] = (StxFreeSpace){0, c == 30 ? 7 : c == 31 ? (float)NAN : (float)INFINITY, 149, 0};
  params.free_space = true;
  STX_AUTO(StxImage8) image = draw_marks(&params,
      &(StxOverlayFacts){
          .stixels = &object, .stixel_count = 1, .free_space = space, .free_count = COLUMNS});
  int box[4];
  expect_near(&image, 30 * CELL + 4, 150, STX_MEANS_FREE_SPACE);
  ck_assert(touched_box(&image, box));
  ck_assert(box[0] >= 30 * CELL - 3 && box[2] <= 31 * CELL + 3);
}

/* An arrow from the foot of what is 20 m ahead, on row 100 (5 px), to where it is half a second
 * later; in the lower left corner lies its key. */
STX_TEST(velocities_are_arrows_to_where_things_will_be)
{
  static const struct {
    StxVelocity velocity;
    int x, y; /* of its tip, 0: there is none */
  } cases[] = {
      {{.x = 8, .moves = STX_MOVES_ON}, 200, 100},         /* 4 m to the right are 40 px */
      {{.z = -20, .moves = STX_MOVES_ONCOMING}, 160, 120}, /* at 10 m the ground is on row 120 */
      {{.x = 8, .moves = STX_MOVES_NOT}, 0, 0},
      {{.x = NAN, .z = 3, .moves = STX_MOVES_ON}, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxOverlayParams params = street();
    StxObstacle obstacle = {.left = 156, .right = 163, .top = 70, .bottom = 99, .z = 20};
    StxOverlayFacts facts = {
        .obstacles = &obstacle, .obstacle_count = 1, .velocities = &cases[i].velocity};
    params.velocities = true;
    StxImage8 image = draw_marks(&params, &facts);
    bool shown = false;
    for (int y = 60; y < 150; y++)
      for (int x = 100; x < 300; x++)
        shown = shown || is_touched(&image, x, y);
    ck_assert(shown == (cases[i].x > 0));
    ck_assert(is_touched(&image, 20, HEIGHT - 17));
    if (shown) {
      expect_near(&image, cases[i].x, cases[i].y,
          cases[i].velocity.moves == STX_MOVES_ON ? STX_MEANS_INK : STX_MEANS_WARNING);
      expect_near(&image, 160, 101,
          cases[i].velocity.moves == STX_MOVES_ON ? STX_MEANS_INK : STX_MEANS_WARNING);
    }
    stx_test_image8_free(&image);
    facts.velocities = NULL;
    image = draw_marks(&params, &facts);
    ck_assert(!is_touched(&image, 20, HEIGHT - 17));
    stx_test_image8_free(&image);
  }
}

STX_TEST(the_corridor_lies_on_the_road)
{
  /* Without ground it is that of the camera: 20 m ahead things have 5 px, which are row 90, and a
   * metre is 10 px there; at the image's lower edge, row 200, 60 px and 120. */
  StxOverlayParams params = street();
  params.corridor_width = 2;
  StxImage8 image = draw_marks(&params, &(StxOverlayFacts){0});
  expect_near(&image, 160, 90, STX_MEANS_CORRIDOR);
  expect_near(&image, 150, 90, STX_MEANS_CORRIDOR);
  expect_near(&image, 170, 90, STX_MEANS_CORRIDOR);
  expect_near(&image, 160 - 60, 140, STX_MEANS_CORRIDOR);
  expect_near(&image, 160 + 60, 140, STX_MEANS_CORRIDOR);
  stx_test_image8_free(&image);

  /* A road that the stixels show 10 rows higher goes first, and one stixel beside it is none. */
  StxStixel ground[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) {
    ground[c] = overlay_stixel(c, 90, 190, STX_KIND_GROUND, 0, 10);
    ground[c].disparity_bottom = 60;
  }
  ground[7].disparity_bottom = 90;
  params.corridor_offset = 1;
  image = draw_marks(&params, &(StxOverlayFacts){.stixels = ground, .stixel_count = COLUMNS});
  expect_near(&image, 170, 80, STX_MEANS_CORRIDOR);
  expect_near(&image, 160, 80, STX_MEANS_CORRIDOR);
  stx_test_image8_free(&image);
}

/* ---- Labels -------------------------------------------------------------------------------- */

static StxObstacle obstacle(int left, int top, int right, float z)
{
  return (StxObstacle){.id = 7,
      .left = (uint16_t)left,
      .top = (uint16_t)top,
      .right = (uint16_t)right,
      .bottom = (uint16_t)(top + 40),
      .label = 13,
      .z = z};
}

static StxImage8 draw_labels(const StxObstacle *obstacles, size_t count, unsigned labels)
{
  StxOverlayParams params = street();
  params.labels = labels;
  return draw_marks(&params, &(StxOverlayFacts){.obstacles = obstacles, .obstacle_count = count});
}

STX_TEST(labels_stand_above_and_inside_the_frame)
{
  static const struct {
    int left, top, right;
  } cases[] = {{100, 100, 140}, {0, 100, 3}, {316, 100, 319}, {100, 0, 140}, {0, 0, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    StxObstacle one = obstacle(cases[i].left, cases[i].top, cases[i].right, 12);
    STX_AUTO(StxImage8) image = draw_labels(&one, 1, STX_OVERLAY_LABEL_DISTANCE);
    int box[4];
    ck_assert_msg(touched_box(&image, box), "case %zu", i);
    ck_assert_int_gt(box[2] - box[0], 20); /* "12 m" and not half of it */
    if (cases[i].top > 20)
      ck_assert(box[3] <= cases[i].top + 3 && box[1] > cases[i].top - 20);
  }
}

/* The number of runs of rows that are not empty. */
static int count_bands(const StxImage8 *image)
{
  int bands = 0;
  bool inside = false;
  for (int y = 0; y < image->height; y++) {
    bool any = false;
    for (int x = 0; x < image->width / 3; x++)
      any = any || is_touched(image, x, y);
    bands += any && !inside;
    inside = any;
  }
  return bands;
}

STX_TEST(labels_never_overlap)
{
  /* Five things at one place: four fit below each other, one above the other three
   * and one inside. Ink of one on the other would leave fewer bands. */
  StxObstacle many[5];
  for (int i = 0; i < 5; i++)
    many[i] = obstacle(100, 100, 140, (float)(10 + i));
  STX_AUTO(StxImage8) one = draw_labels(many, 1, STX_OVERLAY_LABEL_DISTANCE);
  STX_AUTO(StxImage8) all = draw_labels(many, 5, STX_OVERLAY_LABEL_DISTANCE);
  int one_box[4], box[4];
  ck_assert(touched_box(&one, one_box) && touched_box(&all, box));
  ck_assert_int_gt(count_bands(&all), count_bands(&one));
  ck_assert_int_ge(box[3] - box[1], 3 * 12);
}

/* Twenty things in four rows, far enough from each other for all their labels. */
STX_TEST(as_many_labels_as_are_asked_for_stand_on_a_frame)
{
  StxObstacle many[20];
  StxOverlayParams params = street();
  StxOverlayFacts facts = {.obstacles = many, .obstacle_count = 20};
  params.labels = STX_OVERLAY_LABEL_DISTANCE;
  for (int i = 0; i < 20; i++)
    many[i] = obstacle(20 + 60 * (i % 5), 30 + 50 * (i / 5), 40 + 60 * (i % 5), (float)(11 + i));
  static const int most[] = {1, 7, 20};
  for (size_t k = 0; k < sizeof most / sizeof most[0]; k++) {
    params.labels_max = most[k];
    STX_AUTO(StxImage8) image = draw_marks(&params, &facts);
    for (int i = 0; i < 20; i++)
      ck_assert_int_eq(is_touched(&image, many[i].left + 5, many[i].top), i < most[k]);
  }
  params.labels_max = STX_LABELS_MAX;
  STX_AUTO(StxImage8) usual = draw_marks(&params, &facts);
  ck_assert(is_touched(&usual, many[11].left + 5, many[11].top));
  ck_assert(!is_touched(&usual, many[12].left + 5, many[12].top));
}

STX_TEST(moving_things_and_those_in_the_corridor_are_labelled_before_others_as_far)
{
  StxObstacle many[] = {obstacle(0, 0, 1, 10), obstacle(0, 0, 1, (float)NAN), obstacle(0, 0, 1, 18),
      obstacle(0, 0, 1, 18), obstacle(0, 0, 1, 36), obstacle(0, 0, 1, 8)};
  const StxVelocity velocities[6] = {[2] = {.moves = STX_MOVES_ON},
      [3] = {.moves = STX_MOVES_NOT},
      [4] = {.moves = STX_MOVES_ONCOMING}};
  static const size_t order[] = {5, 2, 4, 0, 3, 6};
  size_t last = 6;
  many[4].flags = STX_OBSTACLE_IN_CORRIDOR;
  for (size_t i = 0; i < 6; i++) {
    last = stx_label_next(many, velocities, 6, last);
    ck_assert_uint_eq(last, order[i]);
  }
  ck_assert_uint_eq(stx_label_next(NULL, NULL, 0, 0), 0);
  ck_assert_uint_eq(stx_label_next(many, NULL, 2, 0), 2);
}

STX_TEST(plates_do_not_touch)
{
  /* Labels of two things as far apart as a plate is wide: the second goes elsewhere. */
  StxObstacle two[] = {obstacle(100, 100, 101, 10), obstacle(100, 100, 101, 11)};
  StxBox plate = stx_canvas_text_box("10 m", 9, (StxSpot){0, 0}, STX_ANCHOR_LEFT_BASE);
  two[1].left = (uint16_t)(two[0].left + ceil(plate.width));
  two[1].right = (uint16_t)(two[1].left + 1);
  STX_AUTO(StxImage8) image = draw_labels(two, 2, STX_OVERLAY_LABEL_DISTANCE);
  ck_assert_int_gt(count_bands(&image), 1);
}

/* Wide things side by side, whose edges are as high as the label of the nearest. */
STX_TEST(no_edge_strikes_out_a_label)
{
  StxObstacle two[] = {obstacle(100, 100, 140, 10), obstacle(20, 94, 300, 20)};
  STX_AUTO(StxImage8) one = draw_labels(two, 1, STX_OVERLAY_LABEL_DISTANCE);
  STX_AUTO(StxImage8) both = draw_labels(two, 2, STX_OVERLAY_LABEL_DISTANCE);
  int box[4];
  ck_assert(touched_box(&one, box));
  for (int y = box[1]; y <= box[3]; y++)
    for (int x = box[0]; x <= box[2]; x++)
      if (is_touched(&one, x, y))
        ck_assert_mem_eq(stx_row8(&both, y) + 3 * x, stx_row8(&one, y) + 3 * x, 3);
}

/* A dot between number, class and distance: the label is as wide as that text. */
STX_TEST(labels_are_separated)
{
  static const struct {
    unsigned labels;
    const char *text;
  } cases[] = {
      {STX_OVERLAY_LABEL_ID | STX_OVERLAY_LABEL_DISTANCE, "#7 \xC2\xB7 12 m"},
      {STX_OVERLAY_LABEL_ID | STX_OVERLAY_LABEL_CLASS, "#7 \xC2\xB7 car"},
      {STX_OVERLAY_LABEL_CLASS | STX_OVERLAY_LABEL_DISTANCE, "car \xC2\xB7 12 m"},
      {7, "#7 \xC2\xB7 car \xC2\xB7 12 m"},
      {STX_OVERLAY_LABEL_ID, "#7"},
  };
  StxObstacle one = obstacle(115, 100, 116, 12); /* its edge is narrower than the text */
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    STX_AUTO(StxImage8) image = draw_labels(&one, 1, cases[i].labels);
    StxBox wanted = stx_canvas_text_box(cases[i].text, 9, (StxSpot){0, 0}, STX_ANCHOR_LEFT_BASE);
    int box[4];
    ck_assert(touched_box(&image, box));
    ck_assert_double_eq_tol(box[2] - box[0] + 1, wanted.width, 2);
  }
}

/* Of a camera for which half a pixel is .1 % of the depth, per metre. */
STX_TEST(labels_of_distances_say_how_sure_they_are)
{
  static const struct {
    double depth;
    const char *text;
  } cases[] = {{8.25, "8.2 m"}, {8.3, "8.3 m"}, {9.94, "9.9 m"}, {9.96, "10 m"}, {25.4, "25 m"},
      {99, "99 m"}, {101, "\u2248 100 m"}, {331, "\u2248 330 m"}, {334, "> 200 m"},
      {1000, "> 330 m"}, {INFINITY, "far"}, {NAN, "far"}};
  char text[STX_METRES_TEXT];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    stx_metres_spell(cases[i].depth, .001 * cases[i].depth * cases[i].depth, text);
    ck_assert_str_eq(text, cases[i].text);
  }
  stx_metres_spell(334, NAN, text); /* a scan's */
  ck_assert_str_eq(text, "334 m");
}

STX_TEST(labels_say_what_is_asked_for)
{
  StxObstacle one = obstacle(100, 100, 140, 12);
  int width[8], box[4];
  for (unsigned labels = 0; labels < 8; labels++) {
    STX_AUTO(StxImage8) image = draw_labels(&one, 1, labels);
    width[labels] = touched_box(&image, box) ? box[2] - box[0] : 0;
  }
  ck_assert_int_eq(width[0], 0);
  for (unsigned labels = 1; labels < 7; labels++)
    ck_assert_int_lt(width[labels], width[7]);
  ck_assert_int_lt(width[STX_OVERLAY_LABEL_ID], width[3]);
  one.label = STX_LABEL_NONE;
  one.id = 0;
  STX_AUTO(StxImage8) image = draw_labels(&one, 1, STX_OVERLAY_LABEL_ID | STX_OVERLAY_LABEL_CLASS);
  ck_assert(!touched_box(&image, box));
}

STX_TEST(without_obstacles_wide_stixels_are_labelled)
{
  /* Six columns of one thing, and one alone, which is too narrow. */
  StxOverlayParams params = street();
  StxStixel records[7];
  for (int c = 0; c < 6; c++)
    records[c] = overlay_stixel(10 + c, 100, 150, STX_KIND_OBJECT, 13, 20 + (float)c / 5);
  records[6] = overlay_stixel(30, 100, 150, STX_KIND_OBJECT, 13, 40);
  params.labels = STX_OVERLAY_LABEL_DISTANCE;
  StxImage8 image = draw_marks(&params, &(StxOverlayFacts){.stixels = records, .stixel_count = 7});
  int box[4];
  ck_assert(touched_box(&image, box));
  ck_assert(box[0] >= 70 && box[2] <= 140 && box[3] < 105);
  stx_test_image8_free(&image);
  params.labels = STX_OVERLAY_LABEL_ID;
  image = draw_marks(&params, &(StxOverlayFacts){.stixels = records, .stixel_count = 7});
  ck_assert(!touched_box(&image, box));
  stx_test_image8_free(&image);
}

/* Whatever the numbers and the order. */
STX_TEST(random_bytes_harm_nobody)
{
  StxRandom random = {9};
  for (int round = 0; round < 60; round++) {
    StxOverlayParams params = street();
    StxStixel records[40];
    StxObstacle obstacles[10];
    StxFreeSpace space[20];
    for (size_t i = 0; i < sizeof records; i++)
      ((uint8_t *)records)[i] = (uint8_t)stx_random(&random);
    for (size_t i = 0; i < sizeof obstacles; i++)
      ((uint8_t *)obstacles)[i] = (uint8_t)stx_random(&random);
    for (size_t i = 0; i < sizeof space; i++)
      ((uint8_t *)space)[i] = (uint8_t)stx_random(&random);
    params.labels = 7;
    params.free_space = true;
    params.corridor_width = 3;
    STX_AUTO(StxImage8) image =
        draw_marks(&params, &(StxOverlayFacts){records, 40, round % 2 ? obstacles : NULL,
                                round % 2 ? 10 : 0, round % 3 ? space : NULL, 20});
  }
}
