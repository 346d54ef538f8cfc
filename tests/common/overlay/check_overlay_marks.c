/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrows and texts over stixels, and which come first. Other lines and places: tests/frames. */
#include "common/overlay/overlay_marks.h"
#include "tests/common/oracle.h"
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
  const StxCanvasImpl *impl = oracle(&stx_canvas_impls);
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
