/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shapes on the canvas: nothing outside of the frame matters, and any numbers will do. Many dots at
 * once are what one after the other is, in all formats and wherever they lie. Looks: tests/frames.
 */
#include "tests/common/canvas/canvas_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static StxCanvas *small_canvas(int width, int height)
{
  StxCanvasParams params = canvas_params("RGB", width, height);
  return canvas_new(&params);
}

/* ---- Edges of the frame -------------------------------------------------------------------- */

/* The same shapes on a canvas and on a large one of which it is a part. */
STX_TEST(shapes_are_cut_off_at_the_frame)
{
  enum { WIDTH = 50, HEIGHT = 37, AROUND = 32 };
  StxCanvasParams params = canvas_params("RGB", WIDTH, HEIGHT);
  StxCanvasParams large = canvas_params("RGB", WIDTH + 2 * AROUND, HEIGHT + 2 * AROUND);
  StxRandom random = {11};
  for (int round = 0; round < 60; round++) {
    STX_AUTO(StxCanvas) *part = canvas_new(&params), *whole = canvas_new(&large);
    StxSpot at[4], moved[4];
    for (int i = 0; i < 4; i++) {
      at[i] = (StxSpot){
          stx_random_below(&random, 1000) / 10. - 25, stx_random_below(&random, 870) / 10. - 25};
      moved[i] = (StxSpot){at[i].x + AROUND, at[i].y + AROUND};
    }
    if (round % 3 == 0) {
      stx_canvas_polygon(part, at, 4, canvas_white);
      stx_canvas_polygon(whole, moved, 4, canvas_white);
    } else if (round % 3 == 1) {
      stx_canvas_line(part, at, 4, 3.3, canvas_white);
      stx_canvas_line(whole, moved, 4, 3.3, canvas_white);
    } else {
      stx_canvas_circle(part, at[0], 20, 2, canvas_white);
      stx_canvas_circle(whole, moved[0], 20, 2, canvas_white);
    }
    for (int i = 0; i < 40; i++) {
      int x = stx_random_below(&random, WIDTH), y = stx_random_below(&random, HEIGHT);
      int cover = canvas_cover(part, x, y), same = canvas_cover(whole, x + AROUND, y + AROUND);
      ck_assert_msg(
          abs(cover - same) <= 1, "round %d, pixel %d, %d: %d, whole %d", round, x, y, cover, same);
    }
  }
}

static void draw_all_at(StxCanvas *canvas, StxSpot a, StxSpot b, double length)
{
  StxSpot spots[] = {a, b, a};
  stx_canvas_line(canvas, spots, 2, length, canvas_white);
  stx_canvas_polygon(canvas, spots, 3, canvas_white);
  stx_canvas_circle(canvas, a, length, length, canvas_white);
  stx_canvas_dot(canvas, b, length, canvas_white);
  stx_canvas_box(canvas, (StxBox){a.x, a.y, length, length}, length, canvas_white);
  stx_canvas_outline(canvas, (StxBox){b.x, b.y, length, length}, 0, length, canvas_white);
  stx_canvas_text(canvas, "8", length, a, STX_ANCHOR_CENTRE_MIDDLE, canvas_white, canvas_white);
  stx_canvas_claim(canvas, stx_canvas_text_box("8", length, b, STX_ANCHOR_LEFT_BASE));
}

/* It ends, stays inside of its memory, and does not draw what is nowhere. */
STX_TEST(any_numbers_will_do)
{
  static const double numbers[] = {0, -0., 3.5, 31.9, -7, 1e4, -1e4, 9.9e8, -9.9e8, 1e9, 1e300,
      -1e300, INFINITY, -INFINITY, NAN};
  enum { COUNT = sizeof numbers / sizeof numbers[0] };
  STX_AUTO(StxCanvas) *canvas = small_canvas(33, 18);
  for (int i = 0; i < COUNT; i++)
    for (int k = 0; k < COUNT; k++)
      for (int n = 0; n < COUNT; n++) {
        StxSpot a = {numbers[i], numbers[k]}, b = {numbers[k], numbers[(i + 3) % COUNT]};
        draw_all_at(canvas, a, b, numbers[n]);
        stx_canvas_clear(canvas);
      }
  for (int i = 0; i < COUNT; i++)
    draw_all_at(canvas, (StxSpot){NAN, 3}, (StxSpot){3, INFINITY}, numbers[i]);
  ck_assert(stx_canvas_is_empty(canvas));
  draw_all_at(canvas, (StxSpot){3, 3}, (StxSpot){9, 3}, 0);
  draw_all_at(canvas, (StxSpot){3, 3}, (StxSpot){9, 3}, -2);
  StxSpot spots[] = {{1, 1}, {9, 2}, {4, 8}};
  stx_canvas_polygon(canvas, spots, 2, canvas_white);
  stx_canvas_line(canvas, spots, 0, 2, canvas_white);
  bool nothing = stx_canvas_is_empty(canvas);
  stx_canvas_polygon(canvas, spots, 3, (StxInk){{9, 9, 9}, NAN});
  ck_assert_int_eq(canvas_cover(canvas, 4, 4), 0);
  ck_assert_msg(nothing, "what has no width was drawn");
}

/* The pieces of a line that can be drawn are drawn. */
STX_TEST(lines_go_on_after_what_cannot_be_drawn)
{
  STX_AUTO(StxCanvas) *canvas = small_canvas(40, 20);
  StxSpot path[] = {{2, 10}, {10, 10}, {NAN, 10}, {20, 10}, {30, 10}};
  stx_canvas_line(canvas, path, 5, 3, canvas_white);
  ck_assert_int_eq(canvas_cover(canvas, 6, 10), 255);
  ck_assert_int_eq(canvas_cover(canvas, 15, 10), 0);
  ck_assert_int_eq(canvas_cover(canvas, 25, 10), 255);
}

enum { DOTS = 150 };

/* In the middle of eighths of a pixel, where nothing is rounded; some beyond the frame. */
static void make_dots(StxCanvasDot *dots, int width, int height, StxRandom *random)
{
  for (int i = 0; i < DOTS; i++) {
    dots[i].x = ((float)stx_random_below(random, 8 * (width + 40)) - 160 + .5f) / 8;
    dots[i].y = ((float)stx_random_below(random, 8 * (height + 40)) - 160 + .5f) / 8;
    dots[i].colour = stx_colour_cluster(stx_random(random) % 300);
  }
}

static void expect_alike(const char *format, int width, int height, double radius, double opacity)
{
  StxCanvasParams params = canvas_params(format, width, height);
  STX_AUTO(StxCanvas) *many = canvas_new(&params), *single = canvas_new(&params);
  StxRandom random = {(uint64_t)(width * 31 + height)};
  StxCanvasDot dots[DOTS];
  char what[96];
  make_dots(dots, width, height, &random);
  stx_canvas_dots(many, dots, DOTS, radius, opacity, 1 + width % 3);
  for (int i = 0; i < DOTS; i++)
    stx_canvas_dot(single, (StxSpot){(double)dots[i].x, (double)dots[i].y}, radius,
        (StxInk){dots[i].colour, opacity});
  snprintf(what, sizeof what, "%s %dx%d, radius %g", format, width, height, radius);
  ck_assert_msg(canvas_lay_hash(many, "c", 1) == canvas_lay_hash(single, "c", 1), "%s", what);
}

STX_TEST(many_are_as_one_by_one)
{
  static const double radii[] = {.3, .5, 1, 1.37, 2.5, 4, 7.5, 9};
  for (size_t i = 0; i < sizeof radii / sizeof radii[0]; i++) {
    expect_alike("RGB", 97, 261, radii[i], 1);
    expect_alike("RGB", 98, 129, radii[i], 1);
    expect_alike("I420", 64, 48, radii[i], .7);
    expect_alike("BGRx", 1, 33, radii[i], .25);
    expect_alike("YUY2", 35, 1, radii[i], 1);
  }
}

STX_TEST(odd_dots_are_passed_over)
{
  const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e9f};
  StxCanvasParams params = canvas_params("RGB", 40, 40);
  STX_AUTO(StxCanvas) *canvas = canvas_new(&params);
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    const StxCanvasDot dots[2] = {{odd[i], 20, {255, 0, 0}}, {20, odd[i], {255, 0, 0}}};
    stx_canvas_dots(canvas, dots, 2, 3, 1, 2);
  }
  const StxCanvasDot good = {20, 20, {255, 0, 0}};
  stx_canvas_dots(canvas, &good, 1, 0, 1, 2);
  stx_canvas_dots(canvas, &good, 1, NAN, 1, 2);
  stx_canvas_dots(canvas, &good, 1, 2, 0, 2);
  stx_canvas_dots(canvas, &good, 1, 2, NAN, 2);
  ck_assert(stx_canvas_is_empty(canvas));
  uint64_t before = stx_canvas_changes(canvas);
  stx_canvas_dots(canvas, &good, 1, 2, 1, 2);
  ck_assert(!stx_canvas_is_empty(canvas));
  ck_assert_uint_gt(stx_canvas_changes(canvas), before);
}
